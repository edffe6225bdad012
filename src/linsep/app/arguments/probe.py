"""The arguments of `linsep probe`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linsep.app.arguments.options import JsonOpt, ReportOpt
from linsep.app.present import finish


def probe(
    activations: Annotated[
        list[str],
        typer.Argument(
            help="Files with a row of numbers for each label: .npy, .npz, .safetensors, .h5 or .hdf5. Each file and "
            "each array in a file is a layer. Also a folder or a quoted pattern."
        ),
    ],
    labels: Annotated[
        str, typer.Option(help="A table with a row for each row of the activations: CSV, JSON lines, Parquet, or .npy.")
    ],
    label: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of labels, of two classes or more; may be repeated. Not needed where there is one."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            help="The column that names groups of rows that depend on each other, such as the sentence: folds keep "
            "them together, and the odds count groups, where each has one label."
        ),
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            help="The column of what a control task gives random labels to, such as the word. The groups unless given."
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="The column of labels, and the array in each file of activations, that names the rows. Rows are "
            "matched by it; otherwise by their position."
        ),
    ] = None,
    axis: Annotated[
        int | None, typer.Option(help="Of arrays with three axes: the one that counts the layers, from 0.")
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Of three classes or more also ask each against each other, without the rows of the other classes.",
        ),
    ] = False,
    controls: Annotated[
        int, typer.Option(min=0, help="How many times labels are shuffled, and drawn for a control task.")
    ] = 20,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Seconds for the proof, for the margin, and for all shuffled labels together, of each row."
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Also how many rows have to go where the rows are not separable, and how few columns still separate.",
        ),
    ] = False,
    explain_limit: Annotated[
        float, typer.Option(min=0.0, help="Seconds for --explain, for each layer and concept.")
    ] = 10.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="File of JSON lines for the rows, written anew after each row.",
        ),
    ] = None,
    directions: Annotated[
        Path | None,
        typer.Option(
            help="File of .safetensors for a direction of each layer and concept: of the largest margin, else of a "
            "probe fitted on all rows. --json then has their cosines."
        ),
    ] = None,
    certificates: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the proof of each layer and concept as JSON, and of what --explain says of it; "
            "examples/verify_certificate.py checks them."
        ),
    ] = None,
    report: ReportOpt = None,
    as_json: JsonOpt = False,
) -> None:
    """Prove whether concepts are linearly separable in layers of a network, and say whether chance could do it.

    A row for each layer and concept: the verdict, proved on all rows; Cover's bound on the chance that shuffled labels
    would be separable; the margin; the accuracy of a linear probe on rows held out, beside that on shuffled labels and
    on a control task. Of three classes or more each is asked against the rest, with --pairs also against each other.

    rank: of the rows with a constant. odds: at most so likely are shuffled labels separable. margin / radius:
    bounds of the largest margin over the largest distance of a row from the mean. accuracy: of rows held out;
    larger class: that of always naming it. auc: the area under their ROC curve. Both have an interval of 95 %.
    shuffled: mean accuracy on shuffled labels [least to greatest]. control: the same with a random label for each
    type, such as each word (--types; without it for each group). selectivity: how much higher that of the true
    labels is, in folds that share types, as for control. Near 0 the probe knows the types by heart, and says
    nothing about the concept. separable shuffles: so many shuffled labels are separable too, where rows are
    separable and the odds are 100 %. rows to drop (--explain): bounds of the fewest rows that have to go before the
    rest is separable. few columns (--explain): so many columns still separate, or fewer.

    Exit status: 0 done, 3 some verdict is undecided, 2 bad usage or input, 130 after Ctrl-C (rows found by then are
    printed and kept).
    """
    from linsep.app.progress import Line

    with Line() as line:
        line.step("starting")
        from linsep.app.commands.probe import probe as run

        result = run(
            activations,
            labels=labels,
            label=label or (),
            groups=groups,
            types=types,
            key=key,
            axis=axis,
            pairs=pairs,
            controls=controls,
            time_limit=time_limit,
            explain=explain_limit if explain else None,
            output=output,
            directions=directions,
            certificates=certificates,
            report=report,
            on_step=line.step,
        )
    finish(result, as_json)
