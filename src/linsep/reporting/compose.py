"""What goes on the page of a model, of certificates, of a separation. Imports Matplotlib: only to make a report."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep.data.columns import TableChunk
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.sources.open import open_data
from linsep.learners import VotedPerceptron
from linsep.learners.inputs.tables import open_rows
from linsep.learners.table_model import TableModel, parts_of
from linsep.plots.style import count
from linsep.plots.subject import Table, labels_of, margins_of, named_table, signs_of, subject_of, table_of
from linsep.regression.found import Separation
from linsep.reporting import tables
from linsep.reporting.draw import Sketch, draw_all
from linsep.reporting.page import Page
from linsep.reporting.pictures import Seen, certificate_sketches, model_sketches, separation_sketches
from linsep.reporting.receipt import Receipt, why_stopped
from linsep.reporting.weights import Weights, weights_of
from linsep.tables import column_names, dense, is_sparse, stored
from linsep.theory.separability.certificate import Separability
from linsep.theory.separation.sentences import opening
from linsep.types import Array, Hyperplane

Lines = list[tuple[str, str]]
_MOST_ASKED = 4  # classes against the rest that are drawn


class About(NamedTuple):
    """The rows of a report: as numbers (None where they are not), their labels, and the columns people know."""

    matrix: Any
    y: Array
    columns: tables.Columns
    names: list[str]


def about_rows(X: Any, y: Any, encoder: Any = None, names: list[str] | None = None) -> About:
    """Of an array, whose columns may have `names`, or a dataframe; with an encoder of the rows as it encodes them."""
    if encoder is not None:
        source = open_rows(X, encoder)
        matrix = encoder.transform(source).X
        return about_encoded(matrix, labels_of(y, matrix.shape[0]), source.read(), encoder)
    if column_names(X) is None:
        table = table_of(X)
        names = names or table.names
        return About(table.X, labels_of(y, table.X.shape[0]), tables.columns_of(table.X, names), names)
    chunk = open_data(X).read()
    labels = labels_of(y, chunk.n_rows)
    numbers = [column.values for column in chunk.columns]
    matrix = None if any(values is None for values in numbers) else np.column_stack(numbers)
    return About(matrix, labels, tables.columns_of(chunk), list(chunk.names))


def about_encoded(matrix: Any, y: Array, chunk: Any, encoder: Any) -> About:
    """Of rows as an encoder makes them from a chunk of a source."""
    names = list(encoder.feature_names_)
    if not isinstance(chunk, TableChunk):
        return About(matrix, y, tables.columns_of(chunk.X, names), [f"{name}, scaled" for name in names])
    numbers = {column.name for column in chunk.columns if column.is_number}
    shown = [f"{name}, standardised" if name in numbers else name for name in names]
    return About(matrix, y, tables.columns_of(chunk), shown)


def about_exact(numbers: ExactNumbers, chunk: Any) -> About:
    """Of numbers as they were written, in the units of their table, where doubles hold them."""
    matrix, powers = numbers.X, np.array(numbers.exponents, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            if is_sparse(matrix):
                matrix = matrix @ sp.diags_array(10.0**-powers).tocsr()
            else:
                matrix = np.asarray(matrix, dtype=np.float64) / 10.0**powers
        except OverflowError:
            matrix = None
    if matrix is not None and not np.isfinite(stored(matrix)).all():
        matrix = None
    columns = tables.columns_of(chunk if isinstance(chunk, TableChunk) else chunk.X, numbers.names)
    assert numbers.y is not None
    return About(matrix, numbers.y, columns, numbers.names)


# ----------------------------------------------------------------------- model
def of_model(model: Any, about: About | None, receipt: Receipt, command: str, said: Sequence[str] = ()) -> Page:
    """The page of a fitted TableModel or learner; `said` are warnings that belong to it."""
    learner, encoder = parts_of(model)
    weights = weights_of(model, None if about is None else about.names)
    remarks = list(said)
    seen = None if about is None else _see(model, about, weights)
    pictures, left_out = draw_all(model_sketches(seen, model, weights, receipt.proved))
    parts = []
    if len(weights.planes):
        parts.append(tables.weights_table(weights, model.classes_, _about_weights(learner, encoder)))
    else:
        remarks.append("No weights: those of a kernel belong to rows, not to features.")
    if about is not None and seen is not None:
        mistaken = np.flatnonzero(seen.margins <= 0)
        if mistaken.size:
            parts.append(_mistakes(_of_rows(model), about, seen.margins, mistaken, weights))
        else:
            remarks.append("No table of mistaken rows: there is none among these.")
    else:
        remarks.append(
            "The rows were not at hand, as those of a stream are not kept: there are no pictures or tables of them."
        )
    return Page(
        title=_title(model),
        kicker="A separator and its receipt",
        lead=_lead(model, seen, receipt),
        lines=receipt.lines,
        command=command,
        pictures=pictures,
        tables=parts,
        remarks=[*remarks, *left_out],
    )


def check_labels(model: Any, y: Array) -> None:
    """Raise DataError for a label that the model does not know."""
    signs_of(subject_of(model), y)


def _of_rows(model: Any) -> TableModel:
    """The model of rows that are encoded already."""
    learner, _ = parts_of(model)
    return TableModel.of(learner, classes=model.classes_)


def _see(model: Any, about: About, weights: Weights) -> Seen:
    """Decide all rows, once: what is drawn asks for the same values again and again."""
    rows = _named_axes(about)
    subject = subject_of(_of_rows(model))
    z = subject.decide(rows.X)
    once = subject._replace(decide=lambda X: z if X is rows.X else subject.decide(X))
    votes = isinstance(parts_of(model)[0], VotedPerceptron)
    linear = subject.plane is not None or (len(weights.planes) > 2 and not votes)
    return Seen(once, rows, about.y, margins_of(once, rows.X, about.y), linear)


def _named_axes(about: About) -> Table:
    """The rows with the names of their columns; one or two columns, which are the axes of a picture, dense."""
    few = about.matrix.shape[1] <= 2
    return named_table(dense(about.matrix) if few else about.matrix, about.names)


def _mistakes(model: Any, about: About, margins: Array, mistaken: Array, weights: Weights) -> tables.Table:
    worst = mistaken[np.argsort(margins[mistaken], kind="stable")]
    predicted = model.predict(about.matrix[worst[: tables.MOST_ROWS]])
    chosen = tables.chosen_columns(about.columns, weights)
    return tables.mistakes_table(worst, about.y, predicted, margins, about.columns, chosen)


def _title(model: Any) -> str:
    name, classes = type(parts_of(model)[0]).__name__, model.classes_
    return f"{name}: {classes[1]} against {classes[0]}" if len(classes) == 2 else f"{name} of {len(classes):,} classes"


def _lead(model: Any, seen: Seen | None, receipt: Receipt) -> str:
    sentences = []
    learner, _ = parts_of(model)
    if seen is not None:
        n, p = seen.rows.X.shape
        wrong = int((seen.margins <= 0).sum())
        right = f"all {count(n, 'row')}" if not wrong else f"{n - wrong:,} of {count(n, 'row')}"
        sentences.append(f"It is right about {right} of {count(p, 'feature')}.")
        if on := int((seen.margins == 0).sum()):
            # `predict` gives them a class all the same, and accuracies count what it gives.
            sentences.append(f"{count(on, 'row')} on the boundary itself count as mistakes here.")
    why = learner.stop_reason_.sentence if seen is None else why_stopped(learner, float((seen.margins > 0).mean()))
    sentences.append(f"Why it stopped: {why}.")
    if receipt.proved.certificate is not None:
        summary = receipt.proved.certificate.summary()
        sentences.append(f"The rows are {summary}.")
    return " ".join(sentences)


def _about_weights(learner: Any, encoder: Any) -> str:
    if hasattr(learner, "hidden_coef_"):
        return f"The length of a feature's weights into the {len(learner.hidden_coef_)} hidden nodes."
    scale = "" if encoder is None else "Per standard deviation of a number, or 1 for a category."
    if isinstance(learner, VotedPerceptron):
        return f"Many vectors vote; these are the weights of the last one. {scale}".strip()
    return scale


# ---------------------------------------------------------------- certificates
class Asked(NamedTuple):
    """One question of two classes: what it is called (nothing if it is the only one), the answer, the labels."""

    title: str
    found: Separability
    y: Array


def of_certificates(
    asked: Sequence[Asked], about: About, exponents: Sequence[int], lines: Lines, command: str, said: Sequence[str] = ()
) -> Page:
    """The page of one certificate, or of each class against the rest; column j is the user's times 10**exponents[j]."""
    sketches: list[Sketch] = []
    parts: list[tables.Table] = []
    remarks = list(said)
    chosen = tables.chosen_columns(about.columns, None)
    for title, found, y in asked[:_MOST_ASKED]:
        plane = _in_units(found, exponents)
        head = f"{title}: " if title else ""
        if about.matrix is None:
            remarks.append(f"{head}no picture: the numbers are beyond what doubles hold.")
        else:
            new = certificate_sketches(found, plane, _named_axes(about), y)
            sketches += [sketch._replace(title=head + sketch.title) for sketch in new]
        if plane is not None and found.verdict == "separable":
            w = Weights(plane.w[None], about.names, np.ones(len(plane.w)), {})
            table = tables.weights_table(w, np.unique(y).tolist(), f"Of the hyperplane; its constant is {plane.b:.6g}.")
            parts.append(_headed(table, head))
        if found.witness is not None:
            parts.append(_headed(tables.witness_table(found.witness, y, about.columns, chosen), head))
        if found.verdict == "undecided":
            remarks.append(f"{head or 'Still '}undecided: there is nothing to draw.")
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


def _headed(table: tables.Table, head: str) -> tables.Table:
    return tables.Table(head + table.title, table.note, table.columns, table.rows)


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
        lead = opening(found.family, found.verdict, found.n_rows, len(found.separated_rows), found.classes)
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
