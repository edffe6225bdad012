"""Proofs of separability and margin brackets, beside a linear programme, SVC and LIBLINEAR.

The programme asks HiGHS, through SciPy, the same question: max sum s, Xbar b >= s, 0 <= s <= 1, b free. The rows
with s = 1 are those that some direction separates. It answers in floating point; linsep's time holds the exact
check of its proof. HIGHS_SECONDS, 1800 unless set, stops it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from liblinear.liblinearutil import train as liblinear_train
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import loaders, sparse
from benchmarks.last import Ratio
from benchmarks.timing import Report, in_turn, show_median
from linsep import max_margin, separability

# Seconds after which HiGHS is stopped and counted as that; a figure that met it says so.
LIMIT = float(os.environ.get("HIGHS_SECONDS", "1800"))
PATIENCE = 10.0

Design = tuple[str, Any, Any]


def small() -> Iterator[Design]:
    """Breast cancer, Sonar and Ionosphere (where pyreadr is there to read them), endometrial, noise."""
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer, standardised", StandardScaler().fit_transform(X), y
    if find_spec("pyreadr"):
        for name in ("Sonar", "Ionosphere"):
            table, labels = loaders().rda("mlbench", name, "Class")
            yield name, table.astype(float).to_numpy(), labels
    with (Path(os.environ.get("DATA_LOADERS", "../shared/data")) / "endometrial.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    yield (
        "endometrial",
        np.array([[float(row[c]) for c in ("NV", "PI", "EH")] for row in rows]),
        [r["HG"] for r in rows],
    )
    rng = np.random.default_rng(0)
    for n, p in ((80, 25), (150, 40)):
        yield "noise", rng.standard_normal((n, p)), rng.integers(0, 2, n)


def digits(n: int, chosen: Iterable[int], *, scaled: bool = False) -> Iterator[Design]:
    """The first n rows of MNIST, pixels as they are or in [0, 1], one digit against the rest."""
    X, y = loaders().mnist()
    X, note = (X[:n] / 255.0, ", pixels / 255") if scaled else (X[:n], "")
    for digit in chosen:
        yield f"MNIST-{n:,}, {digit} against the rest{note}", X, y[:n] == digit


def large() -> Iterator[Design]:
    """Words, one-hot census and flights."""
    mails, spam = loaders().spamassassin()
    yield "SpamAssassin", loaders().bow(mails, min_df=2).astype(np.float64), spam
    census, income, _, _ = loaders().census_kdd_sparse()
    yield "Census-Income", census, income
    flights, late = loaders().flights_3m()
    yield "flights", flights, late


def tables() -> Iterator[Design]:
    """What is asked of both sides; two digits a second time with pixels in [0, 1], whose integers are longer."""
    yield from chain(small(), digits(10_000, (0, 8)), digits(10_000, (8,), scaled=True), large())
    yield from chain(digits(60_000, range(10)), digits(60_000, (0,), scaled=True))


def highs(X: Any, y: Any) -> Any:
    """The programme, solved by HiGHS as SciPy calls it; the number of rows with s = 1, or why there is none."""
    s = _signs(y)
    parts: list[Any] = [sp.csr_matrix(X, dtype=np.float64), np.ones((len(s), 1))]
    Z = sp.csr_matrix(sp.hstack(parts)).multiply(s[:, None])
    n, width = Z.shape
    inequalities: list[Any] = [-Z, sp.identity(n)]
    found: Any = linprog(
        np.concatenate([np.zeros(width), -np.ones(n)]),
        A_ub=sp.hstack(inequalities, format="csc"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * width + [(0, 1)] * n,
        method="highs",
        options={"time_limit": LIMIT},
    )
    if found.status != 0 or found.x is None:
        return found.message.split(".")[0]
    return int((found.x[width:] > 0.5).sum())


def _signs(y: Any) -> Any:
    return np.where(np.asarray(y) == np.unique(y)[1], 1.0, -1.0)


def certificates(report: Report) -> None:
    """Each table: our verdict with its proof, and the programme."""
    few = separability(np.array([[0.0], [1.0], [1.0]]), [0, 0, 1])  # whatever is made on the first call is made here
    few.verify(np.array([[0.0], [1.0], [1.0]]), [0, 0, 1])
    for name, X, y in tables():
        kept: dict[str, Any] = {}
        works = [partial(_keep, kept, "ours", separability, X, y), partial(_keep, kept, "lp", highs, X, y)]
        ours, theirs = in_turn(works, PATIENCE)
        found, lp = kept["ours"], kept["lp"]
        stopped = not isinstance(lp, int)
        ratio = Ratio(ours, theirs, stopped)
        cells = {
            "table": f"{name} {X.shape[0]:,} x {X.shape[1]:,}",
            "verdict": found.verdict,
            "separated": f"{found.separated_rows.size:,}",
            "witness, overlap": f"{_size(found.witness)}, {_size(found.overlap)}",
            "linsep": show_median(ours),
            "HiGHS": show_median(theirs),
            "ratio": ratio,
            "HiGHS says": str(lp) if stopped else f"{lp:,} rows separated",
        }
        figures = {"work": name, "verdict": found.verdict, "linsep_s": np.median(ours), "peer_s": np.median(theirs)}
        report.row("Certificates", cells, {**figures, "ratio": ratio.value, "stopped": stopped})
    brackets(report)


def _keep(into: dict[str, Any], key: str, work: Callable[..., Any], *arguments: Any) -> None:
    into[key] = work(*arguments)


def _size(part: Any) -> str:
    return "-" if part is None else str(len(part.rows))


# ------------------------------------------------------------------- margins
def brackets(report: Report) -> None:
    """How near the margin and how fast: ours to 1e-4, SVC at C = 1e10, LIBLINEAR at C = 1e6."""
    for name, X, y in chain(small(), digits(10_000, (0, 1), scaled=True)):
        if separability(X, y).verdict != "separable":
            continue
        best = max_margin(X, y, tol=1e-9)
        works: dict[str, Callable[[], Any]] = {
            "linsep": partial(_ours, X, y),
            "SVC": partial(_svc, X, y),
            "LIBLINEAR": partial(_liblinear, X, y),
        }
        kept: dict[str, Any] = {}
        times = in_turn([partial(_keep, kept, key, work) for key, work in works.items()], PATIENCE)
        cells = {"table": f"{name} {X.shape[0]:,} x {X.shape[1]:,}", "margin": f"{best.upper:.7g}"}
        figures: dict[str, Any] = {"work": name}
        for key, spent in zip(works, times, strict=True):
            gap = 1.0 - _margin(X, y, *kept[key]) / best.upper
            cells[key] = f"{show_median(spent)}, {100 * gap:.2g} % short"
            figures[key] = {"s": float(np.median(spent)), "gap": gap}
        report.row("Margins", {**cells, "ratio": Ratio(times[0], times[1])}, figures)


def _margin(X: Any, y: Any, w: Any, b: float) -> float:
    s = _signs(y)
    return float((s * (X @ w + b)).min() / np.linalg.norm(w))


def _ours(X: Any, y: Any) -> tuple[Any, float]:
    return max_margin(X, y, tol=1e-4).hyperplane


def _svc(X: Any, y: Any) -> tuple[Any, float]:
    model = SVC(C=1e10, kernel="linear", tol=1e-5, cache_size=1000).fit(X, y)
    return model.coef_[0], float(model.intercept_[0])


def _liblinear(X: Any, y: Any) -> tuple[Any, float]:
    s = _signs(y)
    model = liblinear_train(s, sparse(X), "-s 3 -c 1e6 -B 1 -e 1e-4 -q")
    w, b = model.get_decfun()
    return np.asarray(w), float(b)
