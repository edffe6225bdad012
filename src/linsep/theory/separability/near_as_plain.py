"""Weights near exact ones as plain values for JSON, and back; nothing that is read is believed."""

from __future__ import annotations

from typing import Any

from linsep.theory.rows.json_values import from_plain, of_type, row_list, to_plain
from linsep.theory.verify.near_weights import NearWeights


def plain_near_weights(near: NearWeights) -> dict[str, Any]:
    """Weights near exact ones, the rows that show that these exist, and how near they are."""
    return {
        "within": near.within,
        "rows": list(near.rows),
        "weights": [to_plain(v) for v in near.weights],
        "basis": list(near.basis),
    }


def near_weights_of(plain: dict[str, Any], n: int) -> NearWeights:
    """Weights near exact ones of some of n rows."""
    rows, basis = (tuple(row_list(plain[name], n, f"its {name}")) for name in ("rows", "basis"))
    weights = tuple(map(from_plain, of_type(plain, "weights", list)))
    return NearWeights(rows, weights, basis, of_type(plain, "within", float))
