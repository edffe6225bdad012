"""The content of the page of certificates; imported only to make a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linsep.plots.subject import plane_of
from linsep.reporting.explanation.explanation import Explanation
from linsep.reporting.page import tables
from linsep.reporting.page.about import About, named_axes
from linsep.reporting.page.draw import Sketch, draw_all
from linsep.reporting.page.html import Page
from linsep.reporting.page.pictures import certificate_sketches, suspects_sketch
from linsep.reporting.proof import is_rounded, weights_in_words
from linsep.reporting.table_check import Asked
from linsep.reporting.weights import Weights
from linsep.theory.proof import Combination
from linsep.theory.words.of_classes import about_of, exists_near
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
        plane = plane_of(one.found, exponents)
        if about.matrix is None:
            remarks.append(f"{head}no picture: the numbers are beyond what doubles hold.")
        if one.found.verdict == "undecided" and plane is None:
            remarks.append(f"{head or 'Still '}undecided: there is nothing to draw.")
        drawn, told = _of_question(one, plane, about, exponents, explanation)
        sketches += [sketch._replace(title=head + sketch.title) for sketch in drawn]
        parts += [replace(table, title=head + table.title) for table in told]
    if len(asked) > _MOST_ASKED:
        remarks.append(f"Pictures and tables are those of the first {_MOST_ASKED} of {len(asked)} classes.")
    pictures, left_out = draw_all(sketches)
    verdicts = [found.verdict for _, found, _ in asked]
    if len(asked) == 1:
        of_class, found = about_of(asked[0].found), asked[0].found
        lead = f"{found.summary().removeprefix(of_class).partition(': ')[2]}."
        heading, lead = (text[:1].upper() + text[1:] for text in (of_class + verdicts[0], lead))
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
    parts: list[tables.Table] = []
    sketches = [] if about.matrix is None else certificate_sketches(found, plane, named_axes(about), y)
    if plane is not None and found.verdict == "separable":
        w = Weights(plane.w[None], about.names, np.ones(len(plane.w)), {})
        note = f"Of the hyperplane; its constant is {plane.b:.6g}."
        parts.append(tables.weights_table(w, np.unique(y).tolist(), note))
    if found.witness is not None:
        parts.append(_witness(found.witness, y, about.columns))
    for one in [] if explanation is None else explanation.explained:
        of_rest = plane_of(one.fewest.rest, exponents)
        if one.title == title and one.suspects:
            numbers = found.in_file(np.arange(found.n_rows))
            places = {number: i for i, number in enumerate(numbers.tolist())}
            rows = [(places[suspect.row], (suspect.label,)) for suspect in one.suspects]
            note = "Without these rows the others are separable, those first that lie deepest in the other class."
            parts.append(tables.rows_table("Suspects", note, ["label"], rows, about.columns))
            if about.matrix is not None and of_rest is not None:
                axes = named_axes(about)
                sketches.append(suspects_sketch(found.classes, of_rest, axes, y, len(rows), numbers))
    return sketches, parts


def _witness(witness: Combination, y: Array, columns: tables.Columns) -> tables.Table:
    """The rows of a witness with their integer weights."""
    note = "Signed by label and with these weights they add up to 0, so no hyperplane separates them."
    if witness.within:
        proof = exists_near(witness.within)
        note = f"Signed by label they nearly add up to 0; {proof}, so no hyperplane separates them."
    if is_rounded(witness):
        note += " The weights are parts of their sum, rounded."
    weights = zip(witness.rows, weights_in_words(witness), strict=True)
    rows = [(row, (y[row], tables.Cell(weight, float(weight)))) for row, weight in weights]
    return tables.rows_table("Rows that no hyperplane separates", note, ["label", "weight"], rows, columns)
