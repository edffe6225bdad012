"""The averaged perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

from linsep.learners.base.derived import MeanLearner
from linsep.learners.engine.loop import Progress
from linsep.learners.inputs.parameters import keep_parameters


class AveragedPerceptron(MeanLearner):
    """Predicts with sum c_n w_n / sum c_n, where the perceptron's n-th vector w_n survived c_n rows.

    The usual remedy for rows that no hyperplane separates: the last vector depends on the last rows, the mean does
    not. Averaging is lazy and costs what the plain perceptron costs: with u the sum of t a x over the updates a x
    made at visit t, the mean over T visits is w - u / T. u is kept in float64 whatever the dtype of the rows.

    This is the mean of the stored w_n if updates of w are not rounded (whole numbers of moderate size). Otherwise u
    holds the updates before rounding: in float32 a difference of 2e-5 of its size from the mean of the rounded w_n has
    been observed, and an update that no longer changed w still counts in u.

    The mean is that of `max_iter` epochs. After a clean pass no epoch would change w, so the run ends there, and its
    vector is counted for all rows of the epochs left out: `n_iter_` and `trace_` tell the epochs that were made. With
    `max_iter=None`, and in `partial_fit`, streams and clusters, the rows that were visited count.

    One-vs-rest of several classes makes passes until no class needs one. A class with an early clean pass continues to
    count its last vector, so its mean is the one of that class fitted alone.

    Parameters
    ----------
    average : {"averaged", "last"}, default="averaged"
        The vector that predicts; `set_params` may change it after training.
    max_iter : int or None, default=10
        Number of epochs that count; those after a clean pass are not made. None ends with the clean pass.
    time_limit : float or None, default=None
        Largest number of seconds, checked between passes; None sets no limit.
    fit_intercept : bool, default=True
        Whether to learn b; without it b stays 0.
    intercept_scaling : float or "auto", default=1.0
        c, the value of the constant feature behind b: an update by a x moves b by c^2 a. Numbers below 1 damp b. Bounds
        have R^2 + c^2 in the place of R^2 + 1. "auto" is the root mean square length of the rows, of a stream that of
        its first block. Read when training begins, and kept in `intercept_scaling_`.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch: up to 3,968 rows in a random permutation, of more rows
        chunks of 16 neighbours in random order, each 4,096 rows in a line then shuffled among themselves.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    warm_start : bool, default=False
        Whether `fit` goes on from the current weights instead of 0. With `shuffle` and an int as `random_state`, each
        call visits the rows in the same orders again; a RandomState goes on where it was.
    class_weight : dict, "balanced" or None, default=None
        Factor on the updates of each class: finite, at least 0, and 1 for a class that the dict leaves out. A class of
        weight 0 is treated as if its rows were left out; in one-vs-rest of several classes they are left out for that
        class alone.
    multi_class : {"ovr", "multiclass"}, default="ovr"
        With three or more classes: each class against the rest, all in one pass ("ovr"); or one update per mistake,
        towards the class of the row and away from the first of the others with the largest z ("multiclass").
    open_classes : bool, default=False
        Whether a label that was not named may join in `partial_fit`: it becomes a class with w = 0 when its first row
        comes. A second class shares the plane of the first: it joins with the negative of its w.
    n_jobs : int or None, default=None
        Has no effect: one thread learns and predicts.
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

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
    averages: ClassVar[tuple[str, ...]] = ("averaged", "last")

    average: str

    def __init__(
        self,
        *,
        average: str = "averaged",
        max_iter: int | None = 10,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
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
