"""What stands in the way of a concept, and how few columns hold it."""

from __future__ import annotations

import json
import re

import numpy as np

from linsep import few_columns, fewest_rows, probe, report, separability

RNG = np.random.default_rng(6)
HIDDEN = RNG.normal(size=(60, 4))
SIDE = HIDDEN[:, 1] > 0
FLIPPED = SIDE.copy()
FLIPPED[[3, 9]] = ~FLIPPED[[3, 9]]
ALONE = np.arange(60) == np.argmin((HIDDEN**2).sum(axis=1))  # a row in the middle


def test_rows_to_drop_and_columns_that_separate_are_those_of_the_library() -> None:
    found = probe(HIDDEN, {"side": SIDE, "flipped": FLIPPED}, labels=["side", "flipped"], controls=0, explain=True)
    side, flipped = found.rows
    few, rows = few_columns(HIDDEN, SIDE), fewest_rows(HIDDEN, FLIPPED)
    assert (side.few_columns, side.few_smallest, side.fewest_low, side.fewest_high) == ([1], True, None, None)
    assert list(few.columns) == side.few_columns
    assert separability(HIDDEN[:, side.few_columns], SIDE).verdict == "separable"
    assert (flipped.fewest_low, flipped.fewest_high, flipped.few_columns) == (2, 2, None)
    assert (rows.lower, rows.upper) == (2, 2)
    first, *lines = found.summary().splitlines()
    assert re.split("  +", first)[-2:] == ["rows to drop", "few columns"]
    assert lines[0].split()[-1] == "1"
    assert lines[1].split()[-1] == "2"
    assert json.loads(found.to_json())[0]["few_columns"] == [1]
    assert "rows to drop" in report(found).html


def test_without_time_the_bounds_are_wide_and_true() -> None:
    rows = probe(HIDDEN, {"a": SIDE, "b": FLIPPED}, labels=["a", "b"], controls=0, explain=True, explain_limit=0.0).rows
    assert rows[0].few_columns == [0, 1, 2, 3]
    assert rows[0].few_smallest is False
    low, high = rows[1].fewest_low, rows[1].fewest_high
    assert low is not None
    assert high is not None
    assert 0 <= low <= 2 <= high


def test_a_class_of_one_row_has_no_rows_to_drop() -> None:
    (row,) = probe(HIDDEN, ALONE, controls=0, explain=True).rows
    assert (row.verdict, row.positives, row.fewest_low) == ("inseparable", 1, None)


def test_nothing_is_explained_that_was_not_asked() -> None:
    found = probe(HIDDEN, FLIPPED, controls=0)
    assert (found.rows[0].fewest_low, found.rows[0].few_columns, found.rows[0].few_smallest) == (None, None, None)
    assert "rows to drop" not in found.summary()
