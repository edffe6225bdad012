"""The fewest columns of a design that already separate some row, and the direction that shows it.

Let C be the directions d with z.d >= 0 for all rows z and z.d = 0 for the equalities. A set S of columns separates if
some d in C that is 0 outside of S and the constants makes a row strict; for a coefficient, if d is not 0 there. What
contains a set that separates does so too. So each set that separates meets the complement of each set that does not: a
smallest set that meets all complements known so far either separates, and is a smallest one, or is made larger until
no column can be added, which gives one more complement.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.data.columns import like
from linsep.regression.design import constant_columns
from linsep.regression.model import Regression
from linsep.tables import as_doubles, exact_table, is_sparse, stored_in
from linsep.theory.explanation.packing import hitting_set
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left, why_over
from linsep.theory.rows.exact_signs import row_signs
from linsep.theory.rows.integers import primitive
from linsep.theory.rows.linear_programme import quiet_highs, reaches_optimum
from linsep.theory.separation.exact_rows import column_multiples
from linsep.theory.separation.search.decide import find_proof
from linsep.theory.verify.cone import Rows, Vector
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED, SeparationProof, coefficients
from linsep.types import DataError

_ABOVE_ROUNDING = 1e-7  # of what a direction with entries of at most 1 makes of rows whose largest entry is 1
_MOST_COLUMNS = 60  # among which the smallest set is proved
_MOST_ROUNDS = 60
_TO_PROVE = 0.5  # of the time of the search is kept for the proof of what it found
_IRREDUCIBLE = "none of them can be left out"
_MOST_ENTRIES = 5_000_000


class SmallestSet(NamedTuple):
    """Columns of a design that separate, as few as possible, with the direction that proves that they do.

    Attributes
    ----------
    columns : tuple of str
        The columns; the constants come free. Levels stand for themselves, as "dose=top".
    direction : dict
        Coefficient -> integer, constants included: along it the likelihood never falls, and rises in `rows`.
    rows : tuple of int
        The rows that it separates, by their places in the table.
    is_smallest : bool
        Whether it is proved that no smaller set separates.
    reason : str
        Why that is not proved, and whether a column of this set can be left out; empty if it is proved.
    """

    columns: tuple[str, ...]
    direction: dict[Any, int]
    rows: tuple[int, ...]
    is_smallest: bool
    reason: str = ""


def smallest_set(
    asked: Regression, proof: SeparationProof, name: Any = None, time_limit: float | None = None
) -> SmallestSet:
    """The fewest columns that separate, or that send the coefficient `name` to infinity, given a checked proof.

    Raises
    ------
    DataError
        No row is separated, there is no such coefficient, it is not infinite, or the design is too large.
    """
    names = asked.rows.names
    if not proof.cone.separated.size:
        raise DataError("no row is separated: there is no set of columns that separates")
    if name is not None and name not in names:
        raise DataError(f"no coefficient called {name!r}; {like(str(name), [str(one) for one in names])}")
    goal = None if name is None else names.index(name)
    if goal is not None and (proof.bases or not _is_open(proof.cone.null, goal) or _is_open(proof.null, goal)):
        raise DataError(f"the coefficient {name!r} is not infinite: no set of columns sends it there")
    cone = _Cone(asked, proof, goal, deadline_of(time_limit))
    try:
        some, reason = _searched(cone)
    except OutOfTimeError:
        some, reason = cone.best, why_over(time_limit)
    try:  # of all columns there is a proof already
        found = None if reason and len(some) == len(cone.columns) else cone.proof_of(some)
    except OutOfTimeError:
        found, reason = None, why_over(time_limit)
    return cone.told(found, reason)


def _is_open(null: Sequence[Vector], j: int) -> bool:
    """Whether a vector that is orthogonal to some rows has a j-th entry."""
    return any(j in v for v in null)


def _searched(cone: _Cone) -> tuple[list[int], str]:
    """Columns that separate, and why fewer might; that is empty if it is proved that they do not."""
    time_left(cone.deadline)
    known = cone.alone() if len(cone.columns) > _MOST_COLUMNS else []
    if not known:
        cone.start()
        known = cone.shrunk()
    if len(cone.columns) > _MOST_COLUMNS:
        least = known == cone.needed or (len(known) == 1 and cone.proof_within([]) is None)
        return known, "" if least else f"{_IRREDUCIBLE}, and among more than {_MOST_COLUMNS} columns fewer may do"
    complements: list[list[int]] = [[j] for j in cone.needed]
    for _ in range(_MOST_ROUNDS):
        hit = hitting_set(complements, {}, cone.deadline)
        if not hit.exact:
            time_left(cone.deadline)
            break
        few = hit.members
        if len(few) >= len(known):
            return known, ""
        if cone.guess(few):
            return few, ""
        others = [j for j in range(len(cone.columns)) if j not in few]
        inside = list(few)
        for j in others:
            if not cone.guess([*inside, j]):
                inside.append(j)
        if cone.proof_within(inside) is not None:  # rounding hid a direction
            break
        complements.append([j for j in others if j not in inside])
    return known, f"{_IRREDUCIBLE}, and the search for fewer found no end"


class _Cone:
    """Which sets of columns separate: guessed by a linear programme in doubles, proved by the search for proofs."""

    def __init__(self, asked: Regression, proof: SeparationProof, goal: int | None, deadline: Deadline) -> None:
        rows = asked.rows
        self.asked, self.proof, self.goal, self.deadline = asked, proof, goal, deadline
        held = np.flatnonzero(rows.equal) if proof.bases else np.array(proof.cone.basis or (), dtype=np.int64)
        self.separated = proof.cone.separated
        ids = np.concatenate([self.separated, held])
        self.Z, self.equal = rows.Z[ids], np.arange(ids.size) >= self.separated.size
        entries = stored_in(self.Z)
        if entries > _MOST_ENTRIES:
            raise DataError(
                f"the design has {entries:,} entries, and the smallest set is looked for in {_MOST_ENTRIES:,}: ask "
                "about fewer columns"
            )
        of_columns: dict[str, list[int]] = {}
        # Models of statsmodels have their constant among the columns.
        every = set(asked.design.names)
        design = every.difference(constant_columns(asked.design, asked.outcome.kept)) or every
        for j, one in enumerate(rows.names):
            column = one[1] if isinstance(one, tuple) else one
            if column in design:
                of_columns.setdefault(column, []).append(j)
        self.free = sorted(set(range(len(rows.names))) - {j for group in of_columns.values() for j in group})
        self.columns, self.groups = list(of_columns), list(of_columns.values())
        self.needed = [k for k, group in enumerate(self.groups) if goal in group]
        self.best = list(range(len(self.columns)))  # the fewest columns so far that separate

    def alone(self) -> list[int]:
        """The column whose coefficient alone, in one direction, separates the most rows; empty if none does."""
        Z = sp.coo_array(self.Z) if is_sparse(self.Z) else sp.coo_array(np.sign(as_doubles(self.Z)))
        some = Z.data != 0
        rows, ids, up = Z.row[some], Z.col[some], Z.data[some] > 0
        p = self.Z.shape[1]
        rising, falling = np.bincount(ids[up], minlength=p), np.bincount(ids[~up], minlength=p)
        held = np.bincount(ids[self.equal[rows]], minlength=p)
        found = np.where((held == 0) & (np.minimum(rising, falling) == 0), rising + falling, 0)
        best = [max((int(found[j]) for j in group if self.goal in (None, j)), default=0) for group in self.groups]
        self.best = [int(np.argmax(best))] if max(best, default=0) else self.best
        return self.best if max(best, default=0) else []

    def start(self) -> None:
        """Make the linear programme that guesses."""
        A = sp.csr_array(as_doubles(self.Z))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            largest = abs(A).max(axis=0).toarray().ravel()
            A = A @ sp.diags_array(1 / np.where(largest > 0, largest, 1.0))
            size = abs(A).max(axis=1).toarray().ravel()
            A = sp.csr_array(sp.diags_array(1 / np.where(size > 0, size, 1.0)) @ A)
        A.data[~np.isfinite(A.data)] = 0  # then the guess is wrong, and no proof comes of it
        self.highs = quiet_highs(tolerance=1e-9)
        n, p = A.shape
        for _ in range(p):
            self.highs.addVar(-1.0, 1.0)
        high = np.where(self.equal, 0.0, np.inf)
        self.highs.addRows(n, np.zeros(n), high, A.nnz, A.indptr[:-1], A.indices, A.data)
        strict = np.asarray(A[~self.equal].sum(axis=0)).ravel()
        unit = np.arange(p) == (-1 if self.goal is None else self.goal)
        # A coefficient whose limit is not determined may go either way.
        self.goals = [strict] if self.goal is None else [unit.astype(float), -unit.astype(float)]

    def guess(self, some: Sequence[int]) -> bool:
        """Whether these columns separate, up to rounding; those that do and are the fewest so far are kept as `best`.

        Raises
        ------
        OutOfTimeError
            What is left of the time is needed for the proof.
        """
        p = self.Z.shape[1]
        within = np.zeros(p)
        within[[*self.free, *(j for k in some for j in self.groups[k])]] = 1.0
        every = np.arange(p, dtype=np.int32)
        self.highs.changeColsBounds(p, every, -within, within)
        for goal in self.goals:
            self.highs.changeColsCost(p, every, -goal)
            with self.deadline.with_time_to_check(_TO_PROVE):
                optimal = reaches_optimum(self.highs, self.deadline)
            if optimal and -self.highs.getInfo().objective_function_value > _ABOVE_ROUNDING:
                self.best = min(self.best, list(some), key=len)
                return True
        return False

    def shrunk(self) -> list[int]:
        """Columns that separate, none of which can be left out; half of the others are tried at a time."""

        def least(base: list[int], tried: bool, rest: list[int]) -> list[int]:
            if tried and self.guess(base):
                return []
            if len(rest) == 1:
                return rest
            first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
            late = least([*base, *first], True, second)
            early = least([*base, *late], bool(late), first)
            return [*early, *late]

        every = [k for k in range(len(self.columns)) if k not in self.needed]
        found = [] if not every or self.guess(self.needed) else least(list(self.needed), False, every)
        return sorted([*self.needed, *found])

    def proof_of(self, some: Sequence[int]) -> tuple[SeparationProof, list[int]] | None:
        """The proof that these columns separate, with the numbers of its coefficients; None if they do not."""
        ids = sorted([*self.free, *(j for k in some for j in self.groups[k])])
        if not ids:
            return None
        Z = self.Z[:, ids]
        proof = find_proof(Z, self.equal, self.deadline, signs=False)
        said = coefficients(Rows(Z, equal=self.equal, ask=lambda: time_left(self.deadline)), proof)
        if not proof.cone.separated.size or (
            self.goal is not None and said[ids.index(self.goal)] in (FINITE, UNIDENTIFIED)
        ):
            return None
        return proof, ids

    def proof_within(self, some: Sequence[int]) -> tuple[SeparationProof, list[int]] | None:
        """The same in the midst of the search: time for another proof has to be left."""
        with self.deadline.with_time_to_check(_TO_PROVE):
            return self.proof_of(some)

    def told(self, found: tuple[SeparationProof, list[int]] | None, reason: str) -> SmallestSet:
        """The set of a proof; without one, what is known of all columns."""
        if found is None:
            found = self.proof, list(range(self.Z.shape[1]))
            reason = reason or "rounding hid which of them can be left out"
        proof, ids = found
        Z = self.Z[:, ids]
        d = _direction(Z, proof, None if self.goal is None else ids.index(self.goal))
        rows, design = self.asked.rows, self.asked.design
        strict = self.separated[np.flatnonzero(row_signs(Z, d) > 0)]
        at = design.places
        owners = np.unique(rows.owner[strict])
        units = zip(design.names, column_multiples(exact_table(design.X)), strict=True)
        multiples = {name: Fraction(10) ** design.powers.get(name, 0) * k for name, k in units}
        named = {rows.names[j]: v for j, v in zip(ids, d, strict=True) if v}
        exact = [v * multiples.get(_column(name), Fraction(1)) for name, v in named.items()]
        common = lcm(*(v.denominator for v in exact))
        whole = primitive([int(v * common) for v in exact])
        direction = dict(zip(named, whole, strict=True))
        columns = dict.fromkeys(_column(name) for name in direction if _column(name) in self.columns)
        return SmallestSet(tuple(columns), direction, tuple(at[owners[owners >= 0]].tolist()), not reason, reason)


def _column(name: Any) -> str:
    return str(name[1] if isinstance(name, tuple) else name)


def _direction(Z: Any, proof: SeparationProof, goal: int | None) -> list[int]:
    """A direction of C that makes every separated row strict; the coefficient `goal` is not 0."""
    several = list(proof.cone.directions)
    if goal is not None and not any(goal in v for v in several):
        several.append(next(v for v in proof.cone.null if goal in v))  # 0 on all rows that the directions leave
    every = [[v.get(j, 0) for j in range(Z.shape[1])] for v in several]
    left = [np.ones(Z.shape[0], dtype=bool)]  # the rows that each direction finds: those before it took others away
    for d in every:
        left.append(left[-1] & (row_signs(Z, d) == 0))
    found = every.pop()
    while every:
        d = every.pop()
        rows = Z[left[len(every)] & ~left[len(every) + 1]]  # where it has more than 0
        keeps, times = goal is None or bool(d[goal] or found[goal]), 1
        total = [a + b for a, b in zip(d, found, strict=True)]
        # d > 0 on these rows, exactly, so a multiple outweighs what was found; one of the two has the goal's entry.
        while (row_signs(rows, total) <= 0).any() or (keeps and goal is not None and not total[goal]):
            times *= 2
            total = [times * a + b for a, b in zip(d, found, strict=True)]
        found = total
    return found
