"""Missing values: the same from CSV and frames, learnt from training rows alone, and the same at prediction."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linsep
from in_process import linsep as run
from linsep import (
    AveragedPerceptron,
    DataError,
    MissingWarning,
    TableEncoder,
    TableModel,
    fit_stream,
    fit_table,
    open_data,
)
from linsep.data.features.missing import WAYS
from linsep.data.readers import lines as blocks
from linsep.reporting.scores import iter_predictions, unknown_levels
from linsep.reporting.stream import stream_receipt

ZERO: Any = "zero"
KEPT = [way for way in WAYS if way != "error"]


def frame(n: int = 80, seed: int = 0) -> pd.DataFrame:
    """Two numbers and a category, each with missing values; a number without; a label."""
    rng = np.random.default_rng(seed)
    size, age, city = (
        rng.normal(50, 9, n).round(1),
        rng.integers(0, 90, n).astype(float),
        rng.choice(["Oslo", "Rome"], n),
    )
    sold = np.where((size > 50) ^ (rng.random(n) < 0.1), "yes", "no")
    table = pd.DataFrame({"size": size, "age": age, "city": city.astype(object), "floor": rng.integers(0, 5, n)})
    for column, share in (("size", 0.2), ("age", 0.1), ("city", 0.15)):
        table.loc[rng.random(n) < share, column] = None
    return table.assign(sold=sold)


def as_csv(table: pd.DataFrame, missing: str = "") -> bytes:
    """CSV with `missing` for numbers that are missing, and empty cells for categories."""
    written = table.copy()
    for column in ("size", "age"):
        if column in written:
            written[column] = [missing if np.isnan(v) else repr(float(v)) for v in table[column]]
    return written.to_csv(index=False).encode()


def twin(train: pd.DataFrame, rows: pd.DataFrame, way: str) -> Any:
    """What the encoder does, written plainly for the numbers."""
    columns = []
    for name in ("size", "age", "floor"):
        known, values = train[name].dropna().to_numpy(float), rows[name].to_numpy(float)
        mean, scale = known.mean(), known.std()
        fill = np.median(known) if way == "median" else mean
        columns.append((np.where(np.isnan(values), fill, values) - mean) / scale)
        if way == "indicator" and train[name].isna().any():
            columns.append(np.isnan(values).astype(float))
    return np.column_stack(columns)


@pytest.mark.parametrize("way", KEPT)
@pytest.mark.parametrize("word", ["", "NA", "nan", " ? ", "None", "#N/A", "-", "--", "#NULL!"])
def test_csv_and_frames_agree_with_a_naive_twin(way: Any, word: str) -> None:
    table = frame()
    sources = [open_data(rows, target="sold") for rows in (table, as_csv(table, word))]
    one, two = (
        fit_table(source, missing=way, learner=AveragedPerceptron(max_iter=3, random_state=0)) for source in sources
    )
    np.testing.assert_array_equal(one.rows, two.rows)
    assert (
        one.receipt.data["missing"]
        == two.receipt.data["missing"]
        == {name: int(table[name].isna().sum()) for name in ("size", "age", "city")}
    )
    kept = table.dropna() if way == "drop" else table
    names = one.model.encoder_.feature_names_ if one.model.encoder_ else []
    numbers = [j for j, name in enumerate(names) if not name.startswith("city")]
    np.testing.assert_allclose(one.rows[:, numbers], twin(kept, kept, way), atol=1e-12)
    assert ("size=(missing)" in names) == (way == "indicator")
    assert ("city=(missing)" in names) == (way != "drop")
    assert len(one.y) == len(kept)


@pytest.mark.parametrize("way", ["mean", "median", "indicator"])
def test_prediction_uses_what_was_learnt_in_training(way: Any, tmp_path: Path) -> None:
    train, rows = frame(), frame(30, seed=1)
    model = fit_table(open_data(train, target="sold"), missing=way).model
    assert model.encoder_ is not None
    path = tmp_path / "m.linsep"
    linsep.save(model, path)
    for one in (model, linsep.load(path)):
        assert one.encoder_ is not None
        X = one.encoder_.transform(rows.drop(columns="sold"))
        names = one.encoder_.feature_names_
        numbers = [j for j, name in enumerate(names) if not name.startswith("city")]
        np.testing.assert_allclose(X[:, numbers], twin(train, rows, way), atol=1e-12)
        np.testing.assert_array_equal(one.predict(rows), model.predict(open_data(as_csv(rows), target="sold")))
        assert one.encoder_.new_missing_ == {}


def test_values_that_were_never_missing_in_training_are_told_once(tmp_path: Path) -> None:
    train, rows = frame(), frame(30, seed=1)
    whole = train.fillna({"size": 1.0, "city": "Rome"})
    model = fit_table(open_data(whole, target="sold")).model
    assert model.encoder_ is not None
    rows["floor"] = rows["floor"].astype(float)
    rows.loc[3, "floor"] = np.nan
    gone = rows[["size", "floor", "city"]].isna().sum().to_dict()
    said = [
        f"column 'size': {gone['size']} values are missing, but training had none; the mean is used for them",
        "column 'floor': 1 value is missing, but training had none; the mean is used for it",
        f"column 'city': {gone['city']} values are missing, but training had none; no category is used for them",
    ]
    asked: list[Any] = [model.predict, model.decision_function]
    for ask in (*asked, lambda X: model.score(X, rows["sold"])):
        with pytest.warns(MissingWarning) as caught:
            ask(rows)
        assert sorted(str(one.message) for one in caught) == sorted(said)
    assert model.encoder_.new_missing_ == gone
    assert set(said) == set(unknown_levels(model))
    linsep.save(model, tmp_path / "m.linsep")
    (tmp_path / "t.csv").write_bytes(as_csv(rows))
    rows.to_parquet(tmp_path / "t.parquet")
    for command, path in [("predict", "t.csv"), ("predict", "t.parquet"), ("score", "t.csv")]:
        told = " ".join(run(command, tmp_path / "m.linsep", tmp_path / path).stderr.split())
        assert [told.count(line) for line in said] == [1, 1, 1]


@pytest.mark.parametrize("way", ["drop", "error"])
def test_a_model_of_complete_rows_refuses_others(way: Any) -> None:
    train = frame() if way == "drop" else frame().dropna()
    model = fit_table(open_data(train, target="sold"), missing=way).model
    with pytest.raises(
        DataError,
        match=rf"dataframe, row \d+ .counted from 0., column '\w+': the value is missing, .* \(--missing {way}",
    ):
        model.predict(frame(30, seed=1))


def test_dropped_rows_take_their_labels_and_weights_along() -> None:
    table = frame()
    weight = np.arange(1.0, len(table) + 1)
    rows = table.drop(columns="sold")
    encoder = TableEncoder(missing="drop")
    one = TableModel(AveragedPerceptron(max_iter=3, random_state=0), encoder=encoder).fit(rows, table["sold"], weight)
    kept = table.notna().all(axis=1).to_numpy()
    two = TableModel(AveragedPerceptron(max_iter=3, random_state=0)).fit(rows[kept], table["sold"][kept], weight[kept])
    np.testing.assert_array_equal(one.learner_.coef_, two.learner_.coef_)


@settings(max_examples=15)
@given(cut=st.integers(60, 2000), way=st.sampled_from(["mean", "indicator", "drop"]))
def test_streams_do_not_depend_on_where_chunks_are_cut(cut: int, way: Any) -> None:
    table = frame(120)
    with pytest.MonkeyPatch.context() as patch:
        whole = fit_stream(as_csv(table), target="sold", missing=way, bits=8, passes=2)
        patch.setattr(blocks, "TABLE_BYTES", cut + 400)  # the first chunk tells what is a number
        parts = fit_stream(as_csv(table), target="sold", missing=way, bits=8, passes=2)
    np.testing.assert_array_equal(whole.model.learner_.coef_, parts.model.learner_.coef_)
    assert whole.counters.missing == parts.counters.missing
    assert whole.counters.seen == parts.counters.seen


def test_a_stream_standardises_by_the_rows_that_have_a_number() -> None:
    """A row without the number has no entry for it."""
    table = frame()[["size", "age", "floor", "sold"]]
    encoder = TableEncoder().partial_fit(open_data(table, target="sold"))
    moments, there = encoder.state()[1]["running/moments"][:, 2], table["size"].dropna()
    assert moments[0] == pytest.approx(((there - there.mean()) ** 2).sum())
    flags = fit_stream(table, target="sold", bits=8, missing="indicator").model
    assert flags.encoder_ is not None
    assert {"size=(missing)", "age=(missing)"} < set(flags.encoder_.feature_names_)


@pytest.mark.parametrize("rows", [b"a,y\n1,p\ninf,q\n3,p\n", pd.DataFrame({"a": [1, np.inf], "y": ["p", "q"]})])
def test_infinite_values_are_refused_with_advice_of_their_own(rows: Any) -> None:
    for learn in (lambda: fit_table(open_data(rows, target="y")), lambda: fit_stream(open_data(rows, target="y"))):
        with pytest.raises(DataError, match=r"inf.*: then it counts as a missing value"):
            learn()


@pytest.mark.parametrize(
    ("learn", "message"),
    [
        (lambda: fit_stream(frame(), target="sold", missing="median"), "the median of a stream is not known before"),
        (
            lambda: fit_stream(frame(), target="sold", missing="error"),
            r"row \d+ .counted from 0., column '\w+': the value is missing; fill",
        ),
        (lambda: fit_table(open_data(frame(), target="sold"), missing="error"), "the value is missing; fill or drop"),
        (lambda: fit_table(open_data(frame(), target="sold"), missing=ZERO), "is one of drop, mean, .*, not 'zero'"),
        (
            lambda: linsep.check_table(open_data(frame(), target="sold")),
            r"row \d+ .counted from 0., column '\w+': the value is missing",
        ),
        (lambda: fit_table(open_data(b"a,b,y\n1,,p\n,2,q\n", target="y"), missing="drop"), "every row has a missing"),
    ],
)
def test_what_cannot_be_done_is_refused(learn: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        learn()


def test_the_command_counts_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(as_csv(frame(), "NA"))
    for options, said in (
        ([], "by the mean, and an extra 0/1 column marks it; a missing category is its own category; see --missing"),
        (["--missing", "median"], "replaced by the median"),
        (
            ["--stream", "--missing", "mean"],
            "a missing number is replaced by the mean; a missing category is its own category",
        ),
        (["--stream", "--missing", "drop"], "rows with a missing value are left out"),
    ):
        out = " ".join(run("fit", "t.csv", "--target", "sold", *options).stdout.split())
        assert "29 cells of 3 columns ('size' 16, 'age' 7, 'city' 6)" in out, out
        assert said in out


def test_a_key_that_a_line_lacks_is_missing_wherever_lines_are_cut() -> None:
    rows = [
        {name: value for name, value in row.items() if isinstance(value, str) or not np.isnan(value)}
        for row in frame(150).replace({None: np.nan}).to_dict("records")
    ]
    rows.sort(key=len, reverse=True)  # the last chunks lack a column altogether
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    asked: dict[str, Any] = {"format": "jsonl", "target": "sold", "bits": 8, "passes": 2, "classes": ["no", "yes"]}
    for way in ("mean", "indicator", "drop"):
        with pytest.MonkeyPatch.context() as patch:
            whole = fit_stream(lines, missing=way, **asked)
            patch.setattr(blocks, "TABLE_BYTES", 90)
            parts = fit_stream(lines, missing=way, **asked)
        np.testing.assert_array_equal(whole.model.learner_.coef_, parts.model.learner_.coef_)
        assert whole.counters.missing == parts.counters.missing
    again = fit_table(open_data(lines, format="jsonl", target="sold"), learner=AveragedPerceptron(random_state=0))
    frames = fit_table(open_data(pd.DataFrame(rows), target="sold"), learner=AveragedPerceptron(random_state=0))
    np.testing.assert_array_equal(again.model.learner_.coef_, frames.model.learner_.coef_)


def test_new_json_lines_may_lack_a_key_or_hold_only_null() -> None:
    sizes = [k * 37 % 50 + 0.5 for k in range(40)]
    rows: list[dict[str, Any]] = [
        {"n": k % 7, "size": size, "at": f"2024-01-{k % 28 + 1:02d}", "c": "ab"[k % 2], "y": size > 20}
        for k, size in enumerate(sizes)
    ]
    for k in range(0, 40, 9):
        del rows[k]["n"], rows[k]["at"], rows[k]["c"]
    lines = ["".join(json.dumps(row) + "\n" for row in some).encode() for some in (rows, rows[::9])]
    model = fit_table(open_data(lines[0], format="jsonl", target="y")).model
    assert model.encoder_ is not None
    assert model.encoder_.kinds_ == {"at": "date"}
    nulls = [{"size": row["size"], "n": None, "at": None, "c": None} for row in rows[::9]]
    null_lines = "".join(json.dumps(row) + "\n" for row in nulls).encode()
    with_others = b"\n".join([lines[1], lines[0]])
    found = {}
    for name, new in {"null": null_lines, "lacking": lines[1], "with others": with_others}.items():
        [part] = iter_predictions(model, new, format="jsonl")
        found[name] = part.decision_values[: len(nulls)].tolist()
        assert not unknown_levels(model)
    assert found["null"] == found["lacking"] == found["with others"]
    for new, form, message in (
        (b'{"other": 2}\n', "jsonl", "columns missing: 'size', 'n', 'at', 'c'"),
        (b"size,at\n2,\n", "csv", "columns missing: 'n', 'c'"),
        (b'{"size": [1]}\n', "jsonl", r"column 'size' has type list<item: int64>: make it numbers or text first"),
        (b'{"size": 1, "y": 1}\n{"y": "no"}\n', "jsonl", r":2: Column\(/y\) changed from number to string"),
    ):
        with pytest.raises(DataError, match=message):
            list(iter_predictions(model, new, format=form, target="y" if b'"y"' in new else None))
    dropping = fit_table(open_data(lines[0], format="jsonl", target="y"), missing="drop").model
    with pytest.raises(DataError, match=r"'n': the value is missing, and the model was trained only on complete rows"):
        list(iter_predictions(dropping, lines[1], format="jsonl"))


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_an_infinite_number_in_new_rows_is_named_with_a_way_on(form: str, tmp_path: Path) -> None:
    table = frame()[["size", "floor", "sold"]]
    model = fit_table(open_data(table, target="sold")).model
    new = table.astype({"floor": float})
    new.loc[[7, 9], "floor"] = [np.inf, -np.inf]
    rows: Any = new
    if form != "frame":
        rows = tmp_path / f"new.{form}"
        new.to_csv(rows, index=False) if form == "csv" else new.to_parquet(rows)
    place = {
        "frame": r"dataframe, row 7 \(counted from 0\)",
        "csv": "new.csv:9",
        "parquet": r"new.parquet, row 8 \(counted from 1\)",
    }[form]
    said = f"{place}, column 'floor': 'inf' is not" if form == "csv" else f"{place}, column 'floor': inf is not"
    with pytest.raises(DataError, match=f"{said} a finite number"):
        list(linsep.iter_predictions(model, rows))


# -------------------------------------------------------- other words for no value
def test_a_stream_tells_categories_that_were_never_missing_in_training(tmp_path: Path) -> None:
    path, rows = tmp_path / "m.linsep", frame(30, seed=1)
    whole = frame().fillna({"size": 1.0, "city": "Rome"})
    for train, told in ((whole, True), (frame(), False)):
        linsep.save(linsep.fit_stream(open_data(train, target="sold")).model, path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            linsep.load(path).predict(rows)
        said = [str(one.message) for one in caught if "'city'" in str(one.message)]
        gone = int(rows["city"].isna().sum())
        one = f"column 'city': {gone} values are missing, but training had none; no category is used for them"
        assert said == [one] * told


def test_a_model_reads_the_words_for_no_value_that_it_was_told(tmp_path: Path) -> None:
    rows = [f"{k if k % 5 else 'k.A.'};{['x', 'k.A. '][k % 7 == 3]};{'np'[k % 10 > 4]}" for k in range(60)]
    told = ["size;coat;y", *rows]
    plain = [line.replace("k.A. ", "").replace("k.A.", "") for line in told]
    paths = [tmp_path / "told.csv", tmp_path / "plain.csv"]
    for path, lines in zip(paths, (told, plain), strict=True):
        path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"told.csv:2, column 'size': 'k.A.' .* use --read na=k.A. \(na=\[...\]\)"):
        fit_table(open_data(paths[0], target="y"))
    one, two = fit_table(open_data(paths[0], target="y", na=["k.A."])), fit_table(open_data(paths[1], target="y"))
    np.testing.assert_array_equal(one.rows, two.rows)
    linsep.save(one.model, tmp_path / "m.linsep")
    model = linsep.load(tmp_path / "m.linsep")
    assert model.encoder_.na_ == {"k.A."}
    told_model, plain_model = (next(iter_predictions(model, path)).decision_values for path in paths)
    np.testing.assert_array_equal(told_model, plain_model)
    assert linsep.score_table(model, paths[0]) == linsep.score_table(model, paths[1])
    streams = [
        fit_stream(paths[0], target="y", na=["k.A."], bits=8),
        fit_stream(paths[1], target="y", bits=8),
    ]
    np.testing.assert_array_equal(streams[0].model.learner_.coef_, streams[1].model.learner_.coef_)
    assert streams[0].model.encoder_ is not None
    assert streams[0].model.encoder_.na_ == {"k.A."}


def test_words_for_no_value_of_json_lines_and_not_of_svmlight() -> None:
    with pytest.raises(DataError, match="na is for csv, jsonl, excel, and this is svmlight"):
        open_data(b"1 1:2\n", format="svmlight", na=["x"])
    lines = (
        b'{"a": 0.1, "b": " n.k. ", "c": -999, "d": {"e": "n.k."}, "y": "p"}\n\n'
        b'{"a": -999.0, "b": "x", "c": 3, "d": {"e": "z"}, "y": "q"}\n'
    )
    nulls = lines.replace(b'" n.k. "', b"null").replace(b'"n.k."', b"null").replace(b"-999.0", b"null")
    asked: Any = {"format": "jsonl", "target": "y"}
    given: Any = ((lines, {"na": ["n.k.", "-999"]}), (nulls.replace(b"-999", b"null"), {}))
    said, plain = (open_data(content, **asked, **named).read() for content, named in given)
    for name in ("a", "b", "c", "d.e"):
        one, other = said.cells(name), plain.cells(name)
        assert one is not None
        assert other is not None
        assert one.missing is not None
        assert one.missing.tolist() == other.missing.tolist()
    assert said.where(1) == plain.where(1)
    with pytest.raises(DataError, match=r":1: .*one JSON object is needed on each line"):
        open_data(b"[1]\n", **asked, na=["x"]).read()
    with pytest.raises(DataError, match=r"na is a list of texts, such as \['k.A.'\], not one text"):
        open_data(b"a\n1\n", na="k.A.")
    rows = b"a;b\nk.A.;1\n1,5;2\n"
    column = open_data(rows, na=["k.A."]).read().cells("a")
    assert (column.values.tolist(), column.missing.tolist()) == ([0.0, 1.5], [True, False])


@pytest.mark.parametrize("way", KEPT)
def test_a_column_without_any_value_is_left_out(way: Any) -> None:
    table = frame().dropna()
    found = fit_table(open_data(table.assign(blank=np.nan, none=""), target="sold"), missing=way)
    plain = fit_table(open_data(table, target="sold"), missing=way)
    np.testing.assert_array_equal(found.rows, plain.rows)
    holes = open_data(table.assign(hole=["", *["x"] * (len(table) - 1)]), target="sold")
    np.testing.assert_array_equal(fit_table(holes, missing=way, columns={"hole": "skip"}).rows, plain.rows)
    assert dict(found.receipt.lines)["left out"] == "'blank', 'none': no value in any row"
    with pytest.raises(DataError, match=r"every row has a missing value \('none' [0-9]+\), and none is left"):
        fit_table(open_data(table.assign(none=""), target="sold"), missing="drop", columns={"none": "category"})


@pytest.mark.parametrize("stream", [False, True])
def test_what_becomes_of_missing_text_is_told(stream: bool) -> None:
    rows = pd.DataFrame({"note": ["so much to say", "", "no more to say"] * 20, "a": range(60), "y": list("pqq") * 20})
    kinds = {"note": "text", "a": "number"}
    source = open_data(rows, target="y")
    if stream:
        receipt = stream_receipt(fit_stream(source, columns=kinds, bits=8))
    else:
        receipt = fit_table(source, columns=kinds).receipt
    told = dict(receipt.lines)["missing values"]
    assert told == "20 cells of 1 column ('note' 20): a missing text has no words; see --missing"


def test_codes_for_missing_values_are_that_in_frames_too(tmp_path: Path) -> None:
    text = "age,c,y\n" + "".join(
        f"{k if k % 5 else -999},{'ab'[k % 2]},{'ny'[k % 5 == 0 or k > 20]}\n" for k in range(40)
    )
    (tmp_path / "t.csv").write_text(text)
    model = fit_table(open_data(tmp_path / "t.csv", target="y", na=["-999", "unknown"])).model
    frame = pd.read_csv(tmp_path / "t.csv").drop(columns="y")
    frame.to_parquet(tmp_path / "t.parquet")
    wanted = model.decision_function(open_data(tmp_path / "t.csv", target="y", na=["-999"]))
    for rows in (frame, frame.astype({"age": float}), frame.replace(-999, np.nan), open_data(tmp_path / "t.parquet")):
        np.testing.assert_array_equal(model.decision_function(rows), wanted)


def test_a_level_that_another_reader_takes_for_a_missing_value_is_told(tmp_path: Path) -> None:
    """pandas reads None as a missing value, a CSV table as a category; blanks stand beside it in training."""
    path = tmp_path / "t.csv"
    path.write_text("a,kind,y\n" + "".join(f"{k % 7},{['x', 'None', ''][k % 3]},{'qpq'[k % 3]}\n" for k in range(42)))
    model = TableModel().fit(open_data(path, target="y"))
    frame = pd.read_csv(path).drop(columns="y")
    with pytest.warns(MissingWarning, match="28 values are missing, and no row holds 'None', a category in training"):
        model.predict(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.score(open_data(path, target="y")) == 1.0
        model.predict(frame.fillna("None"))
