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


class PocketColumns(NamedTuple):
    """What a pocket counts of the time that judging took: int64 (2,)."""

    vectors: int = 0  # judged on all rows
    dots: int = 1  # dot products that took


RECORD = EpochColumns()
PER_CLASS = ClassColumns()
SPENT = PocketColumns()
TALLY = SentenceColumns()
