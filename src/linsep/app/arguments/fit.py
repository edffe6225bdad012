"""The options of `linsep fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.arguments.options import (
    COLUMN,
    DETAILS,
    JSON,
    LABELLED,
    MISSING,
    POSITIVE,
    REPORT,
    ROWS,
    TARGET,
    TIME_LIMIT,
    split_off,
    under_read,
    under_set,
    with_kinds,
)
from linsep.app.arguments.parser import Option, listed
from linsep.app.present import finish, say
from linsep.types import DataError

# What a stream refuses, because it needs all rows.
_WHOLE = (
    TIME_LIMIT.but(help="Largest number of seconds; it replaces --max-iter."),
    Option(
        "holdout",
        "Keep this share of the rows aside, and score on them a model trained on the others.",
        float,
        0.0,
        least=0,
        most=0.9,
        group=TARGET.group,
    ),
    Option(
        "max_iter", "Largest number of epochs; the default depends on the learner.", int, least=1, group=TARGET.group
    ),
    Option("seed", "The seed of all random choices, such as the order of the rows; 0 if not given.", int, least=0),
    Option(
        "group",
        "With --holdout: hold out all rows of one value of this column, as a patient, or none of them. The column is "
        "no feature then.",
    ),
    Option(
        "after",
        "Hold out the rows of this date and later, in place of a share: 2024-02-29, or COLUMN=2024-02-29 where several "
        "columns hold dates.",
    ),
    Option(
        "probabilities", "Also fit probabilities, on rows held out in five folds: six times the training.", bool, False
    ),
    under_set(
        "class_weight",
        "Scale the updates of the rows of a class: balanced (rare classes count as much as frequent ones), or "
        "LABEL=WEIGHT; may be repeated.",
        many=True,
    ),
    under_set("sample_weight", "The column that holds the weight of each row; it is no feature then."),
    under_set("loss", "--learner sgd: perceptron, hinge, logistic, squared_hinge or squared."),
    under_set(
        "projection_radius",
        "--learner sgd: the largest length of (w, b), or none for no limit; 10 if not given. Without a limit the "
        "guarantee depends on the vector to compare with.",
        float,
        word="none",
    ),
    under_set(
        "kernel",
        "--learner kernel: poly is (gamma x.y + coef0)^degree, rbf is exp(-gamma |x - y|^2), laplacian is "
        "exp(-gamma sum_k |x_k - y_k|), linear is x.y (without an intercept).",
    ),
    under_set("degree", "--learner kernel: the degree of poly; 3 if not given.", int),
    under_set("gamma", "--learner kernel: the gamma of poly, rbf and laplacian; 1 if not given.", float),
    under_set("coef0", "--learner kernel: the coef0 of poly; 1 if not given.", float),
)
# What only streams have, as `StreamOptions` has it.
STREAM = (
    Option("checkpoint", "Stream: save the run to this file; the same command continues from it.", Path),
    under_read("lenient", "Stream: skip malformed lines and count them.", bool, False),
    under_set("passes", "Stream: the number of passes over the rows.", int, 1, least=1),
    under_set("classes", "Stream: all labels that may come.", listed),
    under_set("open_classes", "Stream: a new label becomes a class when its first row comes.", bool, False),
    under_set("bits", "Stream: categories and text are hashed to 2^bits columns.", int, 18, least=8, most=28),
    under_set("open_columns", "Stream: new columns may appear in any row, and rows may lack columns.", bool, False),
    under_set("checkpoint_rows", "Stream: the number of rows between two checkpoints.", int, 1_000_000, least=1),
    under_set("ball", "Stream: keep (w, b) in a ball of this radius, after every 1,000 rows and at the end.", float),
    under_set(
        "half_life", "Stream: halve the weight of what was learnt this number of rows ago, in the mean too.", float
    ),
    under_set("drift", "Stream: report changes in the rate of errors, found by adwin or page-hinkley."),
    under_set(
        "max_columns", "Stream: the largest index of svmlight text; each column takes memory.", int, 1 << 24, least=1
    ),
    under_set(
        "max_record_bytes",
        "Stream: the most bytes of one line, or of one CSV record with quotes.",
        int,
        1 << 24,
        least=1,
    ),
)
OPTIONS = (
    ROWS,
    TARGET,
    POSITIVE,
    Option(
        "learner",
        "The learner: perceptron, averaged, voted, pocket, margin, pa, pa1, pa2, rocchio, sgd, kernel, mlp or auto. "
        "auto chooses the simplest of linear learners (averaged, pa1), kernel and mlp that no other one beats clearly "
        "on held-out rows.",
        default="averaged",
        group=TARGET.group,
    ),
    Option("model", "Where to write the model.", Path, Path("model.linsep"), group=TARGET.group),
    *_WHOLE[:3],
    REPORT,
    DETAILS,
    JSON,
    *_WHOLE[3:],
    COLUMN,
    MISSING,
    Option(
        "stream", "Read TABLE in pieces: the default for pipes and for files that are large for the memory.", bool, None
    ),
    *LABELLED,
    under_set(
        "intercept_scaling",
        "The constant feature behind the intercept: a number, or auto for the root mean square length of the rows (of "
        "a stream, of its first block). 1 if not given; smaller numbers damp the intercept.",
        float,
        word="auto",
    ),
    *STREAM,
)


def fit(*, stream: bool | None, details: bool, as_json: bool, **asked: Any) -> None:
    """Train a separator on TABLE, write it to a model file and print its receipt.

    Numbers are standardised; each level of a category becomes one indicator column, a date its parts, running text
    the weights of its words. Columns that name the rows are left out; the receipt says which.

    The receipt of --learner sgd compares the guaranteed excess loss with the measured one, over the least loss that
    SciPy's L-BFGS-B finds.

    A stream is read in pieces: files of any size, folders, patterns such as 'part-*.csv.gz', or a pipe. Each row is
    predicted before it is learnt. Numbers are standardised with running means and scales; categories are hashed.

    Exit status: 0 done (also when a budget ended first, with a warning), 2 bad usage or input, 130 after Ctrl-C
    (the model so far is saved).
    """
    if asked["max_iter"] is not None and asked["time_limit"] is not None:
        raise DataError("give --max-iter or --time-limit, not both")
    from linsep.app.commands.fit_stream import StreamOptions, fit_on_stream, wants_stream

    streamed = [option for option in STREAM if asked[option.name] != option.default]
    options = StreamOptions(**{option.name: asked.pop(option.name) for option in STREAM})
    reading = split_off(asked)
    with_kinds(asked)
    if stream or (stream is None and (streamed or wants_stream(asked["table"], reading["query"]))):
        whole = [option for option in _WHOLE if asked.pop(option.name) not in (option.default, ())]
        if whole:
            raise DataError(f"a stream is learnt in the order of its rows, pass by pass: leave out {_typed(whole)}")
        finish(fit_on_stream(asked.pop("table"), options, reading=reading, say=say, **asked), as_json, details)
    if streamed:
        raise DataError(f"--no-stream conflicts with: {_typed(streamed)}")
    from linsep.app.progress import EpochProgress

    with EpochProgress(asked["max_iter"], asked["time_limit"]) as progress:
        progress.step("starting")
        from linsep.app.commands.fit import fit as run

        asked["seed"] = asked["seed"] or 0
        result = run(asked.pop("table"), reading=reading, progress=progress, **asked)
    finish(result, as_json, details)


def _typed(options: list[Option]) -> str:
    return ", ".join(option.spellings[0] for option in options)
