"""Verdicts: known answers, brute force in exact rationals, and certificates that no alteration survives."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from linsep.theory.proof import Combination
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array, DataError
from walked import files_called

DATA = Path(os.environ.get("LINSEP_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
SQUARE = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR = np.array([0, 0, 1, 1])


def table(name: str) -> list[dict[str, str]]:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA}")
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def verdict(X: Any, y: Any, **options: Any) -> str:
    found = separability(X, y, **options)
    found.verify(X, y)
    return found.verdict


# -------------------------------------------------------------- known answers


def test_breast_cancer_is_separable_and_five_of_its_columns_are_not() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert verdict(X, y) == "separable"
    X = StandardScaler().fit_transform(X)
    found = separability(X, y)
    assert found.verdict == "separable"
    assert found.hyperplane is not None
    assert ((X @ found.hyperplane.w + found.hyperplane.b > 0) == (y == 1)).all()
    assert found.margin is not None
    assert 0 < found.margin.lower <= 0.00139985 <= found.margin.upper
    assert verdict(X[:, :5], y) == "inseparable"
    assert verdict(X, y, fit_intercept=False) == "inseparable"


@pytest.mark.parametrize("scale", [1e5, 1e-5, 1e150, 1e-150])
def test_units_change_nothing(scale: float) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :12]
    factors = np.where(np.arange(12) % 2, scale, 1.0)
    assert verdict(X, y) == verdict(X * factors, y) == "inseparable"
    far = np.column_stack([X, y * scale])
    assert verdict(far, y) == "separable"
    assert verdict(np.column_stack([X, (y == 1) & (X[:, 0] > 20), y * scale]), y) == "separable"


@pytest.mark.parametrize("number", [float, Fraction])
def test_endometrial_is_quasi_separated_by_nv_alone(number: Any) -> None:
    rows = table("endometrial.csv")
    dtype = object if number is Fraction else float
    X = np.array([[number(row[c]) for c in ("NV", "PI", "EH")] for row in rows], dtype=dtype)
    y = np.array([int(row["HG"]) for row in rows])
    found = separability(X, y)
    found.verify(X, y)
    assert found.verdict == "quasi-separable"
    assert len(found.directions) == 1
    assert (found.directions[0].w != 0).tolist() == [True, False, False]
    assert len(y) - len(found.rows_left) == 13


@pytest.mark.parametrize("gap", [1e-7, 1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("unit", [1.0, 1e5, 1e-5])
def test_tiny_overlaps_are_never_called_separable(gap: float, unit: float) -> None:
    rng = np.random.default_rng(5)
    w = np.array([1.0, 2.0, -1.0])
    X = rng.normal(size=(200, 3))
    y = X @ w > 0
    X += np.outer(np.where(y, 0.1, -0.1), w)
    # Around one point of the plane, positives lie `gap` below and, wider, negatives as far above.
    around = np.array([np.cross(w, e) for e in np.eye(3)[:2]])
    ring = np.vstack([around, -around])
    X = np.vstack([X, ring - gap * w, 1.5 * ring + gap * w])
    y = np.append(y, [True] * 4 + [False] * 4)
    X[:, 1] *= unit
    assert verdict(X, y) == "inseparable"
    assert verdict(X[: len(y) - 4], y[: len(y) - 4]) == "separable"


# ---------------------------------------------------- certificates and limits
def certificates() -> list[tuple[Array, Array, Separability]]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    cases = [(X, X[:, 0] > 0.1), (X, rng.random(40) < 0.5), (np.array([[0.0], [1.0], [1.0], [2.0]]), XOR)]
    return [(X, y, separability(X, y)) for X, y in cases]


def test_a_certificate_is_about_its_rows_and_each_direction_separates() -> None:
    (_, _, separable), (X, y, found), (x, labels, quasi) = certificates()
    with pytest.raises(CertificateError, match="direction 0 takes no row away"):
        replace(found, proof=replace(found.proof, directions=({},))).verify(X, y)
    with pytest.raises(CertificateError):
        separable.verify(X, y)
    moved = X.copy()
    first = next(iter(found.proof.weights))
    moved[first, 1] = np.nextafter(moved[first, 1], np.inf)
    with pytest.raises(CertificateError, match="do not add up to 0"):
        found.verify(moved, y)
    with pytest.raises(CertificateError, match="is about 40 x 3"):
        found.verify(X[:-1], y[:-1])
    with pytest.raises(CertificateError, match="a column that is not there"):
        replace(quasi, fit_intercept=False).verify(x, labels)


def test_every_verdict_has_a_sentence_and_plain_values() -> None:
    for (_, _, found), start in zip(certificates(), ["separable:", "inseparable:", "quasi-separable:"], strict=True):
        assert found.summary().startswith(start)
        assert found.summary() in repr(found)
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["summary"] == found.summary()


def test_a_time_limit_leaves_what_is_proved_by_then() -> None:
    X = np.random.default_rng(0).normal(size=(300, 40))
    y = np.arange(300) % 2
    nothing = separability(X, y, time_limit=0.0)
    assert (nothing.verdict, nothing.summary()) == (
        "undecided",
        "undecided: the time limit of 0 s ended the search",
    )
    X[7] = X[0]
    found = separability(X, y, time_limit=0.0)
    assert (found.verdict, found.witness) == ("not-separable", Combination((0, 7), (1, 1)))
    assert found.reason == "the time limit of 0 s ended the search"
    assert "no hyperplane separates the 2 rows 0, 7" in found.summary()
    assert "whether part of the rows can be separated was not decided" in found.summary()
    assert not found.maximal
    found.verify(X, y)
    # Beside the pair a column that says it all of three rows: a direction, so the set is at least these.
    far = np.column_stack([X, np.isin(np.arange(300), [1, 3, 5])])
    some = separability(far, y, time_limit=0.0)
    assert (some.verdict, some.separated_rows.tolist(), some.maximal) == ("quasi-separable", [1, 3, 5], False)
    assert "at least 3 rows on their side" in some.summary()
    some.verify(far, y)
    X[7] += 1
    known = separability(np.column_stack([X, far[:, -1]]), y, time_limit=0.0)
    assert known.summary().endswith("ended the search; a hyperplane separates at least 3 rows")
    for one, rows in ((nothing, X), (found, X), (some, far), (known, np.column_stack([X, far[:, -1]]))):
        assert Separability.from_json(one.to_json()).to_json() == one.to_json(), rows


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.array([[1.0], [np.inf]]), [0, 1], "row 1 .counted from 0., column 0"),
        (scipy.sparse.csr_matrix(np.array([[1.0, 0.0], [0.0, np.nan]])), [0, 1], "row 1 .counted from 0., column 1"),
        (np.array([[1], [None]], dtype=object), [0, 1], "row 1 .counted from 0., column 0: None"),
        (np.array([["a"], ["b"]]), [0, 1], "must hold numbers"),
        (np.array([1.0, 2.0]), [0, 1], "its shape is"),
        (np.zeros((0, 2)), [], "at least one row"),
        (np.zeros((2, 2)), [0, 1, 1], "2 rows and y 3 labels"),
        (np.zeros((3, 2)), [0, 1, 2], "more than two classes"),
        (np.zeros((3, 2)), [1, 1, 1], "two classes are needed"),
    ],
)
def test_bad_input_is_refused(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        separability(X, np.array(y))


def test_a_proof_is_a_short_walk_through_the_source() -> None:
    called = files_called(lambda: separability(SQUARE, XOR))
    files = {file for file in called if not file.endswith("clock.py")}  # a look at the clock is no step of the proof
    assert len(files) <= 18, sorted(files)


def test_what_is_asked_later_is_computed_later() -> None:
    X, y = np.array([[0.1], [0.2], [5.3]]), np.array([0, 0, 1])
    found = separability(X, y)
    assert not {"margin", "fragile"} & vars(found).keys()
    assert found.margin is not None
    assert found.margin.hyperplane is found.hyperplane
    assert found.margin is found.margin
    again = Separability.from_json(found.to_json())
    assert (again.margin, again.fragile) == (None, False)
    assert separability([[-1e-323, -1e-323], [1e-323, 1e-323]], [0, 1]).margin is None  # of these doubles round sums
    assert found.fragile is False
    again.verify(X, y)  # which looks at the rows as they are now
    assert vars(again)["fragile"] is False and "margin" not in vars(again)


def test_integers_beyond_doubles_are_separated_too() -> None:
    large = 10**400
    X = np.array([[large, 1], [2 * large, 0], [5, 3], [5, 4]], dtype=object)
    for rows, y, verdict in (
        ([0, 1, 2], [0, 1, 0], "separable"),
        ([0, 1, 2, 3], [0, 1, 0, 1], "separable"),
        ([0, 1, 1], [0, 1, 0], "quasi-separable"),
    ):
        found = separability(X[rows], y)
        found.verify(X[rows], y)
        assert found.verdict == verdict


@pytest.mark.parametrize("scale", [1e-308, 3e-310, 1e-300])
def test_rows_near_the_smallest_doubles_bring_no_warning(scale: float) -> None:
    rng = np.random.default_rng(0)
    for k in range(60):
        n, p = int(rng.integers(3, 9)), int(rng.integers(1, 4))
        X = rng.integers(-3, 4, size=(n, p)) * scale * rng.choice([1.0, 1.0, 1e3, 1e8], size=(n, p))
        y = rng.choice([-1, 1], size=n)
        y[:2] = [-1, 1]
        separability(X, y, fit_intercept=bool(k % 2)).verify(X, y)
