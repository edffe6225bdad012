"""The vector that a training starts from, where one is given: `coef_init` and `intercept_init` of `fit`."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.types import Array, DataError


def check_first_vector(
    coef_init: Any, intercept_init: Any, W: Array, *, fit_intercept: bool
) -> tuple[Array | float, Array | float]:
    """What w and b start from, in the shape of W (n_planes, n_features) and (n_planes,) and the dtype of W; 0 for None.

    Raises
    ------
    DataError
        A shape does not fit, an entry is not a finite number of this dtype, or b has a start but is not learnt.

    Examples
    --------
    >>> w, b = check_first_vector([1, 2], 3, np.zeros((1, 2)), fit_intercept=True)
    >>> w.tolist(), b.tolist()
    ([[1.0, 2.0]], [3.0])
    """
    planes, features = map(int, W.shape)
    shapes: list[tuple[int, ...]] = [(features,), (1, features)] if planes == 1 else [(planes, features)]
    w = 0.0 if coef_init is None else _numbers("coef_init", coef_init, W.dtype, shapes).reshape(W.shape)
    shapes = [(1,), ()] if planes == 1 else [(planes,)]
    b = 0.0 if intercept_init is None else _numbers("intercept_init", intercept_init, W.dtype, shapes).reshape(planes)
    if not fit_intercept and np.any(b):
        raise DataError("intercept_init is not 0, but fit_intercept=False leaves b at 0: give one or the other")
    return w, b


def _numbers(name: str, given: Any, dtype: Any, shapes: list[tuple[int, ...]]) -> Array:
    """The array given, in this dtype and of one of these shapes."""
    try:
        exact = np.asarray(given, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise DataError(f"{name} holds something that is not a number: give an array of numbers") from None
    if exact.shape not in shapes:
        raise DataError(f"{name} has the shape {exact.shape}; give {' or '.join(map(str, shapes))}")
    with np.errstate(over="ignore", invalid="ignore"):
        array = exact.astype(dtype)
        fits = np.isfinite(np.vdot(array, array))
    if not fits:
        raise DataError(f"{name} holds NaN, infinity, or numbers whose squares are too large for {np.dtype(dtype)}")
    return array
