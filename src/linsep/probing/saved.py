"""What a probe writes as it goes: rows as JSON lines, and a certificate for each of them in a folder.

Each file is whole after each row: a run that ended early goes on from it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from linsep.files import check_output, write_whole
from linsep.probing.labels import Labels
from linsep.probing.layers import Layer
from linsep.probing.measured import ProbeRow, Proofs, Settings
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.proof import FORMAT
from linsep.theory.separability.certificate import Separability
from linsep.types import DataError

_NAME = "linsep probe "
_FORMAT = _NAME + "5"
_LONG = ("layers", "labels", "activations")  # what is asked about; a message has no room for their digests
_LONGEST = 60  # characters of a layer and of a concept in the name of a file: each takes four bytes at most
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
        self._first = json.dumps({"format": _FORMAT, "asked": about})
        if path.is_file() and path.stat().st_size:
            for row in self._read(json.loads(self._first)["asked"]):
                self.add(row, write=False)

    def add(self, row: ProbeRow, *, write: bool = True) -> None:
        """Keep a row, and write the file anew; a row that is there already is replaced."""
        if self.known.get((row.layer, row.concept)) == row:
            return
        self.known[row.layer, row.concept] = row
        if write:
            lines = [self._first, *(json.dumps(one.to_dict(), allow_nan=False) for one in self.known.values())]
            write_whole(self.path, ("\n".join(lines) + "\n").encode(), "the rows")

    def _read(self, about: dict[str, Any]) -> list[ProbeRow]:
        try:
            first, *lines = self.path.read_bytes().splitlines()
            head = json.loads(first)
            written, asked = str(head["format"]), dict(head["asked"])
            if not written.startswith(_NAME):
                raise KeyError
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{self.path} is there and holds no rows of linsep probe: give another name") from None
        if written != _FORMAT:
            raise DataError(
                f"{self.path} holds rows of another release of linsep: give another name with -o, or remove the file"
            )
        differs = [
            f"other {name}" if name in _LONG else f"{name} {asked.get(name)} then, {about[name]} now"
            for name in about
            if asked.get(name) != about[name]
        ]
        if differs:
            raise DataError(
                f"{self.path} holds the answers to another question ({'; '.join(differs)}), and is left as it is: give "
                "another name with -o, or remove the file"
            )
        return _whole_rows(lines)


class SavedProofs:
    """A folder with a certificate for each layer and concept, which is made if it is not there.

    Raises
    ------
    DataError
        The folder cannot be made or written to, two certificates would have one name, or another file has it.
    """

    def __init__(self, folder: Path, keys: Iterable[tuple[str, str]], reads: Sequence[Any] = ()) -> None:
        self.folder, self.names = folder, {key: _names_of(*key) for key in keys}
        taken: dict[str, tuple[str, str]] = {}
        for key, name in ((key, name) for key, both in self.names.items() for name in both):
            other = taken.setdefault(name.casefold(), key)
            if other != key:
                raise DataError(
                    f"the certificates of {other} and {key} would both be called {name}: rename one of them"
                )
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot make the folder of certificates {folder}: {error.strerror}") from None
        for name in (name for both in self.names.values() for name in both):
            path = folder / name
            check_output(path, "a certificate", reads=tuple(reads))
            if path.exists() and _sha256_in(path) is None:
                raise DataError(f"{path} is there and is no certificate: name another folder, or remove the file")

    def written(self, row: ProbeRow, proofs: Proofs) -> ProbeRow:
        """Write the proofs of a row, unless it is undecided; return the row with the names of the files."""
        if row.proof is None:
            return row
        name, explained = self.names[row.layer, row.concept]
        row = replace(row, certificate=name, sha256=self._write(name, proofs.verdict))
        if proofs.explained is None:
            return row
        return replace(row, explain_certificate=explained, explain_sha256=self._write(explained, proofs.explained))

    def _write(self, name: str, proof: Separability | FewestRows) -> str | None:
        """Write a certificate; return the digest that it names."""
        path = self.folder / name
        write_whole(path, proof.to_json().encode(), "a certificate")
        return _sha256_in(path)

    def holds(self, row: ProbeRow) -> bool:
        """Whether the certificates of a row are there, and are about its rows and labels."""
        if row.proof is None:
            return True
        name, explained = self.names[row.layer, row.concept]
        if row.certificate != name or _sha256_in(self.folder / name) != row.sha256:
            return False
        if row.fewest_low is None and row.few_columns is None:
            return True
        return row.explain_certificate == explained and _sha256_in(self.folder / explained) == row.explain_sha256


def _names_of(layer: str, concept: str) -> tuple[str, str]:
    """Names of files without what a system may not take in one: of the verdict, and of what is explained.

    Examples
    --------
    >>> _names_of("l/1", "kind=a b"), len(_names_of("x" * 500, "y")[0])
    (('l_1--kind=a_b.json', 'l_1--kind=a_b.explained.json'), 68)
    """
    safe = [re.sub(r"[^\w.=-]+", "_", name)[:_LONGEST].lstrip(".") for name in (layer, concept)]
    return f"{safe[0]}--{safe[1]}.json", f"{safe[0]}--{safe[1]}.explained.json"


def _sha256_in(path: Path) -> str | None:
    """The digest of rows and labels that a certificate names, or of those left; None if there is no certificate."""
    try:
        found = json.loads(path.read_bytes())
        return str(found.get("rest", found)["sha256"]) if found["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _whole_rows(lines: list[bytes]) -> list[ProbeRow]:
    """The rows up to the first line that holds none: a copy may have been cut."""
    rows: list[ProbeRow] = []
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            break
        if not isinstance(found, dict) or {"fragile", *found} != _FIELDS:  # which earlier releases did not ask
            break
        rows.append(ProbeRow(**{"fragile": False, **found}))
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
        parts += [np.array([one.concept, *one.classes]), one.rows, one.positive]
    for part in parts:
        digest.update(b"-" if part is None else repr((part.shape, part.tolist())).encode())
    return {
        "layers": [layer.name for layer in layers],
        "labels": digest.hexdigest(),
        **settings._asdict(),
        "axis": axis,
        "activations": [_digest_of(file) for file in files],
    }


def _digest_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
