"""A progress line on standard error, on terminals only: the step that a command is at, and how far the training is."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:  # the types alone: importing them would bring Rich and the learners along
    from rich.progress import Progress, TaskID

    from linsep.streaming.result import StreamState


class Line:
    """The line itself, created when there is something to show."""

    _bar: Progress | None = None
    _task: TaskID

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Remove the line."""
        if self._bar is not None:
            self._bar.stop()

    def step(self, description: str) -> None:
        """Say at once which step begins; how long it takes is not known."""
        self._show(None, 0, description)

    def _show(self, total: float | None, completed: float, description: str) -> None:
        if not sys.stderr.isatty():
            return
        at_once = self._bar is None or completed == 0
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(description, total=total)
        self._bar.update(self._task, total=total, completed=completed, description=description, refresh=at_once)


class EpochProgress(Line):
    """Callable for a learner's `verbose`: shows epochs, mistakes of the last pass and the time."""

    def __init__(self, max_iter: int | None, time_limit: float | None) -> None:
        self._max_iter = max_iter
        self._time_limit = time_limit

    def __call__(self, epochs: int, mistakes: int, seconds: float) -> None:
        done = seconds if self._time_limit else epochs
        self._show(self._time_limit or self._max_iter, done, f"epoch {epochs:,}: {mistakes:,} mistakes")


class StreamLine(Line):
    """Callable for `fit_stream`'s `callback`: shows rows, rows a second and the mistakes so far."""

    def __call__(self, state: StreamState) -> None:
        rows, rate = state.counters.rows, state.new_rows / max(state.seconds, 1e-9)
        words = f"{rows:,} rows, {rate:,.0f} a second: {state.counters.summary()}"
        self._show(state.total_bytes, state.counters.position.offset, words)
