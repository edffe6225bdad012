"""What `linsep tag` does: train a tagger on tagged text, tag text with it, count its correct tags."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import IO, Any

import numpy as np
from sklearn.base import clone

from linsep.app.commands.models import origin_of_run
from linsep.app.progress import EpochProgress
from linsep.app.result import Result, program
from linsep.data.readers.tagged import TAG_COLUMNS, Tagged, read_tagged
from linsep.files import check_output, open_output
from linsep.learners import SequenceTagger
from linsep.reporting.receipt import bound_line, held_out_split
from linsep.store import load, save
from linsep.theory.bounds.table import MistakeBounds
from linsep.types import DataError, PrecisionWarning

# Margins of every sentence take about as long as an epoch or two; on more tokens than these they are left out.
_BOUND_TOKENS = 300_000
_MOST_LISTED = 20


def fit(
    text: str,
    *,
    format: str | None,
    tag: str,
    max_iter: int | None,
    n_bits: int | None,
    seed: int | None,
    holdout: float,
    model: Path,
) -> Result:
    """Train on tagged text, save the model, and make its receipt."""
    check_output(model, "the model", reads=(text,))
    read = read_tagged(text, format, tag)
    X, y = read.tokens, read.gold()
    tagger = SequenceTagger(n_bits=n_bits, random_state=seed)
    if max_iter is not None:
        tagger.set_params(max_iter=max_iter)
    interrupted, said = False, []
    with EpochProgress(tagger.max_iter, None) as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PrecisionWarning)
        began = time.perf_counter()
        try:
            tagger.set_params(verbose=progress).fit(X, y)
        except KeyboardInterrupt:
            if not hasattr(tagger, "stop_reason_"):
                raise
            interrupted = True
            said.append(f"interrupted after {tagger.n_iter_} epochs; the model so far is in {model}")
        took = time.perf_counter() - began
        tagger.set_params(verbose=0)
        held_out = _hold_out(tagger, X, y, holdout) if holdout and not interrupted else None
    said += [str(w.message) for w in caught if issubclass(w.category, PrecisionWarning)][:1]
    save(tagger, model, origin=origin_of_run([text], hashed=True))
    receipt = _receipt(tagger, X, y, took, held_out)
    receipt.lines.append(("model", f"{model} (next: {program()} tag show {model})"))
    receipt.data["model"] = str(model)
    receipt.warnings, receipt.interrupted = said, interrupted
    return receipt


def _hold_out(tagger: SequenceTagger, X: Any, y: Any, fraction: float) -> float:
    """Token accuracy on `fraction` of the sentences, drawn with seed 0, of a tagger trained on the others."""
    train, test = (positions.tolist() for positions in held_out_split(len(X), fraction))
    other = clone(tagger).fit([X[i] for i in train], [y[i] for i in train])
    return float(other.score([X[i] for i in test], [y[i] for i in test]))


def _receipt(tagger: SequenceTagger, X: Any, y: Any, seconds: float, held_out: float | None) -> Result:
    n_tokens = sum(map(len, X))
    data: dict[str, Any] = {
        "sentences": len(X),
        "tokens": n_tokens,
        "tags": len(tagger.classes_),
        "features": tagger.coef_.shape[1],
        "stop_reason": str(tagger.stop_reason_),
        "epochs": tagger.n_iter_,
        "mistakes": tagger.n_mistakes_,
        "seconds": round(seconds, 3),
        "training_accuracy": tagger.score(X, y),
        "held_out_accuracy": held_out,
    }
    last = int(tagger.trace_.mistakes[-1]) if len(tagger.trace_) else 0
    told = "not measured (--holdout 0.1 keeps a tenth of the sentences aside)"
    if held_out is not None:
        told = f"{held_out:.2%} of the tokens (the same tagger, trained on the other sentences)"
    lines = [
        ("sentences", f"{len(X):,} of {n_tokens:,} tokens"),
        ("tags", f"{data['tags']:,}"),
        ("features", f"{data['features']:,}{' (hashed)' if tagger.n_bits else ''}"),
        ("stop reason", f"{tagger.stop_reason_}: {tagger.stop_reason_.sentence}"),
        ("epochs", f"{tagger.n_iter_:,} in {seconds:.2f} s"),
        ("mistakes", f"{tagger.n_mistakes_:,} sentences, {last:,} of them in the last epoch"),
        ("training accuracy", f"{data['training_accuracy']:.2%} of the tokens"),
        ("held-out accuracy", told),
    ]
    if n_tokens <= _BOUND_TOKENS:
        more, data["bounds"] = _bounds(tagger, tagger.mistake_bounds(X, y))
        lines += more
    else:
        lines.append(("mistake bounds", "not computed for so much text: SequenceTagger.mistake_bounds does"))
    return Result(lines, data)


def _bounds(tagger: SequenceTagger, bounds: MistakeBounds) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """Mistakes made against what Collins' theorems allow at the mean weights."""
    lines, data = [], []
    for row in bounds:
        made = int(tagger.trace_.mistakes[0]) if row.one_pass else tagger.n_mistakes_
        lines.append(bound_line(row, made))
        data.append({"name": row.name, "allowed": row.value, "mistakes": made, "why": row.why})
    return lines, data


def predict(model: Path, text: str, output: str, *, format: str | None, tag: str) -> None:
    """Write the text with the tags found: two columns, or the CoNLL-U lines with the column of the tag replaced."""
    tagger = load_tagger(model)
    reads = (model, text)
    check_output(output, "the tags", reads=reads)
    read = read_tagged(text, format, tag)
    found = tagger.predict(read.tokens)
    with open_output(output, "the tags", reads=reads) as stream:
        if read.format == "conllu":
            _write_conllu(read, found, TAG_COLUMNS[tag], stream)
            return
        for tokens, tags in zip(read.tokens, found, strict=True):
            stream.write("".join(f"{token}\t{tag}\n" for token, tag in zip(tokens, tags, strict=True)) + "\n")


def _write_conllu(read: Tagged, found: list[list[Any]], column: int, stream: IO[Any]) -> None:
    text = list(read.text)
    for lines, tags in zip(read.lines, found, strict=True):
        for line, tag in zip(lines, tags, strict=True):
            fields = text[line].split("\t")
            fields[column] = str(tag)
            text[line] = "\t".join(fields)
    stream.write("\n".join(text))


def score(model: Path, text: str, *, format: str | None, tag: str) -> Result:
    """Token and sentence accuracy, the tags most often confused, and tags the model has never seen."""
    tagger = load_tagger(model)
    read = read_tagged(text, format, tag)
    gold, found = read.gold(), tagger.predict(read.tokens)
    pairs = [pair for a, b in zip(gold, found, strict=True) for pair in zip(a, map(str, b), strict=True)]
    right = sum(a == b for a, b in pairs)
    whole = sum(a == list(map(str, b)) for a, b in zip(gold, found, strict=True))
    wrong: dict[str, int] = {}
    for a, b in pairs:
        if a != b:
            wrong[f"{a} predicted {b}"] = wrong.get(f"{a} predicted {b}", 0) + 1
    counts = dict(sorted(wrong.items(), key=lambda item: -item[1]))
    lines = [
        ("sentences", f"{len(gold):,} of {len(pairs):,} tokens"),
        ("accuracy", f"{right / len(pairs):.2%} of the tokens"),
        ("whole sentences", f"{whole / len(gold):.2%}"),
    ]
    lines += [(name, f"{count:,}") for name, count in list(counts.items())[:_MOST_LISTED]]
    data = {"sentences": len(gold), "tokens": len(pairs), "accuracy": right / len(pairs), "counts": counts}
    data["sentence_accuracy"] = whole / len(gold)
    known = set(map(str, tagger.classes_))
    strange = [a for a, _ in pairs if a not in known]
    warn = (
        f"tokens with a tag that was not there in training: {len(strange):,}, the first with {(strange or [''])[0]!r}"
    )
    return Result(lines, data, [warn] if strange else [])


def load_tagger(model: Path) -> SequenceTagger:
    """The tagger in a model file."""
    tagger = load(model)
    if not isinstance(tagger, SequenceTagger):
        raise DataError(f"{model} holds a {type(tagger).__name__}, not a tagger: `linsep tag fit` makes one")
    return tagger


def show(model: Path, n_weights: int) -> Result:
    """The largest weights by feature and tag, and the largest transitions."""
    tagger = load_tagger(model)
    names = tagger.feature_names_
    W = tagger.coef_
    size = np.abs(W).T.ravel()  # feature by feature, as the weights lie in memory
    largest = np.argpartition(-size, min(n_weights, size.size) - 1)[:n_weights]
    weights = {}
    for at in sorted(largest.tolist(), key=lambda at: (-size[at], at)):
        feature, tag = divmod(at, len(W))
        name = f"feature {feature}" if names is None else names[feature]
        weights[f"{tagger.classes_[tag]}: {name}"] = float(W[tag, feature])
    transitions = {f"{before} -> {after}": weight for before, after, weight in tagger.transitions_.top(n_weights)}
    about = {
        "learner": type(tagger).__name__,
        "tags": ", ".join(map(str, tagger.classes_)),
        "stop reason": str(tagger.stop_reason_),
        "epochs": f"{tagger.n_iter_:,}",
        "mistakes": f"{tagger.n_mistakes_:,} sentences",
        "features": f"{W.shape[1]:,}",
    }
    lines = list(about.items())
    for title, values in (("largest weights", weights), ("transitions", transitions)):
        lines += [(title, ""), *((f"  {name}", f"{value:+.6g}") for name, value in values.items())]
    data = {
        "learner": type(tagger).__name__,
        "classes": tagger.classes_.tolist(),
        "stop_reason": str(tagger.stop_reason_),
        "epochs": tagger.n_iter_,
        "mistakes": tagger.n_mistakes_,
        "features": W.shape[1],
        "weights": weights,
        "transitions": transitions,
    }
    return Result(lines, data)
