"""Weights of rows and of classes: which are accepted, and what is left when some are 0."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from linsep.types import Array, DataError


class Given(NamedTuple):
    """Rows of weight 0 removed; `numbers`: original indices, None where no row was removed.

    `codes` are the labels as kernels read them, where they are known already.
    """

    X: Any
    y: Array
    weight: Array | None = None
    numbers: Array | None = None
    codes: Array | None = None

    def take(self, rows: Any) -> Self:
        """These of the rows: a slice or a mask."""
        numbers = np.arange(len(self.y)) if self.numbers is None else self.numbers
        weight = None if self.weight is None else self.weight[rows]
        codes = None if self.codes is None else self.codes[rows]
        return type(self)(self.X[rows], self.y[rows], weight, numbers[rows], codes)

    def number(self, i: int) -> int:
        """The original index of row i."""
        return i if self.numbers is None else int(self.numbers[i])


def rows_of_weight(X: Any, y: Array, sample_weight: Any) -> Given:
    """The rows whose weight is not 0, and their weights; an error unless all are finite and at least 0."""
    from sklearn.utils import check_array

    n = len(y)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, float(sample_weight))
    weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight")
    if weight.shape != (n,):
        raise DataError(f"sample_weight has the shape {weight.shape}; give one weight for each of the {n} rows")
    if n and weight.min() < 0:
        raise DataError(
            f"the sample_weight of row {int(weight.argmin())} is {weight.min()}; give weights of at least 0"
        )
    given = Given(X, y, weight)
    return given if (weight > 0).all() else given.take(weight > 0)


def check_class_weight(class_weight: Any) -> None:
    """Raise unless it is None, "balanced", or a mapping to finite numbers that are at least 0."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be None, "balanced" or a dict of label: weight, got {class_weight!r}')
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(f"the class_weight of {label!r} must be a finite number of at least 0, got {weight!r}")


def weights_of_classes(class_weight: Mapping[Any, float], classes: Array, may_join: bool) -> Array:
    """The weight of each class, 1 for those not in the mapping.

    A label in the mapping that is no class is an error where a class has no weight (it may be misspelt), unless it
    may still join.

    Examples
    --------
    >>> import numpy as np
    >>> weights_of_classes({"b": 2.0}, np.array(["a", "b"]), False).tolist()
    [1.0, 2.0]
    """
    check_class_weight(class_weight)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    missing = [label for label in labels if label not in class_weight]
    if unknown and missing and not may_join:
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is not one of the classes, and not the class {missing[0]!r}"
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])
