"""The line that tells on a terminal how far a training is."""

from __future__ import annotations

import io
import sys

import pytest

from linsep.app.present import Line


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        return True


def test_a_line_is_drawn_at_once_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with Line() as line:
            line.epochs(5, None)(3, 7, 0.0)
    assert "60%  epoch 3: 7 mistakes" in screen.getvalue()
    assert pipe.getvalue() == ""
