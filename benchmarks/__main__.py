"""Speed and test accuracy of the family beside its peers: `make bench` prints the tables of benchmarks/RESULTS.md.

Times are medians of five runs taken in turn in one process held to one core (fewer of what takes long, as the tables
say); a ratio compares times of the same run. Everything is also written to build/bench.md and .json.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numba  # before the process is held to one core: it counts the cores when it is imported

from benchmarks.data import loaders
from benchmarks.last import MARKS, PAGES, last_ratios
from benchmarks.timing import Report

# Suite -> the module that has a function of its name; those of the second group read the real data.
MADE = {
    "breast_cancer": "dense",
    "online": "online",
    "imports": "imports",
    "walks": "walks",
    "convex": "convex",
    "hidden": "hidden",
    "separation": "separation",
    "wide": "noise",
    "growth": "growth",
    "first_fit": "imports",
}
REAL = {
    "mnist": "dense",
    "flights": "wide",
    "text": "wide",
    "peers": "peers",
    "files": "files",
    "streams": "streams",
    "readers": "streams",
    "kernels": "freund_schapire",
}
ORDER = (
    "breast_cancer",
    "mnist",
    "flights",
    "text",
    "online",
    "imports",
    "first_fit",
    "walks",
    "convex",
    "hidden",
    "separation",
    "wide",
    "peers",
    "files",
    "streams",
    "readers",
    "kernels",
)
# Suites that take minutes: `make bench-long` runs them, or name them.
LONG = {
    "certificates": "certificates",
    "exact": "exact",
    "small_tables": "small_tables",
    "tagging": "tagging",
    "defaults": "defaults",
    "freund_schapire": "freund_schapire",
    "intercepts": "intercepts",
    "panel": "separation",
    "explain": "explain",
    "planted": "explain",
    "probe": "probes",
    "routes": "routes",
    "widest": "noise",
    "endless": "streams",
    "shards": "shards",
    "mixing": "shards",
}
# Vowpal Wabbit reads in a thread of its own, a pipe has two ends, and shards have workers.
ALL_CORES = ("streams", "readers", "endless", "shards", "mixing")
PACKAGES = ("numpy", "scipy", "scikit-learn", "river", "liblinear-official", "vowpalwabbit", "python-crfsuite")
RESULTS = Path(__file__).parents[1] / "build" / "bench"


def processor() -> str:
    """The name of the processor, where the system tells with its family and model: one name may stand for several."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    said = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "cpu family" not in said:
        return said.get("model name", platform.machine())
    return f"{said['model name']} (family {said['cpu family']}, model {said['model']})"


def put_into(page: Path, printed: str) -> None:
    """Replace what stands between the two marks of a page."""
    head, begin, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
    _, end, tail = rest.partition(MARKS[1])
    if not (begin and end):
        sys.exit(f"{page} has no lines {' and '.join(MARKS)} to write between; what was printed is in {RESULTS}.md")
    page.write_text(f"{head}{begin}\n\n{printed}\n\n{end}{tail}", encoding="utf-8")


def main() -> None:
    """Run the suites named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = ", ".join(dict.fromkeys([*ORDER, *MADE, *LONG]))
    parser.add_argument(
        "suites", nargs="*", metavar="SUITE", help=f"any of: {known}; all but growth, {', '.join(LONG)} unless named"
    )
    parser.add_argument("--page", type=Path, help="a Markdown page that is to hold what is printed, between its marks")
    parser.add_argument(
        "--tables",
        default="",
        metavar="WORDS",
        help='the suite defaults on some tables alone, by how their names begin: "20news brown"',
    )
    arguments = parser.parse_args()
    chosen = arguments.suites or ORDER
    if unknown := set(chosen) - {*MADE, *REAL, *LONG}:
        parser.error(f"no suite called {', '.join(sorted(unknown))}: choose from {known}")
    words = arguments.tables.split()
    if words and (chosen != ["defaults"] or arguments.page):
        parser.error("--tables is for the suite defaults alone, and a page holds all tables: leave out --page")
    if not (REAL | LONG).keys().isdisjoint(chosen):
        loaders()  # say what is missing now, not after minutes
    if arguments.page and not arguments.page.is_file():
        parser.error(f"there is no page {arguments.page} to write to: create it with the lines {' and '.join(MARKS)}")
    if words:
        known_tables = import_module("benchmarks.defaults")
        try:
            known_tables.meant(words, known_tables.sources())
        except ValueError as error:
            parser.error(str(error))
    warnings.simplefilter("ignore")  # budgets end on purpose here
    report = Report(last_ratios([*PAGES, *filter(None, [arguments.page])], processor()))
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    for suite in chosen:
        if cores:  # one core is for all contestants or for none
            os.sched_setaffinity(0, cores if suite in ALL_CORES else {max(cores)})
        run = getattr(import_module(f"benchmarks.{(MADE | REAL | LONG)[suite]}"), suite)
        run(report, *([words] if words else []))
        report.write(RESULTS)  # what later suites do cannot lose it
    releases = f"numba {numba.__version__}, " + ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    report.say(f"\n{processor()}, Python {platform.python_version()}, {releases}.")
    report.write(RESULTS)
    report.warn()
    if arguments.page:
        put_into(arguments.page, "\n".join(report.lines))
        report.draw(arguments.page.with_suffix(".svg"))


if __name__ == "__main__":
    main()
