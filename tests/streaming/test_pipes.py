"""Pipes: rows are taken as they come, predicted before they are learnt, and how they came changes nothing."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linsep.data.inputs as inputs
import linsep.data.pipes as pipes
from linsep import AveragedPerceptron, DataError, Perceptron, fit_stream, load, open_data
from linsep.data.readers import lines as blocks
from linsep.streaming.result import Foretold, StreamError
from trial.streams import state_of

PATIENCE = 120.0  # seconds until a test gives up; an answer that never comes fails, one that is slow does not


# ------------------------------------------------------------------------ cutting
class Pieces:
    """What a pipe gives if nothing more has come after each of the pieces when it is waited for."""

    def __init__(self, stream: Any, idle: Callable[[], None]) -> None:
        self.until: float | None = None
        self._parts, self._waits, self._idle = list(stream.parts), True, idle

    def read(self, size: int) -> bytes:
        if self.until is not None and self._waits:
            self._waits = False
            raise pipes.PauseError
        self._waits = True
        self._idle()
        part = self._parts.pop(0) if self._parts else b""
        if len(part) > size:
            part, rest = part[:size], part[size:]
            self._parts.insert(0, rest)
        return part


class Pipe(io.RawIOBase):
    """A file object that can be read once, in these pieces."""

    def __init__(self, text: bytes, cuts: list[int]) -> None:
        ends = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
        self.parts = [part for a, b in pairwise(ends) if (part := text[a:b])]

    def readable(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    told = pipes.is_pipe
    monkeypatch.setattr(inputs, "is_pipe", lambda stream: isinstance(stream, Pipe) or told(stream))
    made = pipes.Pipe
    monkeypatch.setattr(
        inputs, "Pipe", lambda stream, idle: (Pieces if isinstance(stream, Pipe) else made)(stream, idle)
    )
    monkeypatch.setattr(blocks, "TABLE_BYTES", 400)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 400)


def rows(n: int = 60) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(3)
    cities = [*rng.choice(["Århus", 'say "hi"', "two\nlines", "a,b"], n)]
    return [(f"{x:.3f}", city, "yes" if x > 0 else "no") for x, city in zip(rng.normal(size=n), cities, strict=True)]


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def as_csv(end: str = "\n", mark: str = ",") -> bytes:
    table = [mark.join((size, quoted(city), sold)) for size, city, sold in rows()]
    return end.join([mark.join(("size", "city", "sold")), *table]).encode()


def as_jsonl() -> bytes:
    import json

    return "\n".join(
        json.dumps({"size": float(a), "city": b, "sold": c}, ensure_ascii=False) for a, b, c in rows()
    ).encode()


def as_sparse(vw: bool) -> bytes:
    form = "{1} |a x:{0} c{2}" if vw else "{1} 1:{0} {2}:1"
    lines = [form.format(a, "1" if c == "yes" else "-1", 2 + k % 9) for k, (a, _, c) in enumerate(rows())]
    return "\r\n".join(lines).encode()


TEXTS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "csv": (as_csv(), {"target": "sold"}),
    "crlf": (as_csv("\r\n") + b"\r\n", {"target": "sold"}),
    "tsv": (as_csv(mark="\t"), {"target": "sold", "sep": "tab"}),
    "utf-16": (as_csv().decode().encode("utf-16"), {"target": "sold"}),
    "jsonl": (as_jsonl(), {"target": "sold", "format": "jsonl"}),
    "svmlight": (as_sparse(False), {"format": "svmlight"}),
    "vw": (as_sparse(True), {"format": "vw", "bits": 8}),
}


def learnt(source: Any, learner: Any = None, **asked: Any) -> tuple[Any, list[tuple[str, Any, str]]]:
    """All that the model holds, and the predictions."""
    told: list[tuple[str, Any, str]] = []

    def listen(part: Foretold) -> None:
        values = [None if np.isnan(z) else z for z in part.decision_values.tolist()]
        told.extend(zip(part.labels.tolist(), values, part.y.tolist(), strict=True))

    asked = {"bits": 8, "predictions": listen, "classes": None, **asked}
    found = fit_stream(source, learner or AveragedPerceptron(), **asked)
    meta, arrays = found.model.learner_.get_state()
    assert found.model.encoder_ is not None
    encoder, of_encoder = found.model.encoder_.state()
    bits = {name: array.tobytes() for name, array in {**arrays, **of_encoder}.items()}
    counters = {**found.counters.to_dict(), "position": found.counters.position.row}
    return (meta, str(encoder), bits, counters, found.data_hash), told


@pytest.mark.parametrize("form", TEXTS)
@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=60))
def test_the_model_does_not_depend_on_the_cut(form: str, cuts: list[int]) -> None:
    text, asked = TEXTS[form]
    whole, predicted = learnt(text, **asked)
    cut, as_it_came = learnt(Pipe(text, cuts), **asked)
    assert cut == whole
    # Until the second class has come there is nothing to predict; what follows is the same to the last bit.
    begun = next((k for k, told in enumerate(as_it_came) if told[0]), 0)
    assert as_it_came[begun:] == predicted[begun:] and len(predicted) == 60
    assert [told[2] for told in as_it_came] == [told[2] for told in predicted]


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=60), many=st.booleans(), open_classes=st.booleans())
def test_neither_with_several_classes_nor_with_classes_that_join(
    cuts: list[int], many: bool, open_classes: bool
) -> None:
    lines = [f"{a},{k % 3 if many else c}" for k, (a, _, c) in enumerate(rows())]
    text = "\n".join(["size,sold", *lines]).encode()
    asked: dict[str, Any] = {"target": "sold", "half_life": 2000.0}
    asked |= {"open_classes": True} if open_classes else {"classes": ["0", "1", "2"] if many else ["no", "yes"]}
    assert learnt(Pipe(text, cuts), **asked) == learnt(text, **asked)


# ------------------------------------------------------------------- predictions
def test_what_is_told_is_what_the_model_would_have_said() -> None:
    lines = [f"{a},{'' if k % 5 == 4 else c}" for k, (a, _, c) in enumerate(rows(40))]
    for learner in (Perceptron(), AveragedPerceptron()):
        _, told = learnt("\n".join(["size,sold", *lines]).encode(), learner, target="sold", classes=["no", "yes"])
        for n in range(6, 40, 3):
            seen = fit_stream(
                "\n".join(["size,sold", *lines[:n]]).encode(), learner, target="sold", bits=8,
                classes=["no", "yes"], drop_unlabelled=True,
            ).model  # fmt: skip
            label, value, y = told[n]
            assert seen.encoder_ is not None
            size = lines[n].partition(",")[0]
            X = seen.encoder_.encode_chunk(open_data(f"size\n{size}\n".encode()).read())
            if y:  # its own number enters mean and scale first
                chunk = open_data(f"size,sold\n{size},{y}\n".encode(), target="sold").read()
                X = seen.encoder_.learn_chunk(chunk)
            assert np.isclose(value, seen.learner_.decision_function(X)[0], rtol=1e-9, atol=1e-12)
            assert label == ("yes" if value >= 0 else "no")


def test_rows_without_a_label_are_predicted_and_not_learnt() -> None:
    for form, blank in (("csv", b"0.5,x,"), ("jsonl", b'{"size": 0.5, "city": "x"}'), ("vw", b"|a x:0.5 c3")):
        text, asked = TEXTS[form]
        head, *lines = text.split(b"\n") if form != "csv" else as_csv().replace(b"two\nlines", b"x").split(b"\n")
        kept, told = learnt(b"\n".join([head, *lines]), **asked)
        mixed, also = learnt(Pipe(b"\n".join([head, *lines[:9], blank, blank, *lines[9:], blank]), [50, 300]), **asked)
        assert mixed[:3] == kept[:3], form
        assert mixed[3]["unlabelled"] == 3
        assert len(also) == len(told) + 3 and [one[2] for one in also].count("") == 3
        assert all(one[0] for one in also if not one[2])
        assert [one for one in also if one[2]][9:] == told[9:]


def test_rows_that_are_left_out_have_a_line_too() -> None:
    text = b"a,b,y\n1,2,p\n,2,q\n-1,2,q\n3,,p\n1,1,\n,1,\n"
    _, told = learnt(text, target="y", missing="drop", classes=["p", "q"])
    assert [(bool(label), y) for label, _, y in told] == [
        (True, "p"), (False, "q"), (True, "q"), (False, "p"), (True, ""), (False, ""),
    ]  # fmt: skip


def test_the_row_that_brings_a_class_is_predicted_without_it() -> None:
    text = b"a,y\n1,p\n1,p\n-3,q\n2,p\n5,r\n5,r\n"
    _, told = learnt(text, Perceptron(), target="y", open_classes=True)
    assert [label for label, _, _ in told][:3] == ["", "p", "p"]
    assert told[4][0] in ("p", "q")


# ------------------------------------------------------------------- first rows
def test_first_rows_wait_for_what_decides() -> None:
    text = b"a,b,y\n1,,p\n2,,p\n3,u,p\n4,v,q\n5,w,q\n"
    whole, _ = learnt(text, target="y")
    cuts = [k + 1 for k in range(len(text)) if text[k : k + 1] == b"\n"]
    cut, told = learnt(Pipe(text, cuts), target="y")
    assert cut == whole
    assert [(label != "", y) for label, _, y in told] == [
        (False, "p"),
        (False, "p"),
        (False, "p"),
        (True, "q"),
        (True, "q"),
    ]


def test_what_would_have_been_decided_otherwise_is_refused() -> None:
    every = list(range(400))
    with pytest.raises(StreamError, match=r"label r is not one of the classes p, q: name all classes"):
        fit_stream(Pipe(b"a,y\n1,p\n2,q\n3,r\n", every), target="y")
    with pytest.raises(StreamError, match=r"'x' where the column holds numbers|text out of place|column 'a'"):
        fit_stream(Pipe(b"a,y\n1,p\n2,q\nx,p\n", every), target="y")
    with pytest.raises(StreamError, match=r"the first lines that came were read .* say which with --read sep"):
        fit_stream(Pipe(b"a;b;y\n1;u;p\n2;u;q\n3;1,5;p\n4;2,5;q\n5;3,5;q\n6;4,5;p\n", every), target="y")
    with pytest.raises(DataError, match=r"every label among the first 2 rows is p"):
        fit_stream(Pipe(b"a,y\n1,p\n2,p\n", every), target="y")


# --------------------------------------------------------------------- snapshots
def test_snapshots_are_the_model_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import linsep.streaming.checkpoint as home

    text, asked = TEXTS["csv"]
    now, seen = [0.0], list[int]()
    monkeypatch.setattr(home, "monotonic", lambda: now[0])

    def look(state: Any) -> None:
        now[0] += 1.0
        if (tmp_path / "s.linsep").exists():
            seen.append(load(tmp_path / "s.linsep").learner_.t_)

    cuts = [*range(0, len(text), 80)]
    found = fit_stream(Pipe(text, cuts), bits=8, snapshot=tmp_path / "s.linsep", every=3.0, callback=look, **asked)
    assert len(set(seen)) > 3 and seen == sorted(seen) and seen[-1] < 60
    assert load(tmp_path / "s.linsep").learner_.t_ == 60
    assert found.counters.rows == 60


def test_a_silent_pipe_does_not_keep_a_snapshot_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import linsep.streaming.checkpoint as home

    now, written = [0.0], list[int]()
    monkeypatch.setattr(home, "monotonic", lambda: now[0])
    write = home.Snapshot.write

    def noted(self: home.Snapshot, run: Any) -> None:
        written.append(run.counters.rows)
        write(self, run)

    monkeypatch.setattr(home.Snapshot, "write", noted)
    read = Pieces.read

    def silent(self: Pieces, size: int) -> bytes:
        for _ in range(3):  # after the rows that came
            now[0] += 10.0
            self._idle()
        return read(self, size)

    monkeypatch.setattr(Pieces, "read", silent)
    fit_stream(Pipe(b"a,y\n1,p\n2,q\n3,p\n", [12, 16]), target="y", snapshot=tmp_path / "s", every=5.0, bits=8)
    assert written[:2] == [2, 3] and len(written) == 3, written  # none without new rows, and one at the end


def test_a_time_is_a_time(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"every .* is a time above 0"):
        fit_stream(b"a,y\n1,p\n", target="y", snapshot=tmp_path / "s", every=0.0)


# ------------------------------------------------------------------- real pipes
class Going:
    """A command whose standard input is written, and its output read, while it runs."""

    def __init__(self, *words: str, cwd: Path) -> None:
        program = [sys.executable, "-m", "linsep", *words]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(program, cwd=cwd, bufsize=0, **pipes)
        self._seen = b""

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode())

    def read(self) -> str:
        """The next line, waited for as long as there is patience."""
        assert self.process.stdout is not None
        while b"\n" not in self._seen:
            assert select.select([self.process.stdout], [], [], PATIENCE)[0], "no answer came"
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            assert more, self.process.stderr and self.process.stderr.read().decode()
            self._seen += more
        line, _, self._seen = self._seen.partition(b"\n")
        return line.decode()

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, (self._seen + out).decode(), err.decode()


@pytest.fixture
def going(tmp_path: Path) -> Iterator[Callable[..., Going]]:
    started: list[Going] = []

    def start(*words: str) -> Going:
        started.append(Going(*words, cwd=tmp_path))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        with one.process:  # closes its pipes
            pass


def test_each_row_is_answered_before_the_next_is_written(going: Callable[..., Going], tmp_path: Path) -> None:
    asked = "fit - --stream --target y --predictions - --model m --every 0.1s --snapshot s"
    fit = going(*asked.split())
    assert fit.read() == "prediction,decision_value,label"
    fit.write("a,y\n")
    answers = []
    for row in ("1,p", "-1,q", "2,p", "2,", "-2,q"):
        fit.write(row + "\n")
        answers.append(fit.read())
    assert answers[0] == ',,"p"' and answers[1].endswith(',"q"')
    assert answers[3].endswith(",") and not answers[3].startswith(",")
    snapshot = tmp_path / "s"
    while not snapshot.exists() or load(snapshot).learner_.t_ < 4:
        assert select.select([], [], [], 0.1) == ([], [], [])  # the pipe is silent
    fit.process.send_signal(signal.SIGTERM)
    status, out, err = fit.end()
    assert (status, out) == (130, "") and "interrupted after 4 rows; the model so far is in m" in err
    assert "accuracy" in err and "1 row without a label is predicted, not learnt" in err
    assert load(tmp_path / "m").learner_.t_ == 4
    assert state_of(tmp_path / "m") == state_of(snapshot)

    predict = going("predict", "m", "-")
    predict.write("a\n")
    for k, row in enumerate(("1", "-1", "5")):
        predict.write(row + "\n")
        if k == 0:
            assert predict.read() == '"prediction","decision_value"'
        assert predict.read().startswith('"q"' if row == "-1" else '"p"')
    assert predict.end()[:2] == (0, "")


def test_predictions_stand_in_a_file_while_they_are_made(going: Callable[..., Going], tmp_path: Path) -> None:
    words = ("--stream", "--read", "format=svmlight", "--model", "m", "--predictions", "p.csv", "--set", "classes=-1,1")
    fit = going("fit", "-", *words)
    fit.write("1 1:2\n")
    while not (tmp_path / "p.csv").exists() or (tmp_path / "p.csv").read_text().count("\n") < 2:
        assert fit.process.poll() is None
        select.select([], [], [], 0.05)
    fit.write("-1 1:-2")
    status, out, _ = fit.end()
    assert status == 0 and out.startswith("rows ")
    assert (tmp_path / "p.csv").read_text().splitlines()[1] == '"1",0,"1"'
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 3
