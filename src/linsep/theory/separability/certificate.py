"""What `separability` answers: a view of the proof about the rows s_i (x_i, 1), and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from linsep.tables import labelled_table
from linsep.theory.cone.opposite_rows import contradiction
from linsep.theory.margin.geometry import class_signs, names_of
from linsep.theory.margin.max_margin import MarginBracket, first_bracket
from linsep.theory.proof import (
    FORMAT,
    Combination,
    check_head,
    cone_of,
    data_digest,
    ended_of,
    forget_words,
    malformed_proves_nothing,
    plain_cone,
)
from linsep.theory.rows.deadline import why_ended
from linsep.theory.rows.fragile import is_fragile
from linsep.theory.rows.json_values import count, of_type, read
from linsep.theory.verify.cone import CertificateError, ConeProof, Rows, Vector, verify
from linsep.theory.vipr import Cone, InVipr
from linsep.theory.words.of_classes import html_of, rows_of_file, summary_of
from linsep.types import Array, Hyperplane, Verdict


@dataclass(frozen=True, repr=False, eq=False)
class Separability(InVipr):
    """A verdict on rows of two classes, and its proof: all that it says follows from `proof` once `verify` has passed.

    Attributes
    ----------
    proof : ConeProof
        Which of the signed rows y_i (x_i, 1) some direction separates.
    n_features : int
        Columns of the rows.
    fit_intercept : bool
        Whether b may differ from 0.
    classes : tuple of str
        The names of the negative and of the positive class; () if they are the labels in sorted order.
    ended : str, float or None
        What ended the search before all was decided: a time limit in seconds, "interrupt", or None.
    digest, numbers : str
        SHA-256 of the rows, the labels and the question, and whether it is of "doubles" or of "rationals", if this was
        read from JSON.
    about : (X, y) or None
        The rows and labels as they were given, not copied: who changes them in place afterwards has to ask again. None
        if this was read from JSON and not yet verified.
    left_out : tuple of int
        Rows of a file that are no part of the question (no label, or a missing value), in ascending order. Words name
        rows by their numbers in that file, counted from 0; all other parts count the rows that are left.
    verified : bool
        Whether `verify` has checked it since it was made or read.
    """

    proof: ConeProof
    n_features: int
    fit_intercept: bool = True
    classes: tuple[str, ...] = ()
    ended: str | float | None = None
    digest: str = ""
    numbers: str = ""
    about: tuple[Any, Any] | None = None
    left_out: tuple[int, ...] = ()
    verified: bool = field(default=False, init=False)

    # ------------------------------------------------- what follows from the proof
    @property
    def n_rows(self) -> int:
        """Rows that it is about."""
        return self.proof.n_rows

    @property
    def verdict(self) -> Verdict:
        """What is proved: "separable", "quasi-separable", "inseparable", "not-separable" or "undecided"."""
        proof = self.proof
        if not len(proof.left):
            return "separable"
        if proof.basis is None and not proof.weights:
            return "undecided"
        if len(proof.left) < proof.n_rows:
            return "quasi-separable"
        return "not-separable" if proof.basis is None else "inseparable"

    @property
    def maximal(self) -> bool:
        """Whether it is proved that no direction separates more than `separated_rows`."""
        return not len(self.proof.left) or self.proof.basis is not None

    @property
    def rows_left(self) -> Array:
        """Rows that no direction takes away, in ascending order: if `maximal`, all are 0 under every direction."""
        return np.asarray(self.proof.left, dtype=np.int64)

    @property
    def separated_rows(self) -> Array:
        """Rows, counted from 0, that some direction has strictly on their side; all of these if `maximal`."""
        return self.proof.separated

    @property
    def directions(self) -> tuple[Hyperplane, ...]:
        """Python integers, in turn: y_i (w.x_i + b) >= 0 on the rows left by those before, > 0 on those taken away."""
        planes = []
        for d in self.proof.directions:
            w = np.zeros(self.n_features, dtype=object)
            for j, v in d.items():
                if j < self.n_features:
                    w[j] = v
            planes.append(Hyperplane(w, d.get(self.n_features, 0)))
        return tuple(planes)

    @cached_property
    def hyperplane(self) -> Hyperplane | None:
        """The one direction of a separable table, over a power of two where doubles hold it; else None."""
        if self.verdict != "separable" or len(self.proof.directions) != 1:
            return None
        plane, d = self.directions[0], self.proof.directions[0]
        unit = 1 << max(map(abs, d.values())).bit_length()
        if any(not _is_quotient(v, unit) for v in d.values()):
            return plane
        return Hyperplane(np.array([v / unit for v in plane.w.tolist()]), plane.b / unit)

    @property
    def overlap(self) -> Combination | None:
        """Rows left, with positive weights that bring them to 0, which span all rows left: no direction moves these."""
        return None if self.proof.basis is None else self._combination

    @property
    def null(self) -> tuple[Vector, ...]:
        """A basis of the vectors orthogonal to the rows left, if there is an `overlap`; the constant comes last."""
        return self.proof.null

    @cached_property
    def witness(self) -> Combination | None:
        """Signed rows that add up to 0: two rows if two are opposite, else those with weights. No strict separator."""
        if not self.proof.weights or self.about is None or len(self.proof.weights) <= 2:
            return self._combination
        X, s = self._signed
        pair = contradiction(X, s, self.rows_left)
        return Combination(pair, (1, 1)) if pair else self._combination

    @property
    def _combination(self) -> Combination | None:
        weights = self.proof.weights
        return Combination.of(weights, self.proof.within) if weights else None

    @property
    def reason(self) -> str:
        """Why the search ended before all was decided."""
        return "" if self.maximal else why_ended(self.ended)

    @cached_property
    def margin(self) -> MarginBracket | None:
        """A first bracket of the geometric margin; `max_margin` closes it. None where the rows are not known."""
        if self.about is None or self.hyperplane is None:
            return None
        return first_bracket(*self._signed, self.hyperplane, self.fit_intercept)

    @cached_property
    def fragile(self) -> bool:
        """Whether half a unit in the last place of doubles that are no integers could change the verdict.

        False where the rows are not known.
        """
        if self.about is None or self.verdict == "undecided":
            return False
        return is_fragile(*self._signed, self.fit_intercept, self.proof)

    @cached_property
    def _signed(self) -> tuple[Any, Array]:
        """The rows that it was made of and their signs."""
        assert self.about is not None
        return self.about[0], class_signs(self.about[1], self.classes)

    def named(self, classes: tuple[str, ...], y: Any) -> Separability:
        """Return the same about labels by name.

        Parameters
        ----------
        classes : tuple of str
            The negative and the positive class.
        y : array-like of shape (n_samples,)
            The labels of its rows.

        Returns
        -------
        Separability
            The same proof.
        """
        assert self.about is not None
        return replace(self, classes=classes, about=(self.about[0], y))

    def in_file(self, rows: Any) -> Array:
        """Return the numbers that rows of the certificate have in the file, rows left out counted too.

        Parameters
        ----------
        rows : array-like of int
            Rows as the certificate counts them, from 0.

        Returns
        -------
        ndarray of int
            Their numbers in the file, from 0: with row 0 left out, rows 0 and 1 are 1 and 2.
        """
        return rows_of_file(rows, self.left_out or None)

    # ---------------------------------------------------------------- the check
    def verify(self, X: Any, y: Any) -> None:
        """Check the proof against the rows, in exact arithmetic; they must not change meanwhile.

        Parameters
        ----------
        X : array or SciPy CSR matrix of shape (n_samples, n_features)
            The rows that the verdict is about.
        y : array-like of shape (n_samples,)
            Their labels, by the names of `classes`. Other labels are of the first class if that is "not " and the
            second.

        Raises
        ------
        CertificateError
            A part does not prove what it says, or these are other rows.
        """
        with malformed_proves_nothing():
            self._check(X, y)
            forget_words(self)
            _ = self.digest and self.fragile  # of what was read, about the rows as they are now
        object.__setattr__(self, "verified", True)

    def _check(self, X: Any, y: Any) -> None:
        if self.about is None or X is not self.about[0] or y is not self.about[1]:
            X = labelled_table(X, y)
        if X.shape != (self.n_rows, self.n_features):
            raise CertificateError(f"this certificate is about {self.n_rows} x {self.n_features} rows")
        s = class_signs(y, self.classes)
        if self.digest:
            said = data_digest(X, s, fit_intercept=self.fit_intercept, classes=self.classes)
            if said != (self.digest, self.numbers):
                raise CertificateError("this certificate is about other rows, labels or options: their hash differs")
        if verify(Rows(X, s, self.fit_intercept), self.proof) is not self.maximal:
            raise CertificateError("the proof shows less than it says")
        object.__setattr__(self, "about", (X, y))

    # -------------------------------------------------------------------- words
    def summary(self, first: int = 0) -> str:
        """Return the verdict and its reason in words.

        Parameters
        ----------
        first : int, default=0
            The number of the first row: people count from 1.

        Returns
        -------
        str
            A sentence. It says from where rows are counted.

        Examples
        --------
        >>> Separability(ConeProof(3), 1).summary()
        'separable: a hyperplane puts each of the 3 rows on the side of its class, checked exactly'
        """
        return ("as read, not verified: " if self.digest and not self.verified else "") + summary_of(self, first)

    def __repr__(self) -> str:
        return f"<Separability {self.summary()}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the certificate, and what follows from it in words.

        Integers keep all their digits, those beyond 2^53 as hexadecimal text. Rows are counted without those left out,
        but in `file_rows`.
        """
        said = {"verdict": self.verdict, "summary": self.summary(), "reason": self.reason, "fragile": self.fragile}
        margin = {"margin": self.margin.to_dict() if self.margin else None}
        return {**said, **margin, **self._file_rows(), **self._certificate()}

    def _file_rows(self) -> dict[str, Any]:
        """Where rows were left out, the numbers in the file of the rows that people look at."""
        if not self.left_out:
            return {}
        rows = {} if self.witness is None else {"witness": self.in_file(self.witness.rows).tolist()}
        if self.verdict == "quasi-separable":
            rows["separated_rows"] = self.in_file(self.separated_rows).tolist()
        return {"file_rows": rows}

    def _certificate(self) -> dict[str, Any]:
        digest, numbers, classes = self.digest, self.numbers, self.classes
        if self.about is not None:
            X, s = self._signed
            classes = classes or names_of(self.about[1])
            digest, numbers = data_digest(X, s, fit_intercept=self.fit_intercept, classes=classes)
        question = {
            "about": "classes",
            "rows": self.n_rows,
            "columns": self.n_features,
            "intercept": self.fit_intercept,
            "classes": list(classes),
        }
        return {
            "format": FORMAT,
            "sha256": digest,
            "numbers": numbers,
            "question": question,
            **({"rows_left_out": list(self.left_out)} if self.left_out else {}),
            "ended": self.ended,
            "proof": plain_cone(self.proof),
        }

    def to_json(self) -> str:
        """Return the certificate as JSON; `examples/verify_certificate.py` checks it without this library."""
        return json.dumps(self._certificate(), allow_nan=False)

    def _cone(self) -> Cone | None:
        if self.about is None:
            return None
        names = [f"x{j}" for j in range(self.n_features)] + ["b"] * self.fit_intercept
        rows = Rows(*self._signed, self.fit_intercept)
        return Cone(rows, self.proof, names, self.in_file(range(self.n_rows)), planes=True)

    @classmethod
    def from_json(cls, text: str) -> Separability:
        """Read what `to_json` wrote; `verify` then also checks that the rows are those it was about.

        Parameters
        ----------
        text : str
            The JSON text.

        Returns
        -------
        Separability
            The certificate, not yet verified.

        Raises
        ------
        DataError
            The text is no certificate.
        """
        return read(text, cls.from_dict)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Separability:
        """Return the certificate of plain values, as JSON has them; it is not yet verified.

        Parameters
        ----------
        plain : dict
            The values; what only says what follows from others is not looked at.

        Returns
        -------
        Separability
            The certificate.

        Raises
        ------
        KeyError, TypeError, ValueError
            A part is missing, or has the wrong form.
        """
        if "one_against_rest" in plain:
            raise ValueError("it holds a certificate for each class: `verify_certificate` reads all of them")
        question = check_head(plain, "classes")
        classes = of_type(question, "classes", list)
        if len(classes) != 2 or not all(type(name) is str for name in classes) or classes[0] == classes[1]:
            raise ValueError("its classes are not two different names")
        proof = cone_of(of_type(plain, "proof", dict))
        if count(question, "rows") != proof.n_rows:
            raise ValueError("its proof is about another number of rows")
        return cls(
            proof,
            count(question, "columns"),
            of_type(question, "intercept", bool),
            tuple(classes),
            ended_of(plain),
            plain["sha256"],
            plain["numbers"],
        )


def _is_quotient(v: int, unit: int) -> bool:
    """Whether a double is v / unit."""
    top, bottom = (v / unit).as_integer_ratio()
    return top * unit == v * bottom
