"""Dates and times as numbers and categories: days or seconds since 1970, month, weekday, and hour."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.cells import are_missing
from linsep.data.columns import Column
from linsep.data.distinct import distinct
from linsep.types import Array

# ISO 8601, without and with a time of day.
DATE, DATETIME = "date", "datetime"
# Other ways to write a day, and a time of day after it.
_DAYS = (
    *("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d", "%d %b %y", "%d-%b-%y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_MOST_YEARS = 50  # from the first to the last date with a year of two digits, which may belong to two centuries
_WAYS_OF_A_LOCALE = ("%c", "%x", "%X")  # mean something else on another machine
_LONGEST = 60  # characters of a way to write dates
_ZONE = r"[T ][0-9:.]+(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"
_TRIED = 50  # cells that are read in every way; the ways that fit are tried on the others
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOURS = tuple(f"{hour:02d}" for hour in range(24))


def is_date(kind: str) -> bool:
    """Whether a kind of column is a way to write dates.

    Examples
    --------
    >>> is_date("date"), is_date("%d.%m.%Y"), is_date("words1-2")
    (True, True, False)
    """
    return kind in (DATE, DATETIME) or "%" in kind


def is_way(kind: str) -> bool:
    """Whether dates can be read in this way: whether what is written in it is read as it was.

    Examples
    --------
    >>> is_way("%d.%m.%Y"), is_way("%d.%d"), is_way("%H:%M"), is_way("%Y-%m-%d %M:%S")
    (True, False, False, False)
    """
    if kind in (DATE, DATETIME):
        return True
    if any(way in kind for way in _WAYS_OF_A_LOCALE):
        return False
    point = datetime(2003, 12, 24, 13, 45, 59)
    whole = [point, point.replace(second=0), point.replace(minute=0, second=0), datetime(2003, 12, 24)]
    try:  # minutes without the hour would be lost, and the half of the day beside %H
        read = datetime.strptime(point.strftime(kind), kind)
        return len(kind) <= _LONGEST and read in whole and not ("%H" in kind and "%p" in kind)
    except (ValueError, re.error):
        return False


def parts_of(name: str, kind: str) -> list[str]:
    """Return the columns that a column of dates becomes: the elapsed time, a number, comes first.

    Examples
    --------
    >>> parts_of("paid", "date"), parts_of("paid", "datetime")[::3]
    (['paid (days)', 'paid month', 'paid weekday'], ['paid (seconds)', 'paid hour'])
    """
    if kind == DATE or (kind != DATETIME and "%H" not in kind and "%I" not in kind):
        return [f"{name} (days)", f"{name} month", f"{name} weekday"]
    return [f"{name} (seconds)", f"{name} month", f"{name} weekday", f"{name} hour"]


def date_kinds(text: pa.Array) -> list[str]:
    """Return the ways to write dates that fit all cells that are there: none, one, or several where days and months
    cannot be told apart.

    Examples
    --------
    >>> date_kinds(pa.array(["2024-02-29", ""])), date_kinds(pa.array(["29.2.2024 12:30", "1.3.2024 8:05"]))
    (['date'], ['%d.%m.%Y %H:%M'])
    >>> date_kinds(pa.array(["1/2/2024", "3/4/2024"])), date_kinds(pa.array(["1/2/2024", "30/4/2024"]))
    (['%d/%m/%Y', '%m/%d/%Y'], ['%d/%m/%Y'])
    """
    texts = distinct(text).texts
    cells = pc.unique(pc.utf8_trim_whitespace(texts.filter(pa.array(~are_missing(texts)))))
    if not len(cells):
        return []
    if _iso(cells) is not None:
        has_no_time = pc.max(pc.utf8_length(cells)).as_py() <= len("2024-02-29")
        return [DATE if has_no_time else DATETIME]
    few = cells[:_TRIED].to_pylist()
    if len(few[0]) > _LONGEST or not re.search("[0-9]", few[0]):
        return []
    ways = [day + time for time in _TIMES for day in _DAYS if all(_point(cell, day + time) for cell in few)]
    return [way for way in ways if len(few) == len(cells) or all(_point(cell, way) for cell in cells.to_pylist())]


def read_dates(text: pa.Array, kind: str) -> tuple[Array, Array] | int:
    """Return the points in time and which of them are missing, or the row of the first cell that is no date.

    Examples
    --------
    >>> read_dates(pa.array(["1.2.2024", "NA"]), "%d.%m.%Y")[0].astype(str).tolist()[0]
    '2024-02-01T00:00:00.000000'
    >>> read_dates(pa.array(["1.2.2024", "30.2.2024"]), "%d.%m.%Y")
    1
    """
    texts, codes = distinct(text)
    cells, missing = pc.utf8_trim_whitespace(texts), are_missing(texts)
    points = np.zeros(len(cells), "datetime64[us]")
    points[~missing] = _points(cells.filter(pa.array(~missing)), kind)
    bad = np.isnat(points)[codes]
    return int(bad.argmax()) if bad.any() else (points[codes], missing[codes])


def has_open_century(text: pa.Array, way: str) -> bool:
    """Whether years of two digits may belong to two centuries: the dates would lie more than 50 years apart.

    Examples
    --------
    >>> [has_open_century(pa.array([day, "01.04.41"]), "%d.%m.%y") for day in ("26.03.24", "26.03.70")]
    [False, True]
    """
    found = read_dates(text, way) if "%y" in way else 0
    if isinstance(found, int):
        return False
    days = found[0][~found[1]].astype("datetime64[D]")
    return bool((days.max() - days.min()).astype(int) > 365.25 * _MOST_YEARS)


def example_of(kind: str) -> str:
    """Say what a cell of this kind looks like.

    Examples
    --------
    >>> example_of("date"), example_of("%d.%m.%Y")
    ('a date like 2024-02-29', 'a date like %d.%m.%Y')
    """
    known = {DATE: "a date like 2024-02-29", DATETIME: "a time like 2024-02-29 13:30"}
    return known.get(kind, f"a date like {kind}")


def date_columns(column: Column, kind: str, points: Array, missing: Array, *, exact: bool = False) -> dict[str, Column]:
    """Return the parts of a column of dates, by name. Only the first one says which rows lack a date.

    With `exact`, seconds that doubles do not hold are also written out.

    Examples
    --------
    >>> points, missing = read_dates(pa.array(["2024-02-29", ""]), "date")
    >>> parts = date_columns(Column("paid", None, None), "date", points, missing)
    >>> parts["paid (days)"].values.tolist(), parts["paid weekday"].text.to_pylist()
    ([19782.0, 0.0], ['Thu', ''])
    """
    names = parts_of(column.name, kind)
    days = points.astype("datetime64[D]").astype(np.int64)
    seconds = points.astype(np.int64) / 1e6
    elapsed = days.astype(np.float64) if len(names) == 3 else seconds
    elapsed[missing] = 0.0
    lacking = missing if missing.any() else None
    written = _seconds_written(points) if exact and len(names) > 3 else None
    found = {names[0]: Column(names[0], elapsed, written, missing=lacking)}
    months = points.astype("datetime64[M]").astype(np.int64) % 12
    hours = points.astype("datetime64[h]").astype(np.int64) % 24
    others = ((_MONTHS, months), (_WEEKDAYS, (days + 3) % 7), (_HOURS, hours))  # 1970 began on a Thursday
    for name, (levels, codes) in zip(names[1:], others, strict=False):
        text = pa.array([*levels, ""]).take(pa.array(np.where(missing, len(levels), codes)))
        found[name] = Column(name, None, text)
    return found


def _seconds_written(points: Array) -> pa.Array | None:
    """Seconds since 1970 as decimal text; None where all are whole, which doubles hold."""
    micros = points.astype("datetime64[us]").astype(np.int64)
    if not (micros % 10**6).any():
        return None
    whole, rest = np.divmod(np.abs(micros), 10**6)
    pieces = zip(micros.tolist(), whole.tolist(), rest.tolist(), strict=True)
    return pa.array([f"{'-' if point < 0 else ''}{s}.{part:06d}".rstrip("0").rstrip(".") for point, s, part in pieces])


def _iso(cells: pa.Array) -> Array | None:
    """Points in time from ISO 8601 text, those with a zone in UTC, as those without; None unless all cells are one."""
    zoned = np.asarray(pc.match_substring_regex(cells, _ZONE).to_numpy(zero_copy_only=False), np.bool_)
    points = np.empty(len(cells), "datetime64[us]")
    for zone, rows in ((None, ~zoned), ("UTC", zoned)):
        try:
            found = pc.cast(cells.filter(pa.array(rows)), pa.timestamp("us", zone))
        except pa.ArrowInvalid:
            return None
        points[rows] = found.to_numpy(zero_copy_only=False)
    return points


def _points(cells: pa.Array, kind: str) -> Array:
    """Points in time, NaT where a cell is none."""
    if kind not in (DATE, DATETIME):
        return np.array([_point(cell, kind) for cell in cells.to_pylist()], "datetime64[us]")
    found = _iso(cells)
    if found is None:
        each = [_iso(cells[k : k + 1]) for k in range(len(cells))]
        found = np.concatenate([np.array(["NaT"], "datetime64[us]") if one is None else one for one in each])
    return found


def _point(cell: str, way: str) -> datetime | None:
    """The point in time of text written in one way; None if it is not."""
    try:
        return datetime.strptime(cell, way).replace(tzinfo=None)
    except ValueError:
        return None
