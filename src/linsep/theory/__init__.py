"""What can be proved about rows, labels and separators.

In: arrays. Out: verdicts with their proofs, margins, bounds. Begin with `separability/decide.py`. `verify/` checks
proofs and imports nothing of the search.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
