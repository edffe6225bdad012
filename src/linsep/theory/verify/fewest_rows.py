"""Check that so many rows have to go before the rest is separable, and that it is when those named are gone.

This file only verifies, and shares no code with the search. Rows are counted from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linsep.theory.verify.separability import CertificateError, verify_witness

__all__ = ["proved_rows", "verify_fewest_rows"]
_DEEPEST = 200


def verify_fewest_rows(
    X: Any, y: Any, least: int, witnesses: Sequence[Mapping[int, int]], proof: Any, *, fit_intercept: bool = True
) -> None:
    """Raise unless at least so many rows have to go before the rest is separable.

    Each witness (row -> integer > 0) has to bring its signed rows to 0: then no hyperplane separates them, and one of
    them has to go. The proof says how the number follows (`proved_rows`).
    """
    for weights in witnesses:
        verify_witness(X, y, weights, fit_intercept=fit_intercept)
    if proved_rows(proof, witnesses) < least:
        raise CertificateError(f"that at least {least:,} rows have to go is not proved")


def proved_rows(proof: Any, witnesses: Sequence[Mapping[int, int]]) -> int:
    """Return how many rows at least have to go, as a proof about verified witnesses says.

    A proof is one of two things. `{"unit": q, "weights": {k: v}}` gives witness k the weight v / q, such that the
    witnesses of each row have at most 1 together. Whatever rows go, each witness loses one of its rows, so the number
    of rows that go is at least the sum of all weights. `{"witness": k, "without": [proof, ...]}` has one proof for each
    row of witness k, in ascending order: one of them has to go, and each proof is about the rows that are then left.

    Raises
    ------
    CertificateError
        The proof has another form, or uses a row that has gone.

    Examples
    --------
    >>> triangle = [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}]
    >>> proved_rows({"unit": 2, "weights": {0: 1, 1: 1, 2: 1}}, triangle)
    2
    """
    return _least(proof, witnesses, frozenset())


def _least(proof: Any, witnesses: Sequence[Mapping[int, int]], gone: frozenset[int]) -> int:
    if len(gone) > _DEEPEST or not isinstance(proof, dict):
        raise CertificateError("the proof of the fewest rows has no such form")
    if proof.keys() == {"unit", "weights"}:
        return _packed(proof["unit"], proof["weights"], witnesses, gone)
    if proof.keys() != {"witness", "without"}:
        raise CertificateError("the proof of the fewest rows has no such form")
    rows = sorted(_left(witnesses, proof["witness"], gone))
    if len(proof["without"]) != len(rows):
        raise CertificateError("a branch of the proof needs one part for each row of its witness")
    return 1 + min(_least(part, witnesses, gone | {i}) for i, part in zip(rows, proof["without"], strict=True))


def _packed(unit: Any, weights: Any, witnesses: Sequence[Mapping[int, int]], gone: frozenset[int]) -> int:
    if not isinstance(weights, dict) or any(type(v) is not int or v <= 0 for v in [unit, *weights.values()]):
        raise CertificateError("weights of witnesses must be positive integers")
    load: dict[int, int] = {}
    for k, v in weights.items():
        for i in _left(witnesses, k, gone):
            load[i] = load.get(i, 0) + v
    over = next((i for i, v in load.items() if v > unit), None)
    if over is not None:
        raise CertificateError(f"the witnesses of row {over} have a weight above 1 together")
    return int(-(-sum(weights.values()) // unit))


def _left(witnesses: Sequence[Mapping[int, int]], k: Any, gone: frozenset[int]) -> Mapping[int, int]:
    """The witness of that number, which has to be one of rows that are there."""
    if type(k) is not int or not 0 <= k < len(witnesses):
        raise CertificateError(f"there is no witness {k!r}")
    if gone & witnesses[k].keys():
        raise CertificateError(f"witness {k} has a row that has gone")
    return witnesses[k]
