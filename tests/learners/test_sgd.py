"""Stochastic gradient descent: losses, the ball, the twin, the guarantee, streams, probabilities, state."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

import naive
from drawn import integer_table
from linsep import load
from linsep.app.commands.fit import fit as fit_command
from linsep.kernels.linear.gradient import loss_slope, loss_value, shrinkage
from linsep.learners import Perceptron, SGDClassifier
from linsep.passes import LOSSES
from linsep.theory.bounds.losses import auto_eta0, gradient_bound, sgd_bound, training_loss
from linsep.types import DataError, PrecisionWarning

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
losses = st.sampled_from(LOSSES)
signs = st.sampled_from([-1.0, 1.0])


# ------------------------------------------------------------- losses and ball
@given(losses, signs, st.floats(-30, 30), st.floats(-30, 30))
def test_slopes_are_subgradients_and_finite_differences(loss: str, y: float, z: float, other: float) -> None:
    code = LOSSES.index(loss)
    value, slope = loss_value(code, y, z), loss_slope(code, y, z)
    assert value == pytest.approx(naive.loss(loss, y, z), rel=1e-12, abs=1e-300)
    assert slope == pytest.approx(naive.slope(loss, y, z), rel=1e-12)
    assert loss_value(code, y, other) >= value + slope * (other - z) - 1e-9 * (1 + abs(value))
    h = 1e-5
    if abs(y * z - (loss == "hinge")) > 2 * h or loss in ("logistic", "squared_hinge", "squared"):
        difference = (loss_value(code, y, z + h) - loss_value(code, y, z - h)) / (2 * h)
        assert slope == pytest.approx(difference, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("z", [-1e308, -800.0, 800.0, 1e308])
def test_the_logistic_loss_never_overflows(z: float) -> None:
    code = LOSSES.index("logistic")
    assert loss_value(code, 1.0, z) == max(0.0, -z)
    assert loss_slope(code, 1.0, z) == (-1.0 if z < 0 else 0.0)


def test_at_the_kinks_a_tie_is_a_mistake_and_a_margin_of_one_is_enough() -> None:
    assert [loss_slope(LOSSES.index(loss), 1.0, 0.0) for loss in LOSSES] == [-1.0, -1.0, -0.5, -2.0, -2.0]
    assert [loss_slope(LOSSES.index(loss), -1.0, -1.0) for loss in ("hinge", "squared_hinge", "squared")] == [0, 0, 0]


vectors = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).map(np.array)


@given(vectors, vectors, st.floats(1e-3, 1e3))
def test_projection_is_idempotent_and_brings_nothing_further_apart(u: Any, v: Any, radius: float) -> None:
    pu, pv = u * shrinkage(u @ u, radius), v * shrinkage(v @ v, radius)
    assert np.linalg.norm(pu) <= radius * (1 + 1e-12)
    np.testing.assert_allclose(pu * shrinkage(pu @ pu, radius), pu, rtol=1e-12)
    assert np.linalg.norm(pu - pv) <= np.linalg.norm(u - v) * (1 + 1e-12) + 1e-12
    if np.linalg.norm(u) <= radius:
        assert shrinkage(u @ u, radius) == 1.0
    else:  # the nearest point of the ball: its neighbours on the sphere are further away
        turned = pu + 1e-3 * v
        turned *= radius / max(float(np.linalg.norm(turned)), 1e-300)
        assert np.linalg.norm(u - pu) <= np.linalg.norm(u - turned) + 1e-9 * np.linalg.norm(u)


# ------------------------------------------------------------------------ twin
def table(seed: int, n: int = 60, n_classes: int = 2) -> tuple[Any, Any]:
    return integer_table(seed, n, 4, n_classes)


def plane(learner: Any, k: int = 0) -> Any:
    return np.append(learner.coef_[k], learner.intercept_[k])


@given(
    st.integers(0, 10**6),
    losses,
    st.sampled_from([None, 1e-3, 0.5, 5.0]),
    st.sampled_from(["eta", "uniform", None]),
    st.sampled_from(["constant", "invsqrt"]),
    st.sampled_from([None, 0.7]),
    st.booleans(),
    st.booleans(),
)
def test_equals_its_twin(
    seed: int,
    loss: str,
    radius: float | None,
    average: str | None,
    rate: str,
    clip: float | None,
    sparse: bool,
    weighted: bool,
) -> None:
    rng = np.random.RandomState(seed)
    X, y = rng.randn(60, 4), table(seed)[1]  # no margin is within rounding of a kink
    rng = np.random.RandomState(seed)
    weight = np.random.RandomState(seed + 1).randint(1, 4, 60).astype(float) if weighted else np.ones(60)
    rows = np.concatenate([rng.randint(60, size=60) for _ in range(3)])
    etas = 0.3 / np.sqrt(np.arange(1, 181)) if rate == "invsqrt" else np.full(180, 0.3)
    if loss.startswith("squared"):
        etas /= 10
    learner = SGDClassifier(
        loss, projection_radius=radius, average=average, learning_rate=rate, eta0=etas[0], clip_norm=clip,
        sampling="replacement", max_iter=3, random_state=seed,
    ).fit(sp.csr_matrix(X) if sparse else X, y, weight if weighted else None)  # fmt: skip
    A = np.column_stack([X, np.ones(60)])
    stored, last = naive.sgd(A, 2 * y - 1, rows, etas, loss, radius or math.inf, clip or math.inf, weight)
    expected = last if average is None else np.average(stored, axis=0, weights=etas if average == "eta" else None)
    np.testing.assert_allclose(plane(learner), expected, rtol=1e-10, atol=1e-12 * max(1, np.abs(stored).max()))
    assert learner.n_iter_ == 3
    assert learner.n_mistakes_ == sum((2 * y[i] - 1) * (w @ A[i]) <= 0 for i, w in zip(rows, stored, strict=True))


@quietly
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_on_the_perceptron_loss_it_is_the_perceptron_step_by_step(seed: int, epochs: int, sparse: bool) -> None:
    X, y = table(seed)
    X = sp.csr_matrix(X) if sparse else X
    same: Any = {"max_iter": epochs, "trace": "updates"}
    learner = SGDClassifier("perceptron", eta0=1.0, average=None, shuffle=False, **same).fit(X, y)
    plain = Perceptron(**same).fit(X, y)
    np.testing.assert_array_equal(plane(learner), plane(plain))
    np.testing.assert_array_equal(learner.trace_.update_rows, plain.trace_.update_rows)
    for column in ("epoch", "mistakes", "updates", "norm_w", "b", "bits"):
        np.testing.assert_array_equal(getattr(learner.trace_, column), getattr(plain.trace_, column))
    assert learner.stop_reason_ == plain.stop_reason_


def test_a_run_worked_by_hand() -> None:
    # Hinge, eta = 1/2, B = 1, no intercept. Row (2, 0)+: z = 0 < 1, w = (1, 0), on the sphere. Row (0, 2)-: z = 0,
    # w = (1, -1), back to (1, -1)/sqrt 2. Row (2, 0)+: y z = sqrt 2, nothing. The mean of the vectors before each
    # step is ((0, 0) + (1, 0) + (1, -1)/sqrt 2) / 3.
    X, y = np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 0.0]]), [1, 0, 1]
    learner = SGDClassifier(projection_radius=1.0, eta0=0.5, fit_intercept=False, shuffle=False, max_iter=1)
    r = math.sqrt(0.5)
    np.testing.assert_allclose(learner.fit(X, y).coef_[0], [(1 + r) / 3, -r / 3], rtol=1e-15)
    np.testing.assert_allclose(learner.set_params(average=None).fit(X, y).coef_[0], [r, -r], rtol=1e-15)
    assert (learner.n_mistakes_, learner.n_updates_) == (2, 2)
    # Steps 1/2, 1/(2 sqrt 2), 1/(2 sqrt 3) weigh the same vectors.
    falling = learner.set_params(average="eta", learning_rate="invsqrt").fit(X, y)
    length = math.hypot(1.0, r)
    third = np.array([1.0, -r]) / length  # (1, -2 eta_2) before it is put back
    weights = 1 / np.sqrt([1, 2, 3])
    np.testing.assert_allclose(
        falling.coef_[0], (weights[1] * np.array([1.0, 0]) + weights[2] * third) / weights.sum(), rtol=1e-14
    )


# ------------------------------------------------------------ sparse rows, the ball
def test_dense_and_sparse_rows_agree() -> None:
    X, y = table(3, n=300, n_classes=3)
    learner = SGDClassifier("logistic", projection_radius=0.5, eta0=0.5, learning_rate="invsqrt", max_iter=1)
    whole, sparse = (clone(learner).set_params(random_state=0).fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(sparse.coef_, whole.coef_, rtol=1e-12, atol=1e-14)


def test_the_scale_is_put_back_long_before_it_underflows() -> None:
    # Steps of length 50 onto a ball of radius 1e-3: every one shrinks w by more than 10^4, and does so 2,000 times.
    X, y = table(1, n=200)
    learner = SGDClassifier("perceptron", projection_radius=1e-3, eta0=10.0, average="uniform", shuffle=False)
    learner.fit(X, y)
    A = np.column_stack([X, np.ones(200)])
    rows = np.tile(np.arange(200), 10)
    stored, _ = naive.sgd(A, 2 * y - 1, rows, np.full(2000, 10.0), "perceptron", 1e-3, math.inf, np.ones(200))
    np.testing.assert_allclose(plane(learner), stored.mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_ball_holds_after_very_many_steps(dtype: Any) -> None:
    rng = np.random.RandomState(0)
    X, y = rng.randn(500, 3).astype(dtype), rng.randint(0, 2, 500)
    learner = SGDClassifier(projection_radius=0.01, eta0=1.0, average=None, max_iter=200, random_state=0).fit(X, y)
    assert np.linalg.norm(plane(learner)) <= 0.01 * (1 + 1e-5)
    assert learner.coef_.dtype == dtype
    assert learner.set_params(average="eta").fit(X, y).coef_.dtype == np.float64


# ------------------------------------------------------------------- guarantee
def allowed(B: float, G: float, steps: int, **how: Any) -> float:
    value = sgd_bound(B, G, steps, **how).value
    assert value is not None
    return value


def test_bounds_worked_by_hand() -> None:
    # Two steps of 1 and 1/sqrt 2, B = 1, G = 2: (1 + 4 (1 + 1/2)) / (2 (1 + 1/sqrt 2)).
    falling = allowed(1.0, 2.0, 2, eta0=1.0, learning_rate="invsqrt")
    assert falling == pytest.approx(7 / (2 + math.sqrt(2)))
    uniform = allowed(1.0, 2.0, 2, eta0=1.0, learning_rate="invsqrt", average="uniform")
    assert uniform == pytest.approx((1 + 4 * (math.sqrt(2) - 1) + 4 * (1 + math.sqrt(0.5))) / 4)
    assert allowed(3.0, 2.0, 9, eta0=auto_eta0(3.0, 2.0, 9)) == pytest.approx(3.0 * 2.0 / 3)
    assert not sgd_bound(None, 2.0, 2, eta0=1.0).applies
    assert "mean" in sgd_bound(1.0, 2.0, 2, eta0=1.0, average=None).why
    with pytest.raises(DataError, match="give max_iter"):
        auto_eta0(1.0, 1.0, None)


@given(st.integers(1, 3000), st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.01, 10))
def test_the_best_constant_step_and_no_other(steps: int, B: float, G: float, eta0: float) -> None:
    best = allowed(B, G, steps, eta0=auto_eta0(B, G, steps))
    assert best == pytest.approx(B * G / math.sqrt(steps))
    assert allowed(B, G, steps, eta0=eta0) >= best * (1 - 1e-12)
    t = np.arange(1, steps + 1)
    etas = eta0 / np.sqrt(t)
    exact = (B**2 + G**2 * (etas**2).sum()) / (2 * etas.sum())
    assert allowed(B, G, steps, eta0=eta0, learning_rate="invsqrt") == pytest.approx(exact)


def test_sums_of_very_many_steps_are_on_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = {}
    for average in ("eta", "uniform"):
        exact[average] = allowed(1.0, 1.0, 5000, eta0=1.0, learning_rate="invsqrt", average=average)
    monkeypatch.setattr("linsep.theory.bounds.losses._ONE_BY_ONE", 100)
    for average, value in exact.items():
        loose = allowed(1.0, 1.0, 5000, eta0=1.0, learning_rate="invsqrt", average=average)
        assert value < loose < 1.01 * value


@given(losses, vectors, vectors, signs, st.floats(0.1, 10))
def test_no_subgradient_in_the_ball_is_longer_than_its_bound(
    loss: str, w: Any, x: Any, y: float, radius: float
) -> None:
    w, x = w * shrinkage(w @ w, radius), x / 100
    g = abs(naive.slope(loss, y, float(w @ x))) * np.linalg.norm(x)
    assert g <= gradient_bound(loss, float(np.linalg.norm(x)), radius) * (1 + 1e-12)


def noisy(seed: int, n: int = 150) -> tuple[Any, Any]:
    return make_classification(n, 5, n_informative=3, n_redundant=0, flip_y=0.2, random_state=seed)


def least_loss(X: Any, y: Any, loss: str, radius: float) -> float:
    """The least mean loss in the ball, as SciPy finds it: not above any that a run reaches but for its tolerance."""

    def value(v: Any) -> float:
        return training_loss(X, y, v[:-1], v[-1], loss)

    ball: Any = {"type": "ineq", "fun": lambda v: radius**2 - v @ v}
    return float(scipy.optimize.minimize(value, np.zeros(6), method="SLSQP", constraints=ball).fun)


@pytest.mark.parametrize(
    ("loss", "rate", "average"),
    [*((loss, "constant", "eta") for loss in LOSSES), ("hinge", "invsqrt", "eta"), ("logistic", "invsqrt", "uniform")],
)
def test_the_guarantee_holds_in_the_mean_of_many_runs(loss: str, rate: str, average: str) -> None:
    for radius, max_iter in ((0.5, 1), (3.0, 4)):
        X, y = noisy(1)
        least = least_loss(X, y, loss, radius)
        learner = SGDClassifier(
            loss, projection_radius=radius, learning_rate=rate, average=average, sampling="replacement",
            max_iter=max_iter,
        )  # fmt: skip
        excess = []
        for seed in range(40):
            learner.set_params(random_state=seed).fit(X, y)
            excess.append(training_loss(X, y, learner.coef_[0], learner.intercept_[0], loss) - least)
        bound = learner.excess_bound_
        assert bound.applies and bound.value is not None
        assert np.mean(excess) <= bound.value
        if rate == "constant":
            T = 150 * max_iter
            assert bound.value == pytest.approx(radius * learner.gradient_bound_ / math.sqrt(T))


def test_the_bound_is_within_a_factor_of_two_of_a_run() -> None:
    # Rows 1 and -1 on the line, hinge, B = 1: the loss is 1 - w, and T steps of 1/sqrt T need sqrt T of them to get
    # from 0 to 1. The mean of the way is half the bound.
    X = np.ones((100, 1))
    learner = SGDClassifier(projection_radius=1.0, fit_intercept=False, sampling="replacement", max_iter=1)
    learner.fit(np.vstack([X, -X]), np.repeat([1, 0], 100))
    excess = 1 - learner.coef_[0, 0]
    assert learner.excess_bound_.value == pytest.approx(1 / math.sqrt(200))
    assert 0.4 < excess / learner.excess_bound_.value < 0.6


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"sampling": "epochs"}, "independently"),
        ({"projection_radius": None}, "not projected"),
        ({"average": None}, "not the last one"),
        ({"clip_norm": 0.5}, "clipped at 0.5"),
    ],
)
def test_no_guarantee_and_why(parameters: Any, why: str) -> None:
    learner = SGDClassifier(projection_radius=1.0, sampling="replacement").set_params(**parameters)
    bound = learner.fit(*noisy(0)).excess_bound_
    assert not bound.applies
    assert bound.value is None
    assert why in bound.why


def test_no_guarantee_for_what_did_not_start_from_zero() -> None:
    X, y = noisy(0)
    learner = SGDClassifier(projection_radius=1.0, sampling="replacement", eta0=0.1, warm_start=True, clip_norm=1e9)
    assert learner.fit(X, y).excess_bound_.applies
    assert "warm start" in learner.fit(X, y).excess_bound_.why
    learner = clone(learner).fit(X, y)
    assert "in parts" in learner.partial_fit(X, y).excess_bound_.why


# --------------------------------------------------------------------- streams


def test_a_stream_wants_a_step_size_and_says_so() -> None:
    X, y = noisy(0)
    assert not hasattr(SGDClassifier(), "partial_fit")
    with pytest.raises(AttributeError) as caught:
        SGDClassifier().partial_fit(X, y, classes=[0, 1])
    assert "give eta0 as a number" in str(caught.value.__cause__)
    fitted = SGDClassifier(random_state=0).fit(X, y)
    assert fitted.set_params(eta0=fitted.eta0_).partial_fit(X, y).n_iter_ == 11


# --------------------------------------------------------------- probabilities
def test_probabilities() -> None:
    X, y = noisy(2, n=2000)
    learner = SGDClassifier("logistic", projection_radius=5.0, max_iter=20, random_state=0).fit(X, y)
    P = learner.predict_proba(X)
    np.testing.assert_allclose(P[:, 1], 1 / (1 + np.exp(-learner.decision_function(X))))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert abs(P[:, 1].mean() - y.mean()) < 0.03
    assert not hasattr(SGDClassifier(), "predict_proba")
    X, y = load_iris(return_X_y=True)
    learner = SGDClassifier("logistic", projection_radius=50.0, max_iter=200, random_state=0).fit(X, y)
    P = learner.predict_proba(np.vstack([X, 1e6 * X]))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(learner.classes_[P[:150].argmax(axis=1)], learner.predict(X))
    assert learner.score(X, y) > 0.85


# ---------------------------------------------------------------- bad input, state


def test_steps_too_small_for_the_dtype_warn() -> None:
    X, y = np.array([[1.0], [1.0], [1e-12]], dtype=np.float32), [1, 1, 0]
    with pytest.warns(PrecisionWarning, match="float32"):
        SGDClassifier("perceptron", eta0=1.0, average=None, fit_intercept=False, shuffle=False, max_iter=5).fit(X, y)


# ------------------------------------------------------------------ scikit-learn


# ------------------------------------------------------------------ command line
def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,kind\n" + "1,k0\n2,k1\n3,k2\n" * 5)
    common: Any = {"target": "kind", "positive": None, "max_iter": 2, "time_limit": None, "holdout": 0.0}
    asked: Any = {"model": tmp_path / "m", "learner": "sgd", **common}
    result = fit_command(str(tmp_path / "t.csv"), loss="logistic", projection_radius="none", **asked)
    learner = load(tmp_path / "m").learner_
    assert (learner.projection_radius, result.data["guaranteed_excess"], len(result.data["loss"])) == (None, None, 3)
    with pytest.raises(DataError, match="no loss called 'log'"):
        fit_command(str(tmp_path / "t.csv"), loss="log", **asked)
    with pytest.raises(DataError, match="projection_radius is not a parameter of --learner perceptron"):
        fit_command(str(tmp_path / "t.csv"), projection_radius=1.0, **asked | {"learner": "perceptron"})
