"""Cells of new rows that the model cannot read are refused, with their place."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from in_process import linsep
from linsep import TableModel, open_data, save
from linsep.data.features.encoder import TableEncoder
from linsep.reporting.scores import iter_predictions, score_table
from linsep.types import DataError

HEAD = b"day;size;city;y\n"
ROWS = HEAD + b"".join(
    f"{1 + k % 28:02d}.01.2024;{k + 0.5!s};{'ab'[k % 2]};{'no' if k < 20 else 'yes'}\n".replace(".5", ",5").encode()
    for k in range(40)
)
BAD = {
    b"31.02.2024;1,5;a;no\n": "column 'day': '31.02.2024' is not a date like %d.%m.%Y",
    b"02.01.2024;k.A.;a;no\n": "column 'size': 'k.A.' is not a number, and the column holds numbers",
    b"02.01.2024;inf;a;no\n": "column 'size': 'inf'",
    b"02.01.2024;1e400;a;no\n": "column 'size': '1e400' is not a finite number",
}


def _model() -> TableModel:
    return TableModel(encoder=TableEncoder(columns={"day": "%d.%m.%Y"})).fit(open_data(ROWS, target="y"))


def _stream() -> TableModel:
    return TableModel().partial_fit(open_data(ROWS, target="y"), classes=["no", "yes"])


@pytest.mark.parametrize("row", BAD)
def test_a_cell_that_cannot_be_read_is_refused(row: bytes) -> None:
    with pytest.raises(DataError, match="buffer:2") as error:
        next(iter_predictions(_model(), HEAD + row, decimal=","))
    assert BAD[row] in str(error.value)
    with pytest.raises(DataError, match="buffer:2"):
        score_table(_model(), HEAD + row, decimal=",")


@pytest.mark.parametrize("make", [_model, _stream])
def test_missing_columns_are_said_before_cells_that_cannot_be_read(make: object) -> None:
    model = make()  # type: ignore[operator]
    with pytest.raises(DataError, match="columns missing: 'city'"):
        list(iter_predictions(model, b"day;size\n31.02.2024;k.A.\n", decimal=","))


def test_true_and_false_beside_numbers_are_none() -> None:
    model = TableModel().fit(pd.DataFrame({"a": [0.0, 1.0], "b": ["u", "v"]}), ["x", "y"])
    with pytest.raises(DataError, match="buffer"):
        list(iter_predictions(model, b"a,b\n1,u\ntrue,u\n,u\n"))
    assert len(next(iter_predictions(model, b"a,b\nfalse,u\ntrue,u\n,u\n")).labels) == 3


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(_model(), "model.linsep")
    Path("new.csv").write_bytes(HEAD + b"02.01.2024;k.A.;a;no\n")
    said = linsep("predict", "model.linsep", "new.csv", "--read", "decimal=,", status=2).stderr
    assert "new.csv:2, column 'size'" in said
