"""A probe in words: its table, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from linsep.probing.measured import ProbeRow
from linsep.theory.rows.fragile import with_mark

_LEVEL = -2.0  # log10 of the chance below which a verdict counts as no accident
_SELECTIVITY = "accuracy less control, both in folds that share types or groups: near 0 the probe knows these by heart"
_HEADS = (
    *("layer", "concept", "rows x columns", "rank", "verdict", "odds", "margin / radius", "accuracy", "larger class"),
    "auc",
)


def chance_words(odds: float) -> str:
    """log10 of a chance as people write it.

    Examples
    --------
    >>> chance_words(0.0), chance_words(-1.5), chance_words(-31.26)
    ('100 %', '3.16 %', '10^-31.3')
    """
    if odds < -3:
        return f"10^{odds:.1f}"
    return f"{100 * 10**odds:.3g} %" if odds < -1 else f"{100 * 10**odds:.0f} %"


def table_lines(rows: Sequence[ProbeRow]) -> list[tuple[str, str]]:
    """Heads and rows, each as its first cell and the others in columns; controls only where there are any."""
    heads, cells = list(_HEADS), [_cells(row) for row in rows]
    for head, (name, words) in _WHERE_ASKED.items():
        if any(getattr(row, name) is not None for row in rows):
            heads.append(head)
            for row, texts in zip(rows, cells, strict=True):
                texts.append("" if getattr(row, name) is None else words(row))
    widths = [max(len(texts[k]) for texts in (heads, *cells)) for k in range(len(heads))]
    lines = [[text.ljust(width) for text, width in zip(texts, widths, strict=True)] for texts in (heads, *cells)]
    return [(texts[0].rstrip(), "  ".join(texts[1:]).rstrip()) for texts in lines]


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
    said += _shuffled(rows)
    said += _repeats(rows)
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


def rank_words(row: ProbeRow) -> str:
    """The rank, or that it is at most so large."""
    return f"{row.rank:,}" if row.rank_exact else f"at most {row.rank:,}"


def _why_little(row: ProbeRow) -> str:
    """Why shuffled labels may be separable too: there are too few rows, or a class is too rare."""
    what = "rows" if row.units == row.n else "groups" if row.repeated is None else "distinct rows"
    counted = f"{row.units:,} {what} of rank {rank_words(row)}"
    if row.log10_odds_fair is not None and row.log10_odds_fair <= _LEVEL:
        coins = f"with a fair coin for each label the chance would be at most {chance_words(row.log10_odds_fair)}"
        return f"{counted}: a class is so rare that shuffled labels may be separable too; {coins}"
    coins = f"with {row.rare_rows:,} {what} and a fair coin for each label the chance would be 1/1000"
    return f"{counted}: shuffled labels may be separable too; {coins}"


def _repeats(rows: Sequence[ProbeRow]) -> list[tuple[str, str]]:
    """That rows equal others, told of the layer and concept where most do; and that some of these differ in label."""
    said = []
    repeats = [row for row in rows if row.repeated]
    for mixed in (False, True):
        found = [row for row in repeats if (row.units == row.n) == mixed]
        if not found:
            continue
        row = max(found, key=lambda one: one.repeated or 0)
        others = f" and in {len(found) - 1} others" if len(found) > 1 else ""
        where = f" (layer {row.layer!r:.40}, concept {row.concept!r:.40}{others})" if len(rows) > 1 else ""
        equal = f"{row.repeated:,} of {row.n:,} rows equal{'s' if row.repeated == 1 else ''} an earlier one{where}"
        once = (
            "the odds count each once; a row held out may have a copy that was trained on, unless --groups COLUMN "
            "(groups=) keeps them together"
        )
        told = "some of them with another label: nothing separates these" if mixed else once
        said.append(("repeats", f"{equal}{',' if mixed else ':'} {told}"))
    return said


def _shuffled(rows: Sequence[ProbeRow]) -> list[tuple[str, str]]:
    """What shuffled labels say where the odds say nothing; of several rows the table has the numbers."""
    found = [row for row in rows if row.separable_shuffles is not None]
    if len(found) == 1:
        row = found[0]
        late = "" if row.decided_shuffles == row.asked_shuffles else f" (of {row.asked_shuffles}, in the time limit)"
        return [("shuffles", f"{shuffle_words(row)} shuffled labels{late} are separable too")]
    return [("shuffles", "where the odds say nothing: so many shuffled labels are separable too")] if found else []


def _cells(row: ProbeRow) -> list[str]:
    margin = (
        "" if row.margin_low is None or row.margin_high is None else f"{row.margin_low:.3g} to {row.margin_high:.3g}"
    )
    held = ""
    if row.accuracy is not None and row.low is not None and row.high is not None:
        held = f"{row.accuracy:.1%} ({100 * row.low:.1f} to {100 * row.high:.1f})"
    odds = "none" if row.log10_odds is None else chance_words(row.log10_odds)
    auc = "" if row.auc is None else f"{row.auc:.3f} ({row.auc_low:.3f} to {row.auc_high:.3f})"
    rank = f"{row.rank:,}" if row.rank_exact else f"<= {row.rank:,}"
    size, larger = f"{row.n:,} x {row.d:,}", f"{row.majority:.1%}"
    return [row.layer, row.concept, size, rank, row.verdict, odds, margin, held, larger, auc]


def _spread(mean: float | None, low: float | None, high: float | None) -> str:
    """A mean accuracy with the least and the greatest one."""
    assert mean is not None
    assert low is not None
    assert high is not None
    return f"{mean:.1%} [{100 * low:.1f} to {100 * high:.1f}]"


def drop_words(row: ProbeRow) -> str:
    """How many rows have to go."""
    return f"{row.fewest_low:,}" if row.fewest_low == row.fewest_high else f"{row.fewest_low:,} to {row.fewest_high:,}"


def few_words(row: ProbeRow) -> str:
    """How many columns still separate."""
    return f"{'' if row.few_smallest else 'at most '}{len(row.few_columns or ()):,}"


def shuffle_words(row: ProbeRow) -> str:
    """How many shuffled labels are separable, of those decided."""
    of = f"{row.separable_shuffles} of {row.decided_shuffles}"
    return of if row.decided_shuffles == row.asked_shuffles else f"{of} decided"


# Columns that stand where some row has a value: that value, and its words.
_WHERE_ASKED: dict[str, tuple[str, Callable[[ProbeRow], str]]] = {
    "shuffled": ("shuffled", lambda row: _spread(row.shuffled, row.shuffled_low, row.shuffled_high)),
    "control": ("control", lambda row: _spread(row.control, row.control_low, row.control_high)),
    "selectivity": ("selectivity", lambda row: f"{row.selectivity:.1%}"),
    "separable shuffles": ("separable_shuffles", shuffle_words),
    "rows to drop": ("fewest_low", drop_words),
    "few columns": ("few_columns", few_words),
}
