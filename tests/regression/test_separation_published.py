"""Examples that others published, or that a few lines derive: what they report is asserted as data."""

from __future__ import annotations

from itertools import combinations, product
from math import inf, log

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from test_separation import UNDETERMINED, UNIDENTIFIED, table

from linsep import separation
from linsep.types import Array


def numbers(text: str) -> Array:
    return np.array([[int(cell) for cell in line.split()] for line in text.strip().splitlines()])


# ------------------------------------------------------------------------------------------------------------ logistic
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "cauchit"])
def test_endometrial_has_what_detectseparation_reports(link: str) -> None:
    """Heinze and Schemper 2002, Statistics in Medicine 21; Kosmidis and Schumacher, vignette of detectseparation."""
    frame = table("endometrial.csv")
    found = separation(frame[["NV", "PI", "EH"]], frame["HG"], link=link)
    assert found.coefficients == {"(Intercept)": "finite", "NV": inf, "PI": "finite", "EH": "finite"}
    assert "+infinity for NV; finite for (Intercept), PI, EH" in found.summary()
    assert found.separated_rows == tuple(np.flatnonzero(frame["NV"] == 1).tolist())
    turned = separation(frame[["NV", "PI", "EH"]].assign(NV=-frame["NV"]), frame["HG"], link=link)
    assert turned.coefficients == {"(Intercept)": "finite", "NV": -inf, "PI": "finite", "EH": "finite"}
    # R leaves out the second of two columns that say the same; here neither is called identified.
    twice = separation(frame[["NV", "PI", "EH"]].assign(two=2 * frame["NV"]), frame["HG"], link=link)
    assert twice.coefficients["NV"] == twice.coefficients["two"] == UNIDENTIFIED
    assert twice.coefficients["PI"] == twice.coefficients["EH"] == "finite"


def test_endometrial_has_the_finite_estimates_of_r() -> None:
    """The vignette prints estimates, standard errors and a residual deviance of 55.393; NV as 18.2 with error 1716."""
    frame = table("endometrial.csv")
    part = separation(frame[["NV", "PI", "EH"]], frame["HG"]).finite_part()
    theirs = {"(Intercept)": (4.30452, 1.63730), "PI": (-0.04218, 0.04433), "EH": (-2.90261, 0.84555)}
    for name, told in theirs.items():
        assert part.estimates[name][:2] == pytest.approx(told, abs=5.1e-6)
    assert -2 * part.log_likelihood == pytest.approx(55.393, abs=5.1e-4)
    assert part.estimates["NV"].value == inf


@pytest.mark.parametrize("in_the_middle", [[], [50, 50]])
def test_agresti_s_points(in_the_middle: list[int]) -> None:
    """Categorical Data Analysis (2013), section 6.5.1: complete, and with two points at 50 quasi-complete separation.

    b (x - 50) separates both. With d = (a, b), the rows at 50 ask for a + 50 b = 0, so in the second case there is no
    other direction. All fitted chances of the separated rows tend to 1, those at 50 are 1/2, and half of all rows are
    1: the likelihood-ratio test of b = 0 is 2 n log 2 with n = 8 rows, and 2 (n - 2) log 2 with 10; 16 log 2 both.
    """
    x = np.array([10, 20, 30, 40, *in_the_middle, 60, 70, 80, 90])
    y = np.arange(x.size) >= x.size / 2
    found = separation(x[:, None], y.astype(int))
    assert found.verdict == ("quasi-complete" if in_the_middle else "complete")
    assert found.separated_rows == tuple(np.flatnonzero(x != 50).tolist())
    assert found.coefficients == {"(Intercept)": -inf, "x1": inf}
    assert found.finite_part().tests["x1"].statistic == pytest.approx(16 * log(2))


def test_the_table_of_ucla_on_quasi_complete_separation() -> None:
    """Institute for Digital Research and Education, FAQ on complete and quasi-complete separation.

    x1 < 3 means 0 and x1 > 3 means 1; at x1 = 3 the outcomes 0, 0, 1 stand at x2 = -1, 4, 1, which overlap. For x2 R
    prints -0.1206 with the standard error 0.6098.
    """
    t = numbers("0 1 3\n0 2 0\n0 3 -1\n0 3 4\n1 3 1\n1 4 0\n1 5 2\n1 6 7\n1 10 3\n1 11 4")
    found = separation(t[:, 1:], t[:, 0])
    assert (found.verdict, found.separated_rows) == ("quasi-complete", (0, 1, 5, 6, 7, 8, 9))
    assert found.coefficients == {"(Intercept)": -inf, "x1": inf, "x2": "finite"}
    assert found.finite_part().estimates["x2"][:2] == pytest.approx((-0.1206, 0.6098), abs=5.1e-5)


def test_separated_points_with_a_sign_that_is_not_determined() -> None:
    """The six points of Schwendinger's vignette of detectseparation, separated for the logit link.

    With d = (c, a, b), row 0 asks for c <= -(a + 2b), row 1 for c <= -b, row 2 for c <= -3a - b, row 3 for
    c >= -2 (a + 2b). Rows 3 and 2 give 3b >= a, rows 3 and 1 give 2a + 3b >= 0, so b >= 0; rows 3 and 0 give
    a + 2b >= 0, so c <= 0. Both (-5, 1, 2) and (-4, -1, 2) separate, so a has no sign.
    """
    X, y = numbers("1 2\n0 1\n3 1\n2 4\n3 6\n4 8"), np.array([0, 0, 0, 1, 1, 1])
    found = separation(X, y)
    for d in ([-5, 1, 2], [-4, -1, 2]):
        assert ((np.column_stack([np.ones(6), X]) @ d * (2 * y - 1)) >= 0).all()
    assert found.verdict == "complete"
    assert found.coefficients == {"(Intercept)": -inf, "x1": UNDETERMINED, "x2": inf}


@pytest.mark.parametrize("empty", [0, 1])
def test_an_empty_cell_of_a_two_by_two_table(empty: int) -> None:
    """Of n without the factor a are 1, of m with it all or none: its estimate is infinite, the other log(a / (n - a)).

    The likelihood-ratio test of the factor is twice the entropy that the table loses, by counts alone.
    """
    a, n, m = 3, 10, 6
    x, y = np.repeat([0, 1], [n, m]), np.append(np.arange(n) < a, np.full(m, 1 - empty)).astype(int)
    found = separation(x[:, None], y)
    assert found.coefficients == {"(Intercept)": "finite", "x1": -inf if empty else inf}
    part = found.finite_part()
    assert part.estimates["(Intercept)"].value == pytest.approx(log(a / (n - a)))
    assert all(type(number) is float for told in part.estimates.values() for number in told)
    assert part.estimates["(Intercept)"].error == pytest.approx((1 / a + 1 / (n - a)) ** 0.5)
    ones, all_rows = int(y.sum()), n + m
    split = a * log(a / n) + (n - a) * log(1 - a / n)
    pooled = ones * log(ones / all_rows) + (all_rows - ones) * log(1 - ones / all_rows)
    assert part.tests["x1"].statistic == pytest.approx(2 * (split - pooled))


# --------------------------------------------------------------------------------------------------------- multinomial
def test_iris_is_partly_separated() -> None:
    """Lesaffre and Albert 1989, JRSS B 51: Fisher's iris data are clusters that are separated from each other.

    The first class is separated from both others, and these overlap. Two classes of it are a test of statsmodels for
    perfect prediction.
    """
    X, y = load_iris(return_X_y=True)
    found = separation(X, y, family="multinomial")
    assert found.verdict == "quasi-complete"
    pairs = [(row, other) for row, own in enumerate(y.tolist()) for other in range(3) if (own == 0) != (other == 0)]
    assert found.pairs == tuple(pairs)
    assert found.separated_rows == tuple(range(50))
    assert separation(X[:100], y[:100]).verdict == "complete"
    assert separation(X[50:], y[50:]).verdict == "overlap"


LAKES, REPTILE, BIRD = ("Hancock", "Oklawaha", "Trafford", "George"), 2, 3
# A line for each lake: five foods of small males, large males, small females, large females.
ALLIGATORS = """
7 1 0 0 5  4 0 0 1 2  16 3 2 2 3  3 0 1 2 3
2 2 0 0 1  13 7 6 0 0  3 9 1 0 2  0 1 0 1 0
3 7 1 0 1  8 6 6 3 5  2 4 1 1 4  0 1 0 0 0
13 10 0 2 2  9 0 0 1 2  3 9 1 0 1  8 1 0 0 1
"""


def test_alligators_with_a_third_of_the_counts() -> None:
    """Agresti's table of food (fish, invertebrates, reptiles, birds, other) by lake, sex and size.

    Kosmidis, vignette of brglm2: with counts divided by 3 and rounded, estimates are infinite. Correia, Guimaraes and
    Zylkin count 35 separated pairs of the 69 alligators and 5 foods. No reptile is eaten in the last lake
    (20 alligators), where the intercept of reptiles is, and no bird in the second (15).
    """
    counts = np.round(numbers(ALLIGATORS).reshape(4, 4, 5) / 3).astype(int)
    lake, size, food = (np.repeat(at, counts.ravel()) for at in np.indices(counts.shape).reshape(3, -1))
    X = np.column_stack([size % 2 == 0, *(lake == k for k in range(3))]).astype(int)
    found = separation(pd.DataFrame(X, columns=["small", *LAKES[:3]]), food, family="multinomial")
    expected = [(row, REPTILE) for row in np.flatnonzero(lake == 3).tolist()]
    expected += [(row, BIRD) for row in np.flatnonzero(lake == 1).tolist()]
    assert (food.size, found.pairs, len(found.pairs)) == (69, tuple(sorted(expected)), 35)
    infinite = {name: value for name, value in found.coefficients.items() if value != "finite"}
    assert infinite == {
        (REPTILE, "(Intercept)"): -inf,
        **{(REPTILE, name): inf for name in LAKES[:3]},
        (BIRD, "Oklawaha"): -inf,
    }


# ------------------------------------------------------------------------------------------------------------- Poisson
def test_two_rows_that_software_did_not_converge_on() -> None:
    """Correia, Guimaraes and Zylkin 2019, companion of arXiv 1903.01633: rows 0 and 4 are separated, b[x3] = 0.066."""
    t = numbers("0 0 1 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 1 9 0\n2 21 21 21\n3 0 0 0\n5 0 0 0\n7 0 0 0\n10 -18 -18 0")
    found = separation(t[:, 1:], t[:, 0], family="poisson")
    assert (found.verdict, found.separated_rows) == ("quasi-complete", (0, 4))
    assert found.coefficients == {"(Intercept)": "finite", "x1": inf, "x2": -inf, "x3": "finite"}
    assert found.finite_part().estimates["x3"].value == pytest.approx(0.066, abs=5.1e-4)


def test_a_row_that_no_warning_named() -> None:
    """The same: x1 - x2 separates row 4. R prints the estimates and errors below, and -17.8 for x1, 17.3 for x2."""
    t = numbers(
        "0 0 0 2 10\n0 0 0 0 -2\n0 0 0 0 6\n0 0 0 4 5\n0 1 0 0 3\n2 0 0 0 3\n2 0 0 0 4\n2 0 0 -2 15\n2 0 0 0 -7\n"
        "4 0 0 -3 15\n6 -3 -3 0 4\n6 0 0 0 4"
    )
    found = separation(t[:, 1:], t[:, 0], family="poisson")
    assert found.separated_rows == (4,)
    assert (found.coefficients["x1"], found.coefficients["x2"]) == (-inf, inf)
    estimates = found.finite_part().estimates
    theirs = {"(Intercept)": (0.59095, 0.30291), "x3": (-0.47085, 0.23117), "x4": (-0.03779, 0.04375)}
    for name, told in theirs.items():
        assert estimates[name][:2] == pytest.approx(told, abs=5.1e-6)


# A row is y, the regressors, i and j; then the rows that are separated.
FIRST = """
2 0 0 2 1
0 0 0 4 2
0 0 0 1 1
1 1 0 4 3
0 0 1 2 2
0 0 0 2 2
1 0 0 5 4
0 1 2 2 3
1 0 0 1 1
0 0 0 2 2
0 2 0 1 3
0 0 0 1 3
0 1 0 2 2
0 0 1 5 2
0 0 1 2 4
0 0 0 1 2
0 0 0 1 1
2 0 0 1 2
"""
SECOND = "0 -3 1 2\n0 0 1 8\n0 0 1 10\n0 10 1 10\n0 5 2 2\n1 3 3 9\n2 2 3 9\n3 2 2 8"
THIRD = """
0 0 1 1
0 3 1 1
0 -2 1 1
0 2 1 3
0 2 1 5
0 0 1 6
0 7 4 1
0 1 4 4
0 2 4 5
0 1 6 1
0 -2 8 4
0 3 8 6
1 -5 1 1
1 1 1 3
5 -2 6 3
7 2 1 3
"""
FIXED_EFFECTS = [(FIRST, (4, 7, 13, 14)), (SECOND, (0, 1, 2, 3, 4)), (THIRD, (4, 5, 6, 7, 8, 10, 11))]


@pytest.mark.parametrize(("text", "rows"), FIXED_EFFECTS)
def test_two_fixed_effects(text: str, rows: tuple[int, ...]) -> None:
    """The same, three tables with the effects i and j.

    In the first, four rows are separated. In the third their certificate is positive in the seven rows below and 0 in
    row 9: rows with y > 0 ask for i1 + j3 + b = 0 and i1 + j3 + 2b = 0, so b = 0, then i1 = i6 = -j1 = -j3, and row 9
    has i6 + j1 + b = 0.
    """
    pytest.importorskip("formulaic", reason="the extra regression is not installed")
    t = numbers(text)
    names = ["y", *(f"x{k + 1}" for k in range(t.shape[1] - 3)), "i", "j"]
    found = separation(f"y ~ {' + '.join(names[1:-2])} | i + j", data=pd.DataFrame(t, columns=names), family="poisson")
    assert found.separated_rows == rows
    assert found.coefficients["x1"] == "finite"
    if len(rows) == 7:
        i, j = t[:, 2], t[:, 3]
        z = 2 * (i == 4) - 2 * (i == 1) - 2 * (i == 6) - 6 * (j == 1) - 6 * (j == 3) - 2 * (j == 4) - (j == 5) + 8
        assert tuple(np.flatnonzero(z).tolist()) == rows


GEYER = """
0 8 7 8 9 7 9 5 0 4 5 10 4 2 6 7 11 6 4 0 6 3 9 5 5 3 5 0 3 3 5 9
0 5 2 4 3 2 3 5 0 4 3 6 5 6 6 5 12 7 5 0 7 8 3 4 7 6 5 0 3 7 3 9
0 3 1 2 5 1 4 3 0 5 5 4 1 2 6 1 3 2 5 0 4 2 5 6 3 2 4 0 4 5 6 11
0 8 3 5 0 1 3 2 0 2 14 10 2 5 8 4 2 4 2 0 3 4 2 3 5 7 5 0 3 6 3 10
"""


def test_a_table_of_two_to_the_seventh_cells() -> None:
    """Geyer 2009, Electronic Journal of Statistics 3: counts by seven factors, all interactions of three.

    The cells with v3 = 0 and v1 = v2 = v5 are empty, 16 of them. Their indicator,
    (1 - v3) (1 - v1 - v2 - v5 + v1 v2 + v1 v5 + v2 v5), has terms of three factors at most, so minus it is a direction
    that separates them: 14 coefficients are infinite, with the signs of its terms. One more cell is empty by chance.
    """
    y = np.array(GEYER.split(), dtype=int)
    v = np.array([cell[::-1] for cell in product([0, 1], repeat=7)])  # v1 changes first
    terms = [term for k in (1, 2, 3) for term in combinations(range(7), k)]
    design = pd.DataFrame({":".join(f"v{j + 1}" for j in term): v[:, list(term)].prod(axis=1) for term in terms})
    found = separation(design, y, family="poisson")
    empty = (v[:, 2] == 0) & (v[:, 0] == v[:, 1]) & (v[:, 1] == v[:, 4])
    assert found.separated_rows == tuple(np.flatnonzero(empty).tolist())
    assert ((y == 0).sum(), empty.sum()) == (17, 16)
    signs = {(): 1, (0,): -1, (1,): -1, (4,): -1, (0, 1): 1, (0, 4): 1, (1, 4): 1}
    expected = dict.fromkeys(["(Intercept)", *design.columns], "finite")
    for term, sign in signs.items():
        for more in ((), (2,)):
            name = ":".join(f"v{j + 1}" for j in sorted(term + more)) or "(Intercept)"
            expected[name] = -inf * sign * (-1) ** len(more)
    assert found.coefficients == expected
