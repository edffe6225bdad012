"""Labels of the rows: several concepts, each class asked against the rest or another one; groups, types and keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from linsep.data.columns import TableChunk, label_names, like
from linsep.data.sources.open import open_data
from linsep.tables import column_names
from linsep.types import Array, DataError

_MANY_ROWS = 20  # from here on a concept of more classes than half of its rows is taken for a column of names


@dataclass(frozen=True)
class Question:
    """One class against the rest, or against another one: the rows of both sides, on which they stand, their names."""

    concept: str
    rows: Array
    positive: Array
    classes: tuple[str, str]

    @property
    def names(self) -> Array:
        """The class of each row by name."""
        return np.array(self.classes)[self.positive.astype(np.intp)]


@dataclass(frozen=True)
class Labels:
    """What is asked of each layer, for `n` rows; `groups` and `types` are codes, `keys` names of the rows.

    `sizes` counts the rows of each class of a concept, `beside` has the columns that nothing is asked of.
    """

    n: int
    questions: list[Question]
    groups: Array | None = None
    types: Array | None = None
    keys: Array | None = None
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    beside: Mapping[str, Array] = field(default_factory=dict)

    def matched(
        self, layer: str, n: int, keys: Array | None, beside: Iterable[str] = ()
    ) -> tuple[Array | None, Labels]:
        """Which rows of a layer to take in turn, and their labels; None where both have the same order.

        Labels whose key is not in the layer are left out. `beside` are names of arrays that may be the key.

        Raises
        ------
        DataError
            The numbers of rows differ, a key of the layer is not in the labels, or one class is left of a concept.
        """
        if keys is None or self.keys is None:
            if n != self.n:
                both = self.shared(beside)
                raise DataError(
                    f"layer {layer!r} has {n:,} rows and the labels {self.n:,}: one label a row in the same order is "
                    "needed, or a key that names the rows on both sides (key, --key)"
                    + (f"; both have {both[0]!r}" if both else "")
                )
            return None, self
        rows = self._rows_of(layer, n, keys, self.keys)
        order = np.argsort(rows)
        return order, self if n == self.n else self._only(layer, rows[order])

    def shared(self, beside: Iterable[str]) -> list[str]:
        """Those of these names that are columns of labels which could name the rows: all differ, none is missing."""
        columns = {name: self.beside[name].tolist() for name in beside if name in self.beside}
        return [name for name, values in columns.items() if None not in values and len(set(values)) == self.n]

    @staticmethod
    def _rows_of(layer: str, n: int, keys: Array, of_labels: Array) -> Array:
        """The row of the labels that each row of a layer has by its key."""
        if len(keys) != n:
            raise DataError(f"layer {layer!r} has {n:,} rows and {len(keys):,} keys")
        theirs, ours = (_texts(values).tolist() for values in (keys, of_labels))
        where = {name: row for row, name in enumerate(ours)}
        for side, names in (("the labels", ours), (f"layer {layer!r}", theirs)):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise DataError(f"{side}: the key {twice!r} names two rows; a key names one")
        lost = [name for name in theirs if name not in where]
        if lost:
            raise DataError(
                f"layer {layer!r} has {len(theirs):,} rows and the labels {len(ours):,}: {len(lost):,} keys are not "
                f"in the labels, such as {lost[0]!r}"
            )
        return np.array([where[name] for name in theirs], dtype=np.int64)

    def _only(self, layer: str, kept: Array) -> Labels:
        """The labels of some rows, in ascending order."""
        questions = []
        for one in self.questions:
            there = np.isin(one.rows, kept)
            rows, positive = np.searchsorted(kept, one.rows[there]), one.positive[there]
            if len(np.unique(positive)) < 2:
                raise DataError(
                    f"layer {layer!r} has no row of one side of {one.concept!r}: leave those labels out, or this layer"
                )
            questions.append(Question(one.concept, rows, positive, one.classes))
        groups, types = (None if codes is None else codes[kept] for codes in (self.groups, self.types))
        return Labels(len(kept), questions, groups, types)


def in_another_order(theirs: Array, ours: Array) -> bool:
    """Whether two arrays have the same names in another order.

    Examples
    --------
    >>> in_another_order(np.array([2.0, 1.0]), np.array([1, 2])), in_another_order(np.array([1, 2]), np.array([1, 2]))
    (True, False)
    """
    names, own = _texts(np.asarray(theirs)).tolist(), _texts(ours).tolist()
    return bool(names != own and sorted(names) == sorted(own))


def open_labels(
    given: Any,
    names: Sequence[str] = (),
    *,
    groups: Any = None,
    types: Any = None,
    key: str | None = None,
    pairs: bool = False,
) -> Labels:
    """Read labels of every concept; those that are missing leave their rows out of that concept.

    Parameters
    ----------
    given : array-like, mapping of names to arrays, dataframe, or path
        One label a row, or columns of labels.
    names : sequence of str
        The columns that are concepts; none means the only one there is.
    groups, types : str or array-like, optional
        A column, or one value a row.
    key : str, optional
        The column that names the rows.
    pairs : bool
        Whether of three classes or more each two are also asked, without the rows of the others.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        There is no such column, a concept has one class, two questions have one name, or a value of a group, a type or
        a key is missing.
    """
    table = _table(given)
    beside = {"group": groups, "type": types, "key": key}
    taken = [one for one in beside.values() if isinstance(one, str)]
    for name in [*names, *taken]:
        if name not in table:
            raise DataError(f"the labels have no column {name!r}; {like(name, list(table))}")
    free = [name for name in table if name not in taken]
    if not names and len(free) != 1:
        listed = ", ".join(map(repr, free[:8])) or "none"
        raise DataError(f"name the columns that hold the concepts (labels, --label); there are {listed}")
    n = len(next(iter(table.values())))
    found = {what: None if one is None else _whole(table, one, what, n) for what, one in beside.items()}
    concepts = {name: _classes(name, table[name]) for name in names or free}
    questions = [question for name in names or free for question in _questions(name, *concepts[name][:3], pairs)]
    asked = [question.concept for question in questions]
    for concept in asked:
        if asked.count(concept) > 1:
            raise DataError(f"two questions are called {concept!r}: give columns and classes names that differ")
    codes = {what: None if values is None else _codes(values) for what, values in found.items() if what != "key"}
    sizes = {name: counted for name, (*_, counted) in concepts.items()}
    beside_these = {name: values for name, values in table.items() if name not in (*taken, *concepts)}
    return Labels(n, questions, codes["group"], codes["type"], found["key"], sizes, beside_these)


def _table(given: Any) -> dict[str, Array]:
    """The columns of the labels as objects, with None where there is no label."""
    if isinstance(given, str | Path) and str(given).endswith(".npy"):
        try:
            given = np.load(given, allow_pickle=False)
        except (ValueError, EOFError) as error:
            if "Object arrays" in str(error):
                raise DataError(
                    f"{given}: labels that were saved as Python objects are not read: save them as text, "
                    "np.save(path, labels.astype(str)), or as CSV"
                ) from None
            raise DataError(f"{given}: not a whole .npy file: {error}") from None
    if isinstance(given, str | Path) or column_names(given) is not None:
        chunk = open_data(given).read()
        if not isinstance(chunk, TableChunk):
            raise DataError(f"{given}: labels are columns with names, as in CSV, JSON lines and Parquet")
        return {name: _cells(chunk, name) for name in chunk.names}
    if isinstance(given, Mapping):
        columns = {str(name): _objects(values, str(name)) for name, values in given.items()}
    else:
        name = getattr(given, "name", None)
        columns = {"label" if name is None else str(name): _objects(given, "y")}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise DataError(f"the concepts need one label a row each; they have {sorted(lengths)} labels")
    return columns


def _cells(chunk: TableChunk, name: str) -> Array:
    column = chunk.cells(name)
    assert column is not None
    if (numbers := column.values) is not None:
        values = numbers.astype(object)
    else:
        assert column.text is not None
        values = np.array(column.text.to_pylist(), dtype=object)
    if column.missing is not None:
        values[column.missing] = None
    return values


def _objects(values: Any, name: str) -> Array:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name}: one label a row is needed, the shape is {array.shape}")
    out = array.astype(object)
    out[[value is None or value != value for value in out]] = None
    return out


def _texts(values: Array) -> Array:
    """Values as people write them: 2 for 2.0."""
    kinds = {type(value) for value in values.tolist()}
    numbers = bool(kinds) and kinds <= {int, float, bool} and bool not in kinds
    return label_names(np.array(values.tolist(), dtype=np.float64 if float in kinds else None) if numbers else values)


def _whole(table: Mapping[str, Array], given: Any, what: str, n: int) -> Array:
    """The column, or the values, of a group, type or key; none may be missing."""
    values = table[given] if isinstance(given, str) else _objects(given, what)
    if len(values) != n:
        raise DataError(f"there are {len(values):,} values of {what} and {n:,} labels: one a row is needed")
    missing = np.flatnonzero([value is None for value in values])
    if missing.size:
        raise DataError(f"row {missing[0]}: the {what} is missing ({missing.size:,} in all); fill it in")
    return values


def _codes(values: Array) -> Array:
    return np.asarray(np.unique(_texts(values), return_inverse=True)[1])


def _classes(concept: str, values: Array) -> tuple[Array, Array, Array, dict[str, int]]:
    """The rows of a concept that have a label, their labels, its classes, and how many rows each has by name."""
    rows = np.flatnonzero([value is not None for value in values])
    labels = np.array(values[rows].tolist()) if rows.size else np.zeros(0)
    if labels.dtype.kind not in "biufU":
        labels = labels.astype(np.str_)
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise DataError(f"concept {concept!r}: two classes are needed, there is {len(classes)}")
    if rows.size >= _MANY_ROWS and 2 * len(classes) > rows.size:
        raise DataError(
            f"concept {concept!r}: {len(classes):,} labels in {rows.size:,} rows: is that the right column?"
        )
    return rows, labels, classes, dict(zip(label_names(classes).tolist(), counts.tolist(), strict=True))


def _questions(concept: str, rows: Array, labels: Array, classes: Array, pairs: bool) -> list[Question]:
    """Two classes are one question about the second in sorted order, more are one each, and then one each pair."""
    names = label_names(classes).tolist()
    if len(classes) == 2:
        return [Question(concept, rows, labels == classes[1], (names[0], names[1]))]
    named = list(zip(names, classes, strict=True))
    found = [Question(f"{concept}={name}", rows, labels == one, (f"not {name}", name)) for name, one in named]
    for (name, one), (other_name, other) in combinations(named, 2) if pairs else ():
        either = (labels == one) | (labels == other)
        asked = f"{concept}={name} against {other_name}"
        found.append(Question(asked, rows[either], labels[either] == one, (other_name, name)))
    return found
