"""`linsep.fit_stream`: results, checkpoints, and what happens when things go wrong."""

from __future__ import annotations

import errno
import gzip
import os
import random
import signal
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from linsep import AveragedPerceptron, Perceptron, TableEncoder, VotedPerceptron, fit_stream, load, open_data, save
from linsep.data.readers import lines as blocks
from linsep.learners.predicting import default_learner
from linsep.reporting.stream import stream_receipt
from linsep.store import load_with_extra
from linsep.streaming.result import StreamError, StreamFit, StreamState
from linsep.streaming.run import StreamRun
from linsep.theory.bounds.cover import online_risk_bound
from linsep.types import DataError, StopReason

CITIES = ("Oslo", "Rome", "Bari")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of 600 rows, read in about 30 blocks."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 700)
    monkeypatch.setattr(blocks, "TABLE_BYTES", 700)
    rng = np.random.default_rng(0)
    lines = ["city,size,note,sold"]
    for _ in range(600):
        city, size, word = rng.choice(CITIES), rng.normal(), rng.choice(["old", "new"])
        sold = size + (city == "Rome") - (word == "old") + 0.5 * rng.normal() > 0
        lines.append(f"{city},{size:.4f},very {word} house,{'yes' if sold else 'no'}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.csv"


def fit(table: Any, model: Path | None = None, **options: Any) -> StreamFit:
    """Learn from the table, and save what came of it if there is a name for it."""
    asked: dict[str, Any] = {"learner": AveragedPerceptron(), "target": "sold", "columns": {"note": "text"}, "bits": 10}
    found = fit_stream(table, **{**asked, **options})
    if model is not None:
        save(found.model, model)
    return found


def counters_in(checkpoint: Path) -> Any:
    return load_with_extra(checkpoint)[1]["stream"]["counters"]


def test_the_result_and_what_the_model_is_good_for(table: Path) -> None:
    learner = AveragedPerceptron()
    found = fit(table, learner=learner)
    assert (found.counters.rows, found.counters.passes, found.interrupted) == (600, 1, False)
    assert found.model.classes_.tolist() == ["no", "yes"]
    assert found.model.learner_.stop_reason_ is StopReason.END_OF_STREAM
    assert found.risk_bound == online_risk_bound(found.mistakes[0], 600)
    assert found.summary().startswith(f"600 rows in 1 pass (end of stream): {found.mistakes[0]} mistakes")
    assert not hasattr(learner, "classes_")
    frame = open_data(table, target="sold")
    assert (found.model.predict(frame) == frame.read().y).mean() > 0.8
    twice = fit(table, passes=2)
    assert twice.risk_bound is None
    assert len(twice.mistakes) == 2
    assert twice.model.learner_.t_ == 1200
    assert fit(table, learner=None).model.learner_.get_params() == default_learner().get_params()


@pytest.mark.parametrize("passes", [1, 2])
def test_it_is_one_epoch_over_the_same_encoded_rows_to_the_bit(table: Path, passes: int) -> None:
    found = fit(table, passes=passes)
    rows = open_data(table, target="sold")
    encoder = TableEncoder(bits=10, columns={"note": "text"})
    learner, X = AveragedPerceptron(max_iter=1, shuffle=False), encoder.learn_chunk(rows.read())
    for _ in range(passes):
        learner.partial_fit(X, rows.read().y, classes=["no", "yes"])
        X = encoder.encode_chunk(rows.read())
    assert np.array_equal(found.model.learner_.coef_, learner.coef_)
    assert np.array_equal(found.model.learner_.intercept_, learner.intercept_)


def test_classes_named_positive_or_open(table: Path) -> None:
    named = fit(table, target="city", columns={}, classes=CITIES)
    opened = fit(table, target="city", columns={}, open_classes=True)
    assert named.model.classes_.tolist() == opened.model.classes_.tolist() == sorted(CITIES)
    rome = fit(table, target="city", columns={}, positive="Rome").model
    assert rome.classes_.tolist() == ["not Rome", "Rome"]
    assert rome.learner_.classes_.tolist() == [0, 1]
    with pytest.raises(DataError, match=r"t\.csv:\d+: label \S+ is not one of the classes Oslo, Paris: name all"):
        fit(table, target="city", columns={}, classes=("Oslo", "Paris"))
    with pytest.raises(DataError, match="one of classes, positive and open_classes"):
        fit(table, positive="yes", open_classes=True)


def test_rows_in_memory_are_streamed_too(table: Path) -> None:
    frame = open_data(table, target="sold").read()
    columns = {name: frame.column(name).values for name in ("size",)}
    rows = pa.table({**columns, "sold": frame.y})
    X, y = rows["size"].to_numpy()[:, None], frame.y
    (table.parent / "u.csv").write_text(
        "size,sold\n" + "".join(f"{x},{label}\n" for x, label in zip(X[:, 0], y, strict=True))
    )
    of_file = fit_stream(table.parent / "u.csv", target="sold")
    for found in (fit_stream(rows, target="sold"), fit_stream(open_data(rows, target="sold"))):
        assert found.mistakes == of_file.mistakes
        assert np.array_equal(found.model.learner_.coef_, of_file.model.learner_.coef_)
    matrix = fit_stream((X, y), Perceptron(), passes=2, checkpoint=table.with_name("ck"))
    assert np.array_equal(matrix.model.learner_.coef_, twice_over(X, y).coef_)
    assert matrix.model.encoder_ is None
    assert fit_stream((X, y), Perceptron(), passes=2, checkpoint=table.with_name("ck")).was_finished
    with pytest.raises(DataError, match="opened already, so `target` belongs to `open_data`"):
        fit_stream(open_data(rows, target="sold"), target="sold")


def twice_over(X: Any, y: Any) -> Perceptron:
    """Two passes over the rows in their order."""
    return Perceptron().partial_fit(X, y, classes=["no", "yes"]).partial_fit(X, y)


def test_labels_may_be_given_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.svmlight").write_text("1 1:2\n2 1:-2\n3 2:1\n" * 9)
    named = fit_stream(tmp_path / "t.svmlight", classes=[1, 2, 3])
    assert named.model.classes_.tolist() == [1, 2, 3]
    assert fit_stream(tmp_path / "t.svmlight", positive=2).model.classes_.tolist() == ["not 2", "2"]


def test_a_malformed_line_keeps_the_model_so_far(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = table.read_text().splitlines()
    lines[400] = "Oslo,many,very new house,yes"
    table.write_text("\n".join(lines) + "\n")
    with pytest.raises(StreamError, match=r"t\.csv:401, column 'size': 'many' .*the first 399 rows") as caught:
        fit(table)
    assert caught.value.so_far.model.learner_.t_ == 399
    assert caught.value.so_far.model.learner_.stop_reason_ is StopReason.INTERRUPTED
    with pytest.warns(UserWarning, match=r"skipped: .*t\.csv:401"):
        found = fit(table, lenient=True)
    assert (found.counters.rows, found.counters.skipped) == (599, 1)
    pressed = gzip.compress(table.read_bytes())
    table.with_name("cut.csv.gz").write_bytes(pressed[: len(pressed) * 2 // 3])
    with pytest.raises(StreamError, match=r"cut\.csv\.gz: the compressed file is cut short") as caught:
        fit(table.with_name("cut.csv.gz"))
    assert 0 < caught.value.so_far.counters.rows < 400


def test_a_line_that_is_malformed_at_once_leaves_nothing(table: Path) -> None:
    table.write_text("city,size,note,sold\nOslo,1\n")
    with pytest.raises(DataError, match=r"t\.csv:2") as caught:
        fit(table, checkpoint=table.with_name("ck"))
    assert not isinstance(caught.value, StreamError)
    assert not table.with_name("ck").exists()


OPTIONS: dict[str, Any] = {"passes": 2, "checkpoint_rows": 50, "half_life": 1000.0}
if find_spec("river"):
    OPTIONS["drift"] = "page-hinkley"


def crash_after(monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    """Let the next runs break down after so many chunks."""
    left, learn = chunks, StreamRun._learn

    def crashing(run: StreamRun, read: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise MemoryError
        learn(run, read)

    monkeypatch.setattr(StreamRun, "_learn", crashing)


def test_a_crash_at_any_moment_changes_nothing(table: Path) -> None:
    folder = table.parent
    whole = fit(table, folder / "whole", checkpoint=folder / "ck0", **OPTIONS)
    rng = random.Random(0)
    for crash in range(20):
        checkpoint = folder / f"ck{crash + 1}"
        with pytest.MonkeyPatch.context() as patch, pytest.raises(MemoryError):
            crash_after(patch, rng.randrange(1, 55))
            fit(table, checkpoint=checkpoint, **OPTIONS)
        found = fit(table, folder / "m", checkpoint=checkpoint, **OPTIONS)
        assert (folder / "m").read_bytes() == (folder / "whole").read_bytes()
        assert found.mistakes == whole.mistakes
        assert counters_in(checkpoint) == counters_in(folder / "ck0")


def test_several_classes_go_on_to_the_bit(table: Path) -> None:
    folder = table.parent
    options: dict[str, Any] = {
        "learner": AveragedPerceptron(intercept_scaling="auto"),
        "target": "city",
        "columns": {},
        "open_classes": True,
        "checkpoint_rows": 50,
    }
    fit(table, folder / "whole", checkpoint=folder / "a", **options)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(MemoryError):
        crash_after(patch, 15)
        fit(table, checkpoint=folder / "b", **options)
    assert fit(table, folder / "m", checkpoint=folder / "b", **options).resumed_rows > 0
    assert (folder / "m").read_bytes() == (folder / "whole").read_bytes()
    assert load(folder / "m").learner_.intercept_scaling_ not in (0.0, 1.0)


def test_the_hash_of_the_data_is_of_every_file_and_of_the_part_that_was_read(table: Path) -> None:
    lines = table.read_text().splitlines(keepends=True)
    pattern = str(table.with_name("part-*.csv"))
    for number, rows in enumerate((lines[1:400], lines[400:])):
        table.with_name(f"part-{number}.csv").write_text("".join([lines[0], *rows]))
    first, second = fit(pattern).data_hash.split()
    assert first != second
    assert fit(pattern, passes=3).data_hash == f"{first} {second}"
    assert fit(table.with_name("part-0.csv")).data_hash == first
    with table.with_name("part-1.csv").open("a") as file:
        file.write("no,row\n")
    with pytest.raises(StreamError) as caught:
        fit(pattern)
    whole, part = caught.value.so_far.data_hash.split()
    assert whole == first and part == second


def test_a_finished_checkpoint_changes_nothing(table: Path) -> None:
    folder = table.parent
    fit(table, folder / "m", checkpoint=folder / "ck")
    before = (folder / "ck").read_bytes()
    again = fit(table, folder / "again", checkpoint=folder / "ck")
    assert (again.was_finished, again.seconds, again.resumed_rows) == (True, 0.0, 600)
    assert (folder / "again").read_bytes() == (folder / "m").read_bytes()
    assert (folder / "ck").read_bytes() == before


def test_checkpoints_may_become_more_frequent_in_the_middle_of_a_run(table: Path) -> None:
    folder = table.parent
    fit(table, folder / "whole")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(MemoryError):
        crash_after(patch, 15)
        fit(table, checkpoint=folder / "ck", checkpoint_rows=200)
    said: list[str] = []
    fit(table, folder / "m", checkpoint=folder / "ck", checkpoint_rows=50, verbose=said.append)
    assert len(said) > 5 and said[0].startswith(f"going on from {folder / 'ck'}, after ")
    assert (folder / "m").read_bytes() == (folder / "whole").read_bytes()


def test_a_checkpoint_belongs_to_one_run(table: Path) -> None:
    folder = table.parent
    fit(table, folder / "m", checkpoint=folder / "ck")
    wrong: list[tuple[Path, dict[str, Any], str]] = [
        (folder / "ck", {"passes": 2}, "belongs to a run with passes = 1, not 2"),
        (folder / "ck", {"learner": Perceptron()}, r"learner = 'AveragedPerceptron\(\)', not 'Perceptron\(\)'"),
        (Path(os.devnull), {}, "a checkpoint needs an ordinary file"),
        (folder / "none" / "ck", {}, "there is no folder"),
        (table, {}, "would be replaced by the checkpoint"),
        (folder / "m", {}, "is a model, but no checkpoint"),
    ]
    for checkpoint, options, said in wrong:
        with pytest.raises(DataError, match=said):
            fit(table, checkpoint=checkpoint, **options)
    with table.open("a") as file:
        file.write("Rome,1,a house,yes\n")
    with pytest.raises(DataError, match="the files have changed"):
        fit(table, checkpoint=folder / "ck")


def test_a_checkpoint_of_another_version_is_not_gone_on_with(table: Path) -> None:
    checkpoint = table.with_name("ck")
    old = {"options": {"learner": "averaged"}, "files": [], "counters": {"passes": 0}}
    save(fit(table).model, checkpoint, extra={"stream": old})
    with pytest.raises(DataError, match=r"another version of linsep.*delete the file to begin again"):
        fit(table, checkpoint=checkpoint)


def test_two_runs_do_not_share_a_checkpoint_and_a_lock_left_behind_is_no_obstacle(table: Path) -> None:
    checkpoint = table.with_name("ck")
    table.with_name("ck.lock").touch()  # as a run that was killed leaves it
    refused = []

    def second(state: StreamState) -> None:
        with pytest.raises(DataError, match="another process is writing"):
            fit(table, checkpoint=checkpoint)
        refused.append(state.new_rows)

    fit(table, checkpoint=checkpoint, callback=second)
    assert refused[-1] == 600
    assert fit(table, checkpoint=checkpoint).was_finished


def test_a_full_disk_leaves_the_checkpoint_before(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table.parent
    said: list[str] = []

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def say(message: str) -> None:
        said.append(message)
        patch.setattr(os, "fsync", full)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(OSError, match="has room"):
        fit(table, checkpoint=folder / "ck", checkpoint_rows=100, verbose=say)
    rows = sum(counters_in(folder / "ck")["seen"])
    assert said == [f"checkpoint: {folder / 'ck'} holds the first {rows:,} rows"]
    fit(table, folder / "m", checkpoint=folder / "ck", checkpoint_rows=100)
    fit(table, folder / "whole", checkpoint=folder / "ck0", checkpoint_rows=100)
    assert (folder / "m").read_bytes() == (folder / "whole").read_bytes()


def test_a_pipe(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"passes": 2}, "a pipe can be read once"),
        ({"checkpoint": table.with_name("ck")}, "a pipe cannot be read again after a crash"),
        ({"learner": VotedPerceptron()}, "a VotedPerceptron cannot learn from a stream"),
        ({"target": None}, "name the column that holds the label"),
    )
    for options, message in cases:
        with pytest.raises(DataError, match=message):
            fit("-", **options)
    assert os.listdir(table.parent) == ["t.csv"]
    fit(table, table.with_name("file"))
    with table.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file))
        fit("-", table.with_name("pipe"))
    assert table.with_name("pipe").read_bytes() == table.with_name("file").read_bytes()


def test_ctrl_c_keeps_what_was_learnt(table: Path) -> None:
    def interrupt(state: StreamState) -> None:
        if state.counters.rows > 200:
            os.kill(os.getpid(), signal.SIGINT)

    checkpoint = table.with_name("ck")
    found = fit(table, checkpoint=checkpoint, callback=interrupt)
    assert found.interrupted
    assert found.model.learner_.stop_reason_ is StopReason.INTERRUPTED
    assert found.model.learner_.t_ == found.counters.rows < 300
    assert load(checkpoint).learner_.t_ == found.counters.rows
    fit(table, table.with_name("m"), checkpoint=checkpoint)
    fit(table, table.with_name("whole"))
    assert table.with_name("m").read_bytes() == table.with_name("whole").read_bytes()


def test_ctrl_c_in_the_middle_of_a_chunk_waits_for_its_end(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = StreamRun._learn

    def interrupted(run: StreamRun, read: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        learn(run, read)

    monkeypatch.setattr(StreamRun, "_learn", interrupted)
    found = fit(table)
    assert found.interrupted
    assert found.model.learner_.t_ == found.counters.rows > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"half_life": 0.0}, "half_life must be a finite number above 0, not 0.0"),
        ({"passes": 0}, "passes must be at least 1, not 0"),
        ({"checkpoint_rows": 0}, "checkpoint_rows must be at least 1, not 0"),
        ({"bits": 3}, "bits must be from 8 to 28, not 3"),
        ({"bits": 60}, "bits must be from 8 to 28, not 60"),
        ({"drift": "x"}, "no drift alarm called 'x'"),
        ({"classes": ["a", "a"]}, "the classes name one class twice"),
        ({"classes": ["no", "yes", ""]}, "an empty name among the classes"),
        ({"learner": AveragedPerceptron(max_iter=-1)}, "max_iter"),
    ],
)
def test_arguments_that_make_no_sense_move_nothing(table: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        fit(table, checkpoint=table.with_name("ck"), **options)
    assert os.listdir(table.parent) == ["t.csv"]


def test_messages_are_printed_when_asked_for(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fit(table, checkpoint=table.with_name("a"), checkpoint_rows=200)
    assert capsys.readouterr().err == ""
    fit(table, checkpoint=table.with_name("b"), checkpoint_rows=200, verbose=1)
    assert capsys.readouterr().err.count("checkpoint: ") == 2


@pytest.mark.skipif(not find_spec("river"), reason="drift alarms come from River: pip install '.[drift]'")
def test_drift_is_reported(table: Path) -> None:
    lines = table.read_text().splitlines()
    rng = random.Random(0)
    noise = [line.rpartition(",")[0] + rng.choice([",yes", ",no"]) for line in lines[1:] * 4]
    table.write_text("\n".join([*lines, *lines[1:] * 2, *noise]) + "\n")
    for kind in ("adwin", "page-hinkley"):
        said: list[str] = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = fit(table, drift=kind, verbose=said.append)
        assert [f"drift: {alarm}" for alarm in found.counters.alarms] == said
        assert kind in said[0]
        assert int(said[0].split()[2].rstrip(":").replace(",", "")) > 1200 or kind == "page-hinkley"


@pytest.mark.parametrize(("positive", "most"), [(0, "not 0"), (1, "1")])
def test_the_most_frequent_label_has_the_name_of_its_class(tmp_path: Path, positive: int, most: str) -> None:
    (tmp_path / "t.svmlight").write_text("0 1:2\n1 1:-2\n1 2:1\n" * 9)
    found = fit_stream(tmp_path / "t.svmlight", positive=positive)
    assert found.counters.majority == (most, 2 / 3)
    assert stream_receipt(found).data["majority_class"] == most
