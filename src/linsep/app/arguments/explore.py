"""The options of `linsep explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.arguments.options import (
    COLUMN,
    LABELLED,
    MISSING,
    POSITIVE,
    TABLE,
    TARGET,
    split_off,
    under_set,
    with_kinds,
)
from linsep.app.arguments.parser import Option
from linsep.app.present import print_lines

_FIRST = TARGET.group
OPTIONS = (
    TABLE.but(help="A table as `linsep fit` reads it; without one a preset is shown.", needed=False),
    TARGET,
    POSITIVE,
    Option(
        "preset",
        "In place of TABLE: six-points (unless given), semicircle, line, exclusive-or, cycling, orthonormal, drift, "
        "breast-cancer or overfitting-votes.",
        group=_FIRST,
    ),
    Option(
        "learner",
        "What is shown first: perceptron (unless given), averaged, voted, pocket, margin, pa, pa1, pa2, sgd or "
        "rocchio.",
        group=_FIRST,
    ),
    Option(
        "save", "Write the page to this HTML file, which needs no network, in place of opening it.", Path, group=_FIRST
    ),
    COLUMN,
    *LABELLED,
    MISSING.but(under="--set"),
    under_set(
        "order",
        "The order of the rows: turn (unless given), random, or adversary, which takes the mistaken row for which w "
        "grows most.",
    ),
    under_set("seed", "The seed of the order random; 0 if not given.", int, least=0),
    under_set(
        "max_iter", "Largest number of epochs, 1000 unless given; a run also ends after 5 seconds.", int, least=1
    ),
    under_set("fit_intercept", "Whether the plane has an intercept; without one b stays at 0.", bool, True),
    under_set("port", "The port on this machine; 0 takes a free one.", int, 0, least=0, most=65535),
    under_set("browser", "Whether to open a browser; the address of the page is printed.", bool, True),
)


def explore(*, port: int, browser: bool, **asked: Any) -> None:
    """Show a run on TABLE step by step, in the browser: each update, the plane, and the theorem that bounds them.

    The page is served to this machine alone until Ctrl-C (extra explore); --save writes it to a file instead, which
    needs neither. Numbers are standardised and categories become indicators, as in `linsep fit`.
    """
    from linsep.app.progress import Line

    with Line() as line:
        line.step("starting")
        from linsep.app.commands.explore import explore as run

        chosen = {name: value for name in ("learner", "order", "seed") if (value := asked.pop(name)) is not None}
        reading = split_off(asked)
        line.step("training and proving")
        asked |= {"chosen": chosen, "reading": reading}
        found, result = run(asked.pop("table"), **with_kinds(asked))
    print_lines(result.lines, result.data, False)
    if asked["save"] is None:
        found.serve(port=port, browser=browser)
