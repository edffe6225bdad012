"""Whole numbers that may be names of something: codes of places, things and people."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.columns import Column, quote

# What numbers that are names of something are called, by the last word of the name.
_CODES = frozenset(
    ["id", "ids", "code", "codes", "zip", "zipcode", "postal", "postcode", "plz", "fips", "sku", "phone"]
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_FEWEST = 3  # different whole numbers, from which on they may be codes
_SAID = 4  # columns named in a doubt


def words_of(name: str) -> list[str]:
    """The words of a name in small letters; the name itself where there is none.

    Examples
    --------
    >>> words_of("zipCode"), words_of("CUSTOMER_ID"), words_of("paid")
    (['zip', 'code'], ['customer', 'id'], ['paid'])
    """
    return [word.lower() for word in _WORD.findall(name)] or [name.lower()]


def may_be_codes(column: Column) -> bool:
    """Whether whole numbers may be names: they are called so, or are written with as many digits and zeros before.

    As many digits alone prove nothing: so have years and prices.

    Examples
    --------
    >>> may_be_codes(Column("zip", np.array([10115.0, 80331.0, 50667.0]), None))
    True
    """
    values = column.values if column.missing is None or column.values is None else column.values[~column.missing]
    if values is None or (values != np.floor(values)).any() or (values < 0).any():
        return False
    if len(np.unique(values)) < _FEWEST:
        return False
    return words_of(column.name)[-1] in _CODES or _has_zeros_before(column)


def _has_zeros_before(column: Column) -> bool:
    if column.text is None:
        return False
    text = column.text if column.missing is None else column.text.filter(pa.array(~column.missing))
    if len(pc.unique(pc.utf8_length(text))) > 1:
        return False
    return bool(pc.any(pc.match_substring_regex(text, "^0[0-9]+$")).as_py())


def doubt_of_codes(names: list[str]) -> list[str]:
    """One doubt for all columns of numbers that may be codes.

    Examples
    --------
    >>> doubt_of_codes(["zip"])
    ["column 'zip' is read as a number; if it holds codes, say --column zip=category (or skip)"]
    """
    if not names:
        return []
    listed = ", ".join(f"{name!r:.40}" for name in names[:_SAID]) + (", ..." if len(names) > _SAID else "")
    what = f"columns {listed} are read as numbers" if len(names) > 1 else f"column {listed} is read as a number"
    them = "they hold" if len(names) > 1 else "it holds"
    return [f"{what}; if {them} codes, say --column {quote(names[0])}=category (or skip)"]
