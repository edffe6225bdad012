"""Large sparse tables are scaled, and their worst rows found, a few entries at a time: the same numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import linsep.theory.rows.signed as powers
from linsep import separability
from linsep.theory.cone.guess import _least
from linsep.theory.rows.signed import scale_rows
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array

SIZES = [0.0, 1.0, -3.0, 0.1, 2.0**40, -(2.0**-200), 2.0**300]


@pytest.mark.parametrize("together", [1, 3, 2**18])
@given(
    X=arrays.arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.sampled_from(SIZES)),
    seed=st.integers(0, 2**32 - 1),
)
def test_scaled_entries_are_those_of_the_definition(together: int, X: Array, seed: int) -> None:
    """s_i x_ij 2^-(columns_j + rows_i), exactly wherever a double holds it."""
    s = np.random.default_rng(seed).choice([-1.0, 1.0], len(X))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(powers, "TOGETHER", together)
        found = scale_rows(sp.csr_matrix(X), s, constant=False, whole=False)
    Z = found.table.toarray()
    for i, j in np.ndindex(*X.shape):
        exact = Fraction(float(s[i] * X[i, j])) * Fraction(2) ** -int(found.columns[j] + found.rows[i])
        assert Z[i, j] == float(exact)
    whole = scale_rows(sp.csr_matrix(X), s, constant=False, whole=False)
    assert Z.tobytes() == whole.table.toarray().tobytes()
    assert found.rows.tolist() == whole.rows.tolist() and found.columns.tolist() == whole.columns.tolist()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    ("y", "verdict"), [([1, 1, -1], "quasi-separable"), ([1, -1, 1], "quasi-separable"), ([-1, 1, 1], "separable")]
)
def test_a_row_that_no_scale_brings_near_one_is_decided_all_the_same(form: Any, y: list[int], verdict: str) -> None:
    X = np.full((3, 4), 5e-324)
    X[0, 0] = 1e301
    assert separability(form(X), np.array(y)).verdict == verdict


@given(
    z=arrays.arrays(np.float64, st.integers(0, 30), elements=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 7.0, np.inf])),
    k=st.integers(0, 40),
)
def test_the_least_are_those_of_a_stable_sort(z: Array, k: int) -> None:
    assert _least(z, k).tolist() == np.argsort(z, kind="stable")[:k].tolist()


def repeated(X: Array) -> Any:
    """Each entry of X in three parts, v, v and -v."""
    table = sp.csr_matrix(X)
    parts = (np.repeat(table.data, 3) * np.tile([1, 1, -1], table.nnz), np.repeat(table.indices, 3), 3 * table.indptr)
    return sp.csr_matrix(parts, shape=X.shape)


@pytest.mark.parametrize(
    "form", [np.asarray, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.lil_matrix, sp.dok_matrix, repeated]
)
def test_a_proof_holds_in_any_format(form: Any) -> None:
    first = np.array([1.0, 1.0, -1.0, -1.0, 2.0, 2.0])
    X, y = np.column_stack([first, 2 * first, 3 * first, 0 * first]), [0, 1, 0, 1, 0, 1]
    found = separability(X, y)
    assert (found.verdict, len(found.null)) == ("inseparable", 3)
    found.verify(form(X), y)
    X[5, 2] = 7.0
    with pytest.raises(CertificateError, match=r"not orthogonal|do not add up to 0"):
        found.verify(form(X), y)
