"""What all classifiers share: labels, passes, the tie rule, saving and restoring state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Self

import numpy as np

from linsep.declared import MOST_COLUMNS, ArraySpec, ValueSpec, check_arrays, check_form, check_values
from linsep.learners.base.labelled import check_columns, check_distinct, check_entries, check_kind, rows_to_fit
from linsep.learners.base.loop import Progress, shuffled_order
from linsep.learners.base.parameters import Allowed, Given, check_labels, check_parameters
from linsep.learners.base.trace import Trace, flatten_reference
from linsep.learners.base.training import train, warn_of_absorbed, warn_of_run
from linsep.passes import NO_WEIGHTS, RECORD, Rows, UpdateLog
from linsep.scikit import BaseEstimator, ClassifierMixin, check_is_fitted, checked_rows
from linsep.tables import check_index
from linsep.types import Array, DataError, Hyperplane, StopReason


class Classifier(ClassifierMixin, BaseEstimator):
    """Labels, passes, predictions and the state of any learner that gives decision values.

    A subclass says how to start (`start`), what passes read of rows (`kernel_rows`), what passes are (`run`) and which
    weights they move (`moving`).
    """

    # The fitted attributes that a saved model holds, beside classes_ and feature names, and what each must be.
    state_values: ClassVar[dict[str, ValueSpec]] = {
        "n_features_in_": ValueSpec(most=MOST_COLUMNS),
        "n_iter_": ValueSpec(),
        "n_mistakes_": ValueSpec(),
        "n_updates_": ValueSpec(),
        "t_": ValueSpec(),
        "_open": ValueSpec("flag"),
        # Of a learner that only `partial_fit` has trained there is none.
        "stop_reason_": ValueSpec("choice", choices=tuple(StopReason), needed=False),
        # There, and true, if a row had another weight than 1: what is proved of unit steps then does not hold.
        "weighted_": ValueSpec("flag", needed=False),
    }
    state_arrays: ClassVar[dict[str, ArraySpec]] = {}
    # Parameters that have to stay as they were in training, as what was learnt depends on them.
    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "multi_class")
    # What parameters may be that other learners have with another meaning.
    allowed: ClassVar[dict[str, Allowed]] = {}
    # Whether a budget that ends before a clean pass is worth a warning.
    wants_clean_pass: ClassVar[bool] = True
    # Epochs that one call of `run` may be asked for.
    batch_epochs: ClassVar[int] = 4096
    # The dtype of ||w||^2; None: that of the rows.
    summed_in: ClassVar[Any] = None
    # Whether it moves by y x on mistakes and on nothing else, as the mistake bounds assume.
    unit_steps: ClassVar[bool] = True

    max_iter: int | None
    time_limit: float | None
    shuffle: bool
    random_state: Any
    verbose: int | Progress
    # Whether classes may join; set by `open_classes` and by a start with `learn_one`.
    _open: bool = False
    _fixed: dict[str, Any]
    classes_: Array
    n_features_in_: int
    feature_names_in_: Array
    n_iter_: int
    n_mistakes_: int
    n_updates_: int
    t_: int
    weighted_: bool
    stop_reason_: StopReason
    trace_: Trace

    # ------------------------------------------------------------------ hooks
    def start(self, X: Any) -> None:
        """Set the state of an untrained learner of rows like these (dtype, columns, dense or sparse)."""
        raise NotImplementedError

    def moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that updates move."""
        raise NotImplementedError

    def kernel_rows(self, given: Given) -> tuple[Rows, Array | None]:
        """What kernels read of rows, and the original indices of these."""
        raise NotImplementedError

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        `memory` is what `prepare` returned, or None in `partial_fit`. Fills a row of `record` for each pass: without
        dot products it counts as no pass, and ||w|| is looked at. Enters updates in `log`, if there is one.
        """
        raise NotImplementedError

    def decision_function(self, X: Any) -> Array:
        """z of each row, or of each row and class."""
        raise NotImplementedError

    def _join(self, label: Any) -> None:
        """Let a class join with w = 0, of a learner that has `open_classes`."""
        raise NotImplementedError

    def prepare(self, rows: Rows) -> Any:
        """Return what the passes of one `fit` over these rows remember from pass to pass."""
        return None

    def reorders(self) -> bool:
        """Whether each pass visits rows in an order of its own."""
        return self.shuffle

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        """The n rows that a shuffled pass visits."""
        return shuffled_order(n, rng)

    def stop_after(self, record: Array) -> StopReason | None:
        """The reason to stop after these passes, or None."""
        return None if record[-1, RECORD.updates] else StopReason.CLEAN_PASS

    def counts_survival(self) -> bool:
        """Whether vectors count by the rows that they survive, and so the epochs left out after a clean pass too."""
        return False

    def end_run(self, stop: StopReason, n_epochs: int) -> None:
        """Record why a run ended, and its epochs in all."""
        self.stop_reason_, self.n_iter_ = stop, n_epochs

    def settle(self) -> None:
        """Derive what predictions use from what passes moved."""

    check_parameters = check_parameters

    # ----------------------------------------------------------------- planes
    def n_planes(self) -> int:
        """Vectors of weights: one for two classes, one a class for more."""
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def moves_together(self) -> bool:
        """Whether one update moves two of several classes."""
        return len(self.classes_) > 2 and getattr(self, "multi_class", "ovr") == "multiclass"

    # ------------------------------------------------------------------ input
    def check_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        """Return rows and labels as arrays; an error unless they are finite and fit each other and the learner.

        `reset` starts afresh: the columns are those of these rows, and the labels may be of another kind.
        """
        check_index(X, y)
        X, y = checked_rows(self, X, check_labels(y), reset=reset, finite=False)
        check_entries(X)
        if not reset and "classes_" in self.__dict__:
            check_kind(self.classes_, y)
        return X, y

    def __sklearn_is_fitted__(self) -> bool:
        # Without this scikit-learn goes through the attributes, which a thread that learns may change meanwhile.
        return "classes_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Put the attributes back as they were if the block raises."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            for name in self.__dict__.keys() - before.keys():
                del self.__dict__[name]
            self.__dict__.update(before)
            raise

    # -------------------------------------------------------------------- fit
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        reference: Hyperplane | tuple[Any, float] | None = None,
    ) -> Self:
        """Learn from all rows until a pass is clean or the budget ends.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            float32 and float64 are used as they are, other dtypes as float64.
        y : array, shape (n_samples,)
            Labels: of two the second in sorted order is the positive class.
        sample_weight : array, shape (n_samples,), optional
            An update of row i is scaled by its weight. An integer weight k is *not* the same as k visits; a
            weight of 0 is the same as leaving the row out.
        reference : (w, b), optional
            Of two classes, a separator to compare with: the trace then holds the cosine of the angle to it and
            w.w* + b b* / c^2.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For input that cannot be learnt from; the estimator is left as it was.
        KeyboardInterrupt
            On Ctrl-C, after the model so far has been kept (`stop_reason_` is "interrupted").

        Warns
        -----
        ConvergenceWarning
            When the budget ended before a clean pass.
        PrecisionWarning
            When an update no longer changed w, because w has outgrown the digits of its dtype.
        """
        stopped: KeyboardInterrupt | None = None
        with self.unchanged_on_error():
            self.check_parameters()
            warm = getattr(self, "warm_start", False) and hasattr(self, "coef_")
            rows, numbers = rows_to_fit(self, X, y, sample_weight, warm=warm)
            plane = NO_WEIGHTS if reference is None else flatten_reference(reference, self.n_features_in_)
            if plane.size and len(self.classes_) > 2:
                raise ValueError(f"a reference is one hyperplane, for two classes; here are {len(self.classes_)}")
            try:
                train(self, rows, plane, numbers)
            except KeyboardInterrupt as interrupt:  # the model so far is kept
                stopped = interrupt
        if stopped is not None:
            raise stopped
        if self.stop_reason_ is not StopReason.CLEAN_PASS:
            self.warn_of_run(len(rows.y))
        if self.trace_.total_absorbed:
            warn_of_absorbed(self, self.trace_.total_absorbed)
        return self

    def warn_of_run(self, n: int) -> None:
        """Warn, if need be, of a run over n rows that ended before a clean pass."""
        if self.wants_clean_pass:
            warn_of_run(self, n)

    # ------------------------------------------------------------- prediction
    def predict(self, X: Any) -> Array:
        """Predict the positive class where z >= 0, else the other; of several classes the first with the largest z.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,)
            Labels from `classes_`.
        """
        z, classes = self.decision_function(X), self.classes_
        positions = (z >= 0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)
        if len(classes) == 1:
            positions[:] = 0
        return np.asarray(classes[positions])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the share of rows that are predicted correctly.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        sample_weight : array, shape (n_samples,), optional
            The weight of each row.

        Returns
        -------
        float
            Between 0 and 1.
        """
        from sklearn.metrics import accuracy_score

        check_index(X, y)
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    # ------------------------------------------------------------------ state
    def note_fixed(self) -> None:
        """Remember the parameters that have to stay as they are now."""
        self._fixed = {name: getattr(self, name) for name in self.fixed if hasattr(self, name)}

    def _check_fixed(self) -> None:
        for name, before in getattr(self, "_fixed", {}).items():
            if (now := getattr(self, name)) != before and not (callable(now) and callable(before)):
                raise DataError(f"{name}={now!r} was set after training: put {before!r} back, or fit again")

    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict and to go on training: a JSON-able part and an array part."""
        check_is_fitted(self)
        self._check_fixed()
        meta = {name: getattr(self, name) for name in self.state_values if hasattr(self, name)}
        arrays = {name: getattr(self, name) for name in self.state_arrays if hasattr(self, name)}
        # A file holds rows of numbers; the order in memory decides which sums are made, to the last bit.
        meta["column_major"] = [name for name, a in arrays.items() if a.flags.fnc]
        return meta, arrays

    def check_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Raise DataError unless this is a state that `get_state` could have given."""
        check_values(meta, {**self.state_values, "column_major": ValueSpec("list", needed=False)})
        check_columns(meta["n_features_in_"], names)
        check_distinct(classes)
        if classes.tolist() != sorted(classes.tolist()):
            raise DataError(f"its classes are not in sorted order: {classes.tolist()!r:.60}")
        if not all(isinstance(name, str) and name in arrays for name in meta.get("column_major", ())):
            raise DataError("column_major names an array that is not there")
        check_arrays(arrays, self.declared(arrays), self.sizes(meta["n_features_in_"], len(classes)))

    def declared(self, arrays: dict[str, Array]) -> dict[str, ArraySpec]:
        """What the arrays of a state must be, where that depends on which there are."""
        return self.state_arrays

    def sizes(self, n_features: int, n_classes: int) -> dict[str, int]:
        """The sizes that the shapes of arrays name."""
        return {"features": n_features, "classes": n_classes, "planes": 1 if n_classes <= 2 else n_classes}

    def parts(self) -> dict[str, Any]:
        """The arrays that it is made of now; nothing is computed."""
        return {name: self.__dict__[name] for name in self.state_arrays if name in self.__dict__}

    def check_parts(self, *entries: str) -> None:
        """Raise DataError unless its arrays fit each other, its columns and its classes, as training left them.

        Somebody may have put others in their place, and compiled code does not look. Of the arrays in `entries` the
        range is checked too.
        """
        self._check_fixed()
        parts, sizes = self.parts(), self.sizes(self.n_features_in_, len(self.classes_))
        try:
            for name, array in parts.items():
                check_form(name, array, self.state_arrays[name], sizes, parts)
            check_arrays({name: parts[name] for name in entries}, {n: self.state_arrays[n] for n in entries}, sizes)
        except DataError as error:
            raise DataError(f"{error}: an attribute was replaced after training; put it back, or fit again") from None

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Take back what `get_state` gave, with `classes_` and the names of columns."""
        self.check_state(meta, arrays, classes, names)
        self.note_fixed()
        self.classes_ = classes
        if names is not None:
            self.feature_names_in_ = names
        for name in self.state_values:
            if name in meta:
                setattr(self, name, StopReason(meta[name]) if name == "stop_reason_" else meta[name])
        for name in self.state_arrays:
            if name in arrays:
                order: Literal["F", "K"] = "F" if name in meta.get("column_major", ()) else "K"
                setattr(self, name, np.asarray(arrays[name], order=order))

    def take_over(self, other: Self) -> None:
        """Replace all that was learnt by what another learner of this class has learnt; parameters stay."""
        parameters = self.get_params(deep=False)
        for name in self.__dict__.keys() - parameters.keys():
            del self.__dict__[name]
        self.__dict__.update({name: value for name, value in other.__dict__.items() if name not in parameters})
