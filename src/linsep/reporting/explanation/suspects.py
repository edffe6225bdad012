"""Rows that have to go before a table is separable, as a person looks at them: which ones, and which row is nearest."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.tables import is_sparse
from linsep.theory.explanation.certificate import FewestRows
from linsep.types import Array

_SHOWN = 8


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
    nearest : int
        The nearest row of the other class that stays, in columns divided by their standard deviations.
    """

    row: int
    where: str
    label: str
    nearest: int


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
        """What is said: how many rows have to go, and which."""
        title = f" ({self.title})" if self.title else ""
        lines = [("rows to remove" + title, self.fewest.summary())]
        if self.suspects:
            shown = ", ".join(f"{one.row} ({one.label})" for one in self.suspects[:_SHOWN])
            more = ", ..." if len(self.suspects) > _SHOWN else ""
            rows = "row" if len(self.suspects) == 1 else "rows"
            lines.append(("suspects" + title, f"{rows} {shown}{more}: the others are separable, checked exactly"))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The certificate, and the rows as they are counted in the table."""
        return {**self.fewest.to_dict(), "suspects": [asdict(one) for one in self.suspects]}


def suspects_of(found: FewestRows, X: Any, y: Array, chunk: Any, numbers: Array) -> list[Suspect]:
    """The rows removed, those first that the hyperplane of the others puts deepest into the other class.

    Parameters
    ----------
    found : FewestRows
    X : array or CSR matrix, shape (n, p)
        What it was found in.
    y : ndarray, shape (n,)
        The class of each row by name.
    chunk : TableChunk or rows of a matrix
        The same rows as they are in the table.
    numbers : ndarray of int, shape (n,)
        The number of each row in the table.
    """
    if not found.removed:
        return []
    gone = np.array(found.removed)
    kept = np.setdiff1d(np.arange(found.n_rows), gone)
    A = X.astype(np.float64)
    plane, order = found.rest.hyperplane, np.arange(gone.size)
    if plane is not None:
        w = np.array([float(v) for v in plane.w.tolist()])
        order = np.argsort(-np.abs(A[gone] @ w + float(plane.b)), kind="stable")
    nearest = _nearest(A, y, gone, kept)
    return [
        Suspect(int(numbers[gone[k]]), chunk.where(int(gone[k])), str(y[gone[k]]), int(numbers[nearest[k]]))
        for k in order.tolist()
    ]


def _nearest(A: Any, y: Array, gone: Array, kept: Array) -> Array:
    """For each row removed the nearest row of another class that stays."""
    from sklearn.metrics import pairwise_distances

    if is_sparse(A):
        mean = np.asarray(A.mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(0.0, np.asarray(A.multiply(A).mean(axis=0)).ravel() - mean**2))
        A = A.multiply(1 / np.where(spread > 0, spread, 1.0)).tocsr()
    else:
        spread = A.std(axis=0)
        A = A / np.where(spread > 0, spread, 1.0)
    out = np.empty(gone.size, dtype=np.int64)
    for label in np.unique(y[gone]):
        mine, others = y[gone] == label, kept[y[kept] != label]
        out[mine] = others[pairwise_distances(A[gone[mine]], A[others]).argmin(axis=1)]
    return out


def suspects_table(explained: list[Explained], chunk: Any, numbers: Array) -> pa.Table:
    """A line for each suspect with the cells of its row, for a file."""
    place = {int(number): k for k, number in enumerate(numbers.tolist())}
    every = [(one.title, suspect) for one in explained for suspect in one.suspects]
    table: dict[str, Any] = {"class against the rest": [title for title, _ in every]} if len(explained) > 1 else {}
    table |= {
        "row": [one.row for _, one in every],
        "where": [one.where for _, one in every],
        "label": [one.label for _, one in every],
        "nearest row of the other class": [one.nearest for _, one in every],
    }
    if isinstance(chunk, TableChunk):
        rows = np.array([place[one.row] for _, one in every], dtype=np.int64)
        for name in chunk.names:
            column = chunk.cells(name)
            assert column is not None
            values: Any = column.values
            cells = values[rows].tolist() if column.text is None else column.text.take(pa.array(rows, pa.int64()))
            table[name if name not in table else f"{name} "] = cells
    return pa.table(table)
