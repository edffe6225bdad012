"""What differs between two results."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

# Between releases that round otherwise: relative above 1, absolute below.
TOLERANCE, SINGLE = 1e-9, 1e-4
RELEASES = {"sha256", "numpy", "python"}  # what stands for many numbers, and what a model file says it was made with


@dataclass
class Comparison:
    """Differences.

    With `exact` every number must be the same to the last bit. Without it whole numbers, verdicts and sentences must
    be the same, floating point numbers nearly so (rows in float32 count in float32).
    """

    exact: bool = True
    differences: list[str] = field(default_factory=list)

    def compare(self, before: Any, now: Any, where: str) -> None:
        """Look at two values and all that is in them."""
        if isinstance(before, dict) and isinstance(now, dict):
            for key in sorted(before.keys() | now.keys()):
                if key not in before or key not in now:
                    self.differences.append(f"{where}: {key!r} is {'new' if key in now else 'gone'}")
                elif self.exact or key not in RELEASES:
                    self.compare(before[key], now[key], f"{where}.{key}")
        elif isinstance(before, list) and isinstance(now, list):
            if len(before) != len(now):
                self.differences.append(f"{where}: {len(before)} values before, {len(now)} now")
            for i, (a, b) in enumerate(zip(before, now, strict=False)):
                self.compare(a, b, f"{where}[{i}]")
        elif not self._same(before, now, where):
            self.differences.append(f"{where}: {before!r} before, {now!r} now")

    def _same(self, before: Any, now: Any, where: str) -> bool:
        if type(before) is float and type(now) is float and not self.exact:
            tolerance = SINGLE if "float32" in where else TOLERANCE
            return math.isclose(before, now, rel_tol=tolerance, abs_tol=tolerance)
        return type(before) is type(now) and repr(before) == repr(now)  # repr tells -0.0 from 0.0
