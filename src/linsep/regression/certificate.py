"""What a `Separation` says as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from linsep.theory.separation.certificate import proof_of_plain
from linsep.theory.separation.model_rows import FAMILIES
from linsep.theory.separation.sentences import estimate
from linsep.theory.verify.separation import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED

FORMAT = "linsep separation certificate 1"
VERDICTS = ("complete", "quasi-complete", "overlap", "undecided")
_EITHER = (False, True)
_ESTIMATES: dict[str, str | float] = {
    estimate(value): value for value in (inf, -inf, FINITE, UNDETERMINED, UNSIGNED, UNIDENTIFIED)
}
# Labels are written as text; this makes labels of their type of it.
_LABELS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": {"True": True, "False": False}.__getitem__,
}


def plain_classes(classes: tuple[Any, ...]) -> dict[str, Any]:
    """The labels as text, and what type they have."""
    kinds = {type(label).__name__ for label in classes}
    return {"classes": [str(label) for label in classes], "class_type": kinds.pop() if kinds else "str"}


def plain_coefficients(coefficients: Mapping[Any, str | float]) -> dict[str, Any]:
    """Coefficient -> what is said of it, infinities as "+inf" and "-inf"; those of a class under its label."""
    out: dict[str, Any] = {}
    for name, value in coefficients.items():
        if isinstance(name, tuple):
            out.setdefault(str(name[0]), {})[name[1]] = estimate(value)
        else:
            out[name] = estimate(value)
    return out


def parts_of(plain: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `Separation` from the plain values that its `to_dict` wrote; nothing is verified yet.

    Raises
    ------
    AttributeError, KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    _check_head(plain)
    read_label = _LABELS[plain["class_type"]]
    labels = {text: read_label(text) for text in plain["classes"]}
    coefficients = plain["coefficients"]
    if plain["family"] == "multinomial":
        coefficients = {
            (labels[text], name): value for text, block in coefficients.items() for name, value in block.items()
        }
    return {
        "verdict": plain["verdict"],
        "family": plain["family"],
        "n_rows": _count(plain["rows"]),
        "n_features": _count(plain["features"]),
        "fit_intercept": plain["fit_intercept"],
        "separated_rows": tuple(map(_count, plain["separated_rows"])),
        "coefficients": {name: _ESTIMATES[value] for name, value in coefficients.items()},
        "pairs": tuple((_count(row), labels[text]) for row, text in plain["pairs"]),
        "classes": tuple(labels.values()),
        "references": dict(plain["references"]),
        "rank": None if plain["rank"] is None else _count(plain["rank"]),
        "proof": None if plain["proof"] is None else proof_of_plain(plain["proof"]),
        "reason": str(plain["reason"]),
        "levels": {name: (column, level) for name, (column, level) in plain["levels"].items()},
        "separated_levels": {
            column: {level: _count(n) for level, n in levels.items()}
            for column, levels in plain["separated_levels"].items()
        },
        "digest": plain["sha256"],
        "numbers": plain["numbers"],
    }


def _check_head(plain: dict[str, Any]) -> None:
    """Raise ValueError unless the parts of which there is a choice hold one of their values."""
    if plain["format"] != FORMAT:
        raise ValueError(f"its format is {plain['format']!r}")
    if not isinstance(plain["sha256"], str) or len(plain["sha256"]) != 64:
        raise ValueError("it lacks the hash of the data that it is about")
    choices = {"verdict": VERDICTS, "family": FAMILIES, "numbers": ("doubles", "rationals"), "fit_intercept": _EITHER}
    for name, values in choices.items():
        if plain[name] not in values:
            raise ValueError(f"its {name} is {plain[name]!r}")
    decided = plain["verdict"] != "undecided"
    if decided != (plain["proof"] is not None) or decided != (plain["rank"] is not None):
        raise ValueError(f"the proof of {plain['verdict']!r} is missing, or is of another verdict")
    if len(set(plain["classes"])) != len(plain["classes"]) or not _fits(plain["family"], len(plain["classes"])):
        raise ValueError(f"its classes are {plain['classes']!r}")


def _fits(family: str, n_classes: int) -> bool:
    """Whether a model of this family has so many labels."""
    return n_classes == {"logistic": 2, "poisson": 0}.get(family, max(2, n_classes))


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a whole number of 0 or more")
    return value
