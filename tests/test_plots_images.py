"""Each picture beside a stored one; after a change on purpose: pytest tests/test_plots_images.py
--mpl-generate-path=tests/baseline, and look at what it wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from linsep import (
    Perceptron,
    PocketPerceptron,
    Rocchio,
    VotedPerceptron,
    make_separable,
    max_margin,
    mistake_bounds,
    plots,
    separability,
    separation,
)
from linsep.data.synthetic import flip_labels, make_xor

X2, Y2, W2, B2 = make_separable(60, 2, 0.2, random_state=0)
X5, Y5, W5, B5 = make_separable(100, 5, 0.05, random_state=1)
NOISY = flip_labels(Y5, 0.1, random_state=0)[0]


@pytest.fixture(autouse=True)
def _one_figure() -> Any:
    yield
    plt.close("all")


def compared(draw: Callable[[], Figure]) -> Any:
    return pytest.mark.mpl_image_compare(savefig_kwargs={"dpi": 55})(draw)


@compared
def test_points() -> Figure:
    return plots.plot_points(pd.DataFrame(X2, columns=["length", "width"]), np.where(Y2 > 0, "in", "out")).figure


@compared
def test_boundary() -> Figure:
    return plots.plot_boundary(max_margin(X2, Y2), X2, Y2).figure


@compared
def test_boundary_projected() -> Figure:
    return plots.plot_boundary(Rocchio().fit(X5, NOISY), X5, NOISY).figure


@compared
def test_boundary_of_regions() -> Figure:
    X = np.array([[0.0, 0], [0, 1], [2, 0], [2, 1], [1, 3], [1, 4]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    return plots.plot_boundary(Rocchio().fit(X, y), X, y).figure


@compared
def test_boundary_of_one_feature() -> Figure:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [9.0]]), [0, 0, 1, 1, 0]
    return plots.plot_boundary(PocketPerceptron(random_state=0).fit(X, y), X, y).figure


@compared
def test_step() -> Figure:
    return plots.plot_step(Perceptron(trace="updates").fit(X5, Y5), X5, Y5, 20).figure


@compared
def test_trace() -> Figure:
    figure, axes = plt.subplots(2, 2, figsize=(8, 6.4), layout="constrained")
    learner = Perceptron(trace="updates").fit(X5, Y5)
    best = max_margin(X5, Y5, bias="homogeneous").hyperplane
    bounds = mistake_bounds(X5, Y5, *best, mistakes=learner.n_mistakes_, epochs=learner.n_iter_)
    plots.plot_trace(learner, ax=axes[0, 0])
    plots.plot_trace(learner, "norm", X5, Y5, reference=best, ax=axes[0, 1])
    plots.plot_trace(learner, "angle", X5, Y5, reference=best, ax=axes[1, 0])
    plots.plot_trace(learner, "bounds", bounds=bounds, ax=axes[1, 1])
    return figure


@compared
def test_survival() -> Figure:
    return plots.plot_survival(VotedPerceptron(max_iter=3, random_state=0).fit(X5, NOISY)).figure


@compared
def test_margins() -> Figure:
    return plots.plot_margins(Rocchio().fit(X5, NOISY), X5, NOISY).figure


@compared
def test_witness() -> Figure:
    X, y, _ = make_xor(60, noise=0.3, random_state=2)
    return plots.plot_witness(separability(X, y), X, y).figure


@compared
def test_separation() -> Figure:
    counts = [1, 2, 1, 2, 1, 2, 1, 2]
    table = pd.DataFrame({"dose": [0, 0, 0, 0, 0, 0, 1, 1], "n": counts, "2 n": 2 * np.array(counts)})
    return plots.plot_separation(separation(table, [0, 1, 0, 1, 1, 0, 1, 1])).figure


@compared
def test_weights() -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
    plots.plot_weights((W5, B5), names=["a", "bb", "a rather long name of a feature", "c", "d"], n=4, ax=axes[0])
    plots.plot_weights((np.arange(-10.0, 10.0), 0.0), image=(4, 5), ax=axes[1])
    return figure
