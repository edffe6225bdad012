"""What a formula calculates: its terms are named, and integers that leave their type are refused.

Numbers of an expression are taken as doubles, or integers of 64 bits, calculate them: what a formula rounds on the way
is a part of the data, as it is for every program that fits the model.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from linsep.regression.formulas.formula_text import as_numbers, is_bare, is_coding, is_literal, shortened
from linsep.types import Array, DataError

_ARITHMETIC = (
    *(ast.Name, ast.expr_context, ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop),
    *(ast.Compare, ast.cmpop),
)
_NAMED = re.compile(r"""`([^`]*)`|Q\(\s*(['"])(.*?)\2\s*\)""")
_POWERS = range(64)
_ROUNDED = 1e-9  # of the largest number: what rounding may make beside fractions


def calculated_terms(terms: Iterable[Any], frame: Any) -> tuple[str, ...]:
    """The terms with an expression, and the products of columns that are no whole numbers.

    Raises
    ------
    DataError
        Products of whole numbers are beyond those that doubles hold.
    """
    found = []
    for term in terms:
        columns = [as_numbers(frame[one.expr]).to_numpy() for one in _numbers_in(term, frame)]
        is_whole = all(np.array_equal(values, np.rint(values), equal_nan=True) for values in columns)
        if is_whole and len(columns) > 1:
            _refuse_beyond(columns, str(term))
        is_expression = any(not (is_bare(one) or is_literal(one) or is_coding(one)) for one in term.factors)
        if is_expression or (len(columns) > 1 and not is_whole):
            found.append(str(term))
    return tuple(found)


def _numbers_in(term: Any, frame: Any) -> Iterator[Any]:
    """The factors of a term that are columns of numbers."""
    for one in term.factors:
        if is_bare(one) and one.expr in frame.columns and getattr(frame[one.expr].dtype, "kind", "O") in "iufb":
            yield one


def _refuse_beyond(columns: list[Array], term: str) -> None:
    products = prod(columns)
    for factors in np.unique(np.column_stack(columns)[np.abs(products) > 2.0**52], axis=0).tolist():
        if prod(map(Fraction, factors)) != prod(factors):
            raise DataError(f"the products {term!r} are beyond 2^53, which doubles round: divide the columns")


def moved_column(column: Any, way: int) -> Any:
    """The column with each fraction moved by a unit in the last place; equal ones move together.

    Half of them, the same ones each time, move up with `way` 1 and down with -1, the others against it.
    """
    kind = np.float32 if str(column.dtype).lower() in ("float32", "float[pyarrow]") else np.float64
    values = column.to_numpy(dtype=kind, na_value=np.nan)
    distinct, place = np.unique(values, return_inverse=True)
    ends = np.random.default_rng(0).choice(np.array([-np.inf, np.inf], kind), len(distinct)) * kind(way)
    moved = np.where(values == np.rint(values), values, np.nextafter(values, ends[place]))
    return column.where(column.isna(), moved)


def refuse_wrapped(terms: Iterable[Any], frame: Any) -> None:
    """Raise DataError where sums, products and powers of integers are others than those of Python's integers."""
    numbers = {str(n): c for n, c in frame.items() if str(c.dtype).lower() in ("int64", "float64", "bool", "boolean")}
    integers = {name for name, column in numbers.items() if column.dtype in ("int64", "Int64")}
    for term in terms:
        alone = [numbers[one.expr] for one in _numbers_in(term, frame) if one.expr in integers]
        sizes = [float(np.abs(column).max()) for column in alone]
        for factor in term.factors:
            if not (is_bare(factor) or is_literal(factor)) and (found := _arithmetic_of(factor, numbers)):
                code, names, kind = found
                if integers.isdisjoint(names.values()):
                    continue
                given = {alias: numbers[name] for alias, name in names.items()}
                exact = {alias: column.astype(kind) for alias, column in given.items()}
                with np.errstate(all="ignore"), suppress(ArithmeticError, TypeError):
                    was, whole = (np.asarray(eval(code, {}, columns)) for columns in (given, exact))
                    size = np.abs(whole).max(initial=0)
                    is_integer = was.dtype.kind in "iu" or isinstance(was.flat[0], int)
                    sizes += [float(size)] * is_integer
                    apart = np.abs(was.astype(object) - whole) if kind is object else np.abs(was - whole)
                    sizes += [np.inf] * bool((apart > (0 if is_integer and kind is object else _ROUNDED * size)).any())
        if prod(max(1.0, size) for size in sizes) >= 2.0**63:
            raise DataError(f"the integers in {shortened(str(term))} leave the range of 64 bits: divide the columns")


def _arithmetic_of(factor: Any, numbers: Collection[str]) -> tuple[Any, dict[str, str], type] | None:
    """The code of an expression of operators between numbers, which columns its names are, and what is exact in it.

    Those are Python's integers; powers of powers could be too large for any machine, so there they are doubles.
    """
    names: dict[str, str] = {}

    def alias(found: re.Match[str]) -> str:
        names[f"quoted_{len(names)}_"] = found[1] or found[3]
        return f"quoted_{len(names) - 1}_"

    tree: ast.expr = ast.parse(_NAMED.sub(alias, factor.expr), mode="eval").body
    while isinstance(tree, ast.Call) and ast.unparse(tree.func) in ("I", "C") and tree.args:
        tree = tree.args[0]
    nodes = list(ast.walk(tree))
    names |= {node.id: node.id for node in nodes if isinstance(node, ast.Name) and node.id not in names}
    if not names or not {*names.values()} <= {*numbers} or not all(isinstance(node, _ARITHMETIC) for node in nodes):
        return None
    powers = [node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    is_small = all(isinstance(one, ast.Constant) and one.value in _POWERS for one in powers)
    kind = object if is_small else np.float64
    return compile(ast.fix_missing_locations(ast.Expression(tree)), "<formula>", "eval"), names, kind
