"""Which pictures a model, a certificate or a separation has, and the words beside them."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linsep import plots
from linsep.learners.linear.voted import VotedPerceptron
from linsep.learners.table_model import parts_of
from linsep.markup import count
from linsep.plots.style import shorten
from linsep.plots.subject import Subject, Table, codes_of, named_table, subject_of
from linsep.regression.found import Separation
from linsep.reporting.explanation.explanation import ExplainedColumns
from linsep.reporting.page.about import About
from linsep.reporting.page.draw import Sketch
from linsep.reporting.receipt import Proved
from linsep.reporting.weights import Weights
from linsep.tables import dense
from linsep.theory.separability.certificate import Separability
from linsep.types import Array, Hyperplane

_PROJECTED = " Projected on w, where the decision value is exact, and on the direction of most variance beside it."
_MOST_CLASSES = 4  # that have a picture of their weights each


class Seen(NamedTuple):
    """The decisions of a model about the rows of the report."""

    subject: Subject
    rows: Table
    y: Array
    margins: Array
    is_linear: bool


def model_sketches(seen: Seen | None, model: Any, weights: Weights, proved: Proved, held_out: Any) -> list[Sketch]:
    """All that apply to a fitted model; without rows those of the run and the weights."""
    learner, _ = parts_of(model)
    sketches = [] if seen is None else [*_of_rows(seen), _margins(seen)]
    if held_out and held_out["reliability"]:
        sketches.append(_reliability(held_out["reliability"]))
    sketches += _of_run(seen, learner, proved)
    sketches += _of_weights(learner, weights, model.classes_)
    if seen is not None and proved.certificate is not None:
        sketches += witness_sketches(proved.certificate, seen.rows, seen.y)
    return sketches


def _of_rows(seen: Seen) -> list[Sketch]:
    n, p = seen.rows.X.shape
    classes = 0 if seen.subject.classes is None else len(seen.subject.classes)
    mistaken = int((seen.margins <= 0).sum())
    rows = f"{count(n, 'row')}, {mistaken:,} of them mistaken"
    if p <= 2 or (seen.is_linear and classes == 2):
        where = "" if p <= 2 else _PROJECTED
        caption = "The rows by class and the decision value in colours; the line is where it is 0."
        if classes > 2:
            caption = "The rows by class, and the regions that the model gives to each."
        alt = f"Scatter plot of {rows}, with the model's boundary."
        return [
            Sketch(
                "Boundary", caption + where, alt, lambda ax: plots.plot_boundary(seen.subject, seen.rows, seen.y, ax=ax)
            )
        ]
    caption = f"The rows by class, projected on the two directions in which the {p:,} features vary most."
    alt = f"Scatter plot of {count(n, 'row')} of {classes} classes in the first two principal directions."
    return [Sketch("Rows", caption, alt, lambda ax: plots.plot_points(seen.rows, seen.y, ax=ax))]


def _margins(seen: Seen) -> Sketch:
    n, wrong = len(seen.margins), int((seen.margins <= 0).sum())
    least, middle = float(seen.margins.min()), float(np.median(seen.margins))
    caption = "How many rows have which margin y z. Those at 0 or left of it are mistaken."
    alt = f"Histogram of {n:,} margins: {n - wrong:,} positive, {wrong:,} not; least {least:.3g}, median {middle:.3g}."
    return Sketch("Margins", caption, alt, lambda ax: plots.plot_margins(seen.subject, seen.rows, seen.y, ax=ax))


def _reliability(parts: list[Any]) -> Sketch:
    """Probabilities of rows held out beside how often they came true."""
    n = sum(part[2] for part in parts)
    far = max(abs(said - true) for said, true, _ in parts)
    caption = (
        "Probabilities given to rows held out, in tenths, and the share of them that came true; the larger a dot, the "
        "more rows. On the line they are as good as their word."
    )
    alt = f"{len(parts)} dots for {n:,} probabilities; the farthest from the diagonal is off by {far:.2f}."

    def draw(ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color="0.6", lw=0.8)
        said, true, rows = zip(*parts, strict=True)
        ax.scatter(said, true, s=[12 + 160 * k / n for k in rows], color="C0", zorder=3)
        ax.set(xlabel="probability given", ylabel="share that came true", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))

    return Sketch("Reliability", caption, alt, draw)


def _of_run(seen: Seen | None, learner: Any, proved: Proved) -> list[Sketch]:
    sketches = []
    trace = getattr(learner, "trace_", None)
    if trace is not None and len(trace) > 1 and hasattr(trace, "update_log"):
        first, last = int(trace.mistakes[0]), int(trace.mistakes[-1])
        epochs = int(trace.epoch[-1])
        caption = "Mistakes in each pass over the rows."
        alt = f"Line over {epochs:,} epochs: {first:,} mistakes in the first and {last:,} in the last."
        sketches.append(Sketch("Course of the run", caption, alt, lambda ax: plots.plot_trace(learner, ax=ax)))
    if (
        seen is not None
        and trace is not None
        and len(trace)
        and proved.reference is not None
        and _has_unit_steps(learner)
    ):
        sketches.append(_norm(seen, learner, proved.reference))
    return sketches


def _has_unit_steps(learner: Any) -> bool:
    return bool(getattr(learner, "unit_steps", False)) and learner.class_weight is None and learner.from_zero


def _norm(seen: Seen, learner: Any, reference: Hyperplane) -> Sketch:
    caption = (
        "Novikoff's proof, measured: after k updates the squared length of w lies between k² gamma² and k R²; "
        "where the two meet no further mistake is possible."
    )
    alt = "Line of the squared norm of w over the number of updates, between its lower and its upper bound."
    _, side = codes_of(seen.subject, seen.y)
    return Sketch(
        "The length of w",
        caption,
        alt,
        lambda ax: plots.plot_trace(learner, "norm", seen.rows, side, reference=reference, ax=ax),
    )


def _of_weights(learner: Any, weights: Weights, classes: Any) -> list[Sketch]:
    planes = len(weights.planes)
    if (
        planes == 0
        or hasattr(learner, "hidden_coef_")
        or planes > _MOST_CLASSES
        or isinstance(learner, VotedPerceptron)
    ):
        return []
    return [weights_sketch(weights, k, classes) for k in range(planes)]


def weights_sketch(weights: Weights, k: int, classes: Any) -> Sketch:
    """The bars of one plane; w stands for the model, as its names and signs are the encoder's."""
    w = np.asarray(weights.planes[k], dtype=np.float64) * weights.signs
    top = int(np.abs(w).argmax())
    several = len(weights.planes) > 1
    title = f"Weights of {classes[k]}" if several else "Weights"
    side = f"{classes[k]} and against the others" if several else f"{classes[1]} and against {classes[0]}"
    caption = f"The heaviest features: to the right they speak for {side}."
    alt = f"Bars of the heaviest weights; the heaviest is {weights.names[top]} with {w[top]:.3g}."
    return Sketch(title, caption, alt, lambda ax: plots.plot_weights((w, 0.0), names=weights.names, ax=ax))


def certificate_sketches(found: Separability, plane: Hyperplane | None, rows: Table, y: Array) -> list[Sketch]:
    """The plane and its margins, or why there is none; `plane` is in the units of the rows."""
    if plane is None:
        return witness_sketches(found, rows, y)
    n, pair = count(len(y), "row"), subject_of((plane.w, plane.b))._replace(named=found.classes)
    projected = _PROJECTED if rows.X.shape[1] > 2 else ""
    if found.verdict != "separable":
        caption = f"A direction with no row on its wrong side; rows on the line are left.{projected}"
        alt = f"Scatter plot of {n} on two sides of a line and on it."
        draw = partial(plots.plot_boundary, pair, rows, y, ring="mistaken")
        return [Sketch("A direction", caption, alt, lambda ax: draw(ax=ax)), *witness_sketches(found, rows, y)]
    caption = f"The rows and a hyperplane that was proved to separate them.{projected}"
    alt = f"Scatter plot of {n} on the two sides of a line."
    boundary = Sketch("A separator", caption, alt, lambda ax: plots.plot_boundary(pair, rows, y, ax=ax))
    caption = "How far the rows are from it: y z, z the decision value."
    alt = f"Histogram of the margins of {n}."
    return [boundary, Sketch("Margins", caption, alt, lambda ax: plots.plot_margins(pair, rows, y, ax=ax))]


def suspects_sketch(
    classes: tuple[str, ...], plane: Hyperplane, rows: Table, y: Array, n_suspects: int, numbers: Array
) -> Sketch:
    """The rows beside a hyperplane that separates all but the suspects; `plane` is in the units of the rows.

    `numbers` are those of the rows in the file.
    """
    pair = subject_of((plane.w, plane.b))._replace(named=classes)
    few = count(n_suspects, "suspect")
    projected = _PROJECTED if rows.X.shape[1] > 2 else ""
    caption = (
        f"A hyperplane that was proved to separate all but {few}; rings mark the rows that it has wrong, "
        f"with the numbers of up to twelve.{projected}"
    )
    alt = f"Scatter plot of {count(len(y), 'row')} on the two sides of a line; {few} keep it from separating them all."
    draw = partial(plots.plot_boundary, pair, rows, y, ring="mistaken", row_names=numbers)
    return Sketch("Suspects", caption, alt, lambda ax: draw(ax=ax))


def column_sketch(behind: ExplainedColumns, about: About, y: Array) -> list[Sketch]:
    """The values, by class, of the column of numbers that separates most rows alone; nothing if none is told of."""
    told = [(one.columns[0], "all rows") for one in behind.of_kind("alone")]
    told += [(one.columns[0], f"all rows but {one.more['errors']}") for one in behind.of_kind("nearly")]
    numbers = [(name, rows) for name, rows in told if name in about.names]
    if about.matrix is None or not numbers:
        return []
    name, rows = numbers[0]
    column = named_table(dense(about.matrix[:, [about.names.index(name)]]), [name])
    short = shorten([name])[0]
    caption = f"The values of {short} in each class: alone it separates {rows}."
    alt = f"Strips of the values of {short} in {count(len(y), 'row')}, one for each class; it separates {rows}."
    return [Sketch(f"Column {short}", caption, alt, lambda ax: plots.plot_points(column, y, ax=ax))]


def witness_sketches(found: Separability, rows: Table, y: Array) -> list[Sketch]:
    """Rows that no hyperplane separates, where the certificate names them."""
    if found.witness is None:
        return []
    k = len(found.witness.rows)
    caption = "Rows of the two classes whose hulls meet: no hyperplane passes between them."
    alt = f"Scatter plot with the hulls of {count(k, 'row')} of the two classes, which meet in a point."
    return [
        Sketch("Why no hyperplane separates them", caption, alt, lambda ax: plots.plot_witness(found, rows, y, ax=ax))
    ]


def separation_sketches(found: Separation) -> list[Sketch]:
    """Where each coefficient goes."""
    if not found.coefficients:
        return []
    caption = "Where maximum likelihood sends each coefficient: to a finite value, or away without end."
    infinite = sum(value != "finite" for value in found.coefficients.values())
    alt = (
        f"{len(found.coefficients):,} coefficients, {infinite:,} of them without a finite estimate, as dots and arrows."
    )
    return [Sketch("Coefficients", caption, alt, lambda ax: plots.plot_separation(found, ax=ax))]
