"""The receipt: what was learnt from which rows, and what can be proved about it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linsep.clock import clock
from linsep.data.columns import label_names
from linsep.data.features.dates import is_date
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import is_words
from linsep.data.labels import doubt_of_labels
from linsep.data.numbers import unit_of
from linsep.learners import MLP, AveragedPerceptron, VotedPerceptron
from linsep.learners.base.loop import uninterrupted
from linsep.learners.base.tables import positions
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import count, listed
from linsep.reporting.bounds import bounds_of_run
from linsep.reporting.proof import certificate_of
from linsep.reporting.quality import Scores, majority_line, rare_words, score_lines, scores_of_rows
from linsep.tables import stored_in
from linsep.theory.bounds.cover import cover_note
from linsep.theory.bounds.losses import training_loss
from linsep.theory.margin.geometry import radius
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.certificate import Separability
from linsep.types import Array, Hyperplane, StopReason

# Proofs are part of every receipt while they are quick; where they take longer `linsep check` is the place to ask.
PROOF_ENTRIES = 2_000_000
_SECONDS = 2.0  # for the proof, and for each margin: on wide tables the last digits of one take minutes
Known = TypeVar("Known")


class Line(NamedTuple):
    """One thing that is known: a code and a value for programs, a label and a sentence for people, or one of the two.

    `more` says that the sentence is for those who ask for details.
    """

    code: str
    label: str
    value: Any
    sentence: str = ""
    more: bool = False


@dataclass(frozen=True)
class Receipt:
    """What is known about a fitted model and its training rows.

    Attributes
    ----------
    told : list of Line
        Each thing that is known, from which `lines`, `details` and `data` are taken.
    certificate : Separability or None
        What was proved about the training rows.
    scored_on : str
        Of which rows the scores are, and how those were drawn.
    warnings : list of str
        What is to be said loudly, such as a model that is no better than always answering one class.
    """

    told: list[Line]
    certificate: Separability | None = None
    warnings: list[str] = field(default_factory=list)
    scored_on: str = ""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Label and text of each line, for people: ten at most."""
        return [(one.label, one.sentence) for one in self.told if one.label and not one.more]

    @property
    def details(self) -> list[tuple[str, str]]:
        """Further lines: counts, classes, norms, brackets and bounds, and what does not apply."""
        return [(one.label, one.sentence) for one in self.told if one.label and one.more]

    @cached_property
    def data(self) -> dict[str, Any]:
        """All that is known as plain data, for programs."""
        return {one.code: one.value for one in self.told if one.code}


def for_people(lines: Iterable[tuple[str, str]], *, more: bool = False) -> list[Line]:
    """Labels and texts as lines that say nothing to programs."""
    return [Line("", label, None, text, more) for label, text in lines]


def if_any(**known: Any) -> list[Line]:
    """What is known for programs, without what is nothing: an empty list, 0 or None.

    Examples
    --------
    >>> [(line.code, line.value) for line in if_any(unlabelled=2, hints=[])]
    [('unlabelled', 2)]
    """
    return [Line(code, "", value) for code, value in known.items() if value]


def train_keep_measure(
    train: Callable[[], Any],
    kind: type[Warning],
    is_trained: Callable[[], bool],
    keep: Callable[[], None],
    measure: Callable[[bool, float], Known],
) -> tuple[Known, list[str], bool]:
    """Take the three steps; return what was measured, the first warning of the training, and whether Ctrl-C came.

    Parameters
    ----------
    train : callable
        Trains the model. Ctrl-C ends it.
    kind : type
        The kind of warnings of which the first one is kept.
    is_trained : callable
        Whether there is a model although Ctrl-C ended `train`; if not, `KeyboardInterrupt` goes on to the caller.
    keep : callable
        Keeps the model, as in a file. Ctrl-C waits until it is done.
    measure : callable
        Describes the model. It is told whether there is time for what takes long (after Ctrl-C there is not) and how
        many seconds the training took, without compiling.

    Examples
    --------
    >>> train_keep_measure(lambda: None, Warning, lambda: True, lambda: print("kept"), lambda at_length, _: at_length)
    kept
    (True, [], False)
    """
    interrupted = False
    with uninterrupted() as held:
        began = clock()
        with warnings.catch_warnings(record=True) as taken:
            warnings.simplefilter("always", kind)
            try:
                with held.lifted():
                    train()
            except KeyboardInterrupt:
                if not is_trained():
                    raise
                interrupted = True
        seconds = clock() - began
        said = [str(one.message) for one in taken if issubclass(one.category, kind)][:1]
        keep()
        try:
            with held.lifted():
                return measure(not interrupted, seconds), said, interrupted
        except KeyboardInterrupt:
            with held.lifted():
                return measure(False, seconds), said, True


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
    (n, p), classes = X.shape, model.classes_
    training = _score_training(learner, classes, X, y)
    best, where = (training, "training") if held_out is None else (held_out, "held-out")
    balanced = getattr(learner, "class_weight", None) is not None
    proof, certificate = _prove(learner, classes, X, y, weighted or balanced) if prove else ([], None)
    with_loss = prove and not (weighted or balanced) and hasattr(learner, "excess_bound_")
    made, name, reason = getattr(learner, "n_mistakes_", None), type(learner).__name__, learner.stop_reason_
    took = f"{name}, {count(learner.n_iter_, 'epoch')}" + ("" if seconds is None else f" in {seconds:.2f} s")
    took += f", {count(made, 'mistake')}" if made is not None and len(classes) == 2 else ""
    why = f"{reason}: {why_stopped(learner, training.accuracy)}"
    of_rows = "the rows that it learnt from"
    if held_out is not None:
        of_rows = f"{held_out.rows:,} rows{aside} (the same learner, fitted on the other rows)"
    beside = majority_line(best, weighted=balanced)[1] + rare_words(best, weighted=balanced)
    other = ("training accuracy", f"{training.accuracy:.2%}")
    if held_out is None:
        other = ("held-out accuracy", "not measured" + " (--holdout 0.2 keeps a fifth of the rows aside)" * prove)
    R, c = float(radius(X)), getattr(learner, "intercept_scaling_", 1.0)
    told = [
        Line("rows", "rows", n, f"{n:,}"),
        Line("features", "columns", p, columns_line(encoder, p)),
        Line("learner", "learner", name, took),
        Line("stop_reason", "stop reason", str(reason), why),
        Line("", f"{where} accuracy", None, f"{best.accuracy:.2%} of {of_rows}"),
        Line("", "majority class", None, beside),
        *proof[:1],
        Line("epochs", "", learner.n_iter_),
        Line("seconds", "", None if seconds is None else round(seconds, 3)),
        *for_people(score_lines(best), more=True),
        Line("training_accuracy", "", training.accuracy),
        Line("held_out_accuracy", "", held_out and held_out.accuracy),
        *for_people([other], more=True),
        Line("training", "", training.to_dict()),
        Line("held_out", "", held_out and held_out.to_dict()),
        Line("mistakes", "mistakes", made, _mistakes(learner), True),
        Line("radius", "R, the largest row norm", R, f"{R:.6g}", True),
        *for_people([("c, the constant feature", f"{c:.6g}")] if c != 1 else [], more=True),
        *(_excess(learner, classes, X, y) if with_loss else []),
        *(line._replace(more=True) for line in proof[1:]),
    ]
    doubts = best.doubts(f"{where} rows", weighted=balanced) + doubt_of_labels(classes)
    return Receipt(told, certificate, doubts, _scored_on(n, held_out, aside))


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
        return "a whole pass without a mistake: its vector separates the training rows, the mean or the vote may not"
    if reason is StopReason.CLEAN_PASS and len(learner.classes_) > 2 and getattr(learner, "multi_class", "") != "ovr":
        # That is less than each class separable from all others, which `linsep check` asks.
        return "a whole pass without a mistake: for each training row the score of its own class was the highest"
    if reason is StopReason.CLEAN_PASS and getattr(learner, "kernel", "linear") != "linear":
        return f"{reason.sentence} in the space of the kernel"
    if reason in (StopReason.EPOCH_BUDGET, StopReason.TIME_BUDGET) and isinstance(learner, MLP):
        return f"the {reason} ended"  # it does not look for a clean pass
    return reason.sentence


def _predicts_by_many(learner: Any) -> bool:
    """Whether predictions are a mean or vote of the vectors of the run."""
    many = isinstance(learner, AveragedPerceptron | VotedPerceptron)
    return many or getattr(learner, "average", "last") not in ("last", False)


def _prove(learner: Any, classes: Array, X: Any, y: Array, weighted: bool) -> tuple[list[Line], Separability | None]:
    """Whether the classes are separable and, with its certificate, what that proves of the run."""
    if stored_in(X) > PROOF_ENTRIES:
        said = "not checked for a table this large; run `linsep check`"
        return [Line("verdict", "separable?", None, said)], None
    if len(classes) > 2:
        said = "`linsep check` proves whether each class is separable from all others together"
        lines, bounds = bounds_of_run(learner, classes, X, y, [], weighted)
        return [Line("verdict", "separable?", None, said), Line("bounds", "", bounds), *for_people(lines)], None
    fit_intercept = getattr(learner, "fit_intercept", True)
    side = positions(y, classes)  # theorems take the label that sorts last as positive: of codes that is the learner's
    found = certificate_of(X, side, classes, fit_intercept=fit_intercept, time_limit=_SECONDS)
    planes = []
    if hasattr(learner, "coef_"):
        planes.append(Hyperplane(learner.coef_[0].astype(np.float64), float(learner.intercept_[0])))
    more = "; `linsep check --explain` finds the rows to remove" if found.witness is not None else ""
    margin = []
    if found.verdict == "separable":
        more = cover_note(len(y), X.shape[1] + fit_intercept, int(side.sum()))
        bracket = max_margin(X, side, bias="free" if fit_intercept else None, time_limit=_SECONDS)
        between = f"{bracket.lower:.9g} <= gamma* <= {bracket.upper:.9g}"
        margin = [Line("margin", "margin bracket", bracket.to_dict(), between)]
        planes.append(bracket.hyperplane)
        if fit_intercept:  # on rows (x, c) the plane of (x / c, 1) bounds mistakes best
            c = getattr(learner, "intercept_scaling_", 1.0)
            w, b = max_margin(X if c == 1 else X / c, side, bias="homogeneous", time_limit=_SECONDS).hyperplane
            planes.append(Hyperplane(w / c, b))
    told = [Line("verdict", "separable?", found.verdict, found.summary(1) + more), Line("summary", "", found.summary())]
    lines, bounds = bounds_of_run(learner, classes, X, y, planes, weighted)
    told += [*margin, Line("bounds", "", bounds), *for_people(lines)]
    return told, found


def _excess(learner: Any, classes: Array, X: Any, y: Array) -> list[Line]:
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
    return [
        Line("loss", f"mean {learner.loss} loss", losses, ", ".join(f"{loss:.6g}" for loss in losses) + each, True),
        Line("guaranteed_excess", "guaranteed excess", bound.value, promise, True),
        Line("no_guarantee", "", bound.why),
    ]
