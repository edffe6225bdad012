"""Separation in regression: known answers, an oracle by linear programming, modes, altered proofs."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from linsep import SeparationError, SeparationWarning, separation
from linsep.theory.rows.deadline import Deadline, OutOfTimeError
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array

DATA = Path(os.environ.get("LINSEP_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
Family = Literal["logistic", "poisson", "multinomial"]
UNDETERMINED, UNIDENTIFIED = "undetermined sign", "not identified"


def table(name: str) -> pd.DataFrame:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA}")
    return pd.read_csv(DATA / name)


# ----------------------------------------------------------------------------------------- an oracle by other means
def xbar(X: Array, y: Array, family: Family) -> tuple[Array, Array, list[tuple[int, int]]]:
    """Rows, which of them are equalities, and (row of the data, competitor), one observation after the other."""
    rows, equal, owners = [], [], []
    K = y.max() + 1
    for i, (x, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        if family == "multinomial":
            for rival in set(range(K)) - {label}:
                blocks = [[0] * len(x) for _ in range(K)]
                blocks[label], blocks[rival] = x, [-v for v in x]
                rows.append([v for block in blocks[1:] for v in block])
                owners.append((i, rival))
        else:
            rows.append(x if label > 0 else [-v for v in x])
            owners.append((i, -1))
    equal = [family == "poisson" and y[i] > 0 for i, _ in owners]
    return np.array(rows), np.array(equal), owners


def rank(A: Array) -> int:
    return int(np.linalg.matrix_rank(A)) if A.size else 0


def oracle(Z: Array, equal: Array) -> tuple[Array, list[str | float]]:
    """max sum s, Z d >= s, 0 <= s <= 1 and the rules of the specification, in floats on small integers."""
    n, p = Z.shape
    weak = np.flatnonzero(~equal)
    k = weak.size
    equalities: dict[str, Any] = {}
    if equal.any():
        equalities = {"A_eq": np.hstack([Z[equal], np.zeros((n - k, k))]), "b_eq": np.zeros(n - k)}
    bounds = [(None, None)] * p + [(0, 1)] * k
    found = linprog(
        np.append(np.zeros(p), -np.ones(k)), A_ub=np.hstack([-Z[weak], np.eye(k)]), b_ub=np.zeros(k),
        bounds=bounds, **equalities,
    ) if k else None  # fmt: skip
    separated = np.zeros(n, dtype=bool)
    if found is not None:
        assert found.status == 0
        separated[weak] = found.x[p:] > 0.5
    said: list[str | float] = []
    for j in range(p):
        unit = np.eye(p)[[j]]
        if rank(np.vstack([Z, unit])) > rank(Z):
            said.append(UNIDENTIFIED)
        elif rank(np.vstack([Z[~separated], unit])) == rank(Z[~separated]):
            said.append("finite")
        else:
            above, below = (reach(Z, equal, way * unit[0]) for way in (1, -1))
            assert above or below
            said.append(UNDETERMINED if above and below else inf if above else -inf)
    return separated, said


def reach(Z: Array, equal: Array, goal: Array) -> bool:
    """Whether goal.d > 0 for some d of the cone."""
    options: dict[str, Any] = {"A_eq": Z[equal], "b_eq": np.zeros(equal.sum())} if equal.any() else {}
    if not equal.all():
        options |= {"A_ub": -Z[~equal], "b_ub": np.zeros((~equal).sum())}
    found = linprog(-goal, bounds=[(-1, 1)] * len(goal), **options)
    assert found.status == 0
    return bool(-found.fun > 1e-6)


@st.composite
def designs(draw: st.DrawFn, family: Family) -> tuple[Array, Array]:
    n, p, size = draw(st.integers(3, 10)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    entries = st.lists(st.integers(-size, size), min_size=p, max_size=p)
    X = np.array(draw(st.lists(entries, min_size=n, max_size=n)))
    if draw(st.booleans()) and p > 1:
        X[:, -1] = X[:, 0] * draw(st.sampled_from([-1, 0, 2]))  # a rank-deficient design
    classes = {"logistic": [0, 1], "poisson": [0], "multinomial": [0, 1, 2]}[family]
    most = [0, 0, 0, 0, 1, 3] if family == "poisson" else classes
    more = n - len(classes)
    return X, np.array([*classes, *draw(st.lists(st.sampled_from(most), min_size=more, max_size=more))])


@pytest.mark.parametrize("family", ["logistic", "poisson", "multinomial"])
@given(data=st.data(), fit_intercept=st.booleans(), form=st.sampled_from(["int", "csr", "object", "tenths"]))
def test_the_oracle_agrees(family: Family, data: st.DataObject, fit_intercept: bool, form: str) -> None:
    X, y = data.draw(designs(family))
    given_X: Any = X
    if form == "csr":
        given_X = sp.csr_matrix(X.astype(np.float32))
    elif form == "object":
        given_X = X.astype(object) * 3**50  # no double holds these
    elif form == "tenths":
        given_X = np.array([[Fraction(v, 10) for v in row] for row in X.tolist()], dtype=object)
    found = separation(given_X, y, family=family, fit_intercept=fit_intercept)
    whole = np.column_stack([np.ones(len(y), dtype=int), X]) if fit_intercept else X
    Z, equal, owners = xbar(whole, y, family)
    separated, said = oracle(Z, equal)
    assert list(found.coefficients.values()) == said
    assert found.rank == rank(Z)
    pairs = {owner for owner, is_separated in zip(owners, separated, strict=True) if is_separated}
    rows = {i for i in range(len(y)) if all(owner in pairs for owner in owners if owner[0] == i)}
    assert set(found.separated_rows) == rows
    assert found.pairs == (tuple(sorted(pairs)) if family == "multinomial" else ())
    assert found.verdict == ("complete" if separated.all() else "quasi-complete" if separated.any() else "overlap")
    found.verify(given_X, y)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["verdict"] == found.verdict


# ------------------------------------------------------------------------------------------------------ known answers
def test_lizards_overlap() -> None:
    frame = table("lizards.csv")
    X: list[list[str]] = []
    y: list[str] = []
    for species in ("grahami", "opalinus"):
        for i in np.repeat(np.arange(len(frame)), frame[species].to_numpy().astype(int)):
            X.append([str(frame[c][i]) for c in ("height", "diameter", "light", "time")])
            y.append(species)
    found = separation(pd.DataFrame(X, columns=["height", "diameter", "light", "time"]), y)
    assert found.verdict == "overlap"
    assert set(found.coefficients.values()) == {"finite"}
    assert len(found.coefficients) == 6


def test_the_design_whose_box_constrained_answer_is_wrong() -> None:
    Z = np.array([[1, -1, -1], [-1, 1, 1], *[[0, 1, 0]] * 10, [0, 0, 1]])
    y = np.arange(len(Z)) % 2
    X = Z * np.where(y == 1, 1, -1)[:, None]
    found = separation(X, y, fit_intercept=False)
    found.verify(X, y)
    assert (found.verdict, found.separated_rows) == ("quasi-complete", tuple(range(2, 13)))
    assert found.coefficients == {"x1": inf, "x2": inf, "x3": inf}
    # The linear programme in a box stops at a direction that is 0 in one of them.
    box = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=[(-1, 1)] * 3)
    assert (np.abs(np.asarray(box.x)) < 1e-9).any()


def test_classes_are_named_as_they_are_called() -> None:
    found = separation([[0.0], [1.0], [2.0], [3.0]], ["{a}", "{a}", "{b}", "{b}"])
    assert found.classes == ("{a}", "{b}") and "'{b}' against '{a}'" in found.summary()


# ---------------------------------------------------------------------------------------- modes, limits, proofs
def test_what_to_do_on_separation() -> None:
    X, y = [[0], [1], [2]], [0, 0, 1]
    with pytest.warns(SeparationWarning, match="Complete separation"):
        separation(X, y, on_separation="warn")
    with pytest.raises(SeparationError, match="Complete separation") as caught:
        separation(X, y, on_separation="raise")
    assert caught.value.separation.verdict == "complete"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert separation(X, y).verdict == "complete"
        for quiet in ("warn", "raise"):
            mode: Any = quiet
            assert separation([[0], [1], [2]], [0, 1, 0], on_separation=mode).verdict == "overlap"


def test_a_time_limit_leaves_it_undecided() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.random(300) < 0.5
    found = separation(X, y, time_limit=0.0)
    assert (found.verdict, found.coefficients, found.separated_rows) == ("undecided", {}, ())
    assert found.summary() == "Undecided: the time limit of 0 s ended the search."
    assert "Undecided" in repr(found)
    found.verify(X, y)
    with pytest.raises(SeparationError, match="Undecided"):
        separation(X, y, time_limit=0.0, on_separation="raise")


@pytest.mark.parametrize("route", ["network", "columns", "elimination", "cone"])
def test_the_time_limit_ends_the_check_of_a_proof(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    n = 40 if route == "columns" else 900
    a, b, y = rng.integers(0, 30, n), rng.integers(0, 20, n), rng.integers(0, 2, n)
    two: Any = sp.csr_matrix(np.column_stack([a[:, None] == np.arange(1, 30), b[:, None] == np.arange(1, 20)]) * 1.0)
    X: Any = {
        "network": two,
        "columns": rng.normal(size=(n, 200)),
        "elimination": sp.csr_matrix(sp.hstack([two, sp.csr_matrix(rng.normal(size=(n, 1)))])),
        "cone": rng.normal(size=(n, 3)),
    }[route]
    assert separation(X, y, time_limit=600.0).verdict != "undecided"
    monkeypatch.setattr("linsep.regression.separation._longer", lambda limit: -limit)
    found = separation(X, y, time_limit=600.0)
    assert found.verdict == "undecided"
    assert found.summary() == "Undecided: the time limit of 600 s ended the search."


def test_what_is_said_is_what_is_proved() -> None:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(-3, 4, (30, 2)), np.zeros((30, 2))])
    y = (rng.random(30) < 0.5).astype(int)
    X[:3, 2:] = [[1, 1], [-1, 2], [2, -1]]
    y[:3] = 1
    found = separation(X, y)
    found.verify(X, y)
    assert found.proof is not None and found.proof.signs and found.coefficients["x3"] == inf
    said: list[dict[str, Any]] = [
        {"separated_rows": found.separated_rows[1:]},
        {"verdict": "complete"},
        {"coefficients": {**found.coefficients, "x1": inf}},
        {"rank": 2},
        {"proof": None},
        {"proof": replace(found.proof, signs={})},
        {"proof": replace(found.proof, cone=replace(found.proof.cone, directions=()))},
    ]
    for parts in said:
        with pytest.raises(CertificateError):
            replace(found, **parts).verify(X, y)
    X[next(iter(found.proof.cone.weights)), 1] += 1
    with pytest.raises(CertificateError):
        found.verify(X, y)


def planted(seed: int) -> tuple[Array, Array]:
    """A design with rows separated in a cone of several dimensions, and rows that overlap."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(-3, 4, (40, 2)), np.zeros((40, 3), dtype=int)])
    y = rng.integers(0, 2, 40)
    X[:8, 2:] = rng.integers(0, 3, (8, 3)) * np.where(y[:8] == 1, 1, -1)[:, None]
    return X, y


@pytest.mark.parametrize("seed", range(6))
def test_units_and_order_change_nothing(seed: int) -> None:
    X, y = planted(seed)
    found = separation(X, y)
    assert found.verdict == "quasi-complete"
    assert {inf, UNDETERMINED} & set(found.coefficients.values())
    scaled = separation(X * 2.0 ** np.array([200, -300, 0, 17, -90]), y)
    assert (scaled.separated_rows, scaled.coefficients) == (found.separated_rows, found.coefficients)
    order = np.random.default_rng(0).permutation(len(y))
    mixed = separation(X[order], y[order])
    assert (sorted(order[list(mixed.separated_rows)]), mixed.coefficients) == (
        list(found.separated_rows),
        found.coefficients,
    )


@pytest.mark.parametrize("seed", range(6))
def test_signs_without_the_linear_programme(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = planted(seed)
    found = separation(X, y)
    monkeypatch.setattr("linsep.theory.separation.coefficient_signs.Signs.guess", lambda *_: (None, None))
    exact = separation(X, y)
    exact.verify(X, y)
    assert exact.coefficients == found.coefficients


def test_time_that_runs_out_among_the_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(deadline: Deadline) -> float:
        raise OutOfTimeError

    X, y = planted(0)
    whole = separation(X, y)
    monkeypatch.setattr("linsep.theory.separation.coefficient_signs.time_left", late)
    found = separation(X, y, time_limit=60.0)
    found.verify(X, y)
    assert (found.verdict, found.separated_rows) == (whole.verdict, whole.separated_rows)
    unsigned = [name for name, value in found.coefficients.items() if value == "sign or limit not decided"]
    assert unsigned
    assert f"not decided for {', '.join(unsigned)}" in found.summary()


def test_a_row_that_spans_without_weight() -> None:
    # Two weights run out at once: the basis then holds a row that the overlap does not name.
    two = np.array([[3, 3], [-3, 2], [-1, 1], [-1, 3], [1, -1], [3, 1], [1, -3], [-2, -3], [-3, 1]])
    X = np.column_stack([two, -two[:, 0]])
    found = separation(X, [0, 1, 2, 2, 1, 1, 1, 2, 0], family="multinomial", fit_intercept=False)
    assert (found.verdict, found.rank) == ("overlap", 4)
    assert list(found.coefficients.values()) == ["not identified", "finite", "not identified"] * 2
