"""Spreadsheets (.xlsx, .xls, .xlsb, .ods) as Arrow tables; read by the optional package python-calamine."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

import pyarrow as pa

from linsep.data.columns import check_names
from linsep.data.readers.asked import in_a_line
from linsep.types import DataError


def excel_to_arrow(content: bytes, name: str) -> Any:
    """Return the one sheet of a workbook that holds cells as an Arrow table; its first row names the columns.

    A column is numbers if all of its cells are numbers or empty, else text, in which numbers are written as they are
    shown; empty cells are missing.

    Parameters
    ----------
    content : bytes
        The workbook.
    name : str
        What messages call it.

    Raises
    ------
    DataError
        python-calamine is not installed; this is no workbook; several sheets hold cells; a column has no name, or one
        that another has too; a cell holds a date, a time or an error.

    Examples
    --------
    >>> excel_to_arrow(open("table.xlsx", "rb").read(), "table.xlsx").column_names  # doctest: +SKIP
    ['size', 'city']
    """
    try:
        calamine: Any = import_module("python_calamine")
    except ImportError:
        raise DataError(
            f"{name}: reading spreadsheets needs python-calamine, which is not installed: pip install 'linsep[excel]', "
            "or save the sheet as CSV"
        ) from None
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = {sheet: book.get_sheet_by_name(sheet).to_python(skip_empty_area=False) for sheet in book.sheet_names}
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise DataError(f"{name}: not a whole workbook: {in_a_line(error)}") from None
    filled = {sheet: rows for sheet, rows in sheets.items() if rows}
    if len(filled) != 1:
        listed = ", ".join(map(repr, filled))
        raise DataError(
            f"{name}: several sheets hold cells ({listed}): save the one that you mean as CSV, or as a file of its own"
            if filled
            else f"{name}: no sheet holds a cell"
        )
    [(sheet, rows)] = filled.items()
    place = f"{name}, sheet {sheet!r}"
    names = [str(cell).strip() for cell in rows[0]]
    if "" in names:
        raise DataError(f"{place}: column {names.index('') + 1} has no name in the first row; name it or take it out")
    check_names(names, place)
    columns = {column: _column([row[j] for row in rows[1:]], column, place) for j, column in enumerate(names)}
    return pa.table(columns)


def _column(cells: list[Any], name: str, place: str) -> Any:
    """Numbers where all cells are such, text otherwise; None for an empty cell."""
    for number, cell in enumerate(cells):
        if not isinstance(cell, str | int | float | bool):
            raise DataError(
                f"{place}, row {number + 2}, column {name!r}: {cell!s} is a {type(cell).__name__}; make it a number or "
                "text in the spreadsheet"
            )
    some = [None if cell == "" else cell for cell in cells]
    if all(cell is None or isinstance(cell, int | float) for cell in some):
        return pa.array([None if cell is None else float(cell) for cell in some], pa.float64())
    return pa.array([None if cell is None else _shown(cell) for cell in some], pa.string())


def _shown(cell: Any) -> str:
    """A cell as text: 2 for 2.0, which is how spreadsheets keep whole numbers."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
