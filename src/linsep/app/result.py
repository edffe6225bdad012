"""What commands share: their result, the learners by name, and where a model may be written."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linsep.app.progress import EpochProgress
from linsep.learners import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    Rocchio,
    VotedPerceptron,
)
from linsep.types import DataError

LEARNERS: dict[str, tuple[Any, dict[str, str]]] = {
    "perceptron": (Perceptron, {}),
    "averaged": (AveragedPerceptron, {}),
    "voted": (VotedPerceptron, {}),
    "pocket": (PocketPerceptron, {}),
    "margin": (MarginPerceptron, {}),
    "pa": (PassiveAggressive, {"variant": "pa"}),
    "pa1": (PassiveAggressive, {"variant": "pa1"}),
    "pa2": (PassiveAggressive, {"variant": "pa2"}),
    "rocchio": (Rocchio, {}),
}


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


def make_learner(name: str, max_iter: int | None, seconds: float | None, progress: EpochProgress | None) -> Any:
    """The learner of that name; a limit in seconds lifts the one in epochs."""
    if name not in LEARNERS:
        raise DataError(f"no learner called {name!r}: choose from {', '.join(LEARNERS)}")
    kind, parameters = LEARNERS[name]
    estimator = kind(**parameters)
    if not hasattr(estimator, "max_iter"):  # one pass is all it makes
        return estimator
    if max_iter is not None or seconds is not None:
        estimator.set_params(max_iter=max_iter)
    return estimator.set_params(max_seconds=seconds, verbose=progress or 0)


def check_writable(path: Path) -> None:
    """Find out before hours of training, not after, that the model has nowhere to go."""
    folder = path.parent
    if not folder.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {folder}; make it first")
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; give a file name")
    if not os.access(folder, os.W_OK):
        raise DataError(f"cannot write {path}: no permission to write in {folder}")
