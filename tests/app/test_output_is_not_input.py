"""No command writes over what it reads, whatever the two are called."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from linsep import Perceptron, SequenceTagger, TableModel, save
from linsep.app.cli import run
from linsep.types import DataError

pd = pytest.importorskip("pandas")

CASES = [
    ("fit t.csv --target y --model OUT", "t.csv"),
    ("fit t.csv --target y --report OUT", "t.csv"),
    ("fit t.csv --target y --model m2 --report m2", "t.csv"),
    ("fit t.csv --target y --stream --model OUT", "t.csv"),
    ("fit t*.csv --target y --stream --model OUT", "t.csv"),
    ("fit t.csv --target y --stream --checkpoint OUT", "t.csv"),
    ("fit t.csv --target y --stream --report OUT", "t.csv"),
    ("fit t.csv --target y --stream --model m2 --report m2", "t.csv"),
    ("predict m t.csv -o OUT", "t.csv"),
    ("predict m t.csv -o OUT", "m"),
    ("check t.csv --target y --certificate OUT", "t.csv"),
    ("check t.csv --target y --report OUT", "t.csv"),
    ("check t.csv --target y --set suspects=OUT", "t.csv"),
    ("explore t.csv --target y --save OUT", "t.csv"),
    ("check t.csv --target y --certificate c --report c", "t.csv"),
    ("export m --to json -o OUT", "m"),
    ("export m --to sql -o OUT", "m"),
    ("export m --to onnx -o OUT", "m"),
    ("tag fit words.tsv --model OUT", "words.tsv"),
    ("tag predict tagger words.tsv -o OUT", "words.tsv"),
    ("tag predict tagger words.tsv -o OUT", "tagger"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0], "y": ["no", "no", "yes", "yes"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    save(TableModel(Perceptron()).fit(frame[["a", "b"]], frame["y"]), tmp_path / "m")
    (tmp_path / "words.tsv").write_text("the\tD\ndog\tN\n\na\tD\ncat\tN\n\n")
    save(SequenceTagger(max_iter=1).fit([["the", "dog"], ["a"]], [["D", "N"], ["D"]]), tmp_path / "tagger")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("name", ["same", "symbolic link", "hard link", "absolute"])
@pytest.mark.parametrize(("command", "read"), CASES, ids=lambda text: str(text).replace("/", ""))
def test_a_command_refuses_to_replace_what_it_reads(folder: Path, command: str, read: str, name: str) -> None:
    if "onnx" in command:
        pytest.importorskip("onnx")
    out = Path(read)
    if name == "symbolic link":
        out = Path("other")
        out.symlink_to(read)
    elif name == "hard link":
        out = Path("other")
        out.hardlink_to(read)
    elif name == "absolute":
        out = folder / read
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(DataError, match="would be replaced by"):
        run(command.replace("OUT", str(out)).split())
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.skipif(os.name != "posix", reason="standard input by its number")
@pytest.mark.parametrize(
    "command",
    [
        "fit - --target y --model t.csv",
        "fit - --target y --stream --model t.csv",
        "predict m - --read format=csv -o t.csv",
        "check - --target y --certificate t.csv",
        "check - --target y --report t.csv",
        "tag fit - --model t.csv",
        "tag predict tagger - -o t.csv",
    ],
)
def test_a_command_refuses_to_replace_its_standard_input(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "t.csv").read_bytes()
    kept = os.dup(0)
    try:
        with open("t.csv") as table, pytest.raises(DataError, match=r"t\.csv would be replaced by"):
            os.dup2(table.fileno(), 0)
            monkeypatch.setattr(sys, "stdin", table)
            run(command.split())
    finally:
        os.dup2(kept, 0)
        os.close(kept)
    assert (folder / "t.csv").read_bytes() == before


@pytest.mark.parametrize("command", sorted({command for command, _ in CASES if "OUT" in command}))
def test_a_command_refuses_a_folder(folder: Path, command: str) -> None:
    if "onnx" in command:
        pytest.importorskip("onnx")
    (folder / "folder").mkdir()
    before = sorted(os.listdir(folder))
    with pytest.raises(DataError, match="is a folder; give a file name"):
        run(command.replace("OUT", "folder").split())
    assert sorted(os.listdir(folder)) == before
    assert os.listdir(folder / "folder") == []
