"""`linsep explore`: a run that moves, in the browser or in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from linsep.app.options import COLUMN, LABELLED, MISSING, POSITIVE, TABLE, TARGET, Command, under_set, used_first
from linsep.app.present import Result
from linsep.types import DataError

_EPOCHS = 1000
_MOST_SHOWN = 10**15  # numbers of more digits are rounded
_PRESETS = (
    "An example in place of TABLE: six-points (the default), semicircle, line, exclusive-or, cycling, orthonormal, "
    "drift, breast-cancer or overfitting-votes."
)
_OPTIONS = (
    TABLE.but(help="A table as `linsep fit` reads it; without one, an example is shown.", needed=False),
    TARGET,
    POSITIVE,
    used_first("preset", _PRESETS),
    used_first("learner", "Shown first: perceptron, averaged, voted, pocket, margin, pa, pa1, pa2, sgd, rocchio."),
    used_first("save", "Write the page to this HTML file, which needs no network, in place of opening it.", Path),
    COLUMN,
    *LABELLED,
    MISSING.but(under="--set"),
    under_set(
        "order",
        "Which row is next: turn (in turn, the default), random, or adversary: the mistake that makes w longest.",
    ),
    under_set("seed", "The seed of the random order; 0 if not given.", int, least=0),
    under_set(
        "max_iter", "The most epochs, passes over all rows, by default 1000; a run ends after 5 seconds.", int, least=1
    ),
    under_set("fit_intercept", "no, if the plane has no intercept: b stays at 0.", bool, True),
    under_set("view", "What the page shows first: a link of the explorer, or the part after its #."),
    under_set("port", "The port on this machine; 0 takes a free one.", int, 0, least=0, most=65535),
    under_set("browser", "no, to open no browser; the address of the page is printed.", bool, True),
)


def _explore(asked: Any) -> Result:
    """Show a run on TABLE step by step, in the browser: each update, the plane, and the theorem that bounds them.

    Only this machine can open the page, until Ctrl-C. With --save the page is a file, which needs no program but a
    browser. Numbers are standardised and categories become 0/1 columns, as in `linsep fit`.
    """
    from linsep.app.tables import check_outputs, inputs, open_labelled
    from linsep.explorer.explore import Exploration, of_preset
    from linsep.explorer.story import points_of_table, tell

    table, save = asked.table, asked.save
    check_outputs(() if table is None else inputs(table), page=save)
    chosen = {name: value for name in ("learner", "order", "seed") if (value := getattr(asked, name)) is not None}
    if table is None:
        given = {name: getattr(asked, name) for name in ("target", "positive", "max_iter")}
        given["fit_intercept"] = not asked.fit_intercept
        if ignored := [name for name, value in given.items() if value]:
            raise DataError(f"{ignored[0]} is for a TABLE: an example has rows and settings of its own")
        found = of_preset(asked.preset or "six-points", **chosen)
    elif asked.preset is not None:
        raise DataError("--preset has rows of its own: give TABLE or --preset, not both")
    else:
        source, columns = open_labelled(asked)
        how = {"positive": asked.positive, "columns": columns, "missing": asked.missing}
        points = points_of_table(source, constant=float(asked.fit_intercept), **how)
        found = Exploration(tell(points, max_iter=asked.max_iter or _EPOCHS, **chosen))
    found = found.at(asked.view or "")
    result = Result(_lines(found.story), {})
    if save is None:
        result.then = partial(found.serve, port=asked.port, browser=asked.browser)
    else:
        found.save(save)
        result.lines.append(("page", str(save)))
    return result


def _lines(story: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is said of a story: what it is about, the run that is shown first, and the verdict."""
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
    ]


explore = Command("explore", _OPTIONS, _explore)
