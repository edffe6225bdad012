"""What commands share: their result, and where a model may be written."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linsep.types import DataError


@dataclass
class Result:
    """Lines of (label, text) for people, `data` for programs, and what else the command line needs to know."""

    lines: list[tuple[str, str]]
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    interrupted: bool = False
    exit_status: int = 0
    closing: str = ""


def program() -> str:
    """How to call this program again: its name if the shell finds it, else as it was called."""
    return "linsep" if shutil.which("linsep") or not sys.argv[0].endswith("linsep") else sys.argv[0]


def check_writable(path: Path, *others: Any) -> None:
    """Find out before hours of training, not after, that the model has nowhere to go, or would replace other files."""
    if any(isinstance(other, str | Path) and os.path.realpath(other) == os.path.realpath(path) for other in others):
        raise DataError(f"{path} would be replaced, which this command reads or writes too; give it another name")
    folder = path.parent
    if not folder.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {folder}; make it first")
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; give a file name")
    if not os.access(folder, os.W_OK):
        raise DataError(f"cannot write {path}: no permission to write in {folder}")
