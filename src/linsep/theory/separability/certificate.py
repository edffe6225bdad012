"""What `separability` answers: a verdict with the parts that prove it, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linsep.markup import table_html
from linsep.tables import as_table
from linsep.theory.margin.geometry import signs
from linsep.theory.margin.max_margin import MarginBracket
from linsep.theory.rows.json_integers import from_plain, to_plain
from linsep.theory.separability.digest import as_doubles, data_digest
from linsep.theory.separability.first_bracket import first_bracket
from linsep.theory.separability.fragile import is_fragile
from linsep.theory.verify.separability import CertificateError, verify_directions, verify_overlap, verify_witness
from linsep.types import Array, DataError, Hyperplane, Verdict

FORMAT = "linsep separability certificate 1"


class Combination(NamedTuple):
    """Rows, counted from 0, and their positive integer weights.

    Attributes
    ----------
    rows : tuple of int
        The rows, in ascending order.
    weights : tuple of int
        The weight of each of them.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, weights: Mapping[int, int]) -> Combination:
        """Make a combination from a mapping row -> weight; its rows are in ascending order.

        Parameters
        ----------
        weights : mapping of int to int
            Row -> weight.

        Returns
        -------
        Combination
            The same rows and weights.
        """
        rows = tuple(sorted(weights))
        return cls(rows, tuple(weights[i] for i in rows))

    def as_dict(self) -> dict[int, int]:
        """Return row -> weight; rows and weights that do not pair up, or a row twice, are an error."""
        out = dict(zip(self.rows, self.weights, strict=False))
        if not len(self.rows) == len(self.weights) == len(out):
            raise CertificateError("weights must be one a row, each row named once")
        return out


@dataclass(frozen=True, repr=False, eq=False)
class Separability:
    """A verdict on the rows it was asked about, and its proof.

    Attributes
    ----------
    verdict : "separable", "quasi-separable", "inseparable" or "undecided"
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
        The rows that no direction takes away, in ascending order: all directions are 0 on them, and so is every
        direction that has no negative margin, which `overlap` proves.
    witness : Combination or None
        Signed rows that add up to 0: no strict separator. At most r + 1 rows, r the rank of the signed rows.
    overlap, null : Combination or None, tuple of mappings column -> integer
        Rows spanning all rows left, with positive weights adding up to 0; at most twice their rank many. `null` is a
        basis of the vectors orthogonal to them (the constant is column n_features; columns that are 0 on all of them
        left out), which bounds their rank from above.
    reason : str
        Why the search is undecided.
    digest : str
        SHA-256 of the rows and labels, if this was read from JSON.
    about : (X, y) or None
        The rows and labels, if this was not read from JSON.
    margin : MarginBracket or None
        A first bracket of the geometric margin; `max_margin` closes it. Computed when it is asked for.
    said_fragile : bool
        What the JSON says of `fragile`.
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
    reason: str = ""
    digest: str = ""
    about: tuple[Any, Any] | None = field(default=None, compare=False)  # X and y: for the hash, the margin, fragility
    said_fragile: bool = False  # what a file says, where there are no rows to ask

    @cached_property
    def margin(self) -> MarginBracket | None:
        """A first bracket of the geometric margin."""
        if self.about is None or self.hyperplane is None:
            return None
        X, y = self.about
        return first_bracket(X, signs(y), self.hyperplane, self.fit_intercept)

    @cached_property
    def fragile(self) -> bool:
        """Whether rounding of the inputs could change the verdict."""
        if self.about is None or self.verdict == "undecided":
            return self.said_fragile
        (X, y), overlap = self.about, self.overlap.as_dict() if self.overlap else None
        parts = (self.hyperplane, self.directions, self.rows_left, overlap, self.null, self.fit_intercept)
        return is_fragile(X, signs(y), *parts)

    @property
    def separated_rows(self) -> Array:
        """Rows, counted from 0, that some direction has strictly on their side."""
        if self.verdict == "separable":
            return np.arange(self.n_rows)
        if not self.directions:
            return np.zeros(0, dtype=np.int64)
        out = np.ones(self.n_rows, dtype=bool)
        out[self.rows_left] = False
        return np.flatnonzero(out)

    def verify(self, X: Any, y: Any) -> None:
        """Check every part against the rows in exact arithmetic.

        Parameters
        ----------
        X : array or SciPy CSR matrix of shape (n_samples, n_features)
            The rows that the verdict is about.
        y : array-like of shape (n_samples,)
            Their labels.

        Raises
        ------
        CertificateError
            A part does not prove what it says, or a part that the verdict needs is missing.
        """
        try:
            self._check(X, y)
        except (CertificateError, DataError):
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Read from a file, a part may hold what is no number at all.
            raise CertificateError(f"a part of the certificate is malformed: {error}") from error

    def _check(self, X: Any, y: Any) -> None:
        X = X if isinstance(X, np.ndarray) else as_table(X)
        if X.shape != (self.n_rows, self.n_features):
            raise CertificateError(f"this certificate is about {self.n_rows} x {self.n_features} rows")
        if self.digest and data_digest(X, signs(y)) != self.digest:
            raise CertificateError("this certificate is about other rows or labels: their hash differs")
        self._complete()
        intercept = self.fit_intercept
        witness, overlap = (part and part.as_dict() for part in (self.witness, self.overlap))
        if self.hyperplane is not None:
            verify_directions(X, y, [self.hyperplane])
        if self.directions:
            verify_directions(X, y, self.directions, self.rows_left.tolist())
        if witness is not None and witness != overlap:  # an overlap is checked as a witness too
            verify_witness(X, y, witness, fit_intercept=intercept)
        if overlap is not None:
            among = self.rows_left if self.directions else np.arange(self.n_rows)
            verify_overlap(X, y, overlap, self.null, among, fit_intercept=intercept)

    def _complete(self) -> None:
        """Raise if a part that the verdict needs is missing, or an intercept is used that was not asked for."""
        complete = {
            "separable": self.hyperplane is not None or (bool(self.directions) and not self.rows_left.size),
            "quasi-separable": bool(self.directions) and self.witness is not None,
            "inseparable": self.overlap is not None and self.witness is not None and not self.directions,
            "undecided": True,
        }
        if not complete[self.verdict]:
            raise CertificateError(f"a part of the proof of {self.verdict!r} is missing")
        planes = [*self.directions, *([self.hyperplane] if self.hyperplane else [])]
        if not self.fit_intercept and any(plane.b != 0 for plane in planes):
            raise CertificateError("an intercept was not asked for")

    def summary(self) -> str:
        """Return the verdict and its reason in words.

        Examples
        --------
        >>> Separability("separable", 3, 1).summary()
        'separable: a hyperplane puts every one of the 3 rows on its side, checked exactly'
        """
        where = "" if self.fit_intercept else " (no intercept)"
        fragile = ". Fragile: rounding the numbers that are no integers could change this verdict"
        return f"{self.verdict}{where}: {self._why()}{fragile if self.fragile else ''}"

    def _why(self) -> str:
        if self.verdict == "separable":
            return f"a hyperplane puts every one of the {self.n_rows:,} rows on its side, checked exactly"
        rows = self.witness.rows if self.witness else ()
        if self.verdict == "quasi-separable":
            left = self.rows_left.size
            return (
                f"a direction has {self.n_rows - left:,} rows on their side and {left:,} exactly on its plane, "
                f"and no hyperplane separates {_listed(rows)}"
            )
        if self.verdict == "inseparable":
            return f"no direction helps: {_listed(rows)} cannot be separated, checked exactly"
        return self.reason

    def __repr__(self) -> str:
        return f"<Separability {self.summary()}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [("because", self._why())]
        if self.hyperplane is not None and self.margin is not None:
            rows.append(("margin of this plane", f"{self.margin.lower:.6g}, the best at most {self.margin.upper:.6g}"))
        if self.witness is not None:
            shown = zip(self.witness.rows[:8], self.witness.weights, strict=False)
            more = ", ..." if len(self.witness.rows) > 8 else ""
            rows.append(("witness: row x weight", ", ".join(f"{row} x {weight}" for row, weight in shown) + more))
        return table_html(self.verdict if self.fit_intercept else f"{self.verdict} (no intercept)", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: integers keep all their digits, those beyond 2^53 as hexadecimal text."""
        short = self.rows_left if 2 * self.rows_left.size <= self.n_rows else self.separated_rows
        name = "rows_left" if short is self.rows_left else "separated_rows"
        return {
            "format": FORMAT,
            "verdict": self.verdict,
            "summary": self.summary(),
            "rows": self.n_rows,
            "features": self.n_features,
            "fit_intercept": self.fit_intercept,
            "fragile": self.fragile,
            **self._source(),
            "hyperplane": _plane(self.hyperplane),
            "margin": self.margin.to_dict() if self.margin else None,
            "directions": [_sparse_plane(plane) for plane in self.directions],
            name: short.tolist(),
            "witness": _combination(self.witness),
            "overlap": _combination(self.overlap),
            "null": [_vector(vector) for vector in self.null],
            "reason": self.reason,
        }

    def _source(self) -> dict[str, Any]:
        if self.about is None:
            return {"sha256": self.digest}
        X, y = self.about
        labels = [str(label) for label in np.unique(np.asarray(y)).tolist()]
        numbers = "doubles" if as_doubles(X) else "rationals"
        return {"sha256": self.digest or data_digest(X, signs(y)), "numbers": numbers, "classes": labels}

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
        try:
            plain = json.loads(text)
            if plain["format"] != FORMAT:
                raise ValueError(f"its format is {plain['format']!r}")
            if len(plain["sha256"]) != 64:
                raise ValueError("it lacks the hash of the rows that it is about")
            return cls._from_dict(plain)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError(f"not a certificate that this version reads: {error!r}") from error

    @classmethod
    def _from_dict(cls, plain: dict[str, Any]) -> Separability:
        n, p = int(plain["rows"]), int(plain["features"])
        if "rows_left" in plain:
            left = np.array(plain["rows_left"], dtype=np.int64)
        else:
            left = np.setdiff1d(np.arange(n), np.array(plain["separated_rows"], dtype=np.int64))
        plane = plain["hyperplane"]
        return cls(
            plain["verdict"],
            n,
            p,
            bool(plain["fit_intercept"]),
            hyperplane=plane and Hyperplane(_numbers([_number(v) for v in plane["w"]]), _number(plane["b"])),
            directions=tuple(_plane_of(direction, p) for direction in plain["directions"]),
            rows_left=left if plain["directions"] else np.zeros(0, dtype=np.int64),
            witness=_combination_of(plain["witness"]),
            overlap=_combination_of(plain["overlap"]),
            null=tuple(dict(_pairs(vector)) for vector in plain["null"]),
            said_fragile=bool(plain["fragile"]),
            reason=plain["reason"],
            digest=plain["sha256"],
        )


def _listed(rows: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, rows[:8]))
    return f"the {len(rows)} rows {shown}{', ...' if len(rows) > 8 else ''} (counted from 0)"


def _number(value: int | float | str) -> Any:
    """A double, or an integer as `to_plain` wrote it."""
    return value if isinstance(value, float) else from_plain(value)


def _numbers(values: list[Any]) -> Array:
    return np.array(values, dtype=np.float64 if all(isinstance(v, float) for v in values) else object)


def _plane(plane: Hyperplane | None) -> dict[str, Any] | None:
    if plane is None:
        return None
    w = [to_plain(v) if isinstance(v, int) else v for v in plane.w.tolist()]
    return {"w": w, "b": to_plain(plane.b) if isinstance(plane.b, int) else plane.b}


def _vector(vector: Mapping[int, int]) -> dict[str, list[Any]]:
    return {"columns": list(vector), "values": [to_plain(v) for v in vector.values()]}


def _pairs(plain: dict[str, list[Any]]) -> list[tuple[int, int]]:
    return [(int(j), _number(v)) for j, v in zip(plain["columns"], plain["values"], strict=True)]


def _sparse_plane(plane: Hyperplane) -> dict[str, Any]:
    w = {j: v for j, v in enumerate(plane.w.tolist()) if v}
    return {**_vector(w), "b": to_plain(int(plane.b))}


def _plane_of(plain: dict[str, Any], p: int) -> Hyperplane:
    w = np.zeros(p, dtype=object)
    for j, v in _pairs(plain):
        w[j] = v
    return Hyperplane(w, _number(plain["b"]))


def _combination(part: Combination | None) -> dict[str, list[Any]] | None:
    return None if part is None else {"rows": list(part.rows), "weights": [to_plain(v) for v in part.weights]}


def _combination_of(plain: dict[str, list[Any]] | None) -> Combination | None:
    return None if plain is None else Combination(tuple(plain["rows"]), tuple(_number(v) for v in plain["weights"]))
