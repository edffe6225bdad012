"""Chains of tags for `StructuredPerceptron`: the plain way to what `SequenceTagger` learns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from linsep.kernels.chain import Chain, make_chain, make_work, viterbi
from linsep.passes import Sentences
from linsep.types import Array, DataError


class ChainModel:
    """Score a sequence of tags by the features of its tokens and by its transitions from tag to tag.

    x is a list of tokens, and each token is a list of feature numbers. y is a sequence of tags, one per token. The
    weights are those of each feature for each tag, row by row, then those of the transitions: one row for each previous
    tag, one for the start and one for the end. Inference is Viterbi's algorithm in float32. Of several best sequences
    it takes the one with the smallest last tag, then with the smallest last but one, and so on. The loss is the number
    of wrong tags.

    Parameters
    ----------
    n_features : int
        Number of features; a feature is a number below it.
    n_tags : int
        Number of tags; a tag is a number below it.

    Examples
    --------
    >>> model = ChainModel(n_features=2, n_tags=2)
    >>> model.n_weights, model.joint_feature([[0], [1]], [0, 1]).tolist()
    (12, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    """

    def __init__(self, n_features: int, n_tags: int) -> None:
        self.n_features = n_features
        self.n_tags = n_tags

    @property
    def n_weights(self) -> int:
        """Number of weights: n_features x n_tags, and (n_tags + 2) x n_tags transitions."""
        return (self.n_features + self.n_tags + 2) * self.n_tags

    def joint_feature(self, x: Sequence[Sequence[int]], y: Sequence[int]) -> Array:
        """Count each feature with each tag, and each tag after each other, the start and the end.

        Parameters
        ----------
        x : sequence of sequences of int
            The features of each token.
        y : sequence of int
            The tag of each token.

        Returns
        -------
        ndarray, shape (n_weights,)
            Phi(x, y).
        """
        phi = np.zeros((self.n_features + self.n_tags + 2, self.n_tags))
        before = start = self.n_features + self.n_tags
        for features, tag in zip(x, y, strict=True):
            np.add.at(phi[:, tag], np.asarray(features, dtype=np.intp), 1.0)
            phi[before, tag] += 1
            before = self.n_features + tag
        if before != start:
            phi[start + 1, before - self.n_features] += 1
        return phi.ravel()

    def inference(self, x: Sequence[Sequence[int]], w: Array) -> list[int]:
        """Find the best tags with Viterbi's algorithm.

        Parameters
        ----------
        x : sequence of sequences of int
            The features of each token.
        w : ndarray, shape (n_weights,)
            The weights.

        Returns
        -------
        list of int
            The tag of each token.
        """
        weights = self._as_chain(w)
        indptr = np.cumsum([0, *map(len, x)], dtype=np.int64)
        indices = np.array(list(chain.from_iterable(x)), dtype=np.int32)
        if indices.size and not 0 <= indices.min() <= indices.max() < self.n_features:
            raise DataError(f"a feature number is not between 0 and {self.n_features - 1}")
        work = make_work(weights, len(x))
        viterbi(Sentences(np.array([0, len(x)], dtype=np.int64), indptr, indices), 0, weights, work)
        found: list[int] = work.path.tolist()
        return found

    def loss(self, y: Sequence[int], guess: Sequence[int]) -> float:
        """Count the wrong tags.

        Parameters
        ----------
        y : sequence of int
            The true tags.
        guess : sequence of int
            The predicted tags.

        Returns
        -------
        float
            The number of tokens whose tags differ.
        """
        return float(sum(a != b for a, b in zip(y, guess, strict=True)))

    def _as_chain(self, w: Array) -> Chain:
        weights = make_chain(self.n_features, self.n_tags, np.float32)
        table = w.reshape(-1, self.n_tags)
        weights.W[:, : self.n_tags] = table[: self.n_features]
        weights.T[:, : self.n_tags] = table[self.n_features :]
        return weights
