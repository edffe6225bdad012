"""Updates one by one: the separator before and after, and the row that moved it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from linsep.plots.points import LIMIT, draw_points
from linsep.plots.style import GREY, INK, SMALL, VALUES, legend, new_axes, note, thinned
from linsep.plots.subject import Table, codes_of, labels_of, subject_of, table_of
from linsep.plots.view import View, principal_direction, view_of
from linsep.tables import dense
from linsep.types import Array, DataError, Hyperplane


class Update(NamedTuple):
    """Update k: row i was mistaken in this epoch, and w, b moved by a (x_i, 1)."""

    k: int
    row: int
    epoch: int
    step: float
    before: Hyperplane
    after: Hyperplane


def update_of(model: Any, table: Table, k: int) -> Update:
    """Add up the first k updates of a run that started from zero.

    Raises
    ------
    DataError
        The run kept no updates or fewer than k, has several classes, or ended elsewhere than these rows lead.
    """
    trace = getattr(model, "trace_", None)
    if trace is None or trace.update_log is None:
        raise DataError('the run kept no updates: fit with trace="updates"')
    if len(model.classes_) > 2:
        raise DataError("updates of several classes move several planes; fit one class against the rest")
    rows, steps = trace.update_rows, trace.update_steps
    if not 1 <= k <= len(rows) or k != int(k):
        raise DataError(f"update {k} was asked for; the run kept updates 1 to {len(rows)}")
    k = int(k)
    check_rows(model, table)
    end = float(np.linalg.norm(_summed(table, rows, steps, model.constant2_).w))
    if len(rows) == model.n_updates_ and not np.isclose(end, trace.norm_w[-1], rtol=1e-3):
        raise DataError(
            "these updates of these rows do not add up to w: not the rows of the fit, a run that did not start from "
            "zero, or one that also shrinks w"
        )
    before = _summed(table, rows[: k - 1], steps[: k - 1], model.constant2_)
    after = _summed(table, rows[:k], steps[:k], model.constant2_)
    return Update(k, int(rows[k - 1]), int(trace.update_epochs[k - 1]), float(steps[k - 1]), before, after)


def check_rows(model: Any, table: Table) -> None:
    """Raise DataError where a run that kept its updates cannot have been on a table of this shape."""
    n, p = table.X.shape
    rows = model.trace_.update_rows
    if p != model.n_features_in_:
        raise DataError(f"the run was on {model.n_features_in_} features, and X has {p}: not the rows of the fit")
    if rows.size and int(rows.max()) >= n:
        raise DataError(f"the run updated on row {rows.max()}, and X has {n} rows: not the rows of the fit")


def _summed(table: Table, rows: Array, steps: Array, constant2: float) -> Hyperplane:
    weight = np.bincount(rows, weights=steps, minlength=table.X.shape[0])
    used = np.flatnonzero(weight)
    w = np.asarray(weight[used] @ table.X[used], dtype=np.float64).reshape(-1)
    return Hyperplane(w, float(steps.sum()) * constant2)


def plot_step(
    model: Any,
    X: Any,
    y: Any,
    k: int,
    *,
    longest: float | None = None,
    ax: Axes | None = None,
    limit: int = LIMIT,
) -> Axes:
    """Draw update k: the row that was mistaken, and the line w.x + b = 0 before and after.

    The two sides are shaded as they were before the update, so that the mistaken row lies on the wrong one; where w was
    0 nothing is shaded. Arrows are w before and w after, at one scale, at right angles to their lines. Under the
    picture stand y z of the row before and after and, of two features at most, w and b. More than two features are
    projected on the plane that w and the row span (at first w = 0: the row and the first principal direction), which
    holds w before and w after.

    Parameters
    ----------
    model : perceptron of two classes
        Fitted with trace="updates", from zero.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features)
        The rows that it was fitted on.
    y : array-like, shape (n_samples,)
        Their labels.
    k : int
        The number of the update, from 1.
    longest : float, optional
        The ||w|| whose arrow takes three fifths of half the picture, so that several pictures have one scale; without
        it, the larger of the two.
    ax : Axes, optional
        Where to draw; without it, in a new figure.
    limit : int, default=5000
        Rows to draw at most; the picture says when there are more.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        Updates were not kept, there is no update k, or `longest` is not above 0.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], [0, 0, 1, 1]
    >>> ax = plot_step(Perceptron(trace="updates").fit(X, y), X, y, 2)
    >>> ax.get_title(loc="left")
    'update 2, epoch 1: row 2'
    >>> ax.get_xlabel().splitlines()[1]
    'y z of row 2: -5 → 21'
    """
    if longest is not None and not longest > 0:
        raise DataError(f"longest is the length of a vector w; it has to be above 0, and is {longest}")
    table = table_of(X)
    labels = labels_of(y, table.X.shape[0], table.given)
    update = update_of(model, table, k)
    ax = new_axes(ax)
    _draw_step(ax, model, table, labels, update, _longest([update]) if longest is None else longest, limit)
    return ax


def _longest(updates: Sequence[Update]) -> float:
    """The largest ||w|| before and after these updates."""
    return max(float(np.linalg.norm(plane.w)) for update in updates for plane in (update.before, update.after))


def _draw_rows(ax: Axes, model: Any, table: Table, labels: Array, view: View, shown: Array) -> Array:
    names, codes = codes_of(subject_of(model), labels)
    at = draw_points(ax, table, codes, names, view, shown)
    if table.X.shape[1] > 1:
        _square(ax)
    return at


def _draw_step(ax: Axes, model: Any, table: Table, labels: Array, update: Update, longest: float, limit: int) -> None:
    view = _view_of_step(table, update)
    shown = thinned(len(labels), limit, keep=np.array([update.row]))
    own = _draw_rows(ax, model, table, labels, view, shown)[np.searchsorted(shown, update.row)]
    ax.scatter(own[0], own[1], s=110, facecolors="none", edgecolors=INK, linewidths=1.6, zorder=5)
    handles = [Line2D([], [], marker="o", ls="", ms=9, mfc="none", mec=INK, mew=1.6, label="mistaken")]
    for plane, colour, style, name in (
        (update.before, GREY, "--", "before"),
        (update.after, INK, "-", "after"),
    ):
        there = _draw_plane(ax, plane, view, colour, style, longest)
        handles.append(Line2D([], [], color=colour, ls=style, lw=1.8, label=name if there else f"{name}: outside"))
    if not update.before.w.any():
        handles[1].set_label("before: w = 0")
    _shade(ax, update.before, view)
    ax.set_title(f"update {update.k}, epoch {update.epoch}: row {update.row}", loc="left", fontsize="medium")
    _say_numbers(ax, table, update)
    legend(ax, handles=[*ax.get_legend_handles_labels()[0], *handles], loc="upper center", ncols=2, columnspacing=1.0)


def _draw_end(ax: Axes, model: Any, table: Table, labels: Array, end: Hyperplane, longest: float, limit: int) -> None:
    """The rows on their sides of the separator that a clean pass left as it was."""
    view = view_of(table, end)
    _draw_rows(ax, model, table, labels, view, thinned(len(labels), limit))
    there = _draw_plane(ax, end, view, INK, "-", longest)
    _shade(ax, end, view)
    ax.set_title(f"epoch {model.n_iter_}: a clean pass", loc="left", fontsize="medium")
    line = Line2D([], [], color=INK, lw=1.8, label="separator" if there else "separator: outside")
    legend(ax, handles=[*ax.get_legend_handles_labels()[0], line], loc="upper center", ncols=2, columnspacing=1.0)


def _say_numbers(ax: Axes, table: Table, update: Update) -> None:
    """y z of the row before and after, and w and b where they are few numbers."""
    x = dense(table.X[[update.row]]).astype(np.float64).ravel()
    before, after = (np.sign(update.step) * float(x @ plane.w + plane.b) for plane in (update.before, update.after))
    note(ax, f"y z of row {update.row}: {before + 0.0:.3g} → {after:.3g}")
    if len(x) <= 2:
        w = [f"({', '.join(f'{value + 0.0:.3g}' for value in plane.w)})" for plane in (update.before, update.after)]
        note(ax, f"w: {w[0]} → {w[1]}\nb: {update.before.b:.3g} → {update.after.b:.3g}")


def _view_of_step(table: Table, update: Update) -> View:
    if table.X.shape[1] <= 2:
        return view_of(table)
    row = table.X[[update.row]]
    x = dense(row).astype(np.float64).ravel()
    first = update.before.w if update.before.w.any() else x
    u = first / (np.linalg.norm(first) or 1.0) if first.any() else principal_direction(table.X, None)
    rest = x - u * (u @ x)
    size = float(np.linalg.norm(rest))
    beside = size > 1e-9 * float(np.linalg.norm(x))
    v = rest / size if beside else principal_direction(table.X, u)
    labels = (
        "projection on " + ("w before" if update.before.w.any() else "the row"),
        "part of the row\northogonal to w" if beside else "first principal direction\northogonal to it",
    )
    return View(np.column_stack([u, v]), labels, False)


def _square(ax: Axes) -> None:
    """Equal units on both axes, so that w is seen at right angles to its line; room for the legend above the rows."""
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    half = 0.5 * max(x1 - x0, y1 - y0)
    ax.set_xlim((x0 + x1) / 2 - half, (x0 + x1) / 2 + half)
    ax.set_ylim((y0 + y1) / 2 - half, (y0 + y1) / 2 + 1.45 * half)
    ax.set_aspect("equal")


def _draw_plane(ax: Axes, plane: Hyperplane, view: View, colour: str, style: str, longest: float) -> bool:
    """The line of the plane and w as an arrow, the longest w being 0.6 half pictures; False if outside or w is 0."""
    w = plane.w @ view.basis
    norm = float(np.linalg.norm(w))
    if norm == 0:
        return False
    centre = np.array([np.mean(ax.get_xlim()), np.mean(ax.get_ylim()) if len(plane.w) > 1 else 0.0])
    half = 0.5 * float(np.ptp(ax.get_xlim()))
    foot = centre - w * (w @ centre + plane.b) / norm**2
    if len(plane.w) == 1:
        inside = bool(abs(foot[0] - centre[0]) <= half)
        if inside:
            ax.axvline(foot[0], color=colour, ls=style, lw=1.8, zorder=4)
            foot[1] = float(np.mean(ax.get_ylim()))
    else:
        inside = bool(np.abs(foot - centre).max() <= half)
        along = np.array([-w[1], w[0]]) / norm * 4 * half
        ax.plot(*np.column_stack([foot - along, foot + along]), color=colour, ls=style, lw=1.8, zorder=4)
    if inside:
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
        tip = foot + w / longest * 0.6 * half
        ax.annotate("", tip, foot, arrowprops=arrow, zorder=4)
        beside: dict[str, Any] = {
            "xytext": 7 * w / norm,
            "textcoords": "offset points",
            "ha": "center",
            "va": "center",
            "zorder": 4,
        }
        ax.annotate("w", tip, color=colour, fontsize=SMALL, **beside)
    return inside


def _shade(ax: Axes, plane: Hyperplane, view: View) -> None:
    """The two sides in the colours of the values; none where z is 0 everywhere, as on neither side."""
    if not plane.w.any() and plane.b == 0:
        return
    limits = ax.get_xlim(), ax.get_ylim()
    u, v = np.meshgrid(np.linspace(*limits[0], 101), np.linspace(*limits[1], 101))
    w = plane.w @ view.basis
    z = w[0] * u + w[1] * v + plane.b
    ax.contourf(u, v, z, levels=[-np.inf, 0.0, np.inf], colors=[VALUES(0.25), VALUES(0.8)], alpha=0.6, zorder=0)
    ax.set(xlim=limits[0], ylim=limits[1])


def animate_run(
    model: Any,
    X: Any,
    y: Any,
    file: str | Path | None = None,
    *,
    frames: int = 60,
    fps: int = 2,
    limit: int = 500,
) -> FuncAnimation:
    """Draw the updates of a run one after the other, as `plot_step` does, all arrows at one scale.

    A run that ended with a clean pass has a last frame: the rows on the two sides of its separator.

    Parameters
    ----------
    model : perceptron of two classes
        Fitted with trace="updates", from zero.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features)
        The rows that it was fitted on.
    y : array-like, shape (n_samples,)
        Their labels.
    file : path, optional
        Where to write: .gif (with Pillow) or .html (a page with buttons that needs nothing else).
    frames : int, default=60
        Updates to draw at most, evenly spaced; the first and, of two or more, the last are among them.
    fps : int, default=2
        Updates per second in the file.
    limit : int, default=500
        Rows to draw at most; the picture says when there are more.

    Returns
    -------
    FuncAnimation
        In a notebook show it with `IPython.display.HTML(animation.to_jshtml())`.

    Raises
    ------
    DataError
        No updates were kept or made, or the file is to be something else.

    Examples
    --------
    >>> import tempfile
    >>> from linsep import Perceptron
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], [0, 0, 1, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     moves = animate_run(Perceptron(trace="updates").fit(X, y), X, y, f"{folder}/run.gif")
    >>> len(list(moves.new_frame_seq()))  # five updates and the clean pass
    6
    """
    suffix = None if file is None else Path(file).suffix.lower()
    if suffix not in (None, ".gif", ".html"):
        raise DataError(f"{file}: an animation is written as .gif or .html")
    if frames < 1 or fps <= 0:
        raise DataError(f"at least one frame and a positive fps are needed: frames is {frames}, fps is {fps}")
    if file is not None and not Path(file).parent.is_dir():
        raise DataError(f"cannot write {file}: there is no folder {Path(file).parent}; make it first")
    table = table_of(X)
    labels = labels_of(y, table.X.shape[0], table.given)
    last = update_of(model, table, 1) and len(model.trace_.update_rows)
    drawn = np.unique(np.linspace(1, last, min(frames, last)).round().astype(int))
    updates = {int(k): update_of(model, table, k) for k in drawn}
    at_last = update_of(model, table, last)
    longest = _longest([*updates.values(), at_last])
    clean = model.stop_reason_ == "clean pass" and last == model.n_updates_
    figure, ax = plt.subplots(figsize=(4.4, 5.0))
    figure.subplots_adjust(left=0.16, right=0.97, bottom=0.25, top=0.94)  # the same in every frame

    def draw(k: int) -> list[Any]:
        ax.clear()
        if k in updates:
            _draw_step(ax, model, table, labels, updates[k], longest, limit)
        else:
            _draw_end(ax, model, table, labels, at_last.after, longest, limit)
        if len(drawn) < last:
            note(ax, f"{len(drawn)} of {last:,} updates shown")
        return []

    animation = FuncAnimation(figure, draw, frames=[*updates, *[last + 1] * clean], interval=1000 / fps, init_func=list)
    if suffix == ".gif":
        animation.save(str(file), writer=PillowWriter(fps=fps), dpi=80)
    elif suffix == ".html":
        Path(str(file)).write_text(animation.to_jshtml(fps=fps, default_mode="once"), encoding="utf-8")
    plt.close(figure)
    return animation
