"""What a `Separation` says as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, TypeVar

from linsep.regression.units import powers_of_plain
from linsep.theory.rows.json_values import count, of_type, reason_of, whole_count
from linsep.theory.separation.certificate import proof_of_plain
from linsep.theory.separation.families import FAMILIES, LABELLED, link_of
from linsep.theory.separation.sentences import estimate
from linsep.theory.verify.separation import FINITE, UNDETERMINED, UNIDENTIFIED, UNSIGNED

FORMAT = "linsep separation certificate 3"
NEAR_FORMAT = "linsep separation certificate 5"  # with near_weights, which earlier releases do not know
_EARLIER = "linsep separation certificate 2"  # its vectors have every entry
_GONE = {
    "linsep separation certificate 1": "1, whose hash is neither of the classes nor of the intercept",
    "linsep separation certificate 4": "4, whose weights near exact ones brought a proof of their own",
}
VERDICTS = ("complete", "quasi-complete", "overlap", "undecided")
T = TypeVar("T")
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


def plain_options(family: str, link: str, left_out: int, constant: Sequence[str]) -> dict[str, Any]:
    """What differs from the plain regression of a family on all rows, under one key; no key if nothing does."""
    options: dict[str, Any] = {} if link == link_of(family, None) else {"link": link}
    options |= {"left_out": left_out} if left_out else {}
    options |= {"constant_columns": list(constant)} if constant else {}
    return {"options": options} if options else {}


def plain_coefficients(coefficients: Mapping[Any, str | float]) -> dict[str, Any]:
    """Coefficient -> what is said of it, infinities as "+inf" and "-inf"; those of a class under its label."""
    out: dict[str, Any] = {}
    for name, value in coefficients.items():
        if isinstance(name, tuple):
            out.setdefault(str(name[0]), {})[name[1]] = estimate(value)
        else:
            out[name] = estimate(value)
    return out


def plain_formula(text: str, n_missing: int, fixed_effects: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """What there is only where a formula was given."""
    if not text:
        return {}
    counts = {effect: dict(count) for effect, count in fixed_effects.items()}
    return {"formula": {"text": text, "missing": n_missing, "fixed_effects": counts}}


def _formula_of(plain: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `Separation` that `plain_formula` wrote."""
    if "formula" not in plain:
        return {}
    formula = of_type(plain, "formula", dict)
    return {
        "formula": of_type(formula, "text", str),
        "n_missing": whole_count(formula["missing"], "the number of rows with missing values"),
        "fixed_effects": {
            effect: {text: whole_count(n, "a number of coefficients") for text, n in counts.items()}
            for effect, counts in of_type(formula, "fixed_effects", dict).items()
        },
    }


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
    if [str(label) for label in labels.values()] != list(labels):
        raise ValueError(f"its classes are {list(labels)!r}, which is not how such labels are written")
    coefficients = of_type(plain, "coefficients", dict)
    if plain["family"] == "multinomial":
        coefficients = {
            (_chosen(labels, text, "class"), name): value
            for text, block in coefficients.items()
            for name, value in block.items()
        }
    options = of_type(plain, "options", dict) if "options" in plain else {}
    separated = [whole_count(row, "a separated row") for row in of_type(plain, "separated_rows", list)]
    return {
        "verdict": plain["verdict"],
        "family": plain["family"],
        "link": link_of(plain["family"], options.get("link")),
        "left_out": count(options, "left_out") if "left_out" in options else 0,
        "constant_columns": tuple(options.get("constant_columns", ())),
        "n_rows": count(plain, "rows"),
        "n_features": count(plain, "features"),
        "fit_intercept": of_type(plain, "fit_intercept", bool),
        "separated_rows": tuple(separated),
        "coefficients": {name: _chosen(_ESTIMATES, value, "estimate") for name, value in coefficients.items()},
        "pairs": tuple((whole_count(row, "a row"), _chosen(labels, text, "class")) for row, text in plain["pairs"]),
        "classes": tuple(labels.values()),
        "references": dict(of_type(plain, "references", dict)),
        "rank": None if plain["rank"] is None else count(plain, "rank"),
        "proof": None if plain["proof"] is None else proof_of_plain(plain["proof"]),
        "reason": reason_of(plain),
        "levels": {name: (column, level) for name, (column, level) in plain["levels"].items()},
        "separated_levels": {
            column: {level: whole_count(n, "a number of rows") for level, n in levels.items()}
            for column, levels in plain["separated_levels"].items()
        },
        "digest": plain["sha256"],
        "numbers": plain["numbers"],
        "powers": powers_of_plain(plain),
        "said_fragile": of_type(plain, "fragile", bool) if "fragile" in plain else None,
        "n_missing": len(plain.get("missing_rows", ())),
        "missing_rows": tuple(whole_count(row, "a missing row") for row in plain.get("missing_rows", ())),
        **_formula_of(plain),
    }


def _check_head(plain: dict[str, Any]) -> None:
    """Raise ValueError unless the parts of which there is a choice hold one of their values."""
    if (form := of_type(plain, "format", str)) in _GONE:
        raise ValueError(f"it is of format {_GONE[form]}; make it again")
    if form not in (NEAR_FORMAT, FORMAT, _EARLIER):
        raise ValueError(f"its format is {form!r:.80}")
    if (form == NEAR_FORMAT) != ("near_weights" in (plain["proof"] or {})):
        raise ValueError("it has weights near exact ones, or lacks them, which its format does not say")
    if len(of_type(plain, "sha256", str)) != 64:
        raise ValueError("it lacks the hash of the data that it is about")
    choices = {"verdict": VERDICTS, "family": FAMILIES, "numbers": ("doubles", "rationals"), "class_type": _LABELS}
    for name, values in choices.items():
        _chosen(dict.fromkeys(values), plain[name], name)
    decided = plain["verdict"] != "undecided"
    if decided != (plain["proof"] is not None) or decided != (plain["rank"] is not None):
        raise ValueError(f"the proof of {plain['verdict']!r} is missing, or is of another verdict")
    if decided != (plain["reason"] == ""):
        raise ValueError(f"its reason is {plain['reason']!r}, which is that of another verdict")
    classes = of_type(plain, "classes", list)
    known = all(type(name) is str for name in classes) and len(set(classes)) == len(classes)
    if not known or not _fits(plain["family"], len(classes)):
        raise ValueError(f"its classes are {classes!r}")


def _chosen(values: Mapping[Any, T], value: Any, name: str) -> T:
    """What one of a few texts stands for."""
    if not isinstance(value, str) or value not in values:
        raise ValueError(f"its {name} is {value!r}")
    return values[value]


def _fits(family: str, n_classes: int) -> bool:
    """Whether a model of this family has so many labels."""
    if family not in LABELLED:
        return n_classes == 0
    return n_classes == 2 if family == "logistic" else n_classes >= 2
