"""Readers: what they accept, what they refuse and in which words."""

from __future__ import annotations

import gc
import gzip
import io
import json
import re
import tempfile
import tracemalloc
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_svmlight_file

from linsep.data.columns import Column, TableChunk
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.exact_decimals import exact_column, exact_numbers
from linsep.data.features.kinds import find_kinds
from linsep.data.readers.lines import Asked, Lines
from linsep.data.readers.sparse_text import SvmlightReader
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.types import DataError

TABLE = 'city,size,"note, long",sold\nOslo,50,"a, b",yes\nRome,60.5,"say ""hi""",no\nBari,7e1,"two\nlines",no\n'


def read_svmlight(content: bytes, name: str) -> Any:
    return SvmlightReader(Asked()).whole([Lines(content, name)])


def write(folder: Path, text: str | bytes, name: str = "t.csv") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize("form", ["plain", "gzip", "bom", "crlf"])
def test_csv_reads_quotes_commas_and_line_breaks(tmp_path: Path, form: str) -> None:
    content = TABLE.encode()
    content = {
        "plain": content,
        "gzip": gzip.compress(content),
        "bom": b"\xef\xbb\xbf" + content,
        "crlf": content.replace(b"\n", b"\r\n").replace(b"two\r\nlines", b"two\nlines"),
    }[form]
    chunk = open_data(write(tmp_path, content, "t.csv.gz" if form == "gzip" else "t.csv"), target="sold").read()
    assert [c.name for c in chunk.columns] == ["city", "size", "note, long"]
    assert chunk.columns[1].values.tolist() == [50.0, 60.5, 70.0]
    assert chunk.columns[2].text.to_pylist() == ["a, b", 'say "hi"', "two\nlines"]
    assert chunk.y.tolist() == ["yes", "no", "no"]


def test_csv_numbers_equal_what_pandas_wrote(tmp_path: Path) -> None:
    data = load_breast_cancer(as_frame=True).frame
    path = str(tmp_path / "bc.csv")
    data.to_csv(path, index=False)
    chunk = open_data(path, target="target").read()
    for column in chunk.columns:
        np.testing.assert_array_equal(column.values, data[column.name].to_numpy())
    assert chunk.y.dtype == np.int64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b,y\n", "a header but no row"),
        ("a,b\n1,2\n", r"no column called 'y'; there are 'a', 'b'"),
        ("y\n1\n", "no feature columns"),
        ("a,a,y\n1,2,3\n", "two columns are called 'a'"),
        ("a,y\n1,0\n2\n3,1\n", r"t\.csv:3: 1 fields where the header has 2"),
        ('a,t,y\n1,"x\ny",0\n2,z,1,9\n', r"t\.csv:4: 4 fields where the header has 3"),
        ("a,y\n1,0\n2,1\nabc,0\n", r"t\.csv:4, column 'a': 'abc' is not a finite number, but most"),
        ("a,y\n1,0\n,1\n3,0\n", r"t\.csv:3, column 'a': '' where the column holds numbers; fill or drop"),
        ("a,y\n1,0\nNA,1\n3,0\n", r"t\.csv:3, column 'a': 'NA' where the column holds numbers"),
        ("a,y\n1,0\nnan,1\n", r"t\.csv:3, column 'a': 'nan' where the column holds numbers"),
        ("a,y\n1,0\n2,1\ninf,1\n", r"t\.csv:4, column 'a': 'inf' is not a finite number; write the number"),
        ("a,y\n1,0\n1e999,1\n-inf,1\n", r"t\.csv:3, column 'a': '1e999' is not a finite number \(and in 1 more row\);"),
        ("a,y\n1,p\n2,\n", r"t\.csv:3, column 'y': the label is missing"),
        (b"a,y\n1,2\n\xff\xfe,1\n", r"t\.csv:3: not UTF-8 text"),
        ('a,y\n1,p\n2,"q\n3,r\n', r"t\.csv:3: malformed quotes \(unexpected end of data\)"),
        ('a,y\n1,p\n2,"q"r\n', r"t\.csv:3: malformed quotes"),
        ("a,,y\n1,2,3\n", r"t\.csv:1: column 2 has no name; name it, or write the table without"),
        ("a" * 200_000 + "\n1\n", "not a header of column names"),
        ("a,b,y\n" + "x" * 200_000 + ",1,0\nx,z,1\nx,2,1\nx,3,1\n", r"t\.csv:3, column 'b': 'z' is not"),
        ("a;y\n1;2\n3\n", r"t\.csv:1: one column, or several with ';' between them, but not all lines have as many"),
        ("a,y\n1,0\n2,1\n1_0,0\n", "'1_0' is not a finite number"),
        ("a,y\n1,0\n2,1\n0x1,0\n", "'0x1' is not a finite number"),
        ("a,y\n1,p\n2,  \n", r"t\.csv:3, column 'y': the label is missing"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "."),
    ],
)
def test_csv_refuses(tmp_path: Path, text: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        _ = open_data(write(tmp_path, text), target="y").read().columns


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: open_data(d / "none.csv"), "there is no file"),
        (lambda d: open_data(d.parent / "empty", format="csv"), "is a folder without files"),
        (lambda d: open_data(d / "t.doc"), "its name does not tell its format"),
        (lambda d: open_data(str(d / "x*.csv")), "there is no file of that name"),
        (lambda d: open_data("-", format="arff"), "no format called 'arff'"),
        (lambda d: open_data(d / "t.csv", format="word"), "choose csv, parquet, jsonl, svmlight, vw or excel"),
        (lambda d: open_data(d / "t.svm", target="y"), "begin with their label"),
        (lambda d: open_data((np.ones((2, 2)), [1, 2, 3])), "X has 2 rows and y 3 labels"),
        (lambda d: open_data((np.ones((0, 2)), [])), r"its shape is \(0, 2\)"),
        (lambda d: open_data((np.ones(2), [0, 1])), r"its shape is \(2,\)"),
        (
            lambda d: open_data((np.array([[1.0, 2.0], [3.0, np.nan]]), [0, 1])),
            "row 1 .counted from 0., column 1: nan is not a finite",
        ),
        (
            lambda d: open_data((sp.csr_matrix([[0, 0, 1.0], [0, 0, np.inf]]), [0, 1])),
            "row 1 .counted from 0., column 2: inf is not",
        ),
        (lambda d: open_data((np.array([["a"]]), [0])), "X must hold numbers in every column"),
        (
            lambda d: open_data((np.eye(2), ["a", 1])),
            "column 'y': the label 1 is of the type number, and those before are of the type text",
        ),
        (lambda d: open_data((np.eye(2), np.eye(2))), "one label a row is needed"),
        (lambda d: open_data((np.eye(2), [1.0, None])), "row 1 .counted from 0., column 'y': the label is missing"),
        (lambda d: open_data(3), "cannot read rows from int: give a path, a dataframe, or a pair"),
        (lambda d: open_data(pd.DataFrame([[1, 2]], columns=["a", "a"])), "unique column names"),
    ],
)
def test_the_door_refuses(tmp_path: Path, call: Any, message: str) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (tmp_path / "empty").mkdir()
    for name in ("t.csv", "t.svm", "t.doc"):
        (folder / name).touch()
    with pytest.raises(DataError, match=message):
        call(folder).read()


@pytest.mark.parametrize("take", [Source.read, lambda source: list(source.chunks())])
@pytest.mark.parametrize("kind", ["gzip", "zstd", "parquet", "parquet's first bytes"])
def test_a_file_cut_short_is_refused(kind: str, take: Any, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": [1, 2], "sold": [0, 1]}), buffer)
    rows, parquet = b"a,sold\n" + b"1,2\n" * 9000, "not a whole Parquet file"
    whole, suffix, said = {
        "gzip": (gzip.compress(rows)[:-20], "csv.gz", "cut short or damaged"),
        "zstd": (pa.compress(rows, "zstd", asbytes=True)[:-20], "csv.zst", "cut short or damaged"),
        "parquet": (buffer.getvalue()[:-9], "parquet", parquet),
        "parquet's first bytes": (b"PAR1 and no more", "parquet", parquet),
    }[kind]
    with pytest.raises(DataError, match=said):
        take(open_data(write(tmp_path, whole, f"t.{suffix}"), target="sold"))


def test_an_empty_file_has_no_chunks_and_names_of_columns_are_text(tmp_path: Path) -> None:
    assert list(open_data(write(tmp_path, b""), target="y").chunks()) == []
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"name": [1, 2], "y": [0, 1]}), buffer)
    with pytest.raises(DataError, match="a column has a name that is not UTF-8 text"):
        open_data(buffer.getvalue().replace(b"name", b"n\xb0me"), format="parquet", target="y").read()


def test_parquet_that_holds_fewer_rows_than_it_says_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": [1, 2], "y": [0, 1]}), buffer)
    source = open_data(buffer.getvalue(), format="parquet", target="y")
    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "iter_batches", lambda *asked, **options: iter(()))
    with pytest.raises(DataError, match="not a whole Parquet file: it says 2 rows and holds 0"):
        list(source.chunks())


@pytest.mark.parametrize("content", [b"\x1f\x8b99 | ", b"\x28\xb5\x2f\xfd86", b"\x1f\x8b\x1f\x8b\x8b"])
def test_text_that_begins_as_a_compressed_file_comes_to_an_end(content: bytes) -> None:
    source = open_data(content, format="vw", bits=10, max_record_bytes=400)
    with pytest.raises(DataError, match="the compressed file is cut short or damaged"):
        list(source.chunks())


def test_a_file_cut_short_leaves_no_memory_behind() -> None:
    cut = gzip.compress(TABLE.encode() * 50)[:-20]

    def refused() -> None:
        with pytest.raises(DataError, match="cut short or damaged"):
            open_data(cut, format="csv", target="sold").read()

    refused()
    tracemalloc.start()
    for _ in range(30):
        refused()
    gc.collect()
    left = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert left < 2**19  # a buffer of 2^16 bytes was lost each time


def test_labels_are_numbers_if_all_of_them_are(tmp_path: Path) -> None:
    whole = open_data(write(tmp_path, "a,y\n1,+1\n2, -1\n3,2e0\n"), target="y").read().y
    assert (whole.dtype, whole.tolist()) == (np.int64, [1, -1, 2])
    assert open_data(write(tmp_path, "a,y\n1,.5\n2,1\n"), target="y").read().y.tolist() == [0.5, 1.0]
    assert open_data(write(tmp_path, "a,y\n1,1\n2,one\n"), target="y").read().y.tolist() == ["1", "one"]
    assert open_data((np.eye(3), [1, 2.5, np.int32(3)])).read().y.tolist() == [1.0, 2.5, 3.0]


def test_a_mostly_numeric_column_can_be_read_as_categories(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y\n01,0\n2,1\nx,0\n")
    assert open_data(path, target="y", categorical=["a"]).read().columns[0].text.to_pylist() == ["01", "2", "x"]


def test_standard_input_is_csv_and_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    source = open_data("-", target="sold")
    assert source.name == "standard input"
    assert [source.read().n_rows for _ in range(2)] == [3, 3]


# ------------------------------------------------------------ typed tables
COLUMNS = {"n": [1.5, 2.0], "i": [1, 2], "b": [True, False], "s": ["u", "v"], "y": ["p", "q"]}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame, "parquet"])
def test_dataframes_and_parquet_agree(tmp_path: Path, make: Any) -> None:
    if make == "parquet":
        source: Any = str(tmp_path / "t.parquet")
        pyarrow.parquet.write_table(pa.table(COLUMNS), source)
    else:
        source = make(COLUMNS)
    chunk = open_data(source, target="y", categorical=["i"]).read()
    assert [c.is_number for c in chunk.columns] == [True, False, True, False]
    assert chunk.columns[1].text.to_pylist() == ["1", "2"]
    assert chunk.columns[2].values.tolist() == [1.0, 0.0]
    assert chunk.y.tolist() == ["p", "q"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1.0, None], "y": [0, 1]}, "row 1 .counted from 0., column 'a': the value is missing"),
        ({"a": [1.0, 2.0], "y": ["p", None]}, "row 1 .counted from 0., column 'y': the label is missing"),
        ({"a": pa.array([0, 1], pa.time32("s")), "y": [0, 1]}, "column 'a' has type time32"),
        ({"a": [1.0, float("nan")], "y": [0, 1]}, "row 1 .counted from 0., column 'a': the value is missing"),
        ({"a": [[1], [2]], "y": [0, 1]}, "column 'a' has type list"),
        ({"a": pa.array([], pa.int64()), "y": pa.array([], pa.int64())}, "there are no rows"),
    ],
)
def test_parquet_refuses(columns: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        _ = open_data(pa.table(columns), target="y").read().columns


# -------------------------------------------------------------------- svmlight
@given(st.integers(0, 10**6), st.booleans())
def test_svmlight_reads_what_scikit_learn_writes(seed: int, zero_based: bool) -> None:
    rng = np.random.RandomState(seed)
    dense = rng.randn(8, 5) * (rng.rand(8, 5) < 0.4)
    dense[0, [0, 4]] = 1.0, rng.randn()
    X = sp.csr_matrix(dense)
    buffer = io.BytesIO()
    dump_svmlight_file(X, rng.randint(0, 2, 8), buffer, zero_based=zero_based)
    np.testing.assert_allclose(read_svmlight(buffer.getvalue(), "t").chunk.X.toarray(), X.toarray(), rtol=1e-15)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_svmlight_numbers_are_read_exactly(value: float) -> None:
    assert read_svmlight(f"1 3:{value!r}".encode(), "t").chunk.X[0, 2] == value


DECIMAL = st.from_regex(r"\A[+-]?([0-9]{1,24}(\.[0-9]{0,24})?|\.[0-9]{1,24})([eE][+-]?[0-9]{1,2})?\Z")


@given(st.lists(DECIMAL, min_size=1, max_size=5), DECIMAL)
def test_svmlight_decimals_are_rounded_as_python_does(values: list[str], label: str) -> None:
    if Decimal(label) != Decimal(repr(float(label))):
        with pytest.raises(DataError, match="has more digits than double precision holds"):
            read_svmlight(f"{label} 1:1".encode(), "t")
        label = "1"
    line = " ".join([label, *(f"{j + 1}:{value}" for j, value in enumerate(values))])
    chunk, first, decimals, _ = read_svmlight(line.encode(), "t")
    assert chunk.X.data.tolist() == [float(value) for value in values]
    assert np.asarray(chunk.y).tolist() == [float(label)]
    assert first == 1
    for k, value in enumerate(values):
        written = decimals.beyond.get(k) or f"{decimals.mantissa[k]}e{decimals.exponent[k]}"
        assert Fraction(written) == Fraction(value)


def test_svmlight_is_the_same_in_pieces() -> None:
    pieces = [b"1 1:3 2:-4\n", b"0 2:7 5:2\n" * 40, b"0 2:0.5\n"]
    found: Any = SvmlightReader(Asked()).whole([Lines(piece, "t") for piece in pieces])
    once = read_svmlight(b"".join(pieces), "t")
    assert (found.chunk.X != once.chunk.X).nnz == 0 and found.chunk.X.shape == once.chunk.X.shape
    assert np.array_equal(np.asarray(found.chunk.y), np.asarray(once.chunk.y))


@given(st.text(alphabet="01.:e+-# \n\tnq", max_size=25))
def test_svmlight_text_is_read_or_refused_at_a_place(text: str) -> None:
    try:
        chunk = read_svmlight(text.encode(), "t").chunk
    except DataError as error:
        assert re.match(r"t:(\d+:\d+: expected .* found| there are no rows| not one row has)", str(error))
        return
    rows = [line.partition("#")[0].split() for line in text.split("\n")]
    rows = [row for row in rows if row]
    assert np.asarray(chunk.y).tolist() == [float(row[0]) for row in rows]
    assert chunk.X.data.tolist() == [float(entry.partition(":")[2]) for row in rows for entry in row[1:]]
    assert np.diff(chunk.X.indptr).tolist() == [len(row) - 1 for row in rows]


def test_svmlight_equals_scikit_learns_reader(tmp_path: Path) -> None:
    text = "-1 1:0.25 7:1e-3 # note\n\n+1 2:-3 3:.5\t9:1E2\r\n1.5 # no feature\n0 4:12345678901234567890.5\n"
    path = write(tmp_path, text.replace(".5\t", ".5 "), "t.svmlight")
    chunk = open_data(write(tmp_path, gzip.compress(text.encode()), "t.svm.gz")).read()
    X, y = load_svmlight_file(path)
    np.testing.assert_array_equal(chunk.X.toarray(), X.toarray())
    np.testing.assert_array_equal(chunk.y, y)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n0 2:x\n", r"t\.svm:2:5: expected a finite number, found 'x'"),
        ("1 1:2\n0 b\n", r"t\.svm:2:3: expected index:value, found 'b'"),
        ("1 1:2\n0 2:\n", r"t\.svm:2:5: expected a finite number, found 'nothing'"),
        ("1 2:1 1:3\n", r"t\.svm:1:7: expected an index above the one before, found '1:3'"),
        ("1 1:1 11:1 1:1\n", r"t\.svm:1:12: expected an index above"),
        ("1 1:1 1:1\n", r"t\.svm:1:7: expected an index above"),
        ("1 qid:3 1:3\n", "query ids are not used"),
        ("1 -1:3\n", r"t\.svm:1:3: expected index:value"),
        ("1 99999999999999999999:3\n", r"t\.svm:1:3: expected an index below 2147483648"),
        ("one 1:3\n", r"t\.svm:1:1: expected a label"),
        ("1,2 1:3\n", r"t\.svm:1:1: expected a label"),
        ("nan 1:3\n", r"t\.svm:1:1: expected a label"),
        ("1 1:nan\n", "expected a finite number, found 'nan'"),
        ("1 1:-inf\n", "expected a finite number, found '-inf'"),
        ("1 1:1\n1 1:1 2:1e999\n", r"t\.svm:2:9: expected a finite number, found '1e999'"),
        ("1 1:1_0\n", "expected a finite number, found '1_0'"),
        ("1 1:1e\n", "expected a finite number, found '1e'"),
        ("# only a comment\n", "there are no rows"),
        ("", "there are no rows"),
        ("1\n0\n", "not one row has a feature"),
    ],
)
def test_svmlight_refuses(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_data(write(tmp_path, text, "t.svm")).read()


# --------------------------------------------------------------- exact numbers


@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30),
        min_size=2,
        max_size=6,
    )
)
def test_every_decimal_is_exact(values: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = "a,y\n" + "".join(f"{v},{i % 2}\n" for i, v in enumerate(values))
        numbers = exact_numbers(open_data(write(Path(folder), text), target="y"))
    k = numbers.exponents[0]
    assert [Fraction(int(m)) / Fraction(10) ** k for m in numbers.X[:, 0]] == [Fraction(v) for v in values]


def exact(tmp_path: Path, text: str) -> Any:
    return exact_numbers(open_data(write(tmp_path, text, "t.svm")))


def test_svmlight_decimals_become_integers(tmp_path: Path) -> None:
    numbers = exact(tmp_path, "1 1:.1 2:.3\n0 1:.2 2:.6\n1 1:.3 2:.9 4:2e3\n")
    assert numbers.X.toarray().tolist() == [[1, 3, 0, 0], [2, 6, 0, 0], [3, 9, 0, 2]]
    assert numbers.exponents == [1, 1, 0, -3]
    assert numbers.names == ["x1", "x2", "x3", "x4"]


@pytest.mark.parametrize("value", ["0.12345678901234567", "1234567890123456789.25", "1e300", "9007199254740993"])
def test_svmlight_decimals_with_many_digits_stay_exact(tmp_path: Path, value: str) -> None:
    text = f"1 1:{value} 2:0e-9\n0 1:3\n"
    numbers = exact(tmp_path, text)
    assert numbers.X.dtype == object and numbers.as_written
    column = [Fraction(m) / Fraction(10) ** numbers.exponents[0] for m in numbers.X[:, 0]]
    assert column == [Fraction(value), 3]
    assert numbers.X[:, 1].tolist() == [0, 0]


def test_doubles_take_the_place_of_too_many_integers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.data.features.exact_decimals._MOST_INTEGERS", 1)
    numbers = exact(tmp_path, "1 1:0.12345678901234567\n0 1:3\n")
    assert not numbers.as_written
    assert numbers.X.toarray().tolist() == [[0.12345678901234567], [3.0]]


def test_powers_of_ten_have_a_limit(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="powers of ten beyond 5000"):
        exact_numbers(open_data(write(tmp_path, "a,y\n1e-9999,0\n2,1\n"), target="y"))
    zero = exact_numbers(open_data(write(tmp_path, "a,y\n0e99999999999999999999,0\n2.5,1\n"), target="y"))
    assert zero.X.tolist() == [[0], [25]]


def test_whole_numbers_and_decimals_beyond_doubles_stay_exact() -> None:
    big = 2**60 + 1
    table = pa.table({"i": [big, 2], "d": pa.array([Decimal("0.1"), Decimal("0.3")]), "y": [0, 1]})
    numbers = exact_numbers(open_data(table, target="y"))
    assert numbers.X.tolist() == [[big, 1], [2, 3]]
    assert numbers.exponents == [0, 1]


def test_whole_numbers_of_json_lines_are_exact_and_others_doubles(tmp_path: Path) -> None:
    big = 2**53 + 1
    text = "\n\n".join(map(json.dumps, [{"a": 0.1, "b": big, "y": 0}, {"y": 1, "b": 5, "a": 3}]))
    numbers = exact_numbers(open_data(write(tmp_path, text, "t.jsonl"), target="y"))
    assert numbers.X.tolist() == [[0.1, big], [3.0, 5]]
    assert numbers.exponents == [0, 0]


@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_times_finer_than_a_microsecond_are_not_taken_for_equal(zone: str | None) -> None:
    nanos = [1_700_000_000_000_000_001, None, 1_700_000_000_000_000_002]
    times = pa.array(nanos, pa.timestamp("ns", zone))
    table = pa.table({"a": [1, 2, 3], "t": times, "y": [0, 1, 1]})
    for kinds in ({}, {"t": "category"}, {"t": "datetime"}):
        with pytest.raises(DataError, match="column 't': times finer than a microsecond are not handled exactly"):
            exact_numbers(open_data(table, target="y"), kinds=kinds)
    assert exact_numbers(open_data(table, target="y"), kinds={"t": "skip"}).names == ["a"]
    encoder = TableEncoder().fit(open_data(table, target="y"))  # to learn from, microseconds will do
    assert np.isfinite(encoder.transform(open_data(table, target="y")).X).all()
    whole = pa.table({"a": [1, 2, 3], "t": pa.array([1000, 2000, 3000], pa.timestamp("ns", zone)), "y": [0, 1, 1]})
    numbers = exact_numbers(open_data(whole, target="y"), kinds={"t": "datetime"})
    assert (numbers.X.tolist(), numbers.exponents) == ([[1, 1], [2, 2], [3, 3]], [0, 6])


def test_text_becomes_indicators_and_doubles_stay(tmp_path: Path) -> None:
    numbers = exact_numbers(open_data(pa.table({"a": [0.1, 0.2], "b": ["v", "u"], "y": [0, 1]}), target="y"))
    assert numbers.names == ["a", "b=u", "b=v"]
    assert numbers.X.tolist() == [[0.1, 0, 1], [0.2, 1, 0]]


def test_a_header_cut_by_a_carriage_return_is_one_sentence() -> None:
    source = open_data(b'c0,y\r}\n-2.5,"1"\r\n\r\n', target="y", format="csv", sep=",")
    with pytest.raises(DataError, match="fields where the header has 2"):
        list(source.chunks())


def test_a_column_without_any_value_is_one_of_missing_categories() -> None:
    column = open_data(b"a,b,y\n1,,p\n2,,q\n", target="y").read().cells("b")
    assert column is not None
    assert column.missing is not None
    assert (column.is_number, column.missing.tolist()) == (False, [True, True])


def told(chunk: Any, name: str) -> float:
    """The sum of a column of numbers."""
    return float(chunk.cells(name).values.sum())


def test_a_column_that_is_no_numbers_and_no_text_is_named() -> None:
    rows = b"".join(b'{"a": %d, "l": [1], "n": null, "s": [2], "m": [3]}\n' % k for k in range(9))
    source = open_data(rows, format="jsonl")
    with pytest.raises(DataError, match=r"^buffer:1, column 'l' has type list<item: int64>: make it numbers or text"):
        find_kinds(source.read(), {"s": "skip"})
    with pytest.raises(DataError, match=r"column 'l' has type list<.* leave it out \(--column l=skip\)$"):
        find_kinds(source.read(), dict.fromkeys("sm", "skip"))
    assert find_kinds(source.read(), dict.fromkeys("lsm", "skip")).left_out == {"n": "no value in any row"}
    assert find_kinds(source.read(), dict.fromkeys("lsmn", "skip")).left_out == {}


def test_a_table_without_the_target_or_a_feature_is_refused() -> None:
    with pytest.raises(DataError, match=r"no column called 'z'; there are 'y'"):
        open_data(b"y\nno\nyes\n", target="z").read()
    with pytest.raises(DataError, match=r"no feature columns: the only column is 'y'"):
        open_data(b"y\na,b\n", target="y").read()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_lines_above_the_table_are_skipped_and_counted(mark: bytes, tmp_path: Path) -> None:
    table = b"size;city;y\n1,5;Rome;no\n;Oslo;yes\n"
    above = mark + b"Sales, 2024\n\nfrom 1.1. to 31.3.\n"
    plain, skipped = (open_data(text, target="y", skip_rows=n) for text, n in ((table, 0), (above + table, 3)))
    one, two = plain.read(), skipped.read()
    assert one.names == two.names == ["size", "city"]
    assert one.cells("size").values[0] == two.cells("size").values[0] == 1.5
    assert skipped.read_as == "columns separated by ';', decimal comma"
    [(_, position)] = list(open_data(above + table, target="y", skip_rows=3).chunks())
    assert position.row == 2
    for k in "ab":
        (tmp_path / f"{k}.csv").write_bytes(above + table)
    whole = open_data(tmp_path, target="y", skip_rows=3)
    assert whole.read().n_rows == 4
    bad = above + table + b"2;Bonn;\n"
    for read in (lambda one: one.read(), lambda one: list(one.chunks())):
        with pytest.raises(DataError, match=r"buffer:7, column 'y': the label is missing"):
            read(open_data(bad, target="y", skip_rows=3))
    with pytest.raises(DataError, match=r"buffer: --read skip_rows=9 \(skip_rows=\) leaves nothing of 7 lines"):
        open_data(above + table, target="y", skip_rows=9).read()
    with pytest.raises(DataError, match="skip_rows is for csv, excel, and this is jsonl"):
        open_data(b"", format="jsonl", skip_rows=1)


def test_columns_without_a_name_and_without_a_cell_are_left_out() -> None:
    rows = "a,,y,\n" + "".join(f"{k % 7},,{'np'[k % 2]},\n" for k in range(30))
    for chunk in (
        open_data(rows.encode(), target="y").read(),
        *(chunk for chunk, _ in open_data(rows.encode(), target="y").chunks()),
    ):
        assert isinstance(chunk, TableChunk)
        assert chunk.names == ["a", "unnamed 2", "unnamed 4"]
    found = find_kinds(open_data(rows.encode(), target="y").read(), {})
    assert found.left_out == dict.fromkeys(["unnamed 2", "unnamed 4"], "no value in any row")
    with pytest.raises(DataError, match=r"buffer:1: column 4 has no name; name it"):
        open_data((rows + "1,,n,x\n").encode(), target="y").read()


def test_a_stream_goes_on_after_skipped_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.data.readers.lines.TABLE_BYTES", 64)
    rows = "".join(f"{k % 7},{'yes' if k % 7 > 3 else 'no'}\n" for k in range(400))
    source = open_data(f"Sales\n\na,y\n{rows}".encode(), target="y", skip_rows=2)
    whole = [(told(chunk, "a"), position) for chunk, position in source.chunks()]
    assert whole[-1][1].row == 400 and sum(total for total, _ in whole) == sum(k % 7 for k in range(400))
    for k, (_, position) in enumerate(whole):
        assert [(told(chunk, "a"), at) for chunk, at in source.chunks(position)] == whole[k + 1 :]


# ------------------------------------------------------------------------- numbers as they are written
_NUMBER = st.from_regex(r"\A-?[0-9]{1,4}(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?\Z")


@given(st.lists(_NUMBER, min_size=1, max_size=6))
def test_columns_are_the_integers_that_they_are_written_as(texts: list[str]) -> None:
    """m / 10^k is each number as written, whether a power of ten stands in it or not."""
    column = Column("x", np.array([float(text) for text in texts]), pa.array(texts))
    m, k = exact_column(column)
    assert [Fraction(int(value)) / Fraction(10) ** k for value in m] == [Fraction(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "rounded"),
    [
        (b'{"a": 100000000000000000001}\n{"a": 1}', "buffer:1: column 'a' holds doubles, which round numbers beyond"),
        (b'{"a": 0.5}\n{"a": 9007199254740993}', "column 'a' holds doubles"),
        (b'{"u": {"v": {"a": 0.5}}}\n{"u": {"v": {"a": -9007199254740993}}}', r"column 'u\.v\.a' holds doubles"),
        (b'{"a": ' + b"1" * 400 + b"}", "column 'a' holds doubles"),
        (b'{"a": 100000000000000000001e0}\n{"a": 0.5}', "column 'a' holds doubles"),
        (b'{"i": 9007199254740993, "a": 9007199254740993}\n{"i": 1, "a": 0.5}', "column 'a' holds doubles"),
        (b'{"a": 9007199254740993}\n{"a": 1}', None),
        (b'{"a": 1e200}\n{"a": 0.5}', None),
        (b'{"a": 1e200, "b": 0.1234567890123456789}\n{"a": 0.5}', None),
    ],
)
def test_whole_numbers_of_json_are_not_rounded(text: bytes, rounded: str | None) -> None:
    source = open_data(text, format="jsonl")
    if rounded is None:
        assert source.read().n_rows == 2
        return
    with pytest.raises(DataError, match=rounded):
        source.read()


def test_a_mark_of_byte_order_in_the_first_cell_is_part_of_it() -> None:
    chunk = open_data("a,k\n\ufeffx,no\nx,yes\n".encode(), target="k").read()
    assert isinstance(chunk, TableChunk)
    assert chunk.cells("a").raw.to_pylist() == ["\ufeffx", "x"]
