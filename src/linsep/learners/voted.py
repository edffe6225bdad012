"""The voted perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted, validate_data

from linsep.kernels.epoch import Rows
from linsep.kernels.optional import UpdateLog
from linsep.kernels.votes import add_class_votes, add_votes
from linsep.learners.base import as_matrix, pack_rows, unpack_rows
from linsep.learners.trace import make_update_log
from linsep.learners.training import EpochLearner, Progress
from linsep.types import Array

# Entries of the block of dot products held at a time while predicting: 64 MiB of float32.
_BLOCK_ENTRIES = 1 << 24


class VotedPerceptron(EpochLearner):
    """Predicts sign(sum_n c_n sign(w_n.x)): each past vector w_n votes with the number c_n of rows it survived.

    The vectors are not stored, the mistakes are: w_n = w_{n-1} + a_n x_n, so all decision values of a block of rows
    come from one matrix product with the mistaken rows and a running sum. Both signs put a tie on the positive side.
    In one-vs-rest every class goes on counting until all stop, so survival counts add up to rows x epochs for each.

    Memory: a copy of each row that was ever mistaken and 24 bytes a mistake; predicting adds one block of at most 2^24
    dot products. Time to predict: (mistaken rows) x n_features a row, in matrix products.

    Parameters
    ----------
    max_iter, max_seconds, fit_intercept, random_state, warm_start
    class_weight, multi_class, open_classes, n_jobs, trace, verbose
        As in `Perceptron`; `max_iter` is 1 and `shuffle` True by default.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The last vector.
    mistaken_rows_ : ndarray or SciPy CSR matrix
        The rows that were ever mistaken, each once.
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

    _wants_clean_pass: ClassVar[bool] = False
    _batch_epochs: ClassVar[int] = 1
    _state_arrays: ClassVar[tuple[str, ...]] = (
        *EpochLearner._state_arrays, "mistake_rows_", "mistake_steps_", "mistake_classes_", "mistake_visits_"
    )  # fmt: skip

    mistake_rows_: Array
    mistake_steps_: Array
    mistake_classes_: Array
    mistake_visits_: Array

    def __init__(
        self,
        *,
        max_iter: int | None = 1,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        multi_class: str = "ovr",
        open_classes: bool = False,
        n_jobs: int | None = None,
        trace: str = "epochs",
        verbose: int | Progress = 0,
    ) -> None:
        super().__init__(
            max_iter=max_iter,
            max_seconds=max_seconds,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
            multi_class=multi_class,
            open_classes=open_classes,
            n_jobs=n_jobs,
            trace=trace,
            verbose=verbose,
        )

    # --------------------------------------------------------------- training
    def _start(self, X: Any) -> None:
        super()._start(X)
        self._blocks: list[Any] = []
        self.mistake_rows_ = self.mistake_classes_ = self.mistake_visits_ = np.zeros(0, np.int64)
        self.mistake_steps_ = np.zeros(0)

    def _prepare(self, rows: Rows) -> Array:
        """Where each row stands in `mistaken_rows_`, -1 for those not there yet."""
        return np.full(len(rows.y), -1)

    def _watch(self) -> UpdateLog:
        return self._pass_log

    def _run(self, rows: Rows, memory: Array | None, log: UpdateLog | None, reference: Array, record: Array) -> int:
        per_visit = len(self.intercept_) if self.multi_class == "ovr" else 2
        self._pass_log = make_update_log(len(rows.y) * per_visit)
        try:
            made = super()._run(rows, memory, log, reference, record)
            self._keep(rows, self._prepare(rows) if memory is None else memory)
        finally:
            del self._pass_log
        return made

    def _keep(self, rows: Rows, places: Array) -> None:
        """Copy the rows mistaken for the first time, and note all updates of the pass."""
        log = self._pass_log
        updated = log.rows[: log.used[0]]
        new = np.unique(updated[places[updated] < 0])
        if new.size:
            places[new] = sum(len(b) if isinstance(b, np.ndarray) else b.shape[0] for b in self._blocks) + np.arange(
                new.size
            )
            self._blocks.append(as_matrix(rows.X, self.coef_.shape[1])[new])
        for name, entries in (
            ("mistake_rows_", places[updated]),
            ("mistake_visits_", log.visits[: log.used[0]]),
            ("mistake_classes_", log.classes[: log.used[0]]),
            ("mistake_steps_", log.steps[: log.used[0]]),
        ):
            setattr(self, name, np.concatenate([getattr(self, name), entries]))

    def _learn_row(self, X: Any, label: Any, code: Any) -> None:
        matrix = as_matrix(X, self.n_features_in_)
        names = self.__dict__.pop("feature_names_in_", None)  # partial_fit is not given the names
        try:
            self.partial_fit(matrix, np.asarray([label]))
        finally:
            if names is not None:
                self.feature_names_in_ = names

    def _make_room(self, before: int, place: int) -> None:
        super()._make_room(before, place)
        if before == 1 and place == 1:
            self.mistake_steps_ = -self.mistake_steps_
        if before == 2:  # the plane of the second class, and its negative
            negative, twice = -self.mistake_steps_, len(self.mistake_steps_)
            self.mistake_steps_ = np.column_stack([negative, self.mistake_steps_]).ravel()
            self.mistake_classes_ = np.tile(np.arange(2), twice)
            self.mistake_rows_ = np.repeat(self.mistake_rows_, 2)
            self.mistake_visits_ = np.repeat(self.mistake_visits_, 2)
        if before > 1:
            self.mistake_classes_ = self.mistake_classes_ + (self.mistake_classes_ >= place)

    @property
    def mistaken_rows_(self) -> Any:
        """The rows that were ever mistaken, each once."""
        for k, block in enumerate(self._blocks):
            if block.shape[1] < self.n_features_in_:  # columns have joined since
                self._blocks[k] = sp.csr_matrix(
                    (block.data, block.indices, block.indptr), (block.shape[0], self.n_features_in_)
                )
        if len(self._blocks) > 1:
            dense = isinstance(self._blocks[0], np.ndarray)
            self._blocks = [np.concatenate(self._blocks) if dense else sp.vstack(self._blocks, format="csr")]
        return self._blocks[0] if self._blocks else np.zeros((0, self.coef_.shape[1]))

    def survival_counts(self) -> list[Array]:
        """Return c_0, c_1, ... of each plane (one list if all classes move together); each sums to `t_`."""
        check_is_fitted(self)
        together = len(self.classes_) > 2 and self.multi_class == "multiclass"
        groups = [np.ones(len(self.mistake_rows_), dtype=bool)] if together else [
            self.mistake_classes_ == k for k in range(len(self.intercept_))
        ]  # fmt: skip
        visits = (np.unique(self.mistake_visits_[group]) for group in groups)
        return [np.diff(np.concatenate([[0], v, [self.t_]])) for v in visits]

    # ------------------------------------------------------------- prediction
    def decision_function(self, X: Any) -> Array:
        """sum_n c_n sign(w_n.x + b_n) / sum_n c_n, between -1 and 1 (votes of each class with "multiclass").

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        z = self._votes_on(X)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)

    def _votes_on(self, X: Any) -> Array:
        stored = self.mistaken_rows_.T
        size = max(1, _BLOCK_ENTRIES // max(1, stored.shape[1]))
        votes = [self._vote(_product(X[s : s + size], stored)) for s in range(0, X.shape[0], size)]
        return np.asarray(np.concatenate(votes) / max(1, self.t_))

    def _score_row(self, X: Any) -> Array | float:
        z = self._votes_on(as_matrix(X, self.n_features_in_))[0]
        return float(z[0]) if len(z) == 1 else np.asarray(z)

    def _vote(self, G: Array) -> Array:
        """Votes of all vectors on a block of rows, from its dot products with the mistaken rows."""
        G = G + float(self.fit_intercept)
        survival = self.survival_counts()
        votes = np.zeros((len(G), len(self.intercept_)), dtype=np.int64)
        if len(survival) < votes.shape[1]:
            votes[:, 0] = survival[0][0]
            # Both updates of a mistake come before the vectors vote again.
            last = np.append(np.diff(self.mistake_visits_) > 0, True)[: len(self.mistake_visits_)]
            counts = np.zeros(len(last), np.int64)
            counts[last] = survival[0][1:]
            Z = np.zeros(votes.shape)
            add_class_votes(G, self.mistake_rows_, self.mistake_steps_, self.mistake_classes_, counts, Z, votes)
            return votes
        for k, counts in enumerate(survival):
            own = self.mistake_classes_ == k
            votes[:, k] = counts[0]
            column = np.ascontiguousarray(votes[:, k])
            add_votes(G, self.mistake_rows_[own], self.mistake_steps_[own], counts[1:], np.zeros(len(G)), column)
            votes[:, k] = column
        return votes

    # ------------------------------------------------------------------ state
    def _get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        meta, arrays = super()._get_state()
        return meta, arrays | pack_rows(self.mistaken_rows_, "_stored")

    def _set_state(self, meta: dict[str, Any], arrays: dict[str, Array]) -> None:
        super()._set_state(meta, arrays)
        stored = unpack_rows(arrays, "_stored", self.coef_.shape[1])
        self._blocks = [stored] if stored.shape[0] or not isinstance(stored, np.ndarray) else []


def _product(X: Any, stored: Any) -> Array:
    product = X @ stored
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)
