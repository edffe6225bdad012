"""`guard`: the question comes before the fit, and nothing else changes."""

from __future__ import annotations

import threading
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.pipeline import make_pipeline

from linsep import Separation, SeparationError, SeparationWarning, guard, separation
from linsep.types import DataError

sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
smf = pytest.importorskip("statsmodels.formula.api", reason="the extra regression is not installed")
ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model", reason="the extra regression is not installed")

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"x": RNG.normal(size=60), "rare": np.arange(60) >= 54, "y": RNG.integers(0, 2, 60)})
FRAME["kind"] = RNG.integers(0, 3, 60)
FRAME["n"] = RNG.negative_binomial(1, 1 / 3, 60)  # spread more than of Poisson: what statsmodels fits has an inverse
APART = FRAME.assign(y=np.where(FRAME.rare, 1, FRAME.y), n=np.where(FRAME.rare, 0, FRAME.n))
APART["kind"] = np.where(FRAME.rare, 2, FRAME.kind)


def statsmodels_model(name: str, frame: pd.DataFrame) -> Any:
    plain = frame[["x", "rare"]].astype(float)
    X = sm.add_constant(plain)
    return {
        "Logit": lambda: sm.Logit(frame.y, X),
        "Probit": lambda: sm.Probit(frame.y, X),
        "Poisson": lambda: sm.Poisson(frame.n, X),
        "NegativeBinomial": lambda: sm.NegativeBinomial(frame.n, X),
        "MNLogit": lambda: sm.MNLogit(frame.kind, X),
        "binomial": lambda: sm.GLM(frame.y, X, family=sm.families.Binomial()),
        "counts": lambda: sm.GLM(frame.n, X, family=sm.families.Poisson()),
        "trials": lambda: sm.GLM(np.column_stack([2 * frame.y, 2 - 2 * frame.y]), X, family=sm.families.Binomial()),
        "OrderedModel": lambda: ordinal.OrderedModel(frame.kind, plain, distr="logit"),
        "PHReg": lambda: sm.PHReg(np.where(frame.kind == 2, 9.0, 1.0 + frame.index), plain, status=frame.kind != 2),
    }[name]()


OTHERS = ["ZeroInflatedPoisson", "GeneralizedPoisson", "NegativeBinomialP", "HurdleCountModel", "TruncatedLFPoisson"]


def other_model(name: str, frame: pd.DataFrame) -> Any:
    """A model of statsmodels of which nothing is known."""
    gam = import_module("statsmodels.gam.api")
    X, groups, binomial = sm.add_constant(frame[["x", "rare"]].astype(float)), frame.index // 2, sm.families.Binomial()
    return {
        "GEE": lambda: sm.GEE(frame.y, X, groups=groups, family=binomial),
        "OrdinalGEE": lambda: sm.OrdinalGEE(frame.kind, frame[["rare"]].astype(float), groups=groups),
        "NominalGEE": lambda: sm.NominalGEE(frame.kind, X, groups=groups),
        "BinomialBayesMixedGLM": lambda: sm.BinomialBayesMixedGLM(frame.y, X, np.eye(60)[:, :2], [0, 0]),
        "GLMGam": lambda: gam.GLMGam(frame.y, X, smoother=gam.BSplines(frame.x, df=[4], degree=[2]), family=binomial),
        "ConditionalPoisson": lambda: sm.ConditionalPoisson(frame.n, frame[["x"]], groups=frame.index // 20),
    }.get(name, lambda: getattr(sm, name)(frame.n, X))()


NAMES = ["Logit", "Probit", "Poisson", "NegativeBinomial", "MNLogit", "binomial"]
NAMES += ["counts", "trials", "OrderedModel", "PHReg"]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_statsmodels_that_is_separated_is_not_fitted(name: str) -> None:
    """Neither by a guard of the model nor within a block, which leaves the class as it was."""
    model = statsmodels_model(name, APART)
    guarded, before = guard(model), type(model).fit
    with pytest.raises(SeparationError, match="separation") as caught:
        guarded.fit(disp=0)
    assert caught.value.separation is guarded.separation
    infinite = [key for key, value in caught.value.separation.coefficients.items() if value in (np.inf, -np.inf)]
    assert any("rare" in str(key) for key in infinite)
    with guard() as guarding, pytest.raises(SeparationError, match="separation") as caught:
        model.fit(disp=0)
    assert guarding.separations == [caught.value.separation] == [guarded.separation]
    assert type(model).fit is before


@pytest.mark.parametrize("name", ["Logit", "counts", "MNLogit"])
def test_a_model_with_finite_estimates_is_fitted_as_it_is(name: str) -> None:
    options = {"disp": 0} if name != "counts" else {}
    guarded = guard(statsmodels_model(name, FRAME))
    found = guarded.fit(**options)
    assert guarded.separation is not None
    assert guarded.separation.verdict == "overlap"
    assert np.array_equal(found.params, statsmodels_model(name, FRAME).fit(**options).params)


def test_formulas_of_statsmodels() -> None:
    with pytest.raises(SeparationError, match=r"\+infinity for rare\[T.True\]; finite for Intercept, x"):
        guard(smf.logit("y ~ x + rare", data=APART)).fit()


def test_estimators_of_sklearn_without_a_penalty() -> None:
    X = APART[["x", "rare"]].astype(float)
    free = LogisticRegression(C=np.inf)
    with pytest.raises(SeparationError, match=r"\+infinity for rare; finite for \(Intercept\), x"):
        guard(free).fit(X, APART.y)
    assert not hasattr(free, "coef_")
    with pytest.raises(SeparationError, match="multinomial"):
        guard(LogisticRegression(C=np.inf)).fit(X, APART.kind)
    with pytest.raises(SeparationError, match="Poisson"):
        guard(PoissonRegressor(alpha=0)).fit(X, APART.n)
    with pytest.warns(SeparationWarning, match="Quasi-complete"):
        warned = guard(PoissonRegressor(alpha=0), on_separation="warn").fit(X, APART.n)
    assert hasattr(warned, "coef_")
    # Rows with a weight of 0 do not count.
    heavy = guard(LogisticRegression(C=np.inf))
    heavy.fit(X[["x"]], APART.y, sample_weight=np.where(APART.rare, 0.0, 1.0))
    assert heavy.separation is not None
    assert heavy.separation.left_out == 6


def test_a_penalty_needs_no_question() -> None:
    X = APART[["x", "rare"]].astype(float)
    for model, y in ((LogisticRegression(), APART.y), (PoissonRegressor(alpha=0.1), APART.n)):
        guarded = guard(model)
        assert guarded.fit(X, y) is model
        assert guarded.separation is None


def test_a_block_asks_before_each_fit_of_sklearn() -> None:
    def of_somebody_else(y: Any) -> Any:
        return PoissonRegressor(alpha=0).fit(APART[["x", "rare"]].astype(float), y)

    assert "fit" not in vars(PoissonRegressor)
    with guard() as guarding:
        of_somebody_else(FRAME.n)
        LogisticRegression().fit(FRAME[["x"]], FRAME.y)  # penalised: nothing is asked
        with warnings.catch_warnings(action="ignore"):  # of what its next release changes
            import_module("sklearn.linear_model").LogisticRegressionCV(cv=2).fit(FRAME[["x"]], FRAME.y)  # always is
        with pytest.raises(SeparationError, match="Poisson"):
            of_somebody_else(APART.n)
    assert [found.verdict for found in guarding.separations] == ["overlap", "quasi-complete"]
    assert guarding.not_asked == []
    assert "fit" not in vars(PoissonRegressor)
    with pytest.warns(SeparationWarning, match="Quasi-complete"), guard(on_separation="warn"):
        assert hasattr(of_somebody_else(APART.n), "coef_")
    assert hasattr(of_somebody_else(APART.n), "coef_")


def test_a_block_leaves_other_models_alone() -> None:
    told = r"nothing was asked about these fits: GLM\.fit; separation\(formula"
    with pytest.warns(SeparationWarning, match=told), guard() as guarding:
        found = sm.GLM(FRAME.x, FRAME[["y"]]).fit()  # Gaussian
        statsmodels_model("Logit", FRAME).fit(disp=0)
    assert np.isfinite(found.params).all()
    assert len(guarding.separations) == 1


def test_what_cannot_be_guarded() -> None:
    with pytest.raises(
        DataError, match="Ridge is not a model that can be asked about; these can, and no subclasses: Logit"
    ):
        guard(Ridge())
    mode: Any = "report"
    with pytest.raises(DataError, match="'raise' or 'warn', not 'report'"):
        guard(LogisticRegression(), on_separation=mode)
    with pytest.raises(DataError, match="fit needs X and y"):
        guard(LogisticRegression(C=np.inf)).fit()
    with pytest.raises(DataError, match="family Gaussian with the link Identity cannot be asked about"):
        guard(sm.GLM(FRAME.x, FRAME[["y"]])).fit()


@pytest.mark.parametrize("distribution", ["logistic", "norm", "gumbel_l", "cauchy"])
def test_ordered_models_have_the_link_of_their_distribution(distribution: str) -> None:
    """Whose inverse the distribution function is."""
    links: dict[str, tuple[str, Any]] = {
        "logistic": ("logit", lambda p: np.log(p / (1 - p))),
        "norm": ("probit", stats.norm.ppf),
        "gumbel_l": ("cloglog", lambda p: np.log(-np.log(1 - p))),
        "cauchy": ("cauchit", lambda p: np.tan(np.pi * (p - 0.5))),
    }
    link, inverse = links[distribution]
    distr = getattr(stats, distribution)
    assert inverse(distr.cdf(0.3)) == pytest.approx(0.3)
    guarded = guard(ordinal.OrderedModel(APART.kind, APART[["x", "rare"]].astype(float), distr=distr))
    with pytest.raises(SeparationError, match=f"the cumulative {link} regression .*Pratt 1981"):
        guarded.fit(disp=0)
    assert guarded.separation is not None
    assert guarded.separation.link == link


def test_ordered_models_of_other_distributions_are_refused() -> None:
    model = ordinal.OrderedModel(APART.kind, APART[["x", "rare"]].astype(float), distr=stats.gumbel_r)
    with pytest.raises(DataError, match="with the distribution 'gumbel_r' cannot be asked about; these can: Logit"):
        guard(model).fit(disp=0)
    with pytest.warns(SeparationWarning, match=r"fits: OrderedModel\.fit"), guard() as guarding:
        model.fit(disp=0, maxiter=1, method="bfgs", warn_convergence=False)
    assert guarding.separations == []


def test_what_is_not_known_exactly_is_refused_by_name() -> None:
    """A class that inherits from one that can be guarded fits something else."""
    X = sm.add_constant(FRAME[["x"]])

    Logit = type("Logit", (sm.Logit,), {})  # called as the one that is known

    class Forest(LogisticRegression):
        pass

    known = ("GEE", "OrdinalGEE", "NominalGEE", "BinomialBayesMixedGLM", "GLMGam", "ConditionalPoisson", *OTHERS[:3])
    models: dict[str, Any] = {
        **{name: other_model(name, FRAME) for name in known},
        "Logit": Logit(FRAME.y, X),
        "Forest": Forest(C=np.inf),
        "LogisticRegressionCV": import_module("sklearn.linear_model").LogisticRegressionCV(),
    }
    for name, model in models.items():
        with pytest.raises(
            DataError, match=f"^{name} is not a model that can be asked about; these can, and no subclasses"
        ):
            guard(model)
    for name, why in {
        "GEE": "have no likelihood",
        "BinomialBayesMixedGLM": "hold",
        "ZeroInflatedPoisson": "zeros",
    }.items():
        with pytest.raises(DataError, match=f"Of {name} nothing is known: .*{why}"):
            separation(models[name])
    with pytest.warns(SeparationWarning), guard() as guarding:  # and is fitted without a question there
        models["Logit"].fit(disp=0)
        Forest(C=1.0).fit(FRAME[["x"]], FRAME.y)
        models["ConditionalPoisson"].fit(disp=0)
        statsmodels_model("Logit", FRAME).fit_regularized(disp=0)
    assert guarding.separations == []
    said = ["Logit.fit", "Forest.fit", "ConditionalPoisson.fit", "Logit.fit_regularized"]
    assert list(dict.fromkeys(guarding.not_asked)) == said
    assert "fit_regularized" not in vars(sm.Logit) and "fit" not in vars(sm.ConditionalPoisson)
    assert guard(smf.logit("y ~ x", FRAME)).fit(disp=0) is not None


@pytest.mark.parametrize("form", ["formula", "frame", "array"])
def test_rows_are_places_in_the_table_where_values_are_missing(form: str) -> None:
    table = APART.assign(rare=APART.rare.astype(float), one=1.0, x=APART.x.where(~APART.index.isin([3, 57])))
    table.index = [f"p{k}" for k in range(60)]
    rows = table[["one", "x", "rare"]]
    model = {
        "formula": lambda: smf.logit("y ~ x + rare", table),
        "frame": lambda: sm.Logit(table.y, rows, missing="drop"),
        "array": lambda: sm.Logit(table.y.to_numpy(), rows.to_numpy(), missing="drop"),
    }[form]()
    with pytest.raises(SeparationError, match="2 further rows were left out for missing values") as caught:
        guard(model).fit()
    found = caught.value.separation
    assert found.separated_rows == (54, 55, 56, 58, 59)
    assert (found.n_rows, found.n_missing, found.missing_rows) == (58, 2, (3, 57))
    kept = [k for k in range(54) if k != 3]
    assert found.drop().rows.tolist() == kept
    if form != "array":
        assert found.drop().frame.index.tolist() == [f"p{k}" for k in kept]
    read = Separation.from_json(found.to_json())
    if form == "formula":
        return
    # Of rows alone nobody says which others the table had.
    read.verify(model.exog, model.endog)
    assert (read.separated_rows, read.missing_rows) == ((53, 54, 55, 56, 57), ())


def test_a_fragile_answer_is_refused() -> None:
    """The column `total` is a + b, and as doubles it is not."""
    rng = np.random.default_rng(1)
    tenths = rng.integers(1, 9, (40, 2))
    frame = pd.DataFrame(tenths / 10, columns=["a", "b"]).assign(total=tenths.sum(axis=1) / 10, one=1.0)
    y = rng.integers(0, 2, 40)
    with pytest.raises(SeparationError, match=r"Fragile: rounding .* leave out a column that depends on others"):
        guard(sm.Logit(y, frame)).fit(disp=0)
    with pytest.warns(SeparationWarning, match="Fragile"):
        separation(frame, y, fit_intercept=False, on_separation="warn")
    whole = frame * 10
    found = separation(whole, y, fit_intercept=False, on_separation="raise")
    assert (found.verdict, found.rank, found.fragile) == ("overlap", 3, False)
    guarded = guard(sm.Logit(y, frame[["one", "a", "b"]]))
    assert guarded.fit(disp=0).params.size == 3
    assert guarded.separation is not None
    assert not guarded.separation.fragile


# ------------------------------------------------------------------ fitted models
@pytest.mark.filterwarnings("ignore:Maximum Likelihood optimization failed")
@pytest.mark.filterwarnings("ignore:Inverting hessian")  # counts that are Poisson have no dispersion
@pytest.mark.parametrize("name", NAMES)
def test_a_model_and_what_its_fit_gives_are_asked_about(name: str) -> None:
    model = statsmodels_model(name, FRAME)
    options = {} if name in ("binomial", "counts", "trials", "PHReg") else {"disp": 0}
    found = separation(model.fit(**options))
    with guard(on_separation="warn") as guarding, warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        statsmodels_model(name, FRAME).fit(**options)
    assert found == separation(statsmodels_model(name, FRAME)) == guarding.separations[0]
    assert len(guarding.separations) == 1
    assert (found.verdict == "overlap", "without an intercept" in found.summary()) == (name != "PHReg", False)
    apart = separation(statsmodels_model(name, APART))
    assert apart.verdict == "quasi-complete"
    assert any("rare" in str(key) for key, value in apart.coefficients.items() if value in (np.inf, -np.inf))


def test_rows_of_a_fitted_formula_are_places_in_its_table() -> None:
    table = APART.assign(x=APART.x.where(APART.index != 3))
    with pytest.warns(UserWarning):
        fitted = smf.logit("y ~ x + rare", data=table).fit(disp=0, maxiter=5)
    found = separation(fitted)
    assert (found.separated_rows, found.n_missing) == (tuple(range(54, 60)), 1)
    own = smf.logit("y ~ x", data=table.iloc[:54]).fit(disp=0)
    estimates = found.finite_part().estimates
    for column in ("Intercept", "x"):
        assert estimates[column].value == pytest.approx(own.params[column], abs=1e-8)
        assert estimates[column].error == pytest.approx(own.bse[column], abs=1e-6)
    assert estimates["rare[T.True]"].value == np.inf


def test_what_a_fitted_model_cannot_be_asked_is_told() -> None:
    of_binomial = import_module("statsmodels.genmod.families").Binomial()
    glm = smf.glm("y ~ x", FRAME, family=of_binomial)
    X, y = FRAME[["x"]], FRAME.y
    held = sm.Poisson(FRAME.n, sm.add_constant(X)).fit_constrained("x = -1", disp=0)
    levels = pd.Series(pd.Categorical(["a", "b"] * 30, ["a", "b", "c"], ordered=True))
    without_class = LogisticRegression(C=np.inf, class_weight={0: 0, 1: 1})
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (smf.gee("y ~ x", "kind", FRAME), {}, "GEE is not a model that can be asked about"),
        (glm.fit_regularized(), {}, "RegularizedResultsWrapper has a penalty, so its estimates are finite"),
        (smf.logit("y ~ x", FRAME).fit_regularized(disp=0), {}, "L1BinaryResultsWrapper has a penalty"),
        (glm.fit(), {"y": FRAME.y, "data": FRAME, "weights": FRAME.n}, "says itself .* about: leave out y, weights"),
        (glm, {"y": FRAME}, "GLM holds its data: leave out data"),
        (make_pipeline(LogisticRegression(C=np.inf)), {"data": (X, y)}, r"ask about its last step, separation\(pipe"),
        (glm, {"data": FRAME}, "GLM holds its data: leave out data"),
        (LogisticRegression(C=np.inf), {}, r"does not hold its data: give them as separation\(model, data=\(X, y\)\)"),
        (held, {}, "has constraints"),
        (ordinal.OrderedModel(levels, X), {}, "has a category without rows"),
        (without_class, {"data": (X, y)}, "no row of the class"),
        (LogisticRegression(), {"data": (X, y)}, r"has a penalty, so its estimates are finite: separation\(X, y\)"),
    ]
    for given, more, message in cases:
        with pytest.raises(DataError, match=message):
            separation(given, **more)
    with pytest.raises(DataError, match="the fit asks for cov_type='HC0'"):
        separation(glm.fit(cov_type="HC0")).finite_part()
    assert separation(LogisticRegression(C=np.inf), data=(X, y)) == separation(X, y)


def test_a_row_of_phreg_is_at_risk_at_its_time_of_entry_as_in_its_own_likelihood() -> None:
    hazard = pytest.importorskip("statsmodels.duration.hazard_regression")
    time, x = np.array([4.0, 4, 5, 4.5, 6]), np.array([[1.0], [0], [0], [2], [1]])
    status, entry = np.array([1, 0, 0, 0, 0]), np.array([0.0, 0, 0, 4, 0])
    model = hazard.PHReg(time, x, status=status, entry=entry)
    assert model.loglike(np.array([0.35])) > max(model.loglike(np.array([b])) for b in (-20.0, 20.0))
    assert separation(model).verdict == "overlap"
    assert separation(hazard.PHReg(time, x, status=status, entry=entry + 0.1 * (entry > 0))).verdict != "overlap"


def test_classes_have_the_labels_of_the_user_in_models_that_number_them() -> None:
    x = np.array([0.0, 1, 2, 3, 1, 2, 9, 9])
    for labels in ([1, 1, 2, 2, 3, 2, 3, 3], [2, 2, 10, 10, 11, 10, 11, 11], list("bbccdcdd")):
        found = separation(sm.MNLogit(labels, sm.add_constant(x)))
        wanted = separation(np.column_stack([np.ones(8), x]), labels, family="multinomial", fit_intercept=False)
        assert found.verdict == wanted.verdict != "overlap"
        by_class = [[(str(key[0]), value) for key, value in one.coefficients.items()] for one in (found, wanted)]
        assert by_class[0] == by_class[1]
        classes: list[Any] = sorted(set(labels), key=labels.index)
        kinds = pd.Series(pd.Categorical(labels, classes, ordered=True))
        ordered = separation(ordinal.OrderedModel(kinds, pd.DataFrame({"x1": x})))
        known = separation(x[:, None], labels, family="cumulative", order=classes)
        called = {name.replace("/", "|"): value for name, value in ordered.coefficients.items()}
        assert called == known.coefficients


def test_results_that_are_of_another_fit_than_their_model_are_refused() -> None:
    links = import_module("statsmodels.genmod.families.links")
    frame = pd.DataFrame({"x": np.arange(12.0) % 4, "c": [1, 2, 0, 3, 0, 1, 2, 0, 3, 1, 1, 2]})
    X = sm.add_constant(frame[["x"]])
    model = sm.GLM(frame.c, X, family=sm.families.Poisson())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = model.fit_regularized(alpha=0.1, refit=True)
    with pytest.raises(DataError, match="fitted again without columns"):
        separation(again)
    plain, scaled = model.fit(), separation(model.fit(scale=2.5))
    assert separation(plain).finite_part()  # the model keeps the scale of its last fit, the result its own
    with pytest.raises(DataError, match=r"the fit asks for scale=2\.5"):
        scaled.finite_part()

    class Log(links.Power):  # type: ignore[misc, name-defined]
        """A link of the name of another one."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = sm.GLM(frame.c, X, family=sm.families.Poisson(link=Log(power=0.5), check_link=False))
    with pytest.raises(DataError, match="with the link Log cannot be asked about"):
        separation(other)
    bare = model.fit()
    bare.remove_data()
    with pytest.raises(DataError, match="no longer holds its data"):
        separation(bare)


def test_a_factor_of_an_expression_has_the_name_of_the_expression() -> None:
    frame = pd.DataFrame({"z": [0, 1, 2, 3] * 3, "y": [0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1]})
    frame.loc[frame.z == 3, "y"] = 1
    model = smf.logit("y ~ C(np.round(z)) + C(z > 2)", frame)
    for found in (separation(model), separation("y ~ C(z > 2)", data=frame)):
        assert {name for group in found.groups for name in group.factors} <= {"C(np.round(z))", "C(z > 2)"}


def test_labels_that_are_two_texts_and_one_number_stay_two_classes_and_a_place_for_results_is_no_fit() -> None:
    x = np.array([0.0, 1, 2, 3, 1, 2, 9, 9])
    text = np.array(["01", "01", "1", "1", "3", "1", "3", "3"])
    assert "3 classes" in separation(sm.MNLogit(text, sm.add_constant(x))).summary()
    frame = pd.DataFrame({"y": [1.0, 1, 2, 2, 3, 2, 3, 3], "x": x})
    assert separation(ordinal.OrderedModel.from_formula("y ~ 0 + x", frame)).verdict == "overlap"
    assert separation(sm.Logit(np.array([0.5] * 4 + [1.0] * 4), x[:, None])).family == "binomial"
    counts = pd.DataFrame({"x": [0.0] * 4 + [1.0] * 4, "c": [1, 2, 0, 3, 0, 0, 0, 0]})
    with guard(), warnings.catch_warnings():
        warnings.simplefilter("ignore", category=RuntimeWarning)
        sm.Poisson(counts.c, sm.add_constant(counts[["x"]])).fit_constrained("x = -1", disp=0)


@pytest.mark.parametrize("odd", ["a class without rows", "no label", "counts", "two of one name"])
def test_the_response_of_a_multinomial_model_is_what_its_likelihood_counts(odd: str) -> None:
    codes = np.array([0, 0, 1, 2, 0, 2, 1, 1])
    words = pd.Series(["a", "a", "b", "c", "a", "c", "b", "b"])
    given: dict[str, Any] = {
        "a class without rows": pd.Series(pd.Categorical(words, categories=["a", "x", "b", "c"])),
        "no label": words.where(codes < 2),
        "counts": np.eye(3)[codes] * 2 + 1,
        "two of one name": pd.DataFrame(np.eye(3)[codes], columns=["a", "a", "b"]),
    }
    X = sm.add_constant(np.array([0, 1, 2, 3, 0, 1, 2, 3.0]))
    assert separation(sm.MNLogit(words, X)).separated_rows == separation(sm.MNLogit(codes, X)).separated_rows
    with pytest.raises(DataError, match=r"one label a row|row 3 of the MNLogit has no label|a class without rows"):
        separation(sm.MNLogit(given[odd], X))


def test_an_estimator_of_scikit_learn_takes_columns_as_numbers() -> None:
    y = [0, 1, 0, 1, 1, 0, 1, 1]
    model = LogisticRegression(C=np.inf)
    for column in (pd.Categorical([1, 2, 3, 4] * 2), ["1", "2", "3", "4"] * 2):
        found = separation(model, data=(pd.DataFrame({"g": column}), y))
        assert (found.verdict, list(found.coefficients)) == ("overlap", ["(Intercept)", "g"])
    with pytest.raises(ValueError, match="could not convert"):
        separation(model, data=(pd.DataFrame({"g": list("abababab")}), y))


def test_links_and_distributions_are_those_of_the_packages_and_entries_those_of_the_model() -> None:
    x = np.arange(6.0)
    uniform = type(stats.uniform)(name="norm", a=0.0, b=1.0)
    odd = sm.families.Binomial(sm.families.links.Probit(dbn=stats.uniform))
    models = [ordinal.OrderedModel([0, 0, 1, 1, 2, 2], x[:, None], distr=uniform)]
    for model in [*models, sm.GLM([0, 1, 0, 1, 1, 0], sm.add_constant(x), family=odd)]:
        with pytest.raises(DataError, match="cannot be asked about"):
            separation(model)
    time, entry = np.array([2, 4, 3, 5, 6, 7.0]), np.array([0, 1, 0, 2, 0, 0.0])
    found = separation(sm.PHReg(time, x[:, None], status=np.array([0, 1, 0, 1, 0, 1]), entry=entry))
    assert found._question is not None and np.array_equal(np.asarray(found._question.outcome.entry), entry)


def test_what_a_model_says_itself_is_not_said_again_and_a_guard_stops_no_other_error() -> None:
    x, y = np.arange(6.0), np.array([0, 1, 0, 1, 1, 0])
    with pytest.raises(DataError, match="leave out fit_intercept"):
        separation(sm.Logit(y, sm.add_constant(x)), fit_intercept=False)
    with pytest.raises(ValueError, match="not in class_weight"):
        separation(LogisticRegression(C=np.inf, class_weight={5: 1}), data=(x[:, None], y))
    twice = pd.DataFrame(np.column_stack([x, np.ones(6)]), columns=["a", "a"])
    with pytest.warns(SeparationWarning, match=r"fits: Logit\.fit"), guard() as asked:
        assert sm.Logit(y, twice).fit(disp=0).params.shape == (2,)
    assert asked.separations == []


def test_orders_that_are_not_known_and_series_of_other_rows_are_refused() -> None:
    with pytest.raises(DataError, match="the labels hi, lo are text: say which is lower"):
        separation(np.arange(6.0)[:, None], ["lo"] * 3 + ["hi"] * 3, family="cumulative")
    other = {"y": pd.Series([0, 1, 1], index=[2, 1, 0]), "x": pd.Series([0.0, 1, 2])}
    with pytest.raises(DataError, match=r"row 0 .counted from 0. is called 2 in y and 0 in x"):
        separation("y ~ x", data=other)


@pytest.mark.parametrize("name", [*OTHERS, "GEE", "OrdinalGEE", "GLMGam", "BetaModel", "Mine"])
def test_the_fits_that_a_fit_makes_for_its_start_are_not_asked_about(name: str) -> None:
    """They are separated, and are of models that the user never fitted."""
    counts = import_module("statsmodels.discrete.truncated_model")
    X = sm.add_constant(APART[["x", "rare"]].astype(float))

    class Mine(sm.Logit):  # type: ignore[misc, name-defined]
        """A class of the user whose fit makes another one."""

        def fit(self, **options: Any) -> Any:
            return sm.Logit(self.endog, self.exog).fit(**options)

    models: dict[str, Any] = {
        "BetaModel": lambda: import_module("statsmodels.othermod.betareg").BetaModel(0.2 + 0.6 * APART.y, X),
        "Mine": lambda: Mine(APART.y, X),
        "HurdleCountModel": lambda: counts.HurdleCountModel(APART.n, X),
        "TruncatedLFPoisson": lambda: counts.TruncatedLFPoisson(FRAME.n[FRAME.n > 0], X[FRAME.n > 0]),
    }
    model = models.get(name, lambda: other_model(name, APART))()
    own = vars(type(model)).get("fit")
    with warnings.catch_warnings(), guard() as guarding:
        warnings.simplefilter("ignore")
        with suppress(np.linalg.LinAlgError):  # the numbers that are printed here have no meaning
            model.fit(**({} if name in ("GEE", "OrdinalGEE", "GLMGam") else {"disp": 0}))
    assert (guarding.separations, guarding.not_asked) == ([], [f"{name}.fit"])
    assert vars(type(model)).get("fit") is own


def test_a_fit_of_another_thread_is_none_within_a_fit() -> None:
    begun, asked = threading.Event(), threading.Event()

    class Waiting(sm.Logit):  # type: ignore[misc, name-defined]
        """A model whose fit ends after a question of another thread."""

        def fit(self, **_: Any) -> None:
            begun.set()
            assert asked.wait(60)

    thread = threading.Thread(target=lambda: Waiting(FRAME.y, FRAME[["x"]]).fit())
    with pytest.warns(SeparationWarning, match=r"fits: Waiting\.fit"), guard() as guarding:
        thread.start()
        assert begun.wait(60)
        with pytest.raises(SeparationError, match="Quasi-complete"):
            statsmodels_model("Logit", APART).fit(disp=0)
        asked.set()
        thread.join()
    assert len(guarding.separations) == 1
