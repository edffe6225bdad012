"""What a `TableModel` is given: tables, sources and matrices, their labels and weights."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from linsep.as_given import is_missing
from linsep.data.columns import label_names
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import without_skipped
from linsep.data.features.missing import rows_to_learn
from linsep.data.labels import as_labels
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.tables import column_names
from linsep.types import Array, Chunk, DataError, row_from_0


class Prepared(NamedTuple):
    """Rows as a learner takes them: `names[k]` is the name of the target k, None where targets are the labels.

    `kept` says which of the rows these are; None for all of them.
    """

    encoder: TableEncoder | None
    rows: Any
    targets: Any
    names: Array | None
    kept: Array | None = None


def is_table(X: Any) -> bool:
    """Whether it has named columns, or is a `Source`; a matrix has none."""
    return isinstance(X, Source | str | Path) or column_names(X) is not None


def open_rows(X: Any, encoder: TableEncoder, model: Any = None) -> Source:
    """Any table or matrix as a `Source`; of a fitted model as the encoder knows the columns."""
    if isinstance(X, Source):
        return X
    if isinstance(X, str | Path):
        raise DataError(f"{X} is a path: give open_data({str(X)!r}, target=...)")
    if is_table(X):
        return open_data(X, categorical=encoder.text_columns)
    if model is None or encoder.column_names is None:
        return open_data((X, None))
    X, names = np.asarray(X), encoder.column_names
    if X.ndim != 2 or X.shape[1] != len(names):
        raise DataError(f"the model was trained on {len(names)} columns, and these rows have shape {X.shape}")
    warnings.warn(
        f"X does not have valid feature names, but {type(model).__name__} was fitted with feature names",
        UserWarning,
        stacklevel=4,
    )
    return open_data(pa.table(dict(zip(names, X.T, strict=True))), categorical=encoder.text_columns)


def one_row_of(x: Any, encoder: TableEncoder | None = None) -> Any:
    """A table, or a matrix, of the one row of a dict of values, or of an array.

    Examples
    --------
    >>> one_row_of({"age": 3, "city": None}).shape, one_row_of(np.array([1.0, 2.0])).shape
    ((1, 2), (1, 2))
    """
    if not isinstance(x, Mapping):
        if encoder is not None and encoder.column_names is not None:
            raise DataError(f"a row of this model is a dict of its columns, not a {type(x).__name__}")
        return np.asarray(x)[None]
    try:
        return pa.table({name: [_as_in_a_table(value)] for name, value in x.items()})
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise DataError(f"the row holds what no column of a table can hold: {error}") from None


def _as_in_a_table(value: Any) -> Any:
    """What Arrow takes: None for what other libraries have for no value, and the double of an integer of any size."""
    if isinstance(value, int) and abs(value) >= 2**63:
        return float(value)
    return None if not isinstance(value, float) and is_missing(value) else value


def fitted_rows(source: Source, encoder: TableEncoder) -> tuple[Any, Array | None]:
    """Fit an encoder and return the encoded rows, and which they are where it leaves some out."""
    encoder.fit(source)
    chunk = source.read()
    kept = None
    if not isinstance(chunk, Chunk):
        kept = rows_to_learn(without_skipped(chunk, encoder.kinds_), encoder.missing)
    return (encoder.transform(source).X if kept is None else encoder.encode_chunk(chunk.take(kept))), kept


def labels_given(y: Any, source: Source | None) -> Any:
    """The labels given, or those of the source."""
    if y is None and source is not None:
        y = source.read().y
    if y is None:
        raise DataError(
            "requires y to be passed, but the target y is None: these rows have no labels; name the label column with "
            "target (--target), or give y"
        )
    return y


def weight_argument(sample_weight: Any) -> dict[str, Any]:
    """The argument for the learner, where there is something to say: not all learners take it."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}


def targets_of(labels: Any, positive: Any, *, is_table: bool) -> tuple[Any, Array | None]:
    """What a learner is trained on, and the names of 0, 1, ... where these stand for the labels (else None).

    Examples
    --------
    >>> targets_of(["a", "b", "c"], "b", is_table=True)
    (array([0, 1, 0]), array(['not b', 'b'], dtype='<U5'))
    """
    if positive is None and not is_table:
        return labels, None  # the learner has its own rules for labels
    found = np.unique(as_labels(labels, row_from_0, "y"))
    if found.size == 1:
        raise DataError(f"every row has the label {found[0]}: a separator needs rows of at least two classes")
    names = first_names(found, positive, is_table=is_table)
    return next_targets(labels, None, names, positive, is_table)[0], names


def first_names(classes: Any, positive: Any, *, is_table: bool) -> Array | None:
    """The names of 0, 1, ... where a run of `partial_fit` begins; None where classes are learnt as they are."""
    if positive is not None or classes is None or not is_table:
        return binary_names(classes, positive)
    named = np.unique(as_labels(classes, "class {}".format, "classes"))
    return named if named.dtype.kind == "f" else None


def next_targets(labels: Any, classes: Any, names: Array | None, positive: Any, is_table: bool) -> tuple[Any, Any]:
    """What `partial_fit` of a learner is given for these labels and classes; `names` are those of 0, 1, ..."""
    if names is not None:
        return positions(as_named(labels, names, positive), names), np.arange(len(names))
    if not is_table:
        return labels, classes
    known = None if classes is None else as_labels(classes, "class {}".format, "classes")
    return as_labels(labels, row_from_0, "y"), known


def binary_names(labels: Any, positive: Any) -> Array | None:
    """The names of the negative and the positive class; None without `positive`.

    `labels` are all labels that there are, or None where that is not known yet.
    """
    if positive is None:
        return None
    if labels is not None:
        labels = np.unique(as_labels(labels, "class {}".format, "classes"))
        asked = str(positive).title() if labels.dtype.kind == "b" else str(positive)  # true is True
        chosen = label_names(labels) == asked
        if not chosen.any():
            shown = ", ".join(label_names(labels[:6])) + (", ..." if len(labels) > 6 else "")
            raise DataError(f"no row has the label {str(positive)!r}: the labels are {shown}")
        if labels.size == 2:
            return np.array([labels[~chosen][0], labels[chosen][0]])
    return np.array([f"not {positive}", str(positive)])


def as_named(labels: Any, names: Array, positive: Any) -> Array:
    """Labels as names of classes: where the class of the rest is "not POSITIVE", all other labels are the rest."""
    given = as_labels(labels, row_from_0, "y")
    if positive is None or names[0] != f"not {positive}":
        return given
    return np.asarray(names[(label_names(given) == str(positive)).astype(np.intp)])


def comparable(truth: Any, said: Array) -> tuple[Array, Array]:
    """Labels of a table and classes predicted, as arrays of one type; fractions, which are no classes, as text.

    Examples
    --------
    >>> comparable([0.5, 2], np.array([0.5, 1.5]))
    (array(['0.5', '2'], dtype='<U3'), array(['0.5', '1.5'], dtype='<U3'))
    """
    given = as_labels(truth, row_from_0, "y")
    if given.dtype.kind == said.dtype.kind != "f":
        return given, said
    return label_names(given), label_names(said)


def positions(labels: Array, names: Array) -> Array:
    """Where each label is among the names.

    Examples
    --------
    >>> positions(np.array([5, 7, 5]), np.array([7, 5])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(names)
    known, given = names[order], labels
    if (known.dtype.kind == "U") != (given.dtype.kind == "U"):
        known, given = label_names(known), label_names(given)
    places = np.searchsorted(known, given).clip(max=len(known) - 1)
    strange = np.flatnonzero(known[places] != given)
    if strange.size:
        listed = ", ".join(map(str, names[:6]))
        raise DataError(f"{row_from_0(strange[0])}: label {labels[strange[0]]} is not one of the classes {listed}")
    return np.asarray(order[places])


def code_class_weight(learner: Any, names: Array | None) -> None:
    """Replace the names in the learner's `class_weight` by 0, 1, ..., which it is trained on."""
    weight = getattr(learner, "class_weight", None)
    if names is None or not isinstance(weight, Mapping):
        return
    known = names.tolist()
    strange = [label for label in weight if label not in known]
    if strange:
        listed = ", ".join(map(str, known))
        raise DataError(f"class_weight names {strange[0]!r}, which is not one of the classes {listed}")
    learner.set_params(class_weight={known.index(label): value for label, value in weight.items()})
