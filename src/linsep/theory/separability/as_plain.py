"""A certificate of separability as plain values for JSON, and back: nothing that is read is believed or computed with.

What only repeats other parts (the summary, whether the set is maximal) must say what follows from them; the verdict,
the margin and fragility are looked at by `Separability.verify`, which has the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, get_args

import numpy as np

from linsep.theory.rows.json_values import count, from_plain, of_type, reason_of, row_list, to_plain
from linsep.theory.separability.combination import Combination, NearCombination
from linsep.theory.separability.near_as_plain import near_weights_of
from linsep.types import Array, Hyperplane, Verdict

FORMAT = "linsep separability certificate 2"
NEAR_FORMAT = "linsep separability certificate 4"  # with near_weights, which earlier releases do not know
_GONE = {
    "linsep separability certificate 1": "1, whose hash is neither of the classes nor of the intercept",
    "linsep separability certificate 3": "3, whose weights near exact ones brought a proof of their own",
}
_MOST_BYTES = 2**30  # of memory that reading one certificate may take


def plain_plane(plane: Hyperplane | None) -> dict[str, Any] | None:
    """The weights of a plane and its intercept."""
    if plane is None:
        return None
    w = [to_plain(v) if isinstance(v, int) else v for v in plane.w.tolist()]
    return {"w": w, "b": to_plain(plane.b) if isinstance(plane.b, int) else plane.b}


def plain_direction(plane: Hyperplane) -> dict[str, Any]:
    """The columns and integers of a direction, and its intercept."""
    w = {j: v for j, v in enumerate(plane.w.tolist()) if v}
    return {**plain_vector(w), "b": to_plain(int(plane.b))}


def plain_vector(vector: Mapping[int, int]) -> dict[str, list[Any]]:
    """The columns and integers of a null vector."""
    return {"columns": list(vector), "values": [to_plain(v) for v in vector.values()]}


def plain_combination(part: Combination | None) -> dict[str, list[Any]] | None:
    """The rows of a witness or an overlap, and their weights."""
    return None if part is None else {"rows": list(part.rows), "weights": [to_plain(v) for v in part.weights]}


# ------------------------------------------------------------------- reading
def parts_of(plain: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `Separability` from the plain values that its `to_dict` wrote; nothing is verified yet.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    _check_head(plain)
    n, p = count(plain, "rows"), count(plain, "features")
    directions = of_type(plain, "directions", list)
    if 8 * (n + p * (1 + len(directions))) > _MOST_BYTES:
        raise ValueError(
            f"it speaks of {n:,} rows, {p:,} columns and {len(directions):,} directions, which would take more than "
            f"{_MOST_BYTES // 2**30} GiB to hold"
        )
    intercept = of_type(plain, "fit_intercept", bool)
    near = None if plain["format"] == FORMAT else near_weights_of(of_type(plain, "near_weights", dict), n)
    combined = None if near is None else NearCombination.near(near)
    return {
        "verdict": plain["verdict"],
        "n_rows": n,
        "n_features": p,
        "fit_intercept": intercept,
        "classes": tuple(plain["classes"]),
        "hyperplane": _plane_of(plain["hyperplane"], p),
        "directions": tuple(_direction_of(direction, p) for direction in directions),
        "rows_left": _rows_left(plain, n, bool(directions)),
        "witness": _combination_of(plain["witness"], n, "its witness") or combined,
        "overlap": _combination_of(plain["overlap"], n, "its overlap") or combined,
        "near_weights": near,
        "null": tuple(dict(_pairs(vector, p + 1, "a null vector")) for vector in of_type(plain, "null", list)),
        "reason": reason_of(plain),
        "left_out": _left_out(plain, n),
        "digest": plain["sha256"],
        "numbers": plain["numbers"],
        "said_fragile": of_type(plain, "fragile", bool),
        "said_margin": _margin_of(plain["margin"], "free" if intercept else None),
    }


def _check_head(plain: dict[str, Any]) -> None:
    """Raise ValueError unless it is of this format, and the parts of which there is a choice hold one of them."""
    if "one_against_rest" in plain:
        raise ValueError("it holds a certificate for each class: `verify_certificate` reads all of them")
    if (form := of_type(plain, "format", str)) in _GONE:
        raise ValueError(f"it is of format {_GONE[form]}; make it again")
    if form not in (FORMAT, NEAR_FORMAT):
        raise ValueError(f"its format is {form!r:.80}")
    if len(of_type(plain, "sha256", str)) != 64:
        raise ValueError("it lacks the hash of the rows that it is about")
    for name, values in (("verdict", get_args(Verdict)), ("numbers", ("doubles", "rationals"))):
        if of_type(plain, name, str) not in values:
            raise ValueError(f"its {name} is {plain[name]!r}")
    classes = of_type(plain, "classes", list)
    if len(classes) != 2 or not all(type(name) is str for name in classes) or classes[0] == classes[1]:
        raise ValueError("its classes are not two different names")


def _rows_left(plain: dict[str, Any], n: int, divided: bool) -> Array:
    """The rows that the directions leave; a file names these or the others, whichever are fewer."""
    names = [name for name in ("rows_left", "separated_rows") if name in plain]
    if len(names) != 1:
        raise ValueError("it must name either the rows left or the separated rows")
    named = row_list(plain[names[0]], n, f"its {names[0]}")
    if not divided:
        if named or names[0] != ("rows_left" if plain["verdict"] == "separable" else "separated_rows"):
            raise ValueError("it divides the rows without a direction that does")
        return np.zeros(0, dtype=np.int64)
    chosen = np.zeros(n, dtype=bool)
    chosen[named] = True
    return np.flatnonzero(chosen if names[0] == "rows_left" else ~chosen)


def _left_out(plain: dict[str, Any], n: int) -> tuple[int, ...]:
    """The rows of the file that are no part of the question; there are n others."""
    named = plain.get("rows_left_out", [])
    rows = row_list(named, n + len(named), "its rows_left_out")
    if rows != sorted(rows):
        raise ValueError("its rows_left_out are not in ascending order")
    return tuple(rows)


def _number(value: Any) -> Any:
    """A finite double, or an integer as `to_plain` wrote it."""
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return value
    return from_plain(value)


def _plane_of(plain: Any, p: int) -> Hyperplane | None:
    if plain is None:
        return None
    w = [_number(value) for value in of_type(plain, "w", list)]
    if len(w) != p:
        raise ValueError(f"its hyperplane has {len(w)} weights for {p} columns")
    dtype = np.float64 if all(isinstance(value, float) for value in w) else object
    return Hyperplane(np.array(w, dtype=dtype), _number(plain["b"]))


def _pairs(plain: dict[str, Any], width: int, what: str) -> list[tuple[int, int]]:
    columns = row_list(plain["columns"], width, f"{what} of columns")
    return list(zip(columns, map(from_plain, of_type(plain, "values", list)), strict=True))


def _direction_of(plain: dict[str, Any], p: int) -> Hyperplane:
    w = np.zeros(p, dtype=object)
    for j, value in _pairs(plain, p, "a direction"):
        w[j] = value
    return Hyperplane(w, from_plain(plain["b"]))


def _combination_of(plain: Any, n: int, what: str) -> Combination | None:
    if plain is None:
        return None
    rows = row_list(plain["rows"], n, what)
    weights = tuple(map(from_plain, of_type(plain, "weights", list)))
    if len(weights) != len(rows):
        raise ValueError(f"{what} has {len(rows)} rows and {len(weights)} weights")
    return Combination(tuple(rows), weights)


def _margin_of(plain: Any, bias: str | None) -> tuple[float, float] | None:
    """The two ends of the bracket of the margin."""
    if plain is None:
        return None
    lower, upper = (of_type(plain, name, float) for name in ("lower", "upper"))
    if not 0 < lower <= upper < float("inf") or plain["bias"] != bias:
        raise ValueError(f"its margin lies between {lower} and {upper}, of bias {plain['bias']!r}: no margin can")
    return lower, upper
