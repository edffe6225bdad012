"""Where the records of CSV text end: at line ends outside quotes. A quote is one at the beginning of a field only.

A line ends with LF, CR LF or CR alone. What follows a CR at the end of the text is not known: there it ends no record.
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
        if c == _NEWLINE or (c == _RETURN and i + 1 < text.size and text[i + 1] != _NEWLINE):
            return i + 1, fault
        begins = c == sep
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
        if end < 0 or (end == text.size and text[end - 1] != _NEWLINE):
            break
        last = end
    return last, fault


@uncounted(cache=True, nogil=True)
def record_start(text: Any, number: Any, sep: Any) -> Any:
    """Where record `number`, counted from 0 without empty lines, begins; -1 if there are fewer."""
    start, seen = 0, -1
    while start < text.size:
        first = text[start]
        seen += first != _NEWLINE and first != _RETURN
        if seen == number:
            return start
        start, _ = record_end(text, start, sep)
        if start < 0:
            return -1
    return -1
