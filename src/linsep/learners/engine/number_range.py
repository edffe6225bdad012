"""Rows and weights too large for their dtype are refused; rows too short and rows of zeros are found."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from linsep.types import CSR, Array, DataError, PrecisionWarning

_GLANCE = 4096
_FEW = 500_000  # fewer entries are looked at sooner than the kernel is compiled


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
    most = 0.0
    if 0 < values.size < _FEW:
        most = float(np.abs(values).max())
    elif values.size:
        most = _largest(values, sparse=values is not X)
    if not np.isfinite(most):
        from sklearn.utils.validation import assert_all_finite

        assert_all_finite(values, input_name="X")
    limit = float(np.finfo(values.dtype).max)
    if most * most * X.shape[1] < limit:
        return
    with np.errstate(over="ignore"):
        squares = np.square(values, dtype=np.float64)
        norms2 = squares.sum(axis=1) if values is X else np.add.reduceat(np.append(squares, 0.0), X.indptr[:-1])
    if (long := np.flatnonzero(~(norms2 < limit))).size:
        raise DataError(
            f"row {long[0]}: the sum of the squares of its values is beyond what {values.dtype} holds; scale the "
            f"columns down{' or give float64 rows' if values.dtype == np.float32 else ''}"
        )


def _largest(values: Array, *, sparse: bool) -> float:
    """The largest |x| of many entries, NaN if one is, in a single read: without its sign a float sorts as its bits."""
    from linsep.kernels.checks import are_ones, largest_bits

    if sparse and are_ones(values):  # it ends soon after the first that is not
        return 1.0
    whole = np.uint32 if values.dtype == np.float32 else np.uint64
    sign = whole(1) << whole(8 * values.itemsize - 1)
    bits = largest_bits(values.ravel(order="K").view(whole), sign)
    return float(np.array([bits]).astype(whole).view(values.dtype)[0])


def warn_of_short_rows(X: Any, max_iter: int | None, constant2: float) -> None:
    """Warn where R^2 n T < c^2, R = max ||x||, n rows, T passes at most: the intercept then drowns what rows say.

    `constant2` is c^2, c the constant feature. An update with step tau moves b by c^2 tau, and the value w.x of any row
    by at most tau R^2. A run makes at most n T updates, so all of them together move w.x by less than the longest one
    moves b. Without a limit on passes n T is taken as 2^53, more updates than a run makes.

    Warns
    -----
    PrecisionWarning
    """
    values = X.data if isinstance(X, CSR) else X
    n = len(X.indptr) - 1 if isinstance(X, CSR) else X.shape[0]
    least = constant2 * (2.0**-53 if max_iter is None else 1 / max(1, n * max_iter))
    # One entry that is large enough settles it, and is nearly always among the first.
    if not values.size or float(np.abs(values.ravel(order="K")[:_GLANCE]).max()) ** 2 >= least:
        return
    most = float(np.abs(values).max())
    longest = int(np.diff(X.indptr).max()) if isinstance(X, CSR) else X.shape[1]
    if most > 0 and most * most * longest < least:
        passes = "" if max_iter is None else f", {n:,} rows in {max_iter:,} passes,"
        warnings.warn(
            f"no row is longer than {most * math.sqrt(longest):.3g}, and the intercept is the weight of a constant "
            f"{math.sqrt(constant2):g}: all updates of a run{passes} together move w.x by less than one update moves "
            "b. Scale the columns up (linsep.TableEncoder or StandardScaler), or set a smaller intercept_scaling or "
            "fit_intercept=False.",
            PrecisionWarning,
            stacklevel=3,
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


def find_zero_rows(X: Any) -> Array:
    """A mask of the rows of zeros: without an intercept their decision value is always 0, which is a mistake."""
    if isinstance(X, np.ndarray):
        return np.asarray(~X.any(axis=1))
    empty = np.asarray(X.indptr[1:] == X.indptr[:-1])
    first = X.data[X.indptr[:-1][~empty]]
    if np.count_nonzero(first) == first.size:  # the usual case: one entry a row answers for it
        return empty
    stored = np.add.reduceat(np.append(X.data != 0, False).astype(np.int64), X.indptr[:-1])
    return np.asarray((stored == 0) | empty)
