"""Where the records of CSV text end: at line ends outside quotes. A quote is one at the beginning of a field only.

`sep` is the byte between two fields.
"""

from __future__ import annotations

from typing import Any

from linsep.kernels.compiled import inner, uncounted

_NEWLINE, _RETURN, _QUOTE = (ord(mark) for mark in '\n\r"')


@uncounted(cache=True, nogil=True)
def record_end(text: Any, i: Any, sep: Any) -> Any:
    """(where the record at byte i ends, its faulty quote); the end is -1 if a quote in it is never closed.

    A quote is faulty, too, if more of the field follows the quote that closes it; -1 stands for none.
    """
    fault = -1
    begins = True
    while i < text.size:
        c = text[i]
        if begins and c == _QUOTE:
            opened = i
            i = _closed(text, i + 1)
            if i < 0:
                return -1, opened
            if fault < 0 and i < text.size and text[i] != sep and text[i] != _RETURN and text[i] != _NEWLINE:
                fault = opened
            begins = False
            continue
        if c == _NEWLINE:
            return i + 1, fault
        begins = c in (sep, _RETURN)
        i += 1
    return i, fault


@inner(cache=True, nogil=True)
def _closed(text: Any, i: Any) -> Any:
    """The position after the quote that closes a field whose text begins at i; -1 if there is none."""
    while i < text.size:
        if text[i] == _QUOTE:
            if i + 1 == text.size or text[i + 1] != _QUOTE:
                return i + 1
            i += 1
        i += 1
    return -1


@uncounted(cache=True, nogil=True)
def record_ends(text: Any, sep: Any) -> Any:
    """Where the last record that ends with a line end does, 0 if none does, and the first malformed quote, or -1."""
    last, fault = 0, -1
    while last < text.size:
        end, wrong = record_end(text, last, sep)
        fault = wrong if fault < 0 else fault
        if end < 0 or text[end - 1] != _NEWLINE:
            break
        last = end
    return last, fault


@uncounted(cache=True, nogil=True)
def record_start(text: Any, number: Any, sep: Any) -> Any:
    """Where record `number`, counted from 0 without empty lines, begins; -1 if there are fewer."""
    start, seen = 0, -1
    while start < text.size:
        first = text[start]
        empty = first == _NEWLINE or (first == _RETURN and start + 1 < text.size and text[start + 1] == _NEWLINE)
        seen += not empty
        if seen == number:
            return start
        start, _ = record_end(text, start, sep)
        if start < 0:
            return -1
    return -1
