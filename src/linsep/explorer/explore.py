"""`linsep.explore`: a run on rows of one's own, to be looked at step by step."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from linsep.explorer import presets
from linsep.explorer.serve import page_of, serve
from linsep.explorer.story import points_of, tell
from linsep.files import check_output, write_whole
from linsep.markup import frame_html
from linsep.types import DataError


@dataclass(frozen=True, repr=False)
class Exploration:
    """A run that can be looked at: as a file, in the browser, or in a notebook.

    Attributes
    ----------
    story : dict
        All that the page shows, as plain values: rows, runs with their updates, verdict.
    """

    story: dict[str, Any]

    def save(self, path: str | os.PathLike[str], *, reads: tuple[Any, ...] = ()) -> None:
        """Write the page to one HTML file, which opens without a network and without linsep.

        Parameters
        ----------
        path : str or PathLike
            Where to write; an earlier file there is replaced in one step.
        reads : tuple
            Files that must not be replaced, because the same command reads them.

        Raises
        ------
        DataError, OSError
            The path cannot be written; an earlier file there is unchanged.
        """
        check_output(path, "the page", reads=reads)
        write_whole(path, page_of(self.story).encode(), "the page")

    def serve(self, *, port: int = 0, browser: bool = True) -> None:
        """Show the page in the browser until Ctrl-C; points that are changed there are proved anew.

        Parameters
        ----------
        port : int, default=0
            The port on this machine; 0 takes a free one.
        browser : bool, default=True
            Whether to open the browser.

        Raises
        ------
        OSError
            The port is taken.
        """
        serve(self.story, port=port, browser=browser)

    def __repr__(self) -> str:
        run = self.story["runs"][0]
        shape = f"{self.story['n']:,} x {self.story['p']:,} rows"
        return f"<Exploration of {shape}: {run['label']}, {run['total']:,} updates; save(path), serve()>"

    def _repr_html_(self) -> str:
        return frame_html("linsep explorer", page_of(self.story), "48rem")


def explore(
    X: Any = None,
    y: Any = None,
    *,
    preset: str | None = None,
    learner: str | None = None,
    order: str | None = None,
    seed: int | None = None,
    max_iter: int | None = 1000,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    columns: Any = None,
) -> Exploration:
    """Make a run that can be looked at, update by update, beside the theorem that bounds it.

    The run starts from w = 0 and keeps the log of its updates, from which the page replays it; of more than a million
    updates it shows the last million. Beside it stand the other rules and orders of the rows, and what is proved:
    separable with (R / gamma)^2, or the witness that no plane separates.

    Parameters
    ----------
    X : array, SciPy sparse matrix or dataframe, shape (n_samples, n_features), optional
        The rows as the learner gets them: at most 10,000,000 numbers.
    y : array-like of shape (n_samples,), optional
        Two labels; the second in sorted order is the positive class.
    preset : str, optional
        In place of X and y, a table that is there already, with its own intercept and limits: "six-points",
        "semicircle", "line", "exclusive-or", "cycling", "orthonormal", "drift", "breast-cancer" or
        "overfitting-votes".
    learner : str, optional
        What is shown first: "perceptron" (unless given), "averaged", "voted", "pocket", "margin", "pa", "pa1", "pa2",
        "sgd" or "rocchio".
    order : {"turn", "random", "adversary"}, optional
        The order of the rows; in turn unless given. The adversary updates at the mistaken row for which w grows most.
    seed : int, optional
        Seed of the random order; 0 unless given.
    max_iter : int or None, default=1000
        Largest number of epochs; None goes on until a pass is clean. A run ends after 5 seconds.
    fit_intercept : bool, default=True
        Whether to learn b.
    intercept_scaling : float, default=1.0
        c, the constant feature behind b.
    columns : list of str, optional
        Names of the columns, where X has none.

    Returns
    -------
    Exploration
        `save(path)` writes it, `serve()` opens the browser; a notebook shows it.

    Raises
    ------
    DataError
        Rows or labels cannot be used, or the learner or the order is unknown.

    Examples
    --------
    >>> found = explore([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], ["no", "no", "yes", "yes"])
    >>> found.story["verdict"]["verdict"], found.story["runs"][0]["total"]
    ('separable', 5)
    """
    asked: dict[str, Any] = {"learner": learner, "order": order, "seed": seed}
    chosen = {name: value for name, value in asked.items() if value is not None}
    if preset is not None:
        if X is not None or y is not None:
            raise DataError("a preset has rows of its own: leave out X and y, or leave out preset")
        return of_preset(preset, **chosen)
    if X is None or y is None:
        raise DataError("give the rows and their labels, X and y, or the name of a preset")
    points = points_of(X, y, constant=fit_intercept * float(intercept_scaling), columns=columns)
    return Exploration(tell(points, max_iter=max_iter, **chosen))


def of_preset(name: str, **chosen: Any) -> Exploration:
    """A preset with its own learner and order, where no other is chosen.

    Examples
    --------
    >>> of_preset("six-points").story["runs"][0]["total"]
    2
    """
    return Exploration(tell(presets.points_of_preset(name), **{**presets.preset(name).run(), **chosen}))
