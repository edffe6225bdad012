"""The formula of a fitted model for raw rows, as plain data; every export is written from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from linsep.data.features.dates import is_date
from linsep.data.features.exact_decimals import row_names
from linsep.data.features.kinds import is_words
from linsep.data.numbers import is_amount
from linsep.learners.base.linear_learner import LinearLearner
from linsep.learners.table_model import parts_of
from linsep.scikit import check_is_fitted
from linsep.types import Array, DataError


@dataclass(frozen=True)
class Number:
    """A column of numbers x, which adds `weights` * (x - mean) / scale; one weight a plane.

    `missing` stands for (x - mean) / scale where x is missing; None where a missing number has no decision value.
    """

    name: str
    mean: float
    scale: float
    weights: Array
    missing: float | None = None

    @property
    def is_plain(self) -> bool:
        """Whether x is used as it is."""
        return self.mean == 0 and self.scale == 1


@dataclass(frozen=True)
class Category:
    """A column of text, which adds the row of `weights` of its level; another level adds nothing.

    With `missing` a missing value is the level "", else it has no decision value.
    """

    name: str
    levels: list[str]
    weights: Array
    missing: bool = False


@dataclass(frozen=True)
class Formula:
    """Decision values `intercept` + what each input adds; one plane for two classes, else one a class.

    With one plane the second class is predicted where its value is at or above 0; with more the first class of those
    with the largest value. `from_table` tells columns with names of their own from those of a matrix. Cells of text
    are read with the `decimal` mark, and those of `na` are missing.
    """

    learner: str
    classes: list[Any]
    inputs: list[Number | Category]
    intercept: Array
    from_table: bool
    dtype: np.dtype[Any]
    na: tuple[str, ...] = ()
    decimal: str = "."


def formula_of(model: Any) -> Formula:
    """Return what a fitted `TableModel` or learner computes, the encoder included.

    Raises
    ------
    DataError
        The model is not a formula of this kind; the message says why.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep.learners import Perceptron
    >>> found = formula_of(Perceptron().fit(np.array([[-1.0], [2.0]]), ["no", "yes"]))
    >>> found.inputs[0].name, found.inputs[0].weights.tolist()
    ('x1', [1.0])
    """
    learner, encoder = parts_of(model)
    name = type(learner).__name__
    if not isinstance(learner, LinearLearner) or _predicts_otherwise(type(learner)):
        does = "; an averaged perceptron (--learner averaged) does" if hasattr(learner, "decision_function") else ""
        raise DataError(f"{name} cannot be exported: it does not predict by one weight for each feature{does}")
    check_is_fitted(learner)
    classes = model.classes_.tolist()
    if len(classes) < 2:
        raise DataError(f"cannot export a model that has seen only the class {classes[0]!r}: it cannot decide yet")
    W, b = np.asarray(learner.coef_), np.asarray(learner.intercept_, dtype=np.float64)
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise DataError("cannot export a model with a weight that is not a finite number")
    inputs = _plain_inputs(learner, W) if encoder is None else _encoded_inputs(encoder, W)
    from_table = hasattr(learner, "feature_names_in_") if encoder is None else encoder.column_names is not None
    if encoder is None:
        return Formula(name, classes, inputs, b, from_table, W.dtype)
    reading = (tuple(sorted(encoder.na_)), encoder.decimal_ or ".")
    return Formula(name, classes, inputs, b, from_table, np.dtype(np.float64), *reading)


def _predicts_otherwise(cls: type[LinearLearner]) -> bool:
    ours = LinearLearner
    return cls.decision_function is not ours.decision_function or cls.predict is not ours.predict


def _plain_inputs(learner: Any, W: Array) -> list[Number | Category]:
    names = getattr(learner, "feature_names_in_", None)
    names = row_names(W.shape[1], None) if names is None else names.tolist()
    return [Number(name, 0.0, 1.0, w) for name, w in zip(names, _per_feature(W), strict=True)]


def _encoded_inputs(encoder: Any, W: Array) -> list[Number | Category]:
    """The columns that the encoder reads, each with the weights of the features it makes of them."""
    meta, arrays = encoder.state()
    stands_in = meta["kind"] == "table" and encoder.way not in ("drop", "error")
    if (running := meta["running"]) is not None:
        if encoder.missing == "indicator" or {*running["kinds"].values()} != {"number"}:
            raise DataError(
                "cannot export this model: it was trained on a stream, whose categories and text are hashed, and no "
                "other program knows that hash; train it on the whole table (without --stream)"
            )
        return _streamed_inputs([*running["kinds"]], arrays["running/moments"], W, 0.0 if stands_in else None)
    kinds = meta["kinds"].items()
    parts = [name for name, kind in kinds if is_date(kind) or is_words(kind) or is_amount(kind)]
    if parts:
        raise DataError(
            f"cannot export this model: {', '.join(map(repr, parts))} hold dates, running text or numbers with a unit, "
            "and other programs do not know how these become numbers; train it with --column NAME=skip or "
            "NAME=category for each"
        )
    columns: list[tuple[str, Any]]
    if meta["kind"] == "rows":
        columns = [(name, None) for name in encoder.feature_names_]
    else:
        columns = [(column["name"], column["levels"]) for column in meta["columns"]]
    scales = list(zip(arrays["mean"].tolist(), arrays["scale"].tolist(), strict=True))
    sizes = [1 if levels is None else len(levels) for _, levels in columns]
    if meta["had_missing"] and encoder.way == "indicator" and sum(sizes) < W.shape[1]:
        raise DataError(
            "cannot export this model: it has 0/1 columns that mark missing numbers; train it with --missing mean"
        )
    if sum(sizes) != W.shape[1] or sum(levels is None for _, levels in columns) != len(scales):
        raise DataError(
            "cannot export this model: its encoder makes features that are neither a number standardised nor the "
            "level of a category"
        )
    inputs: list[Number | Category] = []
    weights = _per_feature(W)
    moments, at = iter(scales), 0
    fill = iter(arrays.get("fill", np.zeros(len(scales))).tolist())
    for (name, levels), size in zip(columns, sizes, strict=True):
        own = weights[at : at + size]
        if levels is None:
            stand_in = next(fill)
            inputs.append(Number(name, *next(moments), own[0], stand_in if stands_in else None))
        else:
            inputs.append(Category(name, levels, own, stands_in))
        at += size
    return inputs


def _streamed_inputs(names: list[str], moments: Array, W: Array, stand_in: float | None) -> list[Number | Category]:
    """The columns of a stream, if all are numbers: (x - mean) / deviation, as the last row left them."""
    scales = np.sqrt(moments[:, 2] / moments[:, 0])
    scales[scales == 0] = 1.0
    return [
        Number(name, mean, scale, w, stand_in)
        for name, mean, scale, w in zip(names, moments[:, 1].tolist(), scales.tolist(), _per_feature(W), strict=True)
    ]


def _per_feature(W: Array) -> Array:
    """The weights as doubles, one row a feature."""
    return np.ascontiguousarray(W.T, dtype=np.float64)


FORMAT = 1
_HOW = (
    "A number x adds weights * (x - mean) / scale; a category adds the weights of its level, nothing if it is none of "
    "them; the decision values are the sum over the inputs plus the intercepts. One value: the second class where it "
    "is >= 0, else the first. Several: the class of the largest, the first of equal ones. Where the value is missing "
    "(for a category, the empty text is), missing stands for (x - mean) / scale, or for the weights of the level; "
    "without it such a row has no decision value."
)


def to_json(model: Any) -> str:
    """Return a fitted model as JSON: its inputs, their weights, the intercepts, the classes and how they combine.

    z_k = b_k + sum_j w_jk (x_j - mean_j) / scale_j, and w_k[level] for a category.

    Numbers are the shortest decimals that read back as the same double; the `_hex` fields hold the same numbers
    as C's hexadecimal literals (``float.fromhex``), for programs that round when they read decimals.

    Parameters
    ----------
    model : fitted TableModel or learner
        One that predicts with `coef_` and `intercept_`.

    Returns
    -------
    str
        An object with the keys format, version, linsep, learner, how, classes, intercept, intercept_hex and inputs: a
        list of {"name", "kind": "number", "mean", "scale", "weights", and all of them in hex} and {"name", "kind":
        "category", "levels": {level: weights}, "levels_hex"}, with one weight a plane (two classes have one). Where a
        missing value has a decision value, "missing" (and "missing_hex") stands for (x - mean) / scale or for the
        weights of the level. "na" has the cells of text that are missing values, too, if there are such.

    Raises
    ------
    DataError
        The model is not a linear formula of its inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep.learners import Perceptron
    >>> text = to_json(Perceptron().fit(np.array([[-1.0], [2.0]]), ["no", "yes"]))
    >>> json.loads(text)["inputs"][0]["weights"]
    [1.0]
    """
    formula = formula_of(model)
    return json.dumps(_as_dict(formula), allow_nan=False, indent=1) + "\n"


def _as_dict(formula: Formula) -> dict[str, Any]:
    return {
        "format": "linsep linear model",
        "version": FORMAT,
        "linsep": version("linsep"),
        "learner": formula.learner,
        "how": _HOW,
        "classes": formula.classes,
        **_exact("intercept", formula.intercept),
        **({"na": list(formula.na)} if formula.na else {}),
        "inputs": [_number(x) if isinstance(x, Number) else _category(x) for x in formula.inputs],
    }


def _number(x: Number) -> dict[str, Any]:
    exact = {
        key: value for name in ("mean", "scale", "weights") for key, value in _exact(name, getattr(x, name)).items()
    }
    stands_in = {} if x.missing is None else _exact("missing", x.missing)
    return {"name": x.name, "kind": "number", **exact, **stands_in}


def _category(x: Category) -> dict[str, Any]:
    plain, digits = _exact("w", x.weights).values()
    gone = np.array(dict(zip(x.levels, x.weights, strict=True)).get("", np.zeros(x.weights.shape[1])))
    return {
        "name": x.name,
        "kind": "category",
        "levels": dict(zip(x.levels, plain, strict=True)),
        "levels_hex": dict(zip(x.levels, digits, strict=True)),
        **(_exact("missing", gone) if x.missing else {}),
    }


def _exact(name: str, values: float | Array) -> dict[str, Any]:
    """The same numbers twice: in decimals and in hex."""
    array = np.asarray(values, dtype=np.float64)
    return {name: array.tolist(), f"{name}_hex": _hex(array.tolist())}


def _hex(values: Any) -> Any:
    return [_hex(value) for value in values] if isinstance(values, list) else values.hex()
