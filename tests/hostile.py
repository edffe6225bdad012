"""Small tables that are hard on doubles, and what is true of them by z3 in exact rationals; no code of the library."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, lru_cache
from importlib import import_module
from math import lcm
from random import Random
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

Row = Sequence[Fraction]
SUBNORMAL = 2.0**-1074
SOLVER: Any = cache(import_module)  # z3 has no types


class Table(NamedTuple):
    """What kind it is, its numbers, and labels 0 and 1, both of which occur."""

    kind: str
    X: Any
    y: list[int]

    @property
    def rows(self) -> list[list[Fraction]]:
        """The numbers as they are stored."""
        values = self.X if isinstance(self.X, np.ndarray) else self.X.toarray()
        return [[Fraction(v) for v in row] for row in values.tolist()]


# ------------------------------------------------------------------ tables
def table(seed: str) -> Table:
    """One of 2 to 12 rows and 1 to 6 columns, of any kind, with labels by chance or, nearly, by a direction."""
    rng = Random(seed)
    n, p = max(rng.randint(2, 12), rng.randint(2, 12)), rng.randint(1, 6)
    kind = rng.choice(list(KINDS))
    X = KINDS[kind](rng, plain(rng, n, p))
    y = [rng.randrange(2) for _ in range(n)]
    if rng.random() < 0.6:  # near the border of what can be separated
        wrong = rng.choice([0, 0, 0.1, 0.3])
        d = [
            Fraction(rng.randint(-3, 3)) / Fraction(max((abs(v) for v in column), default=1) or 1)
            for column in X.T.tolist()
        ]
        z = [sum(a * Fraction(b) for a, b in zip(d, row, strict=True)) for row in X.tolist()]
        middle = rng.choice([Fraction(0), rng.choice(z)])
        y = [int(v > middle) if v != middle or rng.random() < 0.5 else rng.randrange(2) for v in z]
        y = [1 - v if rng.random() < wrong else v for v in y]
    i, j = rng.sample(range(n), 2)
    if len(set(y)) == 1:
        y[i], y[j] = 0, 1
    if X.dtype == np.float64 and rng.random() < 0.15:
        return Table(f"{kind}, sparse", sp.csr_matrix(X), y)
    return Table(kind, X, y)


def plain(rng: Random, n: int, p: int) -> Any:
    """Small integers with zeros, decimals, or normal numbers."""
    draw: Callable[[], float] = rng.choice(
        [lambda: float(rng.randint(-3, 3)), lambda: round(rng.uniform(-3, 3), 1), lambda: rng.gauss(0, 1)]
    )
    return np.array([[draw() for _ in range(p)] for _ in range(n)])


def scaled(rng: Random, X: Any) -> Any:
    """Rows, columns or each entry times 1e-300 to 1e300, or by powers of two."""
    wide = rng.choice([20, 100, 300])
    base = rng.choice([2.0, 10.0])
    most = int(wide * (3.32 if base == 2.0 else 1))
    shape = rng.choice([(len(X), 1), (1, X.shape[1]), X.shape])
    powers = np.array([base ** rng.randint(-most, most) for _ in range(shape[0] * shape[1])]).reshape(shape)
    return np.clip(X * powers, -1.7e308, 1.7e308)


def subnormal(rng: Random, X: Any) -> Any:
    """Some entries, or all, are a few times the least double."""
    small = np.rint(X * rng.choice([1, 7, 2**20])) * SUBNORMAL
    return (
        np.where(np.array([[rng.random() < 0.5 for _ in row] for row in X]), small, X) if rng.random() < 0.7 else small
    )


def large_integers(rng: Random, X: Any) -> Any:
    """Integers above 2^53, which doubles do not hold: of 64 bits, or of any length."""
    base = rng.choice([2**53, 2**60, 2**61 - 1, 2**62, 10**30])
    whole = [
        [base * rng.choice([0, 1, -1, 1]) + int(v) * rng.choice([1, 1, 10**17]) for v in row] for row in X.tolist()
    ]
    return np.array(whole, dtype=np.int64 if base < 2**63 else object)


def fractions(rng: Random, X: Any) -> Any:
    """Fractions with denominators that differ."""
    most = rng.choice([3, 97, 10**20])
    return np.array([[Fraction(v) / rng.randint(1, most) for v in row] for row in X.tolist()], dtype=object)


def nearly_equal_rows(rng: Random, X: Any) -> Any:
    """Rows that are others with a last bit changed."""
    X = X + 1e3 * rng.choice([0, 1, 1e9])
    for i in range(1, len(X)):
        if rng.random() < 0.7:
            X[i] = X[rng.randrange(i)] * rng.choice([1, 1, -1, 2])
            j = rng.randrange(X.shape[1])
            X[i, j] = np.nextafter(X[i, j], rng.choice([-np.inf, np.inf]))
    return X


def nearly_dependent_columns(rng: Random, X: Any) -> Any:
    """The last column is a combination of others and rounding."""
    coefficients = [rng.choice([0, 1, 1, -2, 0.1]) for _ in range(X.shape[1] - 1)]
    X[:, -1] = X[:, :-1] @ coefficients * (1 + rng.choice([0, 1e-16, 1e-12]))
    return X * rng.choice([1, 1e3, 1e-5]) + rng.choice([0, 0, 1e6])


def nearly_zero_sums(rng: Random, X: Any) -> Any:
    """Columns that add up to 0 within 1e-7 in every row."""
    X[:, -1] = -X[:, :-1].sum(axis=1)
    for i in range(len(X)):
        X[i, -1] += rng.choice([0, 0, 1e-7, -1e-7])
    return X


def normalised(rng: Random, X: Any) -> Any:
    """Rows of mean 0 and norm 1, as layers of networks make them."""
    X = X + 0.1 * np.array([[rng.gauss(0, 1) for _ in row] for row in X])
    X = X - X.mean(axis=1, keepdims=True)
    length = np.linalg.norm(X, axis=1, keepdims=True)
    X = X / np.where(length > 0, length, 1)
    return X.astype(np.float32).astype(np.float64) if rng.random() < 0.5 else X


def mixed(rng: Random, X: Any) -> Any:
    """Two kinds in turn."""
    for kind in rng.sample([scaled, subnormal, nearly_equal_rows, nearly_dependent_columns, nearly_zero_sums], 2):
        with np.errstate(all="ignore"):
            X = np.clip(np.nan_to_num(kind(rng, X)), -1.7e308, 1.7e308)
    return X


KINDS: dict[str, Callable[[Random, Any], Any]] = {
    kind.__name__: kind
    for kind in (
        scaled,
        subnormal,
        large_integers,
        fractions,
        nearly_equal_rows,
        nearly_dependent_columns,
        nearly_zero_sums,
        normalised,
        mixed,
    )
}


# ------------------------------------------------------------------- truth
def strict(weak: Sequence[Row], equal: Sequence[Row] = ()) -> list[bool]:
    """For each weak row z whether some d has z.d > 0, all weak rows >= 0 and all equal ones 0."""
    return _strict(tuple(map(_whole, weak)), tuple(map(_whole, equal)))


@lru_cache(maxsize=2)  # two questions about one table
def _strict(weak: tuple[tuple[int, ...], ...], equal: tuple[tuple[int, ...], ...]) -> list[bool]:
    if answers(smtlib(weak, equal, [range(len(weak))])) == ["sat"]:
        return [True] * len(weak)
    return [one == "sat" for one in answers(smtlib(weak, equal, [[i] for i in range(len(weak))]))]


def smtlib(weak: Sequence[Sequence[int]], equal: Sequence[Sequence[int]], above: Sequence[Sequence[int]]) -> str:
    """The question as SMT-LIB 2 text of the logic QF_LRA, which z3, cvc5 and others read.

    It has one `check-sat` for each list of weak rows: has some d all of these > 0, all weak rows >= 0 and all equal 0?
    """
    sums = [
        "(+ 0.0 0.0 " + " ".join(f"(* {_number(v)} d{j})" for j, v in enumerate(z) if v) + ")" for z in (*weak, *equal)
    ]
    lines = ["(set-logic QF_LRA)", *(f"(declare-fun d{j} () Real)" for j in range(len((*weak, *equal)[0])))]
    lines += [f"(assert ({'>=' if i < len(weak) else '='} {z} 0.0))" for i, z in enumerate(sums)]
    for rows in above:
        lines += ["(push 1)", *(f"(assert (> {sums[i]} 0.0))" for i in rows), "(check-sat)", "(pop 1)"]
    return "\n".join([*lines, ""])


def _number(v: int) -> str:
    return f"{v}.0" if v >= 0 else f"(- {-v}.0)"


@cache
def _context() -> Any:
    return SOLVER("z3").Context()  # it has to outlive each call


def answers(text: str) -> list[str]:
    """What z3 prints of a text: sat or unsat, once for each question."""
    z3, context = SOLVER("z3"), _context()
    found: list[str] = z3.Z3_eval_smtlib2_string(context.ref(), f"(reset)\n{text}").split()
    assert found and {*found} <= {"sat", "unsat"}, found
    return found


def _whole(z: Row) -> tuple[int, ...]:
    """The row times a positive number, in integers."""
    common = lcm(*(v.denominator for v in z))
    return tuple(int(v * common) for v in z)


# ------------------------------------------------------------------- limit
class NotEndedError(BaseException):
    """The time is over; no `except Exception` stops it."""


@contextmanager
def limited(seconds: float = 10) -> Iterator[None]:
    """Raise NotEndedError after so many seconds of the processor."""

    def end(*_: object) -> None:
        raise NotEndedError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
