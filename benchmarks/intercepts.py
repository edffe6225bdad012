"""The intercept on text: test accuracy for constant features of several sizes."""

from __future__ import annotations

from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.data import Split, accuracies, loaders, newsgroups, sparse
from benchmarks.timing import Report, spread
from linsep import AveragedPerceptron, PassiveAggressive, Perceptron

SEEDS = 5
WAYS: dict[str, dict[str, Any]] = {
    "no intercept": {"fit_intercept": False},
    "c = 1": {"intercept_scaling": 1.0},
    "c = 0.1": {"intercept_scaling": 0.1},
    "c = 0.01": {"intercept_scaling": 0.01},
    "auto": {"intercept_scaling": "auto"},
}
LEARNERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "Perceptron": (Perceptron, {"shuffle": True}),
    "AveragedPerceptron": (AveragedPerceptron, {}),
    "PassiveAggressive": (PassiveAggressive, {}),
}


def counts() -> Split:
    """The rows of `newsgroups` as numbers of words, of any length."""
    data = newsgroups()
    texts = [loaders().orange_text(f"20newsgroups-{part}")[0] for part in ("train", "test")]
    vectorizer = CountVectorizer()
    X, T = vectorizer.fit_transform(texts[0]), vectorizer.transform(texts[1])
    return data._replace(name="20 Newsgroups, numbers of words", X=sparse(X), X_test=sparse(T))


def intercepts(report: Report) -> None:
    """One-vs-rest, ten epochs, five orders of the rows, on rows of length 1 and on numbers of words."""
    for data in (newsgroups()._replace(name="20 Newsgroups, tf-idf of length 1"), counts()):
        title = f"{data.name}, {data.size}, {data.X_test.shape[0]:,} test rows"
        for name, (kind, options) in LEARNERS.items():
            found: dict[str, list[float]] = {}
            for way, asked in WAYS.items():
                models = (kind(max_iter=10, random_state=seed, **options, **asked) for seed in range(SEEDS))
                found[way] = accuracies((model.fit(data.X, data.y) for model in models), data)
            cells = {"one-vs-rest": name} | {way: spread(scores) for way, scores in found.items()}
            report.row(title, cells, {"learner": name, **found})
