"""Hints on rows that are held out, or separated, although they belong together, or come one after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc

from linsep.data.codes import words_of
from linsep.data.columns import Column, TableChunk
from linsep.data.features.dates import is_date
from linsep.data.features.kinds import SKIP, is_words, points_in_time
from linsep.markup import quote

# Whom several rows are about, as the last word of a name, or before "id": an ordinary category is not called so.
_WHOM = {
    *("patient", "subject", "participant", "customer", "client", "user", "person", "member", "account", "household"),
    *("student", "pupil", "employee", "driver", "speaker", "author", "writer", "animal", "device", "machine"),
    *("session", "visitor", "kunde", "patientin", "mitglied", "teilnehmer", "fahrer", "cliente", "paciente", "usuario"),
}
_FEWEST_GROUPS = 10
_ROWS_OF_A_GROUP = 2.0  # on average, from here on
_BORN = frozenset(["birth", "birthday", "birthdate", "born", "dob"])


def hints_on_holding_out(chunk: Any, kinds: Mapping[str, str], fraction: float) -> list[tuple[str, str]]:
    """The line for rows held out at random, if a column names groups of them, or if they have dates; else none.

    A column names groups if it is called after whom several rows are about (patient, customer_id, userId; `_WHOM` has
    the words), has at least ten different values, and two rows or more of each on average. Dates count unless they are
    those of births. What is skipped counts for nothing.

    Parameters
    ----------
    chunk : TableChunk or Chunk
        All rows.
    kinds : mapping of str to str
        What the columns hold, as `TableEncoder.kinds_`.
    fraction : float
        The share of the rows that is held out.

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
    used = [name for name in chunk.names if kinds.get(name) != SKIP]
    groups = _on_groups(chunk, used, kinds)
    together = groups and (groups[1], f"--group {quote(groups[0])} holds out all rows of one, or none")
    found = [hint for hint in (together, _on_dates(chunk, used, kinds, fraction)) if hint]
    whys, ways = ([hint[part] for hint in found] for part in (0, 1))
    said = f"either {ways[0]}; or {ways[1]}" if len(ways) == 2 else "".join(ways)
    return [("hint", f"{', and '.join(whys)}: {said}")] if found else []


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
    if not isinstance(chunk, TableChunk):
        return []
    found = _on_groups(chunk, [name for name in chunk.names if kinds.get(name) != SKIP], kinds)
    if found is None:
        return []
    name, what = found
    return [
        (
            "hint",
            f"{what}: the classes may be told apart by which {name!r:.40} a row is about, which says nothing about "
            f"others; --column {quote(name)}=skip asks without it",
        )
    ]


def _on_groups(chunk: TableChunk, used: list[str], kinds: Mapping[str, str]) -> tuple[str, str] | None:
    """A column whose values several rows share because they belong together, and how many there are of these."""
    for name in used:
        words = words_of(name)
        if (
            is_words(kinds.get(name, ""))
            or is_date(kinds.get(name, ""))
            or not (words[-1] == "id" or words[-1] in _WHOM)
        ):
            continue
        n_groups = _n_values(chunk.cells(name))
        if n_groups >= _FEWEST_GROUPS and chunk.n_rows >= _ROWS_OF_A_GROUP * n_groups:
            return name, f"{n_groups:,} values of {name!r:.40} in {chunk.n_rows:,} rows"
    return None


def _n_values(column: Column | None) -> int:
    """How many different values there are; none of numbers with fractions, which name nothing."""
    if column is None:
        return 0
    if column.text is not None and column.values is None:
        return len(pc.unique(column.text))
    assert column.values is not None
    return 0 if (column.values != np.floor(column.values)).any() else len(np.unique(column.values))


def _on_dates(chunk: TableChunk, used: list[str], kinds: Mapping[str, str], fraction: float) -> tuple[str, str] | None:
    """Why rows come one after another, and the option that keeps them in order with what it does."""
    dated = [name for name in used if is_date(kinds.get(name, "")) and not _BORN.intersection(words_of(name))]
    if not dated:
        return None
    points, missing = points_in_time(chunk, dated[0], kinds[dated[0]])
    there = np.sort(points[~missing])
    if not len(there) or there[0] == there[-1]:
        return None
    day = str(there[int((1 - fraction) * len(there))].astype("datetime64[D]"))
    asked = day if sum(map(is_date, kinds.values())) == 1 else f"{quote(dated[0] + '=' + day)}"
    return f"{dated[0]!r:.40} holds dates", f"--after {asked} holds out the later rows, as new rows will be"
