"""The part of onnx that linsep uses."""

from typing import Any

checker: Any
helper: Any
numpy_helper: Any
TensorProto: Any
