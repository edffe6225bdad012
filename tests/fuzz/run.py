"""Run targets for a time, and count what came of it."""

from __future__ import annotations

import math
import resource
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from fuzz.target import RefusedError, Target, all_targets
from linsep.types import DataError

SLOWEST = 2.0  # seconds of one execution, above which it counts as a hang
EVERY = 8  # so many executions are between two of the other ways to read
MOST_KEPT = 20  # failing cases of each target


@dataclass
class Found:
    """What came of the executions of one target. `failures` are (kind, case, what happened)."""

    name: str
    executions: int = 0
    seconds: float = 0.0
    refused: int = 0
    tracebacks: int = 0
    wrong: int = 0
    slowest: float = 0.0
    slow_case: Any = b""
    grown: int = 0
    failures: list[tuple[str, Any, str]] = field(default_factory=list)

    def fail(self, kind: str, case: Any, said: str) -> None:
        """Keep a failing case."""
        if len(self.failures) < MOST_KEPT:
            self.failures.append((kind, case, said))


def run(target: Target, *, seed: Any = 0, seconds: float = math.inf, executions: int | None = None) -> Found:
    """Make input and read it until the time or the number of executions is reached.

    The same seed makes the same input in the same order.
    """
    found = Found(target.name)
    warm(target, seed)
    before = peak()
    began = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while perf_counter() - began < seconds and found.executions != executions:
            one(target, target.make(Random(f"{target.name} {seed} {found.executions}")), found)
    found.seconds = perf_counter() - began
    found.grown = peak() - before
    return found


def run_in(processes: int, name: str, *, seed: int, seconds: float, executions: int | None) -> Found:
    """Run a target in several processes at once, each with input of its own, and add up what they found."""
    each = None if executions is None else -(-executions // processes)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        asked = [pool.submit(_run_named, name, f"{seed} {k}", seconds, each) for k in range(processes)]
        first, *others = [one.result() for one in asked]
    for other in others:
        slow = max(first, other, key=lambda found: found.slowest)
        first = Found(
            name,
            executions=first.executions + other.executions,
            seconds=max(first.seconds, other.seconds),
            refused=first.refused + other.refused,
            tracebacks=first.tracebacks + other.tracebacks,
            wrong=first.wrong + other.wrong,
            slowest=slow.slowest,
            slow_case=slow.slow_case,
            grown=max(first.grown, other.grown),
            failures=first.failures + other.failures,
        )
    return first


def _run_named(name: str, seed: str, seconds: float, executions: int | None) -> Found:
    (target,) = [one for one in all_targets() if one.name == name]
    return run(target, seed=seed, seconds=seconds, executions=executions)


def warm(target: Target, seed: Any) -> None:
    """Load what the first executions load."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(30):
            one(target, target.make(Random(f"warm {seed} {k}")), Found(target.name))


def one(target: Target, case: Any, found: Found) -> None:
    """Read one case in every way."""
    values = _tried(target.read, case, found)
    turn, left = divmod(found.executions, EVERY)
    if target.others and not left:
        _tried(target.others[turn % len(target.others)], case, found)
    found.executions += 1
    if target.naive is None or values is _FAILED:
        return
    try:
        wanted = target.naive(case)
    except RefusedError:
        wanted = None
    except Exception:
        found.wrong += 1
        found.fail("naive reader", case, traceback.format_exc(limit=-3))
        return
    if repr(values) != repr(wanted):  # which tells -0.0 from 0.0, 1 from 1.0 and True, and nan is nan
        found.wrong += 1
        found.fail("wrong", case, f"{_short(values)} for {_short(wanted)}")


_FAILED = object()


def _tried(read: Callable[[Any], Any], case: Any, found: Found) -> Any:
    """What was read; None if it was refused in a sentence."""
    began = perf_counter()
    values: Any = None
    try:
        values = read(case)
    except DataError as error:
        found.refused += 1
        if not is_sentence(str(error)):
            found.tracebacks += 1
            found.fail("no sentence", case, str(error))
    except Exception:
        found.tracebacks += 1
        found.fail("traceback", case, traceback.format_exc(limit=-3))
        values = _FAILED
    seconds = perf_counter() - began
    if seconds > found.slowest:
        seconds = min(seconds, again(read, case))  # the first call may have loaded compiled code
        if seconds > found.slowest:
            found.slowest, found.slow_case = seconds, case
    return values


def again(read: Callable[[Any], Any], case: Any) -> float:
    """The seconds that reading a case takes."""
    began = perf_counter()
    with suppress(Exception):
        read(case)
    return perf_counter() - began


def is_sentence(said: str) -> bool:
    """Whether a message is for people: one line of a readable length, and nothing of Python's own."""
    raw = (
        "codec can't",
        "Traceback",
        "object at 0x",
        "NoneType",
        "dtype('",
        "KeyError",
        "IndexError",
        "RecursionError",
    )
    return "\n" not in said and 0 < len(said) < 1000 and not any(words in said for words in raw)


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def keep(found: Found, folder: Path) -> list[Path]:
    """Write the failing cases to files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    slow = [("slow", found.slow_case, f"{found.slowest:.2f} s")] if found.slowest > SLOWEST else []
    for k, (kind, case, said) in enumerate(found.failures + slow):
        path = folder / f"{found.name}-{k}-{kind.replace(' ', '-')}"
        path.write_bytes(case if isinstance(case, bytes) else repr(case).encode())
        path.with_name(path.name + ".txt").write_text(said + "\n", encoding="utf-8", errors="replace")
        written.append(path)
    return written


def _short(values: Any) -> str:
    return "refused" if values is None else f"{values!r:.300}"
