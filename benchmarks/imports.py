"""What starting costs."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.timing import Report, Work

COMMANDS = ["fit", "predict", "score", "check", "separation", "show", "export", "synth", "demo", "tag fit"]


def run(*arguments: str) -> Work:
    """Run Python with these arguments in a fresh interpreter."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def imports(report: Report) -> None:
    """`import linsep` and every `--help`, beside what NumPy and scikit-learn take to import."""
    sklearn = "import sklearn.linear_model"
    compare(report, "import linsep", run("-c", "import linsep"), "import numpy", 1.0)
    compare(report, "from linsep import Perceptron", run("-c", "from linsep import Perceptron"), sklearn, 1 / 1.3)
    for command in ["", *COMMANDS]:
        shown = [*command.split(), "--help"]
        compare(report, " ".join(["linsep", *shown]), run("-m", "linsep", *shown), "import numpy", 1 / 3)


def compare(report: Report, what: str, ours: Work, peer: str, wanted: float) -> None:
    """One row: ours beside the import of a peer, with an empty program as the limit."""
    report.compare(what, ours, peer, run("-c", peer), wanted, limit=run("-c", "pass"), limit_is="an empty program")
