"""Labels of the rows: several concepts, each class asked against the rest or another one; groups, types and keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from linsep.as_given import as_array, is_missing, labels_of
from linsep.data.columns import Column, TableChunk, label_names, like
from linsep.data.labels import refuse_more_digits, refuse_two_texts
from linsep.data.sources.open import open_data
from linsep.probing.layers import Layer, arrays_of_file
from linsep.tables import column_names
from linsep.types import Array, DataError, row_from_0

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
    groups: Array | None
    types: Array | None
    keys: Array | None
    sizes: Mapping[str, Mapping[str, int]]
    beside: Mapping[str, Array]

    def matched(self, layer: Layer, n: int) -> list[tuple[Question, Array]]:
        """The questions, and which of the n rows of a layer their rows are; labels whose key it has not are left out.

        Raises
        ------
        DataError
            The numbers of rows differ, a key of the layer is not in the labels, or one class is left of a concept.
        """
        place = np.arange(self.n)
        if self.keys is not None and layer.read_keys is not None:
            place = _places(layer.name, n, layer.read_keys(), self.keys)
        elif n != self.n:
            hint = "".join(f"; both have {name!r}" for name in self.shared(layer.beside)[:1])
            what = f"layer {layer.name!r} has {n:,} rows and the labels {self.n:,}: one label a row in the same order"
            raise DataError(f"{what} is needed, or a key that names the rows on both sides (key, --set key){hint}")
        found = []
        for one in self.questions:
            there = place[one.rows] >= 0
            rows, positive = one.rows[there], one.positive[there]
            if positive.all() or not positive.any():
                what = f"layer {layer.name!r} has no row of one side of {one.concept!r}"
                raise DataError(f"{what}: leave those labels out, or this layer")
            found.append((replace(one, rows=rows, positive=positive), place[rows]))
        return found

    def shared(self, beside: Iterable[str]) -> list[str]:
        """Those of these names that are columns of labels which could name the rows: all differ, none is missing."""
        columns = {name: self.beside[name].tolist() for name in beside if name in self.beside}
        return [name for name, values in columns.items() if None not in values and len(set(values)) == self.n]


def _places(layer: str, n: int, keys: Array, of_labels: Array) -> Array:
    """The row of a layer that has the key of each row of the labels; -1 for none."""
    theirs, ours = (_texts(values).tolist() for values in (keys, of_labels))
    if len(theirs) != n:
        raise DataError(f"layer {layer!r} has {n:,} rows and {len(theirs):,} keys")
    for side, names in (("the labels", ours), (f"layer {layer!r}", theirs)):
        [(name, count)] = Counter(names).most_common(1)
        if count > 1:
            raise DataError(f"{side}: the key {name!r} names two rows; a key names one")
    where = dict(zip(theirs, range(n), strict=True))
    if lost := sorted(where.keys() - ours):
        raise DataError(f"layer {layer!r}: {len(lost):,} of {n:,} keys are not in the labels, such as {lost[0]!r}")
    return np.array([where.get(name, -1) for name in ours])


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
    given: Any, names: Sequence[str], groups: Any = None, types: Any = None, key: str | None = None, pairs: bool = False
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
    free = [name for name in table if name not in taken]
    for name in [*names, *taken]:
        if name not in table:
            raise DataError(f"the labels have no column {name!r}; {like(name, list(table))}")
    if not names and len(free) != 1:
        listed = ", ".join(map(repr, free[:8])) or "none"
        raise DataError(f"name the columns that hold the concepts (labels, --label); there are {listed}")
    n = len(next(iter(table.values())))
    groups, types, keys = (None if one is None else _whole(table, one, what, n) for what, one in beside.items())
    groups, types = (None if of is None else np.unique(_texts(of), return_inverse=True)[1] for of in (groups, types))
    asked = {name: _questions(name, table[name], pairs) for name in names or free}
    questions = [question for name in names or free for question in asked[name][0]]
    [(concept, count)] = Counter(one.concept for one in questions).most_common(1)
    if count > 1:
        raise DataError(f"two questions are called {concept!r}: give columns and classes names that differ")
    others = {name: values for name, values in table.items() if name not in (*taken, *asked)}
    return Labels(n, questions, groups, types, keys, {name: sizes for name, (_, sizes) in asked.items()}, others)


def _table(given: Any) -> dict[str, Array]:
    """The columns of the labels as objects, with None where there is no label."""
    if isinstance(given, str | Path) and str(given).endswith(".npy"):
        given = {name or "label": part.read(()) for name, part in arrays_of_file(str(given)).items()}
    if isinstance(given, str | Path) or column_names(given) is not None:
        chunk = open_data(given).read()
        if not isinstance(chunk, TableChunk):
            raise DataError(f"{given}: labels are columns with names, as in CSV, JSON lines and Parquet")
        return {name: _cells(chunk.cells(name)) for name in chunk.names}
    if not isinstance(given, Mapping):
        name = getattr(given, "name", None)
        given = {"label" if name is None else name: given}
    columns = {str(name): _objects(values, str(name)) for name, values in given.items()}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise DataError(f"the concepts need one label a row each; they have {sorted(lengths)} labels")
    return columns


def _cells(column: Column) -> Array:
    """The cells of a column: numbers, but text where two texts would be one number."""
    try:
        refuse_more_digits(column.raw, column.values, column.name)
        refuse_two_texts(column.raw, column.values, column.name)
    except DataError:
        return column.objects(as_text=True)
    return column.objects()


def _objects(values: Any, name: str) -> Array:
    array = as_array(values, name)
    if array.ndim != 1:
        raise DataError(f"{name}: one label a row is needed, the shape is {array.shape}")
    out = array.astype(object)
    out[[is_missing(value) for value in out]] = None
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
        raise DataError(f"{row_from_0(missing[0])}: the {what} is missing ({missing.size:,} in all); fill it in")
    return values


def _questions(concept: str, values: Array, pairs: bool) -> tuple[list[Question], dict[str, int]]:
    """What is asked of a concept, and how many rows each class has by name.

    Two classes are one question about the second in sorted order, more are one each, and then one each pair.
    """
    rows = np.flatnonzero([value is not None for value in values])
    labels = (
        labels_of(values[rows], lambda k: f"{row_from_0(rows[k])}, concept {concept!r}") if rows.size else np.zeros(0)
    )
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    names = label_names(classes).tolist()
    if len(names) < 2:
        raise DataError(f"concept {concept!r}: two classes are needed, there is {len(names)}")
    if rows.size >= _MANY_ROWS and 2 * len(names) > rows.size:
        raise DataError(f"concept {concept!r}: {len(names):,} labels in {rows.size:,} rows: is that the right column?")
    sizes = dict(zip(names, counts.tolist(), strict=True))
    if len(names) == 2:
        return [Question(concept, rows, codes == 1, (names[0], names[1]))], sizes
    found = [Question(f"{concept}={name}", rows, codes == k, (f"not {name}", name)) for k, name in enumerate(names)]
    for k, j in combinations(range(len(names)), 2) if pairs else ():
        either = (codes == k) | (codes == j)
        asked = f"{concept}={names[k]} against {names[j]}"
        found.append(Question(asked, rows[either], codes[either] == k, (names[j], names[k])))
    return found, sizes
