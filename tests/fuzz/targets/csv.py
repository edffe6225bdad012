"""CSV with a header."""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random
from typing import Any

from fuzz.mangle import number, often, word
from fuzz.reading import in_pieces, strictly, wholly
from fuzz.target import MARKS_ALONE, RefusedError, Target

SIGN = r" ?[$\u20ac\u00a3\u00a5] ?"
DIGITS = r"([1-9][0-9]{0,2}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?"
AMOUNT = re.compile(
    rf"([+-]?({SIGN})?|{SIGN}[+-]){DIGITS}({SIGN})?%?|\(({SIGN})?{DIGITS}({SIGN})?%?\)|{SIGN}\({DIGITS}\)"
)
_BLANK = " \t\n\r\x0b\x0c"  # as bytes are
INFINITE = ("inf", "infinity")
MISSING = re.compile("(na|n/a|#n/a|nan|null|#null!|none|\\?|--?)?")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def make(rng: Random) -> bytes:
    """A table of one to four columns."""
    kinds = [rng.choice("nwm") for _ in range(rng.randrange(1, 4))]
    names = [f"c{k}" if rng.random() < 0.9 else word(rng) for k in range(len(kinds))]
    lines = [",".join([*(quoted(rng, name) for name in names), "y"])]
    for _ in range(rng.randrange(6)):
        cells = [number(rng) if kind == "n" or (kind == "m" and rng.random() < 0.7) else word(rng) for kind in kinds]
        lines.append(",".join(quoted(rng, cell) for cell in [*cells, rng.choice(["1", "2", "yes", word(rng)])]))
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    text = end.join(lines) + rng.choice(["", end, end * 2])
    return often(rng, text.encode("utf-8", "surrogatepass"))


def quoted(rng: Random, cell: str) -> str:
    """A cell with quotes where it needs some, or as it is now and then."""
    if rng.random() < 0.1 or (any(mark in cell for mark in ',"\r\n') and rng.random() < 0.95):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def naive(case: bytes) -> Any:
    """The header, then records; a column is numbers, or text, or refused."""
    if case in MARKS_ALONE[:2]:
        return []
    if case.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):  # as gzip and zstd begin
        raise RefusedError
    text = decoded(case).removeprefix("\ufeff")
    if not text.strip(_BLANK):
        if case:  # a mark is no header
            raise RefusedError
        return []
    header, *rows = records(text)
    for k, name in enumerate(header):  # cells that were cleared
        if rows and not name and not any(row[k].strip() for row in rows if k < len(row)):
            header[k] = f"unnamed {k + 1}"
    if "" in header or len(set(header)) < len(header) or "y" not in header or len(header) == 1:
        raise RefusedError
    if len(records(text.rstrip(_BLANK))) == 1:  # nothing but blank lines
        return []
    if any(len(row) != len(header) for row in rows):
        raise RefusedError
    if not rows:
        return []
    cells = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    y = labels(cells.pop("y"))
    return [(y, {name: column(found) for name, found in cells.items()})]


def decoded(case: bytes) -> str:
    """UTF-8 without NUL."""
    try:
        text = case.decode()
    except UnicodeDecodeError:
        raise RefusedError from None
    if "\0" in text:
        raise RefusedError
    return text


def records(text: str) -> list[list[str]]:
    """Fields between commas, rows between line ends, but not inside quotes at the beginning of a field."""
    found: list[list[str]] = []
    row: list[str] = []
    i, n = 0, len(text)
    while i < n:
        if not row and text[i] in "\r\n":  # an empty line
            i += 1
            continue
        if text[i] == '"':
            parts = []
            while True:
                end = text.find('"', i + 1)
                if end < 0:
                    raise RefusedError
                parts.append(text[i + 1 : end])
                i = end + 1
                if text[i : i + 1] != '"':
                    break
            cell = '"'.join(parts)
            if i < n and text[i] not in ",\r\n":
                raise RefusedError
        else:
            end = min((at for mark in ",\r\n" if (at := text.find(mark, i)) >= 0), default=n)
            cell, i = text[i:end], end
        row.append(cell)
        if text[i : i + 1] == ",":
            i += 1
            if i == n or text[i] in "\r\n":
                row.append("")
            else:
                continue
        found.append(row)
        row = []
        i += 2 if text[i : i + 2] == "\r\n" else 1
    return found


def column(cells: list[str]) -> list[Any]:
    """Numbers if all cells are, text if at most half of them are."""
    is_number = [bool(NUMBER.fullmatch(cell.strip())) for cell in cells]
    if not all(is_number):
        there = [cell.strip() for cell in cells if not MISSING.fullmatch(cell.strip().lower())]
        if there and all(NUMBER.fullmatch(cell) or cell.lower().lstrip("+-") in INFINITE for cell in there):
            raise RefusedError
        if there and (all(cell.lower() in ("true", "false") for cell in there) or all(map(AMOUNT.fullmatch, there))):
            signs = [set(cell) & set("%$\u20ac\u00a3\u00a5") for cell in there]
            if len(there) < len(cells) or len(set().union(*signs)) > 1 or ({"%"} in signs and not all(signs)):
                raise RefusedError
            words = {"true": "1", "false": "0"}
            digits = [re.sub(r"[^0-9.+-]", "", cell.replace("(", "-")) for cell in there]
            return [float(words.get(cell.lower(), found)) + 0.0 for cell, found in zip(there, digits, strict=True)]
        if there and all(
            NUMBER.fullmatch(cell) or cell.lower().lstrip("+-") in ("inf", "infinity", "nan") for cell in cells
        ):
            raise RefusedError
        is_number = [one or bool(AMOUNT.fullmatch(cell.strip())) for one, cell in zip(is_number, cells, strict=True)]
        if 2 * sum(is_number) > len(cells):
            raise RefusedError
        return list(cells)
    values = [float(cell.strip()) + 0.0 for cell in cells]
    if any(abs(value) == float("inf") for value in values):
        raise RefusedError
    return values


def labels(cells: list[str]) -> list[Any]:
    """Whole numbers if all are, numbers if all are, else text."""
    if all(NUMBER.fullmatch(cell.strip()) for cell in cells):
        values = column(cells)
        if not all(is_shortest(cell.strip(), value) for cell, value in zip(cells, values, strict=True)):
            raise RefusedError
        return [int(v) for v in values] if all(v.is_integer() and abs(v) < 2**53 for v in values) else values
    there = [cell.strip() for cell in cells if not MISSING.fullmatch(cell.strip().lower())]
    if there and all(map(NUMBER.fullmatch, there)):  # NA is no label beside numbers
        raise RefusedError
    if any(not cell.strip() for cell in cells):
        raise RefusedError
    return list(cells)


def is_shortest(text: str, number: float) -> bool:
    """Whether a number is written as Python writes its double, but for zeros, or with fewer digits."""
    if number == 0:
        return not set(text.lower().partition("e")[0]) & set("123456789")
    return Decimal(text) == Decimal(repr(number))


READ = {"target": "y", "sep": ","}
TARGET = Target("csv", make, strictly("csv", **READ), naive, (wholly("csv", **READ), in_pieces("csv", **READ)))
