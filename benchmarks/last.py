"""The figures that stand on the pages, so that a row that falls is seen in the run that made it fall.

Every table with a column `ratio` is compared, row by row. Where there is no peer there is nothing to compare: the
seconds of two runs differ by what else the machine did. A row below the page's figure says so and keeps that figure,
"1.80 x, fell: 2.41 x before", on the page too, and later runs are compared with it until one is within noise of it
again. So a page printed anew cannot hide a fall. A page that another processor printed is not compared with: ratios
differ between processors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

FIGURES = Path(__file__).with_name("RESULTS.md")
# All pages with tables of ratios.
PAGES = sorted([*FIGURES.parent.glob("RESULTS*.md"), *FIGURES.parents[1].joinpath("docs").glob("*.md")])
# A page holds what was printed between these lines; the last says on which processor.
MARKS = ("<!-- make bench printed -->", "<!-- until here -->")
# A ratio may be below the page's by this share; one of a single pair of runs by the second before it is called a fall.
NOISE, NOISE_OF_ONE = 0.1, 0.2
# So many of the pairs have to be below the page's figure: one lucky pair in five does not hide a fall.
MOST = 0.75
_PROCESSOR = re.compile(r"^(.+), Python \d", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_FIGURE = re.compile(r"([\d.]+) x")
_BEFORE = re.compile(r"([\d.]+) x before")
Key = tuple[str, str, str]


class Ratio(NamedTuple):
    """How many times faster than the peer, by the seconds of runs made in turn; `at_least` if the peer was stopped."""

    ours: Sequence[float]
    theirs: Sequence[float]
    at_least: bool = False
    after: str = ""

    @property
    def value(self) -> float:
        """The ratio of the medians."""
        return float(median(self.theirs) / median(self.ours))

    def __str__(self) -> str:
        return f"{'at least ' if self.at_least else ''}{self.value:.2f} x{self.after}"

    def against(self, before: float | None) -> str:
        """What is added to the cell where the page had more than noise more."""
        if before is None or self.value >= (1 - NOISE) * before:
            return ""
        return f", {'fell: ' if self._fell(before) else ''}{before:.2f} x before"

    def _fell(self, before: float) -> bool:
        """Whether that is sure: not if the peer was stopped, perhaps earlier than before, or few pairs say so."""
        if self.at_least:
            return False
        pairs = [peer / own for own, peer in zip(self.ours, self.theirs, strict=False)]
        if len(pairs) == 1:
            return self.value < (1 - NOISE_OF_ONE) * before
        return sum(pair < before for pair in pairs) >= MOST * len(pairs)


def key(title: str, cells: Mapping[str, object]) -> Key:
    """What names a row: its table, its first cell, and its peer without the seconds."""
    return title, str(next(iter(cells.values()))), str(cells.get("peer", "")).rpartition(": ")[0]


def last_ratios(pages: Sequence[Path], processor: str = "") -> dict[Key, float]:
    """What stands in the column `ratio` of the tables of these pages, or what it was before it fell.

    Those of another processor than the one given are left out.
    """
    found: dict[Key, float] = {}
    for page in pages:
        told = _PROCESSOR.findall(page.read_text(encoding="utf-8").partition(MARKS[0])[2].partition(MARKS[1])[0])
        if processor and told and told[-1] != processor:
            continue
        for title, row in rows_of(page):
            if figure := _BEFORE.search(row.get("ratio", "")) or _FIGURE.search(row.get("ratio", "")):
                found[key(title, row)] = float(figure[1])
    return found


def rows_of(page: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of the tables of a page, each with the title of its table."""
    title, names = "", list[str]()
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in _CELL.split(line)[1:-1]] if line.startswith("|") else []
        if not cells:
            names = []
            title = line.lstrip("# ") if line.startswith("#") else title
        elif not names:
            names = cells
        elif len(cells) == len(names):
            yield title, dict(zip(names, cells, strict=True))
