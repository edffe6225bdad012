"""The page of the atlas: a table for each kind of question, and a picture of the digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from benchmarks.last import MARKS
from linsep.markup import rounded_down, rounded_up
from linsep.plots.style import GREY, INK, VALUES

PAGE = Path("docs/atlas.md")
Known = Mapping[tuple[str, str], Mapping[str, Any]]
_PARTS = {"MNIST train": "training digits", "MNIST test": "test digits", "MNIST all": "both"}
_DIGITS = range(10)
_DIGIT_QUESTIONS = [f"{a} {b}" for a, b in combinations(_DIGITS, 2)] + [f"{a} rest" for a in _DIGITS]


def write_page(known: Known) -> None:
    """Put the tables between the marks of the page, and the picture beside it."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    tail = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{head}{MARKS[0]}\n\n" + "\n".join(lines(known)) + f"\n\n{MARKS[1]}{tail}", encoding="utf-8")
    draw(known, PAGE.with_suffix(".svg"))


def lines(known: Known) -> Iterator[str]:
    """All tables."""
    yield from ["### How many of the questions", "", *counts(known)]
    yield from ["", "### Digit against digit, and against the rest", "", *of_digits(known)]
    yield from ["", "### Classic tables", "", *of_classic(known)]


def counts(known: Known) -> Iterator[str]:
    """Of each set of digits how many pairs, and classes against the rest, are separable, and all at once."""
    yield "| digits | separable pairs | separable from the rest | all ten at once | seconds |"
    yield "|---|---|---|---|---|"
    for table, words in {**_PARTS, "small digits": "small digits, 8 x 8"}.items():
        every = {question: one for (name, question), one in known.items() if name == table}
        if not every:
            continue
        of = {False: [0, 0], True: [0, 0]}
        for question, one in every.items():
            if question != "all classes":
                of[question.endswith("rest")][0] += one["verdict"] == "separable"
                of[question.endswith("rest")][1] += one["verdict"] != "undecided"
        together = every.get("all classes", {"verdict": "", "because": ""})
        seconds = sum(one.get("seconds", 0) for one in every.values())
        cells = [f"{yes} of {asked}" for yes, asked in of.values()]
        yield f"| {words} | {cells[0]} | {cells[1]} | {together['verdict']}: {together['because']} | {seconds:.0f} |"


def of_digits(known: Known) -> Iterator[str]:
    """The 165 answers."""
    yield f"| question | {' | '.join(_PARTS.values())} |"
    yield "|---|---|---|---|"
    for question in _DIGIT_QUESTIONS:
        cells = [answered(known.get((table, question))) for table in _PARTS]
        words = question.replace(" rest", " against the rest") if "rest" in question else question.replace(" ", " or ")
        yield f"| {words} | {' | '.join(cells)} |"


def of_classic(known: Known) -> Iterator[str]:
    """Tables of two classes by their answer, of several by how many pairs and classes are separable."""
    yield "| table | rows x columns | classes | answer | not separable: rows that have to go |"
    yield "|---|---|---|---|---|"
    for table in dict.fromkeys(name for name, _ in known):
        if table in _PARTS:
            continue
        every = [(question, one) for (name, question), one in known.items() if name == table]
        alone = [one for question, one in every if question != "all classes"]
        size = f"{max(one['rows'] for one in alone):,} x {alone[0]['columns']:,}"
        if len(alone) == 1:
            yield f"| {table} | {size} | 2 | {answered(alone[0], fewest=False)} | {rows_to_go(alone[0])} |"
            continue
        pairs = [one for question, one in every if not question.endswith("rest") and question != "all classes"]
        rest = [(question, one) for question, one in every if question.endswith(" rest")]
        yes = [sum(one["verdict"] == "separable" for one in ones) for ones in (pairs, [one for _, one in rest])]
        words = f"{yes[0]} of {len(pairs)} pairs, {yes[1]} of {len(rest)} against the rest"
        together = next((one for question, one in every if question == "all classes"), {"verdict": "?"})
        gone = ", ".join(
            f"{question.removesuffix(' rest')} {rows_to_go(one)}" for question, one in rest if "fewest" in one
        )
        yield f"| {table} | {size} | {len(rest)} | {words}; all at once: {together['verdict']} | {gone} |"


def answered(one: Mapping[str, Any] | None, *, fewest: bool = True) -> str:
    """The answer in a cell."""
    if one is None:
        return ""
    if one["verdict"] == "separable":
        if "margin" not in one:
            return "yes"
        low, high = rounded_down(one["margin"][0]), rounded_up(one["margin"][1])
        return f"yes, margin {low} to {high}" if one["margin"][0] > 0 else f"yes, margin at most {high}"
    if one["verdict"] == "undecided":
        return "not decided"
    away = one["rows"] - one["left"]
    some = f"no ({away:,} of {one['rows']:,} rows separated)" if away else "no"
    return f"{some}, drop {rows_to_go(one)}" if fewest and "fewest" in one else some


def rows_to_go(one: Mapping[str, Any]) -> str:
    """How few rows have to go."""
    if "fewest" not in one:
        return ""
    low, high = one["fewest"]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def draw(known: Known, path: Path) -> None:
    """Ten by ten: above the diagonal training digits, below it test digits, on it a digit against the rest of both."""
    names = {(a, b): ("MNIST train", f"{a} {b}") for a, b in combinations(_DIGITS, 2)}
    names |= {(b, a): ("MNIST test", f"{a} {b}") for a, b in combinations(_DIGITS, 2)}
    names |= {(a, a): ("MNIST all", f"{a} rest") for a in _DIGITS}
    margins = {at: known.get(name, {}).get("margin", [0.0])[0] for at, name in names.items()}
    top = log(max(1.0 + value for value in margins.values())) or 1.0
    with mpl.rc_context({"svg.hashsalt": "linsep", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure, ax = plt.subplots(figsize=(7, 6.4), layout="constrained")
        figure.patch.set_facecolor("white")
        for (row, column), name in names.items():
            answer, value = known.get(name), margins[row, column]
            colour = VALUES(0.3 + 0.7 * log(1.0 + value) / top) if value else GREY if answer else "white"
            ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
            text = f"{value:.3g}" if value else "no" if answer else "?"
            ax.text(column, row, text, ha="center", va="center", fontsize=9, color=INK if value else "white")
        ax.set(xlim=(-0.5, 9.5), ylim=(9.5, -0.5), xticks=_DIGITS, yticks=_DIGITS, aspect="equal")
        ax.set_xlabel("above the diagonal: training digits; below: test digits; on it: both, against the rest")
        ax.tick_params(length=0)
        for side in ax.spines.values():
            side.set_visible(False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
