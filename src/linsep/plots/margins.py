"""Margins y z as a histogram."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linsep.plots.style import COLOURS, INK, legend, new_axes
from linsep.plots.subject import labels_of, margins_of, subject_of, table_of
from linsep.types import Array

_BINS = 40


def plot_margins(model: Any, X: Any, y: Any, *, label: Any = None, ax: Axes | None = None) -> Axes:
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
    label : label, optional
        With three or more classes: the class that is shown against the rest.
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
    subject = subject_of(model, label)
    margins = margins_of(
        subject, table.given if subject.plane is None else table.X, labels_of(y, table.X.shape[0], table.given)
    )
    ax = new_axes(ax)
    edges, counts = right_closed(margins)
    wrong = edges[1:] <= 0
    widths = np.diff(edges)
    n_wrong = int((margins <= 0).sum())
    for which, colour, hatch, name in (
        (~wrong, COLOURS[0], "", f"right: {len(margins) - n_wrong:,}"),
        (wrong, COLOURS[1], "////", f"mistaken: {n_wrong:,}"),
    ):
        if which.any():
            style: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": INK, "linewidth": 0.4}
            ax.bar(edges[:-1][which], counts[which], widths[which], align="edge", label=name, **style)
    ax.axvline(0.0, color=INK, lw=1.6)
    least = float(margins.min())
    words = f"least: {least:.3g}"
    if subject.plane is not None and (norm := float(np.linalg.norm(subject.plane.w))) > 0:
        words += f"\n(distance {least / norm:.3g})"
    ax.axvline(least, color=INK, lw=1.6, ls="--", label=words)
    ax.set(xlabel="margin y z", ylabel="rows")
    legend(ax)
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
