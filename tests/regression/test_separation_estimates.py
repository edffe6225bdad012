"""Estimates of what is finite: offsets, weights, trials and links count, and statsmodels has the same numbers."""

from __future__ import annotations

import html
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression, PoissonRegressor

from linsep import CertificateError, FinitePart, Separation, SeparationError, guard, separation
from linsep.data.sources.open import open_data
from linsep.theory.separation.likelihood import Likelihood
from linsep.theory.words.of_regressions import SAID
from linsep.types import Array, DataError

pytest.importorskip("formulaic", reason="the extra regression is not installed")
sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
smf = pytest.importorskip("statsmodels.formula.api", reason="the extra regression is not installed")

N = 80
RNG = np.random.default_rng(16)
FRAME = pd.DataFrame({"x": RNG.normal(size=N), "rare": (np.arange(N) >= 72).astype(float)})
YES = np.where(FRAME.rare == 1, 1.0, RNG.integers(0, 2, N))
COUNTS = np.where(FRAME.rare == 1, 0.0, RNG.poisson(2.0, N))
OFFSET = RNG.normal(size=N)
WEIGHTS = RNG.integers(1, 5, N).astype(float)
TRIALS = RNG.integers(1, 6, N).astype(float)
KILLED = np.where(FRAME.rare == 1, TRIALS, RNG.binomial(TRIALS.astype(int), 0.4))
KEPT = FRAME.rare == 0


def overlapping(model: Any, y: Array, **beside: Array) -> Any:
    """The fit of statsmodels to the rows that are not separated."""
    X = sm.add_constant(FRAME[["x"]])[KEPT]
    return model(sm)(y[KEPT], X, **{name: column[KEPT] for name, column in beside.items()})


def glm(family: str, link: str | None = None) -> Any:
    def made(sm: Any) -> Any:
        of = getattr(sm.families, family)(*([] if link is None else [getattr(sm.families.links, link)()]))
        return lambda y, X, **beside: sm.GLM(y, X, family=of, **beside)

    return made


def check(part: FinitePart, fit: Any) -> None:
    """Estimates and errors to 1e-8, and the likelihood; the intercept may have another name."""
    names = [name for name in part.estimates if name != "rare"]
    assert [part.estimates[name].value for name in names] == pytest.approx(list(fit.params), abs=1e-8)
    assert [part.estimates[name].error for name in names] == pytest.approx(list(fit.bse), abs=1e-8)
    limits = [end for name in names for end in part.estimates[name][2:]]
    assert limits == pytest.approx(np.ravel(fit.conf_int()).tolist(), abs=1e-7)
    assert part.log_likelihood == pytest.approx(fit.llf, abs=1e-8)
    assert part.n_rows == KEPT.sum()
    assert np.isinf(part.estimates["rare"].value)


def of_error(model: Any, *args: Any, **options: Any) -> Any:
    """What the guard found."""
    with pytest.raises(SeparationError) as caught:
        guard(model).fit(*args, **options)
    return caught.value.separation


CASES: list[Any] = [
    ("poisson", COUNTS, {"offset": OFFSET}, glm("Poisson"), COUNTS, {"offset": OFFSET}),
    ("poisson", COUNTS, {"weights": WEIGHTS}, glm("Poisson"), COUNTS, {"freq_weights": WEIGHTS}),
    ("logistic", YES, {"offset": OFFSET}, glm("Binomial"), YES, {"offset": OFFSET}),
    (
        "logistic",
        YES,
        {"weights": WEIGHTS, "offset": OFFSET},
        glm("Binomial"),
        YES,
        {"freq_weights": WEIGHTS, "offset": OFFSET},
    ),
    ("binomial", KILLED, {"trials": TRIALS}, glm("Binomial"), np.column_stack([KILLED, TRIALS - KILLED]), {}),
    (
        "binomial",
        KILLED,
        {"trials": TRIALS, "weights": WEIGHTS, "offset": OFFSET},
        glm("Binomial"),
        np.column_stack([KILLED, TRIALS - KILLED]),
        {"freq_weights": WEIGHTS, "offset": OFFSET},
    ),
]


@pytest.mark.parametrize(("family", "y", "beside", "model", "endog", "same"), CASES)
def test_statsmodels_agrees_on_the_rows_that_overlap(
    family: Any, y: Array, beside: Any, model: Any, endog: Array, same: Any
) -> None:
    fit = overlapping(model, endog, **same).fit(tol=1e-14)
    check(separation(FRAME, y, family=family, **beside).finite_part(), fit)


@pytest.mark.parametrize("link", ["probit", "cloglog"])
def test_statsmodels_agrees_with_other_links(link: str) -> None:
    """Newton's method of GLM takes the observed information, as its Probit does."""
    fit = overlapping(glm("Binomial", {"probit": "Probit", "cloglog": "CLogLog"}[link]), YES).fit(
        method="newton", tol=1e-14
    )
    check(separation(FRAME, YES, link=link).finite_part(), fit)


def test_the_guard_of_statsmodels_keeps_offset_weights_and_trials() -> None:
    X, exposure = FRAME.assign(one=1.0), np.exp(OFFSET)
    fit = overlapping(glm("Poisson"), COUNTS, offset=OFFSET).fit(tol=1e-14)
    poisson, binomial = sm.families.Poisson(), sm.families.Binomial()
    both = {"offset": OFFSET / 2, "exposure": np.exp(OFFSET / 2)}
    for model in (
        sm.Poisson(COUNTS, X, exposure=exposure),
        sm.Poisson(COUNTS, X, offset=OFFSET),
        sm.GLM(COUNTS, X, family=poisson, exposure=exposure),
        sm.GLM(COUNTS, X, family=poisson, **both),
    ):
        part = of_error(model, disp=0).finite_part()
        assert [part.estimates[name].value for name in ("one", "x")] == pytest.approx(list(fit.params), abs=1e-8)
        assert part.log_likelihood == pytest.approx(fit.llf, abs=1e-8)
    weighted = of_error(sm.GLM(COUNTS, X, family=poisson, freq_weights=WEIGHTS)).finite_part()
    fit = overlapping(glm("Poisson"), COUNTS, freq_weights=WEIGHTS).fit(tol=1e-14)
    assert [weighted.estimates[name].error for name in ("one", "x")] == pytest.approx(list(fit.bse), abs=1e-8)
    every = np.column_stack([YES * TRIALS, (1 - YES) * TRIALS])  # all or nothing
    found = of_error(sm.GLM(every, X, family=binomial))
    assert found.family == "binomial"
    fit = overlapping(glm("Binomial"), every).fit(tol=1e-14)
    part = found.finite_part()
    assert [part.estimates[name].value for name in ("one", "x")] == pytest.approx(list(fit.params), abs=1e-8)
    assert [part.estimates[name].error for name in ("one", "x")] == pytest.approx(list(fit.bse), abs=1e-8)
    some = of_error(sm.GLM(np.column_stack([KILLED, TRIALS - KILLED]), X, family=binomial))
    assert some._question.outcome.y.tolist() == KILLED.tolist()


def test_what_the_likelihood_lacks_is_refused() -> None:
    X, poisson = FRAME.assign(one=1.0), sm.families.Poisson()
    found = of_error(sm.GLM(COUNTS, X, family=poisson, var_weights=WEIGHTS))
    with pytest.raises(DataError, match="var_weights, which are no numbers of rows: fit what drop"):
        found.finite_part()
    assert found.drop().names == ["x", "one"]
    with pytest.raises(DataError, match="asks for cov_type='HC1', and errors and limits here"):
        of_error(sm.GLM(COUNTS, X, family=poisson), cov_type="HC1").finite_part()
    robust = sm.GLM(COUNTS, X, family=poisson).fit(cov_type="HC1")  # whose estimates are those of the likelihood
    table, own = separation(robust).table(), overlapping(glm("Poisson"), COUNTS).fit(tol=1e-14)
    assert table.columns.tolist() == ["printed", "printed_error", "truth", "estimate", "rows"]
    assert table.loc[["one", "x"], "estimate"].tolist() == pytest.approx(list(own.params), abs=1e-8)
    assert table.loc["rare", "estimate"] == -np.inf
    kept, lost, why = table.attrs["notes"][1:]
    assert kept == "These printed estimates may be kept: x, one."
    assert lost == "These printed numbers are not those of the likelihood's maximum: rare."
    assert why.startswith("No errors, limits and tests: the fit asks for cov_type='HC1'")
    assert separation(robust).table(exp=True).loc["x", "estimate"] == pytest.approx(np.exp(own.params["x"]))
    paragraph = separation(robust).paragraph()
    assert re.search(
        r"Finite estimates are those of the 72 rows that are not separated: x [\d.e-]+, one [\d.e-]+\.", paragraph
    )
    with pytest.raises(DataError, match="asks for scale='X2'"):
        of_error(sm.GLM(COUNTS, X, family=poisson), scale="X2").finite_part()
    with pytest.raises(DataError, match="whole numbers of successes and trials, and these are proportions"):
        separation(FRAME, KILLED / TRIALS, family="binomial").finite_part()
    with pytest.raises(DataError, match="no likelihood of the family 'logistic' with the link 'cauchit'"):
        separation(FRAME, YES, link="cauchit").finite_part()


@pytest.mark.parametrize("class_weight", [{0: 5, 1: 1}, "balanced"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_guard_of_sklearn_keeps_weights(class_weight: Any, weights: Any) -> None:
    if class_weight == "balanced":
        pytest.importorskip("sklearn", minversion="1.7", reason="scikit-learn balanced counts, not weights")
    found = of_error(LogisticRegression(C=np.inf, class_weight=class_weight), FRAME, YES, sample_weight=weights)
    told = np.ones(N) if weights is None else weights
    sums = [told[k == YES].sum() for k in (0, 1)]
    shares = [5.0, 1.0] if isinstance(class_weight, dict) else [told.sum() / (2 * part) for part in sums]
    fit = overlapping(glm("Binomial"), YES, freq_weights=told * np.where(YES == 1, shares[1], shares[0])).fit(tol=1e-14)
    check(found.finite_part(), fit)


def test_the_guard_of_sklearn_keeps_weights_of_rows() -> None:
    found = of_error(PoissonRegressor(alpha=0), FRAME, COUNTS, sample_weight=WEIGHTS)
    check(found.finite_part(), overlapping(glm("Poisson"), COUNTS, freq_weights=WEIGHTS).fit(tol=1e-14))
    gone = guard(LogisticRegression(C=np.inf, class_weight={0: 0, 1: 1, 2: 1}), on_separation="warn")
    with pytest.raises(DataError, match=r"no row of the class 0\S* has a weight"):  # the model has it all the same
        gone.fit(FRAME, np.append(YES[:-1], 2), sample_weight=1.0)


def test_weights_are_numbers_of_rows() -> None:
    """Also for limits of what is infinite, and rows with a weight of 0 are not there."""
    weights = np.where(np.arange(N) % 7 == 0, 0, WEIGHTS).astype(int)
    part = separation(FRAME, YES, weights=weights, offset=OFFSET).finite_part()
    rows = np.repeat(np.arange(N), weights)
    plain = separation(FRAME.iloc[rows], YES[rows], offset=OFFSET[rows]).finite_part()
    for name, found in plain.estimates.items():
        assert part.estimates[name] == pytest.approx(found, abs=1e-8, nan_ok=True)
    assert part.tests["rare"] == pytest.approx(plain.tests["rare"], abs=1e-8)
    assert part.n_rows == (weights[KEPT] > 0).sum()


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "log"])
def test_limits_are_where_statsmodels_has_the_profile_likelihood(link: str) -> None:
    """With offset and weights: the fit of all rows, the infinite coefficient held, lies 3.84 / 2 below the bound."""
    links = sm.families.links
    named = {"logit": links.Logit, "probit": links.Probit, "cloglog": links.CLogLog}
    of = sm.families.Poisson() if link == "log" else sm.families.Binomial(named[link]())
    family: Any = "poisson" if link == "log" else "logistic"
    y = COUNTS if link == "log" else YES
    part = separation(FRAME, y, family=family, link=link, weights=WEIGHTS, offset=OFFSET).finite_part()

    def held(b: float) -> float:
        model = sm.GLM(
            y, sm.add_constant(FRAME[["x"]]), family=of, freq_weights=WEIGHTS, offset=OFFSET + b * FRAME.rare
        )
        return float(model.fit(tol=1e-13).llf)

    estimate = part.estimates["rare"]
    limit = estimate.upper if estimate.value < 0 else estimate.lower
    assert 2 * (part.log_likelihood - held(limit)) == pytest.approx(chi2.ppf(0.95, 1), abs=1e-6)
    assert part.tests["rare"].statistic == pytest.approx(2 * (part.log_likelihood - held(0.0)), abs=1e-8)


@pytest.mark.parametrize("far", [-900.0, -40.0, 40.0, 900.0])
@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_a_large_offset_moves_the_intercept_alone(family: Any, far: float) -> None:
    y = YES if family == "logistic" else COUNTS
    plain = separation(FRAME, y, family=family).finite_part()
    moved = separation(FRAME, y, family=family, offset=np.full(N, far)).finite_part()
    assert moved.estimates["(Intercept)"].value == pytest.approx(plain.estimates["(Intercept)"].value - far, abs=1e-8)
    assert moved.estimates["x"] == pytest.approx(plain.estimates["x"], abs=1e-7)
    assert moved.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "log"])
def test_derivatives_are_those_of_the_value(link: str) -> None:
    one, eta, h = np.ones(1), np.linspace(-8, 3, 23), 1e-5
    for k in (0.0, 2.0, 5.0):
        rows = Likelihood(link, k * one, 5 * one, 3 * one, 0 * one, 0 * one)
        for at in eta.tolist():
            slope, bent = rows.slopes(at * one)
            ahead, back = (rows.value((at + way * h) * one) for way in (1, -1))
            assert slope[0] == pytest.approx((ahead - back) / (2 * h), rel=1e-5, abs=1e-5)
            next_slope, last_slope = (rows.slopes((at + way * h) * one)[0][0] for way in (1, -1))
            assert bent[0] == pytest.approx((last_slope - next_slope) / (2 * h), rel=1e-5, abs=1e-6)
    ends = np.array([-1e300, -800.0, 800.0, 1e300])
    if link != "log":
        rows = Likelihood(link, *(np.full(4, k) for k in (2.0, 5.0, 1.0, 0.0, 0.0)))
        assert np.isfinite(rows.slopes(ends)[1]).all()


def test_decimals_of_a_table_are_in_its_units(tmp_path: Path) -> None:
    frame = FRAME.round(2).assign(y=YES.astype(int))
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    plain = separation(frame[["x", "rare"]], frame.y)
    for read in (separation(open_data(path, target="y")), separation("y ~ x + rare", data=open_data(path))):
        for name, found in plain.finite_part().estimates.items():
            assert read.finite_part().estimates[name] == pytest.approx(found, abs=1e-8, nan_ok=True)
        assert read.drop().X.tolist() == plain.drop().X.tolist()
    # With a function there are columns that are no products of those of the table.
    text = "y ~ x:np.abs(x) + x:rare + rare + z:x"
    frame["z"] = np.arange(N) / 4
    frame.to_csv(path, index=False)
    table = separation(text, data=open_data(path))
    for name, found in separation(text, data=frame).finite_part().estimates.items():
        assert table.finite_part().estimates[name] == pytest.approx(found, abs=1e-8, nan_ok=True)
    table.verify(text, data=open_data(path))


def test_firth_takes_offset_weights_and_trials() -> None:
    pytest.importorskip("firthmodels", reason="firthmodels is not installed")
    options = {"backend": "numpy", "gtol": 1e-8, "xtol": 1e-8, "max_iter": 100}
    successes, failures = KILLED.astype(int), (TRIALS - KILLED).astype(int)
    rows = np.repeat(np.arange(N), successes + failures)
    one_each = np.concatenate([[1] * a + [0] * b for a, b in zip(successes, failures, strict=True)])
    plain = separation(FRAME.iloc[rows], one_each, offset=OFFSET[rows]).firth(**options)
    grouped = separation(FRAME, KILLED, family="binomial", trials=TRIALS, offset=OFFSET).firth(**options)
    assert grouped.coef_ == pytest.approx(plain.coef_, abs=1e-6)
    assert grouped.bse_ == pytest.approx(plain.bse_, abs=1e-6)
    weights = np.where(np.arange(N) % 7 == 0, 0, WEIGHTS).astype(int)
    again = np.repeat(np.arange(N), weights)
    weighted = separation(FRAME, YES, weights=weights).firth(**options)
    assert weighted.coef_ == pytest.approx(separation(FRAME.iloc[again], YES[again]).firth(**options).coef_, abs=1e-6)


def test_estimates_made_from_a_fragile_answer_say_so() -> None:
    frame = pd.DataFrame({"x": [0.1, 0.5, 0.4, 0, 0.4, 0.3], "y": [1, 0, 0, 1, 0, 1]}).assign(z=lambda f: f.x * 0.3)
    found = separation(frame[["x", "z"]], frame.y)
    part = found.finite_part()
    assert found.fragile and part.fragile
    assert "fragile: rounding of the inputs may change what is finite" in str(part)


@pytest.fixture(scope="module")
def printed() -> Any:
    """A fit of a factor with a level that is separated, and a number."""
    frame = FRAME.assign(y=YES, ward=np.where(FRAME.rare == 1, "c", np.where(FRAME.x > 0.3, "b", "a")))
    with pytest.warns(match="."):
        return smf.logit("y ~ C(ward) + x", data=frame).fit(disp=False), frame


def largest(frame: pd.DataFrame, y: Array, held: Array | None = None) -> float:
    """The largest log-likelihood of a logistic regression by another route: BFGS on the rows that are not separated."""
    X = np.column_stack([np.ones(len(frame)), *(frame[name].to_numpy(dtype=float) for name in frame)])
    signs, offset = 2 * y - 1, np.zeros(len(y)) if held is None else held

    def loss(b: Array) -> float:
        return float(np.logaddexp(0, -signs * (X @ b + offset)).sum())

    return -float(minimize(loss, np.zeros(X.shape[1]), tol=1e-10).fun)


def test_the_table_stands_beside_what_was_printed_and_says_what_may_be_kept(printed: Any) -> None:
    fit, _ = printed
    found = separation(fit)
    table, part = found.table(), found.finite_part()
    beside, own = ["printed", "printed_error"], ["truth", "estimate", "error", "lower", "upper", "p", "rows"]
    assert list(table.columns) == beside + own
    assert table["printed"].to_dict() == fit.params.to_dict()
    assert table["printed_error"].to_dict() == fit.bse.to_dict()
    assert table.loc["C(ward)[T.c]", "truth"] == "+infinity"
    assert table.loc["C(ward)[T.c]", ["lower", "upper"]].tolist() == pytest.approx(part.estimates["C(ward)[T.c]"][2:])
    assert table.attrs["notes"][:3] == [
        "8 of 80 rows are separated (quasi-complete).",
        "These printed estimates may be kept: Intercept, C(ward)[T.b], x.",
        "These printed numbers are not those of the likelihood's maximum: C(ward)[T.c].",
    ]
    ratios = found.table(exp=True)
    assert ratios["estimate"].to_numpy() == pytest.approx(np.exp(table["estimate"].to_numpy()))
    assert "error" not in ratios


def test_limits_and_tests_of_finite_estimates_are_those_of_a_profile_by_another_route(printed: Any) -> None:
    fit, frame = printed
    found, kept = separation(fit), frame[frame.rare == 0]
    line, y = found.table().loc["x"], kept.y.to_numpy()
    columns = pd.DataFrame({"b": kept.ward == "b", "x": kept.x}).astype(float)
    top = largest(columns, y)
    for end in (line["lower"], line["upper"]):
        below = largest(columns[["b"]], y, held=end * kept.x.to_numpy())
        assert 2 * (top - below) == pytest.approx(chi2(1).ppf(0.95), abs=1e-5)
    assert line["p"] == pytest.approx(chi2(1).sf(2 * (top - largest(columns[["b"]], y))), abs=1e-6)


def test_a_factor_is_tested_as_a_whole(printed: Any) -> None:
    fit, frame = printed
    found = separation(fit)
    test = found.finite_part().tests["ward"]
    kept = frame[frame.rare == 0]
    top = largest(pd.DataFrame({"b": kept.ward == "b", "x": kept.x}).astype(float), kept.y.to_numpy())
    statistic = 2 * (top - largest(frame[["x"]], YES))
    assert test.degrees == 2
    assert test.statistic == pytest.approx(statistic, abs=1e-6)
    assert test.p_value == pytest.approx(chi2(2).sf(statistic), abs=1e-8)
    assert f"All levels of ward together: {test}." in found.table().attrs["notes"]
    half = np.arange(80) % 2
    table = frame.assign(half=half, y=np.where((frame.ward == "b") & (half == 1), 1, YES))
    crossed, without = (separation(f"y ~ C(ward){by}C(half)", data=table) for by in "*+")
    (name,) = [name for name in crossed.finite_part().tests if name not in crossed.coefficients and ":" in name]
    of_both = crossed.finite_part().tests[name]
    rise = crossed.finite_part().log_likelihood - without.finite_part().log_likelihood
    assert of_both.degrees == crossed.rank - without.rank  # type: ignore[operator]
    assert of_both.statistic == pytest.approx(2 * rise, abs=1e-8)
    assert f"All columns of {name} together: {of_both}." in crossed.table().attrs["notes"]


def test_the_paragraph_has_the_limit_the_test_and_the_reference(printed: Any) -> None:
    found = separation(printed[0])
    part, text = found.finite_part(), found.paragraph()
    limit = part.estimates["C(ward)[T.c]"].lower
    about = "y ~ C(ward) + x; Logit of statsmodels"
    assert text.startswith(f"We fitted the logistic regression of y (1 against 0) to 80 rows ({about}).")
    assert f"interval of the profile likelihood is {limit:.3g} (odds ratio above {np.exp(limit):.3g});" in text
    assert f"likelihood-ratio test: {part.tests['C(ward)[T.c]']}." in text
    finite = (
        r"Finite estimates \(standard errors\) are those of the 72 rows that are not separated: \S+ -?[\d.]+ \([\d.]+\)"
    )
    assert re.search(finite, text)
    assert "Biometrika 71 (1984), 1-10.\n" in text
    assert "No row is separated" in separation(FRAME[["x"]], YES).paragraph()
    infinite = separation("yes ~ C(rare, Treatment(1))", FRAME.assign(yes=YES))  # the table may stand second
    assert re.search(
        r"For \(Intercept\) the lower limit .* \(odds above [\d.]+\);.* \(odds ratio below", infinite.paragraph()
    )
    named = separation(FRAME[["x"]], pd.Series(YES, name="died")).paragraph()
    assert named.startswith("We fitted the logistic regression of died (1 against 0) to 80 rows. ")


def test_the_notes_are_seen_wherever_the_table_is(printed: Any, tmp_path: Path) -> None:
    table = separation(printed[0]).table()
    assert type(pickle.loads(pickle.dumps(table))) is type(table)
    for shown in (table, table.round(2), table[["truth", "estimate"]]):
        notes = shown.attrs["notes"]
        assert notes[0] == "8 of 80 rows are separated (quasi-complete)."
        assert repr(shown).splitlines()[-len(notes) :] == notes
        assert [html.unescape(note) for note in re.findall("<p>(.*?)</p>", shown._repr_html_())] == notes
    assert "..." not in repr(table)  # all columns
    pytest.importorskip("jinja2", reason="pandas writes LaTeX with it")
    latex = table.rename(columns=str).to_latex(caption="Estimates")
    table.attrs["notes"] = ["50% of a_b"]
    table.to_latex(tmp_path / "table.tex")
    assert "\\end{tabular}\n\\par 8 of 80 rows are separated" in latex
    assert latex.rstrip().endswith("\\end{table}")
    assert (tmp_path / "table.tex").read_text().endswith("\\end{tabular}\n\\par 50\\% of a\\_b\n")


@pytest.mark.parametrize("family", ["poisson", "multinomial", "cox", "cumulative"])
def test_every_family_has_a_table_and_a_paragraph(family: Any) -> None:
    y = {"poisson": COUNTS, "cox": np.arange(N)}.get(family, np.where(FRAME.rare == 1, 2, YES))
    found = separation(FRAME, y, family=family)
    assert found.table()["truth"].to_dict() == {name: SAID[said].many for name, said in found.coefficients.items()}
    assert found.paragraph().count("(19") + found.paragraph().count("(20") >= 1


def test_a_certificate_is_checked_against_a_fitted_model(printed: Any) -> None:
    fit, _ = printed
    read = Separation.from_json(separation(fit).to_json())
    with pytest.raises(CertificateError, match="about a logistic regression with logit link"):
        read.verify(sm.Probit(fit.model.endog, fit.model.exog))
    read.verify(fit)
    assert read.separated_rows == tuple(range(72, 80))


def test_what_scikit_learn_has_fitted_stands_in_the_table() -> None:
    model = LogisticRegression(C=np.inf).fit(FRAME, YES)
    table = separation(model, data=(FRAME, YES)).table()
    assert table["printed"].tolist() == [*model.intercept_, *model.coef_[0]]
    assert table["printed_error"].isna().all()


def test_a_limit_far_from_the_estimates_is_that_of_the_likelihood() -> None:
    first, second = [2, 4, 1, 4, 2, 2, 5, 0, -2, 5, 3, 0, 4, 1], [0, 2, 2, 1, 1, 1, 1, 0, 2, 2, 1, 0, 2, 1]
    X = np.column_stack([first, second])
    y, weights = [0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0], [3, 1, 2, 3, 1, 1, 1, 1, 1, 3, 3, 1, 1, 1]
    part = separation(X, y, weights=weights).finite_part()
    signs = 2.0 * np.array(y) - 1

    def loss(b: Array, held: float) -> float:
        return float(np.array(weights) @ np.logaddexp(0, -signs * (held + X @ b)))

    end = part.estimates["(Intercept)"].upper
    held = minimize(
        loss, np.array([1.0, 4.0]), args=(end,), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert 2 * (part.log_likelihood + held.fun) == pytest.approx(chi2(1).ppf(0.95), abs=1e-6)


def test_a_maximum_is_found_where_the_likelihood_is_nearly_straight() -> None:
    X, y = [[0, 2], [0, 3], [0, 2], [0, -2], [0, 3], [3, 0]], np.array([1, 0, 0, 0, 1, 1.0])
    trials, weights, offset = (
        np.array([1, 3, 3, 4, 3, 3.0]),
        np.array([1, 1, 3, 1, 1, 3.0]),
        [0, -1, -0.25, 0.5, 0, 0.5],
    )
    found = separation(X, y, family="binomial", trials=trials, weights=weights, offset=offset)
    best, end = found.finite_part().estimates, found.table().loc["x2", "upper"]

    def loss(b: Array, held: float) -> float:
        eta = b[0] + np.array(X)[:, 0] * b[1] + np.array(X)[:, 1] * held + offset
        return float(weights @ (y * np.logaddexp(0, -eta) + (trials - y) * np.logaddexp(0, eta)))

    def least(held: float) -> float:
        starts = [np.array([s, t]) for s in (-9.0, -4.0, 0.0) for t in (0.0, 3.0)]
        return min(float(minimize(loss, start, args=(held,), method="Nelder-Mead", tol=1e-12).fun) for start in starts)

    top = loss(np.array([best["(Intercept)"].value, best["x1"].value]), best["x2"].value)
    assert top <= least(best["x2"].value) + 1e-9
    assert 2 * (least(end) - top) == pytest.approx(chi2(1).ppf(0.95), abs=1e-5)
    wide = separation(np.random.default_rng(0).normal(size=(4, 12)), [0, 1, 0, 1])
    assert wide.table()["truth"].unique().tolist() == ["not identified"]


FAR_Y = np.array([0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
@pytest.mark.parametrize("sentinel", [999_999_999, 10**12])
def test_a_row_far_from_the_others_takes_nothing_from_the_estimates(sentinel: int, link: str) -> None:
    x = np.arange(1, 9)
    truth = glm("Binomial", {"logit": "Logit", "probit": "Probit", "cloglog": "CLogLog"}[link])(sm)(
        FAR_Y[:8], sm.add_constant(x)
    ).fit(tol=1e-12)
    found = separation(np.append(x, sentinel)[:, None], np.append(FAR_Y[:8], 1), link=link).table()
    assert found["estimate"].tolist() == pytest.approx(list(truth.params), rel=1e-6)
    if link == "logit":  # else errors there are those of the expected information
        assert found["error"].tolist() == pytest.approx(list(truth.bse), rel=1e-6)
        assert found.loc["x1", "upper"] == pytest.approx(1.382, abs=1e-4)
    assert abs(found.loc["x1", "lower"] * sentinel) < 30


@pytest.mark.parametrize(
    ("start", "step", "degree"),
    [(2000, 1, 3), (1900, 10, 4), (1_700_000_000, 300, 1), (1_700_000_000, 7200, 2), (10**9, 1, 1)],
)
def test_columns_far_from_0_have_the_estimates_of_centred_ones(start: int, step: int, degree: int) -> None:
    times, size = [start + step * i for i in range(12)], 5.5 * step
    near = (np.arange(12) - 5.5) / 5.5
    truth = sm.Logit(FAR_Y, np.column_stack([near**k for k in range(degree + 1)])).fit(disp=0, method="newton")
    part = separation(np.array([[t**k for k in range(1, degree + 1)] for t in times]), FAR_Y).finite_part()
    last = part.estimates[f"x{degree}"]
    assert last.value * size**degree == pytest.approx(truth.params[-1], rel=1e-5)
    assert last.error * size**degree == pytest.approx(truth.bse[-1], rel=1e-5)
    assert part.log_likelihood == pytest.approx(truth.llf, abs=1e-6)


def test_what_rounding_would_show_in_is_refused() -> None:
    years = [[y**k for k in range(1, 6)] for y in range(2000, 2012)]
    with pytest.raises(DataError, match="doubles, which do not reach here"):
        separation(np.array(years, dtype=float), FAR_Y).finite_part()


def test_limits_scale_with_small_weights_and_ratios_beyond_doubles_are_told() -> None:
    x = np.arange(1, 9)[:, None]
    small = separation(x, FAR_Y[:8], weights=np.full(8, 1e-6))
    table = small.table()
    assert table.loc["x1", "error"] == pytest.approx(374.8657, rel=1e-6)
    assert table.loc["x1", "lower"] < -1e5 < 1e5 < table.loc["x1", "upper"]
    ratios = small.table(exp=True)
    assert "Ratios of (Intercept), x1 that stand as 0 or inf are finite" in ratios.attrs["notes"][-1]
