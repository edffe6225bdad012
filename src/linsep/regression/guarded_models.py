"""The question that a model of statsmodels or scikit-learn puts: its design, its response and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from linsep.regression.design import Design, design_of, outcome_of
from linsep.regression.formula import Asked, indicators, levels_of
from linsep.theory.separation.families import ORDERED, Family
from linsep.types import Array, DataError

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
    "Logit, Probit, Poisson, MNLogit, GLM, OrderedModel and PHReg of statsmodels, LogisticRegression and "
    "PoissonRegressor of scikit-learn"
)
_CATEGORY = re.compile(r"C\((\w+)")  # C(dose), C(dose, Treatment("low"))


def check_known(model: Any) -> None:
    """Raise DataError unless a model is of a class that can be guarded."""
    if not _name(model, "statsmodels") and not _name(model, "sklearn"):
        raise DataError(
            f"{type(model).__name__} is not a model that can be guarded; these can, and no subclasses: {_KNOWN}"
        )


def _name(model: Any, package: str) -> str:
    """The name of the class of a package that a model is of, "" if it is of none: what a subclass fits is not known."""
    name, places = type(model).__name__, _IN_STATSMODELS if package == "statsmodels" else _IN_SKLEARN
    known = name in places and type(model).__module__.startswith(f"{package}.")
    return name if known and type(model) is getattr(import_module(f"{package}.{places[name]}"), name) else ""


Question = tuple[Asked, Family, str | None]


def question_of(model: Any, args: Any, kwargs: Any) -> Question | None:
    """The question about a model and the arguments of its `fit`; None of a penalised model.

    Raises
    ------
    DataError
        It is a GLM of another family or link, or arguments are missing.
    """
    if hasattr(model, "exog"):
        return _of_statsmodels(model, args, kwargs)
    return _of_sklearn(model, *args, **kwargs)


def _of_statsmodels(model: Any, args: Any, kwargs: Any) -> Question:
    """The question about a model that has its data; constants are columns of its own."""
    name = _name(model, "statsmodels")
    link: str | None = None
    y = np.asarray(model.endog)
    beside: dict[str, Any] = {"offset": _offset_of(model)}
    beyond = _beyond(model, args, kwargs)
    if name == "GLM":
        family, link = _of_glm(model)
        beside["weights"] = _unless_all_one(np.asarray(model.freq_weights) * np.asarray(model.var_weights))
        if family == "binomial":
            beside["trials"] = _unless_all_one(np.broadcast_to(model.n_trials, y.shape))
            y = y if beside["trials"] is None else _successes(y, beside["trials"])
    else:
        family = _STATSMODELS[name]
        link = _link_of_ordered(model) if name == "OrderedModel" else "probit" if name == "Probit" else None
        if name == "PHReg":
            beside |= {"event": model.status, "strata": model.strata, "entry": model.entry}
    X = np.asarray(model.exog)
    names = [str(text) for text in model.exog_names][: X.shape[1]]
    whole = family in (*ORDERED, "cox")  # they have no intercept of their own
    design = _with_places(Design(X, names, *_levels_of(model, names)), model.data)
    outcome = outcome_of(y, family, **beside)._replace(beyond=beyond)
    return Asked(design, outcome, whole), family, link


def _levels_of(model: Any, names: list[str]) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """The levels that indicators of a formula stand for, and the levels without one, as patsy or formulaic has them."""
    spec = getattr(model.data, "model_spec", None) or getattr(model.data, "design_info", None)
    if hasattr(spec, "encoder_state"):
        return levels_of(spec, names)
    infos = getattr(spec, "factor_infos", {})
    levels: dict[str, tuple[str, str]] = {}
    references: dict[str, str] = {}
    for factor, info in infos.items():
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


def _offset_of(model: Any) -> Any:
    """What a model adds to its linear predictors: its offset and the logarithm of exposure, which statsmodels keeps."""
    parts = [getattr(model, name, None) for name in ("offset", "exposure")]
    given = [np.asarray(part, dtype=np.float64) for part in parts if part is not None]
    return sum(given) if given else None


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


def guarded_classes() -> list[Any]:
    """The classes of the packages that are installed."""
    every = [getattr(import_module(f"sklearn.{module}"), name) for name, module in _IN_SKLEARN.items()]
    if find_spec("statsmodels") is not None:
        every += [getattr(import_module(f"statsmodels.{module}"), name) for name, module in _IN_STATSMODELS.items()]
    return every


def can_be_guarded(model: Any) -> bool:
    """Whether a model has a question: no subclass, nor a GLM or an OrderedModel of another family or link."""
    name = _name(model, "statsmodels")
    if name == "OrderedModel":
        return model.distr.name in _DISTRIBUTIONS
    return _family_of_glm(model) is not None if name == "GLM" else bool(name or _name(model, "sklearn"))


def _link_of_ordered(model: Any) -> str:
    if model.distr.name not in _DISTRIBUTIONS:
        raise DataError(
            f"an OrderedModel with the distribution {model.distr.name!r} cannot be guarded: one with "
            f"{', '.join(_DISTRIBUTIONS)} can"
        )
    return _DISTRIBUTIONS[model.distr.name]


def _family_of_glm(model: Any) -> tuple[Family, str] | None:
    family, link = _GLM.get(type(model.family).__name__), _LINKS.get(type(model.family.link).__name__, "")
    return None if family is None or not link or (family == "binomial") == (link == "log") else (family, link)


def _of_glm(model: Any) -> tuple[Family, str]:
    found = _family_of_glm(model)
    if found is None:
        raise DataError(
            f"a GLM of the family {type(model.family).__name__} with the link {type(model.family.link).__name__} "
            "cannot be guarded: a binomial one can, and Poisson, negative binomial, gamma and inverse Gaussian ones "
            "with log link"
        )
    family, link = found
    two = family == "binomial" and set(np.unique(model.endog).tolist()) == {0.0, 1.0} and np.all(model.n_trials == 1)
    return ("logistic" if two else family), link


def _of_sklearn(model: Any, X: Any = None, y: Any = None, sample_weight: Any = None, **_: Any) -> Question | None:
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
    outcome = outcome_of(y, family, weights=_weights_of_sklearn(params.get("class_weight"), y, sample_weight))
    return Asked(design_of(X, intercept), outcome, intercept), family, None


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


# Estimators of scikit-learn by the name of their class -> whether their parameters leave them without a penalty.
_SKLEARN: dict[str, Callable[[dict[str, Any]], bool]] = {
    "LogisticRegression": lambda params: params.get("penalty") is None or params["C"] == np.inf,
    "PoissonRegressor": lambda params: params["alpha"] == 0,
}
