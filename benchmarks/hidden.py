"""One hidden layer against the number of its nodes: how near it comes to a smooth function."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import Report, spread
from linsep.learners import MLP, AveragedPerceptron

NODES = (1, 2, 4, 8, 16, 32, 64, 128)
SEEDS = 3


def wave(n: int, seed: int) -> tuple[Any, Any]:
    """Points of the square [-1, 1]^2, labelled by their side of x_2 = sin(4 x_1) / 2."""
    X = np.random.RandomState(seed).uniform(-1, 1, (n, 2))
    return X, X[:, 1] > 0.5 * np.sin(4 * X[:, 0])


def hidden(report: Report) -> None:
    """Test accuracy on new points; the best a line can do stands first."""
    X, y = wave(3000, 0)
    new = wave(20_000, 1)
    title = "Which side of a sine curve: 3,000 points, 20,000 new ones, 200 epochs"
    line = AveragedPerceptron(max_iter=200, random_state=0).fit(X, y).score(*new)
    report.row(title, {"hidden nodes": "none: a line", "test accuracy": f"{line:.4f}"}, {"nodes": 0, "accuracy": line})
    for nodes in NODES:
        found = [MLP(nodes, max_iter=200, tol=0.0, random_state=seed).fit(X, y).score(*new) for seed in range(SEEDS)]
        report.row(title, {"hidden nodes": str(nodes), "accuracy": spread(found)}, {"nodes": nodes, "accuracy": found})
