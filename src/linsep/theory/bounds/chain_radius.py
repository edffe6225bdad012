"""The length of the longest possible update of a chain model: the radius R in Collins' bound."""

from __future__ import annotations

import numpy as np

from linsep.kernels.sequences.chain import Sentences
from linsep.theory.bounds.rounding import length_above
from linsep.types import Array

# Sentences whose features are counted at once: bounds the memory for the counts.
_BLOCK = 4096


def chain_radius(sentences: Sentences, tags: Array, n_features: int, n_tags: int) -> float:
    """R = max over i and z of ||Phi(x_i, y_i) - Phi(x_i, z)||, or an upper bound on it.

    Let a and b count how often one feature occurs with each tag under y and under z. Then
    ||a - b||^2 <= ||a||^2 + ||b||^2, because counts are not negative, and ||b|| is at most the number of times that the
    feature occurs. The same holds for pairs of tags. A sequence z of one tag that does not occur in y has equality
    everywhere, so the value is exact unless the sentence with the largest value uses every tag.

    Parameters
    ----------
    sentences : Sentences
        The features of each token.
    tags : ndarray of int, shape (n_tokens,)
        The number of the tag of each token.
    n_features : int
        The number of features.
    n_tags : int
        The number of tags.

    Returns
    -------
    float
        R, or an upper bound on it.

    Examples
    --------
    >>> one = Sentences(np.array([0, 2]), np.array([0, 1, 2]), np.array([0, 1]))
    >>> chain_radius(one, np.array([0, 1]), 2, 3) ** 2  # 2 for each feature, 2 for the pair, 2 for start and end
    10.000000000000002
    """
    first, indptr, indices = sentences
    most = 0
    for start in range(0, len(first) - 1, _BLOCK):
        ends = first[start : start + _BLOCK + 1]
        lengths = np.diff(ends)
        here = np.repeat(np.arange(len(lengths)), lengths)
        y = tags[ends[0] : ends[-1]].astype(np.int64)
        per_token = np.diff(indptr[ends[0] : ends[-1] + 1])
        of_token = np.repeat(here, per_token) * n_features + indices[indptr[ends[0]] : indptr[ends[-1]]]
        total = _sum_of_squares(of_token, n_features, len(lengths))
        total += _sum_of_squares(of_token * n_tags + np.repeat(y, per_token), n_features * n_tags, len(lengths))
        inside = here[1:] == here[:-1]
        pairs = ((here[1:] * n_tags + y[:-1]) * n_tags + y[1:])[inside]
        total += _sum_of_squares(pairs, n_tags * n_tags, len(lengths))
        total += np.where(lengths > 0, (lengths - 1) ** 2 + 4, 0)
        most = max(most, int(total.max(initial=0)))
    return length_above(most)


def _sum_of_squares(keys: Array, size: int, n: int) -> Array:
    """For each i < n: the sum of the squared counts of the keys k with k // size = i."""
    distinct, counts = np.unique(keys, return_counts=True)
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, distinct // size, counts.astype(np.int64) ** 2)
    return total
