"""One pass of a binary learner over its rows, and runs of many passes with a record of each.

A pass visits rows in the order given and updates `w` and `b` in place. Labels are -1.0 and +1.0 in float64.
The intercept comes from a constant feature: it is c in every row and is never stored. With v its weight, b = c v, so an
update v += c tau y is b += c^2 tau y. `intercept` is c^2 (1.0 as a rule), and 0.0 to leave b at 0.

Sources: with the step 0.0 the perceptron of Rosenblatt 1958 in the form of Novikoff 1962 (w = 0 at first, a
step of fixed length at each mistake, a tie is a mistake), but with rows visited in any order, with weights, and an
intercept; with the rules of `optional.py` figures 1 and 2 of Crammer et al. 2006.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linsep.kernels.compiled import inner, uncounted
from linsep.kernels.lanes import wide_dots
from linsep.kernels.optional import before_update, note_margin, note_update, row_at, step_size, weight_at
from linsep.kernels.prefetch import fetch_ahead, rows_ahead
from linsep.kernels.rows import row_axpy, row_count, row_dot, row_norm2
from linsep.passes import RECORD, Rows

# A look at the bits of w costs as much as a short pass: in a longer batch of passes one in so many parts gets one.
_LOOKS = 64


@uncounted(cache=True, nogil=True)
def plain_epoch(
    X: Any, y: Any, weight: Any, order: Any, step: Any, w: Any, b: Any, intercept: float, watch: Any, visit: int
) -> tuple[int, int, int]:
    """w += tau y x, b += intercept tau y at each row whose step size tau is not 0.

    Return (mistakes, updates, absorbed). A mistake is y z <= 0, z = w.x + b. An absorbed update is one that rounding
    left without any effect on w; small steps at rows that are right already do not count, as rules that lift a margin
    to 1 end with such steps. Changes `w` (n_features,), `b` (1,) and `watch`. `visit` counts the rows visited before
    this pass; only `watch` needs it.
    """
    mistakes = 0
    updates = 0
    absorbed = 0
    ahead = rows_ahead(X, order)
    for t in range(row_count(X)):
        i = row_at(order, t)
        if ahead > 0:
            fetch_ahead(X, y, order, t, ahead)
        m = y[i] * (row_dot(X, i, w) + b[0])
        note_margin(watch, X, i, m, y[i], visit + t)
        if m <= 0.0:
            mistakes += 1
        tau = step_size(step, m, X, i, intercept, 1.0)
        # The weight is looked up after the margin has decided: most rows never need it.
        if tau > 0.0 and weight_at(weight, i) > 0.0:
            tau *= weight_at(weight, i)
            updates += 1
            before_update(watch, X, visit + t, 0)
            if not row_axpy(X, i, tau * y[i], w) and (m <= 0.0 or tau >= 1.0):
                absorbed += row_norm2(X, i) > 0.0
            b[0] += intercept * tau * y[i]
            note_update(watch, X, i, tau * y[i], intercept, visit + t, 0)
    return mistakes, updates, absorbed


@uncounted(cache=True, nogil=True)
def squared_norm(w: Any) -> Any:
    """||w||^2, summed in float64."""
    return wide_dots(w, (0,), w, (0,))[0]


@uncounted(cache=True, nogil=True)
def weight_of_constant(b: Any, intercept: float) -> Any:
    """v = b / c in float64, where `intercept` is c^2, or 0 without an intercept, where b is 0."""
    return np.float64(b[0]) / (np.sqrt(intercept) if intercept > 0.0 else 1.0)


@uncounted(cache=True, nogil=True)
def bits_in_use(w: Any) -> int:
    """The most significant bits that an entry of w takes, from its first to its last 1: 53 at most, 24 in float32.

    An integer w needs about log2(R sqrt t) bits after t mistakes; one that uses them all is about to round.
    """
    most = 0
    factor = np.inf
    full = 53 if w.itemsize == 8 else 24
    for j in range(w.shape[0]):
        # Veltkamp's split rounds to `most` bits: an entry that survives it has no more.
        product = factor * np.float64(w[j])
        if w[j] == 0.0 or product - (product - w[j]) == w[j]:
            continue
        mantissa = np.int64(abs(math.frexp(w[j])[0]) * 2.0**53)
        bits = 53
        while mantissa & 0xFFFF == 0:
            mantissa >>= 16
            bits -= 16
        while mantissa & 1 == 0:
            mantissa >>= 1
            bits -= 1
        most = max(most, bits)
        if most >= full:
            break
        factor = 2.0 ** (53 - most) + 1.0
    return most


@inner(cache=True, nogil=True)
def write_record(record: Any, e: int, told: Any, w: Any, b: Any, intercept: float, reference: Any) -> None:
    """record[e] = what was `told` (mistakes, updates, dots, absorbed), ||w||, b and bits of w.

    With a reference (w*, b*) also w.w* + v v* and the cosine of the angle to it; v = b / c is the weight of the
    constant feature. `reference` is (n_features + 1,), the intercept b* last, or empty. Changes `record`.
    """
    record[e, RECORD.mistakes], record[e, RECORD.updates] = told[0], told[1]
    record[e, RECORD.dots], record[e, RECORD.absorbed] = told[2], told[3]
    norm2 = squared_norm(w)
    record[e, RECORD.norm_w] = np.sqrt(norm2)
    record[e, RECORD.b] = b[0]
    due = e % (record.shape[0] // _LOOKS + 1) == 0 or e + 1 == record.shape[0]
    record[e, RECORD.bits] = bits_in_use(w) if due else record[e - 1, RECORD.bits]
    if reference.shape[0] > 0:
        p = w.shape[0]
        v, v_reference = weight_of_constant(b, intercept), weight_of_constant(reference[p:], intercept)
        dot = v * v_reference + wide_dots(w, (0,), reference[:p], (0,))[0]
        length2 = v_reference * v_reference + squared_norm(reference[:p])
        full = np.sqrt((norm2 + v * v) * length2)
        record[e, RECORD.cos] = dot / full if full > 0.0 else np.nan
        record[e, RECORD.w_dot_reference] = dot


@uncounted(cache=True, nogil=True)
def plain_epochs(
    rows: Rows,
    step: Any,
    w: Any,
    b: Any,
    intercept: float,
    watch: Any,
    visit: int,
    reference: Any,
    record: Any,
    few: int,
) -> Any:
    """Run `plain_epoch` until a pass makes at most `few` updates or `record` is full. Return the passes made.

    Many short passes in one call: from Python each would cost more than the pass itself. Changes `w`, `b`,
    `watch` and `record` (epochs, 9), whose columns `passes.py` names.
    """
    n = row_count(rows.X)
    for e in range(record.shape[0]):
        mistakes, updates, absorbed = plain_epoch(
            rows.X, rows.y, rows.weight, rows.order, step, w, b, intercept, watch, visit + e * n
        )
        write_record(record, e, (mistakes, updates, n, absorbed), w, b, intercept, reference)
        if updates <= few:
            return e + 1
    return record.shape[0]


@uncounted(cache=True, nogil=True)
def fill_order(order: Any, starts: Any, chunk: int, group: int, seed: Any) -> None:
    """order = the rows of chunk starts[0], starts[1], ..., each `group` chunks shuffled. Changes `order` and `starts`.

    Chunk s is the rows s to s + chunk - 1 that exist: the first may begin below 0. Chunks of more than one group are
    put in random order before. `order` (n_rows,) is 32-bit or 64-bit whole numbers; `seed` is not 0.
    """
    state = seed if starts.shape[0] <= group else _shuffle(starts, seed)
    filled = 0
    for first in range(0, starts.shape[0], group):
        begin = filled
        for s in starts[first : first + group]:
            for row in range(max(s, 0), min(s + chunk, order.shape[0])):
                order[filled] = row
                filled += 1
        state = _shuffle(order[begin:filled], state)


@inner(cache=True, nogil=True)
def _shuffle(part: Any, state: Any) -> Any:
    """Shuffle `part`; return the state of the generator after it. Changes `part`."""
    for last in range(part.shape[0] - 1, 0, -1):
        state, j = _below(state, last + 1)
        part[last], part[j] = part[j], part[last]
    return state


@inner(cache=True, nogil=True)
def _below(state: Any, n: int) -> Any:
    """The next state of the generator, and a whole number from 0 to n - 1 that it gives.

    A number below 2^32 times n without its lower 32 bits: that some are likelier than others by n / 2^32 does not
    matter here.
    """
    state ^= state >> np.uint64(12)  # shifts and factor: those of xorshift64*
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    high = (state * np.uint64(2685821657736338717)) >> np.uint64(32)
    return state, np.int64((high * np.uint64(n)) >> np.uint64(32))
