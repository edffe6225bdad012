"""`linsep fit`: train on a table, in memory or in pieces, save the model and print its receipt."""

from __future__ import annotations

import os
import stat
import sys
from functools import partial
from pathlib import Path
from typing import Any

from linsep.app import options
from linsep.app.options import Command, Option, listed, seconds_of, under_read, under_set, used_first
from linsep.app.present import Result
from linsep.types import DataError

# What a stream refuses, because it needs all rows: what is used first, and the rest.
_FIRST = (
    options.TIME_LIMIT.but(help="Train for this number of seconds at most; it replaces --max-iter."),
    used_first(
        "holdout",
        "Do not train on this share of the rows, such as 0.2, and score the model on it.",
        float,
        0.0,
        least=0,
        most=0.9,
    ),
    used_first("max_iter", "The most epochs, passes over all rows; the default depends on the learner.", int, least=1),
)
_MORE = (
    Option("seed", "The seed of all random choices, such as the order of the rows; 0 if not given.", int, least=0),
    Option("group", "With --holdout: rows with one value of this column, such as a patient, stay together."),
    Option("after", "Hold out the rows from this date on, not a share: 2024-02-29, or COLUMN=2024-02-29."),
    Option("probabilities", "Also learn how probable each class is; training takes six times as long.", bool, False),
    under_set("sample_weight", "The column that says how much each row counts; it is then not a feature."),
)
_OF_LEARNERS = (
    under_set("class_weight", "balanced: rare classes count as much as frequent ones.", choices=("balanced",)),
    under_set("loss", "--learner sgd: perceptron, hinge, logistic, squared_hinge or squared."),
    under_set("projection_radius", "--learner sgd: the largest length of (w, b), 10, or none.", float, word="none"),
    under_set(
        "kernel",
        "--learner kernel: poly is (gamma x.y + coef0)^degree, rbf is exp(-gamma |x - y|^2), laplacian is "
        "exp(-gamma sum_k |x_k - y_k|), linear is x.y (without an intercept).",
    ),
    under_set("degree", "--learner kernel: the degree of poly; 3 if not given.", int),
    under_set("gamma", "--learner kernel: the gamma of poly, rbf and laplacian; 1 if not given.", float),
    under_set("coef0", "--learner kernel: the coef0 of poly; 1 if not given.", float),
)
INTERCEPT_SCALING = under_set(
    "intercept_scaling",
    "The number in the constant column whose weight is the intercept: 1 if not given; auto is the root mean square "
    "length of the rows (of a stream, of its first block). Smaller numbers keep the intercept small.",
    float,
    word="auto",
)
# What only streams have, as `linsep.fit_stream` has it.
STREAM = (
    Option("checkpoint", "Stream: save the run to this file; the same command continues from it.", Path),
    Option(
        "predictions",
        "Stream: CSV file for the prediction of each row, made before the row is learnt; - is standard output.",
    ),
    Option("snapshot", "Stream: save the model so far to this file again and again.", Path),
    Option("every", "Stream: the time between two snapshots, such as 30s or 5m.", seconds_of, 60.0, least=0.1),
    under_read("lenient", "Stream: skip malformed lines and count them.", bool, False),
    under_set("passes", "Stream: the number of passes over the rows.", int, 1, least=1),
    under_set("classes", "Stream: all labels that can occur.", listed),
    under_set("open_classes", "Stream: a new label becomes a class when its first row comes.", bool, False),
    under_set("bits", "Stream: categories and text are hashed to 2^bits columns.", int, 18, least=8, most=28),
    under_set("checkpoint_rows", "Stream: the number of rows between two checkpoints.", int, 1_000_000, least=1),
    under_set("half_life", "Stream: what was learnt this many rows ago counts half, also in a mean of vectors.", float),
    under_set("drift", "Stream: tell when the rate of errors changes, by the test adwin or page-hinkley."),
    under_set("max_columns", "Stream: the largest column number in svmlight text.", int, 1 << 24, least=1),
    under_set("max_record_bytes", "Stream: the most bytes of a line or record.", int, 1 << 24, least=1),
)
_LEARNER = (
    "The learner: perceptron, averaged, voted, pocket, margin, pa, pa1, pa2, rocchio, sgd, kernel, mlp or auto. auto "
    "chooses the simplest (averaged, pa1, kernel, mlp) that no other one beats clearly on held-out rows."
)
_OPTIONS = (
    options.ROWS,
    options.TARGET,
    options.POSITIVE,
    used_first("learner", _LEARNER, default="averaged"),
    used_first("model", "Where to write the model.", Path, Path("model.linsep")),
    *_FIRST,
    options.REPORT,
    options.DETAILS,
    options.JSON,
    *_MORE,
    *_OF_LEARNERS,
    INTERCEPT_SCALING,
    options.COLUMN,
    options.MISSING,
    Option("stream", "Read TABLE in pieces: the default for pipes and large files.", bool, None),
    *options.LABELLED,
    *STREAM,
)


def _fit(asked: Any) -> Result:
    """Train a separator on TABLE, write it to a model file and print a report, its receipt.

    Numbers are standardised: they get the mean 0 and the standard deviation 1. Each value of a category becomes a 0/1
    column, a date becomes its parts, and running text the weights of its words. Columns that only name the rows, such
    as a customer number, are left out; the receipt says which.

    The receipt of --learner sgd says how far its loss may be above the least possible one, and how far it is. (The
    least one is found by SciPy's L-BFGS-B.)

    A stream is read in pieces: files of any size, folders, patterns such as 'part-*.csv.gz', or a pipe. Each row is
    predicted before it is learnt. Numbers are standardised by the rows so far, and categories are hashed: they share
    a fixed number of columns.

    Rows of a pipe are read as they come, at most half a second late. --predictions writes the prediction of each row,
    also for rows without a label, which are not learnt. If that goes to standard output, the receipt goes to standard
    error.

    Exit status: 0 done (also when epochs or time ran out, with a warning), 2 wrong options or data, 130 after Ctrl-C
    or SIGTERM (the model so far is saved).
    """
    streamed = _given(asked, STREAM)
    if asked.stream or (asked.stream is None and (streamed or wants_stream(asked.table, asked.query))):
        if whole := _given(asked, (*_FIRST, *_MORE, *_OF_LEARNERS)):
            raise DataError(f"a stream is learnt in the order of its rows, pass by pass: leave out {whole}")
        from linsep.app.commands.fit_stream import fit_on_stream

        return fit_on_stream(asked)
    if streamed:
        raise DataError(f"--no-stream conflicts with: {streamed}")
    return _fit_whole(asked)


def wants_stream(table: Any, query: str | None = None, share: float = 0.25) -> bool:
    """Whether a source is a pipe, or larger than a quarter of the free memory; of a query that is not known.

    Neither the format nor the compression nor the number of files matters: the same rows give the same model.
    """
    from linsep.data.inputs import Input, free_memory
    from linsep.data.sources.open import find_files

    if str(table) == "-":
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    if query is not None or not isinstance(table, str | Path):
        return False
    try:
        files = [Input(name) for name in find_files(str(table))]
        pipes = [file for file in files if not file.can_be_read_again]
        total = 0 if pipes else sum(file.size or 0 for file in files)
    except (DataError, OSError):
        return False  # what is wrong with it is said when it is read
    free = free_memory()
    return bool(pipes) or (free is not None and total > share * free)


def _given(asked: Any, which: tuple[Option, ...]) -> str:
    """Which of the options are given, as they are typed."""
    return ", ".join(one.spellings[0] for one in which if getattr(asked, one.name) not in (one.default, ()))


def _fit_whole(asked: Any) -> Result:
    """Encode a table that fits into memory, train on it, save the model, and make its receipt."""
    from linsep.app import models, tables
    from linsep.app.written import with_report
    from linsep.reporting.table_fit import fit_table

    model, files, limits = asked.model, tables.inputs(asked.table), models.limits_of(asked)
    tables.check_outputs(files, model=model, report=asked.report)
    stamps = tables.stamps_of(files)
    source, columns = tables.open_labelled(asked)
    chosen = {one.name: getattr(asked, one.name) for one in (*_OF_LEARNERS, INTERCEPT_SCALING)}
    make = models.make_ladder if asked.learner == "auto" else partial(models.make_learner, asked.learner)
    learner = make(limits, **chosen)
    models.check_weights(learner, asked.sample_weight)
    names = ("positive", "holdout", "group", "after", "missing", "sample_weight", "probabilities")
    how: dict[str, Any] = {name: getattr(asked, name) for name in names} | {"columns": columns}
    source.read()  # what is hashed then is what was read
    origin = models.origin_of_run(stamps, asked.query)
    with models.saved_when_trained(model, origin) as keep:
        shown = asked.line.epochs(asked.max_iter, asked.time_limit)
        found = fit_table(source, learner, **how, verbose=shown, on_trained=keep)
        said = list(map(_on_the_command_line, found.warnings))
        if found.interrupted:
            said.append(keep.what_was_kept(found.model))
        result = models.result_of(found.receipt, model, said, found.interrupted, tables.read_as(source))
        return with_report(result, asked.report, lambda pages, *said: pages.of_fit(found, *said))


def _on_the_command_line(warning: str) -> str:
    """What a learner advises, in the words of this program."""
    warning = warning.replace("linsep.separability(X, y)", "`linsep check`")
    return warning.replace("max_iter or time_limit", "--max-iter or --time-limit")


fit = Command("fit", _OPTIONS, _fit)
