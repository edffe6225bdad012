"""What a formula calculates: its terms are named, and integers that leave their type are refused.

Numbers of an expression are taken as doubles, or integers of 64 bits, calculate them: what a formula rounds on the way
is a part of the data, as it is for every program that fits the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from linsep.regression.formulas.formula_text import as_numbers, columns_of, is_bare, is_coding, is_literal, shortened
from linsep.types import Array, DataError

_OF_TEXT = re.compile(r"""\((['"]?)str(ing)?\1\)|\bstr[.(]|\bhashed\(""")
_MAY_GROW = re.compile(r"\*|<<|left_shift|mul|pow|square|prod|sum|dot|add|subtract|map|apply|exp10")
_ROUNDED = 1e-6  # of the largest number: what rounding makes, of small integers in singles


def calculated_terms(terms: Iterable[Any], frame: Any) -> tuple[str, ...]:
    """The terms with an expression, and the products of columns that are no whole numbers.

    Raises
    ------
    DataError
        Products of whole numbers are beyond those that doubles hold.
    """
    found = []
    for term in terms:
        given = [frame[one.expr] for one in _numbers_in(term, frame)]
        columns = [as_numbers(column).to_numpy() for column in given]
        is_whole = all(np.array_equal(values, np.rint(values), equal_nan=True) for values in columns)
        if is_whole and len(columns) > 1:
            _refuse_beyond(columns, str(term), all(map(_is_single, given)))
        if _is_calculated(term) or (len(columns) > 1 and not is_whole):
            found.append(str(term))
    return tuple(found)


def _numbers_in(term: Any, frame: Any) -> Iterator[Any]:
    """The factors of a term that are columns of numbers."""
    for one in term.factors:
        if is_bare(one) and one.expr in frame.columns and getattr(frame[one.expr].dtype, "kind", "O") in "iufb":
            yield one


def _refuse_beyond(columns: list[Array], term: str, of_singles: bool) -> None:
    digits, kind, called = (24, np.float32, "singles") if of_singles else (53, np.float64, "doubles")
    products = prod(columns)
    for factors in np.unique(np.column_stack(columns)[np.abs(products) > 2.0 ** (digits - 1)], axis=0).tolist():
        if prod(map(Fraction, factors)) != float(kind(prod(factors))):
            raise DataError(f"the products {term!r} are beyond 2^{digits}, which {called} round: divide the columns")


def _is_single(column: Any) -> bool:
    return str(column.dtype).lower() in ("float32", "float[pyarrow]")


def moved_column(column: Any, way: int) -> Any:
    """The column with each fraction moved by a unit in the last place; equal ones move together.

    Half of them, the same ones each time, move up with `way` 1 and down with -1, the others against it.
    """
    kind = np.float32 if _is_single(column) else np.float64
    values = column.to_numpy(dtype=kind, na_value=np.nan)
    distinct, place = np.unique(values, return_inverse=True)
    ends = np.random.default_rng(0).choice(np.array([-np.inf, np.inf], kind), len(distinct)) * kind(way)
    moved = np.where(values == np.rint(values), values, np.nextafter(values, ends[place]))
    return column.where(column.isna(), moved)


@np.errstate(all="ignore")
def refuse_wrapped(terms: Iterable[Any], frame: Any, make: Callable[[Any, Any], Any]) -> None:
    """Raise DataError where a term or product of integers is another one of the same numbers as doubles.

    `make` gives the matrix of a list of terms and a frame, None where there is none: doubles have no bits, and halves,
    which functions make of 8 bits, no matrix. Bits and texts are compared with those of integers of 64 bits, and
    refused where these might not do: where something is multiplied, shifted or added up.
    """
    kinds = {str(name): getattr(column.dtype, "kind", "O") for name, column in frame.items()}
    for term in terms:
        own = set().union(*map(columns_of, term.factors))
        if not (_is_calculated(term) or len(list(_numbers_in(term, frame))) > 1):
            continue
        integers = [name for name in own if kinds.get(name, "O") in "iu"]
        if not integers:
            continue
        tables = (frame, *(_with_kind(frame, integers, kind) for kind in ("Float64", "Int64")))
        was, doubles, wide = (make([term], table) for table in tables)
        of_text, may = any(_OF_TEXT.search(factor.expr) for factor in term.factors), ""
        rounding = _ROUNDED * all(frame[name].dtype.itemsize > 1 for name in integers)
        if doubles is None or (of_text and not _are_same(was, doubles, rounding)):
            doubles, rounding = wide, 0.0
            may = "may " if _MAY_GROW.search(str(term)) else ""
        agree = wide is None or (_are_same(was, wide, rounding) and _names(was) == _names(wide))
        if may or not (agree and _are_same(was, doubles, rounding)):
            types = ", ".join(sorted({str(frame[name].dtype) for name in integers}))
            raise DataError(
                f"the integers in {shortened(str(term))} {may}leave the range of {types}, or are rounded: divide the "
                "columns, make doubles of them, or make the term a column of the table"
            )


def _names(made: Any) -> list[str]:
    return list(made.model_spec.column_names)


def _are_same(was: Any, doubles: Any, rounding: float) -> bool:
    if was is None or doubles is None:
        return False
    rounded = was.astype(np.float64)
    if was.shape != doubles.shape or (was.dtype.kind in "iu" and (rounded.astype(was.dtype) != was).nnz):
        return False
    if np.isfinite(rounded.data).all() != np.isfinite(doubles.data).all():
        return False
    apart = abs(doubles - rounded).data.max(initial=0.0)
    return not apart > rounding * np.abs(doubles.data).max(initial=0.0)


def _is_calculated(term: Any) -> bool:
    return any(not (is_bare(one) or is_literal(one) or is_coding(one)) for one in term.factors)


def _with_kind(frame: Any, integers: Iterable[str], kind: str) -> Any:
    """The frame with columns of integers as Float64 or Int64 of what holds them, which knows their missing values."""
    of_arrow = kind.lower().replace("float64", "double") + "[pyarrow]"
    kinds = {name: of_arrow if "pyarrow" in str(frame[name].dtype) else kind for name in integers}
    kinds |= {name: kind.lower() for name in integers if isinstance(frame[name].dtype, np.dtype)}
    return frame.astype(kinds)
