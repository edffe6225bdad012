"""The arguments of `linsep explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from linsep.app.arguments.options import (
    CategoricalOpt,
    ColumnOpt,
    DecimalOpt,
    DropUnlabelledOpt,
    EncodingOpt,
    FormatOpt,
    MissingOpt,
    NaOpt,
    PositiveOpt,
    QueryOpt,
    SepOpt,
    SheetOpt,
    SkipRowsOpt,
    TargetOpt,
    reading_of,
)
from linsep.app.present import print_lines


def explore(
    table: Annotated[
        str | None,
        typer.Argument(help="A table as `linsep fit` reads it; without one a preset is shown."),
    ] = None,
    target: TargetOpt = None,
    positive: PositiveOpt = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="In place of TABLE: six-points (unless given), semicircle, line, exclusive-or, cycling, orthonormal, "
            "drift, breast-cancer or overfitting-votes."
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            help="What is shown first: perceptron (unless given), averaged, voted, pocket, margin, pa, pa1, pa2, sgd "
            "or rocchio."
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            help="The order of the rows: turn (unless given), random, or adversary, which takes the mistaken row for "
            "which w grows most."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed of --order random; 0 if not given.")] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(min=1, help="Largest number of epochs, 1000 unless given; a run also ends after 5 seconds."),
    ] = None,
    no_intercept: Annotated[bool, typer.Option("--no-intercept", help="Leave b at 0.")] = False,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the page to this HTML file, which needs no network, in place of opening it."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on this machine; 0 takes a free one.")] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address of the page, and open no browser.")
    ] = False,
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
    missing: MissingOpt = None,
    drop_unlabelled: DropUnlabelledOpt = False,
) -> None:
    """Show a run on TABLE step by step, in the browser: each update, the plane, and the theorem that bounds them.

    The page is served to this machine alone until Ctrl-C (extra explore); --save writes it to a file instead, which
    needs neither. Numbers are standardised and categories become indicators, as in `linsep fit`.
    """
    from linsep.app.progress import Line

    with Line() as line:
        line.step("starting")
        from linsep.app.commands.explore import explore as run
        from linsep.app.labelled import kinds_of

        asked: dict[str, Any] = {"learner": learner, "order": order, "seed": seed}
        reading = reading_of(format, sep, decimal, encoding, query, na, skip_rows, sheet)
        line.step("training and proving")
        found, result = run(
            table,
            target=target,
            positive=positive,
            preset=preset,
            chosen={name: value for name, value in asked.items() if value is not None},
            max_iter=max_iter,
            intercept=not no_intercept,
            save=save,
            categorical=tuple(categorical or ()),
            columns=kinds_of(column or ()),
            missing=None if missing is None else missing.value,
            reading={**reading, "drop_unlabelled": drop_unlabelled},
        )
    print_lines(result.lines, result.data, False)
    if save is None:
        found.serve(port=port, browser=not no_browser)
