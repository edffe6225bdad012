"""Asking memory ahead: a pass over short rows calls nothing for a row, and rows asked for change no bit."""

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

from linsep import Perceptron
from linsep.kernels.compiled import uncounted
from linsep.kernels.linear.epoch import plain_epoch
from linsep.kernels.prefetch import rows_ahead
from linsep.learners.base.loop import shuffled_order
from linsep.passes import NO_ORDER, NO_WEIGHTS
from linsep.types import CSR, Array


@pytest.mark.parametrize("dense", [False, True])
def test_a_pass_calls_none_of_our_functions_for_a_row(dense: bool) -> None:
    table = sp.csr_matrix(np.eye(3, dtype=np.float32))
    rows = table.toarray() if dense else CSR(table.data, table.indices, table.indptr)
    kernel: Any = plain_epoch
    fresh: Any = uncounted(nogil=True)(kernel.py_func)  # one from the cache has no code to look at
    w, b = np.zeros(3, np.float32), np.zeros(1, np.float32)
    fresh(rows, np.ones(3), NO_WEIGHTS, NO_ORDER, 0.0, w, b, 1.0, None, 0)
    assert w.tolist() == [1.0, 0.0, 0.0] and b[0] == 1.0  # all labels are +1: one tie, then no mistake
    (code,) = fresh.inspect_llvm().values()
    called = set(re.findall(r"call [^@\n]*@(_ZN6linsep[^(]+)\(", code))
    assert not [name for name in called if "plain_epoch" not in name]


@njit
def _ahead(X: Any, order: Any) -> Any:
    return rows_ahead(X, order)


def _asked(X: Any, order: Array) -> int:
    ahead: Any = _ahead
    return int(ahead(X, order))


SHUFFLED = np.zeros(1, np.int32)


@pytest.mark.parametrize(
    ("rows", "entries", "dtype", "in_order"),
    [
        (100_000, 40, np.float64, 16),
        (100_000, 20, np.float64, 0),  # short rows the hardware brings
        (50_000, 40, np.float64, 0),  # from a large cache as well
        (100_000, 40, np.float32, 0),
        (120_000, 40, np.float32, 16),
    ],
)
def test_long_sparse_rows_of_large_tables_are_asked_for_in_order(
    rows: int, entries: int, dtype: Any, in_order: int
) -> None:
    X = CSR(np.zeros(rows * entries, dtype), np.zeros(rows * entries, np.int32), np.zeros(rows + 1, np.int32))
    assert (_asked(X, NO_ORDER), _asked(X, SHUFFLED)) == (in_order, 16)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("classes", "multi_class", "shuffle"),
    [(2, "ovr", False), (2, "ovr", True), (3, "ovr", True), (3, "multiclass", False)],
)
def test_sparse_rows_asked_for_change_no_bit(classes: int, multi_class: str, shuffle: bool) -> None:
    """A table beyond the cache, whose rows are asked for, and the same in parts that are too small for it."""
    rng = np.random.default_rng(8)
    n, k, p = 70_000, 41, 300
    X = sp.csr_matrix((rng.normal(size=n * k), rng.integers(0, p, n * k, np.int32), k * np.arange(n + 1)), shape=(n, p))
    y = (X @ rng.normal(size=(p, classes)) + rng.normal(size=(n, classes))).argmax(axis=1)
    assert _asked(CSR(X.data, X.indices, X.indptr), NO_ORDER) > 0
    whole = Perceptron(max_iter=1, shuffle=shuffle, random_state=3, multi_class=multi_class).fit(X, y)
    visited = shuffled_order(n, np.random.RandomState(3)) if shuffle else np.arange(n)
    parts = Perceptron(multi_class=multi_class)
    for start in range(0, n, 10_000):
        part = visited[start : start + 10_000]
        parts.partial_fit(X[part], y[part], classes=np.arange(classes))
    assert np.array_equal(whole.coef_, parts.coef_) and np.array_equal(whole.intercept_, parts.intercept_)
    assert whole.n_mistakes_ == parts.n_mistakes_ > 1_000
