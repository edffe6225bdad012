"""What the state of a `TableEncoder` must be, checked before one is made from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.data.features.dates import is_date, parts_of
from linsep.data.features.kinds import SKIP, check_kind, is_words
from linsep.data.features.missing import WAYS
from linsep.data.features.words import Grams
from linsep.declared import MOST, ArraySpec, ValueSpec, check_arrays, check_values
from linsep.types import Array, DataError

# Above 0: numbers are divided by it.
_LEAST_SCALE = 5e-324
_LIST = ValueSpec("list")
_VALUES = {
    "kind": ValueSpec("choice", choices=("table", "rows")),
    "target": ValueSpec("text", none=True),
    "columns": _LIST,
    "first_index": ValueSpec(most=1, none=True),
    "running": ValueSpec("dict", needed=False),
    "missing": ValueSpec("choice", choices=WAYS, needed=False),
    "had_missing": ValueSpec("list", needed=False),
    "na": ValueSpec("list", needed=False),
    "encoding": ValueSpec("text", needed=False),  # of models that former versions made, as are `signs`
    "decimal": ValueSpec("choice", choices=(",",), needed=False),
    "kinds": ValueSpec("dict", needed=False),
    "signs": ValueSpec("dict", needed=False),
    "words": ValueSpec("dict", needed=False),
}
_WORDS = {"grams": ValueSpec("text"), "terms": _LIST}
_RUNNING = {
    "bits": ValueSpec(least=8, most=28),
    "open": ValueSpec("flag", needed=False),
    "flags": ValueSpec("flag", needed=False),
    "text": ValueSpec("dict"),
    "kinds": _LIST,
    "names": _LIST,
}
_GRAMS = ValueSpec("tuple", parts=(ValueSpec("choice", choices=("words", "chars")), *[ValueSpec(least=1, most=8)] * 2))
_ARRAYS = {
    "mean": ArraySpec(("numbers",), "float64", bounded=False),
    "scale": ArraySpec(("numbers",), "float64", least=_LEAST_SCALE, bounded=False),
}
_IDF = {"idf": ArraySpec(("terms",), "float64", least=0)}
_FILL = {"fill": ArraySpec(("numbers",), "float64", bounded=False)}
_RUNNING_ARRAYS = {
    "running/moments": ArraySpec(("running numbers", 3), "float64", bounded=False),
    "running/named": ArraySpec(("names",), "int64", least=0, below="hashed"),
    "running/signs": ArraySpec(("names",), "float64", least=-1, below=2),
}


def check_encoder(values: Any, arrays: dict[str, Array]) -> None:
    """Raise DataError unless `TableEncoder.state` could have given this.

    Parameters
    ----------
    values : object
        What should be its values.
    arrays : dict of str to array
        Its arrays.
    """
    check_values(values, _VALUES)
    numbers = _count_numbers(values["columns"])
    sizes = {"numbers": numbers} if values["kind"] == "table" else {}
    _check_distinct(values.get("had_missing", []), "the columns of the encoder that had missing values")
    for name, kind in values.get("kinds", {}).items():
        if not isinstance(kind, str) or check_kind(name, kind) != kind:
            raise DataError(f"the column {name!r:.40} of the encoder is of no kind that there is")
    if "running" not in values:
        _check_kinds(values)
        expected = _ARRAYS | (_FILL if values.get("missing") == "median" else {})
        if "words" in values:
            sizes["terms"] = _count_terms(values["words"], [column["name"] for column in values["columns"]])
            expected |= _IDF
        check_arrays(arrays, expected, sizes)
        return
    running = values["running"]
    check_values(running, _RUNNING)
    _check_kinds(values)
    found = _pairs(running["kinds"])
    if not set(found.values()) <= {"number", "category", "text"}:
        raise DataError("a column of the encoder is neither numbers nor categories nor text")
    for name, grams in running["text"].items():
        check_values({name: tuple(grams) if isinstance(grams, list) else grams}, {name: _GRAMS})
        if not isinstance(name, str) or grams[1] > grams[2]:
            raise DataError(f"the text column {name!r:.40} is read in runs of {grams[1]} to {grams[2]}")
    if any(kind == "text" and name not in running["text"] for name, kind in found.items()):
        raise DataError("the encoder does not say how a text column is read")
    if not all(isinstance(name, str) for name in running["names"]):
        raise DataError("a name of a hashed feature is not text")
    sizes |= {
        "hashed": 1 << running["bits"],
        "names": len(running["names"]),
        "running numbers": sum(kind == "number" for kind in found.values()),
    }
    check_arrays(arrays, _ARRAYS | _RUNNING_ARRAYS, sizes)
    count, _, squares = arrays["running/moments"].T
    if (count < 0).any() or (count > MOST).any() or (squares < 0).any():
        raise DataError("the encoder counts fewer than no rows, or squares below 0")
    if (np.abs(arrays["running/signs"]) != 1).any() or len(np.unique(arrays["running/named"])) < sizes["names"]:
        raise DataError("a hashed feature has a sign other than 1 and -1, or two names")


def _check_distinct(texts: list[Any], what: str) -> None:
    """Raise DataError unless these are distinct text."""
    if not all(isinstance(text, str) for text in texts) or len(set(texts)) < len(texts):
        raise DataError(f"{what} are not distinct text")


def _check_kinds(values: dict[str, Any]) -> None:
    """Raise DataError unless the features are made of the columns in the way that their kinds say."""
    running = values.get("running")
    there = {column["name"] for column in values["columns"]} | set(_pairs(running["kinds"]) if running else ())
    words = set(values.get("words", {})) | set(running["text"] if running else ())
    for name, kind in values.get("kinds", {}).items():
        parts = set(parts_of(name, kind)) if is_date(kind) else set()
        expected = parts or ({name} if kind != SKIP else set())
        found = ({name, *parts}) & (there | words)
        if found != expected or (is_words(kind) != (name in words)):
            open_column = running is not None and not found
            if not open_column:
                raise DataError(f"the column {name!r:.40} of the encoder is {kind}, and its features are not made so")


def _count_terms(words: dict[str, Any], others: list[str]) -> int:
    """How many terms the columns of running text have; an error unless each has distinct ones."""
    for name, found in words.items():
        check_values(found, _WORDS)
        Grams.parse(found["grams"])
        _check_distinct(found["terms"], f"the terms of the column {name!r:.40}")
        if name in others:
            raise DataError("two columns of the encoder have one name")
    return sum(len(found["terms"]) for found in words.values())


def _count_numbers(columns: list[Any]) -> int:
    """How many of these columns hold numbers; an error unless they are distinct columns with distinct levels."""
    for column in columns:
        check_values(column, {"name": ValueSpec("text"), "levels": ValueSpec("list", none=True)})
        if column["levels"] == []:
            raise DataError(f"the column {column['name']!r:.40} has no levels")
        _check_distinct(column["levels"] or [], f"the levels of the column {column['name']!r:.40}")
    if len({column["name"] for column in columns}) < len(columns):
        raise DataError("two columns of the encoder have one name")
    return sum(column["levels"] is None for column in columns)


def _pairs(kinds: list[Any]) -> dict[str, str]:
    """Columns and what they hold; an error unless these are pairs of text."""
    if not all(isinstance(p, list) and len(p) == 2 and all(isinstance(part, str) for part in p) for p in kinds):
        raise DataError("the columns of the encoder are not pairs of name and kind")
    if len({name for name, _ in kinds}) < len(kinds):
        raise DataError("two columns of the encoder have one name")
    return dict(kinds)
