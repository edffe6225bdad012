"""Check certificates in exact arithmetic: doubles are taken as the dyadic rationals that they are.

This file only verifies. It shares no code with the search, so that a mistake there cannot hide a mistake here.
Rows are counted from 0; the second of the two sorted labels is the positive class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linsep.theory.verify.exact import rank_is_at_least, value_signs
from linsep.types import Array

__all__ = ["CertificateError", "verify_directions", "verify_overlap", "verify_witness"]


class CertificateError(ValueError):
    """A certificate that does not prove what it says: the message names the row or the column."""


def _label_signs(y: Any) -> Array:
    labels = np.unique(y := np.asarray(y))
    if labels.size != 2:
        raise CertificateError(f"a certificate is about two classes, these labels have {labels.size}")
    return np.asarray(2 * (y != labels[0]).reshape(-1) - 1)


def verify_directions(X: Any, y: Any, directions: Sequence[tuple[Any, Any]], rows_left: Sequence[int] = ()) -> None:
    """Raise unless each (w, b) has y_i (w.x_i + b) >= 0 on the rows left by those before and only `rows_left` remain.

    A direction takes the rows away, one at least, on which it is > 0; on those that remain every direction is 0.
    """
    s, left = _label_signs(y), np.arange(X.shape[0])
    for k, (w, b) in enumerate(directions):
        found = s[left] * value_signs(X if left.size == X.shape[0] else X[left], w, b)
        if (found < 0).any():
            raise CertificateError(f"direction {k} has a negative margin at row {left[found < 0][0]}")
        if not found.any():
            raise CertificateError(f"direction {k} separates none of the {left.size} rows left")
        left = left[found == 0]
    if left.tolist() != sorted(rows_left):
        raise CertificateError(f"{left.size} rows have margin 0, which are not the rows named")


def verify_witness(X: Any, y: Any, weights: Mapping[int, int], *, fit_intercept: bool = True) -> None:
    """Raise unless the weights (row -> integer > 0) bring the signed rows, constant included, to 0."""
    if not weights or any(type(k) is not int or k <= 0 for k in weights.values()):
        raise CertificateError("weights must be positive integers, at least one")
    if min(weights) < 0 or max(weights) >= X.shape[0]:
        raise CertificateError(f"rows must lie in 0..{X.shape[0] - 1}")
    rows = list(weights)
    signed = [int(s) * weights[i] for i, s in zip(rows, _label_signs(y)[rows], strict=True)]
    off = np.flatnonzero(value_signs(X[rows].T.tocsr() if hasattr(X, "tocsr") else X[rows].T, np.array(signed, object)))
    if off.size or (fit_intercept and sum(signed)):
        raise CertificateError(
            f"the weighted signed rows do not add up to 0 in column {off[0] if off.size else X.shape[1]}"
        )


def verify_overlap(
    X: Any,
    y: Any,
    weights: Mapping[int, int],
    null: Sequence[Mapping[int, int]],
    among: Sequence[int] | Array,
    *,
    fit_intercept: bool = True,
) -> None:
    """Raise unless positive weights combine signed rows of `among` to 0 and these span all rows of it.

    Their rank is at most that of the columns with an entry in some row of `among`, constant included, less the vectors
    `null` (column -> integer) that all those rows are orthogonal to, which are independent: each has an entry in a
    column where the others have none.
    """
    verify_witness(X, y, weights, fit_intercept=fit_intercept)
    p, among = X.shape[1], np.flatnonzero(np.bincount(among, minlength=X.shape[0]))
    inside = X if among.size == X.shape[0] else X[among]
    if not set(weights) <= set(among.tolist()):
        raise CertificateError("the overlap has rows that a direction separates")
    inside = inside.tocsc() if hasattr(X, "tocsc") else inside
    used = np.flatnonzero(np.asarray((inside != 0).sum(axis=0)).reshape(-1)).tolist()
    given, often = {*used, *[p] * fit_intercept}, Counter(j for vector in null for j, v in vector.items() if v)
    for k, vector in enumerate(null):
        if not set(vector) <= given or not any(v and often[j] == 1 for j, v in vector.items()):
            raise CertificateError(f"null vector {k} has a column without entries, or none of its own")
        at = sorted(vector.keys() - {p})
        if value_signs(inside[:, at], np.array([vector[j] for j in at], dtype=object), vector.get(p, 0)).any():
            raise CertificateError(f"null vector {k} is not orthogonal to every row")
    table = X[list(weights)][:, used]
    table = table.toarray() if hasattr(X, "toarray") else table
    table = np.column_stack([table, np.ones(len(table), dtype=table.dtype)]) if fit_intercept else table
    if not rank_is_at_least(table, len(given) - len(null)):
        raise CertificateError("the rows of the overlap do not span all rows")
