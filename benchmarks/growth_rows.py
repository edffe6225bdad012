"""Rows made on the fly, and what is done with them, for the suite growth."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import blas, lapack

from linsep import AveragedPerceptron, Perceptron, fit_stream, separability, separation

Work = Callable[[], Any]
Rows = tuple[Any, Any]


# ------------------------------------------------------------------------- rows
def dense(n: int, p: int = 10, classes: int = 2) -> Rows:
    """Rows of numbers: two classes that a plane parts but for a tenth of the rows, or several drawn at random."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p), dtype=np.float32)
    if classes > 2:
        return X, rng.integers(0, classes, n)
    y = np.where(X[:, 0] > 0, 1, -1)
    return X, np.where(rng.random(n) < 0.1, -y, y)


def sparse(n: int, p: int, each: int = 20) -> Rows:
    """Rows of `each` ones in places drawn at random; the first place says the class."""
    rng = np.random.default_rng(0)
    indices = rng.integers(0, p, n * each, dtype=np.int32)
    X = sp.csr_matrix((np.ones(n * each, np.float32), indices, np.arange(0, n * each + 1, each)), shape=(n, p))
    return X, np.where(indices[::each] < p // 2, 1, -1)


def parted(n: int, gap: float, p: int = 10) -> Rows:
    """Rows on both sides of a plane, with a gap between them; of 0.0, some rows lie in it with labels of both kinds."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += gap * y
    if gap == 0.0:
        among = slice(None, 4 * p)  # twice as many would do to have no plane of their own, as a rule
        X[among, 0] = 0.0
        y[among] = rng.permutation([-1, 1] * (2 * p))
    return X, y


def sparse_parted(n: int, p: int) -> Rows:
    """Rows of 20 ones in places drawn at random, parted by a plane through the origin with no gap."""
    X = sparse(n, p)[0]
    X.sum_duplicates()
    return X, np.where(X @ np.random.default_rng(1).standard_normal(p) > 0, 1, -1)


def sparse_apart(n: int, p: int) -> Rows:
    """The half of twice as many such rows that lies farther from the plane: a gap between the classes."""
    X = sparse_parted(2 * n, p)[0]
    z = X @ np.random.default_rng(1).standard_normal(p)
    far = np.sort(np.argsort(-np.abs(z), kind="stable")[:n])
    return X[far], np.where(z[far] > 0, 1, -1)


def design(n: int, levels: int = 100, numbers: int = 3) -> Rows:
    """Numbers and the levels of a factor, one of which has one outcome alone; without levels dense numbers."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, numbers)), (rng.random(n) < 0.5).astype(int)
    if not levels:
        return X, y
    level = rng.integers(0, levels, n)
    y[level == 7] = 1
    dummies = sp.csr_matrix((np.ones(n), (np.arange(n), level)), shape=(n, levels))
    return sp.csr_matrix(sp.hstack([sp.csr_matrix(X), dummies])), y


# --------------------------------------------------------------------- the works
def fitted(rows: Rows, **options: Any) -> Work:
    """Five epochs unless asked for others."""
    learner = AveragedPerceptron(**{"max_iter": 5, "shuffle": False, **options})
    return partial(learner.fit, *rows)


def predicted(rows: Rows) -> Work:
    """Labels of the rows, by a model of some of them."""
    X, y = rows
    return partial(Perceptron(max_iter=1).fit(X[:5000], y[:5000]).predict, X)


def streamed_csv(n: int, p: int, folder: Path) -> Work:
    """One pass over a CSV file; a million cells are made, and repeated."""
    k = min(n, int(10 ** (6 - np.ceil(np.log10(p)))))
    text = io.StringIO()
    np.savetxt(text, np.column_stack(dense(k, p)), delimiter=",", fmt="%.4g")
    path = folder / f"{n}-{p}.csv"
    with path.open("w") as file:
        file.write(",".join([*(f"x{j}" for j in range(p)), "y"]) + "\n")
        file.writelines(text.getvalue() for _ in range(n // k))
    return partial(fit_stream, str(path), target="y")


def streamed_svmlight(n: int, folder: Path) -> Work:
    """One pass over svmlight text of 20 ones a row, of which 50,000 rows are made, and repeated."""
    k = min(n, 50_000)
    X, y = sparse(k, 10_000)
    columns = np.sort(X.indices.reshape(k, -1), axis=1) + 1
    lines = [
        f"{label} {' '.join(f'{j}:1' for j in dict.fromkeys(row))}"
        for label, row in zip(y, columns.tolist(), strict=True)
    ]
    text = "\n".join(lines) + "\n"
    path = folder / f"{n}.svm"
    with path.open("w") as file:
        file.writelines(text for _ in range(n // k))
    return partial(fit_stream, str(path))


def decided(verdict: str, rows: Rows) -> Work:
    """A proof of separability; rows with another verdict would measure something else."""

    def work() -> None:
        found = separability(*rows).verdict
        if found != verdict:
            raise ValueError(f"{rows[0].shape[0]:,} x {rows[0].shape[1]:,} are {found}, not {verdict}: change the rows")

    return work


def regressed(rows: Rows) -> Work:
    """What a logistic regression on these rows would meet."""
    return partial(separation, *rows)


# --------------------------------------------------------------- plain work alone
def multiplied(rows: Rows) -> Work:
    """The product with a vector."""
    w = np.ones(rows[0].shape[1], rows[0].dtype)
    return lambda: rows[0] @ w


def squared(rows: Rows) -> Work:
    """X'X and the LU factors of four rows a column."""
    X = rows[0][: 4 * rows[0].shape[1]].astype(np.float64)

    def work() -> None:
        blas.dsyrk(1.0, X.T)
        lapack.dgetrf(X)

    return work


def squares(rows: Rows) -> Work:
    """Five hundred products with sparse rows and then with their transpose."""
    X = rows[0].astype(np.float64)
    T, w = X.T.tocsr(), np.ones(X.shape[1])

    def work() -> None:
        for _ in range(500):
            T @ (X @ w)

    return work


def filled(numbers: int) -> Work:
    """So many doubles written to new memory."""
    return partial(np.ones, numbers)
