"""Rows without a label: refused with their number and the way out; left out, as if they were not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import linsep
from in_process import linsep as run
from in_process import run_linsep
from linsep import DataError, Perceptron, fit_stream, fit_table, iter_predictions, open_data, score_table
from linsep.data.readers import lines as blocks
from linsep.data.sources import of_batches
from linsep.reporting.table_check import check_table

HOLES = [0, 7, 8, 39]


def table(n: int = 60) -> pd.DataFrame:
    """A number, a category and labels, of which four are missing; the first row has none."""
    rng = np.random.default_rng(0)
    size, city = rng.normal(50, 9, n).round(1), rng.choice(["Oslo", "Rome"], n)
    sold = np.where(size > 50, "yes", "no").astype(object)
    sold[HOLES] = None
    return pd.DataFrame({"size": size, "city": city, "sold": sold})


def given(frame: pd.DataFrame, form: str, folder: Path) -> Any:
    """The rows as a dataframe or as a file."""
    if form == "frame":
        return frame
    path = folder / f"rows{len(frame)}.{form}"
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("form", ["csv", "frame", "jsonl", "parquet"])
def test_rows_left_out_are_as_if_they_were_not_there(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "TABLE_BYTES", 200)  # some blocks of 10 rows, the second with two holes
    monkeypatch.setattr(of_batches, "BATCH_ROWS", 8)
    whole, rest = (given(rows, form, tmp_path) for rows in (table(), table().dropna()))
    with pytest.raises(
        DataError, match=r"column 'sold': the label is missing \(and in 3 more rows\); --read drop_unlabelled"
    ):
        open_data(whole, target="sold").read()
    source = open_data(whole, target="sold", drop_unlabelled=True)
    one, two = fit_table(source), fit_table(open_data(rest, target="sold"))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.model.learner_.coef_, two.model.learner_.coef_)
    assert ("unlabelled", "4 rows without a label are left out; --read drop_unlabelled") in one.receipt.lines
    assert one.receipt.data["unlabelled"] == source.unlabelled == 4
    unlabelled = source.read().unlabelled
    assert unlabelled is not None
    assert unlabelled.tolist() == HOLES
    verdicts = [
        check_table(open_data(whole, target="sold", drop_unlabelled=True)),
        check_table(open_data(rest, target="sold")),
    ]
    assert (
        verdicts[0]
        .lines[1][1]
        .startswith("4 rows without a label are left out; --read drop_unlabelled (row numbers count")
    )
    assert verdicts[0].data == verdicts[1].data | {"rows_left_out": HOLES, "file_rows": {}}
    flow, dry = fit_stream(whole, target="sold", drop_unlabelled=True), fit_stream(rest, target="sold")
    np.testing.assert_array_equal(flow.model.learner_.coef_, dry.model.learner_.coef_)
    assert (flow.counters.unlabelled, flow.counters.rows, flow.mistakes) == (4, 56, dry.mistakes)
    twice = fit_stream(whole, target="sold", drop_unlabelled=True, passes=2)
    assert (twice.counters.unlabelled, twice.counters.seen[0]) == (4, 56)
    scores, alone = score_table(one.model, whole, drop_unlabelled=True), score_table(one.model, rest)
    assert (scores.unlabelled, scores.counts) == (4, alone.counts)
    with pytest.raises(DataError, match="the label is missing"):
        score_table(one.model, whole)


@pytest.mark.parametrize("rows", [8, 13])
def test_a_run_that_goes_on_from_a_checkpoint_counts_them_once(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "TABLE_BYTES", 200)
    path = given(table(), "csv", tmp_path)
    asked: dict[str, Any] = {"target": "sold", "drop_unlabelled": True}

    def stop(state: Any) -> None:
        if state.counters.rows >= rows:
            raise KeyboardInterrupt

    first = fit_stream(path, **asked, checkpoint=tmp_path / "c", checkpoint_rows=1, callback=stop)
    assert first.interrupted
    rest = fit_stream(path, **asked, checkpoint=tmp_path / "c", checkpoint_rows=1)
    assert (rest.counters.unlabelled, rest.counters.rows) == (4, 56)
    np.testing.assert_array_equal(rest.model.learner_.coef_, fit_stream(path, **asked).model.learner_.coef_)


@pytest.mark.parametrize(
    ("labels", "left"),
    [("1,NA,0,,1", ["1", "0", "1"]), ("p,NA,q,,p", ["NA", "p", "p", "q"]), ("1.5,nan,0,?,2", ["0.0", "1.5", "2.0"])],
)
def test_words_for_nothing_are_labels_only_beside_other_words(labels: str, left: list[str]) -> None:
    text = "a,y\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels.split(",")))
    chunk = open_data(text.encode(), target="y", drop_unlabelled=True).read()
    assert chunk.y is not None
    assert sorted(map(str, chunk.y.tolist())) == sorted(left)
    assert chunk.where(chunk.n_rows - 1) == "buffer:6"
    with pytest.raises(DataError, match=r"buffer:\d, column 'y': the label is missing"):
        open_data(text.encode(), target="y").read()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: open_data((np.eye(2), [0, 1]), drop_unlabelled=True), "is for tables: name the label column"),
        (lambda: open_data(b"a,y\n1,\n2,\n", target="y", drop_unlabelled=True).read(), "buffer: no row has a label in"),
        (lambda: fit_stream(b"a,y\n1,\n2,\n", target="y", drop_unlabelled=True), "buffer: there are no rows"),
    ],
)
def test_what_cannot_be_left_out(call: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("t.csv", index=False)
    for words in (["fit", "t.csv"], ["fit", "t.csv", "--stream"], ["check", "t.csv"], ["separation", "t.csv"]):
        run(*words, "--target", "sold", status=2)
        done = run_linsep([*words, "--target", "sold", "--read", "drop_unlabelled"], tmp_path)
        assert done.returncode in (0, 1) and "4 rows without a label are left out" in done.stdout
    run("score", "model.linsep", "t.csv", status=2)
    told = json.loads(run("score", "model.linsep", "t.csv", "--read", "drop_unlabelled", "--json").stdout)
    assert (told["rows"], told["unlabelled"]) == (56, 4)
    assert linsep.load("model.linsep").classes_.tolist() == ["no", "yes"]


KINDS = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]


@pytest.mark.parametrize("kind", [*KINDS, pa.string_view()])
def test_labels_of_text_are_the_same_however_arrow_keeps_them(kind: Any) -> None:
    words = ["less", "more", "less", "even more"]
    y = open_data(pa.table({"a": [1, 2, 3, 4], "y": pa.array(words).cast(kind)}), target="y").read().y
    assert y.tolist() == words and y.dtype == np.dtype("U9")


@pytest.mark.parametrize("kind", KINDS)
def test_missing_labels_are_the_same_however_arrow_keeps_them(kind: Any) -> None:
    rows = pa.table({"a": [1, 2, 3, 4], "y": pa.array(["less", None, "more", ""]).cast(kind)})
    kept = open_data(rows, target="y", drop_unlabelled=True).read()
    assert kept.y.tolist() == ["less", "more"] and kept.unlabelled.tolist() == [1, 3]


def test_a_label_that_cannot_be_told_is_named_by_its_row() -> None:
    with pytest.raises(DataError, match=r"row 2 .counted from 0., column 'y': the label 'b\\x00' holds a NUL"):
        open_data(pa.table({"a": [1, 2, 3], "y": ["a", "a", "b\0"]}), target="y").read()


def test_vowpal_text_to_predict_needs_no_label_and_has_tags(tmp_path: Path) -> None:
    train, more = tmp_path / "train.vw", tmp_path / "more.vw"
    train.write_text("1 't1|w red fast\n-1 t2|w blue slow\n1 |w red\n-1 'two |w slow\n")
    more.write_text("|w red slow\ntag|w red\n'tag |w blue\n1x|w blue\n1 2|w red\n")
    model = fit_table(open_data(str(train)), Perceptron()).model
    plain = [part.labels.tolist() for part in iter_predictions(model, more)]
    assert plain == [[int(2 * (z >= 0)) - 1 for z in part.decision_values] for part in iter_predictions(model, more)]
    assert plain[0][1:] == [1, -1, -1, 1]
    with pytest.raises(DataError, match="no labels to compare with"):
        score_table(model, more)
    with pytest.raises(DataError, match=r"more.vw: there is a row with no label before the \|"):
        open_data(str(more)).read()
    for text, place in (("1 2 |w red", "1:3: expected 'tag"), ("x |w red", "1:1: expected a label")):
        more.write_text(text + "\n")
        with pytest.raises(DataError, match=place):
            open_data(str(more)).read()
