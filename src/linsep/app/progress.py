"""A progress line on standard error for what takes longer than a second, and none when nobody watches."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class _Line:
    """The line itself: made when there is first something to show."""

    _bar: Progress | None = None
    _task: TaskID

    def _show(self, seconds: float, total: float | None, completed: float, description: str) -> None:
        if seconds < 1.0 or not sys.stderr.isatty():
            return
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=total)
        self._bar.update(self._task, completed=completed, description=description)

    def close(self) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.stop()


class EpochProgress(_Line):
    """Callable for a learner's `verbose`: shows epochs, mistakes of the last pass and the time."""

    def __init__(self, max_iter: int | None, time_limit: float | None) -> None:
        self._max_iter = max_iter
        self._time_limit = time_limit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __call__(self, epochs: int, mistakes: int, seconds: float) -> None:
        done = seconds if self._time_limit else epochs
        self._show(seconds, self._time_limit or self._max_iter, done, f"epoch {epochs:,}: {mistakes:,} mistakes")


class StreamProgress(_Line):
    """Rows, rows a second and the mistakes so far, for a stream whose end may be unknown."""

    def __init__(self, total_bytes: int | None) -> None:
        self._total = total_bytes

    def __call__(self, rows: int, seconds: float, read: int, words: str) -> None:
        """Show where the stream is: rows so far, seconds since the start, bytes read, and what there is to say."""
        rate = rows / max(seconds, 1e-9)
        self._show(seconds, self._total, read, f"{rows:,} rows, {rate:,.0f} a second: {words}")
