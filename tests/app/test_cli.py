"""The command line as a user meets it: exit statuses, what goes where."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from in_process import run_linsep
from linsep import load

TABLE = (
    'city,size,"note, long",sold\nOslo,50,"a, b",yes\nRome,60,"say ""hi""",no\nOslo,70,"a, b",yes\nBari,20,"x\ny",no\n'
)


def linsep(*args: Any, folder: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return run_linsep(args, folder, stdin)


def in_a_process(*args: Any, folder: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "linsep", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, input=stdin, check=False)


@pytest.fixture
def sold(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    asked = ("--target", "sold", "--positive", "yes", "--learner", "perceptron", "--model", "m.linsep")
    done = linsep("fit", "t.csv", *asked, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_fit_predict_score_show(sold: Path) -> None:
    predicted = linsep("predict", "m.linsep", "t.csv", "-o", "out.csv", folder=sold)
    assert (predicted.returncode, predicted.stdout) == (0, "")
    rows = list(csv.DictReader((sold / "out.csv").read_text().splitlines()))
    assert [row["prediction"] for row in rows] == ["yes", "no", "yes", "no"]
    assert all((float(row["decision_value"]) >= 0) == (row["prediction"] == "yes") for row in rows)
    score = linsep("score", "m.linsep", "t.csv", "--json", folder=sold)
    assert json.loads(score.stdout)["accuracy"] == 1.0
    show = linsep("show", "m.linsep", folder=sold)
    assert "city=Oslo" in show.stdout
    assert "note, long=a, b" in show.stdout
    data = json.loads(linsep("show", "m.linsep", "--json", folder=sold).stdout)
    assert (data["classes"], data["features"], data["epochs"]) == (["no", "yes"], 7, 2)
    assert max(data["weights"], key=lambda name: abs(data["weights"][name])) == "size"


def test_python_m_linsep_is_the_command(tmp_path: Path) -> None:
    (command,) = entry_points(group="console_scripts", name="linsep")
    assert command.value == "linsep.app.cli:main"
    done = in_a_process("--help", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: linsep [OPTIONS] COMMAND")


def test_the_learner_is_averaged_unless_told_otherwise(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    for way in ("--no-stream", "--stream"):
        done = linsep("fit", "t.csv", "--target", "sold", way, "--json", folder=tmp_path)
        assert json.loads(done.stdout)["learner"] == "AveragedPerceptron"


def test_in_a_pipe(sold: Path) -> None:
    arguments = ("fit", "-", "--target", "sold", "--model", "p.linsep", "--json")
    streamed = json.loads(in_a_process(*arguments, folder=sold, stdin=TABLE).stdout)
    assert (streamed["rows"], streamed["stop_reason"]) == (4, "end of stream")
    fitted = in_a_process(*arguments, "--no-stream", folder=sold, stdin=TABLE)
    data = json.loads(fitted.stdout)
    assert (data["training_accuracy"], data["verdict"], data["stop_reason"]) == (1.0, "separable", "clean pass")
    predicted = in_a_process(
        "predict", "p.linsep", "-", folder=sold, stdin='size,city,"note, long"\n55,Oslo,z\n10,Berlin,z\n'
    )
    assert [row["prediction"] for row in csv.DictReader(io.StringIO(predicted.stdout))] == ["yes", "no"]
    assert "column 'city': 1 row holds a category" in predicted.stderr


def test_fit_equals_the_library(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    rows = [",".join(map(str, row)) + f",{name}" for row, name in zip(X.tolist(), names, strict=True)]
    (tmp_path / "iris.csv").write_text("a,b,c,d,kind\n" + "\n".join(rows) + "\n")
    done = linsep("fit", "iris.csv", "--target", "kind", "--learner", "averaged", "--holdout", "0.2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    model = load(tmp_path / "model.linsep")
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.score(pd.DataFrame(X, columns=["a", "b", "c", "d"]), names) > 0.8
    check = linsep("check", "iris.csv", "--target", "kind", folder=tmp_path)
    assert check.returncode == 1
    assert "setosa against the rest" in check.stdout
    one = linsep("check", "iris.csv", "--target", "kind", "--positive", "setosa", "--json", folder=tmp_path)
    assert (one.returncode, json.loads(one.stdout)["verdict"]) == (0, "separable")


XOR = "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"
DECIMALS = "a,b,y\n.1,.3,1\n.2,.6,0\n.3,.9,1\n"


@pytest.mark.parametrize(
    ("text", "status", "verdict"),
    [(XOR, 1, "inseparable"), ("a,y\n1,0\n2,1\n", 0, "separable"), (DECIMALS, 1, "inseparable")],
)
def test_check_is_about_the_numbers_as_written(tmp_path: Path, text: str, status: int, verdict: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    done = linsep("check", "t.csv", "--target", "y", "--json", folder=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (status, verdict)


def test_the_same_seed_gives_the_same_model(tmp_path: Path) -> None:
    linsep("synth", 300, "-o", "t.csv", folder=tmp_path)

    def weights(*seed: Any) -> Any:
        chosen = ("--learner", "margin", "--model", "m.linsep", *seed)
        done = linsep("fit", "t.csv", "--target", "label", *chosen, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        return load(tmp_path / "m.linsep").learner_.coef_.tolist()

    assert weights() == weights("--seed", 0) != weights("--seed", 1)


def test_a_budget_that_ends_still_writes_the_model(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(XOR)
    done = linsep("fit", "t.csv", "--target", "y", "--learner", "perceptron", "--max-iter", 5, folder=tmp_path)
    assert done.returncode == 0
    assert "warning: Perceptron stopped after 5 epochs" in done.stderr
    assert "It is proved that no hyperplane separates these rows. More epochs do not help." in done.stderr
    assert load(tmp_path / "model.linsep").learner_.stop_reason_ == "epoch budget"


def test_ctrl_c_saves_the_model_so_far(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(XOR)
    # A callable in place of the progress bar sends the signal once the run is under way.
    script = (
        "import os, signal, sys\n"
        "from linsep.app import cli, present\n"
        "def interrupt(epochs, mistakes, seconds):\n"
        "    if epochs > 100: os.kill(os.getpid(), signal.SIGINT)\n"
        "present.Line.epochs = lambda *_: interrupt\n"
        "sys.argv = ['linsep', 'fit', 't.csv', '--target', 'y', '--time-limit', '600']\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 128 + signal.SIGINT, done.stderr
    assert "interrupted in epoch" in done.stderr
    assert load(tmp_path / "model.linsep").learner_.stop_reason_ == "interrupted"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["fit", "none.csv", "--target", "y"], "none.csv: there is no file of that name"),
        (["fit", "t.csv"], "--target COLUMN"),
        (["fit", "t.csv", "--target", "yy"], "no column called 'yy'"),
        (["fit", "t.csv", "--target", "y", "--learner", "svm"], "choose from perceptron, averaged"),
        (["fit", "t.csv", "--target", "y", "--model", "none/m"], "there is no folder none"),
        (["fit", "t.csv", "--target", "y", "--positive", "7"], "no row has the label '7'"),
        (["fit", "t.csv", "--target", "y", "--column", "c=category"], "no feature column called 'c'"),
        (["fit", "t.csv", "--target", "y", "--max-iter", "3", "--time-limit", "1"], "not both"),
        (["fit", "one.csv", "--target", "y"], "every row has the label 1"),
        (["predict", "t.csv", "t.csv"], "not a linsep model file"),
        (["check", "t.svm", "--target", "y"], "begin with their label"),
        (["synth", "--margin", "9"], "too wide"),
        (["nonsense"], "no command called 'nonsense'"),
    ],
)
def test_bad_usage_and_input_exit_with_2(tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "t.csv").write_text(XOR)
    (tmp_path / "t.svm").write_text("1 1:2\n0 1:1\n")
    (tmp_path / "one.csv").write_text("a,y\n1,1\n2,1\n")
    done = linsep(*args, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model.linsep").exists()


@pytest.mark.parametrize("command", ["show M", "predict M t.csv", "score M t.csv", "export M --to json"])
@pytest.mark.parametrize(
    ("model", "said"), [("none.linsep", "there is no file of that name"), ("a folder", "is a folder: name a file")]
)
def test_a_model_that_cannot_be_read_is_one_sentence(command: str, model: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "t.csv").write_text(XOR)
    done = linsep(*(model if word == "M" else word for word in command.split()), folder=tmp_path)
    told = done.stderr
    assert (done.returncode, told.startswith(f"linsep: error: {model}"), said in told) == (2, True, True)
    assert "Errno" not in told


def test_synth_then_check(tmp_path: Path) -> None:
    made = linsep("synth", 50, 3, "--margin", 0.4, "-o", "made.csv", folder=tmp_path)
    assert "known separator: w = (" in made.stderr
    assert linsep("check", "made.csv", "--target", "label", folder=tmp_path).returncode == 0


def test_demo_ends_with_the_receipt(tmp_path: Path) -> None:
    done = linsep("demo", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for part in (
        "stops\nafter", "97.9%", "569 x 30", "Perceptron", "clean pass", "217,171", "1,757,361", "100.00%",
        "held-out accuracy", "separable", "margin bracket", "R, the largest row norm", "novikoff", "unit ball",
        "bounded bias", "freund-schapire", "hinge loss, all passes", "breast_cancer.linsep", "linsep show",
    ):  # fmt: skip
        assert part in done.stdout, part


def test_no_rows_in_are_no_rows_out(sold: Path) -> None:
    (sold / "none.csv").write_text(TABLE.splitlines()[0] + "\n")
    done = linsep("predict", "m.linsep", "none.csv", "--keep", "size", folder=sold)
    assert (done.returncode, done.stdout) == (0, '"size","prediction","decision_value"\n')
    assert "there are no rows" in linsep("score", "m.linsep", "none.csv", folder=sold).stderr


def test_a_question_without_a_separable_pair_keeps_its_verdict(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,k\n1,x\n1,y\n1,x\n", encoding="utf-8")
    done = linsep("check", "t.csv", "--target", "k", "--explain", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "rows to remove   not looked for: no row of one class can be separated from any row" in done.stdout
