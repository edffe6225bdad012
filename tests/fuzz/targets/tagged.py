"""Tagged text: two columns, and CoNLL-U."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from fuzz.mangle import often, word
from fuzz.target import RefusedError, Target
from linsep.data.readers.tagged import read_tagged

_FOLDER = Path(tempfile.mkdtemp(prefix="linsep-fuzz-"))


def make(rng: Random) -> bytes:
    """A few sentences; the first byte tells the format."""
    conllu = rng.random() < 0.5
    lines = []
    for _ in range(rng.randrange(4)):
        for k in range(rng.randrange(1, 5)):
            token, tag = word(rng), rng.choice(["NOUN", "VERB", "_", word(rng)])
            number = str(k + 1) if rng.random() < 0.95 else rng.choice(["1-2", "3.1", "0", "x"])
            blank = "\t_" * 5
            lines.append(
                f"{number}\t{token}\t_\t{tag}\tX{blank}" if conllu else rng.choice(["\t", " "]).join([token, tag])
            )
        lines.append(rng.choice(["", "", " ", "# note"]))
    text = rng.choice(["\n", "\r\n"]).join(lines)
    return (b"c" if conllu else b"t") + often(rng, text.encode("utf-8", "surrogatepass"))


def read(case: bytes) -> Any:
    """Tokens and tags."""
    path = _FOLDER / f"t{os.getpid()}"
    path.write_bytes(case[1:])
    found = read_tagged(path, "conllu" if case[:1] == b"c" else "columns")
    return found.tokens, found.tags


def naive(case: bytes) -> Any:
    """The same, line by line."""
    try:
        text = case[1:].removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        raise RefusedError from None
    tokens: list[list[str]] = [[]]
    tags: list[list[str | None]] = [[]]
    for line in (line.removesuffix("\r") for line in text.split("\n")):
        if not line.strip():
            if tokens[-1]:
                tokens.append([])
                tags.append([])
            continue
        entry = of_conllu(line, len(tokens[-1]) + 1) if case[:1] == b"c" else of_columns(line)
        if entry is not None:
            tokens[-1].append(entry[0])
            tags[-1].append(entry[1])
    found = [row for row in tokens if row], [row for row in tags if row]
    if not found[0]:
        raise RefusedError
    return found


def of_columns(line: str) -> tuple[str, str | None]:
    """A token and perhaps its tag."""
    fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
    if not 1 <= len(fields) <= 2 or not all(fields):
        raise RefusedError
    return fields[0], fields[1] if len(fields) == 2 else None


def of_conllu(line: str, number: int) -> tuple[str, str | None] | None:
    """The word and its tag; None for comments, ranges and empty nodes."""
    if line[0] == "#":
        return None
    fields = line.split("\t")
    if len(fields) != 10:
        raise RefusedError
    for mark in "-.":
        left, found, right = fields[0].partition(mark)
        if found and left.isdecimal() and right.isdecimal():
            return None
    if fields[0] != str(number) or not fields[1]:
        raise RefusedError
    return fields[1], None if fields[3] in ("", "_") else fields[3]


TARGET = Target("tagged", make, read, naive)
