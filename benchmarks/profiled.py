"""Which functions take most of the time of a work, and how that grows from a smaller one to a larger."""

from __future__ import annotations

import cProfile
import re
from pathlib import Path
from typing import NamedTuple

from benchmarks.timing import Work, show

# Functions that are named: so many at most, each with at least such a share of the time.
MOST, LEAST = 4, 0.06


class Part(NamedTuple):
    """Seconds that a function takes itself, less what it calls, and how often it is called."""

    seconds: float
    calls: int


def largest_parts(small: Work, large: Work) -> str:
    """The functions that take most of the larger work, and how many times what they took of the smaller one."""
    few, many = profiled(small), profiled(large)
    whole = sum(part.seconds for part in many.values())
    most = sorted(many, key=lambda name: -many[name].seconds)[:MOST]
    return "; ".join(_said(name, few.get(name), many[name]) for name in most if many[name].seconds > LEAST * whole)


def _said(name: str, few: Part | None, many: Part) -> str:
    grown = "" if few is None else f", {many.seconds / max(few.seconds, 1e-6):.0f} x"
    called = "once" if many.calls == 1 else f"{many.calls:,} times"
    more = "" if few is None or few.calls == many.calls else f", {few.calls:,} before"
    return f"`{name}` {show(many.seconds)}{grown}, called {called}{more}"


def profiled(work: Work) -> dict[str, Part]:
    """What each function takes in a second call, by its file and name."""
    work()
    profile = cProfile.Profile()
    profile.runcall(work)
    found: dict[str, Part] = {}
    for entry in profile.getstats():
        code = entry.code
        if isinstance(code, str):
            name = re.sub(r"[<>']|built-in method |method | objects| object at 0x\w+", "", code)
        else:
            name = f"{'/'.join(Path(code.co_filename).parts[-2:])}: {code.co_name}"
        before = found.get(name, Part(0.0, 0))
        found[name] = Part(before.seconds + entry.inlinetime, before.calls + entry.callcount)
    return found
