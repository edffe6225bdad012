"""Formulas: the design is that of formulaic, fixed effects are absorbed, rows with missing values are counted."""

from __future__ import annotations

import json
import re
import sys
import warnings
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from linsep import CertificateError, MissingWarning, Separation, separation
from linsep.app.commands.separation import separation as command
from linsep.data.sources.open import open_data
from linsep.regression.formulas.formula import asked_of
from linsep.tables import dense
from linsep.types import DataError, PrecisionWarning

formulaic = pytest.importorskip("formulaic", reason="the extra regression is not installed")


def clinic(rows: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(30, 60, rows),
            "size": rng.integers(1, 9, rows) / 4,
            "dose": np.array(["low", "mid", "top"])[rng.integers(0, 3, rows)],
            "ward": rng.integers(1, 6, rows),
            "year": np.array(["a", "b", "c"])[rng.integers(0, 3, rows)],
            "better": np.array(["no", "yes"])[rng.integers(0, 2, rows)],
        }
    )
    frame.loc[frame.dose == "top", "better"] = "yes"
    frame.loc[frame.ward == 5, "better"] = "no"
    return frame[(frame.dose != "top") | (frame.ward != 5)].reset_index(drop=True)


@pytest.mark.parametrize("terms", ["age + C(dose)", "age * dose", "size + age:size + dose", "0 + dose + np.log(size)"])
def test_a_formula_is_the_question_about_its_model_matrix(terms: str) -> None:
    frame = clinic()
    found = separation(f"better ~ {terms}", data=frame)
    found.verify(f"better ~ {terms}", data=frame)
    made = formulaic.Formula(terms).get_model_matrix(frame, context={"np": np})
    names = ["(Intercept)" if name == "Intercept" else name for name in made.columns]
    plain = separation(made.to_numpy(), frame["better"], fit_intercept=False)
    assert found.coefficients == dict(zip(names, plain.coefficients.values(), strict=True))
    assert (found.verdict, found.separated_rows, found.rank) == (plain.verdict, plain.separated_rows, plain.rank)
    assert found.fit_intercept is ("0 +" not in terms)
    read = Separation.from_json(found.to_json())
    read.verify(f"better ~ {terms}", data=frame)
    assert read == found


def test_levels_and_references_are_those_of_the_formula() -> None:
    frame = clinic()
    plain = separation("better ~ age + C(dose)", data=frame)
    assert plain.references == {"dose": "low"}
    assert plain.coefficients["C(dose)[T.top]"] == inf
    assert plain._levels == {"dose": {"top": int((frame.dose == "top").sum())}}
    assert plain.advice[0].startswith("Merge levels of dose: every row is separated at 'top'")
    name = "C(dose, Treatment(reference='top'))"
    other = separation(f"better ~ age + {name}", data=frame)
    assert other.references == {"dose": "top"}
    assert other.coefficients[f"{name}[T.mid]"] == -inf
    frame["dose"] = pd.Categorical(frame["dose"], ["unused", "mid", "low", "top"])
    ordered = separation("better ~ age + dose", data=frame)
    assert ordered.references == {"dose": "mid"}
    assert list(ordered.coefficients) == ["(Intercept)", "age", "dose[T.low]", "dose[T.top]"]


@pytest.mark.parametrize("family", ["logistic", "poisson", "multinomial"])
def test_fixed_effects_are_absorbed(family: Any) -> None:
    frame = clinic()
    frame["n"] = (frame.better == "yes") * frame.age
    outcome = {"logistic": "better", "poisson": "n", "multinomial": "year"}[family]
    text = f"{outcome} ~ age + size | ward + {'dose' if family == 'multinomial' else 'year'}"
    found = separation(text, data=frame, family=family)
    found.verify(text, data=frame)
    # The same question with every level as a column of its own.
    second = text.rpartition(" ")[2]
    whole = separation(f"{outcome} ~ 0 + C(ward) + {second} + age + size", data=frame, family=family)
    assert (found.verdict, found.separated_rows, found.rank) == (whole.verdict, whole.separated_rows, whole.rank)
    assert found.pairs == whole.pairs
    shown = {
        name: value for name, value in whole.coefficients.items() if str(name).strip("')").endswith(("age", "size"))
    }
    assert found.coefficients == shown
    hidden = [str(value) for name, value in whole.coefficients.items() if name not in shown]
    counted = [n for counts in found.fixed_effects.values() for n in counts.values()]
    assert sum(counted) == len(hidden)
    if family == "logistic":
        assert found.fixed_effects["ward"] == {"finite": 4, "-inf": 1}
        assert "fixed effect ward: 4 finite, 1 -infinity." in found.summary()


def test_many_fixed_effects_stay_sparse() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    frame = pd.DataFrame({"y": rng.poisson(0.5, n), "firm": rng.integers(0, 2000, n), "year": rng.integers(0, 9, n)})
    found = separation("y ~ 1 | firm + year", data=frame, family="poisson")
    zeros = (frame.groupby("firm").y.sum() == 0).sum()
    assert zeros > 0
    assert found.fixed_effects["firm"]["-inf"] == zeros
    assert found.coefficients == {}
    assert found._question is not None
    assert sp.issparse(found._question.design.X)


def test_rows_with_missing_values_are_left_out_and_counted() -> None:
    frame = clinic()
    gaps = frame.astype({"age": float, "dose": object})
    gaps.loc[[0, 7], "age"] = np.nan
    gaps.loc[3, "dose"] = None
    gaps.loc[5, "year"] = None  # which the formula does not need
    text = "better ~ age + dose"
    found = separation(text, data=gaps)
    found.verify(text, data=gaps)
    rest = separation(text, data=frame.drop([0, 3, 7]))
    assert (found.n_missing, found.n_rows, rest.n_missing) == (3, len(frame) - 3, 0)
    assert found.coefficients == rest.coefficients
    # Rows are those of the whole table.
    assert set(found.separated_rows) == set(np.flatnonzero(gaps.dose == "top").tolist()) - {0, 3, 7}
    assert "3 further rows were left out for missing values" in found.summary()
    lagged = separation("better ~ lag(age)", data=frame)
    assert lagged.n_missing == 1


def test_columns_that_belong_to_the_response() -> None:
    frame = clinic().assign(n=3)
    frame["good"] = np.where(frame.better == "yes", 3, 1)
    weights = np.where(np.arange(len(frame)) % 5, 1, 0)
    text = "good ~ age + dose"
    found = separation(text, data=frame, family="binomial", trials=frame["n"], weights=weights)
    found.verify(text, data=frame, trials=frame["n"], weights=weights)
    used = frame[weights > 0]
    rest = separation(text, data=used, family="binomial", trials=used["n"])
    assert found.coefficients == rest.coefficients
    assert found.left_out == (weights == 0).sum()
    with pytest.raises(DataError, match=r"weights has the shape \(3,\)"):
        separation(text, data=frame, family="binomial", trials=frame["n"], weights=[1, 1, 1])


def test_an_ordered_model_keeps_its_thresholds_beside_fixed_effects() -> None:
    frame = clinic()
    frame["pain"] = pd.Categorical(
        frame["year"].map({"a": "low", "b": "mid", "c": "high"}), ["low", "mid", "high"], ordered=True
    )
    found = separation("pain ~ age | ward", data=frame, family="cumulative")
    found.verify("pain ~ age | ward", data=frame)
    plain = separation("pain ~ age + C(ward)", data=frame, family="cumulative")
    assert (found.verdict, found.rank) == (plain.verdict, plain.rank)
    assert list(found.coefficients) == ["low|mid", "mid|high", "age"]


def test_any_table_will_do() -> None:
    frame = clinic()
    text = "better ~ age + dose | ward"
    found = separation(text, data=frame)
    for data in (pl.from_pandas(frame), pl.from_pandas(frame).to_arrow(), frame.to_dict("list")):
        assert separation(text, data=data) == found


def test_a_certificate_is_of_its_formula() -> None:
    frame = clinic()
    read = Separation.from_json(separation("better ~ age + dose", data=frame).to_json())
    for text in ("better ~ age", "better ~ 0 + age + dose", "better ~ dose + age"):
        with pytest.raises(CertificateError, match=r"another formula|about other rows"):
            read.verify(text, data=frame)
    with pytest.raises(CertificateError, match="about other rows"):
        read.verify("better ~ age + dose", data=frame.assign(age=frame.age + (frame.index == 2)))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"X": "better ~ age"}, "is about a table: give it as data"),
        ({"X": "better ~ age", "y": [1], "data": {}}, "names the response: leave out y"),
        ({"X": "better ~ age", "data": {}, "fit_intercept": False}, "write `y ~ 0 [+] x` for none"),
        ({"X": "better ~ agee", "data": clinic()}, "names 'agee', which is no column of data; did you mean 'age'"),
        ({"X": "better ~ age | ward | year", "data": clinic()}, "several |: write the fixed effects as `| firm"),
        ({"X": "better ~ age + (1 | ward)", "data": clinic()}, "cannot be read: Operator `|` is incorrectly used"),
        ({"X": "better ~ age | C(ward')", "data": clinic()}, "cannot be read: unterminated string"),
        ({"X": "better ~ " + "age: " * 1000, "data": clinic()}, r"'\.\.\. cannot be read"),
        *(
            ({"X": f"y ~ {terms}", "data": {name: [1, 2] for name in "yabcdef"}}, "makes too many products of terms")
            for terms in ("(a + b)**1000", "(a + b)**30", "((a + b + c)**3)**8 + d", "((a+b+c+d+e+f)**6)**6")
        ),
        *(
            ({"X": text, "data": {"x": [1, 2, 3], "y": [0, 1, 0], "z": [1.0, 2, 2]}}, told)
            for text, told in (
                ("Surv(x, y) ~ z", r"no Surv\(\): write `time ~ x` with family='cox' and event="),
                ("y ~ factor(x)", r"no factor\(\): write C\(x\)"),
                ("y ~ x + offset(z)", r"no offset\(\): give it beside the formula"),
                ("cbind(y, x) ~ z", r"no cbind\(\): write `successes ~ x` with family='binomial' and trials="),
                ("y ~ open(x)", "names 'open', which is no column of data"),
            )
        ),
        # A column hides a function: so in formulaic.
        ({"X": "better ~ C(C)", "data": clinic().rename(columns={"dose": "C"})}, "'Series' object is not callable"),
        ({"X": "better ~ lag", "data": clinic()}, "names 'lag', which is no column of data"),
        ({"X": "better ~ age | np.log(ward)", "data": clinic()}, "fixed effect 'np.log.ward.' is not a column"),
        ({"X": "better ~ age | 1", "data": clinic()}, "no fixed effect stands after the |"),
        ({"X": "~ age", "data": clinic()}, "needs one response before the ~"),
        ({"X": "better + age ~ dose", "data": clinic()}, "needs one response before the ~"),
        ({"X": "better ~ 1", "data": clinic()}, "no column besides the intercept"),
        ({"X": "better ~ np.log(dose)", "data": clinic()}, "cannot be evaluated"),
        ({"X": "better ~ np.log(0 * age)", "data": clinic()}, "-inf is not a finite number"),
        ({"X": "better ~ age", "data": clinic().assign(age=np.nan)}, "no row is left: of none of"),
        ({"X": "better ~ age + I(2 * age)", "data": clinic().astype({"age": object})}, "as an object, which a formula"),
        ({"X": "better ~ age", "data": clinic().assign(age=pd.Timestamp(2026, 1, 1))}, "would take for a level"),
        ({"X": "better ~ age", "data": clinic().assign(age=[True, *["True"] * 35])}, "row 1, column 'age': the label"),
        (
            {"X": "better ~ C(`None`)", "data": clinic().assign(**{"None": 1})},
            "takes `None` for a number or a constant",
        ),
        ({"X": "a ~ b", "data": {"a": [1, 2], "b": [1]}}, "data is no table of columns: All arrays must be of the"),
        (
            {"X": "a ~ b", "data": pa.record_batch([pa.array([1, 2])], names=["a"])},
            "data is a RecordBatch: make a table of",
        ),
        ({"X": [[1], [2]], "y": [0, 1], "data": clinic()}, "data belongs to a formula"),
        ({"X": [[1], [2]]}, "y, the response, is missing"),
        ({"X": "better ~ age", "data": clinic().assign(age=1j)}, "'age' holds complex128: make it float32 or float64"),
        ({"X": "better ~ age", "data": clinic().astype({"age": np.longdouble})}, "'age' holds float128: make it float"),
        ({"X": "better ~ I(age * 1j)", "data": clinic()}, "makes complex numbers: take their real parts"),
        ({"X": "better ~ age", "data": clinic().assign(age=pd.Series([[1]] * 36))}, "one number or level for each row"),
        ({"X": "x ~ x", "data": pa.record_batch([pa.array([1])] * 2, names=["x", "x"])}, "has two columns of one name"),
        ({"X": "better ~ age", "data": np.eye(2)}, "data is a table with named columns"),
    ],
)
def test_what_is_wrong_with_a_formula(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said.replace("|", "[|]")):
        separation(**arguments)


def test_the_command_takes_decimals_as_they_are_written(tmp_path: Path) -> None:
    file = tmp_path / "d.csv"
    file.write_text("a,b,y,g\n0.1,0.3,1,u\n0.2,0.6,0,v\n0.3,0.9,1,u\n,0.9,1,u\n0.4,1.2,0,v\n0.7,2.1,1,v\n")
    asked: dict[str, Any] = {"target": None, "family": "logistic", "fit_intercept": True, "time_limit": None}
    found = command(file, **asked, formula="y ~ a + b")
    assert found.data["rank"] == 2  # b = 3 a as written, not as doubles
    assert separation("y ~ a + b", data=pd.read_csv(file)).rank == 3
    assert (found.warnings, found.data["missing"]) == ([], 1)
    assert ("left out", "1 row with missing values") in found.lines
    assert command(file, **asked, formula="y ~ np.exp(a)").warnings
    absorbed = command(file, **asked, formula="y ~ a | g")
    assert absorbed.data["fixed_effects"] == separation("y ~ a | g", data=pd.read_csv(file)).fixed_effects
    assert json.loads(json.dumps(absorbed.data))["question"]["formula"] == "y ~ a | g"
    assert "  fixed effect g" in dict(absorbed.lines)
    with pytest.raises(DataError, match="leave out --target"):
        command(file, **{**asked, "target": "y"}, formula="y ~ a")
    with pytest.raises(DataError, match="names 'z', which is no column of the table; there are"):
        command(file, **asked, formula="y ~ z")
    (tmp_path / "r.svm").write_text("1 1:2\n0 1:3\n")
    with pytest.raises(DataError, match="needs a table whose columns have names"):
        command(tmp_path / "r.svm", **asked, formula="y ~ z")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"not installed: pip install '\.\[regression\]'"):
        separation("better ~ age", data=clinic())
    (tmp_path / "d.csv").write_text("a,y\n1,0\n2,1\n")
    asked: dict[str, Any] = {"target": None, "family": "logistic", "fit_intercept": True, "time_limit": None}
    with pytest.raises(ImportError, match="not installed"):
        command(tmp_path / "d.csv", **asked, formula="y ~ a")


@pytest.mark.parametrize("reference", ["a", "c"])
def test_a_rare_reference_level_is_told_and_another_one_helps(reference: str) -> None:
    wards = pd.DataFrame({"ward": list("aaaabbbbddddccc"), "better": [0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0]})
    found = separation(f"better ~ C(ward, Treatment(reference='{reference}'))", data=wards)
    infinite = [name for name, value in found.coefficients.items() if value != "finite"]
    hints = [text for text in found.advice if "Take another reference level of ward" in text]
    read = Separation.from_json(found.to_json())
    assert read.advice == ()
    read.verify(found.formula, data=wards)
    assert read == found and read.advice == found.advice
    if reference == "a":
        assert (infinite, hints) == (["C(ward, Treatment(reference='a'))[T.c]"], [])
        return
    assert len(infinite) == 4
    assert len(hints) == 1
    assert "every row is separated at 'c', the reference (3 rows), so the coefficients of its other levels" in hints[0]
    assert 'C(ward, Treatment(reference="a"))' in hints[0]


def test_no_reference_is_blamed_where_its_rows_overlap() -> None:
    wards = pd.DataFrame({"ward": list("aaaabbbccc"), "better": [0, 1, 0, 1, 1, 1, 1, 0, 0, 0]})
    assert not any("reference" in text for text in separation("better ~ ward", data=wards).advice)


def test_columns_beside_the_response_by_name() -> None:
    frame = clinic().assign(weigh=1.0, times=2.0)
    frame.loc[frame.index[0], "weigh"] = 0.0
    frame.loc[frame.index[1], "times"] = np.nan
    found = separation("better ~ age", data=frame, weights="weigh", offset="times")
    assert (found.left_out, found.n_missing) == (1, 1)
    named = separation("better ~ age", data=frame.iloc[[0, *range(2, len(frame))]], weights="weigh", offset="times")
    assert found.coefficients == named.coefficients
    found.verify("better ~ age", data=frame, weights="weigh", offset="times")
    with pytest.raises(DataError, match="weights names 'weight', which is no column of data; did you mean 'weigh'"):
        separation("better ~ age", data=frame, weights="weight")
    with pytest.raises(DataError, match="weights is the name 'weigh', which belongs to a formula and its data"):
        separation(frame[["age"]], frame.better, weights="weigh")


def test_series_beside_the_response_have_the_index_of_the_table() -> None:
    frame = clinic()
    weights = pd.Series(np.arange(len(frame)), index=frame.index)
    turned = weights[::-1]
    assert separation("better ~ age", data=frame, weights=weights).left_out == 1
    with pytest.raises(DataError, match=r"in data and 35 in weights: give weights.loc\[data.index\]"):
        separation("better ~ age", data=frame, weights=turned)
    for role in ("weights", "offset", "trials", "event", "strata", "entry"):
        beside: dict[str, Any] = {role: turned}
        with pytest.raises(DataError, match=rf"in X and 35 in {role}: give {role}.loc\[X.index\]"):
            separation(frame[["age"]], frame.better, **beside)
    with pytest.raises(DataError, match=r"in y and 35 in weights: give weights.loc\[y.index\]"):
        separation(frame[["age"]].to_numpy(), frame.better, weights=turned)
    assert separation(frame[["age"]], frame.better, weights=turned.to_numpy()).left_out == 1


# A table whose columns are called as functions of formulaic are, or not as Python names are.
NAMED = {
    "center": "ab",
    "scale": "abc",
    "log": "ab",
    "lag": "abc",
    "C": "ab",
    "hashed": "abc",
    "poly": "abcd",
    "contr": "ab",
    **dict.fromkeys(["exp", "bs", "cc", "np"], "abc"),
}
FIFTY = (
    """
age; age + size; 0 + age; age - 1; age + dose; dose - 1; 0 + dose + ward; age:size; age*size; age*dose; dose:year
dose*year; (age + size + dose)**2; age + dose %in% year; dose/age; age + I(age**2); {age**2} + size; np.log(age)
np.log(age):dose; log(size) + exp(size); log(size):C(year); np.sqrt(size) + I(np.pi * age); center(age); scale(age)
standardize(age) + dose; center(age):dose; scale(size)*dose; poly(age, 2); poly(age, degree=3):year
poly(size, 2, raw=True); bs(age, df=4); bs(age, df=5, degree=2) + dose; cs(age, df=4); cr(size, df=3)
cc(age, df=3); bs(size, knots=[1.0]); C(dose); C(ward); C(dose):C(ward); C(dose, contr.treatment('mid'))
C(dose, contr.sum); C(dose, contr.helmert):age; C(ward, contr.treatment(base=3)) + age; C(dose, Sum)
C(dose, Treatment(reference='top')); C(year, contr.poly); `my age` + dose; `age.in.years`; age.in.years:dose
C(`ward.no`); np.log(`my age`) + C(`ward.no`):size; Q('my age') + C(dose); C(center); C(center):scale(age)
C(scale) + C(log) + center(size); center*age; log:size; C(lag) + age; year + lag + {age / size}; C(hashed) + poly
C(contr) + log; poly:scale(size); `center` + scale:`log`; C(exp); C(bs) + C(cc); C(np):age; lag.isin(['a'])
""".replace("\n", ";")
    .strip(";")
    .split(";")
)


@pytest.mark.parametrize("terms", [text.strip() for text in FIFTY])
def test_the_columns_are_those_of_formulaic(terms: str) -> None:
    frame = clinic(60)
    frame = frame.assign(**{"my age": frame.age, "age.in.years": frame.age, "ward.no": frame.ward})
    rng = np.random.default_rng(5)
    frame = frame.assign(**{name: rng.choice(list(levels), len(frame)) for name, levels in NAMED.items()})
    # Columns hide the functions of the same name: formulaic is given those that the formula takes.
    functions = {part.split("(")[0].strip() for part in re.findall(r"[a-z]+\(", terms)} | {"np"}
    functions |= {"contr"} if "contr." in terms and "C(contr" not in terms else set()
    functions |= {"C"} if "C(" in terms else set()
    hidden = functions - set(re.findall(r"[(]([a-z]+)[),]", terms))
    given = frame[[name for name in frame.columns if name not in hidden]]
    made = formulaic.Formula(terms).get_model_matrix(given, context={"np": np})
    asked = asked_of(f"better ~ {terms}", None, frame, True, "logistic", None)
    kept = [name for name in made.columns if name != "Intercept"]
    assert asked.design.names == kept
    assert asked.fit_intercept is ("Intercept" in made.columns)
    assert np.array_equal(dense(asked.design.X), made[kept].to_numpy()[asked.design.places])


def test_names_in_backticks_may_hold_anything() -> None:
    frame = pd.DataFrame({"ph.ecog": [0, 1, 2, 1, 0, 2], "my col": [0, 1, 2, 1, 0, 2], "y": [0, 1, 1, 0, 0, 1]})
    plain = list(separation("y ~ z", data=frame.rename(columns={"my col": "z"})).coefficients.values())
    for text, name in (("`my col`", "my col"), ("`ph.ecog`", "ph.ecog"), ("ph.ecog", "ph.ecog")):
        assert separation(f"y ~ {text}", data=frame).coefficients == dict(
            zip(["(Intercept)", name], plain, strict=True)
        )
    found = separation("y ~ C(`ph.ecog`)", data=frame)
    assert (found.references, found.levels["C(`ph.ecog`)[T.1]"]) == ({"ph.ecog": "0"}, ("ph.ecog", "1"))
    assert list(separation("y ~ 1 | `ph.ecog`", data=frame).fixed_effects) == ["ph.ecog"]


def test_a_quoted_name_is_not_the_column_that_formulaic_would_call_it() -> None:
    frame = pd.DataFrame(
        {"a b": [0, 1, 0, 1, 0, 1, 0, 1], "a_b": [1, -1, 0, -1, 2, 0, 2, 0], "y": [0, 1, 1, 0, 0, 1, 1, 0]}
    )
    by_hand = frame.assign(total=frame["a b"] + frame["a_b"])
    found, wanted = separation("y ~ I(`a b` + a_b)", data=frame), separation("y ~ total", data=by_hand)
    assert list(found.coefficients.values()) == list(wanted.coefficients.values())
    assert found.separated_rows == wanted.separated_rows


@pytest.mark.parametrize(
    "terms",
    ["lag(x) + z", "bs(x, df=4) + z", "center(x) + C(g)", "z.fillna(0) + z.isna()", "g.map({'a': 'u', 'b': 'v'})"],
)
@pytest.mark.filterwarnings("ignore:rows without a value of 'z' that stay")
def test_rows_without_a_value_go_after_expressions_are_evaluated_as_formulaic_has_it(terms: str) -> None:
    frame = pd.DataFrame({"x": np.arange(14.0) * 7 % 15, "z": np.arange(14.0) % 3, "g": list("aabbcabcabcabc")})
    frame.loc[[1, 5, 9], "z"] = np.nan
    frame["y"] = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1]
    y, X = formulaic.model_matrix(f"y ~ {terms}", frame)
    found = separation(f"y ~ {terms}", data=frame)
    assert found._question is not None
    assert np.array_equal(dense(found._question.design.X), X.drop(columns="Intercept").to_numpy(dtype=float))
    assert found._question.design.places.tolist() == y.index.tolist()
    assert found.n_missing == len(frame) - len(y)


def test_a_constant_is_one_whatever_its_value() -> None:
    frame = pd.DataFrame({"y": [0, 0, 1, 1], "x": [1.0, 2.0, 3.0, 4.0]})
    assert separation("y ~ 0 + 2:1 + x", data=frame).verdict == separation("y ~ x", data=frame).verdict == "complete"
    assert separation("y ~ 0 + x", data=frame).verdict == "overlap"


def test_a_missing_value_in_a_comparison_is_false_and_told() -> None:
    frame = pd.DataFrame({"y": [0, 1, 0, 1, 1, 0], "x": [1, 2, 3, 4, 3, None]})
    with pytest.warns(MissingWarning, match=r"rows without a value of 'x' that stay, .*: 1\."):
        found = separation("y ~ I(x > 2)", data=frame)
    same = separation("y ~ z", data=frame.assign(z=frame["x"] > 2))
    assert (found.n_missing, [*found.coefficients.values()]) == (0, [*same.coefficients.values()])


MADE = [
    "I(x > 2)",
    "C(x > 2)",
    "{x * 2}",
    "x.between(1, 2)",
    "I(~(x > 2))",
    "g.str.len()",
    "I(g == 'u')",
    "I(b == True)",
    "b",
]


@pytest.mark.parametrize("terms", MADE)
@pytest.mark.parametrize(
    "kinds", [{"x": "Int64"}, {"x": "Float64"}, {"g": "string"}, {"b": "boolean"}, {"x": "float32"}]
)
@pytest.mark.filterwarnings("ignore:rows without a value")
def test_missing_values_of_each_type_count_as_formulaic_has_them(terms: str, kinds: Any) -> None:
    frame = pd.DataFrame({"x": [1, 2, None, 4, 1, 2, None, 3.0], "y": [0, 1, 0, 1, 1, 0, 0, 1]})
    frame["g"], frame["b"] = (
        ["u", "vv", None, "u", "vv", "w", "u", "w"],
        [True, False, None, True, False, True, None, True],
    )
    frame = frame.astype({"b": object, "g": object}).astype(kinds)
    y, X = formulaic.model_matrix(f"y ~ {terms}", frame, context={"np": np})
    found = separation(f"y ~ {terms}", data=frame)
    assert found._question is not None
    assert found._question.design.places.tolist() == y.index.tolist()
    if "b" not in terms:
        assert np.array_equal(dense(found._question.design.X), X.drop(columns="Intercept").to_numpy(dtype=float))


def test_an_expression_takes_levels_from_rows_that_are_left_out() -> None:
    frame = pd.DataFrame({"y": [0, 1, 0, None, 1, 0, 1, 0, 0, 1], "g": list("uvuzvuvuvu"), "x": 9 * [0.0] + [1.0]})
    of_text, of_levels = (separation("y ~ lag(g) + x", data=frame.astype({"g": kind})) for kind in (object, "category"))
    assert of_levels._question is not None
    assert of_levels._question.design.places.size == of_levels._question.design.X.shape[0]
    assert (of_text.separated_rows, of_text.n_missing) == (of_levels.separated_rows, of_levels.n_missing)


@pytest.mark.parametrize("kind", ["string", "string[pyarrow]", pd.ArrowDtype(pa.string()), "category"])
def test_text_of_any_type_is_levels(kind: Any) -> None:
    frame = clinic()
    frame.loc[3, "dose"] = None
    found, same = (
        separation("better ~ dose", data=frame.astype({"dose": kind})),
        separation("better ~ dose", data=frame),
    )
    assert (found.coefficients, found.n_missing) == (same.coefficients, 1)
    texts = clinic().astype({"dose": kind})  # the same column in an expression, too
    assert separation("better ~ dose + I(dose == 'mid'):age", data=texts).coefficients == (
        separation("better ~ dose + I(dose == 'mid'):age", data=clinic()).coefficients
    )


@pytest.mark.filterwarnings("ignore:rows without a value of 'x' that stay")
def test_a_lag_has_a_value_where_its_column_has_none() -> None:
    frame = pd.DataFrame({"y": [0, 1, 1, 0, 1, 0, 1, 1], "x": [1, 2, 0, None, 3, 1, 2, 0.0]})
    found = separation("y ~ lag(x)", data=frame)
    assert found._question is not None
    assert found._question.design.places.tolist() == [1, 2, 3, 5, 6, 7]


def test_what_stands_in_an_expression_inside_c_is_calculated() -> None:
    frame = pd.DataFrame({"u": [100, 120, 160, 250, 90, 200], "z": [1, 2, 3, 1, 2, 3], "y": [0, 0, 1, 1, 0, 1]})
    formula = "y ~ C(u + u > 300) + z"
    assert "C(u + u > 300)[T.True]" in separation(formula, data=frame).coefficients
    with pytest.raises(DataError, match="leave the range of uint8"):
        separation(formula, data=frame.astype({"u": "uint8"}))


def test_products_beside_an_expression_are_looked_at_too() -> None:
    frame = pd.DataFrame({"a": [2**30 + k for k in (1, 2, 3, 4)], "b": [2**30 + 1] * 4, "y": [0, 0, 1, 1]})
    for terms in ("a:b", "a:b + I(a > 0)"):
        with pytest.raises(DataError, match=r"the products 'a:b' are beyond 2\^53"):
            separation(f"y ~ {terms}", data=frame)


def test_integers_in_expressions_are_exact_where_doubles_hold_them() -> None:
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "a": [2**30 + 1, 2**30, 5, 2**30 + 8], "b": [2**30 - 1, 2**30, 3, 2**30]})
    near = frame.drop(index=2)
    found = separation("y ~ I(a * b - 2**60)", data=near)
    assert (found.verdict, found.fragile) == (separation([[-1], [0], [2**33]], near.y).verdict, False)
    for terms in ("I(a * b)", "I(a**3)", "I(a**2 * b % 7)", "I(2**40 * a) + b"):
        with pytest.raises(DataError, match="leave the range of int64, or are rounded"):
            separation(f"y ~ {terms}", data=frame)


def test_singles_are_compared_as_singles() -> None:
    frame = pd.DataFrame({"x": np.array([0.1, 0.3, 0.1, 0.3], dtype=np.float32), "y": [0, 1, 0, 1]})
    assert separation("y ~ I(x > 0.1)", data=frame).verdict == "complete"


@pytest.mark.parametrize(
    "terms",
    [
        *("a + I(a**2) + I(a**3) + I(a**8)", "I(a**20) + b", "(a + b)**3", "{a**12} + b"),  # no powers of terms
        "+".join(f"{a}*{b}" for a, b in combinations("abcdefg", 2)),
        "a + I((b - 5)**14)",
        "np.log((a + 9)**10)",
        "C((a - 1)**20)",
        "(a + b + c + d)**4",
        "abs(a) + I(b - max(b))",
        "a.map(lambda v: v % 2)",
    ],
)
def test_usual_formulas_are_read(terms: str) -> None:
    columns = {name: np.arange(8) * k % 5 for k, name in enumerate("abcdefg", 1)}
    assert separation(f"y ~ {terms}", data=pd.DataFrame({"y": [0, 1] * 4, **columns})).n_rows == 8


@pytest.mark.parametrize("terms", [".", "0 + .", ".**2 - x:g", ". - x + I(x**2)", ". | g"])
def test_a_dot_stands_for_the_other_columns(terms: str) -> None:
    columns = {"x": [1.5, 2, 3, 4, 5, 6], "g": list("uvuvuu"), "my k": [1, 0, 0, 1, 1, 0], "y": [0, 1, 0, 1, 1, 0]}
    made = formulaic.model_matrix(f"y ~ {terms}".partition(" |")[0], frame := pd.DataFrame(columns)).rhs
    forms: list[Any] = [frame, columns, pl.DataFrame(columns), pa.table(columns)]
    for data in forms:
        found = separation(f"y ~ {terms}", data=data)
        assert found._question is not None
        design = found._question.design
        kept = [name for name in design.names if name not in design.absorbed]
        assert kept == [name for name in made.columns if name != "Intercept"]
    with pytest.raises(DataError, match="makes too many products"):
        separation("y ~ .**8", data=pd.DataFrame(np.eye(6, 60)).add_prefix("x").assign(y=frame["y"]))


def test_sparse_columns_count_as_dense_ones() -> None:
    dense = pd.DataFrame({"x": [0, 0, 1, 0, 2, 0], "z": [1.5, 2, 3, 4, 5, np.nan], "y": [0, 1, 0, 1, 1, 0]})
    sparse = dense.astype({"x": pd.SparseDtype("int64", 0), "z": pd.SparseDtype("float64")})
    for terms in ("x + z", "I(x * 2) + x:z", "C(x) + I(z > 2)"):
        with warnings.catch_warnings(action="ignore"):
            one, other = (separation(f"y ~ {terms}", data=data).summary() for data in (dense, sparse))
        assert one == other


def test_digits_beyond_doubles_are_told_where_a_formula_rounds_them(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1.00000000000000000001,1\n1.0,0\n2.0,1\n0.0,0\n", encoding="utf-8")
    with pytest.warns(PrecisionWarning, match="more digits than doubles hold"):
        assert separation("y ~ x", data=open_data(path, target=None)).verdict == "quasi-complete"


def test_a_formula_without_a_constant_is_the_same_question_for_cox() -> None:
    frame = pd.DataFrame({"time": [4, 8, 5, 1], "x": [1, 2, 3, 4]})
    found = [separation(f"time ~ {terms}", data=frame, family="cox").coefficients for terms in ("x", "0 + x")]
    assert found[0] == found[1]


def test_errors_name_the_row_of_the_table() -> None:
    frame = pd.DataFrame(
        {"x": [None, 1, 2, 3, 4], "y": [0, 1, 0, 1, 0], "c": [1, 0, 2, -1, 0], "w": [1, 1, 1, 1, -1.0]}
    )
    with pytest.raises(DataError, match=r"^row 4 .counted from 0.: weights is -1\.0"):
        separation("y ~ x", data=frame, weights="w")
    with pytest.raises(DataError, match=r"^row 3 .counted from 0.: a Poisson response"):
        separation("c ~ x", data=frame, family="poisson")
    with pytest.raises(DataError, match=r"^row 3 .counted from 0., column 1: inf is not a finite number"):
        separation("y ~ x + z", data=frame.assign(z=[1, 2, 3, np.inf, 4]))


def test_columns_of_polars_and_arrow_keep_their_levels_and_digits() -> None:
    levels = pl.Series(list("abcabcab"), dtype=pl.Enum(["c", "b", "a", "z"]))
    found = separation("y ~ x", data=pl.DataFrame({"y": [1, 0, 1, 1, 0, 0, 1, 1], "x": levels}))
    assert found.references == {"x": "c"}
    beyond = [2**60, 2**60 + 1, None, 2**60, 2**60 + 1]
    for column in (pl.Series(beyond), pa.array(beyond)):
        with pytest.raises(DataError, match=r"integers beyond 2\^53"):
            separation("y ~ x", data={"y": [0, 1, 0, 0, 1], "x": column})
