"""Margins and the geometry of a plane, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from linsep.theory.margin.geometry import (
    functional_margins,
    geometric_margin,
    homogeneous_margin,
    projection,
    radius,
    signs,
    unit_form,
)
from linsep.types import DataError

X = np.array([[3.0, 4.0], [0.0, 0.0], [-6.0, 8.0]])
Y = np.array(["no", "no", "yes"])


def test_radius_dense_sparse_and_integers() -> None:
    assert radius(X) == radius(scipy.sparse.csr_matrix(X)) == radius(X.astype(np.int8)) == 10.0


def test_margins_by_hand() -> None:
    # z = w.x + b is (-5, -12, 38), ||w|| = 5 and ||(w, b)|| = 13.
    w, b = np.array([-3.0, 4.0]), -12.0
    assert functional_margins(X, Y, w, b).tolist() == [5.0, 12.0, 38.0]
    assert functional_margins(scipy.sparse.csr_matrix(X), Y, w, b).tolist() == [5.0, 12.0, 38.0]
    assert geometric_margin(X, Y, w, b) == 1.0
    assert homogeneous_margin(X, Y, w, b) == 5.0 / 13.0


def test_a_wrong_row_has_a_negative_margin() -> None:
    assert geometric_margin(X, Y, [0.0, -2.0], 0.0) == -8.0


def test_signs_take_any_two_labels_in_sorted_order() -> None:
    assert signs([7, 3, 7]).tolist() == [1.0, -1.0, 1.0]
    assert signs(Y).tolist() == [-1.0, -1.0, 1.0]
    assert signs([True, False]).tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [([1, 1], "two classes are needed; the labels are 1"), ([1, 2, 3], "more than two classes"), ([[1, 0]], "one-dim")],
)
def test_signs_refuse_what_is_not_two_classes(y: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        signs(y)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match=r"X has shape \(3, 2\)"):
        functional_margins(X, Y, [1.0, 2.0, 3.0])


def test_the_zero_vector_has_no_margin() -> None:
    for f in (geometric_margin, homogeneous_margin):
        with pytest.raises(DataError, match="zero vector"):
            f(X, Y, [0.0, 0.0])
    with pytest.raises(DataError, match="no plane"):
        unit_form([0.0], 1.0)
    with pytest.raises(DataError, match="zero vector"):
        projection([1.0], [0.0])


@given(
    st.lists(st.floats(-100, 100).filter(lambda v: abs(v) > 1e-3), min_size=1, max_size=4),
    st.floats(-100, 100),
)
def test_the_nearest_point_is_on_the_plane_and_projects_to_the_offset(w: list[float], b: float) -> None:
    orientation, offset, nearest = unit_form(w, b)
    assert np.linalg.norm(orientation) == pytest.approx(1.0)
    assert nearest @ np.array(w) + b == pytest.approx(0.0, abs=1e-9)
    assert projection(nearest, w) == pytest.approx(offset, abs=1e-9)
    assert np.linalg.norm(nearest) == pytest.approx(abs(offset), abs=1e-9)


def test_the_threshold_of_one_feature() -> None:
    _, offset, nearest = unit_form([-2.0], 6.0)
    assert (offset, nearest.tolist()) == (-3.0, [3.0])
