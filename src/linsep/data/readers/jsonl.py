"""JSON lines: one object a row. Arrow reads the block; a malformed line is found again by Python's own reader."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from linsep.data.cells import are_missing, are_numbers
from linsep.data.columns import Column, TableChunk, as_text
from linsep.data.labels import refuse_more_digits
from linsep.data.readers.arrow import from_arrow, joined
from linsep.data.readers.asked import Asked, Lines, TextReader, Whole, check_utf8, in_a_line
from linsep.markup import quote
from linsep.types import ColumnTypeError, DataError, NoRowsError

# How deep values may be nested.
_DEEPEST = 64
_AT_A_TIME = 10_000  # lines
# A number as it is written, in a text that no file holds: json.dumps would round it.
_AS_WRITTEN = "\0number\0"
_WHOLE = re.compile(r"(-?[0-9]+)\.0+")  # -999.0 is -999
_NUMBER = re.compile(r'"\\u0000number\\u0000([-+.0-9eE]+)"')
_LONG = re.compile(rb"[0-9.]{16}|[0-9.][eE]")  # numbers without it are as many doubles
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')


class MixedTypesError(ColumnTypeError):
    """A column holds values of several types."""

    def __init__(self, said: str, column: str, kind: str) -> None:
        super().__init__(said)
        self.column, self.kind = column, kind


class JsonlReader(TextReader):
    """Rows of JSON lines; a key that a line lacks, or null, is a missing value.

    The keys of an object in an object become columns: {"user": {"age": 31}} is a column user.age.

    Examples
    --------
    >>> from linsep.data.readers.asked import Asked
    >>> JsonlReader(Asked()).block(Lines(b'{"a": 1, "b": "x"}', "t.jsonl")).names
    ['a', 'b']
    """

    kind = "table"
    typed = True

    def block(self, lines: Lines) -> TableChunk | None:
        """Read some lines; None where all are blank."""
        if not lines.content.strip():
            return None
        lines = _without_no_values(lines, self.asked.na)
        table, mixed = _table(lines, self.asked)
        _refuse_long_labels([(table, mixed)], [lines], self.asked.target)
        chunk = from_arrow(table, lines.name, self.asked, lines.place, lines.start, keyed=True, settled=False)
        return self._with_mixed(chunk, mixed)

    def whole(self, pieces: Iterable[Lines]) -> Whole:
        """Read all files as one table."""
        texts = list(pieces)
        some = [_without_no_values(lines, self.asked.na) for lines in texts if lines.content.strip()]
        if not some:
            raise NoRowsError(f"{texts[0].name}: there are no rows")
        names = [lines.name for lines in some]
        tables = [_table(lines, self.asked) for lines in some]
        _refuse_long_labels(tables, some, self.asked.target)
        alike = _with_alike_texts([found for found, _ in tables], self.asked.categorical | self.asked.numeric)
        table, where = joined(alike, names, [lines.place for lines in some])
        mixed = {name: error for _, one in reversed(tables) for name, error in one.items()}
        chunk = self._with_mixed(from_arrow(table, names[0], self.asked, where, keyed=True), mixed)
        doubles = [field.name for field in table.schema if pa.types.is_floating(field.type)]
        found = cache(lambda: _numbers_written(some, doubles))
        if chunk.unlabelled is not None:
            labelled = pa.array(np.delete(np.arange(chunk.n_read), chunk.unlabelled))
            return Whole(replace(chunk, written=lambda name: found()[name].take(labelled) if name in doubles else None))
        return Whole(replace(chunk, written=lambda name: found()[name] if name in doubles else None))

    def _with_mixed(self, chunk: TableChunk, mixed: dict[str, DataError]) -> TableChunk:
        """The rows with their columns of several types, each of which is refused when it is used."""
        if not mixed:
            return chunk

        def parse(name: str) -> Column:
            if name in mixed:
                raise mixed[name]
            return chunk.parse(name)

        return replace(chunk, names=list(dict.fromkeys([*chunk.names, *mixed])), parse=parse)


def _table(lines: Lines, asked: Asked) -> tuple[Any, dict[str, DataError]]:
    """The rows as an Arrow table, and the columns that it lacks because they hold several types, each with its error.

    Where categories or numbers are asked for, or bad cells are kept, such columns are text, and it lacks none of those.
    The target may not be one of them.
    """
    check_utf8(lines.content, lines.name, lines.first_line)
    _check_depth(lines)
    lines = _flat(lines)
    mixed: dict[str, DataError] = {}
    texts: set[str] = set()
    some = lines
    while True:
        try:
            return _alike(some, asked.keep_bad_cells), mixed
        except MixedTypesError as error:
            name = error.column
            if name == asked.target or name in texts:  # what has parts is not made text
                raise
            if asked.keep_bad_cells or name in asked.categorical | asked.numeric:
                texts.add(name)
            else:
                mixed[name] = error
            found = _without_mixed(lines, mixed, texts, asked)
            if found is None:
                raise
            some = found


def _without_mixed(lines: Lines, gone: Collection[str], texts: set[str], asked: Asked) -> Lines | None:
    """The lines without some keys, and with the values of others as text.

    None where a line is malformed, or they hold no other feature.
    """
    rows = _objects(lines)
    if rows is None or not set().union(*rows) - {*gone, asked.target}:
        return None
    exact = _objects(lines, parse_float=str) if texts and _LONG.search(lines.content) else None
    for row, written in zip(rows, exact or (), strict=False):  # more digits than a double has would be lost
        for key in (key for key in texts.intersection(row) if isinstance(row[key], float)):
            refuse_more_digits(pa.array([written[key]]), np.array([row[key]]), key)

    def value_of(key: str, value: Any) -> Any:
        if key not in texts or value is None or isinstance(value, str):
            return value
        named = _name_of(value) if key in asked.categorical else json.dumps(value)
        return named if isinstance(named, str) or not asked.keep_bad_cells else json.dumps(named)

    return _of_objects(lines, [{key: value_of(key, row[key]) for key in row if key not in gone} for row in rows])


def _name_of(value: Any) -> Any:
    """A number, true or false as a category, as in a column that holds nothing else; what has parts stays as it is."""
    if isinstance(value, int):
        return str(int(value))
    return as_text([value])[0].as_py() if isinstance(value, float) else value


def _with_alike_texts(tables: list[Any], names: Collection[str]) -> list[Any]:
    """The tables of several files with these columns as text, where one of the files has text there."""
    texts = {
        name
        for name in names
        if any(name in table.column_names and pa.types.is_string(table.schema.field(name).type) for table in tables)
    }
    return [_with_texts(table, texts.intersection(table.column_names)) for table in tables]


def _with_texts(table: Any, names: Collection[str]) -> Any:
    for name in names:
        values = table.column(name)
        if pa.types.is_primitive(values.type):
            text = pa.array([_name_of(value) for value in values.to_pylist()], pa.string())
            table = table.set_column(table.column_names.index(name), name, text)
    return table


def _without_no_values(lines: Lines, na: Collection[str]) -> Lines:
    """The lines with null for values that are written as one of these texts; numbers keep all of their digits."""
    if not na:
        return lines
    check_utf8(lines.content, lines.name, lines.first_line)
    _check_depth(lines)

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kept(inner) for key, inner in value.items()}
        written = value.removeprefix(_AS_WRITTEN).strip() if isinstance(value, str) else ""
        whole = _WHOLE.fullmatch(written)
        return None if written in na or (whole is not None and whole[1] in na) else value

    given = lines.content.split(b"\n")
    for number, line in enumerate(given):
        try:
            row = _object(line, parse_float=_AS_WRITTEN.__add__, parse_int=_AS_WRITTEN.__add__)
        except ValueError:
            continue  # blank, or malformed, which is said later
        if isinstance(row, dict):
            given[number] = _NUMBER.sub(r"\1", json.dumps(kept(row))).encode()
    return lines._replace(content=b"\n".join(given))


def _flat(lines: Lines) -> Lines:
    """The lines with objects that hold no other; as they are where none does, or one is malformed."""
    content = lines.content
    if content.count(b"{") == content.count(b"\n{") + content.startswith(b"{"):  # each begins its line
        return lines
    rows = _objects(lines)
    if rows is None or not any(isinstance(value, dict) for row in rows for value in row.values()):
        return lines
    parents: set[str] = set()
    flat = []
    for number, row in enumerate(rows, lines.first_line):
        flat.append(_leaves(row, parents))
        if len(flat[-1]) < _count_leaves(row):
            raise DataError(f"{lines.name}:{number}: two keys have one name, as a.b and b in a; rename one of them")
    whole = [{key: row[key] for key in row if row[key] is not None or key not in parents} for row in flat]
    return _of_objects(lines, whole)


def _leaves(row: dict[str, Any], parents: set[str], above: str = "") -> dict[str, Any]:
    """{"user.age": 31} of {"user": {"age": 31}}; "user" is put into `parents`."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            parents.add(above + key)
            found |= _leaves(value, parents, f"{above}{key}.")
        else:
            found[above + key] = value
    return found


def _count_leaves(row: dict[str, Any]) -> int:
    return sum(_count_leaves(value) if isinstance(value, dict) else 1 for value in row.values())


def _objects(lines: Lines, **parse: Any) -> list[dict[str, Any]] | None:
    """The object of each line, an empty one for a blank line; None where a line holds anything else, or a key twice."""
    try:
        rows = [_object(line, **parse) if line.strip() else {} for line in lines.content.split(b"\n")]
    except ValueError:
        return None
    return rows if all(isinstance(row, dict) for row in rows) else None


def _object(line: bytes, **parse: Any) -> Any:
    """The value of a line; ValueError where a key stands twice, of which Python's reader would take the last."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    return json.loads(line.decode("utf-8-sig"), object_pairs_hook=once, **parse)


def _of_objects(lines: Lines, rows: list[dict[str, Any]]) -> Lines:
    """The lines with other objects in their places, blank lines where these were."""
    given = lines.content.split(b"\n")
    kept = [json.dumps(row).encode() if line.strip() else b"" for row, line in zip(rows, given, strict=True)]
    return lines._replace(content=b"\n".join(kept))


def _alike(lines: Lines, keep_bad_cells: bool) -> Any:
    """The rows as an Arrow table, of which each column holds one type."""
    try:
        table = _parse(lines.content, None)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # text that looks like a date is text
            names = table.column_names
            table = _parse(lines.content, pa.schema([(column, pa.string()) for column in dates])).select(names)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise _malformed(lines, in_a_line(error), keep_bad_cells) from None
    if table.num_rows != _count_objects(lines.content):  # Arrow takes what follows an object for the next one
        raise _malformed(lines, "not one object on each line", keep_bad_cells)
    return table


def _numbers_written(texts: list[Lines], names: list[str]) -> dict[str, pa.Array]:
    """The numbers of some columns, digit by digit: Arrow reads doubles. "" where there is none."""
    lines = (line for lines in texts for line in lines.content.split(b"\n") if line.strip())
    pieces = []
    while some := [
        _leaves(json.loads(line.decode("utf-8-sig"), parse_float=str, parse_int=str, parse_constant=str), set())
        for line in islice(lines, _AT_A_TIME)
    ]:
        pieces.append(pa.table({name: pa.array([row.get(name) or "" for row in some], pa.string()) for name in names}))
    table = pa.concat_tables(pieces)
    return {name: table.column(name).combine_chunks() for name in names}


def _refuse_long_labels(tables: Any, some: list[Lines], target: Any) -> None:
    """Raise DataError for labels that double precision merges."""
    for (table, _), lines in zip(tables, some, strict=True):
        known = table.column(target) if target in table.column_names else None
        if known is not None and pa.types.is_floating(known.type) and _LONG.search(lines.content):
            refuse_more_digits(_numbers_written([lines], [target])[target], known.to_numpy(), target)


def _count_objects(content: bytes) -> int:
    """How many objects there are if each line that is not blank holds one; -1 if some line cannot hold a whole one.

    No object goes on in a line that begins with a brace after a line that ends with one, as a comma is missing there.
    """
    text = np.frombuffer(content, np.uint8)
    if content.startswith(b"{") and content.endswith(b"}\n"):
        ends = np.flatnonzero(text == ord("\n"))
        if (text[ends - 1] == ord("}")).all() and (text[ends[:-1] + 1] == ord("{")).all():
            return len(ends)
    lines = [line for line in map(bytes.strip, content.split(b"\n")) if line]
    return len(lines) if all(line[:1] == b"{" and line[-1:] == b"}" for line in lines) else -1


def _check_depth(lines: Lines) -> None:
    """Raise DataError for a value nested so deep that Arrow would run out of stack, which ends the process."""
    content = lines.content
    text = np.frombuffer(content, np.uint8)
    # NumPy counts frequent bytes faster, `bytes` rare ones.
    if content.count(b"[") + np.count_nonzero(text == ord("{")) <= np.count_nonzero(text == ord("\n")) + _DEEPEST:
        return
    for number, line in enumerate(content.split(b"\n"), lines.first_line):
        if line.count(b"[") + line.count(b"{") > _DEEPEST and _depth(line) > _DEEPEST:
            raise DataError(f"{lines.name}:{number}: values are nested more than {_DEEPEST} deep; take them out")


def _depth(line: bytes) -> int:
    """How deep the values of a line are nested; brackets in strings count for nothing."""
    depth = deepest = 0
    for found in _TOKEN.finditer(line):
        mark = found[0]
        depth += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
        deepest = max(deepest, depth)
    return deepest


def _parse(content: bytes, schema: pa.Schema | None) -> pa.Table:
    return pyarrow.json.read_json(
        pa.BufferReader(content),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(content) + 1),
        pyarrow.json.ParseOptions(explicit_schema=schema),
    )


def _malformed(lines: Lines, said: str, keep_bad_cells: bool) -> DataError:
    """The first line that is no JSON object, or that holds another kind of value than those before it."""
    kinds: dict[str, str] = {}
    firsts: dict[str, Any] = {}
    for number, line in enumerate(lines.content.split(b"\n"), lines.first_line):
        if not line.strip():
            continue
        place = f"{lines.name}:{number}"
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except ValueError as error:
            return DataError(f"{place}: expected one JSON object on the line, found none: {error}")
        if not isinstance(row, dict):
            return DataError(
                f"{place}: expected one JSON object on the line, found {line[:40].decode(errors='replace')!r}"
            )
        for key, value in row.items():
            kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
            if not keep_bad_cells and isinstance(value, float) and not math.isfinite(value):
                return DataError(f"{place}, column {key!r}: a number that is too large, or no number")
            first = firsts.setdefault(key, value) if value is not None else None
            if value is not None and kinds.setdefault(key, kind) != kind:
                said = f"{place}, column {key!r}: {value!r:.80} where the rows before hold a {kinds[key]}"
                alike = {kind, kinds[key]} == {"number", "str"}
                as_numbers = f" or as numbers (--column {quote(key)}=number)" if alike else ""
                others = (
                    f", read the column as categories (--column {quote(key)}=category, categorical=[{key!r}])"
                    f"{as_numbers}, or leave the column out (--column {quote(key)}=skip)"
                )
                text = next((one for one in (first, value) if alike and isinstance(one, str)), "text")
                way = "number" if _may_be_number(text) else "category"
                return MixedTypesError(f"{said}; make them alike{'' if keep_bad_cells else others}", key, way)
        try:
            _parse(line, None)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            return DataError(f"{place}: malformed JSON: {in_a_line(error)}")
    return DataError(f"{lines.name}:{lines.first_line}: malformed JSON lines: {said}")


def _may_be_number(text: str) -> bool:
    cell = pa.array([text])
    return bool(are_numbers(cell)[0] or are_missing(cell)[0])
