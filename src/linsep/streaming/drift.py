"""An alarm when the rate of mistakes changes: detectors of River (the extra `drift`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linsep.streaming.result import Counters, Say
from linsep.types import Array, DataError

KINDS = ("adwin", "page-hinkley")


class DriftAlarm:
    """Feeds errors to a drift detector, one 0 or 1 a row, and notes its alarms in the counters.

    The detector starts afresh after each checkpoint, in every run alike. A run that was interrupted therefore raises
    the same alarms as one that was not. What the detector had seen of a change is lost then, and `warnings` says so.
    """

    def __init__(self, kind: str) -> None:
        self._make = _detector(kind)
        self.kind = kind
        self.restarts = -1
        self.restart()

    def restart(self) -> None:
        """Forget the rows so far."""
        self._detector = self._make()
        self.restarts += 1

    def warnings(self, rows: int) -> list[str]:
        """What to say when checkpoints that many rows apart made the detector start again."""
        if not self.restarts:
            return []
        return [
            f"{self.kind} started again after each checkpoint, every {rows:,} rows: a change that takes longer to show "
            "raised no alarm; write checkpoints less often with --set checkpoint_rows (checkpoint_rows)"
        ]

    def update(self, counters: Counters, wrong: Array, say: Say) -> None:
        """Take in which of the rows just learnt the model predicted wrongly; note alarms and report them."""
        first = counters.rows - len(wrong)
        for i, missed in enumerate(wrong.tolist()):
            self._detector.update(float(missed))
            if self._detector.drift_detected:
                near = wrong[max(0, i - 200) : i + 1]
                message = f"row {first + i + 1:,}: {self.kind} says that the errors have changed"
                message += f" (the last {len(near)} rows: {near.mean():.1%})"
                counters.alarms.append(message)
                say(f"drift: {message}")


def _detector(kind: str) -> Callable[[], Any]:
    if kind not in KINDS:
        raise DataError(f"no drift alarm called {kind!r}: choose {' or '.join(KINDS)}")
    try:
        from river import drift
    except ImportError:
        raise DataError("drift alarms come from River: pip install 'linsep[drift]'") from None
    return drift.ADWIN if kind == "adwin" else drift.PageHinkley
