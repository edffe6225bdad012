"""What `fewest_rows` answers: two bounds with their proofs, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from linsep.as_given import labels_of
from linsep.markup import table_html
from linsep.tables import labelled_table
from linsep.theory.margin.geometry import class_signs, names_of
from linsep.theory.proof import (
    FORMAT,
    Combination,
    check_head,
    forget_words,
    malformed_proves_nothing,
    plain_weights,
    weights_of,
    without_words,
)
from linsep.theory.rows.fragile import exact_inputs, signed_rows, weights_move
from linsep.theory.rows.json_values import count, from_plain, of_type, read, row_list, to_plain
from linsep.theory.separability.certificate import Separability
from linsep.theory.verify.cone import CertificateError, Rows
from linsep.theory.verify.consequences import rows_to_go
from linsep.theory.words.of_classes import about_of, with_mark
from linsep.types import Array

_SHOWN = 20  # rows that are listed


@dataclass(frozen=True, repr=False)
class FewestRows:
    """At least `lower` and at most `upper` rows must be removed to make the rest separable; both are proved.

    With `kept_class` all of them are of the other class: so many rows of it are in a half-space that has all of one.

    Attributes
    ----------
    removed : tuple of int
        Rows, in ascending order, whose removal is enough; each class keeps a row.
    rest : Separability
        The certificate that the other rows are separable, counted without those removed.
    witnesses : tuple of Combination
        Sets of rows with positive weights that bring the signed rows to 0: one row of each has to go.
    proof : dict
        How L follows from the witnesses: see `linsep.theory.verify.consequences.fewest`.
    n_rows : int
    fit_intercept : bool
    kept_class : 1, -1 or 0
        The sign of the rows of the class that keeps all; 0 if both may lose rows.
    about : (X, signs) or None
        The rows and their signs; None if this was read from JSON and not yet verified.
    """

    removed: tuple[int, ...]
    rest: Separability
    witnesses: tuple[Combination, ...]
    proof: dict[str, Any]
    n_rows: int
    fit_intercept: bool = True
    kept_class: int = 0
    about: tuple[Any, Array] | None = field(default=None, compare=False)

    @cached_property
    def fragile(self) -> bool:
        """Whether half a unit in the last place of doubles that are no integers could change a bound.

        False where the rows are not known.
        """
        if self.about is None or exact_inputs(self.about[0]):
            return False
        X, s = self.about
        rows = signed_rows(X, s, self.fit_intercept)
        used = (self.witnesses[k].as_dict() for k in sorted(_named(self.proof)))
        return self.rest.fragile or any(weights_move(rows, witness) for witness in used)

    @cached_property
    def lower(self) -> int:
        """L: no set of fewer rows is enough, once the proof is verified."""
        return _claimed(self.proof)

    @property
    def upper(self) -> int:
        """U, the number of rows removed."""
        return len(self.removed)

    @property
    def exact(self) -> bool:
        """Whether L = U."""
        return self.lower == self.upper

    def summary(self) -> str:
        """Say the bracket in a sentence.

        Examples
        --------
        >>> from linsep.theory.explanation.fewest_rows import fewest_rows
        >>> fewest_rows([[0], [1], [1], [2]], [0, 1, 0, 1]).summary()
        'exactly 1 of 4 rows must be removed to make the rest separable'
        """
        unsure = "as read, not verified: " if self.about is None else ""
        where = "" if self.fit_intercept else " (no intercept)"
        return with_mark(unsure + about_of(self.rest) + self._bracket() + where, self.fragile)

    def _bracket(self) -> str:
        if not self.upper:
            return f"no row needs to be removed: the {self.n_rows:,} rows are separable"
        bounds = f"exactly {self.upper:,}" if self.exact else f"at least {self.lower:,} and at most {self.upper:,}"
        stay = f", if all of {self._kept()} stay" * bool(self.kept_class)
        return f"{bounds} of {self.n_rows:,} rows must be removed to make the rest separable{stay}"

    def _kept(self) -> str:
        """The class that keeps all its rows."""
        if self.rest.classes or self.rest.about is None:
            return repr(self.rest.classes[int(self.kept_class > 0)])
        return repr(names_of(self.rest.about[1])[int(self.kept_class > 0)])

    def __repr__(self) -> str:
        return f"<FewestRows {self.summary()}>"

    def _repr_html_(self) -> str:
        gone = ", ".join(map(str, self.removed[:_SHOWN])) + ", ..." * (self.upper > _SHOWN)
        rows = [("rows", self.summary()), ("these are enough, counted from 0", gone or "none")]
        return table_html("fewest rows to remove", rows)

    def verify(self, X: Any, y: Any) -> None:
        """Raise CertificateError unless both bounds are proved for these rows, in exact arithmetic.

        Parameters
        ----------
        X : array or SciPy CSR matrix of shape (n_samples, n_features)
            The rows that `fewest_rows` was given.
        y : array-like of shape (n_samples,)
            Their labels, by the names of `rest.classes` if it has names.

        Raises
        ------
        CertificateError
            What does not hold.
        """
        with malformed_proves_nothing():
            self._check(X, y)
            forget_words(self)
            _ = self.rest.digest and self.fragile  # of what was read, about the rows as they are now

    def _check(self, X: Any, y: Any) -> None:
        X = labelled_table(X, y)
        y = labels_of(y)
        if X.shape[0] != self.n_rows:
            raise CertificateError(f"the proof is about {self.n_rows:,} rows, these are {X.shape[0]:,}")
        if self.rest.fit_intercept is not self.fit_intercept:
            raise CertificateError("one part of the proof has an intercept and the other has none")
        gone = np.array(self.removed, dtype=np.int64)
        if np.unique(gone).size != gone.size or (gone.size and not 0 <= gone.min() <= gone.max() < self.n_rows):
            raise CertificateError("the rows removed are not different rows of the table")
        kept = np.setdiff1d(np.arange(self.n_rows), gone)
        if self.rest.verdict != "separable":
            raise CertificateError("the rows that are left are not proved to be separable")
        self.rest.verify(X[kept], y[kept])
        s = class_signs(y, self.rest.classes)
        if (s[gone] == self.kept_class).any():
            raise CertificateError("a row removed is of the class that keeps all its rows")
        witnesses = [witness.as_dict() for witness in self.witnesses]
        rows_to_go(Rows(X, s, self.fit_intercept), witnesses, self.proof, self.kept_class)
        object.__setattr__(self, "about", (X, s))

    def named(self, classes: tuple[str, str], y: Any) -> FewestRows:
        """Return the same with names for the negative and the positive class.

        Parameters
        ----------
        classes : (str, str)
            The names; "not a" and "a" set one class against all others.
        y : array of shape (n_samples,)
            The class of each row by name.

        Returns
        -------
        FewestRows
            Its certificate is about these labels.

        Examples
        --------
        >>> from linsep.theory.explanation.fewest_rows import fewest_rows
        >>> found = fewest_rows([[0], [1], [1], [2]], [0, 1, 0, 1]).named(("no", "yes"), ["no", "yes", "no", "yes"])
        >>> found.rest.classes, found.upper
        (('no', 'yes'), 1)
        """
        return replace(self, rest=self.rest.named(classes, np.delete(labels_of(y), self.removed)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the certificate, and what follows from it."""
        question = {"about": "fewest rows", "rows": self.n_rows, "intercept": self.fit_intercept}
        return {
            "summary": self.summary(),
            "fragile": self.fragile,
            "at_least": self.lower,
            "at_most": self.upper,
            "format": FORMAT,
            "question": question | ({"keep": self.kept_class} if self.kept_class else {}),
            "removed": list(self.removed),
            "rest": self.rest.to_dict(),
            "witnesses": [plain_weights(witness.as_dict()) for witness in self.witnesses],
            "proof": _plain_proof(self.proof),
        }

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        return json.dumps(without_words(self.to_dict()), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> FewestRows:
        """Read what `to_json` wrote; it is not yet verified.

        Parameters
        ----------
        text : str
            The JSON text.

        Returns
        -------
        FewestRows
            The bracket with its proofs.

        Raises
        ------
        DataError
            The text is no such certificate.
        """
        return read(text, cls.from_dict)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> FewestRows:
        """Return the certificate of the plain values that `to_dict` gave; it is not yet verified.

        Parameters
        ----------
        plain : dict
            The values, as JSON has them.

        Returns
        -------
        FewestRows
            The bracket with its proofs.

        Raises
        ------
        KeyError, TypeError, ValueError
            A part is missing or has the wrong form.
        """
        question = check_head(plain, "fewest rows")
        n = count(question, "rows")
        return cls(
            removed=tuple(row_list(plain["removed"], n, "its removed rows")),
            rest=Separability.from_dict(of_type(plain, "rest", dict)),
            witnesses=tuple(Combination.of(weights_of(one, n)) for one in of_type(plain, "witnesses", list)),
            proof=_proof_of(plain["proof"]),
            n_rows=n,
            fit_intercept=of_type(question, "intercept", bool),
            kept_class=_sign(question["keep"]) if "keep" in question else 0,
        )


def _sign(plain: Any) -> int:
    if type(plain) is not int or plain not in (1, -1):
        raise ValueError("the class that keeps all its rows is 1 or -1")
    return plain


def _claimed(proof: Mapping[str, Any]) -> int:
    """The number of rows that a proof shows, if it is one."""
    if "weights" in proof:
        return int(-(-sum(proof["weights"].values()) // proof["unit"]))
    return 1 + min(map(_claimed, proof["without"]), default=0)


def _named(proof: Mapping[str, Any]) -> set[int]:
    """The witnesses that a proof uses."""
    return set(proof["weights"]) if "weights" in proof else {proof["witness"]}.union(*map(_named, proof["without"]))


def _plain_proof(proof: dict[str, Any]) -> dict[str, Any]:
    """Weights as two lists, as keys of JSON are text."""
    if "weights" in proof:
        weights = proof["weights"]
        return {"unit": to_plain(proof["unit"]), "witnesses": list(weights), "weights": list(weights.values())}
    return {"witness": proof["witness"], "without": [_plain_proof(part) for part in proof["without"]]}


def _proof_of(plain: Any) -> dict[str, Any]:
    if not isinstance(plain, dict):
        raise ValueError("a part of the proof is not an object")
    if "weights" in plain:
        numbers, weights = of_type(plain, "witnesses", list), of_type(plain, "weights", list)
        pairs = [(from_plain(k), from_plain(v)) for k, v in zip(numbers, weights, strict=True)]
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a witness stands twice in a part of the proof")
        unit = from_plain(plain["unit"])
        if not all(type(v) is int and v > 0 for v in [unit, *dict(pairs).values()]):
            raise ValueError("a weight of a witness is no integer above 0")
        return {"unit": unit, "weights": dict(pairs)}
    return {
        "witness": from_plain(plain["witness"]),
        "without": [_proof_of(part) for part in of_type(plain, "without", list)],
    }
