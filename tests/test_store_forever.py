"""Model files that were written once are read for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import TableModel, load, open_data, save

FOLDER = Path(__file__).parent / "data" / "format-1"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


def rows_of(model: Any, name: str) -> Any:
    table = FOLDER / ("rows.svmlight" if "svmlight" in name else "rows.csv")
    return open_data(table, target=model.encoder_.target)


def test_every_file_is_looked_at() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.linsep")) == sorted(EXPECTED)
    assert len(EXPECTED) == 16


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_format_1_predicts_what_it_did(name: str, tmp_path: Path) -> None:
    model = load(FOLDER / name)
    rows, expected = rows_of(model, name), EXPECTED[name]
    assert isinstance(model, TableModel)
    assert model.predict(rows).tolist() == expected["labels"]
    np.testing.assert_allclose(model.decision_function(rows), expected["decision_values"], rtol=1e-12, atol=1e-12)
    assert getattr(model.learner_, "n_mistakes_", None) == expected["mistakes"]
    save(model, tmp_path / "again")
    assert load(tmp_path / "again").predict(rows).tolist() == expected["labels"]


@pytest.mark.parametrize("name", ["averaged.linsep", "voted-svmlight.linsep", "perceptron-classes.linsep"])
def test_a_file_of_format_1_can_be_trained_further(name: str) -> None:
    model = load(FOLDER / name)
    rows = rows_of(model, name)
    before = model.learner_.t_
    assert model.partial_fit(rows).learner_.t_ == before + len(rows.read().y)
