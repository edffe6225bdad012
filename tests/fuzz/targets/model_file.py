"""The header of model files, mangled and given right checksums again: it loads and predicts, or is refused."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import linsep
from crafted_models import parts_of, sealed
from fuzz.mangle import mangle
from fuzz.target import Target
from linsep.types import DataError

_TOKENS = (b"null", b"true", b"-1", b"1e300", b"1" * 400, b"[]", b"{}", b"[[", b",", b"0.5", b'"float32"', b'"int64"')
_ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])


@cache
def _models() -> tuple[tuple[bytes, dict[str, Any]], ...]:
    """Header and arrays of some models."""
    y = [0, 1, 1]
    made = (linsep.Perceptron(), linsep.AveragedPerceptron(max_iter=3), linsep.VotedPerceptron(max_iter=3))
    parts = [parts_of(model.fit(_ROWS, y)) for model in (*made, linsep.Rocchio())]
    return tuple((json.dumps(header).encode(), arrays) for header, arrays in parts)


def make(rng: Random) -> bytes:
    """A model file whose header has some damage that leaves it JSON, or no model file."""
    header, arrays = rng.choice(_models())
    for _ in range(20):
        try:
            changed = json.loads(mangle(rng, header, _TOKENS))
        except ValueError:
            continue
        if isinstance(changed, dict) and "file_sha256" in changed:
            return sealed(changed, arrays)
    return mangle(rng, sealed(json.loads(header), arrays))


def read(case: bytes) -> list[Any]:
    """What the model predicts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        path.write_bytes(case)
        model = linsep.load(path)
    try:
        return list(model.predict(_ROWS).tolist())
    except ValueError as error:
        raise DataError(str(error)) from None


TARGET = Target("model file", make, read)
