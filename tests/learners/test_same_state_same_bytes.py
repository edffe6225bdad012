"""A model that was saved and loaded on the way becomes the same file, to the byte, as one that was not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import linsep
from linsep.streaming.progressive import predict_then_learn


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("open_classes", [False, True])
@pytest.mark.parametrize("form", ["dense", "sparse", "growing"])
def test_on_a_stream(form: str, open_classes: bool, n_classes: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.5), np.arange(60) % n_classes
    saved = []
    for resumed in (False, True):
        model = linsep.AveragedPerceptron(open_classes=open_classes)
        for a in range(0, 60, 12):
            width = 1 + 4 * a // 48 if form == "growing" else 5
            X = rows[a : a + 12] if form == "dense" else sp.csr_matrix(rows[a : a + 12, :width])
            predict_then_learn(model, X, y[a : a + 12], None if open_classes else np.arange(n_classes))
            model.settle()
            linsep.save(model, tmp_path / "model")
            if resumed:
                model = linsep.load(tmp_path / "model")
        saved.append((tmp_path / "model").read_bytes())
    assert saved[0] == saved[1]
