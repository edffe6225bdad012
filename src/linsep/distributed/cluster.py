"""Training on shards: one epoch of the single-machine kernel on each, then the weights are mixed."""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from copy import copy, deepcopy
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state

from linsep.distributed.mixing import Mixing, Pass, blend, check_mix, fresh, mixing_bound, why_no_bound
from linsep.distributed.shards import About, Part, agree, arrange, cut, describe, load
from linsep.learners.base.labelled import as_matrix, start_empty
from linsep.learners.base.loop import run_epochs
from linsep.learners.base.parameters import weights_of_classes
from linsep.learners.base.trace import Trace
from linsep.learners.base.training import check_weights, count_passes, measure
from linsep.learners.table_model import TableModel
from linsep.passes import RECORD, Rows
from linsep.types import CSR, Array, Budget, DataError, Hyperplane, StopReason

# Dask warns of graphs above 10 MB. Weights and rows in memory travel in them so that no worker's death loses them.
_GRAPH = {"distributed.admin.large-graph-warning-threshold": "1 PiB"}
_SUMMED = [RECORD.mistakes, RECORD.updates, RECORD.dots, RECORD.absorbed]


def fit(
    learner: Any,
    source: Any,
    client: Any = None,
    *,
    mix: str | None = "uniform",
    shards: int | None = None,
    encoder: Any = None,
    **reading: Any,
) -> Any:
    """Train on shards by iterative parameter mixing: w <- sum_i mu_i w_i, w_i one epoch on shard i from w.

    Each shard runs the pass that a single machine runs, from the mixed weights, until an epoch is clean on every shard
    or the budget ends. If a hyperplane of margin gamma separates the rows, sum over epochs n and shards i of
    mu_in k_in <= R^2 / gamma^2, k_in the mistakes of shard i in epoch n, so a clean pass comes. Tasks are pure: what is
    lost with a worker is computed again with the same result.

    Parameters
    ----------
    learner : Perceptron, AveragedPerceptron, MarginPerceptron or PassiveAggressive; with mix=None VotedPerceptron too
        Trained in place. `max_iter` and `time_limit` are its budget. With `shuffle` each shard shuffles its own rows.
    source : list of paths, or a pattern; Dask DataFrame; (X, y) of NumPy or SciPy arrays; list of such parts
        Each file, partition or part is a shard, also as a Dask delayed; arrays in memory are cut. Workers read the
        files, of every format and compression that `linsep.open_data` reads; a shard may be empty.
    client : distributed.Client, optional
        Without one a LocalCluster of threads is started, and closed afterwards.
    mix : "uniform" or None
        mu_i is 1 / n_shards. None takes the shards in turn: without `shuffle` that is `fit` on one machine, to the last
        bit.
    shards : int, optional
        Into how many parts arrays in memory are cut; by default as many as the cluster has threads.
    encoder : fitted TableEncoder, optional
        Makes features of the columns of tables, as in `linsep fit`; without it all columns must be numbers.
    **reading
        How workers read tables and files, as in `linsep.open_data`: `target`, `categorical`, `format`, `bits`, ...

    Returns
    -------
    learner, or TableModel with an encoder
        The learner is fitted and has `mixing_`, a `Mixing`; with an encoder it is the `learner_` of a `TableModel`.

    Raises
    ------
    DataError
        A source that cannot be cut or read, or shards that do not fit together; the learner is as it was.
    ImportError
        Dask is not there.

    Warns
    -----
    ConvergenceWarning, PrecisionWarning
        As in `fit` of the learner.

    References
    ----------
    McDonald, Hall and Mann 2010, Distributed training strategies for the structured perceptron, NAACL, theorem 3.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep.learners import Perceptron
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
    >>> learner = fit(Perceptron(), (X, [0, 0, 1, 1]), shards=2)  # doctest: +SKIP
    >>> learner.mixing_.weighted_mistakes  # doctest: +SKIP
    2.5
    """
    check_mix(learner, mix)
    learner.check_parameters()
    try:
        dask: Any = import_module("distributed")  # its constructors have no types
    except ImportError as error:
        raise ImportError("linsep.distributed needs Dask: pip install '.[dask]'") from error
    # Threads of this process, if there is no cluster: kernels and readers release the lock.
    here = {"processes": False, "dashboard_address": None, "set_as_default": False}
    with dask.Client(**here) if client is None else nullcontext(client) as connected:
        parts = cut(source, shards, sum(connected.nthreads().values()))
        run = _Run(connected, parts, learner, (encoder, reading))
        try:
            run.train(mix, Budget(learner.max_iter, learner.time_limit))
            run.judge()
        except KeyboardInterrupt:
            run.hand_over(mix)
            raise
    run.hand_over(mix)
    if run.stop is not StopReason.CLEAN_PASS:
        learner.warn_of_run(run.common.n)
    return learner if encoder is None else TableModel.of(learner, encoder)


class _Run:
    """One run over the shards of a source and its records. `model` is the learner that is trained."""

    def __init__(self, client: Any, parts: list[Part], learner: Any, reading: tuple[Any, dict[str, Any]]) -> None:
        self.client, self.learner = client, learner
        loaded = [self._submit(load, part, clone(learner).set_params(verbose=0), *reading) for part in parts]
        abouts: list[About] = client.gather([self._submit(describe, shard) for shard in loaded])
        self.common = common = agree(abouts)
        self.rows = np.array([about.n for about in abouts if about.n])
        self.model = clone(learner).set_params(verbose=0, random_state=None, class_weight=_weights(learner, common))
        empty = (0, common.p)
        X = sp.csr_matrix(empty, dtype=common.dtype) if common.sparse else np.zeros(empty, common.dtype)
        start_empty(self.model, common.labels, X, common.names)
        if (given := self.model.class_weight) and not weights_of_classes(given, self.model.classes_, False).any():
            raise DataError("class_weight is 0 for the classes of all rows: there is nothing to learn from")
        full = [shard for shard, about in zip(loaded, abouts, strict=True) if about.n]
        self.shards = [self._submit(arrange, shard, self.model, common) for shard in full]
        self.rngs = _rngs(learner, len(full))
        self.trace = Trace(common.n)
        self.mistakes: list[Array] = []
        self.stop = StopReason.INTERRUPTED
        self.plane: Hyperplane | None = None
        self.margin = 0.0

    def _submit(self, task: Any, *arguments: Any) -> Any:
        """A future of the task; its inputs stay with the scheduler, so whatever is lost can be computed again.

        They may be other futures, or pieces of Dask collections.
        """
        from dask import config
        from dask.delayed import delayed

        with config.set(_GRAPH):
            return self.client.compute(delayed(task, pure=False)(*arguments))

    def train(self, mix: str | None, budget: Budget) -> None:
        """Make epochs until one is clean or the budget ends."""
        self.stop = run_epochs(
            lambda most: self._make_epoch(mix),
            keep=self._keep,
            stop_after=self.model.stop_after,
            budget=budget,
            trace=self.trace,
            verbose=self.learner.verbose,
            interruptible=True,
        )

    def _make_epoch(self, mix: str | None) -> Array:
        """One epoch on every shard, and the mix; it counts once it is kept."""
        turns = list(zip(self.shards, self.rngs, strict=True))
        if mix is None or len(turns) == 1:  # one shard has nothing to be mixed with
            state: Any = Pass(self.model)
            for shard, rng in turns:
                state = self._submit(run_epoch, shard, state, rng)
            self._made = state.result()
        else:
            held = self._submit(copy, Pass(fresh(self.model)))  # the weights travel once
            waiting = deque(self._submit(run_epoch, shard, held, rng) for shard, rng in turns)
            self._made = blend(self.model, (waiting.popleft().result() for _ in turns))
        return _summed(self._made.learner, np.array(self._made.records))

    def _keep(self, record: Array) -> None:
        made = self._made
        self.model, self.rngs = made.learner, list(made.rngs)
        count_passes(self.model, record)
        self.mistakes.append(np.array(made.records)[:, RECORD.mistakes].astype(np.int64))
        check_weights(record[0, RECORD.norm_w], self.model.moving()[0].dtype)

    def judge(self) -> None:
        """Take the bound at the separator found, if there is one."""
        if self.stop is StopReason.CLEAN_PASS and not why_no_bound(self.model):
            W, b = self.model.moving()
            plane = Hyperplane(W[0].astype(np.float64), float(b[0]))
            margins = [self._submit(least_margin, shard, plane) for shard in self.shards]
            self.plane, self.margin = plane, min(self.client.gather(margins))

    def hand_over(self, mix: str | None) -> None:
        """Give the learner what the model has learnt."""
        mistakes = np.array(self.mistakes, dtype=np.int64).reshape(-1, len(self.rows))
        radius2 = self.common.radius2
        bound = mixing_bound(self.model, radius2, self.plane, self.margin)
        self.model.settle()
        self.model.end_run(self.stop, self.trace.total_epochs)
        self.model.trace_ = self.trace
        self.model.mixing_ = Mixing(mix, mistakes, self.rows, float(np.sqrt(radius2)), bound)
        self.learner.take_over(self.model)


def _summed(model: Any, records: Array) -> Array:
    """The record of an epoch from those of its shards, `model` being the learner after it."""
    record = records[-1:].copy()
    record[0, _SUMMED] = records[:, _SUMMED].sum(axis=0)
    measure(record[0], *model.moving())
    return record


def _rngs(learner: Any, n_shards: int) -> list[Any]:
    """Random numbers of each shard: the first has those that one machine would have."""
    if not learner.reorders():
        return [None] * n_shards
    first = deepcopy(check_random_state(learner.random_state))
    seeds = deepcopy(first).randint(2**31 - 1, size=n_shards - 1)
    return [first, *(np.random.RandomState(seed) for seed in seeds)]


def _weights(learner: Any, common: About) -> Any:
    """The class weights as numbers: "balanced" is about the rows of all shards."""
    if learner.class_weight != "balanced":
        return learner.class_weight
    weights = common.n / (len(common.labels) * common.counts)
    return dict(zip(common.labels.tolist(), weights.tolist(), strict=True))


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


def least_margin(rows: Rows, plane: Hyperplane) -> float:
    """min_i y_i (w.x_i + b), in double precision."""
    z = as_matrix(rows.X, len(plane.w)).astype(np.float64) @ plane.w + plane.b
    return float((rows.y * z).min())


def _as_compiled(part: Any) -> Any:
    """Make arrays writable: those from the network may be read-only, for which kernels would be compiled again."""
    if isinstance(part, Rows | CSR):
        return type(part)(*(_as_compiled(array) for array in part))
    return None if part is None else np.require(part, requirements=["C", "A", "W"])
