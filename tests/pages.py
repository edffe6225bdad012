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

from linsep.app.cli import main

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# What no two runs have in common.
TIMES = re.compile(r"\bin [0-9.]+ s\b(, [0-9,]+ rows a second)?")
MAKERS = re.compile(r"^(saved by|saved at|state) .*", re.M)
# What only a shell understands; everything else starts no process.
SHELL = set("|><;()`&$#")


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
    words = shlex.split(step.text)
    if words[0] == "cat" and len(words) == 2 and not (folder / words[1]).exists():
        (folder / words[1]).write_text(step.shown or "", encoding="utf-8")
        return step.shown or ""
    plain = step.text.removesuffix(f" > {words[-1]}")
    if words[0] == "linsep" and not SHELL & set(plain):
        return _command(words[1:], None) if plain == step.text else _command(words[1:-2], folder / words[-1])
    begin = f'linsep() {{ {shlex.quote(sys.executable)} -m linsep "$@"; }}\nexec 2>&1\n'
    done = subprocess.run(["sh", "-c", begin + step.text], capture_output=True, text=True, cwd=folder, check=False)
    return done.stdout


def _command(arguments: list[str], output: Path | None) -> str:
    """What a command of linsep prints, that on standard output into a file if there is one."""
    before, sys.argv = sys.argv, ["linsep", *arguments]
    try:
        with contextlib.redirect_stderr(io.StringIO()) as printed, contextlib.ExitStack() as stack:
            target = printed if output is None else stack.enter_context(output.open("w", encoding="utf-8"))
            stack.enter_context(contextlib.redirect_stdout(target))
            stack.enter_context(contextlib.suppress(SystemExit))
            main()
        return printed.getvalue()
    finally:
        sys.argv = before


def comparable(text: str) -> str:
    """The text without times, versions and digests of weights."""
    return MAKERS.sub(r"\1 ...", TIMES.sub("in T", text))
