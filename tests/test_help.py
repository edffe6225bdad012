"""The help of `linsep fit`: ten options first, the others by what they are about, and none left out."""

from __future__ import annotations

import re

from typer.main import get_command
from typer.testing import CliRunner

from linsep.app.cli import app


def test_the_options_of_fit_stand_in_groups() -> None:
    text = CliRunner().invoke(app, ["fit", "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"}).stdout
    titles = ["Arguments:", "Options that people use first:", "The learner:", "The table:", "Streams:"]
    places = [text.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places)
    first = re.findall(r"^  (--[a-z-]+)", text[places[1] : places[2]], re.M)
    assert first == [
        *("--target", "--positive", "--learner", "--holdout", "--model", "--max-iter", "--time-limit"),
        *("--details", "--report", "--json", "--help"),
    ]
    streams = text[places[4] :]
    assert all(f"  {name}" in streams for name in ("--passes", "--checkpoint", "--drift", "--open-columns"))
    fit = get_command(app).commands["fit"]  # type: ignore[attr-defined]
    assert all(one.opts[0] in text for one in fit.params if one.opts[0][0] == "-")


def test_the_options_of_separation_stand_in_groups() -> None:
    text = CliRunner().invoke(app, ["separation", "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"}).stdout
    titles = ["Arguments:", "Options that people use first:", "Columns beside the target:", "The table:"]
    places = [text.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places)
    first = re.findall(r"^  (--[a-z-]+)", text[places[1] : places[2]], re.M)
    assert first == [
        "--target",
        "--family",
        "--link",
        "--order",
        "--intercept",
        "--time-limit",
        "--certificate",
        "--report",
        "--json",
        "--help",
    ]
    assert "  --trials" in text[places[2] : places[3]]
    command = get_command(app).commands["separation"]  # type: ignore[attr-defined]
    assert all(one.opts[0] in text for one in command.params if one.opts[0][0] == "-")
