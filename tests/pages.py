"""Running what a page of the documentation shows, in the order of the page."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from in_process import run_linsep
from linsep.app.cli import main

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# What no two runs have in common.
TIMES = re.compile(r"\bin [0-9.]+ s\b(, [0-9,]+ rows a second)?")
MAKERS = re.compile(r"^(saved by|saved at|state) .*", re.M)
# A command of linsep alone, or with what its output goes to: it starts no Python.
LINSEP = re.compile(r"""linsep ((?:"[^"$`]*"|'[^']*'|[^|;&$<>()`\n"'])+?)( [|>] [^;&\n]+)?\n?""")


class Step(NamedTuple):
    """A command or a block of Python, and what is shown under it; None if nothing is."""

    kind: str
    text: str
    shown: str | None


def steps_of(page: str) -> list[Step]:
    """Every command after a $ of the console blocks and every Python block of a page."""
    steps: list[Step] = []
    end = 0
    for block in FENCE.finditer(page):
        kind, text = block.groups()
        if kind == "console":
            parts = [part.partition("\n") for part in re.split(r"^\$ ", text, flags=re.M)[1:]]
            steps += [Step(kind, command, shown) for command, _, shown in parts]
        elif kind == "text" and steps and steps[-1].kind == "python" and not page[end : block.start()].strip():
            steps[-1] = steps[-1]._replace(shown=text)
        elif kind == "python":
            steps.append(Step(kind, text, None))
        end = block.end()
    return steps


def run(step: Step, folder: Path, names: dict[str, Any]) -> str:
    """What a step prints; `folder` is the current one, and `names` are those that the page's Python has made so far."""
    if step.kind == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(step.text, "<page>", "exec"), names)
        return printed.getvalue()
    if step.text.startswith("cat ") and not (folder / (name := step.text[4:])).exists() and " " not in name:
        (folder / name).write_text(step.shown or "", encoding="utf-8")
        return step.shown or ""
    found = LINSEP.fullmatch(step.text)
    if found is None:
        return _shell(step.text, folder)
    words, after = shlex.split(found[1]), found[2]
    if after is None:
        return _command(words)
    done = run_linsep(words, folder)
    return done.stderr + _shell(f"cat{after}", folder, done.stdout)


def _shell(text: str, folder: Path, given: str | None = None) -> str:
    begin = f'linsep() {{ {shlex.quote(sys.executable)} -m linsep "$@"; }}\nexec 2>&1\n'
    asked = ["sh", "-c", begin + text]
    return subprocess.run(asked, input=given, capture_output=True, text=True, cwd=folder, check=False).stdout


def _command(words: list[str]) -> str:
    """What a command of linsep prints, on both streams."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as printed,
        contextlib.redirect_stderr(printed),
        patch.object(sys, "argv", ["linsep", *words]),
        contextlib.suppress(SystemExit),
    ):
        main()
    return printed.getvalue()


def comparable(text: str) -> str:
    """The text without times, versions and digests of weights."""
    return MAKERS.sub(r"\1 ...", TIMES.sub("in T", text))
