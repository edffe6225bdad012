"""Is a table separable? linsep, with its proof checked, beside programs that answer in exact arithmetic, too.

Each is asked for d with z_i.d >= 1 for all signed rows z_i = s_i (x_i, 1), times a power of two that gives integers:
z3 and cvc5 as SMT-LIB text of QF_LRA, which is read before the clock starts, QSopt_ex (Debian's qsopt-ex, if `esolver`
is on the path) as a linear programme in a process of its own, whose start and reading count. HiGHS answers in floating
point and proves nothing; a wrong answer of it is marked.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks.certificates import highs
from benchmarks.data import loaders
from benchmarks.timing import Report, show
from linsep import separability
from linsep.theory.rows.integers import whole_rows

cvc5: Any = import_module("cvc5")
z3: Any = import_module("z3")

LIMIT = 10.0
RUNS = 3
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


def by_z3(rows: Rows) -> Callable[[], str]:
    """z3, the text read."""
    solver = z3.SolverFor("QF_LRA")
    solver.set("timeout", int(1000 * LIMIT))
    solver.add(z3.parse_smt2_string(smt(rows)))
    return lambda: str(solver.check())


def by_cvc5(rows: Rows) -> Callable[[], str]:
    """cvc5, the text read."""
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(int(1000 * LIMIT)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, smt(rows), "question")
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, parser.getSymbolManager())
    return lambda: str(solver.checkSat()).partition(" ")[0]


def by_qsopt(rows: Rows) -> Callable[[], str]:
    """QSopt_ex, in a process."""
    terms = (" ".join(f"{v:+d} d{j}" for j, v in enumerate(row) if v) for row in rows)
    lines = [
        "Problem",
        " question",
        "Minimize",
        " cost: d0",
        "Subject To",
        *(f" r{i}: {t} >= 1" for i, t in enumerate(terms)),
    ]
    lines += [" least: d0 >= -1000000000000", "Bounds", *(f" d{j} free" for j in range(len(rows[0]))), "End"]
    path = Path(tempfile.mkdtemp(), "question.lp")
    path.write_text("\n".join(lines) + "\n", encoding="ascii")

    def ask() -> str:
        done = subprocess.run(
            ["esolver", path], cwd=path.parent, capture_output=True, text=True, check=False, timeout=LIMIT
        )
        known = {"Problem Is Infeasible": "unsat", "Problem Solved Exactly": "sat"}
        return next((answer for words, answer in known.items() if words in done.stdout + done.stderr), "unknown")

    return ask


PEERS = {"z3": by_z3, "cvc5": by_cvc5} | ({"QSopt_ex": by_qsopt} if shutil.which("esolver") else {})


def timed(ask: Callable[[], Any], runs: int = RUNS) -> tuple[float, Any]:
    """The median of its seconds, and its answer; something that takes long runs once."""
    times: list[float] = []
    answer = None
    for _ in range(runs):
        began = time.perf_counter()
        try:
            answer = ask()
        except subprocess.TimeoutExpired:
            answer = "unknown"
        times.append(time.perf_counter() - began)
        if times[-1] > 1:
            break
    return median(times), answer


def exact(report: Report) -> None:
    """One row a table; the ratio is that to the fastest program that answers exactly."""
    for name, X, y in tables():
        separability(X, y)  # what is loaded at the first call
        own, found = timed(partial(separability, X, y))
        truth = "sat" if found.verdict == "separable" else "unsat"
        rows, cells, seconds = signed(X, y), dict[str, str](), dict[str, float]()
        for peer, make in PEERS.items():
            took, said = timed(make(rows), 1)
            assert said in (truth, "unknown", "timeout"), f"{name}: {peer} says {said}"
            cells[peer] = show(took) if said == truth else f"no answer in {LIMIT:.0f} s"
            seconds |= {peer: took} if said == truth else {}
        took, some = timed(partial(highs, X, y))
        wrong = (some == len(y)) != (truth == "sat")
        ratio = min(seconds.values(), default=LIMIT) / own
        head = {"table": f"{name}, {X.shape[0]:,} x {X.shape[1]:,}", "answer": found.verdict, "linsep": show(own)}
        tail = {
            "HiGHS, no proof": show(took) + (" (wrong)" if wrong else ""),
            "fastest exact": f"{ratio:.3g} x",
            "wanted": f"{WANTED:.0f} x",
        }
        report.row(TITLE, head | cells | tail, {**head, **seconds, "linsep_s": own, "highs_s": took, "wrong": wrong})
