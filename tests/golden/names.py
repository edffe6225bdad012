"""What is called differently since the record was made, and how runs reach what `linsep` itself does not export.

The runs are written with the names of today. On older code a name falls back to its older one, so that the same runs
serve both sides of a renaming.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import linsep

# Parameters and options of the command line: old -> new.
NAMES = {"max_seconds": "time_limit", "which": "average", "--seconds": "--time-limit", "--every": "--checkpoint-rows"}
# Keys of the record, wherever they stand: old -> new. A key is only taken as renamed where the old one is gone.
KEYS: dict[str, str] = {}
# In sentences: old -> new.
WORDS: dict[str, str] = {}
# Modules: old -> new.
MODULES = {"linsep.scale": "linsep.distributed"}

_OLD = {new: old for old, new in NAMES.items()}


def old_name(name: str) -> str | None:
    """The name that was used before this one."""
    return _OLD.get(name)


def call(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Call with parameters by today's names; one that the function does not know goes by its older name."""
    known = inspect.signature(function).parameters
    translated = {name if name in known else _OLD.get(name, name): value for name, value in named.items()}
    return function(*given, **translated)


def distributed_fit() -> Callable[..., Any]:
    """Training on a Dask cluster."""
    for old, new in MODULES.items():
        for name in (new, old):
            try:
                fit: Callable[..., Any] = import_module(name).fit
            except ModuleNotFoundError as error:
                if error.name != name:
                    raise
            else:
                return fit
    raise ImportError("linsep has no module for training on a cluster")


def command_line() -> Callable[[], None]:
    """What `linsep` in a shell calls, as the pyproject.toml of the source says."""
    project = Path(linsep.__file__).parents[2] / "pyproject.toml"
    scripts = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, name = scripts["linsep"].partition(":")
    main: Callable[[], None] = getattr(import_module(module), name)
    return main
