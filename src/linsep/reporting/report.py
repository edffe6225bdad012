"""`linsep.report`: what is known about a model or a certificate, on one page."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from linsep.learners.table_model import TableModel, parts_of
from linsep.reporting.page.html import Report, check_extras, render
from linsep.reporting.proof import proof_lines
from linsep.reporting.receipt import Receipt, for_people, make_receipt
from linsep.reporting.shown import describe
from linsep.tables import column_names
from linsep.theory.separability.certificate import Separability
from linsep.types import DataError


def report(model: Any, X: Any = None, y: Any = None) -> Report:
    """Show what is known about a model on one HTML page: receipt, pictures, heaviest weights, mistaken rows.

    A row is mistaken if y z <= 0, z the decision value; with several classes, if z_own - max z_other <= 0. The page
    needs nothing else: it opens without a network, also on a phone, can be printed, and its tables can be sorted.

    Parameters
    ----------
    model : fitted TableModel or learner, or Separability
        What the page is about.
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features), optional
        The rows that it was fitted on or that it is about; for a TableModel the table, not encoded. Without rows the
        page has what the model itself tells, as after a stream.
    y : array-like of shape (n_samples,), optional
        Their labels.

    Returns
    -------
    Report
        `save(path)` writes it; a notebook shows it.

    Raises
    ------
    DataError
        Rows or labels that do not fit the model, or a model that has no report.
    ImportError
        The extra `report` is not installed.

    Examples
    --------
    >>> from linsep import Perceptron
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], [0, 0, 1, 1]
    >>> page = report(Perceptron().fit(X, y), X, y)
    >>> page.html.count("<img")
    2
    """
    check_extras()
    if (X is None) != (y is None):
        raise DataError("give the rows and their labels, X and y, or neither")
    from linsep.plots.subject import signs_of, subject_of
    from linsep.reporting.page.content import about_rows, of_certificates, of_model
    from linsep.reporting.table_check import Asked

    command = f"linsep.report({model!r}{'' if X is None else ', X, y'})"
    if isinstance(model, Separability):
        command = "linsep.report(separability, X, y)"
        if X is None:
            raise DataError("a report on a Separability needs the rows that it is about: give X and y")
        model.verify(X, y)  # a page shows nothing as proved that was only read, or is about other rows
        about = about_rows(X, y)
        powers = [0] * len(about.names)
        lines, details = proof_lines(model, about.names, powers)
        return render(of_certificates([Asked("", model, about.y)], about, powers, [*lines, *details], command))
    learner, encoder = parts_of(model)
    if not hasattr(learner, "stop_reason_") or not hasattr(learner, "decision_function"):
        kind = type(model).__name__
        unfinished = "; this one was trained by partial_fit alone: fit it" if hasattr(learner, "classes_") else ""
        raise DataError(
            f"a report is about a fitted TableModel or learner, or a Separability, not about a {kind}{unfinished}"
        )
    if X is None:
        return render(of_model(model, None, Receipt(for_people(describe(model).lines)), command))
    about = about_rows(X, y, encoder)
    if about.matrix is None:
        raise DataError("the model takes numbers, and a column of X is text; encode it as for the fit")
    if isinstance(model, TableModel):
        about = about._replace(y=model.as_classes(about.y))
    signs_of(subject_of(model), about.y)  # refuses a label that the model does not know
    if encoder is None and (known := getattr(learner, "feature_names_in_", None)) is not None:
        if column_names(X) is not None and list(known) != about.names:
            raise DataError("the columns of X are not those of the fit, in their order")
        about = about._replace(names=list(map(str, known)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")  # looked at just now
        receipt = make_receipt(model, about.matrix, about.y, seconds=None, held_out=None, prove=True)
        # How to keep rows aside is an option of the command.
        told = [line for line in receipt.told if line.label != "held-out accuracy"]
        return render(of_model(model, about, replace(receipt, told=told), command, receipt.warnings))
