"""The early warning of a run whose passes no longer make fewer mistakes."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from linsep import (
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    PlateauWarning,
    StopReason,
    separability,
)
from linsep.app.cli import main
from linsep.learners.engine import loop
from linsep.learners.engine.loop import Plateau
from linsep.learners.engine.trace import make_record

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_LABELS = np.array([0, 1, 1, 0])


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short the passes are, a plateau counts."""
    monkeypatch.setattr(loop, "_ENTRIES", 0)


def naive(mistakes: list[int], rows: int, entries: float, max_iter: int | None) -> tuple[int, int, int] | None:
    """What the docstring of `PlateauWarning` says, of a whole run."""
    enough = 100_000_000 if max_iter is not None else 1_000_000_000
    for k in (16 * 2**j for j in range(20)):
        if 3 * k > len(mistakes) or (max_iter is not None and 3 * k > max_iter / 2):
            return None
        before, last = min(mistakes[k : 2 * k]), min(mistakes[2 * k : 3 * k])
        if last >= before and 3 * k * rows * entries >= enough:
            return k, before, last
    return None


@given(st.data())
def test_a_plateau_is_what_the_definition_says_however_passes_are_cut(data: st.DataObject) -> None:
    start = data.draw(st.integers(40, 60))
    falling = data.draw(st.integers(0, 400))
    noise = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=50))
    run = [max(1, start - start * e // (falling + 1)) + noise[e * e % len(noise)] for e in range(400)]
    rows, entries = 1000, data.draw(st.sampled_from([100.0, 700.0, 5_000.0]))
    max_iter = data.draw(st.sampled_from([None, 95, 96, 300, 2000]))
    record = np.concatenate([make_record(updates=k, dots=rows) for k in run])
    looks = Plateau(entries, max_iter)
    cuts = sorted(data.draw(st.sets(st.integers(1, 399), max_size=8)))
    found = [looks.see(part) for part in np.split(record, cuts)]
    expected = naive(run, rows, entries, max_iter)
    assert [seen for seen in found if seen] == ([expected] if expected else [])


@pytest.mark.usefixtures("impatient")
def test_the_warning_comes_once_and_the_run_goes_on() -> None:
    with pytest.warns(ConvergenceWarning) as said:
        learner = Perceptron(max_iter=96).fit(XOR, XOR_LABELS)
    early, late = (str(one.message) for one in said)
    assert early == (
        "Perceptron: the mistakes of a pass no longer fall. Passes 33 to 48 made at least 4 each, and one of the 16 "
        "passes before made 4. Training goes on; whether the rows are separable is not known from this. If accuracy "
        "is what counts, AveragedPerceptron() needs no clean pass and makes 10 epochs."
    )
    assert [one.category for one in said] == [PlateauWarning, ConvergenceWarning]
    assert {one.filename for one in said} == {__file__}
    assert late.startswith("Perceptron stopped after 96 epochs")
    assert learner.stop_reason_ is StopReason.EPOCH_BUDGET


@pytest.mark.usefixtures("impatient")
def test_a_filter_that_makes_it_an_error_ends_the_run() -> None:
    learner = Perceptron(max_iter=96)
    with pytest.raises(PlateauWarning, match="no longer fall"):  # as warnings are errors in these tests
        learner.fit(XOR, XOR_LABELS)
    assert not hasattr(learner, "coef_")


@pytest.mark.usefixtures("impatient")
def test_a_run_on_separable_rows_may_stand_still_and_be_clean_in_the_end() -> None:
    """The text must not say that the rows are inseparable: these are not."""
    X, y = np.array([[1.0, 0.0], [1.0, 0.05], [-1.0, 0.05], [-1.0, 0.0]]), [0, 1, 1, 0]
    with pytest.warns(PlateauWarning, match="is not known from this") as said:
        learner = Perceptron(max_iter=None, shuffle=True, random_state=0).fit(X, y)
    assert len(said) == 1
    assert learner.stop_reason_ is StopReason.CLEAN_PASS
    assert separability(X, y).verdict == "separable"


@pytest.mark.usefixtures("impatient")
def test_who_learns_with_a_margin_is_told_of_updates_and_who_needs_no_clean_pass_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        MarginPerceptron(max_iter=96).fit(XOR, XOR_LABELS)
        AveragedPerceptron(max_iter=96).fit(XOR, XOR_LABELS)
        Perceptron(max_iter=95).fit(XOR, XOR_LABELS)
    texts = [str(one.message) for one in said if one.category is PlateauWarning]
    assert len(texts) == 1
    assert texts[0].startswith("MarginPerceptron: the updates of a pass no longer fall.")


def test_a_run_that_takes_no_time_warns_at_its_end_alone() -> None:
    with pytest.warns(ConvergenceWarning) as said:
        Perceptron(max_iter=1000).fit(XOR, XOR_LABELS)
    assert [one.category for one in said] == [ConvergenceWarning]


@pytest.mark.usefixtures("impatient")
def test_the_command_says_it_during_the_run_and_not_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    asked = ["fit", "t.csv", "--target", "y", "--learner", "perceptron", "--max-iter", "200", "--json"]
    monkeypatch.setattr(sys, "argv", ["linsep", *asked])
    with pytest.raises(SystemExit, match="0"):
        main()
    out, err = capsys.readouterr()
    early, late, *others = json.loads(out)["warnings"]
    assert "If accuracy is what counts, --learner averaged needs no clean pass" in early
    assert "No pass can be clean" in late
    assert [line for line in err.splitlines() if line.startswith("warning: ")] == [
        f"warning: {early}",
        f"warning: {late}",
        *(f"warning: {other}" for other in others),
    ]


XOR_ROWS = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


def test_the_warning_with_its_own_thresholds() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(21_000, 100)), rng.integers(0, 2, 21_000)  # 48 passes read 100.8 million entries
    with pytest.warns(PlateauWarning, match="Passes 33 to 48 made at least"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("always", PlateauWarning)
        learner = Perceptron(max_iter=96, random_state=0).fit(X, y)
    assert learner.n_iter_ == 96
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("error", PlateauWarning)
        Perceptron(max_iter=96, random_state=0).fit(X[:20_000], y[:20_000])  # 96 million
