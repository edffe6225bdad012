"""What can be fuzzed, and what came of it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from fuzz import targets

# UTF-16, and nothing after its mark or marks: no rows.
MARKS_ALONE = (b"\xff\xfe", b"\xfe\xff", b"\xff\xfe" * 2, b"\xfe\xff" * 2)


class RefusedError(Exception):
    """A naive reader refuses the input."""


@dataclass(frozen=True)
class Target:
    """Something that reads input.

    Parameters
    ----------
    name : str
        What the table calls it.
    make : callable
        `make(rng)` returns input that is well-formed, malformed in a place, or mangled.
    read : callable
        What is tested: returns plain values, or raises DataError.
    naive : callable, optional
        The same values by a simple program that shares nothing with what is tested; raises `RefusedError`. None where
        there is none: then only errors, time and memory are looked at.
    others : tuple of callables
        Further ways to read the input, whose values are not compared.
    """

    name: str
    make: Callable[[Random], Any]
    read: Callable[[Any], Any]
    naive: Callable[[Any], Any] | None = None
    others: tuple[Callable[[Any], Any], ...] = ()


def all_targets() -> list[Target]:
    """The `TARGET` of each file in `targets/`, by name."""
    files = pkgutil.iter_modules(targets.__path__)
    return [importlib.import_module(f"{targets.__name__}.{file.name}").TARGET for file in files]
