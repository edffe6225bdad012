"""The figures that stand on the pages, so that a row that falls is seen in the run that made it fall."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
# A ratio has fallen if it is below the page's by more than this share, and every pair of this run is below it as well.
NOISE = 0.1
_CELL = re.compile(r"(?<!\\)\|")


def last_ratios(pages: Sequence[Path]) -> dict[tuple[str, str], float]:
    """What stands in the column `ratio` of the tables of these pages, by the work and the name of the peer."""
    found: dict[tuple[str, str], float] = {}
    for page in pages:
        names: list[str] = []
        for line in page.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in _CELL.split(line)[1:-1]]
            if not cells:
                names = []
            elif not names:
                names = cells
            elif {"work", "peer", "ratio"} <= set(names) and len(cells) == len(names):
                row = dict(zip(names, cells, strict=True))
                if figure := re.match(r"([\d.]+) x", row["ratio"]):
                    found[row["work"], row["peer"].rpartition(": ")[0]] = float(figure[1])
    return found


def fell(before: float | None, ratio: float, pairs: Sequence[float]) -> bool:
    """Whether a ratio is below what it was by more than noise; `pairs` are the ratios of the runs made in turn."""
    return before is not None and ratio < (1 - NOISE) * before and max(pairs) < before
