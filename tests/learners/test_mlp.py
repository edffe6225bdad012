"""The hidden layer and the ladder: what no hyperplane represents, the forward pass, stops, state, rungs."""

from __future__ import annotations

import re
import signal
import sys
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from linsep import MLP
from linsep.app.commands.fit import fit as fit_command
from linsep.app.commands.with_model import score as score_command
from linsep.app.commands.with_model import show as show_command
from linsep.data.synthetic import make_moons, make_separable, make_xor
from linsep.learners.selection import RUNGS, climb
from linsep.scikit import checked_rows
from linsep.types import DataError, StopReason

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


# ---------------------------------------------------------------- what it is for
@pytest.mark.parametrize("seed", range(3))
def test_exclusive_or(seed: int) -> None:
    learner = MLP(random_state=seed).fit(*XOR)
    assert learner.score(*XOR) == 1.0
    assert learner.stop_reason_ is StopReason.CONVERGED


def above_a_wave(n: int, seed: int) -> tuple[Any, Any]:
    """Points of a square, labelled by the side of the smooth curve x_2 = sin(4 x_1) / 2."""
    X = np.random.RandomState(seed).uniform(-1, 1, (n, 2))
    return X, X[:, 1] > 0.5 * np.sin(4 * X[:, 0])


# --------------------------------------------------------------------- contracts
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_forward_pass_written_out(n_classes: int) -> None:
    rng = np.random.RandomState(0)
    X, y = rng.randn(60, 3), np.array(["p", "q", "r"])[rng.randint(0, n_classes, 60)]
    with pytest.warns(ConvergenceWarning, match="stopped after 5 epochs"):
        learner = MLP(hidden=7, max_iter=5, random_state=0).fit(X, y)
    W, b, v, c = learner.hidden_coef_, learner.hidden_intercept_, learner.output_coef_, learner.output_intercept_
    z = learner.decision_function(X).reshape(60, -1)
    for x, row in zip(X, z, strict=True):
        nodes = [max(0.0, sum(W[h, j] * x[j] for j in range(3)) + b[h]) for h in range(7)]
        np.testing.assert_allclose(row, [sum(v[k, h] * nodes[h] for h in range(7)) + c[k] for k in range(len(c))])
    P = learner.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(learner.classes_[P.argmax(axis=1)], learner.predict(X))
    np.testing.assert_allclose(learner.decision_function(sp.csr_matrix(X)), learner.decision_function(X))
    if n_classes == 2:
        np.testing.assert_allclose(P[:, 1], 1 / (1 + np.exp(-z[:, 0])))


def test_a_tie_goes_to_the_positive_class() -> None:
    learner = MLP(random_state=0).fit(*XOR)
    learner.output_coef_[:] = learner.output_intercept_[:] = 0.0
    assert learner.predict(XOR[0]).tolist() == [1, 1, 1, 1]


def test_trace_loss_and_stops() -> None:
    X, y = above_a_wave(300, 0)
    seen: list[tuple[int, int]] = []
    learner = MLP(max_iter=30, tol=0.0, random_state=0, verbose=lambda e, m, s: seen.append((e, m)))
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        learner.fit(X, y)
    assert learner.stop_reason_ is StopReason.EPOCH_BUDGET
    assert len(learner.loss_curve_) == learner.n_iter_ == 30
    assert learner.loss_curve_[-1] < learner.loss_curve_[0]
    assert [m for _, m in seen] == learner.trace_.mistakes.tolist()
    assert seen[-1] == (30, int((learner.predict(X) != y).sum()))
    again = clone(learner).set_params(verbose=0)
    with pytest.warns(ConvergenceWarning):
        np.testing.assert_array_equal(again.fit(X, y).loss_curve_, learner.loss_curve_)
    with pytest.warns(ConvergenceWarning, match="time budget"):
        MLP(max_iter=None, time_limit=1e-9, random_state=0).fit(X, y)
    easy = MLP(tol=10.0, random_state=0).fit(X, y)
    assert (easy.stop_reason_, easy.n_iter_) == (StopReason.CONVERGED, 12)


def test_ctrl_c_keeps_the_model_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = above_a_wave(300, 0)

    def interrupt(epochs: int, mistakes: int, seconds: float) -> None:
        if epochs == 3:
            raise KeyboardInterrupt

    learner = MLP(verbose=interrupt, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    with pytest.warns(ConvergenceWarning):
        whole = MLP(max_iter=3, random_state=0).fit(X, y)
    assert learner.stop_reason_ is StopReason.INTERRUPTED
    np.testing.assert_array_equal(learner.decision_function(X), whole.decision_function(X))

    # Inside an epoch it waits until the epoch is over: scikit-learn would turn it into a warning.
    module = "sklearn.neural_network._multilayer_perceptron"
    update = sys.modules[module].AdamOptimizer.update_params

    def pressed(self: Any, *args: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        update(self, *args)

    monkeypatch.setattr(f"{module}.AdamOptimizer.update_params", pressed)
    learner = MLP(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    assert (learner.n_iter_, learner.stop_reason_) == (1, StopReason.INTERRUPTED)


# ------------------------------------------------------------------------ ladder
def noise(n: int) -> tuple[Any, Any]:
    rng = np.random.RandomState(3)
    return rng.randn(n, 3), rng.randint(0, 2, n)


def stretched(n: int) -> tuple[Any, Any]:
    """Separable, but not half way between the means: one feature is long and says nothing."""
    X, y, _, _ = make_separable(n, 2, 0.5, random_state=0)
    return X @ np.array([[1.0, 4.0], [0.0, 1.0]]), y


def rectangle(n: int) -> tuple[Any, Any]:
    """Two of ten features have to be between bounds."""
    X = np.random.RandomState(0).randn(n, 10)
    return X, (X[:, 0] > 0) & (X[:, 1] > -0.5)


TABLES: dict[str, tuple[tuple[Any, Any], str, str, str]] = {
    "exclusive or": (make_xor(200, noise=0.3, random_state=0)[:2], "kernel", "rbf", "It is the most complex learner"),
    "two moons": (make_moons(300, noise=0.1, random_state=0)[:2], "kernel", "laplacian", "the most complex learner"),
    "rectangle": (rectangle(600), "kernel", "laplacian", "It is the most complex learner"),
    "separable": (stretched(300), "linear", "PassiveAggressive", "no learner could be"),
    "noise": (
        noise(120),
        "linear",
        "PassiveAggressive",
        "No more complex one was better by over 1.5 standard errors",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_ladder_stops_at_different_rungs(name: str) -> None:
    (X, y), rung, learner, reason = TABLES[name]
    lower = {name: RUNGS[name] for name in ("linear", "kernel")}  # a network on each would take long
    found = climb(X, y, lower)
    assert found.name == rung
    assert f"{rung} (" in found.why.split(" was right")[0] and learner in found.why.split(" was right")[0]
    assert reason in found.why
    assert found.why.count(". ") == 1 and found.why.endswith(".")
    held_out = len(y) if len(y) <= 500 else 3 * len(y) // 5
    assert f" was right about {found.accuracy[rung]:.1%} of {held_out:,} rows held out" in found.why
    assert not hasattr(found.learner, "classes_")
    again = climb(X, y, lower)
    assert (again.why, again.accuracy) == (found.why, found.accuracy)


def test_the_ladder_leaves_untried_what_has_nothing_to_gain() -> None:
    X = np.concatenate([np.full(20, -1.0), np.full(20, 1.0)])[:, None]
    found = climb(X, X[:, 0])
    assert (found.name, found.accuracy) == ("linear", {"linear": 1.0})
    assert found.why.endswith("With 0 mistakes no learner could be clearly better, so kernel and mlp were not tried.")


class Knows(BaseEstimator):
    """Is right about the first so many rows of every thousand; their number is the first column."""

    fitted_on: ClassVar[list[int]] = []

    def __init__(self, share: int, made_for: int = 0) -> None:
        self.share, self.made_for = share, made_for

    def fit(self, X: Any, y: Any) -> Any:
        self.fitted_on.append(self.share)
        return self

    def predict(self, X: Any) -> Any:
        return np.where(X[:, 0] % 1000 < self.share, X[:, 1], 1 - X[:, 1])


def numbered(n: int) -> tuple[Any, Any]:
    y = np.random.RandomState(0).randint(0, 2, n)
    return np.column_stack([np.arange(n), y]), y


def rungs(*learners: Any) -> dict[str, Any]:
    """Rungs a, b, ... of these learners, or lists of them."""
    lists = [one if isinstance(one, list) else [one] for one in learners]
    return {name: lambda X, found=found: found for name, found in zip("abc", lists, strict=False)}


def test_a_rung_has_to_beat_every_one_below_it() -> None:
    # Each is right about the first so many of 400 rows: d more of them are clearly more if d > 1.5 sqrt d, from 3 on.
    X, y = numbered(400)
    for shares, rung in (
        ((300, 303, 320), "c"),
        ((300, 302, 302), "a"),
        ((300, 310, 312), "b"),
        ((300, 290, 303), "c"),
        ((300, 290, 302), "a"),
    ):
        found = climb(X, y, rungs(*map(Knows, shares)))
        assert found.name == rung
        assert found.accuracy["a"] == 0.75


def test_the_best_learner_of_a_rung_stands_for_it_and_all_rows_are_for_the_one_chosen() -> None:
    X, y = numbered(300)

    def second(X: Any) -> list[Any]:
        return [Knows(share, made_for=len(X)) for share in (200, 280, 270)]

    found = climb(np.concatenate([X, X[:1]]), [*y, 7], {"a": lambda X: [Knows(150)], "b": second})
    assert (found.name, found.learner.share) == ("b", 280)
    # The row whose label stands alone is not tried, but the learner is made for it too.
    assert found.learner.made_for == 301


class Remembers(BaseEstimator):
    """Is right about rows of groups that it has seen, the first column, and wrong about others."""

    def fit(self, X: Any, y: Any) -> Any:
        self.seen_ = set(X[:, 0])
        return self

    def predict(self, X: Any) -> Any:
        return np.where([group in self.seen_ for group in X[:, 0]], X[:, 1], 1 - X[:, 1])


def test_groups_stay_together_where_a_learner_is_chosen() -> None:
    X, y = numbered(400)
    groups = np.arange(400) % 40
    X[:, 0] = groups
    alone, together = (climb(X, y, rungs(Knows(20), Remembers()), of) for of in (None, groups))
    assert (alone.name, alone.accuracy["b"]) == ("b", 1)
    assert (together.name, together.accuracy["b"]) == ("a", 0)
    assert "400 rows held out, all of a group or none" in together.why
    with pytest.raises(DataError, match="all rows are of one group"):
        climb(X, y, rungs(Knows(20)), np.zeros(400))
    with pytest.raises(DataError, match="each class is in a group alone"):
        climb(X, y, rungs(Knows(20)), y)


def test_a_rung_that_is_not_ahead_is_given_up_and_others_of_a_rung_that_fall_behind() -> None:
    X, y = numbered(5000)
    Knows.fitted_on.clear()
    found = climb(X, y, rungs(Knows(500), [Knows(400), Knows(499)], [Knows(900), Knows(600)]))
    # Three folds of 2,000 rows in five; the second rung after one of them, the second learner of the third rung too.
    assert [Knows.fitted_on.count(share) for share in (500, 400, 499, 900, 600)] == [3, 1, 1, 3, 1]
    assert found.name == "c" and list(found.accuracy) == ["a", "b", "c"]
    assert re.search(
        r"^c \(.*\) was right about 8.*% of 1,200 rows held out; a about 4.*%; b about 47.2% of the first 400 of these "
        r"rows, where a was right about 47.8%: it was then given up. It is the most complex learner.$",
        found.why,
    )


def test_kernels_of_many_rows_are_given_up_and_of_many_features_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_xor(200, noise=0.3, random_state=0)[:2]
    monkeypatch.setattr("linsep.learners.selection._KERNEL_WORK", 1e5)
    found = climb(X, y, {name: RUNGS[name] for name in ("linear", "kernel")})
    assert found.name == "linear"
    assert "(kernel 100.0%, but it would take too long on 200 rows)" in found.why
    wide = np.random.RandomState(0).randn(30, 40)
    found = climb(wide, np.arange(30) % 2)
    assert list(found.accuracy) == ["linear"]
    assert found.why.endswith(
        "There are too many features for more complex learners, so kernel and mlp were not tried."
    )


def test_rare_labels_are_among_the_rows_tried() -> None:
    y = np.zeros(10_000, int)
    y[::1000] = 1
    y[7] = 2
    seen: list[Any] = []

    def spy(X: Any) -> list[Any]:
        seen.append(X[:, 0].astype(int))
        return [Knows(1000)]

    climb(np.column_stack([np.arange(10_000), y]), y, {"a": spy})
    tried, all_rows = seen
    assert np.bincount(y[tried]).tolist() == [1997, 5]
    assert np.array_equal(all_rows, np.arange(10_000))
    assert np.array_equal(tried, np.unique(tried))


def test_four_rows_show_nothing_and_it_says_so() -> None:
    found = climb(*XOR)
    assert found.name == "linear"
    assert found.why.endswith(": linear was chosen.")


def test_the_ladder_wants_rows_to_hold_out() -> None:
    with pytest.raises(DataError, match="label 1 has 1 row"):
        climb([[0.0], [1.0], [2.0]], [0, 0, 1])


def test_on_the_command_line(tmp_path: Path) -> None:
    X, y, _ = make_xor(120, noise=0.2, random_state=0)
    lines = [f"{a},{b},{'yes' if label > 0 else 'no'}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    (tmp_path / "t.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    common: Any = {"target": "y", "positive": None, "time_limit": None, "max_iter": None, "holdout": 0.0}
    for learner, kind in (("auto", "KernelPerceptron"), ("mlp", "MLP")):
        result = fit_command(str(tmp_path / "t.csv"), learner=learner, model=tmp_path / "m", **common)
        assert (result.data["learner"], result.data["training_accuracy"]) == (kind, 1.0)
        assert result.data["verdict"] == "inseparable"
        if learner == "auto":
            assert dict(result.lines)["why this learner"] == result.data["why"]
            assert list(result.data["ladder"]) == ["linear", "kernel"]
    shown = show_command(tmp_path / "m", 5)
    assert dict(shown.lines)["weights are"] == "lengths of a feature's weights into the 64 hidden nodes"
    assert sorted(shown.data["weights"]) == ["a", "b"]
    assert score_command(tmp_path / "m", str(tmp_path / "t.csv")).data["accuracy"] == 1.0
    with pytest.raises(DataError, match="loss is not a parameter of --learner auto"):
        fit_command(str(tmp_path / "t.csv"), learner="auto", model=tmp_path / "m", loss="hinge", **common)


def test_a_frame_is_looked_at_once_and_nothing_warns_of_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Any] = []

    def look(*given: Any, **named: Any) -> Any:
        looks.append(given)
        return checked_rows(*given, **named)

    monkeypatch.setattr("linsep.learners.mlp.checked_rows", look)
    X, y = load_iris(return_X_y=True, as_frame=True)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model = MLP(max_iter=6, random_state=0).fit(X, y)
        assert not looks  # not in the epochs; filters of warnings are not safe beside other threads
        assert model.score(X, y) == pytest.approx(1 - model.trace_.mistakes[-1] / 150)
    assert [warning.category for warning in found] == [ConvergenceWarning] and len(looks) == 1
