"""The levels, cells of interactions and levels of fixed effects behind a separation."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from in_process import run_linsep
from linsep import DataError, SeparationError, guard, separation

pytest.importorskip("formulaic", reason="the extra regression is not installed")
smf = pytest.importorskip("statsmodels.formula.api", reason="the extra regression is not installed")

PANEL = pd.DataFrame(
    [
        {"firm": f"f{i}", "year": year, "size": float((3 * i + year) % 5), "patents": 0 if 0 in (i, year - 2008) else 1}
        for i in range(6)
        for year in range(2008, 2012)
    ]
)
PANEL.loc[PANEL.firm.isin(["f2", "f4"]) & (PANEL.year == 2010), "patents"] = 0


def said(groups: Any) -> list[str]:
    return [str(group) for group in groups]


def rows_by_hand(table: pd.DataFrame, gone: set[int], *factors: str) -> dict[tuple[str, ...], tuple[int, ...]]:
    """The groups all of whose rows are gone, by pandas."""
    parts = table.groupby(list(factors)).indices
    return {
        tuple(map(str, key if isinstance(key, tuple) else (key,))): tuple(np.asarray(rows).tolist())
        for key, rows in parts.items()
        if gone.issuperset(np.asarray(rows).tolist())
    }


def test_levels_of_fixed_effects_are_named_and_infinite_themselves() -> None:
    found = separation("patents ~ size | firm + year", data=PANEL, family="poisson")
    groups = {(group.factors, group.levels): group.rows for group in found.groups}
    gone = set(found.separated_rows)
    expected = {(("firm",), level): rows for level, rows in rows_by_hand(PANEL, gone, "firm").items()}
    expected |= {(("year",), level): rows for level, rows in rows_by_hand(PANEL, gone, "year").items()}
    assert groups == expected
    assert set(groups) == {(("firm",), ("f0",)), (("year",), ("2008",))}
    # The first level of the second effect, all zeros, is not the one without a column.
    assert found.fixed_effects == {"firm": {"-inf": 1, "finite": 5}, "year": {"-inf": 1, "finite": 2}}
    turned = separation("patents ~ size | year + firm", data=PANEL, family="poisson")
    assert turned.fixed_effects == {"year": {"-inf": 1, "finite": 3}, "firm": {"-inf": 1, "finite": 4}}
    assert said(turned.groups)[::-1] == said(found.groups)


def test_of_a_cox_model_the_level_without_an_event() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"months": rng.permutation(60) + 1.0, "stage": rng.choice(["I", "II", "III"], 60)})
    table["died"] = np.where(table.stage == "I", 0, rng.integers(0, 2, 60))
    found = separation("months ~ stage", data=table, family="cox", event=table["died"])
    (group,) = found.groups
    assert group.rows == tuple(np.flatnonzero(table.stage == "I"))
    assert (group.levels, found.coefficients) == (("I",), {"stage[T.II]": np.inf, "stage[T.III]": np.inf})
    assert not any("the finite estimates are" in text for text in found.advice)  # there are none
    why = f"no row has an event at 'I', the reference ({len(group.rows)} rows), so the coefficients of its other levels"
    assert found.advice[0].startswith(f"Take another reference level of stage: {why} go to infinity together;")
    assert "At 0 events" not in found.summary()


def test_nothing_is_named_where_no_row_or_every_row_is_separated() -> None:
    table = pd.DataFrame({"ward": list("aabb"), "died": [0, 1, 0, 1]})
    assert separation(table[["ward"]], table["died"]).groups == []
    table["died"] = [0, 0, 1, 1]
    complete = separation(table[["ward"]], table["died"])
    assert (complete.verdict, complete.groups) == ("complete", [])


def test_a_guarded_formula_names_the_levels_and_what_can_be_done() -> None:
    with pytest.raises(SeparationError) as caught:
        guard(smf.poisson("patents ~ size + C(year)", data=PANEL)).fit()
    found = caught.value.separation
    assert said(found.groups) == ["year=2008 (6 rows)"]
    assert found.references == {"year": "2008"}
    assert "C(year, Treatment(reference=2009))" in found.advice[0]
    assert str(caught.value).endswith("groups for the levels behind it, and advice on what can be done")
    table = PANEL.assign(months=range(1, 25))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.phreg("months ~ C(year)", data=table, status=table["patents"])
    with pytest.raises(SeparationError, match=r"what next: .* table\(\) for what is true") as caught:
        guard(model).fit()
    assert said(caught.value.separation.groups) == ["year=2008 (6 rows)"]


def test_the_command_names_groups_and_says_nothing_of_labels(tmp_path: Path) -> None:
    PANEL.assign(patents=PANEL.patents * (1 + np.arange(24))).to_csv(tmp_path / "panel.csv", index=False)
    effects = ["--formula", "patents ~ size | firm + year", "--family", "poisson"]
    found = run_linsep(["separation", "panel.csv", *effects], tmp_path)
    assert (found.returncode, "firm=f0 (4 rows), year=2008 (6 rows)" in found.stdout) == (1, True)
    counts = run_linsep(["separation", "panel.csv", "--target", "patents", "--family", "poisson"], tmp_path)
    assert (counts.returncode, "label" in counts.stderr) == (1, False)
    times = run_linsep(["separation", "panel.csv", "--target", "year", "--family", "cox"], tmp_path)
    assert "without --set event=COLUMN every row counts as an event" in times.stderr


# R's table Titanic (Dawson 1995): class, sex, age, who died and who survived.
TITANIC = """1st Male Child 0 5
2nd Male Child 0 11
3rd Male Child 35 13
1st Female Child 0 1
2nd Female Child 0 13
3rd Female Child 17 14
1st Male Adult 118 57
2nd Male Adult 154 14
3rd Male Adult 387 75
1st Female Adult 4 140
2nd Female Adult 13 80
3rd Female Adult 89 76"""


def titanic() -> pd.DataFrame:
    cells = [line.split() for line in TITANIC.splitlines()]
    rows = [(*cell, k) for *cell, died, lived in cells for k in [0] * int(died) + [1] * int(lived)]
    return pd.DataFrame(rows, columns=["cls", "sex", "age", "survived"])


def infinite(found: Any) -> list[Any]:
    return [name for name, value in found.coefficients.items() if value not in ("finite", "not identified")]


def without_a_third_class() -> pd.DataFrame:
    """Children of the first two classes have both outcomes, girls of the third survived."""
    table = titanic()
    table.loc[(table.age == "Child") & (table.cls != "3rd"), "survived"] = np.arange(30) % 2
    table.loc[(table.cls == "3rd") & (table.sex == "Female") & (table.age == "Child"), "survived"] = 1
    return table


CHILDREN = ["cls=2nd, age=Child (24 rows)", "cls=1st, age=Child (6 rows)"]
OF_PRODUCTS = ["age=Child, cls=2nd (24 rows)", "age=Child, cls=1st (6 rows)"]
GIRLS = ["cls=3rd, sex=Female, age=Child (31 rows)", "cls=1st, sex=Female, age=Child (1 row)"]  # of one row too


@pytest.mark.parametrize(
    ("table", "formula", "cells", "terms"),
    [
        (titanic, "cls*age + sex", CHILDREN, ["cls:age"]),
        (titanic, "cls*sex*age", CHILDREN, ["cls:age", "cls:sex:age"]),
        (titanic, "age:cls + sex", OF_PRODUCTS, ["age:cls"]),
        (titanic, "C(age):C(cls, Treatment('3rd')) + sex", OF_PRODUCTS, ["C(age):C(cls, Treatment('3rd'))"]),
        (without_a_third_class, "cls*sex*age", GIRLS, ["cls:sex:age"]),
    ],
)
def test_cells_whose_rows_are_all_separated_are_named_with_the_fewest_terms_to_leave_out(
    table: Any, formula: str, cells: list[str], terms: list[str]
) -> None:
    data = table()
    found = separation(f"survived ~ {formula}", data=data)
    assert sorted(said(found.groups)) == sorted(cells)
    assert found.advice[0] == (
        f"Every row is separated in {', '.join(said(found.groups))}: merge levels, or leave out {', '.join(terms)}; "
        "then no estimate is infinite."
    )
    assert infinite(separation(" - ".join([f"survived ~ {formula}", *terms]), data=data)) == []
    for kept in terms[:-1]:  # no fewer would do
        rest = [term for term in terms if term != kept]
        assert infinite(separation(" - ".join([f"survived ~ {formula}", *rest]), data=data))
    assert not any("Drop a column" in text or "Merge levels" in text for text in found.advice)


def test_what_advice_proposes_was_tried() -> None:
    table = titanic().assign(cabin=lambda t: t.cls + t.age)
    for formula in ("survived ~ cabin + sex", "survived ~ C(cabin, Treatment('2ndChild')) + sex"):
        text = next(one for one in separation(formula, data=table).advice if one.startswith("Merge levels of cabin"))
        named = text.partition("joined with ")[2].partition(" no estimate")[0].replace("'", "").split(" or ")
        assert sorted(named) == ["1stAdult", "2ndAdult", "3rdAdult", "3rdChild"]
        for level in named:
            joined = table.assign(cabin=table.cabin.replace({"1stChild": level, "2ndChild": level}))
            assert infinite(separation("survived ~ cabin + sex", data=joined)) == []
    y, z = np.arange(18) % 2, (np.arange(18) > 15).astype(int)
    frame = pd.DataFrame({"x": np.arange(18) % 6, "leak": np.arange(18) == 17, "z": z}).astype(int)
    found = separation(frame, y)
    assert infinite(found) == ["leak", "z"]
    assert found.advice[-1].endswith("; without leak no estimate is infinite; without z still infinite: leak.")
    assert infinite(separation(frame.drop(columns="leak"), y)) == []
    assert infinite(separation(frame.drop(columns="z"), y)) == ["leak"]


def test_columns_that_depend_on_others_are_named() -> None:
    crew = pd.DataFrame({"cls": "crew", "sex": ["Male", "Female"] * 9, "age": "Adult", "survived": [0, 1, 1] * 6})
    table = pd.concat([titanic(), crew], ignore_index=True)  # the crew has no children
    found = separation("survived ~ cls*age + sex", data=table)
    end = "as without cls[T.crew]:age[T.Child]: their coefficients mean nothing alone."
    assert found.advice[0] == f"Drop columns until none is a combination of the others, {end}"
    X = pd.get_dummies(table[["sex", "age"]]).astype(float)
    classes = table.cls.to_numpy()
    text = separation(X, classes, family="multinomial").advice[0]
    assert "as without sex_Male, age_Child: their" in text
    rest = separation(X[["sex_Female", "age_Adult"]], classes, family="multinomial")
    assert "not identified" not in rest.coefficients.values()
    assert infinite(separation("survived ~ sex", data=titanic())) == []


def test_cells_without_an_event_or_a_case_are_named() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"stage": rng.choice(["I", "II", "III"], 90), "sex": rng.choice(["f", "m"], 90)})
    cell = (table.stage == "II") & (table.sex == "m")
    table = table.assign(months=rng.permutation(90) + 1.0, died=np.where(cell, 0, rng.integers(0, 2, 90)))
    table["ward"] = np.arange(90) // 9
    cox = separation("months ~ stage*sex", data=table, family="cox", event="died")
    matched = separation("died ~ stage*sex", data=table, family="conditional", strata="ward")
    for found, what in ((cox, "No row has an event"), (matched, "No row is a case")):
        assert said(found.groups) == [f"stage=II, sex=m ({cell.sum()} rows)"]
        then = "merge levels, or leave out stage:sex; then no estimate is infinite."
        assert found.advice[0] == f"{what} in stage=II, sex=m ({cell.sum()} rows): {then}"
    assert infinite(separation("months ~ stage + sex", data=table, family="cox", event="died")) == []
    assert infinite(separation("died ~ stage + sex", data=table, family="conditional", strata="ward")) == []


@pytest.mark.parametrize("family", ["logistic", "poisson", "cox"])
@pytest.mark.parametrize("seed", range(6))
def test_the_level_without_a_column_is_named_by_the_columns_of_the_others(family: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"s": rng.choice(list("abcd"), 60), "t": rng.choice(list("uvw"), 60), "x": rng.normal(size=60)}
    )
    at = table.s == "a" if seed % 2 else table.t == "u"
    y = np.where(at, 0, np.arange(60) % 2)
    options = {"family": family, "event": y} if family == "cox" else {"family": family}
    response = rng.permutation(60) + 1.0 if family == "cox" else y
    of_text = separation(table, response, **options)
    assert said(of_text.groups) == [f"{'s=a' if seed % 2 else 't=u'} ({at.sum()} rows)"]
    columns = pd.get_dummies(table, drop_first=True, dtype=float)
    own = [name for name in map(str, columns) if name.startswith("s_" if seed % 2 else "t_")]
    for X, names in ((columns, own), (columns.to_numpy(), [f"x{1 + list(columns).index(name)}" for name in own])):
        found = separation(X, response, **options)
        (group,) = found.groups
        assert (group.factors, group.levels) == (tuple(names), ("0",) * len(names))
        assert group.rows == of_text.groups[0].rows == tuple(np.flatnonzero(at).tolist())
        assert "which may be the reference level of a factor. If so, merge it with a similar level" in found.advice[0]
        assert not any("Drop a column" in text for text in found.advice)


def test_levels_of_cases_only_are_named() -> None:
    ward, x = np.repeat(np.arange(20), 3), np.tile([0.0, 1.0, 2.0], 20)
    y, rare = np.tile([1, 0, 0, 0, 1, 0], 10), np.zeros(60)
    rare[[0, 4, 6]] = 1
    found = separation(np.column_stack([x, rare]), y, family="conditional", strata=ward)
    assert (said(found.groups), found.verdict) == (["x2=1 (3 rows)"], "quasi-complete")
    assert "all 3 rows with x2 = 1 had the outcome 1" in found.paragraph()
    alone = np.append(y[:57], [1, 1, 1])  # a stratum of cases only says nothing
    same = separation(np.column_stack([x, rare]), alone, family="conditional", strata=ward)
    assert said(same.groups) == said(found.groups)
    assert same.paragraph().startswith("We fitted the conditional logistic regression to 57 rows with 19 strata.")
    assert "all 3 rows with x2 = 1 in strata with cases and others had the outcome 1" in same.paragraph()
    assert "likelihood-ratio test: chi-squared" in same.paragraph().partition("For x2 ")[2]
    twice = separation(
        np.column_stack([x, rare]), np.where(rare, 1, np.tile([1, 1, 0], 20)), family="conditional", strata=ward
    )
    with pytest.raises(DataError, match="and without weights conditional ones with one case a stratum"):
        twice.finite_part()


def two_columns(a: int, b: int) -> pd.DataFrame:
    """Columns of 0 and 1; every row with these two values has y = 1."""
    rng = np.random.default_rng(21)
    table = pd.DataFrame(rng.integers(0, 2, (150, 3)), columns=["a", "b", "y"])
    return table.assign(y=np.where((table.a == a) & (table.b == b), 1, table.y))


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_each_cell_of_a_product_of_columns_of_0_and_1_is_named(a: int, b: int) -> None:
    table = two_columns(a, b)
    for found in (
        separation("y ~ a*b", data=table),
        separation("t ~ a*b", data=table.assign(t=np.arange(150) + 1.0, y=1 - table.y), family="cox", event="y"),
    ):
        n = int(((table.a == a) & (table.b == b)).sum())
        assert said(found.groups) == [f"a={a}, b={b} ({n} rows)"]
        assert found.advice[0].endswith(
            f"in a={a}, b={b} ({n} rows): merge levels, or leave out a:b; then no estimate is infinite."
        )
        assert not any("Drop a column" in text or "reference" in text for text in found.advice)


def test_levels_of_a_factor_that_are_separated_beside_its_reference() -> None:
    rng = np.random.default_rng(21)
    s = pd.Series(rng.choice(list("abcd"), 150))
    y = np.where(s == "a", 0, np.where(s == "d", 1, rng.integers(0, 2, 150)))
    columns = pd.get_dummies(s, prefix="s", drop_first=True, dtype=float)
    found = separation(columns, y)
    n = {level: int((s == level).sum()) for level in "ad"}
    assert sorted(said(found.groups)) == [f"s_b=0, s_c=0, s_d=0 ({n['a']} rows)", f"s_d=1 ({n['d']} rows)"]
    (text,) = [text for text in found.advice if "which may be the reference level" in text]
    assert "whose column is then left out; without s_d no estimate is infinite." in text  # and it is so
    assert infinite(separation(columns.drop(columns="s_d"), y)) == []
    assert infinite(separation(columns.drop(columns="s_b"), y)) != []
    t = pd.Series(rng.choice(list("uvw"), 150))
    both = columns.join(pd.get_dummies(t, prefix="t", drop_first=True, dtype=float))[
        ["s_b", "t_v", "s_c", "t_w", "s_d"]
    ]
    mixed = separation(both, np.where(t == "u", 0, y))
    assert [group.named() for group in mixed.groups if len(group.factors) > 1] == [
        "t_v=0, t_w=0",
        "s_b=0, s_c=0, s_d=0",
    ]


def test_a_factor_of_many_levels_is_named_in_brief() -> None:
    s = np.repeat(np.arange(12), 6)
    y = np.where(s == 0, 0, np.arange(72) % 2)
    (group,) = separation(np.eye(12)[s][:, 1:], y).groups
    assert str(group) == "x1, x2, x3, x4, x5, x6, x7, x8 and 3 more all 0 (6 rows)"


def test_contrasts_and_columns_that_are_not_identified_are_not_left_out_alone() -> None:
    s = np.repeat(list("abc"), 20)
    table = pd.DataFrame({"s": s, "y": np.where(s == "c", 1, np.arange(60) % 2)})
    for code, why in (
        ("sum", "every row is separated at 'c' (20 rows); join it with a similar level."),
        ("helmert", "together with other columns they fix the outcome of some rows; without C(s, contr.helmert) no"),
    ):
        found = separation(f"y ~ C(s, contr.{code})", data=table)
        assert not any("Drop a column" in text for text in found.advice)
        assert found.advice[0].startswith(f"Merge levels of C(s, contr.{code}): {why}")
    every = separation(pd.get_dummies(table[["s"]], dtype=float), table.y)
    assert any(
        "In Python firth() fits it, once no column is a combination of the others." in text for text in every.advice
    )
    with pytest.raises(DataError, match="some coefficients are not identified"):
        every.firth()


def crossed(**levels: Any) -> pd.DataFrame:
    """Each cell of some factors with y = 0 and y = 1."""
    table = pd.DataFrame([dict(zip(levels, cell, strict=True)) for cell in product(*levels.values())])
    return pd.concat([table.assign(y=0), table.assign(y=1)], ignore_index=True)


@pytest.mark.parametrize("formula", ["y ~ C(g):C(h)", "y ~ g:h"])
def test_levels_in_products_alone_are_joined_without_a_false_word(formula: str) -> None:
    table = crossed(g="ab", h="abc")
    table.loc[table.h == "c", "y"] = 1
    assert not any("still infinite" in text for text in separation(formula, data=table).advice)
    wide = crossed(g="ab", h="abc", w="01")
    wide.loc[(wide.h == "b") | (wide.g == "b") & (wide.h == "c"), "y"] = 0
    assert not any("leave out" in text and "infinite" in text for text in separation("y ~ w + g:h", data=wide).advice)


def test_a_value_of_a_column_that_is_multiplied_is_left_out_with_its_products() -> None:
    table = crossed(u=[0, 1], g="abc")
    both = table.assign(y=np.where((table.u == 0) | (table.g == "a"), 0, table.y))
    assert sorted(said(separation("y ~ u*g", data=both).groups)) == ["g=a (4 rows)", "u=0 (6 rows)"]
    table.loc[table.u == 0, "y"] = 0
    found = separation("y ~ u*g", data=table)
    assert said(found.groups) == ["u=0 (6 rows)"]
    assert found.advice[0] == "Every row is separated in u=0 (6 rows): leave out u, u:g; then no estimate is infinite."
    assert not any(text.startswith(("Drop a column", "Merge")) for text in found.advice)


@pytest.mark.parametrize("options", [{}, {"prefix_sep": "="}, {"prefix_sep": "."}, {"prefix": "", "prefix_sep": ""}])
def test_references_of_levels_with_any_name_are_found(options: Any) -> None:
    table = crossed(site=["ann_arbor", "new_york", "paris"], w=[0, 1])
    table.loc[table.site == "ann_arbor", "y"] = 0
    columns = pd.get_dummies(table[["w", "site"]], columns=["site"], drop_first=True, dtype=int, **options)
    (group,) = separation(columns, table.y).groups
    assert (group.factors, group.rows) == (tuple(columns.columns[1:]), (0, 1, 6, 7))


@pytest.mark.parametrize("right", [True, False])
def test_levels_that_are_intervals(right: bool) -> None:
    table = crossed(years=[10, 30, 50], sex="fm")
    table = table.assign(age=pd.cut(table.years, [0, 20, 40, 60], right=right))
    table.loc[(table.years == 50) & (table.sex == "m"), "y"] = 1
    for found in (separation("y ~ age*sex", data=table), separation(smf.logit("y ~ age*sex", table))):
        (group,) = found.groups
        assert group.factors == ("age", "sex")
        assert list(group.rows) == np.flatnonzero((table.years == 50) & (table.sex == "m")).tolist()
        assert "leave out age:sex; then no estimate is infinite." in found.advice[0]


def test_a_level_that_is_never_at_risk_is_no_group() -> None:
    s, time = list("aaaabbbbcccc"), [5.0, 6, 7, 8, 5.5, 6.5, 7.5, 8.5, 1, 2, 3, 4]
    event = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    found = separation(pd.DataFrame({"s": s}), time, family="cox", event=event)
    assert said(found.groups) == ["s=b (4 rows)"]
    time[4:8] = [10.0, 11, 12, 13]
    late = separation(pd.DataFrame({"s": s}), time, family="cox", event=event, entry=[0.0] * 4 + [9.0] * 4 + [0.5] * 4)
    assert said(late.groups) == []


def test_levels_nested_in_a_level_are_told_once() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"state": np.repeat(list("abcd"), 30), "county": np.repeat(np.arange(40), 3)})
    table = table.assign(x=rng.normal(size=120), n=1 + rng.poisson(2.0, 120))
    table.loc[(table.state == "b") | (table.county == 31), "n"] = 0
    for effects in ("| state + county", "| county + state", "+ C(state) + C(county)"):
        groups = separation(f"n ~ x {effects}", data=table, family="poisson").groups
        assert sorted(said(groups)) == ["county=31 (3 rows)", "state=b (30 rows)"]


@pytest.mark.parametrize(
    ("options", "package"),
    [
        ({"link": "probit"}, "brglm of R fits it"),
        ({"family": "multinomial"}, "brglm2 of R fits it (brmultinom), with Wald intervals alone"),
        ({"family": "adjacent"}, "brglm2 of R fits it (bracl), with Wald intervals alone"),
        ({"family": "cumulative"}, "ordinalNet of R has a ridge penalty, without intervals"),
        (
            {"family": "cox", "entry": np.zeros(8)},
            "coxphf of R fits it where there are no strata and no weights, with entry times too",
        ),
        (
            {"family": "conditional"},
            "fit_regularized(alpha=0.1, L1_wt=0) of ConditionalLogit in statsmodels has a ridge penalty",
        ),
        ({}, "In Python firth() fits it"),
        ({"family": "cox"}, "In Python firth() fits it"),
    ],
)
def test_advice_names_the_package_that_has_a_remedy(options: Any, package: str) -> None:
    is_of_two = options.get("family", "logistic") in ("logistic", "conditional")
    y = [0, 1, 0, 1, 1, 1, 0, 1] if is_of_two else [1, 2, 3, 1, 3, 3, 2, 2]
    found = separation(np.column_stack([np.arange(8) % 3, np.isin(np.arange(8), [4, 5])]), y, **options)
    assert found.verdict == "quasi-complete" or options.get("family") == "cox"
    if found.verdict != "overlap":
        (text,) = [one for one in found.advice if one.startswith("Penalise")]
        assert text.endswith(f"not from Wald standard errors. {package}.")


def test_rows_separated_from_some_classes_only_still_count_and_their_cell_is_named() -> None:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"age": rng.normal(50, 10, 150).round(), "drug": rng.choice(list("AABBC"), 150)})
    table["place"] = rng.integers(0, 3, 150)
    table.loc[(table.drug == "C") & (table.place == 1), "place"] = 0
    model, cell = smf.mnlogit("place ~ age + C(drug)", data=table), table.drug == "C"
    found = separation(model)
    assert [(group.levels, group.rows, group.classes) for group in found.groups] == [
        (("C",), tuple(np.flatnonzero(cell).tolist()), (1,))
    ]
    size = f"({cell.sum()} rows, none of class 1)"
    assert said(found.groups) == [f"drug=C {size}"]
    assert f"separated from a class at 'C' {size}" in found.advice[0]
    assert found.advice[0].endswith("joined with 'A' or 'B' no estimate is infinite.")
    joined = smf.mnlogit("place ~ age + C(drug)", data=table.replace({"drug": {"C": "A"}}))
    assert infinite(separation(joined)) == []
    # What the advice says of fewer rows: with the infinite one far out, age is as in a fit of all rows, and no other.
    with warnings.catch_warnings(action="ignore"):
        whole, fewer = model.fit(disp=0), smf.mnlogit("place ~ age + C(drug)", data=table[~cell]).fit(disp=0)
    assert abs(whole.params.loc["age"] - fewer.params.loc["age"]).max() > 2e-4
    (text,) = [one for one in found.advice if one.startswith("Or report")]
    assert "need not be those of a fit of fewer rows" in text
    with pytest.raises(DataError, match="no regression on fewer rows"):
        found.drop()
    table.loc[cell, "place"] = 2  # separated from all other classes
    whole = separation(smf.mnlogit("place ~ age + C(drug)", data=table))
    assert said(whole.groups) == [f"drug=C ({cell.sum()} rows)"]
    assert any("those of the rows that overlap" in one for one in whole.advice)
    assert whole.drop().dropped == ["C(drug)[T.C]"]


def test_a_factor_is_left_out_with_all_its_terms() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"arm": rng.choice(["a", "b"], 80), "x": rng.integers(0, 3, 80), "y": rng.integers(0, 2, 80)})
    table.loc[(table.arm == "b") & (table.x != 1), "y"] = table.x // 2
    found = separation("y ~ arm*x", data=table)
    assert infinite(found) == ["arm[T.b]", "arm[T.b]:x"]
    (text,) = [one for one in found.advice if one.startswith("Merge levels of arm")]
    assert text.endswith("; without arm no estimate is infinite.") and infinite(separation("y ~ x", data=table)) == []


def test_a_column_of_0_and_1_is_a_level_like_any_other() -> None:
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"x": rng.normal(size=200), "rare": np.arange(200) < 5, "y": rng.integers(0, 2, 200)})
    table.loc[table.rare, "y"] = 1
    numbers = table.astype({"rare": int})
    assert said(separation(smf.logit("y ~ x + rare", data=numbers)).groups) == ["rare=1 (5 rows)"]
    assert said(separation(smf.logit("y ~ x + rare", data=table)).groups) == ["rare=True (5 rows)"]
    for design in (numbers[["x", "rare"]], sp.csr_array(numbers[["x", "rare"]]), numbers[["x", "rare"]].to_numpy()):
        (group,) = separation(design, numbers.y.to_numpy()).groups
        assert (group.levels, group.rows) == (("1",), (0, 1, 2, 3, 4))
    turned = numbers.assign(rare=1 - numbers.rare)
    assert said(separation(turned[["x", "rare"]], turned.y).groups) == ["rare=0 (5 rows)"]
    assert separation(numbers[["x", "rare"]].assign(rare=2 * numbers.rare), numbers.y).groups == []
    # A product is told only where no level is, and by its factors.
    product = numbers.assign(old=np.arange(200) % 2)
    assert said(separation("y ~ rare*old", data=product).groups) == ["rare=1 (5 rows)"]
    product["y"] = np.where((product.rare == 1) & (product.old == 0), 1, rng.integers(0, 2, 200))
    product.loc[[1, 3], "y"] = [0, 1]
    zero = separation("y ~ rare + rare:old", data=product.assign(old=1 - product.old))
    assert said(zero.groups) == ["rare:old=1 (3 rows)"]


def test_levels_are_named_whatever_their_coding() -> None:
    hazards = pytest.importorskip("statsmodels.duration.hazard_regression")
    table = pd.DataFrame({"y": [1, 0, 1, 0, 1, 0, 1, 1, 1], "s": list("aabbabccc"), "t": np.arange(1.0, 10)})
    table["e"] = np.where(table.s == "c", 0, 1)
    for level, renamed in (("c", table), ("a", table.replace({"s": {"a": "c", "c": "a"}}))):
        formulas = ["y ~ s", "y ~ 0 + s", "y ~ C(s, contr.sum)"]
        models: list[Any] = [*formulas, smf.logit("y ~ C(s, Sum)", data=renamed), smf.logit("y ~ s", data=renamed)]
        with warnings.catch_warnings(action="ignore"):
            models.append(hazards.PHReg.from_formula("t ~ 0 + s", data=renamed, status="e"))
        for model in models:
            found = separation(model, data=renamed) if isinstance(model, str) else separation(model)
            assert said(found.groups) == [f"s={level} (3 rows)"], model


def test_a_cox_model_is_told_by_its_level_without_an_event() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"stage": rng.choice(["I", "II", "III"], 90), "age": rng.integers(40, 80, 90)})
    gone = np.flatnonzero(table.stage == "II").tolist()
    table["months"] = rng.permutation(90) + 1.0
    table["died"] = np.where(table.stage == "II", 0, rng.integers(0, 2, 90))
    cell = f"stage=II ({len(gone)} rows)"
    found = separation("months ~ age + stage", data=table, family="cox", event="died")
    assert f"cox, no row has an event in {cell}; -inf: stage[T.II]" in repr(found)
    assert f"no row has an event in {cell}" in found._repr_html_()
    shown = found.table()
    assert shown.attrs["notes"][0] == f"No row has an event in {cell} (quasi-complete)."
    first = table.months[table.died == 1].min()
    met = [row for row in gone if table.months[row] >= first]  # by an event
    assert shown.loc["stage[T.II]", "rows"] == f"{', '.join(map(str, met[:8]))} and {len(met) - 8} more"
    assert {*met} == {*range(90)} - {*found.drop().rows.tolist()}
    assert found.advice[0] == (
        f"Merge levels of stage: no row has an event at 'II' ({len(gone)} rows); join it with a similar level; joined "
        "with 'I' or 'III' no estimate is infinite."
    )
    numbers = separation("months ~ age", data=table.assign(age=-(table.months // 9)), family="cox", event="died")
    assert repr(numbers) == "<Separation quasi-complete, cox; +inf: age>"
    assert numbers.table().attrs["notes"][0].startswith("At every event a combination of columns is highest in the row")


def test_rows_that_are_separated_from_some_class_are_counted() -> None:
    X = np.array([[0], [0], [0], [1], [1]])
    found = separation(X, list("abcaa"), family="multinomial")
    assert "multinomial, 2 of 5 rows;" in repr(found)
    assert "In 2 rows the fitted probability of a class that was not observed tends to 0; in 2 rows" in found.summary()
    found = separation(X, list("abcab"), family="multinomial")
    assert "multinomial, 2 of 5 rows from some class; -inf: x1 of class c" in repr(found)
    assert "In 2 rows the fitted probability of a class that was not observed tends to 0. The max" in found.summary()
    one = separation([[0], [0], [1]], [0, 1, 1]).summary()
    assert "on 1 row it is above 0 where the outcome is 1 and below 0 where it is 0" in one
