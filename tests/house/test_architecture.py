"""The house rules: a file imports only from floors below its own, kernels stay pure, nothing pickles."""

from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import house
import linsep

ROOT = Path(__file__).parents[2] / "src"
FILES = sorted((ROOT / "linsep").rglob("*.py"))

# The part of the library that a module is in -> its floor. Parts on one floor do not import each other.
FLOORS = {
    "types": 0,
    "clock": 0,
    "as_given": 1,
    "code_cache": 1,
    "declared": 1,
    "files": 1,
    "markup": 1,
    "passes": 1,
    "tables": 2,
    "scikit": 2,
    "kernels": 2,
    "data": 3,
    "model_file": 3,
    "theory": 3,
    "learners": 4,
    "regression": 4,
    "store": 5,
    "plots": 5,
    "distributed": 5,
    "export": 5,
    "explorer": 6,
    "probing": 6,
    "streaming": 6,
    "reporting": 7,
    "app": 8,
    "__main__": 9,
}
COMPILERS = {"llvmlite", "numba"}  # all compiled code lives in the kernels
KERNELS_MAY_IMPORT = {"functools", "__future__", "collections", "heapq", "llvmlite", "math", "numba", "numpy", "typing"}
PRIVATE = ("numba.core", "numba.cpython", "numba.np")  # besides what begins with an underscore
OF_NUMBA = "linsep.code_cache"  # no kernel: hears from `numba.core.event`, which Numba's manual gives to applications
VERIFY = "linsep.theory.verify"  # its files share nothing with the search: they import types and each other
ASKED_OF_VERIFIERS = {  # the checks, what they are given and what they answer
    "CertificateError",
    "ConeProof",
    "FINITE",
    "Rows",
    "SeparationProof",
    "UNDETERMINED",
    "UNIDENTIFIED",
    "UNSIGNED",
    "Vector",
    "Weights",
    "coefficients",
    "fewest",
    "rows_to_go",
    "verify",
}
PICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(file): file.read_text(encoding="utf-8") for file in FILES}
MODULES = set(SOURCES)


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


def private_imports(source: str, module: str) -> list[str]:
    """Every name of another package that a file imports although the package does not give it out."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported = [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imported = [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
        else:
            continue
        for line, name in imported:
            top, *rest = name.split(".")
            hidden = any(part.startswith("_") and not part.endswith("__") for part in rest)
            hidden |= module != OF_NUMBA and f"{name}.".startswith(tuple(f"{place}." for place in PRIVATE))
            if top != "linsep" and hidden:
                found.append(f"{module}:{line} imports {name}")
    return found


def in_room(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def helpers_taken(source: str, module: str) -> list[str]:
    """What a file outside the verifiers imports of them beyond their questions and answers."""
    if in_room(module, VERIFY):
        return []
    taken = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            taken += [alias.name for alias in node.names if in_room(alias.name, VERIFY)]
        elif isinstance(node, ast.ImportFrom) and in_room(str(node.module), VERIFY):
            taken += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "linsep.theory":
            taken += ["the room" for alias in node.names if alias.name == "verify"]
    return [name for name in taken if name not in ASKED_OF_VERIFIERS]


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
            if in_room(module, VERIFY):
                forbidden |= not (target == "linsep.types" or in_room(target, VERIFY))
        elif part == "kernels":
            forbidden |= top not in KERNELS_MAY_IMPORT
        else:
            forbidden |= top in COMPILERS and module != OF_NUMBA
        if forbidden:
            broken.append(f"{module}:{line} imports {target}")
    return broken


def test_imports_go_one_way_down() -> None:
    assert [broken for module in SOURCES for broken in broken_rules(SOURCES[module], module, MODULES)] == []


def test_nothing_private_of_another_package_is_used() -> None:
    assert [taken for module in SOURCES for taken in private_imports(SOURCES[module], module)] == []


@pytest.mark.parametrize(
    "source",
    [
        "from numba.core import cgutils",
        "import numba.np.numpy_support",
        "from sklearn.utils.validation import _check_sample_weight",
        "def f():\n    from scipy.sparse._sparsetools import csr_tocsc",
        "import pyarrow._csv as inner",
    ],
)
def test_the_search_for_private_names_sees_them(source: str) -> None:
    assert len(private_imports(source, "linsep.store")) == 1


def test_the_search_for_private_names_sees_no_others() -> None:
    source = "from numba.extending import overload\nfrom linsep.plots import _base\nfrom numpy import __version__"
    assert private_imports(source, "linsep.store") == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("linsep.types", "import linsep.kernels.rows"),
        ("linsep.kernels.rows", "import scipy.sparse"),
        ("linsep.kernels.rows", "def f():\n    from sklearn.base import BaseEstimator"),
        ("linsep.kernels.rows", "from linsep import theory"),
        ("linsep.data.columns", "from numba import njit"),
        ("linsep.learners.base.classifier", "def f():\n    import llvmlite.ir"),
        ("linsep.data.sources.open", "from linsep.theory.margin.geometry import radius"),
        ("linsep.data.sources.open", "from linsep import theory"),
        ("linsep.theory.verify.cone", "from linsep.theory.margin.geometry import radius"),
        ("linsep.theory.verify.cone", "from linsep.kernels import rows"),
        ("linsep.theory.verify.consequences", "from linsep.theory.cone.exact import Span"),
        ("linsep.theory.verify.consequences", "from linsep.theory.rows.exact_signs import row_signs"),
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


def test_files_are_short_enough_to_read() -> None:
    assert [module for module, source in SOURCES.items() if len(source.splitlines()) > 400] == []


def test_each_public_name_comes_from_the_file_that_defines_it() -> None:
    """What editors and type checkers read, `__init__.pyi`, is what is imported."""
    stub = ast.parse((ROOT / "linsep" / "__init__.pyi").read_text(encoding="utf-8"))
    homes = {a.name: node.module for node in ast.walk(stub) if isinstance(node, ast.ImportFrom) for a in node.names}
    parts = {name for name, home in homes.items() if home is None}
    assert sorted([*homes.keys() - parts, "__version__"]) == linsep.__all__
    assert homes.keys() <= set(dir(linsep))
    for name in homes.keys() - parts:
        given = getattr(linsep, name)
        assert given.__doc__, name
        assert given.__module__ == f"linsep.{homes[name]}", name
    with pytest.raises(AttributeError, match=r"No linsep attribute perceptron|has no attribute 'perceptron'"):
        getattr(linsep, "perceptron".strip())


def test_the_search_uses_no_helper_of_the_verifiers() -> None:
    assert [(module, name) for module in SOURCES for name in helpers_taken(SOURCES[module], module)] == []


@pytest.mark.parametrize(
    "source",
    [
        "from linsep.theory.verify.exact import value_signs",
        "def f():\n    from linsep.theory.verify.cone import verify, left_by",
        "import linsep.theory.verify.cone",
        "from linsep.theory.verify import cone",
        "from linsep.theory import verify",
    ],
)
def test_a_helper_taken_is_seen(source: str) -> None:
    assert len(helpers_taken(source, "linsep.theory.cone.exact")) == 1
    assert helpers_taken(source, "linsep.theory.verify.consequences") == []


def test_the_verifiers_are_as_long_as_the_documentation_says() -> None:
    files = [file for file in FILES if in_room(module_name(file), VERIFY) and file.stem != "__init__"]
    lines = {file.stem: len(SOURCES[module_name(file)].splitlines()) for file in files}
    assert lines.keys() == {"cone", "consequences", "exact"}
    for page in ("docs/numbers-that-can-be-proved.md", "docs/architecture.md", "CONTRIBUTING.md"):
        text = (ROOT.parent / page).read_text(encoding="utf-8")
        said = {name: int(count) for name, count in re.findall(r"verify/(\w+)\.py`\s+\((\d+)\s+lines\)", text)}
        assert said == lines, page


def test_the_walk_through_the_house_names_files_that_exist() -> None:
    text = (ROOT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py|(?:[a-z_]+/)+)`", text))
    assert len(named) > 50
    places = (ROOT / "linsep", ROOT, ROOT.parent)
    assert sorted(name for name in named if not any((place / name).exists() for place in places)) == []


def test_the_picture_of_the_house_is_drawn_from_its_imports() -> None:
    assert house.PICTURE.read_text(encoding="utf-8") == house.picture(), "run python docs/house.py"


def test_parts_import_each_other_in_no_circle() -> None:
    arrows = house.imports()
    assert arrows.keys() == FLOORS.keys()
    floors = house.floors(arrows)  # recursion without end where there is a circle
    assert all(
        floors[other] < floors[part] for part, others in arrows.items() for other in others - house.ground(arrows)
    )


def test_rooms_are_small_enough_to_know() -> None:
    """A dozen files and the one that says what the room is for; more want another seam."""
    for folder in {file.parent for file in FILES}:
        assert len([file for file in folder.glob("*.py") if file.stem not in ("__init__", "__main__")]) <= 14, folder
        assert (folder / "__init__.py").exists(), folder


@pytest.mark.parametrize("part", sorted(part for part in FLOORS if (ROOT / "linsep" / part).is_dir()))
def test_rooms_import_each_other_in_no_circle(part: str) -> None:
    """linsep.theory.cone stands above linsep.theory.rows, and so on; a file beside the rooms is a room of its own."""
    arrows: dict[str, set[str]] = {}
    for file in FILES:
        module = module_name(file)
        if part_of(module) == part and file.stem != "__init__":
            targets = imports_of(SOURCES[module], module, MODULES)
            rooms = {".".join(target.split(".")[:3]) for _, target in targets if part_of(target) == part}
            arrows.setdefault(".".join(module.split(".")[:3]), set()).update(rooms)
    free = {room: others - {room, f"linsep.{part}"} for room, others in arrows.items()}
    assert list(TopologicalSorter(free).static_order())
