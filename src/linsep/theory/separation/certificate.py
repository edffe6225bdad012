"""The proof of a separation as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from linsep.theory.rows.json_values import MOST, from_plain, of_type, to_plain, whole_count
from linsep.theory.separability.near_as_plain import near_weights_of, plain_near_weights
from linsep.theory.verify.separation import SeparationProof, Vector, Weights

_VECTORS = ("directions", "null", "null_all")
_ROWS = ("separated", "spanning", "spanning_all", "unsigned")


def plain_proof(proof: SeparationProof) -> dict[str, Any]:
    """Return plain values for JSON; integers beyond 2^53 are hexadecimal text.

    Examples
    --------
    >>> plain_proof(SeparationProof(({1: 2**60},), (1,), {}, (), ({0: 1}, {1: 1}), (), ()))["directions"]
    {'unit': [], 'columns': [[1]], 'values': [['0x1000000000000000']]}
    """
    plain: dict[str, Any] = {name: _plain_vectors(getattr(proof, name)) for name in _VECTORS}
    plain |= {name: list(getattr(proof, name)) for name in _ROWS}
    plain["overlap"] = _plain_weights(proof.overlap)
    plain["signs"] = {str(j): _plain_weights(weights) for j, weights in proof.signs.items()}
    # Many coefficients share their directions.
    every = list({id(vectors): vectors for vectors in proof.opposite.values()}.values())
    at = {id(vectors): k for k, vectors in enumerate(every)}
    plain["opposite"] = {
        "directions": list(map(_plain_vectors, every)),
        "columns": {str(j): at[id(vectors)] for j, vectors in proof.opposite.items()},
    }
    plain["bases"] = list(map(list, proof.bases))
    return plain if proof.near is None else {**plain, "near_weights": plain_near_weights(proof.near)}


def proof_of_plain(plain: dict[str, Any]) -> SeparationProof:
    """Return the proof that `plain_proof` wrote; nothing is verified yet.

    Raises
    ------
    AttributeError, KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    parts: dict[str, Any] = {name: _vectors(plain[name]) for name in _VECTORS}
    parts |= {name: tuple(map(whole_count, plain[name])) for name in _ROWS}
    signs = of_type(plain, "signs", dict)
    near = near_weights_of(of_type(plain, "near_weights", dict), MOST) if "near_weights" in plain else None
    return SeparationProof(
        **parts,
        overlap=_weights(plain["overlap"]),
        signs={_column(j): _weights(weights) for j, weights in signs.items()},
        opposite=_opposite(of_type(plain, "opposite", dict)),
        bases=tuple(tuple(whole_count(j, "a column") for j in basis) for basis in plain.get("bases", ())),
        near=near,
    )


def _opposite(plain: dict[str, Any]) -> dict[int, tuple[Vector, ...]]:
    if plain.keys() != {"directions", "columns"}:  # as the format 2 had them: each coefficient its own
        return {_column(j): _vectors(vectors) for j, vectors in plain.items()}
    every = [_vectors(vectors) for vectors in plain["directions"]]
    return {_column(j): every[whole_count(k, "a direction")] for j, k in plain["columns"].items()}


def _column(text: str) -> int:
    if str(number := int(text)) != text:
        raise ValueError(f"{text!r} is not a column")
    return whole_count(number, "a column")


def _plain_vectors(vectors: Sequence[Vector]) -> dict[str, list[Any]]:
    """Unit vectors, which are many, by their columns, before the others."""
    units = [next(iter(v)) for v in takewhile(_is_unit, vectors)]
    rest = vectors[len(units) :]
    columns, values = [list(v) for v in rest], [list(map(to_plain, v.values())) for v in rest]
    return {"unit": units, "columns": columns, "values": values}


def _is_unit(vector: Vector) -> bool:
    return len(vector) == 1 and next(iter(vector.values())) == 1


def _vectors(plain: dict[str, list[Any]] | list[list[Any]]) -> tuple[Vector, ...]:
    if isinstance(plain, list):  # as the format 2 had them: every entry
        return tuple({j: v for j, v in enumerate(map(from_plain, vector)) if v} for vector in plain)
    units: list[Vector] = [{whole_count(j, "a column"): 1} for j in plain["unit"]]
    rest = zip(plain["columns"], plain["values"], strict=True)
    return (*units, *(_vector(columns, values) for columns, values in rest))


def _vector(columns: list[Any], values: list[Any]) -> Vector:
    vector = dict(zip([whole_count(j, "a column") for j in columns], map(from_plain, values), strict=True))
    if len(vector) < len(columns):
        raise ValueError("a column of a vector stands twice")
    return vector


def _plain_weights(weights: Weights) -> dict[str, list[Any]]:
    return {"rows": list(weights), "weights": list(map(to_plain, weights.values()))}


def _weights(plain: dict[str, list[Any]]) -> Weights:
    weights = dict(zip(map(from_plain, plain["rows"]), map(from_plain, plain["weights"]), strict=True))
    if len(weights) < len(plain["rows"]):
        raise ValueError("a row has two weights")
    return weights
