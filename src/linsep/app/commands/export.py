"""What `linsep export` does: a model written for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

from linsep.export import to_json, to_onnx, to_sql
from linsep.files import open_output
from linsep.store import load
from linsep.types import DataError


def export_model(model: Path, to: str, output: str, table: str) -> None:
    """Write a model as "json", "sql" or "postgresql" (scoring `table`) or "onnx"."""
    estimator = load(model)
    if to == "onnx":
        if output == "-" and sys.stdout.isatty():
            raise DataError("an ONNX file is binary: name a file with -o")
        try:
            graph = to_onnx(estimator)
        except ImportError as error:
            raise DataError(str(error)) from error
        with open_output(output, "the export", binary=True, reads=(model,)) as stream:
            stream.write(graph)
        return
    text = to_json(estimator) if to == "json" else to_sql(estimator, table=table, postgresql=to == "postgresql")
    with open_output(output, "the export", reads=(model,)) as stream:
        stream.write(text)
