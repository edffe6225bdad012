"""class_weight and sample_weight of `linsep fit`: what the learner is given, and what is no longer claimed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from in_process import linsep
from linsep import (
    AveragedPerceptron,
    DataError,
    KernelPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    TableModel,
    fit_table,
    load,
    open_data,
    report,
    save,
)


@pytest.fixture
def frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    made = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80).round(3), "w": rng.integers(1, 4, 80)})
    made["y"] = (made.a + rng.normal(size=80) > 0.8).astype(int)
    made.to_csv("t.csv", index=False)
    return made


def fit(*words: Any, status: int = 0) -> Any:
    return linsep("fit", "t.csv", "--target", "y", "--max-iter", 4, *words, status=status)


@pytest.mark.parametrize("positive", [None, "0"])
def test_class_weight_is_that_of_the_learner(frame: pd.DataFrame, positive: str | None) -> None:
    more = () if positive is None else ("--positive", positive)
    fit("--learner", "averaged", *more, "--set", "class_weight=balanced", "--json")
    learner = AveragedPerceptron(max_iter=4, random_state=0, class_weight="balanced")
    own = TableModel(learner, positive=positive).fit(frame[["a", "b", "w"]], frame.y)
    assert load("model.linsep").learner_.coef_.tolist() == own.learner_.coef_.tolist()


def test_weights_of_rows_are_no_feature(frame: pd.DataFrame) -> None:
    data = json.loads(fit("--learner", "averaged", "--set", "sample_weight=w", "--holdout", 0.25, "--json").stdout)
    own = TableModel(AveragedPerceptron(max_iter=4, random_state=0))
    own.fit(frame[["a", "b"]], frame.y, sample_weight=frame.w.to_numpy(dtype=float))
    model = load("model.linsep")
    assert model.encoder_.feature_names_ == ["a", "b"]
    assert model.learner_.coef_.tolist() == own.learner_.coef_.tolist()
    assert data["bounds"] == []
    assert 0 < data["held_out_accuracy"] <= 1


@pytest.mark.parametrize("given", [{"sample_weight": "w"}, {}])
def test_no_bound_is_claimed_of_weighted_steps(frame: pd.DataFrame, given: dict[str, Any]) -> None:
    weights = None if given else {0: 2.0}
    source = open_data(frame, target="y")
    found = fit_table(source, Perceptron(max_iter=2, class_weight=weights), **given)
    assert dict(found.receipt.details)["mistake bounds"].startswith("none: they are about unit steps")
    assert not any(label.startswith("bound:") for label, _ in found.receipt.details)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_report_claims_no_bound_of_another_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, others = np.eye(2), rng.normal(size=(300, 2))
    y, labels = np.array([1, 0]), (others[:, 0] + rng.normal(size=300) > 0).astype(int)
    weights = [1.0, 500.0]
    weighted: list[Any] = [Perceptron(max_iter=None), KernelPerceptron("linear"), PassiveAggressive(variant="pa")]
    for learner in weighted:
        save(learner.fit(X, y, sample_weight=weights), tmp_path / "m")
        for model in (learner, load(tmp_path / "m")):
            assert "none: they are about unit steps" in report(model, X, y).html
            assert "mistakes of" not in report(model, X, y).html
        assert "mistakes of" in report(learner.fit(X, y, sample_weight=[1.0, 1.0]), X, y).html
    with pytest.raises(DataError, match="about unit steps, and rows had weights"):
        weighted[1].fit(X, y, sample_weight=weights).mistake_bound(1.0, 0.0)
    elsewhere = Perceptron(max_iter=20).fit(others, labels)
    assert "mistakes of" in report(elsewhere, others, labels).html
    assert "mistakes of" not in report(elsewhere, X, y).html  # a page leaves out what does not apply
    again = elsewhere.set_params(warm_start=True).fit(X, y)
    assert "one with warm_start may begin elsewhere" in report(again, X, y).html


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--set", "class_weight=heavy"], "invalid choice: 'heavy'"),
        (
            ["--set", "class_weight=balanced", "--learner", "kernel"],
            "class_weight is not a parameter of --learner kernel",
        ),
        (["--set", "sample_weight=none"], "there is no column called 'none' beside the label"),
        (["--set", "sample_weight=y"], "there is no column called 'y' beside the label"),
        (["--set", "sample_weight=w", "--learner", "auto"], "the learner auto takes no weights of rows"),
    ],
)
def test_what_cannot_be_used_is_said(frame: pd.DataFrame, more: list[str], message: str) -> None:
    assert message in fit(*more, status=2).stderr
    assert not Path("model.linsep").exists()


def test_a_stream_takes_no_weights(frame: pd.DataFrame) -> None:
    done = linsep("fit", "t.csv", "--target", "y", "--stream", "--set", "class_weight=balanced", status=2)
    assert "--set class_weight" in done.stderr


def test_a_column_of_text_is_no_weight(frame: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="column 'b' holds text where numbers are needed"):
        fit_table(open_data(frame.assign(b="x"), target="y"), MarginPerceptron(), sample_weight="b")
