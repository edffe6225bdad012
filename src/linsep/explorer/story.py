"""The story of a run: all that the page shows, with what is proved about its rows, as plain values for JSON.

Arrays are {"dtype", "base64"}: little-endian bytes in base64. Rows are counted from 0.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np

from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.source import Source
from linsep.explorer.runs import EVERY, ORDERS, RULES, SECONDS, Asked, Run, Setting, State, make_run, rounding, walk
from linsep.learners.table_model import TableModel
from linsep.tables import as_floats, as_table, check_finite, check_index, check_length, column_names, dense
from linsep.theory.bounds.mistakes import mistake_bounds
from linsep.theory.margin.geometry import constant_of, homogeneous_margin, row_norms2, signs
from linsep.theory.margin.max_margin import max_margin
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.types import Array, DataError, Hyperplane

FORMAT = 1
LEARNERS = ("perceptron", "averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2", "sgd", "rocchio")
_SHARED = ("averaged", "voted", "pocket", "rocchio")  # the page shows them beside the updates of the perceptron
WINDOW = 1_000_000  # updates of the first run that are sent, and
_BESIDE = 20_000  # of each other run
_NUMBERS = 4_000_000  # numbers in keyframes
_MOST = 10_000_000  # entries of a table
_FEW_ROWS = 500  # a table of two columns with at most so many rows may be changed by hand
_VISITS = 200_000  # of each other run, unless twenty epochs are more
_ON_MARGIN = 1e-6  # rows whose margin is the least one but for this part of it hold the plane
_ABOUT = [
    "These are the rows as the learner gets them: numbers are standardised, a category is one column a level.",
    "Step through the updates: each adds a row to w, or takes it away, where y z <= 0.",
    "The verdict is proved: either a plane separates the rows, and (R / gamma)^2 bounds the mistakes, or a "
    "witness has the sum 0.",
    "Which rows are mistakes in every pass?",
]


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


def points_of_table(
    source: Source, *, positive: str | None, constant: float, columns: Mapping[str, str] | None, missing: Any
) -> Points:
    """The rows of a table with labels; `columns` and `missing` are those of `TableEncoder`.

    Raises
    ------
    DataError
        The rows or labels cannot be used, or there are three classes or more and `positive` names none of them.

    Examples
    --------
    >>> from linsep import open_data
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [20.0, 30.0, 40.0, 50.0], "buys": ["no", "no", "yes", "yes"]})
    >>> points = points_of_table(
    ...     open_data(table, target="buys"), positive=None, constant=1.0, columns=None, missing=None
    ... )
    >>> points.columns, points.classes, len(points.setting.y)
    (['age'], ['no', 'yes'], 4)
    """
    encoder = TableEncoder(columns=columns, missing=missing)
    prepared = TableModel(encoder=encoder, positive=positive).prepare(source)
    assert prepared.encoder is not None
    names = np.unique(prepared.targets) if prepared.names is None else prepared.names
    if len(names) > 2:
        shown = ", ".join(map(str, names[:5])) + (", ..." if len(names) > 5 else "")
        raise DataError(f"the labels have {len(names)} classes ({shown}), and the page shows two: name one of them")
    return points_of(
        prepared.rows,
        np.asarray(prepared.targets),
        constant=constant,
        columns=prepared.encoder.feature_names_,
        classes=names.tolist(),
        target=source.target,
        title=PurePath(source.name).name,
        about=_ABOUT,
    )


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
        "max_iter": max_iter,
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


# ------------------------------------------------------------------ the proofs
def verdict_of(at: Setting, seconds: float = SECONDS) -> dict[str, Any]:
    """The verdict on rows and what goes with it, as plain values; all but the margins is exact.

    The proof may take so many seconds, and the margin as many again.
    """
    found = separability(at.X, at.y, fit_intercept=at.constant > 0, time_limit=seconds)
    length = float(np.sqrt(row_norms2(at.X).max() + at.constant2))
    # Quasi-separable rows, too, have a witness and no plane with all of them on their sides.
    word = found.verdict if found.verdict in ("separable", "undecided") else "inseparable"
    told = {"verdict": word, "line": found.summary(first=1), "R": length, "witness": _witness(found)}
    told |= {"plane": None, "u": None, "gamma": None, "bound": None, "support": []}
    return {**told, **_margins(at, found, seconds)} if found.verdict == "separable" else told


def _witness(found: Separability) -> dict[str, Any] | None:
    if found.witness is None:
        return None
    weights = [int(weight) for weight in found.witness.weights]
    whole = sum(weights)
    shares = [weight / whole for weight in weights]
    return {"rows": [int(row) for row in found.witness.rows], "weights": list(map(str, weights)), "shares": shares}


def _margins(at: Setting, found: Separability, seconds: float) -> dict[str, Any]:
    """The plane of the best margin, and (R / gamma)^2 at the best vector over (x, c): a run makes no more mistakes."""
    c = at.constant
    drawn = max_margin(at.X, at.y, bias="free" if c else None, time_limit=seconds).hyperplane
    seen = max_margin(at.X / c, at.y, bias="homogeneous", time_limit=seconds).hyperplane if c else drawn
    planes = [drawn, Hyperplane(seen.w, c * seen.b) if c else seen]
    if found.hyperplane is not None and found.hyperplane.w.dtype != object:  # integers may be beyond doubles
        planes.append(found.hyperplane)

    def gamma(plane: Hyperplane) -> float:
        """The least y z / ||(w, b / c)||."""
        known = np.isfinite(plane.w).all() and plane.w.any()
        return homogeneous_margin(at.X, at.y, *plane, intercept_scaling=c or 1.0) if known else 0.0

    planes = [one for one in planes if gamma(one) > 0]
    if not planes:
        return {}
    first, best = planes[0], max(planes, key=gamma)
    v = np.append(best.w, best.b / c if c else 0.0)
    bounds = mistake_bounds(at.X, at.y, *best, fit_intercept=c > 0, intercept_scaling=c or 1.0)
    bound, margins = bounds.get("novikoff").value, at.y * (at.X @ first.w + first.b)
    return {
        "plane": {"w": first.w.tolist(), "b": float(first.b)},
        "u": (v / np.linalg.norm(v)).tolist(),
        "gamma": gamma(best),
        "bound": None if bound is None else int(bound),
        "support": np.flatnonzero(margins <= margins.min() * (1 + _ON_MARGIN)).tolist(),
    }
