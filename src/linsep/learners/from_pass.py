"""One vector of a first pass that can be deployed, with a limit on its error."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linsep.scikit import clone
from linsep.tables import as_table, check_length
from linsep.types import DataError

_VECTORS = 10  # the first one has seen a thousandth of the rows


class FromPass(NamedTuple):
    """A learner as it was after some rows of a pass, and how it did on the rows after these.

    Attributes
    ----------
    learner : estimator
        It predicts with the vector that was chosen.
    error_limit : float
        With probability at least 1 - delta, its chance to be wrong on a new row is at most this.
    n_learnt : int
        The rows that it has learnt from.
    n_errors : int
        The rows after them that it predicts wrongly.
    n_tested : int
        The rows after them.
    """

    learner: Any
    error_limit: float
    n_learnt: int
    n_errors: int
    n_tested: int


def select_from_pass(learner: Any, X: Any, y: Any, delta: float = 0.05) -> FromPass:
    r"""max{p : P(Binomial(m, p) <= k) >= delta / J}: the limit of k errors on m rows, least over J vectors of a pass.

    The learner makes one pass over the rows in their order. The vectors that are in use after n/2, n/4, n/8, ... rows,
    at most ten of them, are tested on all rows *after* those that they have learnt from. For each the exact limit of
    the binomial distribution holds with probability at least 1 - delta / J, so all J of them hold together with
    probability at least 1 - delta, and so does that of the one chosen: the one with the least limit. Unlike
    `online_risk_bound`, which speaks of a vector of the pass drawn at random, this is about one vector that is known.

    It assumes that the rows are drawn independently from one distribution. Shuffle rows that are sorted.

    Parameters
    ----------
    learner : estimator with partial_fit
        As `Perceptron`, `AveragedPerceptron` or `PassiveAggressive`, and those of scikit-learn; a copy is trained.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows, in the order in which they were drawn; at least two.
    y : array-like of shape (n_samples,)
        Their labels.
    delta : float, default=0.05
        The probability with which the limit may fail, between 0 and 1.

    Returns
    -------
    FromPass
        The learner, its limit, and the numbers of rows behind it.

    Raises
    ------
    DataError
        There are fewer than two rows, or the learner has no `partial_fit`.
    ValueError
        `delta` is not between 0 and 1.

    References
    ----------
    C. Clopper and E. Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
    Biometrika 26 (1934). N. Cesa-Bianchi, A. Conconi and C. Gentile, On the generalization ability of on-line learning
    algorithms, IEEE Transactions on Information Theory 50 (2004), for the choice among the vectors of a pass.

    Examples
    --------
    >>> from linsep import Perceptron, make_separable
    >>> X, y, _, _ = make_separable(4000, 5, 0.1, random_state=0)
    >>> found = select_from_pass(Perceptron(), X, y)
    >>> found.n_learnt, found.n_errors, round(found.error_limit, 4)
    (2000, 12, 0.012)
    """
    X, y = as_table(X), np.asarray(y)
    check_length(X, y)
    if not 0 < delta < 1:
        raise ValueError(f"delta is a probability between 0 and 1, not {delta}")
    if len(y) < 2:
        raise DataError("one row is too few: some rows are learnt, and others tested")
    if not hasattr(learner, "partial_fit"):
        raise DataError(f"{type(learner).__name__} has no partial_fit: it does not learn row by row")
    from scipy.special import betaincinv

    learner, classes = clone(learner), np.unique(y)
    cuts = sorted({len(y) >> k for k in range(1, _VECTORS + 1)} - {0})
    found = []
    for start, end in pairwise([0, *cuts]):
        learner.partial_fit(X[start:end], y[start:end], classes=classes)
        errors, tested = int((learner.predict(X[end:]) != y[end:]).sum()), len(y) - end
        limit = 1.0
        if errors < tested:
            limit = float(betaincinv(errors + 1, tested - errors, 1 - delta / len(cuts)))
        found.append(FromPass(deepcopy(learner), limit, end, errors, tested))
    return min(found, key=lambda one: one.error_limit)
