"""The content of the page of a model and of that of certificates. It is imported only to make a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linsep import plots
from linsep.data.features.exact_decimals import ExactNumbers
from linsep.data.sources.open import open_data
from linsep.learners import VotedPerceptron
from linsep.learners.base.tables import open_rows
from linsep.learners.table_model import TableModel, parts_of
from linsep.markup import count
from linsep.plots.subject import Subject, labels_of, margins_of, named_table, plane_of, subject_of, table_of
from linsep.plots.subject import Table as Named
from linsep.reporting.bounds import NOT_APPLICABLE
from linsep.reporting.explanation.explanation import Explanation
from linsep.reporting.page.html import Cell, Page, Picture, Table
from linsep.reporting.proof import is_rounded, weights_in_words
from linsep.reporting.receipt import Receipt
from linsep.reporting.shown import Weights, weights_of
from linsep.reporting.table_check import Asked, TableCheck
from linsep.reporting.table_fit import TableFit
from linsep.tables import column_names, dense, is_sparse, stored
from linsep.theory.proof import Combination
from linsep.theory.separability.certificate import Separability
from linsep.theory.words.of_classes import about_of, exists_near
from linsep.types import Array, Hyperplane

MOST_ROWS = 100
_MOST_WEIGHTS, _FEWEST_OF_A_CLASS = 60, 3
_LONGEST = 60  # characters of a cell


class About(NamedTuple):
    """The rows of a report: as numbers (None where they are not) with their names, and their labels."""

    matrix: Any
    names: list[str]
    y: Array

    @property
    def axes(self) -> Named:
        """The rows with the names of their columns; one or two columns, which are the axes of a picture, dense."""
        few = self.matrix.shape[1] <= 2
        return named_table(dense(self.matrix) if few else self.matrix, self.names)


def about_rows(X: Any, y: Any, encoder: Any = None) -> About:
    """Of an array or a dataframe; with an encoder of the rows as it encodes them."""
    if encoder is not None:
        matrix = encoder.transform(open_rows(X, encoder)).X
        return about_encoded(matrix, labels_of(y, matrix.shape[0], X), encoder)
    if column_names(X) is None:
        table = table_of(X)
        return About(table.X, table.names, labels_of(y, table.X.shape[0], X))
    chunk = open_data(X).read()
    numbers = [column.values for column in chunk.columns]
    matrix = None if any(values is None for values in numbers) else np.column_stack(numbers)
    return About(matrix, list(chunk.names), labels_of(y, chunk.n_rows, X))


def about_encoded(matrix: Any, y: Array, encoder: Any) -> About:
    """Of rows as an encoder makes them."""
    if encoder.column_names is None:
        return About(matrix, [f"{name}, scaled" for name in encoder.feature_names_], y)
    numbers = set(encoder.made.numbers)
    return About(matrix, [f"{name}, standardised" * (name in numbers) or name for name in encoder.feature_names_], y)


def about_exact(numbers: ExactNumbers) -> About:
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
    assert numbers.y is not None
    return About(matrix, numbers.names, numbers.y)


def cell(value: Any) -> Cell:
    """A value of any type.

    Examples
    --------
    >>> cell(1234567), cell(0.1 + 0.2).text
    (Cell(text='1,234,567', number=1234567.0), '0.3')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(_cut(str(value)))
    if abs(value) > 1e15:  # integers of any length among them
        return Cell(_cut(str(value)), float(value) if abs(value) < 1e300 else None)
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value + 0.0:.6g}", float(value) + 0.0)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _some_of(n: int, of: int, what: str) -> str:
    """A note that not everything is shown; empty if everything is."""
    return "" if n >= of else f" {n:,} of {of:,} {what} shown."


def rows_table(title: str, note: str, heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    """The first hundred rows by number, and what is said of each (under `heads`)."""
    body = [[Cell(str(number + 1), float(number + 1)), *map(cell, said)] for number, *said in rows[:MOST_ROWS]]
    rest = _some_of(len(body), len(rows), "rows")
    return Table(title, f"{note}{rest} Rows are counted from 1.", ["row", *heads], body)


def weights_table(weights: Weights, classes: Sequence[Any], note: str) -> Table:
    """The heaviest weights, of each class where there are several."""
    planes = len(weights.planes)
    each = max(_FEWEST_OF_A_CLASS, _MOST_WEIGHTS // max(3, planes))
    kept = min(planes, _MOST_WEIGHTS // _FEWEST_OF_A_CLASS)
    heaviest = weights._replace(planes=weights.planes[:kept]).heaviest(each)
    rows = [[cell(classes[k]), cell(name), cell(value)] for k, name, value in heaviest]
    if planes == 1:
        each, rows = len(rows), [row[1:] for row in rows]  # fewer where the others are 0
    note += _some_of(each, weights.planes.shape[1], "features" + (" of each class" if planes > 1 else ""))
    note += _some_of(kept, planes, "classes")
    return Table("Heaviest weights", note.strip(), [*(["class"] if planes > 1 else []), "feature", "weight"], rows)


_PROJECTED = " Projected on w, where the decision value is exact, and on the direction of most variance beside it."
_MOST_ASKED = 4  # classes against the rest that are drawn


# --------------------------------------------------------------------- a model
class Seen(NamedTuple):
    """The decisions of a model about the rows of the report."""

    subject: Subject
    rows: Named
    y: Array
    margins: Array


def of_model(model: Any, about: About | None, receipt: Receipt, command: str, said: Sequence[str] = ()) -> Page:
    """The page of a fitted TableModel or learner; `said` are warnings that belong to it."""
    learner, encoder = parts_of(model)
    weights = weights_of(model, None if about is None else about.names)
    remarks, tables = list(said), []
    seen = None if about is None else _see(model, about)
    if len(weights.planes):
        tables.append(weights_table(weights, model.classes_, _about_weights(learner, encoder)))
    else:
        remarks.append("No weights: those of a kernel belong to rows, not to features.")
    if about is None or seen is None:
        remarks.append(
            "The rows were not at hand, as those of a stream are not kept: there are no pictures or tables of them."
        )
    elif (seen.margins <= 0).any():
        tables.append(_mistakes(_of_rows(model), about, seen.margins))
        if on := int((seen.margins == 0).sum()):
            # `predict` gives them a class all the same, and accuracies count what it gives.
            remarks.append(f"{count(on, 'row')} on the boundary itself count as mistakes here.")
    name, classes = type(learner).__name__, model.classes_
    scored = f"; scores of {receipt.scored_on}" if receipt.scored_on else ""
    return Page(
        f"{name}: {classes[1]} against {classes[0]}" if len(classes) == 2 else f"{name} of {len(classes):,} classes",
        f"A separator and its receipt{scored}",
        _lead(receipt),
        [*receipt.lines, *(line for line in receipt.details if not line[1].startswith(NOT_APPLICABLE))],
        command,
        [] if seen is None else list(_pictures_of_model(seen, receipt.certificate)),
        tables,
        remarks,
    )


def of_fit(found: TableFit, command: str, said: Sequence[str]) -> Page:
    """The page of a model of a table."""
    about = about_encoded(found.rows, found.y, found.model.encoder_)
    return of_model(found.model, about, found.receipt, command, said)


def _of_rows(model: Any) -> TableModel:
    """The model of rows that are encoded already."""
    learner, _ = parts_of(model)
    return TableModel.of(learner, classes=model.classes_)


def _see(model: Any, about: About) -> Seen:
    """Compute all decision values once; the pictures use the same values several times."""
    rows = about.axes
    subject = subject_of(_of_rows(model))
    z = subject.decide(rows.X)
    once = subject._replace(decide=lambda X: z if X is rows.X else subject.decide(X))
    return Seen(once, rows, about.y, margins_of(once, rows.X, about.y))


def _mistakes(model: Any, about: About, margins: Array) -> Table:
    """The mistaken rows, farthest on the wrong side first."""
    mistaken = np.flatnonzero(margins <= 0)
    worst = mistaken[np.argsort(margins[mistaken], kind="stable")]
    predicted = model.predict(about.matrix[worst[:MOST_ROWS]])
    told = zip_longest(worst.tolist(), predicted)  # of rows that are not shown nobody asks for predictions
    rows = [(i, about.y[i], label, float(margins[i])) for i, label in told]
    note = "Margin y z: how far on the wrong side; 0 on the line. Of several classes z is compared with the best other."
    return rows_table("Mistaken rows", note, ["label", "predicted", "margin"], rows)


def _lead(receipt: Receipt) -> str:
    """How good it is, beside always answering one class; where that is not known, why it stopped."""
    told = [line for line in receipt.lines if line[0].endswith("accuracy") or line[0] == "majority class"]
    told = told or [line for line in receipt.lines if line[0] == "stop reason"]
    return " ".join(f"{label.capitalize()}: {text}." for label, text in told)


def _about_weights(learner: Any, encoder: Any) -> str:
    if hasattr(learner, "hidden_coef_"):
        return f"The length of a feature's weights into the {len(learner.hidden_coef_)} hidden nodes."
    scale = "" if encoder is None else "Per standard deviation of a number, or 1 for a category."
    if isinstance(learner, VotedPerceptron):
        return f"Many vectors vote; these are the weights of the last one. {scale}".strip()
    return scale


def _pictures_of_model(seen: Seen, certificate: Separability | None) -> Iterator[Picture]:
    """The rows, their margins, and those that no hyperplane separates."""
    yield _rows(seen)
    yield _margins(seen)
    if certificate is not None:
        yield from _pictures_of_witness(certificate, seen.rows, seen.y)


def _rows(seen: Seen) -> Picture:
    n, p = seen.rows.X.shape
    classes = 0 if seen.subject.classes is None else len(seen.subject.classes)
    if p <= 2 or (seen.subject.plane is not None and classes == 2):
        caption = "The rows by class and the decision value in colours; the line is where it is 0."
        if classes > 2:
            caption = "The rows by class, and the regions that the model gives to each."
        mistaken = int((seen.margins <= 0).sum())
        alt = f"Scatter plot of {count(n, 'row')}, {mistaken:,} of them mistaken, with the model's boundary."
        draw: Callable[..., Any] = partial(plots.plot_boundary, seen.subject, seen.rows, seen.y)
        return Picture("Boundary", caption + _PROJECTED * (p > 2), alt, draw)
    caption = f"The rows by class, projected on the two directions in which the {p:,} features vary most."
    alt = f"Scatter plot of {count(n, 'row')} of {classes} classes in the first two principal directions."
    return Picture("Rows", caption, alt, partial(plots.plot_points, seen.rows, seen.y))


def _margins(seen: Seen) -> Picture:
    n, wrong = len(seen.margins), int((seen.margins <= 0).sum())
    least, middle = float(seen.margins.min()), float(np.median(seen.margins))
    caption = "How many rows have which margin y z, z the decision value. Those at 0 or left of it are mistaken."
    alt = f"Histogram of {n:,} margins: {n - wrong:,} positive, {wrong:,} not; least {least:.3g}, median {middle:.3g}."
    return Picture("Margins", caption, alt, partial(plots.plot_margins, seen.subject, seen.rows, seen.y))


# ---------------------------------------------------------------- certificates
def of_certificates(
    asked: Sequence[Asked],
    about: About,
    exponents: Sequence[int],
    lines: list[tuple[str, str]],
    command: str,
    said: Sequence[str] = (),
    explanation: Explanation | None = None,
) -> Page:
    """The page of one certificate, or of each class against the rest; column j is the user's times 10**exponents[j].

    `explanation` has the rows that have to go and the columns behind the verdicts, where that was asked too.
    """
    pictures: list[Picture] = []
    tables: list[Table] = []
    remarks = list(said)
    for one in asked[:_MOST_ASKED]:
        head = f"{one.title}: " if one.title else ""
        plane = plane_of(one.found, exponents)
        if about.matrix is None:
            remarks.append(f"{head}no picture: the numbers are beyond what doubles hold.")
        drawn = [] if about.matrix is None else certificate_pictures(one.found, plane, about.axes, one.y)
        if one.found.verdict == "undecided" and plane is None:
            remarks.append(f"{head or 'Still '}undecided: there is nothing to draw.")
        told = _tables_of_proof(one, plane, about)
        for explained in [] if explanation is None else explanation.explained:
            if explained.title == one.title and explained.suspects:
                told.append(_suspects(explained.suspects))
        pictures += [picture._replace(title=head + picture.title) for picture in drawn]
        tables += [replace(table, title=head + table.title) for table in told]
    if len(asked) > _MOST_ASKED:
        remarks.append(f"Pictures and tables are those of the first {_MOST_ASKED} of {len(asked)} classes.")
    verdicts = [found.verdict for _, found, _ in asked]
    heading = f"{verdicts.count('separable')} of {len(asked)} classes are separable"
    lead = "Each class was asked about against all the others."
    if len(asked) == 1:
        of_class, found = about_of(asked[0].found), asked[0].found
        lead = f"{found.summary(first=1).removeprefix(of_class).partition(': ')[2]}."
        heading, lead = (text[:1].upper() + text[1:] for text in (of_class + verdicts[0], lead))
    return Page(heading, "Is there a separating hyperplane?", lead, lines, command, pictures, tables, remarks)


def of_check(found: TableCheck, lines: list[tuple[str, str]], command: str, said: Sequence[str]) -> Page:
    """The page of the certificates of a table."""
    about = about_exact(found.numbers)
    return of_certificates(found.asked, about, found.numbers.exponents, lines, command, said, found.explanation)


def _tables_of_proof(asked: Asked, plane: Hyperplane | None, about: About) -> list[Table]:
    """The weights of a separator, and the rows of a witness; the plane is in the units of the table."""
    tables, found, y = [], asked.found, asked.y
    if plane is not None and found.verdict == "separable":
        w = Weights(plane.w[None], about.names, np.ones(len(plane.w)), {})
        tables.append(weights_table(w, np.unique(y).tolist(), f"Of the hyperplane; its constant is {plane.b:.6g}."))
    if found.witness is not None:
        tables.append(_witness(found, found.witness, y))
    return tables


def _witness(found: Separability, witness: Combination, y: Array) -> Table:
    """The rows of a witness with their integer weights."""
    near = f"nearly 0, and {exists_near(witness.within)}" if witness.within else "0"
    note = f"Multiply each row by its label and its weight: the sum is {near}. So no hyperplane separates them."
    if is_rounded(witness):
        note += " The weights are parts of their sum, rounded."
    numbers, labels = found.in_file(witness.rows).tolist(), y[list(witness.rows)]
    rows = list(zip(numbers, labels, map(float, weights_in_words(witness)), strict=True))
    return rows_table("Rows that no hyperplane separates", note, ["label", "weight"], rows)


def certificate_pictures(found: Separability, plane: Hyperplane | None, rows: Named, y: Array) -> list[Picture]:
    """The plane, or why there is none; `plane` is in the units of the rows."""
    pictures = list(_pictures_of_witness(found, rows, y))
    if plane is not None:
        title, caption = "A direction", "A direction with no row on its wrong side; rows on the line are left."
        alt = f"Scatter plot of {count(len(y), 'row')} on two sides of a line and on it."
        if found.verdict == "separable":
            title, caption = "A separator", "The rows and a hyperplane that was proved to separate them."
            alt = f"Scatter plot of {count(len(y), 'row')} on the two sides of a line."
        caption += _PROJECTED * (rows.X.shape[1] > 2)
        pair = subject_of((plane.w, plane.b))._replace(named=found.classes)
        pictures.insert(0, Picture(title, caption, alt, partial(plots.plot_boundary, pair, rows, y)))
    return pictures


def _suspects(suspects: Sequence[Any]) -> Table:
    """The rows that have to go."""
    note = "Without these rows the others are separable. First come those deepest in the other class."
    return rows_table("Suspects", note, ["label"], [(suspect.row, suspect.label) for suspect in suspects])


def _pictures_of_witness(found: Separability, rows: Named, y: Array) -> Iterator[Picture]:
    """Rows that no hyperplane separates, where the certificate names them."""
    if found.witness is not None:
        caption = "Rows of the two classes whose hulls meet: no hyperplane passes between them."
        alt = f"Scatter plot with the hulls of {count(len(found.witness.rows), 'row')} of the two classes, which meet."
        draw = partial(plots.plot_witness, found, rows, y)
        yield Picture("Why no hyperplane separates them", caption, alt, draw)
