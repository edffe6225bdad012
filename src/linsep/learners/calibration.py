"""Probabilities from decision values: a sigmoid for each class, fitted on rows held out."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from linsep.learners.inputs.tables import weight_argument
from linsep.scikit import clone
from linsep.types import Array, DataError

_FOLDS = 5


class Calibration(NamedTuple):
    """p = 1 / (1 + exp(slope z + offset)) for the positive class, or for each of several, then made to sum to 1.

    Attributes
    ----------
    slopes, offsets : tuple of float
        One number for two classes, else one a class.
    """

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    def of(self, z: Array) -> Array:
        """The probabilities of the classes, of decision values.

        Parameters
        ----------
        z : ndarray, shape (n_rows,) or (n_rows, n_classes)
            The decision values.

        Returns
        -------
        ndarray, shape (n_rows, n_classes)
            One column a class; each row sums to 1.

        Examples
        --------
        >>> Calibration((-2.0,), (0.0,)).of(np.array([0.0])).tolist()
        [[0.5, 0.5]]
        """
        from scipy.special import expit

        if z.ndim == 1:
            p = expit(-(self.slopes[0] * z + self.offsets[0]))
            return np.column_stack([1 - p, p])
        p = expit(-(z * np.array(self.slopes) + np.array(self.offsets)))
        whole = p.sum(axis=1, keepdims=True)
        return np.asarray(np.where(whole > 0, p / np.where(whole > 0, whole, 1), 1 / p.shape[1]))


def calibrate(learner: Any, X: Any, y: Any, sample_weight: Any = None) -> Calibration:
    """Fit copies of a learner in five folds, and the sigmoid on the decision values of the rows that each left out.

    Raises
    ------
    DataError
        A class has a single row, so that none can be held out.

    References
    ----------
    Platt 1999, Probabilistic outputs for support vector machines; scikit-learn's CalibratedClassifierCV.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> X = np.arange(40.0)[:, None] - 19.5
    >>> calibrate(Perceptron(), X, X[:, 0] > 0).of(np.array([-1e3, 1e3])).round(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    from sklearn.calibration import CalibratedClassifierCV

    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        label = labels[counts.argmin()]
        raise DataError(f"label {label} has 1 row: for probabilities each label needs 2 rows, to hold one out")
    folds = min(_FOLDS, int(counts.min()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the learner itself has warned of what there is to say
        found = CalibratedClassifierCV(clone(learner), method="sigmoid", cv=folds, ensemble=False)
        found.fit(X, y, **weight_argument(sample_weight))
    sigmoids = found.calibrated_classifiers_[0].calibrators
    return Calibration(tuple(float(one.a_) for one in sigmoids), tuple(float(one.b_) for one in sigmoids))
