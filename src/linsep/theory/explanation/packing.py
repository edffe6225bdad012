"""Witnesses and the rows that hit them: lower bounds on how many rows have to go, with a proof.

Each witness loses a row, whatever rows go. So the least number of rows that hit all witnesses found is a lower bound;
the linear programme in its place, max sum w_k with at most 1 for the witnesses of each row, has weights that anyone
can check; where it says less, the rows of one witness are tried in turn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.clock import clock
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.types import Array

_UNIT = 2**20  # weights of witnesses are multiples of its inverse
_NODES = 2_000  # parts of a proof
_DEEP = 6  # so far from the goal the branches would be too many


class Hit(NamedTuple):
    """Members of which each set has one, and how many it takes at least; `exact`: these are as few as possible."""

    members: list[int]
    least: int
    exact: bool


def hitting_set(sets: Sequence[Collection[int]], most: Mapping[frozenset[int], int], deadline: Deadline) -> Hit:
    """The fewest numbers of which each set has one, by HiGHS.

    Parameters
    ----------
    sets : sequence of collections of int
    most : mapping
        Of such a set of numbers at most so many may be taken.
    deadline : Deadline

    Raises
    ------
    OutOfTimeError
        Nothing was found in time; not before ten milliseconds nor after a minute.

    Examples
    --------
    >>> hitting_set([[0, 1], [1, 2]], {}, Deadline())
    Hit(members=[1], least=1, exact=True)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not sets:
        return Hit([], 0, True)
    table, names = _table(sets)
    conditions: list[Any] = [LinearConstraint(table, lb=1.0)]
    for some, number in most.items():
        inside = np.array([name in some for name in names.tolist()], dtype=np.float64)
        if inside.sum() > number:
            conditions.append(LinearConstraint(inside[None, :], ub=float(number)))
    left = max(0.01, min(deadline.at - clock(), 60.0))
    found: Any = milp(
        np.ones(len(names)),
        integrality=np.ones(len(names), dtype=np.int64),
        bounds=Bounds(0.0, 1.0),
        constraints=conditions,
        options={"time_limit": left},
    )
    if found.x is None:
        raise OutOfTimeError
    chosen = np.flatnonzero(found.x > 0.5)
    bound = getattr(found, "mip_dual_bound", None)
    least = chosen.size if found.status == 0 else int(np.ceil((0.0 if bound is None else bound) - 1e-6))
    return Hit(names[chosen].tolist(), int(least), found.status == 0)


def cover(witnesses: Sequence[dict[int, int]]) -> dict[int, float]:
    """The least shares of rows that come to 1 or more in each witness, by HiGHS.

    Examples
    --------
    >>> {row: round(share, 3) for row, share in cover([{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}]).items()}
    {0: 0.5, 1: 0.5, 2: 0.5}
    """
    from scipy.optimize import linprog

    if not witnesses:
        return {}
    table, names = _table(witnesses)
    found: Any = linprog(np.ones(names.size), A_ub=-table, b_ub=-np.ones(table.shape[0]), bounds=(0, 1))
    return {} if found.x is None else dict(zip(names.tolist(), found.x.tolist(), strict=True))


def packed(witnesses: Sequence[dict[int, int]], gone: frozenset[int] = frozenset()) -> dict[str, Any]:
    """The proof by weights of the witnesses without a row of `gone`: max sum w_k, at most 1 for those of each row.

    Examples
    --------
    >>> proof = packed([{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}])
    >>> round(sum(proof["weights"].values()) / proof["unit"], 3)
    1.5
    """
    from scipy.optimize import linprog

    kept = [k for k, witness in enumerate(witnesses) if not gone & witness.keys()]
    if not kept:
        return {"unit": 1, "weights": {}}
    table, _ = _table([witnesses[k] for k in kept])
    found: Any = linprog(-np.ones(len(kept)), A_ub=table.T, b_ub=np.ones(table.shape[1]), bounds=(0, 1))
    share = np.zeros(len(kept)) if found.x is None else np.maximum(found.x, 0.0)
    # Rounded down, in case of need after division by what a row has too much: so no row has more than a unit.
    whole = np.floor(share * (_UNIT / max(1.0, float((table.T @ share).max())))).astype(np.int64)
    return {"unit": _UNIT, "weights": {k: int(v) for k, v in zip(kept, whole.tolist(), strict=True) if v > 0}}


def sum_of(proof: dict[str, Any]) -> int:
    """The number of rows that a proof by weights shows."""
    total: int = sum(proof["weights"].values())
    return -(-total // int(proof["unit"]))


class Branching:
    """The proof that k rows have to go: weights where they are enough, else the rows of a witness in turn."""

    def __init__(self, witnesses: Sequence[dict[int, int]], deadline: Deadline) -> None:
        self.witnesses, self.deadline, self.nodes = witnesses, deadline, 0

    def prove(self, k: int, gone: frozenset[int] = frozenset()) -> dict[str, Any] | None:
        """The proof, or None if these witnesses or the number of parts do not suffice; may raise OutOfTimeError."""
        if clock() > self.deadline.at:
            raise OutOfTimeError
        self.nodes += 1
        if self.nodes > _NODES:
            return None
        if k <= 0:
            return {"unit": 1, "weights": {}}
        proof = packed(self.witnesses, gone)
        if sum_of(proof) >= k:
            return proof
        left = [j for j, witness in enumerate(self.witnesses) if not gone & witness.keys()]
        if not left or sum_of(proof) + _DEEP < k:
            return None
        chosen = min(left, key=lambda j: len(self.witnesses[j]))
        parts = []
        for i in sorted(self.witnesses[chosen]):
            part = self.prove(k - 1, gone | {i})
            if part is None:
                return None
            parts.append(part)
        return {"witness": chosen, "without": parts}


def _table(sets: Sequence[Collection[int]]) -> tuple[Any, Array]:
    """Which set has which member, a line each, and the members by column."""
    names, columns = np.unique([i for one in sets for i in one], return_inverse=True)
    starts = np.cumsum([0, *map(len, sets)])
    return sp.csr_matrix((np.ones(columns.size), columns, starts), shape=(len(sets), names.size)), names
