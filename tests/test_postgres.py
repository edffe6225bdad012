"""A query of a real PostgreSQL server: the rows of the same table in memory, and no password anywhere."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from in_process import linsep
from linsep import DataError, TableEncoder, TableModel, fit_stream, fit_table, open_data
from linsep.data.sources import of_query
from linsep.export import to_sql
from postgres_server import IN_ADDRESS, PASSWORD, running
from test_queries import begin, cells, dated, many

SECRETS = (PASSWORD, IN_ADDRESS, "s3cret")
BIG = 2**53 + 1


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server, without a password."""
    pytest.importorskip("adbc_driver_postgresql")
    with running() as address:
        yield address


@pytest.fixture
def address(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, with libpq knowing the password."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return server


def carry_out(address: str, *statements: str) -> None:
    driver: Any = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with driver.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def make(address: str, columns: dict[str, list[Any]]) -> None:
    """Table t with these columns."""
    driver: Any = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with driver.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS t")
        cursor.adbc_ingest("t", pa.table(columns), mode="create")


def with_password(address: str) -> str:
    return address.replace("ann@", f"ann:{IN_ADDRESS}@")


def test_a_query_gives_the_rows_of_the_same_table_in_memory(address: str) -> None:
    rows: dict[str, list[Any]] = {
        "size": [1.5, None, 2.0, -1.0],
        "count": [BIG, None, 2, -(2**63)],
        "fits": [True, False, None, True],
        'the "city"': ["Rome", None, "Ørsted", "a,b"],
        "y": ["yes", "no", "yes", "no"],
    }
    make(address, rows)
    wanted = open_data(pa.table(rows), target="y").read()
    query = "SELECT * FROM t; "
    assert cells(open_data(address, query=query, target="y").read()) == cells(wanted)
    chunks = [chunk for chunk, _ in open_data(address, query=query, target="y").chunks()]
    assert [cells(chunk) for chunk in chunks] == [cells(wanted)]


def test_dates_are_dates_as_in_memory(address: str) -> None:
    make(address, dated())
    found = fit_table(open_data(address, query="SELECT * FROM t", target="y"))
    assert found.rows.tolist() == fit_table(open_data(pa.table(dated()), target="y")).rows.tolist()


def test_every_digit_of_a_numeric_is_kept(address: str) -> None:
    query = """SELECT 0.1::numeric AS a, 12345678901234567890123456789.5 AS b, NULL::numeric AS c, 'NaN'::numeric AS d,
        2::numeric(6, 3) AS e, 1.50::numeric AS "as text", 7::numeric AS y -- a comment"""
    chunk = open_data(address, query=query, target="y", categorical=["as text"]).read()
    found = {name: chunk.cells(name) for name in chunk.names}
    assert [found[name].text.to_pylist() for name in "abe"] == [["0.1"], ["12345678901234567890123456789.5"], ["2.000"]]
    assert found["a"].values.tolist() == [0.1] and chunk.y.tolist() == ["7"]
    assert found["c"].missing.tolist() == found["d"].missing.tolist() == [True]
    assert found["as text"].text.to_pylist() == ["1.50"] and not found["as text"].is_number


def test_numeric_labels_and_categories_do_not_depend_on_the_rows_beside_them(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_query, "BATCH_ROWS", 2)
    query = "SELECT k AS v, k AS w, k AS y FROM unnest(ARRAY[1, 2, 0.5, 1]::numeric[]) k"
    source = open_data(address, query=query, target="y", categorical=["v"])
    chunks: list[Any] = [chunk for chunk, _ in source.chunks()]
    whole = source.read()
    assert [y for chunk in chunks for y in chunk.y.tolist()] == whole.y.tolist() == ["1", "2", "0.5", "1"]
    assert [v for chunk in chunks for v in chunk.cells("v").text.to_pylist()] == whole.cells("v").text.to_pylist()
    assert whole.column("w").values.tolist() == [1.0, 2.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT nope", 'PostgreSQL says: .*column "nope" does not exist'),
        ("SELECT 1 AS a WHERE false", "the query gives no rows"),
        ("SELECT 1 AS a, 2 AS a", "the query: two columns are called 'a'; rename one"),
        ("SELECT 1/(k - 3) AS a FROM generate_series(1, 9) k", "PostgreSQL says: .*division by zero"),
        ("SELECT 1 AS a; SELECT 2", "multiple commands"),
        ("VACUUM", "returns no table: it must be a SELECT"),
        ("DROP TABLE u", "returns no table: it must be a SELECT"),
        ("INSERT INTO u VALUES (2) RETURNING a", "cannot execute INSERT in a read-only transaction"),
        ("SELECT 5::money AS m", "column 'm' is of the type money: CAST it AS NUMERIC"),
        ("SELECT 10::numeric ^ 80 AS k", "column 'k': a number has more than 76 digits"),
        ("SELECT 'Infinity'::numeric AS k", "row 1 of the query, column 'k': inf is not a finite number"),
        ("SELECT TIME '10:00' AS d", r"row 1 of the query, column 'd' has type time64"),
    ],
)
def test_a_query_that_gives_no_table_is_refused_and_nothing_is_written(address: str, query: str, message: str) -> None:
    carry_out(address, "DROP TABLE IF EXISTS u", "CREATE TABLE u (a int)", "INSERT INTO u VALUES (1)")
    with pytest.raises(DataError, match=message):
        chunk = open_data(address, query=query).read()
        chunk.cells(chunk.names[0])
    assert open_data(address, query="SELECT a FROM u").read().column("a").values.tolist() == [1.0]


def test_a_stream_begins_before_the_query_has_ended(address: str) -> None:
    query = "SELECT generate_series(1, 1000000000000) AS i, 'x' AS y"
    chunks: list[Any] = list(islice(open_data(address, query=query, target="y").chunks(), 20))
    assert [chunk.n_rows for chunk, _ in chunks] == [1 << 15] * 20


def test_a_run_goes_on_from_its_checkpoint_over_the_same_rows_alone(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_query, "BATCH_ROWS", 7)
    make(address, many())
    query = "SELECT a, b, city, y FROM t ORDER BY id"
    asked = begin(address, query, tmp_path / "ck")
    carry_out(address, "UPDATE t SET city = 'Paris' WHERE id = 3")
    with pytest.raises(
        DataError, match=r"the rows of the query have changed, or their order \(is it fixed by ORDER BY"
    ):
        fit_stream(address, **asked)
    carry_out(address, "UPDATE t SET city = NULL WHERE id = 3")
    found = fit_stream(address, **asked)
    whole = fit_stream(pa.table(many()).select(["a", "b", "city", "y"]), target="y", bits=8)
    assert found.resumed_rows > 0
    assert found.model.learner_.coef_.tolist() == whole.model.learner_.coef_.tolist()


# ------------------------------------------------------------------- passwords
def test_a_password_stands_in_no_model_receipt_report_or_checkpoint(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    make(server, many())
    monkeypatch.delenv("PGPASSWORD")
    address, folder = with_password(server), tmp_path / "out"
    folder.mkdir()
    query = ("--read", "query=SELECT a, b, city, y FROM t ORDER BY id")
    fit = ["fit", address, *query, "--target", "y"]
    said = []
    for command in (
        [*fit, "--model", str(folder / "m"), "--report", str(folder / "page.html")],
        [*fit, "--model", str(folder / "s"), "--stream", "--checkpoint", str(folder / "ck"), "--set", "passes=2"],
        ["show", str(folder / "m")],
        ["predict", str(folder / "m"), address, *query, "-o", str(folder / "out.csv")],
        ["score", str(folder / "m"), address, *query],
    ):
        done = linsep(*command)
        said.append(done.stdout + done.stderr)
    assert "postgresql://ann:***@127.0.0.1" in said[2]
    said += [linsep(*fit, "--set", "passes=3", "--stream", "--checkpoint", folder / "ck", status=2).stderr]
    for secret in SECRETS:
        assert not any(secret in str(one) for one in said)
        for file in folder.iterdir():
            assert secret.encode() not in file.read_bytes(), file.name
    assert (folder / "ck").exists() and (folder / "page.html").exists()


def test_a_wrong_password_is_in_no_error(server: str) -> None:
    for address in (
        server.replace("ann@", "ann:hunter2@"),
        server.replace("ann@", "ann:hun/ter2@"),
        server.replace("ann@", "ann:hunter2 or@"),
        f"{server}?password=hunter2",
        server.replace("ann@", "ann:hunter2@").replace("127.0.0.1", "127.0.0.1:1"),
    ):
        with pytest.raises(DataError, match="PostgreSQL says") as found:
            open_data(address, query="SELECT 1 AS a").read()
        with pytest.raises(DataError, match="is a database: say which of its rows") as without:
            open_data(address)
        for error in (found.value, without.value):
            assert "hun" not in str(error) and "ter2" not in str(error)
        assert found.value.__cause__ is None and found.value.__suppress_context__


def test_libpq_finds_the_password_in_its_file(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"PostgreSQL says: .*no password supplied"):
        open_data(server, query="SELECT 1 AS a").read()
    (tmp_path / "pgpass").write_text(f"*:*:*:ann:{PASSWORD}\n")
    (tmp_path / "pgpass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    assert open_data(server, query="SELECT 1 AS a").read().n_rows == 1


def test_a_command_reads_a_query(address: str, tmp_path: Path) -> None:
    make(address, many())
    query = ("--read", "query=SELECT a, b, y FROM t", "--target", "y")
    told = json.loads(linsep("fit", address, *query, "--model", tmp_path / "m", "--json").stdout)
    assert told["rows"] == 100
    linsep("check", address, *query, status=1)


# ------------------------------------------------------- without a server
def test_without_the_driver_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(DataError, match=r"adbc-driver-postgresql, which is not installed: pip install 'linsep\[sql\]'"):
        open_data("postgresql://ann:secret@host/db", query="SELECT 1").read()


def test_other_servers_are_refused() -> None:
    with pytest.raises(DataError, match=r"^mysql://ann:\*\*\*@host/db is no database that can be asked: name a file"):
        open_data("mysql://ann:secret@host/db", query="SELECT 1")


def test_an_exported_query_scores_a_table_as_predict_does(address: str) -> None:
    rng = random.Random(3)
    rows: dict[str, list[Any]] = {
        "size": [rng.choice([None, float("nan"), rng.gauss(0, 1)]) for _ in range(80)],
        "count": [rng.randint(-9, 9) for _ in range(80)],
        "Code": [float(rng.randint(1, 3)) for _ in range(80)],
        "city": [rng.choice([None, "", "Rome", "it's", "None"]) for _ in range(80)],
    }
    labels = ["abc"[(count > 0) + (city == "Rome")] for count, city in zip(rows["count"], rows["city"], strict=True)]
    encoder = TableEncoder(columns={"Code": "category"}, missing="mean")
    model = TableModel(encoder=encoder).fit(pa.table(rows), labels)
    make(address, rows)
    scored = open_data(address, query=to_sql(model, table="public.t", postgresql=True), categorical=["prediction"])
    assert scored.read().cells("prediction").text.to_pylist() == model.predict(pa.table(rows)).tolist()
