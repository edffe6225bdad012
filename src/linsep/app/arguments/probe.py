"""The options of `linsep probe`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.arguments.options import JSON, OUTPUT, TIME_LIMIT, under_set
from linsep.app.arguments.parser import Option
from linsep.app.present import finish

OPTIONS = (
    Option(
        "ACTIVATIONS",
        "Files with a row of numbers for each label: .npy, .npz, .safetensors, .h5 or .hdf5. Each file and each array "
        "in a file is a layer. Also a folder or a quoted pattern.",
        many=True,
        needed=True,
    ),
    Option(
        "labels", "A table with a row for each row of the activations: CSV, JSON lines, Parquet, or .npy.", needed=True
    ),
    Option(
        "label",
        "A column of labels, of two classes or more; may be repeated. Not needed where there is one.",
        many=True,
    ),
    Option(
        "groups",
        "The column that names groups of rows that depend on each other, such as the sentence: folds keep them "
        "together, and the odds count groups, where each has one label.",
    ),
    TIME_LIMIT.but(
        help="Seconds for the proof, for the margin, and for all shuffled labels together, of each row.", group=""
    ),
    Option(
        "explain",
        "Also how many rows have to go where the rows are not separable, and how few columns still separate.",
        bool,
        False,
    ),
    OUTPUT.but(help="File of JSON lines for the rows, written anew after each row.", kind=Path, default=None),
    Option(
        "certificates",
        "Folder for the proof of each layer and concept as JSON, and of what --explain says of it; "
        "examples/verify_certificate.py checks them.",
        Path,
    ),
    JSON.but(group=""),
    under_set(
        "types", "The column of what a control task gives random labels to, such as the word. The groups unless given."
    ),
    under_set(
        "key",
        "The column of labels, and the array in each file of activations, that names the rows. Rows are matched by it; "
        "otherwise by their position.",
    ),
    under_set("axis", "Of arrays with three axes: the one that counts the layers, from 0.", int),
    under_set(
        "pairs",
        "Of three classes or more also ask each against each other, without the rows of the other classes.",
        bool,
        False,
    ),
    under_set("controls", "How many times labels are shuffled, and drawn for a control task.", int, 20, least=0),
    under_set("explain_limit", "Seconds for --explain, for each layer and concept.", float, 10.0, least=0),
    under_set(
        "directions",
        "File of .safetensors for a direction of each layer and concept: of the largest margin, else of a probe fitted "
        "on all rows.",
        Path,
    ),
)


def probe(*, explain: bool, explain_limit: float, as_json: bool, **asked: Any) -> None:
    """Prove whether concepts are linearly separable in layers of a network, and say whether chance could do it.

    A row for each layer and concept: the verdict, proved on all rows; Cover's bound on the chance that shuffled labels
    would be separable; the margin; the accuracy of a linear probe on rows held out, beside that on shuffled labels and
    on a control task. Of three classes or more each is asked against the rest, and with --set pairs
    against each other.

    rank: of the rows with a constant. odds: at most so likely are shuffled labels separable. margin / radius:
    bounds of the largest margin over the largest distance of a row from the mean. accuracy: of rows held out;
    larger class: that of always naming it. auc: the area under their ROC curve. Both have an interval of 95 %.
    shuffled: mean accuracy on shuffled labels [least to greatest]. control: the same with a random label for each
    type, such as each word (--set types; without it for each group). selectivity: how much higher that of the true
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

        limit = explain_limit if explain else None
        result = run(asked.pop("activations"), explain=limit, on_step=line.step, **asked)
    finish(result, as_json)
