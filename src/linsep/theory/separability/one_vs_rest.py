"""Each of several classes against all others: one question of two classes each."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from linsep.as_given import labels_of
from linsep.clock import clock
from linsep.tables import labelled_table
from linsep.theory.rows.deadline import deadline_of, ended_by_ctrl_c
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, DataError


def separability_one_vs_rest(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    exact: bool = False,
) -> dict[Any, Separability]:
    """Decide for each class k whether some w_k, b_k have w_k.x_i + b_k > 0 if y_i = k and < 0 if not; prove it.

    Parameters
    ----------
    X : array or SciPy CSR matrix of shape (n_samples, n_features)
        As in `separability`.
    y : array-like of shape (n_samples,)
        Two labels or more.
    fit_intercept : bool
        Whether b_k may differ from 0.
    time_limit : float, optional
        Seconds for each class.
    n_jobs : int, optional
        The number of processes, as joblib takes it: 1 unless given, -1 for one a core. They pay where a class takes
        longer than a process needs to start, which is some seconds.
    exact : bool, default=False
        Whether weights have to be exact, as in `separability`.

    Returns
    -------
    dict
        Label -> Separability of this class, named by the label, against the rest, named "not " and the label. Labels
        are in sorted order. The answers do not depend on `n_jobs`.

    Raises
    ------
    DataError
        As in `separability`; there are fewer than two labels.

    Examples
    --------
    >>> found = separability_one_vs_rest([[0], [1], [2]], ["low", "middle", "high"])
    >>> {label: one.verdict for label, one in found.items()}
    {'high': 'separable', 'low': 'separable', 'middle': 'inseparable'}
    >>> found["middle"].witness.rows, found["middle"].witness.weights
    ((0, 1, 2), (1, 2, 1))
    """
    table, y = labelled_table(X, y), labels_of(y)
    labels = np.unique(y)
    if labels.size < 2:
        raise DataError(f"two classes or more are needed, found {', '.join(map(str, labels)) or 'none'}")
    asked = {"fit_intercept": fit_intercept, "time_limit": time_limit, "exact": exact}
    answers = _answers(table, [(y == label).astype(np.int8) for label in labels], asked, n_jobs)
    return {
        key: replace(one, classes=(f"not {label!s}", str(label)), about=(table, y))
        for key, label, one in zip(labels.tolist(), labels, answers, strict=True)
    }


def count_processes(n_jobs: int | None, most: int) -> int:
    """How many processes `n_jobs` asks for in the present backend of joblib, at most `most` and at least 1.

    Examples
    --------
    >>> count_processes(None, 10), count_processes(3, 2)
    (1, 2)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of processes, -1 for one a core or None for one, got {n_jobs!r}")
    return max(1, min(most, int(import_module("joblib").effective_n_jobs(n_jobs))))


def _answers(X: Any, sides: list[Array], asked: dict[str, Any], n_jobs: int | None) -> list[Separability]:
    """The answers of the questions in their order."""
    n_processes = count_processes(n_jobs, len(sides))
    if n_processes == 1:
        return [separability(X, side, **asked) for side in sides]
    from sklearn.utils.parallel import Parallel, delayed

    deadline = deadline_of(None)  # Ctrl-C ends it; in a worker Ctrl-C ends the question that it is at, no other

    def questions() -> Iterator[Any]:
        for side in sides:
            if clock() < deadline.at:
                yield delayed(_in_a_worker)(X, side, asked, os.getpid())

    one_by_one: dict[str, Any] = {"pre_dispatch": "n_jobs", "batch_size": 1}
    try:
        found = list(Parallel(n_processes, **one_by_one)(questions()))
    except BrokenExecutor:
        if clock() < deadline.at:
            raise
        found = []  # Ctrl-C came while workers were starting
    return found + [separability(X, side, **asked) for side in sides[len(found) :]]


def _in_a_worker(X: Any, side: Array, asked: dict[str, Any], asker: int) -> Separability:
    """The answer without its rows, which would be sent back with it."""
    if os.getpid() == asker:  # joblib has threads, or no process to spare
        return separability(X, side, **asked)
    if threading.current_thread() is threading.main_thread():
        # A worker without work would die of Ctrl-C, which a terminal sends to all processes of a command.
        signal.signal(signal.SIGINT, _stay)
    with ended_by_ctrl_c():
        return replace(separability(X, side, **asked), about=None)


def _stay(*received: Any) -> None:
    """Do nothing at a signal."""
