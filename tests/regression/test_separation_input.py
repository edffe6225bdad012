"""Separation in regression: any dataframe, levels as indicators, exact decimals, screening, bad input."""

from __future__ import annotations

import pickle
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from linsep import max_margin, separability, separation
from linsep.types import DataError

COLUMNS: dict[str, list[Any]] = {
    "city": ["Bari", "Oslo", "Oslo", "Rome", "Bari", "Oslo", "Bari", "Oslo"],
    "size": [1.5, 2.5, 3.5, 4.0, 2.0, 1.0, 3.0, 2.0],
    "old": [True, False, True, False, False, True, True, False],
}
SOLD = ["no", "yes", "no", "yes", "no", "yes", "yes", "no"]


def test_columns_that_would_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.theory.cone.faces.Faces._guessed", lambda *asked: False)
    monkeypatch.setattr("linsep.theory.separation.find.prove_by_columns", lambda *asked: None)
    monkeypatch.setattr("linsep.theory.separation.find._MOST_ENTRIES", 3_000_000)
    X = sp.random(30, 2**11, 0.5, format="csr", random_state=np.random.default_rng(0))
    X = sp.csr_matrix(sp.vstack([X, X]))
    with pytest.raises(DataError, match=r"2,049 coefficients are too many for these rows, which leave 1,989 "):
        separation(X, np.arange(60) // 30)
    X = sp.csr_matrix(sp.vstack([X[:30, :200]] * 8))  # as many rows as columns, of a small rank
    monkeypatch.setattr("linsep.theory.separation.find._MOST_ENTRIES", 30_000)
    with pytest.raises(DataError, match=r"201 coefficients are too many for these rows, which leave 171 "):
        separation(X, np.arange(240) // 30 % 2)


def test_a_large_sparse_table_is_never_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.theory.cone.faces.Faces._guessed", lambda *asked: False)
    n = 2**16
    rng = np.random.default_rng(0)
    at = np.repeat(np.arange(n), 3), rng.integers(0, n // 2, 3 * n)
    X = sp.csr_matrix((rng.normal(size=3 * n), at), shape=(n, n // 2))
    with pytest.raises(DataError, match=r"found no proof about .* rows and .* coefficients.* would take \d GB"):
        separation(X, rng.integers(0, 2, n))


def test_columns_of_zeros_cost_nothing() -> None:
    X = sp.csr_matrix(([1.0, 2.0, 3.0, 1.0], ([0, 1, 2, 3], [0, 0, 0, 2**16 - 1])), shape=(4, 2**16))
    found = separation(X, [0, 1, 0, 1])
    found.verify(X, [0, 1, 0, 1])
    few = separation(X[:, [0, -1]], [0, 1, 0, 1])
    assert (found.verdict, found.separated_rows, found.rank) == (few.verdict, few.separated_rows, few.rank)
    assert found.coefficients["x1"] == few.coefficients["x1"]
    assert found.coefficients["x2"] == "not identified"


@pytest.mark.parametrize("form", ["pandas", "categorical", "polars", "arrow"])
def test_a_rare_category_in_any_dataframe(form: str) -> None:
    frame: Any = pd.DataFrame(COLUMNS)
    y: Any = pd.Series(SOLD)
    if form == "categorical":
        frame["city"] = frame["city"].astype("category").cat.set_categories(["never", "Bari", "Rome", "Oslo"])
        y = y.astype("category")
    elif form == "polars":
        frame, y = pl.DataFrame(COLUMNS), pl.Series(SOLD)
    elif form == "arrow":
        frame, y = pa.table(COLUMNS), pa.table({"y": SOLD}).column("y")
    found = separation(frame, y)
    found.verify(frame, y)
    assert (found.verdict, found.separated_rows, found.references) == ("quasi-complete", (3,), {"city": "Bari"})
    others = dict.fromkeys(["(Intercept)", "city=Oslo", "size", "old"], "finite")
    assert found.coefficients == {**others, "city=Rome": inf}
    assert found._levels == {"city": {"Rome": 1}}
    assert found.advice[0].startswith("Merge levels of city: every row is separated at 'Rome' (1 row);")
    # The same with the separated level as the reference: the infinite coefficients are those of the others.
    column = ["A" if city == "Rome" else city for city in COLUMNS["city"]]
    found = separation(pd.DataFrame({**COLUMNS, "city": column}), y)
    assert found.coefficients["(Intercept)"] == inf
    assert found.coefficients["city=Bari"] == found.coefficients["city=Oslo"] == -inf
    assert found._levels == {"city": {"A": 1}}


def test_without_an_intercept_the_first_text_column_keeps_its_levels() -> None:
    frame = pd.DataFrame({**COLUMNS, "kind": list("uvuvuvuv")})
    found = separation(frame, SOLD, fit_intercept=False)
    assert list(found.coefficients) == ["city=Bari", "city=Oslo", "city=Rome", "size", "old", "kind=v"]
    assert found.references == {"kind": "u"}


def test_answers_can_be_sent_to_another_process() -> None:
    frame = pd.DataFrame(COLUMNS)
    for X in (frame, frame[["size"]].to_numpy(float)):
        found = separation(X, SOLD)
        sent = pickle.loads(pickle.dumps(found))
        assert sent.to_dict() == found.to_dict()
        sent.verify(X, SOLD)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[0], [1], [2]], [0, 1, 2], {}, "3 labels and a logistic model has two"),
        ([[0], [1]], [1, 1], {}, "every row has the label 1"),
        ([[0], [1]], [1, 1], {"family": "multinomial"}, "every row has the label 1"),
        (
            [[0], [1]],
            [0, -1],
            {"family": "poisson"},
            "row 1 .counted from 0.: a Poisson response is a count of 0 or more, not -1",
        ),
        ([[0], [1]], ["a", "b"], {"family": "poisson"}, "is a count"),
        ([[0], [1]], [0.0, np.nan], {"family": "poisson"}, "row 1 .counted from 0., column 'y': the label is missing"),
        ([[0], [1]], ["a", None], {}, "row 1 .counted from 0., column 'y': the label is missing"),
        ([[0], [1]], [0, 1, 1], {}, "X has 2 rows and y 3"),
        ([[0], [np.inf]], [0, 1], {}, "row 1 .counted from 0., column 0"),
        ([0, 1], [0, 1], {}, "its shape is"),
        (pd.DataFrame({"a": [1.0, None]}), [0, 1], {}, "column 'a'"),
        (
            pd.DataFrame({"(Intercept)": [1.0, 2.0]}),
            [0, 1],
            {},
            r"two columns of the design are called '\(Intercept\)'",
        ),
        (pd.DataFrame({"a": ["u", "u"]}), [0, 1], {}, "no column is left: a has one level only"),
        ("table.csv", [0, 1], {}, "X is text"),
        (None, None, {}, "X is of type NoneType: give rows, a table, open_data"),
        (pd.Series([0.0, 1.0]), [0, 1], {}, "X is of type Series: give rows"),
        ([[0], [1]], [0, 1], {"family": "probit"}, "no family called 'probit'"),
        ([[0], [1]], [0, 1], {"on_separation": "ignore"}, "on_separation is"),
    ],
)
def test_bad_input_is_refused(X: Any, y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        separation(X, y, **options)


def test_entries_at_both_ends_of_the_doubles() -> None:
    huge, tiny = 1e306, 1e-310
    X = np.array([[huge, tiny, 1], [-huge, tiny, 2], [huge, -tiny, -1], [huge, 3 * tiny, 0.5], [-huge, -tiny, 0.5]])
    plain = X / [huge, tiny, 1]
    for y in ([1, 1, 0, 1, 0], [0, 1, 0, 1, 0], [0, 1, 1, 0, 0]):
        found, expected = separation(X, y), separation(plain, y)
        found.verify(X, y)
        assert (found.verdict, found.separated_rows, found.coefficients) == (
            expected.verdict,
            expected.separated_rows,
            expected.coefficients,
        )


@pytest.mark.parametrize("column", [np.arange(4) + 1j, pd.Series(pd.arrays.SparseArray([0.0, 1.0, 0.0, 1.0]))])
def test_columns_that_are_neither_numbers_nor_text(column: Any) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "z": column})
    with pytest.raises(DataError, match="make the column numbers or text first"):
        separation(frame, [0, 1, 0, 1])


@pytest.mark.parametrize("limit", [-1, float("nan"), "1", True])
def test_a_time_limit_that_is_none(limit: Any) -> None:
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    for ask in (separation, separability, max_margin):
        with pytest.raises(DataError, match="time_limit is a number of seconds"):
            ask(X, y, time_limit=limit)


@pytest.mark.parametrize(
    "categories", [["top", "low", "none", "mid"], [3, 1, 9, 2], [1.5, 0.5, 9.0, 2.0], pd.to_datetime(["2021", "2020"])]
)
@pytest.mark.parametrize("ordered", [True, False])
def test_categories_of_pandas_have_their_order(categories: Any, ordered: bool) -> None:
    """As pandas.get_dummies and patsy have it; a category that no row has is no level."""
    used = [value for value in categories if value not in ("none", 9)]
    column = pd.Categorical([used[k % len(used)] for k in range(12)], categories=categories, ordered=ordered)
    frame, y = pd.DataFrame({"d": column, "x": np.arange(12) % 5}), [0, 1, 1, 0] * 3
    levels = [str(value).removesuffix(".0").removesuffix(" 00:00:00") for value in used]
    found = separation(frame, y)
    assert found.references == {"d": levels[0]}
    assert list(found.coefficients) == ["(Intercept)", *(f"d={level}" for level in levels[1:]), "x"]
    dummies = pd.get_dummies(frame.d.cat.remove_unused_categories(), drop_first=True).to_numpy()
    assert found._question is not None
    assert np.array_equal(found._question.design.X[:, : len(levels) - 1], dummies)
    assert next(iter(separation(frame, y, fit_intercept=False).coefficients)) == f"d={levels[0]}"
    found.verify(frame, y)
    plain = separation(frame.assign(d=frame.d.astype(str)), y)
    assert plain.references == {"d": min(frame.d.astype(str))}


def test_what_a_model_lacks_is_said_in_brief_too() -> None:
    X, y = [[1], [2], [2], [3]], [0, 0, 1, 1]
    unusual = separation(X, y, fit_intercept=False, link="cauchit")
    assert repr(unusual).startswith("<Separation overlap, no intercept, link cauchit, 0 of 4 rows")
    assert "overlap (logistic, no intercept, link cauchit)" in unusual._repr_html_()
    assert repr(separation(X, y)).startswith("<Separation quasi-complete, 2 of 4 rows")
    assert repr(separation(X, y, family="poisson")).startswith("<Separation overlap, poisson, ")


@pytest.mark.parametrize("role", ["weights", "offset"])
def test_one_number_is_no_column(role: str) -> None:
    one: Any = {role: 5}
    with pytest.raises(DataError, match=f"{role} holds one value for each row, it is not 5"):
        separation([[0.0], [1.0]], [0, 1], **one)
