"""Passes of the kernel perceptron: each kernel value computed once, and passes on a budget.

On a budget each plane has a set of rows, none larger than the budget, whatever comes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
import scipy

from linsep.clock import clock
from linsep.declared import ArraySpec, rows_declared
from linsep.kernels.dual import PROJECTED, dual_block, projecting_block
from linsep.learners.base.loop import is_interrupted
from linsep.learners.base.mistakes import Growing, pack_rows, unpack_rows
from linsep.learners.kernel_function import KernelFunction, block_rows, weighted_sum
from linsep.tables import dense
from linsep.theory.bounds.kernel import projection_bound
from linsep.theory.bounds.rounding import length_above
from linsep.types import Array, DataError


class Passes:
    """Mistake-driven passes over `X`, `steps` (n_planes, n_rows) being y, times the weight of the row.

    Inside a pass only the kernel values with the rows mistaken *in this pass* are new: the decision value of a row is
    the one of its last visit plus what has been added since. So pass after pass costs n x (rows mistaken in it), not
    n x (rows ever mistaken). Half of that is due before the row's visit, half after; the second half is computed when
    the next pass begins, so a run of one pass does without.

    Attributes
    ----------
    rows, classes, visits : list of ndarray
        The mistakes of the pass in hand: row of X, plane, and number of the visit within the pass.
    norm2 : ndarray, shape (n_planes,)
        ||w||^2.
    values : int
        Kernel values computed.
    left : int
        Rows that the last pass did not come to: Ctrl-C or the clock ended it, as one can take minutes. It is then the
        last of all.
    deadline : float
        When to end, by the clock; looked at before each block.
    """

    stoppable = False
    deadline = math.inf

    def __init__(self, kernel: KernelFunction, X: Any, steps: Array, norm2: Array, stored: Any, coefs: Array) -> None:
        self.kernel, self.X, self.steps, self.norm2 = kernel, X, steps, norm2
        self.values = self.left = 0
        self._begun = False
        self._size = block_rows(X)
        # Rows that moved w in the pass before (at first, all there were before this run), and by how much.
        self._moved, self._moves = Growing(stored), Growing(coefs)
        self._Z = np.zeros(steps.shape)
        # Of an affine kernel one sum over all rows says everything.
        self._W, self._total = weighted_sum(stored, coefs), coefs.sum(axis=0)
        self._visited: list[tuple[Any, int]] = []
        self.forget()

    def forget(self) -> None:
        """Begin a new list of mistakes."""
        self.rows: list[Array] = []
        self.classes: list[Array] = []
        self.visits: list[Array] = []

    def run(self, order: Array) -> None:
        """Make one pass in this order (empty: as the rows stand)."""
        if self._visited and not self.kernel.affine:
            self._catch_up()
        n = self.steps.shape[1]
        for s in range(0, n, self._size):
            if self._has_to_stop():
                self.left = n - s
                return
            at = order[s : s + self._size] if len(order) else slice(s, min(n, s + self._size))
            self._visit(at, s)

    def _has_to_stop(self) -> bool:
        # One block is made, however little time there is.
        return self.stoppable and (is_interrupted() or (self._begun and clock() >= self.deadline))

    def _catch_up(self) -> None:
        """Add to each row what was learnt after its visit of the pass before."""
        moved, moves = self._moved.rows, self._moves.rows
        for at, before in self._visited:
            if before < moved.shape[0] and not self._has_to_stop():
                later = self.kernel.combine(self.X[at], moved[before:], moves[before:])
                self._Z[:, at] += later.T
                self.values += later.shape[0] * (moved.shape[0] - before)
        self._moved, self._moves = Growing(self.X[:0]), Growing(np.zeros((0, len(self.steps))))
        self._visited = []

    def _visit(self, at: Any, start: int) -> None:
        """One block: its values from one product, then row by row."""
        self._begun = True
        X = self.X[at]
        n_planes, b = len(self.steps), X.shape[0]
        Z = self._before(X, at)
        if not np.isfinite(Z).all():
            raise DataError("the kernel's values are too large for numbers: scale the rows down, or lower the degree")
        steps = np.ascontiguousarray(self.steps[:, at])
        G, known = np.zeros((b, b)), np.asarray((steps * Z <= 0).any(axis=0))
        rows, classes = np.zeros(b * n_planes, np.int64), np.zeros(b * n_planes, np.int64)
        wanted = np.flatnonzero(known)
        t = made = 0
        while t < b:
            if wanted.size:
                self.kernel.with_itself(X, wanted, G)
                self.values += b * wanted.size
                known[wanted] = True
            t, made = dual_block(G, known, steps, Z, self.norm2, rows, classes, t, made)
            wanted = np.array([t])
        self._note(X, at, start, steps, rows[:made], classes[:made])
        self._Z[:, at] = Z

    def _before(self, X: Any, at: Any) -> Array:
        """The decision values of a block when its turn comes."""
        if self.kernel.affine:
            self.values += self.steps[:, at].size
            return np.ascontiguousarray(self.kernel.of_sum(X, self._W, self._total).T)
        self.values += X.shape[0] * self._moved.n
        return np.ascontiguousarray(self._Z[:, at] + self.kernel.combine(X, self._moved.rows, self._moves.rows).T)

    def _note(self, X: Any, at: Any, start: int, steps: Array, rows: Array, classes: Array) -> None:
        """Log the mistakes of a block and let its mistaken rows move what comes after."""
        if rows.size:
            mistaken, place = np.unique(rows, return_inverse=True)
            moves = np.zeros((mistaken.size, len(steps)))
            moves[place, classes] = steps[classes, rows]
            if self.kernel.affine:
                self._W += weighted_sum(X[mistaken], moves)
                self._total += moves.sum(axis=0)
            else:
                self._moved.add(X[mistaken])
                self._moves.add(moves)
            numbers = np.arange(at.start, at.stop) if isinstance(at, slice) else at
            self.rows.append(np.asarray(numbers[rows], dtype=np.int64))
            self.classes.append(classes)
            self.visits.append(start + rows)
        self._visited.append((at, self._moved.n))


_ARRAYS = ("numbers", "coefs", "sums", "factor")


def budget_declared(arrays: Mapping[str, Array], n_planes: int, budget: int) -> dict[str, ArraySpec]:
    """What the arrays of `Budgeted.arrays` must be."""
    declared: dict[str, ArraySpec] = {}
    for k in range(n_planes):
        plane = f"plane{k}"
        declared |= rows_declared(plane, arrays, f"rows of {plane}")
        declared |= {
            f"{plane}_numbers": ArraySpec((f"rows of {plane}",), "whole", least=0),
            f"{plane}_coefs": ArraySpec((f"rows of {plane}",), "float64"),
            f"{plane}_sums": ArraySpec((len(PROJECTED),), "float64"),
            f"{plane}_factor": ArraySpec((budget, budget), "float64"),
        }
    return declared


class Plane:
    """The rows that one class keeps, oldest first, and the Cholesky factor of their kernel values."""

    def __init__(self, rows: Any, budget: int) -> None:
        self.rows = rows
        self.numbers = np.zeros(0, np.int64)
        self.coefs = np.zeros(0)
        self.sums = np.zeros(len(PROJECTED))
        self.factor = np.zeros((budget, budget))


class Budgeted:
    """Passes that keep at most `budget` rows a plane."""

    def __init__(self, kernel: KernelFunction, budget: int, empty: Any, n_planes: int) -> None:
        self.kernel, self.budget = kernel, budget
        self.values = self.left = 0
        self.deadline = math.inf
        self.planes = [Plane(empty, budget) for _ in range(n_planes)]

    def copy(self) -> Budgeted:
        """One whose passes leave this one as it is: rows that are added to a factor do not touch those before."""
        twin = copy(self)
        twin.deadline = math.inf
        twin.planes = [copy(plane) for plane in self.planes]
        for plane in twin.planes:
            plane.sums = plane.sums.copy()
        return twin

    # ------------------------------------------------------------------ training
    def run(self, X: Any, steps: Array, order: Array, origin: int) -> int:
        """Make one pass in this order (empty: of the rows); row i is number origin + i. Return the mistakes."""
        n, size = steps.shape[1], block_rows(X)
        made = self.left = 0
        for s in range(0, n, size):
            if s and clock() >= self.deadline:
                self.left = n - s
                break
            at = order[s : s + size] if len(order) else np.arange(s, min(n, s + size))
            rows = X[at]
            own = np.zeros((len(at), len(at)))
            self.kernel.with_itself(rows, np.arange(len(at)), own)
            self.values += own.size
            if not np.isfinite(own).all():
                raise DataError("the kernel's values are too large for numbers: scale the rows down")
            for plane, y in zip(self.planes, steps, strict=True):
                made += self._visit(plane, rows, own, np.ascontiguousarray(y[at]), at + origin)
        return made

    def _visit(self, plane: Plane, X: Any, own: Array, y: Array, numbers: Array) -> int:
        before = plane.rows.shape[0]
        across = self.kernel.between(X, plane.rows).astype(np.float64)
        self.values += across.size
        live = np.zeros(self.budget, np.int64)
        live[:before] = np.arange(before)
        coefs = np.concatenate([plane.coefs, np.zeros(len(y))])
        # Float32 rows give kernel values that are no finer than their digits.
        tolerance = max(1e-10, 1e3 * float(np.finfo(X.dtype).eps))
        both = np.hstack([across, own])
        try:
            size, made = projecting_block(both, y, live, before, coefs, plane.factor, plane.sums, tolerance)
        except ZeroDivisionError:  # never of a model that was trained
            raise DataError(
                "the rows that the model keeps, their coefficients and kernel values do not fit each other: fit again"
            ) from None
        plane.coefs = coefs[live[:size]]
        if size > before:
            new = live[before:size] - before
            plane.numbers = np.concatenate([plane.numbers, numbers[new]])
            plane.rows = _stack([plane.rows, X[new]])
        return made

    # ----------------------------------------------------------------- the model
    def rows(self) -> Any:
        """The rows of all planes, one plane after another."""
        return _stack([plane.rows for plane in self.planes])

    def numbers(self) -> Array:
        """Their numbers."""
        return np.concatenate([plane.numbers for plane in self.planes])

    def dual_coef(self) -> Array:
        """Coefficients (n_planes, rows of all planes): a plane has them on its own rows alone."""
        ends = np.cumsum([len(plane.coefs) for plane in self.planes])
        coefs = np.zeros((len(ends), ends[-1]))
        for own, end, plane in zip(coefs, ends, self.planes, strict=True):
            own[end - len(plane.coefs) : end] = plane.coefs
        return coefs

    def norm2(self) -> Array:
        """||w||^2 of each plane."""
        return np.array([plane.sums[PROJECTED.norm2] for plane in self.planes])

    def bounds(self, norm: float, loss: float) -> Array:
        """The bound of `linsep.theory.bounds.kernel` on the mistakes of each plane of this very run."""
        sums = [plane.sums.tolist() for plane in self.planes]
        return np.array([projection_bound(norm, loss, norm_w=length_above(q), distance=d) for q, d in sums])

    # --------------------------------------------------------------------- state
    def arrays(self) -> dict[str, Array]:
        """Everything, as arrays."""
        made: dict[str, Array] = {}
        for k, plane in enumerate(self.planes):
            made |= pack_rows(plane.rows, f"plane{k}")
            made |= {f"plane{k}_{name}": getattr(plane, name) for name in _ARRAYS}
        return made

    def take(self, arrays: dict[str, Array], n_features: int) -> None:
        """Take back what `arrays` gave."""
        for k, plane in enumerate(self.planes):
            plane.rows = unpack_rows(arrays, f"plane{k}", n_features)
            for name in _ARRAYS:
                setattr(plane, name, arrays[f"plane{k}_{name}"])
            if len(plane.coefs) > self.budget:
                raise DataError(f"plane {k} has {len(plane.coefs)} rows on a budget of {self.budget}")


def _stack(parts: list[Any]) -> Any:
    """One matrix of them all, in the format of the first."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate([dense(part) for part in parts])
    return scipy.sparse.vstack([scipy.sparse.csr_matrix(part) for part in parts], format="csr", dtype=parts[0].dtype)
