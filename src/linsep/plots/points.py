"""Rows by class, the decision values of a separator around them, their margins y z, and the mistakes of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from linsep.learners.base.trace import Trace
from linsep.markup import count
from linsep.plots import style
from linsep.plots.subject import Subject, Table, View, codes_of, labels_of, margins_of, subject_of, table_of, view_of
from linsep.types import Array, DataError

LIMIT = 5000  # rows that are drawn; a picture says when there are more
_GRID = 201
_BINS = 40  # of the histogram


def plot_points(X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the rows by class: one or two features as they are, more features by their first two principal directions.

    Parameters
    ----------
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features)
        The rows; the names of a dataframe's columns name the axes.
    y : array-like, shape (n_samples,)
        Their labels.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        Not a table of finite numbers, or not one label a row.

    Examples
    --------
    >>> ax = plot_points([[0, 1], [1, 0], [2, 2]], ["no", "no", "yes"])
    >>> len(ax.collections)
    2
    """
    table = table_of(X)
    labels = labels_of(y, table.X.shape[0], table.given)
    classes, codes = np.unique(labels, return_inverse=True)
    ax = style.new_axes(ax)
    draw_points(ax, table, codes, list(classes), view_of(table), style.thinned(len(labels), LIMIT))
    style.legend(ax)
    return ax


def draw_points(ax: Axes, table: Table, codes: Array, names: list[Any], view: View, shown: Array) -> Array:
    """Scatter the rows `shown`, row i in the look of class codes[i]; name the axes; return their coordinates."""
    at = place(ax, table, codes, names, view, shown)
    size = point_size(len(shown))
    for k, name in enumerate(style.shorten(names)):
        own = codes[shown] == k
        if own.any():
            colour, marker, _ = style.look(k)
            ax.scatter(at[own, 0], at[own, 1], s=size, c=colour, marker=marker, label=name, zorder=3, **style.EDGE)
    style.say_thinned(ax, len(shown), len(codes))
    return at


def point_size(n: int) -> int:
    """Area of a point where n are drawn, in square points."""
    return 26 if n <= 200 else 12 if n <= 1000 else 6


def place(ax: Axes, table: Table, codes: Array, names: list[Any], view: View, shown: Array) -> Array:
    """Coordinates of the rows `shown`, with axes that hold and name them; one feature has a lane a class."""
    at = view.points(table.X[shown])
    ax.set_xlabel(view.labels[0])
    ax.set_xlim(*style.padded(at[:, 0]))
    if table.X.shape[1] == 1:
        at[:, 1] = codes[shown] + lanes(len(shown))
        ax.set_yticks(range(len(names)), style.shorten(names, 12))
        ax.set_ylim(-0.6, len(names) - 0.4)
    else:
        ax.set_ylabel(view.labels[1])
        ax.set_ylim(*style.padded(at[:, 1]))
    return at


def lanes(n: int) -> Array:
    """Heights between -0.3 and 0.3 that keep points of one feature apart."""
    return np.asarray(0.6 * ((np.arange(n) * 0.6180339887498949) % 1.0) - 0.3) if n > 1 else np.zeros(n)


def plot_boundary(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the decision value z as filled contours, the line z = 0, the margin band and the rows.

    The band is |z| <= min_i y_i z_i; it is drawn if that is positive, that is, if no row is mistaken. More than two
    features are projected on w and on the first principal direction orthogonal to it: z is exact there, as it depends
    on w.x alone. Three or more classes: the regions of the classes; (coef_[k], intercept_[k]) is the plane of one of
    them. Mistaken rows have a ring, or, where there are none, those on the margin (a bracket knows which rows hold its
    plane).

    Parameters
    ----------
    model : fitted classifier, Separability, MarginBracket, or pair (w, b)
        What decides.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features)
        The rows; the names of a dataframe's columns name the axes.
    y : array-like, shape (n_samples,)
        Their labels.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        More than two features and a model that is not linear, or one of several classes.

    Examples
    --------
    >>> from linsep import max_margin
    >>> X, y = [[0, 0], [1, 0], [3, 1]], [0, 0, 1]
    >>> ax = plot_boundary(max_margin(X, y), X, y)
    >>> ax.get_legend().get_texts()[-1].get_text()
    'on the margin: 2 rows'
    """
    table = table_of(X)
    labels = labels_of(y, table.X.shape[0], table.given)
    subject = subject_of(model)
    if table.X.shape[1] > 2 and subject.plane is None:
        raise DataError(
            f"{table.X.shape[1]} features can be projected for one plane only: give a linear model of two classes, or "
            "(coef_[k], intercept_[k]) of one of several, with y == classes_[k]"
        )
    margins = margins_of(subject, table.given, labels)
    names, codes = codes_of(subject, labels)
    ringed, words = _ringed(margins, subject)
    ax = style.new_axes(ax)
    view = view_of(table, subject.plane)
    # A few ringed rows are always there; more would make mistakes style.look commoner than they are.
    shown = style.thinned(len(labels), LIMIT, keep=ringed[: LIMIT // 100])
    at = draw_points(ax, table, codes, names, view, shown)
    lines = (
        _draw_regions(ax, view, subject) if len(names) > 2 else _draw_values(ax, view, subject, float(margins.min()))
    )
    on = np.isin(shown, ringed)
    if on.any():
        size = 3 * point_size(len(shown))
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": style.INK, "linewidths": 1.2 if size > 50 else 0.6}
        ax.scatter(at[on, 0], at[on, 1], s=size, zorder=4, **ring)
        lines.append(Line2D([], [], marker="o", ls="", ms=9, mfc="none", mec=style.INK, label=words))
    style.legend(ax, handles=[*ax.get_legend_handles_labels()[0], *lines])
    return ax


def _ringed(margins: Array, subject: Subject) -> tuple[Array, str]:
    """Rows to ring, and what they are."""
    mistaken = np.flatnonzero(margins <= 0)
    if mistaken.size:
        return mistaken, f"mistaken: {count(mistaken.size, 'row')}"
    least = np.abs(margins).min()
    support = np.flatnonzero(np.abs(margins) <= least * (1 + 1e-6)) if subject.support is None else subject.support
    return support, f"on the margin: {count(support.size, 'row')}"


def _grid(ax: Axes, points: int) -> tuple[Array, Array, Array]:
    """Coordinates of a grid over the axes, and its points as rows."""
    u, v = np.meshgrid(np.linspace(*ax.get_xlim(), points), np.linspace(*ax.get_ylim(), points))
    return u, v, np.column_stack([u.ravel(), v.ravel()])


def _draw_values(ax: Axes, view: View, subject: Subject, least: float) -> list[Line2D]:
    """z in colours, dark for negative and light for positive, the line z = 0 and the band."""
    # Contours of a plane are straight: the corners are enough.
    u, v, points = _grid(ax, _GRID if subject.plane is None else 2)
    if view.exact:
        z = subject.decide(points[:, : view.basis.shape[0]]).reshape(u.shape)
    else:
        assert subject.plane is not None
        z = np.linalg.norm(subject.plane.w) * u + subject.plane.b
    top = float(np.abs(z).max()) or 1.0
    filled = ax.contourf(u, v, z, levels=np.linspace(-top, top, 11), cmap=style.VALUES, zorder=0)
    bar = ax.figure.colorbar(filled, ax=ax, fraction=0.05, pad=0.02, ticks=[-top, 0, top], format="%.3g")
    bar.set_label("decision value $z$", labelpad=-8)
    lines = []
    if z.min() < 0 <= z.max():
        ax.contour(u, v, z, levels=[0.0], colors=style.INK, linewidths=1.8, zorder=2)
        lines.append(Line2D([], [], color=style.INK, lw=1.8, label="$z = 0$"))
        if 0 < least < top:
            ax.contour(u, v, z, levels=[-least, least], colors=style.INK, linewidths=0.9, linestyles="dashed", zorder=2)
            lines.append(Line2D([], [], color=style.INK, lw=0.9, ls="--", label=f"margin, $|z|$ = {least:.3g}"))
    elif not z.any():
        style.note(ax, "$z$ is 0 everywhere: no line, and every row is a mistake")
    else:
        side = "positive" if z.min() >= 0 else "negative"
        style.note(ax, f"$z = 0$ is outside the picture: all of it is on the {side} side")
    return lines


def _draw_regions(ax: Axes, view: View, subject: Subject) -> list[Line2D]:
    """The class with the largest z, in its colour and hatch."""
    assert subject.classes is not None
    u, v, points = _grid(ax, _GRID)
    n = len(subject.classes)
    best = subject.decide(points[:, : view.basis.shape[0]]).argmax(axis=1).reshape(u.shape)
    looks = [style.look(k) for k in range(n)]
    levels = np.arange(n + 1) - 0.5
    ax.contourf(u, v, best, levels=levels, colors=[each.colour for each in looks], alpha=0.25, zorder=0)
    hatched = ax.contourf(u, v, best, levels=levels, colors="none", hatches=[each.hatch for each in looks], zorder=0)
    hatched.set_edgecolor([each.colour for each in looks])
    hatched.set_linewidth(0.0)
    ax.contour(u, v, best, levels=np.arange(n - 1) + 0.5, colors=style.INK, linewidths=1.0, zorder=2)
    return []


def plot_margins(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a histogram of the margins y z; mistakes (y z <= 0) are hatched, and the least margin is marked.

    For a linear model the least margin is also given as a distance, min y z / ||w||. With three or more classes the
    margin is the z of the row's class minus the largest z of the others.

    Parameters
    ----------
    model : fitted classifier, Separability, MarginBracket, or pair (w, b)
        What decides.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features)
        The rows; the names of a dataframe's columns name the axes.
    y : array-like, shape (n_samples,)
        Their labels.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        Rows or labels that do not fit the model.

    Examples
    --------
    >>> ax = plot_margins(([1.0], 0.0), [[-2.0], [1.0], [4.0]], [0, 1, 1])
    >>> float(sum(bar.get_height() for bar in ax.patches)), ax.lines[-1].get_xdata()[0]
    (3.0, 1.0)
    """
    table = table_of(X)
    subject = subject_of(model)
    margins = margins_of(
        subject, table.given if subject.plane is None else table.X, labels_of(y, table.X.shape[0], table.given)
    )
    ax = style.new_axes(ax)
    edges, counts = right_closed(margins)
    wrong = edges[1:] <= 0
    widths = np.diff(edges)
    n_wrong = int((margins <= 0).sum())
    for which, colour, hatch, name in (
        (~wrong, style.COLOURS[0], "", f"right: {len(margins) - n_wrong:,}"),
        (wrong, style.COLOURS[1], "////", f"mistaken: {n_wrong:,}"),
    ):
        if which.any():
            how: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": style.INK, "linewidth": 0.4}
            ax.bar(edges[:-1][which], counts[which], widths[which], align="edge", label=name, **how)
    ax.axvline(0.0, color=style.INK, lw=1.6)
    least = float(margins.min())
    words = f"least: {least:.3g}"
    if subject.plane is not None and (norm := float(np.linalg.norm(subject.plane.w))) > 0:
        words += f"\n(distance {least / norm:.3g})"
    ax.axvline(least, color=style.INK, lw=1.6, ls="--", label=words)
    ax.set(xlabel="margin $y z$", ylabel="rows")
    style.legend(ax)
    return ax


def right_closed(margins: Array) -> tuple[Array, Array]:
    """Edges of bins (a, b], 0 among them, so that no bar holds mistakes and others; and the counts."""
    low, high = min(0.0, float(margins.min())), max(0.0, float(margins.max()))
    if low == high:
        low = -1.0
    width = (high - low) / _BINS
    # One bin more on the left: its own left edge is open.
    edges = width * np.arange(int(np.floor(low / width)) - 1, int(np.ceil(high / width)) + 1)
    edges[-1] = max(float(edges[-1]), high)
    counts = np.histogram(-margins, bins=-edges[::-1])[0][::-1]
    filled = np.flatnonzero(counts)
    first = min(int(filled[0]), int(np.searchsorted(edges, 0.0)))
    return edges[first:], counts[first:]


def plot_trace(run: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the course of a run: the mistakes of each epoch.

    Parameters
    ----------
    run : fitted model or Trace
        The run.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        The model was not fitted by passes, or was loaded from a file.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> learner = Perceptron().fit([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], [0, 0, 1, 1])
    >>> plot_trace(learner).lines[0].get_ydata().tolist()
    [2.0, 2.0, 1.0, 0.0]
    """
    trace = run if isinstance(run, Trace) else getattr(run, "trace_", None)
    if trace is None or not len(trace):
        raise DataError("there is no trace: the model was not fitted by passes, or was loaded from a file")
    ax, epochs = style.new_axes(ax), int(trace.epoch[-1])
    marker = "" if len(trace) > 40 else "o"
    ax.plot(trace.epoch, trace.mistakes.astype(float), color=style.COLOURS[0], marker=marker, ms=4, lw=1.4)
    ax.set(xlabel="epoch", ylabel="mistakes")
    if epochs > 100:
        ax.set_xscale("log")
        ax.set_yscale("symlog", linthresh=1)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(0, 1.08 * max(1, int(trace.mistakes.max())))
    style.say_thinned(ax, len(trace), epochs, "epochs")
    return ax
