"""Which rows are of the positive class, by the names that a certificate gives its classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linsep.as_given import labels_of
from linsep.theory.margin.geometry import signs
from linsep.theory.verify.cone import CertificateError
from linsep.types import Array


def names_of(y: Any) -> tuple[str, ...]:
    """Return the labels as text, in sorted order.

    Examples
    --------
    >>> names_of([1, 0, 1])
    ('0', '1')
    """
    return tuple(str(label) for label in np.unique(labels_of(y)))


def class_signs(y: Any, classes: Sequence[str]) -> Array:
    """Return 1.0 for rows of the second class and -1.0 for those of the first.

    "not a" and "a" are one class against all others. Without names the label that sorts first is negative.

    Raises
    ------
    CertificateError
        The labels are not those of the classes.

    Examples
    --------
    >>> class_signs(["b", "a"], ["b", "a"]).tolist(), class_signs([3, 1, 2], ["not 1", "1"]).tolist()
    ([-1.0, 1.0], [-1.0, 1.0, -1.0])
    """
    if not classes:
        return signs(y)
    y = labels_of(y)
    labels, codes = np.unique(y, return_inverse=True)
    names = [str(label) for label in labels]
    negative, positive = classes
    rest = len(names) > 1 and negative == f"not {positive}" and positive in names
    if not (rest or sorted(names) == sorted(classes)):
        raise CertificateError(f"the labels are not those of the classes {negative!r} and {positive!r}")
    side = np.array([1.0 if name == positive else -1.0 for name in names])
    return np.asarray(side[codes.reshape(-1)])
