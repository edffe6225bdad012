"""What is done with a model file: `linsep predict`, `score`, `show` and `export`."""

from __future__ import annotations

import sys
from typing import Any

from linsep.app.options import JSON, LABELLED, MODEL, OUTPUT, PREDICTIONS, READING, ROWS, Command, Option, reading_of
from linsep.app.present import Result, write_csv
from linsep.types import DataError, NoRowsError


def _predict(asked: Any) -> Result:
    """Label the rows of TABLE and write CSV with the columns prediction and decision_value (w.x + b)."""
    from itertools import chain

    import pyarrow as pa

    from linsep.app.models import load_of_table
    from linsep.app.tables import check_outputs, inputs
    from linsep.data.columns import label_names
    from linsep.files import open_output
    from linsep.reporting.scores import iter_predictions, unknown_levels

    found, keep = load_of_table(asked.model), asked.keep
    reads = (asked.model, *inputs(asked.table))
    check_outputs(reads, predictions=asked.output)
    reading = reading_of(asked)
    parts = iter_predictions(found, asked.table, probabilities=asked.probabilities, keep=keep, **reading)
    names = [f"probability of {name}" for name in label_names(found.classes_).tolist()]
    if taken := {"prediction", "decision_value", *names}.intersection(keep):
        raise DataError(f"--keep {min(taken)}: a column of the output has this name; rename it in the table")
    try:
        first = [next(parts)]  # what is wrong with the table is said before a file is opened
    except NoRowsError:  # without rows there are no predictions, and nothing is wrong
        first = []
    with open_output(asked.output, "the predictions", reads=reads) as stream:
        if not first:
            empty = [*keep, "prediction", "decision_value", *(names if asked.probabilities else ())]
            write_csv(pa.table({name: pa.array([], pa.string()) for name in empty}), stream)
        for number, part in enumerate(chain(first, parts)):
            columns = {name: cells.tolist() for name, cells in part.kept.items()}
            columns |= {"prediction": part.labels.tolist(), "decision_value": _column(part.decision_values)}
            if part.probabilities is not None:
                columns |= dict(zip(names, part.probabilities.T, strict=True))
            write_csv(pa.table(columns), stream, header=number == 0)
    return Result([], {}, unknown_levels(found))


def _column(values: Any) -> Any:
    """The numbers as they are: Arrow asks otherwise whether they are masked, and loads what NumPy has for that."""
    import pyarrow as pa

    arrow: Any = pa
    kind = arrow.from_numpy_dtype(values.dtype)
    return arrow.Array.from_buffers(kind, len(values), [None, arrow.py_buffer(values.copy())])


def _score(asked: Any) -> Result:
    """Compare the model's predictions with the labels in TABLE."""
    from linsep.app.models import load_of_table
    from linsep.data.labels import told
    from linsep.reporting.quality import majority_line, score_lines
    from linsep.reporting.scores import score_table, unknown_levels

    found = load_of_table(asked.model)
    scores = score_table(found, asked.table, **reading_of(asked))
    weighted = getattr(found.learner_, "class_weight", None) is not None
    lines = [("rows", f"{scores.rows:,}"), *told(scores.unlabelled)]
    lines += [("accuracy", f"{scores.accuracy:.2%}"), majority_line(scores, weighted=weighted), *score_lines(scores)]
    return Result(lines, scores.to_dict(), [*unknown_levels(found), *scores.doubts("rows", weighted=weighted)])


def _show(asked: Any) -> Result:
    """Print what a model file holds: its largest weights by feature name, how it was made, and where it comes from."""
    from linsep.app.models import description

    return description(asked.model, asked.weights)


def _export(asked: Any) -> None:
    """Write a model for other programs: all that they need to compute decision values and labels from raw rows."""
    from linsep.export import to_json, to_onnx, to_sql
    from linsep.files import open_output
    from linsep.store import load

    model = load(asked.model)
    if asked.to == "onnx" and asked.output == "-" and sys.stdout.isatty():
        raise DataError("an ONNX file is binary: name a file with -o")
    if asked.to == "onnx":
        written: Any = to_onnx(model)
    elif asked.to == "json":
        written = to_json(model)
    else:
        written = to_sql(model, table=asked.table, postgresql=asked.to == "postgresql")
    with open_output(asked.output, "the export", binary=asked.to == "onnx", reads=(asked.model,)) as stream:
        stream.write(written)


_KEEP = Option(
    "keep", "A column of TABLE to write before each prediction, such as a customer number; may be repeated.", many=True
)
_PROBABILITIES = Option("probabilities", "Also write the probability of each class.", bool, False)
_WEIGHTS = Option(
    "weights",
    "Weights to print for each class. Default: 20; about ten in all if there are several classes.",
    int,
    least=1,
)
_ANY_MODEL = MODEL.but(help="A model file written by `linsep fit` or `linsep tag fit`.")
_FORMATS = ("json", "sql", "postgresql", "onnx")
_TO = Option("to", "The format: json, sql (DuckDB, SQLite), postgresql or onnx.", choices=_FORMATS, needed=True)
_TABLE = Option("table", "In SQL: the name of the table that the query reads.", default="rows")
predict = Command("predict", (MODEL, ROWS, PREDICTIONS, _KEEP, _PROBABILITIES, *READING), _predict)
score = Command("score", (MODEL, ROWS, JSON, *LABELLED), _score)
show = Command("show", (_ANY_MODEL, _WEIGHTS, JSON.but(group="")), _show)
_FILE = OUTPUT.but(help="File to write; - is standard output.")
export = Command("export", (MODEL, _TO, _FILE, _TABLE), _export)
