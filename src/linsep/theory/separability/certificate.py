"""What `separability` answers: a verdict with the parts that prove it, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from linsep.tables import check_length, exact_table, holds_doubles
from linsep.theory.margin.max_margin import MarginBracket
from linsep.theory.rows.fragile import REMEDY
from linsep.theory.rows.json_values import read, same_words
from linsep.theory.rows.left_out import rows_of_file
from linsep.theory.separability.as_plain import (
    FORMAT,
    NEAR_FORMAT,
    parts_of,
    plain_combination,
    plain_direction,
    plain_plane,
    plain_vector,
)
from linsep.theory.separability.combination import Combination, NearCombination
from linsep.theory.separability.digest import data_digest
from linsep.theory.separability.first_bracket import first_bracket, is_bracket
from linsep.theory.separability.fragile import is_fragile
from linsep.theory.separability.named_classes import class_signs, names_of
from linsep.theory.separability.near_as_plain import plain_near_weights
from linsep.theory.separability.words import html_of, summary_of
from linsep.theory.verify.near_weights import NearWeights, verify_near_weights
from linsep.theory.verify.separability import CertificateError, verify_directions, verify_overlap, verify_witness
from linsep.types import Array, DataError, Hyperplane, Verdict


@dataclass(frozen=True, repr=False, eq=False)
class Separability:
    """A verdict on the rows it was asked about, and its proof.

    Attributes
    ----------
    verdict : "separable", "quasi-separable", "inseparable", "not-separable" or "undecided"
    n_rows : int
        Rows that it is about.
    n_features : int
        Their columns.
    fit_intercept : bool
        Whether b may differ from 0.
    hyperplane : Hyperplane or None
        Every y_i (w.x_i + b) > 0. Doubles, unless no double near it separates: then Python integers, or None where
        those would be very long and only `directions` prove it.
    directions : tuple of Hyperplane
        Python integers, checked in turn: each has y_i (w.x_i + b) >= 0 on the rows that those before it left, and
        takes away those on which it is > 0.
    rows_left : ndarray of int
        The rows that no direction takes away, in ascending order: all directions are 0 on them. If there is an
        `overlap` it proves that so is every direction that has no negative margin; without one, more rows may be
        separated than `directions` show (`maximal` is False).
    witness : Combination or None
        Signed rows that add up to 0: no strict separator. At most r + 1 rows, r the rank of the signed rows, if its
        weights are exact.
    overlap, null : Combination or None, tuple of mappings column -> integer
        Rows spanning all rows left, with positive weights adding up to 0; at most twice their rank many. `null` is a
        basis of the vectors orthogonal to them (the constant is column n_features; columns that are 0 on all of them
        left out), which bounds their rank from above.
    near_weights : NearWeights or None
        What proves that exact weights exist near those of the overlap, if these are not exact (`overlap.within` is not
        0). Then they are also those of the witness, unless two rows are one.
    reason : str
        Why the search ended before all was decided.
    classes : tuple of str
        The names of the negative and of the positive class; () if they are the labels in sorted order.
    digest, numbers : str
        SHA-256 of the rows, the labels and the question, and whether it is of "doubles" or of "rationals", if this was
        read from JSON.
    about : (X, y) or None
        The rows and labels, if this was not read from JSON.
    margin : MarginBracket or None
        A first bracket of the geometric margin; `max_margin` closes it. Computed when it is asked for.
    left_out : tuple of int
        Rows of a file that are no part of the question (no label, or a missing value), in ascending order. Words name
        rows by their numbers in that file, counted from 0; all other parts count the rows that are left.
    said_fragile, said_margin : bool, tuple of two floats or None
        What the JSON says of `fragile` and of the ends of `margin`: `verify` computes both again.
    verified : bool
        Whether `verify` has checked it since it was made or read.
    fragile : bool
        Some inputs that are no integers are doubles, and half a unit in their last places could change the verdict.
        Computed when it is asked for.
    """

    verdict: Verdict
    n_rows: int
    n_features: int
    fit_intercept: bool = True
    hyperplane: Hyperplane | None = None
    directions: tuple[Hyperplane, ...] = ()
    rows_left: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    witness: Combination | None = None
    overlap: Combination | None = None
    null: tuple[Mapping[int, int], ...] = ()
    near_weights: NearWeights | None = None
    reason: str = ""
    classes: tuple[str, ...] = ()
    digest: str = ""
    numbers: str = ""
    about: tuple[Any, Any] | None = field(default=None, compare=False)  # X and y: for the hash, the margin, fragility
    left_out: tuple[int, ...] = ()
    said_fragile: bool = False  # what a file says, where there are no rows to ask
    said_margin: tuple[float, float] | None = None
    verified: bool = field(default=False, init=False)

    @cached_property
    def margin(self) -> MarginBracket | None:
        """A first bracket of the geometric margin."""
        if self.about is None or self.hyperplane is None:
            return None
        return first_bracket(*self._signed, self.hyperplane, self.fit_intercept)

    @cached_property
    def fragile(self) -> bool:
        """Whether rounding of the inputs could change the verdict."""
        return self.said_fragile if self.about is None else self._fragile_of(*self._signed)

    @cached_property
    def _signed(self) -> tuple[Any, Array]:
        """The rows that it was made of and their signs."""
        assert self.about is not None
        return self.about[0], class_signs(self.about[1], self.classes)

    def _fragile_of(self, X: Any, s: Array) -> bool:
        if self.verdict == "undecided":
            return False
        planes, left = (self.hyperplane,) if self.hyperplane else self.directions, self.rows_left
        left = left if self.directions else np.zeros(0) if self.verdict == "separable" else np.arange(self.n_rows)
        held, null = self.overlap or self.witness, self.null if self.overlap else None
        basis = None if self.near_weights is None else self.near_weights.basis
        return is_fragile(X, s, self.fit_intercept, planes, left, held, null, basis)

    @property
    def maximal(self) -> bool:
        """Whether it is proved that no direction separates more than `separated_rows`."""
        return self.verdict in ("separable", "inseparable") or (bool(self.directions) and self.overlap is not None)

    @property
    def separated_rows(self) -> Array:
        """Rows, counted from 0, that some direction has strictly on their side; all of these if `maximal`."""
        if self.verdict == "separable":
            return np.arange(self.n_rows)
        if not self.directions:
            return np.zeros(0, dtype=np.int64)
        out = np.ones(self.n_rows, dtype=bool)
        out[self.rows_left] = False
        return np.flatnonzero(out)

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

    def verify(self, X: Any, y: Any) -> None:
        """Check every part against the rows, in exact arithmetic; what JSON says of margin and fragility is recomputed.

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
            A part does not prove what it says, is missing, or proves more than the verdict says.
        """
        try:
            self._check(X, y)
        except (CertificateError, DataError):
            raise
        except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Read from a file, a part may hold what is no number at all.
            raise CertificateError(f"a part of the certificate is malformed: {error}") from error
        object.__setattr__(self, "verified", True)

    def _check(self, X: Any, y: Any) -> None:
        s = y
        if self.about is None or X is not self.about[0] or y is not self.about[1] or self.classes:
            X = exact_table(X)
            check_length(X, y)
            if X.shape != (self.n_rows, self.n_features):
                raise CertificateError(f"this certificate is about {self.n_rows} x {self.n_features} rows")
            s = class_signs(y, self.classes)
        if self.digest and self._source_of(X, s, self.classes) != (self.digest, self.numbers, self.classes):
            raise CertificateError("this certificate is about other rows, labels or options: their hash differs")
        self._complete()
        intercept, near = self.fit_intercept, self.near_weights
        witness, overlap = (part and part.as_dict() for part in (self.witness, self.overlap))
        if self.hyperplane is not None:
            verify_directions(X, s, [self.hyperplane])
        if self.directions:
            verify_directions(X, s, self.directions, self.rows_left.tolist())
        # An overlap is checked as a witness too.
        if self.witness and witness is not None and self.witness.within == 0.0 and (near or witness != overlap):
            verify_witness(X, s, witness, fit_intercept=intercept)
        among = self.rows_left if self.directions else np.arange(self.n_rows)
        if near is not None:
            verify_near_weights(X, s, near, self.null, among, fit_intercept=intercept)
        elif overlap is not None:
            verify_overlap(X, s, overlap, self.null, among, fit_intercept=intercept)
        if self.digest:
            self._check_derived(X, s)

    def _complete(self) -> None:
        """Raise unless the parts are those of the verdict, neither less nor more, and use an intercept if asked for."""
        if self.hyperplane is not None or (self.directions and not self.rows_left.size):
            proved: Verdict = "separable"
        elif self.witness is None:
            proved = "undecided"
        elif self.directions:
            proved = "quasi-separable"
        else:
            proved = "not-separable" if self.overlap is None else "inseparable"
        if proved != self.verdict:
            raise CertificateError(f"a part of the proof of {self.verdict!r} is missing: these parts prove {proved!r}")
        if (self.overlap is not None and self.witness is None) or (self.null and self.overlap is None):
            raise CertificateError("an overlap stands without a witness, or null vectors without an overlap")
        near = 0.0 if self.near_weights is None else self.near_weights.within
        if (self.overlap and self.overlap.within != near) or (self.witness and self.witness.within not in (0.0, near)):
            raise CertificateError("weights are called exact, or near exact ones, and what proves that says otherwise")
        if self.witness and self.witness.within and self.witness != self.overlap:
            raise CertificateError("the weights of the witness are not exact, and not those of the overlap")
        if self.near_weights is not None and self.overlap != NearCombination.near(self.near_weights):
            raise CertificateError("the weights of the overlap are not those that are proved to be near exact ones")
        planes = [*self.directions, *([self.hyperplane] if self.hyperplane else [])]
        if not self.fit_intercept and any(plane.b != 0 for plane in planes):
            raise CertificateError("an intercept was not asked for")

    def _check_derived(self, X: Any, s: Array) -> None:
        """Raise unless a file says of margin and fragility what the rows do."""
        plane, intercept = self.hyperplane, self.fit_intercept
        if (said := self.said_margin) is not None and (plane is None or not is_bracket(said, X, s, plane, intercept)):
            raise CertificateError(f"the margin is not between {said[0]} and {said[1]}")
        if self.said_fragile != self._fragile_of(X, s):
            raise CertificateError(f"the verdict is {'not ' if self.said_fragile else ''}fragile on these rows")

    def _source_of(self, X: Any, s: Array, classes: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
        """The hash of rows, labels and question, what it is of, and the names of the classes."""
        digest = data_digest(X, s, fit_intercept=self.fit_intercept, classes=classes)
        return digest, "doubles" if holds_doubles(X) else "rationals", classes

    def summary(self) -> str:
        """Return the verdict and its reason in words.

        Examples
        --------
        >>> Separability("separable", 3, 1).summary()
        'separable: a hyperplane puts every one of the 3 rows on its side, checked exactly'
        """
        return summary_of(self)

    def __repr__(self) -> str:
        unsure = "" if self.verified or not self.digest else "as read, not verified: "
        return f"<Separability {unsure}{self.summary()}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: integers keep all their digits, those beyond 2^53 as hexadecimal text."""
        by_rows_left = 2 * self.rows_left.size <= self.n_rows if self.directions else self.verdict == "separable"
        named = ("rows_left", self.rows_left) if by_rows_left else ("separated_rows", self.separated_rows)
        near = self.near_weights
        exact = [None if part is None or part.within else part for part in (self.witness, self.overlap)]
        return {
            "format": FORMAT if near is None else NEAR_FORMAT,
            "verdict": self.verdict,
            "summary": self.summary(),
            "rows": self.n_rows,
            "features": self.n_features,
            "fit_intercept": self.fit_intercept,
            "fragile": self.fragile,
            **self._source(),
            "hyperplane": plain_plane(self.hyperplane),
            "margin": self._plain_margin(),
            "directions": [plain_direction(plane) for plane in self.directions],
            named[0]: named[1].tolist(),
            "maximal": self.maximal,
            "witness": plain_combination(exact[0]),
            "overlap": plain_combination(exact[1]),
            "null": [plain_vector(vector) for vector in self.null],
            **({} if near is None else {"near_weights": plain_near_weights(near)}),
            "reason": self.reason,
            **self._of_file(),
        }

    def _of_file(self) -> dict[str, Any]:
        """The rows left out, and the rows of the other parts by their numbers in the file."""
        if not self.left_out:
            return {}
        parts = {"witness": self.witness, "overlap": self.overlap, "near_weights": self.near_weights}
        rows = {
            name: self.in_file(part.rows).tolist()
            for name, part in parts.items()
            if part is not None and not (isinstance(part, Combination) and part.within)
        }
        if self.verdict == "quasi-separable":
            rows["separated_rows"] = self.in_file(self.separated_rows).tolist()
        return {"rows_left_out": list(self.left_out), "file_rows": rows}

    def _source(self) -> dict[str, Any]:
        source = self.digest, self.numbers, self.classes
        if self.about is not None:
            source = self._source_of(*self._signed, self.classes or names_of(self.about[1]))
        return {"sha256": source[0], "numbers": source[1], "classes": list(source[2])}

    def _plain_margin(self) -> dict[str, Any] | None:
        if self.about is not None:
            return self.margin.to_dict() if self.margin else None
        if self.said_margin is None:
            return None
        lower, upper = self.said_margin
        return {"lower": lower, "upper": upper, "bias": "free" if self.fit_intercept else None}

    def to_json(self) -> str:
        """Return the certificate as JSON; `examples/verify_certificate.py` checks it without this library."""
        return json.dumps(self.to_dict(), allow_nan=False)

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
        """Return the certificate of the plain values that `to_dict` gave; it is not yet verified.

        Parameters
        ----------
        plain : dict
            The values, as JSON has them.

        Returns
        -------
        Separability
            The certificate.

        Raises
        ------
        KeyError, TypeError, ValueError
            A part is missing, has the wrong form, or says in words what the others do not.
        """
        found = cls(**parts_of(plain))
        # Certificates of earlier releases counted rows without those left out in their words too, and gave no remedy.
        earlier = (
            other.summary().removesuffix(end) for other in (found, replace(found, left_out=())) for end in ("", REMEDY)
        )
        same_words(
            plain["summary"], found.summary() if plain["summary"] not in earlier else plain["summary"], "summary"
        )
        if plain["maximal"] is not found.maximal:
            raise ValueError(f"its maximal is {plain['maximal']!r}, and its parts say {found.maximal}")
        if found.reason if found.maximal else not found.reason and found.verdict != "quasi-separable":
            raise ValueError(f"its reason is {found.reason!r}, which is that of another verdict")
        return found
