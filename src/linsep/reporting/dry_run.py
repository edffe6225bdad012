"""What a fit would take: a part of the rows is learnt from and proved, and the rest is reckoned from it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from linsep.data.features.encoder import TableEncoder
from linsep.data.features.missing import Missing
from linsep.data.sources.source import Source
from linsep.learners.predicting import default_learner
from linsep.learners.table_model import TableModel
from linsep.learners.warm import warm_up
from linsep.reporting.receipt import PROOF_ENTRIES, PROOF_SECONDS, Receipt
from linsep.tables import is_sparse
from linsep.theory.separability.decide import separability
from linsep.types import Array

# Of the part that is learnt from: rows in any order cost more where they are more than the caches of a processor hold.
_ROWS_LEARNT = 1_000_000
_MORE_EPOCHS = 2
_ROWS_PROVED = (1_250, 5_000)  # of the parts that are proved
_STEEPEST = 2.0  # the largest power with which a proof is taken to grow


class _Timed(NamedTuple):
    """Rows, and the seconds that something took with them."""

    rows: int
    seconds: float


def dry_run(
    source: Source,
    learner: Any = None,
    *,
    positive: Any = None,
    missing: Missing | None = None,
    columns: Mapping[str, str] | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Receipt:
    """Say what a fit of this table would take, without training on it.

    All rows are read and encoded. Epochs on a million of them, drawn at random, give the seconds of an epoch on all,
    which grow with the rows. The proof of separability is made on 1,250 and on 5,000 rows; t_2 / t_1 gives the power
    with which it grows, taken to be between 1 and 2.

    Parameters
    ----------
    source : Source
        A table with labels, from `open_data`.
    learner : learner of linsep, optional
        Not fitted; None is that of `TableModel`.
    positive, missing, columns
        As in `fit_table`.
    on_step : callable, optional
        Called with a few words when a step begins.

    Returns
    -------
    Receipt

    Raises
    ------
    DataError
        The rows or labels cannot be used.

    Examples
    --------
    >>> from linsep import make_separable, open_data
    >>> X, y, *_ = make_separable(200, 3, 0.1, random_state=0)
    >>> dry_run(open_data((X, y))).data["rows"]
    200
    """
    learner = default_learner() if learner is None else learner
    model = TableModel(encoder=TableEncoder(columns=columns, missing=missing), positive=positive)
    began = time.perf_counter()
    on_step("reading")
    source.read()
    read = time.perf_counter() - began
    on_step("encoding")
    prepared = model.prepare(source)
    encoded = time.perf_counter() - began - read
    X, y = prepared.rows, np.asarray(prepared.targets)
    on_step("compiling for this processor, once")
    warm_up(learner, X, y)
    on_step("timing an epoch")
    epoch = _epoch(learner, X, y)
    on_step("timing proofs")
    proof, power = _proof(X, y)
    return _told(X, learner, (read, encoded), epoch, proof, power)


def _part(n: int, most: int) -> Array:
    return np.sort(np.random.RandomState(0).permutation(n)[:most])


def _epoch(learner: Any, X: Any, y: Array) -> _Timed:
    """An epoch on a part of the rows: what more epochs take above one, so that what a fit takes once is left out."""
    rows = _part(len(y), _ROWS_LEARNT)
    part = X[rows], y[rows]
    many = 1 + _MORE_EPOCHS if "max_iter" in learner.get_params(deep=False) else 1
    one, more = (min(_fitted(learner, part, epochs) for _ in range(2)) for epochs in (1, many))
    return _Timed(len(rows), (more - one) / _MORE_EPOCHS if more > one else one)


def _fitted(learner: Any, part: tuple[Any, Array], epochs: int) -> float:
    """The seconds of a fit of so many epochs."""
    few = {"max_iter": epochs, "time_limit": None, "verbose": 0}
    copy = clone(learner)
    copy.set_params(**{name: value for name, value in few.items() if name in copy.get_params(deep=False)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a budget that ends is no news here
        began = time.perf_counter()
        copy.fit(*part)
    return time.perf_counter() - began


def _proof(X: Any, y: Array) -> tuple[_Timed, float]:
    """The larger proof, and the power with which its time grows; of several classes that of the first one."""
    side = np.where(y == y[0], 1, -1)
    times = []
    for most in _ROWS_PROVED:
        rows = _part(len(y), most)
        if (side[rows] < 0).any() and (side[rows] > 0).any():
            began = time.perf_counter()
            separability(X[rows], side[rows], time_limit=PROOF_SECONDS)
            times.append(_Timed(len(rows), time.perf_counter() - began))
    if not times:
        return _Timed(len(y), 0.0), 1.0
    first, last = times[0], times[-1]
    if last.rows == first.rows:
        return last, 1.0
    power = np.log(last.seconds / first.seconds) / np.log(last.rows / first.rows)
    return last, float(np.clip(power, 1.0, _STEEPEST))


def _told(X: Any, learner: Any, before: tuple[float, float], epoch: _Timed, proof: _Timed, power: float) -> Receipt:
    n, p = X.shape
    stored, size = (X.nnz, X.data.nbytes + X.indices.nbytes) if is_sparse(X) else (X.size, X.nbytes)
    one = epoch.seconds * n / epoch.rows
    epochs = getattr(learner, "max_iter", None)
    all_epochs = None if epochs is None else one * epochs
    proved = proof.seconds * (n / proof.rows) ** power
    kind = type(learner).__name__
    budget = "until a clean pass, or --time-limit" if epochs is None else f"at most {epochs:,} of {kind}: "
    budget += "" if all_epochs is None else _about(all_epochs)
    lines = [
        ("rows", f"{n:,}"),
        ("features", f"{p:,}, {stored:,} numbers stored, {size / 1e6:,.1f} MB"),
        ("reading", f"{before[0]:.2f} s, and encoding {before[1]:.2f} s (measured)"),
        ("an epoch", f"{_about(one)} (measured on {epoch.rows:,} rows)"),
        ("all epochs", budget),
        ("separable?", _on_proof(proved, stored)),
        ("model", "none: this was a dry run"),
    ]
    data = {
        "dry_run": True,
        "rows": n,
        "features": p,
        "stored": stored,
        "bytes": size,
        "reading_seconds": before[0],
        "encoding_seconds": before[1],
        "epoch_seconds": one,
        "training_seconds": all_epochs,
        "proof_seconds": proved,
        "proof_power": power,
    }
    return Receipt(lines, data)


def _on_proof(seconds: float, stored: int) -> str:
    if stored > PROOF_ENTRIES:
        return f"not asked of a table this large: `linsep check` decides, {_about(seconds)}"
    if seconds > PROOF_SECONDS:
        return f"{_about(seconds)} for the proof, which ends after {PROOF_SECONDS:.0f} s; `linsep check` goes on"
    return f"{_about(seconds)} for the proof"


def _about(seconds: float) -> str:
    """Reckoned seconds as people say them: one digit or two, no more is known."""
    if seconds < 0.095:
        return "less than 0.1 s"
    if seconds < 95:
        return f"about {float(f'{seconds:.2g}'):g} s"
    return f"about {float(f'{seconds / 60:.2g}'):,g} minutes"
