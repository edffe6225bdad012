"""The separated rows that send each coefficient away, and in which direction."""

from __future__ import annotations

from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from linsep.data.columns import like
from linsep.regression.model import Regression
from linsep.tables import dense, is_sparse
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED, SeparationProof
from linsep.theory.words.of_coefficients import reason_of
from linsep.types import DataError

_FIRST = 5  # rows that the table of coefficients names
Estimate = Literal["finite", "+inf", "-inf", "none"]
_ESTIMATES: dict[str | float, Estimate] = {FINITE: "finite", inf: "+inf", -inf: "-inf"}


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
    Z = rows.Z[proof.cone.separated]
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
    check_name(name, rows.names)
    return _ways_of(asked, proof, rows.Z[proof.cone.separated][:, [rows.names.index(name)]])


def check_name(name: Any, names: list[Any]) -> None:
    """Raise DataError if there is no such coefficient."""
    if name not in names:
        raise DataError(f"no coefficient called {name!r}; {like(str(name), list(map(str, names)))}")


def _ways_of(asked: Regression, proof: SeparationProof, part: Any) -> dict[int, int]:
    """Place of a separated row -> the way in which it pushes a coefficient; `part` is its column in these rows."""
    rows = asked.rows
    signs = np.array([(v > 0) - (v < 0) for v in dense(part).ravel().tolist()], dtype=np.int64)
    places = asked.design.places
    ways: dict[int, set[int]] = {}
    for owner, sign in zip(rows.owner[proof.cone.separated].tolist(), signs.tolist(), strict=True):
        if sign and owner >= 0:
            ways.setdefault(int(places[owner]), set()).add(sign)
    return {row: sum(both) for row, both in sorted(ways.items())}
