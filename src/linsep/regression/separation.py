"""Separation in regression: does a maximum likelihood estimate exist, and if not, which coefficients are infinite?"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.data.columns import as_labels
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers, row_names
from linsep.data.sources.open import open_data
from linsep.markup import table_html
from linsep.theory.rows.deadline import OutOfTimeError, deadline_of
from linsep.theory.separation import sentences as words
from linsep.theory.separation.decide import find_proof
from linsep.theory.separation.model_rows import Family, ModelRows, model_rows
from linsep.theory.verify.separability import CertificateError
from linsep.theory.verify.separation import SeparationProof, verify_proof
from linsep.types import DataError

Kind = Literal["complete", "quasi-complete", "overlap", "undecided"]


class SeparationWarning(UserWarning):
    """A regression has no maximum likelihood estimate, or it was not decided in time whether it has one."""


class SeparationError(DataError):
    """The same, where it was asked to be an error; `separation` is what was found."""

    def __init__(self, separation: Separation) -> None:
        super().__init__(separation.summary())
        self.separation = separation


class Design(NamedTuple):
    """A design matrix: numbers, their names, the indicator columns (name -> column, level) and reference levels."""

    X: Any
    names: list[str]
    levels: dict[str, tuple[str, str]]
    references: dict[str, str]


@dataclass(frozen=True, repr=False)
class Separation:
    """Whether a regression is separated, by what, and the proof.

    Attributes
    ----------
    kind : "complete", "quasi-complete", "overlap" or "undecided"
    rows : tuple of int
        Positions of the rows that some direction separates (the maximal set); for a multinomial model those
        separated from every other class.
    coefficients : dict
        Name, or (class, name), -> "finite", inf, -inf, "undetermined sign" or "not identified"; empty if undecided.
        With a time limit also "infinite, sign not decided".
    pairs : tuple of (row, class)
        Multinomial: classes whose fitted probability at that row tends to 0.
    classes : tuple
        Labels in sorted order: the second is the outcome of a logistic model, the first the reference of a
        multinomial one.
    references : dict
        Text column -> the level that has no indicator column.
    rank : int or None
        Rank of the design, less than the number of coefficients if some are not identified.
    proof : SeparationProof or None
        Integers that `verify` checks.
    reason : str
        Why it is undecided.
    levels, separated_levels : dict
        Indicator -> (column, level); column -> levels all whose rows are separated, and how many those are.
    """

    kind: Kind
    family: Family
    n_rows: int
    fit_intercept: bool
    rows: tuple[int, ...] = ()
    coefficients: dict[Any, str | float] = field(default_factory=dict)
    pairs: tuple[tuple[int, Any], ...] = ()
    classes: tuple[Any, ...] = ()
    references: dict[str, str] = field(default_factory=dict)
    rank: int | None = None
    proof: SeparationProof | None = None
    reason: str = ""
    levels: dict[str, tuple[str, str]] = field(default_factory=dict)
    separated_levels: dict[str, dict[str, int]] = field(default_factory=dict)

    def verify(self, X: Any, y: Any) -> None:
        """Check everything said about rows and coefficients against the data in exact arithmetic.

        Raises
        ------
        CertificateError
            Something is not as the proof says, or these are not the data it is about.
        """
        if self.proof is None:
            if self.kind != "undecided" or self.coefficients:
                raise CertificateError(f"the proof of {self.kind!r} is missing")
            return
        design = design_of(X, self.fit_intercept)
        rows = model_rows(design.X, response(y), design.names, self.family, self.fit_intercept)
        said = _report(rows, self.proof, self.family)
        for name, value in said.items():
            if getattr(self, name) != value:
                raise CertificateError(f"the proof does not show the {name} that are named")

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do about it, a sentence or two each."""
        separated = self.kind in ("complete", "quasi-complete")
        return tuple(words.advice(self.family, self.coefficients, self.levels, self.separated_levels, separated))

    def summary(self) -> str:
        """Return what was found, in sentences fit for a methods section."""
        if self.kind == "undecided":
            return f"Undecided: {self.reason}."
        head = words.opening(self.family, self.kind, self.n_rows, len(self.rows), self.classes)
        assert self.rank is not None
        return " ".join([head, *words.estimates(self.coefficients, self.rank), words.PROVED])

    def __repr__(self) -> str:
        if self.kind == "undecided":
            return f"<Separation undecided: {self.reason}>"
        found = words.by_estimate(self.coefficients)
        parts = [f"{words.estimate(value)}: {words.listed(found[value])}" for value in found if found[value]]
        return f"<Separation {self.kind}, {len(self.rows):,} of {self.n_rows:,} rows; {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        if self.kind == "undecided":
            return table_html("Separation undecided", [("because", self.reason)])
        groups = words.by_estimate(self.coefficients)
        rows: list[tuple[object, ...]] = [("rows separated", f"{len(self.rows):,} of {self.n_rows:,}")]
        rows += [(words.estimate(value), words.listed(names)) for value, names in groups.items() if names]
        rows += [("what to do", text) for text in self.advice]
        return table_html(f"Separation: {self.kind} ({self.family})", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: infinities as "+inf" and "-inf", coefficients of a class under its label."""
        estimates: dict[str, Any] = {}
        for name, value in self.coefficients.items():
            block = estimates.setdefault(str(name[0]), {}) if isinstance(name, tuple) else estimates
            block[name[1] if isinstance(name, tuple) else name] = words.estimate(value)
        return {
            "kind": self.kind,
            "family": self.family,
            "summary": self.summary(),
            "advice": list(self.advice),
            "n_rows": self.n_rows,
            "fit_intercept": self.fit_intercept,
            "rank": self.rank,
            "rows": list(self.rows),
            "coefficients": estimates,
            "pairs": [[row, str(label)] for row, label in self.pairs],
            "classes": [str(label) for label in self.classes],
            "references": dict(self.references),
            "separated_levels": {column: dict(levels) for column, levels in self.separated_levels.items()},
            "reason": self.reason,
            "proof": None if self.proof is None else self.proof.to_dict(),
        }


def separation(
    X: Any,
    y: Any,
    *,
    family: Family = "logistic",
    fit_intercept: bool = True,
    on_separation: Literal["report", "warn", "raise"] = "report",
    time_limit: float | None = None,
) -> Separation:
    """Decide whether a regression has a finite maximum likelihood estimate, and prove it in exact arithmetic.

    With rows z of Xbar (logistic: y_i (1, x_i), y_i = -1 or 1; Poisson, log link: -(1, x_i) where y_i = 0, equalities
    elsewhere; multinomial: (1, x_i) in the block of the class observed minus that of each other class) let C be the
    directions d with z.d >= 0, = 0 for equalities. S holds the rows positive somewhere in C. Coefficient j is not
    identified if a null vector of all rows has a j-th entry; else finite if no null vector of the rows outside S has
    one; else infinite, with the sign that d_j has everywhere in C, if it has one.

    Parameters
    ----------
    X : array, SciPy sparse matrix, pandas, Polars or Arrow table; shape (n_samples, n_features)
        Numbers are taken exactly as stored. Text and categorical columns become indicators "column=level", without
        the first level (in sorted order); without an intercept the first such column keeps all its levels.
    y : array-like of shape (n_samples,)
        Two labels (logistic; the second in sorted order is the outcome), counts (Poisson), labels (multinomial; the
        first is the reference).
    family : {"logistic", "poisson", "multinomial"}
    fit_intercept : bool
    on_separation : {"report", "warn", "raise"}
        What to do when the answer is not "overlap".
    time_limit : float, optional
        Seconds after which the answer is "undecided", looked at between steps of the search.

    Returns
    -------
    Separation

    Raises
    ------
    DataError
        Input that is not as described; the message names the row or the column.
    SeparationError
        With on_separation="raise".

    Notes
    -----
    Albert and Anderson 1984; Konis 2007; Correia, Guimaraes and Zylkin 2019 (Poisson).

    Examples
    --------
    >>> found = separation([[0, 1], [0, 2], [0, 3], [1, 1], [1, 2]], [0, 1, 0, 1, 1])
    >>> found.kind, found.rows
    ('quasi-complete', (3, 4))
    >>> found.coefficients
    {'(Intercept)': 'finite', 'x1': inf, 'x2': 'finite'}
    """
    if on_separation not in ("report", "warn", "raise"):
        raise DataError(f"on_separation is 'report', 'warn' or 'raise', not {on_separation!r}")
    found = separation_of_design(design_of(X, fit_intercept), y, family, fit_intercept, time_limit)
    if found.kind != "overlap" and on_separation == "warn":
        warnings.warn(found.summary(), SeparationWarning, stacklevel=2)
    if found.kind != "overlap" and on_separation == "raise":
        raise SeparationError(found)
    return found


def separation_scan(
    y: Any,
    designs: Mapping[Any, Any] | Sequence[Any],
    *,
    family: Family = "logistic",
    fit_intercept: bool = True,
    time_limit: float | None = None,
) -> dict[Any, Separation | str]:
    """Ask `separation` of many designs for one response; one that fails does not stop the others.

    Parameters
    ----------
    designs : mapping of name -> design, or sequence of designs (their names are then 0, 1, ...)
    time_limit : float, optional
        Seconds for each design.

    Returns
    -------
    dict
        Name -> Separation, or the message of the error.

    Examples
    --------
    >>> found = separation_scan([0, 1, 0, 1], {"a": [[0], [1], [2], [3]], "b": [[0], [2], [1], [3]], "c": [["?"]]})
    >>> found["a"].kind, found["b"].kind, type(found["c"]).__name__
    ('overlap', 'complete', 'str')
    """
    out: dict[Any, Separation | str] = {}
    for name, X in designs.items() if isinstance(designs, Mapping) else enumerate(designs):
        try:
            out[name] = separation(X, y, family=family, fit_intercept=fit_intercept, time_limit=time_limit)
        except Exception as error:  # a screening goes on whatever one design holds
            out[name] = f"{type(error).__name__}: {error}"
    return out


def design_of(X: Any, fit_intercept: bool) -> Design:
    """Arrays as they are, dataframes with names and indicators."""
    if isinstance(X, np.ndarray | list | tuple) or sp.issparse(X):
        X = X if sp.issparse(X) else np.asarray(X)
        return Design(X, row_names(X.shape[1] if X.ndim == 2 else 0, None), {}, {})
    if isinstance(X, str | Path):
        raise DataError(f"X is text ({X}): give rows; for a file there is `linsep separation TABLE --target COLUMN`")
    return design_of_numbers(exact_numbers(open_data(X), keep_levels=0 if fit_intercept else 1))


def design_of_numbers(numbers: ExactNumbers) -> Design:
    """The features of a table exactly as written, text columns as indicators."""
    references = numbers.references or {}
    if not numbers.names:
        raise DataError(f"no column is left: {words.listed(references)} has one level only")
    return Design(numbers.X, numbers.names, numbers.levels or {}, references)


def response(y: Any) -> Any:
    """Labels or counts, one a row."""
    return as_labels(y, lambda row: f"row {row}", "y")


def separation_of_design(
    design: Design, y: Any, family: Family, fit_intercept: bool, time_limit: float | None
) -> Separation:
    """Answer for a design matrix whose columns are named."""
    deadline = deadline_of(time_limit)
    rows = model_rows(design.X, response(y), design.names, family, fit_intercept)
    about: dict[str, Any] = {"family": family, "n_rows": design.X.shape[0], "fit_intercept": fit_intercept}
    about |= {"classes": tuple(rows.classes.tolist()), "references": design.references, "levels": design.levels}
    try:
        proof = find_proof(rows.Z, rows.equal, deadline)
        # Nothing that the search found is believed without its proof.
        found = _report(rows, proof, family)
        return Separation(proof=proof, separated_levels=_whole_levels(design, found["rows"]), **found, **about)
    except OutOfTimeError:
        reason = f"the time limit of {time_limit:g} s ended the search"
    except CertificateError as error:
        reason = f"a proof was found but failed its check: {error}"
    return Separation("undecided", reason=reason, **about)


def _report(rows: ModelRows, proof: SeparationProof, family: Family) -> dict[str, Any]:
    """What a proof says, once it is checked."""
    said = verify_proof(rows.Z, rows.equal, proof)
    separated = np.zeros(len(rows.owner), dtype=bool)
    separated[list(proof.separated)] = True
    whole = np.ones(rows.owner[-1] + 1, dtype=bool)
    whole[rows.owner[~separated]] = False
    labels = rows.classes.tolist()
    pairs = zip(rows.owner[separated].tolist(), rows.rival[separated].tolist(), strict=True)
    return {
        "kind": "complete" if separated.all() else "quasi-complete" if separated.any() else "overlap",
        "rows": tuple(np.flatnonzero(whole).tolist()),
        "coefficients": dict(zip(rows.names, said, strict=True)),
        "pairs": tuple((row, labels[rival]) for row, rival in pairs) if family == "multinomial" else (),
        "rank": rows.Z.shape[1] - len(proof.null_all),
    }


def _whole_levels(design: Design, rows: Sequence[int]) -> dict[str, dict[str, int]]:
    """Levels, the reference included, that occur in the `rows` only: column -> level -> number of rows."""
    out: dict[str, dict[str, int]] = {}
    for column in dict.fromkeys(column for column, _ in design.levels.values()):
        at = [k for k, name in enumerate(design.names) if design.levels.get(name, ("",))[0] == column]
        n, n_here = (np.asarray((X[:, at] != 0).sum(axis=0)).ravel() for X in (design.X, design.X[list(rows)]))
        counts = {
            design.levels[design.names[k]][1]: (a, b) for k, a, b in zip(at, n.tolist(), n_here.tolist(), strict=True)
        }
        if column in design.references:
            counts[design.references[column]] = (design.X.shape[0] - int(n.sum()), len(rows) - int(n_here.sum()))
        whole = {level: a for level, (a, b) in counts.items() if a == b}
        if whole:
            out[column] = whole
    return out
