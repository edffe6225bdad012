"""A network with one hidden layer, for data that no hyperplane separates well."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self, Unpack

import numpy as np
import scipy

from linsep import scikit
from linsep.declared import ArraySpec, ValueSpec
from linsep.learners.base.classifier import Classifier
from linsep.learners.base.parameters import Given, Run, sharing
from linsep.passes import RECORD, Rows, UpdateLog
from linsep.scikit import check_is_fitted, checked_rows, random_state
from linsep.types import Array, DataError, StopReason

# Epochs in a row that may bring less than the tolerance.
_PATIENCE = 10


class MLP(Classifier):
    """z = v.max(0, W x + b) + c: a hyperplane through the outputs of `hidden` nodes, which are learnt with it.

    A universal approximator: with enough nodes it approximates any continuous function as closely as you like on a
    ball. What it finds depends on the start, and nothing is proved about it; use it where no hyperplane is good enough.
    scikit-learn's `MLPClassifier` does the epochs (Adam on the logistic loss, or on its form for several classes); the
    labels, the tie rule, the stop reason and the model file are those of the other learners.

    Parameters
    ----------
    hidden : int, default=64
        Nodes of the one hidden layer.
    alpha : float, default=1e-4
        Weight of ||W||^2 + ||v||^2 in the loss.
    learning_rate_init : float, default=0.01
        Adam's step.
    tol : float, default=1e-4
        Training has converged if for more than 10 epochs the loss has not fallen below its least value by at least this
        much.
    max_iter : int or None, default=500
        Largest number of epochs; None sets no limit.
    time_limit : float or None, default=None
        Largest number of seconds, checked between epochs; None sets no limit.
    random_state : int, RandomState or None, default=None
        Seed of the first weights and of the order of the rows.
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes on all rows after the epoch,
        seconds).

    Attributes
    ----------
    hidden_coef_, hidden_intercept_ : ndarray, shape (hidden, n_features) and (hidden,)
        W and b.
    output_coef_, output_intercept_ : ndarray, shape (1 or n_classes, hidden) and (1 or n_classes,)
        v and c.
    classes_, n_iter_ : as in `Perceptron`
    loss_curve_ : ndarray, shape (n_iter_,)
        Mean loss of each epoch.
    stop_reason_ : StopReason
        "converged", "epoch budget", "time budget" or "interrupted".
    trace_ : Trace
        `mistakes` are those on all rows after the epoch.

    References
    ----------
    Cybenko 1989, Mathematics of Control, Signals and Systems 2; Kingma and Ba 2015, ICLR.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> learner = MLP(random_state=0).fit(X, [0, 1, 1, 0])
    >>> learner.predict(X).tolist(), learner.score(X, [0, 1, 1, 0])
    ([0, 1, 1, 0], 1.0)
    """

    wants_clean_pass: ClassVar[bool] = False
    unit_steps: ClassVar[bool] = False
    batch_epochs: ClassVar[int] = 1
    summed_in: ClassVar[Any] = np.float64
    # Updates are those of a gradient, and no mistakes are counted.
    state_values: ClassVar[dict[str, ValueSpec]] = {
        name: Classifier.state_values[name] for name in ("n_features_in_", "n_iter_", "stop_reason_")
    }
    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        "hidden_coef_": ArraySpec(("hidden", "features")),
        "hidden_intercept_": ArraySpec(("hidden",)),
        "output_coef_": ArraySpec(("planes", "hidden")),
        "output_intercept_": ArraySpec(("planes",)),
        "loss_curve_": ArraySpec(("epochs",), "float64"),
    }

    hidden: int
    alpha: float
    learning_rate_init: float
    tol: float
    hidden_coef_: Array
    hidden_intercept_: Array
    output_coef_: Array
    output_intercept_: Array
    loss_curve_: Array

    @sharing("shuffle", max_iter=500, linear=False)
    def __init__(
        self,
        hidden: int = 64,
        *,
        alpha: float = 1e-4,
        learning_rate_init: float = 0.01,
        tol: float = 1e-4,
        **run: Unpack[Run],
    ) -> None: ...

    # --------------------------------------------------------------- training
    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # no weights
        """Learn from all rows until the loss no longer falls or the budget ends.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            Scale the features alike: the steps are the same for all of them.
        y : array, shape (n_samples,)
            Labels of any type.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For input that cannot be learnt from; the estimator is left as it was.
        KeyboardInterrupt
            On Ctrl-C, after the model so far has been kept (`stop_reason_` is "interrupted").

        Warns
        -----
        ConvergenceWarning
            When the budget ended while the loss was falling.
        """
        return super().fit(X, y)

    def warn_of_run(self, n: int) -> None:
        """Warn of a run over n rows that ended while the loss was falling."""
        if self.stop_reason_ in (StopReason.EPOCH_BUDGET, StopReason.TIME_BUDGET):
            warnings.warn(
                f"MLP stopped after {self.n_iter_} epochs ({self.stop_reason_}), its loss {self.loss_curve_[-1]:.4g}; "
                f"{int(self.trace_.mistakes[-1])} of {n} rows are mistakes; raise max_iter or time_limit",
                scikit.ConvergenceWarning,
                stacklevel=4,
            )

    def start(self, X: Any) -> None:
        self.t_ = 0

    def kernel_rows(self, given: Given) -> tuple[Rows, Array | None]:
        return Rows(given.X, np.searchsorted(self.classes_, given.y)), given.numbers

    def reorders(self) -> bool:
        return False  # scikit-learn draws an order for each epoch

    def prepare(self, rows: Rows) -> Any:
        """scikit-learn's network, of which each epoch is a call."""
        # Imported here: it costs as much as the rest of the learners, and most programs do without.
        from sklearn.neural_network import MLPClassifier

        self._losses: list[float] = []
        return MLPClassifier(
            hidden_layer_sizes=(self.hidden,),
            alpha=self.alpha,
            learning_rate_init=self.learning_rate_init,
            random_state=random_state(self.random_state),  # not a seed, with which each call would begin again
        )

    def run(self, rows: Rows, memory: Any, log: UpdateLog | None, reference: Array, record: Array) -> int:
        memory.partial_fit(rows.X, rows.y, classes=np.arange(len(self.classes_)))
        self._losses.append(float(memory.loss_))
        (W, v), (b, c) = memory.coefs_, memory.intercepts_
        self.hidden_coef_, self.hidden_intercept_ = W.T.copy(), b.copy()
        self.output_coef_, self.output_intercept_ = v.T.copy(), c.copy()
        z = self._values(rows.X)
        predicted = z[:, 0] >= 0 if z.shape[1] == 1 else z.argmax(axis=1)
        record[0, RECORD.mistakes] = (predicted != rows.y).sum()
        return 1

    def stop_after(self, record: Array) -> StopReason | None:
        """Stop if the least loss of the last epochs is not below the least one before them by `tol`."""
        before, last = self._losses[: -_PATIENCE - 1], self._losses[-_PATIENCE - 1 :]
        return StopReason.CONVERGED if before and min(last) > min(before) - self.tol else None

    def settle(self) -> None:
        self.loss_curve_ = np.array(self._losses)
        del self.n_mistakes_, self.n_updates_  # those after an epoch are no part of learning

    # ------------------------------------------------------------- prediction
    def check_state(self, meta: dict[str, Any], arrays: dict[str, Array], classes: Array, names: Array | None) -> None:
        """Raise DataError unless this is a state of such a network: without nodes its columns cost no bytes."""
        super().check_state(meta, arrays, classes, names)
        if not len(arrays["hidden_coef_"]):
            raise DataError("the network has no hidden node")

    def decision_function(self, X: Any) -> Array:
        """z = v.max(0, W x + b) + c.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples,) or (n_samples, n_classes)
            Two classes: at or above 0 for the positive class, `classes_[1]`. More: one column a class.
        """
        check_is_fitted(self)
        self.check_parts()
        X = checked_rows(self, X)
        z = self._values(X)
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)

    def _values(self, X: Any) -> Array:
        """z of each row and plane."""
        nodes = np.maximum(np.asarray(X @ self.hidden_coef_.T) + self.hidden_intercept_, 0.0)
        return np.asarray(nodes @ self.output_coef_.T + self.output_intercept_)

    def predict_proba(self, X: Any) -> Array:
        """1 / (1 + exp(-z)) of the positive class; exp(z) of each of several classes, made to sum to 1.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe}, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        z = self.decision_function(X)
        return np.asarray(scipy.special.softmax(z if z.ndim == 2 else np.column_stack([np.zeros_like(z), z]), axis=1))
