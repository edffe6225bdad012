"""How many rows have to go, beside a mixed-integer programme; which labels are wrong, beside cleanlab.

The programme asks HiGHS, through SciPy, for the fewest rows on the wrong side: min sum k, y (w.x + b) >= 1 - M k, k in
{0, 1}, on standardised columns. It answers in floating point, and its bounds hold only for weights that leave no row
further than M from its side; EXPLAIN_MILP_SECONDS, 600 unless set, stops it. cleanlab is given probabilities of rows
held out: logistic regression on standardised columns, five folds.

Labels are turned on purpose: precision is the share of them among the rows that are named, recall the share of them
that is named. Census-Income and MNIST have rows on the wrong side from the start; naming these lowers precision.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.data import Array, loaders
from benchmarks.timing import Report, show
from linsep import fewest_rows
from linsep.data.synthetic import make_separable

MILP_LIMIT = float(os.environ.get("EXPLAIN_MILP_SECONDS", "600"))
LIMITS = (30.0, 120.0)  # seconds of fewest_rows; the first is that of linsep check --explain
SHARES = (0.01, 0.02, 0.05)
SEEDS = 3  # of small tables; large ones are turned once
BIG = 1e4


class Rows(NamedTuple):
    """A table of two classes; `small` ones are also asked of the mixed-integer programme."""

    name: str
    X: Array
    y: Array
    small: bool = False

    @property
    def size(self) -> str:
        """As in "569 x 30"."""
        return f"{self.X.shape[0]:,} x {self.X.shape[1]:,}"


def tables() -> Iterator[Rows]:
    """Two small tables that are separable, and two large ones that are not."""
    load = loaders()
    sonar, labels = load.rda("mlbench", "Sonar", "Class")
    yield Rows("Sonar", sonar.astype(float).to_numpy(), labels == "R", small=True)
    X, y = load_breast_cancer(return_X_y=True)
    yield Rows("breast cancer", X, y == 1, small=True)
    census, income = load.census_kdd()
    yield Rows(
        "Census-Income, columns of numbers",
        census[load.CENSUS_NUM].astype(float).to_numpy()[:20_000],
        income[:20_000] > 0,
    )
    digits, digit = load.mnist()
    yield Rows("MNIST, 8 against the rest", digits[:10_000], digit[:10_000] == 8)


def turned(y: Array, share: float, seed: int = 0) -> tuple[Array, Array]:
    """The labels with a share of them, drawn at random, turned; and which rows these are."""
    wrong = np.random.default_rng(seed).choice(len(y), max(1, round(share * len(y))), replace=False)
    labels = y.copy()
    labels[wrong] = ~labels[wrong]
    return labels, wrong


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and its answer."""
    began = time.perf_counter()
    answer = work()
    return time.perf_counter() - began, answer


# ---------------------------------------------------------------------------------------------------- how many rows
def programme(X: Array, y: Array) -> tuple[int, int]:
    """The bounds of the mixed-integer programme; the upper one counts the rows that its weights get wrong."""
    n, p = X.shape
    s = np.where(y, 1.0, -1.0)
    Z = np.column_stack([StandardScaler().fit_transform(X), np.ones(n)])
    found: Any = milp(
        np.append(np.zeros(p + 1), np.ones(n)),
        constraints=LinearConstraint(sp.csr_array(sp.hstack([s[:, None] * Z, BIG * sp.eye_array(n)])), lb=1.0),
        integrality=np.append(np.zeros(p + 1), np.ones(n)),
        bounds=Bounds(np.append(np.full(p + 1, -np.inf), np.zeros(n)), np.append(np.full(p + 1, np.inf), np.ones(n))),
        options={"time_limit": MILP_LIMIT},
    )
    wrong = n if found.x is None else int((s * (Z @ found.x[: p + 1]) <= 0).sum())
    least = 0.0 if found.mip_dual_bound is None else max(0.0, found.mip_dual_bound)
    return int(np.ceil(least - 1e-6)), wrong


def brackets(report: Report) -> None:
    """L and U, after a short time and after a longer one."""
    for table in tables():
        for share in {"Sonar": (0.0, 0.05), "breast cancer": (0.01,)}.get(table.name, (0.0,)):
            y, wrong = turned(table.y, share) if share else (table.y, ())
            cells = {"table": table.name, "rows x columns": table.size, "labels turned": str(len(wrong))}
            figures: dict[str, Any] = {"work": table.name, "turned": len(wrong)}
            for limit in LIMITS:
                spent, found = timed(partial(fewest_rows, table.X, y, time_limit=limit))
                cells[f"linsep, L to U, {limit:g} s"] = f"{found.lower:,} to {found.upper:,}, {show(spent)}"
                figures |= {f"lower_{limit:g}": found.lower, f"upper_{limit:g}": found.upper, f"s_{limit:g}": spent}
            head = f"HiGHS, mixed-integer, {MILP_LIMIT:g} s"
            cells[head] = "not asked"
            if table.small:
                spent, (lower, upper) = timed(partial(programme, table.X, y))
                cells[head] = f"{lower:,} to {upper:,}, {show(spent)}"
                figures |= {"milp_lower": lower, "milp_upper": upper, "milp_s": spent}
            report.row("Rows that have to go", cells, figures)


# ---------------------------------------------------------------------------------------------------- wrong labels
def by_cleanlab(X: Array, y: Array) -> Array | None:
    """The rows that cleanlab names; None where it is not installed."""
    if find_spec("cleanlab") is None:
        return None
    from cleanlab.filter import find_label_issues

    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    chances = cross_val_predict(learner, X, y, cv=5, method="predict_proba")
    return np.flatnonzero(find_label_issues(y.astype(int), chances, n_jobs=1))


def by_linsep(X: Array, y: Array) -> Array:
    """The rows that `fewest_rows` removes in the time that `linsep check --explain` has."""
    return np.array(fewest_rows(X, y, time_limit=LIMITS[0]).removed, dtype=np.int64)


def told(named: Sequence[Array], wrong: Sequence[Array]) -> tuple[float, float, float]:
    """How many rows are named, the share of them that were turned, and the share of turned ones that are named."""
    right = sum(len(np.intersect1d(one, other)) for one, other in zip(named, wrong, strict=True))
    count = sum(map(len, named))
    return count / len(named), right / max(1, count), right / sum(map(len, wrong))


def separable_tables() -> Iterator[Rows]:
    """Tables that a plane cuts with a margin, of many more rows than columns."""
    for n, p, margin in ((18_000, 6, 0.1), (5_000, 20, 0.1)):
        X, y, _, _ = make_separable(n, p, margin, random_state=0)
        yield Rows(f"separable, margin {margin:g} of 3", X, y > 0)


def planted(report: Report) -> None:
    """Labels turned in separable tables, which is what `fewest_rows` is for."""
    suspects(report, separable_tables())


def suspects(report: Report, of: Iterable[Rows] | None = None) -> None:
    """Labels that were turned on purpose: how many of them are named, and how many others."""
    for table in tables() if of is None else of:
        for share in SHARES:
            draws = [turned(table.y, share, seed) for seed in range(SEEDS if table.small else 1)]
            count = len(draws[0][1])
            cells = {"table": table.name, "rows x columns": table.size, "labels turned": f"{count:,} ({share:.0%})"}
            figures: dict[str, Any] = {"work": table.name, "share": share, "draws": len(draws)}
            for name, work in (("linsep", by_linsep), ("cleanlab", by_cleanlab)):
                said, measured = _named(partial(work, table.X), draws)
                cells[f"{name}: rows named, precision, recall"] = said
                figures |= {f"{name}_{key}": value for key, value in measured.items()}
            report.row("Labels turned on purpose", cells, figures)


def _named(work: Callable[[Array], Array | None], draws: Sequence[tuple[Array, Array]]) -> tuple[str, dict[str, float]]:
    """What rows are named, over all draws, in words and as figures."""
    runs = [timed(partial(work, y)) for y, _ in draws]
    named = [rows for _, rows in runs if rows is not None]
    if not named:
        return "not installed", {}
    count, precision, recall = told(named, [wrong for _, wrong in draws])
    spent = fmean(seconds for seconds, _ in runs)
    words = f"{count:,.{int(count < 100)}f}, {f'{precision:.0%}' if count else 'none'}, {recall:.0%} ({show(spent)})"
    return words, {"named": count, "precision": precision, "recall": recall, "s": spent}


def explain(report: Report) -> None:
    """Both questions."""
    brackets(report)
    suspects(report)
