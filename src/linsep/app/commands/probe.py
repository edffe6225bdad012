"""`linsep probe`: `linsep.probe` for files of activations and labels, row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from linsep.app.options import JSON, OUTPUT, Command, Option, under_set
from linsep.app.present import Result

_FILES = (
    "Files with a row of numbers for each label: .npy, .npz, .safetensors, .h5 or .hdf5. Each file and each array in a "
    "file is a layer. Also a folder or a quoted pattern."
)
_GROUPS = "The column that says which rows belong together, such as the sentence; folds and odds keep them together."
_OPTIONS = (
    Option("ACTIVATIONS", _FILES, many=True, needed=True),
    Option("labels", "A table with a row for each row of the files, or .npy.", needed=True),
    Option("label", "A column of labels; may be repeated. Not needed if there is only one.", many=True),
    Option("groups", _GROUPS),
    Option(
        "time_limit",
        "Seconds for the proof, the margin, and all shuffled labels, for each row of the result.",
        float,
        least=0,
    ),
    Option("explain", "Also find how many rows to remove, and how few columns still separate.", bool, False),
    OUTPUT.but(
        help="File of JSON lines for the rows of the result, written again after each row.", kind=Path, default=None
    ),
    Option("certificates", "Folder for the proofs as JSON; examples/verify_certificate.py checks them.", Path),
    JSON.but(group=""),
    under_set("types", "The column of what a control task labels, such as the word. Default: the groups."),
    under_set(
        "key", "The column of --labels, and the array in each file, that names the rows: equal names belong together."
    ),
    under_set("axis", "For arrays with three axes: which of them counts the layers, from 0.", int),
    under_set("pairs", "With three or more classes: also each class against each other.", bool, False),
    under_set("controls", "How many times labels are shuffled, and drawn for a control task.", int, 20, least=0),
    under_set("explain_limit", "Seconds for --explain, for each layer and concept.", float, 10.0, least=0),
    under_set("directions", "Write a direction for each layer and concept to this .safetensors file.", Path),
)


def _probe(asked: Any) -> Result:
    """Prove whether concepts are linearly separable in layers of a network, and say how likely that is by chance.

    Each layer and concept has one row: the verdict, proved on all rows; Cover's bound on the chance that shuffled
    labels would be separable; the margin; the accuracy of a linear probe on rows held out, beside that on shuffled
    labels and on a control task. With three or more classes, each is tested against the rest, and with --set pairs
    also against each other.

    rank: the rank of the rows, each with a constant. odds: the chance that shuffled labels are separable is at most
    this. margin / radius: bounds of the largest margin, divided by the largest distance of a row from the mean.
    accuracy: on rows held out, with an interval of 95 %. larger class: the accuracy of always answering this class.
    auc: the area under the ROC curve. shuffled: the mean accuracy on shuffled labels [least to greatest]. control:
    the same with a random label for each type, such as each word (--set types; without it, for each group).
    selectivity: accuracy minus control, both in folds that share types. Near 0, the probe has only learnt the types
    by heart, which says nothing about the concept. separable shuffles: how many shuffled labels are separable too,
    where rows are separable and the odds are 100 %. rows to drop (--explain): bounds of the smallest number of rows
    to remove so that the rest is separable. intruders (--explain): if one side of a plane has all rows of the class,
    the fewest rows of the other class on that side. few columns (--explain): this many columns, or fewer, separate.

    Exit status: 0 done, 3 some verdict is undecided, 2 wrong options or data, 130 after Ctrl-C (rows found by then are
    printed and kept).
    """
    from linsep.app.tables import check_outputs
    from linsep.files import write_whole
    from linsep.probing.layers import files_of
    from linsep.probing.probe import probe

    files, output, directions = files_of(asked.activations), asked.output, asked.directions
    check_outputs([*files, asked.labels], rows=output, directions=directions)
    lines: list[str] = []

    def keep(row: Any) -> None:
        lines.append(json.dumps(row.to_dict(), allow_nan=False) + "\n")
        if output is not None:
            write_whole(output, "".join(lines).encode(), "the rows")

    names = ("groups", "types", "key", "axis", "pairs", "controls", "time_limit", "explain", "explain_limit")
    how = {name: getattr(asked, name) for name in (*names, "certificates")}
    try:
        found = probe(files, asked.labels, labels=asked.label, callback=keep, **how)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted before there was a row: nothing was written") from None
    result = Result(list(found.lines), {"rows": found.to_dict()}, list(found.warnings), interrupted=found.interrupted)
    if output is not None:
        result.lines.append(("rows", f"{output}: {len(found.rows)}"))
    if directions is not None:
        found.save_directions(directions)
        result.lines.append(("directions", f"{directions}: {len(found.directions)}"))
    if asked.certificates is not None:
        proved = sum(row.certificate is not None for row in found.rows)
        more = sum(row.explain_certificate is not None for row in found.rows)
        of_explain = f", and {more} of what is explained" if asked.explain else ""
        result.lines.append(("certificates", f"{asked.certificates}: {proved} of {len(found.rows)} rows{of_explain}"))
    result.exit_status = 3 if any(row.verdict == "undecided" for row in found.rows) else 0
    return result


probe = Command("probe", _OPTIONS, _probe)
