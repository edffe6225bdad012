"""`linsep demo`: the breast-cancer table is separable after all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.preprocessing import StandardScaler

from linsep.app.commands.fit import fit
from linsep.app.present import write_csv
from linsep.app.result import Result, program
from linsep.files import open_output
from linsep.types import StopReason


def demo(folder: Path, say: Callable[[str], None]) -> Result:
    """Train on the breast-cancer table until a clean pass; scikit-learn's perceptron stops earlier."""
    folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    X, label = data.data, data.target_names[data.target]
    theirs = ScikitPerceptron().fit(scaled := StandardScaler().fit_transform(X), label)
    say(f"scikit-learn's Perceptron() on the standardised breast-cancer table, {X.shape[0]} x {X.shape[1]}: stops")
    say(f"after {theirs.n_iter_} epochs at {theirs.score(scaled, label):.1%} training accuracy, without a message.")
    say("linsep fits the same table until a whole pass is clean:\n")
    names = [name.replace(" ", "_") for name in data.feature_names]
    table = folder / "breast_cancer.csv"
    with open_output(table, "the table") as stream:
        write_csv(pa.table({**dict(zip(names, X.T, strict=True)), "diagnosis": label}), stream)
    model = folder / "breast_cancer.linsep"
    result = fit(table, target="diagnosis", positive="benign", learner="perceptron", max_iter=None, time_limit=60.0,
                 holdout=0.2, model=model)  # fmt: skip
    assert result.data["stop_reason"] == StopReason.CLEAN_PASS
    result.closing = (
        f"\nThe table is {table}, the model {model}. Next:\n"
        f"  {program()} show {model}\n"
        f"  {program()} check {table} --target diagnosis\n"
        f"  {program()} explore {table} --target diagnosis --set max_iter=300000\n"
    )
    return result
