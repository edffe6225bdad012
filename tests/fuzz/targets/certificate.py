"""The JSON of certificates, mangled: what can be read says something that can be written again."""

from __future__ import annotations

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


@cache
def _whole() -> tuple[bytes, ...]:
    """A certificate of each verdict."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [2.0, 3.0]])
    labels = ([0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 1, 1], [0, 1, 1, 1, 1, 0], [1, 0, 0, 0, 0, 1])
    return tuple(separability(X, y).to_json().encode() for y in labels)


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
    return found.summary()


TARGET = Target("certificate", make, read)
