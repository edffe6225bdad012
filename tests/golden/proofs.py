"""Runs of what is proved: verdicts, certificates, margins and bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

import linsep
from golden import data
from golden.plain import plain

Run = Callable[[], Any]
BIASES: tuple[Any, ...] = ("free", "homogeneous", None)


def verdict(X: Any, y: Any, **options: Any) -> Run:
    """A verdict with all that proves it."""

    def run() -> Any:
        found = linsep.separability(X, y, **options)
        found.verify(X, y)
        margin = plain(found.margin.to_dict()) if found.margin else None
        return [found.verdict, found.summary(), plain(json.loads(found.to_json())), margin]

    return run


def verdicts() -> dict[str, Run]:
    """`separability` on rows of every kind."""
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    rng = np.random.default_rng(23)
    X, y = data.iris()
    thirds = np.array([[Fraction(i, 3), Fraction(j, 7)] for i in range(4) for j in range(5)], dtype=object)
    line = np.array([i * 7 + j * 3 > 20 for i in range(4) for j in range(5)])
    flat = np.column_stack([X[:, :2], np.where(y == "setosa", 1.0, 0.0)])
    levels = rng.integers(0, 3, size=(80, 5)).astype(float)
    cancer, labels = data.cancer()
    return {
        "exclusive or": verdict(square, [0, 1, 1, 0]),
        "or": verdict(square, [0, 1, 1, 1]),
        "or without an intercept": verdict(square, [0, 1, 1, 1], fit_intercept=False),
        "one column, quasi-separable": verdict([[0], [1], [1], [2]], [0, 0, 1, 1]),
        "planted separator": verdict(*data.planted()),
        "cancer": verdict(cancer, labels),
        "cancer, float32": verdict(cancer.astype(np.float32), labels),
        "cancer, first ten columns": verdict(cancer[:, :10], labels),
        "noisy": verdict(*data.noisy()),
        "noisy, few rows": verdict(data.noisy()[0][:14], data.noisy()[1][:14]),
        "iris, two of three": verdict(X[50:], y[50:]),
        "quasi-separable by one column": verdict(flat[:, [0, 2]], np.where(flat[:, 2] > 0, 1, rng.integers(0, 2, 150))),
        "levels": verdict(levels, levels[:, 0] + levels[:, 1] > rng.integers(1, 4, size=80)),
        "sparse": verdict(*data.sparse()),
        "sparse, ones": verdict(sp.csr_matrix(levels > 1, dtype=float), levels[:, 2] > 1),
        "fractions": verdict(thirds, line),
        "far apart in scale": verdict(data.planted()[0] * np.array([1e-200, 1e-8, 1.0, 1e9, 1e150]), data.planted()[1]),
        "time is up": verdict(*data.noisy(), time_limit=0.0),
    }


def margins() -> Any:
    """Brackets of each margin, dense and sparse."""
    found = []
    X, y = data.iris()
    tables = [(*data.planted(), 1e-9), (*data.cancer(), 1e-3), (sp.csr_matrix(X[:100]), y[:100], 1e-7)]
    for rows, labels, tol in (*tables, (*data.noisy(), 1e-6)):
        for bias in BIASES:
            try:
                bracket = linsep.max_margin(rows, labels, bias=bias, tol=tol, max_steps=300)
            except ValueError as error:
                found.append([bias, str(error)])
            else:
                found.append([bias, round(bracket.lower, 6), round(bracket.upper, 6)])
    return found


def bounds() -> Any:
    """Every bound on mistakes, at the planted separator and at one that is wrong."""
    X, y, w, b = linsep.make_separable(150, 4, 0.2, random_state=1)
    sphere = X / np.linalg.norm(X, axis=1)[:, None]
    found = []
    cases: list[tuple[Any, Any, dict[str, Any]]] = [
        (X, (w, b), {"mistakes": 12, "epochs": 1}),
        (X, (w, b), {"weighted": True}),
        (sphere, (w, b / 4), {"mistakes": 5, "epochs": 3}),
        (X, (w, 0.0), {"fit_intercept": False}),
        (sp.csr_matrix(X), (-w, 1.0), {"from_zero": False}),
    ]
    for rows, plane, options in cases:
        table = linsep.mistake_bounds(rows, y, *plane, **options)
        found.append([plain(table.to_dict()), str(table)])
    return found


def risks() -> Any:
    """What holds for rows to come, and what descent guarantees."""
    online = [linsep.online_risk_bound(k, n, delta) for k, n in ((0, 100), (17, 1000)) for delta in (0.05, 0.001)]
    descent = [
        linsep.sgd_bound(radius, 3.0, 1000, eta0=0.1, learning_rate=rate, average=average)
        for radius in (2.0, None)
        for rate in ("constant", "invsqrt")
        for average in ("eta", "uniform", None)
    ]
    return plain([online, descent])


def regression(X: Any, y: Any, family: Any, **options: Any) -> Run:
    """Which coefficients are finite, and the proof."""

    def run() -> Any:
        found = linsep.separation(X, y, family=family, **options)
        found.verify(X, y)
        return [plain(found.to_dict()), found.summary(), list(found.advice)]

    return run


def regressions() -> dict[str, Run]:
    """`separation` of each family, and the scan."""
    X, y = data.noisy(3)
    rng = np.random.default_rng(29)
    levels = np.column_stack([np.eye(4)[rng.integers(0, 4, size=90)][:, 1:], rng.normal(size=90).round(1)])
    counts = np.where(levels[:, 0] > 0, 0, rng.poisson(2.0, size=90))
    flowers, kinds = data.iris()

    def scan() -> Any:
        designs = {"all": levels, "number": levels[:, 3:], "levels": levels[:, :3]}
        return {name: plain(linsep.separation(X, counts > 0).to_dict()) for name, X in designs.items()}

    return {
        "logistic, overlap": regression(X, y > 0, "logistic"),
        "logistic, complete": regression(flowers[:100], kinds[:100], "logistic"),
        "logistic, quasi-complete": regression(levels, counts > 0, "logistic"),
        "logistic, quasi-complete, no intercept": regression(levels, counts > 0, "logistic", fit_intercept=False),
        "logistic, sparse": regression(sp.csr_matrix(levels), counts > 0, "logistic"),
        "poisson, separated": regression(levels, counts, "poisson"),
        "poisson, overlap": regression(levels, counts + 1, "poisson"),
        "multinomial, separated": regression(flowers, kinds, "multinomial"),
        "multinomial, overlap": regression(X, y, "multinomial"),
        "scan": scan,
    }


def proofs() -> dict[str, Run]:
    """All runs of this file."""
    found = {f"separability, {name}": run for name, run in verdicts().items()}
    found |= {f"separation, {name}": run for name, run in regressions().items()}
    return found | {"margins": margins, "mistake bounds": bounds, "risk and descent": risks}
