"""Designs whose rank holds only up to rounding: signs are found in another basis, without an exact search for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from linsep import separation
from linsep.theory.rows.integers import whole_rows
from linsep.theory.separation import find
from linsep.theory.separation.coefficient_signs import even_basis
from linsep.types import Array


def nearly_dependent(seed: int, n: int, p: int, k: int, eps: float) -> tuple[Array, Array]:
    """Coin tosses and columns of which the last k are combinations of the others up to eps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    for j in range(k):
        X[:, -1 - j] = X[:, : p - k] @ rng.normal(size=p - k) + eps * rng.normal(size=n)
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("eps", [1e-12, 1e-15, 1e-16])
@pytest.mark.parametrize("drawn", [(0, 20, 10, 1), (4, 24, 12, 2), (5, 24, 12, 2)])
def test_no_coefficient_needs_an_exact_search(
    drawn: tuple[int, int, int, int], eps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = nearly_dependent(*drawn, eps)
    asked: list[int] = []
    search = find._ask_cone

    def counted(Z: Any, proof: Any, j: int, *rest: Any) -> None:
        asked.append(j)
        search(Z, proof, j, *rest)

    monkeypatch.setattr(find, "_ask_cone", counted)
    found = separation(X, y)
    assert found.verdict == "complete"
    assert asked == []
    found.verify(X, y)
    # In the basis of the coefficients doubles see nothing, and exact searches say the same.
    monkeypatch.setattr(find, "even_basis", lambda rows, null: (null, None))
    assert separation(X, y).coefficients == found.coefficients
    assert asked


@given(st.integers(0, 2**32), st.integers(2, 5), st.floats(1e-18, 1e-4))
def test_the_span_is_the_same_and_the_products_are_those(seed: int, k: int, eps: float) -> None:
    rng = np.random.default_rng(seed)
    p, n = 6, 12
    null: list[dict[int, int]] = [{int(j): int(v) for j, v in enumerate(rng.integers(-3, 4, p)) if v} for _ in range(k)]
    null = [{a: 5, **{j: v for j, v in v.items() if j != a}} for a, v in enumerate(null)]
    rows = rng.normal(size=(n, p))
    rows[:, -1] = rows[:, 0] + eps * rng.normal(size=n)
    before = fmpz_mat([[v.get(j, 0) for j in range(p)] for v in null])
    vectors, products = even_basis(rows, null)
    after = fmpz_mat([[v.get(j, 0) for j in range(p)] for v in vectors])
    both = fmpz_mat([*before.tolist(), *after.tolist()])
    assert after.rank() == both.rank() == before.rank()
    if products is None:
        assert vectors is null
        return
    exact = fmpz_mat([row for row, _ in whole_rows(rows, range(n))]) * after.transpose()
    tops = [max(map(abs, v.values())).bit_length() for v in vectors]
    for mine, row in zip(products.tolist(), exact.tolist(), strict=True):
        true = [int(v) / 2**e for v, e in zip(row, tops, strict=True)]
        scale = mine[0] / true[0]
        assert scale > 0
        assert mine == pytest.approx([scale * v for v in true], rel=1e-12)
