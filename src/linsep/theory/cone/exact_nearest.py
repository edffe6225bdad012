"""From the support that floating point found to exact integers, with python-flint.

The nearest-point algorithm again, this time in exact rational arithmetic and started where the floats stopped: a
handful of exact solves instead of thousands of steps, and a conclusion without a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arf, fmpq

from linsep.clock import clock
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.integers import common_matrix, dependency, exact_rows, nearest_affine, primitive
from linsep.theory.rows.signed import SignedRows

Price = Callable[[list[int], int], int | None]


@dataclass(frozen=True)
class ExactEnd:
    """How the exact search ended.

    Either `direction` (integers d, scaled columns) has d.z > 0 on all rows asked about and d.z = 0 on the free ones;
    or it is None and sum(weights[i] z_i) + sum(free[b] z_b) = 0 with positive integer weights, the free ones any sign.
    """

    direction: list[int] | None
    weights: dict[int, int]
    free: dict[int, int]


def exact_nearest(
    rows: SignedRows,
    ids: Sequence[int],
    weights: Sequence[float],
    free: Sequence[int],
    price: Price,
    deadline: Deadline,
) -> ExactEnd:
    """Decide exactly whether 0 is in conv{z_i} + span{z_b : b free}, started from rows `ids` with float weights.

    `price(d, on)` names a row with d.z_i <= 0, or one with d.z_i < d.z_on, both exactly, or None for an end.

    Raises
    ------
    OutOfTimeError
    """
    ids = list(ids)
    number: Any = arf
    x = [number(float(w)) for w in weights]
    known = dict(zip([*ids, *free], exact_rows(rows, [*ids, *free]), strict=True))
    # This ends (Wolfe 1976). A turn without `price` lowers the number of rows, of which one is always left, and takes
    # the point x on the way to the nearest one of their affine hull, so never farther from 0. When `price` is asked, d
    # is that nearest point and d.z_i = d.d > 0 for all rows: one with d.z < d.d is not in the hull, and what follows
    # is nearer to 0, strictly. So `price` is never asked twice about the same rows, and there are finitely many sets.
    # Weights x only choose which rows leave: they are rounded until rows come again, and exact from then on.
    asked: set[frozenset[int]] = set()
    while True:
        if clock() > deadline.at:
            raise OutOfTimeError
        M = common_matrix([known[i] for i in (*ids, *free)])
        # Rows that rounding let in although the others span them would make the system singular.
        c = dependency(M, len(ids))
        if c is not None:
            steps = [number(-value) for value in c]
        else:
            found, denominator, d = nearest_affine(M, len(ids), deadline)
            if min(found[: len(ids)]) > 0:
                if not any(d):
                    return _balance(rows, ids, free, found)
                entering = price(d, ids[0])
                if entering is None:
                    return ExactEnd(d, {}, {})
                if (now := frozenset(ids)) in asked:
                    number = fmpq
                asked.add(now)
                x = [*(number(v) / number(denominator) for v in found[: len(ids)]), number(0)]
                ids.append(entering)
                known[entering] = exact_rows(rows, [entering])[0]
                continue
            total = sum(x, number(0)) / number(denominator)
            steps = [number(v) * total - a for v, a in zip(found, x, strict=False)]
        leaves = min((k for k, step in enumerate(steps) if step < 0), key=lambda k: x[k] / -steps[k])
        theta = x[leaves] / -steps[leaves]
        x = [a + theta * step for a, step in zip(x, steps, strict=True)]
        stay = [k for k, a in enumerate(x) if a > 0 and k != leaves]
        ids, x = [ids[k] for k in stay], [x[k] for k in stay]


def _balance(rows: SignedRows, ids: Sequence[int], free: Sequence[int], found: Sequence[int]) -> ExactEnd:
    """The end with these weights, of scaled rows: one of z_i, the row over 2^exponent, is 2^-exponent of the row."""
    every = [*ids, *free]
    exps = rows.row_exps[every].tolist()
    in_rows = primitive([v << (max(exps) - e) for v, e in zip(found, exps, strict=True)])
    pairs = list(zip(every, in_rows, strict=True))
    return ExactEnd(None, dict(pairs[: len(ids)]), dict(pairs[len(ids) :]))
