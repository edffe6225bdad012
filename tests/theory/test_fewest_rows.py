"""The fewest rows that have to go: all subsets tried, proofs that hold, altered proofs, planted errors."""

from __future__ import annotations

import itertools
import json
import re
import signal
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris

from in_process import run_linsep
from linsep import open_data, separability
from linsep.clock import clock
from linsep.data.features.exact_decimals import exact_numbers
from linsep.theory.cone.search import ConeEnd, solve_cone
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.explanation.fewest_rows import fewest_rows
from linsep.theory.explanation.programmes import _best_constant
from linsep.theory.rows.deadline import NEVER, Deadline, OutOfTimeError, ended_by_ctrl_c
from linsep.theory.verify.cone import CertificateError
from linsep.types import DataError


def by_all_subsets(X: Any, y: Any, fit_intercept: bool, keep: int | None) -> int | None:
    """The answer by trying every set of rows, the smallest first; None if no rows of two classes are separable."""
    may = np.flatnonzero(y != keep)
    for k in range(len(may)):
        for gone in itertools.combinations(may, k):
            kept = np.setdiff1d(np.arange(len(y)), gone)
            if np.unique(y[kept]).size < 2:
                continue
            if separability(X[kept], y[kept], fit_intercept=fit_intercept).verdict == "separable":
                return k
    return None


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 9),
    p=st.integers(1, 3),
    fit_intercept=st.booleans(),
    keep=st.none() | st.integers(0, 1),
)
def test_it_is_the_least_number_of_all_subsets(
    seed: int, n: int, p: int, fit_intercept: bool, keep: int | None
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (n, p)).astype(float), rng.integers(0, 2, n)
    y[:2] = 0, 1
    least = by_all_subsets(X, y, fit_intercept, keep)
    if least is None:
        with pytest.raises(
            DataError, match=r"no row of (one|the other) class can be separated from a(ny row|ll rows) "
        ):
            fewest_rows(X, y, keep=keep, fit_intercept=fit_intercept)
        return
    found = fewest_rows(X, y, keep=keep, fit_intercept=fit_intercept)
    assert keep is None or not (y[list(found.removed)] == keep).any()
    assert (found.lower, found.upper) == (least, least) or (found.lower < least == found.upper and _keeps_classes(y))
    found.verify(X, y)
    again = FewestRows.from_json(found.to_json())
    again.verify(X, y)
    assert again.to_dict() == found.to_dict()


def _keeps_classes(y: Any) -> bool:
    """Whether a class is so small that it has to keep a row: no proof by witnesses knows of that."""
    return bool(min(np.bincount(y)) <= 3)


@pytest.mark.parametrize("form", ["sparse", "fractions", "float32"])
def test_every_form_of_a_table_has_the_same_answer(form: str) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, 2:][::3], y[50:][::3]
    given: Any = {
        "sparse": sp.csr_matrix(X),
        "fractions": np.vectorize(Fraction, otypes=[object])(X),
        "float32": X.astype(np.float32),
    }[form]
    found, plain = fewest_rows(given, y), fewest_rows(X, y)
    assert found.exact and plain.exact
    assert found.upper == plain.upper
    found.verify(given, y)


@pytest.mark.parametrize("time_limit", [0.0, 0.05, 1.0])
def test_a_short_time_gives_a_wider_bracket_that_holds(time_limit: float) -> None:
    X, y = load_iris(return_X_y=True)
    found = fewest_rows(X, y == 1, time_limit=time_limit)
    found.verify(X, y == 1)
    assert 0 <= found.lower <= found.upper <= 148
    assert fewest_rows(X, y == 2).upper == 1  # the known answer: one row


PLACES = st.lists(st.tuples(st.integers(-5, 5), st.sampled_from([-1.0, 1.0])), min_size=2, max_size=9)


@given(PLACES.filter(lambda rows: len({s for _, s in rows}) == 2), st.floats(-6, 6))
def test_the_best_constant_has_the_fewest_wrong_rows_of_all(rows: list[tuple[int, float]], b: float) -> None:
    """The naive twin: each half integer, where one row of each class at least is on its own side."""
    sides, s = np.array(rows, dtype=np.float64).T

    def wrong(constant: float) -> int:
        return int(np.count_nonzero(s * (sides + constant) <= 0))

    def keeps_both(constant: float) -> bool:
        right = s * (sides + constant) > 0
        return all(right[s == side].any() for side in (-1.0, 1.0))

    tried = [wrong(k + 0.5) for k in range(-7, 7) if keeps_both(k + 0.5)]
    assert wrong(_best_constant(sides, s, b)) == min([wrong(b), *tried])


def test_the_first_direction_drops_fewer_rows_than_a_class_has() -> None:
    X, y = load_digits(return_X_y=True)
    assert fewest_rows(X, y == 8, time_limit=0).upper < np.count_nonzero(y == 8) // 2


@pytest.mark.parametrize("guesses", [False, True])
def test_decimals_of_17_digits_have_the_bound_of_the_doubles(monkeypatch: pytest.MonkeyPatch, guesses: bool) -> None:
    """As integers they are 10^17 times as large as the constant; no clock: the search ends before or after guesses."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    y = X @ [1, -2, 0.5, 1.5, 0] + 0.4 * rng.normal(size=300) > 0
    text = pd.DataFrame(X, columns=list("abcde")).assign(kind=y).to_csv(index=False)
    written = exact_numbers(open_data(text.encode(), target="kind")).X
    assert written.dtype == object  # integers that doubles do not hold

    def ended(search: Any) -> None:
        raise OutOfTimeError

    if guesses:
        monkeypatch.setattr("linsep.theory.explanation.fewest_rows._Search._pairs", ended)
    uppers = [fewest_rows(table, y, time_limit=None if guesses else 0).upper for table in (written, X)]
    assert uppers[0] == uppers[1] < 30


def test_separable_rows_stay() -> None:
    found = fewest_rows([[0.0], [1.0]], ["a", "b"])
    assert (found.lower, found.upper, found.exact) == (0, 0, True)
    assert found.summary() == "no row needs to be removed: the 2 rows are separable"


@pytest.mark.parametrize(("seed", "share", "recall"), [(0, 0.01, 1.0), (1, 0.03, 1.0), (2, 0.05, 23 / 24)])
def test_planted_errors_are_found(seed: int, share: float, recall: float) -> None:
    """1 to 5 % of the labels flipped, 4 columns: no other row is suspected, and at most one flipped row is missed."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(600, 4)).round(3), rng.normal(size=4)
    X = X[abs(X @ w) > 0.3]
    y = (X @ w > 0).astype(int)
    flipped = rng.choice(len(y), round(share * len(y)), replace=False)
    y[flipped] ^= 1
    found = fewest_rows(X, y)
    assert found.exact
    assert set(found.removed) <= set(flipped.tolist())  # the precision is 1
    assert found.upper / flipped.size >= recall


def test_altered_proofs_are_refused() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, 2:], y[50:]
    found = fewest_rows(X, y, time_limit=10)
    assert 1 < found.lower <= found.upper
    for wrong in (
        replace(found, removed=found.removed[1:]),
        replace(found, removed=(*found.removed, found.removed[0])),
        replace(found, removed=(*found.removed[:-1], -1)),
        replace(found, witnesses=found.witnesses[1:]),
        replace(found, witnesses=tuple(replace(w, weights=(*w.weights[1:], 1)) for w in found.witnesses)),
        replace(found, n_rows=99),
        replace(found, fit_intercept=False),
    ):
        with pytest.raises(CertificateError):
            wrong.verify(X, y)
    with pytest.raises(CertificateError):
        found.verify(X, 3 - y)
    with pytest.raises(CertificateError):
        found.verify(X + 1, y)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "linsep certificate 0"},
        {"question": {"about": "classes"}},
        {"question": {"about": "fewest rows", "rows": 4, "intercept": 1}},
        {"removed": [9]},
        {"rest": None},
        {"witnesses": [{"rows": [0]}]},
        {"proof": []},
        {"proof": {"unit": 1, "witnesses": [0, 0], "weights": [1, 1]}},
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(change: dict[str, Any]) -> None:
    plain = fewest_rows([[0], [1], [1], [2]], [0, 1, 0, 1]).to_dict()
    with pytest.raises(DataError, match="not a certificate that this version reads"):
        FewestRows.from_json(json.dumps({**plain, **change}))


# ---------------------------------------------------------------- the command
def table(folder: Path) -> Path:
    """40 rows by height, of which rows 1 and 5 have the other class."""
    heights = [7 * k % 40 for k in range(40)]
    rows = [
        f"{150 + h},{40 + 13 * k % 30},{'tall' if (h > 19) != (k in (1, 5)) else 'short'}"
        for k, h in enumerate(heights)
    ]
    (folder / "t.csv").write_text("\n".join(["height,weight,kind", *rows]) + "\n")
    return folder / "t.csv"


def test_the_command_names_the_rows_and_writes_them(tmp_path: Path) -> None:
    path = table(tmp_path)
    done = run_linsep(
        ["check", path, "--target", "kind", "--set", "suspects=s.csv", "--certificate", "c.json"], tmp_path
    )
    assert done.returncode == 1
    assert "exactly 2 of 40 rows must be removed to make the rest separable" in done.stdout
    assert re.search(
        r"suspects +rows (2 \(class tall\), 6 \(class short\)|6 \(class short\), 2 \(class tall\)), counted from 1: ",
        done.stdout,
    )
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0] == '"row","where","label","height","weight"'
    assert [line.split(",")[0] for line in lines[1:]] == ["5", "1"]
    plain = json.loads((tmp_path / "c.json").read_text())["fewest_rows"]
    assert {one["row"] for one in plain.pop("suspects")} == {1, 5}
    frame = pd.read_csv(path)
    found = FewestRows.from_dict(plain)
    assert found.rest.classes == ("short", "tall")
    found.verify(frame[["height", "weight"]].to_numpy(), frame.kind.to_numpy())


def test_rows_are_counted_as_in_the_file(tmp_path: Path) -> None:
    path = table(tmp_path)
    text = path.read_text().splitlines()
    path.write_text("\n".join([text[0], "150,,short", *text[1:]]) + "\n")
    words = ["check", path, "--target", "kind", "--missing", "drop", "--explain", "--json"]
    plain = json.loads(run_linsep(words, tmp_path).stdout)["fewest_rows"]
    assert {(one["row"], one["where"].split(":")[-1]) for one in plain["suspects"]} == {(2, "4"), (6, "8")}


def test_each_class_has_its_rows(tmp_path: Path) -> None:
    data = load_iris(as_frame=True).frame.iloc[50:]
    data["kind"] = ["a", "b", "c", "c"] * 25
    kept = pd.concat([data.iloc[:6], data.iloc[50:56]])
    kept.to_csv(tmp_path / "t.csv", index=False)
    asked = "check t.csv --target kind --set suspects=s.csv --time-limit 5 --column target=skip"
    done = run_linsep(asked.split(), tmp_path)
    assert all(f"rows to remove ({name})" in done.stdout for name in "abc")
    assert (tmp_path / "s.csv").read_text().startswith('"class against the rest","row"')
    assert set(pd.read_csv(tmp_path / "s.csv").label) <= set("abc")


def test_a_class_between_two_others_is_no_list_of_wrong_labels(tmp_path: Path) -> None:
    rows = "".join(f"{k},{'abc'[k // 20]}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("size,kind\n" + rows)
    done = run_linsep(["check", "t.csv", "--target", "kind", "--explain"], tmp_path)
    assert "too many (b)" in done.stdout
    assert "20 of 60 rows or more are in the way" in " ".join(done.stdout.split())
    assert "too many (a)" not in done.stdout


def test_a_separable_table_has_a_file_without_suspects(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("size,kind\n" + "".join(f"{k},{'ab'[k > 4]}\n" for k in range(10)))
    done = run_linsep(["check", "t.csv", "--target", "kind", "--set", "suspects=s.csv"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "s.csv").read_text().splitlines() == ['"row","where","label"']


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("form", [np.array, sp.csr_matrix])
def test_the_least_integer_of_a_type_has_an_opposite(form: Any, kind: Any) -> None:
    least = np.iinfo(kind).min
    X = form(np.array([[1, least], [-1, least], [0, least], [2, -1]], dtype=kind))
    assert fewest_rows(X, ["a", "a", "b", "b"], fit_intercept=False).upper == 1


def test_ctrl_c_while_the_verdict_is_searched_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes within the share of the time that the verdict has; nothing goes on after it."""

    def interrupted(*given: Any, deadline: Deadline = NEVER, **options: Any) -> ConeEnd:
        if len(given[0]) == 2:  # the pair of rows that is left whatever happens
            return solve_cone(*given, deadline=deadline, **options)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError if clock() <= deadline.at else OutOfTimeError

    monkeypatch.setattr("linsep.theory.explanation.fewest_rows.solve_cone", interrupted)
    X, y = load_iris(return_X_y=True)
    for limit in (None, 1000.0):
        with ended_by_ctrl_c():
            found = fewest_rows(X, y == 1, time_limit=limit)
        assert (found.lower, found.upper < 60) == (0, True)
