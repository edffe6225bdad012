"""What a `TableModel` is given: tables, sources and matrices, their labels and weights."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.open import Source, open_data
from linsep.types import DataError


def is_table(X: Any) -> bool:
    """Whether it has named columns, or is a `Source`; a matrix has none."""
    return isinstance(X, Source | str | Path) or hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")


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
