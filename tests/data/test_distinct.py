"""Distinct texts of a column: each is looked at once, what is known goes with the column, and blocks change nothing."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep import TableEncoder, open_data
from linsep.data import distinct as module
from linsep.data.columns import Column
from linsep.data.distinct import by_distinct, decoded, distinct, each_once, is_encoded
from linsep.data.numbers import why_names_of_rows
from linsep.types import DataError

WORDS = st.lists(st.sampled_from(["", "a", "b ", "na", "2"]), min_size=1, max_size=30)


@given(WORDS)
def test_distinct_texts_give_the_column_back(words: list[str]) -> None:
    texts, codes = distinct(pa.array(words))
    assert texts.take(pa.array(codes)).to_pylist() == words
    assert texts.to_pylist() == list(dict.fromkeys(words))


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_blocks_with_dictionaries_of_their_own_are_one_column(blocks: list[list[str]]) -> None:
    cells = pa.chunked_array([pa.array(block).dictionary_encode() for block in blocks])
    raw = cells.unify_dictionaries().combine_chunks()
    words = [word for block in blocks for word in block]
    assert decoded(raw).to_pylist() == words
    for text in (raw, decoded(raw)):
        found = distinct(text)
        assert found.texts.to_pylist() == list(dict.fromkeys(words))
        assert found.texts.take(pa.array(found.codes)).to_pylist() == words


@pytest.mark.parametrize("cells", [["x", "", "x"] * 500, ["x", None, ""] * 500, ["x", ""], []])
def test_a_test_by_distinct_texts_says_what_it_says_of_each_cell(cells: list[str | None]) -> None:
    looked_at: list[int] = []

    def is_empty(text: pa.Array) -> pa.Array:
        looked_at.append(len(text))
        return pc.fill_null(pc.equal(text, ""), False)

    said = by_distinct(is_empty)(pa.array(cells, pa.string()))
    assert said.tolist() == [cell == "" for cell in cells] and said.dtype == np.bool_
    assert looked_at == [2 if len(cells) > 1000 and None not in cells else len(cells)]


def test_what_is_known_goes_with_its_column() -> None:
    text = pa.array(["a", "b"])
    place, kept = id(text), distinct(text)
    assert distinct(text) is kept and module._known[place][1] is kept
    del text
    gc.collect()
    assert place not in module._known or module._known[place][1] is not kept


def in_small_blocks(monkeypatch: pytest.MonkeyPatch, content: bytes) -> Any:
    monkeypatch.setattr("linsep.data.readers.csv._BLOCK_BYTES", 256)
    return open_data(content, target="y").read()


def test_csv_is_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = [f'{k},"l{k % 3}\nof a cell","{"long " * (k % 7)}",{k % 2}\n' for k in range(40)]
    content = ("a,b,c,y\n" + "".join(lines)).encode()
    whole = open_data(content, target="y").read()
    parts = in_small_blocks(monkeypatch, content)
    for name in ("b", "c"):
        assert parts.column(name).text.to_pylist() == whole.column(name).text.to_pylist()
    assert parts.column("a").values.tolist() == [float(k) for k in range(40)]
    assert parts.y.tolist() == whole.y.tolist() and parts.where(39) == whole.where(39)


def test_columns_with_few_texts_keep_each_once_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{k}.5,{'even' if k % 2 else 'odd'},{k % 2}\n" for k in range(400)]
    parts = in_small_blocks(monkeypatch, ("a,b,y\n" + "".join(lines)).encode())
    few, many = parts.column("b").raw, parts.column("a")
    assert is_encoded(few) and few.dictionary.to_pylist() == ["odd", "even"]
    assert not is_encoded(many.raw) and many.values.tolist() == [k + 0.5 for k in range(400)]


@pytest.mark.parametrize("sizes", [(100, 100), (3, 100), (100, 3)])
@pytest.mark.parametrize("words", [("few", "{k} many"), ("{k} many", "few")])
def test_files_of_one_table_may_have_other_texts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, str], sizes: tuple[int, int]
) -> None:
    monkeypatch.setattr("linsep.data.readers.csv._BLOCK_BYTES", 256)
    expected = []
    for number, (word, size) in enumerate(zip(words, sizes, strict=True)):
        cells = [word.format(k=k) for k in range(size)]
        lines = [f"{cell},{k % 2}\n" for k, cell in enumerate(cells)]
        (tmp_path / f"{number}.csv").write_text("b,y\n" + "".join(lines), encoding="utf-8")
        expected += cells
    text = open_data(str(tmp_path / "*.csv"), target="y").read().column("b").text
    assert text.to_pylist() == expected


def test_a_ragged_row_of_a_later_block_is_told_by_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"a,y\n" + b"1,0\n" * 50 + b"1,2,0\n" + b"1,1\n" * 50
    with pytest.raises(DataError, match=r"^buffer:52: 3 fields where the header has 2"):
        in_small_blocks(monkeypatch, content)


def test_bytes_that_are_no_text_are_told_by_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.data.readers.written._CHECKED_BYTES", 16)
    content = b"a,y\n" + "é,0\n".encode() * 50 + b"\xff,1\n"
    with pytest.raises(DataError, match=r"^buffer:52: not UTF-8 text"):
        open_data(content, target="y").read()


CODED = st.lists(st.sampled_from([0, 1, 2, 4, None]), min_size=1, max_size=30)


@given(
    CODED, st.sampled_from([["b", "a", "c", "not there", ""], ["a", "b", "b", "x", "y"], ["a", None, "b", "c", "d"]])
)
def test_a_dictionary_is_put_in_order(codes: list[int | None], texts: list[str | None]) -> None:
    ordered = each_once(pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(texts, pa.large_string())))
    words = ["" if code is None else texts[code] or "" for code in codes]
    assert ordered.to_pylist() == words and ordered.dictionary.type == pa.string()
    assert ordered.dictionary.to_pylist() == list(dict.fromkeys(words))


def test_a_level_of_rows_that_are_left_out_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{'odd' if k % 2 else 'even'},{k % 2}\n" for k in range(200)] + ["lost,\n"]
    monkeypatch.setattr("linsep.data.readers.csv._BLOCK_BYTES", 256)
    rows = open_data(("a,y\n" + "".join(lines)).encode(), target="y", drop_unlabelled=True)
    assert TableEncoder().fit(rows).feature_names_ == ["a=even", "a=odd"]


@pytest.mark.parametrize("kept", [["a"], ["a", "b"], []])
def test_text_that_parquet_keeps_in_dictionaries_is_not_made_into_rows(tmp_path: Path, kept: list[str]) -> None:
    a, b = ["few", "texts", None] * 2000, [f"text {k % 5}" for k in range(6000)]
    table = pa.table({"a": pa.array(a, pa.large_string()), "b": b, "n": np.arange(6000)})
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=kept, row_group_size=1999, compression="none")
    chunk = open_data(tmp_path / "t.parquet").read()
    columns = {name: chunk.column(name) for name in ("a", "b")}
    assert [name for name, column in columns.items() if is_encoded(column.raw)] == kept
    assert columns["a"].text.to_pylist() == [cell or "" for cell in a]
    assert columns["b"].text.to_pylist() == b and columns["a"].missing.sum() == 2000


def test_a_dictionary_of_pandas_may_hold_levels_that_no_row_has() -> None:
    pd = pytest.importorskip("pandas")
    levels = pd.Categorical(["u", "v"] * 600, categories=["z", "v", "u"])
    encoder = TableEncoder().fit(pd.DataFrame({"a": levels, "b": [1.5, 2.5, 1.0] * 400}))
    assert encoder.feature_names_ == ["a=u", "a=v", "b"]


@given(st.lists(st.sampled_from([0.0, 3.0, -7.0, 2.0**21, -(2.0**60), np.inf, np.nan]), max_size=40))
def test_distinct_numbers_are_those_of_numpy(values: list[float]) -> None:
    column = Column("a", np.array(values), None)
    assert column.are_whole == all(value == np.floor(value) for value in values)
    assert np.array_equal(column.numbers, np.unique(np.array(values)), equal_nan=True)


@pytest.mark.parametrize(
    "content",
    [
        "a,y\n1,0\n2,1\n3,0\n",
        "a,y\n1,0\n2,1\n3,0",
        "a,y\r\n1,0\r\n2,1\r\n3,0\r\n",
        "a,y\n1,0\n\n2,1\n3,0\n",
        '\na,y\n"1",0\n"\n",1\n3,0\n',
    ],
)
def test_a_row_stands_where_it_stood_before_its_text_was_dropped(content: str) -> None:
    source = open_data(content.encode(), target="y")
    chunk, lines = source.read(), content.split("\n")
    assert lines[int(chunk.where(2).removeprefix("buffer:")) - 1].strip() == "3,0"
    assert lines[int(chunk.where(0).removeprefix("buffer:")) - 1].strip().strip('"') in ("1,0", '1",0')


def test_numbers_that_differ_in_blanks_are_one_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("linsep.data.readers.csv._BLOCK_BYTES", 1000)
    rows = "".join(f"{(' 10115', '10115', '80331')[k % 3]},{k % 2}\n" for k in range(400))
    source = open_data(f"zip,y\n{rows}".encode(), target="y")
    encoder = TableEncoder(columns={"zip": "category"}).fit(source)
    assert list(encoder.feature_names_) == ["zip=10115", "zip=80331"]
    assert np.ravel(encoder.transform(source).X.sum(axis=0)).tolist() == [267, 133]


# The ends of whole numbers of one, two, four and eight bytes, and of doubles that hold all of them.
EDGES = [sign * 2**k + more for k in (7, 8, 15, 31, 53) for sign in (1, -1) for more in (-1, 0)]
EDGES += [0, 1, -1, 2**63 - 1, -(2**63)]
ODD = [0, 3, 99, -99, 127, -128, 32767, -32768, 2**20, 20240326, None]


@given(st.lists(st.sampled_from(EDGES), min_size=1, max_size=5))
def test_whole_numbers_in_few_bytes_are_the_same_numbers(cells: list[int]) -> None:
    column = open_data(pa.table({"a": pa.array(cells, pa.int64())})).read().columns[0]
    assert column.stored is not None and column.values is not None
    assert column.values.dtype == np.float64
    assert column.values.tolist() == column.stored.tolist() == [float(cell) for cell in cells]
    needed = max(max(cell, -cell - 1).bit_length() for cell in cells)
    assert column.stored.itemsize == next((size for size in (1, 2, 4) if needed < 8 * size), 8)


@given(st.lists(st.sampled_from(ODD), min_size=40, max_size=50), st.sampled_from(["as they come", "up", "down"]))
def test_whole_numbers_are_encoded_as_the_same_doubles_are(cells: Sequence[int | None], order: str) -> None:
    if order != "as they come":
        cells = sorted((cell for cell in cells if cell is not None), reverse=order == "down") or [0]
    beside = [float(k % 7) + 0.5 for k in range(len(cells))]
    found = []
    for kind in (pa.int64(), pa.int32(), pa.float64()):
        source = open_data(pa.table({"a": pa.array(cells, kind), "user id": pa.array(cells, kind), "b": beside}))
        encoder = TableEncoder().fit(source)
        X = encoder.transform(source).X
        known = (encoder.feature_names_, encoder.left_out_, encoder.doubts_, encoder.missing_)
        found.append((np.asarray(X).tobytes(), *known))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("steps", [[1], [-1], [200, -100], [2, 3], [-200, 1]])
def test_steps_of_numbers_in_one_byte_are_not_cut_to_it(steps: list[int]) -> None:
    whole = np.array([steps[k % len(steps)] for k in range(60)]).cumsum() % 256 - 128
    short, double = (Column("No", whole.astype(kind), None) for kind in (np.int8, np.float64))
    assert why_names_of_rows(short) == why_names_of_rows(double)
