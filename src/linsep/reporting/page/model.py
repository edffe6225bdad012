"""The content of the page of a model. It imports Matplotlib, so it is imported only to make a report."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from linsep.learners import VotedPerceptron
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import count
from linsep.plots.subject import margins_of, subject_of
from linsep.reporting.bounds import NOT_APPLICABLE
from linsep.reporting.page import tables
from linsep.reporting.page.about import About, named_axes
from linsep.reporting.page.draw import draw_all
from linsep.reporting.page.html import Page
from linsep.reporting.page.pictures import Seen, model_sketches
from linsep.reporting.receipt import Receipt
from linsep.reporting.weights import Weights, weights_of
from linsep.types import Array


def of_model(model: Any, about: About | None, receipt: Receipt, command: str, said: Sequence[str] = ()) -> Page:
    """The page of a fitted TableModel or learner; `said` are warnings that belong to it."""
    learner, encoder = parts_of(model)
    weights = weights_of(model, None if about is None else about.names)
    remarks, parts = list(said), []
    seen = None if about is None else _see(model, about, weights)
    pictures, left_out = draw_all(model_sketches(seen, model, receipt.proved))
    if len(weights.planes):
        parts.append(tables.weights_table(weights, model.classes_, _about_weights(learner, encoder)))
    else:
        remarks.append("No weights: those of a kernel belong to rows, not to features.")
    if about is None or seen is None:
        remarks.append(
            "The rows were not at hand, as those of a stream are not kept: there are no pictures or tables of them."
        )
    elif (seen.margins <= 0).any():
        parts.append(_mistakes(_of_rows(model), about, seen.margins, weights))
        if on := int((seen.margins == 0).sum()):
            # `predict` gives them a class all the same, and accuracies count what it gives.
            remarks.append(f"{count(on, 'row')} on the boundary itself count as mistakes here.")
    return Page(
        title=_title(model),
        kicker="A separator and its receipt" + (f"; scores of {receipt.scored_on}" if receipt.scored_on else ""),
        lead=_lead(receipt),
        lines=[*receipt.lines, *(line for line in receipt.details if not line[1].startswith(NOT_APPLICABLE))],
        command=command,
        pictures=pictures,
        tables=parts,
        remarks=[*remarks, *left_out],
    )


def _of_rows(model: Any) -> TableModel:
    """The model of rows that are encoded already."""
    learner, _ = parts_of(model)
    return TableModel.of(learner, classes=model.classes_)


def _see(model: Any, about: About, weights: Weights) -> Seen:
    """Compute all decision values once; the pictures use the same values several times."""
    rows = named_axes(about)
    subject = subject_of(_of_rows(model))
    z = subject.decide(rows.X)
    once = subject._replace(decide=lambda X: z if X is rows.X else subject.decide(X))
    votes = isinstance(parts_of(model)[0], VotedPerceptron)
    linear = subject.plane is not None or (len(weights.planes) > 2 and not votes)
    return Seen(once, rows, about.y, margins_of(once, rows.X, about.y), linear)


def _mistakes(model: Any, about: About, margins: Array, weights: Weights) -> tables.Table:
    """The mistaken rows, farthest on the wrong side first."""
    mistaken = np.flatnonzero(margins <= 0)
    worst = mistaken[np.argsort(margins[mistaken], kind="stable")]
    predicted = model.predict(about.matrix[worst[: tables.MOST_ROWS]])
    told = zip_longest(worst, predicted)  # of rows that are not shown nobody asks for predictions
    rows = [(int(i), (about.y[i], label, float(margins[i]))) for i, label in told]
    note = "Margin y z: how far on the wrong side, 0 on the line; of several classes z is compared with the best other."
    return tables.rows_table("Mistaken rows", note, ["label", "predicted", "margin"], rows, about.columns, weights)


def _title(model: Any) -> str:
    name, classes = type(parts_of(model)[0]).__name__, model.classes_
    return f"{name}: {classes[1]} against {classes[0]}" if len(classes) == 2 else f"{name} of {len(classes):,} classes"


def _lead(receipt: Receipt) -> str:
    """How good it is, beside always answering one class; where that is not known, why it stopped."""
    told = [line for line in receipt.lines if line[0].endswith("accuracy") or line[0] == "majority class"]
    told = told or [line for line in receipt.lines if line[0] == "stop reason"]
    return " ".join(f"{label.capitalize()}: {text}." for label, text in told)


def _about_weights(learner: Any, encoder: Any) -> str:
    if hasattr(learner, "hidden_coef_"):
        return f"The length of a feature's weights into the {len(learner.hidden_coef_)} hidden nodes."
    scale = "" if encoder is None else "Per standard deviation of a number, or 1 for a category."
    if isinstance(learner, VotedPerceptron):
        return f"Many vectors vote; these are the weights of the last one. {scale}".strip()
    return scale
