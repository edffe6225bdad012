"""The question of a `Separation` as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from linsep.theory.proof import check_head, ended_of, separation_of
from linsep.theory.rows.json_values import count, of_type
from linsep.theory.separation.families import FAMILIES, LABELLED, link_of
from linsep.theory.words.of_coefficients import estimate

# Labels are written as text; this makes labels of their type of it.
_LABELS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": {"True": True, "False": False}.__getitem__,
}


def plain_question(found: Any) -> dict[str, Any]:
    """What was asked: the model, the labels as text with their type, and the formula if there is one."""
    kinds = {type(label).__name__ for label in found.classes}
    return {
        "about": "regression",
        "family": found.family,
        "link": found.link,
        "rows": found.n_rows,
        "columns": found.n_features,
        "intercept": found.fit_intercept,
        "classes": [str(label) for label in found.classes],
        "class_type": kinds.pop() if kinds else "str",
        **({"formula": found.formula} if found.formula else {}),
    }


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
    """The fields of a `Separation` that a certificate has; nothing is verified yet.

    Raises
    ------
    AttributeError, KeyError, TypeError, ValueError
        A part is missing or is not of the right form.
    """
    question = check_head(plain, "regression")
    family, kind = of_type(question, "family", str), of_type(question, "class_type", str)
    if family not in FAMILIES or kind not in _LABELS:
        raise ValueError(f"its family is {family!r:.40}, its labels are of type {kind!r:.40}")
    classes = of_type(question, "classes", list)
    fits = len(classes) >= 2 if family in LABELLED else not classes
    if (
        not fits
        or (family == "logistic" and len(classes) > 2)
        or not all(type(name) is str for name in classes)
        or len(set(classes)) < len(classes)
    ):
        raise ValueError(f"its classes are {classes!r:.80}")
    labels = tuple(_LABELS[kind](text) for text in classes)
    if list(map(str, labels)) != classes:
        raise ValueError(f"its classes are {classes!r:.80}, which is not how such labels are written")
    ended, proof = ended_of(plain), plain["proof"]
    if (proof is None) != (ended is not None):
        raise ValueError("it holds a proof and says that the search ended before, or neither")
    return {
        "verdict": "not verified",
        "family": family,
        "link": link_of(family, of_type(question, "link", str)),
        "n_rows": count(question, "rows"),
        "n_features": count(question, "columns"),
        "fit_intercept": of_type(question, "intercept", bool),
        "classes": labels,
        "formula": of_type(question, "formula", str) if "formula" in question else "",
        "proof": None if proof is None else separation_of(of_type(plain, "proof", dict)),
        "ended": ended,
        "digest": plain["sha256"],
        "numbers": plain["numbers"],
    }
