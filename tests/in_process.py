"""A command of linsep in this process: what `python -m linsep` does, without the second that a new Python takes."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from linsep.app.cli import main


def linsep(*words: Any, status: int = 0) -> subprocess.CompletedProcess[str]:
    """A command that is run in the present folder and has to end with that status."""
    done = run_linsep(words, Path.cwd())
    assert done.returncode == status, done.stdout + done.stderr
    return done


def run_linsep(words: Sequence[Any], folder: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The exit status of a command that is run in a folder, and what it wrote, each as text."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    asked = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    arguments = ["linsep", *map(str, words)]
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            patch.object(sys, "argv", arguments),
            patch.object(sys, "stdin", asked),
            warnings.catch_warnings(),
        ):
            warnings.resetwarnings()
            main()
            status: Any = 0
    except SystemExit as ended:
        status = ended.code or 0
    finally:
        os.chdir(before)
    wrote, said = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(arguments, int(status), wrote, said)
