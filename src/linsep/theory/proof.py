"""Proofs as plain values for JSON (format `linsep certificate 1`), and back; nothing that is read is believed.

A certificate holds the SHA-256 of the data, the question and the proof. All that is said in words follows from these
once `verify` has seen the data, and is not stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import takewhile
from math import isfinite
from typing import Any

import numpy as np

from linsep.tables import holds_doubles, is_sparse
from linsep.theory.rows.deadline import INTERRUPTED, UNCHECKED
from linsep.theory.rows.json_values import MOST, count, from_plain, of_type, row_list, to_plain, whole_count
from linsep.theory.verify.cone import CertificateError, ConeProof, Vector, Weights
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import Array, DataError

FORMAT = "linsep certificate 1"
_MOST_ROWS, _MOST_VECTORS = 2**24, 2**21  # of which each is held
# Keys of plain values that say in words or numbers what follows from the others: no certificate holds them.
SAID = frozenset(
    {
        *("verdict", "summary", "reason", "fragile", "margin", "rank", "separated_rows", "coefficients", "pairs"),
        *("references", "levels", "fixed_effects", "advice", "file_rows", "at_least", "at_most"),
        *("missing", "rows_without_weight", "constant_columns", "groups"),
    }
)


def without_words(plain: Any) -> Any:
    """Plain values without what only says what follows from the others: a certificate.

    Examples
    --------
    >>> without_words({"format": FORMAT, "verdict": "separable", "sha256": "0"})
    {'format': 'linsep certificate 1', 'sha256': '0'}
    """
    if isinstance(plain, dict):
        # In other objects these may be names: of classes, of columns, of what is said of two columns.
        said = SAID if plain.get("format") == FORMAT else ()
        return {key: without_words(value) for key, value in plain.items() if key not in said}
    return [without_words(value) for value in plain] if isinstance(plain, list) else plain


def plain_weights(weights: Weights) -> dict[str, list[Any]]:
    """Rows and their weights; integers beyond 2^53 are hexadecimal text.

    Examples
    --------
    >>> plain_weights({1: 2, 4: 2**60})
    {'rows': [1, 4], 'values': [2, '0x1000000000000000']}
    """
    return {"rows": list(weights), "values": list(map(to_plain, weights.values()))}


def weights_of(plain: dict[str, Any], n: int = MOST) -> dict[int, int]:
    """Weights of some of n rows."""
    rows = row_list(plain["rows"], n, "the rows with weights")
    return dict(zip(rows, map(from_plain, of_type(plain, "values", list)), strict=True))


def plain_vectors(vectors: Sequence[Vector]) -> dict[str, list[Any]]:
    """Unit vectors, which are many, by their columns, before the others.

    Examples
    --------
    >>> plain_vectors([{0: 1}, {1: 2, 3: -1}])
    {'units': [0], 'columns': [[1, 3]], 'values': [[2, -1]]}
    """
    units = [next(iter(v)) for v in takewhile(lambda v: len(v) == 1 and next(iter(v.values())) == 1, vectors)]
    rest = vectors[len(units) :]
    return {
        "units": units,
        "columns": [list(v) for v in rest],
        "values": [list(map(to_plain, v.values())) for v in rest],
    }


def vectors_of(plain: dict[str, Any]) -> tuple[Vector, ...]:
    """Vectors of integers, column -> entry without zeros."""
    if len(of_type(plain, "units", list)) > _MOST_VECTORS:
        raise ValueError(f"it has {len(plain['units']):,} unit vectors, more than {_MOST_VECTORS:,}")
    units: list[Vector] = [{whole_count(j, "a column"): 1} for j in plain["units"]]
    pairs = zip(of_type(plain, "columns", list), of_type(plain, "values", list), strict=True)
    rest = [
        dict(zip(row_list(columns, MOST, "a vector"), map(from_plain, values), strict=True))
        for columns, values in pairs
    ]
    return (*units, *({j: v for j, v in vector.items() if v} for vector in rest))


def plain_cone(proof: ConeProof) -> dict[str, Any]:
    """A proof about a cone; of the rows left and those separated it names whichever are fewer."""
    separated = proof.n_rows - len(proof.left)
    named = {"left": list(proof.left)} if len(proof.left) <= separated else {"separated": proof.separated.tolist()}
    return {
        "rows": proof.n_rows,
        "directions": plain_vectors(proof.directions),
        **named,
        "weights": plain_weights(proof.weights),
        "within": proof.within,
        "basis": None if proof.basis is None else list(proof.basis),
        "null": plain_vectors(proof.null),
    }


def cone_of(plain: dict[str, Any]) -> ConeProof:
    """The proof that `plain_cone` wrote; nothing is verified yet.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    n = count(plain, "rows")
    if n > _MOST_ROWS:
        raise ValueError(f"it speaks of {n:,} rows, more than {_MOST_ROWS:,}")
    if ("left" in plain) == ("separated" in plain):
        raise ValueError("it must name either the rows left or those separated")
    left: Sequence[int] = tuple(row_list(plain["left"], n, "the rows left")) if "left" in plain else range(n)
    if "separated" in plain and plain["separated"] != []:
        inside = np.ones(n, dtype=bool)
        inside[row_list(plain["separated"], n, "the separated rows")] = False
        left = tuple(np.flatnonzero(inside).tolist())
    return ConeProof(
        n,
        vectors_of(of_type(plain, "directions", dict)),
        left,
        weights_of(of_type(plain, "weights", dict), n),
        of_type(plain, "within", float),
        None if plain["basis"] is None else tuple(row_list(plain["basis"], n, "the basis")),
        vectors_of(of_type(plain, "null", dict)),
    )


def plain_separation(proof: SeparationProof) -> dict[str, Any]:
    """The proof about a regression: that about its cone, and what proves the signs of coefficients."""
    every = list({id(vectors): vectors for vectors in proof.opposite.values()}.values())  # many share their directions
    at = {id(vectors): k for k, vectors in enumerate(every)}
    return {
        "cone": plain_cone(proof.cone),
        "basis": list(proof.basis),
        "null": plain_vectors(proof.null),
        "signs": {str(j): plain_weights(weights) for j, weights in proof.signs.items()},
        "opposite": {
            "directions": list(map(plain_vectors, every)),
            "columns": {str(j): at[id(vectors)] for j, vectors in proof.opposite.items()},
        },
        "unsigned": list(proof.unsigned),
        "bases": list(map(list, proof.bases)),
    }


def separation_of(plain: dict[str, Any]) -> SeparationProof:
    """The proof that `plain_separation` wrote; nothing is verified yet.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    cone, opposite = cone_of(of_type(plain, "cone", dict)), of_type(plain, "opposite", dict)
    every = list(map(vectors_of, of_type(opposite, "directions", list)))
    at = {_column(j): whole_count(k, "a number of directions") for j, k in of_type(opposite, "columns", dict).items()}
    if any(k >= len(every) for k in at.values()):
        raise ValueError("directions are named that are not there")
    return SeparationProof(
        cone,
        tuple(row_list(plain["basis"], cone.n_rows, "the whole basis")),
        vectors_of(of_type(plain, "null", dict)),
        {_column(j): weights_of(weights, cone.n_rows) for j, weights in of_type(plain, "signs", dict).items()},
        {j: every[k] for j, k in at.items()},
        tuple(row_list(plain["unsigned"], MOST, "the columns without a sign")),
        tuple(tuple(row_list(basis, MOST, "a basis of columns")) for basis in of_type(plain, "bases", list)),
    )


def _column(text: str) -> int:
    if str(number := int(text)) != text:
        raise ValueError(f"{text!r} is not a column")
    return whole_count(number, "a column")


def check_head(plain: dict[str, Any], about: str) -> dict[str, Any]:
    """Return the question of a certificate of this format, which must be about this kind of question.

    Raises
    ------
    KeyError, TypeError, ValueError
        It is something else.
    """
    if (form := of_type(plain, "format", str)) != FORMAT:
        raise ValueError(f"its format is {form!r:.80}: make it again, this version reads {FORMAT!r}")
    question = of_type(plain, "question", dict)
    if of_type(question, "about", str) != about:
        raise ValueError(f"it is about {question['about']!r:.40}, not about {about}")
    if about != "fewest rows":
        if len(of_type(plain, "sha256", str)) != 64:
            raise ValueError("it lacks the hash of the data that it is about")
        if of_type(plain, "numbers", str) not in ("doubles", "rationals"):
            raise ValueError(f"its numbers are {plain['numbers']!r:.40}")
    return question


def ended_of(plain: dict[str, Any]) -> str | float | None:
    """What ended a search before all was decided: seconds, a word of this file, or None."""
    ended = plain["ended"]
    limit = type(ended) is float and isfinite(ended) and ended >= 0
    if not (ended is None or limit or ended in (INTERRUPTED, UNCHECKED)):
        raise ValueError(f"its search ended by {ended!r:.40}")
    return ended  # type: ignore[no-any-return]


_ENTRY = np.dtype([("row", "<i8"), ("column", "<i8"), ("value", "<f8")])


def data_digest(
    X: Any, response: Array, dtype: str = "i1", *, fit_intercept: bool, classes: Sequence[Any]
) -> tuple[str, str]:
    """Return the SHA-256, in hexadecimal, of the rows, the response, the names of its classes and the intercept.

    Beside it, whether the table is of "doubles" or of "rationals".

    It is that of the text "linsep data 2\\n", "n p\\n", "1\\n" or "0\\n" for a model with an intercept or without, the
    number of classes and a newline, and for each class its name as UTF-8, after the number of its bytes and a newline.
    Then come the entries that are not 0, row by row, each as row and column (signed 64-bit) and value (double),
    little-endian; a table that doubles cannot hold has the text "row column numerator/denominator\\n" instead. At last
    the response, as numbers of the type `dtype`. Signs of labels, 1 and -1, are signed bytes: 1 and 255.

    One table has one hash, whatever type of number holds it, dense or sparse; it must come from `exact_table`.

    Examples
    --------
    >>> data_digest(np.array([[0.0, 2.0]]), np.array([1.0]), fit_intercept=True, classes=["no", "yes"])[0][:8]
    '19879bc2'
    """
    n, p = X.shape
    out = hashlib.sha256(f"linsep data 2\n{n} {p}\n{int(fit_intercept)}\n{len(classes)}\n".encode())
    for name in classes:
        text = str(name).encode()
        out.update(f"{len(text)}\n".encode() + text)
    doubles = holds_doubles(X)
    step = max(1, 2**20 // p) if not is_sparse(X) else 2**16
    for start in range(0, n, step):
        _add_entries(out, X[start : start + step], start, doubles)
    out.update(np.asarray(response).astype(dtype).tobytes())
    return out.hexdigest(), "doubles" if doubles else "rationals"


def _add_entries(out: Any, part: Any, start: int, doubles: bool) -> None:
    """Hash the entries of some rows, the first of which is row `start` of the table."""
    if is_sparse(part):
        part = part.tocoo()
        order = np.lexsort((part.col, part.row))
        row, column, value = part.row[order], part.col[order], part.data[order]
    else:
        row, column = np.nonzero(part)
        value = np.asarray(part)[row, column]
    kept = value != 0  # a sparse table may store zeros
    row, column, value = row[kept] + start, column[kept], value[kept]
    if doubles:
        entries = np.empty(value.size, dtype=_ENTRY)
        entries["row"], entries["column"], entries["value"] = row, column, value
        out.update(entries.tobytes())
        return
    for i, j, v in zip(row.tolist(), column.tolist(), value.tolist(), strict=True):
        exact = Fraction(v)
        try:
            out.update(f"{i} {j} {exact.numerator}/{exact.denominator}\n".encode())
        except ValueError as error:  # Python writes no more than 4,300 digits
            raise DataError(f"row {i}, column {j}: a number with so many digits has no certificate: {error}") from None


@dataclass(frozen=True)
class Combination:
    """Rows, counted from 0, and their positive integer weights.

    Attributes
    ----------
    rows : tuple of int
        The rows, in ascending order.
    weights : tuple of int
        The weight of each of them.
    within : float
        0: the weights are exact. Else exact ones exist that differ from these by at most this share of each.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    within: float = field(default=0.0, repr=False)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Rows, then weights: `rows, weights = found.witness`."""
        return iter((self.rows, self.weights))

    @classmethod
    def of(cls, weights: Mapping[int, int], within: float = 0.0) -> Combination:
        """Make a combination from a mapping row -> weight; its rows are in ascending order.

        Parameters
        ----------
        weights : mapping of int to int
            Row -> weight.
        within : float, default=0.0
            How near exact weights are.

        Returns
        -------
        Combination
            The same rows and weights.
        """
        rows = tuple(sorted(weights))
        return cls(rows, tuple(weights[i] for i in rows), within)

    def as_dict(self) -> dict[int, int]:
        """Return row -> weight."""
        return dict(zip(self.rows, self.weights, strict=True))


def forget_words(answer: Any) -> None:
    """Forget what an answer has worked out from its fields: they may have been others, or about other rows."""
    for name in vars(answer).keys() - {one.name for one in fields(answer)}:
        del vars(answer)[name]


@contextmanager
def malformed_proves_nothing() -> Iterator[None]:
    """Within it errors of a certificate that was read from a file, which may hold anything, are a CertificateError."""
    try:
        yield
    except (CertificateError, DataError):
        raise
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise CertificateError(f"a part of the certificate is malformed: {error}") from error
