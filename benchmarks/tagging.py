"""Parts of speech of the Brown corpus, beside CRFsuite's averaged perceptron on the same features and epochs.

CRFsuite is given the features ready, as lists of names; ours begins with the words and finds the features itself. Tags
lose what marks titles, headlines and quotations and the fw- of foreign words, and of joined tags the first stays; one
sentence in ten, by a fixed seed, is for the test.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn_crfsuite import CRF

from benchmarks.data import loaders
from benchmarks.last import Ratio
from benchmarks.timing import Report, in_turn, seconds, show, show_median, spread
from linsep.data.readers.tagged import word_shapes
from linsep.learners import SequenceTagger

EPOCHS = 10
# Seconds of training after which a contestant has had its share.
PATIENCE = 40.0


class Text(NamedTuple):
    """Sentences and their tags."""

    words: list[list[str]]
    tags: list[list[str]]

    def features(self) -> list[list[list[str]]]:
        """The shipped features of every token, by name."""
        return [word_shapes(sentence) for sentence in self.words]

    def accuracy(self, found: list[list[str]]) -> float:
        """The share of tokens whose tag is right."""
        right = [a == b for a, b in zip(chain(*self.tags), chain(*found), strict=True)]
        return sum(right) / len(right)


def plain_tag(tag: str) -> str:
    """The first of joined tags, without -tl, -hl, -nc and fw-."""
    tag = tag.partition("+")[0]
    while tag.endswith(("-tl", "-hl", "-nc")):
        tag = tag[:-3]
    return tag.removeprefix("fw-")


@cache
def brown() -> tuple[Text, Text]:
    """Nine sentences in ten to learn from, the others for the test."""
    pairs = [(words, [plain_tag(tag) for tag in tags]) for words, tags in loaders().brown()]
    order = np.random.RandomState(0).permutation(len(pairs)).tolist()
    n = 9 * len(pairs) // 10
    train, test = ([pairs[i] for i in part] for part in (order[:n], order[n:]))
    return Text([w for w, _ in train], [t for _, t in train]), Text([w for w, _ in test], [t for _, t in test])


def tagging(report: Report) -> None:
    """Train on the first 10,000 sentences and on all."""
    train, test = brown()
    SequenceTagger(max_iter=1).fit(train.words[:100], train.tags[:100])  # compiles
    ready = test.features()
    for n in (10_000, len(train.words)):
        _race(report, Text(train.words[:n], train.tags[:n]), test, ready)


def _race(report: Report, some: Text, test: Text, ready: Any) -> None:
    features: list[Any] = []
    finding = seconds(lambda: features.extend(some.features()))
    ours: list[SequenceTagger] = []
    theirs: list[CRF] = []
    a, b = in_turn(
        [
            lambda: ours.append(SequenceTagger(max_iter=EPOCHS, random_state=len(ours)).fit(some.words, some.tags)),
            lambda: theirs.append(CRF(algorithm="ap", max_iterations=EPOCHS).fit(features, some.tags)),
        ],
        PATIENCE,
    )
    tagged: list[Any] = []
    predict = [seconds(lambda: tagged.append(ours[0].predict(test.words))),
               seconds(lambda: tagged.append(theirs[0].predict(ready)))]  # fmt: skip
    mine = [model.score(test.words, test.tags) for model in ours]
    peer = test.accuracy(tagged[1])
    ratio = Ratio(a, b, after=" (3 wanted)")
    cells = {
        "sentences": f"{len(some.words):,}",
        "linsep, from words": show_median(a),
        "CRFsuite, from features": show_median(b),
        "ratio": ratio,
        "finding the features by name": show(finding),
        "tagging the test, linsep": show(predict[0]),
        "CRFsuite ": show(predict[1]),
        "token accuracy, linsep": spread(mine),
        "CRFsuite": f"{peer:.4f}",
    }
    figures = {"sentences": len(some.words), "linsep_s": float(np.median(a)), "crfsuite_s": float(np.median(b)),
               "ratio": ratio.value, "features_s": finding, "linsep_accuracy": mine,
               "crfsuite_accuracy": peer}  # fmt: skip
    report.row("Brown corpus, parts of speech, ten epochs", cells, figures)
