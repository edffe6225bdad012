"""The averaged perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linsep.kernels.optional import Mean
from linsep.learners.base.derived import DerivedLearner
from linsep.learners.engine.loop import Progress
from linsep.learners.inputs.parameters import check_options, keep_parameters
from linsep.types import Array


class AveragedPerceptron(DerivedLearner):
    """Predicts with sum c_n w_n / sum c_n, where the perceptron's n-th vector w_n survived c_n rows.

    The usual remedy for rows that no hyperplane separates: the last vector depends on the last rows, the mean does
    not. Averaging is lazy and costs what the plain perceptron costs: with u the sum of t a x over the updates a x
    made at visit t, the mean over T visits is w - u / T. u is kept in float64 whatever the dtype of the rows.

    That is the mean of the stored w_n where updates to w do not round (whole numbers of moderate size). Where they do,
    u holds the updates as they were meant: in float32 the mean has been seen to differ by 2e-5 of its size from the
    mean of the w_n as rounded, and an update that w absorbed counts in u.

    One-vs-rest of several classes makes passes until no class needs one: a class that comes to a clean pass early goes
    on counting its last vector, so its mean is that of the class fitted alone for as many epochs, not until its clean
    pass.

    Parameters
    ----------
    average : {"averaged", "last"}, default="averaged"
        The vector that predicts; `set_params` may change it after training.
    max_iter, time_limit, fit_intercept, random_state, warm_start
    class_weight, multi_class, open_classes, n_jobs, trace, verbose
        As in `Perceptron`; `shuffle` is True by default.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The vector that predicts, float64 when averaged.
    last_coef_, last_intercept_ : ndarray
        The perceptron's own vector, in the dtype of the rows.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`.

    References
    ----------
    Freund and Schapire 1999, Machine Learning 37; Collins 2002, EMNLP.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [-1.0]])
    >>> learner = AveragedPerceptron(fit_intercept=False, shuffle=False).fit(X, [1, 0])
    >>> float(learner.last_coef_[0, 0]), float(learner.coef_[0, 0])
    (1.0, 1.0)
    """

    wants_clean_pass: ClassVar[bool] = False
    _derived_by: ClassVar[tuple[str, ...]] = ("average",)
    state_arrays: ClassVar[tuple[str, ...]] = (
        *DerivedLearner.state_arrays, "last_coef_", "last_intercept_", "_sum_coef", "_sum_intercept"
    )  # fmt: skip
    plane_arrays: ClassVar[tuple[str, ...]] = ("last_coef_", "last_intercept_", "_sum_coef", "_sum_intercept")
    column_arrays: ClassVar[tuple[str, ...]] = ("last_coef_", "_sum_coef")

    running_sums: ClassVar[dict[str, str]] = {"_sum_coef": "last_coef_", "_sum_intercept": "last_intercept_"}

    last_coef_: Array
    last_intercept_: Array

    average: str

    def __init__(
        self,
        *,
        average: str = "averaged",
        max_iter: int | None = 10,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        multi_class: str = "ovr",
        open_classes: bool = False,
        n_jobs: int | None = None,
        trace: str = "epochs",
        verbose: int | Progress = 0,
    ) -> None:
        keep_parameters(self, locals())

    def check_parameters(self) -> None:
        super().check_parameters()
        check_options(self, average=("averaged", "last"))

    def start(self, X: Any) -> None:
        super().start(X)
        self.last_coef_, self.last_intercept_ = self.coef_, self.intercept_
        self._sum_coef = np.zeros(self.coef_.shape)
        self._sum_intercept = np.zeros(self.intercept_.shape)

    def moving(self) -> tuple[Array, Array]:
        return self.last_coef_, self.last_intercept_

    def watch(self) -> Mean:
        return Mean(self._sum_coef, self._sum_intercept)

    def _derive(self, columns: Any) -> tuple[Array, Array]:
        w, b = self.last_coef_, self.last_intercept_
        if self.average == "last" or self.t_ == 0:
            return w[:, columns], b
        return w[:, columns] - self._sum_coef[:, columns] / self.t_, b - self._sum_intercept / self.t_
