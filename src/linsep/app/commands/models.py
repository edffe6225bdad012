"""A saved model at work on a later table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.open import open_data
from linsep.learners import SequenceTagger
from linsep.store import load
from linsep.types import DataError


def load_rows(model: Path) -> Any:
    """A model of rows; a tagger is refused."""
    estimator = load(model)
    if isinstance(estimator, SequenceTagger):
        raise DataError(f"{model} holds a tagger, not a model of rows: use `linsep tag`")
    return estimator


def load_with_encoder(model: Path) -> Any:
    """A model that was trained on a table, so that it can read another one."""
    estimator = load_rows(model)
    if getattr(estimator, "encoder_", None) is None:
        raise DataError(f"{model} was not trained on a table: load it in Python with linsep.load")
    return estimator


def encoded(encoder: TableEncoder, table: Any, target: str | None, format: str | None) -> Iterator[tuple[Any, Any]]:
    """The rows of a later table, encoded a piece at a time, and their labels."""
    if not isinstance(table, str | Path):
        rows = encoder.transform(open_data(table, target=target, categorical=encoder.text_columns))
        yield rows.X, rows.y
        return
    encoder.start_counting()
    stream = open_data(str(table), target=target, format=format, categorical=encoder.text_columns, bits=encoder.bits)
    empty = True
    for chunk, _ in stream.chunks():
        empty = False
        yield encoder.encode_chunk(chunk), chunk.y
    if empty:
        raise DataError(f"{stream.name}: there is not one row")


def unknown(encoder: TableEncoder) -> list[str]:
    """What to warn of after a later table was encoded."""
    ignored = f"{encoder.ignored_:,} columns beyond those of the training rows were left out"
    return ([ignored] if encoder.ignored_ else []) + [
        f"column {column!r}: {count:,} rows hold a category that was not there in training; they count as none"
        for column, count in encoder.unknown_.items()
        if count
    ]
