"""A run as a story: replaying the log it sends, addition by addition, gives the learner's own numbers."""

from __future__ import annotations

import base64
import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import (
    AveragedPerceptron,
    DataError,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SGDClassifier,
    VotedPerceptron,
    explore,
    make_separable,
)
from linsep.explorer import runs
from linsep.explorer.runs import EVERY
from linsep.explorer.story import as_json, points_of, tell
from linsep.types import Array

TURN: dict[str, Any] = {"shuffle": False, "max_iter": 30}


def unpacked(array: dict[str, str]) -> Array:
    return np.frombuffer(base64.b64decode(array["base64"]), np.dtype(array["dtype"]).newbyteorder("<"))


def replay(story: dict[str, Any], run: dict[str, Any], k: int, *, first: int = 0) -> tuple[Array, float]:
    """w and b after the updates up to number k of the window, from keyframe `first` on, by plain additions."""
    n, p = story["n"], story["p"]
    X, y = unpacked(story["X"]).reshape(n, p), unpacked(story["y"]).astype(float)
    rows = unpacked(run["rows"])
    steps = y[rows] if run["steps"] is None else unpacked(run["steps"])
    frames = run["keyframes"]
    if not rows.size:
        return np.zeros(p), 0.0
    w, b = unpacked(frames["w"]).reshape(-1, p)[first].copy(), float(unpacked(frames["b"])[first])
    for j in range(first * EVERY, k):
        w = w + steps[j] * X[rows[j]]
        b = b + story["constant"] ** 2 * steps[j]
    return w, b


def run_of(story: dict[str, Any], name: str, order: str) -> dict[str, Any]:
    (found,) = (run for run in story["runs"] if (run["name"], run["order"]) == (name, order))
    return dict(found)


def overlapping(n: int, p: int, seed: int) -> tuple[Array, Array]:
    random = np.random.RandomState(seed)
    X = random.standard_normal((n, p))
    return X, np.where(X[:, 0] + random.standard_normal(n) > 0, 1, 0)


# Ninths use all 53 bits of a double; tiny numbers would make the proofs long, and replay does not see them.
numbers = st.integers(-900, 900).map(lambda k: k / 9)
rows_and_labels = (
    st.integers(1, 4)
    .flatmap(
        lambda p: st.lists(st.tuples(st.lists(numbers, min_size=p, max_size=p), st.booleans()), min_size=2, max_size=12)
    )
    .filter(lambda rows: len({label for _, label in rows}) == 2)
)


@settings(max_examples=25)
@given(rows_and_labels, st.booleans())
def test_a_replayed_run_is_the_perceptrons_to_the_last_bit(rows: Any, intercept: bool) -> None:
    X, y = np.array([row for row, _ in rows]), np.array([int(label) for _, label in rows])
    story = tell(points_of(X, y, constant=float(intercept)), max_iter=30)
    learner = _quiet(Perceptron(fit_intercept=intercept, max_iter=30, trace="updates"), X, y)
    run = story["runs"][0]
    assert run["exact"] and run["tolerance"] == 0.0
    assert run["total"] == learner.n_updates_ and run["epochs"] == learner.n_iter_
    w, b = replay(story, run, run["total"])
    assert np.array_equal(w, learner.coef_[0])
    assert b == learner.intercept_[0]
    signs = np.where(y == 1, 1.0, -1.0)
    for k, (row, w, b) in enumerate(learner.trace_.iter_weights(X, signs), start=1):
        assert row == unpacked(run["rows"])[k - 1]
        if k % 7 and k != run["total"]:
            continue
        ours = replay(story, run, k, first=(k - 1) // EVERY)
        assert np.array_equal(ours[0], w) and ours[1] == b


def _quiet(learner: Any, X: Array, y: Array) -> Any:
    """A fitted learner, whose warning that no pass was clean is not asked for here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.fit(X, y)


@settings(max_examples=20)
@given(rows_and_labels, st.sampled_from(["margin", "pa", "pa1", "pa2", "sgd"]), st.sampled_from([0.0, 1.0, 0.3]))
def test_other_rules_are_replayed_within_the_tolerance_that_is_stated(rows: Any, name: str, constant: float) -> None:
    X, y = np.array([row for row, _ in rows]), np.array([int(label) for _, label in rows])
    story = tell(points_of(X, y, constant=constant), learner=name, max_iter=30)
    how: dict[str, Any] = {**TURN, "fit_intercept": constant > 0, "intercept_scaling": constant or 1.0}
    learner: Any = MarginPerceptron(**how) if name == "margin" else PassiveAggressive(variant=name, **how)
    if name == "sgd":
        learner = SGDClassifier("hinge", average=None, **{**how, "max_iter": 10})
    learner = _quiet(learner, X, y)
    run = run_of(story, name, "turn")
    assert run["total"] == learner.n_updates_
    w, b = replay(story, run, run["total"])
    assert np.abs(w - learner.coef_[0]).max() <= run["tolerance"]
    assert abs(b - learner.intercept_[0]) <= run["tolerance"]
    assert run["tolerance"] <= 1e-6 * (1 + np.abs(unpacked(story["X"])).max() ** 2) * run["total"]


def test_a_keyframe_is_the_state_before_its_update() -> None:
    X, y = overlapping(80, 3, 0)
    story = tell(points_of(X, y, constant=1.0), max_iter=40)
    run = story["runs"][0]
    frames = unpacked(run["keyframes"]["w"]).reshape(-1, 3)
    assert run["total"] > 2 * EVERY and len(frames) == -(-run["total"] // EVERY)
    for j, frame in enumerate(frames):
        assert np.array_equal(replay(story, run, j * EVERY)[0], frame)
        assert replay(story, run, j * EVERY)[1] == unpacked(run["keyframes"]["b"])[j]
    late, whole = replay(story, run, run["total"], first=len(frames) - 1), replay(story, run, run["total"])
    assert np.array_equal(late[0], whole[0]) and late[1] == whole[1]


@pytest.mark.parametrize("constant", [0.0, 1.0, 0.5])
def test_the_mean_that_the_sums_give_is_the_averaged_perceptrons(constant: float) -> None:
    """After T visits: w - sw / T, with the updates of the visits before T alone."""
    X, y = overlapping(50, 2, 1)
    story = tell(points_of(X, y, constant=constant), max_iter=20)
    run, n = story["runs"][0], 50
    rows, visits = unpacked(run["rows"]), unpacked(run["visit"])
    signs = unpacked(story["y"]).astype(float)
    for epochs in (1, 7, 20):
        visited = epochs * n
        k = int((visits < visited).sum())
        frame = k // EVERY if k < run["total"] else (k - 1) // EVERY
        w, b = replay(story, run, k, first=frame)
        sw = unpacked(run["keyframes"]["sw"]).reshape(-1, 2)[frame].copy()
        sb = float(unpacked(run["keyframes"]["sb"])[frame])
        for j in range(frame * EVERY, k):
            sw += signs[rows[j]] * visits[j] * X[rows[j]]
            sb += constant**2 * signs[rows[j]] * visits[j]
        how: dict[str, Any] = {"fit_intercept": constant > 0, "intercept_scaling": constant or 1.0}
        learner = AveragedPerceptron(max_iter=epochs, shuffle=False, **how).fit(X, y)
        assert learner.n_iter_ == epochs
        np.testing.assert_allclose(w - sw / visited, learner.coef_[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(b - sb / visited, learner.intercept_[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("order", ["turn", "random"])
def test_averaged_and_voted_make_the_updates_of_the_perceptron(order: str) -> None:
    X, y = overlapping(60, 3, 2)
    story = tell(points_of(X, y, constant=1.0), order=order, seed=5, max_iter=8)
    run = story["runs"][0]
    w, b = replay(story, run, run["total"])
    how: dict[str, Any] = {"shuffle": order == "random", "max_iter": 8, "random_state": 5}
    for learner in (Perceptron(**how), AveragedPerceptron(**how), VotedPerceptron(**how)):
        assert _quiet(learner, X, y).n_updates_ == run["total"], learner
    assert np.array_equal(_quiet(Perceptron(**how), X, y).coef_[0], w)
    averaged = AveragedPerceptron(**how, average="last").fit(X, y)
    assert np.array_equal(averaged.coef_[0], w) and averaged.intercept_[0] == b


def test_the_pocket_makes_them_in_turn_and_draws_its_rows_otherwise() -> None:
    X, y = overlapping(60, 3, 2)
    how: dict[str, Any] = {"max_iter": 8, "trace": "updates", "random_state": 5}
    pocket = _quiet(PocketPerceptron(shuffle=False, **how), X, y)
    run = tell(points_of(X, y, constant=1.0), max_iter=8)["runs"][0]
    assert np.array_equal(pocket.trace_.update_rows, unpacked(run["rows"]))
    drawn = _quiet(PocketPerceptron(shuffle=True, **how), X, y)
    other = tell(points_of(X, y, constant=1.0), order="random", seed=5, max_iter=8)["runs"][0]
    assert drawn.n_updates_ != other["total"]


def test_the_rows_of_a_random_order_are_those_that_were_visited() -> None:
    X, y = overlapping(40, 2, 3)
    story = tell(points_of(X, y, constant=1.0), order="random", seed=11, max_iter=5)
    run = story["runs"][0]
    orders = unpacked(run["orders"])
    assert orders.size == run["visits"] == run["epochs"] * 40
    assert all(sorted(orders[k : k + 40]) == list(range(40)) for k in range(0, orders.size, 40))
    visits = unpacked(run["visit"]).astype(int)
    assert np.array_equal(orders[visits], unpacked(run["rows"])) and run["seed"] == 11
    w, b, signs = np.zeros(2), 0.0, unpacked(story["y"])
    mistaken = []
    for visit, i in enumerate(orders):
        if signs[i] * (w @ X[i] + b) <= 0:
            mistaken.append(visit)
            w, b = w + signs[i] * X[i], b + signs[i]
    assert mistaken == visits.tolist()


def test_a_window_shows_the_last_updates_and_starts_where_the_others_led() -> None:
    X, y = overlapping(60, 2, 4)
    whole = tell(points_of(X, y, constant=1.0), max_iter=40)
    part = tell(points_of(X, y, constant=1.0), max_iter=40, window=300)
    long, short = whole["runs"][0], part["runs"][0]
    total = long["total"]
    assert total > 600 and long["from"] == 0 and short["from"] == total - 300 and short["total"] == total
    assert np.array_equal(unpacked(short["rows"]), unpacked(long["rows"])[-300:])
    assert np.array_equal(unpacked(short["visit"]), unpacked(long["visit"])[-300:])
    assert np.array_equal(unpacked(short["keyframes"]["w"])[:2], replay(whole, long, total - 300)[0])
    assert np.array_equal(replay(part, short, 300)[0], replay(whole, long, total)[0]) and short["exact"]


def test_a_run_beyond_the_log_of_a_learner_is_made_again_from_near_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = overlapping(60, 2, 4)
    whole = tell(points_of(X, y, constant=0.5), max_iter=40, order="random", window=300)["runs"][0]
    monkeypatch.setattr(runs, "UPDATE_CAP", 400)
    again = tell(points_of(X, y, constant=0.5), max_iter=40, order="random", window=300)["runs"][0]
    assert whole["total"] > 400
    for name in ("rows", "visit", "orders", "from", "total", "epochs", "visits", "exact"):
        assert again[name] == whole[name], name
    for name in ("w", "b"):
        assert again["keyframes"][name] == whole["keyframes"][name]
    for name in ("sw", "sb"):  # from the mean of a learner, so rounded otherwise
        np.testing.assert_allclose(unpacked(again["keyframes"][name]), unpacked(whole["keyframes"][name]), rtol=1e-9)


def test_the_adversary_takes_the_mistake_that_lengthens_the_vector_most() -> None:
    X, y, *_ = make_separable(30, 2, 0.2, random_state=0)
    story = tell(points_of(X, y, constant=1.0), order="adversary")
    run, signs = story["runs"][0], np.where(y == np.unique(y)[1], 1.0, -1.0)
    assert run["epochs"] == 0 and run["visits"] == run["total"] and run["stop"].startswith("no row is mistaken")
    w, b = np.zeros(2), 0.0
    for row in unpacked(run["rows"]):
        wrong = np.flatnonzero(signs * (X @ w + b) <= 0)
        grown = [np.sum((w + signs[i] * X[i]) ** 2) + (b + signs[i]) ** 2 for i in wrong]
        assert row in wrong and grown[int(np.flatnonzero(wrong == row)[0])] >= max(grown) - 1e-9
        w, b = w + signs[row] * X[row], b + signs[row]
    assert (signs * (X @ w + b) > 0).all()
    assert run["total"] <= story["verdict"]["bound"]


def test_the_adversary_ends_on_rows_that_nothing_separates() -> None:
    story = explore([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], order="adversary", max_iter=5).story
    assert story["runs"][0]["total"] == 20 and "still mistaken" in story["runs"][0]["stop"]


@pytest.mark.parametrize("constant", [0.0, 1.0, 2.0])
def test_the_bound_is_that_of_the_vector_shown_in_exact_arithmetic(constant: float) -> None:
    X = np.random.RandomState(1).standard_normal((40, 3))
    X[:, 0] += 0.3 * np.sign(X[:, 0])
    signs = np.sign(X[:, 0])
    story = tell(points_of(X, signs, constant=constant))
    verdict = story["verdict"]
    u, rows = np.array(verdict["u"]), np.column_stack([X, np.full(40, constant)])
    assert verdict["verdict"] == "separable" and np.linalg.norm(u) == pytest.approx(1)
    assert (signs * (rows @ u)).min() == pytest.approx(verdict["gamma"])
    assert np.linalg.norm(rows, axis=1).max() == pytest.approx(verdict["R"])
    assert verdict["bound"] == pytest.approx((verdict["R"] / verdict["gamma"]) ** 2, abs=1)
    assert all(run["total"] <= verdict["bound"] for run in story["runs"] if run["name"] == "perceptron")
    plane = verdict["plane"]
    margins = signs * (X @ plane["w"] + plane["b"])
    assert margins.min() > 0
    assert verdict["support"] and margins[verdict["support"]] == pytest.approx(margins.min(), rel=1e-5)


def test_a_witness_adds_up_to_nothing() -> None:
    X, y = overlapping(40, 2, 7)
    story = tell(points_of(X, y, constant=1.0), max_iter=5)
    witness, signs = story["verdict"]["witness"], unpacked(story["y"])
    assert story["verdict"]["verdict"] == "inseparable" and story["verdict"]["u"] is story["verdict"]["bound"] is None
    assert sum(witness["shares"]) == pytest.approx(1) and all(int(weight) > 0 for weight in witness["weights"])
    rows = np.column_stack([X, np.ones(40)])[witness["rows"]] * signs[witness["rows"], None]
    assert np.abs(np.array(witness["shares"]) @ rows).max() < 1e-12


def test_rows_that_touch_are_called_inseparable_and_have_a_witness() -> None:
    verdict = explore([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], max_iter=5).story["verdict"]
    assert verdict["verdict"] == "inseparable" and verdict["line"].startswith("quasi-separable")
    assert verdict["witness"] == {"rows": [1, 2], "weights": ["1", "1"], "shares": [0.5, 0.5]}


def test_a_story_is_strict_json_with_names_and_other_runs() -> None:
    import pandas as pd

    frame = pd.DataFrame({"height": [0.0, 1.0, 4.0], "width": [1.0, 0.0, 3.0]})
    story = explore(frame, ["no", "no", "yes"], learner="voted").story
    assert json.loads(as_json(story)) == story
    assert story["columns"] == ["height", "width"] and story["classes"] == ["no", "yes"] and story["editable"]
    assert story["vector"] == "voted" and story["runs"][0]["name"] == "perceptron"
    assert {(run["name"], run["order"]) for run in story["runs"]} == {
        ("perceptron", "turn"), ("perceptron", "random"), ("perceptron", "adversary"),
        ("margin", "turn"), ("pa", "turn"), ("pa1", "turn"), ("pa2", "turn"), ("sgd", "turn"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "labels", "how", "said"),
    [
        ([[1.0], [2.0]], [0, 1], {"learner": "forest"}, "the page shows the learners perceptron"),
        ([[1.0], [2.0]], [0, 1], {"order": "backwards"}, "order must be one of turn, random, adversary"),
        ([[1.0], [2.0]], [0, 1], {"order": "adversary", "learner": "pa"}, "mistakes of the perceptron"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "X has 2 rows and y 3 labels"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], {}, "more than two classes"),
        ([[1.0], [np.nan]], [0, 1], {}, "row 1 .counted from 0., column 0: nan is not a finite number"),
        ([[1.0], [2.0]], [0, 1], {"columns": ["a", "b"]}, "X has 1 columns, and 2 names were given"),
        ([[1.0], [2.0]], [0, 1], {"preset": "line"}, "a preset has rows of its own"),
        ([[1.0], [2.0]], [0, 1], {"intercept_scaling": -1.0}, "must be a finite number above 0"),
        (None, None, {}, "give the rows and their labels"),
        (None, None, {"preset": "moon"}, "no preset is called 'moon'; there are six-points"),
        (np.broadcast_to(1.0, (5_000_001, 2)), np.arange(5_000_001) % 2, {}, "at most 10,000,000 numbers"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(rows: Any, labels: Any, how: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        explore(rows, labels, **how)
