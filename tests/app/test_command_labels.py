"""Commands take labels of any type as names, fractions among them, and a command that fails leaves no model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from in_process import linsep
from linsep import load, open_data

LABELS = ["0.5", "1.5"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [(k, LABELS[k > 15]) for k in range(30)]
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{a},{y}\n" for a, y in rows))
    (tmp_path / "t.jsonl").write_text("".join(f'{{"a": {a}, "y": {y}}}\n' for a, y in rows[::-1] + rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("more", [(), ("--holdout", 0.2), ("--positive", "0.5"), ("--learner", "averaged", "--stream")])
@pytest.mark.parametrize("table", ["t.csv", "t.jsonl"])
def test_fractions_are_labels_of_every_command(folder: Path, table: str, more: tuple[Any, ...]) -> None:
    streamed = "--stream" in more
    if streamed:
        more = (*more, "--set", "passes=20", *(() if table == "t.jsonl" else ("--set", "classes=0.5,1.5")))
    data = json.loads(linsep("fit", table, "--target", "y", "--json", *(("--no-stream",), ())[streamed], *more).stdout)
    assert streamed or data["training_accuracy"] == 1.0
    model = load("model.linsep")
    assert sorted(map(str, model.classes_.tolist())) == LABELS
    scored = json.loads(linsep("score", "model.linsep", table, "--json").stdout)
    assert scored["accuracy"] == model.score(open_data(table, target="y"))
    said = linsep("predict", "model.linsep", table).stdout.splitlines()[1:]
    assert {line.split(",")[0].strip('"') for line in said} <= set(LABELS)
    assert json.loads(linsep("show", "model.linsep", "--json").stdout)["epochs"] >= 1


def test_columns_to_keep_stand_in_front_of_each_prediction(folder: Path) -> None:
    rows = [f"{k:05d},{k / 2},{LABELS[k > 15]}" for k in range(30)]
    (folder / "t.csv").write_text("\n".join(["id,size,y", *rows, ""]))
    (folder / "new.csv").write_text("size,id,note\n3.5,00007,\n14,,late\n")
    linsep("fit", "t.csv", "--target", "y", "--column", "id=skip")
    plain = linsep("predict", "model.linsep", "new.csv").stdout.splitlines()
    kept = linsep("predict", "model.linsep", "new.csv", "--keep", "id", "--keep", "size", "--keep", "note").stdout
    assert kept.splitlines()[0] == '"id","size","note",' + plain[0]
    assert kept.splitlines()[1:] == ['"00007",3.5,,' + plain[1], ',14,"late",' + plain[2]]
    said = linsep("predict", "model.linsep", "new.csv", "--keep", "idd", status=2).stderr
    assert "no column called 'idd' to keep (--keep); did you mean 'id'?" in said
    (folder / "odd.csv").write_text("size,prediction\n3.5,7\n")
    said = linsep("predict", "model.linsep", "odd.csv", "--keep", "prediction", status=2).stderr
    assert "--keep prediction: a column of the output has this name; rename it in the table" in said


def test_open_classes_may_be_fractions(folder: Path) -> None:
    linsep("fit", "t.jsonl", "--target", "y", "--learner", "averaged", "--set", "open_classes", "--set", "passes=3")
    assert load("model.linsep").classes_.tolist() == LABELS


def test_a_command_that_fails_leaves_nothing(folder: Path) -> None:
    (folder / "one.csv").write_text("a,y\n1,2020-01-01\n2,2020-01-01\n")
    (folder / "two.csv").write_text("a,y\n1,no\n2,yes\n")
    before = sorted(folder.iterdir())
    for args in (
        ("two.csv", "--target", "y", "--holdout", 0.5),
        ("one.csv", "--target", "y"),
        ("t.csv", "--target", "y", "--positive", "2.5"),
        ("t.csv",),
    ):
        linsep("fit", *args, status=2)
    assert sorted(folder.iterdir()) == before
