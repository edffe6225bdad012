"""Columns that join a stream as they appear, and rows that lack some."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linsep import AveragedPerceptron, TableModel, fit_stream, load, save
from linsep.data.features.encoder import TableEncoder
from linsep.data.readers import lines as blocks
from linsep.data.readers import parquet
from linsep.data.sources.open import open_data
from linsep.streaming.result import StreamFit
from linsep.streaming.run import StreamRun
from linsep.types import DataError

BITS = 8


def rows_that_grow() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    rows = []
    for t in range(150):
        row: dict[str, Any] = {"size": round(float(rng.normal()), 3)}
        if t > 20 and rng.random() < 0.7:
            row["rooms"] = float(rng.integers(1, 6))
        if t > 60:
            row["city"] = str(rng.choice(["Oslo", "Rome"]))
        if t > 100 and rng.random() < 0.5:
            row["note"] = f"very {rng.choice(['old', 'new'])} house"
        row["sold"] = "yes" if row["size"] + row.get("rooms", 3.0) / 3 > 1 else "no"
        rows.append(row)
    rows[0]["sold"], rows[1]["sold"] = "yes", "no"
    for t in (70, 71, 140):
        rows[t] = {"sold": "no"}
    return rows


def fit(path: Path, model: Path, **options: Any) -> StreamFit:
    asked: dict[str, Any] = {
        "open_columns": True,
        "columns": {"note": "text"},
        "bits": BITS,
        "target": "sold",
    } | options
    found = fit_stream(path, AveragedPerceptron(), **asked)
    save(found.model, model)
    return found


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows_that_grow()))
    return path


def test_numbers_are_those_of_a_naive_twin_and_rows_lack_entries(lines: Path) -> None:
    stream = open_data(str(lines), target="sold", open_columns=True)
    encoder = TableEncoder(bits=BITS, columns={"note": "text"}, open_columns=True)
    (chunk, _), *rest = stream.chunks()
    assert not rest
    X = encoder.learn_chunk(chunk)
    assert X.shape[1] == (1 << BITS) + 2
    for j, name in enumerate(("size", "rooms")):
        seen: list[float] = []
        for t, row in enumerate(rows_that_grow()):
            found = X[t, (1 << BITS) + j]
            if name not in row:
                assert found == 0.0
                continue
            seen.append(row[name])
            mean = math.fsum(seen) / len(seen)
            spread = math.sqrt(math.fsum((x - mean) ** 2 for x in seen) / len(seen))
            assert found == pytest.approx((row[name] - mean) / (spread or 1.0), abs=1e-9)
    words = X[:, : 1 << BITS].toarray()
    assert not words[:61].any()
    cities = ["city" in row for row in rows_that_grow()[:101]]
    assert np.array_equal(np.abs(words[:101]).sum(axis=1), np.array(cities, dtype=float))


@pytest.mark.parametrize("cut", [100, 1000, 1 << 20])
def test_where_chunks_are_cut_changes_nothing(lines: Path, monkeypatch: pytest.MonkeyPatch, cut: int) -> None:
    fit(lines, lines.with_name("whole"), passes=2)
    whole = load(lines.with_name("whole"))
    monkeypatch.setattr(blocks, "TABLE_BYTES", cut)
    fit(lines, lines.with_name("cut"), passes=2)
    other = load(lines.with_name("cut"))
    assert np.array_equal(whole.learner_.coef_, other.learner_.coef_)
    assert whole.encoder_.feature_names_ == other.encoder_.feature_names_


def test_parquet_with_missing_values_is_the_same(lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_that_grow()
    names = ("size", "rooms", "city", "note", "sold")
    columns: dict[str, Any] = {name: pa.array([row.get(name) for row in rows]) for name in names}
    columns["city"] = columns["city"].dictionary_encode()
    pq.write_table(pa.table(columns), lines.with_name("rows.parquet"))
    fit(lines, lines.with_name("a"))
    monkeypatch.setattr(parquet, "BATCH_ROWS", 33)
    fit(lines.with_name("rows.parquet"), lines.with_name("b"))
    one, other = (load(lines.with_name(name)).learner_ for name in "ab")
    assert np.array_equal(one.coef_, other.coef_)


def test_a_crash_between_columns_changes_nothing(lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "TABLE_BYTES", 500)
    fit(lines, lines.with_name("whole"), checkpoint=lines.with_name("ck0"), checkpoint_rows=10)
    learn = StreamRun._learn
    for crash in (15, 50, 90, 120):

        def crashing(run: StreamRun, read: Any, limit: int = crash) -> None:
            if run.counters.rows > limit:
                raise MemoryError
            learn(run, read)

        monkeypatch.setattr(StreamRun, "_learn", crashing)
        again = {"checkpoint": lines.with_name(f"ck{crash}"), "checkpoint_rows": 10}
        with pytest.raises(MemoryError):
            fit(lines, lines.with_name("m"), **again)
        monkeypatch.setattr(StreamRun, "_learn", learn)
        fit(lines, lines.with_name("m"), **again)
        assert lines.with_name("m").read_bytes() == lines.with_name("whole").read_bytes()


def test_files_with_other_columns(tmp_path: Path) -> None:
    (tmp_path / "part-1.csv").write_text("size,sold\n" + "1,yes\n-1,no\n" * 20)
    (tmp_path / "part-2.csv").write_text("city,sold,size\n" + "Rome,yes,2\nOslo,no,-2\n" * 20)
    (tmp_path / "part-3.csv").write_text("sold,city\n" + "yes,Rome\nno,Oslo\n" * 20)
    found = fit(tmp_path / "part-*.csv", tmp_path / "model", columns={})
    learner, encoder = found.model.learner_, found.model.encoder_
    assert encoder is not None
    assert (found.counters.rows, learner.n_features_in_) == (120, (1 << BITS) + 1)
    for part in (1, 2, 3):
        X, y, _ = encoder.transform(open_data(tmp_path / f"part-{part}.csv", target="sold"))
        assert learner.score(X, y) == 1.0
    with pytest.raises(DataError, match=r"part-2.csv:2: column 'city' was not there .* --set open_columns"):
        fit(tmp_path / "part-*.csv", tmp_path / "model", columns={}, open_columns=False)


def test_missing_values_stay_errors_unless_asked(lines: Path) -> None:
    with pytest.raises(DataError, match=r"rows.jsonl:1, column 'rooms': the value is missing"):
        fit(lines, lines.with_name("m"), columns={}, open_columns=False, missing="error")
    lines.write_text('{"size": 1.0, "sold": "yes"}\n{"size": 2.0, "sold": null}\n')
    with pytest.raises(DataError, match=r"rows.jsonl:2, column 'sold': the label is missing"):
        fit(lines, lines.with_name("m"), columns={})


def test_a_new_column_of_numbers_does_not_join_a_table_model() -> None:
    model = TableModel(encoder=TableEncoder(bits=8, open_columns=True))
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "city": ["Oslo", "Rome", "Oslo"]})
    model.partial_fit(frame, ["x", "y", "x"], classes=["x", "y"])
    before = model.predict(frame).tolist()
    model.partial_fit(frame.assign(kind=["p", "q", "p"]), ["x", "y", "x"])
    with pytest.raises(DataError, match="a new column of numbers makes the rows wider than the model"):
        model.partial_fit(frame.assign(b=[1.0, 0.0, 2.0]), ["x", "y", "x"])
    assert len(model.predict(frame)) == len(before)
