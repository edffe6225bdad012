"""Linear separators with receipts: the perceptron family, and what can be proved beside each model.

Every public name is imported when it is first used, so `import linsep` alone loads neither NumPy nor Numba.
"""

import lazy_loader

_PARTS = {"distributed", "export", "plots", "theory"}  # rooms of which the names are not given out here
__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted({*_names, "__version__"} - _PARTS)
__version__ = "0.2.0"
