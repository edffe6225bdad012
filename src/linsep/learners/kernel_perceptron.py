"""The kernel perceptron."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Self, Unpack

import numpy as np

from linsep.clock import clock
from linsep.declared import ArraySpec, ValueSpec
from linsep.kernels.dual import PROJECTED
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.keeping import MistakeRecord
from linsep.learners.base.labelled import as_matrix, as_rows, encode
from linsep.learners.base.parameters import Allowed, Given, Run, one_of, sharing
from linsep.learners.base.training import learn_more
from linsep.learners.kernel_function import KernelFunction, block_rows, check_values, weighted_sum
from linsep.learners.kernel_passes import KeepingAll, OnBudget, Passes, Plane, stack
from linsep.passes import NO_WEIGHTS, RECORD, Rows, UpdateLog
from linsep.scikit import check_is_fitted, checked_rows
from linsep.theory.bounds.kernel import projection_bound
from linsep.theory.bounds.rounding import length_above
from linsep.types import Array, DataError, StopReason

# Kernel values held at a time while voting.
_VOTE_ENTRIES = 1 << 22


class KernelPerceptron(MistakeRecord):
    """The perceptron in the feature space of a kernel: on a mistake, y z <= 0, z = sum_j a_j k(x_j, x), do a_i += y_i.

    It can learn what no hyperplane represents. It starts from z = 0 and has no intercept: "poly" includes one in
    (gamma x.y + coef0)^degree; with "linear", x.y, this is `Perceptron(fit_intercept=False)` mistake by mistake.
    Several classes: each against the rest, all in one pass, over one set of support rows.

    The kernel values of a block of rows come from one matrix product, in the dtype of the rows, and are summed in
    float64; corrections inside the block follow row by row. So the mistakes are those of visiting one row at a time,
    exactly where sums are exact, elsewhere to rounding. Pass after pass only rows mistaken in the last are looked at.
    "laplacian" is no function of a product: its values take several times as long for many features.

    Memory: a copy of each row that was ever mistaken, 32 bytes a mistake, and while fitting 8 bytes a row and plane.
    Time: n x (rows mistaken in a pass) x n_features a pass.

    Parameters
    ----------
    kernel : {"poly", "rbf", "laplacian", "linear"} or callable, default="poly"
        (gamma x.y + coef0)^degree, exp(-gamma ||x - y||^2), exp(-gamma sum_k |x_k - y_k|), x.y; a function gets two
        matrices of rows and returns the matrix of their values. A learner with a function cannot be saved.
    degree : int, default=3
        The degree of "poly".
    gamma : float, default=1.0
        The gamma of "poly", "rbf" and "laplacian", above 0.
    coef0 : float, default=1.0
        The coef0 of "poly".
    average : {"last", "averaged", "voted"}, default="last"
        The last vector w; the mean of the vectors after each visit; or the votes of these vectors, sign(w.x) each.
        Training is the same: set it after fitting to try the others.
    budget : int or None, default=None
        Keep at most this number of rows per plane, so that memory stays constant on a stream: when it is used up, or a
        mistaken row is a combination of those kept, the row's projection on these is added in its place (Projectron).
        `mistake_bound` tells what is guaranteed. It needs average="last". Memory besides the rows: 8 budget^2 bytes a
        plane.
    max_iter : int or None, default=1
        Largest number of passes; one without a mistake is the last, and its vector is counted for all rows of those
        left out. None sets no limit.
    time_limit : float or None, default=None
        Largest number of seconds, checked between blocks of rows; None sets no limit.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each pass.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    support_ : ndarray, shape (n_support,)
        The rows that were ever mistaken, in order of their first mistake (`partial_fit` counts rows on and on); with
        a budget the rows kept, plane by plane.
    support_vectors_ : ndarray or SciPy CSR matrix, shape (n_support, n_features)
        These rows.
    dual_coef_ : ndarray, shape (1, n_support) or (n_classes, n_support)
        a, or its mean over all visits if `average` is "averaged".
    coef_, intercept_ : ndarray
        With kernel="linear" alone: dual_coef_ support_vectors_, and zeros.
    mistake_rows_, mistake_classes_, mistake_steps_, mistake_visits_ : ndarray, shape (n_updates,)
        Position in `support_`, plane, step (y times the weight) and visit (from 0) of each mistake, in order; without
        a budget.
    norm2_ : ndarray, shape (1,) or (n_classes,)
        ||w||^2 of the last vector in the kernel's space.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`; mistakes are summed over the planes, and dot products are kernel values computed.

    References
    ----------
    Freund and Schapire 1999, Machine Learning 37, section 3. Orabona, Keshet and Caputo 2009, JMLR 10 (Projectron).

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    >>> learner = KernelPerceptron(degree=2, max_iter=100, random_state=0).fit(X, y)
    >>> learner.stop_reason_.value, learner.score(X, y)
    ('clean pass', 1.0)
    """

    wants_clean_pass: ClassVar[bool] = False
    batch_epochs: ClassVar[int] = 1
    summed_in: ClassVar[Any] = np.float64
    fixed: ClassVar[tuple[str, ...]] = ("kernel", "degree", "gamma", "coef0", "budget")
    allowed: ClassVar[dict[str, Allowed]] = {"average": one_of("last", "averaged", "voted")}
    # Products of sparse rows take 8 bytes a column, however few entries there are: as many columns as hashing makes.
    state_values: ClassVar[Any] = {**Classifier.state_values, "n_features_in_": ValueSpec(most=1 << 28)}
    unit_steps: ClassVar[bool] = False  # not of a plane in the columns of the table
    _left = 0  # rows that the last pass did not come to
    # Where rows on a budget come from stands in `support_`; no mistakes are kept then.
    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        "support_": ArraySpec(("support",), "whole", least=0),
        "norm2_": ArraySpec(("planes",), "float64"),
        **MistakeRecord.state_arrays,
    }

    kernel: str | Callable[[Any, Any], Any]
    degree: int
    gamma: float
    coef0: float
    average: str
    budget: int | None
    support_: Array
    norm2_: Array

    @sharing(max_iter=1, linear=False)
    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "poly",
        *,
        degree: int = 3,
        gamma: float = 1.0,
        coef0: float = 1.0,
        average: str = "last",
        budget: int | None = None,
        **run: Unpack[Run],
    ) -> None: ...

    # --------------------------------------------------------------- training
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the mistakes so far.

        Chunks of any size give the model of one `fit` of one pass without shuffling.

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
        with self.unchanged_on_error():
            learn_more(self, X, y, classes, sample_weight)
        return self

    def end_run(self, stop: StopReason, n_epochs: int) -> None:
        super().end_run(stop, n_epochs)
        self.support_ = self.trace_.as_given(self.support_)

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.budget is not None and self.average != "last":
            raise DataError(
                f'average="{self.average}" needs every row ever mistaken, and a budget leaves some out: use '
                'average="last"'
            )

    def kernel_rows(self, given: Given) -> tuple[Rows, Array | None]:
        """What the passes read of rows, and the original indices of these."""
        X = given.X.astype(self._stored.rows.dtype, copy=False)
        rows = X if isinstance(X, np.ndarray) else as_matrix(as_rows(X), X.shape[1])
        if given.weight is not None and self.budget is not None:
            raise DataError("a budget's guarantees are about unit steps: give no sample_weight, or budget=None")
        weight = NO_WEIGHTS if given.weight is None else given.weight
        return Rows(rows, encode(self.classes_, given), weight), given.numbers

    def start(self, X: Any) -> None:
        self.t_ = self.n_iter_ = self.n_mistakes_ = self.n_updates_ = 0
        self.support_ = np.zeros(0, np.int64)
        self.norm2_ = np.zeros(self.n_planes())
        self._forget(X)
        self._planes = self._no_rows(X[:0])

    def _no_rows(self, empty: Any) -> list[Plane]:
        """Without a budget there are no planes with rows of their own."""
        return [] if self.budget is None else [Plane(empty, int(self.budget)) for _ in self.norm2_]

    def _function(self) -> KernelFunction:
        return KernelFunction(self.kernel, int(self.degree), float(self.gamma), float(self.coef0))

    def prepare(self, rows: Rows) -> Passes:
        """The passes, and when they have to end."""
        passes = self._passes(rows)
        passes.stoppable, passes.deadline = True, math.inf if self.time_limit is None else clock() + self.time_limit
        self.__dict__.pop("_left", None)
        return passes

    def stop_after(self, record: Array) -> StopReason | None:
        """The reason to stop after these passes, or None; a pass that the clock ended is not clean."""
        return StopReason.TIME_BUDGET if self._left else super().stop_after(record)

    def _passes(self, rows: Rows) -> Passes:
        many = len(self.classes_) > 2
        steps = np.where(np.arange(len(self.classes_))[:, None] == rows.y, 1.0, -1.0) if many else rows.y[None]
        steps = steps * rows.weight if len(rows.weight) else steps
        # Copies: after an error the state is what it was before.
        if self._planes:
            self._planes = [plane.copied() for plane in self._planes]
            return OnBudget(self._function(), rows.X, steps, self.t_, self._planes)
        self.norm2_ = self.norm2_.copy()
        so_far = self.norm2_, self._stored.rows, self._sums(False).T
        return KeepingAll(self._function(), rows.X, steps, self.t_, *so_far)

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        if reference.size:
            raise DataError("a kernel's vector has no coordinates to compare with a reference: give none")
        passes = self._passes(rows) if memory is None else memory
        before = passes.values
        try:
            passes.run(rows.order)
        finally:
            self._keep(passes)
        if passes.left:  # the loop counts whole passes
            self._left, self.t_ = passes.left, self.t_ - passes.left
        record[0, [RECORD.mistakes, RECORD.updates]] = passes.mistakes
        record[0, RECORD.dots] = passes.values - before
        record[0, RECORD.norm_w] = np.sqrt(max(0.0, self.norm2_.sum()))
        record[0, [RECORD.cos, RECORD.w_dot_reference]] = np.nan
        return 1

    def _keep(self, passes: Passes) -> None:
        """Take over what a pass learnt: its mistakes and the rows that were never mistaken before, or the planes."""
        if isinstance(passes, KeepingAll) and passes.rows:
            rows, classes, visits = map(np.concatenate, (passes.rows, passes.classes, passes.visits))
            _, first = np.unique(rows, return_index=True)
            told = {"classes": classes, "steps": passes.steps[classes, rows], "visits": visits + self.t_}
            new = self._note(passes.X, passes.places, rows[np.sort(first)], rows, **told)
            self.support_ = np.concatenate([self.support_, new + passes.origin])
        self.settle()

    def _sums(self, averaged: bool) -> Array:
        """Steps summed over the mistakes of each row and plane; averaged, each counts for the visits after it."""
        sums = np.zeros((len(self.norm2_), self._stored.n))
        visits = max(self.t_, int(self.mistake_visits_.max(initial=-1)) + 1)  # Ctrl-C ends a pass before it is counted
        share = (visits - self.mistake_visits_) / max(1, visits) if averaged else 1.0
        np.add.at(sums, (self.mistake_classes_, self.mistake_rows_), self.mistake_steps_ * share)
        return sums

    def settle(self) -> None:
        if self._planes:
            self.support_ = np.concatenate([plane.numbers for plane in self._planes])
            self.norm2_ = np.array([plane.sums[PROJECTED.norm2] for plane in self._planes])

    # ----------------------------------------------------------------- the model
    @property
    def support_vectors_(self) -> Any:
        """The rows that were ever mistaken, each once; with a budget those kept, one plane after another."""
        return stack([plane.rows for plane in self._planes]) if self._planes else self._stored.rows

    @property
    def dual_coef_(self) -> Array:
        """a of the last vector, or of the mean of the vectors; a plane on a budget has them on its own rows alone."""
        if not self._planes:
            return self._sums(self.average == "averaged")
        sizes = [len(plane.coefs) for plane in self._planes]
        coefs = np.zeros((len(sizes), sum(sizes)))
        coefs[np.arange(len(sizes)).repeat(sizes), np.arange(sum(sizes))] = np.concatenate(
            [plane.coefs for plane in self._planes]
        )
        return coefs

    def __getattr__(self, name: str) -> Any:
        if name in ("coef_", "intercept_") and self.__dict__.get("kernel") == "linear" and "_stored" in self.__dict__:
            coef = weighted_sum(self.support_vectors_, self.dual_coef_.T).T
            return coef if name == "coef_" else np.zeros(len(coef))
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def decision_function(self, X: Any) -> Array:
        """z = sum_j a_j k(x_j, x), or the vectors' votes, sum_n c_n sign(w_n.x) / sum_n c_n, between -1 and 1.

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
        z = self._values(X)
        check_values(z)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)

    def _values(self, X: Any) -> Array:
        """z of each row and plane."""
        self.check_parameters()  # `average` may be set after training
        self.check_parts("mistake_rows_", "mistake_classes_")
        X = X.astype(self._stored.rows.dtype, copy=False)
        size = block_rows(X)
        if self.average == "voted":
            size = max(1, _VOTE_ENTRIES // max(1, self._stored.n, 0 if isinstance(X, np.ndarray) else X.shape[1]))
            function, stored = self._function(), self._stored.rows
            blocks = (function.between(X[s : s + size], stored) for s in range(0, X.shape[0], size))
            parts = [self._votes(G) / max(1, self.t_) for G in blocks]
        else:
            function, coefs, stored = self._function(), self.dual_coef_.T, self.support_vectors_
            size = max(1, X.shape[0]) if function.affine else size
            parts = [function.combine(X[s : s + size], stored, coefs) for s in range(0, X.shape[0], size)]
        return np.concatenate(parts)

    def mistake_bound(self, norm: float, loss: float) -> Array:
        """Bound the mistakes of each plane of this run, by any function g of the kernel's space.

        The bounds that need the run: loss + ||g|| ||w|| where all rows are kept, plus what the budget cost.

        Parameters
        ----------
        norm : float
            ||g||.
        loss : float
            sum of max(0, 1 - y g(x)) over all visits.

        Returns
        -------
        ndarray, shape (1,) or (n_classes,)
            The bound of each plane.

        Raises
        ------
        DataError
            Rows had weights.

        Examples
        --------
        >>> import numpy as np
        >>> learner = KernelPerceptron("linear", shuffle=False).fit(np.array([[1.0], [2.0], [-1.0]]), [1, 1, 0])
        >>> learner.mistake_bound(1.0, 0.0).tolist(), learner.n_mistakes_
        ([1.0], 1)
        """
        check_is_fitted(self)
        if hasattr(self, "weighted_"):
            raise DataError("the bound is about unit steps, and rows had weights")
        told: list[Any] = [plane.sums.tolist() for plane in self._planes] or [(q, 0.0) for q in self.norm2_.tolist()]
        return np.array([projection_bound(norm, loss, norm_w=length_above(q), distance=d) for q, d in told])

    # --------------------------------------------------------------------- state
    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        meta, arrays = super().get_state()
        for k, plane in enumerate(self._planes):
            arrays |= plane.arrays(f"plane{k}")
        return meta, arrays

    def declared(self, arrays: dict[str, Array]) -> dict[str, ArraySpec]:
        declared = super().declared(arrays)
        if self.budget is None:
            return {**declared, "support_": ArraySpec(("stored",), "whole", least=0)}
        for k in range(len(arrays.get("norm2_", ()))):
            declared |= Plane.declared(f"plane{k}", arrays, int(self.budget))
        return declared

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        self._planes = self._no_rows(self._stored.rows)
        for k, plane in enumerate(self._planes):
            plane.take(f"plane{k}", arrays, self.n_features_in_)
