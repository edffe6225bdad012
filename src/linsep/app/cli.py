"""The command line: argument parsing and presentation. Each command is one call of the library.

What a command runs is imported when it runs, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from linsep.app.arguments.explore import explore
from linsep.app.arguments.fit import fit
from linsep.app.arguments.grouped_help import GroupedHelp, RegressionHelp
from linsep.app.arguments.options import (
    CategoricalOpt,
    CertificateOpt,
    ColumnOpt,
    DecimalOpt,
    DetailsOpt,
    DropUnlabelledOpt,
    EncodingOpt,
    ExactWeightsOpt,
    FormatOpt,
    JsonOpt,
    LenientOpt,
    ModelArg,
    NaOpt,
    PositiveOpt,
    ProbabilitiesOpt,
    ProofMissingOpt,
    QueryOpt,
    ReportOpt,
    RowsArg,
    SepOpt,
    SheetOpt,
    ShownWeightsOpt,
    SkipRowsOpt,
    TableArg,
    TargetOpt,
    reading_of,
)
from linsep.app.arguments.probe import probe
from linsep.app.arguments.separation import separation
from linsep.app.arguments.tag import tag_commands
from linsep.app.present import console, finish, print_lines, printable, say, warn
from linsep.data.addresses import without_secrets
from linsep.types import DataError


class _Commands(TyperGroup):
    """Commands in which Ctrl-C keeps its words: Typer alone would end without any."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise typer.Abort(*interrupt.args) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,  # Rich would take longer to load than all the rest of `--help`
)


def _show_versions(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        packages = ("linsep", "numpy", "numba", "scikit-learn")
        sys.stdout.write("\n".join(f"{name} {version(name)}" for name in packages) + "\n")
        raise typer.Exit()


@app.callback()
def _options(
    show_versions: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_versions,
            is_eager=True,
            help="Print the versions of linsep, NumPy, Numba and scikit-learn, and exit.",
        ),
    ] = False,
) -> None:
    """Linear separators with receipts: train one, use one, or ask whether one exists."""


app.command(cls=GroupedHelp)(fit)


@app.command()
def predict(
    model: ModelArg,
    table: RowsArg,
    output: Annotated[str, typer.Option("-o", "--output", help="CSV file to write; - is standard output.")] = "-",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of TABLE to write in front of each prediction, such as a customer number. May be repeated."
        ),
    ] = None,
    probabilities: ProbabilitiesOpt = False,
    lenient: LenientOpt = False,
    format: FormatOpt = None,
    sep: SepOpt = None,
    decimal: DecimalOpt = None,
    encoding: EncodingOpt = None,
    query: QueryOpt = None,
    na: NaOpt = None,
    skip_rows: SkipRowsOpt = 0,
    sheet: SheetOpt = None,
) -> None:
    """Label the rows of TABLE and write CSV with the columns prediction and decision_value (w.x + b)."""
    from linsep.app.commands.predict import predict as run

    asked = reading_of(format, sep, decimal, encoding, query, na, skip_rows, sheet)
    kept = tuple(keep or ())
    for message in run(model, table, output, probabilities=probabilities, keep=kept, lenient=lenient, **asked):
        warn(message)


@app.command()
def score(
    model: ModelArg,
    table: RowsArg,
    format: FormatOpt = None,
    sep: SepOpt = None,
    decimal: DecimalOpt = None,
    encoding: EncodingOpt = None,
    query: QueryOpt = None,
    na: NaOpt = None,
    skip_rows: SkipRowsOpt = 0,
    sheet: SheetOpt = None,
    lenient: LenientOpt = False,
    drop_unlabelled: DropUnlabelledOpt = False,
    as_json: JsonOpt = False,
) -> None:
    """Compare the model's predictions with the labels in TABLE."""
    from linsep.app.commands.score import score as run

    asked = reading_of(format, sep, decimal, encoding, query, na, skip_rows, sheet)
    finish(run(model, table, **asked, lenient=lenient, drop_unlabelled=drop_unlabelled), as_json)


@app.command()
def check(
    table: TableArg,
    target: TargetOpt = None,
    positive: PositiveOpt = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Answer after this number of seconds with what is proved by then; --explain has so many more.",
        ),
    ] = None,
    n_jobs: Annotated[
        int | None,
        typer.Option(
            help="With three classes or more decide so many at a time, each in a process of its own; -1: one a core."
        ),
    ] = None,
    certificate: CertificateOpt = None,
    exact_weights: ExactWeightsOpt = False,
    report: ReportOpt = None,
    details: DetailsOpt = False,
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
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Also look for the fewest rows that have to go before the classes are separable, and for the columns "
            "behind the verdict, for 30 seconds; with --time-limit as long as that after the verdict, for each class.",
        ),
    ] = False,
    suspects: Annotated[
        Path | None,
        typer.Option(
            help="Write these rows to this CSV file, those most out of place first, each with the three nearest rows "
            "of the other class (--explain)."
        ),
    ] = None,
    as_json: JsonOpt = False,
) -> None:
    """Prove whether a hyperplane separates the classes of TABLE, for the numbers exactly as they are written.

    Exit status: 0 separable, 1 quasi-separable, inseparable or not-separable (with three or more classes, if any class
    is not separable from the rest), 3 undecided, 2 bad usage or input, 130 after Ctrl-C (what is known by then is
    printed).
    """
    from linsep.app.progress import Line

    with Line() as line:
        line.step("starting")
        from linsep.app.commands.check import check as run
        from linsep.app.labelled import kinds_of
        from linsep.app.searching import until_ctrl_c

        result = until_ctrl_c(
            run,
            table,
            target=target,
            positive=positive,
            time_limit=time_limit,
            n_jobs=n_jobs,
            certificate=certificate,
            exact=exact_weights,
            report=report,
            categorical=tuple(categorical or ()),
            columns=kinds_of(column or ()),
            **reading_of(format, sep, decimal, encoding, query, na, skip_rows, sheet),
            missing=None if missing is None else missing.value,
            drop_unlabelled=drop_unlabelled,
            explain=explain,
            suspects=suspects,
            on_step=line.step,
        )
    finish(result, as_json, details)


app.command(cls=RegressionHelp)(separation)


@app.command()
def show(
    model: ModelArg,
    weights: ShownWeightsOpt = None,
    details: Annotated[
        bool, typer.Option("--details", help="Of several classes, print up to 20 weights of each.")
    ] = False,
    as_json: JsonOpt = False,
) -> None:
    """Print what a model file holds: its largest weights by feature name, how it was made, and where it comes from."""
    from linsep.app.commands.show import show as run

    finish(run(model, weights), as_json, details)


class ExportFormat(StrEnum):
    """What other programs read."""

    JSON = "json"
    SQL = "sql"
    POSTGRESQL = "postgresql"
    ONNX = "onnx"


@app.command()
def export(
    model: ModelArg,
    to: Annotated[ExportFormat, typer.Option(help="The format: json, sql (DuckDB, SQLite), postgresql or onnx.")],
    output: Annotated[str, typer.Option("-o", "--output", help="File to write; - is standard output.")] = "-",
    table: Annotated[str, typer.Option(help="In SQL: the name of the table that the query reads.")] = "rows",
) -> None:
    """Write a model for other programs: all that they need to compute decision values and labels from raw rows."""
    from linsep.app.commands.export import export_model

    export_model(model, to.value, output, table)


@app.command()
def synth(
    rows: Annotated[int, typer.Option(min=1, help="The number of rows.")] = 1000,
    features: Annotated[int, typer.Option(min=1, help="The number of features.")] = 2,
    margin: Annotated[
        float, typer.Option(min=0.0, help="The smallest distance of a row from the planted separator.")
    ] = 0.1,
    radius: Annotated[float, typer.Option(min=0.0, help="The largest distance of a row from the origin.")] = 3.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    output: Annotated[str, typer.Option("-o", "--output", help="CSV file to write; - is standard output.")] = "-",
) -> None:
    """Make a separable table with a known separator: columns x1, x2, ..., label."""
    from linsep.app.commands.synth import synth as run

    message = run(rows, features, margin, radius, seed, output)
    say(message)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where to write the table and the model.")] = Path("linsep-demo"),
) -> None:
    """Show on the breast-cancer table what linsep does: the table is separable after all."""
    from linsep.app.commands.demo import demo as run

    result = run(folder, lambda text: console().print(text, markup=False))
    print_lines([*result.lines, *result.details], result.data, False)
    console().print(result.closing, markup=False)


@app.command()
def warm(
    learner: Annotated[
        list[str] | None,
        typer.Option(help="A learner to compile, as in `linsep fit`; may be repeated. averaged if not given."),
    ] = None,
) -> None:
    """Compile for this processor what fit, check, predict and score use, so that their first run need not.

    For images of containers and for the machines of a cluster. What is compiled is kept in the folder of
    NUMBA_CACHE_DIR, or beside the library, and used by all later runs on processors of this kind.
    """
    from linsep.app.warm import warm as run

    say(run(learner or ["averaged"]))


app.command()(probe)
app.command()(explore)
app.add_typer(tag_commands(finish), name="tag")


def main() -> None:
    """Run the command line; every way to end has an exit status."""
    try:
        status = app(standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt) as interrupt:
        say(str(interrupt) or "interrupted")
        status = 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our pipe has gone: nothing left to say
        status = 0
    except (DataError, ValueError, OSError, MemoryError) as error:
        from rich.text import Text

        from linsep.files import unreadable

        told = f"not enough memory: {error}" if isinstance(error, MemoryError) else str(error)
        if isinstance(error, OSError) and error.filename is not None:
            told = unreadable(str(error.filename), error)
        console(stderr=True).print(Text.assemble(("linsep: error:", "red"), " ", printable(without_secrets(told))))
        status = 2
    except Exception as error:
        if not hasattr(error, "exit_code"):  # a usage error says so itself; anything else is a bug of ours
            raise
        if hasattr(error, "show"):
            error.show()
        status = error.exit_code
    sys.exit(status or 0)
