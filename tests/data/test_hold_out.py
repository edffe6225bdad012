"""Rows kept aside: whole groups, later dates, and an encoder that has not seen them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep import TableModel, fit_table, open_data
from linsep.data.features.aside import HoldOut, held_out_split, set_aside, split_by_group
from linsep.types import DataError


def frame(n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    return pd.DataFrame({
        "x": x, "patient": rng.integers(0, 9, n), "day": pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
        "city": rng.choice(["Oslo", "Rome", "Bari"], n), "y": np.where(x + rng.normal(size=n) / 3 > 0, "up", "down"),
    })  # fmt: skip


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.floats(0.05, 0.9))
def test_no_group_is_on_both_sides(groups: list[int], fraction: float) -> None:
    names = np.array(groups)
    if len(set(groups)) < 2:
        with pytest.raises(DataError, match="all rows are of one group"):
            split_by_group(names, fraction)
        return
    train, test = split_by_group(names, fraction)
    assert sorted([*train, *test]) == list(range(len(groups)))
    assert not set(names[train]) & set(names[test])
    largest = np.bincount(names).max()
    assert len(test) >= min(fraction * len(groups), len(groups) - largest) or len(set(names[train])) == 1
    assert len(test) < fraction * len(groups) + largest


def test_the_encoder_has_not_seen_the_rows_kept_aside() -> None:
    data = frame()
    rows = open_data(data, target="y")
    prepared = TableModel().prepare(rows)
    assert prepared.encoder is not None
    aside = set_aside(rows.read(), prepared.encoder, "t", HoldOut(0.25))
    train, test = held_out_split(len(data), 0.25)
    assert (aside.train.tolist(), aside.test.tolist()) == (train.tolist(), sorted(test))
    x = data["x"].to_numpy()
    np.testing.assert_allclose(aside.X_test[:, 0], (x[aside.test] - x[train].mean()) / x[train].std(), rtol=1e-12)
    alone = TableModel().fit(data.drop(columns="y").iloc[train], data["y"].iloc[train])
    found = fit_table(rows, holdout=0.25)
    expected = alone.score(data.drop(columns="y").iloc[test], data["y"].iloc[test])
    assert found.receipt.data["held_out_accuracy"] == expected


def test_a_level_of_the_rows_kept_aside_alone_is_unknown() -> None:
    data = frame()
    test = held_out_split(len(data), 0.25)[1]
    data.loc[test[0], "city"] = "Lima"
    rows = open_data(data, target="y")
    prepared = TableModel().prepare(rows)
    assert prepared.encoder is not None
    aside = set_aside(rows.read(), prepared.encoder, "t", HoldOut(0.25))
    assert prepared.rows.shape[1] == aside.X_train.shape[1] + 1


def test_groups_and_dates() -> None:
    data = frame()
    by_group = fit_table(open_data(data, target="y"), holdout=0.2, group="patient")
    assert "patient" not in by_group.model.feature_names_in_
    assert "of 9 groups" in dict(by_group.receipt.lines)["held-out accuracy"]
    later = fit_table(open_data(data, target="y"), after="2024-03-01")
    assert later.receipt.data["held_out"]["rows"] == int((data["day"] >= "2024-03-01").sum())
    assert "those of 2024-03-01 or later by 'day'" in dict(later.receipt.lines)["held-out accuracy"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"group": "patient"}, "--group says how --holdout splits the rows"),
        ({"after": "2024-03-01", "holdout": 0.2}, "--after already says which rows are held out"),
        ({"after": "2030-01-01"}, "no rows are of 2030-01-01 or later in column 'day'"),
        ({"after": "2020-01-01"}, "all rows are of 2020-01-01 or later"),
        ({"after": "city=2024-03-01"}, "'city' is no column of dates: there are 'day'"),
        ({"after": "soon"}, "'soon' is no date like 2024-02-29"),
        ({"holdout": 0.2, "group": "town"}, "there is no column called 'town' beside the label"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        fit_table(open_data(frame(), target="y"), **options)


def test_several_columns_of_dates_need_a_name() -> None:
    data = frame().assign(born="2000-01-01")
    with pytest.raises(DataError, match=r"COLUMN=DATE, and '' is no column of dates: there are 'day', 'born'"):
        fit_table(open_data(data, target="y"), after="2024-03-01")
    assert fit_table(open_data(data, target="y"), after="day=2024-03-01").receipt.data["held_out"]["rows"] == 20


def test_rows_of_a_file_that_counts_from_1_are_kept_aside() -> None:
    lines = "".join(f"{1 if k % 2 else -1} 1:{k % 7} 3:{k % 5 + 4 * (k % 2)}\n" for k in range(60))
    aside = fit_table(open_data(lines.encode(), format="svmlight"), holdout=0.2).receipt
    assert "held-out accuracy" in dict(aside.lines)


@pytest.mark.parametrize("n", range(2, 7))
def test_rows_to_learn_from_are_left(n: int) -> None:
    rows = pd.DataFrame({"x": range(n), "y": [*"ab" * n][:n]})
    with pytest.raises(DataError, match=f"of {n} leaves fewer than two labels to learn from"):
        fit_table(open_data(rows, target="y"), holdout=0.9)
