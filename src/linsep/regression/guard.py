"""A look at a model of statsmodels or scikit-learn before it is fitted: does it have finite estimates at all?"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from linsep.regression.design import Asked, Design, design_of, outcome_of
from linsep.regression.formula import indicators, levels_of
from linsep.regression.found import Separation
from linsep.regression.separation import answer, tell
from linsep.theory.separation.families import ORDERED, Family
from linsep.types import Array, DataError

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
    """

    def __init__(self, on_separation: Mode, time_limit: float | None) -> None:
        self.separations: list[Separation] = []
        self._mode, self._time_limit = on_separation, time_limit
        self._own: list[tuple[Any, Any]] = []

    def __enter__(self) -> Guarding:
        self._own = [(kind, kind.__dict__.get("fit")) for kind in guarded_classes()]
        for kind, _ in self._own:
            kind.fit = self._guarded(kind.fit)
        return self

    def __exit__(self, *raised: object) -> None:
        for kind, fit in self._own:
            if fit is None:  # it was inherited
                del kind.fit
            else:
                kind.fit = fit

    def _guarded(self, fit: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fit)
        def guarded(model: Any, *args: Any, **kwargs: Any) -> Any:
            asked = question_of(model, args, kwargs) if kind_of(model) else None
            if asked is not None:
                self.separations.append(answer(asked, self._time_limit))
                tell(self.separations[-1], self._mode, stacklevel=3)
            return fit(model, *args, **kwargs)

        return guarded


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


# Module and class -> the family and the link, where these do not depend on the model.
_MODELS: dict[tuple[str, str], tuple[Family, str] | None] = {
    ("statsmodels.discrete.discrete_model", "Logit"): ("logistic", "logit"),
    ("statsmodels.discrete.discrete_model", "Probit"): ("logistic", "probit"),
    ("statsmodels.discrete.discrete_model", "Poisson"): ("poisson", "log"),
    ("statsmodels.discrete.discrete_model", "MNLogit"): ("multinomial", "logit"),
    ("statsmodels.genmod.generalized_linear_model", "GLM"): None,
    ("statsmodels.miscmodels.ordinal_model", "OrderedModel"): None,
    ("statsmodels.duration.hazard_regression", "PHReg"): ("cox", "log"),
    ("sklearn.linear_model._logistic", "LogisticRegression"): ("logistic", "logit"),
    ("sklearn.linear_model._glm.glm", "PoissonRegressor"): ("poisson", "log"),
}
_LINKS = {"Logit": "logit", "Probit": "probit", "CLogLog": "cloglog", "Cauchy": "cauchit", "Log": "log"}
# Distributions of SciPy that an OrderedModel has, by name.
_DISTRIBUTIONS = {"logistic": "logit", "norm": "probit", "gumbel_l": "cloglog", "cauchy": "cauchit"}
_GLM: dict[str, Family] = {
    "Binomial": "binomial",
    "Poisson": "poisson",
    "NegativeBinomial": "negative-binomial",
    "Gamma": "gamma",
    "InverseGaussian": "inverse-gaussian",
}
_ROUNDING = 1e-12  # of a share of trials, times the trials
_KNOWN = (
    "Logit, Probit, Poisson, MNLogit, GLM (binomial, or with log link), OrderedModel (logistic, norm, gumbel_l or "
    "cauchy) and PHReg of statsmodels, LogisticRegression and PoissonRegressor of scikit-learn"
)
_CATEGORY = re.compile(r"C\((\w+)")  # C(dose), C(dose, Treatment("low"))


def check_known(model: Any) -> None:
    """Raise DataError unless a model is of a class that can be guarded: what a subclass fits is not known."""
    if _class_of(model) not in _MODELS:
        name = type(model).__name__
        raise DataError(f"{name} is not a model that can be guarded; these can, and no subclasses: {_KNOWN}")


def _class_of(model: Any) -> tuple[str, str]:
    return type(model).__module__, type(model).__qualname__


def guarded_classes() -> list[Any]:
    """The classes of the packages that are installed."""
    known = [(module, name) for module, name in _MODELS if find_spec(module.partition(".")[0]) is not None]
    return [getattr(import_module(module), name) for module, name in known]


def kind_of(model: Any) -> tuple[Family, str] | None:
    """The family and the link; None of a model that cannot be guarded."""
    at = _class_of(model)
    if at[1] == "OrderedModel" and at in _MODELS:
        link = _DISTRIBUTIONS.get(model.distr.name)
        return ("cumulative", link) if link else None
    if at[1] == "GLM" and at in _MODELS:
        family, link = _GLM.get(type(model.family).__name__), _LINKS.get(type(model.family.link).__name__)
        if family is None or link is None or (family == "binomial") == (link == "log"):
            return None
        alone = np.all(model.n_trials == 1) and set(np.unique(model.endog).tolist()) == {0.0, 1.0}
        return "logistic" if family == "binomial" and alone else family, link
    found = _MODELS.get(at)
    shares = hasattr(model, "endog") and not set(np.unique(model.endog).tolist()) <= {0.0, 1.0}
    return ("binomial", found[1]) if found is not None and found[0] == "logistic" and shares else found


def question_of(model: Any, args: Any, kwargs: Any) -> Asked | None:
    """The question about a model and the arguments of its `fit`; None of a penalised model.

    Raises
    ------
    DataError
        It is a GLM of another family or link, or arguments are missing.
    """
    kind = kind_of(model)
    if kind is None:
        of = getattr(model, "family", None)
        is_glm = f"a GLM of the family {type(of).__name__} with the link {type(getattr(of, 'link', None)).__name__}"
        name = is_glm if of is not None else f"an OrderedModel with the distribution {model.distr.name!r}"
        raise DataError(f"{name} cannot be guarded; these can: {_KNOWN}")
    if hasattr(model, "exog"):
        return _of_statsmodels(model, *kind, args, kwargs)
    return _of_sklearn(model, kind[0], *args, **kwargs)


def _of_statsmodels(model: Any, family: Family, link: str, args: Any, kwargs: Any) -> Asked:
    """The question about a model that has its data; constants are columns of its own."""
    y, X = np.asarray(model.endog), np.asarray(model.exog)
    # The logarithm of exposure is what statsmodels keeps.
    parts = [getattr(model, name, None) for name in ("offset", "exposure")]
    offsets = [np.asarray(part, dtype=np.float64) for part in parts if part is not None]
    beside: dict[str, Any] = {"offset": sum(offsets) if offsets else None}
    if hasattr(model, "freq_weights"):
        beside["weights"] = _unless_all_one(np.asarray(model.freq_weights) * np.asarray(model.var_weights))
    if family == "binomial":
        trials = beside["trials"] = _unless_all_one(np.broadcast_to(model.n_trials, y.shape))
        y = y if trials is None else _successes(y, trials)
    if family == "cox":
        beside |= {"event": model.status, "strata": model.strata, "entry": model.entry}
    names = [str(text) for text in model.exog_names][: X.shape[1]]
    design = _with_places(Design(X, names, *_levels_of(model, names)), model.data)
    outcome = outcome_of(y, family, **beside)._replace(beyond=_beyond(model, args, kwargs))
    return Asked(design, outcome, family in (*ORDERED, "cox"), family, link)  # these have no intercept of their own


def _levels_of(model: Any, names: list[str]) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """The levels that indicators of a formula stand for, and the levels without one, as patsy or formulaic has them."""
    spec = getattr(model.data, "model_spec", None) or getattr(model.data, "design_info", None)
    if hasattr(spec, "encoder_state"):
        return levels_of(spec, names)
    levels: dict[str, tuple[str, str]] = {}
    references: dict[str, str] = {}
    for factor, info in getattr(spec, "factor_infos", {}).items():
        found = indicators(factor.name(), info.categories, names) if info.type == "categorical" else None
        if found is not None:
            name = called[1] if (called := _CATEGORY.match(factor.name())) else factor.name()
            references[name] = found[0]
            levels |= {column: (name, level) for column, level in found[1].items()}
    return levels, references


def _with_places(design: Design, data: Any) -> Design:
    """The design with the places of its rows in the table, of which statsmodels leaves out some, and their names."""
    design, labels = design.without(getattr(data, "missing_row_idx", [])), getattr(data, "row_labels", None)
    if labels is not None and design.rows is not None:
        every = np.full(len(labels) + design.n_missing, None, dtype=object)
        every[design.rows] = labels
        labels = import_module("pandas").Index(every)
    return design._replace(index=labels)


def _unless_all_one(weights: Array) -> Array | None:
    return None if (weights == 1).all() else weights


def _successes(shares: Array, trials: Array) -> Array:
    """Numbers of successes, whole where rounding alone is in the way."""
    counts = shares * trials
    near = np.rint(counts)
    return np.where(np.abs(counts - near) <= _ROUNDING * trials, near, counts)


def _beyond(model: Any, args: Any, kwargs: Any) -> str:
    """Why estimates made here would not be those of the model, in a sentence; empty if they would."""
    if (np.asarray(getattr(model, "var_weights", 1)) != 1).any():
        return (
            "the guarded model has var_weights, which are no numbers of rows: fit what drop() gives, with the "
            "var_weights of the rows that it names"
        )
    asked = signature(model.fit).bind_partial(*args, **kwargs).arguments
    asked = {**asked, **asked.get("kwargs", {})}
    for name, plain in (("cov_type", "nonrobust"), ("scale", 1)):
        if asked.get(name) is not None and asked[name] != plain:
            return (
                f"the guarded fit asks for {name}={asked[name]!r}, and errors and limits here are those of the "
                f"likelihood alone: fit what drop() gives, with {name}={asked[name]!r}"
            )
    return ""


def _of_sklearn(
    model: Any, family: Family, X: Any = None, y: Any = None, sample_weight: Any = None, **_: Any
) -> Asked | None:
    """The question about an estimator and the data for its `fit`; None if it is penalised."""
    if X is None or y is None:
        raise DataError("fit needs X and y, as that of the model does")
    params = model.get_params()
    if params["alpha"] > 0 if family == "poisson" else params.get("penalty", "") is not None and params["C"] != np.inf:
        return None
    if family == "logistic" and len(np.unique(np.asarray(y))) > 2:
        family = "multinomial"
    intercept = bool(params["fit_intercept"])
    outcome = outcome_of(y, family, weights=_weights_of_sklearn(params.get("class_weight"), y, sample_weight))
    return Asked(design_of(X, intercept), outcome, intercept, family)


def _weights_of_sklearn(of_classes: Any, y: Any, of_rows: Any) -> Any:
    """The weights of rows times those of their classes, which may depend on them."""
    if of_classes is None:
        return np.full(len(y), of_rows) if np.ndim(of_rows) == 0 and of_rows is not None else of_rows
    weights = np.ones(len(y)) if of_rows is None else np.broadcast_to(np.asarray(of_rows, dtype=np.float64), len(y))
    y = np.asarray(y)
    classes, codes = np.unique(y, return_inverse=True)
    # Earlier releases of scikit-learn balance rows, whatever their weights.
    weighted = {"sample_weight": weights} if "sample_weight" in signature(compute_class_weight).parameters else {}
    found = compute_class_weight(of_classes, classes=classes, y=y, **weighted)
    return weights * found[codes.reshape(-1)]
