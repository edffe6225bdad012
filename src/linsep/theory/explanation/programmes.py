"""Programmes that suggest which rows have to go: few removed by a direction, cheap witnesses, rows that hit them all.

A direction d leaves the rows with d.z > 0 separable, so those with d.z <= 0 may go. The fewest such rows are hard to
find (Johnson and Preparata 1978); what is found here is an upper bound. The hinge loss is least where few rows are
wrong by much; rows that are wrong weigh less in the next round, so that few rows are wrong at last.

Each witness loses a row, whatever rows go. So the least number of rows that hit all witnesses found is a lower bound;
the linear programme in its place, max sum w_k with at most 1 for the witnesses of each row, has weights that anyone
can check; where it says less, the rows of one witness are tried in turn.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.clock import clock
from linsep.tables import bounded_doubles, is_sparse, stored_in
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.rows.linear_programme import pass_columns, quiet_highs, reaches_optimum
from linsep.types import Array

_SMALL = 100_000  # entries up to which the hinge loss is minimised by a linear programme
_ROUNDS = 8  # of new weights for the rows that are wrong
_STEPS = 10  # of conjugate gradients, for the first direction
_LEAST = 2.0**-1000  # of a scale: its inverse is finite
_FIRST_EPOCHS, _EPOCHS = 10, 200  # of the descent, where there is a limit of time; at most
_HEAVY = 100.0  # the weight of rows that may not be wrong
_SOFT = 0.05  # a row that is wrong by v has the weight 1 / (v + this) in the next round


def directions(X: Any, s: Array, *, constant: bool, keep: int = 0, deadline: Deadline) -> Iterator[Array]:
    """Directions (w, b), or w without a constant, in floating point, each to have fewer rows on the wrong side.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
    s : ndarray of shape (n,)
        1 or -1.
    constant : bool
    keep : int
        The sign of rows that may not be wrong; 0 if all may.
    deadline : Deadline
    """
    A, scale = _scaled(X)
    stored = stored_in(A)
    weights = np.where(s == keep, _HEAVY, 1.0)
    epochs = _EPOCHS if np.isinf(deadline.at) else _FIRST_EPOCHS
    for k in range(_ROUNDS):
        began = clock()
        if began > deadline.at:
            return
        if stored <= _SMALL:
            d = _by_programme(A, s, weights, constant, deadline)
        else:
            d = _by_descent(A, s, weights, constant, epochs)
            now = clock()
            left = max(0.0, deadline.at - now) / (_ROUNDS - k) / max(now - began, 1e-6)
            epochs = int(max(1, min(_EPOCHS, epochs * left)))
        if d is None or not d.any():
            return
        w, b = d[: A.shape[1]], d[A.shape[1] :]
        sides = A @ w
        wrong = np.maximum(0.0, 1.0 - s * (sides + b.sum()))
        yield np.append(w / scale, [_best_constant(sides, s, b[0], keep)] if constant else [])
        weights = 1 / (wrong + _SOFT)
        weights = np.where(s == keep, _HEAVY, weights / weights.max())


def largest_of_columns(A: Any) -> Array:
    """The largest size of a number in each column, not so small that its inverse is no double; 1 for one of zeros."""
    largest = np.asarray(abs(A).max(axis=0).todense() if is_sparse(A) else abs(A).max(axis=0, initial=0.0)).reshape(-1)
    return np.where(largest > 0, np.maximum(largest, _LEAST), 1.0)


def by_least_squares(X: Any, s: Array, *, constant: bool, keep: int = 0) -> Array:
    """A first direction (w, b): a few steps towards the least squares of s_i - w.x_i, then the best constant b.

    Columns count by their size, not by their unit: a table of decimals is given as integers, times a power of ten.

    Examples
    --------
    >>> by_least_squares(np.array([[0.0, 10.0], [1.0, 30.0]]), np.array([-1, 1]), constant=True).round(3).tolist()
    [4.0, -0.1, 0.0]
    """
    from scipy.sparse.linalg import lsqr

    A, scale = _scaled(X)
    w = lsqr(A, s, iter_lim=_STEPS)[0]
    return np.append(w / scale, [_best_constant(A @ w, s, 0.0, keep)] if constant else [])


def _scaled(X: Any) -> tuple[Any, Array]:
    """The table as doubles with columns of size 1, and by what they were divided."""
    A: Any = bounded_doubles(X)
    scale = largest_of_columns(A)
    return sp.sparse.csr_matrix(A @ sp.sparse.diags_array(1 / scale)) if is_sparse(A) else A / scale, scale


def _best_constant(sides: Array, s: Array, b: float, keep: int = 0) -> float:
    """The constant beside w.x_i with the fewest rows on the wrong side and one of each class on its own; b if as good.

    All rows of the sign `keep` are on their own side.

    Examples
    --------
    >>> _best_constant(np.array([0.0, 1.0, 2.0, 3.0]), np.array([-1, -1, -1, 1]), -1.5)
    -2.5
    """
    order = np.argsort(sides, kind="stable")
    values, plus = sides[order], s[order] > 0
    lost, won = np.cumsum(plus)[:-1], np.cumsum(~plus)[:-1]  # of those below each gap
    n_plus, n_minus = int(np.count_nonzero(plus)), int(np.count_nonzero(~plus))
    least = n_minus if keep < 0 else 1  # of those on their own side
    may = (values[1:] > values[:-1]) & (lost < (1 if keep > 0 else n_plus)) & (won >= least)
    wrong = np.where(may, lost + n_minus - won, sides.size)
    k, at_b = int(wrong.argmin()), s * (sides + b) <= 0
    is_as_good = np.count_nonzero(at_b) <= wrong[k] and not at_b[s == keep].any()
    return b if is_as_good else float(-(values[k] + values[k + 1]) / 2)


def with_constant(A: Any, constant: bool) -> Any:
    """The rows (x, 1), or x without a constant, in CSR."""
    return sp.sparse.csr_matrix(
        sp.sparse.hstack([sp.sparse.csr_matrix(A), sp.sparse.csr_matrix(np.ones((A.shape[0], 1)))]) if constant else A
    )


def _by_programme(A: Any, s: Array, weights: Array, constant: bool, deadline: Deadline) -> Array | None:
    """The least sum of weights times max(0, 1 - s (A w + b)), by HiGHS."""
    from scipy.optimize import linprog

    n, p = A.shape
    Z = sp.sparse.diags_array(s) @ with_constant(A, constant)
    width = p + constant
    table: Any = -sp.sparse.csc_matrix(sp.sparse.hstack([Z, sp.sparse.eye_array(n)]))
    left = max(0.05, min(deadline.at - clock(), 600.0))
    found: Any = linprog(
        np.append(np.zeros(width), weights),
        A_ub=table,
        b_ub=-np.ones(n),
        bounds=[(None, None)] * width + [(0, None)] * n,
        options={"time_limit": left},
    )
    return None if found.x is None else np.asarray(found.x[:width])


def _by_descent(A: Any, s: Array, weights: Array, constant: bool, epochs: int) -> Array:
    """The same, nearly, by LIBLINEAR's dual coordinate descent."""
    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = LinearSVC(C=10.0, fit_intercept=constant, intercept_scaling=1.0, max_iter=epochs, random_state=0)
        learner.fit(A, s, sample_weight=weights)
    return np.append(learner.coef_[0], learner.intercept_ if constant else [])


_NONE = 1e-9  # weights up to this are taken for 0


class Vertex(NamedTuple):
    """Rows of a vertex, in ascending order (none if every direction has a row on the wrong side), and a direction."""

    rows: list[int]
    direction: Array


class Alternative:
    """Vertices of {u >= 0, Z'u = 0, sum u = 1}, by a linear programme asked with one cost after the other.

    The supports of these vertices are the smallest sets of rows that no hyperplane separates (Gleeson and Ryan 1990).
    With costs c the least c.u is at such a vertex. Its multipliers d and t have d.z_i + c_i >= t for all rows: where
    t > 0 the rows that cost nothing are separable, by d.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
    s : ndarray of shape (n,)
        1 or -1.
    constant : bool

    Examples
    --------
    >>> from linsep.theory.rows.deadline import NEVER
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> Alternative(X, np.array([-1.0, 1, -1, 1]), constant=True).cheapest(np.array([0, 0, 0, 1.0]), NEVER).rows
    [0, 1, 2]
    """

    def __init__(self, X: Any, s: Array, *, constant: bool) -> None:
        A: Any = sp.sparse.csr_matrix(bounded_doubles(X))
        self.p, self.width = A.shape[1], A.shape[1] + constant
        self.scale = np.append(largest_of_columns(A), np.ones(int(constant)))
        Z: Any = sp.sparse.csr_matrix(
            sp.sparse.diags_array(s) @ with_constant(A, constant) @ sp.sparse.diags_array(1 / self.scale)
        )
        length = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1))).ravel()
        self.length = np.where(length > 0, length, 1.0)
        ones = sp.sparse.csr_matrix(np.ones((1, Z.shape[0])))
        table = sp.sparse.csc_matrix(sp.sparse.vstack([(sp.sparse.diags_array(1 / self.length) @ Z).T, ones]))
        self.highs, none = quiet_highs(presolve=False), np.zeros(table.shape[1])
        pass_columns(self.highs, table, none, none, none + np.inf, np.append(np.zeros(self.width), 1.0))

    def cheapest(self, cost: Array, deadline: Deadline) -> Vertex | None:
        """The vertex of least cost, and a direction for the rows that cost nothing; None if HiGHS finds none.

        Raises
        ------
        OutOfTimeError
        """
        self.highs.changeColsCost(cost.size, np.arange(cost.size, dtype=np.int32), cost / self.length)
        if not reaches_optimum(self.highs, deadline):
            return None
        found = self.highs.getSolution()
        rows = np.flatnonzero(np.array(found.col_value) > _NONE).tolist()
        return Vertex(rows, -np.array(found.row_dual)[: self.width] / self.scale)


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
    return sp.sparse.csr_matrix((np.ones(columns.size), columns, starts), shape=(len(sets), names.size)), names
