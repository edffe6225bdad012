"""`linsep tag`: train a tagger on tagged text, tag text with it, count its correct tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linsep.app.options import DETAILS, JSON, MODEL, OUTPUT, Command, Option, under_read, under_set
from linsep.app.present import Result

_MOST_LISTED = 20
_TEXT = Option(
    "TEXT",
    "Tagged text: a token, a tab or blanks and its tag on each line, an empty line after each sentence; or CoNLL-U.",
    needed=True,
)
_MODEL = MODEL.but(help="A model file written by `linsep tag fit`.")
_TAG = under_read("tag", "The column of the tag in a CoNLL-U file.", default="upos", choices=("upos", "xpos"))
_FORMAT = under_read("format", "The layout, if the name of the file does not show it.", choices=("columns", "conllu"))
_JSON = JSON.but(group="")


def _fit(asked: Any) -> Result:
    """Train a tagger on TEXT, write it to a model file and print a report, its receipt.

    Exit status: 0 done, 2 wrong options or data, 130 after Ctrl-C with the model so far saved.
    """
    from linsep.app.models import limits_of, origin_of_run, result_of, saved_when_trained
    from linsep.app.tables import check_outputs, stamps_of
    from linsep.data.readers.tagged import read_tagged
    from linsep.learners import SequenceTagger
    from linsep.reporting.tagging import fit_tagger

    text, model = asked.text, asked.model
    check_outputs([text], model=model)
    tagger = limits_of(asked).put_on(SequenceTagger(n_bits=asked.n_bits))
    stamps = stamps_of([text])
    read = read_tagged(text, asked.format, asked.tag)
    with saved_when_trained(model, origin_of_run(stamps)) as keep:
        shown = asked.line.epochs(tagger.max_iter, asked.time_limit)
        found = fit_tagger(read, tagger, holdout=asked.holdout, verbose=shown, on_trained=keep)
    said = [keep.what_was_kept(found.tagger)] if found.interrupted else []
    return result_of(found.receipt, model, said + found.warnings, found.interrupted)


def _predict(asked: Any) -> None:
    """Tag TEXT and write token, tab and tag on each line, or the CoNLL-U file with its tags replaced."""
    from linsep.app.models import load_tagger
    from linsep.app.tables import check_outputs
    from linsep.data.readers.tagged import read_tagged
    from linsep.files import open_output
    from linsep.reporting.tagging import tag_text

    tagger = load_tagger(asked.model)
    reads = (asked.model, asked.text)
    check_outputs(reads, tags=asked.output)
    written = tag_text(tagger, read_tagged(asked.text, asked.format, asked.tag))
    with open_output(asked.output, "the tags", reads=reads) as stream:
        stream.writelines(written)


def _score(asked: Any) -> Result:
    """Compare the model's tags with those of TEXT: correct tokens and sentences, and the tags most confused."""
    from linsep.app.models import load_tagger
    from linsep.data.readers.tagged import read_tagged
    from linsep.reporting.tagging import score_tagger

    scores = score_tagger(load_tagger(asked.model), read_tagged(asked.text, asked.format, asked.tag))
    counts = {f"{a} predicted {b}": count for (a, b), count in scores.confused.items()}
    lines = [
        ("sentences", f"{scores.sentences:,} of {scores.tokens:,} tokens"),
        ("accuracy", f"{scores.accuracy:.2%} of the tokens"),
        ("whole sentences", f"{scores.sentence_accuracy:.2%}"),
        *((name, f"{count:,}") for name, count in list(counts.items())[:_MOST_LISTED]),
    ]
    names = ("sentences", "tokens", "accuracy", "sentence_accuracy")
    data = {**{name: getattr(scores, name) for name in names}, "counts": counts}
    many, first = len(scores.unknown), scores.unknown[:1]
    warn = [f"tokens with a tag that was not in training: {many:,}, the first with {tag!r}" for tag in first]
    return Result(lines, data, warn)


_OPTIONS_OF_FIT = (
    _TEXT,
    Option("model", "Where to write the model.", Path, Path("tagger.linsep")),
    Option("max_iter", "The most epochs, passes over all sentences; 10 if not given.", int, least=1),
    Option("time_limit", "Train for this number of seconds at most; it replaces --max-iter.", float, least=0),
    Option(
        "holdout",
        "Do not train on this share of the sentences, such as 0.2, and score the tagger on it.",
        float,
        0.0,
        least=0,
        most=0.9,
    ),
    DETAILS.but(group=""),
    _JSON,
    _TAG,
    _FORMAT,
    under_set(
        "n_bits",
        "Keep no names of features, but numbers of this many bits made of them (hashing).",
        int,
        least=1,
        most=28,
    ),
    under_set("seed", "The seed of the order of the sentences.", int, 0, least=0),
)
_ANY_TEXT = _TEXT.but(help="Text as `linsep tag fit` reads it; the tags may be missing. - is standard input.")
_FILE = OUTPUT.but(help="File to write; - is standard output.")
fit = Command("tag fit", _OPTIONS_OF_FIT, _fit)
predict = Command("tag predict", (_MODEL, _ANY_TEXT, _FILE, _TAG, _FORMAT), _predict)
score = Command("tag score", (_MODEL, _TEXT, _TAG, _FORMAT, _JSON), _score)
