"""Probabilities of every learner with decision values: as scikit-learn calibrates them, saved as plain numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV

from in_process import linsep
from linsep import (
    AveragedPerceptron,
    DataError,
    PassiveAggressive,
    Rocchio,
    TableModel,
    VotedPerceptron,
    iter_predictions,
    load,
    save,
    store,
)

LEARNERS = [
    AveragedPerceptron(random_state=0),
    PassiveAggressive(max_iter=5, random_state=0),
    Rocchio(),
    VotedPerceptron(max_iter=3, random_state=0),
]


def rows(n_classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(120, 4))
    return X, (X[:, 0] + rng.normal(size=120) > 0).astype(int) + (n_classes > 2) * (X[:, 1] > 0.4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_they_are_those_of_scikit_learn_and_of_the_file(learner: Any, n_classes: int, tmp_path: Path) -> None:
    X, y = rows(n_classes)
    model = TableModel(learner, probabilities=True).fit(X, y)
    theirs = CalibratedClassifierCV(clone(learner), cv=5, ensemble=False).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p, theirs.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.predict(X).tolist() == TableModel(learner).fit(X, y).predict(X).tolist()
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.calibration_ == model.calibration_
    assert again.predict_proba(X).tolist() == p.tolist()


def test_without_them_there_are_none() -> None:
    X, y = rows(2)
    assert not hasattr(TableModel(AveragedPerceptron()).fit(X, y), "predict_proba")
    with pytest.raises(DataError, match="learns no further rows"):
        TableModel(AveragedPerceptron(), probabilities=True).partial_fit(X, y, classes=[0, 1])
    model = TableModel(AveragedPerceptron(), probabilities=True)
    with pytest.raises(DataError, match="label 2 has 1 row: for probabilities each label needs 2 rows"):
        model.fit(X[:9], [0, 1, 0, 1, 0, 1, 0, 1, 2])
    assert not hasattr(model, "learner_")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ([[1.0], [2.0, 3.0]], "not 1 slopes and as many offsets"),
        ([[1.0]], "not 1 slopes and as many offsets"),
        ([["a"], [1.0]], "all finite numbers"),
        ([[{"$": ["float", "inf"]}], [1.0]], "all finite numbers"),
    ],
)
def test_a_file_with_another_calibration_is_refused(told: Any, message: str) -> None:
    X, y = rows(2)
    header, arrays = store._header_of(TableModel(AveragedPerceptron(), probabilities=True).fit(X, y), None)
    header["table"]["calibration"] = told
    with pytest.raises(DataError, match=message):
        store._build({**header, "format": 2}, arrays)


def test_the_commands_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    X, y = rows(2)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=np.where(y, "yes", "no"))
    frame.to_csv("t.csv", index=False)
    fit = ("fit", "t.csv", "--target", "y", "--learner", "averaged", "--holdout", 0.4, "--json")
    data = json.loads(linsep(*fit, "--probabilities", "--report", "r.html").stdout)["held_out"]
    assert 0 < data["brier"] < 0.25 and data["rows"] == 48
    linsep("predict", "model.linsep", "t.csv", "--probabilities", "-o", "out.csv")
    written = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    [part] = iter_predictions(load("model.linsep"), frame[list("abcd")], probabilities=True)
    assert part.probabilities is not None
    assert [float(row["probability of yes"]) for row in written] == part.probabilities[:, 1].tolist()
    assert all(float(row["probability of yes"]) + float(row["probability of no"]) == 1 for row in written)
    linsep(*fit)
    refused = linsep("predict", "model.linsep", "t.csv", "--probabilities", status=2)
    assert "train it with probabilities=True (--probabilities)" in refused.stderr
