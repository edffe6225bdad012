"""Is a table separable? linsep, with its proof checked, beside programs that answer in exact arithmetic, too.

Each is asked for d with z_i.d >= 1 for all signed rows z_i = s_i (x_i, 1), times a power of two, which gives integers,
in a process of its own, once: z3 and cvc5 as SMT-LIB text of QF_LRA, which is read before their clock starts, QSopt_ex
(Debian's qsopt-ex, if `esolver` is on the path) as a linear programme, whose reading counts. HiGHS answers in floating
point and proves nothing; a wrong answer of it is marked.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks.certificates import highs
from benchmarks.data import loaders
from benchmarks.timing import Report, in_turn, show
from linsep import separability
from linsep.theory.rows.integers import whole_rows

LIMIT = 10.0
WANTED = 10.0
Rows = Sequence[Sequence[int]]
TITLE = "Exact answers: is it separable?"


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Tables of scikit-learn and of mlbench, and two made ones."""
    iris, cancer, wine, digits = (
        load(return_X_y=True) for load in (load_iris, load_breast_cancer, load_wine, load_digits)
    )
    yield "iris, setosa", iris[0], iris[1] == 0
    yield "iris, versicolor or virginica", iris[0][50:], iris[1][50:] == 1
    yield "wine, class 1", wine[0], wine[1] == 1
    yield "breast cancer", cancer[0], cancer[1] == 1
    yield "breast cancer, ten columns", cancer[0][:, :10], cancer[1] == 1
    yield "digits, 8", digits[0], digits[1] == 8
    yield "digits, 3 or 5", digits[0][np.isin(digits[1], (3, 5))], digits[1][np.isin(digits[1], (3, 5))] == 3
    for name in ("Sonar", "Ionosphere", "PimaIndiansDiabetes"):
        X, y = loaders().rda("mlbench", name, "diabetes" if name.startswith("Pima") else "Class")
        yield name, X.astype(float).to_numpy(), y == np.unique(y)[0]
    rng = np.random.default_rng(0)
    yield "noise 150 x 40", rng.normal(size=(150, 40)), rng.integers(0, 2, 150) == 1
    whole = rng.integers(-3, 4, (300, 20))
    yield "whole numbers 300 x 20", whole, whole @ rng.integers(-3, 4, 20) + rng.integers(-2, 3, 300) > 0


def signed(X: Any, y: Any) -> Rows:
    """The signed rows as integers."""
    rows = np.column_stack([X, np.ones(len(y))])
    return [
        [v if positive else -v for v in row]
        for (row, _), positive in zip(whole_rows(rows, range(len(y))), y, strict=True)
    ]


# ------------------------------------------------------------------ those who answer
def smt(rows: Rows) -> str:
    """The question in SMT-LIB, without the command that asks it."""
    lines = ["(set-logic QF_LRA)", *(f"(declare-const d{j} Real)" for j in range(len(rows[0])))]
    for row in rows:
        terms = " ".join(f"(* {v if v > 0 else f'(- {-v})'} d{j})" for j, v in enumerate(row) if v)
        lines.append(f"(assert (>= (+ {terms} 0) 1))")
    return "\n".join(lines)


def linear_programme(rows: Rows) -> str:
    """The question as QSopt_ex reads it."""
    terms = (" ".join(f"{v:+d} d{j}" for j, v in enumerate(row) if v) for row in rows)
    head = ["Problem", " question", "Minimize", " cost: d0", "Subject To", " least: d0 >= -1000000000000"]
    constraints = (f" r{i}: {t} >= 1" for i, t in enumerate(terms))
    return "\n".join([*head, *constraints, "Bounds", *(f" d{j} free" for j in range(len(rows[0]))), "End", ""])


Z3 = """
import sys, time, z3
solver = z3.SolverFor("QF_LRA")
solver.add(z3.parse_smt2_file(sys.argv[1]))
began = time.perf_counter()
answer = solver.check()
print(time.perf_counter() - began, answer)
"""
CVC5 = """
import sys, time, cvc5
solver = cvc5.Solver(cvc5.TermManager())
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
while not (command := parser.nextCommand()).isNull():
    command.invoke(solver, parser.getSymbolManager())
began = time.perf_counter()
answer = solver.checkSat()
print(time.perf_counter() - began, answer)
"""


class Peer(NamedTuple):
    """A program that answers exactly: its command, and how it reads the question."""

    command: Sequence[str]
    text: Callable[[Rows], str]

    def ask(self, rows: Rows) -> tuple[float, str]:
        """Its seconds and its answer, "" where none came in time: it is ended then."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "question.lp")
            path.write_text(self.text(rows), encoding="ascii")
            began = time.perf_counter()
            try:
                done = subprocess.run(
                    [*self.command, path], cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT
                )
            except subprocess.TimeoutExpired:
                return LIMIT, ""
        seconds = time.perf_counter() - began
        if "QSopt_ex" in done.stderr + done.stdout:
            known = {"Problem Is Infeasible": "unsat", "Problem Solved Exactly": "sat"}
            return seconds, next((said for words, said in known.items() if words in done.stderr + done.stdout), "")
        own, said = done.stdout.split()
        return float(own), said


PEERS = {"z3": Peer([sys.executable, "-c", Z3], smt), "cvc5": Peer([sys.executable, "-c", CVC5], smt)}
if shutil.which("esolver"):
    PEERS["QSopt_ex"] = Peer(["esolver"], linear_programme)


def exact(report: Report) -> None:
    """One row a table; the ratio is that to the fastest program that answers exactly."""
    for name, X, y in tables():
        found = separability(X, y)
        own, other = map(median, in_turn([partial(separability, X, y), partial(highs, X, y)]))
        truth = "sat" if found.verdict == "separable" else "unsat"
        rows, cells, seconds = signed(X, y), dict[str, str](), dict[str, float]()
        for name_of, peer in PEERS.items():
            took, said = peer.ask(rows)
            assert said in (truth, ""), f"{name}: {name_of} says {said}"
            cells[name_of] = show(took) if said else f"no answer in {LIMIT:.0f} s"
            seconds |= {name_of: took} if said else {}
        wrong = (highs(X, y) == len(y)) != (truth == "sat")
        ratio = f"{min(seconds.values()) / own:.3g} x" if seconds else f"above {LIMIT / own:.3g} x"
        head = {"table": f"{name}, {X.shape[0]:,} x {X.shape[1]:,}", "answer": found.verdict, "linsep": show(own)}
        tail = {
            "HiGHS, no proof": show(other) + (" (wrong)" if wrong else ""),
            "fastest exact": ratio,
            "wanted": f"{WANTED:.0f} x",
        }
        report.row(TITLE, head | cells | tail, {**head, **seconds, "linsep_s": own, "highs_s": other, "wrong": wrong})
