"""Predict, then learn: one chunk of rows, each predicted by the weights before it; columns and classes join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from linsep.kernels.linear.epoch import plain_epoch
from linsep.kernels.linear.multiclass import epoch_of_many, totals, with_scratch
from linsep.learners.base.labelled import rows_to_add
from linsep.learners.base.one_row import OnlineLearner
from linsep.learners.linear.passive_aggressive import MarginPerceptron, PassiveAggressive
from linsep.learners.linear.perceptron import AveragedPerceptron, Perceptron
from linsep.passes import Predicted, Rows
from linsep.types import Array, DataError


def can_stream(learner: Any) -> bool:
    """Whether it is one of the learners that go from row to row and keep none."""
    return isinstance(learner, Perceptron | AveragedPerceptron | MarginPerceptron | PassiveAggressive)


def check_can_stream(learner: Any) -> None:
    """Raise DataError for a learner that cannot stream."""
    if not can_stream(learner):
        raise DataError(
            f"a {type(learner).__name__} cannot learn from a stream: it needs all rows, or keeps them; take a "
            "Perceptron, AveragedPerceptron, MarginPerceptron or PassiveAggressive"
        )


class Learnt(NamedTuple):
    """What came of a chunk: each row was predicted before it was learnt.

    `wrong`: by the vector that moves wrongly. `missed`: by the model as it would be saved then wrongly, for the rows
    that were `asked`. `absorbed` counts the updates that rounding left without effect. `values` and `said` are the
    decision values and the labels that were predicted, where that was to be told.
    """

    wrong: Array
    asked: Array
    missed: Array
    values: Array
    said: Array
    absorbed: int

    @classmethod
    def joined(cls, parts: Sequence[Learnt]) -> Learnt:
        """What came of one part after another."""
        if len(parts) == 1:
            return parts[0]
        columns = [np.concatenate(column) for column in list(zip(*parts, strict=True))[:-1]]
        return cls._make([*columns, sum(part.absorbed for part in parts)])


def predict_then_learn(
    learner: OnlineLearner,
    X: Any,
    y: Any,
    classes: Any = None,
    before: int = 0,
    each: bool = True,
    tell: bool = False,
) -> Learnt:
    """`learner.partial_fit(X, y, classes)`, with each row predicted by the vector in use before it is learnt.

    The weights are those of `partial_fit`, to the last bit. A learner that predicts with a mean makes its mistakes with
    the vector that moves; what the mean before each row predicts is asked as well. With several classes that takes
    long, so that without `each` one row in four is asked, by its number; `before` rows came earlier. A sparse `X` wider
    than the learner adds columns of zeros. The row that brings a class counts as wrong. With `tell` the predictions are
    told as well; what is told of a row that brings a class is not to be relied on. `n_iter_` stays as it is: a
    pass is what the caller says it is.

    Raises
    ------
    DataError
        For rows that cannot be learnt from, and learners that must see all rows at once; nothing has changed then.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep.learners import Perceptron
    >>> X, y = np.array([[1.0], [-1.0], [2.0]]), [1, 0, 1]
    >>> predict_then_learn(Perceptron(), X, y, classes=[0, 1]).wrong.tolist()
    [False, True, False]
    """
    check_can_stream(learner)
    with learner.unchanged_on_error():
        learner.check_parameters()
        X = as_wide(learner, X)
        known = len(learner.classes_) if hasattr(learner, "classes_") else -1
        parts = rows_to_add(learner, X, y, classes, None)
        if known < 0:
            known = len(learner.classes_) if classes is not None else 0
    said = []
    absorbed = 0
    for rows in parts:
        n = len(rows.y)
        asked = np.ones(n, np.bool_) if each or len(learner.classes_) <= 2 else _one_in_four(before, n)
        wrong, missed = np.zeros((2, n), np.bool_)
        told = Predicted(wrong, asked, missed, np.zeros(n * tell), np.zeros(n * tell, np.int64))
        absorbed += _pass(learner, rows, told)
        if len(learner.classes_) > known:
            told.wrong[0] = told.missed[0] = True
        known = len(learner.classes_)
        said.append(Learnt(*told[:4], learner.classes_[np.minimum(told.said, known - 1)], 0))
        before += n
    learner.settle_later()
    # A sum is sooner looked at than every entry, and infinite or no number if one of them is.
    if not all(np.isfinite(part.sum()) or np.isfinite(part).all() for part in learner.moving()):
        raise DataError(f"the weights became infinite within the rows up to row {before}: scale the numbers down")
    return Learnt.joined(said)._replace(absorbed=absorbed)


def _one_in_four(before: int, n: int) -> Array:
    """Which of the next n rows are asked: a quarter, in no step with what may repeat in the rows.

    The multiples of the golden ratio fill the unit interval evenly (Knuth 1973, Sorting and Searching, 6.4).
    """
    return np.arange(before, before + n).astype(np.uint32) * np.uint32(2654435769) < 2**30


def _pass(learner: OnlineLearner, rows: Rows, told: Predicted) -> int:
    """Learn these rows and fill `told`; return the updates that rounding left without effect."""
    W, b = learner.moving()
    step, watch = learner.step_rule(), learner.watch()
    by_mean = watch is not None and learner.predicts_mean()
    asking = told if by_mean else told._replace(asked=np.zeros_like(told.asked))
    c2, t = learner.constant2_, learner.t_
    both = (asking, watch)  # told of each row before its update
    if len(learner.classes_) <= 2:
        read = (rows.X, rows.y, rows.weight, rows.order)
        mistakes, updates, absorbed = plain_epoch(*read, step, W[0], b, c2, both, t)
    else:
        model = with_scratch(W, b)
        epoch_of_many(rows, learner.moves_together() or None, step, model, c2, both, t)
        mistakes, updates, absorbed = totals(model.counts)
    if not by_mean:
        told.asked[:], told.missed[:] = True, told.wrong
    learner.t_ += len(rows.y)
    learner.n_mistakes_ += int(mistakes)
    learner.n_updates_ += int(updates)
    return int(absorbed)


def as_wide(learner: OnlineLearner, X: Any) -> Any:
    """Sparse rows as wide as the learner, which grows where they are wider."""
    if not hasattr(X, "indptr") or not hasattr(learner, "classes_") or X.shape[1] == learner.n_features_in_:
        return X
    if X.shape[1] > learner.n_features_in_:
        learner.widen(X.shape[1], [])
        return X
    return scipy.sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], learner.n_features_in_))
