"""Linear learners: the vector that updates move, the one that predicts, and their passes.

The vector that predicts is the one that moves, the mean of those after each visit, or what a learner derives of its
own. What is derived is marked stale and recomputed on access.
"""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Literal

import numpy as np

from linsep.declared import ArraySpec, ValueSpec
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.few_passes import few_epochs
from linsep.learners.base.labelled import as_rows, encode, own_weights, typical_length
from linsep.learners.base.parameters import LEAST_CONSTANT, MOST_CONSTANT, Given
from linsep.learners.base.scores import scores
from linsep.learners.base.training import measure
from linsep.passes import NO_WEIGHTS, RECORD, Mean, Rows, UpdateLog
from linsep.scikit import check_is_fitted, checked_rows
from linsep.tables import is_sparse
from linsep.types import CSR, Array, DataError, OnesCSR

# Fewer stored entries are read sooner than a pass without them is compiled. It takes half of the time in the end.
_MANY = 1_000_000

# Arrays that a file has where a mean may predict: u of the mean w - u / T, and w.
SUMS = {"_sum_coef": "last_coef_", "_sum_intercept": "last_intercept_"}
WITH_SUMS = {
    "coef_": ArraySpec(("planes", "features")),
    "intercept_": ArraySpec(("planes",), like="coef_"),
    "last_coef_": ArraySpec(("planes", "features")),
    "last_intercept_": ArraySpec(("planes",), like="last_coef_"),
    "_sum_coef": ArraySpec(("planes", "features"), "float64", bounded=False),
    "_sum_intercept": ArraySpec(("planes",), "float64", bounded=False),
}


class LinearLearner(Classifier):
    """A learner with `coef_` and `intercept_`, which predict, and its passes.

    The vector that predicts moves, too, unless a learner has `running_sums`: then `last_coef_` moves. The sums are kept
    if `average` asked for a mean when training began. Without them `coef_` is the same array as `last_coef_`, and a
    model file holds it once.
    """

    state_values: ClassVar[dict[str, ValueSpec]] = {
        **Classifier.state_values,
        "intercept_scaling_": ValueSpec("number", least=LEAST_CONSTANT, most=MOST_CONSTANT),
    }
    state_arrays: ClassVar[dict[str, ArraySpec]] = {name: WITH_SUMS[name] for name in ("coef_", "intercept_")}
    # Running sums behind a mean of weights: the name of each, and that of the weights it is about.
    running_sums: ClassVar[dict[str, str]] = {}

    last_coef_: Array
    last_intercept_: Array
    intercept_scaling_: float = 1.0
    constant2_: float  # c^2, by which updates of b are multiplied; 0 without an intercept
    _coef: Array
    _intercept: Array
    _sum_coef: Array
    _sum_intercept: Array
    _stale = False  # whether what was derived is older than the last update
    _derived_with: Any = None  # `average` at that time: a new value makes `coef_` stale

    # Parameters, with values for learners that lack them.
    fit_intercept: bool
    intercept_scaling: float | str = 1.0
    class_weight: Any = None
    multi_class: str = "ovr"
    average: Any = False
    warm_start: bool
    trace: str

    # ------------------------------------------------------------------ hooks
    def step_rule(self) -> Any:
        """The step rule of this learner, as kernels read it: the margin up to which a perceptron moves, or another."""
        return 0.0

    def watch(self, memory: Any = None) -> Any:
        """What kernels update beside the weights (sums for a mean, say), or None; `memory` is that of `run`."""
        if not self.running_sums:  # written out: `learn_one` comes here with every row
            return None
        if "_sum_coef" in self.__dict__:
            return Mean(self._sum_coef, self._sum_intercept)
        if self.average:
            self._check_mean()
        return None

    def moving(self) -> tuple[Array, Array]:
        if self.running_sums:
            return self.last_coef_, self.last_intercept_
        return self._coef, self._intercept

    def counts_survival(self) -> bool:
        return "_sum_coef" in self.__dict__

    # --------------------------------------------------------------- training
    def start(self, X: Any) -> None:
        """Set the state of an untrained learner: w = 0, b = 0, nothing counted."""
        n_planes = self.n_planes()
        # Sparse rows want one feature's weights of all classes side by side; the mean then needs no copy either.
        order: Literal["C", "F"] = "C" if isinstance(X, np.ndarray) else "F"
        self._coef = np.zeros((n_planes, X.shape[1]), X.dtype, order)
        self._intercept = np.zeros(n_planes, dtype=X.dtype)
        self._stale, self._derived_with = False, self.average
        if self.running_sums:
            self._start_sums()
        c = self.intercept_scaling
        self.intercept_scaling_ = typical_length(X) if isinstance(c, str) else float(c)
        self.constant2_ = self.fit_intercept * self.intercept_scaling_**2
        self.t_ = self.n_iter_ = self.n_mistakes_ = self.n_updates_ = 0

    def _start_sums(self) -> None:
        self.last_coef_, self.last_intercept_ = self._coef, self._intercept
        for name, weights in self.running_sums.items():
            self.__dict__.pop(name, None)
            if self._keeps_sums():
                setattr(self, name, np.zeros_like(getattr(self, weights), np.float64))

    def kernel_rows(self, given: Given) -> tuple[Rows, Array | None]:
        """What kernels read of rows, and their original indices; weights of two classes multiply the rows' own."""
        own = None
        if self.class_weight is not None:
            own = own_weights(self.class_weight, self.classes_, given, self._open)
            if (len(self.classes_) <= 2 or self.moves_together()) and not own.all():
                given, own = given.take(own > 0), own[own > 0]
        X, weight = given.X.astype(self.moving()[0].dtype, copy=False), given.weight
        if own is not None and len(self.classes_) <= 2:
            weight, own = own if weight is None else own * weight, None
        weight, own = NO_WEIGHTS if weight is None else weight, NO_WEIGHTS if own is None else own
        return Rows(as_rows(X), encode(self.classes_, given), weight, own), given.numbers

    def prepare(self, rows: Rows) -> Any:
        """The rows without their entries where all are 1: their sums are made in the same order, to the same bits."""
        X = rows.X
        if len(self.classes_) > 2 or not isinstance(X, CSR) or X.data.size < _MANY:
            return None
        from linsep.kernels.rows import are_ones

        return OnesCSR(X.indices, X.indptr) if are_ones(X.data) else None

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        `memory` is what `prepare` returned, or None in `partial_fit`.
        """
        if isinstance(memory, OnesCSR):
            rows = rows._replace(X=memory)
        W, b = self.moving()
        watch = self.watch(memory)
        watch = log if watch is None else watch if log is None else (watch, log)
        step, intercept = self.step_rule(), self.constant2_
        if "numba" not in sys.modules:
            together = len(self.classes_) > 2 and self.moves_together()
            made = few_epochs(rows, together, step, W, b, intercept, watch, self.t_, reference, record)
            if made:
                return made
        if len(self.classes_) <= 2:
            from linsep.kernels.linear.epoch import plain_epochs

            return int(plain_epochs(rows, step, W[0], b, intercept, watch, self.t_, reference, record, 0))
        return self._passes_of_many(rows, W, b, watch, record)

    def _passes_of_many(self, rows: Rows, W: Array, b: Array, watch: Any, record: Array) -> int:
        """The same for several classes."""
        from linsep.kernels.linear.multiclass import epoch_of_many, with_scratch

        model, rule, n = with_scratch(W, b), (self.moves_together() or None, self.step_rule()), len(rows.y)
        for e in range(len(record)):
            model.counts[:] = 0
            epoch_of_many(rows, *rule, model, self.constant2_, watch, self.t_ + e * n)
            record[e, [RECORD.mistakes, RECORD.updates, RECORD.absorbed]] = model.counts.sum(axis=0)
            record[e, RECORD.dots] = n * len(b)
            measure(record[e], W, b)
            if record[e, RECORD.updates] == 0:
                return e + 1
        return len(record)

    # ----------------------------------------------------------- what predicts
    def predicts_mean(self) -> bool:
        """Whether the mean predicts."""
        return bool(self.running_sums and self.average) and self.average != "last"

    def _keeps_sums(self) -> bool:
        """Whether training from w = 0 keeps the sums for the mean: always where `average` has names."""
        return isinstance(self.average, str) or self.predicts_mean()

    def _check_mean(self) -> None:
        if self.predicts_mean():
            raise DataError(
                "average=True needs sums that are kept from the first row on, and this learner was trained without: "
                "fit it again with average=True"
            )

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        """The weights that predict, and the intercepts; of a mean those of `columns`, an index of the second axis."""
        if not self.running_sums:
            return self._coef, self._intercept
        w, b = self.last_coef_, self.last_intercept_
        if "_sum_coef" not in self.__dict__:
            self._check_mean()
        if not self.predicts_mean() or self.t_ == 0:
            return w if isinstance(columns, slice) else w[:, columns], b
        mean = self._sum_coef[:, columns] / self.t_
        np.subtract(w[:, columns], mean, out=mean)  # in place: wide weights would need twice the memory for a moment
        return mean, b - self._sum_intercept / self.t_

    def settle(self) -> None:
        self._stale = False
        self._coef, self._intercept = self._derive(slice(None))
        self._derived_with = self.average

    def settle_later(self) -> None:
        """Do on access what `settle` does: whole vectors cost more than a row of a stream."""
        self._stale = bool(self.running_sums)

    def _settled(self) -> None:
        if "classes_" in self.__dict__ and (self._stale or self._derived_with != self.average):
            self.settle()

    @property
    def coef_(self) -> Array:
        self._settled()
        return self._coef

    @coef_.setter
    def coef_(self, value: Array) -> None:
        self._put("coef_", value)

    @property
    def intercept_(self) -> Array:
        self._settled()
        return self._intercept

    @intercept_.setter
    def intercept_(self, value: Array) -> None:
        self._put("intercept_", value)

    def _put(self, name: str, value: Array) -> None:
        """Take this as what predicts, until something is learnt."""
        if self.running_sums and "_sum_coef" not in self.__dict__:
            self.__dict__[f"last_{name}"] = value
        self.__dict__[f"_{name[:-1]}"] = value
        self._derived_with = self.average

    def decision_function(self, X: Any) -> Array:
        """z = w.x + b.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class, `classes_[1]`. More: one column a class. One class,
            before others joined: the value of "its rows".
        """
        check_is_fitted(self)
        self.check_parts()
        # A NaN or an infinity among stored entries makes z one, and of z there is less to look at.
        finite = not is_sparse(X)
        X = checked_rows(self, X, finite=finite)
        z, finite = scores(X, self.coef_.T, self.intercept_)
        if not finite:
            checked_rows(self, X)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)

    # ------------------------------------------------------------------ state
    def parts(self) -> dict[str, Any]:
        parts = super().parts()
        if self._stale or self._derived_with != self.average:
            return parts
        return {"coef_": self._coef, "intercept_": self._intercept} | parts

    def declared(self, arrays: dict[str, Array]) -> dict[str, ArraySpec]:
        if not self.running_sums or self._keeps_sums() or not arrays.keys().isdisjoint(self.running_sums):
            return self.state_arrays
        return LinearLearner.state_arrays

    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        meta, arrays = super().get_state()
        if self.running_sums and "_sum_coef" not in self.__dict__:
            arrays = {name: arrays[name] for name in LinearLearner.state_arrays}
            meta["column_major"] = [name for name in meta["column_major"] if name in arrays]
        return meta, arrays

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        super().set_state(meta, arrays, classes, names)
        self.constant2_ = self.fit_intercept * self.intercept_scaling_**2
        w, b = self._derive(slice(None))
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(np.vdot(w, w) + b @ b):
                raise DataError("the sums behind its weights are too large: the weights would not be finite")
