"""An atlas of linear separability: which classes of well-known tables a plane separates, each answer with its proof.

`DATA_PKGS=DIR make atlas` asks what is not answered yet in build/atlas, where it leaves the answers and the proofs, and
puts tables and a picture into docs/atlas.md. `make atlas VERIFY=1` checks each proof against its rows in a process that
has nothing of the search; those of small tables, and of the test pictures, by examples/verify_certificate.py too,
which needs Python's standard library alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks.atlas_page import GARMENTS, write_page
from benchmarks.data import loaders
from linsep import Perceptron, fewest_rows, max_margin, separability, separation
from linsep.files import write_whole
from linsep.theory import verify_certificate

FOLDER = Path("build/atlas")
PROGRAM = Path("examples/verify_certificate.py")
SECONDS = {"verdict": 240.0, "margin": 20.0, "fewest": 5.0}
_BY_READER = 8_000_000  # cells of the tables that the program of the standard library checks, too
_GARMENTS = Path("/usr/share/datasets/fashion-mnist")  # of Debian's dataset-fashion-mnist
_WHOLE = 2.0**53
_SMALL = 20_000_000


class Question(NamedTuple):
    """Whether a plane separates two classes of a table: one class, "4", against another, "9", or against the "rest"."""

    table: str
    name: str
    X: Any
    y: Any

    @property
    def proof(self) -> Path:
        """Where its proof stands."""
        return FOLDER / "proofs" / f"{self.table}-{self.name}.json".replace(" ", "-")


# --------------------------------------------------------------- tables and questions
@cache
def pictures_of(load: Callable[[str], tuple[Any, Any]], part: str) -> tuple[Any, Any]:
    """Pictures of ten classes, pixels from 0 to 255: "train", "test" or "all"."""
    parts = [load(name) for name in {"train": ["train"], "test": ["t10k"], "all": ["train", "t10k"]}[part]]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def digits(name: str) -> tuple[Any, Any]:
    """The digits of MNIST: "train" or "t10k"."""
    return cast("tuple[Any, Any]", loaders().mnist(name))


def garments(name: str) -> tuple[Any, Any]:
    """The garments of Fashion-MNIST: "train" or "t10k"."""
    if not _GARMENTS.is_dir():
        sys.exit(f"no folder {_GARMENTS}: `apt-get install dataset-fashion-mnist`, or name other tables")
    pixels, codes = (
        np.frombuffer(gzip.decompress((_GARMENTS / f"{name}-{what}-ubyte.gz").read_bytes()), np.uint8, offset=start)
        for what, start in (("images-idx3", 16), ("labels-idx1", 8))
    )
    return pixels.reshape(-1, 784), np.array(GARMENTS)[codes]


def of_mlbench(name: str, label: str, *, numbers: bool = False) -> tuple[Any, Any]:
    """A table of mlbench, rows without missing values: a 0/1 column for each level of a category, or its number."""
    table, y = loaders().rda("mlbench", name, label)
    table = table.drop(columns=[column for column in ("Id",) if column in table])
    kept = table.notna().all(axis=1).to_numpy()
    wide = table[kept].astype(str).astype(np.float64) if numbers else pd.get_dummies(table[kept], dtype=np.float64)
    return wide.to_numpy(dtype=np.float64), y[kept]


def of_scikit(load: Callable[..., Any]) -> tuple[Any, Any]:
    """A table that scikit-learn ships."""
    found = load()
    return found.data, np.array([str(found.target_names[k]) for k in found.target])


CLASSIC: Mapping[str, Callable[[], tuple[Any, Any]]] = {
    "iris": partial(of_scikit, load_iris),
    "wine": partial(of_scikit, load_wine),
    "breast cancer (diagnostic)": partial(of_scikit, load_breast_cancer),
    "breast cancer (original)": partial(of_mlbench, "BreastCancer", "Class", numbers=True),
    "breast cancer (original), a column for each level": partial(of_mlbench, "BreastCancer", "Class"),
    "Sonar": partial(of_mlbench, "Sonar", "Class"),
    "Ionosphere": partial(of_mlbench, "Ionosphere", "Class"),
    "Pima diabetes": partial(of_mlbench, "PimaIndiansDiabetes", "diabetes"),
    "Glass": partial(of_mlbench, "Glass", "Type"),
    "Vehicle": partial(of_mlbench, "Vehicle", "Class"),
    "Vowel": partial(of_mlbench, "Vowel", "Class"),
    "Zoo": partial(of_mlbench, "Zoo", "type"),
    "House votes 1984": partial(of_mlbench, "HouseVotes84", "Class"),
    "Satellite": partial(of_mlbench, "Satellite", "classes"),
}
TABLES: Mapping[str, Callable[[], tuple[Any, Any]]] = {
    **CLASSIC,
    "small digits": partial(of_scikit, load_digits),
    **{f"MNIST {part}": partial(pictures_of, digits, part) for part in ("test", "train", "all")},
    **{f"Fashion-MNIST {part}": partial(pictures_of, garments, part) for part in ("test", "train", "all")},
}


def chosen(only: Sequence[str]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The tables that are asked about, all if none is named; the small ones come first."""
    for name, load in TABLES.items():
        if not only or name in only:
            yield name, load()


def questions(table: str, X: Any, y: Any) -> Iterator[Question]:
    """Each pair of classes, and of three or more each class against the rest."""
    classes = np.unique(y).tolist()
    for a, b in combinations(classes, 2):
        rows = (y == a) | (y == b)
        yield Question(table, f"{a} {b}", X[rows], np.where(y[rows] == a, str(a), str(b)))
    for a in classes if len(classes) > 2 else ():
        yield Question(table, f"{a} rest", X, np.where(y == a, str(a), f"not {a}"))


# --------------------------------------------------------------------------- answers
def verdict(asked: Question) -> dict[str, Any]:
    """The verdict, with its proof written."""
    began = time.perf_counter()
    found = separability(asked.X, asked.y, time_limit=SECONDS["verdict"])
    seconds = time.perf_counter() - began
    write_whole(asked.proof, found.to_json().encode(), "the proof")
    n, p = asked.X.shape
    head = {"table": asked.table, "question": asked.name, "rows": n, "columns": p, "proof": asked.proof.name}
    left = len(found.rows_left)
    witness = 0 if found.witness is None else len(found.witness.rows)
    return head | {"verdict": found.verdict, "left": left, "witness": witness, "seconds": round(seconds, 2)}


def margin(asked: Question) -> dict[str, Any]:
    """The bracket of the margin, in the units of the table; where the time was short, its lower end is the proof's."""
    found = max_margin(asked.X, asked.y, time_limit=SECONDS["margin"])
    return {"margin": [found.lower if found.lower > 0 else margin_of_proof(asked), found.upper]}


def margin_of_proof(asked: Question) -> float:
    """The margin of the plane that is proved, in integers, and rounded down; 0 where numbers are no integers."""
    X = np.asarray(asked.X).astype(np.int64)
    if not np.array_equal(X, asked.X):
        return 0.0
    [found] = verify_certificate(asked.proof.read_text(encoding="utf-8"), asked.X, asked.y).values()
    ahead = found.proof.directions[0]
    w = np.array([int(ahead.get(j, 0)) for j in range(X.shape[1])], dtype=object)
    sides = X.astype(object) @ w + int(ahead.get(X.shape[1], 0))
    nearest = min(abs(value) for value in sides.tolist())
    return float(np.nextafter(float(Fraction(nearest, isqrt(sum(v * v for v in w.tolist())) + 1)), 0.0))


def fewest(asked: Question) -> dict[str, Any]:
    """How few rows have to go: at least one where no plane separates all."""
    found = fewest_rows(asked.X, asked.y, time_limit=SECONDS["fewest"])
    return {"fewest": [max(1, found.lower), found.upper]}


def together(table: str, X: Any, y: Any, known: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Whether one vector for each class gives every row its class, x -> argmax_k w_k.x + b_k.

    No, if two classes are not separable from each other: w_a - w_b would do it. Yes, if each is from the rest.
    Else a multinomial regression of a small table is asked whether it is separated completely, and of digits a
    perceptron comes to a pass without a mistake: its weights are sums of rows, and products of whole numbers are exact.
    """
    said = {"table": table, "question": "all classes", "rows": len(y), "columns": X.shape[1]}
    pairwise = (one for one in known if not one["question"].endswith("rest"))
    no = next((one for one in pairwise if one["verdict"] not in ("separable", "undecided")), None)
    if no is not None:
        pairs = {f"{a} {b}": f"{a} and {b}" for a, b in combinations(np.unique(y).tolist(), 2)}
        return said | {"verdict": "not separable", "because": f"{pairs[no['question']]} are not"}
    if all(one["verdict"] == "separable" for one in known if one["question"].endswith("rest")):
        return said | {"verdict": "separable", "because": "each class against the rest"}
    if X.size * len(np.unique(y)) ** 2 < _SMALL:
        found = separation(X, y, family="multinomial", time_limit=60)
        said |= {"because": f"a multinomial regression: {found.verdict} separation"}
        known_verdicts = {"complete": "separable", "undecided": "undecided"}
        return said | {"verdict": known_verdicts.get(found.verdict, "not separable")}
    model = Perceptron(max_iter=3_000, time_limit=120, multi_class="multiclass", shuffle=True, random_state=0)
    model.fit(X.astype(np.float64), y)
    W, b = model.coef_, model.intercept_
    z = X.astype(np.float64) @ W.T + b
    own = z[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    z[np.arange(len(y)), np.searchsorted(model.classes_, y)] = -np.inf
    exact = np.array_equal(W, np.rint(W)) and (abs(X).astype(np.float64) @ abs(W).T).max() + abs(b).max() < _WHOLE
    if exact and (own > z.max(axis=1)).all():
        return said | {"verdict": "separable", "because": f"a perceptron after {model.n_iter_} passes"}
    return said | {"verdict": "undecided", "because": "no perceptron came to a clean pass in 120 s"}


class Answers:
    """What is answered so far, one line of JSON each, so that an interrupted run goes on where it stopped."""

    def __init__(self) -> None:
        self.path = FOLDER / "answers.jsonl"
        self.path.parent.joinpath("proofs").mkdir(parents=True, exist_ok=True)
        self.known: dict[tuple[str, str], dict[str, Any]] = {}
        for line in self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else ():
            self.add(json.loads(line), keep=False)

    def add(self, answer: dict[str, Any], *, keep: bool = True) -> None:
        """Take in a part of an answer."""
        self.known.setdefault((answer["table"], answer["question"]), {}).update(answer)
        if keep:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(answer) + "\n")
            print({key: value for key, value in answer.items() if key not in ("columns", "proof")}, flush=True)

    def of(self, table: str) -> list[dict[str, Any]]:
        """The answers about a table."""
        return [one for (name, _), one in self.known.items() if name == table]


def answer(answers: Answers, only: Sequence[str]) -> None:
    """Ask all verdicts; then margins, then rows that have to go."""
    steps: list[tuple[str, Callable[[Question], dict[str, Any]]]]
    steps = [("verdict", verdict), ("margin", margin), ("fewest", fewest)]
    for step, ask in steps:
        for table, (X, y) in chosen(only):
            for one in questions(table, X, y):
                known = answers.known.get((table, one.name), {})
                wanted = {"verdict": True, "margin": known.get("verdict") == "separable"}
                wanted["fewest"] = known.get("verdict", "separable") not in ("separable", "undecided")
                if step not in known and wanted[step]:
                    answers.add({"table": table, "question": one.name, **ask(one)})
            several = step == "verdict" and len(np.unique(y)) > 2
            if several and (table, "all classes") not in answers.known:
                answers.add(together(table, X, y, answers.of(table)))


def verify(known: Mapping[tuple[str, str], Mapping[str, Any]], only: Sequence[str]) -> None:
    """Check that there is a proof of each answer, and that it proves it; exit with 1 if one does not."""
    for table, (X, y) in chosen(only):
        for one in questions(table, X, y):
            if (table, one.name) not in known:
                continue
            [found] = verify_certificate(one.proof.read_text(encoding="utf-8"), one.X, one.y).values()
            if found.verdict != known[table, one.name]["verdict"]:
                sys.exit(f"{one.proof.name} proves {found.verdict!r}, which is not the answer: ask again")
            by = "linsep"
            if one.X.size <= _BY_READER:
                design = FOLDER / "design.json"
                names = [f"x{j}" for j in range(one.X.shape[1])]
                plain = {"X": one.X.tolist(), "y": one.y.tolist(), "names": names, "effects": {}}
                write_whole(design, json.dumps(plain).encode(), "the design")
                subprocess.run(
                    [sys.executable, "-S", "-E", PROGRAM, one.proof, design], check=True, stdout=subprocess.DEVNULL
                )
                by += " and the standard library"
            print(f"{one.proof.name}: holds, by {by}", flush=True)


def main() -> None:
    """Answer, or verify, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.atlas", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--verify", action="store_true", help="check the proofs")
    parser.add_argument("tables", nargs="*", help="these tables only")
    asked = parser.parse_args()
    if unknown := set(asked.tables).difference(TABLES):
        parser.error(f"no table is called {sorted(unknown)[0]!r}: choose from {', '.join(map(repr, TABLES))}")
    answers = Answers()
    if asked.verify:
        verify(answers.known, asked.tables)
        return
    answer(answers, asked.tables)
    write_page(answers.known)


if __name__ == "__main__":
    main()
