"""Pictures of fitted models, runs and proofs; each function returns Matplotlib Axes and fits nothing.

In: a model, a trace or a certificate, and rows. Out: Axes. Begin with `points.py`; `subject.py` says what is drawn.
"""

import lazy_loader

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("linsep.plots needs Matplotlib, which is not installed: pip install '.[plots]'") from error

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
