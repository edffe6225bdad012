"""One regression: its data, the inequalities that decide whether it is separated, and what a proof says about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linsep.regression.design import Design, separated_levels
from linsep.tables import check_length, exact_table, holds_doubles
from linsep.theory.separability.digest import data_digest
from linsep.theory.separation.model_rows import Family, ModelRows, model_rows
from linsep.theory.separation.sentences import estimate
from linsep.theory.verify.separation import SeparationProof, verify_proof
from linsep.types import Array

Verdict = Literal["complete", "quasi-complete", "overlap", "undecided"]


@dataclass(frozen=True, eq=False)
class Regression:
    """A family, a design and a response; `rows` are the inequalities z.d >= 0 that decide about separation."""

    family: Family
    design: Design
    y: Array
    fit_intercept: bool
    rows: ModelRows

    @classmethod
    def of(cls, design: Design, y: Array, family: Family, fit_intercept: bool) -> Regression:
        """Check the data and write them as inequalities.

        Raises
        ------
        DataError
            Shapes that do not match, numbers that are not finite, a response that the family does not allow.
        """
        rows = model_rows(design.X, y, design.names, family, fit_intercept)
        return cls(family, design, y, fit_intercept, rows)

    def described(self) -> dict[str, Any]:
        """What the data alone say, by the names that a `Separation` has for it."""
        n_rows, n_features = self.design.X.shape
        return {
            "family": self.family,
            "n_rows": n_rows,
            "n_features": n_features,
            "fit_intercept": self.fit_intercept,
            "classes": tuple(self.rows.classes.tolist()),
            "references": self.design.references,
            "levels": self.design.levels,
            "formula": self.design.formula,
            "n_left_out": self.design.n_left_out,
        }

    def shown(self, proof: SeparationProof) -> dict[str, Any]:
        """What a proof says, once it is checked, by the names that a `Separation` has for it.

        Raises
        ------
        CertificateError
            A part of the proof does not prove what it says.
        """
        rows = self.rows
        said = verify_proof(rows.Z, rows.equal, proof)
        separated = np.zeros(len(rows.owner), dtype=bool)
        separated[list(proof.separated)] = True
        whole = np.ones(rows.owner[-1] + 1, dtype=bool)
        whole[rows.owner[~separated]] = False
        labels = rows.classes.tolist()
        pairs = zip(rows.owner[separated].tolist(), rows.rival[separated].tolist(), strict=True)
        every = tuple(np.flatnonzero(whole).tolist())
        coefficients, fixed_effects = self._apart(said)
        at = np.arange(rows.owner[-1] + 1) if self.design.rows is None else self.design.rows
        return {
            "verdict": "complete" if separated.all() else "quasi-complete" if separated.any() else "overlap",
            "separated_rows": tuple(at[list(every)].tolist()),
            "coefficients": coefficients,
            "fixed_effects": fixed_effects,
            "pairs": tuple((int(at[k]), labels[rival]) for k, rival in pairs) if self.family == "multinomial" else (),
            "rank": proof.rank(rows.Z.shape[1]),
            "separated_levels": separated_levels(self.design, every),
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


def data_hash(family: Family, X: Any, y: Array, fit_intercept: bool) -> tuple[str, str]:
    """The SHA-256 of a design, its response and the intercept, and whether it is of "doubles" or of "rationals".

    The response is hashed as signs for a logistic model (as `separability` does), as class numbers for a multinomial
    one, both with the names of the classes, and as counts for a Poisson one.
    """
    X = exact_table(X)
    check_length(X, y)
    numbers = "doubles" if holds_doubles(X) else "rationals"
    if family == "poisson":
        return data_digest(X, y, "<f8", fit_intercept=fit_intercept, classes=()), numbers
    labels, codes = np.unique(y, return_inverse=True)
    kind, coded = ("i1", 2 * codes - 1) if family == "logistic" else ("<i4", codes)
    asked = {"fit_intercept": fit_intercept, "classes": labels.tolist()}
    return data_digest(X, coded.reshape(-1), kind, **asked), numbers
