"""A formula as formulaic reads it, what stands after its | (fixed effects), and the numbers of its table."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from linsep.types import DataError

CONSTANT = "Intercept"  # as formulaic calls it
_NUMBERS = (int, float, Decimal, Fraction, np.number, date, timedelta)
OF_PYTHON = ("abs", "bool", "float", "int", "len", "max", "min", "round", "str", "sum")
_QUOTED = "`([^`]*)`"
_MOST_PRODUCTS = 2_000_000  # of a formula: formulaic works (a + b)**k out term by term


class Formula(NamedTuple):
    """A formula that was read: the text, the response, the terms, and the columns of each fixed effect.

    `bare` are the columns that stand by themselves, `only_bare` those that no function is applied to, `calculated`
    those that a function but C is applied to, `coded` those in C() and in fixed effects.
    """

    text: str
    lhs: Any
    rhs: Any
    has_constant: bool
    effects: dict[str, tuple[str, ...]]
    required: set[str]
    bare: set[str]
    only_bare: set[str]
    calculated: set[str]
    coded: set[str]

    @classmethod
    def of(cls, text: str, names: Sequence[str] = ()) -> Formula:
        """Read a formula about a table whose columns have these `names`, which a dot stands for."""
        formulaic = formulaic_package()
        if taken := re.search(r"`\s*([0-9.]+|None|True|False)\s*`", text):
            raise DataError(f"a formula takes {taken[0]} for a number or a constant of Python: rename that column")
        try:
            tree = import_module("formulaic.parser").DefaultFormulaParser().get_ast(text)
            if _products(tree, names)[0] > _MOST_PRODUCTS:
                raise DataError(
                    f"the formula {shortened(text)} makes too many products of terms: write those that you want"
                )
            read = formulaic.Formula(text, _context={"__formulaic_variables_available__": names})
        except DataError:
            raise
        except (formulaic.errors.FormulaicError, SyntaxError, ValueError, RecursionError) as error:
            raise DataError(f"the formula {shortened(text)} cannot be read: {first_line(error)}") from error
        lhs = getattr(read, "lhs", None)
        if lhs is None or len(list(lhs)) != 1:
            raise DataError(f"the formula {shortened(text)} needs one response before the ~")
        parts = read.rhs if isinstance(read.rhs, tuple) else (read.rhs,)
        if len(parts) > 2:
            raise DataError(f"the formula {shortened(text)} has several |: write the fixed effects as `| firm + year`")
        terms = list(parts[0])
        has_constant = any(all(is_literal(factor) for factor in term.factors) for term in terms)
        effects = _effects(parts[1]) if len(parts) == 2 else {}
        if effects and not has_constant:  # the levels of a fixed effect add up to the constant
            terms = [*formulaic.Formula("1"), *terms]
        rhs = formulaic.SimpleFormula(terms)
        factors = [factor for term in rhs for factor in term.factors]
        bare = {factor.expr for factor in factors if is_bare(factor)}
        inside = set().union(*(columns_of(factor) for factor in factors if not is_bare(factor)))
        response = next(iter(lhs)).factors
        required = inside.union(bare, *effects.values(), *map(columns_of, response))
        functions = (one for one in (*factors, *response) if not is_bare(one) and not is_coding(one))
        calculated = set().union(*map(columns_of, functions))
        coded = set().union(*effects.values(), *(columns_of(one) for one in factors if is_coding(one)))
        constant = has_constant and not effects
        return cls(text, lhs, rhs, constant, effects, required, bare, bare - inside, calculated, coded)


def without_spaces(text: str) -> str:
    """A formula without the spaces that stand between names and texts.

    Examples
    --------
    >>> without_spaces("y ~ `a b` + C(x)")
    'y~`a b`+C(x)'
    """
    return re.sub(r"""(`[^`]*`|'[^']*'|"[^"]*")|\s+""", r"\1", text)


def is_bare(factor: Any) -> bool:
    return _kind(factor) == "lookup"


def is_literal(factor: Any) -> bool:
    return _kind(factor) == "literal"


def _kind(factor: Any) -> str:
    return str(factor.eval_method.value)


def columns_of(factor: Any) -> set[str]:
    """The columns that a factor takes: the names in its expression but those of functions and modules of formulaic.

    Examples
    --------
    >>> (term,) = formulaic_package().Formula("0 + C(center, contr.treatment(base='a'))")
    >>> columns_of(term.factors[0])
    {'center'}
    """
    if is_bare(factor):
        return {factor.expr}
    if is_literal(factor):
        return set()
    nodes = list(ast.walk(tree_of(factor)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    # Functions are called, and modules have a name after a dot: elsewhere the same name is that of a column.
    known = known_to_formulaic()
    spaces = {name for name, value in known.items() if isinstance(value, ModuleType | type)}
    inner = {id(node.func) for node in calls if ast.unparse(node.func) in {*known, *OF_PYTHON}}
    inner |= {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) in spaces}
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}  # of a lambda
    every = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in inner} - own
    by_text = (node.args[0] for node in calls if ast.unparse(node.func) == "Q" and node.args)
    return {*every, *re.findall(_QUOTED, factor.expr), *(str(ast.literal_eval(one)) for one in by_text)}


def tree_of(factor: Any) -> ast.expr:
    """An expression, in which names in backticks are numbers: as formulaic has it `a b` is a_b, another one."""
    try:
        return ast.parse(re.sub(_QUOTED, "(0)", factor.expr), mode="eval").body
    except SyntaxError as error:
        raise DataError(f"the expression {shortened(factor.expr)} cannot be read: {first_line(error)}") from error


def is_coding(factor: Any) -> bool:
    """Whether it is C(name) or C(name, coding)."""
    if is_bare(factor) or is_literal(factor) or not factor.expr.startswith("C("):
        return False
    tree = tree_of(factor)
    return isinstance(tree, ast.Call) and bool(tree.args) and isinstance(tree.args[0], ast.Name | ast.Constant)


def _products(node: Any, available: Sequence[str]) -> tuple[float, float, set[str]]:
    """How many products formulaic makes of a part of a formula, how many terms they are, and of which factors."""
    if not hasattr(node, "operator"):
        return 1.0, 1.0, {str(node)}
    if node.operator.symbol == ".":
        return 1.0, float(len(available)), set(available)
    args = list(node.args)
    while node.operator.symbol in ("+", "-") and any(getattr(one, "operator", None) == node.operator for one in args):
        args = [
            part for one in args for part in (one.args if getattr(one, "operator", None) == node.operator else [one])
        ]
    costs, sizes, names = zip(*(_products(one, available) for one in args), strict=True) if args else ((), (), ())
    every: set[str] = set().union(*names)
    symbol, most = node.operator.symbol, 2.0 ** min(len(every), 100)
    if symbol in ("**", "^"):
        power = float(str(node.args[1])) if str(node.args[1]).isdecimal() else 1.0
        size = min(sizes[0], 1e9) ** min(power, 30.0)
    elif len(sizes) == 2 and symbol in ("*", "/", "in", ":"):
        size = sizes[0] * sizes[1] + (sizes[0] + sizes[1]) * (symbol != ":")
    else:
        size = sum(sizes)
    return sum(costs) + size, min(size, most), every


def known_to_formulaic() -> dict[str, Any]:
    """The functions, modules and codings that formulas may name."""
    formulaic_package()
    return dict(import_module("formulaic.transforms").TRANSFORMS)


def _effects(terms: Any) -> dict[str, tuple[str, ...]]:
    """Name of each fixed effect -> the columns whose levels together are its levels."""
    out: dict[str, tuple[str, ...]] = {}
    for term in terms:
        if str(term) in ("1", "0"):
            continue
        columns = []
        for factor in term.factors:
            found = "".join(columns_of(factor))
            if factor.expr.replace("`", "") not in (found, f"C({found})"):
                raise DataError(f"the fixed effect {factor.expr!r} is not a column: make it one of the table first")
            columns.append(found)
        name = ":".join(columns)
        if name in out:
            raise DataError(f"two fixed effects have the name {name!r}: rename a column")
        out[name] = tuple(columns)
    if not out:
        raise DataError("no fixed effect stands after the |: name columns, as in `y ~ x | firm + year`")
    return out


def first_line(error: Exception) -> str:
    """The first line of a message, without colours."""
    text = re.sub(r"\x1b\[[0-9;]*m|⧛[^⧚]*?m|⧚|⧛", "", str(error)).strip()
    return f"{text.partition(chr(10))[0]:.300}" or type(error).__name__


def shortened(text: str) -> str:
    """A formula in a message."""
    return repr(text) if len(text) <= 200 else f"{text[:200]!r}..."


def formulaic_package() -> Any:
    try:
        return import_module("formulaic")
    except ImportError as error:
        raise ImportError(
            "formulas are read by formulaic, which is not installed: pip install '.[regression]'"
        ) from error


# dose, `the dose`, C(dose), C(dose, Treatment("low")); C(dose > 2) is another factor.
_CATEGORY = re.compile(r"(?:C\()?(?:`([^`]+)`|(\w+))\s*(?:[,)].*)?")


def levels_of(spec: Any, names: list[str]) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Which column and level an indicator stands for, and the levels without one, as patsy or formulaic has them.

    Factors of another coding than by a reference level, or whose levels all have indicators, are not among them.
    """
    levels: dict[str, tuple[str, str]] = {}
    references: dict[str, str] = {}
    states = {factor: state for factor, (_, state) in getattr(spec, "encoder_state", {}).items()}
    factors = {factor: state["categories"] for factor, state in states.items() if "categories" in state}
    for factor, info in getattr(spec, "factor_infos", {}).items():
        factors |= {factor.name(): info.categories} if info.type == "categorical" else {}
    known = set(names)
    for factor, categories in factors.items():
        # S of sums to 0, whose columns are no indicators; patsy writes intervals as Python does.
        for mark, form in product("TS", ("{}", "{!r}")):
            columns = {f"{factor}[{mark}.{form.format(level)}]": str(level) for level in categories}
            without = [level for column, level in columns.items() if column not in known]
            if len(without) != 1:
                continue
            called = _CATEGORY.fullmatch(factor)
            name = (called[1] or called[2]) if called else factor
            name = factor if name in references else name
            references[name] = without[0]
            if mark == "T":
                levels |= {column: (name, level) for column, level in columns.items() if level != without[0]}
            break
    return levels, references


def widened(formula: Formula, frame: Any) -> dict[str, Any]:
    """Columns of truth values as doubles, those of integers and singles as they are, of which a fit makes products.

    In expressions all keep their type, as missing values of the types of pandas do not compare as those of doubles;
    integers of 8 bits, of which functions make halves, get 64 there.
    """
    out = {}
    if CONSTANT in frame.columns:
        raise DataError(f"a formula takes a column called {CONSTANT!r} for the constant: rename it")
    for name in (formula.bare | formula.calculated).intersection(frame.columns):
        column, kind = frame[name], getattr(frame[name].dtype, "kind", "O")
        known = column.dropna()
        objects = known.tolist() if column.dtype == object or kind in "mM" else []
        odd = next((v for v in objects if isinstance(v, _NUMBERS) and not isinstance(v, bool)), None)
        if odd is not None and (kind not in "mM" or name in formula.bare):
            raise DataError(
                f"column {name!r} holds {odd!r} as an object, which a formula would take for a level: make floats or "
                f"integers of it, or write C({name}) if it is one"
            )
        if kind == "c" or str(column.dtype).lower() in ("float16", "halffloat[pyarrow]", "float128"):
            called = str(column.dtype).replace("halffloat[pyarrow]", "float16").lower()
            raise DataError(f"column {name!r} holds {called}: make it float32 or float64")
        if kind in "iu" and len(known) and max(abs(int(known.max())), abs(int(known.min()))) > 2**53:
            raise DataError(f"column {name!r} has integers beyond 2^53, which a formula would round: divide the column")
        truths = bool(objects) and all(isinstance(v, bool | np.bool_) for v in objects)
        half_known = kind == "b" and column.isna().any()
        if name not in formula.calculated and (truths or half_known or (kind == "f" and column.dtype.itemsize > 4)):
            out[name] = as_numbers(column)
        elif name in formula.calculated and kind in "iu" and column.dtype.itemsize == 1:
            out[name] = column.astype("int64" if isinstance(column.dtype, np.dtype) else "Int64")
    return out


def as_numbers(column: Any) -> Any:
    """Numbers or truth values as doubles; missing ones are NaN."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return import_module("pandas").Series(values, index=column.index)
