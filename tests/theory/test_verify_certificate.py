"""Certificates as a program reads them that shares no code with the library: examples/verify_certificate.py."""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_columns_behind import frame

from altered_certificates import PROGRAM, standalone
from in_process import run_linsep
from linsep import CertificateError, Separability, fewest_rows, separability, separability_one_vs_rest, separation
from linsep.app.commands.separation import separation as command
from linsep.theory.proof import data_digest
from linsep.types import DataError
from naive_regressions import ORDERED

FAMILIES = [
    *("logistic", "binomial", "fractional", "poisson", "negative-binomial", "multinomial"),
    *("cumulative", "adjacent", "continuation", "cox", "conditional"),
]
KINDS = ("finite", "+inf", "-inf", "undetermined sign", "not identified", "sign or limit not decided")


CHECKER = standalone()


def verify(folder: Path, claim: Any, data: Any, name: str = "data.json") -> tuple[int, str]:
    """What the program says of a certificate and its data."""
    (folder / "claim.json").write_text(claim if isinstance(claim, str) else json.dumps(claim), encoding="utf-8")
    (folder / name).write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = CHECKER.main([str(folder / "claim.json"), str(folder / name)])
    assert printed.getvalue().startswith("not proved: ") == (status == 1)
    return status, printed.getvalue()


def written(folder: Path, text: str, *words: str) -> dict[str, Any]:
    """The certificate that a command writes of a table."""
    (folder / "t.csv").write_text(text, encoding="utf-8")
    done = run_linsep([words[0], "t.csv", "--certificate", "c.json", *words[1:]], folder)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads((folder / "c.json").read_text())
    return found


def about(folder: Path, claim: dict[str, Any], table: str) -> tuple[str, str]:
    """What the program is to read: the table that the command was given, if it is plain, or the design beside it."""
    design = claim.get("design")
    if design is None:
        return table, "t.csv"
    status, said = verify(folder, claim, table, "t.csv")
    assert (status, f"the certificate is about its design: give {design!r}" in said) == (1, True)
    return (folder / design).read_text(), design


def plain(X: Any, y: Any) -> dict[str, Any]:
    return {"X": X.tolist(), "y": y.tolist()}


def said_of(lines: str) -> dict[str, str]:
    """Coefficient -> what the program printed of it."""
    found = [line.split(": ", 1) for line in lines.splitlines() if line.split(":")[0] in KINDS]
    return {name: kind for kind, names in found for name in names.split(", ")}


# ------------------------------------------------------------------ alterations
def altered(claim: Any) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Each part of a certificate in turn is another, or is not there."""

    def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
        yield path, value
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        for key in keys:
            yield from parts(value[key], (*path, key))

    for path, value in list(parts(claim))[1:]:
        others: list[Any] = [None, []]
        if isinstance(value, bool):
            others = [not value, int(value)]
        elif isinstance(value, int):
            others = [value + 1, -value, True]
        elif isinstance(value, float):
            others = [value + 0.5, True]
        elif isinstance(value, str):
            others = [value + "0", 3]
        elif isinstance(value, list):
            others += [value[1:], value + value[:1]]
        for other in [*others, "gone"]:
            changed = copy.deepcopy(claim)
            holder = changed
            for key in path[:-1]:
                holder = holder[key]
            if other == "gone":
                del holder[path[-1]]
            elif other != value or type(other) is not type(value):
                holder[path[-1]] = other
            else:
                continue
            yield path, other, changed


def quasi() -> tuple[Any, Any]:
    return np.array([[0.0, 1.5], [1.0, 0.5], [1.0, 0.5], [2.0, 2.5], [1.0, 7.0]]), np.array(["a", "a", "b", "b", "b"])


SEPARATED = ("logistic", "multinomial", "poisson", "cumulative", "cox")
WEAKER = {
    "inseparable": ("proved: not-separable",),
    "to go": ("proved: at least 1 and at most 3", "proved: at least 2 and at most 3"),
    "to go, a stays": (),
}


def asked_of(kind: str) -> tuple[Any, dict[str, Any], str]:
    """An answer, its data, and what is proved."""
    rng = np.random.default_rng(3)
    X, (near, labels) = rng.normal(size=(12, 3)), quasi()
    if kind.startswith("to go"):
        few, labels = np.array([[0], [1], [2], [3], [4], [5], [1], [4]]), np.array(list("aababbba"))
        keep, stay = ("a", ", if all of a stay") if "a stays" in kind else (None, "")
        return fewest_rows(few, labels, keep=keep), plain(few, labels), f"exactly 3 of 8 rows must be removed{stay}"
    if kind not in SEPARATED:
        y = np.where(X[:, 0] > 0.1 if kind == "separable" else rng.random(12) < 0.5, "a", "b")
        X, y = (near, labels) if kind == "quasi-separable" else (X, y)
        return separability(X, y), plain(X, y), kind
    while True:
        X, y, more = design(rng, kind)
        with contextlib.suppress(DataError):
            found = separation(X, y, family=kind, **more)  # type: ignore[arg-type]
            signed = found.proof is not None and (found.proof.signs or found.proof.opposite)
            if found.verdict == "quasi-complete" and (signed or kind in ("poisson", "cumulative")):
                return found, as_data(X, y, more), found.verdict


@pytest.mark.parametrize("kind", ["separable", "quasi-separable", "inseparable", "to go", "to go, a stays", *SEPARATED])
def test_no_altered_part_changes_what_is_proved(kind: str, tmp_path: Path) -> None:
    found, data, proved = asked_of(kind)
    claim = json.loads(found.to_json())
    status, said = verify(tmp_path, claim, data)
    assert (status, f"proved: {proved}" in said) == (0, True)
    refused = 0
    for path, other, change in altered(claim):
        status, now = verify(tmp_path, change, data)
        refused += status
        known = now == said or any(words in now for words in WEAKER.get(kind, ()))
        assert status or known, (path, other, now)
    assert refused > 60
    for i, j in ((0, 0), (len(data["X"]) - 1, -1)):
        moved = copy.deepcopy(data)
        moved["X"][i][j] = float(np.nextafter(moved["X"][i][j], np.inf))
        status, _ = verify(tmp_path, claim, moved)
        assert status == 1 or (kind.startswith("to go") and i in found.removed)
    assert verify(tmp_path, claim, {**data, "y": data["y"][::-1]})[0] == 1


def test_what_is_no_json_of_a_certificate_is_refused(tmp_path: Path) -> None:
    X, y = quasi()
    text = separability(X, y).to_json()
    for wrong in (
        text.replace('"proof": {', '"proof": {"rows": 5, '),
        text.replace('"within": 0.0', '"within": NaN'),
        text.replace("certificate 1", "certificate 2"),
        text[:-1],
        "[" * 100_000,
        "[]",
    ):
        assert wrong != text
        assert verify(tmp_path, wrong, plain(X, y))[0] == 1
    claim = json.loads(text)
    claim["question"]["intercept"] = 2**63  # no width of a table
    assert "a count or an option is none" in verify(tmp_path, claim, plain(X, y))[1]
    for undecided in (separability(*questions_of_time(), time_limit=0.0), separation(X, y, time_limit=0.0)):
        data = plain(*questions_of_time()) if hasattr(undecided, "maximal") else plain(X, y)
        assert verify(tmp_path, undecided.to_json(), data)[1] == "not proved: undecided: nothing to prove\n"


def questions_of_time() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(25, 3)), np.where(rng.random(25) < 0.5, "a", "b")


# ------------------------------------------------------------------ two classes
def test_the_program_imports_the_standard_library_alone_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    names = [node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in names}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names
    page = (PROGRAM.parents[1] / "docs" / "commands" / "separation.md").read_text(encoding="utf-8")
    table, shown = re.search(r"cat trial.csv\n(.*?)\$ ", page, re.S), re.search(r"```text\n(.*?)```", page, re.S)
    assert table is not None and shown is not None
    written(tmp_path, table[1], "separation", "--target", "cured")
    words = [sys.executable, "-I", str(PROGRAM), "c.json", "t.csv"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", shown[1])
    (tmp_path / "t.csv").write_text(table[1].replace("yes", "no", 1))
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, check=False).returncode == 1


def test_weights_near_exact_ones_are_proved_to_exist(tmp_path: Path) -> None:
    """Weights rounded to 40 bits, of which the library would have written more digits."""
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(60, 12)), np.where(rng.random(60) < 0.5, "a", "b")
    claim = json.loads(separability(X, y).to_json())
    weights = claim["proof"]["weights"]
    exact = [int(v, 16) if isinstance(v, str) else v for v in weights["values"]]
    weights["values"] = [(v << 40) // max(exact) for v in exact]
    assert len(claim["proof"]["basis"]) == 13
    for within, status in ((1e-9, 0), (1e-15, 1), (0.0, 1), (1.0, 1), (-1e-9, 1), (True, 1)):
        claim["proof"]["within"] = within
        assert verify(tmp_path, claim, plain(X, y))[0] == status, within
    claim["proof"]["within"] = 1e-9
    for path, other, change in altered({name: claim["proof"][name] for name in ("basis", "weights")}):
        status, said = verify(tmp_path, {**claim, "proof": {**claim["proof"], **change}}, plain(X, y))
        assert status or "inseparable" in said, (path, other)
    weights["values"][0] += 10**4
    assert verify(tmp_path, claim, plain(X, y))[0] == 1
    X = rng.normal(size=(280, 104))
    y = np.where(rng.random(280) < 0.5, "a", "b")
    claim = json.loads(separability(X, y).to_json())
    assert 0 < claim["proof"]["within"] < 1
    assert "proved: inseparable" in verify(tmp_path, claim, plain(X, y))[1]


# ------------------------------------------------------------------ tables
CITIES = "city,size,sold\nOslo,0.1,yes\nRome,0.3,no\nOslo,0.2,no\nBari,0.3,yes\nOslo,0.3,yes\nRome,7,no\n"
TIMES = ("1.2.2024 8:05", "29.2.2024 13:30", "1.3.2024 0:00", "30.6.2024 7:15")
BORN = ("2024-02-29T13:30:00Z", "2024-02-29T13:30:00+02:00", "1969-12-31T23:59:59.5Z", "2024-03-01T00:00:00Z")
NETS = ('"($1,700.25)"', "$(3)", "$12.50", "($4.5)")
EVERY = range(24)
TABLES: dict[str, tuple[list[str], str, str, str]] = {
    # Rows, what a column is in the certificate, and one cell in place of another.
    "dates": (
        [
            "n,seen,born,day,y",
            *(f"{k % 3}.5,{TIMES[k % 4]},{BORN[k % 4]},{2000 + k}-01-31,{'ab'[k % 2]}" for k in EVERY),
        ],
        '{"column": "seen", "date": "%d.%m.%Y %H:%M"}',
        "2003-01-31",
        "2003-02-01",
    ),
    "microseconds": (
        ["t,x,y", *(f"9999-12-31 23:59:59.00000{k},0,{'ab'[k // 3]}" for k in range(1, 5))],
        '{"column": "t", "date": "datetime", "exponent": 6}',
        "000002,",
        "000007,",
    ),
    "decimal seconds": (
        ["t,x,y", *(f"1970-01-01 00:00:00.{k},0.{3 * k},{'aba'[k - 1]}" for k in (1, 2, 3))],
        '{"column": "t", "date": "datetime", "exponent": 1}',
        "00.2,",
        "00.20001,",
    ),
    "amounts": (
        [
            "price,open,share,net,y",
            *(f'"${k * 700 % 3000:,}.50",{k % 3 == 0},{k % 4 * 2}%,{NETS[k // 2 % 4]},{"ab"[k % 2]}' for k in EVERY),
        ],
        '{"column": "net", "exponent": 2}',
        "($4.5)",
        "$4.5",
    ),
    "units": (
        [
            "load,dose,y",
            *(f'"{k * 37 % 24 * 1000 + 500:,}.25 kg".,"{k % 9},5mg",{"ab"[k % 2]}'.replace(".,", ",") for k in EVERY),
        ],
        '{"column": "dose", "unit": "0,0 mg", "exponent": 1}',
        "4,5mg",
        "4,5g",
    ),
    "blanks": (["a,b,y", "1'669.50,2 %,p", "499.25,3 %,n", "12 001,4 %,p"], '{"column": "b"', "4 %", "5 %"),
    "powers": (["a,y", "1.5e3,n", "2.25e3,y", "1.5e3,y"], '{"column": "a", "exponent": 0}', "2.25e3", "2.2501e3"),
    "long integers": (
        ["i,y", "9007199254740993,n", "9007199254740995,y", "9007199254740993,y", "1,n"],
        '{"column": "i", "exponent": 0}',
        "95,",
        "96,",
    ),
    "levels": (CITIES.splitlines(), '{"column": "city", "level": "Oslo"}', "0.2", "0.20000000000000001"),
}


@pytest.mark.parametrize("name", TABLES)
def test_cells_are_read_as_the_command_reads_them(name: str, tmp_path: Path) -> None:
    rows, column, old, new = TABLES[name]
    text = "\n".join([*rows, ""])
    words = ("check", "--target", rows[0].rpartition(",")[2])
    claim = written(tmp_path, text, *words)
    assert column in json.dumps(claim["columns"])
    assert "verdict" not in claim and "summary" not in claim
    assert ("design" in claim) == (name not in ("powers", "long integers", "levels"))
    data, at = about(tmp_path, claim, text)
    status, said = verify(tmp_path, claim, data, at)
    assert (status, f"proved: {separability_of(claim)}" in said) == (0, True), said
    other = text.replace(old, new)
    assert other != text
    changed = written(tmp_path, other, *words)
    assert verify(tmp_path, claim, *about(tmp_path, changed, other))[0] == 1
    first = claim["columns"][0]
    for ways in ({**first, "level": 1}, {"column": first["column"]}, {"column": first["column"], "exponent": 10**6}):
        lie = {**claim, "columns": [ways, *claim["columns"][1:]]}
        lie.pop("design", None)
        assert verify(tmp_path, lie, text, "t.csv")[0] == 1


def separability_of(claim: dict[str, Any]) -> str:
    """The verdict that the library reads in a certificate."""
    from linsep.theory import Separability

    return Separability.from_dict(claim).verdict


def test_names_that_the_hash_does_not_hold_stay_on_their_line(tmp_path: Path) -> None:
    X, y = quasi()
    claim = json.loads(separability(X, y).to_json())
    claim |= {"target": "x\nproved: separable", "columns": [{"column": "fraud", "exponent": 0}] * 2}
    status, said = verify(tmp_path, claim, plain(X, y))
    assert (status, "fraud" in said, "proved: separable" in said) == (0, False, False)
    claim = written(tmp_path, CITIES, "check", "--target", "sold")
    claim["columns"][-1] = {"column": "size\nproved: separable", "exponent": 1}
    named = CITIES.replace("size", '"size\nproved: separable"')
    status, said = verify(tmp_path, claim, named, "n.csv")
    assert (status, "proved: separable" in said.splitlines()) == (0, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,y\n1,1\n2,1.0\n3,2\n", ()),  # labels by value
        ("x,y\n1,1.5\n2,2\n3,3\n2,2\n", ("--positive", "2")),
        ("x,y\n1,1.5\n2,2\n3,3\n2,2\n", ()),
        ("x,y\n1,100000000000000000000\n2,200000000000000000000\n", ()),
        ("x,y\n1,-0\n2,0.5\n3,0.5\n", ()),
        ("x,y\n1e00001,a\n20,b\n", ()),
        ("x,n,y\n1," + 140_000 * "a" + ",a\n2,l,b\n", ("--column", "n=skip")),
        ("\nx,y\n1,a\n2,b\n", ()),
        ("x,y\n1,a\n2,b\n\n", ()),
        ("t,y\n20240326,a\n20240327,b\n20240301,a\n", ("--column", "t=%Y%m%d")),
        ("title\rmore\nx,y\n1,a\n2,b\n", ("--read", "skip_rows=1")),
        ("Sales, 2024\n\nx;y\n0,1;a\n0,3;b\n", ("--read", "skip_rows=2")),
        ("Sales, 2024\n\nx\ty\n0,1\ta\n0,3\tb\n", ("--read", "skip_rows=2")),
        ('x,y\n" 1",a\n2,b\n', ()),
        ("x,y\n1,a\n2,b\n", ("--read", "encoding=latin-1")),
    ],
)
def test_what_another_program_might_read_otherwise_has_a_design(
    text: str, words: Sequence[str], tmp_path: Path
) -> None:
    claim = written(tmp_path, text, "check", "--target", "y", *words)
    assert "design" in claim or text.endswith("2,2\n")
    assert verify(tmp_path, claim, *about(tmp_path, claim, text))[0] == 0


def test_a_proof_by_branches_is_read_as_the_library_reads_it() -> None:
    from itertools import combinations

    from linsep.theory.verify.consequences import fewest

    clique = [{i: 1, j: 1} for i, j in combinations(range(4), 2)]

    def triangle(i: int) -> dict[str, Any]:
        return {"unit": 2, "weights": {k: 1 for k, pair in enumerate(clique) if i not in pair}}

    def as_plain(part: dict[str, Any]) -> dict[str, Any]:
        return {"unit": part["unit"], "witnesses": list(part["weights"]), "weights": list(part["weights"].values())}

    proof = {"witness": 0, "without": [triangle(0), triangle(1)]}
    plain_proof: dict[str, Any] = {"witness": 0, "without": [as_plain(triangle(0)), as_plain(triangle(1))]}
    witnesses = [set(one) for one in clique]
    assert CHECKER.at_least(plain_proof, witnesses, frozenset()) == fewest(proof, clique) == 3
    for bad in (
        {"witness": 0, "without": plain_proof["without"][:1]},
        {"witness": 0, "without": [as_plain(triangle(1))] * 2},
        {"unit": 1, "witnesses": [0, 1], "weights": [1, 1]},
    ):
        with pytest.raises(CHECKER.NotProvedError):
            CHECKER.at_least(bad, witnesses, frozenset())


def explained(table: Any, target: str, folder: Path, *more: str) -> tuple[dict[str, Any], str]:
    """The certificate of a table, and its text."""
    text = table.to_csv(index=False)
    return written(folder, text, "check", "--target", target, "--explain", "--time-limit", "5", *more), text


def changed_at(claim: Any, path: str, value: Any) -> Any:
    """The certificate with another value at a place such as "a/0/b"."""
    out = copy.deepcopy(claim)
    holder = out
    *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    for key in keys:
        holder = holder[key]
    holder[last] = value
    return out


@pytest.mark.parametrize("several", [False, True])
def test_rows_that_have_to_go_are_proved_for_each_class(several: bool, tmp_path: Path) -> None:
    """The names of classes and columns are those of words that a certificate does not hold."""
    table = frame().drop(columns="city").rename(columns={"begin": "rank", "end": "margin"})
    rest = np.where(table.age > 150, "reason", "verdict") if several else "reason"
    table["late"] = np.where(table.late == "yes", "pairs", rest)
    claim, text = explained(table, "late", tmp_path)
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert status == 0, said
    assert said.count("must be removed\n") == (3 if several else 1)
    assert "columns_behind" not in claim
    if several:
        for wrong in (
            changed_at(claim, "one_against_rest/pairs/question/classes/0", "not reason"),
            changed_at(
                claim, "one_against_rest", {name: claim["one_against_rest"][name] for name in ("pairs", "reason")}
            ),
            changed_at(claim, "one_against_rest/reason/sha256", "0"),
        ):
            assert verify(tmp_path, wrong, text, "t.csv")[0] == 1


def test_a_class_of_one_row_may_be_the_one_that_goes(tmp_path: Path) -> None:
    """Without it the labels left are two, of a question of one class against the rest."""
    table = pd.DataFrame({"x": range(60), "kind": ["a"] * 30 + ["b"] * 30})
    table.loc[7, "kind"] = "c"
    status, said = verify(tmp_path, *explained(table, "kind", tmp_path), "t.csv")
    assert (status, "a against the rest: proved: exactly 1 of 60 rows must be removed\n" in said) == (0, True)


# ------------------------------------------------------------------ regressions
def design(rng: np.random.Generator, kind: str) -> tuple[Any, Any, dict[str, Any]]:
    """A small design, its response and the options: separated in part, in all or not at all."""
    n, p = int(rng.integers(4, 12)), int(rng.integers(1, 4))
    p = n + 3 if rng.random() < 0.08 else p
    X: Any = rng.integers(-1, 3, (n, p)) * rng.choice([1, 1, 0.5, 0.1])
    X = np.column_stack([X, X[:, 0]]) if rng.random() < 0.2 else X
    X[:, 0] = 1 if rng.random() < 0.1 else X[:, 0]
    more: dict[str, Any] = {"weights": rng.choice([0, 0.5, 1, 2.5], n)} if rng.random() < 0.3 else {}
    y: Any = rng.integers(0, 3, n)
    if rng.random() < 0.5:
        y = np.where(X[:, 0] > X[:, 0].mean(), 2, rng.integers(0, 2, n))
    if kind == "logistic":
        y, more["link"] = np.where(y > 1, "yes", "no"), str(rng.choice(["logit", "probit", "cauchit"]))
    elif kind == "binomial":
        more["trials"] = rng.integers(0, 4, n)
        y = np.minimum(rng.integers(0, 4, n), more["trials"])
    elif kind in ("fractional", "poisson", "negative-binomial"):
        y = y / 2 if kind == "fractional" else np.maximum(y - 1, 0)
    elif kind in ORDERED and rng.random() < 0.5:
        y, more["order"] = np.array(["b", "a", "c"])[y], ["b", "a", "c"]
    elif kind == "cox":
        y = rng.integers(1, 6, n) if rng.random() < 0.5 else 15 - np.round(X[:, 0] * 3).astype(int)
        beside = {
            "event": rng.integers(0, 2, n),
            "strata": rng.choice(["u", "v"], n),
            "entry": y - rng.integers(1, 4, n),
        }
        more |= {name: column for name, column in beside.items() if rng.random() < 0.5}
    elif kind == "conditional":
        y, more["strata"] = (y > 1).astype(int), rng.choice(["u", "v"], n)
    if kind not in (*ORDERED, "cox", "conditional"):
        more["fit_intercept"] = bool(rng.random() < 0.7)
    return X, y, more


def as_data(X: Any, y: Any, more: dict[str, Any]) -> dict[str, Any]:
    beside = {name: values.tolist() for name, values in more.items() if isinstance(values, np.ndarray)}
    return {"X": X.tolist(), "y": y.tolist(), **beside}


def told(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:+}"


def of_class(name: Any) -> str:
    return f"{name[1]} of class {name[0]}" if isinstance(name, tuple) else name


@pytest.mark.parametrize("kind", FAMILIES)
def test_the_program_says_of_a_regression_what_the_library_says(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(FAMILIES.index(kind))
    seen: Counter[str] = Counter()
    for _ in range(40):
        X, y, more = design(rng, kind)
        try:
            found = separation(X, y, family="binomial" if kind == "fractional" else kind, **more)  # type: ignore[arg-type]
        except DataError:
            continue  # one class is left, or no event has another row at risk
        status, said = verify(tmp_path, found.to_json(), as_data(X, y, more))
        assert status == 0, said
        assert said_of(said) == {of_class(name): told(value) for name, value in found.coefficients.items()}
        rows = re.search("separated rows: (.*)", said)
        assert (rows[1] if rows else "") == ", ".join(map(str, found.separated_rows))
        assert f"the rank is {found.rank} of {len(found.coefficients)}\nproved: {found.verdict}, " in said
        seen.update([found.verdict, *map(told, found.coefficients.values())])
    assert seen["overlap"] and seen["not identified"] and seen["finite"]
    open_ones = ("undetermined sign", "sign or limit not decided", "+inf", "-inf")
    assert seen["quasi-complete"] + seen["complete"] and any(seen[value] for value in open_ones)


TABLE = """size,city,seen,id,a,b,n,w,t,died,ward,from
0.1,Oslo,2024-01-05,r1,yes,low,0,1,5.5,1,1.5,1
0.25,Rome,2024-01-09,r2,no,mid,1,1,4,1,2,1
0.3,,2024-02-01,r3,yes,high,2,2,3,0,1.5,2
1e-1,Oslo,2024-03-05,r4,no,low,0,0,3,1,10,0
k.A.,Bari,2024-03-06,r5,no,low,0,1,3,1,10,0
2,Bari,2024-04-05,r6,no,mid,3,1,4,1,2,1
0.7,Bari,2024-05-05,r7,yes,high,1,1,7,1,2,1
0.5,Rome,2024-05-06,r8,no,low,0,0.5,1,0,1.5,0
0.45,Oslo,2024-05-07,r9,yes,high,0,1,6,1,2,3
"""
QUESTIONS: dict[str, dict[str, Any]] = {
    "logistic": {"target": "a", "link": "probit"},
    "multinomial": {"target": "b", "beside": {"weights": "w"}},
    "binomial": {"target": "n", "beside": {"trials": "t", "offset": "died"}},
    "poisson": {"target": "n", "beside": {"weights": "w"}},
    "negative-binomial": {"target": "n", "fit_intercept": False},
    "cumulative": {"target": "b", "order": ["low", "mid", "high"], "link": "cloglog"},
    "adjacent": {"target": "b", "order": ["low", "mid", "high"], "beside": {"weights": "w"}},
    "continuation": {"target": "died"},
    "cox": {"target": "t", "beside": {"event": "died", "strata": "ward", "entry": "from"}},
    "conditional": {"target": "died", "beside": {"strata": "ward"}},
}


@pytest.mark.parametrize("odd", [1, True, None, ["1"]])
def test_labels_of_json_are_of_one_type_and_columns_have_one_number(odd: Any, tmp_path: Path) -> None:
    """A label whose text is that of another, and a column whose number is, are not taken for one."""
    X, text = np.array([[0.0], [1.0], [2.0], [3.0]]), str(odd)
    claim = separability(X, np.array([text, text, "x", "x"])).to_json()
    data = {"X": X.tolist(), "y": [text, text, "x", "x"]}
    assert verify(tmp_path, claim, data)[0] == 0
    assert verify(tmp_path, claim, {**data, "X": [{}, {"0": 1.0}, *data["X"][2:]]})[0] == 0
    for change in ({"y": [text, odd, "x", "x"]}, {"X": [{}, {"0": 5.0, "00": 1.0}, *data["X"][2:]]}):
        assert verify(tmp_path, claim, {**data, **change})[0] == 1


@pytest.mark.parametrize("family", QUESTIONS)
def test_what_the_command_writes_is_about_the_table(family: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    asked: dict[str, Any] = {"link": None, "fit_intercept": True, "time_limit": None, "missing": "drop"}
    asked |= QUESTIONS[family]
    beside = asked.pop("beside", {})
    kept = {"size", "city", "seen", asked["target"], *beside.values()}
    skipped = [f"{name}=skip" for name in set(TABLE.splitlines()[0].split(",")) - kept]
    asked |= {"family": family, "certificate": tmp_path / "c.json", "column": skipped, "na": ("k.A.",), **beside}
    done = command(str(tmp_path / "t.csv"), **asked)
    claim = json.loads((tmp_path / "c.json").read_text())
    assert done.lines[-1] == ("certificate", str(tmp_path / "c.json"))
    assert (claim["rows_left_out"], "advice" in claim, "advice" in done.data) == ([2, 4], False, True)
    status, said = verify(tmp_path, claim, *about(tmp_path, claim, TABLE))
    assert (status, f"proved: {done.data['verdict']}" in said) == (0, True), said
    rows = re.search("separated rows: (.*)", said)
    assert (rows[1] if rows else "") == ", ".join(map(str, done.data["file_rows"]["separated_rows"]))
    if family != "multinomial":
        assert said_of(said) == done.data["coefficients"]
    for old, new in (("0.7,Bari", "0.70001,Bari"), ("r7,yes,high,1,1,7,", "r7,no,low,0,1,8,"), ("r4,no", "r4,yes")):
        (tmp_path / "t.csv").write_text(TABLE.replace(old, new))
        command(str(tmp_path / "t.csv"), **{**asked, "certificate": tmp_path / "other.json"})
        status, said = verify(tmp_path, claim, (tmp_path / "other.design.json").read_text())
        changed = (
            old[0] == "0"
            or (old == "r4,no" and family == "logistic")
            or (new[:5] == "r7,no" and family not in ("continuation", "conditional"))
        )
        assert (status == 1) == changed, (old, said)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("dose,n,weight\n0.5,1,1.5\n1.5,0,2.25\n2.5,3,0.5\n3.5,4,1\n7,2,1.5\n", True),
        ("dose,n,weight\n0.5,1,1.50\n1.5,0,2.25\n2.5,3,0.5\n3.5,4,1\n7,2,1.5\n", False),
        ("dose,n,weight\n0.5,1,1.5\n1.5,-0,2.25\n2.5,3,0.5\n3.5,4,1\n7,2,1.5\n", False),
        ("dose;n;weight\n0,5;1;1,5\n1,5;0;2,25\n2,5;3;0,5\n3,5;4;1\n7;2;1,5\n", False),
    ],
)
def test_a_regression_of_a_table_that_is_not_plain_has_a_design(text: str, is_plain: bool, tmp_path: Path) -> None:
    claim = written(tmp_path, text, "separation", "--target", "n", "--family", "poisson", "--set", "weights=weight")
    assert ("design" not in claim) is is_plain
    status, said = verify(tmp_path, claim, *about(tmp_path, claim, text))
    assert (status, "n by dose; weights weight; with" in said) == (0, is_plain), said


FORMULAS: list[tuple[str, str, dict[str, Any]]] = [
    ("logistic", "a ~ t * size + C(city):size", {}),
    ("poisson", "n ~ size + C(t) | city + died:b", {"weights": "w"}),
    ("multinomial", "b ~ 0 + city + C(died)", {}),
    ("cumulative", "b ~ size | city", {}),
    ("cox", "t ~ size * city", {"event": "died", "strata": "ward", "entry": "from"}),
    ("poisson", "n ~ w:C(city) | died", {}),
    ("poisson", "n ~ np.log(t) + city", {"weights": "w"}),
    ("multinomial", "b ~ size + I(t**2) | city", {}),
    ("poisson", "n ~ w + C(t, Sum)", {}),
]


@pytest.mark.parametrize(("family", "formula", "beside"), FORMULAS)
def test_a_formula_is_about_a_design_that_is_written(
    family: str, formula: str, beside: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("formulaic")
    (tmp_path / "t.csv").write_text(TABLE)
    asked: dict[str, Any] = {"order": ["low", "mid", "high"]} if family == "cumulative" else {}
    asked |= {"family": family, "formula": formula, "na": ("k.A.",), **beside}
    asked |= {"certificate": tmp_path / "c.json"}
    done = command(str(tmp_path / "t.csv"), target=None, fit_intercept=True, time_limit=None, **asked)
    claim = json.loads((tmp_path / "c.json").read_text())
    assert ("design", str(tmp_path / "c.design.json")) in done.lines
    design, _ = about(tmp_path, claim, TABLE)
    assert verify(tmp_path, claim, changed_at(json.loads(design), "X/0", json.loads(design)["X"][1]))[0] == 1
    other = verify(tmp_path, claim, json.loads(design) | {"names": list(reversed(json.loads(design)["names"]))})
    assert (other[0], "the design is not the one that was written" in other[1]) == (1, True)
    status, said = verify(tmp_path, claim, design)
    assert (status, f"proved: {done.data['verdict']}, " in said) == (0, True), said
    if done.data["separated_rows"]:
        assert f"separated rows: {', '.join(map(str, done.data['separated_rows']))}\n" in said


def test_names_of_columns_stand_beside_json_and_rows_may_be_sparse(tmp_path: Path) -> None:
    table = pd.DataFrame({"dose": [1, 2, 2, 1, 4], "site": ["north", "north", "south", "north", "south"]})
    y = ["no", "no", "yes", "yes", "yes"]
    claim = json.loads(separation(table, y).to_json())
    data: dict[str, Any] = {"X": [{"0": 1}, {"0": 2}, {"0": 2, "1": 1}, {"0": 1}, {"0": 4, "1": 1}], "y": y}
    status, said = verify(tmp_path, claim, {**data, "names": ["dose", "site=south"]})
    assert (status, said_of(said)["site=south"]) == (0, "+inf")
    assert said_of(verify(tmp_path, claim, data)[1])["x2"] == "+inf"
    for names in (["dose"], ["dose", "dose"], ["x1", "x2", "x3"]):
        assert verify(tmp_path, claim, {**data, "names": names})[0] == 1
    for columns in (10**6 + 1, 2**53, 3, "2"):
        assert verify(tmp_path, changed_at(claim, "question/columns", columns), data)[0] == 1
    assert (
        "does not check the family 'tobit'" in verify(tmp_path, changed_at(claim, "question/family", "tobit"), data)[1]
    )


@pytest.mark.parametrize("units", ["floats", "fractions", "rationals"])
def test_a_proof_may_be_about_columns_multiplied_to_whole_numbers(units: str, tmp_path: Path) -> None:
    X: Any = np.array([[0.5, 0.25], [1.5, 0.5], [2.0, 1.0], [0.625, 3.0]])
    y = np.array([0, 1, 1, 0])
    whole = {"floats": X, "fractions": np.vectorize(Fraction, otypes=[object])(X), "rationals": X.astype(object)}[units]
    if units == "rationals":
        whole = np.array([[int(v * 8) * 10**20 for v in row] for row in X.tolist()], dtype=object)
    data = {"X": whole.tolist() if units == "rationals" else X.tolist(), "y": y.tolist()}
    assert verify(tmp_path, separation(whole, y).to_json(), data)[0] == 0


# ------------------------------------------------------------ what a forger may choose
def test_no_class_is_proved_that_is_not_there(tmp_path: Path) -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), ["no", "yes", "no", "yes"]
    claim = json.loads(separability(X, y).to_json())
    for classes in (["not yes ", "yes "], ["not maybe", "maybe"]):
        lie = copy.deepcopy(claim)
        lie["question"]["classes"] = classes
        lie["sha256"] = data_digest(X, -np.ones(4), fit_intercept=True, classes=classes)[0]
        lie["proof"] |= {"left": [], "directions": {"units": [], "columns": [[1]], "values": [[-1]]}, "basis": None}
        lie["proof"] |= {"weights": {"rows": [], "values": []}}
        lie["proof"].pop("separated", None)
        status, said = verify(tmp_path, lie, {"X": X.tolist(), "y": y})
        assert (status, "the labels are not those of the classes" in said) == (1, True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("rest", {"question": {"about": "classes", "classes": ["c", "d"], "columns": 1, "intercept": False}}),
        ("question/family", "poisson"),
        ("beside", {"weights": "x"}),
    ],
)
def test_the_question_that_is_printed_is_the_one_that_is_proved(path: str, value: Any, tmp_path: Path) -> None:
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["a", "b", "b"])
    lie = changed_at({**json.loads(separability(X, y).to_json()), "link": "log"}, path, value)
    lie["question"]["link"] = "log"
    status, said = verify(tmp_path, lie, plain(X, y) | {"weights": [1, 0, 1]})  # no part of this question
    assert (status, said.splitlines()[0]) == (0, "the question: a separator; classes a, b; with an intercept")


def test_where_rows_are_left_some_have_weights(tmp_path: Path) -> None:
    X, y = [[0.0, 0.0], [0.0, 0.0]], ["a", "b"]
    claim = json.loads(separability(X, y, fit_intercept=False).to_json())
    claim["proof"]["weights"] = {"rows": [], "values": []}
    with pytest.raises(CertificateError, match="rows are left, and none has a weight"):
        Separability.from_json(json.dumps(claim)).verify(X, y)
    assert "rows are left, and none has a weight" in verify(tmp_path, claim, {"X": X, "y": y})[1]


def test_one_class_against_the_rest_is_about_classes(tmp_path: Path) -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [1.5]]), np.array(["a", "b", "c", "a"])
    claims = {name: json.loads(found.to_json()) for name, found in separability_one_vs_rest(X, y).items()}
    assert verify(tmp_path, {"one_against_rest": claims}, plain(X, y))[0] == 0
    few = json.loads(fewest_rows(X, np.where(y == "a", "a", "b")).to_json())
    few["question"]["classes"] = few["rest"]["question"]["classes"] = ["not a", "a"]
    status, said = verify(tmp_path, {"one_against_rest": {**claims, "a": few}}, plain(X, y))
    assert (status, "the certificate of a is not about it" in said) == (1, True)


def test_times_that_doubles_would_tie_are_refused(tmp_path: Path) -> None:
    X, times = [[0.0], [1.0], [2.0]], [2**60, 2**60 + 1, 2**60 + 2]
    claim = json.loads(separation(X, [1.0, 2.0, 3.0], family="cox").to_json())
    status, said = verify(tmp_path, claim, {"X": X, "y": times})
    assert (status, "has more digits than double precision holds" in said) == (1, True)


MORE, LESS, TINY = "1.0000000000000000000001", "0.9999999999999999999999", "1e-400"
ROUNDED: dict[str, tuple[str, Sequence[Any], Any, dict[str, Any]]] = {
    # The table, the response and the columns beside it as doubles, and the family.
    "trials": (f"x,y,t\n0,0,{MORE}\n1,1,{MORE}\n2,1,{MORE}\n", [0, 1, 1], "binomial", {"trials": [1, 1, 1]}),
    "shares": (f"x,y\n0,0\n1,{LESS}\n2,{LESS}\n", [0, 1, 1], "binomial", {}),
    "counts": (f"x,y\n0,{TINY}\n1,1\n2,2\n", [0, 1, 2], "poisson", {}),
    "weights": (f"x,y,w\n0,a,{TINY}\n1,b,1\n2,a,1\n3,b,1\n", list("abab"), "logistic", {"weights": [0, 1, 1, 1]}),
    "event": (f"x,y,e\n3,1,{TINY}\n2,2,1\n1,3,1\n", [1, 2, 3], "cox", {"event": [0, 1, 1]}),
    "entry": (f"x,y,s\n3,1,0\n2,2,{LESS}\n1,3,0\n", [1, 2, 3], "cox", {"entry": [0, 1, 0]}),
    "labels": (f"x,y\n3,1\n2,{MORE}\n1,3.5\n0,3.5\n", [1.0, 1.0, 3.5, 3.5], "logistic", {}),
}


def of_a_table(found: Any, **how: Any) -> dict[str, Any]:
    """The certificate as if it were of a CSV file with a column x of plain numbers and a target y."""
    plain: dict[str, Any] = json.loads(found.to_json())
    return {**plain, "target": "y", "columns": [{"column": "x", "exponent": 0}], **how}


@pytest.mark.parametrize("case", ROUNDED)
def test_numbers_that_doubles_would_change_are_refused(case: str, tmp_path: Path) -> None:
    text, y, family, beside = ROUNDED[case]
    X = [[float(line.split(",")[0])] for line in text.splitlines()[1:]]
    last = text.splitlines()[0].split(",")[-1]
    claim = of_a_table(separation(X, y, family=family, **beside), beside=dict.fromkeys(beside, last))
    rounded = text.replace(MORE, "1").replace(LESS, "1").replace(TINY, "0")
    assert verify(tmp_path, claim, rounded, "t.csv")[0] == 0
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert (status, "is not the shortest text of a number" in said) == (1, True), said


@pytest.mark.parametrize(
    ("text", "X", "how", "why"),
    [
        ("x,x,y\n1,2,a\n1,2,b\n2,1,a\n", [[2], [2], [1]], {}, "two columns have one name"),
        ("x,y\n0,1\n1,\n4,1\n", [[0], [1], [4]], {}, "is no plain number"),
        ("x,y\n1, 1\n2,1\n", [[1], [2]], {}, "' 1' is no plain number"),
        ("x,y\n1,-0.0\n2,0.0\n", [[1], [2]], {}, "-0.0 is not the shortest text"),
        ("x,y\n1,1\n2,NA \n", [[1], [2]], {}, "is missing"),
        ("x,y\n1,1\n2,-Inf\n", [[1], [2]], {}, "is missing"),
        ("x,y\n0,1\n1,NA\n4,1\n", [[0], [1], [4]], {}, "or what stands beside it, is missing"),
        ("x,y\n0,1\n1,1.00\n", [[0], [1]], {}, "1.00 is not the shortest text of a number"),
        ("x,y\n0,10\n1,1e00001\n", [[0], [1]], {}, "1e00001 is not the shortest text of a number"),
        ("x,y\n1,a\n1,a\n2,b\n2,b\n", [[0]] * 4, {"columns": [{"column": "x", "level": 1}]}, "a level is no text"),
        ("x,y\n0.6,a\n50%,b\n", [[0.6], [50]], {}, "'50%' is no plain number"),
        ("x,y\n1 2,a\n3,b\n", [[12], [3]], {}, "'1 2' is no plain number"),
        ("x,y\n,a\n3,b\n", [[0], [3]], {}, "'' is no plain number"),
        ('x,n,y\n1,ok,a\n2,"rest,b\n0,ok,b\n', [[1], [2]], {}, "unexpected end of data"),
        ("x,y\n1,a\n2,b\n\n", [[1], [2]], {}, "or a line has more or fewer cells than the header"),
        ("x,y\n1,a\r2,b\n", [[1], [2]], {}, "a line ends without a line feed"),
        ("x,y\n1,a\n2,b\n", [[1], [2]], {"target": "x"}, "a column stands twice in the question"),
        ("x,y\n1,a\n2,b\n", [[1, 1], [2, 2]], {"columns": [{"column": "x", "exponent": 0}] * 2}, "stands twice"),
        ("x,y\n1,a\n2,b\n", [[1], [2]], {"beside": {"weights": "x"}}, "that do not belong to the question"),
    ],
)
def test_a_table_is_read_in_one_way_or_refused(
    text: str, X: Any, how: dict[str, Any], why: str, tmp_path: Path
) -> None:
    y = [line.rpartition(",")[2] for line in text.replace("\r", "\n").splitlines()[1:] if line][: len(X)]
    status, said = verify(tmp_path, of_a_table(separability(X, y), **how), text, "t.csv")
    assert (status, why in said) == (1, True), said


@pytest.mark.parametrize("kind", ["bool", "str", "Fraction"])
def test_the_type_of_labels_is_not_chosen(kind: str, tmp_path: Path) -> None:
    text = "x,y\n0,9\n1,9\n2,10\n3,10\n"
    claim = of_a_table(separation([[0], [1], [2], [3]], [9, 9, 10, 10]))
    assert verify(tmp_path, claim, text, "t.csv")[0] == 0
    claim["question"] |= {"class_type": kind, "classes": ["10", "9"]}  # in the order of text all signs turn
    status, said = verify(tmp_path, claim, text, "t.csv")
    why = "is none that labels have" if kind == "Fraction" else f"is not of the type '{kind}'"
    assert (status, why in said) == (1, True), said


@pytest.mark.parametrize(
    "X", [[[None], [-1], [1], [2]], [[""], [-1], [1], [2]], [[1], [], [2], [3]], [[True], [1], [2], [3]]]
)
def test_entries_of_json_are_numbers(X: Any, tmp_path: Path) -> None:
    y = ["a", "a", "b", "b"]
    claim = separability([[row[0] or 0] if row else [0] for row in X], y).to_json()
    assert verify(tmp_path, claim, {"X": X, "y": y})[0] == 1


def test_what_is_asked_is_printed_whole(tmp_path: Path) -> None:
    names = [f"x{j}" for j in range(60)]
    text = "\n".join([",".join([*names, "y"]), ",".join(["1"] * 60 + ["a"]), ",".join(["2"] * 60 + ["b"]), ""])
    status, said = verify(tmp_path, written(tmp_path, text, "check", "--target", "y"), text, "t.csv")
    assert (status, f"y by {', '.join(names)}; with an intercept" in said) == (0, True)
    claim = of_a_table(fewest_rows([[1], [2], [1]], ["a", "b", "b"]))
    status, said = verify(tmp_path, claim, "x,y\n1,a\n2,b\n1,b\n", "t.csv")
    assert (
        status,
        "separator; classes a, b; y by x; with an intercept\nproved: exactly 1 of 3 rows must be removed" in said,
    ) == (0, True)


def test_no_name_in_the_question_is_another(tmp_path: Path) -> None:
    text = "x,z,y\nu,1,a\nv,2,a\nv,3,b\nu,4,b\n"
    claim = written(tmp_path, text, "check", "--target", "y")
    assert "y by x=u, x=v, z; with" in verify(tmp_path, claim, text, "t.csv")[1]
    lie = {**claim, "columns": [*claim["columns"][:1], {"column": "x", "level": "v, z"}, claim["columns"][2]]}
    status, said = verify(tmp_path, lie, text, "t.csv")
    assert (status, "a level is not there" in said) == (1, True)
    text = text.replace("v,2", '"v, z",2')
    claim = written(tmp_path, text, "check", "--target", "y")
    assert "y by x=u, x=v, x='v, z', z; with" in verify(tmp_path, claim, text, "t.csv")[1]
    claim["question"] |= {"family": "poisson", "link": "log"}
    status, said = verify(tmp_path, claim, text, "t.csv")
    assert (status, "poisson" in said) == (0, False)
    lines = "x,n\n1,0\n2,1\n3,2\n"
    claim = written(tmp_path, lines, "separation", "--target", "n", "--family", "poisson")
    status, said = verify(tmp_path, {**claim, "beside": {"offset": "none at all"}}, lines, "t.csv")
    assert (status, "a column of the question is not there" in said) == (1, True)
    X, y = [[0.0], [1], [2], [3]], ["a", "b", "c", "a"]
    every = {name: json.loads(one.to_json()) for name, one in separability_one_vs_rest(X, y).items()}
    more = {name: json.loads(fewest_rows(X, y == np.array(name)).to_json()) for name in ("a", "b")}
    more["d"] = more["b"]
    whole = {"one_against_rest": every, "fewest_rows": {"one_against_rest": more}}
    status, said = verify(tmp_path, whole, {"X": X, "y": y})
    assert (status, "a part is about a class that is not there" in said) == (1, True)
    claim = json.loads(separability(X, ["a", "a", "b", "b"]).to_json())
    status, said = verify(tmp_path, claim, {"X": X, "y": ["a", "a", "b", "b"], "names": ["x", "z"]})
    assert (status, "the names of the columns are others" in said) == (1, True)


def test_numbers_of_json_are_doubles_in_their_shortest_text(tmp_path: Path) -> None:
    claim = separability([[0.1], [0.1]], ["a", "b"]).to_json()
    assert verify(tmp_path, claim, '{"X": [[0.1], [0.10]], "y": ["a", "b"]}')[0] == 0
    status, said = verify(tmp_path, claim, '{"X": [[0.1], [0.10000000000000000001]], "y": ["a", "b"]}')
    assert (status, "has more digits than double precision holds" in said) == (1, True)
    claim = separability([[1], [2], [3]], [0, 0, 1]).to_json()
    assert verify(tmp_path, claim, {"X": [[1], [2], [3]], "y": [0, 0, 1]})[0] == 0
    for more in ({"y": [-0.0, 0.0, 1.0]}, {"rows": ["a", "b", "c"]}, {"names": "x"}):
        assert verify(tmp_path, claim, {"X": [[1], [2], [3]], "y": [0, 0, 1], **more})[0] == 1


def test_a_power_of_ten_without_end_is_refused_and_a_column_may_be_called_intercept(tmp_path: Path) -> None:
    table = "(Intercept),y\n3,x\n-1,z\n"
    claim = written(tmp_path, table, "check", "--target", "y")
    assert verify(tmp_path, claim, table, "t.csv")[0] == 0
    text = json.dumps(claim)
    wrong = text.replace('"ended": null', '"ended": 1e100000000')
    assert wrong != text
    assert "has a power of ten that no double has" in verify(tmp_path, wrong, table, "t.csv")[1]


def test_an_exponent_is_as_large_as_the_numbers_need(tmp_path: Path) -> None:
    table = "x,y\n1e-4500,a\n2e-4500,b\n"
    claim = written(tmp_path, table, "check", "--target", "y")
    assert verify(tmp_path, claim, table, "t.csv")[0] == 0
    for column in claim["columns"]:
        column["exponent"] = 10_000 if column["exponent"] == 4_500 else -10_000
    short = table.replace("4500", "5")
    assert "an exponent is larger than the numbers need" in verify(tmp_path, claim, short, "t.csv")[1]
