"""The atlas of linear separability, on tables that scikit-learn ships."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from benchmarks import atlas
from benchmarks.atlas_page import lines, merged
from sklearn.datasets import load_iris, load_wine


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The answers about two small tables, written and read again."""
    monkeypatch.setattr(atlas, "FOLDER", tmp_path)
    small = {"iris": partial(atlas.of_scikit, load_iris), "wine": partial(atlas.of_scikit, load_wine)}
    monkeypatch.setattr(atlas, "TABLES", small)
    atlas.answer(atlas.Answers(), [])
    return atlas.Answers().known


def test_it_answers_proves_and_says(known: Any, capfd: pytest.CaptureFixture[str]) -> None:
    verdicts = {question: one["verdict"] for (table, question), one in known.items() if table == "iris"}
    assert len(verdicts) == 7
    assert verdicts["setosa rest"] == verdicts["setosa virginica"] == "separable"
    assert verdicts["versicolor rest"] == verdicts["versicolor virginica"] == "inseparable"
    assert verdicts["all classes"] == "not separable"
    assert known["iris", "versicolor virginica"]["fewest"] == [1, 1]
    assert known["wine", "all classes"]["because"] == "each class against the rest"
    low, high = known["iris", "setosa rest"]["margin"]
    assert 0.81 < low <= high < 0.82
    atlas.verify(known, [])
    assert capfd.readouterr().out.count("holds, by linsep and the standard library") == 12
    said = "\n".join(lines(known))
    assert "| iris | 150 x 4 | 3 | 2 of 3 pairs, 1 of 3 against the rest; all at once: not separable |" in said
    with pytest.raises(SystemExit, match="which is not the answer"):
        atlas.verify(known | {("iris", "setosa rest"): {"verdict": "inseparable"}}, [])
    late = [{"question": f"versicolor {other}", "verdict": "undecided"} for other in ("virginica", "rest")]
    assert atlas.together("iris", *atlas.TABLES["iris"](), late)["because"].startswith("a multinomial regression")


def test_answers_that_are_not_asked_again_stay_on_the_page(known: Any) -> None:
    title, head = (
        "### Classic tables",
        "| table | rows x columns | classes | answer | not separable: rows that have to go |",
    )
    old = [
        "",
        title,
        "",
        head,
        "|---|---|---|---|---|",
        "| iris | ? | ? | ? | ? |",
        "| Zoo | 101 x 16 | 7 | yes | none |",
    ]
    of = ["", "### MNIST: digit against digit, and against the rest", "", "| question | training | test | both |"]
    old += [*of, "|---|---|---|---|", "| 0 or 1 | yes | | no |"]
    page = list(merged(lines(known | {("MNIST test", "0 1"): {"verdict": "separable"}}), old))
    assert "| 0 or 1 | yes | yes | no |" in page
    assert page[page.index(title) + 2] == head
    assert [line.split(" | ")[0] for line in page[page.index(title) + 4 :] if line] == ["| iris", "| wine", "| Zoo"]
