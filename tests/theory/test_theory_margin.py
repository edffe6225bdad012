"""Margins and the geometry of a plane, against numbers worked out by hand."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import linsep.theory
from linsep.theory import (
    functional_margins,
    geometric_margin,
    homogeneous_margin,
    projection,
    radius,
    unit_form,
)
from linsep.theory.margin.geometry import signs
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


def test_shapes_that_do_not_match_are_refused() -> None:
    with pytest.raises(DataError, match=r"X has shape \(3, 2\)"):
        functional_margins(X, Y, [1.0, 2.0, 3.0])
    for u, v in (([1.0, 2.0], [1.0]), ([[1.0], [2.0]], [1.0, 2.0]), (X, X), (1.0, [1.0])):
        with pytest.raises(DataError, match="u has shape"):
            projection(u, v)
    for table in ([3.0, 4.0], np.empty((0, 2))):
        with pytest.raises(DataError, match="a table of at least one row"):
            radius(table)


def test_the_zero_vector_has_no_margin() -> None:
    for f in (geometric_margin, homogeneous_margin):
        with pytest.raises(DataError, match="zero vector"):
            f(X, Y, [0.0, 0.0])
    with pytest.raises(DataError, match="no plane"):
        unit_form([0.0], 1.0)
    with pytest.raises(DataError, match="zero vector"):
        projection([1.0], [0.0])


def test_projections_of_rows_are_those_of_each_row() -> None:
    # v = (3, 4) has length 5.
    expected = [5.0, 0.0, 2.8]
    forms = (X, X.tolist(), X.astype(np.int32), scipy.sparse.csr_matrix(X), scipy.sparse.csc_array(X))
    for rows in forms:
        assert projection(rows, [3.0, 4.0]).tolist() == pytest.approx(expected)
    assert [projection(row, [3.0, 4.0]) for row in X] == pytest.approx(expected)
    assert type(projection(X[0], [3.0, 4.0])) is float
    assert projection(np.empty((0, 2)), [3.0, 4.0]).shape == (0,)


pairs = st.lists(st.integers(-9, 9), min_size=2, max_size=2)
planes = st.tuples(pairs.filter(any), st.integers(-9, 9), st.sampled_from([0.25, 1.0, 8.0]))


@given(planes, st.lists(pairs, min_size=2, max_size=6))
def test_the_formulas_of_a_plane(plane: tuple[list[int], int, float], rows: list[list[int]]) -> None:
    w, b, scale = np.array(plane[0], dtype=float), float(plane[1]), plane[2]
    points, y = np.array(rows, dtype=float), np.arange(len(rows)) % 2
    s = np.where(y == 1, 1.0, -1.0)
    orientation, offset, nearest = unit_form(w, b)
    # The unit form is w / ||w||, -b / ||w||, -(b / ||w||^2) w, and that of any positive multiple.
    assert orientation == pytest.approx(w / np.sqrt(w @ w))
    assert offset == pytest.approx(-b / np.sqrt(w @ w))
    assert nearest == pytest.approx(-(b / (w @ w)) * w)
    assert unit_form(scale * w, scale * b)[1] == pytest.approx(offset)
    # The signed distance of a point is its projection on w less the offset of the plane.
    distances = projection(points, w) - offset
    gamma = geometric_margin(points, y, w, b)
    assert gamma == pytest.approx((s * distances).min())
    assert geometric_margin(points, y, scale * w, scale * b) == pytest.approx(gamma)
    # gamma~ is the margin of the rows (x, 1) at (w, b), and no larger in size; R~^2 = R^2 + 1.
    homogeneous = homogeneous_margin(points, y, w, b)
    lifted = np.column_stack([points, np.ones(len(points))])
    assert homogeneous == pytest.approx(geometric_margin(lifted, y, np.append(w, b)))
    assert abs(homogeneous) <= abs(gamma) + 1e-12
    assert radius(lifted) ** 2 == pytest.approx(radius(points) ** 2 + 1)
    # The points of the plane share the projection -b / ||w||.
    along = nearest + np.outer([-2.0, 3.0], [-w[1], w[0]])
    assert projection(along, w) == pytest.approx(np.full(2, offset), abs=1e-9)


def test_what_linsep_theory_gives_out_is_where_it_says() -> None:
    assert linsep.theory.__all__ == sorted(linsep.theory.__all__)
    for name in linsep.theory.__all__:
        found = getattr(linsep.theory, name)
        assert found.__name__ == name
        assert found.__doc__
    assert set(linsep.theory.__all__) <= set(dir(linsep.theory))
    with pytest.raises(AttributeError, match="attribute rosenblatt"):
        linsep.theory.__getattr__("rosenblatt")


def test_linsep_theory_alone_loads_no_numpy() -> None:
    # A package of its own name: `import linsep` is not part of the question.
    code = "import importlib.util, sys; "
    code += f"spec = importlib.util.spec_from_file_location('theory', {linsep.theory.__file__!r}); "
    code += "spec.loader.exec_module(importlib.util.module_from_spec(spec)); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_a_separator_the_best_margin_is_below_the_least_length() -> None:
    """Exclusive-or: some weights bring the signed rows to 0, and no direction has a margin above -1 / sqrt 17."""
    corners, labels = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    signed = signs(labels)[:, None] * np.column_stack([corners, np.ones(4)])
    assert not signed.mean(axis=0).any()
    assert homogeneous_margin(corners, labels, [2.0, 2.0], -3.0) == pytest.approx(-1 / np.sqrt(17))
    directions = np.random.default_rng(0).normal(size=(100_000, 3))
    margins = (directions @ signed.T).min(axis=1) / np.linalg.norm(directions, axis=1)
    assert -0.27 < margins.max() <= -1 / np.sqrt(17)
