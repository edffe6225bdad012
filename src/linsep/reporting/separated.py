"""What was found about separation, as lines for people."""

from __future__ import annotations

from linsep.regression.found import Separation
from linsep.regression.remedies import RowsOfCoefficient
from linsep.theory.rows.left_out import rows_of_file
from linsep.theory.separation.sentences import by_estimate, listed, told
from linsep.theory.verify.separation import FINITE, UNIDENTIFIED
from linsep.types import Array, DataError

_MOST_LINES = 40  # coefficients printed one a line


def separation_lines(found: Separation, left_out: Array | None = None) -> list[tuple[str, str]]:
    """The kind, the summary, the rows and the advice, as (label, text).

    Rows are named by their numbers among all rows, those `left_out` (in ascending order) counted too.
    """
    lines: list[tuple[str, str]] = [("separation", found.verdict)]
    if found.references:
        lines.append(("reference levels", listed(f"{name}={level}" for name, level in found.references.items())))
    lines.append(("summary", found.summary()))
    if found.n_missing:
        lines.append(("left out", f"{found.n_missing:,} rows with missing values"))
    if found.separated_rows:
        lines.append(
            ("separated rows", f"{listed(rows_of_file(found.separated_rows, left_out).tolist())} (counted from 0)")
        )
    if found.pairs:
        own = rows_of_file([row for row, _ in found.pairs], left_out).tolist()
        pairs = (f"row {row} from {label}" for row, (_, label) in zip(own, found.pairs, strict=True))
        lines.append(("separated pairs", listed(pairs)))
    lines += coefficient_lines(found)
    for effect, counts in found.fixed_effects.items():
        lines.append((f"  fixed effect {effect}", listed(f"{n:,} {text}" for text, n in counts.items())))
    lines += [("advice", text) for text in found.advice]
    return lines


def separation_details(found: Separation, left_out: Array | None = None) -> list[tuple[str, str]]:
    """The rows that move each infinite coefficient, and the fewest columns that separate, as (label, text).

    Nothing if no row is separated.
    """
    if found.verdict not in ("complete", "quasi-complete"):
        return []
    lines = [_moved(line, left_out) for line in found.table() if line.estimate not in (FINITE, UNIDENTIFIED)]
    more = len(lines) - _MOST_LINES
    lines = [*lines[:_MOST_LINES], ("  ...", f"{more:,} more")] if more > 0 else lines
    return [("rows that move", _many(len(lines), "coefficient")), *lines, _smallest(found, left_out)]


def _moved(line: RowsOfCoefficient, left_out: Array | None) -> tuple[str, str]:
    ways = ", ".join(f"{_many(n, 'row')} {way}" for n, way in ((line.up, "up"), (line.down, "down")) if n)
    more = ", ..." if line.rows > len(line.first) else ""
    first = ", ".join(map(str, rows_of_file(line.first, left_out).tolist()))
    level = f"; {line.level}" if line.level else ""
    said = f"{ways} ({first}{more})" if ways else "no separated row, it makes up for others"
    return f"  {listed([line.name])}", f"{told(line.estimate)}: {said}{level}"


def _smallest(found: Separation, left_out: Array | None) -> tuple[str, str]:
    try:
        least = found.smallest_set()
    except DataError as error:
        return "smallest set", f"not looked for: {error}"
    rows = listed(rows_of_file(least.rows, left_out).tolist())
    proved = "no fewer columns separate" if least.is_smallest else "none of them can be left out"
    return "smallest set", f"{listed(least.columns)}: {_many(len(least.rows), 'row')} separated ({rows}); {proved}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def coefficient_lines(found: Separation) -> list[tuple[str, str]]:
    """Each coefficient with its estimate, or each estimate with its coefficients where these are many."""
    if len(found.coefficients) <= _MOST_LINES:
        return [(f"  {listed([name])}", told(value)) for name, value in found.coefficients.items()]
    groups = by_estimate(found.coefficients)
    return [(f"  {told(value)}", listed(names)) for value, names in groups.items() if names]
