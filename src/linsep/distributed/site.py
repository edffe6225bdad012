"""The shards of a source on a cluster, and the tasks that run on them: pure functions that may run twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from linsep.distributed.shards import (
    About,
    Common,
    Part,
    Reading,
    agree,
    arrange,
    count_hopeless,
    describe,
    least_margin,
    load,
)
from linsep.kernels.linear.epoch import Rows
from linsep.kernels.records import RECORD
from linsep.learners.inputs.sample_weights import weights_of_classes
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
    """The shards of a source on a cluster."""

    def __init__(self, client: Any, parts: list[Part], learner: Any, reading: Reading, keep: bool) -> None:
        self._client = client
        # What a shard needs to be read, and then to be brought into line with the others.
        self._reading = (clone(learner).set_params(verbose=0), reading)
        loaded = [self._submit(load, *part, *self._reading) for part in parts]
        abouts: list[About] = client.gather([self._submit(describe, shard) for shard in loaded])
        self.common: Common = agree(abouts)
        self.rows = np.array([about.n for about in abouts if about.n])
        self._blank = _blank(self._reading[0], self.common)
        self.classes, self.class_weight = self._blank.classes_, self._blank.class_weight
        full = [k for k, about in enumerate(abouts) if about.n]
        self._parts = [parts[k] for k in full]
        self._digests = [abouts[k].digest for k in full]
        agreed = (self._blank, self.common)
        self._kept = [self._submit(arrange, loaded[k], *agreed, abouts[k].digest) for k in full] if keep else None

    def __len__(self) -> int:
        return len(self.rows)

    def in_turn(self, start: Pass, rngs: list[Any]) -> Pass:
        """One epoch on each shard, each from the weights that the one before left."""
        state: Any = start
        for k, rng in enumerate(rngs):
            state = self._on_shard(run_epoch, k, state, rng)
        result: Pass = self._client.gather(state)
        return result

    def at_once(self, start: Pass, rngs: list[Any]) -> Iterator[Pass]:
        """One epoch on each shard, all from the same weights; given in the order of the shards.

        The weights travel to the cluster once. Only so many shards are under way that all workers have enough to do,
        so that the weights of a thousand need not be held at a time.
        """
        held = self._submit(hold, start)
        room = max(_AHEAD, 2 * sum(self._client.nthreads().values()))
        waiting: deque[Any] = deque()
        for k, rng in enumerate(rngs):
            waiting.append(self._on_shard(run_epoch, k, held, rng))
            if len(waiting) == room:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def count_hopeless(self) -> int:
        """Count the updates that every epoch makes in vain: without an intercept, those on rows of zeros."""
        if self._blank.fit_intercept:
            return 0
        return int(sum(self._client.gather([self._on_shard(count_hopeless, k, self._blank) for k in range(len(self))])))

    def least_margin(self, plane: Hyperplane) -> float:
        """min_i y_i (w.x_i + b) over all rows."""
        return float(min(self._client.gather([self._on_shard(least_margin, k, plane) for k in range(len(self))])))

    def _on_shard(self, task: Any, k: int, *arguments: Any) -> Any:
        if self._kept is not None:
            return self._submit(task, self._kept[k], *arguments)
        agreed = (self._blank, self.common, self._digests[k])
        return self._submit(read_and, task, arguments, agreed, *self._parts[k], *self._reading)

    def _submit(self, task: Any, *arguments: Any) -> Any:
        """A future of the task; its inputs stay with the scheduler, so whatever is lost can be computed again."""
        from dask import config
        from dask.delayed import delayed

        with config.set(_GRAPH):
            if any(_is_to_come(argument) for argument in arguments):
                return self._client.compute(delayed(task, pure=False)(*arguments))
            return self._client.submit(task, *arguments, pure=False)


def _is_to_come(argument: Any) -> bool:
    """Whether this is a piece of a Dask collection, or the rows and labels of one."""
    from dask.base import is_dask_collection

    return is_dask_collection(argument) or (isinstance(argument, tuple) and any(map(is_dask_collection, argument)))


def _blank(learner: Any, common: Common) -> Any:
    """A learner with the classes and the dtype but no columns, so that it is small to send."""
    blank = clone(learner)
    blank.start_empty(common.classes, np.zeros((0, 0), dtype=common.dtype))
    if blank.class_weight == "balanced":
        weights = common.n / (len(common.classes) * common.counts)
        blank.class_weight = dict(zip(common.classes.tolist(), weights.tolist(), strict=True))
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
    n = len(rows.y)
    if n == 0:  # the weights of all its classes are 0
        return Pass(learner, (*start.rngs, rng), (*start.records, np.zeros(len(RECORD))))
    if rng is not None:
        rows = rows._replace(order=learner.visiting_order(n, rng))
    record = np.zeros((1, len(RECORD)))
    learner.run(rows, None, None, np.empty(0), record)
    learner.t_ += n
    return Pass(learner, (*start.rngs, rng), (*start.records, record[0]))


def read_and(task: Any, arguments: Any, agreed: Any, name: str, content: Any, *reading: Any) -> Any:
    """Read a shard, do a task on it, and do not keep it."""
    return task(arrange(load(name, content, *reading), *agreed), *arguments)


def _as_compiled(part: Any) -> Any:
    """Make arrays writable: those from the network may be read-only, for which kernels would be compiled again."""
    if isinstance(part, Rows | CSR):
        return type(part)(*(_as_compiled(array) for array in part))
    return None if part is None else np.require(part, requirements=["C", "A", "W"])
