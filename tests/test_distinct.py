"""Distinct texts of a column: each is looked at once, what is known goes with the column, and blocks change nothing."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep import open_data
from linsep.data.text import distinct as module
from linsep.data.text.distinct import by_distinct, decoded, distinct, known
from linsep.types import DataError

WORDS = st.lists(st.sampled_from(["", "a", "b ", "na", "2"]), min_size=1, max_size=30)


@given(WORDS)
def test_distinct_texts_give_the_column_back(words: list[str]) -> None:
    texts, codes = distinct(pa.array(words))
    assert texts.take(pa.array(codes)).to_pylist() == words
    assert texts.to_pylist() == list(dict.fromkeys(words))


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_blocks_with_dictionaries_of_their_own_are_one_column(blocks: list[list[str]]) -> None:
    text = decoded(pa.chunked_array([pa.array(block).dictionary_encode() for block in blocks]))
    words = [word for block in blocks for word in block]
    assert text.to_pylist() == words
    found = known(text)
    assert found is not None and found.texts.to_pylist() == list(dict.fromkeys(words))
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
    distinct(text)
    place, kept = id(text), known(text)
    assert kept is not None and module._known[place][1] is kept
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
    few, many = parts.column("b").text, parts.column("a")
    found = known(few)
    assert found is not None and found.texts.to_pylist() == ["odd", "even"]
    assert known(many.text) is None and many.values.tolist() == [k + 0.5 for k in range(400)]


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
    monkeypatch.setattr("linsep.data.readers.asked._CHECKED_BYTES", 16)
    content = b"a,y\n" + "é,0\n".encode() * 50 + b"\xff,1\n"
    with pytest.raises(DataError, match=r"^buffer:52: not UTF-8 text"):
        open_data(content, target="y").read()
