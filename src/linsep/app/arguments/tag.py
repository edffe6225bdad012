"""The options of `linsep tag`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.arguments.options import DETAILS, JSON, MODEL, OUTPUT, under_read, under_set
from linsep.app.arguments.parser import Command, Option
from linsep.app.present import finish
from linsep.types import DataError

_TEXT = Option(
    "TEXT",
    "Tagged text: a token and its tag on each line with a tab or blanks between, an empty line after each sentence; or "
    "CoNLL-U. - is standard input.",
    needed=True,
)
_MODEL = MODEL.but(help="A model file written by `linsep tag fit`.")
_TAG = under_read("tag", "The column of the tag in a CoNLL-U file.", default="upos", choices=("upos", "xpos"))
_FORMAT = under_read(
    "format",
    "The layout of the text; if not given, conllu for files with that suffix and columns for others.",
    choices=("columns", "conllu"),
)
_JSON = JSON.but(group="")


def fit(*, details: bool, as_json: bool, **asked: Any) -> None:
    """Train a tagger on TEXT, write it to a model file and print its receipt.

    Exit status: 0 done, 2 bad usage or input, 130 after Ctrl-C with the model so far saved.
    """
    if asked["max_iter"] is not None and asked["time_limit"] is not None:
        raise DataError("give --max-iter or --time-limit, not both")
    from linsep.app.commands.tag import fit as run

    finish(run(**asked), as_json, details)


def predict(**asked: Any) -> None:
    """Tag TEXT and write token, tab and tag on each line, or the CoNLL-U file with its tags replaced."""
    from linsep.app.commands.tag import predict as run

    run(**asked)


def score(*, as_json: bool, **asked: Any) -> None:
    """Compare the model's tags with those of TEXT: correct tokens and sentences, and the tags most confused."""
    from linsep.app.commands.tag import score as run

    finish(run(**asked), as_json)


def show(*, model: Path, weights: int, as_json: bool) -> None:
    """Print the largest weights of a tagger, by tag and feature and from tag to tag, and how it was made."""
    from linsep.app.commands.tag import show as run

    finish(run(model, weights), as_json)


_OPTIONS_OF_FIT = (
    _TEXT,
    Option("model", "Where to write the model.", Path, Path("tagger.linsep")),
    Option("max_iter", "Largest number of epochs; 10 if not given.", int, least=1),
    Option("time_limit", "Largest number of seconds; it replaces --max-iter.", float, least=0),
    Option(
        "holdout",
        "Keep this share of the sentences aside, and score on them a tagger trained on the others.",
        float,
        0.0,
        least=0,
        most=0.9,
    ),
    DETAILS.but(group=""),
    _JSON,
    _TAG,
    _FORMAT,
    under_set("n_bits", "Hash feature names to this number of bits instead of keeping them.", int, least=1, most=28),
    under_set("seed", "The seed of the order of the sentences.", int, 0, least=0),
)
_ANY_TEXT = _TEXT.but(help="Text in a layout of `fit`; the tags may be missing. - is standard input.")
_SHOWN = Option("weights", "The number of weights to print, the largest ones.", int, 20, least=1)
COMMANDS = (
    Command("tag fit", _OPTIONS_OF_FIT, fit),
    Command(
        "tag predict",
        (_MODEL, _ANY_TEXT, OUTPUT.but(help="File to write; - is standard output."), _TAG, _FORMAT),
        predict,
    ),
    Command("tag score", (_MODEL, _TEXT, _TAG, _FORMAT, _JSON), score),
    Command("tag show", (_MODEL, _SHOWN, _JSON), show),
)
