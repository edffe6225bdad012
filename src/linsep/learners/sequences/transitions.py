"""The weights of a tagger's transitions, printed as a table or as a list of the heaviest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.types import Array

# Up to so many tags the transitions are shown as a grid.
_GRID = 12


@dataclass(frozen=True, repr=False)
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

    def __str__(self) -> str:
        if len(self.tags) > _GRID:
            return "\n".join(f"{before} -> {after}  {weight:+.4g}" for before, after, weight in self.top())
        table = [["", *map(str, self.tags)]]
        table += [[name, *(f"{w:+.4g}" for w in row)] for name, row in zip(self.rows, self.weights, strict=True)]
        wide = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join("  ".join(f"{cell:>{w}}" for cell, w in zip(row, wide, strict=True)) for row in table)

    __repr__ = __str__
