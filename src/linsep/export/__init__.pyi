from .as_onnx import to_onnx as to_onnx
from .as_sql import to_sql as to_sql
from .formula import to_json as to_json

__all__: list[str]
