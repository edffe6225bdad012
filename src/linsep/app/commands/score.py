"""`linsep score`: a model's predictions beside the labels of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.models import load_of_table
from linsep.app.result import Result
from linsep.data.labels import told
from linsep.reporting.quality import majority_line, score_lines
from linsep.reporting.scores import score_table, unknown_levels


def score(model: Path, table: Any, **reading: Any) -> Result:
    """Accuracy beside the majority class, areas, and what is known of each class."""
    found = load_of_table(model)
    scores = score_table(found, table, **reading)
    weighted = getattr(found.learner_, "class_weight", None) is not None
    lines = [("rows", f"{scores.rows:,}"), *told(scores.unlabelled)]
    lines += [("accuracy", f"{scores.accuracy:.2%}"), majority_line(scores, weighted=weighted)]
    return Result(
        [*lines, *score_lines(scores)],
        scores.to_dict(),
        [*unknown_levels(found), *scores.doubts("rows", weighted=weighted)],
    )
