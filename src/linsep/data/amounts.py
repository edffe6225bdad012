"""Amounts: cells that are a number and a unit, as "12,5 mg"; a column of them is numbers where all have one unit."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import BETWEEN, are_amounts, are_missing, are_numbers, grouped_digits, number_column
from linsep.data.columns import Column, TableChunk, quote
from linsep.types import Array, DataError

# A kind is written like a cell, "0.0 mg" or "0,0 mg" with a decimal comma.
_KIND = re.compile(r"0([.,])0 (.+)", re.DOTALL)
_UNIT = r"[\p{L}\x{b0}][\p{L}0-9\x{b0}\x{b2}\x{b3}\x{b7}/^*.]{0,9}"
_BLANKS = r"[\s\x{a0}\x{202f}]*"
FEWEST_ROWS = 20  # with fewer rows anything may have one unit by chance
_FEWEST_NUMBERS = 5  # different ones: fewer are rather names of doses than amounts
_NEARLY_ALL = 0.9  # share of the cells with a number and one of few units, from which on the others are told
_FEW_UNITS = 3  # more of them are rather codes or addresses than units


class Found(NamedTuple):
    """The kind of a column of text that holds amounts, and what is to be said of one whose amounts cannot be read."""

    kind: str = ""
    doubt: str = ""


class _Parts(NamedTuple):
    """The number (with a point) and the unit ("" for none) of each distinct cell, None where it is no amount.

    `codes` says which of them each cell is.
    """

    numbers: list[str | None]
    units: list[str | None]
    codes: Array


def is_amount(kind: str) -> bool:
    """Whether a kind of column is numbers with a unit.

    Examples
    --------
    >>> is_amount("0.0 mg"), is_amount("0,0 km/h"), is_amount("0.0 5"), is_amount("date")
    (True, True, False, False)
    """
    found = _KIND.fullmatch(kind)
    return found is not None and bool(pc.match_substring_regex(pa.array([found[2]]), f"^{_UNIT}$")[0].as_py())


def unit_of(kind: str) -> str:
    """The unit of a kind.

    Examples
    --------
    >>> unit_of("0,0 mg")
    'mg'
    """
    return kind[len("0.0 ") :]


def find_amounts(chunk: TableChunk, column: Column) -> Found:
    """Whether a column of text holds amounts, from 20 rows and 5 different numbers on.

    All cells that are there have to be a number and the same unit, or, where the source has types, a number with the
    same currency or a %. Nothing is made of several units; where there are two or three of them, or a few cells are
    something else, that is said.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(("dose\\n" + "".join(f"{k}.5 mg\\n" for k in range(20))).encode()).read()
    >>> find_amounts(rows, rows.cells("dose")).kind
    '0.0 mg'
    """
    text = column.text
    assert text is not None
    there = ~are_missing(text)
    n = int(there.sum())
    if n < FEWEST_ROWS:
        return Found()
    cells = pc.utf8_trim_whitespace(text.filter(pa.array(there)))
    if _is_money(cells, column.decimal):
        return Found("number")
    first, other = (column.decimal, "," if column.decimal == "." else ".")
    marks = [(mark, _parts(cells, mark)) for mark in (first, other)]
    mark, parts = max(marks, key=lambda pair: _count(pair[1]))  # the first one where both read as many
    if _count(parts) < _NEARLY_ALL * n or len(set(parts.numbers) - {None}) < _FEWEST_NUMBERS:
        return Found()
    [unit, *others] = set(parts.units)
    if unit and not others:
        return Found(f"0{mark}0 {unit}")
    return Found(doubt=_doubt(chunk, column, parts, np.flatnonzero(there)))


def read_amounts(text: pa.Array, kind: str) -> tuple[Column, Array]:
    """Return amounts as a column of numbers without a name, and which cells are none: those count as missing.

    Examples
    --------
    >>> column, bad = read_amounts(pa.array(["1,5 mg", "NA", "3 g"]), "0,0 mg")
    >>> column.values.tolist(), column.missing.tolist(), bad.tolist()
    ([1.5, 0.0, 0.0], [False, True, True], [False, False, True])
    """
    parts = _parts(pc.utf8_trim_whitespace(text), kind[1])
    unit = unit_of(kind)
    digits = pa.array([n if u == unit else None for n, u in zip(parts.numbers, parts.units, strict=True)], pa.string())
    digits = digits.take(pa.array(parts.codes))
    missing = pc.is_null(digits).to_numpy(zero_copy_only=False)
    digits = pc.fill_null(digits, "")
    values = pc.cast(pc.if_else(pa.array(missing), "0", digits), pa.float64()).to_numpy()
    column = Column("", values, digits, missing=missing if missing.any() else None)
    return column, missing & ~are_missing(text)


def amounts_of(chunk: TableChunk, column: Column, text: pa.Array, kind: str) -> Column:
    """A column of amounts as numbers; DataError for the first cell that is none."""
    found, bad = read_amounts(text, kind)
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"{chunk.where(row)}, column {column.name!r}: {text[row].as_py()!r:.80} is not a number in "
            f"{unit_of(kind)!r}, as the other cells are; mend it, or read the column as categories with "
            f"--column {quote(column.name)}=category"
        )
    return Column(column.name, found.values, found.text, column.there, missing=found.missing)


def _is_money(cells: pa.Array, decimal: str) -> bool:
    """Whether all cells are amounts with the same currency or a %, which CSV has read as numbers already."""
    distinct = pc.unique(cells)
    if are_numbers(distinct, decimal).all() or not are_amounts(distinct, decimal).all():
        return False
    if not pc.any(pc.match_substring_regex(distinct, "[^-+0-9.,()]")).as_py():
        return False  # marks between thousands alone
    try:
        return number_column("", cells, str, is_text=False, decimal=decimal).is_number
    except DataError:
        return False


def _parts(cells: pa.Array, mark: str) -> _Parts:
    number = f"[+-]?(?:{grouped_digits(mark)}|[{mark}][0-9]+)"
    encoded = cells.dictionary_encode()
    found: list[Any] = pc.extract_regex(
        encoded.dictionary, f"^(?P<number>{number})(?:{_BLANKS}(?P<unit>{_UNIT}))?$"
    ).to_pylist()
    swapped = str.maketrans({**dict.fromkeys(f",.+{BETWEEN}"), mark: "."})
    numbers = [None if one is None else one["number"].translate(swapped) for one in found]
    units = [None if one is None else one["unit"] for one in found]
    return _Parts(numbers, units, encoded.indices.to_numpy(zero_copy_only=False))


def _count(parts: _Parts, *, with_unit: bool = False) -> int:
    """How many cells are a number, with a unit or, unless that is asked for, without."""
    good = np.array([bool(unit) or (unit == "" and not with_unit) for unit in parts.units], dtype=np.bool_)
    return int(good[parts.codes].sum())


def _doubt(chunk: TableChunk, column: Column, parts: _Parts, rows: Array) -> str:
    """What to say of a column that is numbers with units, but not all in one; nothing where they may be codes.

    `rows` are those whose cells the parts are of.
    """
    text, units = column.text, [unit for unit in dict.fromkeys(parts.units) if unit]
    assert text is not None
    codes = len(units) > 1 and all(len(unit) == 1 and unit.isupper() for unit in units)
    if not units or len(units) > _FEW_UNITS or codes or 2 * _count(parts, with_unit=True) < len(rows):
        return ""

    def first(unit: str | None) -> str:
        """The first cell with this unit, with none (""), or that is no number (None), and where it stands."""
        which = [k for k, found in enumerate(parts.units) if found == unit]
        row = int(rows[np.isin(parts.codes, which).argmax()])
        return f"{text[row].as_py()!r:.40} ({chunk.where(row)})"

    if len(units) > 1:
        said = f"{first(units[0])} and {first(units[1])} have two units"
    elif "" in parts.units:
        said = f"{first(units[0])} has a unit, {first('')} has none"
    else:
        said = f"{first(units[0])} is a number with a unit, {first(None)} is not"
    return (
        f"column {column.name!r}: {said}, so it is not read as numbers: write all cells in one unit, and leave those "
        f"empty that have no value; if it holds categories, say --column {quote(column.name)}=category"
    )
