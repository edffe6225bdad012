"""A formula as formulaic reads it, and what stands after its |: fixed effects."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from typing import Any, NamedTuple

from linsep.types import DataError

_OF_MISSING = re.compile("isna|isnull|notna|notnull|fillna|nan")  # functions; elsewhere NaN > 2 is False
_POWER_DIGITS = 3  # of (a + b)**k, which formulaic works out term by term


class Formula(NamedTuple):
    """A formula that was read: the text, the response, the terms, and the columns of each fixed effect.

    `only_bare` are the columns that no function is applied to, `calculated` those that a function but C is applied to,
    `coded` those in C() and in fixed effects, `complete` those without which a row goes: all but those of expressions
    about missing values, such as `x.fillna(0)`.
    """

    text: str
    lhs: Any
    rhs: Any
    has_constant: bool
    effects: dict[str, tuple[str, ...]]
    required: set[str]
    only_bare: set[str]
    calculated: set[str]
    coded: set[str]
    complete: set[str]

    @classmethod
    def of(cls, text: str) -> Formula:
        formulaic = formulaic_package()
        if re.search(rf"(\*\*|\^)[\s(]*\d{{{_POWER_DIGITS},}}", text):
            raise DataError(
                f"the formula {shortened(text)} has a power of {_POWER_DIGITS} digits: no table is that wide"
            )
        if number := re.search(r"`\s*[0-9.]+\s*`", text):
            raise DataError(f"a formula takes {number[0]} for a number: rename that column")
        try:
            read = formulaic.Formula(text)
        except (formulaic.errors.FormulaicError, SyntaxError, ValueError, RecursionError) as error:
            raise DataError(f"the formula {shortened(text)} cannot be read: {first_line(error)}") from error
        lhs = getattr(read, "lhs", None)
        if lhs is None or len(list(lhs)) != 1:
            raise DataError(f"the formula {shortened(text)} needs one response before the ~")
        parts = read.rhs if isinstance(read.rhs, tuple) else (read.rhs,)
        if len(parts) > 2:
            raise DataError(f"the formula {shortened(text)} has several |: write the fixed effects as `| firm + year`")
        terms = list(parts[0])
        has_constant = any(all(_kind(factor) == "literal" for factor in term.factors) for term in terms)
        effects = _effects(parts[1]) if len(parts) == 2 else {}
        if effects and not has_constant:  # the levels of a fixed effect add up to the constant
            terms = [*formulaic.Formula("1"), *terms]
        rhs = formulaic.SimpleFormula(terms)
        factors = [factor for term in rhs for factor in term.factors]
        bare = {factor.expr for factor in factors if is_bare(factor)}
        inside = set().union(*(columns_of(factor) for factor in factors if not is_bare(factor)))
        response = next(iter(lhs)).factors
        required = inside.union(bare, *effects.values(), *map(columns_of, response))
        functions = [one for one in (*factors, *response) if not is_bare(one) and not one.expr.startswith("C(")]
        calculated = set().union(bare, *map(columns_of, functions))
        coded = set().union(*effects.values(), *(columns_of(one) for one in factors if one.expr.startswith("C(")))
        handled = (columns_of(one) for one in (*factors, *response) if _OF_MISSING.search(one.expr))
        complete = required.difference(*handled)
        constant = has_constant and not effects
        return cls(text, lhs, rhs, constant, effects, required, bare - inside, calculated, coded, complete)


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
    if _kind(factor) == "literal":
        return set()
    aliases: dict[str, str] = {}

    def alias(quoted: re.Match[str]) -> str:
        """A name that no column has: with formulaic's, `a b` is a_b, which may be another column."""
        name = f"_{len(aliases)}"
        while name in factor.expr:
            name += "_"
        aliases[name] = quoted[1]
        return name

    try:
        tree = ast.parse(re.sub("`([^`]*)`", alias, factor.expr))
    except SyntaxError as error:
        raise DataError(f"the expression {shortened(factor.expr)} cannot be read: {first_line(error)}") from error
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    # Functions are called, and modules have a name after a dot: elsewhere the same name is that of a column.
    inner = {id(node.func) for node in calls} | {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    named = [node for node in nodes if isinstance(node, ast.Name)]
    every = {node.id for node in named if id(node) not in inner or node.id not in known_to_formulaic()}
    quoted = (node.args[0] for node in calls if ast.unparse(node.func) == "Q" and node.args)
    return {aliases.get(name, name) for name in every} | {str(ast.literal_eval(one)) for one in quoted}


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
            "formulas are read by formulaic, which is not installed: pip install 'linsep[regression]'"
        ) from error
