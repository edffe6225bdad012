"""Spreadsheets (.xlsx, .xls, .xlsb, .ods) as Arrow tables; read by the optional package python-calamine."""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from importlib import import_module
from typing import Any

import pyarrow as pa

from linsep.data.columns import check_names
from linsep.data.readers.lines import in_a_line
from linsep.types import DataError


def excel_to_arrow(
    books: Iterable[tuple[bytes, str]], skip_rows: int = 0, sheet: str | None = None
) -> tuple[list[Any], set[str]]:
    """Return the one sheet of each workbook that holds cells as an Arrow table; its first row names the columns.

    Beside them, the columns that hold text and numbers, which are to be read as those of CSV are.

    A column is numbers if all of its cells are numbers or empty, dates if all are dates or empty, else text, in which
    numbers are written as they are shown, dates as 2024-02-29, and times of day alone as 13:30:00; empty cells are
    missing. What a column is, is decided over all workbooks.

    Parameters
    ----------
    books : iterable of (bytes, str)
        Workbooks, and what messages call them.
    skip_rows : int, default=0
        The number of rows above the names of the columns.
    sheet : str, optional
        The sheet that is read; needed where several hold cells.

    Raises
    ------
    DataError
        python-calamine is not installed; this is no workbook; several sheets hold cells and none is named; there is
        no such sheet; a column has no name, or one that another has too.

    Examples
    --------
    >>> sheets = excel_to_arrow([(open("table.xlsx", "rb").read(), "table.xlsx")])  # doctest: +SKIP
    >>> sheets[0][0].column_names  # doctest: +SKIP
    ['size', 'city']
    """
    sheets = [
        {name: [None if cell == "" else cell for cell in cells] for name, cells in _columns(*found, skip_rows).items()}
        for found in (_sheet(content, name, sheet) for content, name in books)
    ]
    texts, numbers, dates, times = (
        {name for cells in sheets for name, column in cells.items() if any(isinstance(cell, kind) for cell in column)}
        for kind in (str, int | float, date, datetime)
    )
    texts |= numbers & dates
    days = {name: pa.timestamp("us") if name in times else pa.date32() for name in dates}
    types = {**days, **dict.fromkeys(texts, pa.string())}
    tables = [
        pa.table({name: _column(cells, types.get(name, pa.float64())) for name, cells in sheet.items()})
        for sheet in sheets
    ]
    return tables, texts & numbers


def _sheet(content: bytes, name: str, asked: str | None) -> tuple[list[list[Any]], str]:
    """The rows of the sheet that is meant, "" for an empty cell, and what messages call it."""
    try:
        calamine: Any = import_module("python_calamine")
    except ImportError:
        raise DataError(
            f"{name}: reading spreadsheets needs python-calamine, which is not installed: pip install '.[excel]', "
            "or save the sheet as CSV"
        ) from None
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = {sheet: book.get_sheet_by_name(sheet).to_python(skip_empty_area=False) for sheet in book.sheet_names}
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise DataError(f"{name}: not a whole workbook: {in_a_line(error)}") from None
    filled = {sheet: rows for sheet, rows in sheets.items() if rows}
    listed = ", ".join(map(repr, filled))
    chosen = asked or (next(iter(filled)) if len(filled) == 1 else "")
    if chosen not in filled:
        said = f"the sheet {asked!r} is not there, or holds no cell" if asked else "several sheets hold cells"
        raise DataError(
            f"{name}: {said}: --read sheet (sheet=) is one of {listed}" if filled else f"{name}: no sheet holds a cell"
        )
    return filled[chosen], f"{name}, sheet {chosen!r}"


def _columns(rows: list[list[Any]], place: str, skip_rows: int) -> dict[str, list[Any]]:
    """The cells of each column, "" for an empty one."""
    if skip_rows >= len(rows):
        raise DataError(f"{place}: --read skip_rows={skip_rows} (skip_rows=) leaves nothing of {len(rows)} rows")
    names = [str(cell).strip() for cell in rows[skip_rows]]
    if "" in names:
        raise DataError(
            f"{place}: column {names.index('') + 1} has no name in row {skip_rows + 1}; name it or take it out, or say "
            "how many rows stand above the names with --read skip_rows (skip_rows=)"
        )
    check_names(names, place)
    body = [
        [str(cell) if isinstance(cell, time | timedelta) else cell for cell in row] for row in rows[skip_rows + 1 :]
    ]
    return {column: [row[j] for row in body] for j, column in enumerate(names)}


def _column(cells: list[Any], kind: pa.DataType) -> Any:
    if pa.types.is_string(kind):
        return pa.array([None if cell is None else _shown(cell) for cell in cells], kind)
    if pa.types.is_floating(kind):
        return pa.array([None if cell is None else float(cell) for cell in cells], kind)
    if pa.types.is_timestamp(kind):  # beside cells with a time of day a day is its midnight
        cells = [datetime(cell.year, cell.month, cell.day) if type(cell) is date else cell for cell in cells]
    return pa.array(cells, kind)


def _shown(cell: Any) -> str:
    """A cell as text: 2 for 2.0, which is how spreadsheets keep whole numbers, and dates as ISO 8601 has them."""
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
