"""Cut a source into shards, and find what they have in common."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from linsep.data.hashing import RunningHash
from linsep.data.inputs import find_files
from linsep.data.sources.open import open_data
from linsep.data.sources.seen import add_arrays
from linsep.passes import Rows
from linsep.tables import column_names, is_sparse
from linsep.theory.margin.geometry import row_norms2
from linsep.types import Array, DataError, NoRowsError


class Part(NamedTuple):
    """What one load task gets: a path, a dataframe (or a delayed one), or (X, y)."""

    name: str
    content: Any


class Shard(NamedTuple):
    """The rows of a part. `first_index` is that of svmlight text, `names` those of columns, or None."""

    name: str
    X: Any
    y: Array
    names: list[str] | None
    first_index: int | None


class About(NamedTuple):
    """What the client has to know of a shard, or of all of them together: then `labels` are the classes."""

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
    digest: str


# ------------------------------------------------------------------- splitting
def cut(source: Any, shards: int | None, n_threads: int) -> list[Part]:
    """The parts of a source: blocks, partitions, files, or runs of rows of arrays in memory."""
    from dask.base import is_dask_collection

    in_memory = isinstance(source, tuple) and not is_dask_collection(source[0])
    if shards is not None and not in_memory:
        raise DataError("shards= cuts arrays in memory; this source comes in shards already: leave it out")
    if isinstance(source, tuple):
        if len(source) != 2:
            raise DataError(f"rows and labels are given as (X, y), got a tuple of {len(source)}")
        return _cut_arrays(*source, max(1, n_threads) if shards is None else shards) if in_memory else _blocks(*source)
    if is_dask_collection(source):
        if column_names(source) is None:
            raise DataError("a Dask array holds no labels: give (X, y)")
        return [Part(f"partition {i}", part) for i, part in enumerate(source.to_delayed())]
    if isinstance(source, str | Path):
        source = find_files(str(source))
    if not isinstance(source, list) or not all(isinstance(path, str | Path) for path in source):
        raise DataError(
            f"no shards can be made of a {type(source).__name__}: give files (a list, or a pattern such as "
            "'part-*.csv'), a Dask DataFrame, or (X, y) of Dask, NumPy or SciPy arrays"
        )
    if not source:
        raise DataError("the list of files is empty")
    return [Part(str(path), Path(path)) for path in source]


def _cut_arrays(X: Any, y: Any, shards: int) -> list[Part]:
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    y = np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise DataError(f"X of shape (n, p) and y of shape (n,) are needed, got {X.shape} and {y.shape}")
    if not shards >= 1:
        raise DataError(f"shards must be at least 1, got {shards}")
    cuts = np.linspace(0, X.shape[0], min(shards, X.shape[0]) + 1).astype(int).tolist()
    return [Part(f"rows {a} to {b - 1}", (X[a:b], y[a:b])) for a, b in pairwise(cuts)]


def _blocks(X: Any, y: Any) -> list[Part]:
    """Blocks of rows of Dask arrays; labels in memory, or in other blocks, are cut like the rows."""
    da: Any = import_module("dask.array")  # its functions have no types
    from dask.base import is_dask_collection

    if X.ndim != 2:
        raise DataError(f"X of two dimensions is needed, got {X.ndim}")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: X.shape[1]})
    if not is_dask_collection(y):
        y = da.from_array(np.asarray(y), chunks=(X.chunks[0],))
    known = not np.isnan([*X.chunks[0], *y.chunks[0]]).any()
    if known and X.chunks[0] != y.chunks[0]:
        if X.shape[0] != y.shape[0]:
            raise DataError(f"{X.shape[0]} rows but {y.shape[0]} labels")
        y = y.rechunk((X.chunks[0],))
    if X.numblocks[0] != y.numblocks[0]:
        raise DataError(f"{X.numblocks[0]} blocks of rows but {y.numblocks[0]} of labels, and their sizes are unknown")
    rows, labels = X.to_delayed()[:, 0], y.to_delayed()
    return [Part(f"block {i}", pair) for i, pair in enumerate(zip(rows.tolist(), labels.tolist(), strict=True))]


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
    return Shard(name, X, np.asarray(y), names, first)


def _read(name: str, content: Any, encoder: Any, options: dict[str, Any]) -> tuple[Any, Any, Any, int | None]:
    """Rows, labels, names of columns and the first index of svmlight text."""
    empty = np.zeros((0, 0)), np.zeros(0), None, None
    if column_names(content) is not None and len(content) == 0:
        return empty
    source = open_data(content, **options)
    if source.kind == "table" and options["target"] is None:
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
    name, X, y, names, first = shard
    (n, p), (labels, counts) = X.shape, np.unique(y, return_counts=True)
    radius2 = float(row_norms2(X).max(initial=0.0))
    return About(name, n, p, names, first, labels, counts, X.dtype, is_sparse(X), radius2, _digest(shard))


def _digest(shard: Shard) -> str:
    """A hash of the rows and labels, so that a shard that was replaced is noticed when it is read again."""
    found = RunningHash()
    X = shard.X
    add_arrays(found, *((X.data, X.indices, X.indptr) if is_sparse(X) else (X,)), np.asarray(shard.y))
    return found.hex()


def arrange(shard: Shard, blank: Any, common: About, digest: str) -> Rows:
    """Return what kernels read, columns and labels as in every other shard.

    Raises
    ------
    DataError
        The shard is not what it was when all shards were described.
    """
    X = shard.X
    if _digest(shard) != digest:
        raise DataError(f"{shard.name} was changed while it was being learnt from: begin again")
    if common.names is not None and shard.names != common.names:
        assert shard.names is not None
        X = np.ascontiguousarray(X[:, [shard.names.index(name) for name in common.names]])
    if not isinstance(X, np.ndarray):
        shift = 0 if shard.first_index is None else shard.first_index - (common.first_index or 0)
        X = sp.csr_matrix((X.data, X.indices + X.indices.dtype.type(shift), X.indptr), shape=(X.shape[0], common.p))
    rows: Rows = blank.rows_of_shard(X, shard.y)
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
    shifts = [0 if base is None or about.first_index is None else about.first_index - base for about in abouts]
    return first._replace(
        n=sum(about.n for about in abouts),
        p=max(about.p + shift for about, shift in zip(abouts, shifts, strict=True)),
        first_index=base,
        labels=classes,
        counts=counts,
        dtype=np.result_type(*(about.dtype for about in abouts)),
        radius2=max(about.radius2 for about in abouts),
    )


def _check_alike(first: About, other: About) -> None:
    both = f"{first.name} and {other.name}"
    if first.sparse != other.sparse:
        raise DataError(f"{both}: one is sparse and the other is not")
    if (first.names is None) != (other.names is None):
        raise DataError(f"{both}: one has named columns and the other has not")
    if first.names is not None and other.names is not None and set(first.names) != set(other.names):
        strange = sorted(set(first.names) ^ set(other.names))[0]
        raise DataError(f"{both}: only one of them has a column {strange!r}")
    if first.p != other.p and not (first.sparse and first.first_index is not None):
        raise DataError(f"{both}: one has {first.p} columns and the other {other.p}")
    if (first.labels.dtype.kind in "UOT") != (other.labels.dtype.kind in "UOT"):
        raise DataError(f"{both}: the labels of one are text and those of the other are not")
