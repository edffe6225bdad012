"""Small types that all parts of linsep share. Only the standard library is imported."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Quoted, so that `linsep --help` and usage errors need not wait for NumPy.
Array: TypeAlias = "NDArray[Any]"
Verdict = Literal["separable", "quasi-separable", "inseparable", "not-separable", "undecided"]


class DataError(ValueError):
    """Invalid input: the message says what is wrong, where, and what to do."""


def row_from_0(row: Any) -> str:
    """A row of an array, for a message that Python's users read.

    Examples
    --------
    >>> row_from_0(2)
    'row 2 (counted from 0)'
    """
    return f"row {row} (counted from 0)"


class RowError(DataError):
    """Invalid input in one row, by its place."""

    def __init__(self, row: int, said: str) -> None:
        super().__init__(f"{row_from_0(row)}{said}")
        self.row, self.said = row, said

    @property
    def on_terminal(self) -> str:
        """The message as people count rows."""
        return f"row {self.row + 1} (counted from 1){self.said}"

    def among(self, places: Any) -> RowError:
        """The same error in a table of which these are the places of the rows."""
        return RowError(int(places[self.row]), self.said)


class NoRowsError(DataError):
    """Input in which nothing is wrong, but which holds no row."""


class PrecisionWarning(UserWarning):
    """Digits do not suffice: an update no longer changes w, or the rows are too short beside the intercept's 1."""


class MissingWarning(UserWarning):
    """Rows to be predicted miss values where training rows had none, or a formula makes a number of a missing value."""


class CSR(NamedTuple):
    """Compressed sparse rows: row i holds `data[indptr[i]:indptr[i+1]]` at the columns `indices[...]`.

    Column indices are unique within a row. `data` is float32 or float64; `indices` and `indptr` are
    int32 or int64 (the same for both).
    """

    data: Array
    indices: Array
    indptr: Array


class OnesCSR(NamedTuple):
    """Compressed sparse rows whose entries are all 1: row i has it at the columns `indices[indptr[i]:indptr[i+1]]`."""

    indices: Array
    indptr: Array


class Hyperplane(NamedTuple):
    """The plane {x : w.x + b = 0}.

    Attributes
    ----------
    w : ndarray, shape (n_features,)
        The weights.
    b : float
        The intercept.
    """

    w: Array
    b: float


class Chunk(NamedTuple):
    """Rows of a matrix.

    Attributes
    ----------
    X : ndarray or csr_matrix, shape (n_rows, n_features)
        The rows.
    y : ndarray, shape (n_rows,), or None
        Their labels.
    start : int
        Position of the first row in its source, from 0.
    """

    X: Any
    y: Array | None
    start: int

    @property
    def rest(self) -> Any:
        """As of a `TableChunk`; None for a matrix."""
        return None

    @property
    def unlabelled(self) -> Array | None:
        """As of a `TableChunk`; None for a matrix."""
        return None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    @property
    def n_read(self) -> int:
        """How many rows were read for this chunk, those without a label counted."""
        return self.n_rows + (0 if self.unlabelled is None else len(self.unlabelled))

    def take(self, rows: Array) -> Chunk:
        """Return some of the rows.

        Parameters
        ----------
        rows : ndarray of int, or of bool of shape (n_rows,)
            Their positions, or which ones.

        Returns
        -------
        Chunk
            The rows.
        """
        return Chunk(self.X[rows], None if self.y is None else self.y[rows], self.start)

    def place(self, row: int) -> str:
        """Say where a row stands, for messages.

        Parameters
        ----------
        row : int
            Its position in the chunk.

        Returns
        -------
        str
            File and line, or the number of the row.
        """
        return row_from_0(self.start + row)


class StopReason(enum.StrEnum):
    """Why a learner stopped."""

    CLEAN_PASS = "clean pass"
    EPOCH_BUDGET = "epoch budget"
    TIME_BUDGET = "time budget"
    ONE_PASS = "one pass"
    END_OF_STREAM = "end of stream"
    CONVERGED = "converged"
    INTERRUPTED = "interrupted"

    @property
    def sentence(self) -> str:
        """What the stop means, in words for a receipt."""
        return _SENTENCES[self]


_SENTENCES = {
    StopReason.CLEAN_PASS: "a whole pass without a mistake: the training rows are separated",
    StopReason.EPOCH_BUDGET: "the weights were still updated in the last pass allowed",
    StopReason.TIME_BUDGET: "the weights were still updated when the time allowed was over",
    StopReason.ONE_PASS: "one pass over the rows is all this learner makes",
    StopReason.END_OF_STREAM: "the stream ended, or the passes asked for are over",
    StopReason.CONVERGED: "the loss no longer falls by more than the tolerance",
    StopReason.INTERRUPTED: "interrupted by the user; the model so far is kept",
}


@dataclass(frozen=True)
class Budget:
    """How much work is allowed.

    Attributes
    ----------
    epochs : int or None
        Largest number of epochs; None means no limit.
    seconds : float or None
        Largest number of seconds; None means no limit.
    """

    epochs: int | None = None
    seconds: float | None = None
