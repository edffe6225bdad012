"""Each distinct text of a column is looked at once: a column of categories has a thousand rows to a level."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec
from weakref import ref

import numpy as np
import pyarrow as pa

from linsep.types import Array

Further = ParamSpec("Further")


class Distinct(NamedTuple):
    """The distinct texts of a column, in the order in which they first come, and which of them each row has."""

    texts: pa.Array
    codes: Array


# Cells that are as soon tested as sorted out.
_FEW = 1_000
# By the identity of a column that still exists: a dozen questions are asked of each.
_known: dict[int, tuple[ref[pa.Array], Distinct]] = {}


def distinct(text: pa.Array) -> Distinct:
    """Find the distinct texts of a column in which every cell is there; kept as long as the column is.

    Examples
    --------
    >>> found = distinct(pa.array(["b", "a", "b"]))
    >>> found.texts.to_pylist(), found.codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    return known(text) or _keep(text, text.dictionary_encode())


def known(text: pa.Array) -> Distinct | None:
    """The distinct texts of a column, if they were found before."""
    before = _known.get(id(text))
    return before[1] if before is not None and before[0]() is text else None


def decoded(encoded: pa.ChunkedArray) -> pa.Array:
    """The texts of a column; if it is dictionary-encoded, `distinct` then knows them.

    Examples
    --------
    >>> text = decoded(pa.chunked_array([pa.array(part).dictionary_encode() for part in (["b", "a"], ["a"])]))
    >>> text.to_pylist(), distinct(text).codes.tolist()
    (['b', 'a', 'a'], [0, 1, 1])
    """
    if not pa.types.is_dictionary(encoded.type):
        text: pa.Array = encoded.combine_chunks()
        return text
    whole: pa.DictionaryArray = encoded.unify_dictionaries().combine_chunks()
    text = whole.dictionary_decode()
    _keep(text, whole)
    return text


def _keep(text: pa.Array, encoded: pa.DictionaryArray) -> Distinct:
    key = id(text)
    found = Distinct(encoded.dictionary, encoded.indices.to_numpy())
    _known[key] = ref(text, lambda gone: _forget(key, gone)), found
    return found


def _forget(key: int, gone: ref[pa.Array]) -> None:
    """Drop what was kept of a column that is gone, unless its place has been taken by another."""
    kept = _known.get(key)
    if kept is not None and kept[0] is gone:
        del _known[key]


def by_distinct(
    test: Callable[Concatenate[pa.Array, Further], pa.Array],
) -> Callable[Concatenate[pa.Array, Further], Array]:
    """Make of a test that says yes or no of each cell one that tests each distinct text once."""

    @wraps(test)
    def tested(text: pa.Array, /, *further: Further.args, **named: Further.kwargs) -> Array:
        if text.null_count or len(text) < _FEW:
            return np.asarray(test(text, *further, **named).to_numpy(zero_copy_only=False), dtype=np.bool_)
        texts, codes = distinct(text)
        return np.asarray(test(texts, *further, **named).to_numpy(zero_copy_only=False), dtype=np.bool_)[codes]

    return tested
