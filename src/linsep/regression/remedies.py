"""What to do about separation: the rows and columns that remain, as ppmlhdfe keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from importlib import import_module
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from linsep.data.columns import like
from linsep.regression.design import Design
from linsep.regression.model import Regression
from linsep.tables import dense, is_sparse
from linsep.theory.separation.model_rows import with_constant
from linsep.theory.separation.sentences import INTERCEPT, reason_of
from linsep.theory.verify.separation import FINITE, UNIDENTIFIED, SeparationProof, Vector
from linsep.types import Array, DataError

_FIRST = 5  # rows that the table of coefficients names
Estimate = Literal["finite", "+inf", "-inf", "none"]
_ESTIMATES: dict[str | float, Estimate] = {FINITE: "finite", inf: "+inf", -inf: "-inf"}
# Families in which a row counts as a factor that tends to 1 where it is separated.
DROPPED = ("logistic", "binomial", "poisson", "negative-binomial", "multinomial")


class Remaining(NamedTuple):
    """The rows that no direction separates, and columns of the design that are independent on them.

    Attributes
    ----------
    X : ndarray or SciPy CSR matrix, shape (n_rows, n_columns)
        The design as doubles; the constant, if there is one, is its first column.
    y : ndarray, shape (n_rows,)
        The response.
    names : list of str
        Names of the columns of X.
    rows : ndarray of int, shape (n_rows,)
        The places of the rows in the table that was asked about.
    dropped : list of str
        The columns that are left out: on these rows they are 0 or a combination of those that are kept.
    unchanged : list
        Coefficients whose estimate is the same as in the whole table: those called "finite".
    """

    X: Any
    y: Array
    names: list[str]
    rows: Array
    dropped: list[str]
    unchanged: list[Any]


def remaining(asked: Regression, proof: SeparationProof) -> Remaining:
    """What remains of a regression when its separated rows are dropped, given a proof that was checked.

    Raises
    ------
    DataError
        No row remains, the limit is not known to be a regression on fewer rows, or rows of a multinomial model are
        separated from some of the other classes only.
    """
    if asked.family not in DROPPED:
        raise DataError(
            f"the limit of a model of the family {asked.family!r} is no regression on the rows that remain; this is so "
            f"for {', '.join(DROPPED)}"
        )
    design = asked.design
    kept = _rows_kept(asked, proof)
    X, names = design_columns(design, asked.fit_intercept)
    lost = set(dependent(proof.null, len(names)))
    columns = [j for j in range(len(names)) if j not in lost]
    coefficients = asked.shown(proof)["coefficients"]
    return Remaining(
        X[kept][:, columns],
        asked.outcome.y[kept],
        [names[j] for j in columns],
        (np.arange(X.shape[0]) if design.rows is None else design.rows)[kept],
        [names[j] for j in sorted(lost)],
        [name for name, value in coefficients.items() if value == FINITE],
    )


def _rows_kept(asked: Regression, proof: SeparationProof) -> Array:
    """Which rows of the data are separated from no other class."""
    rows = asked.rows
    apart = np.zeros(len(rows.owner), dtype=bool)
    apart[list(proof.separated)] = True
    touched, left = (np.unique(rows.owner[part]) for part in (apart, ~apart))
    partly = np.intersect1d(touched, left)
    if partly.size:
        raise DataError(
            f"row {partly[0]} is separated from some of the other classes only ({partly.size:,} such rows): the limit "
            "is no regression on fewer rows; merge classes or levels, or penalise"
        )
    if not left.size:
        raise DataError("every row is separated: no row remains, and no coefficient has a finite estimate")
    return left


def firth(asked: Regression, proof: SeparationProof, options: dict[str, Any]) -> Any:
    """The fit by Firth's method, of firthmodels.

    Raises
    ------
    DataError
        The regression is not of the kind that is fitted.
    ImportError
        The package is not installed.
    """
    if (asked.family, asked.link) != ("logistic", "logit") or asked.outcome.beside:
        raise DataError("firth fits logistic regressions (logit) of rows without weights")
    if proof.bases or proof.null_all:
        raise DataError("some coefficients are not identified: leave out columns first, such as those drop() names")
    try:
        firthmodels = import_module("firthmodels")
    except ImportError as error:
        raise ImportError(
            "Firth's method is that of firthmodels, which is not installed: pip install firthmodels"
        ) from error
    X, names = design_columns(asked.design, False)
    y = (asked.outcome.y == asked.rows.classes[1]).astype(np.int64)
    fitted = firthmodels.FirthLogisticRegression(fit_intercept=asked.fit_intercept, **options).fit(dense(X), y)
    fitted.feature_names_in_ = np.array(names, dtype=object)  # as scikit-learn takes them from dataframes
    return fitted


class RowsOfCoefficient(NamedTuple):
    """Where a coefficient goes, why, and the rows that send it there: a line of a table.

    Attributes
    ----------
    name : str or (class, str)
        The coefficient.
    estimate : "finite", "+inf", "-inf" or "none"
        The maximum likelihood estimate, or its limit.
    why : str
        The reason; it tells the coefficients without an estimate apart, which have no determined limit or are not
        identified.
    rows : int
        Separated rows in which it stands; 0 for a finite one.
    up, down : int
        Of these, rows whose likelihood grows with the coefficient, and rows whose likelihood falls.
    first : tuple of int
        The first five, by their places in the table.
    level : str
        Of an indicator: the level, as "top of dose".
    """

    name: Any
    estimate: Estimate
    why: str
    rows: int
    up: int
    down: int
    first: tuple[int, ...]
    level: str


def table_of_rows(asked: Regression, proof: SeparationProof) -> list[RowsOfCoefficient]:
    """For each coefficient the separated rows that move it, infinite ones first."""
    out = []
    rows, all_said = asked.rows, asked.shown(proof)["coefficients"]
    Z = rows.Z[list(proof.separated)]
    Z = Z.tocsc() if is_sparse(Z) else Z
    at = {name: j for j, name in enumerate(rows.names)}
    for name, said in all_said.items():
        moved = {} if said in (FINITE, UNIDENTIFIED) else _ways_of(asked, proof, Z[:, [at[name]]])
        column, level = asked.design.levels.get(name[1] if isinstance(name, tuple) else name, ("", ""))
        ways = list(moved.values())
        counts = len(ways), sum(way > 0 for way in ways), sum(way < 0 for way in ways)
        first = tuple(list(moved)[:_FIRST])
        shown = f"{level} of {column}" if column else ""
        out.append(RowsOfCoefficient(name, _ESTIMATES.get(said, "none"), reason_of(said), *counts, first, shown))
    return sorted(out, key=lambda line: all_said[line.name] in (FINITE, UNIDENTIFIED))


def rows_of(asked: Regression, proof: SeparationProof, name: Any) -> dict[int, int]:
    """Separated rows in which a coefficient stands -> the way in which each pushes it.

    Raises
    ------
    DataError
        There is no such coefficient.
    """
    rows = asked.rows
    if name not in rows.names:
        raise DataError(f"no coefficient called {name!r}; {like(str(name), [str(one) for one in rows.names])}")
    return _ways_of(asked, proof, rows.Z[list(proof.separated)][:, [rows.names.index(name)]])


def _ways_of(asked: Regression, proof: SeparationProof, part: Any) -> dict[int, int]:
    """Place of a separated row -> the way in which it pushes a coefficient; `part` is its column in these rows."""
    rows = asked.rows
    signs = np.array([(v > 0) - (v < 0) for v in dense(part).ravel().tolist()], dtype=np.int64)
    places = np.arange(len(asked.outcome.y)) if asked.design.rows is None else asked.design.rows
    ways: dict[int, set[int]] = {}
    for owner, sign in zip(rows.owner[list(proof.separated)].tolist(), signs.tolist(), strict=True):
        if sign and owner >= 0:
            ways.setdefault(int(places[owner]), set()).add(sign)
    return {row: sum(both) for row, both in sorted(ways.items())}


def design_columns(design: Design, fit_intercept: bool) -> tuple[Any, list[str]]:
    """The design as doubles, with the constant as its first column if there is one, and the names of its columns."""
    X = design.X.tocsr() if is_sparse(design.X) else np.asarray(design.X)
    X = X.astype(np.float64)
    return (with_constant(X), [INTERCEPT, *design.names]) if fit_intercept else (X, list(design.names))


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
