"""`probe`: verdicts, odds and accuracies of layers whose answer is known."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import log10
from typing import Any

import numpy as np
import pandas as pd
import pytest
from flint import fmpq, fmpq_mat
from scipy.stats import binom

from linsep import AveragedPerceptron, DataError, Probe, max_margin, probe, separability
from linsep.probing.evidence import Settings, chance, held_out, interval, rank_bound, shuffles
from linsep.probing.measured import direction_of
from linsep.theory import cover_odds, cover_rows, holm

RNG = np.random.default_rng(0)
HIDDEN = RNG.normal(size=(120, 5))
SIDE = HIDDEN[:, 0] > 0.2
LAYERS = {"flat": HIDDEN**2, "deep": HIDDEN}


def one(X: Any, y: Any, **asked: Any) -> Any:
    (row,) = probe(X, y, **{"controls": 0, **asked}).rows
    return row


def test_a_row_says_what_the_parts_of_the_library_say() -> None:
    row = one(HIDDEN, SIDE)
    assert (row.layer, row.concept, row.n, row.d, row.rank, row.units) == ("X", "label", 120, 5, 6, 120)
    assert row.verdict == separability(HIDDEN, SIDE).verdict == "separable"
    assert row.log10_odds == cover_odds(120, 6, int(SIDE.sum()))
    assert (row.log10_odds_fair, row.rare_rows) == (cover_odds(120, 6), cover_rows(6, 0.001))
    bracket = max_margin(HIDDEN, SIDE, tol=1e-3)
    size = np.linalg.norm(HIDDEN - HIDDEN.mean(axis=0), axis=1).max()
    assert np.allclose([row.margin_low, row.margin_high], [bracket.lower / size, bracket.upper / size])
    assert row.majority == max(SIDE.mean(), 1 - SIDE.mean())
    assert row.low < row.accuracy < row.high
    assert row.accuracy > 0.9
    assert row.auc > 0.98


def test_planted_concepts_are_found_in_their_layer_and_shuffled_ones_in_none() -> None:
    shuffled = np.random.default_rng(1).permutation(SIDE)
    found = probe(LAYERS, {"side": SIDE, "chance": shuffled}, labels=["side", "chance"], controls=4)
    verdicts = {(row.layer, row.concept): row.verdict for row in found.rows}
    assert [pair for pair, verdict in verdicts.items() if verdict == "separable"] == [("deep", "side")]
    by_name: dict[tuple[str, str], Any] = {(row.layer, row.concept): row for row in found.rows}
    assert by_name["deep", "chance"].accuracy < 0.65
    assert abs(by_name["deep", "side"].shuffled - 0.5) < 0.15
    assert found.adjusted[2] == holm([0.0, 0.0, by_name["deep", "side"].log10_odds, 0.0])[2] < -20
    assert found.adjusted[3] == 0.0


def test_three_classes_are_three_questions_and_missing_labels_leave_rows_out() -> None:
    labels = np.array(["a", "b", "c"] * 40, dtype=object)
    labels[:6] = None
    found = probe(HIDDEN, pd.DataFrame({"kind": labels, "row": range(120)}), labels="kind", controls=0)
    assert [(row.concept, row.n, row.positives) for row in found.rows] == [
        *(("kind=a", 114, 38), ("kind=b", 114, 38), ("kind=c", 114, 38))
    ]
    rows = np.arange(6, 120)
    assert found.rows[0].verdict == separability(HIDDEN[rows], labels[rows] == "a").verdict


def test_planted_concepts_are_found_and_shuffled_ones_no_more_often_than_the_odds_say() -> None:
    """Of 30 shuffled concepts so many are separable by chance at most once in a million such tests."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(12, 2))
    order = {f"planted {k}": np.argsort(X @ rng.normal(size=2)) for k in range(9)}
    order |= {f"shuffled {k}": rng.permutation(12) for k in range(30)}
    concepts = {name: np.isin(np.arange(12), rows[:6]) for name, rows in order.items()}
    found = probe(X, concepts, labels=list(concepts), controls=0, folds=2)
    assert {row.log10_odds for row in found.rows} == {cover_odds(12, 3, 6)}
    separable = [row.concept for row in found.rows if row.verdict == "separable"]
    assert separable[:9] == list(concepts)[:9]
    assert 0 < len(separable[9:]) <= binom.isf(1e-6, 30, 10 ** cover_odds(12, 3, 6))
    assert "says little" in dict(found.lines)
    assert min(odds or 0.0 for odds in found.adjusted) > -2  # of so many questions none is beyond chance


def test_a_pair_of_classes_is_asked_without_the_rows_of_the_others() -> None:
    labels = np.array(["a", "b", "c"] * 40, dtype=object)
    labels[:6] = None
    layers, groups = {"flat": HIDDEN**2, "deep": HIDDEN + (labels == "b")[:, None] * 6}, np.arange(120) % 20
    asked: dict[str, Any] = {"labels": "kind", "groups": groups, "controls": 1}
    found = probe(layers, {"kind": labels}, pairs=True, **asked)
    assert found.rows[:3] == probe(layers, {"kind": labels}, **asked).rows[:3]
    assert [(row.layer, row.concept, row.n) for row in found.rows[9:]] == [
        *(("deep", f"kind={pair}", 76) for pair in ("a against b", "a against c", "b against c"))
    ]
    for row in found.rows:
        first, _, second = row.concept.removeprefix("kind=").partition(" against ")
        if second:
            alone = np.where((labels == first) | (labels == second), labels == first, None)
            (twin,) = probe(
                {row.layer: layers[row.layer]}, {row.concept: alone}, **{**asked, "labels": row.concept}
            ).rows
            assert row == replace(twin, positive_class=first, negative_class=second)
    assert {row.concept for row in found.rows if row.verdict == "separable"} == {
        *("kind=b", "kind=a against b", "kind=b against c")
    }


def test_holms_correction_counts_pairs_too() -> None:
    kind = np.digitize(HIDDEN[:, 0], [-0.5, 0.5])
    found = probe(HIDDEN, kind, pairs=True, controls=0)
    odds = [(row.log10_odds or 0.0) if row.verdict == "separable" else 0.0 for row in found.rows]
    assert odds.count(0.0) == 1  # the middle class against both others
    assert found.adjusted == tuple(holm(odds))
    smallest = odds.index(min(odds))
    assert np.isclose(found.adjusted[smallest] or 0.0, odds[smallest] + log10(6))
    assert len(found.table()) == len(json.loads(found.to_json())) == 6
    assert f"label=0 against 2  {(kind != 1).sum()} x 5" in found.summary()
    two = probe(HIDDEN, SIDE, pairs=True, controls=0)
    assert two.rows == probe(HIDDEN, SIDE, controls=0).rows


def test_groups_of_one_label_are_counted_and_others_have_no_odds() -> None:
    groups = np.repeat(np.arange(12), 10)
    by_group = np.arange(12) % 2 == 0
    X = RNG.normal(size=(120, 2)) + np.repeat(RNG.normal(size=(12, 2)) * 9, 10, axis=0)
    row = one(X, by_group[groups], groups=groups)
    assert (row.units, row.log10_odds) == (12, cover_odds(12, 3, 6))
    mixed = probe(HIDDEN, SIDE, groups=groups, controls=0)
    assert mixed.rows[0].log10_odds is None
    assert mixed.adjusted == (None,)
    assert ("no odds", "where a group holds both labels: Cover's bound counts groups of one label each") in mixed.lines
    assert mixed.rows[0].rare_rows is None
    assert "12 groups of rank 3" in probe(np.c_[by_group[groups], X[:, 0]], by_group[groups], groups=groups).summary()


def test_the_chance_of_groups_is_that_of_one_row_each() -> None:
    groups = np.array([2, 2, 0, 1, 1, 3])
    positive = np.array([True, True, False, True, True, False])
    assert list(chance(2, positive, groups).values())[:3] == [4, cover_odds(4, 2, 2), cover_odds(4, 2)]
    assert list(chance(2, positive).values())[:3] == [6, cover_odds(6, 2, 4), cover_odds(6, 2)]


@pytest.mark.parametrize("seed", range(5))
def test_the_rank_is_that_of_exact_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(rng.integers(2, 9), rng.integers(1, 7))).astype(float)
    X = np.column_stack([X, X[:, 0], np.full(len(X), 3.0), 0.1 * X @ rng.integers(-2, 3, X.shape[1])])
    rows = [[Fraction(v) for v in row] for row in np.column_stack([X, np.ones(len(X))]).tolist()]
    exact = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows]).rank()
    assert rank_bound(X)[:2] == (exact, True)


def test_dependent_columns_do_not_make_a_finding_mean_nothing() -> None:
    """126 columns that are sums of three, of long and short numbers: what counts is the rank, 4."""
    rng = np.random.default_rng(0)
    few = rng.integers(-50, 50, size=(60, 3)) * 0.125
    X = few @ rng.integers(-9, 9, size=(3, 126))
    row = one(X, few[:, 0] > 0)
    assert (row.rank, row.rank_exact, row.verdict) == (4, True, "separable")
    assert row.log10_odds == cover_odds(60, 4, row.positives) < -10
    assert rank_bound(np.repeat(rng.normal(size=(9, 20)), 30, axis=0)) == (9, True, 21)


def test_a_rank_that_takes_too_long_is_a_bound_and_the_words_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.probing.evidence._WORK", 1)
    X = np.c_[HIDDEN[:9], HIDDEN[:9] * 2]
    found = probe(X, HIDDEN[:9, 0] > np.median(HIDDEN[:9, 0]), controls=0)
    assert (found.rows[0].rank, found.rows[0].rank_exact) == (9, False)
    assert "9 rows of rank at most 9:" in found.summary()
    far = np.array([[1e-200, 1.0, 2.0], [3.0, 1e200, 1.0], [2.0, 2.0, 7.0], [5.0, 1.0, 1.0]])
    monkeypatch.undo()
    assert rank_bound(far)[:2] == (4, False)


def test_fewer_rows_than_columns_do_not_say_what_rank_more_rows_have() -> None:
    X = np.random.default_rng(0).normal(size=(300, 400))
    assert rank_bound(X[:30, :40]) == (30, True, 41)
    assert rank_bound(np.hstack([X[:60, :40], X[:60, :40]])) == (41, True, 41)
    few = chance(30, np.arange(30) % 2 == 0, of_more=41)
    assert few["rare_rows"] == cover_rows(41, 0.001)
    (row,) = probe(X[:30, :40], np.arange(30) % 2, controls=0).rows
    assert (row.rank, row.rare_rows) == (30, cover_rows(41, 0.001))
    # That many rows do have that rank, and that chance.
    assert rank_bound(X[: cover_rows(41), :40]).value == 41


def test_groups_stay_together_in_the_folds() -> None:
    """Each group has a column of its own: only rows of a group that was trained on can be told."""
    groups = np.repeat(np.arange(20), 6)
    X, positive = np.eye(20)[groups], (np.arange(20) % 2 == 0)[groups]
    together, apart = (held_out(X, positive, codes, None, Settings(0)) for codes in (groups, None))
    assert apart["accuracy"] == 1.0
    assert together["accuracy"] < 0.8
    assert (together["low"], together["high"]) == interval(together["accuracy"], 20)


def test_selectivity_is_low_where_the_types_can_be_remembered() -> None:
    types = RNG.integers(0, 10, 200)
    found = held_out(np.eye(10)[types], types % 2 == 0, None, types, Settings(6))
    assert (found["accuracy"], found["control"], found["selectivity"]) == (1.0, 1.0, 0.0)
    assert found["shuffled"] < 0.75


def test_wilsons_interval_solves_its_equation() -> None:
    for share, n in ((0.0, 5), (0.3, 40), (0.97, 1000), (1.0, 12)):
        for end in interval(share, n):
            assert np.isclose((share - end) ** 2, 1.959963984540054**2 * end * (1 - end) / n)


def test_a_class_too_rare_for_two_folds_has_no_accuracy() -> None:
    found = probe(HIDDEN, np.arange(120) == 7, controls=3)
    assert found.rows[0].accuracy is None
    assert "nothing can be held out" in found.summary()


def test_a_layer_that_says_little_is_told() -> None:
    found = probe(RNG.normal(size=(12, 11)), np.arange(12) < 6, controls=0)
    assert found.rows[0].verdict == "separable"
    assert found.rows[0].log10_odds == 0.0
    said = (
        f"12 rows of rank 12: shuffled labels may be separable too; with {cover_rows(12, 0.001)} rows and a fair coin"
    )
    assert dict(found.lines)["says little"] == f"{said} for each label, the chance would be 1/1000"


def test_a_rare_class_is_told_as_the_reason() -> None:
    """More rows would not help: 120 are far more than the 28 that fair labels need."""
    found = probe(HIDDEN, HIDDEN[:, 0] >= np.sort(HIDDEN[:, 0])[-3], controls=0)
    assert (found.rows[0].rare_rows, found.rows[0].positives, found.rows[0].log10_odds) == (28, 3, 0.0)
    said = "120 rows of rank 6: a class is so rare that shuffled labels may be separable too; if a fair coin chose each"
    fair = cover_odds(120, 6)
    assert dict(found.lines)["says little"] == f"{said} label, the chance would be at most 10^{fair:.1f}"


def test_shuffled_labels_are_asked_where_the_bound_says_nothing() -> None:
    """One row of 30 on a line: it is separable if it stands at an end, which two of 30 places are."""
    X = np.arange(30.0)[:, None]
    found = probe(X, np.arange(30) == 29, controls=40)
    row = found.rows[0]
    assert (row.verdict, row.log10_odds, row.asked_shuffles) == ("separable", cover_odds(30, 2, 1), 40)
    labels = shuffles(np.arange(30) == 29, None, 40, np.random.default_rng(0))
    ends = sum(bool(one[0] or one[-1]) for one in labels)
    assert row.separable_shuffles == ends < 10
    assert dict(found.lines)["shuffles"] == "where the odds say nothing: how many shuffled labels are separable too"
    assert f"{ends} of 40" in found.summary().splitlines()[1]
    beyond = probe(HIDDEN, SIDE, controls=2).rows[0]  # the odds rule out chance
    assert (beyond.separable_shuffles, beyond.decided_shuffles, beyond.asked_shuffles) == (None, None, None)


def test_shuffled_labels_share_the_time_limit_and_those_decided_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def decide(X: Any, y: Any, *, time_limit: float | None = None) -> Any:
        limits.append(time_limit or 0.0)
        return separability(X, y, time_limit=None if len(limits) != 3 else 0.0)

    monkeypatch.setattr("linsep.probing.measured.separability", decide)
    X = RNG.normal(size=(400, 3))
    found = probe(X, X[:, 0] == X[:, 0].max(), controls=4, time_limit=60.0)
    row = found.rows[0]
    assert limits[0] == 60.0
    assert len(limits) == 5
    assert limits[1] <= 15.0
    assert all(limit <= 60.0 / (5 - k) for k, limit in enumerate(limits[1:], start=1))
    assert (row.decided_shuffles, row.asked_shuffles) == (3, 4)
    assert f"{row.separable_shuffles} of 3 decided" in found.summary().splitlines()[1]


def test_table_json_and_summary_hold_the_same_rows() -> None:
    found = probe(LAYERS, SIDE, controls=2)
    table = found.table()
    assert list(table.columns) == [*found.rows[0].to_dict(), "log10_holm"]
    assert table.verdict.tolist() == ["inseparable", "separable"]
    assert json.loads(found.to_json()) == found.to_dict()
    assert repr(found) == "<Probe: 2 rows>"
    lines = found.summary().splitlines()
    assert lines[2].split()[:2] == ["deep", "label"]
    assert (
        lines[-1]
        == "by chance  a chance of at most 1 % for 1 of these 1 (Cover 1965), after Holm's correction for all of them"
    )
    assert found.rows[1].log10_odds is not None
    assert np.isclose(found.adjusted[1] or 0, found.rows[1].log10_odds + log10(2))
    assert (Probe(()).to_json(), Probe(()).summary()) == ("[]", "")


def test_directions_have_the_concept_on_their_side() -> None:
    found = probe(LAYERS, {"side": SIDE, "other": ~SIDE}, labels=["side", "other"], controls=0)
    assert [one.kind for one in found.directions.values()] == ["probe", "probe", "maximum margin", "maximum margin"]
    w, b = found.directions["deep", "side"][1:]
    assert np.isclose(np.linalg.norm(w), 1)
    margins = np.where(SIDE, 1, -1) * (HIDDEN @ w + b)
    best = max_margin(HIDDEN, SIDE, tol=1e-3)
    assert np.isclose(margins.min(), best.lower)
    w, b = found.directions["flat", "side"][1:]
    told = ((HIDDEN**2 @ w + b) > 0) == SIDE
    learner = AveragedPerceptron(random_state=0)
    X = (HIDDEN**2 - (HIDDEN**2).mean(axis=0)) / (HIDDEN**2).std(axis=0)
    assert told.mean() == learner.fit(X, SIDE).score(X, SIDE)


def test_a_direction_without_a_margin_is_that_of_the_proof() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    proof = separability(X, [False, True])
    found = direction_of(X, np.array([False, True]), proof, None)
    assert found.kind == "separating"
    assert ((X @ found.w + found.b) > 0).tolist() == [False, True]


def test_a_time_limit_of_nothing_leaves_the_verdict_open() -> None:
    found = probe(RNG.normal(size=(300, 30)), RNG.normal(size=300) > 0, controls=0, time_limit=0.0)
    assert found.rows[0].verdict == "undecided"
    assert "the time limit ended the search" in found.summary()


def test_rows_are_given_as_they_are_found_and_the_seed_decides() -> None:
    seen: list[str] = []
    first = probe(LAYERS, SIDE, controls=2, callback=lambda row: seen.append(row.layer))
    assert seen == ["flat", "deep"]
    assert probe(LAYERS, SIDE, controls=2).rows == first.rows
    assert probe(LAYERS, SIDE, controls=2, random_state=1).rows != first.rows


@pytest.mark.parametrize(
    ("X", "y", "asked", "said"),
    [
        (HIDDEN, SIDE[:9], {}, "layer 'X' has 120 rows and the labels 9"),
        (HIDDEN, np.ones(120), {}, "concept 'label': two classes are needed, there is 1"),
        (HIDDEN, np.arange(120), {}, "120 labels in 120 rows: is that the right column?"),
        (HIDDEN, {"a": SIDE, "b": SIDE}, {}, "name the columns that hold the concepts .*'a', 'b'"),
        (HIDDEN, {"a": SIDE}, {"labels": "c"}, "the labels have no column 'c'"),
        (HIDDEN, {"a": SIDE, "b": SIDE[:3]}, {"labels": "a"}, r"one label a row each; they have \[3, 120\]"),
        (HIDDEN, SIDE.reshape(2, -1), {}, "one label a row is needed, the shape is"),
        (HIDDEN, SIDE, {"groups": [1, 2]}, "2 values of group and 120 labels"),
        (HIDDEN, SIDE, {"types": [None] * 120}, "row 0 .counted from 0.: the type is missing"),
        (HIDDEN, {"a": SIDE}, {"labels": ["a", "a"]}, "two questions are called 'a'"),
        (HIDDEN, SIDE, {"controls": -1}, "controls is 0 or more"),
        (HIDDEN, SIDE, {"time_limit": -1}, "time_limit is a number of seconds"),
        (
            {"a": HIDDEN, "b": HIDDEN * np.nan},
            SIDE,
            {},
            "layer 'b', row 0 .counted from 0., column 0: nan is not a finite number",
        ),
        (HIDDEN + 1j, SIDE, {}, "layer 'X' must hold numbers of at most 64 bits, not complex128"),
        (HIDDEN[None], SIDE, {}, "has three axes .*: say which of them counts the layers"),
        (HIDDEN[None], SIDE, {"axis": 3}, "has three axes .*: there is no axis 3"),
        (HIDDEN[:, 0], SIDE, {}, "has the shape .*; a layer has two axes"),
        (HIDDEN[:0], SIDE, {}, "and is not empty"),
        ({"a": HIDDEN}, {"k": range(120), "s": SIDE}, {"key": "k"}, "there is nothing called 'k' that names the rows"),
    ],
)
def test_what_cannot_be_asked_is_refused(X: Any, y: Any, asked: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        probe(X, y, **asked)


def test_shuffled_labels_have_a_spread() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    types = np.repeat(np.arange(100), 4)
    (row,) = probe(X, X[:, 0] > 0, types=types, controls=40).rows
    for mean, low, high in (
        (row.shuffled, row.shuffled_low, row.shuffled_high),
        (row.control, row.control_low, row.control_high),
    ):
        assert mean is not None and low is not None and high is not None
        assert low < mean < high
        # 40 folds of 80 rows by chance: five standard errors of 0.5 / sqrt(3200), rows of a type counted as four.
        assert abs(mean - 0.5) < 5 * 2 * 0.5 / 3200**0.5
    assert row.accuracy is not None and row.accuracy > 0.95
    (alone,) = probe(X, X[:, 0] > 0, controls=0).rows
    assert (alone.shuffled, alone.shuffled_low, alone.control_high) == (None, None, None)


def test_types_of_rows_without_a_label_draw_none() -> None:
    rng = np.random.default_rng(4)
    X, types = rng.normal(size=(60, 3)), np.repeat(np.arange(30), 2)
    kept = np.arange(60) % 6 < 4
    codes = np.unique(types[kept], return_inverse=True)[1]
    first, second = (held_out(X[kept], X[kept, 0] > 0, None, of, Settings(4, 3)) for of in (types[kept], codes))
    assert first == second


def test_rows_that_are_equal_and_have_one_label_count_once() -> None:
    base, side = np.r_[HIDDEN[:119], np.zeros((1, 5))], np.r_[SIDE[:119], False]
    X, side = np.r_[base, base[:30], -base[119:]], np.r_[side, side[:30], False]  # 0 and -0 are equal
    plain, found = probe(X[:120], side[:120], controls=0), probe(X, side, controls=0)
    (row,) = found.rows
    assert (row.n, row.repeated, row.units, plain.rows[0].repeated) == (151, 31, 120, 0)
    assert (row.log10_odds, row.log10_odds_fair) == (plain.rows[0].log10_odds, plain.rows[0].log10_odds_fair)
    said = "rows equal to an earlier one: 31 of 151; the odds count equal rows once; a held-out row may have a copy"
    assert dict(found.lines)["repeats"].startswith(said)
    grouped = probe(X, side, groups=np.arange(151), controls=0)
    assert (grouped.rows[0].repeated, grouped.rows[0].units) == (None, 151)
    assert "repeats" not in dict(grouped.lines) | dict(plain.lines)
    both = probe({"a": X, "b": X, "c": HIDDEN[np.arange(151) % 120]}, np.r_[side[:150], True], controls=0)
    assert [(row.verdict, row.units, row.repeated) for row in both.rows[::2]] == [
        *(("inseparable", 151, 31), ("inseparable", 151, 31))
    ]
    assert dict(both.lines)["repeats"] == (
        "rows equal to an earlier one: 31 of 151 (layer 'a', concept 'label'); some have another label: nothing "
        "separates these"
    )


def test_shuffled_labels_are_the_same_for_rows_that_are_equal() -> None:
    X = np.repeat(RNG.normal(size=(6, 8)), 5, axis=0)
    found = probe(X, np.repeat(np.arange(6) < 3, 5), controls=4)
    (row,) = found.rows
    assert (row.rank, row.repeated, row.units, row.log10_odds) == (6, 24, 6, 0.0)
    assert (row.separable_shuffles, row.decided_shuffles, row.asked_shuffles) == (4, 4, 4)
    assert dict(found.lines)["says little"].startswith("6 distinct rows of rank 6: shuffled labels may be")


def test_activations_are_what_the_caller_has() -> None:
    X, y = np.array([[0.1], [0.10004]] * 6, np.float16), [0, 1] * 6
    row = probe(X, y, controls=0).rows[0]
    assert (row.verdict, row.fragile) == ("separable", True)  # neighbours, as halves
    with pytest.raises(DataError, match=r"X is a masked array, and its entry \[3, 0\] is masked"):
        probe(np.ma.array(np.ones((12, 1)), mask=np.arange(12)[:, None] == 3), y)
    frame = pd.DataFrame({"a": np.arange(12.0)})
    for given in (frame, {"layer": frame}, [frame]):
        with pytest.raises(DataError, match=r"row 0 .counted from 0. is called 0 in X and 11 in y"):
            probe(given, pd.Series(y, index=range(11, -1, -1)))
