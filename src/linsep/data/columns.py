"""A table as read: named columns of numbers or text, and where each row stands for messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.distinct import decoded, taken
from linsep.markup import listed
from linsep.types import Array, DataError


@dataclass(frozen=True)
class Column:
    """One column: numbers in `values` (float64), or categories in `text`.

    `stored` are the numbers as they are kept: doubles, or whole numbers in fewer bytes, of which `values` makes doubles
    anew for each who asks. None for categories.
    A column of numbers has `text` too where its numbers were read from text: with points, whatever the decimal mark.
    `raw` is the text as it was read: dictionary-encoded where each text is kept once (`distinct` asks it best), and
    made into the array `text` only for who needs that.
    `decimal` is the decimal mark of categories that may be numbers. `missing` says in which rows the cell is empty,
    None if in none: a number there is 0, a text "". `is_date` says that the source keeps dates or times, which are ISO
    text here, and `is_finer` that some of them are finer than the microseconds of this text. `sign` is the % or the
    currency of the amounts that the numbers are.
    """

    name: str
    stored: Any  # an array, or None
    raw: Any  # an array of Arrow, or None
    decimal: str = "."
    missing: Array | None = None
    is_date: bool = False
    is_finer: bool = False
    sign: str = ""

    @property
    def is_number(self) -> bool:
        return self.stored is not None

    @property
    def values(self) -> Any:
        """The numbers as doubles."""
        return None if self.stored is None else self.stored.astype(np.float64, copy=False)

    @cached_property
    def text(self) -> Any:
        """The cells as an array of strings."""
        return None if self.raw is None else decoded(self.raw)

    @property
    def as_categories(self) -> Any:
        """The cells as text, those of numbers as names of categories; "" for one that is missing."""
        text = as_text(self.stored) if self.text is None else self.text
        return text if self.missing is None else pc.if_else(pa.array(self.missing), "", text)

    def objects(self, *, as_text: bool = False) -> Array:
        """The cells one by one, numbers unless they are wanted as they are written; None where one is missing."""
        held = self.values if self.is_number and not as_text else self.text.to_pylist()
        cells = np.array(held, dtype=object)
        if self.missing is not None:
            cells[self.missing] = None
        return cells

    @cached_property
    def are_whole(self) -> bool:
        """Whether all numbers are whole."""
        stored = self.stored
        return stored is not None and (stored.dtype.kind == "i" or bool((stored == np.floor(stored)).all()))

    @cached_property
    def numbers(self) -> Array:
        """The distinct numbers of the cells that are there, in order."""
        there = self.stored if self.missing is None else self.stored[~self.missing]
        return np.unique(there).astype(np.float64, copy=False)


@dataclass(frozen=True)
class TableChunk:
    """Some rows of a table.

    A column is parsed on first access, so a column that nobody uses raises no error. `cells` gives columns with missing
    values; `column` and `columns` refuse missing numbers.

    Attributes
    ----------
    names : list of str
        Names of the feature columns.
    y : ndarray, shape (n_rows,), or None
        The labels.
    start : int
        Position of the first row in its source, from 0.
    n_rows : int
        The number of rows.
    where : callable
        `where(row)` says in which file and line a row stands.
    parse : callable
        `parse(name)` reads a column.
    keyed : bool
        Whether rows may lack a column without a cell for it, as lines of JSON may.
    unlabelled : ndarray or None
        Positions, among all rows that were read, of those that were left out because they have no label.
    as_text : frozenset of str
        Columns that were asked to be read as text (`categorical` of `open_data`).
    label : str or None
        The column of the labels.
    rest : TableChunk or None
        The rows that were left out because they have no label, where they are kept to be predicted.
    columns : list of Column
        The feature columns, parsed.
    """

    names: list[str]
    y: Array | None
    start: int
    n_rows: int
    where: Callable[[int], str] = field(repr=False)
    parse: Callable[[str], Column] = field(repr=False)
    keyed: bool = False
    unlabelled: Array | None = None
    as_text: frozenset[str] = frozenset()
    label: str | None = None
    rest: TableChunk | None = None
    _parsed: dict[str, Column] = field(default_factory=dict, repr=False)

    @property
    def n_read(self) -> int:
        """The number of rows, with those that were left out because they have no label."""
        return self.n_rows + (0 if self.unlabelled is None else len(self.unlabelled))

    @property
    def columns(self) -> list[Column]:
        return [self._column(name) for name in self.names]

    def column(self, name: str) -> Column | None:
        """Parse one column.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        Column or None
            The column; None if there is no feature column of that name.

        Raises
        ------
        DataError
            A cell cannot be read, or a number is missing.
        """
        return self._column(name) if name in self._known else None

    def cells(self, name: str) -> Column:
        """Parse one column, which may have missing values.

        Parameters
        ----------
        name : str
            Its name, one of `names`.

        Returns
        -------
        Column
            The column.

        Raises
        ------
        DataError
            A cell cannot be read.
        """
        if name not in self._parsed:
            self._parsed[name] = self.parse(name)
        return self._parsed[name]

    def refuse_missing(
        self, name: str, *, text: bool = False, advice: str = "fill or drop missing values first"
    ) -> None:
        """Raise DataError if a number of a column is missing, with `text` also if a text is.

        Parameters
        ----------
        name : str
            Its name.
        text : bool, default=False
            Whether an empty text is refused too.
        advice : str
            What to do, for the message.
        """
        column = self.cells(name)
        if column.missing is None or not (text or column.is_number):
            return
        row = int(np.flatnonzero(column.missing)[0])
        said = "the value is missing"
        if column.is_number and column.text is not None:
            said = f"{column.text[row].as_py()!r:.80} where the column holds numbers"
        raise DataError(f"{self.where(row)}, column {name!r}: {said}; {advice}")

    def take(self, rows: Array) -> TableChunk:
        """Return some of the rows.

        Parameters
        ----------
        rows : ndarray of int, or of bool of shape (n_rows,)
            Their positions, or which ones.

        Returns
        -------
        TableChunk
            The rows, each with its own place.
        """
        numbers = np.flatnonzero(rows) if rows.dtype == bool else rows

        def parse(name: str) -> Column:
            column = self.cells(name)
            stored, missing = (None if one is None else one[numbers] for one in (column.stored, column.missing))
            raw = None if column.raw is None else taken(column.raw, numbers)
            missing = missing if missing is not None and missing.any() else None
            return replace(column, stored=stored, raw=raw, missing=missing)

        y = None if self.y is None else self.y[numbers]

        def where(row: int) -> str:
            return self.where(int(numbers[row]))

        return TableChunk(self.names, y, self.start, len(numbers), where, parse, self.keyed, label=self.label)

    def lacks(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that no feature column has.

        Parameters
        ----------
        names : iterable of str
            Names to look for.

        Returns
        -------
        list of str
            The names that are not there, in their order.

        Examples
        --------
        >>> from linsep import open_data
        >>> len(open_data(b"a,b\\n1,x\\n").read().lacks(["a", "c"]))
        1
        """
        return [name for name in names if name not in self._known]

    def with_columns(self, names: Sequence[str]) -> TableChunk:
        """Return the rows with these columns, too; those that no row has are missing in all.

        Parameters
        ----------
        names : sequence of str
            Columns that rows of JSON lines may lack.

        Returns
        -------
        TableChunk
            The same rows.
        """
        absent = self.lacks(names)
        if not absent:
            return self

        def parse(name: str) -> Column:
            if name in self._known:
                return self.cells(name)
            everywhere = np.ones(self.n_rows, dtype=np.bool_)
            return Column(name, None, pa.array([""] * self.n_rows, pa.string()), missing=everywhere)

        return replace(self, names=[*self.names, *absent], parse=parse, _parsed={})

    def place(self, row: int) -> str:
        """Say where a row stands, for messages.

        Parameters
        ----------
        row : int
            Its position in the chunk.

        Returns
        -------
        str
            File and line.
        """
        return self.where(row)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.names)

    def _column(self, name: str) -> Column:
        self.refuse_missing(name)
        return self.cells(name)


def in_fewest_bytes(whole: Array) -> Array:
    """Whole numbers as the shortest signed integers that hold them; as doubles where 32 bits are too few.

    Examples
    --------
    >>> [in_fewest_bytes(np.array([0, top])).dtype.name for top in (127, 128, 2**31)]
    ['int8', 'int16', 'float64']
    """
    low, high = int(whole.min(initial=0)), int(whole.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return whole.astype(kind, copy=False)
    return whole.astype(np.float64)


def as_text(values: Any) -> Any:
    """Return numbers as names of categories: "2" for 2.0, "0.5" for 0.5."""
    distinct, codes = np.unique(np.asarray(values), return_inverse=True)
    written = [str(int(v)) if float(v).is_integer() else repr(float(v)) for v in distinct]
    return pa.array(written, pa.string()).take(pa.array(codes))


def label_names(y: Array) -> Array:
    """Labels as people write them: True, 2 (also for 2.0), red.

    Examples
    --------
    >>> label_names(np.array([2.0, 0.5])).tolist()
    ['2', '0.5']
    """
    if y.dtype.kind not in "iuf":
        return y.astype(np.str_)
    return np.array(as_text(y).to_pylist(), dtype=np.str_)


def take_target(names: list[str], target: str | None) -> None:
    """Raise DataError unless the target is one of the columns, and there is a feature beside it."""
    if target is not None and target not in names:
        raise DataError(f"no column called {target!r}; {like(target, names)}")
    if not [n for n in names if n != target]:
        raise DataError(f"no feature columns: the only column is {names[0]!r}")


def like(name: str, names: Sequence[str]) -> str:
    """What a name that is none of these may have meant.

    Examples
    --------
    >>> like("chruned", ["age", "churned"]), like("z", ["a", "b"])
    ("did you mean 'churned'?", "there are 'a', 'b'")
    """
    close = get_close_matches(name, names, n=3)
    shown = listed([f"{one!r:.60}" for one in close or names], 8)
    return f"did you mean {shown}?" if close else f"there are {shown}"


def check_names(names: list[str], source: str) -> None:
    """Raise DataError if two columns have the same name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{source}: two columns are called {twice!r}; rename one")


def shown(label: Any) -> str:
    """A label in a message: at most 80 characters of one line."""
    text = str(label)
    return text if text.isprintable() and len(text) <= 80 else f"{text!r:.80}"
