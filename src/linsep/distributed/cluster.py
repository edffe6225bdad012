"""Training on shards: one epoch of the single-machine kernel on each, then the weights are mixed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state

from linsep.distributed.mixing import Mixing, blend, check_mix, fresh, mixing_bound, why_no_bound
from linsep.distributed.shards import cut
from linsep.distributed.site import Pass, Site
from linsep.kernels.linear.epoch import bits_in_use, squared_norm
from linsep.learners.engine.loop import run_epochs
from linsep.learners.engine.number_range import check_weights
from linsep.learners.engine.trace import Trace, flatten_reference
from linsep.learners.table_model import TableModel
from linsep.passes import RECORD
from linsep.types import Array, Budget, DataError, Hyperplane, StopReason

_SUMMED = [RECORD.mistakes, RECORD.updates, RECORD.dots, RECORD.absorbed]


def fit(
    learner: Any,
    source: Any,
    client: Any = None,
    *,
    mix: str | None = "uniform",
    max_iter: int | None = None,
    shards: int | None = None,
    target: str | None = None,
    encoder: Any = None,
    categorical: Collection[str] = (),
    format: str | None = None,
    bits: int = 18,
    lenient: bool = False,
    reference: Hyperplane | tuple[Any, float] | None = None,
    keep: bool = True,
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
    source : list of paths, or a pattern; Dask DataFrame; (X, y) of Dask, NumPy or SciPy arrays
        Each file, partition or block of rows is a shard; arrays in memory are cut. Workers read the files, of every
        format and compression that `linsep.open_data` reads; a shard may be empty.
    client : distributed.Client, optional
        Without one a LocalCluster of threads is started, and closed afterwards.
    mix : {"uniform", "mistakes"} or None
        mu_i is 1 / n_shards, or the part of shard i in the updates of the epoch. None takes the shards in turn: without
        `shuffle` that is `fit` on one machine, to the last bit.
    max_iter : int, optional
        Epochs at most, instead of the learner's own `max_iter`.
    shards : int, optional
        Into how many parts arrays in memory are cut; by default as many as the cluster has threads.
    target : str, optional
        The column that holds the label, for tables.
    encoder : fitted TableEncoder, optional
        Makes features of the columns of tables, as in `linsep fit`; without it all columns must be numbers.
    categorical : collection of str
        Columns of tables to read as categories even if they hold numbers.
    format : {"csv", "parquet", "jsonl", "svmlight", "vw"}, optional
        Where the names of the files do not tell.
    bits : int, default=18
        Vowpal Wabbit's names are hashed to 2**bits columns.
    lenient : bool, default=False
        Skip malformed lines of text.
    reference : (w, b), optional
        A separator to take the bound at, beside the one found.
    keep : bool, default=True
        Rows stay in the workers' memory. If not they are read again for each epoch: for files larger than that. A file
        that was changed in the meantime is an error.

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
    if max_iter is not None and max_iter < 1:
        raise DataError(f"max_iter must be at least 1 or None (that of the learner), got {max_iter}")
    with _connected(client) as connected:
        parts = cut(source, shards, sum(connected.nthreads().values()))
        texts = {*categorical, *(() if encoder is None else encoder.text_columns)}
        options = {"target": target, "categorical": texts, "format": format, "bits": bits, "lenient": lenient}
        site = Site(connected, parts, learner, (encoder, options), keep)
        plane = flatten_reference(reference, site.common.p)
        run = _Run(learner, site, mix, learner.max_iter if max_iter is None else max_iter)
        try:
            run.train()
            run.judge(plane)
        except KeyboardInterrupt:
            run.hand_over()
            raise
    run.hand_over()
    learner.warn_of_run(site.common.n)
    return learner if encoder is None else TableModel.of(learner, encoder)


@contextmanager
def _connected(client: Any) -> Iterator[Any]:
    """The client given, or one of a cluster of this process's threads: kernels and readers release the lock."""
    try:
        dask: Any = import_module("distributed")  # its constructors have no types
    except ImportError as error:
        raise ImportError(
            "linsep.distributed needs Dask, which is not installed: pip install 'linsep[dask]'"
        ) from error
    if client is not None:
        yield client
        return
    # No dashboard, and any port of this machine alone: 8787 may be another cluster's.
    here = "127.0.0.1:0"
    quiet = {"dashboard_address": here, "worker_dashboard_address": here, "scheduler_kwargs": {"dashboard": False}}
    cores = os.cpu_count() or 1
    with (
        dask.LocalCluster(processes=False, n_workers=1, threads_per_worker=cores, **quiet) as cluster,
        dask.Client(cluster, set_as_default=False) as own,
    ):
        yield own


class _Run:
    """One run over the shards and its records. `model` is the learner that is trained."""

    def __init__(self, learner: Any, site: Site, mix: str | None, max_iter: int | None) -> None:
        self.learner, self.site = learner, site
        self.mix = mix
        self.budget = Budget(max_iter, learner.time_limit)
        common = site.common
        empty = (0, common.p)
        rows = sp.csr_matrix(empty, dtype=common.dtype) if common.sparse else np.zeros(empty, common.dtype)
        self.model = clone(learner).set_params(verbose=0, random_state=None, class_weight=site.blank.class_weight)
        self.model.start_empty(common.labels, rows, common.names)
        self.rngs = _rngs(learner, len(site.rows))
        self.trace = Trace(common.n)
        self.mistakes: list[Array] = []
        self.shares: list[Array] = []
        self.stop = StopReason.INTERRUPTED
        self.margins: list[tuple[Hyperplane, float]] = []

    def train(self) -> None:
        """Make epochs until one is clean or the budget ends."""
        hopeless = self.site.count_hopeless()
        self.stop = run_epochs(
            self._make_epoch,
            keep=self._keep,
            stop_after=lambda record: self.model.stop_after(record, hopeless),
            budget=self.budget,
            trace=self.trace,
            verbose=self.learner.verbose,
            interruptible=True,
        )

    def _make_epoch(self, most: int) -> Array:
        """One epoch on every shard, and the mix; it counts once it is kept."""
        n_shards = len(self.site.rows)
        if self.mix is None or n_shards == 1:  # one shard has nothing to be mixed with
            made, mu = self.site.in_turn(Pass(self.model), self.rngs), np.ones(n_shards)
        else:
            made, mu = blend(self.model, self.site.at_once(Pass(fresh(self.model)), self.rngs), self.mix)
        self._made = made, mu
        return _summed(made.learner, np.array(made.records))

    def _keep(self, record: Array) -> None:
        made, mu = self._made
        self.model, self.rngs = made.learner, list(made.rngs)
        self.model.count_passes(record)
        self.shares.append(mu)
        self.mistakes.append(np.array(made.records)[:, RECORD.mistakes].astype(np.int64))
        check_weights(record[0, RECORD.norm_w], self.model.moving()[0].dtype)

    def judge(self, reference: Array) -> None:
        """Take the bound at the separators at hand; `reference` is (w, b) in one array, or empty."""
        planes = [Hyperplane(reference[:-1], float(reference[-1]))] if reference.size else []
        W, b = self.model.moving()
        if self.stop is StopReason.CLEAN_PASS:
            planes.append(Hyperplane(W[0].astype(np.float64), float(b[0])))
        if not why_no_bound(self.model):
            self.margins = [(plane, self.site.least_margin(plane)) for plane in planes]

    def hand_over(self) -> None:
        """Give the learner what the model has learnt."""
        shape = (-1, len(self.site.rows))
        mistakes = np.array(self.mistakes, dtype=np.int64).reshape(shape)
        mu = np.array(self.shares, dtype=np.float64).reshape(shape)
        radius2 = self.site.common.radius2
        bound = mixing_bound(self.model, radius2, self.margins)
        self.model.settle()
        self.model.end_run(self.stop, self.trace.total_epochs, self.trace)
        self.model.mixing_ = Mixing(self.mix, mistakes, mu, self.site.rows, float(np.sqrt(radius2)), bound)
        self.learner.take_over(self.model)


def _summed(model: Any, records: Array) -> Array:
    """The record of an epoch from those of its shards, `model` being the learner after it."""
    W, b = model.moving()
    record = records[-1:].copy()
    record[0, _SUMMED] = records[:, _SUMMED].sum(axis=0)
    entries = W.ravel(order="K")
    record[0, RECORD.bits] = bits_in_use(entries)
    record[0, RECORD.norm_w] = np.sqrt(squared_norm(entries))
    record[0, RECORD.b] = b[0] if len(b) == 1 else np.sqrt(squared_norm(b))
    return record


def _rngs(learner: Any, n_shards: int) -> list[Any]:
    """Random numbers of each shard: the first has those that one machine would have."""
    if not learner.reorders():
        return [None] * n_shards
    first = deepcopy(check_random_state(learner.random_state))
    seeds = deepcopy(first).randint(2**31 - 1, size=n_shards - 1)
    return [first, *(np.random.RandomState(seed) for seed in seeds)]
