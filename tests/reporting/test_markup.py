"""What notebooks show of runs and proofs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_report import Reader

from linsep import Separation, fewest_rows, max_margin, mistake_bounds, separability, separation
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import ConeProof

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]]), [0, 0, 1, 1]
SQUARE = [[0, 0], [1, 1], [0, 1], [1, 0]]


def shown(thing: Any) -> list[str]:
    """The text of what a notebook shows, piece by piece."""
    html = thing._repr_html_()
    assert len(html) < 5000
    assert "http" not in html
    page = Reader(html)
    assert page.open == []
    used = {"div", "table", "caption", "tbody", "tr", "th", "td", "svg", "title", "polyline"}
    assert {tag for tag, _ in page.tags} <= used
    return page.pieces


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_verdicts(fit_intercept: bool) -> None:
    found = separability(X, Y)
    assert shown(found)[0] == "separable"
    refused = separability(SQUARE, [0, 0, 1, 1], fit_intercept=fit_intercept)
    cells = shown(refused)
    assert cells[0] == refused.summary().split(":")[0]
    assert refused.witness is not None
    assert fit_intercept == (refused.witness.weights == (1, 1, 1, 1))
    each = "25" if fit_intercept else "33.3"  # per cent
    shares = ", ".join(f"{row} ({each} %)" for row in refused.witness.rows)
    assert cells[cells.index("witness: rows counted from 0 (share of all weights)") + 1] == shares
    assert shown(Separability(ConeProof(4, left=range(4)), 2, ended=1.0))[0] == "undecided"


def test_brackets_and_bounds() -> None:
    bracket = max_margin(X, Y)
    cells = shown(bracket)
    assert float(cells[cells.index("at least") + 1]) == pytest.approx(bracket.lower)
    bounds = mistake_bounds(X, Y, *bracket.hyperplane, mistakes=5)
    cells = shown(bounds)
    for row in bounds:
        assert cells[cells.index(row.name) + 1] == (f"{row.value:,.6g}" if row.applies else "not applicable")
    assert cells[cells.index("mistakes made") + 1] == "5"


def test_rows_that_have_to_go() -> None:
    few = fewest_rows(SQUARE, [0, 0, 1, 1])
    cells = shown(few)
    assert (cells[2], cells[4]) == (few.summary(), str(few.removed[0]))
    assert "none" in shown(fewest_rows(X, Y))


def test_names_are_shown_and_not_run() -> None:
    name = "<script>alert(1)</script>"
    found = separation(pd.DataFrame({name: [0, 0, 1, 1], "b": [1, 2, 1, 2]}), [0, 1, 1, 1])
    page = shown(found)
    assert any(name in cell for cell in page)
    assert shown(Separation("undecided", "logistic", 4, 1, True, ended=1.0))[0] == "Separation undecided"
