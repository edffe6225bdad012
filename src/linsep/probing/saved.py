"""Rows of a probe in a file of JSON lines, which is whole after each row: a run that ended early goes on from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from linsep.files import check_output, write_whole
from linsep.probing.labels import Labels
from linsep.probing.layers import Layer
from linsep.probing.measured import ProbeRow, Settings
from linsep.types import DataError

_FORMAT = "linsep probe 3"
_FIELDS = {field.name for field in fields(ProbeRow)}


class SavedRows:
    """The rows found so far: those that the file holds, and those that are added to it.

    The first line of the file says what was asked, so that a run does not go on from answers to another question.

    Raises
    ------
    DataError
        The file cannot be written, is no such file, or answers another question.
    """

    def __init__(self, path: Path, about: dict[str, Any], reads: Sequence[str] = ()) -> None:
        check_output(path, "the rows", reads=tuple(reads))
        self.path, self.known = path, dict[tuple[str, str], ProbeRow]()
        first = json.dumps({"format": _FORMAT, "asked": about})
        self._lines = [first]
        if path.is_file() and path.stat().st_size:
            for row in self._read(json.loads(first)["asked"]):
                self.add(row, write=False)

    def add(self, row: ProbeRow, *, write: bool = True) -> None:
        """Keep a row, and write the file anew."""
        if (row.layer, row.concept) in self.known:
            return
        self.known[row.layer, row.concept] = row
        self._lines.append(json.dumps(row.to_dict(), allow_nan=False))
        if write:
            write_whole(self.path, ("\n".join(self._lines) + "\n").encode(), "the rows")

    def _read(self, about: dict[str, Any]) -> list[ProbeRow]:
        try:
            first, *lines = self.path.read_bytes().splitlines()
            head = json.loads(first)
            asked = head["asked"] if head["format"] == _FORMAT else None
            if asked is None:
                raise KeyError
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{self.path} is there and holds no rows of linsep probe: give another name") from None
        differs = [name for name in about if asked.get(name) != about[name]]
        if differs:
            raise DataError(
                f"{self.path} holds the answers to another question ({', '.join(differs)} differ): give another name "
                "with -o, or remove the file"
            )
        return _whole_rows(lines)


def _whole_rows(lines: list[bytes]) -> list[ProbeRow]:
    """The rows up to the first line that holds none: a copy may have been cut."""
    rows: list[ProbeRow] = []
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            break
        if not isinstance(found, dict) or set(found) != _FIELDS:
            break
        rows.append(ProbeRow(**found))
    return rows


def question(
    layers: Sequence[Layer], labels: Labels, settings: Settings, files: Sequence[str], axis: int | None
) -> dict[str, Any]:
    """What is asked, in values that JSON has: layers, digests of the labels and of each file, axis and settings.

    All bytes of the files are read: neither a date nor a part of a file tells that the rest is what it was.
    """
    digest = hashlib.sha256()
    parts: list[Any] = [labels.groups, labels.types, labels.keys]
    for one in labels.questions:
        parts += [np.array([one.concept]), one.rows, one.positive]
    for part in parts:
        digest.update(b"-" if part is None else repr((part.shape, part.tolist())).encode())
    return {
        "layers": [layer.name for layer in layers],
        "labels": digest.hexdigest(),
        "settings": list(settings),
        "axis": axis,
        "activations": [_digest_of(file) for file in files],
    }


def _digest_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
