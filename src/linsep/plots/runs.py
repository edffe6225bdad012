"""The course of a run, compared with what the theory promises."""

from __future__ import annotations

from textwrap import fill
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from linsep.learners.engine.trace import Trace
from linsep.learners.linear.voted import VotedPerceptron
from linsep.plots.sandwich import draw_angle, draw_norm, path_of
from linsep.plots.style import COLOURS, INK, legend, look, new_axes, note, say_thinned, thinned
from linsep.plots.subject import labels_of, table_of
from linsep.theory.bounds.table import Bound, MistakeBounds
from linsep.types import Array, DataError, Hyperplane

Show = Literal["mistakes", "norm", "angle", "bounds"]
_BINS = 500
_SHARDS = 16


def plot_trace(
    run: Any,
    show: Show = "mistakes",
    X: Any = None,
    y: Any = None,
    *,
    reference: Hyperplane | tuple[Any, float] | None = None,
    bounds: MistakeBounds | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the course of a run.

    - "mistakes": mistakes of each epoch;
    - "norm": k^2 gamma^2 <= ||w_k||^2 <= k R^2 after k updates (with an intercept (w, b/c), (x, c) and the margin of
      the unit vector (w*, b*/c), c the constant feature); thin lines lead on to where the bounds meet, at
      k = (R/gamma)^2;
    - "angle": cos(w_k, w*) >= sqrt(k) gamma / R, which is 1 at the same k;
    - "bounds": the mistakes made beside the bounds on a whole run, those of the first pass beside the bounds on one.

    "norm" and "angle" show every update of a run fitted with trace="updates" on dense rows, and every kept epoch of
    others ("angle" then needs the reference in `fit` too).

    Parameters
    ----------
    run : fitted model or Trace
        The run; a Trace is enough for "mistakes".
    show : {"mistakes", "norm", "angle", "bounds"}, default="mistakes"
        What to draw, as above.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features), optional
        The rows of the run, for "norm" and "angle".
    y : array-like, shape (n_samples,), optional
        Their labels.
    reference : (w, b), optional
        A separator of the rows, for "norm" and "angle"; the wider its margin, the closer the bounds.
    bounds : MistakeBounds, optional
        The bounds, for "bounds".
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
    if show == "bounds":
        if bounds is None:
            raise DataError("give the bounds: bounds=mistake_bounds(X, y, w, b, mistakes=..., epochs=...)")
        return _draw_bounds(new_axes(ax), bounds, run)
    trace = run if isinstance(run, Trace) else getattr(run, "trace_", None)
    if trace is None or not len(trace):
        raise DataError("there is no trace: the model was not fitted by passes, or was loaded from a file")
    if show == "mistakes":
        return _draw_mistakes(new_axes(ax), trace)
    if show not in ("norm", "angle"):
        raise DataError(f'show is "mistakes", "norm", "angle" or "bounds", not {show!r}')
    if X is None or y is None or reference is None or isinstance(run, Trace):
        raise DataError(
            f'"{show}" needs the fitted model, X, y and a reference (w, b), as from max_margin(...).hyperplane'
        )
    table = table_of(X)
    plane = Hyperplane(np.asarray(reference[0], dtype=np.float64).ravel(), float(reference[1]))
    path = path_of(run, trace, table, labels_of(y, table.X.shape[0], table.given), plane, show)
    ax = new_axes(ax)
    (draw_norm if show == "norm" else draw_angle)(ax, path)
    return ax


def _draw_mistakes(ax: Axes, trace: Trace) -> Axes:
    epochs = int(trace.epoch[-1])
    many = len(trace) > 40
    ax.plot(trace.epoch, trace.mistakes.astype(float), color=COLOURS[0], marker="" if many else "o", ms=4, lw=1.4)
    ax.set_xlabel("epoch")
    ax.set_ylabel("mistakes")
    if epochs > 100:
        ax.set_xscale("log")
        ax.set_yscale("symlog", linthresh=1)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(0, 1.08 * max(1, int(trace.mistakes.max())))
    say_thinned(ax, len(trace), epochs, "epochs")
    return ax


def _draw_bounds(ax: Axes, bounds: MistakeBounds, run: Any) -> Axes:
    """Bars on a logarithmic axis, bounds under the mistakes that they are about; or why a bound does not apply."""
    groups = _bounds_of_passes(bounds, run)
    titles = [title for title, _, _ in groups]
    many = sum(1 + len(rows) for _, _, rows in groups)
    finite = [row.value for row in bounds if row.applies and row.value is not None and np.isfinite(row.value)]
    finite += [made for _, made, _ in groups if made is not None] or [1]
    low, high = min(min(finite) / 3, 0.5), max(finite)
    names: list[str] = []
    for title, made, rows in groups:
        if made is not None:
            ax.barh(len(names), made, color=INK, height=0.6, label=title)
            ax.text(max(made, low) * 1.15, len(names), f"{made:,}", va="center", fontsize="small")
            ax.plot([made, made], [len(names), len(names) + len(rows) + 0.4], color=INK, lw=0.8, ls=":")
        names.append(title)
        for row in rows:
            _draw_bound(ax, len(names), row, low)
            names.append(row.name)
    ax.set_xscale("log")
    ax.set_xlim(low, high * 30)
    ax.set_yticks(np.arange(many), names)
    ax.set_ylim(many - 0.5, -0.5)
    ax.set_xlabel("mistakes made, and allowed" if len(titles) > 1 else "mistakes allowed")
    if any(row.one_pass and row.applies for row in bounds):
        note(ax, "hatched: for one pass")
    return ax


def _bounds_of_passes(bounds: MistakeBounds, run: Any) -> list[tuple[str, int | None, list[Bound]]]:
    """Mistakes of the whole run with the bounds on them, and of the first pass with those on one pass.

    What was made in the first pass is known of a run with a trace, and of one pass.
    """
    made = bounds.mistakes if bounds.mistakes is not None else getattr(run, "n_mistakes_", None)
    trace = run if isinstance(run, Trace) else getattr(run, "trace_", None)
    rows = list(bounds)
    if trace is None or not len(trace) or int(trace.epoch[-1]) == 1:
        return [("mistakes made", made, rows)]
    whole, first = [row for row in rows if not row.one_pass], [row for row in rows if row.one_pass]
    parts: list[tuple[str, int | None, list[Bound]]] = [("mistakes made", made, whole)]
    return [*parts, ("in the first pass", int(trace.mistakes[0]), first)] if first else parts


def _draw_bound(ax: Axes, height: int, row: Bound, low: float) -> None:
    value = row.value if row.applies and row.value is not None else np.nan
    if np.isfinite(value):
        hatch = "///" if row.one_pass else ""
        ax.barh(height, value, color=COLOURS[5], hatch=hatch, edgecolor=INK, lw=0.5, height=0.6)
        ax.text(value * 1.15, height, f"{value:,.0f}", va="center", fontsize="small")
        return
    why = row.why if not row.applies else "infinite"
    ax.text(low * 1.15, height, fill(why, 34), va="center", fontsize="x-small", color=INK, linespacing=0.95)


def plot_survival(model: Any, *, label: Any = None, ax: Axes | None = None) -> Axes:
    """Draw c_n over n: the rows that each vector of a voted perceptron survived, its number of votes.

    Parameters
    ----------
    model : VotedPerceptron or KernelPerceptron
        The fitted model.
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
        Another model, or several classes and no `label`.

    Examples
    --------
    >>> learner = VotedPerceptron(fit_intercept=False, shuffle=False).fit([[1.0], [2.0], [-1.0]], [1, 1, 0])
    >>> [float(bar.get_height()) for bar in plot_survival(learner).patches]
    [0.0, 3.0]
    """
    counts = _survival(model, label)
    ax = new_axes(ax)
    n = len(counts)
    width = -(-n // _BINS)
    padded = np.append(counts, np.zeros(-n % width, dtype=counts.dtype)).reshape(-1, width)
    at = np.arange(0, n, width) + (width - 1) / 2
    ax.bar(at, padded.max(axis=1), width=width, color=COLOURS[0], edgecolor=INK, linewidth=0.4 if n <= 60 else 0.0)
    if counts.max() > 20 * max(1.0, float(np.median(counts))):
        ax.set_yscale("symlog", linthresh=10)
        ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="vector w_n, after n updates", ylabel="survival count c_n")
    if width > 1:
        note(ax, f"each bar is the longest-lived of {width} vectors")
    note(ax, f"the {n:,} counts add up to {int(counts.sum()):,} visits")
    return ax


def _survival(model: Any, label: Any) -> Array:
    if not isinstance(model, VotedPerceptron) or not hasattr(model, "classes_"):
        raise DataError(f"survival counts belong to a fitted VotedPerceptron, not to {type(model).__name__}")
    counts = model.survival_counts()
    if len(counts) == 1:
        return np.asarray(counts[0])
    at = np.flatnonzero(model.classes_ == label)
    if label is None or not at.size:
        raise DataError(f"name one class with label=..., of {', '.join(map(str, model.classes_[:20]))}")
    return np.asarray(counts[int(at[0])])


def plot_mixing(mixing: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the mistakes of each shard, added up over the epochs, and those of the mix, sum mu k, with their bound.

    Parameters
    ----------
    mixing : Mixing
        A record of training on shards: `mistakes` and `weights` of shape (n_epochs, n_shards), and `bound`.
    ax : Axes, optional
        Where to draw; without it, in a new figure.

    Returns
    -------
    Axes
        The axes with the picture.

    Raises
    ------
    DataError
        Something else.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> run = SimpleNamespace(mistakes=np.array([[4, 2], [1, 1]]), weights=np.full((2, 2), 0.5), bound=None)
    >>> plot_mixing(run).lines[-1].get_ydata().tolist()
    [3.0, 4.0]
    """
    mistakes, weights = (np.asarray(getattr(mixing, name, np.empty(0))) for name in ("mistakes", "weights"))
    if mistakes.ndim != 2 or mistakes.shape != weights.shape or not mistakes.size:
        raise DataError(f"a record of training on shards can be drawn, not {type(mixing).__name__}")
    ax = new_axes(ax)
    epochs = np.arange(1, len(mistakes) + 1)
    shown = thinned(mistakes.shape[1], _SHARDS)
    for k, shard in enumerate(shown):
        colour, marker, _ = look(k)
        word = f"shard {shard}" if len(shown) <= 4 else "each shard" if k == 0 else "_"  # "_": not in the legend
        every = max(1, len(epochs) // 10)
        total = np.cumsum(mistakes[:, shard])
        ax.plot(epochs, total, color=colour, marker=marker, markevery=every, ms=4, lw=0.9, alpha=0.8, label=word)
    bound = getattr(mixing, "bound", None)
    if bound is not None and bound.applies:
        ax.axhline(bound.value, color=COLOURS[6], ls="--", lw=1.4, label=f"bound {bound.value:,.4g}")
        ax.set_yscale("symlog", linthresh=10)
    ax.plot(epochs, np.cumsum((weights * mistakes).sum(axis=1)), color=INK, lw=2.4, label="the mix: sum of mu k")
    ax.set(xlabel="epoch", ylabel="mistakes so far", ylim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if bound is not None and not bound.applies:
        note(ax, fill(f"no bound: {bound.why}", 60))
    say_thinned(ax, len(shown), mistakes.shape[1], "shards")
    legend(ax)
    return ax
