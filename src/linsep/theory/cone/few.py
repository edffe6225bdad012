"""From positive weights in doubles that bring rows to 0 to few rows that do so.

Independent rows `basis` span all rows A: a_j = T_j A[basis]. Lowering a weight y_j by t changes the basic weights by
t T_j; when one of those would fall below its bound it leaves the basis and j enters, as in the simplex method. In the
end every row outside the basis has its weight at its bound, an integer: the basic weights then follow from one exact
system. With the bounds at 0 and one row left where it is, few rows have a weight: a witness. If no basic weight is 0
these few span everything.
"""

from __future__ import annotations

from copy import copy

import numpy as np
import scipy.linalg
from scipy.linalg import blas, lapack

from linsep.theory.rows.deadline import Deadline, time_left
from linsep.types import Array

RANK = 1e-9  # a column this close to the span of those before it counts as inside; what comes of it is verified
_LOWEST = 2.0**12  # the least bound of a weight in an overlap: integers, so rounding it loses little
_REFRESH = 600  # changes of the basis between two fresh inverses
CLEAR = 1e-6  # of the largest weight: rounding has not made this much of 0


class Support:
    """Weights `y` of the rows A, of which `basis` are independent on the `columns` and span all.

    LinAlgError where rounding hides the rank.
    """

    def __init__(self, A: Array, y: Array) -> None:
        weighted = A * y[:, None]
        R = scipy.linalg.qr(weighted, mode="r", check_finite=False)[0][: A.shape[1]]
        columns = np.arange(A.shape[1])
        if not is_regular(R):
            R, pivots = scipy.linalg.qr(R, mode="r", pivoting=True, check_finite=False)
            size = np.abs(np.diagonal(R))
            columns = pivots[: int((size > RANK * size[0]).sum())] if size.size and size[0] > 0 else columns[:0]
        if not columns.size:
            raise np.linalg.LinAlgError("no rank")
        order = np.arange(len(A))
        for k, other in enumerate(scipy.linalg.lu_factor(weighted[:, columns], check_finite=False)[1].tolist()):
            order[[k, other]] = order[[other, k]]
        self.A, self.y, self.columns = A[:, columns], y.astype(np.float64), columns.tolist()
        self.basis = order[: columns.size]
        self.low = np.zeros(len(A))
        self._refresh()
        if not (self.y > 0).all():
            raise np.linalg.LinAlgError("not positive")
        self.y *= 2 * _LOWEST / self.y[self.basis].min()
        self.low[self.basis] = np.floor(self.y[self.basis] / 2)

    def _refresh(self) -> None:
        """A fresh inverse, and basic weights that bring the sum to 0 again."""
        self.inverse = np.asfortranarray(np.linalg.inv(self.A[self.basis]))
        rest = self.y.copy()
        rest[self.basis] = 0.0
        self.y[self.basis] = -(rest @ self.A) @ self.inverse
        self.changes = 0

    def emptied(self, deadline: Deadline) -> Support:
        """Return a copy in which all rows outside the basis but one, the one of largest weight, have the weight 0."""
        out = copy(self)
        out.y, out.basis, out.inverse = self.y.copy(), self.basis.copy(), self.inverse.copy(order="F")
        out.low = np.zeros(self.y.size)
        outside = np.ones(self.y.size, dtype=bool)
        outside[self.basis] = False
        keep = int(np.where(outside, self.y, -1.0).argmax())
        out.lower(deadline, keep)
        out.y[keep] = 1.0
        return out

    def outside(self) -> Array:
        """The rows outside the basis that have a weight."""
        return np.setdiff1d(np.flatnonzero(self.y), self.basis)

    def weighty(self) -> Array:
        """The rows of the basis whose weights are clearly above 0."""
        weights = self.y[self.basis]
        return self.basis[weights > CLEAR * weights.max(initial=0.0)]

    def lower(self, deadline: Deadline, keep: int | None = None) -> None:
        """Bring every weight outside the basis to its bound, smallest first; row `keep` is left where it is.

        Raises
        ------
        OutOfTimeError
        """
        # Plain numbers for the weights outside the basis, arrays for those in it: a call costs more than the sums.
        outside, low = self.y.tolist(), self.low.tolist()
        basic = set(self.basis.tolist())
        weights, least = self.y[self.basis], self.low[self.basis]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for j in np.argsort(self.y, kind="stable").tolist():
                amount = outside[j] - low[j]
                if j in basic or amount <= 0 or j == keep:
                    continue
                time_left(deadline)
                T = self.A[j] @ self.inverse
                ratio = (least - weights) / T
                ratio[T >= -1e-10] = np.inf
                k = int(ratio.argmin())
                step = min(amount, max(float(ratio[k]), 0.0))
                weights += step * T
                if step == amount:
                    outside[j] = low[j]
                    continue
                gone = int(self.basis[k])
                outside[gone] = low[gone]
                basic ^= {gone, j}
                self.basis[k], weights[k], least[k] = j, outside[j] - step, low[j]
                if self._change(T, k):
                    self._keep(outside, weights)
                    self._refresh()
                    weights = self.y[self.basis]
        self._keep(outside, weights)

    def _keep(self, outside: list[float], weights: Array) -> None:
        """Enter the weights of all rows, then those of the basis."""
        self.y[:] = outside
        self.y[self.basis] = weights

    def _change(self, T: Array, k: int) -> bool:
        """The inverse after row k of A[basis] has become T A[basis]; whether it is time for a fresh one instead."""
        self.changes += 1
        if self.changes > _REFRESH:
            return True
        column = self.inverse[:, k] / T[k]
        other = T.copy()
        other[k] = 0.0
        self.inverse = blas.dger(-1.0, column, other, a=self.inverse, overwrite_a=1)
        self.inverse[:, k] = column
        return False


def is_regular(R: Array) -> bool:
    """Whether an upper triangular matrix is far from singular: then pivoting, which takes long, has nothing to find."""
    if not R.size or R.shape[0] != R.shape[1]:
        return False
    # R as the factors of itself, L = I and U = R: SciPy before 1.15 has no condition number of triangles alone.
    condition, info = lapack.dgecon(R, np.abs(R).sum(axis=0).max())
    return bool(info == 0 and condition > 1e3 * RANK)
