"""From a formula and a table to a design: "y ~ x + C(dose) + x:z | firm + year", read by formulaic.

What stands after | are fixed effects: one indicator column for each level, sparse, which the question needs and which
nobody wants to see one by one.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import scipy as sp

from linsep.as_given import as_array, refuse_unlike_doubles
from linsep.data.columns import TableChunk, like
from linsep.data.features.exact_decimals import WIDE, exact_column
from linsep.data.features.exact_decimals import refuse_finer as refuse_finer_times
from linsep.data.labels import refuse_more_digits, refuse_two_texts
from linsep.data.sources.source import Source
from linsep.regression.design import Design, design_of, effects_of, levels_named, outcome_of
from linsep.regression.formulas.calculated import calculated_terms, moved_column, refuse_wrapped
from linsep.regression.formulas.formula_text import (
    CONSTANT,
    OF_PYTHON,
    Formula,
    as_numbers,
    columns_of,
    first_line,
    formulaic_package,
    is_bare,
    known_to_formulaic,
    levels_of,
    shortened,
    widened,
)
from linsep.regression.formulas.frames import as_pandas, check_rows, with_columns
from linsep.regression.model import Asked, response_named
from linsep.tables import column_names
from linsep.theory.separation.families import LABELLED, WITHOUT_INTERCEPT, Family, link_of
from linsep.types import Array, DataError, MissingWarning, PrecisionWarning, RowError, row_from_0

# Functions of R, which a formula here takes for columns.
_OF_R = {
    "Surv": "write `time ~ x` with family='cox' and event= (--family cox --set event=COLUMN)",
    "cbind": "write `successes ~ x` with family='binomial' and trials= (--family binomial --set trials=COLUMN)",
    "factor": "write C(x); a column of text needs nothing",
    "relevel": "write C(x, Treatment(reference='a'))",
    "i": "write C(g) for i(g), C(g, Treatment(1)) for i(g, ref=1) and C(g):x for i(g, x)",
    "offset": "give it beside the formula, offset= (--set offset=COLUMN)",
}

Order = Sequence[Any] | None
Beside = Mapping[str, Any]
_JUMP = 1e-6  # of the largest number: what moves by more has stepped, and counts as it was calculated
_NOT_BY_ROWS = re.compile(r"shape|dimension|tuple index|scipy.sparse|find_nulls|drop_rows|unhashable")
_IN_EXPRESSIONS = (ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)


def asked_of(
    X: Any,
    y: Any,
    data: Any,
    fit_intercept: bool,
    family: Family,
    order: Order = None,
    link: str | None = None,
    **beside: Any,
) -> Asked:
    """The design and the response of a formula with its `data`, or of X and y; columns `beside` have all rows.

    Raises
    ------
    DataError
        The input is not of one of these forms, or is malformed; series have another index than the table.
    """
    beside = {role: values for role, values in beside.items() if values is not None}
    if isinstance(X, str) and "~" in X:
        if y is not None:
            raise DataError("the formula names the response: leave out y, and give the table as data")
        if data is None:
            raise DataError(f"the formula {shortened(X)} is about a table: give it as data")
        if not fit_intercept:
            raise DataError("the formula says whether there is an intercept: write `y ~ 0 + x` for none")
        if isinstance(data, Source):
            asked, _, whole = asked_as_written(X, data, family, order, link, beside)
            if not whole:
                warnings.warn(
                    "more digits than doubles hold: the answer is about the nearest doubles",
                    PrecisionWarning,
                    stacklevel=3,
                )
            return asked
        refuse_unlike_doubles(data)
        formula = Formula.of(X, list(map(str, data)) if isinstance(data, dict) else column_names(data) or ())
        frame = as_pandas(data, formula.calculated - formula.bare - formula.coded)
        check_rows(frame, "data", beside)
        used = frame[_used(formula, beside, [str(name) for name in frame.columns], "data")].reset_index(drop=True)
        for name in [n for n, kind in used.dtypes.items() if isinstance(kind, import_module("pandas").SparseDtype)]:
            used[name] = used[name].sparse.to_dense()
        for name in used.columns:  # formulaic takes other types of text for numbers
            is_text = used[name].dtype.kind in "OU" and not hasattr(used[name].dtype, "categories")
            if is_text and (name not in formula.calculated or not used[name].hasnans):
                used[name] = used[name].astype(object).where(used[name].notna(), None)
        return _Table(used, index=frame.index).asked(formula, family, order, link, beside)
    if data is not None:
        raise DataError("data belongs to a formula, such as 'y ~ x': give that first, or rows and y alone")
    check_rows(X, "X", {"y": y, **beside})
    design = design_of(X, fit_intercept)
    if y is None and isinstance(X, Source):
        y = X.read().y
    for role, values in beside.items():
        if isinstance(values, str):
            raise DataError(f"{role} is the name {values!r}, which belongs to a formula and its data: give the column")
    if y is None:
        raise DataError("y, the response, is missing: give one label or count for each row")
    outcome, about = outcome_of(y, family, order, **beside), response_named(getattr(y, "name", None))
    return Asked(design, outcome, fit_intercept, family, link_of(family, link), about=about)


def asked_as_written(
    text: str, source: Source, family: Family, order: Order, link: str | None, beside: Beside
) -> tuple[Asked, bool, bool]:
    """The same for a table of text, whether its numbers are taken exactly, and whether doubles hold their digits.

    `beside` names the columns that belong to the response, or holds their values.

    A column of decimals that only stands by itself or in products is multiplied by a power of ten to whole numbers,
    which changes no verdict and no sign; one that a function is applied to is taken as the nearest doubles.
    """
    chunk = source.read()
    if not isinstance(chunk, TableChunk):
        raise DataError("a formula needs a table whose columns have names; these rows have none")
    formula = Formula.of(text, chunk.names)
    names = _used(formula, beside, chunk.names, "the table")
    idle = ("offset", "weights")  # their digits change nothing
    counted = formula.required.union(v for role, v in beside.items() if isinstance(v, str) and role not in idle)
    responses = set().union(*map(columns_of, next(iter(formula.lhs)).factors))
    beside_terms = responses.union(*formula.effects.values(), (v for v in beside.values() if isinstance(v, str)))
    values: dict[str, Any] = {}
    table, exact, whole = _Table(None), True, True
    for name in names:
        missing = getattr(chunk.cells(name), "missing", None)
        there = np.ones(chunk.n_rows, dtype=bool) if missing is None else ~missing
        column: Any = (chunk if there.all() else chunk.take(there)).cells(name)
        refuse_finer_times(column)
        known = column.values if column.text is None or column.is_number else column.text.to_pylist()
        values[name] = _spread(known, there)
        if name not in formula.only_bare or name in beside_terms:
            refuse_more_digits(column.raw, column.values, name)
        if name in formula.coded or name == beside.get("strata") or (name in responses and family in LABELLED):
            refuse_two_texts(column.raw, column.values, name)
        if column.is_number and column.text is not None and there.any() and name in counted:
            numbers, power = exact_column(column)
            if numbers.dtype == object and (not power or np.abs(column.values).max() >= 2.0**53):
                raise DataError(f"column {name!r} has integers beyond 2^53, which a formula rounds: divide the column")
            if power and name in formula.only_bare and numbers.dtype != object:
                table.scaled[name], table.powers[name] = _spread(numbers, there), power
            else:
                exact = exact and not power and numbers.dtype != object
                whole = whole and numbers.dtype != object
    table.frame = import_module("pandas").DataFrame(values)
    return table.asked(formula, family, order, link, beside), exact, whole


def _spread(known: Any, there: Array) -> Any:
    """Values at their places among all rows; nothing elsewhere."""
    if there.all():
        return known
    is_number = isinstance(known, np.ndarray) and known.dtype.kind == "f"
    out = np.full(there.size, np.nan if is_number else None, dtype=np.float64 if is_number else object)
    out[there] = known
    return out


def _used(formula: Formula, beside: Beside, names: Sequence[str], table: str) -> list[str]:
    """The columns that a formula, and arguments that are names, take of a table with these names."""
    known = known_to_formulaic()  # codings among them need no call: C(x, Sum)
    known |= dict.fromkeys(OF_PYTHON, type)  # and types of Python are given to functions: k.astype(int)
    asked = {"the formula": {c for c in formula.required if c in names or not isinstance(known.get(c), type)}}
    asked |= {role: {values} for role, values in beside.items() if isinstance(values, str)}
    for role, columns in asked.items():
        for name in sorted(columns):
            if name not in names:
                if name in _OF_R:
                    raise DataError(f"formulas have no {name}(): {_OF_R[name]}")
                raise DataError(f"{role} names {name!r}, which is no column of {table}; {like(name, names)}")
    return sorted(set().union(*asked.values()))


@dataclass
class _Table:
    """The rows of a table, which are called `index`.

    Columns that are `scaled` take the place of those of the design; `powers` says by which power of ten.
    """

    frame: Any
    scaled: dict[str, Array] = field(default_factory=dict)
    powers: dict[str, int] = field(default_factory=dict)
    index: Any = None

    def asked(self, formula: Formula, family: Family, order: Order, link: str | None, beside: Beside) -> Asked:
        for name in self.frame.columns:  # equal levels with several names would be one
            column = self.frame[name].dropna()
            kinds = set(map(type, column)) if column.dtype == object else set()
            if kinds - {int} if name not in formula.only_bare else len(kinds) > 1:
                levels_named(column, name)
        doubles = with_columns(self.frame, widened(formula, self.frame))
        columns = with_columns(doubles, self.scaled)
        # As formulaic, statsmodels and R do: expressions are of all rows, then those that lack a value of a term go.
        beside_terms = [*(v for v in beside.values() if isinstance(v, str)), *chain(*formula.effects.values())]
        gone = set(np.flatnonzero(self.frame[beside_terms].isna().any(axis=1)).tolist())
        response = self._response(formula, doubles)
        gone |= set(np.flatnonzero(response.isna()).tolist())
        made = _materialized(formula, formula.rhs, columns, gone)
        if len(gone) == len(self.frame):
            raise DataError(
                f"no row is left: of none of {len(gone):,} rows the formula makes numbers. Each lacks a value or "
                "takes one that is missing or no number: leave such rows out first"
            )
        kept = np.setdiff1d(np.arange(len(self.frame)), list(map(int, gone)))
        # A level that no row has is no level, but where an expression, such as lag(g), takes it from another row.
        of_levels = [n for n, c in columns.items() if hasattr(c.dtype, "categories") and n not in formula.calculated]
        met = {n: columns[n].iloc[kept].cat.remove_unused_categories().cat.categories for n in of_levels}
        if any(len(some) < len(columns[name].cat.categories) for name, some in met.items()):
            columns = with_columns(columns, {n: columns[n].cat.set_categories(some) for n, some in met.items()})
            made = _materialized(formula, formula.rhs, columns, gone)
        X: Any = sp.sparse.csr_matrix(made, dtype=np.float64)
        spec, frame = made.model_spec, self.frame.iloc[kept]
        _tell_of_filled(frame[sorted(formula.required.intersection(frame.columns))])
        terms = [*formula.lhs, *spec.term_indices]
        calculated = calculated_terms(terms, columns.iloc[kept])

        def again(some: Any, table: Any) -> Any:
            return _made_again(formula, formulaic_package().SimpleFormula(some), table, gone)

        refuse_wrapped(terms, self._as_given(columns, formula), again)
        moved = self._moved(formula, columns, gone, made, calculated)
        names = [str(name) for name in spec.column_names if str(name) != CONSTANT]
        X = X[:, [j for j, name in enumerate(spec.column_names) if str(name) != CONSTANT]]
        # Thresholds and baseline hazards are constants that nobody can leave out.
        has_constant = formula.has_constant or family in WITHOUT_INTERCEPT
        taken = {role: self._taken(values, role, frame) for role, values in beside.items()}
        try:
            outcome = outcome_of(response.iloc[kept], family, order, lambda row: row_from_0(kept[row]), **taken)
        except RowError as error:
            raise error.among(kept) from None
        blocks, absorbed, omitted = effects_of(formula.effects, frame, outcome.y, has_constant)
        if blocks:
            X = sp.sparse.hstack([X, *blocks], format="csr")
        elif len(names) <= WIDE * len(spec.terms):
            X = X.toarray()
        if not X.shape[1]:
            raise DataError(
                f"the formula {shortened(formula.text)} has no column besides the intercept: there is nothing to ask"
            )
        design = Design(
            X,
            [*names, *absorbed],
            *levels_of(spec, names),
            formula=formula.text,
            absorbed=absorbed,
            omitted=omitted,
            rows=frame.index.to_numpy(),
            n_missing=len(gone),
            powers={**self.powers, **self._powers_of(spec)},
            index=self.index,
            calculated=calculated,
            moved=moved,
        )
        about = tuple(f"{role} {name}" for role, name in beside.items() if isinstance(name, str))
        return Asked(design, outcome, has_constant, family, link_of(family, link), about=about)

    def _as_given(self, columns: Any, formula: Formula) -> Any:
        """Columns with integers in the types of the table."""
        given = {name: self.frame[name] for name in formula.calculated.intersection(self.frame.columns)}
        return with_columns(columns, {n: c for n, c in given.items() if getattr(c.dtype, "kind", "O") in "iu"})

    def _response(self, formula: Formula, doubles: Any) -> Any:
        """The response of all rows: a column as it is, or what an expression makes of columns."""
        (term,) = formula.lhs
        if len(term.factors) == 1 and is_bare(term.factors[0]):
            return self.frame[term.factors[0].expr]
        made = _materialized(formula, formula.lhs, doubles, set(), "ignore").toarray()
        if made.shape[1] != 1:
            raise DataError(
                f"the response {str(term)!r} makes {made.shape[1]} columns: make it one column of the table"
            )
        return import_module("pandas").Series(made[:, 0])

    def _moved(
        self, formula: Formula, columns: Any, gone: set[int], made: Any, calculated: tuple[str, ...]
    ) -> dict[str, float]:
        """By how much calculated columns move where their fractions do by a unit in the last place; jumps aside."""
        places = {term: at for term, at in made.model_spec.term_indices.items() if str(term) in calculated}
        own = set().union(*(columns_of(one) for term in places for one in term.factors)).intersection(columns)
        fractions = {n: columns[n] for n in own if getattr(columns[n].dtype, "kind", "O") == "f"}
        if not fractions:
            return {}
        largest = max(float(np.abs(as_numbers(column)).max()) for column in fractions.values())
        names = made.model_spec.column_names
        found: dict[str, float] = {}
        for way in (1, -1):
            moved = {name: moved_column(column, way) for name, column in fractions.items()}
            again = _made_again(formula, formula.rhs, with_columns(columns, moved), gone)
            if again is None or again.shape != made.shape:
                continue
            apart = abs(sp.sparse.csc_matrix(again, dtype=np.float64) - sp.sparse.csc_matrix(made, dtype=np.float64))
            apart.data[~(apart.data <= _JUMP * largest)] = 0.0
            most = apart.max(axis=0).toarray().ravel().tolist()
            for j in chain(*places.values()):
                found[str(names[j])] = max(most[j], found.get(str(names[j]), 0.0))
        return {name: unit for name, unit in found.items() if unit}

    def _powers_of(self, spec: Any) -> dict[str, int]:
        """Column of the design -> the power of ten that its factors make, if it is not 0."""
        found = {
            str(spec.column_names[j]): sum(self.powers.get(factor.expr, 0) for factor in term.factors)
            for term, at in spec.term_indices.items()
            for j in at
        }
        return {name: k for name, k in found.items() if k}

    def _taken(self, values: Any, role: str, frame: Any) -> Array:
        """What stands beside the response in the rows of the frame, given as a column of it or for all rows."""
        if isinstance(values, str):
            return np.asarray(frame[values])
        whole = as_array(values)
        if whole.shape != (len(self.frame),):
            raise DataError(
                f"{role} has the shape {whole.shape}: one value for each of the {len(self.frame)} rows is needed"
            )
        rows: Array = frame.index.to_numpy()
        return whole[rows]


def _materialized(formula: Formula, terms: Any, frame: Any, gone: set[int], missing: str = "drop") -> Any:
    """The columns of terms without the rows that are `gone`, and those that go because they lack a value of a term."""
    formulaic, before = formulaic_package(), len(gone)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            # Of levels that `levels=` leaves out, whose rows would count as the reference.
            warnings.simplefilter("error", formulaic.errors.DataMismatchWarning)
            asked: dict[str, Any] = {"na_action": missing, "drop_rows": gone, "context": {"np": np}}
            made = terms.get_model_matrix(frame, output="sparse", **asked)
    except (formulaic.errors.DataMismatchWarning, formulaic.errors.FormulaicError, *_IN_EXPRESSIONS) as error:
        said = first_line(error)
        if "NA is ambiguous" in said:
            said = "a missing value is neither true nor false: take such rows out first, or fill them"
        elif "float16" in said or "dtype not compatible" in said:
            said = "it makes float16 of truth values: make floats of their columns"
        elif _NOT_BY_ROWS.search(said):
            said = (
                "a term makes one number or level for each row: write C(x) for text, or make it a column of the table"
            )
        raise DataError(f"the formula {shortened(formula.text)} cannot be evaluated: {said}") from error
    if made.dtype.kind == "c":
        raise DataError(f"the formula {shortened(formula.text)} makes complex numbers: take their real parts")
    if len(gone) > before and any("invalid value" in str(one.message) for one in told):
        warnings.warn(
            "rows of which the formula makes no number, such as the log of a negative one, are left out",
            MissingWarning,
            stacklevel=6,
        )
    return made


def _made_again(formula: Formula, terms: Any, frame: Any, gone: set[int]) -> Any:
    """The same of other terms or numbers, None where they cannot be evaluated; `gone` stays as it is."""
    with suppress(DataError), warnings.catch_warnings(action="ignore"):
        return _materialized(formula, terms, frame, set(gone))
    return None


def _tell_of_filled(frame: Any) -> None:
    """Warn of rows that stay although they lack a value of a column."""
    lacking = frame.isna()
    if n := int(lacking.any(axis=1).sum()):
        names = ", ".join(repr(name) for name in frame.columns[lacking.any()])
        warnings.warn(
            f"rows without a value of {names} that stay, as the formula makes a number of it: {n:,}. "
            "A comparison with a missing value is False, as in pandas: take such rows out first if that is wrong",
            MissingWarning,
            stacklevel=5,
        )
