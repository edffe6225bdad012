"""One Source: every format and compression, whole or in chunks, from wherever the bytes come."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from linsep import open_data
from linsep.data.columns import TableChunk
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.exact_decimals import exact_numbers
from linsep.data.readers import lines as blocks
from linsep.data.sources import of_batches
from linsep.data.sources.source import Source
from linsep.types import DataError

N = 40
_rng = np.random.default_rng(0)
ROWS: Any = pa.table(
    {
        "size": np.round(_rng.normal(size=N) * 100) / 8,
        "city": np.array(["Oslo", "Rome, old", 'so "called"', "two\nlines"])[_rng.integers(4, size=N)],
        "sold": np.where(_rng.normal(size=N) > 0, "yes", "no"),
    }
)
SPARSE = "".join(f"{1 - 2 * (k % 2)} 1:{k}.5 {k % 7 + 2}:1e-3\n" for k in range(N))
VOWPAL = "".join(f"{1 - 2 * (k % 2)} |a x:{k}.5 y{k % 7} |b:2 z\n" for k in range(N))


def content(format: str, rows: Any = ROWS) -> bytes:
    sink = io.BytesIO()
    if format == "csv":
        pyarrow.csv.write_csv(rows, sink)
    elif format == "parquet":
        pyarrow.parquet.write_table(rows, sink)
    elif format == "jsonl":
        sink.write("".join(json.dumps(row) + "\n" for row in rows.to_pylist()).encode())
    else:
        sink.write((SPARSE if format == "svmlight" else VOWPAL).encode())
    return sink.getvalue()


def compressed(raw: bytes, suffix: str) -> bytes:
    if not suffix:
        return raw
    sink = pa.BufferOutputStream()
    compress: Any = pa.CompressedOutputStream
    with compress(sink, {".gz": "gzip", ".zst": "zstd"}[suffix]) as file:
        file.write(raw)
    return sink.getvalue().to_pybytes()


def values(chunk: Any) -> Any:
    """What a chunk holds, as plain lists."""
    y = None if chunk.y is None else chunk.y.tolist()
    if not isinstance(chunk, TableChunk):
        X = chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.tocoo()
        return [X.tolist()] if isinstance(X, np.ndarray) else [X.row.tolist(), X.col.tolist(), X.data.tolist()], y
    columns: Any = chunk.columns
    return {c.name: c.text.to_pylist() if c.values is None else c.values.tolist() for c in columns}, y


def together(source: Source) -> Any:
    """All chunks of a source put together."""
    chunks: list[Any] = [chunk for chunk, _ in source.chunks()]
    y = [label for chunk in chunks for label in chunk.y.tolist()]
    if source.kind == "table":
        parts = [values(chunk)[0] for chunk in chunks]
        return {name: [v for part in parts for v in part[name]] for name in parts[0]}, y
    if isinstance(chunks[0].X, np.ndarray):
        return [np.concatenate([chunk.X for chunk in chunks]).tolist()], y
    width = max(chunk.X.shape[1] for chunk in chunks)
    X = sp.vstack([sp.csr_matrix((c.X.data, c.X.indices, c.X.indptr), (c.X.shape[0], width)) for c in chunks]).tocoo()
    return [X.row.tolist(), (X.col - (source.format == "svmlight")).tolist(), X.data.tolist()], y


@pytest.fixture(params=[64, 1 << 20])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", request.param)
    monkeypatch.setattr(blocks, "TABLE_BYTES", request.param)
    monkeypatch.setattr(of_batches, "BATCH_ROWS", 7 if request.param == 64 else 1 << 15)
    size: int = request.param
    return size


def asked(format: str) -> dict[str, Any]:
    return {"target": None if format in ("svmlight", "vw") else "sold", "format": format, "bits": 8}


FORMATS = ["csv", "jsonl", "parquet", "svmlight", "vw"]
WAYS = ["path", "bytes", "file", "BytesIO", "stdin", "pipe", "fifo"]


@pytest.mark.parametrize(
    ("suffix", "way"), [*(("", way) for way in WAYS), *product((".gz", ".zst"), ("path", "stdin"))]
)
@pytest.mark.parametrize("format", FORMATS)
def test_the_whole_is_its_chunks_however_the_bytes_come(
    tmp_path: Path, format: str, suffix: str, way: str, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = compressed(content(format), suffix)
    path = tmp_path / f"t.{format}{suffix}"
    path.write_bytes(raw)
    expected = values(open_data(content(format), **asked(format)).read())
    for take in (lambda source: values(source.read()), together):
        writer = None
        if way == "fifo":
            os.mkfifo(fifo := tmp_path / f"pipe{take is together}.{format}")
            writer = threading.Thread(target=fifo.write_bytes, args=(raw,))
            writer.start()
            given: Any = str(fifo)
        elif way == "pipe":
            read, write = os.pipe()
            writer = threading.Thread(target=lambda end=write: _write(end, raw))
            writer.start()
            given = os.fdopen(read, "rb")
        elif way == "stdin":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
            given = "-"
        else:
            ways: dict[str, Callable[[], Any]] = {
                "path": lambda: path, "bytes": lambda: raw, "file": lambda: path.open("rb"),
                "BytesIO": lambda: io.BytesIO(raw),
            }  # fmt: skip
            given = ways[way]()
        source = open_data(given, **asked(format))
        assert source.can_be_read_again == (way not in ("stdin", "pipe", "fifo"))
        assert (source.total_bytes == len(raw)) == source.can_be_read_again
        assert take(source) == expected
        if writer is not None:
            writer.join()
        if way in ("file", "pipe"):
            assert not given.closed
            given.close()


def _write(end: int, raw: bytes) -> None:
    with open(end, "wb") as file:
        file.write(raw)


@pytest.mark.parametrize("format", FORMATS)
def test_a_chunk_is_the_same_when_the_reading_begins_there(format: str, cut: int) -> None:
    source = open_data(io.BytesIO(content(format)), **asked(format))
    everything = list(source.chunks())
    assert everything[-1][1].row == N
    for k, (_, position) in enumerate(everything):
        after = list(source.chunks(position))
        assert [p for _, p in after] == [p for _, p in everything[k + 1 :]]
        assert [values(chunk) for chunk, _ in after] == [values(chunk) for chunk, _ in everything[k + 1 :]]


@pytest.mark.parametrize("way", ["pattern", "folder", "list", "paths"])
@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_several_files_are_one_table(tmp_path: Path, format: str, way: str, cut: int) -> None:
    paths = [tmp_path / f"part-{k}.{format}" for k in range(4)]
    for k, path in enumerate(paths):
        path.write_bytes(content(format, ROWS.slice(10 * k, 10)))
    ways: dict[str, Any] = {
        "pattern": str(tmp_path / "part-?.*"),
        "folder": tmp_path,
        "list": list(map(str, paths)),
        "paths": paths,
    }
    source = open_data(ways[way], target="sold")
    assert source.files == list(map(str, paths))
    assert values(source.read()) == together(source) == values(open_data(content(format), **asked(format)).read())
    where = source.read().where(25)
    assert where.startswith(str(paths[2])) and source.read().where(0).startswith(str(paths[0]))
    if format == "csv":  # a quoted line end moves the lines of later rows
        first = open_data(paths[2], target="sold").read()
        assert where == first.where(5)


def test_svmlight_files_share_the_index_of_the_first_column(tmp_path: Path) -> None:
    (tmp_path / "1.svm").write_text("1 1:0.25\n-1 3:2\n")
    (tmp_path / "2.svm").write_text("1 0:123456789012345678901\n-1 3:1e30\n")
    source = open_data(str(tmp_path))
    whole = source.read()
    assert (whole.X.shape, source.first_index, whole.y.tolist()) == ((4, 4), 0, [1, -1, 1, -1])
    numbers = exact_numbers(source)
    assert numbers.X[:, 0].tolist() == [0, 0, 123456789012345678901, 0]
    assert (numbers.X[0, 1], numbers.exponents[1]) == (25, 2)


def test_types_are_decided_over_the_columns_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,y\n1,p\n2,q\n")
    (tmp_path / "2.csv").write_text("y,a\np,u\nq,v\np,w\n")
    chunk = open_data(str(tmp_path), target="y").read()
    assert chunk.columns[0].text.to_pylist() == ["1", "2", "u", "v", "w"]
    assert chunk.where(4) == f"{tmp_path}/2.csv:4"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"1.csv": "a,y\n1,2\n", "2.csv": "b,y\n1,2\n"}, r"1\.csv and .*2\.csv: only one of them has a column 'a'"),
        ({"1.csv": "a,y\n1,2\n", "2.csv": "a,y\n1\n"}, r"2\.csv:2: 1 fields where the header has 2"),
        ({"1.csv": "a,y\n", "2.csv": "a,y\n"}, r"1\.csv: there is a header but no row"),
        ({"1.jsonl": '{"a": 1, "y": 1}', "2.jsonl": '{"a": "x", "y": 1}'}, r"1\.jsonl, and what follows it: columns"),
        ({"1.jsonl": '{"a": 1, "y": 1}', "2.jsonl": '{"b": 1, "y": 1}'}, r"2\.jsonl:1, column 'a': the value is miss"),
        ({"1.jsonl": "", "2.jsonl": "\n"}, r"1\.jsonl: there are no rows"),
        ({"1.csv": "a,y\n1,2\n", "2.vw": "1 |a b"}, "the names do not tell one format"),
        ({}, "is a folder without files"),
    ],
)
def test_files_that_do_not_go_together_are_refused(tmp_path: Path, names: dict[str, str], message: str) -> None:
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        _ = open_data(tmp_path, target="y").read().columns


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_dataframes_come_in_chunks_too(make: Any, cut: int) -> None:
    frame = make(ROWS.to_pydict())
    source = open_data(frame, target="sold")
    assert together(source) == values(source.read())
    everything = list(source.chunks())
    assert len(everything) == (6 if cut == 64 else 1)
    assert [p for _, p in source.chunks(everything[0][1])] == [p for _, p in everything[1:]]
    starts = [chunk.start for chunk, _ in everything]
    assert starts == [0, *(position.row for _, position in everything[:-1])]
    assert source.fingerprint() == [["dataframe", N, 3]]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, sp.csc_array, np.ndarray.tolist])
def test_arrays_come_in_chunks_too(make: Any, cut: int) -> None:
    X = np.arange(2.0 * N).reshape(N, 2) % 5
    source = open_data((make(X), np.arange(N) % 2))
    assert together(source) == values(source.read())
    assert source.can_be_read_again and source.total_bytes is None and source.files == []
    assert source.fingerprint() == [["arrays", N, 2]]


def test_a_pipe_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content("csv"))))
    source = open_data("-", target="sold")
    assert source.read() is source.read()
    with pytest.raises(DataError, match="standard input can be read only once"):
        next(source.chunks())


def test_a_file_object_is_read_from_where_it_stands() -> None:
    file = io.BytesIO(b"# heading\n" + content("csv"))
    file.readline()
    source = open_data(file, target="sold")
    assert together(source) == together(source) == values(open_data(content("csv"), target="sold").read())
    with pytest.raises(DataError, match="open the file for bytes"):
        open_data(io.StringIO("a,y\n1,2\n"))


def test_formats_that_were_read_in_chunks_alone_can_be_encoded_and_proved(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl.gz").write_bytes(compressed(content("jsonl"), ".gz"))
    source = open_data(tmp_path / "t.jsonl.gz", target="sold")
    X = TableEncoder().fit(source).transform(source).X
    assert np.array_equal(X, TableEncoder().fit(ROWS.drop(["sold"])).transform(ROWS.drop(["sold"])))
    vowpal = open_data(content("vw"), format="vw", bits=8)
    assert exact_numbers(vowpal).X.shape == (N, 256)
