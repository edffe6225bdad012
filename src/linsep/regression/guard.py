"""A look at a model of statsmodels or scikit-learn before it is fitted: does it have finite estimates at all?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from linsep.regression.design import Design, design_of, outcome_of
from linsep.regression.formula import Asked
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
        asked = _of_statsmodels(self.model) if hasattr(self.model, "exog") else _of_sklearn(self.model, *args, **kwargs)
        self.separation = None if asked is None else answer(*asked, self._time_limit)
        if self.separation is not None and self.separation.verdict != "overlap":
            if self._mode == "raise":
                raise SeparationError(self.separation)
            warnings.warn(self.separation.summary(), SeparationWarning, stacklevel=2)
        return self.model.fit(*args, **kwargs)


def guard(model: Any, *, on_separation: Mode = "raise", time_limit: float | None = None) -> Guard:
    """Put the question of separation before a fit: `guard(model).fit()` instead of `model.fit()`.

    Nothing of the model or its package is changed. Of a penalised model of scikit-learn nothing is asked, since its
    estimates are finite.

    Parameters
    ----------
    model : object
        Logit, Probit, Poisson, MNLogit, GLM (binomial, or another family with log link), OrderedModel or PHReg of
        statsmodels; LogisticRegression or PoissonRegressor of scikit-learn.
    on_separation : {"raise", "warn"}, default="raise"
        Whether a model without finite estimates is an error, or is fitted after a warning.
    time_limit : float, optional
        Seconds after which the answer is "undecided", which raises or warns too.

    Returns
    -------
    Guard
        An object with the method `fit`, and the answer as `separation`.

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
    """
    if on_separation not in ("raise", "warn"):
        raise DataError(f"on_separation is 'raise' or 'warn', not {on_separation!r}")
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
    return Asked(Design(X, names, {}, {}), outcome_of(y, family, **beside), whole), family, link


def _of_glm(model: Any, y: Any) -> tuple[Family, str]:
    kind, link = type(model.family).__name__, _LINKS.get(type(model.family.link).__name__, "")
    family = _GLM.get(kind)
    if family is None or not link or (family == "binomial") == (link == "log"):
        raise DataError(
            f"a GLM of the family {kind} with the link {type(model.family.link).__name__} cannot be guarded: a "
            "binomial one can, and Poisson, negative binomial, gamma and inverse Gaussian ones with log link"
        )
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
