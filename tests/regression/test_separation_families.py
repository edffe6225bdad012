"""Families of regressions: the likelihood itself, followed along rays, is the oracle; and answers known by hand."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import log_expit, log_ndtr

from in_process import run_linsep
from linsep import Separation, separation
from linsep.reporting.proof import separation_lines
from linsep.theory import CertificateError
from linsep.theory.separation.families import Outcome
from linsep.theory.separation.model_rows import risk_pairs
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
@pytest.mark.parametrize(
    ("link", "form"),
    [
        *((link, "labels") for link in ("logit", "probit", "cloglog", "cauchit")),
        ("logit", "proportions"),
        ("cloglog", "trials"),
    ],
)
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
        question = json.loads(text)["question"]
        assert read.link == question["link"] == link
        changed = {**json.loads(text), "question": {**question, "link": "logit"}}
        with pytest.raises(CertificateError, match="hash differs"):
            Separation.from_json(json.dumps(changed)).verify(X, y)
    assert "options" not in plain.to_dict()


def test_rows_without_trials_are_left_out_and_a_certificate_is_about_its_trials() -> None:
    X, y, trials = [[0], [1], [2], [3], [9]], [0, 0, 3, 5, 0], [4, 4, 6, 5, 0]
    found = separation(X, y, family="binomial", trials=trials)
    assert (found.separated_rows, found.left_out) == ((0, 1, 3), 1)
    assert "on 4 rows has no maximum" in found.summary() and "exactly 0 on 1 row;" in found.summary()
    same = separation(X[:4], np.array(y[:4]) / trials[:4], family="binomial")
    assert (same.separated_rows, same.coefficients) == (found.separated_rows, found.coefficients)
    read = Separation.from_json(found.to_json())
    read.verify(X, y, trials=trials)
    assert (read, read.left_out) == (found, 1)
    for other in ([4, 4, 7, 5, 0], None):
        with pytest.raises((CertificateError, DataError)):
            read.verify(X, y, trials=other)


# ------------------------------------------------------------------------------------------------------ log links
def log_link(family: str, A: Array, y: Array, w: Array) -> Terms:
    """The likelihood of a model with log link, dispersion 1, without what does not depend on the coefficients."""

    def terms(beta: Array) -> Array:
        eta = A @ beta
        if family == "poisson":
            return np.asarray(w * (y * eta - np.exp(np.minimum(eta, 600))))
        return np.asarray(w * (y * eta - (y + 1.5) * np.logaddexp(np.log(1.5), eta)))

    return terms


@pytest.mark.parametrize("family", ["poisson", "negative-binomial"])
def test_log_links_as_the_likelihood_says(family: Any) -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        n, intercept = int(rng.integers(2, 6)), bool(rng.integers(2))
        X = small_design(rng, n, 2 - intercept) * rng.choice([1.0, 0.5])
        y, w = rng.choice([0, 0, 1, 3], n), rng.integers(0, 3, n)
        if not w.any():
            continue
        A = np.column_stack([np.ones(n), X]) if intercept else X
        terms = log_link(family, A, y, w)
        rays = rising_rays(terms, 2, most=9)
        found = separation(X, y, family=family, weights=w, fit_intercept=intercept)
        found.verify(X, y, weights=w)
        assert (found.verdict != "overlap") == bool(rays), (X, y, w)
        assert found.left_out == (w == 0).sum()
        gained = [i for i in range(n) if any(terms(FAR * d)[i] > terms(0 * d)[i] + 1e-9 for d in rays)]
        assert list(found.separated_rows) == gained
        seen.add(found.verdict)
    assert {"overlap", "complete"} <= seen


def test_weights_leave_rows_out_and_offsets_do_not_matter() -> None:
    frame = {"site": list("aabbc"), "x": [1.0, 2.0, 4.0, 3.0, 5.0]}
    X, y = pd.DataFrame(frame), np.array([0, 1, 0, 1, 1])
    all_rows = separation(X, y)
    assert all_rows._levels == {"site": {"c": 1}}
    found = separation(X, y, weights=[0, 1, 1, 1, 1], offset=[5.0, 1, 2, 3, 4])
    found.verify(X, y, weights=[0, 1, 1, 1, 1])
    assert (found.verdict, found.separated_rows, found.left_out) == ("complete", (1, 2, 3, 4), 1)
    assert "on 4 rows" in found.summary()
    assert found._levels["site"]["a"] == 1
    assert separation(X, y, weights=[1, 1, 1, 1, 0])._levels == {}  # no row of level c is left
    same = separation(X, y, offset=np.arange(5))
    assert (same, same.to_json()) == (all_rows, all_rows.to_json())
    heavy = separation(X, y, weights=[1, 2, 3, 4, 5])
    assert (heavy.verdict, heavy.coefficients) == (all_rows.verdict, all_rows.coefficients)
    read = Separation.from_json(heavy.to_json())
    read.verify(X, y, weights=[1, 2, 3, 4, 5])
    with pytest.raises(CertificateError, match="hash differs"):
        read.verify(X, y)


# ------------------------------------------------------------------------------------------------- ordered classes
def log_difference(link: str, u: Array, v: Array) -> Array:
    """log(F(u) - F(v)) for u > v, through the tail in which it is not lost."""
    (one_u, other_u), (one_v, other_v) = logs_of(link, u), logs_of(link, v)
    high, low = np.where(u + v > 0, other_v, one_u), np.where(u + v > 0, other_u, one_v)
    return np.asarray(high + np.log(-np.expm1(low - high)))


def ordered(family: str, link: str, x: Array, codes: Array, K: int) -> Terms:
    """The likelihood of ordered classes at thresholds 0, 1, ... + beta[:K - 1] and slopes beta[K - 1:]."""

    def term(beta: Array, i: int) -> float:
        eta = np.arange(K - 1.0) + beta[: K - 1] - x[i] @ beta[K - 1 :]
        k = int(codes[i])
        if family == "cumulative":
            if (np.diff(eta) <= 0).any():
                return -inf
            if 0 < k < K - 1:
                return float(log_difference(link, eta[[k]], eta[[k - 1]])[0])
            return float(logs_of(link, eta[[0]])[0][0] if k == 0 else logs_of(link, eta[[-1]])[1][0])
        if family == "continuation":
            one, other = logs_of(link, eta)
            return float(other[:k].sum() + (one[k] if k < K - 1 else 0))
        scores = np.append(np.cumsum(eta[::-1])[::-1], 0.0)
        return float(scores[k] - np.logaddexp.reduce(scores))

    return lambda beta: np.array([term(beta, i) for i in range(len(codes))])


@pytest.mark.parametrize(
    ("family", "link"),
    [
        *(("cumulative", link) for link in ("logit", "probit", "cloglog", "cauchit")),
        ("adjacent", "logit"),
        ("continuation", "logit"),
        ("continuation", "cauchit"),
    ],
)
def test_ordered_classes_as_the_likelihood_says(family: Any, link: str) -> None:
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(12):
        n = int(rng.integers(4, 8))
        codes = np.append([0, 1, 2], rng.integers(0, 3, n - 3))
        x = np.where(rng.random((n, 1)) < 0.3, small_design(rng, n, 1), rng.choice([-1, 1]) * (codes[:, None] - 1))
        found = separation(x, codes, family=family, link=link)
        found.verify(x, codes)
        with np.errstate(divide="ignore"):
            rays = rising_rays(ordered(family, link, x, codes, 3), 3, most=2)
        assert (found.verdict != "overlap") == bool(rays), (x, codes)
        for j, said in enumerate(found.coefficients.values()):
            if isinstance(said, float):
                assert {np.sign(d[j]) for d in rays} <= {0.0, np.sign(said)}
            elif said == "finite":
                assert not any(d[j] for d in rays)
        seen.add(found.verdict)
    assert {"overlap", "quasi-complete"} <= seen


def test_ordered_classes_by_hand() -> None:
    X, y = [[0], [1], [2], [3], [4], [5]], ["low", "low", "mid", "mid", "high", "high"]
    order = ["low", "mid", "high"]
    for family in ("cumulative", "adjacent", "continuation"):
        kind: Any = family
        found = separation(X, y, family=kind, order=order)
        assert (found.verdict, found.classes) == ("complete", tuple(order))
        assert found.coefficients == {"low|mid": inf, "mid|high": inf, "x1": inf}
        assert "3 ordered classes ('low' < 'mid' < 'high')" in found.summary()
        assert found.advice[-1].startswith("Drop a column (x1) only")
        read = Separation.from_json(found.to_json())
        read.verify(X, y)
        assert read == found
    # Two ordered classes are a logistic regression with the other sign of the intercept.
    two, plain = (separation([[0.0], [1.0], [2.0]], [0, 0, 1], family=kind) for kind in ("cumulative", "logistic"))
    assert (two.coefficients["x1"], two.separated_rows) == (plain.coefficients["x1"], plain.separated_rows)
    # Categories of pandas have their order; labels that no row with a weight has are no classes.
    column = pd.Series(pd.Categorical([*y, "top"], [*order, "top", "never"], ordered=True))
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]})
    weighted = separation(frame, column, family="cumulative", weights=[1] * 6 + [0])
    assert list(weighted.coefficients) == ["low|mid", "mid|high", "x"]
    read = Separation.from_json(weighted.to_json())
    read.verify(frame, column, weights=[1] * 6 + [0])


@pytest.mark.parametrize("form", ["sparse", "doubles", "objects"])
def test_multiples_of_rows_are_exact(form: str) -> None:
    rng = np.random.default_rng(8)
    X: Any = rng.integers(-3, 4, (9, 2)) / 10.0  # three times 0.1 is no double
    codes = np.append(np.arange(5), rng.integers(0, 5, 4))
    if form == "sparse":
        X = sp.csr_matrix(X)
    elif form == "objects":
        X = np.array([[Fraction(v) for v in row] for row in X.tolist()])
    found = separation(X, codes, family="adjacent")
    found.verify(X, codes)
    whole = separation(np.round(X.toarray() * 10) if form == "sparse" else X * 10, codes, family="adjacent")
    assert (found.verdict, found.coefficients) == (whole.verdict, whole.coefficients)


# ---------------------------------------------------------------------------------------------------- Cox's model
def at_risk(i: int, time: Array, strata: Array, entry: Array) -> list[int]:
    return [j for j in range(len(time)) if entry[j] < time[i] <= time[j] and strata[i] == strata[j]]


def partial(ties: str, X: Array, time: Array, event: Array, strata: Array, entry: Array) -> Terms:
    """The logarithm of the partial likelihood, event by event."""

    def terms(beta: Array) -> Array:
        eta, out = X @ beta, []
        for i in np.flatnonzero(event):
            risk = at_risk(int(i), time, strata, entry)
            tied = [j for j in risk if event[j] and time[j] == time[i]]
            share = tied.index(int(i)) / len(tied) if ties == "efron" else 0.0
            scale = np.log([1 - share if j in tied else 1.0 for j in risk])
            out.append(eta[i] - np.logaddexp.reduce(eta[risk] + scale))
        return np.array(out)

    return terms


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("form", ["plain", "strata", "entry"])
def test_cox_as_the_partial_likelihood_says(ties: str, form: str) -> None:
    rng = np.random.default_rng(len(form))
    seen = set()
    for _ in range(40):
        n = int(rng.integers(3, 8))
        X, time = small_design(rng, n, 2), rng.integers(3, 8, n)
        event = (rng.random(n) < 0.6).astype(int)
        strata = rng.integers(0, 2, n) if form == "strata" else np.zeros(n)
        entry = time - rng.integers(1, 4, n) if form == "entry" else np.zeros(n)
        beside: dict[str, Any] = {"event": event, "strata": strata, "entry": entry}
        others = {i: [j for j in at_risk(i, time, strata, entry) if j != i] for i in np.flatnonzero(event).tolist()}
        if not any(others.values()):
            with pytest.raises(DataError, match="no event has another row at risk"):
                separation(X, time, family="cox", **beside)
            continue
        found = separation(X / 2, time, family="cox", **beside)
        found.verify(X / 2, time, **beside)
        rays = rising_rays(partial(ties, X, time, event, strata, entry), 2)
        assert (found.verdict != "overlap") == bool(rays)
        ahead = X @ np.sum(rays, axis=0) if rays else np.zeros(n)
        apart = [i for i, rest in others.items() if rest and all(ahead[i] > ahead[j] for j in rest)]
        assert list(found.separated_rows) == apart
        assert (found.verdict == "complete") == (bool(rays) and len(apart) == sum(map(bool, others.values())))
        differences = np.array([X[i] - X[j] for i, rest in others.items() for j in rest])
        assert found.rank == np.linalg.matrix_rank(differences)
        seen.add(found.verdict)
    assert {"overlap", "quasi-complete", "complete"} <= seen


def test_a_certificate_of_a_cox_model_is_about_its_events_and_entries() -> None:
    frame = pd.DataFrame({"arm": list("TTTPPP"), "age": [50, 61, 40, 45, 62, 51]})
    time, event = [2, 3, 9, 4, 5, 6], [1, 1, 0, 0, 0, 0]
    found = separation(frame, time, family="cox", event=event)
    assert (found.references, found.coefficients["arm=T"]) == ({"arm": "P"}, inf)
    read = Separation.from_json(found.to_json())
    read.verify(frame, time, event=event)
    assert read == found
    for other in ({"event": [1, 0, 0, 0, 0, 0]}, {"event": event, "entry": [0] * 6}, {}):
        with pytest.raises(CertificateError, match="hash differs"):
            read.verify(frame, time, **other)


def test_differences_of_rows_are_exact() -> None:
    rng = np.random.default_rng(9)
    tenths = rng.integers(-9, 10, (40, 3))
    time, event = rng.permutation(40), rng.random(40) < 0.7
    whole = separation(tenths, time, family="cox", event=event)
    exact = separation(
        np.array([[Fraction(v, 10) for v in row] for row in tenths.tolist()]), time, family="cox", event=event
    )
    assert (exact.verdict, exact.coefficients, exact.proof) == (whole.verdict, whole.coefficients, whole.proof)
    rounded, sparse = (
        separation(X, time, family="cox", event=event) for X in (tenths / 10, sp.csr_matrix(tenths / 10))
    )
    rounded.verify(tenths / 10, time, event=event)
    assert (sparse.verdict, sparse.coefficients) == (rounded.verdict, rounded.coefficients)
    # In doubles the two differences are opposite, and the rows would overlap.
    close = [[1.0, 1.0], [2.0**-60, 0.0], [0.0, 0.0], [1.0, 1.0]]
    found = separation(close, [1, 2, 1, 2], family="cox", strata=[0, 0, 1, 1])
    assert (found.verdict, found.separated_rows) == ("complete", (0, 2))


def test_the_pairs_of_right_censored_rows_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(10)
    n = 500
    time, event = rng.integers(0, 300, n), rng.random(n) < 0.5
    pairs = risk_pairs(Outcome(time, event=event.astype(float)))
    assert n / 2 < len(pairs.first) < 2 * n
    late = time - rng.integers(1, 200, n)
    with_entry = risk_pairs(Outcome(time, event=event.astype(float), entry=late.astype(float)))
    assert len(with_entry.first) < 6 * n
    monkeypatch.setattr("linsep.theory.separation.model_rows._MOST_PAIRS", 300)
    with pytest.raises(DataError, match="the rows at risk make more than 300 pairs to compare"):
        risk_pairs(Outcome(time, event=event.astype(float), entry=late.astype(float)))


# The family, the response of rows 0, 1 and 2, what is beside it, the row that is named, and the words.
REFUSED: list[tuple[str, Any, dict[str, Any], int | None, str]] = [
    ("binomial", [0, 1, 2], {}, 2, "y is 2, which is above 1: give proportions, or the numbers of tri"),
    ("binomial", [0, -1, 1], {}, 1, "y is -1, which is below 0"),
    ("binomial", ["a", "b", "c"], {}, None, "a binomial response is a number of successes or a proportion"),
    ("binomial", [0, 1, 2], {"trials": [3, 3, 1]}, 2, "y is 2, which is more than the trials"),
    ("binomial", [0, 1, 0], {"trials": [3, 3, -1]}, 2, "trials is -1.0, which is below 0"),
    ("binomial", [0, 1, 0], {"trials": [3, 3]}, None, r"trials has the shape \(2,\)"),
    ("binomial", [0, 1, 0], {"trials": ["a", 3, 3]}, None, "trials must hold numbers"),
    ("binomial", [0, 1, 0], {"trials": [1, np.nan, 3]}, 1, "trials is nan, which is not a finite"),
    ("binomial", [0, 0, 0], {"trials": [0, 0, 0]}, None, "no row is left"),
    ("binomial", [1, 0.5, 0], {"trials": [30] * 3}, 1, r"y is 0\.5, which is a proportion, and trials belong to numb"),
    ("binomial", [[0, 1]] * 3, {}, None, "y has two columns: give the successes as y"),
    ("logistic", [0, 1, 0], {"trials": [1, 1, 1]}, None, "trials belong to the family 'binomial', not to 'logistic'"),
    ("logistic", [0, 1, 0], {"weights": [1, -1, 1]}, 1, "weights is -1.0, which is below 0"),
    ("logistic", [0, 1, 0], {"weights": [0, 0, 0]}, None, "no row is left: every row has a weight of 0 or no trials"),
    ("logistic", [0, 1, 0], {"weights": [1, 0, 1]}, None, "every row has the label 0"),
    (
        "logistic",
        [0, 1, 0],
        {"order": [0, 1]},
        None,
        "an order of labels belongs to cumulative, adjacent, continuation",
    ),
    ("logistic", [1, 2, 3], {"event": [1, 1, 0]}, None, "event belongs to the family 'cox', not to 'logistic'"),
    ("logistic", [0, 1, 0], {"offset": [1, 0]}, None, r"offset has the shape \(2,\)"),
    ("logistic", [0, 1, 0], {"offset": [1, 0, np.inf]}, 2, "offset is inf, which is not a finite number"),
    ("logistic", [0, 1, 0], {"link": "log"}, None, "has no link called 'log': choose from logit, probit"),
    ("adjacent", ["a", "b", "c"], {}, None, "the labels a, b, c are text: say which is lower, with order="),
    ("adjacent", ["a", "b", "c"], {"order": ["a", "b"]}, None, "order lacks the label 'c'"),
    ("adjacent", ["a", "b", "c"], {"order": list("abbc")}, None, "order names a label twice"),
    ("adjacent", [0, 1, 2], {"link": "probit"}, None, "the family 'adjacent' has no link called 'probit'"),
    ("cumulative", [0, 1, 2], {"fit_intercept": False}, None, "'cumulative' has no intercept of its own"),
    ("cumulative", [1, 1, 1], {}, None, "every row has the label 1"),
    ("cox", [1, 2, 3], {"event": [1, 2, 0]}, 1, r"event is 2.0, which is neither 1 \(the event\)"),
    ("cox", [1, 2, 3], {"entry": [0, 2, 0]}, 1, "entry is 2.0, which is not before the time"),
    ("cox", [1, 2, 3], {"event": [0, 0, 0]}, None, "no event has another row at risk"),
    ("cox", [1, 2, 3], {"strata": ["a", None, "b"]}, None, "row 1 .*, column 'strata': the label is missing"),
    ("cox", [1, 2, 3], {"strata": ["a", "b"]}, None, r"strata has the shape \(2,\)"),
    ("cox", ["a", "b", "c"], {}, None, "the response of a Cox model is a time, which is a number"),
    ("cox", [1, 2, 3], {"fit_intercept": False}, None, "the family 'cox' has no intercept of its own"),
    ("conditional", [0, 1, 2], {}, 2, r"y is 2, which is neither 1 \(a case\) nor 0"),
    ("conditional", [0, 1, 0], {"event": [1, 1, 0]}, None, "event belongs to the family 'cox', not to 'conditional'"),
    ("negative-binomial", [2, 1, -1], {}, None, "a negative binomial response is a count of 0 or more, not -1"),
    ("poisson", ["a", "b", "a"], {}, None, "a Poisson response is a count, not <U1"),
    ("poisson", [0, 1, 0], {"link": "logit"}, None, "has no link called 'logit': choose from log"),
]


@pytest.mark.parametrize(("family", "y", "options", "row", "message"), REFUSED)
def test_a_response_that_the_family_does_not_allow(
    family: Any, y: Any, options: dict[str, Any], row: int | None, message: str
) -> None:
    where = "" if row is None else f"row {row} .counted from 0.: "
    with pytest.raises(DataError, match=where + message):
        separation([[0.0], [1.0], [2.0]], y, family=family, **options)


# ------------------------------------------------------------------------------------------------------ in words
def test_no_limit_is_claimed_where_none_is_determined() -> None:
    X, y = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]), [1, 1, 0, 0]
    found = separation(X, y, fit_intercept=False)
    assert found.coefficients == {"x1": inf, "x2": "undetermined sign"}
    assert "+infinity for x1; without a limit for x2." in found.summary()
    assert ("  x2", "no limit is determined") in separation_lines(found)
    assert "no limit is determined: x2" in repr(found)
    assert "no limit is determined" in found._repr_html_()
    assert found.to_dict()["coefficients"]["x2"] == "undetermined sign"
    beta = np.zeros(2)  # Newton's method keeps x2 at 0 and sends x1 away
    for _ in range(10):
        p = 1 / (1 + np.exp(-X @ beta))
        beta += np.linalg.solve((X * (p * (1 - p))[:, None]).T @ X, X.T @ (y - p))
    assert beta[0] > 8
    assert beta[1] == 0


@pytest.mark.parametrize("form", ["array", "sparse", "frame"])
def test_a_constant_column_beside_the_intercept_is_named(form: str) -> None:
    X: Any = np.array([[1.0, 0.0, 2.0, 0.0], [1.0, 1.0, 2.0, 0.0], [1.0, 2.0, 2.0, 0.0], [1.0, 3.0, 9.0, 0.0]])
    y, weights = [0, 1, 0, 1], [1, 1, 1, 0]
    if form == "sparse":
        X = sp.csr_matrix(X)
    elif form == "frame":
        X = pd.DataFrame(X, columns=["x1", "x2", "x3", "x4"])
    found = separation(X, y)
    assert found.constant_columns == ("x1",)
    assert found.advice[1].startswith(
        "Leave out x1, constant in all rows that count: so is the intercept; or ask without one"
    )
    read = Separation.from_json(found.to_json())
    read.verify(X, y)
    assert read == found
    assert separation(X, y, weights=weights).constant_columns == ("x1", "x3")
    without = separation(X, y, fit_intercept=False)
    assert (without.constant_columns, "without an intercept" in without.summary()) == (("x1",), False)
    assert not any("Leave out" in text for text in without.advice)
    assert "thresholds take its place" in separation(X, y, family="cumulative").advice[1]
    assert "the baseline hazard takes its place" in separation(X, [1, 2, 3, 4], family="cox").advice[1]


# --------------------------------------------------------------------------------------------------- the command
def asked(folder: Path, table: str, words: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the JSON of `linsep separation` of a table."""
    (folder / "t.csv").write_text(table)
    found = run_linsep(["separation", "t.csv", *words.split(), "--json"], folder)
    return found.returncode, json.loads(found.stdout)


# A table, words, and what the JSON has at some places.
COMMANDS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "dose,killed,n\n0,0,4\n1,0,4\n2,3,6\n3,5,5\n",
        "--target killed --family binomial --set trials=n --set link=probit",
        {"separated_rows": [0, 1, 3], "coefficients": {"(Intercept)": "-inf", "dose": "+inf"}, "link": "probit"},
    ),
    (
        "x,seen,w,o\n1,0,1,0.5\n1,0,2,1\n2,3,1,0\n3,1,1,0\n9,0,0,7\n",
        "--target seen --family negative-binomial --set weights=w --set offset=o",
        {"separated_rows": [], "rows_without_weight": 1, "coefficients": {"(Intercept)": "finite", "x": "finite"}},
    ),
    (
        "t,died,ward,from,x\n1,1,north,0,3\n2,1,north,0,2\n3,0,north,0,1\n5,1,south,0,1\n6,0,south,5.5,9\n",
        "--target t --family cox --set event=died --set strata=ward --set entry=from",
        {"separated_rows": [0, 1], "coefficients": {"x": "+inf"}},
    ),
    (
        "x,seen,w\n1,0,1\n,5,1\n1,0,2\n2,3,1\n3,,1\n3,1,0\n",
        "--target seen --family poisson --set weights=w --missing drop --read drop_unlabelled",
        {"separated_rows": [0, 1], "rows_without_weight": 1, "rows_left_out": [1, 4], "rows": 4},
    ),
]


@pytest.mark.parametrize(("table", "words", "wanted"), COMMANDS)
def test_columns_beside_the_target_on_the_command_line(
    table: str, words: str, wanted: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(table)
    run = run_linsep(["separation", "t.csv", *words.split(), "--json"], tmp_path)
    found = json.loads(run.stdout)
    assert run.returncode == (1 if wanted["separated_rows"] else 0)
    assert {name: {**found["question"], **found}[name] for name in wanted} == wanted


def test_an_order_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,pain\n0,low\n1,low\n2,mid\n3,mid\n4,high\n5,high\n")
    words = ["separation", "t.csv", "--target", "pain", "--family", "cumulative", "--json"]
    run = run_linsep([*words, "--set", "order=low, mid, high"], tmp_path)
    found = json.loads(run.stdout)
    assert (run.returncode, found["question"]["classes"]) == (1, ["low", "mid", "high"])
    assert found["verdict"] == "complete"


# --------------------------------------------------------------------------------------------- conditional logistic
def conditional(X: Array, y: Array, strata: Array) -> Terms:
    """The logarithm of the conditional likelihood, stratum by stratum, over all sets of as many rows as cases."""

    def terms(beta: Array) -> Array:
        eta, out = X @ beta, []
        for stratum in np.unique(strata):
            at = np.flatnonzero(strata == stratum)
            sums = [eta[list(some)].sum() for some in combinations(at.tolist(), int(y[at].sum()))]
            out.append(eta[at[y[at] > 0]].sum() - np.logaddexp.reduce(sums))
        return np.array(out)

    return terms


def test_conditional_models_as_the_likelihood_says() -> None:
    """With several cases in a stratum, which are not compared with each other; the limit is that of the rows left."""
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(60):
        n = int(rng.integers(4, 10))
        X, y, strata = small_design(rng, n, 2), rng.integers(0, 2, n), rng.integers(0, 2, n)
        pairs = [(i, j) for i in range(n) for j in range(n) if y[i] > y[j] and strata[i] == strata[j]]
        if not pairs:
            with pytest.raises(DataError, match="no stratum has a case and another row"):
                separation(X, y, family="conditional", strata=strata)
            continue
        found = separation(X, y, family="conditional", strata=strata)
        found.verify(X, y, strata=strata)
        likelihood = conditional(X, y, strata)
        rays = rising_rays(likelihood, 2)
        assert (found.verdict != "overlap") == bool(rays)
        ahead = X @ np.sum(rays, axis=0) if rays else np.zeros(n)
        left = sorted({k for i, j in pairs if ahead[i] == ahead[j] for k in (i, j)})
        seen.add(found.verdict)
        if not left:
            with pytest.raises(DataError, match="every case is separated"):
                found.drop()
            continue
        kept = found.drop()
        assert kept.rows.tolist() == left
        chosen = [("x1", "x2").index(name) for name in kept.names]
        b = np.zeros(2)
        b[chosen] = rng.normal(size=len(chosen))
        far = likelihood(b + 200 * (np.sum(rays, axis=0) if rays else 0)).sum()
        assert kept.strata is not None
        near = conditional(np.asarray(kept.X), kept.y, kept.strata)(b[chosen]).sum()
        assert far == pytest.approx(near, abs=1e-9)
    assert seen == {"overlap", "quasi-complete", "complete"}


def test_conditional_logit_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
    rng = np.random.default_rng(8)
    groups = pd.Series(np.repeat(np.arange(20), 5))
    X = pd.DataFrame({"x": rng.normal(size=100).round(1), "never": rng.random(100) < 0.2}).astype(float)
    y = rng.integers(0, 2, 100) * (X.never == 0)
    with warnings.catch_warnings(action="ignore"):
        model = sm.ConditionalLogit(y, X, groups=groups)
        fit = model.fit(disp=0, maxiter=20)
    found = separation(fit)
    assert found == separation(model) == separation(X, y, family="conditional", strata=groups)
    assert found.coefficients == {"x": "finite", "never": -inf}
    assert "the conditional logistic regression" in found.summary()
    table = found.table()
    assert table["truth"].tolist() == ["finite", "-infinity"] and table["printed"].notna().all()
    kept = found.drop()
    assert kept.names == ["x"] and (X.never[kept.rows] == 0).all()
    small = sm.ConditionalLogit(kept.y, kept.X, groups=kept.strata).fit(disp=0, method="bfgs", gtol=1e-9)
    assert small.llf == pytest.approx(model.loglike(np.array([small.params[0], -40.0])), abs=1e-8)
    assert "without an event" not in " ".join(found.advice)


def test_pairs_of_a_stratum_that_would_be_too_many_integers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences of decimals are integers of Python: as many as there are pairs of a case and another row."""
    monkeypatch.setattr("linsep.theory.separation.exact_rows._MOST_INTEGERS", 100)
    X, y = np.arange(40).reshape(20, 2) / 10 % 1.7, np.arange(20) % 2
    with pytest.raises(DataError, match="100 rows or pairs of 2 columns are too many for exact sums"):
        separation(X, y, family="conditional", strata=np.zeros(20))
