"""Files of VIPR with a number, a word or a line that is another, or the end of another file."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from exact_cone import reaches
from linsep import separability
from trial.row import Outcome
from vipr import Judge, RefusedError, by_program, check, files_of, stated

CLAIM = "an altered VIPR file is refused or about another table, or what it says of this one is true"
TIMES = 10_000


def run(times: int, seed: int) -> Outcome:
    """First every file as it is; compare_vipr.py is a judge by itself, and viprchk where it is on the path."""
    judges: dict[str, Judge | None] = {"": check, " by compare_vipr alone": None}
    if shutil.which("viprchk"):
        judges[" by viprchk"] = by_program
    rng, counts = Random(f"vipr {seed}"), Counter[str]()
    failures: list[str] = []
    every = [one for _ in range(40) for one in tables(rng)]
    for k in range(times):
        Z, files = every[k % len(every)]
        text = rng.choice(list(files.values()))
        new = text
        while new == text and k >= len(every):
            new = altered(rng, text, list(files.values()))
        for name, judge in judges.items():
            found = judged(Z, new, judge)
            counts[found + name] += 1
            if found == "WRONG" or (new == text and found != "true"):
                failures.append(f"{found}{name}:\n{new}")
    return Outcome(times, failures, ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())))


def tables(rng: Random) -> list[tuple[list[list[int]], dict[str, str]]]:
    """Small tables of each verdict."""
    out = []
    for shift in (0, 0, 5):
        n, p = rng.randint(3, 7), rng.randint(1, 3)
        X = [[rng.randint(-2, 2) + shift * (i % 2) * (j == 0) for j in range(p)] for i in range(n)]
        found = separability(np.array(X), [i % 2 for i in range(n)])
        Z = [[(2 * (i % 2) - 1) * v for v in (*x, 1)] for i, x in enumerate(X)]
        out.append((Z, files_of(found)))
    return out


def judged(Z: list[list[int]], text: str, judge: Judge | None) -> str:
    """What becomes of a file; whether it is true is found by the simplex method."""
    try:
        said = stated(text, Z, judge)
    except RefusedError:
        return "refused"
    if said is None:
        return "about another table"
    ids, strict, possible = said
    rows: Any = [[Fraction(v) for v in Z[i]] for i in ids]
    if strict:  # none if a combination with weights that add up to 1 is 0
        true = not reaches([[*row, 1] for row in rows], [0] * len(Z[0]) + [1])
    else:  # none if the sum of the rows is one of their opposites
        true = not reaches(rows, [-sum(column) for column in zip(*rows, strict=True)])
    return "true" if true == possible else "WRONG"


def altered(rng: Random, text: str, ends: list[str]) -> str:
    """One or two changes."""
    for _ in range(rng.randint(1, 2)):
        lines = text.split("\n")
        way = rng.randrange(5)
        at = rng.randrange(len(lines))
        words = lines[at].split(" ")
        k = rng.randrange(len(words))
        if way == 0:
            other = rng.choice(ends)
            text = text.partition("RTP")[0] + "RTP" + other.partition("RTP")[2]
            continue
        if way == 1:
            lines[at : at + 1] = rng.choice([[], [lines[at]] * 2])
        elif way == 2:
            words[k : k + 1] = rng.choice(
                [[], [words[k]] * 2, ["0"], ["-1"], ["1/0"], ["1e3"], ["infeas"], ["sol"], ["0_1"]]
            )
        elif words[k] in "GLE":
            words[k] = rng.choice("GLE")
        elif re.fullmatch(r"-?\d+(/[1-9]\d*)?", words[k]):
            value = Fraction(words[k])
            words[k] = str(rng.choice([value + 1, value - 1, -value, 2 * value, value / 3]))
        text = "\n".join(lines) if way == 1 else "\n".join([*lines[:at], " ".join(words), *lines[at + 1 :]])
    return text
