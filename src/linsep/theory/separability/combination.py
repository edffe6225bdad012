"""Rows with positive integer weights: a witness, or an overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Combination(NamedTuple):
    """Rows, counted from 0, and their positive integer weights.

    Attributes
    ----------
    rows : tuple of int
        The rows, in ascending order.
    weights : tuple of int
        The weight of each of them.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]

    @property
    def within(self) -> float:
        """0: the weights are exact. Else exact ones exist that differ from these by at most this share of each."""
        return 0.0

    @classmethod
    def of(cls, weights: Mapping[int, int], within: float = 0.0) -> Combination:
        """Make a combination from a mapping row -> weight; its rows are in ascending order.

        Parameters
        ----------
        weights : mapping of int to int
            Row -> weight.
        within : float, default=0.0
            How near exact weights are.

        Returns
        -------
        Combination
            The same rows and weights.
        """
        rows = tuple(sorted(weights))
        found = tuple(weights[i] for i in rows)
        if not within:
            return cls(rows, found)
        near = _Near(rows, found)
        near.share = within
        return near

    def as_dict(self) -> dict[int, int]:
        """Return row -> weight."""
        return dict(zip(self.rows, self.weights, strict=True))


class _Near(Combination):
    """Weights near exact ones, which are not known."""

    share: float = 0.0

    @property
    def within(self) -> float:
        return self.share
