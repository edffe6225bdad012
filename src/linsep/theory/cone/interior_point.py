"""Which rows can be strictly positive, guessed by an interior-point method in floating point.

For rows Z the systems {y >= 0, Z'y = 0} and {s >= 0, s = Z d} have s.y = 0 between them, and some pair has
y_i + s_i > 0 for every i (Goldman and Tucker 1956): rows with s_i > 0 can be separated, the others carry an overlap.
The path Z'y = mu Z'1, s - Z d = mu 1, y_i s_i = mu starts at y = s = 1, d = 0 and leads to such a pair as mu goes to
0; it is followed by Mehrotra's predictor and corrector, each step two systems Z'diag(y/s)Z x = b.

Of dense rows the matrix is computed and factorised, which takes n p^2 and p^3/3 multiplications. Of sparse rows it is
not made as long as conjugate gradients, which multiply with Z and with Z', need no more than some dozens of products:
few digits of x are enough for a step of the path, and the diagonal, by which the system is scaled, takes away most of
what y/s spreads. Where some rows overlap and others do not, the last steps may need factors nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.clock import clock
from linsep.theory.cone.exact import MOST_DENSE
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, time_left
from linsep.types import Array

_STEPS = 80  # far more than a path needs that doubles can follow
_LAST_MU = 1e-18  # of y s, which begins at 1: below it doubles tell nothing new
_SHORT = 0.1  # after shorter steps, or one that leads away from the end, systems are solved to more digits
_SOLVED = 1e-6  # of the length of a system: what a step leaves of the residuals the next one sees
_FEW, _PER_COLUMN = 50, 0.25  # products after which conjugate gradients give up: factors take about as long
# Where y_i and s_i differ by a factor of 30 on every row and steps are long, it is clear which of them vanishes.
_APART = float(np.log(30.0))

Product = Callable[[Array], Array]


class Pair(NamedTuple):
    """`y`, `s` and `d` of the last step, all finite.

    `clear`: every row shows which of y and s goes to 0; `late`: no time left.
    """

    y: Array
    s: Array
    d: Array
    clear: bool
    late: bool


@np.errstate(all="ignore")  # a step with an entry that is not finite is not taken
def complementary_pair(Z: Any, deadline: Deadline) -> Pair:
    """Follow the path until each row shows on which side it is, or to the end of what doubles can tell.

    Parameters
    ----------
    Z : ndarray of float64 or CSR table, shape (n, p)
    deadline : Deadline
        No step is begun after it, nor one that would end after it if it took as long as the last one. The last pair
        is given.

    Examples
    --------
    >>> pair = complementary_pair(np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0]]), Deadline())
    >>> (pair.y > pair.s).tolist(), bool(pair.d[1] > 0), pair.clear
    ([True, True, False], True, True)
    """
    n, p = Z.shape
    square = (DenseSquare if isinstance(Z, np.ndarray) else SparseSquare)(Z, deadline)
    y, s, d = np.ones(n), np.ones(n), np.zeros(p)
    long_steps, clear, late, took = 0, False, False, 0.0
    for _ in range(_STEPS):
        mu = float(y @ s) / n
        began = clock()
        late = began + took > deadline.at
        if mu < _LAST_MU or late:
            break
        try:
            dy, ds, dd = _Newton(Z, y, s, d, mu, square.solver(y / s)).change()
        except np.linalg.LinAlgError:
            break
        a = min(1.0, 0.95 * _longest(y, dy), 0.95 * _longest(s, ds))
        after = y + a * dy, s + a * ds, d + a * dd
        if a < 1e-8 or not all(np.isfinite(part).all() for part in after):
            break
        y, s, d = after
        square.lossy |= a < _SHORT or float(y @ s) / n > mu
        took = clock() - began
        long_steps = long_steps + 1 if a > 0.9 else 0
        clear = long_steps >= 2 and float(abs(np.log(y / s)).min()) > _APART
        if clear or (long_steps and bool((Z @ d > 0.5 * s).all())):
            clear = True
            break
    return Pair(y, s, d, clear, late)


class _Newton:
    """Newton's equations of the path at one point: Z'(y/s)Z dd = ..., which `solve` solves; the other parts follow."""

    def __init__(self, Z: Any, y: Array, s: Array, d: Array, mu: float, solve: Product) -> None:
        self.Z, self.y, self.s, self.mu, self.solve = Z, y, s, mu, solve
        self.off_y, self.off_s = y @ Z, s - Z @ d

    def change(self) -> tuple[Array, Array, Array]:
        """Change of (y, s, d): the predictor says how far mu may fall, and how the path bends."""
        y, s = self.y, self.s
        dy, ds, _ = self._towards(0.0, 0.0)
        a = min(_longest(y, dy), _longest(s, ds))
        sigma = min(1.0, max((float((y + a * dy) @ (s + a * ds)) / y.size / self.mu) ** 3, 1e-6))
        return self._towards(sigma, dy * ds)

    def _towards(self, sigma: float, curved: Array | float) -> tuple[Array, Array, Array]:
        """Change towards y s = sigma mu with both residuals 1 - sigma times smaller."""
        left = 1.0 - sigma
        r = sigma * self.mu - self.y * self.s - curved
        rhs = left * self.off_y + ((r + left * self.y * self.off_s) / self.s) @ self.Z
        dd = self.solve(rhs)
        ds = self.Z @ dd - left * self.off_s
        return (r - self.y * ds) / self.s, ds, dd


def _longest(v: Array, dv: Array) -> float:
    """The step, at most 1, that keeps v + step dv >= 0."""
    return 1.0 / max(1.0, -float((dv / v).min()))


def conjugate_gradients(
    times: Product,
    scaled: Product,
    b: Array,
    start: tuple[Array, Array],
    steps: int,
    deadline: Deadline,
) -> tuple[Array, bool]:
    """The x of the last step, and whether b - Hx has at most `_SOLVED` times the length of b, both scaled.

    `times` multiplies with H, `scaled` with what is near its inverse; `start` is an x and its b - Hx.
    """
    goal = _SOLVED**2 * float(b @ scaled(b))
    x, r = start
    z = scaled(r)
    q, left = z, float(r @ z)
    for _ in range(steps):
        if left <= goal:
            return x, True
        if clock() > deadline.at:
            raise OutOfTimeError
        image = times(q)
        if not (bent := float(q @ image)) > 0:
            break
        a = left / bent
        x, r = x + a * q, r - a * image
        z = scaled(r)
        before, left = left, float(r @ z)
        q = z + (left / before) * q
    return x, False


def refined(times: Product, factors: Product, b: Array, deadline: Deadline) -> Array:
    """The x with Hx = b to most digits: `times` multiplies with H, and rounding spoils its `factors`.

    Raises
    ------
    OutOfTimeError
    """
    x = factors(b)
    return conjugate_gradients(times, factors, b, (x, b - times(x)), _FEW, deadline)[0]


class DenseSquare:
    """Z'diag(w)Z of an array, by Cholesky factors.

    `lossy`: rounding spoils the factors; conjugate gradients that they scale give most digits of a system back, for
    as much time as some columns more take.
    """

    def __init__(self, Z: Array, deadline: Deadline) -> None:
        self.Z, self.deadline, self.lossy = Z, deadline, False

    def solver(self, weights: Array) -> Product:
        """Factorise for these weights; may raise LinAlgError."""
        factors = _factorised(sp.linalg.blas.dsyrk(1.0, (self.Z * np.sqrt(weights)[:, None]).T))
        if not self.lossy:
            return factors

        def times(v: Array) -> Array:
            return np.asarray((weights * (self.Z @ v)) @ self.Z)

        return lambda b: refined(times, factors, b, self.deadline)


class SparseSquare:
    """Z'diag(w)Z of a CSR table, by conjugate gradients until they fail, then by Cholesky factors.

    The levels of a factor are columns that share no row: their block is diagonal, and they are taken out of every
    system. What is left of two factors needs ten products, where all columns needed hundreds.

    Examples
    --------
    >>> square = SparseSquare(sp.sparse.csr_array([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), Deadline())
    >>> square.solver(np.ones(3))(np.array([5.0, 3.0])).round(9).tolist()
    [1.0, 3.0]
    """

    def __init__(self, Z: Any, deadline: Deadline) -> None:
        self.deadline, self.hard, self.lossy, self.width = deadline, False, False, Z.shape[1]
        taken = np.zeros(self.width, dtype=bool)
        taken[_levels(Z, deadline)] = True
        self.taken, self.others = np.flatnonzero(taken), np.flatnonzero(~taken)
        self.L, self.R = sp.sparse.csr_array(Z[:, self.taken]), sp.sparse.csr_array(Z[:, self.others])
        self.LT, self.RT = sp.sparse.csr_array(self.L.T), sp.sparse.csr_array(self.R.T)
        self.L2, self.R2 = self.LT.power(2), self.RT.power(2)

    def solver(self, weights: Array) -> Product:
        """Conjugate gradients for these weights; each search begins from the best multiple of the one before.

        What is returned may raise LinAlgError and OutOfTimeError.
        """
        levels, diagonal = self.L2 @ weights, self.R2 @ weights
        levels, scale = (1.0 / np.where(part > 0, part, 1.0) for part in (levels, diagonal))
        last, factors = np.zeros(self.others.size), None

        def lifted(q: Array) -> Array:
            """What is left of weighted rows beside the levels."""
            return q - weights * (self.L @ (levels * (self.LT @ q))) if self.taken.size else q

        def times(v: Array) -> Array:
            return np.asarray(self.RT @ lifted(weights * (self.R @ v)))

        def solve(b: Array) -> Array:
            nonlocal last, factors
            goal = b[self.others] - self.RT @ (weights * (self.L @ (levels * b[self.taken])))
            found, near = last, False
            if not self.hard:
                image = times(last)
                part = float(last @ goal) / bent if (bent := float(last @ image)) > 0 else 0.0
                start = part * last, goal - part * image
                steps = _FEW + int(_PER_COLUMN * goal.size)
                found, near = conjugate_gradients(times, lambda r: scale * r, goal, start, steps, self.deadline)
            if not near:
                self.hard = True
                factors = factors or _factorised(self._made(weights, levels))
                found = refined(times, factors, goal, self.deadline) if self.lossy else factors(goal)
            last = found
            x = np.empty(self.width)
            x[self.others] = found
            x[self.taken] = levels * (b[self.taken] - self.LT @ (weights * (self.R @ found)))
            return x

        return solve

    def _made(self, weights: Array, levels: Array) -> Array:
        """The matrix without the levels as an array; LinAlgError if it is too large."""
        if self.others.size**2 > MOST_DENSE:
            raise np.linalg.LinAlgError("too many columns")
        weighted = self.RT.multiply(weights[None, :]).tocsr()
        cross = weighted @ self.L
        out = (weighted @ self.R).toarray() - (cross.multiply(levels[None, :]).tocsr() @ cross.T).toarray()
        return np.asfortranarray(out)


def _levels(Z: Any, deadline: Deadline) -> Array:
    """Columns that share no row: the most of three orders, or none where they are few; a long column is never one."""
    from linsep.kernels.elimination import disjoint_columns

    n, p = Z.shape
    columns = sp.sparse.csc_array(Z)
    starts, rows = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    sizes = np.diff(starts)
    short = np.flatnonzero((sizes > 0) & (sizes <= max(1, n // 10)))
    best, most = short[:0], p // 10
    for order in (short, short[::-1].copy(), short[np.argsort(sizes[short], kind="stable")]):
        time_left(deadline)
        owner = disjoint_columns(n, starts, rows, order)
        found = np.unique(owner[owner >= 0])
        if found.size > most:
            best, most = found, found.size
    return best


def _factorised(H: Array) -> Product:
    """Cholesky factors of a matrix in Fortran's order, which is overwritten.

    Raises
    ------
    LinAlgError
        It is indefinite, and more so than rounding explains.
    """
    diagonal = H.reshape(-1, order="F")[:: len(H) + 1]  # a view
    size = float(diagonal.sum()) / len(H)
    for ridge in (1e-14, 1e-11, 1e-8):
        # Directions orthogonal to all rows stay where they are; rounding makes H slightly indefinite on them.
        diagonal += ridge * size + 1e-300
        factor, info = sp.linalg.lapack.dpotrf(H, lower=0)
        if info == 0:
            return lambda b: np.asarray(sp.linalg.lapack.dpotrs(factor, b, lower=0)[0])
    raise np.linalg.LinAlgError("not positive definite")
