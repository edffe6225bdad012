"""Fitted models of lifelines and pyfixest: what they are about, and what their own numbers are worth."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from test_separation_published import FIXED_EFFECTS, numbers

import linsep.regression.finite_part
from linsep import SeparationError, SeparationWarning, guard, separation
from linsep.types import Array, DataError

pytest.importorskip("formulaic", reason="the extra regression is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # both packages warn of much, and of what pandas will change


# ------------------------------------------------------------------ lifelines
def rossi() -> pd.DataFrame:
    """Rossi, Berk and Lenihan 1980, Money, Work and Crime: 432 released prisoners and the weeks to an arrest."""
    datasets = pytest.importorskip("lifelines.datasets", reason="lifelines is not installed")
    table: pd.DataFrame = datasets.load_rossi()
    return table.assign(old=(table.age >= 40).astype(int), site=np.where(table.index % 2, "a", "b"))


def fitted_cox(table: pd.DataFrame, **options: Any) -> Any:
    lifelines = pytest.importorskip("lifelines", reason="lifelines is not installed")
    return lifelines.CoxPHFitter().fit(table, "week", "arrest", **options)


def programme_separates(X: Array, time: Array, event: Array, strata: Array) -> tuple[bool, Any]:
    """Whether a linear programme finds a direction along which the partial likelihood rises for ever, and which."""
    first, second = np.nonzero((event[:, None] > 0) & (time[None] >= time[:, None]) & (strata[None] == strata[:, None]))
    Z = X[first] - X[second]
    end = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=[(-1, 1)] * X.shape[1])
    assert end.fun is not None
    return bool(end.fun < -1e-7), end.x


@pytest.mark.parametrize("strata", [None, ["race"], ["race", "site"]])
@pytest.mark.parametrize("formula", [None, "fin + age + C(old)", "fin + age"])
def test_a_fit_of_lifelines_is_asked_about_with_its_table(strata: Any, formula: Any) -> None:
    table = rossi()[["week", "arrest", "fin", "age", "race", "old", "site"]]
    table["old"] *= 1 - table["arrest"]
    given = table if strata == ["race", "site"] or formula else table.drop(columns="site")
    fit = fitted_cox(given, strata=strata, formula=formula)
    found = separation(fit, data=given)
    found.verify(fit, data=given)
    names = list(found.coefficients)
    X = np.column_stack([table["old" if "old" in name else name] for name in names]).astype(float)
    of_strata = table.groupby(strata).ngroup().to_numpy() if strata else np.zeros(len(table))
    is_separated, d = programme_separates(X, table.week.to_numpy(), table.arrest.to_numpy(), of_strata)
    assert (found.verdict != "overlap") is is_separated is (formula != "fin + age")
    for name, way in zip(names, np.round(d, 6).tolist(), strict=True):
        assert found.coefficients[name] == (np.sign(way) * np.inf if way else "finite")
    # What lifelines fits to the rows that remain, and what it printed of what is finite.
    printed = found.table()
    small = found.drop()
    frame = small.frame.assign(week=small.y, arrest=small.event)
    again = fitted_cox(
        frame.assign(s=0.0 if small.strata is None else small.strata), strata="s", fit_options={"precision": 1e-12}
    )
    for name in small.names:
        assert printed.loc[name, "estimate"] == pytest.approx(again.params_[name], abs=1e-8)
        assert printed.loc[name, "error"] == pytest.approx(again.standard_errors_[name], abs=1e-8)
    assert found.finite_part().log_likelihood == pytest.approx(again.log_likelihood_, abs=1e-8)
    kept = next(note for note in printed.attrs["notes"] if note.startswith("These printed estimates may be kept"))
    assert all(name in kept for name in small.names)


def test_entry_times_and_weights_of_lifelines_count() -> None:
    table = rossi()[["week", "arrest", "fin", "age", "prio"]]
    table["from"] = np.where(table.index % 3 == 0, np.maximum(table.week - 5, 0), 0)
    table["n"] = 1 + table.index % 2
    fit = fitted_cox(table, entry_col="from", weights_col="n", fit_options={"precision": 1e-12})
    part = separation(fit, data=table).finite_part()
    assert part.log_likelihood == pytest.approx(fit.log_likelihood_, abs=1e-8)
    for name, told in part.estimates.items():
        assert told[:2] == pytest.approx((fit.params_[name], fit.standard_errors_[name]), abs=1e-8)


def test_what_a_fit_of_lifelines_refuses() -> None:
    lifelines = pytest.importorskip("lifelines", reason="lifelines is not installed")
    table = rossi()[["week", "arrest", "fin", "age"]]
    fit = fitted_cox(table)
    with pytest.raises(DataError, match=r"does not hold its data: give them as separation\(model, data=table\)"):
        separation(fit)
    with pytest.raises(DataError, match="data is another table than that of the fit"):
        separation(fit, data=table.iloc[1:])
    with pytest.raises(DataError, match="the times, events or counts of its rows are others"):
        separation(fit, data=table.assign(arrest=1 - table.arrest))
    assert separation(fit, data=table.sample(frac=1, random_state=0)).coefficients.keys() == {"fin", "age"}
    # Columns that the fit had not are none of the model.
    assert separation(fit, data=rossi()).coefficients == separation(fit, data=table).coefficients
    with pytest.raises(DataError, match="takes columns of numbers, unless"):
        guard(lifelines.CoxPHFitter()).fit(rossi(), "week", "arrest")
    with pytest.raises(DataError, match="data has no column 'age'"):
        separation(fit, data=table.drop(columns="age"))
    with pytest.raises(DataError, match="data has no column 'week'"):
        separation(fit, data=table.drop(columns="week"))
    with pytest.raises(DataError, match="knows its columns only after"):
        separation(lifelines.CoxPHFitter(), data=table)
    with pytest.raises(DataError, match="has a penalty, so its estimates are finite"):
        separation(lifelines.CoxPHFitter(penalizer=0.1).fit(table, "week", "arrest"), data=table)
    spline = lifelines.CoxPHFitter(baseline_estimation_method="spline", n_baseline_knots=2)
    with pytest.raises(DataError, match="has the baseline 'spline', which makes another likelihood"):
        separation(spline.fit(table, "week", "arrest"), data=table)
    with pytest.raises(DataError, match="WeibullAFTFitter is not a model that can be asked about"):
        separation(lifelines.WeibullAFTFitter(), data=table)
    robust = separation(fitted_cox(table, robust=True), data=table)
    with pytest.raises(DataError, match="the fit asks for robust=True"):
        robust.finite_part()


def test_a_fit_of_lifelines_is_guarded() -> None:
    lifelines = pytest.importorskip("lifelines", reason="lifelines is not installed")
    table = rossi()[["week", "arrest", "fin", "old"]]
    table["old"] *= 1 - table["arrest"]
    with pytest.raises(SeparationError, match="-infinity for old; finite for fin"):
        guard(lifelines.CoxPHFitter()).fit(table, "week", event_col="arrest")
    with guard() as guarding:
        lifelines.CoxPHFitter().fit(table.drop(columns="old"), "week", "arrest")
        lifelines.CoxPHFitter(penalizer=0.1).fit(table, "week", "arrest")
        with pytest.raises(SeparationError, match="-infinity for old"):
            lifelines.CoxPHFitter().fit(table, "week", "arrest")
    assert [found.verdict for found in guarding.separations] == ["overlap", "quasi-complete"]


def test_a_block_asks_about_the_rows_that_pyfixest_keeps() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    table = counts()
    with guard() as guarding:
        pyfixest.fepois("n ~ x | g + h", table, offset="t")  # it drops the level without events itself
        pyfixest.feglm("b ~ x + s", table, family="logit")
        pyfixest.feols("x ~ s", table)  # has estimates always
        with pytest.raises(SeparationError) as unchecked:
            pyfixest.fepois("n ~ x | g + h", table, separation_check=[])
        with pytest.raises(SeparationError, match="-infinity for z; finite for x"):
            pyfixest.fepois("n ~ x + z | g + h", table)
        with pytest.raises(SeparationError, match="the probit regression"):
            pyfixest.feglm("b ~ x + z", table, family="probit")
    whole = separation("n ~ x | g + h", data=table, family="poisson")
    assert unchecked.value.separation.separated_rows == whole.separated_rows
    assert [found.verdict for found in guarding.separations] == ["overlap"] * 2 + ["quasi-complete"] * 3
    assert (np.isin(guarding.separations[3].separated_rows, table.index[table.z == 1])).all()
    assert pyfixest.fepois("n ~ x + z", table).coef()["z"] < -10  # as without the block
    table.loc[[3, 7], "x"] = np.nan
    with guard(on_separation="warn") as guarding, pytest.warns(SeparationWarning, match="4 further rows"):
        pyfixest.fepois("n ~ x + z | g", table)
    (found,) = guarding.separations
    assert found.n_missing == table["x"].isna().sum() == 4
    assert np.isin(found.separated_rows, table.index[table.z == 1]).all()


def test_a_block_says_what_it_did_not_ask_about() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    with pytest.warns(SeparationWarning, match="nothing was asked about these fits: Fepois"), guard() as guarding:
        pyfixest.fepois("n ~ x:i(s)", counts())  # a product of a term of its own
    assert guarding.not_asked == ["Fepois.get_fit"]
    pytest.importorskip("lifelines", reason="lifelines is not installed")
    code = "import linsep\nwith linsep.guard() as guarding: import pyfixest, lifelines\nprint(guarding.not_asked)"
    told = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.count("which was loaded inside the block") == 2


# ------------------------------------------------------------------ pyfixest
@pytest.mark.parametrize(("text", "rows"), FIXED_EFFECTS)
def test_a_fit_of_pyfixest_is_asked_about_with_the_rows_that_it_dropped(text: str, rows: tuple[int, ...]) -> None:
    """Three tables of Correia, Guimaraes and Zylkin, whose separated rows they name."""
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    t = numbers(text)
    names = ["y", *(f"x{k + 1}" for k in range(t.shape[1] - 3)), "i", "j"]
    table = pd.DataFrame(t, columns=names)
    options = {"separation_check": ["fe"], "fixef_rm": "none"}
    try:
        fit = pyfixest.fepois(f"y ~ {' + '.join(names[1:-2])} | i + j", table, **options)
    except ValueError as error:  # its own steps end nowhere
        pytest.skip(f"pyfixest does not fit it: {error}")
    found = separation(fit, data=table)
    assert found.separated_rows == rows
    dropped = set(fit.na_index.astype(int).tolist())
    assert found._question is not None and set(found._question.dropped or ()) == dropped
    note = found.table().attrs["notes"][1]
    assert note.startswith(f"The fit left out {len(dropped)} row")
    assert (" separated" in note) is bool(dropped)
    assert ("missed" in note) is bool(set(rows) - dropped)
    if dropped:
        with pytest.raises(DataError, match=f"does not hold the {len(dropped)} rows? that it dropped as separated"):
            separation(fit)


def counts() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame({"x": rng.normal(size=n).round(1), "s": rng.choice(list("abc"), n), "n": rng.poisson(1.0, n)})
    table = table.assign(g=rng.integers(0, 8, n), h=rng.integers(0, 4, n), t=np.log(rng.integers(1, 5, n)))
    table.loc[table.g == 3, "n"] = 0
    table["z"] = ((table.n == 0) & (table.index % 5 == 0)).astype(float)
    table.loc[[5, 17], "x"] = np.nan
    return table.assign(b=(table.n > 0).astype(int))


def test_what_pyfixest_missed_is_said_and_what_is_finite_is_its_own() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    table = counts()
    fit = pyfixest.fepois("n ~ x + s + z | g + h", table, offset="t", fixef_tol=1e-12, iwls_tol=1e-13)
    found = separation(fit, data=table)
    design = pd.get_dummies(table[["x", "s", "z", "g", "h"]].dropna(), columns=["s", "g", "h"]).to_numpy(dtype=float)
    n = table.n[table.x.notna()].to_numpy()
    zero, free = design[n == 0], design[n > 0]
    end = linprog(zero.sum(axis=0), A_ub=zero, b_ub=np.zeros(len(zero)), A_eq=free, b_eq=np.zeros(len(free)),
                  bounds=[(-1, 1)] * design.shape[1])  # fmt: skip
    places = np.flatnonzero(table.x.notna())[n == 0]
    assert found.separated_rows == tuple(places[zero @ end.x < -1e-7].tolist())
    assert found.separated_rows == tuple(np.flatnonzero(((table.g == 3) | (table.z == 1)) & table.x.notna()).tolist())
    assert (found.n_missing, found.coefficients["z"]) == (2, -np.inf)
    printed = found.table()
    again = pyfixest.fepois(
        "n ~ x + s | g + h", table.iloc[found.drop().rows], offset="t", fixef_tol=1e-12, iwls_tol=1e-13
    )
    for name, b in zip(again._coefnames, again._beta_hat, strict=True):
        assert printed.loc[name, "estimate"] == pytest.approx(b, abs=1e-8)
    notes = printed.attrs["notes"]
    out, missed = (table.g == 3) & table.x.notna(), (table.z == 1) & (table.g != 3) & table.x.notna()
    assert notes[1].startswith(f"The fit left out {out.sum()} rows, all of them separated, and missed ")
    assert f" missed {missed.sum()} rows that are: {np.flatnonzero(missed)[0]}, " in notes[1]
    assert notes[2] == "These printed estimates may be kept: x, s[T.b], s[T.c]."
    assert notes[-1].startswith("pyfixest multiplies its errors by a factor for small samples")
    factors = (printed.printed_error / printed.error).dropna()
    assert factors.size == 3 and 1 < factors.min() == pytest.approx(factors.max(), rel=1e-3)
    with pytest.raises(DataError, match="data is another table"):
        separation(fit, data=table.assign(n=table.n + 1))


def test_rows_of_a_fit_of_pyfixest_are_places_where_it_holds_them() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    table = counts()
    found = separation(pyfixest.fepois("n ~ x + z", table))
    assert found._question is not None and found._question.printed.keys() == {"(Intercept)", "x", "z"}
    assert found.separated_rows == tuple(np.flatnonzero((table.z == 1) & table.x.notna()).tolist())
    assert found.n_missing == separation("n ~ x + z", data=table, family="poisson").n_missing == 2
    assert "2 further rows were left out for missing values" in found.paragraph()
    single = table.assign(single=np.where(np.arange(300) < 3, np.arange(300), 9)).drop(columns="z")
    found = separation(pyfixest.fepois("n ~ x | single", single), data=single)
    zeros = [k for k in range(3) if single.n[k] == 0]
    assert found.separated_rows == tuple(zeros)  # pyfixest leaves all three out before it looks for them
    assert found.table().attrs["notes"][1] == f"The fit left out 3 rows, {len(zeros)} of them separated."
    paired = separation(pyfixest.fepois("n ~ x | g^h", table), data=table)
    assert paired.separated_rows == separation("n ~ x | g:h", data=table, family="poisson").separated_rows
    for kind in ("logit", "probit"):
        fit = pyfixest.feglm("b ~ x + s", table, family=kind)
        part = separation(fit).finite_part()
        assert [told.value for told in part.estimates.values()] == pytest.approx(fit._beta_hat.tolist(), abs=1e-6)
    robust = separation(pyfixest.fepois("n ~ x", table, vcov="HC1"))
    with pytest.raises(DataError, match="the fit asks for vcov='HC1'"):
        robust.finite_part()
    own = robust.table()
    assert own["estimate"].tolist() == pytest.approx(own["printed"].tolist(), abs=1e-6)
    assert own.attrs["notes"][-1].startswith("No errors, limits and tests: the fit asks for vcov='HC1'")
    lean = pyfixest.fepois("n ~ x", table, store_data=False)
    with pytest.raises(DataError, match="Fepois does not hold the data: give the table"):
        separation(lean)
    assert separation(lean, data=table).verdict == "overlap"
    several = pyfixest.fepois("n ~ csw(x, s)", table)
    for fit, told in ((pyfixest.feols("x ~ s", table), ""), (several, r"ask about each of its to_list\(\)")):
        with pytest.raises(DataError, match=f"is not a model that can be asked about.*{told}"):
            separation(fit)
    assert [separation(one).verdict for one in several.to_list()] == ["overlap", "overlap"]


@pytest.mark.parametrize(
    ("terms", "of_levels", "by"),
    [
        ("i(h, z) | g", "h::{}:z", "z"),
        ("i(h, z, ref=1) | g", "h::{}:z", "z"),
        ("i(h, ref=2)", "h::{}", "one"),
        ("i(h)", "h::{}", "one"),
    ],
)
def test_the_interactions_of_an_event_study_are_the_columns_that_pyfixest_makes(
    terms: str, of_levels: str, by: str
) -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    table = counts().assign(one=1.0)
    table["n"] *= table.h != 3  # a level without events
    columns = {of_levels.format(level): (table.h == level) * table[by] for level in range(4)}
    dropped = {"i(h, z, ref=1) | g": 1, "i(h, ref=2)": 2, "i(h)": 0}.get(terms)
    plain = {f"k{k}": values for k, values in enumerate(columns.values()) if k != dropped}
    told = separation(
        f"n ~ x + {' + '.join(plain)}{terms[terms.find('|') - 1 :] if '|' in terms else ''}",
        data=table.assign(**plain),
        family="poisson",
    )
    fit = pyfixest.fepois(f"n ~ x + {terms}", table)
    found = separation(fit, data=table)
    found.verify(fit, data=table)
    names = [name for k, name in enumerate(columns) if k != dropped]
    wanted = dict(zip(told.coefficients, [*list(told.coefficients)[: -len(names)], *names], strict=True))
    assert found.coefficients == {wanted[name]: value for name, value in told.coefficients.items()}
    assert (found.separated_rows, found.n_missing) == (told.separated_rows, 2)
    assert -np.inf in found.coefficients.values() and f"n ~ x + {terms}" in found.paragraph()
    printed = found.table()
    finite = printed.truth == "finite"
    assert printed.estimate[finite].to_numpy() == pytest.approx(printed.printed[finite].to_numpy(), abs=1e-6)
    with warnings.catch_warnings(), guard(on_separation="warn") as guarding:
        warnings.simplefilter("ignore")
        pyfixest.fepois(f"n ~ x + {terms}", table, separation_check=[])
    assert guarding.separations[0].coefficients == found.coefficients


def test_terms_of_fixest_that_are_not_read_are_refused_by_name() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    for given in ((pyfixest.fepois("n ~ x:i(s)", counts()),), ("n ~ i(s, x)", counts())):
        with pytest.raises(DataError, match=r"formulas have no i\(\): write C\(g\) for i\(g\), .* for i\(g, x\)"):
            separation(*given)
    with pytest.raises(DataError, match=r"i\(s, ref='b'\) cannot be evaluated"):
        separation(pyfixest.fepois("n ~ i(s, ref='b')", counts()), data=counts().drop(columns="s"))


def test_a_response_that_the_formula_calculates_is_compared_with_that_of_the_fit() -> None:
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    table = counts()
    calculated, plain = (pyfixest.feglm(f"{y} ~ x + z | g", table, family="logit") for y in ("I(n > 0)", "b"))
    with pytest.raises(DataError, match=r"does not hold the .* rows that it dropped as separated"):
        separation(calculated)
    found = separation(calculated, data=table)
    assert found.coefficients == separation(plain, data=table).coefficients
    assert found.separated_rows == separation(plain, data=table).separated_rows != ()
    for other in (table.assign(n=1 - table.b), table.iloc[:-1], table.assign(x=table.x.where(table.index > 0))):
        with pytest.raises(DataError, match="data is another table"):
            separation(calculated, data=other)


def test_nothing_is_loaded_to_ask_about_other_data() -> None:
    code = (
        "import linsep, sys; linsep.separation([[0], [1]], [0, 1]); print({'lifelines', 'pyfixest'} & {*sys.modules})"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


@pytest.mark.parametrize("family", ["poisson", "logistic"])
def test_fixed_effects_that_are_too_many_are_refused_with_the_lines_that_fit_them(
    family: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    data = pd.DataFrame(
        {"county": rng.integers(0, 12, 400), "year": rng.integers(0, 4, 400), "x": rng.normal(size=400)}
    )
    data["y"] = rng.poisson(np.exp(data.x)) if family == "poisson" else rng.integers(0, 2, 400)
    data.loc[data.county < 2, "y"] = 0
    found = separation("y ~ x | county + year", data=data, family=family)
    here = found.finite_part().estimates["x"]
    monkeypatch.setattr(linsep.regression.finite_part, "_MOST_WORK", 0)
    with pytest.raises(DataError, match="16 columns of fixed effects are too many to fit here") as caught:
        found.finite_part()
    assert str(caught.value) in found.table().attrs["notes"][-1]
    pyfixest = pytest.importorskip("pyfixest", reason="pyfixest is not installed")
    names = {"data": data, "found": found, "pyfixest": pyfixest}
    lines, last = str(caught.value).split("\n")[1:]
    exec(lines, names)
    assert eval(last, names).coef()["x"] == pytest.approx(here.value, abs=1e-6)
