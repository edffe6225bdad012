"""Proofs of separability of 132 small tables, each beside the linear programme of the same question in HiGHS."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.certificates import highs
from benchmarks.last import Ratio
from benchmarks.parts import row_of_parts
from benchmarks.timing import Report, Work, seconds, show
from linsep import separability
from linsep.theory.cone import exact, faces
from linsep.theory.cone.guess import WorkingSet
from linsep.theory.separability.certificate import Separability

SIZES = ((30, 8), (80, 25), (100, 30), (300, 90))
SEEDS = 3
RUNS = 9
BEHIND = 1e-3  # seconds
PARTS: dict[str, tuple[Any, str]] = {
    "rows found in floating point": (WorkingSet, "guess"),
    "exact systems": (exact, "solve"),
    "what else weights take": (faces.Faces, "_by_few"),
    "check": (Separability, "_check"),
}


def _noise(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    return rng.standard_normal((n, p)), rng.integers(0, 2, n)


def _labels(rng: Any, X: Any, share: float) -> Any:
    """The labels of a plane, a share of them wrong."""
    y = (X @ rng.standard_normal(X.shape[1]) > 0).astype(int)
    return np.where(rng.random(len(y)) < share, 1 - y, y)


def _plane(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, p))
    return X, _labels(rng, X, 0.0)


def _few_wrong(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    X = rng.standard_normal((n, p))
    return X, _labels(rng, X, 0.03)


def _heavy_tails(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    return rng.standard_cauchy((n, p)), rng.integers(0, 2, n)


def _decimals(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    X = rng.normal(size=(n, p)).round(2)
    return X, _labels(rng, X, 0.1)


def _integers(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    X = rng.integers(-3, 4, (n, p)).astype(float)
    return X, _labels(rng, X, 0.1)


def _dummies(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    return (rng.random((n, p)) < 0.2).astype(float), rng.integers(0, 2, n)


def _levels(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    return np.eye(p)[rng.integers(0, p, n)], rng.integers(0, 2, n)


def _levels_and_numbers(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    X = np.column_stack([np.eye(p // 2)[rng.integers(0, p // 2, n)], rng.standard_normal((n, p - p // 2))])
    return X, _labels(rng, X, 0.1)


def _scales(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    return rng.standard_normal((n, p)) * 10.0 ** rng.integers(-4, 5, p), rng.integers(0, 2, n)


def _repeated(rng: Any, n: int, p: int) -> tuple[Any, Any]:
    X = rng.integers(0, 3, (n // 3, p)).astype(float)[rng.integers(0, n // 3, n)]
    return X, rng.integers(0, 2, n)


KINDS: dict[str, Callable[[Any, int, int], tuple[Any, Any]]] = {
    "noise": _noise,
    "a plane": _plane,
    "a plane, few wrong labels": _few_wrong,
    "heavy tails": _heavy_tails,
    "decimals": _decimals,
    "whole numbers": _integers,
    "dummies": _dummies,
    "levels of a factor": _levels,
    "levels and numbers": _levels_and_numbers,
    "columns of many scales": _scales,
    "repeated rows": _repeated,
}


def _tables(kind: Callable[[Any, int, int], tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    for n, p in SIZES:
        for seed in range(SEEDS):
            X, y = kind(np.random.default_rng(seed), n, p)
            y[:2] = 0, 1
            yield X, y


def small_tables(report: Report) -> None:
    """A row for each kind of table: the ratio, and the table that is furthest behind."""
    for name, kind in KINDS.items():
        found = [(X.shape, *_times(partial(separability, X, y), partial(highs, X, y))) for X, y in _tables(kind)]
        shape, ours, theirs = max(found, key=lambda one: one[1] - one[2])
        _, mine, peers = zip(*found, strict=True)
        late = sum(ours > theirs + BEHIND for _, ours, theirs in found)
        cells = {
            "kind": name,
            "tables": str(len(found)),
            "ratio": Ratio(mine, peers),
            "least": f"{min(peer / own for own, peer in zip(mine, peers, strict=True)):.2f} x",
            "nearest to HiGHS or behind it": f"{shape[0]} x {shape[1]}: {show(ours)}, HiGHS {show(theirs)}",
            "more than 1 ms behind": str(late),
        }
        report.row("Small tables", cells, {"work": name, "behind": late})
    for name, at in (("heavy tails", -1), ("levels and numbers", -1), ("levels and numbers", -1 - SEEDS)):
        X, y = list(_tables(KINDS[name]))[at]
        table = f"{name}, {X.shape[0]} x {X.shape[1]}"
        row_of_parts(report, "Parts of a proof", ("table", table), partial(separability, X, y), PARTS)


def _times(*works: Work) -> tuple[float, ...]:
    """The least processor time of several runs of each, in turn: what takes a millisecond is disturbed by anything."""
    return tuple(
        min(times) for times in zip(*([seconds(w, time.process_time) for w in works] for _ in range(RUNS)), strict=True)
    )
