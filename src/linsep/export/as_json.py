"""A model as JSON for people and other programs."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import numpy as np

from linsep.export.formula import Category, Formula, Number, formula_of
from linsep.types import Array

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
