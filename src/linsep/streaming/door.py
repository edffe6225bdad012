"""What a row must be like before anything is learnt from it: numbers, width, label."""

from __future__ import annotations

import numpy as np

from linsep.data.columns import TableChunk
from linsep.data.features.encoder import TableEncoder
from linsep.streaming.labels import StreamLabels
from linsep.types import Chunk, DataError


class Door:
    """The `check` of a source that is learnt from: nothing has been learnt from the rows that it refuses."""

    def __init__(self, encoder: TableEncoder, labels: StreamLabels, max_columns: int) -> None:
        self.encoder, self.labels, self.max_columns = encoder, labels, max_columns

    def __call__(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError for the first row that cannot be learnt from."""
        if isinstance(chunk, TableChunk) and not chunk.n_rows:  # none has a label
            return
        self._check_width(chunk)
        self.encoder.check_chunk(chunk)
        self.labels.check(chunk)

    def _check_width(self, chunk: TableChunk | Chunk) -> None:
        """Every column takes memory, from 0 to the last one, whether or not rows have those between."""
        option = "allow more with --set max_columns (max_columns)"
        if isinstance(chunk, TableChunk):
            known = self.encoder.column_names or []
            n = len(chunk.names) if not known else len(set(known).union(chunk.names))
            if n > self.max_columns:
                raise DataError(f"{chunk.where(0)}: {n:,} columns, and the limit is {self.max_columns:,}: {option}")
            return
        X = chunk.X
        if X.shape[1] - 1 <= self.max_columns or not hasattr(X, "indptr"):
            return
        place = int(np.argmax(X.indices > self.max_columns))
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        raise DataError(
            f"{chunk.place(row)}: index {X.indices[place]} is beyond {self.max_columns:,} columns, each of which takes "
            f"memory: {option}"
        )
