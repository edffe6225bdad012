"""Proofs that wide noise is inseparable: float32 rows, four times as many as columns, with random labels.

This is the worst case of a linear probe. HiGHS is asked for weights alone: min sum y, Z'y = 0, y >= 1, in floating
point, nothing proved; HIGHS_SECONDS, 300 unless set, stops it.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog

from benchmarks.last import Ratio
from benchmarks.timing import Report, show
from linsep import separability
from linsep.theory import Separability

LIMIT = float(os.environ.get("HIGHS_SECONDS", "300"))


def noise(d: int) -> tuple[Any, Any]:
    """4 d rows of d columns, and labels of both kinds."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((4 * d, d), dtype=np.float32), rng.integers(0, 2, 4 * d)


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of a call, and its answer."""
    began = time.process_time()
    answer = work()
    return time.process_time() - began, answer


def highs(X: Any, y: Any) -> str:
    """What the programme says."""
    s = np.where(y > 0, 1.0, -1.0)
    Z = np.column_stack([X.astype(np.float64), np.ones(len(s))]) * s[:, None]
    found: Any = linprog(
        np.ones(len(s)),
        A_eq=Z.T,
        b_eq=np.zeros(Z.shape[1]),
        bounds=(1, None),
        method="highs",
        options={"time_limit": LIMIT},
    )
    return "weights" if found.status == 0 else str(found.message).split(".")[0]


def _checked(text: str, X: Any, y: Any) -> None:
    """A certificate that is read is checked again."""
    Separability.from_json(text).verify(X, y)


def _rows(report: Report, widths: Sequence[int], *, beside: bool) -> None:
    separability(*noise(100))  # whatever is made on the first call is made here
    every = []
    for d in widths:
        X, y = noise(d)
        seconds, found = spent(partial(separability, X, y))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        wrote, text = spent(found.to_json)
        read, _ = spent(partial(_checked, text, X, y))
        every.append((d, X, y, seconds, found, peak, len(text) / 1e6, wrote + read))
    for d, X, y, seconds, found, peak, size, checked in every:
        theirs, said = spent(partial(highs, X, y)) if beside else (float("nan"), "not asked")
        cells = {
            "rows": f"{4 * d:,} x {d:,}",
            "verdict": found.verdict,
            "within": f"{found.witness.within:.0e}",
            "linsep": show(seconds),
            "peak of memory": f"{peak:.2g} GB",
            "certificate": f"{size:.2g} MB",
            "written, read and checked": show(checked),
            "HiGHS": f"{show(theirs)} ({said})" if beside else said,
            "ratio": Ratio([seconds], [theirs], said != "weights") if beside else "",
        }
        figures = {"work": f"noise {d}", "linsep_s": seconds, "peak_gb": peak, "json_mb": size}
        report.row("Wide noise", cells, {**figures, "peer_s": theirs if beside else None, "peer_said": said})


def wide(report: Report) -> None:
    """Up to the width of small language models."""
    _rows(report, (384, 768, 1536), beside=True)


def widest(report: Report) -> None:
    """The width of large embeddings: minutes with HiGHS, which is not asked."""
    _rows(report, (3072,), beside=False)
