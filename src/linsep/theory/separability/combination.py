"""Rows with positive integer weights: a witness, or an overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linsep.theory.verify.separability import CertificateError


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

    @classmethod
    def of(cls, weights: Mapping[int, int]) -> Combination:
        """Make a combination from a mapping row -> weight; its rows are in ascending order.

        Parameters
        ----------
        weights : mapping of int to int
            Row -> weight.

        Returns
        -------
        Combination
            The same rows and weights.
        """
        rows = tuple(sorted(weights))
        return cls(rows, tuple(weights[i] for i in rows))

    def as_dict(self) -> dict[int, int]:
        """Return row -> weight; rows and weights that do not pair up, or a row twice, are an error."""
        out = dict(zip(self.rows, self.weights, strict=False))
        if not len(self.rows) == len(self.weights) == len(out):
            raise CertificateError("weights must be one a row, each row named once")
        return out
