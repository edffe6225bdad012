"""A look at a model of statsmodels or scikit-learn before it is fitted: does it have finite estimates at all?"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, overload

import numpy as np

from linsep.regression.design import Design, design_of, outcome_of
from linsep.regression.formula import Asked, levels_of
from linsep.regression.found import Separation
from linsep.regression.separation import SeparationError, SeparationWarning, answer
from linsep.theory.separation.families import ORDERED, Family
from linsep.types import DataError

# Models of statsmodels by the name of their class.
_STATSMODELS: dict[str, Family] = {
    "Logit": "logistic",
    "Probit": "logistic",
    "Poisson": "poisson",
    "MNLogit": "multinomial",
    "OrderedModel": "cumulative",
    "PHReg": "cox",
}
_IN_STATSMODELS = {
    **dict.fromkeys(("Logit", "Probit", "Poisson", "MNLogit"), "discrete.discrete_model"),
    "GLM": "genmod.generalized_linear_model",
    "OrderedModel": "miscmodels.ordinal_model",
    "PHReg": "duration.hazard_regression",
}
_IN_SKLEARN = dict.fromkeys(("LogisticRegression", "PoissonRegressor"), "linear_model")
_LINKS = {"Logit": "logit", "Probit": "probit", "CLogLog": "cloglog", "Cauchy": "cauchit", "Log": "log"}
_GLM: dict[str, Family] = {
    "Binomial": "binomial",
    "Poisson": "poisson",
    "NegativeBinomial": "negative-binomial",
    "Gamma": "gamma",
    "InverseGaussian": "inverse-gaussian",
}
_KNOWN = (
    "Logit, Probit, Poisson, MNLogit, GLM, OrderedModel and PHReg of statsmodels, LogisticRegression and "
    "PoissonRegressor of scikit-learn"
)
_CATEGORY = re.compile(r"C\((\w+)")  # C(dose), C(dose, Treatment("low"))
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
            The model has no finite estimates (on_separation="raise"); it is not fitted then.

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
        for kind in _guarded_classes():
            self._replaced.enter_context(_with_fit(kind, self._guarded(kind.fit)))
        return self

    def __exit__(self, *raised: object) -> None:
        self._replaced.close()

    def _guarded(self, fit: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fit)
        def guarded(model: Any, *args: Any, **kwargs: Any) -> Any:
            found = _asked(model, args, kwargs, self._time_limit) if _can_be_guarded(model) else None
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
    asked = _of_statsmodels(model) if hasattr(model, "exog") else _of_sklearn(model, *args, **kwargs)
    return None if asked is None else answer(*asked, time_limit)


def _report(found: Separation | None, mode: Mode) -> None:
    """Raise SeparationError, or warn, unless the estimates are finite."""
    if found is None or found.verdict == "overlap":
        return
    if mode == "raise":
        raise SeparationError(found)
    warnings.warn(found.summary(), SeparationWarning, stacklevel=3)


@overload
def guard(model: None = ..., *, on_separation: Mode = ..., time_limit: float | None = ...) -> Guarding: ...
@overload
def guard(model: Any, *, on_separation: Mode = ..., time_limit: float | None = ...) -> Guard: ...
def guard(model: Any = None, *, on_separation: Mode = "raise", time_limit: float | None = None) -> Guard | Guarding:
    """Put the question of separation before a fit: `guard(model).fit()` instead of `model.fit()`.

    Nothing of the model or its package is changed. Of a penalised model of scikit-learn nothing is asked, since its
    estimates are finite. Without a model, `with guard():` asks before each `fit` inside the block, also where a
    function of somebody else fits: until the end of the block the method `fit` of these classes is another one, in all
    threads. A model that cannot be guarded is fitted there without a question.

    Parameters
    ----------
    model : object, optional
        Logit, Probit, Poisson, MNLogit, GLM (binomial, or another family with log link), OrderedModel or PHReg of
        statsmodels; LogisticRegression or PoissonRegressor of scikit-learn.
    on_separation : {"raise", "warn"}, default="raise"
        Whether a model without finite estimates is an error, or is fitted after a warning.
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
        The model is not one of these.

    Examples
    --------
    >>> from sklearn.linear_model import PoissonRegressor
    >>> X, guarded = [[0], [0], [1], [1]], guard(PoissonRegressor(alpha=0))
    >>> guarded.fit(X, [1, 3, 4, 6]).predict([[0], [1]]).round(1).tolist()
    [2.0, 5.0]
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
    if _name(model, "statsmodels") not in {*_STATSMODELS, "GLM"} and _name(model, "sklearn") not in _SKLEARN:
        raise DataError(f"{type(model).__name__} is not a model that can be guarded; these can: {_KNOWN}")
    return Guard(model, on_separation, time_limit)


def _name(model: Any, package: str) -> str:
    """The name of the class of a package that a model is of, "" if it is of none; a class of a user may stand above."""
    known = {*_STATSMODELS, "GLM", *_SKLEARN}
    classes = (kind for kind in type(model).__mro__ if kind.__module__.partition(".")[0] == package)
    return next((kind.__name__ for kind in classes if kind.__name__ in known), "")


_Question = tuple[Asked, Family, str | None]


def _of_statsmodels(model: Any) -> _Question:
    """The question about a model that has its data; constants are columns of its own."""
    name = _name(model, "statsmodels")
    link: str | None = None
    beside: dict[str, Any] = {}
    y = np.asarray(model.endog)
    if name == "GLM":
        family, link = _of_glm(model, y)
        weights = np.asarray(model.freq_weights) * np.asarray(model.var_weights)
        beside = {} if (weights > 0).all() else {"weights": weights}
    else:
        family = _STATSMODELS[name]
        link = "probit" if name == "Probit" else None
        if name == "PHReg":
            beside = {"event": model.status, "strata": model.strata, "entry": model.entry}
    X = np.asarray(model.exog)
    names = [str(text) for text in model.exog_names][: X.shape[1]]
    whole = family in (*ORDERED, "cox")  # they have no intercept of their own
    design = Design(X, names, *_levels_of(model, names))
    return Asked(design, outcome_of(y, family, **beside), whole), family, link


def _levels_of(model: Any, names: list[str]) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """The levels that indicators of a formula stand for, and the levels without one, as patsy or formulaic has them."""
    spec = getattr(model.data, "model_spec", None) or getattr(model.data, "design_info", None)
    if hasattr(spec, "encoder_state"):
        return levels_of(spec, names)
    infos = getattr(spec, "factor_infos", {})
    levels: dict[str, tuple[str, str]] = {}
    references: dict[str, str] = {}
    for factor, info in infos.items():
        if info.type != "categorical":
            continue
        shown = {str(level): f"{factor.name()}[T.{level}]" for level in info.categories}
        without = [level for level, column in shown.items() if column not in names]
        if len(without) == 1:  # another coding has no reference level
            name = found[1] if (found := _CATEGORY.match(factor.name())) else factor.name()
            references[name] = without[0]
            levels |= {column: (name, level) for level, column in shown.items() if level != without[0]}
    return levels, references


def _guarded_classes() -> list[Any]:
    """The classes of the packages that are installed."""
    every = [getattr(import_module(f"sklearn.{module}"), name) for name, module in _IN_SKLEARN.items()]
    if find_spec("statsmodels") is not None:
        every += [getattr(import_module(f"statsmodels.{module}"), name) for name, module in _IN_STATSMODELS.items()]
    return every


def _can_be_guarded(model: Any) -> bool:
    """Whether a model of these classes has a question: not a GLM of another family or link."""
    return _name(model, "statsmodels") != "GLM" or _family_of_glm(model) is not None


def _family_of_glm(model: Any) -> tuple[Family, str] | None:
    family, link = _GLM.get(type(model.family).__name__), _LINKS.get(type(model.family.link).__name__, "")
    return None if family is None or not link or (family == "binomial") == (link == "log") else (family, link)


def _of_glm(model: Any, y: Any) -> tuple[Family, str]:
    found = _family_of_glm(model)
    if found is None:
        raise DataError(
            f"a GLM of the family {type(model.family).__name__} with the link {type(model.family.link).__name__} "
            "cannot be guarded: a binomial one can, and Poisson, negative binomial, gamma and inverse Gaussian ones "
            "with log link"
        )
    family, link = found
    two = family == "binomial" and set(np.unique(y).tolist()) == {0.0, 1.0}
    return ("logistic" if two else family), link


def _of_sklearn(model: Any, X: Any = None, y: Any = None, sample_weight: Any = None, **_: Any) -> _Question | None:
    """The question about an estimator and the data for its `fit`; None if it is penalised."""
    if X is None or y is None:
        raise DataError("fit needs X and y, as that of the model does")
    params = model.get_params()
    if not _SKLEARN[_name(model, "sklearn")](params):
        return None
    family: Family = "poisson"
    if "alpha" not in params:
        family = "logistic" if len(np.unique(np.asarray(y))) <= 2 else "multinomial"
    intercept = bool(params["fit_intercept"])
    outcome = outcome_of(y, family, weights=sample_weight)
    return Asked(design_of(X, intercept), outcome, intercept), family, None


# Estimators of scikit-learn by the name of their class -> whether their parameters leave them without a penalty.
_SKLEARN: dict[str, Callable[[dict[str, Any]], bool]] = {
    "LogisticRegression": lambda params: params.get("penalty") is None or params["C"] == np.inf,
    "PoissonRegressor": lambda params: params["alpha"] == 0,
}
