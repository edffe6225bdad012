"""What each route of the search of proofs is worth: a table that a user would have, with the route and without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from benchmarks.separation import dense, dummies, factors, words
from benchmarks.timing import Report, in_turn, show
from linsep import separability, separation
from linsep.theory.cone import faces, guess, interior_point, search
from linsep.theory.separation import coefficient_signs, find

LIMIT = 10.0  # seconds, after which a search without its route ends undecided


class Route(NamedTuple):
    """A route, the table that needs it, the question, and what is replaced to go without."""

    name: str
    table: str
    ask: Callable[[], Any]
    without: tuple[Any, str, Any]


def _coin(n: int, p: int, share: float = 0.5) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (rng.random(n) < share).astype(int)


def _pixels(n: int, p: int) -> tuple[Any, Any]:
    """Mostly zeros, and columns that only one class has."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 256, (n, p)) * (rng.random((n, p)) < 0.2) * 1.0
    y = rng.integers(0, 2, n)
    X[:, : p // 4] *= y[:, None]
    return X, y


def _movers(workers: int, firms: int, years: int) -> tuple[Any, Any]:
    """Counts by worker and firm, and a number: one year in ten a worker goes to a firm nearby, so paths are long."""
    rng = np.random.default_rng(0)
    worker, firm = np.repeat(np.arange(workers), years), np.empty(workers * years, dtype=np.int64)
    now = np.sort(rng.integers(0, firms, workers))
    for year in range(years):
        now = np.where(rng.random(workers) > 0.9, (now + rng.integers(-3, 4, workers)) % firms, now)
        firm[year::years] = now
    y = rng.poisson(np.exp(rng.normal(size=workers)[worker] + rng.normal(size=firms)[firm] - 1.0))
    number = sp.csr_matrix(rng.normal(size=(y.size, 1)))
    return sp.csr_matrix(sp.hstack([dummies(worker), dummies(np.unique(firm, return_inverse=True)[1]), number])), y


def _untouched(X: Any, s: Any, *, constant: bool, equal: Any, **_: Any) -> tuple[list[Any], Any]:
    return [], np.ones(X.shape[0], dtype=bool)


def kept() -> list[Route]:
    """Each route that stays."""
    many, noise, pixels, wide = _coin(200_000, 20), _coin(800, 150), _pixels(4_000, 400), dense(63, 2_308)
    levels, text = factors(20_000, (1_000, 1_000), 2), words(20_000, 2_000, 10)
    small, movers = _coin(200, 60), _movers(4_000, 300, 5)

    def alone(table: tuple[Any, Any]) -> Callable[[], Any]:
        return lambda: separability(*table, time_limit=LIMIT)

    def model(table: tuple[Any, Any], family: Any = "logistic") -> Callable[[], Any]:
        return lambda: separation(*table, family=family, time_limit=LIMIT)

    return [
        Route("sample of the rows", "coin tosses 200,000 x 20", alone(many), (search, "_of_sample", _nobody)),
        Route("peel", "pixels 4,000 x 400", alone(pixels), (search, "peel", _untouched)),
        Route("working set", "coin tosses 200,000 x 20", alone(many), (guess, "ALL_AT_ONCE", 10**9)),
        Route("near weights", "coin tosses 800 x 150", alone(noise), (faces, "near_weights", _nobody)),
        Route("few rows", "coin tosses 200 x 60", alone(small), (faces.Faces, "_by_few", lambda *_: False)),
        Route(
            "levels taken out",
            "workers and firms",
            model(movers, family="poisson"),
            (interior_point, "_levels", lambda *_: []),
        ),
        Route("systems by digits", "two factors, 2 numbers", model(levels), (faces, "LARGE", 10**9)),
        Route("conjugate gradients", "words 20,000 x 2,000", model(text), (guess, "_SPARSE", 0.0)),
        Route("two bases of columns", "normal 63 x 2,308", model(wide), (find, "prove_by_columns", _nobody)),
        Route("signs by single rows", "two factors, 2 numbers", model(levels), (find, "signs_of_single_rows", _none)),
        Route(
            "signs by programmes",
            "workers and firms",
            model(movers, family="poisson"),
            (coefficient_signs.Signs, "guess", _open),
        ),
    ]


def _nobody(*_: Any, **__: Any) -> None:
    return None


def _none(*_: Any) -> dict[int, Any]:
    return {}


def _open(*_: Any) -> tuple[None, None]:
    return None, None


def routes(report: Report) -> None:
    """One row a route: seconds of the processor with it and without it."""
    for route in kept():
        said: list[str] = []

        def ask(route: Route = route, off: bool = False, said: list[str] = said) -> None:
            with patch.object(*route.without) if off else nullcontext():
                try:
                    found = route.ask()
                    said.append(found.verdict)
                except Exception as error:
                    said.append(type(error).__name__)

        ask()
        with_it, without = (min(times) for times in in_turn([ask, partial(ask, off=True)], 1.0, time.process_time))
        cells = {
            "route": route.name,
            "table": route.table,
            "with": show(with_it),
            "without": show(without),
            "factor": f"{without / with_it:.3g} x",
            "verdicts": ", ".join(dict.fromkeys(said)),
        }
        report.row("Routes", cells, {"with": with_it, "without": without})
