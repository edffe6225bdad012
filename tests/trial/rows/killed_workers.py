"""Workers of a Dask cluster die at random passes over a shard while they train."""

from __future__ import annotations

import os
import random
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import linsep
from trial.row import Outcome

CLAIM = "a worker killed while it trains: the same weights to the bit"
TIMES = 20
_SHARDS = 4
_QUIET: Any = {"dashboard_address": "127.0.0.1:0", "silence_logs": 50}


def _fragile(last: int, marker: Path, passes: Path) -> type[linsep.Perceptron]:
    """A perceptron whose pass number `last` takes its worker with it, once: the marker says that it did.

    A class of its own for each run: the pickle of one that was sent before would name other files.
    """

    class Fragile(linsep.Perceptron):
        def run(self, *arguments: Any) -> int:
            made = super().run(*arguments)
            with passes.open("ab") as noted:  # a byte a pass, whichever worker makes it
                noted.write(b".")
            if passes.stat().st_size >= last and not marker.exists():
                marker.touch()
                os._exit(1)
            return made

    return Fragile


def run(times: int, seed: int) -> Outcome:
    """Train so many times on two processes; the worker that makes a certain pass over a shard kills itself."""
    dask: Any = import_module("distributed")  # its constructors have no types

    rng, failures, killed = random.Random(seed), [], 0
    X, y, *_ = linsep.make_separable(400, 4, 0.02, random_state=1)
    options: dict[str, Any] = {"shuffle": True, "random_state": 0}
    with tempfile.TemporaryDirectory() as folder:
        for k in range(times):
            with (
                dask.LocalCluster(n_workers=2, threads_per_worker=1, **_QUIET) as cluster,
                dask.Client(cluster, set_as_default=False) as client,
            ):
                calm = linsep.distributed.fit(linsep.Perceptron(**options), (X, y), client, shards=_SHARDS)
                last, marker = rng.randrange(1, _SHARDS * (calm.n_iter_ - 1)), Path(folder) / f"killed{k}"
                passes = Path(folder) / f"passes{k}"
                found = linsep.distributed.fit(
                    _fragile(last, marker, passes)(**options), (X, y), client, shards=_SHARDS
                )
            killed += marker.exists()
            if not np.array_equal(found.coef_, calm.coef_) or not np.array_equal(found.intercept_, calm.intercept_):
                failures.append(f"run {k}: a worker killed in pass {last} over a shard, and the weights are others")
            if not marker.exists():
                failures.append(f"run {k}: no worker was killed")
    return Outcome(times, failures, f"{killed} killed")
