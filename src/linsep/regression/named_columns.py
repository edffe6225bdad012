"""Where the columns of a formula's design come from: products of columns and levels of the table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from linsep.regression.design import Design
from linsep.tables import dense, is_sparse
from linsep.types import Array

_FACTOR = re.compile(
    r"(?:C\((?P<category>\w+)\b[^\[\]]*\)|(?P<column>[^:\[\]()]+))(?:\[(?:T\.)?(?P<level>[^\]]*)\])?(?::|$)"
)
_EXACT = 2**53  # smaller integers and their products are doubles


def columns_in_table(
    design: Design, effects: Mapping[str, tuple[str, ...]], table: Mapping[str, Array], powers: Mapping[str, int]
) -> list[dict[str, Any]] | None:
    """For each column of the design its name and its factors; None if a column is not such a product.

    The name of a column only suggests the factors. They count if their product is the column, exactly.

    Parameters
    ----------
    design : Design
        Of a formula.
    effects : mapping of str to tuple of str
        Fixed effect -> the columns whose levels together are its levels.
    table : mapping of str to ndarray of shape (n_rows,)
        The columns that the formula uses, as the design has them, in its rows.
    powers : mapping of str to int
        The power of ten by which a column was multiplied, if it was.

    Returns
    -------
    list of dict or None
        {"name": ..., "factors": [...]}, and "effect" for a column of a fixed effect. A factor is {"column": name} with
        "exponent" (a power of ten), "level" (1 where the cell is this text) or "equals" (1 where it is this number).

    Examples
    --------
    >>> dose, site = np.array([1.0, 2.0]), np.array(["a", "b"], dtype=object)
    >>> design = Design(np.array([[0.0], [2.0]]), ["dose:C(site)[T.b]"], {}, {})
    >>> columns_in_table(design, {}, {"dose": dose, "site": site}, {})[0]["factors"]
    [{'column': 'dose', 'exponent': 0}, {'column': 'site', 'level': 'b'}]
    """
    X = design.X.tocsc() if is_sparse(design.X) else design.X
    out = []
    for j, name in enumerate(design.names):
        effect = design.absorbed.get(name)
        pairs = _of_name(name) if effect is None else _of_effect(name, effect, effects[effect])
        if not pairs or any(column not in table for column, _ in pairs):
            return None
        factors = [_factor(table[column], column, level, powers) for column, level in pairs]
        parts = [values for _, values in factors]
        if None in [one for one, _ in factors] or not _is_product(dense(X[:, [j]]).ravel(), parts):
            return None
        out.append({"name": name, "factors": [one for one, _ in factors]} | ({"effect": effect} if effect else {}))
    return out


def _of_name(name: str) -> list[tuple[str, str | None]]:
    """(column, level or None) of each factor, as formulaic writes them; empty if it is something else."""
    out, at = [], 0
    while at < len(name):
        found = _FACTOR.match(name, at)
        if found is None:
            return []
        out.append((found["category"] or found["column"], found["level"]))
        at = found.end()
    return out


def _of_effect(name: str, effect: str, columns: tuple[str, ...]) -> list[tuple[str, str | None]]:
    levels = name.removeprefix(f"{effect}=").split(":", len(columns) - 1)
    return list(zip(columns, levels, strict=True)) if len(levels) == len(columns) else []


def _factor(values: Array, column: str, level: str | None, powers: Mapping[str, int]) -> tuple[Any, Any]:
    """What a certificate says of a factor, and its numbers; (None, None) if the column is not of that kind."""
    if level is None:
        of_numbers = values.dtype.kind in "biuf"
        return ({"column": column, "exponent": powers.get(column, 0)}, values) if of_numbers else (None, None)
    if values.dtype.kind not in "biuf":
        return {"column": column, "level": level}, values == level
    try:
        number = float(level)
    except ValueError:
        return None, None
    return {"column": column, "equals": level}, values == number


def _is_product(values: Array, parts: list[Any]) -> bool:
    """Whether numbers are the product of others, and none was rounded."""
    floats = [np.asarray(part).astype(np.float64) for part in parts]
    whole = all(bool((part == np.rint(part)).all()) for part in floats)
    found = prod(floats[1:], start=floats[0])
    if sum(part.max(initial=0) > 1 or part.min(initial=0) < 0 for part in floats) > 1:
        return whole and bool(np.abs(found).max(initial=0) < _EXACT) and bool((found == values).all())
    return bool((found == values).all())
