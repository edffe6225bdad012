"""`linsep fit` trains in the same way whatever holds the rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from in_process import linsep
from linsep import open_data
from linsep.store import read_origin
from linsep.types import DataError

N = 120


@pytest.fixture
def columns() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    size, city = rng.normal(size=N).round(3), rng.choice(["Oslo", "Rome"], N)
    sold = np.where(size + (city == "Rome") - 0.4 > 0.001 * rng.normal(size=N), "yes", "no")
    return {"size": size.tolist(), "city": city.tolist(), "sold": sold.tolist()}


def packed(content: bytes, kind: str) -> bytes:
    return bytes(pa.compress(content, kind, asbytes=True)) if kind == "zstd" else gzip.compress(content)


def test_the_model_is_the_same_from_every_container(
    columns: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = pa.table(columns)
    rows = list(zip(*columns.values(), strict=True))
    csv = ["size,city,sold", *(",".join(map(str, row)) for row in rows)]
    whole = ("\n".join(csv) + "\n").encode()
    lines = "".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()
    pyarrow.parquet.write_table(table, "t.parquet")
    (tmp_path / "parts").mkdir()
    for name, content in {
        "t.csv": whole,
        "t.csv.gz": packed(whole, "gzip"),
        "t.csv.zst": packed(whole, "zstd"),
        "t.tsv": whole.replace(b",", b"\t"),
        "t.jsonl": lines,
        "t.jsonl.zst": packed(lines, "zstd"),
        "parts/1.csv": "\n".join(csv[:50]).encode(),
        "parts/2.csv": "\n".join([csv[0], *csv[50:]]).encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
    found = {}
    for name in ("t.csv", "t.csv.gz", "t.csv.zst", "t.tsv", "t.jsonl", "t.jsonl.zst", "t.parquet", "parts", "parts/*"):
        receipt = json.loads(linsep("fit", name, "--target", "sold", "--model", "m.linsep", "--json").stdout)
        assert receipt["epochs"] > 1
        found[name] = read_origin(tmp_path / "m.linsep")["state_sha256"]
    assert len(set(found.values())) == 1, found


def test_vowpal_wabbit_text_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.vw").write_text("1 |a x:2 y\n-1 |a x:-1 z\n1 |a x:1\n" * 5)
    assert json.loads(linsep("fit", "t.vw", "--json").stdout)["stop_reason"] == "clean pass"


def cells_of(chunk: Any) -> dict[str, Any]:
    """The cells by column, numbers or text; None where one is missing."""
    found = {}
    for column in map(chunk.cells, chunk.names):
        cells = column.text.to_pylist() if column.values is None else column.values.tolist()
        missing = [False] * len(cells) if column.missing is None else column.missing
        found[column.name] = [None if gone or cell == "" else cell for cell, gone in zip(cells, missing, strict=True)]
    return found


def test_parts_of_an_object_are_columns_in_json_lines_and_in_parquet(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"user": {"age": 31, "home": {"city": "Oslo"}}, "paid": 12.5},
        {"user": {"age": None, "home": None}, "paid": 0.1},
        {"user": None, "paid": 3.25},
        {"user": {"home": {"city": "{"}, "age": 44}, "paid": 4.0},
    ]
    expected = {
        "user.age": [31.0, None, None, 44.0],
        "user.home.city": ["Oslo", None, None, "{"],
        "paid": [12.5, 0.1, 3.25, 4.0],
    }
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    pyarrow.parquet.write_table(
        pa.table({name: [row[name] for row in rows] for name in rows[0]}), tmp_path / "t.parquet"
    )
    read = {"jsonl": open_data(lines, format="jsonl"), "parquet": open_data(tmp_path / "t.parquet")}
    for source in read.values():
        chunk = source.read()
        assert {name: cells_of(chunk)[name] for name in expected} == expected
        assert sorted(chunk.names) == sorted(expected)
    ((chunk, _),) = open_data(lines, format="jsonl").chunks()
    assert cells_of(chunk) == cells_of(read["jsonl"].read())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (b'{"a.b": 1, "a": {"b": 2}}', r"buffer: two columns are called 'a\.b'; rename one"),
        (b'{"a": {"b": 1}}\n{"a": {"b": "x"}}\n', r"buffer:2: Column\(/a/b\) changed from number to string"),
        (b'{"a": {"b": 1}}\n{"a": {"b": 1}\n', "buffer:2: .*one JSON object is needed on each line"),
    ],
)
def test_objects_that_cannot_be_columns_are_named_by_their_lines(lines: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_data(lines, format="jsonl").read().columns  # noqa: B018
