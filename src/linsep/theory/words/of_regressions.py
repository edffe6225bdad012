"""What was found about a regression, in sentences for the methods section of a paper; `found` is a `Separation`."""

from __future__ import annotations

from typing import Any

from linsep.markup import table_html
from linsep.theory.verify.consequences import UNIDENTIFIED
from linsep.theory.words.marks import with_mark
from linsep.theory.words.of_coefficients import SAID, by_estimate, estimate, listed, told
from linsep.theory.words.of_models import SEVERAL_MAXIMA, is_concave, model_words, source, why

UNREAD = "not verified: verify(X, y) checks it against the data and says what it proves"
OTHER_DATA = (
    "this certificate is about other rows, labels or options: their hash differs; decimals count as they are written "
    "(the double 0.1 is not 1/10): give such a table as open_data(path, target=...)"
)


def summary_of(found: Any) -> str:
    """The verdict, what it means for each coefficient, and how it was decided."""
    if found.rank is None:
        return f"Undecided: {found.reason}." if found.verdict == "undecided" else f"{UNREAD}."
    said, n = [opening_of(found), *_estimates(found)], found.n_missing
    if n:
        said.insert(1, f"{n:,} further {'row was' if n == 1 else 'rows were'} left out for missing values.")
    said.append(
        f"Decided in exact arithmetic on the numbers given ({source(found.family, found.link)}; maximal separated set "
        "and null space of the remaining rows), with certificates checked on every row; no tolerance is involved."
    )
    return with_mark(" ".join(said), found.fragile)


def opening_of(found: Any) -> str:
    """The verdict in a sentence or two."""
    n, k = found.n_rows - found.left_out, len(found.separated_rows)
    model = model_words(found.family, found.link, found.classes)
    if found.verdict == "overlap":
        said = (
            f"Overlap: {model} on {n:,} rows is not separated. A maximum likelihood estimate exists, and every "
            "coefficient that is identified has a finite one."
        )
        return said if is_concave(found.family, found.link) else f"{said} {SEVERAL_MAXIMA}"
    meaning = why(found.family, found.verdict).format(k=f"{k:,}", left=f"{n - k:,}")
    name = found.verdict.capitalize()
    return f"{name} separation: {model} on {n:,} rows has no maximum likelihood estimate. {meaning}"


def _estimates(found: Any) -> list[str]:
    """Which coefficients are infinite, which finite, which not identified; of fixed effects how many."""
    out, names = [], by_estimate(found.coefficients)
    said = [words.names.format(listed(names[value])) for value, words in SAID.items() if words.names and names[value]]
    if said:
        out.append(f"Maximum likelihood estimates: {'; '.join(said)}.")
    many = {estimate(value): words.many for value, words in SAID.items()}
    for effect, counts in found.fixed_effects.items():
        every = listed(f"{n:,} {many[text]}" for text, n in counts.items())
        out.append(f"Coefficients of the fixed effect {effect}: {every}.")
    width = len(found.coefficients) + sum(sum(counts.values()) for counts in found.fixed_effects.values())
    if found.rank < width:
        which = listed(names[UNIDENTIFIED]) or "some of the fixed effects"
        out.append(
            f"The rank is {found.rank:,} of {width:,} coefficients: not identified, because they can change together "
            f"without changing the likelihood: {which}."
        )
    return out


def line_of(found: Any) -> str:
    """The same on a line, as for `repr`."""
    if found.rank is None:
        return summary_of(found).removesuffix(".")
    parts = [f"{told(value)}: {listed(names)}" for value, names in by_estimate(found.coefficients).items() if names]
    said = f"{found.verdict}, {len(found.separated_rows):,} of {found.n_rows:,} rows; {'; '.join(parts)}"
    return with_mark(said, found.fragile)


def html_of(found: Any) -> str:
    """The same as a table for notebooks."""
    if found.rank is None:
        return table_html(f"Separation {found.verdict}", [("because", found.reason or UNREAD)])
    rows: list[tuple[object, ...]] = [("rows separated", f"{len(found.separated_rows):,} of {found.n_rows:,}")]
    rows += [(told(value), listed(names)) for value, names in by_estimate(found.coefficients).items() if names]
    rows += [("but", with_mark("", True))] if found.fragile else []
    rows += [("what to do", text) for text in found.advice]
    return table_html(f"Separation: {found.verdict} ({found.family})", rows)
