"""What `linsep export` does: a model written for other programs."""

from __future__ import annotations

from pathlib import Path

from linsep.export import to_json, to_sql
from linsep.files import open_output
from linsep.store import load


def export_model(model: Path, to: str, output: str, table: str) -> None:
    """Write a model as "json", or as "sql" or "postgresql" that scores `table`."""
    estimator = load(model)
    text = to_json(estimator) if to == "json" else to_sql(estimator, table=table, postgresql=to == "postgresql")
    with open_output(output, "the export", reads=(model,)) as stream:
        stream.write(text)
