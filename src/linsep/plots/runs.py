"""The course of a run: mistakes of each epoch, and Novikoff's sandwich around the length of w."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from linsep.learners.base.trace import Trace
from linsep.plots.style import COLOURS, INK, legend, new_axes, note, say_thinned
from linsep.plots.subject import Table, labels_of, table_of
from linsep.theory.margin.geometry import homogeneous_margin, radius
from linsep.types import Array, DataError, Hyperplane

Show = Literal["mistakes", "norm"]
# Entries of all w_k that are added up at once; longer runs are drawn epoch by epoch.
_ENTRIES = 20_000_000


def plot_trace(
    run: Any,
    show: Show = "mistakes",
    X: Any = None,
    y: Any = None,
    *,
    reference: Hyperplane | tuple[Any, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the course of a run.

    - "mistakes": mistakes of each epoch;
    - "norm": k^2 gamma^2 <= ||w_k||^2 <= k R^2 after k updates (with an intercept (w, b/c), (x, c) and the margin of
      the unit vector (w*, b*/c), c the constant feature); thin lines lead on to where the bounds meet, at
      k = (R/gamma)^2. It shows every update of a run fitted with trace="updates" on dense rows, and every kept epoch
      of others.

    Parameters
    ----------
    run : fitted model or Trace
        The run; a Trace is enough for "mistakes".
    show : {"mistakes", "norm"}, default="mistakes"
        What to draw, as above.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features), optional
        The rows of the run, for "norm".
    y : array-like, shape (n_samples,), optional
        Their labels.
    reference : (w, b), optional
        A separator of the rows, for "norm"; the wider its margin, the closer the bounds.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        Something that the picture needs was not given, or a run of several classes.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> learner = Perceptron().fit([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], [0, 0, 1, 1])
    >>> plot_trace(learner).lines[0].get_ydata().tolist()
    [2.0, 2.0, 1.0, 0.0]
    """
    if show not in ("mistakes", "norm"):
        raise DataError(f'show is "mistakes" or "norm", not {show!r}')
    trace = run if isinstance(run, Trace) else getattr(run, "trace_", None)
    if trace is None or not len(trace):
        raise DataError("there is no trace: the model was not fitted by passes, or was loaded from a file")
    if show == "mistakes":
        return _draw_mistakes(new_axes(ax), trace)
    if X is None or y is None or reference is None or isinstance(run, Trace):
        raise DataError('"norm" needs the fitted model, X, y and a reference (w, b), as from max_margin(...)')
    table = table_of(X)
    plane = Hyperplane(np.asarray(reference[0], dtype=np.float64).ravel(), float(reference[1]))
    path = _path_of(run, trace, table, labels_of(y, table.X.shape[0], table.given), plane)
    return _draw_norm(new_axes(ax), path)


def _draw_mistakes(ax: Axes, trace: Trace) -> Axes:
    epochs = int(trace.epoch[-1])
    many = len(trace) > 40
    ax.plot(trace.epoch, trace.mistakes.astype(float), color=COLOURS[0], marker="" if many else "o", ms=4, lw=1.4)
    ax.set(xlabel="epoch", ylabel="mistakes")
    if epochs > 100:
        ax.set_xscale("log")
        ax.set_yscale("symlog", linthresh=1)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(0, 1.08 * max(1, int(trace.mistakes.max())))
    say_thinned(ax, len(trace), epochs, "epochs")
    return ax


class _Path(NamedTuple):
    """k and ||w_k||^2 (with the intercept), and for the theory R^2, gamma, and whether steps are of length 1."""

    k: Array
    norm2: Array
    R2: float
    gamma: float
    unit: bool


def _path_of(run: Any, trace: Trace, table: Table, y: Array, plane: Hyperplane) -> _Path:
    """Follow a run after every update that it kept, or after every epoch."""
    if len(run.classes_) > 2:
        raise DataError("the sandwich is about two classes; fit one class against the rest")
    constant2 = getattr(run, "constant2_", 1.0)
    if not constant2 and plane.b != 0:
        raise DataError(f"the reference has b = {plane.b:g}, and the run has no intercept")
    c = math.sqrt(constant2) or 1.0
    gamma = homogeneous_margin(table.X, y, *plane, intercept_scaling=c)
    R2 = radius(table.X) ** 2 + constant2
    unit = bool(getattr(run, "unit_steps", False)) and run.class_weight is None
    if trace.update_log is not None:
        rows, steps = trace.update_rows, trace.update_steps
        _check_rows(run, table, rows)
        if isinstance(table.X, np.ndarray) and rows.size and rows.size * table.X.shape[1] <= _ENTRIES:
            W = np.cumsum(steps[:, None] * table.X[rows], axis=0)
            norm2 = (W**2).sum(axis=1) + (constant2 * np.cumsum(steps) / c) ** 2
            return _Path(np.arange(1, rows.size + 1), norm2, R2, gamma, unit and bool((np.abs(steps) == 1).all()))
    moved = trace.updates_so_far > 0
    norm2 = trace.norm_w**2 + (trace.b / c) ** 2
    return _Path(trace.updates_so_far[moved], norm2[moved], R2, gamma, unit)


def _check_rows(run: Any, table: Table, rows: Array) -> None:
    """Raise DataError where a run that kept its updates cannot have been on a table of this shape."""
    n, p = table.X.shape
    if p != run.n_features_in_:
        raise DataError(f"the run was on {run.n_features_in_} features, and X has {p}: not the rows of the fit")
    if rows.size and int(rows.max()) >= n:
        raise DataError(f"the run updated on row {rows.max()}, and X has {n} rows: not the rows of the fit")


def _draw_norm(ax: Axes, path: _Path) -> Axes:
    """||w_k||^2 between k^2 gamma^2 and k R^2, and where the two meet."""
    k = path.k.astype(float)
    meet = path.unit and path.gamma > 0 and k.size > 0
    on = np.geomspace(k[-1], path.R2 / path.gamma**2, 50) if meet else k[-1:]
    bounds = [(path.R2, 1, "k R²", COLOURS[6], "--", 1.4)] * path.unit
    bounds += [(path.gamma**2, 2, "k² gamma²", COLOURS[0], ":", 2.0)] * bool(meet)
    ax.plot(k, path.norm2, color=INK, lw=1.6, marker="o" if k.size <= 40 else "", ms=3, label="||w_k||²")
    for factor, power, label, colour, style, width in bounds:
        look: dict[str, Any] = {"color": colour, "ls": style}
        alone = "D" if k.size == 1 else ""  # a line through one point is not seen
        ax.plot(k, factor * k**power, lw=width, marker=alone, ms=5, label=label, **look)
        ax.plot(on, factor * on**power, lw=width / 2, **look)
    if meet:
        word = f"(R / gamma)² = {on[-1]:,.0f}" if on[-1] < 1e7 else f"(R / gamma)² = {on[-1]:.2g}"
        ax.plot(on[-1:], path.R2 * on[-1:], color=INK, marker="X", ls="", ms=7, label=word)
    ax.set(xlabel="updates k", ylabel="squared norm")
    if k.size and on[-1] > max(20, 10 * k[0]):  # in less than a decade the labels of a logarithmic axis collide
        ax.set(xscale="log", yscale="log")
    if not path.unit:
        note(ax, "no bounds: steps are not of unit length")
    elif path.gamma <= 0:
        note(ax, "no lower bound: the reference does not separate")
    legend(ax)
    return ax
