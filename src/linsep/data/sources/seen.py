"""A running hash of what was read, so that a file that was changed in the middle of a run is noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linsep.data.hashing import RunningHash
from linsep.types import DataError


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
        self._file = 0
        self._now = RunningHash()

    def add(self, content: Any) -> None:
        """Take in the next bytes of a file."""
        self._now.add(content)

    def end_file(self, name: str) -> None:
        """Note the hash of a file.

        Raises
        ------
        ChangedError
            It had another one in the first pass.
        """
        if self._file == len(self.whole):
            self.whole.append(self._now.hex())
        else:
            self.expect(self._file, self._now, name)
        self._file += 1
        self._now = RunningHash()

    def expect(self, number: int, found: RunningHash, name: str) -> None:
        """Raise ChangedError unless file `number` has the hash that it had in the first pass."""
        if number < len(self.whole) and self.whole[number] != found.hex():
            raise ChangedError(f"{name} was changed between two passes: learn again from the beginning")

    def told(self) -> str:
        """The hashes of the files in the order of reading, and of what was read of the last one if it has not ended.

        A file that an earlier pass has read to its end stands there whole.
        """
        now = self._now.hex()
        is_part = self._file == len(self.whole) and now != RunningHash().hex()
        return " ".join([*self.whole, *([now] if is_part else [])])

    def marks(self) -> dict[str, Any]:
        """What a checkpoint keeps: the hashes of whole files, how many of them are of this pass, and the last hash."""
        return {"whole": list(self.whole), "ended": self._file, "part": self._now.hex()}

    def go_on(self, marks: dict[str, Any], file: int, read: Callable[[int, bool], RunningHash]) -> int | None:
        """Go on in file `file` from what `marks` gave; return the number of the first file that has changed, or None.

        `read(number, whole)` hashes file `number`, whole or as far as it had been read.
        """
        self.whole = list(marks["whole"])
        for number in range(marks["ended"]):
            if read(number, True).hex() != self.whole[number]:
                return number
        self._file, self._now = file, read(file, False)
        return None if marks["ended"] > file or self._now.hex() == marks["part"] else file


def add_table(seen: Any, table: Any) -> None:
    """Hash the rows of an Arrow table: values where there are any, and where there are none."""
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        parts = [pc.is_valid(column), column.drop_null()] if column.null_count else [column]
        for part in parts:
            seen.add(pa.record_batch([part], [name]).serialize())


def add_arrays(seen: Any, *arrays: Any) -> None:
    """Hash some arrays."""
    for array in arrays:
        text = array.astype(np.str_) if array.dtype == object else array
        seen.add(np.ascontiguousarray(text).view(np.uint8).ravel())
