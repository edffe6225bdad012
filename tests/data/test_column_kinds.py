"""What columns hold: dates in parts, running text as words, names of rows left out, and what the user says."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from linsep.app.commands.check import check
from linsep.app.commands.fit import fit
from linsep.app.commands.with_model import predict
from linsep.data.cells import number_column
from linsep.data.columns import Column
from linsep.data.features.dates import date_columns, date_kinds, read_dates
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import derive, find_kinds
from linsep.data.features.words import Grams, fit_words, weigh_words
from linsep.data.sources.open import open_data
from linsep.export.formula import to_json
from linsep.learners.table_model import TableModel
from linsep.reporting.scores import iter_predictions
from linsep.reporting.table_check import check_table
from linsep.reporting.table_fit import fit_table
from linsep.streaming.fit_stream import fit_stream
from linsep.types import DataError

WAYS = ["%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %b %Y", "%d.%m.%Y %H:%M", "%m/%d/%Y %H:%M:%S"]
TIMES = st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(2999, 12, 31))


def table(**columns: Any) -> Any:
    return open_data(pa.table(columns), target="y" if "y" in columns else None)


def messy(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    words = ["late", "paid", "sent", "lost", "bill", "again", "call"]
    notes = [" ".join(rng.choice(words, 5)) + f" {k}" for k in range(n)]
    return pd.DataFrame({
        "row": np.arange(n), "user_id": rng.permutation(n) * 7, "code": [f"K{k * 31}" for k in range(n)],
        "size": rng.normal(size=n), "city": rng.choice(["Oslo", "Rome"], n), "note": notes,
        "paid": pd.date_range("2023-11-25", periods=n),
        "seen": [f"{k % 28 + 1}.{k % 12 + 1}.2024 8:05" for k in range(n)],
        "y": np.where(np.arange(n) % 2, "yes", "no"),
    })  # fmt: skip


def test_words_for_a_missing_value_among_categories_are_levels_unless_said() -> None:
    rows = b"a,b,c,y\n" + b"".join(
        f"{['x', 'NULL', '#N/A ', ''][k % 4]},{['u', 'None', '?', '-'][k % 4]},{k % 3},{'np'[k % 2]}\n".encode()
        for k in range(40)
    )
    for na, missing in (((), 10), (("NULL", "#N/A"), 30)):
        source = open_data(rows, target="y", na=na)
        assert find_kinds(source.read(), {}).doubts == []
        assert TableEncoder().fit(source).missing_ == {"a": missing}


# ------------------------------------------------------------------------ dates
@given(st.lists(TIMES, min_size=1, max_size=20), st.sampled_from(WAYS))
def test_what_is_written_as_a_date_is_read_as_it_was(points: list[datetime.datetime], way: str) -> None:
    text = pa.array([point.strftime(way) for point in points])
    found = read_dates(text, way)
    assert not isinstance(found, int)
    expected = [datetime.datetime.strptime(cell, way) for cell in text.to_pylist()]
    assert found[0].astype("datetime64[us]").tolist() == expected
    assert way in date_kinds(text)


@given(st.lists(TIMES, min_size=1, max_size=20))
def test_parts_of_a_date_are_those_of_the_calendar(points: list[datetime.datetime]) -> None:
    written = [point.isoformat(sep=" ", timespec="microseconds") for point in points]
    parts = date_columns(Column("t", None, None), "datetime", *read_times(written))
    epoch = datetime.datetime(1970, 1, 1)
    seconds = parts["t (seconds)"].values
    assert seconds is not None
    np.testing.assert_allclose(seconds, [(point - epoch).total_seconds() for point in points], rtol=1e-15, atol=1e-6)
    for name, way in {"t month": "%b", "t weekday": "%a", "t hour": "%H"}.items():
        text = parts[name].text
        assert text is not None
        assert text.to_pylist() == [point.strftime(way) for point in points]
    days = date_columns(Column("t", None, None), "date", *read_times(written))["t (days)"].values
    assert days is not None
    assert days.tolist() == [(point.date() - epoch.date()).days for point in points]


def read_times(written: list[str]) -> Any:
    found = read_dates(pa.array(written), "datetime")
    assert not isinstance(found, int)
    return found


@pytest.mark.parametrize(
    ("cells", "ways"),
    [
        (["2024-02-29", "NA", ""], ["date"]),
        (["2024-02-29 13:30", "2024-03-01T08:00:00.5"], ["datetime"]),
        (["2024-02-29T13:30:00Z", "2024-02-29T13:30:00+02:00"], ["datetime"]),
        (["2024-02-30", "2024-02-29"], []),
        (["30.2.2024"], []),
        (["1/2/2024", "13/2/2024"], ["%d/%m/%Y"]),
        (["1/2/2024", "1/13/2024"], ["%m/%d/%Y"]),
        (["1/2/2024"], ["%d/%m/%Y", "%m/%d/%Y"]),
        (["Oslo", "Rome"], []),
        (["", "NA"], []),
        (["3 Mar 2024", "12 Dec 2024"], ["%d %b %Y"]),
        (["26.03.24", "1.4.24"], ["%d.%m.%y"]),
        (["26.03.24 22:37"], ["%d.%m.%y %H:%M"]),
        (["03/26/2024 10:37 PM", "04/01/2024 8:05 am"], ["%m/%d/%Y %I:%M %p"]),
        (["26-Mar-24"], ["%d-%b-%y"]),
        (["24-03-26"], ["%d-%m-%y", "%y-%m-%d"]),
        (["1.10.1", "1.2.3"], []),
    ],
)
def test_the_ways_that_fit_all_cells(cells: list[str], ways: list[str]) -> None:
    assert date_kinds(pa.array(cells)) == ways


def test_years_of_two_digits_are_read_and_those_of_two_centuries_are_not_guessed() -> None:
    def found(years: Any) -> Any:
        cells = [f"{k % 28 + 1:02d}.{k % 12 + 1:02d}.{year % 100:02d}" for k, year in enumerate(years)]
        frame = pd.DataFrame({"born": cells, "size": [0.5, 1.5] * (len(cells) // 2)})
        return find_kinds(open_data(frame).read(), {})

    recent = found(range(1985, 2025))
    assert recent.kinds == {"born": "%d.%m.%y"}
    assert recent.doubts == []
    old = found(range(1935, 1985))  # 1935 to 1968 would be 2035 to 2068
    assert "born" not in old.kinds or old.kinds["born"] == "skip"
    assert "its years have no century: write four digits" in old.doubts[0]


@pytest.mark.parametrize("way", ["%d.%m.%Y", "%m/%d/%Y %H:%M", "%d.%m.%y"])
def test_iso_dates_of_new_rows_are_read_whatever_the_model_knows(way: str) -> None:
    points = pd.date_range("2024-01-30", periods=60, freq="33h").floor("min" if "%H" in way else "D")
    frame = pd.DataFrame({"paid": points.strftime(way), "size": np.arange(60) % 7, "y": ["no"] * 30 + ["yes"] * 30})
    model = TableModel().fit(open_data(frame, target="y"))
    rows = frame.drop(columns="y")
    expected = next(iter_predictions(model, rows)).decision_values.tolist()
    for cells in (points, points.strftime("%Y-%m-%d %H:%M")):
        assert next(iter_predictions(model, rows.assign(paid=cells))).decision_values.tolist() == expected
    with pytest.raises(DataError, match=r"row 0 .counted from 0., column 'paid': '2024-02-30' is not a date like"):
        next(iter_predictions(model, rows.assign(paid="2024-02-30")))


def test_a_day_after_the_tried_ones_decides_too() -> None:
    cells = [f"{k % 12 + 1}/{k % 11 + 1}/{1900 + k}" for k in range(80)] + ["25/1/2024"]
    assert date_kinds(pa.array(cells)) == ["%d/%m/%Y"]


def test_zones_are_turned_into_utc_also_beside_times_without_one() -> None:
    mixed = read_times(["2024-01-01T00:00Z", "2024-01-01", "2024-01-01 05:00-0500"])[0]
    assert mixed.astype("datetime64[h]").astype(str).tolist() == ["2024-01-01T00", "2024-01-01T00", "2024-01-01T10"]
    points, missing = read_times(["2024-02-29T01:30:00+02:00", ""])
    assert points[0] == np.datetime64("2024-02-28T23:30:00")
    assert missing.tolist() == [False, True]


# ------------------------------------------------------------------------ words
@given(
    st.lists(st.text(alphabet="ab c", max_size=12), min_size=1, max_size=12), st.sampled_from(["words1-2", "chars2-3"])
)
def test_weights_are_those_of_scikit_learn(texts: list[str], spec: str) -> None:
    grams = Grams.parse(spec)
    words, counted = fit_words(pa.array(texts), grams)
    analyzer, pattern = ("word", r"(?u)\b\w+\b") if grams.unit == "words" else ("char", None)
    options: dict[str, Any] = {"analyzer": analyzer, "ngram_range": (grams.low, grams.high), "token_pattern": pattern}
    theirs = TfidfVectorizer(sublinear_tf=True, **options)
    try:
        expected = theirs.fit_transform(texts).toarray()
    except ValueError:  # no term
        expected = np.zeros((len(texts), 0))
    np.testing.assert_allclose(weigh_words(pa.array(texts), words).toarray(), expected, rtol=1e-12, atol=1e-15)
    assert (weigh_words(pa.array(texts), words, counted) != weigh_words(pa.array(texts), words)).nnz == 0
    others = pa.array(texts[::-1])  # counted anew, as they are not the texts that were counted
    assert (weigh_words(others, words, counted) != weigh_words(others, words)).nnz == 0


def test_a_term_of_one_row_is_left_out_of_many_rows() -> None:
    texts = [f"to be {k}" for k in range(40)]
    assert fit_words(pa.array(texts), Grams.parse("words"))[0].terms == ["be", "to"]
    assert "7" in fit_words(pa.array(texts[:10]), Grams.parse("words"))[0].terms


# ------------------------------------------------------------------------ kinds
def test_the_columns_of_a_messy_table_are_told_apart() -> None:
    encoder = TableEncoder().fit(open_data(messy(), target="y"))
    assert encoder.kinds_ == {
        "row": "skip", "user_id": "skip", "code": "skip", "note": "words1-1", "paid": "date", "seen": "%d.%m.%Y %H:%M",
    }  # fmt: skip
    assert encoder.left_out_ == {
        "row": "the numbers of the rows", "user_id": "60 values in 60 rows", "code": "60 levels in 60 rows",
    }  # fmt: skip
    assert encoder.column_names == ["size", "city", "paid", "seen", "note"]
    assert set(encoder.text_columns) == {"city", "paid", "seen", "note"}
    names = encoder.feature_names_
    assert "paid (days)" in names
    assert "seen hour=08" in names
    assert "note:late" in names
    assert not [name for name in names if name.startswith(("row", "user_id", "code"))]


def test_few_rows_and_names_that_say_nothing_are_kept() -> None:
    few = messy(12).drop(columns=["paid", "seen"])
    assert TableEncoder().fit(open_data(few[:4], target="y")).kinds_ == {}
    # From five rows on text names the rows if it is another one in each of them.
    assert TableEncoder().fit(open_data(few, target="y")).kinds_ == {"code": "skip", "note": "skip"}
    for names in (["ann", "bob", "cid", "dan", "ann"], ["ann", "bob", "cid", "dan", ""]):
        assert find_kinds(table(name=names, a=range(5)).read(), {}).kinds == {}
    found = find_kinds(table(name=["ann", "bob", "cid", "dan", "eve"], a=range(5)).read(), {})
    assert found.left_out == {"name": "5 levels in 5 rows"}
    assert (
        find_kinds(table(name=["ann", "bob", "cid", "dan", "eve"]).read(), {}).left_out == {}
    )  # nothing else is there
    numbers = np.random.default_rng(0).permutation(60) * 3.0
    kinds = find_kinds(table(paid=numbers, valid=numbers, customerId=numbers, ID=numbers).read(), {}).kinds
    assert kinds == {"customerId": "skip", "ID": "skip"}


@pytest.mark.parametrize(
    "name",
    [
        *("Nr", "Nr.", "Kunden-Nr", "KundenNr", "Kundennr.", "Kundennummer", "BELEGNUMMER", "Kennung", "numéro"),
        *("No.", "Nº", "N\u00b0", "Invoice No", "invoiceNo", "account_number", "código", "Matricola", "user_id"),
    ],
)
def test_names_of_rows_are_known_by_what_they_are_called(name: str) -> None:
    numbers = np.random.default_rng(0).permutation(60) * 1009.0
    assert find_kinds(table(**{name: numbers, "a": numbers}).read(), {}).left_out == {name: "60 values in 60 rows"}


@pytest.mark.parametrize(
    "name", ["paid", "valid", "volcano", "piano", "Number", "yes", "innr_x", "number of visits", "Dinner"]
)
def test_numbers_called_otherwise_are_kept(name: str) -> None:
    numbers = np.random.default_rng(0).permutation(60) * 1009.0
    found = find_kinds(table(**{name: numbers, "a": numbers}).read(), {})
    assert (found.left_out, found.doubts) == ({}, [])


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_of_rows_in_another_order_are_left_out(first: int) -> None:
    numbers = first + np.random.default_rng(0).permutation(40).astype(float)
    why = f"each number from {first} to {first + 39} once: the numbers of rows in another order"
    assert find_kinds(table(ref=numbers, a=numbers % 2).read(), {}).left_out == {"ref": why}
    numbers[3] = numbers[4]
    assert find_kinds(table(ref=numbers, a=numbers % 2).read(), {}).left_out == {}
    unique = np.random.default_rng(0).permutation(60) * 3.0
    for name in ("Unnamed: 0", "index"):
        left_out = find_kinds(table(**{name: unique, "a": unique % 7}).read(), {}).left_out
        assert left_out == {name: "60 values in 60 rows"}


def test_a_name_that_counts_have_too_is_one_of_rows_only_if_all_differ() -> None:
    numbers = np.random.default_rng(0).permutation(60) * 1009.0
    numbers[7] = numbers[8]
    found = find_kinds(table(**{"votes no": numbers, "Kunden-Nr": numbers}).read(), {})
    assert found.left_out == {"Kunden-Nr": "59 values in 60 rows"}


@given(st.lists(st.integers(1, 9), min_size=29, max_size=80), st.sampled_from([1, -1]), st.integers(0, 10**6))
def test_numbers_in_the_order_of_the_rows_with_small_steps_are_names(steps: list[int], way: int, first: int) -> None:
    ref = first + way * np.cumsum([0, *steps]).astype(float)
    n, found = len(ref), find_kinds(table(ref=ref, a=ref % 2).read(), {})
    if sum(steps) < 5 * n:
        went = f"the numbers go {'up' if way == 1 else 'down'} from row to row, {n} values in {n} rows"
        assert found.left_out == {"ref": "the numbers of the rows" if set(steps) == {1} else went}
    else:
        assert found.left_out == {}
    assert found.doubts == []
    again = np.append(ref, ref[-1])
    for kept in (again, ref + 0.5, ref[:29], 2 + ref[np.r_[1, 0, 2:n]] - ref.min()):
        found = find_kinds(table(ref=kept, a=kept * 0).read(), {})
        assert (found.left_out, found.doubts) == ({}, [])


def test_a_table_of_names_of_rows_alone_keeps_them() -> None:
    encoder = TableEncoder().fit(table(code=[f"K{k}" for k in range(50)]))
    assert (encoder.kinds_, len(encoder.feature_names_)) == ({}, 50)


def test_what_the_user_says_holds() -> None:
    said = {"row": "number", "code": "category", "note": "chars2-2", "paid": "skip", "city": "skip", "seen": "category"}
    encoder = TableEncoder(columns=said).fit(open_data(messy(), target="y"))
    names = encoder.feature_names_
    assert {"row", "code=K0", "note:la", "seen=1.1.2024 8:05"} <= set(names)
    assert not [name for name in names if name.startswith(("paid", "city"))]
    numbers = TableEncoder(columns={"a": "category"}).fit(table(a=[1.0, 2.5]))
    assert numbers.feature_names_ == ["a=1", "a=2.5"]
    as_written = open_data(b"a,b\n1,x\n2,y\nNA,z\n").read()
    cells = derive(as_written, {"a": "number"}).cells("a")
    assert cells is not None
    assert cells.is_number


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"b": "foo"}, "column 'b': a column is read as number, category, date, text, .*, not as 'foo'"),
        ({"b": "%d%d"}, "not as '%d%d'"),
        ({"b": "%H:%M"}, "not as '%H:%M'"),
        ({"size of b": "text"}, "no feature column called 'size of b' to read as words1-1"),
        ({"bb": "words1-2"}, "no feature column called 'bb' to read as words1-2; did you mean 'b'?"),
        ({"b": "date"}, "buffer:2, column 'b': 'x' is not a date like 2024-02-29; correct it, or read the column as"),
        ({"b": "number"}, "buffer:2, column 'b': 'x' is not a number"),
        ({"a": "skip", "b": "skip", "d": "skip"}, "every column is skipped, and none is left to learn from"),
        ({"d": "date"}, r"its dates, such as '1/2/2024', can be read in 2 ways: use --column d=%d/%m/%Y or"),
        ({"d": "%d.%m.%Y"}, r"buffer:2, column 'd': '1/2/2024' is not a date like %d.%m.%Y"),
    ],
)
def test_what_cannot_be_is_refused(columns: dict[str, str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        TableEncoder(columns=columns).fit(open_data(b"a,b,d\n1,x,1/2/2024\n2,y,3/4/2024\n"))


def test_a_date_in_two_ways_is_a_category_and_said() -> None:
    encoder = TableEncoder().fit(open_data(b"a,d\n1,1/2/2024\n2,3/4/2024\n"))
    assert encoder.kinds_ == {}
    assert "can be read in 2 ways" in encoder.doubts_[0]


def test_a_part_of_a_date_does_not_replace_a_column() -> None:
    with pytest.raises(DataError, match=r"the column 'd \(days\)' is also a part of 'd'; rename it"):
        TableEncoder().fit(table(**{"d": ["2024-02-29", "2024-03-01"], "d (days)": [1.0, 2.0]}))


def test_a_column_that_is_missing_is_named_as_it_was(tmp_path: Path) -> None:
    encoder = TableEncoder().fit(open_data(messy(), target="y"))
    with pytest.raises(DataError, match="columns missing: 'paid'"):
        encoder.transform(open_data(messy().drop(columns=["paid", "row"])))
    encoder.transform(open_data(messy().drop(columns=["row", "user_id", "code"])))


def test_kept_and_read_again_it_gives_the_same_features(tmp_path: Path) -> None:
    frame = messy()
    frame.loc[3, "paid"] = pd.NaT
    frame.loc[5, "note"] = None
    encoder = TableEncoder().fit(open_data(frame, target="y"))
    again = TableEncoder.from_state(*encoder.state())
    assert again.feature_names_ == encoder.feature_names_
    assert again.column_names == encoder.column_names
    rows = encoder.transform(open_data(frame, target="y")).X.toarray()
    assert np.array_equal(again.transform(open_data(frame, target="y")).X.toarray(), rows)
    assert rows[3, encoder.feature_names_.index("paid (days)=(missing)")] == 1
    frame.to_csv(tmp_path / "t.csv", index=False)
    from_text = TableEncoder().fit(open_data(tmp_path / "t.csv", target="y"))
    assert from_text.feature_names_ == encoder.feature_names_
    assert np.array_equal(from_text.transform(open_data(tmp_path / "t.csv", target="y")).X.toarray(), rows)


# ------------------------------------------------------------------------ streams, commands
def test_dates_and_words_of_a_stream(tmp_path: Path) -> None:
    frame = messy(200)
    frame.to_parquet(tmp_path / "t.parquet")
    columns = {"row": "skip", "note": "text", "seen": "date"}
    found = fit_stream(tmp_path / "t.parquet", target="y", columns=columns, bits=16)
    encoder = found.model.encoder_
    assert encoder is not None
    assert encoder.kinds_ == {"row": "skip", "note": "words1-1", "seen": "%d.%m.%Y %H:%M", "paid": "date"}
    assert encoder.column_names == ["user_id", "code", "size", "city", "note", "paid", "seen"]
    assert {"note:late", "paid month=Nov", "seen weekday=Mon", "paid (days)"} <= set(encoder.feature_names_)
    with pytest.raises(DataError, match="no feature column called 'zip'"):
        fit_stream(tmp_path / "t.parquet", target="y", columns={"zip": "skip"}, bits=10)


def test_the_commands_say_what_was_left_out(tmp_path: Path) -> None:
    path, model = tmp_path / "t.csv", tmp_path / "m.linsep"
    messy().to_csv(path, index=False)
    asked: dict[str, Any] = {"target": "y", "positive": None, "time_limit": None}
    result = fit(path, **asked, learner="averaged", max_iter=None, holdout=0.0, model=model)
    lines = dict(result.lines)
    assert lines["columns"].startswith("5: 1 of numbers, 1 of text, 2 of dates, 1 of running text, ")
    assert lines["left out"].startswith("'row' (the numbers of the rows), 'user_id' (60 values in 60 rows), 'code' (60")
    assert result.data["left_out"].keys() == {"row", "user_id", "code"}
    predict(model, str(path), str(tmp_path / "p.csv"))
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 61
    found = check(path, **asked)
    assert dict(found.lines)["left out"].endswith("'note': running text; to use one: --column NAME=category")
    assert {"column": "paid", "date": "date"} in found.data["columns"]
    kept = check(path, **asked, column=["code=category"])
    assert kept.data["verdict"] == "separable"


def test_what_other_programs_cannot_make_is_not_exported() -> None:
    frame = messy()
    labels = frame.pop("y")
    model = TableModel().fit(frame, labels)
    with pytest.raises(DataError, match="'note', 'paid', 'seen' hold dates, running text or numbers with a unit"):
        to_json(model)
    kinds = dict.fromkeys(("paid", "seen", "note"), "skip")
    plain = TableModel(encoder=TableEncoder(columns=kinds)).fit(frame, labels)
    assert [one["name"] for one in json.loads(to_json(plain))["inputs"]] == ["size", "city"]


@pytest.mark.parametrize(
    ("cells", "decimal", "values"),
    [
        (["$1,204.73", "-$5", "$ 12"], ".", [1204.73, -5, 12]),
        (["1.240,82 \u20ac", "3,5 \u20ac", "12"], ",", [1240.82, 3.5, 12]),
        (["12%", "3.5%", "NA"], ".", [12, 3.5, 0]),
        (["True", "FALSE", "", "true"], ".", [1, 0, 0, 1]),
        (["1,2", "3"], ".", None),
        (["($34.30)", "$1,200.00", "$(5)", "($ 7)"], ".", [-34.3, 1200, -5, -7]),
        (["(1,204.50)", "3", "-2", ""], ".", [-1204.5, 3, -2, 0]),
        (["(1.204,50 \u20ac)", "3 \u20ac"], ",", [-1204.5, 3]),
        (["(12%)", "3%"], ".", [-12, 3]),
        (["(-3)", "x"], ".", None),
        (["$3", "x"], ".", None),
        (["yes", "true"], ".", None),
    ],
)
def test_amounts_and_booleans_are_numbers(cells: list[str], decimal: str, values: list[float] | None) -> None:
    column = number_column("a", pa.array(cells), lambda row: f"row {row}", is_text=False, decimal=decimal)
    assert (None if column.values is None else column.values.tolist()) == values
    if values is not None and any(cell in ("", "NA") for cell in cells):
        assert column.missing is not None
        assert column.missing.tolist() == [cell in ("", "NA") for cell in cells]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["50%", "0.5"], r"column 'a': some cells .* that others lack, as '50%' \(row 0\) and '0.5' \(row 1\): write"),
        (["$5", "\u00a55"], "some cells have a % or the sign"),
        (["0,512", "2", "0,875", "3", "4"], "is a number if the decimal mark is ','"),
        (
            ["$1,234", "$5", "7 kg"],
            "row 2, column 'a': '7 kg' is not a finite number, but most of the column is numbers",
        ),
    ],
)
def test_amounts_of_several_units_are_refused(cells: list[str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        number_column("a", pa.array(cells), lambda row: f"row {row}", is_text=False)


def test_the_cell_that_is_no_amount_is_blamed_in_later_rows() -> None:
    encoder = TableEncoder().fit(open_data(b"a,y\n$5,n\n$6,y\n", target="y"))
    with pytest.raises(DataError, match="buffer:3, column 'a': '7 kg'"):
        encoder.transform(open_data(b"a\n$5\n7 kg\nx\n"))


def test_a_column_that_is_skipped_is_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [{"seats": k % 5, "c": [k], "day_closed": k % 2, "y": ["low", "high"][k % 2]} for k in range(40)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    found = fit_table(open_data(path, target="y"), columns={"c": "skip", "day_closed": "skip"})
    assert "too good?" not in dict(found.receipt.lines)
    streamed = fit_stream(path, target="y", columns={"c": "skip"}, bits=8).model
    assert streamed.feature_names_in_.tolist() == ["seats", "day_closed"]
    with pytest.raises(DataError, match=r"or leave it out \(--column c=skip\)"):
        fit_table(open_data(path, target="y"))


def test_a_column_of_several_types_is_refused() -> None:
    with pytest.raises(DataError, match=r"buffer:2: Column\(/a\) changed from number to string"):
        open_data(b'{"a": 1}\n{"a": "x"}\n', format="jsonl").read()


@pytest.mark.parametrize("ask", [fit_table, check_table])
def test_a_label_for_each_row_is_refused(ask: Any) -> None:
    a = np.arange(20) % 7
    said = "column 'y': 11 labels in 20 rows: is that the right column"
    with pytest.raises(DataError, match=said):
        ask(table(a=a, y=[f"k{k % 11}" for k in range(20)]))
    with pytest.raises(DataError, match="column 'y': 1,400 labels in 1,400 rows: is that the right column"):
        ask(table(a=np.arange(1400) % 7, y=np.arange(1400) + 0.5))
    ask(table(a=a, y=np.arange(20) % 10))
    ask(table(a=a[:19], y=np.arange(19)))
    ask(table(a=a, y=np.arange(20)), positive=3)
