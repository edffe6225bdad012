"""python -m fuzz [--seconds N] [--seed N] [--jobs N] [--only NAME ...]: run the targets and print a table."""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
from pathlib import Path
from typing import Any

from fuzz.run import SLOWEST, Found, keep, run_in
from fuzz.target import all_targets

# Above so many bytes of memory above the start a target fails. A zstd frame may ask for a window of 128 MB, once for
# each of the ways to read that are at work, and Arrow gives memory back late.
LARGEST = 384 << 20
_COLUMNS = ("target", "executions", "seconds", "refused", "tracebacks", "wrong values", "slowest", "memory above start")


def main() -> int:
    """Run the targets; the exit status is 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--executions", type=int, default=None, help="of each target, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at once")
    parser.add_argument("--only", nargs="*", default=None, help="targets by name")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where failing cases are written")
    asked = parser.parse_args()
    faulthandler.enable()
    chosen = [target for target in all_targets() if not asked.only or target.name in asked.only]
    print("| " + " | ".join(_COLUMNS) + " |\n|" + "---|" * len(_COLUMNS), flush=True)
    failed = False
    for target in chosen:
        limits: dict[str, Any] = {"seconds": asked.seconds / len(chosen), "executions": asked.executions}
        found = run_in(asked.jobs, target.name, seed=asked.seed, **limits)
        print(row(found), flush=True)
        for path in keep(found, asked.keep):
            print(f"  {path}", file=sys.stderr)
        failed |= has_failed(found)
    return int(failed)


def row(found: Found) -> str:
    """A row of the table."""
    numbers = [f"{n:,.0f}" for n in (found.executions, found.seconds, found.refused, found.tracebacks, found.wrong)]
    return f"| {found.name} | {' | '.join(numbers)} | {found.slowest:.2f} s | {found.grown / 2**20:.0f} MB |"


def has_failed(found: Found) -> bool:
    """Whether there was a traceback, a wrong value, a hang, or too much memory."""
    return bool(found.failures) or found.slowest > SLOWEST or found.grown > LARGEST


if __name__ == "__main__":
    sys.exit(main())
