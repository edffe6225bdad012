"""What remains after the separated rows are dropped: the finite estimates are those of the whole table in the limit."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from flint import arb, arb_mat, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from scipy.stats import chi2
from test_separation import designs

from linsep import Separation, separation
from linsep.regression.drop import dependent_columns, rows_that_move
from linsep.types import Array, DataError

pytest.importorskip("formulaic", reason="the extra regression is not installed")
sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model", reason="the extra regression is not installed")


def newton(X: Array, y: Array, offset: Array, family: str) -> Array:
    """The maximum of the likelihood by plain Newton steps with halving, on columns that are independent."""
    b = np.zeros(X.shape[1])

    def value(b: Array) -> float:
        eta = X @ b + offset
        with np.errstate(over="ignore"):
            return float((y * eta - (np.logaddexp(0, eta) if family == "logistic" else np.exp(eta))).sum())

    for _ in range(200):
        eta = X @ b + offset
        mu = expit(eta) if family == "logistic" else np.exp(eta)
        w = mu * (1 - mu) if family == "logistic" else mu
        step = np.linalg.solve(X.T @ (w[:, None] * X), X.T @ (y - mu))
        while value(b + step) < value(b) - 1e-9 * abs(value(b)):
            step /= 2
        b = b + step
        if np.abs(step).max() < 1e-13:
            break
    return b


@pytest.mark.parametrize("family", ["logistic", "poisson"])
@settings(max_examples=20)
@given(data=st.data(), sparse=st.booleans())
def test_the_finite_estimates_are_the_limit_of_those_of_all_rows(family: Any, data: Any, sparse: bool) -> None:
    X, y = data.draw(designs(family))
    some = data.draw(st.integers(1, len(y) - 1))  # rows that overlap, because each is there with two outcomes
    X, y = np.vstack([X, X[:some]]), np.append(y, 1 - y[:some] if family == "logistic" else y[:some] + 1)
    found = separation(sp.csr_matrix(X.astype(float)) if sparse else X, y, family=family)
    assert found.verdict != "complete"
    kept = found.drop()
    whole = np.column_stack([np.ones(len(y)), X])
    names = list(found.coefficients)
    chosen = [names.index(name) for name in kept.names]
    X_kept = kept.X.toarray() if sparse else kept.X
    assert np.array_equal(X_kept, whole[kept.rows][:, chosen])
    assert np.array_equal(kept.y, y[kept.rows])
    assert set(range(len(y))) - set(kept.rows.tolist()) == set(found.separated_rows)
    assert np.linalg.matrix_rank(X_kept) == len(chosen) == np.linalg.matrix_rank(whole[kept.rows])
    assert sorted(kept.names + kept.dropped) == sorted(names)
    finite = [name for name, value in found.coefficients.items() if value == "finite"]
    assert kept.unchanged == finite
    told = repr(kept)
    assert told.startswith(f"<Remaining {len(kept.y)} row") and len(told) < 200
    assert all(name in told for name in [*kept.names, *kept.dropped])
    assert set(finite) <= set(kept.names)
    # Far along the direction each separated row has eta beyond 100, and the others stay. Of several directions in turn
    # this takes numbers that doubles do not hold.
    assert found.proof is not None
    if len(found.proof.cone.directions) > 1:
        return
    push = np.zeros(len(y), dtype=object)
    for d in found.proof.cone.directions:
        push = np.array(
            [sum(d.get(k, 0) * v for k, v in enumerate(row)) for row in whole.astype(int).tolist()], dtype=object
        )
    smallest = min([abs(v) for v in push.tolist() if v], default=1)
    away = np.array([float(Fraction(100 * v, smallest)) for v in push.tolist()])
    limit = newton(whole[:, chosen], y, away, family)
    here = newton(X_kept, y[kept.rows], np.zeros(len(kept.rows)), family)
    at = [kept.names.index(name) for name in finite]
    assert np.abs(limit - here)[at].max(initial=0) < 1e-8


def maximum_in_50_digits(X: Array, y: Array, away: Array, family: str) -> list[float]:
    """The maximum of the likelihood with the offset `away`, by Newton's steps in numbers of 60 digits."""
    digits, ctx.dps = ctx.dps, 60
    try:
        rows, b = arb_mat([[arb(v) for v in row] for row in X.tolist()]), arb_mat(X.shape[1], 1)
        for _ in range(40):
            eta = [e + arb(o) for e, o in zip((rows * b).entries(), away.tolist(), strict=True)]
            means = [1 / (1 + (-e).exp()) if family == "logistic" else e.exp() for e in eta]
            slopes = [m * (1 - m) if family == "logistic" else m for m in means]
            score = rows.transpose() * arb_mat([[arb(v) - m] for v, m in zip(y.tolist(), means, strict=True)])
            bent = arb_mat([[w * v for v in row] for w, row in zip(slopes, rows.tolist(), strict=True)])
            step = (rows.transpose() * bent).solve(score).mid()
            b = (b + step).mid()
            if max(abs(float(v)) for v in step.entries()) < 1e-50:
                return [float(v) for v in b.entries()]
    finally:
        ctx.dps = digits
    raise AssertionError("no maximum was found")


@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_statsmodels_agrees_on_what_remains(family: Any) -> None:
    """With the limit of all rows: 400 away along the direction, the separated rows add exp(-400) at most."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 2)), np.arange(60) >= 50, np.arange(60) >= 55])
    last = np.arange(60) >= 50
    y = np.where(last, 1, rng.random(60) < 0.5) if family == "logistic" else np.where(last, 0, rng.poisson(2.0, 60))
    found = separation(X, y.astype(int), family=family)
    kept = found.drop()
    assert (kept.names, kept.dropped) == (["(Intercept)", "x1", "x2"], ["x3", "x4"])
    of = sm.families.Binomial() if family == "logistic" else sm.families.Poisson()
    fit = sm.GLM(kept.y, kept.X, family=of).fit(tol=1e-14)
    whole, way = np.column_stack([np.ones(60), X]), 1.0 if family == "logistic" else -1.0
    limit = maximum_in_50_digits(whole[:, :3], y.astype(float), way * 400 * whole[:, 3], family)
    assert list(fit.params) == pytest.approx(limit, abs=1e-8)
    estimates = found.finite_part().estimates
    assert [estimates[name].value for name in kept.names] == pytest.approx(limit, abs=1e-11)


def test_what_is_left_can_be_fitted_again() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=30), "kind": list("abc") * 10}, index=[f"r{k}" for k in range(30)])
    y, weights = rng.poisson(2.0, 30), rng.integers(0, 3, 30)
    y[frame.kind == "c"] = 0
    offset = pd.Series(rng.normal(size=30), index=frame.index)
    found = separation(frame, y, family="poisson", weights=weights, offset=offset)
    kept = found.drop()
    left = (frame.kind != "c") & (weights > 0)
    assert kept.frame.index.tolist() == frame.index[left].tolist()
    assert kept.frame.columns.tolist() == kept.names == ["(Intercept)", "x", "kind=b"]
    assert kept.frame["x"].tolist() == frame.x[left].tolist()
    fit = sm.GLM(kept.y, kept.frame, family=sm.families.Poisson(), freq_weights=kept.weights, offset=kept.offset).fit(
        tol=1e-14
    )
    estimates = found.finite_part().estimates
    assert [estimates[name].value for name in kept.names] == pytest.approx(list(fit.params), abs=1e-8)
    sparse = separation(sp.csr_matrix(kept.X[:, 1:]), kept.y, family="poisson").drop()
    assert sparse.frame.to_numpy().tolist() == kept.X.tolist()
    assert sparse.index is None and sparse.trials is None
    killed = separation(frame[["x"]], np.minimum(y, 3), family="binomial", trials=np.full(30, 3)).drop()
    assert killed.trials is not None and killed.trials.tolist() == [3.0] * len(killed.rows)


def test_of_columns_that_say_the_same_the_last_is_left_out() -> None:
    X = np.array([[1, 0, 2], [1, 0, 2], [1, 0, 5], [1, 0, 5], [0, 1, 3]])
    found = separation(X, [0, 1, 0, 1, 1])
    kept = found.drop()
    assert (kept.names, kept.dropped) == (["(Intercept)", "x3"], ["x1", "x2"])
    assert separation(kept.X[:, 1:], kept.y).verdict == "overlap"


def test_rows_of_a_formula_are_those_of_the_table() -> None:
    frame = pd.DataFrame({"y": [1, 0, 2, 0, 0, 3, 1], "x": [1, 2, np.nan, 1, 2, 5, 3], "firm": list("aaabbcc")})
    frame.index = pd.Index(list("tuvwxyz"))
    kept = separation("y ~ x | firm", data=frame, family="poisson").drop()
    assert kept.rows.tolist() == [0, 1, 5, 6]
    assert kept.frame.index.tolist() == list("tuyz")
    assert (kept.names, kept.dropped, kept.unchanged) == (["x", "firm=a", "firm=c"], ["firm=b"], ["x"])


def test_a_multinomial_model_is_dropped_from_where_whole_rows_are_separated() -> None:
    X = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [1, 0], [1, 0], [0, 1]])
    y = np.array(list("abcabca"))
    found = separation(X, y, family="multinomial")
    assert found.separated_rows == (6,)
    kept = found.drop()
    assert (kept.names, kept.dropped, kept.rows.tolist()) == (["(Intercept)", "x1"], ["x2"], [0, 1, 2, 3, 4, 5])
    assert ("b", "x1") in kept.unchanged
    partly = separation([[0], [1], [0], [1], [2], [2]], list("aabbcc"), family="multinomial")
    with pytest.raises(
        DataError, match=r"row 0 .counted from 0. is separated from some of the other classes only \(4 such rows\)"
    ):
        partly.drop()


def test_the_finite_part_is_printed_as_a_table() -> None:
    X = pd.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "new": [0, 0, 0, 0, 1, 1]})
    part = separation(X, [0, 1, 0, 1, 1, 1]).finite_part()
    lines = str(part).splitlines()
    assert lines[0].split() == ["estimate", "error", "lower", "upper"]
    assert {line.split()[0]: line.split()[1] for line in lines[1:4]} == {
        name: f"{part.estimates[name].value:.4g}" for name in part.estimates
    }
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[4].startswith("new = 0: chi-squared ")
    assert lines[6] == "limits at 95%: Wald of finite estimates, profile likelihood of infinite ones"


@pytest.mark.parametrize("n", [1, 3, 50])
def test_of_a_cell_of_zeros_the_limit_is_known(n: int) -> None:
    """n counts of 0: the log-likelihood is -n exp(b), so exp(b) = quantile / (2 n)."""
    X = np.column_stack([np.arange(n + 2) < n, np.arange(n + 2) >= n]).astype(int)
    found = separation(X, [0] * n + [1, 2], family="poisson", fit_intercept=False)
    upper = found.finite_part(0.95).estimates["x1"].upper
    assert np.exp(upper) == pytest.approx(chi2.ppf(0.95, 1) / (2 * n), rel=1e-9)
    # All rows separated: nothing remains, and the least upper bound is 0.
    alone = separation([[1.0]] * n, [0] * n, family="poisson", fit_intercept=False).finite_part(0.95)
    assert alone.estimates["x1"].upper == pytest.approx(upper, abs=1e-9)
    assert (alone.log_likelihood, alone.n_rows) == (0.0, 0)


def test_a_coefficient_whose_place_another_takes_has_no_limit() -> None:
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 2]])
    part = separation(X, [0, 1, 1, 1, 1]).finite_part()
    assert part.estimates["x1"][2:] == part.estimates["x2"][2:] == (-np.inf, np.inf)
    twice = separation([[1, 1], [2, 2], [3, 3]], [0, 1, 0]).finite_part()
    assert np.isnan(twice.estimates["x1"].value)
    with pytest.raises(DataError, match="level is a number between 0 and 1, not 95"):
        separation(X, [0, 1, 1, 1, 1]).finite_part(95)
    for options in ({"family": "cumulative"}, {"family": "multinomial", "weights": np.arange(5) + 1}):
        with pytest.raises(DataError, match=f"no likelihood of the family '{options['family']}' with"):
            separation(X, [0, 1, 2, 1, 1], **options).finite_part()


def test_what_cannot_be_dropped() -> None:
    X, y = [[0], [1], [2]], [0, 0, 1]
    found = separation(X, y)
    with pytest.raises(DataError, match="every row is separated: no row remains"):
        found.drop()
    with pytest.raises(DataError, match="read from JSON"):
        Separation.from_json(found.to_json()).drop()
    with pytest.raises(DataError, match="undecided, so nothing can be done"):
        separation(X, y, time_limit=0.0).drop()


def test_firth_fits_the_whole_design() -> None:
    firthmodels = pytest.importorskip("firthmodels", reason="firthmodels is not installed")
    X, y = np.array([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]]), np.array(["no", "yes", "no", "yes", "yes"])
    found = separation(X, y).firth(max_iter=100, backend="numpy")
    plain = firthmodels.FirthLogisticRegression(max_iter=100, backend="numpy").fit(
        X.astype(float), (y == "yes").astype(int)
    )
    assert found.coef_.tolist() == plain.coef_.tolist()
    assert np.isfinite(found.coef_).all()
    assert found.feature_names_in_.tolist() == ["x1", "x2"]
    frame = pd.DataFrame({"age": X[:, 1], "dose": np.where(X[:, 0] == 1, "top", "low")})
    named = separation(frame, y).firth(max_iter=100, backend="numpy")
    by_name = dict(zip(named.feature_names_in_, named.coef_, strict=True))
    assert by_name == {"dose=top": pytest.approx(plain.coef_[0]), "age": pytest.approx(plain.coef_[1])}
    assert named.conf_int().shape == (3, 2)
    assert named.conf_int().mean(axis=1)[:2] == pytest.approx(named.coef_)
    assert named.conf_int()[2].mean() == pytest.approx(named.intercept_)
    named.lrt("dose=top")
    plain.lrt(0)
    assert np.nanmax(named.lrt_pvalues_) == pytest.approx(np.nanmax(plain.lrt_pvalues_))
    # Of one column of 0 and 1 the estimates are those of counts with 1/2 added to each cell.
    one = separation([[0]] * 4 + [[1]] * 3, [0, 1, 0, 1, 1, 1, 1]).firth(gtol=1e-10, xtol=1e-10, backend="numpy")
    assert one.coef_[0] == pytest.approx(np.log(3.5 / 0.5), abs=1e-6)


def test_what_firth_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="firth fits logistic and binomial regressions with the logit link, and Cox"):
        separation([[0], [1]], [0, 3], family="poisson").firth()
    with pytest.raises(DataError, match="not identified: leave out columns first"):
        separation([[1, 1], [2, 2], [3, 3]], [0, 1, 0]).firth()
    monkeypatch.setitem(sys.modules, "firthmodels", None)
    with pytest.raises(ImportError, match="not installed: pip install firthmodels"):
        separation([[0], [1], [2]], [0, 0, 1]).firth()


def test_rows_that_drive_a_coefficient() -> None:
    X = np.array([[0, 1], [0, 2], [0, 3], [1, 0], [1, -2], [1, 2]])
    found = separation(X, [0, 1, 0, 1, 1, 1])
    assert found.separated_rows == (3, 4, 5)
    assert rows_that_move(found) == {"(Intercept)": {}, "x1": {3: 1, 4: 1, 5: 1}, "x2": {}}
    low = separation(X, [0, 1, 0, 0, 0, 0], family="logistic")
    assert rows_that_move(low)["x1"] == {3: -1, 4: -1, 5: -1}
    several = separation([[0], [1], [0], [1], [2], [2]], list("aabbcc"), family="multinomial")
    assert rows_that_move(several)["c", "x1"] == {1: -1, 3: -1, 4: 1, 5: 1}


def test_the_table_says_what_is_true_of_each_coefficient() -> None:
    frame = pd.DataFrame({"x": [1, -1, 1, -1, 0, 0], "z": [1, 1, -1, -1, 0, 0], "w": 2})
    table = separation(frame, [1, 0, 1, 0, 1, 0]).table()
    assert table["truth"].to_dict() == {
        "(Intercept)": "not identified",
        "x": "+infinity",
        "z": "without a limit",
        "w": "not identified",
    }
    assert table.loc["x", "rows"] == "0, 1, 2, 3"
    assert table.attrs["notes"] == ["4 of 6 rows are separated (quasi-complete)."]
    through = separation([[0], [0], [1], [1]], [0, 0, 0, 1]).table()  # x makes up for the intercept
    assert through[["truth", "rows"]].to_numpy().tolist() == [["-infinity", "0, 1"], ["+infinity", ""]]
    ordered = separation(frame[["x"]], [0, 1, 2, 0, 1, 2], family="cumulative").table()
    assert list(ordered.columns) == list(table.columns) and ordered["estimate"].isna().all()
    assert ordered.attrs["notes"][1].startswith("No estimates: ")


def partial_likelihood(X: Any, time: Any, event: Any, strata: Any, entry: Any, b: Any) -> float:
    """Cox's partial likelihood with Breslow's ties, its logarithm, as it is defined."""
    eta, total = X @ b, 0.0
    for i in np.flatnonzero(event):
        at_risk = (time >= time[i]) & (entry < time[i]) & (strata == strata[i])
        total += eta[i] - logsumexp(eta[at_risk])
    return total


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_a_cox_model_that_no_event_meets_can_be_dropped(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 60
    stage = rng.integers(0, 3, n)
    X = np.column_stack([rng.normal(size=n).round(1), stage == 1, stage == 2]).astype(float)
    strata, time = rng.integers(0, 2, n), rng.integers(5, 40, n).astype(float)
    entry = np.where(rng.random(n) < 0.3, time - 4, 0.0)
    event = np.where(stage == 2, 0, rng.random(n) < 0.6).astype(int)
    beside: Any = {"event": event, "strata": strata, "entry": entry}
    found = separation(X, time, family="cox", **beside)
    assert found.coefficients["x3"] == -np.inf
    kept = found.drop()
    gone = np.setdiff1d(np.arange(n), kept.rows)
    met = [((time[i] <= time) & (entry < time[i]) & (strata == strata[i])) for i in np.flatnonzero(event)]
    assert gone.tolist() == np.flatnonzero((stage == 2) & np.any(met, axis=0)).tolist()
    assert (kept.dropped, kept.unchanged) == (["x3"], ["x1", "x2"])
    for b in rng.normal(size=(3, 2)):
        far = partial_likelihood(X, time, event, strata, entry, [*b, -60.0])
        near = partial_likelihood(kept.X, kept.y, kept.event, kept.strata, kept.entry, b)
        assert far == pytest.approx(near, abs=1e-9)


def test_rows_of_a_cox_model_that_stay_at_risk_at_some_events_only() -> None:
    """The limit is a model whose strata are the rows of equal scores."""
    complete = separation([[3.0], [2.0], [1.0]], [1, 2, 3], family="cox")
    with pytest.raises(DataError, match="every event is separated from all other rows at risk"):
        complete.drop()
    part = complete.finite_part()
    assert (part.n_rows, part.log_likelihood) == (0, 0.0)
    assert part.tests["x1"].statistic == pytest.approx(
        2 * np.log(6)
    )  # all orders are as likely with a coefficient of 0
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=24).round(1), np.arange(24) < 12]).astype(float)  # the first half dies first
    time, event = np.arange(1.0, 25.0), (np.arange(24) % 4 > 0).astype(int)
    event[:12] = 1
    found = separation(X, time, event=event, family="cox")
    assert found.coefficients == {"x1": "finite", "x2": np.inf}
    kept = found.drop()
    # Row 12 is censored before the first event of its half, and behind at all earlier ones.
    assert (kept.names, kept.rows.tolist(), np.unique(np.asarray(kept.strata)).size) == (
        ["x1"],
        [*range(12), *range(13, 24)],
        2,
    )
    none = np.zeros(24)
    for b in (-0.5, 0.0, 1.3):
        far = partial_likelihood(X, time, event, none, none, [b, 60.0])
        near = partial_likelihood(kept.X, kept.y, kept.event, kept.strata, none[kept.rows], [b])
        assert far == pytest.approx(near, abs=1e-9)


def cox_profile(X: Any, beside: Any, j: int, b: float) -> float:
    time, event, strata, entry = beside

    def loss(rest: Array) -> float:
        return -float(partial_likelihood(X, time, event, strata, entry, np.insert(rest, j, b)))

    width = X.shape[1] - 1
    return -float(minimize(loss, np.zeros(width), method="L-BFGS-B", bounds=[(-40, 40)] * width, tol=1e-13).fun)


@pytest.mark.parametrize("seed", range(3))
def test_a_cox_model_has_estimates_and_limits_of_its_profile(seed: int) -> None:
    """Beside PHReg on the rows that remain, and a general search with the coefficient held."""
    rng = np.random.default_rng(seed)
    n = 50
    stage = rng.integers(0, 3, n)
    X = np.column_stack([rng.normal(size=n).round(1), stage == 1, stage == 2]).astype(float)
    strata, time = rng.integers(0, 2, n), rng.integers(5, 25, n).astype(float)
    entry = np.where(rng.random(n) < 0.3, time - 4.5, 0.0)
    event = np.where(stage == 2, 0, rng.random(n) < 0.6).astype(int)
    found = separation(X, time, family="cox", event=event, strata=strata, entry=entry)
    part, kept = found.finite_part(), found.drop()
    fit = sm.PHReg(kept.y, kept.X, status=kept.event, strata=kept.strata, entry=kept.entry).fit()
    assert part.log_likelihood == pytest.approx(fit.llf, abs=1e-9)
    for name, b, error in zip(kept.names, fit.params, fit.bse, strict=True):
        assert part.estimates[name][:2] == pytest.approx((b, error), abs=1e-6)
    beside = (time, event, strata, entry)
    value, _, lower, upper = part.estimates["x3"]
    assert (value, lower) == (-np.inf, -np.inf)
    fallen = 2 * (part.log_likelihood - cox_profile(X, beside, 2, upper))
    assert fallen == pytest.approx(chi2.ppf(0.95, 1), abs=1e-4)
    at_0 = 2 * (part.log_likelihood - cox_profile(X, beside, 2, 0.0))
    assert part.tests["x3"].statistic == pytest.approx(at_0, abs=1e-4)
    table = found.table()
    for end in table.loc["x1", ["lower", "upper"]]:
        far = found.finite_part().log_likelihood - cox_profile(X, beside, 0, end)
        assert 2 * far == pytest.approx(chi2.ppf(0.95, 1), abs=1e-3)
    assert "hazard ratio below" in found.paragraph()


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_ties_and_weights_count_as_the_fit_has_them(ties: str) -> None:
    rng = np.random.default_rng(1)
    X, time, event = rng.normal(size=(40, 2)), rng.integers(1, 9, 40) * 1.0, rng.integers(0, 2, 40)
    fit = sm.PHReg(time, X, status=event, ties=ties).fit()
    part = separation(fit).finite_part()
    assert part.log_likelihood == pytest.approx(fit.llf, abs=1e-9)
    for told, b, error in zip(part.estimates.values(), fit.params, fit.bse, strict=True):
        assert told[:2] == pytest.approx((b, error), abs=1e-6)
    weights = rng.integers(1, 4, 40)
    if ties == "breslow":  # weights are numbers of equal rows
        often = np.repeat(np.arange(40), weights)
        one = separation(X, time, family="cox", event=event, weights=weights).finite_part()
        each = separation(X[often], time[often], family="cox", event=event[often]).finite_part()
        for name, told in one.estimates.items():
            assert told == pytest.approx(each.estimates[name], abs=1e-8)


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")  # without the penalty one estimate is infinite
def test_firth_fits_cox_regressions() -> None:
    firthmodels = pytest.importorskip("firthmodels", reason="firthmodels is not installed")
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=30), np.arange(30) >= 24])
    time, event = rng.integers(1, 20, 30) * 1.0, np.where(np.arange(30) >= 24, 0, 1)
    found = separation(pd.DataFrame(X, columns=["age", "new"]), time, family="cox", event=event)
    fitted = found.firth()
    plain = firthmodels.FirthCoxPH(backend="numpy").fit(X, (event > 0, time))
    assert fitted.coef_.tolist() == plain.coef_.tolist() and np.isfinite(fitted.coef_).all()
    assert fitted.feature_names_in_.tolist() == ["age", "new"]
    # Without the penalty the finite estimate is that of the limit: ties are Breslow's there too.
    free = found.firth(penalty_weight=0.0, max_iter=500, gtol=1e-7)
    assert free.coef_[0] == pytest.approx(found.finite_part().estimates["age"].value, abs=1e-6)
    with pytest.raises(DataError, match="firthmodels fits Cox regressions without strata"):
        separation(X, time, family="cox", event=event, strata=np.arange(30) % 2).firth()


@pytest.mark.parametrize(("family", "distr"), [("cumulative", "logit"), ("cumulative", "probit")])
def test_rows_of_an_ordered_model_can_be_dropped(family: Any, distr: str) -> None:
    """Tanks all of whose fish are in the lowest class, or in the highest, say nothing about the others."""
    rng = np.random.default_rng(4)
    tank, size = np.repeat(list("abcd"), 12), rng.normal(size=48).round(1)
    score = np.where(tank == "c", 0, np.where(tank == "d", 2, rng.integers(0, 3, 48)))
    frame = pd.DataFrame({"size": size, "tank": tank})
    found = separation(frame, score, family=family, link=distr)
    assert found.coefficients["tank=c"] == -np.inf and found.coefficients["tank=d"] == np.inf
    kept = found.drop()
    assert kept.rows.tolist() == list(range(24))
    assert (kept.names, kept.dropped) == (["size", "tank=b"], ["tank=c", "tank=d"])
    assert kept.unchanged == ["0|1", "1|2", "size", "tank=b"]
    small = ordinal.OrderedModel(kept.y, kept.X, distr=distr).fit(method="bfgs", disp=0, gtol=1e-9)
    whole = pd.get_dummies(frame, columns=["tank"], drop_first=True).astype(float)
    large = ordinal.OrderedModel(score, whole, distr=distr)
    far = [*small.params[:2], -30.0, 30.0, *small.params[2:]]
    assert large.loglike(np.array(far)) == pytest.approx(small.llf, abs=1e-9)
    assert np.abs(large.score(np.array(far))).max() < 1e-4
    partly = separation([[0], [1], [1], [2], [2], [3]], [0, 0, 1, 1, 2, 2], family=family)
    with pytest.raises(DataError, match="separated from some of the other classes only"):
        partly.drop()


def test_an_ordered_model_without_a_class_is_not_dropped_from() -> None:
    found = separation([[0, 0], [1, 0], [0, 0], [1, 0], [0, 1], [0, 1]], [0, 0, 1, 1, 2, 2], family="cumulative")
    assert found.coefficients["x2"] == np.inf
    with pytest.raises(DataError, match="separated from some of the other classes only"):
        found.drop()


def test_columns_of_a_wide_table_that_remain_are_independent() -> None:
    X = np.random.default_rng(0).integers(-3, 4, size=(4, 12)).astype(float)
    found = separation(X, [0, 1, 2, 0], family="poisson").drop()
    assert np.linalg.matrix_rank(found.X) == found.X.shape[1] == 2
    assert len(found.dropped) == 11


def test_a_wide_table_with_a_row_of_no_events_has_a_finite_part() -> None:
    X = np.random.default_rng(0).integers(-3, 4, size=(2, 9)).astype(float)
    found = separation(X, [1, 0], family="poisson").finite_part()
    assert np.isfinite(found.log_likelihood)


def test_columns_that_depend_on_each_other_modulo_one_prime_are_kept() -> None:
    assert dependent_columns(np.array([[2.0**31, 1.0], [1.0, 2.0**30]])) == []  # their determinant is 2^61 - 1
    assert dependent_columns(np.array([[2.0**31, 2.0**32], [1.0, 2.0]])) == [1]
