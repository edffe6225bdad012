"""The numbers of a formula's table: integers as doubles, and products that doubles would round."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from linsep.regression.formula_text import Formula, is_bare
from linsep.types import DataError

CONSTANT = "Intercept"  # as formulaic calls it
_NUMBERS = (int, float, Decimal, Fraction, np.number, date, timedelta)


def doubles_of(formula: Formula, frame: Any) -> dict[str, Any]:
    """The columns of integers and truth values as doubles: products and sums of integers may leave their type."""
    out = {}
    if CONSTANT in frame.columns:
        raise DataError(f"a formula takes a column called {CONSTANT!r} for the constant: rename it")
    for name in (formula.only_bare | formula.calculated).intersection(frame.columns):
        column, kind = frame[name], getattr(frame[name].dtype, "kind", "O")
        of_objects = column.dropna().tolist() if column.dtype == object else []
        odd = next((v for v in of_objects if isinstance(v, _NUMBERS) and not isinstance(v, bool)), None)
        odd = column.dropna().iloc[:1].tolist().pop() if kind in "mM" and not column.isna().all() else odd
        if odd is not None:
            raise DataError(
                f"column {name!r} holds {odd!r} as an object, which a formula would take for a level: make floats or "
                f"integers of it, or write C({name}) if it is one"
            )
        if kind in "iu" and len(column) and max(abs(int(column.max())), abs(int(column.min()))) > 2**53:
            raise DataError(f"column {name!r} has integers beyond 2^53, which a formula would round: divide the column")
        truths = bool(of_objects) and all(isinstance(v, bool | np.bool_) for v in of_objects)
        half_known = kind == "b" and column.isna().any()
        if truths or half_known or kind in "iu" or (kind == "f" and column.dtype.itemsize < 8):
            out[name] = _as_doubles(column)
    return out


def _as_doubles(column: Any) -> Any:
    """Numbers or truth values as doubles; missing ones are NaN."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return import_module("pandas").Series(values, index=column.index)


def rounded_products(formula: Formula, spec: Any, frame: Any) -> frozenset[str]:
    """The columns of products of floats of which one was rounded to a whole number.

    Raises
    ------
    DataError
        The factors of such a product are whole numbers, which count as exact.
    """
    bare = {name: frame[name] for name in formula.only_bare.intersection(frame.columns)}
    floats = {n: np.asarray(_as_doubles(c)) for n, c in bare.items() if getattr(c.dtype, "kind", "O") == "f"}
    rounded: set[str] = set()
    for term, at in spec.term_indices.items():
        columns = [floats[one.expr] for one in term.factors if is_bare(one) and one.expr in floats]
        if len(columns) < 2:
            continue
        with np.errstate(all="ignore"):
            products = prod(columns)
        whole = all(np.array_equal(column, np.rint(column)) for column in columns)
        asked = np.abs(products) > 2.0**52 if whole else products == np.rint(products)
        for factors in np.unique(np.column_stack(columns)[asked], axis=0).tolist():
            if prod(map(Fraction, factors)) != prod(factors):
                if whole:
                    raise DataError(
                        f"the products {str(term)!r} are beyond 2^53, which doubles round: divide the columns"
                    )
                rounded.update(str(spec.column_names[j]) for j in at)
                break
    return frozenset(rounded)
