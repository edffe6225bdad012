"""The subject of a picture: models, planes and certificates in one form, rows of any kind, labels as signs.

Rows are points of the plane by their two features, or by two directions with much variance.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from linsep.data.features.exact_decimals import row_names
from linsep.learners.base.parameters import check_labels
from linsep.learners.linear.voted import VotedPerceptron
from linsep.learners.table_model import parts_of
from linsep.plots.style import shorten, thinned
from linsep.tables import as_floats, as_table, check_finite, check_index, column_names, dense, is_sparse
from linsep.theory.margin.geometry import class_signs
from linsep.theory.margin.max_margin import MarginBracket
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array, DataError, Hyperplane, row_from_0

# Principal directions are those of so many entries, and of so many rows at least.
_ENTRIES = 1_000_000
_FEWEST = 100


class Table(NamedTuple):
    """Rows as a matrix of floats, dense or CSR, and the names of the columns; `given` is what the user passed."""

    X: Any
    names: list[str]
    given: Any


class Subject(NamedTuple):
    """Decision values z of rows, and the plane if z = w.x + b.

    `classes` is None if only the labels tell them; `support` are the rows on the margin, if they are known; `named` are
    the names of both classes of a certificate that names them, the positive one last.
    """

    decide: Callable[[Any], Array]
    plane: Hyperplane | None
    classes: Array | None = None
    support: Array | None = None
    named: tuple[str, ...] = ()


def table_of(X: Any) -> Table:
    """Rows from an array, a sparse matrix or a dataframe.

    Raises
    ------
    DataError
        Not a table, no rows, or something that is not a finite number.
    """
    if isinstance(X, Table):
        return X
    values = as_table(X)
    if not is_sparse(values) and values.dtype != np.float32:
        values = as_floats(values)
    check_finite(values)
    return Table(values, column_names(X) or row_names(values.shape[1], None), X)


def named_table(X: Any, names: list[str]) -> Table:
    """A matrix whose columns have these names."""
    X = table_of(X).X
    return Table(X, names, X)


def labels_of(y: Any, n: int, X: Any) -> Array:
    """One label for each of the n rows, which were given as X."""
    check_index(X, y)
    labels = np.asarray(check_labels(y))
    if labels.shape != (n,):
        raise DataError(f"X has {n} rows and y the shape {labels.shape}: one label a row is needed")
    return labels


def subject_of(model: Any) -> Subject:
    """A fitted model, a separating certificate, a margin bracket, or a pair (w, b).

    Raises
    ------
    DataError
        A certificate without a plane, or something else.
    """
    if isinstance(model, Subject):
        return model
    if isinstance(model, Separability):
        plane = plane_of(model)
        if plane is None:
            raise DataError(f"this certificate holds no plane ({model.verdict}); plot_witness shows why there is none")
        return _of_plane(plane)._replace(named=model.classes)
    if isinstance(model, MarginBracket):
        return _of_plane(model.hyperplane, np.array([i for i, weight in model.weights.items() if weight > 0]))
    if isinstance(model, tuple) and len(model) == 2:
        return _of_plane(Hyperplane(np.asarray(model[0], dtype=np.float64).ravel(), float(model[1])))
    if not hasattr(model, "decision_function") or not hasattr(model, "classes_"):
        raise DataError(f"a fitted model, a certificate or a pair (w, b) can be drawn, not {type(model).__name__}")
    return _of_model(model)


def _of_plane(plane: Hyperplane, support: Array | None = None) -> Subject:
    if not np.isfinite([*plane.w, plane.b]).all():
        raise DataError("w or b holds a value that is not a finite number")

    def decide(X: Any) -> Array:
        p = np.shape(X)[1]
        if p != len(plane.w):
            raise DataError(f"X has {p} features and w {len(plane.w)} entries: one weight a feature is needed")
        return np.asarray(X @ plane.w + plane.b)

    return Subject(decide, plane, support=support)


def plane_of(found: Separability, powers: Sequence[int] = ()) -> Hyperplane | None:
    """The plane of a certificate in doubles, its largest weight made 1 where they need it; None without a plane.

    Of directions taken in turn it is the first, which has no row on its wrong side. With `powers` it is in the units
    of a table whose column j was multiplied by 10**powers[j].
    """
    plane = found.hyperplane or (found.directions[0] if found.directions else None)
    if plane is None or (plane.w.dtype != object and not any(powers)):
        return plane
    w = [Fraction(v) * Fraction(10) ** k for v, k in zip_longest(plane.w.tolist(), powers, fillvalue=0)]
    top = max(map(abs, w), default=Fraction(1)) or Fraction(1)
    top = Fraction(1) if Fraction(1, 10**9) < top < 10**9 else top
    return Hyperplane(np.array([float(v / top) for v in w]), float(Fraction(plane.b) / top))


def _of_model(model: Any) -> Subject:
    def decide(X: Any) -> Array:
        with warnings.catch_warnings():
            # Points of a grid have the columns of the rows, in their order, without their names.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return np.asarray(model.decision_function(X))

    plane, classes = None, np.asarray(model.classes_)
    learner, encoder = parts_of(model)
    if _is_linear(learner) and encoder is None and len(classes) <= 2:
        plane = Hyperplane(np.asarray(learner.coef_[0], dtype=np.float64), float(np.ravel(learner.intercept_)[0]))
    return Subject(decide, plane, classes)


def _is_linear(model: Any) -> bool:
    """Whether z = w.x + b; votes and kernels may have a `coef_` that is something else."""
    votes = isinstance(model, VotedPerceptron) or getattr(model, "average", "") == "voted"
    return not votes and getattr(model, "coef_", np.empty(0)).ndim == 2


def signs_of(subject: Subject, y: Array) -> Array | None:
    """y_i as -1.0 and +1.0, or None where there are three or more classes.

    Raises
    ------
    DataError
        A label that the model does not know.
    """
    if subject.named:
        try:
            return class_signs(y, subject.named)
        except CertificateError as error:
            raise DataError(str(error)) from error
    classes = np.unique(y) if subject.classes is None else subject.classes
    strange = np.flatnonzero(~np.isin(y, classes))
    if strange.size:
        i, known = strange[0], ", ".join(map(str, classes))
        raise DataError(f"{row_from_0(i)}: label {y[i]} is not one of the classes {known}")
    if len(classes) > 2:
        return None
    return np.where(y == classes[-1], 1.0, -1.0)


def codes_of(subject: Subject, y: Array) -> tuple[list[Any], Array]:
    """Names of the classes, the positive one of two last, and the position of each label among them."""
    s = signs_of(subject, y)
    if s is None:
        assert subject.classes is not None
        return list(subject.classes), np.asarray((y[:, None] == subject.classes).argmax(axis=1))
    known: Any = subject.named or (np.unique(y) if subject.classes is None else subject.classes)
    return list(known), (s > 0).astype(np.intp)


def margins_of(subject: Subject, X: Any, y: Array) -> Array:
    """y z of each row; of several classes the z of its class less the best other z. A mistake is at most 0."""
    z = subject.decide(X)
    s = signs_of(subject, y)
    if s is not None:
        return np.asarray(s * z)
    assert subject.classes is not None
    own = y[:, None] == subject.classes
    return np.asarray(z[own] - np.where(own, -np.inf, z).max(axis=1))


class View(NamedTuple):
    """Points are X @ basis; `labels` name the two axes. `exact`: the axes are the features themselves."""

    basis: Array
    labels: tuple[str, str]
    exact: bool

    def points(self, X: Any) -> Array:
        """Coordinates in the picture, shape (n, 2)."""
        return np.asarray(X @ self.basis, dtype=np.float64)


def view_of(table: Table, plane: Hyperplane | None = None) -> View:
    """One or two features as they are; of more, w and the first principal direction orthogonal to it.

    Without a plane the first two principal directions.
    """
    p = table.X.shape[1]
    if p <= 2:
        names = shorten(table.names)
        return View(np.eye(p, 2), (names[0], names[1] if p == 2 else ""), True)
    if plane is None or not plane.w.any():
        u, labels = principal_direction(table.X, None), ("first principal direction", "second principal direction")
    else:
        u = plane.w / np.linalg.norm(plane.w)
        labels = (r"projection on $w$: $w \cdot x / \|w\|$", "first principal direction\northogonal to $w$")
    return View(np.column_stack([u, principal_direction(table.X, u)]), labels, False)


def principal_direction(X: Any, u: Array | None) -> Array:
    """The unit vector v orthogonal to the unit vector u with the largest variance of v.x_i.

    Tables of more than a million entries are represented by some of their rows. Its largest entry is positive.

    Examples
    --------
    >>> principal_direction(np.array([[0.0, 9, 0], [0, -9, 3], [0, 0, 3.0]]), np.array([0, 1.0, 0])).tolist()
    [0.0, 0.0, 1.0]
    """
    p = X.shape[1]
    off = np.zeros(p) if u is None else u
    some = dense(X[thinned(X.shape[0], max(_FEWEST, _ENTRIES // p))]).astype(np.float64)
    some -= some.mean(axis=0)
    some -= np.outer(some @ off, off)
    v = np.linalg.svd(some, full_matrices=False)[2][0]
    v = v - (v @ off) * off
    if float(np.linalg.norm(v)) < 1e-8:  # all rows are on one line along u: any direction beside it will do
        v = np.eye(1, p, int(np.abs(off).argmin()))[0]
        v = v - (v @ off) * off
    v = v / np.linalg.norm(v)
    return np.asarray(v * np.sign(v[np.abs(v).argmax()])) + 0.0
