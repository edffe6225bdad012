"""Cells of new rows that the model cannot read: refused with their number, or counted as missing."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from in_process import linsep
from linsep import TableModel, load, open_data, save
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.missing import Missing
from linsep.reporting.scores import iter_predictions, score_table, unknown_levels
from linsep.types import DataError

HEAD = b"day;size;city;y\n"
ROWS = HEAD + b"".join(
    f"{1 + k % 28:02d}.01.2024;{k + 0.5!s};{'ab'[k % 2]};{'no' if k < 20 else 'yes'}\n".replace(".5", ",5").encode()
    for k in range(40)
)
NEW = HEAD + b"31.02.2024;1,5;a;no\n02.01.2024;k.A.;b;no\n03.01.2024;inf;a;yes\n04.01.2024;1e400;a;yes\n;;;no\n"
MENDED = HEAD + b";1,5;a;no\n02.01.2024;;b;no\n03.01.2024;;a;yes\n04.01.2024;;a;yes\n;;;no\n"


def _model(missing: Missing | None = None) -> TableModel:
    kinds = {"day": "%d.%m.%Y"}
    return TableModel(encoder=TableEncoder(columns=kinds, missing=missing)).fit(open_data(ROWS, target="y"))


def _stream() -> TableModel:
    model = TableModel()
    frame = open_data(ROWS, target="y")
    return model.partial_fit(frame, classes=["no", "yes"])


@pytest.mark.parametrize("make", [_model, _stream])
def test_bad_cells_count_as_missing_where_that_is_asked_for(make: object) -> None:
    model = make()  # type: ignore[operator]
    ((labels, values, *_),) = iter_predictions(model, NEW, lenient=True, decimal=",")
    counts = model.encoder_.bad_cells_.counts
    ((same, like, *_),) = iter_predictions(model, MENDED, decimal=",")
    assert labels.tolist() == same.tolist()
    assert np.array_equal(values, like)
    assert counts["size"] == 3
    assert model.encoder_.bad_cells_.total == 0


def test_the_first_bad_cell_is_refused_and_the_others_are_counted() -> None:
    model = _model()
    with pytest.raises(DataError) as error:
        next(iter_predictions(model, NEW, decimal=","))
    assert str(error.value) == (
        "buffer:2, column 'day': '31.02.2024' is not a date like %d.%m.%Y (and 3 more cells cannot be read; in all: "
        "'day' 1, 'size' 3); mend them, or count such cells as missing with --read lenient (lenient=True)"
    )


@pytest.mark.parametrize("make", [_model, _stream])
@pytest.mark.parametrize("lenient", [False, True])
def test_missing_columns_are_said_before_cells_that_cannot_be_read(make: object, lenient: bool) -> None:
    model = make()  # type: ignore[operator]
    new = b"day;size\n31.02.2024;k.A.\n02.01.2024;1,5\n"
    with pytest.raises(DataError, match=r"^buffer: columns missing: 'city'$"):
        list(iter_predictions(model, new, lenient=lenient, decimal=","))


def test_a_model_of_complete_rows_is_not_told_to_be_lenient() -> None:
    with pytest.raises(DataError, match=r"trained on complete rows alone \(--missing error\)$"):
        next(iter_predictions(_model("error"), NEW, decimal=","))


def test_later_pieces_are_counted_too() -> None:
    model = TableModel().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["n", "y"])
    rows = b"a\nx\n" + b"1\n" * 2_000_000 + b"x\n"
    with pytest.raises(DataError, match=r"buffer:2, column 'a': 'x' where .* \(and 1 more cell cannot be read"):
        next(iter_predictions(model, rows))


@pytest.mark.parametrize("format", ["jsonl", "frame"])
def test_infinite_numbers_of_other_formats(format: str) -> None:
    model = TableModel().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["n", "y"])
    given = b'{"a": 1.5}\n{"a": Infinity}\n' if format == "jsonl" else pd.DataFrame({"a": [1.5, math.inf]})
    asked = {"format": format} if format == "jsonl" else {}
    parts = list(iter_predictions(model, given, lenient=True, **asked))  # type: ignore[arg-type]
    assert sum(len(part.labels) for part in parts) == 2
    assert model.encoder_ is not None
    assert "inf is not a finite number" in model.encoder_.bad_cells_.told()
    with pytest.raises(DataError, match="inf is not a finite number; mend"):
        list(iter_predictions(model, given, **asked))  # type: ignore[arg-type]


def test_values_of_several_types_in_json_lines() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 1.5], "b": ["u", "v", "3"]})
    model = TableModel().fit(frame, ["n", "y", "n"])
    a, b = [1.5, "x", 2, [1], None, True, 1.25], ["u", 3, "v", "u", "u", "v", "u"]
    given = b"\n".join(json.dumps({"a": x, "b": z}).encode() for x, z in zip(a, b, strict=True))
    parts = list(iter_predictions(model, given, lenient=True, format="jsonl"))
    assert model.encoder_ is not None
    assert model.encoder_.bad_cells_.told() == (
        "3 cells cannot be read and count as missing: "
        "buffer:2, column 'a': 'x' where the model was trained on numbers; "
        "buffer:4, column 'a': '[1]' where the model was trained on numbers; "
        "buffer:6, column 'a': 'true' where the model was trained on numbers"
    )
    mended = pd.DataFrame({"a": [1.5, None, 2, None, None, None, 1.25], "b": [str(z) for z in b]})
    np.testing.assert_array_equal(parts[0].decision_values, next(iter_predictions(model, mended)).decision_values)
    with pytest.raises(
        DataError, match=r"buffer:2, column 'a': 'x' where .* 2 more .*--read lenient \(lenient=True\)$"
    ):
        list(iter_predictions(model, given, format="jsonl"))


def test_true_and_false_beside_numbers_are_none() -> None:
    model = TableModel().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["n", "y"])
    list(iter_predictions(model, b"a,b\n1,u\ntrue,u\n,u\n", lenient=True))
    assert model.encoder_ is not None
    assert model.encoder_.bad_cells_.counts == {"a": 1}
    list(iter_predictions(model, b"a,b\nfalse,u\ntrue,u\n,u\n", lenient=True))
    assert model.encoder_.bad_cells_.counts == {}


def test_amounts_of_another_unit() -> None:
    model = TableModel().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["n", "y"])
    list(iter_predictions(model, "a\n$1\n$2\n€3\n$4\n5\n".encode(), lenient=True))
    assert model.encoder_ is not None
    assert model.encoder_.bad_cells_.told() == (
        "1 cell cannot be read and counts as missing: buffer:4, column 'a': '€3' is of another unit than most cells"
    )


PERCENT = "a,b,y\n" + "".join(f"{k}%,${k},{'ny'[k > 20]}\n" for k in range(40))


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("make", ["fit", "stream"])
def test_cells_with_another_sign_than_in_training_are_told(make: str, saved: bool, tmp_path: Path) -> None:
    source = open_data(PERCENT.encode(), target="y")
    model = TableModel().fit(source) if make == "fit" else TableModel().partial_fit(source, classes=["n", "y"])
    if saved:
        save(model, tmp_path / "m")
        model = load(tmp_path / "m")
    list(iter_predictions(model, b"a,b\n,5\n0.17,7\n0.3,\n"))
    said = "column 'a': its cells had a % in training and have none here: 0.17 (buffer:3) is read as 0.17 %"
    assert unknown_levels(model)[:1] == [said]
    list(iter_predictions(model, "a,b\n17%,€1.5\n".encode()))
    said = "column 'b': its cells had a $ in training and have a € here: 1.5 € (buffer:2) is read as 1.5 $"
    assert unknown_levels(model) == [said]
    list(iter_predictions(model, b"a,b\n17%,1.5\nNA,$3\n"))
    assert not [one for one in unknown_levels(model) if "sign" in one or "cells" in one]
    plain = TableModel().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["n", "y"])
    list(iter_predictions(plain, b"a\n17%\n"))
    assert unknown_levels(plain) == [
        "column 'a': its cells had none in training and have a % here: 17 % (buffer:2) is read as 17"
    ]
    if saved:
        values, arrays = model.encoder_.state()  # type: ignore[union-attr]
        assert values["signs"] == {"a": "%", "b": "$"}
        with pytest.raises(DataError, match="a sign that is neither % nor that of a currency"):
            TableEncoder.from_state(values | {"signs": {"a": "kg"}}, arrays)


def test_another_decimal_mark_is_told_without_advice_that_there_is_not() -> None:
    model = TableModel().fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), ["n", "y"])
    with pytest.raises(DataError, match=r"say --read decimal=',' \(decimal=','\)$"):
        list(iter_predictions(model, b"a;b\n" + b"1,5;u\n" * 6, lenient=True, decimal=".", sep=";"))


def test_scores_are_lenient_too() -> None:
    model = _model()
    assert score_table(model, NEW, lenient=True, decimal=",").rows == 5
    with pytest.raises(DataError, match="--read lenient"):
        score_table(model, NEW, decimal=",")


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(ROWS)
    (tmp_path / "new.csv").write_bytes(NEW)
    linsep("fit", "t.csv", "--target", "y", "--column", "day=%d.%m.%Y")
    found = linsep("predict", "model.linsep", "new.csv", "--read", "lenient", "--read", "decimal=,")
    assert len(found.stdout.splitlines()) == 6
    assert "4 cells cannot be read and count as missing: new.csv:2, column 'day': '31.02.2024' is" in found.stderr
    scored = linsep("score", "model.linsep", "new.csv", "--read", "lenient", "--read", "decimal=,", "--json")
    assert json.loads(scored.stdout)["rows"] == 5
