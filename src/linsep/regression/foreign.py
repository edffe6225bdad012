"""What a model of another package is about, fitted or not: its design, its response and its family."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np

from linsep.as_given import refuse_unlike_doubles
from linsep.data.labels import as_labels
from linsep.regression import of_tables
from linsep.regression.design import Design, design_of, outcome_of
from linsep.regression.formulas.formula_text import levels_of
from linsep.regression.model import Asked, response_named
from linsep.tables import column_names
from linsep.theory.separation.families import ORDERED, WITHOUT_INTERCEPT, Family, link_of
from linsep.types import Array, DataError

# Module and class -> the family and the link, where these do not depend on the model.
_MODELS: dict[tuple[str, str], tuple[Family, str] | None] = {
    ("statsmodels.discrete.discrete_model", "Logit"): ("logistic", "logit"),
    ("statsmodels.discrete.discrete_model", "Probit"): ("logistic", "probit"),
    ("statsmodels.discrete.discrete_model", "Poisson"): ("poisson", "log"),
    ("statsmodels.discrete.discrete_model", "NegativeBinomial"): ("negative-binomial", "log"),
    ("statsmodels.discrete.discrete_model", "MNLogit"): ("multinomial", "logit"),
    ("statsmodels.genmod.generalized_linear_model", "GLM"): None,
    ("statsmodels.miscmodels.ordinal_model", "OrderedModel"): None,
    ("statsmodels.duration.hazard_regression", "PHReg"): ("cox", "log"),
    ("statsmodels.discrete.conditional_models", "ConditionalLogit"): ("conditional", "logit"),
    ("lifelines.fitters.coxph_fitter", "CoxPHFitter"): ("cox", "log"),
    ("sklearn.linear_model._logistic", "LogisticRegression"): ("logistic", "logit"),
    ("sklearn.linear_model._glm.glm", "PoissonRegressor"): ("poisson", "log"),
}
_LATE = ("lifelines", "pyfixest")  # take seconds to load
_LIFELINES = ("lifelines.fitters.coxph_fitter", "CoxPHFitter")
_LINKS = {"Logit": "logit", "Probit": "probit", "CLogLog": "cloglog", "Cauchy": "cauchit", "Log": "log"}
# Distributions of SciPy that an OrderedModel has, by name.
_DISTRIBUTIONS = {"logistic": "logit", "norm": "probit", "gumbel_l": "cloglog", "cauchy": "cauchit"}
_GLM: dict[str, Family] = {
    "Binomial": "binomial",
    "Poisson": "poisson",
    "NegativeBinomial": "negative-binomial",
}
_ROUNDING = 1e-12  # of a share of trials, times the trials
_KNOWN = (
    "Logit, Probit, Poisson, NegativeBinomial, MNLogit, GLM (binomial, or of counts with log link), OrderedModel "
    "(logistic, norm, gumbel_l or cauchy), PHReg and ConditionalLogit of statsmodels, LogisticRegression and "
    "PoissonRegressor of scikit-learn, CoxPHFitter of lifelines, and what fepois and feglm (logit, probit) of pyfixest "
    "gave"
)

# What the names of other classes have in them -> why their estimates are not known.
_WHY = {
    "GEE": "estimating equations have no likelihood",
    "Mixed": "random effects hold their estimates back",
    "ZeroInflated": "a second regression makes some of the zeros",
    "FixestMulti": "ask about each of its to_list()",
    "Pipeline": "ask about its last step, separation(pipe[-1], data=(pipe[:-1].transform(X), y))",
}


def is_model(given: Any) -> bool:
    """Whether this is a model of a package that is known, or what its `fit` gave, and no data."""
    packages = {kind.__module__.partition(".")[0] for kind in type(given).__mro__}
    return (
        ("statsmodels" in packages and hasattr(given, "predict"))
        or ("sklearn" in packages and hasattr(given, "get_params"))
        or bool(packages & {"lifelines", "pyfixest"})
    )


def beside_model(X: Any, y: Any, data: Any) -> tuple[Any, Any]:
    """The response and the table, which may stand second after a model or a formula, as these have the response."""
    names_response = is_model(X) or (isinstance(X, str) and "~" in X)
    return (None, y) if names_response and data is None else (y, data)


def question_of_fitted(given: Any, data: Any) -> Asked:
    """The question about a model, or what its `fit` gave.

    `data` are the X and y of an estimator of scikit-learn, or the table of a model of lifelines or pyfixest.

    Raises
    ------
    DataError
        It is a model of another kind, it has a penalty, or the data of an estimator are missing.
    """
    if of_tables.is_of_pyfixest(given):
        return of_tables.of_pyfixest(given, data)
    if _class_of(given) == _LIFELINES:
        return of_tables.of_lifelines(given, data)
    model = getattr(given, "model", given)  # of results of statsmodels
    name, is_result = type(given).__name__, model is not given
    no_estimates = (
        (is_result and ("Regularized" in name or name.startswith("L1")), "has a penalty, so its estimates are finite"),
        (getattr(given, "regularized", False) is True, "was fitted again without columns that a penalty took"),
        (getattr(given, "constraints", None) is not None, "has constraints, which the question has not"),
    )
    for holds, why in no_estimates:
        if holds:
            raise DataError(f"{name} {why}: ask about its attribute model")
    if hasattr(model, "fit") and getattr(model, "endog", 0) is None:
        raise DataError(f"{name} no longer holds its data (remove_data): ask before they are removed")
    check_known(model)
    if hasattr(model, "exog"):
        if data is not None:
            raise DataError(f"{name} holds its data: leave out data")
        scale = {"scale": float(given.scale)} if is_result and hasattr(model, "scaletype") else {}
        asked = question_of(model, (), {"cov_type": getattr(given, "cov_type", None), **scale})
    elif not isinstance(data, tuple) or len(data) != 2:
        raise DataError(f"{name} does not hold its data: give them as separation(model, data=(X, y))")
    else:
        asked = question_of(model, data, {})
        asked = asked and _of_columns_fitted(asked, list(getattr(model, "feature_names_in_", ())), data[0])
    if asked is None:
        raise DataError(f"{model!r} has a penalty, so its estimates are finite: separation(X, y) asks without one")
    return replace(asked, printed=_printed(given, asked))


def _of_columns_fitted(asked: Asked, names: list[str], X: Any) -> Asked:
    """The question with the names of the columns that an estimator of scikit-learn was fitted to, if it has any."""
    if not names:
        return asked
    if column_names(X) is None and len(names) == len(asked.design.names):
        return replace(asked, design=asked.design._replace(names=names))
    if {*names} != {*asked.design.names}:
        odd = sorted({*names} ^ {*map(str, asked.design.names)})[0]
        raise DataError(f"the estimator was fitted to other columns than those of data: {odd!r} is not in both")
    return asked


def _printed(given: Any, asked: Asked) -> dict[Any, tuple[float, float]]:
    """What was fitted: name of a coefficient -> its estimate and standard error, of which scikit-learn has none."""
    names: list[Any] = asked.design.names
    if hasattr(given, "params") and hasattr(given, "bse"):
        estimates, errors = np.asarray(given.params), np.asarray(given.bse)
        if asked.family == "multinomial":
            names = [(label, name) for label in np.unique(asked.outcome.y).tolist()[1:] for name in names]
            estimates, errors = estimates.T.ravel(), errors.T.ravel()
        if thresholds := asked.outcome.thresholds:
            names = [*names, *thresholds]
            estimates, errors = _with_thresholds(given, estimates, errors, len(thresholds))
    elif hasattr(given, "coef_") and asked.family != "multinomial":
        estimates, names = np.ravel(given.coef_), list(getattr(given, "feature_names_in_", names))
        if asked.fit_intercept:
            names, estimates = ["(Intercept)", *names], np.append(given.intercept_, estimates)
        errors = np.full(len(estimates), np.nan)
    else:
        return {}
    # Dispersions, which come after the coefficients, have no names here.
    return dict(zip(names, zip(estimates.tolist(), errors.tolist(), strict=True), strict=False))


@np.errstate(all="ignore")
def _with_thresholds(given: Any, estimates: Array, errors: Array, n: int) -> tuple[Array, Array]:
    """The same with the n thresholds at the end: what is fitted is the first one and the logarithms of the steps."""
    moves = np.tril(np.broadcast_to(np.append(1.0, np.exp(estimates[len(estimates) - n + 1 :])), (n, n)))
    is_known = not np.isnan(errors).any()  # where no Hessian was inverted there are no covariances
    covariances = moves @ (np.asarray(given.cov_params())[-n:, -n:] if is_known else np.full((n, n), np.nan)) @ moves.T
    thresholds = given.model.transform_threshold_params(estimates)[1:-1]
    return np.append(estimates[:-n], thresholds), np.append(errors[:-n], np.sqrt(np.diag(covariances)))


def check_known(model: Any) -> None:
    """Raise DataError unless a model is of a class that can be asked about: what a subclass fits is not known."""
    if _class_of(model) not in _MODELS:
        name = type(model).__name__
        why = "".join(f". Of {name} nothing is known: {reason}" for part, reason in _WHY.items() if part in name)
        raise DataError(f"{name} is not a model that can be asked about; these can, and no subclasses: {_KNOWN}{why}")


def _class_of(model: Any) -> tuple[str, str]:
    return type(model).__module__, type(model).__qualname__


def guarded_classes() -> list[Any]:
    """The classes of the packages that are installed; those of lifelines and pyfixest once these are loaded."""
    of_pyfixest = [("pyfixest.estimation", name) for name in of_tables.OF_PYFIXEST]
    known = [(at, at[0].partition(".")[0]) for at in [*_MODELS, *of_pyfixest]]
    there = [at for at, of in known if of in sys.modules or (of not in _LATE and find_spec(of) is not None)]
    return [getattr(import_module(module), name) for module, name in there]


def kind_of(model: Any) -> tuple[Family, str] | None:
    """The family and the link; None of a model that cannot be asked about."""
    if of_tables.is_of_pyfixest(model):
        return of_tables.OF_PYFIXEST[type(model).__name__]
    at = _class_of(model)
    if at[1] == "OrderedModel" and at in _MODELS:
        stats = import_module("scipy.stats")
        named = [link for name, link in _DISTRIBUTIONS.items() if model.distr is getattr(stats, name)]
        return ("cumulative", named[0]) if named else None
    if at[1] == "GLM" and at in _MODELS:
        families = (type(model.family), type(model.family.link))
        own = all(one.__module__.startswith("statsmodels.genmod.families.") for one in families)
        own = own and getattr(model.family.link, "dbn", None) is getattr(families[1](), "dbn", None)  # of a probit
        family, link = (_GLM.get(families[0].__name__), _LINKS.get(families[1].__name__)) if own else (None, None)
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
        of, distribution = getattr(model, "family", None), getattr(getattr(model, "distr", None), "name", "its own")
        name = f"an OrderedModel with the distribution {distribution!r}"
        if of is not None:
            name = f"a GLM of the family {type(of).__name__} with the link {type(of.link).__name__}"
        raise DataError(f"{name} cannot be asked about; these can: {_KNOWN}")
    if hasattr(model, "exog"):
        return _of_statsmodels(model, *kind, args, kwargs)
    if _class_of(model) == _LIFELINES:
        return of_tables.of_lifelines_fit(model, args, kwargs)
    if of_tables.is_of_pyfixest(model):
        return of_tables.of_pyfixest_fit(model)
    return _of_sklearn(model, kind[0], *args, **kwargs)


def _of_statsmodels(model: Any, family: Family, link: str, args: Any, kwargs: Any) -> Asked | None:
    """The question about a model that has its data; constants are columns of its own. None where nothing is fitted."""
    if signature(model.fit).bind_partial(*args, **kwargs).arguments.get("maxiter") == 0:
        return None  # no fit: statsmodels makes a place for results of another one
    y, X = np.asarray(model.endog), np.asarray(model.exog)
    if X.ndim != 2 or not X.shape[1]:
        raise DataError(f"{type(model).__name__} has no columns: there is nothing to ask")
    # The logarithm of exposure is what statsmodels keeps.
    parts = [getattr(model, name, None) for name in ("offset", "exposure")]
    offsets = [np.asarray(part, dtype=np.float64) for part in parts if part is not None]
    beside: dict[str, Any] = {"offset": sum(offsets) if offsets else None}
    if hasattr(model, "freq_weights"):
        beside["weights"] = _unless_all_one(np.asarray(model.freq_weights) * np.asarray(model.var_weights))
    if family == "binomial" and hasattr(model, "n_trials"):
        trials = beside["trials"] = _unless_all_one(np.broadcast_to(model.n_trials, y.shape))
        y = y if trials is None else _successes(y, trials)
    if family == "cox":  # statsmodels has a row at risk at its time of entry, and the question only after it
        entry = None if model.entry is None else np.asarray(model.entry, dtype=np.float64)
        if entry is not None:
            entry = np.where(np.isin(entry, y[np.asarray(model.status) > 0]), np.nextafter(entry, -np.inf), entry)
        beside |= {"event": model.status, "strata": model.strata, "entry": entry}
    if family == "conditional":
        beside["strata"] = model.groups
    if family in ORDERED and len(np.unique(y)) < model.k_levels:
        raise DataError("the model has a category without rows, whose threshold has no estimate: leave it out")
    names = [str(text) for text in model.exog_names][: X.shape[1]]
    spec = getattr(model.data, "model_spec", None) or getattr(model.data, "design_info", None)
    design = _with_places(Design(X, names, *levels_of(spec, names)), model.data)
    y, order = _classes_of(model, y, family)
    unlike = _unlike_likelihood(model, args, kwargs)
    outcome = outcome_of(y, family, order, **beside)._replace(
        beyond=of_tables.beyond(unlike),
        ties=getattr(model, "ties", "breslow"),
        thresholds=tuple(model.exog_names[X.shape[1] :]) if family in ORDERED else (),
    )
    formula = getattr(model, "formula", None)
    about = (formula,) if isinstance(formula, str) else response_named(model.endog_names)
    exposure = ["offset log(exposure)"] * (getattr(model, "exposure", None) is not None)
    about = (*about, *exposure, *[unlike] * bool(unlike), f"{type(model).__name__} of statsmodels")
    # Those without an intercept have none of their own.
    return Asked(design, outcome, family in WITHOUT_INTERCEPT, family, link, about=about)


def _classes_of(model: Any, y: Array, family: Family) -> tuple[Array, list[Any] | None]:
    """The labels of the user's classes, whose places statsmodels keeps, and their order where it counts."""
    if family in ORDERED:
        labels = as_labels(np.asarray(model.labels), "label {}".format, "y")
        return labels[y.astype(np.int64)], labels.tolist()
    if family != "multinomial":
        return y, None
    counted = np.asarray(model.wendog)  # the likelihood is a sum over these, a column for each class
    names = np.array([str(model._ynames_map[k]) for k in range(len(model._ynames_map))]).tolist()
    is_label = counted.shape == (len(y), len(set(names))) and np.isin(counted, (0, 1)).all()
    if not (is_label and (counted.sum(axis=1) == 1).all() and counted.any(axis=0).all()):
        raise DataError("the MNLogit has a row without a label, or a class without rows: give it one label a row")
    plain = all(re.fullmatch("0|-?[1-9][0-9]{0,17}", name) for name in names)  # 01 is another label than 1
    labels = np.array(list(map(int, names)) if plain else names)
    if (np.sort(labels) != labels).any():  # the first one is the reference
        labels = np.array([f"{k:0{len(str(len(names)))}d}: {name}" for k, name in enumerate(names)])
    return labels[y.astype(np.int64)], None


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


def _unlike_likelihood(model: Any, args: Any, kwargs: Any) -> str:
    """What a fit has that the likelihood has not; empty for nothing."""
    if (np.asarray(getattr(model, "var_weights", 1)) != 1).any():
        return "var_weights"
    asked = signature(model.fit).bind_partial(*args, **kwargs).arguments
    asked = {**asked, **asked.get("kwargs", {})}
    for name, plain in (("cov_type", "nonrobust"), ("scale", 1)):
        if asked.get(name) is not None and asked[name] != plain:
            return f"{name}={asked[name]!r}"
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
    weights = _weights_of_sklearn(params.get("class_weight"), y, sample_weight)
    if family != "poisson" and weights is not None:
        gone = set(np.unique(y).tolist()) - set(np.unique(np.asarray(y)[np.asarray(weights) > 0]).tolist())
        if gone:
            raise DataError(f"no row of the class {min(gone)!r} has a weight, and the model has it: leave its rows out")
    from sklearn.utils import check_array

    columns = column_names(X)
    refuse_unlike_doubles(X)
    if getattr(X, "dtype", None) == np.float16:
        raise DataError("X holds float16: make it float32 or float64")
    doubles = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])  # as the estimator takes it
    design = design_of(doubles, intercept)
    if columns is not None:
        design = design._replace(names=list(columns), index=getattr(X, "index", None))
    about = (*response_named(getattr(y, "name", None)), f"{type(model).__name__} of scikit-learn")
    outcome = outcome_of(y, family, weights=weights)
    return Asked(design, outcome, intercept, family, link_of(family, None), about=about)


def _weights_of_sklearn(of_classes: Any, y: Any, of_rows: Any) -> Any:
    """The weights of rows times those of their classes, which may depend on them."""
    if of_classes is None:
        return np.full(len(y), of_rows) if np.ndim(of_rows) == 0 and of_rows is not None else of_rows
    weights = np.ones(len(y)) if of_rows is None else np.broadcast_to(np.asarray(of_rows, dtype=np.float64), len(y))
    y = np.asarray(y)
    classes, codes = np.unique(y, return_inverse=True)
    from sklearn.utils.class_weight import compute_class_weight

    # Earlier releases of scikit-learn balance rows, whatever their weights.
    weighted = {"sample_weight": weights} if "sample_weight" in signature(compute_class_weight).parameters else {}
    found = compute_class_weight(of_classes, classes=classes, y=y, **weighted)
    return weights * found[codes.reshape(-1)]
