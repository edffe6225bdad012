"""`linsep probe` as a user meets it: rows on the screen and in files, which are whole after each row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from in_process import linsep
from linsep import DataError, probe
from linsep.app.commands.probe import probe as command
from linsep.probing.measured import measured

HIDDEN = np.random.default_rng(3).normal(size=(60, 3))
SIDE = HIDDEN[:, 0] > 0
ASKED: list[Any] = ["probe", "x.npz", "--labels", "y.csv", "--label", "side"]


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
    asked = [*ASKED, "--set", "types=word", "--set", "controls=3"]
    done, shown = linsep(*asked, "--json"), linsep(*asked, "-o", "o.jsonl").stdout
    found = probe("x.npz", "y.csv", labels="side", types="word", controls=3)
    assert json.loads(done.stdout)["rows"] == found.to_dict()
    lines = [line.rstrip() for line in found.summary().splitlines()]
    assert [line.rstrip() for line in shown.splitlines()] == [*lines, "rows         o.jsonl: 2"]
    assert [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()] == [r.to_dict() for r in found.rows]


def test_pairs_are_asked_and_what_is_explained_is_proved(folder: Path) -> None:
    Path("y.csv").write_text("side\n" + "".join(f"{k}\n" for k in np.digitize(HIDDEN[:, 0], [-0.5, 0.5])))
    more = "--set controls=0 --set pairs --explain --set explain_limit=0.2 --certificates proofs"
    asked = [*ASKED, *more.split()]
    done = linsep(*asked, "--json")
    found = json.loads(done.stdout)["rows"]
    assert [row["concept"] for row in found[6:]] == [
        *("side=0", "side=1", "side=2", "side=0 against 1", "side=0 against 2", "side=1 against 2")
    ]
    proved = [row["certificate"] for row in found] + [row["explain_certificate"] for row in found]
    assert sorted(path.name for path in Path("proofs").iterdir()) == sorted(proved)
    assert all(row["few_columns"] or row["fewest_low"] for row in found)


def test_ctrl_c_keeps_the_rows_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"labels": "y.csv", "label": ["side", "word"], "controls": 0}
    asked |= {"directions": Path("d.safetensors")}
    monkeypatch.setattr("linsep.probing.probe.measured", interrupted_after(3, measured))
    found = command(["x.npz"], **asked, output=Path("o.jsonl"))
    assert found.interrupted
    assert found.warnings == ["interrupted: these are 3 of 14 rows"]
    rows = [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()]
    assert [(row["layer"], row["concept"]) for row in rows] == [
        *(("flat", "side"), ("flat", "word=0"), ("flat", "word=1"))
    ]
    assert len(load_file("d.safetensors")) == 2 * 3
    with pytest.raises(KeyboardInterrupt, match="before there was a row: nothing was written"):
        command(["x.npz"], **asked, output=Path("p.jsonl"))
    assert not Path("p.jsonl").exists()


def test_directions_are_written_with_their_kinds(folder: Path) -> None:
    path = Path("d.safetensors")
    done = command(["x.npz"], labels="y.csv", label=["side", "word"], controls=0, directions=path)
    assert dict(done.lines)["directions"] == "d.safetensors: 14"
    found = probe("x.npz", "y.csv", labels=["side", "word"], controls=0)
    with safe_open("d.safetensors", "np") as file:
        assert file.metadata() == {"/".join(key): one.kind for key, one in found.directions.items()}
        assert file.get_tensor("deep/side").tolist() == found.directions["deep", "side"].w.tolist()
        assert file.get_tensor("deep/side/intercept").tolist() == [found.directions["deep", "side"].b]


def test_no_input_is_replaced(folder: Path) -> None:
    others: list[dict[str, Any]] = [{"output": Path("x.npz")}, {"directions": Path("y.csv")}]
    for other in others:
        with pytest.raises(DataError, match="this command reads or writes it too"):
            command(["x.npz"], labels="y.csv", label=["side"], **other)
    with pytest.raises(DataError, match="this command reads or writes it too"):
        command(["x.npz"], labels="y.csv", output=Path("o"), directions=Path("o"))


def test_every_column_of_the_table_is_explained(folder: Path) -> None:
    plain, grouped = (linsep(*ASKED, "--set", "controls=2", *more).stdout for more in ([], ["--groups", "word"]))
    heads = re.split(r"  +", grouped.splitlines()[0])
    help_ = " ".join(linsep("probe", "--help").stdout.split())
    assert len(heads) == 13
    assert [head for head in heads[3:] if head != "verdict" and f" {head}: " not in help_] == []
    note = "selectivity  accuracy minus control, in folds that share types or groups: near 0"
    assert (note in grouped, "selectivity" in plain) == (True, False)


def test_doubts_are_printed_and_kept(folder: Path) -> None:
    Path("y.csv").write_text(Path("y.csv").read_text().replace("down", "nan", 1))
    asked = [*ASKED, "--set", "controls=0", "--time-limit", 0]
    said = "concept 'side': 'nan' (1 row): this may mean a missing label"
    assert f"warning: {said}" in linsep(*asked, status=3).stderr
    assert json.loads(linsep(*asked, "--json", status=3).stdout)["warnings"][0].startswith(said)


def test_exit_status(folder: Path) -> None:
    missing = linsep("probe", "x.npz", "--labels", "y.csv", status=2)
    assert "name the columns that hold the concepts (labels, --label); there are 'side', 'word'" in missing.stderr
    assert "missing: --labels" in linsep("probe", "x.npz", status=2).stderr
