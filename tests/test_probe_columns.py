"""Few columns that still separate: proved, and against all sets where there are few."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from linsep import DataError, Separability, few_columns, separability


@pytest.mark.parametrize("seed", range(4))
def test_the_set_separates_and_of_few_columns_none_is_smaller(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(9, 6)).astype(float)
    y = rng.permutation(9) < 4
    if separability(X, y).verdict != "separable":
        X[:, 2] += 9 * y
    found = few_columns(X, y)
    found.proof.verify(X[:, found.columns], y)
    assert found.smallest
    smaller = [some for size in range(1, len(found.columns)) for some in combinations(range(6), size)]
    assert all(separability(X[:, list(some)], y).verdict != "separable" for some in smaller)


def test_a_planted_column_is_found_among_many() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    y = np.arange(60) < 30
    X[:, 17] = np.where(y, 1.0, -1.0) * rng.uniform(1, 2, 60)
    assert few_columns(X, y).columns == (17,)


def test_where_sets_are_too_many_no_column_of_the_set_can_go() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 24)).astype(np.float32)
    y = X[:, :4].sum(axis=1) > 0
    found = few_columns(X, y)
    assert not found.smallest
    found.proof.verify(X[:, found.columns], y)
    for column in found.columns:
        others = [other for other in found.columns if other != column]
        assert separability(X[:, others], y).verdict != "separable"


def test_rows_that_are_not_separable_are_refused() -> None:
    with pytest.raises(DataError, match="the rows are inseparable with all 2 columns, so with fewer, too"):
        few_columns([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])


def test_at_the_time_limit_the_set_is_what_was_found_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two questions are answered; of the third on the time is up."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 24))
    y = X[:, :4].sum(axis=1) > 0
    asked: list[int] = []

    def limited(rows: np.ndarray, labels: np.ndarray, time_limit: float | None = None) -> Separability:
        asked.append(rows.shape[1])
        return separability(rows, labels, time_limit=0.0 if len(asked) > 2 else None)

    monkeypatch.setattr("linsep.probing.columns.separability", limited)
    found = few_columns(X, y, time_limit=600)
    assert (asked[:2], len(found.columns), found.smallest) == ([24, 12], 12, False)
    found.proof.verify(X[:, found.columns], y)
    with pytest.raises(DataError, match="time_limit is a number of seconds"):
        few_columns(X, y, time_limit=-1)
