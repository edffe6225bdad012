"""Cells that may not be meant: two levels that differ in blanks alone, a label for each row, codes for no value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc

from linsep.data.columns import Column, TableChunk
from linsep.data.text.distinct import code_counts, counted, distinct
from linsep.markup import quote
from linsep.types import Array, DataError

NO_VALUE = frozenset({"na", "n/a", "#n/a", "nan", "null", "#null!"})
# What laboratories and questionnaires write for no value, of one sign or the other: 9, 99, 999, ..., also with 8 or 7.
_CODES = np.array([sign * (10**k - 1 - less) for sign in (1, -1) for k in range(1, 6) for less in (0, 1, 2)], float)
# Two numbers in a cell, as a blood pressure 128/79 or 120 x 80 mm; not 20-29, which is one band of ages.
_PAIR = r"^\s*[-+]?\d+(?:[.,]\d+)?\s*[/x\x{d7}*|\\]\s*[-+]?\d+(?:[.,]\d+)?\s*\pL*\s*$"
_MANY_PAIRS, _NEARLY_ALL_PAIRS = 20, 0.95  # different cells, and the share of those that are there
# The first word of a line of totals.
_TOTALS = {
    *("total", "totals", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt", "totaal", "totale", "totali", "suma"),
    *("somme", "soma", "razem", "summa", "összesen", "celkem", "yhteensä", "итого", "всего", "合計"),
}
_FAR_NOW = 10.0  # standard deviations of training
_FEWEST_ROWS = 20  # with fewer rows many classes may be meant
_MOST_WHOLE, _MOST_FRACTIONS = 30, 10  # numbers that are labels without a word


def refuse_label_for_each_row(y: Array | None, target: str | None, positive: Any = None) -> None:
    """Raise DataError if, of 20 rows or more, there are more classes than half of the rows and none is `positive`.

    Examples
    --------
    >>> refuse_label_for_each_row(np.arange(1400), "price")
    Traceback (most recent call last):
    linsep.types.DataError: column 'price': 1,400 labels in 1,400 rows: is that the right column? A class needs several
    rows. Of a number make classes first, such as high and low, or name one label with --positive (positive=)
    """
    if y is None or positive is not None or len(y) < _FEWEST_ROWS:
        return
    k = len(np.unique(y))
    if 2 * k > len(y):
        raise DataError(
            f"{'' if target is None else f'column {target!r}: '}{k:,} labels in {len(y):,} rows: is that the right "
            "column? A class needs several rows. Of a number make classes first, such as high and low, or name one "
            "label with --positive (positive=)"
        )


def doubts_of_labels(y: Array | None, where: Callable[[int], str] = "row {}".format) -> list[str]:
    """What to say of labels that are alike, stand for no value, occur once, or look like a number to be predicted.

    Alike are those that differ in blanks or case alone. A label that occurs once is told beside one of 20 rows or more.
    Numbers are to be predicted if more than 10 are different, one of them with a fraction, or more than 30 whole ones.

    Examples
    --------
    >>> for doubt in doubts_of_labels(np.arange(60) % 40):
    ...     print(doubt)
    the labels are 40 different numbers, and each is a class of its own: if they are amounts, make classes of them
    first, such as high and low, or predict them with a regression
    >>> for doubt in doubts_of_labels(np.array(["no"] * 30 + ["yes"] * 30 + ["n/a"] * 2)):
    ...     print(doubt)
    the label 'n/a' of 2 rows is a class of its own: if it stands for no value, say --na n/a --drop-unlabelled (na=,
    drop_unlabelled=) of CSV, JSON lines and spreadsheets, or leave these rows out
    """
    if y is None or y.dtype.kind not in "Uiuf":
        return []
    values, counts = counted(y)
    said = []
    if y.dtype.kind == "U":
        pairs = lookalikes(set(values.tolist()))
        said += [f"the labels {_said(pairs)} classes: write them alike if they are one"] if pairs else []
        for k in np.flatnonzero([text.strip().lower() in {*NO_VALUE, "?"} for text in values.tolist()]):
            label, n = str(values[k]), "1 row" if counts[k] == 1 else f"{counts[k]:,} rows"
            said.append(
                f"the label {label!r} of {n} is a class of its own: if it stands for no value, say --na "
                f"{quote(label.strip())} --drop-unlabelled (na=, drop_unlabelled=) of CSV, JSON lines and "
                "spreadsheets, or leave these rows out"
            )
    elif len(values) > (_MOST_WHOLE if (values == np.floor(values)).all() else _MOST_FRACTIONS):
        said.append(
            f"the labels are {len(values):,} different numbers, and each is a class of its own: if they are amounts, "
            "make classes of them first, such as high and low, or predict them with a regression"
        )
        return said
    once = np.flatnonzero(counts == 1)
    if len(once) and counts.max() >= _FEWEST_ROWS:
        named = ", ".join(f"{str(values[k])!r:.40} ({where(int((y == values[k]).argmax()))})" for k in once[:3])
        more = f" and {len(once) - 3:,} more" if len(once) > 3 else ""
        said.append(
            f"only 1 row has the label {named}{more}: a line of totals, or a slip of the pen? From one row nothing can "
            "be learnt; take it out or mend it"
        )
    return said


def doubts_of_totals(chunk: TableChunk, used: Collection[str] | None = None) -> list[str]:
    """What to say of the last row if it looks like a line of totals: it says so, and half of its cells are empty.

    Cells of the columns `used`, all unless given, have to be empty. Other columns are read only then.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = b"city,size,price,age\\nOslo,1,2,3\\nRome,4,5,6\\nTotal,,7,\\n"
    >>> print(doubts_of_totals(open_data(rows).read())[0])
    buffer:4 looks like a line of totals ('Total' in column 'city', and 2 of 4 cells are empty): take it out
    """
    row, names = chunk.n_rows - 1, chunk.names if used is None else [name for name in chunk.names if name in used]
    empty = sum(_cell(chunk, name, row) == "" for name in names) if chunk.n_rows else 0
    if not empty or 2 * empty < len(names):
        return []
    for name in chunk.names:
        cell = _cell(chunk, name, row) or ""
        if cell and cell.split()[0].strip(":.").casefold() in _TOTALS:
            return [
                f"{chunk.where(row)} looks like a line of totals ({cell!r:.40} in column {name!r:.40}, and {empty} of "
                f"{len(names)} cells are empty): take it out"
            ]
    return []


def _cell(chunk: TableChunk, name: str, row: int) -> str | None:
    """A cell without blanks around it, "" for an empty one; None if it is a number, or its column cannot be read."""
    try:
        column = chunk.cells(name)
    except DataError:  # nobody may need it
        return None
    if column is None or (column.missing is not None and column.missing[row]):
        return ""
    return None if column.raw is None or column.is_number else str(column.raw[row].as_py()).strip()


def doubts_of_lookalikes(chunk: TableChunk, columns: Iterable[str]) -> list[str]:
    """What to say of the labels, and of the levels of these columns of text, that differ in blanks or case alone.

    Nothing is changed: a certificate is about the cells as they are written.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"tier,y\\nGold,no\\nGold ,yes\\nIron,No\\n", target="y").read()
    >>> for doubt in doubts_of_lookalikes(rows, ["tier"]):
    ...     print(doubt)
    the labels 'No' and 'no' differ in blanks or case alone, and count as two classes: write them alike if they are one
    column 'tier': 'Gold' and 'Gold ' differ in blanks or case alone, and count as two levels: write them alike if they
    are one, or leave the column out with --column tier=skip
    """
    doubts = doubts_of_totals(chunk) + doubts_of_labels(chunk.y, chunk.where)
    for name in columns:
        column = chunk.cells(name)
        pairs = [] if column is None else lookalikes(_levels(column))
        if pairs:
            advice = f"write them alike if they are one, or leave the column out with --column {quote(name)}=skip"
            doubts.append(f"column {name!r:.80}: {_said(pairs)} levels: {advice}")
    return doubts


def doubts_of_missing(chunk: TableChunk, columns: Iterable[str]) -> list[str]:
    """What to say of the levels of these columns of text that are words for a missing value.

    Only the words that are hardly ever meant: not "none", "?" and "-". Nothing is changed, as NA may be a country.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"tier,y\\nGold,no\\nNULL,yes\\n#N/A,no\\n", target="y").read()
    >>> print(doubts_of_missing(rows, ["tier"])[0])
    column 'tier': '#N/A', 'NULL' count as levels, but would be missing values in a column of numbers: if they are,
    leave the cells empty, or say --na '#N/A' --na NULL (na=[...]) of CSV, JSON lines and spreadsheets; if not, --column
    tier=category
    """
    doubts = []
    for name in columns:
        column = chunk.cells(name)
        found = [] if column is None else sorted(text for text in _levels(column) if _is_missing(text))
        if found:
            are, they = ("counts as a level", "it is") if len(found) == 1 else ("count as levels", "they are")
            asked = " ".join(f"--na {quote(text.strip())}" for text in found)
            doubts.append(
                f"column {name!r:.80}: {', '.join(map(repr, found))} {are}, but would be missing values in a column of "
                f"numbers: if {they}, leave the cells empty, or say {asked} (na=[...]) of CSV, JSON lines and "
                f"spreadsheets; if not, --column {quote(name)}=category"
            )
    return doubts


def doubts_of_codes_for_missing(chunk: TableChunk, columns: Iterable[str]) -> list[str]:
    """What to say of these columns of numbers if -999, 99 or the like lies far from all other numbers.

    Far is: further from them than they are from each other, with three different ones or more; and there are two such
    cells or more. Columns with the same codes are named together.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"age,y\\n31,no\\n-999,yes\\n44,no\\n-999,no\\n58,yes\\n", target="y").read()
    >>> print(doubts_of_codes_for_missing(rows, ["age"])[0])
    column 'age': -999 in 2 rows is far from all other numbers (31 to 58): if it stands for a missing value, leave the
    cells empty, or say --na=-999 (na=["-999"]) of CSV, JSON lines and spreadsheets; if all are codes, --column
    NAME=category
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for name in columns:
        column = chunk.cells(name)
        if column is None or not column.is_number or column.is_date:
            continue
        codes, rows, low, high = _far_codes(column)
        if rows >= 2:
            words = tuple(f"{code:.0f}" for code in codes)
            are = "is" if len(words) == 1 else "are"
            said = f"{', '.join(words)} in {rows:,} rows {are} far from all other numbers ({low:.10g} to {high:.10g})"
            found.setdefault(words, []).append(f"column {name!r:.80}: {said}")
    doubts = []
    for words, said_of in found.items():
        more = f", and so in {len(said_of) - 1:,} more" if len(said_of) > 1 else ""
        stands = "it stands" if len(words) == 1 else "they stand"
        asked, listed = " ".join(f"--na={word}" for word in words), ", ".join(f'"{word}"' for word in words)
        doubts.append(
            f"{said_of[0]}{more}: if {stands} for a missing value, leave the cells empty, or say {asked} "
            f"(na=[{listed}]) of CSV, JSON lines and spreadsheets; if all are codes, --column NAME=category"
        )
    return doubts


def doubts_of_new_codes(chunk: TableChunk, known: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """Return what to say of columns of new rows with -999, 99 or the like, far from the numbers of training.

    `known` has mean and standard deviation of the columns in training; far is ten standard deviations from the mean.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = open_data(b"age,y\\n31,no\\n-999,yes\\n44,no\\n").read()
    >>> doubts_of_new_codes(rows, {"age": (40.0, 12.0)})["age"]
    "column 'age': -999 in 1 row (first buffer:3) is far from the numbers of training (mean 40): if it stands for a
    missing value, leave the cells empty, or say --na=-999 (na=) of CSV, JSON lines and spreadsheets"
    """
    doubts = {}
    for name, (mean, scale) in known.items():
        column = chunk.cells(name) if name in chunk.names else None
        if column is None or column.stored is None or column.is_date:
            continue
        ends = np.array([np.fmin.reduce(column.stored), np.fmax.reduce(column.stored)])
        if not (np.abs(ends - mean) > _FAR_NOW * scale).any():
            continue
        far = np.abs(column.stored - mean) > _FAR_NOW * scale
        rows = np.flatnonzero(far if column.missing is None else far & ~column.missing)
        rows = rows[np.isin(column.stored[rows], _CODES)]  # of few rows: that of all would take longer than to predict
        if len(rows):
            row, n = int(rows[0]), len(rows)
            code = f"{column.stored[row]:.0f}"
            doubts[name] = (
                f"column {name!r:.80}: {code} in {n:,} row{'s' if n > 1 else ''} (first {chunk.where(row)}) is far "
                f"from the numbers of training (mean {mean:.4g}): if it stands for a missing value, leave the cells "
                f"empty, or say --na={code} (na=) of CSV, JSON lines and spreadsheets"
            )
    return doubts


def doubts_of_pairs(chunk: TableChunk, columns: Iterable[str]) -> list[str]:
    """What to say of these columns of text if nearly all cells are two numbers, in 20 different ways or more.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"{110 + k}/{70 + k % 9},no\\n" for k in range(40))
    >>> print(doubts_of_pairs(open_data(("BP,y\\n" + rows).encode(), target="y").read(), ["BP"])[0])
    column 'BP': cells as '110/70' are two numbers, but are read as text (40 different ones): split it into two columns
    of numbers, or leave it out with --column BP=skip
    """
    doubts = []
    for name in columns:
        column = chunk.cells(name)
        pair = "" if column is None else a_pair_of_numbers(column)
        if column is not None and pair:
            doubts.append(
                f"column {name!r:.80}: cells as {pair!r:.40} are two numbers, but are read as text "
                f"({len(_levels(column) - {''}):,} different ones): split it into two columns of numbers, or leave it "
                f"out with --column {quote(name)}=skip"
            )
    return doubts


def a_pair_of_numbers(column: Column) -> str:
    """The first cell of a column of text in which nearly all cells are two numbers each; empty for other columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> a_pair_of_numbers(Column("BP", None, pa.array([f"{110 + k}/70" for k in range(40)])))
    '110/70'
    """
    if column.raw is None or column.is_number:
        return ""
    texts, codes = distinct(column.raw)
    if len(texts) < _MANY_PAIRS:
        return ""
    counts = code_counts(codes, len(texts))
    there = pc.not_equal(texts, "").to_numpy(zero_copy_only=False)
    like = there & pc.match_substring_regex(texts, _PAIR).to_numpy(zero_copy_only=False)
    many = counts[like].sum() >= _NEARLY_ALL_PAIRS * counts[there].sum() and like.sum() >= _MANY_PAIRS
    return str(texts[int(like.argmax())].as_py()) if many else ""


def _far_codes(column: Column) -> tuple[Array, int, float, float]:
    """The codes far from the other numbers of a column, how often there are any, and the range of the others."""
    assert column.stored is not None
    if not column.are_whole and not np.isin(column.stored[column.stored == np.floor(column.stored)], _CODES).any():
        return _CODES[:0], 0, 0.0, 0.0
    values = column.numbers[np.isfinite(column.numbers)]
    codes = np.intersect1d(values, _CODES)
    others = np.setdiff1d(values, codes)
    for _ in range(2):  # a code that is not far is one of the others
        if not len(codes) or len(others) < 3:
            return codes[:0], 0, 0.0, 0.0
        low, high = others[[0, -1]]
        codes = codes[np.maximum(low - codes, codes - high) > high - low]
        others = np.setdiff1d(values, codes)
    found = np.isin(column.stored, codes) if column.missing is None else np.isin(column.stored[~column.missing], codes)
    return codes, int(found.sum()), float(others[0]), float(others[-1])


def _is_missing(text: str | None) -> bool:
    return text is not None and text.strip().lower() in NO_VALUE


def _levels(column: Column) -> set[str]:
    return set() if column.raw is None else set(distinct(column.raw).texts.to_pylist())


def lookalikes(texts: set[str]) -> list[list[str]]:
    """Those that are one with single blanks and in lower case, in groups of two or more."""
    groups: dict[str, list[str]] = {}
    for text in sorted(texts):
        groups.setdefault(" ".join(text.split()).casefold(), []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _said(groups: list[list[str]]) -> str:
    one, two = groups[0][:2]
    more = sum(len(group) - 1 for group in groups) - 1
    rest = f" (and {more:,} more pair{'s' if more > 1 else ''})" if more else ""
    return f"{one!r:.60} and {two!r:.60} differ in blanks or case alone{rest}, and count as two"
