"""The weights of a model by the names of its features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.data.features.exact_decimals import row_names
from linsep.learners.table_model import parts_of
from linsep.types import Array


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
