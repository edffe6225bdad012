"""Text in other encodings than UTF-8, as UTF-8: what a file begins with, and a stream that is decoded as it is read."""

from __future__ import annotations

import codecs
from typing import Any

from linsep.types import DataError

_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_PIECE = 1 << 16
_CHECKED_BYTES = 1 << 20


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
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(self._encoding, errors="ignore")
                raise DataError(
                    f"{self._name}:{self._lines + before.count(chr(10))}: not {self._encoding} text ({error.reason}); "
                    "name its encoding with --read encoding (encoding=)"
                ) from None
            except UnicodeError:  # UTF-16 and UTF-32 begin with a mark
                raise DataError(
                    f"{self._name}:1: not {self._encoding} text (no byte order mark); name its encoding with "
                    "--read encoding (encoding=), such as utf-16-le or latin-1"
                ) from None
            self._lines += text.count("\n")
            self._ready = text.encode("utf-8", errors="surrogatepass")
        found, self._ready = self._ready[:size], self._ready[size:]
        return found


def check_utf8(content: bytes, name: str, first_line: int) -> None:
    """Raise DataError, with the line, for bytes that are not UTF-8 text."""
    start = len(content) if content.isascii() else 0
    while start < len(content):  # some lines at a time: the text of all would take several times the room
        end = content.find(b"\n", start + _CHECKED_BYTES) + 1 or len(content)
        try:
            content[start:end].decode()
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, start + error.start) + first_line
            raise DataError(
                f"{name}:{line}: not UTF-8 text ({error.reason}); name its encoding with --read encoding "
                "(encoding=), such as latin-1 or cp1252"
            ) from None
        start = end
