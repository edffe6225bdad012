from .as_json import to_json as to_json
from .as_onnx import to_onnx as to_onnx
from .as_sql import to_sql as to_sql

__all__: list[str]
