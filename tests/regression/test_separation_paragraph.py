"""The paragraph for a paper: what it says of the model, of the rows and of the estimates."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import linsep
from linsep import separation
from linsep.regression.finite_part import LikelihoodRatio
from linsep.theory.words.of_regressions import listed

pytest.importorskip("formulaic", reason="the extra regression is not installed")
sm = pytest.importorskip("statsmodels.api", reason="the extra regression is not installed")
smf = pytest.importorskip("statsmodels.formula.api", reason="the extra regression is not installed")

N = 60
RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(
    {
        "x": RNG.normal(size=N).round(2),
        "arm": np.where(np.arange(N) < 6, "c", np.where(RNG.random(N) < 0.5, "a", "b")),
        "site": RNG.integers(0, 2, N),
        "months": RNG.permutation(N) + 1.0,
        "time": RNG.integers(1, 9, N).astype(float),
        "copies": RNG.integers(1, 4, N),
    }
)
TABLE["dead"] = np.where(TABLE.arm == "c", 0, RNG.integers(0, 2, N))
TABLE["cases"] = np.where(TABLE.arm == "c", 0, RNG.poisson(2.0, N))


def first_sentence(model: Any, **options: Any) -> str:
    return separation(model, **options).paragraph().partition(". ")[0]


def test_the_paragraph_says_what_the_model_has() -> None:
    poisson = first_sentence(smf.poisson("cases ~ x + arm", data=TABLE, exposure=TABLE.time))
    assert poisson.endswith("to 60 rows with an offset (cases ~ x + arm; offset log(exposure); Poisson of statsmodels)")
    family, weights = sm.families.Binomial(), TABLE.copies.to_numpy()
    model = smf.glm("dead ~ x + arm", data=TABLE, family=family, freq_weights=weights)
    assert "to 60 rows with weights (" in first_sentence(model)
    with warnings.catch_warnings(action="ignore"):
        robust = smf.glm("dead ~ x + arm", data=TABLE, family=family).fit(cov_type="HC1")
    assert "(dead ~ x + arm; cov_type='HC1'; GLM of statsmodels)" in first_sentence(robust)
    offset = first_sentence("cases ~ x + arm", data=TABLE, family="poisson", offset="time", weights="copies")
    assert offset.endswith("to 60 rows with weights, an offset (cases ~ x + arm; weights copies; offset time)")
    plain = first_sentence("cases ~ x + arm", data=TABLE, family="poisson")
    assert plain.endswith("to 60 rows (cases ~ x + arm)")


def test_the_paragraph_of_a_cox_model_counts_events_and_strata() -> None:
    lifelines = pytest.importorskip("lifelines", reason="the extra regression is not installed")
    with warnings.catch_warnings(action="ignore"):
        fitter = lifelines.CoxPHFitter().fit(TABLE, "months", "dead", formula="x + arm", strata=["site"])
        robust = lifelines.CoxPHFitter().fit(
            TABLE[["months", "dead", "x", "copies"]], "months", "dead", weights_col="copies", robust=True
        )
    events = TABLE.dead.sum()
    assert first_sentence(fitter, data=TABLE) == (
        f"We fitted the Cox regression to 60 rows with {events} events, 2 strata (months ~ x + arm; event dead; "
        "strata site; CoxPHFitter of lifelines)"
    )
    assert first_sentence(robust, data=TABLE).endswith(
        f"{events} events, weights (response months; event dead; weights copies; robust=True; CoxPHFitter of lifelines)"
    )


def test_the_paragraph_names_weights_and_errors_of_pyfixest() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="the extra regression is not installed")
    with warnings.catch_warnings(action="ignore"):
        fit = pyfixest.fepois("cases ~ x | arm", TABLE, vcov="hetero", weights="copies")
    assert first_sentence(fit, data=TABLE).endswith(
        "with weights (cases ~ x | arm; vcov='hetero'; weights_type='aweights'; weights copies; Fepois of pyfixest)"
    )


def cause(found: Any) -> str:
    """What the paragraph says of the data."""
    text: str = found.paragraph()
    return text.partition(f"The data are separated ({found.verdict}): ")[2].partition(". The maximum")[0]


def test_the_paragraph_says_what_the_cells_have_in_common() -> None:
    frame = TABLE[["x", "arm"]]
    assert cause(separation("dead ~ x + arm", data=TABLE)) == "all 6 rows with arm = c had dead = 0"
    assert cause(separation(frame, 1 - TABLE.dead.to_numpy())) == "all 6 rows with arm = c had the outcome 1"
    poisson = separation("cases ~ x + arm", data=TABLE, family="poisson")
    assert cause(poisson) == "all 6 rows with arm = c had cases = 0"
    cox = separation("months ~ x + arm", data=TABLE, family="cox", event="dead")
    assert cause(cox) == "none of the 6 rows with arm = c had an event"
    matched = separation("dead ~ x + arm", data=TABLE, family="conditional", strata="site")
    assert cause(matched) == "all 6 rows with arm = c had dead = 0"
    of_three = TABLE.assign(grade=np.where(TABLE.arm == "c", TABLE.months % 2, TABLE.months % 3).astype(int))
    assert cause(separation("grade ~ x + arm", data=of_three, family="multinomial")) == (
        "none of the 6 rows with arm = c had grade = 2"
    )
    trials = separation(frame, 3 * TABLE.dead, family="binomial", trials=np.full(N, 3))
    assert cause(trials) == "all 6 rows with arm = c had no success"
    one = separation("dead ~ x + arm", data=TABLE[5:])
    assert cause(one) == "the one row with arm = c had dead = 0"
    many = TABLE.assign(arm=np.where(TABLE.index < 30, "c" + (TABLE.index // 5).astype(str), TABLE.arm))
    several = separation("cases ~ arm", data=many.assign(cases=np.where(many.index < 30, 0, 1)), family="poisson")
    assert cause(several) == (
        "all 5 rows with arm = c0 had cases = 0; all 5 rows with arm = c1 had cases = 0; all 5 rows with arm = c2 had "
        "cases = 0; likewise 3 more groups"
    )


def test_where_no_cell_says_it_the_combination_of_columns_does() -> None:
    leak = np.where(TABLE.x > 1, TABLE.x, 0.0)
    y = np.where(leak > 0, "yes", np.where(TABLE.dead == 1, "yes", "no"))
    found = separation(pd.DataFrame({"leak": leak, "site": TABLE.site}), y)
    n = int((leak > 0).sum())
    assert cause(found) == (
        f"a linear combination of the columns is exactly 0 on {N - n} rows, which overlap; on {n} rows it is above 0 "
        "where the outcome is 'yes' and below 0 where it is 'no': fitted probabilities tend to 0 and 1 there"
    )
    both = separation(pd.DataFrame({"leak": leak, "arm": TABLE.arm}), np.where(TABLE.arm == "c", "no", y))
    assert cause(both).startswith("all 6 rows with arm = c had the outcome 'no'; a linear combination")


def test_the_paragraph_has_the_version_few_digits_and_the_references() -> None:
    found = separation("months ~ x + arm", data=TABLE, family="cox", event="dead")
    text, test = found.paragraph(), found.finite_part().tests["arm[T.c]"]
    assert f"with linsep {linsep.__version__} (Bryson and Johnson 1981, Jacobsen 1989)." in text
    assert f"chi-squared {test.statistic:.2f} (df 1), p = {test.p_value:.3f}." in text
    for reference in (
        "Technometrics 23 (1981)",
        "Statistics 37 (1988)",
        "Scandinavian Journal of Statistics 16 (1989)",
    ):
        assert sum(reference in line for line in text.splitlines()[-3:]) == 1
    assert str(LikelihoodRatio(15.8301, 7e-5, 2)) == "chi-squared 15.83 (df 2), p < 0.001"
    assert "1988" not in separation("dead ~ x", data=TABLE).paragraph()  # no limit is reported


def test_of_every_family_the_table_has_the_same_columns_and_says_what_may_be_kept() -> None:
    OrderedModel = import_module("statsmodels.miscmodels.ordinal_model").OrderedModel
    of_three = TABLE.assign(grade=np.where(TABLE.arm == "c", 2, TABLE.months % 3).astype(int))
    with warnings.catch_warnings(action="ignore"):
        fits = [
            OrderedModel(
                of_three.grade, of_three[["x"]].join(pd.get_dummies(of_three.arm, dtype=float)[["b", "c"]])
            ).fit(disp=0),
            smf.glm("cases ~ x + arm", data=TABLE, family=sm.families.NegativeBinomial(alpha=1.0)).fit(),
        ]
    columns = separation(smf.logit("dead ~ x + arm", data=TABLE)).table().columns
    for fit in fits:
        found = separation(fit)
        table = found.table()
        assert [*table.columns] == ["printed", "printed_error", *columns]
        assert table[["estimate", "error", "lower", "upper", "p"]].isna().all(axis=None)
        finite = [listed([name]) for name, said in found.coefficients.items() if said == "finite"]
        (kept,) = [note for note in table.attrs["notes"] if note.startswith("These printed estimates may be kept if")]
        assert kept.endswith(f": {', '.join(finite)}.")

        (lost,) = [note for note in table.attrs["notes"] if note.startswith("These printed numbers are not")]
        assert all(listed([name]) in lost for name, said in found.coefficients.items() if said != "finite")
        (why,) = [note for note in table.attrs["notes"] if note.startswith("No estimates")]
        assert why.endswith("drop() gives the rows for another package, or says why there are none.")
        assert not any("profile likelihood intervals" in text for text in found.advice)


def test_a_factor_has_interactions_only_where_it_is_multiplied() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"g": rng.choice(["9:00", "c:d", "e"], 90), "x": rng.normal(size=90)})
    table["dogs"] = rng.choice(list("ab"), 90)
    table["y"] = np.where(table.g == "e", 1, np.arange(90) % 2)
    for formula, is_multiplied in (("y ~ g + x", False), ("y ~ C(g)*x", True), ("y ~ g + x*dogs", False)):
        (note,) = [
            note
            for note in separation(formula, data=table).table().attrs["notes"]
            if note.startswith("All levels of g")
        ]
        assert ("with its interactions as they are" in note) is is_multiplied


def test_the_paragraph_of_an_overlap_has_the_estimates_and_what_is_not_identified() -> None:
    x = np.array([1.0, 2, 3, 4, 5, 6])
    found = separation(pd.DataFrame({"x": x, "twice": 2 * x, "z": [1.0, 0, 0, 1, 1, 0]}), [0, 1, 0, 1, 0, 1])
    text = found.paragraph()
    assert "Not identified, because they can change together without changing the likelihood: x, twice." in text
    z = found.finite_part().estimates["z"]
    assert "Finite estimates (standard errors): (Intercept) " in text and f"z {z.value:.3g} ({z.error:.3g})." in text


def test_other_standard_errors_of_a_package_are_said() -> None:
    X, y = sm.add_constant(np.arange(12.0)), [0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0]
    for link, is_said in (("Probit", True), ("Logit", False)):
        model = sm.GLM(y, X, family=sm.families.Binomial(getattr(sm.families.links, link)()))
        found = separation(model)
        assert ("from the expected information" in found.paragraph()) is is_said
        error = model.fit(tol=1e-12).bse[1]
        assert bool(abs(found.table()["error"].iloc[1] / error - 1) > 1e-4) is is_said


def test_nothing_is_said_of_estimates_that_time_did_not_reach_or_that_are_not_identified() -> None:
    x = np.arange(8.0)
    found = separation(pd.DataFrame({"x": x}), [0, 1, 0, 1, 0, 1, 0, 1])
    assert "Finite estimates" in found.paragraph() and "Finite estimates" not in found.paragraph(time_limit=0)
    dependent = separation(pd.DataFrame({"x": x, "twice": 2 * x}), [0, 1, 0, 1, 0, 1, 0, 1], fit_intercept=False)
    assert set(dependent.coefficients.values()) == {"not identified"}
    assert "Not identified, because they can change together" in dependent.paragraph()
