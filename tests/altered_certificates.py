"""Certificates edited or forged at random: is each refused, or does what is left say only what is true?

    PYTHONPATH=tests python -m altered_certificates --count 10000 --seed 0

Edits begin with a certificate that holds (`edits.py`); a forger chooses every part (`forged.py`). All are read by the
library, which is given the rows dense or sparse, with zeros stored and entries in parts, and by
`examples/verify_certificate.py`.
An edit that is accepted is equal in meaning if all that is then said is true of the rows, which `claims.py` finds out
with code of its own. An edit of the intercept or the classes whose hash was made anew states another question; where
what is said of that is true, it is counted apart, because no reader can know what was asked.
Anything else is WRONG, and so is an error that is not a clear sentence.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from claims import (
    Model,
    Question,
    false_bounds,
    false_claim,
    false_estimate,
    false_line,
    false_proof,
    false_removal,
    model_of,
)
from edits import edited
from forged import forged
from linsep import Separation, separability, separation
from linsep.app.commands.check import check
from linsep.theory import CertificateError, verify_certificate
from linsep.theory.cone import faces
from linsep.theory.explanation.certificate import FewestRows
from linsep.theory.explanation.fewest_rows import fewest_rows
from linsep.theory.proof import without_words
from linsep.types import Array, DataError

PROGRAM = Path(__file__).parents[1] / "examples" / "verify_certificate.py"
_FORGED = 0.5  # of all tries
REFUSED, EQUAL, OTHER, WRONG = "refused", "equal in meaning", "other question", "WRONG"


class Design(NamedTuple):
    """A certificate and the rows that it is about; `truth` is by class, or of the one question under "".

    Of a regression the truth is a `Model`, and `beside` has what stands beside its response.
    """

    kind: str
    plain: dict[str, Any]
    X: Array
    y: list[Any]
    truth: Any
    beside: Mapping[str, Any] = MappingProxyType({})

    @property
    def of_regression(self) -> bool:
        """Whether it is about a regression."""
        return not isinstance(self.truth, dict)

    @property
    def of_rows(self) -> bool:
        """Whether it is about the fewest rows that have to go."""
        return "removed" in self.plain


class Tried(NamedTuple):
    """One edit and what became of it: an outcome of each reader, and why if WRONG."""

    kind: str
    edit: str
    library: str
    program: str
    why: str
    text: str


def question(X: Array, y: list[Any], classes: tuple[str, str], fit_intercept: bool) -> Question:
    """The truth about two classes."""
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    signs = [1 if str(label) == classes[1] else -1 for label in y]
    return Question(rows, signs, classes, fit_intercept)


def designs(rng: np.random.Generator) -> list[Design]:
    """Certificates of every verdict, on small random rows."""
    out = [*of_two_classes(rng), *of_regressions(rng)]
    with tempfile.TemporaryDirectory() as folder:
        out.append(of_three_classes(rng, Path(folder) / "rows.csv"))
    return out


def of_two_classes(rng: np.random.Generator) -> list[Design]:
    """Separability of integers, doubles and long integers, with and without an intercept, and cut short."""
    out = []
    for n in (5, 8, 10):
        X = rng.integers(-3, 4, (n, 3))
        y = np.where(np.arange(n) % 2, "yes", "no")
        ahead = X.copy()
        ahead[:, 0] = np.abs(X[:, 0]) * (rng.random(n) < 0.5) * np.where(y == "yes", 1, -1)
        apart = np.where(np.arange(n) < n // 2, "b", "a")
        far = X + 0.1
        far[:, 1] += 9.7 * (apart == "b")
        pairs = ahead.copy()
        pairs[1] = pairs[0]
        for rows, labels in ((X, y), (ahead, y), (far, apart), (X * 0.1, y), (X.astype(object) * 10**20, apart)):
            out += [of_one(rows, labels, fit_intercept=intercept) for intercept in (True, False)]
        out += [of_one(X, y, time_limit=0.0), of_one(pairs, y, time_limit=0.0), of_one(far, apart, time_limit=0.0)]
        late = np.column_stack([pairs * 2 - 1, np.isin(np.arange(n), [2])])
        out.append(of_one(late, y, time_limit=0.0))
    return [*out, *of_near_weights(rng), *of_scales(rng), *of_fewest_rows(rng)]


def of_scales(rng: np.random.Generator) -> list[Design]:
    """Rows and columns that are tiny or huge beside others, and rows of zeros."""
    out = []
    for n in (5, 6, 7):
        X, y = rng.integers(-2, 3, (n, 2)).astype(float), np.where(np.arange(n) % 2, "yes", "no")
        X[:2] *= rng.random() < 0.5
        for powers in (np.array([-1060, 900]), rng.integers(-500, 501, (n, 1)), rng.integers(-1000, 1000, (n, 2))):
            rows = np.ldexp(X, powers)
            out += [of_one(rows, y, fit_intercept=intercept, time_limit=5.0) for intercept in (True, False)]
    return [design._replace(kind=f"{design.kind.split(',')[0]}, scaled") for design in out]


def of_fewest_rows(rng: np.random.Generator) -> list[Design]:
    """How many rows have to go before the others are separable."""
    out = []
    for constant, keep in ((True, None), (False, None), (True, "no"), (True, "yes")):
        X, y = rng.integers(-2, 3, (6, 2)), np.array(["no", "yes"] * 3)
        X[:2] = [-9, 0], [9, 0]  # each is beyond the rows of the other class
        found = fewest_rows(X, y, keep=keep, fit_intercept=constant)
        true = {"": question(X, y.tolist(), ("no", "yes"), constant)}
        out.append(Design("fewest rows", json.loads(found.to_json()), X, y.tolist(), true))
    return out


def of_near_weights(rng: np.random.Generator) -> list[Design]:
    """Weights near exact ones, which wide tables have: here of few columns, some of which others give."""
    out = []
    with patch.object(faces, "_MANY_COLUMNS", 2):
        for constant in (True, False):
            X, y = rng.normal(size=(24, 2)), np.where(np.arange(24) % 2, "yes", "no")
            ahead = np.column_stack([np.where(np.arange(24) < 4, np.where(y == "yes", 1, -1), 0), X])
            every = (X, np.column_stack([X, -3 * X[:, 0], np.full(24, 0.1)]), ahead)
            out += [of_one(rows, y, fit_intercept=constant) for rows in every]
    return [design._replace(kind=f"{design.kind}, near weights") for design in out]


def of_one(X: Array, y: Array, **options: Any) -> Design:
    """One question."""
    found = separability(X, y, **options)
    classes = tuple(sorted(set(y.tolist())))
    limited = ", cut short" if options.get("time_limit") is not None else ""
    true = {"": question(X, y.tolist(), classes, found.fit_intercept)}
    return Design(f"{found.verdict}{limited}", json.loads(found.to_json()), X, y.tolist(), true)


def of_three_classes(rng: np.random.Generator, file: Path) -> Design:
    """What `linsep check` writes of three classes."""
    X, y = rng.integers(-3, 4, (9, 2)), ["red", "green", "blue"] * 3
    X[::3, 0] += 9
    lines = ["a,b,kind", *(f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y, strict=True))]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = without_words(json.loads(json.dumps(check(file, target="kind", positive=None, time_limit=None).data)))
    truth = {name: question(X, y, (f"not {name}", name), True) for name in data["one_against_rest"]}
    return Design("one against the rest", data, X, y, truth)


def of_regressions(rng: np.random.Generator) -> list[Design]:
    """Separation in each family, separated in part or not at all, and cut short."""
    out = []
    for k in range(4):
        X = rng.integers(-2, 3, (8, 2))
        codes = np.append([0, 1, 2], rng.integers(0, 3, 5))
        X[:, 1] = [X[:, 1], X[:, 0], np.where(np.arange(8) < 2, 1, 0), codes * codes][k]
        X[:, 0] = codes if k == 3 else X[:, 0]
        responses: list[tuple[Any, list[Any]]] = [
            ("logistic", [("no", "yes")[c > 0] for c in codes.tolist()]),
            ("poisson", codes.tolist()),
            ("multinomial", codes.tolist()),
        ]
        for family, y in responses:
            for limit in (None, 0.0):
                found = separation(X, y, family=family, fit_intercept=k != 0, time_limit=limit)
                true = model_of(X, y, family, k != 0)
                kind = "regression, cut short" if limit is not None else f"regression, {found.verdict}"
                out.append(Design(kind, json.loads(found.to_json()), X, y, true))
    return [*out, *of_other_families(rng)]


def of_other_families(rng: np.random.Generator) -> list[Design]:
    """The same of families with columns beside the response, with zeros, with thresholds and with times."""
    out = []
    for family in ("binomial", "negative-binomial", "cumulative", "adjacent", "continuation", "cox"):
        for k in range(2):
            X = rng.integers(-2, 3, (7, 2))
            codes = np.append([0, 1, 2], rng.integers(0, 3, 4))
            X[:, 0] = codes if k else X[:, 0]
            asked: dict[str, Any] = {"trials": np.maximum(codes, 2)} if family == "binomial" else {}
            asked |= {"event": (codes != 1).astype(int)} if family == "cox" else {}
            y = ((9 - codes) if family == "cox" else codes).tolist()
            found = separation(X, y, family=family, **asked)
            beside = {name: column.tolist() for name, column in asked.items()}
            true = model_of(X, y, family, True, **beside)
            out.append(Design(f"{family}, {found.verdict}", json.loads(found.to_json()), X, y, true, beside))
    return out


# ------------------------------------------------------------------ the readers
def by_library(text: str, design: Design, X: Any = None) -> tuple[str, str]:
    """What the library makes of a text and the rows, which X holds in another form, and why that is wrong."""
    X = design.X if X is None else X
    try:
        if design.of_regression:
            read = Separation.from_json(text)
            read.verify(X, design.y, **design.beside)
            true, same = stated_model(design, read.family, read.fit_intercept)
            why = false_estimate(read, true)
        elif design.of_rows:
            few = FewestRows.from_json(text)
            few.verify(X, np.array(design.y))
            asked = design.truth[""].as_stated(few.fit_intercept, few.rest.classes)
            why, same = false_removal(few, asked), asked is design.truth[""]
        else:
            found = verify_certificate(text, X, np.array(design.y))
            why = "" if found.keys() == design.truth.keys() else f"it is about {sorted(found)}"
            stated = {name: design.truth[name].as_stated(one.fit_intercept, one.classes) for name, one in found.items()}
            same = all(stated[name] is design.truth[name] for name in stated)
            for name, one in found.items():
                why = why or false_claim(one, stated[name])
    except (CertificateError, DataError) as error:
        return (REFUSED, "") if "\n" not in str(error) else (WRONG, f"more than a sentence: {error}")
    except Exception as error:
        return WRONG, f"a traceback: {type(error).__name__}: {error}"
    return (WRONG, why) if why else (EQUAL if same else OTHER, "")


def stated_model(design: Design, family: str, fit_intercept: bool) -> tuple[Model, bool]:
    """The truth about the question that a certificate states, and whether that is the one of the design."""
    if (family, fit_intercept) == (design.truth.family, design.truth.fit_intercept):
        return design.truth, True
    return model_of(design.X, design.y, family, fit_intercept, **design.beside), False


def by_program(text: str, design: Design, program: Any, folder: Path) -> tuple[str, str]:
    """The same of the program that stands alone."""
    (folder / "claim.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    (folder / "data.json").write_text(json.dumps({"X": design.X.tolist(), "y": design.y, **design.beside}))
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            status = program.main([str(folder / "claim.json"), str(folder / "data.json")])
    except Exception as error:
        return WRONG, f"a traceback: {type(error).__name__}: {error}"
    lines = printed.getvalue().splitlines()
    if status != 0:
        return (REFUSED, "") if lines[-1].startswith("not proved: ") else (WRONG, f"it printed {lines}")
    if design.of_regression:
        asks = json.loads(text)["question"]
        true, same = stated_model(design, asks["family"], asks["intercept"])
        why = false_proof(lines, true)
        return (WRONG, why) if why else (EQUAL if same else OTHER, "")
    if design.of_rows:
        plain = json.loads(text)
        asked = design.truth[""].as_stated(plain["question"]["intercept"], plain["rest"]["question"]["classes"])
        why = false_bounds([line for line in lines if not line.startswith("the question: ")], asked)
        return (WRONG, why) if why else (EQUAL if asked is design.truth[""] else OTHER, "")
    outcome = EQUAL
    for name, asked in design.truth.items():
        one = json.loads(text)["one_against_rest"][name] if name else json.loads(text)
        asks = one["question"]
        stated = asked.as_stated(asks["intercept"], asks["classes"])
        outcome = outcome if stated is asked else OTHER
        head = f"{name} against the rest: " if name else ""
        said = [line.removeprefix(head) for line in lines if line.startswith(head)]
        kept = "with" if asks["intercept"] else "without"
        named = f"the question: a separator; classes {', '.join(asks['classes'])}; "
        if not [line for line in said if line.startswith(named) and line.endswith(f"{kept} an intercept")]:
            return WRONG, "the question is another one"
        if why := false_line([line for line in said if not line.startswith("the question: ")], stated):
            return WRONG, why
    return outcome, ""


def standalone() -> Any:
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("standalone_verifier", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_a_form(rng: np.random.Generator, X: Array) -> Any:
    """The same rows, dense or sparse; sparse ones may store zeros, and entries as two that add up to them."""
    way = int(rng.integers(4))
    if way == 0 or X.dtype == object:
        return X
    table = sp.coo_matrix(X)
    data, at, columns = table.data, table.row, table.col
    if way > 1:
        zeros = np.argwhere(X == 0)[: int(rng.integers(3))]
        data = np.concatenate([data, np.zeros(len(zeros), X.dtype)])
        at, columns = np.append(at, zeros[:, 0]), np.append(columns, zeros[:, 1])
    if way > 2:  # halves and wholes of doubles and of small integers are exact
        data, at, columns = np.concatenate([data, 2 * data, -2 * data]), np.tile(at, 3), np.tile(columns, 3)
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], np.arange(len(X) + 1))
    return sp.csr_matrix((data[order], columns[order], ends), shape=X.shape)


def altered(seed: int, count: int, see: Callable[[Tried], None] = lambda _: None) -> list[Tried]:
    """Edit or forge `count` certificates at random and have each read; before them every design as it is."""
    rng, program, out = np.random.default_rng(seed), standalone(), []
    every = designs(rng)
    with tempfile.TemporaryDirectory() as name:
        for k in range(len(every) + count):
            design = every[k % len(every)]
            other = every[int(rng.integers(len(every)))]
            edit, text, X = "none", json.dumps(design.plain), design.X
            if k >= len(every):
                edit, text = a_lie(rng, design, other)
                X = X if "near" in design.kind and rng.random() < 0.9 else in_a_form(rng, X)
            library, why = by_library(text, design, X)
            alone, why_alone = by_program(text, design, program, Path(name))
            proved = "undecided" not in design.kind and "regression, cut short" not in design.kind
            if edit == "none" and (library != EQUAL or (proved and alone != EQUAL)):
                library, why = WRONG, why or "it is refused as it was written"
            out.append(Tried(design.kind, edit, library, alone, why or why_alone, text))
            see(out[-1])
    return out


def a_lie(rng: np.random.Generator, design: Design, other: Design) -> tuple[str, str]:
    """A forged certificate, where one can be made, or an edited one."""
    text = forged(rng, design) if rng.random() < _FORGED else None
    return edited(rng, design, other.plain) if text is None else ("forged", json.dumps(text))


def table(tried: Sequence[Tried]) -> str:
    """Outcomes by kind of certificate and by kind of edit, of the library and of the program."""
    lines = []
    for title, key in (("certificate", "kind"), ("edit", "edit")):
        heads = [REFUSED, EQUAL, OTHER, WRONG]
        lines.append(f"{title:28}{'tried':>8}" + "".join(f"{head:>18}" for head in heads) + "   (library / program)")
        for name in [*dict.fromkeys(getattr(one, key) for one in tried), "all"]:
            some = [one for one in tried if name in (getattr(one, key), "all")]
            counts = [Counter(one.library for one in some), Counter(one.program for one in some)]
            cells = "".join(f"{f'{counts[0][head]:,} / {counts[1][head]:,}':>18}" for head in heads)
            lines.append(f"{name:28}{len(some):>8,}{cells}")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Print the table; exit status 1 if anything is WRONG."""
    parser = argparse.ArgumentParser(prog="python -m altered_certificates", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tried = altered(given.seed, given.count)
    print(table(tried))
    wrong = [one for one in tried if WRONG in (one.library, one.program)]
    for one in wrong[:20]:
        print(f"WRONG ({one.kind}, {one.edit}): {one.why}\n  {one.text[:2000]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
