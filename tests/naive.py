"""Plain-loop twins of the kernels, short enough to check by eye."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np


class Run(NamedTuple):
    w: Any
    b: Any
    updates: list[tuple[int, int]]  # (epoch from 1, row)
    clean: bool


def perceptron(X: Any, y: Any, epochs: int, *, intercept: bool = True, weight: Any = None) -> Run:
    """w += y x, b += y wherever y z <= 0, in X's dtype; sums from left to right."""
    w, b = np.zeros(X.shape[1], X.dtype), X.dtype.type(0)
    updates: list[tuple[int, int]] = []
    for epoch in range(1, epochs + 1):
        before = len(updates)
        for i, x in enumerate(X):
            z = X.dtype.type(0)
            for j in range(len(x)):
                z += x[j] * w[j]
            if y[i] * (z + b) <= 0:
                a = y[i] * (1.0 if weight is None else weight[i])
                w += X.dtype.type(a) * x
                b += X.dtype.type(a) * intercept
                updates.append((epoch, i))
        if len(updates) == before:
            return Run(w, b, updates, True)
    return Run(w, b, updates, False)


def tau(rule: str, m: float, q: float, C: float) -> float:
    """Step size of passive-aggressive rules and of the margin perceptron (C its margin) at margin m."""
    loss = max(0.0, 1.0 - m)
    if rule == "margin":
        return float(m <= C)
    if rule == "pa":
        return loss / q
    return min(C, loss / q) if rule == "pa1" else loss / (q + 1 / (2 * C))


def vectors(X: Any, y: Any, order: Any, rule: str, C: float) -> Any:
    """The vector (w, b) after each visited row, stored one by one."""
    v, stored = np.zeros(X.shape[1] + 1), []
    for i in order:
        x = np.append(X[i], 1.0)
        v = v + tau(rule, y[i] * (v @ x), x @ x, C) * y[i] * x
        stored.append(v)
    return np.array(stored)


def multiclass(X: Any, c: Any, n_classes: int, epochs: int) -> Any:
    """Reward the row's class, punish the first best other, wherever z_y <= the best other z."""
    W = np.zeros((n_classes, X.shape[1] + 1))
    mistakes = 0
    for _ in range(epochs):
        for i in range(len(X)):
            x = np.append(X[i], 1.0)
            z = W @ x
            others = [k for k in range(n_classes) if k != c[i]]
            rival = max(others, key=lambda k: (z[k], -k))
            if z[c[i]] <= z[rival]:
                W[c[i]] += x
                W[rival] -= x
                mistakes += 1
    return W, mistakes


def multiclass_vectors(X: Any, c: Any, n_classes: int, order: Any, rule: str, C: float) -> Any:
    """(W, b) of all classes after each visited row: w_y += tau x, w_r -= tau x, r the first best other class."""
    W, stored = np.zeros((n_classes, X.shape[1] + 1)), []
    for i in order:
        x = np.append(X[i], 1.0)
        z = W @ x
        rival = max((k for k in range(n_classes) if k != c[i]), key=lambda k: (z[k], -k))
        step = tau(rule, z[c[i]] - z[rival], 2 * (x @ x), C)
        W = W.copy()
        W[c[i]] += step * x
        W[rival] -= step * x
        stored.append(W)
    return np.array(stored)


class PocketRun(NamedTuple):
    last: Any
    kept: Any
    errors: list[float]  # of the pocket: at the start, and after each vector judged
    judged: list[float]  # of the vectors judged


def pocket(V: Any, orders: Any, mistaken: Any, move: Any, weight: Any) -> PocketRun:
    """Gallant's ratchet: at every row judge a vector whose clean run is longer than that of the vector kept was when it
    was put there; keep it if its error is less.

    `mistaken(V)` tells for every row whether V is wrong about it, `move(V, i)` is V after an update with row i.
    """
    kept, kept_run = V, 0
    errors, judged = [float(weight[mistaken(V)].sum())], []
    run, fresh = 0, True
    for order in orders:
        for i in order:
            if mistaken(V)[i]:
                V, run, fresh = move(V, i), 0, True
                continue
            run += 1
            if run > kept_run:
                error = float(weight[mistaken(V)].sum())
                if fresh:  # the learner does not judge a vector twice, as nothing new could come of it
                    judged.append(error)
                    errors.append(min(error, errors[-1]))
                    fresh = False
                if error < float(weight[mistaken(kept)].sum()):
                    kept, kept_run = V, run
        if errors[-1] == 0:
            break
    return PocketRun(V, kept, errors, judged)


def chain_vector(tokens: Any, tags: Any, n_features: int, n_tags: int) -> Any:
    """Phi(x, y): how often each feature stands with each tag, then each tag (n_tags: the start) before each tag, then
    each tag at the end."""
    W, T = np.zeros((n_features, n_tags)), np.zeros((n_tags + 2, n_tags))
    before = n_tags
    for features, tag in zip(tokens, tags, strict=True):
        for f in features:
            W[f, tag] += 1
        T[before, tag] += 1
        before = tag
    T[n_tags + 1, before] += 1
    return np.append(W.ravel(), T.ravel())


def best_tags(w: Any, tokens: Any, n_features: int, n_tags: int) -> tuple[int, ...]:
    """Of all sequences the best; of equal ones the one whose last tag comes first, then whose last but one does."""
    every = itertools.product(range(n_tags), repeat=len(tokens))
    return min(every, key=lambda z: (-(w @ chain_vector(tokens, z, n_features, n_tags)), z[::-1]))


class ChainRun(NamedTuple):
    w: Any
    mean: Any  # of w after each visit
    mistakes: list[int]  # the visits where the best tags were not the gold ones


def chain(sentences: Any, gold: Any, visits: Any, n_features: int, n_tags: int) -> ChainRun:
    """Collins' perceptron: w += Phi(x, y) - Phi(x, z) wherever the best tags z are not y."""
    w = total = np.zeros(n_features * n_tags + (n_tags + 2) * n_tags)
    mistakes = []
    for visit, i in enumerate(visits):
        z = best_tags(w, sentences[i], n_features, n_tags)
        if z != tuple(gold[i]):
            gain = chain_vector(sentences[i], gold[i], n_features, n_tags)
            w = w + gain - chain_vector(sentences[i], z, n_features, n_tags)
            mistakes.append(visit)
        total = total + w
    return ChainRun(w, total / len(visits), mistakes)


def loss(name: str, y: float, z: float) -> float:
    m = y * z
    return {
        "perceptron": max(0.0, -m),
        "hinge": max(0.0, 1 - m),
        "logistic": float(np.logaddexp(0, -m)),
        "squared_hinge": max(0.0, 1 - m) ** 2,
        "squared": (y - z) ** 2,
    }[name]


def slope(name: str, y: float, z: float) -> float:
    m = y * z
    return {
        "perceptron": -y * (m <= 0),
        "hinge": -y * (m < 1),
        "logistic": -y * float(np.exp(-np.logaddexp(0, m))),
        "squared_hinge": -2 * y * max(0.0, 1 - m),
        "squared": 2 * (z - y),
    }[name]


def sgd(A: Any, y: Any, rows: Any, etas: Any, name: str, radius: float, clip: float, weight: Any) -> tuple[Any, Any]:
    """The vector before each step and the last one; step t takes row rows[t] of A and eta etas[t]."""
    w, stored = np.zeros(A.shape[1]), []
    for i, eta in zip(rows, etas, strict=True):
        stored.append(w)
        g = weight[i] * slope(name, y[i], w @ A[i]) * A[i]
        g = g * min(1.0, clip / max(float(np.linalg.norm(g)), 1e-300))
        w = w - eta * g
        w = w * min(1.0, radius / max(float(np.linalg.norm(w)), 1e-300))
    return np.array(stored), w


class MixedRun(NamedTuple):
    w: Any  # (w, b)
    mean: Any  # of all vectors in use, one after each row
    mistakes: list[list[int]]  # of each shard in each epoch


def parameter_mixing(X: Any, y: Any, epochs: int) -> MixedRun:
    """Each shard (a list of them) makes an epoch from the mixed weights; then w = sum mu_i w_i."""
    w = np.zeros(X[0].shape[1] + 1)
    used: list[Any] = []
    mistakes: list[list[int]] = []
    for _ in range(epochs):
        trained: list[Any] = []
        k: list[int] = []
        for rows, labels in zip(X, y, strict=True):
            v, made = w.copy(), 0
            for x, label in zip(rows, labels, strict=True):
                if label * (x @ v[:-1] + v[-1]) <= 0:
                    v += label * np.append(x, 1.0)
                    made += 1
                used.append(v.copy())
            trained.append(v)
            k.append(made)
        mu = np.full(len(X), 1 / len(X))
        if any(k):
            w = mu @ np.array(trained)
        mistakes.append(k)
    return MixedRun(w, np.mean(used, axis=0), mistakes)


def kernel_perceptron(K: Any, steps: Any, orders: Any) -> Any:
    """Mistakes (epoch, row, plane), in order, and coefficients: a_i += steps_i wherever steps_i sum_j a_j K_ij <= 0."""
    A = np.zeros((len(steps), len(K)))
    mistakes = []
    for epoch, order in enumerate(orders):
        for i in order:
            for k, step in enumerate(steps[:, i]):
                if step * sum(A[k, j] * K[i, j] for j in range(len(K))) <= 0:
                    A[k, i] += step
                    mistakes.append((epoch, int(i), k))
    return mistakes, A


class BudgetRun(NamedTuple):
    mistakes: list[int]
    kept: list[int]  # oldest first
    a: Any  # coefficients of the rows kept


def projectron(K: Any, y: Any, budget: int) -> BudgetRun:
    """Mistakes add rows while there is room and independent ones, then projections; each row once."""
    kept: list[int] = []
    a = np.zeros(0)
    mistakes = []
    for t in range(len(y)):
        if y[t] * (K[t, kept] @ a) > 0:
            continue
        mistakes.append(t)
        d = np.linalg.solve(K[np.ix_(kept, kept)], K[kept, t])
        if len(kept) < budget and K[t, t] - K[t, kept] @ d > 1e-10 * K[t, t]:
            kept, a = [*kept, t], np.append(a, y[t])
        else:
            a = a + y[t] * d
    return BudgetRun(mistakes, kept, a)
