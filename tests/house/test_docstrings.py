"""Every public signature against its docstring, with numpydoc's validator."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

MODULES = ("linsep", "linsep.theory", "linsep.plots", "linsep.distributed", "linsep.export")

# What is checked. Of numpydoc's other codes:
# GL01, GL02, GL03 and GL10: the layout that `ruff format` and the site leave free.
# GL09: nothing is deprecated.
# SS02: a summary often begins with a formula, and so with a small letter: "w += y x wherever ...".
# SS05: it takes every first word that ends in s for a verb: "Mistakes", "Rows", "This".
# ES01: one line is enough where it says everything.
# PR08 and RT04: a description may begin with a formula or a name as well.
# SA01 to SA04: the pages of the site group what belongs together.
# EX01 holds for functions and estimators (below), not for methods, results and errors.
CODES = {
    "GL05", "GL06", "GL07", "GL08", "SS01", "SS03", "SS04", "SS06",
    "PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR09", "PR10",
    "RT01", "RT02", "RT03", "RT05", "YD01",
}  # fmt: skip

# Methods that only the library itself calls.
INNER = {
    # of a learner, to streams, shards and model files
    *("check_parameters", "get_state", "check_state", "set_state", "check_rows", "counts_survival"),
    *(
        "widen",
        "start",
        "moving",
        "take_over",
        "unchanged_on_error",
        "run",
        "step_rule",
    ),
    *("watch", "reorders", "visiting_order", "count_passes", "end_run", "settle"),
    # of a learner, to a run
    *("prepare", "stop_after", "kernel_rows", "rows_to_fit", "warn_of_run", "settle_later"),
    *("check_parts", "declared", "sizes", "parts", "settled"),  # of a learner, to model files
    *("writing", "leave_to_readers"),  # of a model, to threads
    *(
        "fit_chunk",
        "alike",
        "learn_chunk",
        "encode_chunk",
        "check_chunk",
        "forget_names",
        "start_counting",
        "state",
        "from_state",
    ),
    *("extend", "as_given"),  # of a trace
}


def public() -> dict[str, Any]:
    """Everything that a user may import, by the place that defines it."""
    found: dict[str, Any] = {}
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            thing = getattr(module, name)
            if name != "__version__":
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return found


def methods_of(cls: Any) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that linsep gives to a class, those of its own bases among them."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        member = getattr(member, "fn", member)  # of scikit-learn's `available_if`
        inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(inner) or not inner.__module__.startswith("linsep"):
            continue
        yield f"{inner.__module__}.{inner.__qualname__}", member


def sections(thing: Any, title: str) -> list[str]:
    """The names that a section of the docstring lists."""
    listed = NumpyDocString(inspect.getdoc(thing) or "")[title]
    return [name.strip() for entry in listed for name in entry.name.split(",")]


PUBLIC = public()
METHODS = {
    name: member for thing in PUBLIC.values() if inspect.isclass(thing) for name, member in methods_of(thing)
}  # fmt: skip
ATTRIBUTES = {name for thing in PUBLIC.values() if inspect.isclass(thing) for name in sections(thing, "Attributes")}


def is_called_by_users(thing: Any) -> bool:
    """Functions, estimators and models; not what the library returns or raises: its fields are attributes."""
    return not inspect.isclass(thing) or hasattr(thing, "get_params") or bool(sections(thing, "Parameters"))


def faults(name: str, codes: set[str]) -> list[str]:
    """What the validator finds wrong with a docstring."""
    found = validate(name)
    returned = [entry.type for entry in NumpyDocString(found["docstring"])["Returns"]]
    left_out = {"RT03"} if returned == ["self"] else set()  # that says it all
    return [f"{name}: {code} {text}" for code, text in found["errors"] if code in codes - left_out]


def test_public_names_are_documented() -> None:
    for name, thing in PUBLIC.items():
        assert not faults(name, CODES | {"EX01"} if is_called_by_users(thing) else CODES - {"PR01"})


def test_public_methods_are_documented() -> None:
    for name, member in METHODS.items():
        last = name.rpartition(".")[2]
        if last in INNER or (isinstance(member, property) and last in ATTRIBUTES):
            continue
        codes = CODES
        if not isinstance(member, property):
            takes_nothing = len(inspect.signature(getattr(member, "__func__", member)).parameters) <= 1
            # Such a method may say in its first line what it returns.
            codes = CODES - {"RT01"} if takes_nothing else CODES
        assert not faults(name, codes)


def test_results_document_their_fields() -> None:
    for name, thing in PUBLIC.items():
        if dataclasses.is_dataclass(thing):
            fields = {field.name for field in dataclasses.fields(thing) if not field.name.startswith("_")}
            assert fields <= set(sections(thing, "Attributes")), name
