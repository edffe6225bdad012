"""`linsep fit` on a stream: receipts, checkpoints and what happens when things go wrong."""

from __future__ import annotations

import errno
import gzip
import os
import random
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from linsep import load
from linsep.app.commands.fit_stream import StreamOptions, fit_stream, wants_stream
from linsep.app.commands.predict import predict as predict_command
from linsep.app.commands.score import score as score_command
from linsep.app.commands.show import show as show_command
from linsep.app.result import Result
from linsep.data.sources import blocks
from linsep.streaming.run import StreamFit
from linsep.theory.bounds.online_risk import online_risk_bound
from linsep.types import DataError

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


def fit(table: Any, model: Path, said: list[str] | None = None, **options: Any) -> Result:
    given: dict[str, Any] = {
        name: options.pop(name) for name in ("learner", "positive", "target", "format") if name in options
    }
    given = {"learner": "averaged", "positive": None, "target": "sold", "format": None} | given
    asked: dict[str, Any] = {"text": ("note",), "bits": 10, **options}
    say = [] if said is None else said
    return fit_stream(table, StreamOptions(**asked), model=model, categorical=(), say=say.append, **given)


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
    assert load(model).t_ == 1200


def test_classes_named_positive_or_open(table: Path) -> None:
    model = table.with_name("m.linsep")
    named = fit(table, model, target="city", text=(), classes=CITIES)
    opened = fit(table, model, target="city", text=(), open_classes=True)
    assert named.data["classes"] == opened.data["classes"] == sorted(CITIES)
    assert fit(table, model, target="city", text=(), positive="Rome").data["classes"] == ["not Rome", "Rome"]
    assert score_command(model, str(table)).data["rows"] == 600
    with pytest.raises(DataError, match=r"t\.csv:\d+: label \S+ is not one of the classes Oslo, Paris: name all"):
        fit(table, model, target="city", text=(), classes=("Oslo", "Paris"))
    with pytest.raises(DataError, match="one of --classes, --positive and --open-classes"):
        fit(table, model, positive="yes", open_classes=True)


def test_a_malformed_line_saves_the_model_so_far(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = table.with_name("m.linsep")
    lines = table.read_text().splitlines()
    lines[400] = "Oslo,many,very new house,yes"
    table.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"t\.csv:401, column 'size': 'many' .*the model of the 399 rows before it"):
        fit(table, model)
    assert load(model).t_ == 399
    result = fit(table, model, lenient=True)
    assert (result.data["rows"], result.data["skipped"]) == (599, 1)
    assert "t.csv:401" in result.warnings[0]
    pressed = gzip.compress(table.read_bytes())
    table.with_name("cut.csv.gz").write_bytes(pressed[: len(pressed) * 2 // 3])
    monkeypatch.setattr(blocks, "TABLE_BYTES", 1 << 20)
    monkeypatch.setattr(blocks, "_STEP", 100)
    with pytest.raises(DataError, match=r"cut\.csv\.gz: the compressed file is cut short.*the model of the \d+ rows"):
        fit(table.with_name("cut.csv.gz"), model)
    assert 300 < load(model).t_ < 400


def bytes_of(model: Path) -> bytes:
    return model.read_bytes()


OPTIONS: dict[str, Any] = {"passes": 2, "every": 50, "half_life": 1000.0, "ball": 20.0}
if find_spec("river"):
    OPTIONS["drift"] = "page-hinkley"


def test_a_crash_at_any_moment_changes_nothing(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table.parent
    whole = fit(table, folder / "whole.linsep", checkpoint=folder / "ck0", **OPTIONS)
    learn = StreamFit._learn
    rng = random.Random(0)
    for crash in range(20):
        left = rng.randrange(1, 55)

        def crashing(run: StreamFit, *chunk: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise MemoryError
            learn(run, *chunk)

        checkpoint = folder / f"ck{crash + 1}"
        monkeypatch.setattr(StreamFit, "_learn", crashing)
        with pytest.raises(MemoryError):
            fit(table, folder / "m.linsep", checkpoint=checkpoint, **OPTIONS)
        monkeypatch.setattr(StreamFit, "_learn", learn)
        result = fit(table, folder / "m.linsep", checkpoint=checkpoint, **OPTIONS)
        assert bytes_of(folder / "m.linsep") == bytes_of(folder / "whole.linsep")
        assert result.data["mistakes"] == whole.data["mistakes"]
        assert load(checkpoint).stream_["counters"] == load(folder / "ck0").stream_["counters"]


def test_several_classes_go_on_to_the_bit(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, learn = table.parent, StreamFit._learn
    options: dict[str, Any] = {"target": "city", "text": (), "open_classes": True, "every": 50}
    fit(table, folder / "whole.linsep", checkpoint=folder / "a", **options)

    def crashing(run: StreamFit, *chunk: Any) -> None:
        if run.counters.rows > 300:
            raise MemoryError
        learn(run, *chunk)

    monkeypatch.setattr(StreamFit, "_learn", crashing)
    with pytest.raises(MemoryError):
        fit(table, folder / "m.linsep", checkpoint=folder / "b", **options)
    monkeypatch.setattr(StreamFit, "_learn", learn)
    fit(table, folder / "m.linsep", checkpoint=folder / "b", **options)
    assert bytes_of(folder / "m.linsep") == bytes_of(folder / "whole.linsep")


def test_kill_9_and_the_same_command_again(table: Path) -> None:
    folder = table.parent
    script = (
        "import sys\nfrom linsep.app import cli\nfrom linsep.data import blocks\nblocks.TABLE_BYTES = 700\n"
        "if sys.argv[1] == 'killed':\n"
        "    from linsep.streaming.checkpoint import Checkpoint\n"
        "    after = Checkpoint.after_chunk\n"
        "    def wait(self, run, wrong):\n"
        "        before = self._written\n"
        "        after(self, run, wrong)\n"
        "        if self._written > before: sys.stderr.flush(); sys.stdin.read()\n"
        "    Checkpoint.after_chunk = wait\n"
        "sys.argv[1:2] = []\ncli.main()\n"
    )
    args = ["fit", "t.csv", "--stream", "--target", "sold", "--every", "100", "--bits", "10", "--text", "note"]
    command = [sys.executable, "-c", script]
    going = subprocess.Popen(
        [*command, "killed", *args, "--checkpoint", "ck", "--model", "m.linsep"],
        cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert going.stderr is not None
    line = going.stderr.readline()
    assert "checkpoint: ck holds the first" in line, line + going.stderr.read()
    going.send_signal(signal.SIGKILL)
    going.communicate()
    assert going.returncode == -signal.SIGKILL
    assert not (folder / "m.linsep").exists()
    again = subprocess.run(
        [*command, "x", *args, "--checkpoint", "ck", "--model", "m.linsep"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (again.returncode, "going on from ck, after" in again.stderr) == (0, True), again.stderr
    result = fit(table, folder / "whole.linsep", checkpoint=folder / "other", every=100, learner="perceptron")
    assert bytes_of(folder / "m.linsep") == bytes_of(folder / "whole.linsep")
    before = bytes_of(folder / "m.linsep"), bytes_of(folder / "other")
    finished = fit(table, folder / "whole.linsep", checkpoint=folder / "other", every=100, learner="perceptron")
    assert "is finished: nothing was changed" in finished.warnings[0]
    assert finished.data["mistakes"] == result.data["mistakes"]
    assert (bytes_of(folder / "m.linsep"), bytes_of(folder / "other")) == before
    (folder / "whole.linsep").unlink()
    finished = fit(table, folder / "whole.linsep", checkpoint=folder / "other", every=100, learner="perceptron")
    assert "whole.linsep was written from it" in finished.warnings[0]
    assert (bytes_of(folder / "whole.linsep"), bytes_of(folder / "other")) == before


def test_a_checkpoint_belongs_to_one_run(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, model = table.parent, table.with_name("m.linsep")
    fit(table, model, checkpoint=folder / "ck")
    with pytest.raises(DataError, match="belongs to a run with passes = 1, not 2"):
        fit(table, model, checkpoint=folder / "ck", passes=2)
    with pytest.raises(DataError, match="is no ordinary file"):
        fit(table, model, checkpoint=Path(os.devnull))
    with pytest.raises(DataError, match="is a model, but no checkpoint"):
        fit(table, folder / "other", checkpoint=model)
    with table.open("a") as file:
        file.write("Rome,1,a house,yes\n")
    with pytest.raises(DataError, match="the files have changed"):
        fit(table, model, checkpoint=folder / "ck")
    seen: list[str] = []

    def second(run: StreamFit, wrong: Any) -> None:
        with pytest.raises(DataError, match="another process is writing"):
            fit(table, model, checkpoint=folder / "ck2")
        seen.append("refused")

    init = StreamFit.__init__

    def with_second(run: StreamFit, *arguments: Any) -> None:
        init(run, *arguments)
        if not seen:
            seen.append("begun")
            run.after_chunk.append(second)

    monkeypatch.setattr(StreamFit, "__init__", with_second)
    if os.name == "posix":
        fit(table, model, checkpoint=folder / "ck2")
        assert "refused" in seen


def test_a_full_disk_leaves_the_checkpoint_before(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, model = table.parent, table.with_name("m.linsep")
    said: list[str] = []

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    class Once(list[str]):
        def append(self, message: str) -> None:
            said.append(message)
            monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OSError, match="has room"):
        fit(table, model, Once(), checkpoint=folder / "ck", every=100)
    monkeypatch.undo()
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 700)
    monkeypatch.setattr(blocks, "TABLE_BYTES", 700)
    rows = sum(load(folder / "ck").stream_["counters"]["seen"])
    assert said == [f"checkpoint: {folder / 'ck'} holds the first {rows:,} rows"]
    fit(table, model, checkpoint=folder / "ck", every=100)
    fit(table, folder / "whole", checkpoint=folder / "ck0", every=100)
    assert bytes_of(model) == bytes_of(folder / "whole")


def test_a_pipe(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = table.with_name("m.linsep")
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"passes": 2}, "a pipe can be read once"),
        ({"checkpoint": table.with_name("ck")}, "a pipe cannot be read again after a crash"),
        ({"learner": "voted"}, "a stream has no room for that"),
        ({"target": None}, "with --target"),
    )
    for options, message in cases:
        with pytest.raises(DataError, match=message):
            fit("-", model, **options)
    fit(table, table.with_name("file.linsep"))
    with table.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file))
        fit("-", model)
    assert bytes_of(model) == bytes_of(table.with_name("file.linsep"))


def test_when_a_stream_is_chosen(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    with os.fdopen(read) as pipe, table.open() as file:
        for stdin, wanted in ((pipe, True), (file, False)):
            monkeypatch.setattr(sys, "stdin", stdin)
            assert wants_stream("-", None) is wanted
    os.close(write)
    assert not wants_stream(table, None)
    assert wants_stream(table, None, share=1e-12)
    assert wants_stream(table.parent, None)
    assert not wants_stream("none.csv", None)


def test_ctrl_c_keeps_what_was_learnt(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = StreamFit._learn

    def interrupted(run: StreamFit, *chunk: Any) -> None:
        if run.counters.rows > 200:
            os.kill(os.getpid(), signal.SIGINT)
        learn(run, *chunk)

    monkeypatch.setattr(StreamFit, "_learn", interrupted)
    model, checkpoint = table.with_name("m.linsep"), table.with_name("ck")
    result = fit(table, model, checkpoint=checkpoint)
    assert result.interrupted
    assert load(model).t_ == result.data["rows"] < 300
    monkeypatch.setattr(StreamFit, "_learn", learn)
    fit(table, model, checkpoint=checkpoint)
    fit(table, table.with_name("whole"))
    assert bytes_of(model) == bytes_of(table.with_name("whole"))


@pytest.mark.skipif(not find_spec("river"), reason="drift alarms come from River: pip install 'linsep[drift]'")
def test_drift_is_reported(table: Path) -> None:
    lines = table.read_text().splitlines()
    rng = random.Random(0)
    noise = [line.rpartition(",")[0] + rng.choice([",yes", ",no"]) for line in lines[1:] * 4]
    table.write_text("\n".join([*lines, *lines[1:] * 2, *noise]) + "\n")
    for kind in ("adwin", "page-hinkley"):
        said: list[str] = []
        result = fit(table, table.with_name("m.linsep"), said, drift=kind)
        assert result.data["drift"]
        assert kind in said[0]
        assert int(said[0].split()[2].rstrip(":").replace(",", "")) > 1200 or kind == "page-hinkley"
    with pytest.raises(DataError, match="no drift alarm called 'x'"):
        fit(table, table.with_name("m.linsep"), drift="x")
