"""Amounts: cells that are a number and a unit, as "12,5 mg"; a column of them is numbers where all have one unit."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import BETWEEN, are_amounts, are_missing, are_numbers, grouped_digits, number_column
from linsep.data.columns import Column, TableChunk
from linsep.data.distinct import decoded
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


def find_amounts(column: Column) -> str:
    """The kind of a column of text that holds amounts, from 20 rows and 5 different numbers on; else empty.

    All cells that are there have to be a number and the same unit, or, where the source has types, a number with the
    same currency or a %. CHF and the like may stand in front of the number. Nothing is made of several units.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(("dose\\n" + "".join(f"{k}.5 mg\\n" for k in range(20))).encode()).read()
    >>> find_amounts(rows.cells("dose"))
    '0.0 mg'
    """
    raw = column.raw
    assert raw is not None
    there = ~are_missing(raw)
    n = int(there.sum())
    if n < FEWEST_ROWS:
        return ""
    first = np.arange(min(n, _TRIED)) if n == len(there) else np.flatnonzero(there)[:_TRIED]
    few = pc.utf8_trim_whitespace(decoded(raw.take(pa.array(first))))
    if 2 * pc.sum(pc.match_substring_regex(few, "[0-9]")).as_py() < len(few):
        return ""
    is_money = _is_money(few, column.decimal)
    marks = (column.decimal, "," if column.decimal == "." else ".")
    is_rare = 2 * max(_count(_parts(few, mark)) for mark in marks) < len(few)
    if is_rare and not is_money:
        return ""
    cells = pc.utf8_trim_whitespace(decoded(raw).filter(pa.array(there)))
    if is_money and _is_money(cells, column.decimal):
        return "number"
    if is_rare:
        return ""
    mark, parts = marks[0], _parts(cells, marks[0])
    if _count(parts) < n and _count(other := _parts(cells, marks[1])) > _count(parts):
        mark, parts = marks[1], other
    if _count(parts) < n or len(pc.unique(parts.numbers)) < _FEWEST_NUMBERS:
        return ""
    [unit, *others] = pc.unique(parts.units).to_pylist()
    return f"0{mark}0 {unit}" if unit and not others else ""


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


def _count(parts: _Parts) -> int:
    """How many cells are a number, with a unit or without."""
    return int(pc.is_valid(parts.units).to_numpy(zero_copy_only=False)[parts.codes].sum())
