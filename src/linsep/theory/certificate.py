"""What `separability` answers: a verdict with the parts that prove it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linsep.theory import exact
from linsep.theory.bracket import MarginBracket
from linsep.types import Hyperplane, Verdict


class Combination(NamedTuple):
    """Rows, counted from 0, and their positive integer weights."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, weights: Mapping[int, int]) -> Combination:
        """Rows in ascending order from a mapping row -> weight."""
        rows = tuple(sorted(weights))
        return cls(rows, tuple(weights[i] for i in rows))


@dataclass(frozen=True, repr=False)
class Separability:
    """A verdict on the rows it was asked about, and its proof.

    Attributes
    ----------
    verdict : "separable", "quasi-separable", "inseparable" or "undecided"
    hyperplane : Hyperplane or None
        Every y_i (w.x_i + b) > 0. Doubles, unless no double near it separates: then Python integers.
    margin : MarginBracket or None
        A first bracket of the geometric margin; `max_margin` closes it.
    direction : Hyperplane or None
        Quasi-separable: y_i (w.x_i + b) is 0 on `rows_left` and > 0 elsewhere (Python integers).
    witness : Combination or None
        Signed rows that add up to 0: no strict separator.
    overlap, null : Combination or None, tuple of integer vectors
        Inseparable: rows spanning all rows, with positive weights adding up to 0; `null` is a basis of the vectors
        orthogonal to all rows, which bounds the rank from above.
    reason : str
        Why the search is undecided.
    """

    verdict: Verdict
    n_rows: int
    n_features: int
    fit_intercept: bool = True
    hyperplane: Hyperplane | None = None
    margin: MarginBracket | None = None
    direction: Hyperplane | None = None
    rows_left: tuple[int, ...] = ()
    witness: Combination | None = None
    overlap: Combination | None = None
    null: tuple[tuple[int, ...], ...] = ()
    reason: str = ""

    def verify(self, X: Any, y: Any) -> None:
        """Check every part against the rows in exact arithmetic.

        Raises
        ------
        CertificateError
            A part does not prove what it says, or a part that the verdict needs is missing.
        """
        X = X if hasattr(X, "shape") else np.asarray(X)
        if X.shape != (self.n_rows, self.n_features):
            raise exact.CertificateError(f"this certificate is about {self.n_rows} x {self.n_features} rows")
        needs: dict[str, list[object]] = {
            "separable": [self.hyperplane],
            "quasi-separable": [self.direction, self.witness],
            "inseparable": [self.overlap, self.witness],
            "undecided": [],
        }
        if any(part is None for part in needs[self.verdict]):
            raise exact.CertificateError(f"a part of the proof of {self.verdict!r} is missing")
        if self.hyperplane is not None:
            exact.verify_hyperplane(X, y, *self._allowed(self.hyperplane))
        if self.direction is not None:
            exact.verify_direction(X, y, *self._allowed(self.direction), self.rows_left)
        if self.witness is not None:
            exact.verify_witness(X, y, *self.witness, fit_intercept=self.fit_intercept)
        if self.overlap is not None:
            exact.verify_overlap(X, y, *self.overlap, self.null, fit_intercept=self.fit_intercept)

    def _allowed(self, plane: Hyperplane) -> Hyperplane:
        if not self.fit_intercept and plane.b != 0:
            raise exact.CertificateError("an intercept was not asked for")
        return plane

    def summary(self) -> str:
        """Return the verdict and its reason in one sentence.

        Examples
        --------
        >>> Separability("separable", 3, 1).summary()
        'separable: a hyperplane puts every one of the 3 rows on its side, checked exactly'
        """
        where = "" if self.fit_intercept else " (no intercept)"
        return f"{self.verdict}{where}: {self._why()}"

    def _why(self) -> str:
        if self.verdict == "separable":
            return f"a hyperplane puts every one of the {self.n_rows:,} rows on its side, checked exactly"
        if self.verdict == "quasi-separable":
            left = len(self.rows_left)
            return (
                f"a direction has {self.n_rows - left:,} rows on their side and {left:,} exactly on its plane, "
                f"and no hyperplane separates {_listed(self._witness_rows)}"
            )
        if self.verdict == "inseparable":
            return f"no direction helps: {_listed(self._witness_rows)} cannot be separated, checked exactly"
        return self.reason

    @property
    def _witness_rows(self) -> tuple[int, ...]:
        return self.witness.rows if self.witness else ()

    def __repr__(self) -> str:
        return f"<Separability {self.summary()}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; integers keep all their digits."""
        out: dict[str, Any] = {
            "verdict": self.verdict,
            "summary": self.summary(),
            "rows": self.n_rows,
            "features": self.n_features,
            "fit_intercept": self.fit_intercept,
            "hyperplane": _plain(self.hyperplane),
            "margin": self.margin.to_dict() if self.margin else None,
            "direction": _plain(self.direction),
            "rows_left": list(self.rows_left),
            "witness": _combination(self.witness),
            "overlap": _combination(self.overlap),
            "null": [list(vector) for vector in self.null],
            "reason": self.reason,
        }
        return out


def _listed(rows: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, rows[:8]))
    return f"the {len(rows)} rows {shown}{', ...' if len(rows) > 8 else ''} (counted from 0)"


def _plain(plane: Hyperplane | None) -> dict[str, Any] | None:
    return None if plane is None else {"w": plane.w.tolist(), "b": plane.b}


def _combination(part: Combination | None) -> dict[str, list[int]] | None:
    return None if part is None else {"rows": list(part.rows), "weights": list(part.weights)}
