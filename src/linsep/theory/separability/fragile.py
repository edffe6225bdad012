"""Could rounding of the rows change a verdict? The theorem is in `theory/rows/fragile.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linsep.theory.rows.fragile import directions_move, exact_inputs, null_moves, signed_rows, weights_move
from linsep.theory.separability.combination import Combination
from linsep.types import Array, Hyperplane


def is_fragile(
    X: Any,
    s: Array,
    constant: bool,
    planes: Sequence[Hyperplane],
    left: Array,
    held: Combination | None,
    null: Sequence[Mapping[int, int]] | None,
    basis: Sequence[int] | None,
) -> bool:
    """Whether rounding could change a verdict that planes prove of all rows but those left, and weights of these."""
    if exact_inputs(X):
        return False
    rows = signed_rows(X, s, constant)
    vectors = [np.append(plane.w, plane.b)[: X.shape[1] + constant] for plane in planes]
    if directions_move(rows, vectors, np.setdiff1d(np.arange(X.shape[0]), left)):
        return True
    if held is None or not left.size:
        return False
    moves = weights_move(rows, held.as_dict(), less=len(null or ()), within=held.within, basis=basis)
    return moves or (null is not None and null_moves(rows, null, left))
