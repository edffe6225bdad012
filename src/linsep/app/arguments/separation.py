"""The arguments of `linsep separation`."""

from __future__ import annotations

from typing import Annotated

import typer

from linsep.app.arguments.options import (
    CategoricalOpt,
    CertificateOpt,
    ColumnOpt,
    DecimalOpt,
    DropUnlabelledOpt,
    EncodingOpt,
    EntryOpt,
    ExactWeightsOpt,
    Family,
    FormatOpt,
    FormulaOpt,
    JsonOpt,
    Link,
    NaOpt,
    ProofMissingOpt,
    QueryOpt,
    ReportOpt,
    SepOpt,
    SheetOpt,
    SkipRowsOpt,
    StrataOpt,
    TableArg,
    TargetOpt,
    reading_of,
)
from linsep.app.present import finish


def separation(
    table: TableArg,
    target: TargetOpt = None,
    formula: FormulaOpt = None,
    family: Annotated[Family, typer.Option(help="The family of the regression.")] = Family.LOGISTIC,
    link: Annotated[
        Link | None, typer.Option(help="The link (logistic, binomial, cumulative, continuation); logit unless given.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Ordered families: the labels, the lowest first, as in low,mid,high. Numbers need none."),
    ] = None,
    trials: Annotated[
        str | None,
        typer.Option(help="Binomial: the column of the numbers of trials, of which the target counts the successes."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="The column of weights: rows with a weight of 0 are left out.")
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(
            help="Cox: the column that is 1 where the target is the time of an event, 0 where it is censored."
        ),
    ] = None,
    strata: StrataOpt = None,
    entry: EntryOpt = None,
    offset: Annotated[
        str | None, typer.Option(help="The column of offsets, which is no feature and does not matter for the answer.")
    ] = None,
    intercept: Annotated[bool, typer.Option(help="Whether the regression has an intercept.")] = True,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Give up after this number of seconds (exit status 3); --details searches the fewest columns as long.",
        ),
    ] = None,
    certificate: CertificateOpt = None,
    exact_weights: ExactWeightsOpt = False,
    report: ReportOpt = None,
    categorical: CategoricalOpt = None,
    column: ColumnOpt = None,
    format: FormatOpt = None,
    sep: SepOpt = None,
    decimal: DecimalOpt = None,
    encoding: EncodingOpt = None,
    query: QueryOpt = None,
    na: NaOpt = None,
    skip_rows: SkipRowsOpt = 0,
    sheet: SheetOpt = None,
    missing: ProofMissingOpt = None,
    drop_unlabelled: DropUnlabelledOpt = False,
    details: Annotated[
        bool,
        typer.Option(
            "--details", help="Also print which rows move each coefficient, and the fewest columns that separate."
        ),
    ] = False,
    as_json: JsonOpt = False,
) -> None:
    """Prove whether a regression of TABLE's target on its other columns has finite estimates, and which are infinite.

    The outcome of a logistic model is the second label in sorted order. Text columns become indicators without their
    first level. Exit status: 0 overlap (finite estimates), 1 separated, 3 undecided, 2 bad usage or input,
    130 after Ctrl-C (what is known by then is printed).

    What is finite is estimated in Python, and one limit of what is infinite: linsep.separation("y ~ x", data=frame),
    then finite_part(), drop() or firth() of its answer.
    """
    from linsep.app.commands.separation import separation as run
    from linsep.app.labelled import kinds_of
    from linsep.app.searching import until_ctrl_c

    result = until_ctrl_c(
        run,
        table,
        target=target,
        formula=formula,
        family=family.value,
        link=None if link is None else link.value,
        order=None if order is None else [label.strip() for label in order.split(",")],
        beside={
            "trials": trials,
            "weights": weights,
            "offset": offset,
            "event": event,
            "strata": strata,
            "entry": entry,
        },
        fit_intercept=intercept,
        time_limit=time_limit,
        certificate=certificate,
        exact=exact_weights,
        report=report,
        categorical=tuple(categorical or ()),
        columns=kinds_of(column or ()),
        **reading_of(format, sep, decimal, encoding, query, na, skip_rows, sheet),
        missing=None if missing is None else missing.value,
        drop_unlabelled=drop_unlabelled,
        details=details and not as_json,
    )
    finish(result, as_json, details)
