"""Weights near exact ones as plain values for JSON, and back; nothing that is read is believed."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from linsep.theory.rows.json_values import count, from_plain, of_type, row_list, to_plain
from linsep.theory.verify.near_weights import NearWeights


def plain_near_weights(near: NearWeights) -> dict[str, Any]:
    """Weights near exact ones and their proof; the inverse is base64 of its integers, little-endian, row by row."""
    size = max(int(near.inverse.max()), -int(near.inverse.min())).bit_length() // 8 + 1
    packed = near.inverse.astype("<i8").reshape(-1, 1).view(np.uint8)[:, :size].tobytes()
    return {
        "within": near.within,
        "rows": list(near.rows),
        "weights": [to_plain(v) for v in near.weights],
        "basis": list(near.basis),
        "columns": list(near.columns),
        "row_shifts": list(near.row_shifts),
        "column_shifts": list(near.column_shifts),
        "bytes": size,
        "inverse": base64.b64encode(packed).decode(),
    }


def near_weights_of(plain: dict[str, Any], n: int, width: int) -> NearWeights:
    """Weights near exact ones: lists of integers, and an inverse as long as it must be."""
    rows, basis = (row_list(plain[name], n, f"its {name}") for name in ("rows", "basis"))
    columns = row_list(plain["columns"], width, "its columns")
    size, p = count(plain, "bytes"), len(columns)
    packed = base64.b64decode(of_type(plain, "inverse", str), validate=True)
    if not 1 <= size <= 8 or len(packed) != size * p * p:
        raise ValueError(f"its inverse has {len(packed)} bytes, not {size} for each of {p} x {p} integers")
    whole = np.zeros((p * p, 8), dtype=np.uint8)
    whole[:, :size] = np.frombuffer(packed, dtype=np.uint8).reshape(-1, size)
    whole[:, size:] = np.where(whole[:, size - 1 : size] > 127, 255, 0)  # of negative integers
    return NearWeights(
        tuple(rows),
        tuple(map(from_plain, of_type(plain, "weights", list))),
        tuple(basis),
        tuple(columns),
        whole.view("<i8").astype(np.int64).reshape(p, p),
        tuple(map(from_plain, of_type(plain, "row_shifts", list))),
        tuple(map(from_plain, of_type(plain, "column_shifts", list))),
        of_type(plain, "within", float),
    )
