"""Running text as weights of its words, for tables that are read whole."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from linsep.data.features.ngrams import Grams
from linsep.types import Array

# From so many rows on a term has to be in two of them: one that is in a single row tells nothing about others.
_ENOUGH_ROWS = 20
_MOST_TERMS = 1 << 17


class Words(NamedTuple):
    """The terms of a column of text, in sorted order, and their weights `idf` (float64)."""

    grams: Grams
    terms: list[str]
    idf: Array


def fit_words(text: pa.Array, grams: Grams) -> Words:
    """idf(t) = ln((1 + n) / (1 + n_t)) + 1, where n_t of the n texts have the term t.

    Of more than 131,072 terms the most frequent ones are kept.

    Source: Sparck Jones 1972, smoothed as in scikit-learn's `TfidfTransformer`.

    Examples
    --------
    >>> words = fit_words(pa.array(["to be", "not to be", "be"]), Grams.parse("words"))
    >>> words.terms, round(float(words.idf[1]), 3)
    (['be', 'not', 'to'], 1.693)
    """
    n = len(text)
    try:
        counter = _counter(grams, min_df=2 if n >= _ENOUGH_ROWS else 1, max_features=_MOST_TERMS)
        counts = counter.fit_transform(text.to_pylist())
    except ValueError:  # no term at all
        return Words(grams, [], np.empty(0))
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    return Words(grams, counter.get_feature_names_out().tolist(), np.log((1 + n) / (1 + having)) + 1)


def weigh_words(text: pa.Array, words: Words) -> Any:
    """(1 + ln c_t) idf(t) for each term t that a text has c_t times, divided by the length of that vector.

    Returns a CSR matrix of one row a text and one column a term; terms that are not known are left out.

    Examples
    --------
    >>> words = fit_words(pa.array(["to be", "not to be", "be"]), Grams.parse("words"))
    >>> weigh_words(pa.array(["be be", "who"]), words).toarray().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    from sklearn.preprocessing import normalize

    if not words.terms:
        return sp.csr_matrix((len(text), 0))
    counts = _counter(words.grams, vocabulary=words.terms).transform(text.to_pylist()).astype(np.float64)
    counts.data = (1 + np.log(counts.data)) * words.idf[counts.indices]
    return normalize(counts, copy=False)


def _counter(grams: Grams, **options: Any) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    unit: dict[str, Any] = {"analyzer": "char"}
    if grams.unit == "words":
        unit = {"analyzer": "word", "token_pattern": r"(?u)\b\w+\b"}
    return CountVectorizer(ngram_range=(grams.low, grams.high), **unit, **options)
