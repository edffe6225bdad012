"""Does a test notice when one place of the verifier is another? Each place in turn is changed, in one process.

    PYTHONPATH=src:tests:tests/theory python -m mutants [--sample N] [--page docs/reliability.md]

A mutant has one comparison, operator, sign, number or condition that is another, or one statement less. A process of
its own takes its code into the functions that are there and calls the tests of `BATTERY` until one fails; what does
not end is killed. Survivors that `EQUAL` does not name, and conditions that are never true or never false, are faults.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
import random
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

MARKS = ("<!-- make mutants printed -->", "<!-- until here -->")
VERIFIER = ("exact", "cone", "consequences")
MODULES = [importlib.import_module(f"linsep.theory.verify.{name}") for name in VERIFIER]
BATTERY = ("test_verify_exact", "test_verify_cone", "test_verify_cone_parts", "test_verify_consequences")
SLOW = ("a_long_weight", "by_thousands", "long_weights_of_many", "a_million_entries", "thousands_of_null")  # not called
SECONDS, MEMORY = 20, 2**33  # of the processor, after which a mutant has no end, and bytes
# Limits that choose between two exact ways; a test has each at its ends, or proves what it has to keep.
LIMITS = {"TINY", "_PRIMES", "_ENTRIES", "_LONGEST", "_MOST_DIGITS", "_FILLED"}
# File, how the line begins, what is changed, and why all answers are the same.
EQUAL = [
    line.split(" | ")
    for line in """
exact | stored = A.data | A.data if is_sparse(A) else A -> A.data | the buffer of an array has its numbers
exact | W = | np.int64 if sparse else np.float64 -> np.int64 | the same sums, more slowly
exact | W = | np.int64 if sparse else np.float64 -> np.float64 | the same sums up to 2^20 terms; a slow test has more
exact | powers = | 1 -> 2 | a power that no number has
exact | residues = | 53 -> 54 | all numbers twice, modulo an odd prime
cone | return sp.sparse.csr_matrix(sp.sparse.diags | part * s[:, None] -> part / s[:, None] | s is 1 or -1
cone | require(np.array([2.0**-1022] | 1022 -> 1023 | where the one is taken for 0, so is the other
cone | require(up * off | up * off.sum(axis=1).max() <= 0.5 -> up * off.sum(axis=1).max() < 0.5 | no such sum is 0.5
consequences | self.rows, self.proof | set(proof.cone.left) -> proof.cone.left | the same rows, found more slowly
consequences | require(same and | t * way -> t / way | way is 1 or -1
consequences | (m, q), (a, b) = | 1 -> 2 | 0 / 2 for 0 / 1
""".strip().splitlines()
]
_OPERATORS = """
Lt LtE GtE, LtE Lt Gt, Gt GtE LtE, GtE Gt Lt, Eq NotEq, NotEq Eq, Is IsNot, IsNot Is, In NotIn, NotIn In, And Or,
Or And, Add Sub, Sub Add, Mult Div, Div Mult, FloorDiv Mult, Mod Mult, Pow Mult, LShift RShift, RShift LShift,
BitAnd BitOr, BitOr BitAnd"""
_OTHERS: dict[type, list[type]] = {
    getattr(ast, name): [getattr(ast, other) for other in others]
    for name, *others in map(str.split, _OPERATORS.split(","))
}
_NAMES = {"max": "min", "min": "max", "any": "all", "all": "any"}


# ------------------------------------------------------------------- what is changed
def others(node: Any) -> Iterator[Any]:
    """What a node may become."""
    swapped = [kind() for kind in _OTHERS.get(type(getattr(node, "op", None)), ())]
    match node:
        case ast.Compare(ops=ops):
            for k, kind in [(k, kind) for k, op in enumerate(ops) for kind in _OTHERS[type(op)]]:
                yield ast.Compare(node.left, [*ops[:k], kind(), *ops[k + 1 :]], node.comparators)
        case ast.BoolOp(values=values):
            yield from (ast.BoolOp(op, values) for op in swapped)
            for rest in (values[:k] + values[k + 1 :] for k in range(len(values))):
                yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
        case ast.BinOp():
            yield from (ast.BinOp(node.left, op, node.right) for op in swapped)
        case ast.AugAssign():
            yield from (*(ast.AugAssign(node.target, op, node.value) for op in swapped), ast.Pass())
        case ast.UnaryOp() | ast.Call(func=ast.Name(id="abs" | "sorted" | "set"), args=[_]):
            yield node.operand if isinstance(node, ast.UnaryOp) else node.args[0]
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as number):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1))
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.If() | ast.While():
            yield from (type(node)(ast.Constant(value), node.body, node.orelse) for value in (True, False))
        case ast.comprehension(ifs=ifs):
            for k in range(len(ifs)):
                yield ast.comprehension(node.target, node.iter, ifs[:k] + ifs[k + 1 :], node.is_async)
        case ast.Name(id=name) if name in _NAMES:
            yield ast.Name(_NAMES[name], node.ctx)
        case ast.Attribute(attr=name) if name in _NAMES:
            yield ast.Attribute(node.value, _NAMES[name], node.ctx)
        case ast.Expr(value=ast.Call()) | ast.Continue() | ast.Raise():
            yield ast.Pass()


class Place(NamedTuple):
    """Where a node stands: in a field of its owner, or in a list there; and the name of its file with the line."""

    owner: Any
    field: str
    number: int | None
    line: str

    @property
    def node(self) -> Any:
        found = getattr(self.owner, self.field)
        return found if self.number is None else found[self.number]

    def put(self, node: Any) -> None:
        if self.number is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.number] = node

    @property
    def decides(self) -> bool:
        """Whether it is a condition."""
        of_require = isinstance(self.owner, ast.Call) and ast.unparse(self.owner.func) == "require"
        of_several = isinstance(self.owner, ast.BoolOp) and self.field == "values"
        return self.field in ("test", "ifs") or of_several or (of_require and self.field == "args" and not self.number)


def places(owner: Any, lines: list[str], at: int = 1) -> Iterator[Place]:
    """All places below a node but those of limits, types, messages, which tests read, and `strict=True` of a zip."""
    if isinstance(owner, ast.JoinedStr) or (isinstance(owner, ast.keyword) and owner.arg == "strict"):
        return
    if isinstance(owner, ast.Assign) and ast.unparse(owner.targets[0]) in LIMITS:
        return
    for name, value in ast.iter_fields(owner):
        for number in range(len(value)) if isinstance(value, list) else [None]:
            child = value if number is None else value[number]
            if isinstance(child, ast.AST) and name not in ("annotation", "returns", "decorator_list"):
                at = getattr(child, "lineno", at)
                yield Place(owner, name, number, lines[at - 1])
                yield from places(child, lines, at)


def verifier() -> Iterator[tuple[ModuleType, ast.Module, list[Place]]]:
    """Its modules, those that others import first, what they say, and the places there."""
    for name, module in zip(VERIFIER, MODULES, strict=True):
        source = inspect.getsource(module)
        tree = ast.parse(source)
        yield module, tree, list(places(tree, [f"{name} | {line.strip()}" for line in source.splitlines()]))


class Mutant(NamedTuple):
    """Of which module, on which line, what became what there, and how to make the code."""

    module: ModuleType
    line: str
    what: str
    code: Callable[[], CodeType]

    @property
    def why_equal(self) -> str:
        known = (
            why for file, begin, what, why in EQUAL if self.line.startswith(f"{file} | {begin}") and self.what == what
        )
        return next(known, "")


def mutants() -> list[Mutant]:
    """All of the verifier."""
    return [
        Mutant(
            module, place.line, f"{ast.unparse(place.node)} -> {ast.unparse(other)}", partial(_code, tree, place, other)
        )
        for module, tree, found in verifier()
        for place in found
        for other in others(place.node)
    ]


def _code(tree: ast.Module, place: Place, other: ast.AST) -> CodeType:
    before = place.node
    place.put(other)
    try:
        return compile(ast.fix_missing_locations(tree), "<changed>", "exec")
    finally:
        place.put(before)


def take(module: ModuleType, code: CodeType) -> None:
    """Let functions and classes that others hold be those of this code."""
    before = dict(vars(module))
    exec(code, vars(module))
    for name, old in before.items():
        new = vars(module)[name]
        if name.isupper():
            for holder in (one for one in MODULES if vars(one).get(name) is old):
                vars(holder)[name] = new
        elif getattr(old, "__module__", "") != module.__name__ or not callable(old):
            continue
        elif isinstance(old, type):
            for part, value in vars(new).items():
                if isinstance(value, FunctionType | property):
                    setattr(old, part, value)
            vars(module)[name] = old
        else:
            for one, other in ((old, new), (inspect.unwrap(old), inspect.unwrap(new))):
                for part in ("__code__", "__defaults__", "__kwdefaults__"):
                    setattr(one, part, getattr(other, part))
            vars(module)[name] = old


# ------------------------------------------------------------------- the tests
def battery() -> list[partial[Any]]:
    """The tests of the files with each of their parameters; those that take long or draw their cases are left out."""
    out: list[partial[Any]] = []
    for name, test in [item for file in BATTERY for item in vars(importlib.import_module(file)).items()]:
        if name.startswith("test_") and not hasattr(test, "hypothesis") and not any(part in name for part in SLOW):
            given: list[dict[str, Any]] = [{}]
            for names, values in (mark.args for mark in getattr(test, "pytestmark", [])):
                names = names.split(", ") if isinstance(names, str) else names
                rows = [one if len(names) > 1 else (one,) for one in values]
                given = [{**one, **dict(zip(names, row, strict=True))} for one in given for row in rows]
            out += [partial(test, **one) for one in given]
    return out


def fails(test: partial[Any]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            test()
    except BaseException:  # pytest's own failures are no Exceptions
        return True
    return False


def is_killed(mutant: Mutant, tests: list[partial[Any]]) -> bool:
    """Whether a test fails, or the process ends by its limits, where the code is this."""
    child = os.fork()
    if child == 0:
        os.close(2)  # FLINT says there what it cannot invert
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            take(mutant.module, mutant.code())
        except Exception:
            os._exit(1)
        own = [test for test in tests if mutant.module.__name__.rpartition(".")[2] in test.func.__module__]
        os._exit(any(map(fails, [*own, *tests])))
    return os.waitpid(child, 0)[1] != 0


def conditions(tests: list[partial[Any]]) -> tuple[int, list[str]]:
    """How many conditions there are, and those that no test finds true, or none false; the code is changed for good."""
    names: list[str] = []
    seen = set()

    def note(k: int, value: Any) -> Any:
        seen.add((k, bool(value)))
        return value

    for module, tree, found in list(verifier()):
        for place in reversed([place for place in found if place.decides]):  # an outer one holds what inner ones became
            place.put(ast.Call(ast.Name("_note", ast.Load()), [ast.Constant(len(names)), place.node], []))
            names.append(place.line)
        vars(module)["_note"] = note
        take(module, compile(ast.fix_missing_locations(tree), "<noted>", "exec"))
    assert not any(map(fails, tests))
    never = [f"{name}: a condition is never {way}" for k, name in enumerate(names) for way in (True, False)]
    return len(names), [text for k, text in enumerate(never) if (k // 2, k % 2 == 0) not in seen]


# ------------------------------------------------------------------- what is printed
def tried(every: list[Mutant], tests: list[partial[Any]]) -> tuple[str, list[str]]:
    """The table, and what is at fault."""
    left = [one for one in every if not is_killed(one, tests)]
    count, faults = conditions(tests)
    lines = ["| file | mutants | killed | equal | neither |", "|---|---:|---:|---:|---:|"]
    for name in (*VERIFIER, ""):
        made, kept = ([one for one in some if one.module.__name__.endswith(name)] for some in (every, left))
        same = sum(bool(one.why_equal) for one in kept)
        killed = len(made) - len(kept)
        lines.append(f"| {name or 'all'} | {len(made):,} | {killed:,} | {same} | {len(kept) - same} |")
    lines += [
        "",
        f"Of {count} conditions {count - len(faults)} are found true by one test and false by another. Equal are:",
    ]
    lines += ["", "| file | line | what is changed | why all answers are the same |", "|---|---|---|---|"]
    for one in left:
        file, _, line = one.line.partition(" | ")
        row = f"`{line}` | `{one.what}` | {one.why_equal}"
        lines += [f"| {file} | {row} |"] if one.why_equal else []
        faults += [] if one.why_equal else [f"survives: {one.line}: {one.what}"]
    return "\n".join(lines), faults


def main() -> int:
    """Print the table; exit status 1 if anything is at fault."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--sample", type=int, help="so many of them, the seed deciding which")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", type=Path, help="write what is printed between the marks of this page")
    given = parser.parse_args()
    tests, every = battery(), mutants()
    took: dict[partial[Any], float] = {}
    for test in tests:  # the quick ones first
        began = time.perf_counter()
        assert not fails(test), f"{test} fails of the verifier as it is"
        took[test] = time.perf_counter() - began
    tests.sort(key=took.__getitem__)
    text, faults = tried(random.Random(given.seed).sample(every, given.sample) if given.sample else every, tests)
    print("\n".join([text, "", *faults]))
    if given.page:
        head, begin, rest = given.page.read_text(encoding="utf-8").partition(MARKS[0])
        given.page.write_text(f"{head}{begin}\n\n{text}\n\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8")
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
