"""Shuffled passes over rows of ones in whole numbers: the same updates as in floating point, to the last bit."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from linsep.kernels.linear.epoch import Rows, plain_epochs
from linsep.kernels.linear.whole_numbers import whole_epoch
from linsep.kernels.records import RECORD
from linsep.learners import Perceptron
from linsep.learners.base import epochs
from linsep.learners.linear import perceptron
from linsep.types import Array, OnesCSR


def rows_of_ones(seed: int, n: int, p: int, share: float) -> Rows:
    """Rows with ones in a share of the columns, some rows without any, labels at random and an order."""
    rng = np.random.default_rng(seed)
    X = sp.csr_matrix((rng.random((n, p)) < share).astype(float))
    return Rows(OnesCSR(X.indices, X.indptr), rng.choice([-1.0, 1.0], n), order=rng.permutation(n).astype(np.int32))


def naive(rows: Rows, w: Array, b: float, intercept: float) -> tuple[Array, float, int]:
    """The same pass in Python's own whole numbers."""
    weights, b, mistakes = [int(v) for v in w], int(b), 0
    for i in rows.order.tolist():
        columns = rows.X.indices[rows.X.indptr[i] : rows.X.indptr[i + 1]].tolist()
        label = int(rows.y[i])
        if label * (sum(weights[j] for j in columns) + b) <= 0:
            mistakes += 1
            b += int(intercept) * label
            for j in columns:
                weights[j] += label
    return np.array(weights), b, mistakes


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 60),
    p=st.integers(1, 12),
    share=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    intercept=st.sampled_from([0.0, 1.0, 9.0]),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_a_pass_is_that_of_floating_point_and_of_a_naive_twin(
    seed: int, n: int, p: int, share: float, intercept: float, dtype: type
) -> None:
    rows = rows_of_ones(seed, n, p, share)
    w: Array = np.random.default_rng(seed).integers(-3, 4, p).astype(dtype)
    b: Array = np.array([2 * bool(intercept)], dtype)
    expected, b_expected, mistakes = naive(rows, w, b[0], intercept)
    w_plain, b_plain = w.copy(), b.copy()
    record, record_plain = np.zeros((1, len(RECORD))), np.zeros((1, len(RECORD)))
    reference = np.ones(p + 1)
    assert whole_epoch(rows, w, b, intercept, np.empty(p, np.int64), reference, record)
    plain_epochs(rows, 0.0, w_plain, b_plain, intercept, None, 0, reference, record_plain, 0)
    assert w.tolist() == expected.tolist() and b[0] == b_expected and record[0, RECORD.mistakes] == mistakes
    assert w.tobytes() == w_plain.tobytes() and b.tobytes() == b_plain.tobytes()
    assert record.tobytes() == record_plain.tobytes()


@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 24), (np.float64, 53)])
def test_a_pass_whose_sums_might_be_rounded_is_not_made(dtype: type, digits: int) -> None:
    """(k + 1) (M + m c^2) = 2^digits is within the range, and 4 more are not."""
    X = OnesCSR(np.arange(3, dtype=np.int32), np.array([0, 3], np.int32))
    rows = Rows(X, np.array([-1.0]), order=np.zeros(1, np.int32))
    for beyond in (0, 1):
        w: Array = np.zeros(3, dtype)
        b: Array = np.zeros(1, dtype)
        w[0] = 2.0 ** (digits - 2) - 1 + beyond
        before, record = w.copy(), np.zeros((1, len(RECORD)))
        made = whole_epoch(rows, w, b, 1.0, np.empty(3, np.int64), np.empty(0), record)
        assert made is (not beyond)
        assert (w[0] == before[0] - 1 and b[0] == -1) if made else (w.tobytes() == before.tobytes() and b[0] == 0)
        assert record.any() == made


def words() -> tuple[sp.csr_matrix, Array]:
    """Short rows of ones whose labels no plane gives."""
    rng = np.random.default_rng(0)
    return sp.csr_matrix((rng.random((500, 40)) < 0.1).astype(float)), rng.choice([0, 1], 500)


def with_passes_in_whole_numbers(
    monkeypatch: pytest.MonkeyPatch, learner: Any, X: Any, y: Array, **given: Any
) -> tuple[Any, Any, int]:
    """The learner fitted in floating point, and where it may be in whole numbers; passes made in these."""
    plain = clone(learner).fit(X, y, **given)
    made = []

    def noting(*args: Any) -> bool:
        made.append(bool(whole_epoch(*args)))
        return made[-1]

    monkeypatch.setattr(perceptron, "whole_epoch", noting)
    monkeypatch.setattr(epochs, "_MANY", 1)
    other = clone(learner).fit(X, y, **given)
    assert other.coef_.tobytes() == plain.coef_.tobytes()
    assert other.intercept_.tobytes() == plain.intercept_.tobytes()
    for column in ("mistakes", "updates", "dots", "absorbed", "norm_w", "b", "bits"):
        assert getattr(other.trace_, column).tobytes() == getattr(plain.trace_, column).tobytes()
    return plain, other, sum(made)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("options", "given", "passes"),
    [
        ({}, {}, 7),
        ({"fit_intercept": False}, {}, 7),
        ({"intercept_scaling": 3.0}, {}, 7),
        ({"intercept_scaling": 0.5}, {}, 0),
        ({"shuffle": False}, {}, 0),
        ({"trace": "updates"}, {}, 0),
        ({"class_weight": {1: 2.0}}, {}, 0),
        ({}, {"coef_init": np.full(40, 3.0)}, 7),
        ({}, {"coef_init": np.full(40, 2.5)}, 0),
        ({}, {"coef_init": np.full(40, -0.0)}, 0),
        ({}, {"coef_init": np.full(40, 2.0**21)}, 0),
        ({}, {"sample_weight": np.ones(500)}, 0),
    ],
)
def test_which_runs_are_made_in_whole_numbers(
    monkeypatch: pytest.MonkeyPatch, dtype: type, options: dict[str, Any], given: dict[str, Any], passes: int
) -> None:
    X, y = words()
    learner = Perceptron(**{"max_iter": 7, "shuffle": True, "random_state": 0, **options})
    assert with_passes_in_whole_numbers(monkeypatch, learner, X.astype(dtype), y, **given)[2] == passes


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_passes_with_few_mistakes_are_made_in_floating_point(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = words()
    y = (X @ np.random.default_rng(1).normal(size=40) > 0).astype(int)
    learner = Perceptron(max_iter=200, shuffle=True, random_state=0)
    plain, _, passes = with_passes_in_whole_numbers(monkeypatch, learner, X, y)
    few = X.nnz / perceptron._GUESS
    first = int(np.argmax(plain.trace_.mistakes < few))
    assert 0 < passes == first + 1 < plain.n_iter_


def test_long_rows_are_left_to_floating_point(monkeypatch: pytest.MonkeyPatch) -> None:
    X = sp.csr_matrix(np.tril(np.ones((40, 40))))
    learner = Perceptron(shuffle=True, random_state=0, max_iter=None)
    assert with_passes_in_whole_numbers(monkeypatch, learner, X, np.arange(40) % 2)[2] == 0
