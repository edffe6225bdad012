"""The content of a model file, in words and as data: the learner, its classes and its heaviest weights."""

from __future__ import annotations

from typing import Any, NamedTuple

from linsep.learners.table_model import parts_of
from linsep.reporting.weights import weights_of


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


def describe(model: Any, n_weights: int = 20) -> Description:
    """Describe a fitted `TableModel` or learner: how it was made, and its largest weights by feature name.

    Parameters
    ----------
    model : fitted TableModel or learner
        The model.
    n_weights : int, default=20
        Weights of each class, at most.

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
    learner, encoder = parts_of(model)
    found = weights_of(model)
    W, what_they_are = found.planes, found.about
    classes = model.classes_
    binary = len(classes) == 2
    labels = [f"{label}: " for label in classes] if len(W) > 1 else [""]
    listed = ", ".join(map(str, classes[:6])) + (", ..." if len(classes) > 6 else "")
    about = {
        "learner": type(learner).__name__,
        "classes": "{} (-), {} (+)".format(*classes) if binary else listed,
        "stop reason": str(learner.stop_reason_),
        "epochs": f"{learner.n_iter_:,}",
        "features": f"{W.shape[1]:,}",
    }
    about |= what_they_are
    if len(W) and encoder is not None:
        about["weights are per"] = "standard deviation of a number, or 1 for a category"
    if hasattr(learner, "n_mistakes_"):
        about["mistakes"] = f"{learner.n_mistakes_:,}"
    weights = {labels[k] + name: value for k, name, value in found.heaviest(n_weights)}
    lines = [*about.items(), *((f"  {name}", f"{value:+.6g}") for name, value in weights.items())]
    data = {
        "learner": type(learner).__name__,
        "classes": classes.tolist(),
        "stop_reason": str(learner.stop_reason_),
        "epochs": learner.n_iter_,
        "mistakes": getattr(learner, "n_mistakes_", None),
        "features": W.shape[1],
        "intercept": learner.intercept_.tolist() if "intercept" in what_they_are else None,
        "weights": weights,
    }
    return Description(lines, data)
