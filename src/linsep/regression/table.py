"""The table of coefficients: a dataframe that shows the sentences that belong to it wherever it is shown itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from math import inf, nan
from typing import Any

import numpy as np
from pandas import DataFrame

from linsep.files import write_whole
from linsep.regression.drop import rows_that_move
from linsep.theory.words.of_papers import notes_of
from linsep.theory.words.of_regressions import SAID, listed

_NUMBERS = ("value", "error", "lower", "upper", "p")
_ROWS, _FOUR = 60, "{:.4g}".format  # rows shown, and digits
_END = re.compile(r"\\end\{(tabular|longtable)\}")
_IN_LATEX = str.maketrans(
    {**{letter: f"\\{letter}" for letter in "&%$#_{}"}, "~": "\\textasciitilde{}", "^": "\\^{}"}
    | {"\\": "\\textbackslash{}", "<": "\\textless{}", ">": "\\textgreater{}"}
)


class CoefficientTable(DataFrame):
    """A dataframe of pandas that shows `attrs["notes"]` below itself, printed, in a notebook and as LaTeX.

    Parts and roundings of it do too; what else is made of it, as a Series, has no notes.
    """

    @property
    def _constructor(self) -> type[CoefficientTable]:
        return CoefficientTable

    def __repr__(self) -> str:
        return "\n".join([self.to_string(max_rows=_ROWS, float_format=_FOUR), *self.attrs.get("notes", ())])

    def _repr_html_(self) -> str:
        shown = self.to_html(max_rows=_ROWS, float_format=_FOUR, notebook=True)
        return shown + "".join(f"<p>{escape(note)}</p>" for note in self.attrs.get("notes", ()))

    def to_latex(self, buf: Any = None, **options: Any) -> str | None:  # type: ignore[override]
        """Return or write the table as LaTeX, with the notes below it.

        Parameters
        ----------
        buf : path or file, optional
            Where to write it.
        **options : Any
            As for `to_latex` of a dataframe.

        Returns
        -------
        str or None
            The text, if it is not written.
        """
        notes = "".join(f"\n\\par {note.translate(_IN_LATEX)}" for note in self.attrs.get("notes", ()))
        text = _END.sub(lambda end: end[0] + notes, super().to_latex(**options))
        if buf is None:
            return text
        if hasattr(buf, "write"):
            buf.write(text)
        else:
            write_whole(buf, text.encode(), "the table")
        return None


def table_of(
    found: Any, part: Any, notes: list[str], printed: Mapping[Any, tuple[float, float]], *, exp: bool
) -> CoefficientTable:
    """A line for each coefficient, given a `FinitePart` or, among the notes, why there is none."""
    ways = rows_that_move(found)
    lines = []
    for name, said in found.coefficients.items():
        b, error = printed.get(name, (nan, nan))
        line: dict[str, Any] = {"printed": b, "printed_error": error} if printed else {}
        line["truth"] = SAID[said].many
        if part is None:
            line |= dict.fromkeys(_NUMBERS, nan)
        else:
            test = part.tests.get(name)
            line |= {**part.estimates[name]._asdict(), "p": nan if test is None else test.p_value}
        lines.append({**line, "rows": listed(ways[name])})
    frame = CoefficientTable(lines, index=list(found.coefficients)).rename(columns={"value": "estimate"})
    if found._question.outcome.beyond:
        frame = frame.drop(columns=["error", "lower", "upper", "p"], errors="ignore")
    if exp:
        frame, notes = _as_ratios(frame, notes)
    frame.attrs["notes"] = [*notes_of(found, part, printed), *notes]
    return frame


def _as_ratios(frame: CoefficientTable, notes: list[str]) -> tuple[CoefficientTable, list[str]]:
    """The numbers as odds, rate or hazard ratios, and which of them doubles do not hold."""
    frame = frame.drop(columns=["error", "printed_error"], errors="ignore")
    numbers = frame.columns.intersection(["printed", "estimate", "lower", "upper"])
    logs = frame[numbers]
    with np.errstate(over="ignore"):
        frame[numbers] = np.exp(logs)
    beyond = ((frame[numbers] == 0) & (logs > -inf)) | ((frame[numbers] == inf) & (logs < inf))
    if not beyond.any(axis=None):
        return frame, notes
    names = listed([str(name) for name in frame.index[beyond.any(axis=1)]])
    return frame, [*notes, f"Ratios of {names} that stand as 0 or inf are finite, but beyond what a double holds."]
