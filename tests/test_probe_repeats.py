"""Rows that are equal to others: what the odds of a probe count, and what is said of them."""

from __future__ import annotations

import numpy as np

from linsep import probe

RNG = np.random.default_rng(0)
HIDDEN = RNG.normal(size=(120, 5))
SIDE = HIDDEN[:, 0] > 0.2


def test_rows_that_are_equal_and_have_one_label_count_once() -> None:
    base, side = np.r_[HIDDEN[:119], np.zeros((1, 5))], np.r_[SIDE[:119], False]
    X, side = np.r_[base, base[:30], -base[119:]], np.r_[side, side[:30], False]  # 0 and -0 are equal
    plain, found = probe(X[:120], side[:120], controls=0), probe(X, side, controls=0)
    (row,) = found.rows
    assert (row.n, row.repeated, row.units, plain.rows[0].repeated) == (151, 31, 120, 0)
    assert (row.log10_odds, row.log10_odds_fair) == (plain.rows[0].log10_odds, plain.rows[0].log10_odds_fair)
    said = "31 of 151 rows equal an earlier one: the odds count each once; a row held out may have a copy that was"
    assert dict(found.lines)["repeats"].startswith(said)
    grouped = probe(X, side, groups=np.arange(151), controls=0)
    assert (grouped.rows[0].repeated, grouped.rows[0].units) == (None, 151)
    assert "repeats" not in dict(grouped.lines) | dict(plain.lines)
    both = probe({"a": X, "b": X, "c": HIDDEN[np.arange(151) % 120]}, np.r_[side[:150], True], controls=0)
    assert [(row.verdict, row.units, row.repeated) for row in both.rows[::2]] == [
        *(("inseparable", 151, 31), ("inseparable", 151, 31))
    ]
    assert dict(both.lines)["repeats"] == (
        "31 of 151 rows equal an earlier one (layer 'a', concept 'label' and in 2 others), some of them with another "
        "label: nothing separates these"
    )


def test_shuffled_labels_are_the_same_for_rows_that_are_equal() -> None:
    X = np.repeat(RNG.normal(size=(6, 8)), 5, axis=0)
    found = probe(X, np.repeat(np.arange(6) < 3, 5), controls=4)
    (row,) = found.rows
    assert (row.rank, row.repeated, row.units, row.log10_odds) == (6, 24, 6, 0.0)
    assert (row.separable_shuffles, row.decided_shuffles, row.asked_shuffles) == (4, 4, 4)
    assert dict(found.lines)["says little"].startswith("6 distinct rows of rank 6: shuffled labels may be")
