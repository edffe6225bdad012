"""Tables to begin with: each shows one thing, says what to look at, and ends in a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from linsep.explorer.story import WINDOW, Points, points_of
from linsep.types import Array, DataError

_NEGATIVE, _POSITIVE = "negative", "positive"
_SECONDS = 60.0  # a preset is known to end by itself, on a machine that has other work too


@dataclass(frozen=True)
class Preset:
    """A table with its words: `rows` makes X and labels, `constant` is c, 0 without an intercept."""

    title: str
    about: tuple[str, ...]
    rows: Callable[[], tuple[Any, Any]]
    constant: float = 1.0
    learner: str = "perceptron"
    max_iter: int | None = 1000
    window: int = WINDOW

    def run(self) -> dict[str, Any]:
        """What `tell` is asked for."""
        return {"learner": self.learner, "max_iter": self.max_iter, "window": self.window, "seconds": _SECONDS}


def preset(name: str) -> Preset:
    """The preset of that name.

    Raises
    ------
    DataError
        There is none.

    Examples
    --------
    >>> len(preset("six-points").rows()[0])
    6
    """
    if name not in PRESETS:
        raise DataError(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def points_of_preset(name: str) -> Points:
    """The rows of a preset with its words."""
    found = preset(name)
    X, y = found.rows()
    words: dict[str, Any] = {"title": found.title, "about": list(found.about), "preset": name}
    return points_of(X, y, constant=found.constant, target="class", **words)


def names_and_titles() -> list[dict[str, str]]:
    """The presets as a page lists them."""
    return [{"name": name, "title": found.title} for name, found in PRESETS.items()]


def _named(y: Any) -> list[str]:
    """Signs as names of classes."""
    return [_POSITIVE if one > 0 else _NEGATIVE for one in y]


_SIX_POINTS = [[-2.0, 1.0], [2.0, 1.0], [-2.0, 2.0], [3.0, -1.0], [-3.0, -2.0], [1.0, 3.0]]
_SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
_CYCLE = [[2.0, 0.0], [-1.0, 2.0], [1.0, 2.0]]


def _semicircle() -> tuple[Any, Any]:
    """y x is spread over half a circle, but for 4 degrees at each end: the margin is sin(4 degrees)."""
    signs = np.where(np.arange(24) % 2 == 0, 1.0, -1.0)
    angles = np.random.RandomState(2).permutation(np.deg2rad(np.linspace(4.0, 176.0, 24)))
    return signs[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]), _named(signs)


def _drift() -> tuple[Any, Any]:
    """The true plane turns by 120 degrees from the first row to the last."""
    random = np.random.RandomState(18)
    n = 300
    turn = np.deg2rad(np.linspace(0.0, 120.0, n))
    X = np.round(random.uniform(-1.0, 1.0, (n, 2)), 3)
    return X, _named(X[:, 0] * np.cos(turn) + X[:, 1] * np.sin(turn))


def _breast_cancer() -> tuple[Any, Any]:
    data = load_breast_cancer()
    columns = StandardScaler().fit_transform(data.data).T
    return pa.table(dict(zip(data.feature_names.tolist(), columns, strict=True))), data.target_names[data.target]


def noisy(n: int, seed: int) -> tuple[Array, list[str]]:
    """Rows of two classes that overlap: means at (-1, 0) and (1, 0), deviation 1 in each column.

    Examples
    --------
    >>> len(noisy(200, 0)[1])
    200
    """
    random = np.random.RandomState(seed)
    signs = np.where(random.random_sample(n) < 0.5, -1.0, 1.0)
    return np.round(random.standard_normal((n, 2)) + signs[:, None] * [1.0, 0.0], 3), _named(signs)


PRESETS = {
    "six-points": Preset(
        "Six points",
        (
            "Start at w = 0 and step through the rows.",
            "Row 1 is negative and y z = 0: a tie is a mistake, so w becomes -x1.",
            "Rows 2 to 5 are right, row 6 is positive and on the wrong side: w becomes -x1 + x6.",
            "The next pass is clean, so the run ends after two updates: w is a sum of rows, each plus or minus.",
            "At the end choose row 2 and turn it into the other class: does the run still end?",
        ),
        lambda: (_SIX_POINTS, _named([-1, 1, -1, 1, -1, 1])),
        constant=0.0,
    ),
    "semicircle": Preset(
        "Rows on a circle",
        (
            "All rows have length 1, so R = 1; only planes within 4 degrees of one direction are right on all of them.",
            "In the picture of weights every row is right in the green region: it is thin, and w has to walk into it.",
            "Novikoff's theorem allows (R / gamma)^2 mistakes, here 205; watch how many the run needs.",
            "The bound depends on the margin and on the length of the rows, not on their number.",
            "Choose rows one by one and take them away: which of them change the bound, and which only the run?",
        ),
        _semicircle,
        constant=0.0,
    ),
    "line": Preset(
        "Six points on a line",
        (
            "Each row is one number, and a plane is a threshold: one side of -b / w is positive, the other negative.",
            "The row at 4 is negative and lies between positive rows at 3 and 5, so no threshold is right on all.",
            "The witness proves it with three rows: the mean of 1, 4 and 4, all negative, is 3, which is positive.",
            "Multiply each row (x, 1) by its label, and rows 1, 4 and 3 also by the weights 1, 2 and 3: the sum is 0.",
            "Which single row do you have to move, and where, before the run ends with a clean pass?",
        ),
        lambda: ([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], _named([-1, -1, 1, -1, 1, 1])),
        max_iter=25,
    ),
    "exclusive-or": Preset(
        "Exclusive or: four corners",
        (
            "Opposite corners of the square have one class, as in the exclusive or of two bits.",
            "Each class has its middle at the same point, so no line has one class on each side.",
            "The witness takes each row once: multiply each row (x, 1) by its label, and the sum is 0.",
            "Without a limit the run would go on for ever; here it is stopped after 25 passes.",
            "Drag one corner towards the middle of the square: when does a separating line appear?",
        ),
        lambda: (_SQUARE, ["same", "different", "same", "different"]),
        max_iter=25,
    ),
    "cycling": Preset(
        "A run that goes round in circles",
        (
            "Step through one pass, and watch w.",
            "Each of the three rows is a mistake, and after the third w is 0 again.",
            "So the next pass is the same as the first: without a limit the run never ends, and w stays short.",
            "This is so for every table: without a separator, too, w does not grow without end (Block and Levin 1970).",
            "Each pass adds every row times its label to w. What must the sum be, and what is the witness?",
        ),
        lambda: (_CYCLE, _named([1, 1, -1])),
        constant=0.0,
        max_iter=25,
    ),
    "orthonormal": Preset(
        "Rows at right angles",
        (
            "The nine rows have length 1 and stand at right angles to each other.",
            "No update helps another row, so each of them is a mistake once.",
            "The best margin is 1/3, so (R / gamma)^2 = 9: the run makes as many mistakes as the theorem allows.",
            "Look at the bars in the panel Proof: how far are w.u and the length of w apart at the last mistake?",
        ),
        lambda: (np.eye(9), _named([1, -1] * 4 + [1])),
        constant=0.0,
    ),
    "drift": Preset(
        "A plane that turns",
        (
            "The rows come as a stream: from the first to the last the true line turns by 120 degrees.",
            "One pass is made, in turn, and the last vector follows the line.",
            "The average remembers the first rows and stays behind.",
            "No line is right on all rows, but at each moment there is one for the rows just seen.",
            "Would you use the last vector or the average for the next row? And if rows came in random order?",
        ),
        _drift,
        constant=0.0,
        learner="averaged",
        max_iter=1,
    ),
    "breast-cancer": Preset(
        "Breast cancer: the end of a long run",
        (
            "569 rows of 30 measurements, standardised: the last 20,000 of 1,757,361 updates of the perceptron.",
            "The rows are separable, and this is proved; the margin is 0.0014, so the bound is 218,204,382.",
            "Go to the end: the last updates are made at very few rows, those nearest to the plane.",
            "After the last of them a whole pass over 569 rows is clean.",
            "Which rows are updated again and again, and what do they have in common?",
        ),
        _breast_cancer,
        max_iter=None,
        window=20_000,
    ),
    "overfitting-votes": Preset(
        "Last vector against averaged",
        (
            "The two classes overlap: step on, and look at both lines.",
            "No line is right on all rows, and the run does not settle.",
            "The last vector depends on the last mistakes, so its line swings.",
            "The averaged vector counts each vector by the rows that it survived, and its line hardly moves.",
            "Freund and Schapire's theorem bounds the errors of votes on new rows; the last vector has no such bound.",
            "At which updates is the last vector the better one, and could you know without new rows?",
        ),
        lambda: noisy(200, 18),
        learner="averaged",
        max_iter=10,
    ),
}
