"""Columns that tell by where they are missing: in rows of one class alone, which no proof of complete rows sees."""

from __future__ import annotations

from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import TableChunk, label_names
from linsep.reporting.explanation.said import Said
from linsep.reporting.proof import certificate_of
from linsep.theory.separability.certificate import Separability
from linsep.types import Array

_BY_CHANCE = 1000  # labels without meaning have such a column in fewer than one table of so many


class Gap(NamedTuple):
    """A column that is missing, or there, in rows of one class alone.

    Attributes
    ----------
    column : str
        The column.
    label : str
        The class.
    missing : bool
        Whether these rows lack the column; otherwise they alone have it.
    rows, of : int
        So many rows, of all rows of the class.
    proof : Separability
        The certificate of all rows for one column that is 1 where the value is missing, else 0: separable if these are
        all rows of the class, else quasi-separable.
    """

    column: str
    label: str
    missing: bool
    rows: int
    of: int
    proof: Separability

    @property
    def tells_all(self) -> bool:
        """Whether the class is told from all others."""
        return self.rows == self.of

    def __str__(self) -> str:
        several = self.proof.classes is not None and f"not {self.label}" in self.proof.classes
        told = f"{self.label!s:.40} from the other classes" if several else "the classes apart"
        share = "every row" if self.tells_all else f"{self.rows:,} of {self.of:,} rows"
        return (
            f"column {self.column!r:.40} alone tells {told if self.tells_all else 'some rows apart'} "
            f"({'missing' if self.missing else 'there'} in {share} of {self.label!s:.40}, and in no row of another "
            "class): is it known before the label is?"
        )

    def said(self) -> Said:
        """The same as a line of a table."""
        return Said("missing", (self.column,), str(self), self.proof)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, with the certificate."""
        said = {name: value for name, value in self._asdict().items() if name != "proof"}
        return {**said, "certificate": self.proof.to_dict()}


def telling_gaps(chunk: TableChunk, y: Array | None) -> list[Gap]:
    """Find the columns that are missing in rows of one class alone, or there in rows of one class alone.

    Left out are those that chance could explain: let m rows lack the column, or have it, of n rows, of which n_k are of
    class k. Shuffled labels put these m rows into it with probability C(n_k, m) / C(n, m); that times four, the number
    of such columns and the number of classes has to be below 1/1000.

    Parameters
    ----------
    chunk : TableChunk
        All rows, also those that the proof leaves out, without the columns that are skipped.
    y : ndarray or None
        Their labels.

    Returns
    -------
    list of Gap
        At most one a column, those that tell all rows first.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"{k},{k if k < 15 else ''},{'late' if k < 15 else 'paid'}\\n" for k in range(30))
    >>> whole = open_data(("age,overdue,state\\n" + rows).encode(), target="state").read()
    >>> for gap in telling_gaps(whole, whole.y):
    ...     print(gap)
    column 'overdue' alone tells the classes apart (missing in every row of paid, and in no row of another class): is it
    known before the label is?
    >>> telling_gaps(whole, whole.y)[0].rows
    15
    """
    if y is None:
        return []
    names, codes = np.unique(label_names(y), return_inverse=True)
    gaps = {
        name: column.missing for name in chunk.names if (column := chunk.cells(name)) and column.missing is not None
    }
    many = log(_BY_CHANCE * 4 * max(1, len(gaps)) * len(names))
    found = [gap for name, missing in gaps.items() if (gap := _gap(name, missing, names, codes, many))]
    return sorted(found, key=lambda gap: not gap.tells_all)


def _gap(column: str, missing: Array, names: Array, codes: Array, many: float) -> Gap | None:
    """The class that the gaps of a column tell; `many` is ln of the least number of tables for one by chance."""
    sizes = np.bincount(codes)
    told: list[tuple[bool, int, int, bool]] = []
    for lacking in (True, False):
        rows = codes[missing == lacking]
        m, n, k = rows.size, codes.size, int(rows[0]) if rows.size else 0
        if 0 < m < n and (rows == k).all():
            of = int(sizes[k])
            if many + _log_choose(of, m) - _log_choose(n, m) <= 0:
                told.append((m < of, k, m, lacking))
    if not told:
        return None
    _, k, m, lacking = min(told, key=lambda one: one[0])
    two = names if len(names) == 2 else np.array([f"not {names[k]}", names[k]])
    proof = certificate_of(missing[:, None].astype(np.int64), codes if len(names) == 2 else (codes == k) * 1, two)
    return Gap(column, str(names[k]), lacking, m, int(sizes[k]), proof)


def _log_choose(n: int, m: int) -> float:
    return lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)
