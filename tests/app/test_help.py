"""The help of a command: options that people use first, the others by what they are about, and none left out."""

from __future__ import annotations

import re

import pytest

from in_process import linsep
from linsep.app.cli import COMMANDS

FIRST = {
    "fit": "target positive learner model time-limit holdout max-iter report details json read set help",
    "separation": "target columns family formula time-limit certificate details json read set help",
}
NAMES = ["Names for --read", "Names for --set"]
TITLES = {"fit": ["Further options", "The table", *NAMES], "separation": ["The table", *NAMES]}


@pytest.mark.parametrize("name", FIRST)
def test_options_stand_in_groups(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = linsep(name, "--help").stdout
    places = [text.index(f"\n{title}:\n") for title in ["Arguments", "Options that people use first", *TITLES[name]]]
    assert places == sorted(places)
    del places[0]
    first = re.findall(r"^  --(?:no-)?([a-z-]+)", text[places[0] : places[1]], re.M)
    assert " ".join(first) == FIRST[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_left_out(name: str) -> None:
    text = linsep(*name.split(), "--help").stdout
    plain = [one.spellings[0] for one in COMMANDS[name].options if not one.is_argument]
    assert all(f"\n  {one.replace('--read ', '').replace('--set ', '')}" in text for one in plain)
    assert text.startswith(f"Usage: linsep {name} [OPTIONS]")


def test_there_are_no_more_options_than_that() -> None:
    counts = {
        name: len({one.under or one.name for one in command.options if not one.is_argument})
        for name, command in COMMANDS.items()
    }
    assert counts["fit"] <= 25
    assert sum(counts.values()) <= 90


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fit --sead 3 x", "no option called --sead; there is --seed"),
        ("fit --seed -3 x", "--seed: -3 must be at least 0"),
        ("fit --seed x x", "--seed: 'x' is not a whole number"),
        ("fit --holdout 2 x", "--holdout: 2 must be at most 0.9"),
        ("fit --read format=png x", "--read format: invalid choice: 'png' (choose from"),
        ("fit --set bits=50 x", "--set bits: 50 must be at most 28"),
        ("fit --set=bits=some x", "--set bits: 'some' is not a whole number"),
        ("fit --set projection_radius=big x", "--set projection_radius: 'big' is not a number or none"),
        ("fit --set open_classes=maybe x", "--set open_classes: 'maybe' is not yes or no"),
        ("fit --set pases=2 x", "--set has no name 'pases'; there is --set passes=VALUE"),
        ("fit --set sep=; x", "--set has no name 'sep'; there is --read sep=VALUE"),
        ("predict --read q=1 m x", "--read has no name 'q'; there is format, sep, decimal"),
        ("fit x --read", "--read has no name ''; there is format, sep, decimal"),
        ("fit --read sep x", "--read sep needs a value: --read sep=VALUE"),
        ("fit --skip-rows 2 x", "no option called --skip-rows; there is --read skip_rows=VALUE"),
        ("fit", "missing: TABLE"),
        ("probe x.npz", "missing: --labels"),
        ("fitt x", "no command called 'fitt': choose from fit, predict"),
        ("tag x", "no command called 'tag x'"),
        ("fitt --help", "no command called 'fitt'"),
    ],
)
def test_wrong_words_are_told(words: str, said: str) -> None:
    assert said in linsep(*words.split(), status=2).stderr


def test_values_may_begin_with_a_dash_and_arguments_stand_anywhere() -> None:
    command = COMMANDS["fit"]
    found = command.parse(["--read", "na=-1=2", "t.csv", "--positive", "-a", "--read", "na=1=3"])
    assert (found["na"], found["table"], found["positive"]) == (("-1=2", "1=3"), "t.csv", "-a")
    found = command.parse(["t.csv", "--read", "header", "--read", "na=a=b", "--read=na=-9", "--read", "na="])
    assert (found["header"], found["na"], found["query"]) == (True, ("a=b", "-9", ""), None)
    found = command.parse(["t.csv", "--set", "classes=a, b", "--set", "projection_radius=none"])
    assert (found["classes"], found["projection_radius"], found["bits"]) == (("a", "b"), "none", 18)
    found = COMMANDS["explore"].parse(["--set", "fit_intercept=no", "--set", "browser=yes"])
    assert (found["fit_intercept"], found["browser"], found["table"]) == (False, True, None)
    files = COMMANDS["probe"].parse(["a.npz", "--labels", "l.csv", "b.npz"])["activations"]
    assert files == ["a.npz", "b.npz"]
