"""A probe in words: its table, what has to be said about it, and what may not be meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from linsep.data.lookalikes import NO_VALUE, lookalikes
from linsep.markup import quote
from linsep.probing.labels import Labels, in_another_order
from linsep.probing.layers import Layer
from linsep.probing.measured import ProbeRow
from linsep.theory.rows.fragile import with_mark

_LEVEL = -2.0  # log10 of the chance below which a verdict counts as no accident
_SHOWN = 3  # of those that a sentence is about
_NO_LABEL = {*NO_VALUE, "none", "?"}


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


def drop_words(row: ProbeRow) -> str:
    """How many rows have to go, if that is known."""
    ends = [] if row.fewest_low is None else sorted({row.fewest_low, row.fewest_high or 0})
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


_ALWAYS = 10  # columns; those after them stand where some row has words for them
_COLUMNS: dict[str, Callable[[ProbeRow], str]] = {
    "layer": lambda row: row.layer,
    "concept": lambda row: row.concept,
    "rows x columns": lambda row: f"{row.n:,} x {row.d:,}",
    "rank": lambda row: rank_words(row, "<="),
    "verdict": lambda row: row.verdict,
    "odds": lambda row: chance_words(row.log10_odds),
    "margin / radius": lambda row: "" if row.margin_low is None else f"{row.margin_low:.3g} to {row.margin_high:.3g}",
    "accuracy": lambda row: _share(row.accuracy, row.low, row.high),
    "larger class": lambda row: f"{row.majority:.1%}",
    "auc": lambda row: "" if row.auc is None else f"{row.auc:.3f} ({row.auc_low:.3f} to {row.auc_high:.3f})",
    "shuffled": lambda row: _share(row.shuffled, row.shuffled_low, row.shuffled_high, "[]"),
    "control": lambda row: _share(row.control, row.control_low, row.control_high, "[]"),
    "selectivity": lambda row: "" if row.selectivity is None else f"{row.selectivity:.1%}",
    "separable shuffles": shuffle_words,
    "rows to drop": drop_words,
    "few columns": few_words,
}


def table_lines(rows: Sequence[ProbeRow]) -> list[tuple[str, str]]:
    """Heads and rows, each as its first cell and the others in columns."""
    columns = [[head, *map(words, rows)] for head, words in _COLUMNS.items()]
    shown = [column for k, column in enumerate(columns) if k < _ALWAYS or any(column[1:])]
    padded = [[text.ljust(max(map(len, column))) for text in column] for column in shown]
    return [(texts[0].rstrip(), "  ".join(texts[1:]).rstrip()) for texts in zip(*padded, strict=True)]


_WHERE: list[tuple[str, Callable[[ProbeRow], bool], str]] = [
    (
        "no odds",
        lambda row: row.log10_odds is None,
        "where a group holds both labels: Cover's bound counts groups of one label each",
    ),
    (
        "no accuracy",
        lambda row: row.accuracy is None,
        "where a class has fewer than two rows or groups: nothing can be held out",
    ),
    (
        "selectivity",
        lambda row: row.selectivity is not None,
        "accuracy less control, both in folds that share types or groups: near 0 the probe knows these by heart",
    ),
    ("undecided", lambda row: row.verdict == "undecided", "the time limit ended the search for a proof"),
]


def notes(rows: Sequence[ProbeRow], adjusted: Sequence[float | None]) -> list[tuple[str, str]]:
    """Sentences about all rows together, and about those that mean less than they seem to."""
    separable = [row for row in rows if row.verdict == "separable"]
    told = [odds for row, odds in zip(rows, adjusted, strict=True) if row.verdict == "separable" and odds is not None]
    said = [("separable", f"{len(separable)} of {len(rows)}")]
    if told:
        rare = sum(odds <= _LEVEL for odds in told)
        holm = ", after Holm's correction for all of them" if len(rows) > 1 else ""
        said.append(("by chance", f"at most 1 % likely for {rare} of these {len(told)} (Cover 1965){holm}"))
    little = [row for row in separable if row.log10_odds is not None and row.log10_odds > _LEVEL]
    said += [("says little", text) for text in dict.fromkeys(map(_why_little, little))]
    shuffled = [row for row in rows if row.separable_shuffles is not None]
    if len(shuffled) == 1:
        row = shuffled[0]
        late = "" if row.decided_shuffles == row.asked_shuffles else f" (of {row.asked_shuffles}, in the time limit)"
        said.append(("shuffles", f"{shuffle_words(row)} shuffled labels{late} are separable too"))
    elif shuffled:
        said.append(("shuffles", "where the odds say nothing: so many shuffled labels are separable too"))
    said += _repeats(rows)
    said += [(head, text) for head, holds, text in _WHERE if any(map(holds, rows))]
    if fragile := [f"{row.concept} in {row.layer}" for row in rows if row.fragile]:
        said.append(("fragile", with_mark(", ".join(fragile), True)))
    return said


def _why_little(row: ProbeRow) -> str:
    """Why shuffled labels may be separable too: there are too few rows, or a class is too rare."""
    what = "rows" if row.units == row.n else "groups" if row.repeated is None else "distinct rows"
    counted = f"{row.units:,} {what} of rank {rank_words(row)}"
    if row.log10_odds_fair is not None and row.log10_odds_fair <= _LEVEL:
        coins = f"with a fair coin for each label the chance would be at most {chance_words(row.log10_odds_fair)}"
        return f"{counted}: a class is so rare that shuffled labels may be separable too; {coins}"
    coins = f"with {row.rare_rows:,} {what} and a fair coin for each label the chance would be 1/1000"
    return f"{counted}: shuffled labels may be separable too; {coins}"


def _repeats(rows: Sequence[ProbeRow]) -> Iterable[tuple[str, str]]:
    """That rows equal others, told of the layer and concept where most do; and that some of these differ in label."""
    for mixed, told in (
        (
            False,
            ": the odds count each once; a row held out may have a copy that was trained on, unless --groups COLUMN "
            "(groups=) keeps them together",
        ),
        (True, ", some of them with another label: nothing separates these"),
    ):
        found = [row for row in rows if row.repeated and (row.units == row.n) == mixed]
        if found:
            row = max(found, key=lambda one: one.repeated or 0)
            others = f" and in {len(found) - 1} others" if len(found) > 1 else ""
            where = f" (layer {row.layer!r:.40}, concept {row.concept!r:.40}{others})" if len(rows) > 1 else ""
            equal = f"equal{'s' if row.repeated == 1 else ''} an earlier one"
            yield "repeats", f"{row.repeated:,} of {row.n:,} rows {equal}{where}{told}"


def doubts_of(layers: Sequence[Layer], labels: Labels, rows: Sequence[ProbeRow], folds: int) -> list[str]:
    """What may not be meant: classes that are alike, small or of no label, a key not used, labels of no row."""
    found = []
    for concept, sizes in labels.sizes.items():
        alike = [name for group in lookalikes(set(sizes)) for name in group]
        empty = [name for name in sizes if name.strip().lower() in _NO_LABEL]
        small = [name for name, size in sizes.items() if size < folds and name not in alike]
        for names, which, advice in (
            (alike, "differ in blanks or case alone", "write them alike if they are one"),
            (empty, "may stand for no label", "leave the label empty (None in Python) if they do"),
            (
                small,
                f"have fewer rows than there are parts to hold out ({folds})",
                "fewer parts are held out; is the label meant?",
            ),
        ):
            if names:
                listed = _first(
                    [f"{name!r:.40} ({sizes[name]:,} row{'' if sizes[name] == 1 else 's'})" for name in names]
                )
                found.append(f"concept {concept!r:.40}: classes that {which}: {listed}: {advice}")
    found += _of_keys(layers, labels) if labels.keys is None else []
    wanted = {one.concept: len(one.rows) for one in labels.questions}
    unused = {(row.concept, wanted[row.concept] - row.n): row.layer for row in rows if row.n < wanted[row.concept]}
    if unused:
        said = [f"{n:,} of {wanted[one]:,} of {one!r:.40} (layer {layer!r:.40})" for (one, n), layer in unused.items()]
        found.append(f"labels whose key names no row of the activations are not used: {_first(said)}")
    return found


def _of_keys(layers: Sequence[Layer], labels: Labels) -> list[str]:
    """A column of the labels that an array beside the layers also holds, in another order."""
    done = set()
    for layer in layers:
        for name in labels.shared(layer.beside):
            read = layer.beside[name]
            if id(read) not in done and in_another_order(read(), labels.beside[name]):
                return [
                    f"the labels and the activations (layer {layer.name!r:.40}) both have {name!r:.40}, in another "
                    f"order, and rows are matched by their position: --key {quote(name)} (key=) matches them by it"
                ]
            done.add(id(read))
    return []


def _first(said: Sequence[str]) -> str:
    more = len(said) - _SHOWN
    return ", ".join(said[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
