"""Reading a piece at a time: the same rows whatever the format, compression and cut, and errors with a place."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_svmlight_file

from linsep import AveragedPerceptron, MarginPerceptron, PassiveAggressive, Perceptron, fit_stream
from linsep.data.features.encoder import TableEncoder
from linsep.data.inputs import Input
from linsep.data.readers import lines as blocks
from linsep.data.readers.lines import Cut, iter_blocks
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Position, Source
from linsep.streaming.progressive import predict_then_learn
from linsep.streaming.result import StreamError, StreamWarning
from linsep.types import DataError

LEARNERS = [AveragedPerceptron(), MarginPerceptron(), *(PassiveAggressive(variant=v) for v in ("pa", "pa1", "pa2"))]


@pytest.fixture(params=[64, 700, 1 << 20])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Blocks of so many bytes."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", request.param)
    monkeypatch.setattr(blocks, "TABLE_BYTES", request.param)
    size: int = request.param
    return size


def table(n: int) -> pa.Table:
    rng = np.random.default_rng(0)
    city, note = np.array(["Oslo", "Rome, old", 'so "called"', "two\nlines"]), np.array(["a big one", "small", "é"])
    size = np.round(rng.normal(size=n) * 100) / 8
    sold = np.where(size + rng.normal(size=n) > 0, "yes", "no")
    columns = {"size": size, "city": city[rng.integers(4, size=n)], "note": note[rng.integers(3, size=n)], "sold": sold}
    return pa.table(columns)


def write(rows: pa.Table, path: Path) -> None:
    """In the format and compression that the name tells."""
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(rows, str(path))
        return
    sink = io.BytesIO()
    if ".jsonl" in path.name:
        sink.write("".join(json.dumps(row) + "\n" for row in rows.to_pylist()).encode())
    else:
        pyarrow.csv.write_csv(rows, sink)
    kind = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
    file: Any = pa.CompressedOutputStream(str(path), kind) if kind else path.open("wb")
    with file:
        file.write(sink.getvalue())


def learnt(stream: Source, learner: Any = None) -> tuple[Any, Any]:
    """The weights of one pass, and all rows as they were encoded."""
    encoder, parts = TableEncoder(bits=10, columns={"note": "text"}), []
    learner = Perceptron() if learner is None else learner
    for chunk, _ in stream.chunks():
        stream.asked.categorical |= frozenset(encoder.text_columns)
        parts.append((encoder.learn_chunk(chunk), chunk.y))
        predict_then_learn(learner, *parts[-1], classes=["no", "yes"])
    return learner, (sp.vstack([X for X, _ in parts]).tocsr(), np.concatenate([y for _, y in parts]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS)
def test_one_pass_of_any_learner_is_fit_to_the_bit(tmp_path: Path, learner: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(blocks, "TABLE_BYTES", 64)
    write(table(60), tmp_path / "t.jsonl")
    streamed, (X, y) = learnt(open_data(str(tmp_path / "t.jsonl"), target="sold"), clone(learner))
    fitted = learner.set_params(max_iter=1, shuffle=False).fit(X, y)
    assert np.array_equal(streamed.coef_, fitted.coef_)
    assert np.array_equal(streamed.intercept_, fitted.intercept_)
    assert streamed.n_mistakes_ == fitted.n_mistakes_


def test_svmlight_and_vowpal_wabbit_against_other_readers(tmp_path: Path, cut: int) -> None:
    rng = np.random.default_rng(1)
    lines, vowpal = [], []
    for _ in range(50):
        columns = np.sort(rng.choice(90, 5, replace=False)) + 1
        values = [repr(float(v)) for v in rng.normal(size=5) * 10.0 ** rng.integers(-30, 30, 5)]
        label = rng.choice(["-1", "+1"])
        lines.append(f"{label} " + " ".join(f"{j}:{v}" for j, v in zip(columns, values, strict=True)) + " # note")
        vowpal.append(f"{label} 'tag|a:2 " + " ".join(f"n{j}:{v}" for j, v in zip(columns, values, strict=True)))
    (tmp_path / "t.svm").write_text("\n".join(lines))
    (tmp_path / "t.vw").write_text("\n\n".join(vowpal) + "\n")
    theirs, labels = load_svmlight_file(str(tmp_path / "t.svm"), n_features=91, zero_based=True)
    parts: list[Any] = [chunk for chunk, _ in open_data(str(tmp_path / "t.svm")).chunks()]
    wide = [sp.csr_matrix((c.X.data, c.X.indices, c.X.indptr), shape=(c.X.shape[0], 91)) for c in parts]
    assert (sp.vstack(wide) != theirs).nnz == 0
    assert np.concatenate([chunk.y for chunk in parts]).tolist() == labels.tolist()
    parts = [chunk for chunk, _ in open_data(str(tmp_path / "t.vw")).chunks()]
    hashed = sp.vstack([chunk.X for chunk in parts]).tocsr()
    assert hashed.shape == (50, 1 << 18)
    # Names are hashed without collisions here, so sorted by value the rows are the same, times 2.
    assert all(
        np.array_equal(
            np.sort(hashed[i].data), np.sort(2 * np.array([float(e.split(":")[1]) for e in line.split()[2:]]))
        )
        for i, line in enumerate(vowpal)
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.svm", "1 1:1\n" * 30 + "1 1:x\n", r"t\.svm:31:5: expected a finite number, found 'x'"),
        ("t.vw", "1 |a b\n" * 30 + "1 |a b:\n", r"t\.vw:31:8: expected a finite number"),
        ("t.vw", "1 |a b\n" * 30 + "1 2 |a b\n", r"t\.vw:31:3: expected 'tag or \|"),
        ("t.csv", "a,y\n" + "1,p\n" * 30 + "1,p,3\n", r"t\.csv:32: 3 fields where the header has 2"),
        ("t.csv", "a,y\n" + "1,p\n" * 30 + "é,p\n", r"t\.csv:32, column 'a': 'é' is (no|not) "),
        ("t.csv", "a,y\n" + "1,p\n" * 30 + '"1,p\n', r"t\.csv:32: malformed quotes"),
        ("t.jsonl", '{"a": 1, "y": "p"}\n' * 30 + "{]\n", r"t\.jsonl:31: .*one JSON object"),
        ("t.jsonl", '{"a": 1, "y": "p"}\n' * 30 + '{"a": "x", "y": "p"}\n', r"t\.jsonl:31: Column|numbers"),
        ("t.jsonl", '{"a": 1, "y": "p"}\n' * 30 + '{"y": "p"}\n', r"t\.jsonl:31, column 'a': the value is|no feature"),
    ],
)  # fmt: skip
def test_a_malformed_line_is_named_or_skipped(tmp_path: Path, name: str, text: str, message: str, cut: int) -> None:
    path = tmp_path / name
    path.write_text(text)
    target = None if name in ("t.svm", "t.vw") else "y"
    encoder = TableEncoder(bits=8, missing="error")
    stream = open_data(str(path), target=target)
    stream.check = encoder.check_chunk
    before = 0
    with pytest.raises(DataError, match=message):
        for chunk, position in stream.chunks():
            before += encoder.learn_chunk(chunk).shape[0]
            assert position.row == before
    assert before == 30  # the rows before it are there
    stream, encoder = open_data(str(path), target=target), TableEncoder(bits=8, missing="error")
    stream.lenient, stream.check = True, encoder.check_chunk
    found = [encoder.learn_chunk(chunk).shape[0] for chunk, _ in stream.chunks()]
    assert (sum(found), stream.skipped, len(stream.complaints)) == (30, 1, 1), stream.complaints


def test_a_row_of_vowpal_wabbit_without_a_label_is_named_or_skipped() -> None:
    rows = b"1 |a x\n-1 |a y\n" * 10 + b"|a z\n1 |a x\n"
    with pytest.raises(StreamError, match=r"buffer:21: these rows have no labels") as caught:
        fit_stream(rows, format="vw")
    assert caught.value.so_far.counters.rows == 20
    with pytest.warns(StreamWarning, match=r"skipped: buffer:21: these rows have no labels"):
        assert fit_stream(rows, format="vw", lenient=True).counters.rows == 21


def test_lines_longer_than_a_block_and_blocks_that_begin_anywhere(tmp_path: Path, cut: int) -> None:
    lines = [b"x" * n for n in (3, 5000, 0, 70, 64, 63, 1)]
    (tmp_path / "t").write_bytes(b"\n".join(lines))
    found = list(iter_blocks(Input(str(tmp_path / "t"))))
    assert b"".join(block.content for block in found) == b"\n".join(lines)
    assert all(block.content.endswith(b"\n") for block in found[:-1])
    for k, block in enumerate(found):
        assert list(iter_blocks(Input(str(tmp_path / "t")), block.end, block.next_line)) == found[k + 1 :]


def test_a_block_of_a_wide_table_holds_many_lines_wherever_it_begins(tmp_path: Path) -> None:
    """Each column costs time a block: 256 lines of a wide table, in at most 32 MB."""
    line = b",".join([b"1"] * 15_000) + b"\n"
    (tmp_path / "t").write_bytes(line * 600)
    found = list(iter_blocks(Input(str(tmp_path / "t")), cut=Cut(table=True)))
    assert [len(block.content) // len(line) for block in found] == [256, 256, 88]
    assert [block.next_line for block in found] == [257, 513, 601]
    again = list(iter_blocks(Input(str(tmp_path / "t")), found[0].end, found[0].next_line, cut=Cut(table=True)))
    assert again == found[1:]
    rows = list(iter_blocks(Input(str(tmp_path / "t"))))
    assert max(len(block.content) for block in rows) <= 2**19
    wide = b"," * 2**18 + b"\n"
    (tmp_path / "t").write_bytes(wide * 200)
    first = next(iter_blocks(Input(str(tmp_path / "t")), cut=Cut(table=True)))
    assert 2**25 - len(wide) < len(first.content) <= 2**25


def test_a_wide_table_is_read_alike_whatever_its_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rng = tmp_path / "t.csv", np.random.default_rng(0)
    X = rng.integers(0, 9, (40, 3000))
    path.write_text("\n".join([",".join([f"x{j}" for j in range(3000)] + ["y"]), *rows_of(X), ""]))
    whole = open_data(str(path), target="y").read()
    monkeypatch.setattr("linsep.data.readers.lines._LINES", 1)
    monkeypatch.setattr("linsep.data.readers.csv._BLOCK_BYTES", 20_000)
    again = open_data(str(path), target="y").read()
    assert whole.names == again.names
    assert whole.n_rows == again.n_rows == 40
    for one in (whole, again):
        assert np.array_equal(np.column_stack([column.values for column in one.columns]), X)


def rows_of(X: Any) -> list[str]:
    return [",".join([*map(str, row), "ab"[i % 2]]) for i, row in enumerate(X.tolist())]


# ------------------------------------------------------------------------- fuzz
_PIECES = st.sampled_from(
    ["1", "-1", "0.5", "1e400", "nan", ":", " ", "\n", "|", "a", '"', ",", "#", "{", "}", '"a":', "\r", "é", "'", "x"]
)  # fmt: skip


@given(st.sampled_from(["svm", "vw", "csv", "jsonl"]), st.lists(_PIECES, max_size=25), st.binary(max_size=9))
def test_readers_never_crash_and_never_let_infinities_in(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, pieces: list[str], raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / f"t.{suffix}"
    head = {"csv": b"a,y\n1,2\n", "jsonl": b'{"a": 1, "y": 2}\n'}.get(suffix, b"1 |a 1:1\n" if suffix == "vw" else b"")
    path.write_bytes(head + "".join(pieces).encode() + raw)
    encoder = TableEncoder(bits=8)
    stream = open_data(str(path), target="y" if suffix in ("csv", "jsonl") else None, bits=8)

    def rows() -> Iterator[Any]:
        for chunk, _ in stream.chunks():
            yield encoder.learn_chunk(chunk)

    try:
        for X in rows():
            assert np.isfinite(X.data).all()
    except DataError as error:
        assert path.name in str(error) or "label" in str(error) or "column" in str(error)


def test_positions_count_rows_through_all_files(tmp_path: Path) -> None:
    for k in range(2):
        (tmp_path / f"{k}.svm").write_text("1 1:1\n-1 2:1\n")
    found = [position for _, position in open_data(str(tmp_path)).chunks()]
    assert found == [Position(0, 13, 3, 2), Position(1, 13, 3, 4)]
