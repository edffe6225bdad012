"""Numbers with a unit, as "12,5 mg": they are numbers where all cells have one unit; otherwise it is said."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_excel import workbook

from linsep import DataError, TableModel, fit_stream, fit_table, iter_predictions, load, open_data, save
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import find_kinds
from linsep.data.numbers import read_amounts
from linsep.export.formula import to_json
from linsep.reporting.scores import unknown_levels

SIZES = np.arange(3, 43) * 0.25
LABELS = ["no"] * 20 + ["yes"] * 20


def frame(cells: list[str]) -> pd.DataFrame:
    """Cells beside a number, which is no name of the rows, and labels."""
    n = len(cells)
    return pd.DataFrame({"dose": cells, "b": np.arange(n) % 3 * 0.5, "y": (LABELS * n)[:n]})


def kinds_of(cells: list[str], **given: str) -> Any:
    return find_kinds(open_data(frame(cells), target="y").read(), given)


def written(size: float, mark: str = ".", unit: str = " mg") -> str:
    return f"{size:,.2f}".translate(str.maketrans(",.", f"{'.' if mark == ',' else ','}{mark}")) + unit


# ------------------------------------------------------------------------ found
@settings(max_examples=20)
@given(
    st.lists(st.integers(-(10**7), 10**7), min_size=20, max_size=30, unique=True),
    st.sampled_from(".,"),
    st.sampled_from([" mg", "km/h", " \u00b0C", " m\u00b2", "\u00a0kg", " h ", " St\u00fcck"]),
)
def test_amounts_of_one_unit_are_the_numbers_that_were_written(cents: list[int], mark: str, unit: str) -> None:
    table = frame([written(one / 100, mark, unit) for one in cents])
    encoder = TableEncoder().fit(open_data(table, target="y"))
    assert encoder.kinds_ == {"dose": f"0{mark}0 {unit.strip()}"}
    plain = TableEncoder(columns={"dose": "number"}).fit(
        open_data(table.assign(dose=np.array(cents) / 100), target="y")
    )
    np.testing.assert_array_equal(encoder.transform(table), plain.transform(table.assign(dose=np.array(cents) / 100)))


@pytest.mark.parametrize(
    "cells",
    [
        [written(size) for size in SIZES[:19]],  # too few rows
        [written(size) for size in SIZES[:4]] * 8,  # names of four doses
        [f"{k % 7} {'AB'[k % 2]}" for k in range(40)],  # codes
        [f"{k} {'abcdefgh'[k % 8]}" for k in range(40)],
        [f"{k % 9}{'ab'[k % 2] if k % 3 == 0 else ''}" for k in range(40)],  # numbers of houses
        [f"{k % 9}" for k in range(40)],
        [f"{k % 9} mg a day" for k in range(40)],
    ],
)
def test_what_may_be_something_else_is_left_alone(cells: list[str]) -> None:
    found = kinds_of(cells)
    assert found.kinds.get("dose") in (None, "skip")
    assert found.doubts == []


@pytest.mark.parametrize("strange", ["7 g", "7", "a lot"])
def test_cells_of_another_unit_are_never_mixed_in(strange: str) -> None:
    cells = [written(size % 5 + 0.75) for size in range(40)]
    cells[9] = strange
    assert kinds_of(cells).kinds == {}
    if strange == "7 g":
        expected = r"dataframe, row 9 .counted from 0., column 'dose': '7 g' is not a number in 'mg', as the other"
        with pytest.raises(DataError, match=expected):
            fit_table(open_data(frame(cells), target="y"), columns={"dose": "0.0 mg"})


@pytest.mark.parametrize("code", ["CHF", "USD", "Fr.", "kr"])
@pytest.mark.parametrize("mark", [".", ","])
def test_a_currency_in_front_of_the_number_is_its_unit(code: str, mark: str) -> None:
    behind = [written(size * 1000, mark, "") for size in SIZES]
    cells = [f"{code} {cell}" for cell in behind[:20]] + [f"-{code}{cell}" for cell in behind[20:]]
    kind = kinds_of(cells).kinds["dose"]
    assert kind == f"0{mark}0 {code.rstrip('.')}"
    column, bad = read_amounts(pa.array([*cells, f"{behind[0]} {code.rstrip('.')}", "XYZ 12"]), kind)
    signs = np.repeat([1, -1], 20)
    assert column.values is not None
    assert column.values.tolist() == [*(1000 * SIZES * signs).tolist(), 1000 * SIZES[0], 0.0]
    assert np.flatnonzero(bad).tolist() == [len(cells) + 1]


def test_letters_in_front_that_are_no_currency_are_names() -> None:
    assert kinds_of([f"SN {size}" for size in SIZES[:30]]).kinds == {"dose": "skip"}


def test_a_mark_that_one_cell_tells_holds_for_all() -> None:
    assert kinds_of(["1,204 mg", *(f"{k},5 mg" for k in range(30))]).kinds == {"dose": "0,0 mg"}
    assert kinds_of([f"{k},204 mg" for k in range(1, 31)]).kinds == {"dose": "0.0 mg"}  # thousands, as in $1,204


def test_who_asks_for_categories_gets_them() -> None:
    cells = [written(size) for size in SIZES] * 2
    for source in (frame(cells), frame(cells).to_csv(index=False).encode()):
        encoder = TableEncoder().fit(open_data(source, target="y", categorical=["dose"]))
        assert encoder.text_columns == ["dose"]
    with pytest.raises(DataError, match=r"or as a number with a unit written like '0\.0 mg', not as '0\.0 5'"):
        TableEncoder(columns={"dose": "0.0 5"}).fit(open_data(frame(cells), target="y"))


# ------------------------------------------------------------------- containers
def test_all_containers_give_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    table = frame([*(written(size, ",") for size in SIZES[2:]), "", ""])
    parquet = io.BytesIO()
    table.to_parquet(parquet)
    book = workbook(a=[list(table.columns), *(list(row) for row in table.itertuples(index=False))])
    sources: dict[str, Any] = {
        "csv": table.to_csv(index=False).encode(),
        "jsonl": table.to_json(orient="records", lines=True, force_ascii=False).encode(),
        "parquet": parquet.getvalue(),
        "excel": book,
    }
    plain = fit_table(open_data(table.assign(dose=[*SIZES[2:], np.nan, np.nan]), target="y"))
    for form, content in sources.items():
        found = fit_table(open_data(content, target="y", format=form))
        np.testing.assert_array_equal(found.rows, plain.rows)
        assert dict(found.receipt.lines)["columns"] == "2, all numbers ('dose' in mg)"
        assert found.receipt.data["missing"] == {"dose": 2}


# ---------------------------------------------------------------------- new rows
def test_a_model_keeps_the_unit(tmp_path: Path) -> None:
    table = frame([written(size) for size in SIZES])
    model = TableModel().fit(table.drop(columns="y"), table["y"])
    save(model, tmp_path / "m.linsep")
    model = load(tmp_path / "m.linsep")
    assert model.encoder_.kinds_ == {"dose": "0.0 mg"}
    new = b"dose,b\n2.5 mg,0\n3 g,0\n1.5,0\n,0\nNA,1\n"
    with pytest.raises(DataError, match=r"buffer:3, column 'dose': '3 g' is not a number in 'mg'"):
        next(iter_predictions(model, new))
    with pytest.raises(DataError, match=r"column 'dose': '1\.5' is not a number in 'mg'"):
        model.predict(pd.DataFrame({"dose": [1.5, 2.5], "b": [0.0, 0.0]}))
    with pytest.raises(DataError, match="'dose' hold dates, running text or numbers with a unit"):
        to_json(model)


def test_a_stream_reads_them_as_numbers_where_that_is_said(tmp_path: Path) -> None:
    table = frame([written(size) for size in SIZES])
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    asked = fit_stream(path, target="y", bits=8, columns={"dose": "0.0 mg"})
    table.assign(dose=SIZES).to_csv(path, index=False)
    plain = fit_stream(path, target="y", bits=8)
    np.testing.assert_array_equal(asked.model.learner_.coef_, plain.model.learner_.coef_)
    table.assign(dose=[*table.dose[:-1], "3 g"]).to_csv(path, index=False)
    with pytest.raises(DataError, match=r"t\.csv:41, column 'dose': '3 g' is not a number in 'mg'"):
        fit_stream(path, target="y", bits=8, columns={"dose": "0.0 mg"})


@pytest.mark.parametrize("unit", [" kWh", ""])
@pytest.mark.parametrize(("sep", "marks"), [(";", ",."), (",", ".,")])
def test_new_rows_in_another_style_are_read_as_asked(sep: str, marks: str, unit: str) -> None:
    numbers = 491 + 97 * np.arange(40)
    labels = np.where(numbers > 2500, "yes", "no").tolist()

    def table(values: Any, sep: str, grouping: str, labels: Any) -> bytes:
        cells = [f"{one:,}".replace(",", grouping) + unit for one in values]
        lines = [f'"{cell}"{sep}{k % 3}{sep}{label}' for k, (cell, label) in enumerate(zip(cells, labels, strict=True))]
        return "\n".join([sep.join(["use", "n", "y"]), *lines, ""]).encode()

    decimal, grouping = marks[0], marks[1]
    asked: dict[str, Any] = {"decimal": decimal}
    model = fit_table(open_data(table(numbers, sep, grouping, labels), target="y", **asked)).model
    new, there = [2900, 1200, 4100], ["", "", ""]
    [plain] = iter_predictions(model, table(new, sep, grouping, there), **asked)
    assert not unknown_levels(model)
    other = table(new, ",;"[sep == ","], decimal, there)
    [again] = iter_predictions(model, other, decimal=grouping)
    np.testing.assert_array_equal(again.decision_values, plain.decision_values)
