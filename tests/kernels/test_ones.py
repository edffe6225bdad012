"""Rows of ones are read without their entries: other code, the same bits."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit
from sklearn.base import clone

from linsep.kernels.rows import are_ones, row_axpy, row_count, row_dot, row_norm2
from linsep.learners import AveragedPerceptron, MarginPerceptron, PassiveAggressive, Perceptron
from linsep.learners.base import linear_learner as epochs
from linsep.types import Array, OnesCSR


@njit
def one_of_each(X: Any, w: Array, moved: Array) -> tuple[int, Array, Array, bool]:
    """What the four functions of rows say: how many, w.x, ||x||^2, and w + 2 x of each row in `moved`."""
    n = row_count(X)
    dots, norms, changed = np.empty(n), np.empty(n), False
    for i in range(n):
        dots[i] = row_dot(X, i, w)
        norms[i] = row_norm2(X, i)
        changed |= row_axpy(X, i, 2.0, moved[i])
    return n, dots, norms, changed


def rows_of_every_length(longest: int) -> sp.csr_matrix:
    """Rows of 0, 1, ... ones, each in columns of its own choice."""
    rng = np.random.default_rng(0)
    D = np.zeros((longest + 1, longest + 3))
    for length, row in enumerate(D):
        row[rng.permutation(longest + 3)[:length]] = 1.0
    return sp.csr_matrix(D)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_ones_of_any_length(dtype: type) -> None:
    X = rows_of_every_length(14)
    D = X.toarray()
    w: Array = np.random.default_rng(1).integers(-50, 50, D.shape[1]).astype(dtype)
    moved = np.tile(w, (len(D), 1))
    n, dots, norms, changed = one_of_each(OnesCSR(X.indices, X.indptr), w, moved)
    assert n == len(D) and changed
    assert dots.tolist() == (D @ w).tolist()
    assert norms.tolist() == list(range(15))
    assert moved.tolist() == (w + 2 * D).tolist()


def test_ones_are_ones() -> None:
    for size in (0, 1, 1023, 1024, 1025, 5000):
        assert are_ones(np.ones(size, np.float32)) is True
        for where in {0, size // 2, size - 1} if size else ():
            values = np.ones(size)
            for other in (0.0, -1.0, np.nextafter(1.0, 2.0), np.nan):
                values[where] = other
                assert are_ones(values) is False


def words(n: int = 400, p: int = 60) -> tuple[sp.csr_matrix, Array]:
    """Rows of ones and labels that a plane gives to all but a few."""
    rng = np.random.default_rng(0)
    D = (rng.random((n, p)) < 0.2).astype(float)
    return sp.csr_matrix(D), (D @ rng.normal(size=p) + 0.1 * rng.normal(size=n) > 0).astype(int)


def both_ways(monkeypatch: pytest.MonkeyPatch, learner: Any, X: Any, y: Array, **given: Any) -> tuple[Any, Any, bool]:
    """The learner fitted with entries and, where it does so at all, without them; and whether it did."""
    seen = []
    prepare = type(learner).prepare

    def noting(self: Any, rows: Any) -> Any:
        memory = prepare(self, rows)
        seen.append(isinstance(getattr(memory, "X", memory), OnesCSR))
        return memory

    monkeypatch.setattr(type(learner), "prepare", noting)
    plain = clone(learner).fit(X, y, **given)
    monkeypatch.setattr(epochs, "_MANY", 1)
    other = clone(learner).fit(X, y, **given)
    assert len(seen) == 2 and not seen[0]
    return plain, other, seen[1]


WEIGHT = np.random.default_rng(0).random(400)
SINGLE, DOUBLE = np.float32, np.float64


# A step rule with a type of numbers is a program of its own, compiled with and without entries: they take turns.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("learner", "dtype", "weight"),
    [
        (Perceptron(fit_intercept=False), DOUBLE, None),
        (Perceptron(shuffle=True), DOUBLE, None),
        (Perceptron(), DOUBLE, WEIGHT),
        (Perceptron(class_weight={0: 0.3}), DOUBLE, None),
        (Perceptron(intercept_scaling=0.3), DOUBLE, None),
        (MarginPerceptron(), DOUBLE, None),
        (AveragedPerceptron(), SINGLE, None),
        (AveragedPerceptron(shuffle=False, fit_intercept=False), SINGLE, WEIGHT),
        (PassiveAggressive(shuffle=False), DOUBLE, None),
        (PassiveAggressive(variant="pa2", C=0.1, fit_intercept=False), SINGLE, None),
    ],
)
def test_a_run_over_ones_has_the_bits_of_one_that_reads_them(
    monkeypatch: pytest.MonkeyPatch, learner: Any, dtype: type, weight: Any
) -> None:
    monkeypatch.setattr(Perceptron, "_skip_from", 0)  # with skipping, too
    monkeypatch.setattr(Perceptron, "_skipping_pays", lambda self, rows, mistakes: True)
    X, y = words()
    learner.set_params(max_iter=60, random_state=0, trace="updates")
    plain, other, without = both_ways(monkeypatch, learner, X.astype(dtype), y, sample_weight=weight)
    assert without
    assert plain.trace_.skipped.any() == (type(learner) is Perceptron)
    assert other.coef_.tobytes() == plain.coef_.tobytes()
    assert other.intercept_.tobytes() == plain.intercept_.tobytes()
    for column in ("mistakes", "updates", "dots", "absorbed", "norm_w", "b", "bits"):
        assert getattr(other.trace_, column).tobytes() == getattr(plain.trace_, column).tobytes()
    assert other.trace_.update_rows.tolist() == plain.trace_.update_rows.tolist()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("altered", [lambda X: X * 2, lambda X: X.toarray()])
def test_other_entries_are_read(monkeypatch: pytest.MonkeyPatch, altered: Any) -> None:
    X, y = words()
    assert not both_ways(monkeypatch, Perceptron(max_iter=3), altered(X), y)[2]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_come_one_by_one_or_as_ones_with_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epochs, "_MANY", 1)
    X, y = words()
    at_once = Perceptron(max_iter=1).fit(X, y)
    one_by_one = Perceptron()
    for i in range(X.shape[0]):
        one_by_one.partial_fit(X[[i]], y[[i]], classes=[0, 1])
    assert at_once.coef_.tobytes() == one_by_one.coef_.tobytes()
