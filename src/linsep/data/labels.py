"""Labels: those of one type, rows without one, which are left out where that is asked for, and those of a stream."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.as_given import labels_of, refuse_missing
from linsep.data.cells import are_missing, are_numbers, read_numbers
from linsep.data.columns import TableChunk, label_names, shown
from linsep.data.distinct import distinct, holds_text, is_encoded
from linsep.markup import quote
from linsep.types import Array, Chunk, DataError

_FEWEST_ROWS = 20  # with fewer rows many classes may be meant
_ZEROS = re.compile("[.,]0*$")
_DIGITS = 15  # that doubles keep apart, if there is no power of ten
ADVICE = "--read drop_unlabelled (drop_unlabelled=True) leaves such rows out"


def are_unlabelled(labels: pa.Array, decimal: str | None = None) -> Array:
    """Return which cells hold no label: empty ones.

    Of text without types, whose `decimal` mark is given, NA and the like are none either where all others are numbers.

    Examples
    --------
    >>> are_unlabelled(pa.array(["yes", " ", "NA"])).tolist(), are_unlabelled(pa.array(["1", "NA"]), ".").tolist()
    ([False, True, False], [False, True])
    """
    if pa.types.is_floating(labels.type):
        return np.isnan(np.asarray(labels.to_numpy(zero_copy_only=False), dtype=np.float64))
    if not (holds_text(labels.type) or is_encoded(labels)):
        return np.asarray(pc.is_null(labels).to_numpy(zero_copy_only=False), dtype=np.bool_)
    text = labels if is_encoded(labels) else pc.fill_null(pc.cast(labels, pa.string()), "")
    texts, codes = distinct(text)
    levels = pc.cast(texts, pa.string())
    gone = are_missing(levels)
    if decimal is None or not are_numbers(levels, decimal)[~gone].all() or gone.all():
        gone = np.array([not level.strip() for level in levels.to_pylist()], dtype=np.bool_)
    return np.asarray(gone[codes], dtype=np.bool_)


def with_labels(
    table: Any, where: Callable[[int], str], gone: Array, target: str, *, drop: bool
) -> tuple[Any, Callable[[int], str], Array | None]:
    """Return the rows of an Arrow table that have a label, where they stand, and the positions of those left out.

    Raises
    ------
    DataError
        A label is missing, and such rows are not to be dropped.

    Examples
    --------
    >>> table = pa.table({"y": ["a", ""]})
    >>> gone = np.array([False, True])
    >>> rows, where, left_out = with_labels(table, "row {}".format, gone, "y", drop=True)
    >>> rows.num_rows, left_out.tolist()
    (1, [1])
    """
    rows = np.flatnonzero(gone)
    if not rows.size:
        return table, where, None
    if not drop:
        more = f" (and in {rows.size - 1:,} more row{'s' if rows.size > 2 else ''})" if rows.size > 1 else ""
        raise DataError(f"{where(int(rows[0]))}, column {target!r}: the label is missing{more}; {ADVICE}")
    kept = np.flatnonzero(~gone)
    return table.filter(pa.array(~gone)), lambda row: where(int(kept[row])), rows


def told(unlabelled: int, *, predicted: bool = False) -> list[tuple[str, str]]:
    """The line of a receipt on rows without a label; none where there are none.

    Examples
    --------
    >>> told(1)
    [('unlabelled', '1 row without a label is left out; --read drop_unlabelled')]
    """
    if not unlabelled:
        return []
    what = "1 row without a label is" if unlabelled == 1 else f"{unlabelled:,} rows without a label are"
    return [("unlabelled", f"{what} {'predicted, not learnt' if predicted else 'left out; --read drop_unlabelled'}")]


def as_labels(values: Any, where: Callable[[int], str], target: str) -> Array:
    """Return labels of one type: int64 if all are whole numbers, float64 if all are numbers, else booleans or text.

    Dates, decimals, bytes and other objects of one type are called what `str` calls them.

    Raises
    ------
    DataError
        A label is missing, or the labels are of several types.
    """
    array = labels_of(values, lambda row: f"{where(row)}, column {target!r}")
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and np.abs(array).max(initial=0) < 2**53:
        return array.astype(np.int64)
    if array.dtype.kind == "U":
        refuse_missing(np.char.strip(array) == "", lambda row: f"{where(row)}, column {target!r}")
    return array


def labels_in(values: Any, where: Callable[[int], str], target: str, decimal: str | None = None) -> Array:
    """Return what `as_labels` does of a column of Arrow, without a Python object a row where it holds text or numbers.

    Of text without types, whose `decimal` mark is given, these are the numbers in it if all are numbers.

    Examples
    --------
    >>> labels_in(pa.array(["1", "2.0"]), "row {}".format, "y", ".").tolist()
    [1, 2]
    """
    kind = values.type
    if pa.types.is_nested(kind):
        raise DataError(f"{where(0)}, column {target!r}: a label is text or a number, not a {kind}")
    if not (is_encoded(values) or holds_text(kind)):
        plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        return as_labels(values.to_numpy(zero_copy_only=False) if plain else values, where, target)
    text = values if is_encoded(values) else pc.cast(values, pa.string())
    if text.null_count:
        return as_labels(text.to_pylist(), where, target)
    texts, codes = distinct(text)
    numbers = None if decimal is None else read_numbers(texts, decimal)
    if numbers is not None:
        refuse_more_digits(*numbers, target)
        refuse_two_texts(*numbers, target)
        return as_labels(numbers[1][codes], where, target)
    try:
        return np.asarray(as_labels(texts.to_pylist(), where, target)[codes])
    except DataError:  # which is to name the row
        return as_labels(text.to_pylist(), where, target)


def refuse_more_digits(text: pa.Array | None, numbers: Array | None, name: str) -> None:
    """Raise DataError for a number whose text is not the shortest one of its double: two such may be one double.

    `numbers` are the doubles of `text`. Asked of labels, times, counts and strata, where all that counts is which are
    equal, and which is larger.

    Examples
    --------
    >>> refuse_more_digits(pa.array(["0.1", "0.10", "0.30000000000000004"]), np.array([0.1, 0.1, 0.1 + 0.2]), "y")
    >>> refuse_more_digits(pa.array(["9007199254740993"]), np.array([2.0**53]), "y")
    Traceback (most recent call last):
    linsep.types.DataError: column 'y': 9007199254740993 has more digits than double precision holds: round it, or
    subtract what the numbers share
    """
    longer = None if text is None or numbers is None else longer_text(text, numbers)
    if longer is not None:
        raise DataError(
            f"column {name!r}: {longer:.40} has more digits than double precision holds: round it, or subtract what "
            "the numbers share"
        )


def refuse_two_texts(text: pa.Array | None, numbers: Array | None, name: str) -> None:
    """Raise DataError where two texts are one number, but for a sign + and decimals that are all 0.

    `numbers` are the doubles of `text`. Asked of labels and levels, which may be codes: 01 and 1 name two places.

    Examples
    --------
    >>> refuse_two_texts(pa.array(["1", "1.0", "+1", "2.5"]), np.array([1.0, 1.0, 1.0, 2.5]), "y")
    >>> refuse_two_texts(pa.array(["01", "1"]), np.array([1.0, 1.0]), "zip")
    Traceback (most recent call last):
    linsep.types.DataError: column 'zip': '01' and '1' are one number: write it in one way, or, if these are codes, read
    the column as text (--column zip=category, categorical=['zip'])
    """
    if text is None or numbers is None:
        return
    texts, codes = distinct(text)
    once = np.zeros(len(texts))
    once[codes] = numbers
    known: dict[float, str] = {}
    for k in np.unique(codes).tolist():
        plain = _ZEROS.sub("", texts[k].as_py().strip().removeprefix("+"))
        if (other := known.setdefault(float(once[k]), plain)) != plain:
            way = f"--column {quote(name)}=category, categorical=[{name!r}]"
            raise DataError(
                f"column {name!r}: {min(plain, other)!r:.40} and {max(plain, other)!r:.40} are one number: write it in "
                f"one way, or, if these are codes, read the column as text ({way})"
            )


def longer_text(text: pa.Array, numbers: Array) -> str | None:
    """The first text of a number that is not the shortest one of its double.

    Examples
    --------
    >>> longer_text(pa.array(["0.1", "0.10000000000000000001"]), np.array([0.1, 0.1]))
    '0.10000000000000000001'
    """
    texts, codes = distinct(text)
    once = np.empty(len(texts))
    once[codes] = numbers
    plain = pc.match_substring_regex(texts, f"^[^eE]{{0,{_DIGITS}}}$").to_numpy(zero_copy_only=False)
    written = ((texts[k].as_py().strip(), float(once[k])) for k in np.flatnonzero(~plain).tolist())
    return next((one for one, number in written if not _is_shortest(one, number)), None)


def _is_shortest(text: str, number: float) -> bool:
    try:
        return Decimal(text) == Decimal(repr(number))
    except ArithmeticError:  # a unit, which has been read, or a power of ten that Decimal does not take
        return len(text) <= _DIGITS


def refuse_label_for_each_row(y: Array | None, target: str | None, positive: Any = None) -> None:
    """Raise DataError if, of 20 rows or more, there are more classes than half of the rows and none is `positive`.

    Examples
    --------
    >>> refuse_label_for_each_row(np.arange(1400), "price")
    Traceback (most recent call last):
    linsep.types.DataError: column 'price': 1,400 labels in 1,400 rows: is that the right column? A class needs several
    rows. Make classes of numbers first, such as high and low, or name one label with --positive (positive=)
    """
    if y is None or positive is not None or len(y) < _FEWEST_ROWS:
        return
    k = len(np.unique(y))
    if 2 * k > len(y):
        raise DataError(
            f"{'' if target is None else f'column {target!r}: '}{k:,} labels in {len(y):,} rows: is that the right "
            "column? A class needs several rows. Make classes of numbers first, such as high and low, or name one "
            "label with --positive (positive=)"
        )


def doubt_of_labels(names: Iterable[Any]) -> list[str]:
    """One doubt where labels differ in case, in blanks or in a final dot alone.

    Examples
    --------
    >>> doubt_of_labels(["high", "high.", "low"])
    ["the labels 'high' and 'high.' count as two classes: if they are the same, write them alike"]
    """
    alike: dict[str, list[str]] = {}
    for name in map(str, names):
        alike.setdefault("".join(name.split()).rstrip(".").casefold(), []).append(name)
    several = [f"{same[0]!r:.40} and {same[1]!r:.40}" for same in alike.values() if len(same) > 1]
    return [f"the labels {several[0]} count as two classes: if they are the same, write them alike"] if several else []


_ADVICE = (
    "name all classes with `classes` (--set classes=A,B,C), or let them join with `open_classes` (--set open_classes)"
)
_NO_LABELS = "these rows have no labels: name the label column with `target` (--target)"


class StreamLabels:
    """Labels as a learner takes them: classes named beforehand, those of the first rows, or open.

    With `positive` a row is 1 if its label is that one, else 0.
    """

    def __init__(self, named: Iterable[Any] | None, positive: Any, is_open: bool) -> None:
        if (named is not None) + (positive is not None) + is_open > 1:
            raise DataError("give only one of classes, positive and open_classes")
        self.named = None if named is None else label_names(np.array(list(named))).tolist()
        self.positive = None if positive is None else str(label_names(np.array([positive]))[0])
        given = self.named or []
        if not all(name.strip() for name in given):
            raise DataError(f"there is an empty name among the classes {', '.join(map(repr, given))}")
        if len(set(given)) != len(given):
            raise DataError(f"the classes name one class twice: {', '.join(given)}")
        self._open = is_open
        self._classes: Array | None = None
        self._text: bool | None = None  # whether open labels are text; None before the first
        # Whether a row had the positive label; assumed in a run that goes on from a checkpoint.
        self._met = positive is None

    @property
    def warnings(self) -> list[str]:
        """What to say of the labels when all rows have been read."""
        return [] if self._met else [f"label {self.positive!r} never occurred: every row counts as the other class"]

    def check(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError for the first label that `read` would not take; nothing is learnt from the labels."""
        if isinstance(chunk, Chunk) and chunk.y is None:
            raise DataError(f"{chunk.place(chunk.n_rows - 1)}: {_NO_LABELS}")
        if self.positive is None and chunk.y is not None:
            self._as_before(chunk.y, chunk)

    def are_enough(self, y: Array | None) -> bool:
        """Whether these first labels, or what was said before, tell the classes."""
        said = self._open or self.named is not None or self.positive is not None
        return said or (y is not None and np.unique(y).size > 1)

    def read(self, chunk: TableChunk | Chunk) -> tuple[Array, Array | None]:
        """The labels of a chunk, and all classes (None where they are open)."""
        assert chunk.y is not None  # of `check`
        if self.positive is not None:
            is_positive = label_names(chunk.y) == self.positive
            self._met = self._met or bool(is_positive.any())
            return is_positive.astype(np.int64), np.array([0, 1])
        y = self._as_before(chunk.y, chunk)
        if self._open:
            self._text = y.dtype.kind == "U"
            return y, None
        if self._classes is None:
            self._classes = np.unique(y) if self.named is None else _typed(self.named, chunk.y)
            if len(self._classes) < 2:
                raise DataError(f"every label among the first {len(y):,} rows is {self._classes[0]}: {_ADVICE}")
        return y, self._classes

    def _as_before(self, y: Array, chunk: TableChunk | Chunk) -> Array:
        """Labels of the type of those before, which may be the first; DataError for one that is none of the classes.

        Fractions, which are no classes to a learner, are called by their names.
        """
        classes = _typed(self.named, y) if self._classes is None and self.named is not None else self._classes
        y = label_names(y) if y.dtype.kind == "f" or self._text else y
        if self._text is False and y.dtype.kind == "U":
            row = next(i for i, label in enumerate(y) if not _is_whole(label))
            raise DataError(
                f"{chunk.place(row)}: label {shown(y[row])} where the labels before were whole numbers: name "
                "all classes with `classes` (--set classes=A,B,C)"
            )
        return y if classes is None else _as_one_of(classes, y, chunk)

    def resume(self, classes: Array) -> None:
        """Go on with the classes of a learner that a checkpoint held."""
        self._met = True
        if self._open:
            self._text = classes.dtype.kind == "U"
        else:
            self._classes = classes

    def names(self, classes: Array) -> Array:
        """What the classes of the learner, or some of them, are called."""
        return classes if self.positive is None else np.array([f"not {self.positive}", self.positive])[classes]


def _as_one_of(classes: Array, y: Array, chunk: TableChunk | Chunk) -> Array:
    """The labels as entries of `classes`; an error that names the row for one that is not there."""
    mixed = classes.dtype.kind != y.dtype.kind and "U" in (classes.dtype.kind, y.dtype.kind)
    known, given = (label_names(classes), label_names(y)) if mixed else (classes, y)
    strange = np.flatnonzero(~np.isin(given, known))
    if strange.size:
        row = int(strange[0])
        listed = ", ".join(map(shown, known[:6]))
        raise DataError(f"{chunk.place(row)}: label {shown(given[row])} is not one of the classes {listed}: {_ADVICE}")
    if not mixed:
        return y
    order = np.argsort(known)
    return np.asarray(classes[order[np.searchsorted(known, given, sorter=order)]])


def _typed(named: list[str], y: Array) -> Array:
    """Names as labels of the type of y where that can be."""
    whole = y.dtype.kind in "iu" and all(name.strip().lstrip("+-").isdecimal() for name in named)
    return np.unique(np.array([int(name) for name in named] if whole else named))


def _is_whole(label: str) -> bool:
    try:
        return float(label).is_integer()
    except ValueError:
        return False
