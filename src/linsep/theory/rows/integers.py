"""Rows as integers, and linear systems of them solved exactly (python-flint)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpz, fmpz_mat, nmod_mat

from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError, time_left
from linsep.theory.rows.signed import SignedRows

PRIME = 2**61 - 1
_SECONDS = 6e-10  # n^3 times the bits of an entry times this is how long a solution takes: nothing can interrupt it


# ------------------------------------------------------------ rows as integers
def exact_rows(rows: SignedRows, ids: Sequence[int]) -> list[tuple[list[int], int]]:
    """Integers m and an exponent q with z_i = m 2^-q exactly (columns of Fractions times their denominators)."""
    part = rows.X[list(ids)]
    signs, exps, columns = rows.s.tolist(), rows.row_exps.tolist(), rows.column_exps.tolist()
    out = []
    for i, row in zip(ids, (part.toarray() if rows.sparse else part).tolist(), strict=True):
        sign = int(signs[i])
        entries = [v * sign * m for v, m in zip(row, rows.multiples, strict=True)]
        out.append(_dyadic([*entries, sign] if rows.constant else entries, [e + exps[i] for e in columns]))
    return out


def whole_rows(X: Any, ids: Sequence[int]) -> list[tuple[list[int], int]]:
    """Rows of integers or doubles as integers m and an exponent q with x_i = m 2^-q."""
    part = X[list(ids)]
    rows = (part if isinstance(part, np.ndarray) else part.toarray()).tolist()
    return [_dyadic(row, [0] * X.shape[1]) for row in rows]


def whole_row(values: list[float]) -> list[int]:
    """Doubles times the one power of two that makes them integers."""
    return _dyadic(values, [0] * len(values))[0]


def _dyadic(values: list[Any], shifts: list[int]) -> tuple[list[int], int]:
    """Integers m and the least exponent q >= 0 with values_j 2^-shifts_j = m_j 2^-q."""
    ratios = [v.as_integer_ratio() for v in values]
    exps = [1 - q.bit_length() - e for (_, q), e in zip(ratios, shifts, strict=True)]
    q = max([0, *(-e for (m, _), e in zip(ratios, exps, strict=True) if m)])
    return [m << (q + e) if m else 0 for (m, _), e in zip(ratios, exps, strict=True)], q


# ------------------------------------------------------------ linear systems
def solve(A: fmpz_mat, B: fmpz_mat, deadline: Deadline = NEVER) -> tuple[fmpz_mat, int]:
    """Integer numerators N and denominator q > 0 with A N = q B.

    Raises
    ------
    OutOfTimeError
        The deadline has passed, or a solution would end after it.
    ZeroDivisionError
        A is singular.
    """
    if deadline.at < np.inf:
        bits = max((abs(int(v)) for v in (*A.entries(), *B.entries())), default=1).bit_length()
        if time_left(deadline) < _SECONDS * A.nrows() ** 3 * (bits + A.nrows().bit_length()):
            raise OutOfTimeError
    solution = A.solve(B)
    assert isinstance(solution, fmpq_mat)
    numerators, denominator = solution.numer_denom()
    q = int(denominator)
    return (numerators, q) if q > 0 else (-numerators, -q)


def common_matrix(entries: Sequence[tuple[list[int], int]]) -> fmpz_mat:
    """Rows m 2^-q times one power of two for all, as integers."""
    top = max(q for _, q in entries)
    return fmpz_mat([[m << (top - q) for m in row] for row, q in entries])


def dependency(M: fmpz_mat, k: int) -> list[int] | None:
    """Coefficients c of a dependency of the first k rows, each as (1, row), and the others, as (0, row); None if none.

    Coefficients of the other rows are left out; one of c is positive.
    """
    lifted = fmpz_mat([[int(j < k), *row] for j, row in enumerate(M.tolist())])
    if nmod_mat(lifted, PRIME).rank() == lifted.nrows():  # full modulo a prime is full in the integers
        return None
    null, nullity = lifted.transpose().nullspace()
    if nullity == 0:
        return None
    c = [int(null[j, 0]) for j in range(k)]
    return c if max(c) > 0 else [-value for value in c]


def nearest_affine(M: fmpz_mat, k: int, deadline: Deadline) -> tuple[list[int], int, list[int]]:
    """Numerators and denominator of the weights, first k of sum 1, that bring the combination of rows nearest to 0.

    The third item is that combination without a common factor. Solves [0 1'; 1 M M'] for the k convex and the other,
    free, rows; the matrix is regular because the convex rows are affinely independent given the free ones.
    """
    n = M.nrows()
    gram = (M * M.transpose()).tolist()
    ones = [fmpz(1)] * k + [fmpz(0)] * (n - k)
    system = fmpz_mat([[fmpz(0), *ones], *([one, *row] for one, row in zip(ones, gram, strict=True))])
    numerators, denominator = solve(system, fmpz_mat([[1], *([[0]] * n)]), deadline)
    found = [int(v) for v in numerators.entries()[1:]]
    return found, denominator, primitive([int(v) for v in (fmpz_mat([found]) * M).entries()])


# ------------------------------------------------------------ weights and directions
def primitive(values: Sequence[int]) -> list[int]:
    """The integers without their common factor."""
    common = gcd(*values) or 1
    return [v // common for v in values]


def vectors_of(directions: Sequence[Sequence[int]]) -> tuple[dict[int, int], ...]:
    """Each direction without a common factor, column -> entry, without zeros."""
    return tuple({j: v for j, v in enumerate(primitive(d)) if v} for d in directions)


def whole_weights(weights: dict[int, Fraction]) -> dict[int, int]:
    """Rational weights that are not 0, times the one number that makes them integers without a common factor."""
    return _whole({i: w.as_integer_ratio() for i, w in weights.items()})


def _whole(ratios: dict[int, tuple[int, int]]) -> dict[int, int]:
    """The same of numerators and denominators, which may have common factors."""
    kept = {i: ratio for i, ratio in ratios.items() if ratio[0]}
    common = lcm(*(below for _, below in kept.values()))
    values = primitive([above * (common // below) for above, below in kept.values()])
    return dict(zip(kept, values, strict=True))


def of_rows(rows: SignedRows, weights: dict[int, tuple[int, int]]) -> dict[int, int]:
    """Weights of the scaled rows z_i, each a numerator and a denominator, as whole weights of the rows in units of X.

    z_i is the row over 2^exponent. Weights that are 0 are left out.
    """
    ratios = {}
    for i, (above, below) in weights.items():
        e = int(rows.row_exps[i])
        ratios[i] = (above, below << e) if e > 0 else (above << -e, below)
    return _whole(ratios)


def whole_numbers(v: Any) -> list[int]:
    """The doubles of a vector, scaled by one power of two, as integers of at most 53 bits.

    Zeros where they are not all finite: so no such vector gets into exact arithmetic, and 0 is no direction.
    """
    v = np.asarray(v, dtype=np.float64)
    size = float(np.abs(v).max(initial=0.0))
    if not 0.0 < size < np.inf:
        return [0] * v.size
    return [int(value) for value in np.rint(np.ldexp(v, 53 - int(np.frexp(size)[1]))).tolist()]
