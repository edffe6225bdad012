"""Rows to learn from: scikit-learn's own sets, and some made from fixed seeds."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import StandardScaler

import linsep

Table = tuple[Any, Any]


@cache
def cancer() -> Table:
    """569 rows of 30 columns, standardised; two classes, separable."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@cache
def iris() -> Table:
    """150 rows of 4 columns; three classes by name."""
    bunch = load_iris()
    return bunch.data, bunch.target_names[bunch.target]


@cache
def digits() -> Table:
    """400 rows of 64 columns, integers up to 16; ten classes."""
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


@cache
def planted() -> Table:
    """200 separable rows of 5 columns."""
    X, y, _, _ = linsep.make_separable(200, 5, 0.1, random_state=3)
    return X, y


@cache
def noisy(classes: int = 2) -> Table:
    """300 rows of 6 columns whose classes overlap."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 6))
    return X, (X[:, :classes] + 0.7 * rng.normal(size=(300, classes))).argmax(axis=1)


@cache
def sparse(classes: int = 2) -> Table:
    """500 CSR rows of 400 columns, about 12 entries each."""
    rng = np.random.default_rng(11)
    X: Any = sp.random(500, 400, density=0.03, format="csr", random_state=11)
    scores = X @ rng.normal(size=(400, classes)) + 0.05 * rng.normal(size=(500, classes))
    return X, scores.argmax(axis=1)


def single(table: Table) -> Table:
    """The same rows in float32."""
    return table[0].astype(np.float32), table[1]


def weights(n: int) -> Any:
    """A weight for each row, some of them 0."""
    return np.random.default_rng(13).integers(0, 4, size=n) / 2


@cache
def sentences() -> tuple[list[list[str]], list[list[str]]]:
    """60 sentences and their tags, drawn at random around a simple grammar."""
    rng = np.random.default_rng(17)
    words = {"D": ["the", "a", "Every"], "N": ["dog", "dogs", "U.S.", "walk", "1984"], "V": ["walk", "re-ran", "sees"]}
    X, y = [], []
    for _ in range(60):
        tags = ["D", "N", "V"] + (["D", "N"] if rng.random() < 0.5 else [])
        tags = [str(rng.choice(["D", "N", "V"])) if rng.random() < 0.05 else tag for tag in tags]
        X.append([str(rng.choice(words[tag])) for tag in tags])
        y.append(tags)
    return X, y
