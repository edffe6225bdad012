"""A running hash of what was read, so that a file that was changed in the middle of a run is noticed."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.distinct import in_one_piece
from linsep.tables import is_sparse
from linsep.types import Chunk, DataError


class RunningHash:
    """CRC-32 and the number of the bytes given so far, however these were cut into pieces.

    Examples
    --------
    >>> one, other = RunningHash(), RunningHash()
    >>> one.add(b"some rows of a file")
    >>> other.add(b"some rows ")
    >>> other.add(b"of a file")
    >>> one.hex() == other.hex() != RunningHash().hex()
    True
    """

    def __init__(self) -> None:
        self._crc = self._length = 0

    def add(self, content: Any) -> None:
        """Take in some bytes."""
        view = memoryview(content).cast("B")
        self._crc, self._length = crc32(view, self._crc), self._length + len(view)

    def hex(self) -> str:
        """Both as 16 hexadecimal digits, the number of bytes modulo 2^32."""
        return f"{self._crc:08x}{self._length % 2**32:08x}"


class ChangedError(DataError):
    """What is read now is not what was read before."""


class Seen:
    """The hash of each file that was read to its end, and that of the file being read.

    A later pass must find the hashes of the first one.
    """

    def __init__(self) -> None:
        self.whole: list[str] = []
        self.restart()

    def restart(self) -> None:
        """Begin another pass."""
        self.file = 0
        self.now = RunningHash()

    def end_file(self, changed: str) -> None:
        """Note the hash of a file.

        Raises
        ------
        ChangedError
            It had another one in the first pass.
        """
        if self.file == len(self.whole):
            self.whole.append(self.now.hex())
        else:
            self.expect(self.file, self.now, changed)
        self.file += 1
        self.now = RunningHash()

    def expect(self, number: int, found: RunningHash, changed: str) -> None:
        """Raise ChangedError unless file `number` has the hash that it had in the first pass."""
        if number < len(self.whole) and self.whole[number] != found.hex():
            raise ChangedError(f"{changed} between two passes: learn again from the beginning")

    def told(self) -> str:
        """The hashes of the files in the order of reading, and of what was read of the last one if it has not ended.

        A file that an earlier pass has read to its end stands there whole.
        """
        now = self.now.hex()
        is_part = self.file == len(self.whole) and now != RunningHash().hex()
        return " ".join([*self.whole, *([now] if is_part else [])])

    def marks(self) -> dict[str, Any]:
        """What a checkpoint keeps: the hashes of whole files, how many of them are of this pass, and the last hash."""
        return {"whole": list(self.whole), "ended": self.file, "part": self.now.hex()}


def add_rows(now: RunningHash, rows: Any) -> None:
    """Hash an Arrow table, values where there are any and where there are none, or a matrix with its labels."""
    if isinstance(rows, Chunk):
        arrays = [rows.X.data, rows.X.indices, rows.X.indptr] if is_sparse(rows.X) else [rows.X]
        for array in arrays if rows.y is None else [*arrays, rows.y]:
            now.add(np.ascontiguousarray(array).view(np.uint8).ravel())
        return
    for name in rows.column_names:
        column = in_one_piece(rows.column(name))
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        parts = [pc.is_valid(column), column.drop_null()] if column.null_count else [column]
        for part in parts:
            now.add(pa.record_batch([part], [name]).serialize())
