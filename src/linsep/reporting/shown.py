"""The content of a model file, in words and as data: the learner, its classes and its heaviest weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linsep.data.features.kinds import is_words
from linsep.data.features.words import Grams
from linsep.learners.base.classifier import Classifier
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import listed
from linsep.reporting.weights import weights_of
from linsep.types import Array

_WEIGHTS = 20  # of each class
_SHOWN = 10  # of several classes together
_NAMED = 4  # terms of one text that have the same weight


class Description(NamedTuple):
    """The description of a model.

    Attributes
    ----------
    lines : list of (str, str)
        Label and text of each line, for people.
    data : dict
        The same as plain data, for programs.
    details : list of (str, str)
        Weights for which `lines` have no room.
    """

    lines: list[tuple[str, str]]
    data: dict[str, Any]
    details: Sequence[tuple[str, str]] = ()


def describe(model: Any, n_weights: int | None = None) -> Description:
    """Describe a fitted `TableModel`, learner or tagger: how it was made, and its largest weights by feature name.

    Beside a thread that learns it describes the model as it was at one moment.

    Parameters
    ----------
    model : fitted TableModel, learner or SequenceTagger
        The model.
    n_weights : int, optional
        Weights of each class, at most; of a tagger weights of features in all, and as many transitions. Unless given,
        20, and of several classes `lines` have about ten in all, and `details` the others.

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
    with model.reading() as still:  # another thread may learn meanwhile
        if not isinstance(still, Classifier | TableModel):
            return _describe_tagger(still, n_weights or _WEIGHTS)
        return _describe_rows(still, n_weights)


def _describe_rows(model: Any, n_weights: int | None) -> Description:
    """How a model of rows was made, and its largest weights by feature name."""
    learner, encoder = parts_of(model)
    found = weights_of(model)
    W, what_they_are = found.planes, found.about
    classes = model.classes_
    stop = getattr(learner, "stop_reason_", None)
    labels = [f"{label}: " for label in classes] if len(W) > 1 else [""]
    about = {
        "learner": type(learner).__name__,
        "classes": "{} (-), {} (+)".format(*classes) if len(classes) == 2 else listed([*map(str, classes)], 6),
        "stop reason": str(stop or "none: rows came one by one or in parts"),
        "epochs": f"{learner.n_iter_:,}",
        "features": f"{W.shape[1]:,}",
    }
    about |= what_they_are
    if len(W) and encoder is not None:
        about["weights are per"] = "standard deviation of a number, or 1 for a category"
    if hasattr(learner, "n_mistakes_"):
        about["mistakes"] = f"{learner.n_mistakes_:,}"
    weights = {labels[k] + name: value for k, name, value in found.heaviest(n_weights or _WEIGHTS)}
    first: Collection[str] = weights
    if _is_long(W, n_weights):
        largest = sorted(found.heaviest(max(1, _SHOWN // len(W))), key=lambda one: -abs(one[2]))
        first = {labels[k] + name for k, name, _ in largest[:_SHOWN]}
    texts = {} if encoder is None else {name: kind for name, kind in encoder.kinds_.items() if is_words(kind)}
    for name, kind in texts.items():
        about[f"{name}:..."] = f"{_units(kind)} of the text in {name!r}; terms that have the same weight share a line"
    starts = [f"{label}{name}:" for label in labels for name in texts]
    lines = [*about.items(), *_weight_lines({name: weights[name] for name in weights if name in first}, starts)]
    others = _weight_lines({name: weights[name] for name in weights if name not in first}, starts)
    if others:
        lines.append(("  ...", f"{len(weights) - len(first):,} further weights: --weights {_WEIGHTS}"))
    data = {
        **_made(learner, classes, W.shape[1]),
        "intercept": learner.intercept_.tolist() if "intercept" in what_they_are else None,
        "weights": weights,
    }
    return Description(lines, data, others)


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


def _units(kind: str) -> str:
    """What the terms of running text are."""
    unit, low, high = Grams.parse(kind)
    some = f"{low}" if low == high else f"{low} to {high}"
    if high == 1:
        return "a word" if unit == "words" else "a character"
    return f"{some} {'words' if unit == 'words' else 'characters'} in a row"


def _weight_lines(weights: Mapping[str, float], starts: Sequence[str]) -> list[tuple[str, str]]:
    """A line for each weight; terms of one text that have the same one, as those of the same rows do, share a line.

    Their names begin with one of `starts`.
    """
    lines: list[tuple[str, str]] = []
    terms: dict[tuple[str, str], list[str]] = {}
    for name, value in weights.items():
        said = f"{value:+.6g}"
        start = next((start for start in starts if name.startswith(start)), None)
        if start is None:
            lines.append((f"  {name}", said))
            continue
        same = terms.setdefault((start, said), [])
        if not same:
            lines.append((start, said))
        same.append(name.removeprefix(start))
    return [line if line not in terms else _of_terms(*line, terms[line]) for line in lines]


def _of_terms(start: str, said: str, terms: list[str]) -> tuple[str, str]:
    """The line of terms of one text that have the same weight."""
    named = ", ".join(map(repr, terms[:_NAMED])) + (f", ... ({len(terms):,} terms)" if len(terms) > _NAMED else "")
    return f"  {start} {named}", said + (" each" if len(terms) > 1 else "")


def _is_long(W: Array, asked: int | None) -> bool:
    """Whether the weights of several classes are more than one looks at, and nobody asked for so many."""
    return asked is None and len(W) > 1 and W.size > _SHOWN


def _describe_tagger(tagger: Any, n_weights: int) -> Description:
    """The largest weights by feature and tag, and the largest transitions."""
    names = tagger.feature_names_
    W = tagger.coef_
    size = np.abs(W).T.ravel()  # feature by feature, as the weights lie in memory
    weights = {}
    for at in np.argsort(-size, kind="stable")[:n_weights].tolist():
        feature, tag = divmod(at, len(W))
        name = f"feature {feature}" if names is None else names[feature]
        weights[f"{tagger.classes_[tag]}: {name}"] = float(W[tag, feature])
    transitions = {f"{before} -> {after}": weight for before, after, weight in tagger.transitions_.top(n_weights)}
    about = {
        "learner": type(tagger).__name__,
        "tags": ", ".join(map(str, tagger.classes_)),
        "stop reason": str(tagger.stop_reason_),
        "epochs": f"{tagger.n_iter_:,}",
        "mistakes": f"{tagger.n_mistakes_:,} sentences",
        "features": f"{W.shape[1]:,}",
    }
    lines = list(about.items())
    for title, values in (("largest weights", weights), ("transitions", transitions)):
        lines += [(title, ""), *((f"  {name}", f"{value:+.6g}") for name, value in values.items())]
    data = {
        **_made(tagger, tagger.classes_, W.shape[1]),
        "weights": weights,
        "transitions": transitions,
    }
    return Description(lines, data)
