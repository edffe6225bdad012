"""Predictions of a model on a table, a piece at a time, and how many of them are correct."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linsep.data.columns import TableChunk, label_names, like
from linsep.data.features.aside import Aside
from linsep.data.sources.open import Source, open_data
from linsep.learners.base.tables import positions, weight_argument
from linsep.learners.predicting import calibrate
from linsep.learners.table_model import TableModel
from linsep.markup import listed
from linsep.reporting.quality import Scores, scores_of_counts, scores_of_rows, with_areas
from linsep.scikit import clone
from linsep.types import Array, Chunk, DataError, NoRowsError

_MOST_VALUES = 20_000_000  # decision values that are kept for areas under curves


class Predictions(NamedTuple):
    """Predictions for some rows of a table.

    Attributes
    ----------
    labels : ndarray, shape (n_rows,)
        The class predicted.
    decision_values : ndarray, shape (n_rows,)
        w.x + b; with several classes that of the class predicted.
    y : ndarray, shape (n_rows,), or None
        The label in the table; None without labels.
    probabilities : ndarray, shape (n_rows, n_classes), or None
        Those of each class, if they were asked for.
    kept : mapping of str to ndarray, shape (n_rows,)
        The columns to keep, None for an empty cell.
    """

    labels: Array
    decision_values: Array
    y: Array | None
    probabilities: Array | None = None
    kept: Mapping[str, Array] = {}


def iter_predictions(
    model: TableModel,
    table: Any,
    *,
    probabilities: bool = False,
    keep: Collection[str] = (),
    **reading: Any,
) -> Iterator[Predictions]:
    """Predict the rows of a table of any size, in pieces.

    With several classes the decision value is that of the predicted class, the largest. `model.encoder_.unknown_`
    counts the categories that did not occur in training.

    Parameters
    ----------
    model : TableModel
        A fitted model with an encoder.
    table : path, "-" or dataframe
        The rows; "-" is standard input.
    probabilities : bool, default=False
        Whether to give the probabilities of the classes as well.
    keep : collection of str
        Columns to give beside the predictions, such as a key: numbers where the model has the column as numbers, else
        text as it is written; None where a cell is empty.
    **reading
        How the table is read: `target`, `format`, `sep`, `query` and the other options of `open_data`;
        cells named with `na` are missing beside those named when the model was trained.

    Yields
    ------
    Predictions
        The predictions of some rows, in order.

    Raises
    ------
    DataError
        The table does not have the columns of the model, or one to keep, or not one row, or a cell cannot be read; or
        the model has no probabilities.

    Examples
    --------
    >>> import pandas as pd
    >>> model = TableModel().fit(pd.DataFrame({"age": [30.0, 50.0]}), ["no", "yes"])
    >>> [part.labels.tolist() for part in iter_predictions(model, pd.DataFrame({"age": [60.0, 20.0]}))]
    [['yes', 'no']]
    """
    if probabilities and not hasattr(model, "predict_proba"):
        raise DataError("the model has no probabilities: train it with probabilities=True (--probabilities)")
    for labels, z, y, X, chunk in _predicted(model, _opened(model, table, reading, keep)):
        of_classes = None
        if probabilities:
            known = model.calibration_
            of_classes = model.learner_.predict_proba(X) if known is None else known.of(z)
        kept = {name: _kept(chunk, name) for name in keep}
        yield Predictions(labels, z if z.ndim == 1 else z.max(axis=1), y, of_classes, kept)


def _kept(chunk: TableChunk | Chunk, name: str) -> Array:
    """The cells of a column; None for an empty one."""
    if not isinstance(chunk, TableChunk):
        raise DataError(f"there is no column {name!r} to keep (--keep): these rows have no named columns")
    if name not in chunk.names:
        raise DataError(f"no column called {name!r} to keep (--keep); {like(name, chunk.names)}")
    return chunk.cells(name).objects()


def _opened(model: TableModel, table: Any, asked: dict[str, Any], keep: Collection[str] = ()) -> Source:
    """A path or a dataframe, read as the model knows its columns."""
    if model.encoder_ is None:
        raise DataError("the model was not trained on a table: use its predict and decision_function")
    name = str(table) if isinstance(table, str | Path) else table
    as_text = {*model.encoder_.text_columns, *(set(keep) - {*model.encoder_.made.numbers})}
    source = open_data(name, **asked, categorical=as_text, bits=model.encoder_.bits)
    source.asked.na |= model.encoder_.na_
    source.asked.known_decimal = model.encoder_.decimal_
    return source


def _predicted(model: TableModel, source: Source) -> Iterator[tuple[Array, Array, Any, Any, Any]]:
    """Classes, all decision values, labels, the encoded rows and the rows as read, some rows after another."""
    encoder, empty = model.encoder_, True
    assert encoder is not None
    encoder.start_counting(source)
    whole = source.format in ("dataframe", "arrays")
    for chunk in [source.read()] if whole else (chunk for chunk, _ in source.chunks()):
        if isinstance(chunk, TableChunk) and not chunk.n_rows:  # none has a label
            continue
        empty = False
        is_matrix = source.format == "arrays"
        X = encoder.transform(source).X if is_matrix else encoder.encode_chunk(chunk, source.asked.decimal)
        z = np.asarray(model.learner_.decision_function(X), dtype=np.float64)
        yield model.named(model.learner_.predict(X)), z, chunk.y, X, chunk
    if empty:
        raise NoRowsError(f"{source.name}: " + ("no row has a label" if source.unlabelled else "there are no rows"))


def unknown_levels(model: TableModel) -> list[str]:
    """What the encoder left out of the last table: categories and columns that were not there in training."""
    encoder = model.encoder_
    if encoder is None:
        return []
    ignored = f"{encoder.ignored_:,} columns beyond those of the training rows were left out"
    told = [ignored] if encoder.ignored_ else []
    told += [_of_levels(column, n, encoder.first_unknown_[column]) for column, n in encoder.unknown_.items()]
    return told + encoder.told_missing()


def _of_levels(column: str, rows: int, first: dict[str, str]) -> str:
    """What to say of categories that were not there in training."""
    named = ", ".join(f"{level!r:.40} at {place}" for level, place in first.items())
    hold = "1 row holds" if rows == 1 else f"{rows:,} rows hold"
    return f"column {column!r}: {hold} a category that was not in training, first {named}; it counts as none"


def score_table(
    model: TableModel,
    table: Any,
    *,
    target: str | None = None,
    **reading: Any,
) -> Scores:
    """Compare predictions with the labels of a table of any size.

    Parameters
    ----------
    model : TableModel
        A fitted model with an encoder.
    table : path, "-" or dataframe
        The rows; "-" is standard input.
    target : str, optional
        The column that holds the labels; by default the one that the model was trained on.
    **reading
        How the table is read: `drop_unlabelled`, `format`, `sep`, `query` and the other options of `open_data`;
        cells named with `na` are missing beside those named when the model was trained.

    Returns
    -------
    Scores
        The accuracy beside that of the majority class, areas, what is known of each class, and the counts behind it.

    Raises
    ------
    DataError
        The table has no labels, or one that is not a class of the model.

    Examples
    --------
    >>> import pandas as pd
    >>> model = TableModel().fit(pd.DataFrame({"age": [30.0, 50.0]}), ["no", "yes"])
    >>> table = pd.DataFrame({"age": [60.0, 20.0], "buys": ["yes", "yes"]})
    >>> score_table(model, table, target="buys").accuracy
    0.5
    """
    if target is None and model.encoder_ is not None:
        target = model.encoder_.target
    source = _opened(model, table, {**reading, "target": target})
    if target is not None and model.classes_.dtype.kind == "U" and model.positive is None:
        source.asked.categorical |= {target}  # 01 and 1 may be two of them
    names = label_names(model.classes_).tolist()
    place = {name: k for k, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    truths, kept = [], []
    for labels, z, y, _, _ in _predicted(model, source):
        if y is None:
            raise DataError("these rows have no labels to compare with")
        truth, said = label_names(model.as_classes(y)).tolist(), label_names(labels).tolist()
        if strange := set(truth) - place.keys():
            raise DataError(f"label {min(strange)!r} is not one the model knows: {listed(names, 6)}")
        codes, answers = (np.array([place[one] for one in labels]) for labels in (truth, said))
        np.add.at(counts, (codes, answers), 1)
        if counts.sum() * max(1, z.size // len(z)) <= _MOST_VALUES:
            truths.append(codes)
            kept.append(z)
    scores = replace(scores_of_counts(counts, names), unlabelled=source.unlabelled)
    all_kept = sum(map(len, kept)) == scores.rows
    return with_areas(scores, np.concatenate(truths), np.concatenate(kept)) if all_kept else scores


def score_aside(
    learner: Any,
    aside: Aside,
    y: Array,
    names: Sequence[str],
    weight: Array | None = None,
    *,
    probabilities: bool = False,
) -> Scores:
    """Scores on the rows kept aside of a copy of the learner fitted on the others.

    `names` are those of `learner.classes_`. With `probabilities` the copy is calibrated too, if a row of each class can
    be held out once more. The majority class is that of the rows it was fitted on.
    """
    train, test = aside.train, aside.test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the learner itself has warned of what there is to say
        of_rows = weight_argument(None if weight is None else weight[train])
        other = clone(learner).fit(aside.X_train, y[train], **of_rows)
        said = other.predict(aside.X_test)
        # A class may not be among the rows that it was fitted on; it has no decision values then.
        complete = len(other.classes_) == len(learner.classes_)
        values = np.asarray(other.decision_function(aside.X_test)) if complete else None
    truth, classes = positions(y, learner.classes_), learner.classes_
    again = probabilities and complete and np.bincount(truth[train], minlength=len(classes)).min() > 1
    known = calibrate(learner, aside.X_train, y[train], of_rows.get("sample_weight")) if again else None
    found = scores_of_rows(truth[test], positions(said, classes), values, names)
    if known is None or values is None:
        return found
    is_class = truth[test][:, None] == np.arange(len(names))
    return replace(found, brier=float(np.mean((known.of(values) - is_class) ** 2)))
