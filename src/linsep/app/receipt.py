"""The receipt: what was learnt from which rows, and what can be proved about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from linsep.learners.training import EpochLearner
from linsep.theory.bounds import mistake_bounds
from linsep.theory.margin import radius
from linsep.theory.bracket import max_margin
from linsep.theory.separability import separability
from linsep.types import Array, StopReason

# Proofs are part of every receipt while the table is small; on a larger one `linsep check` is the place to ask.
_PROOF_ENTRIES = 2_000_000
_PROOF_SECONDS = 20.0


@dataclass(frozen=True)
class Receipt:
    """Lines of (label, text) for people and `data` for programs."""

    lines: list[tuple[str, str]]
    data: dict[str, Any]


def make_receipt(
    learner: EpochLearner, X: Any, y: Array, *, seconds: float, held_out: float | None, prove: bool
) -> Receipt:
    """Describe a fitted learner and prove what can be proved about its training rows."""
    n, p = X.shape
    data: dict[str, Any] = {
        "rows": n,
        "features": p,
        "learner": type(learner).__name__,
        "stop_reason": str(learner.stop_reason_),
        "epochs": learner.n_iter_,
        "mistakes": learner.n_mistakes_,
        "seconds": round(seconds, 3),
        "training_accuracy": float(learner.score(X, y)),
        "held_out_accuracy": held_out,
        "radius": float(radius(X)),
    }
    lines = [
        ("rows x features", f"{n:,} x {p:,}"),
        ("learner", data["learner"]),
        ("stop reason", f"{learner.stop_reason_}: {learner.stop_reason_.sentence}"),
        ("epochs", f"{learner.n_iter_:,} in {seconds:.2f} s"),
        ("mistakes", f"{learner.n_mistakes_:,}"),
        ("training accuracy", f"{data['training_accuracy']:.2%}"),
        ("held-out accuracy", _held_out(held_out)),
        ("R (largest row norm)", f"{data['radius']:.6g}"),
    ]
    proof_lines, proof = _prove(learner, X, y) if prove else ([], {})
    return Receipt(lines + proof_lines, data | proof)


def _held_out(value: float | None) -> str:
    if value is None:
        return "not measured (--holdout 0.2 keeps a fifth of the rows aside)"
    return f"{value:.2%} (same learner, fitted on the other rows)"


def hold_out(learner: EpochLearner, X: Any, y: Array, fraction: float) -> float:
    """Accuracy on `fraction` of the rows, drawn with seed 0, of a copy of the learner fitted on the others."""
    order = np.random.RandomState(0).permutation(len(y))
    n_test = max(1, round(fraction * len(y)))
    test, train = order[:n_test], np.sort(order[n_test:])
    copy: EpochLearner = clone(learner).set_params(verbose=0)
    return float(copy.fit(X[train], y[train]).score(X[test], y[test]))


def _prove(learner: EpochLearner, X: Any, y: Array) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    stored = X.nnz if hasattr(X, "nnz") else X.size
    if stored > _PROOF_ENTRIES:
        return [("separable?", "not asked of a table this large: `linsep check` decides")], {"verdict": None}
    certificate = separability(X, y, fit_intercept=learner.fit_intercept, time_limit=_PROOF_SECONDS)
    data: dict[str, Any] = {"verdict": certificate.verdict, "certificate": certificate.to_dict()}
    lines = [("separable?", certificate.summary())]
    if certificate.verdict != "separable" or certificate.hyperplane is None:
        return lines, data
    bias = "free" if learner.fit_intercept else None
    bracket = max_margin(X, y, bias=bias)
    data["margin"] = {"lower": bracket.lower, "upper": bracket.upper}
    lines.append(("margin bracket", f"{bracket.lower:.9g} <= gamma* <= {bracket.upper:.9g}"))
    plain = learner.class_weight is None and learner.stop_reason_ is not StopReason.INTERRUPTED
    if learner.fit_intercept:  # the bound on (x, 1) is least for the best homogeneous separator
        bracket = max_margin(X, y, bias="homogeneous")
    w, b = bracket.hyperplane
    bounds = mistake_bounds(X, y, w, b, fit_intercept=learner.fit_intercept)
    data["bounds"] = bounds.to_dict()
    if plain:
        lines += [
            (f"bound: {bound.name}", _against(learner.n_mistakes_, bound.value) if bound.applies else bound.why)
            for bound in bounds
        ]
    return lines, data


def _against(mistakes: int, bound: float) -> str:
    return f"{mistakes:,} mistakes made of {bound:,.0f} allowed ({mistakes / bound:.2%})"
