"""The page of the atlas: a table for each kind of question, and a picture of the digits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, zip_longest
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from benchmarks.last import MARKS
from linsep.markup import rounded_down, rounded_up
from linsep.plots.style import GREY, INK, VALUES

PAGE = Path("docs/atlas.md")
Known = Mapping[tuple[str, str], Mapping[str, Any]]
GARMENTS = ("t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")
PARTS = {"train": "training", "test": "test", "all": "both"}


class Pictures(NamedTuple):
    """Pictures of ten classes: their name, what one is called, and the classes as they are asked about."""

    name: str
    one: str
    classes: Sequence[str]

    @property
    def questions(self) -> list[str]:
        """The 45 pairs and each class against the rest."""
        return [f"{a} {b}" for a, b in combinations(self.classes, 2)] + [f"{a} rest" for a in self.classes]


PICTURES = (
    Pictures("MNIST", "digit", [str(k) for k in range(10)]),
    Pictures("Fashion-MNIST", "garment", sorted(GARMENTS)),
)
_OF_PICTURES = {f"{kind.name} {part}" for kind in PICTURES for part in PARTS}


def write_page(known: Known) -> None:
    """Put the tables between the marks of the page, and the pictures beside it; what was not asked here stays."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    old, _, tail = rest.partition(MARKS[1])
    text = "\n".join(merged(lines(known), old.splitlines()))
    PAGE.write_text(f"{head}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{tail}", encoding="utf-8")
    for kind in PICTURES:
        asked = [known.get((f"{kind.name} {part}", question)) for part in PARTS for question in kind.questions]
        if all(asked):
            draw(known, kind, PAGE.with_name(f"atlas-{kind.name}.svg"))


def merged(new: Iterable[str], old: Iterable[str]) -> Iterator[str]:
    """The new tables; an empty cell takes that of the old row of the same name, and old rows without a new one stay."""
    before, title = dict[str, dict[str, list[str]]](), ""
    for line in old:
        title = line if line.startswith("#") else title
        if line.startswith("| "):
            name, *cells = cells_of(line)
            before.setdefault(title, {})[name] = cells
    within = False
    for line in (*new, ""):
        if not line and within:
            yield from (f"| {' | '.join([name, *cells])} |" for name, cells in before.pop(title, {}).items())
        within = line.startswith("|")
        title = line if line.startswith("#") else title
        if not line.startswith("| "):
            yield line
            continue
        name, *cells = cells_of(line)
        kept = before.get(title, {}).pop(name, [])
        cells = [cell or other for cell, other in zip_longest(cells, kept, fillvalue="")]
        if any(cells):
            yield f"| {' | '.join([name, *cells])} |"


def cells_of(line: str) -> list[str]:
    """The cells of a row of a table."""
    return [cell.strip() for cell in line[1:-1].split("|")]


def lines(known: Known) -> Iterator[str]:
    """All tables."""
    yield from ["### How many of the questions", "", *counts(known)]
    for kind in PICTURES:
        yield from ["", f"### {kind.name}: {kind.one} against {kind.one}, and against the rest", ""]
        yield from of_pictures(known, kind)
    yield from ["", "### Classic tables", "", *of_classic(known)]


def counts(known: Known) -> Iterator[str]:
    """Of each set of pictures how many pairs, and classes against the rest, are separable, and all at once."""
    yield "| pictures | separable pairs | separable from the rest | all ten at once | seconds |"
    yield "|---|---|---|---|---|"
    tables = {f"{kind.name} {part}": f"{kind.name}, {words}" for kind in PICTURES for part, words in PARTS.items()}
    for table, words in {**tables, "small digits": "small digits, 8 x 8"}.items():
        every = {question: one for (name, question), one in known.items() if name == table}
        if not every:
            yield f"| {words} | | | | |"
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


def of_pictures(known: Known, kind: Pictures) -> Iterator[str]:
    """The 165 answers."""
    yield f"| question | {' | '.join(PARTS.values())} |"
    yield "|---|---|---|---|"
    for question in kind.questions:
        cells = [answered(known.get((f"{kind.name} {part}", question))) for part in PARTS]
        words = question.replace(" rest", " against the rest") if "rest" in question else question.replace(" ", " or ")
        yield f"| {words} | {' | '.join(cells)} |"


def of_classic(known: Known) -> Iterator[str]:
    """Tables of two classes by their answer, of several by how many pairs and classes are separable."""
    yield "| table | rows x columns | classes | answer | not separable: rows that have to go |"
    yield "|---|---|---|---|---|"
    for table in dict.fromkeys(name for name, _ in known):
        if table in _OF_PICTURES:
            continue
        every = [(question, one) for (name, question), one in known.items() if name == table]
        alone = [one for question, one in every if question != "all classes"]
        size = f"{max(one['rows'] for one in alone):,} x {alone[0]['columns']:,}"
        if len(alone) == 1:
            yield f"| {table} | {size} | 2 | {answered(alone[0], fewest=False)} | {rows_to_go(alone[0]) or 'none'} |"
            continue
        pairs = [one for question, one in every if not question.endswith("rest") and question != "all classes"]
        rest = [(question, one) for question, one in every if question.endswith(" rest")]
        yes = [sum(one["verdict"] == "separable" for one in ones) for ones in (pairs, [one for _, one in rest])]
        words = f"{yes[0]} of {len(pairs)} pairs, {yes[1]} of {len(rest)} against the rest"
        together = next((one for question, one in every if question == "all classes"), {"verdict": "?"})
        gone = ", ".join(
            f"{question.removesuffix(' rest')} {rows_to_go(one)}" for question, one in rest if "fewest" in one
        )
        yield f"| {table} | {size} | {len(rest)} | {words}; all at once: {together['verdict']} | {gone or 'none'} |"


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


def draw(known: Known, kind: Pictures, path: Path) -> None:
    """Ten by ten: above the diagonal training pictures, below it test pictures, on it a class against the rest."""
    places = {name: at for at, name in enumerate(kind.classes)}
    names = {(places[a], places[b]): (f"{kind.name} train", f"{a} {b}") for a, b in combinations(kind.classes, 2)}
    names |= {(places[b], places[a]): (f"{kind.name} test", f"{a} {b}") for a, b in combinations(kind.classes, 2)}
    names |= {(at, at): (f"{kind.name} all", f"{a} rest") for a, at in places.items()}
    margins = {at: known[name].get("margin", [0.0])[0] for at, name in names.items()}
    top = log(max(1.0 + value for value in margins.values())) or 1.0
    with mpl.rc_context({"svg.hashsalt": "linsep", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure, ax = plt.subplots(figsize=(7, 6.4), layout="constrained")
        figure.patch.set_facecolor("white")
        for (row, column), value in margins.items():
            colour = VALUES(0.3 + 0.7 * log(1.0 + value) / top) if value else GREY
            ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
            text = f"{value:.3g}" if value else "?" if known[names[row, column]]["verdict"] == "undecided" else "no"
            ax.text(column, row, text, ha="center", va="center", fontsize=9, color=INK if value else "white")
        ax.set(xlim=(-0.5, 9.5), ylim=(9.5, -0.5), aspect="equal")
        ax.set_xticks(range(10), kind.classes, rotation=0 if kind.name == "MNIST" else 45)
        ax.set_yticks(range(10), kind.classes)
        ax.set_xlabel(
            f"above the diagonal: training {kind.one}s; below: test {kind.one}s; on it: both, against the rest"
        )
        ax.tick_params(length=0)
        for side in ax.spines.values():
            side.set_visible(False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
