"""A formula as formulaic reads it, and what stands after its |: fixed effects."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, NamedTuple

from linsep.types import DataError

_POWER_DIGITS = 3  # of (a + b)**k, which formulaic works out term by term


class Formula(NamedTuple):
    """A formula that was read: the text, the response, the terms, and the columns of each fixed effect.

    `only_bare` are the columns that no function is applied to.
    """

    text: str
    lhs: Any
    rhs: Any
    has_constant: bool
    effects: dict[str, tuple[str, ...]]
    required: set[str]
    only_bare: set[str]

    @classmethod
    def of(cls, text: str) -> Formula:
        formulaic = formulaic_package()
        if re.search(rf"(\*\*|\^)[\s(]*\d{{{_POWER_DIGITS},}}", text):
            raise DataError(
                f"the formula {shortened(text)} has a power of {_POWER_DIGITS} digits: no table is that wide"
            )
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
        has_constant = any(str(term) == "1" for term in terms)
        effects = _effects(parts[1]) if len(parts) == 2 else {}
        if effects and not has_constant:  # the levels of a fixed effect add up to the constant
            terms = [*formulaic.Formula("1"), *terms]
        used = {column for columns in effects.values() for column in columns}
        factors = [factor for term in terms for factor in term.factors]
        bare = {factor.expr for factor in factors if is_bare(factor)}
        rhs = formulaic.SimpleFormula(terms)
        inside = set().union(
            *(formulaic.Formula(f"0 + {factor.expr}").required_variables for factor in factors if not is_bare(factor))
        )
        required = {*lhs.required_variables, *rhs.required_variables, *used}
        return cls(text, lhs, rhs, has_constant and not effects, effects, required, bare - inside)


def is_bare(factor: Any) -> bool:
    return str(factor.eval_method.value) == "lookup"


def _effects(terms: Any) -> dict[str, tuple[str, ...]]:
    """Name of each fixed effect -> the columns whose levels together are its levels."""
    out: dict[str, tuple[str, ...]] = {}
    for term in terms:
        if str(term) in ("1", "0"):
            continue
        columns = []
        for factor in term.factors:
            found = re.fullmatch(r"C\((\w+)\)", factor.expr)
            if not found and not is_bare(factor):
                raise DataError(f"the fixed effect {factor.expr!r} is not a column: make it one of the table first")
            columns.append(found[1] if found else factor.expr)
        out[":".join(columns)] = tuple(columns)
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
