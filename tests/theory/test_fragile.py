"""Fragile: half a unit in the last place of doubles that are no integers could change an answer. Else it cannot."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from linsep import (
    Separation,
    fewest_rows,
    open_data,
    probe,
    separability,
    separation,
)
from linsep.reporting.table_check import check_table
from linsep.theory import ConeProof, SeparationProof
from linsep.theory.rows import fragile
from linsep.theory.rows.fragile import off_by
from linsep.theory.separation.families import Outcome
from linsep.theory.separation.fragile_design import _Question
from linsep.theory.separation.model_rows import model_rows
from linsep.theory.words.of_classes import FRAGILE, REMEDY
from linsep.types import Array, DataError

# Two columns of tenths and their sum, which doubles do not add up to.
TENTHS = [(2, 2), (5, 2), (1, 3), (3, 3), (7, 1), (6, 2), (4, 4)]
TOTALS = pd.DataFrame({"a": [a / 10 for a, _ in TENTHS], "b": [b / 10 for _, b in TENTHS]})
TOTALS["total"] = [(a + b) / 10 for a, b in TENTHS]
TOTALS["y"] = [1, 1, 0, 1, 0, 1, 0]
FAMILIES = ["logistic", "binomial", "poisson", "multinomial", "cumulative", "adjacent", "continuation", "cox"]
FAMILIES += ["conditional"]
OF_TWO = ("logistic", "binomial", "conditional")


def test_every_question_about_a_total_of_two_says_so(tmp_path: Path) -> None:
    X, y = TOTALS[["a", "b", "total"]], TOTALS["y"]
    about_rows: Any = (separability(X.to_numpy(), y), fewest_rows(X.to_numpy(), y))
    of_a_formula = separation("y ~ a + b + total", data=TOTALS)
    for found in (*about_rows, of_a_formula, separation(X, y)):
        assert found.fragile
        assert FRAGILE + REMEDY in found.summary()
        assert FRAGILE in repr(found)
        assert found.to_dict()["fragile"] is True
    assert "Fragile" in of_a_formula._repr_html_()
    assert all(row.fragile for row in probe({"layer": X.to_numpy()}, y.to_numpy()).rows)
    # As they are written the columns depend on each other, and nothing is rounded.
    TOTALS.to_csv(tmp_path / "t.csv", index=False)
    exact = separation("y ~ a + b + total", data=open_data(str(tmp_path / "t.csv")))
    assert (exact.verdict, exact.rank, exact.fragile) == ("overlap", 3, False)
    assert not check_table(open_data(str(tmp_path / "t.csv"), target="y"), time_limit=None).asked[0].found.fragile
    tenths = np.array([[Fraction(a, 10), Fraction(b, 10), Fraction(a + b, 10)] for a, b in TENTHS])
    for found in (separability(tenths, y), separation(tenths, y), fewest_rows(tenths, y)):
        assert not found.fragile


def bfloat16(X: Array) -> Array:
    """The nearest numbers of 8 digits; ties do not occur here."""
    fractions, exponents = np.frexp(X)
    return np.asarray(np.ldexp(np.rint(np.ldexp(fractions, 8)), exponents - 8))


@pytest.mark.parametrize("wide", [np.float32, np.float64])
@pytest.mark.parametrize("half", [lambda X: X.astype(np.float16), bfloat16])
def test_halves_made_wider_are_marked_as_halves(half: Any, wide: Any) -> None:
    """Where the answer about a total of two columns, in 8 or 11 digits, is not that of the decimals, it is marked."""
    rng, differ = np.random.default_rng(8), 0
    for _ in range(40):
        tenths = rng.integers(1, 10, (9, 2))
        whole = np.column_stack([tenths, tenths.sum(axis=1)])
        y = rng.permutation([0, 1] * 4 + [1])
        found = separability(half(whole / 10).astype(wide), y)
        if found.verdict != separability(whole, y).verdict:
            differ += 1
            assert found.fragile
    assert differ > 2


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("most", [40, 100, 255])
def test_a_grid_is_no_table_of_halves(step: int, most: int) -> None:
    assert fragile._digits_of_halves(np.arange(1, most) / 2.0**step) is None


def test_what_is_read_is_fragile_once_it_has_seen_its_rows_and_they_may_change_then() -> None:
    X, y = TOTALS[["a", "b", "total"]].to_numpy(), TOTALS["y"].to_numpy()
    every: list[Any] = [separability(X, y), separation(X, y), fewest_rows(X, y)]
    for found, later in product(every, (X, np.round(X))):
        assert "fragile" not in json.loads(found.to_json())
        read, rows = type(found).from_json(found.to_json()), X.copy()
        read.verify(rows, y)
        rows[:] = later
        assert read.fragile and (later is not X or read.summary() == found.summary())


def moved(X: Array, rng: np.random.Generator) -> Array:
    """Singles that are no integers, off by half a unit in their last place at most."""
    halves = np.spacing(np.abs(X).astype(np.float32)).astype(np.float64) / 2
    return np.asarray(X + np.where(np.rint(X) == X, 0.0, halves) * rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], X.shape))


def singles(rng: np.random.Generator) -> Array:
    """A few rows that often lie on one plane: quarters, tenths, an indicator, columns that depend."""
    n, p = int(rng.integers(5, 11)), int(rng.integers(1, 4))
    kind = int(rng.integers(3))
    X: Array = rng.integers(-3, 4, (n, p)) / (4, 10, 10)[kind]
    X = np.column_stack([rng.integers(0, 2, n), rng.normal(size=(n, p))]) if kind == 2 else X
    X[:, 0] *= (rng.random(n) < 0.5) if rng.random() < 0.3 else 1
    return (np.column_stack([X, X[:, 0]]) if rng.random() < 0.1 else X).astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_that_is_not_fragile_is_kept(family: Any) -> None:
    seen: set[tuple[str, bool]] = set()
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X = singles(rng)
        y = rng.integers(0, 2 if family in OF_TWO else 3, len(X))
        y = (X @ rng.normal(size=X.shape[1]) > 0).astype(int) if rng.random() < 0.4 else y
        try:
            found = separation(X, y, family=family)
        except DataError:  # one class alone, or no row at risk
            continue
        seen.add((found.verdict, found.fragile))
        for _ in range(2 if not found.fragile else 0):
            other = separation(moved(X, rng), y, family=family)
            said = [(one.verdict, one.separated_rows, one.coefficients, one.pairs, one.rank) for one in (found, other)]
            assert said[0] == said[1]
    assert {True, False} <= {mark for _, mark in seen}


def test_verdicts_and_bounds_that_are_not_fragile_are_kept() -> None:
    marks = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = singles(rng)
        y = np.arange(len(X)) % 2 if seed % 2 else (X @ rng.normal(size=X.shape[1]) > 0).astype(int)
        if len(set(y.tolist())) < 2 or min(np.bincount(y)) < 2:
            continue
        found, few = separability(X, y), fewest_rows(X, y)
        marks |= {(found.verdict, found.fragile), ("fewest", few.fragile)}
        other = moved(X, rng)
        if not found.fragile:
            again = separability(other, y)
            assert (again.verdict, again.separated_rows.tolist()) == (found.verdict, found.separated_rows.tolist())
        if not few.fragile:
            assert fewest_rows(other, y).lower == few.lower == few.upper
    assert marks >= {("fewest", False), ("fewest", True), ("inseparable", False), ("separable", False)}


@pytest.mark.parametrize("family", FAMILIES)
def test_numbers_that_are_exact_or_far_from_any_plane_are_not_fragile(family: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = rng.integers(0, 2 if family in OF_TWO else 3, 80)
    whole = np.rint(4 * X)
    for rows in (
        X,
        X.astype(np.float32),
        np.column_stack([whole, whole[:, 0] + whole[:, 1]]),
        sp.csr_matrix(X),
        0 + (X > 0),
    ):
        assert not separation(rows, y, family=family).fragile
    assert separation(np.column_stack([X, 2 * X[:, 0]]), y, family=family).fragile  # a column depends on another


def test_singles_are_found_among_doubles() -> None:
    rng = np.random.default_rng(4)
    single = rng.normal(size=(9, 1)).astype(np.float32).astype(np.float64)
    X = np.column_stack([single, rng.normal(size=9), np.arange(9)])
    off = off_by(X)(X)
    assert np.array_equal(off[:, 0], np.spacing(np.abs(single[:, 0]).astype(np.float32)).astype(np.float64) / 2)
    assert np.array_equal(off[:, 1], np.spacing(np.abs(X[:, 1])) / 2)
    assert not off[:, 2].any()
    assert np.array_equal(off_by(sp.csr_matrix(X))(sp.csr_matrix(X)).toarray(), off)
    # A margin of 2^-26 is more than doubles hide and less than singles do.
    y = np.array([0, 0, 1, 1])
    near = np.array([0.1, 0.5, 0.5 + 2.0**-24, 0.75])
    near = near.astype(np.float32).astype(np.float64)
    assert separability(near[:, None], y).fragile
    assert not separability(np.where(near == near[0], 0.1, near)[:, None], y).fragile


def test_large_sparse_rows_are_asked_without_a_dense_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixed effects beside a column of doubles; a copy of that column makes the answer fragile."""
    rng = np.random.default_rng(6)
    n = 1_000
    frame = pd.DataFrame({"firm": rng.integers(0, 40, n), "x": rng.normal(size=n), "y": rng.poisson(1.0, n)})
    frame["z"] = np.where(rng.random(n) < 0.2, rng.normal(size=n), 0.0)
    frame.loc[frame.firm == 7, "y"] = 0
    answers = []
    for most in (fragile._DENSE, 100_000):
        monkeypatch.setattr(fragile, "_DENSE", most)
        found = separation("y ~ x + z | firm", data=frame, family="poisson")
        again = separation("y ~ x + z + w | firm", data=frame.assign(w=2 * frame.x), family="poisson")
        answers.append((found.verdict, found.fragile, again.fragile))
    assert answers == [("quasi-complete", False, True)] * 2


HALF_PLACE_APART = np.array([[0.0, 0.75], [0.0, 0.75 + 2.0**-53], [1.0, 0.875]])
BETWEEN = -int((Fraction(0.75) + Fraction(1, 2**54)) * 2**54)


@pytest.mark.parametrize(
    "direction",
    [
        np.array([0, 2**54, BETWEEN], dtype=object),
        np.array([2**1200, 2**54, BETWEEN], dtype=object),  # as doubles the others are 0
        np.array([2**1200, 2**54, BETWEEN], dtype=object) * 2**3000,
    ],
    ids=["plain", "one huge entry", "huge"],
)
def test_no_direction_hides_that_rounding_moves_a_row(direction: Array) -> None:
    rows = fragile.signed_rows(HALF_PLACE_APART, np.array([-1.0, 1.0, 1.0]), True)
    assert fragile.directions_move(rows, [direction], np.arange(3))
    assert not fragile.directions_move(rows, [direction], np.array([2]))


@pytest.mark.parametrize("power", [0, 1000, 3000])
@pytest.mark.parametrize("n_columns", [2, 4, 16])
def test_no_scale_of_a_hyperplane_hides_it_either(power: int, n_columns: int) -> None:
    pair = np.array([3.3, np.nextafter(3.3, 4)])
    X = np.vstack([np.tile(pair, n_columns // 2), np.tile(pair[::-1], n_columns // 2)])
    plane = np.tile(np.array([-1, 1], dtype=object), n_columns // 2) * 2**power
    assert fragile.directions_move(fragile.signed_rows(X, np.array([1.0, -1.0]), False), [plane], np.arange(2))


def test_half_of_the_smallest_double_moves_a_row() -> None:
    X = (np.array([[1, 3], [3, 1], [2, 1], [1, 2]]) + 2.0**52) * 2.0**-1074
    assert separability(X, [1, 1, 0, 0]).fragile and separation(X, [1, 1, 0, 0]).fragile


def test_differences_that_are_nothing_may_be_off_in_sparse_rows_too() -> None:
    X, y, event = np.array([[-2 / 3], [1 / 3], [2 / 3], [2 / 3]]), [4, 3, 1, 1], [1, 0, 1, 0]
    found = [separation(table, y, family="cox", event=event) for table in (X, sp.csr_matrix(X))]
    assert [one.fragile for one in found] == [True, True]


def test_columns_of_half_precision_in_a_dataframe_are_refused() -> None:
    x = np.array([0.1, 0.2], dtype=np.float16)
    table = pd.DataFrame({"a": x, "b": [0.5, 0.25]})
    for ask in (lambda: separability(table, [0, 1]), lambda: separation(table[["a"]], [0, 1])):
        with pytest.raises(DataError, match="column 'a' holds float16: make it float32 or float64"):
            ask()
    assert separability(x[:, None], [0, 1]).verdict == "separable"


def test_singles_beside_large_integers_are_singles() -> None:
    x = np.array([0.1, np.nextafter(np.float32(0.1), np.float32(1))], dtype=np.float32)
    large = np.array([2**53 + 1, 2**53 + 1])
    assert separability(pd.DataFrame({"a": x, "b": large}), [0, 1]).fragile
    assert not separability(pd.DataFrame({"a": x.astype(float) + 1e-12, "b": large}), [0, 1]).fragile


def test_rows_of_zeros_are_no_partners_whatever_numbers_stand_beside_them() -> None:
    for third in (1, Fraction(1, 3), 2**60 + 1):
        X = np.array([[0], [third], [-2], [third], [third]], dtype=object)
        found = fewest_rows(X, [0, 1, 1, 0, 0], fit_intercept=False)
        assert (found.lower, found.upper) == (2, 2)


def test_products_of_the_smallest_doubles_are_not_lost() -> None:
    """Rows of subnormal entries that add up to one or two of the smallest doubles."""
    rng, tiny = np.random.default_rng(2), 5e-324
    for _ in range(40):
        p = int(rng.choice([5, 6, 8, 10, 16]))
        entries = rng.integers(-60, 60, p - 1).tolist()
        entries.append(int(rng.integers(1, 3)) - sum(entries))
        equal = [[1.0, *(-float(j == k) for k in range(1, p))] for j in range(1, p)]
        X = np.array([*equal, *equal, [k * tiny for k in entries], [1.0] + [0.0] * (p - 1)])
        y = [0] * (p - 1) + [1] * (p + 1)
        assert separation(X, y, fit_intercept=False).fragile


def test_opposite_directions_that_cancel_hide_nothing() -> None:
    """Rounding of a forged sum of two directions is no direction: it is added up in integers."""
    d = np.array([3, 9, 1, 0], dtype=object)
    first = {0: 2**30 + 7, 1: 3 * 2**30 + 21, 3: 2**53}
    second = {0: -(2**50 + 7 * 2**20), 1: -(3 * 2**50 + 21 * 2**20), 2: -1}
    X = np.array(
        [[3, -1, 0, 0], [3, -1, 0, 0], [-3.3, 1.1, 2.0**-60, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 2.0**40]]
    )
    outcome = Outcome(np.array([0, 1, 1, 1, 1, 1]))
    rows = model_rows(X, outcome, list("abcd"), "logistic", False)
    cone = ConeProof(
        6, ({0: 1, 1: 3, 2: 2**20, 3: 2**20},), (0, 1), {0: 1, 1: 1}, 0.0, (0,), ({0: 1, 1: 3}, {2: 1}, {3: 1})
    )
    asked = _Question(X, outcome, "logistic", rows, SeparationProof(cone, opposite={2: (first, second)}), 0 * X)
    assert asked._opposite_moves(2, (first, second), d, cone.separated)


def test_a_column_smaller_than_every_double_hides_no_rounding() -> None:
    tiny = Fraction(1, 10**400)
    x, t = [0.25, 0.75, 0.5 - 2.0**-54, 0.5 + 2.0**-53], [tiny / 4, tiny * 3 / 4, tiny / 2, tiny / 2]
    found = separability(np.array([x, t], dtype=object).T, ["p", "p", "q", "q"])
    assert found.verdict == "inseparable" and found.fragile


@pytest.mark.parametrize("ask", [separation, fewest_rows])
@pytest.mark.parametrize(
    "X", [[[0.1, 0], [0.3, 5e-324], [0.7, 1]], [[5e-324, 1], [0, 0.5], [0, 0.5], [1, 0.1]], [[-1], [1], [0.3], [0]]]
)
def test_a_caller_whose_numpy_raises_gets_the_same_answer(X: Any, ask: Any) -> None:
    y = [0, 1, 0, 1][: len(X)]
    calm = ask(X, y)
    with np.errstate(all="raise"):
        found = ask(X, y)
        assert (found.fragile, found.summary()) == (calm.fragile, calm.summary())
        type(found).from_json(found.to_json()).verify(X, y)


@pytest.mark.parametrize("entries", [1, 20])
def test_the_bound_of_an_inverse_holds_exactly(entries: int) -> None:
    """Also where rows have few entries, as indicators do, whose products are made without those of 0."""
    rng = np.random.default_rng(0)
    B = np.diag(rng.uniform(1, 2, 40))
    B[np.repeat(np.arange(40), entries), rng.integers(0, 40, 40 * entries)] += 0.1
    found = fragile._inverse(B, np.ones(40), np.arange(40))
    assert found is not None and found[1] is not None
    R = np.linalg.inv(B)
    assert np.array_equal(found[0], np.abs(R))
    columns = [[Fraction(v) for v in column] for column in R.T.tolist()]
    for i, row in enumerate(B.tolist()):
        used = [(k, Fraction(v)) for k, v in enumerate(row) if v]
        for j, column in enumerate(columns):
            assert abs(sum(v * column[k] for k, v in used) - (i == j)) <= found[1][i, j]


def test_differences_that_no_double_holds_beside_a_row_without_weight() -> None:
    X, weights = [[2.0**53], [-1.0], [-3.0], [0.5]], [1, 1, 1, 0]
    found = separation(X, [1, 2, 3, 4], family="cox", weights=weights)
    assert found.verdict == "complete" and not found.fragile
    read = Separation.from_json(found.to_json())
    read.verify(X, [1, 2, 3, 4], weights=weights)
    assert read.coefficients == {"x1": np.inf}
