"""A constant feature of another size: twins that carry it as a column, bounds, streams, shards, files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import Perceptron as ScikitPerceptron

from in_process import run_linsep
from linsep import load, save
from linsep.distributed.mixing import mixing_bound
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SGDClassifier,
    VotedPerceptron,
)
from linsep.learners.base.labelled import start_empty
from linsep.reporting.receipt import make_receipt
from linsep.theory import homogeneous_margin, margin_upper_bound, mistake_bounds
from linsep.types import DataError, Hyperplane

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# Of these all sums are of whole numbers and powers of two, so that twins agree to the last bit.
EXACT: list[Any] = [
    Perceptron(max_iter=20),
    AveragedPerceptron(max_iter=4),
    VotedPerceptron(max_iter=3),
    PocketPerceptron(max_iter=20),
    MarginPerceptron(margin=2.0, max_iter=20),
]
NEAR: list[Any] = [
    PassiveAggressive(variant="pa", max_iter=3),
    PassiveAggressive(variant="pa1", C=0.1, average=True, max_iter=3),
    PassiveAggressive(variant="pa2", max_iter=3),
    SGDClassifier(projection_radius=0.5, max_iter=3),
    SGDClassifier("logistic", clip_norm=0.5, learning_rate="invsqrt", max_iter=3),
]
SCALES = [0.125, 4.0]


def whole_numbers(classes: int, seed: int = 0, n: int = 60) -> tuple[Any, Any]:
    """Rows of whole numbers with labels of a noisy linear rule."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, 3)).astype(float)
    y = (X @ rng.normal(size=(3, classes)) + rng.normal(size=(n, classes)) + np.arange(classes)).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def with_column(X: Any, c: float) -> Any:
    """The rows (x, c)."""
    return np.column_stack([X, np.full(len(X), c)])


def name_of(learner: Any) -> str:
    return str(learner).replace("\n", "")


# Of three classes each learner has other kernels, but whether it has them does not depend on its variant.
COLUMNS = [*((learner, 2) for learner in EXACT + NEAR), *((learner, 3) for learner in [*EXACT[:4], NEAR[1], NEAR[3]])]


@pytest.mark.parametrize("c", SCALES)
@pytest.mark.parametrize(("learner", "classes"), COLUMNS, ids=name_of)
def test_it_is_a_column_of_that_size(learner: Any, classes: int, c: float) -> None:
    X, y = whole_numbers(classes)
    scaled = clone(learner).set_params(intercept_scaling=c, random_state=0).fit(X, y)
    twin = clone(learner).set_params(fit_intercept=False, random_state=0).fit(with_column(X, c), y)
    found, expected = np.column_stack([scaled.coef_, scaled.intercept_ / c]), twin.coef_
    if any(learner is other for other in EXACT):
        np.testing.assert_array_equal(found, expected)
        assert (scaled.n_mistakes_, scaled.n_updates_) == (twin.n_mistakes_, twin.n_updates_)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        scaled.decision_function(X), twin.decision_function(with_column(X, c)), rtol=1e-9, atol=1e-9
    )
    assert scaled.intercept_scaling_ == c


@pytest.mark.parametrize("multi_class", ["ovr", "multiclass"])
@pytest.mark.parametrize("learner", [EXACT[1], NEAR[0]], ids=name_of)
def test_sparse_rows_and_classes_that_move_together(learner: Any, multi_class: str) -> None:
    X, y = whole_numbers(3)
    learner = clone(learner).set_params(multi_class=multi_class, random_state=0)
    scaled = clone(learner).set_params(intercept_scaling=0.25).fit(sp.csr_matrix(X), y)
    twin = learner.set_params(fit_intercept=False).fit(sp.csr_matrix(with_column(X, 0.25)), y)
    np.testing.assert_allclose(np.column_stack([scaled.coef_, scaled.intercept_ / 0.25]), twin.coef_, atol=1e-9)


def test_it_is_read_when_training_begins_and_kept(tmp_path: Path) -> None:
    X, y = whole_numbers(2)
    learner = VotedPerceptron(intercept_scaling=0.5, shuffle=False).fit(X[:30], y[:30])
    save(learner, tmp_path / "m")
    again = load(tmp_path / "m")
    learner.set_params(intercept_scaling=7.0)
    for one in (learner, again):
        one.partial_fit(X[30:], y[30:])
    assert again.intercept_scaling_ == learner.intercept_scaling_ == 0.5
    assert np.array_equal(learner.decision_function(X), again.decision_function(X))
    assert learner.fit(X, y).intercept_scaling_ == 7.0


def test_a_file_without_it_or_with_a_bad_number_is_refused() -> None:
    X, y = whole_numbers(2)
    learner = Perceptron(intercept_scaling=0.5, max_iter=3).fit(X, y)
    values, arrays = learner.get_state()
    for bad in (0.0, -1.0, math.inf, math.nan, "1", True):
        with pytest.raises(DataError, match="intercept_scaling_"):
            learner.check_state(values | {"intercept_scaling_": bad}, arrays, learner.classes_, None)
    del values["intercept_scaling_"]
    with pytest.raises(DataError, match="the value intercept_scaling_ is missing"):
        Perceptron().set_state(values, arrays, learner.classes_, None)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_bounds_of_bad_numbers_are_refused(bad: float) -> None:
    X, y = whole_numbers(2)
    for bound in (homogeneous_margin, mistake_bounds):
        with pytest.raises(DataError, match="intercept_scaling must be a finite number above 0"):
            bound(X, y, [1.0, 0.0, 0.0], 0.0, intercept_scaling=bad)


def test_a_tenth_is_the_damping_of_scikit_learn_on_sparse_rows() -> None:
    X, y = whole_numbers(2)
    for rows, c in ((X, 1.0), (sp.csr_matrix(X), 0.1)):
        theirs = ScikitPerceptron(tol=None, shuffle=False, max_iter=5).fit(rows, y)
        ours = Perceptron(max_iter=5, intercept_scaling=c).fit(rows, y)
        assert np.array_equal(theirs.coef_, ours.coef_)
        np.testing.assert_allclose(theirs.intercept_, ours.intercept_, rtol=1e-12)
        assert ours.intercept_[0] != 0


# ------------------------------------------------------------------------ auto
@pytest.mark.parametrize("learner", [EXACT[0], EXACT[3], NEAR[3]], ids=name_of)
def test_auto_is_the_root_mean_square_length_of_the_rows(learner: Any) -> None:
    X, y = whole_numbers(2)
    c = float(np.sqrt((X**2).sum(axis=1).mean()))
    for rows in (X, sp.csr_matrix(X)):
        found = clone(learner).set_params(intercept_scaling="auto", random_state=0).fit(rows, y)
        assert found.intercept_scaling_ == pytest.approx(c, rel=1e-14)
        told = clone(learner).set_params(intercept_scaling=found.intercept_scaling_, random_state=0).fit(rows, y)
        assert np.array_equal(found.coef_, told.coef_) and np.array_equal(found.intercept_, told.intercept_)


def test_auto_is_that_of_the_first_block_and_kept(tmp_path: Path) -> None:
    X, y = whole_numbers(2)
    whole, resumed = AveragedPerceptron(intercept_scaling="auto"), AveragedPerceptron(intercept_scaling="auto")
    for at in range(0, 60, 20):
        whole.partial_fit(X[at : at + 20] * (1 + at), y[at : at + 20], classes=[0, 1])
        resumed.partial_fit(X[at : at + 20] * (1 + at), y[at : at + 20], classes=[0, 1])
        save(resumed, tmp_path / "m")
        resumed = load(tmp_path / "m")
    assert whole.intercept_scaling_ == resumed.intercept_scaling_
    assert whole.intercept_scaling_ == pytest.approx(np.sqrt((X[:20] ** 2).sum(axis=1).mean()))
    assert np.array_equal(whole.intercept_, resumed.intercept_)
    assert whole.fit(3 * X, y).intercept_scaling_ == pytest.approx(3 * np.sqrt((X**2).sum(axis=1).mean()))


def test_auto_where_there_is_no_length() -> None:
    X, y = whole_numbers(2)
    assert Perceptron(intercept_scaling="auto", max_iter=2).fit(0 * X, y).intercept_scaling_ == 1.0
    assert Perceptron(intercept_scaling="auto", max_iter=2).fit(1e-40 * X, y).intercept_scaling_ == 1e-15
    learner = Perceptron(intercept_scaling="auto")
    with pytest.raises(DataError, match="give one to partial_fit before single rows"):
        learner.learn_one(X[0], y[0])
    with pytest.raises(DataError, match="there are none yet"):
        start_empty(learner, np.array([0, 1]), X[:0])
    assert not hasattr(clone(learner), "classes_")
    learner = Perceptron(intercept_scaling="auto").partial_fit(X, y, classes=[0, 1]).learn_one(X[0], y[0])
    assert learner.t_ == 61


# ------------------------------------------------------------------ the command
@pytest.fixture
def table(tmp_path: Path) -> Path:
    X, y = whole_numbers(2)
    rows = [f"{a},{b},{c},{label}" for (a, b, c), label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,label", *rows]))
    return tmp_path / "t.csv"


def run(table: Path, *options: str) -> Any:
    model = str(table.with_name("m.linsep"))
    return run_linsep(["fit", table, "--target", "label", "--model", model, *options], table.parent)


@pytest.mark.parametrize("how", [[], ["--stream", "--set", "half_life=500"]])
def test_the_option_of_the_command(table: Path, how: list[str]) -> None:
    for asked, least, most in (("0.25", 0.25, 0.25), ("auto", 1.0, 3.0)):
        assert run(table, "--set", f"intercept_scaling={asked}", "--learner", "perceptron", *how).returncode == 0
        learner = load(table.with_name("m.linsep")).learner_
        assert least <= learner.intercept_scaling_ <= most
        assert learner.intercept_scaling == (asked if asked == "auto" else 0.25)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["wide"], "--set intercept_scaling: 'wide' is not a number or auto"),
        (["0"], "intercept_scaling must be a number from 1e-15 to 1e+15"),
        (["0", "--stream"], "intercept_scaling must be a number from 1e-15 to 1e+15"),
        (["2", "--learner", "rocchio"], "intercept_scaling is not a parameter of --learner rocchio"),
        (["2", "--learner", "auto"], "intercept_scaling is not a parameter of --learner auto"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(table: Path, options: list[str], said: str) -> None:
    done = run(table, "--set", f"intercept_scaling={options[0]}", *options[1:])
    assert said in " ".join(done.stderr.split())
    assert not table.with_name("m.linsep").exists()


# ---------------------------------------------------------------------- bounds
separators = st.tuples(st.integers(0, 10**6), st.integers(1, 3), st.floats(0.01, 100.0), st.floats(0.1, 10.0))


def separable(seed: int, p: int, gap: float = 0.3) -> tuple[Any, Any, Any, float]:
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=p), float(rng.normal())
    X = rng.normal(size=(25, p))
    z = X @ w + b
    X += np.outer(np.sign(z) * gap, w / np.linalg.norm(w))
    return X, z > 0, w, b


@given(separators)
def test_no_run_makes_more_mistakes_than_its_bounds(drawn: Any) -> None:
    seed, p, c, scale = drawn
    X, y, w, b = separable(seed, p)
    if y.all() or not y.any():
        return
    X, b = X * scale, b * scale
    learner = Perceptron(max_iter=30, intercept_scaling=c).fit(X, y, reference=(w, b))
    table = mistake_bounds(X, y, w, b, intercept_scaling=c, mistakes=learner.n_mistakes_, epochs=learner.n_iter_)
    rows = with_column(X, c)
    twin = mistake_bounds(rows, y, np.append(w, b / c), fit_intercept=False, epochs=learner.n_iter_)
    for name in ("novikoff", "freund-schapire", "hinge loss"):
        mine: Any = table.get(name)
        theirs = twin.get(name)
        assert mine.applies == theirs.applies
        assert not mine.applies or mine.value == pytest.approx(theirs.value)
    first = int(learner.trace_.mistakes[0])
    row: Any
    for row in table:
        if row.applies:
            assert (first if row.one_pass else learner.n_mistakes_) <= row.value * (1 + 1e-9)
    gamma = homogeneous_margin(X, y, w, b, intercept_scaling=c)
    assert gamma == pytest.approx(homogeneous_margin(rows, y, np.append(w, b / c)))
    k, b_k = learner.n_updates_, float(learner.intercept_[0])
    assert gamma <= margin_upper_bound(learner.coef_[0], b_k, k, intercept_scaling=c) * (1 + 1e-9)
    one, other = np.append(learner.coef_[0], b_k / c), np.append(w, b / c)
    assert learner.trace_.w_dot_reference[-1] == pytest.approx(one @ other)
    assert learner.trace_.cos[-1] == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    if learner.stop_reason_.value == "clean pass":
        margin = gamma * float(np.linalg.norm(other))
        bound = mixing_bound(learner, (X**2).sum(axis=1).max(), Hyperplane(w, b), margin)
        assert bound.value == pytest.approx(table.get("novikoff").value)
        assert ("c^2" in bound.formula) == (c != 1)


def test_formulas_and_conditions_name_the_constant() -> None:
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), [1, 0]
    table = mistake_bounds(X, y, [1.0, 0.0], intercept_scaling=0.5)
    assert [(row.value, row.formula) for row in table][:3] == [
        (1.25, "(R^2 + c^2) / gamma~^2"),
        (2.5, "2 (1 + c^2) / gamma^2"),
        (2.5, "2 (R^2 + c^2) / gamma^2"),
    ]
    far = mistake_bounds(X, y, [1.0, 0.0], 0.75, intercept_scaling=0.5).get("bounded bias")
    assert far.why == "the plane is 0.75 from the origin, more than 0.5"


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_guarantee_of_descent_is_that_of_the_column(fit_intercept: bool) -> None:
    X, y = whole_numbers(2, n=40)
    c, rows = 0.25, with_column(X, 0.25) if fit_intercept else X
    asked: Any = {"fit_intercept": fit_intercept, "intercept_scaling": c}
    learner = SGDClassifier(projection_radius=0.4, sampling="replacement", average=None, **asked).fit(X, y)
    assert learner.gradient_bound_ == pytest.approx(np.sqrt((rows**2).sum(axis=1).max()))
    assert np.linalg.norm([*learner.coef_[0], learner.intercept_[0] / c]) <= 0.4 * (1 + 1e-9)


# -------------------------------------------------------- receipts and replays
def test_the_receipt_states_bounds_that_hold() -> None:
    X, y, _, _ = separable(3, 2)
    learner = Perceptron(max_iter=None, intercept_scaling=0.25).fit(X, y)
    lines = dict(make_receipt(learner, X, y, seconds=None, held_out=None, prove=True).details)
    assert lines["c, the constant feature"] == "0.25"
    told = lines["bound: novikoff"]
    allowed = float(told.split(" of ")[1].split(" ")[0].replace(",", ""))
    assert "(R^2 + c^2) / gamma~^2" in told and learner.n_mistakes_ <= allowed


def test_replays_add_up_the_scaled_constant() -> None:
    X, y, *_ = separable(3, 2)
    learner = Perceptron(max_iter=None, intercept_scaling=0.25, trace="updates").fit(X, y)
    *_, (_, _, replayed) = learner.trace_.iter_weights(X, np.where(y, 1.0, -1.0))
    assert replayed == pytest.approx(learner.intercept_[0])
