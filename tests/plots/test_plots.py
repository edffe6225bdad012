"""What pictures hold: numbers drawn are the numbers computed, and tables of any shape can be drawn."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import linsep
import linsep.plots
from linsep import (
    Perceptron,
    Rocchio,
    VotedPerceptron,
    make_separable,
    max_margin,
    separability,
)
from linsep.plots.points import right_closed
from linsep.plots.style import thinned
from linsep.plots.subject import principal_direction
from linsep.types import DataError

plots: Any = linsep.plots  # artists are looked into further than their types say

X5, Y5, W5, B5 = make_separable(100, 5, 0.05, random_state=1)


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run() -> Perceptron:
    return Perceptron(trace="updates").fit(X5, Y5, reference=(W5, B5))


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---------------------------------------------------------------------------------------------------- any table
@pytest.mark.parametrize("p", [1, 2, 3])
def test_three_rows(p: int) -> None:
    X, y = np.arange(3.0 * p).reshape(3, p) ** 2, np.array(["no", "no", "yes"])
    learner = Perceptron(trace="updates").fit(X, y)
    for ax in (
        plots.plot_points(X, y),
        plots.plot_boundary(learner, X, y),
        plots.plot_margins(learner, X, y),
    ):
        ax.figure.canvas.draw()


def test_a_million_rows_are_thinned_and_the_picture_says_so() -> None:
    X = np.random.default_rng(0).standard_normal((1_000_000, 2)).astype(np.float32)
    y = X[:, 0] > 0.5
    y[123_456] = not y[123_456]
    ax = plots.plot_boundary(([1.0, 0.0], -0.5), X, y)
    assert "of 1,000,000 rows shown" in ax.get_xlabel()
    assert 4900 < sum(len(points.get_offsets()) for points in ax.collections[:2]) <= 5000
    assert words(ax)[-1] == "mistaken: 1 row"
    assert ax.collections[-1].get_offsets().shape == (1, 2)  # rare mistakes are never left out


def test_ten_thousand_sparse_features() -> None:
    columns = np.random.default_rng(0).integers(0, 10_000, 3000)
    X = sp.csr_array((np.ones(3000), columns, np.arange(0, 3001, 10)), shape=(300, 10_000))
    y = np.arange(300) % 2
    learner = Rocchio().fit(X, y)
    ax = plots.plot_boundary(learner, X, y)
    assert ax.get_ylabel() == "first principal direction\northogonal to $w$"
    plots.plot_points(X, y)
    plots.plot_margins(learner, X, y)


def test_names_of_columns_name_the_axes() -> None:
    frame = pd.DataFrame(X5[:, :2], columns=["height", "cost in $"])
    ax = plots.plot_boundary(Rocchio().fit(frame, Y5), frame, Y5)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", r"cost in \$")


def test_the_axes_given_are_those_drawn_on_and_nothing_is_fitted(run: Perceptron, monkeypatch: Any) -> None:
    def fit(*_: Any, **__: Any) -> None:
        raise AssertionError("a picture fitted a model")

    square = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    certificate = separability(*square)
    for learner in (Perceptron, VotedPerceptron):
        monkeypatch.setattr(learner, "fit", fit)
    ax = plt.subplots()[1]
    for drawn in (
        plots.plot_points(X5, Y5, ax=ax),
        plots.plot_boundary(run, X5, Y5, ax=ax),
        plots.plot_trace(run, ax=ax),
        plots.plot_margins(run, X5, Y5, ax=ax),
        plots.plot_witness(certificate, *square, ax=ax),
    ):
        assert drawn is ax


def test_matplotlib_is_imported_late_and_missed_with_a_hint() -> None:
    missing = (
        "import linsep, sys; assert 'matplotlib' not in sys.modules; sys.modules['matplotlib'] = None; linsep.plots"
    )
    done = subprocess.run([sys.executable, "-c", missing], capture_output=True, text=True, check=False)
    assert "pip install '.[plots]'" in done.stderr
    assert not hasattr(linsep, "pictures")


# ---------------------------------------------------------------------------------------------------- boundaries
def test_the_line_drawn_is_where_z_is_zero() -> None:
    X, y, *_ = make_separable(40, 2, 0.2, random_state=4)
    learner = Perceptron().fit(X, y)
    ax = plots.plot_boundary(learner, X, y)
    line = ax.collections[-3].get_paths()[0].vertices
    assert np.abs(learner.decision_function(line)).max() < 1e-9
    least = (y * learner.decision_function(X)).min()
    band = np.concatenate([path.vertices for path in ax.collections[-2].get_paths()])
    assert np.abs(np.abs(learner.decision_function(band)) - least).max() < 1e-9
    assert words(ax)[3] == f"margin, $|z|$ = {least:.3g}"


def test_a_projected_plane_is_a_vertical_line(run: Perceptron) -> None:
    ax = plots.plot_boundary(run, X5, Y5)
    norm = np.linalg.norm(run.coef_[0])
    line = ax.collections[-3].get_paths()[0].vertices
    assert np.allclose(line[:, 0], -run.intercept_[0] / norm)
    assert ax.get_xlabel() == r"projection on $w$: $w \cdot x / \|w\|$"


@pytest.mark.parametrize("shape", [(30, 4), (30, 700), (3, 3), (2, 600)])
@pytest.mark.parametrize("sparse", [False, True])
def test_principal_directions_are_those_of_the_singular_vectors(shape: tuple[int, int], sparse: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * (rng.random(shape) < 0.5) + 3.0 * (rng.random(shape[1]) < 0.3)
    u = rng.standard_normal(shape[1])
    u /= np.linalg.norm(u)
    centred = X - X.mean(axis=0)
    v = np.linalg.svd(centred - np.outer(centred @ u, u))[2][0]
    ours = principal_direction(sp.csr_array(X) if sparse else X, u)
    assert abs(ours @ u) < 1e-9
    assert abs(abs(ours @ v) - 1) < 1e-6


def test_rows_on_a_line_still_have_a_second_direction() -> None:
    u = np.array([0.6, 0.8, 0.0])
    v = principal_direction(np.outer([1.0, 2.0, 5.0], u), u)
    assert abs(v @ u) < 1e-12
    assert abs(np.linalg.norm(v) - 1) < 1e-12


def test_one_class_against_the_rest() -> None:
    X, y = np.array([[0.0, 0, 0], [0, 1, 0], [2, 0, 0], [2, 1, 1], [1, 5, 0], [1, 6, 0]]), np.array(list("aabbcc"))
    learner = Rocchio().fit(X, y)
    plane = learner.coef_[2], learner.intercept_[2]
    assert words(plots.plot_boundary(plane, X, y == "c"))[:2] == ["False", "True"]
    with pytest.raises(DataError, match="of one of several, with y == classes_"):
        plots.plot_boundary(learner, X, y)
    z = learner.decision_function(X)
    least = min(z[i, "abc".index(y[i])] - max(np.delete(z[i], "abc".index(y[i]))) for i in range(6))
    assert f"least: {least:.3g}" in " ".join(words(plots.plot_margins(learner, X, y)))


def test_votes_are_no_plane() -> None:
    voted = VotedPerceptron(max_iter=2, random_state=0).fit(X5, Y5)
    with pytest.raises(DataError, match="linear model"):
        plots.plot_boundary(voted, X5, Y5)
    flat = VotedPerceptron(max_iter=2, random_state=0).fit(X5[:, :2], Y5)
    assert plots.plot_boundary(flat, X5[:, :2], Y5).get_ylabel() == "x2"


def test_the_first_direction_has_no_row_on_its_wrong_side() -> None:
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    ax = plots.plot_boundary(separability(X, y), X, y)
    assert words(ax)[-1] == "mistaken: 2 rows"


def test_support_of_a_bracket_is_ringed() -> None:
    bracket = max_margin(X5, Y5)
    ax = plots.plot_boundary(bracket, X5, Y5)
    held = sum(weight > 0 for weight in bracket.weights.values())
    assert len(ax.collections[-1].get_offsets()) == held


# ---------------------------------------------------------------------------------------------------------- runs


def test_updates_so_far_count_epochs_that_are_not_kept() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) > 35
    learner = Perceptron(max_iter=None).fit(X, y)
    assert learner.n_iter_ > len(learner.trace_) > 64
    assert learner.trace_.updates_so_far[-1] == learner.n_updates_
    assert "epochs shown" in plots.plot_trace(learner.trace_).get_xlabel()


# --------------------------------------------------------------------------------------------- margins and proofs


def test_no_bar_holds_mistakes_and_others() -> None:
    rng = np.random.default_rng(1)
    for margins in (rng.standard_normal(500), rng.random(50), -rng.random(50), np.zeros(3), np.array([0.0, 5.0])):
        edges, counts = right_closed(margins)
        assert counts.sum() == len(margins)
        assert counts[edges[1:] <= 0].sum() == (margins <= 0).sum()


def test_the_hulls_meet_in_the_point_of_the_witness() -> None:
    rng = np.random.default_rng(0)
    for p in (1, 2, 4):
        X, y = rng.integers(-5, 6, (40, p)), rng.integers(0, 2, 40)
        found = separability(X, y)
        assert found.witness is not None
        rows, weight = np.array(found.witness.rows), np.array([float(v) for v in found.witness.weights])
        meeting = [weight[y[rows] == k] @ X[rows][y[rows] == k] / weight[y[rows] == k].sum() for k in (0, 1)]
        assert np.allclose(*meeting)
        ax = plots.plot_witness(found, X, y)
        star = ax.collections[-1].get_offsets()
        if p < 3:
            assert np.allclose(star[:, :p], np.tile(meeting[0], (len(star), 1)))
        said = " ".join(words(ax))
        assert f"0: {(y[rows] == 0).sum()} row" in said
        assert "meet" in said


def test_without_an_intercept_no_hulls_meet() -> None:
    X, y = np.array([[1.0, 0], [-1, 1], [-1, -1], [3, 3]]), np.array([1, 1, 1, 0])
    found = separability(X, y, fit_intercept=False)
    with pytest.raises(DataError, match="without an intercept"):
        plots.plot_witness(found, X, y)


# --------------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda run: plots.plot_points([[1.0, np.nan]], [1]),
            "row 0 .counted from 0., column 1: nan is not a finite number",
        ),
        (lambda run: plots.plot_points([[1.0, 2.0]], [1, 2]), "one label a row"),
        (lambda run: plots.plot_points([["a", "b"]], [1]), "numbers in every column"),
        (lambda run: plots.plot_points([1.0, 2.0], [1, 2]), "must be a table"),
        (lambda run: plots.plot_boundary(run, X5, np.where(Y5 > 0, 1, 7)), "label 7 is not one of the classes"),
        (lambda run: plots.plot_boundary("model", X5, Y5), "a pair"),
        (lambda run: plots.plot_boundary(separability([[0], [0]], [0, 1]), X5, Y5), "holds no plane"),
        (lambda run: plots.plot_trace(Rocchio().fit(X5, Y5)), "no trace"),
        (lambda run: plots.plot_witness(separability(X5, Y5), X5, Y5), "no witness"),
        (lambda run: plots.plot_witness(run, X5, Y5), "a certificate, as separability"),
        (lambda run: plots.plot_points(np.eye(2), [None, 0]), "Unknown label type: None"),
        (lambda run: plots.plot_boundary(([1.0, 2.0, 3.0], 0.0), X5, Y5), "X has 5 features and w 3 entries"),
        (lambda run: plots.plot_boundary(([np.nan] * 5, 0.0), X5, Y5), "holds a value that is not a finite"),
    ],
)
def test_what_cannot_be_drawn_is_refused(run: Perceptron, draw: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        draw(run)


def test_thinning_keeps_what_it_is_told_to() -> None:
    assert thinned(5, 10).tolist() == [0, 1, 2, 3, 4]
    kept = thinned(10_000, 100, np.array([7, 9_999]))
    assert {7, 9_999} <= set(kept.tolist())
    assert len(kept) <= 100
    assert kept.tolist() == thinned(10_000, 100, np.array([7, 9_999])).tolist()
