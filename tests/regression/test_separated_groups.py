"""The levels, cells of interactions and levels of fixed effects behind a separation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from in_process import run_linsep
from linsep import SeparationError, guard, separation

PANEL = pd.DataFrame(
    [
        {"firm": f"f{i}", "year": year, "size": float((3 * i + year) % 5), "patents": 0 if 0 in (i, year - 2008) else 1}
        for i in range(6)
        for year in range(2008, 2012)
    ]
)
PANEL.loc[PANEL.firm.isin(["f2", "f4"]) & (PANEL.year == 2010), "patents"] = 0


def said(groups: Any) -> list[str]:
    return [str(group) for group in groups]


def rows_by_hand(table: pd.DataFrame, gone: set[int], *factors: str) -> dict[tuple[str, ...], tuple[int, ...]]:
    """The groups all of whose rows are gone, by pandas."""
    parts = table.groupby(list(factors)).indices
    return {
        tuple(map(str, key if isinstance(key, tuple) else (key,))): tuple(np.asarray(rows).tolist())
        for key, rows in parts.items()
        if gone.issuperset(np.asarray(rows).tolist())
    }


def test_levels_of_fixed_effects_are_named_and_infinite_themselves() -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    found = separation("patents ~ size | firm + year", data=PANEL, family="poisson")
    groups = {(group.factors, group.levels): group.rows for group in found.separated_groups()}
    gone = set(found.separated_rows)
    expected = {(("firm",), level): rows for level, rows in rows_by_hand(PANEL, gone, "firm").items()}
    expected |= {(("year",), level): rows for level, rows in rows_by_hand(PANEL, gone, "year").items()}
    assert groups == expected
    assert set(groups) == {(("firm",), ("f0",)), (("year",), ("2008",))}
    # The first level of the second effect, all zeros, is not the one without a column.
    assert found.fixed_effects == {"firm": {"-inf": 1, "finite": 5}, "year": {"-inf": 1, "finite": 2}}
    turned = separation("patents ~ size | year + firm", data=PANEL, family="poisson")
    assert turned.fixed_effects == {"year": {"-inf": 1, "finite": 3}, "firm": {"-inf": 1, "finite": 4}}
    assert said(turned.separated_groups())[::-1] == said(found.separated_groups())


@pytest.mark.parametrize("reference", ["low", "top"])
def test_the_cell_of_an_interaction_is_named_whatever_the_reference(reference: str) -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": rng.choice(["low", "mid", "top"], 90), "sex": rng.choice(["f", "m"], 90)})
    table["died"] = rng.integers(0, 2, 90)
    table.loc[(table.dose == "top") & (table.sex == "f"), "died"] = 1
    found = separation(f"died ~ C(dose, Treatment(reference='{reference}')) * sex", data=table)
    (group,) = found.separated_groups()
    assert (group.factors, group.levels) == (("dose", "sex"), ("top", "f"))
    assert {("top", "f"): group.rows} == rows_by_hand(table, set(found.separated_rows), "dose", "sex")
    assert not any("Drop a column" in text for text in found.advice)


def test_of_a_cox_model_the_level_without_an_event() -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"months": rng.permutation(60) + 1.0, "stage": rng.choice(["I", "II", "III"], 60)})
    table["died"] = np.where(table.stage == "I", 0, rng.integers(0, 2, 60))
    found = separation("months ~ stage", data=table, family="cox", event=table["died"])
    (group,) = found.separated_groups()
    assert group.rows == tuple(np.flatnonzero(table.stage == "I"))
    assert (group.levels, found.coefficients) == (("I",), {"stage[T.II]": np.inf, "stage[T.III]": np.inf})
    assert any("a fit without its rows" in text for text in found.advice)
    assert found.advice[0].startswith("Take another reference level of stage: the coefficients of all 2 other levels")
    assert "At 0 events" not in found.summary()


def test_nothing_is_named_where_no_row_or_every_row_is_separated() -> None:
    table = pd.DataFrame({"ward": list("aabb"), "died": [0, 1, 0, 1]})
    assert separation(table[["ward"]], table["died"]).separated_groups() == []
    table["died"] = [0, 0, 1, 1]
    complete = separation(table[["ward"]], table["died"])
    assert (complete.verdict, complete.separated_groups()) == ("complete", [])


def test_a_guarded_formula_names_the_levels_and_what_can_be_done() -> None:
    formulas = pytest.importorskip("statsmodels.formula.api")
    with pytest.raises(SeparationError) as caught:
        guard(formulas.poisson("patents ~ size + C(year)", data=PANEL)).fit()
    found = caught.value.separation
    assert said(found.separated_groups()) == ["year=2008 (6 rows)"]
    assert found.references == {"year": "2008"}
    assert "C(year, Treatment(reference=2009))" in found.advice[0]
    assert "firth" not in str(caught.value)
    assert "finite_part() for estimates and limits, drop()" in str(caught.value)
    table = PANEL.assign(months=range(1, 25))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = formulas.phreg("months ~ C(year)", data=table, status=table["patents"])
    with pytest.raises(
        SeparationError, match="for the levels behind it, drop\\(\\) for the rows and columns that remain, and advice"
    ) as caught:
        guard(model).fit()
    assert said(caught.value.separation.separated_groups()) == ["year=2008 (6 rows)"]


def test_the_command_names_groups_and_says_nothing_of_labels(tmp_path: Path) -> None:
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    PANEL.assign(patents=PANEL.patents * (1 + np.arange(24))).to_csv(tmp_path / "panel.csv", index=False)
    effects = ["--formula", "patents ~ size | firm + year", "--family", "poisson"]
    found = run_linsep(["separation", "panel.csv", *effects], tmp_path)
    assert (found.returncode, "firm=f0 (4 rows), year=2008 (6 rows)" in found.stdout) == (1, True)
    counts = run_linsep(["separation", "panel.csv", "--target", "patents", "--family", "poisson"], tmp_path)
    assert (counts.returncode, "label" in counts.stderr) == (1, False)
    times = run_linsep(["separation", "panel.csv", "--target", "year", "--family", "cox"], tmp_path)
    assert "without --set event=COLUMN every row counts as an event" in times.stderr


def test_a_constant_among_the_columns_is_free_in_the_smallest_set() -> None:
    X = np.column_stack([np.ones(6), [1, 2, 3, 7, 8, 9], [0, 1, 0, 1, 0, 1]])
    found = separation(pd.DataFrame(X, columns=["const", "x", "z"]), [0, 0, 0, 1, 1, 1], fit_intercept=False)
    least = found.smallest_set()
    assert (least.columns, sorted(least.direction), least.is_smallest) == (("x",), ["const", "x"], True)
