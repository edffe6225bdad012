"""A tagger of sequences: words in, tags out, by a chain perceptron over word-shape features."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any, Self, Unpack

import numpy as np

from linsep.data.readers.tagged import Extract, FeatureIndex, index_features
from linsep.kernels.chain import Chain, chain_epoch, chain_margins, make_chain, make_work, tag_all
from linsep.learners.base.parameters import Run, sharing
from linsep.learners.structured import EpochState
from linsep.learners.tagger_state import Transitions, check_state, names_of, pack_names
from linsep.passes import TALLY, Sentences
from linsep.scikit import BaseEstimator, check_is_fitted
from linsep.theory.bounds.classes import chain_radius
from linsep.theory.bounds.mistakes import collins_bounds
from linsep.theory.bounds.rounding import length_above
from linsep.theory.bounds.table import MistakeBounds
from linsep.types import Array, DataError, PrecisionWarning, StopReason


class SequenceTagger(EpochState, BaseEstimator):
    """Tags for the tokens of a sentence: the sequence with the greatest sum of feature and transition weights.

    It is trained by the averaged structured perceptron: w += Phi(x, y) - Phi(x, z) wherever the best sequence z is not
    the gold one y; predictions use the mean of w over all visits. Ties: of several best sequences it takes the one
    whose last tag comes first in `classes_`, then whose last but one does, and so on, whatever the gold sequence is. A
    mistake is a sentence where the sequence chosen is not the gold one.

    Parameters
    ----------
    features : callable, default=None
        Maps the list of tokens of a sentence to a list of feature names for each token. None is
        `linsep.data.readers.tagged`: the word, its lower case, its shape, its first and last letters, digits, hyphens
        and capitals, and two words on either side. A tagger with a callable cannot be saved.
    n_bits : int, default=None
        Hash feature names to 2**n_bits columns (1 to 28) instead of keeping them.
    max_iter : int or None, default=10
        Largest number of epochs; with None it trains until a whole pass is clean.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    shuffle : bool, default=True
        Whether to visit the sentences in a new order in each epoch.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    classes_ : ndarray
        The tags, sorted.
    coef_ : ndarray of float32, shape (n_tags, n_features)
        Mean weight of each feature for each tag: averaged in float64, then rounded.
    transitions_ : Transitions
        Mean weights of tag after tag, start and end; print it.
    feature_names_ : list of str or None
        Names of the columns of `coef_`; None where they are hashed.
    n_iter_, n_mistakes_ : int
        Epochs, and sentences that were mistaken while learning.
    stop_reason_ : StopReason
    trace_ : Trace
        Epoch by epoch, sentences counting as rows; `norm_w` is that of all weights. `bits` are those of the largest
        entry there has been: in float32 whole numbers are exact up to 24.

    References
    ----------
    Collins 2002, Discriminative training methods for hidden Markov models, EMNLP; `mistake_bounds` computes theorems 1
    and 2.

    Examples
    --------
    >>> X, y = [["dogs", "bark"], ["a", "dog"]], [["noun", "verb"], ["det", "noun"]]
    >>> tagger = SequenceTagger(random_state=0).fit(X, y)
    >>> tagger.predict([["a", "bark"]]), tagger.score(X, y)
    ([['det', 'verb']], 1.0)
    """

    features: Extract | None
    n_bits: int | None
    classes_: Array
    transitions_: Transitions

    @sharing(max_iter=10, linear=False)
    def __init__(
        self,
        features: Extract | None = None,
        *,
        n_bits: int | None = None,
        **run: Unpack[Run],
    ) -> None: ...

    def fit(self, X: Sequence[Sequence[str]], y: Sequence[Sequence[Any]]) -> Self:
        """Learn from sentences and their tags.

        Parameters
        ----------
        X : list of lists of str
            The tokens of each sentence.
        y : list of lists
            The tag of each token: all text or all whole numbers.

        Returns
        -------
        self

        Raises
        ------
        DataError
            A sentence without tokens, a token that is not text, or tags that do not fit; the tagger is unchanged.
        KeyboardInterrupt
            On Ctrl-C, after the model so far has been kept (`stop_reason_` is "interrupted").

        Warns
        -----
        PrecisionWarning
            When an update no longer changed a weight, because it has outgrown the 24 bits of float32.
        """
        self.check_parameters()
        _check_pairs(X, y)
        if not all(map(len, X)):
            raise DataError(f"sentence {[len(x) for x in X].index(0)} has no tokens: leave it out")
        classes = _distinct_tags(y)
        index = FeatureIndex(self.n_bits)
        sentences = Sentences(*index_features(X, index, self.features))
        index.open = False
        self._index, self.classes_ = index, classes
        absorbed = self._train(sentences, self._numbers(y))
        if absorbed:
            warnings.warn(
                f"{absorbed:,.0f} step(s) no longer changed their weight: it is too large for float32, so they are "
                "lost. The mistakes since then change nothing; stop earlier.",
                PrecisionWarning,
                stacklevel=2,
            )
        return self

    def _train(self, sentences: Sentences, tags: Array) -> float:
        n_tags = len(self.classes_)
        weights = make_chain(self._index.size, n_tags, np.float32)
        sums = make_chain(self._index.size, n_tags, np.float64)
        work = make_work(weights, int(np.diff(sentences.first).max()))
        tally = np.zeros(len(TALLY))

        def one_pass(order: Array) -> dict[str, float]:
            before = tally.copy()
            chain_epoch(sentences, tags, order, weights, sums, self.t_, work, tally)
            self.t_ += len(order)
            return {
                "mistakes": (tally - before)[TALLY.mistakes],
                "norm_w": math.sqrt(tally[TALLY.norm2]),
                "absorbed": (tally - before)[TALLY.absorbed],
                "bits": min(int(tally[TALLY.largest]).bit_length(), 24),
            }

        self._make_passes(len(sentences.first) - 1, one_pass, lambda: self._take_mean(weights, sums))
        return float(tally[TALLY.absorbed])

    def _take_mean(self, weights: Chain, sums: Chain) -> None:
        """Turn the last weights into the mean, w - u / T, in place: there may be much of them."""
        inside = (slice(None), slice(len(self.classes_)))  # beyond stands -inf
        for w, u in zip(weights, sums, strict=True):
            u[inside] /= max(self.t_, 1)
            np.subtract(w[inside], u[inside], out=w[inside], casting="same_kind")
        self._show(weights)

    def _show(self, weights: Chain) -> None:
        n_tags = len(self.classes_)
        self._weights = weights
        self.coef_ = weights.W[:, :n_tags].T
        self.transitions_ = Transitions(self.classes_, weights.T[:, :n_tags])

    def _numbers(self, y: Sequence[Sequence[Any]]) -> Array:
        """Position in `classes_` of every tag, -1 for those that are not there."""
        position = {tag: k for k, tag in enumerate(self.classes_.tolist())}
        return np.array([position.get(tag, -1) for tag in chain.from_iterable(y)], dtype=np.int32)

    @property
    def feature_names_(self) -> list[str] | None:
        return self._index.names

    # ------------------------------------------------------------- prediction
    def predict(self, X: Sequence[Sequence[str]]) -> list[list[Any]]:
        """Find the best tags of each sentence; a sentence without tokens has none.

        Parameters
        ----------
        X : list of lists of str
            The tokens of each sentence.

        Returns
        -------
        list of lists
            The tags of each sentence.
        """
        found = self.classes_[self._best(X)].tolist()
        ends = np.cumsum([0, *map(len, X)]).tolist()
        return [found[a:b] for a, b in pairwise(ends)]

    def _best(self, X: Sequence[Sequence[str]]) -> Array:
        """Position in `classes_` of the best tag of every token."""
        check_is_fitted(self)
        _check_tokens(X)
        numbers = np.empty(sum(map(len, X)), dtype=np.int32)
        if numbers.size:
            sentences = Sentences(*index_features(X, self._index, self.features))
            tag_all(sentences, self._weights, make_work(self._weights, int(np.diff(sentences.first).max())), numbers)
        return numbers

    def score(self, X: Sequence[Sequence[str]], y: Sequence[Sequence[Any]]) -> float:
        """Compute the share of tokens with the right tag; a tag never seen in training counts as wrong.

        Parameters
        ----------
        X : list of lists of str
            The tokens of each sentence.
        y : list of lists
            The tag of each token: all text or all whole numbers.

        Returns
        -------
        float
            Between 0 and 1.
        """
        check_is_fitted(self)
        _check_pairs(X, y)
        gold = self._numbers(y)
        if not gold.size:
            raise DataError("there are no tokens to score")
        return float((self._best(X) == gold).mean())

    def mistake_bounds(self, X: Sequence[Sequence[str]], y: Sequence[Sequence[Any]]) -> MistakeBounds:
        """Compute Collins' bounds on the mistakes made in learning from (X, y), evaluated at the mean weights.

        See `linsep.theory.collins_bounds`. R counts only features that the tagger knows, so X and y must be the data
        that it was trained on.

        Parameters
        ----------
        X : list of lists of str
            The tokens of each sentence.
        y : list of lists
            The tag of each token: all text or all whole numbers.

        Returns
        -------
        MistakeBounds
            The table of bounds.

        Raises
        ------
        DataError
            As in `fit`, and for tags that did not occur in training.
        """
        check_is_fitted(self)
        _check_pairs(X, y)
        gold = self._numbers(y)
        if (gold < 0).any():
            raise DataError(f"token {int((gold < 0).argmax())} has a tag that the tagger has not learnt")
        sentences = Sentences(*index_features(X, self._index, self.features))
        margins = np.empty(len(X))
        chain_margins(sentences, gold, self._weights, margins)
        R = chain_radius(sentences, gold, self._index.size, len(self.classes_))
        parts = (self.coef_, self.transitions_.weights)
        norm = length_above(sum(float(np.square(part, dtype=np.float64).sum()) for part in parts))
        return collins_bounds(margins, norm, R, mistakes=self.n_mistakes_, epochs=self.n_iter_)

    # ------------------------------------------------------------------ state
    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Everything needed to predict; weights that are 0 are left out."""
        check_is_fitted(self)
        W = self._weights.W[:, : len(self.classes_)]
        feature, tag = np.nonzero(W)
        arrays = {
            "starts": np.searchsorted(feature, np.arange(len(W) + 1)),
            "tags": tag.astype(np.uint16 if W.shape[1] <= 1 << 16 else np.uint32),
            "weights": W[feature, tag],
            "transitions": self.transitions_.weights,
        }
        if (names := self._index.names) is not None:
            arrays |= pack_names(names)
        meta = {name: getattr(self, name) for name in ("n_iter_", "n_mistakes_", "t_")}
        return {**meta, "stop_reason_": str(self.stop_reason_)}, arrays

    def check_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Raise DataError unless this is a state that `get_state` could have given."""
        check_state(meta, arrays, classes, self.n_bits)

    def set_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Take back what `get_state` gave; rows have no columns, so that there are no names of columns."""
        self.check_state(meta, arrays, classes, names)
        self.classes_ = classes
        for name in ("n_iter_", "n_mistakes_", "t_"):
            setattr(self, name, meta[name])
        self.stop_reason_ = StopReason(meta["stop_reason_"])
        features = names_of(arrays) if self.n_bits is None else []
        self._index = FeatureIndex(self.n_bits, features)
        self._index.open = False
        n_tags = len(self.classes_)
        weights = make_chain(self._index.size, n_tags, np.float32)
        feature = np.repeat(np.arange(len(weights.W)), np.diff(arrays["starts"]))
        weights.W[feature, arrays["tags"]] = arrays["weights"]
        weights.T[:, :n_tags] = arrays["transitions"]
        self._show(weights)


def _check_list(value: Any, what: str) -> None:
    if isinstance(value, str) or not hasattr(value, "__len__"):
        raise DataError(f"{what}, got {value!r:.40}")


def _check_tokens(X: Any) -> None:
    _check_list(X, "sentences must be lists of tokens")
    for i, sentence in enumerate(X):
        _check_list(sentence, f"sentence {i} must be a list of tokens")
    if all(issubclass(kind, str) for kind in set(map(type, chain.from_iterable(X)))):
        return
    i, t, token = next((i, t, w) for i, s in enumerate(X) for t, w in enumerate(s) if not isinstance(w, str))
    raise DataError(f"sentence {i}, token {t}: {token!r} is not text")


def _check_pairs(X: Any, y: Any) -> None:
    _check_tokens(X)
    _check_list(y, "tags must be lists, one a sentence")
    if len(X) != len(y):
        raise DataError(f"{len(X)} sentences but tags for {len(y)}")
    for i, (sentence, tags) in enumerate(zip(X, y, strict=True)):
        _check_list(tags, f"sentence {i}: its tags must be a list")
        if len(sentence) != len(tags):
            raise DataError(f"sentence {i} has {len(sentence)} tokens but {len(tags)} tags")


def _distinct_tags(y: Sequence[Sequence[Any]]) -> Array:
    """The tags, sorted; an error unless there are two at least, all text or all whole numbers."""
    tags = set(chain.from_iterable(y))
    kinds = {str if isinstance(tag, str) else int if isinstance(tag, int | np.integer) else type(tag) for tag in tags}
    if len(kinds) > 1 or not kinds <= {str, int}:
        raise DataError(
            f"tags must be all text or all whole numbers, got {', '.join(sorted(k.__name__ for k in kinds))}"
        )
    if len(tags) < 2:
        only = f"every token has the tag {next(iter(tags))!r}" if tags else "there are no sentences"
        raise DataError(f"{only}: a tagger needs two tags at least to learn from")
    return np.array(sorted(tags))
