"""Cover's count: exact against whole numbers, against all labelings of a few rows, and on receipts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, isclose, log10
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from linsep import fit_table, open_data, separability
from linsep.theory import cover_odds, cover_rows, holm
from linsep.theory.bounds.cover import cover_note


def labelings(n: int, r: int) -> int:
    """2 sum_{k<r} C(n-1, k)."""
    return 2 * sum(comb(n - 1, k) for k in range(min(r, n)))


def log10_of(value: int) -> float:
    """log10 of a whole number of any size."""
    shift = max(0, value.bit_length() - 60)
    return log10(value >> shift) + shift * log10(2)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 21, 64, 301])
def test_the_bound_is_the_fraction_of_whole_numbers(n: int) -> None:
    for r in range(1, n + 3):
        assert isclose(10 ** cover_odds(n, r), float(Fraction(labelings(n, r), 2**n)), rel_tol=1e-11)
        for positives in {0, 1, n // 2, n}:
            given = Fraction(labelings(n, r), (1 + (2 * positives != n)) * comb(n, positives))
            assert isclose(10 ** cover_odds(n, r, positives), min(1.0, float(given)), rel_tol=1e-10)


def test_the_logarithm_is_right_where_no_double_holds_the_chance() -> None:
    n, r = 400_000, 2_000
    term = total = 1
    for k in range(r - 1):
        term = term * (n - 1 - k) // (k + 1)
        total += term
    exact = log10_of(2 * total) - n * log10(2)
    assert exact < -100_000
    assert isclose(cover_odds(n, r), exact, rel_tol=1e-13)


@pytest.mark.parametrize(("n", "p"), [(4, 1), (5, 2), (6, 2), (6, 3)])
def test_rows_in_general_position_reach_the_count(n: int, p: int) -> None:
    X = np.random.default_rng(n * p).normal(size=(n, p))
    found = {labels for labels in product((0, 1), repeat=n) if is_separable(X, labels)}
    assert len(found) == labelings(n, p + 1) == round(2**n * 10 ** cover_odds(n, p + 1))
    for positives in range(n + 1):
        count = sum(sum(labels) == positives for labels in found)
        assert count <= comb(n, positives) * 10 ** cover_odds(n, p + 1, positives) * (1 + 1e-12)


@pytest.mark.parametrize(("n", "p", "positives"), [(9, 2, None), (12, 3, 6), (14, 3, 5)])
def test_random_labelings_are_separable_no_more_often_than_the_bound_says(
    n: int, p: int, positives: int | None
) -> None:
    """Of 400 labelings; rows repeat, so no general position. By chance it fails once in a million at most."""
    rng = np.random.default_rng(n)
    X = rng.integers(-1, 2, size=(n, p))
    rank = int(np.linalg.matrix_rank(np.column_stack([X, np.ones(n)])))
    chance, found = 10 ** cover_odds(n, rank, positives), 0
    for _ in range(400):
        labels = rng.integers(0, 2, n) if positives is None else rng.permutation(n) < positives
        found += is_separable(X, tuple(labels.tolist()))
    assert 0 < chance < 1
    assert 0 < found <= binom.isf(1e-6, 400, chance)


@pytest.mark.parametrize("rank", [1, 2, 7, 40])
@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 1000)])
def test_the_number_of_rows_is_the_first_with_such_a_chance(rank: int, chance: Fraction) -> None:
    n = cover_rows(rank, float(chance))
    assert Fraction(labelings(n, rank), 2**n) <= chance < Fraction(labelings(n - 1, rank), 2 ** (n - 1))
    assert chance != Fraction(1, 2) or n == 2 * rank


def test_the_number_of_rows_is_found_for_thousands_of_columns() -> None:
    assert cover_rows(50_001) == 100_002
    n = cover_rows(3073, 0.001)
    assert cover_odds(n, 3073) <= -3 < cover_odds(n - 1, 3073)


@given(st.lists(st.floats(-300, 0), min_size=1, max_size=8))
def test_holm_is_the_definition(odds: list[float]) -> None:
    """A chance is rejected at level a if it and all smaller ones pass a / m, a / (m - 1), ..."""
    found = holm(odds)
    for odd, level in zip(odds, found, strict=True):
        passed = [sum(other >= mine for other in odds) for mine in odds if mine <= odd]
        steps = [log10(m) + mine for m, mine in zip(passed, [o for o in odds if o <= odd], strict=True)]
        assert isclose(level, min(0.0, max(steps)), abs_tol=1e-9)


def is_separable(X: Any, labels: tuple[int, ...]) -> bool:
    return len(set(labels)) == 1 or separability(X, labels).verdict == "separable"


def test_what_makes_no_sense_is_refused() -> None:
    for asked in ((0, 1, None), (5, 0, None), (5, 2, 6), (5, 2, -1)):
        with pytest.raises(ValueError, match=r"rows"):
            cover_odds(*asked)
    for rank, chance in ((0, 0.5), (3, 0.0), (3, 1.0)):
        with pytest.raises(ValueError, match=r"a rank of at least 1 and a chance between 0 and 1"):
            cover_rows(rank, chance)
    for odds in ([-1.0, 0.5], [float("nan")]):
        with pytest.raises(ValueError, match="at most 0"):
            holm(odds)


def test_receipts_qualify_what_random_labels_would_be_too() -> None:
    rng = np.random.default_rng(0)
    for p, little in ((30, True), (2, False)):
        X = rng.normal(size=(40, p))
        labels = X @ np.ones(p) > 0
        found = fit_table(open_data(pd.DataFrame(X).rename(columns=str).assign(y=labels), target="y"))
        said = dict(found.receipt.lines)["separable?"]
        assert said.startswith("separable: ")
        assert ("even random labels can be separable" in said) == little
        assert said.endswith(cover_note(40, p + 1, int(labels.sum())))
