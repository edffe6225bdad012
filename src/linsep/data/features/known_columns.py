"""What a `TableEncoder` knows of the columns: their kinds, the features made of them, and all of it as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Self

import numpy as np

from linsep.data.amounts import is_amount
from linsep.data.features.dates import is_date, parts_of
from linsep.data.features.encoder_state import check_encoder
from linsep.data.features.exact_decimals import row_names
from linsep.data.features.fitted_columns import Fitted
from linsep.data.features.kinds import is_words
from linsep.data.features.missing import Missing, told_new
from linsep.data.features.running_moments import RunningTable
from linsep.types import Array


class KnownColumns:
    """The attributes of a `TableEncoder`, where they are explained."""

    bits: int
    columns: Mapping[str, str] | None
    open_columns: bool
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
    def _met(self) -> Collection[str]:
        """The columns that a stream has had, if later rows may not lack them."""
        return () if self._running is None or self.open_columns else self._running.kinds

    @property
    def _text(self) -> dict[str, str]:
        """The columns of running text, and what is made of each."""
        return {name: kind for name, kind in self.kinds_.items() if is_words(kind)}

    @property
    def _made(self) -> Fitted | RunningTable:
        """The features of a table, read whole or in a stream."""
        return self._fitted if self._running is None else self._running

    @property
    def kinds_of_parts(self) -> dict[str, str]:
        """What the columns, dates in parts, hold: "number", "category" or "text"."""
        return self._made.kinds

    @property
    def text_columns(self) -> list[str]:
        """Columns that hold categories, dates, text or numbers with a unit: their cells are read as text."""
        dates = {name: kind for name, kind in self.kinds_.items() if is_date(kind)}
        parts = {part for name, kind in dates.items() for part in parts_of(name, kind)}
        found = [name for name, kind in self._made.kinds.items() if kind != "number" and name not in parts]
        return found + list(dates) + self.amount_columns

    def told_missing(self) -> list[str]:
        """What to say of the missing values of the last rows that were predicted."""
        return told_new(self.new_missing_, self.number_columns)

    @property
    def amount_columns(self) -> list[str]:
        """Columns that hold numbers with a unit."""
        return [name for name, kind in self.kinds_.items() if is_amount(kind)]

    @property
    def number_columns(self) -> list[str]:
        """Columns that hold numbers, and the elapsed time of dates."""
        return self._made.numbers

    @property
    def column_names(self) -> list[str] | None:
        """The columns that it was fitted to, in their order; None for rows of numbers, which have no names.

        Running text comes after the others.
        """
        if self._kind == "rows":
            return None
        whole = {part: name for name, kind in self.kinds_.items() if is_date(kind) for part in parts_of(name, kind)}
        return list(dict.fromkeys(whole.get(name, name) for name in self._made.kinds))

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
        return self._made.feature_names()

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
            **fitted,
            "first_index": self._first_index,
        }
        asked = {"kinds": self.kinds_, "missing": self.missing, "na": sorted(self.na_)}
        meta |= {name: known for name, known in (asked | {"decimal": self.decimal_}).items() if known}
        if self.missing_:
            meta["had_missing"] = sorted(self.missing_)
        if self._running is not None:
            meta["running"], running = self._running.state()
            arrays |= {f"running/{name}": array for name, array in running.items()}
        return meta, arrays

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Take back what `state` gave."""
        check_encoder(meta, arrays)
        encoder = cls()
        encoder._kind, encoder.target = meta["kind"], meta["target"]
        encoder._first_index = meta["first_index"]
        encoder.missing, encoder.na_ = meta.get("missing"), frozenset(meta.get("na", ()))
        encoder.decimal_ = meta.get("decimal")
        encoder.missing_ = dict.fromkeys(meta.get("had_missing", ()), 0)
        encoder.kinds_ = dict(meta.get("kinds", {}))
        flagged = encoder.missing_ if encoder.way == "indicator" else ()
        encoder._fitted = Fitted.from_state(meta, arrays, flagged)
        if "running" in meta:
            running = {name.removeprefix("running/"): a for name, a in arrays.items() if name.startswith("running/")}
            encoder._running = RunningTable.from_state(meta["running"], running)
            encoder.bits, encoder.open_columns = encoder._running.bits, encoder._running.is_open
            encoder.kinds_ = {name: grams.spec for name, grams in encoder._running.text.items()} | encoder.kinds_
        encoder.columns = dict(encoder.kinds_) or None
        return encoder
