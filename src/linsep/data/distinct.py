"""Each distinct cell of a column is looked at once: a column of categories has a thousand rows to a level.

Text may come dictionary-encoded, as large CSV and Parquet files are read: each text kept once, and a code for each row.
`each_once` puts it as all others expect it, `distinct` asks it, `decoded` makes strings of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeGuard
from weakref import ref

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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


def is_encoded(text: pa.Array) -> TypeGuard[pa.DictionaryArray]:
    """Whether each text is kept once.

    Examples
    --------
    >>> is_encoded(pa.array(["a"])), is_encoded(pa.array(["a"]).dictionary_encode())
    (False, True)
    """
    return pa.types.is_dictionary(text.type)


def holds_text(kind: Any) -> bool:
    """Whether an Arrow type is one of text.

    Examples
    --------
    >>> [holds_text(kind) for kind in (pa.large_string(), pa.int8())]
    [True, False]
    """
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def distinct(text: pa.Array) -> Distinct:
    """Find the distinct texts of a column in which every cell is there; kept as long as the column is.

    Examples
    --------
    >>> found = distinct(pa.array(["b", "a", "b"]))
    >>> found.texts.to_pylist(), found.codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    if is_encoded(text):
        return Distinct(text.dictionary, text.indices.to_numpy())
    before = _known.get(id(text))
    if before is not None and before[0]() is text:
        return before[1]
    return _keep(text, text.dictionary_encode())


def each_once(encoded: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same cells with each distinct text kept once, in the order in which they first come; null becomes "".

    Examples
    --------
    >>> cells = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), pa.array(["a", "b", "c"]))
    >>> each_once(cells).dictionary.to_pylist(), each_once(cells).indices.to_pylist()
    (['c', '', 'a'], [0, 1, 2])
    """
    texts, codes = pc.cast(encoded.dictionary, pa.string()), encoded.indices
    if texts.null_count or codes.null_count or len(pc.unique(texts)) < len(texts):
        return pc.fill_null(pc.cast(encoded.dictionary_decode(), pa.string()), "").dictionary_encode()
    firsts = codes.dictionary_encode()  # texts that no row has are gone
    return pa.DictionaryArray.from_arrays(firsts.indices, texts.take(firsts.dictionary))


def in_one_piece(column: pa.ChunkedArray) -> Any:
    """The cells of a column as one array, which is no copy where there is one already.

    Examples
    --------
    >>> in_one_piece(pa.chunked_array([[1, 2], [3]])).to_pylist()
    [1, 2, 3]
    """
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return in_one_piece(whole) if isinstance(whole, pa.ChunkedArray) else whole


def taken(text: pa.Array, rows: Array) -> pa.Array:
    """Some cells of a column of text, dictionary-encoded if it is.

    Examples
    --------
    >>> taken(pa.array(["b", "a"]).dictionary_encode(), np.array([1])).dictionary.to_pylist()
    ['a']
    """
    some = text.take(pa.array(rows))
    return each_once(some) if is_encoded(some) else some


def decoded(text: pa.Array) -> pa.Array:
    """The texts of a column as an array of strings; if it is dictionary-encoded, `distinct` then knows them.

    Examples
    --------
    >>> text = decoded(pa.array(["b", "a", "a"]).dictionary_encode())
    >>> text.to_pylist(), distinct(text).codes.tolist()
    (['b', 'a', 'a'], [0, 1, 1])
    """
    if not is_encoded(text):
        return text
    strings = text.dictionary_decode()
    _keep(strings, text)
    return strings


def rewritten(text: pa.Array, texts: pa.Array) -> pa.Array:
    """A column of numbers with other texts in the place of its distinct ones, each kept once if those were.

    Examples
    --------
    >>> rewritten(pa.array(["1 ", "2", "2"]).dictionary_encode(), pa.array(["1", "2"])).to_pylist()
    ['1', '2', '2']
    """
    return each_once(pa.DictionaryArray.from_arrays(text.indices, texts)) if is_encoded(text) else texts


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
        if not is_encoded(text) and (text.null_count or len(text) < _FEW):
            return np.asarray(test(text, *further, **named).to_numpy(zero_copy_only=False), dtype=np.bool_)
        texts, codes = distinct(text)
        return np.asarray(test(texts, *further, **named).to_numpy(zero_copy_only=False), dtype=np.bool_)[codes]

    return tested
