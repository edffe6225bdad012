"""Rows that have to go before a table is separable, as a person looks at them: which ones, and what is near."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from linsep.data.features.exact_decimals import ExactNumbers
from linsep.reporting.explanation.cells import cells_of
from linsep.tables import is_sparse, stored
from linsep.theory.explanation.certificate import FewestRows
from linsep.types import Array

_SHOWN = 8
_FEW = 0.05  # of the rows may have wrong labels; more are a class, or a border, that no plane cuts off
_NEIGHBOURS = 3


@dataclass(frozen=True)
class Neighbour:
    """A row of the other class near a suspect.

    Attributes
    ----------
    row : int
        Its number in the table, from 0, rows left out counted.
    where : str
        The file and line, or the row of a table that is no file.
    label : str
        Its class.
    distance : float
        How far it is from the suspect, in columns divided by their standard deviations.
    cells : dict
        Its values by column; none of a matrix with more than 200 columns.
    """

    row: int
    where: str
    label: str
    distance: float
    cells: dict[str, Any]


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
    neighbours : tuple of Neighbour
        The three nearest rows of the other class that stay, the nearest first; fewer where there are fewer.
    """

    row: int
    where: str
    label: str
    cells: dict[str, Any]
    neighbours: tuple[Neighbour, ...]


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
            shown = ", ".join(f"{one.row} ({one.label})" for one in self.suspects[:_SHOWN])
            more = ", ..." if len(self.suspects) > _SHOWN else ""
            rows = "row" if len(self.suspects) == 1 else "rows"
            lines.append(("suspects" + title, f"{rows} {shown}{more}: the others are separable, checked exactly"))
        if self.fewest.lower > max(_SHOWN, _FEW * self.fewest.n_rows):
            why = (
                f"{self.fewest.lower:,} of {self.fewest.n_rows:,} rows or more are in the way: so many are hardly "
                "wrong labels, but a class, or a border between classes, that no plane cuts off"
            )
            lines.append(("too many" + title, why))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The certificate, and the rows as they are counted in the table."""
        return {**self.fewest.to_dict(), "suspects": [asdict(one) for one in self.suspects]}


def suspects_of(
    found: FewestRows, table: ExactNumbers, y: Array, own: Array, chunk: Any, numbers: Array
) -> list[Suspect]:
    """The rows removed, those first that the hyperplane of the others puts deepest into the other class.

    Parameters
    ----------
    found : FewestRows
    table : ExactNumbers
        The numbers that it was found in.
    y : ndarray, shape (n,)
        The side of each row: of a class against the rest that class, or a name for the rest.
    own : ndarray, shape (n,)
        The class of each row.
    chunk : TableChunk or rows of a matrix
        The same rows as they are in the table.
    numbers : ndarray of int, shape (n,)
        The number of each row in the table.
    """
    if not found.removed:
        return []
    gone = np.array(found.removed)
    kept = np.setdiff1d(np.arange(found.n_rows), gone)
    A = table.X.astype(np.float64)
    plane, order = found.rest.hyperplane, np.arange(gone.size)
    if plane is not None:
        w = np.array([float(v) for v in plane.w.tolist()])
        order = np.argsort(-np.abs(A[gone] @ w + float(plane.b)), kind="stable")
    near = _nearest(A, y, gone, kept)
    shown = np.unique(np.concatenate([gone, *(rows for rows, _ in near)]))
    cells = dict(zip(shown.tolist(), cells_of(chunk, shown, table.names), strict=True))

    def told(i: int) -> tuple[int, str, str]:
        return int(numbers[i]), chunk.place(i), str(own[i])

    return [
        Suspect(
            *told(i := int(gone[k])),
            cells[i],
            tuple(
                Neighbour(*told(j), d, cells[j]) for j, d in zip(near[k][0].tolist(), near[k][1].tolist(), strict=True)
            ),
        )
        for k in order.tolist()
    ]


def _nearest(A: Any, y: Array, gone: Array, kept: Array) -> list[tuple[Array, Array]]:
    """For each row removed the nearest rows of other classes that stay, and how far they are."""
    from sklearn.metrics import pairwise_distances

    if is_sparse(A):
        mean = np.asarray(A.mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(0.0, np.asarray(A.multiply(A).mean(axis=0)).ravel() - mean**2))
        A = A.multiply(1 / np.where(spread > 0, spread, 1.0)).tocsr()
    else:
        spread = A.std(axis=0)
        A = A / np.where(spread > 0, spread, 1.0)
    out: list[tuple[Array, Array]] = [(gone, gone)] * gone.size
    for label in np.unique(y[gone]):
        mine, others = np.flatnonzero(y[gone] == label), kept[y[kept] != label]
        far = pairwise_distances(A[gone[mine]], A[others])
        nearest = np.argsort(far, axis=1, kind="stable")[:, :_NEIGHBOURS]
        for k, some in zip(mine.tolist(), nearest, strict=True):
            rows = others[some]
            # Not `far`: its last digits depend on the machine.
            out[k] = rows, np.array([_distance(A[[gone[k]]] - A[[j]]) for j in rows.tolist()])
    return out


def _distance(difference: Any) -> float:
    """The length of a row, to six digits."""
    values = stored(difference).astype(np.float64)
    return float(f"{np.sqrt((values * values).sum()):.6g}")
