"""Compile what a training will run before its clock starts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linsep.learners.inputs.tables import weight_argument
from linsep.scikit import clone
from linsep.types import Array

_MOST_CLASSES = 50


def warm_up(learner: Any, X: Any, y: Any, weight: Array | None = None) -> None:
    """Fit a copy of a learner on a row of each class, so that its kernels are compiled or loaded; nothing is kept.

    What is wrong with the learner or the rows is left to the training itself to say.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> learner = Perceptron()
    >>> warm_up(learner, np.eye(2), np.array([0, 1]))
    >>> hasattr(learner, "coef_")
    False
    """
    _, first = np.unique(y, return_index=True)
    rows = np.sort(first[:_MOST_CLASSES])
    copy = clone(learner)
    few = {"max_iter": 1, "time_limit": None, "verbose": 0}
    copy.set_params(**{name: value for name, value in few.items() if name in copy.get_params(deep=False)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            copy.fit(X[rows], np.asarray(y)[rows], **weight_argument(None if weight is None else weight[rows]))
        except ValueError:
            return
