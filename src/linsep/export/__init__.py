"""Models for other programs: JSON, SQL and ONNX, each from a raw row to its label.

In: a fitted model. Out: text or bytes. Begin with `formula.py`, what a model computes of a raw row.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
