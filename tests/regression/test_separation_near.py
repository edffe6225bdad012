"""Regressions with many dense columns: that no row is separated is proved by weights near exact ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_verify_certificate import plain, verify

from linsep import Separation, separation
from linsep.theory.cone import faces
from linsep.theory.cone.near_weights import Near, near_weights


@pytest.fixture(autouse=True)
def _few_columns_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "_MANY_COLUMNS", 3)


def designs(seed: int) -> dict[str, Any]:
    """Designs whose rows overlap, some of them beside a level of one outcome alone; and the outcomes."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((60, 4)) * 1024) / 1024
    y = (X[:, 0] + 2 * rng.standard_normal(60) > 0).astype(int)
    level, dependent = np.zeros(60), X[:, 3] - 2 * X[:, 1]
    level[np.flatnonzero(y == 1)[:5]] = 1
    zeros = np.zeros(60)
    tables = {
        "numbers": [X],
        "a column of zeros": [X, zeros],
        "a dependent column": [X, dependent],
        "a level of one outcome": [X, level],
        "all of these": [zeros, X, level, dependent, zeros],
    }
    return {"y": y, **{name: np.column_stack(parts) for name, parts in tables.items()}}


NAMES = tuple(name for name in designs(0) if name != "y")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_what_is_proved_is_what_exact_weights_prove(
    name: str, seed: int, fit_intercept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = designs(seed)[name], designs(seed)["y"]
    found = separation(X, y, fit_intercept=fit_intercept)
    with monkeypatch.context() as patch:
        patch.setattr(faces, "_MANY_COLUMNS", 10**9)
        exact = separation(X, y, fit_intercept=fit_intercept)
    assert found.proof is not None
    assert exact.proof is not None
    assert found.proof.cone.within > 0 == exact.proof.cone.within
    for what in ("verdict", "separated_rows", "coefficients", "rank"):
        assert getattr(found, what) == getattr(exact, what)
    assert found.summary() == exact.summary()
    claim = json.loads(found.to_json())
    again = Separation.from_json(found.to_json())
    again.verify(X, y)
    assert again.to_dict() == found.to_dict()
    status, said = verify(tmp_path, claim, plain(X, y))
    assert (status, f"\nproved: {found.verdict}, " in said) == (0, True), said


def test_a_proof_that_fails_its_check_leaves_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Near | None:
        found = near_weights(*given)
        return found and found._replace(within=1e-30)

    monkeypatch.setattr(faces, "near_weights", wrong)
    X, y = designs(0)["all of these"], designs(0)["y"]
    found = separation(X, y)
    assert found.proof is not None
    assert (found.verdict, found.proof.cone.within) == ("quasi-complete", 0.0)


def test_equalities_need_exact_weights() -> None:
    X, y = designs(1)["numbers"], designs(1)["y"]
    found = separation(X, y, family="poisson")
    assert found.proof is not None
    assert (found.verdict, found.proof.cone.within) == ("overlap", 0.0)


def test_screens_of_such_designs_are_asked_one_by_one() -> None:
    X, y = designs(2)["numbers"], designs(2)["y"]
    for some in (X[:, :3], X[:, 1:]):
        one = separation(some, y)
        assert one.proof is not None
        assert (one.verdict, one.proof.cone.within > 0) == ("overlap", True)
        one.verify(some, y)
