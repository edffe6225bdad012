"""How good predictions are: accuracy beside the majority class, areas under curves, and each class by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from linsep.markup import count, listed
from linsep.types import Array

NO_BETTER = "THE MODEL IS NO BETTER"
_SHOWN_CLASSES = 8  # a table of confusion is as wide as its classes are many
_LISTED = 20


class ClassScores(NamedTuple):
    """How well one class was found.

    Attributes
    ----------
    precision : float or None
        The share of rows predicted to be of this class that are; None if none was predicted.
    recall : float or None
        The share of rows of this class that were predicted to be; None if there is no such row.
    rows : int
        Rows of this class.
    predicted : int
        Rows predicted to be of this class.
    """

    precision: float | None
    recall: float | None
    rows: int
    predicted: int


@dataclass(frozen=True)
class Scores:
    """How often each class was predicted for each true class, and what follows from it.

    Attributes
    ----------
    rows : int
        Rows with a label.
    accuracy : float
        The share of rows that were predicted correctly.
    counts : dict
        (true class, predicted class) -> rows; the classes by name, as text.
    majority_class : str
        The class to answer always: the most frequent one of these rows.
    majority_accuracy : float
        The accuracy of answering it always.
    balanced_accuracy : float
        The mean recall of the classes that occur.
    classes : dict
        Class -> `ClassScores`.
    roc_auc : float or None
        The area under the ROC curve: the chance that a row of the positive class has a higher decision value than one
        of the other, ties counted half; with several classes the mean of each class against the rest. None where the
        rows are of one class, or decision values were not kept.
    average_precision : float or None
        The mean precision over the recalls of the positive class; with several classes the mean of them.
    brier : float or None
        The mean over rows and classes of the squared difference between the probability and 1 or 0; of a model with
        probabilities.
    unlabelled : int
        Rows that were left out because they have no label.
    """

    rows: int
    accuracy: float
    counts: dict[tuple[str, str], int]
    majority_class: str
    majority_accuracy: float
    balanced_accuracy: float
    classes: dict[str, ClassScores]
    roc_auc: float | None = None
    average_precision: float | None = None
    brier: float | None = None
    unlabelled: int = 0

    @property
    def beats_majority(self) -> bool:
        """Whether the predictions are better than any answer that is always the same, or all correct."""
        return self.accuracy > self.majority_accuracy or self.accuracy == 1

    @property
    def _occurring(self) -> int:
        return sum(one.rows > 0 for one in self.classes.values())

    def beats_no_look(self, *, weighted: bool) -> bool:
        """Whether the predictions are better than an answer that does not look at the row.

        Parameters
        ----------
        weighted : bool
            Whether the model was fitted with class weights: the mean recall is then compared with 1 / K, in place of
            the accuracy with that of the best constant answer.

        Returns
        -------
        bool
            False where an answer without a look does as well.
        """
        if not weighted:
            return self.beats_majority
        return self.balanced_accuracy > 1 / max(self._occurring, 1) or self.accuracy == 1

    def doubts(self, where: str, *, weighted: bool = False) -> list[str]:
        """What is to be said loudly: predictions no better than the majority class, and classes never predicted.

        Parameters
        ----------
        where : str
            What to call the rows.
        weighted : bool, default=False
            Whether the model was fitted with class weights.

        Returns
        -------
        list of str
            Sentences; none if all is well.
        """
        said = []
        if not self.beats_no_look(weighted=weighted):
            told = f'no better than always answering "{self.majority_class}" ({self.majority_accuracy:.1%})'
            said.append(f"{told}: {self.accuracy:.1%} of the {where} are predicted correctly")
        never = [name for name, one in self.classes.items() if one.rows and not one.predicted]
        if never:
            shown = listed([f'"{name}"' for name in never], 6)
            said.append(
                f"never predicted on the {where}: {shown}; --set class_weight=balanced makes rare classes count more"
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """Plain data.

        Returns
        -------
        dict
            The attributes; the counts as {"a predicted b": rows}.
        """
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        told["classes"] = {name: one._asdict() for name, one in self.classes.items()}
        told["counts"] = {f"{a} predicted {b}": count for (a, b), count in self.counts.items()}
        return told if self.unlabelled else {name: value for name, value in told.items() if name != "unlabelled"}


def scores_of_counts(table: Array, names: Sequence[str]) -> Scores:
    """What follows from a table of counts alone: `table[a, b]` rows of class a were predicted to be of class b.

    Examples
    --------
    >>> found = scores_of_counts(np.array([[8, 1], [1, 0]]), ["no", "yes"])
    >>> found.accuracy, found.majority_class, found.majority_accuracy, found.balanced_accuracy
    (0.8, 'no', 0.9, 0.4444444444444444)
    """
    rows = int(table.sum())
    of_class, predicted = table.sum(axis=1), table.sum(axis=0)
    with np.errstate(invalid="ignore"):  # a class that no row has is 0 / 0
        precision, recall = table.diagonal() / predicted, table.diagonal() / of_class
    best = int(of_class.argmax())
    return Scores(
        rows=rows,
        accuracy=int(table.trace()) / rows,
        counts={(a, b): int(table[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)},
        majority_class=names[best],
        majority_accuracy=int(of_class[best]) / rows,
        balanced_accuracy=float(recall[of_class > 0].mean()),
        classes={
            name: ClassScores(_number(precision[k]), _number(recall[k]), int(of_class[k]), int(predicted[k]))
            for k, name in enumerate(names)
        },
    )


def scores_of_rows(truth: Array, said: Array, values: Array | None, names: Sequence[str]) -> Scores:
    """Scores of predictions row by row: classes as positions in `names`, decision values where they are known."""
    table = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(table, (truth, said), 1)
    return with_areas(scores_of_counts(table, names), truth, values)


def with_areas(scores: Scores, truth: Array, values: Array | None) -> Scores:
    """The scores with both areas, if there are decision values and rows of two classes or more."""
    there = np.flatnonzero(np.bincount(truth)).tolist()
    if values is None or len(there) < 2:
        return scores
    parts = [(truth == 1, values)] if values.ndim == 1 else [(truth == k, values[:, k]) for k in there]
    roc, precision = np.mean([_areas(*part) for part in parts], axis=0).tolist()
    return replace(scores, roc_auc=roc, average_precision=precision)


def _areas(positive: Array, values: Array) -> tuple[float, float]:
    """The area under the ROC curve and the average precision, to the bits of `roc_auc_score` and its sister."""
    order = np.argsort(-values, kind="stable")
    last = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)  # of rows with one value
    hits = np.cumsum(positive[order])[last]
    misses = 1 + last - hits
    bends = np.ones(len(last), bool)
    bends[1:-1] = (np.diff(hits, 2) != 0) | (np.diff(misses, 2) != 0)
    x, y = (np.append(0.0, part[bends] / part[-1]) for part in (misses, hits))
    recall, precision = np.append((hits / hits[-1])[::-1], 0.0), (hits / (1 + last))[::-1]
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2.0).sum()), float(max(0.0, -np.sum(np.diff(recall) * precision)))


def majority_line(scores: Scores, *, weighted: bool = False) -> tuple[str, str]:
    """What always answering one class would give; of a model with class weights the mean recall is compared too.

    Examples
    --------
    >>> majority_line(scores_of_counts(np.array([[2, 0], [1, 5]]), ["no", "yes"]))[1]
    '75.00% (always answering "yes")'
    """
    text = f'{scores.majority_accuracy:.2%} (always answering "{scores.majority_class}")'
    if not scores.beats_no_look(weighted=weighted):
        return "majority class", f"{text}: {NO_BETTER}"
    if weighted and not scores.beats_majority:
        text += f"; with class weights balanced accuracy counts: {scores.balanced_accuracy:.2%}, "
        text += f"there {1 / scores._occurring:.2%}"
    return "majority class", text


def beside_constant(label: str, answer: str, share: float, accuracy: float) -> tuple[tuple[str, str], list[str]]:
    """The line on always giving one answer, and what to say loudly where an accuracy is no better.

    Examples
    --------
    >>> beside_constant("majority tag", "NOUN", 0.5, 0.75)
    (('majority tag', '50.00% (always answering "NOUN")'), [])
    """
    text = f'{share:.2%} (always answering "{answer}")'
    if accuracy == 1 or accuracy > share:
        return (label, text), []
    doubt = f'no better than always answering "{answer}" ({share:.1%}): {accuracy:.1%} is correct'
    return (label, f"{text}: {NO_BETTER}"), [doubt]


def rare_words(scores: Scores, *, weighted: bool = False) -> str:
    """How much was found of the class found least, if that is less than half of it; else nothing."""
    occurring = ((one.recall or 0.0, one.rows, name) for name, one in scores.classes.items() if one.rows)
    recall, rows, name = min(occurring, key=lambda found: found[:2])
    if recall >= 0.5 or scores._occurring < 2:
        return ""
    said = f'; worst class: recall {recall:.2%} of {count(rows, "row")} "{name}", balanced accuracy '
    return f"{said}{scores.balanced_accuracy:.2%}" + " (--set class_weight=balanced finds more)" * (not weighted)


def score_lines(scores: Scores) -> list[tuple[str, str]]:
    """The areas, a line for each class, and which classes were confused."""
    lines = [("balanced accuracy", f"{scores.balanced_accuracy:.2%}")]
    if scores.roc_auc is not None:
        names = list(scores.classes)
        each = "" if len(names) == 2 else ", the mean of each class against the rest"
        of = each or f', of the class "{names[1]}"'
        lines.append(("ROC AUC", f"{scores.roc_auc:.4f}{each}"))
        lines.append(("average precision", f"{scores.average_precision:.4f}{of}"))
    if scores.brier is not None:
        lines.append(("Brier score", f"{scores.brier:.4f}, of the probabilities"))
    return [*lines, *_table_of_classes(scores)]


def _table_of_classes(scores: Scores) -> list[tuple[str, str]]:
    names = list(scores.classes)
    narrow = len(names) <= _SHOWN_CLASSES
    heads = ["precision", "recall", "rows", *([f"as {name}" for name in names] if narrow else ["predicted"])]
    cells = []
    for name, one in scores.classes.items():
        found = [scores.counts[name, other] for other in names] if narrow else [one.predicted]
        cells.append([_share(one.precision), _share(one.recall), f"{one.rows:,}", *(f"{n:,}" for n in found)])
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    rows = [("class", heads), *((f"  {name}", row) for name, row in zip(names, cells, strict=True))]
    lines = [(title, "  ".join(map(str.rjust, row, widths))) for title, row in rows]
    if narrow:
        return lines
    wrong = sorted(((n, pair) for pair, n in scores.counts.items() if n and pair[0] != pair[1]), reverse=True)
    return [*lines, *((f"{a} predicted {b}", f"{n:,}") for n, (a, b) in wrong[:_LISTED])]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2%}"


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
