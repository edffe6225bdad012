"""Novikoff's sandwich: the length of w and its angle to a separator after each update, between their bounds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from linsep.learners.engine.trace import Trace
from linsep.plots.steps import check_rows
from linsep.plots.style import COLOURS, GREY, INK, legend, note
from linsep.plots.subject import Table
from linsep.theory.margin.geometry import homogeneous_margin, radius
from linsep.types import Array, DataError, Hyperplane

# Entries of all w_k that are added up at once; longer runs are drawn epoch by epoch.
_ENTRIES = 20_000_000


class Path(NamedTuple):
    """k, ||w_k||^2 and w_k.w* (with the intercepts), and what the theory needs: R^2 and gamma."""

    k: Array
    norm2: Array
    dot: Array
    R2: float
    gamma: float
    unit: bool


def path_of(run: Any, trace: Trace, table: Table, y: Array, plane: Hyperplane, show: str) -> Path:
    """Follow a run after every update that it kept, or after every epoch.

    Raises
    ------
    DataError
        A run of several classes, not from zero, on other rows, or not compared with the reference.
    """
    if len(run.classes_) > 2:
        raise DataError("the sandwich is about two classes; fit one class against the rest")
    if not getattr(run, "from_zero", True):
        raise DataError("the sandwich is about runs from w = 0, and this one had a coef_init or intercept_init")
    constant2 = getattr(run, "constant2_", 1.0)
    if not constant2 and plane.b != 0:
        raise DataError(f"the reference has b = {plane.b:g}, and the run has no intercept")
    c = math.sqrt(constant2) or 1.0
    gamma = homogeneous_margin(table.X, y, *plane, intercept_scaling=c)
    R2 = radius(table.X) ** 2 + constant2
    unit = bool(getattr(run, "unit_steps", False)) and run.class_weight is None
    if trace.update_log is not None:
        check_rows(run, table)
    if trace.update_log is not None and isinstance(table.X, np.ndarray):
        rows, steps = trace.update_rows, trace.update_steps
        if rows.size and (rows.size * table.X.shape[1] <= _ENTRIES):
            k, norm2, dot = _every_update(table.X, rows, steps, constant2, plane)
            return Path(k, norm2, dot, R2, gamma, unit and bool((np.abs(steps) == 1).all()))
    if show == "angle" and np.isnan(trace.w_dot_reference).all():
        raise DataError('the run was not compared with a separator: fit with trace="updates", or with reference=(w, b)')
    moved = trace.updates_so_far > 0
    columns = (trace.updates_so_far, trace.norm_w**2 + (trace.b / c) ** 2, trace.w_dot_reference)
    k, norm2, dot = (column[moved] for column in columns)
    return Path(k, norm2, dot / float(np.linalg.norm([*plane.w, plane.b / c])), R2, gamma, unit)


def _every_update(
    X: Array, rows: Array, steps: Array, constant2: float, plane: Hyperplane
) -> tuple[Array, Array, Array]:
    W = np.cumsum(steps[:, None] * X[rows], axis=0)
    c = math.sqrt(constant2) or 1.0
    v, v_reference = constant2 * np.cumsum(steps) / c, plane.b / c  # weights of the constant feature
    whole = float(np.linalg.norm([*plane.w, v_reference]))
    return np.arange(1, len(rows) + 1), (W**2).sum(axis=1) + v**2, (W @ plane.w + v * v_reference) / whole


def draw_norm(ax: Axes, path: Path) -> None:
    """||w_k||^2 between k^2 gamma^2 and k R^2, and where the two meet."""
    k = path.k.astype(float)
    bounds = []
    if path.unit:
        bounds.append(_Bound(path.R2, 1.0, "k R²", COLOURS[6], "--", 1.4))
    if path.unit and path.gamma > 0:
        bounds.append(_Bound(path.gamma**2, 2.0, "k² gamma²", COLOURS[0], ":", 2.0))
    # The upper bound, the run, the lower bound: the legend has their order.
    for bound in bounds[:1]:
        _draw_bound(ax, k, bound)
    ax.plot(k, path.norm2, color=INK, lw=1.6, marker="o" if k.size <= 40 else "", ms=3, label="||w_k||²")
    for bound in bounds[1:]:
        _draw_bound(ax, k, bound)
    ax.set(xlabel="updates k", ylabel="squared norm")
    last = _draw_meeting(ax, path, bounds)
    if k.size and last > max(20, 10 * k[0]):  # in less than a decade the labels of a logarithmic axis collide
        ax.set(xscale="log", yscale="log")
    _finish(ax, path)


def draw_angle(ax: Axes, path: Path) -> None:
    """cos(w_k, w*) above sqrt(k) gamma / R, and where that would be 1."""
    k = path.k.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        cos = path.dot / np.sqrt(path.norm2)
    ax.plot(k, cos, color=INK, lw=1.6, marker="o" if k.size <= 40 else "", ms=3, label="cos(w_k, w*)")
    bounds = []
    if path.unit and path.gamma > 0:
        bounds.append(_Bound(path.gamma / math.sqrt(path.R2), 0.5, "√k gamma / R", COLOURS[0], ":", 2.0))
        _draw_bound(ax, k, bounds[0])
    ax.axhline(1.0, color=GREY, lw=0.8)
    ax.set(xlabel="updates k", ylabel="cosine of the angle to w*")
    ax.set_ylim(min(0.0, float(np.nanmin(cos)) - 0.05) if k.size else 0.0, 1.05)
    last = _draw_meeting(ax, path, bounds)
    if k.size and last > max(1000, 10 * k[0]):
        ax.set_xscale("log")
    _finish(ax, path)


class _Bound(NamedTuple):
    """factor k^power, and how it is drawn."""

    factor: float
    power: float
    label: str
    colour: str
    style: str
    width: float


def _draw_bound(ax: Axes, k: Array, bound: _Bound) -> None:
    alone = "D" if k.size == 1 else ""  # a line through one point is not seen
    look: dict[str, Any] = {"color": bound.colour, "ls": bound.style, "lw": bound.width, "marker": alone, "ms": 5}
    ax.plot(k, bound.factor * k**bound.power, label=bound.label, **look)


def _draw_meeting(ax: Axes, path: Path, bounds: list[_Bound]) -> float:
    """Lead the bounds on, in thin lines, to k = (R/gamma)^2, where they meet; return the last k drawn."""
    if not path.k.size or not path.unit or path.gamma <= 0:
        return float(path.k[-1]) if path.k.size else 0.0
    on = np.geomspace(float(path.k[-1]), path.R2 / path.gamma**2, 50)
    for bound in bounds:
        ax.plot(on, bound.factor * on**bound.power, color=bound.colour, ls=bound.style, lw=bound.width / 2)
    meeting = bounds[-1].factor * on[-1] ** bounds[-1].power
    word = f"(R / gamma)² = {on[-1]:,.0f}" if on[-1] < 1e7 else f"(R / gamma)² = {on[-1]:.2g}"
    ax.plot([on[-1]], [meeting], color=INK, marker="X", ls="", ms=7, label=word)
    return float(on[-1])


def _finish(ax: Axes, path: Path) -> None:
    if not path.unit:
        note(ax, "no bounds: steps are not of unit length")
    elif path.gamma <= 0:
        note(ax, "no lower bound: the reference does not separate")
    legend(ax)
