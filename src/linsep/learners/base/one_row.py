"""Learners that learn and predict one row at a time, by name or as an array: columns and classes join as they come."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import isfinite
from typing import Any, Self

import numpy as np
import scipy

from linsep.learners.base.labelled import check_columns, check_kind, check_same_classes, encode, own_weights
from linsep.learners.base.linear_learner import WITH_SUMS, LinearLearner
from linsep.learners.base.parameters import Given, all_classes, check_class_weight, check_label, refuse_balance
from linsep.learners.base.scores import row_kernels, score_with
from linsep.learners.base.training import learn_more, warn_of_absorbed
from linsep.scikit import check_is_fitted
from linsep.types import CSR, Array, DataError

_MORE = 16
_TRUTH = frozenset([bool, np.bool_])


class OnlineLearner(LinearLearner):
    """Rows all at once or one by one, without the validation and copies that tables need, give the same weights."""

    open_classes: bool
    feature_names_in_: Array
    # Computed from the names and the labels on first access.
    _columns: dict[str, int] | None = None
    _names: list[str]
    # how dicts with all names in their order are packed into the row of an array, where the weights suit it
    _plain = ""
    _dtype: Any
    _coded: Array | None = None
    _codes: dict[Any, Any]
    _labels: list[Any]
    _truth: bool

    # ----------------------------------------------------------------- public
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over these rows, in the order given, from the weights so far.

        The weights are the same to the last bit whether rows come one by one, in chunks or all at once: those of `fit`
        with one epoch and no shuffling.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.
        y : array, shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may come; needed in the first call unless `open_classes`.
        sample_weight : array, shape (n_samples,), optional
            Factor on the update of each row.

        Returns
        -------
        self
        """
        learn_more(self, X, y, classes, sample_weight)
        return self

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one row: the same as `partial_fit` with a table of one row, but many times faster.

        Without `classes` in the first call, each label becomes a class with w = 0 when its first row comes (as with
        ``open_classes=True``).

        Parameters
        ----------
        x : dict or ndarray of shape (n_features,)
            Named features (a new name adds a column, a missing one is 0), or a row.
        y : label
            Text, a whole number or a truth value, of the kind of the labels before it.
        classes : array, optional
            All labels that may come, in the first call; predictions are then the same as with `partial_fit`.

        Returns
        -------
        self

        Raises
        ------
        DataError
            A value is not finite, the row has another length, names are given to a learner of unnamed columns, or the
            label is of another kind or unknown (with closed classes). The learner is unchanged.

        Examples
        --------
        >>> from linsep import Perceptron
        >>> learner = Perceptron()
        >>> for x, y in [({"sun": 1.0}, "out"), ({"rain": 2.0}, "in"), ({"sun": 1.0, "rain": 0.5}, "out")]:
        ...     learner = learner.learn_one(x, y)
        >>> learner.predict_one({"rain": 1.0}), learner.feature_names_in_.tolist()
        ('in', ['sun', 'rain'])
        >>> learner.n_mistakes_
        3
        """
        if "classes_" in self.__dict__:
            if classes is not None:
                check_same_classes(self, classes)
            self._take_in(x, y)
        else:
            with self.unchanged_on_error():
                self.check_parameters()
                self._start_with(x, y, classes)
                self._take_in(x, y)
        return self

    def _take_in(self, x: Any, y: Any) -> None:
        try:
            code = (self._codes if self._coded is self.classes_ else self._label_codes()).get(y)
        except TypeError:
            code = None
        if code is None or (type(y) in _TRUTH) != self._truth:  # 1 == True, but they are different labels
            check_label(y)
            check_kind(self.classes_, np.asarray([y]))
            if not self._open:
                known = ", ".join(map(str, self.classes_[:20]))
                raise DataError(f"label {y} is not one of the classes {known}; open_classes=True lets new ones join")
        new: list[str] = []
        X: Any = self._in_order(x) if self._plain else None
        if X is None:
            X = self._row(x, new)
        try:
            if new or code is None or self.class_weight is not None:
                # A row that is refused must not be counted, and no column may be added for it.
                _check_row(X)
                check_class_weight(self.class_weight)
                refuse_balance(self.class_weight)
                if new:
                    self.widen(self.n_features_in_ + len(new), new)
                if code is None:
                    self._join(y)
                    code = self._label_codes()[y]
            self._learn_row(X, y, code)
        except ValueError:
            with np.errstate(over="ignore"):
                self._row(x, [])  # which value is no finite number
            raise

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one row, as `predict` does for tables.

        Parameters
        ----------
        x : dict or ndarray of shape (n_features,)
            As in `learn_one`; unknown names are ignored.

        Returns
        -------
        label
            From `classes_`.
        """
        if "classes_" not in self.__dict__:
            check_is_fitted(self)
        try:
            X = self._in_order(x) if self._plain else None
            z = self._score_row(self._row(x) if X is None else X)
        except Exception:
            with np.errstate(over="ignore"):
                self._row(x)  # which value is no number
            raise
        if self._coded is not self.classes_:
            self._label_codes()
        if isinstance(z, float):
            k, best = -1 if z >= 0 else 0, z
        else:
            k = int(np.argmax(z))
            best = z[k]
        if not isfinite(best):  # as it is where a value of the row is not
            _check_row(self._row(x))
            self.check_parts()
        return self._labels[k]

    def _learn_row(self, X: Any, label: Any, code: Any) -> None:
        own = 1.0
        if self.class_weight is not None:
            given = Given(X, np.asarray([label]))
            own = float(own_weights(self.class_weight, self.classes_, given, self._open)[0])
        if own == 0 and (len(self.classes_) <= 2 or self.moves_together()):
            return
        (W, b), kernels = self.moving(), row_kernels()
        how = (self.step_rule(), W, b, self.constant2_, self.watch(), self.t_)
        if len(self.classes_) <= 2:
            mistakes, updates, absorbed = kernels.learn_row(X, code, own, *how)
        else:
            together = self.moves_together() or None
            mistakes, updates, absorbed = kernels.learn_row_of_many(X, code, own, together, *how)
        if mistakes < 0:
            self.check_parts()
            raise DataError("the row holds a value that is not a finite number, or is beyond 1e154")
        self.t_ += 1
        self.n_iter_ += 1
        self.n_mistakes_ += mistakes
        self.n_updates_ += updates
        self.settle_later()
        if absorbed:
            warn_of_absorbed(self, absorbed, stacklevel=5)

    def _score_row(self, X: Any) -> Array | float:
        """Decision value or values of the one row of `X`."""
        if not self.running_sums:
            return score_with(X, self._coef, self._intercept)
        if "_sum_coef" not in self.__dict__:
            if self.average:
                self._check_mean()
            return score_with(X, self.last_coef_, self.last_intercept_)
        if not self._stale:
            return score_with(X, self.coef_, self.intercept_)
        # The entries that the row touches, and no others.
        w, b = self._derive(X.indices if isinstance(X, CSR) else slice(None))
        if isinstance(X, CSR):
            X = CSR(X.data, np.arange(len(X.indices)), X.indptr)
        return score_with(X, w, b)

    # ------------------------------------------------------------------- rows
    def _start_with(self, x: Any, y: Any, classes: Any) -> None:
        if self.intercept_scaling == "auto":
            raise DataError(
                'intercept_scaling="auto" is the length of the rows of a first block: give one to partial_fit before '
                "single rows, or give a number"
            )
        check_label(y)
        self.classes_ = np.asarray([y]) if classes is None else all_classes(classes)
        self._open = classes is None or self.open_classes
        if isinstance(x, Mapping):
            empty: Any = scipy.sparse.csr_matrix((1, 0))
            self.feature_names_in_ = np.zeros(0, dtype=object)
        else:
            row = _as_array(x)
            empty = np.zeros((1, row.size), dtype=np.float32 if row.dtype == np.float32 else np.float64)
        self.n_features_in_ = empty.shape[1]
        self.note_fixed()
        self.start(empty)

    def _in_order(self, x: Any) -> Any:
        """The row of a dict with all names in their order; None of others, and where a value is no number."""
        if type(x) is not dict or [*x] != self._names:
            return None
        X: Any = np.empty((1, len(x)), self._dtype)
        try:
            struct.pack_into(self._plain, X, 0, *x.values())
        except (TypeError, ValueError, OverflowError, struct.error):
            return None
        return X

    def _row(self, x: Any, new: list[str] | None = None) -> Any:
        """The row as kernels read it; names that are not known are added to `new`, or without it left out."""
        if not isinstance(x, Mapping):
            return x if isinstance(x, CSR) else self._unnamed(x)
        columns, W = self._column_of(), self.moving()[0]
        self._dtype = W.dtype
        self._plain = f"{len(columns)}{W.dtype.char}" if W.flags.c_contiguous else ""
        try:
            indices = np.fromiter(map(columns.__getitem__, x), np.int32, len(x))
        except KeyError:
            if new is None:
                return self._row({name: value for name, value in x.items() if name in columns})
            new += [name for name in x if name not in columns]
            places = {name: len(columns) + k for k, name in enumerate(new)}
            indices = np.array([columns[name] if name in columns else places[name] for name in x], np.int32)
        try:
            finite = isfinite(sum(x.values()))  # unlike float(), a sum refuses text
        except (TypeError, ValueError, OverflowError):
            finite = False
        if not finite:  # or finite numbers have too large a sum
            _check_numbers(x)
        for name in new or ():
            if not isinstance(name, str):
                raise DataError(f"a feature is named by a string, not by {name!r}")
        return CSR(np.fromiter(x.values(), W.dtype, len(x)), indices, np.array([0, len(x)], np.int32))

    def _unnamed(self, x: Any) -> Any:
        """A row from an array."""
        row = _as_array(x, self.moving()[0].dtype)
        if row.shape != (self.n_features_in_,):
            raise DataError(f"a row of this learner has {self.n_features_in_} values, this has shape {row.shape}")
        return row.reshape(1, -1)

    def _column_of(self) -> dict[str, int]:
        """Position of each named feature."""
        if self._columns is None:
            if not hasattr(self, "feature_names_in_"):
                raise DataError("this learner was trained on unnamed columns: give a row")
            self._names = self.feature_names_in_.tolist()
            check_columns(self.n_features_in_, self.feature_names_in_)
            self._columns = {name: j for j, name in enumerate(self._names)}
        return self._columns

    # ---------------------------------------------------------------- growing
    def start(self, X: Any) -> None:
        super().start(X)
        self._columns, self._plain = None, ""

    def widen(self, width: int, names: list[str]) -> None:
        """Add columns of zeros, all or none."""
        try:
            if names:
                listed = self._roomy("feature_names_in_", self.feature_names_in_[None], width)[0]
            grown = {name: self._roomy(name, getattr(self, name), width) for name in self._kept("features")}
        except (MemoryError, ValueError, OverflowError):
            raise DataError(
                f"no memory for the weights of {width} features; this learner has {self.n_features_in_} so far, and a "
                "column's number is its place among the weights"
            ) from None
        if names:
            columns = self._column_of()
            self.feature_names_in_ = listed
            for name in names:
                listed[len(columns)] = name
                columns[name] = len(columns)
                self._names.append(name)
        self.__dict__.update(grown)
        self.n_features_in_ = width
        self._plain = ""
        self.settle_later()

    def _join(self, label: Any) -> None:
        """Let a class join with w = 0; what was learnt about the others stays.

        One class alone has the plane of "its rows"; two have that of the second, whose negative is that of the first.
        """
        before = len(self.classes_)
        new = np.asarray([label])
        if self.classes_.dtype.kind in "iu" and new.dtype.kind == "f":  # a whole number all the same
            new = new.astype(np.int64)
        # Not append: the labels sort as fit would sort them.
        self.classes_ = np.unique(np.concatenate([self.classes_, new]))
        place = int(np.flatnonzero(self.classes_ == label)[0])
        for name in self._kept("planes"):
            old = getattr(self, name)
            w = old if before > 1 or place == 0 else -old
            if before > 1:
                w = np.insert(np.concatenate([-old, old]) if before == 2 else old, place, 0, axis=0)
            setattr(self, name, np.asarray(w, order="F" if old.flags.f_contiguous else "C"))
        self._plain = ""
        self.settle_later()

    def _roomy(self, name: str, array: Array, width: int) -> Array:
        """The array with `width` columns, zeros in the new ones, in memory with room for as many again.

        So the cost of growing stays linear in the number of columns.
        """
        rooms: dict[str, Array] = self.__dict__.setdefault("_rooms", {})
        room = rooms.get(name)
        if room is None or array.base is not room or room.shape[1] < width:
            room = np.zeros((array.shape[0], max(2 * width, _MORE)), dtype=array.dtype, order="F")
            room[:, : array.shape[1]] = array
            rooms[name] = room
        return np.asarray(room[:, :width])

    def _kept(self, axis: str) -> list[str]:
        """Arrays with such an axis, of those that there are."""
        names = WITH_SUMS if self.running_sums else {f"_{name[:-1]}": spec for name, spec in self.state_arrays.items()}
        return [name for name, spec in names.items() if axis in spec.shape and name in self.__dict__]

    # ----------------------------------------------------------------- labels
    def _label_codes(self) -> dict[Any, Any]:
        """The code of each label for kernels; recomputed when classes have joined."""
        if self._coded is not self.classes_:
            self._labels = self.classes_.tolist()
            self._truth = self.classes_.dtype.kind == "b"
            self._codes = dict(
                zip(self._labels, encode(self.classes_, Given(None, self.classes_)).tolist(), strict=True)
            )
            self._coded = self.classes_
        return self._codes


def _check_row(X: Any) -> None:
    """Raise unless ||x||^2 of the one row of `X` is finite."""
    values = np.ravel(X.data if isinstance(X, CSR) else X).astype(np.float64)
    with np.errstate(over="ignore"):
        if not np.isfinite(values @ values):
            raise DataError("the row holds a value that is not a finite number, or is beyond 1e154")


def _check_numbers(x: Mapping[str, Any]) -> None:
    """Raise unless all values are finite numbers."""
    for name, value in x.items():
        if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
            raise DataError(f"feature {name!r}: {value!r} is not a number; encode text and categories")
        if not np.isfinite(np.float64(value)):
            raise DataError(f"feature {name!r}: {value} is not a finite number")


def _as_array(x: Any, dtype: Any = None) -> Array:
    """The numbers of a row side by side in memory."""
    try:
        row = np.asarray(x)
    except ValueError:  # of rows of several lengths
        row = np.asarray(None)
    if row.dtype.kind not in "biuf" and not (row.size == 0 and row.ndim == 1):
        raise DataError(f"a row is a dict of named features or an array of numbers, this is a {type(x).__name__}")
    return np.asarray(row, dtype=dtype, order="C")
