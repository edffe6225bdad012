"""The story of a run: all that the page shows, as plain values for JSON.

Arrays are {"dtype", "base64"}: little-endian bytes in base64. Rows are counted from 0.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linsep.explorer.keyframes import EVERY, State, rounding, walk
from linsep.explorer.runs import ORDERS, RULES, SECONDS, Asked, Run, Setting, make_run
from linsep.explorer.verdict import verdict_of
from linsep.tables import as_floats, as_table, check_finite, check_index, check_length, column_names, dense
from linsep.theory.margin.geometry import constant_of, signs
from linsep.types import Array, DataError

FORMAT = 1
LEARNERS = ("perceptron", "averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2", "sgd", "rocchio")
_SHARED = ("averaged", "voted", "pocket", "rocchio")  # the page shows them beside the updates of the perceptron
WINDOW = 1_000_000  # updates of the first run that are sent, and
_BESIDE = 20_000  # of each other run
_NUMBERS = 4_000_000  # numbers in keyframes
_MOST = 10_000_000  # entries of a table
_FEW_ROWS = 500  # a table of two columns with at most so many rows may be changed by hand
_VISITS = 200_000  # of each other run, unless twenty epochs are more


@dataclass(frozen=True)
class Points:
    """Rows with two classes, and the words around them.

    Attributes
    ----------
    setting : Setting
        Rows, signs and the constant feature.
    columns : list of str
        Names of the columns.
    classes : list of str
        Names of the negative and of the positive class.
    target : str or None
        Name of the column of labels.
    title : str
        What the story is called.
    about : list of str
        What to do and what to look at, sentence by sentence.
    preset : str or None
        The preset that it is.
    """

    setting: Setting
    columns: list[str]
    classes: list[str]
    target: str | None = None
    title: str = "Your table"
    about: list[str] = field(default_factory=list)
    preset: str | None = None


def points_of(
    X: Any,
    y: Any,
    *,
    constant: float,
    columns: Any = None,
    classes: Any = None,
    **words: Any,
) -> Points:
    """Check rows and labels, and name columns and classes; `words` are further fields of `Points`.

    Raises
    ------
    DataError
        X is no table of finite numbers, is too large for a page, or y has not two classes.

    Examples
    --------
    >>> points = points_of([[0, 1], [2, 3]], ["no", "yes"], constant=1.0)
    >>> points.columns, points.classes, points.setting.y.tolist()
    (['x1', 'x2'], ['no', 'yes'], [-1.0, 1.0])
    """
    check_index(X, y)
    names = column_names(X) if columns is None else [str(name) for name in columns]
    table = as_table(X)
    check_length(table, y)
    n, p = table.shape
    if n * p > _MOST:
        raise DataError(f"the page takes tables of at most {_MOST:,} numbers, and this one has {n:,} x {p:,}")
    rows = np.ascontiguousarray(as_floats(dense(table)))
    check_finite(rows)
    names = [f"x{j + 1}" for j in range(p)] if names is None else names
    if len(names) != p:
        raise DataError(f"X has {p} columns, and {len(names)} names were given")
    s = signs(y)
    classes = np.unique(np.asarray(y)).tolist() if classes is None else list(classes)
    setting = Setting(rows, s, constant_of(constant) if constant else 0.0)
    return Points(setting, names, [str(one) for one in classes], **words)


def tell(
    points: Points,
    *,
    learner: str = "perceptron",
    order: str = "turn",
    seed: int = 0,
    max_iter: int | None = 1000,
    window: int = WINDOW,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Make the runs, decide separability, and return the story.

    Raises
    ------
    DataError
        The learner or the order is unknown, or they do not go together.

    Examples
    --------
    >>> story = tell(points_of([[-1.0], [2.0]], [0, 1], constant=0.0))
    >>> story["verdict"]["verdict"], story["runs"][0]["total"]
    ('separable', 1)
    """
    if learner not in LEARNERS:
        raise DataError(f"the page shows the learners {', '.join(LEARNERS)}, not {learner!r}")
    at = points.setting
    n, p = at.X.shape
    rule = "perceptron" if learner in _SHARED else learner
    width = EVERY * max(1, _NUMBERS // (2 * p + 2))
    first = Asked(rule, order, seed, max_iter, min(window, width), seconds)
    return {
        "format": FORMAT,
        "title": points.title,
        "about": points.about,
        "columns": points.columns,
        "classes": points.classes,
        "target": points.target,
        "n": n,
        "p": p,
        "X": packed(at.X, "float64"),
        "y": packed(at.y, "int8"),
        "constant": at.constant,
        "editable": p <= 2 and n <= _FEW_ROWS,
        "vector": learner if learner in _SHARED else "last",
        "runs": [_plain(at, make_run(at, asked)) for asked in (first, *_others(at, first))],
        "verdict": verdict_of(at, seconds),
        "presets": [],  # a server adds what it offers
        "preset": points.preset,
    }


def packed(values: Array, dtype: str) -> dict[str, str]:
    """An array as its bytes.

    Examples
    --------
    >>> packed(np.array([1.0, -1.0]), "int8")
    {'dtype': 'int8', 'base64': 'Af8='}
    """
    whole = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return {"dtype": dtype, "base64": b64encode(whole.tobytes()).decode()}


def as_json(story: dict[str, Any]) -> str:
    """The story as strict JSON, in few letters."""
    return json.dumps(story, allow_nan=False, separators=(",", ":"))


def _others(at: Setting, first: Asked) -> list[Asked]:
    """The runs that the first may be compared with: the perceptron in other orders, and the other rules."""
    n = len(at.y)
    most = max(20, _VISITS // n)
    short = first._replace(max_iter=most if first.max_iter is None else min(most, first.max_iter))
    short = short._replace(window=min(first.window, _BESIDE))
    turns = [short._replace(name="perceptron", order=order) for order in ORDERS]
    order = "turn" if first.order == "adversary" else first.order
    rules = [short._replace(name=name, order=order) for name in RULES if name != "sgd" or n <= _VISITS]
    known = {(first.name, first.order)}
    return [one for one in dict.fromkeys([*turns, *rules]) if (one.name, one.order) not in known]


def _plain(at: Setting, run: Run) -> dict[str, Any]:
    rule, log, asked = RULES[run.asked.name], run.log, run.asked
    *frames, last = walk(at.X, at.constant2, log, run.start)
    unit = bool(np.array_equal(log.steps, at.y[log.rows]))
    exact = rule.unit and bool(np.array_equal(last.w, run.end[0]) and last.b[0] == run.end[1])
    return {
        "name": asked.name,
        "label": rule.label,
        "formula": rule.formula,
        "rule": {"kind": asked.name, "margin": rule.margin, "C": rule.C},
        "order": asked.order,
        "seed": asked.seed if asked.order == "random" else None,
        "epochs": run.epochs,
        "visits": run.visits,
        "total": run.total,
        "from": run.total - int(log.rows.size),
        "rows": packed(log.rows, "int32"),
        "steps": None if unit else packed(log.steps, "float64"),
        "visit": packed(log.visits, "float64"),
        "orders": None if run.orders is None else packed(run.orders, "int32"),
        "keyframes": {"every": EVERY, **_columns(frames)},
        "exact": exact,
        "tolerance": 0.0 if exact else rounding(at.X, at.constant2, log, run.start),
        "stop": run.stop,
    }


def _columns(frames: list[State]) -> dict[str, dict[str, str]]:
    """The states, column by column."""
    columns = zip(*frames, strict=True) if frames else ((),) * 4
    return {name: packed(np.array(column), "float64") for name, column in zip(State._fields, columns, strict=True)}
