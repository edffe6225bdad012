"""The content of the page of certificates and of a separation; imported only to make a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.regression.found import Separation
from linsep.reporting.explanation.explanation import Explanation
from linsep.reporting.page import tables
from linsep.reporting.page.about import About, named_axes
from linsep.reporting.page.draw import Sketch, draw_all
from linsep.reporting.page.html import Page
from linsep.reporting.page.pictures import certificate_sketches, separation_sketches, suspects_sketch
from linsep.reporting.table_check import Asked
from linsep.reporting.weights import Weights
from linsep.theory.margin.geometry import class_signs
from linsep.theory.separability.certificate import Separability
from linsep.theory.words.of_classes import with_mark
from linsep.types import Array, Hyperplane

Lines = list[tuple[str, str]]
_MOST_ASKED = 4  # classes against the rest that are drawn


def of_certificates(
    asked: Sequence[Asked],
    about: About,
    exponents: Sequence[int],
    lines: Lines,
    command: str,
    said: Sequence[str] = (),
    explanation: Explanation | None = None,
) -> Page:
    """The page of one certificate, or of each class against the rest; column j is the user's times 10**exponents[j].

    `explanation` has the rows that have to go and the columns behind the verdicts, where that was asked too.
    """
    sketches: list[Sketch] = []
    parts: list[tables.Table] = []
    remarks = list(said)
    for one in asked[:_MOST_ASKED]:
        head = f"{one.title}: " if one.title else ""
        plane = _in_units(one.found, exponents)
        if about.matrix is None:
            remarks.append(f"{head}no picture: the numbers are beyond what doubles hold.")
        if one.found.verdict == "undecided" and plane is None:
            remarks.append(f"{head or 'Still '}undecided: there is nothing to draw.")
        drawn, told = _of_question(one, plane, about, exponents, explanation)
        sketches += [sketch._replace(title=head + sketch.title) for sketch in drawn]
        parts += [replace(table, title=head + table.title) for table in told]
    if explanation is not None and explanation.columns.num_rows:
        parts.append(tables.columns_table(explanation))
    if len(asked) > _MOST_ASKED:
        remarks.append(f"Pictures and tables are those of the first {_MOST_ASKED} of {len(asked)} classes.")
    pictures, left_out = draw_all(sketches)
    verdicts = [found.verdict for _, found, _ in asked]
    if len(asked) == 1:
        heading, lead = verdicts[0].capitalize(), f"{asked[0].found.summary().partition(': ')[2]}."
        lead = lead[:1].upper() + lead[1:]
    else:
        heading = f"{verdicts.count('separable')} of {len(asked)} classes are separable"
        lead = "Each class was asked about against all the others."
    return Page(
        title=heading,
        kicker="Is there a separating hyperplane?",
        lead=lead,
        lines=lines,
        command=command,
        pictures=pictures,
        tables=parts,
        remarks=[*remarks, *left_out],
    )


def _of_question(
    asked: Asked, plane: Hyperplane | None, about: About, exponents: Sequence[int], explanation: Explanation | None
) -> tuple[list[Sketch], list[tables.Table]]:
    """The pictures and tables of one question, whose plane is in the units of the table."""
    title, found, y = asked
    sketches: list[Sketch] = []
    parts: list[tables.Table] = []
    chosen = tables.chosen_columns(about.columns, None)
    if about.matrix is not None:
        sketches += certificate_sketches(found, plane, named_axes(about), y)
    if plane is not None and found.verdict == "separable":
        w = Weights(plane.w[None], about.names, np.ones(len(plane.w)), {})
        note = f"Of the hyperplane; its constant is {plane.b:.6g}."
        parts.append(tables.weights_table(w, np.unique(y).tolist(), note))
    if found.witness is not None:
        parts.append(tables.witness_table(found.witness, y, about.columns, chosen))
    if explanation is None:
        return sketches, parts
    for one in explanation.explained:
        if one.title != title or not one.suspects:
            continue
        of_rest = _in_units(one.fewest.rest, exponents)
        numbers = found.in_file(np.arange(found.n_rows))
        distances = None
        if about.matrix is not None and of_rest is not None:
            distances = _distances(about.matrix, class_signs(y, found.classes), of_rest)
            sketches.append(suspects_sketch(found.classes, of_rest, named_axes(about), y, len(one.suspects), numbers))
        places = {number: i for i, number in enumerate(numbers.tolist())}
        rows = [places[suspect.row] for suspect in one.suspects]
        parts.append(tables.suspects_table(one.suspects, rows, distances, about.columns, chosen))
        parts.append(tables.neighbours_table(one.suspects, places, about.columns, chosen))
    return sketches, parts


def _distances(X: Any, s: Array, plane: Hyperplane) -> Array:
    """s (w.x + b) / |w| of each row: below 0 on the wrong side."""
    length = float(np.linalg.norm(plane.w)) or 1.0
    return np.asarray(s * (X @ plane.w + plane.b) / length)


def _in_units(found: Separability, exponents: Sequence[int]) -> Hyperplane | None:
    """The plane (or the first direction) in the units of the table, its largest weight made 1 where floats need it."""
    plane = found.hyperplane or (found.directions[0] if found.directions else None)
    if plane is None:
        return None
    if plane.w.dtype != object and not any(exponents):
        return plane
    w = [Fraction(v) * Fraction(10) ** k for v, k in zip(plane.w.tolist(), exponents, strict=True)]
    b = Fraction(plane.b)
    top = max(map(abs, w), default=Fraction(1)) or Fraction(1)
    if not Fraction(1, 10**9) < top < 10**9:
        w, b = [v / top for v in w], b / top
    return Hyperplane(np.array([float(v) for v in w]), float(b))


# ------------------------------------------------------------------ separation
def of_separation(found: Separation, about: About, lines: Lines, command: str, said: Sequence[str] = ()) -> Page:
    """The page of a separated, or not separated, regression."""
    pictures, remarks = draw_all(separation_sketches(found))
    parts = []
    if found.coefficients:
        parts.append(tables.coefficients_table(found))
    else:
        remarks.append("Undecided: there is nothing to draw.")
    if found.separated_rows:
        chosen = tables.chosen_columns(about.columns, None)
        parts.append(tables.separated_table(found, about.y, about.columns, chosen))
    kind = {"complete": "Complete separation", "quasi-complete": "Quasi-complete separation"}
    lead = found.summary()
    if found.verdict != "undecided":
        lead = with_mark(found.opening(), found.fragile)
    return Page(
        title=kind.get(found.verdict, found.verdict.capitalize()),
        kicker=f"Does the {found.family} regression have finite estimates?",
        lead=lead,
        # Coefficients have a table, and advice a list.
        lines=[line for line in lines if line[0] != "advice" and not line[0].startswith("  ")],
        command=command,
        advice=list(found.advice),
        pictures=pictures,
        tables=parts,
        remarks=[*said, *remarks],
    )
