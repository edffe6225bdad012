"""What the rest of the library may ask of a learner, beside what scikit-learn asks of a classifier.

`Stored` is enough to save and load; `Learner` also makes passes. Streams, shards and model files use these names alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from linsep.declared import ArraySpec, ValueSpec
from linsep.kernels.linear.epoch import Rows
from linsep.kernels.optional import UpdateLog
from linsep.learners.engine.trace import Trace
from linsep.types import Array, StopReason


@runtime_checkable
class Stored(Protocol):
    """A learner whose state is plain arrays and JSON; a sequence tagger is one too."""

    def check_parameters(self) -> None:
        """Raise ValueError for constructor parameters that make no sense."""

    def reading(self) -> AbstractContextManager[Self]:
        """Give the model as it is now, whatever another thread learns meanwhile."""

    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict and to go on training: values for JSON, and arrays, each by name."""

    def check_state(
        self, values: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None
    ) -> None:
        """Raise DataError unless `get_state` could have given this; parameters are set already."""

    def set_state(self, values: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Take back what `get_state` gave, with `classes_` and the names of columns; parameters are set already."""


@runtime_checkable
class Learner(Stored, Protocol):
    """A linear learner that makes passes over rows of numbers: all of them, chunks of a stream, or shards.

    `start` once, then `run` passes, then `settle`: that is a `fit`. In between `moving` shows the weights.

    Attributes
    ----------
    unit_steps : bool
        Whether it moves by y x on mistakes and on nothing else, as the mistake bounds assume.
    intercept_scaling_, constant2_ : float
        The constant feature c, and c^2, by which updates of b are multiplied; 0 without an intercept.
    state_values, state_arrays : dict of str to ValueSpec, and to ArraySpec
        The attributes that `get_state` gives, and what each must be.
    plane_arrays : tuple of str
        Names of the arrays with one row a plane: one plane for two classes, one a class for more.
    running_sums : dict of str to str
        Names of the running sums behind a mean of weights, and of the weights that each is about.
    t_, n_iter_, n_mistakes_, n_updates_ : int
        Rows visited, epochs, mistakes and updates so far.
    """

    unit_steps: ClassVar[bool]
    intercept_scaling_: float
    constant2_: float
    state_values: ClassVar[dict[str, ValueSpec]]
    state_arrays: ClassVar[dict[str, ArraySpec]]
    plane_arrays: ClassVar[tuple[str, ...]]
    running_sums: ClassVar[dict[str, str]]

    # ------------------------------------------------------------------- rows
    def check_rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        """Return rows and labels as arrays; an error unless they are finite and fit each other and the learner."""

    def rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Iterator[Rows]:
        """Check what `partial_fit` is given and start at the first call; rows in parts where classes join."""

    def rows_of_shard(self, X: Any, y: Array) -> Rows:
        """What kernels read of rows and labels that `check_rows` accepted, of a learner that has been started."""

    def widen(self, width: int, names: list[str]) -> None:
        """Add columns of zeros up to this width, all or none."""

    # ---------------------------------------------------------------- weights
    def start(self, X: Any) -> None:
        """Set w = 0, b = 0 and all counters to 0, for rows like these (dtype, columns, dense or sparse)."""

    def start_empty(self, classes: Array, X: Any, names: list[str] | None = None) -> None:
        """Start with these distinct labels, to which none may join, and with rows like `X`, its columns named."""

    def moving(self) -> tuple[Array, Array]:
        """The weights (n_planes, n_features) and intercepts that passes move, in place."""

    def take_over(self, other: Self, /) -> None:
        """Replace all that was learnt by what another learner of this class has learnt; parameters stay."""

    def unchanged_on_error(self) -> AbstractContextManager[None]:
        """Put the attributes back as they were if the block raises."""

    # ----------------------------------------------------------------- passes
    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        """Make up to len(record) passes, stopping after one without an update; return the number made.

        Changes the weights and `record`, a row of `linsep.kernels.records.RECORD` for each pass. `memory` is None where
        rows come once; `reference` is (w, b) in one array, or empty. `t_` is for the caller to move on.
        """

    def step_rule(self) -> Any:
        """The step rule, as kernels read it."""

    def watch(self) -> Any:
        """What kernels update beside the weights (sums for a mean, say), or None."""

    def reorders(self) -> bool:
        """Whether each pass visits rows in an order of its own."""

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        """The n rows that such a pass visits."""

    def count_hopeless(self, rows: Rows) -> int:
        """Count the updates that every pass makes in vain, for a learner without an intercept."""

    def count_passes(self, record: Array) -> None:
        """Add passes to `n_iter_`, `n_mistakes_` and `n_updates_`."""

    def stop_after(self, record: Array, hopeless: int) -> StopReason | None:
        """The reason to stop after these passes, or None; `hopeless` updates are made in every pass in vain."""

    # -------------------------------------------------------------- afterwards
    def end_run(self, stop: StopReason, n_epochs: int, trace: Trace | None = None) -> None:
        """Record why a run that others made ended, its epochs in all and, if one was kept, its trace."""

    def settle(self) -> None:
        """Derive what predicts from what passes moved."""

    def settle_later(self) -> None:
        """The same, or mark it stale and recompute it on access."""

    def warn_of_run(self, n: int, /) -> None:
        """Warn of a run over n rows that ended before a clean pass, and of updates without effect."""
