"""Cut a source into shards, and find what they have in common."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from linsep.data.sources.open import find_files, open_data
from linsep.learners.base.parameters import Given
from linsep.passes import Rows
from linsep.tables import column_names, is_sparse
from linsep.theory.margin.geometry import row_norms2
from linsep.types import Array, DataError, NoRowsError


class Part(NamedTuple):
    """What one load task gets: a path, a dataframe (or a delayed one), or (X, y)."""

    name: str
    content: Any


class About(NamedTuple):
    """What the client has to know of a shard, or of all of them together: then `labels` are the classes.

    `first_index` is that of svmlight text, `names` those of columns, or None.
    """

    name: str
    n: int
    p: int
    names: list[str] | None
    first_index: int | None
    labels: Array
    counts: Array
    dtype: np.dtype[Any]
    sparse: bool
    radius2: float


class Shard(NamedTuple):
    """The rows of a part, and what is to be known of them."""

    X: Any
    y: Array
    about: About


# ------------------------------------------------------------------- splitting
def cut(source: Any, shards: int | None, n_threads: int) -> list[Part]:
    """The parts of a source: files, partitions, what a list holds, or runs of rows of arrays in memory."""
    if isinstance(source, tuple):
        if len(source) != 2:
            raise DataError(f"rows and labels are given as (X, y), got a tuple of {len(source)}")
        return _cut_arrays(*source, max(1, n_threads) if shards is None else shards)
    if shards is not None:
        raise DataError("shards= cuts arrays in memory; this source comes in shards already: leave it out")
    if isinstance(source, str | Path):
        source = find_files(str(source))
    elif hasattr(source, "to_delayed") and column_names(source) is not None:
        source = source.to_delayed()
    if not isinstance(source, list) or not source:
        raise DataError(
            f"no shards can be made of a {type(source).__name__}: give files (a list, or a pattern such as "
            "'part-*.csv'), a Dask DataFrame, (X, y) in memory, or a list of parts or (X, y), delayed or not"
        )
    parts = (str(one) if isinstance(one, str | Path) else one for one in source)
    return [Part(one, Path(one)) if isinstance(one, str) else Part(f"part {k}", one) for k, one in enumerate(parts)]


def _cut_arrays(X: Any, y: Any, shards: int) -> list[Part]:
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    y = np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise DataError(f"X of shape (n, p) and y of shape (n,) are needed, got {X.shape} and {y.shape}")
    if not shards >= 1:
        raise DataError(f"shards must be at least 1, got {shards}")
    cuts = np.linspace(0, X.shape[0], min(shards, X.shape[0]) + 1).astype(int).tolist()
    return [Part(f"rows {a} to {b - 1}", (X[a:b], y[a:b])) for a, b in pairwise(cuts)]


# --------------------------------------------------------------- tasks of a shard
def load(part: Part, learner: Any, encoder: Any, options: dict[str, Any]) -> Shard:
    """Read a part with these `options` of `open_data`, through the encoder if there is one, checked as in `fit`."""
    name, content = part
    if isinstance(content, tuple) and encoder is None:
        X, y, names, first = *content, None, None
    else:
        X, y, names, first = _read(name, content, encoder, options)
    if y is None:
        raise DataError(f"{name}: these rows have no labels: name the column that holds them with target=")
    if X.shape[0]:  # a partition may be left without rows
        try:
            X, y = clone(learner).check_rows(X, y, reset=True)
        except ValueError as error:
            raise DataError(f"{name}: {error}") from error
    (n, p), (labels, counts) = X.shape, np.unique(y, return_counts=True)
    radius2 = float(row_norms2(X).max(initial=0.0))
    about = About(name, n, p, names, first, labels, counts, X.dtype, is_sparse(X), radius2)
    return Shard(X, np.asarray(y), about)


def _read(name: str, content: Any, encoder: Any, options: dict[str, Any]) -> tuple[Any, Any, Any, int | None]:
    """Rows, labels, names of columns and the first index of svmlight text."""
    empty = np.zeros((0, 0)), np.zeros(0), None, None
    if column_names(content) is not None and len(content) == 0:
        return empty
    texts = {*options.get("categorical", ()), *(() if encoder is None else encoder.text_columns)}
    source = open_data(content, **options | {"categorical": texts})
    if source.kind == "table" and options.get("target") is None:
        raise DataError("name the column that holds the label with target=")
    try:
        chunk = source.read()
    except NoRowsError:  # a header alone, say
        return empty
    if encoder is not None:
        chunk = encoder.transform(source)
        return chunk.X, chunk.y, None, None
    if source.kind == "rows":
        return chunk.X, chunk.y, None, source.first_index
    if text := [column.name for column in chunk.columns if not column.is_number]:
        raise DataError(
            f"{name}: column {text[0]!r} is text: fit a TableEncoder on one of the files and give it as encoder="
        )
    return np.column_stack([column.values for column in chunk.columns]), chunk.y, chunk.names, None


def describe(shard: Shard) -> About:
    """Return what the client has to know of a shard."""
    return shard.about


def arrange(shard: Shard, learner: Any, common: About) -> Rows:
    """Return what kernels read, columns and labels as in every other shard."""
    X, names = shard.X, shard.about.names
    if common.names is not None and names is not None and names != common.names:
        X = np.ascontiguousarray(X[:, [names.index(name) for name in common.names]])
    if not isinstance(X, np.ndarray):
        columns = X.indices + X.indices.dtype.type(_shift(shard.about, common.first_index))
        X = sp.csr_matrix((X.data, columns, X.indptr), shape=(X.shape[0], common.p))
    learner.check_parts()
    rows: Rows = learner.kernel_rows(Given(X, shard.y))[0]
    return rows


# ------------------------------------------------------------------- agreement
def agree(abouts: list[About]) -> About:
    """Find what the shards have in common.

    Raises
    ------
    DataError
        They differ in their columns, in the kind of their labels, or some are sparse and others not.
    """
    abouts = [about for about in abouts if about.n]
    if not abouts:
        raise DataError("there are no rows")
    first = abouts[0]
    for about in abouts:
        _check_alike(first, about)
    labels = np.concatenate([about.labels for about in abouts])
    classes, place = np.unique(labels, return_inverse=True)
    counts = np.bincount(place, np.concatenate([about.counts for about in abouts])).astype(np.int64)
    starts = [about.first_index for about in abouts if about.first_index is not None]
    base = min(starts, default=None)
    return first._replace(
        n=sum(about.n for about in abouts),
        p=max(about.p + _shift(about, base) for about in abouts),
        first_index=base,
        labels=classes,
        counts=counts,
        dtype=np.result_type(*(about.dtype for about in abouts)),
        radius2=max(about.radius2 for about in abouts),
    )


def _shift(one: About, base: int | None) -> int:
    """Columns of svmlight text by which a shard begins later than the first of them does."""
    return 0 if one.first_index is None or base is None else one.first_index - base


def _check_alike(first: About, other: About) -> None:
    strange = sorted(set(first.names or ()) ^ set(other.names or ()))
    as_wide = first.p == other.p or (first.sparse and first.first_index is not None)
    for differ, how in (
        (first.sparse != other.sparse, "one is sparse and the other is not"),
        ((first.names is None) != (other.names is None), "one has named columns and the other has not"),
        (bool(strange), f"only one of them has a column {strange[:1]}"),
        (not as_wide, f"one has {first.p} columns and the other {other.p}"),
        (
            (first.labels.dtype.kind in "UOT") != (other.labels.dtype.kind in "UOT"),
            "the labels of one are text and those of the other are not",
        ),
    ):
        if differ:
            raise DataError(f"{first.name} and {other.name}: {how}")
