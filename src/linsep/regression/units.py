"""Columns in the units of a certificate: decimals are multiplied by a power of ten there, so that they are whole."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linsep.regression.design import Design
from linsep.tables import dense, is_sparse
from linsep.theory.rows.json_values import of_type
from linsep.types import Array

_WHOLE = 2**53  # every smaller integer is a double
_LARGEST = 5000  # power of ten


class Units(NamedTuple):
    """Column -> the power of ten that it is multiplied by; `nearest`: doubles stand for their shortest decimals."""

    powers: Mapping[str, int]
    nearest: bool = False

    def of_design(self, design: Design) -> Design:
        """The design with its columns in these units, exactly; a column that would not be whole stays as it is."""
        asked = {name: self.powers.get(name, 0) - design.powers.get(name, 0) for name in design.names}
        if not any(asked.values()):
            return design
        X: Any = design.X.astype(np.float64).tolil() if is_sparse(design.X) else np.array(design.X, dtype=object)
        for j, k in enumerate(asked.values()):
            found = self.times(dense(X[:, [j]]).ravel(), k) if k else None
            if found is not None:  # into numbers of any size: small integers, or singles, would not hold them
                X[:, [j]] = found[:, None]
        return design._replace(X=X.tocsr() if is_sparse(X) else X, powers=dict(self.powers))

    def of_frame(self, frame: Any) -> dict[str, Array]:
        """The columns of a table of pandas that are whole numbers in these units."""
        found = {name: self.times(frame[name].to_numpy(), k) for name, k in self.powers.items() if name in frame}
        return {name: values for name, values in found.items() if values is not None}

    def times(self, values: Array, k: int) -> Array | None:
        """Numbers times 10**k, if all of these are whole and doubles hold them.

        Examples
        --------
        >>> Units({}).times(np.array([0.5, 1.25]), 2).tolist(), Units({}).times(np.array([0.1]), 1)
        ([50.0, 125.0], None)
        >>> Units({}, nearest=True).times(np.array([0.1]), 1).tolist()
        [1.0]
        """
        if values.dtype.kind not in "iufO":
            return None
        several, where = np.unique(values, return_inverse=True)
        exact = [Fraction(repr(v)) if self.nearest else Fraction(v) for v in several.tolist()]
        whole = [v * Fraction(10) ** k for v in exact]
        if any(v.denominator > 1 or abs(v) > _WHOLE for v in whole):
            return None
        found: Array = np.array([int(v) for v in whole], dtype=np.float64)[where.reshape(-1)]
        return found


def different_columns(one: Design, other: Design) -> list[str]:
    """The names of columns that two designs do not share, of those that both have.

    Examples
    --------
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[1.0, 3.0]])
    >>> different_columns(Design(a, ["p", "q"], {}, {}), Design(b, ["p", "q"], {}, {}))
    ['q']
    """
    at = {name: j for j, name in enumerate(other.names)}
    pairs = [
        (name, dense(one.X[:, [j]]), dense(other.X[:, [at[name]]])) for j, name in enumerate(one.names) if name in at
    ]
    return [name for name, mine, theirs in pairs if (mine != theirs).any()]


def powers_of_plain(plain: Mapping[str, Any]) -> dict[str, int]:
    """The powers of ten that a certificate of the command names: column of the table -> power, if it is not 0.

    Examples
    --------
    >>> powers_of_plain({"columns": [{"column": "a", "exponent": 2}, {"column": "b", "level": "x"}]})
    {'a': 2}
    """
    if "columns" not in plain:
        return {}
    columns = [part for column in of_type(dict(plain), "columns", list) for part in column.get("factors", [column])]
    found = {part["column"]: part["exponent"] for part in columns if part.get("exponent") and "date" not in part}
    if not all(type(k) is int and abs(k) <= _LARGEST for k in found.values()):
        raise ValueError("the power of ten of a column is no whole number")
    return found
