"""Families of regressions: the likelihood itself, followed along rays, is the oracle; and answers known by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import log_expit, log_ndtr
from typer.testing import CliRunner

from linsep import Separation, separation
from linsep.app.cli import app
from linsep.theory import CertificateError
from linsep.types import Array, DataError

FAR, FARTHER = 20.0, 40.0
Terms = Callable[[Array], Array]  # coefficients -> the logarithm of the likelihood, term by term


# --------------------------------------------------------------------------- an oracle that knows no inequalities
def logs_of(link: str, eta: Array) -> tuple[Array, Array]:
    """The logarithms of F and 1 - F."""
    if link == "logit":
        return log_expit(eta), log_expit(-eta)
    if link == "probit":
        return log_ndtr(eta), log_ndtr(-eta)
    if link == "cloglog":
        return np.log(-np.expm1(-np.exp(eta))), -np.exp(eta)
    return np.log(np.arctan2(1.0, -eta) / np.pi), np.log(np.arctan2(1.0, eta) / np.pi)


def rises(terms: Terms, d: Array) -> bool:
    """Whether the likelihood is higher far along d, and does not fall any more."""
    start, far, farther = (terms(t * d).sum() for t in (0.0, FAR, FARTHER))
    return bool(farther > far - 1e-9 and farther > start + 1e-9)


def rising_rays(terms: Terms, p: int, most: int = 3) -> list[Array]:
    """Directions with small whole numbers; the cones of the designs below have rays among them."""
    every = (np.array(d, dtype=np.float64) for d in product(range(-most, most + 1), repeat=p))
    return [d for d in every if rises(terms, d)]


def small_design(rng: np.random.Generator, n: int, p: int) -> Array:
    return rng.integers(-1, 2, (n, p))


# --------------------------------------------------------------------------------------------- links and proportions
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "cauchit"])
@pytest.mark.parametrize("form", ["labels", "proportions", "trials"])
def test_binomial_links_as_the_likelihood_says(link: str, form: str) -> None:
    rng = np.random.default_rng(len(form))
    seen = set()
    for _ in range(25):
        n = int(rng.integers(3, 7))
        X = small_design(rng, n, 2)
        trials = rng.integers(0, 4, n) if form == "trials" else np.ones(n)
        y = rng.choice([0.0, 0.0, 1.0, 1.0, 0.5], n) if form == "proportions" else rng.binomial(trials.astype(int), 0.5)
        if (form == "labels" and len(set(y.tolist())) < 2) or not trials.any():
            continue
        A = np.column_stack([np.ones(n), X])

        def terms(beta: Array, A: Array = A, y: Array = y, trials: Array = trials) -> Array:
            one, other = logs_of(link, A @ beta)
            return np.asarray(y * one + (trials - y) * other)

        beside: dict[str, Any] = {"trials": trials} if form == "trials" else {}
        family: Any = "logistic" if form == "labels" else "binomial"
        found = separation(X, y, family=family, link=link, **beside)
        found.verify(X, y, **beside)
        rays = rising_rays(terms, 3)
        assert (found.verdict != "overlap") == bool(rays)
        gained = [i for i in range(n) if any(terms(FAR * d)[i] > terms(0 * d)[i] + 1e-9 for d in rays)]
        assert list(found.separated_rows) == gained
        seen.add(found.verdict)
    assert {"overlap", "quasi-complete"} <= seen


def test_a_link_changes_the_words_and_not_the_answer() -> None:
    X, y = [[0], [1], [2], [3]], ["no", "yes", "no", "yes"]
    plain = separation(X, y)
    for link in ("probit", "cloglog", "cauchit"):
        found = separation(X, y, link=link)
        assert (found.verdict, found.coefficients, found.proof) == (plain.verdict, plain.coefficients, plain.proof)
        assert f"the {link} regression of 'yes' against 'no'" in found.summary()
        assert "Silvapulle 1981" in found.summary()
        assert ("not concave with this link" in found.summary()) == (link == "cauchit")
        text = found.to_json()
        read = Separation.from_json(text)
        read.verify(X, y)
        assert read == found
        assert read.link == json.loads(text)["options"]["link"] == link
        changed = {**json.loads(text), "options": {}, "summary": plain.summary()}
        with pytest.raises(CertificateError, match="hash differs"):
            Separation.from_json(json.dumps(changed)).verify(X, y)
    assert "options" not in plain.to_dict()


def test_grouped_trials_by_hand() -> None:
    # All fail at doses 0 and 1, some at 2, none at 3: dose 2 fixes one equation, so the slope is infinite.
    X, y, trials = [[0], [1], [2], [3], [9]], [0, 0, 3, 5, 0], [4, 4, 6, 5, 0]
    found = separation(X, y, family="binomial", trials=trials)
    assert (found.verdict, found.separated_rows, found.left_out) == ("quasi-complete", (0, 1, 3), 1)
    assert found.coefficients == {"(Intercept)": -inf, "x1": inf}
    assert "on 4 rows has no maximum" in found.summary()
    assert "exactly 0 on the other 1:" in found.summary()
    same = separation(X[:4], np.array(y[:4]) / trials[:4], family="binomial")
    assert (same.separated_rows, same.coefficients) == (found.separated_rows, found.coefficients)
    both = separation([[0], [1], [2], [3]], [0, 2, 3, 5], family="binomial", trials=[4, 4, 6, 5])
    assert both.verdict == "overlap"
    assert separation([[0], [1]], [0, 1], family="binomial").verdict == "complete"
    read = Separation.from_json(found.to_json())
    read.verify(X, y, trials=trials)
    assert (read, read.left_out) == (found, 1)
    for other in ([4, 4, 7, 5, 0], None):
        with pytest.raises((CertificateError, DataError)):
            read.verify(X, y, trials=other)


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([0, 1, 2], {"family": "binomial"}, "row 2: y is 2, which is above 1: give proportions, or the numbers of tri"),
        ([0, -1, 1], {"family": "binomial"}, "row 1: y is -1, which is below 0"),
        (["a", "b", "c"], {"family": "binomial"}, "a binomial response is a number of successes or a proportion"),
        ([0, 1, 2], {"family": "binomial", "trials": [3, 3, 1]}, "row 2: y is 2, which is more than the trials"),
        ([0, 1, 0], {"family": "binomial", "trials": [3, 3, -1]}, "row 2: trials is -1.0, which is below 0"),
        ([0, 1, 0], {"family": "binomial", "trials": [3, 3]}, r"trials has the shape \(2,\)"),
        ([0, 1, 0], {"family": "binomial", "trials": ["a", 3, 3]}, "trials must hold numbers"),
        ([0, 1, 0], {"family": "binomial", "trials": [1, np.nan, 3]}, "row 1: trials is nan, which is not a finite"),
        ([0, 0, 0], {"family": "binomial", "trials": [0, 0, 0]}, "no row is left"),
        ([0, 1, 0], {"trials": [1, 1, 1]}, "trials belong to the family 'binomial', not to 'logistic'"),
        ([[0, 1]] * 3, {"family": "binomial"}, "y has two columns: give the successes as y"),
        ([0, 1, 0], {"link": "log"}, "the family 'logistic' has no link called 'log': choose from logit, probit"),
        ([0, 1, 0], {"family": "poisson", "link": "logit"}, "has no link called 'logit': choose from log"),
    ],
)
def test_a_response_that_the_family_does_not_allow(y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        separation([[0.0], [1.0], [2.0]], y, **options)


# --------------------------------------------------------------------------------------------------- the command
def asked(folder: Path, table: str, words: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the JSON of `linsep separation` of a table."""
    (folder / "t.csv").write_text(table)
    found = CliRunner().invoke(app, ["separation", str(folder / "t.csv"), *words.split(), "--json"])
    return found.exit_code, json.loads(found.stdout)


def test_trials_and_links_on_the_command_line(tmp_path: Path) -> None:
    table = "dose,killed,n\n0,0,4\n1,0,4\n2,3,6\n3,5,5\n"
    status, found = asked(tmp_path, table, "--target killed --family binomial --trials n --link probit")
    assert (status, found["separated_rows"], found["options"]) == (1, [0, 1, 3], {"link": "probit"})
    assert found["coefficients"] == {"(Intercept)": "-inf", "dose": "+inf"}
