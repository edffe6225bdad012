"""A table with columns of any kind as points: encoded as `linsep fit` encodes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from linsep.data.features.encoder import TableEncoder
from linsep.data.sources.source import Source
from linsep.explorer.story import Points, points_of
from linsep.learners.table_model import TableModel
from linsep.types import DataError

_ABOUT = [
    "These are the rows as the learner gets them: numbers are standardised, a category is one column a level.",
    "Step through the updates: each adds a row to w, or takes it away, where y z <= 0.",
    "The verdict is proved: either a plane separates the rows, and (R / gamma)^2 bounds the mistakes, or a "
    "witness adds up to nothing.",
    "Which rows are mistakes in every pass?",
]


def points_of_table(
    source: Source, *, positive: str | None, constant: float, columns: Mapping[str, str] | None, missing: Any
) -> Points:
    """The rows of a table with labels; `columns` and `missing` are those of `TableEncoder`.

    Raises
    ------
    DataError
        The rows or labels cannot be used, or there are three classes or more and `positive` names none of them.

    Examples
    --------
    >>> from linsep import open_data
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [20.0, 30.0, 40.0, 50.0], "buys": ["no", "no", "yes", "yes"]})
    >>> points = points_of_table(
    ...     open_data(table, target="buys"), positive=None, constant=1.0, columns=None, missing=None
    ... )
    >>> points.columns, points.classes, len(points.setting.y)
    (['age'], ['no', 'yes'], 4)
    """
    encoder = TableEncoder(columns=columns, missing=missing)
    prepared = TableModel(encoder=encoder, positive=positive).prepare(source)
    assert prepared.encoder is not None
    names = np.unique(prepared.targets) if prepared.names is None else prepared.names
    if len(names) > 2:
        shown = ", ".join(map(str, names[:5])) + (", ..." if len(names) > 5 else "")
        raise DataError(f"the labels have {len(names)} classes ({shown}), and the page shows two: name one of them")
    return points_of(
        prepared.rows,
        np.asarray(prepared.targets),
        constant=constant,
        columns=prepared.encoder.feature_names_,
        classes=names.tolist(),
        target=source.target,
        title=PurePath(source.name).name,
        about=_ABOUT,
    )
