"""Tables with labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import linsep.app.arrow  # noqa: F401  # before the first table
from linsep.data.columns import like, shown
from linsep.data.features.kinds import NUMBER, SKIP, check_kind
from linsep.data.sources.open import Source, find_files, open_data
from linsep.files import check_output
from linsep.types import DataError


def inputs(table: Any) -> tuple[str, ...]:
    """The files that a table is read from, patterns and folders resolved; "-" is itself."""
    return tuple(find_files(str(table))) if isinstance(table, str | Path) else ()


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


def open_labelled(
    table: Any,
    target: str | None,
    columns: Mapping[str, str],
    reading: Mapping[str, Any],
) -> Source:
    """Open a table that has labels and `columns` of these kinds; `reading` has further arguments of `open_data`."""
    source = open_data(table, target=target, categorical=read_as_text(columns), **reading)
    if source.kind == "table" and target is None:
        raise DataError("name the column that holds the label with --target")
    missing = set() if source.kind == "rows" else source.asked.categorical - {target, *source.read().names}
    if missing:
        name = min(missing)
        raise DataError(
            f"no feature column called {name!r} to read as {columns[name]}; {like(name, source.read().names)}"
        )
    return source


def check_certificate(path: Path | None, table: Any) -> None:
    """Check before the work that the certificate can be written and replaces no file that the command reads."""
    if path is not None:
        check_output(path, "the certificate", reads=inputs(table))


def read_as(source: Source) -> list[tuple[str, str]]:
    """The line that says how text is written, where that is not as usual."""
    return [("read as", source.read_as)] if source.read_as else []
