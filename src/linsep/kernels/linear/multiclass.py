"""One pass of a learner of several classes: each class against the rest, or all classes against each other.

`W` is (n_classes, n_features), `b` (n_classes,), `c[i]` the position of row i's class. `weight` scales every update of
a row and `own` those of its own class as well. The rest is as in `epoch.py`.

Sources: `_one_vs_rest` is the binary pass of `epoch.py` for each class. `_multiclass` is Kesler's
construction (Duda and Hart 1973, Pattern Classification and Scene Analysis, chapter 5) with one correction a row,
against the best other class: of the ultraconservative updates of Crammer and Singer 2003 (JMLR 3) the one that punishes
a single class, the one in their error set with the largest score. That is Collins 2002 for a single label, but for
ties: here a tie with another class is a mistake whichever comes first. With the rules of `optional.py` it is the
multiclass update of Crammer et al. 2006 (JMLR 7, multiclass problems): one label is right, the rival is the best of the
others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import by_type, inner, kernel, uncounted
from linsep.kernels.optional import before_update, note_update, row_at, step_size, told_before, weight_at
from linsep.kernels.prefetch import fetch_ahead, rows_ahead
from linsep.kernels.rows import BLOCK, block_dots, block_size, fill_row_dots, row_axpy, row_count, row_norm2
from linsep.passes import PER_CLASS
from linsep.types import Array


class Classes(NamedTuple):
    """The weights of all classes, with what a pass needs besides.

    `W` (n_classes, n_features) and `b` (n_classes,); `Z` (BLOCK, n_classes) is scratch space in the dtype of W;
    `counts` (n_classes, 3) collects what each class did, in the columns `PER_CLASS`.
    """

    W: Array
    b: Array
    Z: Array
    counts: Array


@inner()
def _fill_block(rows: Any, order: Any, start: int, n: int) -> None:
    """rows = the rows visited at steps start, start + 1, ... of n, the last one again where there are no more."""
    for r in range(rows.shape[0]):
        rows[r] = row_at(order, min(start + r, n - 1))


@kernel(cache=True, nogil=True)
def epoch_of_many(rows: Any, together: Any, step: Any, model: Any, intercept: float, watch: Any, visit: int) -> None:
    """One pass: `_multiclass` of each row, or `_one_vs_rest` with None for `together`. Changes `model` and `watch`.

    Numba leaves out the one that the type of `together` rules out, half of what there is to compile.

    Decision values are computed for a block of rows at a time; when a class moves, its values in the block are
    computed again, so every row is judged by the weights of its turn.
    """
    X, order = rows.X, rows.order
    n, size, ahead = row_count(X), block_size(X), rows_ahead(X, order)
    block = np.empty(size, np.int64)
    for start in range(0, n, size):
        here = min(size, n - start)
        _fill_block(block, order, start, n)
        if ahead > 0:
            fetch_ahead(X, rows.y, order, start, ahead)
        block_dots(X, block, model.W, -1, -1, model.Z)
        for r in range(here):
            note_values(watch, X, block, r, rows.y[block[r]], model, visit + start + r)
            if together is None:
                _one_vs_rest(rows, step, model, intercept, watch, visit + start + r, block, r, here)
            else:
                _multiclass(rows, step, model, intercept, watch, visit + start + r, block, r, here)


@uncounted(nogil=True)
def _note_values(told: Any, i: int, z: Any) -> None:
    """Tell a `Predicted` the class of row i and its decision value, if it wants to know."""
    if told.values.shape[0] > 0:
        told.said[i] = z.argmax()
        told.values[i] = z[told.said[i]]


@by_type()
def note_values(watch: Any, X: Any, block: Any, r: Any, c: Any, model: Any, visit: Any) -> Callable[..., Any]:
    """Tell a `Predicted`, the first of a pair, of row r of the block, of class c, before its update."""

    def predicted(watch: Any, X: Any, block: Any, r: Any, c: Any, model: Any, visit: Any) -> None:
        z = model.Z[r] + model.b
        watch[0].wrong[block[r]] = z.argmax() != c
        _note_values(watch[0], block[r], z)

    def beside_mean(watch: Any, X: Any, block: Any, r: Any, c: Any, model: Any, visit: Any) -> None:
        i, z = block[r], model.Z[r] + model.b
        watch[0].wrong[i] = z.argmax() != c
        _note_values(watch[0], i, z)
        if watch[0].asked[i]:
            past = np.empty((1, z.shape[0]))
            fill_row_dots(X, i, watch[1].u, past)
            # u is 0 before the first visit.
            mean = z - (past[0] + watch[1].u_b) / max(visit, 1)
            watch[0].missed[i] = mean.argmax() != c
            _note_values(watch[0], i, mean)

    return told_before(watch, predicted, beside_mean, lambda watch, X, block, r, c, model, visit: None)


@inner(cache=True, nogil=True, forceinline=True)
def _one_vs_rest(
    rows: Any, step: Any, model: Any, intercept: float, watch: Any, visit: int, block: Any, r: int, here: int
) -> None:
    """w_k += tau y x, b_k += intercept tau y for every class k, with y = +1 for its own rows and -1 for the rest.

    Each class moves as it would if it were fitted alone. The row is the one at place r of the block, which holds
    `here`.
    """
    X, c, i = rows.X, rows.y, block[r]
    waiting = -1  # a class that has moved and whose values are still to be computed again, with the next one
    for k in range(model.b.shape[0]):
        y = 1.0 if c[i] == k else -1.0
        m = y * (model.Z[r, k] + model.b[k])
        scale = weight_at(rows.weight, i) * (weight_at(rows.own, i) if c[i] == k else 1.0)
        if not m > 0.0 and scale > 0.0:  # no mistake of a class for which the row weighs nothing
            model.counts[k, PER_CLASS.mistakes] += 1
        tau = step_size(step, m, X, i, intercept, 1.0) * scale
        if tau > 0.0:
            model.counts[k, PER_CLASS.updates] += 1
            _move(X, i, tau * y, m <= 0.0 or tau >= 1.0, model, intercept, k, watch, visit)
            if waiting < 0:
                waiting = k
            elif r + 1 < here:
                block_dots(X, block, model.W, waiting, k, model.Z)
                waiting = -1
    if waiting >= 0 and r + 1 < here:
        block_dots(X, block, model.W, waiting, waiting, model.Z)


@inner(cache=True, nogil=True, forceinline=True)
def _multiclass(
    rows: Any, step: Any, model: Any, intercept: float, watch: Any, visit: int, block: Any, r: int, here: int
) -> None:
    """w_y += tau x, w_r -= tau x, b_y += tau, b_r -= tau: y is the row's class, r the best other, of equals the first.

    The margin is z_y - z_r; a mistake is a margin <= 0, counted for y.
    """
    X, i = rows.X, block[r]
    y = rows.y[i]
    best = _best_other(model, r, y)
    m = model.Z[r, y] + model.b[y] - best
    if m <= 0.0:
        model.counts[y, PER_CLASS.mistakes] += 1
    tau = step_size(step, m, X, i, intercept, 2.0)
    if tau > 0.0:
        tau *= weight_at(rows.weight, i) * weight_at(rows.own, i)
        rival = _first_other(model, r, y, best)
        model.counts[y, PER_CLASS.updates] += 1
        _move(X, i, tau, m <= 0.0 or tau >= 1.0, model, intercept, y, watch, visit)
        _move(X, i, -tau, m <= 0.0 or tau >= 1.0, model, intercept, rival, watch, visit)
        if r + 1 < here:
            block_dots(X, block, model.W, y, rival, model.Z)


@kernel(cache=True, nogil=True)
def with_scratch(W: Any, b: Any) -> Classes:
    """`Classes` of W and b, which it does not copy, with counts of 0."""
    k = b.shape[0]
    return Classes(W, b, np.zeros((BLOCK, k), W.dtype), np.zeros((k, len(PER_CLASS)), np.int64))


@uncounted(cache=True, nogil=True)
def totals(counts: Any) -> tuple[int, int, int]:
    """(mistakes, updates, absorbed) of all classes together."""
    return (
        counts[:, PER_CLASS.mistakes].sum(),
        counts[:, PER_CLASS.updates].sum(),
        counts[:, PER_CLASS.absorbed].sum(),
    )


# The largest value and where it stands are asked apart: most rows need the value alone, which takes no branches, and
# where the largest so far changes is what a processor guesses wrongly.
@inner(cache=True, nogil=True, forceinline=True)
def _best_other(model: Any, r: int, y: int) -> Any:
    """max z_k = Z[r, k] + b_k over the classes k other than y."""
    first = 1 if y == 0 else 0
    best = model.Z[r, first] + model.b[first]
    for k in range(model.b.shape[0]):
        z = model.Z[r, k] + model.b[k]
        best = z if (z > best) & (k != y) else best
    return best


@inner(cache=True, nogil=True, forceinline=True)
def _first_other(model: Any, r: int, y: int, best: Any) -> int:
    """The first class other than y with this value."""
    for k in range(model.b.shape[0]):
        if k != y and model.Z[r, k] + model.b[k] == best:
            return k
    return 1 if y == 0 else 0


@inner(cache=True, nogil=True, forceinline=True)
def _move(X: Any, i: int, a: float, wanted: bool, model: Any, intercept: float, k: int, watch: Any, visit: int) -> None:
    """w_k += a x_i, b_k += intercept a. Changes `model` and `watch`.

    An update without effect on w_k is counted as absorbed if it was `wanted`, that is, not a small step at a row that
    is right already, see `plain_epoch`.
    """
    before_update(watch, X, visit, k)
    if not row_axpy(X, i, a, model.W[k]) and wanted:
        model.counts[k, PER_CLASS.absorbed] += row_norm2(X, i) > 0.0
    model.b[k] += intercept * a
    note_update(watch, X, i, a, intercept, visit, k)
