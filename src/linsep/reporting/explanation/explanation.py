"""Why a verdict is what it is, as tables and in words: the rows that have to go, and the columns behind it.

Of columns are told those that tell the classes apart alone, few that separate together, and those that are needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.data.columns import TableChunk, label_names
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.features.kinds import without_skipped
from linsep.data.telling import TellingColumn, as_columns, tell
from linsep.reporting.explanation.suspects import Explained
from linsep.reporting.proof import Lines, form_of, some_rows
from linsep.tables import dense
from linsep.theory.columns import columns_of_verdict, fewer_columns
from linsep.theory.margin.geometry import class_signs
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.theory.words.of_regressions import listed
from linsep.types import Array

_HEADS = ("class against the rest", "row", "where", "label")
_TEXT = pa.string()
_OF_COLUMNS = pa.schema([(_HEADS[0], _TEXT), ("kind", _TEXT), ("columns", pa.list_(_TEXT)), ("said", _TEXT)])


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a verdict is what it is: the rows that have to go, and the columns behind it.

    Attributes
    ----------
    explained : list of Explained
        Of each question the bracket (`fewest`, a FewestRows with its proofs) and the rows of its upper bound
        (`suspects`). There is one question where there are two classes, else one for each class against the rest.
    behind : list of ExplainedColumns
        The columns behind the verdict on each question.
    unasked : list of (str, str)
        Questions whose rows were not looked for, and why.

    Examples
    --------
    >>> import linsep
    >>> why = linsep.explain([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["a", "a", "b", "a", "b", "b"])
    >>> print(why.summary())
    exactly 1 of 6 rows must be removed to make the rest separable
    >>> why.rows.num_rows, why.rows["row"][0].as_py() in (2, 3)
    (1, True)
    """

    explained: list[Explained]
    behind: list[ExplainedColumns]
    unasked: Lines = field(default_factory=list)

    @property
    def rows(self) -> pa.Table:
        """The rows to remove with their cells, those that are most out of place first: an Arrow table (`.to_pandas()`).

        With several questions the first column is the class that is set against the rest. A column of the user's that
        is called as one of ours gets a blank at its end.
        """
        lines: list[dict[str, Any]] = []
        for one in self.explained:
            for row in one.suspects:
                told = dict(zip(_HEADS, (one.title, row.row, row.where, row.label), strict=True))
                lines.append(told | {name + " " * (name in told): value for name, value in row.cells.items()})
        names = list(lines[0] if lines else _HEADS)[len(self.explained) == 1 :]
        return pa.table({name: [line[name] for line in lines] for name in names})

    @property
    def columns(self) -> pa.Table:
        """What is said of columns, a line for each: an Arrow table (`.to_pandas()`).

        `kind` is "alone" (the column tells the classes apart), "nearly" (all rows but one to three), "few" (columns
        that separate together, or some rows where not all are separable) or "needed" (without it they are not
        separable).
        """
        names = _OF_COLUMNS.names
        every = [dict(zip(names, (one.title, *said[:3]), strict=True)) for one in self.behind for said in one.said]
        return pa.Table.from_pylist(every, _OF_COLUMNS).select(names[len(self.behind) < 2 :])

    def lines(self) -> Lines:
        """What `linsep check --explain` prints, as label and text."""
        lines = [line for one in self.explained for line in one.lines()]
        return [*lines, *self.unasked, *(line for one in self.behind for line in one.lines())]

    def summary(self) -> str:
        """Say how many rows have to go, a line for each question."""
        said = [f"{one.title}: " * bool(one.title) + one.fewest.summary() for one in self.explained]
        return "\n".join([*said, *map(": ".join, self.unasked)])

    def __repr__(self) -> str:
        return f"<Explanation {self.summary()}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: `fewest_rows`, with its certificates, and `columns_behind`."""
        return {
            "fewest_rows": _by_title(self.explained),
            "columns_behind": _by_title(self.behind),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)


def _asking(column: TellingColumn) -> str:
    return f"{column}: do you know it before the label?"


def _by_title(explained: Sequence[Explained | ExplainedColumns]) -> dict[str, Any]:
    """What was found as plain data, of several questions by the class that is asked about."""
    each = {one.title: one.to_dict() for one in explained}
    return each.get("", {"one_against_rest": each})


_LINES = 3  # of a kind
_WRONG = 3  # rows that a column may tell wrongly, where the classes are not separable
_OF_A_MATRIX = 200  # columns of rows that are no table, up to which each is asked alone
_MOST_CELLS = 1_000_000  # of a table whose few columns are looked for


class Said(NamedTuple):
    """What columns do, alone or together.

    Attributes
    ----------
    kind : str
        "alone" (a column tells the classes apart), "nearly" (all rows but one to three), "few" (columns that separate
        together; where only some rows are separable, some rows) or "needed" (without it the verdict changes).
    columns : tuple of str
        The columns.
    text : str
        The sentence.
    more : dict
        What else `--json` says.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    more: dict[str, Any]


class ExplainedColumns(NamedTuple):
    """What columns have to do with the verdict on one question.

    Attributes
    ----------
    title : str
        The class that is set against the rest; empty where there are two classes.
    said : list of Said
        A line for each column or set of columns.
    change : str
        What becomes of the rows without a needed column.
    asked, of : int
        Columns of the table of which it is decided whether they are needed, and all of them.
    """

    title: str
    said: list[Said]
    change: str
    asked: int
    of: int

    def of_kind(self, kind: str) -> list[Said]:
        """What is said of one kind."""
        return [one for one in self.said if one.kind == kind]

    def lines(self) -> Lines:
        """What is printed: a few lines of each kind."""
        alone = self.of_kind("alone")
        lines = [("too good?", one.text) for one in alone[:_LINES]]
        if len(alone) > _LINES:
            lines.append(("too good?", f"{len(alone) - _LINES:,} more columns: --json"))
        lines += [("nearly", one.text) for one in self.of_kind("nearly")[:_LINES]]
        if needed := [one.columns[0] for one in self.of_kind("needed")]:
            some = "" if self.asked == self.of else f"; {self.asked:,} of {self.of:,} columns were asked about"
            any_one = "any one of " if len(needed) > 1 else ""
            lines.append(("needed", f"leave out {any_one}{_quoted(needed)}, and {self.change}{some}"))
        lines += [("separated by", one.text) for one in self.of_kind("few")]
        return [(f"{label} ({self.title})" if self.title else label, text) for label, text in lines]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        kinds = ("alone", "nearly", "few", "needed")
        every = {kind: [{"columns": list(one.columns), **one.more} for one in self.of_kind(kind)] for kind in kinds}
        return every | {"needed_asked": self.asked}


def columns_behind(
    found: Separability,
    title: str,
    labels: Array,
    numbers: ExactNumbers,
    chunk: Any,
    kinds: Mapping[str, str],
    time_limit: float | None,
) -> ExplainedColumns:
    """Ask which columns stand behind the verdict on one question.

    Parameters
    ----------
    found : Separability
        The verdict; few columns and needed ones are asked about where the classes, or some rows, are separable.
    title : str
        The class that is set against the rest, or nothing.
    labels : ndarray, shape (n_rows,)
        The class of each row by name.
    numbers : ExactNumbers
        What the verdict is about.
    chunk : TableChunk or rows of a matrix
        The same rows as they are in the table.
    kinds : mapping of str to str
        What the columns hold.
    time_limit : float or None
        Seconds for all of it.
    """
    deadline = deadline_of(time_limit)
    y = (class_signs(labels, found.classes) > 0).astype(np.intp)
    question = _Question(found, y, numbers, _columns_of_table(numbers))
    (said, separating), asked = question.alone(_telling(found, numbers, chunk, kinds, labels)), 0
    change = "the classes are not separable" if found.verdict == "separable" else "no row is separated (inseparable)"
    if found.verdict in ("separable", "quasi-separable"):
        needed, asked = question.needed(separating, change, deadline)
        if not separating and numbers.X.shape[0] * numbers.X.shape[1] <= _MOST_CELLS:
            with suppress(OutOfTimeError):
                said += question.few(deadline_of(time_left(deadline) / 2))
        said += needed
    return ExplainedColumns(title, said, change, asked, len(question.groups))


class _Question(NamedTuple):
    """A verdict, the labels as 0 and 1, and the columns of the table with those that each became."""

    found: Separability
    y: Array
    numbers: ExactNumbers
    groups: Mapping[str, list[int]]

    def alone(self, telling: list[TellingColumn]) -> tuple[list[Said], list[list[int]]]:
        """The columns from which all rows are told, or, where they are not separable, all but a few.

        Beside them those of the certificate that a column became with which the rows are proved to be separable.
        """
        said, separating, is_separable = list[Said](), list[list[int]](), self.found.verdict == "separable"
        for one in telling:
            places = self.groups.get(one.name, [])
            separates = (
                is_separable and places and separability(self.numbers.X[:, places], self.y).verdict == "separable"
            )
            separating += [places] if separates else []
            kind, text = ("nearly", str(one)) if one.errors and not separates else ("alone", _asking(one))
            if kind == "alone" or (not is_separable and one.errors <= _WRONG):
                said.append(Said(kind, (one.name,), text, {"rule": one.rule, "errors": one.errors}))
        return said, separating

    def needed(self, known: list[list[int]], change: str, deadline: Deadline) -> tuple[list[Said], int]:
        """The columns of the table whose removal changes the verdict, and of how many that is decided.

        `known` are sets of columns that separate.
        """
        found, names, groups = self.found, list(self.groups), list(self.groups.values())
        if len(groups) == 1:
            return [], 1
        search = columns_of_verdict(self.numbers.X, self.y, found, groups, deadline)
        # Directions after the first may have rows of those before on the wrong side.
        plane = found.hyperplane or found.directions[0]
        for used in map(set, (np.flatnonzero(plane.w != 0).tolist(), *known)):
            some = frozenset(k for k, group in enumerate(groups) if not used.isdisjoint(group))
            search.answers.setdefault(some, (True, None))
        with suppress(OutOfTimeError):
            search.needed()
        needed, asked = search.known_needed()
        return [Said("needed", (names[k],), f"leave out {names[k]!r:.40}, and {change}", {}) for k in needed], asked

    def few(self, deadline: Deadline) -> list[Said]:
        """What few columns separate; nothing if the search ended with all of them."""
        found, numbers = self.found, self.numbers
        few = fewer_columns(dense(numbers.X), self.y, found, deadline)
        if len(few.columns) == len(numbers.names) and not few.smallest:
            return []
        names = [numbers.names[j] for j in few.columns]
        text = f"{_quoted(names)} {'alone' if len(names) == 1 else 'together'}"
        if few.proof.hyperplane is not None:
            text += f" ({form_of(few.proof.hyperplane, names, [numbers.exponents[j] for j in few.columns])})"
        text += ", and no fewer columns do" if few.smallest and len(names) > 1 else ""
        more: dict[str, Any] = {"is_smallest": few.smallest}
        if found.verdict != "separable":
            rows = found.in_file(few.proof.separated_rows)
            text += f"; rows on their side: {some_rows(rows)}, all others on the plane"
            more["rows"] = rows.tolist()
        return [Said("few", tuple(names), text, more)]


def _columns_of_table(numbers: ExactNumbers) -> dict[str, list[int]]:
    """The columns of the table, and which columns of the certificate each became."""
    of = {name: column for name, (column, _) in (numbers.levels or {}).items()}
    of |= {name: one["column"] for name, one in (numbers.derived or {}).items()}
    groups: dict[str, list[int]] = {}
    for j, name in enumerate(numbers.names):
        groups.setdefault(of.get(name, name), []).append(j)
    return groups


def _telling(
    found: Separability, numbers: ExactNumbers, chunk: Any, kinds: Mapping[str, str], labels: Array
) -> list[TellingColumn]:
    """Columns that tell the classes apart alone, missing values being a value, where chance does not explain it."""
    least = 0.99 if found.verdict == "separable" else 0.5  # how many rows may be told wrongly is asked of their number
    if isinstance(chunk, TableChunk):
        return tell(without_skipped(chunk, kinds), labels, least=least)
    if numbers.X.shape[1] > _OF_A_MATRIX:
        return []
    return tell(as_columns(numbers.X, numbers.names), label_names(labels), least=least)


def _quoted(names: Sequence[str]) -> str:
    return listed([f"{name!r:.40}" for name in names])
