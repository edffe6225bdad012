"""Which pictures a model, a certificate or a separation has, and the words beside them."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linsep import plots
from linsep.learners.table_model import parts_of
from linsep.markup import count
from linsep.plots.subject import Subject, Table, codes_of, subject_of
from linsep.reporting.page.draw import Sketch
from linsep.reporting.receipt import Proved
from linsep.theory.separability.certificate import Separability
from linsep.types import Array, Hyperplane

_PROJECTED = " Projected on w, where the decision value is exact, and on the direction of most variance beside it."


class Seen(NamedTuple):
    """The decisions of a model about the rows of the report."""

    subject: Subject
    rows: Table
    y: Array
    margins: Array
    is_linear: bool


def model_sketches(seen: Seen | None, model: Any, proved: Proved) -> list[Sketch]:
    """All that apply to a fitted model; without rows that of the run."""
    learner, _ = parts_of(model)
    sketches = [] if seen is None else [_of_rows(seen), _margins(seen.subject, seen.rows, seen.y, seen.margins)]
    trace = getattr(learner, "trace_", None)
    if trace is not None and len(trace) > 1 and hasattr(trace, "update_log"):
        first, last = int(trace.mistakes[0]), int(trace.mistakes[-1])
        alt = f"Line over {int(trace.epoch[-1]):,} epochs: {first:,} mistakes in the first and {last:,} in the last."
        draw = partial(plots.plot_trace, learner)
        sketches.append(Sketch("Course of the run", "Mistakes in each pass over the rows.", alt, draw))
    if seen is not None and trace is not None and len(trace) and proved.reference and _has_unit_steps(learner):
        sketches.append(_norm(seen, learner, proved.reference))
    if seen is not None and proved.certificate is not None:
        sketches += witness_sketches(proved.certificate, seen.rows, seen.y)
    return sketches


def _of_rows(seen: Seen) -> Sketch:
    n, p = seen.rows.X.shape
    classes = 0 if seen.subject.classes is None else len(seen.subject.classes)
    if p <= 2 or (seen.is_linear and classes == 2):
        caption = "The rows by class and the decision value in colours; the line is where it is 0."
        if classes > 2:
            caption = "The rows by class, and the regions that the model gives to each."
        mistaken = int((seen.margins <= 0).sum())
        alt = f"Scatter plot of {count(n, 'row')}, {mistaken:,} of them mistaken, with the model's boundary."
        draw = partial(plots.plot_boundary, seen.subject, seen.rows, seen.y)
        return Sketch("Boundary", caption + _PROJECTED * (p > 2), alt, draw)
    caption = f"The rows by class, projected on the two directions in which the {p:,} features vary most."
    alt = f"Scatter plot of {count(n, 'row')} of {classes} classes in the first two principal directions."
    return Sketch("Rows", caption, alt, partial(plots.plot_points, seen.rows, seen.y))


def _margins(subject: Subject, rows: Table, y: Array, margins: Array) -> Sketch:
    n, wrong = len(margins), int((margins <= 0).sum())
    least, middle = float(margins.min()), float(np.median(margins))
    caption = "How many rows have which margin y z, z the decision value. Those at 0 or left of it are mistaken."
    alt = f"Histogram of {n:,} margins: {n - wrong:,} positive, {wrong:,} not; least {least:.3g}, median {middle:.3g}."
    return Sketch("Margins", caption, alt, partial(plots.plot_margins, subject, rows, y))


def _has_unit_steps(learner: Any) -> bool:
    return bool(getattr(learner, "unit_steps", False)) and learner.class_weight is None


def _norm(seen: Seen, learner: Any, reference: Hyperplane) -> Sketch:
    caption = (
        "Novikoff's proof, measured: after k updates the squared length of w lies between k² gamma² and k R²; "
        "where the two meet no further mistake is possible."
    )
    alt = "Line of the squared norm of w over the number of updates, between its lower and its upper bound."
    _, side = codes_of(seen.subject, seen.y)
    draw = partial(plots.plot_trace, learner, "norm", seen.rows, side, reference=reference)
    return Sketch("The length of w", caption, alt, draw)


def certificate_sketches(found: Separability, plane: Hyperplane | None, rows: Table, y: Array) -> list[Sketch]:
    """The plane, or why there is none; `plane` is in the units of the rows."""
    witness = witness_sketches(found, rows, y)
    if plane is None:
        return witness
    if found.verdict == "separable":
        title, caption = "A separator", "The rows and a hyperplane that was proved to separate them."
        alt = f"Scatter plot of {count(len(y), 'row')} on the two sides of a line."
        return [_of_plane(title, caption, alt, found.classes, plane, rows, y)]
    caption = "A direction with no row on its wrong side; rows on the line are left."
    alt = f"Scatter plot of {count(len(y), 'row')} on two sides of a line and on it."
    return [_of_plane("A direction", caption, alt, found.classes, plane, rows, y), *witness]


def suspects_sketch(
    classes: tuple[str, ...], plane: Hyperplane, rows: Table, y: Array, n_suspects: int, numbers: Array
) -> Sketch:
    """The rows beside a hyperplane that separates all but the suspects; `plane` is in the units of the rows.

    `numbers` are those of the rows in the file.
    """
    few = count(n_suspects, "suspect")
    caption = (
        f"A hyperplane that was proved to separate all but {few}; rings mark the rows that it has wrong, "
        "with the numbers of up to twelve."
    )
    alt = f"Scatter plot of {count(len(y), 'row')} on the two sides of a line; {few} keep it from separating them all."
    return _of_plane("Suspects", caption, alt, classes, plane, rows, y, row_names=numbers)


def _of_plane(
    title: str, caption: str, alt: str, classes: tuple[str, ...], plane: Hyperplane, rows: Table, y: Array, **how: Any
) -> Sketch:
    pair = subject_of((plane.w, plane.b))._replace(named=classes)
    caption += _PROJECTED * (rows.X.shape[1] > 2)
    return Sketch(title, caption, alt, partial(plots.plot_boundary, pair, rows, y, **how))


def witness_sketches(found: Separability, rows: Table, y: Array) -> list[Sketch]:
    """Rows that no hyperplane separates, where the certificate names them."""
    if found.witness is None:
        return []
    caption = "Rows of the two classes whose hulls meet: no hyperplane passes between them."
    alt = f"Scatter plot with the hulls of {count(len(found.witness.rows), 'row')} of the two classes, which meet."
    return [Sketch("Why no hyperplane separates them", caption, alt, partial(plots.plot_witness, found, rows, y))]
