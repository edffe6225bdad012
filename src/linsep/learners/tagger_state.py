"""What a tagger's file holds: weights that are not 0, feature by feature, transitions, and the names of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from linsep.declared import ArraySpec, ValueSpec, check_arrays, check_values
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.labelled import check_distinct
from linsep.types import Array, DataError

VALUES = {
    **dict.fromkeys(("n_iter_", "n_mistakes_", "t_"), ValueSpec()),
    "stop_reason_": replace(Classifier.state_values["stop_reason_"], needed=True),
}
_ARRAYS = {
    "starts": ArraySpec(("features+1",), "whole", cuts="weights"),
    "tags": ArraySpec(("weights",), "tag", least=0, below="tags"),
    "weights": ArraySpec(("weights",), "float32"),
    "transitions": ArraySpec(("tags+2", "tags"), "float32"),
}
_NAMES = {
    "names": ArraySpec(("letters",), "uint8"),
    "name_ends": ArraySpec(("features",), "whole", cuts="letters"),
}


def check_state(values: dict[str, Any], arrays: dict[str, Array], classes: Array, n_bits: int | None) -> None:
    """Raise DataError unless a tagger could have this state; without `n_bits` the names of its features are there."""
    check_values(values, VALUES)
    check_distinct(classes, 2)
    sizes = {"tags": len(classes)} | ({} if n_bits is None else {"features": 1 << n_bits})
    check_arrays(arrays, _ARRAYS if n_bits is not None else _ARRAYS | _NAMES, sizes)
    if n_bits is None:
        names = names_of(arrays)
        if len(set(names)) < len(names):
            raise DataError("two features have one name")


def pack_names(names: Sequence[str]) -> dict[str, Array]:
    """The names as bytes one after another, and where each ends."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    return {
        "names": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "name_ends": np.cumsum([len(name) for name in encoded], dtype=np.int64),
    }


def names_of(arrays: dict[str, Array]) -> list[str]:
    """Undo `pack_names`.

    Raises
    ------
    DataError
        The bytes are not UTF-8.
    """
    text, ends = arrays["names"].tobytes(), arrays["name_ends"].tolist()
    try:
        return [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise([0, *ends])]
    except UnicodeDecodeError:
        raise DataError("the names of features are not UTF-8 text") from None


@dataclass(frozen=True)
class Transitions:
    """The weights of the transitions: `weights[p, k]` is that of tag k after tag p.

    The last two rows are for the start of a sentence (before tag k) and for its end (after tag k).
    """

    tags: Array
    weights: Array

    @property
    def rows(self) -> list[str]:
        """The names of the rows: the tags, "(start)" and "(end)"."""
        return [*map(str, self.tags), "(start)", "(end)"]

    def top(self, n: int = 20) -> list[tuple[str, str, float]]:
        """The n largest weights in size, as (before, after, weight)."""
        order = np.argsort(-abs(self.weights), axis=None, kind="stable")[:n]
        found = []
        for p, k in zip(*np.unravel_index(order, self.weights.shape), strict=True):
            pair = (str(self.tags[k]), "(end)") if p == len(self.tags) + 1 else (self.rows[p], str(self.tags[k]))
            found.append((*pair, float(self.weights[p, k])))
        return found
