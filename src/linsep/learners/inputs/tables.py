"""What a `TableModel` is given: tables, sources and matrices, their labels and weights."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from linsep.data.features.encoder import TableEncoder
from linsep.data.features.exact_decimals import row_names
from linsep.data.features.kinds import without_skipped
from linsep.data.features.missing import rows_to_learn
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.learners.engine.guard import Guarded
from linsep.scikit import BaseEstimator, TransformerMixin, check_is_fitted, checked_rows
from linsep.tables import column_names
from linsep.types import Array, Chunk, DataError, MissingWarning


class Prepared(NamedTuple):
    """Rows as a learner takes them: `names[k]` is the name of the target k, None where targets are the labels.

    `kept` says which of the rows these are; None for all of them.
    """

    encoder: TableEncoder | None
    rows: Any
    targets: Any
    names: Array | None
    kept: Array | None = None


def is_table(X: Any) -> bool:
    """Whether it has named columns, or is a `Source`; a matrix has none."""
    return isinstance(X, Source | str | Path) or column_names(X) is not None


def open_rows(X: Any, encoder: TableEncoder, model: Any = None) -> Source:
    """Any table or matrix as a `Source`; of a fitted model as the encoder knows the columns."""
    if isinstance(X, Source):
        return X
    if isinstance(X, str | Path):
        raise DataError(f"{X} is a path: give open_data({str(X)!r}, target=...)")
    if is_table(X):
        return open_data(X, categorical=encoder.text_columns)
    if model is None or encoder.column_names is None:
        return open_data((X, None))
    X, names = np.asarray(X), encoder.column_names
    if X.ndim != 2 or X.shape[1] != len(names):
        raise DataError(f"the model was trained on {len(names)} columns, and these rows have shape {X.shape}")
    warnings.warn(
        f"X does not have valid feature names, but {type(model).__name__} was fitted with feature names",
        UserWarning,
        stacklevel=4,
    )
    return open_data(pa.table(dict(zip(names, X.T, strict=True))), categorical=encoder.text_columns)


def fitted_rows(source: Source, encoder: TableEncoder) -> tuple[Any, Array | None]:
    """Fit an encoder and return the encoded rows, and which they are where it leaves some out."""
    encoder.fit(source)
    chunk = source.read()
    kept = None
    if not isinstance(chunk, Chunk):
        kept = rows_to_learn(without_skipped(chunk, encoder.kinds_), encoder.missing)
    return (encoder.transform(source).X if kept is None else encoder.encode_chunk(chunk.take(kept))), kept


def labels_given(y: Any, source: Source | None) -> Any:
    """The labels given, or those of the source."""
    if y is None and source is not None:
        y = source.read().y
    if y is None:
        raise DataError(
            "requires y to be passed, but the target y is None: these rows have no labels; name the label column with "
            "target (--target), or give y"
        )
    return y


def weight_argument(sample_weight: Any) -> dict[str, Any]:
    """The argument for the learner, where there is something to say: not all learners take it."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}


class EncodedColumns(Guarded, TransformerMixin, BaseEstimator):
    """The part of a `TableModel` that knows the columns: encoded rows, names of columns and of features."""

    learner_: Any
    encoder_: TableEncoder | None

    def transform(self, X: Any) -> Any:
        """The encoded rows, as the learner gets them.

        Parameters
        ----------
        X : dataframe, Source, array or SciPy sparse matrix
            The rows.

        Returns
        -------
        ndarray or CSR matrix, shape (n_samples, n_encoded_features)
            The encoded rows.
        """
        check_is_fitted(self)
        if self.encoder_ is None:
            return checked_rows(self, X)
        return self._encoded(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the encoded features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names for the columns of a matrix, which has none of its own.

        Returns
        -------
        ndarray of str objects
            One name for each feature of the encoded rows.
        """
        check_is_fitted(self)
        if self.encoder_ is not None:
            return np.array(self.encoder_.feature_names_, dtype=object)
        known = getattr(self.learner_, "feature_names_in_", None)
        names = input_features if input_features is not None else known
        if names is None:
            names = row_names(self.n_features_in_, None)
        names = np.asarray(names, dtype=object)
        if known is not None and not np.array_equal(names, known):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise ValueError(f"input_features should have length equal to number of features ({self.n_features_in_})")
        return names

    @contextmanager
    def reading(self) -> Iterator[Self]:
        with ExitStack() as stack:
            with self.guard().lock:  # nothing is learnt between the two
                still = stack.enter_context(super().reading())
                if isinstance(learner := still.__dict__.get("learner_"), Guarded):
                    still.learner_ = stack.enter_context(learner.reading())
            yield still

    def _asked(self, method: str, X: Any) -> tuple[Any, Self]:
        """What a method of the learner says of rows, and the model as it was then."""
        with self.reading() as still:
            rows = still._encoded(X)
            return getattr(still.learner_, method)(rows), still

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
        if not hasattr(self, "learner_"):
            raise AttributeError("n_features_in_ is there after fit")
        columns = None if self.encoder_ is None else self.encoder_.column_names
        if columns is not None:
            return len(columns)
        return int(self.learner_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        if not hasattr(self, "learner_"):
            raise AttributeError("feature_names_in_ is there after fit")
        columns = None if self.encoder_ is None else self.encoder_.column_names
        if columns is not None:
            return np.array(columns, dtype=object)
        return np.asarray(self.learner_.feature_names_in_)
