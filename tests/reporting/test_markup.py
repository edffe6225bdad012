"""What notebooks show of runs and proofs."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

from linsep import Separation, fewest_rows, max_margin, mistake_bounds, separability, separation
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import ConeProof

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]]), [0, 0, 1, 1]
SQUARE = [[0, 0], [1, 1], [0, 1], [1, 0]]


class Page(HTMLParser):
    """Cells, and tags that were opened and not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.seen: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def shown(thing: Any) -> Page:
    html = thing._repr_html_()
    assert len(html) < 5000
    assert "http" not in html
    page = Page(html)
    assert page.tags == []
    assert page.seen <= {"div", "table", "caption", "tbody", "tr", "th", "td", "svg", "title", "polyline"}
    return page


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_verdicts(fit_intercept: bool) -> None:
    found = separability(X, Y)
    assert shown(found).cells[0] == "separable"
    refused = separability(SQUARE, [0, 0, 1, 1], fit_intercept=fit_intercept)
    cells = shown(refused).cells
    assert cells[0] == refused.summary().split(":")[0]
    assert refused.witness is not None
    assert fit_intercept == (refused.witness.weights == (1, 1, 1, 1))
    each = "25" if fit_intercept else "33.3"  # per cent
    shares = ", ".join(f"{row} ({each} %)" for row in refused.witness.rows)
    assert cells[cells.index("witness: rows counted from 0 (share of all weights)") + 1] == shares
    assert shown(Separability(ConeProof(4, left=range(4)), 2, ended=1.0)).cells[0] == "undecided"


def test_brackets_and_bounds() -> None:
    bracket = max_margin(X, Y)
    cells = shown(bracket).cells
    assert float(cells[cells.index("at least") + 1]) == pytest.approx(bracket.lower)
    bounds = mistake_bounds(X, Y, *bracket.hyperplane, mistakes=5)
    cells = shown(bounds).cells
    for row in bounds:
        assert cells[cells.index(row.name) + 1] == (f"{row.value:,.6g}" if row.applies else "not applicable")
    assert cells[cells.index("mistakes made") + 1] == "5"


def test_rows_that_have_to_go() -> None:
    few = fewest_rows(SQUARE, [0, 0, 1, 1])
    cells = shown(few).cells
    assert (cells[2], cells[4]) == (few.summary(), str(few.removed[0]))
    assert "none" in shown(fewest_rows(X, Y)).cells


def test_names_are_shown_and_not_run() -> None:
    name = "<script>alert(1)</script>"
    found = separation(pd.DataFrame({name: [0, 0, 1, 1], "b": [1, 2, 1, 2]}), [0, 1, 1, 1])
    page = shown(found)
    assert any(name in cell for cell in page.cells)
    assert shown(Separation("undecided", "logistic", 4, 1, True, ended=1.0)).cells[0] == "Separation undecided"
