"""`linsep score`: a model's predictions beside the labels of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.commands.models import load_of_table
from linsep.app.result import Result
from linsep.reporting.scores import score_table, unknown_levels


def score(model: Path, table: Any, **reading: Any) -> Result:
    """Accuracy and the counts behind it."""
    found = load_of_table(model)
    scores = score_table(found, table, **reading)
    counts = {f"{a} predicted {b}": count for (a, b), count in scores.counts.items()}
    lines = [("rows", f"{scores.rows:,}"), ("accuracy", f"{scores.accuracy:.2%}")]
    lines += [(name, f"{count:,}") for name, count in counts.items() if count]
    data = {"rows": scores.rows, "accuracy": scores.accuracy, "counts": counts}
    return Result(lines, data, unknown_levels(found))
