"""Rows without named columns: the columns of later rows put where those of the first ones were, and scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from linsep.data.features.fitted_columns import Fitted
from linsep.types import Chunk, DataError

_FROM_1 = "there is an index 0, and the model was trained on indices from 1"


def aligned(X: Any, first_index: int | None, theirs: int | None, name: str) -> Any:
    """Sparse rows with the columns where they were in `fit`, whichever index the file happens to begin with.

    `first_index` is that of the model and `theirs` that of the rows; None for arrays.
    """
    if first_index is None or theirs is None or first_index == theirs:
        return X
    if first_index == 1:
        raise DataError(f"{name}: {_FROM_1}")
    return scipy.sparse.hstack([scipy.sparse.csr_matrix((X.shape[0], 1)), X], format="csr")


def from_first(chunk: Chunk, first_index: int | None) -> Any:
    """The columns of rows that a stream gave, column j being index j, from the first index of the model on."""
    if first_index != 1:
        return chunk.X
    if (chunk.X.indices == 0).any():
        raise DataError(_FROM_1)
    return chunk.X[:, 1:]


def scaled(X: Any, fitted: Fitted) -> Any:
    """(x - mean) / scale; sparse rows are not centred. Further columns are left out; those a sparse row lacks are 0."""
    mean, scale = fitted.mean, fitted.scale
    p = len(scale)
    if isinstance(X, np.ndarray):
        if X.shape[1] < p:
            raise DataError(f"the model was trained on {p} features, these rows have {X.shape[1]}")
        return (X[:, :p] - mean) / scale
    X = scipy.sparse.csr_matrix(X[:, :p], dtype=np.float64, copy=True)
    X.resize(X.shape[0], p)
    X.data /= scale[X.indices]
    return X
