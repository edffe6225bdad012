"""What gradient descent remembers: w = s v as a number and a vector, and the sum of weighted vectors likewise."""

from __future__ import annotations

import math
import sys

from linsep.declared import ArraySpec, ValueSpec

_SUMS = ArraySpec(("planes",), "float64", bounded=False)
# In the order of `linsep.kernels.linear.gradient.Iterate`. Sums are finite, and `DerivedLearner.set_state` looks at the
# vector that they give.
ARRAYS = {
    "_v": ArraySpec(("planes", "features")),
    "_b": ArraySpec(("planes",), like="_v"),
    "_mean": ArraySpec(("planes", "features"), "float64", bounded=False),
    "_mean_b": _SUMS,
    "_scale": ArraySpec(("planes",), "float64", least=0, below=2),  # projections shorten
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
