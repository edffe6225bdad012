"""The help of a command: options that people use first, the others by what they are about, and none left out."""

from __future__ import annotations

import re

import pytest

from in_process import linsep
from linsep.app.cli import COMMANDS

FIRST = {
    "fit": "target positive learner model time-limit holdout max-iter report details json help",
    "separation": "target family link order intercept time-limit certificate report json help",
}
TITLES = {"fit": ["The learner", "The table", "Streams"], "separation": ["Columns beside the target", "The table"]}


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
    assert all(one.spellings[0] in text for one in COMMANDS[name].options if not one.is_argument)
    assert text.startswith(f"Usage: linsep {name} [OPTIONS]")


def test_there_are_no_more_options_than_that() -> None:
    counts = {name: sum(not one.is_argument for one in command.options) for name, command in COMMANDS.items()}
    assert counts["fit"] <= 46  # 25 are wanted
    assert sum(counts.values()) <= 193  # 90 are wanted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fit --sead 3 x", "no option called --sead; there is --seed"),
        ("fit --seed -3 x", "--seed: -3 is not at least 0"),
        ("fit --seed x x", "--seed: 'x' is not a whole number"),
        ("fit --holdout 2 x", "--holdout: 2 is not at most 0.9"),
        ("fit --format png x", "--format: invalid choice: 'png' (choose from"),
        ("fit", "what is missing: TABLE"),
        ("probe x.npz", "what is missing: --labels"),
        ("fitt x", "no command called 'fitt': choose from fit, predict"),
        ("tag x", "no command called 'tag x'"),
        ("fitt --help", "no command called 'fitt'"),
    ],
)
def test_wrong_words_are_told(words: str, said: str) -> None:
    assert said in linsep(*words.split(), status=2).stderr


def test_values_may_begin_with_a_dash_and_arguments_stand_anywhere() -> None:
    command = COMMANDS["fit"]
    found = command.parse("linsep", ["--class-weight", "-1=2", "t.csv", "--positive", "-a", "--class-weight", "1=3"])
    assert (found["class_weight"], found["table"], found["positive"]) == (("-1=2", "1=3"), "t.csv", "-a")
    files = COMMANDS["probe"].parse("linsep", ["a.npz", "--labels", "l.csv", "b.npz"])["activations"]
    assert files == ["a.npz", "b.npz"]
