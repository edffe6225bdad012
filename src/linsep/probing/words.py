"""A probe in words: its table, what has to be said about it, and what may not be meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from linsep.markup import quote, rounded_down, rounded_up
from linsep.probing.labels import Labels, in_another_order
from linsep.probing.layers import Layer
from linsep.probing.measured import ProbeRow
from linsep.theory.words.of_classes import with_mark

_LEVEL = -2.0  # log10 of the chance below which a verdict counts as no accident
_SHOWN = 3  # of those that a sentence is about
_SELECTIVITY = "accuracy minus control, in folds that share types or groups: near 0 the probe knows only these by heart"
_LEAVE_EMPTY = "this may mean a missing label: leave the cell empty (None in Python)"
_SMALL = "so few rows that fewer parts can be held out: is this label right?"
_NO_LABEL = {"na", "n/a", "#n/a", "nan", "null", "#null!", "none", "?"}


def chance_words(odds: float | None) -> str:
    """log10 of a chance as people write it.

    Examples
    --------
    >>> chance_words(0.0), chance_words(-1.5), chance_words(-31.26), chance_words(None)
    ('100 %', '3.16 %', '10^-31.3', 'none')
    """
    if odds is None or odds < -3:
        return "none" if odds is None else f"10^{odds:.1f}"
    return f"{100 * 10**odds:.3g} %" if odds < -1 else f"{100 * 10**odds:.0f} %"


def rank_words(row: ProbeRow, bound: str = "at most") -> str:
    """The rank, or that it is at most so large."""
    return f"{row.rank:,}" if row.rank_exact else f"{bound} {row.rank:,}"


def rows_words(low: int | None, high: int | None) -> str:
    """How many rows, if that is known."""
    ends = [] if low is None or high is None else sorted({low, high})
    return " to ".join(f"{end:,}" for end in ends)


def few_words(row: ProbeRow) -> str:
    """How many columns still separate, if that is known."""
    return "" if row.few_columns is None else f"{'' if row.few_smallest else 'at most '}{len(row.few_columns):,}"


def shuffle_words(row: ProbeRow) -> str:
    """How many shuffled labels are separable, of those decided, if any were asked."""
    if row.separable_shuffles is None:
        return ""
    of = f"{row.separable_shuffles} of {row.decided_shuffles}"
    return of if row.decided_shuffles == row.asked_shuffles else f"{of} decided"


def _share(mean: float | None, low: float | None, high: float | None, around: str = "()") -> str:
    """A share and its bounds in percent, if they are known."""
    if mean is None or low is None or high is None:
        return ""
    return f"{mean:.1%} {around[0]}{100 * low:.1f} to {100 * high:.1f}{around[1]}"


def _bracket(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{rounded_down(low, 3)} to {rounded_up(high, 3)}"


_ALWAYS = 10  # columns; those after them stand where some row has words for them
_COLUMNS: dict[str, Callable[[ProbeRow], str]] = {
    "layer": lambda row: row.layer,
    "concept": lambda row: row.concept,
    "rows x columns": lambda row: f"{row.n:,} x {row.d:,}",
    "rank": lambda row: rank_words(row, "<="),
    "verdict": lambda row: row.verdict,
    "odds": lambda row: chance_words(row.log10_odds),
    "margin / radius": lambda row: _bracket(row.margin_low, row.margin_high),
    "accuracy": lambda row: _share(row.accuracy, row.low, row.high),
    "larger class": lambda row: f"{row.majority:.1%}",
    "auc": lambda row: "" if row.auc is None else f"{row.auc:.3f}",
    "shuffled": lambda row: _share(row.shuffled, row.shuffled_low, row.shuffled_high, "[]"),
    "control": lambda row: _share(row.control, row.control_low, row.control_high, "[]"),
    "selectivity": lambda row: "" if row.selectivity is None else f"{row.selectivity:.1%}",
    "separable shuffles": shuffle_words,
    "rows to drop": lambda row: rows_words(row.fewest_low, row.fewest_high),
    "intruders": lambda row: rows_words(row.intruders_low, row.intruders_high),
    "few columns": few_words,
}


def table_lines(rows: Sequence[ProbeRow]) -> list[tuple[str, str]]:
    """Heads and rows, each as its first cell and the others in columns."""
    columns = [[head, *map(words, rows)] for head, words in _COLUMNS.items()]
    shown = [column for k, column in enumerate(columns) if k < _ALWAYS or any(column[1:])]
    padded = [[text.ljust(max(map(len, column))) for text in column] for column in shown]
    return [(texts[0].rstrip(), "  ".join(texts[1:]).rstrip()) for texts in zip(*padded, strict=True)]


def notes(rows: Sequence[ProbeRow], adjusted: Sequence[float | None]) -> list[tuple[str, str]]:
    """Sentences about all rows together, and about those that mean less than they seem to."""
    separable = [row for row in rows if row.verdict == "separable"]
    told = [odds for row, odds in zip(rows, adjusted, strict=True) if row.verdict == "separable" and odds is not None]
    said = [("separable", f"{len(separable)} of {len(rows)}")]
    if told:
        rare = sum(odds <= _LEVEL for odds in told)
        holm = ", after Holm's correction for all of them" if len(rows) > 1 else ""
        said.append(("by chance", f"a chance of at most 1 % for {rare} of these {len(told)} (Cover 1965){holm}"))
    little = [row for row in separable if row.log10_odds is not None and row.log10_odds > _LEVEL]
    said += [("says little", text) for text in dict.fromkeys(map(_why_little, little))]
    said += [("repeats", _repeats(rows))] if any(row.repeated for row in rows) else []
    if any(row.separable_shuffles is not None for row in rows):
        said.append(("shuffles", "where the odds say nothing: how many shuffled labels are separable too"))
    if any(row.log10_odds is None for row in rows):
        said.append(("no odds", "where a group holds both labels: Cover's bound counts groups of one label each"))
    if any(row.accuracy is None for row in rows):
        said.append(("no accuracy", "where a class has fewer than two rows or groups: nothing can be held out"))
    if any(row.selectivity is not None for row in rows):
        said.append(("selectivity", _SELECTIVITY))
    if any(row.verdict == "undecided" for row in rows):
        said.append(("undecided", "the time limit ended the search for a proof"))
    if fragile := [f"{row.concept} in {row.layer}" for row in rows if row.fragile]:
        said.append(("fragile", with_mark(", ".join(fragile), True)))
    return said


def _why_little(row: ProbeRow) -> str:
    """Why shuffled labels may be separable too: there are too few rows, or a class is too rare."""
    what = "rows" if row.units == row.n else "groups" if row.repeated is None else "distinct rows"
    counted = f"{row.units:,} {what} of rank {rank_words(row)}"
    if row.log10_odds_fair is not None and row.log10_odds_fair <= _LEVEL:
        coins = f"if a fair coin chose each label, the chance would be at most {chance_words(row.log10_odds_fair)}"
        return f"{counted}: a class is so rare that shuffled labels may be separable too; {coins}"
    coins = f"with {row.rare_rows:,} {what} and a fair coin for each label, the chance would be 1/1000"
    return f"{counted}: shuffled labels may be separable too; {coins}"


def _repeats(rows: Sequence[ProbeRow]) -> str:
    """That rows equal others, told of the layer and concept where most do."""
    row = max(rows, key=lambda one: one.repeated or 0)
    where = f" (layer {row.layer!r:.40}, concept {row.concept!r:.40})" if len(rows) > 1 else ""
    copies = (
        "the odds count equal rows once; a held-out row may have a copy in training, unless --groups COLUMN (groups=)"
    )
    told = "some have another label: nothing separates these" if row.units == row.n else f"{copies} keeps them together"
    return f"rows equal to an earlier one: {row.repeated:,} of {row.n:,}{where}; {told}"


def doubts_of(layers: Sequence[Layer], labels: Labels, rows: Sequence[ProbeRow], folds: int) -> list[str]:
    """What may not be meant: classes that are small or of no label, a key that is not used, labels of no row."""
    found = []
    for concept, sizes in labels.sizes.items():
        empty = {name: n for name, n in sizes.items() if name.strip().lower() in _NO_LABEL}
        small = {name: n for name, n in sizes.items() if n < folds}
        for names, said in ((empty, _LEAVE_EMPTY), (small, _SMALL)):
            found += [f"concept {concept!r:.40}: {_first(names)}: {said}"] if names else []
    reads = {id(read): (layer.name, name, read) for layer in layers for name, read in layer.beside.items()}
    for layer, name, read in reads.values() if labels.keys is None else ():
        if labels.shared([name]) and in_another_order(read(), labels.beside[name]):
            both = f"the labels and the activations (layer {layer!r:.40}) both have {name!r:.40}, in another order"
            found.append(f"{both}: rows are matched by position; --set key={quote(name)} (key=) matches them by it")
            break
    asked = {one.concept: len(one.rows) for one in labels.questions}
    unused = {row.concept: asked[row.concept] - row.n for row in rows if row.n < asked[row.concept]}
    if unused:
        found.append(f"labels whose key names no row of the activations are not used: of {_first(unused)}")
    return found


def _first(sizes: Mapping[str, int]) -> str:
    """The first names with their numbers of rows."""
    said = [f"{name!r:.40} ({n:,} row{'' if n == 1 else 's'})" for name, n in sizes.items()]
    more = len(said) - _SHOWN
    return ", ".join(said[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
