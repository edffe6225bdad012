"""A sample of the mutants of the verifier: `make mutants` has them all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_sample_of_mutants_is_killed_and_every_condition_is_met_both_ways() -> None:
    # A process of its own: other tests left threads here, and a fork may wait for their locks.
    paths = [path for path in sys.path if path] + [str(Path(__file__).parent)]
    told = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mutants", "--sample", "60"], env=told, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| all | 60 |" in done.stdout
