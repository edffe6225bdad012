"""The series of the suite growth: what is done, what grows, and why its cost grows as it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from benchmarks.growth_rows import (
    Work,
    decided,
    dense,
    design,
    filled,
    fitted,
    multiplied,
    parted,
    predicted,
    regressed,
    sparse,
    sparse_apart,
    sparse_parted,
    squared,
    squares,
    streamed_csv,
    streamed_svmlight,
)
from benchmarks.limits import products
from linsep import max_margin, separability_one_vs_rest

LINEAR = "an epoch reads each stored number once"
MEMORY = "rows that no longer fit into the caches of the processor have to come from memory"
NEW = (
    "rows that no longer fit into the caches of the processor have to come from memory, and what the proof takes "
    "beside them, some 50 bytes a row, has to be had from the system first"
)
WIDE = (
    "rows of a million columns no longer fit into the caches of the processor, and neither do the weights, which "
    "every row needs again"
)
SQUARES = (
    "of four rows a column the product X'X and LU factors are computed, which takes the cube of the columns. Memory: "
    "eight to ten tables of p x p numbers are held beside a copy of the rows"
)
NEAR = "X'X, and LU factors of a basis"
PRODUCTS = (
    "an interior point multiplies the rows near the plane with vectors, by conjugate gradients, hundreds of times: "
    "more the more columns there are, and what was in the caches of the processor comes from memory. Tables with a "
    "column for every twenty rows or more, as those of text, are tried by a perceptron before"
)
HASHED = (
    "from 50,000 rows on a hundredth of them is asked, and a witness of some rows is one of all. What is left are "
    "looks at all rows: hashes, to find two equal rows with different labels, and the columns in use; rows that no "
    "longer fit into the caches of the processor have to come from memory, and what the proof takes beside them, from "
    "the system first"
)
CHUNKS = (
    "each column costs some calls of Python a chunk, and a chunk of a wide table holds 256 lines, in 32 MB of text at "
    "most: of 30,000 columns these are fewer lines, and so more chunks. Give wider tables as svmlight text, which has "
    "no columns to look after"
)
WEIGHTS = (
    "the proof has an exact weight for every row, a Python integer, and search and check write each stored number as "
    "five or six whole ones: some 270 bytes a stored number in all. What was in the caches of the processor comes from "
    "memory, and the memory has to be had from the system first"
)


class Alone(NamedTuple):
    """Plain work of the same size, to compare with: what it is, and what makes it of a value."""

    what: str
    make: Callable[[int], Work]


SQUARE = Alone("X'X and LU factors of four rows a column", lambda p: squared(dense(20_000, p)))


class Series(NamedTuple):
    """What is done, what grows, its values, what makes the work of a value; why so, and why if it is steep.

    `alone` is plain work to compare a steep one with; `ends` says why the values end before those of other series.
    """

    work: str
    axis: str
    values: Sequence[int]
    make: Callable[[int], Work]
    why: str
    steep: str = "not explained"
    alone: Alone | None = None
    ends: str = ""


def powers(low: float, high: float) -> list[int]:
    """1, 3, 10, 30, ..., from low to high."""
    every = [int(d * 10**e) for e in range(len(str(int(high)))) for d in (1, 3)]
    return [value for value in every if low <= value <= high]


CLASSES = [2, *powers(3, 1000)]


def all_series(folder: Path) -> Iterator[Series]:
    """What is measured; files are written to the folder."""
    return chain(learning(), streaming(folder), proving(), widest(), regressing())


def learning() -> Iterator[Series]:
    """Fits and predictions."""
    rows, columns = "rows, 10 columns", "columns, 100 rows"
    yield Series("fit, dense", rows, powers(1e3, 1e7), lambda n: fitted(dense(n)), LINEAR, MEMORY)
    passes = Alone(
        "Five passes of products, which add a seventh of the rows to two vectors,",
        lambda p: products(dense(100, p)[0], 5, 1 / 7, 2),
    )
    yield Series("fit, dense", columns, powers(10, 1e6), lambda p: fitted(dense(100, p)), LINEAR, WIDE, passes)
    yield Series(
        "fit, sparse",
        "stored entries, 20 a row",
        powers(3e4, 1e8),
        lambda e: fitted(sparse(e // 20, 10_000)),
        LINEAR,
        MEMORY,
    )
    yield Series(
        "fit, sparse",
        "columns, 100,000 rows of 20 entries",
        powers(1e3, 1e6),
        lambda p: fitted(sparse(100_000, p)),
        "columns without entries cost nothing; more of them miss the cache",
    )
    yield Series(
        "fit, one-vs-rest",
        "classes, 20,000 x 50",
        CLASSES,
        lambda k: fitted(dense(20_000, 50, k)),
        "a product for each class; the mistakes of all classes together hardly become more",
    )
    yield Series(
        "fit, all epochs",
        "epochs, 10,000 x 10",
        powers(1, 3000),
        lambda e: fitted(dense(10_000), max_iter=e),
        LINEAR,
    )
    product, plain = "a product with the weights", Alone("The product X w", lambda n: multiplied(dense(n)))
    yield Series("predict", rows, powers(1e3, 1e7), lambda n: predicted(dense(n)), product, MEMORY, plain)
    flat = Alone("The product X w", lambda p: multiplied(dense(100, p)))
    yield Series("predict", columns, powers(10, 1e6), lambda p: predicted(dense(100, p)), product, WIDE, flat)
    yield Series(
        "predict",
        "stored entries, 20 a row",
        powers(3e4, 1e8),
        lambda e: predicted(sparse(e // 20, 10_000)),
        product,
        MEMORY,
        Alone("The product X w", lambda e: multiplied(sparse(e // 20, 10_000))),
    )
    yield Series(
        "predict",
        "classes, 20,000 x 50",
        CLASSES,
        lambda k: predicted(dense(20_000, 50, k)),
        "a product with the weights of each class",
        "the scores of all classes no longer fit into the caches of the processor",
    )


def streaming(folder: Path) -> Iterator[Series]:
    """One pass over a file."""
    constant = "memory does not grow: a stream may be endless"
    yield Series(
        "fit --stream of CSV", "rows, 10 columns", powers(1e3, 1e7), lambda n: streamed_csv(n, 10, folder), constant
    )
    yield Series(
        "fit --stream of CSV",
        "columns, 1,000 rows",
        powers(10, 1e5),
        lambda p: streamed_csv(1000, p, folder),
        "a column is looked at once a chunk",
        CHUNKS,
        ends="a million columns are 5 GB of text",
    )
    yield Series(
        "fit --stream of svmlight",
        "stored entries, 20 a row",
        powers(3e4, 1e8),
        lambda e: streamed_svmlight(e // 20, folder),
        constant,
    )


def proving() -> Iterator[Series]:
    """Proofs of separability."""
    rows, columns, wide = "rows, 10 columns", "columns, 100 rows", "columns, 20,000 rows"
    search, few = "a search, and a check of every row in whole numbers", "a witness of a few rows is enough"
    n, p, most = powers(1e3, 1e7), powers(10, 1e6), powers(10, 1e4)
    tall = Alone("Writing 50 bytes a row to new memory", lambda n: filled(50 * n // 8))
    flat = Alone("The product X w", lambda p: multiplied(parted(100, 0.05, p)))
    one = "separable"
    yield Series(f"separability, {one}", rows, n, lambda n: decided(one, parted(n, 0.05)), search, NEW, tall)
    yield Series(f"separability, {one}", columns, p, lambda p: decided(one, parted(100, 0.05, p)), search, WIDE, flat)
    quasi = "quasi-separable"
    yield Series(f"separability, {quasi}", rows, n, lambda n: decided(quasi, parted(n, 0.0)), search, NEW, tall)
    yield Series(
        f"separability, {quasi}", wide, most, lambda p: decided(quasi, parted(20_000, 0.0, p)), NEAR, SQUARES, SQUARE
    )
    other = "inseparable"
    yield Series(f"separability, {other}", rows, n, lambda n: decided(other, dense(n)), few, HASHED, tall)
    yield Series(
        f"separability, {other}", wide, most, lambda p: decided(other, dense(20_000, p)), NEAR, SQUARES, SQUARE
    )
    yield Series(
        f"separability, {other}, sparse",
        "stored entries, 20 a row, 100 columns",
        powers(3e4, 3e7),
        lambda e: decided(other, sparse(e // 20, 100)),
        few,
        HASHED,
        Alone("The product X w", lambda e: multiplied(sparse(e // 20, 100))),
        "three times as many take 4 GB",
    )
    entries, each = "stored entries, 20 a row, 100 columns", "columns, 30 rows of 20 entries a column"
    yield Series(
        f"separability, {one}, sparse",
        entries,
        powers(3e4, 3e7),
        lambda e: decided(one, sparse_parted(e // 20, 100)),
        search,
        MEMORY,
        Alone("The product X w", lambda e: multiplied(sparse(e // 20, 100))),
        "three times as many take 4 GB",
    )
    yield Series(
        f"separability, {one}, sparse",
        each,
        powers(100, 1e5),
        lambda p: decided(one, sparse_parted(30 * p, p)),
        "products of an interior point with sparse rows",
        PRODUCTS,
        Alone("Five hundred products X'(X w) of seven rows a column", lambda p: squares(sparse(7 * p, p))),
    )
    yield Series(
        "separability_one_vs_rest",
        "classes, 10,000 x 10",
        CLASSES,
        lambda k: partial(separability_one_vs_rest, *dense(10_000, 10, k)),
        "a proof for each class",
    )


def widest() -> Iterator[Series]:
    """The widest margin."""
    support = "few rows lie on the margin, the others are looked at to find them"
    tall = Alone("The product X w", lambda n: multiplied(parted(n, 0.3)))
    flat = Alone("The product X w", lambda p: multiplied(parted(100, 0.3, p)))
    yield Series(
        "max_margin",
        "rows, 10 columns",
        powers(1e3, 1e7),
        lambda n: partial(max_margin, *parted(n, 0.3)),
        support,
        MEMORY,
        tall,
    )
    yield Series(
        "max_margin",
        "columns, 100 rows",
        powers(10, 1e6),
        lambda p: partial(max_margin, *parted(100, 0.3, p)),
        support,
        WIDE,
        flat,
    )
    yield Series(
        "max_margin",
        "stored entries, 20 a row, 100 columns",
        powers(3e4, 3e7),
        lambda e: partial(max_margin, *sparse_apart(e // 20, 100)),
        support,
        MEMORY,
        Alone("The product X w", lambda e: multiplied(sparse(e // 20, 100))),
        "three times as many take 4 GB",
    )


def regressing() -> Iterator[Series]:
    """Proofs of separation."""
    factor = "rows, 3 numbers and a factor of 100 levels"
    yield Series(
        "separation",
        factor,
        powers(1e3, 1e7),
        lambda n: regressed(design(n)),
        "an exact weight for every row",
        WEIGHTS,
        Alone("Writing 800 bytes a row, 200 a stored number, to new memory", lambda n: filled(100 * n)),
    )
    yield Series(
        "separation",
        "levels of a factor, 100,000 rows, 3 numbers",
        powers(10, 1e5),
        lambda k: regressed(design(100_000, k)),
        "levels share no row, and are taken out of the least squares",
        ends="a level of its own for each row is the most",
    )
    yield Series(
        "separation",
        "numbers, 10,000 rows",
        powers(3, 1e4),
        lambda p: regressed(design(10_000, 0, p)),
        NEAR,
        SQUARES,
        SQUARE,
    )
