"""The page of performance: ten rows of the tables that `make bench` printed, and a picture of them.

`python -m benchmarks.page` puts both into docs/performance.md; the figures are those of RESULTS*.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt

from benchmarks.last import FIGURES, MARKS, rows_of
from linsep.plots.style import GREY, look

PAGE = FIGURES.parents[1] / "docs" / "performance.md"
# What a reader sees of a row, in the picture up to the first comma -> the page of figures, the table, and how its
# first cell begins.
_SPEED, _PROOFS = ("RESULTS.md", "Speed"), ("RESULTS-of-proofs.md", "Certificates")
_FILES = ("RESULTS.md", "From a file to a model, one pass")
ROWS = {
    "Breast cancer to its clean pass, 217,171 epochs": (*_SPEED, "breast cancer"),
    "MNIST even or odd, 10 epochs": (*_SPEED, "MNIST even/odd, 10 epochs"),
    "MNIST ten classes, 10 epochs": (*_SPEED, "MNIST, 10 classes"),
    "Flights, 3,000,000 sparse rows, 3 shuffled epochs": (*_SPEED, "flights 3,000,000 x 536 CSR, 3 epochs, shuffled"),
    "Census-Income, 199,523 sparse rows, 10 shuffled epochs": (
        *_SPEED,
        "Census-Income 199,523 x 510 CSR, 10 epochs, sh",
    ),
    "20 Newsgroups, 20 classes, averaged, 10 epochs": (*_SPEED, "20 Newsgroups tf-idf"),
    "One dict after another, of 20 numbers, learnt": (*_SPEED, "5,000 dicts of 20 features, learn_one"),
    "Census-Income from CSV to a model, one pass": (*_FILES, "Census-Income as CSV"),
    "Proof: MNIST 0 or not, 10,000 rows": (*_PROOFS, "MNIST-10,000, 0"),
    "Proof: noise of 150 x 40": (*_PROOFS, "noise 150 x 40"),
}
_SECONDS = re.compile(r"([\d.]+ m?s)\b")


class Row(NamedTuple):
    """A row of the page; `limit` is the ratio of plain work alone, where it was timed."""

    work: str
    linsep: str
    peer: str
    theirs: str
    ratio: float
    limit: float | None


def rows() -> Iterator[Row]:
    """The ten rows of the page."""
    for work, (page, table, begin) in ROWS.items():
        printed = rows_of(FIGURES.with_name(page))
        row = next(cells for title, cells in printed if title == table and next(iter(cells.values())).startswith(begin))
        peer, _, theirs = row["peer"].partition(": ") if "peer" in row else ("HiGHS, without a proof", "", row["HiGHS"])
        own, other = (_SECONDS.search(cell) for cell in (row["linsep"], theirs))
        limit = re.search(r"alone: ([\d.]+) x", row.get("limit", ""))
        assert own is not None
        assert other is not None
        yield Row(work, own[1], peer, other[1], float(row["ratio"].split()[0]), limit and float(limit[1]))


def table(found: Sequence[Row]) -> str:
    """The rows as a table of Markdown."""
    lines = ["| work | linsep | beside | its time | times as fast | limit |", "|---|---|---|---|---|---|"]
    for row in found:
        limit = f"{row.limit:.3g}" if row.limit else ""
        lines.append(f"| {row.work} | {row.linsep} | {row.peer} | {row.theirs} | {row.ratio:.3g} | {limit} |")
    return "\n".join(lines)


def draw(found: Sequence[Row], path: Path) -> None:
    """Write the ratios as bars, with a mark at each limit; the same bytes for the same rows."""
    with mpl.rc_context({"svg.hashsalt": "linsep", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure, ax = plt.subplots(figsize=(5.6, 2.8), layout="constrained")
        places = range(len(found))
        ax.barh(places, [row.ratio for row in found], color=look(0).colour, height=0.6)
        limits = [(row.limit, place) for place, row in enumerate(found) if row.limit]
        ax.plot(*zip(*limits, strict=True), "|", color="black", markersize=11, markeredgewidth=2, label="limit")
        ax.set(xscale="log", xlim=(1, 200), xlabel="times as fast", yticks=places)
        ax.set_xticks([1, 2, 5, 10, 20, 50, 100, 200], [*"125", "10", "20", "50", "100", "200"])
        ax.minorticks_off()
        ax.grid(axis="x", color=GREY, linewidth=0.5, alpha=0.5)
        ax.set_yticklabels([row.work.partition(", ")[0] for row in found])
        ax.invert_yaxis()
        ax.legend(loc="center right")
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def put() -> None:
    """Write the table into the page, and the picture beside it."""
    found = list(rows())
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    tail = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{head}{MARKS[0]}\n\n{table(found)}\n\n{MARKS[1]}{tail}", encoding="utf-8")
    draw(found, PAGE.with_suffix(".svg"))


if __name__ == "__main__":
    put()
