"""The content of a model file, in words and as data: the learner, its classes and its heaviest weights by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.data.features.exact_decimals import row_names
from linsep.learners.base.classifier import Classifier
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import listed
from linsep.types import Array

_WEIGHTS = 20  # of each class
_SHOWN = 10  # of several classes together


class Weights(NamedTuple):
    """One row of `planes` a class (or one for two classes); `about` tells what they are.

    A feature counts times its entry of `signs`: hashed features may have theirs turned.
    """

    planes: Array
    names: list[str]
    signs: Array
    about: dict[str, str]

    def heaviest(self, n: int) -> list[tuple[int, str, float]]:
        """The n largest weights of each plane as (plane, feature, weight); of more features than n no zeros."""
        return [
            (k, self.names[j], float(w[j] * self.signs[j]))
            for k, w in enumerate(self.planes)
            for j in np.argsort(-np.abs(w), kind="stable")[:n]
            if w[j] != 0 or len(w) <= n
        ]


def weights_of(model: Any, names: list[str] | None = None) -> Weights:
    """The planes of a fitted `TableModel` or learner, none where features have no weights.

    `names` are those of the features where the model has no encoder.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> weights_of(Perceptron().fit([[0.0, 1.0], [0.0, -2.0]], [1, 0])).heaviest(1)
    [(0, 'x2', 1.0)]
    """
    learner, encoder = parts_of(model)
    planes, about = _planes(learner)
    if encoder is not None:
        return Weights(planes, list(encoder.feature_names_), encoder.feature_signs_, about)
    known = names if names is not None else getattr(learner, "feature_names_in_", None)
    p = planes.shape[1] if len(planes) else 0
    return Weights(planes, row_names(p, None) if known is None else list(map(str, known)), np.ones(p), about)


def _planes(learner: Any) -> tuple[Array, dict[str, str]]:
    if hasattr(learner, "hidden_coef_"):
        hidden = learner.hidden_coef_
        note = f"lengths of a feature's weights into the {len(hidden)} hidden nodes"
        return np.linalg.norm(hidden, axis=0)[None], {"weights are": note}
    if hasattr(learner, "coef_"):
        return learner.coef_, {"intercept": ", ".join(f"{float(b):+.6g}" for b in learner.intercept_)}
    note = f"{learner.kernel}, with {len(learner.support_):,} support rows; features have no weights"
    return np.zeros((0, learner.n_features_in_)), {"kernel": note}


class Description(NamedTuple):
    """The description of a model.

    Attributes
    ----------
    lines : list of (str, str)
        Label and text of each line, for people.
    data : dict
        The same as plain data, for programs.
    """

    lines: list[tuple[str, str]]
    data: dict[str, Any]


def describe(model: Any, n_weights: int | None = None) -> Description:
    """Describe a fitted `TableModel`, learner or tagger: how it was made, and its largest weights by feature name.

    Beside a thread that learns it describes the model as it was at one moment.

    Parameters
    ----------
    model : fitted TableModel, learner or SequenceTagger
        The model.
    n_weights : int, optional
        Weights of each class, at most; of a tagger weights of features in all, and as many transitions. Unless given,
        20, of which `lines` have about ten in all where there are several classes.

    Returns
    -------
    Description
        `lines` for people and `data` for programs.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> describe(Perceptron().fit([[0.0, 1.0], [0.0, -2.0]], [1, 0]), 1).data["weights"]
    {'x2': 1.0}
    """
    if not isinstance(model, Classifier | TableModel):
        return _describe_tagger(model, n_weights or _WEIGHTS)
    learner, encoder = parts_of(model)
    found, classes = weights_of(model), model.classes_
    planes = len(found.planes)
    data = _made(learner, classes, found.planes.shape[1])
    about = {
        "learner": data["learner"],
        "classes": "{} (-), {} (+)".format(*classes) if len(classes) == 2 else listed([*map(str, classes)], 6),
        "stop reason": data["stop_reason"] or "none: rows came one by one or in parts",
        "epochs": f"{data['epochs']:,}",
        "features": f"{data['features']:,}",
        **found.about,
    }
    if planes and encoder is not None:
        about["weights are per"] = "standard deviation of a number, or 1 for a category"
    if data["mistakes"] is not None:
        about["mistakes"] = f"{data['mistakes']:,}"
    labels = [f"{label}: " for label in classes] if planes > 1 else [""]
    weights = {labels[k] + name: value for k, name, value in found.heaviest(n_weights or _WEIGHTS)}
    few = found.heaviest(max(1, _SHOWN // planes)) if n_weights is None and planes > 1 else []
    shown = [labels[k] + name for k, name, _ in few] or list(weights)
    lines = [*about.items(), *((f"  {name}", f"{weights[name]:+.6g}") for name in shown)]
    if len(shown) < len(weights):
        lines.append(("  ...", f"{len(weights) - len(shown):,} further weights: --weights {_WEIGHTS}"))
    intercept = learner.intercept_.tolist() if "intercept" in found.about else None
    return Description(lines, {**data, "intercept": intercept, "weights": weights})


def _made(learner: Any, classes: Array, features: int) -> dict[str, Any]:
    """How a model was made, as plain data."""
    stop = getattr(learner, "stop_reason_", None)
    return {
        "learner": type(learner).__name__,
        "classes": classes.tolist(),
        "stop_reason": None if stop is None else str(stop),
        "epochs": learner.n_iter_,
        "mistakes": getattr(learner, "n_mistakes_", None),
        "features": features,
    }


def _describe_tagger(tagger: Any, n_weights: int) -> Description:
    """The largest weights by feature and tag, and the largest transitions."""
    names, W = tagger.feature_names_, tagger.coef_
    weights = {}
    for at in np.argsort(-np.abs(W).T.ravel(), kind="stable")[:n_weights].tolist():  # as they lie in memory
        feature, tag = divmod(at, len(W))
        name = f"feature {feature}" if names is None else names[feature]
        weights[f"{tagger.classes_[tag]}: {name}"] = float(W[tag, feature])
    transitions = {f"{before} -> {after}": weight for before, after, weight in tagger.transitions_.top(n_weights)}
    data = _made(tagger, tagger.classes_, W.shape[1])
    lines = [
        ("learner", data["learner"]),
        ("tags", ", ".join(map(str, tagger.classes_))),
        ("stop reason", data["stop_reason"]),
        ("epochs", f"{data['epochs']:,}"),
        ("mistakes", f"{data['mistakes']:,} sentences"),
        ("features", f"{data['features']:,}"),
    ]
    for title, values in (("largest weights", weights), ("transitions", transitions)):
        lines += [(title, ""), *((f"  {name}", f"{value:+.6g}") for name, value in values.items())]
    return Description(lines, {**data, "weights": weights, "transitions": transitions})
