"""What each preset says of itself, asked of its numbers."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from test_explorer_story import replay, run_of, unpacked

from linsep import AveragedPerceptron, Perceptron, explore
from linsep.explorer.presets import PRESETS, noisy, points_of_preset
from linsep.types import Array


@pytest.fixture(scope="module")
def stories() -> dict[str, Any]:
    return {name: explore(preset=name).story for name in PRESETS}


def data_of(name: str) -> tuple[Array, Array]:
    at = points_of_preset(name).setting
    return at.X, at.y


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_what_to_do_and_ends_in_a_question(name: str, stories: dict[str, Any]) -> None:
    story = stories[name]
    assert story["preset"] == name and story["title"] == PRESETS[name].title
    sentences = re.findall(r"[^.?!]+[.?!](?=\s|$)", " ".join(story["about"]))
    assert 3 <= len(story["about"]) <= 6 and len(sentences) >= 3
    assert story["about"][-1].endswith("?") and not any("?" in line for line in story["about"][:-1])
    assert story["runs"][0]["exact"]


def test_six_points_read_like_the_classroom_example(stories: dict[str, Any]) -> None:
    story, (X, y) = stories["six-points"], data_of("six-points")
    run = story["runs"][0]
    assert y[0] == -1 and y[5] == 1 and story["constant"] == 0
    assert unpacked(run["rows"]).tolist() == [0, 5] and unpacked(run["visit"]).tolist() == [0, 5]
    first = -X[0]
    assert (y[1:5] * (X[1:5] @ first) > 0).all() and y[5] * (X[5] @ first) < 0
    assert np.array_equal(replay(story, run, 1)[0], first)
    assert np.array_equal(replay(story, run, 2)[0], -X[0] + X[5])
    assert (y * (X @ (-X[0] + X[5])) > 0).all() and run["epochs"] == 2 and run["stop"].startswith("a whole pass")


def test_the_half_circle_has_a_thin_cone_and_its_bound_knows_no_number_of_rows(stories: dict[str, Any]) -> None:
    story, (X, y) = stories["semicircle"], data_of("semicircle")
    verdict, run = story["verdict"], story["runs"][0]
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    assert verdict["gamma"] == pytest.approx(math.sin(math.radians(4)), rel=1e-6)
    assert verdict["bound"] == 205 and 50 < run["total"] <= 205
    between = np.deg2rad(np.linspace(10, 170, 500))
    more = explore(
        np.vstack([X, np.column_stack([np.cos(between), np.sin(between)])]), np.append(y, np.ones(500)),
        fit_intercept=False,
    ).story  # fmt: skip
    assert more["verdict"]["bound"] == 205 and more["runs"][0]["total"] <= 205


def test_points_on_a_line_have_the_witness_that_is_told(stories: dict[str, Any]) -> None:
    verdict, (X, y) = stories["line"]["verdict"], data_of("line")
    assert verdict["verdict"] == "inseparable"
    assert verdict["witness"]["rows"] == [0, 2, 3] and verdict["witness"]["weights"] == ["1", "3", "2"]
    assert X[[0, 3, 3], 0].mean() == X[2, 0] and y[[0, 2, 3]].tolist() == [-1, 1, -1]
    assert X[[2, 3, 4], 0].tolist() == [3, 4, 5] and y[[2, 3, 4]].tolist() == [1, -1, 1]


def test_exclusive_or_has_a_witness_of_all_four_corners(stories: dict[str, Any]) -> None:
    story, (X, y) = stories["exclusive-or"], data_of("exclusive-or")
    assert story["verdict"]["witness"]["weights"] == ["1"] * 4
    assert np.array_equal(X[y > 0].mean(axis=0), X[y < 0].mean(axis=0))
    assert np.abs(y @ np.column_stack([X, np.ones(4)])).max() == 0


def test_the_cycle_comes_back_to_zero_after_each_pass(stories: dict[str, Any]) -> None:
    story, (X, y) = stories["cycling"], data_of("cycling")
    run = story["runs"][0]
    assert run["total"] == 3 * run["epochs"] == 75
    assert all(not replay(story, run, 3 * k)[0].any() for k in range(1, 26))
    assert all(replay(story, run, k)[0].any() for k in (1, 2, 4))
    assert np.array_equal(y @ X, [0, 0]) and story["verdict"]["witness"]["weights"] == ["1"] * 3


def test_orthonormal_rows_attain_the_bound(stories: dict[str, Any]) -> None:
    story, (X, _) = stories["orthonormal"], data_of("orthonormal")
    run, verdict = story["runs"][0], story["verdict"]
    assert np.array_equal(X @ X.T, np.eye(9))
    assert run["total"] == verdict["bound"] == 9 and verdict["gamma"] == pytest.approx(1 / 3)
    w, _ = replay(story, run, 9)
    assert [*w, 0] @ np.array(verdict["u"]) == pytest.approx(np.linalg.norm(w)) == pytest.approx(3)


def test_the_last_vector_follows_the_plane_that_turns(stories: dict[str, Any]) -> None:
    story, (X, y) = stories["drift"], data_of("drift")
    run = run_of(story, "perceptron", "turn")
    last, _ = replay(story, run, run["total"])
    mean = AveragedPerceptron(max_iter=1, shuffle=False, fit_intercept=False).fit(X, y).coef_[0]
    right = [(y[-60:] * (X[-60:] @ w) > 0).mean() for w in (last, mean)]
    assert run["epochs"] == 1 and right[0] > 0.95 and right[1] < 0.85
    assert story["verdict"]["verdict"] == "inseparable"


def test_breast_cancer_shows_the_last_updates_of_the_run_to_a_clean_pass(stories: dict[str, Any]) -> None:
    story, (X, y) = stories["breast-cancer"], data_of("breast-cancer")
    run = story["runs"][0]
    learner = Perceptron(max_iter=None).fit(X, y)
    assert run["total"] == learner.n_updates_ == 1_757_361 and run["from"] == run["total"] - 20_000
    assert np.array_equal(replay(story, run, 20_000, first=78)[0], learner.coef_[0])
    assert np.array_equal(replay(story, run, 20_000)[0], learner.coef_[0])
    rows, margins = unpacked(run["rows"]), y * learner.decision_function(X)
    often = np.unique(rows)
    assert often.size < 60 and margins[often].mean() < margins.mean() / 5
    assert story["verdict"]["bound"] == 218_204_382 and round(story["verdict"]["gamma"], 4) == 0.0014
    assert story["classes"] == ["benign", "malignant"] and story["columns"][0] == "mean radius"


def test_votes_are_better_on_new_rows_than_the_last_vector(stories: dict[str, Any]) -> None:
    X, y = noisy(200, 18)
    learner = AveragedPerceptron(max_iter=10, shuffle=False).fit(X, y)
    new = noisy(20_000, 1)
    averaged = learner.score(*new)
    last = AveragedPerceptron(max_iter=10, shuffle=False, average="last").fit(X, y).score(*new)
    assert averaged > last + 0.02 and averaged == pytest.approx(0.841, abs=0.01)  # 0.841: of the best plane
    assert stories["overfitting-votes"]["vector"] == "averaged"
    run = stories["overfitting-votes"]["runs"][0]
    turns = [replay(stories["overfitting-votes"], run, k)[0] for k in range(200, run["total"], 20)]
    angles = [math.degrees(math.atan2(w[1], w[0])) for w in turns]
    assert np.ptp(angles) > 20
