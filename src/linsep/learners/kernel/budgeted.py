"""The kernel perceptron on a budget: one set of rows a plane, none larger than the budget, whatever comes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.clock import clock
from linsep.declared import MOST, ArraySpec, rows_declared
from linsep.kernels.dual.halving import halving_block
from linsep.kernels.dual.kept import Kept
from linsep.kernels.dual.projecting import projecting_block
from linsep.kernels.dual.removing import removing_block
from linsep.kernels.linear.sums import product
from linsep.kernels.records import COUNTS, SUMS
from linsep.learners.base.classifier import pack_rows, unpack_rows
from linsep.learners.kernel.function import KernelFunction, block_rows
from linsep.tables import dense
from linsep.theory.bounds.kernel import FORGETRON_LEAST_BUDGET, halving_bound, projection_bound, removal_bound
from linsep.theory.bounds.rounding import length_above
from linsep.types import Array, DataError

POLICIES = ("forgetron", "random", "projectron", "projectron++", "ahpatron")
# Those that drop rows keep the kernel values of all pairs of rows kept; the others a factor of full size.
_REMOVE = ("forgetron", "random", "ahpatron")
_ARRAYS = ("numbers", "coefs", "counts", "sums", "gram")


_LARGEST_BUDGET = 100_000  # 8 budget^2 bytes a plane


def check_budget(budget: Any, policy: str, average: str) -> None:
    """Raise for a budget that makes no sense; warn of one below which nothing is guaranteed."""
    if not (isinstance(budget, int | np.integer) and 1 <= budget <= _LARGEST_BUDGET):
        most = f"{_LARGEST_BUDGET:,}"
        raise DataError(f"budget must be a whole number of rows from 1 to {most}, or None, got {budget!r:.30}")
    if policy not in POLICIES:
        known = ", ".join(f'"{name}"' for name in POLICIES)
        raise DataError(f"no budget policy is called {policy!r}: choose from {known}")
    if average != "last":
        raise DataError(
            f'average="{average}" needs every row ever mistaken, and a budget drops them: use average="last"'
        )
    if policy == "forgetron" and budget < FORGETRON_LEAST_BUDGET:
        warnings.warn(
            f"the Forgetron's guarantee begins at a budget of {FORGETRON_LEAST_BUDGET} rows: with {budget} there is "
            "none before the run (mistake_bound tells what holds after it)",
            UserWarning,
            stacklevel=4,
        )


def budget_declared(arrays: Mapping[str, Array], n_planes: int, budget: int, policy: str) -> dict[str, ArraySpec]:
    """What the arrays of `Budgeted.arrays` must be."""
    declared = {"budget_seed": ArraySpec((1,), "whole", least=0, below=1 << 31)}
    for k in range(n_planes):
        plane = f"plane{k}"
        size: Any = f"rows of {plane}"
        side = size if policy in _REMOVE else budget
        declared |= rows_declared(plane, arrays, size)
        declared |= {
            f"{plane}_numbers": ArraySpec((size,), "whole", least=0),
            f"{plane}_coefs": ArraySpec((size,), "float64"),
            f"{plane}_counts": ArraySpec((len(COUNTS),), "whole", least=0, below=MOST),
            f"{plane}_sums": ArraySpec((len(SUMS),), "float64"),
            f"{plane}_gram": ArraySpec((side, side), "float64"),
        }
    return declared


class Plane:
    """The rows that one class keeps, oldest first."""

    def __init__(self, rows: Any, budget: int, removes: bool) -> None:
        self.rows = rows
        self.numbers = np.zeros(0, np.int64)
        self.coefs = np.zeros(0)
        self.counts = np.zeros(len(COUNTS), np.int64)
        self.sums = np.zeros(len(SUMS))
        # Kernel values of the rows with each other, or their Cholesky factor.
        self.gram = np.zeros((0, 0) if removes else (budget, budget))


class Budgeted:
    """Passes that keep at most `budget` rows a plane; `policy` is one of `POLICIES`."""

    def __init__(self, kernel: KernelFunction, policy: str, budget: int, empty: Any, n_planes: int, seed: int) -> None:
        self.kernel, self.policy, self.budget, self.seed = kernel, policy, budget, seed
        self.removes = policy in _REMOVE
        self.values = self.left = 0
        self.deadline = math.inf
        self.planes = [Plane(empty, budget, self.removes) for _ in range(n_planes)]

    def copy(self) -> Budgeted:
        """One whose passes leave this one as it is."""
        twin = copy(self)
        twin.deadline = math.inf
        twin.planes = [copy(plane) for plane in self.planes]
        for plane in twin.planes:
            plane.counts, plane.sums = plane.counts.copy(), plane.sums.copy()
        return twin

    # ------------------------------------------------------------------ training
    def run(self, X: Any, steps: Array, order: Array, visit: int, origin: int) -> tuple[int, int]:
        """Make one pass in this order (empty: of the rows); row i is number origin + i. Return (mistakes, updates)."""
        n, size = steps.shape[1], block_rows(X)
        before = self._counted()
        updates = self.left = 0
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
            for k, plane in enumerate(self.planes):
                y = np.ascontiguousarray(steps[k, at])
                updates += self._visit(plane, rows, own, y, at + origin, (k, visit + s))
        return self._counted() - before, updates

    def see(self, X: Any) -> None:
        """Learn max k(x, x) before the first of these rows is visited."""
        radius2 = float(self.kernel.diagonal(X).max())
        for plane in self.planes:
            plane.sums[SUMS.radius2] = radius2

    def _counted(self) -> int:
        return int(sum(plane.counts[COUNTS.mistakes] for plane in self.planes))

    def _visit(self, plane: Plane, X: Any, own: Array, y: Array, numbers: Array, where: tuple[int, int]) -> int:
        m, b = plane.rows.shape[0], len(y)
        across = self.kernel.between(X, plane.rows).astype(np.float64)
        self.values += across.size
        live = np.zeros(self.budget + 1, np.int64)
        live[:m] = np.arange(m)
        kept = Kept(live, np.concatenate([plane.coefs, np.zeros(b)]), plane.counts, plane.sums)
        updated = np.zeros(b, np.int64)
        # Float32 rows give kernel values that are no finer than their digits.
        tolerance = max(1e-10, 1e3 * float(np.finfo(X.dtype).eps))
        if self.removes:
            G = np.block([[plane.gram, across.T], [across, own]])
        try:
            if self.policy == "ahpatron":
                made = halving_block(G, y, kept, self.budget, tolerance, updated)
            elif self.removes:
                forget = self.policy == "forgetron"
                draws = np.zeros(0) if forget else _draws(self.seed, *where, b)
                made = removing_block(G, y, kept, self.budget, draws, forget, updated)
            else:
                both, plus = np.hstack([across, own]), self.policy == "projectron++"
                made = projecting_block(both, y, kept, plane.gram, self.budget, tolerance, plus, updated)
        except (
            ZeroDivisionError
        ):  # never of a model that was trained: its coefficients and kernel values fit each other
            raise DataError(
                "the rows that the model keeps, their coefficients and kernel values do not fit each other: fit again"
            ) from None
        slots = kept.live[: plane.counts[COUNTS.size]]
        plane.coefs = kept.coefs[slots]
        if not np.array_equal(slots, np.arange(m)):
            plane.numbers = np.concatenate([plane.numbers, numbers])[slots]
            plane.rows = _stack([plane.rows, X])[slots]
            if self.removes:
                plane.gram = G[np.ix_(slots, slots)]
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
        sizes = [len(plane.coefs) for plane in self.planes]
        coefs = np.zeros((len(sizes), sum(sizes)))
        for k, plane in enumerate(self.planes):
            start = sum(sizes[:k])
            coefs[k, start : start + sizes[k]] = plane.coefs
        return coefs

    def norm2(self) -> Array:
        """||w||^2 of each plane."""
        if self.removes:
            coefs = [plane.coefs[None] for plane in self.planes]
            each = zip(coefs, self.planes, strict=True)
            return np.array([product(product(c, plane.gram), c)[0, 0] for c, plane in each])
        return np.array([plane.sums[SUMS.energy] for plane in self.planes])

    def bounds(self, norm: float, loss: float) -> Array:
        """The bound of `linsep.theory.bounds.kernel` on the mistakes of each plane of this very run."""
        sums = [dict(zip(SUMS._fields, plane.sums.tolist(), strict=True)) for plane in self.planes]
        if self.policy == "ahpatron":
            return np.array(
                [
                    halving_bound(
                        norm,
                        loss,
                        energy=s["energy"],
                        distance=s["distance"],
                        margin_steps=s["margin_steps"],
                        ball=math.sqrt(s["ball2"]) or math.inf,
                    )
                    for s in sums
                ]
            )
        if self.removes:
            names = ("energy", "given_up", "damage", "shrinking")
            return np.array([removal_bound(norm, loss, **{name: s[name] for name in names}) for s in sums])
        ends = [
            {"norm_w": length_above(s["energy"]), "distance": s["distance"], "margin_steps": s["margin_steps"]}
            for s in sums
        ]
        return np.array([projection_bound(norm, loss, **end) for end in ends])

    # --------------------------------------------------------------------- state
    def arrays(self) -> dict[str, Array]:
        """Everything, as arrays."""
        made = {"budget_seed": np.array([self.seed])}
        for k, plane in enumerate(self.planes):
            made |= pack_rows(plane.rows, f"plane{k}")
            made |= {f"plane{k}_{name}": getattr(plane, name) for name in _ARRAYS}
        return made

    def take(self, arrays: dict[str, Array], n_features: int) -> None:
        """Take back what `arrays` gave."""
        self.seed = int(arrays["budget_seed"][0])
        for k, plane in enumerate(self.planes):
            plane.rows = unpack_rows(arrays, f"plane{k}", n_features)
            for name in _ARRAYS:
                setattr(plane, name, arrays[f"plane{k}_{name}"])
            if len(plane.coefs) > self.budget or plane.counts[COUNTS.size] != len(plane.coefs):
                raise DataError(
                    f"plane {k} counts {plane.counts[COUNTS.size]} rows, {len(plane.coefs)} of {self.budget} are there"
                )


def _stack(parts: list[Any]) -> Any:
    """One matrix of them all, in the format of the first."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate([dense(part) for part in parts])
    return sp.vstack([sp.csr_matrix(part) for part in parts], format="csr", dtype=parts[0].dtype)


def _draws(seed: int, plane: int, visit: int, n: int) -> Array:
    """A number in [0, 1) for each visit from `visit` on: the same however the rows are cut into blocks."""
    generator = np.random.Generator(np.random.Philox(key=(seed << 32) + plane, counter=visit))
    return generator.random(4 * n)[::4]  # a step of the counter makes four numbers
