"""One row of a table as a dict: encoded without a table where it holds numbers and categories that are known."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from math import isfinite
from typing import Any

import numpy as np

from linsep.data.features.exact_decimals import WIDE
from linsep.data.features.fitted_columns import Fitted
from linsep.data.features.kinds import CATEGORY, NUMBER
from linsep.data.features.known_columns import KnownColumns
from linsep.data.features.running_moments import LARGEST, RunningTable
from linsep.types import CSR, Array


class RowEncoder:
    """Encodes rows of one fitted `TableEncoder` to the bits of a table of one row.

    `encode` and `learn` return None for a row that needs a table: a value is missing, or of another type than the
    column, or was not there in training, or the column holds dates, amounts or running text.

    Parameters
    ----------
    encoder : fitted TableEncoder
        The encoder; `learn` changes the means and deviations of one of streams.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linsep.data.features.encoder import TableEncoder
    >>> rows = RowEncoder(TableEncoder().fit(pa.table({"a": [1.0, 3.0], "b": ["u", "v"]})))
    >>> rows.encode({"b": "v", "a": 5.0}).tolist(), rows.encode({"a": 5.0, "b": "w"})
    ([3.0, 0.0, 1.0], None)
    """

    def __init__(self, encoder: KnownColumns) -> None:
        self.made = made = encoder.made
        self._is_plain = bool(made.kinds) and {NUMBER, CATEGORY}.issuperset(encoder.kinds_.values())
        self._numbers = made.numbers
        self._categories = [name for name, kind in made.kinds.items() if kind == "category"]
        self._pack = struct.Struct(f"{len(self._numbers)}d").pack_into
        self._ends = np.array([0, len(made.kinds)], np.int32)
        if isinstance(made, RunningTable):
            from linsep.kernels.linear.sums import standardise_row

            self._standardise, self._bits = standardise_row, made.bits
            self._places = np.arange(made.hashed, made.width, dtype=np.int32)
            # Where the entries of numbers, then of categories, stand in a row.
            self._order = np.argsort(np.argsort([kind != "number" for kind in made.kinds.values()], kind="stable"))
            return
        sizes = [1 + (name in made.flagged) if levels is None else len(levels) for name, levels in made.levels.items()]
        first = dict(zip(made.levels, accumulate(sizes, initial=0), strict=False))
        self._n_features = sum(sizes)
        self._is_wide = self._n_features > WIDE * (len(sizes) + len(made.flagged))
        self._places = np.array([first[name] for name in self._numbers], np.int32)
        self._levels = {
            name: {level: first[name] + k for k, level in enumerate(made.levels[name] or ()) if level}
            for name in self._categories
        }

    def encode(self, x: Mapping[str, Any]) -> Any:
        """Return the encoded row, (n_features,) or sparse where rows of tables are; None if it needs a table."""
        if (numbers := self._numbers_of(x)) is None:
            return None
        if isinstance(self.made, Fitted):
            return self._fitted(x, self.made, numbers)
        self._standardise(numbers, self.made.moments, False, numbers)
        return self._hashed(x, numbers)

    def learn(self, x: Mapping[str, Any]) -> Any:
        """As `encode`; of streams, the row first enters means and deviations."""
        made = self.made
        if not isinstance(made, RunningTable):
            return self.encode(x)
        numbers = self._numbers_of(x)
        if numbers is None or max(map(abs, numbers.tolist()), default=0.0) > LARGEST:
            return None
        moments = made.moments.copy()
        self._standardise(numbers, moments, True, numbers)
        row = self._hashed(x, numbers)
        if row is not None:
            self._before, made.moments = made.moments, moments
            for name in self._categories:
                made.keep_category(name, x[name], *_place(name, x[name], self._bits))
        return row

    def unlearn(self) -> None:
        """Take the last row out of means and deviations."""
        if isinstance(self.made, RunningTable):
            self.made.moments = self._before

    def _numbers_of(self, x: Any) -> Array | None:
        """The numbers of a row; None if one is missing or is no number, or the encoder has other columns, too."""
        if type(x) is not dict and not isinstance(x, Mapping):
            return None
        try:
            values = [*map(x.__getitem__, self._numbers)]
            self._pack((numbers := np.empty(len(values))).data, 0, *values)
            return numbers if self._is_plain and isfinite(sum(values)) else None
        except (KeyError, TypeError, ValueError, OverflowError, struct.error):
            return None

    def _fitted(self, x: Mapping[str, Any], fitted: Fitted, numbers: Array) -> Any:
        numbers = (numbers - fitted.mean) / fitted.scale
        if len(numbers) == self._n_features:
            return numbers
        try:
            places = [levels[x[name]] for name, levels in self._levels.items()]
        except (KeyError, TypeError):
            return None
        if not self._is_wide:
            row = np.zeros(self._n_features)
            row[self._places], row[places] = numbers, 1.0
            return row
        data, columns = (
            np.concatenate([numbers, np.ones(len(places))]),
            np.append(self._places, np.array(places, np.int32)),
        )
        order = np.argsort(columns)
        order = order[data[order] != 0]
        return CSR(data[order], columns[order], np.array([0, len(order)], np.int32))

    def _hashed(self, x: Mapping[str, Any], numbers: Array) -> Any:
        if not self._categories:
            return CSR(numbers, self._places, self._ends)
        levels = [x.get(name) for name in self._categories]
        if not all(type(level) is str and level for level in levels):
            return None
        found = [_place(name, level, self._bits) for name, level in zip(self._categories, levels, strict=True)]
        places, signs = zip(*found, strict=True)
        row = CSR(
            np.concatenate([numbers, signs])[self._order],
            np.append(self._places, np.array(places, np.int32))[self._order],
            self._ends,
        )
        return row if len(set(places)) == len(places) else _summed(row)


def _summed(row: CSR) -> CSR:
    """The row with its columns in order, each once, as learners make it of a row of a table."""
    columns, place = np.unique(row.indices, return_inverse=True)
    return CSR(np.bincount(place, row.data, len(columns)), columns, np.array([0, len(columns)], np.int32))


@lru_cache(maxsize=1 << 15)
def _place(name: str, level: str, bits: int) -> tuple[int, float]:
    """The column and the sign that a category is hashed to."""
    from linsep.kernels.text.hashing import hash_names

    raw = np.frombuffer(level.encode(), np.uint8)
    columns, signs = hash_names(f"{name}=", raw, np.array([0, len(raw)], np.int32), bits)
    return int(columns[0]), float(signs[0])
