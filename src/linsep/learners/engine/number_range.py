"""Rows and weights too large for their dtype are refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.types import DataError


def check_entries(X: Any) -> None:
    """Raise unless all entries are finite and every ||x||^2 is within the range of their dtype.

    Raises
    ------
    ValueError
        scikit-learn's, for a NaN or an infinity.
    DataError
        For a row that is too long.
    """
    values = X if isinstance(X, np.ndarray) else X.data
    limit = float(np.finfo(values.dtype).max)
    flat = values.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        if float(flat @ flat) < limit:  # the sum over all rows settles it, as it nearly always does
            return
    if not np.isfinite(flat).all():
        from sklearn.utils.validation import assert_all_finite

        assert_all_finite(values, input_name="X")
    with np.errstate(over="ignore"):
        squares = np.square(values, dtype=np.float64)
        norms2 = squares.sum(axis=1) if values is X else np.add.reduceat(np.append(squares, 0.0), X.indptr[:-1])
    if (long := np.flatnonzero(~(norms2 < limit))).size:
        raise DataError(
            f"row {long[0]}: the sum of the squares of its values is beyond what {values.dtype} holds; scale the "
            f"columns down{' or give float64 rows' if values.dtype == np.float32 else ''}"
        )


def check_weights(norm: float, dtype: Any) -> None:
    """Raise unless ||w||^2 fits the dtype of w: then w.x fits too, for every row that `check_entries` accepted.

    Raises
    ------
    DataError
    """
    if not norm * norm < float(np.finfo(dtype).max):
        raise DataError(
            f"w has outgrown {dtype}: ||w|| is {norm:.3g}, so decision values may overflow. Scale the columns down"
            f"{', give float64 rows' if dtype == np.float32 else ''} or start afresh."
        )
