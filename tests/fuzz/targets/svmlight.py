"""svmlight text."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.mangle import number, often
from fuzz.reading import in_pieces, strictly, wholly
from fuzz.target import MARKS_ALONE, RefusedError, Target
from fuzz.targets.csv import NUMBER, is_shortest

_BLANK = b" \t\r"


def make(rng: Random) -> bytes:
    """Rows of a few entries."""
    lines = []
    for _ in range(rng.randrange(6)):
        index, entries = 0, []
        for _ in range(rng.randrange(5)):
            index += rng.choice([1, 1, 2, 7, 1000]) if rng.random() < 0.98 else rng.choice([0, -1, 2**31, 2**40])
            entries.append(f"{index}:{number(rng)}")
        label = rng.choice(["1", "-1", "+1", "2.5", number(rng)])
        lines.append(
            rng.choice([" ", " ", "\t", "  "]).join([label, *entries]) + rng.choice(["", "", " ", " # note", "#"])
        )
    text = rng.choice(["\n", "\n", "\r\n", "\n\n"]).join(lines) + rng.choice(["", "\n"])
    return often(rng, text.encode())


def naive(case: bytes) -> Any:
    """A label and entries of ascending index; what follows a # is a comment."""
    if case in MARKS_ALONE:
        return []
    y: list[float] = []
    rows = []
    for line in case.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        words = [word for word in split(line.partition(b"#")[0]) if word]
        if not words:
            continue
        y.append(label_value(words[0]))
        row: list[tuple[int, float]] = []
        for word in words[1:]:
            index, colon, written = word.partition(b":")
            if not colon or not index.isdigit() or int(index) >= 2**31 or (row and int(index) <= row[-1][0]):
                raise RefusedError
            row.append((int(index), value(written)))
        rows.append(row)
    return [(whole(y), rows)] if y else []


def split(line: bytes) -> list[bytes]:
    """Words between blanks; other control characters are no blanks."""
    for mark in _BLANK:
        line = line.replace(bytes([mark]), b" ")
    return line.split(b" ")


def value(written: bytes) -> float:
    """A finite number."""
    text = written.decode("latin-1")
    if not NUMBER.fullmatch(text) or abs(float(text)) == float("inf"):
        raise RefusedError
    return float(text) + 0.0


def label_value(written: bytes) -> float:
    """A finite number that no other text of so many digits gives."""
    found = value(written)
    if not is_shortest(written.decode("latin-1"), found):
        raise RefusedError
    return found


def whole(y: list[float]) -> list[Any]:
    """Labels as whole numbers if all of them are."""
    return [int(v) for v in y] if all(v.is_integer() and abs(v) < 2**53 for v in y) else y


TARGET = Target("svmlight", make, strictly("svmlight"), naive, (wholly("svmlight"), in_pieces("svmlight")))
