"""What a fit would take: it is tried on parts of the rows, and the rest is reckoned from them."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log
from typing import Any, NamedTuple

from sklearn.base import clone

from linsep.data.sources.beginning import beginning, is_read_in_parts, some_rows
from linsep.data.sources.of_files import Beginning
from linsep.data.sources.source import Source
from linsep.learners.kernel.perceptron import KernelPerceptron
from linsep.learners.predicting import default_learner
from linsep.reporting.receipt import PROOF_SECONDS, Receipt
from linsep.reporting.table_check import check_table
from linsep.reporting.table_fit import TableFit, fit_table
from linsep.tables import is_sparse, stored_in
from linsep.types import DataError

# Bytes of the parts that are tried, the larger after the smaller, until one takes long enough to reckon from.
_SIZES = (1 << 16, 1 << 19, 1 << 21, 1 << 23)
_LONG_ENOUGH, _TOO_LONG = 1.0, 4.0  # seconds: those of a part that is a sixteenth of the rows, and of any
_LARGE_ENOUGH = 16
_EPOCHS = 10
_STEEPEST = 1.3  # the largest power of the rows with which a step is taken to grow
_STEEPEST_OF_KERNELS = 2.0
_LOADING = 1.0  # seconds: what the first fit takes longer than the second is compiling where it is more
# Ten fits took 0.8 to 1.3 times as long as was said, and 1.6 times on a machine that did other work.
_LOW, _HIGH = 2 / 3, 2.0
_HIGH_OF_KERNELS = 4.0  # 2.3 times as long where the caches held the values of a part and not those of all
_READING, _TRAINING, _HOLDING_OUT = "reading", "training", "holding out"
_CHECK, _CHECKING = "check", 5.0  # the seconds that a part may take
_LINEAR = (_READING, "encoding")  # of more rows each takes as long or longer: they fill memory that is new


class _Trial(NamedTuple):
    """A fit of a part: the seconds of each step, and how many times as many rows there are in all."""

    times: float
    seconds: dict[str, float]
    found: TableFit

    @property
    def rows(self) -> int:
        """How many rows were learnt from."""
        return int(self.found.rows.shape[0])

    @property
    def total(self) -> float:
        """The seconds of all steps."""
        return sum(self.seconds.values())

    def faster(self, other: _Trial) -> _Trial:
        """The less time of two for each step: what else a machine does only adds to it."""
        return self._replace(seconds={step: min(one, other.seconds[step]) for step, one in self.seconds.items()})


class _Forecast(NamedTuple):
    """Seconds of the steps; those of training for all epochs, None where nobody knows how many there will be."""

    starting: float
    compiling: float
    reading: float
    encoding: float
    epoch: float
    training: float | None
    holding_out: float | None
    measuring: float

    @property
    def beside_training(self) -> float:
        """What does not depend on the epochs."""
        return self.starting + self.reading + self.encoding + self.measuring

    @property
    def in_all(self) -> float | None:
        """The whole command, compiled before."""
        return None if self.training is None else self.beside_training + self.training + (self.holding_out or 0.0)


class _Check(NamedTuple):
    """The seconds of `linsep check` of all rows, or what it takes at least where a part takes too long to be tried."""

    seconds: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{_seconds(self.seconds)} or more" if self.at_least else _about(self.seconds)


def dry_run(
    source: Source,
    learner: Any = None,
    *,
    started: float = 0.0,
    on_step: Callable[[str], None] = lambda step: None,
    **asked: Any,
) -> Receipt:
    """Say what `fit_table` would take, without fitting all rows.

    The first rows of a file are fitted, some more, and so on up to 8 MB of text: reading, encoding, ten epochs,
    scores and, where a fit of all rows has one, the proof; where it has none, `check_table` decides the two largest
    parts. These tell how each step grows. How many rows there are follows from the size of the file. Of what cannot
    be read in part (several files, pipes, queries, spreadsheets), and where the first rows do not do, as those of one
    class, all rows are read, and parts drawn at random are fitted.

    Parameters
    ----------
    source : Source
        A table with labels, from `open_data`.
    learner : learner of linsep, optional
        Not fitted; None is that of `TableModel`.
    started : float, default=0.0
        The seconds that the program took to start.
    on_step : callable, optional
        Called with a few words when a step begins.
    **asked
        Further arguments of `fit_table`.

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
    trials, loading = _trials(source, learner, asked, on_step)
    cost = _forecast(trials, learner, started, loading)
    return _told(trials, learner, cost, None if _is_proved(trials) else _of_check(trials, cost, asked, on_step))


def _trials(
    source: Source, learner: Any, asked: dict[str, Any], on_step: Callable[[str], None]
) -> tuple[list[_Trial], float]:
    """Fits of larger and larger parts, and what the first of each took longer than the second."""
    if is_read_in_parts(source):
        trials, loading = _growing(lambda size: beginning(source, size), learner, asked, on_step)
        if trials:
            return trials, loading
    on_step("reading all rows")
    began = time.perf_counter()
    source.read()
    reading = time.perf_counter() - began
    trials, loading = _growing(lambda size: some_rows(source, size), learner, asked, on_step)
    if not trials:  # a label is in few rows
        trials, loading = _growing(lambda size: some_rows(source, sys.maxsize), learner, asked, on_step)
    return [one._replace(seconds=one.seconds | {_READING: reading / one.times}) for one in trials], loading


def _growing(
    part_of: Callable[[int], Beginning], learner: Any, asked: dict[str, Any], on_step: Callable[[str], None]
) -> tuple[list[_Trial], float]:
    """Fits of parts of more and more bytes, each twice, as `_trials` gives them.

    There are none where no part can be learnt from, as the first rows of a table sorted by its label, or a row longer
    than the parts.
    """
    trials: list[_Trial] = []
    loading = 0.0
    for size in _SIZES:
        part = part_of(size)
        if part.times > 1 and not _has_labels(part.source):
            continue  # which the fit would find after long work
        on_step("compiling for this processor, once" if not trials else f"trying {1 / part.times:.2%} of the rows")
        try:
            trial = _tried(part_of(size), learner, asked)
        except DataError:
            if trials or part.times == 1:
                raise
            continue
        again = trial.faster(_tried(part_of(size), learner, asked))
        more = trial.total - again.total
        loading += more if more > again.total / 2 else 0.0  # less is what else the machine does
        trials.append(again)
        if part.times == 1 or again.total > (_LONG_ENOUGH if part.times < _LARGE_ENOUGH else _TOO_LONG):
            break
    return trials, loading


def _has_labels(part: Source) -> bool:
    """Whether a part has whole rows, and not all of one label."""
    try:
        y = part.read().y
    except DataError:
        return False
    return y is None or not bool((y == y[0]).all())


def _tried(part: Beginning, learner: Any, asked: dict[str, Any]) -> _Trial:
    """Read and fit a part, for a few epochs."""
    learner = clone(learner)
    if hasattr(learner, "max_iter"):
        learner.set_params(max_iter=min(_EPOCHS, learner.max_iter or _EPOCHS), time_limit=None)
    marks = [(_READING, time.perf_counter() - part.seconds)]
    part.source.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a budget that ends is no news here
        timed: dict[str, Any] = {"on_step": lambda step: marks.append((step, time.perf_counter())), "times": part.times}
        found = fit_table(part.source, learner, **timed, **asked)
    if found.interrupted:
        raise KeyboardInterrupt
    marks.append(("", time.perf_counter()))
    return _Trial(part.times, {step: end - begin for (step, begin), (_, end) in pairwise(marks)}, found)


def _is_proved(trials: Sequence[_Trial]) -> bool:
    """Whether a fit of all rows proves something."""
    return trials[-1].found.receipt.data["verdict"] is not None


def _of_check(
    trials: Sequence[_Trial], cost: _Forecast, asked: dict[str, Any], on_step: Callable[[str], None]
) -> _Check | None:
    """The seconds of `linsep check` of all rows; None where parts cannot be checked."""
    tried = []
    given = {name: asked[name] for name in ("columns", "positive") if name in asked}
    classes = len(trials[-1].found.model.classes_)
    questions = classes if classes > 2 and given.get("positive") is None else 1
    for trial in trials[-2:]:
        on_step(f"checking {1 / trial.times:.2%} of the rows")
        began = time.perf_counter()
        try:
            found = check_table(trial.found.source, time_limit=_CHECKING / questions, **given)
        except DataError:
            return None
        took = time.perf_counter() - began
        if found.verdict == "undecided" or took >= _CHECKING:
            return _Check(max(took, _CHECKING) * trial.times, at_least=True)
        tried.append(trial._replace(seconds={_CHECK: took}))
    return _Check(cost.starting + cost.reading + _reckoned(tried, _CHECK))


def _forecast(trials: Sequence[_Trial], learner: Any, started: float, loading: float) -> _Forecast:
    last = trials[-1]
    steps = {step: _reckoned(trials, step) for step in last.seconds}
    made = int(last.found.model.learner_.n_iter_)
    limit, epochs = getattr(learner, "time_limit", None), getattr(learner, "max_iter", made)
    epoch = steps.pop(_TRAINING) / made
    aside = steps.pop(_HOLDING_OUT, None)
    training = limit if limit is not None else None if epochs is None else epoch * epochs
    if aside is not None and training is not None and epoch > 0:
        aside *= max(1.0, training / (epoch * made))
    reading, encoding = steps.pop(_READING), steps.pop("encoding")
    starting = started + min(loading, _LOADING)
    compiling = loading if loading > _LOADING else 0.0
    return _Forecast(starting, compiling, reading, encoding, epoch, training, aside, sum(steps.values()))


def _reckoned(trials: Sequence[_Trial], step: str) -> float:
    """The seconds of a step for all rows: so many for each row, or a power of the rows where they grow faster."""
    last = trials[-1]
    now = last.seconds[step]
    if len(trials) == 1 or last.rows == trials[-2].rows or step in _LINEAR:
        return now * last.times
    is_kernel = isinstance(last.found.model.learner_, KernelPerceptron)
    n, before = trials[-2].rows, trials[-2].seconds.get(step, now)
    if now * n <= before * last.rows:
        return now + max(0.0, now - before) / (last.rows - n) * last.rows * (last.times - 1)
    power = min(log(now / before) / log(last.rows / n), _STEEPEST_OF_KERNELS if is_kernel else _STEEPEST)
    return float(now * last.times**power)


def _told(trials: Sequence[_Trial], learner: Any, cost: _Forecast, check: _Check | None) -> Receipt:
    last = trials[-1]
    X, whole = last.found.rows, last.times == 1
    rows, stored = round(last.rows * last.times), round(stored_in(X) * last.times)
    size = round((X.data.nbytes + X.indices.nbytes if is_sparse(X) else X.nbytes) * last.times)
    proved = _is_proved(trials)
    lines = [
        ("rows", f"{rows:,}" if whole else f"about {_rounded(rows)}, reckoned from {last.rows:,} that were tried"),
        ("features", f"{X.shape[1]:,}{'' if whole else ' or more'}; {_rounded(stored)} numbers, {size / 1e6:,.1f} MB"),
        ("starting", _about(cost.starting) + _on_compiling(cost.compiling)),
        ("reading", _about(cost.reading)),
        ("encoding", _about(cost.encoding)),
        ("an epoch", _about(cost.epoch)),
        ("training", _on_training(learner, cost)),
        *([] if cost.holding_out is None else [("holding out", _about(cost.holding_out))]),
        ("scores, proof" if proved else "scores", _about(cost.measuring)),
        ("separable?", _on_proof(len(last.found.model.classes_), proved, check)),
        ("in all", _on_all(cost, _range_of(cost, learner))),
        ("model", "none: this was a dry run"),
    ]
    data = {"dry_run": True, "rows": rows, "rows_tried": last.rows, "features": X.shape[1], "stored": stored}
    data |= {"bytes": size, "proved": proved, "epochs": getattr(learner, "max_iter", 1)}
    data |= {f"{name}_seconds": seconds for name, seconds in cost._asdict().items()}
    data |= {"total_seconds": cost.in_all}
    data |= {"total_range": _range_of(cost, learner), "check_seconds": check and check.seconds}
    data |= {"check_seconds_at_least": check is not None and check.at_least}
    return Receipt(lines, data)


def _range_of(cost: _Forecast, learner: Any) -> tuple[float, float] | None:
    """Between what the fit takes with one epoch, as a clean pass may end it, and with all of them."""
    if cost.in_all is None:
        return None
    shortest = cost.beside_training + min(cost.epoch, cost.training or 0.0)
    high = _HIGH_OF_KERNELS if isinstance(learner, KernelPerceptron) else _HIGH
    return _LOW * shortest, high * cost.in_all


def _on_compiling(seconds: float) -> str:
    return "" if not seconds else f"; compiling took {seconds:.0f} s more just now, once: it is kept for later runs"


def _on_training(learner: Any, cost: _Forecast) -> str:
    kind = type(learner).__name__
    if cost.training is None:
        return f"until a clean pass of {kind}: nobody knows how many epochs that takes"
    if getattr(learner, "time_limit", None) is not None:
        return f"{cost.training:g} s at most: --time-limit"
    epochs = getattr(learner, "max_iter", 1)
    return f"{_about(cost.training)}, {epochs:,} epoch{'s at most' if epochs > 1 else ''} of {kind}"


def _on_proof(classes: int, proved: bool, check: _Check | None) -> str:
    if proved:
        return f"this fit proves yes or no, or stops trying after {PROOF_SECONDS:.0f} s"
    what = f"of {classes:,} classes" if classes > 2 else "of a table this large"
    how_long = "" if check is None else f", which takes {check}"
    return f"this fit proves nothing {what}: `linsep check` does{how_long}"


def _on_all(cost: _Forecast, bounds: tuple[float, float] | None) -> str:
    if cost.in_all is None or bounds is None:
        return f"{_about(cost.beside_training)} beside the training"
    low, high = map(_seconds, bounds)
    return f"{_about(cost.in_all)}; expect between {low} and {high}"


def _rounded(count: int) -> str:
    """A count that was reckoned, to three digits."""
    return f"{int(float(f'{count:.3g}')):,}"


def _about(seconds: float) -> str:
    return "less than 0.1 s" if seconds < 0.095 else f"about {_seconds(seconds)}"


def _seconds(seconds: float) -> str:
    """Reckoned seconds as people say them: no more than two digits are known."""
    if seconds < 95:
        return f"{float(f'{seconds:.2g}'):g} s"
    return f"{float(f'{seconds / 60:.2g}'):,g} minutes"
