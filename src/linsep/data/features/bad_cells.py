"""What is wrong with cells of new rows: the model cannot read them, or they have another sign (% or a currency)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.amounts import is_amount, read_amounts, unit_of
from linsep.data.cells import (
    INFINITE,
    are_missing,
    are_numbers,
    are_readable,
    are_true_or_false,
    number_column,
    of_other_units,
    read_numbers,
    refuse_other_mark,
)
from linsep.data.columns import Column, TableChunk
from linsep.data.features.dates import example_of, is_date, iso_as, not_dates
from linsep.data.features.kinds import text_of
from linsep.types import Array, DataError

_NAMED = 3  # cells that are named
_SWAPPED = str.maketrans(",.", ".,")
_MAY_BE_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"
_LOOKED_AT = 1000  # rows
_NEARER = 1.5  # times, to the mean of training, until a number is taken for a thousand times another
_FAR = 10.0  # standard deviations


@dataclass
class BadCells:
    """How many cells of each column could not be read, and what is to be said of the first ones.

    Attributes
    ----------
    counts : dict
        Column -> cells.
    first : list of str
        The first cells, each with its place and what is wrong with it.
    """

    counts: dict[str, int] = field(default_factory=dict)
    first: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def told(self) -> str:
        """The warning where such cells count as missing."""
        n = self.total
        more = f"; and {n - len(self.first):,} more" if n > len(self.first) else ""
        cells = "1 cell cannot be read and counts" if n == 1 else f"{n:,} cells cannot be read and count"
        return f"{cells} as missing: {'; '.join(self.first)}{more}"

    def refusal(self, advice: str) -> DataError:
        """The error where they are refused: the first one, and in which columns there are how many more."""
        more = ""
        if self.total > 1:
            listed = ", ".join(f"{name!r:.40} {n:,}" for name, n in list(self.counts.items())[:6])
            s = "s" if self.total > 2 else ""
            more = f" (and {self.total - 1:,} more cell{s} cannot be read; in all: {listed})"
        return DataError(f"{self.first[0]}{more}; {advice}")


def without_bad_cells(
    chunk: TableChunk, numbers: Collection[str], kinds: Mapping[str, str], bad: BadCells, decimal: str | None = None
) -> TableChunk:
    """Return the rows with their bad cells made missing, and count these in `bad`.

    `numbers` are the columns that held numbers in training; those of `kinds` that are dates held dates, and those that
    are numbers with a unit held these; where they have another mark than in training, `decimal` says which.

    Examples
    --------
    >>> from linsep import open_data
    >>> source = open_data(b"a,b\\n1,x\\n2,y\\nn.a.,z\\n3,z\\n", categorical=["a"])
    >>> bad = BadCells()
    >>> without_bad_cells(source.read(), ["a"], {}, bad).cells("a").missing.tolist(), bad.counts
    ([False, False, True, False], {'a': 1})
    """
    mended: dict[str, Column] = {}
    found: list[tuple[int, str]] = []
    for name in chunk.names:
        kind = kinds.get(name, "")
        if is_amount(kind):
            mended[name], rows, wrong = _amounts(chunk, name, kind, decimal)
        elif is_date(kind):
            mended[name], rows, wrong = _dates(chunk, name, kind)
        elif name in numbers:
            mended[name], rows, wrong = _numbers(chunk, name)
        else:
            continue
        if rows.any():
            bad.counts[name] = bad.counts.get(name, 0) + int(rows.sum())
        found += [(row, f"column {name!r}: {wrong(row)}") for row in np.flatnonzero(rows)[:_NAMED].tolist()]
    for row, said in sorted(found)[: _NAMED - len(bad.first)]:
        bad.first.append(f"{chunk.where(row)}, {said}")

    def parse(name: str) -> Column:
        column = mended.get(name) or chunk.cells(name)
        assert column is not None
        return column

    return replace(chunk, parse=parse, _parsed={})


def _numbers(chunk: TableChunk, name: str) -> tuple[Column, Array, Callable[[int], str]]:
    """A column as numbers, which of its cells are none, and what is said of one of these."""
    column = chunk.cells(name)
    assert column is not None
    values = column.values
    if values is not None:
        bad = ~np.isfinite(values)
        of_values = partial(_not_finite, values)
        if not bad.any():
            return column, bad, of_values
        missing = bad if column.missing is None else bad | column.missing
        return replace(column, stored=np.where(bad, 0.0, values), missing=missing), bad, of_values
    text, decimal = column.text, column.decimal
    assert text is not None
    refuse_other_mark(name, text, chunk.where, decimal)
    plain = are_numbers(text, decimal)
    numbers = read_numbers(pc.if_else(pa.array(plain), text, "0"), decimal)
    assert numbers is not None
    bad = ~are_readable(text, decimal) | ~np.isfinite(numbers[1])
    truth = are_true_or_false(text)
    if (~(truth | bad | are_missing(text))).any():  # beside numbers they are none
        bad |= truth
    known: dict[str, Any] = {"is_text": False, "is_number": True, "decimal": decimal}
    try:
        found = number_column(name, pc.if_else(pa.array(bad), "", text), chunk.where, **known)
    except DataError:  # amounts of several units
        bad |= of_other_units(text)
        found = number_column(name, pc.if_else(pa.array(bad), "", text), chunk.where, **known)
    return replace(found, there=column.there), bad, partial(_no_number, text, decimal)


def _dates(chunk: TableChunk, name: str, kind: str) -> tuple[Column, Array, Callable[[int], str]]:
    """A column of dates, which of its cells are none, and what is said of one of these."""
    column = chunk.cells(name)
    assert column is not None
    text = iso_as(text_of(chunk, name), kind)
    known = replace(chunk, parse=lambda _: replace(column, stored=None, raw=text), _parsed={})
    return _of_text(known, name, not_dates(text, kind), f"is not {example_of(kind)}")


def _amounts(
    chunk: TableChunk, name: str, kind: str, decimal: str | None
) -> tuple[Column, Array, Callable[[int], str]]:
    """A column of numbers with a unit, written as in training, which cells are none, and what is said of one."""
    if decimal not in (None, kind[1]):
        column, swapped = chunk.cells(name), [one.translate(_SWAPPED) for one in text_of(chunk, name).to_pylist()]
        assert column is not None
        text = pa.array(swapped, pa.string())
        chunk = replace(chunk, parse=lambda _: replace(column, stored=None, raw=text), _parsed={})
    said = f"where the model was trained on numbers in {unit_of(kind)!r}, written like {kind!r}"
    return _of_text(chunk, name, read_amounts(text_of(chunk, name), kind)[1], said)


def _of_text(chunk: TableChunk, name: str, bad: Array, said: str) -> tuple[Column, Array, Callable[[int], str]]:
    """A column whose text is read later, without its bad cells, which these are, and what is said of one of them."""
    column, text = chunk.cells(name), text_of(chunk, name)
    assert column is not None
    if bad.any():
        text = pc.if_else(pa.array(bad), "", text)
        missing = bad if column.missing is None else bad | column.missing
        column = Column(name, None, text, column.there, column.decimal, missing)
    return column, bad, lambda row: f"{_cell(text_of(chunk, name), row)} {said}"


def _cell(text: pa.Array, row: int) -> str:
    return f"{text[row].as_py()!r:.80}"


def _not_finite(values: Array, row: int) -> str:
    return f"{values[row]} is not a finite number"


def _no_number(text: pa.Array, decimal: str, row: int) -> str:
    one = text[row : row + 1]
    if are_numbers(one, decimal)[0] or text[row].as_py().strip().lower() in INFINITE:
        return f"{_cell(text, row)} is not a finite number"
    if are_readable(one, decimal)[0] and not are_true_or_false(one)[0]:
        return f"{_cell(text, row)} is of another unit than most cells"
    return f"{_cell(text, row)} where the model was trained on numbers"


def signs_of(chunk: TableChunk) -> dict[str, str]:
    """Return the sign of each column of numbers that has one.

    Examples
    --------
    >>> from linsep import open_data
    >>> signs_of(open_data(b"rate,paid,n\\n2%,$3,1\\n5%,$40,2\\n").read())
    {'rate': '%', 'paid': '$'}
    """
    columns = [chunk.cells(name) for name in chunk.names]
    return {column.name: column.sign for column in columns if column is not None and column.sign}


def doubts_of_signs(chunk: TableChunk, known: Mapping[str, str], numbers: list[str]) -> dict[str, str]:
    """Return what to say of each column of numbers whose cells have another sign than in training.

    A % that is there in training or in new rows alone is another sign, and so is another currency. A currency beside
    none is not: amounts are often written without.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"rate,paid\\n0.02,5\\n0.05,70\\n").read()
    >>> doubts_of_signs(rows, {"rate": "%", "paid": "$"}, ["rate", "paid"])["rate"]
    "column 'rate': its cells had a % in training and have none here: 0.02 (buffer:2) is read as 0.02 %"
    """
    found = {}
    for name in numbers:
        column, before = chunk.cells(name), known.get(name, "")
        if column is None or not column.is_number or column.sign == before:
            continue
        there = np.ones(chunk.n_rows, np.bool_) if column.missing is None else ~column.missing
        if not there.any() or ("%" not in (before, column.sign) and "" in (before, column.sign)):
            continue
        row = int(there.argmax())
        cell, plain = _shown(column, row), f"{_number(column, row)} {before}".strip()
        found[name] = (
            f"column {name!r:.80}: its cells had {_said(before)} in training and have {_said(column.sign)} here: "
            f"{cell} ({chunk.where(row)}) is read as {plain}"
        )
    return found


def doubts_of_thousands(chunk: TableChunk, known: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """Return what to say of each column whose numbers may be a thousand times as large, or as small.

    `known` has mean and standard deviation of the columns in training. Numbers such as 2.900 may be 2900 where all
    numbers of the column with a fraction have three decimals, and numbers from 1000 on may be 1.000. It is said where
    most of them would then be nearer to the mean of training. The first 1,000 rows decide: a table has one style.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"use;age\\n2.900;40\\n1.200;50\\n").read()
    >>> doubts_of_thousands(rows, {"use": (2500.0, 1200.0), "age": (45.0, 9.0)})["use"]
    "column 'use': 2.900 (buffer:2) is read as 2.9, and in training the mean was 2500: if it is 2900, say which decimal
    mark these rows have with --read decimal=. or --read decimal=, (decimal=)"
    """
    found = {}
    for name, (mean, scale) in known.items():
        column = chunk.cells(name) if name in chunk.names else None
        if column is None or column.text is None or column.stored is None or not scale:
            continue
        text, values = column.text[:_LOOKED_AT], column.stored[:_LOOKED_AT].astype(np.float64, copy=False)
        there = np.ones(len(values), np.bool_) if column.missing is None else ~column.missing[:_LOOKED_AT]
        fraction, thin = (
            pc.match_substring_regex(text, pattern).to_numpy(zero_copy_only=False).astype(np.bool_) & there
            for pattern in (r"\.", _MAY_BE_THOUSANDS)
        )
        some, times = (thin, 1e3) if thin.any() and (thin == fraction).all() else (there, 1e-3)
        if not some.any() or (times < 1 and (fraction.any() or np.abs(values[some]).min() < 1e3)):
            continue
        read, other = (float(np.median(np.abs(one - mean))) / scale for one in (values[some], values[some] * times))
        if read <= _NEARER * other or (times < 1 and read < _FAR):
            continue
        row = int(some.argmax())
        found[name] = (
            f"column {name!r:.80}: {_number(column, row)} ({chunk.where(row)}) is read as {values[row]:.12g}, and in "
            f"training the mean was {mean:.4g}: if it is {values[row] * times:.12g}, say which decimal mark these rows "
            "have with --read decimal=. or --read decimal=, (decimal=)"
        )
    return found


def _number(column: Column, row: int) -> str:
    assert column.stored is not None
    return f"{column.stored[row]:.12g}" if column.text is None else str(column.text[row].as_py())[:40]


def _shown(column: Column, row: int) -> str:
    number = _number(column, row)
    return f"{number} {column.sign}".strip()


def _said(sign: str) -> str:
    return f"a {sign}" if sign else "none"
