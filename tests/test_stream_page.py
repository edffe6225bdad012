"""The commands of docs/larger-than-memory.md print what the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "larger-than-memory.md"
SPEED = re.compile(r"in [0-9.]+ s, [0-9,]+ rows a second")


def commands() -> list[tuple[str, str]]:
    """Each line after a $ in a console block, and what is printed under it."""
    out = []
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        for part in block.split("$ ")[1:]:
            command, _, printed = part.partition("\n")
            out.append((command, printed))
    return out


@pytest.mark.skipif(os.name != "posix", reason="the page is written for a POSIX shell")
def test_the_page_shows_what_the_commands_print(tmp_path: Path) -> None:
    begin = f'linsep() {{ {shlex.quote(sys.executable)} -m linsep.app "$@"; }}\nexec 2>&1\n'
    for command, printed in commands():
        done = subprocess.run(["sh", "-c", begin + command], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert SPEED.sub("in T", done.stdout) == SPEED.sub("in T", printed), command
