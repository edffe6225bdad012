"""X and y are paired by position, so an index that says otherwise is refused; text in a dataframe is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import linsep
from linsep import (
    MLP,
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    Rocchio,
    TableModel,
    max_margin,
    mistake_bounds,
    open_data,
    plots,
    separability,
    separation,
)
from linsep.types import DataError

FRAME = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0]}, index=[4, 7, 2, 9])
Y = pd.Series([0, 0, 1, 1], index=FRAME.index)
TURNED = pd.Series([0, 0, 1, 1], index=FRAME.index[::-1])
FITTED = Perceptron().fit(FRAME, Y)

DOORS: dict[str, Callable[[Any, Any], Any]] = {
    "Perceptron.fit": lambda X, y: Perceptron().fit(X, y),
    "KernelPerceptron.fit": lambda X, y: KernelPerceptron().fit(X, y),
    "Rocchio.fit": lambda X, y: Rocchio().fit(X, y),
    "MLP.fit": lambda X, y: MLP().fit(X, y),
    "partial_fit": lambda X, y: AveragedPerceptron().partial_fit(X, y, classes=[0, 1]),
    "score": FITTED.score,
    "TableModel.fit": lambda X, y: TableModel().fit(X, y),
    "TableModel.partial_fit": lambda X, y: TableModel().partial_fit(X, y, classes=[0, 1]),
    "TableModel.score": lambda X, y: TableModel().fit(FRAME, Y).score(X, y),
    "open_data": lambda X, y: open_data((X, y)).read(),
    "fit_stream": lambda X, y: linsep.fit_stream((X, y)),
    "separability": separability,
    "max_margin": max_margin,
    "mistake_bounds": lambda X, y: mistake_bounds(X, y, [1.0, 0.0], -1.5),
    "separation": separation,
    "plot_points": plots.plot_points,
    "plot_margins": lambda X, y: plots.plot_margins(FITTED, X, y),
    "report": lambda X, y: linsep.report(FITTED, X, y),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("door", DOORS)
def test_rows_and_labels_of_different_index_are_not_paired(door: str) -> None:
    with pytest.raises(DataError, match=r"row 0 .counted from 0. is called 4 in X and 9 in y: give y\.loc"):
        DOORS[door](FRAME, TURNED)
    if door != "report":  # a page takes seconds
        for labels in (Y, TURNED.to_numpy(), TURNED.tolist()):
            DOORS[door](FRAME, labels)
    plt.close("all")


def test_lengths_are_told_as_before() -> None:
    with pytest.raises(DataError, match="X has 4 rows and y 3 labels"):
        separability(FRAME, Y[:3])


def test_an_error_changes_nothing() -> None:
    learner = AveragedPerceptron()
    with pytest.raises(DataError):
        learner.fit(FRAME, TURNED)
    assert not hasattr(learner, "classes_")


# ------------------------------------------------------------------------ text
@pytest.mark.parametrize("kind", [object, "category", "string"])
@pytest.mark.parametrize("ask", [separability, max_margin, lambda X, y: open_data((X, y)).read()])
def test_a_column_of_text_is_named_with_what_to_do(kind: Any, ask: Callable[[Any, Any], Any]) -> None:
    frame = FRAME.assign(city=pd.Series(["Oslo", "Rome"] * 2, index=FRAME.index, dtype=kind))
    with pytest.raises(
        DataError, match=r"column 'city' holds 'Oslo' in row 0 .counted from 0., which is not a number: .*get_dummies"
    ):
        ask(frame, Y)
    assert separability(pd.get_dummies(frame), Y).verdict == separability(FRAME, Y).verdict == "separable"


def test_columns_that_hold_numbers_in_other_ways_are_taken() -> None:
    frame = pd.DataFrame({"a": pd.Series([0, 1, 2, 3], dtype="Int64"), "b": [True, False, True, False]})
    assert separability(frame, [0, 0, 1, 1]).verdict == "separable"
    with pytest.raises(DataError, match="column 'a' holds <NA> in row 1"):
        separability(frame.assign(a=pd.Series([0, None, 2, 3], dtype="Int64")), [0, 0, 1, 1])
    assert np.asarray(frame).dtype == object
