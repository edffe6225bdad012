"""Each of several classes against the rest: the answers of `separability`, whatever the number of processes."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris

from linsep import DataError, Separability, separability, separability_one_vs_rest
from linsep.app.commands.check import check
from linsep.theory.rows.deadline import deadline_of, ended_by_ctrl_c


@settings(deadline=None, max_examples=40)
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


def test_processes_give_the_same_certificates() -> None:
    X, y = load_digits(return_X_y=True)
    for rows in (X, sp.csr_matrix(X)):
        alone, together = (separability_one_vs_rest(rows, y, n_jobs=n) for n in (1, 2))
        assert {k: one.to_json() for k, one in together.items()} == {k: one.to_json() for k, one in alone.items()}
        for one in together.values():
            one.verify(rows, y)
    assert [k for k, one in alone.items() if one.verdict != "separable"] == [8, 9]


def test_ctrl_c_leaves_what_was_not_asked_undecided() -> None:
    X, y = load_iris(return_X_y=True)
    with ended_by_ctrl_c() as ending:
        deadline_of(None)
        signal.raise_signal(signal.SIGINT)
        found = separability_one_vs_rest(X, y, n_jobs=2)
    assert ending.came
    assert [(one.verdict, one.reason) for one in found.values()] == 3 * [("undecided", "Ctrl-C ended the search")]


def test_check_says_the_same_with_more_processes(tmp_path: Any) -> None:
    X, y = load_iris(return_X_y=True)
    table = tmp_path / "iris.csv"
    lines = [",".join(map(str, [*row, f"kind {k}"])) for row, k in zip(X.tolist(), y.tolist(), strict=True)]
    table.write_text("\n".join(["a,b,c,d,kind", *lines]), encoding="utf-8")
    asked: dict[str, Any] = {"target": "kind", "positive": None, "time_limit": None}
    one, two = (check(table, **asked, n_jobs=n) for n in (None, 2))
    assert one.data == two.data
    assert one.lines == two.lines
    assert [text.partition(":")[0] for _, text in two.lines[1:]] == ["separable", "inseparable", "inseparable"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 1, 1], "two classes or more are needed, found 1"),
        ([[1], [2], [3]], r"labels must be one-dimensional, these have shape \(3, 1\)"),
        ([1, 2], "rows"),
    ],
)
def test_what_cannot_be_asked_is_refused(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        separability_one_vs_rest([[0.0], [1.0], [2.0]], y)
