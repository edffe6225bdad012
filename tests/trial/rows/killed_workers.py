"""Workers of a Dask cluster die at random epochs while they train."""

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
_QUIET: Any = {"dashboard_address": "127.0.0.1:0", "silence_logs": 50}


def run(times: int, seed: int) -> Outcome:
    """Train so many times on two processes; in each run the first that comes to a certain epoch kills itself."""
    dask: Any = import_module("distributed")  # its constructors have no types

    class Fragile(linsep.Perceptron):
        """Takes its worker with it once: the marker says that it did."""

        def run(self, *arguments: Any) -> int:
            made = super().run(*arguments)
            if self.n_iter_ == epoch and not marker.exists():
                marker.touch()
                os._exit(1)
            return made

    rng, failures, killed = random.Random(seed), [], 0
    X, y, *_ = linsep.make_separable(400, 4, 0.02, random_state=1)
    options: dict[str, Any] = {"shuffle": True, "random_state": 0}
    with tempfile.TemporaryDirectory() as folder:
        for k in range(times):
            with (
                dask.LocalCluster(n_workers=2, threads_per_worker=1, **_QUIET) as cluster,
                dask.Client(cluster, set_as_default=False) as client,
            ):
                calm = linsep.distributed.fit(linsep.Perceptron(**options), (X, y), client, shards=4)
                epoch, marker = rng.randrange(1, calm.n_iter_ - 1), Path(folder) / f"killed{k}"
                found = linsep.distributed.fit(Fragile(**options), (X, y), client, shards=4)
            killed += marker.exists()
            if not np.array_equal(found.coef_, calm.coef_) or not np.array_equal(found.intercept_, calm.intercept_):
                failures.append(f"run {k}: a worker killed in epoch {epoch + 1}, and the weights are others")
    return Outcome(times, failures, f"{killed} workers killed")
