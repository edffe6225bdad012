"""Separation where there are far more columns than rows: the rows are independent, so some direction meets them all.

Then every row that is no equality is separated, and no coefficient is identified: a column outside of some basis of
columns is a combination of that basis, and there are bases without a column in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpz_mat, nmod_mat

from linsep.theory.cone.exact import pivots, spanning, whole_entries
from linsep.theory.rows.deadline import Deadline, time_left
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import PRIME, primitive, whole_numbers
from linsep.theory.rows.signed import SignedRows
from linsep.theory.verify.cone import ConeProof, Vector
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array

_WIDE = 2  # columns a row from which on two bases without a common column can be looked for
_LARGEST = 20_000_000  # entries of a table that is made dense for it
_TRIED = 3  # columns a row among which a basis is looked for at first
_BASES = 3


def prove_by_columns(Z: Any, equal: Array, deadline: Deadline) -> SeparationProof | None:
    """Return the proof that all rows are separated and no coefficient identified, or None if that is not so.

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> Z = np.random.default_rng(0).normal(size=(3, 7))
    >>> found = prove_by_columns(Z, np.zeros(3, dtype=bool), NEVER)
    >>> found.cone.separated.tolist(), [len(basis) for basis in found.bases]
    ([0, 1, 2], [3, 3])
    """
    n, width = Z.shape
    if width < _WIDE * n or n * width > _LARGEST or Z.dtype == object or equal.all():
        return None
    table = Z if isinstance(Z, np.ndarray) else Z.toarray()
    bases = _bases(table, deadline)
    direction = _direction(table, equal, deadline) if bases else None
    if direction is None:
        return None
    return SeparationProof(ConeProof(n, (direction,), tuple(np.flatnonzero(equal).tolist())), bases=bases)


def _direction(table: Array, equal: Array, deadline: Deadline) -> Vector | None:
    """Integers with z.d = 0 where `equal` and z.d > 0 elsewhere; None if none is found."""
    rows = SignedRows(table, np.ones(len(table)), constant=False)
    d = np.linalg.lstsq(rows.Z, np.where(equal, 0.0, 1.0), rcond=None)[0]
    if not np.isfinite(d).all():
        return None
    ids = np.flatnonzero(equal)
    if ids.size:
        span = spanning(rows, (), ids, deadline)
        if len(span.ids) < ids.size:
            return None
        whole = span.direction_near(d, deadline)
    else:
        whole = whole_numbers(d)
    found = primitive(rows.original(whole))
    signs = row_signs(table, found)
    if not ((signs > 0) | equal).all() or signs[equal].any():
        return None
    return {j: v for j, v in enumerate(found) if v}


def _bases(table: Array, deadline: Deadline) -> tuple[tuple[int, ...], ...]:
    """Sets of as many columns as rows, of full rank modulo a prime, without a column in all; none if there are none."""
    n, width = table.shape
    order = np.random.default_rng(0).permutation(width)
    found: list[tuple[int, ...]] = []
    common = np.ones(width, dtype=bool)
    while common.any() and len(found) < _BASES:
        time_left(deadline)
        basis = _basis(table, order[: _TRIED * n]) or _basis(table, order)
        if basis is None:
            return ()
        found.append(tuple(sorted(basis)))
        inside = np.zeros(width, dtype=bool)
        inside[basis] = True
        common &= inside
        order = np.concatenate([order[~inside[order]], order[inside[order]]])
    return () if common.any() else tuple(found)


def _basis(table: Array, columns: Array) -> list[int] | None:
    """The first columns that have full rank, or None."""
    part = SignedRows(table[:, columns], np.ones(len(table)), constant=False)
    found = pivots(nmod_mat(fmpz_mat(whole_entries(part, range(len(table)))[0]), PRIME))
    return [int(columns[j]) for j in found] if len(found) == len(table) else None
