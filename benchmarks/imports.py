"""What starting costs."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.timing import Report, Work


def load(statement: str) -> Work:
    """Run a statement in a fresh interpreter."""
    return lambda: subprocess.run([sys.executable, "-c", statement], check=True)


def imports(report: Report) -> None:
    """`import linsep` beside scikit-learn's linear models."""
    report.compare(
        "import linsep",
        load("import linsep"),
        "import sklearn.linear_model",
        load("import sklearn.linear_model"),
        1 / 1.3,
        limit=load("pass"),
        limit_is="an empty program",
    )
