"""Verdicts on real tables: they need the folder that DATA_PKGS names, and the module `loaders` that reads it."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.decide import separability
from linsep.types import Array

# The loaders leave closing their files to the collector, and call what pandas is about to rename.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Series.dt.dayofweek"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SHARED = Path(os.environ.get("LINSEP_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
PACKAGES = os.environ.get("DATA_PKGS", "")


@pytest.fixture(scope="module")
def loaders() -> Any:
    if not PACKAGES or not Path(PACKAGES).is_dir():
        pytest.skip("DATA_PKGS does not name the folder of the real data")
    if not (SHARED / "loaders.py").is_file():
        pytest.skip(f"no loaders.py in {SHARED}")
    if str(SHARED) not in sys.path:
        sys.path.insert(0, str(SHARED))
    return importlib.import_module("loaders")


@pytest.fixture(scope="module")
def digits(loaders: Any) -> tuple[Array, Array]:
    X, y = loaders.mnist()
    return X[:10_000], y[:10_000]


def table(loaders: Any, name: str) -> tuple[Array, Array]:
    pytest.importorskip("pyreadr")
    frame, labels = loaders.rda("mlbench", name, "Class")
    return frame.astype(float).to_numpy(), labels


def test_sonar_is_separable(loaders: Any) -> None:
    X, y = table(loaders, "Sonar")
    found = separability(X, y)
    found.verify(X, y)
    assert (found.verdict, found.fragile) == ("separable", False)


def test_ionosphere_is_separated_by_its_first_column_alone(loaders: Any) -> None:
    X, y = table(loaders, "Ionosphere")
    found = separability(X, y)
    found.verify(X, y)
    assert (found.verdict, found.separated_rows.size) == ("quasi-separable", 38)
    assert found.separated_rows.tolist() == np.flatnonzero(X[:, 0] == 0).tolist()


def test_words_separate_spam(loaders: Any) -> None:
    mails, spam = loaders.spamassassin()
    X = loaders.bow(mails, min_df=2)
    found = separability(X, spam)
    found.verify(X, spam)
    assert found.verdict == "separable"
    assert len(found.directions) == 2
    assert found.hyperplane is not None


def test_digit_zero_is_separable_from_the_rest(digits: tuple[Array, Array]) -> None:
    X, y = digits
    found = separability(X, y == 0)
    found.verify(X, y == 0)
    assert found.verdict == "separable"


def test_digit_eight_is_not(digits: tuple[Array, Array]) -> None:
    X, y = digits
    found = separability(X, y == 8)
    found.verify(X, y == 8)
    assert (found.verdict, found.separated_rows.size) == ("quasi-separable", 2255)
    assert found.witness is not None
    assert found.overlap is not None
    assert len(found.witness.rows) <= 505
    assert len(found.overlap.rows) <= 2 * 504


@pytest.mark.parametrize(("digit", "low", "high"), [(0, 0.0794306, 0.0794380), (1, 0.0442631, 0.0442675)])
def test_margins_of_digits(digits: tuple[Array, Array], digit: int, low: float, high: float) -> None:
    X, y = digits
    found = max_margin(X / 255.0, y == digit, bias="homogeneous", tol=1e-4)
    assert found.upper - found.lower <= 1e-4 * found.upper
    assert found.lower <= high
    assert found.upper >= low


def test_a_category_that_occurs_once_is_all_that_separates_flights(loaders: Any) -> None:
    pytest.importorskip("pyarrow")
    X, late = loaders.flights_3m()
    found = separability(X, late)
    assert (found.verdict, found.separated_rows.size) == ("quasi-separable", 1)
    assert found.witness is not None
    assert len(found.witness.rows) == 2
    assert found.witness.weights == (1, 1)
    i, j = found.witness.rows
    assert (X[i] != X[j]).nnz == 0
    assert late[i] != late[j]
