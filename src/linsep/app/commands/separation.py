"""`linsep separation`: `linsep.separation` for the numbers of a table exactly as they are written."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from linsep.app import options
from linsep.app.options import Command, listed, reading_of, under_set, used_first
from linsep.app.present import Result, until_ctrl_c
from linsep.types import DataError, MissingWarning

if TYPE_CHECKING:
    from linsep.data.sources.source import Source
    from linsep.regression.model import Asked
    from linsep.types import Array

_ROUNDED = "more digits than doubles hold: the answer is about the nearest doubles"
_NEAREST = "decimals that a function is applied to are the doubles nearest to them"
_ALL_EVENTS = "without --set event=COLUMN every row counts as an event; a column of events is a feature like others"
_STATUS = {"overlap": 0, "quasi-complete": 1, "complete": 1, "undecided": 3}
_FAMILIES = (
    *("logistic", "binomial", "poisson", "negative-binomial", "multinomial"),
    *("cumulative", "adjacent", "continuation", "cox", "conditional"),
)
_LINKS = ("logit", "probit", "cloglog", "cauchit")
_BESIDE = (
    under_set("trials", "Binomial: the column of the numbers of trials; the target counts the successes."),
    under_set("weights", "The column of weights: rows with a weight of 0 are left out."),
    under_set("event", "Cox: the column that is 1 where the target is the time of an event, 0 where it is censored."),
    under_set("strata", "Cox, conditional: the column of strata, which are never compared with each other."),
    under_set("entry", "Cox: the column of the times after which rows are observed."),
    under_set("offset", "The column of offsets: it is not a feature and does not change the answer."),
)
_FORMULA = (
    "In place of --target, such as 'y ~ x + C(dose) + x:z | firm', fixed effects after the |. It is run as Python code."
)
_SECONDS = "Stop after this number of seconds (exit status 3)."
_OPTIONS = (
    options.TABLE,
    options.TARGET,
    used_first(
        "columns", "The predictors, as age,sex,dose. Default: all other columns that do more than name rows.", listed
    ),
    used_first("family", "The family of the regression.", default="logistic", choices=_FAMILIES),
    used_first("formula", _FORMULA),
    options.TIME_LIMIT.but(help=_SECONDS),
    options.CERTIFICATE,
    options.DETAILS.but(help="Also print which rows push each infinite coefficient up or down."),
    options.JSON,
    options.COLUMN,
    options.PROOF_MISSING,
    *options.LABELLED,
    under_set("link", "The link (logistic, binomial, cumulative, continuation). Default: logit.", choices=_LINKS),
    under_set(
        "order", "Ordered families: the labels, the lowest first: low,mid,high. Numbers have their order.", listed
    ),
    under_set("fit_intercept", "no, if the regression has no intercept.", bool, True),
    *_BESIDE,
    options.EXACT_WEIGHTS,
)


@until_ctrl_c
def _separation(asked: Any) -> Result:
    """Prove whether a regression of TABLE's target on its other columns has finite estimates, and which are infinite.

    The outcome of a logistic model is the second label in sorted order. A text column becomes a 0/1 column for each
    level but the first.

    Exit status: 0 overlap (all estimates are finite), 1 separated (some are infinite), 3 undecided, 2 wrong options or
    data, 130 after Ctrl-C (what is known by then is printed).

    This command estimates nothing. In Python, finite_part(), drop() and firth() of linsep.separation("y ~ x",
    data=frame) estimate the finite coefficients, and one confidence limit of each infinite one.
    """
    from linsep.app.tables import check_outputs, inputs, read_as
    from linsep.app.written import design_data, is_for_strangers, written_certificate
    from linsep.regression.separation import answer
    from linsep.reporting.proof import separation_details, separation_lines
    from linsep.theory.words.of_classes import rows_of_file

    check_outputs(inputs(asked.table), certificate=asked.certificate)
    named = {one.name: name for one in _BESIDE if (name := getattr(asked, one.name)) is not None}
    plan = _of_table(asked, named) if asked.formula is None else _of_formula(asked, named)
    found = answer(plan.question, asked.time_limit, exact=asked.exact or is_for_strangers(asked.certificate))
    data: dict[str, Any] = {**found.to_dict(), **plan.data}
    if plan.left_out is not None:
        parts = {"separated_rows": found.separated_rows}
        parts |= {"pairs": tuple(row for row, _ in found.pairs)} if found.pairs else {}
        data["file_rows"] = {name: rows_of_file(rows, plan.left_out).tolist() for name, rows in parts.items()}
    design = None
    if asked.certificate is not None and not plan.is_plain:
        X, outcome, places = plan.question.design, plan.question.outcome, plan.rows
        if is_for_strangers(asked.certificate) and not outcome.kept.all():  # they know nothing of weights of 0
            places = X._replace(rows=places).places[outcome.kept]
            X, outcome = X._replace(X=X.X[outcome.kept]), outcome.take(outcome.kept)
        design = design_data(X.X, outcome.y.tolist(), X.names, places, outcome.beside, X.absorbed)
    lines = [*read_as(plan.source), *plan.lines, *separation_lines(found, plan.left_out)]
    placed = replace(plan.question, design=plan.question.design._replace(rows=plan.rows))
    lines += written_certificate(asked.certificate, data, asked.table, design, [replace(found, _question=placed)])
    events = [_ALL_EVENTS] if asked.family == "cox" and "event" not in named else []
    doubts = [*plan.doubts, *events, *plan.rounded]
    more = separation_details(found, plan.left_out) if asked.details and not asked.as_json else []
    return Result(lines, data, doubts, exit_status=_STATUS[found.verdict], details=more)


class _Plan(NamedTuple):
    """What is asked of which table.

    `rows` are the rows of the table that the design has, `left_out` those that it has not, None for all and none;
    `is_plain` says that the certificate can be checked against the table itself.
    """

    source: Source
    question: Asked
    rows: Array | None
    rounded: Sequence[str]
    left_out: Array | None = None
    lines: Sequence[tuple[str, str]] = ()
    data: Mapping[str, Any] = {}
    doubts: Sequence[str] = ()
    is_plain: bool = False


def _of_formula(asked: Any, named: Mapping[str, str]) -> _Plan:
    """The terms of a formula."""
    from linsep.app.tables import kinds_of, read_as_text
    from linsep.data.sources.open import open_data
    from linsep.regression.formulas.formula import asked_as_written

    if asked.target is not None or asked.columns or asked.missing is not None or not asked.fit_intercept:
        raise DataError(
            "the formula names the response, the columns and the intercept, and leaves out rows with missing values: "
            "leave out --target, --columns, --set fit_intercept=no and --missing"
        )
    source = open_data(asked.table, categorical=read_as_text(kinds_of(asked.column)), **reading_of(asked))
    with warnings.catch_warnings(record=True) as taken:
        warnings.simplefilter("always", MissingWarning)
        found, as_written, whole = asked_as_written(asked.formula, source, asked.family, asked.order, asked.link, named)
    rounded = [] if as_written else [_NEAREST if whole else _ROUNDED]
    return _Plan(source, found, found.design.rows, rounded, doubts=[str(one.message) for one in taken])


def _of_table(asked: Any, named: Mapping[str, str]) -> _Plan:
    """All columns of a table; the `named` ones belong to the response and are no features."""
    from linsep.app.tables import open_labelled
    from linsep.app.written import is_plain
    from linsep.data.features.exact_decimals import exact_numbers
    from linsep.data.features.kinds import kinds_in_proof, left_out_of_proof
    from linsep.data.features.missing import LEAVE_OUT
    from linsep.regression.design import design_of_numbers, outcome_of
    from linsep.regression.model import Asked
    from linsep.theory.separation.families import link_of

    source, columns = open_labelled(asked)
    taken = {role: _taken(source, role, name) for role, name in named.items()}
    if asked.columns:
        columns = _of_these(source.read(), asked.columns, columns)
    known = kinds_in_proof(source.read(), columns)
    levels = 0 if asked.fit_intercept else 1
    numbers = exact_numbers(source, keep_levels=levels, kinds=known.kinds, missing=asked.missing, advice=LEAVE_OUT)
    if numbers.kept is not None:
        taken = {role: column[numbers.kept] for role, column in taken.items()}
    if numbers.y is None:
        raise DataError("these rows have no response: name its column with --target")
    outcome = outcome_of(numbers.y, asked.family, asked.order, **taken)
    link, data = link_of(asked.family, asked.link), numbers.in_table(source)
    data |= {"beside": named} if named else {}
    data |= {"left_out": known.left_out} if known.left_out else {}
    read = {named[role]: column.tolist() for role, column in outcome.beside.items()}
    read[str(asked.target)] = outcome.y.tolist()
    plain = asked.certificate is not None and "strata" not in named
    plain = plain and is_plain(asked.table, source, numbers, read, asked.certificate)
    return _Plan(
        source,
        Asked(design_of_numbers(numbers), outcome, asked.fit_intercept, asked.family, link),
        numbers.places,
        [] if numbers.as_written else [_ROUNDED],
        numbers.left_out,
        [*numbers.rows_left_out(), *left_out_of_proof(known)],
        data,
        known.doubts,
        plain,
    )


def _of_these(rows: Any, chosen: Sequence[str], kinds: Mapping[str, str]) -> dict[str, str]:
    """The kinds of the columns where only those that are `chosen` count, also if they name rows."""
    from linsep.data.columns import TableChunk, like
    from linsep.data.features.kinds import CATEGORY, NUMBER, SKIP, kinds_in_proof

    if not isinstance(rows, TableChunk):
        raise DataError("--columns names columns of a table, and these rows have none")
    for name in chosen:
        if name not in rows.names:
            raise DataError(f"--columns names {name!r}, which is no column beside the target; {like(name, rows.names)}")
    names_of_rows = {
        name: NUMBER if rows.cells(name).is_number else CATEGORY
        for name in kinds_in_proof(rows, kinds).left_out
        if name in chosen
    }
    return {**kinds, **names_of_rows, **{name: SKIP for name in rows.names if name not in chosen}}


def _taken(source: Source, role: str, name: str) -> Any:
    """A column that is no feature; strata may be text."""
    if role != "strata":
        return source.take_out(name)
    import numpy as np

    from linsep.data.columns import TableChunk
    from linsep.data.features.exact_decimals import refuse_finer

    rows = source.read()
    if isinstance(rows, TableChunk):
        rows.refuse_missing(name, text=True)
    column = source.take_column(name)
    refuse_finer(column)
    text = None if column.is_number else column.text
    return column.values if text is None else np.array(text.to_pylist(), dtype=object)


separation = Command("separation", _OPTIONS, _separation)
