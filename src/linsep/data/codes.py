"""Whole numbers that may be names of something: codes of places, things and people, and names of the rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import numpy as np
import pyarrow.compute as pc

from linsep.data.columns import Column
from linsep.data.text.distinct import is_encoded, taken
from linsep.markup import quote
from linsep.types import Array

# What numbers that are names of something are called, by the last word of the name.
_CODES = frozenset(
    ["id", "ids", "code", "codes", "zip", "zipcode", "postal", "postcode", "plz", "fips", "sku", "phone"]
)
# Whom several rows are about, as the last word of a name, or before the word for its key: an ordinary category is not.
_WHOM = "account|acct|animal|author|client|customer|device|driver|employee|household|machine|member|participant|"
_WHOM += "patient|person|pupil|respondent|session|speaker|student|subject|tenant|user|visitor|writer"
# Customer_no, clientNumber, userid.
_KEY_OF_WHOM = re.compile(f"(?:{_WHOM}|case|contract|policy)s?(?:id|no|nr|num|number|key|ref)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_FEWEST = 3  # different whole numbers, from which on they may be codes
_SAID = 4  # columns named in a doubt
ENOUGH_ROWS = 30  # with fewer rows anything may be different in each of them by chance
NEARLY_ALL = 0.9  # share of the rows that have a value of their own, from which on it names the row
_LOOKED_AT = 1 << 14  # rows at a time
_STEPS = 5  # numbers given to one row after another leave out few: less than this is the average step
# What names of rows are called, without accents, at the end of the name of the column.
_IDS = "id|uuid|guid|codigo|matricola|matricula|matricule|kennung|beleg"
_CALLED_ID = re.compile(
    rf"(?i:(?:^|[_\W])(?:{_IDS})$)|[a-z](?:Id|ID|Nr|NR)\.?$|(?i:(?:^|[_\W])nr\.?$)|(?i:nummer$)|[a-z]nr\.?$"
)
# Names that counts may have too: 'No' of votes, 'Number' of visits.
_MAYBE_ID = re.compile(
    r"(?i:[_\W](?:no|number)\.?$)|[a-z]No$|[a-z]Number$|(?i:numero$)|^(?i:n[o\u00b0]\.?|index|unnamed: 0)$|\u00b0$"
)


def plain_name(name: str) -> str:
    """A name without accents and without blanks around it.

    Examples
    --------
    >>> plain_name(" Número "), len(plain_name("número"))
    ('Numero', 6)
    """
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()


def words_of(name: str) -> list[str]:
    """The words of a name in small letters; the name itself where there is none.

    Examples
    --------
    >>> words_of("zipCode"), words_of("CUSTOMER_ID"), words_of("paid")
    (['zip', 'code'], ['customer', 'id'], ['paid'])
    """
    return [word.lower() for word in _WORD.findall(name)] or [name.lower()]


def names_whom(name: str) -> bool:
    """Whether a column is called after whom several rows are about.

    Examples
    --------
    >>> [names_whom(name) for name in ("patient", "userId", "customer_no", "city", "patient_age")]
    [True, True, True, False, False]
    """
    last = words_of(name)[-1]
    return last == "id" or last in _WHOM.split("|") or is_key_of_whom(name)


def is_key_of_whom(name: str) -> bool:
    """Whether a column is called the number of a customer, a patient and the like.

    Examples
    --------
    >>> [is_key_of_whom(name) for name in ("user no.", "clientNumber", "customer", "number")]
    [True, True, False, False]
    """
    words = words_of(name)
    return any(_KEY_OF_WHOM.fullmatch("".join(words[-n:])) for n in (1, 2))


def may_be_codes(column: Column) -> bool:
    """Whether whole numbers may be names: they are called so, or are written like codes, as 007 or 1E2.

    As many digits alone prove nothing: so have years and prices.

    Examples
    --------
    >>> may_be_codes(Column("zip", np.array([10115.0, 80331.0, 50667.0]), None))
    True
    """
    if not column.are_whole or len(column.numbers) < _FEWEST or column.numbers[0] < 0:
        return False
    called = words_of(column.name)[-1] in _CODES or is_key_of_whom(column.name)
    return called or _written_as_codes(column)


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
    if not _may_name_rows(column):
        return ""
    values = column.stored
    assert values is not None
    n, low, high = len(values), int(values.min()), int(values.max())
    if _all_steps(values, lambda steps: steps == 1) or _all_steps(values, lambda steps: steps == -1):
        return "the numbers of the rows"
    if low in (0, 1) and high - low == n - 1 and len(column.numbers) == n:
        return f"each number from {low} to {high:,} once: the numbers of rows in another order"
    name = plain_name(column.name)
    least = NEARLY_ALL * n if _CALLED_ID.search(name) else n if _MAYBE_ID.search(name) else np.inf
    distinct = len(column.numbers) if least <= n else 0
    if distinct >= least:
        return f"{distinct:,} values in {n:,} rows"
    if in_order(column) and high - low < _STEPS * n:
        return f"the numbers go {'up' if values[1] > values[0] else 'down'} from row to row, {n:,} values in {n:,} rows"
    return ""


def in_order(column: Column) -> bool:
    """Whether whole numbers go up from row to row, or down, from 30 rows on and without a missing one.

    Examples
    --------
    >>> in_order(Column("a", np.arange(40.0) ** 2, None)), in_order(Column("a", np.ones(40), None))
    (True, False)
    """
    if not _may_name_rows(column):
        return False
    values = column.stored
    assert values is not None
    return _all_steps(values, lambda steps: steps > 0) or _all_steps(values, lambda steps: steps < 0)


def _all_steps(values: Array, test: Callable[[Array], Array]) -> bool:
    """Whether all steps from row to row pass a test, which most columns fail soon."""
    blocks = (values[k : k + _LOOKED_AT + 1] for k in range(0, len(values) - 1, _LOOKED_AT))
    return all(bool(test(np.diff(block.astype(np.float64, copy=False))).all()) for block in blocks)


def _may_name_rows(column: Column) -> bool:
    values = column.stored
    return values is not None and column.missing is None and len(values) >= ENOUGH_ROWS and column.are_whole


def doubt_of_order(names: list[str]) -> list[str]:
    """One doubt for all columns of whole numbers that go up or down from row to row and are kept.

    Examples
    --------
    >>> doubt_of_order(["ref"])
    ["column 'ref' goes up or down from row to row, without a repetition: if it names the rows (an order number, a
    time), that tells where a row stands in the file and nothing about new rows; leave it out with --column ref=skip"]
    """
    if not names:
        return []
    what, are, them = f"column {_listed(names)} goes", "it names", "it"
    if len(names) > 1:
        what, are, them = f"columns {_listed(names)} go", "they name", "them"
    return [
        f"{what} up or down from row to row, without a repetition: if {are} the rows (an order number, a time), that "
        "tells where a row stands in the file and nothing about new rows; leave "
        f"{them} out with --column {quote(names[0])}=skip"
    ]


def _listed(names: list[str]) -> str:
    return ", ".join(f"{name!r:.40}" for name in names[:_SAID]) + (", ..." if len(names) > _SAID else "")


def _written_as_codes(column: Column) -> bool:
    """Whether numbers are written with as many digits and zeros before, or all like 1E2."""
    if column.raw is None:
        return False
    text = column.raw if column.missing is None else taken(column.raw, np.flatnonzero(~column.missing))
    text = text.dictionary if is_encoded(text) else text
    if pc.all(pc.match_substring_regex(text, "^[0-9]+E[0-9]+$")).as_py():
        return True
    alike = len(pc.unique(pc.utf8_length(text))) == 1
    return alike and bool(pc.any(pc.match_substring_regex(text, "^0[0-9]+$")).as_py())


def doubt_of_codes(names: list[str]) -> list[str]:
    """One doubt for all columns of numbers that may be codes.

    Examples
    --------
    >>> doubt_of_codes(["zip"])
    ["column 'zip' is read as a number; if it holds codes, say --column zip=category (or skip)"]
    """
    if not names:
        return []
    what = f"columns {_listed(names)} are" if len(names) > 1 else f"column {_listed(names)} is"
    what += " read as numbers" if len(names) > 1 else " read as a number"
    them = "they hold" if len(names) > 1 else "it holds"
    return [f"{what}; if {them} codes, say --column {quote(names[0])}=category (or skip)"]
