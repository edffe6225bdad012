"""Shards: two workers against one on files that are read again each epoch, and a simulation of up to 1,000 shards.

The simulation is no cluster: shards are cut in memory and trained by the threads of this process, through the same
`linsep.distributed.fit`. What it shows is how mixing changes the epochs that are needed and the model that comes out.
"""

from __future__ import annotations

import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import linsep.distributed
from benchmarks.data import Split, accuracies, loaders, mnist, newsgroups
from benchmarks.last import Ratio
from benchmarks.timing import Report, show
from linsep import AveragedPerceptron, Perceptron

_FILES, _EPOCHS, _RUNS = 8, 3, 3
_MOST_EPOCHS = 30


class Trained(NamedTuple):
    """Seconds of each run, and the last model."""

    seconds: list[float]
    model: Any


def shards(report: Report) -> None:
    """Eight svmlight files, read again for each epoch, by one worker and by two."""
    dask: Any = import_module("distributed")  # its constructors have no types

    X, y = loaders().flights_3m()
    X = sp.csr_matrix(X, dtype=np.float64)
    # The rows stand in the order of their dates, and shards of one month each are not what mixing is for.
    order = np.random.RandomState(0).permutation(len(y))
    train, test = order[len(y) // 10 :], order[: len(y) // 10]
    data = Split("flights", X[train], y[train], X[test], y[test])
    serial = AveragedPerceptron(max_iter=_EPOCHS, shuffle=False).fit(data.X, data.y)
    with tempfile.TemporaryDirectory() as folder:
        files = _write(data, Path(folder))
        size = sum(path.stat().st_size for path in files) / 1e6
        found: list[Trained] = []
        for workers in (1, 2):
            with (
                dask.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
                dask.Client(cluster) as client,
            ):
                _train(client, files)  # every worker has loaded its code
                runs = [_train(client, files) for _ in range(_RUNS)]
                found.append(Trained([seconds for seconds, _ in runs], runs[-1][1]))
    one, two = (median(trained.seconds) for trained in found)
    alone, mixed = accuracies([serial, found[1].model], data)
    files_read = f"{_FILES} svmlight files of {size / _FILES:.0f} MB"
    cells = {
        "work": f"flights in a random order, {files_read}, {_EPOCHS} epochs, each reads them again",
        "one worker": show(one),
        "two workers": show(two),
        "ratio": Ratio(found[1].seconds, found[0].seconds),
        "wanted": "1.50 x",
        "test accuracy, mixed and serial averaged": f"{mixed:.4f}, {alone:.4f} ({100 * (mixed - alone):+.2f} points)",
    }
    report.row("Shards on two workers", cells, {"one_s": one, "two_s": two, "mixed": mixed, "serial": alone})


def _write(data: Split, folder: Path) -> list[Path]:
    """The training rows in their order, as so many files."""
    columns = np.sort(data.X.indices.reshape(len(data.y), -1), axis=1) + 1
    paths = []
    for k, rows in enumerate(np.array_split(np.arange(len(data.y)), _FILES)):
        path = folder / f"part-{k}.svm"
        with path.open("w") as file:
            for label, row in zip(data.y[rows].tolist(), columns[rows].tolist(), strict=True):
                file.write(f"{label} " + " ".join(f"{j}:1" for j in row) + "\n")
        paths.append(path)
    return paths


def _train(client: Any, files: list[Path]) -> tuple[float, Any]:
    learner = AveragedPerceptron(shuffle=False)
    began = time.perf_counter()
    linsep.distributed.fit(learner, list(files), client, max_iter=_EPOCHS)
    return time.perf_counter() - began, learner


def mixing(report: Report) -> None:
    """How mixing changes epochs and accuracy, from one shard to a thousand."""
    groups = newsgroups()
    order = np.random.RandomState(0).permutation(len(groups.y))  # they come sorted by class
    groups = groups._replace(name="20 Newsgroups, no intercept", X=groups.X[order], y=groups.y[order])
    for data in (mnist(), groups):
        for count in (1, 10, 100, 1000):
            _simulate(report, data, count, "uniform" if count > 1 else None)


def _simulate(report: Report, data: Split, count: int, mix: str | None) -> None:
    asked: dict[str, Any] = {"shuffle": False, "fit_intercept": not data.name.endswith("no intercept")}
    learner: Any = Perceptron(**asked, max_iter=_MOST_EPOCHS)
    linsep.distributed.fit(learner, (data.X, data.y), shards=count, mix=mix)
    made = learner.mixing_.mistakes.sum(axis=1)
    clean = made[-1] == 0
    early = Perceptron(**asked, max_iter=10)
    linsep.distributed.fit(early, (data.X, data.y), shards=count, mix=mix)
    weights = learner.coef_.size + learner.intercept_.size
    bytes_a_mix = 0 if mix is None else 2 * count * weights * 8
    soon, late = accuracies([early, learner], data)
    cells = {
        "data": f"{data.name} {data.size}",
        "shards": f"{count:,}",
        "rows a shard": f"{len(data.y) / count:,.0f}",
        "mix": mix or "one machine",
        "epochs to a clean pass": f"{len(made)}" if clean else f"none in {_MOST_EPOCHS}",
        "mistakes, epochs 1, 10 and last": ", ".join(f"{made[k]:,}" for k in (0, min(9, len(made) - 1), -1)),
        "test accuracy after 10 epochs": f"{soon:.4f}",
        "at the end": f"{late:.4f}",
        "bytes a mix": f"{bytes_a_mix / 1e6:,.0f} MB",
    }
    figures = {"data": data.name, "shards": count, "mix": mix, "mistakes": made.tolist(), "accuracy": [soon, late]}
    report.row("Mixing, simulated", cells, {**figures, "bytes_a_mix": bytes_a_mix})
