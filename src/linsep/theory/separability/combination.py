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
    within : float
        0: the weights are exact. Else exact ones exist that differ from these by at most this share of each.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    within: float = 0.0

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
        return cls(rows, tuple(weights[i] for i in rows), within)

    def as_dict(self) -> dict[int, int]:
        """Return row -> weight."""
        return dict(zip(self.rows, self.weights, strict=True))
