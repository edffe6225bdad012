"""Could rounding of the rows change a verdict? The theorem is in `theory/rows/fragile.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.theory.rows.fragile import directions_move, exact_inputs, null_moves, signed_rows, weights_move
from linsep.theory.verify.cone import ConeProof
from linsep.types import Array


def is_fragile(X: Any, s: Array, constant: bool, proof: ConeProof) -> bool:
    """Whether rounding could change the verdict that is proved."""
    if exact_inputs(X):
        return False
    rows, width = signed_rows(X, s, constant), X.shape[1] + constant
    vectors = [np.array([d.get(j, 0) for j in range(width)], dtype=object) for d in proof.directions]
    if directions_move(rows, vectors, proof.separated):
        return True
    if proof.basis is None and proof.directions and len(proof.left):
        return True  # nothing shows that the rows left stay on the plane of the directions
    if not proof.weights:
        return False
    basis = proof.basis if proof.within else None
    less = sum(len(v) > 1 for v in proof.null)  # without the columns of zeros, which it does not count
    moves = weights_move(rows, proof.weights, less=less, within=proof.within, basis=basis)
    return moves or (proof.basis is not None and null_moves(rows, proof.null, np.asarray(proof.left, dtype=np.int64)))
