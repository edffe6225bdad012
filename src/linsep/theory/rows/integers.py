"""Rows as integers, and linear systems of them solved exactly (python-flint)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpz_mat, nmod_mat

from linsep.theory.rows.deadline import check_deadline
from linsep.theory.rows.signed import SignedRows
from linsep.types import Array

PRIME = 2**61 - 1
_TINY = 2.0**-900


class IntegerRows:
    """`entries[k]` = `factors[k]` z_i for i = ids[k]: integers without a common factor, factors > 0."""

    def __init__(self, rows: SignedRows, ids: Sequence[int] | Array) -> None:
        self.ids = [int(i) for i in ids]
        found = None if rows.whole else _from_doubles(rows, self.ids)
        if found is None:
            entries = [rows.exact(i) for i in self.ids]
            common = [gcd(*m) or 1 for m, _ in entries]
            self.entries: list[list[int]] = [[v // g for v in m] for (m, _), g in zip(entries, common, strict=True)]
            self.factors = [Fraction(1 << q, g) for (_, q), g in zip(entries, common, strict=True)]
        else:
            self.entries, self.factors = found

    def matrix(self, columns: Iterable[int] | None = None) -> fmpz_mat:
        """The rows, or some columns of them."""
        if columns is None:
            return fmpz_mat(self.entries)
        chosen = list(columns)
        return fmpz_mat([[row[j] for j in chosen] for row in self.entries])


def _from_doubles(rows: SignedRows, ids: list[int]) -> tuple[list[list[int]], list[Fraction]] | None:
    """The same from doubles, without a loop over entries where those of each row span less than 62 bits."""
    Z = rows.dense(ids)
    if rows.scaled and np.count_nonzero(np.abs(Z) > _TINY) != _stored(rows, ids):
        return None  # an entry underflowed, or lost bits
    mantissas, exps = np.frexp(Z)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    at = whole != 0
    # Without its trailing zero bits each entry is an odd number times 2^exps.
    zeros = np.where(at, np.frexp((whole & -whole).astype(np.float64))[1] - 1, 0)
    whole >>= zeros
    exps = exps - 53 + zeros
    lowest = np.where(at, exps, 10**6).min(axis=1, initial=10**6)
    lowest[~at.any(axis=1)] = 0
    shift = np.where(at, exps - lowest[:, None], 0)
    if (np.frexp(abs(whole).astype(np.float64))[1] + shift).max(initial=0) <= 62:
        out = whole << shift
        divisors = np.maximum(np.gcd.reduce(out, axis=1), 1)
        entries: list[list[int]] = (out // divisors[:, None]).tolist()
        common: list[int] = divisors.tolist()
    else:
        entries = [[0] * Z.shape[1] for _ in ids]
        i, j = np.nonzero(at)
        for row, column, v, up in zip(i.tolist(), j.tolist(), whole[at].tolist(), shift[at].tolist(), strict=True):
            entries[row][column] = v << up
        common = [gcd(*row) or 1 for row in entries]
        entries = [[v // g for v in row] if g > 1 else row for row, g in zip(entries, common, strict=True)]
    factors = [Fraction(2) ** -int(e) / g for e, g in zip(lowest, common, strict=True)]
    return entries, factors


def whole_rows(X: Any, ids: Sequence[int]) -> list[tuple[list[int], int]]:
    """Rows of integers or doubles as integers m and an exponent q: x = m / 2^q."""
    part = X[list(ids)]
    out = []
    for row in (part.toarray() if hasattr(part, "toarray") else part).tolist():
        ratios = [v.as_integer_ratio() for v in row]
        q = max(denominator.bit_length() - 1 for _, denominator in ratios)
        out.append(([m << (q + 1 - denominator.bit_length()) for m, denominator in ratios], q))
    return out


def _stored(rows: SignedRows, ids: list[int]) -> int:
    part = rows.X[ids]
    count = np.count_nonzero(part.data) if rows.sparse else np.count_nonzero(part)
    return int(count) + len(ids) * rows.constant


def solve(A: fmpz_mat, B: fmpz_mat, deadline: float = np.inf) -> tuple[fmpz_mat, int]:
    """Integer numerators N and denominator q > 0 with A N = q B.

    Raises
    ------
    OutOfTimeError
        The deadline has passed.
    ZeroDivisionError
        A is singular.
    """
    check_deadline(deadline)
    solution = A.solve(B)
    assert isinstance(solution, fmpq_mat)
    numerators, denominator = solution.numer_denom()
    q = int(denominator)
    return (numerators, q) if q > 0 else (-numerators, -q)


def rank_mod(M: fmpz_mat) -> int:
    """Rank modulo a large prime: full here means full in the integers, and costs far less."""
    return nmod_mat(M, PRIME).rank()


def primitive(values: Sequence[int]) -> list[int]:
    """The integers without their common factor."""
    common = gcd(*values) or 1
    return [v // common for v in values]


def whole_weights(weights: dict[int, Fraction]) -> dict[int, int]:
    """Rational weights that are not 0, times the one number that makes them integers without a common factor."""
    kept = {i: w for i, w in weights.items() if w}
    common = lcm(*(w.denominator for w in kept.values())) if kept else 1
    values = primitive([w.numerator * (common // w.denominator) for w in kept.values()])
    return dict(zip(kept, values, strict=True))


def of_rows(rows: SignedRows, weights: dict[int, Fraction]) -> dict[int, int]:
    """Weights of the scaled rows z_i as weights of the rows themselves: z_i is the row over 2^exponent."""
    return whole_weights({i: w / Fraction(2) ** int(rows.row_exps[i]) for i, w in weights.items()})


def whole_numbers(v: Any, bits: int = 53) -> list[int]:
    """The doubles of a vector, scaled by one power of two, as integers of at most so many bits."""
    v = np.asarray(v, dtype=np.float64)
    size = float(np.abs(v).max(initial=0.0))
    if size == 0.0:
        return [0] * v.size
    return [int(value) for value in np.rint(np.ldexp(v, bits - int(np.frexp(size)[1]))).tolist()]
