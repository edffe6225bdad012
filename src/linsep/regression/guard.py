"""A look at a model of another package before it is fitted: does it have finite estimates at all?"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from importlib import import_module
from typing import Any, Literal, overload

from linsep.regression.foreign import check_known, guarded_classes, kind_of, question_of
from linsep.regression.found import Separation
from linsep.regression.separation import SeparationWarning, answer, tell
from linsep.types import DataError

Mode = Literal["raise", "warn"]
# Classes that fit what is not asked about; their subclasses, and those of the guarded classes, do so too.
_OTHER = (
    ("statsmodels.discrete.conditional_models", "_ConditionalModel"),
    ("statsmodels.discrete.count_model", "CountModel"),
    ("statsmodels.discrete.truncated_model", "CountModel"),
    ("statsmodels.gam.generalized_additive_model", "GLMGam"),
    ("statsmodels.genmod.generalized_estimating_equations", "GEE"),
    ("statsmodels.othermod.betareg", "BetaModel"),
    ("lifelines.fitters.cox_time_varying_fitter", "CoxTimeVaryingFitter"),
)
_PENALISED = "LogisticRegressionCV"  # a subclass that is never without a penalty


class Guard:
    """A model that is asked about separation before it is fitted.

    Attributes
    ----------
    model : object
        The model itself.
    separation : Separation or None
        What was found by the last `fit`; None before it, and where a penalty makes every estimate finite.
    """

    def __init__(self, model: Any, on_separation: Mode, time_limit: float | None) -> None:
        self.model = model
        self.separation: Separation | None = None
        self._mode, self._time_limit = on_separation, time_limit

    def fit(self, *args: Any, **kwargs: Any) -> Any:
        """Decide whether the model has finite estimates, and fit it if it has, or after a warning.

        Parameters
        ----------
        *args, **kwargs : Any
            As for `fit` of the model; scikit-learn's has X and y among them.

        Returns
        -------
        object
            What `fit` of the model returns.

        Raises
        ------
        SeparationError
            The model has no finite estimates, or rounding of its design could change the answer
            (on_separation="raise"); it is not fitted then.

        Warns
        -----
        SeparationWarning
            The same with on_separation="warn", and the model is fitted.
        """
        asked = question_of(self.model, args, kwargs)
        self.separation = None if asked is None else answer(asked, self._time_limit)
        if self.separation is not None:
            tell(self.separation, self._mode, stacklevel=3)
        return self.model.fit(*args, **kwargs)


class Guarding(AbstractContextManager["Guarding"]):
    """What `guard()` without a model returns: inside the block, `fit` of each model that can be guarded asks first.

    Attributes
    ----------
    separations : list of Separation
        What was found, a model each, in the order of the fits.
    not_asked : list of str
        The fits about which nothing was asked, as "ConditionalLogit.fit", in their order; a warning at the end of the
        block names them.
    """

    def __init__(self, on_separation: Mode, time_limit: float | None) -> None:
        self.separations: list[Separation] = []
        self.not_asked: list[str] = []
        self._mode, self._time_limit = on_separation, time_limit
        self._own: list[tuple[Any, str, Any]] = []
        self._packages: set[str] = set()
        self._inside = threading.local()  # a fit of another thread is none within this one

    def __enter__(self) -> Guarding:
        for kind in guarded_classes():
            self._packages.add(kind.__module__.partition(".")[0])
            name = "get_fit" if hasattr(kind, "get_fit") else "fit"
            self._replace(kind, name, self._guarded(getattr(kind, name)))
        for kind, name in _other_fits():
            self._replace(kind, name, self._guarded(getattr(kind, name), asks=False))
        return self

    def __exit__(self, kind: object, *raised: object) -> None:
        for owner, name, own in reversed(self._own):
            if own is None:  # it was inherited
                delattr(owner, name)
            else:
                setattr(owner, name, own)
        late = {of.__module__.partition(".")[0] for of in guarded_classes()}.difference(self._packages)
        self.not_asked += [f"those of {name}, which was loaded inside the block" for name in sorted(late)]
        if self.not_asked and kind is None:
            told = ", ".join(dict.fromkeys(self.not_asked))
            then = "separation(formula, data=table, family=...) asks about the columns of such a model"
            warnings.warn(f"nothing was asked about these fits: {told}; {then}", SeparationWarning, stacklevel=2)

    def _replace(self, kind: Any, name: str, new: Any) -> None:
        self._own.append((kind, name, kind.__dict__.get(name)))
        setattr(kind, name, new)

    def _guarded(self, fit: Callable[..., Any], *, asks: bool = True) -> Callable[..., Any]:
        """The same after the question, or it is noted that nothing was asked."""

        @wraps(fit)
        def guarded(model: Any, *args: Any, **kwargs: Any) -> Any:
            # A fit that another one makes, as NegativeBinomial starts from a Poisson regression.
            if hasattr(self._inside, "fit"):
                return fit(model, *args, **kwargs)
            found, is_known = None, asks and kind_of(model) is not None
            try:
                asked = question_of(model, args, kwargs) if is_known else None
                found = None if asked is None else answer(asked, self._time_limit)
            except DataError:  # its own fit says what is wrong, if anything is
                is_known = False
            if not is_known:
                self.not_asked.append(f"{type(model).__name__}.{fit.__name__}")
            if found is not None:
                self.separations.append(found)
                tell(found, self._mode, stacklevel=3)
            self._inside.fit = fit
            try:
                return fit(model, *args, **kwargs)
            finally:
                del self._inside.fit

        return guarded


def _other_fits() -> list[tuple[Any, str]]:
    """Classes of loaded packages, and their methods that fit what is not asked about."""
    kinds = [getattr(import_module(module), name) for module, name in _OTHER if module.partition(".")[0] in sys.modules]
    kinds += (guarded := guarded_classes())
    for kind in kinds:  # the list grows
        kinds += kind.__subclasses__()
    return [
        (kind, name)
        for kind in dict.fromkeys(kinds)
        for name in ("fit", "fit_regularized")
        if hasattr(kind, name) and (name != "fit" or kind not in guarded) and kind.__name__ != _PENALISED
    ]


@overload
def guard(model: None = ..., *, on_separation: Mode = ..., time_limit: float | None = ...) -> Guarding: ...
@overload
def guard(model: Any, *, on_separation: Mode = ..., time_limit: float | None = ...) -> Guard: ...
def guard(model: Any = None, *, on_separation: Mode = "raise", time_limit: float | None = None) -> Guard | Guarding:
    """Put the question of separation before a fit: `guard(model).fit()` instead of `model.fit()`.

    Nothing of the model or its package is changed. Of a penalised model of scikit-learn nothing is asked, since its
    estimates are finite. Without a model, `with guard():` asks before each `fit` inside the block, also where a
    function of somebody else fits: until the end of the block the method `fit` of these classes is another one, in all
    threads. A model that cannot be guarded is fitted there without a question; so is one of a subclass, such as GLMGam,
    since what it fits is not known, and what another fit makes for its start. `not_asked` and a warning at the end name
    those that could be separated, as `fit_regularized`, and lifelines or pyfixest if they are first loaded inside the
    block. Of pyfixest the rows that a fit keeps are asked about: what it missed when it dropped separated ones.

    An answer that is `fragile` counts as separation: half a unit in the last place of some numbers of the design could
    change it, as where a column is the sum of others in decimals. Leave one of these columns out.

    Parameters
    ----------
    model : object, optional
        Logit, Probit, Poisson, NegativeBinomial, MNLogit, GLM (binomial, or of counts with log link), OrderedModel,
        PHReg or ConditionalLogit of statsmodels; LogisticRegression or PoissonRegressor of scikit-learn; CoxPHFitter of
        lifelines. Functions, as `fepois` and `feglm` of pyfixest, are asked about inside a block.
    on_separation : {"raise", "warn"}, default="raise"
        Whether a model without finite estimates, or with a fragile answer, is an error, or is fitted after a warning.
    time_limit : float, optional
        Seconds after which the answer is "undecided", which raises or warns too.

    Returns
    -------
    Guard or Guarding
        An object with the method `fit`, and the answer as `separation`. Without a model, a context manager with the
        answers as `separations`.

    Raises
    ------
    DataError
        The model is of none of these classes.

    Warns
    -----
    SeparationWarning
        At the end of a block, if something was fitted about which nothing was asked.

    Examples
    --------
    >>> from sklearn.linear_model import PoissonRegressor
    >>> X, guarded = [[0], [0], [1], [1]], guard(PoissonRegressor(alpha=0))
    >>> guarded.fit(X, [1, 3, 4, 6]).predict([[0], [1]]).round(1).tolist()
    [2.0, 5.0]
    >>> from linsep import SeparationError
    >>> try:
    ...     guarded.fit(X, [1, 3, 0, 0])
    ... except SeparationError as error:
    ...     error.separation.separated_rows
    (2, 3)
    >>> with guard() as guarding:
    ...     fitted = PoissonRegressor(alpha=0).fit(X, [1, 3, 4, 6])
    >>> len(guarding.separations)
    1
    """
    if on_separation not in ("raise", "warn"):
        raise DataError(f"on_separation is 'raise' or 'warn', not {on_separation!r}")
    if model is None:
        return Guarding(on_separation, time_limit)
    check_known(model)
    return Guard(model, on_separation, time_limit)
