"""Train a tagger on tagged text, tag text with it and count its correct tags: `linsep tag` in one call each."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from linsep.data.features.aside import check_hold_out, held_out_split
from linsep.data.readers.tagged import TAG_COLUMNS, Tagged
from linsep.learners import SequenceTagger
from linsep.reporting.bounds import told_bounds
from linsep.reporting.quality import beside_constant
from linsep.reporting.receipt import Line, Receipt, for_people, train_keep_measure
from linsep.scikit import clone
from linsep.types import PrecisionWarning

# Margins of every sentence take about as long as an epoch or two; on more tokens than these they are left out.
_BOUND_TOKENS = 300_000


@dataclass(frozen=True)
class TaggerFit:
    """A trained tagger and what is known about it.

    Attributes
    ----------
    tagger : SequenceTagger
        The tagger; after Ctrl-C the tagger so far.
    receipt : Receipt
        What is known about it, in words and as data.
    warnings : list of str
        The warnings of the tagger.
    interrupted : bool
        Whether Ctrl-C ended the training, or what is measured after it.
    """

    tagger: SequenceTagger
    receipt: Receipt
    warnings: list[str]
    interrupted: bool


def fit_tagger(
    text: Tagged,
    tagger: SequenceTagger | None = None,
    *,
    holdout: float = 0.0,
    verbose: Any = 0,
    on_trained: Callable[[SequenceTagger], None] | None = None,
) -> TaggerFit:
    """Train a tagger on tagged text, and say what is known about it.

    Parameters
    ----------
    text : Tagged
        Text in which every token has a tag, from `read_tagged`.
    tagger : SequenceTagger, default=None
        Not fitted; it is cloned. None is `SequenceTagger()`.
    holdout : float, default=0.0
        This share of the sentences is also tagged by a copy of the tagger that was trained on the others.
    verbose : int or callable, default=0
        Progress of this fit: 1 prints it on standard error, a callable is called with it.
    on_trained : callable, optional
        Called with the tagger when training is over, also after Ctrl-C, and before anything is measured: it may save
        the tagger.

    Returns
    -------
    TaggerFit
        The tagger and what is known about it.

    Raises
    ------
    DataError
        A token has no tag, or there are fewer than two tags.
    KeyboardInterrupt
        On Ctrl-C before there is a tagger.

    Examples
    --------
    >>> from linsep import read_tagged
    >>> text = read_tagged(b"dogs noun\\nbark verb\\n\\ncats noun\\nsleep verb\\n")
    >>> found = fit_tagger(text)
    >>> found.receipt.data["training_accuracy"], found.receipt.data["stop_reason"]
    (1.0, 'clean pass')
    """
    X, y = text.tokens, text.gold()
    if holdout:
        check_hold_out(lambda kept: {tag for i in kept for tag in y[i]}, held_out_split(len(y), holdout)[0], len(y))
    made = SequenceTagger() if tagger is None else clone(tagger)
    own = made.verbose

    def train() -> None:
        try:
            made.set_params(verbose=verbose).fit(X, y)
        finally:
            made.set_params(verbose=own)

    def measure(at_length: bool, seconds: float) -> Receipt:
        held_out = _hold_out(made, X, y, holdout) if holdout and at_length else None
        return _receipt(made, X, y, seconds, held_out)

    receipt, warned, interrupted = train_keep_measure(
        train,
        PrecisionWarning,
        lambda: hasattr(made, "stop_reason_"),
        lambda: on_trained(made) if on_trained else None,
        measure,
    )
    return TaggerFit(made, receipt, warned + receipt.warnings, interrupted)


class _Measured(NamedTuple):
    """The accuracy on some tokens, and that of always giving the most frequent tag."""

    tokens: int
    accuracy: float
    majority_tag: str
    majority_accuracy: float


def _measure(tagger: SequenceTagger, X: Any, y: Any, learnt: Any) -> _Measured:
    """Measure on sentences; the most frequent tag is that of the `learnt` ones."""
    most = Counter(tag for tags in learnt for tag in tags).most_common(1)[0][0]
    n = sum(map(len, y))
    return _Measured(n, float(tagger.score(X, y)), str(most), sum(tag == most for tags in y for tag in tags) / n)


def _hold_out(tagger: SequenceTagger, X: Any, y: Any, fraction: float) -> _Measured:
    """Measure on `fraction` of the sentences, drawn with seed 0, a tagger trained on the others."""
    train, test = (positions.tolist() for positions in held_out_split(len(X), fraction))
    learnt = [y[i] for i in train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tagger itself has warned of what there is to say
        other = clone(tagger).fit([X[i] for i in train], learnt)
    return _measure(other, [X[i] for i in test], [y[i] for i in test], learnt)


def _receipt(tagger: SequenceTagger, X: Any, y: Any, seconds: float, held_out: _Measured | None) -> Receipt:
    training = _measure(tagger, X, y, y)
    best = training if held_out is None else held_out
    tags, features, made = len(tagger.classes_), tagger.coef_.shape[1], tagger.n_mistakes_
    last = int(tagger.trace_.mistakes[-1]) if len(tagger.trace_) else 0
    name, reason = type(tagger).__name__, tagger.stop_reason_
    learnt = ("training accuracy", f"{training.accuracy:.2%} of the tokens that it learnt from")
    aside = ("held-out accuracy", "not measured (--holdout 0.1 keeps a tenth of the sentences aside)")
    first, second = learnt, aside
    if held_out is not None:
        rest = f"{held_out.tokens:,} tokens (the same tagger, trained on the other sentences)"
        first, second = (aside[0], f"{held_out.accuracy:.2%} of {rest}"), learnt
    majority, doubts = beside_constant("majority tag", best.majority_tag, best.majority_accuracy, best.accuracy)
    bounds = [("mistake bounds", "not computed for so much text: SequenceTagger.mistake_bounds does")]
    of_bounds = []
    if training.tokens <= _BOUND_TOKENS:
        bounds, allowed = told_bounds([tagger.mistake_bounds(X, y)], tagger)
        of_bounds = [Line("bounds", "", allowed)]
    told = [
        Line("sentences", "sentences", len(X), f"{len(X):,} of {training.tokens:,} tokens"),
        Line("tokens", "", training.tokens),
        Line("tags", "tags", tags, f"{tags:,}"),
        Line("features", "features", features, f"{features:,}{' (hashed)' if tagger.n_bits else ''}"),
        Line("", "learner", None, f"{name}, {tagger.n_iter_:,} epochs in {seconds:.2f} s"),
        Line("stop_reason", "stop reason", str(reason), f"{reason}: {reason.sentence}"),
        Line("epochs", "", tagger.n_iter_),
        Line("seconds", "", round(seconds, 3)),
        *for_people([first, majority]),
        Line("mistakes", "mistakes", made, f"{made:,} sentences, {last:,} of them in the last epoch", True),
        Line("training_accuracy", "", training.accuracy),
        Line("held_out_accuracy", "", None if held_out is None else held_out.accuracy),
        Line("majority_tag", "", best.majority_tag),
        Line("majority_accuracy", "", best.majority_accuracy),
        *for_people([second, *bounds], more=True),
        *of_bounds,
    ]
    return Receipt(told, warnings=doubts)


def tag_text(tagger: SequenceTagger, text: Tagged) -> Iterator[str]:
    """Tag text, and write it as it was laid out.

    Two columns come back as token, tab and tag; CoNLL-U comes back as it was, with the column of the tag replaced.

    Parameters
    ----------
    tagger : fitted SequenceTagger
        The tagger.
    text : Tagged
        Text from `read_tagged`; tags that stand there are not looked at.

    Yields
    ------
    str
        The text, piece by piece, with its line ends.

    Examples
    --------
    >>> from linsep import read_tagged
    >>> text = read_tagged(b"dogs noun\\nbark verb\\n")
    >>> list(tag_text(fit_tagger(text).tagger, read_tagged(b"bark\\n")))
    ['bark\\tverb\\n\\n']
    """
    found = tagger.predict(text.tokens)
    if text.format == "columns":
        for tokens, tags in zip(text.tokens, found, strict=True):
            yield "".join(f"{token}\t{tag}\n" for token, tag in zip(tokens, tags, strict=True)) + "\n"
        return
    lines, column = list(text.text), TAG_COLUMNS[text.column]
    for places, tags in zip(text.lines, found, strict=True):
        for place, tag in zip(places, tags, strict=True):
            fields = lines[place].split("\t")
            fields[column] = str(tag)
            lines[place] = "\t".join(fields)
    yield "\n".join(lines)


@dataclass(frozen=True)
class TaggerScores:
    """How often a tagger found the tag that stands in a text.

    Attributes
    ----------
    sentences : int
        The sentences of the text.
    tokens : int
        The tokens of the text.
    accuracy : float
        The share of the tokens with the right tag.
    sentence_accuracy : float
        The share of the sentences in which every tag is right.
    confused : dict
        (tag in the text, tag found) -> tokens, of tags that differ; the largest number first.
    unknown : list of str
        The tag of each token whose tag was not there in training, in the order of the text.
    """

    sentences: int
    tokens: int
    accuracy: float
    sentence_accuracy: float
    confused: dict[tuple[str, str], int]
    unknown: list[str]


def score_tagger(tagger: SequenceTagger, text: Tagged) -> TaggerScores:
    """Compare the tags that a tagger finds with those that stand in the text.

    Parameters
    ----------
    tagger : fitted SequenceTagger
        The tagger.
    text : Tagged
        Text in which every token has a tag, from `read_tagged`.

    Returns
    -------
    TaggerScores
        The accuracy, and the tags that were confused.

    Raises
    ------
    DataError
        A token has no tag.

    Examples
    --------
    >>> from linsep import read_tagged
    >>> tagger = fit_tagger(read_tagged(b"dogs noun\\nbark verb\\n")).tagger
    >>> score_tagger(tagger, read_tagged(b"dogs noun\\nbark noun\\n")).confused
    {('noun', 'verb'): 1}
    """
    gold = text.gold()
    found = [list(map(str, tags)) for tags in tagger.predict(text.tokens)]
    pairs = [pair for a, b in zip(gold, found, strict=True) for pair in zip(a, b, strict=True)]
    right = sum(a == b for a, b in pairs)
    whole = sum(a == b for a, b in zip(gold, found, strict=True))
    known = set(map(str, tagger.classes_))
    return TaggerScores(
        sentences=len(gold),
        tokens=len(pairs),
        accuracy=right / len(pairs),
        sentence_accuracy=whole / len(gold),
        confused=dict(Counter(pair for pair in pairs if pair[0] != pair[1]).most_common()),
        unknown=[a for a, _ in pairs if a not in known],
    )
