"""`python -m golden record` and `python -m golden compare [PART OF A NAME ...]`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import linsep
from golden.compare import Comparison
from golden.runs import RECORD, all_runs, here, missing, result


def source() -> str:
    """The commit of the source that runs, where git knows."""
    folder = Path(linsep.__file__).parent
    done = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def record(commit: str) -> None:
    """Write the record, a line for each run."""
    about = {**here(), "commit": commit, "written anew": {}}
    lines = [f"{json.dumps(name)}: {json.dumps(result(name))}" for name in all_runs()]
    written = f'{{"made with": {json.dumps(about)},\n"runs": {{\n' + ",\n".join(lines) + "\n}}\n"
    RECORD.write_text(written, encoding="utf-8")
    print(f"{len(lines)} runs, {RECORD.stat().st_size:,} bytes in {RECORD.name}")


def compare(parts: list[str], exact: bool) -> int:
    """Run all again, or those whose name holds one of the parts; print what differs."""
    kept: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    names = [name for name in kept["runs"] if not parts or any(part in name for part in parts)]
    others = {name: value for name, value in here().items() if kept["made with"].get(name) != value}
    for name, why in kept["made with"]["written anew"].items():
        print(f"recorded after a change that was meant: {name}: {why}")
    for name, value in others.items():
        print(f"{name}: {value}; the record was made with {kept['made with'].get(name)}")
    total = Comparison()
    began = time.process_time()
    for name in names:
        if package := missing(name):
            print(f"not run, for want of {package}: {name}")
            continue
        one = Comparison(exact)
        try:
            one.compare(kept["runs"][name], result(name), name)
        except Exception as error:  # the other runs are still worth knowing
            one.differences.append(f"{name}: {type(error).__name__}: {error}")
        for line in one.differences:
            print(line, flush=True)
        total.differences += one.differences
        total.renamed |= one.renamed
        total.new |= one.new
    for title, found in (("renamed", total.renamed), ("new", total.new)):
        for line in sorted(found):
            print(f"{title}: {line}")
    seconds = time.process_time() - began
    print(f"{len(names)} runs in {seconds:.0f} s of processor time: {len(total.differences)} differences")
    return 1 if total.differences else 0


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(prog="python -m golden", description=__doc__)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("parts", nargs="*", help="compare: only runs whose name holds one of these")
    parser.add_argument("--near", action="store_true", help="compare: as between processors, see compare.py")
    parser.add_argument("--commit", default="", help="record: the commit of the source, where git does not know")
    arguments = parser.parse_args()
    if arguments.what == "record":
        record(arguments.commit or source())
    else:
        sys.exit(compare(arguments.parts, not arguments.near))


if __name__ == "__main__":
    main()
