"""Where bytes come from: files, pipes, buffers and file objects, decompressed, under one name for messages."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

import pyarrow as pa

from linsep.data.pipes import LATEST, PAUSE, PauseError, Pipe, is_pipe
from linsep.files import unreadable
from linsep.types import DataError

STEP = 1 << 16  # bytes that are lost, at most, where a compressed file is damaged
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_LONGEST_MAGIC = max(map(len, _MAGIC))
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_PIECE = 1 << 16


class Input:
    """One file, pipe, buffer or file object.

    Parameters
    ----------
    given : str, bytes-like or binary file object
        A path, "-" for standard input, the bytes themselves, or an object with `read`. A file object that can seek
        is read from where it stands now, each time again.

    Attributes
    ----------
    name : str
        What messages call it.
    path : str or None
        The path or "-"; None for what is in memory.
    is_text : bool
        Whether `open` gives the text as UTF-8, whatever the encoding of the file.
    encoding : str or None
        The encoding of text; None where the byte order mark tells it.
    found_encoding : str
        The encoding of the text that was opened last.

    Examples
    --------
    >>> Input(b"a,y").open().read_all()
    b'a,y'
    """

    def __init__(self, given: Any) -> None:
        self.path = given if isinstance(given, str) else None
        self._given = given
        self._taken = False
        self._origin = 0
        self.is_text = False
        self.encoding: str | None = None
        self.found_encoding = "utf-8"
        if isinstance(given, str):
            self.name = "standard input" if given == "-" else given
        elif isinstance(given, bytes | bytearray | memoryview):
            self.name = "buffer"
        else:
            name = getattr(given, "name", None)
            self.name = name if isinstance(name, str) else "file object"
            if isinstance(given, io.TextIOBase):
                raise DataError(f"{self.name}: open the file for bytes, as in open(path, 'rb')")
            self._origin = given.tell() if _can_seek(given) else 0

    @property
    def can_be_read_again(self) -> bool:
        """Whether a later pass finds the bytes still there: "-", a named pipe and <(...) are read once."""
        if self.path is not None:
            return Path(self.path).is_file()
        return not hasattr(self._given, "read") or _can_seek(self._given)

    @property
    def size(self) -> int:
        """How many bytes there are, compressed as they are; asked only of what can be read again."""
        if self.path is not None:
            return self._stat(self.path).st_size
        if not hasattr(self._given, "read"):
            return memoryview(self._given).nbytes
        here = self._given.tell()
        end: int = self._given.seek(0, io.SEEK_END)
        self._given.seek(here)
        return end - self._origin

    @property
    def stamp(self) -> tuple[Any, ...]:
        """What changes, as a rule, when the bytes do; asked only of what can be read again."""
        if self.path is None:
            return (self.size,)
        found = self._stat(self.path)
        return (found.st_size, found.st_mtime_ns, found.st_ino)

    def open(self, idle: Callable[[], None] | None = None) -> ByteStream:
        """Return the content from its beginning, decompressed if its first bytes say that it is compressed.

        With `idle`, which is called now and then while nothing comes, reading a pipe gives what there is when nothing
        more comes for a while (`ByteStream.paused`).

        Raises
        ------
        DataError
            There is no such file, it is a folder, or it is a pipe that was read before.
        """
        exists = self.path is None or self.path == "-" or Path(self.path).exists()
        if exists and self._taken and not self.can_be_read_again:
            raise DataError(f"{self.name} can be read only once: write the rows to a file first")
        self._taken = True
        stream = self._stream(idle)
        if self.is_text:
            self.found_encoding = stream.decode_from(self.encoding)
        return stream

    def read_all(self) -> bytes:
        """All of the content at once."""
        with closing(self.open()) as stream:
            return stream.read_all()

    def _stream(self, idle: Callable[[], None] | None) -> ByteStream:
        if self.path == "-":
            return ByteStream(sys.stdin.buffer, self.name, keep=True, idle=idle)
        if self.path is not None:
            return ByteStream(self.opened(self.path), self.name, idle=idle)
        if not hasattr(self._given, "read"):
            return ByteStream(io.BytesIO(self._given), self.name)
        if _can_seek(self._given):
            self._given.seek(self._origin)
        return ByteStream(self._given, self.name, keep=True, idle=idle)

    def opened(self, path: str) -> Any:
        """The file itself, opened for bytes as they are."""
        try:
            return open(path, "rb", buffering=0)
        except OSError as error:
            raise DataError(unreadable(self.name, error)) from None

    def _stat(self, path: str) -> os.stat_result:
        try:
            return os.stat(path)
        except OSError as error:
            raise DataError(unreadable(self.name, error)) from None


class ByteStream:
    """Decompressed bytes, from first to last. With `idle` pipes are read as they come: `paused` if no more came."""

    def __init__(self, raw: Any, name: str, *, keep: bool = False, idle: Callable[[], None] | None = None) -> None:
        self.name, self.paused = name, False
        self._pipe = Pipe(raw, idle) if idle is not None and is_pipe(raw) else None
        self._keep, self._owned, self._raw = keep, raw, _Peeked(self._pipe or raw)
        kind = next((kind for magic, kind in _MAGIC.items() if self._raw.head.startswith(magic)), None)
        self._stream: Any = self._raw
        self._is_compressed = kind is not None
        if kind is not None:
            self._pipe = None  # what is decompressed comes in pieces of its own
            self._stream = _Unpacked(self._raw, kind)

    def decode_from(self, encoding: str | None) -> str:
        """Give text as UTF-8 from now on; return the encoding that it has, which is found where None is asked for."""
        if encoding is None:
            try:
                head = self._stream = self._raw if self._stream is self._raw else _Peeked(self._stream)
            except OSError:  # damaged, as `read` will find
                return "utf-8"
            encoding = encoding_told(head.head)
        if encoding != "utf-8":
            self._stream = Decoded(self._stream, self.name, encoding)
        return encoding

    def read(self, size: int, pause: float = PAUSE) -> bytes:
        """Read up to `size` bytes: fewer only at the end, or if it `paused`; DataError for what is damaged."""
        content = io.BytesIO()  # grows in place: joining parts would take the room of two
        self.paused, began = False, 0.0
        try:
            while size > 0 and (part := self._stream.read(min(size, STEP))):
                content.write(part)
                size -= len(part)
                if self._pipe is not None:
                    began = began or monotonic()
                    self._pipe.until = min(monotonic() + pause, began + LATEST)
        except PauseError:
            self.paused = True
        except OSError as error:
            said = f"cannot be read any further ({error.strerror or error})"
            if self._is_compressed and error.errno is None:
                said = f"the compressed file is cut short or damaged ({error}); fetch it again"
            raise DataError(f"{self.name}: {said}") from None
        finally:
            if self._pipe is not None:
                self._pipe.until = None
        return content.getvalue()

    def read_all(self) -> bytes:
        """Read what is left.

        Raises
        ------
        DataError
            The compressed file is cut short or damaged, or there is more than half of the free memory holds.
        """
        free = free_memory()
        most = sys.maxsize if free is None else free // 2
        content = self.read(most)
        if len(content) == most:
            raise DataError(
                f"{self.name}: the {'decompressed ' if self._is_compressed else ''}file has more than "
                f"{most:,} bytes, half of the free memory: learn from it as a stream, with --stream (linsep.fit_stream)"
            )
        return content

    def skip(self, size: int) -> None:
        """Leave out the next bytes, at the beginning of a stream."""
        while size > 0:
            found = self.read(min(size, 8 * STEP))
            size -= len(found) or size

    def close(self) -> None:
        """Close what was opened here; standard input and the caller's file objects stay open."""
        if not self._keep:
            self._owned.close()


class _Unpacked:
    """What a compressed file holds.

    Where `read` of Arrow's stream itself fails it never gives back its buffer, and after a failure the stream goes on
    with bytes of no meaning.
    """

    def __init__(self, raw: Any, kind: str) -> None:
        self._stream: Any = pa.CompressedInputStream(pa.PythonFile(raw, "r"), kind)
        self._failure: Exception | None = None

    def read(self, size: int) -> bytes:
        if self._failure is not None:
            raise self._failure
        found = bytearray(size)
        try:
            return bytes(memoryview(found)[: self._stream.readinto(found)])
        except Exception as error:
            self._failure = error
            raise


class _Peeked:
    """A stream whose first bytes were looked at, and are read again; as much of a file as Arrow asks for."""

    closed = False

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.head = b""
        self.look(_LONGEST_MAGIC)

    def look(self, size: int) -> None:
        """Have the first `size` bytes in `head`."""
        while len(self.head) < size and (more := self.stream.read(min(STEP, size - len(self.head)))):
            self.head += bytes(more)

    def read(self, size: int) -> Any:
        if self.head:
            part, self.head = self.head[:size], self.head[size:]
            return part
        return self.stream.read(size)

    def close(self) -> None:
        """Arrow closes what it read: the owner of the stream decides."""


def _can_seek(stream: Any) -> bool:
    return bool(hasattr(stream, "seekable") and stream.seekable())


def bare_name(name: str) -> str:
    """The name without what tells of compression.

    Examples
    --------
    >>> bare_name("part-1.csv.gz")
    'part-1.csv'
    """
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    return name


def free_memory() -> int | None:
    """Bytes of free memory; None if the system does not report them."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def encoding_named(name: str) -> str:
    """Return the usual name of an encoding of text, "utf-8" for "UTF8".

    Raises
    ------
    DataError
        There is none of that name.

    Examples
    --------
    >>> encoding_named("UTF8"), encoding_named("latin-1")
    ('utf-8', 'iso8859-1')
    """
    try:
        "".encode(name)  # `lookup` alone knows zip and base64 too
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise DataError(
            f"no encoding called {name!r}: --read encoding (encoding=) is utf-8, utf-16, latin-1, cp1252 or another "
            "name that Python knows"
        ) from None
    return "utf-8" if found == "utf-8-sig" else found


def encoding_told(head: bytes) -> str:
    """Return the encoding that a byte order mark tells; without one it is UTF-8, as anything else would be a guess.

    Examples
    --------
    >>> encoding_told("a,y".encode("utf-16")), encoding_told(b"a,y")
    ('utf-16', 'utf-8')
    """
    return next((name for mark, name in _BOMS.items() if head.startswith(mark)), "utf-8")


class Decoded:
    """The bytes of a stream of text, in UTF-8.

    Parameters
    ----------
    stream : object with `read`
        The bytes as they are.
    name : str
        What messages call it.
    encoding : str
        Their encoding.

    Examples
    --------
    >>> import io
    >>> Decoded(io.BytesIO("Århus".encode("latin-1")), "t.csv", "latin-1").read(99).decode()
    'Århus'
    """

    def __init__(self, stream: Any, name: str, encoding: str) -> None:
        self._stream, self._name, self._encoding = stream, name, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._lines = 1
        self._ended = False

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes of UTF-8; none at the end.

        Raises
        ------
        DataError
            The bytes are no text of that encoding; the line is named.
        """
        while not self._ready and not self._ended:
            part = bytes(self._stream.read(_PIECE))
            self._ended = not part
            try:
                text = self._decoder.decode(part, final=self._ended)
            except UnicodeError as error:  # that of UTF-16 and UTF-32, which begin with a mark, says nothing more
                before, reason = "", "no byte order mark"
                if isinstance(error, UnicodeDecodeError):
                    before = error.object[: error.start].decode(self._encoding, errors="ignore")
                    reason = error.reason
                raise DataError(
                    f"{self._name}:{self._lines + before.count(chr(10))}: not {self._encoding} text ({reason}); "
                    "name its encoding with --read encoding (encoding=), such as utf-16-le or latin-1"
                ) from None
            self._lines += text.count("\n")
            self._ready = text.encode("utf-8", errors="surrogatepass")
        found, self._ready = self._ready[:size], self._ready[size:]
        return found
