"""`Explanation`: the rows that have to go and the columns behind a verdict, as tables and in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from linsep.data.telling import TellingColumn
from linsep.reporting.explanation.behind import ExplainedColumns
from linsep.reporting.explanation.suspects import Explained, Neighbour, Suspect
from linsep.reporting.proof import Lines

_HEADS = ("class against the rest", "suspect", "is", "row", "where", "label", "distance")
_GAPS = 3  # columns that are named because of where they are missing


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
    gaps : list of TellingColumn
        Columns that are missing, or there, in rows of one class alone.

    Examples
    --------
    >>> import linsep
    >>> why = linsep.explain([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["a", "a", "b", "a", "b", "b"])
    >>> print(why.summary())
    exactly 1 of 6 rows has to go before the rest is separable
    >>> why.rows.num_rows, why.rows["row"][0].as_py() in (2, 3)
    (4, True)
    """

    explained: list[Explained]
    behind: list[ExplainedColumns]
    gaps: list[TellingColumn]

    @property
    def rows(self) -> pa.Table:
        """The rows to remove, each followed by the three nearest rows of the other class, with their cells.

        An Arrow table (`.to_pandas()`). `suspect` is the number of the row to remove; `is` says whether a line is this
        row or a neighbour of it, which stays; `distance` is how far the neighbour is, in columns divided by their
        standard deviations. Rows that are most out of place stand first. With several questions the first column is the
        class that is set against the rest.
        """
        lines: list[dict[str, Any]] = []
        for one in self.explained:
            for suspect in one.suspects:
                lines.append(_line(one.title, suspect.row, "suspect", suspect, None))
                lines += [_line(one.title, suspect.row, "neighbour", row, row.distance) for row in suspect.neighbours]
        names = list(lines[0] if lines else _HEADS)[len(self.explained) == 1 :]
        return pa.table({name: [line[name] for line in lines] for name in names})

    @property
    def columns(self) -> pa.Table:
        """What is said of columns, a line for each: an Arrow table (`.to_pandas()`).

        `kind` is "alone" (the column tells the classes apart), "nearly" (all rows but one to three), "few" (columns
        that separate together, or some rows where not all are separable), "needed" (without it they are not separable)
        or "missing" (its gaps tell). `certificate` is the proof as JSON for `Separability.from_json`, null where a line
        has none; numbers are whole there, each column times a power of ten.
        """
        every = [(one.title, *said[:4]) for one in self.behind for said in one.said]
        every += [("", "missing", (gap.name,), _asking(gap), None) for gap in self.gaps]
        told = {
            _HEADS[0]: pa.array([one[0] for one in every], pa.string()),
            "kind": pa.array([one[1] for one in every], pa.string()),
            "columns": pa.array([list(one[2]) for one in every], pa.list_(pa.string())),
            "said": pa.array([one[3] for one in every], pa.string()),
            "certificate": pa.array([one[4] and one[4].to_json() for one in every], pa.string()),
        }
        return pa.table(told).select(list(told)[len(self.behind) < 2 :])

    def lines(self) -> Lines:
        """What `linsep check --explain` prints, as label and text."""
        lines = [line for one in self.explained for line in one.lines()]
        lines += [("too good?", _asking(gap)) for gap in self.gaps[:_GAPS]]
        known = {gap.name for gap in self.gaps[:_GAPS] if not gap.some}
        return [*lines, *(line for one in self.behind for line in one.lines(known))]

    def summary(self) -> str:
        """Say how many rows have to go, a line for each question."""
        return "\n".join(f"{one.title}: " * bool(one.title) + one.fewest.summary() for one in self.explained)

    def __repr__(self) -> str:
        return f"<Explanation {self.summary()}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: `fewest_rows`, `columns_behind` and `telling_gaps`, with the certificates."""
        return {
            "fewest_rows": _by_title(self.explained),
            "columns_behind": _by_title(self.behind),
            "telling_gaps": [asdict(gap) for gap in self.gaps],
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)


def _asking(gap: TellingColumn) -> str:
    return f"{gap}: is it known before the label is?"


def _by_title(explained: Sequence[Explained | ExplainedColumns]) -> dict[str, Any]:
    """What was found as plain data, of several questions by the class that is asked about."""
    each = {one.title: one.to_dict() for one in explained}
    return each.get("", {"one_against_rest": each})


def _line(title: str, suspect: int, what: str, row: Suspect | Neighbour, distance: float | None) -> dict[str, Any]:
    """One row of the table; a column of the user's that is called as one of ours gets a blank at its end."""
    told = dict(zip(_HEADS, (title, suspect, what, row.row, row.where, row.label, distance), strict=True))
    return told | {name if name not in told else f"{name} ": value for name, value in row.cells.items()}
