"""The direction of a concept in a layer: that of the largest margin, or else of a fitted probe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from linsep.files import write_whole
from linsep.learners.linear.averaged import AveragedPerceptron
from linsep.theory.margin.max_margin import MarginBracket
from linsep.theory.separability.certificate import Separability
from linsep.types import Array, DataError, Hyperplane

_INTERCEPT, _QUESTION = "/intercept", "question"
Key = tuple[str, str]


class Direction(NamedTuple):
    """A hyperplane w.x + b with ||w|| = 1, positive on the side of the concept.

    Attributes
    ----------
    kind : "maximum margin", "separating" or "probe"
        "probe" is the averaged perceptron on all rows, which no hyperplane separates, or none that doubles hold.
    w : ndarray, shape (d,)
        The direction.
    b : float
        The intercept.
    """

    kind: str
    w: Array
    b: float


def direction_of(X: Array, positive: Array, found: Separability, bracket: MarginBracket | None) -> Direction:
    """The best direction that was found for these rows, or that of a probe that is fitted now."""
    if bracket is not None and bracket.lower > 0:
        return _unit("maximum margin", bracket.hyperplane)
    if found.hyperplane is not None and found.hyperplane.w.dtype != object:
        return _unit("separating", found.hyperplane)
    mean, spread = spread_of(X)
    learner = AveragedPerceptron(random_state=0).fit((X - mean) / spread, positive)
    w = learner.coef_[0] / spread
    return _unit("probe", Hyperplane(w, float(learner.intercept_[0] - w @ mean)))


def spread_of(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each column, 1 in place of 0.

    Examples
    --------
    >>> [ends.tolist() for ends in spread_of(np.array([[1.0, 5.0], [3.0, 5.0]]))]
    [[2.0, 5.0], [1.0, 1.0]]
    """
    mean, spread = X.mean(axis=0), X.std(axis=0)
    spread[spread == 0] = 1
    return mean, spread


def _unit(kind: str, plane: Hyperplane) -> Direction:
    w = np.asarray(plane.w, dtype=np.float64)
    size = float(np.linalg.norm(w)) or 1.0
    return Direction(kind, w / size, float(plane.b) / size)


def cosines(directions: Mapping[Key, Direction], layer: str) -> tuple[list[str], Array]:
    """The concepts of a layer and the cosines between their directions.

    Raises
    ------
    DataError
        There is no direction in such a layer.
    """
    names = [concept for name, concept in directions if name == layer]
    if not names:
        known = ", ".join(map(repr, dict.fromkeys(name for name, _ in directions))) or "none"
        raise DataError(f"there is no direction in layer {layer!r}; layers with directions are {known}")
    W = np.stack([directions[layer, concept].w for concept in names])
    return names, W @ W.T


def write_directions(path: Path, directions: Mapping[Key, Direction], question: str = "") -> None:
    """Write "layer/concept" (w) and "layer/concept/intercept" (b) as .safetensors; the metadata has the kinds."""
    arrays: dict[str, Array] = {}
    for (layer, concept), one in directions.items():
        arrays[f"{layer}/{concept}"] = one.w
        arrays[f"{layer}/{concept}{_INTERCEPT}"] = np.array([one.b])
    kinds = {f"{layer}/{concept}": one.kind for (layer, concept), one in directions.items()}
    write_whole(path, save(arrays, {**kinds, _QUESTION: question}), "the directions")


def read_directions(path: Path, keys: Iterable[Key], question: str) -> dict[Key, Direction]:
    """The directions with these keys in a file that answers this question; none if there is no such file.

    Raises
    ------
    DataError
        It is another file.
    """
    if not path.is_file():
        return {}
    try:
        with safe_open(str(path), "np") as file:
            kinds, there = file.metadata() or {}, set(file.keys())
            names = {key: "/".join(key) for key in keys if kinds.get(_QUESTION) == question}
            return {
                key: Direction(kinds[name], file.get_tensor(name), float(file.get_tensor(name + _INTERCEPT)[0]))
                for key, name in names.items()
                if name in kinds and {name, name + _INTERCEPT} <= there
            }
    except SafetensorError:
        raise DataError(f"{path} is there and holds no directions of linsep probe: give another name") from None
