"""Vowpal Wabbit's text."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from fuzz.mangle import number, often, word
from fuzz.reading import in_pieces, strictly, wholly
from fuzz.target import MARKS_ALONE, RefusedError, Target
from fuzz.targets.svmlight import label_value, split, value, whole
from linsep.types import DataError

BITS = 10


def make(rng: Random) -> bytes:
    """Rows with namespaces, scales and tags."""
    lines = []
    for _ in range(rng.randrange(6)):
        parts = [rng.choice(["1", "-1", number(rng)])]
        if rng.random() < 0.2:
            parts.append("'" + word(rng))
        for _ in range(rng.randrange(3)):
            parts.append(rng.choice(["|", "|a", "|b:2", "|b:0.5", f"|{word(rng)}:{number(rng)}", "| "]))
            parts.extend(name(rng) for _ in range(rng.randrange(4)))
        lines.append(" ".join(parts))
    return often(rng, rng.choice(["\n", "\n\n", "\r\n"]).join(lines).encode("utf-8", "surrogatepass"))


def name(rng: Random) -> str:
    """A name, with a value now and then."""
    return word(rng) + (f":{number(rng)}" if rng.random() < 0.5 else "")


def naive(case: bytes) -> Any:
    """A label, perhaps a tag, then names in namespaces; a value is that of the name times that of its namespace."""
    y, rows = [], []
    if case in MARKS_ALONE:
        return []
    for line in case.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        words = [one for one in split(line.replace(b"|", b" |")) if one]
        if not words:
            continue
        if any(c < 32 and c not in b"\t\r" for c in line):  # control characters
            raise RefusedError
        if re.search(rb":[^ \t\r|]*\|", b"|" + line.partition(b"|")[2]):  # a number with a bar after it
            raise RefusedError
        y.append(label(words[0], line))
        words = words[1:]
        tag = re.match(rb"[ \t\r]*[^ \t\r|]+[ \t\r]+([^ \t\r|]+)\|", line)  # or a word that ends at the bar
        if words and (words[0].startswith(b"'") or (tag and words[0] == tag[1])):
            words = words[1:]
        if words and not words[0].startswith(b"|"):
            raise RefusedError
        rows.append(entries(words))
    return [(whole(y), rows)] if y else []


def label(given: bytes, line: bytes) -> float:
    """The number that a line begins with, with a blank or its end after it."""
    if split(line.lstrip(b" \t\r"))[0] != given:
        raise RefusedError
    return label_value(given)


def entries(words: list[bytes]) -> list[tuple[int, float]]:
    """(column, value) of every name."""
    found, space, scale = [], b"", 1.0
    for one in words:
        if one.startswith(b"|"):
            called, colon, written = one[1:].partition(b":")
            space, scale = called + b"^", value(written) if colon else 1.0
            continue
        called, colon, written = one.partition(b":")
        if not called:
            raise RefusedError
        product = (value(written) if colon else 1.0) * scale + 0.0
        if abs(product) == float("inf"):
            raise RefusedError
        found.append((hashed(space + called), product))
    return found


def hashed(name: bytes) -> int:
    """64-bit FNV-1a, mixed, modulo the number of columns."""
    h = 14695981039346656037
    for byte in name:
        h = (h ^ byte) * 1099511628211 % (1 << 64)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = (h ^ (h >> 33)) * factor % (1 << 64)
    return (h ^ (h >> 33)) % (1 << BITS)


READ = {"bits": BITS}


def labelled(case: bytes) -> Any:
    """What is read of rows with labels; rows without one are refused."""
    found = strictly("vw", **READ)(case)
    if any(y is None for y, _ in found):
        raise DataError("buffer:1: a row has no label")
    return found


TARGET = Target("vowpal", make, labelled, naive, (wholly("vw", **READ), in_pieces("vw", **READ)))
