"""Separation in regression: does a maximum likelihood estimate exist, and if not, which coefficients are infinite?

Asked about one design, or about many, in several processes if asked.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from linsep.clock import clock
from linsep.regression.foreign import beside_model, is_model, question_of_fitted
from linsep.regression.formulas.formula import asked_of
from linsep.regression.found import Separation
from linsep.regression.model import Asked
from linsep.theory.rows.deadline import UNCHECKED, Deadline, OutOfTimeError, deadline_of, time_left, what_ended
from linsep.theory.separation.families import Family
from linsep.theory.separation.find import find_proof
from linsep.theory.verify.cone import CertificateError
from linsep.types import DataError

_SECONDS, _SHARE = 0.25, 0.05  # the larger of so many seconds and such a part of the limit


_NEXT = (
    "what next: the attribute `separation` of this error has table() for what is true of each estimate, groups for the "
    "levels behind it, and advice on what can be done"
)


class SeparationWarning(UserWarning):
    """A regression has no maximum likelihood estimate, rounding could change that, or the search ran out of time."""


class SeparationError(DataError):
    """A regression has no maximum likelihood estimate, rounding could change that, or the search ran out of time.

    Attributes
    ----------
    separation : Separation
        What was found.
    """

    def __init__(self, separation: Separation) -> None:
        then = f"\n{_NEXT}" if separation.verdict in ("complete", "quasi-complete") else ""
        super().__init__(f"{separation.summary()}{then}")
        self.separation = separation


def separation(
    X: Any,
    y: Any = None,
    *,
    data: Any = None,
    family: Family = "logistic",
    link: str | None = None,
    order: Sequence[Any] | None = None,
    trials: Any = None,
    weights: Any = None,
    offset: Any = None,
    event: Any = None,
    strata: Any = None,
    entry: Any = None,
    fit_intercept: bool = True,
    on_separation: Literal["report", "warn", "raise"] = "report",
    time_limit: float | None = None,
    exact: bool = False,
) -> Separation:
    """Decide whether a regression has a finite maximum likelihood estimate, and prove it in exact arithmetic.

    Each row of the data gives inequalities z.d >= 0, or equalities z.d = 0, on directions d of the coefficients.

    - Logistic, with every link: z = y_i (1, x_i), y_i = -1 or 1.
    - Binomial: the same where all trials succeed or all fail, and the equality (1, x_i).d = 0 elsewhere.
    - Poisson and negative binomial: z = -(1, x_i) where y_i = 0, and the equality
      (1, x_i).d = 0 elsewhere.
    - Multinomial: one z for each other class, with (1, x_i) in the block of the observed class and -(1, x_i) in that of
      the other.
    - Ordered classes with thresholds t. Cumulative, P(y <= k) = F(t_k - x.b): t_k - x_i.b >= 0 for the observed class k
      and x_i.b - t_(k-1) >= 0, where there are such thresholds. Adjacent categories and continuation ratios: sums and
      signs of these, as the page theory/separation-families says.
    - Cox: z = x_i - x_j for an event of row i and each row j at risk with it.
    - Conditional logistic: z = x_i - x_j for a case i and each other row j of its stratum.

    Let C be the directions that satisfy all of them, and S the rows with z.d > 0 for some d in C. Coefficient j is

    - not identified, if a vector orthogonal to all rows has a j-th entry;
    - otherwise finite, if no vector orthogonal to the rows outside S has a j-th entry;
    - otherwise infinite, with the sign that d_j has everywhere in C, if it has one; if not, no limit is determined
      ("undetermined sign").

    Parameters
    ----------
    X : array, SciPy sparse matrix, pandas, Polars or Arrow table; shape (n_samples, n_features), or str
        Numbers are taken exactly as stored. Text and categorical columns become indicators "column=level", without
        the first level (in sorted order; a categorical column of pandas has that of its categories); without an
        intercept the first such column keeps all its levels.
        An opened table, `open_data(path, target=...)`, is taken as it is written, its decimals exactly, as by the
        command.
        Or a model of statsmodels or what its `fit` gave, an estimator of scikit-learn or a fitted `CoxPHFitter` of
        lifelines, both without a penalty, or what `fepois` and `feglm` of pyfixest gave. Its family, response and data
        are asked about, and nothing is fitted.
        Or a formula with its `data`, "y ~ age + C(dose) + x:z | firm + year", as R, statsmodels and formulaic have
        them (needs the extra regression); what stands after | are fixed effects. Truth values count as 0 and 1, as
        formulaic has them, while R and statsmodels with patsy make two levels of them: C(x) does so here. What
        expressions as I(a - b) make in doubles counts as given.
    y : array-like of shape (n_samples,), optional
        Two labels (logistic; the second in sorted order is the outcome), numbers of successes or proportions from 0
        to 1 (binomial), counts (Poisson, negative binomial), labels (multinomial; the first is the reference), ordered
        labels (cumulative, adjacent, continuation), times (Cox). A formula names it: what stands here then is `data`.
    data : pandas, Polars or Arrow table, opened table, or dict of columns, optional
        The table that a formula is about; of an estimator of scikit-learn (X, y); of a model of lifelines, and of one
        of pyfixest that dropped separated rows, the table that it was fitted to. Rows that lack a value that the
        formula needs are left out and counted. The columns below are names of columns of it, or have all rows. Series
        have the index of the table, or are refused.
    family : str, default="logistic"
        "logistic", "binomial", "poisson", "negative-binomial", "multinomial", "cumulative" (proportional odds),
        "adjacent" (categories), "continuation" (ratios), "cox" or "conditional" (logistic: cases and others in strata).
    link : str, optional
        Of a logistic, binomial, cumulative or continuation model: "logit" (the default), "probit", "cloglog" or
        "cauchit". The answer is the same for all of them; with the cauchit link an estimate that exists need not be the
        only maximum.
    order : sequence of labels, optional
        Ordered models: all labels, the lowest first. Numbers, and ordered categories of pandas, have an order already.
    trials : array-like of shape (n_samples,), optional
        Binomial: the number of trials of each row, of which y succeeded. Rows without trials are left out.
    weights : array-like of shape (n_samples,), optional
        Weights of 0 or more. Rows with a weight of 0 are left out, and keep their numbers; the size of the others
        does not matter for the answer.
    offset : array-like of shape (n_samples,), optional
        What is added to the linear predictor, as the logarithm of an exposure. It does not matter for the answer, but
        for the estimates of `finite_part` and `firth`, as weights do.
    event : array-like of shape (n_samples,), optional
        Cox: 1 where y is the time of an event, 0 where the row is censored; all are events unless given.
    strata : array-like of shape (n_samples,), optional
        Cox: labels; rows of different strata are never at risk together.
    entry : array-like of shape (n_samples,), optional
        Cox: the time after which a row is at risk.
    fit_intercept : bool, default=True
        Whether the regression has an intercept. Ordered and Cox models leave it as it is, and a formula
        says it itself.
    on_separation : {"report", "warn", "raise"}, default="report"
        What to do if the answer is not "overlap", or is fragile: only return it, also warn, or raise an error.
    time_limit : float, optional
        Seconds after which the answer is "undecided", the reading of the design among them. The time is looked at
        between steps of the search and of the check of its proof: it may be exceeded by a tenth or 0.5 s, on millions
        of rows by 1 s, and by the seconds that compiling takes in the first call on a machine.
    exact : bool, default=False
        Whether the weights of the proof have to be exact integers, which every checker can add up; as in
        `separability`.

    Returns
    -------
    Separation
        The verdict, the coefficients and the proof.

    Raises
    ------
    DataError
        The input is not as described; the message names the row or the column.
    SeparationError
        With on_separation="raise".

    Warns
    -----
    SeparationWarning
        With on_separation="warn".

    References
    ----------
    A. Albert and J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models,
    Biometrika 71 (1984). M. Silvapulle, On the existence of maximum likelihood estimators for the binomial response
    models, Journal of the Royal Statistical Society B 43 (1981), for other links. K. Konis, Linear programming
    algorithms for detecting separated data in binary logistic regression models, thesis, Oxford (2007). S. Correia,
    P. Guimaraes and T. Zylkin, Verifying the existence of maximum likelihood estimates for generalized linear models
    (2019), for models with log link.

    Examples
    --------
    >>> found = separation([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]], [0, 1, 0, 1, 1])
    >>> found.verdict, found.separated_rows
    ('quasi-complete', (3, 4))
    >>> found.coefficients
    {'(Intercept)': 'finite', 'x1': inf, 'x2': 'finite'}
    """
    if on_separation not in ("report", "warn", "raise"):
        raise DataError(f"on_separation is 'report', 'warn' or 'raise', not {on_separation!r}")
    beside = {"trials": trials, "weights": weights, "offset": offset, "event": event, "strata": strata, "entry": entry}
    deadline = deadline_of(time_limit)
    y, data = beside_model(X, y, data)
    if is_model(X):
        given = {"y": y, "family": None if family == "logistic" else family, "link": link, "order": order, **beside}
        given["fit_intercept"] = None if fit_intercept else False
        if told := [name for name, value in given.items() if value is not None]:
            raise DataError(f"{type(X).__name__} says itself what it is about: leave out {', '.join(told)}")
        asked = question_of_fitted(X, data)
    else:
        asked = asked_of(X, y, data, bool(fit_intercept), family, order, link, **beside)
    found = answer(asked, time_limit, deadline, exact=exact)
    tell(found, on_separation, stacklevel=3)
    return found


def tell(found: Separation, mode: str, stacklevel: int) -> None:
    """Raise SeparationError, or warn, unless the estimates are finite and rounding of the design cannot change that."""
    if mode == "report" or (found.verdict == "overlap" and not found.fragile):
        return
    if mode == "raise":
        raise SeparationError(found)
    warnings.warn(found.summary(), SeparationWarning, stacklevel=stacklevel)


def answer(
    asked: Asked, time_limit: float | None, deadline: Deadline | None = None, *, exact: bool = False
) -> Separation:
    """Decide a question whose columns are known; the deadline is that of the limit, from now unless it is given."""
    deadline, rows = deadline or deadline_of(time_limit), asked.rows
    ended: str | float = UNCHECKED
    # Rows that stand for no row of the table count with whatever weight makes the sum 0.
    for may_be_near in (False,) if exact else (True, False):
        try:
            proof = find_proof(rows.Z, rows.equal, deadline, may_be_near=may_be_near)
            late = Deadline(max(deadline.at, clock()) + _longer(time_limit))
            said = asked.shown(proof, partial(time_left, late))
            return Separation(proof=proof, **said, _question=replace(asked))  # without its rows, as large as the design
        except OutOfTimeError:
            ended = what_ended(time_limit)
            break
        except CertificateError:
            continue  # nothing that the search found is believed without its proof
    return Separation(ended=ended, **asked.shown(None), _question=asked)


def _longer(time_limit: float | None) -> float:
    """Seconds by which the check of a proof may exceed the limit: an answer that is found in time is told."""
    return np.inf if time_limit is None else max(_SECONDS, _SHARE * time_limit)
