"""One layer and one question: verdict, odds, margin, held-out accuracy and direction."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from linsep.clock import clock
from linsep.learners.linear.perceptron import AveragedPerceptron
from linsep.probing import evidence
from linsep.probing.evidence import Rank, Settings
from linsep.probing.labels import Labels, Question
from linsep.theory.columns import fewer_columns
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.explanation.fewest_rows import fewest_rows
from linsep.theory.margin.max_margin import MarginBracket, max_margin
from linsep.theory.rows.deadline import deadline_of
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, DataError, Hyperplane, Verdict

Proof = Separability | FewestRows | None
_TOLERANCE = 1e-3  # of the margin bracket, relative
_ROUNDING = 1e-9  # of log10 of a bound that is 1


@dataclass(frozen=True)
class ProbeRow:
    """What was found of one concept in one layer.

    Attributes
    ----------
    layer, concept : str
        Which; of three classes and more the concept is "name=class", of two of them "name=class against class".
    n, d : int
        Rows with a label, of a pair of classes the rows of these, and columns.
    rank : int
        The rank of the rows (x, 1), or a number above it.
    rank_exact : bool
        Whether `rank` is that rank; otherwise computing it would take too long.
    positive_class, negative_class : str
        The names of the class that is asked about, where directions are positive, and of the other one; "not a" is all
        but "a".
    positives : int
        Rows of the positive class.
    verdict : "separable", "quasi-separable", "inseparable", "not-separable" or "undecided"
        Proved for all rows, as `separability` does.
    fragile : bool
        Whether half a unit in the last place of numbers that are no integers could change the verdict.
    proof : "hyperplane", "exact weights", "near weights" or None
        What proves it: a hyperplane, or rows that are combined to 0 with exact weights, or with weights near exact
        ones; None if it is undecided.
    certificate, sha256 : str or None
        The file of the proof in the folder of certificates, and the SHA-256 of its bytes; None where none was written.
    repeated : int or None
        Rows that are equal to an earlier one; None where there are groups, which are counted instead.
    units : int
        What the odds count: rows, each of those that are equal once unless they have both labels; or groups.
    log10_odds, log10_odds_fair : float or None
        log10 of the largest chance that shuffled labels, and labels drawn one by one, are separable (Cover 1965); None
        where groups hold both labels.
    separable_shuffles, decided_shuffles, asked_shuffles : int or None
        How many shuffled labels are separable too, of how many that were decided, and how many were asked, where these
        rows are separable and the odds of `log10_odds` are 1, so that they say nothing; None elsewhere. All shuffles
        together have the time limit of one proof.
    rare_rows : int or None
        From so many rows on the chance for labels drawn one by one is at most 1/1000; None where groups hold both
        labels.
    margin_low, margin_high : float or None
        Bracket of the largest geometric margin, over the largest distance of a row from the mean of the rows; None
        where it is not proved that there is one.
    fewest_low, fewest_high : int or None
        Bracket of the fewest rows that have to go before the rest is separable, proved as `fewest_rows` does; None if
        the rows are separable or undecided, or it was not asked for.
    intruders_low, intruders_high : int or None
        Bracket of the fewest rows of the negative class in a half-space that has all of the positive class, proved as
        `fewest_rows` with `keep` does; None where `fewest_low` is, or if no half-space leaves a row of it out.
    few_columns : list of int or None
        A small set of columns that still separate, as `few_columns` finds it; None if the rows are not separable, or it
        was not asked for.
    few_smallest : bool or None
        Whether no smaller set of columns separates.
    explain_certificate, explain_sha256 : str or None
        The file of the proof of `fewest_low` and `fewest_high`, or that `few_columns` separate, and the SHA-256 of its
        bytes; None where none was written. The latter is about the rows of these columns.
    majority : float
        The share of the larger class.
    accuracy, low, high : float or None
        Of rows held out, with Wilson's interval of 95 %, which counts groups where there are any.
    auc : float or None
        Area under the ROC curve, the mean of the folds.
    shuffled, shuffled_low, shuffled_high : float or None
        Mean accuracy of as many probes on shuffled labels as there are controls, the least and the greatest one, each
        on one fold.
    control, control_low, control_high, selectivity : float or None
        The same where each type has a random label, and how much higher the mean accuracy of the true labels is in such
        folds.
    """

    layer: str
    concept: str
    n: int
    d: int
    rank: int
    rank_exact: bool
    positive_class: str
    negative_class: str
    positives: int
    verdict: Verdict
    fragile: bool
    proof: str | None
    certificate: str | None = None
    sha256: str | None = None
    repeated: int | None = None
    units: int = 0
    log10_odds: float | None = None
    log10_odds_fair: float | None = None
    separable_shuffles: int | None = None
    decided_shuffles: int | None = None
    asked_shuffles: int | None = None
    rare_rows: int | None = None
    margin_low: float | None = None
    margin_high: float | None = None
    fewest_low: int | None = None
    fewest_high: int | None = None
    intruders_low: int | None = None
    intruders_high: int | None = None
    few_columns: list[int] | None = None
    few_smallest: bool | None = None
    explain_certificate: str | None = None
    explain_sha256: str | None = None
    majority: float = 0.0
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    auc: float | None = None
    shuffled: float | None = None
    shuffled_low: float | None = None
    shuffled_high: float | None = None
    control: float | None = None
    control_low: float | None = None
    control_high: float | None = None
    selectivity: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


class Direction(NamedTuple):
    """A hyperplane w.x + b with ||w|| = 1, positive on the side of the concept.

    Attributes
    ----------
    kind : "maximum margin", "separating" or "probe"
        "probe" is the averaged perceptron on all rows, which no hyperplane separates, or none that doubles hold.
    w : ndarray, shape (d,)
        The direction.
    b : float
        The intercept.
    """

    kind: str
    w: Array
    b: float


def measured(
    layer: str, X: Array, at: Array, question: Question, labels: Labels, settings: Settings, known: dict[bytes, Any]
) -> tuple[ProbeRow, Direction, tuple[Proof, Proof]]:
    """Ask the rows `at` of a layer about a concept; give the row, a direction, and the proofs of both.

    `known` has the rank of some rows of this layer and which of them are equal, and gets those of these.
    """
    rows, positive = question.rows, question.positive
    X = X if np.array_equal(at, np.arange(len(X))) else X[at]
    types = labels.groups if labels.types is None else labels.types
    groups, types = (None if codes is None else codes[rows] for codes in (labels.groups, types))
    if rows.tobytes() not in known:
        known[rows.tobytes()] = evidence.rank_bound(X), evidence.same_rows(X)
    rank, same = known[rows.tobytes()]
    units = evidence.counted_once(same, positive) if groups is None else groups
    more = evidence.chance(rank.value, positive, units, rank.of_more)
    found = separability(X, positive, time_limit=settings.time_limit)
    X = X.astype(np.float32) if X.dtype == np.float16 else X  # the rounding of halves matters to the proof alone
    bracket = None
    if found.verdict == "separable":
        bracket = max_margin(X, positive, tol=_TOLERANCE, time_limit=settings.time_limit)
        size = _radius(X)
        more |= {"margin_low": max(0.0, bracket.lower) / size, "margin_high": bracket.upper / size}
        if more.get("log10_odds", -np.inf) > -_ROUNDING:  # they say nothing
            more |= _shuffled(X, positive, units, settings, rank)
    explained, behind = _explained(X, question, found, settings.explain)
    more |= explained | evidence.held_out(X, positive, groups, types, settings)
    more["repeated"] = int((same != np.arange(len(same))).sum()) if groups is None else None
    n, d = X.shape
    positives, (negative_class, positive_class) = int(positive.sum()), question.classes
    more["majority"] = max(positives, n - positives) / n
    asked = layer, question.concept, n, d, rank.value, rank.exact, positive_class, negative_class, positives
    row = ProbeRow(*asked, found.verdict, found.fragile, _proof_of(found), **more)
    return row, direction_of(X, positive, found, bracket), (found.named(question.classes, question.names), behind)


def _shuffled(X: Array, positive: Array, units: Array | None, settings: Settings, rank: Rank) -> dict[str, Any]:
    """How many of the shuffled labels are separable; each has a share of the time that is left."""
    asked, deadline = settings.controls, deadline_of(settings.time_limit)
    verdicts: list[str] = []
    for k, labels in enumerate(evidence.shuffles(positive, units, asked, np.random.default_rng(settings.seed))):
        share = max(0.0, deadline.at - clock()) / (asked - k)
        independent = rank.exact and rank.value == len(X)  # rows (x, 1) that are separable with any labels
        limit = None if share == np.inf else share
        verdicts.append("separable" if independent else separability(X, labels, time_limit=limit).verdict)
    found = {"separable_shuffles": verdicts.count("separable"), "decided_shuffles": asked - verdicts.count("undecided")}
    return {**found, "asked_shuffles": asked} if asked else {}


def _explained(X: Array, question: Question, found: Separability, limit: float | None) -> tuple[dict[str, Any], Proof]:
    """How many rows stand in the way, or how few columns separate, and what proves it; found in so many seconds."""
    positive = question.positive
    if limit is None or found.verdict == "undecided":
        return {}, None
    if found.verdict == "separable":
        few = fewer_columns(X, positive, found, deadline_of(limit))
        proof = few.proof.named(question.classes, question.names)
        return {"few_columns": list(few.columns), "few_smallest": few.smallest}, proof
    if min(np.bincount(positive)) < 2:
        return {}, None  # each class keeps a row, and this one has no other
    try:
        rows = fewest_rows(X, positive, time_limit=limit)
    except DataError:  # no two rows can be separated: there is no pair to be left
        return {}, None
    said: dict[str, Any] = {"fewest_low": rows.lower, "fewest_high": rows.upper}
    with suppress(DataError):  # no half-space has all of the positive class and not all rows
        beside = fewest_rows(X, positive, keep=True, time_limit=limit)
        said |= {"intruders_low": beside.lower, "intruders_high": beside.upper}
    return said, rows.named(question.classes, question.names)


def _proof_of(found: Separability) -> str | None:
    if found.verdict in ("separable", "undecided"):
        return "hyperplane" if found.verdict == "separable" else None
    return "near weights" if found.proof.within else "exact weights"


def _radius(X: Array) -> float:
    """The largest distance of a row from the mean of the rows."""
    centred = X - X.mean(axis=0, dtype=np.float64)
    return float(np.sqrt(np.einsum("ij,ij->i", centred, centred).max()))


def direction_of(X: Array, positive: Array, found: Separability, bracket: MarginBracket | None) -> Direction:
    """The best direction that was found for these rows, or that of a probe that is fitted now; ||w|| is 1."""
    if bracket is not None and bracket.lower > 0:
        kind, plane = "maximum margin", bracket.hyperplane
    elif found.hyperplane is not None and found.hyperplane.w.dtype != object:
        kind, plane = "separating", found.hyperplane
    else:
        mean, spread = evidence.spread_of(X)
        learner = AveragedPerceptron(random_state=0).fit((X - mean) / spread, positive)
        w = learner.coef_[0] / spread
        kind, plane = "probe", Hyperplane(w, float(learner.intercept_[0] - w @ mean))
    w = np.asarray(plane.w, dtype=np.float64)
    size = float(np.linalg.norm(w)) or 1.0
    return Direction(kind, w / size, float(plane.b) / size)
