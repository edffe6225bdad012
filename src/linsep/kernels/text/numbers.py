"""Numbers in text given as bytes, read to the nearest double; blanks and line ends around them.

Source: Clinger 1990 (How to read floating point numbers accurately), the fast path alone: numbers that need more are
left to the caller, who has Arrow read them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.kernels.compiled import inner, uncounted

NEWLINE = ord("\n")
_TAB, _RETURN, _SPACE, _HASH = map(ord, "\t\r #")
_PLUS, _MINUS, _POINT, _ZERO, _E, _SMALL_E = map(ord, "+-.0Ee")
_FULL = 10**17  # one digit more still fits 64 bits
DOUBLE = 2**53  # up to here every whole number is a double
APART = 10**15  # numbers m 10^e with m below this are different doubles
_BEYOND = -(2**31)  # the exponent of a number with more digits than 64 bits hold
_FARTHEST = 1_000_000  # a power of ten is read no further, so that it fits 64 bits; `as_double` takes none beyond 22
# Unsigned constants: a sum of signed and unsigned numbers is a float. 15 digits are always less than 2^53.
_NOUGHT, _ONE, _TEN, _DIGITS, _MOST_DIGITS = (np.uint64(value) for value in (0, 1, 10, _ZERO, 15))
_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are doubles


@inner(cache=True, nogil=True)
def skip_blanks(text: Any, i: Any) -> Any:
    """The next position, from the unsigned i on, of what is no blank; a line end has to follow."""
    while text[i] == _SPACE or text[i] == _TAB or text[i] == _RETURN:
        i += _ONE
    return i


@inner(cache=True, nogil=True)
def line_end(text: Any, i: Any) -> Any:
    """The next line end from the unsigned i on; there has to be one."""
    while text[i] != NEWLINE:
        i += _ONE
    return i


@inner(cache=True, nogil=True)
def whole_at(text: Any, i: Any) -> Any:
    """(the number of up to 15 digits at i, where it ends); the end is i if anything else stands there."""
    j, m = i, _NOUGHT
    digit = np.uint64(text[j]) - _DIGITS
    while digit < _TEN:
        m = _TEN * m + digit
        j += _ONE
        digit = np.uint64(text[j]) - _DIGITS
    plain = j - i <= _MOST_DIGITS and text[j] <= _SPACE
    return np.float64(np.int64(m)), j if plain else i


@inner(cache=True, nogil=True)
def decimal_at(text: Any, i: Any) -> Any:
    """(where it ends, m, e) of the number m 10^e at position i; the end is -1 if it is none."""
    negative = i < text.size and text[i] == _MINUS
    if negative or (i < text.size and text[i] == _PLUS):
        i += 1
    m: Any = 0
    e = digits = 0
    point = full = False
    while i < text.size:
        c = np.int64(text[i])
        if c == _POINT and not point:
            point = True
        elif _ZERO <= c <= _ZERO + 9:
            digits += 1
            full = full or m >= _FULL
            m = m if full else 10 * m + (c - _ZERO)
            e -= point
        else:
            break
        i += 1
    if digits == 0:
        return -1, m, e
    if i < text.size and (text[i] == _E or text[i] == _SMALL_E):
        i, power = _power(text, i + 1)
        e += power
    if i < 0 or (i < text.size and text[i] > _SPACE and text[i] != _HASH):
        return -1, m, e
    return i, -m if negative else m, _BEYOND if full else e if m else 0


@inner(cache=True, nogil=True)
def _power(text: Any, i: Any) -> Any:
    """(where it ends, the power of ten), the end -1 if there is none; powers beyond a million stay there."""
    negative = i < text.size and text[i] == _MINUS
    if negative or (i < text.size and text[i] == _PLUS):
        i += 1
    start = i
    power: Any = 0
    while i < text.size and _ZERO <= text[i] <= _ZERO + 9:
        power = min(10 * power + (np.int64(text[i]) - _ZERO), _FARTHEST)
        i += 1
    return -1 if i == start else i, -power if negative else power


@uncounted(cache=True, nogil=True)
def as_double(m: Any, e: Any) -> Any:
    """(m 10^e rounded correctly, whether that could be done): one operation on two exact doubles (Clinger 1990)."""
    if -DOUBLE <= m <= DOUBLE and -22 <= e <= 22:
        return (m * _POWERS[e] if e >= 0 else m / _POWERS[-e]), True
    return 0.0, False
