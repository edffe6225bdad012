"""`linsep.fit_stream`: labels of several kinds, pipes with a name, and options that make no sense."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep import fit_stream, save
from linsep.app.commands.with_model import score as score_command
from linsep.data.readers import lines as blocks
from linsep.streaming.result import StreamFit, StreamWarning
from linsep.types import DataError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files are read in blocks of a few hundred bytes."""
    monkeypatch.setattr(blocks, "TABLE_BYTES", 700)
    return tmp_path


def write(path: Path, labels: list[str]) -> Path:
    """Rows whose one number has the sign of the place of the label: 0 is negative."""
    rng = np.random.default_rng(0)
    first = labels[0]
    lines = [f"{(-1 if label == first else 1) * rng.uniform(1, 2):.3f},{label}" for label in labels]
    path.write_text("a,y\n" + "\n".join(lines) + "\n")
    return path


def fit(table: Any, **options: Any) -> StreamFit:
    """Learn from the table, and save the model beside it as m.linsep."""
    found = fit_stream(table, **{"target": "y", **options})
    save(found.model, Path(table).parent / "m.linsep")
    return found


def test_truth_values_are_called_true_and_false(folder: Path) -> None:
    table = folder / "t.jsonl"
    table.write_text("\n".join(json.dumps({"a": k % 7 - 3, "y": k % 7 > 3}) for k in range(100)))
    for options in ({"positive": "True"}, {"classes": ("False", "True")}, {}):
        fit(table, **options)
        counts = score_command(folder / "m.linsep", str(table)).data["counts"]
        assert sum(count for name, count in counts.items() if name.startswith("True predicted")) == 42


def test_labels_that_are_numbers_in_one_piece_and_text_in_another(folder: Path) -> None:
    table = write(folder / "t.csv", ["1", "2"] * 200 + ["1", "2", "x"] * 100)
    with pytest.raises(DataError, match=r"t\.csv:\d+: label x is not one of the classes 1, 2: name all"):
        fit(table)
    with pytest.raises(DataError, match=r"t\.csv:\d+: label x where the labels before were whole numbers: name all"):
        fit(table, open_classes=True)
    assert fit(table, classes=("1", "2", "x")).counters.rows == 700
    back = write(folder / "u.csv", ["1", "2", "x"] * 100 + ["1", "2"] * 200)
    for is_open in (False, True):
        assert fit(back, open_classes=is_open).model.classes_.tolist() == ["1", "2", "x"]


def test_labels_with_a_point_are_names_if_they_are_named(folder: Path) -> None:
    for labels in (["1", "2"] * 200 + ["1", "2.5"] * 50, ["1", "2.5"] * 50 + ["1", "2"] * 200):
        table = write(folder / "t.csv", labels)
        fit(table, classes=("1", "2", "2.5"))
        assert score_command(folder / "m.linsep", str(table)).data["rows"] == 500


def test_a_positive_label_that_never_came_is_said(folder: Path) -> None:
    table = write(folder / "t.csv", ["1", "2"] * 50)
    fit(table, positive="1")
    with pytest.warns(StreamWarning, match="label '3' never occurred"):
        fit(table, positive="3")


def test_categories_of_a_column_that_is_not_there(folder: Path) -> None:
    with pytest.raises(DataError, match="no feature column called 'city' to read as categories"):
        fit(write(folder / "t.csv", ["1", "2"] * 50), categorical=("city",))
    assert not (folder / "m.linsep").exists()


@pytest.mark.parametrize("stray", ['x"y,1', '0.5,"1', '"0.5,1', '5",1'])
def test_a_stray_quote_costs_one_row_and_every_skipped_line_counts(folder: Path, stray: str) -> None:
    table = write(folder / "t.csv", ["1", "2"] * 200)
    lines = table.read_text().splitlines()
    lines[100:100] = [stray]
    table.write_text("\n".join([*lines, "1", ""]))
    with pytest.warns(StreamWarning, match="skipped"):
        counters = fit(table, lenient=True).counters
    assert (counters.rows, counters.skipped) == (400, 2)
    lines[250:250] = [stray]
    table.write_text("\n".join([*lines, "1", ""]))
    with pytest.warns(StreamWarning, match="skipped"):
        counters = fit(table, lenient=True).counters
    assert counters.rows + counters.skipped >= 401


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_with_a_name_is_a_pipe(folder: Path) -> None:
    table = write(folder / "t.csv", ["1", "2"] * 50)
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="a pipe can be read once"):
        fit(pipe, passes=2, format="csv")
    with pytest.raises(DataError, match="a pipe cannot be read again after a crash"):
        fit(pipe, checkpoint=folder / "run.ck", format="csv")
    with subprocess.Popen(["cp", str(table), str(pipe)]):
        assert fit(pipe, format="csv").counters.rows == 100


def test_rows_that_are_no_lines_of_text_have_no_malformed_ones() -> None:
    with pytest.raises(DataError, match="skips malformed lines of text, and these rows are no lines of text"):
        fit_stream({"x": [1.0, 2.0], "y": ["a", "b"]}, target="y", lenient=True)
