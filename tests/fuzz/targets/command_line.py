"""Arguments of the command line: every option with values that fit, nearly fit, or are anything."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

from fuzz.mangle import NUMBERS, WORDS, word
from fuzz.target import Target
from in_process import run_linsep
from linsep.types import DataError

_FILES = ("rows.csv", "rows.svm", "tokens.tsv", "m.linsep", "t.linsep", "nothing.csv", "folder", "out", "-", "p.json")
_VALUES = ("y", "a", "word", "yes", "a=words", "word=words1-2", "word=chars3-5", "a=", "=words", "word=words9-1")
_CHOSEN = ("perceptron", "averaged", "sgd", "pa1", "rocchio", "logistic", "poisson", "hinge", "json", "sql", "csv")
_COMMANDS = ("fit", "predict", "score", "check", "separation", "show", "export", "synth", "tag fit", "tag predict")
# What would wait for the keyboard or for long.
_LEFT_OUT = ("--hidden", "--time-limit", "--margin")


@cache
def _options() -> dict[str, list[str]]:
    """The options of each command, from its own help."""
    from options import commands, names_of  # what the pages of the documentation are made with

    return {name: [one for one in names_of(commands()[name]) if one not in _LEFT_OUT] for name in _COMMANDS}


@cache
def _models() -> dict[str, bytes]:
    """A model of rows and a tagger, as files."""
    with tempfile.TemporaryDirectory() as folder:
        _write_rows(Path(folder))
        _run(Path(folder), ["fit", "rows.csv", "--target", "y", "--model", "m.linsep"])
        _run(Path(folder), ["tag", "fit", "tokens.tsv", "--model", "t.linsep"])
        return {name: (Path(folder) / name).read_bytes() for name in ("m.linsep", "t.linsep")}


def _write_rows(folder: Path) -> None:
    """The files that arguments name, without the models."""
    rows = [f"{k % 7},{'xyz'[k % 3]},w{k % 4} v,{'yes' if k % 7 > 3 else 'no'}" for k in range(12)]
    (folder / "rows.csv").write_text("a,word,c,y\n" + "\n".join(rows) + "\n")
    (folder / "rows.svm").write_text("1 1:2 3:1\n-1 2:1\n1 1:1\n-1 3:4\n")
    (folder / "tokens.tsv").write_text("The\tdet\ndog\tnoun\n\nIt\tpron\n")
    (folder / "folder").mkdir()


def _run(folder: Path, arguments: list[str]) -> tuple[int, str]:
    """The exit status of a command in a folder, and what it said on the error output."""
    done = run_linsep(arguments, folder, stdin="a,y\n1,no\n2,yes\n")
    return done.returncode, done.stderr


def make(rng: Random) -> list[str]:
    """A command with some arguments."""
    name = rng.choice(_COMMANDS)
    arguments = name.split()
    if rng.random() < 0.9:
        arguments.append(rng.choice(_FILES))
    if rng.random() < 0.6:
        arguments += ["--target", "y"]
    for _ in range(rng.randrange(5)):
        option, value = rng.choice(_options()[name]), _value(rng)
        under, named, inner = option.partition(" ")
        arguments += [under, f"{inner}={value}"] if named else [option, value][: 1 + (rng.random() < 0.8)]
    return arguments


def _value(rng: Random) -> str:
    kind = rng.randrange(6)
    found = (NUMBERS, WORDS, _FILES, _VALUES, _CHOSEN, [word(rng), str(rng.randrange(1, 6)), "0.3"])[kind]
    return rng.choice(found).replace("\x00", "").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def read(case: list[str]) -> int:
    """The exit status; DataError where the arguments are refused."""
    with tempfile.TemporaryDirectory() as name:
        _write_rows(Path(name))
        for file, content in _models().items():
            (Path(name) / file).write_bytes(content)
        status, said = _run(Path(name), case)
    if status not in (0, 1, 2, 3):
        raise AssertionError(f"the exit status is {status!r}: {said[-300:]}")
    if status == 2:
        raise DataError(" ".join(said.split())[-900:] or "nothing was said")
    return status


TARGET = Target("command line", make, read)
