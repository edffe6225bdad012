"""The house rules: a file imports only from floors below its own, kernels stay pure, nothing pickles."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import linsep

ROOT = Path(__file__).parents[1] / "src"
FILES = sorted((ROOT / "linsep").rglob("*.py"))

# The part of the library that a module is in -> its floor. Parts on one floor do not import each other.
FLOORS = {
    "types": 0,
    "files": 1,
    "jsonable": 1,
    "markup": 1,
    "tables": 1,
    "kernels": 1,
    "data": 2,
    "theory": 2,
    "learners": 3,
    "regression": 3,
    "store": 4,
    "plots": 4,
    "distributed": 4,
    "export": 4,
    "streaming": 5,
    "reporting": 6,
    "app": 7,
}
KERNELS_MAY_IMPORT = {"__future__", "collections", "llvmlite", "math", "numba", "numpy", "typing"}
VERIFIERS = {"linsep.theory.verify.separability", "linsep.theory.verify.signs"}  # they share nothing with the search
PICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file) for file in FILES}


def imports_of(source: str, module: str, modules: set[str]) -> list[tuple[int, str]]:
    """(line, module) of every import in a file, those inside functions included."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively; write the whole name"
            base = str(node.module)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.append((node.lineno, inner if inner in modules else base))
    return found


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def broken_rules(source: str, module: str, modules: set[str]) -> list[str]:
    """Every import of a file that its place in the house forbids."""
    broken = []
    part = part_of(module)
    for line, target in imports_of(source, module, modules):
        top = target.split(".")[0]
        forbidden = top in PICKLERS
        if top == "linsep" and module != "linsep":
            other = part_of(target)
            forbidden |= other != part and FLOORS.get(other, 99) >= FLOORS[part]
            if module in VERIFIERS:
                forbidden |= target not in {"linsep.types", "linsep.theory.verify.signs"}
        elif part == "kernels":
            forbidden |= top not in KERNELS_MAY_IMPORT
        if forbidden:
            broken.append(f"{module}:{line} imports {target}")
    return broken


@pytest.mark.parametrize("file", FILES, ids=module_name)
def test_imports_go_one_way_down(file: Path) -> None:
    assert broken_rules(file.read_text(encoding="utf-8"), module_name(file), MODULES) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("linsep.types", "import linsep.kernels.rows"),
        ("linsep.kernels.rows", "import scipy.sparse"),
        ("linsep.kernels.rows", "def f():\n    from sklearn.base import BaseEstimator"),
        ("linsep.kernels.rows", "from linsep import theory"),
        ("linsep.data.sources.open", "from linsep.theory.margin.geometry import radius"),
        ("linsep.data.sources.open", "from linsep import theory"),
        ("linsep.theory.verify.separability", "from linsep.theory.margin.geometry import radius"),
        ("linsep.theory.verify.separability", "from linsep.kernels import rows"),
        ("linsep.theory.verify.signs", "from linsep.theory.rows.span import Span"),
        ("linsep.theory.margin.geometry", "def f():\n    import linsep.learners.base.classifier as base"),
        ("linsep.learners.base.classifier", "from linsep.store import save"),
        ("linsep.learners.base.classifier", "from linsep import Perceptron"),
        ("linsep.learners.base.classifier", "import linsep"),
        ("linsep.store", "from linsep.app.cli import main"),
        ("linsep.app.cli", "import pickle"),
        ("linsep.store", "from joblib import dump"),
    ],
)
def test_the_walk_sees_what_it_should(module: str, source: str) -> None:
    modules = {"linsep.theory", "linsep.kernels", "linsep.kernels.rows"}
    assert len(broken_rules(source, module, modules)) == 1


def test_every_part_has_a_floor() -> None:
    assert {part_of(module) for module in MODULES} - {""} <= FLOORS.keys()


@pytest.mark.parametrize("file", FILES, ids=module_name)
def test_files_are_short_enough_to_read(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 400


def test_the_verifier_is_short_enough_to_be_believed() -> None:
    lines = (ROOT / "linsep" / "theory" / "exact.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 100
    assert VERIFIERS <= MODULES


def test_the_public_names_are_the_names_given_out() -> None:
    assert len(set(linsep.__all__)) == len(linsep.__all__)
    for name in linsep.__all__:
        assert getattr(linsep, name).__doc__ or name == "__version__", name
    given = {name for name in vars(linsep) if not name.startswith("_")} - {"annotations"}
    # A submodule becomes an attribute of its package once imported; that gives nothing out.
    given -= {name for name in given if getattr(linsep, name) is sys.modules.get(f"linsep.{name}")}
    assert given == {name for name in linsep.__all__ if not name.startswith("_")}
