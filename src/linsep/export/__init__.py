"""Models for other programs: JSON, SQL and ONNX, each from a raw row to its label.

In: a fitted model. Out: text or bytes. Begin with `formula.py`, what a model computes of a raw row.
"""

from linsep.export.as_json import to_json
from linsep.export.as_onnx import to_onnx
from linsep.export.as_sql import to_sql

__all__ = ["to_json", "to_onnx", "to_sql"]
