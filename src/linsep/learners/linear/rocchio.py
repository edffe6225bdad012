"""Rocchio's classifier: the plane between two means, or the nearest of several."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from linsep.declared import ArraySpec, ValueSpec
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.labelled import rows_to_add, rows_to_fit
from linsep.learners.base.linear_learner import LinearLearner
from linsep.learners.base.parameters import keep_parameters
from linsep.passes import Rows
from linsep.types import StopReason


class Rocchio(LinearLearner):
    """w = u - v and b = -w.(u + v) / 2, u the mean of the positive rows and v that of the others.

    Several classes: w_k = u_k and b_k = -||u_k||^2 / 2, u_k the mean of class k. As ||x - u_k||^2 = ||x||^2 - 2 z_k,
    the largest z_k = w_k.x + b_k is that of the nearest mean.

    It needs one pass, and is exact at any time on a stream. The plane lies halfway between the means, so it may be
    wrong about rows that a hyperplane separates: with positives at 0 and 10 and a negative at -1 the means are 5 and
    -1, and 0 falls on the wrong side of 2. A class without rows so far has the mean 0.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Without it b = 0: of several classes the largest u_k.x counts, not the nearest mean.

    Attributes
    ----------
    coef_ : ndarray of float64, shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of float64, shape (1,) or (n_classes,)
    classes_ : ndarray, shape (n_classes,)

    References
    ----------
    Rocchio 1971, in The SMART Retrieval System.

    Examples
    --------
    >>> import numpy as np
    >>> learner = Rocchio().fit(np.array([[-1.0], [0.0], [10.0]]), [0, 1, 1])
    >>> float(learner.coef_[0, 0]), float(learner.intercept_[0])
    (6.0, -12.0)
    >>> learner.score(np.array([[-1.0], [0.0], [10.0]]), [0, 1, 1]) == 2 / 3
    True
    """

    unit_steps: ClassVar[bool] = False
    # It counts no mistakes.
    state_values: ClassVar[dict[str, ValueSpec]] = {
        **Classifier.state_values,
        "n_mistakes_": ValueSpec(needed=False),
        "n_updates_": ValueSpec(needed=False),
    }
    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        **LinearLearner.state_arrays,
        "_sums": ArraySpec(("classes", "features"), "float64"),
        "_totals": ArraySpec(("classes",), "float64", least=0),
    }

    def __init__(self, *, fit_intercept: bool = True) -> None:
        keep_parameters(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]  # no reference
        """Compute the means of these rows.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Labels of any type; of two the second in sorted order is the positive class.
        sample_weight : array, shape (n_samples,), optional
            Weights; a weight k here equals k visits.

        Returns
        -------
        self
        """
        with self.unchanged_on_error():
            self.check_parameters()
            rows, _ = rows_to_fit(self, X, y, sample_weight)
        return self._add(rows)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add these rows to the means.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may come; needed in the first call.
        sample_weight : array, shape (n_samples,), optional
            Weights; a weight k here equals k visits.

        Returns
        -------
        self
        """
        with self.unchanged_on_error():
            self.check_parameters()
            parts = rows_to_add(self, X, y, classes, sample_weight)
        for rows in parts:
            self._add(rows)
        return self

    def start(self, X: Any) -> None:
        super().start(X)
        del self.n_mistakes_, self.n_updates_
        self._sums = np.zeros((len(self.classes_), X.shape[1]))
        self._totals = np.zeros(len(self.classes_))
        self.n_iter_ = 1
        self.stop_reason_ = StopReason.ONE_PASS

    def _add(self, rows: Rows) -> Self:
        from linsep.kernels.linear.sums import add_class_sums

        n_classes = len(self.classes_)
        codes = rows.y.astype(np.intp) if n_classes > 2 else (rows.y > 0).astype(np.intp)
        add_class_sums(rows.X, codes, rows.weight, self._sums, self._totals)
        self.t_ += len(codes)
        # A class without rows so far has the mean 0.
        u = self._sums / np.where(self._totals > 0, self._totals, 1.0)[:, None]
        v: Any = 0.0  # of several classes
        if n_classes == 2:
            u, v = u[1:], u[:1]
        self.coef_ = u - v
        self.intercept_ = -0.5 * (self.coef_ * (u + v)).sum(axis=1) * float(self.fit_intercept)
        return self
