"""Every run by name, and the releases that a record was made with."""

from __future__ import annotations

import contextlib
import json
import tempfile
import warnings
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

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
    """The releases that floating point depends on."""
    return {package: version(package) for package in PACKAGES}
