"""Model files with one thing changed and right checksums, each loaded and used in another process."""

from __future__ import annotations

from collections import Counter

from crafted_models import in_a_child
from trial.row import Outcome

CLAIM = "a crafted model file is refused in a sentence, or behaves as a model"
TIMES = 1_000


def run(times: int, seed: int) -> Outcome:
    """Craft so many files, and have each loaded, used, shown and exported."""
    said = list(in_a_child(times, seed))
    failures = [f"{change}: {outcome}" for change, outcome in said if outcome.startswith("WRONG")]
    counts = Counter(outcome.partition(":")[0] for _, outcome in said)
    return Outcome(len(said), failures, ", ".join(f"{counts[word]:,} {word}" for word in ("refused", "behaves")))
