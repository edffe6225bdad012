"""Separation in regression: does a maximum likelihood estimate exist, and if not, which coefficients are infinite?"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from linsep.data.features.exact_decimals import ExactNumbers
from linsep.regression.design import design_of_numbers, response
from linsep.regression.formula import Asked, asked_of
from linsep.regression.found import Separation
from linsep.regression.model import Regression
from linsep.tables import check_index
from linsep.theory.rows.deadline import OutOfTimeError, deadline_of, why_over
from linsep.theory.rows.json_values import UNCHECKED
from linsep.theory.separation.decide import find_proof
from linsep.theory.separation.model_rows import Family
from linsep.theory.verify.separability import CertificateError
from linsep.types import DataError


class SeparationWarning(UserWarning):
    """A regression has no maximum likelihood estimate, or the search for an answer ran out of time."""


class SeparationError(DataError):
    """A regression has no maximum likelihood estimate, or the search for an answer ran out of time.

    Attributes
    ----------
    separation : Separation
        What was found.
    """

    def __init__(self, separation: Separation) -> None:
        super().__init__(separation.summary())
        self.separation = separation


def separation(
    X: Any,
    y: Any = None,
    *,
    data: Any = None,
    family: Family = "logistic",
    fit_intercept: bool = True,
    on_separation: Literal["report", "warn", "raise"] = "report",
    time_limit: float | None = None,
) -> Separation:
    """Decide whether a regression has a finite maximum likelihood estimate, and prove it in exact arithmetic.

    Each row of the data gives inequalities z.d >= 0 on directions d of the coefficients. Logistic: z = y_i (1, x_i),
    y_i = -1 or 1. Poisson with log link: z = -(1, x_i) where y_i = 0, and the equality (1, x_i).d = 0 elsewhere.
    Multinomial: one z for each other class, with (1, x_i) in the block of the observed class and -(1, x_i) in that of
    the other. Let C be the directions that satisfy all of them, and S the rows with z.d > 0 for some d in C.
    Coefficient j is

    - not identified, if a vector orthogonal to all rows has a j-th entry;
    - otherwise finite, if no vector orthogonal to the rows outside S has a j-th entry;
    - otherwise infinite, with the sign that d_j has everywhere in C, if it has one.

    Parameters
    ----------
    X : array, SciPy sparse matrix, pandas, Polars or Arrow table; shape (n_samples, n_features), or str
        Numbers are taken exactly as stored. Text and categorical columns become indicators "column=level", without
        the first level (in sorted order); without an intercept the first such column keeps all its levels.
        Or a formula with its `data`, "y ~ age + C(dose) + x:z | firm + year", as R, statsmodels and formulaic have
        them (needs the extra regression); what stands after | are fixed effects.
    y : array-like of shape (n_samples,), optional
        Two labels (logistic; the second in sorted order is the outcome), counts (Poisson), labels (multinomial; the
        first is the reference). A formula names it.
    data : pandas, Polars or Arrow table, or dict of columns, optional
        The table that a formula is about. Rows that lack a value that the formula needs are left out and counted.
    family : {"logistic", "poisson", "multinomial"}, default="logistic"
        The kind of regression.
    fit_intercept : bool, default=True
        Whether the regression has an intercept; a formula says it itself.
    on_separation : {"report", "warn", "raise"}, default="report"
        What to do if the answer is not "overlap": only return it, also warn, or raise an error.
    time_limit : float, optional
        Seconds after which the answer is "undecided"; the time is looked at between steps of the search.

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
    A. Albert and J. Anderson, On the existence of maximum likelihood estimates in logistic regression models,
    Biometrika 71 (1984). K. Konis, Linear programming algorithms for detecting separated data in binary logistic
    regression models, thesis, Oxford (2007). S. Correia, P. Guimaraes and T. Zylkin, Verifying the existence of maximum
    likelihood estimates for generalized linear models (2019), for Poisson.

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
    check_index(X, y)
    found = _answer(asked_of(X, y, data, fit_intercept), family, time_limit)
    if found.verdict != "overlap" and on_separation == "warn":
        warnings.warn(found.summary(), SeparationWarning, stacklevel=2)
    if found.verdict != "overlap" and on_separation == "raise":
        raise SeparationError(found)
    return found


def separation_scan(
    designs: Mapping[Any, Any] | Sequence[Any],
    y: Any,
    *,
    family: Family = "logistic",
    fit_intercept: bool = True,
    time_limit: float | None = None,
) -> dict[Any, Separation | str]:
    """Call `separation` for each of many designs and one response; an error in one design does not stop the others.

    Parameters
    ----------
    designs : mapping of name -> design, or sequence of designs
        The designs of a sequence have the names 0, 1, ...
    y : array-like of shape (n_samples,)
        The response of every design, as for `separation`.
    family : {"logistic", "poisson", "multinomial"}, default="logistic"
        The kind of regression.
    fit_intercept : bool, default=True
        Whether the regressions have an intercept.
    time_limit : float, optional
        Seconds for each design.

    Returns
    -------
    dict
        Name -> Separation, or the message of the error as text.

    Examples
    --------
    >>> found = separation_scan({"a": [[0], [1], [2], [3]], "b": [[0], [2], [1], [3]], "c": [["?"]]}, [0, 1, 0, 1])
    >>> found["a"].verdict, found["b"].verdict, type(found["c"]).__name__
    ('overlap', 'complete', 'str')
    """
    out: dict[Any, Separation | str] = {}
    for name, X in designs.items() if isinstance(designs, Mapping) else enumerate(designs):
        try:
            out[name] = separation(X, y, family=family, fit_intercept=fit_intercept, time_limit=time_limit)
        except Exception as error:  # a screening goes on whatever one design holds
            out[name] = f"{type(error).__name__}: {error}"
    return out


def separation_as_written(
    numbers: ExactNumbers | Asked, family: Family, fit_intercept: bool, time_limit: float | None
) -> Separation:
    """Answer for a table of numbers, or a formula, exactly as they are written."""
    if isinstance(numbers, Asked):
        return _answer(numbers, family, time_limit)
    if numbers.y is None:
        raise DataError("these rows have no response: name its column with --target")
    return _answer(Asked(design_of_numbers(numbers), response(numbers.y), fit_intercept), family, time_limit)


def _answer(question: Asked, family: Family, time_limit: float | None) -> Separation:
    deadline = deadline_of(time_limit)
    asked = Regression.of(question.design, question.y, family, question.fit_intercept)
    about: dict[str, Any] = {**asked.described(), "about": (question.design, asked.y)}
    try:
        proof = find_proof(asked.rows.Z, asked.rows.equal, deadline)
        # Nothing that the search found is believed without its proof.
        return Separation(proof=proof, **asked.shown(proof), **about)
    except OutOfTimeError:
        reason = why_over(time_limit)
    except CertificateError:
        reason = UNCHECKED
    return Separation("undecided", reason=reason, **about)
