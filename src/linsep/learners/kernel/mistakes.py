"""The mistakes of a kernel perceptron in order, and the vectors that their steps add up to."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linsep.kernels.linear.votes import add_votes
from linsep.learners.kernel.budgeted import Budgeted
from linsep.learners.kernel.passes import Growing, Passes
from linsep.types import Array, DataError


class MistakeRecord:
    """The row, plane, visit and step of each mistake of a run without a budget."""

    support_: Array
    norm2_: Array
    mistake_rows_: Array
    mistake_classes_: Array
    mistake_steps_: Array
    mistake_visits_: Array
    t_: int
    _support: Growing
    _budgeted: Budgeted | None

    def _keep(self, passes: Passes, places: Array, origin: int) -> int:
        """Take over the mistakes of a pass, and the rows that were never mistaken before."""
        if not passes.rows:
            return 0
        rows, classes, visits = (np.concatenate(part) for part in (passes.rows, passes.classes, passes.visits))
        passes.forget()
        _, first = np.unique(rows, return_index=True)
        new = rows[np.sort(first)]
        new = new[places[new] < 0]
        places[new] = self._support.n + np.arange(new.size)
        self._support.add(passes.X[new])
        for name, entries in (
            ("support_", new + origin),
            ("mistake_rows_", places[rows]),
            ("mistake_classes_", classes),
            ("mistake_steps_", passes.steps[classes, rows]),
            ("mistake_visits_", visits + self.t_),
        ):
            setattr(self, name, np.concatenate([getattr(self, name), entries]))
        return len(rows)

    def _sums(self, averaged: bool) -> Array:
        """Steps summed over the mistakes of each row and plane; averaged, each counts for the visits after it."""
        sums = np.zeros((len(self.norm2_), self._support.n))
        visits = max(self.t_, int(self.mistake_visits_.max(initial=-1)) + 1)  # Ctrl-C ends a pass before it is counted
        share = (visits - self.mistake_visits_) / max(1, visits) if averaged else 1.0
        np.add.at(sums, (self.mistake_classes_, self.mistake_rows_), self.mistake_steps_ * share)
        return sums

    def _votes(self, G: Array) -> Array:
        """The votes of all vectors on a block of rows: their values are running sums of its kernel values G."""
        columns = []
        for k, survival in enumerate(self.survival_counts()):
            own = self.mistake_classes_ == k
            columns.append(np.full(len(G), survival[0]))
            rows, steps = self.mistake_rows_[own], self.mistake_steps_[own]
            add_votes(G, rows, steps, survival[1:], np.zeros(len(G)), columns[-1])
        return np.column_stack(columns) / max(1, self.t_)

    def survival_counts(self) -> list[Array]:
        """Count the rows that each vector survived; the counts of a plane add up to `t_`.

        Returns
        -------
        list of ndarray of int64
            c_0, c_1, ... of each plane.
        """
        check_is_fitted(self)
        if self._budgeted is not None:
            raise DataError("a budget keeps no record of its mistakes; fit with budget=None")
        visits = (self.mistake_visits_[self.mistake_classes_ == k] for k in range(len(self.norm2_)))
        return [np.diff(np.concatenate([[0], v, [max(self.t_, v.max(initial=0))]])) for v in visits]
