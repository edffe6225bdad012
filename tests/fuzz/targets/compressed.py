"""CSV in .gz and .zst, damaged: the rows before the damage are those of the whole file."""

from __future__ import annotations

import gzip
import zlib
from itertools import pairwise
from random import Random
from typing import Any

import pyarrow as pa

from fuzz.mangle import mangle
from fuzz.reading import strictly, wholly
from fuzz.target import RefusedError, Target
from fuzz.targets import csv

ROWS = 40


def make(rng: Random) -> bytes:
    """Rows of numbers, compressed in one to three members, mangled two times in three."""
    text = ("a,y\n" + "".join(f"{rng.randrange(100)},{rng.choice('pq')}\n" for _ in range(ROWS))).encode()
    kind = rng.choice(["gzip", "zstd"])
    cuts = [0, *sorted(rng.sample(range(1, len(text)), rng.randrange(3))), len(text)]
    parts = (text[a:b] for a, b in pairwise(cuts))
    packed = (gzip.compress(p, 5, mtime=0) if kind == "gzip" else pa.compress(p, "zstd", asbytes=True) for p in parts)
    content = b"".join(packed)
    return mangle(rng, content) if rng.random() < 0.67 else content


def naive(case: bytes) -> Any:
    """By Python's own reader of gzip; other cases are not compared."""
    if not case.startswith(b"\x1f\x8b"):
        raise RefusedError
    return csv.naive(unpacked(case))


def unpacked(case: bytes) -> bytes:
    """The members of a gzip file one after another."""
    parts = []
    while case:
        member = zlib.decompressobj(31)
        try:
            parts.append(member.decompress(case))
        except zlib.error:
            raise RefusedError from None
        if not member.eof:
            raise RefusedError
        case = member.unused_data
    return b"".join(parts)


def read(case: bytes) -> Any:
    """What is no longer gzip is read, but not compared."""
    values = strictly("csv", target="y")(case)
    return values if case.startswith(b"\x1f\x8b") else None


TARGET = Target("compressed", make, read, naive, (wholly("csv", target="y"),))
