"""Rows with positive integer weights: a witness, or an overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linsep.theory.verify.near_weights import NearWeights
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

    @property
    def within(self) -> float:
        """0: the weights are exact. Else exact ones exist that differ from these by at most this share of each."""
        return 0.0

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


class NearCombination(Combination):
    """Rows and positive integer weights near exact ones, which are not known; `within` says how near.

    Attributes
    ----------
    rows : tuple of int
        The rows, in ascending order.
    weights : tuple of int
        The weight of each of them.
    """

    _within: float = 0.0

    @classmethod
    def near(cls, proof: NearWeights) -> NearCombination:
        """Make one of the rows and weights of a proof.

        Parameters
        ----------
        proof : NearWeights
            The proof that exact weights exist.

        Returns
        -------
        NearCombination
            Its rows and weights.
        """
        out = cls(proof.rows, proof.weights)
        out._within = proof.within
        return out

    @property
    def within(self) -> float:
        """Exact weights differ from these by at most this share of each."""
        return self._within
