"""Bounds on the error on new rows from the mistakes of one pass over independent rows."""

from __future__ import annotations

import math

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
