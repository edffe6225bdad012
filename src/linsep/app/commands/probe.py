"""`linsep probe`: `linsep.probe` for files of activations and labels, row by row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from linsep.app.report import check_report, page_of_probe, with_report
from linsep.app.result import Result
from linsep.files import check_output
from linsep.probing.directions import cosines, read_directions, write_directions
from linsep.probing.doubts import doubts_of, doubts_of_unused
from linsep.probing.layers import files_of
from linsep.probing.probe import Probe, asked, keys_of, probe_rows
from linsep.probing.saved import SavedProofs, SavedRows, question


def probe(
    activations: Sequence[str],
    *,
    labels: str,
    label: Sequence[str] = (),
    groups: str | None = None,
    types: str | None = None,
    key: str | None = None,
    axis: int | None = None,
    pairs: bool = False,
    controls: int = 20,
    time_limit: float | None = None,
    explain: float | None = None,
    output: Path | None = None,
    directions: Path | None = None,
    certificates: Path | None = None,
    report: Path | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Result:
    """Ask every layer about every concept; Ctrl-C keeps the rows found so far, and a file of them is gone on from."""
    files = files_of(activations)
    reads = [*files, labels]
    if output is not None:
        check_output(output, "the rows", reads=tuple(reads))
    if directions is not None:
        check_output(directions, "the directions", reads=(*reads, output))
    check_report(report, *reads, output, directions)
    on_step("reading the labels")
    layers, read, settings = asked(
        files, labels, label, groups, types, key, axis, pairs, controls, 5, time_limit, 0, explain
    )
    proofs = None
    if certificates is not None:
        proofs = SavedProofs(certificates, keys_of(layers, read), (*reads, output, directions, report))
    to_know_again = files if output is not None or directions is not None else []
    if to_know_again:
        on_step("reading the activations, to know them again")
    about = question(layers, read, settings, to_know_again, axis)
    saved = None if output is None else SavedRows(output, about, reads)
    digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    before = {} if saved is None else saved.known
    vectors = {} if directions is None else read_directions(directions, before, digest)
    known = {
        key: (row, vectors.get(key))
        for key, row in before.items()
        if (directions is None or key in vectors) and (proofs is None or proofs.holds(row))
    }
    rows = []

    def say(k: int, layer: str, concept: str) -> None:
        on_step(f"layer {k + 1} of {len(layers)}: {layer}, {concept}")

    interrupted = False
    try:
        for row, direction in probe_rows(layers, read, settings, known=known, on_layer=say, proofs=proofs):
            rows.append(row)
            if directions is not None and direction is not None:
                vectors[row.layer, row.concept] = direction
                write_directions(directions, vectors, digest)
            if saved is not None:
                saved.add(row)
    except KeyboardInterrupt:
        if not rows:
            raise KeyboardInterrupt("interrupted before there was a row: nothing was written") from None
        interrupted = True
    doubts = [*doubts_of(layers, read, settings.folds), *doubts_of_unused(rows, read)]
    found = Probe(tuple(rows), vectors, tuple(doubts))
    result = Result(list(found.lines), {"rows": found.to_dict()}, doubts, interrupted=interrupted)
    if saved is not None:
        taken = f"; {len(known)} of them were there before" if known else ""
        result.lines.append(("rows", f"{output}: {len(saved.known)} of {len(layers) * len(read.questions)}{taken}"))
    if directions is not None:
        result.lines.append(("directions", f"{directions}: {', '.join(_kinds(found))}"))
        result.data["cosines"] = _cosines(found)
    if certificates is not None:
        proved = sum(row.certificate is not None for row in rows)
        more = sum(row.explain_certificate is not None for row in rows)
        of_explain = "" if explain is None else f", and {more} of what is explained"
        result.lines.append(("certificates", f"{certificates}: {proved} of {len(rows)} rows{of_explain}"))
    if interrupted:
        kept = "" if saved is None else "; the same command goes on from there"
        result.warnings.append(f"interrupted; these are the rows found by then{kept}")
    result.exit_status = 3 if any(row.verdict == "undecided" for row in rows) else 0
    return with_report(result, report, page_of_probe(found, result.lines[len(found.lines) :]))


def _kinds(found: Probe) -> list[str]:
    """How many directions there are of each kind."""
    kinds = [one.kind for one in found.directions.values()]
    return [f"{kinds.count(kind)} of the kind {kind}" for kind in dict.fromkeys(kinds)]


def _cosines(found: Probe) -> dict[str, dict[str, dict[str, float]]]:
    """The cosine of each concept with each later one, layer by layer."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for layer in dict.fromkeys(layer for layer, _ in found.directions):
        names, values = cosines(found.directions, layer)
        out[layer] = {
            name: {other: float(values[j, k]) for k, other in enumerate(names) if k > j}
            for j, name in enumerate(names[:-1])
        }
    return out
