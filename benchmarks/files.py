"""From a file to a model on disk, and what the model is worth: Vowpal Wabbit beside linsep.

Both read the same rows, in one shuffled order, as text: Vowpal Wabbit in its own format and linsep as svmlight.
Writing the files is not timed. Vowpal Wabbit keeps a binary cache for its later passes (deleted before each run),
linsep the rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import dump_svmlight_file
from vowpalwabbit import Workspace

from benchmarks.data import Split, mnist, mnist_pixels, newsgroups, spamassassin, sparse
from benchmarks.last import Ratio
from benchmarks.timing import Report, in_turn, show_median
from linsep import AveragedPerceptron, load, open_data, save

PATIENCE = 10.0
BITS = 22  # 4 million weights: 73,686 words x 20 classes with few collisions


def files(report: Report) -> None:
    """Ten epochs each, and one pass of Vowpal Wabbit, its usual way; MNIST as whole numbers and as 16 digits."""
    for read, intercept in ((spamassassin, False), (newsgroups, False), (mnist_pixels, True), (mnist, True)):
        with tempfile.TemporaryDirectory() as folder:
            _race(report, read(), Path(folder), intercept)


def _race(report: Report, data: Split, folder: Path, intercept: bool) -> None:
    classes = len(np.unique(data.y))
    order = np.random.RandomState(0).permutation(len(data.y))  # rows sorted by class would mislead a single pass
    _write(data.X[order], data.y[order], folder / "train")
    _write(data.X_test, data.y_test, folder / "test")
    vowpal = partial(_vowpal, folder, classes)
    ours = "linsep AveragedPerceptron, 10 epochs" + ("" if intercept else ", no intercept")
    works: dict[str, Callable[[Path], None]] = {
        ours: partial(_linsep, folder, intercept),
        "Vowpal Wabbit, 10 passes, hinge loss": partial(vowpal, 10, "hinge"),
        "Vowpal Wabbit, 10 passes, logistic loss": partial(vowpal, 10, "logistic"),
        "Vowpal Wabbit, 1 pass, logistic loss": partial(vowpal, 1, "logistic"),
    }
    models = [folder / f"model{i}" for i in range(len(works))]
    times = in_turn([partial(work, model) for work, model in zip(works.values(), models, strict=True)], PATIENCE)
    for name, model, took in zip(works, models, times, strict=True):
        said = (_labels_linsep if name == ours else _labels_vowpal)(folder, model)
        accuracy = float(np.mean(said == data.y_test + 1))
        report.row(
            f"From file to model: {data.name} {data.size}, {(folder / 'train.vw').stat().st_size / 1e6:.0f} MB of text",
            {
                "learner": name,
                "file to model": show_median(took),
                "ratio": "" if name == ours else Ratio(times[0], took),
                "test accuracy": f"{accuracy:.4f}",
            },
            {"learner": name, "file_to_model_s": took, "accuracy": accuracy},
        )


def _write(X: Any, y: Any, path: Path) -> None:
    """Labels 1, 2, ... and the same entries in both formats; a bar after the label is all that differs."""
    svmlight = path.with_suffix(".svmlight")
    dump_svmlight_file(sparse(X), y + 1, str(svmlight), zero_based=False)
    with svmlight.open() as lines, path.with_suffix(".vw").open("w") as out:
        out.writelines(line.replace(" ", " | ", 1) for line in lines)


def _linsep(folder: Path, intercept: bool, model: Path) -> None:
    rows = open_data(folder / "train.svmlight").read()
    save(AveragedPerceptron(max_iter=10, fit_intercept=intercept, random_state=0).fit(rows.X, rows.y), model)


def _labels_linsep(folder: Path, model: Path) -> Any:
    learner = load(model)
    X = open_data(folder / "test.svmlight").read().X
    X.resize(X.shape[0], learner.n_features_in_)  # the last columns may be empty in one of the two files
    return learner.predict(X).astype(float).astype(int)


def _vowpal(folder: Path, classes: int, passes: int, loss: str, model: Path) -> None:
    cache = folder / "cache"
    cache.unlink(missing_ok=True)
    again = f"--passes {passes} --cache_file {cache} -k --holdout_off" if passes > 1 else ""
    work = f"-d {folder}/train.vw -f {model} -b {BITS} --oaa {classes} --loss_function {loss} {again}"
    Workspace(work, quiet=True).finish()


def _labels_vowpal(folder: Path, model: Path) -> Any:
    Workspace(f"-t -i {model} -d {folder}/test.vw -p {folder}/said", quiet=True).finish()
    return np.loadtxt(folder / "said").astype(int)
