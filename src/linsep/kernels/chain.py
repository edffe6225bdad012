"""First-order chains: the best tags of a sentence (Viterbi), and one pass of the perceptron over sentences.

A sentence x of L tokens with the tags y has the score

    sum_t sum_{f in x_t} W[f, y_t]  +  T[start, y_1] + sum_t T[y_t, y_t+1] + T[end, y_L],

x_t being the features of token t, each counted once per time it is listed. `W` is stored by feature: what a feature
says of all tags is side by side, so the scores of a token are sums of whole rows. Rows are `width` wide, the number of
tags rounded up to whole vector registers; the columns beyond hold 0 in `W` and -inf in `T`, so no path enters them.

`chain_margins` says how far the gold tags of a sentence win over every other sequence: the margin of Collins 2002,
theorem 1. The best other sequence is found with one state more: whether the sequence has left the gold one.

Sources: Viterbi 1967 (IEEE Transactions on Information Theory 13) in the log domain; the structured perceptron of
Collins 2002 (EMNLP), kept for averaging as `Mean` in `optional.py` is. A chain of first order: each tag is scored with
the one before it.

Ties: of several sequences with the best score the one is chosen whose last tag comes first; among those the one whose
last but one does; and so on to the front. A mistake is a sentence whose sequence so chosen is not the gold one. The
gold sequence has no say in the choice, so one that only ties for the best is right if the rule happens to choose it;
Collins' theorem asks no more, since its proof uses that the sequence chosen scores no less than the gold one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.kernels.compiled import inner, kernel, uncounted
from linsep.passes import TALLY
from linsep.types import Array

# Tags that one vector register may hold: 8 numbers of 4 bytes in 32, 8 of 8 bytes in 64.
_LANES = 8


class Chain(NamedTuple):
    """The weights: `W` (n_features, width), `T` (n_tags + 2, width): a row for each tag before, one for the start of
    a sentence and one for its end, whose column is the last tag.
    """

    W: Array
    T: Array


class Work(NamedTuple):
    """Scratch space for sentences of up to as many tokens as `path` is long.

    `scores` and `back` are (tokens, width), `best` (width,); `reach` (n_tags, 2) holds the least and the greatest entry
    of each row of T among the tags, and must be that when a kernel is called (`measure_reach`).
    """

    scores: Array
    back: Array
    path: Array
    reach: Array
    best: Array


def make_chain(n_features: int, n_tags: int, dtype: Any) -> Chain:
    """Weights of 0."""
    width = -(-n_tags // _LANES) * _LANES
    T = np.zeros((n_tags + 2, width), dtype)
    T[:, n_tags:] = -np.inf
    return Chain(np.zeros((n_features, width), dtype), T)


def make_work(chain: Chain, n_tokens: int) -> Work:
    """Scratch space that fits `chain` as it is now, for sentences of up to `n_tokens`."""
    width = chain.T.shape[1]
    n_tags = chain.T.shape[0] - 2
    scores, back = np.empty((n_tokens, width), chain.W.dtype), np.zeros((n_tokens, width), np.int32)
    reach, best = np.empty((n_tags, 2), chain.T.dtype), np.empty(width, chain.T.dtype)
    work = Work(scores, back, np.empty(n_tokens, np.int32), reach, best)
    for k in range(n_tags):
        measure_reach(chain.T, k, work.reach)
    return work


@uncounted(cache=True, nogil=True)
def measure_reach(T: Any, k: int, reach: Any) -> None:
    """reach[k] = (min, max) of T[k, tag] over the tags. Changes `reach` (n_tags, 2)."""
    n_tags = T.shape[0] - 2
    low = high = T[k, 0]
    for j in range(1, n_tags):
        low = min(low, T[k, j])
        high = max(high, T[k, j])
    reach[k, 0] = low
    reach[k, 1] = high


@inner(cache=True, nogil=True)
def _emit(S: Any, t: int, W: Any, z: Any) -> None:
    """z[k] = sum of W[f, k] over the features f of token t; four rows of W at a time, so that z is loaded less often.

    Changes `z` (width,).
    """
    width = np.uint64(z.shape[0])
    e, end = np.uint64(S.indptr[t]), np.uint64(S.indptr[t + 1])
    if e == end:
        z[:] = 0.0
        return
    fresh = True
    while e + np.uint64(4) <= end:
        f0, f1 = np.uint64(S.indices[e]), np.uint64(S.indices[e + np.uint64(1)])
        f2, f3 = np.uint64(S.indices[e + np.uint64(2)]), np.uint64(S.indices[e + np.uint64(3)])
        if fresh:
            for k in range(width):
                z[k] = (W[f0, k] + W[f1, k]) + (W[f2, k] + W[f3, k])
        else:
            for k in range(width):
                z[k] += (W[f0, k] + W[f1, k]) + (W[f2, k] + W[f3, k])
        fresh = False
        e += np.uint64(4)
    while e < end:
        f0 = np.uint64(S.indices[e])
        if fresh:
            for k in range(width):
                z[k] = W[f0, k]
        else:
            for k in range(width):
                z[k] += W[f0, k]
        fresh = False
        e += np.uint64(1)


@inner(cache=True, nogil=True)
def _step(before: Any, z: Any, back: Any, best: Any, T: Any, reach: Any) -> None:
    """best[k] = max_p before[p] + T[p, k], back[k] the first p that attains it, then z += best: one step of Viterbi.

    A tag p cannot lead to any tag better than q does if before[p] + max T[p] < before[q] + min T[q]. Rounding is
    monotone, so this holds of the computed sums as well: rows left out change nothing, ties included. q is the tag
    with the greatest right-hand side. Changes `z`, `back` and `best`, all (width,).
    """
    n_tags = T.shape[0] - 2
    width = np.uint64(z.shape[0])
    enough = before[0] + reach[0, 0]
    for p in range(1, n_tags):
        enough = max(enough, before[p] + reach[p, 0])
    fresh = True
    for p in range(n_tags):
        a = before[p]
        if a + reach[p, 1] >= enough:
            if fresh:
                for k in range(width):
                    best[k] = a + T[p, k]
                    back[k] = p
                fresh = False
            else:
                for k in range(width):
                    s = a + T[p, k]
                    better = s > best[k]
                    best[k] = s if better else best[k]
                    back[k] = p if better else back[k]
    for k in range(width):
        z[k] += best[k]


@uncounted(cache=True, nogil=True)
def viterbi(S: Any, i: int, chain: Any, work: Any) -> None:
    """work.path = the best tags of sentence i; of several the one chosen by the rule for ties above. Changes `work`.

    Scores are kept relative to the best so far, which keeps them small however long the sentence is.
    """
    start, length = S.first[i], S.first[i + 1] - S.first[i]
    if length == 0:
        return
    T = chain.T
    n_tags = T.shape[0] - 2
    for t in range(length):
        z = work.scores[t]
        _emit(S, start + t, chain.W, z)
        if t == 0:
            for k in range(z.shape[0]):
                z[k] += T[n_tags, k]
        else:
            _step(work.scores[t - 1], z, work.back[t], work.best, T, work.reach)
        top = z[0]
        for k in range(1, n_tags):
            top = max(top, z[k])
        for k in range(z.shape[0]):
            z[k] -= top
    z = work.scores[length - 1]
    last = 0
    for k in range(n_tags):
        z[k] += T[n_tags + 1, k]
        if z[k] > z[last]:
            last = k
    for t in range(length - 1, -1, -1):
        work.path[t] = last
        last = work.back[t, last]


@uncounted(cache=True, nogil=True)
def tag_all(S: Any, chain: Any, work: Any, tags: Any) -> None:
    """tags[t] = the best tag of every token t. Changes `tags` (tokens,) and `work`."""
    for i in range(S.first.shape[0] - 1):
        viterbi(S, i, chain, work)
        for t in range(S.first[i], S.first[i + 1]):
            tags[t] = work.path[t - S.first[i]]


@uncounted(cache=True, nogil=True)
def chain_epoch(S: Any, tags: Any, order: Any, chain: Any, mean: Any, visit: int, work: Any, tally: Any) -> None:
    """w += Phi(x, y) - Phi(x, z) wherever the best tags z of a sentence are not the gold tags y.

    Only the entries where the two differ are touched, and `mean`, a `Chain` in float64, takes visit times the same:
    after V visits the mean of w over them is w - mean / V. `visit` counts the sentences visited before this pass.
    Changes `chain`, `mean`, `work` and `tally` (5,), columns of `passes.py`, which goes on counting where it stands.
    """
    for s in range(order.shape[0]):
        i = order[s]
        viterbi(S, i, chain, work)
        wrong = 0
        for t in range(S.first[i], S.first[i + 1]):
            wrong += tags[t] != work.path[t - S.first[i]]
        if wrong > 0:
            tally[TALLY.mistakes] += 1
            tally[TALLY.wrong_tags] += wrong
            _correct(S, i, tags, chain, mean, visit + s, work, tally)


@inner(cache=True, nogil=True)
def _correct(S: Any, i: int, tags: Any, chain: Any, mean: Any, visit: int, work: Any, tally: Any) -> None:
    """w += Phi(x, y) - Phi(x, z) for the path z in `work`; keeps `work.reach` true."""
    n_tags = chain.T.shape[0] - 2
    start, length = S.first[i], S.first[i + 1] - S.first[i]
    was, guessed = n_tags, n_tags
    for t in range(length):
        y, z = tags[start + t], work.path[t]
        if y != z:
            for e in range(S.indptr[start + t], S.indptr[start + t + 1]):
                _add(chain.W, mean.W, S.indices[e], y, 1.0, visit, tally)
                _add(chain.W, mean.W, S.indices[e], z, -1.0, visit, tally)
        if y != z or was != guessed:
            _add(chain.T, mean.T, was, y, 1.0, visit, tally)
            _add(chain.T, mean.T, guessed, z, -1.0, visit, tally)
            for p in (was, guessed):
                if p < n_tags:
                    measure_reach(chain.T, p, work.reach)
        was, guessed = y, z
    if was != guessed:
        _add(chain.T, mean.T, n_tags + 1, was, 1.0, visit, tally)
        _add(chain.T, mean.T, n_tags + 1, guessed, -1.0, visit, tally)


@inner(cache=True, nogil=True)
def _add(W: Any, u: Any, j: int, k: int, a: float, visit: int, tally: Any) -> None:
    """W[j, k] += a, u[j, k] += a visit. Changes `W`, `u` and `tally`."""
    before = np.float64(W[j, k])
    W[j, k] = before + a
    after = np.float64(W[j, k])
    u[j, k] += a * visit
    tally[TALLY.absorbed] += after == before
    tally[TALLY.norm2] += after * after - before * before
    tally[TALLY.largest] = max(tally[TALLY.largest], abs(after))


@inner(cache=True, nogil=True)
def _emit_wide(S: Any, t: int, W: Any, z: Any) -> None:
    """z[k] = sum of W[f, k] over the features f of token t, in float64. Changes `z` (width,)."""
    z[:] = 0.0
    for e in range(np.uint64(S.indptr[t]), np.uint64(S.indptr[t + 1])):
        f = np.uint64(S.indices[e])
        for k in range(np.uint64(z.shape[0])):
            z[k] += np.float64(W[f, k])


@kernel(cache=True, nogil=True)
def chain_margins(S: Any, tags: Any, chain: Any, margins: Any) -> None:
    """margins[i] = w.Phi(x_i, y_i) - max over z other than y_i of w.Phi(x_i, z), in float64; inf if there is no z.

    `other[k]` is the best score, relative to that of y so far, of the sequences that have left y at some token and end
    in tag k: they had left it before, or they leave it here. Changes `margins` (sentences,).
    """
    T = chain.T.astype(np.float64)
    n_tags = T.shape[0] - 2
    width = np.uint64(T.shape[1])
    z, other, after = np.empty(T.shape[1]), np.empty(T.shape[1]), np.empty(T.shape[1])
    for i in range(S.first.shape[0] - 1):
        was = n_tags
        other[:] = -np.inf
        for t in range(S.first[i], S.first[i + 1]):
            y = tags[t]
            _emit_wide(S, t, chain.W, z)
            after[:] = T[was]
            after[y] = -np.inf
            for p in range(n_tags):
                for k in range(width):
                    s = other[p] + T[p, k]
                    after[k] = s if s > after[k] else after[k]
            own = z[y] + T[was, y]
            for k in range(width):
                other[k] = after[k] + z[k] - own
            was = y
        best = -np.inf
        if was < n_tags:
            for k in range(n_tags):
                best = max(best, other[k] + T[n_tags + 1, k] - T[n_tags + 1, was])
        margins[i] = -best
