"""`linsep fit` on a stream: its receipt, its files and when it is chosen. What is learnt: `test_stream_fit.py`."""

from __future__ import annotations

import inspect
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from in_process import linsep
from linsep import fit_stream, load, open_data, save
from linsep.app.commands.fit import STREAM, wants_stream
from linsep.app.commands.fit import fit as fit_command
from linsep.app.commands.with_model import predict as predict_command
from linsep.app.commands.with_model import score as score_command
from linsep.app.commands.with_model import show as show_command
from linsep.app.options import FORMATS as TYPED
from linsep.app.present import Result
from linsep.data.readers import lines as blocks
from linsep.data.sources.open import FORMATS
from linsep.streaming.run import StreamRun
from linsep.theory.bounds.cover import online_risk_bound
from linsep.types import DataError
from trial.streams import state_of


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of 600 rows, read in about 30 blocks."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 700)
    monkeypatch.setattr(blocks, "TABLE_BYTES", 700)
    rng = np.random.default_rng(0)
    lines = ["city,size,note,sold"]
    for _ in range(600):
        city, size, word = rng.choice(["Oslo", "Rome", "Bari"]), rng.normal(), rng.choice(["old", "new"])
        sold = size + (city == "Rome") - (word == "old") + 0.5 * rng.normal() > 0
        lines.append(f"{city},{size:.4f},very {word} house,{'yes' if sold else 'no'}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.csv"


def fit(table: Any, model: Path, **options: Any) -> Result:
    asked: dict[str, Any] = {"target": "sold", "column": ["note=text"], "bits": 10, **options}
    found: Result = fit_command(table, model=model, stream=True, **asked)
    return found


def test_the_receipt_and_what_the_model_is_good_for(table: Path) -> None:
    model = table.with_name("m.linsep")
    result = fit(table, model)
    data = result.data
    assert (data["rows"], data["passes"], data["classes"]) == (600, 1, ["no", "yes"])
    assert data["risk_bound"] == online_risk_bound(data["mistakes"][0], 600)
    assert "drawn independently" in dict(result.lines)["error on new rows"]
    shown = show_command(model, 6).data["weights"]
    assert shown["note:new"] > 0 > shown["note:old"]
    assert shown["city=Rome"] > shown["city=Bari"]
    score = score_command(model, str(table)).data
    assert score["rows"] == 600
    assert score["accuracy"] > 0.8
    predict_command(model, str(table), str(table.with_name("p.csv")))
    assert len(table.with_name("p.csv").read_text().splitlines()) == 601
    twice = fit(table, model, passes=2)
    assert twice.data["risk_bound"] is None
    assert "no bound" in dict(twice.lines)["error on new rows"]


def test_one_label_against_the_rest(table: Path) -> None:
    model = table.with_name("m.linsep")
    found = fit(table, model, target="city", column=[], positive="Rome")
    assert found.data["classes"] == ["not Rome", "Rome"]
    assert score_command(model, str(table)).data["rows"] == 600


def test_it_is_one_call_of_the_library(table: Path) -> None:
    data = fit(table, table.with_name("m"), learner="perceptron", half_life=500.0).data
    found = fit_stream(table, target="sold", columns={"note": "words"}, bits=10, half_life=500.0)
    assert (data["mistakes"], data["updates"]) == (found.mistakes, found.model.learner_.n_updates_)
    assert data["risk_bound"] == found.risk_bound


def test_a_malformed_line_saves_the_model_so_far(table: Path) -> None:
    model = table.with_name("m.linsep")
    lines = table.read_text().splitlines()
    lines[400] = "Oslo,many,very new house,yes"
    table.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"t\.csv:401, .*'many' .*the model of the first 399 rows is in .*m\.linsep"):
        fit(table, model)
    assert show_command(model, 1).data["stop_reason"] == "interrupted"
    result = fit(table, model, lenient=True)
    assert (result.data["rows"], result.data["skipped"]) == (599, 1)
    assert "t.csv:401" in result.warnings[0]


def test_a_finished_checkpoint_says_so(table: Path) -> None:
    folder, model = table.parent, table.with_name("m.linsep")
    first = fit(table, model, checkpoint=folder / "ck")
    before, checkpoint = state_of(model), (folder / "ck").read_bytes()
    again = fit(table, model, checkpoint=folder / "ck")
    assert "is finished: " in again.warnings[0]
    assert again.data["mistakes"] == first.data["mistakes"]
    for earlier in (None, fit_stream(table, target="sold").model):
        # A run killed after its last checkpoint leaves no model, or that of an earlier run.
        if earlier is None:
            model.unlink()
        else:
            save(earlier, model)
        assert "m.linsep was written from it" in fit(table, model, checkpoint=folder / "ck").warnings[0]
        assert (state_of(model), (folder / "ck").read_bytes()) == (before, checkpoint)


def test_ctrl_c_saves_the_model_so_far(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = StreamRun._learn

    def interrupted(run: StreamRun, read: Any) -> None:
        if run.counters.rows > 200:
            os.kill(os.getpid(), signal.SIGINT)
        learn(run, read)

    monkeypatch.setattr(StreamRun, "_learn", interrupted)
    result = fit(table, table.with_name("m"))
    assert result.interrupted
    assert result.warnings == [
        f"interrupted after {result.data['rows']} rows; the model so far is in {table.with_name('m')}"
    ]
    assert load(table.with_name("m")).learner_.t_ == result.data["rows"] < 300


def test_learners_that_need_all_rows(table: Path) -> None:
    for learner in ("voted", "auto"):
        with pytest.raises(DataError, match="needs all rows or keeps them; use perceptron, averaged, margin, pa, "):
            fit(table, table.with_name("m"), learner=learner)


def test_when_a_stream_is_chosen(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    with os.fdopen(read) as pipe, table.open() as file:
        for stdin, wanted in ((pipe, True), (file, False)):
            monkeypatch.setattr(sys, "stdin", stdin)
            assert wants_stream("-") is wanted
    os.close(write)
    assert not wants_stream(table)
    assert wants_stream(table, share=1e-12)
    assert not wants_stream(table.parent)
    assert wants_stream(table.parent / "*.csv", share=1e-12)
    assert not wants_stream("none.csv")
    os.mkfifo(table.parent / "pipe")
    assert wants_stream(table.parent / "pipe")


def test_options_of_a_stream_are_named_where_there_is_none(table: Path) -> None:
    asked = ["--set", "passes=2", "--set", "open_classes", "--checkpoint", "ck", "--read", "lenient"]
    said = linsep("fit", table, "--target", "sold", "--no-stream", *asked, status=2).stderr
    assert "--no-stream conflicts with: --checkpoint, --read lenient, --set passes, --set open_classes" in said
    said = linsep("fit", table, "--target", "sold", "--stream", "--seed", 2, "--set", "gamma=1", status=2).stderr
    assert "a stream is learnt in the order of its rows, pass by pass: leave out --seed, --set gamma" in said


def test_the_model_never_replaces_what_is_read(table: Path) -> None:
    before = table.read_bytes()
    with pytest.raises(DataError, match=r"t\.csv would be replaced by the model, but this command reads"):
        fit(str(table.parent / "*.csv"), table)
    with pytest.raises(DataError, match="would be replaced"):
        fit(table, table.with_name("ck"), checkpoint=table.with_name("ck"))
    with pytest.raises(DataError, match=r"t\.csv would be replaced"):
        asked: dict[str, Any] = {"positive": None, "max_iter": None, "time_limit": None, "holdout": 0.0}
        fit_command(str(table), target="sold", learner="perceptron", model=table, **asked)
    assert table.read_bytes() == before


def test_the_defaults_of_the_library_and_the_command_are_the_same() -> None:
    """Kept in two places, since `--help` does not wait for the library."""
    library = {**inspect.signature(open_data).parameters, **inspect.signature(fit_stream).parameters}
    for option in STREAM:
        assert option.default == library[option.name].default, option.name


def test_the_formats_of_the_library_and_the_command_are_the_same() -> None:
    assert sorted(TYPED) == sorted(FORMATS)
