"""The JSON of certificates, mangled: what can be read can be written again, and what is verified is true."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random

import numpy as np

from fuzz.mangle import mangle
from fuzz.target import Target
from linsep import separability
from linsep.theory import CertificateError, Separability
from linsep.types import DataError

_TOKENS = (
    b"null",
    b"true",
    b"-1",
    b"1e300",
    b"1" * 400,
    b'"',
    b"[]",
    b"{}",
    b"[[",
    b",",
    b":",
    b"NaN",
    b"\xff",
    b"0.5",
)


_ROWS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [2.0, 3.0]])
_LABELS = ([0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 1, 1], [0, 1, 1, 1, 1, 0], [1, 0, 0, 0, 0, 1])


@cache
def _whole() -> tuple[bytes, ...]:
    """A certificate of each verdict."""
    return tuple(found.to_json().encode() for found in _true())


@cache
def _true() -> tuple[Separability, ...]:
    return tuple(separability(_ROWS, y) for y in _LABELS)


def make(rng: Random) -> bytes:
    """A certificate with some damage."""
    return mangle(rng, rng.choice(_whole()), _TOKENS)


def read(case: bytes) -> str:
    """The verdict; what was read can be put into words and written."""
    try:
        found = Separability.from_json(case.decode("utf-8", "replace"))
    except CertificateError as error:
        raise DataError(str(error)) from None
    found.to_json()
    for y, true in zip(_LABELS, _true(), strict=True):
        with suppress(CertificateError):
            found.verify(_ROWS, y)
            some, every = set(found.separated_rows.tolist()), set(true.separated_rows.tolist())
            same = (found.verdict == "separable") == (true.verdict == "separable")
            holds = same or found.verdict == "undecided"
            if not holds or not some <= every or (found.maximal and some != every):
                raise AssertionError(f"{found.verdict} of {sorted(some)}, but it is {true.verdict} of {sorted(every)}")
    return found.summary()


TARGET = Target("certificate", make, read)
