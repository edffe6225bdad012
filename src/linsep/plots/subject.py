"""The subject of a picture: models, planes and certificates in one form, rows of any kind, labels as signs."""

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
from linsep.tables import as_floats, as_table, check_finite, check_index, column_names, is_sparse
from linsep.theory.margin.geometry import class_signs
from linsep.theory.margin.max_margin import MarginBracket
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array, DataError, Hyperplane


class Table(NamedTuple):
    """Rows as a matrix of floats, dense or CSR, and the names of the columns; `given` is what the user passed."""

    X: Any
    names: list[str]
    given: Any


class Subject(NamedTuple):
    """Decision values z of rows, and the plane if z = w.x + b.

    `classes` is None if only the labels tell them; `one` is the class against the rest, if there is one; `support` are
    the rows on the margin, if they are known; `named` are the names of both classes of a certificate that names them,
    the positive one last.
    """

    decide: Callable[[Any], Array]
    plane: Hyperplane | None
    classes: Array | None = None
    one: Any = None
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


def subject_of(model: Any, label: Any = None) -> Subject:
    """A fitted model (or one class of it), a separating certificate, a margin bracket, or a pair (w, b).

    Raises
    ------
    DataError
        A certificate without a plane, a class that the model does not have, or something else.
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
    return _of_model(model, label)


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


def _of_model(model: Any, label: Any) -> Subject:
    classes = np.asarray(model.classes_)
    k, one = None, label
    if label is not None:
        at = np.flatnonzero(classes == label)
        if not at.size:
            raise DataError(f"label {label} is not one of the classes {', '.join(map(str, classes[:20]))}")
        k = int(at[0])
    sign, column = 1.0, k
    if len(classes) <= 2:
        sign, column, one = -1.0 if k == 0 and len(classes) == 2 else 1.0, None, None
        classes = classes[::-1] if sign < 0 else classes

    def decide(X: Any) -> Array:
        with warnings.catch_warnings():
            # Points of a grid have the columns of the rows, in their order, without their names.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            z = np.asarray(model.decision_function(X))
        return np.asarray(sign * (z if column is None else z[:, column]))

    plane = None
    learner, encoder = parts_of(model)
    if _is_linear(learner) and encoder is None and (len(classes) <= 2 or column is not None):
        row = column or 0
        w = np.asarray(learner.coef_[row], dtype=np.float64)
        plane = Hyperplane(sign * w, sign * float(np.ravel(learner.intercept_)[row]))
    return Subject(decide, plane, classes, one)


def _is_linear(model: Any) -> bool:
    """Whether z = w.x + b; votes and kernels may have a `coef_` that is something else."""
    votes = isinstance(model, VotedPerceptron) or getattr(model, "average", "") == "voted"
    return not votes and getattr(model, "coef_", np.empty(0)).ndim == 2


def signs_of(subject: Subject, y: Array) -> Array | None:
    """y_i as -1.0 and +1.0, or None where there are three or more classes and none of them was picked.

    Raises
    ------
    DataError
        A label that the model does not know.
    """
    if subject.one is not None:
        return np.where(y == subject.one, 1.0, -1.0)
    if subject.named:
        try:
            return class_signs(y, subject.named)
        except CertificateError as error:
            raise DataError(str(error)) from error
    classes = np.unique(y) if subject.classes is None else subject.classes
    strange = np.flatnonzero(~np.isin(y, classes))
    if strange.size:
        raise DataError(
            f"row {strange[0]}: label {y[strange[0]]} is not one of the classes {', '.join(map(str, classes))}"
        )
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
    names = list(known) if subject.one is None else ["the rest", subject.one]
    return names, (s > 0).astype(np.intp)


def margins_of(subject: Subject, X: Any, y: Array) -> Array:
    """y z of each row; of several classes the z of its class less the best other z. A mistake is at most 0."""
    z = subject.decide(X)
    s = signs_of(subject, y)
    if s is not None:
        return np.asarray(s * z)
    assert subject.classes is not None
    own = y[:, None] == subject.classes
    return np.asarray(z[own] - np.where(own, -np.inf, z).max(axis=1))
