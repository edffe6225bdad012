"""Spreadsheets are read as the same rows in CSV, or refused with what to do."""

from __future__ import annotations

import io
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from linsep import DataError, fit_stream, fit_table, iter_predictions, open_data
from linsep.reporting.table_check import check_table

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
ROWS: list[list[Any]] = [
    ["size", "city", "sold"],
    [1.5, "Rome", "yes"],
    [None, "Oslo", "no"],
    [2, None, "yes"],
    [-1, "x7", "no"],
]


@pytest.fixture(autouse=True)
def calamine() -> None:
    """What reads workbooks, an extra."""
    pytest.importorskip("python_calamine")


def sheet_xml(rows: list[list[Any]]) -> str:
    def cell(value: Any, place: str) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        if isinstance(value, date | time):
            return f'<c r="{place}" t="d"><v>{value.isoformat()}</v></c>'
        return f'<c r="{place}"><v>{value}</v></c>'

    lines = (
        f'<row r="{i}">' + "".join(cell(value, f"{chr(65 + j)}{i}") for j, value in enumerate(row)) + "</row>"
        for i, row in enumerate(rows, 1)
    )
    return f"<worksheet {MAIN}><sheetData>{''.join(lines)}</sheetData></worksheet>"


def workbook(**sheets: list[list[Any]]) -> bytes:
    """The least that an .xlsx file holds."""
    out, names = io.BytesIO(), list(sheets)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(out, "w") as file:
        parts = "".join(
            f'<Override PartName="/xl/worksheets/{k}.xml" ContentType="{kind}.worksheet+xml"/>'
            for k in range(len(names))
        )
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>{parts}</Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" Type="{LINKS}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(f'<sheet name="{name}" sheetId="{k + 1}" r:id="r{k}"/>' for k, name in enumerate(names))
        file.writestr("xl/workbook.xml", f'<workbook {MAIN} xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>')
        links = "".join(
            f'<Relationship Id="r{k}" Type="{LINKS}/worksheet" Target="worksheets/{k}.xml"/>' for k in range(len(names))
        )
        file.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>'
        )
        for k, name in enumerate(names):
            file.writestr(f"xl/worksheets/{k}.xml", sheet_xml(sheets[name]))
    return out.getvalue()


def as_csv(rows: list[list[Any]]) -> bytes:
    return "".join(",".join("" if v is None else str(v) for v in row) + "\n" for row in rows).encode()


def test_a_workbook_is_the_table_that_csv_is(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook(first=ROWS, empty=[]))
    one, two = (fit_table(open_data(rows, target="sold")) for rows in (path, as_csv(ROWS)))
    assert one.rows.tolist() == two.rows.tolist()
    assert one.receipt.data["missing"] == two.receipt.data["missing"] == {"size": 1, "city": 1}
    streamed = [fit_stream(rows, target="sold", bits=8).model.learner_.coef_ for rows in (path, as_csv(ROWS))]
    assert streamed[0].tolist() == streamed[1].tolist()


def mixed(n: int, **cells: Any) -> list[list[Any]]:
    """Numbers in two columns, a category, and labels; `cells` of the column size stand in the rows r0, r1, ..."""
    sizes = [cells.get(f"r{k}", k % 7 + 0.5) for k in range(n)]
    return [
        ["size", "floor", "city", "sold"],
        *([v, k % 5, "xy"[k % 3 == 0], "np"[k % 2]] for k, v in enumerate(sizes)),
    ]


def test_text_among_numbers_is_read_as_in_csv() -> None:
    rows = mixed(40, r3="-", r8=" NA ", r9="4.25", r20="k.A.")
    one, two = (
        fit_table(open_data(content, target="sold", format=form, na=["k.A."]))
        for content, form in ((workbook(a=rows), "excel"), (as_csv(rows), "csv"))
    )
    assert one.rows.tolist() == two.rows.tolist()
    assert one.receipt.data["missing"] == two.receipt.data["missing"] == {"size": 3}
    book = open_data(workbook(a=rows), target="sold", format="excel")
    said = (
        r"buffer, row 22, column .size.: .k\.A\.. is not a finite number, .* use --read na=k\.A\. .* in CSV, JSON lines"
    )
    with pytest.raises(DataError, match=said):
        fit_table(book)
    assert fit_table(book, columns={"floor": "number", "size": "skip"}).rows.shape == (40, 3)
    as_text = open_data(workbook(a=rows), target="sold", format="excel", categorical=["size"]).read().cells("size")
    assert as_text.text.to_pylist()[:4] == ["0.5", "1.5", "2.5", "-"]


def dated(n: int, **cells: Any) -> list[list[Any]]:
    days = [cells.get(f"r{k}", date(2024, 1, 1) + timedelta(k * 11 % 97)) for k in range(n)]
    return [["paid", "size", "sold"], *([day, k % 5, "np"[k % 2]] for k, day in enumerate(days))]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ({"r3": "-", "r5": None}, "date"),
        ({"r3": datetime(2024, 2, 3, 4, 5, 6), "r4": "2024-02-03"}, "datetime"),
    ],
)
def test_cells_of_dates_are_the_dates_that_csv_has(cells: dict[str, Any], kind: str) -> None:
    rows = dated(40, **cells)
    contents = {"excel": workbook(a=rows), "csv": as_csv(rows)}
    one, two = (fit_table(open_data(content, target="sold", format=form)) for form, content in contents.items())
    assert one.rows.tolist() == two.rows.tolist()
    assert one.model.encoder_ is not None
    assert two.model.encoder_ is not None
    assert one.model.encoder_.kinds_ == two.model.encoder_.kinds_ == {"paid": kind}
    found = [
        next(iter_predictions(one.model, content, format=form)).decision_values.tolist()
        for form, content in contents.items()
    ]
    assert found[0] == found[1]
    for columns in ({"paid": "skip"}, {"paid": "category"}):
        both = [
            fit_table(open_data(content, target="sold", format=form), columns=columns).rows
            for form, content in contents.items()
        ]
        assert abs(both[0] - both[1]).max() == 0
    checked = [
        check_table(open_data(content, target="sold", format=form), missing="drop").data
        for form, content in contents.items()
    ]
    assert checked[0] == checked[1]


def test_cells_of_dates_of_several_workbooks_in_streams_and_as_labels(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(workbook(s=dated(4, **dict.fromkeys(["r0", "r1", "r2", "r3"]))))
    (tmp_path / "b.xlsx").write_bytes(workbook(s=dated(4)))
    (tmp_path / "c.xlsx").write_bytes(workbook(s=dated(4, r0=datetime(2024, 1, 1, 12))))
    paid = open_data([tmp_path / "a.xlsx", tmp_path / "b.xlsx"], target="sold").read().cells("paid")
    assert paid.text.to_pylist() == [""] * 4 + ["2024-01-01", "2024-01-12", "2024-01-23", "2024-02-03"]
    streamed = fit_stream(tmp_path / "b.xlsx", target="sold").model.encoder_
    assert streamed is not None
    assert streamed.kinds_ == {"paid": "date"}
    paid = open_data([tmp_path / "b.xlsx", tmp_path / "c.xlsx"], target="sold").read().cells("paid")
    assert paid.text[4].as_py() == "2024-01-01 12:00:00.000000"
    assert open_data(tmp_path / "b.xlsx", target="paid").read().y.tolist()[:2] == ["2024-01-01", "2024-01-12"]


def test_times_alone_are_text_and_dates_among_numbers_are_refused() -> None:
    rows: list[list[Any]] = [["at", "sold"], *([time(k % 3, 30), "np"[k % 2]] for k in range(6))]
    at = open_data(workbook(a=rows), target="sold", format="excel").read().cells("at")
    assert at.text.to_pylist()[:3] == ["00:30:00", "01:30:00", "02:30:00"]
    book = workbook(a=mixed(40, r7=date(2024, 2, 29)))
    with pytest.raises(DataError, match=r"buffer, row 9, column 'size': '2024-02-29' is not a finite number"):
        fit_table(open_data(book, target="sold", format="excel"))


def test_labels_of_numbers_and_text_are_those_of_csv() -> None:
    rows: list[list[Any]] = [["size", "sold"], *([k, "NA" if k == 4 else k % 2] for k in range(9))]
    for content, form in ((workbook(a=rows), "excel"), (as_csv(rows), "csv")):
        labels = open_data(content, target="sold", format=form, drop_unlabelled=True).read().y
        assert labels.tolist() == [0, 1, 0, 1, 1, 0, 1, 0]


def test_what_a_column_holds_is_decided_over_all_workbooks(tmp_path: Path) -> None:
    for name, cells in {"a": {}, "b": {"r1": "-"}}.items():
        (tmp_path / f"{name}.xlsx").write_bytes(workbook(s=mixed(4, **cells)))
    size = open_data([tmp_path / "a.xlsx", tmp_path / "b.xlsx"], target="sold").read().cells("size")
    assert size.values.tolist() == [0.5, 1.5, 2.5, 3.5, 0.5, 0, 2.5, 3.5]
    assert size.missing.tolist() == [False] * 5 + [True, False, False]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            workbook(a=ROWS, b=[["x"]]),
            r"several sheets hold cells: --read sheet \(sheet=\) is one of 'a', 'b'",
        ),
        (workbook(a=[]), "no sheet holds a cell"),
        (
            workbook(a=[["x", None, "y"], [1, 2, 3]]),
            "sheet 'a': column 2 has no name in row 1; name it or take it out, or say how many",
        ),
        (workbook(a=[["x", "x"], [1, 2]]), "two columns are called 'x'"),
        (workbook(a=ROWS)[:300], "not a whole workbook"),
        (b"size,sold\n1,yes\n", "not a whole workbook"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_data(content, format="excel").read()


def test_a_sheet_is_named_and_rows_above_the_names_are_skipped() -> None:
    above: list[list[Any]] = [["Sales", None, None], ["2024", None, None]]
    content = workbook(first=[["notes"], ["none"]], sales=[*above, *ROWS])
    asked: dict[str, Any] = {"format": "excel", "target": "sold", "sheet": "sales", "skip_rows": 2}
    found, plain = open_data(content, **asked).read(), open_data(workbook(a=ROWS), format="excel", target="sold").read()
    assert found.names == plain.names
    assert found.cells("size").values.tolist() == plain.cells("size").values.tolist()
    with pytest.raises(DataError, match=r"the sheet 'sale' is not there, .* one of 'first', 'sales'"):
        open_data(content, **{**asked, "sheet": "sale"}).read()
    with pytest.raises(DataError, match=r"--read skip_rows=7 \(skip_rows=\) leaves nothing of 7 rows"):
        open_data(content, **{**asked, "skip_rows": 7}).read()
    missing = workbook(sales=[*above, ["size", "sold"], [1, "yes"], [2, None]])
    with pytest.raises(DataError, match=r"buffer, row 5, column 'sold': the label is missing"):
        open_data(missing, **asked).read()
    with pytest.raises(DataError, match="sheet is for excel, and this is csv"):
        open_data(b"a,y\n1,no\n", target="y", sheet="a")


def test_rows_of_several_workbooks_are_named_as_those_of_several_csv_files(tmp_path: Path) -> None:
    last = mixed(5, r3="lots")
    for name, rows in {"a": mixed(6), "b": mixed(9), "c": last}.items():
        (tmp_path / f"{name}.xlsx").write_bytes(workbook(s=rows))
        (tmp_path / f"{name}.csv").write_bytes(as_csv(rows))
    with pytest.raises(DataError, match=r"c\.csv:5, column 'size': 'lots'"):
        fit_table(open_data(str(tmp_path / "*.csv"), target="sold"))
    said = r"c\.xlsx, row 5, column 'size': 'lots'"
    for ask in (lambda path: fit_table(open_data(path, target="sold")), lambda path: fit_stream(path, target="sold")):
        with pytest.raises(DataError, match=said):
            ask(str(tmp_path / "*.xlsx"))
    model = fit_table(open_data(tmp_path / "b.xlsx", target="sold")).model
    with pytest.raises(DataError, match=said):
        list(iter_predictions(model, str(tmp_path / "*.xlsx")))
    shown = [
        check_table(open_data(str(tmp_path / f"*.{form}"), target="sold"), columns={"size": "skip"})
        for form in ("xlsx", "csv")
    ]
    assert shown[0].data == shown[1].data
    rows = [["size", "sold"], [1, "yes"], [2, "no"]]
    (tmp_path / "d.xlsx").write_bytes(workbook(s=[*rows[:2], [3, None]]))
    (tmp_path / "e.xlsx").write_bytes(workbook(s=[*rows, [None, "no"]]))
    with pytest.raises(DataError, match=r"d\.xlsx, row 3, column 'sold': the label is missing"):
        open_data([tmp_path / "e.xlsx", tmp_path / "d.xlsx"], target="sold").read()
    with pytest.raises(DataError, match=r"e\.xlsx, row 4, column 'size': .* is missing"):
        check_table(open_data([tmp_path / "d.xlsx", tmp_path / "e.xlsx"], target="sold", drop_unlabelled=True))


def test_without_the_reader_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(DataError, match=r"pip install '\.\[excel\]', or save the sheet as CSV"):
        open_data(b"", format="excel").read()
