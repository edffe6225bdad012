"""Large sparse designs by elimination modulo a prime: exact solutions, and the same answers as by FLINT."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from linsep import separation
from linsep.clock import clock
from linsep.kernels.elimination import eliminate
from linsep.theory.cone.digits import SparseFactors, WholeColumns
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError, until
from linsep.theory.verify.cone import CertificateError
from linsep.theory.verify.exact import rank_is
from linsep.types import Array


def table(rng: np.random.Generator, n: int, p: int, kind: str) -> Any:
    found = rng.integers(-2, 3, (n, p)) * (rng.random((n, p)) < 0.4).astype(float)
    if kind == "decimals":
        found[:, 0] = np.round(rng.normal(size=n), 3)
    elif kind == "normal":
        found[:, :2] = rng.normal(size=(n, 2)) * [1e-9, 1e9]
    return sp.csr_matrix(found)


def exactly(Z: Any, vector: dict[int, int]) -> list[Fraction]:
    return [
        sum((Fraction(v) * vector.get(j, 0) for j, v in enumerate(row)), Fraction(0)) for row in Z.toarray().tolist()
    ]


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 12),
    p=st.integers(2, 9),
    kind=st.sampled_from(["whole", "decimals", "normal"]),
)
def test_weights_and_null_vectors_are_exact(seed: int, n: int, p: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    Z = table(rng, n, p, kind)
    whole = WholeColumns(Z, NEVER)
    factors = SparseFactors(whole, rng.permutation(n), NEVER)
    rank = len(factors.ids)
    assert rank_is(Z, rank)
    assert not rank_is(Z, rank + 1)
    for j in sorted(set(range(p)) - set(factors.pivots.tolist())):
        vector = factors.completed(rank, {j: 1}, NEVER)
        assert vector is not None
        assert vector[j] > 0
        assert not any(exactly(Z, vector))
    goal = [int(v) for v in rng.integers(-(10**9), 10**9, p)]
    found = factors.weights(rank, goal, NEVER)
    assert found is not None
    weights, q = found
    assert q > 0
    scale = [Fraction(2) ** int(e) for e in factors.whole.exps]
    rows = Z.toarray().tolist()
    for j in factors.pivots.tolist():
        terms = (u * Fraction(rows[i][j]) for u, i in zip(weights, factors.ids.tolist(), strict=True))
        assert sum(terms, Fraction(0)) * scale[j] == q * goal[j]


def test_the_clock_ends_the_elimination_in_the_middle() -> None:
    rng = np.random.default_rng(0)
    Z = table(rng, 12, 9, "whole")
    passed = Deadline(clock() - 1)
    with pytest.raises(OutOfTimeError):
        SparseFactors(WholeColumns(Z, NEVER), np.arange(12), passed)
    residues = sp.csr_matrix(abs(Z))
    parts = [part.astype(np.int64) for part in (residues.indptr, residues.indices, residues.data)]
    asked = (tuple(parts), 9, np.arange(12), np.ones(9, dtype=np.int64), 2**31 - 1)
    whole, ended = (eliminate(*asked, np.array([stop])) for stop in (False, True))
    assert (len(whole[0]) > 0, len(ended[0])) == (True, 0)


def test_work_in_a_thread_is_told_to_stop() -> None:
    told: list[bool] = []
    deadline = Deadline()

    def work(stop: Array) -> None:
        deadline.at = -np.inf  # as Ctrl-C does
        while not stop[0]:
            pass
        told.append(bool(stop[0]))

    with pytest.raises(OutOfTimeError):
        until(deadline, work)
    assert told == [True]


def dummies_and_numbers(rng: np.random.Generator, n: int, decimals: int) -> Any:
    a, b = rng.integers(0, 6, n), rng.integers(0, 4, n)
    one, at = np.ones(n), np.arange(n)
    parts = [sp.csr_matrix((one, (at, a)), shape=(n, 6))[:, 1:], sp.csr_matrix((one, (at, b)), shape=(n, 4))[:, 1:]]
    numbers = np.round(rng.normal(size=(n, 2)), decimals)
    if decimals == 0:
        numbers[:, 0] = parts[0] @ rng.integers(-2, 3, 5) + 2  # a combination of the dummies
    return sp.csr_matrix(sp.hstack([*parts, sp.csr_matrix(numbers)]))


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(6, 40),
    share=st.sampled_from([0.1, 0.3, 0.6]),
    family=st.sampled_from(["logistic", "poisson", "multinomial"]),
    decimals=st.integers(0, 3),
)
def test_systems_solved_by_flint_say_the_same(seed: int, n: int, share: float, family: Any, decimals: int) -> None:
    rng = np.random.default_rng(seed)
    X = dummies_and_numbers(rng, n, decimals)
    y = rng.integers(0, 3, n) if family == "multinomial" else (rng.random(n) < share).astype(int)
    assume(y.min() < y.max())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linsep.theory.cone.faces.LARGE", 0)
        found = separation(X, y, family=family)
    found.verify(X, y)
    other = separation(X.toarray(), y, family=family)
    assert (found.verdict, found.separated_rows, found.rank) == (other.verdict, other.separated_rows, other.rank)
    assert found.coefficients == other.coefficients
    assert found.pairs == other.pairs


@pytest.fixture
def few_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.theory.cone.faces.LARGE", 0)


def large(family: str, n: int = 800) -> tuple[Any, Array]:
    """Two factors and two numbers; no success at some levels, and a direction across columns for some rows."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 40, n), rng.integers(0, 40, n)
    one, at = np.ones(n), np.arange(n)
    parts: list[Any] = [sp.csr_matrix((one, (at, v)), shape=(n, 40))[:, 1:] for v in (a, b)]
    y = (rng.random(n) < 0.5).astype(int)
    y[(a > 0) & (a < 8)] = 0
    numbers = np.column_stack([np.round(rng.normal(size=n), 2), rng.normal(size=n)])
    X = sp.csr_matrix(sp.hstack([*parts, sp.csr_matrix(numbers)]))
    return X, 3 * y if family == "poisson" else y


@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_dummies_beside_numbers(family: Any, few_are_large: None) -> None:
    X, y = large(family)
    found = separation(X, y, family=family)
    found.verify(X, y)
    assert found.verdict == "quasi-complete"
    assert all(found.coefficients[f"x{j}"] == -np.inf for j in range(1, 8))
    assert found.coefficients["x79"] == found.coefficients["x80"] == "finite"
    proof = found.proof
    assert proof is not None
    cone = proof.cone
    assert cone.basis is not None
    i, weight = next(iter(cone.weights.items()))
    of_cone: list[dict[str, Any]] = [
        {"weights": {**cone.weights, i: weight + 1}},
        {"weights": {k: v for k, v in cone.weights.items() if k != i}},
        {"basis": cone.basis[1:]},
        {"null": cone.null[:-1]},
    ]
    parts: list[dict[str, Any]] = [{"cone": replace(cone, **part)} for part in of_cone]
    parts.append({"signs": {**proof.signs, 1: {cone.basis[0]: 1}}})
    for part in parts:
        with pytest.raises(CertificateError):
            replace(found, proof=replace(proof, **part)).verify(X, y)


def test_a_direction_that_no_column_has_alone(few_are_large: None) -> None:
    rng = np.random.default_rng(0)
    X, y = large("logistic")
    # The last rows lie on the right side of a plane through the two numbers, on which the other rows are 0 too.
    more = np.zeros((40, X.shape[1] + 2))
    more[:, -2:] = rng.integers(-5, 6, (40, 2))
    more = more[more[:, -2] != more[:, -1]]
    X = sp.csr_matrix(sp.vstack([sp.hstack([X, sp.csr_matrix((X.shape[0], 2))]), sp.csr_matrix(more)]))
    y = np.append(y, more[:, -2] > more[:, -1])
    found = separation(X, y)
    found.verify(X, y)
    assert set(range(800, len(y))) <= set(found.separated_rows)
    assert (found.coefficients["x81"], found.coefficients["x82"]) == (np.inf, -np.inf)
