"""A pass of the plain perceptron over rows of ones in whole numbers: the same updates, and no branch at a mistake.

Rows of ones and steps of length 1 keep every weight a whole number. In 64-bit whole numbers the step of a row is
computed from the sign of its margin and added in any case, 0 as a rule: nothing is left for the processor to guess. In
floating point that would take longer than wrong guesses do, as a sum of two numbers there takes four times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.linear.epoch import write_record
from linsep.kernels.memory import uncounted
from linsep.kernels.optional import row_at
from linsep.kernels.prefetch import fetch_ahead, rows_ahead
from linsep.kernels.records import RECORD
from linsep.kernels.rows import row_count, row_dot


@uncounted(cache=True, nogil=True)
def _visit_all(X: Any, y: Any, order: Any, whole: Any, b: Any, intercept: Any) -> Any:
    """Visit the rows in this order with the step y where y z <= 0 and else 0. Return (b, mistakes, longest row).

    The intercept stays in a register: a row needs what the one before has added. Changes `whole` (n_features,).
    """
    mistakes: Any = 0
    longest: Any = 0
    ahead = rows_ahead(X, order)
    for t in range(row_count(X)):
        i = row_at(order, t)
        if ahead > 0:
            fetch_ahead(X, y, order, t, ahead)
        first, end = np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])
        z = row_dot(X, i, whole) + b
        label = np.int64(y[i])  # not read sooner: one number less to hold
        mistake = np.int64(z * label <= 0)
        step = -mistake & label
        for k in range(first, end):
            whole[np.uint64(X.indices[k])] += step
        b += -mistake & (intercept * label)
        mistakes += mistake
        longest = max(longest, np.int64(end - first))
    return b, mistakes, longest


@uncounted(cache=True, nogil=True)
def whole_epoch(rows: Any, w: Any, b: Any, intercept: float, whole: Any, reference: Any, record: Any) -> bool:
    """One pass as `plain_epochs` makes it with `PerceptronStep(0)`, for rows of ones without weights.

    Return whether it was made: not where sums might outgrow the whole numbers that the dtype of w holds without
    rounding, up to 2^24 in float32 and 2^53 in float64. A sum of at most k weights and b is never above
    (k + 1) (M + m max(1, c^2)), with M the largest number at first and m mistakes. While that is within the range, no
    sum that `plain_epochs` makes is rounded: both make the same updates, to the last bit.

    w and b are whole numbers; `intercept` is c^2, a whole number of at least 0. Changes `whole` (n_features,) int64
    and, if the pass was made, `w`, `b` and `record[0]`.
    """
    largest = abs(np.int64(b[0]))
    for j in range(w.shape[0]):
        whole[j] = np.int64(w[j])
        largest = max(largest, abs(whole[j]))
    moved, mistakes, longest = _visit_all(rows.X, rows.y, rows.order, whole, np.int64(b[0]), np.int64(intercept))
    if (longest + 1.0) * (largest + mistakes * max(1.0, intercept)) > 2.0 / np.finfo(w.dtype).eps:
        return False
    for j in range(w.shape[0]):
        w[j] = whole[j]
    b[0] = moved
    record[0, RECORD.mistakes] = mistakes
    record[0, RECORD.updates] = mistakes
    record[0, RECORD.dots] = row_count(rows.X)
    record[0, RECORD.absorbed] = 0
    write_record(record, 0, w, b, intercept, reference)
    return True
