"""Arrow tables, as dataframes become, of all sorts of types."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

from fuzz.mangle import WORDS, word
from fuzz.reading import values_of
from fuzz.target import RefusedError, Target
from linsep import open_data

FLOATS = (0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, math.inf, -math.inf, math.nan)
WHOLE = (0, 1, -1, 2**53 + 1, -(2**63), 2**63 - 1)
TYPES = {
    "float": pa.float64(), "single": pa.float32(), "int": pa.int64(), "byte": pa.uint8(), "bool": pa.bool_(),
    "text": pa.string(), "large": pa.large_string(), "decimal": pa.decimal128(20, 3), "date": pa.date32(),
    "list": pa.list_(pa.int64()), "null": pa.null(), "names": pa.dictionary(pa.int8(), pa.string()),
}  # fmt: skip


def make(rng: Random) -> Any:
    """A table of one to four columns, one of them y."""
    n = rng.randrange(5)
    kinds = [rng.choice(list(TYPES)[:8] if rng.random() < 0.95 else list(TYPES)) for _ in range(rng.randrange(1, 4))]
    names = [f"c{k}" for k in range(len(kinds))]
    if rng.random() < 0.97:
        names, kinds = [*names, "y"], [*kinds, rng.choice(["float", "int", "bool", "text", "names", "byte"])]
    return pa.table({name: column(rng, kind, n) for name, kind in zip(names, kinds, strict=True)})


def column(rng: Random, kind: str, n: int) -> Any:
    """So many values of a type, with a missing one now and then."""
    made: dict[str, Callable[[], Any]] = {
        "float": lambda: rng.choice(FLOATS) if rng.random() < 0.05 else rng.gauss(0, 1),
        "single": lambda: float(rng.randrange(-8, 8)) / 4,
        "int": lambda: rng.choice(WHOLE) if rng.random() < 0.2 else rng.randrange(9),
        "byte": lambda: rng.randrange(256),
        "bool": lambda: rng.random() < 0.5,
        "text": lambda: rng.choice(WORDS) if rng.random() < 0.2 else word(rng),
        "decimal": lambda: Decimal(rng.randrange(-(10**6), 10**6)) / 1000,
        "date": lambda: rng.randrange(1000),
        "list": lambda: [1],
        "null": lambda: None,
    }
    make_one: Callable[[], Any] = made["text" if kind in ("large", "names") else kind]
    values = [None if rng.random() < 0.02 else make_one() for _ in range(n)]
    return pa.array(values, TYPES[kind])


def read(table: Any) -> Any:
    """As one chunk."""
    return [values_of(chunk) for chunk, _ in open_data(table, target="y").chunks()]


def naive(table: Any) -> Any:
    """Numbers and truth values are numbers, text and dates are text, "" where it is missing; all else is refused."""
    columns = table.to_pydict()
    for field in table.schema:
        if field.name != "y" and pa.types.is_date(field.type):
            columns[field.name] = ["" if value is None else value.isoformat() for value in columns[field.name]]
        if field.name != "y" and pa.types.is_null(field.type):
            columns[field.name] = [""] * table.num_rows
        if field.name != "y" and is_text(field.type):
            columns[field.name] = ["" if value is None else value for value in columns[field.name]]
    if not table.num_rows:
        return []
    if "y" not in columns or len(columns) == 1 or any(None in values for values in columns.values()):
        raise RefusedError
    if any(pa.types.is_list(kind) or pa.types.is_fixed_size_binary(kind) for kind in table.schema.types):
        raise RefusedError
    y = columns.pop("y")
    if isinstance(y[0], str) and any(not label.strip() or "\0" in label for label in y):
        raise RefusedError
    if isinstance(y[0], float):
        if not all(map(math.isfinite, y)):
            raise RefusedError
        y = [v + 0.0 for v in y]
        y = [int(v) for v in y] if all(v.is_integer() and abs(v) < 2**53 for v in y) else y
    found = {
        name: values if isinstance(values[0], str) else [float(value) + 0.0 for value in values]
        for name, values in columns.items()
    }
    if any(not isinstance(values[0], str) and not all(map(math.isfinite, values)) for values in found.values()):
        raise RefusedError
    return [(y, found)]


def is_text(kind: Any) -> bool:
    """Whether values of this type are text, as they are or by number."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


TARGET = Target("arrow", make, read, naive)
