"""Files that have an address are read as the same files on the disk."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from in_process import linsep
from linsep import DataError, fit_stream, open_data
from linsep.app.commands.fit_stream import wants_stream
from linsep.data.readers.tagged import read_tagged
from linsep.streaming.result import StreamError
from test_queries import StoppedError, cells, many, stop_after
from web_server import Web, serving

LINES = [f"{a},{b},{y}" for a, b, y in zip(*(many(400)[name] for name in ("a", "b", "y")), strict=True)]
CSV = ("a,b,y\n" + "\n".join(LINES) + "\n").encode()


def as_parquet(rows: dict[str, list[Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(pa.table(rows), sink)
    return sink.getvalue().to_pybytes()


LONG = b"".join(b"%d.%s,%s\n" % (k, b"5" * 75, b"pq"[k : k + 1]) for k in range(2))
FILES = {
    "t.csv": CSV,
    "t.csv.gz": gzip.compress(CSV),
    "t.tsv": CSV.replace(b",", b"\t"),
    "t.parquet": as_parquet(many(400)),
    "t.jsonl": b'{"a": 1, "y": "p"}\n{"a": 2, "y": "q"}\n',
    "bucket/part-1.csv": CSV[: CSV.index(LINES[200].encode())],
    "bucket/part-2.csv": b"a,b,y\n" + CSV[CSV.index(LINES[200].encode()) :],
    "bucket/_SUCCESS": b"",
    "bucket/deep/part-3.csv": CSV,
    "bucket/t.parquet": as_parquet(many(400)),
    "bucket/large.csv": b"a,y\n" + LONG * 40_000,
}


@pytest.fixture
def web() -> Iterator[Web]:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with serving(dict(FILES)) as found:
        yield found


@pytest.fixture
def store(web: Web, monkeypatch: pytest.MonkeyPatch) -> Web:
    """The same as an object store."""
    s3fs: Any = pytest.importorskip("s3fs")
    s3fs.S3FileSystem.clear_instance_cache()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{web.port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ann")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    return web


@pytest.fixture
def memory() -> Iterator[str]:
    fsspec: Any = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    for name, content in FILES.items():
        fs.pipe(f"/linsep/{name}", content)
    yield "memory://linsep/"
    fs.rm("/linsep", recursive=True)


def same(source: Any, content: bytes, **more: Any) -> None:
    """Read whole and in pieces, this is what the bytes hold."""
    wanted = open_data(content, target="y", **more).read()
    assert cells(open_data(source, target="y").read()) == cells(wanted)
    chunks: list[Any] = [chunk for chunk, _ in open_data(source, target="y").chunks()]
    assert sum(chunk.n_rows for chunk in chunks) == wanted.n_rows
    assert [y for chunk in chunks for y in chunk.y.tolist()] == wanted.y.tolist()


# ------------------------------------------------------------------ what is read
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet", "t.jsonl"])
@pytest.mark.parametrize("more", [{}, {"ranges": False}, {"tells_size": False}, {"ranges": False, "tells_size": False}])
def test_a_file_of_a_web_server_is_that_of_the_disk(web: Web, name: str, more: dict[str, bool]) -> None:
    for option, value in more.items():
        setattr(web, option, value)
    told = {"sep": "tab"} if name == "t.tsv" else {}
    same(web.address(name), FILES[name], format=name.split(".")[1].replace("tsv", "csv"), **told)


def test_the_parameters_of_an_address_do_not_hide_the_format(web: Web) -> None:
    same(web.address("t.parquet") + "?part=1", FILES["t.parquet"], format="parquet")
    same(web.address("t.csv.gz") + "?token=hunter2", CSV)


def test_a_web_server_is_asked_once_for_a_file_that_is_read_through(web: Web) -> None:
    web.ranges = False
    chunks: list[Any] = [chunk for chunk, _ in open_data(web.address("bucket/large.csv"), target="y").chunks()]
    assert sum(chunk.n_rows for chunk in chunks) == 80_000
    assert [line for line in web.asked if line.startswith("GET")] == ["GET /bucket/large.csv"]


def test_of_a_parquet_file_only_what_is_needed_is_fetched(web: Web) -> None:
    same(web.address("t.parquet"), FILES["t.parquet"], format="parquet")
    assert all("bytes=" in line for line in web.asked if line.startswith("GET"))


def test_an_object_store_is_read_like_a_folder(store: Web) -> None:
    both = [FILES["bucket/part-1.csv"], FILES["bucket/part-2.csv"]]
    for source in ("s3://bucket/part-*.csv", ["s3://bucket/part-1.csv", "s3://bucket/part-2.csv"]):
        found = open_data(source, target="y")
        assert found.files == ["s3://bucket/part-1.csv", "s3://bucket/part-2.csv"]
        assert cells(found.read()) == cells(open_data(CSV, target="y").read())
        assert found.total_bytes == sum(map(len, both))
    same("s3://bucket/t.parquet", FILES["bucket/t.parquet"], format="parquet")
    assert open_data("s3://bucket/deep/", target="y").files == ["s3://bucket/deep/part-3.csv"]


def test_a_folder_and_a_pattern_of_any_file_system(memory: str) -> None:
    assert open_data(memory + "bucket/deep/", target="y").files == [memory + "bucket/deep/part-3.csv"]
    found = open_data(memory + "bucket/part-*.csv", target="y")
    assert found.files == [memory + "bucket/part-1.csv", memory + "bucket/part-2.csv"]
    assert cells(found.read()) == cells(open_data(CSV, target="y").read())
    same(memory + "t.csv.gz", CSV)


# ------------------------------------------------------------------- a stream
def _contents(suffix: str) -> tuple[bytes, bytes]:
    """A file of more than one chunk, and one in which a row of the first chunk is another one."""
    if suffix == "parquet":
        rows = many(40_000)
        before = as_parquet(rows)
        rows["a"][5] += 1
        return before, as_parquet(rows)
    lines = b"a,b,y\n" + b"".join(line.encode() + b"\n" for line in LINES) * 120
    other = lines.replace(b"0.", b"1.", 1)
    return (lines, other) if suffix == "csv" else (gzip.compress(lines, 1), gzip.compress(other, 1))


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("memory", "csv"), ("web", "csv"), ("web", "parquet"), ("store", "csv.gz"), ("store", "parquet")],
)
def test_a_run_goes_on_from_its_checkpoint_unless_the_file_has_changed(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, suffix: str
) -> None:
    content, changed = _contents(suffix)
    given = request.getfixturevalue(kind)

    def put(content: bytes) -> str:
        if kind == "memory":
            pytest.importorskip("fsspec").filesystem("memory").pipe(f"/linsep/run.{suffix}", content)
            return f"memory://linsep/run.{suffix}"
        given.files[f"bucket/run.{suffix}"] = content
        path = f"bucket/run.{suffix}"
        return f"s3://{path}" if kind == "store" else str(given.address(path))

    address = put(content)
    asked: dict[str, Any] = {"target": "y", "passes": 2, "checkpoint": tmp_path / "ck", "checkpoint_rows": 100}
    whole = fit_stream(address, target="y", passes=2)
    with pytest.raises(StoppedError):
        fit_stream(address, **asked, callback=stop_after(whole.counters.rows // 2 + 1))
    put(changed)
    with pytest.raises(DataError, match="the files have changed since"):
        fit_stream(address, **asked)
    put(content)
    found = fit_stream(address, **asked)
    assert found.resumed_rows > 0 and found.data_hash == whole.data_hash
    assert found.model.learner_.coef_.tolist() == whole.model.learner_.coef_.tolist()


@pytest.mark.parametrize("kind", ["web", "store"])
def test_a_file_that_is_replaced_between_passes_is_refused(request: pytest.FixtureRequest, kind: str) -> None:
    """The server tells: no row of the second pass is learnt."""
    web = request.getfixturevalue(kind)

    def replace(state: Any) -> None:
        assert state.counters.passes == 0
        web.files["bucket/deep/part-3.csv"] = CSV.replace(b"0.", b"1.", 1)

    address = "s3://bucket/deep/part-3.csv" if kind == "store" else web.address("bucket/deep/part-3.csv")
    with pytest.raises(DataError, match=r"part-3\.csv was changed between two passes: learn again from the beginning"):
        fit_stream(address, target="y", passes=2, callback=replace)


def test_a_connection_that_is_lost_is_told_after_the_rows_before_it(web: Web) -> None:
    web.breaks_after = 3 << 20
    with pytest.raises(StreamError, match=r"large\.csv: cannot be read any further") as found:
        fit_stream(web.address("bucket/large.csv"), target="y", classes=["p", "q"])
    assert 1 << 20 < found.value.so_far.counters.rows * len(LONG) // 2 <= 3 << 20


def test_a_large_file_is_a_stream_and_tagged_text_may_have_an_address(web: Web) -> None:
    address = web.address("bucket/large.csv")
    assert not wants_stream(address) and wants_stream(address, share=1e-12)
    web.files["words.tsv"] = b"the\tD\ndog\tN\n\n"
    assert read_tagged(web.address("words.tsv")).tokens == [["the", "dog"]]


# -------------------------------------------------------------- what is refused
def test_what_is_not_there_is_one_sentence(web: Web, store: Web, memory: str) -> None:
    for address in (web.address("none.csv"), "s3://bucket/none.csv", memory + "none.csv", memory + "none-*.csv"):
        with pytest.raises(DataError, match=r"^\S+: there is no file of that name$"):
            open_data(address, target="y").read()
    with pytest.raises(DataError, match=r"^http://127.0.0.1:1/t.csv: Cannot connect to host 127.0.0.1:1"):
        open_data("http://127.0.0.1:1/t.csv", target="y").read()
    with pytest.raises(DataError, match=r"^nowhere://t.csv cannot be opened: Protocol not known: nowhere$"):
        open_data("nowhere://t.csv", target="y").read()
    with pytest.raises(DataError, match="its name does not tell its format"):
        open_data(web.address("t"), target="y")


@pytest.mark.parametrize("module", ["fsspec.core", "aiohttp"])
def test_without_the_extra_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    if module == "aiohttp":
        pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DataError, match=r"pip install 'linsep\[remote\]'"):
        open_data("https://host/t.csv", target="y").read()


def test_a_password_stands_nowhere(web: Web, tmp_path: Path) -> None:
    web.password = "hunter2"
    address = web.address("t.csv", "ann:hunter2@")
    out = tmp_path / "out"
    out.mkdir()
    fit = ["fit", address, "--target", "y", "--json"]
    said = []
    for command in (
        [*fit, "--model", str(out / "m")],
        [*fit, "--model", str(out / "s"), "--stream", "--checkpoint", str(out / "ck")],
        ["score", str(out / "m"), address],
        ["show", str(out / "m")],
    ):
        done = linsep(*command)
        said.append(done.stdout + done.stderr)
    assert json.loads(said[0])["rows"] == 400
    assert f"http://ann:***@127.0.0.1:{web.port}/t.csv" in said[3]
    with pytest.raises(DataError) as wrong:
        open_data(web.address("t.csv", "ann:hunter@"), target="y").read()
    with pytest.raises(DataError) as signed:
        open_data(web.address("t.csv") + "?X-Amz-Signature=hunter", target="y").read()
    assert not any("hunter" in str(one) for one in (*said, wrong.value, signed.value))
    assert not any(b"hunter" in file.read_bytes() for file in out.iterdir())
