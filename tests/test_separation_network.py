"""Designs of dummies and of paired comparisons: the search of the graph against the search for tables of any kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linsep import separation
from linsep.regression.found import Separation
from linsep.theory.rows.deadline import NEVER
from linsep.theory.separation.search.by_network import prove_by_network
from linsep.theory.separation.search.network import network_of
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array

KINDS = ["one factor", "two factors", "all levels of one", "all levels of both", "no constant", "pairs"]


def dummies(levels: Array, n_levels: int) -> Any:
    n = len(levels)
    return sp.csr_matrix((np.ones(n), (np.arange(n), levels)), shape=(n, n_levels))


def design(rng: np.random.Generator, kind: str, n: int) -> tuple[Any, bool]:
    """Rows of a kind, and whether the regression has a constant."""
    k, m = rng.integers(2, 7, 2)
    a, b = dummies(rng.integers(0, k, n), k), dummies(rng.integers(0, m, n), m)
    if kind == "pairs":
        first = rng.integers(0, k, n)
        second = (first + rng.integers(1, k, n)) % k
        return dummies(first, k) - dummies(second, k), False
    tables: dict[str, tuple[list[Any], bool]] = {
        "one factor": ([a[:, 1:]], True),
        "two factors": ([a[:, 1:], b[:, 1:]], True),
        "all levels of one": ([a, b[:, 1:]], False),
        "all levels of both": ([a, b], True),
        "no constant": ([a[:, 1:], b[:, 1:]], False),
    }
    parts, constant = tables[kind]
    return sp.csr_matrix(sp.hstack(parts)), constant


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 30),
    share=st.sampled_from([0.1, 0.3, 0.5, 0.8]),
    family=st.sampled_from(["logistic", "poisson"]),
)
def test_the_graph_says_what_the_search_in_floating_point_says(
    kind: str, seed: int, n: int, share: float, family: Any
) -> None:
    rng = np.random.default_rng(seed)
    X, constant = design(rng, kind, n)
    y = (rng.random(n) < share).astype(int)
    assume(y.min() < y.max())
    given_y: Array = y if family == "logistic" else 3 * y
    found = separation(X, given_y, family=family, fit_intercept=constant)
    # As an array the same design is searched without its graph.
    other = separation(X.toarray(), given_y, family=family, fit_intercept=constant)
    assert (found.verdict, found.separated_rows, found.rank) == (other.verdict, other.separated_rows, other.rank)
    assert found.coefficients == other.coefficients
    found.verify(X, given_y)
    read = Separation.from_json(found.to_json())
    read.verify(X, given_y)
    assert read == found


def wide(n: int, levels: int, seed: int = 0) -> tuple[Any, Array]:
    """Two factors of many levels, some of whose levels have no success."""
    rng = np.random.default_rng(seed)
    a, b = (np.concatenate([np.arange(levels), rng.integers(0, levels, n - levels)]) for _ in range(2))
    b = rng.permutation(b)
    y = (rng.random(n) < 0.4).astype(int)
    y[(a > 0) & (a < levels // 20)] = 0
    return sp.csr_matrix(sp.hstack([dummies(a, levels)[:, 1:], dummies(b, levels)[:, 1:]])), y


def test_thousands_of_dummies_are_proved_without_a_dense_table() -> None:
    X, y = wide(20_000, 2_000)
    found = separation(X, y)
    found.verify(X, y)
    assert found.verdict == "quasi-complete"
    assert set(np.flatnonzero(np.asarray(X[:, :99].sum(axis=1)).ravel())) <= set(found.separated_rows)
    assert all(found.coefficients[f"x{j}"] == -np.inf for j in range(1, 100))
    assert found.rank == 3_999
    assert len(found.to_json()) < 4_000_000


def test_what_is_no_network_is_left_to_others() -> None:
    X = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [1, 0, 0]])
    odd = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])  # three levels, each two in a row: no two groups
    for rows in (2 * X, np.hstack([X, X, X]), odd, np.where(np.arange(4)[:, None] % 2, X, -X) * [1, 1, -1]):
        assert network_of(sp.csr_matrix(rows.astype(float))) is None
    assert network_of(sp.csr_matrix((3, 2))) is None
    assert prove_by_network(sp.csr_matrix(odd.astype(float)), np.zeros(3, dtype=bool), NEVER) is None


def test_altered_proofs_of_a_network_are_refused() -> None:
    X, y = wide(400, 80, seed=3)
    X = sp.csr_matrix(sp.hstack([X, sp.csr_matrix((400, 1))]))  # a column of zeros is not identified
    found = separation(X, y)
    found.verify(X, y)
    proof = found.proof
    assert proof is not None
    assert found.coefficients["x159"] == "not identified"
    j, weights = next(iter(proof.signs.items()))
    cone = proof.cone
    assert cone.basis is not None
    i, weight = next(iter(cone.weights.items()))
    of_cone: list[dict[str, Any]] = [
        {"directions": ({k: -v for k, v in cone.directions[0].items()},)},
        {"weights": {**cone.weights, i: weight + 1}},
        {"basis": cone.basis[1:]},
        {"null": cone.null[1:]},
        {"null": ({160: 1}, *cone.null[1:])},
    ]
    parts: list[dict[str, Any]] = [
        *({"cone": replace(cone, **part)} for part in of_cone),
        {"null": proof.null[1:]},
        {"basis": proof.basis[:-1]},
        {"signs": {**proof.signs, j: {}}},
        {"signs": {**proof.signs, j: {**weights, cone.basis[0]: 1}}},
        {"opposite": {j: cone.directions}},
        {"bases": (tuple(range(160)),)},
    ]
    for part in parts:
        with pytest.raises(CertificateError):
            replace(found, proof=replace(proof, **part)).verify(X, y)
