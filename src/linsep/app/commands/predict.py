"""`linsep predict`: labels and decision values of the rows of a table."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from linsep.app.commands.labelled import inputs
from linsep.app.commands.models import load_of_table
from linsep.app.present import write_csv
from linsep.data.columns import label_names
from linsep.files import check_output, open_output
from linsep.reporting.scores import iter_predictions, unknown_levels


def predict(model: Path, table: Any, output: str, *, probabilities: bool = False, **reading: Any) -> list[str]:
    """Write predictions, decision values and, if asked for, probabilities as CSV; return the warnings."""
    found = load_of_table(model)
    reads = (model, *inputs(table))
    check_output(output, "the predictions", reads=reads)
    parts = iter_predictions(found, table, probabilities=probabilities, **reading)
    names = [f"probability of {name}" for name in label_names(found.classes_).tolist()]
    first = next(parts)  # what is wrong with the table is said before a file is opened
    with open_output(output, "the predictions", reads=reads) as stream:
        for number, part in enumerate(chain([first], parts)):
            columns = {"prediction": part.labels.tolist(), "decision_value": part.decision_values}
            if part.probabilities is not None:
                columns |= dict(zip(names, part.probabilities.T, strict=True))
            write_csv(pa.table(columns), stream, header=number == 0)
    return unknown_levels(found)
