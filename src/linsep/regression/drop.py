"""What to do about separation: the rows and columns that remain, as ppmlhdfe keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import scipy as sp
from flint import fmpz_mat, nmod_mat

from linsep.markup import count
from linsep.regression.design import Design
from linsep.regression.model import Asked
from linsep.tables import as_doubles, check_finite, dense, exact_table, is_sparse, stored_in
from linsep.theory.cone.exact import PRIMES, pivots
from linsep.theory.rows.deadline import Deadline
from linsep.theory.separation.families import INTERCEPT, ORDERED, WITHOUT_INTERCEPT, Outcome, together
from linsep.theory.separation.find import find_proof
from linsep.theory.separation.model_rows import pairs_of, risk_pairs, with_constant
from linsep.theory.verify.cone import CertificateError, Rows, Vector
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED, SeparationProof, coefficients
from linsep.theory.words.of_regressions import listed
from linsep.types import Array, DataError, row_from_0

_TRIED = 50_000  # entries of a design for which removals are tried
_COARSE = 1e-9  # of the range of a column, which its roundings may take
_DOUBLE_POWERS = 300  # smaller powers of ten are doubles


class Remaining(NamedTuple):
    """The rows that no direction separates, and columns of the design that are independent on them.

    Attributes
    ----------
    X : ndarray or SciPy CSR matrix, shape (n_rows, n_columns)
        The design as doubles; the constant, if there is one, is its first column.
    y : ndarray, shape (n_rows,)
        The response: of an ordered model labels, as those of the table. The `OrderedModel` of statsmodels takes them
        as `pd.Series(pd.Categorical(kept.y, found.classes, ordered=True))`.
    names : list of str
        Names of the columns of X.
    rows : ndarray of int, shape (n_rows,)
        The places of the rows in the table that was asked about.
    dropped : list of str
        The columns that are left out: on these rows they are 0 or a combination of those that are kept.
    unchanged : list
        Coefficients whose estimate is the same as in the whole table: those called "finite".
    trials, weights, offset, event, strata, entry : ndarray of shape (n_rows,), or None
        What the regression was given beside y, of these rows.
    index : pandas.Index or None
        What the rows are called, if the table was a dataframe of pandas.
    """

    X: Any
    y: Array
    names: list[str]
    rows: Array
    dropped: list[str]
    unchanged: list[Any]
    trials: Array | None = None
    weights: Array | None = None
    offset: Array | None = None
    index: Any = None
    event: Array | None = None
    strata: Array | None = None
    entry: Array | None = None

    def __repr__(self) -> str:
        lost = f"; left out: {listed(self.dropped)}" if self.dropped else ""
        return f"<Remaining {count(len(self.rows), 'row')} of {listed(self.names)}{lost}>"

    @property
    def frame(self) -> Any:
        """X as a dataframe of pandas with the names of the columns, and of the rows, or their places without names.

        Examples
        --------
        >>> import numpy as np
        >>> Remaining(np.array([[1.0, 2.0]]), np.array([1]), ["a", "b"], np.array([7]), [], []).frame.loc[7, "b"]
        np.float64(2.0)
        """
        pandas = import_module("pandas")
        index = self.rows if self.index is None else self.index
        made = pandas.DataFrame.sparse.from_spmatrix if is_sparse(self.X) else pandas.DataFrame
        return made(self.X, index=index, columns=self.names)


def remaining(asked: Asked, proof: SeparationProof, said: Mapping[Any, str | float]) -> Remaining:
    """What remains of a regression without its separated rows, given a checked proof and what it says of coefficients.

    Raises
    ------
    DataError
        No row remains, a class of an ordered model has none, or rows of a multinomial or ordered model are
        separated from some of the other classes only.
    """
    design = asked.design
    kept, outcome = rows_that_remain(asked, proof)
    X, names = design_columns(design, asked.fit_intercept and asked.family not in WITHOUT_INTERCEPT)
    before = len(asked.rows.classes) - 1 if asked.family in ORDERED else 0  # thresholds
    left = asked.rows.Z[list(proof.cone.left)] if asked.family in WITHOUT_INTERCEPT else X[kept]
    lost = [j - before for j in columns_lost(left, proof)]
    columns = np.setdiff1d(np.arange(len(names)), lost)
    rows = design.places[kept]
    return Remaining(
        X[kept][:, columns],
        outcome.y,
        [names[j] for j in columns],
        rows,
        [names[j] for j in lost],
        [name for name, value in said.items() if value == FINITE],
        index=None if design.index is None else design.index[rows],
        offset=outcome.offset,
        **outcome.beside,
    )


def rows_that_remain(asked: Asked, proof: SeparationProof) -> tuple[Array, Outcome]:
    """The rows that no direction separates, and their outcome; DataError if the limit is no regression on them."""
    if asked.family == "cox":
        return _rows_at_risk(asked, proof)
    if asked.family == "conditional":  # each case stays compared with the rows of its own score
        at = np.flatnonzero(asked.outcome.kept)
        pairs, left = pairs_of(asked.outcome.take(at), asked.family), list(proof.cone.left)
        kept = at[np.unique([pairs.first[left], pairs.second[left]])]
        if not kept.size:
            raise DataError("every case is separated from all other rows: nothing remains to be estimated")
        return kept, asked.outcome.take(kept)
    kept = _rows_kept(asked, proof)
    return kept, asked.outcome.take(kept)


def infinite_after(asked: Asked, lost: Collection[str], onto: str = "") -> list[Any] | None:
    """What is infinite without some columns, whose entries the column `onto` takes over; None for a large design."""
    rows = asked.rows
    if stored_in(rows.Z) > _TRIED:
        return None
    columns = [name[1] if isinstance(name, tuple) else name for name in rows.names]
    among, Z = [j for j, name in enumerate(columns) if name not in lost], rows.Z[:, :]
    if not among:
        return []
    if onto:
        added = {name: j for name, j in zip(rows.names, range(len(columns)), strict=True) if columns[j] in lost}
        moved = sp.sparse.eye_array(len(columns), format="lil")
        for name, j in added.items():
            moved[j, rows.names.index((name[0], onto) if isinstance(name, tuple) else onto)] = 1
        Z = Z @ (moved.tocsr() if is_sparse(Z) else moved.toarray().astype(np.int64).astype(Z.dtype))
    Z = Z[:, among]
    proof = find_proof(Z, rows.equal, Deadline(), signs=False, may_be_near=True)
    try:
        said = coefficients(Rows(Z, equal=rows.equal), proof)
    except CertificateError:  # exact weights would take longer
        return None
    found = [rows.names[j] for j, value in zip(among, said, strict=True) if value not in (FINITE, UNIDENTIFIED)]
    return found if found or not proof.cone.separated.size else None  # of columns that depend on others nothing is said


def columns_lost(X: Any, proof: SeparationProof) -> list[int]:
    """The columns of the rows that are not separated, in their order, that are combinations of others."""
    return dependent_columns(X) if proof.bases else dependent(proof.cone.null, X.shape[1])[::-1]


def dependent_columns(X: Any) -> list[int]:
    """The columns that are combinations of those before them: modulo the prime that finds the fewest.

    Examples
    --------
    >>> dependent_columns(np.array([[0.5, 1.0, 1.0], [1.0, 2.0, 1.0]]))
    [1]
    """
    if not X.shape[0]:
        return [*range(X.shape[1])]
    whole = []
    for row in dense(exact_table(X)).tolist():
        ratios = [v.as_integer_ratio() for v in row]
        common = lcm(*(q for _, q in ratios))
        whole.append([m * (common // q) for m, q in ratios])
    # Columns that are independent modulo one prime are independent.
    needed = max((pivots(nmod_mat(fmpz_mat(whole), prime)) for prime in (2**61 - 1, *PRIMES)), key=len)
    return [j for j in range(X.shape[1]) if j not in needed]


def _rows_kept(asked: Asked, proof: SeparationProof) -> Array:
    """Which rows of the data are separated from no other class."""
    touched, left = asked.owners(proof)
    partly = np.intersect1d(touched, left)
    if partly.size:
        raise DataError(
            f"{row_from_0(asked.design.places[partly[0]])} is separated from some of the other classes only "
            f"({count(partly.size, 'such row')}): the limit is no regression on fewer rows; merge classes or levels, "
            "or penalise"
        )
    if not left.size:
        raise DataError("every row is separated: no row remains, and no coefficient has a finite estimate")
    if asked.family in ORDERED and (gone := np.setdiff1d(asked.outcome.classes, asked.outcome.y[left])).size:
        raise DataError(
            f"every row of the class {gone[0]!s} is separated, so a threshold has no estimate: merge classes"
        )
    return left


def scores_alike(outcome: Outcome, proof: SeparationProof) -> Array:
    """Which rows of a Cox model, all of which count, have one score far along all directions that separate: codes.

    An event stays compared with the rows at risk whose score is its own, exactly; those below it no longer count. So
    the limit of the partial likelihood is that of a model with these codes as strata.
    """
    from scipy.sparse.csgraph import connected_components

    n, left = len(outcome.y), np.asarray(proof.cone.left, dtype=np.int64)
    pairs = risk_pairs(outcome)
    compared = sp.sparse.csr_array((np.ones(left.size), (pairs.first[left], pairs.second[left])), shape=(n, n))
    codes: Array = connected_components(compared, directed=False)[1]
    return codes


def _rows_at_risk(asked: Asked, proof: SeparationProof) -> tuple[Array, Outcome]:
    """The rows of a Cox model that stay at risk at some event, or are at none, and their outcome.

    Rows that stay at risk at some of their events only have strata of equal scores.
    """
    if not len(proof.cone.left):
        raise DataError("every event is separated from all other rows at risk: nothing remains to be estimated")
    at = np.flatnonzero(asked.outcome.kept)
    outcome = asked.outcome.take(at)
    level = scores_alike(outcome, proof)
    alike, every = (_events_met(outcome, codes) for codes in (level, outcome.stratum))
    if ((alike > 0) & (alike < every)).any():
        outcome = outcome._replace(strata=level.astype(np.float64))
    stay = (alike > 0) | (every == 0)
    return at[stay], outcome.take(stay)


def _events_met(outcome: Outcome, codes: Array) -> Array:
    """At how many events of its own code each row is at risk."""
    time, event = outcome.y, outcome.happened
    out = np.zeros(len(time), dtype=np.int64)
    for at in together(codes):
        times = np.sort(time[at[event[at]]])
        before = 0 if outcome.entry is None else np.searchsorted(times, outcome.entry[at], "right")
        out[at] = np.searchsorted(times, time[at], "right") - before
    return out


def design_columns(design: Design, fit_intercept: bool) -> tuple[Any, list[str]]:
    """The design as doubles, with the constant as its first column if there is one, and the names of its columns.

    Decimals that are kept as whole numbers are decimals again, so that estimates are in the units of the table.

    Examples
    --------
    >>> design_columns(Design(np.array([[15], [20]]), ["a"], {}, {}, powers={"a": 1}), False)[0].ravel().tolist()
    [1.5, 2.0]
    """
    X = design.X.tocsr() if is_sparse(design.X) else np.asarray(design.X)
    powers = [design.powers.get(name, 0) for name in design.names]
    exact = _scaled(X, powers) if any(powers) else X
    X = as_doubles(exact)
    check_finite(X)
    if not is_sparse(exact) and exact.dtype.kind != "f":
        _refuse_coarse(exact, X, design.names)
    return (with_constant(X), [INTERCEPT, *design.names]) if fit_intercept else (X, list(design.names))


def _refuse_coarse(exact: Array, X: Array, names: Sequence[str]) -> None:
    """Raise DataError where doubles do not hold what the numbers of a column differ by."""
    coarse = np.spacing(np.abs(X).max(axis=0)) > _COARSE * np.ptp(X, axis=0)
    for j in np.flatnonzero(coarse).tolist():
        values = exact[:, j].tolist()
        if len({*values}) > 1 and any(Fraction(v) != w for v, w in zip(values, X[:, j].tolist(), strict=True)):
            raise DataError(
                f"the numbers of {names[j]!r} differ in digits beyond doubles: subtract one of them from all"
            )


def _scaled(X: Any, powers: list[int]) -> Any:
    """Columns of whole numbers divided by powers of ten; a quotient of doubles is the nearest one to the decimal."""
    if X.dtype == object or max(map(abs, powers)) > _DOUBLE_POWERS:
        return dense(X).astype(object) * np.array([Fraction(10) ** -k for k in powers], dtype=object)
    up, down = (np.array([10.0 ** max(way * k, 0) for k in powers]) for way in (-1, 1))
    if not is_sparse(X):
        return X * up / down
    return sp.sparse.csr_matrix((X.data * up[X.indices] / down[X.indices], X.indices, X.indptr), shape=X.shape)


def dependent(null: Iterable[Vector], width: int) -> list[int]:
    """Columns, the later ones first, without which the others of `width` are independent and span as much.

    `null` spans the vectors orthogonal to the rows, exactly: each eliminates the last of its columns. In a multinomial
    model there is a copy for each class, and one is looked at.

    Examples
    --------
    >>> dependent([{0: 1, 2: -2}, {3: 1}, {0: 1, 1: 1, 2: 1, 3: 5}], 4)
    [3, 2, 1]
    """
    pivots: dict[int, dict[int, Fraction]] = {}
    for vector in sorted(null, key=len):
        left = {j: Fraction(v) for j, v in vector.items() if v and j < width}
        while left:
            last = max(left)
            if last not in pivots:
                pivots[last] = left
                break
            k = left[last] / pivots[last][last]
            for j, v in pivots[last].items():
                left[j] = left.get(j, Fraction(0)) - k * v
                if not left[j]:
                    del left[j]
    return sorted(pivots, reverse=True)


def rows_that_move(found: Any) -> dict[Any, dict[int, int]]:
    """Coefficient without a finite estimate -> separated row in which it stands -> 1 or -1, or 0 for both.

    1 means that the likelihood of the row grows with the coefficient. Rows are places in the table. Of a Cox model they
    are those that fall behind at every event, if there are such: the events before them say nothing of a level.
    """
    asked, proof = found._asked()
    rows, separated = asked.rows, proof.cone.separated
    owner, Z = rows.owner[separated], rows.Z[separated]
    if asked.family == "cox" and len(proof.cone.left):
        behind = np.setdiff1d(np.flatnonzero(asked.outcome.kept), _rows_at_risk(asked, proof)[0])
        owner, Z = (behind, -exact_table(asked.design.X)[behind]) if behind.size else (owner, Z)
    places = asked.design.places[owner].tolist()
    Z = Z.tocsc() if is_sparse(Z) else Z
    at = {name: j for j, name in enumerate(rows.names)}
    out: dict[Any, dict[int, int]] = {}
    for name, said in found.coefficients.items():
        ways: dict[int, set[int]] = {}
        if said not in (FINITE, UNIDENTIFIED):
            for place, value in zip(places, dense(Z[:, [at[name]]]).ravel().tolist(), strict=True):
                if value:
                    ways.setdefault(place, set()).add(1 if value > 0 else -1)
        out[name] = {row: sum(both) for row, both in sorted(ways.items())}
    return out
