"""The columns of the records that passes keep, by name.

A record is an array of numbers. Its columns are named here once: `record[e, RECORD.mistakes]` is the number of mistakes
of epoch e, in compiled code and in Python alike, and `RECORD._fields` are the names in their order. To compiled code
the columns are constants.
"""

from __future__ import annotations

from typing import NamedTuple


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


class BudgetCounts(NamedTuple):
    """What a budgeted kernel perceptron counts: int64 (3,)."""

    size: int = 0  # rows kept now
    mistakes: int = 1
    margin_updates: int = 2  # updates at rows that were right, by too little


class BudgetSums(NamedTuple):
    """What a budgeted kernel perceptron adds up for its bound (`linsep.theory.bounds.kernel`): float64 (10,)."""

    energy: int = 0  # what updates added to ||w||^2
    given_up: int = 1  # coefficients of the rows removed
    damage: int = 2  # what removing rows added to ||w||^2
    shrinking: int = 3  # (1 - phi) / (1 + phi) of each shrinking by phi
    spent: int = 4  # of what the Forgetron may spend on removals
    distance: int = 5  # lengths of what projections left out
    margin_steps: int = 6  # step sizes of margin updates
    radius2: int = 7  # the largest k(x, x) so far, or what it was set to before
    norm2: int = 8  # ||w||^2 (halving alone)
    ball2: int = 9  # square of the smallest ball that w was pulled back to, 0 for none (halving alone)


class PocketColumns(NamedTuple):
    """What a pocket counts of the time that judging took: int64 (2,)."""

    vectors: int = 0  # judged on all rows
    dots: int = 1  # dot products that took


RECORD = EpochColumns()
PER_CLASS = ClassColumns()
SPENT = PocketColumns()
TALLY = SentenceColumns()
COUNTS = BudgetCounts()
SUMS = BudgetSums()
