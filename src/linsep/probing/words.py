"""A probe in words: its table, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Sequence

from linsep.probing.measured import ProbeRow

_LEVEL = -2.0  # log10 of the chance below which a verdict counts as no accident
_HEADS = ("layer", "concept", "rows x columns", "verdict", "odds", "margin / radius", "accuracy", "auc")


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


def table_lines(rows: Sequence[ProbeRow]) -> list[str]:
    """The rows as lines of one width a column; the controls only where there are any."""
    heads, cells = list(_HEADS), [_cells(row) for row in rows]
    for name in ("shuffled", "control", "selectivity"):
        if any(getattr(row, name) is not None for row in rows):
            heads.append(name)
            for row, texts in zip(rows, cells, strict=True):
                texts.append(_share(getattr(row, name)))
    widths = [max(len(texts[k]) for texts in (heads, *cells)) for k in range(len(heads))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(texts, widths, strict=True)).rstrip()
        for texts in (heads, *cells)
    ]


def row_words(row: ProbeRow) -> str:
    """One row in a line, for those who watch."""
    odds = "" if row.odds is None else f", chance of shuffled labels at most {chance_words(row.odds)}"
    held = "" if row.accuracy is None else f", accuracy on new rows {row.accuracy:.1%}"
    return f"{row.layer}, {row.concept}: {row.verdict}{odds}{held}"


def notes(rows: Sequence[ProbeRow], adjusted: Sequence[float | None]) -> list[str]:
    """Sentences about all rows together, and about those that mean less than they seem to."""
    said = []
    separable = [row for row in rows if row.verdict == "separable"]
    told = [odds for row, odds in zip(rows, adjusted, strict=True) if row.verdict == "separable" and odds is not None]
    if told:
        rare = sum(odds <= _LEVEL for odds in told)
        holm = ", after Holm's correction for all rows" if len(rows) > 1 else ""
        said.append(
            f"separable: {len(separable)} of {len(rows)}; for {rare} of them chance is at most 1 % (Cover 1965){holm}"
        )
    little = [row for row in separable if row.odds is not None and row.odds > _LEVEL]
    for units, rank in dict.fromkeys((row.units, row.rank) for row in little):
        row = next(row for row in little if (row.units, row.rank) == (units, rank))
        what = "groups" if row.units != row.n else "rows"
        said.append(
            f"{units:,} {what} of rank {rank:,} say little: shuffled labels may be separable too; "
            f"{row.rare_rows:,} with even classes would do for a chance of 1/1000"
        )
    if any(row.odds is None for row in rows):
        said.append(
            "no odds where a group holds both labels: its rows depend on each other, and Cover's bound counts "
            "groups of one label each"
        )
    if any(row.accuracy is None for row in rows):
        said.append("no accuracy where a class has fewer than two rows or groups: nothing can be held out")
    if any(row.verdict == "undecided" for row in rows):
        said.append("undecided: the time limit ended the search for a proof")
    return said


def _cells(row: ProbeRow) -> list[str]:
    margin = (
        "" if row.margin_low is None or row.margin_high is None else f"{row.margin_low:.4f} to {row.margin_high:.4f}"
    )
    held = ""
    if row.accuracy is not None and row.low is not None and row.high is not None:
        held = f"{row.accuracy:.1%} ({100 * row.low:.1f} to {100 * row.high:.1f})"
    odds = "none" if row.odds is None else chance_words(row.odds)
    auc = "" if row.auc is None else f"{row.auc:.3f}"
    return [row.layer, row.concept, f"{row.n:,} x {row.d:,}", row.verdict, odds, margin, held, auc]


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
