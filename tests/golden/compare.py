"""What differs between two results, names that were changed on purpose apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from golden.names import KEYS, WORDS

# Between processors or releases that round otherwise: relative above 1, absolute below.
TOLERANCE, SINGLE = 1e-9, 1e-4
# What a search in floating point found and exact arithmetic accepted: where it rounds otherwise it finds other proofs
# of the same verdict, other minima and other numbers of bits; "lower" is the margin of the hyperplane that it found.
FOUND = {"proof", "directions", "hyperplane", "witness", "overlap", "null", "bits", "sha256", "lower",
         "least_loss", "measured_excess"}  # fmt: skip
RELEASES = {"numpy", "python"}  # what a model file says it was made with


@dataclass
class Comparison:
    """Differences, and the renamed keys and words and the new keys that were met on the way.

    With `exact` every number must be the same to the last bit. Without it whole numbers, verdicts and sentences must
    be the same, floating point numbers nearly so (rows in float32 count in float32), and proofs, which then only need
    to be there, are not compared.
    """

    exact: bool = True
    differences: list[str] = field(default_factory=list)
    renamed: set[str] = field(default_factory=set)
    new: set[str] = field(default_factory=set)

    def compare(self, before: Any, now: Any, where: str) -> None:
        """Look at two values and all that is in them."""
        if isinstance(before, dict) and isinstance(now, dict):
            self._objects(before, now, where)
        elif isinstance(before, list) and isinstance(now, list):
            if len(before) != len(now):
                self.differences.append(f"{where}: {len(before)} values before, {len(now)} now")
            for i, (a, b) in enumerate(zip(before, now, strict=False)):
                self.compare(a, b, f"{where}[{i}]")
        elif not self._same(before, now, where):
            self.differences.append(f"{where}: {before!r} before, {now!r} now")

    def _objects(self, before: dict[str, Any], now: dict[str, Any], where: str) -> None:
        taken = set()
        for key, value in before.items():
            name = key
            if key not in now and KEYS.get(key) in now:
                name = KEYS[key]
            if name != key:
                self.renamed.add(f"{key} -> {name}")
            taken.add(name)
            if name not in now:
                self.differences.append(f"{where}: no {key!r} any more")
            elif self.exact or key not in FOUND | RELEASES:
                self.compare(value, now[name], f"{where}.{name}")
        self.new |= {f"{where}.{key}" for key in now.keys() - taken}

    def _same(self, before: Any, now: Any, where: str) -> bool:
        if isinstance(before, str) and isinstance(now, str):
            return before == now or self._translated(before) == self._translated(now)
        if type(before) is float and type(now) is float and not self.exact:
            tolerance = SINGLE if "float32" in where else TOLERANCE
            return math.isclose(before, now, rel_tol=tolerance, abs_tol=tolerance)
        return type(before) is type(now) and repr(before) == repr(now)  # repr tells -0.0 from 0.0

    def _translated(self, said: str) -> str:
        for old, new in WORDS.items():
            if old in said:
                self.renamed.add(f"{old} -> {new} (in sentences)")
                said = said.replace(old, new)
        return said
