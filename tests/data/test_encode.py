"""The encoder: scikit-learn's numbers, one indicator a level, the same for later tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from linsep import TableModel
from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.open import open_data
from linsep.reporting.scores import iter_predictions, unknown_levels
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


def test_constant_sparse_columns_keep_their_value() -> None:
    rows = open_data((sp.csr_matrix([[0.1, 0.0], [0.1, 2.0], [0.1, 0.0]]), [0, 1, 0]))
    encoded = TableEncoder().fit(rows).transform(rows).X
    np.testing.assert_array_equal(encoded[:, [0]].toarray(), [[0.1], [0.1], [0.1]])


def test_numbers_too_large_to_square_are_refused() -> None:
    with pytest.raises(DataError, match="column 'a': numbers too large to be standardised"):
        TableEncoder().fit(source(b=[1.0, 2.0], a=[1e200, -1e200], y=[0, 1]))


@pytest.mark.parametrize("width", [1, 2, 7])
def test_columns_one_by_one_have_the_bits_of_a_matrix(width: int) -> None:
    X = np.exp(np.random.default_rng(width).normal(0.0, 4.0, (9_999, width)))
    rows = source(**{f"a{j}": X[:, j] for j in range(width)})
    assert np.array_equal(TableEncoder().fit(rows).transform(rows).X, TableEncoder().fit(X).transform(X))


def test_sparse_rows_of_a_table_have_no_zeros() -> None:
    numbers, levels = np.array([1.0, 2.0, 3.0] * 20), [f"l{k % 30}" for k in range(60)]
    encoder = TableEncoder().fit(source(a=numbers, b=levels))
    encoded = encoder.transform(source(a=numbers, b=[*levels[:-1], "new"])).X
    assert isinstance(encoded, sp.csr_matrix) and (encoded.data != 0).all()
    assert np.diff(encoded.indptr).tolist() == [2, 1, 2] * 19 + [2, 1, 1]
    dense = encoded.toarray()
    np.testing.assert_array_equal(dense[:, 0], (numbers - 2.0) / numbers.std())
    assert [encoder.feature_names_[1:][j] for j in dense[:-1, 1:].argmax(axis=1)] == [f"b={one}" for one in levels[:-1]]


def test_unknown_categories_are_counted_and_encode_as_nothing() -> None:
    encoder = TableEncoder().fit(source(a=[1.0, 3.0], b=["u", "v"], y=[0, 1]))
    later = encoder.transform(source(b=["w", "v", "w"], a=[2.0, 2.0, 3.0], extra=[1, 2, 3]))
    assert later.X.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert encoder.unknown_ == {"b": 2}


def test_unknown_levels_are_named_and_missing_ones_counted_apart() -> None:
    rows = open_data(b"city,y\nOslo,1\nRome,0\nOslo,1\n", target="y")
    model = TableModel().fit(rows)
    cities = ["Oslo", "", "Bari", "Bari", "Pisa", "", "Rom", "Rome", "Ulm"]
    list(iter_predictions(model, ("city\n" + "".join(f'"{city}"\n' for city in cities)).encode()))
    assert unknown_levels(model) == [
        "column 'city': 5 rows hold a category that was not in training, first 'Bari' at buffer:4, 'Pisa' at "
        "buffer:6, 'Rom' at buffer:8; it counts as none",
        "column 'city': 2 values are missing, but training had none; no category is used for them",
    ]
    list(iter_predictions(model, b"city\nOslo\n"))
    assert unknown_levels(model) == []
    list(iter_predictions(model, b"city\nBari\nOslo\n"))  # no cell is missing
    assert unknown_levels(model) == [
        "column 'city': 1 row holds a category that was not in training, first 'Bari' at buffer:2; it counts as none"
    ]
    holes = TableModel().fit(open_data(b'city,y\nOslo,1\nRome,0\n"",1\n', target="y"))
    list(iter_predictions(holes, b'city\n""\nBari\n'))
    assert unknown_levels(holes) == [
        "column 'city': 1 row holds a category that was not in training, first 'Bari' at buffer:3; it counts as none"
    ]


def test_wide_tables_become_sparse_with_the_same_numbers() -> None:
    levels = [f"l{i:02d}" for i in range(40)]
    rows = source(a=np.arange(40.0), b=levels, y=np.arange(40) % 2)
    encoder = TableEncoder().fit(rows)
    X = encoder.transform(rows).X
    assert X.format == "csr"
    np.testing.assert_array_equal(X.toarray()[:, 1:], np.eye(40))
    assert abs(X.toarray()[:, 0].std() - 1) < 1e-12
    assert X.has_sorted_indices


def test_refuses_rows_of_another_kind() -> None:
    encoder = TableEncoder().fit(source(a=[1.0, 3.0], y=[0, 1]))
    with pytest.raises(DataError, match="trained on table"):
        encoder.transform(open_data((np.eye(2), [0, 1])))


def test_columns_the_model_does_not_use_may_hold_anything(tmp_path: Path) -> None:
    encoder = TableEncoder().fit(source(a=[1.0, 3.0], y=[0, 1]))
    path = tmp_path / "later.csv"
    path.write_text("note,a\n1,3\nx,1\n5,3\n", encoding="utf-8")  # `note` is refused where it is used
    assert encoder.transform(open_data(path)).X.tolist() == [[1], [-1], [1]]
    with pytest.raises(DataError, match=r"later\.csv:3, column 'note'"):
        TableEncoder().fit(open_data(path))


def test_what_was_number_stays_number_and_what_was_text_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,01,0\n3,x,1\n3,z,1\n", encoding="utf-8")
    encoder = TableEncoder().fit(open_data(path, target="y"))
    path.write_text("a,b\n1,01\n3,01\n", encoding="utf-8")
    later = encoder.transform(open_data(path, categorical=["a"])).X
    assert later[:, encoder.feature_names_.index("b=01")].tolist() == [1, 1]
    assert later[1, 0] > 0 > later[0, 0]


def rows_of(folder: Path, text: str) -> Any:
    path = folder / "t.svm"
    path.write_text(text, encoding="utf-8")
    return open_data(path)


def test_svmlight_columns_stay_where_they_were(tmp_path: Path) -> None:
    zero_based = TableEncoder().fit(rows_of(tmp_path, "1 0:2 2:2\n0 1:2\n"))
    assert zero_based.feature_names_ == ["x0", "x1", "x2"]
    again = TableEncoder.from_state(*zero_based.state())
    later = again.transform(rows_of(tmp_path, "1 1:3 4:1\n0 2:4\n"))  # here no index 0 shows how it counts
    assert later.X.toarray().tolist() == [[0, 3, 0], [0, 0, 4]]
    assert again.ignored_ == 2
    one_based = TableEncoder().fit(rows_of(tmp_path, "1 1:2 2:2\n0 1:4\n"))
    assert one_based.feature_names_ == ["x1", "x2"]
    with pytest.raises(DataError, match="there is an index 0, and the model was trained on indices from 1"):
        one_based.transform(rows_of(tmp_path, "1 0:1\n"))
