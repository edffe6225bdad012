"""The content of the page of a model. It imports Matplotlib, so it is imported only to make a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linsep.learners import VotedPerceptron
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import count
from linsep.plots.subject import margins_of, signs_of, subject_of
from linsep.reporting.bounds import NotApplicable
from linsep.reporting.page import tables
from linsep.reporting.page.about import About, named_axes
from linsep.reporting.page.draw import draw_all
from linsep.reporting.page.html import Page
from linsep.reporting.page.pictures import Seen, model_sketches
from linsep.reporting.quality import NO_BETTER
from linsep.reporting.receipt import Receipt, why_stopped
from linsep.reporting.weights import Weights, weights_of
from linsep.types import Array


def of_model(model: Any, about: About | None, receipt: Receipt, command: str, said: Sequence[str] = ()) -> Page:
    """The page of a fitted TableModel or learner; `said` are warnings that belong to it."""
    learner, encoder = parts_of(model)
    weights = weights_of(model, None if about is None else about.names)
    remarks = list(said)
    seen = None if about is None else _see(model, about, weights)
    pictures, left_out = draw_all(model_sketches(seen, model, receipt.proved, receipt.data.get("held_out")))
    parts = []
    if len(weights.planes):
        parts.append(tables.weights_table(weights, model.classes_, _about_weights(learner, encoder)))
    else:
        remarks.append("No weights: those of a kernel belong to rows, not to features.")
    if about is not None and seen is not None:
        mistaken = np.flatnonzero(seen.margins <= 0)
        if mistaken.size:
            parts.append(_mistakes(_of_rows(model), about, seen.margins, mistaken, weights))
        else:
            remarks.append("No table of mistaken rows: there is none among these.")
    else:
        remarks.append(
            "The rows were not at hand, as those of a stream are not kept: there are no pictures or tables of them."
        )
    return Page(
        title=_title(model),
        kicker="A separator and its receipt" + (f"; scores of {receipt.scored_on}" if receipt.scored_on else ""),
        lead=_lead(model, seen, receipt),
        lines=[*receipt.lines, *(line for line in receipt.details if not isinstance(line[1], NotApplicable))],
        command=command,
        pictures=pictures,
        tables=parts,
        remarks=[*remarks, *left_out],
    )


def check_labels(model: Any, y: Array) -> None:
    """Raise DataError for a label that the model does not know."""
    signs_of(subject_of(model), y)


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


def _mistakes(model: Any, about: About, margins: Array, mistaken: Array, weights: Weights) -> tables.Table:
    worst = mistaken[np.argsort(margins[mistaken], kind="stable")]
    predicted = model.predict(about.matrix[worst[: tables.MOST_ROWS]])
    chosen = tables.chosen_columns(about.columns, weights)
    return tables.mistakes_table(worst, about.y, predicted, margins, about.columns, chosen)


def _title(model: Any) -> str:
    name, classes = type(parts_of(model)[0]).__name__, model.classes_
    return f"{name}: {classes[1]} against {classes[0]}" if len(classes) == 2 else f"{name} of {len(classes):,} classes"


def _lead(model: Any, seen: Seen | None, receipt: Receipt) -> str:
    sentences = _on_held_out(receipt)
    learner, _ = parts_of(model)
    if seen is not None:
        n, p = seen.rows.X.shape
        wrong = int((seen.margins <= 0).sum())
        right = f"all {count(n, 'row')}" if not wrong else f"{n - wrong:,} of {count(n, 'row')}"
        learnt = " that it learnt from" if sentences else ""
        sentences.append(f"It is right about {right} of {count(p, 'feature')}{learnt}.")
        if on := int((seen.margins == 0).sum()):
            # `predict` gives them a class all the same, and accuracies count what it gives.
            sentences.append(f"{count(on, 'row')} on the boundary itself count as mistakes here.")
    why = learner.stop_reason_.sentence if seen is None else why_stopped(learner, float((seen.margins > 0).mean()))
    sentences.append(f"Why it stopped: {why}.")
    if receipt.proved.certificate is not None:
        summary = receipt.proved.certificate.summary()
        sentences.append(f"The rows are {summary}.")
    return " ".join(sentences)


def _on_held_out(receipt: Receipt) -> list[str]:
    """How good it is on rows that it did not learn from, beside the majority class; nothing if none were held out."""
    found = receipt.data.get("held_out")
    if not found:
        return []
    best = found.get("best_constant_class", found["majority_class"])
    share = found.get("best_constant_accuracy", found["majority_accuracy"])
    said = (
        f"Of {count(found['rows'], 'row')} held out {found['accuracy']:.1%} are predicted correctly; always answering "
        f'"{best}" would give {share:.1%}.'
    )
    none_better = dict(receipt.lines).get("majority class", "").endswith(NO_BETTER)
    return [said, "So the model is no better than that."] if none_better else [said]


def _about_weights(learner: Any, encoder: Any) -> str:
    if hasattr(learner, "hidden_coef_"):
        return f"The length of a feature's weights into the {len(learner.hidden_coef_)} hidden nodes."
    scale = "" if encoder is None else "Per standard deviation of a number, or 1 for a category."
    if isinstance(learner, VotedPerceptron):
        return f"Many vectors vote; these are the weights of the last one. {scale}".strip()
    return scale
