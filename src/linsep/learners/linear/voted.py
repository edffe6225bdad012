"""The voted perceptron."""

from __future__ import annotations

from typing import Any, ClassVar, Self, Unpack

import numpy as np

from linsep.declared import ArraySpec
from linsep.learners.base.keeping import MistakeRecord
from linsep.learners.base.labelled import as_matrix
from linsep.learners.base.linear_learner import LinearLearner
from linsep.learners.base.parameters import Shared, sharing
from linsep.learners.base.trace import make_update_log
from linsep.learners.base.training import learn_more
from linsep.passes import Rows, UpdateLog
from linsep.scikit import check_is_fitted, checked_rows
from linsep.tables import dense
from linsep.types import Array

# Entries of the block of dot products held at a time while predicting: 64 MiB of float32.
_BLOCK_ENTRIES = 1 << 24


class VotedPerceptron(MistakeRecord, LinearLearner):
    """Predicts sign(sum_n c_n sign(w_n.x)): each past vector w_n votes with the number c_n of rows it survived.

    Mistakes are stored instead of vectors: w_n = w_{n-1} + a_n x_n, so all decision values of a block of rows
    come from one matrix product with the mistaken rows and a running sum. Ties, of both signs, are positive.

    The survival counts add up to rows x `max_iter`. After a clean pass no epoch would change w, so the run ends there,
    and its vector is counted for all rows of the epochs left out: `n_iter_` and `trace_` tell the epochs that were
    made. With `max_iter=None`, after a time limit, and in `partial_fit` the rows that were visited count. In
    one-vs-rest every class continues to count until all stop: the votes are those of the class fitted alone.

    Memory: a copy of each row that was mistaken and 32 bytes an update, with room for half as many again where rows
    came later; predicting adds one block of at most 2^24 dot products. Time to predict: (mistaken rows) x n_features a
    row, in matrix products.

    Parameters
    ----------
    max_iter : int or None, default=1
        Number of epochs that count; those after a clean pass are not made. None ends with the clean pass.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    fit_intercept : bool, default=True
        Whether to learn b; without it b stays 0.
    intercept_scaling : float or "auto", default=1.0
        c, the value of the constant feature behind b: an update by a x moves b by c^2 a. Numbers below 1 damp b. Bounds
        have R^2 + c^2 in the place of R^2 + 1. "auto" is the root mean square length of the rows, of a stream that of
        its first block. Read when training begins, and kept in `intercept_scaling_`.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch: up to 3,968 rows in a random permutation, of more rows
        chunks of 16 neighbours in random order, each 4,096 rows in a line then shuffled among themselves.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    warm_start : bool, default=False
        Whether `fit` goes on from the current weights instead of 0. With `shuffle` and an int as `random_state`, each
        call visits the rows in the same orders again; a RandomState goes on where it was.
    class_weight : dict, "balanced" or None, default=None
        Factor on the updates of each class: finite, at least 0, and 1 for a class that the dict leaves out. A class of
        weight 0 is treated as if its rows were left out; in one-vs-rest of several classes they are left out for that
        class alone.
    multi_class : {"ovr", "multiclass"}, default="ovr"
        With three or more classes: each class against the rest, all in one pass ("ovr"); or one update per mistake,
        towards the class of the row and away from the first of the others with the largest z ("multiclass").
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The last vector.
    mistaken_rows_ : ndarray or SciPy CSR matrix
        The rows that were ever mistaken, each once a `fit`; one that is mistaken again in a later `partial_fit` or
        warm start is there again. CSR if the first rows were sparse.
    mistake_rows_, mistake_steps_, mistake_classes_, mistake_visits_ : ndarray, shape (n_updates,)
        Position in `mistaken_rows_`, step a (signed), class and visit (from 0) of each update, in order.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`.

    References
    ----------
    Freund and Schapire 1999, Machine Learning 37, figure 1 and theorem 3.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [-1.0]])
    >>> learner = VotedPerceptron(fit_intercept=False, shuffle=False).fit(X, [1, 1, 0])
    >>> learner.survival_counts()[0].tolist()
    [0, 3]
    >>> learner.decision_function(np.array([[4.0]])).tolist()
    [1.0]
    """

    wants_clean_pass: ClassVar[bool] = False
    batch_epochs: ClassVar[int] = 1
    state_arrays: ClassVar[dict[str, ArraySpec]] = LinearLearner.state_arrays | MistakeRecord.state_arrays

    @sharing("open_classes", max_iter=1)
    def __init__(self, **shared: Unpack[Shared]) -> None: ...

    # --------------------------------------------------------------- training
    def start(self, X: Any) -> None:
        super().start(X)
        self._forget(X)

    def prepare(self, rows: Rows) -> tuple[Array, UpdateLog]:
        """Where each row stands in `mistaken_rows_`, -1 for those not there yet, and room for the updates of a pass."""
        per_visit = len(self.intercept_) if self.multi_class == "ovr" else 2
        return np.full(len(rows.y), -1), make_update_log(len(rows.y) * per_visit)

    def watch(self, memory: Any = None) -> UpdateLog:
        log: UpdateLog = memory[1]
        return log

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        memory = self.prepare(rows) if memory is None else memory
        made = super().run(rows, memory, log, reference, record)
        places, told = memory
        mistaken, visits, classes, steps = (part[: told.used[0]].copy() for part in told[:4])
        told.used[0] = 0
        X = as_matrix(rows.X, self.coef_.shape[1])
        self._note(X, places, np.unique(mistaken), mistaken, visits=visits, classes=classes, steps=steps)
        return made

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the weights and mistakes so far.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may come; needed in the first call.
        sample_weight : array, shape (n_samples,), optional
            Factor on the update of each row.

        Returns
        -------
        self
        """
        learn_more(self, X, y, classes, sample_weight)
        return self

    @property
    def mistaken_rows_(self) -> Any:
        """The rows that were ever mistaken."""
        return self._stored.rows

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """sum_n c_n sign(w_n.x + b_n) / sum_n c_n, between -1 and 1 (votes of each class with "multiclass").

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class. More: one column per class.
        """
        check_is_fitted(self)
        X = checked_rows(self, X)
        self.check_parts("mistake_rows_", "mistake_classes_")
        stored = self.mistaken_rows_.T
        size = max(1, _BLOCK_ENTRIES // max(1, stored.shape[1]))
        block = np.empty((min(size, X.shape[0]), stored.shape[1]), np.result_type(X.dtype, stored.dtype))
        votes = np.zeros((X.shape[0], len(self.intercept_)))
        for at in range(0, X.shape[0], size):
            rows = X[at : at + size]
            votes[at : at + size] = self._vote(_multiply(rows, stored, block[: rows.shape[0]]))
        z = votes / max(1, self.t_)
        return z[:, 0] if z.shape[1] == 1 else z

    def _vote(self, G: Array) -> Array:
        """Votes of all vectors on a block of rows, from its dot products with the mistaken rows. Changes `G`."""
        G += self.constant2_
        if not self.moves_together():
            return self._votes(G)
        from linsep.kernels.dual import add_class_votes

        first, *counts = self.survival_counts()[0]
        votes = np.zeros((len(G), len(self.intercept_)), dtype=np.int64)
        votes[:, 0] = first
        # Both updates of a mistake come before the vectors vote again.
        last = np.append(np.diff(self.mistake_visits_) > 0, True)[: len(self.mistake_visits_)]
        survival = np.zeros(len(last), np.int64)
        survival[last] = counts
        Z = np.zeros(votes.shape)
        add_class_votes(G, self.mistake_rows_, self.mistake_steps_, self.mistake_classes_, survival, Z, votes)
        return votes

    # ------------------------------------------------------------------ state
    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        self.survival_counts()  # which looks at the order of the mistakes


def _multiply(X: Any, stored: Any, block: Array) -> Array:
    """`block` = X `stored`; where one is sparse by parts, since a sparse product is larger than the dense one."""
    from linsep.kernels.linear.sums import product

    if isinstance(X, np.ndarray) and isinstance(stored, np.ndarray):
        return product(X, stored.T, block)
    size = max(1, len(block) // 16)
    for at in range(0, len(block), size):
        block[at : at + size] = dense(X[at : at + size] @ stored)
    return block
