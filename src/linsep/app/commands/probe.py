"""`linsep probe`: `linsep.probe` for files of activations and labels, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from linsep.app.result import Result
from linsep.data.inputs import find_files
from linsep.files import check_output
from linsep.probing.probe import Probe, asked, probe_rows
from linsep.probing.saved import SavedRows, question


def probe(
    activations: Sequence[str],
    *,
    labels: str,
    label: Sequence[str] = (),
    groups: str | None = None,
    types: str | None = None,
    key: str | None = None,
    axis: int | None = None,
    controls: int = 20,
    time_limit: float | None = None,
    output: Path | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Result:
    """Ask every layer about every concept; Ctrl-C keeps the rows found so far, and a file of them is gone on from."""
    files = [path for one in activations for path in find_files(one)]
    reads = [*files, labels]
    if output is not None:
        check_output(output, "the rows", reads=tuple(reads))
    on_step("reading the labels")
    layers, read, settings = asked(files, labels, label, groups, types, key, axis, controls, 5, time_limit, 0)
    saved = None if output is None else SavedRows(output, question(layers, read, settings, files), reads)
    went_on = 0 if saved is None else len(saved.known)
    rows = []

    def say(k: int, layer: str, concept: str) -> None:
        on_step(f"layer {k + 1} of {len(layers)}: {layer}, {concept}")

    interrupted = False
    try:
        for row in probe_rows(layers, read, settings, known=None if saved is None else saved.known, on_layer=say):
            rows.append(row)
            if saved is not None:
                saved.add(row)
    except KeyboardInterrupt:
        if not rows:
            raise KeyboardInterrupt("interrupted before there was a row") from None
        interrupted = True
    found = Probe(tuple(rows))
    lines = list(found.lines)
    if saved is not None:
        taken = f"; {went_on} of them were there before" if went_on else ""
        lines.append(("rows", f"{output}: {len(saved.known)} of {len(layers) * len(read.questions)}{taken}"))
    result = Result(lines, {"rows": found.to_dict()}, interrupted=interrupted)
    if interrupted:
        kept = "" if saved is None else "; the same command goes on from there"
        result.warnings.append(f"interrupted; these are the rows found by then{kept}")
    result.exit_status = 3 if any(row.verdict == "undecided" for row in rows) else 0
    return result
