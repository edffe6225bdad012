"""`linsep show`: what a model file holds."""

from __future__ import annotations

from pathlib import Path

from linsep.app.commands.labelled import listed
from linsep.app.commands.models import load_rows
from linsep.app.result import Result
from linsep.reporting.weights import weights_of


def show(model: Path, n_weights: int) -> Result:
    """The largest weights by feature name, and how the model was made."""
    estimator = load_rows(model)
    found = weights_of(estimator)
    W, what_they_are = found.planes, found.about
    binary = len(estimator.classes_) == 2
    labels = [f"{label}: " for label in estimator.classes_] if len(W) > 1 else [""]
    about = {
        "learner": type(estimator).__name__,
        "classes": "{} (-), {} (+)".format(*estimator.classes_) if binary else listed(estimator.classes_),
        "stop reason": str(estimator.stop_reason_),
        "epochs": f"{estimator.n_iter_:,}",
        "features": f"{W.shape[1]:,}",
    }
    about |= what_they_are
    if len(W) and getattr(estimator, "encoder_", None) is not None:
        about["weights are per"] = "standard deviation of a number, or 1 for a category"
    if hasattr(estimator, "n_mistakes_"):
        about["mistakes"] = f"{estimator.n_mistakes_:,}"
    weights = {labels[k] + name: value for k, name, value in found.heaviest(n_weights)}
    lines = [*about.items(), *((f"  {name}", f"{value:+.6g}") for name, value in weights.items())]
    data = {
        "learner": type(estimator).__name__,
        "classes": estimator.classes_.tolist(),
        "stop_reason": str(estimator.stop_reason_),
        "epochs": estimator.n_iter_,
        "mistakes": getattr(estimator, "n_mistakes_", None),
        "features": W.shape[1],
        "intercept": estimator.intercept_.tolist() if "intercept" in what_they_are else None,
        "weights": weights,
    }
    return Result(lines, data)
