"""JSON lines."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random
from typing import Any

from fuzz.mangle import number, often, word
from fuzz.reading import in_pieces, strictly, wholly
from fuzz.target import MARKS_ALONE, RefusedError, Target

STRANGE = (
    *("null", "[]", "{}", "[1]", '{"a": 1}', '{"b": {"a": "x", "a": 2}}', '{"b": {"c": "x"}}', '"2020-01-01"'),
    *('"2020-01-01 10:00:00"', "1e400", '"\\u0000"'),
)
_BLANK = " \t\r\n\x0b\x0c"  # as bytes are blank


def make(rng: Random) -> bytes:
    """Objects with the same keys, mostly."""
    kinds = {f"c{k}": rng.choice("nnwwbx") for k in range(rng.randrange(1, 4))}
    lines = []
    for _ in range(rng.randrange(1, 6)):
        pairs = [f"{json.dumps(name)}: {value(rng, kind)}" for name, kind in kinds.items() if rng.random() < 0.98]
        pairs.append(f'"y": {value(rng, "n" if rng.random() < 0.3 else "w")}')
        rng.shuffle(pairs)
        lines.append("{" + ", ".join(pairs) + "}")
    text = rng.choice(["\n", "\n", "\n", "\r\n", "\n\n"]).join(lines) + rng.choice(["", "\n"])
    return often(rng, text.encode("utf-8", "surrogatepass"))


def value(rng: Random, kind: str) -> str:
    """A value of a kind, or another one now and then."""
    if kind == "x" or rng.random() < 0.02:
        return rng.choice(STRANGE)
    if kind == "n":
        return number(rng)
    if kind == "b":
        return rng.choice(["true", "false"])
    return json.dumps(word(rng), ensure_ascii=rng.random() < 0.5)


def naive(case: bytes) -> Any:
    """One object on each line that is not blank, of one kind a key, b.c for c in b; text that is missing is ""."""
    if case in MARKS_ALONE:
        return []
    text = decoded_json(case)
    lines = [line for line in text.split("\n") if line.strip(_BLANK)]
    parents: set[str] = set()
    rows = [dict(leaves(parsed(line), "", parents)) for line in lines]
    if not rows:
        return []
    rows = [{name: row[name] for name in row if row[name] is not None or name not in parents} for row in rows]
    if any(row.get(name) is not None for row in rows for name in parents):  # an object beside another value
        raise RefusedError
    tops = list(dict.fromkeys(name for line in lines for name in parsed(line)))

    def place(name: str) -> int:
        return next(k for k, top in enumerate(tops) if f"{name}.".startswith(f"{top}."))

    names = sorted(dict.fromkeys(name for row in rows for name in row), key=place)
    if "y" not in names or len(names) == 1:
        raise RefusedError
    y = column([row.get("y") for row in rows])
    found = {name: column(filled([row.get(name) for row in rows])) for name in names if name != "y"}
    if any(isinstance(label, str) and (not label.strip() or label.endswith("\0")) for label in y):
        raise RefusedError
    if isinstance(y[0], float) and all(v.is_integer() and abs(v) < 2**53 for v in y):
        y = [int(v) for v in y]
    return [(y, {name: numbers(cells) for name, cells in found.items()})]


def leaves(row: dict[str, Any], above: str, parents: set[str]) -> list[tuple[str, Any]]:
    """What stands in an object and in those within, with names as b.c.a."""
    found = []
    for name, inner in row.items():
        if type(inner) is dict:
            parents.add(above + name)
            found += leaves(inner, f"{above}{name}.", parents)
        else:
            found.append((above + name, inner))
    if len(dict(found)) < len(found):
        raise RefusedError
    return found


def decoded_json(case: bytes) -> str:
    """UTF-8 text, or UTF-16 where a mark says so."""
    try:
        case = case.decode("utf-16").encode() if case[:2] in MARKS_ALONE else case
        return case.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"\x01").decode()  # a control character too
    except UnicodeDecodeError:
        raise RefusedError from None


def parsed(line: str) -> dict[str, Any]:
    """An object without a key that comes twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise RefusedError
        return dict(pairs)

    def refuse(constant: str) -> Any:
        raise RefusedError

    try:
        row = json.loads(line, object_pairs_hook=once, parse_constant=refuse, parse_float=Written)
    except ValueError:
        raise RefusedError from None
    if "\\u" in line and any("\ud800" <= c <= "\udfff" for c in repr_of(row)):
        raise RefusedError
    if not isinstance(row, dict):
        raise RefusedError
    return row


class Written(float):
    """A double that knows how it was written."""

    def __init__(self, text: str) -> None:
        self.text = text


def is_rounded(value: Any) -> bool:
    """Whether a double is another whole number than what was written, and prints as another one."""
    double = float(value)
    exact = [Decimal(double), Decimal(repr(double))]
    return abs(double) >= 2.0**52 and Decimal(getattr(value, "text", value)) not in exact


def repr_of(row: Any) -> str:
    """All text in a value."""
    return json.dumps(row, ensure_ascii=False)


def filled(values: list[Any]) -> list[Any]:
    """Text with "" where it is missing; anything else as it is."""
    if all(isinstance(value, str) or value is None for value in values):
        return ["" if value is None else value for value in values]
    return values


def column(values: list[Any]) -> list[Any]:
    """Values of one kind: text, truth values or numbers."""
    kinds = {"number" if type(value) in (int, Written) else type(value).__name__ for value in values}
    if len(kinds) > 1 or not kinds <= {"number", "str", "bool"}:
        raise RefusedError
    if kinds != {"number"}:
        return values
    if all(type(value) is int and abs(value) < 2**63 for value in values):
        return values
    try:
        found = [float(value) + 0.0 for value in values]
    except OverflowError:
        raise RefusedError from None
    if any(abs(value) == float("inf") for value in found) or any(map(is_rounded, values)):
        raise RefusedError
    return found


def numbers(values: list[Any]) -> list[Any]:
    """Truth values and whole numbers as numbers."""
    return values if isinstance(values[0], str) else [float(value) for value in values]


READ = {"target": "y"}
TARGET = Target("jsonl", make, strictly("jsonl", **READ), naive, (wholly("jsonl", **READ), in_pieces("jsonl", **READ)))
