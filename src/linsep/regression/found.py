"""What `separation` answers: a verdict on a regression with its proof, in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from linsep.regression.foreign import beside_model, is_model, question_of_fitted
from linsep.regression.formulas.formula import asked_of
from linsep.regression.formulas.formula_text import without_spaces
from linsep.regression.model import Asked, Verdict, data_hash
from linsep.regression.what_to_do import Remedies
from linsep.theory.proof import (
    FORMAT,
    check_head,
    ended_of,
    forget_words,
    malformed_proves_nothing,
    plain_separation,
    separation_of,
)
from linsep.theory.rows.deadline import why_ended
from linsep.theory.rows.json_values import count, of_type, read
from linsep.theory.separation.families import FAMILIES, LABELLED, ORDERED, Family, link_of
from linsep.theory.separation.fragile_design import is_fragile
from linsep.theory.verify.cone import CertificateError, Rows
from linsep.theory.verify.consequences import SeparationProof
from linsep.theory.vipr import Cone, InVipr
from linsep.theory.words import of_regressions
from linsep.theory.words.of_regressions import estimate
from linsep.types import DataError


@dataclass(frozen=True, repr=False)
class Separation(Remedies, InVipr):
    """Whether a regression is separated, by which rows, what that means for each coefficient, and the proof.

    Attributes
    ----------
    verdict : "complete", "quasi-complete", "overlap", "undecided" or "not verified"
        The last if this was read from JSON: it says nothing before `verify` has seen the data.
    family : str
        As asked of `separation`.
    n_rows : int
        Rows of the data.
    n_features : int
        Columns of the design, indicators included, the constant not.
    fit_intercept : bool
    separated_rows : tuple of int
        Rows, counted from 0, that some direction separates (the maximal set); for a multinomial model those separated
        from every other class.
    coefficients : dict
        Name, or (class, name), -> "finite", inf, -inf, "undetermined sign" or "not identified"; empty if undecided.
        "undetermined sign" means that no limit is determined: which of both infinities, a number or none depends on the
        path. With a time limit also "sign or limit not decided": whether a limit is determined was not decided.
    pairs : tuple of (row, class)
        Multinomial: the classes whose fitted probability at that row tends to 0.
    classes : tuple
        Labels in sorted order: the second is the outcome of a logistic model, the first the reference of a
        multinomial one. Those of an ordered model are in their order.
    references : dict
        Text column -> the level that has no indicator column.
    rank : int or None
        Rank of the inequalities, less than the number of coefficients if some are not identified. It is that of the
        design but for Cox models.
    proof : SeparationProof or None
        Integers that `verify` checks.
    ended : str, float or None
        What ended the search if it is undecided: a time limit in seconds, or "interrupt".
    levels : dict
        Indicator column -> (text column, level).
    link : str
        The link of the regression.
    left_out : int
        Rows of the data that say nothing: those without trials or with a weight of 0.
    constant_columns : tuple of str
        Columns of the design that are constant: beside an intercept (or thresholds, or a baseline) one too many.
    formula : str
        The formula, empty if there is none.
    n_missing : int
        Rows that lack a value that the formula or the guarded model needs (pyfixest: or that it leaves out as alone in
        a level); `n_rows` does not count them, `separated_rows` are places in the whole table.
    missing_rows : tuple of int
        Their places, of a guarded model.
    fixed_effects : dict
        Of a formula with fixed effects: effect -> what is said of its coefficients, as text -> of how many.
    fragile : bool
        Whether half a unit in the last place of numbers of the design that are no integers could change the answer.
    """

    verdict: Verdict
    family: Family
    n_rows: int
    n_features: int
    fit_intercept: bool
    separated_rows: tuple[int, ...] = ()
    coefficients: dict[Any, str | float] = field(default_factory=dict)
    pairs: tuple[tuple[int, Any], ...] = ()
    classes: tuple[Any, ...] = ()
    references: dict[str, str] = field(default_factory=dict)
    rank: int | None = None
    proof: SeparationProof | None = None
    ended: str | float | None = None
    levels: dict[str, tuple[str, str]] = field(default_factory=dict)
    link: str = "logit"
    left_out: int = 0
    constant_columns: tuple[str, ...] = ()
    formula: str = ""
    n_missing: int = 0
    missing_rows: tuple[int, ...] = ()
    fixed_effects: dict[str, dict[str, int]] = field(default_factory=dict)
    # If this was read from JSON, the SHA-256 of the data and whether it is of "doubles" or of "rationals".
    _digest: str = field(default="", compare=False)
    _stored_as: str = field(default="", compare=False)
    _question: Asked | None = field(default=None, compare=False)  # None if it was read, and is not yet verified

    @cached_property
    def fragile(self) -> bool:
        """Whether rounding of the design could change the answer."""
        if self._question is None or self.proof is None:
            return False
        design, outcome = self._question.design, self._question.outcome
        model = (self.family, self.fit_intercept, self.proof)
        return is_fragile(design.X, outcome, design.names, *model, moved=design.moved)

    def verify(
        self,
        X: Any,
        y: Any = None,
        *,
        data: Any = None,
        trials: Any = None,
        weights: Any = None,
        offset: Any = None,
        event: Any = None,
        strata: Any = None,
        entry: Any = None,
    ) -> None:
        """Check everything that is said about the data in exact arithmetic; they must not change meanwhile.

        Parameters
        ----------
        X : array, SciPy sparse matrix, pandas, Polars or Arrow table; shape (n_samples, n_features)
            The design, or the formula, as for `separation`. A certificate of the command is about the decimals of the
            table: give it as it is written, as `open_data(path, target=...)`. Or a model, as for `separation`.
        y : array-like of shape (n_samples,), optional
            The response; a formula names it.
        data : pandas, Polars or Arrow table, or dict of columns, optional
            The table that a formula is about.
        trials, weights, offset, event, strata, entry : array-like of shape (n_samples,), optional
            As for `separation`; an offset matters only if it lacks values.

        Raises
        ------
        CertificateError
            A part does not prove what it says, or these are not the data that it is about.
        DataError
            The data are not as `separation` needs them.
        """
        is_formula = isinstance(X, str) and "~" in X
        y, data = beside_model(X, y, data)
        if not is_model(X) and is_formula is not bool(self.formula):
            form = "a formula: give yours and the table, as in verify(formula, data=table)"
            rows = "rows and a response, and no formula: give these, verify(X, y)"
            raise DataError(f"this answer is about {form if self.formula else rows}")
        order = self.classes if self.family in ORDERED else None
        beside = {"trials": trials, "weights": weights, "offset": offset}
        beside |= {"event": event, "strata": strata, "entry": entry}
        with malformed_proves_nothing():
            if is_model(X):
                asked = question_of_fitted(X, data)
            else:  # of a formula it is the formula that says whether there is an intercept
                intercept = self.fit_intercept or is_formula
                asked = asked_of(X, y, data, intercept, self.family, order, self.link, **beside)
            if without_spaces(asked.design.formula) != without_spaces(self.formula):
                raise CertificateError(f"this certificate is about another formula: {self.formula!r}")
            if (asked.family, asked.link) != (self.family, self.link):
                raise CertificateError(f"this certificate is about a {self.family} regression with {self.link} link")
            self._check(asked)
            forget_words(self)
            _ = self._digest and self.fragile  # of what was read, about the rows as they are now

    def _check(self, asked: Asked) -> None:
        if self._digest and data_hash(asked) != (self._digest, self._stored_as):
            raise CertificateError(of_regressions.OTHER_DATA)
        if not self._digest:  # of rows that were read nobody says which others the table had
            asked = replace(asked, design=asked.design.without(self.missing_rows))
        if asked.fit_intercept != self.fit_intercept:
            raise CertificateError("this certificate is about another formula: only one of them has an intercept")
        said = asked.shown(self.proof)
        if self._question is not None:
            said["formula"] = self.formula  # compared without its spaces before
        for name in ("n_rows", "n_features", "classes") if self._digest else ():
            if repr(getattr(self, name)) != repr(said[name]):  # classes of another type are others
                raise CertificateError(f"the {name} of its question are those of other data")
        for name, value in said.items():
            if self._question is None:
                object.__setattr__(self, name, value)
            elif getattr(self, name) != value:
                raise CertificateError(f"the proof does not show the {name} that is said")
        if self._question is None:
            object.__setattr__(self, "_question", asked)

    @property
    def reason(self) -> str:
        """Why it is undecided."""
        return why_ended(self.ended)

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do about it: a few sentences, each about one remedy."""
        return tuple(self._advice())

    def summary(self) -> str:
        """Return what was found, in sentences fit for the methods section of a paper.

        Returns
        -------
        str
            Some sentences.
        """
        return of_regressions.summary_of(self)

    def __repr__(self) -> str:
        return f"<Separation {of_regressions.line_of(self)}>"

    def _repr_html_(self) -> str:
        return of_regressions.html_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the certificate, and what follows from it in words.

        Infinities are "+inf" and "-inf", coefficients of a class stand under its label, and integers of the proof
        beyond 2^53 are hexadecimal text.

        Returns
        -------
        dict
            Numbers, text, lists and dicts.
        """
        return {
            "verdict": self.verdict,
            "summary": self.summary(),
            "rank": self.rank,
            "missing": self.n_missing,
            "rows_without_weight": self.left_out,
            "constant_columns": list(self.constant_columns),
            "separated_rows": list(self.separated_rows),
            "coefficients": plain_coefficients(self.coefficients),
            "pairs": [[row, str(label)] for row, label in self.pairs],
            "references": dict(self.references),
            "levels": {name: list(about) for name, about in self.levels.items()},
            "groups": [] if self._question is None or self.proof is None else [*map(str, self.groups)],
            "fixed_effects": {effect: dict(counts) for effect, counts in self.fixed_effects.items()},
            "advice": list(self.advice),
            "reason": self.reason,
            "fragile": self.fragile,
            **self._certificate(),
        }

    def _certificate(self) -> dict[str, Any]:
        known = None if self._digest else self._question
        digest, numbers = (self._digest, self._stored_as) if known is None else data_hash(known)
        return {
            "format": FORMAT,
            "sha256": digest,
            "numbers": numbers,
            "question": plain_question(self),
            "ended": self.ended,
            "proof": None if self.proof is None else plain_separation(self.proof),
        }

    def to_json(self) -> str:
        """Return the certificate as JSON: the SHA-256 of the data, the question and the proof.

        Returns
        -------
        str
            The JSON text.
        """
        return json.dumps(self._certificate(), allow_nan=False)

    def _cone(self) -> Cone | None:
        if self._question is None or self.proof is None:
            return None
        rows, places = self._question.rows, self._question.design.places
        names = [f"d{j}" for j in range(rows.Z.shape[1])]
        if len(names) == self.n_features + self.fit_intercept:
            names = ["b"] * self.fit_intercept + [f"x{j}" for j in range(self.n_features)]
        ids = places[rows.owner] if len(set(rows.owner.tolist())) == len(rows.owner) else None
        return Cone(Rows(rows.Z, equal=rows.equal), self.proof.cone, names, ids)

    @classmethod
    def from_json(cls, text: str) -> Separation:
        """Read what `to_json` wrote; `verify` then also checks that the data are those that it is about.

        Parameters
        ----------
        text : str
            The JSON text.

        Returns
        -------
        Separation
            The result, not yet verified.

        Raises
        ------
        DataError
            The text is not a certificate of this format.

        Examples
        --------
        >>> from linsep import separation
        >>> X, y = [[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]], [0, 1, 0, 1, 1]
        >>> read = Separation.from_json(separation(X, y).to_json())
        >>> read.verify(X, y)  # raises if a part is wrong
        >>> read.separated_rows
        (3, 4)
        """
        return read(text, lambda plain: cls(**parts_of(plain)))


# Labels are written as text; this makes labels of their type of it.
_LABELS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": {"True": True, "False": False}.__getitem__,
}


def plain_question(found: Any) -> dict[str, Any]:
    """What was asked: the model, the labels as text with their type, and the formula if there is one."""
    kinds = {type(label).__name__ for label in found.classes}
    return {
        "about": "regression",
        "family": found.family,
        "link": found.link,
        "rows": found.n_rows,
        "columns": found.n_features,
        "intercept": found.fit_intercept,
        "classes": [str(label) for label in found.classes],
        "class_type": kinds.pop() if kinds else "str",
        **({"formula": found.formula} if found.formula else {}),
    }


def plain_coefficients(coefficients: Mapping[Any, str | float]) -> dict[str, Any]:
    """Coefficient -> what is said of it, infinities as "+inf" and "-inf"; those of a class under its label."""
    out: dict[str, Any] = {}
    for name, value in coefficients.items():
        if isinstance(name, tuple):
            out.setdefault(str(name[0]), {})[name[1]] = estimate(value)
        else:
            out[name] = estimate(value)
    return out


def parts_of(plain: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `Separation` that a certificate has; nothing is verified yet.

    Raises
    ------
    AttributeError, KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    question = check_head(plain, "regression")
    family, kind = of_type(question, "family", str), of_type(question, "class_type", str)
    if family not in FAMILIES or kind not in _LABELS:
        raise ValueError(f"its family is {family!r:.40}, its labels are of type {kind!r:.40}")
    classes = of_type(question, "classes", list)
    labels = tuple(map(_LABELS[kind], classes))
    fits = (len(labels) == 2 or (len(labels) > 2 and family != "logistic")) if family in LABELLED else not labels
    if not fits or list(map(str, labels)) != classes or len(set(classes)) < len(classes):
        raise ValueError(f"its classes are {classes!r:.80}")
    ended, proof = ended_of(plain), plain["proof"]
    if (proof is None) != (ended is not None):
        raise ValueError("it holds a proof and says that the search ended before, or neither")
    return {
        "verdict": "not verified",
        "family": family,
        "link": link_of(family, of_type(question, "link", str)),
        "n_rows": count(question, "rows"),
        "n_features": count(question, "columns"),
        "fit_intercept": of_type(question, "intercept", bool),
        "classes": labels,
        "formula": of_type(question, "formula", str) if "formula" in question else "",
        "proof": None if proof is None else separation_of(of_type(plain, "proof", dict)),
        "ended": ended,
        "_digest": plain["sha256"],
        "_stored_as": plain["numbers"],
    }
