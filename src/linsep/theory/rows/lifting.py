"""Dense linear systems of integers, solved exactly by digits modulo a prime, with the clock between the digits.

A system is solved modulo P, what is left is divided by P and solved again: so come the digits of the solution to the
base P (Dixon 1982). It is known as soon as a common denominator and numerators fit them that are so short that the
system can hold in no other way than exactly. Each digit costs two products with a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

from flint import fmpz, fmpz_mat, nmod_mat

from linsep.theory.rows.deadline import Deadline, OutOfTimeError, time_left

_PRIME = 2**61 - 1
_GROWTH = 1.2  # of the number of digits between two tries of a denominator
_SECONDS = 2e-9  # n^3 times this is how long an inverse modulo the prime takes at most: nothing can interrupt it


def lifted_solution(A: fmpz_mat, B: fmpz_mat, deadline: Deadline) -> tuple[fmpz_mat, int]:
    """Integer numerators N and the least denominator q > 0 with A N = q B.

    Raises
    ------
    OutOfTimeError
    ZeroDivisionError
        A is singular modulo the prime.

    Examples
    --------
    >>> lifted_solution(fmpz_mat([[2, 1], [1, 3]]), fmpz_mat([[1], [1]]), Deadline())
    ([2]
    [1], 5)
    """
    n = A.nrows()
    if time_left(deadline) < _SECONDS * n**3:
        raise OutOfTimeError
    inverse = nmod_mat(A, _PRIME).inv()
    found = [_column(A, inverse, [int(B[i, k]) for i in range(n)], deadline) for k in range(B.ncols())]
    q = lcm(*(own for _, own in found))
    columns = [[v * (q // own) for v in x] for x, own in found]
    return fmpz_mat([list(row) for row in zip(*columns, strict=True)]), q


def _column(A: fmpz_mat, inverse: nmod_mat, goal: list[int], deadline: Deadline) -> tuple[list[int], int]:
    """Numerators of one solution and their denominator."""
    n = A.nrows()
    longest = max(abs(int(v)) for v in A.entries()).bit_length() + n.bit_length()
    longest = max(longest, max(map(abs, goal)).bit_length())
    rest, digits, tried = fmpz_mat(n, 1, goal), [], 1
    # Numerators and denominator are minors, so Hadamard bounds their bits: with as many digits the test holds.
    while True:
        time_left(deadline)
        found = [int(v) for v in (inverse * nmod_mat(rest, _PRIME)).entries()]
        digits.append(found)
        rest = fmpz_mat(n, 1, [v // _PRIME for v in (rest - A * fmpz_mat(n, 1, found)).entries()])
        if len(digits) >= tried:
            tried = max(len(digits) + 1, int(_GROWTH * len(digits)))
            answer = common_fractions(_Numbers(digits), _PRIME ** len(digits))
            # A N - q B is 0 modulo the base, and smaller than the base: it is 0.
            if answer and max(*(abs(v) for v in answer[0]), answer[1]).bit_length() + longest + 1 < 61 * len(digits):
                return answer


class _Numbers(Sequence[int]):
    """The numbers that have these digits to the base of the prime, the lowest first; each is made when it is asked for.

    Most tries of a denominator end after two of them.
    """

    def __init__(self, digits: list[list[int]]) -> None:
        self.digits = digits

    def __len__(self) -> int:
        return len(self.digits[0])

    def __getitem__(self, i: Any) -> Any:
        parts, base = [fmpz(found[i]) for found in self.digits], fmpz(_PRIME)
        while len(parts) > 1:
            pairs = [parts[k] + parts[k + 1] * base for k in range(0, len(parts) - 1, 2)]
            parts, base = pairs + parts[len(parts) - len(parts) % 2 :], base * base
        return int(parts[0])


def common_fractions(x: Sequence[int], base: int) -> tuple[list[int], int] | None:
    """Numerators and one denominator, each about half as long as the base, of numbers modulo it; None if none are.

    Examples
    --------
    >>> common_fractions([5 * pow(3, -1, 10**9 + 7), pow(6, -1, 10**9 + 7)], 10**9 + 7)
    ([10, 1], 6)
    """
    numerators: list[int] = []
    q, limit, half = 1, base.bit_length() // 2, base // 2
    for v in x:
        value = _between(v * q, base, half)
        if value.bit_length() >= limit - 8:
            more = _denominator(value % base, base)
            q, value = q * more, _between(value * more, base, half)
            if q.bit_length() > limit:
                return None
            numerators = [v * more for v in numerators] if more > 1 else numerators
        numerators.append(value)
    return numerators, q


def _between(value: int, base: int, half: int) -> int:
    """The value modulo the base that is nearest to 0."""
    value = int(fmpz(value) % base)
    return value - base if value > half else value


def _denominator(value: int, base: int) -> int:
    """The denominator b of a fraction a / b = value modulo the base, with a and b well below its root.

    (a, b) is the shortest vector of the lattice of all (a, b) with a = b value modulo the base. Wang 1981 finds the
    same by Euclid's algorithm, which takes longer.
    """
    return abs(int(fmpz_mat([[base, 0], [value, 1]]).lll()[0, 1]))
