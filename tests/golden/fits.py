"""Runs of every learner."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np

import linsep
from chain_model import ChainModel
from golden import data
from golden.plain import learned, plain

Run = Callable[[], Any]


def fitted(make: Callable[..., Any], table: data.Table, *, weighted: bool = False, **parameters: Any) -> Run:
    """Fit and tell all."""

    def run() -> Any:
        X, y = table
        given = {"sample_weight": data.weights(len(y))} if weighted else {}
        model = make(**parameters)
        return learned(model.fit(X, y, **given), X[:40])

    return run


def labels(model: Any, table: data.Table) -> Run:
    """Fit and tell only the labels: the sums of a hidden layer are those of scikit-learn and BLAS."""
    return lambda: [model.fit(*table).n_iter_, plain(np.asarray(model.predict(table[0])))]


def fits() -> dict[str, Run]:
    """Each learner on rows in memory."""
    perceptron, averaged = linsep.Perceptron, linsep.AveragedPerceptron
    cancer, iris, digits, noisy = data.cancer(), data.iris(), data.digits(), data.noisy()
    sparse, three = data.sparse(), data.sparse(3)
    runs = {
        "perceptron, separable": fitted(perceptron, data.planted(), trace="updates"),
        "perceptron, cancer": fitted(perceptron, cancer, max_iter=None, time_limit=10000.0),
        "perceptron, shuffled, float32": fitted(
            perceptron, data.single(noisy), shuffle=True, random_state=5, max_iter=70
        ),
        "perceptron, sparse, weights": fitted(perceptron, sparse, weighted=True, max_iter=20),
        "perceptron, sparse float32, no intercept": fitted(
            perceptron, data.single(sparse), fit_intercept=False, max_iter=30
        ),
        "perceptron, one-vs-rest": fitted(perceptron, iris, max_iter=40),
        "perceptron, multiclass": fitted(perceptron, iris, multi_class="multiclass", max_iter=40),
        "perceptron, multiclass, sparse": fitted(perceptron, three, multi_class="multiclass", max_iter=25),
        "perceptron, class weights": fitted(perceptron, noisy, class_weight={0: 2.0, 1: 0.5}, max_iter=12),
        "averaged": fitted(averaged, noisy, random_state=1),
        "averaged, last": fitted(averaged, noisy, average="last", random_state=1),
        "averaged, balanced, float32": fitted(
            averaged, data.single(data.noisy(3)), class_weight="balanced", random_state=2
        ),
        "averaged, multiclass, sparse": fitted(averaged, three, multi_class="multiclass", random_state=2),
        "averaged, one-vs-rest, sparse, weights": fitted(averaged, three, weighted=True, random_state=4),
        "voted": fitted(linsep.VotedPerceptron, noisy, max_iter=3, random_state=1),
        "voted, sparse, three classes": fitted(linsep.VotedPerceptron, three, max_iter=2, random_state=1),
        "voted, multiclass": fitted(linsep.VotedPerceptron, iris, multi_class="multiclass", max_iter=4, shuffle=False),
        "pocket": fitted(linsep.PocketPerceptron, noisy, max_iter=25, random_state=1),
        "pocket, one-vs-rest, weights": fitted(
            linsep.PocketPerceptron, iris, weighted=True, max_iter=15, random_state=2
        ),
        "pocket, multiclass, sparse": fitted(
            linsep.PocketPerceptron, three, multi_class="multiclass", max_iter=10, random_state=3
        ),
        "margin": fitted(linsep.MarginPerceptron, data.planted(), margin=0.5, max_iter=200, random_state=1),
        "margin, sparse, multiclass": fitted(
            linsep.MarginPerceptron, three, multi_class="multiclass", max_iter=12, random_state=1
        ),
        "kernel on a budget, three classes": fitted(
            linsep.KernelPerceptron, iris, budget=30, max_iter=3, random_state=1
        ),
        "kernel, averaged": fitted(
            linsep.KernelPerceptron, noisy, kernel="rbf", gamma=0.5, average="averaged", max_iter=2, random_state=1
        ),
        "kernel, voted, float32": fitted(
            linsep.KernelPerceptron, data.single(noisy), degree=2, average="voted", max_iter=2, random_state=1
        ),
        "kernel, digits": fitted(linsep.KernelPerceptron, digits, degree=4, gamma=0.05, random_state=1),
        "kernel, sparse, linear": fitted(linsep.KernelPerceptron, sparse, kernel="linear", shuffle=False, max_iter=2),
        "rocchio": fitted(linsep.Rocchio, noisy, weighted=True),
        "rocchio, sparse, three classes": fitted(linsep.Rocchio, three),
        "mlp": labels(linsep.MLP(hidden=8, max_iter=12, random_state=1), noisy),
        "mlp, three classes, float32": labels(linsep.MLP(hidden=5, max_iter=10, random_state=2), data.single(iris)),
    }
    for variant in ("pa", "pa1", "pa2"):
        runs[variant] = fitted(linsep.PassiveAggressive, noisy, variant=variant, C=0.3, max_iter=4, random_state=1)
        runs[f"{variant}, multiclass, sparse"] = fitted(
            linsep.PassiveAggressive, three, variant=variant, multi_class="multiclass", max_iter=4, random_state=1
        )
    runs["kernel on a budget"] = fitted(
        linsep.KernelPerceptron, noisy, kernel="rbf", budget=25, max_iter=2, random_state=1
    )
    for loss in ("perceptron", "hinge", "logistic", "squared_hinge", "squared"):
        runs[f"sgd, {loss}"] = fitted(
            linsep.SGDClassifier, noisy, loss=loss, projection_radius=3.0, sampling="replacement", random_state=1
        )
        runs[f"sgd, {loss}, sparse, three classes"] = fitted(
            linsep.SGDClassifier, three, loss=loss, learning_rate="invsqrt", eta0=0.1, clip_norm=1.0, random_state=1
        )
    return runs


def twice_as_long(make: Callable[..., Any], **parameters: Any) -> Run:
    """Fit, then go on from there on other rows."""

    def run() -> Any:
        X, y = data.noisy(3)
        model = make(warm_start=True, random_state=3, max_iter=3, **parameters).fit(X[:200], y[:200])
        first = learned(model)
        return [first, learned(model.fit(X[100:], y[100:]), X[:20])]

    return run


def in_pieces(make: Callable[..., Any], table: data.Table, **parameters: Any) -> Run:
    """Four blocks of rows, whose classes join as they come, then some rows alone."""

    def run() -> Any:
        X, y = table
        model = make(open_classes=True, **parameters)
        order = np.argsort(y, kind="stable") if len(set(y)) > 2 else np.arange(len(y))
        for part in np.array_split(order, 4):
            model.partial_fit(X[part], y[part])
        half = learned(model, X[:20])
        guesses = []
        if isinstance(X, np.ndarray):
            for i in range(0, 60, 2):
                guesses.append(model.predict_one(X[i]))
                model.learn_one(X[i], y[i])
        return [half, plain(np.array(guesses)), learned(model, X[:20])]

    return run


def named_columns() -> Any:
    """Rows as dicts: columns join as they appear."""
    rng = np.random.default_rng(5)
    names = ["length", "width", "height", "depth", "weight"]
    model = linsep.Perceptron(open_classes=True)
    guesses = []
    for n in range(120):
        row = {name: round(float(rng.normal()), 3) for name in names[: 2 + n // 30]}
        if n:
            guesses.append(model.predict_one(row))
        model.learn_one(row, "long" if row["length"] > row["width"] else "wide")
    return [guesses, learned(model)]


def angle_to_planted() -> Any:
    """The trace beside a separator that is known."""
    X, y, w, b = linsep.make_separable(150, 4, 0.2, random_state=1)
    model = linsep.Perceptron(trace="updates").fit(X, y, reference=(w, b))
    steps = [(i, w.tolist(), b) for i, w, b in islice(model.trace_.iter_weights(X, np.asarray(y)), 5)]
    return [plain((w, b)), learned(model), steps]


def kept_on_disk() -> Any:
    """What a model file gives back; it goes on learning from there."""
    X, y = data.noisy(3)
    kept = []
    learners: list[tuple[Any, dict[str, Any]]] = [
        (linsep.AveragedPerceptron, {}),
        (linsep.VotedPerceptron, {}),
        (linsep.SGDClassifier, {"eta0": 0.1}),
    ]
    for make, parameters in learners:
        model = make(random_state=1, max_iter=2, **parameters).fit(X[:150], y[:150])
        linsep.save(model, "kept.linsep")
        kept.append(learned(linsep.load("kept.linsep").partial_fit(X[150:], y[150:]), X[:20]))
    return kept


class Pairs:
    """Three classes as a structure: the features of a row, once for its class."""

    n_weights = 12

    def joint_feature(self, x: Any, y: Any) -> Any:
        phi = np.zeros((3, 4))
        phi[y] = x
        return phi.ravel()

    def inference(self, x: Any, w: Any) -> int:
        return int((w.reshape(3, 4) @ x).argmax())

    def loss(self, y: Any, guess: Any) -> float:
        return float(y != guess)


def structured() -> Any:
    """The structured perceptron on classes and on chains."""
    X, y = data.iris()
    codes = np.unique(y, return_inverse=True)[1].tolist()
    classes = linsep.StructuredPerceptron(Pairs(), max_iter=5, random_state=1).fit(list(X), codes)
    rng = np.random.default_rng(19)
    rows = [[rng.integers(0, 9, size=2).tolist() for _ in range(n)] for n in rng.integers(1, 5, size=30)]
    tags = [[token[0] % 3 for token in row] for row in rows]
    chains = linsep.StructuredPerceptron(ChainModel(9, 3), max_iter=8, random_state=1).fit(rows, tags)
    return [learned(classes), classes.predict(list(X[:30])), learned(chains), chains.predict(rows[:10])]


def tagger() -> Any:
    """Tags with named and with hashed features."""
    X, y = data.sentences()
    found = []
    for bits in (None, 9):
        model = linsep.SequenceTagger(n_bits=bits, max_iter=4, random_state=1).fit(X, y)
        bounds = model.mistake_bounds(X, y)
        found.append([learned(model), plain(model.predict(X[:8])), plain(bounds.to_dict()), str(bounds)])
    return found


def on_a_cluster() -> Any:
    """Shards in one process; whole numbers of threads, tasks that are pure."""
    dask: Any = import_module("dask.distributed")  # its constructors have no types

    fit = import_module("linsep.distributed").fit
    quiet = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
    found: list[Any] = []
    with (
        dask.LocalCluster(processes=False, n_workers=1, threads_per_worker=2, **quiet) as cluster,
        dask.Client(cluster, set_as_default=False) as client,
    ):
        for make in (linsep.Perceptron, linsep.AveragedPerceptron):
            model = fit(make(shuffle=True, random_state=2, max_iter=3), data.noisy(3), client, shards=4)
            found.append(learned(model, data.noisy(3)[0][:20]))
        model = fit(linsep.Perceptron(), data.planted(), client, mix=None, shards=3)
        found.append([learned(model), repr(model.mixing_)])
    return found


def courses() -> dict[str, Run]:
    """Learning in more than one step, and what is no row of numbers."""
    names = (linsep.Perceptron, linsep.AveragedPerceptron, linsep.VotedPerceptron)
    runs: dict[str, Run] = {f"warm start, {make.__name__}": twice_as_long(make) for make in names}
    runs |= {
        "warm start, PassiveAggressive": twice_as_long(linsep.PassiveAggressive),
        "warm start, SGDClassifier": twice_as_long(linsep.SGDClassifier, average=None, eta0=0.05),
        "open classes, Perceptron": in_pieces(linsep.Perceptron, data.iris()),
        "open classes, AveragedPerceptron, sparse": in_pieces(linsep.AveragedPerceptron, data.sparse(3)),
        "open classes, MarginPerceptron, float32": in_pieces(
            linsep.MarginPerceptron, data.single(data.iris()), margin=0.1
        ),
        "open classes, PassiveAggressive": in_pieces(linsep.PassiveAggressive, data.iris(), variant="pa2"),
        "open classes, multiclass": in_pieces(linsep.Perceptron, data.iris(), multi_class="multiclass"),
        "named columns": named_columns,
        "angle to the planted separator": angle_to_planted,
        "kept on disk": kept_on_disk,
        "structured": structured,
        "tagger": tagger,
        "cluster": on_a_cluster,
    }
    return runs
