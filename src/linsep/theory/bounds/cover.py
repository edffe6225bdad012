"""How many labelings of some rows a hyperplane can realise, and what that says of rows that are separable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import exp, isnan, lgamma, log, log1p, log10

import numpy as np

_LN10 = log(10.0)
# Where labels drawn at random are separable with a larger chance than this, "separable" says little.
_LITTLE = 0.05
# The bound at 2 r rows is 1/2 but for rounding.
_ROUNDING = 1e-11


def cover_odds(rows: int, rank: int, positives: int | None = None) -> float:
    r"""log10 of 2^(1-n) sum_{k<r} C(n-1, k): the largest chance that random labels of n rows are separable.

    At most 2 S of the 2^n labelings of n rows are separable, S = sum_{k<r} C(n-1, k), where r is the rank of the rows
    (x, 1), or of the rows x for separators without an intercept. Equality holds in general position. So labels that are
    drawn independently, each with probability 1/2, are separable with a chance of at most 2 S / 2^n: 1 for r >= n,
    1/2 for r = n/2, and next to nothing where n is a good deal more than 2 r.

    Given the class sizes, which a shuffle of the labels keeps, the chance is at most 2 S / C(n, n+), and half of that
    where the two sizes differ, as for each separable labeling the opposite one is separable too. For rare classes it is
    1 and says nothing: there only shuffling the labels tells.

    It says nothing of rows that depend on each other, or of labels that do not.

    Parameters
    ----------
    rows : int
        n, the number of rows.
    rank : int
        r, or a number above it, such as the number of features plus 1; the bound grows with it.
    positives : int, optional
        n+, the size of one of the classes: for labels that are shuffled. None is for labels drawn one by one.

    Returns
    -------
    float
        log10 of the bound, at most 0; -100000.0 stands for 10^-100000.

    Raises
    ------
    ValueError
        There are no rows, the rank is below 1, or `positives` is not between 0 and `rows`.

    References
    ----------
    Cover, "Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition", IEEE Transactions on Electronic Computers EC-14 (1965), theorem 1.

    Examples
    --------
    >>> 10 ** cover_odds(4, 3), 10 ** cover_odds(20, 10)
    (0.875, 0.5)
    >>> round(cover_odds(1_000_000, 1000), 3)
    -297600.516
    """
    if rows < 1 or rank < 1:
        raise ValueError(f"at least one row and a rank of at least 1 are needed, got {rows} rows of rank {rank}")
    if positives is not None and not 0 <= positives <= rows:
        raise ValueError(f"{rows} rows cannot have {positives} positives")
    if positives is None:
        return _log_share(rows, rank) / _LN10
    choices = lgamma(rows + 1) - lgamma(positives + 1) - lgamma(rows - positives + 1)
    found = rows * log(2.0) + _log_share(rows, rank) - choices
    if 2 * positives != rows:
        found -= log(2.0)
    return min(0.0, found / _LN10)


def _log_share(n: int, r: int) -> float:
    """ln of 2^(1-n) sum_{k<r} C(n-1, k): the larger half of the sum by what it lacks."""
    if r >= n:
        return 0.0
    if 2 * r > n:
        return log1p(-exp(_log_share(n, n - r)))
    k = np.arange(1, r)
    terms = np.append(0.0, np.cumsum(np.log((n - k) / k)))  # ln C(n-1, k), without the start-up of SciPy's functions
    top = float(terms[-1])  # they grow up to k = (n - 1) / 2
    return min(0.0, top + log(float(np.exp(terms - top).sum())) - (n - 1) * log(2.0))


def cover_rows(rank: int, chance: float = 0.5) -> int:
    r"""min{n : 2^(1-n) sum_{k<r} C(n-1, k) <= chance}: the rows from which on random labels are rarely separable.

    For a chance of 1/2 it is 2 r, the capacity that Cover found. The bound of `cover_odds` falls with n, as it is the
    chance of at most r - 1 heads in n - 1 throws of a fair coin.

    Parameters
    ----------
    rank : int
        r, the rank of the rows (x, 1).
    chance : float, default=0.5
        Between 0 and 1, both excluded.

    Returns
    -------
    int
        n, the number of rows.

    Raises
    ------
    ValueError
        The rank is below 1, or the chance is not between 0 and 1.

    References
    ----------
    Cover, "Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition", IEEE Transactions on Electronic Computers EC-14 (1965), section V.

    Examples
    --------
    >>> cover_rows(31), cover_rows(31, 0.001)
    (62, 92)
    """
    if rank < 1 or not 0 < chance < 1:
        raise ValueError(f"a rank of at least 1 and a chance between 0 and 1 are needed, got {rank} and {chance}")
    most = log10(chance) + _ROUNDING
    low = high = rank
    while cover_odds(high, rank) > most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cover_odds(middle, rank) > most else (low, middle)
    return high


def holm(odds: Sequence[float]) -> list[float]:
    """max_{j <= k} (m - j + 1) p_j of the sorted chances p_1 <= ... <= p_m, at most 1: Holm's correction, as log10.

    Where m questions are asked, the chance that labels drawn at random answer at least one of them with an adjusted
    chance of at most a is itself at most a, however the questions depend on each other.

    Parameters
    ----------
    odds : sequence of float
        log10 of the m chances, each at most 0, as `cover_odds` gives them; -inf stands for a chance of 0.

    Returns
    -------
    list of float
        log10 of the adjusted chances, in the order of `odds`.

    Raises
    ------
    ValueError
        A number above 0, or one that is not a number.

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).

    Examples
    --------
    >>> [round(value, 3) for value in holm([-100.0, -2.0, -1.0])]
    [-99.523, -1.699, -1.0]
    """
    if any(isnan(value) or value > 0 for value in odds):
        raise ValueError("log10 of a chance is at most 0")
    found, reached = [0.0] * len(odds), -float("inf")
    for position, k in enumerate(sorted(range(len(odds)), key=odds.__getitem__)):
        reached = max(reached, odds[k] + log10(len(odds) - position))
        found[k] = min(0.0, reached)
    return found


def cover_note(rows: int, rank: int, positives: int) -> str:
    """What to add to "separable" where shuffled labels may be separable too; nothing where they hardly are.

    Parameters
    ----------
    rows : int
        The number of rows.
    rank : int
        The rank of the rows, the constant included, or a number above it.
    positives : int
        The size of one of the two classes.

    Returns
    -------
    str
        The end of a sentence, or "".

    Examples
    --------
    >>> cover_note(6, 5, 3)
    '; with only 6 rows of rank 5 even random labels can be separable (chance at most 100%, Cover 1965)'
    >>> cover_note(569, 31, 357)
    ''
    """
    odds = cover_odds(rows, rank, positives)
    if odds <= log(_LITTLE) / _LN10:
        return ""
    said = f"; with only {rows:,} rows of rank {min(rank, rows):,} even random labels can be separable "
    return said + f"(chance at most {10**odds:.0%}, Cover 1965)"


# The grid of lambdas: 2, 2 / sqrt 2, ... down to 2^-19; the best one is near sqrt(2 ln(J / delta) / K).
_GRID: list[float] = [2.0 ** (1 - j / 2) for j in range(41)]


def online_risk_bound(mistakes: int, rows: int, delta: float = 0.05) -> float:
    r"""min over lambda of (lambda K + ln(J / delta)) / (n (1 - exp(-lambda))): a bound on the mean error in use.

    Take the n vectors that were in use before each of the n rows. Their mean error, which is the error of one of them
    drawn at random, is below the bound. With probability at least 1 - delta this holds **for all n at once**. Twice
    the bound holds for their vote, in which each vector counts once for each row that it predicted. The bound says
    nothing about the last vector or the mean vector.

    It assumes that the rows are drawn independently from one distribution, and that each row was predicted *before*
    it was learnt. So it covers a first pass and no later one.

    For one lambda, exp(-lambda K_n + (1 - exp(-lambda)) sum of errors) is a supermartingale with mean at most 1. By
    Ville's inequality it stays below 1 / delta for ever with probability 1 - delta. J = 41 lambdas share delta.

    Parameters
    ----------
    mistakes : int
        K, the number of rows that were predicted wrongly.
    rows : int
        n, the number of rows.
    delta : float, default=0.05
        The probability with which the bound may fail.

    Returns
    -------
    float
        At most 1.

    Raises
    ------
    ValueError
        `mistakes` is not between 0 and `rows`, there are no rows, or `delta` is not between 0 and 1.

    Examples
    --------
    >>> round(online_risk_bound(1000, 10_000), 4)
    0.1121
    """
    if not 0 <= mistakes <= rows or rows < 1:
        raise ValueError(f"a pass over {rows} rows cannot make {mistakes} mistakes")
    if not 0 < delta < 1:
        raise ValueError(f"delta is a probability between 0 and 1, not {delta}")
    share = math.log(len(_GRID) / delta)
    bounds = [(lam * mistakes + share) / (rows * -math.expm1(-lam)) for lam in _GRID]
    return min([1.0, *bounds])


def vote_bound(mistakes: float, rows: int) -> float:
    r"""2 E[M] / (m + 1): a bound on the probability that a vote of one pass over m rows is wrong on the next row.

    E[M] is the mean number of mistakes that a pass from w = 0 makes over m + 1 rows, over all draws of them: a number
    of the distribution, not of the rows at hand. The M of one pass over m + 1 rows estimates it without bias. Each
    vector votes with the number of rows that it survived, as in `VotedPerceptron(max_iter=1)`, and a tie counts as a
    mistake.

    It assumes that the m rows and the next one are drawn independently from one distribution, and it is a mean over the
    draws of all of them. `online_risk_bound`, twice, is a bound for the rows at hand, with a probability.

    Parameters
    ----------
    mistakes : float
        E[M], or an estimate of it.
    rows : int
        m, the number of rows that the pass learns from.

    Returns
    -------
    float
        At most 1.

    Raises
    ------
    ValueError
        There are no rows, or `mistakes` is not between 0 and m + 1.

    References
    ----------
    Freund and Schapire 1999, Machine Learning 37, theorem 3 and corollary 1, after Helmbold and Warmuth 1995. The proof
    for the vectors after 1 ... m rows is on the page theory/votes.

    Examples
    --------
    >>> vote_bound(10.0, 99)
    0.2
    """
    if rows < 1 or not 0 <= mistakes <= rows + 1:
        raise ValueError(f"a pass over {rows} + 1 rows cannot make {mistakes} mistakes")
    return min(1.0, 2 * mistakes / (rows + 1))
