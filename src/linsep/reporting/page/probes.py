"""The content of the page of a probe; imported only to make a report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from linsep.plots.depth import plot_probe
from linsep.probing.measured import ProbeRow
from linsep.probing.probe import Probe
from linsep.probing.words import chance_words, drop_words, few_words, notes, rank_words, shuffle_words
from linsep.reporting.page.draw import Sketch, draw_all
from linsep.reporting.page.html import Page
from linsep.reporting.page.tables import Cell, Table, cell, some_of

_MOST_ROWS = 1000
_NUMBERS = (
    *("margin_low", "margin_high", "accuracy", "low", "high", "auc", "auc_low", "auc_high"),
    *("shuffled", "shuffled_low", "shuffled_high", "shuffled_auc"),
    *("control", "control_low", "control_high", "control_auc", "selectivity"),
)


def of_probe(found: Probe, command: str, said: Sequence[str] = (), more: Sequence[tuple[str, str]] = ()) -> Page:
    """The page of all rows: what is said of them, pictures over the layers, and a table; `more` are further lines."""
    pictures, left_out = draw_all(_sketches(found))
    separable = sum(row.verdict == "separable" for row in found.rows)
    shown = found.rows[:_MOST_ROWS]
    note = (
        "Odds: at most so likely are shuffled labels separable; after Holm: corrected for all rows. "
        "Margins are over the radius of the rows."
    )
    cells = [_cells(row, odds) for row, odds in zip(shown, found.adjusted, strict=False)]
    heads = list(cells[0]) if cells else []
    note += some_of(len(shown), len(found.rows), "rows")
    return Page(
        title=f"{separable} of {len(found.rows)} separable",
        kicker="Are concepts linearly separable in these layers?",
        lead="Each verdict is proved on all rows. The odds say whether chance could do it, accuracy is of new rows.",
        lines=[*notes(found.rows, found.adjusted), *more],
        command=command,
        pictures=pictures,
        tables=[Table("Layers and concepts", note, heads, [list(row.values()) for row in cells])],
        remarks=[*said, *left_out],
    )


def _sketches(found: Probe) -> list[Sketch]:
    texts: dict[Any, tuple[str, str]] = {
        "accuracy": ("Accuracy over the layers", "On rows held out, with its interval; filled markers are separable."),
        "margin": ("Margin over the layers", "The largest margin over the radius of the rows, 0 without a separator."),
        "separable": ("Separable concepts", "How many of the concepts are separable in each layer, proved."),
    }
    return [
        Sketch(title, caption, f"{title}: the numbers are in the table.", partial(plot_probe, found, show))
        for show, (title, caption) in texts.items()
    ]


def _cells(row: ProbeRow, adjusted: float | None) -> dict[str, Cell]:
    told = {
        "layer": row.layer,
        "concept": row.concept,
        "rows": row.n,
        "columns": row.d,
        "rank": Cell(rank_words(row), row.rank),
        "verdict": row.verdict,
        "odds": Cell(chance_words(row.log10_odds), row.log10_odds),
        "after Holm": Cell(chance_words(adjusted), adjusted),
        "separable shuffles": Cell(shuffle_words(row), row.separable_shuffles),
        "rows to drop": Cell(drop_words(row), row.fewest_low),
        "few columns": Cell(few_words(row), len(row.few_columns or ()) or None),
        **{name: "" if (value := getattr(row, name)) is None else value for name in _NUMBERS},
    }
    return {name: cell(value) for name, value in told.items()}
