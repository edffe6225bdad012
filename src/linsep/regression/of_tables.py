"""What a model of lifelines or pyfixest is about: columns of a table, by a formula or by their names.

lifelines does not keep its table, nor pyfixest the rows that it dropped: then the table is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from linsep.regression.design import Design, outcome_of
from linsep.regression.formulas.formula import asked_of
from linsep.regression.formulas.formula_text import first_line, formulaic_package
from linsep.regression.formulas.frames import as_pandas, with_columns
from linsep.regression.model import Asked, response_named
from linsep.theory.separation.families import INTERCEPT, Family
from linsep.types import DataError

# Classes of pyfixest -> the family and the link.
OF_PYFIXEST: dict[str, tuple[Family, str]] = {
    "Fepois": ("poisson", "log"),
    "Felogit": ("logistic", "logit"),
    "Feprobit": ("logistic", "probit"),
}
_ROLES = ("duration", "event", "weights", "entry", "cluster")  # of columns for lifelines
_INTERACTION = re.compile(r"\bi\((?:[^()]|\([^()]*\))*\)")  # i(...) of fixest
OTHER_TABLE = "data is another table than that of the fit: the times, events or counts of its rows are others"


def of_lifelines(fitter: Any, data: Any) -> Asked:
    """The question about a fitted `CoxPHFitter` and the table that it was fitted to.

    Raises
    ------
    DataError
        It was not fitted, it has a penalty or a parametric baseline, or the table is missing or another one.
    """
    fitted = getattr(fitter, "_model", None)
    if fitted is None:
        raise DataError("CoxPHFitter knows its columns only after fit: ask then, or as guard(model).fit(...)")
    if data is None:
        raise DataError("CoxPHFitter does not hold its data: give them as separation(model, data=table)")
    told = {name: getattr(fitted, name, None) for name in ("strata", "formula", "robust", "params_")}
    told |= {f"{role}_col": getattr(fitted, f"{role}_col", None) for role in _ROLES}
    asked = _of_columns(fitter, as_pandas(data), told)
    if asked is None:
        raise DataError("CoxPHFitter has a penalty, so its estimates are finite: fit it with penalizer=0")
    of_fit = sorted(zip(fitted.durations, fitted.event_observed, strict=True))  # a fit sorts its rows
    if of_fit != sorted(zip(asked.outcome.y.tolist(), asked.outcome.happened.tolist(), strict=True)):
        raise DataError(OTHER_TABLE)
    names, errors = fitted.params_.index.tolist(), fitted.standard_errors_.tolist()
    return replace(asked, printed=dict(zip(names, zip(fitted.params_.tolist(), errors, strict=True), strict=True)))


def of_lifelines_fit(fitter: Any, args: Any, kwargs: Any) -> Asked | None:
    """The question about a `CoxPHFitter` and the arguments of its `fit`; None if it is penalised."""
    told = signature(fitter.fit).bind(*args, **kwargs)
    told.apply_defaults()
    strata = told.arguments["strata"] if told.arguments["strata"] is not None else fitter.strata
    return _of_columns(fitter, as_pandas(told.arguments["df"]), {**told.arguments, "strata": strata})


def _of_columns(fitter: Any, frame: Any, told: Mapping[str, Any]) -> Asked | None:
    """The question about columns of a table, given what a fit was told of them."""
    if fitter.baseline_estimation_method != "breslow":
        raise DataError(
            f"CoxPHFitter has the baseline {fitter.baseline_estimation_method!r}, which makes another likelihood: "
            "only that of 'breslow' can be asked about"
        )
    if np.any(np.asarray(fitter.penalizer) > 0):
        return None
    strata = told["strata"] if isinstance(told["strata"], list | tuple) else [told["strata"]] * bool(told["strata"])
    roles = [told[f"{role}_col"] for role in _ROLES]
    apart = [name for name in (*roles, *strata) if name is not None]
    # What was fitted has these names; other columns of the table were not there. Those of a formula have others.
    fitted = told["params_"].index if "params_" in told else frame.columns.difference(apart, sort=False)
    columns = [] if told["formula"] else [*fitted]
    if lacking := [name for name in (*apart, *columns) if name not in frame.columns]:
        raise DataError(f"data has no column {lacking[0]!r}, which the model was fitted with")
    time, event, weights, entry, cluster = (None if name is None else frame[name].to_numpy() for name in roles)
    of_strata = frame.groupby(list(strata), sort=False).ngroup().to_numpy() if strata else None
    beside: dict[str, Any] = {"strata": of_strata, "weights": weights, "entry": entry}
    beside["event"] = None if event is None else event.astype(bool).astype(np.int64)
    if formula := told["formula"]:
        response = roles[0] if str(roles[0]).isidentifier() else f"`{roles[0]}`"
        text = f"{response} ~ {formula.partition('~')[2] or formula}"
        asked = asked_of(text, None, frame, True, "cox", **beside)
    else:
        try:
            X = frame[columns].to_numpy(dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("CoxPHFitter takes columns of numbers, unless it is given a formula") from None
        design = Design(X, columns, {}, {}, index=frame.index)
        asked = Asked(design, outcome_of(time, "cox", **beside), True, "cox", "log")
    robust = "robust=True" if told["robust"] else "cluster_col" if cluster is not None else ""
    named = [f"{role} {name}" for role, name in zip(_ROLES[1:], roles[1:], strict=True) if name is not None]
    named += [f"strata {', '.join(map(str, strata))}"] * bool(strata) + [robust] * (cluster is None and bool(robust))
    response = () if formula else response_named(roles[0])
    outcome = asked.outcome._replace(ties="efron", beyond=beyond(robust))
    return replace(asked, outcome=outcome, about=(*response, *named, "CoxPHFitter of lifelines"))


def beyond(asked: str) -> str:
    """Why errors and limits made here are not those of a fit with what it is `asked` for; empty for nothing."""
    if asked == "var_weights":
        return (
            "the model has var_weights, which are no numbers of rows: fit what drop() gives, with the "
            "var_weights of the rows that it names"
        )
    return asked and (
        f"the fit asks for {asked}, and errors and limits here are those of the likelihood alone: fit what drop() "
        f"gives, with {asked}"
    )


def is_of_pyfixest(given: Any) -> bool:
    """Whether this is one of the models that are known, and none that inherits from them."""
    return type(given).__module__.partition(".")[0] == "pyfixest" and type(given).__name__ in OF_PYFIXEST


def of_pyfixest_fit(model: Any, frame: Any = None) -> Asked:
    """The question about a table whose index has the places of its rows; without it, about the rows that are fitted."""
    frame = model._data if frame is None else frame
    gone = {*model._na_index}.difference(frame.index)
    family, link = OF_PYFIXEST[type(model).__name__]
    terms, bar, effects = model._fml.partition("|")
    effects = bar + re.sub(r"\s*\^\s*", ":", effects)  # levels of pairs
    formula = terms + effects
    for call in _INTERACTION.findall(terms):
        if made := _interacted(model, call, frame):  # nothing where products of it alone are in the model
            columns = " + ".join(f"`{name}`" for name in made)
            frame, terms = with_columns(frame, made), terms.replace(call, f"({columns})")
    beside = {"weights": model._weights_name, "offset": model._offset_name}
    asked = asked_of(terms + effects, None, frame.reset_index(drop=True), True, family, link=link, **beside)
    places, n_missing = frame.index.to_numpy()[asked.design.places], asked.design.n_missing + len(gone)
    design = asked.design._replace(rows=places, index=None, n_missing=n_missing, formula=formula)
    return replace(asked, design=design, about=(*asked.about, f"{type(model).__name__} of pyfixest"))


def _interacted(model: Any, call: str, frame: Any) -> dict[str, Any]:
    """The columns that i(...) makes in a fit, by their names there; a row that lacks a value of it has none."""
    formulaic = formulaic_package()
    try:
        known = import_module("pyfixest.estimation.formula.factor_interaction")
        terms = formulaic.Formula(f"0 + {call}")
        made = terms.get_model_matrix(frame, output="pandas", context={"i": known.factor_interaction})
    except (formulaic.errors.FormulaicError, ImportError, ValueError) as error:
        raise DataError(f"{call} cannot be evaluated: {first_line(error)}") from error
    fitted = {*model._coefnames, *getattr(model, "_collin_vars", ())}
    return {name: made[name].reindex(frame.index) for name in made if name in fitted}


def of_pyfixest(fitted: Any, data: Any) -> Asked:
    """The question about what `fepois` or `feglm` gave, its formula read again.

    Raises
    ------
    DataError
        The rows that it dropped as separated are needed, and are not there; the formula is not one of formulaic.
    """
    name, dropped = type(fitted).__name__, int(fitted.n_separation_na)
    if data is None and (dropped or getattr(fitted, "_data", None) is None):
        left = f"{dropped:,} rows that it dropped as separated" if dropped else "data"
        raise DataError(f"{name} does not hold the {left}: give the table as separation(model, data=table)")
    if fitted._drop_intercept and not fitted._has_fixef:
        raise DataError(f"{name} was fitted with drop_intercept=True: write `y ~ 0 + x`")
    asked = of_pyfixest_fit(fitted, None if data is None else as_pandas(data).reset_index(drop=True))
    held = getattr(fitted, "_Y_untransformed", None)
    if data is not None and held is not None:
        y = import_module("pandas").Series(np.asarray(asked.outcome.y, dtype=np.float64), asked.design.places)
        if not np.array_equal(y.reindex(held.index), held.iloc[:, 0]):
            raise DataError(OTHER_TABLE)
    given = [f"vcov={fitted._vcov_type_detail!r}"] * (fitted._vcov_type != "iid")
    given += ["weights_type='aweights'"] * (bool(fitted._weights_name) and fitted._weights_type == "aweights")
    names = [INTERCEPT if one == "Intercept" else str(one) for one in fitted._coefnames]
    numbers = zip(fitted._beta_hat.tolist(), fitted._se.tolist(), strict=True)
    gone = {*fitted.na_index.astype(int).tolist(), *fitted._na_index}  # for missing values too
    return replace(
        asked,
        outcome=asked.outcome._replace(beyond=beyond(" and ".join(given))),
        about=(*given, *asked.about),
        printed=dict(zip(names, numbers, strict=True)),
        # Without the table the rows that it left out are not asked about.
        dropped=None if data is None and gone else tuple(sorted(gone.intersection(asked.design.places.tolist()))),
    )
