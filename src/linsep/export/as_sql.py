"""A model as a query that scores the rows of a table in its database."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from math import isfinite, isqrt
from typing import Any

from linsep.data.cells import MISSING_WORDS, NUMBER, WHOLE
from linsep.export.formula import Formula, Number, formula_of
from linsep.types import DataError

# Databases refuse tables far narrower than this, and nobody can read the query.
_MOST_TERMS = 20_000
_LARGEST = "1.7976931348623157e308"  # of all doubles
_BLANKS = " \t\u00a0"
_SHAPES = ("ee", "e.e", "eee", "e.ee")
# Types of columns as `typeof` calls them, in SQLite and in DuckDB.
_OF_TEXT = ("text", "blob", "VARCHAR")
_WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_OF_NUMBERS = ("integer", "real", "DOUBLE", "FLOAT", *_WHOLE_TYPES)


def to_sql(model: Any, *, table: str = "rows", postgresql: bool = False) -> str:
    """Return a SELECT of the predicted class, the decision values and all columns of a table, in the order of its rows.

    z = b + sum_j w_j (x_j - mean_j) / scale_j + CASE ... END, in double precision; class by CASE.

    The columns before those of the table are prediction and decision_value; with three or more classes "decision_value
    LABEL" for each (followed by "_" if a column of the model has that name). A feature whose weights are 0 is left out.
    Decision values agree with `decision_function` to rounding: the terms are added in another order.

    Columns may have types, or be text, as SQLite's ``.import`` and DuckDB's ``read_csv(all_varchar=true)`` make them:
    such cells are read as `linsep predict` reads CSV, and true and false in a column of numbers as 1 and 0. NULL, NaN,
    words such as NA and those that were named when the model was trained (`na`) are missing values, and a category that
    did not occur in training adds nothing. Where `linsep predict` refuses a cell, class and decision values are NULL:
    text that is no number, or a missing value if the model was trained on complete rows. So they are for text that only
    linsep reads (amounts with a currency, a % or marks between thousands; blanks other than spaces and tabs), and where
    text of a category was made a time, a date, a truth value or another number: what a type has lost is not known, as
    01 that became 1. There is no class where a decision value is infinite.

    Parameters
    ----------
    model : fitted TableModel or learner
        One that predicts with `coef_` and `intercept_`.
    table : str, default="rows"
        Name of the table; a point stands between schema and table.
    postgresql : bool, default=False
        Write for PostgreSQL, where columns of numbers have to have such a type; else for SQLite and DuckDB.

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
    >>> _ = base.executescript("CREATE TABLE rows (x1 TEXT); INSERT INTO rows VALUES ('3'), ('-4.5'), ('4-5')")
    >>> base.execute(query).fetchall()
    [('yes', 2.0, '3'), ('no', -5.5, '-4.5'), (None, None, '4-5')]
    """
    formula = formula_of(model)
    planes = len(formula.intercept)
    terms = sum(1 if isinstance(x, Number) else len(x.levels) for x in formula.inputs) * planes
    if terms > _MOST_TERMS:
        raise DataError(
            f"cannot write {terms:,} weights as one SQL expression (at most {_MOST_TERMS:,}): export to JSON or ONNX"
        )
    taken: dict[str, str] = {}
    for x in formula.inputs:
        if (other := taken.setdefault(x.name.casefold(), x.name)) != x.name:
            raise DataError(f"SQL does not tell the columns {other!r} and {x.name!r} apart: rename one")
    names = ["decision_value"] if planes == 1 else [f"decision_value {label}" for label in formula.classes]
    names = [_name(_free(name, taken)) for name in names]
    # They come first: where the table has a column of such a name, too, "s.name" is not that one.
    values = [f"{_decision_value(formula, k, postgresql)} AS {name}" for k, name in enumerate(names)]
    said = _prediction([f"s.{name}" for name in names], [_literal(label) for label in formula.classes])
    listed, source = ",\n  ".join([*values, "t.*"]), ".".join(map(_name, table.split(".")))
    made = f"-- {formula.learner} of linsep {version('linsep')}"
    return f'{made}\nSELECT {said} AS "prediction", s.*\nFROM (SELECT\n  {listed}\n  FROM {source} AS t) AS s\n'


def _free(name: str, taken: dict[str, str]) -> str:
    """The name, with as many "_" behind it as it takes to be a new one in SQL."""
    while name.casefold() in taken:
        name += "_"
    taken[name.casefold()] = name
    return name


def _decision_value(formula: Formula, k: int, postgresql: bool) -> str:
    parts = [(_number if isinstance(x, Number) else _category)(x, k, formula, postgresql) for x in formula.inputs]
    return _sum([_double(float(formula.intercept[k])), *filter(None, parts)])


def _number(x: Any, k: int, formula: Formula, postgresql: bool) -> str:
    """The term of a number: `typeof` is known before, so a column that has a type is not looked at as text."""
    weight = float(x.weights[k])
    if weight == 0:
        return ""
    column = f"t.{_name(x.name)}"
    missing = "NULL" if x.missing is None else _double(x.missing * weight)
    one, zero = (_double((number - x.mean) / x.scale * weight) for number in (1.0, 0.0))

    def term(number: str) -> str:
        value = number if x.is_plain else f"({number} - {_double(x.mean)}) / {_double(x.scale)}"
        return f"({value}) * {_double(weight)}"

    of_text = ""
    if not postgresql:
        cell = f"TRIM(CAST({column} AS VARCHAR), '{_BLANKS}')"
        words = _is_one_of(f"LOWER({cell})", MISSING_WORDS) + _or_named(cell, formula.na)
        if formula.decimal == ",":
            cell = f"REPLACE(REPLACE({cell}, '.', 'x'), ',', '.')"
        of_text = (
            f"WHEN typeof({column}) IN ({', '.join(map(_text, _OF_TEXT))}) THEN CASE WHEN {words} THEN {missing} "
            f"WHEN LOWER({cell}) = 'true' THEN {one} WHEN LOWER({cell}) = 'false' THEN {zero} "
            f"WHEN {_shape(cell)} NOT IN ({', '.join(map(_text, _SHAPES))}) THEN NULL "
            f"ELSE {term(f'CAST({cell} AS DOUBLE PRECISION)')} END "
        )
    # Whole numbers and decimals are doubles before they are used. NaN is the only number that -x leaves the largest.
    number = f"CAST({column} AS DOUBLE PRECISION)"
    codes = ", ".join(_double(float(word)) for word in formula.na if re.fullmatch(NUMBER, word))
    gone = f"({number} > {_LARGEST} AND -{number} > {_LARGEST})" + (f" OR {number} IN ({codes})" if codes else "")
    return f"CASE WHEN {column} IS NULL THEN {missing} {of_text}WHEN {gone} THEN {missing} ELSE {term(number)} END"


def _shape(cell: str) -> str:
    """What is left of text between two e without its digits, and signs behind an e: one of `_SHAPES` for a number.

    SQLite casts what begins with a number, and DuckDB takes 1_000 for one. Where digits lack, an x is left.
    """
    cell = f"'e' || LOWER({cell}) || 'e'"
    for old, new in [("e-", "e+"), ("e+", "e"), ("ee", "x"), ("e.e", "x"), *((digit, "") for digit in "0123456789")]:
        cell = f"REPLACE({cell}, '{old}', '{new}')"
    return cell


def _category(x: Any, k: int, formula: Formula, postgresql: bool) -> str:
    """The term of a category, compared as text; a missing value is the level "".

    What no level is called may be a level that another type than text has written anew, as 9:15 becomes 09:15:00: NULL.
    """
    weights = {level: float(w) for level, w in zip(x.levels, x.weights[:, k], strict=True)}
    if not any(weights.values()):
        return ""
    column = f"t.{_name(x.name)}"
    cell = f"CAST({column} AS VARCHAR)"
    if not postgresql and any(level.lstrip("-").isdecimal() for level in x.levels):
        whole = f"RTRIM(REPLACE({cell} || '$', '.0$', ''), '$')"  # 2.0 is "2" to linsep, as to PostgreSQL
        cell = f"CASE WHEN typeof({column}) IN ('real', 'DOUBLE', 'FLOAT') THEN {whole} ELSE {cell} END"
    missing = _double(weights.pop("", 0.0)) if x.missing else "NULL"
    other = "0e0"
    if not postgresql:
        kinds = ", ".join(map(_text, _OF_TEXT + _OF_NUMBERS * all(map(_is_kept_as_number, weights))))
        other = f"CASE WHEN typeof({column}) IN ({kinds}) OR typeof({column}) LIKE 'ENUM%' THEN 0e0 END"
    known = " ".join(f"WHEN {_text(level)} THEN {_double(w)}" for level, w in weights.items())
    known = f"CASE {cell} {known} ELSE {other} END"
    named = _or_named(f"TRIM({cell}, '{_BLANKS}')", formula.na)
    return f"CASE WHEN {column} IS NULL OR {cell} = ''{named} THEN {missing} ELSE {known} END"


def _is_kept_as_number(level: str) -> bool:
    """Whether a number that text is taken for is written like that again; other text is no number."""
    if not re.fullmatch(NUMBER, level):
        return True
    return level in (str(int(level)) if level.lstrip("+-").isdecimal() else "", repr(float(level)))


def _sum(terms: list[str]) -> str:
    """a + b + ... as a sum of sums: DuckDB and SQLite refuse what is nested 1,000 deep, SQLite 100 parentheses."""
    step = max(2, isqrt(len(terms)))
    sums = [f"({' + '.join(terms[k : k + step])})" for k in range(0, len(terms), step)]
    return "\n  + ".join(sums)


def _prediction(z: list[str], labels: list[str]) -> str:
    """The class, where all decision values are finite numbers."""
    finite = " AND ".join(f"{value} BETWEEN -{_LARGEST} AND {_LARGEST}" for value in z)
    if len(z) == 1:
        whens = [f"WHEN {z[0]} >= 0 THEN {labels[1]}"]
        labels = labels[:1]
    else:
        whens = [
            f"WHEN {' AND '.join(f'{z[k]} >= {other}' for other in z[k + 1 :])} THEN {label}"
            for k, label in enumerate(labels[:-1])
        ]
    return f"CASE WHEN {finite} THEN CASE {' '.join(whens)} ELSE {labels[-1]} END END"


# -------------------------------------------------------------------- literals
def _literal(label: Any) -> str:
    if isinstance(label, str):
        return _text(label)
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    return str(label) if isinstance(label, int) else _double(label)


def _double(value: float) -> str:
    """A literal with a power of ten, which DuckDB would otherwise read as a decimal of fixed point."""
    if not isfinite(value):  # no decision value
        return "NULL"
    text = repr(value)
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text


def _is_one_of(cell: str, words: Sequence[str]) -> str:
    """Four words at a time: of more DuckDB makes a table to be joined."""
    parts = (", ".join(map(_text, words[k : k + 4])) for k in range(0, len(words), 4))
    return " OR ".join(f"{cell} IN ({part})" for part in parts)


def _or_named(cell: str, words: Sequence[str]) -> str:
    """Or whether text is one of the words that stand for no value; -999.0 is -999."""
    whole = [f"{word}{mark}" for word in words if WHOLE.fullmatch(word) for mark in ".,"]
    named = {cell: words, f"RTRIM({cell}, '0')": whole}
    return "".join(f" OR {_is_one_of(text, some)}" for text, some in named.items() if some)


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
    if "\0" in value or "\r" in value:  # most programs read the second as the end of a line
        mark = "the character 0" if "\0" in value else "a carriage return"
        raise DataError(f"{value!r} cannot be written in SQL: its text cannot hold {mark}")
    return value
