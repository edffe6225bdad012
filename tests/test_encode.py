"""The encoder: scikit-learn's numbers, one indicator a level, the same for later tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from linsep.data.encode import TableEncoder
from linsep.data.open import open_data
from linsep.types import DataError


def source(**columns: Any) -> Any:
    return open_data(pa.table(columns), target="y" if "y" in columns else None)


def test_numbers_are_standardised_as_scikit_learn_does() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    rows = open_data((X, y))
    ours = TableEncoder().fit(rows).transform(rows).X
    np.testing.assert_allclose(ours, StandardScaler().fit_transform(X), rtol=1e-12, atol=1e-12)


def test_sparse_rows_are_scaled_and_not_centred() -> None:
    X = sp.random(50, 6, 0.3, format="csr", random_state=0)
    rows = open_data((X, np.arange(50) % 2))
    ours = TableEncoder().fit(rows).transform(rows).X
    theirs = StandardScaler(with_mean=False).fit_transform(X)
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-12)


def test_constant_columns_become_zero() -> None:
    rows = source(a=[0.1, 0.1, 0.1], y=[0, 1, 0])
    assert TableEncoder().fit(rows).transform(rows).X.tolist() == [[0.0], [0.0], [0.0]]


def test_unknown_categories_are_counted_and_encode_as_nothing() -> None:
    encoder = TableEncoder().fit(source(a=[1.0, 3.0], b=["u", "v"], y=[0, 1]))
    later = encoder.transform(source(b=["w", "v", "w"], a=[2.0, 2.0, 3.0], extra=[1, 2, 3]))
    assert later.X.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert encoder.unknown_ == {"b": 2}


def test_wide_tables_become_sparse_with_the_same_numbers() -> None:
    levels = [f"l{i:02d}" for i in range(40)]
    rows = source(a=np.arange(40.0), b=levels, y=np.arange(40) % 2)
    encoder = TableEncoder().fit(rows)
    X = encoder.transform(rows).X
    assert X.format == "csr"
    np.testing.assert_array_equal(X.toarray()[:, 1:], np.eye(40))
    assert abs(X.toarray()[:, 0].std() - 1) < 1e-12
    assert X.has_sorted_indices


def test_state_round_trip() -> None:
    rows = source(a=[1.0, 3.0], b=["u", "v"], y=[0, 1])
    encoder = TableEncoder().fit(rows)
    again = TableEncoder.from_state(*encoder.state())
    assert again.feature_names_ == encoder.feature_names_
    np.testing.assert_array_equal(again.transform(rows).X, encoder.transform(rows).X)


@pytest.mark.parametrize(
    ("later", "message"),
    [
        ({"b": ["u"]}, "columns missing: 'a'"),
        ({"a": ["x"], "b": ["u"]}, "row 0, column 'a': 'x' where the model was trained on numbers"),
    ],
)
def test_refuses_tables_that_do_not_fit(later: Any, message: str) -> None:
    encoder = TableEncoder().fit(source(a=[1.0, 3.0], b=["u", "v"], y=[0, 1]))
    with pytest.raises(DataError, match=message):
        encoder.transform(source(**later))


def test_refuses_rows_of_another_kind() -> None:
    encoder = TableEncoder().fit(source(a=[1.0, 3.0], y=[0, 1]))
    with pytest.raises(DataError, match="trained on table"):
        encoder.transform(open_data((np.eye(2), [0, 1])))
