"""Ctrl-C in a command: what was trained is in its file before anything is measured, and the words say so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest

from linsep import fit_table, load, open_data
from linsep.app.commands import tag
from linsep.app.commands.check import check
from linsep.app.commands.fit import fit as fit_command
from linsep.app.commands.separation import separation
from linsep.clock import clock
from linsep.theory.cone.guess import WorkingSet
from linsep.theory.cone.search import solve_cone
from linsep.theory.rows.deadline import deadline_of
from linsep.types import DataError, StopReason

ROWS = "a,y\n" + "".join(f"{k},{'no' if k < 15 else 'yes'}\n" for k in range(30))
SENTENCES = "The det\ndog noun\n\nIt pron\nbarks verb\n\n" * 3


def press(*_: Any, **__: Any) -> Any:
    """Press Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


def after(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, and Ctrl-C when it has run."""

    def call(*given: Any, **named: Any) -> Any:
        found = function(*given, **named)
        press()
        return found

    return call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "t.txt").write_text(SENTENCES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fit(**options: Any) -> Any:
    asked = {"target": "y", "positive": None, "learner": "perceptron", "max_iter": None, "time_limit": None}
    return fit_command("t.csv", **{**asked, "holdout": 0.2, "model": Path("m.linsep"), **options})


@pytest.mark.parametrize("place", ["score_aside", "make_receipt"])
def test_the_model_is_saved_before_it_is_measured(folder: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    import linsep.reporting.table_fit as home

    told, first = getattr(home, place), [True]

    def once(*given: Any, **named: Any) -> Any:
        if first.pop() if first else False:
            assert load("m.linsep").learner_.stop_reason_ is StopReason.CLEAN_PASS
            press()
        return told(*given, **named)

    monkeypatch.setattr(home, place, once)
    result = fit()
    assert result.interrupted
    assert result.warnings[-1].startswith("interrupted after the training; the model is in m.linsep")
    assert result.data["training_accuracy"] == 1.0
    assert (result.data["held_out_accuracy"], "verdict" in result.data) == (None, False)


def test_ctrl_c_waits_until_the_file_is_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", press)
    result = fit()
    assert result.interrupted and result.warnings[-1].startswith("interrupted after the training")
    assert load("m.linsep").learner_.stop_reason_ is StopReason.CLEAN_PASS


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("fit_table", "interrupted; no model was written"),
        ("with_report", "interrupted; the model is in m.linsep"),
    ],
)
def test_ctrl_c_elsewhere_says_what_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str
) -> None:
    home = "linsep.reporting.table_fit" if place == "fit_table" else "linsep.app.written"
    monkeypatch.setattr(f"{home}.{place}", press)
    with pytest.raises(KeyboardInterrupt, match=words):
        fit()
    assert Path("m.linsep").exists() == words.endswith("m.linsep")


def test_an_error_after_the_training_says_where_the_model_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("linsep.app.written.with_report", fail)
    with pytest.raises(DataError, match=r"the disk is full; the model is in m\.linsep"):
        fit()
    assert Path("m.linsep").exists()


def test_ctrl_c_twice_ends_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.reporting.table_fit.make_receipt", press)
    with pytest.raises(KeyboardInterrupt, match=r"interrupted; the model is in m\.linsep"):
        fit()
    assert load("m.linsep").score(open_data("t.csv", target="y")) == 1.0


def test_from_python_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.reporting.proof.separability", press)
    found = fit_table(open_data("t.csv", target="y"))
    assert found.interrupted and "verdict" not in found.receipt.data
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("place", ["_hold_out", "told_bounds"])
def test_taggers_too(folder: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    import linsep.reporting.tagging as home

    told, first = getattr(home, place), [True]

    def once(*given: Any) -> Any:
        if first.pop() if first else False:
            press()
        return told(*given)

    monkeypatch.setattr(home, place, once)
    asked: dict[str, Any] = {
        "format": None,
        "tag": "upos",
        "max_iter": None,
        "time_limit": None,
        "n_bits": None,
        "seed": 0,
    }
    result = tag.fit("t.txt", **asked, holdout=0.2, model=Path("m.linsep"))
    assert result.interrupted and result.data["held_out_accuracy"] is None
    assert result.warnings[0].startswith("interrupted after the training; the model is in m.linsep")
    assert load("m.linsep").predict([["It"]]) == [["pron"]]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("fit_stream", "interrupted; no model was written, and the same command goes on from ck"),
        ("stream_receipt", "interrupted; the model is in m.linsep"),
    ],
)
def test_streams_too(folder: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str) -> None:
    import linsep.app.commands.fit_stream as home

    monkeypatch.setattr(home, place, after(getattr(home, place)))
    asked: dict[str, Any] = {
        "target": "y",
        "learner": "perceptron",
        "checkpoint": Path("ck"),
        "classes": ("no", "yes"),
    }
    with pytest.raises(KeyboardInterrupt, match=words):
        fit_command("t.csv", **asked, stream=True, model=Path("m.linsep"))
    assert Path("m.linsep").exists() == words.endswith("m.linsep")


@pytest.mark.parametrize(("name", "ignored"), [("SIGINT", ""), ("SIGTERM", ""), ("SIGTERM", "SIGINT")])
def test_the_words_reach_the_screen(name: str, ignored: str, folder: Path) -> None:
    script = (
        "import os, signal, sys\n"
        f"signal.signal(signal.SIGINT, signal.{'SIG_IGN' if ignored else 'default_int_handler'})\n"
        "from linsep.app import cli\n"
        "from linsep.reporting import table_fit\n"
        "table_fit.make_receipt = lambda *given, **named: os.kill(os.getpid(), signal." + name + ")\n"
        "sys.argv = ['linsep', 'fit', 't.csv', '--target', 'y']\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "interrupted; the model is in model.linsep\n"
    assert load("model.linsep").learner_.stop_reason_ == "clean pass"


# --------------------------------------------------------------------- searches
def overlapping(folder: Path, classes: str) -> None:
    rows = [f"{k % 7},{k % 5},{classes[k % len(classes)]}" for k in range(60)]
    (folder / "o.csv").write_text("a,b,y\n" + "\n".join(rows) + "\n")


def search(command: Any, *given: Any, **named: Any) -> Any:
    asked: dict[str, Any] = {"target": "y", "time_limit": None}
    return command(*given, **{**asked, **named})


@pytest.mark.parametrize("time_limit", [None, 100.0])
def test_ctrl_c_ends_a_search_and_what_is_known_is_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, time_limit: float | None
) -> None:
    overlapping(folder, "pq")
    monkeypatch.setattr("linsep.theory.cone.faces.WorkingSet", after(WorkingSet))
    result = search(check, "o.csv", positive=None, time_limit=time_limit)
    assert result.interrupted
    assert result.warnings == ["interrupted; this is what was known by then"]
    assert "Ctrl-C ended the search" in dict(result.lines)["why"]
    assert deadline_of(None).at == inf
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_classes_decided_before_ctrl_c_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlapping(folder, "pqr")
    calls = [0]

    def second(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == 2:
            press()
        return solve_cone(*given, **named)

    monkeypatch.setattr("linsep.theory.separability.decide.solve_cone", second)
    result = search(check, "o.csv", positive=None)
    verdicts = [one["verdict"] for one in result.data["one_against_rest"].values()]
    assert verdicts[0] == "inseparable" and result.interrupted
    assert "inseparable" not in verdicts[1:]


def test_ctrl_c_ends_a_separation(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlapping(folder, "pq")
    monkeypatch.setattr("linsep.theory.cone.faces.WorkingSet", after(WorkingSet))
    result = search(separation, "o.csv", family="logistic", fit_intercept=True)
    assert result.interrupted and result.data["verdict"] == "undecided"


@pytest.mark.parametrize("place", ["open_labelled", "separability"])
def test_ctrl_c_where_nothing_is_searched_ends_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def twice(*_: Any, **__: Any) -> None:
        assert not clock() > deadline_of(None).at  # as a search asks the clock
        press()
        press()

    module = "linsep.app.tables" if place == "open_labelled" else "linsep.reporting.proof"
    monkeypatch.setattr(f"{module}.{place}", press if place == "open_labelled" else twice)
    with pytest.raises(KeyboardInterrupt, match="interrupted before there was an answer"):
        search(check, "t.csv", positive=None)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
