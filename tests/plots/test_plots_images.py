"""Each picture beside a stored one; after a change on purpose: pytest tests/plots/test_plots_images.py
--mpl-generate-path=tests/baseline, and look at what it wrote."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.legend import Legend
from matplotlib.text import Text

import linsep.plots
from linsep import (
    Perceptron,
    PocketPerceptron,
    Rocchio,
    make_separable,
    max_margin,
)
from linsep.data.synthetic import flip_labels, make_xor
from linsep.theory import ConeProof, Separability

plots: Any = linsep.plots  # artists are looked into further than their types say

X2, Y2, W2, B2 = make_separable(60, 2, 0.2, random_state=0)
X5, Y5, W5, B5 = make_separable(100, 5, 0.05, random_state=1)
NOISY = flip_labels(Y5, 0.1, random_state=0)[0]


@pytest.fixture(autouse=True)
def _one_figure() -> Any:
    yield
    plt.close("all")


def axes(rows: int = 1, columns: int = 1) -> Any:
    """Axes that stay where they are, however wide the text of a Matplotlib release is."""
    figure = plt.figure(figsize=(4.4 * columns, 3.5 * rows))
    made: Any = figure.subplots(rows, columns)
    figure.subplots_adjust(left=0.24 / columns, right=0.95, bottom=0.2 / rows, top=0.92, wspace=0.35, hspace=0.3)
    return made


def compared(draw: Callable[[], Any]) -> Any:
    """Compare the picture without its words: Matplotlib releases draw letters differently, and all else alike."""

    @wraps(draw)
    def without_words() -> Any:
        figure = draw()
        for part in [*figure.findobj(Text), *figure.findobj(Legend)]:
            part.set_visible(False)
        return figure

    return pytest.mark.mpl_image_compare(savefig_kwargs={"dpi": 55})(without_words)


@compared
def test_points() -> Any:
    return plots.plot_points(
        pd.DataFrame(X2, columns=["length", "width"]), np.where(Y2 > 0, "in", "out"), ax=axes()
    ).figure


@compared
def test_boundary() -> Any:
    return plots.plot_boundary(max_margin(X2, Y2), X2, Y2, ax=axes()).figure


@compared
def test_boundary_projected() -> Any:
    return plots.plot_boundary(Rocchio().fit(X5, NOISY), X5, NOISY, ax=axes()).figure


@compared
def test_boundary_of_regions() -> Any:
    X = np.array([[0.0, 0], [0, 1], [2, 0], [2, 1], [1, 3], [1, 4]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    return plots.plot_boundary(Rocchio().fit(X, y), X, y, ax=axes()).figure


@compared
def test_boundary_of_one_feature() -> Any:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [9.0]]), [0, 0, 1, 1, 0]
    return plots.plot_boundary(PocketPerceptron(random_state=0).fit(X, y), X, y, ax=axes()).figure


@compared
def test_trace() -> Any:
    return plots.plot_trace(Perceptron().fit(X5, Y5), ax=axes()).figure


@compared
def test_margins() -> Any:
    return plots.plot_margins(Rocchio().fit(X5, NOISY), X5, NOISY, ax=axes()).figure


@compared
def test_witness() -> Any:
    X, y, _ = make_xor(60, noise=0.3, random_state=2)
    X[:5], y[:5] = [[-1, -1], [2, 0], [0, 2], [0, 0], [1.0, 1.5]], [1, 1, 1, -1, -1]
    proof = Separability(ConeProof(60, left=range(60), weights={0: 2, 1: 1, 2: 1, 3: 4}, basis=()), 2)
    return plots.plot_witness(proof, X, y, ax=axes()).figure
