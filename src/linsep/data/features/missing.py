"""What becomes of missing values: the five ways, what each is called, and what is said of the cells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

import numpy as np

from linsep.data.cells import MISSING
from linsep.data.columns import TableChunk
from linsep.markup import count, listed
from linsep.types import Array, DataError

Missing = Literal["drop", "mean", "median", "indicator", "error"]
WAYS: tuple[Missing, ...] = ("drop", "mean", "median", "indicator", "error")
LEAVE_OUT = '--missing drop (missing="drop") leaves such rows out'
IN_PROOFS = ("drop", "error")  # a proof is about numbers that are there
_SAID_OF = {
    "number": "",
    "category": "a missing category is its own category",
    "text": "a missing text has no words",
}
_SAID = {
    "drop": "rows with a missing value are left out",
    "mean": "a missing number is replaced by the mean",
    "median": "a missing number is replaced by the median",
    "indicator": "a missing number is replaced by the mean, and an extra 0/1 column marks it",
}


def check_way(missing: str | None, *, stream: bool = False) -> None:
    """Raise DataError unless missing values can be treated in this way; None is the default.

    Examples
    --------
    >>> check_way("median", stream=True)
    Traceback (most recent call last):
    linsep.types.DataError: the median of a stream is not known before its end: use missing="mean", "indicator" or
    "drop" (--missing), or read the table whole (--no-stream)
    """
    if missing is not None and missing not in WAYS:
        raise DataError(f"missing (--missing) is one of {', '.join(WAYS)}, not {missing!r}")
    if stream and missing == "median":
        raise DataError(
            'the median of a stream is not known before its end: use missing="mean", "indicator" or "drop" '
            "(--missing), or read the table whole (--no-stream)"
        )


def _lacking(chunk: TableChunk) -> Iterator[tuple[str, Array]]:
    """The columns with missing values, and which rows lack them."""
    return ((column.name, column.missing) for column in map(chunk.cells, chunk.names) if column.missing is not None)


def rows_to_learn(chunk: TableChunk, missing: str | None) -> Array | None:
    """Which rows are learnt from: with "drop" those without a missing value; None for all.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows_to_learn(open_data(b"a,b\\n1,x\\n,y\\n").read(), "drop").tolist()
    [True, False]
    """
    if missing != "drop":
        return None
    complete = np.ones(chunk.n_rows, dtype=np.bool_)
    for _, gone in _lacking(chunk):
        complete &= ~gone
    return None if complete.all() else complete


def count_missing(chunk: TableChunk, counts: dict[str, int]) -> None:
    """Add the number of missing cells of each column to `counts`.

    Examples
    --------
    >>> from linsep import open_data
    >>> counts = {"a": 2}
    >>> count_missing(open_data(b"a,b\\n1,x\\n,y\\n3,\\n").read(), counts)
    >>> counts
    {'a': 3, 'b': 1}
    """
    for name, gone in _lacking(chunk):
        counts[name] = counts.get(name, 0) + int(gone.sum())


def refuse_missing(chunk: TableChunk, missing: str | None) -> None:
    """Raise DataError for a missing value, if that is asked for with "error".

    Examples
    --------
    >>> from linsep import open_data
    >>> refuse_missing(open_data(b"a,b\\n1,x\\n,y\\n").read(), "error")
    Traceback (most recent call last):
    linsep.types.DataError: buffer:3, column 'a': '' where the column holds numbers; fill or drop missing values first
    """
    if missing == "error":
        for name in chunk.names:
            chunk.refuse_missing(name, text=True)


def rows_to_prove(chunk: TableChunk, missing: str | None, advice: str, name: str) -> Array | None:
    """Which rows a proof is about: with "drop" the complete ones; None for all.

    Raises
    ------
    DataError
        `missing` is no way of proofs; a value is missing (of a category only with "error"), or one in every row.

    Examples
    --------
    >>> from linsep import open_data
    >>> chunk = open_data(b"a,b\\n1,x\\n,y\\n").read()
    >>> rows_to_prove(chunk, "drop", "", "t.csv").tolist()
    [True, False]
    >>> rows_to_prove(chunk, None, "correct it", "t.csv")
    Traceback (most recent call last):
    linsep.types.DataError: buffer:3, column 'a': '' where the column holds numbers; correct it
    """
    if missing is not None and missing not in IN_PROOFS:
        raise DataError(f"missing (--missing) of a proof is {' or '.join(IN_PROOFS)}, not {missing!r}")
    kept = rows_to_learn(chunk, missing)
    if kept is not None and not kept.any():
        raise none_left(chunk, name)
    if missing != "drop":
        for column in chunk.names:
            chunk.refuse_missing(column, text=missing == "error", advice=advice)
    return kept


def none_left(chunk: TableChunk, name: str) -> DataError:
    """What to say where every row has a missing value, and rows with one are dropped.

    Examples
    --------
    >>> from linsep import open_data
    >>> print(none_left(open_data(b"a,b\\n1,\\n2,\\n").read(), "t.csv"))
    t.csv: every row has a missing value ('b' 2), and none is left: do not drop them, or leave out the columns that have
    most with --column NAME=skip
    """
    counts: dict[str, int] = {}
    count_missing(chunk, counts)
    return DataError(
        f"{name}: every row has a missing value ({_listed(counts)}), and none is left: do not drop them, or leave out "
        "the columns that have most with --column NAME=skip"
    )


def note_missing(
    chunk: TableChunk,
    names: Iterable[str],
    missing: str | None,
    known: Collection[str],
    new: dict[str, int],
    hashed: Collection[str] = (),
) -> None:
    """Look at the missing values of rows to be predicted, in the columns that the model knows by `names`.

    Missing numbers of columns that are not `known` to have had some are counted in `new`, and categories that are
    `hashed`: of others the levels tell.

    Raises
    ------
    DataError
        A value is missing, and the model was trained only on complete rows.

    Examples
    --------
    >>> from linsep import open_data
    >>> new = {}
    >>> note_missing(open_data(b"a,b\\n1,x\\n,y\\n").read(), ["a", "b"], None, (), new)
    >>> new
    {'a': 1}
    """
    for name in names:
        column = chunk.cells(name)
        if column.missing is None:
            continue
        if missing in ("drop", "error"):
            row = int(np.flatnonzero(column.missing)[0])
            raise DataError(
                f"{chunk.where(row)}, column {name!r}: the value is missing, and the model was trained only on "
                f"complete rows (--missing {missing}); train it with --missing indicator"
            )
        if (column.is_number or name in hashed) and name not in known:
            new[name] = new.get(name, 0) + int(column.missing.sum())


def missing_word(levels: Iterable[str]) -> str:
    """A level that other readers take for a missing value, as pandas takes None; "" if there is none.

    Examples
    --------
    >>> missing_word(["", "None", "x"])
    'None'
    """
    return next((level for level in levels if level and re.fullmatch(MISSING, level.lower())), "")


def told_new(
    counts: Mapping[str, int], numbers: Collection[str], levels: Mapping[str, Collection[str] | None]
) -> list[str]:
    """What to say of missing values in rows to be predicted where training had none, of which `note_missing` counted so
    many; `numbers` are the columns of numbers. Or training had some, and another reader made more of a level.

    Examples
    --------
    >>> told_new({"age": 3}, ["age"], {})
    ["column 'age': 3 values are missing, but training had none; the mean is used for them"]
    """
    said = []
    for name, n in counts.items():
        them, are = ("it", "1 value is") if n == 1 else ("them", f"{n:,} values are")
        if "" in (known := levels.get(name) or ()):
            taken = f"no row holds {missing_word(known)!r}, a category in training, which some programs read as missing"
            said.append(f"column {name!r:.80}: {are} missing, and {taken}: read both tables in one way")
            continue
        stead = "the mean is used for" if name in numbers else "no category is used for"
        said.append(f"column {name!r:.80}: {are} missing, but training had none; {stead} {them}")
    return said


def told_dropped(counts: Mapping[str, int], dropped: int, kept: int) -> list[tuple[str, str]]:
    """The line of a proof on rows that have a missing value; none where none was left out.

    Examples
    --------
    >>> told_dropped({"age": 3}, 3, 97)
    [('missing values', "3 rows have one ('age' 3) and are left out: the answer is about the other 97; see --missing")]
    """
    if not dropped:
        return []
    what = f"{count(dropped, 'row')} {'have' if dropped > 1 else 'has'} one ({_listed(counts)}) and "
    what += "are" if dropped > 1 else "is"
    return [("missing values", f"{what} left out: the answer is about the other {kept:,}; see --missing")]


def told(counts: Mapping[str, int], way: str, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    """The line of a receipt on missing values; none where no value is missing.

    `kinds` says of each column whether it holds numbers ("number"), categories ("category") or running text ("text").

    Examples
    --------
    >>> told({"age": 3, "note": 1}, "mean", {"age": "number", "note": "text"})[0][1]
    "4 cells of 2 columns ('age' 3, 'note' 1): a missing number is replaced by the mean; a missing text has no words;
    see --missing"
    """
    if not counts:
        return []
    met = {kinds.get(name, "number") for name in counts}
    said = [sentence for kind, sentence in {**_SAID_OF, "number": _SAID[way]}.items() if kind in met]
    said = [_SAID[way]] if way == "drop" else said
    what = f"{count(sum(counts.values()), 'cell')} of {count(len(counts), 'column')}"
    return [("missing values", f"{what} ({_listed(counts)}): {'; '.join(said)}; see --missing")]


def _listed(counts: Mapping[str, int]) -> str:
    """Columns with their missing cells, most first."""
    some = sorted(counts.items(), key=lambda pair: -pair[1])
    return listed([f"{name!r:.40} {count:,}" for name, count in some], 6)
