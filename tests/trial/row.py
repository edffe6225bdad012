"""What a row of the trial is, and where the rows are found."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import Protocol, cast

from trial import rows


@dataclass(frozen=True)
class Outcome:
    """How often something was tried, and each time that it failed, in a sentence."""

    tried: int
    failures: list[str] = field(default_factory=list)
    note: str = ""


class Row(Protocol):
    """A module in `trial.rows`: what it tries, how often `make trial` does so, and how."""

    CLAIM: str
    TIMES: int

    @staticmethod
    def run(times: int, seed: int) -> Outcome:
        """Try so many times, the seed deciding what is tried."""


def all_rows() -> dict[str, Row]:
    """Every row by the name of its file."""
    names = sorted(found.name for found in pkgutil.iter_modules(rows.__path__))
    return {name: cast(Row, importlib.import_module(f"trial.rows.{name}")) for name in names}
