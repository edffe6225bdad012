"""Streams to be killed: each learner that streams, with what a run of it may be asked for, and what a run leaves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from linsep.app.commands.fit import fit
from linsep.data.readers import lines as blocks
from linsep.learners.table_model import parts_of
from linsep.store import load_with_extra

ROWS = 120


class Asked(NamedTuple):
    """A run: the learner by its name on the command line, the label column, and options of streams."""

    learner: str
    target: str
    options: dict[str, Any]


ONE, ALL = ("no", "yes"), ("a", "b", "c", "d")
RUNS = {
    "averaged, two passes": Asked("averaged", "sold", {"passes": 2, "half_life": 1000.0}),
    "pa1, open classes": Asked("pa1", "kind", {"open_classes": True}),
    "perceptron, open classes": Asked("perceptron", "kind", {"open_classes": True}),
    "margin, classes named": Asked("margin", "sold", {"classes": ONE}),
    "perceptron, two passes": Asked("perceptron", "sold", {"passes": 2}),
    "perceptron, several classes": Asked("perceptron", "kind", {"classes": ALL, "columns": {"city": "chars3-5"}}),
    "averaged, open classes": Asked("averaged", "kind", {"open_classes": True, "half_life": 50.0}),
    "averaged, drift": Asked("averaged", "sold", {"drift": "page-hinkley", "classes": ONE}),
    "margin, open classes": Asked("margin", "kind", {"open_classes": True}),
    "pa, two passes": Asked("pa", "sold", {"passes": 2}),
    "pa, several classes": Asked("pa", "kind", {"classes": ALL}),
    "pa1, two passes": Asked("pa1", "sold", {"passes": 2}),
    "pa2, open classes": Asked("pa2", "kind", {"open_classes": True, "passes": 2}),
}


def write_table(folder: Path) -> None:
    """The rows that all runs read; the last class comes late."""
    rng = np.random.default_rng(0)
    lines = ["city,size,sold,kind"]
    for k, (size, city) in enumerate(zip(rng.normal(size=ROWS), rng.choice(["Oslo", "Rome"], ROWS), strict=True)):
        sold = "yes" if size + (city == "Rome") + rng.normal() > 0.5 else "no"
        lines.append(f"{city},{size:.3f},{sold},{rng.choice(list(ALL[: 3 if k < 70 else 4]))}")
    (folder / "t.csv").write_text("\n".join(lines) + "\n")


def learn(asked: Asked, name: str, say: Callable[[str], None]) -> None:
    """`linsep fit --stream` on the table, in this folder, with a checkpoint after each 30 rows."""
    blocks.TABLE_BYTES = 700
    if asked.target == "kind":
        features, other = ("sold",), "kind"
    else:
        features, other = ("kind",), "sold"
    given = dict(asked.options)
    columns = dict.fromkeys(features, "category") | given.pop("columns", {})
    how = {"bits": 8, "checkpoint": Path(name + ".ck"), "checkpoint_rows": 30, **given}
    how["column"] = [f"{column}={kind}" for column, kind in columns.items()]
    with warnings.catch_warnings(), patch("linsep.app.commands.fit_stream.say", say):
        warnings.simplefilter("ignore")
        fit("t.csv", target=other, learner=asked.learner, model=Path(name), stream=True, **how)


def state_of(path: Path) -> dict[str, Any]:
    """All that a model file holds of what was learnt, and where its stream stands; not when and by whom."""
    model, extra = load_with_extra(path)
    learner, encoder = parts_of(model)
    meta, arrays = learner.get_state()
    meta = {name: value for name, value in meta.items() if name != "column_major"}
    about, columns = encoder.state() if encoder is not None else ({}, {})
    return {
        "learner": repr(learner),
        "classes": model.classes_.tolist(),
        "learnt": meta,
        "arrays": {name: _exactly(array) for name, array in arrays.items()},
        "columns": about,
        "columns learnt": {name: _exactly(array) for name, array in columns.items()},
        "stands": extra.get("stream", {}).get("counters"),
    }


def rows_of(path: Path) -> int:
    """The rows that a checkpoint holds."""
    return sum(load_with_extra(path)[1]["stream"]["counters"]["seen"])


def _exactly(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    array = np.asarray(array)
    return str(array.dtype), array.shape, array.tobytes()
