"""What formulas calculate: the answer is about these numbers and says so, and integers do not wrap around."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import DataError, separation
from linsep.types import MissingWarning

formulaic = pytest.importorskip("formulaic", reason="formulaic is not installed")

EXPRESSIONS = ["I(a + b - c)", "I((a + b - a)*100)", "np.log(a)", "a:b", "I(k/7*7 - k)", "C(a + b > 2):k", "I(k*k - m)"]
decimals = st.integers(1, 30).map(lambda k: k / 10)
wholes = st.integers(1, 2030)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(EXPRESSIONS), min_size=1, max_size=3, unique=True),
    st.lists(st.tuples(decimals, decimals, decimals, wholes, wholes), min_size=4, max_size=7),
)
def test_the_answer_is_about_the_numbers_that_the_formula_calculates(terms: list[str], rows: list[Any]) -> None:
    """The answer is that of formulaic's own matrix, marked where that is, and the summary names what was calculated."""
    table = pd.DataFrame(dict(zip("abckm", zip(*rows, strict=True), strict=True))).assign(
        y=[i % 3 == 0 for i in range(len(rows))]
    )
    made = formulaic.model_matrix(" + ".join(terms), table).drop(columns="Intercept")
    found, given = separation(f"y ~ {' + '.join(terms)}", data=table), separation(made.to_numpy(), table.y)
    assert found._question is not None
    assert {term.replace(" ", "") for term in found._question.design.calculated} == {t.replace(" ", "") for t in terms}
    assert all(term in found.summary() for term in found._question.design.calculated)
    assert (found.verdict, found.separated_rows, found.rank) == (given.verdict, given.separated_rows, given.rank)
    assert found.fragile or not given.fragile


@pytest.mark.parametrize("terms", ["I(a + b - c)", "I((a + b - c) * 100)", "I(a + b - c) | g", "scale(a + b - c)"])
def test_sums_of_fractions_that_cancel_are_fragile(terms: str) -> None:
    a, b = np.array([[1, 7, 8, 10, 1, 4, 8, 8], [1, 11, 8, 10, 1, 8, 8, 2]]) / 10
    c = np.array([2, 18, 16, 20, 2, 12, 16, 10]) / 10
    table = pd.DataFrame({"a": a, "b": b, "c": c, "k": range(8), "g": list("uvuvuvuv"), "y": [0, 1, 1, 0, 1, 1, 1, 1]})
    assert separation(f"y ~ {terms}", data=table).fragile
    for everyday in (
        "np.log(a + 1)",
        "I(a > 0.8)",
        "C(a + b > c)",
        "np.exp(-k)",
        "I(k**2)",
        "np.where(a >= 0.8, 1, 0)",
    ):
        assert not separation(f"y ~ {everyday}", data=table).fragile, everyday


def test_doubles_do_not_wrap_around_and_names_of_python_are_no_columns() -> None:
    columns = {"x": [1000.5, 2000.25, 1500.75, 3000.5, 2500.125], "k": [10**5, 7, 3, 4, 5], "self": [1, 2, 1, 2, 3]}
    table = pd.DataFrame({**columns, "y": [0, 1, 0, 1, 1]}).assign(t=pd.date_range("2020-01-01", periods=5))
    for terms in ("I(x**6)", "I(k*1e14)", "I(x.astype(int))", "C(x.astype(str))", "self + x", "I(t.dt.year):x"):
        assert separation(f"y ~ {terms}", data=table).n_rows == 5, terms
    with pytest.raises(DataError, match="inf is not a finite number"):
        separation("y ~ I(1/(x - 1000.5))", data=table)


def test_columns_that_stand_for_themselves_are_not_calculated() -> None:
    table = pd.DataFrame({"x": [0.1, 0.3, 0.5, 0.7], "k": [1, 2, 3, 4], "m": [3, 1, 1, 2], "y": [0, 1, 0, 1]})
    found = separation("y ~ x + k:m + C(k > 5, levels=[False, True]):x", data=table.assign(m=[3, 1, 1, 2]))
    assert found._question is not None
    assert found._question.design.calculated == ("C(k > 5, levels=[False, True]):x",)
    assert "double precision" not in separation("y ~ x + k:m + C(m)", data=table).summary()


@pytest.mark.parametrize(
    "text",
    [
        "I(income**3) + I(k & 1)",
        "{income**3}",
        "I(income**2*income)",
        "I(income**3*x)",
        "I(`my income`**3)",
        "I(Q('my income')*income*income)",
        "I(income**(1+2))",
        "I(2**(k*16))",
        "C((income > 0)*income**3 > 0)",
        "I(income*1):I(income*2):I(income*3):x",
        "np.sqrt(np.abs(income**3))",
        "scale(np.power(income, 3))",
        "I(income.pow(3).astype(float))",
        "I(np.where(income**3 > 0, 1, 0))",
        "I(np.cumprod(income)):z",
        "I(income**3 & 1)",
        "I((income**63)**3)",
        "Q('my income'):income:Q('income')",
        "hashed(income**3, levels=3)",
        "hashed(`my income`**3, levels=3):k",
        "np.left_shift(income, 50)",
        "I(income & 7):I(income**2):income",
    ],
)
def test_integers_that_wrap_around_are_refused(text: str) -> None:
    income = [1_000_000, 1_800_000, 2_500_000, 3_000_000, 4_000_000]
    table = pd.DataFrame(
        {
            "income": income,
            "my income": income,
            "k": [1, 2, 3, 4, 5],
            "z": [1, 5, 2, 4, 3],
            "x": [0.5, 1.5, 0.2, 0.7, 0.1],
            "g": ["u", "vv", "u", "v", "www"],
            "y": [0, 0, 1, 1, 1],
        }
    )
    with pytest.raises(DataError, match="leave the range of int64"):
        separation(f"y ~ {text}", data=table)
    assert separation("y ~ g.str.len():income:k", data=table).n_rows == 5
    for unsure in ("I((income & 7) * k)", "hashed(income**2, levels=3)", "np.left_shift(income, 3)"):
        with pytest.raises(DataError, match="may leave the range of int64"):  # as far as doubles tell
            separation(f"y ~ {unsure}", data=table)
    with pytest.raises(DataError, match="leave the range of int64"):
        separation("I(income**3) ~ k", data=table, family="poisson")


@pytest.mark.parametrize("kind", ["int8", "UInt8", "int16", "int32"])
def test_small_integers_count_as_a_fit_takes_them(kind: str) -> None:
    """A fit multiplies ages of 8 bits in 8 bits: where that wraps around or rounds, no answer is about the fit."""
    table = pd.DataFrame({"age": [20, 50, 30, 60, 70, 40], "y": [0, 1, 0, 1, 0, 1]}).astype({"age": kind})
    for everyday in ("age:age", "I(age > 40)", "scale(age)", "I(age / 10)", "C(age.astype(str))", "I(age & 1)"):
        assert separation(f"y ~ {everyday}", data=table).n_rows == 6, everyday
    for terms, least in (
        ("I(age**2)", 16),
        ("age:I(age * 1)", 16),
        ("C(age * 4 > 130)", 16),
        ("np.log(age)", 16),
        ("np.exp(age):C(age > 40)", 16),
        ("np.left_shift(age, 3)", 128),
        ("C(np.left_shift(age, 2))", 128),
        ("C(age + age + age + age)", 16),
        ("hashed(age * 4, levels=3)", 128),
        ("I(age**6)", 64),
    ):
        bits = int(kind.lower().strip("uint"))
        if bits < least:
            with pytest.raises(DataError, match=f"leave the range of {kind}, or are rounded"):
                separation(f"y ~ {terms}", data=table)
        else:
            found = separation(f"y ~ {terms}", data=table)
            assert found._question is not None
            made = formulaic.model_matrix(terms, table).drop(columns="Intercept")
            assert np.array_equal(found._question.design.X, made.to_numpy()), terms


@pytest.mark.parametrize("kind", ["uint8", "uint32", "UInt64"])
def test_bits_of_unsigned_integers_do_not_wrap_around(kind: str) -> None:
    table = pd.DataFrame({"k": [1, 2, 3, 4, 5, 6], "y": [0, 1, 0, 1, 0, 1]}).astype({"k": kind})
    assert separation("y ~ I(k & 3) * k", data=table).n_rows == 6
    for terms in ("I(-(k | 1))", "I(~k)"):
        with pytest.raises(DataError, match=f"leave the range of {kind}"):
            separation(f"y ~ {terms}", data=table)


def test_rows_of_which_a_formula_makes_no_number_are_told_once() -> None:
    table = pd.DataFrame({"x": [-1.0, 2, 3, 4, 5, 6], "c": 1.0, "y": [0, 1, 0, 1, 1, 0]})
    with pytest.warns(MissingWarning, match="rows of which the formula makes no number") as told:
        assert separation("y ~ np.log(x)", data=table).n_rows == 5
    assert len(told) == 1
    assert separation("y ~ np.where(x > 0, np.log(x), 0)", data=table).n_rows == 6  # none is left out
    with pytest.raises(DataError, match="-inf is not a finite number"):
        separation("y ~ np.log(x - 2):C(x > 0)", data=table[1:])


NO_VALUE = pd.array([None] * 4, dtype="Int64")
BYTES = np.array([149, 56, 22, 92, 56, 153, 92, 92, 157, 92], dtype=np.uint8)  # whose product only 64 bits hold


@pytest.mark.parametrize(
    ("x", "terms", "told"),
    [
        *(
            ([1, 2, 3, 4], terms, "a term makes one number or level for each row")
            for terms in ("x + x.mean()", "I(10) + x", "x + log(7)", "hashed(x, levels=3) + z")
        ),
        (NO_VALUE, "x + z", "no row is left"),
        (NO_VALUE, "I(x + 1)", "no row is left"),
        ([True, False] * 2, "np.log1p(x)", "float16 of truth"),
        (
            pd.array([1, None, 3, 4], dtype="Int64"),
            "np.where(x > 2, 1, 0)",
            "evaluated: a missing value is neither true nor false: take such rows out",
        ),
        (BYTES, "x.cumprod()", "leave the range of uint8"),
        (pa.array(np.array([0.1, 0.2, 0.3, 0.7], dtype=np.float16)), "x", "'x' holds float16"),
    ],
)
def test_what_makes_no_column_is_told_in_words_of_here(x: Any, terms: str, told: str) -> None:
    n = len(x) // 2
    with pytest.raises(DataError, match=told):
        separation(f"y ~ {terms}", data={"x": x, "z": [1.0, None] * n, "y": [0, 1] * n})


def test_missing_values_of_dicts_of_columns_are_those_of_tables() -> None:
    """A missing value is none of doubles: a row that lacks one in a comparison is left out, in every form."""
    x, y = [3.0, 1.0, 3.0, None, 3.0, None, 1.0], [1, 0, 1, 1, 1, 1, 0]
    g = ["u", "v", "u", None, "u", None, "v"]
    forms: list[Any] = [
        pl.DataFrame({"x": x, "g": g, "y": y}),
        pl.DataFrame({"x": x, "g": g, "y": y}, schema_overrides={"g": pl.Categorical}),
        {"x": pl.Series(x), "g": pl.Series(g), "y": y},
        {"x": pa.array(x), "g": pa.array(g).dictionary_encode(), "y": y},
    ]
    for data in forms:
        for text in ("I(x > 2)", "I(g == 'u')"):
            found = separation(f"y ~ {text}", data=data)
            assert (found.verdict, found.n_missing) == ("complete", 2), (type(data), text)


def test_data_of_an_estimator_have_the_columns_that_it_was_fitted_to() -> None:
    from sklearn.linear_model import LogisticRegression

    table = pd.DataFrame({"a": [0.1, 0.7, 0.8, 1.0], "b": [0.3, 0.1, 0.8, 0.2], "c": [1.0, 2.0, 4.0, 3.0]})
    y = [0, 1, 0, 1]
    fitted = LogisticRegression(C=np.inf).fit(table[["a", "b"]], y)
    assert list(separation(fitted, data=(table[["a", "b"]].to_numpy(), y)).coefficients) == ["(Intercept)", "a", "b"]
    for columns, odd in ((["a"], "b"), (["a", "b", "c"], "c")):
        with pytest.raises(DataError, match=f"'{odd}' is not in both"):
            separation(fitted, data=(table[columns], y))
