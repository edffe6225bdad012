"""Numbers that are more: amounts with a unit, as "12,5 mg", codes of places and things, and names of the rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import BETWEEN, are_missing, grouped_digits, number_column
from linsep.data.columns import Column, TableChunk
from linsep.data.distinct import distinct, is_encoded, taken
from linsep.markup import listed, quote
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
    texts, codes = distinct(raw)
    gone = are_missing(texts)
    cells = pc.utf8_trim_whitespace(texts.filter(pa.array(~gone)))
    few = cells[:_TRIED]
    if (~gone[codes]).sum() < FEWEST_ROWS or 2 * pc.sum(pc.match_substring_regex(few, "[0-9]")).as_py() < len(few):
        return ""
    if _is_money(cells, column.decimal):
        return "number"
    ways = [(mark, _parts(cells, mark)) for mark in (column.decimal, "," if column.decimal == "." else ".")]
    for mark, (numbers, units) in ways:
        if not units.null_count and len(pc.unique(numbers)) >= _FEWEST_NUMBERS:
            [unit, *others] = pc.unique(units).to_pylist()
            return f"0{mark}0 {unit}" if unit and not others else ""
    return ""


def read_amounts(text: pa.Array, kind: str) -> tuple[Column, Array]:
    """Return amounts as a column of numbers without a name, and which cells are none: those count as missing.

    Examples
    --------
    >>> column, bad = read_amounts(pa.array(["1,5 mg", "NA", "3 g"]), "0,0 mg")
    >>> column.values.tolist(), column.missing.tolist(), bad.tolist()
    ([1.5, 0.0, 0.0], [False, True, True], [False, False, True])
    """
    texts, codes = distinct(text)
    numbers, units = _parts(pc.utf8_trim_whitespace(texts), kind[1])
    good = pc.fill_null(pc.equal(units, unit_of(kind)), False)
    digits = pc.if_else(good, numbers, "").take(pa.array(codes))
    missing = ~good.to_numpy(zero_copy_only=False)[codes]
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
            f"{unit_of(kind)!r}, as the other cells are; correct it, or read the column as categories with "
            f"--column {quote(column.name)}=category"
        )
    return Column(column.name, found.values, found.raw, missing=found.missing)


def _is_money(cells: pa.Array, decimal: str) -> bool:
    """Whether all cells are amounts with the same currency or a %, which CSV has read as numbers already."""
    try:
        return number_column("", cells, str, is_text=False, decimal=decimal).sign != ""
    except DataError:
        return False


def _parts(cells: pa.Array, mark: str) -> tuple[pa.Array, pa.Array]:
    """The number (with a point) and the unit ("" for none) of each cell, null where it is no amount."""
    number = f"[+-]?(?:{grouped_digits(mark)}|[{mark}][0-9]+)"
    # Extracting by a pattern of many ways is slow: one pattern decides, and a plain one cuts.
    cells = pc.replace_substring_regex(cells, _IN_FRONT, r"\1\3 \2")
    fits = pc.match_substring_regex(cells, f"^{number}(?:{_BLANKS}{_UNIT})?$")
    plain = rf"^(?P<number>[-+.,0-9{BETWEEN}]*[.,0-9]){_BLANKS}(?P<unit>[^\s]*)$"
    found = pc.extract_regex(cells, plain)
    between = f"[+{',' if mark == '.' else '.'}{BETWEEN}]"
    numbers = pc.replace_substring_regex(pc.struct_field(found, "number"), between, "")
    no_text = pa.scalar(None, pa.string())
    numbers, units = pc.replace_substring(numbers, ",", "."), pc.struct_field(found, "unit")
    return pc.if_else(fits, numbers, no_text), pc.if_else(fits, units, no_text)


# ------------------------------------------------------------------------ codes
# Whom several rows are about, as the last word of a name, or before the word for its key: an ordinary category is not.
_WHOM = "account|acct|animal|author|client|customer|device|driver|employee|household|machine|member|participant|"
_WHOM += "patient|person|pupil|respondent|session|speaker|student|subject|tenant|user|visitor|writer"
# Customer_no, clientNumber, userid.
_KEY_OF_WHOM = re.compile(f"(?:{_WHOM}|case|contract|policy)s?(?:id|no|nr|num|number|key|ref)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_FEWEST = 3  # different whole numbers, from which on they may be codes
ENOUGH_ROWS = 30  # with fewer rows anything may be different in each of them by chance
NEARLY_ALL = 0.9  # share of the rows that have a value of their own, from which on it names the row
_LOOKED_AT = 1 << 14  # rows at a time
_STEPS = 5  # numbers given to one row after another leave out few: less than this is the average step
# What names of rows are called, without accents and blanks around, at the end of the name of the column.
_IDS = "id|uuid|guid|codigo|matricola|matricula|matricule|kennung|beleg"
_CALLED_ID = re.compile(
    rf"(?i:(?:^|[_\W])(?:{_IDS})$)|[a-z](?:Id|ID|Nr|NR)\.?$|(?i:(?:^|[_\W])nr\.?$)|(?i:nummer$)|[a-z]nr\.?$"
)
# Names that counts may have too: 'No' of votes, 'Number' of visits.
_MAYBE_ID = re.compile(
    r"(?i:[_\W](?:no|number)\.?$)|[a-z]No$|[a-z]Number$|(?i:numero$)|^(?i:n[o\u00b0]\.?|index|unnamed: 0)$|\u00b0$"
)


def names_whom(name: str) -> bool:
    """Whether a column is called after whom several rows are about.

    Examples
    --------
    >>> [names_whom(name) for name in ("patient", "userId", "customer_no", "city", "patient_age")]
    [True, True, True, False, False]
    """
    words = [word.lower() for word in _WORD.findall(name)] or [name.lower()]
    is_key = any(_KEY_OF_WHOM.fullmatch("".join(words[-n:])) for n in (1, 2))
    return is_key or words[-1] in ("id", *_WHOM.split("|"))


def why_names_of_rows(column: Column) -> str:
    """Why a column of numbers names the rows; empty where it does not.

    From 30 rows on whole numbers without a missing one do, if they go up or down from row to row by less than five on
    average, or are each number from 0 or 1 on once, or are called id, Nr or the like and 90 % of them differ. A name
    that counts have too, such as No, or index, needs all of them to differ.

    Examples
    --------
    >>> why_names_of_rows(Column("a", 7.0 + 3 * np.arange(40), None))
    'the numbers go up from row to row, 40 values in 40 rows'
    >>> why_names_of_rows(Column("Kunden-Nr", 7.0 * np.arange(40), None))
    '40 values in 40 rows'
    """
    values = column.stored
    if values is None or column.missing is not None or len(values) < ENOUGH_ROWS or not column.are_whole:
        return ""
    n, low, high = len(values), int(values.min()), int(values.max())
    if _all_steps(values, lambda steps: steps == 1) or _all_steps(values, lambda steps: steps == -1):
        return "the numbers of the rows"
    if low in (0, 1) and high - low == n - 1 and len(column.numbers) == n:
        return f"each number from {low} to {high:,} once: the numbers of rows in another order"
    letters = unicodedata.normalize("NFKD", column.name)
    name = "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()
    least = NEARLY_ALL * n if _CALLED_ID.search(name) else n if _MAYBE_ID.search(name) else np.inf
    distinct = len(column.numbers) if least <= n else 0
    if distinct >= least:
        return f"{distinct:,} values in {n:,} rows"
    up = bool(values[1] > values[0])
    if high - low < _STEPS * n and _all_steps(values, lambda steps: steps > 0 if up else steps < 0):
        return f"the numbers go {'up' if up else 'down'} from row to row, {n:,} values in {n:,} rows"
    return ""


def _all_steps(values: Array, test: Callable[[Array], Array]) -> bool:
    """Whether all steps from row to row pass a test, which most columns fail soon."""
    blocks = (values[k : k + _LOOKED_AT + 1] for k in range(0, len(values) - 1, _LOOKED_AT))
    return all(bool(test(np.diff(block.astype(np.float64, copy=False))).all()) for block in blocks)


def doubt_of_codes(columns: Collection[Column]) -> list[str]:
    """One doubt for all columns of whole numbers that are written like codes, as 1E2.

    Examples
    --------
    >>> import pyarrow as pa
    >>> doubt_of_codes([Column("shelf", np.array([10.0, 300.0, 70.0]), pa.array(["1E1", "3E2", "7E1"]))])
    ["column 'shelf' is read as a number; if it holds codes, use --column shelf=category (or skip)"]
    """
    names = [column.name for column in columns if column.are_whole and _are_written_as_codes(column)]
    if not names:
        return []
    what = f"column{'s' * (len(names) > 1)} {listed([f'{name!r:.40}' for name in names])} "
    what += "are read as numbers; if they hold" if len(names) > 1 else "is read as a number; if it holds"
    return [f"{what} codes, use --column {quote(names[0])}=category (or skip)"]


def _are_written_as_codes(column: Column) -> bool:
    """Whether all numbers are like 1E2, or as long and some with zeros before (007)."""
    if column.raw is None or len(column.numbers) < _FEWEST or column.numbers[0] < 0:
        return False
    text = column.raw if column.missing is None else taken(column.raw, np.flatnonzero(~column.missing))
    text = text.dictionary if is_encoded(text) else text
    if pc.all(pc.match_substring_regex(text, "^[0-9]+E[0-9]+$")).as_py():
        return True
    alike = len(pc.unique(pc.utf8_length(text))) == 1
    return alike and bool(pc.any(pc.match_substring_regex(text, "^0[0-9]+$")).as_py())
