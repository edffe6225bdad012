"""Timing in turn, medians, and what is made of them: Markdown tables as they grow, and JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.last import fell

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

    def __init__(self, before: Mapping[tuple[str, str], float] | None = None) -> None:
        self.lines: list[str] = []
        self.figures: list[dict[str, Any]] = []
        self.fallen: list[str] = []
        self.pictures: list[Callable[[list[dict[str, Any]], Path], None]] = []
        self._before = before or {}
        self._title = ""

    def say(self, line: str) -> None:
        """Print a line and keep it."""
        print(line, flush=True)
        self.lines.append(line)

    def row(self, title: str, cells: dict[str, str], figures: dict[str, Any]) -> None:
        """Add one row to the table of that title; the first row of a table brings its heading."""
        if title != self._title:
            self._title = title
            self.say(f"\n### {title}\n" if self.lines else f"### {title}\n")
            self.say(f"| {' | '.join(cells)} |")
            self.say("|" + "---|" * len(cells))
        self.say(f"| {' | '.join(cells.values())} |")
        self.figures.append({"table": title, **figures})

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
        """Time ours, theirs and plain work to compare with, in turn after a warm-up; the ratio is theirs / ours.

        A ratio below that of the pages by more than noise is marked, see `last.py`.
        """
        works = [ours, theirs] if limit is None else [ours, theirs, limit]
        for once in works:
            once()
        times = in_turn(works)
        a, b, *least = map(median, times)
        said = note()
        was = self._before.get((work, peer))
        low = fell(was, b / a, [peers / own for own, peers in zip(times[0], times[1], strict=True)])
        if low:
            self.fallen.append(f"{work}: {b / a:.2f} x, on the page {was:.2f} x")
        cells = {
            "work": work,
            "linsep": show(a),
            "peer": f"{peer}: {show(b)}",
            "ratio": f"{b / a:.2f} x" + (f", fell from {was:.2f} x" if low else ""),
            "wanted": "" if wanted is None else f"{wanted:.2f} x",
            "limit": f"{a / least[0]:.1f} x {show(least[0])} ({limit_is}); that alone: {b / least[0]:.2f} x"
            if least
            else "",
            "note": said,
        }
        figures = {"work": work, "linsep_s": a, "peer": peer, "peer_s": b, "ratio": b / a, "wanted": wanted}
        self.row("Speed", cells, {**figures, "limit_s": least[0] if least else None, "limit": limit_is, "note": said})

    def draw(self, path: Path) -> None:
        """Draw what the suites have to be looked at, beside the page that holds the figures."""
        for picture in self.pictures:
            picture(self.figures, path)

    def write(self, stem: Path) -> None:
        """Write what was printed to stem.md and the figures to stem.json."""
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
