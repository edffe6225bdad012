"""From the support that floating point found to exact integers, with python-flint.

The nearest-point algorithm again, this time in exact rational arithmetic and started where the floats stopped: a
handful of exact solves instead of thousands of steps, and a conclusion without a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz, fmpz_mat

from linsep.theory.rows.deadline import check_deadline
from linsep.theory.rows.integers import primitive, rank_mod, solve
from linsep.theory.rows.signed import SignedRows

Exact = tuple[list[int], int]  # integers, and the power of two that they are over
Price = Callable[[list[int]], int | None]


@dataclass(frozen=True)
class ExactEnd:
    """How the exact search ended.

    Either `direction` (integers d, scaled columns) has d.z > 0 on all rows asked about and d.z = 0 on the free ones;
    or it is None and sum(weights[i] z_i) + sum(free[b] z_b) = 0 with positive integer weights, the free ones any sign.
    """

    direction: list[int] | None
    weights: dict[int, int]
    free: dict[int, int]


def exact_matrix(rows: SignedRows, ids: Sequence[int], known: dict[int, Exact] | None = None) -> fmpz_mat:
    """The rows `ids` times one common power of two, as integers; `known` keeps them for the next call."""
    known = {} if known is None else known
    for i in ids:
        if i not in known:
            known[i] = rows.exact(i)
    entries = [known[i] for i in ids]
    top = max(q for _, q in entries)
    return fmpz_mat([[m << (top - q) for m in row] for row, q in entries])


def _affine(M: fmpz_mat, k: int) -> tuple[list[int], int, list[int]]:
    """Numerators and denominator of the weights, first k of sum 1, that bring the combination of rows nearest to 0.

    The third item is that combination times the denominator. Solves [0 1'; 1 M M'] for the k convex and the other,
    free, rows; the matrix is regular because the convex rows are affinely independent given the free ones.
    """
    n = M.nrows()
    gram = (M * M.transpose()).tolist()
    ones = [fmpz(1)] * k + [fmpz(0)] * (n - k)
    system = fmpz_mat([[fmpz(0), *ones], *([one, *row] for one, row in zip(ones, gram, strict=True))])
    numerators, denominator = solve(system, fmpz_mat([[1], *([[0]] * n)]))
    found = [int(v) for v in numerators.entries()[1:]]
    v = fmpz_mat([found]) * M
    return found, denominator, [int(entry) for entry in v.entries()]


def exact_nearest(
    rows: SignedRows, ids: Sequence[int], weights: Sequence[float], free: Sequence[int], price: Price, deadline: float
) -> ExactEnd:
    """Decide exactly whether 0 is in conv{z_i} + span{z_b : b free}, started from rows `ids` with float weights.

    `price(d)` names a row with d.z_i <= 0 exactly, or None when there is none.

    Raises
    ------
    OutOfTimeError
    """
    ids = list(ids)
    whole = [fmpq(*float(w).as_integer_ratio()) for w in weights]
    total = sum(whole, fmpq(0))
    x = [w / total for w in whole]
    known: dict[int, Exact] = {}
    while True:
        M = exact_matrix(rows, [*ids, *free], known)
        check_deadline(deadline)
        # Rows that rounding let in although the others span them would make the system singular: the rank tells.
        ids, x, M = _independent(rows, ids, x, free, M)
        found, denominator, v = _affine(M, len(ids))
        if min(found[: len(ids)]) > 0:
            if not any(v):
                return ExactEnd(None, *_combination(rows, ids, free, found))
            d = primitive(v)
            entering = price(d)
            if entering is None:
                return ExactEnd(d, {}, {})
            x = [fmpq(value, denominator) for value in found[: len(ids)]] + [fmpq(0)]
            ids.append(entering)
            continue
        y = [fmpq(value, denominator) for value in found[: len(ids)]]
        theta = min(a / (a - b) for a, b in zip(x, y, strict=True) if b <= 0)
        x = [a + theta * (b - a) for a, b in zip(x, y, strict=True)]
        ids = [i for i, a in zip(ids, x, strict=True) if a > 0]
        x = [a for a in x if a > 0]


def _independent(
    rows: SignedRows, ids: list[int], x: list[fmpq], free: Sequence[int], M: fmpz_mat
) -> tuple[list[int], list[fmpq], fmpz_mat]:
    """Drop convex rows until (1, z_i), (0, z_b) are independent, moving their weight along a null vector."""
    while True:
        k = len(ids)
        lifted = fmpz_mat([[int(j < k), *row] for j, row in enumerate(M.tolist())])
        if rank_mod(lifted) == lifted.nrows():
            return ids, x, M
        null, nullity = lifted.transpose().nullspace()
        if nullity == 0:
            return ids, x, M
        c = [int(null[j, 0]) for j in range(k)]
        c = c if max(c) > 0 else [-value for value in c]
        theta = min(a / value for a, value in zip(x, c, strict=True) if value > 0)
        x = [a - theta * value for a, value in zip(x, c, strict=True)]
        ids = [i for i, a in zip(ids, x, strict=True) if a > 0]
        x = [a for a in x if a > 0]
        M = exact_matrix(rows, [*ids, *free])


def _combination(
    rows: SignedRows, ids: list[int], free: Sequence[int], found: list[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """The weights of the scaled rows as weights of the rows themselves, without a common factor."""
    every = [*ids, *free]
    exps = [int(rows.row_exps[i]) for i in every]
    # z_i is the row over 2^exp, so a weight of z_i is one of the row times 2^-exp.
    top = max(exps)
    whole = primitive([v << (top - e) for v, e in zip(found, exps, strict=True)])
    pairs = list(zip(every, whole, strict=True))
    return dict(pairs[: len(ids)]), dict(pairs[len(ids) :])
