"""The real data: DATA_PKGS names their folder, DATA_LOADERS that of the module `loaders` which reads them."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

Array = Any


class Split(NamedTuple):
    """Rows to learn from and rows to be judged on; labels are integers."""

    name: str
    X: Any
    y: Array
    X_test: Any
    y_test: Array

    @property
    def size(self) -> str:
        """As in "60,000 x 784"."""
        return f"{self.X.shape[0]:,} x {self.X.shape[1]:,}"


def loaders() -> Any:
    """The module that reads the real data; exits with what to run where something is missing."""
    folder = Path(os.environ.get("DATA_LOADERS", "../shared/data"))
    packages = Path(os.environ.get("DATA_PKGS", "data-pkgs"))
    if not (folder / "loaders.py").is_file():
        sys.exit(f"no loaders.py in {folder}: set DATA_LOADERS to the folder that holds get.sh and loaders.py")
    if not packages.is_dir():
        sys.exit(
            f"no folder {packages} with the real data: run `{folder}/get.sh {packages}` (about 110 MB), then "
            f"`DATA_PKGS={packages} make bench`; `make bench SUITES='breast_cancer online imports walks'` needs no data"
        )
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module("loaders")


def mnist_pixels() -> Split:
    """Ten digits, pixels from 0 to 255 as float32."""
    X, y = loaders().mnist()
    T, u = loaders().mnist("t10k")
    return Split("MNIST", X.astype(np.float32), y.astype(int), T.astype(np.float32), u.astype(int))


def mnist() -> Split:
    """Ten digits, pixels in [0, 1]."""
    pixels = mnist_pixels()
    return pixels._replace(name="MNIST in [0, 1]", X=pixels.X / 255, X_test=pixels.X_test / 255)


@cache
def newsgroups() -> Split:
    """Twenty groups, tf-idf with sublinear counts, rows of length 1, float64; train and test as published."""
    train, labels = loaders().orange_text("20newsgroups-train")
    test, test_labels = loaders().orange_text("20newsgroups-test")
    groups = np.unique(labels)
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    X, T = vectorizer.fit_transform(train), vectorizer.transform(test)
    return Split("20 Newsgroups", X, np.searchsorted(groups, labels), T, np.searchsorted(groups, test_labels))


@cache
def spamassassin() -> Split:
    """Which words a mail holds, those of two mails or more; one mail in five, by a fixed seed, is for the test."""
    mails, y = loaders().spamassassin()
    order = np.random.RandomState(0).permutation(len(mails))
    train, test = order[len(mails) // 5 :], order[: len(mails) // 5]
    X, T = loaders().bow([mails[i] for i in train], [mails[i] for i in test], min_df=2)
    codes = (np.asarray(y) > 0).astype(int)
    return Split("SpamAssassin", X.astype(np.float64), codes[train], T.astype(np.float64), codes[test])


def sparse(X: Any) -> Any:
    """CSR in float64, what LIBLINEAR and svmlight files hold."""
    return sp.csr_matrix(X, dtype=np.float64)


def accuracies(models: Iterable[Any], data: Split) -> list[float]:
    """The share of test rows that each model labels right."""
    return [float(np.mean(model.predict(data.X_test) == data.y_test)) for model in models]
