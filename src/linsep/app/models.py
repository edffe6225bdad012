"""Learners by the names that the command line gives them, and models as the commands open and save them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from linsep import learners
from linsep.app.present import Result, command_line
from linsep.app.tables import stamps_of
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.loop import uninterrupted
from linsep.learners.selection import RUNGS, Rung
from linsep.learners.table_model import TableModel, parts_of
from linsep.model_file import in_words
from linsep.reporting.shown import describe
from linsep.store import load, read_origin, save
from linsep.types import DataError, StopReason

if TYPE_CHECKING:
    from linsep.reporting.receipt import Receipt


LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "perceptron": ("Perceptron", {}),
    "averaged": ("AveragedPerceptron", {"multi_class": "multiclass"}),
    "voted": ("VotedPerceptron", {}),
    "pocket": ("PocketPerceptron", {}),
    "margin": ("MarginPerceptron", {}),
    "pa": ("PassiveAggressive", {"variant": "pa"}),
    "pa1": ("PassiveAggressive", {"variant": "pa1"}),
    "pa2": ("PassiveAggressive", {"variant": "pa2"}),
    "rocchio": ("Rocchio", {}),
    "sgd": ("SGDClassifier", {"sampling": "replacement", "projection_radius": 10.0}),  # what carries a guarantee
    "kernel": ("KernelPerceptron", {"average": "voted", "max_iter": 10}),
    "mlp": ("MLP", {}),
}


class Limits(NamedTuple):
    """Limits of training, and the seed; a time limit replaces the limit on epochs."""

    max_iter: int | None
    time_limit: float | None
    seed: int = 0

    def put_on(self, estimator: Any) -> Any:
        """Set them on a learner: the limits if it has `max_iter`, the seed if it has `random_state`."""
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=self.seed)
        if not hasattr(estimator, "max_iter"):
            return estimator
        if self.max_iter is not None or self.time_limit is not None:
            estimator.set_params(max_iter=self.max_iter)
        return estimator.set_params(time_limit=self.time_limit)


def limits_of(asked: Any) -> Limits:
    """The limits that were asked for, of which there may be one."""
    if asked.max_iter is not None and asked.time_limit is not None:
        raise DataError("give --max-iter or --time-limit, not both")
    return Limits(asked.max_iter, asked.time_limit, asked.seed or 0)


def new_learner(name: str) -> Any:
    """The learner of that name, as the command line takes it."""
    kind, parameters = LEARNERS[name]
    return getattr(learners, kind)(**parameters)


def make_learner(name: str, limits: Limits, **options: Any) -> Any:
    """Make the learner of that name with all `options` that are not None; the radius "none" is no limit."""
    if name not in LEARNERS:
        raise DataError(f"no learner called {name!r}: choose from {', '.join(LEARNERS)} or auto")
    estimator = new_learner(name)
    _check_options(name, estimator.get_params(), options)
    given = {option: value for option, value in options.items() if value is not None}
    estimator.set_params(**given | ({"projection_radius": None} if given.get("projection_radius") == "none" else {}))
    return limits.put_on(estimator)


def make_ladder(limits: Limits, **options: Any) -> dict[str, Rung]:
    """The rungs that --learner auto tries, the simplest first; a time limit comes on top of their limits on epochs."""
    _check_options("auto", {}, options)

    def limited(rung: Rung) -> Rung:
        epochs = limits._replace(time_limit=None)
        return lambda X: [epochs.put_on(learner).set_params(time_limit=limits.time_limit) for learner in rung(X)]

    return {name: limited(rung) for name, rung in RUNGS.items()}


def check_weights(learner: Any, sample_weight: str | None) -> None:
    """Raise DataError if rows have weights and the learner takes none."""
    if sample_weight is None:
        return
    if isinstance(learner, Mapping) or "sample_weight" not in signature(learner.fit).parameters:
        name = "auto" if isinstance(learner, Mapping) else type(learner).__name__
        raise DataError(f"sample_weight: the learner {name} takes no weights of rows")


def _check_options(name: str, known: Any, options: dict[str, Any]) -> None:
    for option, value in options.items():
        if value is not None and option not in known:
            raise DataError(f"{option} is not a parameter of --learner {name}")


# --------------------------------------------------------------------- models
def description(path: Path, n_weights: int | None) -> Result:
    """The description of the model in a file, and where the file says that it comes from."""
    told, origin = describe(load(path), n_weights), read_origin(path)
    return Result([*told.lines, *in_words(origin)], {**told.data, "origin": origin})


def result_of(receipt: Receipt, model: Path, said: list[str], interrupted: bool, first: Iterable[Any] = ()) -> Result:
    """What is printed of a receipt, with where the model is and how to look at it."""
    lines = [*first, *receipt.lines, ("model", f"{model} (next: linsep show {model})")]
    return Result(lines, {**receipt.data, "model": str(model)}, said, interrupted, details=receipt.details)


def origin_of_run(stamps: Mapping[str, tuple[int, ...] | None], query: str | None = None) -> dict[str, str]:
    """What a command can say of where its model comes from: itself, its files, and what these hold.

    What came through a pipe cannot be read again, and of a database only the rows of the query matter. `stamps` are
    those from before the files were read, None where they are read once, and they have been read by now: the hash is of
    what was learnt.

    Raises
    ------
    DataError
        A file has changed since then.
    """
    told = {"command": command_line(), "data": ", ".join(stamps)}
    if query is not None:
        told["data"] += f": {' '.join(query.split())}"
    elif stamps and all(stamps.values()):
        found = hashlib.sha256()
        for name in stamps:
            with open(name, "rb") as file:
                while piece := file.read(1 << 20):
                    found.update(piece)
        now = stamps_of(stamps)
        changed = [name for name in stamps if stamps[name] != now[name]]
        if changed:
            raise DataError(f"{changed[0]} was written while it was read: try again when it is complete")
        told["data_sha256"] = found.hexdigest()
    return told


def load_of_table(model: Path) -> TableModel:
    """A model that was trained on a table, so that it can read another one."""
    found = load(model)
    if not isinstance(found, Classifier | TableModel):
        raise DataError(f"{model} holds a tagger, not a model of rows: use `linsep tag`")
    if not isinstance(found, TableModel) or found.encoder_ is None:
        raise DataError(f"{model} was not trained on a table: load it in Python with linsep.load")
    return found


def load_tagger(model: Path) -> Any:
    """The tagger in a model file."""
    from linsep.learners import SequenceTagger

    tagger = load(model)
    if not isinstance(tagger, SequenceTagger):
        raise DataError(f"{model} holds a {type(tagger).__name__}, not a tagger: `linsep tag fit` makes one")
    return tagger


class Keeper:
    """Saves a model, and remembers that it did. Ctrl-C waits until the file is whole."""

    def __init__(self, path: Path, origin: Mapping[str, str]) -> None:
        self.path, self.origin = path, dict(origin)
        self.kept = ""

    def __call__(self, model: Any, kept: str = "") -> None:
        """Save the model; `kept` says in a few words what the file then holds."""
        with uninterrupted():
            save(model, self.path, origin=self.origin)
            self.kept = kept or f"the model is in {self.path}"

    def what_was_kept(self, model: Any) -> str:
        """What the file holds after Ctrl-C, in a sentence."""
        learner, _ = parts_of(model)
        if learner.stop_reason_ is not StopReason.INTERRUPTED:
            return f"interrupted after the training; the model is in {self.path}, its receipt is not complete"
        epochs = learner.n_iter_
        when = f"in epoch {epochs:,}" if epochs else "before the first epoch"
        return f"interrupted {when}; the model so far is in {self.path}"


@contextmanager
def saved_when_trained(path: Path, origin: Mapping[str, str], checkpoint: Path | None = None) -> Iterator[Keeper]:
    """Give what saves the model of this block, with its origin.

    An error that ends the block early says whether that was done.
    """
    keeper = Keeper(path, origin)
    try:
        yield keeper
    except KeyboardInterrupt:
        kept = keeper.kept or "no model was written"
        if checkpoint is not None and checkpoint.exists() and not keeper.kept:
            kept += f", and the same command goes on from {checkpoint}"
        raise KeyboardInterrupt(f"interrupted; {kept}") from None
    except (DataError, OSError) as error:
        if not keeper.kept:
            raise
        raise DataError(f"{error}; {keeper.kept}") from error
