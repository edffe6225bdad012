"""One door for tables: dense, sparse and dataframes alike, and X itself never changed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from linsep import Perceptron, open_data, separability, separation, tables
from linsep.tables import exact_table
from linsep.types import DataError

A = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
SPARSE: list[Any] = [sp.csr_matrix(A), sp.csr_array(A), sp.csc_matrix(A), sp.lil_matrix(A), sp.coo_array(A)]


@pytest.mark.parametrize("X", [A, A.tolist(), pd.DataFrame(A), pl.DataFrame(A), *SPARSE])
def test_every_kind_of_table_becomes_an_array_or_a_csr_matrix(X: Any) -> None:
    table = tables.as_table(X)
    assert tables.is_matrix(table)
    assert tables.is_sparse(table) == sp.issparse(X) == (getattr(table, "format", None) == "csr")
    assert tables.dense(table).tolist() == A.tolist()
    assert tables.stored(table)[tables.stored(table) != 0].tolist() == [2, 3, 4]
    tables.check_finite(table)
    tables.check_length(table, [0, 1])


def test_an_array_and_a_csr_matrix_are_not_copied() -> None:
    X = sp.csr_matrix(A)
    assert tables.as_table(A) is A and tables.as_floats(A) is A and tables.dense(A) is A and tables.stored(A) is A
    assert tables.merge_duplicates(A) is A and tables.merge_duplicates(X) is X and tables.stored(X) is X.data
    assert tables.as_floats(A, np.float32).dtype == np.float32


def test_names_come_from_dataframes_alone() -> None:
    columns = {"a": [1.0], "b": [2.0]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert tables.column_names(frame) == ["a", "b"]
        assert not tables.is_matrix(frame)
    assert tables.column_names(A) is tables.column_names(SPARSE[0]) is tables.column_names(A.tolist()) is None


def test_repeated_entries_are_added_in_a_copy() -> None:
    X = sp.csr_matrix((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    merged = tables.merge_duplicates(X)
    assert merged.data.tolist() == [3.0, 5.0] and merged.indices.tolist() == [1, 0]
    assert X.data.tolist() == [1.0, 2.0, 5.0]
    assert tables.exact_table(X).data.tolist() == [3.0, 5.0] and X.nnz == 3


@pytest.mark.parametrize("kind", ["coo", "csr", "csc"])
@pytest.mark.parametrize("values", [[0.1, 0.2, 1.0], [2.0**53, 1.0, 1.0]])
def test_no_proof_is_about_repeated_floats_that_rounding_adds_up(kind: str, values: list[float]) -> None:
    at = np.array([0, 1, 1]), np.array([0, 2, 2])
    X = sp.coo_matrix((np.array(values), at), shape=(2, 3))
    if kind != "coo":
        data = np.array(values), *((at[1], np.array([0, 1, 3])) if kind == "csr" else (at[0], np.array([0, 1, 1, 3])))
        X = getattr(sp, f"{kind}_matrix")(data, shape=(2, 3))
    assert X.nnz == 3
    with pytest.raises(DataError, match="several times in one place"):
        tables.exact_table(X)
    X.sum_duplicates()
    assert tables.exact_table(X).shape == (2, 3)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csr_array])
def test_the_first_entry_that_is_not_finite_is_named(make: Any, value: float) -> None:
    X = A.copy()
    X[1, 0] = X[1, 2] = value
    for check in (tables.check_finite, tables.exact_table):
        with pytest.raises(DataError, match=rf"^row 1 .counted from 0., column 0: {value} is not a finite number$"):
            check(make(X))


def test_rows_without_entries_do_not_shift_the_row_that_is_named() -> None:
    X = sp.csr_matrix((np.array([np.nan]), np.array([2]), np.array([0, 0, 0, 1, 1])), shape=(4, 3))
    with pytest.raises(DataError, match=r"row 2 .counted from 0., column 2"):
        tables.check_finite(X)


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (2,), (1, 1, 1), ()])
def test_what_is_not_a_table_is_refused(shape: tuple[int, ...]) -> None:
    for check in (tables.as_table, tables.exact_table):
        with pytest.raises(DataError, match=r"X must be a table .* its shape is"):
            check(np.zeros(shape))


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.array([["a"]]), "X must hold numbers in every column: could not convert"),
        (np.array([[{}]], dtype=object), "X must hold numbers in every column"),
        (np.array([[10**400]], dtype=object), "X must hold numbers in every column"),
        (np.array([[1j]]), "complex numbers"),
    ],
)
def test_what_is_not_a_number_is_refused(X: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        tables.as_floats(X)


@pytest.mark.parametrize("y", [[0], [0, 1, 1], 3, []])
def test_another_number_of_labels_is_refused(y: Any) -> None:
    with pytest.raises(DataError, match=r"X has 2 rows and y [013] labels: one label a row"):
        tables.check_length(A, y)


def test_exact_tables_keep_what_was_given() -> None:
    big = np.array([[2**70, Fraction(1, 3)], [np.int64(3), 0.5]], dtype=object)
    kept = tables.exact_table(big)
    assert kept.tolist() == [[2**70, Fraction(1, 3)], [3, 0.5]] and type(kept[1, 0]) is int
    assert tables.exact_table(np.array([[2**63 - 1]])).dtype == np.int64
    assert tables.exact_table(np.array([[True]])).dtype == np.float64
    for X in (np.array([[1j]]), np.array([["a"]]), np.array([[1.0]], dtype=np.longdouble)):
        with pytest.raises(DataError, match="numbers of at most 64 bits or Python integers"):
            tables.exact_table(X)
    for value in (np.nan, "a", None, 1j):
        with pytest.raises(DataError, match=r"row 0 .counted from 0., column 1: .* is not a finite number"):
            tables.exact_table(np.array([[1, value]], dtype=object))


@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_array, sp.csr_matrix, sp.dia_array, sp.bsr_array])
def test_proofs_take_sparse_arrays_as_sparse_matrices(form: Any) -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [1.0, 1.0]]), [0, 0, 1, 1]
    assert separability(form(X), y).verdict == separability(X, y).verdict == "separable"
    assert separability(form(X), [0, 1, 1, 0]).verdict == separability(X, [0, 1, 1, 0]).verdict
    assert separation(form(X), y).verdict == separation(X, y).verdict == "complete"


@pytest.mark.parametrize("kind", ["list", "pandas", "arrow", "polars"])
def test_integers_that_floats_beside_them_would_round_are_kept(kind: str) -> None:
    rows: Any = [[2**53, 0.5], [2**53 + 1, 0.5]]
    if kind != "list":
        columns = {"a": [2**53, 2**53 + 1], "b": [0.5, 0.5]}
        made: Any = {"pandas": pd.DataFrame, "arrow": pa.table, "polars": pl.DataFrame}[kind]
        rows = made(columns)
    table = exact_table(rows)
    assert table.tolist() == [[2**53, 0.5], [2**53 + 1, 0.5]] and type(table[1, 0]) is int
    found = separability(rows, ["a", "b"])
    assert (found.verdict, separation(rows, ["a", "b"]).verdict) == ("separable", "complete")


def test_a_sparse_matrix_that_calls_itself_canonical_is_not_believed() -> None:
    X = sp.csr_matrix((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    X.has_canonical_format = True
    assert exact_table(X).toarray().tolist() == [[3.0, 5.0]]


def test_a_memoryview_is_a_table() -> None:
    assert exact_table(memoryview(cast(Any, np.eye(2)))).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_an_entry_in_a_column_that_is_not_there_is_refused() -> None:
    X = sp.csr_matrix((np.ones(3), np.array([0, 5, 1]), np.arange(4)), shape=(3, 2))
    with pytest.raises(DataError, match="of 2 columns has an entry in a column that is not there"):
        tables.exact_table(X)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize(
    ("part", "place", "value", "why"),
    [
        ("indices", 1, 900_000_000, "that is not there"),
        ("indices", 0, -1, "that is not there"),
        ("indptr", 1, 900_000_000, "is damaged"),
        ("indptr", 0, 1, "is damaged"),
        ("indptr", 3, 4, "is damaged"),
    ],
)
def test_a_sparse_matrix_that_points_outside_of_itself_is_refused(
    kind: Any, part: str, place: int, value: int, why: str
) -> None:
    """Compiled code would follow it: fit ended in a segmentation fault."""
    sound, X = kind(np.eye(3)), kind(np.eye(3))
    getattr(X, part)[place] = value
    y, model = [0, 1, 0], Perceptron().fit(sound, [0, 1, 0])
    asked: list[Callable[[], Any]] = [lambda: Perceptron().fit(X, y), lambda: model.predict(X)]
    asked += [lambda: Perceptron().partial_fit(X, y, classes=[0, 1]), lambda: separability(X, y)]
    asked.append(lambda: open_data((X, y)).read())
    for one in asked:
        with pytest.raises(DataError, match=why):
            one()


def test_a_subclass_of_a_sparse_matrix_is_taken_as_its_three_arrays() -> None:
    class Other(sp.csr_matrix):
        def __getitem__(self, key: Any) -> Any:
            return 7

    assert type(tables.exact_table(Other(np.eye(2)))) is sp.csr_matrix
