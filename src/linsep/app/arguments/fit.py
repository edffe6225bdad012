"""The options of `linsep fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.arguments.options import (
    CATEGORICAL,
    COLUMN,
    DETAILS,
    DROP_UNLABELLED,
    JSON,
    MISSING,
    POSITIVE,
    READING,
    REPORT,
    ROWS,
    TARGET,
    TIME_LIMIT,
    split_off,
    with_kinds,
)
from linsep.app.arguments.parser import Option
from linsep.app.present import finish, say
from linsep.types import DataError

_LEARNER, _STREAM = "The learner", "Streams"
# Options of a fit of all rows, which mean nothing on a stream, and those of streams, as `StreamOptions` has them.
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
    Option(
        "seed",
        "The seed of all random choices, such as the order of the rows; 0 if not given.",
        int,
        least=0,
        group=_LEARNER,
    ),
    Option(
        "group",
        "With --holdout: hold out all rows of one value of this column, as a patient, or none of them. The column is "
        "no feature then.",
        group=_LEARNER,
    ),
    Option(
        "after",
        "Hold out the rows of this date and later, in place of a share: 2024-02-29, or COLUMN=2024-02-29 where several "
        "columns hold dates.",
        group=_LEARNER,
    ),
    Option(
        "class_weight",
        "Scale the updates of the rows of a class: balanced (rare classes count as much as frequent ones), or "
        "LABEL=WEIGHT, which may be repeated.",
        many=True,
        group=_LEARNER,
    ),
    Option("sample_weight", "The column that holds the weight of each row; it is no feature then.", group=_LEARNER),
    Option(
        "probabilities",
        "Also fit probabilities, on rows held out in five folds: six times the training.",
        bool,
        False,
        group=_LEARNER,
    ),
    Option(
        "loss", "With --learner sgd: the loss; perceptron, hinge, logistic, squared_hinge or squared.", group=_LEARNER
    ),
    Option(
        "projection_radius",
        "With --learner sgd: the largest length of (w, b), or none for no limit; 10 if not given. Without a limit the "
        "guarantee depends on the vector to compare with.",
        group=_LEARNER,
    ),
    Option(
        "kernel",
        "With --learner kernel: the kernel, with its parameters as in poly(degree=3, gamma=0.5); poly is (gamma x.y + "
        "coef0)^degree, rbf is exp(-gamma |x - y|^2), laplacian is exp(-gamma sum_k |x_k - y_k|), linear is x.y "
        "(without an intercept).",
        group=_LEARNER,
    ),
)
STREAM = (
    Option("passes", "Stream: the number of passes over the rows.", int, 1, least=1, group=_STREAM),
    Option("classes", "Stream: all labels that may come, as A,B,C.", group=_STREAM),
    Option("open_classes", "Stream: a new label becomes a class when its first row comes.", bool, False, group=_STREAM),
    Option(
        "bits", "Stream: categories and text are hashed to 2^bits columns.", int, 18, least=8, most=28, group=_STREAM
    ),
    Option("lenient", "Stream: skip malformed lines and count them.", bool, False, group=_STREAM),
    Option(
        "open_columns",
        "Stream: new columns may appear in any row, and rows may lack columns.",
        bool,
        False,
        group=_STREAM,
    ),
    Option("checkpoint", "Stream: save the run to this file; the same command continues from it.", Path, group=_STREAM),
    Option(
        "checkpoint_rows", "Stream: the number of rows between two checkpoints.", int, 1_000_000, least=1, group=_STREAM
    ),
    Option(
        "ball",
        "Stream: keep (w, b) in a ball of this radius, after every 1,000 rows and at the end.",
        float,
        group=_STREAM,
    ),
    Option(
        "half_life",
        "Stream: halve the weight of what was learnt this number of rows ago, in the mean too.",
        float,
        group=_STREAM,
    ),
    Option("drift", "Stream: report changes in the rate of errors, found by adwin or page-hinkley.", group=_STREAM),
    Option(
        "max_columns",
        "Stream: the largest index of svmlight text; each column takes memory.",
        int,
        1 << 24,
        least=1,
        group=_STREAM,
    ),
    Option(
        "max_record_bytes",
        "Stream: the most bytes of one line, or of one CSV record with quotes.",
        int,
        1 << 24,
        least=1,
        group=_STREAM,
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
    Option(
        "intercept_scaling",
        "The constant feature behind the intercept: a number, or auto for the root mean square length of the rows (of "
        "a stream, of its first block). 1 if not given; smaller numbers damp the intercept.",
        group=_LEARNER,
    ),
    CATEGORICAL,
    COLUMN,
    *READING,
    MISSING,
    DROP_UNLABELLED,
    Option(
        "stream",
        "Read TABLE in pieces: the default for pipes and for files that are large for the memory.",
        bool,
        None,
        group=_STREAM,
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

    asked["projection_radius"] = _number_or("none", asked["projection_radius"], "--projection-radius")
    asked["intercept_scaling"] = _number_or("auto", asked["intercept_scaling"], "--intercept-scaling")
    classes = asked["classes"]
    asked["classes"] = None if classes is None else tuple(part.strip() for part in classes.split(","))
    options = StreamOptions(**{option.name: asked.pop(option.name) for option in STREAM})
    reading = split_off(asked)
    reading["drop_unlabelled"] = asked.pop("drop_unlabelled")
    with_kinds(asked)
    if stream or (stream is None and (options != StreamOptions() or wants_stream(asked["table"], reading["query"]))):
        given = [asked.pop(option.name) not in (option.default, ()) for option in _WHOLE]
        if any(given):
            *but_last, last = [option.spellings[0] for option in _WHOLE]
            raise DataError(
                "a stream is learnt in the order of its rows: use --passes, and none of "
                f"{', '.join(but_last)} and {last}"
            )
        finish(fit_on_stream(asked.pop("table"), options, reading=reading, say=say, **asked), as_json, details)
    if options != StreamOptions():
        raise DataError(f"--no-stream conflicts with: {', '.join(options.given())}")
    from linsep.app.progress import EpochProgress

    with EpochProgress(asked["max_iter"], asked["time_limit"]) as progress:
        progress.step("starting")
        from linsep.app.commands.fit import fit as run

        asked |= _kernel(asked.pop("kernel"))
        asked["seed"] = asked["seed"] or 0
        result = run(asked.pop("table"), reading=reading, progress=progress, **asked)
    finish(result, as_json, details)


def _number_or(word: str, text: str | None, option: str) -> Any:
    if text is None or text == word:
        return text
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{option} takes a number or {word}, not {text!r:.80}") from None


def _kernel(text: str | None) -> dict[str, Any]:
    """The kernel and its parameters: poly(degree=3, gamma=0.5).

    Examples
    --------
    >>> _kernel("poly(degree=3, gamma=0.5)")
    {'kernel': 'poly', 'degree': 3, 'gamma': 0.5}
    """
    if text is None:
        return {}
    name, bracket, inside = text.strip().partition("(")
    known = {"degree": int, "gamma": float, "coef0": float}
    found: dict[str, Any] = {"kernel": name.strip()}
    try:
        for part in inside.removesuffix(")").split(",") if bracket else ():
            parameter, _, value = part.partition("=")
            found[parameter.strip()] = known[parameter.strip()](value)
    except (KeyError, ValueError):
        raise DataError(
            f"--kernel takes a name with numbers for degree, gamma or coef0, as in poly(degree=3), not {text!r:.80}"
        ) from None
    return found
