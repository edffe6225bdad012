"""`linsep score`: a model's predictions beside the labels of a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from linsep.app.commands.labelled import listed
from linsep.app.commands.models import encoded, load_with_encoder, unknown
from linsep.app.result import Result
from linsep.data.columns import label_names
from linsep.types import DataError


def score(model: Path, table: Any, *, format: str | None = None) -> Result:
    """Accuracy and the four counts behind it."""
    estimator = load_with_encoder(model)
    classes = label_names(estimator.classes_).tolist()
    found: Counter[tuple[str, str]] = Counter()
    for X, y in encoded(estimator.encoder_, table, estimator.encoder_.target, format):
        if y is None:
            raise DataError("these rows have no labels to compare with")
        said = label_names(estimator.predict(X)).tolist()
        truth = label_names(y).tolist()
        if classes[0] == f"not {classes[-1]}":
            truth = [label if label == classes[1] else classes[0] for label in truth]
        found.update(zip(truth, said, strict=True))
    strange = sorted({truth for truth, _ in found} - set(classes))
    if strange:
        raise DataError(f"label {strange[0]!r} is not one the model knows: {listed(estimator.classes_)}")
    counts = {f"{a} predicted {b}": found[a, b] for a in classes for b in classes}
    rows = found.total()
    accuracy = sum(found[a, a] for a in classes) / rows
    lines = [("rows", f"{rows:,}"), ("accuracy", f"{accuracy:.2%}")]
    lines += [(name, f"{count:,}") for name, count in counts.items() if count]
    data = {"rows": rows, "accuracy": accuracy, "counts": counts}
    return Result(lines, data, unknown(estimator.encoder_))
