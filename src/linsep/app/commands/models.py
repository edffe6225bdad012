"""The model files that commands read."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linsep.app.result import Result
from linsep.learners import SequenceTagger
from linsep.learners.table_model import TableModel
from linsep.model_files.origin import in_words
from linsep.store import load, read_origin
from linsep.types import DataError


def load_rows(model: Path) -> Any:
    """A model of rows; a tagger is refused."""
    found = load(model)
    if isinstance(found, SequenceTagger):
        raise DataError(f"{model} holds a tagger, not a model of rows: use `linsep tag`")
    return found


def show_origin(model: Path) -> Result:
    """Where a model file says that it comes from."""
    found = read_origin(model)
    return Result(in_words(found), found)


def origin_of_run(files: Iterable[str], *, hashed: bool) -> dict[str, str]:
    """What a command can say of where its model comes from: itself, its files, and what they hold if that is asked.

    What came through a pipe cannot be read again.
    """
    names = list(files)
    told = {"command": shlex.join(["linsep", *sys.argv[1:]]), "data": ", ".join(names)}
    if hashed and names and all(os.path.isfile(name) for name in names):
        found = hashlib.sha256()
        for name in names:
            with open(name, "rb") as file:
                while piece := file.read(1 << 20):
                    found.update(piece)
        told["data_sha256"] = found.hexdigest()
    return told


def state_of(model: Path) -> str | None:
    """The digest of the state in a model file; None if there is no such file, or something else in it."""
    try:
        return str(read_origin(model)["state_sha256"])
    except (OSError, DataError):
        return None


def load_of_table(model: Path) -> TableModel:
    """A model that was trained on a table, so that it can read another one."""
    found = load_rows(model)
    if not isinstance(found, TableModel) or found.encoder_ is None:
        raise DataError(f"{model} was not trained on a table: load it in Python with linsep.load")
    return found
