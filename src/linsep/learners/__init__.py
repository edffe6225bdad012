"""scikit-learn estimators, one file a family.

In: rows and labels. Out: a fitted learner, its stop reason and its trace. Begin with `linear/perceptron.py`, then
`base/training.py` (its passes) and `base/loop.py` (the one loop); `table_model.py` joins encoder, names and learner.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
