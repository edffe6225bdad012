"""The logarithm of Cox's partial likelihood, which is concave, with ties by Breslow or by Efron."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from linsep.theory.rows.deadline import Pace
from linsep.theory.separation.families import Outcome, together
from linsep.types import Array, DataError

_MOST_AT_RISK = 20_000_000  # rows, summed over events


class PartialLikelihood(NamedTuple):
    """Terms, one an event or a time of events, each compared with the rows at risk then.

    Row k of `shares` says how much each row counts in term k: its weight, less of the tied events by Efron. `counts`
    says how often the term counts, `events` how much each row does that has one. The linear predictor is x.b + offset.
    """

    shares: Any
    counts: Array
    events: Array
    offset: Array

    @classmethod
    def of(cls, outcome: Outcome, strata: Array) -> PartialLikelihood:
        """That of an outcome all of whose rows count, compared within `strata`.

        Raises
        ------
        DataError
            The rows at risk are too many.
        """
        n, y = len(outcome.y), outcome.y.astype(np.float64)
        event = outcome.happened
        entry = np.full(n, -np.inf) if outcome.entry is None else outcome.entry
        weights = np.ones(n) if outcome.weights is None else outcome.weights
        parts: list[tuple[Array, Array, Array]] = []
        counts: list[Array] = []
        size, n_terms = 0, 0
        for at in together(strata):
            own = at[event[at]]
            if not own.size:
                continue
            times, group, ties = np.unique(y[own], return_inverse=True, return_counts=True)
            total, fraction = np.bincount(group, weights[own]), np.zeros(times.size)
            if outcome.ties == "efron":  # a term for each of d tied events, of which 0, 1/d, 2/d, ... are gone
                times, total = np.repeat(times, ties), np.repeat(total / ties, ties)
                fraction = np.concatenate([np.arange(d) / d for d in ties.tolist()])
            size += times.size * at.size
            if size > _MOST_AT_RISK:
                raise DataError(
                    f"the rows at risk at all events are more than {_MOST_AT_RISK:,}, too many to fit here: fit what "
                    "drop() gives"
                )
            when = times[:, None]
            tied = event[at] & (y[at] == when)
            share = weights[at] * ((y[at] >= when) & (entry[at] < when)) * (1 - fraction[:, None] * tied)
            term, row = np.nonzero(share)
            parts.append((share[term, row], term + n_terms, at[row]))
            counts.append(total)
            n_terms += times.size
        data, terms, rows = (np.concatenate(column) for column in zip(*parts, strict=True))
        shares = sp.sparse.csr_array((data, (terms, rows)), shape=(n_terms, n))
        offset = np.zeros(n) if outcome.offset is None else outcome.offset
        return cls(shares, np.concatenate(counts), weights * event, offset)

    @property
    def n_compared(self) -> int:
        """How many rows an event is compared with, or have such an event."""
        sizes = np.diff(self.shares.indptr)
        return int(np.unique(self.shares.indices[np.repeat(sizes > 1, sizes)]).size)

    def value(self, eta: Array) -> float:
        """The logarithm of the likelihood where the linear predictors are `eta`, offset included.

        Examples
        --------
        >>> two = PartialLikelihood.of(Outcome(np.array([1.0, 2.0])), np.zeros(2))
        >>> round(float(np.exp(two.value(np.zeros(2)))), 9)
        0.5
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.events @ eta - self.counts @ self._sums(eta)[1])

    def _sums(self, eta: Array) -> tuple[Any, Array]:
        """The chance of each row at risk to have the event of a term, and the logarithm of the sum of their rates."""
        shares, starts = self.shares, self.shares.indptr[:-1]
        each, sizes = eta[shares.indices], np.diff(shares.indptr)
        top = np.maximum.reduceat(each, starts)
        rates = shares.data * np.exp(each - np.repeat(top, sizes))
        total = np.add.reduceat(rates, starts)
        chances = sp.sparse.csr_array(
            (rates / np.repeat(total, sizes), shares.indices, shares.indptr), shape=shares.shape
        )
        return chances, np.log(total) + top

    def slopes(self, eta: Array) -> tuple[Array, Array]:
        """For each row the derivative by its linear predictor, and how much it counts in minus the second ones."""
        hazard = self._sums(eta)[0].T @ self.counts
        return self.events - hazard, hazard

    def derivatives(self, X: Array, eta: Array, pace: Pace) -> tuple[Array, Array]:
        """First derivatives by the coefficients, and minus the second ones."""
        work = (self.shares.nnz + X.size) * max(1, X.shape[1])
        pace.ask(work)
        chances = self._sums(eta)[0]
        hazard, means = chances.T @ self.counts, chances @ X
        score = X.T @ (self.events - hazard)
        information = X.T @ (hazard[:, None] * X) - means.T @ (self.counts[:, None] * means)
        pace.done += work
        return score, information
