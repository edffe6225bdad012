"""Votes of all past vectors of a perceptron, from the dot products with its mistaken rows.

Source: Freund and Schapire 1999 (Machine Learning 37), figure 1: each vector votes with the number of rows that it
survived. For several classes each vector of all classes votes for the class it would predict.
"""

from __future__ import annotations

from typing import Any

from linsep.kernels.memory import uncounted


@uncounted(cache=True, nogil=True)
def add_votes(G: Any, columns: Any, steps: Any, survival: Any, Z: Any, votes: Any) -> None:
    """votes_t += sum_n c_n sign(z_n), z_n = z_{n-1} + steps[n] G[t, columns[n]], sign(0) = +1, row by row t.

    `G` (n_rows, rows mistaken) holds dot products; `columns`, `steps` and `survival` (updates,) say of update n which
    mistaken row it added, how much of it, and c_n, how many rows the vector then survived. `Z` (n_rows,) holds z of the
    vector before the first of these updates and is moved to that after the last. Changes `Z` and `votes`.
    """
    for t in range(G.shape[0]):
        z = Z[t]
        total = 0
        for n in range(columns.shape[0]):
            z += steps[n] * G[t, columns[n]]
            total += survival[n] if z >= 0.0 else -survival[n]
        Z[t] = z
        votes[t] += total


@uncounted(cache=True, nogil=True)
def add_class_votes(G: Any, columns: Any, steps: Any, classes: Any, survival: Any, Z: Any, votes: Any) -> None:
    """votes[t, k] += sum of c_n over the vectors n whose z is largest for class k; of equal classes the first.

    `Z` and `votes` are (n_rows, n_classes); update n moves z of `classes[n]`, and then survives c_n = `survival[n]`
    rows. Changes `Z` and `votes`.
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
