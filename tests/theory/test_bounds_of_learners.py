"""Bounds on several passes, on runs with a margin, passive-aggressive ones, several classes and votes: true on runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep.data.columns import label_names
from linsep.learners import KernelPerceptron, MarginPerceptron, PassiveAggressive, Perceptron, VotedPerceptron
from linsep.reporting.bounds import bounds_of_run
from linsep.theory import aggressive_bounds, class_bounds, mistake_bounds, vote_bound
from linsep.theory.bounds.table import MistakeBounds
from linsep.types import Array, Hyperplane

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few passes are meant

draws = (st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6), st.booleans())


def rows(seed: int, p: int, classes: int, noise: float) -> tuple[Array, Array]:
    """Rows on the sides of random planes, but for a share of them; all classes occur."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, p)) * rng.choice([0.5, 1.0, 10.0])
    if rng.random() < 0.2:
        X[0] = 0.0
    y = np.argmax(X @ rng.normal(size=(p, classes)), axis=1)
    y = np.where(rng.random(24) < noise, rng.integers(0, classes, 24), y)
    y[:classes] = np.arange(classes)
    return X, y


def assert_true(table: MistakeBounds, made: int, first: int, applying: int) -> None:
    """As many bounds apply as are said to, and the run keeps to them."""
    assert sum(row.applies for row in table) >= applying
    for row in table:
        assert not row.applies or (row.value is not None and (first if row.one_pass else made) <= row.value)


def test_hinge_losses_and_squares_hold_over_several_passes_of_1000_runs() -> None:
    """By plain loops, at random vectors u, half of them near the one that labels the rows."""
    attained = 0.0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        n, p, T = int(rng.integers(3, 14)), int(rng.integers(1, 5)), int(rng.integers(2, 9))
        X, u = rng.normal(size=(n, p)), rng.normal(size=p)
        y = np.where(X @ u * rng.choice([-1, 1, 1, 1], n) > 0, 1.0, -1.0)
        if abs(y.sum()) == n:
            continue
        w, made = np.zeros(p), 0
        for _ in range(T):
            for x, s in zip(X, y, strict=True):
                if s * (w @ x) <= 0:
                    w += s * x
                    made += 1
        if seed % 2:
            u = rng.normal(size=p)
        table = mistake_bounds(X, y, u, fit_intercept=False, epochs=T)
        for name in ("hinge loss, all passes", "freund-schapire, all passes"):
            value = table.get(name).value
            assert value is not None and made <= value
            attained = max(attained, made / value)
    assert attained > 0.8  # so a bound a quarter smaller would have failed


def test_the_first_pass_alone_would_not_bound_all_passes() -> None:
    X, y = np.array([[1.0], [-1.0], [1.0]]), [1, 0, 0]
    learner = Perceptron(fit_intercept=False, max_iter=20).fit(X, y)
    table = mistake_bounds(X, y, [1.0], fit_intercept=False, epochs=20)
    first, whole = table.get("hinge loss").value, table.get("hinge loss, all passes").value
    assert first is not None and whole is not None and first < learner.n_mistakes_ <= whole
    assert table.best is not None and not table.best.one_pass


@given(*draws, st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([0.0, 0.2]))
def test_updates_of_a_margin_perceptron(seed: int, p: int, T: int, bias: bool, m: float, noise: float) -> None:
    X, y = rows(seed, p, 2, noise)
    learner = MarginPerceptron(margin=m, max_iter=T, fit_intercept=bias, random_state=0).fit(X, y)
    rng = np.random.default_rng(seed)
    for w, b in ((learner.coef_[0], float(learner.intercept_[0])), (rng.normal(size=p), 0.0)):
        table = mistake_bounds(X, y, w, b, fit_intercept=bias, epochs=learner.n_iter_, margin=m)
        assert_true(table, learner.n_updates_, int(learner.trace_.updates[0]), 2 if np.any(w) or b else 0)
        assert ("2m" in table.get("novikoff").formula) == (m > 0)


@given(*draws, st.sampled_from(["pa", "pa1", "pa2"]), st.sampled_from([0.01, 1.0, 50.0]), st.sampled_from([0.0, 0.2]))
def test_mistakes_of_passive_aggressive_learners(
    seed: int, p: int, T: int, bias: bool, variant: str, C: float, noise: float
) -> None:
    X, y = rows(seed, p, 2, noise)
    learner = PassiveAggressive(variant=variant, C=C, max_iter=T, fit_intercept=bias, random_state=0).fit(X, y)
    rng = np.random.default_rng(seed)
    for w, b in ((learner.coef_[0], float(learner.intercept_[0])), (rng.normal(size=p), 0.0)):
        told: Any = {"variant": variant, "C": C, "fit_intercept": bias, "epochs": learner.n_iter_}
        table = aggressive_bounds(X, y, w, b, **told)
        assert_true(table, learner.n_mistakes_, 0, variant != "pa" and bool(np.any(w) or b))


def test_a_passive_aggressive_bound_by_hand() -> None:
    # u = t: margins t, t, -t. pa1, C = 1/2, two passes: 2 (t^2 + 2 (2 max(0, 1 - t) + 1 + t)); pa2 alike with squares.
    X, y = [[1.0], [-1.0], [-1.0]], [1, 0, 1]
    t = np.geomspace(1e-3, 1e4, 200_000)
    short = np.maximum(0, 1 - t)
    told: Any = {"C": 0.5, "fit_intercept": False, "epochs": 2}
    for variant, least in (
        ("pa1", (2 * (t**2 + 2 * (2 * short + 1 + t))).min()),
        ("pa2", (2 * (t**2 + 2 * (2 * short**2 + (1 + t) ** 2))).min()),
    ):
        value = aggressive_bounds(X, y, [3.0], variant=variant, **told).get(variant).value
        assert value is not None and least <= value <= 1.01 * least
    pa = aggressive_bounds([[2.0], [-1.0]], [1, 0], [3.0], variant="pa", fit_intercept=False).get("pa")
    assert pa.value == 4.0  # R = 2, gamma = 1
    assert not aggressive_bounds(X, y, [1.0], variant="pa").get("pa").applies


@given(*draws, st.sampled_from([0.0, 2.0, "pa", "pa1", "pa2"]), st.sampled_from([0.0, 0.2]))
def test_several_classes(seed: int, p: int, T: int, bias: bool, rule: Any, noise: float) -> None:
    X, y = rows(seed, p, 3, noise)
    common: Any = {"max_iter": T, "fit_intercept": bias, "random_state": 0, "multi_class": "multiclass"}
    learner: Any
    told: Any
    if isinstance(rule, str):
        learner, told, least = PassiveAggressive(variant=rule, C=0.5, **common), {"variant": rule, "C": 0.5}, 0
    else:
        learner, told, least = MarginPerceptron(margin=rule, **common), {"margin": rule}, 2
    learner.fit(X, y)
    made = learner.n_mistakes_ if isinstance(rule, str) else learner.n_updates_
    for W, b in ((learner.coef_, learner.intercept_), (np.random.default_rng(seed).normal(size=(3, p)), None)):
        table = class_bounds(X, y, W, b, fit_intercept=bias, epochs=learner.n_iter_, **told)
        assert_true(table, made, int(learner.trace_.updates[0]), least if np.any(W) else 0)


@given(*draws, st.sampled_from(["perceptron", "margin", "pa1"]), st.sampled_from(["ovr", "multiclass"]))
def test_lines_of_receipts_of_several_classes(seed: int, p: int, T: int, bias: bool, name: str, how: str) -> None:
    X, y = rows(seed, p, 3, 0.1)
    learner: Any = {"perceptron": Perceptron, "margin": MarginPerceptron, "pa1": PassiveAggressive}[name]()
    learner.set_params(max_iter=T, fit_intercept=bias, multi_class=how, random_state=0).fit(X, y)
    lines, data = bounds_of_run(learner, learner.classes_, X, y, [], weighted=False)
    assert 0 < len(data) <= len(lines)
    for row in data:
        assert row["allowed"] is None or row["updates" if name == "margin" else "mistakes"] <= row["allowed"]


def test_several_classes_by_hand() -> None:
    # Rows e_1, e_2, e_3 with W = I: every margin is 1, ||W||^2 = 3, R = 1.
    table = class_bounds(np.eye(3), ["a", "b", "c"], 5 * np.eye(3), fit_intercept=False)
    assert table.get("novikoff").value == pytest.approx(6.0)
    assert table.get("novikoff").formula == "2 R^2 / gamma^2"
    ties = class_bounds(np.eye(3), [0, 1, 2], np.ones((3, 3)), fit_intercept=False).get("novikoff")
    assert ties.why.startswith("this separator makes 3 mistakes")


def test_a_vote_errs_no_more_than_2_m_over_rows_left_one_out() -> None:
    """Each of m + 1 rows is left out in turn, for many orders: the mean error of the vote of the others."""
    rng = np.random.default_rng(0)
    wrong, made, tried, m = 0, 0, 0, 19
    for _ in range(60):
        X = rng.normal(size=(m + 1, 2))
        y = (X[:, 0] + 0.7 * rng.normal(size=m + 1) > 0).astype(int)
        if y.sum() in range(3) or y.sum() in range(m - 1, m + 2):
            continue
        learner = VotedPerceptron(max_iter=1, shuffle=False)
        order = rng.permutation(m + 1)
        made += learner.fit(X[order], y[order]).n_mistakes_
        for out in range(m + 1):
            others = np.setdiff1d(order, [out], assume_unique=True)
            wrong += int(learner.fit(X[others], y[others]).predict(X[[out]])[0] != y[out])
        tried += 1
    error = wrong / (tried * (m + 1))
    bound = vote_bound(made / tried, m)
    assert tried > 50 and 0.1 < error <= bound < 1
    assert bound < 4 * error  # it says something


def test_vote_bound_by_hand() -> None:
    assert (vote_bound(5, 99), vote_bound(80.0, 99), vote_bound(0, 1)) == (0.1, 1.0, 0.0)
    for made, m in ((5, 0), (-1, 5), (7, 5)):
        with pytest.raises(ValueError, match="rows cannot make"):
            vote_bound(made, m)


def test_the_line_on_votes() -> None:
    X, y = rows(3, 2, 3, 0.1)
    two = X[:, 0] > 0
    said: dict[str, str] = {}
    for name, learner, labels in (
        ("one pass", VotedPerceptron(), two),
        ("two", VotedPerceptron(max_iter=2), two),
        ("ovr", VotedPerceptron(), y),
        ("kernel", KernelPerceptron(average="voted", max_iter=1), two),
        ("last", KernelPerceptron(average="last", max_iter=1), two),
    ):
        learner.set_params(random_state=0).fit(X, labels)
        lines, _ = bounds_of_run(learner, learner.classes_, X, labels, planes(learner), weighted=False)
        said[name] = dict(lines).get("bound: votes, new rows", "")
        if name == "one pass":
            assert f"<= {2 * learner.n_mistakes_ / len(y):.2%} wrong on average" in said[name]
            assert 2 * learner.n_mistakes_ < len(y)
    assert said["two"].startswith("not applicable") and "this run made 2" in said["two"]
    assert said["ovr"] == "not applicable: its votes are those of each class against the rest"
    assert "with probability 95%" in said["kernel"] and said["last"] == ""


def planes(learner: Any) -> list[Any]:
    return [Hyperplane(learner.coef_[0], 0.0)] if hasattr(learner, "coef_") else []


def test_why_a_learner_has_no_line() -> None:
    X, y = rows(3, 2, 2, 0.1)
    kernel = KernelPerceptron(max_iter=1, budget=5).fit(X, y)
    assert "on a budget" in bounds_of_run(kernel, kernel.classes_, X, y, [], weighted=False)[0][0][1]
    three = rows(3, 2, 3, 0.1)
    kernel = KernelPerceptron(max_iter=1).fit(*three)
    assert "several classes" in bounds_of_run(kernel, label_names(kernel.classes_), *three, [], weighted=False)[0][0][1]


@pytest.mark.parametrize("step", [0.25, 1.0, 8.0])
def test_one_constant_step_from_zero_makes_the_same_mistakes(step: float) -> None:
    X, y = rows(5, 3, 2, 0.2)
    plain, scaled = Perceptron(max_iter=6, fit_intercept=False), Perceptron(max_iter=6, fit_intercept=False)
    plain.fit(X, y)
    scaled.fit(X, y, sample_weight=np.full(len(y), step))
    assert scaled.n_mistakes_ == plain.n_mistakes_ > 0
    assert (scaled.coef_ == step * plain.coef_).all()


def test_shares_that_do_not_add_up_to_one_would_void_the_bound_on_shards() -> None:
    # Two shards of one row each, as one: with mu = 1 for both, sum mu k = 2 and (R / gamma)^2 = 1.
    X, y = np.array([[1.0], [1.0], [-1.0]]), [1, 1, 0]
    allowed = mistake_bounds(X, y, [1.0], fit_intercept=False).get("novikoff").value
    k = Perceptron(fit_intercept=False).partial_fit(X[:1], [1], classes=[0, 1]).n_mistakes_  # of each shard
    assert k == 1 and allowed == 1.0 == 0.5 * k + 0.5 * k < k + k


def test_weights_of_rows_without_end_need_not_be_bounded() -> None:
    runs = [Perceptron(fit_intercept=False).fit(np.eye(n), np.arange(n) % 2) for n in (4, 400)]
    assert [float(np.linalg.norm(run.coef_)) for run in runs] == [2.0, 20.0]
