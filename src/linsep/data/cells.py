"""Cells of text as numbers or as categories: what a number looks like, and what stands for no value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.columns import Column
from linsep.data.distinct import by_distinct, distinct, is_encoded, rewritten
from linsep.markup import quote
from linsep.types import Array, DataError

# Blanks of several widths.
_BLANK = "[ \u00a0\u2009\u202f]"
# What may stand between thousands beside a point or a comma: blanks, and apostrophes as in Switzerland.
BETWEEN = " \u00a0\u2009\u202f'\u2019"
# Whole numbers of one length with two such marks or more are rather telephone numbers.
_CODE = f"^[1-9][0-9]{{0,2}}([{BETWEEN}][0-9]{{3}}){{2,}}$"
# Decimal numbers as people write them; no hexadecimal, no underscores, no thousands separators.
NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
WHOLE = re.compile("-?[0-9]+")
_MONEY = "$\u20ac\u00a3\u00a5"
SIGNS = f"%{_MONEY}"
_CURRENCY = f"(?:{_BLANK}?[{_MONEY}]{_BLANK}?)"
_PERCENT = f"(?:{_BLANK}?%)?"
_ENOUGH = 5  # cells that are numbers with another decimal mark than expected, until that is no accident
# Cells that stand for no value in a column of numbers; in a column of text only an empty one does.
MISSING_WORDS = ("", "na", "n/a", "#n/a", "nan", "null", "#null!", "none", "?", "-", "--")
MISSING = f"^({'|'.join(map(re.escape, MISSING_WORDS))})$"
# Values below or above what can be measured: <1,0 or > 500.
_LIMIT = re.compile(r"[<>\u2264\u2265]=?\s*[0-9.,]")
INFINITE = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
_INFINITE_ADVICE = "write the number that it stands for, or leave the cell empty: then it counts as a missing value"


def read_numbers(text: pa.Array, decimal: str = ".") -> tuple[pa.Array, Array] | None:
    """Return the text without blanks around its cells, and the numbers in them; None if a cell is not a number.

    With a decimal comma the text that is returned has points in its place.
    """
    if decimal != ".":
        if not are_numbers(text, decimal).all():
            return None
        text = pc.replace_substring_regex(text, decimal, ".")
    try:
        if len(text):
            float(text[0].as_py())  # refuses sooner than Arrow, which reads on to the last cell
        return text, pc.cast(text, pa.float64()).to_numpy(zero_copy_only=False)
    except ValueError:  # Arrow's as well
        if not are_numbers(text).all():
            return None
    trimmed = pc.utf8_trim_whitespace(text)
    return trimmed, pc.cast(trimmed, pa.float64()).to_numpy(zero_copy_only=False)


def number_column(
    name: str,
    text: pa.Array,
    where: Callable[[int], str],
    *,
    is_text: bool,
    decimal: str = ".",
    is_number: bool = False,
) -> Column:
    """Read text as numbers if every cell that is there is one, as categories if at most half of all cells are.

    With `is_number` the column is known to hold numbers, and its cells may all be missing. Of dictionary-encoded text
    each distinct one is looked at once.

    Raises
    ------
    DataError
        More than half of the cells are numbers, but not all; or a number is not finite; or all are numbers with another
        decimal mark.
    """
    if is_text:
        return category_column(name, text, decimal)
    texts, codes = distinct(text) if is_encoded(text) else (text, slice(None))
    numbers, missing = read_numbers(texts, decimal), None
    if numbers is None or not np.isfinite(numbers[1]).all():
        gone = are_missing(texts)
        if gone.all() and not is_number:
            return category_column(name, text, decimal)
        if gone.any():
            found = read_numbers(pc.if_else(pa.array(gone), "0", texts), decimal)
            if found is not None:
                missing, numbers = gone[codes], (pc.if_else(pa.array(gone), texts, found[0]), found[1])
    if numbers is None:
        if not is_number and _are_codes(text):
            return category_column(name, text, decimal)
        texts, codes = distinct(text)
        gone = are_missing(texts)
        if (other := _otherwise(texts.filter(pa.array(~gone)), decimal)) is not None:
            written, there, sign = other
            values = np.zeros(len(texts))
            values[~gone] = there
            raw = None
            if written is not None:
                raw = pc.replace_with_mask(texts, pa.array(~gone), written).take(pa.array(codes))
            return Column(name, values[codes], raw, missing=gone[codes] if gone.any() else None, sign=sign)
        good = are_numbers(texts, decimal) | are_amounts(texts, decimal)
        if good.any() and (good | gone).all():
            signed = ~gone & ~are_numbers(texts, decimal)
            cells = " and ".join(
                f"{text[row].as_py()!r:.40} ({where(row)})"
                for row in sorted({int(some[codes].argmax()) for some in (signed, good & ~signed) if some.any()})
            )
            raise DataError(
                f"column {name!r}: some cells have a % or the sign of a currency that others lack, as {cells}: write "
                f"all in one unit, or read the column as categories with --column {quote(name)}=category"
            )
        advice = f", or read the column as categories with --column {quote(name)}=category (categorical=[{name!r}])"
        refuse_other_mark(name, text, where, decimal, advice)
        lower = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
        unbounded = pc.is_in(lower, pa.array(INFINITE)).to_numpy(zero_copy_only=False)
        if 2 * int(good[codes].sum()) <= len(text) and not (unbounded.any() and (good | unbounded | gone).all()):
            return category_column(name, text, decimal)
        _refuse_cell(name, text, int((~good & ~gone)[codes].argmax()), where)
    trimmed, values = rewritten(text, numbers[0]), numbers[1][codes]
    finite = np.isfinite(values)
    if not finite.all():
        rows = np.flatnonzero(~finite)
        raise infinite(where(int(rows[0])), name, repr(trimmed[int(rows[0])].as_py())[:80], len(rows))
    return Column(name, values, trimmed, missing=missing)


def infinite(place: str, name: str, cell: str, n: int) -> DataError:
    """What to say of n cells of a column of numbers that no double holds, the first of them at a place.

    Examples
    --------
    >>> print(infinite("t.csv:3", "a", "'inf'", 2))
    t.csv:3, column 'a': 'inf' is not a finite number (and in 1 more row); write the number that it stands for, or leave
    the cell empty: then it counts as a missing value
    """
    more = f" (and in {n - 1:,} more row{'s' if n > 2 else ''})" if n > 1 else ""
    return DataError(f"{place}, column {name!r}: {cell} is not a finite number{more}; {_INFINITE_ADVICE}")


def _otherwise(cells: pa.Array, decimal: str) -> tuple[pa.Array | None, Array, str] | None:
    """Cells that are all words for truth, or all amounts, as numbers: their text, their values, and their sign.

    True and false are 1 and 0, as Parquet files and dataframes have them. Amounts may have the sign of one currency,
    a % all of them, and marks between thousands; one in parentheses is negative, as accountants write it.
    """
    cells = pc.utf8_trim_whitespace(cells)
    truth = pc.index_in(pc.utf8_lower(cells), value_set=pa.array(["false", "true"]))
    if len(cells) and not truth.null_count:
        return None, truth.to_numpy().astype(np.float64), ""
    if not len(cells) or not are_amounts(cells, decimal).all():
        return None
    signs = [{letter for letter in cell if letter in SIGNS} for cell in cells.to_pylist()]
    sign = "".join(set().union(*signs))
    if len(sign) > 1 or ("%" in sign and not all(signs)):
        return None
    mark = r"\." if decimal == "." else ","
    digits = pc.replace_substring_regex(pc.replace_substring_regex(cells, r"\(", "-"), f"[^0-9+{mark}-]", "")
    found = read_numbers(pc.replace_substring_regex(digits, mark, "."))
    return None if found is None else (*found, sign)


def grouped_digits(decimal: str) -> str:
    """The pattern of digits that may have marks between thousands, for Python and for Arrow.

    Examples
    --------
    >>> import re
    >>> [bool(re.fullmatch(grouped_digits(","), cell)) for cell in ("1.204,5", "1 204", "1'204", "1,204,5")]
    [True, True, True, False]
    """
    mark, group = (r"\.", ",") if decimal == "." else (",", r"\.")
    groups = f"(?:{group}[0-9]{{3}})+|(?:[{BETWEEN}][0-9]{{3}})+"
    return f"(?:[1-9][0-9]{{0,2}}(?:{groups})|[0-9]+)(?:{mark}[0-9]+)?"


def _are_codes(text: pa.Array) -> bool:
    """Whether all cells that are there look like telephone numbers: 555 123 456."""
    cells = pc.unique(pc.utf8_trim_whitespace(distinct(text).texts))
    cells = cells.filter(pa.array(~are_missing(cells)))
    if len(cells) < 2 or not pc.all(pc.match_substring_regex(cells, _CODE)).as_py():
        return False
    return len(pc.unique(pc.utf8_length(cells))) == 1


@by_distinct
def are_amounts(text: pa.Array, decimal: str) -> pa.Array:
    """Return which cells are numbers, with a currency, a %, parentheses or marks between thousands or without.

    Examples
    --------
    >>> are_amounts(pa.array(["$1,204.50", "(3)", "12%", "7 kg"]), ".").tolist()
    [True, True, True, False]
    """
    digits = grouped_digits(decimal)
    amount = f"([+-]?{_CURRENCY}?|{_CURRENCY}[+-]){digits}{_CURRENCY}?{_PERCENT}"
    negative = rf"\({_CURRENCY}?{digits}{_CURRENCY}?{_PERCENT}\)|{_CURRENCY}\({digits}\)"
    return pc.match_substring_regex(pc.utf8_trim_whitespace(text), f"^({amount}|{negative})$")


@by_distinct
def are_true_or_false(text: pa.Array) -> pa.Array:
    """Return which cells are the words true or false.

    Examples
    --------
    >>> are_true_or_false(pa.array(["True", "1", " false", "no"])).tolist()
    [True, False, True, False]
    """
    return pc.match_substring_regex(pc.utf8_lower(pc.utf8_trim_whitespace(text)), "^(true|false)$")


def category_column(name: str, text: pa.Array, decimal: str = ".") -> Column:
    """Text as categories; an empty one is missing.

    Examples
    --------
    >>> category_column("a", pa.array(["x", ""])).missing.tolist()
    [False, True]
    """
    texts, codes = distinct(text) if is_encoded(text) else (text, slice(None))
    empty = pc.equal(texts, "")
    missing = empty.to_numpy(zero_copy_only=False)[codes] if pc.any(empty).as_py() else None
    return Column(name, None, text, decimal, missing)


@by_distinct
def are_missing(text: pa.Array) -> pa.Array:
    """Return which cells stand for no value where a column holds numbers.

    Examples
    --------
    >>> are_missing(pa.array(["", "NA", "2", "#N/A", "-"])).tolist()
    [True, True, False, True, True]
    """
    return pc.match_substring_regex(pc.utf8_lower(pc.utf8_trim_whitespace(text)), MISSING)


@by_distinct
def are_numbers(text: pa.Array, decimal: str = ".") -> pa.Array:
    """Return which cells are decimal numbers."""
    pattern = NUMBER if decimal == "." else NUMBER.replace(r"\.", decimal)
    return pc.match_substring_regex(pc.utf8_trim_whitespace(text), pattern)


def refuse_other_mark(
    name: str, text: pa.Array, where: Callable[[int], str], decimal: str, otherwise: str = ""
) -> None:
    """Raise DataError where the cells are no numbers, but all would be with the other decimal mark.

    Examples
    --------
    >>> refuse_other_mark("a", pa.array(["1,5"] * 5), "t.csv:{}".format, ".")
    Traceback (most recent call last):
    linsep.types.DataError: t.csv:0, column 'a': '1,5' is a number if the decimal mark is ',': use --read decimal=','
    (decimal=',')
    """
    other = "," if decimal == "." else "."
    texts, codes = distinct(text)
    there = ~are_missing(texts)
    if there[codes].sum() < _ENOUGH or not (are_numbers(texts, other) | are_amounts(texts, other))[there].all():
        return
    strange = there & ~(are_numbers(texts, decimal) | are_amounts(texts, decimal))
    if strange.any():
        row = int(strange[codes].argmax())
        raise DataError(
            f"{where(row)}, column {name!r}: {text[row].as_py()!r:.80} is a number if the decimal mark is {other!r}: "
            f"use --read decimal='{other}' (decimal={other!r}){otherwise}"
        )


def _refuse_cell(name: str, text: pa.Array, row: int, where: Callable[[int], str]) -> NoReturn:
    cell = text[row].as_py()
    if cell.strip().lower() in INFINITE:
        raise infinite(where(row), name, f"{cell!r:.80}", 1)
    if _LIMIT.match(cell.strip()):
        raise DataError(
            f"{where(row)}, column {name!r}: {cell!r:.80} is a limit, not a number: write numbers in place of such "
            f"cells; --read na={quote(cell.strip())} (na=[...]) makes it a missing value, "
            "which says less than a limit; "
            f"--column {quote(name)}=category (categorical=[{name!r}]) makes the column text"
        )
    raise DataError(
        f"{where(row)}, column {name!r}: {cell!r:.80} is not a finite number, but most of the column is numbers; "
        f"correct it, use --read na={quote(cell.strip())} (na=[...]) if it means a missing value in CSV, JSON lines or "
        f"a spreadsheet, or read the column as categories with --column {quote(name)}=category (categorical=[{name!r}])"
    )


def refuse_comma(name: str, text: pa.Array, where: Callable[[int], str]) -> None:
    """Raise DataError for a number with a comma, of a column whose decimal mark nobody knows.

    Examples
    --------
    >>> refuse_comma("a", pa.array(["7", "1,500"]), "t.csv:{}".format)
    Traceback (most recent call last):
    linsep.types.DataError: t.csv:1, column 'a': '1,500' may have a decimal comma, or a comma between thousands: use
    --read decimal=',' (decimal=',') or --read decimal='.'
    """
    texts, codes = distinct(text)
    commas = pc.match_substring_regex(texts, ",").to_numpy(zero_copy_only=False)
    if commas.any():
        row = int(commas[codes].argmax())
        raise DataError(
            f"{where(row)}, column {name!r}: {text[row].as_py()!r:.80} may have a decimal comma, or a comma between "
            "thousands: use --read decimal=',' (decimal=',') or --read decimal='.'"
        )


def known_numbers(column: Column, where: Callable[[int], str]) -> Column:
    """A column of text that is known to hold numbers, read as such.

    The words true and false stand for numbers where all cells are such words, of which the first one decides.

    Examples
    --------
    >>> import pyarrow as pa
    >>> known_numbers(Column("a", None, pa.array(["1", "", "$2"])), "t.csv:{}".format).values.tolist()
    [1.0, 0.0, 2.0]
    """
    name, text, decimal = column.name, column.raw, column.decimal
    missing, truth = are_missing(text), are_true_or_false(text)
    of_truth = truth[np.flatnonzero(~missing)[:1]].any()
    fits = missing | (truth if of_truth else are_numbers(text, decimal) | are_amounts(text, decimal))
    if not fits.all():
        row = int(fits.argmin())
        said = "is neither true nor false, as others" if of_truth else "is not a number, and the column holds numbers"
        raise DataError(f"{where(row)}, column {name!r}: {text[row].as_py()!r:.80} {said}")
    return number_column(name, text, where, is_text=False, is_number=True, decimal=decimal)
