"""The shards of a source on a cluster, and the tasks that run on them: pure functions that may run twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from linsep.distributed.shards import About, Part, agree, arrange, describe, load
from linsep.learners.base.classifier import as_matrix
from linsep.learners.inputs.sample_weights import weights_of_classes
from linsep.passes import RECORD, Rows
from linsep.types import CSR, Array, DataError, Hyperplane

# Dask warns of graphs above 10 MB. Weights and rows in memory travel in them so that no worker's death loses them.
_GRAPH = {"distributed.admin.large-graph-warning-threshold": "1 PiB"}

# Shards under way at a time, at least.
_AHEAD = 32


class Pass(NamedTuple):
    """A learner after one epoch on some shards, with the state of their random numbers and their records."""

    learner: Any
    rngs: tuple[Any, ...] = ()
    records: tuple[Array, ...] = ()


class Site:
    """The shards of a source on a cluster. `keep` holds their rows there; else each task reads them again."""

    def __init__(self, client: Any, parts: list[Part], learner: Any, reading: tuple[Any, ...], keep: bool) -> None:
        self._client = client
        reader = clone(learner).set_params(verbose=0)
        loaded = [self._submit(load, part, reader, *reading) for part in parts]
        abouts: list[About] = client.gather([self._submit(describe, shard) for shard in loaded])
        self.common = agree(abouts)
        self.rows = np.array([about.n for about in abouts if about.n])
        self.blank = _blank(reader, self.common)
        self._shards: list[Any] = []
        for part, shard, about in zip(parts, loaded, abouts, strict=True):
            if about.n:
                content = shard if keep else _later(load, part, reader, *reading)
                rows = _later(arrange, content, self.blank, self.common, about.digest)
                self._shards.append(self._compute(rows) if keep else rows)

    def in_turn(self, start: Pass, rngs: list[Any]) -> Pass:
        """One epoch on each shard, each from the weights that the one before left."""
        state: Any = start
        for shard, rng in zip(self._shards, rngs, strict=True):
            state = self._submit(run_epoch, shard, state, rng)
        result: Pass = state.result()
        return result

    def at_once(self, start: Pass, rngs: list[Any]) -> Iterator[Pass]:
        """One epoch on each shard, all from the same weights; given in the order of the shards.

        The weights travel to the cluster once. Only so many shards are under way that all workers have enough to do,
        so that the weights of a thousand need not be held at a time.
        """
        held = self._submit(hold, start)
        room = max(_AHEAD, 2 * sum(self._client.nthreads().values()))
        waiting: deque[Any] = deque()
        for shard, rng in zip(self._shards, rngs, strict=True):
            waiting.append(self._submit(run_epoch, shard, held, rng))
            if len(waiting) == room:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def count_hopeless(self) -> int:
        """Count the updates that every epoch makes in vain: without an intercept, those on rows of zeros."""
        return 0 if self.blank.fit_intercept else int(sum(self._on_each(count_hopeless, self.blank)))

    def least_margin(self, plane: Hyperplane) -> float:
        """min_i y_i (w.x_i + b) over all rows."""
        return float(min(self._on_each(least_margin, plane)))

    def _on_each(self, task: Any, argument: Any) -> list[Any]:
        return list(self._client.gather([self._submit(task, shard, argument) for shard in self._shards]))

    def _submit(self, task: Any, *arguments: Any) -> Any:
        """A future of the task; its inputs stay with the scheduler, so whatever is lost can be computed again."""
        return self._compute(_later(task, *arguments))

    def _compute(self, later: Any) -> Any:
        from dask import config

        with config.set(_GRAPH):
            return self._client.compute(later)


def _later(task: Any, *arguments: Any) -> Any:
    """The task on a graph; arguments may be other tasks, pieces of Dask collections, or futures."""
    from dask.delayed import delayed

    return delayed(task, pure=False)(*arguments)


def _blank(learner: Any, common: About) -> Any:
    """A learner with the classes and the dtype but no columns, so that it is small to send."""
    blank = clone(learner)
    blank.start_empty(common.labels, np.zeros((0, 0), dtype=common.dtype))
    if blank.class_weight == "balanced":
        weights = common.n / (len(common.labels) * common.counts)
        blank.class_weight = dict(zip(common.labels.tolist(), weights.tolist(), strict=True))
    if blank.class_weight is not None and not weights_of_classes(blank.class_weight, blank.classes_, False).any():
        raise DataError("class_weight is 0 for the classes of all rows: there is nothing to learn from")
    return blank


# ----------------------------------------------------------------------- tasks
def hold(start: Pass) -> Pass:
    """Keep weights on the cluster for the shards that start from them."""
    return start


def run_epoch(rows: Rows, start: Pass, rng: Any) -> Pass:
    """One epoch on one shard, on copies of what it is given."""
    learner, rng = deepcopy(start.learner), deepcopy(rng)
    rows = _as_compiled(rows)
    record = np.zeros((1, len(RECORD)))
    if n := len(rows.y):  # else the weights of all its classes are 0
        if rng is not None:
            rows = rows._replace(order=learner.visiting_order(n, rng))
        learner.run(rows, None, None, np.empty(0), record)
        learner.t_ += n
    return Pass(learner, (*start.rngs, rng), (*start.records, record[0]))


def count_hopeless(rows: Rows, learner: Any) -> int:
    """Count the updates that every epoch makes in vain."""
    return int(learner.count_hopeless(rows))


def least_margin(rows: Rows, plane: Hyperplane) -> float:
    """min_i y_i (w.x_i + b), in double precision."""
    z = as_matrix(rows.X, len(plane.w)).astype(np.float64) @ plane.w + plane.b
    return float((rows.y * z).min())


def _as_compiled(part: Any) -> Any:
    """Make arrays writable: those from the network may be read-only, for which kernels would be compiled again."""
    if isinstance(part, Rows | CSR):
        return type(part)(*(_as_compiled(array) for array in part))
    return None if part is None else np.require(part, requirements=["C", "A", "W"])
