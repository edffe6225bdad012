"""`python -m trial [--times N] [--seed N] [ROW ...]`: run the rows, print the table, and fail if one of them did."""

from __future__ import annotations

import argparse
import sys
import time

from trial.row import all_rows


def main() -> int:
    """Run what the command line asks for."""
    rows = all_rows()
    parser = argparse.ArgumentParser(prog="trial", description="Try what linsep promises, many times, and count.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(rows)}; all of them if none is given")
    parser.add_argument("--times", type=int, help="how often each row is tried; each has a number of its own")
    parser.add_argument("--seed", type=int, default=0, help="what is tried; 0 if not given")
    asked = parser.parse_args()
    if strange := set(asked.rows) - rows.keys():
        parser.error(f"no row called {', '.join(sorted(strange))}")
    failed = False
    print(f"| {'row':16} | {'tried':>6} | {'failed':>6} | {'seconds':>7} | what is promised |")
    print(f"|{'-' * 18}|{'-' * 7}:|{'-' * 7}:|{'-' * 8}:|{'-' * 18}|")
    for name in asked.rows or rows:
        began = time.perf_counter()
        found = rows[name].run(asked.times or rows[name].TIMES, asked.seed)
        took = time.perf_counter() - began
        said = rows[name].CLAIM + (f" ({found.note})" if found.note else "")
        print(f"| {name:16} | {found.tried:6,} | {len(found.failures):6,} | {took:7.0f} | {said} |", flush=True)
        for failure in found.failures[:20]:
            print(f"  {name}: {failure}", file=sys.stderr, flush=True)
        failed |= bool(found.failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
