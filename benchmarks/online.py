"""One row at a time: learn and predict, the way a stream comes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from math import isfinite
from statistics import median
from struct import Struct
from typing import Any
from unittest.mock import patch

import numpy as np
from river import linear_model, preprocessing
from sklearn.linear_model import Perceptron as ScikitPerceptron

from benchmarks.timing import Report, Work, in_turn, show
from linsep import fit_stream
from linsep.kernels.linear.one_row import learn_row, score_row
from linsep.learners import Perceptron
from linsep.learners.table_model import TableModel
from linsep.streaming import progressive

WIDTHS = (9, 20, 100)
WANTED = 1.5
ROWS = 5_000
ROWS_FOR_SCIKIT = 1_000
LEAST = "the names, the packing and the compiled call"


def stream(n_rows: int, width: int) -> tuple[Any, list[dict[str, float]], list[int]]:
    """Normal rows with noisy labels, as an array and as dicts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, width))
    y = (X @ rng.normal(size=width) + rng.normal(size=n_rows) > 0).astype(int)
    names = [f"feature_{j}" for j in range(width)]
    return X, [dict(zip(names, row, strict=True)) for row in X.tolist()], y.tolist()


def each(make: Callable[[], Any], rows: Any, y: list[int]) -> Work:
    """A fresh model that predicts every row and then learns it."""

    def work() -> None:
        model = made(make, rows)
        predict, learn = model.predict_one, model.learn_one
        for x, label in zip(rows, y, strict=True):
            predict(x)
            learn(x, label)

    return work


def each_alone(model: Any, rows: Any, y: list[int] | None) -> Work:
    """A model that learns every row, or predicts every row where there are no labels."""

    def learn() -> None:
        one = model.learn_one
        for x, label in zip(rows, y or (), strict=True):
            one(x, label)

    def predict() -> None:
        one = model.predict_one
        for x in rows:
            one(x)

    return learn if y else predict


def made(make: Callable[[], Any], rows: Any) -> Any:
    """A model that has seen both classes."""
    model = make()
    model.learn_one(rows[0], 0)
    model.learn_one(rows[0], 1)
    return model


def least(rows: list[dict[str, float]], y: list[int] | None) -> Work:
    """What linsep's calls cannot do without: the names compared, the values packed, the compiled call."""
    model = made(Perceptron, rows)
    W, b = model.coef_.copy(), model.intercept_.copy()
    names, X = list(rows[0]), np.zeros((1, len(rows[0])))
    memory, pack = X.data, Struct(f"{len(names)}d").pack_into

    def learn() -> None:
        for x, label in zip(rows, y or (), strict=True):
            if [*x] == names:
                pack(memory, 0, *x.values())
                learn_row(X, 2.0 * label - 1.0, 1.0, 0.0, W, b, 1.0, None, 0)

    def predict() -> None:
        for x in rows:
            if [*x] == names:
                pack(memory, 0, *x.values())
                score_row(X, W, b)

    return learn if y else predict


def both(*works: Work) -> Work:
    """One after the other."""

    def work() -> None:
        for one in works:
            one()

    return work


def parts_of_a_call(report: Report, rows: list[dict[str, float]], *, learn: bool) -> None:
    """Nanoseconds of the parts of a call of `learn_one` or `predict_one`, each timed alone."""
    model = made(Perceptron, rows)
    model.learn_one(rows[0], 0)
    W, b = model.moving()
    X = model._in_order(rows[0])
    code, names = model._codes[1], list(rows[0])
    memory, pack = X.data, Struct(f"{len(names)}d").pack_into

    parts: dict[str, Callable[[], Any]] = {
        "a call of a method": model.watch,
        "names compared": lambda: [*rows[0]] == names,
        "values packed": lambda: pack(memory, 0, *rows[0].values()),
    }
    if learn:
        parts |= {
            "compiled function": lambda: learn_row(X, code, 1.0, 0.0, W, b, 1.0, None, 0),
            "vectors, step, means due": lambda: (model.moving(), model.step_rule(), model.settle_later()),
            "both and the counters": lambda: model._learn_row(X, 1, code),
            "all but the classes": lambda: model._take_in(rows[0], 1),
            "learn_one": lambda: model.learn_one(rows[0], 1),
        }
    else:
        parts |= {
            "compiled function": lambda: score_row(X, W, b),
            "with its weights": lambda: model._score_row(X),
            "finite, and which label": lambda: isfinite(1.0) and model._labels[-1],
            "predict_one": lambda: model.predict_one(rows[0]),
        }
    _nanoseconds(report, f"Parts of a call of {'learn_one' if learn else 'predict_one'}", len(names), parts)


def _nanoseconds(report: Report, title: str, width: int, parts: dict[str, Callable[[], Any]]) -> None:
    works = [partial(_so_often, part) for part in parts.values()]
    found = [median(times) / ROWS * 1e9 for times in in_turn(works)]
    cells = {"features": width, **{name: f"{ns:.0f} ns" for name, ns in zip(parts, found, strict=True)}}
    report.row(title, cells, {"features": width, "ns": found})


def _so_often(part: Callable[[], Any]) -> None:
    for _ in range(ROWS):
        part()


def each_scikit(X: Any, y: list[int]) -> Work:
    """The same with scikit-learn: one `predict` and one `partial_fit` of one row each."""

    def work() -> None:
        model = ScikitPerceptron().partial_fit(X[:2], [0, 1], classes=[0, 1])
        for i, label in enumerate(y):
            model.predict(X[i : i + 1])
            model.partial_fit(X[i : i + 1], [label])

    return work


def models_of_tables(report: Report, width: int) -> None:
    """A `TableModel`, which standardises, against River's pipeline that does; at most 1.5 times its time."""
    _, dicts, y = stream(ROWS, width)
    ours = made(lambda: TableModel(Perceptron()), dicts)
    theirs = made(lambda: preprocessing.StandardScaler() | linear_model.Perceptron(), dicts)
    for words, labels in (("learn_one", y), ("predict_one", None)):
        works = [each_alone(model, dicts, labels) for model in (ours, theirs)]
        shape = f"{ROWS:,} dicts of {width} features, standardised, {words} of a TableModel"
        report.compare(shape, works[0], "River's scaler and perceptron", works[1], 1 / WANTED)


def receipts_of_streams(report: Report) -> None:
    """A pass that asks what would be saved about rows before they are learnt, against one that does not."""
    rng = np.random.default_rng(0)
    for (n, width), classes, kind in product(((30_000, 784), (200_000, 30)), (2, 10), (np.float64, np.float32)):
        X = rng.normal(size=(n, width)).astype(kind)
        y = (X @ rng.normal(size=(width, classes)) + rng.normal(size=(n, classes)) * width**0.5 / 3).argmax(axis=1)
        once = partial(fit_stream, (X, y))
        once()
        pairs = np.hstack([in_turn([once, partial(_unasked, once)]) for _ in range(3)])
        more = 100 * (median(pairs[0] / pairs[1]) - 1)
        cells = {"rows": f"{n:,} x {width}", "kind": np.dtype(kind).name, "classes": classes, "more": f"{more:.1f} %"}
        cells["seconds"] = " and ".join(map(show, np.median(pairs, axis=1)))
        report.row("What the receipt of a stream costs, wanted at most 10 %", cells, {**cells, "percent": more})


def _unasked(work: Work) -> None:
    ask = progressive._pass

    def unasked(learner: Any, rows: Any, told: Any) -> int:
        return ask(learner, rows, told._replace(asked=np.zeros_like(told.asked)))

    with patch.object(progressive, "_pass", unasked):
        work()


def online(report: Report) -> None:
    """Dicts against River, rows against scikit-learn, a stream's receipt against none."""
    for width in WIDTHS:
        _, dicts, y = stream(ROWS, width)
        shape = f"{ROWS:,} dicts of {width} features"
        ours, theirs = made(Perceptron, dicts), made(linear_model.Perceptron, dicts)
        for words, labels in (("learn_one", y), ("predict_one", None)):
            works = (each_alone(model, dicts, labels) for model in (ours, theirs))
            report.compare(
                f"{shape}, {words}",
                next(works),
                "River",
                next(works),
                WANTED,
                limit=least(dicts, labels),
                limit_is=LEAST,
            )
        report.compare(
            f"{shape}, predict_one and learn_one of each",
            each(Perceptron, dicts, y),
            "River",
            each(linear_model.Perceptron, dicts, y),
            WANTED,
            limit=both(least(dicts, y), least(dicts, None)),
            limit_is=LEAST,
        )
    for width in WIDTHS[:2]:
        models_of_tables(report, width)
    X, _, y = stream(ROWS_FOR_SCIKIT, WIDTHS[1])
    report.compare(
        f"{ROWS_FOR_SCIKIT:,} rows of {WIDTHS[1]} features, predict_one and learn_one of each",
        each(Perceptron, list(X), y),
        "scikit-learn predict and partial_fit",
        each_scikit(X, y),
        50,
    )
    for learn in (True, False):
        for width in WIDTHS:
            parts_of_a_call(report, stream(ROWS, width)[1], learn=learn)
    receipts_of_streams(report)
