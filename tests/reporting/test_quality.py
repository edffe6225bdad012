"""How good predictions are, what is said loudly about them, and a receipt that is no longer than a screen."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score

from in_process import linsep
from linsep import AveragedPerceptron, Perceptron, TableModel, fit_table, open_data, score_table
from linsep.reporting.proof import is_rounded, weights_in_words
from linsep.reporting.quality import Scores, majority_line, rare_words, score_lines, scores_of_counts, scores_of_rows
from linsep.theory.proof import Combination

XOR = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


@given(st.integers(2, 4), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_scores_are_those_of_scikit_learn(k: int, pairs: list[tuple[int, int]]) -> None:
    truth, said = (np.array(column) % k for column in zip(*pairs, strict=True))
    names = [f"c{j}" for j in range(k)]
    found = scores_of_rows(truth, said, None, names)
    table = confusion_matrix(truth, said, labels=range(k))
    assert [[found.counts[a, b] for b in names] for a in names] == table.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class is predicted that does not occur
        assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, said))
    assert found.majority_accuracy == max(int((truth == j).sum()) for j in range(k)) / len(truth)
    assert found.beats_majority == (found.accuracy > found.majority_accuracy or found.accuracy == 1)
    for j, one in enumerate(found.classes.values()):
        assert (one.rows, one.predicted) == (table[j].sum(), table[:, j].sum())
        assert one.recall is None if not one.rows else one.recall == pytest.approx(table[j, j] / one.rows)
        assert (
            one.precision is None if not one.predicted else one.precision == pytest.approx(table[j, j] / one.predicted)
        )
    never = {name for name, one in found.classes.items() if one.rows and not one.predicted}
    doubts = " ".join(found.doubts("rows"))
    assert all((f'"{name}"' in doubts.partition("never predicted")[2]) == (name in never) for name in names)
    assert ("no better" in doubts) != found.beats_majority


def test_areas_are_those_of_each_class_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    truth, values = rng.integers(0, 3, 60), rng.normal(size=(60, 3))
    found = scores_of_rows(truth, values.argmax(axis=1), values, ["a", "b", "c"])
    assert found.roc_auc == pytest.approx(np.mean([roc_auc_score(truth == k, values[:, k]) for k in range(3)]))
    two = scores_of_rows(truth % 2, truth % 2, values[:, 0], ["a", "b"])
    assert two.roc_auc == pytest.approx(roc_auc_score(truth % 2, values[:, 0]))
    assert scores_of_rows(np.zeros(3, int), np.zeros(3, int), values[:3, 0], ["a", "b"]).roc_auc is None


def test_a_table_with_many_classes_lists_the_most_confused() -> None:
    names = [f"c{j}" for j in range(12)]
    truth = np.repeat(np.arange(12), 3)
    said = np.where(truth == 5, 6, truth)
    lines = dict(score_lines(scores_of_rows(truth, said, None, names)))
    assert lines["c5 predicted c6"] == "3"
    assert "as c1" not in lines["class"]


def test_scores_of_a_table_read_in_pieces_are_those_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    frame["y"] = np.where(frame.a + rng.normal(size=300) > 0, "yes", "no")
    model = TableModel(AveragedPerceptron(max_iter=3)).fit(frame[["a", "b"]], frame.y)
    whole = score_table(model, frame, target="y")
    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr("linsep.data.readers.lines.TABLE_BYTES", 700)
    assert score_table(model, tmp_path / "t.csv", target="y") == whole
    monkeypatch.setattr("linsep.reporting.scores._MOST_VALUES", 100)
    part = score_table(model, tmp_path / "t.csv", target="y")
    assert (part.roc_auc, part.counts) == (None, whole.counts)


@pytest.mark.parametrize("more", ["", "--learner averaged --holdout 0.4 --report r.html", "--learner auto", "--stream"])
def test_a_receipt_has_ten_lines_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,b,y\n" + "".join(f"{i},{i * i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(40)))
    if "report" in more:
        pytest.importorskip("jinja2")
    short = linsep("fit", "t.csv", "--target", "y", *more.split()).stdout.splitlines()
    long = linsep("fit", "t.csv", "--target", "y", *more.split(), "--details").stdout.splitlines()
    assert len(short) <= 10 < len(long) + ("stream" in more) * 10
    assert [line.split("  ")[0] for line in long[: len(short)]] == [line.split("  ")[0] for line in short]
    assert any(line.startswith("majority class") for line in short)
    assert not any("not applicable" in line for line in short)


def test_a_model_no_better_than_the_majority_says_so_loudly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(XOR)
    done = linsep("fit", "t.csv", "--target", "y", "--max-iter", 5, "--json")
    said = json.loads(done.stdout)["warnings"]
    assert 'no better than always answering "no" (50.0%)' in " ".join(said)
    assert all(f"warning: {text}" in done.stderr for text in said)
    assert "THE MODEL IS NO BETTER" in linsep("fit", "t.csv", "--target", "y", "--max-iter", 5).stdout
    assert json.loads(linsep("score", "model.linsep", "t.csv", "--json").stdout)["warnings"]


def test_a_warning_after_the_proof_knows_its_answer() -> None:
    apart = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "y": ["no", "no", "yes", "yes"]})
    said = fit_table(open_data(apart, target="y"), Perceptron(max_iter=1)).warnings[0]
    assert "These rows are separable" in said
    assert "decides whether" not in said
    mixed = apart.assign(y=["no", "yes", "no", "yes"])
    said = fit_table(open_data(mixed, target="y"), Perceptron(max_iter=1)).warnings[0]
    assert "It is proved that no hyperplane separates these rows" in said
    assert "decides whether" not in said


def test_mistakes_of_several_classes_are_not_called_mistakes_of_rows() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "y": list("abcabc")})
    found = fit_table(open_data(frame, target="y"), Perceptron(max_iter=2))
    assert "for each of 3 classes against the rest" in dict(found.receipt.details)["mistakes"]
    assert "for each of 3 classes against the rest" in found.warnings[0]
    assert "mistakes" not in dict(found.receipt.lines)["learner"]


@given(st.lists(st.integers(1, 10**40), min_size=1, max_size=6))
def test_weights_are_printed_as_people_read_them(weights: list[int]) -> None:
    part = Combination(tuple(range(len(weights))), tuple(weights))
    words = weights_in_words(part)
    assert all(len(word) <= 8 for word in words)
    if is_rounded(part):
        assert [float(word) for word in words] == pytest.approx([w / sum(weights) for w in weights], rel=0.01)
    else:
        assert [int(word) for word in words] == weights


def test_the_report_leads_with_the_rows_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,b,y\n" + "".join(f"{i},{i * i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(40)))
    linsep("fit", "t.csv", "--target", "y", "--learner", "averaged", "--holdout", 0.25, "--report", "r.html")
    lead = Path("r.html").read_text().partition('class="lead">')[2].partition("</p>")[0]
    assert lead.startswith("Held-out accuracy: ") and "of 10 rows" in lead
    assert "always answering &#34;yes&#34;" in lead


def _of_two(rows: int, rare: int, found: int, wrong: int) -> Scores:
    """Scores of a class with `rare` of the rows, `found` of them, and `wrong` others taken for it."""
    return scores_of_counts(np.array([[rows - rare - wrong, wrong], [rare - found, found]]), ["no", "yes"])


def test_the_class_found_least_is_told_of_where_most_of_it_is_not_found() -> None:
    said = '; worst class: recall 15.00% of 20 rows "yes", balanced accuracy 57.45%'
    assert rare_words(_of_two(1000, 20, 3, 1)) == f"{said} (--set class_weight=balanced finds more)"
    assert rare_words(_of_two(1000, 20, 3, 1), weighted=True) == said
    assert rare_words(_of_two(1000, 100, 50, 1)) == ""
    three = scores_of_counts(np.array([[80, 0, 0], [30, 1, 0], [10, 0, 20]]), ["a", "b", "c"])
    assert rare_words(three).startswith('; worst class: recall 3.23% of 31 rows "b", ')


def test_class_weights_are_compared_by_balanced_accuracy() -> None:
    good, bad = _of_two(1000, 20, 18, 100), _of_two(1000, 20, 1, 100)
    assert majority_line(good)[1].endswith("THE MODEL IS NO BETTER")
    assert majority_line(good, weighted=True)[1] == (
        '98.00% (always answering "no"); with class weights balanced accuracy counts: 89.90%, there 50.00%'
    )
    assert good.doubts("rows", weighted=True) == []
    assert majority_line(bad, weighted=True)[1].endswith("THE MODEL IS NO BETTER")
    assert "no better" in bad.doubts("rows", weighted=True)[0]


def test_rows_held_out_of_another_mix_are_compared_with_their_own_majority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    before, after = (rng.permutation(["no"] * no + ["yes"] * (100 - no)) for no in (80, 30))
    days = pd.date_range("2024-01-01", periods=200).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"day": days, "a": rng.normal(size=200), "y": [*before, *after]})
    frame.to_csv("t.csv", index=False)
    done = linsep("fit", "t.csv", "--target", "y", "--after", "day=2024-04-10", "--report", "r.html")
    line = next(line for line in done.stdout.splitlines() if line.startswith("majority class"))
    said = '70.00% (always answering "yes")'
    assert f"  {said}: THE MODEL IS NO BETTER" in line
    assert 'no better than always answering "yes" (70.0%)' in done.stderr
    assert "70.00% (always answering &#34;yes&#34;)" in Path("r.html").read_text()


def test_receipts_and_scores_tell_of_rare_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=800)})
    frame["y"] = np.where(frame.a + rng.normal(size=800) > 2.8, "yes", "no")
    frame.to_csv("t.csv", index=False)
    said = linsep("fit", "t.csv", "--target", "y", "--holdout", "0.25").stdout
    assert "worst class: recall" in said
    assert "--set class_weight=balanced finds more" in said
    weighted = linsep("fit", "t.csv", "--target", "y", "--set", "class_weight=balanced").stdout
    scored = linsep("score", "model.linsep", "t.csv").stdout
    for text in (weighted, scored):
        assert "with class weights balanced accuracy counts" in text
        assert "NO BETTER" not in text
