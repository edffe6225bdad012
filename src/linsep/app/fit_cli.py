"""The arguments of `linsep fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linsep.app.options import CategoricalOpt, FormatOpt, JsonOpt, PositiveOpt, ReportOpt, RowsArg, TargetOpt
from linsep.app.present import finish, say


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
            say=say,
        )
        finish(result, as_json)
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
    finish(result, as_json)


def _split(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(part.strip() for part in listed.split(","))
