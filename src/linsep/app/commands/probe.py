"""`linsep probe`: `linsep.probe` for files of activations and labels, row by row."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from linsep.app.result import Result
from linsep.files import check_output, write_whole
from linsep.probing.layers import files_of, open_layers
from linsep.probing.measured import ProbeRow
from linsep.probing.probe import probe as ask
from linsep.types import Array


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
    on_step: Callable[[str], None] = lambda step: None,
) -> Result:
    """Ask every layer about every concept, and write what is found after each row; Ctrl-C keeps it."""
    files = files_of(activations)
    reads = [*files, labels]
    if output is not None:
        check_output(output, "the rows", reads=tuple(reads))
    if directions is not None:
        check_output(directions, "the directions", reads=(*reads, output))
    on_step("reading the labels")
    layers, lines = open_layers(files, axis=axis, key=key), list[str]()

    def told(k: int) -> Array:
        on_step(f"layer {k + 1} of {len(layers)}: {layers[k].name}")
        return layers[k].read()

    def keep(row: ProbeRow) -> None:
        lines.append(json.dumps(row.to_dict(), allow_nan=False) + "\n")
        if output is not None:
            write_whole(output, "".join(lines).encode(), "the rows")

    try:
        found = ask(
            [replace(layer, read=partial(told, k)) for k, layer in enumerate(layers)],
            labels,
            labels=label,
            groups=groups,
            types=types,
            key=key,
            pairs=pairs,
            controls=controls,
            time_limit=time_limit,
            explain=explain is not None,
            explain_limit=explain or 0.0,
            certificates=certificates,
            callback=keep,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted before there was a row: nothing was written") from None
    result = Result(list(found.lines), {"rows": found.to_dict()}, list(found.warnings), interrupted=found.interrupted)
    if output is not None:
        result.lines.append(("rows", f"{output}: {len(found.rows)}"))
    if directions is not None:
        found.save_directions(directions)
        result.lines.append(("directions", f"{directions}: {len(found.directions)}"))
    if certificates is not None:
        proved = sum(row.certificate is not None for row in found.rows)
        more = sum(row.explain_certificate is not None for row in found.rows)
        of_explain = "" if explain is None else f", and {more} of what is explained"
        result.lines.append(("certificates", f"{certificates}: {proved} of {len(found.rows)} rows{of_explain}"))
    result.exit_status = 3 if any(row.verdict == "undecided" for row in found.rows) else 0
    return result
