"""Layers along an axis of an array in a .npz archive: read one at a time, and only if the bytes are whole."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import DataError
from linsep.probing.layers import open_layers

CUBE = np.random.default_rng(5).normal(size=(24, 40, 60))
ARCHIVES: list[Any] = [
    (write, axis, order) for write in (np.savez, np.savez_compressed) for axis in range(3) for order in "CF"
]


@pytest.mark.parametrize(("write", "axis", "order"), ARCHIVES)
def test_layers_of_an_archive_are_read_without_the_others(write: Any, axis: int, order: Any, tmp_path: Path) -> None:
    cube = np.moveaxis(np.repeat(CUBE, 20, axis=1), 0, axis)  # 9 MB: 24 layers of 0.4 MB
    write(tmp_path / "z.npz", odd=np.arange(7), h=np.asarray(cube, order=order))
    layers = open_layers(tmp_path / "z.npz", axis=axis)
    assert len(layers) == 24
    tracemalloc.start()
    for k in (0, 11, 23):
        found = layers[k].read()
        assert found.flags.c_contiguous
        assert found.flags.aligned
        assert np.array_equal(found, cube[(slice(None),) * axis + (k,)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < cube.nbytes / 2


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_a_damaged_byte_of_an_archive_is_found(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "z.npz"
    write(path, h=CUBE)
    with path.open("r+b") as raw:
        raw.seek(path.stat().st_size // 2)
        one = raw.read(1)[0]
        raw.seek(-1, 1)
        raw.write(bytes([one ^ 1]))
    for layer in open_layers(path, axis=0):
        with pytest.raises(DataError, match=r"z\.npz: 'h' cannot be read: "):
            layer.read()


def test_a_cube_of_objects_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "z.npz", h=CUBE.astype(object))
    with pytest.raises(DataError, match="'h' cannot be read: Object arrays cannot be loaded"):
        open_layers(tmp_path / "z.npz", axis=0)[0].read()
