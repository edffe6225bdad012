"""What gradient descent is asked, and what it remembers: w = s v as a number and a vector, and the sum of weighted
vectors likewise.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import scipy.special

from linsep.declared import ArraySpec, ValueSpec
from linsep.kernels.linear.epoch import squared_norm
from linsep.kernels.linear.gradient import LEAST_SCALE, Iterate, measure
from linsep.kernels.linear.sums import times
from linsep.kernels.records import RECORD
from linsep.learners.engine.number_range import check_weights
from linsep.learners.inputs.parameters import is_number
from linsep.theory.bounds.losses import auto_eta0, loss_code
from linsep.types import Array, DataError

_SUMS = ArraySpec(("planes",), "float64", bounded=False)
# In the order of `linsep.kernels.linear.gradient.Iterate`. Sums are finite, and `DerivedLearner.set_state` looks at the
# vector that they give.
ARRAYS = {
    "_v": ArraySpec(("planes", "features")),
    "_b": ArraySpec(("planes",), like="_v"),
    "_mean": ArraySpec(("planes", "features"), "float64", bounded=False),
    "_mean_b": _SUMS,
    "_scale": ArraySpec(("planes",), "float64", least=LEAST_SCALE, below=2),  # projections shorten
    "_scale_sum": _SUMS,
    "_norm2": _SUMS,
    "_total": ArraySpec((1,), "float64", least=0, bounded=False),
}
_TEXT = ValueSpec("text")
_BOUND = (_TEXT, ValueSpec("number", most=math.inf, none=True), ValueSpec("flag"), _TEXT, _TEXT, ValueSpec("flag"))
VALUES = {
    "eta0_": ValueSpec("number", most=sys.float_info.max, needed=False),
    "gradient_bound_": ValueSpec("number", most=math.inf, nan=True),
    "_promise": ValueSpec("tuple", least=5, parts=_BOUND),
}
NO_STEPS = (
    'eta0="auto" needs all rows at once, for max ||(x, 1)|| and T: give eta0 as a number to learn from a stream (after '
    'a fit its eta0_, say); learning_rate="invsqrt" needs no T'
)


def has_steps(learner: Any) -> bool:
    """Whether `partial_fit` knows how far to step; AttributeError if not."""
    if learner.eta0 == "auto":
        raise AttributeError(NO_STEPS)
    return True


def is_logistic(learner: Any) -> bool:
    """Whether z is the logarithm of odds; AttributeError if not."""
    if learner.loss != "logistic":
        raise AttributeError(f'probabilities come with loss="logistic", this learner has loss={learner.loss!r}')
    return True


def probabilities(z: Array, n_classes: int) -> Array:
    """1 / (1 + exp(-z)) of the positive class; of several classes that of each against the rest, made to sum to 1."""
    if z.ndim == 2:
        return np.asarray(scipy.special.softmax(scipy.special.log_expit(z), axis=1))
    if n_classes < 2:
        return np.ones((len(z), 1))
    return np.column_stack([scipy.special.expit(-z), scipy.special.expit(z)])


def log_probabilities(z: Array, n_classes: int) -> Array:
    """ln of `probabilities`."""
    if z.ndim == 2:
        return np.asarray(scipy.special.log_softmax(scipy.special.log_expit(z), axis=1))
    if n_classes < 2:
        return np.zeros((len(z), 1))
    return np.column_stack([scipy.special.log_expit(-z), scipy.special.log_expit(z)])


def check_descent(learner: Any) -> None:
    """Raise for parameters of an `SGDClassifier` that make no sense."""
    loss_code(learner.loss)
    choices = {"average": ("eta", "uniform", None), "learning_rate": ("constant", "invsqrt")}
    for name, words in {**choices, "sampling": ("epochs", "replacement")}.items():
        if getattr(learner, name) not in words:
            shown = " or ".join("None" if word is None else f'"{word}"' for word in words)
            raise ValueError(f"{name} must be {shown}, got {getattr(learner, name)!r}")
    for name in ("projection_radius", "clip_norm"):
        value = getattr(learner, name)
        if value is not None and not (is_number(value) and 0 < value < math.inf):
            raise ValueError(f"{name} must be above 0 and finite, or None (no limit), got {value!r}")
    if learner.eta0 != "auto" and not (is_number(learner.eta0) and 0 < learner.eta0 < math.inf):
        raise ValueError(f'eta0 must be above 0 and finite, or "auto", got {learner.eta0!r}')
    if learner.eta0 == "auto" and learner.max_iter is None and learner.projection_radius is not None:
        auto_eta0(1.0, 1.0, None, learner.learning_rate)


def check_norms(norms: Array, before: int, eta0: float, dtype: Any = None) -> None:
    """Raise where ||w|| after an epoch is not finite or, with a dtype, has outgrown it; `before` epochs came first."""
    for e, norm in enumerate(norms.tolist(), before + 1):
        if not math.isfinite(norm):
            raise DataError(
                f"the steps diverged: w is not finite after {e} epochs with eta0 = {eta0:g}. "
                "Give a smaller eta0, a projection_radius or a clip_norm, and start again"
            )
        if dtype is not None:
            check_weights(norm, dtype)


def measure_all(w: Iterate, constant2: float) -> None:
    """Measure the length of every vector from its entries. Changes `w.norm2`."""
    for k in range(len(w.b)):
        measure(w, k, constant2)


def compare(w: Iterate, constant2: float, reference: Array, record: Array) -> None:
    """Enter cosine and inner product of (w, b/c) and a reference (w*, b*/c). Changes `record`."""
    c = math.sqrt(constant2) or 1.0
    reference = np.append(reference[:-1], reference[-1] / c)
    with np.errstate(invalid="ignore", over="ignore"):
        inner = times(w.V[:1], reference[:-1])[0]
        dot = float(w.s[0] * (inner + w.b[0] / c * reference[-1]))
        full = math.hypot(record[RECORD.norm_w], record[RECORD.b] / c) * math.sqrt(squared_norm(reference))
    record[[RECORD.cos, RECORD.w_dot_reference]] = dot / full if full > 0 else math.nan, dot
