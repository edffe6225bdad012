"""The command line: argument parsing and presentation. Each command is one call of the library.

What a command runs is imported when it runs, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from linsep.app.options import (
    CategoricalOpt,
    FormatOpt,
    JsonOpt,
    Model,
    ModelArg,
    PositiveOpt,
    ReportOpt,
    RowsArg,
    TableArg,
    TargetOpt,
)
from linsep.app.result import Result
from linsep.app.tag_cli import tag_commands
from linsep.types import DataError

app = typer.Typer(
    help="Linear separators with receipts: train one, use one, or ask whether one exists.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _out() -> Console:
    return Console(highlight=False, soft_wrap=True)


def _err() -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True)


def _warn(message: str) -> None:
    _err().print(f"[yellow]warning:[/] {escape(message)}")


def _print(rows: list[tuple[str, str]], data: dict[str, Any], as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")
        return
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        _out().print(f"[bold]{escape(label):<{width}}[/]  {escape(text)}")


@app.command()
def fit(
    table: RowsArg,
    target: TargetOpt = None,
    positive: PositiveOpt = None,
    learner: Annotated[
        str,
        typer.Option(
            help="perceptron, averaged, voted, pocket, margin, pa, pa1, pa2, rocchio, sgd, kernel, mlp, or auto: the "
            "simplest of rocchio, averaged, kernel and mlp that no other beats on rows held out."
        ),
    ] = "perceptron",
    max_iter: Annotated[
        int | None, typer.Option(min=1, help="Epochs at most; the default is the learner's own.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(min=0.0, help="Seconds at most, instead of --max-iter.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of what is drawn, such as the order of rows; 0.")] = None,
    loss: Annotated[
        str | None, typer.Option(help="Of --learner sgd: perceptron, hinge, logistic, squared_hinge or squared.")
    ] = None,
    projection_radius: Annotated[
        float | None, typer.Option(help="Of --learner sgd: the longest that (w, b) may be; 10 unless given.")
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            help="Of --learner kernel: poly, (gamma x.y + coef0)^degree; rbf, exp(-gamma |x - y|^2); linear, x.y (so "
            "no intercept)."
        ),
    ] = None,
    degree: Annotated[int | None, typer.Option(help="Of --kernel poly; 3 unless given.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Of --kernel poly and rbf; 1 unless given.")] = None,
    coef0: Annotated[float | None, typer.Option(help="Of --kernel poly; 1 unless given.")] = None,
    holdout: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Also fit on the other rows and score on this share of them.")
    ] = 0.0,
    model: Annotated[Path, typer.Option(help="Where to write the model.")] = Path("model.linsep"),
    categorical: CategoricalOpt = None,
    format: FormatOpt = None,
    stream: Annotated[
        bool | None,
        typer.Option(help="Read TABLE a piece at a time; so is a pipe, and what is larger than a quarter of memory."),
    ] = None,
    passes: Annotated[int, typer.Option(min=1, help="Stream: passes over the rows.")] = 1,
    classes: Annotated[str | None, typer.Option(help="Stream: all labels that will come, as A,B,C.")] = None,
    open_classes: Annotated[
        bool, typer.Option("--open-classes", help="Stream: a class joins with its first row.")
    ] = False,
    text: Annotated[
        list[str] | None,
        typer.Option(help="Stream: a column of running text, as COL, COL=words1-2 or COL=chars3-5 (may be repeated)."),
    ] = None,
    bits: Annotated[int, typer.Option(min=8, max=28, help="Stream: names are hashed to 2^bits columns.")] = 18,
    lenient: Annotated[bool, typer.Option("--lenient", help="Stream: skip malformed lines, and count them.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Stream: write all there is to this file; the same command goes on from it.")
    ] = None,
    checkpoint_rows: Annotated[int, typer.Option(min=1, help="Stream: rows between two checkpoints.")] = 1_000_000,
    ball: Annotated[float | None, typer.Option(help="Stream: keep (w, b) in a ball of this radius.")] = None,
    half_life: Annotated[
        float | None, typer.Option(help="Stream: what was learnt so many rows ago weighs half.")
    ] = None,
    drift: Annotated[
        str | None, typer.Option(help="Stream: say when the rate of mistakes changes: adwin or page-hinkley.")
    ] = None,
    report: ReportOpt = None,
    open_columns: Annotated[
        bool, typer.Option("--open-columns", help="Stream: columns join as they appear, and rows may lack some.")
    ] = False,
    as_json: JsonOpt = False,
) -> None:
    """Train a separator on TABLE, write it to a model file and print its receipt.

    Numbers are standardised, text columns become one indicator column a level. The receipt of --learner sgd has the
    excess loss that is guaranteed beside the measured one, over the least loss that SciPy's L-BFGS-B finds.

    A stream is read a piece at a time: files of any size, folders, patterns such as 'part-*.csv.gz', or a pipe; each
    row is predicted before it is learnt, numbers go through running means and scales, categories are hashed.

    Exit status: 0 done (also when a budget ended first, with a warning), 2 bad usage or input, 130 after Ctrl-C, with
    the model so far saved.
    """
    if max_iter is not None and time_limit is not None:
        raise typer.BadParameter("give --max-iter or --time-limit, not both")
    from linsep.app.commands.fit_stream import StreamOptions, fit_on_stream, wants_stream

    own = {
        "loss": loss,
        "projection_radius": projection_radius,
        "kernel": kernel,
        "degree": degree,
        "gamma": gamma,
        "coef0": coef0,
    }
    options = StreamOptions(
        passes=passes,
        classes=_split(classes),
        open_classes=open_classes,
        text=tuple(text or ()),
        bits=bits,
        lenient=lenient,
        open_columns=open_columns,
        checkpoint=checkpoint,
        checkpoint_rows=checkpoint_rows,
        ball=ball,
        half_life=half_life,
        drift=drift,
    )
    if stream or (stream is None and (options != StreamOptions() or wants_stream(table, format))):
        if holdout or any(given is not None for given in (max_iter, time_limit, seed, *own.values())):
            raise typer.BadParameter(
                "a stream is learnt in its order, takes --passes, and none of --max-iter, --time-limit, --seed, "
                "--holdout "
                f"and {', '.join('--' + name.replace('_', '-') for name in own)}"
            )
        result = fit_on_stream(
            table,
            options,
            target=target,
            positive=positive,
            learner=learner,
            model=model,
            categorical=tuple(categorical or ()),
            format=format,
            report=report,
            say=lambda message: _err().print(escape(message)),
        )
        _finish(result, as_json)
    if options != StreamOptions():
        raise typer.BadParameter(f"--no-stream conflicts with: {', '.join(options.given())}")
    from linsep.app.commands.fit import fit as run

    result = run(
        table,
        target=target,
        positive=positive,
        learner=learner,
        max_iter=max_iter,
        time_limit=time_limit,
        holdout=holdout,
        model=model,
        categorical=tuple(categorical or ()),
        format=format,
        report=report,
        seed=seed or 0,
        **own,
    )
    _finish(result, as_json)


def _finish(result: Result, as_json: bool) -> NoReturn:
    """Print a result and end with its exit status."""
    for message in result.warnings:
        _warn(message)
    _print(result.lines, result.data, as_json)
    raise typer.Exit(130 if result.interrupted else result.exit_status)


def _split(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(part.strip() for part in listed.split(","))


@app.command()
def predict(
    model: ModelArg,
    table: RowsArg,
    output: Annotated[str, typer.Option("-o", "--output", help="CSV file to write; - is standard output.")] = "-",
    format: FormatOpt = None,
) -> None:
    """Label the rows of TABLE: writes CSV with the columns prediction and decision_value (w.x + b)."""
    from linsep.app.commands.predict import predict as run

    for message in run(model, table, output, format=format):
        _warn(message)


@app.command()
def score(model: ModelArg, table: RowsArg, format: FormatOpt = None, as_json: JsonOpt = False) -> None:
    """Compare the model's predictions with the labels in TABLE."""
    from linsep.app.commands.score import score as run

    _finish(run(model, table, format=format), as_json)


@app.command()
def check(
    table: TableArg,
    target: TargetOpt = None,
    positive: PositiveOpt = None,
    time_limit: Annotated[float | None, typer.Option(min=0.0, help="Give up after this long (exit status 3).")] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write the proof as JSON; examples/verify_certificate.py checks it.")
    ] = None,
    report: ReportOpt = None,
    categorical: CategoricalOpt = None,
    format: FormatOpt = None,
    as_json: JsonOpt = False,
) -> None:
    """Prove whether a hyperplane separates the classes of TABLE, about the numbers exactly as they are written.

    Exit status: 0 separable, 1 quasi-separable or inseparable (with three or more classes, if any class is not
    separable from the rest), 3 undecided, 2 bad usage or input.
    """
    from linsep.app.commands.check import check as run

    result = run(
        table,
        target=target,
        positive=positive,
        time_limit=time_limit,
        certificate=certificate,
        report=report,
        categorical=tuple(categorical or ()),
        format=format,
    )
    _finish(result, as_json)


@app.command()
def separation(
    table: TableArg,
    target: TargetOpt = None,
    family: Annotated[Model, typer.Option(help="The regression that is to be fitted.")] = Model.LOGISTIC,
    intercept: Annotated[bool, typer.Option(help="Whether the regression has an intercept.")] = True,
    time_limit: Annotated[float | None, typer.Option(min=0.0, help="Seconds to give up after (exit status 3).")] = None,
    report: ReportOpt = None,
    categorical: CategoricalOpt = None,
    format: FormatOpt = None,
    as_json: JsonOpt = False,
) -> None:
    """Prove whether a regression of TABLE's target on its other columns has finite estimates, and which are infinite.

    The outcome of a logistic model is the second label in sorted order. Text columns become indicators without their
    first level. Exit status: 0 overlap (finite estimates), 1 separated, 3 undecided, 2 bad usage or input.
    """
    from linsep.app.commands.separation import separation as run

    result = run(
        table,
        target=target,
        family=family.value,
        fit_intercept=intercept,
        time_limit=time_limit,
        report=report,
        categorical=tuple(categorical or ()),
        format=format,
    )
    _finish(result, as_json)


@app.command()
def show(
    model: ModelArg,
    weights: Annotated[int, typer.Option(min=1, help="How many of the largest weights.")] = 20,
    as_json: JsonOpt = False,
) -> None:
    """Print what a model file holds: its largest weights by feature name, and how it was made."""
    from linsep.app.commands.show import show as run

    _finish(run(model, weights), as_json)


class ExportFormat(StrEnum):
    """What other programs read."""

    JSON = "json"
    SQL = "sql"
    ONNX = "onnx"


@app.command()
def export(
    model: ModelArg,
    to: Annotated[ExportFormat, typer.Option(help="json, sql (DuckDB, SQLite, PostgreSQL) or onnx.")],
    output: Annotated[str, typer.Option("-o", "--output", help="File to write; - is standard output.")] = "-",
    table: Annotated[str, typer.Option(help="Table that the SQL scores.")] = "rows",
) -> None:
    """Write a model for other programs: all they need to get from a raw row to its decision value and label."""
    from linsep.app.commands.export import export_model

    export_model(model, to.value, output, table)


@app.command()
def synth(
    rows: Annotated[int, typer.Option(min=1, help="Rows to make.")] = 1000,
    features: Annotated[int, typer.Option(min=1, help="Features of each row.")] = 2,
    margin: Annotated[float, typer.Option(min=0.0, help="Least distance of a row from the planted separator.")] = 0.1,
    radius: Annotated[float, typer.Option(min=0.0, help="Largest distance of a row from the origin.")] = 3.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    output: Annotated[str, typer.Option("-o", "--output", help="CSV file to write; - is standard output.")] = "-",
) -> None:
    """Make a separable table with a known separator: columns x1, x2, ..., label."""
    from linsep.app.commands.synth import synth as run

    message = run(rows, features, margin, radius, seed, output)
    _err().print(escape(message))


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where to write the table and the model.")] = Path("linsep-demo"),
) -> None:
    """The opening story: the breast-cancer table is separable after all."""
    from linsep.app.commands.demo import demo as run

    result = run(folder, lambda text: _out().print(escape(text)))
    _print(result.lines, result.data, False)
    _out().print(escape(result.closing))


app.add_typer(tag_commands(_finish), name="tag")


def main() -> None:
    """Run the command line; every way to end has an exit status."""
    try:
        status = app(standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        _err().print("interrupted")
        status = 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our pipe has gone: nothing left to say
        status = 0
    except (DataError, ValueError, OSError) as error:
        _err().print(f"[red]linsep: error:[/] {escape(str(error))}")
        status = 2
    except Exception as error:
        if not hasattr(error, "exit_code"):  # a usage error says so itself; anything else is a bug of ours
            raise
        if hasattr(error, "show"):
            error.show()
        status = error.exit_code
    sys.exit(status or 0)
