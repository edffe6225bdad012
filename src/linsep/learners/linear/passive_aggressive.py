"""Learners that also move on rows that are right but near: the margin perceptron and passive-aggressive ones."""

from __future__ import annotations

import math
from typing import ClassVar, Unpack

from linsep.learners.base.linear_learner import SUMS, WITH_SUMS
from linsep.learners.base.one_row import OnlineLearner
from linsep.learners.base.parameters import FLAG, Allowed, Shared, sharing
from linsep.passes import PA1, PA2


class MarginPerceptron(OnlineLearner):
    """w += y x, b += y wherever y z <= margin; margin = 0 is the plain perceptron.

    On separable rows it stops with every functional margin above `margin`, after at most
    (R^2 + 1 + 2 margin) / gamma^2 updates.

    Parameters
    ----------
    margin : float, default=1.0
        The functional margin y z that every row has to exceed.
    average : bool, default=False
        Whether to predict with the mean of the vectors after each visit, which depends less on the last rows. After a
        clean pass its vector is counted for the epochs left out, as in `AveragedPerceptron`. A learner trained with it
        may be set back to False, but not the other way round.
    max_iter : int or None, default=1000
        Largest number of epochs; None sets no limit.
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
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The vector that predicts, float64 with `average`.
    last_coef_, last_intercept_ : ndarray
        The last vector, in the dtype of the rows.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`; a mistake is y z <= 0, an update y z <= margin.

    References
    ----------
    Krauth and Mezard 1987, Journal of Physics A 20.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0], [-1.0]])
    >>> learner = MarginPerceptron(margin=3.0, fit_intercept=False, shuffle=False).fit(X, [1, 0])
    >>> float(learner.coef_[0, 0])
    4.0
    """

    unit_steps: ClassVar[bool] = False
    allowed: ClassVar[dict[str, Allowed]] = {"average": FLAG}
    state_arrays, running_sums = WITH_SUMS, SUMS

    margin: float
    average: bool

    @sharing(max_iter=1000)
    def __init__(self, *, margin: float = 1.0, average: bool = False, **shared: Unpack[Shared]) -> None: ...

    def step_rule(self) -> float:
        return float(self.margin)


class PassiveAggressive(OnlineLearner):
    """w += tau y x: the least move that brings the functional margin of the row to 1.

    With the loss l = max(0, 1 - y z) and q = ||x||^2 (+ 1 with an intercept): tau = l / q ("pa"),
    min(C, l / q) ("pa1"), l / (q + 1 / (2 C)) ("pa2"). It is the solution of min ||w' - w||^2 / 2 plus nothing,
    C xi or C xi^2, subject to y w'.x >= 1 - xi (xi = 0 for "pa").

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        The rule for the step tau, as above.
    C : float, default=1.0
        Aggressiveness of "pa1" and "pa2"; "pa" has none.
    average : bool, default=False
        Whether to predict with the mean of the vectors after each visit, which depends less on the last rows. After a
        clean pass its vector is counted for the epochs left out, as in `AveragedPerceptron`. A learner trained with it
        may be set back to False, but not the other way round.
    max_iter : int or None, default=10
        Largest number of epochs; None sets no limit.
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
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The vector that predicts, float64 with `average`.
    last_coef_, last_intercept_ : ndarray
        The last vector, in the dtype of the rows.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`; a mistake is y z <= 0, an update y z < 1.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, JMLR 7, figures 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> learner = PassiveAggressive(variant="pa", fit_intercept=False)
    >>> learner = learner.partial_fit(np.array([[2.0]]), [1], classes=[0, 1])
    >>> float(learner.coef_[0, 0])
    0.5
    """

    wants_clean_pass: ClassVar[bool] = False
    unit_steps: ClassVar[bool] = False
    allowed: ClassVar[dict[str, Allowed]] = {"average": FLAG}
    state_arrays, running_sums = WITH_SUMS, SUMS

    variant: str
    C: float
    average: bool

    @sharing(max_iter=10)
    def __init__(
        self, *, variant: str = "pa1", C: float = 1.0, average: bool = False, **shared: Unpack[Shared]
    ) -> None: ...

    def step_rule(self) -> PA1 | PA2:
        if self.variant == "pa2":
            return PA2(float(self.C))
        return PA1(float(self.C) if self.variant == "pa1" else math.inf)
