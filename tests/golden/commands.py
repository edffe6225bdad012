"""Runs of the command line, in this process: what it prints, the files it writes, and its exit status.

Each run has an empty folder of its own and names its files without a path.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sklearn.datasets import dump_svmlight_file

import linsep
from golden import data
from golden.plain import learned, plain, text
from linsep.app.cli import main

Run = Callable[[], Any]
CLOCK = re.compile(r"\b\d[\d,.]* s\b|\b[\d,]+ rows/s\b|\b[\d,]+ rows a second\b")


class Stopped(io.StringIO):
    """An error output that is interrupted as by Ctrl-C when it is told of the first checkpoint."""

    def write(self, written: str) -> int:
        if "holds the first" in written:
            raise KeyboardInterrupt
        return super().write(written)


def shell(line: str, error: io.StringIO | None = None) -> dict[str, Any]:
    """Run `linsep` with the arguments of a line; the learner is `perceptron` unless told otherwise."""
    arguments = line.split()
    if arguments[0] == "fit" and "--learner" not in arguments:
        arguments += ["--learner", "perceptron"]
    output, error = io.StringIO(), error or io.StringIO()
    wide = {"COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"}
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(error),
        patch.object(sys, "argv", ["linsep", *arguments]),
        patch.dict(os.environ, wide),
    ):
        status: Any = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    found = {"status": status, "output": _printed(output.getvalue())}
    return found | ({"error": _said(error.getvalue())} if error.getvalue() else {})


def _said(written: str) -> Any:
    """What was said on the error output, without the usage lines, which name the program as it was called."""
    return text(CLOCK.sub("(time)", re.sub(r"^(Usage:|Try) .*\n", "", written, flags=re.MULTILINE)))


def _printed(written: str) -> Any:
    """What was printed: as an object where it is one, else as text without what the clock says."""
    if written.startswith("{"):
        return plain(json.loads(written))
    written = re.sub(r"^saved by .*", "", written, flags=re.M | re.S)  # where a model comes from is told last
    written = re.sub(r"^(direction \d+ +).*: ", r"\1(found): ", written, flags=re.M)
    return text(CLOCK.sub("(time)", written))


def files(*names: str) -> dict[str, Any]:
    """What files hold: models as what they know, predictions by column, JSON and text as they are."""
    found: dict[str, Any] = {}
    for name in names:
        if name.endswith(".linsep"):
            model = linsep.load(name)
            found[name] = learned(model)
            if hasattr(model, "encoder_"):
                found[name]["encoder"] = plain([list(model.encoder_.feature_names_ or ())[:40]])
        elif name.startswith("predicted"):
            _, *rows = csv.reader(Path(name).read_text(encoding="utf-8").splitlines())
            labels, values = zip(*rows, strict=True)
            found[name] = {
                "prediction": plain(np.array(labels)),
                "decision_value": plain(np.array(values, dtype=float)),
            }
        else:
            found[name] = _printed(Path(name).read_text(encoding="utf-8"))
    return found


# ------------------------------------------------------------------- the tables
def houses(n: int = 400, seed: int = 0) -> dict[str, Any]:
    """Numbers, two columns of categories, running text and a label that they nearly decide."""
    rng = np.random.default_rng(seed)
    city, kind = rng.choice(["Oslo", "Rome", "Bari, south"], n), rng.choice(["flat", "house"], n)
    size, age = rng.normal(80, 20, n).round(1), rng.integers(0, 100, n)
    words = np.array(["old", "new", "quiet", "sunny", "near the sea", "small"])
    note = [" ".join(rng.choice(words, 3)) for _ in range(n)]
    sunny = np.array(["sunny" in said for said in note])
    sold = (size - 80) / 20 + (city == "Rome") - (kind == "flat") + sunny - age / 100 + 0.3 * rng.normal(size=n) > 0
    return {"city": city, "kind": kind, "size": size, "age": age, "note": note, "sold": np.where(sold, "yes", "no")}


def write(name: str, columns: dict[str, Any]) -> None:
    """Write a table in the format that its name tells."""
    table = pa.table(columns)
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(table, name)
    elif name.endswith(".csv"):
        pyarrow.csv.write_csv(table, name)
    elif name.endswith(".jsonl"):
        rows = (json.dumps(row) for row in table.to_pylist())
        Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    else:
        lines = []
        for row in table.to_pylist():
            label = 1 if row["sold"] == "yes" else -1
            numbers = f"size:{row['size'] / 80:.4f} age:{row['age'] / 100:.2f}"
            lines.append(f"{label} |n {numbers} |c {row['city'].replace(', ', '_')} {row['kind']} |t {row['note']}")
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def numbers(name: str, X: Any, y: Any) -> None:
    """Write rows of numbers as CSV."""
    write(name, {**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "label": y})


# --------------------------------------------------------------------- the runs
def fit_and_use() -> Any:
    """A table with categories: fit, predict, score, show, export."""
    columns = houses()
    write("houses.csv", {name: column for name, column in columns.items() if name != "note"})
    found = [
        shell("fit houses.csv --target sold --positive yes --max-iter 30 --holdout 0.25 --model m.linsep --json"),
        shell("predict m.linsep houses.csv -o predicted.csv"),
        shell("score m.linsep houses.csv --json"),
        shell("score m.linsep houses.csv"),
        shell("show m.linsep --json"),
        shell("show m.linsep --weights 3"),
        shell("export m.linsep --to json -o m.json"),
        shell("export m.linsep --to sql --table houses -o m.sql"),
        shell("fit houses.csv --target sold --model again.linsep --column age=category --time-limit 1000 --max-iter 5"),
        shell("fit houses.csv --target sold --model again.linsep --column age=category --max-iter 5"),
    ]
    return [found, files("m.linsep", "predicted.csv", "m.json", "m.sql", "again.linsep")]


def fit_formats() -> Any:
    """svmlight, Parquet and three classes."""
    X, y = data.planted()
    dump_svmlight_file(X, y, "rows.svmlight", zero_based=False)
    columns = houses(seed=1)
    write("houses.parquet", {name: columns[name] for name in ("city", "size", "age", "sold")})
    numbers("iris.csv", *data.iris())
    return [
        shell("fit rows.svmlight --model a.linsep --time-limit 10000 --json"),
        shell("fit houses.parquet --target sold --learner averaged --seed 4 --model b.linsep --json"),
        shell("fit iris.csv --target label --learner pocket --max-iter 10 --model c.linsep --json"),
        shell("score c.linsep iris.csv --json"),
        shell("export c.linsep --to sql -o c.sql"),
        files("a.linsep", "b.linsep", "c.linsep", "c.sql"),
    ]


def fit_learners() -> Any:
    """Each learner that the command line offers, on the same rows."""
    numbers("noisy.csv", *data.noisy())
    found = []
    for name in ("averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2", "rocchio", "mlp"):
        asked = "" if name == "rocchio" else "--max-iter 4 --seed 2 "
        found.append(shell(f"fit noisy.csv --target label --learner {name} {asked}--model m.linsep --json"))
    found += [
        shell(f"fit noisy.csv --target label --learner {asked} --model m.linsep --json")
        for asked in (
            "kernel --set kernel=rbf --set gamma=0.5 --max-iter 2",
            "sgd --set loss=logistic --set projection_radius=4 --max-iter 5",
            "sgd --max-iter 3",
        )
    ]
    return found


def fit_auto() -> Any:
    """The ladder, on rows that a line separates and on rows that none does."""
    numbers("planted.csv", *data.planted())
    rng = np.random.default_rng(31)
    X = rng.normal(size=(240, 3))
    numbers("rings.csv", X, (X**2).sum(axis=1) > 2.5)
    return [
        shell(f"fit {name}.csv --target label --learner auto --max-iter 20 --model m.linsep --json")
        for name in ("planted", "rings")
    ]


def streams() -> Any:
    """One pass over each format."""
    columns = houses()
    found = []
    for name in ("rows.csv", "rows.jsonl", "rows.parquet"):
        write(name, columns)
        asked = "--stream --target sold --learner averaged --column note=text --set bits=10"
        line = f"fit {name} {asked} --model {name}.linsep"
        found.append([shell(f"{line} --json"), shell(line), files(f"{name}.linsep")])
    write("rows.vw", columns)
    X, y = data.sparse()
    dump_svmlight_file(X, y, "rows.svmlight", zero_based=False)
    for name in ("rows.vw", "rows.svmlight"):
        line = f"fit {name} --stream --learner perceptron --set bits=12 --model {name}.linsep --json"
        found.append([shell(line), shell(f"score {name}.linsep {name} --json"), files(f"{name}.linsep")])
    return found


def stream_options() -> Any:
    """Passes, half-lives and classes."""
    columns = houses(2500)
    write("rows.csv", columns)
    line = "fit rows.csv --stream --target sold --set bits=9 --model m.linsep --json"
    return [
        [shell(f"{line} {asked}"), files("m.linsep")]
        for asked in (
            "--set passes=2 --column note=words1-2",
            "--column note=chars3-4 --learner averaged",
            "--set half_life=700 --learner pa1",
            "--set classes=no,yes,maybe --learner pa",
            "--set open_classes --learner margin",
        )
    ]


def stream_resumed() -> Any:
    """A stream interrupted after its first checkpoint, and the same command once more, beside a run undisturbed."""
    for part in range(4):
        write(f"part-{part}.csv", houses(200, seed=part))
    line = (
        "fit part-*.csv --target sold --learner averaged --set bits=9 --set passes=2 --set checkpoint_rows=100 --json"
    )
    first = shell(f"{line} --checkpoint kept --model m.linsep", Stopped())
    second = shell(f"{line} --checkpoint kept --model m.linsep")
    whole = shell(f"{line} --checkpoint other --model whole.linsep")
    found = files("m.linsep", "whole.linsep")
    if found["m.linsep"] != found["whole.linsep"]:
        raise AssertionError("a run that was interrupted ended elsewhere than one that was not")
    return [first, second, whole, found]


def checks() -> Any:
    """The proofs of the command line."""
    X, y = data.planted()
    numbers("planted.csv", X, y)
    numbers("noisy.csv", *data.noisy())
    numbers("iris.csv", *data.iris())
    write("xor.csv", {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "label": ["no", "yes", "yes", "no"]})
    write("quasi.csv", {"a": [0.1, 0.2, 0.2, 0.3], "b": [1, 1, 1, 1], "label": [0, 0, 1, 1]})
    write("houses.csv", houses(60))
    found = []
    for name, target in (("planted", "label"), ("noisy", "label"), ("iris", "label"), ("xor", "label"),
                         ("quasi", "label"), ("houses", "sold")):  # fmt: skip
        asked = "--column note=text " if name == "houses" else ""
        line = f"check {name}.csv --target {target} {asked}"
        found.append([shell(line), shell(f"{line} --certificate {name}.json --json"), files(f"{name}.json")])
    return [*found, shell("check noisy.csv --target label --time-limit 0 --json")]


def separations() -> Any:
    """Which estimates are finite."""
    rng = np.random.default_rng(37)
    dose, age = rng.choice(["high", "low", "none"], 60), rng.integers(20, 70, 60)
    improved = np.where((dose == "high") | (age > 50), "yes", rng.choice(["yes", "no"], 60))
    write("clinic.csv", {"age": age, "dose": dose, "improved": improved})
    write("counts.csv", {"x": age % 5, "dose": dose, "n": np.where(dose == "low", 0, age % 4)})
    return [
        shell("separation clinic.csv --target improved --json"),
        shell("separation clinic.csv --target improved --set fit_intercept=no"),
        shell("separation counts.csv --target n --family poisson --json"),
        shell("separation clinic.csv --target dose --family multinomial --json"),
        shell("separation clinic.csv --target improved --time-limit 0 --json"),
    ]


def tags() -> Any:
    """Tagged text in columns and as CoNLL-U."""
    X, y = data.sentences()
    lines = ["\n".join(f"{word}\t{tag}" for word, tag in zip(*pair, strict=True)) for pair in zip(X, y, strict=True)]
    Path("text.tsv").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    rows = []
    for words, of_each in zip(X, y, strict=True):
        for i, (word, tag) in enumerate(zip(words, of_each, strict=True), 1):
            rows.append(f"{i}\t{word}\t_\t{tag}\tx{tag}\t_\t_\t_\t_\t_")
        rows.append("")
    Path("text.conllu").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = [
        shell("tag fit text.tsv --max-iter 3 --holdout 0.2 --set seed=1 --model t.linsep --json"),
        shell("tag predict t.linsep text.tsv -o out.tsv"),
        shell("tag score t.linsep text.tsv --json"),
        shell("show t.linsep --json"),
        shell("show t.linsep --weights 5"),
        shell("tag fit text.conllu --max-iter 2 --set n_bits=8 --read tag=xpos --model c.linsep"),
        shell("tag score c.linsep text.conllu --read tag=xpos --json"),
    ]
    return [found, files("out.tsv", "t.linsep", "c.linsep")]


def synthetic() -> Any:
    """Rows made to be separable."""
    return [
        shell("synth 30 3 --seed 5 -o a.csv"),
        shell("synth 4"),
        files("a.csv"),
        plain(linsep.make_separable(50, 3, 0.3, random_state=8)),
    ]


def refusals() -> Any:
    """What is said where nothing can be done."""
    Path("bad.csv").write_text("a,b\n1,2\n1\n", encoding="utf-8")
    write("one.csv", {"a": [1.0, 2.0], "label": ["x", "x"]})
    return [
        shell("fit none.csv --target label"),
        shell("fit bad.csv --target b"),
        shell("fit one.csv --target label"),
        shell("check one.csv"),
        shell("fit one.csv --target label --learner nobody"),
    ]


def commands() -> dict[str, Run]:
    """All runs of this file."""
    return {
        "linsep fit, predict, score, show, export": fit_and_use,
        "linsep fit, formats": fit_formats,
        "linsep fit, learners": fit_learners,
        "linsep fit, auto": fit_auto,
        "linsep fit --stream, formats": streams,
        "linsep fit --stream, options": stream_options,
        "linsep fit --stream, resumed": stream_resumed,
        "linsep check": checks,
        "linsep separation": separations,
        "linsep tag": tags,
        "linsep synth": synthetic,
        "linsep, refusals": refusals,
    }
