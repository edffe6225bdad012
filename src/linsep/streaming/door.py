"""What a row must be like before anything is learnt from it: numbers, width, label."""

from __future__ import annotations

import numpy as np

from linsep.data.amounts import find_amounts
from linsep.data.columns import TableChunk
from linsep.data.features.encoder import TableEncoder
from linsep.markup import quote
from linsep.streaming.labels import StreamLabels
from linsep.types import Chunk, DataError

# A number so many standard deviations of its neighbours away from them is noted, and so many are noted at most.
_FAR = 1e9
_NOTES = 5


class Door:
    """The `check` of a source that is learnt from: nothing has been learnt from the rows that it refuses.

    `notes` names numbers that are let in and drown all others of their column: its mean and scale come from them alone;
    and columns of text that may be amounts.
    """

    def __init__(self, encoder: TableEncoder, labels: StreamLabels, max_columns: int) -> None:
        self.encoder, self.labels, self.max_columns = encoder, labels, max_columns
        self.notes: list[str] = []

    def __call__(self, chunk: TableChunk | Chunk) -> None:
        """Raise DataError for the first row that cannot be learnt from."""
        if isinstance(chunk, TableChunk) and not chunk.n_rows:  # none has a label
            return
        self._check_width(chunk)
        self.encoder.check_chunk(chunk)
        self.labels.check(chunk)

    def note_numbers(self, chunk: TableChunk) -> None:
        """Look for numbers that drown the others: one that is nearly all of the sum comes first, as that is cheap."""
        for name in chunk.names:
            column = chunk.cells(name)
            values = None if column is None else column.values
            if column is not None and values is not None and column.missing is not None:
                values = values[~column.missing]
            if values is None or len(values) < 3 or len(self.notes) == _NOTES:
                continue
            sizes = np.abs(values)
            row = int(sizes.argmax())
            if sizes[row] > 0.999 * sizes.sum():
                others = np.delete(values, row)
                spread = float(others.std())
                if spread > 0 and abs(values[row] - others.mean()) > _FAR * spread:
                    place = row if column is None or column.missing is None else np.flatnonzero(~column.missing)[row]
                    self.notes.append(
                        f"{chunk.where(int(place))}, column {name!r}: {values[row]:g} drowns the numbers around it, as "
                        "the mean and the scale of the column come from it alone; is it a mistake?"
                    )

    def note_amounts(self, chunk: TableChunk) -> None:
        """Look for amounts among the text of the first rows: a stream does not find out what a column holds."""
        said = {*chunk.as_text, *(self.encoder.columns or {})}
        for name in chunk.names:
            column = chunk.cells(name)
            if column is None or column.is_number or column.is_date or name in said:
                continue
            kind, doubt = find_amounts(chunk, column)
            if kind:
                asked = quote(f"{name}={kind}")
                doubt = (
                    f"{chunk.where(0)}, column {name!r}: text in the first rows, all of it numbers with one unit; a "
                    f"stream reads it as categories unless told: --column {asked} (columns=) makes it numbers"
                )
            self.notes += [doubt] * bool(doubt)

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
