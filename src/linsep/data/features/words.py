"""Running text: what it becomes, n words or characters at a time; as weights of terms, or hashed (in streams)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import scipy

from linsep.types import Array, DataError

# From so many rows on a term has to be in two of them: one that is in a single row tells nothing about others.
_ENOUGH_ROWS = 20
_MOST_TERMS = 1 << 17
_SPEC = re.compile(r"(words|chars)(?:([1-8])(?:-([1-8]))?)?")


class Grams(NamedTuple):
    """What a text becomes: runs of `low` to `high` words, or of characters."""

    unit: str
    low: int
    high: int

    @classmethod
    def parse(cls, spec: str) -> Grams:
        """Read "words", "words1-2", "chars3-5"; chars alone are chars3-5.

        Examples
        --------
        >>> Grams.parse("words1-2")
        Grams(unit='words', low=1, high=2)
        """
        found = _SPEC.fullmatch(spec)
        low = int(found[2]) if found and found[2] else 3 if spec == "chars" else 1
        high = int(found[3]) if found and found[3] else 5 if spec == "chars" else low
        if found is None or high < low:
            raise DataError(f"text is read as words, words1-2, chars3-5 or the like (8 at most), not as {spec!r}")
        return cls(found[1], low, high)

    @property
    def spec(self) -> str:
        """As `parse` reads it."""
        return f"{self.unit}{self.low}-{self.high}"


def hash_words(
    text: Array, offsets: Array, grams: Grams, seed: Any, bits: int, named: Array
) -> tuple[tuple[Array, Array, Array], list[tuple[int, float, int, int]]]:
    """Hash the n-grams of each text[offsets[k]:offsets[k + 1]] to the arrays of a CSR matrix: data, indices, indptr.

    `named` marks the columns whose name is known; the places of the others in the text come beside the arrays.
    """
    from linsep.kernels.text.hashing import hash_ngrams

    size = int(offsets[-1] - offsets[0])
    most = (size // (2 if grams.unit == "words" else 1) + 2 * len(offsets)) * (grams.high - grams.low + 1)
    columns, values = np.empty(most, np.int64), np.empty(most)
    indptr = np.zeros(len(offsets), np.int64)
    new, signs = np.empty((1 << 14, 3), np.int64), np.empty(1 << 14)
    seen = np.full(1 << bits, -1, np.int32)
    is_words = grams.unit == "words"
    rings = np.zeros((2, grams.high), np.int64)
    out = (indptr, columns, values, new, signs, seen, named, *rings)
    k, n_new = hash_ngrams(text, offsets.astype(np.int64), is_words, grams.low, grams.high, seed, bits, out)
    found = [(c, s, a, b) for (c, a, b), s in zip(new[:n_new].tolist(), signs[:n_new].tolist(), strict=True)]
    return (values[:k], columns[:k], indptr), found


class Words(NamedTuple):
    """The terms of a column of text, in sorted order, and their weights `idf` (float64)."""

    grams: Grams
    terms: list[str]
    idf: Array


class Counted(NamedTuple):
    """Texts (of Arrow) and how often each has each term, a CSR matrix: counting takes longer than all that follows."""

    text: Any
    counts: Any


def fit_words(text: pa.Array, grams: Grams) -> tuple[Words, Counted]:
    """idf(t) = ln((1 + n) / (1 + n_t)) + 1, where n_t of the n texts have the term t.

    Of more than 131,072 terms the most frequent ones are kept. The counts come with them, for `weigh_words`.

    Source: Sparck Jones 1972, smoothed as in scikit-learn's `TfidfTransformer`.

    Examples
    --------
    >>> words, _ = fit_words(pa.array(["to be", "not to be", "be"]), Grams.parse("words"))
    >>> words.terms, round(float(words.idf[1]), 3)
    (['be', 'not', 'to'], 1.693)
    """
    n = len(text)
    try:
        counter = _counter(grams, min_df=2 if n >= _ENOUGH_ROWS else 1, max_features=_MOST_TERMS)
        counts = counter.fit_transform(text.to_pylist())
    except ValueError:  # no term at all
        return Words(grams, [], np.empty(0)), Counted(text, scipy.sparse.csr_matrix((n, 0)))
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log((1 + n) / (1 + having)) + 1
    return Words(grams, counter.get_feature_names_out().tolist(), idf), Counted(text, counts)


def weigh_words(text: pa.Array, words: Words, counted: Counted | None = None) -> Any:
    """(1 + ln c_t) idf(t) for each term t that a text has c_t times, divided by the length of that vector.

    Returns a CSR matrix of one row a text and one column a term; terms that are not known are left out. The texts of
    `counted` are not counted again.

    Examples
    --------
    >>> words, _ = fit_words(pa.array(["to be", "not to be", "be"]), Grams.parse("words"))
    >>> weigh_words(pa.array(["be be", "who"]), words).toarray().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    from sklearn.preprocessing import normalize

    if not words.terms:
        return scipy.sparse.csr_matrix((len(text), 0))
    if counted is None or not counted.text.equals(text):
        counted = Counted(text, _counter(words.grams, vocabulary=words.terms).transform(text.to_pylist()))
    counts = counted.counts.astype(np.float64)
    counts.data = (1 + np.log(counts.data)) * words.idf[counts.indices]
    return normalize(counts, copy=False)


def _counter(grams: Grams, **options: Any) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    unit: dict[str, Any] = {"analyzer": "char"}
    if grams.unit == "words":
        unit = {"analyzer": "word", "token_pattern": r"(?u)\b\w+\b"}
    return CountVectorizer(ngram_range=(grams.low, grams.high), **unit, **options)
