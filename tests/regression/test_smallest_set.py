"""The fewest columns that separate, beside all subsets asked one by one."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from in_process import run_linsep
from linsep import Separation, separation
from linsep.regression import smallest_set as searched
from linsep.regression.smallest_set import ColumnsOfRows, SmallestSet, smallest_set
from linsep.theory import columns
from linsep.types import Array, DataError

OPEN = ("finite", "not identified")


def least_of(found: Separation) -> SmallestSet:
    return smallest_set(*found._asked())


def fewest(X: Array, y: Array, family: Any) -> int:
    """The size of the smallest set, by trying all."""
    for k in range(1, X.shape[1] + 1):
        for some in combinations(range(X.shape[1]), k):
            found = separation(X[:, some], y, family=family)
            if any(said not in OPEN for said in found.coefficients.values()):
                return k
    raise AssertionError(family)


@st.composite
def regressions(draw: st.DrawFn) -> tuple[Array, Array, str]:
    n, p = draw(st.integers(4, 7)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(st.integers(-1, 1), min_size=p, max_size=p), min_size=n, max_size=n)))
    family = draw(st.sampled_from(["logistic", "poisson", "multinomial", "cumulative"]))
    top = 1 if family == "logistic" else 2
    y = np.array(draw(st.lists(st.integers(0, top), min_size=n, max_size=n)))
    y[: top + 1] = np.arange(top + 1)
    return X, y, family


@settings(max_examples=30)
@given(regressions())
def test_no_smaller_set_separates(asked: tuple[Array, Array, str]) -> None:
    X, y, family = asked
    kind: Any = family
    found = separation(X, y, family=kind)
    if found.verdict == "overlap":
        with pytest.raises(DataError, match="no row is separated"):
            least_of(found)
        return
    least = least_of(found)
    assert least.is_smallest
    assert len(least.columns) == fewest(X, y, family)
    if family in ("logistic", "poisson"):
        again = separation(X[:, [int(name[1:]) - 1 for name in least.columns]], y, family=kind)
        assert again.separated_rows == least.rows


def test_among_many_columns_none_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (columns, searched):
        monkeypatch.setattr(place, "MOST_COLUMNS", 3)
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(14, 6))
    y = (X[:, 1] + 2 * X[:, 4] > 0).astype(int)
    least = least_of(separation(X, y))
    assert not least.is_smallest
    at = [int(name[1:]) - 1 for name in least.columns]
    assert separation(X[:, at], y).verdict != "overlap"
    for j in at:
        assert separation(X[:, [k for k in at if k != j]], y).verdict == "overlap"
    alone = least_of(separation(np.column_stack([X, y]), y))
    assert (alone.columns, alone.is_smallest, alone.rows) == (("x7",), True, tuple(range(14)))


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = separation([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]], [0, 1, 0, 1, 1])
    monkeypatch.setattr(searched, "_MOST_ENTRIES", 3)
    with pytest.raises(DataError, match=r"the design has .* entries, and the smallest set is looked for in 3"):
        least_of(found)
    monkeypatch.undo()
    far = separation(np.array([[10**400, 1], [0, 2], [1, 0]], dtype=object), [0, 1, 0])
    least = least_of(far)  # each of the two alone separates
    assert (len(least.columns), least.is_smallest, least.rows) == (1, True, (0, 1, 2))


DECIMALS = "a,b,y\n0.10,1,0\n0.30,2,0\n0.20,7,0\n0.25,5,1\n0.40,9,1\n0.45,2,1\n"


def test_of_wide_designs_and_decimals(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6, 40))
    X[:, 17] = [0, 1, 0, 1, 0, 1]
    wide = separation(X, [0, 1, 0, 1, 0, 1])
    assert wide.proof is not None
    assert wide.proof.bases
    assert len(least_of(wide).columns) == 1
    (tmp_path / "t.csv").write_text(DECIMALS)
    out = run_linsep(["separation", "t.csv", "--target", "y", "--details"], tmp_path).stdout
    assert "smallest set  " in out
    assert "no fewer columns separate" in out
    assert "smallest set" not in run_linsep(["separation", "t.csv", "--target", "y"], tmp_path).stdout


def test_of_a_formula(tmp_path: Path) -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    (tmp_path / "t.csv").write_text(DECIMALS)
    of_formula = run_linsep(["separation", "t.csv", "--formula", "y ~ a + b", "--details"], tmp_path).stdout
    assert "no fewer columns separate" in of_formula


def test_a_level_of_zeros_is_proved_with_two_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among many columns: of two factors, the level with the most rows of those that are all 0."""
    asked: list[int] = []
    prove = ColumnsOfRows.prove

    def counted(self: Any, deadline: Any, some: list[int]) -> Any:
        asked.append(len(some))
        return prove(self, deadline, some)

    monkeypatch.setattr(ColumnsOfRows, "prove", counted)
    rng = np.random.default_rng(0)
    firms, years = rng.integers(0, 400, 4000), rng.integers(0, 100, 4000)
    y = np.where(np.isin(firms, (7, 9)), 0, rng.poisson(3.0, 4000))
    largest = max((7, 9), key=lambda firm: int((firms == firm).sum()))
    blocks = [sp.csr_matrix((np.ones(4000), (np.arange(4000), codes))) for codes in (firms, years)]
    found = separation(sp.csr_matrix(sp.hstack([block[:, 1:] for block in blocks])), y, family="poisson")
    least = least_of(found)
    assert (least.columns, least.is_smallest) == ((f"x{largest}",), True)
    assert least.rows == tuple(np.flatnonzero(firms == largest).tolist())
    assert asked == [1, 0]  # alone, and without any column
