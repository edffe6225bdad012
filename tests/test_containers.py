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

from linsep.app.cli import main
from linsep.store import read_origin

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
    columns: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
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
        monkeypatch.setattr("sys.argv", ["linsep", "fit", name, "--target", "sold", "--model", "m.linsep", "--json"])
        with pytest.raises(SystemExit):
            main()
        receipt = json.loads(capsys.readouterr().out)
        assert receipt["epochs"] > 1
        found[name] = read_origin(tmp_path / "m.linsep")["state_sha256"]
    assert len(set(found.values())) == 1, found


def test_vowpal_wabbit_text_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.vw").write_text("1 |a x:2 y\n-1 |a x:-1 z\n1 |a x:1\n" * 5)
    monkeypatch.setattr("sys.argv", ["linsep", "fit", "t.vw", "--json"])
    with pytest.raises(SystemExit):
        main()
    assert json.loads(capsys.readouterr().out)["stop_reason"] == "clean pass"
