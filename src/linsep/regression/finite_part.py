"""Estimates of what is finite, and limits from one side of what is infinite, by the likelihood of rows that remain.

Firth's method, of which all estimates are finite, is that of firthmodels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from inspect import signature
from math import copysign, inf, isinf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
import scipy

from linsep.regression.drop import columns_lost, design_columns, scores_alike
from linsep.regression.model import Asked
from linsep.tables import dense
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, time_left
from linsep.theory.separation.find import find_proof
from linsep.theory.separation.likelihood import BEYOND, Likelihood, largest
from linsep.theory.separation.partial_likelihood import PartialLikelihood
from linsep.theory.verify.cone import ConeProof, Rows
from linsep.theory.verify.consequences import FINITE, SeparationProof, coefficients
from linsep.theory.words.of_advice import bare
from linsep.theory.words.of_regressions import listed, multiplied
from linsep.types import Array, DataError

_FRAGILE = "rounding of the inputs may change what is finite: these numbers may mean nothing"
_HEAD = ("estimate", "error", "lower", "upper")
_MOST_COLUMNS = 3000
_MOST_WORK = 5e9  # products of a step of Newton: with fixed effects, pyfixest takes far fewer
_FARTHEST = 2.0**40
_SMALLEST_P = 0.001  # that is written as it is
_LARGEST_LOG = 1e12  # of a likelihood, of which rounding leaves differences near 1
_COMPILED = 200_000  # numbers that are worth it
_COPIED = 2e7  # numbers that a slow machine copies and scales in a second


class Estimate(NamedTuple):
    """An estimate with its standard error (NaN where it is infinite) and limits of confidence."""

    value: float
    error: float
    lower: float
    upper: float


class LikelihoodRatio(NamedTuple):
    """A likelihood-ratio test of "this coefficient is 0", or of all of a factor, by chi-squared.

    Attributes
    ----------
    statistic : float
        2 (l* - l(0)): l* is the least upper bound of the log-likelihood, l(0) that with the coefficients held at 0.
    p_value : float
        The chance of at least this statistic. It is as approximate as for finite estimates, and small samples are far
        from chi-squared.
    degrees : int
        Degrees of freedom: coefficients that are identified and held at 0.
    """

    statistic: float
    p_value: float
    degrees: int = 1

    def __str__(self) -> str:
        small, p = self.p_value < _SMALLEST_P, f"{self.p_value:#.2g}"
        return f"chi-squared {self.statistic:.2f} (df {self.degrees}), p {f'< {_SMALLEST_P}' if small else f'= {p}'}"


class FinitePart(NamedTuple):
    """Estimates of a regression in the limit, where the separated rows are fitted without error.

    Attributes
    ----------
    estimates : dict of name -> Estimate
        Value, standard error, lower and upper limit. Finite: the limits of Wald. Infinite: the limits of the profile
        likelihood, one of which is infinite. NaN: not identified, or no limit is determined; limits are infinite.
    log_likelihood : float
        Its least upper bound over all coefficients; NaN if time ended before it was found.
    level : float
        The level of confidence.
    n_rows : int
        Rows that are not separated.
    tests : dict of name -> LikelihoodRatio
        Of each infinite coefficient, whether it may be 0. A standard error, and so a test of Wald, it has none. Of each
        factor with such a coefficient, by the name of its column, whether those of all its levels may be 0;
        interactions stay as they are, and have a test of their own as a:b.
    not_computed : tuple of str
        Coefficients and factors for which time did not suffice: NaN stands for what is missing of an estimate, and a
        test may be missing too.
    reason : str
        What ended the time; empty if everything was computed.
    fragile : bool
        Whether rounding of the inputs could change the answer that this is made from.
    """

    estimates: dict[Any, Estimate]
    log_likelihood: float
    level: float
    n_rows: int
    tests: dict[Any, LikelihoodRatio]
    not_computed: tuple[str, ...] = ()
    reason: str = ""
    fragile: bool = False

    def __repr__(self) -> str:
        about = f"{self.n_rows:,} rows, log-likelihood {self.log_likelihood:.4g}"
        limits = f"limits at {100 * self.level:g}%: Wald of finite estimates, profile likelihood of infinite ones"
        lines = [
            ("", *_HEAD),
            *((listed([name]), *map("{:.4g}".format, found)) for name, found in self.estimates.items()),
        ]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        table = ["  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]) for name, *cells in lines]
        told = [f"{listed([name])} = 0: {test}" for name, test in self.tests.items()]
        told += [f"not computed: {listed(self.not_computed)}: {self.reason}"] * bool(self.not_computed)
        return "\n".join([*table, *told, *[f"fragile: {_FRAGILE}"] * self.fragile, about, limits])


def finite_part(
    asked: Asked,
    proof: SeparationProof,
    said: Mapping[Any, str | float],
    level: float,
    deadline: Deadline,
    *,
    is_profiled: bool = False,
    has_limits: bool = True,
) -> FinitePart:
    """Estimate what is finite, and bound what is infinite, given a checked proof and what it says of coefficients.

    Finite estimates have limits and tests of the profile likelihood too if `is_profiled`, else the limits of Wald;
    without `has_limits` there are estimates alone.

    Raises
    ------
    DataError
        The family or link is not one of those that are fitted, there are too many columns or rows at risk, or a model
        that was guarded has what this likelihood has not.
    """
    if asked.outcome.beyond and has_limits:
        raise DataError(asked.outcome.beyond)
    if not 0 < level < 1:
        raise DataError(f"level is a number between 0 and 1, not {level!r}")
    fitted = asked.as_fitted()
    rows = _Rows(fitted, deadline)
    try:
        own, proof = proof, proof if fitted is asked else rows.without([])[0]
        whole = rows.fit(proof, list(range(len(rows.names))))
        if asked.family == "multinomial":  # whose rows are strata there
            whole = whole._replace(n_rows=asked.owners(own)[1].size)
    except OutOfTimeError:
        whole = _Fit(nan, {}, 0 if rows.is_cox else len(rows.outcome.y) - proof.cone.separated.size)
    z = float(scipy.special.ndtri(0.5 + level / 2))
    out: dict[Any, Estimate] = {}
    tests: dict[Any, LikelihoodRatio] = {}
    for name, value in said.items():
        is_infinite = isinstance(value, float) and isinf(value)
        if not is_infinite and value != FINITE:  # the profile likelihood is the same everywhere
            out[name] = Estimate(nan, nan, -inf, inf)
            continue
        j = rows.names.index(name)
        b, error = (value, nan) if isinstance(value, float) else whole.estimates.get(j, (nan, nan))
        out[name] = Estimate(b, error, nan, nan)
        if not has_limits:
            continue
        if not (is_infinite or is_profiled):
            out[name] = Estimate(b, error, b - z * error, b + z * error)
            continue
        try:
            profile = rows.profile(j, whole.value)
            statistic = max(0.0, -2 * profile(0.0))
            tests[name] = LikelihoodRatio(statistic, float(scipy.special.chdtrc(1, statistic)))
            out[name] = Estimate(b, error, *rows.limits(j, profile, b, error, -z * z / 2))  # chi-squared of one degree
        except OutOfTimeError:
            pass
    left = [name for name, found in out.items() if isnan(found.lower if has_limits else found.value)]
    for factor, columns in rows.factors(said).items() if has_limits else ():
        try:
            tests[factor] = rows.test_of(columns, proof, whole.value)
        except OutOfTimeError:
            left.append(factor)
    return FinitePart(out, whole.value, level, whole.n_rows, tests, tuple(left))


class _Fit(NamedTuple):
    value: float
    estimates: dict[int, tuple[float, float]]  # of columns, with the errors
    n_rows: int  # that count in the limit


class _Rows:
    """The rows of a regression that count, each of which has one row of inequalities unless it is a Cox model."""

    def __init__(self, asked: Asked, deadline: Deadline) -> None:
        self.asked, self.deadline, self.outcome = asked, deadline, asked.outcome.take(asked.outcome.kept)
        self.is_cox = asked.family == "cox"
        self.likelihood = (
            None if self.is_cox else Likelihood.of(self.outcome, asked.rows.classes, asked.family, asked.link)
        )
        X, self.names = design_columns(asked.design, asked.fit_intercept and not self.is_cox)
        if asked.design.absorbed and X.shape[0] * X.shape[1] ** 2 > _MOST_WORK and (lines := _in_pyfixest(asked)):
            raise DataError(f"{X.shape[1]:,} columns of fixed effects are too many to fit here, and {lines}")
        if X.shape[1] > _MOST_COLUMNS:
            raise DataError(
                f"{X.shape[1]:,} columns are too many to fit here, at most {_MOST_COLUMNS:,}: fit what drop() gives"
            )
        self.X = X[asked.outcome.kept]

    def fit(self, proof: SeparationProof, among: list[int], more: Array | float = 0.0) -> _Fit:
        """The largest likelihood over the coefficients of these columns, whose separation is proved.

        The offset is `more` than that of the rows.
        """
        kept, rows = self._limit(proof, more)
        left = self.asked.rows.Z[list(proof.cone.left)] if self.is_cox else self.X[kept]
        lost = columns_lost(left[:, among], proof)
        columns = [j for k, j in enumerate(among) if k not in lost]
        if kept.size * len(columns) / _COPIED > time_left(self.deadline):
            raise OutOfTimeError
        X = dense(self.X[kept][:, columns])
        time_left(self.deadline)
        value, b, errors = largest(X, rows, self.deadline, is_bound=len(among) < len(self.names))
        n_rows = rows.n_compared if isinstance(rows, PartialLikelihood) else kept.size
        return _Fit(value, dict(zip(columns, zip(b.tolist(), errors.tolist(), strict=True), strict=True)), n_rows)

    def _limit(self, proof: SeparationProof, more: Array | float) -> tuple[Array, Likelihood | PartialLikelihood]:
        """The rows that count far along all directions that separate, and their likelihood."""
        if self.likelihood is None:
            of_cox = PartialLikelihood.of(self.outcome, scores_alike(self.outcome, proof))
            return np.arange(len(self.outcome.y)), of_cox._replace(offset=of_cox.offset + more)
        kept = np.setdiff1d(np.arange(len(self.outcome.y)), proof.cone.separated)
        return kept, self.likelihood._replace(offset=self.likelihood.offset + more).take(kept)

    def profile(self, j: int, bound: float) -> Callable[[float], float]:
        """The largest logarithm of the likelihood, given coefficient j, beyond its least upper bound, if that is known.

        Which rows are separated if a coefficient is held does not depend on where: an offset changes nothing about it.
        """
        if isnan(bound):
            raise OutOfTimeError
        if abs(bound) > _LARGEST_LOG:
            raise DataError(BEYOND)
        proof, among = self.without([j])
        column = self.column(j)
        return lambda b: self.fit(proof, among, b * column).value - bound

    def without(self, columns: Collection[int]) -> tuple[SeparationProof, list[int]]:
        """The other columns, with the proof of what they separate."""
        time_left(self.deadline)
        among = [k for k in range(len(self.names)) if k not in columns]
        equal = self.asked.rows.equal
        proof = SeparationProof(ConeProof(n := len(equal), left=range(n)))
        if among:
            Z = self.asked.rows.Z[:, among]
            proof = find_proof(Z, equal, self.deadline)
            coefficients(Rows(Z, equal=equal, ask=lambda: time_left(self.deadline)), proof)
        return proof, among

    def factors(self, said: Mapping[Any, str | float]) -> dict[str, list[int]]:
        """The columns of each factor, or product of factors, that has several, of which one is infinite."""
        out: dict[str, list[int]] = {}
        for j, name in enumerate(self.names):
            for factors in multiplied(bare(name), self.asked.design.levels):
                out.setdefault(":".join(factors), []).append(j)
        infinite = {self.names.index(name) for name, value in said.items() if isinstance(value, float)}
        return {factor: columns for factor, columns in out.items() if len(columns) > 1 and infinite & {*columns}}

    def test_of(self, columns: Collection[int], proof: SeparationProof, bound: float) -> LikelihoodRatio:
        """The test of all coefficients of these columns together."""
        if isnan(bound):
            raise OutOfTimeError
        rest, among = self.without(columns)
        degrees = proof.rank(len(self.names)) - (rest.rank(len(among)) if among else 0)
        statistic = max(0.0, 2 * (bound - self.fit(rest, among).value))
        return LikelihoodRatio(statistic, float(scipy.special.chdtrc(degrees, statistic)), degrees)

    def column(self, j: int) -> Array:
        return dense(self.X[:, [j]]).ravel()

    def limits(
        self, j: int, profile: Callable[[float], float], b: float, error: float, target: float
    ) -> tuple[float, float]:
        """Where the profile likelihood of coefficient j, which is largest at b, is `target`."""

        def above(at: float) -> float:
            return profile(at) - target

        def end(way: float) -> float:
            step = size
            while above(start + way * step) >= 0:
                if step > _FARTHEST * size:  # other coefficients take its place
                    return way * inf
                step *= 2
            return float(brentq(above, start, start + way * step, xtol=1e-10 * size, rtol=1e-12))

        from scipy.optimize import brentq

        size = 1 / float(np.abs(self.column(j)).max()) if isinf(b) else error
        if not 0 < size < inf:
            raise DataError(BEYOND)
        start = copysign(size, b) if isinf(b) else b
        while isinf(b) and above(start) < 0 and abs(start) < _FARTHEST * size:
            start *= 2
        if not above(start) >= 0:
            raise DataError(BEYOND)
        return (-inf if b == -inf else end(-1.0)), (inf if b == inf else end(1.0))


def _in_pyfixest(asked: Asked) -> str:
    """How pyfixest, which takes fixed effects out, fits the rows that remain; empty if it has no such family."""
    if (asked.family, asked.link) not in (("poisson", "log"), ("logistic", "logit"), ("logistic", "probit")):
        return ""
    fit, family = ("fepois", "") if asked.link == "log" else ("feglm", f', family="{asked.link}"')
    formula, _, effects = asked.design.formula.partition("|")
    beside = [name for name in ("weights", "offset") if getattr(asked.outcome, name) is not None]
    return (
        f"pyfixest fits the rows that remain{f', given their {listed(beside)} too' if beside else ''}:\n"
        "kept = data.iloc[found.drop().rows]\n"
        f'pyfixest.{fit}("{formula.strip()} | {effects.strip().replace(":", "^")}", kept{family})'
    )


_PENALISED = (("logistic", "logit"), ("binomial", "logit"), ("cox", "log"))


def why_no_firth(asked: Asked, proof: SeparationProof) -> str:
    """Why firthmodels does not fit a regression, in a sentence; empty if it does."""
    outcome = asked.outcome
    if (asked.family, asked.link) not in _PENALISED:
        return "firth fits logistic and binomial regressions with the logit link, and Cox regressions"
    beside = [name for name in ("strata", "entry", "weights", "offset") if getattr(outcome, name) is not None]
    if asked.family == "cox" and beside:
        return f"firthmodels fits Cox regressions without {listed(beside)}: table() has the limits of the likelihood"
    if proof.bases or proof.null:
        return "some coefficients are not identified: leave out columns first, such as those drop() names"
    return outcome.beyond


def firth(asked: Asked, proof: SeparationProof, options: dict[str, Any]) -> Any:
    """The fit by Firth's method, of firthmodels.

    Raises
    ------
    DataError
        The regression is not of the kind that is fitted.
    ImportError
        The package is not installed.
    """
    if why := why_no_firth(asked, proof):
        raise DataError(why)
    try:
        firthmodels = import_module("firthmodels")
    except ImportError as error:
        raise ImportError(
            "Firth's method is that of firthmodels, which is not installed: pip install firthmodels"
        ) from error
    X, names = design_columns(asked.design, False)
    kept = np.flatnonzero(asked.outcome.kept)
    if asked.family == "cox":
        response = (asked.outcome.happened, asked.outcome.y.astype(np.float64))
        fitted = _made(firthmodels.FirthCoxPH, X, options).fit(dense(X), response)
        fitted.feature_names_in_ = np.array(names, dtype=object)
        return fitted
    rows = Likelihood.of(asked.outcome.take(kept), asked.rows.classes, asked.family, asked.link)
    # A row of several trials is a row of successes and one of failures, each as often as there are.
    counts = np.append(rows.weights * rows.y, rows.weights * (rows.trials - rows.y))
    y, at = np.repeat([1, 0], kept.size), np.tile(np.arange(kept.size), 2)
    told = np.flatnonzero(counts)
    told = told[np.argsort(at[told], kind="stable")]
    at = at[told]
    rows_of_X, options = dense(X[kept[at]]), {"fit_intercept": asked.fit_intercept, **options}
    fitted = _made(firthmodels.FirthLogisticRegression, rows_of_X, options).fit(
        rows_of_X, y[told], sample_weight=counts[told], offset=rows.offset[at]
    )
    fitted.feature_names_in_ = np.array(names, dtype=object)  # as scikit-learn takes them from dataframes
    return fitted


def _made(kind: Any, X: Any, options: dict[str, Any]) -> Any:
    """An estimator of firthmodels; compiling it takes half a minute, which few numbers are not worth."""
    if X.shape[0] * X.shape[1] < _COMPILED and "backend" in signature(kind).parameters:
        options = {"backend": "numpy", **options}
    return kind(**options)
