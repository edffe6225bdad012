"""The bounds on a run beside the mistakes that it made, line by line; or why a bound does not apply."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from linsep.learners import MarginPerceptron, PassiveAggressive
from linsep.learners.base.keeping import MistakeRecord
from linsep.learners.base.tables import positions
from linsep.theory.bounds.classes import added_up, class_bounds
from linsep.theory.bounds.cover import online_risk_bound, vote_bound
from linsep.theory.bounds.kernel import kernel_bounds
from linsep.theory.bounds.mistakes import aggressive_bounds, mistake_bounds
from linsep.theory.bounds.rounding import length_above
from linsep.theory.bounds.table import Bound, MistakeBounds
from linsep.types import Array, Hyperplane

_NO_STEPS = "none for this learner: they are about a plane that takes unit steps at mistakes, or those of a margin"
_NO_UNIT_STEPS = "none: they are about unit steps, and rows or classes have weights here"
_WARM = "none: they are about runs from w = 0, and one with warm_start may begin elsewhere"
_OTHER_ROWS = "no run of unit steps from w = 0 on these rows makes as many as this one did, which was on other rows"
NOT_APPLICABLE = "not applicable: "  # a page leaves such a line out
_ONE_AGAINST_REST = "its votes are those of each class against the rest"

Told = tuple[list[tuple[str, str]], list[dict[str, Any]]]  # for people, and for programs


def bounds_of_run(learner: Any, classes: Array, X: Any, y: Array, planes: Sequence[Hyperplane], weighted: bool) -> Told:
    """Mistakes made against each bound: of two classes the least at the planes at hand, else at the learner's own."""
    if weighted or hasattr(learner, "weighted_"):
        return [("mistake bounds", _NO_UNIT_STEPS)], []
    if getattr(learner, "warm_start", False):
        return [("mistake bounds", _WARM)], []
    codes = positions(y, classes)
    if hasattr(learner, "kernel"):
        return _of_kernel(learner, X, codes)
    if not (learner_has_bounds(learner) and hasattr(learner, "coef_")):
        return [("mistake bounds", _NO_STEPS)], []
    if len(classes) == 2:
        tables = [_of_plane(learner, X, codes, plane) for plane in planes]
    elif learner.multi_class == "ovr":
        each = zip(learner.coef_.astype(np.float64), learner.intercept_.tolist(), strict=True)
        parts = [_of_plane(learner, X, codes == k, Hyperplane(w, b)) for k, (w, b) in enumerate(each)]
        tables = [added_up(parts, list(map(str, classes)))]
    else:
        rule = _rule(learner) | _run(learner)
        tables = [class_bounds(X, codes, learner.coef_.astype(np.float64), learner.intercept_, **rule)]
    lines, data = told_bounds(tables, learner)
    return [*lines, *_of_votes(learner, len(y))], data


def learner_has_bounds(learner: Any) -> bool:
    """Whether its steps are unit steps, those of a margin, or passive-aggressive ones."""
    return getattr(learner, "unit_steps", False) or isinstance(learner, MarginPerceptron | PassiveAggressive)


def _rule(learner: Any) -> dict[str, Any]:
    """The rule of the steps, as the bounds want to know it."""
    if isinstance(learner, PassiveAggressive):
        return {"variant": learner.variant, "C": learner.C}
    return {"margin": learner.margin} if isinstance(learner, MarginPerceptron) else {}


def _run(learner: Any) -> dict[str, Any]:
    run = {"fit_intercept": learner.fit_intercept, "epochs": learner.n_iter_}
    return run | {"intercept_scaling": learner.intercept_scaling_}


def _of_plane(learner: Any, X: Any, side: Array, plane: Hyperplane) -> MistakeBounds:
    bounds = aggressive_bounds if isinstance(learner, PassiveAggressive) else mistake_bounds
    return bounds(X, side, plane.w, plane.b, **_rule(learner), **_run(learner))


def _of_kernel(learner: Any, X: Any, codes: Array) -> Told:
    """R and the bounds of a learner of two classes that keeps all its rows, at its last vector."""
    if len(learner.classes_) > 2:
        return [("mistake bounds", "not computed for a kernel and several classes: mistake_bound does")], []
    if learner.budget is not None:
        return [("mistake bounds", "not computed on a budget of rows: KernelPerceptron.mistake_bound does")], []
    from linsep.learners.kernel_function import KernelFunction

    margins = copy(learner).set_params(average="last").decision_function(X)
    margins[codes == 0] *= -1
    kernel = KernelFunction(learner.kernel, learner.degree, learner.gamma, learner.coef0)
    R, norm = length_above(float(kernel.diagonal(X).max())), length_above(float(learner.norm2_[0]))
    lines, data = told_bounds([kernel_bounds(margins, norm, R, norm_w=norm, epochs=learner.n_iter_)], learner)
    votes = _of_votes(learner, X.shape[0]) if learner.average == "voted" else []
    return [("R in the kernel's space", f"{R:.6g}"), *lines, *votes], data


def told_bounds(tables: list[MistakeBounds], learner: Any) -> Told:
    """The mistakes of a run beside each of its bounds, the least of those at several planes."""
    what = "updates" if isinstance(learner, MarginPerceptron) else "mistakes"
    whole, first_pass = getattr(learner, f"n_{what}_"), _first_pass(learner, what)
    lines, data = [], []
    for rows in zip(*(table.rows for table in tables), strict=True):
        row = min(rows, key=lambda bound: (not bound.applies, bound.value or 0.0))
        if row.one_pass and row.applies and first_pass is None:
            row = replace(row, applies=False, why="the mistakes of the first pass were not kept")
        made = first_pass if row.one_pass else whole
        if row.applies and made is not None and row.value is not None and made > row.value:
            row = replace(row, applies=False, why=_OTHER_ROWS)
        lines.append(_line(row, made, what))
        data.append({"name": row.name, "allowed": row.value, what: made, "why": row.why})
    return lines, data


def _line(row: Bound, made: int | None, what: str) -> tuple[str, str]:
    """One bound beside the mistakes made, or why it does not apply."""
    if not row.applies or row.value is None or made is None:
        return f"bound: {row.name}", NOT_APPLICABLE + row.why
    allowed = f"{row.value:,.0f}" if row.value >= 10 else f"{row.value:.3g}"
    when = ", first pass" if row.one_pass else ""
    share = made / row.value if row.value else 0.0
    return f"bound: {row.name}", f"{made:,} {what} of {allowed} allowed{when} ({share:.3g} of it): {row.formula}"


def _first_pass(learner: Any, what: str) -> int | None:
    """Mistakes of the first pass; a model from a file has no trace, and only knows them if there was no second."""
    trace = getattr(learner, "trace_", None)
    if trace is not None and len(trace):
        return int(getattr(trace, what)[0])
    return int(getattr(learner, f"n_{what}_")) if learner.n_iter_ == 1 else None


def _of_votes(learner: Any, rows: int) -> list[tuple[str, str]]:
    """What the theorem on votes says of new rows; nothing of a learner that keeps no votes."""
    votes = isinstance(learner, MistakeRecord)
    if not votes or rows < 2:
        return []
    why = _ONE_AGAINST_REST if len(learner.classes_) > 2 and learner.multi_class == "ovr" else ""
    if learner.n_iter_ != 1:
        why = f"it is about votes of one pass, over rows that are new to them; this run made {learner.n_iter_:,}"
    if why:
        return [("bound: votes, new rows", NOT_APPLICABLE + why)]
    made = learner.n_mistakes_
    mean, surely = vote_bound(made, rows - 1), min(1.0, 2 * online_risk_bound(made, rows))
    told = f"<= {mean:.2%} wrong on average: 2 E[M]/(m + 1), E[M] estimated by these {made:,} mistakes; "
    told += f"<= {surely:.2%} with probability 95%; both for rows drawn independently"
    return [("bound: votes, new rows", told)]
