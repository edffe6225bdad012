"""An alarm when the rate of mistakes changes: detectors of River (the extra `drift`)."""

from __future__ import annotations

from typing import Any

from linsep.streaming.result import Counters, Say
from linsep.types import Array, DataError


class DriftAlarm:
    """Feeds errors to a drift detector, one 0 or 1 a row, and notes its alarms in the counters.

    The detector starts afresh after each checkpoint, in every run alike. A run that was interrupted therefore raises
    the same alarms as one that was not.
    """

    def __init__(self, kind: str) -> None:
        if kind not in ("adwin", "page-hinkley"):
            raise DataError(f"no drift alarm called {kind!r}: choose adwin or page-hinkley")
        try:
            from river import drift
        except ImportError:
            raise DataError("drift alarms come from River: pip install 'linsep[drift]'") from None
        self.kind = kind
        self._make = drift.ADWIN if kind == "adwin" else drift.PageHinkley
        self.restart()

    def restart(self) -> None:
        """Forget the rows so far."""
        self._detector: Any = self._make()

    def update(self, counters: Counters, wrong: Array, say: Say) -> None:
        """Take in which of the rows just learnt the model predicted wrongly; note alarms and report them."""
        first = counters.rows - len(wrong)
        for i, missed in enumerate(wrong.tolist()):
            self._detector.update(float(missed))
            if self._detector.drift_detected:
                near = wrong[max(0, i - 200) : i + 1]
                message = f"row {first + i + 1:,}: {self.kind} says that the errors have changed"
                counters.alarms.append(f"{message} (the last {len(near)} rows: {near.mean():.1%})")
                say(f"drift: {counters.alarms[-1]}")
