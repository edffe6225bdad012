"""Shards in files: of every format that streams read, empty, malformed, or replaced while they are learnt from."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import linsep
from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.open import open_data
from linsep.learners import Perceptron
from linsep.types import DataError

distributed = pytest.importorskip("dask.distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    quiet = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
    with (
        distributed.LocalCluster(processes=False, n_workers=1, threads_per_worker=2, **quiet) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def fit(*given: Any, **named: Any) -> Any:
    """`linsep.distributed.fit`, imported when it is first called."""
    return linsep.distributed.fit(*given, **named)


def rows(n: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 2)), 3)
    return X, np.where(X @ [1, -2] + 0.1 * rng.normal(size=n) > 0, 1, -1)


def write(folder: Path, format: str) -> list[Path]:
    """Three files of 20 rows each, one of them compressed."""
    X, y = rows()
    written = []
    for k in range(3):
        part = slice(20 * k, 20 * k + 20)
        pairs = list(zip(X[part].tolist(), y[part].tolist(), strict=True))
        path = folder / f"{k}.{format}"
        if format == "parquet":
            columns = {"a": X[part, 0], "b": X[part, 1], "y": y[part]}
            pyarrow.parquet.write_table(pa.table(columns), str(path))
        else:
            line = {
                "csv": "{0},{1},{2}\n",
                "jsonl": '{{"a": {0}, "b": {1}, "y": {2}}}\n',
                "svm": "{2} 1:{0} 2:{1}\n",
                "vw": "{2} |n a:{0} b:{1}\n",
            }[format]
            text = "a,b,y\n" * (format == "csv") + "".join(line.format(*x, label) for x, label in pairs)
            path = path.with_name(path.name + ".gz") if k == 2 else path
            path.write_bytes(gzip.compress(text.encode()) if k == 2 else text.encode())
        written.append(path)
    return written


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet", "svm", "vw"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_shards_of_every_format_are_those_of_one_machine(client: Any, tmp_path: Path, format: str) -> None:
    files = write(tmp_path, format)
    target = "y" if format in ("csv", "jsonl", "parquet") else None
    whole = open_data(files, target=target, bits=10).read()
    X = whole.X if target is None else np.column_stack([column.values for column in whole.columns])
    alone = Perceptron(max_iter=3, shuffle=False).fit(X, whole.y)
    found = fit(Perceptron(max_iter=3, shuffle=False), files, client, mix=None, target=target, bits=10)
    assert np.array_equal(found.coef_, alone.coef_)
    assert found.n_mistakes_ == alone.n_mistakes_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_empty_shards_and_malformed_lines(client: Any, tmp_path: Path) -> None:
    files = write(tmp_path, "csv")
    plain = fit(Perceptron(max_iter=3), files, client, target="y")
    (tmp_path / "0a.csv").write_text("a,b,y\n")
    (tmp_path / "9.csv").write_text("a,b,y")
    found = fit(Perceptron(max_iter=3), tmp_path, client, target="y")
    assert np.array_equal(found.coef_, plain.coef_)
    assert found.mixing_.rows.tolist() == [20, 20, 20]
    with files[1].open("a") as file:
        file.write("1,x,1\n")
    with pytest.raises(DataError, match=r"1\.csv:22, column 'b': 'x'"):
        fit(Perceptron(max_iter=3), files, client, target="y")
    files[1].write_bytes(b"")
    with pytest.raises(DataError, match=r"1\.csv: the file is empty; a header line"):
        fit(Perceptron(max_iter=3), files, client, target="y")


def test_a_format_without_a_telling_name_and_categories(client: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"kind": k % 3, "size": k % 7, "y": "pq"[k % 3 == 1]}) for k in range(40)]
    (tmp_path / "part").write_text("\n".join(lines))
    source = open_data(tmp_path / "part", target="y", format="jsonl", categorical=["kind"])
    encoder = TableEncoder().fit(source)
    asked: dict[str, Any] = {"target": "y", "encoder": encoder, "format": "jsonl", "categorical": ["kind"]}
    found = fit(Perceptron(), [tmp_path / "part"], client, **asked)
    assert found.score(source) == 1.0
