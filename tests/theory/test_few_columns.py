"""Few columns that separate, and columns that are needed: beside all sets, all removals, and whenever the time ends."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import DataError, Separability, few_columns, separability
from linsep.theory import columns as searched
from linsep.theory.columns import ColumnSearch, columns_of_verdict
from linsep.theory.rows.deadline import NEVER, OutOfTimeError


def verdict(X: Any, y: Any, some: Any) -> str:
    return separability(X[:, list(some)], y).verdict if len(some) else "inseparable"


families = st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=4), min_size=1, max_size=6)


@settings(max_examples=30)
@given(least=families, order=st.permutations(range(8)), asked=st.integers(0, 60))
def test_the_search_is_right_about_any_sets_and_ends_at_any_time(least: Any, order: Any, asked: int) -> None:
    """Any sets may be those that separate, with all that contain one of them."""
    left = [10**9]

    def prove(some: list[int]) -> tuple[bool, str]:
        left[0] -= 1
        if left[0] < 0:
            raise OutOfTimeError
        return any(one <= set(some) for one in least), f"{some}"

    smallest = min(map(len, least))
    search = ColumnSearch(8, prove, "all")
    assert search.needed() == sorted(frozenset.intersection(*least))
    assert search.find_fewest(order, NEVER)
    assert len(search.few) == smallest
    left[0] = asked
    search = ColumnSearch(8, prove, "all")
    try:
        proved = search.find_fewest(order, NEVER)
        assert proved
    except OutOfTimeError:
        proved = False
    assert any(one <= search.few for one in least)
    assert not proved or len(search.few) == smallest
    assert search.answers[search.few][1] in ("all", f"{sorted(search.few)}")


def test_no_question_is_asked_twice_and_the_set_is_found_before_it_is_proved() -> None:
    asked: list[frozenset[int]] = []

    def prove(some: list[int]) -> tuple[bool, int]:
        asked.append(frozenset(some))
        return {2, 5} <= set(some) or {3, 4, 7} <= set(some), len(asked)

    search = ColumnSearch(9, prove, 0)
    assert search.find_fewest([3, 4, 7, 0, 1, 6, 8, 2, 5], NEVER)
    assert len(set(asked)) == len(asked)
    assert search.answers[search.few][1] < len(asked)
    for k, some in enumerate(asked):  # nor one whose answer follows
        before = [(one, {2, 5} <= one or {3, 4, 7} <= one) for one in asked[:k]]
        assert not any(one <= some if yes else some <= one for one, yes in before)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 5), sparse=st.booleans(), form=st.sampled_from(["all", "some"]))
def test_needed_and_few_columns_are_those_of_all_sets(seed: int, p: int, sparse: bool, form: str) -> None:
    rng = np.random.default_rng(seed)
    if form == "all":
        X = rng.integers(-3, 4, (12, p)).astype(float)
        score = X @ rng.integers(-2, 3, p)
        X, y = X[score != 0], (score[score != 0] > 0).astype(int)
    else:
        X, y = rng.integers(0, 2, (9, p)).astype(float), rng.integers(0, 2, 9)
        y[:2] = 0, 1
    if np.unique(y).size < 2 or verdict(X, y, range(p)) != ("separable" if form == "all" else "quasi-separable"):
        return
    given: Any = sp.csr_matrix(X) if sparse else X
    proof = separability(given, y)
    cut = int(rng.integers(1, p))
    groups = [list(range(cut)), *([j] for j in range(cut, p))]
    without = [np.setdiff1d(np.arange(p), group) for group in groups]
    search = columns_of_verdict(given, y, proof, groups, NEVER)
    needed = [k for k, rest in enumerate(without) if verdict(X, y, rest) != proof.verdict]
    assert search.needed() == needed
    found, known = search.known_needed()
    assert (found, known) == (needed, len(groups))
    search = columns_of_verdict(given, y, proof, [[j] for j in range(p)], NEVER)
    assert search.find_fewest(range(p), NEVER)
    sizes = [k for k in range(1, p + 1) for some in combinations(range(p), k) if verdict(X, y, some) == proof.verdict]
    assert len(search.few) == sizes[0]
    for some, (_, found) in search.answers.items():
        if found is not None:
            found.verify(given[:, sorted(some)], y)


@pytest.mark.parametrize("far", [False, True])
def test_a_planted_pair_is_found_among_other_columns(far: bool) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 300, (60, 8)), rng.integers(0, 2, 60)
    X[:, 3] = X[:, 1] + np.where(y == 1, rng.integers(31, 60, 60), rng.integers(1, 30, 60))
    table = np.array([[int(v) + 2**80 for v in row] for row in X], dtype=object) if far else X.astype(float)
    found = few_columns(table, y)
    assert (found.columns, found.smallest) == ((1, 3), True)
    found.proof.verify(table[:, [1, 3]], y)


def test_among_many_columns_none_of_the_set_can_go() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 70)).astype(np.float32)
    y = X[:, :4].sum(axis=1) > 0
    found = few_columns(X, y)
    assert not found.smallest
    found.proof.verify(X[:, found.columns], y)
    for column in found.columns:
        assert verdict(X, y, [other for other in found.columns if other != column]) != "separable"


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

    monkeypatch.setattr(searched, "separability", limited)
    found = few_columns(X, y, time_limit=600)
    assert (asked[:2], len(found.columns), found.smallest) == ([24, 12], 12, False)
    found.proof.verify(X[:, found.columns], y)
    with pytest.raises(DataError, match="time_limit is a number of seconds"):
        few_columns(X, y, time_limit=-1)
