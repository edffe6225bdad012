"""The receipt: what was learnt from which rows, and what can be proved about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import label_names
from linsep.data.features.dates import is_date
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import is_words
from linsep.data.labels import doubt_of_labels
from linsep.data.numbers import unit_of
from linsep.learners import MLP, AveragedPerceptron, VotedPerceptron
from linsep.learners.base.tables import positions
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import count, listed
from linsep.reporting.bounds import bounds_of_run
from linsep.reporting.proof import certificate_of
from linsep.reporting.quality import Scores, majority_line, rare_words, score_lines, scores_of_rows
from linsep.tables import stored_in
from linsep.theory.bounds.cover import cover_note
from linsep.theory.bounds.losses import training_loss
from linsep.theory.bounds.table import MistakeBounds
from linsep.theory.margin.geometry import radius
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.certificate import Separability
from linsep.types import Array, Hyperplane, StopReason

# Proofs are part of every receipt while the table is small; on a larger one `linsep check` is the place to ask.
PROOF_ENTRIES = 2_000_000
_PROOF_SECONDS = 20.0
_BRACKET_SECONDS = 10.0  # for each margin: on wide tables the last digits take minutes


class Proved(NamedTuple):
    """What was proved about the training rows; `reference` is their separator with the widest margin of (x, 1)."""

    certificate: Separability | None = None
    reference: Hyperplane | None = None
    bounds: MistakeBounds | None = None


@dataclass(frozen=True)
class Receipt:
    """What is known about a fitted model and its training rows.

    Attributes
    ----------
    lines : list of (str, str)
        Label and text of each line, for people: ten at most.
    data : dict
        All that is known as plain data, for programs.
    proved : Proved
        The certificate, the reference and the bounds, each None if it was not computed; `report` draws them.
    details : list of (str, str)
        Further lines: counts, classes, norms, brackets and bounds, and what does not apply.
    scored_on : str
        Of which rows the scores are, and how those were drawn.
    warnings : list of str
        What is to be said loudly, such as a model that is no better than always answering one class.
    """

    lines: list[tuple[str, str]]
    data: dict[str, Any]
    proved: Proved = field(default_factory=Proved)
    details: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    scored_on: str = ""


def if_any(**known: Any) -> dict[str, Any]:
    """What is known, without what is nothing: an empty list, 0 or None.

    Examples
    --------
    >>> if_any(unlabelled=2, hints=[])
    {'unlabelled': 2}
    """
    return {name: value for name, value in known.items() if value}


def make_receipt(
    model: Any,
    X: Any,
    y: Array,
    *,
    seconds: float | None,
    held_out: Scores | None,
    prove: bool,
    weighted: bool = False,
    aside: str = "",
) -> Receipt:
    """Describe a fitted model and prove what can be proved about its training rows.

    `X` are the rows as the learner got them, encoded by the model; `y` are labels by the names of `model.classes_`.
    After a run in which rows are `weighted` no bound holds.
    """
    learner, encoder = parts_of(model)
    n, p = X.shape
    training = _score_training(learner, model.classes_, X, y)
    best, where = (training, "training") if held_out is None else (held_out, "held-out")
    data: dict[str, Any] = {
        "rows": n,
        "features": p,
        "learner": type(learner).__name__,
        "stop_reason": str(learner.stop_reason_),
        "epochs": learner.n_iter_,
        "mistakes": getattr(learner, "n_mistakes_", None),
        "seconds": None if seconds is None else round(seconds, 3),
        "training_accuracy": training.accuracy,
        "held_out_accuracy": None if held_out is None else held_out.accuracy,
        "training": training.to_dict(),
        "held_out": None if held_out is None else held_out.to_dict(),
        "radius": float(radius(X)),
    }
    balanced = getattr(learner, "class_weight", None) is not None
    weighted = weighted or balanced
    proof_lines, proof, proved = _prove(learner, model.classes_, X, y, weighted) if prove else ([], {}, Proved())
    with_loss = prove and not weighted and hasattr(learner, "excess_bound_")
    loss_lines, loss = _excess(learner, model.classes_, X, y) if with_loss else ([], {})
    other = ("training", f"{training.accuracy:.2%}")
    if held_out is None:
        other = ("held-out", "not measured" + " (--holdout 0.2 keeps a fifth of the rows aside)" * prove)
    took = count(learner.n_iter_, "epoch")
    took += "" if seconds is None else f" in {seconds:.2f} s"
    took += f", {data['mistakes']:,} mistakes" if data["mistakes"] is not None and len(model.classes_) == 2 else ""
    lines = [
        ("rows", f"{n:,}"),
        ("columns", columns_line(encoder, p)),
        ("learner", f"{data['learner']}, {took}"),
        ("stop reason", f"{learner.stop_reason_}: {why_stopped(learner, data['training_accuracy'])}"),
        (f"{where} accuracy", f"{best.accuracy:.2%} of {_of_which(held_out, aside)}"),
        ("majority class", majority_line(best, weighted=balanced)[1] + rare_words(best, weighted=balanced)),
        *proof_lines[:1],
    ]
    details = [
        *score_lines(best),
        (f"{other[0]} accuracy", other[1]),
        ("mistakes", _mistakes(learner)),
        ("R, the largest row norm", f"{data['radius']:.6g}"),
        *([("c, the constant feature", f"{c:.6g}")] if (c := getattr(learner, "intercept_scaling_", 1.0)) != 1 else []),
        *loss_lines,
        *proof_lines[1:],
    ]
    doubts = best.doubts(f"{where} rows", weighted=balanced) + doubt_of_labels(model.classes_)
    return Receipt(lines, data | loss | proof, proved, details, doubts, _scored_on(n, held_out, aside))


def _scored_on(n: int, held_out: Scores | None, aside: str) -> str:
    """Of which rows the scores are, for a heading."""
    if held_out is None:
        return f"the {n:,} rows that it learnt from: none were held out"
    return f"{held_out.rows:,} of {n:,} rows, held out{aside or ' at random'}"


def columns_line(encoder: TableEncoder | None, features: int) -> str:
    """How many columns there were, and how many features they make."""
    names = None if encoder is None else encoder.column_names
    if encoder is None or names is None:
        return f"{features:,}, all numbers"
    amounts = [f"{name!r:.40} in {unit_of(encoder.kinds_[name])}" for name in encoder.amount_columns]
    units = f" ({listed(amounts)})" if amounts else ""
    texts = len(encoder.text_columns) - len(encoder.amount_columns)
    if not texts:
        return f"{len(names):,}, all numbers{units}"
    kinds = [encoder.kinds_.get(name, "") for name in names]
    dates, words = sum(map(is_date, kinds)), sum(map(is_words, kinds))
    held = {f"numbers{units}": len(names) - texts, "text": texts - dates - words, "dates": dates, "running text": words}
    parts = [f"{n:,} of {what}" for what, n in held.items() if n]
    return f"{len(names):,}: {', '.join(parts)}, {features:,} features in all"


def _score_training(learner: Any, classes: Array, X: Any, y: Array) -> Scores:
    """The scores on the training rows, with areas where decision values are one product."""
    names = label_names(classes).tolist()
    of_rows = TableModel.of(learner, classes=classes)
    values = learner.decision_function(X) if hasattr(learner, "coef_") else None
    return scores_of_rows(positions(y, classes), positions(of_rows.predict(X), classes), values, names)


def _of_which(held_out: Scores | None, aside: str) -> str:
    """Of which rows the accuracy is."""
    if held_out is None:
        return "the rows that it learnt from"
    return f"{held_out.rows:,} rows{aside} (the same learner, fitted on the other rows)"


def _mistakes(learner: Any) -> str:
    """The mistakes of all epochs; those of classes one against the rest are not mistakes of rows."""
    made = getattr(learner, "n_mistakes_", None)
    if made is None:
        return "not counted by this learner"
    each = len(learner.classes_) > 2 and getattr(learner, "multi_class", "") == "ovr"
    return f"{made:,}" + (f", counted for each of {len(learner.classes_)} classes against the rest" if each else "")


def why_stopped(learner: Any, accuracy: float | None) -> str:
    """The meaning of the stop for this learner; `accuracy` is that on the training rows, or None."""
    reason: StopReason = learner.stop_reason_
    if reason is StopReason.CLEAN_PASS and accuracy != 1 and _predicts_by_many(learner):
        return "a whole pass without a mistake: its vector separates the training rows, the mean or vote need not"
    if reason is StopReason.CLEAN_PASS and len(learner.classes_) > 2 and getattr(learner, "multi_class", "") != "ovr":
        # That is less than each class separable from all others, which `linsep check` asks.
        return "a whole pass without a mistake: in each training row the score of its own class was the highest"
    if reason in (StopReason.EPOCH_BUDGET, StopReason.TIME_BUDGET) and isinstance(learner, MLP):
        return f"the {reason} ended"  # it does not look for a clean pass
    return reason.sentence


def _predicts_by_many(learner: Any) -> bool:
    """Whether predictions are a mean or vote of the vectors of the run."""
    many = isinstance(learner, AveragedPerceptron | VotedPerceptron)
    return many or getattr(learner, "average", "last") not in ("last", False)


def _prove(
    learner: Any, classes: Array, X: Any, y: Array, weighted: bool
) -> tuple[list[tuple[str, str]], dict[str, Any], Proved]:
    data: dict[str, Any] = {"verdict": None}
    if stored_in(X) > PROOF_ENTRIES:
        return [("separable?", "not asked of a table this large: `linsep check` decides")], data, Proved()
    if len(classes) > 2:
        said = "`linsep check` asks more: whether each class is separable from all others together"
        bound_lines, data["bounds"], _ = bounds_of_run(learner, classes, X, y, [], weighted)
        return [("separable?", said), *bound_lines], data, Proved()
    fit_intercept = getattr(learner, "fit_intercept", True)
    side = positions(y, classes)  # theorems take the label that sorts last as positive: of codes that is the learner's
    certificate = certificate_of(X, side, classes, fit_intercept=fit_intercept, time_limit=_PROOF_SECONDS)
    data = {"verdict": certificate.verdict, "summary": certificate.summary()}
    planes = []
    if hasattr(learner, "coef_"):
        planes.append(Hyperplane(learner.coef_[0].astype(np.float64), float(learner.intercept_[0])))
    told = ""
    if certificate.verdict == "separable":
        told = cover_note(len(y), X.shape[1] + fit_intercept, int(side.sum()))
    elif certificate.witness is not None:
        told = "; `linsep check --explain` finds the rows that have to go"
    lines = [("separable?", certificate.summary() + told)]
    if certificate.verdict == "separable":
        bracket = max_margin(X, side, bias="free" if fit_intercept else None, time_limit=_BRACKET_SECONDS)
        data["margin"] = bracket.to_dict()
        lines.append(("margin bracket", f"{bracket.lower:.9g} <= gamma* <= {bracket.upper:.9g}"))
        planes.append(bracket.hyperplane)
        if fit_intercept:
            planes.append(_homogeneous(X, side, getattr(learner, "intercept_scaling_", 1.0)))
    bound_lines, data["bounds"], bounds = bounds_of_run(learner, classes, X, y, planes, weighted)
    reference = planes[-1] if certificate.verdict == "separable" else None
    return lines + bound_lines, data, Proved(certificate, reference, bounds)


def _homogeneous(X: Any, side: Array, c: float) -> Hyperplane:
    """The plane that bounds mistakes on rows (x, c) best: that of (x / c, 1), in the units of x."""
    w, b = max_margin(X if c == 1 else X / c, side, bias="homogeneous", time_limit=_BRACKET_SECONDS).hyperplane
    return Hyperplane(w / c, b)


def _excess(learner: Any, classes: Array, X: Any, y: Array) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """The loss of a descent, and how far it may be above the least one."""
    positive = classes[-len(learner.coef_) :]
    losses = [
        training_loss(X, y == label, w, float(b), learner.loss)
        for label, w, b in zip(positive, learner.coef_, learner.intercept_, strict=True)
    ]
    bound, radius = learner.excess_bound_, learner.projection_radius
    promise = f"{'none' if radius is not None else 'no ball'}: {bound.why}"
    if bound.applies:
        promise = f"{bound.value:.6g} in expectation: {bound.formula}, "
        promise += f"B = {radius:g}, G = {learner.gradient_bound_:.6g}, T = {learner.t_:,}"
    each = " for each class against the rest" if len(losses) > 1 else ""
    lines = [
        (f"mean {learner.loss} loss", ", ".join(f"{loss:.6g}" for loss in losses) + each),
        ("guaranteed excess", promise),
    ]
    return lines, {"loss": losses, "guaranteed_excess": bound.value, "no_guarantee": bound.why}
