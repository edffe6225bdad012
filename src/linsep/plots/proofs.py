"""A proof in a picture: the rows that no hyperplane separates."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull

from linsep.markup import count
from linsep.plots import style
from linsep.plots.points import LIMIT, place
from linsep.plots.subject import Table, labels_of, table_of, view_of
from linsep.theory.margin.geometry import signs
from linsep.theory.separability.certificate import Separability
from linsep.theory.words.of_classes import one_digit
from linsep.types import Array, DataError

_NUMBERED = 12


def plot_witness(certificate: Separability, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the rows that no hyperplane separates, their two convex hulls, and the point where these meet.

    With weights p_i > 0 from the witness, sum_{+} p_i x_i = sum_{-} p_i x_i: a point of both hulls, so no plane passes
    between them. More than two features are projected on the first two principal directions of these rows; the hulls
    meet in the projection too.

    Parameters
    ----------
    certificate : Separability
        A certificate of these rows that has a witness.
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
        The certificate has no witness, is about planes through the origin, or about other rows.

    Examples
    --------
    >>> from linsep import separability
    >>> square, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
    >>> ax = plot_witness(separability(square, y), square, y)
    >>> ax.collections[-1].get_offsets().tolist()
    [[0.5, 0.5]]
    """
    if not isinstance(certificate, Separability):
        raise DataError(f"a certificate, as separability(X, y) has it, can be drawn, not {type(certificate).__name__}")
    if certificate.digest and not certificate.verified:
        raise DataError("this certificate was read and proves nothing yet: call its verify(X, y) first")
    if certificate.witness is None:
        raise DataError(f"this certificate has no witness ({certificate.verdict}); plot_boundary shows its plane")
    table = table_of(X)
    if table.X.shape != (certificate.n_rows, certificate.n_features):
        raise DataError(f"the certificate is about {certificate.n_rows} x {certificate.n_features} rows")
    labels = labels_of(y, certificate.n_rows, table.given)
    s = signs(labels)
    if not certificate.fit_intercept:
        raise DataError("without an intercept it is not the hulls of the classes that meet")
    rows = np.array(certificate.witness.rows)
    total = sum(certificate.witness.weights)
    share = np.array([weight / total for weight in certificate.witness.weights])
    held = Table(table.X[rows], table.names, None)
    _check_meeting(held, s[rows], share)
    view = view_of(held)
    if not view.exact:
        view = view._replace(labels=(f"{view.labels[0]} of the witness", view.labels[1]))
    ax = style.new_axes(ax)
    shown = style.thinned(len(s), max(LIMIT, len(rows)), keep=rows)
    classes = list(np.unique(labels))
    at = place(ax, table, (s > 0).astype(np.intp), classes, view, shown)
    if table.X.shape[1] == 1:
        at[:, 1] = s[shown] > 0
    _draw_others(ax, at, s[shown], np.isin(shown, rows))
    inner = at[np.searchsorted(shown, rows)]
    _draw_held(ax, inner, s[rows], certificate.in_file(rows), classes)
    _draw_meeting(ax, inner, s[rows], share, table.X.shape[1])
    if not view.exact:
        met = f"within {one_digit(certificate.witness.within)}" if certificate.witness.within else "exact"
        style.note(ax, f"projected; the meeting is {met} in all features")
    style.legend(ax)
    return ax


def _check_meeting(held: Table, s: Array, share: Array) -> None:
    """Up to rounding sum p_i x_i is the same for both sides, or these are other rows than those of the certificate."""
    off = np.asarray((share * s) @ held.X).ravel()
    size = np.asarray(share @ abs(held.X)).ravel()
    if (np.abs(off) > 1e-6 * size).any() or abs(share @ s) > 1e-6:
        raise DataError("the certificate is about other rows or labels: those of its witness do not meet here")


def _draw_others(ax: Axes, at: Array, s: Array, held: Array) -> None:
    for k, sign in enumerate((-1.0, 1.0)):
        x, y = at[(s == sign) & ~held].T
        colour, marker, _ = style.look(k)
        ax.scatter(x, y, s=12, c=colour, marker=marker, alpha=0.35, linewidths=0, zorder=1)


def _draw_held(ax: Axes, at: Array, s: Array, rows: Array, classes: list[Any]) -> None:
    names = style.shorten(classes)
    groups = [(k, s == sign) for k, sign in enumerate((-1.0, 1.0))]
    for k, own in groups:
        colour, marker, hatch = style.look(k)
        _draw_hull(ax, at[own], colour, hatch or "\\\\\\")
        label = f"{names[k]}: {count(int(own.sum()), 'row')} of the witness"
        ax.scatter(at[own, 0], at[own, 1], s=42, c=colour, marker=marker, zorder=4, label=label, **style.EDGE)
    style.name_points(ax, at[:_NUMBERED], rows[:_NUMBERED])


def _draw_hull(ax: Axes, at: Array, colour: str, hatch: str) -> None:
    """The hull of points of the plane, which may be a point or a segment."""
    centred = at - at.mean(axis=0)
    if not centred.any():
        return
    # Joggled, as points on a line have no hull; nobody sees one that thin.
    corners = at[ConvexHull(centred, qhull_options="QJ").vertices] if len(at) > 2 else at
    ax.fill(*corners.T, facecolor=colour, alpha=0.25, zorder=1)
    ax.fill(*corners.T, facecolor="none", edgecolor=colour, hatch=hatch, lw=1.6, zorder=2)


def _draw_meeting(ax: Axes, at: Array, s: Array, share: Array, p: int) -> None:
    """The point sum p_i x_i of each side; with one feature the two stand in the lanes of their classes."""
    points = np.array([share[s == sign] @ at[s == sign] / share[s == sign].sum() for sign in (-1.0, 1.0)])
    if p == 1:
        ax.plot(*points.T, color=style.INK, ls=":", lw=1.2, zorder=3)
    points = points if p == 1 else points.mean(axis=0, keepdims=True)
    how: dict[str, Any] = {"marker": "*", "c": "white", "edgecolors": style.INK, "linewidths": 1.2, "zorder": 3}
    ax.scatter(points[:, 0], points[:, 1], s=170, label="the hulls meet here", **how)
