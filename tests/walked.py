"""The calls behind one use of the library, counted as `python -m benchmarks.walks` counts them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import linsep

PACKAGE = str(Path(linsep.__file__).parent)


def files_called(work: Callable[[], Any]) -> list[str]:
    """The file of each call, in order; imports and compilation do not count."""
    files: list[str] = []

    def see(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<"):
            files.append(code.co_filename)

    work()
    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return files
