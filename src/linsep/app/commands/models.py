"""The model files that commands read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.learners import SequenceTagger
from linsep.learners.table_model import TableModel
from linsep.store import load
from linsep.types import DataError


def load_rows(model: Path) -> Any:
    """A model of rows; a tagger is refused."""
    found = load(model)
    if isinstance(found, SequenceTagger):
        raise DataError(f"{model} holds a tagger, not a model of rows: use `linsep tag`")
    return found


def load_of_table(model: Path) -> TableModel:
    """A model that was trained on a table, so that it can read another one."""
    found = load_rows(model)
    if not isinstance(found, TableModel) or found.encoder_ is None:
        raise DataError(f"{model} was not trained on a table: load it in Python with linsep.load")
    return found
