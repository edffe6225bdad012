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
from linsep.learners.base.keeping import Growing, pack_rows, unpack_rows
from linsep.learners.base.loop import is_interrupted
from linsep.learners.kernel_function import KernelFunction, block_rows, check_values, weighted_sum
from linsep.tables import dense
from linsep.types import Array, DataError


class Passes:
    """Passes over the rows X, a block at a time; `steps` (n_planes, n_rows) are y, times the weight of the row.

    Row i of X is number origin + i of those learnt from.

    Attributes
    ----------
    mistakes : int
        Mistakes of the last pass.
    values : int
        Kernel values computed.
    left : int
        Rows that the last pass did not come to: Ctrl-C or the clock ended it, as one can take minutes. It is then the
        last of all.
    deadline : float
        When to end, by the clock; looked at before each block.
    stoppable : bool
        Whether Ctrl-C ends a pass.
    """

    stoppable = False
    deadline = math.inf

    def __init__(self, kernel: KernelFunction, X: Any, steps: Array, origin: int) -> None:
        self.kernel, self.X, self.steps, self.origin = kernel, X, steps, origin
        self.mistakes = self.values = self.left = 0
        self._begun = False

    def run(self, order: Array) -> None:
        """Make one pass in this order (empty: as the rows stand)."""
        self.mistakes = 0
        self._begin()
        n, size = self.steps.shape[1], block_rows(self.X)
        for s in range(0, n, size):
            if self._has_to_stop():
                self.left = n - s
                return
            self._begun = True
            numbers = order[s : s + size] if len(order) else np.arange(s, min(n, s + size))
            at: Any = numbers if len(order) else slice(s, min(n, s + size))
            self._visit(self.X[at], at, numbers, s)

    def _has_to_stop(self) -> bool:
        # One block is made, however little time there is.
        return self._begun and ((self.stoppable and is_interrupted()) or clock() >= self.deadline)

    def _begin(self) -> None:
        """What is due before the first block of a pass."""

    def _visit(self, X: Any, at: Any, numbers: Array, start: int) -> None:
        """The rows of a block, which are those `at` a slice or at places, and begin with visit `start` of the pass."""
        raise NotImplementedError


class KeepingAll(Passes):
    """Passes that remember each mistake; `norm2` (n_planes,) is ||w||^2, and w is that of stored rows so far.

    Inside a pass only the kernel values with the rows mistaken *in this pass* are new: the decision value of a row is
    the one of its last visit plus what has been added since. So pass after pass costs n x (rows mistaken in it), not
    n x (rows ever mistaken). Half of that is due before the row's visit, half after; the second half is computed when
    the next pass begins, so a run of one pass does without.

    Attributes
    ----------
    rows, classes, visits : list of ndarray
        The mistakes of the pass in hand: row of X, plane, and number of the visit within the pass.
    places : ndarray, shape (n_rows,)
        Where the learner has put each row, -1 for those it has not.
    """

    def __init__(
        self, kernel: KernelFunction, X: Any, steps: Array, origin: int, norm2: Array, stored: Any, coefs: Array
    ) -> None:
        super().__init__(kernel, X, steps, origin)
        self.norm2, self.places = norm2, np.full(steps.shape[1], -1)
        # Rows that moved w in the pass before (at first, all there were before this run), and by how much.
        self._moved, self._moves = Growing(stored), Growing(coefs)
        self._Z = np.zeros(steps.shape)
        # Of an affine kernel one sum over all rows says everything.
        self._W, self._total = weighted_sum(stored, coefs), coefs.sum(axis=0)
        self._visited: list[tuple[Any, int]] = []

    def _begin(self) -> None:
        """Begin a new list of mistakes, and add to each row what was learnt after its visit of the pass before."""
        self.rows: list[Array] = []
        self.classes: list[Array] = []
        self.visits: list[Array] = []
        if not self._visited or self.kernel.affine:
            return
        moved, moves = self._moved.rows, self._moves.rows
        for at, before in self._visited:
            if before < moved.shape[0] and not self._has_to_stop():
                later = self.kernel.combine(self.X[at], moved[before:], moves[before:])
                self._Z[:, at] += later.T
                self.values += later.shape[0] * (moved.shape[0] - before)
        self._moved, self._moves = Growing(self.X[:0]), Growing(np.zeros((0, len(self.steps))))
        self._visited = []

    def _visit(self, X: Any, at: Any, numbers: Array, start: int) -> None:
        """One block: its values from one product, then row by row."""
        n_planes, b = len(self.steps), X.shape[0]
        Z = self._before(X, at)
        check_values(Z)
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
        if made:
            self._note(X, steps, rows[:made], classes[:made])
            self.rows.append(np.asarray(numbers[rows[:made]], dtype=np.int64))
            self.classes.append(classes[:made])
            self.visits.append(start + rows[:made])
            self.mistakes += made
        self._visited.append((at, self._moved.n))
        self._Z[:, at] = Z

    def _before(self, X: Any, at: Any) -> Array:
        """The decision values of a block when its turn comes."""
        if self.kernel.affine:
            self.values += self.steps[:, at].size
            return np.ascontiguousarray(self.kernel.of_sum(X, self._W, self._total).T)
        self.values += X.shape[0] * self._moved.n
        return np.ascontiguousarray(self._Z[:, at] + self.kernel.combine(X, self._moved.rows, self._moves.rows).T)

    def _note(self, X: Any, steps: Array, rows: Array, classes: Array) -> None:
        """Let the mistaken rows of a block move what comes after."""
        mistaken, place = np.unique(rows, return_inverse=True)
        moves = np.zeros((mistaken.size, len(steps)))
        moves[place, classes] = steps[classes, rows]
        if self.kernel.affine:
            self._W += weighted_sum(X[mistaken], moves)
            self._total += moves.sum(axis=0)
        else:
            self._moved.add(X[mistaken])
            self._moves.add(moves)


class Plane:
    """The rows that one class keeps on a budget, oldest first, and the Cholesky factor of their kernel values."""

    _ARRAYS = ("numbers", "coefs", "sums", "factor")

    def __init__(self, rows: Any, budget: int) -> None:
        self.rows = rows
        self.numbers = np.zeros(0, np.int64)
        self.coefs = np.zeros(0)
        self.sums = np.zeros(len(PROJECTED))
        self.factor = np.zeros((budget, budget))

    def copied(self) -> Plane:
        """One that may learn while this one stays: rows that are added to a factor do not touch those before."""
        twin = copy(self)
        twin.sums = self.sums.copy()
        return twin

    def arrays(self, prefix: str) -> dict[str, Array]:
        """All of it, as arrays whose names begin with the prefix."""
        return pack_rows(self.rows, prefix) | {f"{prefix}_{name}": getattr(self, name) for name in self._ARRAYS}

    @staticmethod
    def declared(prefix: str, arrays: Mapping[str, Array], budget: int) -> dict[str, ArraySpec]:
        """What these arrays must be."""
        rows = f"rows of {prefix}"
        return {
            **rows_declared(prefix, arrays, rows),
            f"{prefix}_numbers": ArraySpec((rows,), "whole", least=0),
            f"{prefix}_coefs": ArraySpec((rows,), "float64"),
            f"{prefix}_sums": ArraySpec((len(PROJECTED),), "float64"),
            f"{prefix}_factor": ArraySpec((budget, budget), "float64"),
        }

    def take(self, prefix: str, arrays: dict[str, Array], n_features: int) -> None:
        """Take back what `arrays` gave."""
        self.rows = unpack_rows(arrays, prefix, n_features)
        for name in self._ARRAYS:
            setattr(self, name, arrays[f"{prefix}_{name}"])
        if len(self.coefs) > len(self.factor):
            raise DataError(f"{prefix} has {len(self.coefs)} rows on a budget of {len(self.factor)}")


class OnBudget(Passes):
    """Passes of planes that keep so many rows at most, which they change."""

    def __init__(self, kernel: KernelFunction, X: Any, steps: Array, origin: int, planes: list[Plane]) -> None:
        super().__init__(kernel, X, steps, origin)
        self.planes = planes

    def _visit(self, X: Any, at: Any, numbers: Array, start: int) -> None:
        own = np.zeros((X.shape[0], X.shape[0]))
        self.kernel.with_itself(X, np.arange(X.shape[0]), own)
        self.values += own.size
        check_values(own)
        for plane, y in zip(self.planes, self.steps, strict=True):
            self._learn(plane, X, own, np.ascontiguousarray(y[at]), numbers + self.origin)

    def _learn(self, plane: Plane, X: Any, own: Array, y: Array, numbers: Array) -> None:
        before = plane.rows.shape[0]
        across = self.kernel.between(X, plane.rows).astype(np.float64)
        self.values += across.size
        live = np.zeros(len(plane.factor), np.int64)
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
        self.mistakes += made
        plane.coefs = coefs[live[:size]]
        if size > before:
            new = live[before:size] - before
            plane.numbers = np.concatenate([plane.numbers, numbers[new]])
            plane.rows = stack([plane.rows, X[new]])


def stack(parts: list[Any]) -> Any:
    """One matrix of them all, in the format of the first."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate([dense(part) for part in parts])
    return scipy.sparse.vstack([scipy.sparse.csr_matrix(part) for part in parts], format="csr", dtype=parts[0].dtype)
