"""Separation in regression on designs with dummies, words and more columns than rows, beside HiGHS and pyfixest.

Seconds are those of the processor, on one core, and hold the exact check of the proof and the label of every
coefficient. HiGHS answers in floating point which rows are separated: max sum s, Z d >= s, 0 <= s <= 1, Z d = 0 on
equalities. It proves nothing and labels no coefficient. HIGHS_SECONDS, 120 unless set, stops it.

pyfixest fits Poisson regressions with fixed effects and drops separated rows before: those of levels without an event
("fe"), and what its iterated rectifier finds ("ir"). Its seconds are those of such a fit; where it is not installed
the row says so. What the first calls compile stands in a row of its own.

Designs whose rank holds only up to rounding are 100 unless NEARLY_DEPENDENT says how many.
"""

from __future__ import annotations

import os
import resource
import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.optimize import linprog

import linsep
from benchmarks.last import Ratio
from benchmarks.timing import Report, in_turn, show, show_median

LIMIT = float(os.environ.get("HIGHS_SECONDS", "120"))
PATIENCE = 5.0
NEARLY = int(os.environ.get("NEARLY_DEPENDENT", "100"))


class Design(NamedTuple):
    """A design, its response and the seconds that are wanted."""

    name: str
    X: Any
    y: Any
    family: Any
    wanted: float | None
    frame: Any = None  # of factors and one number, for pyfixest


def levels(rng: np.random.Generator, n: int, k: int) -> Any:
    """A factor whose k levels all occur, some of them much more often."""
    often = 1 / np.arange(1, k + 1) ** 0.8
    drawn = rng.choice(k, n - k, p=often / often.sum())
    return rng.permutation(np.concatenate([np.arange(k), drawn]))


def dummies(factor: Any) -> Any:
    """Indicators of all levels but the first."""
    n = factor.size
    return sp.csr_matrix((np.ones(n), (np.arange(n), factor)), shape=(n, factor.max() + 1))[:, 1:]


def factors(n: int, sizes: tuple[int, ...], numbers: int = 0, seed: int = 0) -> tuple[Any, Any]:
    """Factors of so many levels and so many numeric columns; no success at one level in fifty of the first two."""
    return _drawn(n, sizes, numbers, seed)[:2]


def with_frame(n: int, sizes: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The same with one number, and as a dataframe."""
    X, y, drawn = _drawn(n, sizes, 1)
    codes = {f"factor{k}": factor for k, factor in enumerate(drawn)}
    return X, y, pd.DataFrame({"y": y, "x": X[:, [-1]].toarray().ravel(), **codes})


def _drawn(n: int, sizes: tuple[int, ...], numbers: int, seed: int = 0) -> tuple[Any, Any, list[Any]]:
    rng = np.random.default_rng(seed)
    drawn = [levels(rng, n, k) for k in sizes]
    score = np.sum([rng.normal(size=k)[factor] for k, factor in zip(sizes, drawn, strict=True)], axis=0)
    y = (rng.logistic(size=n) < score - 1).astype(int)
    for k, factor in zip(sizes[:2], drawn[:2], strict=True):
        y[np.isin(factor, rng.choice(k, max(1, k // 50), replace=False))] = 0
    parts: list[Any] = [dummies(factor) for factor in drawn]
    for j in range(numbers):
        column = rng.normal(size=(n, 1))
        parts.append(sp.csr_matrix(np.round(column, 3) if j % 2 == 0 else column))
    return sp.csr_matrix(sp.hstack(parts)), y, drawn


def words(n: int, p: int, length: int) -> tuple[Any, Any]:
    """Rows of so many words, a few of which are in most rows."""
    rng = np.random.default_rng(2)
    often = 1 / np.arange(1, p + 1) ** 0.9
    columns = rng.choice(p, size=(n, length), p=often / often.sum())
    X: Any = sp.csr_matrix((np.ones(n * length), (np.repeat(np.arange(n), length), columns.ravel())), shape=(n, p))
    X.sum_duplicates()
    return X, (rng.logistic(size=n) < X @ (0.7 * rng.normal(size=p)) - 2).astype(int)


def dense(n: int, p: int) -> tuple[Any, Any]:
    """Normal numbers; where there are more rows than columns a logistic model draws the outcome."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (rng.logistic(size=n) < X @ rng.normal(size=p) / np.sqrt(p)).astype(int)


def designs() -> Iterator[Design]:
    """What is asked of both sides."""
    pair = factors(5_000, (169, 169))
    yield Design("two factors", *pair, "logistic", 0.03)
    yield Design("two factors", *pair, "poisson", 0.03)
    for n, sizes in ((5_000, (169, 169)), (100_000, (5_000, 5_000)), (200_000, (3_000, 1_000))):
        X, y, frame = with_frame(n, sizes)
        yield Design("two factors, 1 number", X, y, "poisson", None, frame)
    for numbers in (0, 1, 2):
        yield Design(f"two factors, {numbers} numbers", *factors(20_000, (1_000, 1_000), numbers), "logistic", 0.2)
    for numbers, wanted in ((0, 0.3), (2, 2.0), (10, 4.0)):
        found = factors(100_000, (5_000, 5_000), numbers)
        yield Design(f"two factors, {numbers} numbers", *found, "logistic", wanted)
    yield Design("three factors, 2 numbers", *factors(100_000, (5_000, 5_000, 300), 2), "logistic", 3.0)
    yield Design("words", *words(20_000, 2_000, 10), "logistic", 5.0)
    yield Design("more columns than rows", *dense(63, 2_308), "logistic", 0.5)
    yield Design("more columns than rows", *dense(200, 1_000), "logistic", 0.5)
    yield Design("dense", *dense(2_000, 200), "logistic", None)


def highs(X: Any, y: Any, family: str) -> Any:
    """The number of rows that HiGHS separates, or why it does not say."""
    n = X.shape[0]
    Z: Any = sp.hstack([sp.csr_matrix(np.ones((n, 1))), sp.csr_matrix(X)], format="csr")
    Z = sp.csr_matrix(Z.multiply(np.where(y > 0, 1.0, -1.0)[:, None]))
    equal = (y > 0) & (family == "poisson")
    k, width = int((~equal).sum()), Z.shape[1]
    inequalities: list[Any] = [-Z[~equal], sp.identity(k)]
    equalities = None
    if equal.any():
        parts: list[Any] = [Z[equal], sp.csr_matrix((n - k, k))]
        equalities = sp.hstack(parts, format="csc")
    found: Any = linprog(
        np.concatenate([np.zeros(width), -np.ones(k)]),
        A_ub=sp.hstack(inequalities, format="csc"),
        b_ub=np.zeros(k),
        A_eq=equalities,
        b_eq=None if equalities is None else np.zeros(n - k),
        bounds=[(None, None)] * width + [(0, 1)] * k,
        method="highs",
        options={"time_limit": LIMIT},
    )
    if found.status != 0 or found.x is None:
        return found.message.split(".")[0]
    return int((found.x[width:] > 0.5).sum())


def fixest(frame: Any) -> str:
    """The number of rows that pyfixest drops before it fits, by each of its checks."""
    if find_spec("pyfixest") is None:
        return "not installed"
    said = []
    for check in ("fe", "ir"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = import_module("pyfixest").fepois("y ~ x | factor0 + factor1", frame, separation_check=[check])
        said.append(f"{check} {fit.n_separation_na:,}")
    return ", ".join(said)


def separation(report: Report) -> None:
    """Each design: our verdict with its proof, and the programme."""
    began = time.process_time()  # whatever is compiled on the first call is compiled here
    linsep.separation(*factors(300, (9, 9), 2))
    linsep.separation(*factors(3_000, (99, 99), 2))
    between = time.process_time()
    fixest(with_frame(3_000, (99, 99))[2])
    first = {"linsep": show(between - began), "pyfixest": show(time.process_time() - between)}
    report.row("Separation, first calls", first, {"linsep_s": between - began})
    for name, X, y, family, wanted, frame in designs():
        kept: dict[str, Any] = {}

        def ours(X: Any = X, y: Any = y, family: Any = family, kept: dict[str, Any] = kept) -> None:
            kept["ours"] = linsep.separation(X, y, family=family)

        def theirs(X: Any = X, y: Any = y, family: Any = family, kept: dict[str, Any] = kept) -> None:
            kept["lp"] = highs(X, y, family)

        def others(frame: Any = frame, kept: dict[str, Any] = kept) -> None:
            kept["fixest"] = "" if frame is None else fixest(frame)

        a, b, c = in_turn([ours, theirs, others], PATIENCE, time.process_time)
        found, lp = kept["ours"], kept["lp"]
        cells = {
            "design": f"{name}, {family}, {X.shape[0]:,} x {X.shape[1]:,}",
            "verdict": found.verdict,
            "separated": f"{len(found.separated_rows):,}",
            "linsep": show_median(a),
            "wanted": "" if wanted is None else f"{wanted:g} s",
            "HiGHS": show_median(b),
            "ratio": Ratio(a, b, at_least=isinstance(lp, str)),
            "HiGHS says": lp if isinstance(lp, str) else f"{lp:,} rows separated",
            "pyfixest, both checks": "" if kept["fixest"] in ("", "not installed") else show_median(c),
            "pyfixest drops": kept["fixest"],
        }
        figures = {"work": f"{name}, {X.shape[0]} x {X.shape[1]}", "linsep_s": np.median(a), "peer_s": np.median(b)}
        report.row("Separation", cells, {**figures, "wanted_s": wanted, "verdict": found.verdict})
    rounding(report)


def nearly_dependent(rng: np.random.Generator) -> tuple[Any, Any, float]:
    """100 rows of 25 numbers, one to three of which are combinations of the others up to `eps`, which is given too."""
    eps = 10.0 ** -int(rng.integers(9, 17))
    X = rng.normal(size=(100, 25))
    for j in range(rng.integers(1, 4)):
        X[:, 24 - j] = X[:, :20] @ rng.normal(size=20) + eps * rng.normal(size=100)
    steep = rng.choice([1.0, 4.0])
    return X, (rng.random(100) < 1 / (1 + np.exp(-steep * X[:, 0]))).astype(int), eps


def rounding(report: Report) -> None:
    """Designs whose rank holds only up to rounding."""
    rng = np.random.default_rng(5)
    drawn = [nearly_dependent(rng) for _ in range(NEARLY)]
    linsep.separation(*drawn[0][:2])
    took: dict[str, list[float]] = {}
    for X, y, _ in drawn:
        began = time.process_time()
        found = linsep.separation(X, y)
        took.setdefault(found.verdict, []).append(time.process_time() - began)
    for verdict, some in took.items():
        cells = {
            "designs, 100 x 25": f"{len(some)} of {NEARLY:,}",
            "verdict": verdict,
            "median": show(float(np.median(some))),
            "longest": show(max(some)),
            "more than 1 s": f"{sum(seconds > 1 for seconds in some)}",
        }
        figures = {"verdict": verdict, "median_s": np.median(some), "longest_s": max(some), "wanted_s": 1.0}
        report.row("Separation, rank up to rounding", cells, figures)


def panel(report: Report) -> None:
    """Firms, years and products of three million rows, Poisson; HiGHS is not asked."""
    n, sizes = 3_000_000, (180_000, 20, 20_000)
    rng = np.random.default_rng(0)
    drawn = [levels(rng, n, k) for k in sizes]
    score = np.sum([rng.normal(size=k)[factor] for k, factor in zip(sizes, drawn, strict=True)], axis=0) - 1
    y = rng.poisson(np.exp(np.minimum(score, 3)))
    for k, factor in ((sizes[0], drawn[0]), (sizes[2], drawn[2])):
        y[np.isin(factor, rng.choice(k, k // 50, replace=False))] = 0
    X: Any = sp.csr_matrix(sp.hstack([dummies(factor) for factor in drawn]))
    linsep.separation(*factors(3_000, (99, 99), 2))
    began = time.process_time()
    found = linsep.separation(X, y, family="poisson")
    took = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cells = {
        "design": f"three factors, poisson, {n:,} x {X.shape[1]:,}",
        "verdict": found.verdict,
        "separated": f"{len(found.separated_rows):,}",
        "linsep": show(took),
        "wanted": "60 s",
        "peak of memory": f"{peak:.1f} GB",
    }
    report.row("Separation in a panel", cells, {"linsep_s": took, "wanted_s": 60.0, "peak_gb": peak})
