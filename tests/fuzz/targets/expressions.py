"""Expressions of the command line: NAME=KIND, COLUMN=DATE, and formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from fuzz.mangle import mangle, word
from fuzz.target import Target
from linsep import open_data, separation
from linsep.app.tables import kinds_of
from linsep.data.features.aside import split_by_date

Case = tuple[str, str]
_KINDS = ("number", "category", "date", "%d.%m.%Y", "%Y", "%", "words", "words1-2", "chars3-5", "text", "skip", "day")
_DATES = ("2024-02-29", "2023-02-29", "2024-01", "29.02.2024", "1e9", "0000-00-00", "2024-02-29T10:00:00Z", "99999-1-1")
_TERMS = ("x", "z", "0", "1", "C(d)", "x:z", "x*z", "(x+z)**2", "np.log(x)", "I(x-1)", "center(x)", "lag(z)", "d", "-1")
_TOKENS = (b"=", b"|", b"~", b"+", b":", b"(", b")", b"**", b"%", b"-", b" ", b"C(", b"`", b"'", b"\0", b"\xff", b"9")
_TABLE = "d,when,x,z,y\n" + "\n".join(f"{'abc'[k % 3]},2024-0{k + 1}-11,{k + 1},{k * k % 5},{k % 2}" for k in range(8))


def make(rng: Random) -> Case:
    """An expression of one kind, damaged every second time."""
    kind = rng.choice(list(_READ))
    if kind == "column":
        text = f"{word(rng)}={rng.choice([*_KINDS, word(rng)])}"
    elif kind == "date":
        text = rng.choice(["", "when=", f"{word(rng)}="]) + rng.choice(_DATES)
    else:
        text = f"y ~ {' + '.join(rng.choice(_TERMS) for _ in range(rng.randrange(1, 4)))}"
        text += rng.choice(["", "", f" | {rng.choice(_TERMS)}"])
    if rng.random() < 0.5:
        text = mangle(rng, text.encode("utf-8", "surrogatepass"), _TOKENS).decode("utf-8", "replace")
    return kind, text


@cache
def _chunk() -> Any:
    return open_data(_TABLE.encode(), format="csv", target="y").read()


@cache
def _frame() -> dict[str, list[Any]]:
    rows = [line.split(",") for line in _TABLE.split("\n")]
    columns = {name: list(cells) for name, *cells in zip(*rows, strict=True)}
    return {name: cells if name in ("d", "when") else list(map(int, cells)) for name, cells in columns.items()}


_READ: dict[str, Callable[[str], Any]] = {
    "column": lambda text: kinds_of([text]),
    "date": lambda text: split_by_date(_chunk(), {"when": "date"}, text)[2],
    "formula": lambda text: separation(text, data=_frame(), time_limit=1.0).verdict if "~" in text else None,
}


def read(case: Case) -> Any:
    """What the expression says; a verdict of a formula."""
    kind, text = case
    return _READ[kind](text)


TARGET = Target("expressions", make, read)
