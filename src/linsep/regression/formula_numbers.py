"""The numbers of a formula's table: integers as doubles, and products that doubles would round."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from linsep.regression.formula_text import Formula, is_bare
from linsep.types import Array, DataError

CONSTANT = "Intercept"  # as formulaic calls it
_NUMBERS = (int, float, Decimal, Fraction, np.number, date, timedelta)


def numbers_of(formula: Formula, frame: Any) -> dict[str, Any]:
    """The columns of integers that are numbers, as doubles: their products and sums may leave their type."""
    out = {}
    if CONSTANT in frame.columns:
        raise DataError(f"a formula takes a column called {CONSTANT!r} for the constant: rename it")
    for name in (formula.only_bare | formula.calculated).intersection(frame.columns):
        column = frame[name]
        of_objects = column.dropna().tolist() if column.dtype == object else []
        kind = getattr(column.dtype, "kind", "O")
        odd = next((v for v in of_objects if isinstance(v, _NUMBERS) and not isinstance(v, bool)), None)
        odd = column.dropna().iloc[:1].tolist().pop() if kind in "mM" and not column.isna().all() else odd
        if odd is not None:
            raise DataError(
                f"column {name!r} holds {odd!r} as an object, which a formula would take for a level: make floats or "
                f"integers of it, or write C({name}) if it is one"
            )
        truths = bool(of_objects) and all(isinstance(v, bool | np.bool_) for v in of_objects)
        if truths or (kind == "b" and column.isna().any()) or (kind == "f" and column.dtype.itemsize < 8):
            out[name] = _as_doubles(column)
        if kind not in "iu":
            continue
        if len(column) and max(abs(int(column.max())), abs(int(column.min()))) > 2**53:
            raise DataError(f"column {name!r} has integers beyond 2^53, which a formula would round: divide the column")
        out[name] = _as_doubles(column)
    return out


def _as_doubles(column: Any) -> Any:
    """Numbers or truth values as doubles; missing ones are NaN."""
    missing = np.asarray(column.isna())
    out = np.full(len(column), np.nan)
    out[~missing] = np.asarray(column[~missing]).astype(np.float64)
    return import_module("pandas").Series(out, index=column.index)


def floats_of(formula: Formula, frame: Any) -> dict[str, Array]:
    """The columns of floats that stand by themselves; integers beside missing values are floats too."""
    columns = {name: frame[name] for name in formula.only_bare.intersection(frame.columns)}
    return {n: np.asarray(_as_doubles(c)) for n, c in columns.items() if getattr(c.dtype, "kind", "O") == "f"}


def rounded_products(spec: Any, floats: Mapping[str, Array]) -> frozenset[str]:
    """The columns of products of floats of which one was rounded to a whole number: what it lost is Dekker's sum."""
    found: set[str] = set()
    for term, at in spec.term_indices.items():
        columns = [floats[one.expr] for one in term.factors if is_bare(one) and one.expr in floats]
        for k, other in enumerate(columns[1:]):
            (high, low), (above, below) = (_halved(column) for column in (columns[k], other))
            with np.errstate(all="ignore"):
                columns[k + 1] = product = columns[k] * other
                lost = ((high * above - product) + high * below + low * above) + low * below
            if ((lost != 0) & (product == np.rint(product))).any():
                found.update(str(spec.column_names[j]) for j in at)
    return frozenset(found)


def _halved(column: Array) -> tuple[Array, Array]:
    """The upper 26 bits of each double, and the others."""
    with np.errstate(all="ignore"):
        far = column * (2.0**27 + 1)
        high = far - (far - column)
        return high, column - high


def refuse_rounded_products(spec: Any, whole: Mapping[str, Any]) -> None:
    """Raise DataError for a product of columns of integers that doubles may round."""
    for term in spec.term_indices:
        columns = [np.asarray(whole[one.expr]) for one in term.factors if is_bare(one) and one.expr in whole]
        if len(columns) < 2:
            continue
        sizes = prod(abs(column.astype(np.float64)) for column in columns)
        made = [prod(int(column[i]) for column in columns) for i in np.flatnonzero(sizes > 2.0**52).tolist()]
        if any(int(float(value)) != value for value in made):
            raise DataError(f"the products {str(term)!r} are beyond 2^53, which doubles round: divide the columns")
