"""The steps that a terminal is told of."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from linsep import fit_table, open_data
from linsep.app.commands.check import check
from linsep.app.present import Line

TABLE = "a,y\n" + "".join(f"{k},{'no' if k < 6 else 'yes'}\n" for k in range(12))


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        return True


def test_each_step_is_told_when_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    source = open_data(TABLE.encode(), target="y", format="csv")
    fit_table(source, holdout=0.25, on_step=told.append)
    assert told == ["encoding", "training", "holding out", "proving"]
    (tmp_path / "t.csv").write_text(TABLE)
    told.clear()
    monkeypatch.setattr(Line, "step", lambda line, step: told.append(step))
    check(str(tmp_path / "t.csv"), target="y")
    assert told == ["starting", "reading", "proving"]


def test_a_line_is_drawn_at_once_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with Line() as line:
            line.step("reading")
        with Line() as line:
            line.epochs(5, None)(3, 7, 0.0)
    assert "reading" in screen.getvalue()
    assert "epoch 3: 7 mistakes" in screen.getvalue()
    assert pipe.getvalue() == ""
