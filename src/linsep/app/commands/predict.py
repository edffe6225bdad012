"""`linsep predict`: labels and decision values of the rows of a table."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from linsep.app.labelled import inputs
from linsep.app.models import load_of_table
from linsep.app.present import write_csv
from linsep.data.columns import label_names
from linsep.files import check_output, open_output
from linsep.reporting.scores import iter_predictions, unknown_levels
from linsep.types import Array, DataError, NoRowsError


def predict(
    model: Path, table: Any, output: str, *, probabilities: bool = False, keep: tuple[str, ...] = (), **reading: Any
) -> list[str]:
    """Write columns to keep, predictions, decision values and probabilities, if asked for, as CSV; give warnings."""
    found = load_of_table(model)
    reads = (model, *inputs(table))
    check_output(output, "the predictions", reads=reads)
    parts = iter_predictions(found, table, probabilities=probabilities, keep=keep, **reading)
    names = [f"probability of {name}" for name in label_names(found.classes_).tolist()]
    if taken := {"prediction", "decision_value", *names}.intersection(keep):
        raise DataError(f"--keep {min(taken)}: a column of the output has this name; rename it in the table")
    try:
        first = [next(parts)]  # what is wrong with the table is said before a file is opened
    except NoRowsError:  # without rows there are no predictions, and nothing is wrong
        first = []
    with open_output(output, "the predictions", reads=reads) as stream:
        if not first:
            empty = [*keep, "prediction", "decision_value", *(names if probabilities else ())]
            write_csv(pa.table({name: pa.array([], pa.string()) for name in empty}), stream)
        for number, part in enumerate(chain(first, parts)):
            columns = {name: cells.tolist() for name, cells in part.kept.items()}
            columns |= {"prediction": part.labels.tolist(), "decision_value": _column(part.decision_values)}
            if part.probabilities is not None:
                columns |= dict(zip(names, part.probabilities.T, strict=True))
            write_csv(pa.table(columns), stream, header=number == 0)
    return unknown_levels(found)


def _column(values: Array) -> Any:
    """The numbers as they are: Arrow asks otherwise whether they are masked, and loads what NumPy has for that."""
    arrow: Any = pa
    kind = arrow.from_numpy_dtype(values.dtype)
    return arrow.Array.from_buffers(kind, len(values), [None, arrow.py_buffer(values.copy())])
