"""Rows that have to go before a table is separable: which ones, and how many a receipt knows of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.data.columns import Column, TableChunk
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.tables import bounded_doubles, dense
from linsep.theory.cone.opposite_rows import disjoint_pairs
from linsep.theory.cone.search import solve_cone
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.rows.exact_signs import as_floats, row_signs
from linsep.theory.rows.integers import whole_row
from linsep.theory.verify.cone import CertificateError, Rows
from linsep.theory.verify.consequences import rows_to_go
from linsep.types import Array, Hyperplane

_SHOWN = 8
_FEW = 0.05  # of the rows may have wrong labels; more are a class, or a border, that no plane cuts off
_MOST_NAMED = 200  # columns of a matrix, which have no names of their own
_MOST_WITNESSES = 5  # that a receipt looks for; each takes a few hundredths of a second
_MOST_COLUMNS, _MOST_ENTRIES = 20, 10_000  # of the rows among which they are


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
    columns = {name: _column(column, rows) for name in chunk.names if (column := chunk.cells(name)) is not None}
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


class InTheWay(NamedTuple):
    """Two bounds on the fewest rows that have to go before a hyperplane separates the others.

    Attributes
    ----------
    lower : int
    upper : int or None
        None if no plane at hand has rows of both classes on their side.
    n_rows : int
    """

    lower: int
    upper: int | None
    n_rows: int

    def summary(self) -> str:
        """The words of a receipt.

        Examples
        --------
        >>> InTheWay(2, 5, 40).summary()
        'at least 2 and at most 5 of 40 rows have to go: `linsep check --explain`'
        """
        most = "" if self.upper is None else f" and at most {self.upper:,}"
        bounds = f"exactly {self.lower:,}" if self.lower == self.upper else f"at least {self.lower:,}{most}"
        have = "has" if self.lower == 1 and self.upper in (1, None) else "have"
        return f"{bounds} of {self.n_rows:,} rows {have} to go: `linsep check --explain`"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"at_least": self.lower, "at_most": self.upper}


def rows_in_the_way(X: Any, side: Array, planes: Sequence[Hyperplane], *, fit_intercept: bool) -> InTheWay:
    """Bound the fewest rows that have to go, of rows that are proved not to be separable.

    One row has to go of each pair of equal rows of two classes (opposite rows of one class, without an intercept). Of
    tables with up to 20 columns up to five further sets of rows are found, among 10,000 numbers, each of which has to
    lose a row and none of which has a row in common. The rows that a plane has on the wrong side, or on it, are enough.
    All are counted exactly.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, p)
    side : ndarray of int, shape (n,)
        1 for the positive class, else 0.
    planes : sequence of Hyperplane
        Planes at hand, such as that of the model.
    fit_intercept : bool

    Examples
    --------
    >>> X, side = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 0, 1])
    >>> found = rows_in_the_way(X, side, [Hyperplane(np.array([2.0]), -3.0)], fit_intercept=True)
    >>> found.lower, found.upper
    (1, 1)
    """
    s = np.where(side > 0, 1.0, -1.0)
    lower = max(1, _disjoint_sets(X, s, fit_intercept))
    found = []
    for w, b in planes:
        d = np.append(w, b) if fit_intercept else np.asarray(w)
        if not np.isfinite(d.astype(np.float64)).all():
            continue
        kept = s * row_signs(X, whole_row(d.tolist())) > 0
        if np.unique(s[kept]).size == 2:
            found.append(int((~kept).sum()))
    return InTheWay(lower, min(found, default=None), s.size)


def _disjoint_sets(X: Any, s: Array, constant: bool) -> int:
    """The number of sets of rows found that are not separable, of which no row is in two; proved."""
    pairs = disjoint_pairs(X, s, constant=constant)
    n, p = X.shape
    if p > _MOST_COLUMNS:
        return len(pairs)
    left = np.setdiff1d(np.arange(n), pairs)
    most = _MOST_ENTRIES // max(1, p)
    if left.size > most:
        left = np.sort(np.random.default_rng(0).choice(left, most, replace=False))
    witnesses: list[dict[int, int]] = []
    while left.size and len(witnesses) < _MOST_WITNESSES:
        found = solve_cone(X[left], s[left], constant=constant).witness
        if found is None:
            break
        witnesses.append({int(left[i]): weight for i, weight in found.items()})
        left = np.delete(left, list(found))
    proof = {"unit": 1, "weights": dict.fromkeys(range(len(witnesses)), 1)}
    try:
        rows_to_go(Rows(X, s, constant), witnesses, proof)
    except CertificateError:
        return len(pairs)
    return len(pairs) + len(witnesses)
