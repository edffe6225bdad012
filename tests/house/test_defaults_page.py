"""The page of defaults says what it shows: what is wanted of `linsep fit` holds in the table that was printed."""

from __future__ import annotations

from statistics import fmean

from pages import ROOT

PAGE = (ROOT / "docs/defaults.md").read_text(encoding="utf-8")


def table() -> list[dict[str, str]]:
    part = PAGE.partition("### Test accuracy without any option")[2].partition("###")[0]
    lines = [line.strip("| ").split("|") for line in part.split("\n") if "|" in line]
    heads, _, *rest = [[cell.strip() for cell in line] for line in lines]
    return [dict(zip(heads, line, strict=True)) for line in rest]


def share(row: dict[str, str], name: str) -> float:
    return float(row[name])


def test_the_wanted_figures_are_those_of_the_table() -> None:
    rows = table()
    assert len(rows) >= 15
    fit, auto, peer = "linsep fit", "linsep fit --learner auto", "LogisticRegression"
    assert min(share(row, fit) - share(row, "majority") for row in rows) >= -0.02
    behind = [share(row, fit) - share(row, peer) for row in rows]
    ahead = [share(row, auto) - share(row, peer) for row in rows]
    assert fmean(behind) >= -0.01
    assert fmean(ahead) >= 0
    assert max(float(row["auto to plain"].removesuffix(" x")) for row in rows) <= 5
    assert f"`linsep fit` is {-100 * fmean(behind):.1f} points behind logistic regression on average" in PAGE
    assert f"`linsep fit --learner auto` is {100 * fmean(ahead):.1f} points ahead of logistic regression" in PAGE


def test_auto_follows_boosting_where_that_is_far_ahead() -> None:
    gaps = {}
    for row in table():
        boosting = row["HistGradientBoosting"]
        if boosting and float(boosting) >= share(row, "LogisticRegression") + 0.05:
            gaps[row["table"]] = share(row, "linsep fit --learner auto") - float(boosting)
    assert len(gaps) >= 5
    worst = min(gaps, key=gaps.__getitem__)
    assert f"`auto` is at most {-100 * gaps[worst]:.1f} points behind boosting ({worst}" in PAGE
    assert gaps[worst] >= -0.03


def test_the_whole_command_takes_less_than_ten_seconds() -> None:
    """Of tables of fewer than 10,000 rows, as all of these are; of processor time."""
    for row in table():
        for name in ("whole command, linsep fit", "whole command, linsep fit --learner auto"):
            assert row[name].endswith(" s")
            assert float(row[name].removesuffix(" s")) < 10
