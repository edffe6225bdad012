"""Decide whether the classes of a table are separable, exactly as it is written: `linsep check` in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from linsep.clock import clock
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers
from linsep.data.features.kinds import CATEGORY, kinds_in_proof, left_out_of_proof
from linsep.data.features.missing import LEAVE_OUT
from linsep.data.hints import hints_on_proof
from linsep.data.labels import doubt_of_labels, refuse_label_for_each_row
from linsep.data.sources.open import source_of
from linsep.data.sources.source import Source
from linsep.learners.base.tables import as_named, binary_names, positions
from linsep.markup import listed
from linsep.reporting.explanation.explanation import Explanation, columns_behind
from linsep.reporting.explanation.suspects import Explained, suspects_of
from linsep.reporting.proof import Lines, certificate_of, proof_lines
from linsep.theory.explanation.fewest_rows import fewest_rows
from linsep.theory.margin.geometry import class_signs
from linsep.theory.rows.deadline import deadline_of
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability_one_vs_rest
from linsep.types import Array, DataError, Verdict

# Of several verdicts the one that is said of the table: the last in this order.
_ORDER: tuple[Verdict, ...] = ("separable", "undecided", "not-separable", "quasi-separable", "inseparable")

_SEPARATED: tuple[Verdict, ...] = ("separable", "quasi-separable")

_SECONDS = 30.0  # for all that is asked of rows and columns of all classes together, unless a limit is given
_MANY_CLASSES = 8  # from here on each class has its line among the details


class Asked(NamedTuple):
    """One question of two classes.

    Attributes
    ----------
    title : str
        The class that is set against the rest; empty where there are two classes.
    found : Separability
        The answer.
    y : ndarray, shape (n_rows,)
        The class of each row by name.
    """

    title: str
    found: Separability
    y: Array


@dataclass(frozen=True)
class TableCheck:
    """The verdict on a table, with its certificates.

    Attributes
    ----------
    verdict : str
        The verdict; with three classes or more the worst of those of each class against the rest.
    asked : list of Asked
        The question and its answer; with three classes or more one for each class.
    numbers : ExactNumbers
        The columns as they were given to the proof: whole numbers, each column times a power of ten.
    lines : list of (str, str)
        Label and text of each line, for people: about ten.
    data : dict
        The certificates as plain data, with the columns of the table by name.
    warnings : list of str
        Reservations.
    details : list of (str, str)
        Further lines: more directions, the overlap, or a line for each of many classes.
    hints : list of str
        What the classes may be told apart by that new rows do not have; it is among the lines, too.
    explanation : Explanation or None
        The rows that have to go and the columns behind the verdict, where that was asked.
    """

    verdict: Verdict
    asked: list[Asked]
    numbers: ExactNumbers
    lines: list[tuple[str, str]]
    data: dict[str, Any]
    warnings: list[str]
    details: list[tuple[str, str]] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    explanation: Explanation | None = None


def check_table(
    source: Source,
    *,
    positive: Any = None,
    columns: Mapping[str, str] | None = None,
    missing: Literal["drop", "error"] | None = None,
    time_limit: float | None = None,
    explain: bool = False,
    exact: bool = False,
) -> TableCheck:
    """Prove whether a hyperplane separates the classes of a table, for the numbers exactly as they are written.

    Decimal text is read exactly, categories become indicators, and dates the elapsed time. Columns that name the rows
    and running text are left out: every row differs from all others in them. With three classes or more each class is
    set against the rest, unless `positive` names one.

    Parameters
    ----------
    source : Source
        A table with labels, from `open_data`.
    positive : label, optional
        The label of the positive class; all others together are the other class.
    columns : dict of str to str, optional
        What columns hold, as in `TableEncoder`, where that is not found out.
    missing : {"drop", "error"}, optional
        "drop" leaves out the rows that have a missing value in a column in use, and the certificate says which; "error"
        refuses the first one. By default a missing number is refused, and a missing category is its own category.
    time_limit : float, optional
        Seconds for each question, after which it is left undecided.
    explain : bool, default=False
        Whether to look for the fewest rows that have to go before the classes are separable (`fewest_rows`), and for
        the columns behind the verdict: those that separate alone, a few that do together, those that are needed. For
        `time_limit` seconds a question, beside those of its verdict, or 30 in all unless it is given.
    exact : bool, default=False
        Whether weights have to be exact, as in `separability`.

    Returns
    -------
    TableCheck
        The verdict and its certificates.

    Raises
    ------
    DataError
        The numbers or labels cannot be used; there are more classes than half of 20 rows or more.

    Examples
    --------
    >>> import pandas as pd
    >>> from linsep import open_data
    >>> frame = pd.DataFrame({"size": [0.1, 0.2, 0.3], "kind": ["a", "a", "b"]})
    >>> found = check_table(open_data(frame, target="kind"))
    >>> found.verdict, found.asked[0].found.margin.lower > 0
    ('separable', True)
    """
    source.asked.categorical |= {name for name, kind in (columns or {}).items() if kind == CATEGORY}
    refuse_label_for_each_row(source.read().y, source.target, positive)
    found = kinds_in_proof(source.read(), columns or {})
    numbers = exact_numbers(source, kinds=found.kinds, missing=missing, advice=LEAVE_OUT)
    y = numbers.y
    if y is None:
        raise DataError("these rows have no labels: name the label column with --target")
    rounded = ["more digits than doubles hold: the verdict is about the nearest doubles"]
    doubts = found.doubts + ([] if numbers.as_written else rounded)
    labels = np.unique(y)
    doubts += doubt_of_labels(labels)
    if labels.size == 1:
        raise DataError(f"every row has the label {labels[0]}: a separator needs rows of at least two classes")
    options: dict[str, Any] = {"time_limit": time_limit, "exact": exact}
    if labels.size == 2 or positive is not None:
        names = binary_names(labels, positive)
        names = labels if names is None else names
        codes = positions(as_named(y, names, positive), names)
        asked = [_asked("", certificate_of(numbers.X, codes, names, **options), names[codes], numbers)]
        lines, details = proof_lines(asked[0].found, numbers.names, numbers.exponents)
        data = _with_columns(asked[0].found, numbers, source)
    else:
        answers = separability_one_vs_rest(numbers.X, y, **options)
        named = {label: np.array(one.classes)[(y == label).astype(np.intp)] for label, one in answers.items()}
        asked = [_asked(str(label), one, named[label], numbers) for label, one in answers.items()]
        lines, details = _of_many(asked, numbers)
        data = {"one_against_rest": {one.title: _with_columns(one.found, numbers, source) for one in asked}}
    explanation = None
    if explain:
        explanation = _explain(asked, numbers, source, found.kinds, time_limit)
        lines += explanation.lines()
        data |= explanation.to_dict()
    lines[1:1] = [*numbers.rows_left_out(), *left_out_of_proof(found)]
    verdict = max((one.found.verdict for one in asked), key=_ORDER.index)
    some = any(one.found.verdict in _SEPARATED for one in asked)
    hints = hints_on_proof(source.read(), found.kinds) if some else []
    lines += hints
    said = [text for _, text in hints]
    return TableCheck(verdict, asked, numbers, lines, data, doubts, details, said, explanation)


def explain(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    columns: Mapping[str, str] | None = None,
    missing: Literal["drop", "error"] | None = None,
    time_limit: float | None = None,
) -> Explanation:
    """Say why the classes are separable or not: the rows that have to go, and the columns behind the verdict.

    The same as `check_table(source, explain=True).explanation`, which has the verdict too, for rows that are in memory.

    Parameters
    ----------
    X : dataframe, array or sparse matrix of shape (n_samples, n_features), or Source
        The rows; a source, from `open_data`, has its labels.
    y : array-like of shape (n_samples,), or str
        Their labels, or the column of the dataframe that holds them.
    positive : label, optional
        The label of the positive class; all others together are the other class. Unless given, three classes or more
        are each set against the rest.
    columns : dict of str to str, optional
        What columns hold, as in `TableEncoder`, where that is not found out.
    missing : {"drop", "error"}, optional
        What to do with rows that have a missing value, as for `check_table`.
    time_limit : float, optional
        Seconds for each question: the verdict has so many, and the explanation has so many more. Unless given, the
        verdict has no limit and all explanations together have 30 seconds.

    Returns
    -------
    Explanation
        `.rows` and `.columns` are tables, `.explained` and `.behind` have the proofs.

    Raises
    ------
    DataError
        As `check_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dose": range(40), "ill": ["no"] * 20 + ["yes"] * 20})
    >>> frame.loc[7, "ill"] = "yes"
    >>> why = explain(frame, "ill")
    >>> print(why.columns["said"][0])
    column 'dose' alone tells the classes apart (1 of 40 rows wrong: no up to 19.5, yes above 19.5)
    >>> why.rows.to_pandas()[["row", "dose"]].to_numpy()[0].tolist()
    [7, 7]
    """
    asked: dict[str, Any] = {"positive": positive, "columns": columns, "missing": missing, "time_limit": time_limit}
    found = check_table(source_of(X, y), **asked, explain=True).explanation
    assert found is not None
    return found


def _asked(title: str, found: Separability, y: Array, numbers: ExactNumbers) -> Asked:
    """One question, its rows named as in its certificate."""
    gone = () if numbers.left_out is None else tuple(numbers.left_out.tolist())
    return Asked(title, replace(found, about=(numbers.X, y), left_out=gone), y)


def _explain(
    asked: list[Asked], numbers: ExactNumbers, source: Source, kinds: Mapping[str, str], time_limit: float | None
) -> Explanation:
    """Of each question the rows that have to go, and the columns behind the verdict; of the time each has its share."""
    chunk = numbers.of(source.read())
    rows, columns, unasked = [], [], []
    whole = deadline_of(_SECONDS)
    for k, one in enumerate(asked):
        left = max(0.0, whole.at - clock()) / (len(asked) - k) if time_limit is None else time_limit
        own = deadline_of(left)
        columns.append(columns_behind(one.found, one.title, one.y, numbers, chunk, kinds, left))
        y = (class_signs(one.y, one.found.classes) > 0).astype(np.intp)
        negative, positive = one.found.classes
        try:
            fewest = fewest_rows(numbers.X, y, time_limit=max(0.0, own.at - clock())).named((negative, positive), one.y)
        except DataError as error:  # there is no pair of rows to be left
            unasked.append((f"rows to remove{f', {one.title}' if one.title else ''}", f"not looked for: {error}"))
            continue
        labels = numbers.y if one.title and numbers.y is not None else one.y
        places = one.found.in_file(np.arange(one.found.n_rows))
        rows.append(Explained(one.title, fewest, suspects_of(fewest, numbers, labels, chunk, places)))
    return Explanation(rows, columns, unasked)


def _of_many(asked: list[Asked], numbers: ExactNumbers) -> tuple[Lines, Lines]:
    """A line for each class; of many classes how many have which verdict, and the lines as details."""
    each = [(f"{one.title} against the rest", one.found.summary(first=1)) for one in asked]
    lines = [("rows x features", "{:,} x {:,}".format(*numbers.X.shape))]
    if len(asked) < _MANY_CLASSES:
        return [*lines, *each], []
    for verdict in _ORDER:
        titles = [one.title for one in asked if one.found.verdict == verdict]
        if titles:
            shown = listed(titles, _MANY_CLASSES)
            lines.append((verdict, f"{len(titles):,} of {len(asked):,} classes against the rest: {shown}"))
    return lines, each


def _with_columns(found: Separability, numbers: ExactNumbers, source: Source) -> dict[str, Any]:
    """The certificate, with the columns by which another program finds its data in the table."""
    data = {**found.to_dict(), **numbers.in_table(source)}
    return data if not any(numbers.exponents) else {**data, "margin": None}  # it would be in no one's units
