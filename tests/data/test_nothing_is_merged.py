"""Labels, times and entries that an array would change or make equal are refused: a proof would be of other data."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from in_process import linsep
from linsep import (
    FewestRows,
    explain,
    few_columns,
    fewest_rows,
    max_margin,
    open_data,
    probe,
    report,
    separability,
    separability_one_vs_rest,
    separation,
    telling_columns,
)
from linsep.app.commands.separation import separation as command
from linsep.data.sources.source import Source
from linsep.reporting.table_check import check_table
from linsep.theory import CertificateError, Separability, verify_certificate
from linsep.theory.margin.geometry import names_of
from linsep.types import DataError, PrecisionWarning

pytest.importorskip("formulaic")  # formulas with levels and products
ROWS = [[1.0], [2.0], [3.0], [4.0]]


NS = np.array([1, 1, 2, 2], dtype="M8[ns]")
NUL = np.array(["b", "a", "a\0", "a"], dtype=object)
BAD_LABELS: list[tuple[Any, str]] = [
    (NUL, r"the label 'a\\x00' holds a NUL"),
    (pl.Series(NUL.tolist()), r"the label 'a\\x00' holds a NUL"),
    ([b"a", b"a", b"a\0", b"a\0"], r"the label b'a\\x00' holds a NUL"),
    ([1, "1", 0, 0], "the label '1' is of the type text"),
    (np.array([0, "0", 1, 1], dtype=object), "the label '0' is of the type text"),
    ([0.1, Decimal("0.1"), 1, 1], "is of the type Decimal"),
    ([np.timedelta64(1, "ns"), 1, 2, 2], "is of the type number"),
    ([2**53, 2**53 + 1, 2.0, 2.0], "the label 9007199254740993 would be rounded beside numbers"),
    ([np.int64(2**53 + 1), np.int64(2**53), 0.5, 0.5], "would be rounded beside numbers"),
    ([2**70, 1, 1, 2], "has more than 64 bits"),
    (np.array([0, 1j, 1, 1]), "complex numbers"),
    (np.ma.array([0, 0, 1, 1], mask=[False, True, False, False]), r"is a masked array, and its entry \[1\] is masked"),
    ([0, None, 1, 1], "the label is missing"),
    (np.array(["2020", "NaT", "2021", "2021"], "M8[D]"), "the label is missing"),
    ([Decimal("sNaN"), 0, 1, 0], "the label is missing"),
    (pd.Series(["a", "b", pd.NA, "b"], dtype=object), "the label is missing"),
    (["a\ud800", "b"] * 2, "no Unicode text"),
    (NS, "times finer than a microsecond"),
    (NS.astype("m8[ns]"), "times finer than a microsecond"),
    (pd.Series(NS), "times finer than a microsecond"),
    (pd.Series(NS, dtype="timestamp[ns][pyarrow]"), "times finer than a microsecond"),
    (pl.Series([1, 1, 2, 2], dtype=pl.Time), "times finer than a microsecond"),
    (pa.array(NS), "times finer than a microsecond"),
    (pa.array([0, 18446744073710, 10**12, 5], pa.timestamp("s")), "labels that Python has no objects for"),
    ([Decimal("1.0"), Decimal("1.00"), Decimal(2), Decimal(2)], "equal ones have several names"),
    ([[1], [2], [1], [2]], "one-dimensional"),
]
WITH_LABELS: list[Any] = [
    lambda y: separability(ROWS, y),
    lambda y: separability_one_vs_rest(ROWS, y),
    lambda y: separability(ROWS, [0, 0, 1, 1]).verify(ROWS, y),
    lambda y: fewest_rows(ROWS, y),
    lambda y: separation(ROWS, y, family="multinomial"),
    lambda y: separation(ROWS, [1, 3, 2, 4], family="cox", strata=y),
    lambda y: explain(ROWS, y),
]


@pytest.mark.parametrize("k", range(len(BAD_LABELS)))
@pytest.mark.parametrize("ask", WITH_LABELS)
def test_labels_and_strata_stay_what_they_are(ask: Any, k: int) -> None:
    labels, message = BAD_LABELS[k]
    with pytest.raises(DataError, match=message):
        ask(labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        *(
            (many, "one label a row is needed")
            for many in (pd.DataFrame({"a": [0], "b": [1]}), {"a": 0}, {0, 1}, "abab")
        ),
        ([np.ma.masked, 0, 1, 0], "is masked"),
        (pl.Series([{"a": 1}, {"a": 2}] * 2), "of the type dict"),
    ],
)
def test_labels_are_one_column_of_plain_values(labels: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        separability(np.eye(4), labels)


def test_a_probe_has_the_labels_that_it_was_given() -> None:
    X = np.array(ROWS)
    table = pa.table({"y": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1]), pa.array(["a", "b"]))})
    for y in (table.column("y"), pd.Series(["a", "b", pd.NA, "b"], dtype=object)):
        assert probe(X, y, controls=0).rows[0].n == 3
    for labels, message in (
        ([b"a", b"a\0"] * 2, "holds a NUL"),
        ([1, "1", 2, 2], "is of the type text"),
        (np.ma.array([1, 2, 1, 2], mask=[False, True, False, False]), "is masked"),
    ):
        with pytest.raises(DataError, match=message):
            probe(X, labels, controls=0)


@pytest.mark.parametrize("ask", [separability, separation, fewest_rows])
def test_masked_entries_are_no_numbers(ask: Any) -> None:
    X: Any = np.ma.array(ROWS, mask=np.array(ROWS) == 3.0)
    with pytest.raises(DataError, match=r"X is a masked array, and its entry \[2, 0\] is masked"):
        ask(X, [0, 0, 1, 1])
    assert ask(np.ma.array(ROWS), [0, 0, 1, 1]).summary() == ask(ROWS, [0, 0, 1, 1]).summary()  # nothing is masked


@pytest.mark.parametrize("kind", [Fraction, Decimal, np.longdouble])
def test_numbers_beside_a_response_of_other_types_are_doubles_or_refused(kind: Any) -> None:
    near = kind(1) + kind(1) / 2**60
    with pytest.raises(
        DataError, match=r"row 1 .counted from 0.: trials is .*, which is no double: divide the column, or give floats"
    ):
        separation(ROWS, [0, 1, 1, 1], trials=np.array([kind(1), near, near, kind(1)]), family="binomial")
    halves = np.array([kind(1) / 2, kind(2), kind(1), kind(1)])
    assert separation(ROWS, [0, 1, 0, 1], weights=halves).summary() == separation(ROWS, [0, 1, 0, 1]).summary()


@pytest.mark.parametrize("x", [Decimal("0.1"), Fraction(1, 3), 10**30, 3])
def test_numbers_that_are_objects_are_no_levels_of_a_formula(x: Any) -> None:
    data = pd.DataFrame({"x": pd.Series([x, 2 * x, 3 * x, 4 * x], dtype=object), "y": [0, 1, 0, 1]})
    with pytest.raises(DataError, match=r"column 'x' holds .* as an object, which a formula would take for a level"):
        separation("y ~ x", data=data)
    assert len(separation("y ~ C(x)", data=data).coefficients) == 4
    assert len(separation("y ~ x", data=data.astype({"x": "category"})).coefficients) == 4


def test_objects_of_one_type_are_labels_by_their_names() -> None:
    for labels, names in (
        ([Decimal("0.5"), Decimal("0.25")] * 2, ("0.25", "0.5")),
        ([b"b", b"a"] * 2, ("a", "b")),
        (np.array(["2020-01-01", "2021-01-01"] * 2, "M8[ns]"), ("2020-01-01 00:00:00", "2021-01-01 00:00:00")),
        (pd.Series([1, 2] * 2, dtype="Int64"), ("1", "2")),
        (pl.Series(["b", "a"] * 2), ("a", "b")),
        (pa.array([1.5, 2] * 2), ("1.5", "2.0")),
        ([np.array(1), np.int8(2)] * 2, ("1", "2")),
    ):
        assert tuple(map(str, separation(ROWS, labels).classes)) == names
        Separability.from_json(separability(ROWS, labels).to_json()).verify(ROWS, labels)


def test_integers_beyond_64_bits_are_exact_or_refused() -> None:
    values, y = [2**70, 2**70 + 1, 3, 4], [0, 1, 0, 1]
    assert separability(pd.DataFrame({"x": values}), y).verdict == "inseparable"
    with pytest.raises(DataError, match=r"dataframe: .* too large"):
        separation(pd.DataFrame({"x": values}), y)
    pytest.importorskip("polars", minversion="1.18", reason="polars has no Int128")
    with pytest.raises(DataError, match="column 'x' holds Int128, not numbers of 64 bits"):
        separability(pl.DataFrame({"x": pl.Series(values, dtype=pl.Int128)}), y)
    assert separability(np.eye(4), pl.Series(y, dtype=pl.Int128)).verdict == "separable"


def test_floats_beside_fractions_are_not_rounded() -> None:
    X = np.array([[-1], [-0.1], [Fraction(-1, 3)]], dtype=object)
    assert separability(X, [0, 1, 1], fit_intercept=False).verdict == "inseparable"
    X = np.array([[0.1], [10**400], [5e-324], [0.1]], dtype=object)
    assert separability(X, [0, 1, 1, 0]).verdict == "inseparable"


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
@pytest.mark.parametrize(("row", "format"), [("{} 1:1", "svmlight"), ("{} |a b", "vw")])
@pytest.mark.parametrize("way", ["read", "chunks"])
def test_labels_of_text_that_doubles_merge(one: str, other: str, row: str, format: str, way: str) -> None:
    text = "".join(row.format(y) + "\n" for y in (one, "0.1000000", "2.5", other)).encode()
    source = open_data(text, format=format)
    with pytest.raises(DataError, match=r"'(y|label)': .* has more digits than double precision holds"):
        list(source.chunks() if way == "chunks" else [source.read()])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, lambda X: X.astype(object)])
def test_rows_that_doubles_call_dependent_are_asked_exactly(form: Any) -> None:
    big = 2**53
    X = np.array([[1, big + 1], [1, big], [big, big], [2**62, 2**62], [big + 1, big + 1]])
    found = separation(form(X), [2, 1, 2, 0, 1], family="cumulative")
    assert (found.verdict, found.separated_rows) == ("overlap", ())


def read_and_verified(made: Any, *asked: Any, **more: Any) -> Any:
    """A certificate that was looked at, and then verified."""
    read = type(made).from_json(made.to_json())
    assert not read.fragile and repr(read)
    read.verify(*asked, **more)
    return read


def test_what_is_read_knows_its_rows_once_they_are_verified() -> None:
    rows, y = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], ["in", "out", "in"]
    exact = [[Fraction(1, 3), Fraction(1, 5)], [Fraction(2, 3), Fraction(2, 5)], [1, Fraction(3, 5)]]
    big = [[*row, 2**53 + 1] for row in rows]
    for X in (rows, np.array(rows, dtype=object), big, pd.DataFrame(rows, columns=["a", "b"]).assign(big=2**53 + 1)):
        assert separability(X, y).fragile and read_and_verified(separability(X, y), X, y).fragile
        assert separation(X, y).fragile and read_and_verified(separation(X, y), X, y).fragile
    assert not separability(exact, y).fragile and not separation(exact, y).fragile
    few = fewest_rows([[0.5], [0.3], [0.3], [0.9]], [0, 0, 1, 1])
    assert few.fragile and read_and_verified(few, [[0.5], [0.3], [0.3], [0.9]], [0, 0, 1, 1]).fragile
    assert "as read, not verified: exactly 1 of 4" in repr(FewestRows.from_json(few.to_json()))


def test_zeros_in_null_vectors_hide_no_rounding() -> None:
    X, y = [[0.1, 0], [0.3, 0], [float(np.nextafter(0.3, 1)), 0], [0.9, 0]], [0, 1, 0, 1]
    plain = json.loads(separability(X, y).to_json())
    plain["proof"]["null"] = {"units": [], "columns": [[1, 0]], "values": [[1, 0]]}
    read = Separability.from_json(json.dumps(plain))
    read.verify(X, y)
    assert read.fragile


def test_a_class_called_nothing_hides_no_other() -> None:
    X, y = [[0], [0], [1], [2]], ["", "a", "b", "c"]
    every = {name: json.loads(one.to_json()) for name, one in separability_one_vs_rest(X, y).items()}
    assert verify_certificate(json.dumps({"one_against_rest": every}), X, y).keys() == set(y)
    del every["c"]
    with pytest.raises(CertificateError, match="not of those of these labels"):
        verify_certificate(json.dumps({"one_against_rest": every}), X, y)


def test_integers_of_arrays_do_not_wrap() -> None:
    small = np.array([100, 1], dtype=np.int8)
    X = [[Fraction(small[0], 3)], [Fraction(small[1], 7)]]
    assert separation(X, [1, 0], fit_intercept=False).verdict == "overlap"
    assert separability(X, [1, 0], fit_intercept=False).verdict == "inseparable"
    big = 2**53
    twice = pd.concat([pd.Series([big + 1, big], name="a"), pd.Series([0.5, 0.5], name="a")], axis=1)
    one = pa.table({"a": [big + 1, big], "b": [0.5, 0.5]}).rename_columns(["a", "a"])
    others: list[Any] = [twice, one, [[np.array(big + 1), 0.5], [big, 0.5]]]
    assert [separability(X, ["p", "q"]).verdict for X in others] == ["separable"] * 3


def test_formulas_keep_integers_and_levels_apart() -> None:
    a = np.array([100, 10, 20, 30, 40, 50], dtype=np.int8)
    table = pd.DataFrame({"a": a, "b": a, "y": [1, 0, 0, 0, 1, 1], "g": ["a", "a", "c", "c", "b", "b"]})
    text = "y ~ I(a + b) + I(5 - a)"
    whole, doubles = (table.astype({"a": kind, "b": kind}) for kind in (int, float))
    assert separation(text, data=whole).coefficients == separation(text, data=doubles).coefficients
    for dtype, term in ((np.int8, r"I\(a \+ b\)"), (np.uint8, r"I\(5 - a\)")):
        with pytest.raises(DataError, match=f"the integers in '{term}' leave the range of"):
            separation(text, data=table.astype({"a": dtype, "b": dtype}))
    with pytest.raises(DataError, match="column 'a' has integers beyond 2"):
        separation("y ~ I(a + 0.5)", data=table.assign(a=np.arange(6) + 2**60))
    for levels, message in (
        (["a", "a", "a\0", "a\0", "b", "b"], "column 'g': the label .* holds a NUL"),
        ([1, 1, "1", "1", "b", "b"], "row 2, column 'g': the label '1' is of the type text"),
    ):
        with pytest.raises(DataError, match=message):
            separation("y ~ a | g", data=table.assign(g=np.array(levels, dtype=object)))
    times = pd.DataFrame({"t": [1, 3, 2, 4], "x": [1, 0, 2, 1]})
    assert separation("t ~ x", data=times, family="cox", strata=["a", "a", "b", "b"]).verdict == "complete"
    with pytest.raises(DataError, match="column 'strata': the label '1' is of the type text"):
        separation("t ~ x", data=times, family="cox", strata=[1, 1, "1", "1"])
    with pytest.raises(DataError, match="weights is 9007199254740993"):
        separation("y ~ a", data=table, weights=[2**53 + 1, 0.5, 1, 1, 1, 1])
    with pytest.raises(DataError, match="two fixed effects have the name 'a:b'"):
        separation("y ~ x | a:b + `a:b`", data=table.assign(x=1.5, **{"a:b": 1}))
    named = table.assign(**{"a b": range(6), "ab": [5, 1, 2, 4, 3, 0]})
    read = type(separation("y ~ `a b`", data=named)).from_json(separation("y ~ `a b`", data=named).to_json())
    with pytest.raises(CertificateError, match="another formula"):
        read.verify("y ~ `ab`", data=named)
    read.verify("y~`a b`", data=named)


def checked(text: bytes, **how: Any) -> Any:
    reading = {name: how.pop(name) for name in ("target", "format") if name in how}
    return check_table(open_data(text, **{"target": "y", **reading}), **how)


Y = [0, 1, 0, 1]
FAR = pa.array([0, 18446744073710, 10**12, 5], pa.timestamp("s"))
GAPS = {"x": [2**53, 2**53 + 1, 2**53 + 1, 2**53, None], "y": [0, 1, 1, 0, 1]}
PRODUCTS = pd.DataFrame({"y": Y, "a": [3000000001, 3000000000, 1, 1], "b": [3000000001, 3000000002, 1, 1]})
SMALL = {"a": np.array([100] * 5 + [10] * 4, np.int8), "b": np.array([2, 2, 1, 1, 1, 2, 2, 1, 1], np.int8)}
LEVELS = pd.DataFrame({**SMALL, "y": [1, 1, 0, 1, 0, 0, 1, 0, 1]})


def of_table(values: list[Any]) -> Any:
    """A table of polars is no table of doubles."""
    return separability(pl.DataFrame({"x": values, "k": [1.5, 2.5, 2.5, 1.5]}), Y)


def with_times(values: list[Any]) -> Any:
    """Objects that are times lose no part."""
    return open_data(pd.DataFrame({"when": pd.Series(values, dtype=object), "y": Y[:3]}), target="y").read()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        # Decimals and integers that doubles round.
        (lambda: checked(b"x,y\n1e-5000,a\n2,b\n3,b\n").data, "with so many digits has no certificate"),
        (lambda: max_margin([[10**400], [1]], [0, 1]), "is not a finite number"),
        (lambda: max_margin([[2**53 + 1], [2**53 + 2]], [0, 1]), r"integers beyond 2\^53, which doubles round"),
        *(
            (
                lambda name=name: getattr(separation(np.array([[10**400], [1], [2], [3]], dtype=object), Y), name)(),
                "inf is not a finite number",
            )
            for name in ("firth", "finite_part")
        ),
        (lambda: of_table([Decimal("0.1"), Decimal("0.1000000000000000000001")] * 2), "column 'x' holds D.*, not num"),
        (lambda: of_table([datetime(2020, 1, 1), datetime(2020, 1, 2)] * 2), "column 'x' holds D.*, not numbers"),
        (
            lambda: checked(b"x,y\n1,0.5\n2,2\n3,3\n", positive="2.0"),
            "the labels are 0.5, 2, 3",
        ),
        (
            lambda: separation("x ~ s | s", data=open_data(b"x,s\n1,0.1\n2,0.10000000000000000001\n")),
            "column 's': 0.10000000000000000001 has more digits",
        ),
        *(
            (
                lambda form=form: separation("y ~ x", data=form(GAPS)),
                "column 'x' has 9007199254740993 beside missing values or floats",
            )
            for form in (dict, pl.DataFrame, pa.table)
        ),
        (
            lambda: separation("y ~ x", data={"y": [0, 1], "x": [np.int64(2**53 + 1), 0.5]}),
            "column 'x' has 9007199254740993 beside missing values or floats",
        ),
        (
            lambda: separability(pd.DataFrame({"a": [2**53, 1]}).astype(pd.SparseDtype("uint64", 0)), [0, 1]),
            r"column 'a' holds Sparse\[uint64, 0\]: make it dense, or int64",
        ),
        (
            lambda: check_table(open_data(pa.table({"x": np.array([0.1, 0.2], np.float16), "y": [*"ab"]}), target="y")),
            "holds float16: make it float32",
        ),
        # Numbers beside a response.
        (
            lambda: separation(ROWS, [1, 2**53 + 1, 2, 3], family="cox"),
            "row 1 .counted from 0.: y is 9007199254740993, which is no double",
        ),
        (
            lambda: separation(ROWS, [1, 2, 3, 4], family="cox", entry=[0, 0, 2**53 + 1, 0]),
            "row 2 .counted from 0.: entry is 9007199254740993",
        ),
        (
            lambda: separation(ROWS, [1, 2, 3, 4], family="cox", event=np.ma.masked_less(Y, 0.5)),
            r"its entry \[0\] is masked",
        ),
        (
            lambda: separation(ROWS, [0, 1, 2, 3], trials=[5, 2**53 + 1, 5, 5]),
            r"row 1 .counted from 0.: trials is 9007199254740993, which is no double",
        ),
        # Products.
        (
            lambda: separation("y ~ a:b", data=pd.DataFrame({"a": [10**9 + 1, 3], "b": [10**9 - 1, 1], "y": [0, 1]})),
            r"the products 'a:b' are beyond 2\^53, which doubles round",
        ),
        (
            lambda: separation("y ~ a:b", data={"y": [0, 1], "a": [2**26, 321], "b": [2**27, 28059810762433]}),
            r"are beyond 2\^53, which doubles round",
        ),
        (
            lambda: separation("y ~ C(g) + a:b:C(g)", data=PRODUCTS.assign(g=list("uuvv"))),
            r"are beyond 2\^53, which doubles round",
        ),
        (
            lambda: separation("y ~ a:b + C(a) + C(b)", data=LEVELS),
            "the integers in 'a:b' leave the range of int8",
        ),
        # Times.
        (lambda: with_times([pd.Timestamp(1), pd.Timestamp(0), pd.NaT]), "column 'when': .*finer than a microsecond"),
        (lambda: with_times([datetime(2020, 1, 1).date(), datetime(2020, 1, 1), None]), "column 'when': .*are mixed"),
        (
            lambda: with_times([pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-01-01"), None]),
            "column 'when': .*are mixed",
        ),
        (
            lambda: separation(
                "y ~ x", data=pl.DataFrame({"y": [0, 1], "x": pl.Series([1, 2], dtype=pl.Datetime("ns"))})
            ),
            "finer than a microsecond",
        ),
        (lambda: checked(b"t,y\n2024-01-01 13:00,a\n", columns={"t": "%Y-%m-%d %M:%S"}), "a column is read as number"),
        (lambda: check_table(open_data(pa.table({"t": FAR, "y": list("abab")}), target="y")), "dates out of range"),
        # Missing values, levels and names.
        (lambda: separability(pa.table({"x": pa.array([None, 2]).dictionary_encode()}), [0, 1]), "lacks 1 values"),
        (
            lambda: separation("y ~ C(x)", data={"y": Y, "x": pd.Series([1, True, 1, "a"], dtype=object)}),
            "row 1, column 'x': the label True is of the type true or false",
        ),
        (
            lambda: separation("y ~ C(a, levels=['p', 'q'])", data=pd.DataFrame({"y": Y, "a": ["p", "q", "r", "p"]})),
            "categories outside of the nominated levels",
        ),
        (
            lambda: separation("y ~ Intercept", data=pd.DataFrame({"y": [0, 1], "Intercept": [1, 2]})),
            "a column called 'Intercept'",
        ),
        (
            lambda: checked(b"a,a=b,y\nb,1,0\nc,2,1\nb,3,0\n"),
            "a column and a level of a column are both called 'a=b': rename a column",
        ),
        (
            lambda: separability(pl.LazyFrame({"a": [1, 2]}), [0, 1]),
            r"a LazyFrame.*: give what its collect\(\) returns",
        ),
        (
            lambda: separation("y ~ a", data=pl.LazyFrame({"a": [1, 2], "y": [0, 1]})),
            r"a LazyFrame.*: give what its collect\(\) returns",
        ),
        (
            lambda: checked(
                b"t,y\n" + b"".join(b"hello my good friend number %d,%d\n" % (i, i % 2) for i in range(40))
            ),
            "no column is left",
        ),
    ],
)
def test_what_would_be_rounded_or_lost_is_refused(ask: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ask()


def test_what_is_not_rounded_is_asked_about_as_it_is() -> None:
    assert separation("y ~ a:b + C(a) + C(b)", data=LEVELS.astype(int)).coefficients["a:b"] == np.inf
    whole = pd.DataFrame({"a": [2**53, 2**53 + 1, 0]}).astype(pd.SparseDtype("int64", 0))
    assert separability(whole, [0, 1, 0]).verdict == "separable"
    assert max_margin([[1e-323], [5e-324]], [0, 1]).upper >= 5e-324
    rows = [pa.array([2**53 + 1, 3]), pa.array([2**53, 3]), pa.array([1.0, 0.25])]
    assert separability(rows, ["a", "b", "b"]).verdict == "separable"


def test_what_is_rounded_is_told() -> None:
    text = b"x,y\n90071992547409.93,1\n90071992547409.92,0\n90071992547409.94,1\n"
    with pytest.warns(PrecisionWarning, match="the answer is about the nearest doubles"):
        separation("y ~ x", data=open_data(text))
    (said,) = checked(b"1 | x:9007199254740993\n-1 | x:9007199254740992\n", target=None, format="vw").warnings
    assert "the verdict is about the nearest doubles" in said
    names = checked(b'x,z,y\n"1,234",0,a\n1234,1,b\n5,2,a\n', columns={"x": "category"}).numbers.names
    assert names == ["x=1,234", "x=1234", "x=5", "z"]


def test_extreme_numbers_end_in_an_answer() -> None:
    big = 10**20
    X = [[1, 1, 1.7e308], [big, 1, big], [1, big, 1], [big, 0, big], [big, 1, 1.7e308], [1, 1, 0], [0, 0, 1]]
    X += [[1, 0, 0], [1e-300, 1, 1e-300], [big, 1, 1]]
    assert fewest_rows(X, [1, 0, 0, 1, 1, 1, 0, 1, 1, 0], fit_intercept=False).exact
    assert fewest_rows([[10**400], [1], [2], [3]], [0, 1, 0, 1]).upper == 1


def test_rows_that_nothing_holds_on_a_plane_are_fragile() -> None:
    X, y = np.array([[1, 0, 0], [1, 0, 0], [0, 0.3, 0.3], [0, 0.3, 0.3], [0, 1, 0]]), [1, 0, 1, 0, 1]
    plain = json.loads(separability(X, y, fit_intercept=False).to_json())
    none: dict[str, Any] = {"units": [], "columns": [], "values": []}
    plain["proof"] |= {"weights": {"rows": [0, 1], "values": [1, 1]}, "basis": None, "null": none}
    read = Separability.from_json(json.dumps(plain))
    read.verify(X, y)
    assert (read.verdict, read.fragile) == ("quasi-separable", True)


def test_zeros_and_truth_values_have_one_form() -> None:
    X, y = [[9], [0], [1], [2]], np.array([-0.0, 0, 0, 1])
    few = fewest_rows(X, y, fit_intercept=np.True_)  # type: ignore[arg-type]
    FewestRows.from_json(few.to_json()).verify(X, y)
    Separability.from_json(separability(X, y, fit_intercept=1).to_json()).verify(X, y + 0.0)  # type: ignore[arg-type]
    found = separation(X, [-0.0, 1, 2, 0], family="poisson", fit_intercept=np.True_)  # type: ignore[arg-type]
    type(found).from_json(found.to_json()).verify(X, [0.0, 1, 2, 0])
    events = [v > 0 for v in np.array([1, 0, 1, 1])]
    assert separation(X, [1, 3, 2, 4], family="cox", event=events).n_rows == 4


def test_a_page_shows_no_proof_about_other_rows() -> None:
    X, y = [[0.0, 1], [1, 2], [3, 1], [4, 5]], [0, 0, 1, 1]
    assert report(separability(X, y), X, y).html
    with pytest.raises(CertificateError):
        report(separability(X, y), [[0.0, 1], [0, 1], [3, 1], [3, 1]], [0, 1, 0, 1])


def test_rows_are_told_apart_and_found_by_name() -> None:
    for rows in (np.array([[-1], [-1], [-2]], dtype=object), np.array([[2**53], [2**53], [2**53 + 1]])):
        assert fewest_rows(rows, [1, 0, 0]).upper == 1
    some = separability(np.array([[-1], [-2], [-2], [-1], [-2]], dtype=object), [1, 1, 0, 0, 0])
    assert some.witness is not None and len(some.witness.rows) == 2
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4]}, index=[3, 2, 1, 0]), pd.Series([0, 0, 1, 1], index=[0, 1, 2, 3])
    for ask in (explain, few_columns, telling_columns):
        with pytest.raises(DataError, match=r"row 0 .counted from 0. is called 3 in X and 0 in y"):
            ask(X, y)
    with pytest.raises(DataError, match=r"masked array, and its entry \[1\] is masked"):
        separability([np.ma.array([1, 2], mask=[False, True]), [3, 4]], [0, 1])
    with pytest.raises(DataError, match="two columns of one name"):
        separation("y ~ x", data=pd.DataFrame([[1, 2, 0], [2, 1, 1]], columns=["x", "x", "y"]))
    named = pd.DataFrame({"column_names": [1.0, 2.0], "b": [2.0, 1.0]})
    assert separability(named, [0, 1]).verdict == "separable"


def test_a_certificate_is_about_the_rows_that_it_was_verified_for_last() -> None:
    made = separability([[1.0], [2.0]], [0, 1])
    assert made.margin is not None
    made.verify([[1.0], [4.0]], [0, 1])
    assert made.margin is not None and made.margin.upper > 1


def test_suspects_of_numbers_beyond_doubles_are_found() -> None:
    assert checked(b"x,z,y\n1e-400,1,a\n1,2,b\n2,3,a\n3,2,b\n2,2,a\n", explain=True).explanation is not None


@pytest.mark.parametrize("how", [{"target": "t"}, {"target": None, "formula": "t ~ x"}])
def test_strata_of_files_that_text_would_merge_are_refused(how: dict[str, Any], tmp_path: Path) -> None:
    strata = pa.array([1, 1, 2, 2], pa.timestamp("ns"))
    pq.write_table(pa.table({"x": [1.0, 0, 2, 1], "t": [1, 3, 2, 4], "s": strata}), tmp_path / "t.parquet")
    asked: dict[str, Any] = {"family": "cox", "fit_intercept": True, "time_limit": None, "strata": "s"}
    with pytest.raises(DataError, match="column 's': times finer than a microsecond"):
        command(str(tmp_path / "t.parquet"), **asked, **how)


def test_a_number_with_a_comma_that_nothing_explains_is_asked_about() -> None:
    rows = [f"{i % 97};{i % 2}" for i in range(20_000)]
    rows[-1] = "1,500;0"
    text = "\n".join(["a;y", *rows]).encode()
    with pytest.raises(DataError, match="column 'a': '1,500' may have a decimal comma, or a comma between thousands"):
        open_data(text, target="y").read().cells("a")
    assert open_data(text, target="y", decimal=".").read().cells("a").values[-1] == 1500
    assert open_data(text.replace(b"\n0;0", b"\n0.5;0"), target="y").read().cells("a").values[-1] == 1500


def test_decimals_in_one_file_and_doubles_in_another_are_refused(tmp_path: Path) -> None:
    for name, kind in (("a", pa.decimal128(20, 19)), ("b", pa.float64())):
        table = pa.table({"x": pa.array([Decimal("0.1"), Decimal("0.5")]).cast(kind), "y": ["p", "q"]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with pytest.raises(DataError, match="column 'x' holds decimals in one file and doubles in another"):
        open_data(str(tmp_path / "*.parquet"), target="y").read()


def test_entries_that_stand_there_several_times_do_not_wrap() -> None:
    twice = (np.array([0, 0, 1]), np.array([0, 0, 0]))
    rows = sp.csr_matrix((np.array([100, 100, 1], dtype=np.int8), [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    for small in (rows, sp.coo_matrix((np.array([100, 100, 1], np.int8), twice), shape=(2, 1))):
        assert separability(small, [1, 0]).hyperplane.w[0] > 0  # type: ignore[union-attr]
    sizes = np.array([2**62, 2**62, 1])
    in_rows = sp.csr_matrix((sizes, np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    for large in (sp.coo_matrix((sizes, twice), shape=(2, 1)), in_rows):
        with pytest.raises(DataError, match="may add up beyond 64 bits"):
            separability(large, [1, 0])
    alone = sp.coo_matrix((np.array([2**64 - 1, 2**63], np.uint64), (np.array([0, 1]), np.array([0, 0]))))
    assert separability(alone, [1, 0]).verdict == separability(alone.toarray(), [1, 0]).verdict == "separable"


@pytest.mark.parametrize("text", ["x,y\n1,01\n2,01\n3,1\n4,1\n", "x,y\n1,1.1\n2,1.10\n3,1.1\n4,1.1\n"])
def test_two_texts_that_are_one_number_are_two_labels(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    rows = pd.read_csv(tmp_path / "t.csv", dtype=str)
    path, cells = str(tmp_path / "t.csv"), sorted(set(rows["y"]))
    with pytest.raises(DataError, match=f"column 'y': '{cells[0]}' and '{cells[1]}' are one number"):
        check_table(open_data(path, target="y"))
    found = check_table(open_data(path, target="y", categorical=["y"]))
    assert found.asked[0].found.classes == tuple(cells)
    asked: list[tuple[str, dict[str, Any]]] = [("x ~ C(y)", {}), ("x ~ 1 | y", {}), ("y ~ x", {})]
    for formula, beside in [*asked, ("x ~ 1", {"strata": "y"})]:
        family: Any = "logistic" if formula[0] == "y" else "cox" if beside else "poisson"
        with pytest.raises(DataError, match="are one number"):
            separation(formula, data=open_data(path), family=family, **beside)
    assert list(separation("x ~ C(y)", data=open_data(path, categorical=["y"]), family="poisson").references) == ["y"]
    for words in (["fit", path, "--target", "y"], ["fit", path, "--target", "y", "--stream"]):
        assert "are one number" in linsep(*words, status=2).stderr
        linsep(*words, "--column", "y=category", "--model", str(tmp_path / "m"))
        linsep("score", str(tmp_path / "m"), path)


def test_labels_of_a_probe_that_are_codes_stay_apart(tmp_path: Path) -> None:
    for a, b in (("01", "1"), ("9007199254740992", "9007199254740993")):
        (tmp_path / "labels.csv").write_text(f"zip,size\n{a},1.0\n{b},1\n{a},2\n{b},2\n")
        found = probe({"layer": np.array([[1.0], [-1.0], [2.0], [-2.0]])}, str(tmp_path / "labels.csv"), labels="zip")
        assert [row.verdict for row in found.rows] == ["separable"]


@pytest.mark.parametrize("kind", [np.array, np.ndarray.tolist, sp.csr_matrix, lambda X: X.astype(object)])
def test_integers_beyond_doubles_are_asked_about_as_they_are(kind: Any) -> None:
    X, y = np.array([[2**53 + 1], [2**53]] * 2), ["a", "b"] * 2
    assert check_table(open_data((kind(X), y))).verdict == separability(X, y).verdict == "separable"
    assert explain(kind(X), y).rows.num_rows == 0


@pytest.mark.parametrize("third", ["3000000002", "3.000000002"])
def test_products_of_whole_numbers_are_not_rounded_whatever_holds_them(third: str, tmp_path: Path) -> None:
    path, other = tmp_path / "t.csv", third.replace("2", "1")
    path.write_text("y,a,c\n" + f"0,3000000000,{third}\n1,3000000001,{other}\n" * 3)
    tables: list[Any] = [open_data(str(path))]
    tables += [pd.read_csv(path).astype(float)] if "." not in third else []
    for table in tables:
        with pytest.raises(DataError, match="the products 'a:c' are beyond 2\\^53"):
            separation("y ~ a:c", data=table)
    single = pd.DataFrame({"a": [16777215, 16777214] * 3, "c": [16777213, 16777214] * 3}, dtype=np.float32)
    with pytest.raises(DataError, match="the products 'a:c' are beyond 2\\^24, which singles round"):
        separation("y ~ a:c", data=single.assign(y=[0, 1] * 3))
    assert separation("y ~ a:c", data=single.astype(float).assign(y=[0, 1] * 3)).verdict == "complete"


def test_truth_values_beside_a_missing_one_stay_numbers_and_columns_are_called_by_text() -> None:
    frame = pd.DataFrame({"y": [0, 0, 0, 0, 1, 0, 1, 1, 1], "t": [*[False] * 4, *[True] * 4, None], 0: 1})
    found = separation("y ~ 0 + t", data=frame, weights="0")
    assert (found.verdict, list(found.coefficients), found.n_missing) == ("overlap", ["t"], 1)


def test_a_product_of_decimals_that_is_rounded_to_a_whole_number_is_fragile() -> None:
    for a, b in ((1 / 3, 3.0), (0.5, 2.0)):
        found = separation("y ~ a:b", data={"y": [0, 1] * 3, "a": [a, 1.0] * 3, "b": [b, 1.0] * 3})
        assert (found.verdict, found.fragile) == ("overlap", True)


def test_dates_of_a_dataframe_are_days_as_those_of_a_file_are() -> None:
    frame = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-01"] * 2)})
    y = [0, 1, 1, 1, 0, 1, 0, 0]
    for table in (frame, pl.from_pandas(frame), open_data(frame.assign(y=y), target="y")):
        found = separation(table, None if isinstance(table, Source) else y)
        assert (found.verdict, list(found.coefficients)) == ("overlap", ["(Intercept)", "d (days)"])


def test_a_label_has_one_name_whatever_holds_it() -> None:
    single = np.array([0.1, 0.2], dtype=np.float32)
    assert names_of(single) == names_of(single.astype(np.float64)) == ("0.10000000149011612", "0.20000000298023224")
