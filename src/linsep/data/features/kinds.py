"""What the columns of a table hold: numbers, categories, dates, running text, or names of rows, which teach nothing.

Begin with `find_kinds` and `derive`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from linsep.data import numbers
from linsep.data.cells import known_numbers
from linsep.data.columns import Column, TableChunk, like
from linsep.data.distinct import decoded, distinct
from linsep.data.features import dates
from linsep.data.features.words import Grams
from linsep.markup import listed, quote
from linsep.types import Array, DataError

NUMBER, CATEGORY, SKIP, TEXT = "number", "category", "skip", "text"
_MANY = 0.5  # share of the rows that have a level of their own, above which a column may be running text
_FEW_ROWS = 5  # from which on text that is another one in every row names the rows, even in a small table
EMPTY = "no value in any row"
_WORDS = 3.0  # words in a cell of running text, on average


class Kinds(NamedTuple):
    """What was found: the kind of each column that is more than it seems, and why some are left out or doubtful."""

    kinds: dict[str, str]
    left_out: dict[str, str]
    doubts: list[str]


def check_kind(name: str, kind: str) -> str:
    """Return the kind as it is kept: text as words1-1. Raise DataError unless it is one.

    Examples
    --------
    >>> check_kind("note", "text"), check_kind("note", "chars3-5"), check_kind("paid", "%d.%m.%Y")
    ('words1-1', 'chars3-5', '%d.%m.%Y')
    """
    if kind in (NUMBER, CATEGORY, SKIP) or (dates.is_date(kind) and dates.is_way(kind)) or numbers.is_amount(kind):
        return kind
    try:
        return Grams.parse("words" if kind == TEXT else kind).spec
    except DataError:
        raise DataError(
            f"column {name!r:.80}: a column is read as number, category, date, text, words1-2, chars3-5, skip, as a "
            f"date written like %d.%m.%Y, or as a number with a unit written like '0.0 mg', not as {kind!r:.80}"
        ) from None


def is_words(kind: str) -> bool:
    """Whether a kind, as it is kept, is that of running text."""
    return kind.startswith(("words", "chars"))


def find_kinds(chunk: TableChunk, given: Mapping[str, str]) -> Kinds:
    """Look at the columns of a table: those that are dates or running text, and those that name the rows.

    Dates are cells that are all written in one way. Cells that are all a number and one unit, as "12.5 mg", are numbers
    (`find_amounts`). From 30 rows on these are left out: whole numbers that go up or down from row to row, by less than
    five on average; whole numbers that differ in 90 % of the rows in a column called id, Nr or the like; and text that
    differs in 90 % of the rows; unless it has three words or more in a cell, on average, and is running text then.
    From 5 rows on text is left out that differs in every row. A column without a value is always left out.

    Parameters
    ----------
    chunk : TableChunk
        All rows.
    given : mapping of str to str
        The kinds that are known.

    Raises
    ------
    DataError
        A kind or a column is not known, or a column holds something else than it is said to.

    Examples
    --------
    >>> from linsep import open_data
    >>> text = "id,paid,note\\n" + "".join(f"{k},2024-01-0{k % 9 + 1},sent a bill no {k}\\n" for k in range(40))
    >>> found = find_kinds(open_data(text.encode()).read(), {})
    >>> found.kinds
    {'id': 'skip', 'paid': 'date', 'note': 'words1-1'}
    """
    given = with_parts(chunk, {name: check_kind(name, kind) for name, kind in given.items()})
    kinds = dict(given)
    left_out: dict[str, str] = {}
    doubts = _doubt_of_names(chunk.names)
    codes: list[Column] = []
    for name in chunk.names:
        if name in kinds:
            if kinds[name] == dates.DATE:
                kinds[name] = _as_dates(chunk, name)
            continue
        column = chunk.cells(name)
        if column.missing is not None and column.missing.all():
            kinds[name], left_out[name] = SKIP, EMPTY
            continue
        if column.is_number:
            why = numbers.why_names_of_rows(column)
            if why:
                kinds[name], left_out[name] = SKIP, why
            elif chunk.n_rows >= numbers.ENOUGH_ROWS:
                codes.append(column)
            continue
        found = _kind_of_text(chunk, column, left_out, doubts)
        if found != CATEGORY:
            kinds[name] = found
    if all(kinds.get(name) == SKIP for name in chunk.names):  # something has to be left
        kinds = {name: kind for name, kind in kinds.items() if name not in left_out}
        left_out = {}
    if not [name for name in chunk.names if kinds.get(name) != SKIP]:
        raise DataError(f"{chunk.where(0)}: every column is skipped, and none is left to learn from")
    doubts += numbers.doubt_of_codes(codes)
    return Kinds({name: kinds[name] for name in chunk.names if name in kinds}, left_out, doubts)


def with_parts(chunk: TableChunk, kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of columns; who skips `user` skips user.age, the parts of an object, too.

    Raises
    ------
    DataError
        A column that is said to hold something is not there.

    Examples
    --------
    >>> from linsep import open_data
    >>> with_parts(open_data(b"user.age,user.name,size\\n1,x,2\\n").read(), {"user": "skip"})
    {'user.age': 'skip', 'user.name': 'skip'}
    >>> with_parts(open_data(b"age,city\\n1,x\\n").read(), {"agee": "number"})
    Traceback (most recent call last):
    linsep.types.DataError: no feature column called 'agee' to read as number; did you mean 'age'?
    """
    found = dict(kinds)
    for name in kinds:
        if name in chunk.names:
            continue
        if name == chunk.label and kinds[name] == "category":  # its labels are text, as the source has read them
            del found[name]
            continue
        parts = [one for one in chunk.names if one.startswith(f"{name}.")] if kinds[name] == "skip" else []
        if not parts:
            raise DataError(f"no feature column called {name!r} to read as {kinds[name]}; {like(name, chunk.names)}")
        del found[name]
        found |= dict.fromkeys(parts, "skip")
    return found


def _doubt_of_names(names: Sequence[str]) -> list[str]:
    """One doubt where most columns are called like values, as 2.1; years are names."""
    values = [name for name in names if re.fullmatch(r"[+-]?[0-9]*\.[0-9]+", name.strip())]
    if 2 * len(values) <= len(names):
        return []
    return [f"columns are called {values[0]!r} and the like: if these are values, use --read header=no (header=False)"]


def kinds_in_stream(chunk: TableChunk, given: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of the columns of a stream: those given, and dates where the source says so.

    How a date is written is looked up in these first rows.

    Examples
    --------
    >>> from linsep import open_data
    >>> kinds_in_stream(open_data(b"a,paid\\n1,1.2.2024\\n").read(), {"paid": "date", "a": "category"})
    {'paid': '%d.%m.%Y', 'a': 'category'}
    """
    kinds = with_parts(chunk, {name: check_kind(name, kind) for name, kind in given.items()})
    for name in chunk.names:
        if kinds.get(name) == dates.DATE or (name not in kinds and chunk.cells(name).is_date):
            kinds[name] = _as_dates(chunk, name)
    return kinds


def _as_dates(chunk: TableChunk, name: str) -> str:
    """The way in which a column of dates is written."""
    text = chunk.cells(name).as_categories
    ways = dates.date_kinds(text)
    if not ways:
        read_as_dates(chunk, name, dates.DATE)  # says which cell is none
        return dates.DATE  # all are missing
    if len(ways) > 1:
        raise DataError(f"column {name!r}: {_which(name, text, ways)}")
    return ways[0]


def _which(name: str, text: pa.Array, ways: list[str]) -> str:
    options = " or ".join(f"--column {quote(name)}={way}" for way in ways)
    return f"its dates, such as {text[0].as_py()!r}, can be read in {len(ways)} ways: use {options}"


def _kind_of_text(chunk: TableChunk, column: Column, left_out: dict[str, str], doubts: list[str]) -> str:
    """What a column of text holds; said in `left_out` or `doubts` where that wants to be said."""
    raw, name = column.raw, column.name
    texts, codes = distinct(raw)
    filled = pc.not_equal(texts, "").to_numpy(zero_copy_only=False)
    n, different = filled[codes].sum(), filled.sum()
    if n < 2:
        return CATEGORY
    ways = dates.date_kinds(raw)
    if len(ways) == 1:
        if not dates.has_open_century(decoded(raw), ways[0]):
            return ways[0]
        doubts.append(f"column {name!r} is read as categories, because its years have no century: write four digits")
        return CATEGORY
    if name not in chunk.as_text and (amounts := numbers.find_amounts(column)):
        return amounts
    if n >= numbers.ENOUGH_ROWS and different > _MANY * n and not ways:
        spaces = pc.count_substring_regex(pc.utf8_trim_whitespace(decoded(raw).filter(pa.array(filled[codes]))), r"\s+")
        if pc.mean(spaces).as_py() + 1 >= _WORDS:
            return Grams.parse("words").spec
    if ways:
        doubts.append(f"column {name!r} is read as categories: {_which(name, texts.filter(pa.array(filled)), ways)}")
        return CATEGORY
    names_all = n >= _FEW_ROWS and different == chunk.n_rows
    if names_all or (n >= numbers.ENOUGH_ROWS and different >= numbers.NEARLY_ALL * n):
        left_out[name] = f"{different:,} levels in {n:,} rows"
        return SKIP
    return CATEGORY


def without_skipped(chunk: TableChunk, kinds: Mapping[str, str]) -> TableChunk:
    """Return the rows without the columns to be skipped, which are not even parsed.

    Examples
    --------
    >>> from linsep import open_data
    >>> without_skipped(open_data(b"id,a\\n7,2\\n").read(), {"id": "skip"}).names
    ['a']
    """
    return replace(chunk, names=[name for name in chunk.names if kinds.get(name) != SKIP])


def left_out_line(left_out: Mapping[str, str], words: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The line of a receipt on columns that are left out, `words` of them because they hold running text; none if none.

    Examples
    --------
    >>> left_out_line({"id": "the numbers of the rows"})
    [('left out', "'id' (the numbers of the rows): names of rows; to use one: --column NAME=number or NAME=category")]
    """
    ids = listed([f"{name!r:.40} ({why})" for name, why in left_out.items() if why != EMPTY])
    empty = listed([f"{name!r:.40}" for name, why in left_out.items() if why == EMPTY])
    texts = listed([f"{name!r:.40}" for name in words])
    said = [f"{ids}: names of rows; to use one: --column NAME=number or NAME=category"] if ids else []
    said += [f"{empty}: {EMPTY}"] if empty else []
    said += [f"{texts}: running text; to use one: --column NAME=category"] if words else []
    return [("left out", "; ".join(said))] if said else []


def kinds_in_proof(rows: Any, given: Mapping[str, str]) -> Kinds:
    """What the columns of a table hold; nothing is to be found out about a matrix.

    Examples
    --------
    >>> from linsep import open_data
    >>> kinds_in_proof(open_data(b"id,a\\n7,2\\n").read(), {"id": "skip"}).kinds
    {'id': 'skip'}
    """
    return find_kinds(rows, given) if isinstance(rows, TableChunk) else Kinds({}, {}, [])


def left_out_of_proof(found: Kinds) -> list[tuple[str, str]]:
    """The line on columns that are no part of a proof: names of rows, and running text; none if there are none.

    Examples
    --------
    >>> left_out_of_proof(Kinds({"note": "words1-1"}, {}, []))
    [('left out', "'note': running text; to use one: --column NAME=category")]
    """
    return left_out_line(found.left_out, [name for name, kind in found.kinds.items() if is_words(kind)])


# ----------------------------------------------------------------------- deriving
def derive(chunk: TableChunk, kinds: Mapping[str, str], *, exact: bool = False) -> TableChunk:
    """Return the rows with their columns read as they are: dates in parts, some left out, the others as they stand.

    With `exact` of a date only the elapsed time remains, and no running text.

    Examples
    --------
    >>> from linsep import open_data
    >>> chunk = open_data(b"id,paid\\n7,2024-02-29\\n5,2024-03-01\\n").read()
    >>> derive(chunk, {"id": "skip", "paid": "date"}).names
    ['paid (days)', 'paid month', 'paid weekday']
    """
    if not kinds:
        return chunk
    raw: dict[str, str] = {}
    for name in chunk.names:
        kind = kinds.get(name, "")
        if kind == SKIP or (exact and is_words(kind)):
            continue
        parts = dates.parts_of(name, kind) if dates.is_date(kind) else [name]
        for part in parts[:1] if exact else parts:
            if part in raw or (part != name and part in chunk.names):
                raise DataError(f"{chunk.where(0)}: the column {part!r} is also a part of {name!r}; rename it")
            raw[part] = name
    parts_read: dict[str, dict[str, Column]] = {}

    def parse(part: str) -> Column:
        name = raw[part]
        kind = kinds.get(name, "")
        if not dates.is_date(kind):
            return _read_as(chunk, name, kind)
        if name not in parts_read:
            parts_read[name] = read_as_dates(chunk, name, kind, exact=exact)
        return parts_read[name][part]

    return TableChunk(list(raw), chunk.y, chunk.start, chunk.n_rows, chunk.where, parse, chunk.keyed)


def read_as_dates(chunk: TableChunk, name: str, kind: str, *, exact: bool = False) -> dict[str, Column]:
    """The parts of a column of dates, with `exact` to the microsecond; DataError for the first cell that is none."""
    return dates.date_columns(chunk.cells(name), kind, *points_in_time(chunk, name, kind), exact=exact)


def points_in_time(chunk: TableChunk, name: str, kind: str) -> tuple[Array, Array]:
    """The points in time of a column of dates, and which are missing; DataError for the first cell that is none."""
    text = chunk.cells(name).as_categories
    bad = found = dates.read_dates(text, kind)
    if isinstance(found, int):
        found = dates.read_dates(text, dates.DATETIME)  # as dataframes have dates, however the model knows them
    if isinstance(found, int):
        row = bad if isinstance(bad, int) else found
        raise DataError(
            f"{chunk.where(row)}, column {name!r}: {text[row].as_py()!r:.80} is not {dates.example_of(kind)}; correct "
            f"it, or read the column as categories with --column {quote(name)}=category"
        )
    return found


def _read_as(chunk: TableChunk, name: str, kind: str) -> Column:
    """A column as numbers, or as text, whatever it seemed to be."""
    column = chunk.cells(name)
    if kind in ("", NUMBER) and (column.is_number or not kind):
        return column
    if numbers.is_amount(kind):
        return numbers.amounts_of(chunk, column, column.as_categories, kind)
    if kind != NUMBER:
        if not column.is_number:
            return column
        return Column(name, None, column.as_categories, missing=column.missing)
    return known_numbers(column, chunk.where)
