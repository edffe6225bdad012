"""The result of every command."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Result:
    """Lines of (label, text) for people, `data` for programs, and what else the command line needs to know.

    `details` are further lines, for those who ask.
    """

    lines: list[tuple[str, str]]
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    interrupted: bool = False
    exit_status: int = 0
    closing: str = ""
    details: list[tuple[str, str]] = field(default_factory=list)


def program() -> str:
    """How to call this program again: its name if the shell finds it, else as it was called."""
    called = Path(sys.argv[0])
    if shutil.which("linsep") or called.name not in ("linsep", "__main__.py"):
        return "linsep"
    if called.name == "linsep":
        return sys.argv[0]
    return "python -m linsep" if called.parent.name == "linsep" else "linsep"


def command_line() -> str:
    """The command as it could be typed again."""
    return shlex.join(["linsep", *sys.argv[1:]])
