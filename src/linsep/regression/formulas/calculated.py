"""What expressions of a formula calculate: integers that leave their type are refused, and roundings have a size."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Set
from copy import deepcopy
from fractions import Fraction
from importlib import import_module
from math import prod
from typing import Any, NamedTuple

import numpy as np

from linsep.regression.formulas.formula_text import (
    Formula,
    as_numbers,
    columns_of,
    formulaic_package,
    is_bare,
    is_coding,
    is_literal,
    known_to_formulaic,
    shortened,
    tree_of,
)
from linsep.types import Array, DataError

# Methods of columns whose values are true or false.
_DECIDE = {"isin", "between", "isna", "isnull", "notna", "notnull", "eq", "ne", "gt", "ge", "lt", "le", "contains"}
# What chooses among numbers, compares, ranks or rounds them, and calculates nothing.
_CHOOSE = {"I", "C", "where", "select", "sign", "clip", "minimum", "maximum", "min", "max", "median", "isnan"}
_CHOOSE |= {"floor", "ceil", "trunc", "rint", "round", "digitize", "heaviside", "rank", "duplicated", "fillna", "abs"}
_CHOOSE |= {"logical_and", "logical_or", "logical_not", "lag", "shift"} | _DECIDE
# Functions that make whole numbers of whole numbers, if they make numbers of them.
_WHOLE = _CHOOSE | {"bool", "int", "len", "sum", "cumsum", "diff", "square", "multiply", "prod", "cumprod"}
_ROUND = {"floor", "ceil", "trunc", "rint", "round"}
# Functions of the text of a number, which is another one for doubles.
_OF_TEXT = {"hashed", "str", "map", "apply"}
_CASTS = {"astype", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
_LOGICAL = ast.BitAnd | ast.BitOr | ast.BitXor
_OF_INTEGERS = _LOGICAL | ast.Add | ast.Sub | ast.Mult | ast.Mod | ast.FloorDiv | ast.LShift | ast.RShift
_IN_EXPRESSIONS = (ArithmeticError, AttributeError, LookupError, NameError, SyntaxError, TypeError, ValueError)
_LEAST = 5e-324
_PATTERNS = 3  # of moves up and down
_EXACT_QUOTIENTS = 2.0**26  # quotients of smaller whole numbers are rounded to no other side of a whole number


class _Calculated(NamedTuple):
    """An expression: how large its numbers are, and how far doubles may have rounded them; -1 where they have not."""

    size: float
    unit: float


def refuse_wrapped(terms: Iterable[Any], frame: Any, kept: Array) -> None:
    """Raise DataError where integers in expressions make other numbers than as doubles: they have left their type.

    Products of the expressions may leave it, too.
    """
    found: dict[str, float] = {}
    for term in terms:
        factors = [factor for factor in term.factors if not is_literal(factor)]
        for factor in factors:
            if factor.expr not in found:
                found[factor.expr] = _size_of_integers(factor, frame, kept)
        # formulaic multiplies integers before doubles.
        if len(factors) > 1 and prod(max(1.0, found[factor.expr]) for factor in factors) >= 2.0**63:
            raise DataError(f"the integers in {shortened(str(term))} leave the range of 64 bits: divide the columns")


def _size_of_integers(factor: Any, frame: Any, kept: Array) -> float:
    """The largest number that a factor makes if it makes integers, else 0."""
    made = _values(factor, frame)
    if made is None:
        return 0.0
    size = 0.0 if made.dtype.kind == "f" else float(np.abs(made[kept].data).max(initial=0))
    if not _is_expression(factor) or _is_direct(tree_of(factor)):
        return size
    own = [n for n in columns_of(factor) if n in frame.columns and getattr(frame[n].dtype, "kind", "O") in "iu"]
    casts = _names(tree_of(factor)) & _CASTS
    if not own and not casts:
        return size
    floats = frame.assign(
        **{name: frame[name].astype("float64" if frame[name].dtype == "int64" else "Float64") for name in own}
    )
    whole = _with_tree(factor, _Uncast().visit(tree_of(factor))) if casts else factor
    # An operation of integers alone has no doubles: then what stands in it is asked.
    parts = [factor] if _values(whole, floats) is not None else _arithmetic_in(factor)
    for part in parts:
        again = _values(_with_tree(part, _Uncast().visit(tree_of(part))) if casts else part, floats)
        was = _values(part, frame)
        if was is None or again is None:
            continue
        was, again = was[kept], again[kept]
        most = float(np.abs(again.data).max(initial=0.0))
        if not _difference(was, again) <= 1e-9 * most and not _takes_text(tree_of(part)):
            raise DataError(
                f"the integers in {shortened(part.expr)} leave the range of 64 bits, or of doubles: divide the columns"
            )
    return size


class _Uncast(ast.NodeTransformer):
    """Makes doubles of what a call has made integers of."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func).rpartition(".")[2] not in _CASTS or "str" in ast.unparse(node):
            return node
        return ast.parse(f"({ast.unparse(node)}) * 1.0", mode="eval").body


def _arithmetic_in(factor: Any) -> list[Any]:
    """The sums, products and powers in an expression, each as an expression."""
    operators = [one for one in _operators(tree_of(factor)) if not isinstance(one.op, _LOGICAL)]
    return [_with_tree(factor, one) for one in operators if "`" not in factor.expr]


def _takes_text(tree: ast.expr) -> bool:
    return bool(_names(tree) & _OF_TEXT) or any(one in ast.unparse(tree) for one in ("astype('str')", "astype(str)"))


def _with_tree(factor: Any, tree: ast.AST) -> Any:
    """Another expression in place of a factor's."""
    text = ast.unparse(ast.fix_missing_locations(tree))
    return type(factor)(f"I({text})", eval_method="python") if "`" not in factor.expr else factor


def rounded_terms(
    formula: Formula, spec: Any, whole_frame: Any, kept: Array, X: Any, known: Collection[str], singles: Set[str]
) -> dict[str, float]:
    """The columns of X that doubles have rounded though they may not look so, and by how much at least.

    They are products of floats that are whole by rounding alone, what expressions make of fractions or by division,
    what they make beyond 2^53, what is made of columns that are `known` to be rounded, and of columns of `singles`.
    How much an expression rounds is seen where its numbers are moved by a unit in the last place, in all rows, of which
    the design has those that are `kept`.

    Raises
    ------
    DataError
        The factors of a product that is rounded are whole numbers, which count as exact.
    """
    frame = whole_frame.iloc[kept]
    numbers = {n: c for n, c in frame.items() if n in formula.required and getattr(c.dtype, "kind", "O") in "iufb"}
    doubles = {n: np.asarray(as_numbers(c)) for n, c in numbers.items()}
    whole = {name for name, values in doubles.items() if np.array_equal(values, np.rint(values), equal_nan=True)}
    most = {name: float(np.nanmax(np.abs(values), initial=0.0)) for name, values in doubles.items()}
    found: dict[str, _Calculated] = {}
    rounded: dict[str, float] = {}
    by_column, has_doubles = X.tocsc(), X.dtype.kind == "f"  # integers that stay integers are exact
    for term, at in spec.term_indices.items():
        alone = [one.expr for one in term.factors if is_bare(one) and one.expr in doubles]
        functions = [one for one in term.factors if _is_expression(one)]
        for factor in functions:
            if factor.expr not in found:
                found[factor.expr] = _calculated(factor, whole_frame, {*numbers}, whole)
        taken = set().union(*map(columns_of, functions))
        largest = float(np.abs(by_column[:, at].data).max(initial=0.0))
        # What is subtracted on the way may be larger than what comes out.
        last = max([largest, *(most[name] for name in taken.union(alone) if name in most)])
        sizes = [found[one.expr].size if one in functions else most.get(one.expr, 1.0) for one in term.factors]
        units = [found[one.expr].unit if one in functions else -1.0 for one in term.factors]
        unit = max((one * prod(sizes[:k] + sizes[k + 1 :]) for k, one in enumerate(units)), default=-1.0)
        is_known = not taken.union(alone).isdisjoint(known)
        if unit >= 0 or is_known or (has_doubles and not taken.isdisjoint(doubles) and largest >= 2.0**53):
            unit = max(_LEAST, unit, float(np.spacing(last)) / 2)
        if len(alone) > 1 and _is_rounded([doubles[name] for name in alone], whole.issuperset(alone), str(term)):
            unit = max(unit, _LEAST)
        if not singles.isdisjoint(taken.union(alone)) and (taken or len(alone) > 1):
            unit = max(unit, float(np.spacing(np.float32(last))) / 2)
        if unit >= 0:
            rounded |= dict.fromkeys((str(spec.column_names[j]) for j in at), unit)
    return rounded


def _calculated(factor: Any, frame: Any, numbers: set[str], whole: set[str]) -> _Calculated:
    made, tree, own = _values(factor, frame), tree_of(factor), columns_of(factor) & numbers
    size = 1.0 if made is None else float(np.abs(made.data).max(initial=0.0))
    keeps_whole = _keeps_whole(tree)
    if made is None or _is_direct(tree) or (keeps_whole and own <= whole):
        return _Calculated(size, -1.0)
    levels = tree.args[0] if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "C" else None
    inside = _values(_with_tree(factor, levels), frame) if levels is not None and "`" not in factor.expr else None
    if inside is not None and inside.shape[1] == 1:  # numbers
        return _Calculated(1.0, -1.0 if _are_apart(inside) else 1.0)
    # What is decided about numbers as they are given is not decided again about moved ones.
    held = _Held(frame, whole)
    if "`" not in factor.expr:
        tree = held.visit(tree)
    own = {name.id for name in ast.walk(tree) if isinstance(name, ast.Name)} & own if held.columns else own
    if (keeps_whole := _keeps_whole(tree)) and own <= whole:
        return _Calculated(size, -1.0)
    unit = 0.0 if own else float(np.spacing(max(size, 1.0)))
    for seed in range(_PATTERNS):
        rng = np.random.default_rng(seed)
        moved = {name: _moved(frame[name], rng, all_of_it=not keeps_whole) for name in sorted(own)}
        again = _values(_moved_constants(factor, tree, rng), frame.assign(**moved, **held.columns))
        if again is None:  # an operation of integers alone
            break
        if np.isnan(again.data).sum() > np.isnan(made.data).sum():  # it looks a number up
            unit = max(unit, float(np.spacing(max(size, 1.0))))
        unit = max(unit, min(_difference(made, again), max(size, 1.0)))
    return _Calculated(size, -1.0 if levels is not None and not unit else unit)


def _are_apart(made: Any) -> bool:
    """Whether rounding makes no two levels of equal numbers, as the least gap between them is far beyond it."""
    levels = np.unique(made.toarray())
    levels = levels[np.isfinite(levels)]
    return bool((np.diff(levels) > 1e-9 * np.abs(levels).max(initial=0.0)).all())


class _Held(ast.NodeTransformer):
    """Puts columns in place of comparisons and choices among numbers that are given, and of rounded exact quotients."""

    def __init__(self, frame: Any, whole: set[str]) -> None:
        self.frame, self.whole = frame, whole
        self.columns: dict[str, Any] = {}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Compare | ast.Call | ast.UnaryOp | ast.BinOp) and self._is_exact(node):
            known = {"np": np, **known_to_formulaic(), **{str(name): self.frame[name] for name in self.frame.columns}}
            try:
                with np.errstate(all="ignore"):
                    value = eval(ast.unparse(node), known)
            except _IN_EXPRESSIONS:
                return node
            if np.shape(value) != (len(self.frame),) or getattr(value, "dtype", np.dtype(object)).kind == "O":
                return node
            name = f"held_{len(self.columns)}_"
            self.columns[name] = value
            return ast.Name(name, ast.Load())
        return self.generic_visit(node)

    def _is_exact(self, node: Any) -> bool:
        if not {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} & {*self.frame.columns}:
            return False
        if _is_direct(node):
            return not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("I", "C")
        is_rounding = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _ROUND
        quotient: Any = node.args[0] if is_rounding and len(node.args) == 1 else None
        if not (isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.Div)):
            return False
        taken = {one.id for one in ast.walk(quotient) if isinstance(one, ast.Name)} & {*self.frame.columns}
        if not taken <= self.whole or _operators(quotient.left) or _operators(quotient.right):
            return False
        sizes = (float(np.nanmax(np.abs(as_numbers(self.frame[name])), initial=0.0)) for name in taken)
        most = max(sizes, default=np.inf)
        return most < _EXACT_QUOTIENTS and _keeps_whole(quotient.left) and _keeps_whole(quotient.right)


def _moved_constants(factor: Any, tree: ast.expr, rng: Any) -> Any:
    """The expression with each decimal that doubles round moved up or down by a unit in the last place."""
    if "`" in factor.expr:
        return factor

    class Moved(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            if not isinstance(node.value, float) or Fraction(repr(node.value)) == Fraction(node.value):
                return node
            return ast.Constant(float(np.nextafter(node.value, rng.choice([-np.inf, np.inf]))))

    text = ast.unparse(ast.fix_missing_locations(Moved().visit(deepcopy(tree))))
    return type(factor)(text, eval_method="python")


def _moved(column: Any, rng: Any, *, all_of_it: bool) -> Any:
    """The column with each number moved up or down by a unit in the last place; whole ones if `all_of_it`, but no 0."""
    kind = np.float32 if str(column.dtype).lower() in ("float32", "float[pyarrow]") else np.float64
    values = column.to_numpy(dtype=kind, na_value=np.nan)
    stay = values == (0.0 if all_of_it else np.rint(values))
    ends = np.array([-np.inf, np.inf], kind)
    distinct, place = np.unique(values, return_inverse=True)  # equal numbers move together
    moved = np.where(stay, values, np.nextafter(values, rng.choice(ends, len(distinct))[place]))
    if column.dtype.kind != "f":
        return import_module("pandas").Series(moved, index=column.index)
    return column.where(column.isna(), moved)


def _values(factor: Any, frame: Any) -> Any:
    """The columns that an expression makes of all rows, sparse; None where it cannot be evaluated."""
    formulaic = formulaic_package()
    term = import_module("formulaic.parser.types").Term([factor])
    asked = {"output": "sparse", "na_action": "ignore", "context": {"np": np}}
    try:
        with np.errstate(all="ignore"):
            made = formulaic.SimpleFormula([term]).get_model_matrix(frame, **asked)
    except (formulaic.errors.FormulaicError, *_IN_EXPRESSIONS):
        return None
    return made.tocsr()


def _difference(made: Any, again: Any) -> float:
    """The largest difference of two matrices; without bound where they have other columns."""
    if made.shape != again.shape:
        return np.inf
    apart = np.abs((made.astype(np.float64) - again).data)
    return float(np.nanmax(apart, initial=0.0)) if not np.isnan(apart).all() else 0.0


def _is_expression(factor: Any) -> bool:
    return not (is_bare(factor) or is_literal(factor) or is_coding(factor))


def _names(tree: ast.expr) -> set[str]:
    """The functions and methods that are called, without what stands before their dots."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {ast.unparse(node.func).rpartition(".")[2] for node in calls}


def _operators(tree: ast.expr) -> list[ast.BinOp]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.BinOp)]


def _is_direct(tree: ast.expr) -> bool:
    """Whether the numbers given are only compared and chosen, and nothing is calculated."""
    return _names(tree) <= _CHOOSE and all(isinstance(one.op, _LOGICAL) for one in _operators(tree))


def _keeps_whole(tree: ast.expr) -> bool:
    """Whether whole numbers stay whole, so that doubles and integers of 64 bits round none of them on the way."""
    nodes = list(ast.walk(tree))
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    powers = [one.right for one in _operators(tree) if isinstance(one.op, ast.Pow)]
    others = [one.op for one in _operators(tree) if not isinstance(one.op, ast.Pow)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    known = _WHOLE | _CASTS | {"hashed", "str"}
    return (
        all(isinstance(op, _OF_INTEGERS) for op in others)
        and all(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in powers)
        and not any(isinstance(value, float) and not value.is_integer() for value in constants)
        and all(
            ast.unparse(call.func).rpartition(".")[2] in known or ".str." in ast.unparse(call.func) or _is_lookup(call)
            for call in calls
        )
    )


def _is_lookup(call: ast.Call) -> bool:
    """Whether it maps numbers by a dict that is written out."""
    return ast.unparse(call.func).endswith(".map") and all(isinstance(one, ast.Dict) for one in call.args)


def _is_rounded(columns: list[Array], are_whole: bool, term: str) -> bool:
    """Whether a product of columns is a whole number by rounding alone."""
    with np.errstate(all="ignore"):
        products = prod(columns)
    asked = np.abs(products) > 2.0**52 if are_whole else products == np.rint(products)
    for factors in np.unique(np.column_stack(columns)[asked], axis=0).tolist():
        if prod(map(Fraction, factors)) != prod(factors):
            if are_whole:
                raise DataError(f"the products {term!r} are beyond 2^53, which doubles round: divide the columns")
            return True
    return False
