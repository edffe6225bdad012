"""The logarithm of the likelihood of rows with one linear predictor, which is concave: derivatives and maximum."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
import scipy

from linsep.theory.rows.deadline import Deadline, Pace
from linsep.theory.separation.families import Outcome
from linsep.theory.separation.partial_likelihood import PartialLikelihood
from linsep.types import Array, DataError

_OF_TWO = ("logit", "probit", "cloglog")
FITTED = {*product(("logistic", "binomial"), _OF_TWO), ("poisson", "log"), ("cox", "log")}
_STEPS = 200  # far more than Newton needs to a maximum that doubles can tell
_STILL = 1e-10  # of each linear predictor: the largest step at a maximum
_ROUNDED = 1e-5  # of it, if rounding makes the steps no smaller
_BENT = 1e-12  # of the largest curvature: directions with less count as if they had it, and are stretched
_SEEN = 1e-6  # of the largest curvature: what of it is smaller was not computed well
_NOISE = 1e-3  # standard errors that rounding may move an estimate, and share of a standard error that it may change
_EPS = float(np.finfo(np.float64).eps)
_FARTHEST = 1e20  # times a step
_FAR = 30.0  # offsets beyond it are taken back before the first step
_AT_ONCE = 2**28  # multiplications between two looks at the clock
_FEWEST_ROWS = 64  # of a block, so that wide tables are multiplied by matrices, too
_EIGEN = 40  # what eigenvectors or singular values of p x p numbers take, in p^3 multiplications of a product
BEYOND = (
    "estimates and their limits are doubles, which do not reach here: give columns in units that make numbers near 1"
)
_LARGEST = 500.0  # of a linear predictor whose exponential is taken
_SMALLEST = -30.0  # below it exp(-exp(eta)) is 1 - exp(eta) to the last bit
_STEEP = -1e4  # below it a second derivative of the logarithm of the normal distribution is -1 but for rounding
_ROOT, _RATIO = np.sqrt(2.0), np.sqrt(2 / np.pi)


class Likelihood(NamedTuple):
    """Rows with `y` successes of `trials` (counts, without them), each there `weights` times; `link` says what F is.

    The linear predictor of a row is x.b + offset. Successes have the chance F of it, counts its exponential as mean.
    `constant` is what does not depend on it.
    """

    link: str
    y: Array
    trials: Array
    weights: Array
    offset: Array
    constant: Array

    @classmethod
    def of(cls, outcome: Outcome, classes: Array, family: str, link: str) -> Likelihood:
        """The likelihood of an outcome all of whose rows count; `classes` are the two labels of a logistic model.

        Raises
        ------
        DataError
            It is of another family or link, or of proportions of an unknown number of trials.
        """
        if (family, link) not in FITTED:
            raise DataError(
                f"no likelihood of the family {family!r} with the link {link!r} is fitted here, only logistic and "
                "binomial ones (logit, probit, cloglog), Poisson and Cox ones, and without weights conditional ones "
                "with one case a stratum and multinomial ones that have no offset and are not too large, n (p + 1) k^2 "
                "<= 20,000,000 for n rows, p columns and k classes: drop() gives the rows for another package, or says "
                "why there are none"
            )
        ones = np.ones(len(outcome.y))
        y = ((outcome.y == classes[1]) if family == "logistic" else outcome.y).astype(np.float64)
        trials = ones if outcome.trials is None else outcome.trials
        if family == "binomial" and ((y != np.rint(y)) | (trials != np.rint(trials))).any():
            raise DataError(
                "the likelihood needs whole numbers of successes and trials, and these are proportions: give successes "
                "as y and the numbers of trials as trials, or fit what drop() gives"
            )
        weights = ones if outcome.weights is None else outcome.weights
        offset = 0.0 * ones if outcome.offset is None else outcome.offset
        constant = -scipy.special.gammaln(y + 1)
        if family != "poisson":
            constant += scipy.special.gammaln(trials + 1) - scipy.special.gammaln(trials - y + 1)
        return cls(link, y, trials, weights, offset, constant)

    def take(self, rows: Array) -> Likelihood:
        """The likelihood of some rows."""
        return Likelihood(self.link, *(column[rows] for column in self[1:]))

    def value(self, eta: Array) -> float:
        """The logarithm of the likelihood where the linear predictors are `eta`, offset included.

        Examples
        --------
        >>> one = np.ones(1)
        >>> Likelihood("log", one, one, one, 0 * one, 0 * one).value(0 * one)
        -1.0
        """
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if self.link == "log":
                terms = self.y * eta - np.exp(eta)
            else:
                n, k = self.trials, self.y
                up, down = _LOGARITHMS[self.link](eta)
                # No failures: their logarithm may be infinite.
                terms = np.where(k > 0, k * up, 0) + np.where(n > k, (n - k) * down, 0)
        return float((self.weights * (terms + self.constant)).sum())

    def slopes(self, eta: Array) -> tuple[Array, Array]:
        """For each row the derivative of its term by the linear predictor, and minus the second one.

        Examples
        --------
        >>> one = np.ones(1)
        >>> Likelihood("log", 3 * one, one, one, 0 * one, 0 * one).slopes(0 * one)[0].tolist()
        [2.0]
        """
        if self.link == "log":
            mean = np.exp(np.minimum(eta, _LARGEST))
            return self.weights * (self.y - mean), self.weights * mean
        n, k = self.trials, self.y
        if self.link == "logit":
            mean = scipy.special.expit(eta)
            return self.weights * (k - n * mean), self.weights * n * mean * scipy.special.expit(-eta)
        (up, bent_up), (down, bent_down) = (_of_probit if self.link == "probit" else _of_cloglog)(eta)
        return self.weights * (k * up - (n - k) * down), self.weights * (k * bent_up + (n - k) * bent_down)

    def derivatives(self, X: Array, eta: Array, pace: Pace) -> tuple[Array, Array]:
        """First derivatives by the coefficients, and minus the second ones: a sum over blocks of rows.

        The clock is looked at before each block.
        """
        slope, bent = self.slopes(eta)
        n, p = X.shape
        information, block = np.zeros((p, p)), max(_FEWEST_ROWS, _AT_ONCE // max(1, p * p))
        for first in range(0, n, block):
            part = X[first : first + block]
            pace.ask(part.size * p)
            information += part.T @ (bent[first : first + block, None] * part)
            pace.done += part.size * p
        return X.T @ slope, information


def _cloglog(eta: Array) -> tuple[Array, Array]:
    u = np.exp(eta)
    return np.where(eta < _SMALLEST, eta, np.log(-np.expm1(-u))), -u


# Link -> log F and log(1 - F).
_LOGARITHMS: dict[str, Callable[[Array], tuple[Array, Array]]] = {
    "logit": lambda eta: (-np.logaddexp(0, -eta), -np.logaddexp(0, eta)),
    "probit": lambda eta: (scipy.special.log_ndtr(eta), scipy.special.log_ndtr(-eta)),
    "cloglog": _cloglog,
}


_Derivatives = tuple[Array, Array]  # the first, and minus the second


def _of_probit(eta: Array) -> tuple[_Derivatives, _Derivatives]:
    """Of log F, and of log(1 - F), whose first one is taken with minus."""
    return _of_log_normal(eta), _of_log_normal(-eta)


def _of_log_normal(eta: Array) -> _Derivatives:
    slope = _RATIO / scipy.special.erfcx(-eta / _ROOT)
    with np.errstate(over="ignore"):
        bent = np.clip(slope * (slope + eta), 0, 1)  # in exact arithmetic it is between them
    return slope, np.where(eta < _STEEP, 1.0, bent)


def _of_cloglog(eta: Array) -> tuple[_Derivatives, _Derivatives]:
    u = np.exp(np.minimum(eta, _LARGEST))
    small = np.maximum(np.minimum(u, _LARGEST), np.finfo(np.float64).tiny)  # exp(-500) counts as nothing
    slope = small / np.expm1(small)
    bent = np.where(small < 1e-5, small / 2, small / -np.expm1(-small) - 1)
    return (slope, slope * bent), (u, u)


@np.errstate(over="ignore", invalid="ignore")
def largest(
    X: Array, rows: Likelihood | PartialLikelihood, deadline: Deadline, *, is_bound: bool = False
) -> tuple[float, Array, Array]:
    """The largest logarithm of the likelihood, where, and the standard errors; the columns are independent.

    Newton's steps are taken in columns X T in which the information is the identity, so that columns that are nearly
    dependent, and rows far from the others that count nothing at the maximum, do no harm. If it `is_bound`,
    only the value is right: it may be as large at many places.

    Raises
    ------
    DataError
        Doubles do not reach so far: rounding would be seen in what is found.
    OutOfTimeError

    Examples
    --------
    >>> one = np.ones(2)
    >>> rows = Likelihood("log", np.array([1.0, 3.0]), one, one, 0 * one, 0 * one)
    >>> largest(one[:, None], rows, Deadline())[1].round(6).tolist() == [round(float(np.log(2)), 6)]
    True
    """
    pace = Pace(deadline)
    pace.ask(0.0)
    if not X.shape[1]:
        return rows.value(rows.offset), np.empty(0), np.empty(0)
    X, back = _centred(X, is_free=isinstance(rows, PartialLikelihood))
    b, turn = _start(X, rows, pace), np.eye(X.shape[1])
    work, last = float(X.size) * b.size + _EIGEN * float(b.size) ** 3, np.inf
    for _ in range(_STEPS):
        eta = X @ b + rows.offset
        pace.ask(work)
        score, information = rows.derivatives(X @ turn, eta, pace)
        if not (np.isfinite(information).all() and np.isfinite(score).all()):
            break
        bent, axes = np.linalg.eigh(information)
        if bent[-1] > 0:  # else all is straight
            axes /= np.sqrt(np.maximum(bent, _BENT * bent[-1]))
        pace.done += work
        turn, score = turn @ axes, axes.T @ score
        if is_bound:  # in a valley without a slope the rest of one is rounding
            score[np.abs(score) <= _EPS * np.abs(rows.slopes(eta)[0]) @ (np.abs(X) @ np.abs(turn))] = 0
        step = turn @ score
        move = X @ step
        far = float((np.abs(move) / (1 + np.abs(eta))).max())
        is_seen = bent[0] >= _SEEN * bent[-1] and (is_bound or bent[-1] > 0)
        if is_seen and (far <= _STILL or last / 2 <= far <= _ROUNDED):
            found, errors = back @ b, np.linalg.norm(back @ turn, axis=1)
            noise = _noise(X, rows, b, None if is_bound else turn)
            if noise <= _NOISE and (is_bound or np.isfinite([found, errors]).all()):
                return rows.value(eta), found, errors
            break
        # Where the likelihood is straight a step may be endless.
        most = min(1.0, (1 + np.abs(eta).max()) / max(np.abs(move).max(), 1e-300))
        b = b + step * _size(eta, move, rows, float(score @ score), most)
        last = far
    raise DataError(BEYOND)


def _size(eta: Array, move: Array, rows: Likelihood | PartialLikelihood, first: float, size: float) -> float:
    """How many times a step is taken: so far that the slope, which falls from `first`, is small beside that."""

    def slope(size: float) -> float:
        return float(rows.slopes(eta + size * move)[0] @ move)

    most, least = size * _FARTHEST, size / _FARTHEST
    while slope(2 * size) > first / 2 and size < most:
        size *= 2
    while not slope(size) >= -first / 2 and size > least:
        size /= 2
    return size


def _noise(X: Array, rows: Likelihood | PartialLikelihood, b: Array, turn: Array | None) -> float:
    """What rounding does to linear predictors and, if T is given, to the score and the columns X T; 1 is an error."""
    slope, weights = rows.slopes(X @ b + rows.offset)
    size = (np.abs(X) @ np.abs(b) + np.abs(rows.offset))[:, None]
    if turn is not None:
        size = np.column_stack([size, np.abs(X) @ np.abs(turn)])
    score = np.abs(slope) @ size[:, 1:]
    return _EPS * max(float(np.sqrt(weights @ size**2).max()), float(score.max(initial=0.0)))


def _centred(X: Array, *, is_free: bool) -> tuple[Array, Array]:
    """Columns without their medians, of size 1, and what makes coefficients of the given ones of theirs.

    Medians are taken off by a column of ones or, if constants are free, by nothing.
    """
    constant = np.flatnonzero((X[0] == X).all(axis=0))[:1]
    back = np.eye(X.shape[1])
    if is_free or constant.size:
        centre = np.median(X, axis=0)
        centre[constant] = 0
        back[constant] -= centre / X[0, constant][:, None]
        X = X - centre
    scale = np.maximum(X.max(axis=0), -X.min(axis=0))
    return X / scale, back / scale


def _start(X: Array, rows: Likelihood | PartialLikelihood, pace: Pace) -> Array:
    """Where Newton's steps begin: at 0, or where X b takes back an offset from which they would come nowhere."""
    zero = np.zeros(X.shape[1])
    if np.abs(rows.offset).max() < _FAR:
        return zero
    work = _EIGEN * float(X.size) * X.shape[1]
    pace.ask(work)
    back: Array = np.linalg.lstsq(X, -rows.offset, rcond=None)[0]
    pace.done += work
    return back if rows.value(X @ back + rows.offset) > rows.value(rows.offset) else zero
