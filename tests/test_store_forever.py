"""Model files that were written once are read for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import Source, TableEncoder, TableModel, load, load_with_extra, open_data, save

DATA = Path(__file__).parent / "data"
FOLDER, SECOND = DATA / "format-1", DATA / "format-2"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
EXPECTED_2 = json.loads((SECOND / "expected.json").read_text())


def table_of(name: str, target: str | None) -> Source:
    return open_data(FOLDER / ("rows.svmlight" if "svmlight" in name else "rows.csv"), target=target)


def test_every_file_is_looked_at() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.linsep")) == sorted(EXPECTED)
    assert len(EXPECTED) == 16
    assert sorted(path.name for path in SECOND.glob("*.linsep")) == sorted(EXPECTED_2)
    assert len(EXPECTED_2) == 8


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_format_1_predicts_what_it_did(name: str, tmp_path: Path) -> None:
    model = load(FOLDER / name)
    assert isinstance(model, TableModel)
    assert model.encoder_ is not None
    rows, expected = table_of(name, model.encoder_.target), EXPECTED[name]
    assert model.predict(rows).tolist() == expected["labels"]
    np.testing.assert_allclose(model.decision_function(rows), expected["decision_values"], rtol=1e-12, atol=1e-12)
    assert getattr(model.learner_, "n_mistakes_", None) == expected["mistakes"]
    save(model, tmp_path / "again")
    assert load(tmp_path / "again").predict(rows).tolist() == expected["labels"]


@pytest.mark.parametrize("name", ["averaged.linsep", "voted-svmlight.linsep", "perceptron-classes.linsep"])
def test_a_file_of_format_1_can_be_trained_further(name: str) -> None:
    model = load(FOLDER / name)
    rows = table_of(name, model.encoder_.target)
    before = model.learner_.t_
    assert model.partial_fit(rows).learner_.t_ == before + len(rows.read().y)


@pytest.mark.parametrize("name", EXPECTED_2)
def test_a_file_of_format_2_predicts_what_it_did(name: str) -> None:
    model, extra = load_with_extra(SECOND / name)
    expected: dict[str, Any] = EXPECTED_2[name]
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


def test_a_positive_class_is_kept() -> None:
    model = load(SECOND / "perceptron-positive.linsep")
    assert (model.positive, model.classes_.tolist()) == ("b", ["not b", "b"])
    assert model.learner_.class_weight == {1: 2.0}
    assert model.learner.class_weight == {"b": 2.0}
