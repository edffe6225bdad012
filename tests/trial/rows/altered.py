"""Certificates are edited and forged at random; what a reader then accepts must be true."""

from __future__ import annotations

from collections import Counter

from altered_certificates import EQUAL, OTHER, REFUSED, WRONG, altered
from trial.row import Outcome

CLAIM = "an altered or forged certificate is refused, or all that it says is true"
TIMES = 100_000


def run(times: int, seed: int) -> Outcome:
    """Edit or forge certificates of every kind so many times; the library and the example program read each."""
    tried = altered(seed, times)
    failures = [f"{one.kind}, {one.edit}: {one.why}" for one in tried if WRONG in (one.library, one.program)]
    counts = Counter(one.library for one in tried)
    note = ", ".join(f"{counts[name]:,} {name}" for name in (REFUSED, EQUAL, OTHER))
    return Outcome(len(tried), failures, note)
