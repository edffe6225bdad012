"""The pocket perceptron."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from linsep.declared import ArraySpec, ValueSpec
from linsep.learners.base.linear_learner import LinearLearner
from linsep.learners.base.loop import drawn_order
from linsep.learners.base.parameters import Shared, sharing
from linsep.passes import RECORD, SPENT, Rows, UpdateLog
from linsep.types import Array, StopReason

if TYPE_CHECKING:
    from linsep.kernels.linear.pocket import Pocket


class PocketPerceptron(LinearLearner):
    """The perceptron that keeps the vector with the fewest training mistakes, among those judged, in its pocket.

    A vector is judged when its run of consecutive correct rows is longer than the run that the vector in the pocket had
    when it was put there: its mistakes on all rows are counted, and it goes into the pocket if they are strictly fewer
    (the ratchet).
    So the training error of the pocket never rises, and on rows that no hyperplane separates it is far better than that
    of the last vector. With shuffling it reaches the least possible error with a probability that tends to 1; no bound
    on the time is known, and finding the least error is NP-hard.

    A mistake is y z <= 0 here as in training (z_y <= z of another class with "multiclass"), so no mistakes are a proof
    of separation, and swapping the classes changes nothing. `predict` puts z = 0 on the positive side, so it makes
    these mistakes or fewer. With weights, the sum of the weights of the mistaken rows is what counts.

    Each vector is judged at most once, after its run or at the end of a pass. Judging stops as soon as it has as many
    mistakes as the vector in the pocket.

    The pocket belongs to one set of rows, so there is no `partial_fit` and no `learn_one`.

    Parameters
    ----------
    max_iter : int or None, default=100
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
        Whether to visit rows drawn at random in each epoch, some more than once: up to 3,968 rows are drawn from as a
        whole, of more rows each 4,096 in a line of the order of `Perceptron` are replaced by draws from among them.
    random_state : int, RandomState or None, default=None
        Seed of that order.
    warm_start : bool, default=False
        Whether `fit` goes on from the current weights instead of 0. The pocket is then judged on the new rows first,
        and runs of correct rows are counted from 0.
    class_weight : dict, "balanced" or None, default=None
        Factor on the updates of each class: finite, at least 0, and 1 for a class that the dict leaves out. A class of
        weight 0 is treated as if its rows were left out; in one-vs-rest of several classes they are left out for that
        class alone.
    multi_class : {"ovr", "multiclass"}, default="ovr"
        With three or more classes: "ovr" keeps one pocket per class, the same as if that class were fitted alone;
        "multiclass" keeps one for all.
    trace : {"epochs", "updates"}, default="epochs"
        With "updates" the trace also keeps the row and the epoch of each update (at most two million).
    verbose : int or callable, default=0
        1 prints progress on standard error; a callable is called with (epochs, mistakes of the last pass, seconds).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The vector in the pocket; 0 as long as none has been better.
    last_coef_, last_intercept_ : ndarray
        The perceptron's own last vector.
    pocket_mistakes_ : int, or ndarray of shape (n_classes,) with one-vs-rest of several classes
        Training mistakes of the pocket; with weights a float, their weight.
    n_evaluations_ : int
        Vectors that were judged on all rows.
    classes_, n_iter_, n_mistakes_, n_updates_, stop_reason_, trace_
        As in `Perceptron`, of the perceptron that feeds the pocket; dot products include those of judging.

    References
    ----------
    Gallant 1990, IEEE Transactions on Neural Networks 1(2), the pocket algorithm with ratchet.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [9.0]]), [0, 0, 1, 1, 0]
    >>> learner = PocketPerceptron(random_state=0).fit(X, y)
    >>> learner.predict(X).tolist(), learner.pocket_mistakes_
    ([0, 0, 1, 1, 1], 1)
    """

    wants_clean_pass: ClassVar[bool] = False
    batch_epochs: ClassVar[int] = 1
    state_values: ClassVar[dict[str, ValueSpec]] = {**LinearLearner.state_values, "n_evaluations_": ValueSpec()}
    state_arrays: ClassVar[dict[str, ArraySpec]] = {
        **LinearLearner.state_arrays,
        "last_coef_": ArraySpec(("planes", "features"), like="coef_"),
        "last_intercept_": ArraySpec(("planes",), like="coef_"),
        "_pocket_errors": ArraySpec(("pockets",), "count", least=0),
        "_pocket_runs": ArraySpec(("pockets",), "whole", least=0),
    }

    n_evaluations_: int

    @sharing("open_classes", max_iter=100)
    def __init__(self, **shared: Unpack[Shared]) -> None: ...

    @property
    def pocket_mistakes_(self) -> Any:
        """Training mistakes of the pocket, or their weight."""
        errors = self._pocket_errors
        return errors if errors.size > 1 else errors.item()

    def start(self, X: Any) -> None:
        super().start(X)
        self.last_coef_, self.last_intercept_ = self._coef.copy(order="K"), self._intercept.copy()
        self._pocket_runs = np.zeros(1 if self.moves_together() else self.n_planes(), np.int64)

    def moving(self) -> tuple[Array, Array]:
        return self.last_coef_, self.last_intercept_

    def sizes(self, n_features: int, n_classes: int) -> dict[str, int]:
        together = n_classes > 2 and self.multi_class == "multiclass"
        sizes = super().sizes(n_features, n_classes)
        return {**sizes, "pockets": 1 if together else sizes["planes"]}

    def visiting_order(self, n: int, rng: np.random.RandomState) -> Array:
        return drawn_order(n, rng)

    def stop_after(self, record: Array) -> StopReason | None:
        """Stop if the pocket has no mistake; a pass without an update may not have drawn every row."""
        return None if self._pocket_errors.any() else StopReason.CLEAN_PASS

    def prepare(self, rows: Rows) -> Pocket:
        from linsep.kernels.linear.pocket import Pocket, open_pocket

        n_pockets = len(self._pocket_runs)
        pocket = Pocket(
            W=self.last_coef_,
            b=self.last_intercept_,
            kept=self.coef_,
            kept_b=self.intercept_,
            c=np.where(rows.y > 0, 0, -1) if len(self.classes_) == 2 else rows.y,
            weight=rows.weight,
            own=rows.own,
            together=self.moves_together(),
            error=np.zeros(n_pockets),
            run=self._pocket_runs,
            since=np.zeros(n_pockets, np.int64),
            judged=np.zeros(n_pockets, np.bool_),
            spent=np.zeros(len(SPENT), np.int64),
        )
        open_pocket(rows.X, pocket, self.t_)
        self._keep(pocket)
        return pocket

    def watch(self, memory: Any = None) -> Any:
        return memory

    def run(self, rows: Rows, memory: Pocket, log: UpdateLog | None, reference: Array, record: Array) -> int:
        from linsep.kernels.linear.pocket import judge_all

        before = memory.spent[SPENT.dots]
        made = super().run(rows, memory, log, reference, record)
        judge_all(rows.X, memory, self.t_ + made * len(rows.y))
        self._keep(memory)
        record[made - 1, RECORD.dots] += memory.spent[SPENT.dots] - before
        return made

    def _keep(self, pocket: Pocket) -> None:
        weighted = len(pocket.weight) or len(pocket.own)
        self._pocket_errors = pocket.error.copy() if weighted else pocket.error.astype(np.int64)
        self.n_evaluations_ = int(pocket.spent[SPENT.vectors])
