"""`linsep explore`: a run that moves, in the browser or in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linsep.app.labelled import inputs, open_labelled
from linsep.app.result import Result
from linsep.explorer.explore import Exploration, of_preset
from linsep.explorer.story import tell
from linsep.explorer.table import points_of_table
from linsep.files import check_output
from linsep.types import DataError

_EPOCHS = 1000
_MOST_SHOWN = 10**15  # numbers of more digits are rounded


def explore(
    table: str | None,
    *,
    target: str | None,
    positive: str | None,
    preset: str | None,
    chosen: Mapping[str, Any],
    max_iter: int | None,
    fit_intercept: bool,
    save: Path | None,
    columns: Mapping[str, str],
    missing: Any,
    reading: Mapping[str, Any],
) -> tuple[Exploration, Result]:
    """Make the story of a table, or of a preset, and write its page if a file is named.

    `chosen` has the learner, the order and the seed, as far as they are given.
    """
    read = inputs(table) if table is not None else ()
    if save is not None:
        check_output(save, "the page", reads=read)
    if table is None:
        given = {"target": target, "positive": positive, "max_iter": max_iter, "fit_intercept": not fit_intercept}
        if ignored := [name for name, value in given.items() if value]:
            raise DataError(f"{ignored[0]} is for a TABLE: an example has rows and settings of its own")
        found = of_preset(preset or "six-points", **chosen)
    elif preset is not None:
        raise DataError("--preset has rows of its own: give TABLE or --preset, not both")
    else:
        source = open_labelled(table, target, columns, reading)
        asked = {"positive": positive, "columns": columns, "missing": missing, "constant": float(fit_intercept)}
        found = Exploration(tell(points_of_table(source, **asked), max_iter=max_iter or _EPOCHS, **chosen))
    if save is not None:
        found.save(save, reads=read)
    return found, Result(_lines(found.story, save), {})


def _lines(story: Mapping[str, Any], save: Path | None) -> list[tuple[str, str]]:
    """What is said of a story: what it is about, the run that is shown first, the verdict and where the page is."""
    run = story["runs"][0]
    sent = f", the last {run['total'] - run['from']:,} of them on the page" if run["from"] else ""
    bound = story["verdict"]["bound"]
    said = "" if bound is None else f"{bound:,}" if bound < _MOST_SHOWN else f"{float(min(bound, 10**300)):.3g}"
    allowed = f", at most {said} by (R / gamma)^2" if said and run["name"] == "perceptron" else ""
    return [
        ("rows x columns", f"{story['n']:,} x {story['p']:,}"),
        ("run", f"{run['label']}, {run['total']:,} updates{sent}{allowed}"),
        ("stop reason", run["stop"]),
        ("verdict", story["verdict"]["line"]),
        *([] if save is None else [("page", str(save))]),
    ]
