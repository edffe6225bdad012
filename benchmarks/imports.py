"""What starting costs."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from sklearn.datasets import load_breast_cancer

from benchmarks.last import FIGURES
from benchmarks.timing import Report, Work, show

FIRST_FIT = "linsep fit in a new environment"
COMMANDS = ["fit", "predict", "score", "check", "separation", "show", "export", "synth", "demo", "tag fit"]


def run(*arguments: str) -> Work:
    """Run Python with these arguments in a fresh interpreter."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def imports(report: Report) -> None:
    """`import linsep` and every `--help`, beside what NumPy and scikit-learn take to import."""
    sklearn = "import sklearn.linear_model"
    compare(report, "import linsep", run("-c", "import linsep"), "import numpy", 1.0)
    needed = "import numba, sklearn.base"
    compare(
        report, "from linsep import Perceptron", run("-c", "from linsep import Perceptron"), sklearn, 1 / 1.3, needed
    )
    for command in ["", *COMMANDS]:
        shown = [*command.split(), "--help"]
        compare(report, " ".join(["linsep", *shown]), run("-m", "linsep", *shown), "import numpy", 1 / 3)
    with tempfile.TemporaryDirectory() as folder:
        twelve_rows(report, Path(folder))


def twelve_rows(report: Report, folder: Path) -> None:
    """The commands on a table of 12 rows, beside what NumPy takes to import."""
    rows, model, out = (str(folder / name) for name in ("rows.csv", "m.linsep", "out"))
    table = [f"{i},{i % 5},{'uv'[i % 2]},{'ab'[i > 5]}" for i in range(12)]
    Path(rows).write_text("\n".join(["x,z,of,kind", *table, ""]), encoding="utf-8")
    target = ["--target", "kind"]
    given = {
        "fit": [rows, *target, "--model", model],
        "check": [rows, *target],
        "separation": [rows, "--target", "of"],  # not separated: exit status 0
        "predict": [model, rows, "--output", out],
        "score": [model, rows],
        "show": [model],
        "export": [model, "--to", "sql", "--output", out],
    }
    for command, words in given.items():
        wanted = 1 / 7 if command == "fit" else 1 / 4
        compare(report, f"linsep {command}, 12 rows", run("-m", "linsep", command, *words), "import numpy", wanted)


def first_fit(report: Report) -> None:
    """`linsep fit` on a table of scikit-learn's, three times in a new cache of compiled code, each time twice."""
    frame = load_breast_cancer(as_frame=True).frame
    first: list[float] = []
    second: list[float] = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows.csv"
            frame.to_csv(rows, index=False)
            words = ("-m", "linsep", "fit", str(rows), "--target", "target", "--model", str(Path(folder) / "m.linsep"))
            own = os.environ | {"NUMBA_CACHE_DIR": folder}
            for took in (first, second):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([sys.executable, *words], check=True, capture_output=True, env=own)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                took.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    one, other = median(first), median(second)
    cells = {
        "first fit": show(one),
        "on the page before": first_fit_before(FIGURES),
        "second fit": show(other),
        "compiling": show(one - other),
        "wanted of compiling": "3 s",
    }
    report.row(FIRST_FIT, cells, {"first_s": one, "second_s": other})


def first_fit_before(page: Path) -> str:
    """The seconds of a first fit that stand on the page."""
    table = page.read_text(encoding="utf-8").partition(f"### {FIRST_FIT}\n")[2]
    rows = [line for line in table.splitlines()[:5] if line.startswith("|")]
    return rows[2].split("|")[1].strip() if len(rows) > 2 else "nothing"


def compare(report: Report, what: str, ours: Work, peer: str, wanted: float, least: str = "pass") -> None:
    """One row: ours beside the import of a peer, with an empty program as the limit, or what linsep has to import."""
    limit_is = "an empty program" if least == "pass" else least
    report.compare(what, ours, peer, run("-c", peer), wanted, limit=run("-c", least), limit_is=limit_is)
