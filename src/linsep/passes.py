"""What passes read, keep and are told, by name: the same tuples in Python and in compiled code, which reads them.

A record is an array of numbers. Its columns are named here once: `record[e, RECORD.mistakes]` is the number of mistakes
of epoch e, in compiled code and in Python alike, and `RECORD._fields` are the names in their order. To compiled code
the columns are constants.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.types import Array

# No weights, and no order but that of the rows.
NO_WEIGHTS: Array = np.empty(0)
NO_ORDER: Array = np.empty(0, np.int32)

# A loss of (y, z), y = -1.0 or +1.0, is its position here, so that one compiled pass serves all: the branch is the same
# for every row.
LOSSES = ("perceptron", "hinge", "logistic", "squared_hinge", "squared")
PERCEPTRON, HINGE, LOGISTIC, SQUARED_HINGE = range(4)  # what is none of these is "squared"


class EpochColumns(NamedTuple):
    """What a run of passes keeps of each epoch: float64 (epochs, 9)."""

    mistakes: int = 0  # rows with y z <= 0
    updates: int = 1  # rows that moved w
    dots: int = 2  # dot products of a row and a weight vector
    norm_w: int = 3  # ||w|| at the end of the epoch, over all classes
    b: int = 4  # the intercept at the end; of several classes the length of theirs
    cos: int = 5  # cosine of the angle between (w, b) and a reference
    w_dot_reference: int = 6  # their inner product
    absorbed: int = 7  # updates that rounding left without effect
    bits: int = 8  # significant bits that the entries of w take, at most


class ClassColumns(NamedTuple):
    """What a pass counts for each class: int64 (n_classes, 3)."""

    mistakes: int = 0
    updates: int = 1
    absorbed: int = 2


class SentenceColumns(NamedTuple):
    """What passes over sentences add up from first to last: float64 (5,)."""

    mistakes: int = 0  # sentences with a wrong tag
    wrong_tags: int = 1
    absorbed: int = 2  # entries that rounding left as they were although they should have moved
    norm2: int = 3  # ||w||^2
    largest: int = 4  # the largest |w_j| that there has been


class PocketColumns(NamedTuple):
    """What a pocket counts of the time that judging took: int64 (2,)."""

    vectors: int = 0  # judged on all rows
    dots: int = 1  # dot products that took


RECORD = EpochColumns()
PER_CLASS = ClassColumns()
SPENT = PocketColumns()
TALLY = SentenceColumns()


class Rows(NamedTuple):
    """What a pass reads: rows, labels and, where there are any, weights and a visiting order (else empty arrays).

    `own` weighs a row for its own class alone; a binary pass has it multiplied into `weight`.
    """

    X: Any
    y: Array
    weight: Array = NO_WEIGHTS
    own: Array = NO_WEIGHTS
    order: Array = NO_ORDER


class Sentences(NamedTuple):
    """Sentence i is the tokens `first[i]:first[i + 1]`, token t the features `indices[indptr[t]:indptr[t + 1]]`."""

    first: Array
    indptr: Array
    indices: Array


class UpdateLog(NamedTuple):
    """Which row was updated when and how: entry k is (rows[k], visits[k], classes[k], steps[k]).

    `visits` counts the rows visited since training began, from 0; `classes` is 0 for a binary learner; `steps` is the
    signed a of w += a x. There is room for `rows.size` entries; when the log is full it stays as it is and `used[0]`
    goes on counting, so a reader can tell that the log was cut.
    """

    rows: Array
    visits: Array
    classes: Array
    steps: Array
    used: Array


class Mean(NamedTuple):
    """The mean of w over the first T visits, w taken after each visit, is w - u / T: u = sum of t a x over the updates
    a x made at visit t = 0, 1, ...

    `u` is (n_classes, n_features) and `u_b` (n_classes,), float64 whatever the dtype of w.

    Source: Freund and Schapire 1999, average prediction in section 2, one vote a visit; kept lazily as in Daume 2006
    (Practical Structured Learning Techniques for Natural Language Processing, figure 2.3).
    """

    u: Array
    u_b: Array


class Predicted(NamedTuple):
    """wrong[i]: was row i of a pass predicted wrongly just before its update by the vector that moves?

    missed[i] says the same of the mean so far, where there is a `Mean` and asked[i] is true. A tie is predicted as the
    positive class, and is a mistake in learning all the same.

    Where `values` has entries, values[i] is the decision value of the vector that predicts, the mean where there is one
    and the row is asked, and of several classes that of the class said[i], which is predicted.

    Source: the progressive validation of Blum, Kalai and Langford 1999 (COLT), of which only the estimate of the error
    is taken.
    """

    wrong: Array
    asked: Array
    missed: Array
    values: Array
    said: Array


class PA1(NamedTuple):
    """tau = min(C, max(0, 1 - m) / q) (Crammer et al. 2006, PA-I), or no step where q = 0, as none could help.

    With C infinite it is the least move that brings the margin to 1 (PA).
    """

    C: float


class PA2(NamedTuple):
    """tau = max(0, 1 - m) / (q + 1 / (2 C)) (Crammer et al. 2006, PA-II)."""

    C: float
