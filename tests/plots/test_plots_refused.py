"""Odd input: what cannot be drawn is refused in words, and what is drawn can be read."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import linsep.plots
from linsep import MLP, AveragedPerceptron, Perceptron, report, separability
from linsep.plots.style import shorten
from linsep.reporting.page.content import cell
from linsep.reporting.receipt import why_stopped
from linsep.reporting.shown import Weights
from linsep.types import DataError, StopReason

plots: Any = linsep.plots
ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
LABELS = [0, 0, 1, 1]
SQUARE, CROSSED = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), ["same", "same", "other", "other"]


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def test_hulls_that_do_not_meet_are_not_said_to() -> None:
    found = separability(SQUARE, CROSSED)
    for rows, labels in (
        (SQUARE, ["same", "other", "same", "other"]),
        (SQUARE * [[1], [1], [1], [2]], CROSSED),
    ):
        with pytest.raises(DataError, match="other rows or labels"):
            plots.plot_witness(found, rows, labels)
    shifted = 1e6 + 0.1 * SQUARE  # rounded, and far from the origin
    plots.plot_witness(found, shifted, CROSSED)


def test_a_zero_vector_is_on_no_side() -> None:
    ax = plots.plot_boundary(([0.0, 0.0], 0.0), ROWS, LABELS)
    assert "$z$ is 0 everywhere" in ax.get_xlabel()


def test_mistakes_have_room_above_them() -> None:
    ax = plots.plot_trace(Perceptron(trace="updates").fit(ROWS, LABELS))
    assert ax.get_ylim()[1] > max(ax.lines[0].get_ydata())


def test_weights_of_zero_are_left_out_of_many() -> None:
    w = np.zeros(50)
    w[[3, 7]] = 1.0, -2.0
    shown = Weights(w[None], [f"x{j + 1}" for j in range(50)], np.ones(50), {})
    assert [name for _, name, _ in shown.heaviest(20)] == ["x8", "x4"]


def test_long_names_are_told_apart_by_their_ends() -> None:
    names = [f"education of the mother, in years={k}" for k in ("none", "some")]
    assert len(set(shorten(names))) == 2
    assert shorten([names[0], "b"])[0].startswith("education of the mother")


def test_the_words_of_a_stop_fit_the_learner() -> None:
    averaged = AveragedPerceptron().fit(ROWS, LABELS)
    assert averaged.stop_reason_ is StopReason.CLEAN_PASS
    assert why_stopped(averaged, 0.75).endswith("the mean or the vote may not")
    assert why_stopped(averaged, 1.0) == StopReason.CLEAN_PASS.sentence
    plain = Perceptron().fit(ROWS, LABELS)
    assert why_stopped(plain, 0.75) == StopReason.CLEAN_PASS.sentence  # on other rows than those of the run
    three = np.eye(3), ["a", "b", "c"]
    together = AveragedPerceptron(max_iter=None, multi_class="multiclass").fit(*three)
    assert together.stop_reason_ is StopReason.CLEAN_PASS
    assert "the score of its own class was the highest" in why_stopped(together, 1.0)
    each = AveragedPerceptron(max_iter=None, multi_class="ovr").fit(*three)
    assert why_stopped(each, 1.0) == StopReason.CLEAN_PASS.sentence
    net = MLP()
    net.stop_reason_ = StopReason.EPOCH_BUDGET
    assert "clean" not in why_stopped(net, 1.0)


def test_rows_on_the_boundary_are_told_from_wrong_predictions() -> None:
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_iter=2, fit_intercept=False, shuffle=False).fit([[1.0], [1.0]], [1, 0])
    page = report(model, [[1.0], [1.0]], [1, 0]).html
    assert "2 rows on the boundary itself count as mistakes here." in page
    assert cell(-0.0).text == "0"
