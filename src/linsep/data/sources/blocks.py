"""Files as blocks of whole lines: plain, .gz or .zst, one or many, or standard input, in constant memory."""

from __future__ import annotations

import glob
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.types import DataError

# Text is read in blocks of so many bytes: sparse rows, and tables, whose columns cost time a block each. A line may be
# longer, up to the third limit.
BLOCK_BYTES = 1 << 19
TABLE_BYTES = 1 << 21
_LONGEST = 256 << 20
_STEP = 1 << 16  # bytes that are lost, at most, where a compressed file is damaged
_COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
_NEWLINE = ord("\n")
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class Block(NamedTuple):
    """Whole lines: their bytes, the number of the first, and where the next block begins (in bytes and lines)."""

    content: bytes
    first_line: int
    end: int
    next_line: int


def find_files(source: str) -> list[str]:
    """The files that a path, a folder or a pattern such as 'part-*.csv.gz' names, in order; "-" is itself."""
    if source == "-":
        return [source]
    path = Path(source)
    if path.is_dir():
        found = sorted(str(p) for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "_")))
    elif path.exists():
        found = [source]
    else:
        found = sorted(p for p in glob.glob(source, recursive=True) if Path(p).is_file())
    if not found:
        raise DataError(f"{source}: there is no file of that name")
    return found


def bare_name(name: str) -> str:
    """The name without what tells of compression."""
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return name


def open_bytes(name: str) -> Any:
    """The content of a file, decompressed, as a stream with `read`."""
    try:
        if name == "-":
            pipe: Any = sys.stdin.buffer
            head = pipe.peek(4)[:4]
            kind = next((c for magic, c in _MAGIC.items() if head.startswith(magic)), None)
            return pa.CompressedInputStream(pa.PythonFile(pipe, "r"), kind) if kind else pipe
        kind = _COMPRESSED.get(Path(name).suffix.lower())
        return pa.CompressedInputStream(pa.OSFile(name), kind) if kind else open(name, "rb", buffering=0)
    except FileNotFoundError:
        raise DataError(f"there is no file {name}") from None
    except IsADirectoryError:
        raise DataError(f"{name} is a folder: name a file in it") from None


def _read(stream: Any, size: int, name: str) -> tuple[bytes, DataError | None]:
    """Up to `size` bytes, fewer only at the end, or before what is damaged; then with the error."""
    parts = []
    damage = None
    try:
        while size > 0 and (part := stream.read(min(size, _STEP))):
            parts.append(bytes(part))
            size -= len(part)
    except OSError as error:
        if name != "-" and bare_name(name) == name:
            raise
        damage = DataError(f"{name}: the compressed file is cut short or damaged ({error}); fetch it again")
    return b"".join(parts), damage


def iter_blocks(
    name: str, offset: int = 0, line: int = 1, *, table: bool = False, quotes: bool = False
) -> Iterator[Block]:
    """Blocks of whole lines from byte `offset`, where line `line` begins; with `quotes`, of whole CSV records.

    What a block holds depends on where it begins and on nothing else, so a later run can begin at the end of any.
    """
    size_of_block = TABLE_BYTES if table else BLOCK_BYTES
    stream = open_bytes(name)
    try:
        _skip(stream, offset, name)
        pending = b""
        while True:
            want = size_of_block
            while True:
                more, damage = _read(stream, want - len(pending), name)
                pending += more
                at_end = len(pending) < want
                size = len(pending) if at_end and damage is None else _last_end(pending[:want], quotes)
                if size or at_end:
                    break
                if want >= _LONGEST:
                    raise DataError(f"{name}:{line}: no end of this line in {want >> 20} MB: is it text?")
                want *= 2
            if size == 0:
                break
            offset += size
            after = line + _count_lines(pending, size)
            yield Block(pending[:size], line, offset, after)
            line, pending = after, pending[size:]
            if damage is not None:
                break
        if damage is not None:
            raise damage
    finally:
        if stream is not sys.stdin.buffer:
            stream.close()


def _count_lines(content: bytes, size: int) -> int:
    """Line ends in the first `size` bytes: NumPy counts many of them sooner than `bytes.count`."""
    return int(np.count_nonzero(np.frombuffer(content, np.uint8, size) == _NEWLINE))


def _skip(stream: Any, offset: int, name: str) -> None:
    if offset and isinstance(stream, io.RawIOBase):
        stream.seek(offset)
        return
    while offset > 0:
        found, damage = _read(stream, min(offset, BLOCK_BYTES), name)
        if damage is not None:
            raise damage
        offset -= len(found) or offset


def _last_end(content: bytes, quotes: bool) -> int:
    """Where the last whole line ends; not inside quotes, which a line end may be part of."""
    cut = content.rfind(b"\n") + 1
    while quotes and cut and content.count(b'"', 0, cut) % 2:
        cut = content.rfind(b"\n", 0, cut - 1) + 1
    return cut
