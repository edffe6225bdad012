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
    empty = {"limit": run("-c", "pass"), "limit_is": "an empty program"}
    numpy = ("import numpy", run("-c", "import numpy"))
    report.compare("import linsep", run("-c", "import linsep"), *numpy, 1.0, **empty)
    report.compare(
        "from linsep import Perceptron",
        run("-c", "from linsep import Perceptron"),
        "import sklearn.linear_model",
        run("-c", "import sklearn.linear_model"),
        1 / 1.3,
        **empty,
    )
    for command in ["", *COMMANDS]:
        shown = ["-m", "linsep.app", *command.split(), "--help"]
        report.compare(f"linsep {command} --help".replace("  ", " "), run(*shown), *numpy, 1 / 3, **empty)
