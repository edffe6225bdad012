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
_GROUPS = "The column that names rows that belong together, such as the sentence: folds and odds keep them together."
_OPTIONS = (
    Option("ACTIVATIONS", _FILES, many=True, needed=True),
    Option("labels", "A table with a row for each row of the files, or .npy.", needed=True),
    Option("label", "A column of labels; may be repeated. Not needed where there is one.", many=True),
    Option("groups", _GROUPS),
    Option("time_limit", "Seconds for the proof, the margin, and all shuffled labels, of each row.", float, least=0),
    Option("explain", "Also how many rows have to go, and how few columns still separate.", bool, False),
    OUTPUT.but(help="File of JSON lines for the rows, written anew after each row.", kind=Path, default=None),
    Option("certificates", "Folder for the proofs as JSON; examples/verify_certificate.py checks them.", Path),
    JSON.but(group=""),
    under_set("types", "The column of what a control task labels, such as the word; the groups unless given."),
    under_set("key", "The column of labels, and the array in each file, that name the rows, to match them."),
    under_set("axis", "Of arrays with three axes: the one that counts the layers, from 0.", int),
    under_set("pairs", "Of three classes or more also ask each against each other.", bool, False),
    under_set("controls", "How many times labels are shuffled, and drawn for a control task.", int, 20, least=0),
    under_set("explain_limit", "Seconds for --explain, for each layer and concept.", float, 10.0, least=0),
    under_set("directions", "File of .safetensors for a direction of each layer and concept.", Path),
)


def _probe(asked: Any) -> Result:
    """Prove whether concepts are linearly separable in layers of a network, and say whether chance could do it.

    A row for each layer and concept: the verdict, proved on all rows; Cover's bound on the chance that shuffled labels
    would be separable; the margin; the accuracy of a linear probe on rows held out, beside that on shuffled labels and
    on a control task. Of three classes or more each is asked against the rest, and with --set pairs
    against each other.

    rank: of the rows with a constant. odds: at most so likely are shuffled labels separable. margin / radius:
    bounds of the largest margin over the largest distance of a row from the mean. accuracy: of rows held out,
    with an interval of 95 %; larger class: that of always naming it. auc: the area under their ROC curve.
    shuffled: mean accuracy on shuffled labels [least to greatest]. control: the same with a random label for each
    type, such as each word (--set types; without it for each group). selectivity: how much higher that of the true
    labels is, in folds that share types, as for control. Near 0 the probe knows the types by heart, and says
    nothing about the concept. separable shuffles: so many shuffled labels are separable too, where rows are
    separable and the odds are 100 %. rows to drop (--explain): bounds of the fewest rows that have to go before the
    rest is separable. intruders (--explain): the fewest rows of the other class on the side of a plane that has
    all rows of the class asked about. few columns (--explain): so many columns still separate, or fewer.

    Exit status: 0 done, 3 some verdict is undecided, 2 bad usage or input, 130 after Ctrl-C (rows found by then are
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
