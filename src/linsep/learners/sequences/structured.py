"""Structured outputs: a perceptron for any model with joint features, inference and a loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Protocol, Self

import numpy as np

from linsep.kernels.linear.epoch import bits_in_use, squared_norm
from linsep.kernels.sequences.chain import Chain, Sentences, make_chain, make_work, viterbi
from linsep.learners.engine.interrupt import is_interrupted
from linsep.learners.engine.loop import Progress, run_epochs, shuffled_order
from linsep.learners.engine.trace import Trace, make_record
from linsep.learners.inputs.parameters import check_options, check_run, keep_parameters
from linsep.passes import RECORD
from linsep.scikit import BaseEstimator, check_is_fitted, random_state
from linsep.types import Array, Budget, DataError, StopReason


class StructuredModel(Protocol):
    """What a `StructuredPerceptron` needs to know of a problem; the score of an output is w.Phi(x, y)."""

    @property
    def n_weights(self) -> int:
        """Length of w and of every Phi(x, y)."""

    def joint_feature(self, x: Any, y: Any) -> Array:
        """Phi(x, y), shape (n_weights,)."""

    def inference(self, x: Any, w: Array) -> Any:
        """An output y with the greatest w.Phi(x, y)."""

    def loss(self, y: Any, guess: Any) -> float:
        """How wrong `guess` is: 0 if it is y, else above 0."""


class ChainModel:
    """Score a sequence of tags by the features of its tokens and by its transitions from tag to tag.

    x is a list of tokens, and each token is a list of feature numbers. y is a sequence of tags, one per token. The
    weights are those of each feature for each tag, row by row, then those of the transitions: one row for each previous
    tag, one for the start and one for the end. Inference is Viterbi's algorithm in float32. Of several best sequences
    it takes the one with the smallest last tag, then with the smallest last but one, and so on. The loss is the number
    of wrong tags.

    Parameters
    ----------
    n_features : int
        Number of features; a feature is a number below it.
    n_tags : int
        Number of tags; a tag is a number below it.

    Examples
    --------
    >>> model = ChainModel(n_features=2, n_tags=2)
    >>> model.n_weights, model.joint_feature([[0], [1]], [0, 1]).tolist()
    (12, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    """

    def __init__(self, n_features: int, n_tags: int) -> None:
        self.n_features = n_features
        self.n_tags = n_tags

    @property
    def n_weights(self) -> int:
        """Number of weights: n_features x n_tags, and (n_tags + 2) x n_tags transitions."""
        return (self.n_features + self.n_tags + 2) * self.n_tags

    def joint_feature(self, x: Sequence[Sequence[int]], y: Sequence[int]) -> Array:
        """Count each feature with each tag, and each tag after each other, the start and the end.

        Parameters
        ----------
        x : sequence of sequences of int
            The features of each token.
        y : sequence of int
            The tag of each token.

        Returns
        -------
        ndarray, shape (n_weights,)
            Phi(x, y).
        """
        phi = np.zeros((self.n_features + self.n_tags + 2, self.n_tags))
        before = start = self.n_features + self.n_tags
        for features, tag in zip(x, y, strict=True):
            np.add.at(phi[:, tag], np.asarray(features, dtype=np.intp), 1.0)
            phi[before, tag] += 1
            before = self.n_features + tag
        if before != start:
            phi[start + 1, before - self.n_features] += 1
        return phi.ravel()

    def inference(self, x: Sequence[Sequence[int]], w: Array) -> list[int]:
        """Find the best tags with Viterbi's algorithm.

        Parameters
        ----------
        x : sequence of sequences of int
            The features of each token.
        w : ndarray, shape (n_weights,)
            The weights.

        Returns
        -------
        list of int
            The tag of each token.
        """
        weights = self._as_chain(w)
        indptr = np.cumsum([0, *map(len, x)], dtype=np.int64)
        indices = np.array(list(chain.from_iterable(x)), dtype=np.int32)
        if indices.size and not 0 <= indices.min() <= indices.max() < self.n_features:
            raise DataError(f"a feature number is not between 0 and {self.n_features - 1}")
        work = make_work(weights, len(x))
        viterbi(Sentences(np.array([0, len(x)], dtype=np.int64), indptr, indices), 0, weights, work)
        found: list[int] = work.path.tolist()
        return found

    def loss(self, y: Sequence[int], guess: Sequence[int]) -> float:
        """Count the wrong tags.

        Parameters
        ----------
        y : sequence of int
            The true tags.
        guess : sequence of int
            The predicted tags.

        Returns
        -------
        float
            The number of tokens whose tags differ.
        """
        return float(sum(a != b for a, b in zip(y, guess, strict=True)))

    def _as_chain(self, w: Array) -> Chain:
        weights = make_chain(self.n_features, self.n_tags, np.float32)
        table = w.reshape(-1, self.n_tags)
        weights.W[:, : self.n_tags] = table[: self.n_features]
        weights.T[:, : self.n_tags] = table[self.n_features :]
        return weights


class EpochState:
    """The course of a run over n examples: epochs, mistakes, trace and stop reason, as attributes of a learner."""

    max_iter: int | None
    time_limit: float | None
    shuffle: bool
    random_state: Any
    verbose: int | Progress
    n_iter_: int
    n_mistakes_: int
    t_: int
    stop_reason_: StopReason
    trace_: Trace

    def _check_budget(self) -> None:
        check_options(self, "shuffle")
        check_run(self)

    def _make_passes(self, n: int, one_pass: Callable[[Array], dict[str, float]], settle: Callable[[], None]) -> None:
        """Pass over n examples until a pass is clean or the budget ends; then `settle`, whatever happened.

        `one_pass` takes the order of the visits and returns columns of `RECORD`.
        """
        rng = random_state(self.random_state) if self.shuffle else None
        self.trace_ = Trace(n)
        self.n_iter_ = self.n_mistakes_ = self.t_ = 0

        def make_pass(most: int) -> Array:
            told = one_pass(np.arange(n, dtype=np.int32) if rng is None else shuffled_order(n, rng))
            mistakes = int(told["mistakes"])
            self.n_iter_ += 1
            self.n_mistakes_ += mistakes
            return make_record(**{"dots": n, **told, "updates": mistakes})

        def end(stop: StopReason) -> None:
            self.stop_reason_ = stop
            settle()

        run_epochs(
            make_pass,
            stop_after=lambda record: None if record[0, RECORD.mistakes] else StopReason.CLEAN_PASS,
            end=end,
            budget=Budget(self.max_iter, self.time_limit),
            trace=self.trace_,
            verbose=self.verbose,
        )


class StructuredPerceptron(EpochState, BaseEstimator):
    """w += Phi(x, y) - Phi(x, z) wherever the best output z is not y; predicts with the mean of w over all visits.

    A mistake is a guess z = inference(x, w) with loss(y, z) > 0; how inference breaks ties is up to the model.

    Parameters
    ----------
    model : StructuredModel
        The problem: `joint_feature`, `inference` and `loss`. `ChainModel` is the one in this library. For text
        `SequenceTagger` is far faster, and makes the mistakes that this class makes with a `ChainModel`.
    max_iter : int or None, default=10
        Largest number of epochs; None sets no limit.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    shuffle : bool, default=True
        Whether to visit the examples in a new order in each epoch.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, last_coef_ : ndarray, shape (n_weights,)
        The mean of w after each visit, and w itself.
    n_iter_, n_mistakes_ : int
    stop_reason_ : StopReason
    trace_ : Trace
        Epoch by epoch; its `dots` are calls of inference.

    References
    ----------
    Collins 2002, Discriminative training methods for hidden Markov models, EMNLP;
    `linsep.theory.collins_bounds` gives the bounds on its mistakes.

    Examples
    --------
    >>> learner = StructuredPerceptron(ChainModel(2, 2), shuffle=False).fit([[[0], [1]]], [[0, 1]])
    >>> learner.predict([[[0], [1]]]), learner.n_mistakes_
    ([[0, 1]], 1)
    """

    model: StructuredModel
    coef_: Array
    last_coef_: Array

    def __init__(
        self,
        model: StructuredModel,
        *,
        max_iter: int | None = 10,
        time_limit: float | None = None,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int | Progress = 0,
    ) -> None:
        keep_parameters(self, locals())

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Learn from examples X with their outputs y.

        Parameters
        ----------
        X : sequence of inputs
            The examples, in the form that the model takes.
        y : sequence of outputs
            The true output of each example.

        Returns
        -------
        self

        Raises
        ------
        DataError
            There are no examples, or X and y have different lengths.
        """
        self._check_budget()
        if len(X) != len(y) or not len(X):
            raise DataError(f"{len(X)} inputs and {len(y)} outputs: give as many outputs as inputs, and one at least")
        w = self.last_coef_ = np.zeros(self.model.n_weights)
        u = np.zeros(self.model.n_weights)

        def one_pass(order: Array) -> dict[str, float]:
            mistakes = 0
            began = self.t_
            for i in order:
                if is_interrupted():  # inference may take long: the pass ends here, and is the last
                    break
                mistakes += self._learn(X[i], y[i], w, u)
                self.t_ += 1
            norm = math.sqrt(squared_norm(w))
            return {"mistakes": mistakes, "norm_w": norm, "bits": bits_in_use(w), "dots": self.t_ - began}

        def settle() -> None:
            self.coef_ = w - u / max(self.t_, 1)

        self._make_passes(len(X), one_pass, settle)
        return self

    def _learn(self, x: Any, y: Any, w: Array, u: Array) -> bool:
        """Visit one example; u takes the number of visits before times what w takes."""
        guess = self.model.inference(x, w)
        if not self.model.loss(y, guess) > 0:
            return False
        step = self.model.joint_feature(x, y) - self.model.joint_feature(x, guess)
        w += step
        u += self.t_ * step
        return True

    def predict(self, X: Sequence[Any]) -> list[Any]:
        """Find the best output of each input with the mean weights.

        Parameters
        ----------
        X : sequence of inputs
            The examples, in the form that the model takes.

        Returns
        -------
        list of outputs
            One output for each example.
        """
        check_is_fitted(self)
        return [self.model.inference(x, self.coef_) for x in X]

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """Compute the share of examples that are predicted without loss.

        Parameters
        ----------
        X : sequence of inputs
            The examples, in the form that the model takes.
        y : sequence of outputs
            The true output of each example.

        Returns
        -------
        float
            Between 0 and 1.
        """
        guesses = self.predict(X)
        return float(np.mean([self.model.loss(a, b) == 0 for a, b in zip(y, guesses, strict=True)]))
