"""The proof of a separation as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linsep.theory.rows.json_values import from_plain, of_type, to_plain, whole_count
from linsep.theory.verify.separation import SeparationProof, Vector, Weights

_VECTORS = ("directions", "null", "null_all")
_ROWS = ("separated", "spanning", "spanning_all", "unsigned")


def plain_proof(proof: SeparationProof) -> dict[str, Any]:
    """Return plain values for JSON; integers beyond 2^53 are hexadecimal text.

    Examples
    --------
    >>> plain_proof(SeparationProof(((0, 2**60),), (1,), {}, (), (), (), ()))["directions"]
    [[0, '0x1000000000000000']]
    """
    plain: dict[str, Any] = {name: _plain_vectors(getattr(proof, name)) for name in _VECTORS}
    plain |= {name: list(getattr(proof, name)) for name in _ROWS}
    plain["overlap"] = _plain_weights(proof.overlap)
    plain["signs"] = {str(j): _plain_weights(weights) for j, weights in proof.signs.items()}
    plain["opposite"] = {str(j): _plain_vectors(vectors) for j, vectors in proof.opposite.items()}
    return plain


def proof_of_plain(plain: dict[str, Any]) -> SeparationProof:
    """Return the proof that `plain_proof` wrote; nothing is verified yet.

    Raises
    ------
    AttributeError, KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    parts: dict[str, Any] = {name: _vectors(plain[name]) for name in _VECTORS}
    parts |= {name: tuple(map(whole_count, plain[name])) for name in _ROWS}
    signs, opposite = of_type(plain, "signs", dict), of_type(plain, "opposite", dict)
    return SeparationProof(
        **parts,
        overlap=_weights(plain["overlap"]),
        signs={_column(j): _weights(weights) for j, weights in signs.items()},
        opposite={_column(j): _vectors(vectors) for j, vectors in opposite.items()},
    )


def _column(text: str) -> int:
    if str(number := int(text)) != text:
        raise ValueError(f"{text!r} is not a column")
    return whole_count(number, "a column")


def _plain_vectors(vectors: Sequence[Vector]) -> list[list[int | str]]:
    return [list(map(to_plain, vector)) for vector in vectors]


def _vectors(plain: list[list[Any]]) -> tuple[Vector, ...]:
    return tuple(tuple(map(from_plain, vector)) for vector in plain)


def _plain_weights(weights: Weights) -> dict[str, list[Any]]:
    return {"rows": list(weights), "weights": list(map(to_plain, weights.values()))}


def _weights(plain: dict[str, list[Any]]) -> Weights:
    weights = dict(zip(map(from_plain, plain["rows"]), map(from_plain, plain["weights"]), strict=True))
    if len(weights) < len(plain["rows"]):
        raise ValueError("a row has two weights")
    return weights
