"""Many designs, with one response or one each: `separation` for each of them, in several processes if asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linsep.regression.found import Separation
from linsep.regression.separation import separation
from linsep.theory.separability.one_vs_rest import count_processes
from linsep.types import DataError


def separation_scan(
    designs: Mapping[Any, Any] | Sequence[Any],
    y: Any,
    *,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    **asked: Any,
) -> dict[Any, Separation | str]:
    """Call `separation` for each of many designs, mostly of one response; an error in one does not stop the others.

    Parameters
    ----------
    designs : mapping of name -> design, or sequence of designs
        The designs of a sequence have the names 0, 1, ...
    y : array-like of shape (n_samples,), or mapping of name -> response
        The response of every design, as for `separation`; or one for each design, such as for the folds of one table.
    time_limit : float, optional
        Seconds for each design.
    n_jobs : int, optional
        The number of processes, as joblib takes it: 1 unless given, -1 for one a core. Answers do not depend on it.
        Within `joblib.parallel_config(backend="dask")` they run on the workers of a Dask cluster.
    **asked : Any
        Other options of `separation`: family, link, fit_intercept and the columns that belong to y.

    Returns
    -------
    dict
        Name -> Separation, or the message of the error as text.

    Examples
    --------
    >>> found = separation_scan({"a": [[0], [1], [2], [3]], "b": [[0], [2], [1], [3]], "c": [["?"]]}, [0, 1, 0, 1])
    >>> found["a"].verdict, found["b"].verdict, type(found["c"]).__name__
    ('overlap', 'complete', 'str')

    The rows of each fold, with the response of its own:

    >>> import numpy as np
    >>> x, y = np.arange(8.0).reshape(-1, 1), np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> kept = {k: np.arange(8) % 4 != k for k in range(4)}
    >>> folds = separation_scan({k: x[rows] for k, rows in kept.items()}, {k: y[rows] for k, rows in kept.items()})
    >>> [found.verdict for found in folds.values()].count("overlap")
    2
    """
    named = dict(designs) if isinstance(designs, Mapping) else dict(enumerate(designs))
    own: Any = y if isinstance(y, Mapping) else dict.fromkeys(named, y)
    if missing := [name for name in named if name not in own]:
        raise DataError(f"y has no response for the design {missing[0]!r}: give one for each, under the same name")
    asked["time_limit"] = time_limit
    if count_processes(n_jobs, len(named)) == 1:
        return {name: _answer_or_message(X, own[name], asked) for name, X in named.items()}
    from sklearn.utils.parallel import Parallel, delayed

    answer = delayed(_answer_or_message)
    found = Parallel(n_jobs=n_jobs)(answer(X, own[name], asked) for name, X in named.items())
    return dict(zip(named, found, strict=True))


def _answer_or_message(X: Any, y: Any, asked: dict[str, Any]) -> Separation | str:
    """A screening goes on whatever one design holds."""
    try:
        return separation(X, y, **asked)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
