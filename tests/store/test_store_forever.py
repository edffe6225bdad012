"""Model files that were written once are read for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import Source, TableEncoder, TableModel, load, load_with_extra, open_data, save

FOLDER = Path(__file__).parents[1] / "data" / "models"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


def table_of(name: str, target: str | None) -> Source:
    return open_data(FOLDER / ("rows.svmlight" if "svmlight" in name else "rows.csv"), target=target)


def test_every_file_is_looked_at() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.linsep")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_model_predicts_what_it_did(name: str, tmp_path: Path) -> None:
    model, extra = load_with_extra(FOLDER / name)
    expected: dict[str, Any] = EXPECTED[name]
    rows: Any = table_of(name, expected["target"])
    if name == "learner.linsep":
        rows, learner = TableEncoder().fit(rows).transform(rows).X, model
    else:
        assert isinstance(model, TableModel)
        learner = model.learner_
    assert model.classes_.tolist() == expected["classes"]
    assert model.predict(rows).tolist() == expected["labels"]
    np.testing.assert_allclose(model.decision_function(rows), expected["decision_values"], rtol=1e-12, atol=1e-12)
    assert getattr(learner, "n_mistakes_", None) == expected["mistakes"]
    assert extra == ({"stream": {"rows": 7}} if name == "stream.linsep" else {})
    save(model, tmp_path / "again")
    assert load(tmp_path / "again").predict(rows).tolist() == expected["labels"]


@pytest.mark.parametrize("name", ["averaged.linsep", "voted-svmlight.linsep", "pa1-classes.linsep"])
def test_a_model_can_be_trained_further(name: str) -> None:
    model = load(FOLDER / name)
    rows = table_of(name, model.encoder_.target)
    before = model.learner_.t_
    assert model.partial_fit(rows).learner_.t_ == before + len(rows.read().y)


def test_a_positive_class_is_kept() -> None:
    model = load(FOLDER / "perceptron-positive.linsep")
    assert (model.positive, model.classes_.tolist()) == ("b", ["not b", "b"])
    assert model.learner_.class_weight == {1: 2.0}
    assert model.learner.class_weight == {"b": 2.0}
