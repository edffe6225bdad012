"""Structured outputs: a perceptron for any model with joint features, inference and a loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from linsep.kernels.linear.epoch import bits_in_use, squared_norm
from linsep.learners.base.loop import Progress, is_interrupted, run_epochs, shuffled_order
from linsep.learners.base.parameters import Allowed, check_parameters, keep_parameters
from linsep.learners.base.trace import Trace, make_record
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


class EpochState:
    """The course of a run over n examples: epochs, mistakes, trace and stop reason, as attributes of a learner."""

    allowed: ClassVar[dict[str, Allowed]] = {}
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

    def check_parameters(self) -> None:
        """Raise ValueError for constructor parameters that make no sense."""
        check_parameters(self)

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
        The problem: `joint_feature`, `inference` and `loss`. For sequences of words there is `SequenceTagger`, which
        makes the mistakes that this class makes with a model of chains, and is far faster.
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
    >>> class Signs:
    ...     n_weights = 2  # two classes as a structure: y is -1 or 1, and Phi(x, y) = y x
    ...     def joint_feature(self, x, y):
    ...         return y * x
    ...     def inference(self, x, w):
    ...         return 1 if w @ x >= 0 else -1
    ...     def loss(self, y, guess):
    ...         return float(y != guess)
    >>> X = np.array([[1.0, 0.5], [-1.0, 2.0]])
    >>> learner = StructuredPerceptron(Signs(), shuffle=False).fit(X, [1, -1])
    >>> learner.predict(X), learner.n_mistakes_
    ([1, -1], 1)
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
        self.check_parameters()
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
        loss = self.model.loss(y, guess)
        if not loss >= 0:
            raise DataError(f"a loss is a number of at least 0, the model gives {loss!r}")
        if not loss:
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
