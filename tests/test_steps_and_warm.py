"""The steps that a terminal is told of, training that is compiled before its clock starts, and `linsep warm`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from in_process import linsep
from linsep import MLP, DataError, Perceptron, fit_table, open_data
from linsep.app import warm
from linsep.app.commands.check import check
from linsep.app.progress import EpochProgress
from linsep.learners.warm import warm_up

TABLE = "a,y\n" + "".join(f"{k},{'no' if k < 6 else 'yes'}\n" for k in range(12))


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        return True


def test_each_step_is_told_when_it_begins(tmp_path: Path) -> None:
    told: list[str] = []
    source = open_data(TABLE.encode(), target="y", format="csv")
    fit_table(source, holdout=0.25, on_step=told.append)
    compiling = "compiling for this processor, once"
    assert told == ["encoding", compiling, "training", "holding out", "proving"]
    (tmp_path / "t.csv").write_text(TABLE)
    told.clear()
    check(str(tmp_path / "t.csv"), target="y", positive=None, time_limit=None, on_step=told.append)
    assert told == ["reading", "proving"]


def test_a_line_is_drawn_at_once_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with EpochProgress(5, None) as line:
            line.step("reading")
        with EpochProgress(5, None) as line:
            line(3, 7, 0.0)
    assert "reading" in screen.getvalue()
    assert "epoch 3: 7 mistakes" in screen.getvalue()
    assert pipe.getvalue() == ""


def test_warming_up_changes_nothing_and_leaves_errors_to_the_training() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array(["a", "b", "b"])
    learner = Perceptron(max_iter=7, time_limit=3.0)
    before = learner.get_params()
    warm_up(learner, X, y)
    assert learner.get_params() == before
    assert not hasattr(learner, "coef_")
    warm_up(Perceptron(max_iter=-1), X, y)
    warm_up(MLP(hidden=0), X, y)
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": ["u", "v"]})
    with pytest.raises(ValueError, match="max_iter"):
        fit_table(open_data(frame, target="y"), Perceptron(max_iter=-1))


def test_linsep_warm_runs_the_commands_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = linsep("warm", "rocchio")
    assert done.stdout == ""
    assert done.stderr.startswith("compiled for this processor: rocchio, in ")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataError, match="no learner called 'svm'"):
        warm.warm(["svm"])
