"""The plain perceptron: against its naive twin, scikit-learn, its theorems and bad input."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import naive
from linsep.learners import Perceptron
from linsep.types import DataError, StopReason
from walked import files_called

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def updates_of(learner: Perceptron) -> list[tuple[int, int]]:
    return list(zip(learner.trace_.update_epochs.tolist(), learner.trace_.update_rows.tolist(), strict=True))


def breast_cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def opening_story() -> Perceptron:
    return Perceptron(max_iter=None).fit(*breast_cancer())


def test_breast_cancer_is_separable_after_all(opening_story: Perceptron) -> None:
    X, y = breast_cancer()
    assert opening_story.stop_reason_ is StopReason.CLEAN_PASS
    assert (opening_story.n_iter_, opening_story.n_mistakes_) == (217_171, 1_757_361)
    assert opening_story.score(X, y) == 1.0
    assert abs(linear_model.Perceptron().fit(X, y).score(X, y) - 0.979) < 0.002


def test_skipping_saves_eight_dot_products_in_nine(opening_story: Perceptron) -> None:
    assert opening_story.n_iter_ * 569 >= 8 * opening_story.trace_.total_dots


# ------------------------------------------------------------------ naive twin
tables = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["random", "integer", "near-tie", "scaled", "tiny", "huge"]),
        "n": st.integers(2, 40),
        "p": st.integers(1, 9),
        "seed": st.integers(0, 2**32 - 1),
        "dtype": st.sampled_from([np.float64, np.float32]),
        "intercept": st.booleans(),
    }
)


def make_table(kind: str, n: int, p: int, seed: int, dtype: Any) -> tuple[Any, Any]:
    rng = np.random.RandomState(seed)
    X = rng.randn(n, p)
    if kind == "integer":
        X = rng.randint(-3, 4, (n, p)).astype(float)
    elif kind == "near-tie":  # rows in nearly opposite pairs: margins of the order of rounding errors
        X[1::2] = X[: n // 2 * 2 : 2] * (1 + rng.choice([0, 1e-16, 1e-15, 1e-8], (n // 2, 1)))
    elif kind == "scaled":
        X *= 10.0 ** rng.randint(-8, 9, (1, p)) * 10.0 ** rng.randint(-6, 7, (n, 1))
    elif kind == "tiny":
        X *= 10.0 ** rng.randint(-320 if dtype is np.float64 else -44, 1, (n, p))
    elif kind == "huge":
        X *= 10.0 ** rng.randint(0, 150 if dtype is np.float64 else 17, (n, p))
    y = np.where(rng.rand(n) < 0.5, 1, -1)
    y[:2] = 1, -1
    return X.astype(dtype), y


class EagerPerceptron(Perceptron):
    """Skips from the second pass on, until it has lost more than it may."""

    _skip_below = 1.0
    _skip_from = 0

    def _skipping_pays(self, rows: Any, mistakes: float) -> bool:
        return True


class PlainPerceptron(Perceptron):
    """Never skips."""

    def prepare(self, rows: Any) -> None:
        return None


@quietly
@pytest.mark.filterwarnings("ignore::linsep.types.PrecisionWarning")
@given(tables, st.sampled_from([1.0, 1.0, 0.01, 3.7, 1e-15, 1e15]))
def test_skipping_equals_plain_mistake_by_mistake(t: dict[str, Any], c: float) -> None:
    X, y = make_table(t["kind"], t["n"], t["p"], t["seed"], t["dtype"])
    asked: dict[str, Any] = {"fit_intercept": t["intercept"], "intercept_scaling": c}
    fast = EagerPerceptron(max_iter=60, trace="updates", **asked).fit(X, y)
    plain = PlainPerceptron(max_iter=fast.n_iter_, **asked).fit(X, y)
    assert fast.n_mistakes_ == plain.n_mistakes_
    np.testing.assert_array_equal(fast.coef_, plain.coef_)
    np.testing.assert_array_equal(fast.intercept_, plain.intercept_)


@quietly
@given(tables)
def test_equals_the_naive_twin_mistake_by_mistake(t: dict[str, Any]) -> None:
    kind = "integer" if t["kind"] != "random" else "random"  # sums in any order agree on these
    X, y = make_table(kind, t["n"], t["p"], t["seed"], np.float64)
    learner = EagerPerceptron(max_iter=60, fit_intercept=t["intercept"], trace="updates").fit(X, y)
    twin = naive.perceptron(X, y, learner.n_iter_, intercept=t["intercept"])
    assert updates_of(learner) == twin.updates
    if kind == "integer":
        np.testing.assert_array_equal(learner.coef_[0], twin.w)
    assert (learner.stop_reason_ is StopReason.CLEAN_PASS) == twin.clean


def noise(n: int) -> tuple[Any, Any]:
    """Rows of two classes that overlap: a pass makes some 4 % mistakes, and w moves far in each."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 40))
    X[:, 0] += 4 * y - 2
    return X, y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_skipping_does_not_begin_where_it_would_not_pay() -> None:
    class Early(Perceptron):
        _skip_from = 0

    X, y = noise(2000)
    learner = Early(max_iter=30).fit(X, y)
    assert (learner.trace_.mistakes[1:] < len(y) / 16).any()
    assert learner.trace_.total_dots == 30 * len(y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_skipping_that_does_not_pay_ends_for_good() -> None:
    X, y = noise(2000)
    learner = EagerPerceptron(max_iter=30).fit(X, y)
    assert 30 * len(y) < learner.trace_.total_dots <= 32 * len(y)
    assert (learner.trace_.dots[5:] == len(y)).all()


# ---------------------------------------------------------------- scikit-learn
@quietly
@pytest.mark.parametrize("k", range(1, 21))
@pytest.mark.parametrize("exact", [True, False])
def test_equals_scikit_learn(k: int, exact: bool) -> None:
    rng = np.random.RandomState(k)
    X = rng.randint(-5, 6, (300, 12)).astype(float) if exact else rng.randn(300, 12)
    y = np.where(X @ rng.randn(12) + rng.randn(300) > 0.3, "yes", "no")
    ours = Perceptron(max_iter=k).fit(X, y)
    theirs = linear_model.Perceptron(shuffle=False, tol=None, max_iter=k).fit(X, y)
    if exact:
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)
    else:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)


# --------------------------------------------------------- chunks, dense, CSR
@quietly
@given(st.integers(0, 10**6), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_dense_csr_and_chunks_agree_to_the_bit(seed: int, dtype: Any, exact: bool) -> None:
    rng = np.random.RandomState(seed)
    X = rng.randint(-2, 3, (60, 7)) * (1.0 if exact else rng.rand(60, 7))
    X = X.astype(dtype)
    y = np.where(rng.rand(60) < 0.4, "b", "a")
    y[:2] = "a", "b"
    whole = Perceptron(max_iter=3).fit(X, y)
    n = whole.n_iter_
    for rows in (X, sp.csr_matrix(X), sp.csr_array(X)):
        chunked = Perceptron()
        for _ in range(n):
            cuts = np.sort(rng.choice(np.arange(1, 60), rng.randint(0, 8), replace=False))
            for part in np.split(np.arange(60), cuts):
                chunked.partial_fit(rows[part], y[part], classes=["a", "b"])
        same_format = Perceptron(max_iter=n).fit(rows, y)
        np.testing.assert_array_equal(chunked.coef_, same_format.coef_)
        np.testing.assert_array_equal(chunked.intercept_, same_format.intercept_)
        if exact:
            np.testing.assert_array_equal(chunked.coef_, whole.coef_)
            assert same_format.coef_.dtype == dtype


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_index_dtypes(index: Any) -> None:
    X = sp.csr_matrix(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0], [4.0, 1.0]]))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    learner = Perceptron().fit(X, [0, 1, 0, 1])
    assert learner.score(X, [0, 1, 0, 1]) == 1.0


def test_a_fit_takes_few_calls() -> None:
    pytest.importorskip("sklearn", minversion="1.8")  # older ones ask a learner for its tags more often
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert len(files_called(lambda: Perceptron().fit(rows, [0, 1, 1, 1]))) <= 50


# -------------------------------------------------------------------- theorems
@given(st.integers(2, 60), st.integers(1, 6), st.integers(0, 10**6), st.floats(0.05, 0.6), st.booleans())
def test_novikoff_holds_at_every_mistake(n: int, p: int, seed: int, gap: float, intercept: bool) -> None:
    rng = np.random.RandomState(seed)
    star = rng.randn(p + 1) * np.append(np.ones(p), intercept)
    star /= np.linalg.norm(star)
    X = rng.randn(4 * n, p)
    z = X @ star[:-1] + star[-1]
    X, z = X[np.abs(z) > gap], z[np.abs(z) > gap]
    if len(set(np.sign(z))) < 2:
        return
    y = np.sign(z)
    learner = Perceptron(max_iter=None, fit_intercept=intercept, trace="updates")
    learner.fit(X, y, reference=(star[:-1], star[-1]))
    gamma, R2 = np.abs(z).min(), (X**2).sum(axis=1).max() + intercept
    assert learner.n_mistakes_ <= R2 / gamma**2
    slack = 1e-9
    for k, (_, w, b) in enumerate(learner.trace_.iter_weights(X, y), start=1):
        v = np.append(w, b * intercept)
        assert v @ star >= k * gamma - slack
        assert v @ v <= k * R2 + slack
        assert v @ star / np.linalg.norm(v) >= np.sqrt(k) * gamma / np.sqrt(R2) - slack
    assert np.isclose(learner.trace_.w_dot_reference[-1], v @ star)
    assert np.isclose(learner.trace_.cos[-1], v @ star / np.linalg.norm(v))


# --------------------------------------------------------- weights and classes
@quietly
@given(st.integers(0, 10**6))
def test_weighted_updates_equal_the_naive_twin(seed: int) -> None:
    rng = np.random.RandomState(seed)
    X, y = rng.randint(-4, 5, (30, 4)).astype(float), rng.choice([-1, 1], 30)
    y[:2] = 1, -1
    weight = rng.randint(1, 5, 30).astype(float)
    twin = naive.perceptron(X, y, 30, weight=weight)
    learner = Perceptron(max_iter=30, trace="updates").fit(X, y, sample_weight=weight)
    assert updates_of(learner) == twin.updates
    np.testing.assert_array_equal(learner.coef_[0], twin.w)


@quietly
def test_shuffling_depends_only_on_the_seed() -> None:
    rng = np.random.RandomState(0)
    X, y = rng.randn(700, 5), rng.choice([0, 1], 700)
    a, b, c = (Perceptron(max_iter=4, shuffle=True, random_state=s).fit(X, y) for s in (1, 1, 2))
    np.testing.assert_array_equal(a.coef_, b.coef_)
    assert (a.coef_ != c.coef_).any()


# ------------------------------------------------------------------- stopping
def test_budget_warns_with_numbers_and_the_next_step() -> None:
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match=r"50 epochs.*last pass made \d mistakes on 4 rows.*separability"):
        learner = Perceptron(max_iter=50).fit(X, y)
    assert learner.stop_reason_ is StopReason.EPOCH_BUDGET
    with pytest.warns(ConvergenceWarning, match="when the time allowed was over"):
        Perceptron(max_iter=None, time_limit=0.01).fit(X, y)


def test_warm_start_goes_on() -> None:
    X, y = breast_cancer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = Perceptron(max_iter=20).fit(X, y)
        half = Perceptron(max_iter=10, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(whole.coef_, half.coef_)


def test_trace_is_bounded_and_keeps_the_last_epoch(opening_story: Perceptron) -> None:
    trace = opening_story.trace_
    assert trace.epoch[-1] == 217_171
    assert trace.epoch[:64].tolist() == list(range(1, 65))
    assert len(trace) < 64 * (2 + np.log(217_171 / 64))
    assert trace.mistakes[-1] == 0
    assert trace.mistakes[0] > 0
    assert (np.diff(trace.seconds) >= 0).all()


# ------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 0], "every label is"),
        ([[1.0], [np.nan]], [0, 1], "NaN"),
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        (np.empty((0, 2)), [], "0 sample"),
        (np.empty((2, 0)), [0, 1], "0 feature"),
        ([[1.0], [2.0]], [0, 1, 1], "inconsistent numbers of samples"),
        ([[1.0], [2.0]], [0.5, 1.7], "Unknown label type: 0.5"),
    ],
)
def test_bad_input_changes_nothing(X: Any, y: Any, message: str) -> None:
    learner = Perceptron().fit([[1.0, 0.0], [-1.0, 0.0]], [1, 0])
    before = learner.__dict__.copy()
    with pytest.raises(ValueError, match=message):
        learner.fit(X, y)
    assert learner.__dict__.keys() == before.keys()
    assert all(learner.__dict__[k] is v for k, v in before.items())


def test_partial_fit_refuses_unknown_labels() -> None:
    with pytest.raises(ValueError, match="classes must be passed"):
        Perceptron().partial_fit([[1.0]], [1])
    learner = Perceptron().partial_fit([[1.0]], [1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"row 1 .counted from 0.: label 7"):
        learner.partial_fit([[1.0], [2.0]], [1, 7])
    assert learner.t_ == 1


# ----------------------------------------------------------------------- cache
_SECOND_PROCESS = """
import numpy as np, scipy.sparse as sp, sys, warnings
warnings.simplefilter("ignore")
from linsep.learners import Perceptron
rng = np.random.RandomState(0)
X, y = rng.randn(40, 3), np.arange(40) % 2
for rows in (X, X.astype("f"), sp.csr_matrix(X)):
    Perceptron(max_iter=3).fit(rows, y).partial_fit(rows, y)
modules = [module for name, module in sys.modules.items() if name.startswith("linsep.kernels.")]
kernels = {id(k): k for module in modules for k in vars(module).values() if hasattr(k, "stats")}.values()
print(sum(sum(k.stats.cache_misses.values()) for k in kernels), sum(sum(k.stats.cache_hits.values()) for k in kernels))
"""


def test_a_second_process_compiles_nothing() -> None:
    for _ in range(2):
        out = subprocess.run([sys.executable, "-c", _SECOND_PROCESS], capture_output=True, text=True, check=True)
    misses, hits = map(int, out.stdout.split())
    assert misses == 0
    assert hits >= 3


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_rows_to_predict_are_refused_unless_finite(n_classes: int, bad: float) -> None:
    """What sparse rows hold is looked at in their decision values, where no such entry can hide."""
    X: Any = sp.random(30, 8, 0.4, format="csr", random_state=0)
    learner = Perceptron(max_iter=2, random_state=0).fit(X, np.arange(30) % n_classes)
    learner.coef_[:, :4] = 0.0  # 0 x infinity is no number either
    learner.coef_[:, 4:] = -1e308
    for k in range(X.nnz):
        changed = X.copy()
        changed.data[k] = bad
        with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
            learner.predict(changed)
    with np.errstate(over="ignore"):
        assert learner.decision_function(100 * X).shape[0] == 30  # values that overflow are not refused


def test_a_run_that_a_row_of_zeros_would_keep_up_for_ever_is_refused() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.5]])
    for rows in (X, sp.csr_matrix(X)):
        with pytest.raises(DataError, match=r"row 0 .counted from 0. is all zeros, and without an intercept"):
            Perceptron(max_iter=None, fit_intercept=False).fit(rows, [1, 1, 0])
        with pytest.warns(ConvergenceWarning):
            Perceptron(max_iter=5, fit_intercept=False).fit(rows, [1, 1, 0])
