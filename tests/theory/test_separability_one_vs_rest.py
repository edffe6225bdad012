"""Each of several classes against the rest: the answers of `separability`."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from linsep import DataError, Separability, check_table, open_data, separability, separability_one_vs_rest
from linsep.theory.rows.deadline import deadline_of, ended_by_ctrl_c
from linsep.theory.separability import decide


@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans(), st.booleans())
def test_each_class_is_answered_as_if_asked_alone(seed: int, classes: int, constant: bool, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    X: Any = rng.integers(-2, 3, (12, 3)).astype(float)
    X = sp.csr_matrix(X) if sparse else X
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, 12 - classes)])
    found = separability_one_vs_rest(X, y, fit_intercept=constant)
    assert list(found) == list(range(classes))
    for label, one in found.items():
        alone = separability(X, y == label, fit_intercept=constant)
        assert (one.verdict, one.classes) == (alone.verdict, (f"not {label}", str(label)))
        assert (one.witness, one.overlap, one.null) == (alone.witness, alone.overlap, alone.null)
        one.verify(X, y)
        Separability.from_json(one.to_json()).verify(X, y)


def test_ctrl_c_leaves_what_was_not_asked_undecided() -> None:
    X, y = load_iris(return_X_y=True)
    with ended_by_ctrl_c() as ending:
        deadline_of(None)
        signal.raise_signal(signal.SIGINT)
        found = separability_one_vs_rest(X, y)
    assert ending.came
    assert [(one.verdict, one.reason) for one in found.values()] == 3 * [("undecided", "Ctrl-C ended the search")]


@pytest.fixture
def ctrl_c_at_the_second_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the second question is searched."""
    asked: list[Any] = []

    def answer(X: Any, y: Any, **options: Any) -> Separability:
        asked.append(y)
        if len(asked) == 2:
            deadline_of(None)  # its search has begun
            signal.raise_signal(signal.SIGINT)
        return separability(X, y, **options)

    monkeypatch.setattr(decide, "separability", answer)


@pytest.mark.usefixtures("ctrl_c_at_the_second_class")
def test_ctrl_c_ends_all_classes() -> None:
    X, y = load_iris(return_X_y=True)
    with ended_by_ctrl_c() as ending:
        found = separability_one_vs_rest(X, y)
    assert ending.came
    assert [one.verdict for one in found.values()] == ["separable", "undecided", "undecided"]


@pytest.mark.usefixtures("ctrl_c_at_the_second_class")
def test_ctrl_c_is_an_error_where_nobody_waits_for_it() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(KeyboardInterrupt):
        separability_one_vs_rest(X, y)


def test_labels_are_named_alike_in_both_classes() -> None:
    X, y = [[0.0], [1.0], [2.0]], np.empty(3, dtype=object)
    y[:] = [np.float32(0.1), np.float32(0.2), np.float32(0.3)]
    for one in separability_one_vs_rest(X, y).values():
        negative, positive = one.classes
        assert negative == f"not {positive!s}"
        one.verify(X, y)


@pytest.mark.parametrize("labels", [2, 3])
def test_certificates_of_tables_are_about_labels_of_32_bits(labels: int) -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.1, 0.2, 0.3], dtype=np.float32)[[0, 1, 2 % labels, 1]]
    for one in check_table(open_data((X, y))).asked:
        one.found.verify(X, y)


def test_a_label_that_is_no_number_is_refused_as_what_it_is() -> None:
    with pytest.raises(DataError, match=r"row 0 .counted from 0.: the label is missing"):
        separability_one_vs_rest([[0.0], [1.0], [2.0]], [np.nan, 1.0, 2.0])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 1, 1], "two classes or more are needed, found 1"),
        ([[1], [2], [3]], "y must be one-dimensional"),
        ([1, 2], "rows"),
    ],
)
def test_what_cannot_be_asked_is_refused(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        separability_one_vs_rest([[0.0], [1.0], [2.0]], y)
