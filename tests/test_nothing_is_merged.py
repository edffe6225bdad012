"""Labels, times and entries that an array would change or make equal are refused: a proof would be of other data."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from linsep import fewest_rows, open_data, separability, separability_one_vs_rest, separation
from linsep.types import DataError

ROWS = [[1.0], [2.0], [3.0], [4.0]]


@pytest.mark.parametrize("ask", [separability, separability_one_vs_rest, fewest_rows])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["b", "a", "a\0", "a"], r"row 2: the label 'a\\x00' would become 'a'"),
        ([1, "1", 0, 0], r"row 0: the label 1 would become '1'"),
        ([2**53, 2**53 + 1, 2.0, 2.0], r"row 1: the label 9007199254740993 would become 9007199254740992.0"),
        ([0, None, 1, 1], "row 1: the label is None, which is no class"),
        (np.array(["2020", "NaT", "2021", "2021"], "M8[D]"), "row 1: the label is NaT, which is no class"),
        (np.array([0, 1j, 1, 1]), "row 0: the label is 0j, which is no class"),
        (np.array([0, "0", 1, 1], dtype=object), "labels are all text or all numbers"),
        (
            np.ma.array([0, 0, 1, 1], mask=[False, True, False, False]),
            r"y is a masked array, and its entry \[1\] is masked",
        ),
    ],
)
def test_labels_stay_what_they_are(ask: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ask(ROWS, y)


@pytest.mark.parametrize("ask", [separability, separation, fewest_rows])
def test_masked_entries_are_no_numbers(ask: Any) -> None:
    X: Any = np.ma.array(ROWS, mask=np.array(ROWS) == 3.0)
    with pytest.raises(DataError, match=r"X is a masked array, and its entry \[2, 0\] is masked"):
        ask(X, [0, 0, 1, 1])
    assert ask(np.ma.array(ROWS), [0, 0, 1, 1]).summary() == ask(ROWS, [0, 0, 1, 1]).summary()  # nothing is masked


@pytest.mark.parametrize(
    ("y", "beside", "message"),
    [
        ([1, 2**53 + 1, 2, 3], {}, "row 1: y is 9007199254740993, which is no double"),
        ([1, 2, 3, 4], {"entry": [0, 0, 2**53 + 1, 0]}, "row 2: entry is 9007199254740993"),
        ([1, 2, 3, 4], {"strata": [2**53, 2**53 + 1, 2.0, 2.0]}, "row 1, column 'strata': 9007199254740993 would be"),
        (
            [1, 2, 3, 4],
            {"event": np.ma.array([1, 1, 1, 0], mask=[True, False, False, False])},
            r"its entry \[0\] is masked",
        ),
    ],
)
def test_times_stay_what_they_are(y: Any, beside: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        separation(ROWS, y, family="cox", **beside)


@pytest.mark.parametrize("kind", [Fraction, Decimal, np.longdouble])
def test_numbers_beside_a_response_of_other_types_are_doubles_or_refused(kind: Any) -> None:
    near = kind(1) + kind(1) / 2**60
    with pytest.raises(DataError, match=r"row 1: trials is .*, which is no double: divide the column, or give floats"):
        separation(ROWS, [0, 1, 1, 1], trials=np.array([kind(1), near, near, kind(1)]), family="binomial")
    halves = np.array([kind(1) / 2, kind(2), kind(1), kind(1)])
    assert separation(ROWS, [0, 1, 0, 1], weights=halves).summary() == separation(ROWS, [0, 1, 0, 1]).summary()


def test_numbers_of_trials_stay_what_they_are() -> None:
    with pytest.raises(DataError, match="row 1: trials is 9007199254740993, which is no double"):
        separation(ROWS, [0, 1, 2, 3], trials=[5, 2**53 + 1, 5, 5])


@pytest.mark.parametrize("x", [Decimal("0.1"), Fraction(1, 3), 10**30, 3])
def test_numbers_that_are_objects_are_no_levels_of_a_formula(x: Any) -> None:
    data = pd.DataFrame({"x": pd.Series([x, 2 * x, 3 * x, 4 * x], dtype=object), "y": [0, 1, 0, 1]})
    with pytest.raises(DataError, match=r"column 'x' holds .* as an object, which a formula would take for a level"):
        separation("y ~ x", data=data)
    assert len(separation("y ~ C(x)", data=data).coefficients) == 4
    assert len(separation("y ~ x", data=data.astype({"x": "category"})).coefficients) == 4


@pytest.mark.parametrize("form", [dict, pl.DataFrame, pa.table])
def test_a_missing_value_rounds_no_integers(form: Any) -> None:
    x = [2**53, 2**53 + 1, 2**53 + 1, 2**53, None]
    with pytest.raises(DataError, match="column 'x' has 9007199254740993 beside missing values or floats"):
        separation("y ~ x", data=form({"x": x, "y": [0, 1, 1, 0, 1]}))


@pytest.mark.parametrize(
    "values",
    [
        [Decimal("0.1"), Decimal("0.1000000000000000000001")] * 2,
        [datetime(2020, 1, 1), datetime(2020, 1, 2)] * 2,
    ],
)
def test_a_table_of_polars_is_no_table_of_doubles(values: list[Any]) -> None:
    X = pl.DataFrame({"x": values, "k": [1.5, 2.5, 2.5, 1.5]})
    with pytest.raises(DataError, match=r"column 'x' holds D.*, not numbers"):
        separability(X, [0, 1, 0, 1])


def test_integers_beyond_64_bits_are_exact_or_refused() -> None:
    values, y = [2**70, 2**70 + 1, 3, 4], [0, 1, 0, 1]
    assert separability(pd.DataFrame({"x": values}), y).verdict == "inseparable"
    with pytest.raises(DataError, match=r"dataframe: .* too large"):
        separation(pd.DataFrame({"x": values}), y)
    with pytest.raises(DataError, match="column 'x' holds Int128, not numbers of 64 bits"):
        separability(pl.DataFrame({"x": pl.Series(values, dtype=pl.Int128)}), y)


def test_floats_beside_fractions_are_not_rounded() -> None:
    X = np.array([[-1], [-0.1], [Fraction(-1, 3)]], dtype=object)
    assert separability(X, [0, 1, 1], fit_intercept=False).verdict == "inseparable"
    X = np.array([[0.1], [10**400], [5e-324], [0.1]], dtype=object)
    assert separability(X, [0, 1, 1, 0]).verdict == "inseparable"
    assert separation([[1.7e308], [1.7e308], [1]], [0.0, 1.0, 2.0], family="gamma").verdict == "overlap"


@pytest.mark.parametrize(
    ("one", "other"), [("1", "1.0000000000000001"), ("9007199254740993", "9007199254740992"), ("1e-400", "0")]
)
def test_numbers_of_text_that_doubles_merge(tmp_path: Path, one: str, other: str) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(f"x,time,stratum\n1,{one},1\n2,{other},1.0\n3,5,2\n")
    with pytest.raises(DataError, match=r"column 'time': .* has more digits than double precision holds"):
        open_data(rows, target="time").read()
    source = open_data(rows, target="x")
    with pytest.raises(DataError, match=r"column 'time': .* has more digits than double precision holds"):
        source.take_out("time")
    assert source.take_out("stratum").tolist() == [1.0, 1.0, 2.0]  # 1 and 1.0 are one number


@pytest.mark.parametrize(("one", "other"), [("1", "1.0000000000000001"), ("800719925474099.2", "800719925474099.3")])
@pytest.mark.parametrize(
    ("row", "format"), [('{{"x": 1, "y": {}}}', "jsonl"), ("{} 1:1", "svmlight"), ("{} |a b", "vw")]
)
@pytest.mark.parametrize("way", ["read", "chunks"])
def test_labels_of_text_that_doubles_merge(one: str, other: str, row: str, format: str, way: str) -> None:
    text = "".join(row.format(y) + "\n" for y in (one, "0.1000000", "2.5", other)).encode()
    source = open_data(text, target="y" if format == "jsonl" else None, format=format)
    with pytest.raises(DataError, match=r"'(y|label)': .* has more digits than double precision holds"):
        list(source.chunks() if way == "chunks" else [source.read()])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, lambda X: X.astype(object)])
def test_rows_that_doubles_call_dependent_are_asked_exactly(form: Any) -> None:
    big = 2**53
    X = np.array([[1, big + 1], [1, big], [big, big], [2**62, 2**62], [big + 1, big + 1]])
    found = separation(form(X), [2, 1, 2, 0, 1], family="cumulative")
    assert (found.verdict, found.separated_rows) == ("overlap", ())
