"""What formulas calculate: answers unlike those of exact arithmetic are marked, and integers do not wrap around."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linsep import DataError, Separation, separation

# An expression of decimals a, b and whole numbers k, m; and what it is in fractions.
EXPRESSIONS = [
    "I(a + b - (b + a))",
    "I((a + b - a)*100)",
    "I(a*10/10 - a + b)",
    "I(k*0.1*10 - k)",
    "I(k/7*7 - k)",
    "I(k/m - k/m/3*3)",
    "I((k + 0.1) - k)",
    "I(a*k - k*a + a)",
    "I((a - b)/0.01)",
    "I(m*m*(a + b - a - b))",
    "I((a + b) - (a + b)/3*3)",
]


class Exact:
    """A column of fractions, in which the numbers of an expression are the decimals that are written."""

    def __init__(self, values: Any) -> None:
        self.values = [Fraction(str(value)) for value in values]

    def _with(self, other: Any, what: Any) -> Exact:
        others = other.values if isinstance(other, Exact) else [Fraction(str(other))] * len(self.values)
        return Exact([what(p, q) for p, q in zip(self.values, others, strict=True)])

    def __add__(self, other: Any) -> Exact:
        return self._with(other, lambda p, q: p + q)

    def __sub__(self, other: Any) -> Exact:
        return self._with(other, lambda p, q: p - q)

    def __mul__(self, other: Any) -> Exact:
        return self._with(other, lambda p, q: p * q)

    def __truediv__(self, other: Any) -> Exact:
        return self._with(other, lambda p, q: p / q)


def said(found: Separation) -> Any:
    return found.verdict, list(found.separated_rows), [*found.coefficients.values()]


decimals = st.integers(1, 30).map(lambda k: k / 10)
wholes = st.integers(1, 2030)


@settings(max_examples=60)
@given(st.sampled_from(EXPRESSIONS), st.lists(st.tuples(decimals, decimals, wholes, wholes), min_size=4, max_size=7))
def test_another_answer_than_that_of_fractions_is_marked(text: str, rows: list[tuple[float, float, int, int]]) -> None:
    """Doubles round on the way: where the fractions of the same expression answer otherwise, the mark is there."""
    columns = dict(zip("abkm", zip(*rows, strict=True), strict=True))
    y = [i % 3 == 0 for i in range(len(rows))]
    x = eval(text, {"I": lambda x: x}, {name: Exact(values) for name, values in columns.items()}).values
    table = pd.DataFrame({**columns, "y": y})
    try:
        exact = separation(np.array(x, dtype=object)[:, None], y)
    except DataError:
        assume(False)
    found = separation(f"y ~ {text}", data=table)
    assert found.fragile or said(found) == said(exact)


@pytest.mark.parametrize(
    "text",
    [
        "np.power(income, 3)",
        "income.pow(3)",
        "income.cumprod()",
        "I(income**3) + I(k & 1)",
        "C(income**3 > 0)",
        "income.abs():I(income):I(income*1):I(z)",
        "I(income**2*income)",
        "I(income.astype('int64')**3)",
        "I((income**3).astype('float'))",
        "I(income**3 | 0)",
        "I(income*1):I(income*2):I(income*3):x",
    ],
)
def test_integers_that_wrap_around_are_refused(text: str) -> None:
    income = [1_000_000, 1_800_000, 2_500_000, 3_000_000, 4_000_000]
    table = pd.DataFrame(
        {
            "income": income,
            "k": [1, 2, 3, 4, 5],
            "z": [1, 5, 2, 4, 3],
            "x": [0.5, 1.5, 0.2, 0.7, 0.1],
            "y": [0, 0, 1, 1, 1],
        }
    )
    with pytest.raises(DataError, match="leave the range of 64 bits"):
        separation(f"y ~ {text}", data=table)
    with pytest.raises(DataError, match="leave the range of 64 bits"):
        separation("I(income**3) ~ k", data=table, family="poisson")


def test_what_is_only_compared_is_exact() -> None:
    """Comparisons and texts of numbers calculate nothing; whole numbers that stay whole round nothing."""
    table = pd.DataFrame({"x": [0.1, 0.3, 0.5, 0.7, 0.3], "k": [10, 20, 30, 45, 60], "y": [0, 1, 0, 1, 1]})
    table["t"] = ["a", "b" * 12, "c", "d" * 30, "e"]
    everyday = (
        "I(x > 0.3)",
        "I(k*k - 3*k)",
        "C(x)",
        "hashed(k*2, levels=3)",
        "I((k*2).astype('str').str.len())",
        "np.where(k >= 30, 1, 0)",
        "np.digitize(k, [20, 45])",
        "I((x >= 0.3)*1)",
        "I((x > 0.3)*k)",
        "np.where(x > 0.3, x, 0)",
        "C(x.round())",
        "C(x*2)",
        "np.floor(k/10)",
        "np.sign(k - 30)",
        "I(k > k.median())",
        "I(k.diff().fillna(0))",
    )
    for text in everyday:
        assert not separation(f"y ~ {text}", data=table).fragile, text
    assert separation("y ~ np.floor(t.str.len()/10)", data=table).verdict == "quasi-complete"
    assert separation("y ~ I(x - 0.2 >= 0.3)", data=table[:4]).fragile  # 0.5 - 0.2 is less than 0.3 in doubles


def test_expressions_of_texts_and_of_rows_that_are_left_out_are_marked() -> None:
    """Decimals in an expression are moved, too, and all rows count, as an expression may take one from another row."""
    g, h = ["u", "u", "v", "u", "v", "u"], ["s", "s", "s", "r", "r", "s"]
    table = pd.DataFrame({"g": g, "h": h, "y": [1, 1, 0, 0, 1, 0]})
    assert separation("y ~ I((g=='u')*0.1 + (h=='s')*0.2 - 0.3):I(g=='u'):I(h=='s')", data=table).fragile


def test_levels_that_rounding_takes_apart_are_marked() -> None:
    table = pd.DataFrame({"k": [3, 3, 17, 257, 1000], "y": [0, 1, 0, 1, 1]})
    assert separation("y ~ C((k + 0.1) - k)", data=table).fragile


def test_zeros_of_a_multinomial_design_are_rounded_too() -> None:
    x = [0.1, 0.3, 0.7, 0.9, 0.6, 1.2]
    table = pd.DataFrame({"x": x, "z": [1, 3, 7, 9, 6, 12], "y": [*"abcabc"]})
    assert separation("y ~ I(x*10 - z)", data=table, family="multinomial").fragile


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


def test_columns_of_float16_are_refused_by_name() -> None:
    column = pa.array(np.array([0.1, 0.2, 0.3, 0.7], dtype=np.float16))
    with pytest.raises(DataError, match="'x' holds float16"):
        separation("y ~ x", data={"x": column, "y": [0, 1, 0, 1]})


def test_models_of_other_packages_are_marked_as_their_formulas_are() -> None:
    """statsmodels has evaluated the formula itself; what that rounds could change the answer all the same."""
    smf = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
    a, b, c = (
        [0.1, 0.7, 0.8, 1, 0.1, 0.4, 0.8, 0.8],
        [0.1, 1.1, 0.8, 1, 0.1, 0.8, 0.8, 0.2],
        [0.2, 1.8, 1.6, 2, 0.2, 1.2],
    )
    table = pd.DataFrame({"a": a, "b": b, "c": [*c, 1.6, 1.0], "y": [0, 1, 1, 0, 1, 1, 1, 1]})
    for text, mark in (("y ~ I(a + b - c)", True), ("y ~ a + b", False)):
        assert separation(smf.logit(text, table)).fragile == separation(text, data=table).fragile == mark


def test_data_of_an_estimator_have_the_columns_that_it_was_fitted_to() -> None:
    from sklearn.linear_model import LogisticRegression

    table = pd.DataFrame({"a": [0.1, 0.7, 0.8, 1.0], "b": [0.3, 0.1, 0.8, 0.2], "c": [1.0, 2.0, 4.0, 3.0]})
    y = [0, 1, 0, 1]
    fitted = LogisticRegression(C=np.inf).fit(table[["a", "b"]], y)
    assert list(separation(fitted, data=(table[["a", "b"]].to_numpy(), y)).coefficients) == ["(Intercept)", "a", "b"]
    for columns, odd in ((["a"], "b"), (["a", "b", "c"], "c")):
        with pytest.raises(DataError, match=f"'{odd}' is not in both"):
            separation(fitted, data=(table[columns], y))
