"""Which rows of a regression are separated, and which coefficients are infinite: the search, and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.tables import is_sparse
from linsep.theory.cone.by_sample import solve_by_sample
from linsep.theory.cone.faces import ConeEnd
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.exact_signs import vanishing
from linsep.theory.rows.signed import SignedRows
from linsep.theory.rows.span import Span, independent_rows
from linsep.theory.separation.search.by_columns import prove_by_columns
from linsep.theory.separation.search.by_elimination import prove_by_elimination
from linsep.theory.separation.search.by_network import prove_by_network
from linsep.theory.separation.search.coefficient_signs import Signs, as_vector, signs_of_single_rows
from linsep.theory.separation.search.even_basis import even_basis
from linsep.theory.verify.cone import ConeProof, Vector, Weights
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array, DataError

_MOST_DENSE = 400_000_000  # entries, 3.2 GB
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
    found = prove_by_network(Z, equal, deadline) if is_sparse(Z) else None
    found = found or prove_by_columns(Z, equal, deadline)
    if found is None and is_sparse(Z):
        found = prove_by_elimination(Z, equal, deadline)
        found = found and _with_signs(Z, found, deadline, signs)
    return found or _by_cone(Z, equal, deadline, signs, may_be_near)


def _refuse_large(Z: Any) -> None:
    """Raise DataError for a sparse table of which the last search would make a dense one that fills the memory."""
    entries = min(Z.shape) * Z.shape[1]
    if is_sparse(Z) and entries > _MOST_DENSE:
        raise DataError(
            f"the searches for sparse tables found no proof about {Z.shape[0]:,} rows and {Z.shape[1]:,} coefficients, "
            f"and the one for all others would take {8 * entries / 1e9:,.0f} GB: leave columns out, or join rare levels"
        )


def _by_cone(Z: Any, equal: Array, deadline: Deadline, wanted: bool, may_be_near: bool) -> SeparationProof:
    """The search for tables of any kind, without the columns of zeros, of which nothing is identified."""
    _refuse_large(Z)
    used = _columns_used(Z)
    if used.all() or not used.any():
        return _searched(Z, equal, deadline, wanted, may_be_near)
    names = np.flatnonzero(used).tolist()
    proof = _searched(Z[:, names], equal, deadline, wanted, may_be_near)
    units: tuple[Vector, ...] = tuple({j: 1} for j in np.flatnonzero(~used).tolist())

    def named(vectors: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return tuple({names[j]: v for j, v in vector.items()} for vector in vectors)

    cone = replace(proof.cone, directions=named(proof.cone.directions), null=units + named(proof.cone.null))
    return replace(
        proof,
        cone=cone,
        null=units + named(proof.null),
        signs={names[j]: weights for j, weights in proof.signs.items()},
        opposite={names[j]: named(vectors) for j, vectors in proof.opposite.items()},
        unsigned=tuple(names[j] for j in proof.unsigned),
    )


def _columns_used(Z: Any) -> Array:
    """Which columns have an entry in some row."""
    if not is_sparse(Z):
        return np.asarray((Z != 0).any(axis=0), dtype=bool)
    return np.bincount(Z.indices[Z.data != 0], minlength=Z.shape[1]) > 0


def _searched(Z: Any, equal: Array, deadline: Deadline, wanted: bool, may_be_near: bool) -> SeparationProof:
    """Face by face, in floating point and in integers of any size."""
    _refuse_wide(Z.shape[1], Z.shape[1] - min(Z.shape))  # whatever the rank is
    end = _decided(Z, equal, deadline, may_be_near)
    spanning = tuple(end.basis)
    _refuse_wide(Z.shape[1], Z.shape[1] - len(spanning))
    null = tuple(end.null_vectors())
    basis, null_all = spanning, null
    if end.separated.any():
        rows = SignedRows(Z, np.ones(Z.shape[0]), constant=False)
        basis = tuple(_spanning_all(rows, end, null))
        null_all = tuple(Span(rows, basis).null_vectors())
    weights, within = end.overlap or {}, 0.0
    if end.near is not None:
        found = end.near.weights
        weights, within = dict(zip(found.rows, found.weights, strict=True)), found.within
    left = tuple(np.flatnonzero(~end.separated).tolist())
    cone = ConeProof(Z.shape[0], _vectors(end.directions), left, weights, within, spanning, null)
    return _with_signs(Z, SeparationProof(cone, basis, null_all), deadline, wanted)


def _refuse_wide(width: int, n_null: int) -> None:
    """Raise DataError if the null vectors, `width` entries each, are too many to hold."""
    if width * n_null > _MOST_ENTRIES:
        raise DataError(
            f"{width:,} coefficients are too many for these rows, which leave {n_null:,} dimensions open: the proof "
            f"would take more than {_MOST_ENTRIES:,} numbers; leave columns out, first those that are always 0"
        )


def _decided(Z: Any, equal: Array, deadline: Deadline, may_be_near: bool = False) -> ConeEnd:
    asked: dict[str, Any] = {"deadline": deadline, "want_witness": False, "may_be_near": may_be_near}
    end = solve_by_sample(Z, np.ones(Z.shape[0]), constant=False, equal=equal, **asked)
    if not end.decided:
        raise OutOfTimeError
    return end


def _vectors(vectors: Sequence[Sequence[int]]) -> tuple[Vector, ...]:
    """Each vector without a common factor, column -> entry."""
    return tuple(map(as_vector, vectors))


def _dense(vector: Vector, width: int) -> list[int]:
    """All entries of a vector."""
    return [vector.get(j, 0) for j in range(width)]


def _spanning_all(rows: SignedRows, end: ConeEnd, null: Sequence[Vector]) -> list[int]:
    """Independent rows that span all rows: those that span the rows left, and some separated ones."""
    ids, before = list(end.basis), -1
    separated = np.flatnonzero(end.separated)
    while len(ids) > before:  # each turn adds independent rows; if a prime hides that they are, the check will say so
        before = len(ids)
        part, units = rows.X[separated], [j for v in null if len(v) == 1 for j in v]
        outside = np.asarray((part[:, units] != 0).sum(axis=1)).reshape(-1) > 0
        for v in (v for v in null if len(v) > 1):
            outside |= ~vanishing(part, _dense(v, rows.width))
            if outside.sum() > 2 * rows.width:
                break
        if not outside.any():
            break
        # Rows from all over the table: neighbours may be alike.
        candidates = separated[outside]
        some = candidates[:: max(1, candidates.size // (2 * rows.width))]
        ids = independent_rows(rows, [*ids, *some.tolist()])
        null = Span(rows, ids).null_vectors()
    return ids


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
    alone = signs_of_single_rows(Z, separated, null, deadline) if Z.dtype != object else {}
    signs |= {j: {alone[j][1]: 1} for j, way in ways.items() if way == alone.get(j, (0,))[0]}
    asked = [j for j in ways if j not in signs]
    if not asked:
        return
    programme = Signs(Z, separated, null, deadline, *even_basis(Z[separated], null))
    others: list[tuple[Vector, ...]] = []  # directions that were found, each once
    for j in asked:
        known = next((ds for ds in others if _way(ds, j) * ways[j] < 0), None)
        if known is not None:  # a direction that was found for another coefficient is enough
            opposite[j] = known
            continue
        d, weights = programme.guess(j, ways[j], deadline)
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
        opposite[j] = _vectors(end.directions)
    else:
        assert end.overlap is not None
        signs[j] = {ids[i]: v for i, v in end.overlap.items() if i < len(separated)}


def _with_unit(Z: Any, ids: Sequence[int], j: int, way: int) -> Any:
    """The rows `ids` of Z, then a unit vector times `way`."""
    unit = np.zeros((1, Z.shape[1]), dtype=Z.dtype)
    unit[0, j] = way
    if not is_sparse(Z):
        return np.vstack([Z[ids], unit])
    parts: list[Any] = [Z[ids], sp.csr_matrix(unit)]
    return sp.vstack(parts, format="csr")
