"""A model as a query that scores the rows of a table in its database."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from linsep.export.formula import Category, Formula, Number, formula_of
from linsep.types import DataError

# Databases refuse tables far narrower than this, and nobody can read the query.
_MOST_TERMS = 20_000


def to_sql(model: Any, *, table: str = "rows") -> str:
    """Return a SELECT that adds decision values and the predicted class to the rows of a table.

    z = b + sum_j w_j (x_j - mean_j) / scale_j + CASE ... END, in double precision; class by CASE. It is written in the
    part of SQL that DuckDB, SQLite and PostgreSQL share.

    The columns added are decision_value and prediction; with three or more classes "decision_value LABEL" for each. A
    row with a missing value (NULL) in a column with a weight gets NULL for both. A feature whose weights are 0 is left
    out. Decision values agree with `decision_function` to rounding: the terms are added in another order. SQLite reads
    text in a column of numbers as 0; the others refuse it.

    Parameters
    ----------
    model : fitted TableModel or learner
        One that predicts with `coef_` and `intercept_`.
    table : str, default="rows"
        Name of the table; a point stands between schema and table.

    Returns
    -------
    str
        The query.

    Raises
    ------
    DataError
        The model is not a linear formula of its inputs, or a name cannot be written in SQL.

    Examples
    --------
    >>> import sqlite3
    >>> import numpy as np
    >>> from linsep.learners import Perceptron
    >>> query = to_sql(Perceptron().fit(np.array([[-1.0], [2.0]]), ["no", "yes"]))
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.executescript("CREATE TABLE rows (x1 REAL); INSERT INTO rows VALUES (3), (-4.5)")
    >>> base.execute(query).fetchall()
    [(3.0, 2.0, 'yes'), (-4.5, -5.5, 'no')]
    """
    formula = formula_of(model)
    terms = sum(1 if isinstance(x, Number) else len(x.levels) for x in formula.inputs) * len(formula.intercept)
    if terms > _MOST_TERMS:
        raise DataError(
            f"cannot write {terms:,} weights as one SQL expression (at most {_MOST_TERMS:,}): export to JSON or ONNX"
        )
    values = [_decision_value(formula, k) for k in range(len(formula.intercept))]
    names = ["decision_value"] if len(values) == 1 else [f"decision_value {label}" for label in formula.classes]
    columns = [f"{z} AS {_name(name)}" for z, name in zip(values, names, strict=True)]
    columns.append(f"{_prediction(values, [_literal(label) for label in formula.classes])} AS {_name('prediction')}")
    listed = ",\n  ".join(["t.*", *columns])
    source = ".".join(map(_name, table.split(".")))
    return f"-- {formula.learner} of linsep {version('linsep')}\nSELECT {listed}\nFROM {source} AS t\n"


def _decision_value(formula: Formula, k: int) -> str:
    parts = [_number(x, k) if isinstance(x, Number) else _category(x, k) for x in formula.inputs]
    return _sum([_double(float(formula.intercept[k])), *filter(None, parts)])


def _number(x: Number, k: int) -> str:
    """The term of a number; the cast makes whole numbers and decimals into doubles before they are used."""
    if x.weights[k] == 0:
        return ""
    value = f"CAST(t.{_name(x.name)} AS DOUBLE PRECISION)"
    if not x.is_plain:
        value = f"({value} - {_double(x.mean)}) / {_double(x.scale)}"
    if x.missing is not None:
        value = f"COALESCE({value}, {_double(x.missing)})"
    return f"({value}) * {_double(float(x.weights[k]))}"


def _category(x: Category, k: int) -> str:
    weights = {level: float(w) for level, w in zip(x.levels, x.weights[:, k], strict=True) if w != 0}
    if not weights:
        return ""
    # Compared as text, whatever the type of the column; a missing value is the level "", or stays missing.
    value = f"CAST(t.{_name(x.name)} AS VARCHAR)"
    whens = " ".join(f"WHEN {_text(level)} THEN {_double(w)}" for level, w in weights.items())
    if x.missing:
        return f"CASE COALESCE({value}, '') {whens} ELSE {_double(0.0)} END"
    return f"CASE WHEN {value} IS NULL THEN NULL ELSE CASE {value} {whens} ELSE {_double(0.0)} END END"


def _sum(terms: list[str]) -> str:
    """a + b + ... as a balanced tree: DuckDB and SQLite refuse expressions nested 1,000 deep."""
    if len(terms) == 1:
        return terms[0]
    half = (len(terms) + 1) // 2
    return f"({_sum(terms[:half])} + {_sum(terms[half:])})"


def _prediction(values: list[str], labels: list[str]) -> str:
    """The class as an expression of its own: z1, z2, ... cannot be taken for columns of the table."""
    z = [f"s.z{k + 1}" for k in range(len(values))]
    if len(z) == 1:
        whens = [f"WHEN s.z1 >= 0 THEN {labels[1]}", f"WHEN s.z1 < 0 THEN {labels[0]}"]
    else:
        whens = [f"WHEN {' OR '.join(f'{name} IS NULL' for name in z)} THEN NULL"]
        for k, label in enumerate(labels[:-1]):
            whens.append(f"WHEN {' AND '.join(f'{z[k]} >= {other}' for other in z[k + 1 :])} THEN {label}")
        whens.append(f"ELSE {labels[-1]}")
    inner = ", ".join(f"{value} AS z{k + 1}" for k, value in enumerate(values))
    return f"(SELECT CASE {' '.join(whens)} END FROM (SELECT {inner}) AS s)"


# -------------------------------------------------------------------- literals
def _literal(label: Any) -> str:
    if isinstance(label, str):
        return _text(label)
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    return str(label) if isinstance(label, int) else _double(label)


def _double(value: float) -> str:
    """A literal with a power of ten, which DuckDB would otherwise read as a decimal of fixed point."""
    text = repr(value)
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text


def _text(value: str) -> str:
    return "'" + _writable(value).replace("'", "''") + "'"


def _name(value: str) -> str:
    """A quoted identifier. Columns also stand behind "t.": SQLite would take a quoted name it misses for text."""
    if not value:
        raise DataError("SQL has no empty names: rename the column")
    return '"' + _writable(value).replace('"', '""') + '"'


def _writable(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{value!r} cannot be written in SQL: half a character is not text") from None
    if "\0" in value:
        raise DataError(f"{value!r} cannot be written in SQL: its text cannot hold the character 0")
    return value
