"""Screening: many designs are answered as each is alone, in one process or several."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linsep import Separation, separation, separation_scan
from linsep.types import DataError


def alike(found: Any, alone: Separation, X: Any, y: Any) -> None:
    assert isinstance(found, Separation)
    for name in ("verdict", "separated_rows", "coefficients", "rank", "n_features", "family", "references"):
        assert getattr(found, name) == getattr(alone, name), name
    found.verify(X, y)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_each_design_says_what_it_says_alone(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, common = data.draw(st.integers(4, 14)), rng.integers(-2, 3, (14, 2)).astype(float)
    poisson = data.draw(st.booleans())
    y = rng.integers(0, 3 if poisson else 2, n)
    y[:2] = 0, 1
    asked: dict[str, Any] = {"family": "poisson"} if poisson else {}
    designs: dict[str, Any] = {
        f"d{k}": np.column_stack([common[:n], rng.integers(-2, 3, n)]) for k in range(data.draw(st.integers(1, 9)))
    }
    if data.draw(st.booleans()):
        designs = {name: sp.csr_matrix(X) for name, X in designs.items()}
    found = separation_scan(designs, y, **asked)
    assert list(found) == list(designs)
    for name, X in designs.items():
        alike(found[name], separation(X, y, **asked), X, y)


def screening(n: int = 300, k: int = 12) -> tuple[pd.DataFrame, Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    base = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd")).assign(ward=rng.choice(list("pqr"), n))
    y = rng.integers(0, 2, n)
    return base, y, {f"snp{j}": base.assign(snp=rng.integers(0, 3, n)) for j in range(k)}


def test_a_separated_design_among_them_does_not_hide() -> None:
    _, y, designs = screening()
    designs["snp7"]["snp"] = y + 1
    designs["snp9"] = designs["snp9"].drop(columns="a")
    designs["bad"] = designs["snp1"].head(3)
    found = separation_scan(designs, y)
    verdicts = {name: one.verdict for name, one in found.items() if isinstance(one, Separation)}
    assert verdicts == dict.fromkeys(list(designs)[:-1], "overlap") | {"snp7": "complete"}
    assert isinstance(found["bad"], str)
    assert "3 rows" in found["bad"]
    alike(found["snp9"], separation(designs["snp9"], y), designs["snp9"], y)


def test_the_workers_of_a_cluster_screen_parts_of_the_designs() -> None:
    distributed = pytest.importorskip("distributed")
    _, y, designs = screening(80, 5)
    with (
        distributed.Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None),
        import_module("joblib").parallel_config(backend="dask"),
    ):
        found = separation_scan(designs, y, n_jobs=2)
    assert list(found) == list(designs)
    for name, X in designs.items():
        alike(found[name], separation(X, y), X, y)


def test_answers_come_back_from_two_processes() -> None:
    _, y, designs = screening()
    designs["snp7"]["snp"] = y + 1
    found = separation_scan(designs, y, n_jobs=2)
    verdicts = {name: one.verdict for name, one in found.items() if isinstance(one, Separation)}
    assert verdicts == dict.fromkeys(designs, "overlap") | {"snp7": "complete"}
    for name, X in designs.items():
        alike(found[name], separation(X, y), X, y)


def test_no_designs_have_no_answers() -> None:
    assert separation_scan([], [0, 1]) == {}


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_folds_have_a_response_each(n_jobs: int | None) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(-2, 3, (40, 3)).astype(float), rng.integers(0, 2, 40)
    X[:, 0] = (np.arange(40) == 3) | (np.arange(40) == 17)  # the level of two rows
    y[[3, 17]] = 0, 1
    kept = {k: np.arange(40) % 5 != k for k in range(5)}
    designs, responses = {k: X[rows] for k, rows in kept.items()}, {k: y[rows] for k, rows in kept.items()}
    folds = separation_scan(designs, responses, n_jobs=n_jobs)
    apart = []
    for k, found in folds.items():
        assert isinstance(found, Separation)
        if "inf" in str(found.coefficients["x1"]):
            apart.append(k)
        assert found.to_json() == separation(designs[k], responses[k]).to_json()
        found.verify(designs[k], responses[k])
    assert apart == [2, 3]  # without one of the two rows the level has one outcome


def test_a_fold_without_a_response_is_told() -> None:
    with pytest.raises(DataError, match="y has no response for the design 'b': give one for each"):
        separation_scan({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, {"a": [0, 1]})
