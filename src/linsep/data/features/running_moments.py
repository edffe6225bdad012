"""A table in a stream to features: running means and scales, categories and text hashed, the heaviest names kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from linsep.data.columns import Column, TableChunk
from linsep.data.distinct import distinct
from linsep.data.features.words import Grams, hash_words
from linsep.markup import quote
from linsep.tables import place_of, stored
from linsep.types import Array, Chunk, DataError

# Names kept, at most; when there are more, those of the lightest weights go.
MOST_NAMES = 1 << 15


class _Entries(NamedTuple):
    """The entry of each row for one column of a table, and which rows have one (None: all)."""

    values: Array
    columns: Array
    there: Array | None


class RunningTable:
    """Columns of a stream as features: first 2**bits hashed ones (none if all columns are numbers), then the numbers.

    Row t's numbers become (x - m) / s with the mean m and the population standard deviation s of rows 1 to t (1 while
    they are all equal), so what a row becomes does not depend on how the stream is cut into chunks. A category is a
    signed 1 in the column that "column=level" is hashed to.

    A row whose number is missing has no entry for it; with `flags` "column=" is hashed, as for a missing category.
    """

    def __init__(self, bits: int, text: Mapping[str, str], *, flags: bool = False) -> None:
        if not 8 <= bits <= 28:
            raise DataError(f"categories are hashed to 2**bits columns, bits from 8 to 28, not {bits}")
        self.bits, self.flags = bits, flags
        self.text = {name: Grams.parse(spec) for name, spec in text.items()}
        self.kinds: dict[str, str] = {}  # column -> number, category or text
        self.moments = np.zeros((0, 3))  # count, mean, sum of squares about the mean
        self.names: dict[int, tuple[str, float]] = {}
        self._named = np.zeros(1 << bits, dtype=np.bool_)

    @property
    def hashed(self) -> int:
        """How many features are hashed: none where all columns are numbers."""
        numbers_alone = self.kinds and set(self.kinds.values()) == {"number"} and not self.flags
        return 0 if numbers_alone else 1 << self.bits

    @property
    def width(self) -> int:
        """How many features there are."""
        return self.hashed + len(self.moments)

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [name for name, kind in self.kinds.items() if kind == "number"]

    def feature_names(self) -> list[str]:
        """Numbers by name, hashed columns by the name kept for them, else by number."""
        hashed = [f"#{j}" for j in range(self.hashed)]
        for column, (name, _) in self.names.items():
            hashed[column] = name
        return hashed + self.numbers

    def signs(self) -> Array:
        """The sign that each kept name was hashed with; 1 elsewhere."""
        signs = np.ones(self.width)
        for column, (_, sign) in self.names.items():
            signs[column] = sign
        return signs

    # ---------------------------------------------------------------- encoding
    def encode(self, chunk: TableChunk, *, learn: bool) -> Any:
        """Return the rows of a chunk as a CSR matrix; with `learn` each row first updates moments, kinds and names."""
        if learn:
            self._meet(chunk)
        found, wide = [], []
        moments = self.moments.copy()
        hashed = self.hashed
        numbers = {name: hashed + k for k, name in enumerate(self.numbers)}
        for name, kind in self.kinds.items():
            column = chunk.cells(name)
            if kind == "number":
                j = numbers[name]
                columns = np.full(chunk.n_rows, j)
                there = None if column.missing is None else ~column.missing
                found.append(_Entries(_standardise(column.values, there, moments[j - hashed], learn), columns, there))
                if self.flags:
                    found.append(self._flags(name, column, learn))
            elif kind == "category":
                found.append(self._categories(name, column, learn))
            else:
                wide.append(self._words(name, column, learn))
        if learn:
            self.moments = moments
        return sum(wide, start=_as_rows(found, chunk.n_rows, self.width)).tocsr()

    def _meet(self, chunk: TableChunk) -> None:
        """Add the columns that are new; their first rows decide what they hold."""
        before = len(self.numbers)
        for name in chunk.names:
            if name not in self.kinds:
                if self.kinds and chunk.start > 0:
                    raise DataError(f"{chunk.where(0)}: column {name!r} was not there in the rows before; take it out")
                column = chunk.cells(name)
                if chunk.keyed and not column.is_number and column.missing is not None and column.missing.all():
                    raise DataError(
                        f"{chunk.where(0)}, column {name!r}: the first rows hold no value, which leaves open what it "
                        f"holds: use --column {quote(name)}=number or --column {quote(name)}=category (columns=)"
                    )
                kind = "text" if name in self.text else "number" if column.is_number else "category"
                self.kinds[name] = kind
        self.moments = np.concatenate([self.moments, np.zeros((len(self.numbers) - before, 3))])

    def _categories(self, name: str, column: Column, learn: bool) -> _Entries:
        from linsep.kernels.text.hashing import hash_names

        texts, codes = distinct(column.raw)
        levels, offsets = _bytes_of(texts)
        columns, signs = hash_names(f"{name}=", levels, offsets, self.bits)
        if learn:
            for k in np.flatnonzero(~self._named[columns]):
                level = bytes(levels[offsets[k] : offsets[k + 1]]).decode()
                self.keep_category(name, level, int(columns[k]), float(signs[k]))
        return _Entries(signs[codes], columns[codes], None)

    def _flags(self, name: str, column: Column, learn: bool) -> _Entries:
        """The feature that says in which rows a number is missing."""
        missing = np.zeros(len(column.stored), dtype=np.bool_) if column.missing is None else column.missing
        empty = Column(name, None, pa.array([""] * len(missing), pa.string()))
        return self._categories(name, empty, learn and bool(missing.any()))._replace(there=missing)

    def _words(self, name: str, column: Column, learn: bool) -> Any:
        from linsep.kernels.text.hashing import seed_of

        raw, offsets = _bytes_of(pc.utf8_lower(column.text))
        named = self._named if learn else np.ones_like(self._named)
        arrays, new = hash_words(raw, offsets, self.text[name], seed_of(f"{name}:"), self.bits, named)
        for place, sign, a, b in new:
            words = bytes(raw[a:b]).decode(errors="replace")
            self._keep(place, f"{name}:{' '.join(words.split()) or '_'}", sign)
        return scipy.sparse.csr_matrix(arrays, shape=(len(offsets) - 1, self.width))

    # ------------------------------------------------------------------- names
    def keep_category(self, name: str, level: str, column: int, sign: float) -> None:
        """Keep the name of a category that is hashed to a column, unless that has one."""
        if not self._named[column]:
            self._keep(column, f"{name}={level or '(missing)'}", sign)

    def _keep(self, column: int, name: str, sign: float) -> None:
        self._named[column] = True
        self.names[column] = (name, sign)

    def forget_names(self, weight: Array) -> None:
        """Keep the names of the largest |weights|, half as many as fit; `weight` has one entry for each feature."""
        columns = np.array(sorted(self.names))
        keep = columns[np.argsort(-np.abs(weight[columns]), kind="stable")[: MOST_NAMES // 2]]
        self.names = {int(j): self.names[int(j)] for j in np.sort(keep)}
        self._named[:] = False
        self._named[keep] = True

    # ------------------------------------------------------------------- state
    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """All that was learnt, as a JSON-able part and an array part."""
        columns = sorted(self.names)
        names = [self.names[j][0] for j in columns]
        meta = {"bits": self.bits, "kinds": self.kinds, "names": names}
        arrays = {
            "moments": self.moments,
            "named": np.array(columns, dtype=np.int64),
            "signs": np.array([self.names[j][1] for j in columns]),
        }
        return meta, arrays

    @classmethod
    def from_state(
        cls, meta: dict[str, Any], arrays: dict[str, Array], text: Mapping[str, str], *, flags: bool
    ) -> RunningTable:
        """Take back what `state` gave."""
        table = cls(meta["bits"], text, flags=flags)
        table.kinds = dict(meta["kinds"])
        table.moments = arrays["moments"]
        for column, name, sign in zip(arrays["named"].tolist(), meta["names"], arrays["signs"].tolist(), strict=True):
            table._keep(column, name, sign)
        return table


def _bytes_of(text: Any) -> tuple[Array, Array]:
    """The bytes of an Arrow array of strings, and where each string begins and the last one ends."""
    text = pc.cast(text, pa.string())
    _, offsets, raw = text.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)[text.offset : text.offset + len(text) + 1]
    return np.frombuffer(raw, dtype=np.uint8) if raw is not None and raw.size else np.empty(0, np.uint8), bounds


def _standardise(values: Array, there: Array | None, moments: Array, learn: bool) -> Array:
    if there is not None:
        spread = np.zeros(len(there))
        spread[there] = _standardise(values[there], None, moments, learn)
        return spread
    if not learn:  # the same bits, and no kernel is loaded
        count, mean, squares = moments.tolist()
        s = sqrt(squares / count) if count else 0.0
        return np.asarray((values - mean) / (s or 1.0))
    from linsep.kernels.linear.sums import standardise_running

    standardise_running(values, moments, learn, out := np.empty(len(values)))
    return out


def _as_rows(found: list[_Entries], n_rows: int, width: int) -> Any:
    """Sparse rows, the entries of each in the order of the columns."""
    empty = np.empty((n_rows, 0))
    data = np.column_stack([entries.values for entries in found]) if found else empty
    indices = np.column_stack([entries.columns for entries in found]) if found else empty.astype(np.int64)
    if all(entries.there is None for entries in found):
        indptr = np.arange(n_rows + 1) * len(found)
        return scipy.sparse.csr_matrix((data.ravel(), indices.ravel(), indptr), shape=(n_rows, width))
    everywhere = np.ones(n_rows, dtype=np.bool_)
    there = np.column_stack([everywhere if entries.there is None else entries.there for entries in found])
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return scipy.sparse.csr_matrix((data[there], indices[there], indptr), shape=(n_rows, width))


# The squares of a thousand billion such numbers still have a finite sum.
LARGEST = 1e100


def check_size(column: Column, chunk: TableChunk) -> None:
    """Raise DataError for the first number of a column that is too large.

    Examples
    --------
    >>> from linsep import open_data
    >>> chunk = open_data(b"a,y\\n1,p\\n1e200,q\\n", target="y").read()
    >>> check_size(chunk.columns[0], chunk)
    Traceback (most recent call last):
    ...
    linsep.types.DataError: buffer:3, column 'a': 1e+200 is too large to learn from (numbers go up to 1e+100)
    """
    if column.stored is not None:
        _refuse_larger(column.stored, lambda row: f"{chunk.where(row)}, column {column.name!r}")


def check_size_of_entries(chunk: Chunk) -> None:
    """Raise DataError for the first entry of some rows that is too large."""

    def where(entry: int) -> str:
        row, column = place_of(chunk.X, entry)
        return f"{chunk.place(row)}, column {column}"

    _refuse_larger(stored(chunk.X).ravel(), where)


def _refuse_larger(values: Array, where: Callable[[int], str]) -> None:
    """Raise DataError for the first value beyond the limit."""
    if not values.size or (values.max() <= LARGEST and values.min() >= -LARGEST):
        return
    first = int(np.flatnonzero(~(np.abs(values) <= LARGEST))[0])
    raise DataError(f"{where(first)}: {values[first]:g} is too large to learn from (numbers go up to {LARGEST:g})")
