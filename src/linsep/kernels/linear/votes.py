"""Votes of all past vectors of a perceptron, from the dot products with its mistaken rows."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def add_votes(G: Any, columns: Any, steps: Any, survival: Any, Z: Any, votes: Any) -> None:
    """votes_t += sum_n c_n sign(z_n), z_n = z_{n-1} + steps[n] G[t, columns[n]], sign(0) = +1, row by row t.

    `Z` (n_rows,) holds z of the vector before the first of these updates and is moved to that after the last;
    `survival[n]` is the number of rows that vector n survived. Changes `Z` and `votes`.
    """
    for t in range(G.shape[0]):
        z = Z[t]
        total = 0
        for n in range(columns.shape[0]):
            z += steps[n] * G[t, columns[n]]
            total += survival[n] if z >= 0.0 else -survival[n]
        Z[t] = z
        votes[t] += total


@njit(cache=True, nogil=True)
def add_class_votes(G: Any, columns: Any, steps: Any, classes: Any, survival: Any, Z: Any, votes: Any) -> None:
    """The same for vectors of several classes that vote for one class: the first with the largest z.

    `Z` and `votes` are (n_rows, n_classes); update n moves z of `classes[n]`, then survives `survival[n]` rows.
    """
    for t in range(G.shape[0]):
        for n in range(columns.shape[0]):
            Z[t, classes[n]] += steps[n] * G[t, columns[n]]
            if survival[n] > 0:
                best = 0
                for k in range(1, Z.shape[1]):
                    if Z[t, k] > Z[t, best]:
                        best = k
                votes[t, best] += survival[n]
