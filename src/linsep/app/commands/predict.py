"""`linsep predict`: labels and decision values of the rows of a table."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from linsep.app.commands.csv import write_csv
from linsep.app.commands.labelled import inputs
from linsep.app.commands.models import encoded, load_with_encoder, unknown
from linsep.files import check_output, open_output


def predict(model: Path, table: Any, output: str, *, format: str | None = None) -> list[str]:
    """Write predictions and decision values as CSV; return what there is to warn of."""
    estimator = load_with_encoder(model)
    reads = (model, *inputs(table))
    check_output(output, "the predictions", reads=reads)
    chunks = encoded(estimator.encoder_, table, None, format)
    first = next(chunks)  # what is wrong with the table is said before a file is opened
    with open_output(output, "the predictions", reads=reads) as stream:
        for number, (X, _) in enumerate(chain([first], chunks)):
            z = estimator.decision_function(X).astype(np.float64)
            values = z if z.ndim == 1 else z.max(axis=1)
            written = pa.table({"prediction": estimator.predict(X).tolist(), "decision_value": values})
            write_csv(written, stream, header=number == 0)
    return unknown(estimator.encoder_)
