"""Rows that have to go before a table is separable: which ones, and how many."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.data.columns import Column, TableChunk
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.tables import bounded_doubles, dense
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.rows.exact_signs import as_floats
from linsep.types import Array

_SHOWN = 8
_FEW = 0.05  # of the rows may have wrong labels; more are a class, or a border, that no plane cuts off
_MOST_NAMED = 200  # columns of a matrix, which have no names of their own


@dataclass(frozen=True)
class Suspect:
    """A row whose label the other rows contradict.

    Attributes
    ----------
    row : int
        Its number in the table, from 0, rows left out counted.
    where : str
        The file and line, or the row of a table that is no file.
    label : str
        Its class.
    cells : dict
        Its values by column; none of a matrix with more than 200 columns.
    """

    row: int
    where: str
    label: str
    cells: dict[str, Any]


class Explained(NamedTuple):
    """The rows that have to go before the classes of one question are separable.

    Attributes
    ----------
    title : str
        The class that is set against the rest; empty where there are two classes.
    fewest : FewestRows
        How many have to go, with proofs.
    suspects : list of Suspect
        These rows, for people.
    """

    title: str
    fewest: FewestRows
    suspects: list[Suspect]

    def lines(self) -> list[tuple[str, str]]:
        """What is said: how many rows have to go, which, and whether they are too many for wrong labels."""
        title = f" ({self.title})" if self.title else ""
        lines = [("rows to remove" + title, self.fewest.summary())]
        if self.suspects:
            shown = ", ".join(f"{one.row + 1} (class {one.label})" for one in self.suspects[:_SHOWN])
            more = ", ..." if len(self.suspects) > _SHOWN else ""
            rows = "row" if len(self.suspects) == 1 else "rows"
            without = ", counted from 1: the others are separable, checked exactly"
            lines.append(("suspects" + title, f"{rows} {shown}{more}{without}"))
        if self.fewest.lower > max(_SHOWN, _FEW * self.fewest.n_rows):
            why = (
                f"{self.fewest.lower:,} of {self.fewest.n_rows:,} rows or more are in the way: these are probably not "
                "wrong labels; no plane follows the border of the classes"
            )
            lines.append(("too many" + title, why))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The certificate, and the rows as they are counted in the table."""
        return {**self.fewest.to_dict(), "suspects": [asdict(one) for one in self.suspects]}


@np.errstate(over="ignore", invalid="ignore")  # numbers near the largest double
def suspects_of(found: FewestRows, table: ExactNumbers, own: Array, chunk: Any, numbers: Array) -> list[Suspect]:
    """The rows removed, those first that the hyperplane of the others puts deepest into the other class.

    Parameters
    ----------
    found : FewestRows
    table : ExactNumbers
        The numbers that it was found in.
    own : ndarray, shape (n,)
        The class of each row.
    chunk : TableChunk or rows of a matrix
        The same rows as they are in the table.
    numbers : ndarray of int, shape (n,)
        The number of each row in the table.
    """
    gone = np.array(found.removed, dtype=np.int64)
    if gone.size and found.rest.hyperplane is not None:
        (plane,) = found.rest.directions
        d = as_floats([*plane.w.tolist(), int(plane.b)])
        depth = np.abs(bounded_doubles(table.X)[gone] @ d[:-1] + d[-1])
        gone = gone[np.argsort(-depth, kind="stable")]
    cells = _cells(chunk, gone, table.names)
    return [Suspect(int(numbers[i]), chunk.place(i), str(own[i]), held) for i, held in zip(gone, cells, strict=True)]


def _cells(chunk: Any, rows: Array, names: list[str]) -> list[dict[str, Any]]:
    """The cells of each row by column, None where one is missing; of a matrix with very many columns none."""
    if not isinstance(chunk, TableChunk):
        if chunk.X.shape[1] > _MOST_NAMED:
            return [{} for _ in rows]
        return [dict(zip(names, row, strict=True)) for row in dense(chunk.X[rows]).tolist()]
    columns = {name: _column(chunk.cells(name), rows) for name in chunk.names}
    return [{name: values[k] for name, values in columns.items()} for k in range(len(rows))]


def _column(column: Column, rows: Array) -> list[Any]:
    """Numbers are doubles, whole ones integers; those that doubles do not hold are text, as they are written."""
    values = column.values
    if values is None or (column.text is not None and abs(values).max(initial=0) >= 2**53):
        assert column.text is not None
        found: list[Any] = column.text.take(pa.array(rows, pa.int64())).to_pylist()
    else:
        whole = (values == np.rint(values)).all() and abs(values).max(initial=0) < 2**53
        found = (values.astype(np.int64) if whole else values)[rows].tolist()
    gone = np.zeros(len(rows), dtype=bool) if column.missing is None else column.missing[rows]
    return [None if lacks else value for value, lacks in zip(found, gone.tolist(), strict=True)]
