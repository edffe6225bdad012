"""The tables of a report: cells are text, with a number for sorting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import TableChunk
from linsep.regression.found import Separation
from linsep.reporting.explanation.explanation import Explanation
from linsep.reporting.explanation.suspects import Neighbour, Suspect
from linsep.reporting.proof import is_rounded, weights_in_words
from linsep.reporting.weights import Weights
from linsep.theory.proof import Combination
from linsep.theory.words.of_classes import exists_near, rows_of_file
from linsep.theory.words.of_regressions import told
from linsep.types import Array

MOST_ROWS = 100
_MOST_WEIGHTS, _FEWEST_OF_A_CLASS = 60, 3
_COLUMNS = 5
_MOST_WITH_NEIGHBOURS = 25  # suspects, each with four rows
_LONGEST = 60  # characters of a cell


class Cell(NamedTuple):
    """What is shown, and the number that it stands for; None where it is sorted as text."""

    text: str
    number: float | None = None


@dataclass(frozen=True)
class Table:
    """A caption, a sentence under it, the names of the columns and the rows."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]] = field(repr=False)

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold nothing but numbers; these are set flush right."""
        return [all(row[j].number is not None for row in self.rows) for j in range(len(self.columns))]


class Columns(NamedTuple):
    """The columns of the user's rows, as far as a table shows them, and which rows of the file these rows lack."""

    names: list[str]
    cell: Callable[[int, int], Any]
    left_out: Array | None = None


def columns_of(rows: Any, names: list[str] | None = None) -> Columns:
    """Of a table as it was read, or of a matrix with the names of its columns.

    Examples
    --------
    >>> columns_of(np.array([[1.0, 2.5]]), ["a", "b"]).cell(0, 1)
    2.5
    """
    if isinstance(rows, TableChunk):
        return Columns(list(rows.names), lambda i, j: _as_read(rows, i, rows.names[j]))
    return Columns(names or [], lambda i, j: rows[i, j].item() if hasattr(rows[i, j], "item") else rows[i, j])


def _as_read(rows: TableChunk, i: int, name: str) -> Any:
    column = rows.cells(name)
    assert column is not None
    if column.missing is not None and column.missing[i]:
        return ""
    if column.stored is not None:
        value = float(column.stored[i])
        return value if column.text is None else Cell(_cut(column.text[i].as_py()), value)
    assert column.text is not None
    return column.text[i].as_py()


def cell(value: Any) -> Cell:
    """A value of any type.

    Examples
    --------
    >>> cell(1234567), cell(0.1 + 0.2).text
    (Cell(text='1,234,567', number=1234567.0), '0.3')
    """
    if isinstance(value, Cell):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(_cut(str(value)))
    if abs(value) > 1e15:  # integers of any length among them
        return Cell(_cut(str(value)), float(value) if abs(value) < 1e300 else None)
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value + 0.0:.6g}", float(value) + 0.0)


def plain(number: int) -> Cell:
    """A number that is a name, without separators."""
    return Cell(str(number), float(number))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def some_of(n: int, of: int, what: str) -> str:
    """A note that not everything is shown; empty if everything is."""
    return "" if n >= of else f"{n:,} of {of:,} {what} shown."


def chosen_columns(columns: Columns, weights: Weights | None) -> list[int]:
    """The columns that a table of rows shows: those with the heaviest features, else the first ones.

    An indicator "city=Oslo" belongs to the column "city".
    """
    at = {name: j for j, name in enumerate(columns.names)}
    chosen: dict[int, None] = {}
    if weights is not None and len(weights.planes):
        size = np.abs(weights.planes).max(axis=0)
        for k in np.argsort(-size, kind="stable")[: 20 * _COLUMNS]:
            name = weights.names[k]
            parts = (name[:end] for end, letter in enumerate(name) if letter == "=")
            found = name if name in at else next((part for part in parts if part in at), None)
            if found is not None and size[k] > 0:
                chosen[at[found]] = None
    order = [*chosen, *(j for j in range(min(len(columns.names), _COLUMNS)) if j not in chosen)]
    return order[:_COLUMNS]


def rows_table(
    title: str,
    note: str,
    about: Sequence[str],
    rows: Sequence[tuple[int, Sequence[Any]]],
    columns: Columns,
    chosen: Sequence[int],
) -> Table:
    """Rows by number, what is said `about` each, and the chosen columns of the user's table."""
    heads = ["row", *about, *(_cut(columns.names[j]) for j in chosen)]
    body = [
        [
            plain(int(rows_of_file(i, columns.left_out))),
            *(cell(value) for value in said),
            *(cell(columns.cell(i, j)) for j in chosen),
        ]
        for i, said in rows
    ]
    more = len(columns.names) - len(chosen)
    rest = f" {len(chosen)} of {len(columns.names):,} columns shown." if more > 0 else ""
    return Table(title, f"{note}{rest} Rows are counted from 0.", heads, body)


def mistakes_table(
    mistaken: Array, y: Array, predicted: Array, margins: Array, columns: Columns, chosen: Sequence[int]
) -> Table:
    """The mistaken rows, farthest on the wrong side first; `predicted` has one label for each row shown."""
    shown = mistaken[: len(predicted)]
    rows = [(int(i), (y[i], label, float(margins[i]))) for i, label in zip(shown, predicted, strict=True)]
    note = "Margin y z: how far on the wrong side, 0 on the line; of several classes z is compared with the best other."
    less = some_of(len(shown), len(mistaken), "rows")
    note = f"{note} {less}".strip()
    return rows_table("Mistaken rows", note, ["label", "predicted", "margin"], rows, columns, chosen)


def weights_table(weights: Weights, classes: Sequence[Any], note: str) -> Table:
    """The heaviest weights, of each class where there are several."""
    planes = len(weights.planes)
    each = max(_FEWEST_OF_A_CLASS, _MOST_WEIGHTS // planes if planes > 1 else _MOST_WEIGHTS // 3)
    kept = min(planes, _MOST_WEIGHTS // _FEWEST_OF_A_CLASS)
    few = weights._replace(planes=weights.planes[:kept])
    rows = [
        [*([cell(classes[k])] if planes > 1 else []), cell(name), cell(value), cell(abs(value))]
        for k, name, value in few.heaviest(each)
    ]
    p = weights.planes.shape[1]
    if planes == 1:
        each = len(rows)  # fewer where the others are 0
    notes = [note, some_of(each, p, "features" + (" of each class" if planes > 1 else ""))]
    notes.append(some_of(kept, planes, "classes"))
    heads = [*(["class"] if planes > 1 else []), "feature", "weight", "size"]
    return Table("Heaviest weights", " ".join(filter(None, notes)), heads, rows)


def witness_table(witness: Combination, y: Array, columns: Columns, chosen: Sequence[int]) -> Table:
    """The rows of a witness with their integer weights."""
    pairs = list(zip(witness.rows, witness.weights, strict=True))[:MOST_ROWS]
    note = "Signed by label and with these weights they add up to 0, so no hyperplane separates them."
    if witness.within:
        proof = exists_near(witness.within)
        note = f"Signed by label they nearly add up to 0; {proof}, so no hyperplane separates them."
    note = f"{note} {some_of(len(pairs), len(witness.rows), 'rows')}".strip()
    if is_rounded(witness):
        note += " The weights are parts of their sum, rounded."
    words = weights_in_words(witness)
    rows = [(row, (y[row], Cell(words[k], float(words[k])))) for k, (row, _) in enumerate(pairs)]
    return rows_table("Rows that no hyperplane separates", note, ["label", "weight"], rows, columns, chosen)


def suspects_table(
    suspects: Sequence[Suspect], rows: Sequence[int], distances: Array | None, columns: Columns, chosen: Sequence[int]
) -> Table:
    """The rows without which the others are separable; `rows` are their places, `distances` those to the hyperplane."""
    shown = list(zip(suspects, rows, strict=True))[:MOST_ROWS]
    note = "Without these rows the others are separable, those first that lie deepest in the other class."
    heads = ["label"]
    if distances is not None:
        note += " Distance y z / |w| to the hyperplane of the others: below 0 on the wrong side."
        heads.append("distance")
    note = f"{note} {some_of(len(shown), len(suspects), 'rows')}".strip()
    body: list[tuple[int, list[Any]]] = []
    for one, i in shown:
        body.append((i, [one.label] if distances is None else [one.label, float(distances[i])]))
    return rows_table("Suspects", note, heads, body, columns, chosen)


def neighbours_table(
    suspects: Sequence[Suspect], places: Mapping[int, int], columns: Columns, chosen: Sequence[int]
) -> Table:
    """Each suspect with the nearest rows of the other class; `places` leads from the number of a row to its place."""
    shown = suspects[:_MOST_WITH_NEIGHBOURS]
    note = "Rows of the other class that are like a suspect, in columns divided by their standard deviations."
    note = f"{note} {some_of(len(shown), len(suspects), 'suspects')}".strip()
    body: list[tuple[int, list[Any]]] = []
    for one in shown:
        every: list[Suspect | Neighbour] = [one, *one.neighbours]
        for row in every:
            far = row.distance if isinstance(row, Neighbour) else "is the suspect"
            body.append((places[row.row], [plain(one.row), row.label, far]))
    return rows_table("Suspects and their neighbours", note, ["of suspect", "label", "distance"], body, columns, chosen)


_KINDS = {
    "alone": "separates alone",
    "nearly": "separates nearly all",
    "few": "separate together",
    "needed": "needed",
    "missing": "tells by its gaps",
}


def columns_table(explanation: Explanation) -> Table:
    """What each column behind the verdict does."""
    found = explanation.columns.to_pylist()
    heads = [name for name in explanation.columns.column_names if name == "class against the rest"]
    rows = [
        [
            *(cell(one[head]) for head in heads),
            cell(", ".join(one["columns"])),
            cell(_KINDS[one["kind"]]),
            Cell(one["said"]),
            cell("yes" if one["certificate"] else "no"),
        ]
        for one in found[:MOST_ROWS]
    ]
    note = "A column that separates may be known only after the label is. What has a certificate is in --json."
    note = f"{note} {some_of(len(rows), len(found), 'lines')}".strip()
    return Table("Columns behind the verdict", note, [*heads, "columns", "what", "said", "certificate"], rows)


def coefficients_table(found: Separation) -> Table:
    """What maximum likelihood does to each coefficient, infinite ones first."""
    infinite = [name for name, value in found.coefficients.items() if value != "finite"]
    order = [*infinite, *(name for name in found.coefficients if name not in set(infinite))]
    several = any(isinstance(name, tuple) for name in order)
    shown = order[: 5 * MOST_ROWS]
    rows = []
    for name in shown:
        parts = [str(name[0]), str(name[1])] if isinstance(name, tuple) else [str(name)]
        rows.append([*map(cell, parts), cell(told(found.coefficients[name]))])
    note = some_of(len(shown), len(order), "coefficients")
    return Table("Coefficients", note, [*(["class"] if several else []), "coefficient", "estimate"], rows)


def separated_table(found: Separation, y: Array, columns: Columns, chosen: Sequence[int]) -> Table:
    """The rows that a direction separates."""
    shown = found.separated_rows[:MOST_ROWS]
    note = "A direction of the coefficients puts these rows on their side and leaves the others where they are."
    note = f"{note} {some_of(len(shown), len(found.separated_rows), 'rows')}".strip()
    return rows_table("Separated rows", note, ["response"], [(row, (y[row],)) for row in shown], columns, chosen)
