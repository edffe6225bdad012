"""The arguments of `linsep fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from linsep.app.arguments.options import (
    CategoricalOpt,
    ColumnOpt,
    DecimalOpt,
    DetailsOpt,
    DropUnlabelledOpt,
    EncodingOpt,
    FormatOpt,
    JsonOpt,
    MissingOpt,
    NaOpt,
    PositiveOpt,
    QueryOpt,
    ReportOpt,
    RowsArg,
    SepOpt,
    SheetOpt,
    SkipRowsOpt,
    TargetOpt,
    reading_of,
)
from linsep.app.present import finish, say


def fit(
    table: RowsArg,
    target: TargetOpt = None,
    positive: PositiveOpt = None,
    learner: Annotated[
        str,
        typer.Option(
            help="The learner: perceptron, averaged, voted, pocket, margin, pa, pa1, pa2, rocchio, sgd, kernel, mlp or "
            "auto. auto chooses the simplest of linear learners (averaged, pa1), kernel and mlp that no other one "
            "beats clearly on held-out rows."
        ),
    ] = "averaged",
    max_iter: Annotated[
        int | None, typer.Option(min=1, help="Largest number of epochs; the default depends on the learner.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.0, help="Largest number of seconds; it replaces --max-iter.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The seed of all random choices, such as the order of the rows; 0 if not given."),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="With --learner sgd: the loss; perceptron, hinge, logistic, squared_hinge or squared."),
    ] = None,
    projection_radius: Annotated[
        str | None,
        typer.Option(
            help="With --learner sgd: the largest length of (w, b), or none for no limit; 10 if not given. Without a "
            "limit the guarantee depends on the vector to compare with."
        ),
    ] = None,
    intercept_scaling: Annotated[
        str | None,
        typer.Option(
            help="The constant feature behind the intercept: a number, or auto for the root mean square length of the "
            "rows (of a stream, of its first block). 1 if not given; smaller numbers damp the intercept."
        ),
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            help="With --learner kernel: the kernel; poly is (gamma x.y + coef0)^degree, rbf is exp(-gamma |x - y|^2), "
            "laplacian is exp(-gamma sum_k |x_k - y_k|), linear is x.y (without an intercept)."
        ),
    ] = None,
    degree: Annotated[int | None, typer.Option(help="With --kernel poly: the degree; 3 if not given.")] = None,
    gamma: Annotated[
        float | None, typer.Option(help="With --kernel poly, rbf or laplacian: gamma; 1 if not given.")
    ] = None,
    coef0: Annotated[float | None, typer.Option(help="With --kernel poly: coef0; 1 if not given.")] = None,
    holdout: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=0.9,
            help="Keep this share of the rows aside, and score on them a model trained on the others.",
        ),
    ] = 0.0,
    group: Annotated[
        str | None,
        typer.Option(
            help="With --holdout: hold out all rows of one value of this column, as a patient, or none of them. The "
            "column is no feature then."
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            help="Hold out the rows of this date and later, in place of a share: 2024-02-29, or COLUMN=2024-02-29 "
            "where several columns hold dates."
        ),
    ] = None,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            help="Scale the updates of the rows of a class: balanced (rare classes count as much as frequent ones), or "
            "LABEL=WEIGHT, which may be repeated."
        ),
    ] = None,
    sample_weight: Annotated[
        str | None, typer.Option(help="The column that holds the weight of each row; it is no feature then.")
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="Also fit probabilities, on rows held out in five folds: six times the training."
        ),
    ] = False,
    model: Annotated[Path, typer.Option(help="Where to write the model.")] = Path("model.linsep"),
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
    stream: Annotated[
        bool | None,
        typer.Option(help="Read TABLE in pieces: the default for pipes and for files that are large for the memory."),
    ] = None,
    passes: Annotated[int, typer.Option(min=1, help="Stream: the number of passes over the rows.")] = 1,
    classes: Annotated[str | None, typer.Option(help="Stream: all labels that may come, as A,B,C.")] = None,
    open_classes: Annotated[
        bool, typer.Option("--open-classes", help="Stream: a new label becomes a class when its first row comes.")
    ] = False,
    bits: Annotated[
        int, typer.Option(min=8, max=28, help="Stream: categories and text are hashed to 2^bits columns.")
    ] = 18,
    lenient: Annotated[bool, typer.Option("--lenient", help="Stream: skip malformed lines and count them.")] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Stream: save the run to this file; the same command continues from it."),
    ] = None,
    checkpoint_rows: Annotated[
        int, typer.Option(min=1, help="Stream: the number of rows between two checkpoints.")
    ] = 1_000_000,
    ball: Annotated[
        float | None,
        typer.Option(help="Stream: keep (w, b) in a ball of this radius, after every 1,000 rows and at the end."),
    ] = None,
    half_life: Annotated[
        float | None,
        typer.Option(help="Stream: halve the weight of what was learnt this number of rows ago, in the mean too."),
    ] = None,
    drift: Annotated[
        str | None,
        typer.Option(help="Stream: report changes in the rate of errors, found by adwin or page-hinkley."),
    ] = None,
    max_columns: Annotated[
        int, typer.Option(min=1, help="Stream: the largest index of svmlight text; each column takes memory.")
    ] = 1 << 24,
    max_record_bytes: Annotated[
        int, typer.Option(min=1, help="Stream: the most bytes of one line, or of one CSV record with quotes.")
    ] = 1 << 24,
    report: ReportOpt = None,
    open_columns: Annotated[
        bool,
        typer.Option("--open-columns", help="Stream: new columns may appear in any row, and rows may lack columns."),
    ] = False,
    details: DetailsOpt = False,
    as_json: JsonOpt = False,
) -> None:
    """Train a separator on TABLE, write it to a model file and print its receipt.

    Numbers are standardised; each level of a category becomes one indicator column, a date its parts, running text
    the weights of its words. Columns that name the rows are left out; the receipt says which.

    The receipt of --learner sgd compares the guaranteed excess loss with the measured one, over the least loss that
    SciPy's L-BFGS-B finds.

    A stream is read in pieces: files of any size, folders, patterns such as 'part-*.csv.gz', or a pipe. Each row is
    predicted before it is learnt. Numbers are standardised with running means and scales; categories are hashed.

    Exit status: 0 done (also when a budget ended first, with a warning), 2 bad usage or input, 130 after Ctrl-C
    (the model so far is saved).
    """
    if max_iter is not None and time_limit is not None:
        raise typer.BadParameter("give --max-iter or --time-limit, not both")
    from linsep.app.commands.fit_stream import StreamOptions, fit_on_stream, wants_stream
    from linsep.app.labelled import kinds_of

    own = {
        "loss": loss,
        "projection_radius": _number_or("none", projection_radius, "--projection-radius"),
        "kernel": kernel,
        "degree": degree,
        "gamma": gamma,
        "coef0": coef0,
    }
    constant = _number_or("auto", intercept_scaling, "--intercept-scaling")
    way: Any = None if missing is None else missing.value
    reading = {
        **reading_of(format, sep, decimal, encoding, query, na, skip_rows, sheet),
        "drop_unlabelled": drop_unlabelled,
    }
    options = StreamOptions(
        passes=passes,
        classes=_split(classes),
        open_classes=open_classes,
        bits=bits,
        lenient=lenient,
        open_columns=open_columns,
        checkpoint=checkpoint,
        checkpoint_rows=checkpoint_rows,
        ball=ball,
        half_life=half_life,
        drift=drift,
        max_columns=max_columns,
        max_record_bytes=max_record_bytes,
    )
    if stream or (stream is None and (options != StreamOptions() or wants_stream(table, query))):
        whole: dict[str, Any] = {
            "max_iter": max_iter,
            "time_limit": time_limit,
            "seed": seed,
            "holdout": holdout or None,
            "group": group,
            "after": after,
        }
        whole |= {"class_weight": class_weight, "sample_weight": sample_weight}
        whole |= {"probabilities": probabilities or None, **own}
        if any(given is not None for given in whole.values()):
            *but_last, last = ["--" + name.replace("_", "-") for name in whole]
            raise typer.BadParameter(
                "a stream is learnt in the order of its rows: use --passes, and none of "
                f"{', '.join(but_last)} and {last}"
            )
        result = fit_on_stream(
            table,
            options,
            target=target,
            positive=positive,
            learner=learner,
            intercept_scaling=constant,
            model=model,
            categorical=tuple(categorical or ()),
            columns=kinds_of(column or ()),
            reading=reading,
            missing=way,
            report=report,
            say=say,
        )
        finish(result, as_json, details)
    if options != StreamOptions():
        raise typer.BadParameter(f"--no-stream conflicts with: {', '.join(options.given())}")
    from linsep.app.progress import EpochProgress

    with EpochProgress(max_iter, time_limit) as progress:
        progress.step("starting")
        from linsep.app.commands.fit import fit as run

        result = run(
            table,
            target=target,
            positive=positive,
            learner=learner,
            max_iter=max_iter,
            time_limit=time_limit,
            holdout=holdout,
            group=group,
            after=after,
            model=model,
            categorical=tuple(categorical or ()),
            columns=kinds_of(column or ()),
            reading=reading,
            missing=way,
            report=report,
            seed=seed or 0,
            class_weight=tuple(class_weight or ()),
            sample_weight=sample_weight,
            probabilities=probabilities,
            progress=progress,
            intercept_scaling=constant,
            **own,
        )
    finish(result, as_json, details)


def _number_or(word: str, text: str | None, option: str) -> Any:
    if text is None or text == word:
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{option} takes a number or {word}, not {text!r:.80}") from None


def _split(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(part.strip() for part in listed.split(","))
