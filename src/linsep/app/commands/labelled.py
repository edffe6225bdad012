"""Tables with labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linsep.data.inputs import find_files
from linsep.data.sources.open import Source, open_data
from linsep.types import DataError


def inputs(table: Any) -> tuple[str, ...]:
    """The files that a table is read from, patterns and folders resolved; "-" is itself."""
    return tuple(find_files(str(table))) if isinstance(table, str | Path) else ()


def open_labelled(table: Any, target: str | None, categorical: tuple[str, ...], reading: Mapping[str, Any]) -> Source:
    """Open a table that has labels; `reading` has further arguments of `open_data`."""
    source = open_data(table, target=target, categorical=categorical, **reading)
    if source.kind == "table" and target is None:
        raise DataError("name the column that holds the label with --target")
    missing = [] if source.kind == "rows" else [c for c in categorical if c not in source.read().names]
    if missing:
        raise DataError(f"no feature column called {missing[0]!r} to read as categories")
    return source


def read_as(source: Source) -> list[tuple[str, str]]:
    """The line that says how text is written, where that is not as usual."""
    return [("read as", source.read_as)] if source.read_as else []
