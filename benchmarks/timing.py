"""Timing in turn, medians, and what is made of them: Markdown tables as they grow, and JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.last import Key, Ratio, key

RUNS = 5
Work = Callable[[], Any]


def seconds(work: Work, clock: Callable[[], float] = time.perf_counter) -> float:
    """How long one call takes."""
    began = clock()
    work()
    return clock() - began


def in_turn(
    works: Sequence[Work], patience: float = float("inf"), clock: Callable[[], float] = time.perf_counter
) -> list[list[float]]:
    """The seconds of five runs of each, run in turn, so that a slow moment of the machine meets all alike.

    Whatever has had `patience` seconds already is not run again: something that takes minutes runs once.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(RUNS):
        for work, spent in zip(works, times, strict=True):
            if sum(spent) < patience:
                spent.append(seconds(work, clock))
    return times


class Report:
    """Markdown tables, printed row by row as they are measured and kept, and the figures for programs."""

    def __init__(self, before: Mapping[Key, float] | None = None) -> None:
        self.lines: list[str] = []
        self.figures: list[dict[str, Any]] = []
        self.fallen: list[str] = []
        self.unknown: list[str] = []
        self.pictures: list[Callable[[list[dict[str, Any]], Path], None]] = []
        self._before = before or {}
        self._title = ""

    def say(self, line: str) -> None:
        """Print a line and keep it."""
        print(line, flush=True)
        self.lines.append(line)

    def row(self, title: str, cells: Mapping[str, object], figures: dict[str, Any]) -> None:
        """Add one row to the table of that title; the first row of a table brings its heading.

        A `Ratio`, which stands in the column `ratio`, is compared with the pages, see `last.py`.
        """
        if title != self._title:
            self._title = title
            self.say(f"\n### {title}\n" if self.lines else f"### {title}\n")
            self.say(f"| {' | '.join(cells)} |")
            self.say("|" + "---|" * len(cells))
        ratio = cells.get("ratio")
        mark = self._compared(key(title, cells), ratio) if isinstance(ratio, Ratio) else ""
        self.say(f"| {' | '.join(f'{cell}{mark}' if cell is ratio else str(cell) for cell in cells.values())} |")
        self.figures.append({"table": title, **figures})

    def _compared(self, name: Key, ratio: Ratio) -> str:
        """The mark of a ratio below that of the pages; what fell and what the pages lack is said again at the end."""
        before = self._before.get(name)
        mark = ratio.against(before)
        if before is None:
            self.unknown.append(", ".join(filter(None, name)))
        elif "fell" in mark:
            self.fallen.append(f"{', '.join(filter(None, name))}: {ratio}{mark}")
        return mark

    def compare(
        self,
        work: str,
        ours: Work,
        peer: str,
        theirs: Work,
        wanted: float | None = None,
        *,
        limit: Work | None = None,
        limit_is: str = "",
        note: Callable[[], str] = str,
    ) -> None:
        """Time ours, theirs and plain work to compare with, in turn after a warm-up; the ratio is theirs / ours."""
        works = [ours, theirs] if limit is None else [ours, theirs, limit]
        for once in works:
            once()
        times = in_turn(works)
        a, b, *least = map(median, times)
        said = note()
        cells = {
            "work": work,
            "linsep": show(a),
            "peer": f"{peer}: {show(b)}",
            "ratio": Ratio(times[0], times[1]),
            "wanted": "" if wanted is None else f"{wanted:.2f} x",
            "limit": f"{a / least[0]:.1f} x {show(least[0])} ({limit_is}); that alone: {b / least[0]:.2f} x"
            if least
            else "",
            "note": said,
        }
        figures = {"work": work, "linsep_s": a, "peer": peer, "peer_s": b, "ratio": b / a, "wanted": wanted}
        self.row("Speed", cells, {**figures, "limit_s": least[0] if least else None, "limit": limit_is, "note": said})

    def warn(self) -> None:
        """Say on stderr which rows fell, and which could not because the pages do not have them."""
        for what, rows in (
            ("Below the pages by more than noise", self.fallen),
            ("Not on the pages, compared with nothing", self.unknown),
        ):
            if rows:
                print(f"\n{what}:", *rows, sep="\n  ", file=sys.stderr)

    def draw(self, path: Path) -> None:
        """Draw what the suites have to be looked at, beside the page that holds the figures."""
        for picture in self.pictures:
            picture(self.figures, path)

    def write(self, stem: Path) -> None:
        """Write what was printed to stem.md and the figures to stem.json."""
        stem.parent.mkdir(exist_ok=True)
        stem.with_suffix(".md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        stem.with_suffix(".json").write_text(json.dumps(self.figures, indent=1) + "\n", encoding="utf-8")


def show(s: float) -> str:
    """Seconds in three digits, in milliseconds below a tenth."""
    return f"{1000 * s:.3g} ms" if s < 0.1 else f"{s:.3g} s" if s < 100 else f"{s:.0f} s"


def show_median(times: Sequence[float]) -> str:
    """The median, and how many runs it is of where they are not five."""
    few = "" if len(times) == RUNS else ", one run" if len(times) == 1 else f", {len(times)} runs"
    return show(median(times)) + few


def spread(values: Sequence[float], form: str = ".4f") -> str:
    """The mean, and the least and the greatest where they differ."""
    low, mid, high = (f"{value:{form}}" for value in (min(values), fmean(values), max(values)))
    return mid if low == high else f"{mid} ({low} to {high})"
