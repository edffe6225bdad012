"""Rows that are each other's opposite once signed by label, found by hashing: the shortest witnesses."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from linsep.tables import holds_doubles
from linsep.theory.rows.signed import TOGETHER
from linsep.types import Array

_MIX = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))  # odd constants, any would do


def _sides_and_hashes(X: Any, s: Array, constant: bool) -> tuple[Array, Array]:
    """A side and a hash of each row: opposite rows have one hash and two sides."""
    if constant:
        return s, row_hashes(X)
    # Without the constant x and -x may be opposite too: turn every row so that its first entry is positive.
    facing = np.where(_first_entries(X) < 0, -1, 1)
    return s * facing, row_hashes(X, facing)


def disjoint_pairs(X: Any, s: Array, *, constant: bool, one: bool = False) -> Array:
    """As many pairs of opposite rows as there are, no row in two of them; each row of a pair is compared exactly.

    Of each pair one row has to go before a hyperplane separates the others. With `one`, of equal rows the first of
    each side alone are looked at.

    Returns
    -------
    ndarray of int, shape (n_pairs, 2)
        In ascending order of the first rows, which are the smaller ones.

    Examples
    --------
    >>> disjoint_pairs(np.array([[1.0], [1.0], [1.0], [2.0], [1.0]]), np.array([1, -1, 1, -1, -1]), constant=True)
    array([[0, 1],
           [2, 4]])
    """
    sides, hashes = _sides_and_hashes(X, s, constant)
    rows, ordered = np.arange(s.size), np.sort(hashes)
    often = ordered[1:][ordered[1:] == ordered[:-1]]
    if often.size * 8 < s.size:  # sorted with their sides all rows take five times as long
        if not often.size:
            return np.empty((0, 2), np.int64)
        rows = np.flatnonzero(often[np.searchsorted(often, hashes).clip(max=often.size - 1)] == hashes)
        sides, hashes = sides[rows], hashes[rows]
    order = np.lexsort((sides, hashes))
    same = (hashes[order][1:] == hashes[order][:-1]) & (sides[order][1:] == sides[order][:-1])
    starts = np.flatnonzero(np.append(True, ~same))
    rank = np.arange(rows.size) - np.repeat(starts, np.diff(np.append(starts, rows.size)))  # among equals of its side
    order, rank = (order[starts], rank[starts]) if one else (order, rank)
    grouped = hashes[order]
    groups = np.cumsum(np.append(False, grouped[1:] != grouped[:-1]))
    key, plus = groups * rows.size + rank, sides[order] > 0
    _, i, j = np.intersect1d(key[plus], key[~plus], assume_unique=True, return_indices=True)
    pairs = rows[np.sort(np.column_stack([order[plus][i], order[~plus][j]]), axis=1)]
    pairs = pairs[_are_opposite(X, s, pairs)]
    return pairs[np.argsort(pairs[:, 0], kind="stable")]


def _are_opposite(X: Any, s: Array, pairs: Array) -> Array:
    """Whether s_i x_i = -s_j x_j of each pair, exactly."""
    exact = np.float64 if holds_doubles(X) else object  # the least integer of a type has no negative in it
    first, second = X[pairs[:, 0]].astype(exact), X[pairs[:, 1]].astype(exact)
    equal = s[pairs[:, 0]] != s[pairs[:, 1]]
    if isinstance(X, np.ndarray):
        agree = np.where(equal[:, None], first == second, first == -second)
        return np.asarray(agree.all(axis=1), dtype=bool)
    agree = np.zeros(len(pairs), dtype=bool)
    for some, rest in ((equal, first[equal] - second[equal]), (~equal, first[~equal] + second[~equal])):
        rest.eliminate_zeros()  # of doubles a difference is 0 just where they agree
        agree[some] = np.diff(rest.indptr) == 0
    return agree


def contradiction(X: Any, s: Array, among: Array) -> tuple[int, int] | None:
    """First pair (i, j), i < j, of equal rows of `among` with s_i != s_j, or None.

    Examples
    --------
    >>> contradiction(np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]]), np.array([1.0, 1.0, -1.0]), np.arange(3))
    (0, 2)
    """
    rows, sides = (X, s) if among.size == s.size else (X[among], s[among])  # no copy of all rows
    pairs = among[disjoint_pairs(rows, sides, constant=True, one=True)].tolist()
    return tuple(pairs[0]) if pairs else None


def _first_entries(X: Any) -> Array:
    """The first entry of each row that is not 0; 0 for rows of zeros."""
    if not isinstance(X, np.ndarray):
        X = X if X.data.all() else X.copy()
        X.eliminate_zeros()
        stored = np.flatnonzero(np.diff(X.indptr))
        out = np.zeros(X.shape[0])
        out[stored] = X.data[X.indptr[stored]]
        return out
    first = np.asarray(X != 0, dtype=bool).argmax(axis=1)
    return np.sign(X[np.arange(X.shape[0]), first]) if X.dtype != object else _signs_of(X, first)


def _signs_of(X: Array, first: Array) -> Array:
    values = X[np.arange(X.shape[0]), first].tolist()
    return np.array([(v > 0) - (v < 0) for v in values])


def row_hashes(X: Any, facing: Array | None = None) -> Array:
    """Sum over the entries of a row (times `facing`) that are not 0 of a mixture of value and column, modulo 2^64.

    Examples
    --------
    >>> len(set(row_hashes(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]])).tolist()))
    2
    """
    if not isinstance(X, np.ndarray):
        return _sparse_hashes(X, facing)
    if not holds_doubles(X):
        turned = X.astype(object) if facing is None else X * facing[:, None].astype(object)
        return np.array([_hash_of(row) for row in turned.tolist()], dtype=np.uint64)
    out = np.empty(X.shape[0], dtype=np.uint64)
    columns = np.arange(X.shape[1])
    for start in range(0, X.shape[0], 4096):
        part = np.asarray(X[start : start + 4096]).astype(np.float64)
        if facing is not None:
            part = part * facing[start : start + 4096, None]
        out[start : start + 4096] = _mixed(part, columns).sum(axis=1, dtype=np.uint64)
    return out


def _hash_of(row: list[Any]) -> int:
    """The hash of exact numbers: Python's own are equal for -1 and -2."""
    text = ",".join("{:x}/{:x}".format(*value.as_integer_ratio()) for value in row)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def _sparse_hashes(X: Any, facing: Array | None) -> Array:
    """The hashes of CSR rows, so many rows at a time that what is written on the way stays in the cache."""
    out = np.empty(X.shape[0], dtype=np.uint64)
    step = max(1, TOGETHER * X.shape[0] // max(1, X.nnz))
    for start in range(0, X.shape[0], step):
        ends = X.indptr[start : start + step + 1]
        at = slice(ends[0], ends[-1])
        values = X.data[at]
        if facing is not None:
            values = values.astype(np.float64) * np.repeat(facing[start : start + step], np.diff(ends))
        total = np.append(np.uint64(0), np.cumsum(_mixed(values, X.indices[at])))[ends - ends[0]]
        out[start : start + step] = total[1:] - total[:-1]
    return out


def _mixed(values: Array, columns: Array) -> Array:
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # + 0: minus zero is zero
    key = (columns.astype(np.uint64) + np.uint64(1)) * _MIX[0]
    mixed = (bits ^ (bits >> np.uint64(29)) ^ key) * _MIX[1]
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _MIX[0]
    return np.where(bits == 0, np.uint64(0), mixed)
