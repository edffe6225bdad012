"""Whole numbers that may be names of something: codes of places, things and people, and names of the rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection

import numpy as np
import pyarrow.compute as pc

from linsep.data.columns import Column
from linsep.data.distinct import is_encoded, taken
from linsep.markup import listed, quote
from linsep.types import Array

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
    ["column 'shelf' is read as a number; if it holds codes, say --column shelf=category (or skip)"]
    """
    names = [column.name for column in columns if column.are_whole and _are_written_as_codes(column)]
    if not names:
        return []
    what = f"column{'s' * (len(names) > 1)} {listed([f'{name!r:.40}' for name in names])} "
    what += "are read as numbers; if they hold" if len(names) > 1 else "is read as a number; if it holds"
    return [f"{what} codes, say --column {quote(names[0])}=category (or skip)"]


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
