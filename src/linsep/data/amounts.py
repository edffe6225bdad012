"""Amounts: cells that are a number and a unit, as "12,5 mg"; a column of them is numbers where all have one unit."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import BETWEEN, are_amounts, are_missing, are_numbers, grouped_digits, number_column
from linsep.data.columns import Column, TableChunk
from linsep.data.text.distinct import decoded
from linsep.markup import quote
from linsep.types import Array, DataError

# A kind is written like a cell, "0.0 mg" or "0,0 mg" with a decimal comma.
_KIND = re.compile(r"0([.,])0 (.+)", re.DOTALL)
_UNIT = r"[\p{L}\x{b0}][\p{L}0-9\x{b0}\x{b2}\x{b3}\x{b7}/^*.]{0,9}"
# ISO 4217 codes, and what else stands for a currency in front of a number: "CHF 12.50" is "12.50 CHF".
_CURRENCIES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|MXN|MYR|NGN|NOK|NZD|PHP|"
    "PKR|PLN|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR|Fr|kr|Rs"
)
_BLANKS = r"[\s\x{a0}\x{202f}]*"
_IN_FRONT = rf"^(?P<sign>[-+]?)(?P<unit>{_CURRENCIES})\.?{_BLANKS}(?P<number>[-+]?[0-9.,].*)$"
FEWEST_ROWS = 20  # with fewer rows anything may have one unit by chance
_FEWEST_NUMBERS = 5  # different ones: fewer are rather names of doses than amounts
_TRIED = 200  # cells of which half must be numbers, with units or without, for the others to be looked at
_NEARLY_ALL = 0.9  # share of the cells with a number and one of few units, from which on the others are told
_FEW_UNITS = 3  # more of them are rather codes or addresses than units


class Found(NamedTuple):
    """The kind of a column of text that holds amounts, and what is to be said of one whose amounts cannot be read."""

    kind: str = ""
    doubt: str = ""


class _Parts(NamedTuple):
    """The number (with a point) and the unit ("" for none) of each distinct cell, null where it is no amount.

    `codes` says which of them each cell is.
    """

    numbers: pa.Array
    units: pa.Array
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
    same currency or a %. CHF and the like may stand in front of the number. Nothing is made of several units; where
    there are two or three of them, or a few cells are something else, that is said.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(("dose\\n" + "".join(f"{k}.5 mg\\n" for k in range(20))).encode()).read()
    >>> find_amounts(rows, rows.cells("dose")).kind
    '0.0 mg'
    """
    raw = column.raw
    assert raw is not None
    there = ~are_missing(raw)
    n = int(there.sum())
    if n < FEWEST_ROWS:
        return Found()
    first = np.arange(min(n, _TRIED)) if n == len(there) else np.flatnonzero(there)[:_TRIED]
    few = pc.utf8_trim_whitespace(decoded(raw.take(pa.array(first))))
    if 2 * pc.sum(pc.match_substring_regex(few, "[0-9]")).as_py() < len(few):
        return Found()
    is_money = _is_money(few, column.decimal)
    marks = (column.decimal, "," if column.decimal == "." else ".")
    is_rare = 2 * max(_count(_parts(few, mark)) for mark in marks) < len(few)
    if is_rare and not is_money:
        return Found()
    cells = pc.utf8_trim_whitespace(decoded(raw).filter(pa.array(there)))
    if is_money and _is_money(cells, column.decimal):
        return Found("number")
    if is_rare:
        return Found()
    mark, parts = marks[0], _parts(cells, marks[0])
    if _count(parts) < n and _count(other := _parts(cells, marks[1])) > _count(parts):
        mark, parts = marks[1], other
    if _count(parts) < _NEARLY_ALL * n or len(set(pc.unique(parts.numbers).to_pylist()) - {None}) < _FEWEST_NUMBERS:
        return Found()
    [unit, *others] = pc.unique(parts.units).to_pylist()
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
    good = pc.fill_null(pc.equal(parts.units, unit_of(kind)), False)
    digits = pc.if_else(good, parts.numbers, "").take(pa.array(parts.codes))
    missing = ~good.to_numpy(zero_copy_only=False)[parts.codes]
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
    return Column(column.name, found.values, found.raw, column.there, missing=found.missing)


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
    # Extracting by a pattern of many ways is slow: one pattern decides, and a plain one cuts.
    cells = pc.replace_substring_regex(encoded.dictionary, _IN_FRONT, r"\1\3 \2")
    fits = pc.match_substring_regex(cells, f"^{number}(?:{_BLANKS}{_UNIT})?$")
    plain = rf"^(?P<number>[-+.,0-9{BETWEEN}]*[.,0-9]){_BLANKS}(?P<unit>[^\s]*)$"
    found = pc.extract_regex(cells, plain)
    between = f"[+{',' if mark == '.' else '.'}{BETWEEN}]"
    numbers = pc.replace_substring_regex(pc.struct_field(found, "number"), between, "")
    numbers = pc.replace_substring(numbers, ",", ".")
    no_text = pa.scalar(None, pa.string())
    numbers, units = (pc.if_else(fits, part, no_text) for part in (numbers, pc.struct_field(found, "unit")))
    return _Parts(numbers, units, encoded.indices.to_numpy(zero_copy_only=False))


def _count(parts: _Parts, *, with_unit: bool = False) -> int:
    """How many cells are a number, with a unit or, unless that is asked for, without."""
    good = pc.fill_null(pc.not_equal(parts.units, ""), False) if with_unit else pc.is_valid(parts.units)
    return int(good.to_numpy(zero_copy_only=False)[parts.codes].sum())


def _doubt(chunk: TableChunk, column: Column, parts: _Parts, rows: Array) -> str:
    """What to say of a column that is numbers with units, but not all in one; nothing where they may be codes.

    `rows` are those whose cells the parts are of.
    """
    text, found = column.text, pc.unique(parts.units).to_pylist()
    assert text is not None
    units = [unit for unit in found if unit]
    codes = len(units) > 1 and all(len(unit) == 1 and unit.isupper() for unit in units)
    if not units or len(units) > _FEW_UNITS or codes or 2 * _count(parts, with_unit=True) < len(rows):
        return ""

    def first(unit: str | None) -> str:
        """The first cell with this unit, with none (""), or that is no number (None), and where it stands."""
        which = pc.is_null(parts.units) if unit is None else pc.fill_null(pc.equal(parts.units, unit), False)
        row = int(rows[which.to_numpy(zero_copy_only=False)[parts.codes].argmax()])
        return f"{text[row].as_py()!r:.40} ({chunk.where(row)})"

    if len(units) > 1:
        said = f"{first(units[0])} and {first(units[1])} have two units"
    elif "" in found:
        said = f"{first(units[0])} has a unit, {first('')} has none"
    else:
        said = f"{first(units[0])} is a number with a unit, {first(None)} is not"
    which = pc.is_null(parts.units).to_numpy(zero_copy_only=False)[parts.codes]
    advice = _for_no_value(text.take(pa.array(rows[which])))
    return (
        f"column {column.name!r}: {said}, so it is not read as numbers: write all cells in one unit, and leave those "
        f"empty that have no value{advice}; if it holds categories, say --column {quote(column.name)}=category"
    )


def _for_no_value(cells: pa.Array) -> str:
    """The option for cells that may stand for no value, if these are few texts without a digit."""
    others = [text.strip() for text in pc.unique(cells).to_pylist()]
    if not others or len(others) > _FEW_UNITS or any(map(str.isdigit, "".join(others))):
        return ""
    which = f"{' and '.join(map(repr, others))} {'stands' if len(others) == 1 else 'stand'}"
    return f", or say {' '.join(f'--read na={quote(text)}' for text in others)} if {which} for no value"
