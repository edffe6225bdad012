"""What a `TableEncoder` knows of the columns: their kinds, the features made of them, and all of it as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from linsep.data.features.dates import is_date, parts_of
from linsep.data.features.exact_decimals import row_names
from linsep.data.features.fitted_columns import Fitted
from linsep.data.features.kinds import SKIP, check_kind, is_words
from linsep.data.features.missing import WAYS, Missing, told_new
from linsep.data.features.running_moments import RunningTable
from linsep.data.features.words import Grams
from linsep.data.numbers import is_amount
from linsep.declared import MOST, ArraySpec, ValueSpec, check_arrays, check_values
from linsep.types import Array, DataError


class KnownColumns:
    """The attributes of a `TableEncoder`, where they are explained."""

    bits: int
    columns: Mapping[str, str] | None
    missing: Missing | None

    def __init__(self) -> None:
        self._running: RunningTable | None = None
        self.target: str | None = None
        self.na_: frozenset[str] = frozenset()
        self.decimal_: str | None = None
        self.unknown_: dict[str, int] = {}
        self.first_unknown_: dict[str, dict[str, str]] = {}
        self.ignored_ = 0
        self.missing_: dict[str, int] = {}
        self.new_missing_: dict[str, int] = {}
        self.kinds_: dict[str, str] = {}
        self.left_out_: dict[str, str] = {}
        self.doubts_: list[str] = []
        self._kind = "table"
        # The index that svmlight text gives to the first matrix column; None for arrays.
        self._first_index: int | None = None
        self._fitted = Fitted({}, np.empty(0), np.empty(0), np.empty(0))

    @property
    def way(self) -> Missing:
        """What becomes of missing values: `missing`, or what stands for None."""
        return self.missing or ("indicator" if self._running is None else "mean")

    @property
    def _text(self) -> dict[str, str]:
        """The columns of running text, and what is made of each."""
        return {name: kind for name, kind in self.kinds_.items() if is_words(kind)}

    @property
    def made(self) -> Fitted | RunningTable:
        """The features of a table, read whole or in a stream."""
        return self._fitted if self._running is None else self._running

    @property
    def text_columns(self) -> list[str]:
        """Columns that hold categories, dates, text or numbers with a unit: their cells are read as text."""
        dates = {name: kind for name, kind in self.kinds_.items() if is_date(kind)}
        parts = {part for name, kind in dates.items() for part in parts_of(name, kind)}
        found = [name for name, kind in self.made.kinds.items() if kind != "number" and name not in parts]
        return found + list(dates) + self.amount_columns

    def told_missing(self) -> list[str]:
        """What to say of the missing values of the last rows that were predicted."""
        return told_new(self.new_missing_, self.made.numbers, self._fitted.levels)

    @property
    def amount_columns(self) -> list[str]:
        """Columns that hold numbers with a unit."""
        return [name for name, kind in self.kinds_.items() if is_amount(kind)]

    @property
    def column_names(self) -> list[str] | None:
        """The columns that it was fitted to, in their order; None for rows of numbers, which have no names.

        Running text comes after the others.
        """
        if self._kind == "rows":
            return None
        whole = {part: name for name, kind in self.kinds_.items() if is_date(kind) for part in parts_of(name, kind)}
        return list(dict.fromkeys(whole.get(name, name) for name in self.made.kinds))

    @property
    def is_running(self) -> bool:
        """Whether it is the encoder of a table in a stream, made by `partial_fit`."""
        return self._running is not None

    @property
    def width(self) -> int:
        """How many features a row has."""
        if self._kind == "rows":
            return len(self._fitted.scale)
        return len(self.feature_names_) if self._running is None else self._running.width

    @property
    def feature_names_(self) -> list[str]:
        if self._kind == "rows":
            return row_names(len(self._fitted.scale), self._first_index)
        return self.made.feature_names()

    @property
    def feature_signs_(self) -> Array:
        """-1 where a hashed feature counts with its sign turned, 1 elsewhere."""
        return np.ones(len(self.feature_names_)) if self._running is None else self._running.signs()

    # ------------------------------------------------------------------ state
    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return all that was learnt as a JSON-able part and an array part."""
        fitted, arrays = self._fitted.state(fill=self.missing == "median" and self._running is None)
        meta: dict[str, Any] = {
            "kind": self._kind,
            "target": self.target,
            "first_index": self._first_index,
            "kinds": self.kinds_,
            "missing": self.missing,
            "had_missing": sorted(self.missing_),
            "na": sorted(self.na_),
            "decimal": self.decimal_,
            **fitted,
            "running": None,
        }
        if self._running is not None:
            meta["running"], running = self._running.state()
            arrays |= {f"running/{name}": array for name, array in running.items()}
        return meta, arrays

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Take back what `state` gave."""
        check_encoder(meta, arrays)
        encoder = cls()
        encoder._kind, encoder.target, encoder._first_index = meta["kind"], meta["target"], meta["first_index"]
        encoder.kinds_, encoder.missing, encoder.decimal_ = dict(meta["kinds"]), meta["missing"], meta["decimal"]
        encoder.na_, encoder.missing_ = frozenset(meta["na"]), dict.fromkeys(meta["had_missing"], 0)
        encoder._fitted = Fitted.from_state(meta, arrays, encoder.missing_ if encoder.way == "indicator" else ())
        if meta["running"] is not None:
            running = {name.removeprefix("running/"): a for name, a in arrays.items() if name.startswith("running/")}
            flags = encoder.missing == "indicator"
            encoder._running = RunningTable.from_state(meta["running"], running, encoder._text, flags=flags)
            encoder.bits = encoder._running.bits
        encoder.columns = dict(encoder.kinds_) or None
        return encoder


# ------------------------------------------------------------------------ what a state must be
_LEAST_SCALE = 5e-324  # above 0: numbers are divided by it
_LIST = ValueSpec("list")
_VALUES = {
    "kind": ValueSpec("choice", choices=("table", "rows")),
    "target": ValueSpec("text", none=True),
    "first_index": ValueSpec(most=1, none=True),
    "kinds": ValueSpec("dict"),
    "missing": ValueSpec("choice", choices=WAYS, none=True),
    "had_missing": _LIST,
    "na": _LIST,
    "decimal": ValueSpec("choice", choices=(",",), none=True),
    "columns": _LIST,
    "words": ValueSpec("dict"),
    "running": ValueSpec("dict", none=True),
}
_COLUMN = {"name": ValueSpec("text"), "levels": ValueSpec("list", none=True)}
_WORDS = {"grams": ValueSpec("text"), "terms": _LIST}
_RUNNING = {
    "bits": ValueSpec(least=8, most=28),
    "open": ValueSpec("flag", needed=False),  # of older files: whether columns could join
    "kinds": ValueSpec("dict"),
    "names": _LIST,
}
_ARRAYS = {
    "mean": ArraySpec(("numbers",), "float64", bounded=False),
    "scale": ArraySpec(("numbers",), "float64", least=_LEAST_SCALE, bounded=False),
    "idf": ArraySpec(("terms",), "float64", least=0),
}
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
    running, words = values["running"], values["words"]
    for column in values["columns"]:
        check_values(column, _COLUMN)
        if column["levels"] == []:
            raise DataError(f"the column {column['name']!r:.40} has no levels")
        _check_distinct(column["levels"] or [], f"the levels of the column {column['name']!r:.40}")
    for name, found in words.items():
        check_values(found, _WORDS)
        Grams.parse(found["grams"])
        _check_distinct(found["terms"], f"the terms of the column {name!r:.40}")
    _check_distinct([column["name"] for column in values["columns"]] + [*words], "the columns of the encoder")
    _check_distinct(values["had_missing"], "the columns of the encoder that had missing values")
    for name, kind in values["kinds"].items():
        if not isinstance(kind, str) or check_kind(name, kind) != kind:
            raise DataError(f"the column {name!r:.40} of the encoder is of no kind that there is")
    sizes = {"terms": sum(len(found["terms"]) for found in words.values())}
    if values["kind"] == "table":
        sizes["numbers"] = sum(column["levels"] is None for column in values["columns"])
    if running is None:
        _check_kinds(values["kinds"], {column["name"] for column in values["columns"]}, {*words})
        check_arrays(arrays, _ARRAYS | (_FILL if values["missing"] == "median" else {}), sizes)
        return
    check_values(running, _RUNNING)
    kinds = running["kinds"]
    if running.get("open"):
        raise DataError("the encoder was made for columns that join later, which this version does not know")
    if not {"number", "category", "text"}.issuperset(map(str, kinds.values())):
        raise DataError("a column of the encoder is neither numbers nor categories nor text")
    texts = {name for name, kind in kinds.items() if kind == "text"}
    _check_kinds(values["kinds"], {*kinds}, texts)
    if not all(is_words(values["kinds"].get(name, "")) for name in texts):
        raise DataError("the encoder does not say how a text column is read")
    if not all(isinstance(name, str) for name in running["names"]):
        raise DataError("a name of a hashed feature is not text")
    sizes |= {
        "hashed": 1 << running["bits"],
        "names": len(running["names"]),
        "running numbers": sum(kind == "number" for kind in kinds.values()),
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


def _check_kinds(kinds: dict[str, str], there: set[str], words: set[str]) -> None:
    """Raise DataError unless the features are made of the columns as their kinds say."""
    for name, kind in kinds.items():
        parts = set(parts_of(name, kind)) if is_date(kind) else set()
        found = ({name, *parts}) & (there | words)
        if found != (parts or ({name} if kind != SKIP else set())) or is_words(kind) != (name in words):
            raise DataError(f"the column {name!r:.40} of the encoder is {kind}, and its features are not made so")
