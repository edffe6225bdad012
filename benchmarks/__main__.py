"""Speed and test accuracy of the family beside its peers: `make bench` prints the tables of docs/performance.md.

Times are medians of five runs taken in turn in one process on one core (what has had a minute already is run no
more); a ratio compares times of the same run. Everything is also written to benchmarks/results.md and .json.
"""

from __future__ import annotations

import argparse
import platform
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks.data import loaders
from benchmarks.timing import Report

# Suite -> the module that has a function of its name; those of the second group read the real data.
MADE = {"breast_cancer": "dense", "online": "online", "imports": "imports"}
REAL = {"mnist": "dense", "flights": "wide", "text": "wide", "threads": "threads", "peers": "peers", "files": "files"}
ORDER = ("breast_cancer", "mnist", "flights", "text", "online", "imports", "threads", "peers", "files")
PACKAGES = ("numpy", "numba", "scikit-learn", "river", "liblinear-official", "vowpalwabbit")


def processor() -> str:
    """The name of the processor, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    """Run the suites named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of: {', '.join(ORDER)}; all unless named")
    chosen = parser.parse_args().suites or ORDER
    if unknown := set(chosen) - set(ORDER):
        parser.error(f"no suite called {', '.join(sorted(unknown))}: choose from {', '.join(ORDER)}")
    if not REAL.keys().isdisjoint(chosen):
        loaders()  # say what is missing now, not after minutes
    warnings.simplefilter("ignore")  # budgets end on purpose here
    report = Report()
    for suite in chosen:
        getattr(import_module(f"benchmarks.{(MADE | REAL)[suite]}"), suite)(report)
    releases = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    report.say(f"\n{processor()}, Python {platform.python_version()}, {releases}.")
    report.write(Path(__file__).parent)


if __name__ == "__main__":
    main()
