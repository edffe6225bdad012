"""The weights of a plane: the heaviest by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linsep.data.features.exact_decimals import row_names
from linsep.plots.style import INK, NEGATIVE, POSITIVE, legend, new_axes, say_thinned, shorten
from linsep.plots.subject import Subject, subject_of
from linsep.types import Array, DataError


def plot_weights(
    model: Any,
    *,
    n: int = 20,
    names: Sequence[str] | None = None,
    label: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the n weights with the largest |w_j|.

    Parameters
    ----------
    model : fitted linear classifier, Separability, MarginBracket, or pair (w, b)
        The owner of the weights.
    n : int, default=20
        Features to draw at most; the picture says when there are more.
    names : sequence of str, optional
        Names of the features, if the model does not know them.
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
        The model is not linear, or of several classes and none was named; or names of another number.

    Examples
    --------
    >>> ax = plot_weights(([0.5, -2.0, 0.0], 1.0), n=2)
    >>> [float(bar.get_width()) for bar in ax.patches], ax.get_xlabel()
    ([-2.0, 0.5], 'weight\\n2 of 3 features shown')
    """
    if n < 1:
        raise DataError(f"at least one feature has to be drawn, n is {n}")
    subject = subject_of(model, label)
    if subject.plane is None:
        many = subject.classes is not None and len(subject.classes) > 2 and label is None
        raise DataError(
            "name one class with label=..." if many else f"{type(model).__name__} has no weight per feature"
        )
    w = subject.plane.w
    ax = new_axes(ax)
    known = getattr(model, "feature_names_in_", None) if names is None else names
    texts = row_names(len(w), None) if known is None else [str(name) for name in known]
    if len(texts) != len(w):
        raise DataError(f"{len(texts)} names were given for {len(w)} features")
    if n < len(w):
        n = min(n, max(1, int(np.count_nonzero(w))))  # of so many features none that has no weight
    _draw_bars(ax, w, texts, min(n, len(w)), _sides(subject))
    return ax


def _sides(subject: Subject) -> tuple[str, str]:
    if subject.one is not None:
        return "for the rest", f"for {subject.one}"
    if subject.classes is None or len(subject.classes) < 2:
        return "negative", "positive"
    return f"for {subject.classes[0]}", f"for {subject.classes[1]}"


def _draw_bars(ax: Axes, w: Array, names: list[str], n: int, sides: tuple[str, str]) -> None:
    top = np.argsort(-np.abs(w), kind="stable")[:n]
    for sign, colour, hatch, side in ((-1, NEGATIVE, "////", sides[0]), (1, POSITIVE, "", sides[1])):
        at = np.flatnonzero((w[top] < 0) == (sign < 0))
        if at.size:
            ax.barh(at, w[top][at], color=colour, hatch=hatch, edgecolor=INK, lw=0.5, height=0.7, label=side)
    ax.set_yticks(range(n), shorten([names[j] for j in top]))
    ax.tick_params(axis="y", labelsize="small" if n <= 20 else max(3, 160 // n))
    ax.set_ylim(n - 0.4, -0.6)
    ax.axvline(0, color=INK, lw=0.8)
    ax.set_xlabel("weight")
    say_thinned(ax, n, len(w), "features")
    legend(ax)
