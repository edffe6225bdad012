"""Separability by brute force in exact rationals: Fourier-Motzkin elimination, for a handful of columns."""

from __future__ import annotations

from math import gcd


def _primitive(row: tuple[int, ...]) -> tuple[int, ...]:
    common = gcd(*row)
    return tuple(v // common for v in row) if common else row


def feasible(strict: list[tuple[int, ...]], weak: list[tuple[int, ...]]) -> bool:
    """Whether some d has a.d > 0 for all strict rows a and a.d >= 0 for all weak ones."""
    system = {(_primitive(row), True) for row in strict} | {(_primitive(row), False) for row in weak}
    width = len(next(iter(system))[0])
    for j in range(width):
        above = [(row, hard) for row, hard in system if row[j] > 0]
        below = [(row, hard) for row, hard in system if row[j] < 0]
        system = {(row, hard) for row, hard in system if row[j] == 0}
        for a, a_hard in above:
            for b, b_hard in below:
                mixed = tuple(-b[j] * u + a[j] * v for u, v in zip(a, b, strict=True))
                system.add((_primitive(mixed), a_hard or b_hard))
        system = {(row, hard) for row, hard in system if any(row) or hard}
        if any(hard and not any(row) for row, hard in system):
            return False
    return True


def brute_verdict(X: list[list[int]], s: list[int], fit_intercept: bool = True) -> str:
    """The verdict of the definition: one system of inequalities a row."""
    rows = [tuple(sign * v for v in [*row, *[1] * fit_intercept]) for row, sign in zip(X, s, strict=True)]
    if feasible(rows, []):
        return "separable"
    return "quasi-separable" if any(feasible([row], rows) for row in rows) else "inseparable"
