"""Generated data of any size: text-like sparse rows, and an endless stream that drifts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.data.synthetic.separable import Seed
from linsep.kernels.linear.epoch import squared_norm
from linsep.kernels.linear.sums import times
from linsep.types import Array, Chunk


def make_zipf_text(
    n_samples: int, n_features: int, *, words: float = 50.0, exponent: float = 1.0, random_state: Seed = None
) -> tuple[Any, Array, Array, float]:
    """Count words drawn with P(word j) proportional to j^-exponent; y_i = sign(w*.x_i + b*), never 0.

    Parameters
    ----------
    n_samples, n_features : int
        Documents, and words in the dictionary (column 0 is the most frequent).
    words : float, default=50
        Mean length of a document; lengths are 1 + Poisson(words - 1).
    exponent : float, default=1
        Of Zipf's law.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : scipy.sparse.csr_matrix of float64 counts, shape (n_samples, n_features)
    y : ndarray of int64, -1 or +1, about half of each
    w : ndarray, shape (n_features,), of length 1
    b : float

    Raises
    ------
    ValueError
        Fewer than two different documents were drawn, or `words` is below 1.

    Examples
    --------
    >>> X, y, w, b = make_zipf_text(200, 1000, random_state=0)
    >>> bool((y * (X @ w + b)).min() > 0)
    True
    >>> X.shape[1]
    1000
    """
    if words < 1:
        raise ValueError(f"words, the mean length of a document, must be at least 1; got {words}")
    rng = np.random.default_rng(random_state)
    lengths = 1 + rng.poisson(words - 1, n_samples)
    frequency = np.arange(1.0, n_features + 1) ** -exponent
    drawn = rng.choice(n_features, size=int(lengths.sum()), p=frequency / frequency.sum())
    document = np.repeat(np.arange(n_samples), lengths)
    X = sp.coo_matrix((np.ones(len(drawn)), (document, drawn)), shape=(n_samples, n_features)).tocsr()
    w = rng.standard_normal(n_features)
    w /= math.sqrt(squared_norm(w))
    z = np.asarray(X @ w)
    levels = np.unique(z)
    apart = np.flatnonzero(np.diff(levels) > 1e-9)  # two documents that say the same may differ by rounding
    if not apart.size:
        raise ValueError("all documents are alike: draw more of them, or longer ones")
    # The plane goes through the middle of the gap nearest the median, so no document is on it.
    middle = (levels[apart] + levels[apart + 1]) / 2
    b = -float(middle[np.abs(middle - np.median(z)).argmin()])
    return X, np.where(z + b > 0, 1, -1), w, b


def make_drift_stream(
    n_features: int, *, turn: float = 0.01, noise: float = 0.0, chunk_rows: int = 1000, random_state: Seed = None
) -> Iterator[tuple[Chunk, Array]]:
    """Yield (chunk, w_k) without end: w_k = cos(k turn) u + sin(k turn) v, y_i = sign(w_k.x_i) in chunk k.

    Rows are standard normal; u and v are orthogonal unit vectors drawn at the start.

    Parameters
    ----------
    n_features : int, at least 2
    turn : float, default=0.01
        Radians that the separator turns from one chunk to the next.
    noise : float in [0, 1], default=0
        Probability that a label is the other one.
    chunk_rows : int, default=1000
    random_state : int, numpy.random.Generator or None

    Yields
    ------
    chunk : Chunk
        `X` of shape (chunk_rows, n_features), `y` of -1 and +1, `start` the rows before it.
    w : ndarray, shape (n_features,), of length 1
        The separator in force in this chunk.

    Raises
    ------
    ValueError
        Fewer than two features: there is no plane to turn in.

    Examples
    --------
    >>> stream = make_drift_stream(3, turn=0.5, random_state=0)
    >>> (_, w0), (chunk, w1) = next(stream), next(stream)
    >>> chunk.start, round(float(np.arccos(w0 @ w1)), 6)
    (1000, 0.5)
    """
    if n_features < 2:
        raise ValueError(f"a separator needs at least two features to turn in, got {n_features}")
    rng = np.random.default_rng(random_state)
    u, v = rng.standard_normal((2, n_features))
    u /= math.sqrt(squared_norm(u))
    v -= times(v[None], u) * u
    v /= math.sqrt(squared_norm(v))

    def chunks() -> Iterator[tuple[Chunk, Array]]:
        k = 0
        while True:
            angle = k * turn % (2 * np.pi)
            w = np.cos(angle) * u + np.sin(angle) * v
            X = rng.standard_normal((chunk_rows, n_features))
            y = np.where(times(X, w) >= 0, 1, -1) * np.where(rng.uniform(size=chunk_rows) < noise, -1, 1)
            yield Chunk(X, y, k * chunk_rows), w
            k += 1

    return chunks()
