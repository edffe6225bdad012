"""Hints on rows that are held out, or separated, although they belong together, follow one another, or lack values."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.codes import NEARLY_ALL, names_whom, plain_name, words_of
from linsep.data.columns import Column, TableChunk
from linsep.data.copies import cell_codes
from linsep.data.features.dates import is_date
from linsep.data.features.kinds import CATEGORY, SKIP, is_words, points_in_time
from linsep.data.telling import BY_CHANCE, TellingColumn
from linsep.markup import quote
from linsep.types import Array

_FEWEST_GROUPS = 10
# Levels of a category from which on they may be names: so many and this share of the rows, or half of the rows.
_MANY_LEVELS, _MANY_OF_ROWS = 100, 0.1
_FEWEST_ROWS = 60
_FEWEST_MIXED, _SHARE_MIXED = 5, 0.05  # held-out rows that share a value with a row to learn from
_BORN = frozenset(["born", "bday", "dob", "yob", "geb"])
_BIRTH = re.compile(
    "birth|geburt|geboren|geboorte|naissance|nacimiento|naixement|nascimento|nascita|f[o\u00f8]dsel|fodelse|syntyma|urodz|"
    "narozen|naroden|szuletes|dogum|\u0440\u043e\u0436\u0434|\u03b3\u03b5\u03bd\u03bd\u03b7\u03c3|\u51fa\u751f|\u751f\u5e74"
)
_MOSTLY_MISSING = 0.5


class _Groups(NamedTuple):
    """A column whose rows of one value may belong together; `called` says whether its name says so."""

    name: str
    what: str
    called: bool


def hints_on_holding_out(
    chunk: Any, kinds: Mapping[str, str], fraction: float, telling: Collection[str] = ()
) -> list[tuple[str, str]]:
    """The line for rows held out at random, if a column names groups of them, or if they have dates; else none.

    A column names groups if it is called after whom several rows are about (patient, customer_id, Kundennr;
    `names_whom`), has at least ten different values, and a tenth of its rows have a value that another has. Failing
    that, a category does that has very many levels, whatever it is called: 100 and a tenth of the rows, or, from 60
    rows on, half of them. Dates count unless they are those of births, of a column that tells the classes apart, or of
    one that is missing in more than half of the rows. What is skipped counts for nothing.

    Parameters
    ----------
    chunk : TableChunk or Chunk
        All rows.
    kinds : mapping of str to str
        What the columns hold, as `TableEncoder.kinds_`.
    fraction : float
        The share of the rows that is held out.
    telling : collection of str
        Columns that alone tell the classes apart.

    Returns
    -------
    list of (str, str)
        At most one line: only one of `--group` and `--after` can be given, so both stand in one as a choice.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"p{k % 12},2024-01-{k % 28 + 1:02d}\\n" for k in range(40))
    >>> for line in hints_on_holding_out(open_data(("patient,seen\\n" + rows).encode()).read(), {"seen": "date"}, 0.2):
    ...     print(line)
    ('hint', "12 values of 'patient' in 40 rows, and 'seen' holds dates: either --group patient holds out all rows of
    one, or none; or --after 2024-01-21 holds out the later rows, as new rows will be")
    """
    if not isinstance(chunk, TableChunk):
        return []
    groups, dates = _groups(chunk, kinds), _on_dates(chunk, kinds, fraction, telling)
    found = [hint for hint in (groups and (groups.what, _keep_together(groups)), dates) if hint]
    whys, ways = ([hint[part] for hint in found] for part in (0, 1))
    said = f"either {ways[0]}; or {ways[1]}" if len(ways) == 2 else "".join(ways)
    return [("hint", f"{', and '.join(whys)}: {said}")] if found else []


def _keep_together(groups: _Groups) -> str:
    together = f"--group {quote(groups.name)} holds out all rows of one, or none"
    skip = f"--column {quote(groups.name)}=skip leaves it out if its values will be others in new rows"
    return together if groups.called else f"{together}, if they belong together, and {skip}"


def mixed_groups(chunk: Any, kinds: Mapping[str, str], train: Array, test: Array) -> list[str]:
    """What to say loudly where rows held out at random have a group in common with rows to learn from; none if few do.

    Groups are those that `hints_on_holding_out` names. Few are fewer than five rows, or less than 5 % of those
    held out.

    Examples
    --------
    >>> from linsep import open_data
    >>> chunk = open_data(("patient\\n" + "".join(f"p{k % 50}\\n" for k in range(100))).encode()).read()
    >>> mixed_groups(chunk, {}, np.arange(80), np.arange(80, 100))
    ["20 of 20 held-out rows have a value of 'patient' that training rows have, too: the accuracy may be higher
    than that of new ones; --group patient keeps the rows of a value together"]
    """
    groups = _groups(chunk, kinds)
    if groups is None:
        return []
    column = chunk.cells(groups.name)
    codes = cell_codes(column)
    there = test if column is None or column.missing is None else test[~column.missing[test]]
    mixed = int(np.isin(codes[there], codes[train]).sum())
    if mixed < max(_FEWEST_MIXED, _SHARE_MIXED * len(test)):
        return []
    return [
        f"{mixed:,} of {len(test):,} held-out rows have a value of {groups.name!r:.40} that training rows have, too: "
        "the accuracy may be higher than that of new ones; "
        f"--group {quote(groups.name)} keeps the rows of a value together"
    ]


def hints_on_proof(chunk: Any, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    """The line for classes that a hyperplane separates, if a column in use names groups of rows; else none.

    What groups are is said in `hints_on_holding_out`. Fewer columns separate no more rows, so there is nothing to say
    of classes that cannot be separated.

    Examples
    --------
    >>> from linsep import open_data
    >>> rows = "".join(f"p{k % 12},{k % 5}\\n" for k in range(40))
    >>> for line in hints_on_proof(open_data(("patient,size\\n" + rows).encode()).read(), {}):
    ...     print(line)
    ('hint', "12 values of 'patient' in 40 rows: the classes may be told apart by which 'patient' a row is about, which
    says nothing about others; --column patient=skip asks without it")
    """
    groups = _groups(chunk, kinds)
    if groups is None:
        return []
    name = groups.name
    return [
        (
            "hint",
            f"{groups.what}: the classes may be told apart by which {name!r:.40} a row is about, which says nothing "
            f"about others; --column {quote(name)}=skip asks without it",
        )
    ]


def _groups(chunk: Any, kinds: Mapping[str, str]) -> _Groups | None:
    """A column whose values several rows share because they belong together: the first one called so, or a category."""
    most, found = 0, None
    for name in chunk.names if isinstance(chunk, TableChunk) else []:
        kind = kinds.get(name, "")
        if kind == SKIP or is_words(kind) or is_date(kind):
            continue
        column = chunk.cells(name)
        n_values = _n_values(column)
        if n_values > NEARLY_ALL * (chunk.n_rows - (0 if column.missing is None else int(column.missing.sum()))):
            continue  # hardly two rows share a value
        what = f"{n_values:,} values of {name!r:.40} in {chunk.n_rows:,} rows"
        if names_whom(name) and n_values >= _FEWEST_GROUPS:
            return _Groups(name, what, True)
        is_category = kind == CATEGORY or (not kind and not column.is_number)
        if is_category and n_values > most and _are_many(n_values, chunk.n_rows):
            most, found = n_values, _Groups(name, what, False)
    return found


def _are_many(n_levels: int, n_rows: int) -> bool:
    """Whether levels are too many for an ordinary category of so many rows."""
    few_rows_of_each = n_levels >= max(_MANY_LEVELS, _MANY_OF_ROWS * n_rows)
    half = n_rows >= _FEWEST_ROWS and 2 * n_levels >= n_rows
    return few_rows_of_each or half


def _n_values(column: Column) -> int:
    """How many different values there are; none of numbers with fractions, which name nothing."""
    there = None if column.missing is None else ~column.missing
    values = column.values
    if values is None:
        assert column.text is not None
        return len(pc.unique(column.text if there is None else column.text.filter(pa.array(there))))
    values = values if there is None else values[there]
    return 0 if (values != np.floor(values)).any() else len(np.unique(values))


def _is_birth(name: str) -> bool:
    plain = plain_name(name)
    return bool(_BORN.intersection(words_of(plain)) or _BIRTH.search(plain.lower()))


def _on_dates(
    chunk: TableChunk, kinds: Mapping[str, str], fraction: float, telling: Collection[str]
) -> tuple[str, str] | None:
    """Why rows come one after another, and the option that keeps them in order with what it does."""
    dated = [name for name in chunk.names if is_date(kinds.get(name, "")) and not _is_birth(name)]
    for name in (one for one in dated if one not in telling):
        points, missing = points_in_time(chunk, name, kinds[name])
        there = np.sort(points[~missing])
        if missing.mean() > _MOSTLY_MISSING or not len(there) or there[0] == there[-1]:
            continue
        day = str(there[int((1 - fraction) * len(there))].astype("datetime64[D]"))
        asked = day if sum(map(is_date, kinds.values())) == 1 else f"{quote(name + '=' + day)}"
        return f"{name!r:.40} holds dates", f"--after {asked} holds out the later rows, as new rows will be"
    return None


def telling_gaps(chunk: TableChunk, labels: Array) -> list[TellingColumn]:
    """Find the columns that are missing in rows of one class alone, or there in rows of one class alone.

    Left out are those that chance could explain: let m rows lack the column, or have it, of n rows, of which n_k are of
    class k. Shuffled labels put these m rows into it with probability C(n_k, m) / C(n, m); that times four, the number
    of columns that lack values and the number of classes has to be below 1/1000.

    Parameters
    ----------
    chunk : TableChunk
        All rows, also those that a proof leaves out, without the columns that are skipped.
    labels : ndarray of str
        Their labels by name.

    Returns
    -------
    list of TellingColumn
        At most one a column, those with the fewest errors first.

    Examples
    --------
    >>> from linsep import open_data
    >>> from linsep.data.columns import label_names
    >>> rows = "".join(f"{k},{k if k < 15 else ''},{'late' if k < 15 else 'paid'}\\n" for k in range(30))
    >>> whole = open_data(("age,overdue,state\\n" + rows).encode(), target="state").read()
    >>> [gap] = telling_gaps(whole, label_names(whole.y))
    >>> gap.rule, gap.errors
    ('missing in every row of paid, and in no row of another class', 0)
    """
    names, codes = np.unique(labels, return_inverse=True)
    columns = [column for name in chunk.names if (column := chunk.cells(name)) and column.missing is not None]
    many = log(BY_CHANCE * 4 * max(1, len(columns)) * max(1, len(names)))
    found: list[TellingColumn] = []
    for column in columns:
        ways = [gap for lacking in (True, False) if (gap := _gap(column, lacking, names, codes, many))]
        found += sorted(ways, key=lambda gap: gap.some)[:1]
    return sorted(found, key=lambda gap: gap.some)


def _gap(column: Column, lacking: bool, names: Array, codes: Array, many: float) -> TellingColumn | None:
    """The class in which alone cells are missing, or there; `many` is ln of the least number of tables for one."""
    rows = codes[column.missing == lacking]
    m, n = rows.size, codes.size
    if not 0 < m < n or (rows != rows[0]).any():
        return None
    label, of = str(names[rows[0]]), int((codes == rows[0]).sum())
    if many + _log_choose(of, m) - _log_choose(n, m) > 0:
        return None
    share = "every row" if m == of else f"{m:,} of {of:,} rows"
    rule = f"{'missing' if lacking else 'there'} in {share} of {label}, and in no row of another class"
    two = m == of and len(names) == 2
    return TellingColumn(column.name, of - m, n, rule, (1 + m / of) / 2, None if two else label, m < of)


def _log_choose(n: int, m: int) -> float:
    """ln of the number of ways to choose m of n."""
    return lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)
