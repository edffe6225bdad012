"""Rows kept aside: which ones, encoded by an encoder that has not seen them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.data.features.dates import DATE, is_date, read_dates
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import points_in_time
from linsep.data.sources.source import Source
from linsep.types import Array, Chunk, DataError


class HoldOut(NamedTuple):
    """Which rows are kept aside: a share of them, drawn with seed 0, or all from a date on.

    With `groups` (n_rows,) all rows of a group are on one side. `after` is "DATE" or "COLUMN=DATE".
    """

    fraction: float = 0.0
    groups: Array | None = None
    after: str | None = None

    def __bool__(self) -> bool:
        return bool(self.fraction or self.after)


class Aside(NamedTuple):
    """Positions of the rows to learn from and of those kept aside, both encoded without a look at the latter."""

    train: Array
    test: Array
    X_train: Any
    X_test: Any
    told: str


def check_asked(fraction: float, group: str | None, after: str | None) -> None:
    """Raise DataError for ways to hold rows out that do not go together."""
    if after is not None and (fraction or group is not None):
        raise DataError("--after already says which rows are held out: leave out --holdout and --group")
    if group is not None and not fraction:
        raise DataError("--group says how --holdout splits the rows: give --holdout 0.2 too")


def held_out_split(n: int, fraction: float) -> tuple[Array, Array]:
    """Positions to train on, in order, and at least one to test on, drawn with seed 0."""
    order = np.random.RandomState(0).permutation(n)
    n_test = max(1, round(fraction * n))
    return np.sort(order[n_test:]), order[:n_test]


def split_by_group(groups: Array, fraction: float) -> tuple[Array, Array]:
    """As `held_out_split`, by whole groups: as many, in random order, as reach the fraction; one at least stays.

    Examples
    --------
    >>> train, test = split_by_group(np.array(["a", "a", "b", "b", "c"]), 0.4)
    >>> set(np.array(list("aabbc"))[train]) & set(np.array(list("aabbc"))[test])
    set()
    """
    names, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise DataError("all rows are of one group: no group can be held out (--group)")
    order = np.random.RandomState(0).permutation(len(names))
    enough = int(np.searchsorted(np.cumsum(sizes[order]), fraction * len(groups)))
    held = np.zeros(len(names), dtype=np.bool_)
    held[order[: min(enough + 1, len(names) - 1)]] = True
    return np.flatnonzero(~held[codes]), np.flatnonzero(held[codes])


def split_by_date(chunk: TableChunk, kinds: dict[str, str], after: str) -> tuple[Array, Array, str]:
    """The rows before a date and those from it on, and the column; rows without a date are before it."""
    column, _, date = after.rpartition("=")
    dated = [name for name, kind in kinds.items() if is_date(kind)]
    column = dated[0] if not column and len(dated) == 1 else column
    if column not in dated:
        there = f"there are {', '.join(map(repr, dated))}" if dated else "there is none"
        raise DataError(f"--after takes COLUMN=DATE, and {column!r:.80} is no column of dates: {there}")
    read = read_dates(pa.array([date]), DATE)
    if isinstance(read, int) or read[1].any():
        raise DataError(f"--after: {date!r:.80} is no date like 2024-02-29")
    points, missing = points_in_time(chunk, column, kinds[column])
    late = (points >= read[0][0]) & ~missing
    if late.all() or not late.any():
        raise DataError(f"--after: {'all' if late.all() else 'no'} rows are of {date} or later in column {column!r}")
    return np.flatnonzero(~late), np.flatnonzero(late), column


def set_aside(chunk: TableChunk | Chunk, encoder: TableEncoder, name: str, how: HoldOut) -> Aside:
    """Split the rows, and encode them with an encoder that is fitted without those kept aside.

    `encoder` is fitted to all rows: what it found the columns to hold is taken over.

    Raises
    ------
    DataError
        The rows cannot be split so.
    """
    told = ""
    if how.after is not None:
        if not isinstance(chunk, TableChunk):
            raise DataError("--after needs a column of dates, and these rows have no named columns")
        train, test, column = split_by_date(chunk, encoder.kinds_, how.after)
        told = f", those of {how.after.rpartition('=')[2]} or later by {column!r}"
    elif how.groups is not None:
        train, test = split_by_group(how.groups, how.fraction)
        told = f", {len(np.unique(how.groups[test])):,} of {len(np.unique(how.groups)):,} groups"
    else:
        train, test = held_out_split(chunk.n_rows, how.fraction)
    if not train.size:
        check_hold_out(lambda _: set(), train, chunk.n_rows)
    test = np.sort(test) if isinstance(chunk, TableChunk) else test
    other, of_train, of_test = encoder.alike(), chunk.take(train), chunk.take(test)
    other.fit_chunk(of_train, name)
    return Aside(train, test, other.encode_chunk(of_train), other.encode_chunk(of_test), told)


def groups_of(source: Source, name: str) -> Array:
    """The groups of the rows, from a column that is no feature from then on."""
    groups = source.take_column(name).as_categories  # rows without one are a group of their own
    return np.asarray(groups.to_pylist(), dtype=np.str_)


def check_hold_out(labels_of: Callable[[Array], set[Any]], train: Array, n: int) -> None:
    """Raise DataError unless what is not held out has two labels to learn; asked before the training."""
    if len(labels_of(train)) < 2:
        raise DataError(
            f"holding out {n - len(train):,} of {n:,} leaves fewer than two labels to learn from: hold out less "
            "(--holdout)"
        )
