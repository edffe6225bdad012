"""`python -m golden record`, `compare [PART OF A NAME ...]` and `machines [NAME ...]`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from golden.compare import Comparison
from golden.machines import MACHINES, environment_of
from golden.runs import RECORD, all_runs, here, missing, result

# Compiled kernels of other processors.
KEPT = Path("build/golden")


def record() -> None:
    """Write the record, a line for each run."""
    lines = [f"{json.dumps(name)}: {json.dumps(result(name))}" for name in all_runs()]
    written = f'{{"made with": {json.dumps(here())},\n"runs": {{\n' + ",\n".join(lines) + "\n}}\n"
    RECORD.write_text(written, encoding="utf-8")
    print(f"{len(lines)} runs, {RECORD.stat().st_size:,} bytes in {RECORD.name}")


def compare(parts: list[str]) -> int:
    """Run all again, or those whose name holds one of the parts; print what differs."""
    kept: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    names = [name for name in kept["runs"] if not parts or any(part in name for part in parts)]
    others = {name: value for name, value in here().items() if kept["made with"].get(name) != value}
    for name, value in others.items():
        print(f"{name} {value}; the record was made with {kept['made with'].get(name)}")
    differences = 0
    began = time.process_time()
    for name in names:
        if package := missing(name):
            print(f"not run, for want of {package}: {name}")
            continue
        one = Comparison()
        try:
            one.compare(kept["runs"][name], result(name), name)
        except Exception as error:  # the other runs are still worth knowing
            one.differences.append(f"{name}: {type(error).__name__}: {error}")
        for line in one.differences:
            print(line, flush=True)
        differences += len(one.differences)
    seconds = time.process_time() - began
    print(f"{len(names)} runs in {seconds:.0f} s of processor time: {differences} differences", flush=True)
    return 1 if differences else 0


def compare_machines(names: list[str]) -> int:
    """Compare as on each of these processors, or on all that are known; return 1 if one of them differs."""
    worst = 0
    for name in names or MACHINES:
        print(f"as on {name}: ", end="", flush=True)
        command = [sys.executable, "-m", "golden", "compare"]
        worst = max(worst, subprocess.run(command, env=environment_of(name, KEPT.absolute()), check=False).returncode)
    return worst


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(prog="python -m golden", description=__doc__)
    parser.add_argument("what", choices=["record", "compare", "machines"])
    parser.add_argument("names", nargs="*", help="compare: runs whose name holds one of these; machines: these")
    arguments = parser.parse_args()
    if arguments.what == "record":
        record()
    else:
        sys.exit((compare if arguments.what == "compare" else compare_machines)(arguments.names))


if __name__ == "__main__":
    main()
