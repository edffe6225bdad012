"""A look at a model of statsmodels or scikit-learn before it is fitted: does it have finite estimates at all?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import wraps
from typing import Any, Literal, overload

from linsep.regression.found import Separation
from linsep.regression.guarded_models import can_be_guarded, check_known, guarded_classes, question_of
from linsep.regression.separation import answer, tell
from linsep.types import DataError

Mode = Literal["raise", "warn"]


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
        self.separation = _asked(self.model, args, kwargs, self._time_limit)
        _report(self.separation, self._mode)
        return self.model.fit(*args, **kwargs)


class Guarding(AbstractContextManager["Guarding"]):
    """What `guard()` without a model returns: inside the block, `fit` of each model that can be guarded asks first.

    Attributes
    ----------
    separations : list of Separation
        What was found, a model each, in the order of the fits.
    """

    def __init__(self, on_separation: Mode, time_limit: float | None) -> None:
        self.separations: list[Separation] = []
        self._mode, self._time_limit = on_separation, time_limit
        self._replaced = ExitStack()

    def __enter__(self) -> Guarding:
        for kind in guarded_classes():
            self._replaced.enter_context(_with_fit(kind, self._guarded(kind.fit)))
        return self

    def __exit__(self, *raised: object) -> None:
        self._replaced.close()

    def _guarded(self, fit: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fit)
        def guarded(model: Any, *args: Any, **kwargs: Any) -> Any:
            found = _asked(model, args, kwargs, self._time_limit) if can_be_guarded(model) else None
            if found is not None:
                self.separations.append(found)
            _report(found, self._mode)
            return fit(model, *args, **kwargs)

        return guarded


@contextmanager
def _with_fit(kind: Any, fit: Callable[..., Any]) -> Iterator[None]:
    """A class with another method `fit` until the end of the block."""
    own = kind.__dict__.get("fit")
    kind.fit = fit
    try:
        yield
    finally:
        if own is None:
            del kind.fit
        else:
            kind.fit = own


def _asked(model: Any, args: Any, kwargs: Any, time_limit: float | None) -> Separation | None:
    """What is found about a model and the arguments of its `fit`; None of a penalised model."""
    asked = question_of(model, args, kwargs)
    return None if asked is None else answer(*asked, time_limit)


def _report(found: Separation | None, mode: Mode) -> None:
    """Raise SeparationError, or warn, unless the estimates are finite for sure."""
    if found is not None:
        tell(found, mode, stacklevel=4)


@overload
def guard(model: None = ..., *, on_separation: Mode = ..., time_limit: float | None = ...) -> Guarding: ...
@overload
def guard(model: Any, *, on_separation: Mode = ..., time_limit: float | None = ...) -> Guard: ...
def guard(model: Any = None, *, on_separation: Mode = "raise", time_limit: float | None = None) -> Guard | Guarding:
    """Put the question of separation before a fit: `guard(model).fit()` instead of `model.fit()`.

    Nothing of the model or its package is changed. Of a penalised model of scikit-learn nothing is asked, since its
    estimates are finite. Without a model, `with guard():` asks before each `fit` inside the block, also where a
    function of somebody else fits: until the end of the block the method `fit` of these classes is another one, in all
    threads. A model that cannot be guarded is fitted there without a question; so is one of a subclass, such as GEE,
    since what it fits is not known.

    An answer that is `fragile` counts as separation: half a unit in the last place of some numbers of the design could
    change it, as where a column is the sum of others in decimals. Leave one of these columns out.

    Parameters
    ----------
    model : object, optional
        Logit, Probit, Poisson, MNLogit, GLM (binomial, or another family with log link), OrderedModel or PHReg of
        statsmodels; LogisticRegression or PoissonRegressor of scikit-learn.
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
