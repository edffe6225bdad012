"""Train on a table, keep rows aside for a test, and make the receipt: `linsep fit` in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from linsep import scikit
from linsep.data.columns import TableChunk, label_names
from linsep.data.features.aside import Aside, HoldOut, check_asked, check_hold_out, groups_of, set_aside
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.kinds import left_out_line, without_skipped
from linsep.data.features.missing import Missing, told
from linsep.data.hints import hint_on_copies, hint_on_digits, hints_on_holding_out
from linsep.data.labels import refuse_label_for_each_row
from linsep.data.labels import told as told_unlabelled
from linsep.data.sources.source import Source
from linsep.data.telling import TellingColumn, tell
from linsep.learners.base.tables import Prepared
from linsep.learners.base.training import NOT_DECIDED
from linsep.learners.selection import climb
from linsep.learners.table_model import TableModel
from linsep.reporting.receipt import Line, Receipt, for_people, if_any, make_receipt, train_keep_measure
from linsep.reporting.scores import score_aside
from linsep.types import Array, Chunk

_TELLING = 3  # columns that tell the classes apart, named on a receipt


@dataclass(frozen=True)
class TableFit:
    """A trained model and what is known about it.

    Attributes
    ----------
    model : TableModel
        The model; after Ctrl-C the model so far.
    receipt : Receipt
        What is known about it, in words and as data.
    rows : ndarray or SciPy CSR matrix
        The encoded rows.
    y : ndarray
        Their classes by name.
    warnings : list of str
        The warnings of the learner, and what the receipt says loudly.
    interrupted : bool
        Whether Ctrl-C ended the training, or what is measured and proved after it.
    """

    model: TableModel
    receipt: Receipt
    rows: Any
    y: Array
    warnings: list[str]
    interrupted: bool


def fit_table(
    source: Source,
    learner: Any = None,
    *,
    positive: Any = None,
    holdout: float = 0.0,
    group: str | None = None,
    after: str | None = None,
    missing: Missing | None = None,
    columns: Mapping[str, str] | None = None,
    sample_weight: str | None = None,
    probabilities: bool = False,
    verbose: Any = 0,
    on_trained: Callable[[TableModel], None] | None = None,
) -> TableFit:
    """Encode a table, train a learner on it, and prove what can be proved.

    Parameters
    ----------
    source : Source
        A table with labels, from `open_data`.
    learner : learner of linsep or mapping of name to function, default=None
        Not fitted; None is that of `TableModel`. A mapping of names to functions has the rungs of a ladder, the
        simplest first: a learner of the lowest one is taken that no higher one beats clearly on rows held out
        (`linsep.learners.selection.climb`).
    positive : label, optional
        The label of the positive class; all others together are the other class.
    holdout : float, default=0.0
        This share of the rows is also predicted by a copy of the learner that was trained on the others, with an
        encoder that has not seen it.
    group : str, optional
        A column that is no feature: with `holdout` its rows of one value are all held out, or none of them.
    after : str, optional
        Hold out the rows of this date (as 2024-02-29) and later, in place of a share. COLUMN=DATE, where there are
        several columns of dates.
    missing : {"drop", "mean", "median", "indicator", "error"}, optional
        What becomes of missing values, as in `TableEncoder`; "indicator" unless given.
    columns : dict of str to str, optional
        What columns hold, as in `TableEncoder`, where that is not found out.
    sample_weight : str, optional
        A column of numbers that is no feature: the weight of each row, for the learner. Scores count all rows alike.
    probabilities : bool, default=False
        Whether the model is calibrated on rows held out, as `TableModel(probabilities=True)`.
    verbose : int or callable, default=0
        Progress of this fit: 1 prints it on standard error, a callable is called with it.
    on_trained : callable, optional
        Called with the model when training is over, also after Ctrl-C, and before anything is measured or proved: it
        may save the model.

    Returns
    -------
    TableFit
        The model and what is known about it.

    Raises
    ------
    DataError
        The rows or labels cannot be used; there are more classes than half of 20 rows or more.
    KeyboardInterrupt
        On Ctrl-C before there is a model.

    Examples
    --------
    >>> import pandas as pd
    >>> from linsep import open_data
    >>> frame = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "buys": ["no", "no", "yes", "yes"]})
    >>> found = fit_table(open_data(frame, target="buys"))
    >>> found.receipt.data["training_accuracy"], found.receipt.data["verdict"]
    (1.0, 'separable')
    """
    made = TableEncoder(columns=columns, missing=missing)
    model = TableModel(encoder=made, positive=positive, probabilities=probabilities)
    check_asked(holdout, group, after)
    weight = None if sample_weight is None else source.take_out(sample_weight)
    groups = None if group is None else groups_of(source, group)
    refuse_label_for_each_row(source.read().y, source.target, positive)
    prepared = model.prepare(source)
    encoder, targets, kept = prepared.encoder, np.asarray(prepared.targets), prepared.kept
    assert encoder is not None
    learnt: TableChunk | Chunk = source.read() if kept is None else source.read().take(kept)
    kept_weight = weight if weight is None or kept is None else weight[kept]
    how = HoldOut(holdout, groups if groups is None or kept is None else groups[kept], after)
    aside = set_aside(learnt, encoder, source.name, how) if how else None
    if aside is not None:
        check_hold_out(lambda kept: set(targets[kept].tolist()), aside.train, len(targets))
    choice: list[Line] = []
    if isinstance(learner, Mapping):
        learner, choice = _choose(prepared, learner, aside, how.groups)
    model.learner = learner

    def measure(at_length: bool, seconds: float) -> tuple[Array, Receipt]:
        y = model.named(prepared.targets)
        held_out = None
        if aside is not None and at_length:
            names = label_names(model.classes_).tolist()
            given = (model.learner_, aside, targets, names, kept_weight)
            held_out = score_aside(*given, probabilities=probabilities)
        known = partial(make_receipt, seconds=seconds, held_out=held_out, prove=at_length)
        known = partial(known, aside="" if aside is None else aside.told, weighted=weight is not None)
        return y, known(model, prepared.rows, y)

    (y, receipt), warned, interrupted = train_keep_measure(
        lambda: model.fit_prepared(prepared, weight, verbose=verbose),
        scikit.ConvergenceWarning,
        lambda: hasattr(model, "learner_"),
        lambda: on_trained(model) if on_trained else None,
        measure,
    )
    is_drawn = aside is not None and groups is None and holdout
    copies, hints = _drawn(learnt, encoder.kinds_, aside) if aside and is_drawn else (0, [])
    of_table = _of_table(source, encoder, positive, hints)
    told = [*choice, *receipt.told, *of_table, *if_any(held_out_copies=copies)]
    said = [_with_answer(text, receipt.data.get("verdict")) for text in warned]
    said += [*encoder.doubts_, *receipt.warnings]
    receipt = replace(receipt, told=told)
    return TableFit(model, receipt, prepared.rows, y, said, interrupted)


def _drawn(chunk: Any, kinds: Mapping[str, str], aside: Aside) -> tuple[int, list[tuple[str, str]]]:
    """What is said of rows held out at random: how many have copies among the others, and lines."""
    used = without_skipped(chunk, kinds) if isinstance(chunk, TableChunk) else chunk
    copies, of_copies = hint_on_copies(used, aside.train, aside.test)
    return copies, [*hints_on_holding_out(used, kinds), *of_copies]


def _of_table(source: Source, encoder: TableEncoder, positive: Any, hints: list[tuple[str, str]]) -> list[Line]:
    """What is known of the table: what is missing or left out, and what seems too good."""
    gone, telling = encoder.missing_, _too_good(source, encoder.kinds_, positive)
    hints = [*hints, *hint_on_digits(source.read(), encoder.kinds_)]
    lines = [*told_unlabelled(source.unlabelled), *told(gone, encoder.way, encoder.made.kinds)]
    lines += [*left_out_line(encoder.left_out_), *hints]
    lines += [("too good?", f"{one}: do you know it before the label?") for one in telling[:_TELLING]]
    return [
        *for_people(lines),
        *if_any(missing=gone, unlabelled=source.unlabelled, left_out=encoder.left_out_),
        *if_any(hints=[text for _, text in hints], telling_columns=[one.name for one in telling]),
    ]


def _too_good(source: Source, kinds: Mapping[str, str], positive: Any) -> list[TellingColumn]:
    """The columns in use that alone tell the classes apart, `positive` from the rest where it is given."""
    if source.kind != "table":
        return []
    chunk = without_skipped(source.read(), kinds)
    labels = label_names(chunk.y if chunk.y is not None else np.empty(0))
    labels = labels if positive is None else label_names(labels == str(positive))
    return tell(chunk, labels)


def _with_answer(warning: str, verdict: str | None) -> str:
    """The warning of a run that ended early, which knows by now whether the table is separable."""
    if verdict == "separable":
        answer = "These rows are separable, so such a pass comes in the end: raise max_iter or time_limit."
    elif verdict in ("quasi-separable", "inseparable", "not-separable"):
        answer = "It is proved that no hyperplane separates these rows. More epochs do not help."
    else:
        return warning
    return warning.replace(NOT_DECIDED, answer)


def _choose(
    prepared: Prepared, rungs: Mapping[str, Any], aside: Aside | None, groups: Array | None
) -> tuple[Any, list[Line]]:
    """The learner that `climb` chose without the rows held out, and the line that says why."""
    targets = np.asarray(prepared.targets)
    rows = (prepared.rows, targets) if aside is None else (aside.X_train, targets[aside.train])
    together = groups if groups is None or aside is None else groups[aside.train]
    found = climb(*rows, rungs, together)
    return found.learner, [Line("why", "why this learner", found.why, found.why), Line("ladder", "", found.accuracy)]
