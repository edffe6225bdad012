"""Tables as the commands open and check them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from linsep.app.options import reading_of
from linsep.data.columns import shown
from linsep.data.features.kinds import NUMBER, SKIP, check_kind
from linsep.data.inputs import Input
from linsep.data.sources.open import Source, find_files, open_data
from linsep.files import check_output
from linsep.types import DataError


class _NoPandas:
    """Finds no pandas."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


if "pandas" not in sys.modules:  # with its first value Arrow loads pandas where there is one: half a second for nothing
    sys.meta_path.insert(0, _NoPandas)
    pa.scalar("")
    sys.meta_path.remove(_NoPandas)


def inputs(table: Any) -> tuple[str, ...]:
    """The files that a table is read from, patterns and folders resolved; "-" is itself."""
    return tuple(find_files(str(table))) if isinstance(table, str | Path) else ()


def stamps_of(files: Iterable[str]) -> dict[str, tuple[int, ...] | None]:
    """What changes when a file does, for each of them; None for what cannot be read again."""
    return {name: Input(name).stamp if os.path.isfile(name) else None for name in files}


def check_outputs(reads: Iterable[Any], **outputs: Any) -> None:
    """Check before the work that all that is asked for can be written, and replaces nothing that is read or written."""
    others = tuple(reads)
    for what, path in outputs.items():
        if path is not None:
            check_output(path, f"the {what.replace('_', ' ')}", reads=others)
            others += (path,)
    if outputs.get("report") is not None:
        from linsep.reporting.page.html import check_extras

        check_extras()


def kinds_of(given: Sequence[str]) -> dict[str, str]:
    """NAME=KIND, several times, as {NAME: KIND}.

    Examples
    --------
    >>> kinds_of(["paid=%d.%m.%Y", "id=skip"])
    {'paid': '%d.%m.%Y', 'id': 'skip'}
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise DataError(f"--column takes NAME=KIND, as in {shown(text)}=category, not {text!r:.80}")
        found[name] = check_kind(name, kind)
    return found


def read_as_text(columns: Mapping[str, str]) -> tuple[str, ...]:
    """The columns whose cells are read as text, whatever they look like."""
    return tuple(name for name, kind in columns.items() if kind not in (NUMBER, SKIP))


def open_labelled(asked: Any) -> tuple[Source, dict[str, str]]:
    """Open a table that has labels, and say of which kinds its columns are as --column has it."""
    columns = kinds_of(asked.column)
    source = open_data(asked.table, target=asked.target, categorical=read_as_text(columns), **reading_of(asked))
    if source.kind == "table" and asked.target is None:
        raise DataError("name the column of the labels: --target COLUMN")
    return source, columns


def read_as(source: Source) -> list[tuple[str, str]]:
    """The line that says how text is written, where that is not as usual."""
    return [("read as", source.read_as)] if source.read_as else []
