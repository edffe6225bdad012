"""A real Ctrl-C at any moment leaves a model whose parts agree; numbers too large are told, not learnt from."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from chain_model import ChainModel
from linsep.kernels.chain import chain_epoch
from linsep.learners import (
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SequenceTagger,
    StructuredPerceptron,
    VotedPerceptron,
)
from linsep.types import DataError, StopReason

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS: list[Any] = [
    Perceptron(max_iter=6),
    AveragedPerceptron(max_iter=6, shuffle=False),
    VotedPerceptron(max_iter=6, shuffle=False),
    PocketPerceptron(max_iter=6, shuffle=False),
]


@pytest.fixture
def interrupt_after_pass(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A SIGINT as soon as the weights of the given pass have moved, before anything else has."""

    def install(learner: Any, which: int) -> None:
        run, calls = type(learner).run, [0]

        def run_and_interrupt(self: Any, *args: Any) -> Any:
            made = run(self, *args)
            calls[0] += 1
            if calls[0] == which:
                os.kill(os.getpid(), signal.SIGINT)
            return made

        monkeypatch.setattr(type(learner), "run", run_and_interrupt)

    yield install
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def noise(n_classes: int, form: Any) -> tuple[Any, Any]:
    rng = np.random.RandomState(0)
    return form(rng.randn(60, 4)), rng.randint(0, n_classes, 60)


@pytest.mark.parametrize(
    ("learner", "n_classes", "form"),
    [*((learner, 2, np.asarray) for learner in LEARNERS), *((learner, 40, sp.csr_matrix) for learner in LEARNERS[:2])],
    ids=repr,
)
def test_ctrl_c_in_fit_keeps_a_whole_number_of_epochs(
    learner: Any, n_classes: int, form: Any, interrupt_after_pass: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noise(n_classes, form)
    stopped = clone(learner)
    monkeypatch.setattr(
        type(stopped), "batch_epochs", min(2, stopped.batch_epochs)
    )  # so that the second call does not come to the end
    interrupt_after_pass(stopped, 2)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, y)
    monkeypatch.undo()
    assert stopped.stop_reason_ is StopReason.INTERRUPTED
    whole = clone(learner).set_params(max_iter=stopped.n_iter_).fit(X, y)
    assert 1 <= stopped.n_iter_ < 6 and stopped.t_ == 60 * stopped.n_iter_
    assert stopped.n_mistakes_ == whole.n_mistakes_ == stopped.trace_.mistakes.sum()
    np.testing.assert_array_equal(stopped.coef_, whole.coef_)
    np.testing.assert_array_equal(stopped.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("learner", [AveragedPerceptron(), VotedPerceptron()], ids=repr)
def test_ctrl_c_in_partial_fit_comes_after_the_chunk(
    learner: Any, interrupt_after_pass: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noise(3, np.asarray)
    stopped, whole = clone(learner), clone(learner)
    interrupt_after_pass(stopped, 1)
    with pytest.raises(KeyboardInterrupt):
        stopped.partial_fit(X, y, classes=[0, 1, 2])
    monkeypatch.undo()
    whole.partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(stopped.decision_function(X), whole.decision_function(X))
    np.testing.assert_array_equal(
        stopped.partial_fit(X, y).decision_function(X), whole.partial_fit(X, y).decision_function(X)
    )


@pytest.mark.parametrize("calls", [1, 3])
def test_ctrl_c_ends_a_kernel_pass_at_its_next_block(calls: int) -> None:
    """256 rows a block; the kernel values of a block with itself are asked for once a block at least, in the first."""
    rng = np.random.RandomState(0)
    X, y = rng.randn(2000, 3), rng.randint(0, 2, 2000)
    seen = [0]

    def kernel(A: Any, B: Any) -> Any:
        seen[0] += 1
        if seen[0] == calls:
            os.kill(os.getpid(), signal.SIGINT)
        return (A @ B.T + 1) ** 2

    stopped = KernelPerceptron(kernel, average="voted", shuffle=False, max_iter=3)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, y)
    assert stopped.stop_reason_ is StopReason.INTERRUPTED and stopped.n_iter_ == 1
    assert 0 < stopped.t_ < 2000 and stopped.t_ % 256 == 0
    whole = KernelPerceptron("poly", degree=2, average="voted", shuffle=False).fit(X[: stopped.t_], y[: stopped.t_])
    assert stopped.n_mistakes_ == whole.n_mistakes_ == stopped.trace_.mistakes.sum()
    np.testing.assert_array_equal(stopped.support_, whole.support_)
    np.testing.assert_allclose(stopped.norm2_, whole.norm2_)
    np.testing.assert_allclose(stopped.decision_function(X), whole.decision_function(X))


class Interrupting(ChainModel):
    """Sends the signal from its inference number `left`."""

    left = 25

    def inference(self, x: Any, w: Any) -> list[int]:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return super().inference(x, w)


def test_ctrl_c_ends_a_structured_pass_after_the_example() -> None:
    rng = np.random.RandomState(0)
    X = [[[int(f)] for f in rng.randint(4, size=3)] for _ in range(20)]
    y = [rng.randint(2, size=3).tolist() for _ in X]
    stopped = StructuredPerceptron(Interrupting(4, 2), shuffle=False)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, y)
    assert (stopped.t_, stopped.n_iter_, stopped.stop_reason_) == (25, 2, StopReason.INTERRUPTED)
    np.testing.assert_array_equal(stopped.trace_.dots, [20, 5])
    assert stopped.n_mistakes_ == stopped.trace_.mistakes.sum()
    whole = StructuredPerceptron(ChainModel(4, 2), shuffle=False, max_iter=1).fit([*X, *X[:5]], [*y, *y[:5]])
    np.testing.assert_array_equal(stopped.last_coef_, whole.last_coef_)
    np.testing.assert_allclose(stopped.coef_, whole.coef_)


def test_ctrl_c_leaves_a_tagger_of_whole_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = [["a", "b"], ["b", "a"], ["a", "a"]], [["A", "B"], ["B", "B"], ["B", "A"]]

    def epoch(*args: Any) -> None:
        chain_epoch(*args)
        os.kill(os.getpid(), signal.SIGINT)

    stopped = SequenceTagger(random_state=0)
    monkeypatch.setattr("linsep.learners.tagger.chain_epoch", epoch)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, y)
    monkeypatch.undo()
    whole = SequenceTagger(random_state=0, max_iter=1).fit(X, y)
    assert (stopped.n_iter_, stopped.t_, stopped.n_mistakes_) == (1, 3, whole.n_mistakes_)
    np.testing.assert_array_equal(stopped.coef_, whole.coef_)


# ------------------------------------------------------------- rows of zeros
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_rows_of_zeros_do_not_end_training(variant: str) -> None:
    rng = np.random.RandomState(0)
    X = np.vstack([np.zeros((30, 4)), rng.randn(30, 4)])
    learner = PassiveAggressive(variant=variant, fit_intercept=False, random_state=0, max_iter=7)
    learner.fit(X, rng.randint(0, 2, 60))
    assert learner.n_iter_ == 7


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_of_zeros_count_once_a_class() -> None:
    X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0, 0, 1, 2]
    learner = Perceptron(fit_intercept=False, max_iter=20).fit(X, y)
    assert learner.stop_reason_ is StopReason.EPOCH_BUDGET
    assert learner.trace_.updates[-1] == 3


# ------------------------------------------------------------------- overflow
@pytest.mark.parametrize("learner", [Perceptron(), PassiveAggressive(), VotedPerceptron()], ids=repr)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_rows_whose_length_overflows_are_refused(learner: Any, form: Any) -> None:
    with pytest.raises(
        DataError, match=r"row 1 .counted from 0.: the sum of the squares of its values is beyond what float64"
    ):
        learner.fit(form([[1.0], [-1e200]]), [0, 1])
    with pytest.raises(DataError, match=r"row 1 .counted from 0.: .* beyond what float32 holds; .* give float64 rows"):
        learner.fit(form(np.array([[1.0], [3e19]], dtype="f")), [0, 1])
    assert not hasattr(learner, "coef_")


def test_weights_that_outgrow_their_dtype_are_an_error() -> None:
    X, y = 1e19 * np.eye(5, dtype="f"), [0, 1, 0, 1, 0]
    learner = Perceptron()
    with pytest.raises(DataError, match=r"w is too large for float32: \|\|w\|\| is"):
        learner.fit(X, y)
    assert not hasattr(learner, "coef_")
    assert Perceptron().fit(X.astype(float), y).score(X, y) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("last", "error"),
    [(1.0, None), (-1.0, None), (0.5, None), (np.nan, ValueError), (np.inf, ValueError), (None, DataError)],
)
def test_ones_are_taken_and_what_follows_them_is_looked_at(
    dtype: Any, last: float | None, error: type[Exception] | None
) -> None:
    ones = np.ones(3000, dtype)
    ones[-1] = np.finfo(dtype).max if last is None else last
    X = sp.csr_matrix(ones.reshape(1500, 2))
    y = np.arange(1500) % 2
    if error is None:
        assert Perceptron().partial_fit(X, y, classes=[0, 1]).n_iter_ == 1
    else:
        with pytest.raises(error):
            Perceptron().partial_fit(X, y, classes=[0, 1])
