"""The remedies that a `Separation` offers, each a method, and the separated rows that send each coefficient away."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from linsep.regression.drop import Remaining, dependent, infinite_after, remaining
from linsep.regression.finite_part import FinitePart, finite_part, firth, why_no_firth
from linsep.regression.groups import SeparatedGroup, separated_groups
from linsep.regression.model import Asked, Verdict
from linsep.theory.rows.deadline import deadline_of, why_ended, why_over
from linsep.theory.separation.families import ORDERED, Family
from linsep.theory.verify.consequences import FINITE, UNIDENTIFIED, SeparationProof
from linsep.theory.words.of_advice import advice, bare
from linsep.theory.words.of_papers import paragraph_of
from linsep.types import DataError


class Remedies:
    """What can be done with an answer whose data are at hand; `Separation` has the fields."""

    verdict: Verdict
    family: Family
    link: str
    proof: SeparationProof | None
    coefficients: dict[Any, str | float]
    separated_rows: tuple[int, ...]
    pairs: tuple[tuple[int, Any], ...]
    classes: tuple[Any, ...]
    levels: dict[str, tuple[str, str]]
    ended: str | float | None
    _question: Asked | None

    @property
    def fragile(self) -> bool:
        """Whether rounding of the inputs could change the answer."""
        raise NotImplementedError

    def drop(self) -> Remaining:
        """Leave out the separated rows, then the columns that are 0 or a combination of others on the rows that remain.

        Along a direction that separates, the likelihood of the separated rows tends to 1 and that of the others does
        not change. So the largest likelihood of the rows that remain is the limit of that of all rows, and each
        coefficient called "finite" has the same estimate and standard error in both. Of a combination of columns the
        last is left out; the estimate of one that stays although it is infinite means nothing alone.

        Of a Cox model the rows are left out that fall behind at every event at which they are at risk, as those of a
        level without an event do: in the limit no event is compared with them. Where some fall behind at some of their
        events only, `strata` are new ones: of rows that stay compared.

        Returns
        -------
        Remaining
            X, y, the names of the columns, the rows, the columns left out and the coefficients that do not change; also
            what the regression was given beside y, of these rows, and `frame`, which is X as a dataframe.

        Raises
        ------
        DataError
            Every row is separated; rows of a multinomial or ordered model are separated from some classes only, or a
            class of an ordered one is left without rows; the answer is undecided, or was read from JSON and so lacks
            the data.

        References
        ----------
        C. Geyer, Likelihood inference in exponential families and directions of recession (2009). S. Correia,
        P. Guimaraes and T. Zylkin, Verifying the existence of maximum likelihood estimates for generalized linear
        models (2019).

        Examples
        --------
        >>> from linsep import separation
        >>> found = separation([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]], [0, 1, 0, 1, 1])
        >>> kept = found.drop()
        >>> kept.names, kept.rows.tolist(), kept.dropped, kept.unchanged
        (['(Intercept)', 'x2'], [0, 1, 2], ['x1'], ['(Intercept)', 'x2'])
        """
        return remaining(*self._asked(), self.coefficients)

    def finite_part(self, level: float = 0.95, time_limit: float | None = None) -> FinitePart:
        """Estimate the finite coefficients, and bound each infinite one from its own side.

        The finite estimates maximise the likelihood of the rows that remain when the separated ones are dropped. For a
        coefficient with the estimate +infinity, let l(b) be the largest log-likelihood of all rows with the coefficient
        held at b, where the rows that the other coefficients then separate count nothing. It rises to its least upper
        bound l* as b grows; the lower limit is the b with 2 (l* - l(b)) equal to the quantile of chi-squared with one
        degree of freedom, and the same from above for -infinity. It is as approximate as other profile intervals.
        The likelihood-ratio test of "the coefficient is 0" has the statistic 2 (l* - l(0)), which is finite too.

        Tied events of a Cox model count by Breslow's method, or as the model has it that was asked about. Trials,
        weights and an offset count. Weights are numbers of equal rows: with others, as those that balance classes, the
        estimates are right and their errors are not. Errors come from the observed information.

        Parameters
        ----------
        level : float, default=0.95
            The level of confidence.
        time_limit : float, optional
            Seconds, after which what is known by then is given: `not_computed` names what is not.

        Returns
        -------
        FinitePart
            Name -> estimate, standard error, lower and upper limit; tests of the infinite coefficients.

        Raises
        ------
        DataError
            The regression is not a logistic or binomial (logit, probit, cloglog), Poisson or Cox one, nor, with weights
            of 0 and 1 only, a conditional one with one case a stratum or a multinomial one without an offset and with
            n (p + 1) k^2 <= 20,000,000 for n rows, p columns and k classes; is of proportions without trials,
            has more than 3,000 columns, or so many rows and fixed effects that each step of a fit takes seconds (the
            error then has the two lines of pyfixest that fit it), or is undecided; a guarded model has weights of
            variances or standard errors of another kind; or the answer was read from JSON and so lacks the data.

        References
        ----------
        C. Geyer, Likelihood inference in exponential families and directions of recession (2009). D. Venzon and
        S. Moolgavkar, A method for computing profile-likelihood-based confidence intervals (1988).

        Examples
        --------
        >>> from linsep import separation
        >>> found = separation([[0]] * 4 + [[1]] * 3, [0, 1, 0, 1, 1, 1, 1]).finite_part()
        >>> [round(float(part), 3) for part in found.estimates["(Intercept)"]]
        [0.0, 1.0, -1.96, 1.96]
        >>> round(found.estimates["x1"].lower, 3)
        -0.532
        >>> round(found.tests["x1"].statistic, 3), round(found.tests["x1"].p_value, 3)
        (2.831, 0.092)
        """
        return self._part(level, time_limit)

    def firth(self, **options: Any) -> Any:
        """Fit the whole design by Firth's method: all estimates are finite, and their bias is smaller.

        The penalised log-likelihood is l(b) + log det I(b) / 2 with the Fisher information I.

        Parameters
        ----------
        **options : Any
            Of `firthmodels.FirthLogisticRegression` or `FirthCoxPH`, which is fitted (package firthmodels).

        Returns
        -------
        firthmodels.FirthLogisticRegression or firthmodels.FirthCoxPH
            The fitted estimator: `coef_` has the columns that `feature_names_in_` names, `intercept_` stands alone and
            is the last of `bse_`, of the rows of `conf_int()` and of `lrt_pvalues_`. `lrt` and `conf_int` take names.

        Raises
        ------
        DataError
            The regression is not a logistic or binomial one (logit), or a Cox one without strata, entry, weights and
            offset; or some coefficients are not identified; the answer is undecided, or was read from JSON and so
            lacks the data.
        ImportError
            The package firthmodels is not installed.

        References
        ----------
        D. Firth, Bias reduction of maximum likelihood estimates, Biometrika 80 (1993).
        """
        return firth(*self._asked(), options)

    def table(self, level: float = 0.95, *, exp: bool = False, time_limit: float | None = None) -> Any:
        """Return what is true of each coefficient, beside what was printed if this is about a fitted model.

        Columns: `printed` and `printed_error`, the numbers of the fit; `truth`, "finite", "+infinity", "-infinity",
        "without a limit", "not decided" or "not identified"; `estimate` and `error`, those of `finite_part`; `lower`
        and `upper`, limits of the profile likelihood, of which an infinite estimate has one; `p` of the
        likelihood-ratio test of 0; and `rows`, the separated rows in which it stands, by their places. Of a fit with
        errors of another kind, as robust ones, there are estimates alone; of families that are not fitted here numbers
        are NaN. Fixed effects have no lines.

        Parameters
        ----------
        level : float, default=0.95
            The level of confidence.
        exp : bool, default=False
            Whether numbers are odds, rate or hazard ratios: exp of estimates and limits, without the errors. A note
            names finite ones beyond doubles, which stand as 0 or inf.
        time_limit : float, optional
            Seconds, after which numbers are NaN and a note says so.

        Returns
        -------
        pandas.DataFrame
            A row for each coefficient. Shown below it, and in `table.attrs["notes"]`, is a sentence each on the rows
            separated, the printed numbers that may be kept, and the tests of whole factors.

        Raises
        ------
        DataError
            The answer is undecided, or was read from JSON and so lacks the data; or `exp` with another link than logit
            or log.

        Examples
        --------
        >>> from linsep import separation
        >>> table = separation([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]], [0, 1, 0, 1, 1]).table()
        >>> table["truth"].tolist(), table.loc["x1", "rows"], round(float(table.loc["x2", "error"]), 3)
        (['finite', '+infinity', 'finite'], '3, 4', 1.5)
        """
        printed = self._asked()[0].printed
        if exp and self._asked()[0].link not in ("logit", "log"):
            raise DataError(
                "exp makes odds ratios of a logit link and rate ratios of a log link, and nothing of others"
            )
        part, notes = self._estimated(level, time_limit, is_profiled=True)
        from linsep.regression.table import table_of  # loads pandas

        return table_of(self, part, notes, printed, exp=exp)

    def paragraph(self, level: float = 0.95, time_limit: float | None = None) -> str:
        """Return what a paper says under Methods and Results, and the reference.

        Parameters
        ----------
        level : float, default=0.95
            The level of confidence.
        time_limit : float, optional
            Seconds for estimates and limits.

        Returns
        -------
        str
            Plain text.

        Raises
        ------
        DataError
            The answer is undecided, or was read from JSON and so lacks the data.

        Examples
        --------
        >>> from linsep import separation
        >>> text = separation([[0]] * 4 + [[1]] * 3, [0, 1, 0, 1, 1, 1, 1]).paragraph()
        >>> "the lower limit of the two-sided 95% interval of the profile likelihood is -0.532" in text
        True
        >>> text.count("(1984)")
        1
        """
        return paragraph_of(self, self._estimated(level, time_limit, is_profiled=False)[0])

    def _estimated(
        self, level: float, time_limit: float | None, *, is_profiled: bool
    ) -> tuple[FinitePart | None, list[str]]:
        """Estimates and limits, or why there are none."""
        beyond = self._asked()[0].outcome.beyond  # what can be done about no answer is no note
        try:
            part = self._part(level, time_limit, is_profiled=is_profiled, has_limits=not beyond)
            return part, [f"No errors, limits and tests: {beyond}."] * bool(beyond)
        except DataError as error:
            return None, [f"No estimates: {error}{'.' * (str(error)[-1] != ')')}"]  # no point after code

    def _part(
        self, level: float, time_limit: float | None, *, is_profiled: bool = False, has_limits: bool = True
    ) -> FinitePart:
        given = (*self._asked(), self.coefficients, level, deadline_of(time_limit))
        part = finite_part(*given, is_profiled=is_profiled, has_limits=has_limits)
        return part._replace(reason=why_over(time_limit) if part.not_computed else "", fragile=self.fragile)

    @cached_property
    def groups(self) -> list[SeparatedGroup]:
        """The groups of rows that are separated as a whole, which often name the cause.

        A group is the rows of a level of a text column, of the 0 or the 1 of a column that has no other number, of a
        level of a fixed effect, or of a cell of levels whose interaction the regression has (of a:b alone, such cells
        as have a column). Where columns of 0 and 1 look like a factor, the rows in which all of them are 0 may be one.
        Of a Cox model they are the groups without an event, of a conditional one those without a case or of cases
        only, and of a multinomial one also those without a class. Levels that are nested in a level of another factor,
        as towns are in states, are not told again.

        Returns
        -------
        list of SeparatedGroup
            Factors, levels and rows; as text "dose=top (4 rows)". Empty if no row is separated, or
            if all are, which says nothing about single groups.

        Raises
        ------
        DataError
            The answer is undecided, or was read from JSON and so lacks the data.

        Examples
        --------
        >>> import pandas as pd
        >>> from linsep import separation
        >>> table = pd.DataFrame({"ward": list("aabbcc"), "died": [0, 1, 1, 0, 0, 0]})
        >>> [group] = separation(table[["ward"]], table["died"]).groups
        >>> str(group), group.rows
        ('ward=c (2 rows)', (4, 5))
        """
        self._asked()
        says_nothing = self.verdict == "complete" and self.family not in ("cox", "conditional")
        return [] if says_nothing else self._whole

    @cached_property
    def _whole(self) -> list[SeparatedGroup]:
        """The groups, also where every row is separated."""
        asked, _ = self._asked()
        design, outcome = asked.design, asked.outcome
        if self.verdict == "overlap":
            return []
        kept, every = outcome.kept, [np.isin(design.places, self.separated_rows)]
        if self.family == "cox":
            every = [~outcome.happened]
        if self.family == "conditional":
            kept, every = outcome.compared, [outcome.y <= 0, outcome.y > 0]
        moving = {bare(name) for name, said in self.coefficients.items() if said not in (FINITE, UNIDENTIFIED)}
        found = [group for gone in every for group in separated_groups(design, gone, kept, moving)]
        if self.family == "cox":  # those that are never at risk move nothing
            at_risk = {*design.places[outcome.at_risk].tolist()}
            found = [group for group in found if not at_risk.isdisjoint(group.rows)]
        partly: dict[SeparatedGroup, list[Any]] = {}
        for label in self.classes if self.pairs else ():
            of_class = np.isin(design.places, [row for row, rival in self.pairs if rival == label])
            for group in separated_groups(design, of_class, kept, moving):
                partly.setdefault(group, []).append(label)
        return found + [one._replace(classes=tuple(of)) for one, of in partly.items() if one not in found]

    @cached_property
    def _levels(self) -> dict[str, dict[str, int]]:
        """Text column -> level -> number of rows, for the levels that are a group."""
        of_text, out = {column for column, _ in self.levels.values()}, dict[str, dict[str, int]]()
        for group in () if self._question is None or self.proof is None else self._whole:
            if len(group.factors) == 1 and group.factors[0] in of_text:
                out.setdefault(group.factors[0], {})[group.levels[0]] = len(group.rows)
        return out

    def _advice(self) -> list[str]:
        """What to do, with what each removal leaves infinite where the data are at hand."""
        if self._question is None or self.proof is None:
            return advice(self, lambda lost, onto: None)
        asked = self._question
        is_known = UNIDENTIFIED not in self.coefficients.values()  # columns to leave out first are said
        can_penalise = not (is_known and why_no_firth(asked, self.proof))
        has_limits = not asked.outcome.beyond and asked.is_fitted
        is_partly = np.intersect1d(*asked.owners(self.proof)).size > 0 and self.family in (*ORDERED, "multinomial")
        width = len(asked.rows.names) // (max(len(asked.rows.classes) - 1, 1) if self.family == "multinomial" else 1)
        surplus = [] if is_known or self.proof.bases else dependent(self.proof.null, width)[::-1]
        names = [str(bare(name)) for name in asked.rows.names]
        can = {"can_penalise": can_penalise, "has_limits": has_limits, "is_partly": is_partly}
        left_over = [names[j] for j in surplus]
        return advice(self, partial(infinite_after, asked), self.groups, surplus=left_over, **can)

    def _asked(self) -> tuple[Asked, SeparationProof]:
        if self._question is None:
            raise DataError("this was read from JSON, which has no data: ask `separation` again")
        if self.proof is None:
            raise DataError(f"undecided, so nothing can be done about it yet: {why_ended(self.ended)}")
        return self._question, self.proof
