"""What `linsep tag` does: train a tagger on tagged text, tag text with it, count its correct tags."""

from __future__ import annotations

from pathlib import Path

from linsep.app.learners import Limits
from linsep.app.models import load_tagger, origin_of_run, saved_when_trained, shown, stamps_of
from linsep.app.progress import EpochProgress
from linsep.app.result import Result, program
from linsep.data.readers.tagged import read_tagged
from linsep.files import check_output, open_output
from linsep.learners import SequenceTagger
from linsep.reporting.tagging import fit_tagger, score_tagger, tag_text

_MOST_LISTED = 20


def fit(
    text: str,
    *,
    format: str | None,
    tag: str,
    max_iter: int | None,
    time_limit: float | None,
    n_bits: int | None,
    seed: int,
    holdout: float,
    model: Path,
) -> Result:
    """Train on tagged text, save the model, and make its receipt."""
    check_output(model, "the model", reads=(text,))
    tagger = Limits(max_iter, time_limit, seed).put_on(SequenceTagger(n_bits=n_bits))
    stamps = stamps_of([text])
    read = read_tagged(text, format, tag)
    with (
        saved_when_trained(model, origin_of_run(stamps, hashed=True)) as keep,
        EpochProgress(tagger.max_iter, time_limit) as progress,
    ):
        found = fit_tagger(read, tagger, holdout=holdout, verbose=progress, on_trained=keep)
    receipt = found.receipt
    lines = [*receipt.lines, ("model", f"{model} (next: {program()} tag show {model})")]
    said = [keep.what_was_kept(found.tagger)] if found.interrupted else []
    data = {**receipt.data, "model": str(model)}
    return Result(lines, data, [*said, *found.warnings], found.interrupted, details=receipt.details)


def predict(model: Path, text: str, output: str, *, format: str | None, tag: str) -> None:
    """Write the text with the tags found."""
    tagger = load_tagger(model)
    reads = (model, text)
    check_output(output, "the tags", reads=reads)
    written = tag_text(tagger, read_tagged(text, format, tag))
    with open_output(output, "the tags", reads=reads) as stream:
        stream.writelines(written)


def score(model: Path, text: str, *, format: str | None, tag: str) -> Result:
    """Token and sentence accuracy, the tags most often confused, and tags the model has never seen."""
    scores = score_tagger(load_tagger(model), read_tagged(text, format, tag))
    counts = {f"{a} predicted {b}": count for (a, b), count in scores.confused.items()}
    lines = [
        ("sentences", f"{scores.sentences:,} of {scores.tokens:,} tokens"),
        ("accuracy", f"{scores.accuracy:.2%} of the tokens"),
        ("whole sentences", f"{scores.sentence_accuracy:.2%}"),
    ]
    lines += [(name, f"{count:,}") for name, count in list(counts.items())[:_MOST_LISTED]]
    data = {"sentences": scores.sentences, "tokens": scores.tokens, "accuracy": scores.accuracy, "counts": counts}
    data["sentence_accuracy"] = scores.sentence_accuracy
    many, first = len(scores.unknown), scores.unknown[:1]
    warn = [f"tokens with a tag that was not there in training: {many:,}, the first with {tag!r}" for tag in first]
    return Result(lines, data, warn)


def show(model: Path, n_weights: int) -> Result:
    """The largest weights by feature and tag, the largest transitions, and where the file comes from."""
    return shown(model, load_tagger(model), n_weights)
