"""Many designs, with one response or one each: designs that share columns and the response share the work."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from linsep.regression.design import Design
from linsep.regression.formula import Asked, asked_of
from linsep.regression.found import Separation
from linsep.regression.model import Regression
from linsep.regression.separation import separation
from linsep.tables import exact_table, is_matrix, is_sparse
from linsep.theory.rows.deadline import OutOfTimeError, deadline_of, time_left
from linsep.theory.separability.one_vs_rest import count_processes
from linsep.theory.separation.exact_rows import whole_columns
from linsep.theory.separation.search.decide import find_proof
from linsep.theory.verify.cone import CertificateError
from linsep.theory.verify.consequences import SeparationProof
from linsep.types import DataError

_FEWEST = 3  # designs that are asked about together
_WIDER, _MORE = 1.5, 50  # times the columns of the widest of them, or more columns than it has, at most
_FAMILIES = ("logistic", "binomial", "poisson", "negative-binomial")  # each row is one inequality


def separation_scan(
    designs: Mapping[Any, Any] | Sequence[Any],
    y: Any,
    *,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    **asked: Any,
) -> dict[Any, Separation | str]:
    """Call `separation` for each of many designs, mostly of one response; an error in one does not stop the others.

    Matrices and dataframes that share most of their columns, such as covariates and one candidate each, are asked about
    together: rows that overlap with all columns overlap with some of them, so one proof serves many designs. It is
    checked for each of them.

    Parameters
    ----------
    designs : mapping of name -> design, or sequence of designs
        The designs of a sequence have the names 0, 1, ...
    y : array-like of shape (n_samples,), or mapping of name -> response
        The response of every design, as for `separation`; or one for each design, such as for the folds of one table.
    time_limit : float, optional
        Seconds for each design.
    n_jobs : int, optional
        The number of processes, as joblib takes it: 1 unless given, -1 for one a core. A process takes a part of the
        designs or, where every design has its own response, one at a time.
        Verdicts and labels do not depend on it; the proof that designs share depends on which are asked about together.
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
    named = list(designs.items()) if isinstance(designs, Mapping) else list(enumerate(designs))
    if isinstance(y, Mapping) and (missing := [name for name, _ in named if name not in y]):
        raise DataError(f"y has no response for the design {missing[0]!r}: give one for each, under the same name")
    n_parts = count_processes(n_jobs, len(named))
    if n_parts == 1:
        return _screened(named, y, time_limit=time_limit, **asked)
    if isinstance(y, Mapping):  # nothing is shared, and answers can come back while others are sought
        n_parts = len(named)
    parts = [named[k * len(named) // n_parts : (k + 1) * len(named) // n_parts] for k in range(n_parts)]
    from sklearn.utils.parallel import Parallel, delayed

    screened = delayed(_without_arrays)
    responses = [{name: y[name] for name, _ in part} if isinstance(y, Mapping) else y for part in parts]
    found = Parallel(n_jobs=n_jobs)(
        screened(part, own, time_limit=time_limit, **asked) for part, own in zip(parts, responses, strict=True)
    )
    answers = {name: one for part in found for name, one in part.items()}
    return {name: _about(answers[name], X, _response(y, name), **asked) for name, X in named}


def _response(y: Any, name: Any) -> Any:
    return y[name] if isinstance(y, Mapping) else y


def _without_arrays(named: list[tuple[Any, Any]], y: Any, **asked: Any) -> dict[Any, Separation | str]:
    """The answers without the arrays that they are about, which take long to send back and are there already."""
    designs = dict(named)
    return {
        name: one if isinstance(one, str) or not is_matrix(designs[name]) else replace(one, about=None)
        for name, one in _screened(named, y, **asked).items()
    }


def _about(found: Separation | str, X: Any, y: Any, **asked: Any) -> Separation | str:
    """The answer of a worker with what it is about."""
    if isinstance(found, str) or found.about is not None:
        return found
    of_question = {name: value for name, value in asked.items() if name not in ("link", "on_separation")}
    usual = {"data": None, "fit_intercept": True, "family": "logistic", "order": None}
    question = asked_of(X, y, **(usual | of_question))
    return replace(found, about=(question.design, question.outcome))


def _screened(named: list[tuple[Any, Any]], y: Any, **asked: Any) -> dict[Any, Separation | str]:
    """The answers of some designs; after one that overlaps, the others are asked about together, or in two halves."""
    if isinstance(y, Mapping):  # nothing is shared where responses differ
        return {name: _answer_or_message(X, y[name], **asked) for name, X in named}
    answers: dict[Any, Separation | str] = {}
    groups = [named] if named else []
    while groups:
        (name, X), *rest = groups.pop()
        found = answers[name] = _answer_or_message(X, y, **asked)
        overlaps = not isinstance(found, str) and found.verdict == "overlap"
        if overlaps and len(rest) >= _FEWEST:
            together = _overlaps([X for _, X in rest], y, **asked)
            if together is None:
                groups += [rest[len(rest) // 2 :], rest[: len(rest) // 2]]
            else:
                answers |= dict(zip((name for name, _ in rest), together, strict=True))
        elif rest:
            groups.append(rest)
    return answers


def _answer_or_message(X: Any, y: Any, **asked: Any) -> Separation | str:
    """A screening goes on whatever one design holds."""
    try:
        return separation(X, y, **asked)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _overlaps(
    designs: list[Any],
    y: Any,
    *,
    family: Any = "logistic",
    link: str | None = None,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    on_separation: str = "report",
    data: Any = None,
    order: Any = None,
    **beside: Any,
) -> list[Separation] | None:
    """The answers if no row is separated by all columns of the designs together, and these are independent, else None.

    A proof of that is weights > 0 with which rows add up to 0, and rows that span: both stay true without some columns.
    """
    deadline = deadline_of(time_limit)
    try:
        if family not in _FAMILIES or not all(is_matrix(X) or hasattr(X, "columns") for X in designs):
            return None
        questions = [asked_of(X, y, data, fit_intercept, family, order, **beside) for X in designs]
        every = _all_columns(questions)
        if every is None:
            return None
        asked = Regression.of(every, questions[0].outcome, family, link, fit_intercept)
        proof = find_proof(asked.rows.Z, asked.rows.equal, deadline, signs=False, may_be_near=True)
        # Weights near exact ones prove nothing without some columns, and are found as fast for each design.
        cone = proof.cone
        if cone.separated.size or cone.null or cone.within:
            return None
        common = SeparationProof(cone, cone.basis or ())
        return [_checked(question, common, family, link, time_limit) for question in questions]
    except (CertificateError, DataError, OutOfTimeError):
        return None  # each is asked alone then


def _checked(
    question: Asked, proof: SeparationProof, family: Any, link: str | None, time_limit: float | None
) -> Separation:
    deadline = deadline_of(time_limit)  # of each design, as `separation` has it
    design, outcome, fit_intercept = question
    asked = Regression.of(design, outcome, family, link, fit_intercept)
    shown = asked.shown(proof, lambda: time_left(deadline))
    return Separation(proof=proof, **shown, **asked.described(), about=(design, outcome))


def _all_columns(questions: list[Asked]) -> Design | None:
    """The columns of all designs, each once; None if they are too many, or not of one kind."""
    tables = [whole_columns(exact_table(question.design.X)) for question in questions]
    sparse = is_sparse(tables[0])
    if any(is_sparse(X) != sparse or X.shape[0] != tables[0].shape[0] or X.dtype != np.float64 for X in tables):
        return None
    widest = max(X.shape[1] for X in tables)
    most = max(_WIDER * widest, widest + _MORE)
    columns: dict[bytes, Any] = {}
    for X in tables:
        turned = X.tocsc() if sparse else X.T
        for j in range(X.shape[1]):
            column: Any = turned[:, [j]] if sparse else np.ascontiguousarray(turned[j])
            parts = (column.indices, column.data) if sparse else (column,)
            columns.setdefault(hashlib.blake2b(b"".join(part.tobytes() for part in parts)).digest(), column)
        if len(columns) > most:
            return None
    every = list(columns.values())
    X = sp.hstack(every, format="csr") if sparse else np.column_stack(every)
    return Design(X, [f"column {j}" for j in range(X.shape[1])], {}, {})
