"""One regression: its data, the inequalities that decide whether it is separated, and what a proof says about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from linsep.regression.design import Design, constant_columns
from linsep.tables import check_length, dense, exact_table
from linsep.theory.proof import data_digest
from linsep.theory.separation.families import LABELLED, ORDERED, Family, Outcome
from linsep.theory.separation.likelihood import FITTED
from linsep.theory.separation.model_rows import ModelRows, model_rows, with_constant
from linsep.theory.verify.cone import Rows
from linsep.theory.verify.consequences import SeparationProof, coefficients
from linsep.theory.words.of_regressions import estimate
from linsep.types import Array, RowError

# Questions of earlier versions, whose hash stays as it was.
_PLAIN = (("logistic", "logit"), ("poisson", "log"), ("multinomial", "logit"))
_MOST_ENTRIES = 20_000_000
Verdict = Literal["complete", "quasi-complete", "overlap", "undecided", "not verified"]


@dataclass(frozen=True, eq=False)
class Asked:
    """What a question is about: a design, a response with its columns, and the model.

    `printed` is what a fit of it gave: name of a coefficient -> estimate and standard error; `dropped` are the places
    of the rows with all values that it left out. `about` is what a paper calls it, where that is known: the response or
    the formula, and the model of a package.
    """

    design: Design
    outcome: Outcome
    fit_intercept: bool
    family: Family
    link: str
    printed: Mapping[Any, tuple[float, float]] = field(default_factory=dict)
    dropped: tuple[int, ...] | None = None
    about: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> ModelRows:
        """The inequalities z.d >= 0 that decide about separation.

        Raises
        ------
        DataError
            Shapes that do not match, numbers that are not finite, a response that the family does not allow.
        """
        try:
            return model_rows(self.design.X, self.outcome, self.design.names, self.family, self.fit_intercept)
        except RowError as error:
            raise error.among(self.design.places) from None

    @property
    def is_fitted(self) -> bool:
        """Whether there is a likelihood for it here."""
        return (self.family, self.link) in FITTED or self._picks_one

    @property
    def _picks_one(self) -> bool:
        """Whether one row of each stratum is a case, or one class that of each row, and all count alike."""
        outcome, n = self.outcome, self.design.X.shape
        if outcome.weights is not None and not np.isin(outcome.weights, (0, 1)).all():
            return False
        if self.family == "conditional":
            strata, case = np.unique(outcome.stratum, return_inverse=True)[1], (outcome.y > 0) & outcome.compared
            return int(np.bincount(strata, case).max()) < 2
        n_classes = len(np.unique(outcome.y)) if self.family == "multinomial" else 0
        return 0 < n[0] * (n[1] + 1) * n_classes**2 <= _MOST_ENTRIES and outcome.offset is None

    def as_fitted(self) -> Asked:
        """The question itself, or a Cox model in strata with the same likelihood if one of each stratum is picked.

        In a multinomial model row i is a stratum with a row (0, ..., 0, x_i, 0, ..., 0) for each class, of which that
        of its own class is picked (McFadden 1974).
        """
        if (self.family, self.link) in FITTED or not self._picks_one:
            return self
        design, outcome = self.design, self.outcome
        strata, weights = outcome.strata, outcome.weights
        case: Array
        if self.family == "conditional":
            case = (outcome.y > 0) & outcome.compared
        else:
            X = dense(with_constant(design.X) if self.fit_intercept else design.X)
            (n, p), k = X.shape, len(self.rows.classes)
            wide = np.zeros((n, k, k - 1, p), dtype=X.dtype)
            for other in range(1, k):
                wide[:, other, other - 1] = X
            powers: Any = {name: design.powers[name[1]] for name in self.rows.names if name[1] in design.powers}
            design = Design(wide.reshape(n * k, -1), self.rows.names, design.levels, {}, powers=powers)
            strata, case = np.repeat(np.arange(n), k), (outcome.y[:, None] == self.rows.classes).ravel()
            weights = None if weights is None else np.repeat(weights, k)
        event = case.astype(np.float64)
        picked = Outcome(2.0 - case, weights=weights, event=event, strata=strata, offset=outcome.offset)
        return replace(self, design=design, family="cox", link="log", outcome=picked, fit_intercept=True)

    def owners(self, proof: SeparationProof) -> tuple[Array, Array]:
        """The rows of the data of which some inequality is separated, and those of which some is not."""
        left = np.isin(np.arange(len(self.rows.owner)), np.asarray(proof.cone.left, dtype=np.int64))
        return np.unique(self.rows.owner[~left]), np.unique(self.rows.owner[left])

    def shown(self, proof: SeparationProof | None, ask: Callable[[], object] = lambda: None) -> dict[str, Any]:
        """What the data and a proof say, once it is checked, by the names that a `Separation` has for it.

        `ask` is called between the steps of the check: an error that it raises ends it.

        Raises
        ------
        CertificateError
            A part of the proof does not prove what it says.
        """
        if proof is None:
            return self._described() | {"verdict": "undecided"}
        rows, at = self.rows, self.design.places
        said = coefficients(Rows(rows.Z, equal=rows.equal, ask=ask), proof)
        separated = proof.cone.separated
        every = np.setdiff1d(*self.owners(proof))
        pairs: list[tuple[int, Any]] = []
        if self.family == "multinomial":
            rivals = rows.classes[rows.rival[separated]].tolist()
            pairs = list(zip(at[rows.owner[separated]].tolist(), rivals, strict=True))
        shown, fixed_effects = self._apart(said)
        return self._described() | {
            "verdict": "overlap" if not separated.size else "quasi-complete" if len(proof.cone.left) else "complete",
            "separated_rows": tuple(at[every].tolist()),
            "coefficients": shown,
            "fixed_effects": fixed_effects,
            "pairs": tuple(pairs),
            "rank": proof.rank(rows.Z.shape[1]),
        }

    def _described(self) -> dict[str, Any]:
        """What the data alone say."""
        design, kept = self.design, self.outcome.kept
        n_rows, n_features = design.X.shape
        gone = np.setdiff1d(np.arange(n_rows + design.n_missing), design.places).tolist()
        return {
            "family": self.family,
            "link": self.link,
            "n_rows": n_rows,
            "left_out": n_rows - int(kept.sum()),
            "n_features": n_features,
            "fit_intercept": self.fit_intercept,
            "classes": tuple(self.rows.classes.tolist()),
            "references": design.references,
            "constant_columns": constant_columns(design, kept),
            "levels": design.levels,
            "formula": design.formula,
            "n_missing": design.n_missing,
            "missing_rows": () if design.formula else tuple(gone),  # a formula says which they are
        }

    def _apart(self, said: list[str | float]) -> tuple[dict[Any, str | float], dict[str, dict[str, int]]]:
        """What is said of each coefficient, and of the fixed effects how often: effect -> estimate -> how many."""
        shown: dict[Any, str | float] = {}
        counts: dict[str, Counter[str]] = {}
        for name, value in zip(self.rows.names, said, strict=True):
            effect = self.design.absorbed.get(name[1] if isinstance(name, tuple) else name)
            if effect is None:
                shown[name] = value
            else:
                counts.setdefault(effect, Counter())[estimate(value)] += 1
        return shown, {effect: dict(count) for effect, count in counts.items()}


def response_named(name: Any) -> tuple[str, ...]:
    """What a paper calls a response that has a name."""
    return (f"response {name}",) if isinstance(name, str) else ()


def data_hash(asked: Asked) -> tuple[str, str]:
    """The SHA-256 of a design, its response and the intercept, and whether it is of "doubles" or of "rationals".

    The response is hashed as signs for a logistic model (as `separability` does), as class numbers for a multinomial
    one, both with the names of the classes, and as counts for a Poisson one. Of any other question the names of the
    family, the link and the columns beside the response stand before those of the classes, and all columns are
    hashed as doubles, the response first.
    """
    outcome, family, link = asked.outcome, asked.family, asked.link
    X, y = exact_table(asked.design.X), outcome.y
    check_length(X, y)
    labels, codes = np.unique(y, return_inverse=True) if family in LABELLED else (np.empty(0), y)
    beside = outcome.beside
    if beside or (family, link) not in _PLAIN:
        told = ["family", family, "link", link, "columns", *beside, "classes", *labels.tolist()]
        told += ["order", *outcome.classes.tolist()] if family in ORDERED else []
        every = np.array([codes.reshape(-1), *beside.values()], dtype=np.float64)
        return data_digest(X, every, "<f8", fit_intercept=asked.fit_intercept, classes=told)
    kind, coded = {"logistic": ("i1", 2 * codes - 1), "multinomial": ("<i4", codes)}.get(family, ("<f8", y))
    return data_digest(X, coded.reshape(-1), kind, fit_intercept=asked.fit_intercept, classes=labels.tolist())
