"""Every run by name, and what a record needs to say of where it was made."""

from __future__ import annotations

import contextlib
import json
import platform
import tempfile
import warnings
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits

from golden.commands import commands
from golden.fits import Run, courses, fits
from golden.proofs import proofs

RECORD = Path(__file__).with_name("recorded.json")
# What computes: other releases may round otherwise.
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow", "highspy", "python-flint")


@cache
def all_runs() -> dict[str, Run]:
    """Run by name."""
    return {**fits(), **courses(), **proofs(), **commands()}


def missing(name: str) -> str:
    """Which package a run needs that is not installed here, if any."""
    return "distributed" if name == "cluster" and find_spec("distributed") is None else ""


def result(name: str) -> Any:
    """What a run gives, in an empty folder and on one thread of BLAS, as JSON reads it again; warnings with it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        threadpool_limits(1, user_api="blas"),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        found = all_runs()[name]()
    said = [f"{one.category.__name__}: {one.message}" for one in caught if issubclass(one.category, UserWarning)]
    return json.loads(json.dumps({"result": found, "warnings": said}))


def here() -> dict[str, str]:
    """The processor and the releases that floating point depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    said = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    # A name alone may stand for generations that round otherwise.
    names = (
        [f"{said['model name']}, family {said['cpu family']}, model {said['model']}"] if "cpu family" in said else []
    )
    blas = {f"{one['internal_api']} {one.get('architecture', '')}" for one in threadpool_info() if
            one["user_api"] == "blas"}  # fmt: skip
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "blas": ", ".join(sorted(blas)),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
