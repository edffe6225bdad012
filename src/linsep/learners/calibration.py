"""Probabilities from decision values: a sigmoid for each class, fitted on rows held out."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from linsep.learners.inputs.tables import weight_argument
from linsep.scikit import clone
from linsep.types import Array, DataError

_FOLDS = 5
# A plane that weighs classes has decision value 0 where probabilities of rows that count alike are not even.
_BY_WEIGHTS = "class weights move the boundary between the labels, and probabilities count all rows alike"


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


def labels_apart(p: Array, labels: Array) -> int:
    """In how many rows another class is more probable than that of the label; `labels` are positions in the columns.

    Examples
    --------
    >>> labels_apart(np.array([[0.6, 0.4], [0.6, 0.4], [0.5, 0.5]]), np.array([1, 0, 1]))
    1
    """
    return int((p.max(axis=1, initial=0) > p[np.arange(len(p)), labels]).sum())


def told_apart(learner: Any, rows: int, of: int, which: str) -> list[str]:
    """What to say of such rows where the learner weighs classes, which is why; nothing of none, or of another learner.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> told_apart(Perceptron(class_weight="balanced"), 59, 297, "rows")[0].split(":")[0]
    '59 of 297 rows have a label whose probability is not the highest'
    """
    if not rows or getattr(learner, "class_weight", None) is None:
        return []
    have = "has" if rows == 1 else "have"
    return [f"{rows:,} of {of:,} {which} {have} a label whose probability is not the highest: {_BY_WEIGHTS}"]


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
