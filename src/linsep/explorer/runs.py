"""A run of a learner with the log of its updates, or a window of it, and the states from which a page replays it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.linear.sums import times
from linsep.learners.base.trace import UPDATE_CAP
from linsep.learners.linear.passive_aggressive import MarginPerceptron, PassiveAggressive
from linsep.learners.linear.perceptron import AveragedPerceptron
from linsep.learners.linear.sgd import SGDClassifier
from linsep.types import Array, DataError

EVERY = 256  # updates between two states


class Log(NamedTuple):
    """The updates of a run, in order: its row x, its step a in w += a x and b += c^2 a, its visit counted from 0."""

    rows: Array
    steps: Array
    visits: Array

    def part(self, first: int, last: int | None = None) -> Log:
        """The updates from `first` on, up to `last`."""
        return Log(*(column[first:last] for column in self))


class State(NamedTuple):
    """w and b, and the sums of a visit x and of c^2 a visit over the updates so far.

    The mean of w over the first T visits, w taken after each, is w - sw / T, with the updates of these visits alone.
    """

    w: Array
    b: Array
    sw: Array
    sb: Array


def at_zero(p: int) -> State:
    """The state of a run over p columns before its first update."""
    return State(np.zeros(p), np.zeros(1), np.zeros(p), np.zeros(1))


def walk(X: Array, constant2: float, log: Log, start: State) -> Iterator[State]:
    """The state before the updates 0, 256, 512, ... and, last, that after all of them.

    Sums are those of a loop: one addition after the other, in the order of the log.
    """
    state = start
    for first in range(0, log.rows.size, EVERY):
        yield state
        part = log.part(first, first + EVERY)
        rows, steps, visits = X[part.rows], part.steps[:, None], part.visits[:, None]
        moves = (steps * rows, constant2 * steps, steps * visits * rows, constant2 * steps * visits)
        state = State(*(_added(old, move) for old, move in zip(state, moves, strict=True)))
    yield state


def rounding(X: Array, constant2: float, log: Log, start: State) -> float:
    """How far two ways to add the same updates may be apart, in any entry of w or in b.

    Each addition, and each product, rounds by at most 2^-53 of the largest sum that there can be.
    """
    sizes = np.abs(log.steps)
    most = max(float(np.abs(start.w).max(initial=0.0)), float(np.abs(start.b).max()))
    largest = float(np.abs(X).max(initial=0.0))
    return 6.0 * 2.0**-53 * log.rows.size * (most + float(sizes.sum()) * max(largest, constant2))


def _added(start: Array, moves: Array) -> Array:
    """The start and all moves, added one by one."""
    last: Array = np.add.accumulate(np.vstack([start, moves]), axis=0)[-1]
    return last


ORDERS = ("turn", "random", "adversary")
MOST_ORDERS = 2_000_000  # visits whose rows are kept
SECONDS = 5.0  # that a run may take, or a proof beside it, unless more is asked for
_EPOCHS_OF_SGD = 10
_MOST = 10_000  # updates of the adversary
_WORK = 200_000_000  # entries of rows that it reads


class Rule(NamedTuple):
    """What a learner does at a row: its name for people, the rule as plain text, its numbers, whether steps are 1."""

    label: str
    formula: str
    margin: float = 0.0
    C: float | None = None  # of "sgd" the page finds h itself
    unit: bool = False


RULES = {
    "perceptron": Rule("Perceptron", "w += y x, b += c^2 y where y z <= 0: a tie is a mistake", unit=True),
    "margin": Rule("Perceptron with margin 1", "w += y x, b += c^2 y where y z <= 1", 1.0, unit=True),
    "pa": Rule("Passive-aggressive", "w += t y x where y z < 1, t = (1 - y z) / (|x|^2 + c^2)", 1.0),
    "pa1": Rule("Passive-aggressive I", "as passive-aggressive, with t at most C = 1", 1.0, 1.0),
    "pa2": Rule("Passive-aggressive II", "w += t y x where y z < 1, t = (1 - y z) / (|x|^2 + c^2 + 1/2)", 1.0, 1.0),
    "sgd": Rule("Gradient descent on the hinge loss", "w += h y x where y z < 1, with the same h for every row", 1.0),
}


@dataclass(frozen=True)
class Setting:
    """What the runs of a story share: rows, signs (-1.0 or 1.0), and c of the constant feature, 0 without intercept."""

    X: Array
    y: Array
    constant: float

    @property
    def constant2(self) -> float:
        """c^2."""
        return self.constant**2


class Asked(NamedTuple):
    """Which run: the rule, the order of the rows, its seed, and limits on epochs, updates that are kept and seconds."""

    name: str
    order: str
    seed: int
    max_iter: int | None
    window: int
    seconds: float = SECONDS


@dataclass(frozen=True)
class Run:
    """A run as it was made.

    `log` has the last updates, `start` is the state before them; `orders` the rows of every visit, or None where they
    come in turn or are too many; `end` the w and b that the learner itself arrived at.
    """

    asked: Asked
    epochs: int
    visits: int
    total: int
    log: Log
    start: State
    orders: Array | None
    end: tuple[Array, float]
    stop: str


def make_run(at: Setting, asked: Asked) -> Run:
    """Train as asked, and keep the last updates.

    Raises
    ------
    DataError
        The order is none of `ORDERS`, or an adversary is asked of another rule than the perceptron's.
    """
    if asked.name == "sgd" and len(at.y) > UPDATE_CAP:
        raise DataError(f"the steps of one epoch on {len(at.y):,} rows are too many for the page: show fewer rows")
    if asked.order not in ORDERS:
        raise DataError(f"order must be one of {', '.join(ORDERS)}, not {asked.order!r}")
    if asked.order == "adversary":
        if asked.name != "perceptron":
            raise DataError(f"the adversary chooses mistakes of the perceptron: give another order with {asked.name!r}")
        return _cut(at, _by_adversary(at, asked))
    return _cut(at, _by_learner(at, asked))


def _by_adversary(at: Setting, asked: Asked) -> Run:
    """Update at the mistaken row for which ||w||^2 + b^2/c^2 grows most, until no row is mistaken.

    The growth is 2 y z + ||x||^2 + c^2; of equal ones the row with the lowest number is taken. So many epochs stand for
    so many times the number of rows.
    """
    X, y = at.X, at.y
    norms2 = (X * X).sum(axis=1) + at.constant2
    w, b = np.zeros(X.shape[1]), 0.0
    rows: list[int] = []
    most = min(_MOST, max(100, _WORK // X.size), _MOST if asked.max_iter is None else asked.max_iter * len(y))
    stop = f"{most:,} updates were made, and rows are still mistaken"
    while len(rows) < most:
        m = y * (times(X, w) + b)
        if not (wrong := m <= 0.0).any():
            stop = "no row is mistaken: the rows are separated"
            break
        rows.append(int(np.where(wrong, 2.0 * m + norms2, -np.inf).argmax()))
        w = w + y[rows[-1]] * X[rows[-1]]
        b += at.constant2 * float(y[rows[-1]])
    k, taken = len(rows), np.array(rows, np.int64)
    log = Log(taken, y[taken], np.arange(k))
    return Run(asked, 0, k, k, log, at_zero(X.shape[1]), None, (w, b), stop)


def _by_learner(at: Setting, asked: Asked) -> Run:
    p = at.X.shape[1]
    learner = _fit(at, asked, _new(at, asked))
    epochs, total, stop, start = learner.n_iter_, learner.n_updates_, learner.stop_reason_.sentence, at_zero(p)
    orders = _orders(learner, at, asked, epochs)
    if total > UPDATE_CAP:  # the log is full of the first updates, and the last ones are wanted
        so_far, trace = learner.trace_.updates_so_far, learner.trace_
        before = int(trace.epoch[np.flatnonzero(total - so_far <= UPDATE_CAP)[0]])
        learner = _fit(at, asked, _new(at, asked).set_params(max_iter=before, time_limit=None))
        start = _state_of(learner)
        learner = _fit(at, asked, learner.set_params(max_iter=epochs - before, warm_start=True))
    log = learner.trace_.update_log
    rows = learner.trace_.update_rows
    kept = Log(rows, learner.trace_.update_steps, log.visits[: rows.size])
    last = "" if asked.name == "sgd" else "last_"
    end = (getattr(learner, f"{last}coef_")[0], float(getattr(learner, f"{last}intercept_")[0]))
    return Run(asked, epochs, epochs * len(at.y), total, kept, start, orders, end, stop)


def _new(at: Setting, asked: Asked) -> Any:
    """The learner; all but "sgd" keep the mean too, from which the state in the middle of a run is known."""
    how: dict[str, Any] = {
        "max_iter": asked.max_iter,
        "time_limit": asked.seconds,
        "fit_intercept": at.constant > 0,
        "intercept_scaling": at.constant or 1.0,
        "shuffle": asked.order == "random",
        "random_state": np.random.RandomState(asked.seed),
        "trace": "updates",
    }
    if asked.name == "perceptron":
        return AveragedPerceptron(**how)
    if asked.name == "margin":
        return MarginPerceptron(margin=RULES["margin"].margin, average=True, **how)
    if asked.name == "sgd":  # all its steps fit into the log: its last vector has no mean from which to go on
        most = max(1, min(_EPOCHS_OF_SGD, UPDATE_CAP // len(at.y)))
        how["max_iter"] = most if asked.max_iter is None else min(most, asked.max_iter)
        return SGDClassifier("hinge", average=None, **how)
    return PassiveAggressive(variant=asked.name, C=RULES[asked.name].C or 1.0, average=True, **how)


def _fit(at: Setting, asked: Asked, learner: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # why the run stopped is part of the story
        return learner.fit(at.X, at.y)


def _orders(learner: Any, at: Setting, asked: Asked, epochs: int) -> Array | None:
    """The rows of every visit in random order: the draws of the learner, made again."""
    n = len(at.y)
    if asked.order != "random" or epochs * n > MOST_ORDERS:
        return None
    rng = np.random.RandomState(asked.seed)
    return np.concatenate([learner.visiting_order(n, rng) for _ in range(epochs)])


def _state_of(learner: Any) -> State:
    """The state at the end of a learner's run: its mean is w - sw / T."""
    w, b = learner.last_coef_[0].copy(), learner.last_intercept_.copy()
    return State(w, b, learner.t_ * (w - learner.coef_[0]), learner.t_ * (b - learner.intercept_))


def _cut(at: Setting, run: Run) -> Run:
    """The run with the last updates of its log alone."""
    first = max(0, run.log.rows.size - run.asked.window)
    if not first:
        return run
    *_, start = walk(at.X, at.constant2, run.log.part(0, first), run.start)
    return replace(run, log=run.log.part(first), start=start)
