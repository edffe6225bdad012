"""Proofs as files of VIPR 1.0, for checkers that know nothing of linsep, and their questions as SMT-LIB, for solvers.

Rows z_i of a cone are constraints `R<i>` on a direction d: z_i.d >= 1 for all rows, which asks for a plane; or
z_i.d >= 0 and the sum of all rows, `S`, >= 1, which asks for a direction. Equalities are z_i.d = 0. A file says that
some d fulfils them, or that none does.
Source: Cheung, Gleixner and Steffy 2017, Verifying integer programming results; certificate file format, version 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat

from linsep.files import open_output
from linsep.tables import is_sparse
from linsep.theory.verify.cone import ConeProof, Rows, Vector
from linsep.types import Array, DataError

Numbers = Mapping[int, Any]  # place -> integer or Fraction
_OF_ROWS = """\
; x0, x1, ... are the weights of the columns, each over a number of its own that is not 0, and b is the constant.
; R7 is row 7 of the table, counted from 0, times 1 or -1 by its label. S is the sum of those that are no equalities."""
_OF_INEQUALITIES = """\
; d0, d1, ... are the coefficients of a regression, each over a number of its own that is not 0.
; R7 is inequality 7 of its cone, counted from 0. S is the sum of all that are no equalities."""
_HOLDS = "such a file holds exact weights of what is decided"


class Constraint(NamedTuple):
    """left.d >= right, or = right if `equal`."""

    name: str
    equal: bool
    right: int
    left: Numbers


@dataclass(frozen=True)
class Cone:
    """Rows and what is proved of them; the names of coordinates of d, and the numbers of rows: 0, 1, ... if None.

    With `planes` a plane that has all rows strictly on its side is asked about, too.
    """

    rows: Rows
    proof: ConeProof
    names: Sequence[str]
    ids: Array | None = None
    planes: bool = False

    def statements(self) -> Iterator[tuple[str, list[Constraint], Iterator[str]]]:
        """What is proved: its name, the constraints, and the lines that prove it; with a name in "no-" none fulfils."""
        proof, left, weights = self.proof, list(self.proof.left), self.proof.weights
        if proof.directions:
            strict = self.planes and not left
            every = self._constraints(range(proof.n_rows), strict=strict)
            yield "plane" if strict else "direction", every, self._fulfilled(strict=strict)
        if self.planes and weights:
            ids = sorted(weights)
            yield "no-plane", self._constraints(ids, strict=True), _refuted([weights[i] for i in ids], 0)
        if left and proof.basis is not None and not all(map(self.equal, left)):
            yield "no-direction", self._constraints(left, strict=False), _refuted(*self._spanned(left))

    def _fulfilled(self, *, strict: bool) -> Iterator[str]:
        """Some d fulfils them: the directions taken in turn, added with weights that fall fast enough."""
        Z = [self.row(i) for i in range(self.proof.n_rows)]
        d: Numbers = {}
        for ahead in reversed(self.proof.directions):
            at, sides = [_dot(z, ahead) for z in Z], [_dot(z, d) for z in Z]
            t = max([1, *(1 - Fraction(v) / u for u, v in zip(at, sides, strict=True) if u > 0)])
            d = {j: t * ahead.get(j, 0) + d.get(j, 0) for j in {*ahead, *d}}
        sides = [_dot(z, d) for z in Z]
        least = Fraction(min(sides) if strict else sum(sides))
        yield f"RTP range -inf 0\nSOL 1\nd {_sparse({j: v / least for j, v in d.items()})}\nDER 0"

    def _spanned(self, left: Sequence[int]) -> tuple[list[Any], int]:
        """Weights > 0 of the rows left, and of their sum, that add up to 0: the basis spans that sum."""
        assert self.proof.basis is not None
        weights, basis = self.proof.weights, self.proof.basis
        taken = dict(zip(basis, _solved([self.row(i) for i in basis], self._total(left), len(self.names)), strict=True))
        t = max([Fraction(0), *(c / weights[i] for i, c in taken.items() if not self.equal(i))])
        return [t * weights.get(i, 0) - taken.get(i, 0) for i in left], 1

    def _constraints(self, ids: Sequence[int], *, strict: bool) -> list[Constraint]:
        """What is asked of d about these rows: it follows from the table alone."""
        names = ids if self.ids is None else [int(self.ids[i]) for i in ids]
        found = [
            Constraint(f"R{name}", self.equal(i), int(strict and not self.equal(i)), self.row(i))
            for name, i in zip(names, ids, strict=True)
        ]
        return found if strict else [*found, Constraint("S", False, 1, self._total(ids))]

    def _total(self, ids: Sequence[int]) -> Numbers:
        """The sum of the rows that are no equalities."""
        out: dict[int, Any] = {}
        for i in ids:
            for j, v in self.row(i).items() if not self.equal(i) else ():
                out[j] = out.get(j, 0) + v
        return out

    def equal(self, i: int) -> bool:
        """Whether row i is an equality."""
        return self.rows.equal is not None and bool(self.rows.equal[i])

    def row(self, i: int) -> Numbers:
        """z_i without its zeros."""
        X, s = self.rows.X, 1 if self.rows.s is None else int(self.rows.s[i])
        if is_sparse(X):
            at = slice(X.indptr[i], X.indptr[i + 1])
            entries = zip(X.indices[at].tolist(), X.data[at].tolist(), strict=True)
        else:
            entries = zip(range(X.shape[1]), X[i].tolist(), strict=True)
        out = {j: s * (v if isinstance(v, int) else Fraction(v)) for j, v in entries if v}
        return out | {X.shape[1]: s} if self.rows.constant else out


class InVipr:
    """Answers whose proof checkers of VIPR can check."""

    def _cone(self) -> Cone | None:
        """What is proved of which rows; None where it is not known."""
        raise NotImplementedError

    def to_vipr(self, path: str | Path) -> list[Path]:
        """Write the proof for checkers of VIPR, the format of the exact SCIP, and return the files: one a statement.

        Columns are called x0, x1, ... and the intercept b, where each has one coefficient, or else d0, d1, ...; R7 is
        row 7, counted from 0, of the table that was read, where each row has one inequality.
        `examples/compare_vipr.py` proves what such a file says of the table, where it is about two classes or a
        logistic regression.

        Parameters
        ----------
        path : str or Path
            The file; of several statements each has its name before the suffix: "a.direction.vipr", "a.no-plane.vipr".

        Returns
        -------
        list of Path
            The files written.

        Raises
        ------
        DataError
            Nothing is decided, the data are not known, or weights are near exact ones: ask again with `exact=True`.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from linsep import separability
        >>> found = separability([[0], [1], [2]], [0, 0, 1])
        >>> [written] = found.to_vipr(pathlib.Path(tempfile.mkdtemp(), "a.vipr"))
        >>> written.read_text().splitlines()[7:10]
        ['R0 G 1 1 1 -1', 'R1 G 1 2 0 -1 1 -1', 'R2 G 1 2 0 2 1 1']
        """
        return self._written(path, _vipr)

    def to_smtlib(self, path: str | Path) -> list[Path]:
        """Write the same questions, and the answers, as SMT-LIB (logic QF_LRA), which z3 and cvc5 answer by themselves.

        Parameters
        ----------
        path : str or Path
            As of `to_vipr`.

        Returns
        -------
        list of Path
            The files written.

        Raises
        ------
        DataError
            As of `to_vipr`.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from linsep import separability
        >>> found = separability([[0], [1], [2]], [0, 0, 1])
        >>> [written] = found.to_smtlib(pathlib.Path(tempfile.mkdtemp(), "a.smt2"))
        >>> written.read_text().splitlines()[3:7:3]
        ['(set-info :status sat)', '(assert (! (>= (+ 0.0 0.0 (* (- 1.0) b)) 1.0) :named R0))']
        """
        return self._written(path, _smtlib)

    def _written(self, path: str | Path, form: Callable[..., Iterator[str]]) -> list[Path]:
        cone = self._cone()
        if cone is None:
            raise DataError("the proof and its data are not both known: verify this certificate with the data first")
        if cone.proof.within:
            raise DataError(f"{_HOLDS}: ask again for exact weights (exact=True, --set exact=yes)")
        found = list(cone.statements())
        if not found:
            raise DataError(f"{_HOLDS}, and nothing is decided here")
        out, path = list[Path](), Path(path)
        for what, constraints, proof in found:
            out.append(path if len(found) == 1 else path.with_suffix(f".{what}{path.suffix}"))
            with open_output(out[-1], "the certificate") as file:
                file.writelines(f"{line}\n" for line in form(cone.names, what, constraints, proof))
        return out


def _vipr(names: Sequence[str], _: str, constraints: Sequence[Constraint], proof: Iterator[str]) -> Iterator[str]:
    yield f"VER 1.0\nVAR {len(names)}\n{' '.join(names)}\nINT 0\nOBJ min\n0\nCON {len(constraints)} 0"
    yield from (f"{name} {'E' if equal else 'G'} {right} {_sparse(left)}" for name, equal, right, left in constraints)
    yield from proof


def _smtlib(names: Sequence[str], what: str, constraints: Sequence[Constraint], _: Iterator[str]) -> Iterator[str]:
    yield _OF_INEQUALITIES if names[0] == "d0" else _OF_ROWS
    yield f"(set-logic QF_LRA)\n(set-info :status {'unsat' if what.startswith('no-') else 'sat'})"
    yield from (f"(declare-const {name} Real)" for name in names)
    for name, equal, right, left in constraints:
        terms = " ".join(f"(* {_real(v)} {names[j]})" for j, v in sorted(left.items()) if v)
        yield f"(assert (! ({'=' if equal else '>='} (+ 0.0 0.0 {terms}) {right}.0) :named {name}))"
    yield "(check-sat)"


def _refuted(weights: Sequence[Any], of_sum: int) -> Iterator[str]:
    """No d fulfils them: with these weights, and that of the sum, they add up to 0 >= 1 or more."""
    combination = {k: v for k, v in enumerate([*weights, of_sum]) if v}
    least = of_sum or sum(combination.values())
    yield f"RTP infeas\nSOL 0\nDER 1\nD G {_text(least)} 0 {{ lin {_sparse(combination)} }} -1"


def _solved(rows: Sequence[Numbers], target: Numbers, width: int) -> list[Fraction]:
    """Numbers c with sum c_k rows_k = target, which there are."""
    lines = [[fmpq(*row.get(j, 0).as_integer_ratio()) for row in (*rows, target)] for j in range(width)]
    reduced, rank = fmpq_mat(lines).rref()
    out = [Fraction(0)] * len(rows)
    for line in reduced.tolist()[:rank]:
        last = line[-1]
        out[next(k for k, v in enumerate(line) if v != 0)] = Fraction(int(last.p), int(last.q))
    return out


def _dot(z: Numbers, d: Vector | Numbers) -> Any:
    return sum(v * d[j] for j, v in z.items() if j in d)


def _text(value: Any) -> str:
    return str(fmpq(*value.as_integer_ratio()))  # Python writes no more than 4,300 digits


def _real(value: Any) -> str:
    top, _, bottom = _text(abs(value)).partition("/")
    size = f"(/ {top}.0 {bottom}.0)" if bottom else f"{top}.0"
    return f"(- {size})" if value < 0 else size


def _sparse(entries: Numbers) -> str:
    kept = [f"{j} {_text(v)}" for j, v in sorted(entries.items()) if v]
    return " ".join([str(len(kept)), *kept])
