"""`linsep probe` as a user meets it: rows on the screen and in a file that a run goes on from."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from in_process import linsep
from linsep import DataError, probe, report
from linsep.app.commands.probe import probe as command
from linsep.probing.measured import measured

HIDDEN = np.random.default_rng(3).normal(size=(60, 3))
SIDE = HIDDEN[:, 0] > 0
AT = "linsep.probing.probe.measured"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.savez(tmp_path / "x.npz", flat=HIDDEN**2, deep=HIDDEN)
    lines = "".join(f"{'up' if side else 'down'},{k % 6}\n" for k, side in enumerate(SIDE))
    (tmp_path / "y.csv").write_text(f"side,word\n{lines}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupted_after(n: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which Ctrl-C ends when it was called n times."""
    left = [n]

    def call(*given: Any) -> Any:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return function(*given)

    return call


def test_the_command_says_what_the_function_finds(folder: Path) -> None:
    done = linsep(
        "probe", "x.npz", "--labels", "y.csv", "--label", "side", "--types", "word", "--controls", 3, "--json"
    )
    found = probe("x.npz", "y.csv", labels="side", types="word", controls=3)
    assert json.loads(done.stdout)["rows"] == found.to_dict()
    shown = linsep("probe", "x.npz", "--labels", "y.csv", "--label", "side", "--types", "word", "--controls", 3).stdout
    lines = [line.rstrip() for line in shown.splitlines()]
    assert lines == [line.rstrip() for line in found.summary().splitlines()]


def test_pairs_are_asked_where_that_is_wanted(folder: Path) -> None:
    asked: list[Any] = ["probe", "x.npz", "--labels", "y.csv", "--label", "word", "--controls", 0, "-o", "o.jsonl"]
    done = linsep(*asked, "--pairs", "--json")
    found = probe("x.npz", "y.csv", labels="word", controls=0, pairs=True)
    assert json.loads(done.stdout)["rows"] == found.to_dict()
    assert len(found.rows) == 2 * (6 + 15)
    assert "rows       o.jsonl: 42 of 42; 42 of them were there before" in linsep(*asked, "--pairs").stdout
    assert (
        "another question (other labels), and is left as it is: give another name with -o"
        in linsep(*asked, status=2).stderr
    )


def test_rows_are_lines_of_json_and_the_same_command_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"labels": "y.csv", "label": ["side", "word"], "controls": 1, "output": Path("o.jsonl")}
    monkeypatch.setattr(AT, interrupted_after(3, measured))
    first = command(["x.npz"], **asked)
    assert first.interrupted
    assert len(first.data["rows"]) == 3
    assert first.warnings == ["interrupted; these are the rows found by then; the same command goes on from there"]
    head, *rows = [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()]
    assert head["asked"]["layers"] == ["flat", "deep"]
    assert [(row["layer"], row["concept"]) for row in rows] == [
        ("flat", "side"),
        ("flat", "word=0"),
        ("flat", "word=1"),
    ]
    monkeypatch.undo()
    os.chdir(folder)
    second = command(["x.npz"], **asked)
    assert not second.interrupted
    assert dict(second.lines)["rows"] == "o.jsonl: 14 of 14; 3 of them were there before"
    whole = command(["x.npz"], **{**asked, "output": None})
    assert second.data == whole.data
    monkeypatch.setattr(AT, interrupted_after(0, measured))
    assert command(["x.npz"], **asked).data == whole.data  # nothing is left to ask
    with pytest.raises(KeyboardInterrupt, match="before there was a row: nothing was written"):
        command(["x.npz"], **{**asked, "output": None})


def test_directions_are_whole_after_an_interruption(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"labels": "y.csv", "label": ["side", "word"], "controls": 0, "output": Path("o.jsonl")}
    command(["x.npz"], **asked)  # without directions: these rows are asked again
    asked["directions"] = Path("d.safetensors")
    monkeypatch.setattr(AT, interrupted_after(3, measured))
    assert len(load_file("d.safetensors" if command(["x.npz"], **asked).interrupted else "")) == 2 * 3
    monkeypatch.undo()
    os.chdir(folder)
    second = command(["x.npz"], **asked)
    assert dict(second.lines)["directions"] == "d.safetensors: 13 of the kind probe, 1 of the kind maximum margin"
    found = probe("x.npz", "y.csv", labels=["side", "word"], controls=0)
    found.save_directions("e.safetensors")
    first, again = load_file("d.safetensors"), load_file("e.safetensors")
    assert {name: array.tolist() for name, array in first.items()} == {name: v.tolist() for name, v in again.items()}
    cosines = found.cosines("deep")
    assert second.data["cosines"]["deep"]["side"]["word=2"] == cosines.loc["side", "word=2"]
    Path("d.safetensors").write_bytes(b"?")
    with pytest.raises(DataError, match=r"is there and holds no directions of linsep probe"):
        command(["x.npz"], **asked)
    with pytest.raises(DataError, match="this command reads or writes it too"):
        command(["x.npz"], **{**asked, "directions": Path("o.jsonl")})


@pytest.mark.parametrize("end", ['{"layer": "flat"}\n', "no json\n", '{"lay', "[]\n"])
def test_whole_lines_of_a_cut_file_are_kept(folder: Path, end: str) -> None:
    asked: dict[str, Any] = {"labels": "y.csv", "label": ["side"], "controls": 0, "output": Path("o")}
    command(["x.npz"], **asked)
    whole = Path("o").read_bytes()
    Path("o").write_bytes(whole + end.encode())
    command(["x.npz"], **asked)
    assert Path("o").read_bytes().splitlines() == whole.splitlines() + end.encode().splitlines()
    lines = whole.splitlines(keepends=True)
    Path("o").write_bytes(b"".join(lines[:-1]) + lines[-1][:40])
    command(["x.npz"], **asked)
    assert Path("o").read_bytes() == whole


def test_a_file_of_other_answers_is_not_gone_on_from(folder: Path) -> None:
    def ask(**other: Any) -> Any:
        return command(["x.npz"], **{"labels": "y.csv", "label": ["side"], "controls": 0, "output": Path("o"), **other})

    ask()
    before = Path("o").read_bytes()
    for other, said in (
        ({"controls": 1}, r"another question \(controls 0 then, 1 now\)"),
        ({"time_limit": 9.5, "explain": 2.0}, r"\(time_limit None then, 9.5 now; explain None then, 2.0 now\)"),
        ({"label": ["word"]}, r"another question \(other labels\)"),
    ):
        with pytest.raises(DataError, match=said):
            ask(**other)
    np.savez(folder / "x.npz", flat=HIDDEN)
    with pytest.raises(DataError, match=r"\(other layers; other activations\)"):
        ask()
    assert Path("o").read_bytes() == before
    for text in ("{}\n", "no json\n"):
        Path("o").write_text(text)
        with pytest.raises(DataError, match="is there and holds no rows of linsep probe"):
            ask()
        assert Path("o").read_text() == text
    Path("o").write_bytes(before.replace(b"linsep probe ", b"linsep probe 1", 1))
    with pytest.raises(DataError, match="o holds rows of another release of linsep: give another name with -o"):
        ask()
    with pytest.raises(DataError, match="this command reads or writes it too"):
        ask(output=Path("x.npz"))
    with pytest.raises(DataError, match="this command reads or writes it too"):
        ask(output=Path("y.csv"))


def test_files_are_known_by_their_bytes_alone(folder: Path) -> None:
    asked: dict[str, Any] = {"labels": "y.csv", "label": ["side"], "controls": 0, "output": Path("o")}
    np.save("x.npy", HIDDEN)
    command(["x.npy"], **asked)
    there = ("rows", "o: 1 of 1; 1 of them were there before")
    state = os.stat("x.npy")
    os.utime("x.npy", ns=(0, 0))
    assert there in command(["x.npy"], **asked).lines
    (folder / "elsewhere").mkdir()
    Path("elsewhere/x.npy").write_bytes(Path("x.npy").read_bytes())
    assert there in command(["elsewhere/x.npy"], **asked).lines
    with open("x.npy", "r+b") as file:  # one bit, in a file of the same size and date
        file.seek(state.st_size // 2)
        one = file.read(1)[0]
        file.seek(state.st_size // 2)
        file.write(bytes([one ^ 1]))
    os.utime("x.npy", ns=(state.st_atime_ns, state.st_mtime_ns))
    with pytest.raises(DataError, match=r"another question \(other activations\)"):
        command(["x.npy"], **asked)


def test_another_axis_is_another_question(folder: Path) -> None:
    np.save("cube.npy", np.ones((60, 60, 2)))
    asked: dict[str, Any] = {
        "labels": "y.csv",
        "label": ["side"],
        "controls": 0,
        "time_limit": 0.0,
        "output": Path("o"),
    }
    command(["cube.npy"], **asked, axis=0)
    with pytest.raises(DataError, match=r"another question \(axis 0 then, 1 now\)"):
        command(["cube.npy"], **asked, axis=1)


def test_the_report_has_the_rows_and_pictures(folder: Path) -> None:
    (folder / "z.npz").write_bytes((folder / "x.npz").read_bytes())
    done = linsep("probe", "z.npz", "--labels", "y.csv", "--label", "side", "--controls", 1, "--report", "r.html")
    assert done.stdout.splitlines()[-1] == "report     r.html"
    page = Path("r.html").read_text()
    found = probe("z.npz", "y.csv", labels="side", controls=1)
    assert page.count("<img") == report(found).html.count("<img") == 3
    assert "1 of 2 separable" in page
    assert all(f"{row.accuracy:.6g}" in page for row in found.rows)
    assert "linsep probe z.npz --labels y.csv" in page
    with pytest.raises(DataError, match="leave out X and y"):
        report(found, HIDDEN, SIDE)
    with pytest.raises(DataError, match="this command reads or writes it too"):
        command(["x.npz"], labels="y.csv", label=["side"], report=Path("y.csv"))


def test_every_column_of_the_table_is_explained(folder: Path) -> None:
    asked = ["probe", "x.npz", "--labels", "y.csv", "--label", "side", "--controls", 2]
    plain, grouped = (linsep(*asked, *more).stdout for more in ([], ["--groups", "word"]))
    heads = re.split(r"  +", grouped.splitlines()[0])
    help_ = " ".join(linsep("probe", "--help").stdout.split())
    assert len(heads) == 13
    assert [head for head in heads[3:] if head != "verdict" and f" {head}: " not in help_] == []
    note = "selectivity  accuracy less control, both in folds that share types or groups: near 0"
    assert (note in grouped, "selectivity" in plain) == (True, False)


def test_doubts_are_printed_and_kept(folder: Path) -> None:
    Path("y.csv").write_text(Path("y.csv").read_text().replace("down", "donw", 1))
    asked = ["probe", "x.npz", "--labels", "y.csv", "--label", "side", "--controls", 0, "--time-limit", 0, "-o", "o"]
    for _ in range(2):
        said = linsep(*asked, "--report", "r.html", status=3).stderr
        assert "warning: concept 'side': 'donw' (1 row) and 'down' (" in said
    assert "differ in one letter" in Path("r.html").read_text()
    [kept] = json.loads(linsep(*asked, "--json", status=3).stdout)["warnings"]
    assert kept.startswith("concept 'side': 'donw' (1 row) and 'down' (")


def test_exit_status(folder: Path) -> None:
    assert linsep("probe", "x.npz", "--labels", "y.csv", "--label", "word", "--time-limit", 0, status=3).stdout
    missing = linsep("probe", "x.npz", "--labels", "y.csv", status=2)
    assert "name the columns that hold the concepts (labels, --label); there are 'side', 'word'" in missing.stderr
    assert "Missing option '--labels'" in linsep("probe", "x.npz", status=2).stderr
