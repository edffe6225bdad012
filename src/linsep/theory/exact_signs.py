"""Signs of w.x_i + b, exact whatever the numbers are: the arithmetic that `exact.py` verifies with."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import numpy as np

from linsep.types import Array

_TINY = 2.0**-1000  # times a unit roundoff it still exceeds every error that underflow can make


def integers(values: Sequence[Any]) -> list[int]:
    """The rational numbers `values` times their least common denominator."""
    ratios = [value.as_integer_ratio() for value in values]
    common = lcm(*(q for _, q in ratios))
    return [p * (common // q) for p, q in ratios]


def _digit_signs(A: Array, w: list[int]) -> Array | None:
    """Signs of A w for doubles A: both in digits of 18 bits, whose products add up exactly; None if those are many."""
    exps = np.frexp(abs(A).max(axis=0))[1]
    rest, digits = np.ldexp(A, -exps), []
    if len(w) > 2**16 or not np.array_equal(np.ldexp(rest, exps), A):
        return None
    while rest.any():
        digits.append(np.trunc(rest * 2.0**18))
        rest = rest * 2.0**18 - digits[-1]
        if len(digits) > 60:
            return None
    w = [v << int(e - exps.min()) for v, e in zip(w, exps, strict=True)]
    n = max(abs(v) for v in w).bit_length() // 18 + 1
    W = np.array([[(1 if v > 0 else -1) * (abs(v) >> 18 * k & 2**18 - 1) for k in range(n)] for v in w], np.float64)
    total = np.zeros((A.shape[0], n + len(digits)), dtype=np.int64)
    for k, digit in enumerate(reversed(digits)):
        total[:, k : k + n] += (digit @ W).astype(np.int64)
    carry, rest = np.zeros(A.shape[0], dtype=np.int64), np.zeros(A.shape[0], dtype=bool)
    for column in total.T:
        carry, rest = (carry + column) >> 18, rest | ((carry + column) % 2**18 != 0)
    return np.where(carry < 0, -1, (carry > 0) | rest)


def _block_signs(A: Any, w: list[int]) -> Array:
    """Signs of A w[:-1] + w[-1]: by doubles and a bound on their error, and where that does not tell by integers."""
    out, unsure = np.zeros(A.shape[0], dtype=np.int8), np.ones(A.shape[0], dtype=bool)
    sparse = hasattr(A, "toarray")
    if A.dtype != object and (
        A.dtype.itemsize < 8 or A.dtype.kind == "f" or abs(A.data if sparse else A).max(initial=0) <= 2**53
    ):
        A = A.astype(np.float64)
        shift = max(0, max(abs(v) for v in w).bit_length() - 500)
        v = np.array([k / (1 << shift) for k in w])
        whole = shift == 0 and all(int(a) == k for a, k in zip(v.tolist(), w, strict=True))
        stored = A.data if sparse else A
        with np.errstate(all="ignore"):
            z = A @ v[:-1] + v[-1]
            size = abs(A) @ (abs(v[:-1]) + _TINY) + abs(v[-1]) + _TINY * (1 + abs(v).sum())
            error = 2.0**-52 * (v.size + 8) * size
        if whole and np.array_equal(stored, np.rint(stored)):
            error[size < 2.0**52] = 0.0  # sums of small integers are exact
        unsure = ~((abs(z) > error) | (error == 0.0))
        out[~unsure] = np.sign(z[~unsure])
    if unsure.any():
        rest = A[unsure].toarray() if sparse else A[unsure]
        rest = np.column_stack([rest, np.ones(rest.shape[0], dtype=rest.dtype)])
        found = _digit_signs(rest, w) if rest.dtype == np.float64 else None
        if found is None:
            sums = [sum(a * k for a, k in zip(integers(row), w, strict=True) if a) for row in rest.tolist()]
            found = np.array([(s > 0) - (s < 0) for s in sums])
        out[unsure] = found
    return out


def value_signs(X: Any, w: Any, b: Any = 0) -> Array:
    """Sign (-1, 0 or 1) of w.x_i + b for every row, exact whatever the entries are (floats, ints, Fractions)."""
    weights = integers([v.item() if isinstance(v, np.generic) else v for v in [*np.asarray(w).tolist(), b]])
    used = [j for j, v in enumerate(weights[:-1]) if v]
    kept, step = [*(weights[j] for j in used), weights[-1]], max(1, 2**22 // (len(used) + 1))
    parts = (X[start : start + step][:, used] for start in range(0, X.shape[0], step))
    return np.concatenate([np.zeros(0, dtype=np.int8), *(_block_signs(part, kept) for part in parts)])
