"""What a `TableModel` says of rows: labels by their names, decision values and probabilities."""

from __future__ import annotations

import sys
import warnings
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from linsep.data.features.encoder import TableEncoder
from linsep.data.features.one_row import RowEncoder
from linsep.data.sources.source import Source
from linsep.learners.base.tables import as_named, comparable, labels_given, one_row_of, open_rows, weight_argument
from linsep.learners.linear.perceptron import AveragedPerceptron
from linsep.scikit import BaseEstimator, ClassifierMixin, available_if, check_is_fitted, clone
from linsep.tables import check_index
from linsep.types import Array, DataError, MissingWarning

_FOLDS = 5
# Rows that are predicted one at a time as tables sooner than Numba is loaded for them.
_FEW_ROWS = 300
_rows_so_far = count()


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


def default_learner() -> AveragedPerceptron:
    """The learner of a table where none is asked for.

    Means predict well whether or not the rows are separable; of several classes those that one row moves together do
    better than each against the rest (`make bench SUITES=defaults`).
    """
    return AveragedPerceptron(multi_class="multiclass", random_state=0)


def _gives_probabilities(model: Any) -> bool:
    """Whether it is calibrated, or to be, or its learner has probabilities of its own."""
    return bool(model.probabilities) or learner_has("predict_proba")(model)


def learner_has(method: str) -> Any:
    """Whether the learner (the fitted one, if there is one) has a method."""

    def check(model: Any) -> bool:
        given = default_learner() if model.learner is None else model.learner
        return hasattr(getattr(model, "learner_", given), method)

    return check


class PredictingTables(ClassifierMixin, BaseEstimator):
    """The part of a `TableModel` that predicts: it knows columns, features and the names of classes."""

    learner_: Any
    encoder_: TableEncoder | None
    classes_: Array
    positive: Any

    probabilities: bool
    calibration_: Calibration | None

    def predict(self, X: Any) -> Array:
        """The class of each row.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,)
            Names from `classes_`.
        """
        return self.named(self._asked("predict", X))

    def predict_one(self, x: Any) -> Any:
        """The class of one row: the same as `predict` with a table of that row, many times faster for most.

        Rows of numbers, and of categories that were there in training, take some microseconds; others as long as a
        table.

        Parameters
        ----------
        x : dict or ndarray of shape (n_features,)
            The value of each column by name; None where it is missing. A row, where the model has no encoder.

        Returns
        -------
        label
            From `classes_`.

        Raises
        ------
        DataError
            A column is missing, or holds another kind of value.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from linsep import TableModel
        >>> model = TableModel().fit(pa.table({"age": [20.0, 30.0, 50.0], "city": ["Oslo", "Rome", "Oslo"]}), [0, 0, 1])
        >>> model.predict_one({"city": "Oslo", "age": 60}), model.predict_one({"age": 10, "city": "Rome"})
        (1, 0)
        """
        if "learner_" not in self.__dict__:
            check_is_fitted(self)
        learner = self.learner_
        if hasattr(learner, "predict_one") and ("numba" in sys.modules or next(_rows_so_far) >= _FEW_ROWS):
            row = x if self.encoder_ is None else self._row_encoder(self.encoder_).encode(x)
            if row is not None:
                said = learner.predict_one(row)
                return self.named(np.array([said]))[0].item() if self._has_codes else said
        return self.predict(one_row_of(x, self.encoder_))[0].item()

    def _row_encoder(self, encoder: TableEncoder) -> RowEncoder:
        """What encodes single rows; made anew when the encoder has learnt from another table."""
        known: RowEncoder | None = self.__dict__.get("_of_rows")
        if known is None or known.made is not encoder.made:
            known = self.__dict__["_of_rows"] = RowEncoder(encoder)
        return known

    def decision_function(self, X: Any) -> Array:
        """The decision values that the learner gives to the encoded rows.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for `classes_[1]`. More: one column a class.
        """
        return np.asarray(self._asked("decision_function", X))

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes: calibrated with `probabilities`, else as the learner gives them.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        if not self.probabilities:
            return np.asarray(self._asked("predict_proba", X))
        z = self._asked("decision_function", X)
        if self.calibration_ is None:
            raise DataError("the training was interrupted before probabilities were fitted: fit the model again")
        return self.calibration_.of(np.asarray(z))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Compute the share of rows that are predicted correctly.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.
        y : array-like of shape (n_samples,), optional
            Labels of the table; None takes the label column of a Source.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each row.

        Returns
        -------
        float
            Between 0 and 1.
        """
        from sklearn.metrics import accuracy_score

        check_index(X, y)
        said = self.predict(X)
        truth = self.as_classes(labels_given(y, X if isinstance(X, Source) else None))
        if self.encoder_ is not None or self._has_codes:
            truth, said = comparable(truth, said)
        return float(accuracy_score(truth, said, sample_weight=sample_weight))

    # -------------------------------------------------------------------- names
    @property
    def _has_codes(self) -> bool:
        """Whether the learner was trained on 0, 1, ... in place of the names."""
        own = self.learner_.classes_
        return own is not self.classes_ and not np.array_equal(own, self.classes_)

    def named(self, said: Array) -> Array:
        """The names of what the learner predicted.

        Parameters
        ----------
        said : ndarray of shape (n_samples,)
            Classes of the learner.

        Returns
        -------
        ndarray, shape (n_samples,)
            Names from `classes_`.
        """
        if not self._has_codes:
            return said
        return np.asarray(self.classes_[np.searchsorted(self.learner_.classes_, said)])

    def as_classes(self, labels: Any) -> Any:
        """Return labels of a table as classes of the model: with `positive`, all others belong to the rest.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            The labels.

        Returns
        -------
        array-like of shape (n_samples,)
            Names from `classes_`.
        """
        return labels if self.positive is None else as_named(labels, self.classes_, self.positive)

    # ------------------------------------------------------------------ columns
    def get_feature_names_out(self) -> Array:
        """The names of the encoded features; those of the columns where nothing is encoded.

        Returns
        -------
        ndarray of str objects
            One name for each feature of the encoded rows.
        """
        check_is_fitted(self)
        return self.feature_names_in_ if self.encoder_ is None else np.array(self.encoder_.feature_names_, dtype=object)

    def _asked(self, method: str, X: Any) -> Any:
        """What a method of the learner says of rows."""
        rows = self._encoded(X)
        return getattr(self.learner_, method)(rows)

    def _encoded(self, X: Any) -> Any:
        check_is_fitted(self)
        if self.encoder_ is not None:
            rows = self.encoder_.transform(open_rows(X, self.encoder_, self)).X
            for said in self.encoder_.told_missing():
                warnings.warn(said, MissingWarning, stacklevel=4)
            return rows
        return X.read().X if isinstance(X, Source) else X

    @property
    def n_features_in_(self) -> int:
        columns = self._columns("n_features_in_")
        return int(self.learner_.n_features_in_) if columns is None else len(columns)

    @property
    def feature_names_in_(self) -> Array:
        columns = self._columns("feature_names_in_")
        return np.asarray(self.learner_.feature_names_in_) if columns is None else np.array(columns, dtype=object)

    def _columns(self, asked: str) -> list[str] | None:
        """Names of the columns that the encoder takes; AttributeError for what is `asked` before there is a learner."""
        if not hasattr(self, "learner_"):
            raise AttributeError(f"{asked} is there after fit")
        return None if self.encoder_ is None else self.encoder_.column_names
