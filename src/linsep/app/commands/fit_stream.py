"""`linsep fit` on a stream: one call of `linsep.fit_stream`, then its receipt."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from linsep.app import models, tables
from linsep.app.commands.fit import STREAM
from linsep.app.options import reading_of
from linsep.app.present import Result, say, write_csv
from linsep.app.written import with_report
from linsep.files import open_output
from linsep.reporting.stream import stream_receipt
from linsep.streaming.fit_stream import fit_stream
from linsep.streaming.progressive import can_stream
from linsep.streaming.result import Foretold, StreamError, StreamWarning
from linsep.types import DataError


def fit_on_stream(asked: Any) -> Result:
    """Train on a stream, save the model, and make its receipt."""
    learner = _learner_called(asked.learner, models.limits_of(asked), asked.intercept_scaling)
    columns, files, model = tables.kinds_of(asked.column), tables.inputs(asked.table), asked.model
    given = {"report": asked.report, "snapshot": asked.snapshot, "predictions": asked.predictions}
    tables.check_outputs((asked.checkpoint, *files), model=model, **given)
    how = {name: getattr(asked, name) for name in ("target", "positive", "missing", *(one.name for one in STREAM))}
    how |= {"columns": columns, "categorical": tables.read_as_text(columns), **reading_of(asked)}
    how |= {"verbose": say, "callback": asked.line.rows}
    origin = models.origin_of_run(dict.fromkeys(files), asked.query)  # a stream may be read only once
    with models.saved_when_trained(model, origin, asked.checkpoint) as keep, _foretelling(asked, files) as foretell:
        how["predictions"] = foretell
        try:
            with warnings.catch_warnings(record=True) as taken:
                warnings.simplefilter("always", StreamWarning)
                found = fit_stream(str(asked.table), learner, **how)
        except StreamError as error:
            rows = error.so_far.counters.rows
            keep.origin["data_hash"] = error.so_far.data_hash
            keep(error.so_far.model, f"the model of the first {rows:,} rows is in {model}")
            raise DataError(error.reason) from None
        said = [str(one.message) for one in taken if issubclass(one.category, StreamWarning)]
        keep.origin["data_hash"] = found.data_hash
        if found.was_finished:
            said.append(f"{asked.checkpoint} is finished: {model} was written from it")
        keep(found.model)
        if found.interrupted:
            said.append(f"interrupted after {found.counters.rows:,} rows; the model so far is in {model}")
        receipt = stream_receipt(found, predicted=asked.predictions is not None)
        result = models.result_of(receipt, model, said + receipt.warnings, found.interrupted)
        # Its rows are no longer there.
        return with_report(result, asked.report, lambda pages, *said: pages.of_model(found.model, None, receipt, *said))


@contextmanager
def _foretelling(asked: Any, files: tuple[str, ...]) -> Iterator[Callable[[Foretold], None] | None]:
    """What writes each row's prediction as soon as it is made; None if nobody asks."""
    if asked.predictions is None:
        yield None
        return
    if asked.checkpoint is not None:
        raise DataError("a run that goes on from a checkpoint would write --predictions anew: leave out one of them")
    with open_output(asked.predictions, "the predictions", reads=files, grows=True) as stream:
        names = ["prediction", "decision_value", "label"]
        stream.write(",".join(names) + "\n")
        stream.flush()

        def write(told: Foretold) -> None:
            gone = (told.labels == "", np.isnan(told.decision_values), told.y == "")
            columns = {name: pa.array(cells, mask=mask) for name, cells, mask in zip(names, told, gone, strict=True)}
            try:
                write_csv(pa.table(columns), stream, header=False)
                stream.flush()
            except BrokenPipeError:  # the model so far is saved, as after Ctrl-C
                raise KeyboardInterrupt("the program that read the predictions has ended") from None

        yield write


def _learner_called(name: str, limits: models.Limits, intercept_scaling: float | str | None) -> Any:
    """The learner of that name, if it can stream."""
    estimator = None if name == "auto" else models.make_learner(name, limits, intercept_scaling=intercept_scaling)
    if estimator is None or not can_stream(estimator):
        *others, last = [known for known in models.LEARNERS if can_stream(models.new_learner(known))]
        why = f"the learner {name} cannot learn from a stream, because it needs all rows or keeps them"
        raise DataError(f"{why}; use {', '.join(others)} or {last}")
    return estimator
