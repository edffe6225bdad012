"""The columns behind a verdict: those that separate alone or in pairs, are needed, or separate some of the rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import comb, log10
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.data.columns import TableChunk
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.features.kinds import without_skipped
from linsep.data.telling import TellingColumn, tell, telling_columns
from linsep.regression.remedies.smallest_set import SmallestSet
from linsep.regression.separation import separation
from linsep.reporting.explanation.nearly import Nearly, nearly_alone
from linsep.reporting.explanation.said import Said
from linsep.reporting.proof import Lines, form_of, some_rows
from linsep.tables import dense, stored
from linsep.theory.bounds.cover import cover_odds
from linsep.theory.explanation.columns import MOST_COLUMNS, Needed, Pairs, needed_columns, separating_pairs
from linsep.theory.rows.deadline import Deadline, OutOfTimeError, deadline_of, time_left
from linsep.theory.separability.certificate import Separability
from linsep.theory.separability.decide import separability
from linsep.theory.separability.named_classes import class_signs
from linsep.theory.separation.sentences import listed
from linsep.types import Array, DataError, Verdict

_LINES = 3  # of a kind
_CHANCE = -3.0  # log10 of the chance that labels without meaning have a separating pair
_MOST_CELLS = 50_000_000  # of columns that are sorted one by one
_MOST_ENTRIES = 1_000_000  # of a table whose smallest set of columns is looked for


class ExplainedColumns(NamedTuple):
    """What columns have to do with the verdict on one question.

    Attributes
    ----------
    title : str
        The class that is set against the rest; empty where there are two classes.
    verdict : str
        The verdict on the question.
    alone : list of TellingColumn
        Columns that tell the classes apart alone, where chance does not explain it.
    proofs : list of Separability or None
        Their certificates; None where the column is no part of the proof, as names of rows and running text.
    pairs : Pairs
        Pairs of columns of numbers that do so together, by their places in the certificate; none where chance explains
        such a pair.
    needed : Needed
        Columns whose removal changes the verdict, by their places in `groups`: without them the classes are not
        separable, or, where only some rows are, no row is.
    nearly : list of Nearly
        Columns of numbers that separate all rows but a few, counted as in the file, where not all are separable.
    part : SmallestSet or None
        The fewest columns that separate some rows and leave the others on the plane, where only some are separable.
    part_proof : Separability or None
        The certificate for these columns; None where the time was too short for it.
    names : list of str
        The columns of the certificate.
    powers : list of int
        A column of the certificate is that of the table times 10 to this power.
    groups : dict of str to list of int
        The columns of the table, and which ones of the certificate these are.
    """

    title: str
    verdict: Verdict
    alone: list[TellingColumn]
    proofs: list[Separability | None]
    pairs: Pairs
    needed: Needed
    nearly: list[Nearly]
    part: SmallestSet | None
    part_proof: Separability | None
    names: list[str]
    powers: list[int]
    groups: dict[str, list[int]]

    def lines(self, said: Collection[str] = ()) -> Lines:
        """What is said: a few lines of each kind, but nothing of columns of which enough is `said` already."""
        title = f" ({self.title})" if self.title else ""
        doubtful = [_alone(one) for one in self.alone if one.name not in said]
        doubtful += [self._pair(k) for k in range(len(self.pairs.found))]
        lines = [(f"too good?{title}", text) for text in doubtful[:_LINES]]
        if len(doubtful) > _LINES:
            lines.append((f"too good?{title}", f"{len(doubtful) - _LINES:,} more columns or pairs: --json"))
        if 0 < self.pairs.asked < self.pairs.of:
            some = f"{self.pairs.asked:,} of {self.pairs.of:,} pairs were asked about"
            lines.append((f"pairs of columns{title}", some))
        lines += [(f"nearly{title}", str(one)) for one in self.nearly[:_LINES]]
        return [*lines, *self._needed(title), *self._part(title)]

    def said(self) -> list[Said]:
        """All of it, a line for each column, pair or set of columns."""
        alone = zip(self.alone, self.proofs, strict=True)
        lines = [Said("alone", (one.name,), _alone(one), proof) for one, proof in alone]
        for k, (pair, proof) in enumerate(self.pairs.found):
            lines.append(Said("pair", tuple(self.names[j] for j in pair), self._pair(k), proof))
        columns = list(self.groups)
        for k, proof in self.needed.found:
            lines.append(Said("needed", (columns[k],), self._without(f"{columns[k]!r:.40}"), proof))
        lines += [Said("nearly", (one.column,), str(one), one.proof) for one in self.nearly]
        if self.part is not None:
            lines.append(Said("part", self.part.columns, self._part("")[0][1], self.part_proof))
        return lines

    def _pair(self, k: int) -> str:
        (a, b), proof = self.pairs.found[k]
        said = ""
        if proof.hyperplane is not None:
            said = f" ({form_of(proof.hyperplane, [self.names[a], self.names[b]], [self.powers[a], self.powers[b]])})"
        return (
            f"columns {self.names[a]!r:.40} and {self.names[b]!r:.40} together separate the classes{said}, and neither "
            "does alone: are both known before the label is?"
        )

    def _needed(self, title: str) -> Lines:
        found, of = self.needed.found, len(self.groups)
        if not found:
            return []
        columns = list(self.groups)
        some = "" if self.needed.asked == of else f"; {self.needed.asked:,} of {of:,} columns were asked about"
        names = _quoted([columns[k] for k, _ in found])
        any_one = "" if len(found) == 1 else "any one of "
        return [(f"needed{title}", f"{self._without(any_one + names)}{some}")]

    def _without(self, names: str) -> str:
        changed = "the classes are not separable" if self.verdict == "separable" else "no row is separated: inseparable"
        return f"without {names} {changed}"

    def _part(self, title: str) -> Lines:
        if self.part is None:
            return []
        names, rows = self.part.columns, self.part.rows
        few = f"{_quoted(names)} {'alone' if len(names) == 1 else 'together'}"
        least = "" if len(names) == 1 or not self.part.is_smallest else ", and no fewer columns do"
        said = f"{few}{least}; rows on their side: {some_rows(np.array(rows))}, all others on the plane"
        return [(f"separated by{title}", said)]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, with the certificates, each with the `places` of its columns in that of all."""
        columns = list(self.groups)
        return {
            "alone": [
                {"column": one.name, "rule": one.rule, "errors": one.errors}
                | self._proved(proof, self.groups.get(one.name, []))
                for one, proof in zip(self.alone, self.proofs, strict=True)
            ],
            "pairs": [
                {"columns": [self.names[j] for j in pair.columns]} | self._proved(pair.proof, pair.columns)
                for pair in self.pairs.found
            ],
            "pairs_asked": self.pairs.asked,
            "pairs_of": self.pairs.of,
            "needed": [
                {"column": columns[k]} | self._proved(proof, self._others(columns[k]), "without")
                for k, proof in self.needed.found
            ],
            "needed_asked": self.needed.asked,
            "nearly": [
                {"column": one.column, "wrong": list(one.wrong), "removed": list(one.removed)}
                | self._proved(one.proof, [self.names.index(one.column)])
                for one in self.nearly
            ],
            "part": None
            if self.part is None
            else {
                "columns": list(self.part.columns),
                "rows": list(self.part.rows),
                "is_smallest": self.part.is_smallest,
            }
            | self._proved(self.part_proof, [self.names.index(name) for name in self.part.columns]),
        }

    def _others(self, column: str) -> list[int]:
        """The places of all columns but those that one of the table became."""
        gone = self.groups[column]
        return [j for j in range(len(self.names)) if j not in gone]

    @staticmethod
    def _proved(proof: Separability | None, places: Sequence[int], name: str = "certificate") -> dict[str, Any]:
        """A certificate, and which columns it is about."""
        return {"places": list(places), name: None if proof is None else proof.to_dict()}


def columns_behind(
    found: Separability,
    title: str,
    labels: Array,
    numbers: ExactNumbers,
    chunk: Any,
    kinds: Mapping[str, str],
    time_limit: float | None,
) -> ExplainedColumns:
    """Ask which columns stand behind the verdict on one question.

    Parameters
    ----------
    found : Separability
        The verdict; columns are asked about where the classes, or some rows, are separable.
    title : str
        The class that is set against the rest, or nothing.
    labels : ndarray, shape (n_rows,)
        The class of each row by name.
    numbers : ExactNumbers
        What the verdict is about.
    chunk : TableChunk or rows of a matrix
        The same rows as they are in the table.
    kinds : mapping of str to str
        What the columns hold.
    time_limit : float or None
        Seconds for all of it.
    """
    deadline = deadline_of(time_limit)
    y = (class_signs(labels, found.classes) > 0).astype(np.intp)
    groups = _columns_of_table(numbers)
    nothing = ExplainedColumns(
        title,
        found.verdict,
        [],
        [],
        Pairs([], 0, 0),
        Needed([], 0),
        [],
        None,
        None,
        numbers.names,
        numbers.exponents,
        groups,
    )
    if found.verdict != "separable":
        part = _part(found, numbers, y, time_limit) if found.verdict == "quasi-separable" else None
        needed = _needed(found, numbers, y, labels, groups, [], deadline)
        proof = None if part is None else _proof_of(part, found, numbers, y, labels, deadline)
        nearly = _nearly(found, numbers, y, labels)
        return nothing._replace(part=part, part_proof=proof, needed=needed, nearly=nearly)
    alone, proofs = _that_separate(numbers, chunk, kinds, labels, y, groups)
    known = [groups[one.name] for one in alone if one.name in groups]
    pairs = Pairs([], 0, 0)
    with suppress(OutOfTimeError):
        pairs = _pairs(numbers, y, time_left(deadline))
    known += [list(pair.columns) for pair in pairs.found]
    needed = _needed(found, numbers, y, labels, groups, known, deadline)
    named = [pair._replace(proof=_named(pair.proof, found, labels)) for pair in pairs.found]
    proved = [None if proof is None else _named(proof, found, labels) for proof in proofs]
    nothing = nothing._replace(alone=alone, proofs=proved)
    return nothing._replace(pairs=pairs._replace(found=named), needed=needed)


def _needed(
    found: Separability,
    numbers: ExactNumbers,
    y: Array,
    labels: Array,
    groups: Mapping[str, list[int]],
    known: list[list[int]],
    deadline: Deadline,
) -> Needed:
    """The columns of the table whose removal changes the verdict; `known` are sets of columns that separate."""
    verdict = found.verdict
    if verdict not in ("separable", "quasi-separable"):
        return Needed([], 0)
    # Directions after the first may have rows of those before on the wrong side.
    planes = found.directions[:1] if found.hyperplane is None else [found.hyperplane]
    known = [*known, *(np.flatnonzero(w != 0).tolist() for w, _ in planes)]
    try:
        left = time_left(deadline)
    except OutOfTimeError:
        return Needed([], 0)
    limit = None if left == np.inf else left
    needed = needed_columns(numbers.X, y, list(groups.values()), verdict=verdict, separating=known, time_limit=limit)
    return needed._replace(found=[(k, _named(proof, found, labels)) for k, proof in needed.found])


def _named(proof: Separability, found: Separability, labels: Array) -> Separability:
    """The certificate with the classes by name."""
    assert proof.about is not None
    return replace(proof, classes=found.classes, about=(proof.about[0], labels))


def _columns_of_table(numbers: ExactNumbers) -> dict[str, list[int]]:
    """The columns of the table, and which columns of the certificate each became."""
    groups: dict[str, list[int]] = {}
    for j, name in enumerate(numbers.names):
        if name in (numbers.levels or {}):
            name = (numbers.levels or {})[name][0]
        elif name in (numbers.derived or {}):
            name = (numbers.derived or {})[name]["column"]
        groups.setdefault(name, []).append(j)
    return groups


def _that_separate(
    numbers: ExactNumbers,
    chunk: Any,
    kinds: Mapping[str, str],
    labels: Array,
    y: Array,
    groups: Mapping[str, list[int]],
) -> tuple[list[TellingColumn], list[Separability | None]]:
    """Columns from which every row is told, missing values being a value: exactly, or proved of its features."""
    if isinstance(chunk, TableChunk):
        telling = tell(without_skipped(chunk, kinds), labels)
    elif numbers.X.shape[1] <= MOST_COLUMNS:
        X = dense(numbers.X).astype(np.float64)
        telling = telling_columns(pa.table({name: X[:, j] for j, name in enumerate(numbers.names)}), labels)
    else:
        telling = []
    found: list[tuple[TellingColumn, Separability | None]] = []
    for one in telling:
        proof = separability(numbers.X[:, groups[one.name]], y) if one.name in groups else None
        if proof is not None and proof.verdict != "separable":
            proof = None
        if one.errors == 0 or proof is not None:
            found.append((one, proof))
    return [one for one, _ in found], [proof for _, proof in found]


def _pairs(numbers: ExactNumbers, y: Array, seconds: float) -> Pairs:
    """Pairs of columns that are numbers in the table; not asked where labels without meaning could have one."""
    plain = _plain(numbers)
    several = comb(len(plain), 2)
    if not several or log10(several) + cover_odds(y.size, 3, int(y.sum())) > _CHANCE:
        return Pairs([], 0, 0)
    X = dense(numbers.X[:, plain])
    found = separating_pairs(X, y, time_limit=None if seconds == np.inf else seconds)
    placed = [one._replace(columns=(plain[one.columns[0]], plain[one.columns[1]])) for one in found.found]
    return found._replace(found=placed)


def _plain(numbers: ExactNumbers) -> list[int]:
    """The columns that are numbers in the table."""
    return [j for j, name in enumerate(numbers.names) if name not in (numbers.levels or {})]


def _nearly(found: Separability, numbers: ExactNumbers, y: Array, labels: Array) -> list[Nearly]:
    """Columns that separate all rows but a few; not asked of very many columns, which would have to be dense."""
    plain = _plain(numbers)
    if len(plain) * y.size > _MOST_CELLS:
        return []
    near = nearly_alone(dense(numbers.X[:, plain]), y, [numbers.names[j] for j in plain])
    return [
        one._replace(
            wrong=tuple(found.in_file(one.wrong).tolist()),
            proof=_named(one.proof, found, np.delete(labels, one.removed)),
        )
        for one in near
    ]


def _part(found: Separability, numbers: ExactNumbers, y: Array, time_limit: float | None) -> SmallestSet | None:
    """The fewest columns that separate some rows, counted as in the file; None where it would take long."""
    if np.size(stored(numbers.X)) > _MOST_ENTRIES:
        return None
    X = numbers.X
    try:
        least = separation(X, y, time_limit=time_limit).smallest_set(time_limit=time_limit)
    except DataError:
        return None
    names = dict(zip((f"x{j + 1}" for j in range(X.shape[1])), numbers.names, strict=True))
    return least._replace(
        columns=tuple(names[name] for name in least.columns), rows=tuple(found.in_file(least.rows).tolist())
    )


def _proof_of(
    part: SmallestSet, found: Separability, numbers: ExactNumbers, y: Array, labels: Array, deadline: Deadline
) -> Separability | None:
    """The certificate that some columns separate some of the rows; None at the deadline."""
    try:
        left = time_left(deadline)
    except OutOfTimeError:
        return None
    places = [numbers.names.index(name) for name in part.columns]
    proof = separability(numbers.X[:, places], y, time_limit=None if left == np.inf else left)
    return _named(proof, found, labels) if proof.verdict == "quasi-separable" else None


def _alone(one: TellingColumn) -> str:
    said = f"column {one.name!r:.40} alone tells the classes apart ({one.rule})"
    return f"{said}: is it known before the label is?"


def _quoted(names: Sequence[str]) -> str:
    return listed([f"{name!r:.40}" for name in names])
