"""Which rows of a regression are separated, and which coefficients are infinite: the search, and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import scipy as sp
from flint import fmpz_mat, nmod_mat

from linsep.tables import is_sparse
from linsep.theory.cone.exact import pivots, spanning, whole_entries
from linsep.theory.cone.faces import FEW_NUMBERS, span_of
from linsep.theory.cone.search import ConeEnd, solve_cone
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, time_left
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import PRIME, vectors_of, whole_numbers
from linsep.theory.rows.signed import SignedRows
from linsep.theory.separation.coefficient_signs import Signs, signs_of_single_rows
from linsep.theory.verify.cone import ConeProof, Vector, Weights
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array, DataError

_MOST_ENTRIES = 50_000_000  # of null vectors, some 50 bytes each in all
_TO_CHECK = 0.5  # of the time of the search is kept for the check of the proof, which took up to 0.4 of it


@np.errstate(all="ignore")  # doubles only suggest; what is not finite stops where it would become exact
def find_proof(
    Z: Any, equal: Array, deadline: Deadline, *, signs: bool = True, may_be_near: bool = False
) -> SeparationProof:
    """Return the rows that the cone {d : z.d >= 0, = 0 where `equal`} separates, with the proof that there are no more.

    Parameters
    ----------
    Z : array or CSR matrix of shape (n, p)
        The rows z.
    equal : ndarray of bool, shape (n,)
        Which rows are equalities.
    deadline : Deadline
    signs : bool, default=True
        Whether the signs of infinite coefficients are asked too.
    may_be_near : bool, default=False
        Whether weights near exact ones will do instead of an overlap.

    Returns
    -------
    SeparationProof

    Raises
    ------
    DataError
        There are so many more columns than independent rows that the null vectors would fill the memory, or a large
        sparse table needs the search for dense ones.
    OutOfTimeError
        The deadline passed before the separated rows were found. If it passes later, some signs are left open.
    """
    found = prove_by_columns(Z, equal, deadline)
    if found is not None:
        return found
    every = np.ones(len(equal), dtype=bool)
    _refuse_wide(Z, every, len(equal))  # whatever the rank is
    end = _decided(Z, equal, deadline, may_be_near)
    spanning = tuple(end.basis)
    _refuse_wide(Z, ~end.separated, len(spanning))
    null = tuple(end.null_vectors(deadline))
    basis, null_all = spanning, null
    if end.separated.any():
        rows = SignedRows(Z, np.ones(Z.shape[0]), constant=False)
        span = span_of(rows, spanning, np.flatnonzero(end.separated), deadline)
        _refuse_wide(Z, every, len(span.ids))
        basis, null_all = tuple(span.ids), tuple(span.null_vectors(deadline))
    left = tuple(np.flatnonzero(~end.separated).tolist())
    cone = ConeProof(Z.shape[0], vectors_of(end.directions), left, end.overlap or {}, end.within, spanning, null)
    return _with_signs(Z, SeparationProof(cone, basis, null_all), deadline, signs)


def _refuse_wide(Z: Any, among: Array, rank: int) -> None:
    """Raise DataError if the null vectors of these rows, but for those of columns of zeros, are too many to hold."""
    if Z.shape[1] * (Z.shape[1] - rank) <= _MOST_ENTRIES:
        return
    part = Z if among.all() else Z[among]
    if is_sparse(Z):
        width = int(np.count_nonzero(np.bincount(part.indices[part.data != 0], minlength=Z.shape[1])))
    else:
        width = int(np.count_nonzero((part != 0).any(axis=0)))
    if width * (width - rank) > _MOST_ENTRIES:
        raise DataError(
            f"{width:,} coefficients are too many for these rows, which leave {width - rank:,} dimensions open: the "
            f"proof would take more than {_MOST_ENTRIES:,} numbers; leave columns out, first those that are always 0"
        )


def _decided(Z: Any, equal: Array, deadline: Deadline, may_be_near: bool = False) -> ConeEnd:
    asked: dict[str, Any] = {"deadline": deadline, "want_witness": False, "may_be_near": may_be_near}
    end = solve_cone(Z, np.ones(Z.shape[0]), constant=False, equal=equal, **asked)
    if not end.decided:
        raise OutOfTimeError
    return end


def _with_signs(Z: Any, proof: SeparationProof, deadline: Deadline, wanted: bool) -> SeparationProof:
    """Add a proof of the sign of each infinite coefficient, or a direction of the other sign, if they are wanted."""
    if len(proof.cone.null) <= len(proof.null) + 1:
        return proof
    open_, unidentified = ({j for v in vectors for j in v} for vectors in (proof.cone.null, proof.null))
    ways = {j: _way(proof.cone.directions, j) for j in sorted(open_ - unidentified)}
    if not wanted:
        return replace(proof, unsigned=tuple(j for j, way in ways.items() if way))
    signs: dict[int, Weights] = {}
    opposite: dict[int, tuple[Vector, ...]] = {}
    with suppress(OutOfTimeError), deadline.with_time_to_check(_TO_CHECK):
        _find_signs(Z, proof, {j: way for j, way in ways.items() if way}, deadline, signs, opposite)
    unsigned = tuple(j for j, way in ways.items() if way and j not in signs and j not in opposite)
    return replace(proof, signs=signs, opposite=opposite, unsigned=unsigned)


def _find_signs(
    Z: Any,
    proof: SeparationProof,
    ways: dict[int, int],
    deadline: Deadline,
    signs: dict[int, Weights],
    opposite: dict[int, tuple[Vector, ...]],
) -> None:
    """Write for each coefficient of `ways` a proof of its sign or a direction of the other sign, until the deadline."""
    separated, null = proof.cone.separated, proof.cone.null
    few = not is_sparse(Z) and Z.size <= FEW_NUMBERS
    alone = {} if few or Z.dtype == object else signs_of_single_rows(Z, separated, null, deadline)
    signs |= {j: {alone[j][1]: 1} for j, way in ways.items() if way == alone.get(j, (0,))[0]}
    asked = [j for j in ways if j not in signs]
    if not asked:
        return
    # Of dense rows the cone itself answers sooner; of 4,000 workers and 300 firms it takes forty times as long.
    programme = Signs(Z, separated, null, deadline) if is_sparse(Z) else None
    others: list[tuple[Vector, ...]] = []  # directions that were found, each once
    for j in asked:
        known = next((ds for ds in others if _way(ds, j) * ways[j] < 0), None)
        if known is not None:  # a direction that was found for another coefficient is enough
            opposite[j] = known
            continue
        d, weights = programme.guess(j, ways[j], deadline) if programme else (None, None)
        if d is not None:
            opposite[j] = (d,)
        elif weights is not None:
            signs[j] = weights
        else:
            _ask_cone(Z, proof, j, ways[j], deadline, signs, opposite)
        others += [opposite[j]] if j in opposite else []


def _way(directions: Sequence[Vector], j: int) -> int:
    """Sign of the j-th entry of the directions added with weights that fall fast."""
    entry = next((d[j] for d in directions if d.get(j)), 0)
    return (entry > 0) - (entry < 0)


def _ask_cone(
    Z: Any,
    proof: SeparationProof,
    j: int,
    way: int,
    deadline: Deadline,
    signs: dict[int, Weights],
    opposite: dict[int, tuple[Vector, ...]],
) -> None:
    """Decide one sign without a guess: does the cone hold a direction of the other sign? Rows left are equalities."""
    assert proof.cone.basis is not None
    separated = proof.cone.separated.tolist()
    ids = [*separated, *proof.cone.basis]
    equal = np.arange(len(ids) + 1) >= len(separated)
    equal[-1] = False
    end = _decided(_with_unit(Z, ids, j, -way), equal, deadline)
    if end.separated[-1]:
        opposite[j] = vectors_of(end.directions)
    else:
        assert end.overlap is not None
        signs[j] = {ids[i]: v for i, v in end.overlap.items() if i < len(separated)}


def _with_unit(Z: Any, ids: Sequence[int], j: int, way: int) -> Any:
    """The rows `ids` of Z, then a unit vector times `way`."""
    unit = np.zeros((1, Z.shape[1]), dtype=Z.dtype)
    unit[0, j] = way
    if not is_sparse(Z):
        return np.vstack([Z[ids], unit])
    parts: list[Any] = [Z[ids], sp.sparse.csr_matrix(unit)]
    return sp.sparse.vstack(parts, format="csr")


_WIDE = 2  # columns a row from which on two bases without a common column can be looked for
_LARGEST = 20_000_000  # entries of a table that is made dense for it
_TRIED = 3  # columns a row among which a basis is looked for at first
_BASES = 3  # of columns, at most: if a column is in all of them, null vectors are looked for


def prove_by_columns(Z: Any, equal: Array, deadline: Deadline) -> SeparationProof | None:
    """Return the proof that all rows are separated and no coefficient identified, or None if that is not so.

    Of far more columns than rows the rows are independent, so some direction meets them all: every row that is no
    equality is separated. And no coefficient is identified: a column outside of some basis of columns is a combination
    of that basis, and there are bases without a column in common.

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
    found = rows.original(whole)
    signs = row_signs(table, found)
    if not ((signs > 0) | equal).all() or signs[equal].any():
        return None
    return vectors_of([found])[0]


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
