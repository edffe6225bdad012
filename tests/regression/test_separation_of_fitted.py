"""Each kind of fitted model on a published data set, beside a linear programme and the package's own fits."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog, minimize
from scipy.stats import chi2, logistic
from sklearn.linear_model import LogisticRegression, PoissonRegressor
from test_separation_published import ALLIGATORS, numbers

from linsep import open_data, separation
from linsep.types import Array, DataError

sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # statsmodels warns of the estimates that are infinite
NEWTON = ("Logit", "Probit", "Poisson", "MNLogit", "ConditionalLogit")
FAR = 30.0  # a linear predictor whose probabilities are 0 and 1 to 1e-12


def grades() -> tuple[pd.DataFrame, Any]:
    """Spector and Mazzeo 1980: all three students with the best scores before the course improved."""
    table = sm.datasets.spector.load_pandas().data
    top = (table.TUCE >= 27).astype(float)
    return pd.DataFrame({"const": 1.0, "GPA": table.GPA, "PSI": table.PSI, "top": top}), table.GRADE


def alligators() -> tuple[pd.DataFrame, Any]:
    """Agresti's table of lake, sex, size and food, of its 80 cells: no male ate a bird at the second lake."""
    counts = numbers(ALLIGATORS).reshape(4, 4, 5)
    lake, four, food = (at.ravel() for at in np.indices(counts.shape))
    X = pd.DataFrame({"const": 1.0, "small": four % 2 == 0, "male": four < 2}).astype(float)
    for k in range(1, 4):
        X[f"lake{k}"] = (lake == k).astype(float)
    for k in range(1, 5):
        X[f"food{k}"] = (food == k).astype(float)
    return X.assign(cell=((lake == 1) & (four < 2) & (food == 3)).astype(float)), pd.Series(counts.ravel())


def marriages() -> tuple[pd.DataFrame, Any]:
    """Fair 1978, the 109 women of the sixth occupation: all four with 12 years of school call their marriage good."""
    table = sm.datasets.fair.load_pandas().data.query("occupation == 6").reset_index(drop=True)
    X = pd.DataFrame({"age": table.age / 10, "faith": table.religious, "school": (table.educ == 12).astype(float)})
    return X, np.digitize(table.rate_marriage, [2.5, 3.5])


def transplants() -> tuple[pd.DataFrame, Any]:
    """Miller and Halpern 1982, the heart transplants of Stanford: nobody between 30 and 36 died."""
    table = sm.datasets.heart.load_pandas().data
    band = table.age.between(30, 36).astype(float)
    return pd.DataFrame({"age": table.age / 10, "band": band}), (table.survival, table.censors)


def travellers() -> tuple[pd.DataFrame, Any]:
    """Greene's 210 travellers between Sydney and Melbourne: no party of four or more took the bus."""
    table = sm.datasets.modechoice.load_pandas().data
    X = pd.DataFrame({f"mode{k}": (table["mode"] == k).astype(float) for k in (1, 2, 3)})
    X["wait"], X["cost"] = table.ttme / 10, table.gc / 100
    many = ((table["mode"] == 3) & (table.psize >= 4)).astype(float)
    return X.assign(many=many), (table.choice, table.individual)


def model_of(name: str, X: Any, y: Any, **beside: Any) -> Any:
    """A model of statsmodels; what stands beside y are arrays of its rows."""
    families = {"Binomial": sm.families.Binomial(), "Counts": sm.families.Poisson()}
    families["Dispersed"] = sm.families.NegativeBinomial(alpha=0.5)
    if name in families:
        return sm.GLM(y, X, family=families[name], **beside)
    if name == "OrderedModel":
        return import_module("statsmodels.miscmodels.ordinal_model").OrderedModel(y, X, distr="logit")
    if name == "PHReg":
        return sm.PHReg(y[0], X, status=y[1], **beside)
    if name == "ConditionalLogit":
        return sm.ConditionalLogit(y[0], X, groups=y[1], **beside)
    return getattr(sm, name)(y, X, **beside)


def inequalities(name: str, X: Array, y: Any) -> tuple[Array, Array, Array]:
    """Rows z.d >= 0, which of them are equalities, and the row of the table of each."""
    n = len(X)
    own, none = np.arange(n), np.zeros(n, dtype=bool)
    if name in ("PHReg", "ConditionalLogit"):
        first, second = y
        later = first[None] >= first[:, None] if name == "PHReg" else second[None] == second[:, None]
        event = second if name == "PHReg" else first
        i, j = np.nonzero((event[:, None] > 0) & later & ~np.eye(n, dtype=bool))
        return X[i] - X[j], np.zeros(i.size, dtype=bool), i
    if name == "OrderedModel":
        cuts = np.eye(2)
        above = np.hstack([X, -cuts[np.maximum(y, 1) - 1]])[y > 0]
        below = np.hstack([-X, cuts[np.minimum(y, 1)]])[y < 2]
        return (
            np.vstack([above, below]),
            np.zeros(len(above) + len(below), dtype=bool),
            np.append(own[y > 0], own[y < 2]),
        )
    if name == "MNLogit":
        blocks = np.vstack([np.zeros(2), np.eye(2)])
        pairs = [(i, k) for i in range(n) for k in range(3) if k != y[i]]
        Z = np.array([np.kron(blocks[y[i]] - blocks[k], X[i]) for i, k in pairs])
        return Z, np.zeros(len(Z), dtype=bool), np.array([i for i, _ in pairs])
    if name in ("Logit", "Probit", "Binomial", "LogisticRegression"):
        return (2 * y - 1)[:, None] * X, none, own
    return -X, y > 0, own


def programme(Z: Array, equal: Array) -> Array:
    """Which rows HiGHS separates: max sum s, Z d >= s, 0 <= s <= 1, and Z d = 0 for equalities."""
    n, p = Z.shape
    s = np.where(equal, 0.0, 1.0)
    wanted = np.hstack([-Z, np.eye(n)])[~equal]
    held = np.hstack([Z, np.zeros((n, n))])[equal] if equal.any() else None
    limits = [(None, None)] * p + [(0, top) for top in s]
    end: Any = linprog(
        -np.append(np.zeros(p), s),
        wanted,
        np.zeros(len(wanted)),
        held,
        None if held is None else np.zeros(len(held)),
        limits,
    )
    assert end.status == 0
    return np.asarray(end.x[p:] > 0.5)


DATA = {
    **dict.fromkeys(["Logit", "Probit", "Binomial"], grades),
    **dict.fromkeys(["Poisson", "Counts", "Dispersed", "NegativeBinomial"], alligators),
    **dict.fromkeys(["MNLogit", "OrderedModel"], marriages),
    "PHReg": transplants,
    "ConditionalLogit": travellers,
}


def fitted(model: Any) -> Any:
    """What the package's own fit gives, to rounding."""
    if hasattr(model, "family") or hasattr(model, "status"):
        return model.fit(**({"tol": 1e-14, "maxiter": 100} if hasattr(model, "family") else {}))
    own = {"method": "newton", "maxiter": 200, "tol": 1e-13}
    return model.fit(disp=0, **(own if type(model).__name__ in NEWTON else {}))


def of_rest(name: str, kept: Any) -> tuple[pd.DataFrame, Any]:
    """The columns and the response of the rows that remain."""
    beside = {"PHReg": kept.event, "ConditionalLogit": kept.strata}.get(name)
    return kept.frame, kept.y if beside is None else (kept.y, beside)


@pytest.mark.parametrize("name", DATA)
def test_separated_rows_are_those_of_a_linear_programme_and_the_rest_has_the_fit_of_the_whole(name: str) -> None:
    X, y = DATA[name]()
    model = model_of(name, X, y)
    found = separation(model)
    Z, equal, owner = inequalities(
        name, X.to_numpy(), tuple(map(np.asarray, y)) if isinstance(y, tuple) else np.asarray(y)
    )
    apart = programme(Z, equal)
    assert found.verdict == "quasi-complete" and apart.any() and found.proof is not None
    # Of a Cox model the pairs are fewer: what others add up to is left out.
    assert name == "PHReg" or len(found.proof.cone.separated) == apart.sum()
    assert set(found.separated_rows) == {*owner[apart].tolist()} - {*owner[~apart].tolist()}
    # The fit of what remains, with what is left out far away, has the likelihood of the fit of all rows.
    kept = found.drop()
    small = fitted(model_of(name, *of_rest(name, kept)))
    params, width = np.asarray(small.params), len(kept.names)
    far = np.zeros((X.shape[1], *params.shape[1:]))
    for j, column in enumerate(X):
        said = [found.coefficients[one] for one in ([(1, column), (2, column)] if params.ndim > 1 else [column])]
        out = np.array([np.sign(value) * FAR if isinstance(value, float) else 0.0 for value in said])
        far[j] = params[kept.names.index(column)] if column in kept.names else np.reshape(out, far.shape[1:])
    # Thresholds and a dispersion stand after them; before a fit its logarithm does.
    after = np.log(params[width:]) if name == "NegativeBinomial" else params[width:]
    whole = np.concatenate([far, after])
    assert model.loglike(whole) == pytest.approx(small.llf, abs=1e-8)


@pytest.mark.parametrize("name", ["Logit", "Probit", "Binomial", "Poisson", "Counts", "PHReg", "ConditionalLogit"])
def test_estimates_are_those_of_the_rest_and_limits_those_of_a_profile_by_fits_with_an_offset(name: str) -> None:
    if name == "PHReg":
        pytest.importorskip("statsmodels", minversion="0.15", reason="statsmodels fits no model without columns")
    X, y = DATA[name]()
    found = separation(model_of(name, X, y))
    table, rest = found.table(), of_rest(name, found.drop())
    small = fitted(model_of(name, *rest))
    some = table.loc[rest[0].columns]
    assert some["estimate"].to_numpy() == pytest.approx(np.asarray(small.params), abs=1e-8)
    assert some["error"].to_numpy() == pytest.approx(np.asarray(small.bse), abs=1e-6)
    (gone,) = set(X.columns) - set(rest[0].columns)
    assert np.isinf(table.loc[gone, "estimate"])
    for column, (frame, response) in ((gone, (X, y)), (rest[0].columns[-1], rest)):
        ends = [end for end in table.loc[column, ["lower", "upper"]] if np.isfinite(end)]
        assert len(ends) == (1 if column == gone else 2)
        for end in ends:
            held = model_of(name, frame.drop(columns=column), response, offset=(end * frame[column]).to_numpy())
            assert 2 * (small.llf - fitted(held).llf) == pytest.approx(chi2(1).ppf(0.95), abs=1e-5)


def test_a_multinomial_model_has_the_estimates_and_limits_of_its_likelihood() -> None:
    X, y = DATA["MNLogit"]()
    part, kept = separation(model_of("MNLogit", X, y)).finite_part(), separation(model_of("MNLogit", X, y)).drop()
    small = fitted(model_of("MNLogit", *of_rest("MNLogit", kept)))
    for k, name in [(k, name) for k in (1, 2) for name in kept.names]:
        one = part.estimates[k, name]
        assert one.value == pytest.approx(small.params.loc[name, k - 1], abs=1e-8)
        assert one.error == pytest.approx(small.bse.loc[name, k - 1], abs=1e-8)
    assert part.log_likelihood == pytest.approx(small.llf, abs=1e-8)
    assert part.n_rows == len(kept.y)
    # Rows that are separated from one class only still count for the others.
    X = sm.add_constant(X.assign(school=(X.age < 3).astype(float)))
    y = np.where((X.school == 1) & (y == 2), 1, y)
    model = model_of("MNLogit", X, y)
    found = separation(model)
    assert found.coefficients[2, "school"] == -np.inf and found.separated_rows == ()
    part, table = found.finite_part(), found.table()
    far = np.array([[part.estimates[k, name].value for k in (1, 2)] for name in X])
    free = np.isfinite(far)
    far[~free] = -FAR
    assert model.loglike(far) == pytest.approx(part.log_likelihood, abs=1e-8)
    assert model.score(far.ravel("F")) == pytest.approx(np.zeros(far.size), abs=1e-6)
    information = -model.hessian(far.ravel("F"))[np.ix_(free.ravel("F"), free.ravel("F"))]
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    assert [one.error for one in part.estimates.values() if np.isfinite(one.value)] == pytest.approx(errors, rel=1e-6)

    def held(j: int, k: int, end: float) -> float:
        def lost(b: Array) -> float:
            whole = far.copy()
            whole[~mask], whole[mask] = b, end
            return float(-model.loglike(whole))

        mask = np.zeros_like(free)
        mask[j, k] = True
        return -float(minimize(lost, far[~mask], method="BFGS", options={"gtol": 1e-7}).fun)

    for j, k, ends in ((3, 1, ["upper"]), (1, 0, ["lower", "upper"])):
        for end in ends:
            limit = table.loc[[(k + 1, X.columns[j])], end].iloc[0]
            assert 2 * (part.log_likelihood - held(j, k, limit)) == pytest.approx(chi2(1).ppf(0.95), abs=1e-4)
    assert "For school of class 2 the upper limit" in found.paragraph()


def test_a_factor_of_a_multinomial_model_is_tested_in_all_classes_together() -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"g": rng.choice(list("abc"), 120), "x": rng.normal(size=120)})
    table["kind"] = np.where(table.g == "c", rng.integers(0, 2, 120), rng.integers(0, 3, 120))
    part = separation("kind ~ g + x", data=table, family="multinomial").finite_part()
    without = fitted(sm.MNLogit(table.kind, sm.add_constant(table[["x"]])))
    test = part.tests["g"]
    assert test.degrees == 4
    assert test.statistic == pytest.approx(2 * (part.log_likelihood - without.llf), abs=1e-7)
    assert test.p_value == pytest.approx(chi2(4).sf(test.statistic), rel=1e-9)


@pytest.mark.parametrize("family", ["multinomial", "conditional"])
def test_rows_of_weight_0_count_nothing_and_time_that_ends_blames_nobody(family: Any) -> None:
    rng = np.random.default_rng(2)
    X, strata, keep = rng.normal(size=(60, 2)), np.repeat(np.arange(20), 3), np.arange(60) % 5 > 0
    y = np.tile([1, 0, 0], 20) if family == "conditional" else rng.integers(0, 3, 60)
    own: dict[str, Any] = {"strata": strata} if family == "conditional" else {}
    few: dict[str, Any] = {name: column[keep] for name, column in own.items()}
    part = separation(X, y, family=family, weights=keep.astype(float), **own).finite_part()
    fewer = separation(X[keep], y[keep], family=family, **few).finite_part()
    assert part.log_likelihood == pytest.approx(fewer.log_likelihood, abs=1e-9) and part.n_rows == fewer.n_rows
    for name, one in fewer.estimates.items():
        assert part.estimates[name] == pytest.approx(one, abs=1e-7)
    model = sm.MNLogit(y, sm.add_constant(X)) if family == "multinomial" else sm.ConditionalLogit(y, X, groups=strata)
    notes = separation(fitted(model)).table(time_limit=0).attrs["notes"]
    assert not any(note.startswith("These printed") for note in notes)


def test_errors_below_doubles_and_equal_fractions() -> None:
    found = separation(np.arange(6.0)[:, None] * 1e170, [0, 1, 2, 0, 1, 2], family="multinomial")
    assert any("in units that make numbers near 1" in note for note in found.table(time_limit=60).attrs["notes"])
    third = np.array([[Fraction(i % 2), Fraction(1, 3)] for i in range(6)], dtype=object)
    part = separation(third, [0, 1, 0, 1, 1, 0], family="conditional", strata=[0, 0, 1, 1, 2, 2]).finite_part()
    assert np.isnan(part.estimates["x2"].value)


def test_decimals_and_labels_that_are_text_have_the_same_multinomial_estimates(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": [0.1, 0.2, 0.35, 0.4, 0.5, 0.7, 0.75, 0.8], "kind": list("aabbccab")})
    table.to_csv(tmp_path / "kinds.csv", index=False)
    exact = separation(open_data(tmp_path / "kinds.csv", target="kind"), table.kind, family="multinomial")
    assert exact._question is not None and exact._question.design.powers == {"x": 2}
    codes = np.unique(table.kind, return_inverse=True)[1]
    part, fit = exact.finite_part(), fitted(sm.MNLogit(codes, sm.add_constant(table[["x"]])))
    for k, label in enumerate("bc"):
        for name, own in (("(Intercept)", "const"), ("x", "x")):
            assert part.estimates[label, name][:2] == pytest.approx(
                (fit.params.loc[own, k], fit.bse.loc[own, k]), abs=1e-7
            )


def test_estimators_of_scikit_learn_have_the_answer_of_statsmodels() -> None:
    for name, estimator, penalised in (
        ("Logit", LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12), LogisticRegression()),
        ("Poisson", PoissonRegressor(alpha=0, solver="newton-cholesky", tol=1e-12), PoissonRegressor()),
    ):
        X, y = DATA[name]()
        plain = X.drop(columns="const")
        found, theirs = separation(estimator.fit(plain, y), data=(plain, y)), separation(model_of(name, X, y))
        assert found.separated_rows == theirs.separated_rows
        kept = found.drop()
        again = estimator.fit(kept.frame.drop(columns="(Intercept)"), kept.y)
        assert found.table().loc[kept.names[1:], "estimate"].to_numpy() == pytest.approx(again.coef_.ravel(), abs=1e-8)
        with pytest.raises(DataError, match="has a penalty, so its estimates are finite"):
            separation(penalised.fit(plain, y), data=(plain, y))


def test_thresholds_have_the_names_of_the_fit_and_are_those_of_its_probabilities() -> None:
    X, y = marriages()
    names = ["poor", "fair", "good"]
    kinds = pd.Series(pd.Categorical(np.array(names)[y], names, ordered=True))
    fit = fitted(model_of("OrderedModel", X, kinds))
    found = separation(fit)
    found.verify(fit)
    assert [*found.coefficients] == ["poor/fair", "fair/good", *X]
    table = found.table()
    cuts = logistic.ppf(fit.predict(np.zeros((1, X.shape[1])))[0].cumsum()[:-1])
    assert table.printed[:2].to_numpy() == pytest.approx(cuts, abs=1e-8)
    assert table.printed[2:].tolist() == fit.params[: X.shape[1]].tolist()
    assert "here are the thresholds" in repr(table)
    # What is fitted again without the logarithms of their differences has the same errors.
    kept = found.drop()
    small = fitted(model_of("OrderedModel", kept.X, pd.Series(pd.Categorical(kept.y, found.classes, ordered=True))))
    table = separation(small).table()
    assert table.index[:2].tolist() == ["poor/fair", "fair/good"]

    def log_likelihood(b: Array) -> float:
        coded = np.append(b[2:], [b[0], np.log(b[1] - b[0])])
        return float(small.model.loglike(coded))

    hessian = import_module("statsmodels.tools.numdiff").approx_hess3(table.printed.to_numpy(), log_likelihood)
    errors = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    assert table.printed_error.to_numpy() == pytest.approx(errors, rel=1e-3)
    two = fitted(model_of("OrderedModel", kept.X, kept.y == "good"))
    assert separation(two).table().printed.iloc[0] == two.params[-1]
