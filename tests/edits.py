"""Edits of certificates: of single values, of whole parts and of the text."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

STRANGE: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    -7,
    0.5,
    1e300,
    -1e300,
    10**30,
    2**63,
    -(2**31),
    "",
    "x",
    "0x3",
]
STRANGE += ["regression", "interrupt", [], {}, [0], [[0]], float("nan"), float("inf"), "é\ud800"]


def edited(rng: np.random.Generator, design: Any, other: dict[str, Any]) -> tuple[str, str]:
    """The name of an edit, and the text that it makes of the certificate of a design; parts may come from `other`."""
    while True:
        name, text = any_edit(rng, design, other)
        if is_changed(text, design.plain):
            return name, text


def is_changed(text: str, plain: Any) -> bool:
    """Whether JSON says anything else than before."""
    try:
        return json.dumps(json.loads(text), sort_keys=True) != json.dumps(plain, sort_keys=True)
    except (RecursionError, ValueError):
        return True


def any_edit(rng: np.random.Generator, design: Any, other: dict[str, Any]) -> tuple[str, str]:
    """An edit that may turn out to change nothing."""
    kind = int(rng.integers(4))
    plain = copy.deepcopy(design.plain)
    if kind == 0:
        return "text", in_text(rng, json.dumps(plain))
    if kind == 1:
        return "a value", dumped(a_value(rng, plain))
    if kind == 2:
        return "a list or a key", dumped(a_container(rng, plain))
    return "a part of another", dumped(transplanted(rng, plain, other))


def dumped(plain: Any) -> str:
    return json.dumps(plain)


def paths(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every value, those that hold others included."""
    inside: list[tuple[Any, Any]] = []
    if isinstance(plain, dict | list):
        inside = list(plain.items()) if isinstance(plain, dict) else list(enumerate(plain))
    return [path, *(leaf for key, value in inside for leaf in paths(value, (*path, key)))]


def holder(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        plain = plain[key]
    return plain


def pick(rng: np.random.Generator, values: Any) -> Any:
    values = list(values)
    return values[int(rng.integers(len(values)))]


def a_value(rng: np.random.Generator, plain: Any) -> Any:
    """One value becomes another: near by, its negative, of another type, or one that stands elsewhere."""
    path = pick(rng, [path for path in paths(plain) if path])
    at = holder(plain, path)
    old = at[path[-1]]
    near: list[Any] = []
    if type(old) is int:
        near = [old + 1, old - 1, -old, 2 * old, float(old), hex(old), str(old), old + 2**53]
    elif type(old) is float:
        near = [float(np.nextafter(old, np.inf)), -old, old * (1 + 1e-6), 2 * old, 0.0]
    elif type(old) is str:
        near = [old.upper(), old + " ", old[:-1], "not " + old, "0x" + old]
    elif type(old) is bool:
        near = [not old, int(old)]
    elsewhere = pick(rng, paths(plain)[1:])
    choices = [near, STRANGE, [copy.deepcopy(holder(plain, elsewhere)[elsewhere[-1]])]]
    at[path[-1]] = pick(rng, pick(rng, [values for values in choices if values]))
    return plain


def a_container(rng: np.random.Generator, plain: Any) -> Any:
    """An entry of a list or an object goes, comes twice, comes new or changes places."""
    path = pick(
        rng, [path for path in paths(plain) if path and isinstance(holder(plain, path)[path[-1]], dict | list)] or [()]
    )
    at = holder(plain, path)[path[-1]] if path and rng.random() < 0.8 else plain
    if isinstance(at, dict) and at:
        key, to = pick(rng, at), pick(rng, at)
        what = int(rng.integers(4))
        if what == 0:
            del at[key]
        elif what == 1:
            at[key], at[to] = at[to], at[key]
        elif what == 2:
            at[f"{key}2"] = at[key]
        else:
            at[f"{key}s"] = at.pop(key)
    elif isinstance(at, list):
        what = int(rng.integers(4))
        if what == 0 and at:
            del at[int(rng.integers(len(at)))]
        elif what == 1 and at:
            at.insert(int(rng.integers(len(at))), copy.deepcopy(pick(rng, at)))
        elif what == 2:
            at.append(pick(rng, STRANGE))
        else:
            at.reverse()
    return plain


def transplanted(rng: np.random.Generator, plain: Any, other: Any) -> Any:
    """One or several parts are those of another certificate."""
    at = pick(rng, plain["one_against_rest"].values()) if "one_against_rest" in plain else plain
    source = pick(rng, other["one_against_rest"].values()) if "one_against_rest" in other else other
    for _ in range(int(rng.integers(1, 4))):
        key = pick(rng, at)
        if key in source:
            at[key] = copy.deepcopy(source[key])
    if "one_against_rest" in plain and rng.random() < 0.5:
        every = plain["one_against_rest"]
        every[pick(rng, every)] = copy.deepcopy(pick(rng, every.values()))
        if rng.random() < 0.3:
            plain["one_against_rest"] = {name: one for name, one in every.items() if rng.random() < 0.5}
    return plain


def in_text(rng: np.random.Generator, text: str) -> str:
    """One or a few characters go, come or change; or the text ends early, or a key stands twice."""
    what = int(rng.integers(5))
    if what == 0:
        return text[: int(rng.integers(len(text)))]
    if what == 1:
        return "{" + json.dumps(pick(rng, json.loads(text))) + ": " + json.dumps(pick(rng, STRANGE)) + ", " + text[1:]
    for _ in range(int(rng.integers(1, 3))):
        k = int(rng.integers(len(text)))
        new = pick(rng, '0123456789-+.eE,:[]{}"aflnrstux \\\n')
        text = text[:k] + (new if what != 3 else "") + text[k + (what != 4) :]
    return text
