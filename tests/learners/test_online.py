"""One row at a time, classes and columns that join: equal to tables, to twins, and unchanged after an error."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris

from linsep import load, save
from linsep.learners import (
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
)
from linsep.learners.base.scores import score_with
from linsep.types import CSR, DataError

# Each kind of step and of mean is a kernel to compile for every kind of row; what they compute is asked of tables.
LEARNERS = [
    Perceptron(intercept_scaling=0.25),
    Perceptron(multi_class="multiclass", class_weight={0: 1.0, 1: 0.5, 2: 2.0}),
    AveragedPerceptron(intercept_scaling=0.25),
    PassiveAggressive(class_weight={0: 1.0, 1: 2.0, 2: 0.5}),
]
BY_NAME = LEARNERS[:3]  # all of their sums are exact, in rows with gaps too


def make_table(seed: int, n: int = 60, p: int = 4, n_classes: int = 3) -> tuple[Any, Any]:
    """Small integers, so that sums are exact in any order."""
    rng = np.random.RandomState(seed)
    y = np.append(np.arange(n_classes), rng.randint(0, n_classes, n - n_classes))
    return rng.randint(-4, 5, (n, p)).astype(float), rng.permutation(y)


def planes(learner: Any) -> Any:
    return np.column_stack([learner.coef_, learner.intercept_])


# ------------------------------------------------------------- equal to tables
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_learn_one_equals_partial_fit(learner: Any, n_classes: int) -> None:
    X, y = make_table(0, n_classes=n_classes)
    one = clone(learner).partial_fit(X[:1], y[:1], classes=np.arange(n_classes))
    table = clone(one).partial_fit(X[:1], y[:1], classes=np.arange(n_classes))
    for i in range(1, len(y)):
        one.learn_one(X[i], y[i])
        table.partial_fit(X[[i]], y[[i]])
    np.testing.assert_array_equal(planes(one), planes(table))
    assert (one.t_, one.n_iter_) == (table.t_, table.n_iter_)
    assert [one.predict_one(x) for x in X] == table.predict(X).tolist()


@pytest.mark.parametrize("n_classes", [2, 3, 7, 19])
@pytest.mark.parametrize("own", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_one_row_has_the_bits_of_a_table(n_classes: int, own: Any, form: Any) -> None:
    rng = np.random.default_rng(n_classes)
    X, codes = rng.normal(size=(60, 31)), rng.integers(0, n_classes, 60)
    codes[:n_classes] = range(n_classes)
    learner = Perceptron().partial_fit(X, codes, classes=np.arange(n_classes))
    learner.coef_ = np.array(learner.coef_, own, order="C" if form is np.asarray else "F")
    learner.intercept_ = learner.intercept_.astype(own)
    for dtype in (np.float32, np.float64):
        rows = form(X.astype(dtype))
        Z = learner.decision_function(rows).reshape(60, -1)
        for i in range(60):
            row = rows[[i]]
            kernel_row = row if isinstance(row, np.ndarray) else CSR(row.data, row.indices, row.indptr)
            one = np.ravel(score_with(kernel_row, learner.coef_, learner.intercept_))
            assert one.tobytes() == Z[i].astype(one.dtype).tobytes()


@pytest.mark.parametrize("learner", BY_NAME, ids=repr)
def test_two_classes_that_join_equal_two_known_from_the_start(learner: Any) -> None:
    if getattr(learner, "class_weight", None):
        pytest.skip("the mapping names three classes")
    X, y = make_table(2, n_classes=2)
    for flip in (False, True):  # the first row is of the positive class once
        labels = (y == y[0]) ^ flip
        online, table = clone(learner), clone(learner)
        for x, label in zip(X, labels, strict=True):
            online.learn_one({f"x{j}": v for j, v in enumerate(x)}, bool(label))
        for x, label in zip(X, labels, strict=True):
            table.partial_fit(x[None], [label], classes=[False, True])
        np.testing.assert_array_equal(planes(online), planes(table))
        assert online.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
        assert [online.predict_one(x) for x in X] == table.predict(X).tolist()


@pytest.mark.parametrize("learner", BY_NAME, ids=repr)
def test_columns_join_as_zeros(learner: Any) -> None:
    X, y = make_table(3, p=50)
    X[np.arange(60)[:, None] < np.arange(50)] = 0  # column j is 0 before row j
    narrow, wide = clone(learner), clone(learner)
    classes: Any = range(3)  # in the first call alone
    for x, label in zip(X, y, strict=True):
        row = {f"x{j}": x[j] for j in np.flatnonzero(x)}
        narrow.learn_one(row, label, classes)
        wide.learn_one(x, label, classes)
        assert narrow.predict_one(row) == wide.predict_one(x)
        classes = None
    order = [int(name[1:]) for name in narrow.feature_names_in_]
    np.testing.assert_array_equal(narrow.coef_, wide.coef_[:, order])
    assert narrow.n_features_in_ == len(order) == 50
    assert narrow.predict_one({"never seen": 1.0}) == wide.predict_one(np.zeros(50))
    assert [narrow.predict_one(x[order]) for x in X] == wide.predict(X).tolist()


# ----------------------------------------------------------------- open classes
class OpenTwin:
    """One-vs-rest perceptrons; a class starts at 0 when its first row comes, but two share one plane."""

    def __init__(self) -> None:
        self.w: dict[Any, Any] = {}

    def learn(self, x: Any, label: Any) -> None:
        if label not in self.w:
            self.w[label] = -next(iter(self.w.values())) if len(self.w) == 1 else np.zeros(len(x))
        for k, w in self.w.items():
            y = 1 if k == label else -1
            if y * (w @ x) <= 0:
                self.w[k] = w + y * x


@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_classes_join_with_zero_weights(seed: int, n_classes: int, table: bool) -> None:
    X, y = make_table(seed, n_classes=n_classes)
    twin, learner = OpenTwin(), Perceptron(open_classes=True)
    for x, label in zip(X, y, strict=True):
        twin.learn(np.append(x, 1.0), label)
        if table:
            learner.partial_fit(x[None], [label])
        else:
            learner.learn_one(x, label)
    if n_classes == 1:
        np.testing.assert_array_equal(planes(learner)[0], twin.w[0])
        assert learner.predict(X).tolist() == y.tolist()
    elif n_classes == 2:
        np.testing.assert_array_equal(planes(learner)[0], twin.w[1])
        np.testing.assert_array_equal(planes(learner)[0], -twin.w[0])
    else:
        np.testing.assert_array_equal(planes(learner), [twin.w[k] for k in range(n_classes)])


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_open_classes_in_chunks_equal_row_by_row(learner: Any, n_classes: int) -> None:
    if isinstance(getattr(learner, "class_weight", None), dict) and n_classes > 3:
        pytest.skip("the mapping names three classes")
    X, y = make_table(4, n_classes=n_classes)
    weight = 1.0 + np.arange(60) % 2
    runs = []
    for size in (1, 7, 60):
        run = clone(learner).set_params(open_classes=True)
        for at in range(0, 60, size):
            chunk = slice(at, at + size)
            run.partial_fit(X[chunk], y[chunk], sample_weight=weight[chunk])
        runs.append(run)
    for run in runs[1:]:
        np.testing.assert_array_equal(run.classes_, np.arange(n_classes))
        np.testing.assert_array_equal(planes(run), planes(runs[0]))
        np.testing.assert_array_equal(run.decision_function(X), runs[0].decision_function(X))


def test_labels_of_any_length_join_in_their_order() -> None:
    learner = Perceptron()
    for label in 5 * ["pear", "apple", "watermelon", "fig"]:
        learner.learn_one({label: 1.0}, label)
    assert learner.classes_.tolist() == ["apple", "fig", "pear", "watermelon"]
    assert [learner.predict_one({name: 1.0}) for name in learner.classes_] == learner.classes_.tolist()


def test_a_row_of_weight_zero_brings_no_class() -> None:
    X, y = make_table(6)
    learner = Perceptron(open_classes=True).partial_fit(X, y, sample_weight=(y != 2).astype(float))
    assert learner.classes_.tolist() == [0, 1]


# ------------------------------------------------------------------ save, reset
@pytest.mark.parametrize("learner", BY_NAME, ids=repr)
def test_a_saved_stream_goes_on_where_it_was(learner: Any, tmp_path: Any) -> None:
    X, y = make_table(7)
    rows = [{f"x{j}": x[j] for j in np.flatnonzero(x)} for x in X]
    whole = clone(learner)
    for x, label in zip(rows[:30], y[:30], strict=True):
        whole.learn_one(x, label)
    save(whole, tmp_path / "m")
    second = load(tmp_path / "m")
    rows[40]["late"] = 1.0
    for run in (whole, second):
        for x, label in zip(rows[30:], y[30:], strict=True):
            run.learn_one(x, label)
    np.testing.assert_array_equal(planes(second), planes(whole))
    assert second.coef_.flags.fnc == whole.coef_.flags.fnc
    assert second.feature_names_in_.tolist() == [*whole.feature_names_in_]


def test_fit_forgets_the_names_of_a_stream() -> None:
    X, y = load_iris(return_X_y=True)
    learner = AveragedPerceptron().learn_one({"a": 1.0}, 0)
    learner.fit(X, y)
    assert not hasattr(learner, "feature_names_in_")
    assert [learner.predict_one(x) for x in X] == learner.predict(X).tolist()
    with pytest.raises(DataError, match="unnamed columns"):
        learner.predict_one({"a": 1.0})


def test_a_copy_writes_rows_of_its_own() -> None:
    learner = Perceptron()
    for x, y in [({"a": 1.0, "b": 0.0}, 1), ({"a": -1.0, "b": 2.0}, 0), ({"a": 0.5, "b": 0.5}, 1)]:
        learner.learn_one(x, y)
    assert learner.predict_one({"a": 3.0, "b": 1.0}) == 1
    twin = pickle.loads(pickle.dumps(learner))
    rows: list[dict[str, Any]] = [{"a": a, "b": b} for a in (-2, 1.5, True) for b in (np.float32(0.25), 3)]
    before = learner.coef_.copy()
    backwards = [learner.predict_one(dict(reversed(x.items()))) for x in rows]
    assert [twin.predict_one(x) for x in rows] == backwards and {*backwards} == {0, 1}
    for x in rows:
        twin.learn_one(x, 0)
    assert np.array_equal(learner.coef_, before) and not np.array_equal(twin.coef_, before)


def test_float32_weights_take_named_rows() -> None:
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": [0.0, 2.0]}, dtype=np.float32)
    learner = Perceptron().fit(frame, [1, 0])
    assert learner.coef_.dtype == np.float32
    for x in ({"a": 0.1, "b": 0.2}, {"a": 1e-3, "b": -5}):
        values = np.array([[x["a"], x["b"]]], np.float32)
        learner.predict_one(x)  # the second time all names stand in their order in a row of this dtype
        assert learner.predict_one(x) == learner.predict(pd.DataFrame(values, columns=["a", "b"]))[0]


def test_rows_that_name_a_column_twice_do_not_change_their_neighbours() -> None:
    """Sums keep the order of the entries of a row, whatever stands in other rows of the table."""
    rng = np.random.default_rng(0)
    indices = np.array([rng.permutation(40)[:9] for _ in range(60)])
    indices[::7, 3] = indices[::7, 1]
    entries = (rng.normal(size=indices.size), indices.ravel(), np.arange(0, indices.size + 1, 9))
    X, y = sp.csr_matrix(entries, shape=(60, 40)), np.arange(60) % 2
    whole, parts = (PassiveAggressive().partial_fit(X[:1], y[:1], classes=[0, 1]) for _ in range(2))
    whole.partial_fit(X[1:], y[1:])
    for i in range(1, 60):
        parts.partial_fit(X[i : i + 1], y[i : i + 1])
    assert np.array_equal(whole.coef_, parts.coef_)
