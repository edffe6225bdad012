"""The rows of a query are the rows of the same table in a file, and what is no table is refused."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from in_process import linsep
from linsep import DataError, fit_stream, fit_table, open_data
from linsep.data.sources import of_batches

KINDS = ("sqlite", "duckdb")
BIG = 2**53 + 1
ROWS: dict[str, list[Any]] = {
    "size": [1.5, None, 2.0, -1.0, 0.25, 1e300],
    "count": [BIG, 2, None, -(2**63), 0, 7],
    'the "city"': ["Rome", None, "Ørsted", "x7", "a,b", "Rome"],
    "y": ["yes", "no", "yes", "no", "no", "yes"],
}


def make(path: Path, columns: dict[str, list[Any]], name: str = "t") -> str:
    """A table in a new or an old database, whose suffix says of which kind."""
    names = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    rows = list(zip(*columns.values(), strict=True))
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(f"DROP TABLE IF EXISTS {name}")
            database.execute(f"CREATE TABLE {name} ({names})")
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
        return str(path)
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(columns)
    with duckdb.connect(str(path)) as database:
        database.register("given", table)
        database.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
    return str(path)


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return make(tmp_path / f"rows.{request.param}", ROWS)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_batches, "BATCH_ROWS", 7)


def many(n: int = 100, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    labels = np.where(a + b + rng.normal(size=n) / 2 > 0, "p", "q")
    cities = [[None, "Rome", "Oslo"][k % 3] for k in range(n)]
    return {"id": list(range(n)), "a": a.tolist(), "b": b.tolist(), "city": cities, "y": labels.tolist()}


def cells(chunk: Any) -> list[Any]:
    """All that is known of each cell: number, exact text, and whether it is missing."""
    found: list[Any] = [chunk.names, chunk.y.tolist()]
    for name in chunk.names:
        one = chunk.cells(name)
        missing = [False] * chunk.n_rows if one.missing is None else one.missing.tolist()
        values = None if one.values is None else one.values.tolist()
        text = None if one.text is None else [(t, m)[m] for t, m in zip(one.text.to_pylist(), missing, strict=True)]
        found.append((name, values, text, missing))
    return found


# ------------------------------------------------------------------ what is read
def test_a_query_gives_the_rows_of_the_same_table_in_memory(database: str) -> None:
    wanted = open_data(pa.table(ROWS), target="y").read()
    source = open_data(database, query="SELECT * FROM t", target="y")
    assert cells(source.read()) == cells(wanted)
    chunks = [chunk for chunk, _ in open_data(database, query="SELECT * FROM t", target="y").chunks()]
    assert [cells(chunk) for chunk in chunks] == [cells(wanted)]
    assert (source.format, source.kind, source.files, source.can_be_read_again) == ("query", "table", [database], True)


def test_columns_have_the_names_of_the_query(database: str) -> None:
    query = 'SELECT "the ""city""" AS "it s; --", size * 2 AS "size, twice", y FROM t WHERE size > 1'
    chunk = open_data(database, query=query, target="y").read()
    assert chunk.names == ["it s; --", "size, twice"]
    assert chunk.column("size, twice").values.tolist() == [3.0, 4.0, 2e300]


def test_decimals_booleans_levels_and_unsigned_numbers_of_duckdb_keep_their_values(tmp_path: Path) -> None:
    database = make(tmp_path / "rows.duckdb", ROWS)
    query = """SELECT 0.1::DECIMAL(38,20) AS d, TRUE AS b, 'u'::ENUM('v', 'u') AS e, 18446744073709551615::UBIGINT AS u,
        (2::HUGEINT)**70 AS h, NULL::BOOLEAN AS n, 1.5::REAL AS r, 1 AS y"""
    chunk = open_data(database, query=query, target="y").read()
    values = {name: chunk.cells(name) for name in chunk.names}
    assert values["d"].text.to_pylist() == ["0.10000000000000000000"] and values["d"].values.tolist() == [0.1]
    assert values["b"].values.tolist() == [1.0] and values["e"].text.to_pylist() == ["u"]
    assert values["u"].text.to_pylist() == ["18446744073709551615"]
    assert values["h"].values.tolist() == [2.0**70] and values["n"].missing.tolist() == [True]
    assert values["r"].values.tolist() == [1.5]


def dated(n: int = 40) -> dict[str, list[Any]]:
    """A table with a column of days."""
    days = [date(2024, 1, 1) + timedelta(days=3 * k) for k in range(n)]
    return {"a": [float(k % 7) for k in range(n)], "paid": days, "y": [("p", "q")[k % 2] for k in range(n)]}


def test_dates_are_dates_as_in_memory(database: str) -> None:
    rows = dated()
    text = {**rows, "paid": [str(day) for day in rows["paid"]]}
    path = make(Path(database), text if database.endswith("sqlite") else rows)
    found = fit_table(open_data(path, query="SELECT * FROM t", target="y"))
    wanted = fit_table(open_data(pa.table(rows), target="y"))
    assert found.rows.tolist() == wanted.rows.tolist()
    assert found.receipt.data["features"] == wanted.receipt.data["features"] > 2


def test_an_exact_proof_is_about_the_decimals_as_they_stand_in_the_database(tmp_path: Path) -> None:
    """(0.1, 0.3) lies between (0, 0) and (0.3, 0.9), but of the doubles next to these no three are on a line."""
    path = make(tmp_path / "rows.duckdb", {"a": ["0", "0.1", "0.3"], "b": ["0", "0.3", "0.9"], "y": ["p", "q", "p"]})
    for kind, status in (("DECIMAL(4, 2)", 1), ("DOUBLE", 0)):
        query = f"SELECT a::{kind} AS a, b::{kind} AS b, y FROM t"
        linsep("check", path, "--read", f"query={query}", "--target", "y", "--json", status=status)


@pytest.mark.parametrize("value", ["x", 3, 2.5])
def test_a_column_of_sqlite_without_a_first_value_has_the_type_of_a_later_one(
    tmp_path: Path, value: Any, small_batches: None
) -> None:
    rows = {"a": [None] * 8 + [value], "y": ["p"] * 8 + ["q"]}
    column = open_data(make(tmp_path / "rows.sqlite", rows), query="SELECT * FROM t", target="y").read().cells("a")
    assert column.is_number == (value != "x") and column.missing.tolist() == [True] * 8 + [False]


def test_whole_numbers_and_fractions_of_sqlite_are_one_column(tmp_path: Path, small_batches: None) -> None:
    columns: dict[str, list[Any]] = {"a": [1] * 7 + [0.5] + [2] * 7, "y": ["p"] * 15}
    source = open_data(make(tmp_path / "rows.sqlite", columns), query="SELECT * FROM t", target="y")
    assert source.read().column("a").values.tolist() == columns["a"]


# ------------------------------------------------------------------- a stream
def test_a_stream_of_a_query_learns_what_the_same_rows_in_memory_teach(
    database: str, tmp_path: Path, small_batches: None
) -> None:
    path, query = make(Path(database), many()), "SELECT a, b, city, y FROM t ORDER BY id"
    found = fit_stream(path, query=query, target="y", passes=2, bits=8)
    wanted = fit_stream(pa.table(many()).select(["a", "b", "city", "y"]), target="y", passes=2, bits=8)
    assert found.mistakes == wanted.mistakes and found.counters.rows == 200
    assert found.model.learner_.coef_.tolist() == wanted.model.learner_.coef_.tolist()
    assert found.data_hash != ""


def test_a_later_position_gives_the_rows_after_it(database: str, small_batches: None) -> None:
    path = make(Path(database), many(20))
    source = open_data(path, query="SELECT * FROM t ORDER BY id", target="y")
    whole: list[Any] = list(source.chunks())
    assert [chunk.n_rows for chunk, _ in whole] == [7, 7, 6]
    for k, (_, position) in enumerate(whole):
        rest = list(source.chunks(position))
        assert [p for _, p in rest] == [p for _, p in whole[k + 1 :]]
        assert [cells(chunk) for chunk, _ in rest] == [cells(chunk) for chunk, _ in whole[k + 1 :]]


def test_a_stream_begins_before_the_query_has_ended(database: str) -> None:
    """This one would give more rows than any memory holds."""
    endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i, 'x' AS y FROM r"
    query = "SELECT range AS i, 'x' AS y FROM range(1000000000000)" if "duckdb" in database else endless
    chunks: list[Any] = list(islice(open_data(database, query=query, target="y").chunks(), 3))
    assert [chunk.n_rows for chunk, _ in chunks] == [1 << 15] * 3


class StoppedError(Exception):
    """A crash, as far as a stream can tell."""


def stop_after(n: int) -> Any:
    def callback(state: Any) -> None:
        if state.counters.rows >= n:
            raise StoppedError

    return callback


def begin(path: str, query: str, checkpoint: Path, **more: Any) -> dict[str, Any]:
    """Begin a run that crashes after 40 rows, and return what the same call is."""
    asked = {"query": query, "target": "y", "checkpoint": checkpoint, "checkpoint_rows": 20, "bits": 8, **more}
    with pytest.raises(StoppedError):
        fit_stream(path, **asked, callback=stop_after(40))
    return asked


@pytest.mark.parametrize("passes", [1, 3])
def test_a_run_goes_on_from_its_checkpoint(database: str, tmp_path: Path, small_batches: None, passes: int) -> None:
    path, query = make(Path(database), many()), "SELECT a, b, city, y FROM t ORDER BY id"
    asked = begin(path, query, tmp_path / "ck", passes=passes)
    found = fit_stream(path, **asked)
    assert found.resumed_rows > 0
    whole = fit_stream(path, query=query, target="y", bits=8, passes=passes)
    assert found.model.learner_.coef_.tolist() == whole.model.learner_.coef_.tolist()
    assert found.data_hash == whole.data_hash
    assert fit_stream(path, **asked).was_finished


@pytest.mark.parametrize("what", ["a cell", "the order", "a row less"])
def test_a_run_does_not_go_on_over_other_rows(database: str, tmp_path: Path, small_batches: None, what: str) -> None:
    rows = many()
    path, query = make(Path(database), rows), "SELECT a, b, city, y FROM t"
    asked = begin(path, query, tmp_path / "ck")
    changed = {name: list(column) for name, column in rows.items()}
    if what == "a cell":
        changed["city"][3] = "Paris"
    for column in changed.values():
        if what == "the order":
            column[2], column[5] = column[5], column[2]
        elif what == "a row less":
            del column[0]
    make(Path(database), changed)
    message = r"is not what was read from it before: the rows of the query have changed, or their order \(is it fixed"
    with pytest.raises(DataError, match=message):
        fit_stream(path, **asked)
    make(Path(database), rows)
    assert fit_stream(path, **asked).resumed_rows > 0


def test_a_checkpoint_belongs_to_one_query_and_a_database_that_is_gone_is_no_change(
    database: str, tmp_path: Path, small_batches: None
) -> None:
    path, query = make(Path(database), many()), "SELECT a, b, y FROM t ORDER BY id"
    asked = begin(path, query, tmp_path / "ck")
    with pytest.raises(DataError, match="belongs to a run with query = 'SELECT a, b, y FROM t ORDER BY id', not 'SELE"):
        fit_stream(path, **{**asked, "query": "SELECT a, y FROM t"})
    make(Path(path), many(), "other")
    with pytest.raises(DataError, match=r"does not exist|no such table"):
        _drop(path)
        fit_stream(path, **asked)


def _drop(path: str) -> None:
    if "duckdb" in path:
        with pytest.importorskip("duckdb").connect(path) as database:
            database.execute("DROP TABLE t")
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("DROP TABLE t")


def test_a_pass_that_finds_other_rows_is_refused(database: str, small_batches: None) -> None:
    path = make(Path(database), many())

    def change(state: Any) -> None:
        if state.counters.rows == 100:
            make(Path(path), many(seed=1))

    with pytest.raises(DataError, match=r"ORDER BY\?\) between two passes: learn again from the beginning"):
        fit_stream(path, query="SELECT a, b, y FROM t ORDER BY id", target="y", passes=3, callback=change)


# -------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT nope FROM t", "says: .*nope"),
        ("SELEC 1", "says: .*SELEC"),
        ("SELECT * FROM statements", "does not exist|no such table: statements"),
        ("SELECT * FROM t WHERE size > 1e301", "the query gives no rows"),
        ("SELECT size AS y, y, y FROM t", "the query: two columns are called 'y'; rename one"),
        ("SELECT size FROM t", "'y'"),
        ("SELECT 1 AS a, y FROM t; SELECT 2", "one SELECT|one statement"),
        ("DELETE FROM t", "it must be one SELECT|readonly database"),
        ("DELETE FROM t RETURNING y", "it must be one SELECT|readonly database"),
        ("ATTACH 'other.db' AS o", "returns no table|says: not authorized"),
        ("VACUUM INTO 'other.db'", "returns no table|says: authorization denied|SELECT|VACUUM|syntax error"),
        ("", "returns no table"),
        ("SELECT NULL AS a, NULL AS y", "row 1 of the query, column 'y': the label is missing"),
    ],
)
def test_a_query_that_gives_no_table_is_refused_and_nothing_is_written(
    database: str, query: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(database).parent
    monkeypatch.chdir(folder)
    with pytest.raises(DataError, match=message):
        open_data(database, query=query, target="y").read()
    with pytest.raises(DataError, match=message.replace("the query gives no", "there are no")):
        fit_stream(database, query=query, target="y")
    assert open_data(database, query="SELECT * FROM t", target="y").read().n_rows == 6
    assert [path.name for path in folder.iterdir()] == [Path(database).name]


def test_duckdb_writes_no_file_and_reads_no_type_that_is_none_of_a_table(tmp_path: Path) -> None:
    database = make(tmp_path / "rows.duckdb", ROWS)
    for query in (f"COPY t TO '{tmp_path}/out.csv'", "SET threads = 1", "SELECT 1; SELECT 2"):
        with pytest.raises(DataError, match="it must be one SELECT"):
            open_data(database, query=query).read()
    assert [path.name for path in tmp_path.iterdir()] == ["rows.duckdb"]
    for value, kind in (("TIME '10:00'", "time64"), ("[1, 2]", "list"), ("'a'::BLOB", "binary")):
        with pytest.raises(DataError, match=f"row 1 of the query, column 'v' has type {kind}"):
            open_data(database, query=f"SELECT {value} AS v").read().cells("v")


def test_an_error_in_the_middle_of_a_query_of_duckdb_is_one_sentence(tmp_path: Path) -> None:
    columns = {"a": ["1"] * 99_999 + ["x"], "y": ["p"] * 100_000}
    database = make(tmp_path / "rows.duckdb", columns)
    with pytest.raises(DataError, match=r"rows\.duckdb: DuckDB says: .*'x'"):
        open_data(database, query="SELECT a::INTEGER AS a, y FROM t", target="y").read()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2, "NA"], r"column 'a' of the query: .*'NA' .*; make the column one type in the query, .*CAST\(\"a\""),
        (["x", None, 2.5], "column 'a' of the query: .* got a 'float'"),
        ([None, b"raw"], "row 1 of the query, column 'a' has type binary"),
        ([1] * 9 + ["x"], "Could not convert 'x' with type str"),
        ([0.5, BIG], "column 'a' of the query: .*outside of the range exactly representable"),
        ([1.0, float("inf")], "row 2 of the query, column 'a': inf is not a finite number"),
    ],
)
def test_a_column_of_sqlite_has_one_type(tmp_path: Path, small_batches: None, values: list[Any], message: str) -> None:
    database = make(tmp_path / "rows.sqlite", {"a": values, "y": ["p"] * len(values)})
    with pytest.raises(DataError, match=message):
        fit_stream(database, query="SELECT * FROM t", target="y", classes=["p", "q"])
    with pytest.raises(DataError, match=message):
        fit_table(open_data(database, query="SELECT * FROM t", target="y"))


def test_large_integers_of_a_query_are_never_rounded_beside_fractions(tmp_path: Path, small_batches: None) -> None:
    values = [BIG] * 100 + [0.5] * 100
    database = make(tmp_path / "rows.sqlite", {"a": values, "y": ["p"] * len(values)})
    with pytest.raises(DataError, match=r"columns of other kinds: .*out of bounds|Integer value"):
        open_data(database, query="SELECT * FROM t", target="y").read()


def test_numbers_and_text_in_two_pieces_of_a_query_are_refused(tmp_path: Path, small_batches: None) -> None:
    database = make(tmp_path / "rows.sqlite", {"a": [1] * 7 + ["x"], "y": ["p"] * 8})
    with pytest.raises(DataError, match="row 8 of the query, column 'a': 'x' is not a number"):
        fit_stream(database, query="SELECT * FROM t", target="y", classes=["p", "q"])
    with pytest.raises(DataError, match=r"columns of other kinds: .* int64 vs string"):
        open_data(database, query="SELECT * FROM t", target="y").read()


def test_what_is_no_database_is_refused(database: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,p\n")
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (tmp_path / "none.db", {}, "there is no file of that name"),
        (tmp_path, {}, "is a folder: name a file in it"),
        (tmp_path / "t.csv", {}, "is no database of DuckDB or SQLite: leave out the query"),
        (database, {"format": "csv"}, "a query is asked of a database: give its path, and no format"),
        (database, {"sep": ";"}, "sep is for csv, and this is a query"),
        (database, {"encoding": "latin-1"}, "encoding is for csv, jsonl, svmlight, vw, and this is a query"),
        (b"a,y\n", {}, "a query is asked of a database: give its path"),
        ((np.eye(2), [0, 1]), {}, "a query is asked of a database: give its path"),
    ]
    for source, more, message in cases:
        with pytest.raises(DataError, match=message):
            open_data(source, query="SELECT 1", **more)
    with pytest.raises(DataError, match=r"is a database: say which of its rows with --read query='SELECT"):
        open_data(database)


def test_rows_that_do_not_fit_the_memory_are_refused(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_batches, "free_memory", lambda: 100)
    with pytest.raises(DataError, match=r"do not fit half of the free memory: use --stream"):
        open_data(database, query="SELECT * FROM t", target="y").read()


def test_without_the_driver_the_install_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = make(tmp_path / "rows.duckdb", ROWS)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(DataError, match=r"need duckdb: pip install '\.\[sql\]'"):
        open_data(database, query="SELECT * FROM t").read()


def test_a_source_without_a_query_loads_no_database() -> None:
    program = (
        "import sys, linsep; linsep.open_data(b'a,y\\n1,p\\n', target='y').read(); "
        "print({'duckdb'} & sys.modules.keys())"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "set()"


# ------------------------------------------------------------------- commands
def test_every_command_reads_a_query(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, model = make(Path(database), many()), tmp_path / "m"
    query = ("--read", "query=SELECT a, b, city, y FROM t ORDER BY id")
    told = json.loads(linsep("fit", path, *query, "--target", "y", "--model", model, "--json").stdout)
    assert told["rows"] == 100
    shown = linsep("show", model).stdout
    assert "SELECT a, b, city, y FROM t ORDER BY id" in " ".join(shown.split())
    predicted = linsep("predict", model, path, *query).stdout.splitlines()
    assert len(predicted) == 101
    scored = json.loads(linsep("score", model, path, *query, "--json").stdout)
    assert scored["accuracy"] == pytest.approx(told["training_accuracy"])
    assert "undecided" not in linsep("check", path, *query, "--target", "y", status=1).stdout
    linsep("separation", path, "--read", "query=SELECT a, b, y FROM t", "--target", "y")
    streamed = ("fit", path, *query, "--target", "y", "--stream", "--model", model, "--json")
    assert json.loads(linsep(*streamed).stdout)["rows"] == 100
    refused = linsep("fit", path, *query, "--target", "y", "--model", path, status=2).stderr
    assert "would be replaced by the model" in refused
