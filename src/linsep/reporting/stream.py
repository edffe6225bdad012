"""The receipt of a stream: what was predicted wrongly before each row was learnt, and what mistakes prove."""

from __future__ import annotations

from typing import Any

from linsep.data.columns import label_names
from linsep.data.features.missing import told
from linsep.data.labels import doubt_of_labels
from linsep.data.labels import told as told_unlabelled
from linsep.markup import listed
from linsep.reporting.quality import beside_constant
from linsep.reporting.receipt import Receipt, columns_line, if_any
from linsep.streaming.result import LATELY, StreamFit

_COVERED = (
    "for the vectors in use before each row (one of them drawn at random; twice that for their vote), not for the "
    "last or the mean vector; assumes rows drawn independently from one source"
)


def stream_receipt(found: StreamFit) -> Receipt:
    """Ten lines for people, all the rest as details, and data for programs."""
    counters, learner = found.counters, found.model.learner_
    rows, classes, reason = max(counters.seen), found.model.classes_.tolist(), learner.stop_reason_
    rate = (counters.rows - found.resumed_rows) / max(found.seconds, 1e-9)
    majority = _majority(found)
    data: dict[str, Any] = {
        "rows": rows,
        "features": learner.n_features_in_,
        "learner": type(learner).__name__,
        "classes": classes,
        "stop_reason": str(reason),
        "passes": counters.passes,
        "accuracy": counters.accuracy,
        "late_accuracy": counters.late_accuracy,
        "mistakes": counters.mistakes,
        "updates": learner.n_updates_,
        "seconds": round(found.seconds, 3),
        "rows_per_second": round(rate) if found.seconds else None,
        "majority_class": None if majority is None else majority[0],
        "majority_accuracy": None if majority is None else majority[1],
        "risk_bound": found.risk_bound,
        "drift": counters.alarms,
    }
    took = f" in {found.seconds:.2f} s, {rate:,.0f} rows a second" if found.seconds else ""
    passes = f"{counters.passes} pass{'es' if counters.passes != 1 else ''}{took}"
    skipped = f", {counters.skipped:,} malformed lines skipped" if counters.skipped else ""
    doubts = doubt_of_labels(classes)
    lines = [
        *([("read as", found.read_as)] if found.read_as else []),
        ("rows", f"{rows:,}{skipped}"),
        ("columns", columns_line(found.model.encoder_, data["features"])),
        ("learner", f"{data['learner']}, {passes}"),
        ("stop reason", f"{reason}: {reason.sentence}"),
        *_accuracy(found, majority, doubts),
    ]
    known = found.model.encoder_
    lines += told(counters.missing, known.way, known.kinds_of_parts) if known else []
    lines += told_unlabelled(counters.unlabelled)
    data |= if_any(missing=counters.missing, unlabelled=counters.unlabelled, skipped=counters.skipped)
    if counters.alarms:
        lines.append(("drift", f"{len(counters.alarms):,} alarms, the last: {counters.alarms[-1]}"))
    details = [
        ("classes", listed([*map(str, classes)], 8)),
        *_mistakes(found),
        *(("drift", alarm) for alarm in counters.alarms),
    ]
    return Receipt(lines, data, details=details, warnings=doubts, scored_on=_asked(found))


def _asked(found: StreamFit) -> str:
    """Of which rows the accuracy is: where several classes would take long not of all."""
    asked, seen = found.counters.asked[0], found.counters.seen[0]
    part = "" if asked == seen else f" of {seen:,}"
    return f"{asked:,}{part} rows, each predicted before it was learnt"


def _majority(found: StreamFit) -> tuple[str, float] | None:
    """The most frequent class by its name, and its share."""
    counted, names = found.counters.majority, label_names(found.model.classes_).tolist()
    if counted is None or counted[0] in names:
        return counted
    return names[int(counted[0])], counted[1]


def _accuracy(found: StreamFit, majority: tuple[str, float] | None, doubts: list[str]) -> list[tuple[str, str]]:
    """The accuracy in the first pass, in which no row had been seen before, beside the majority class."""
    accuracy, late = found.accuracy, found.counters.late_accuracy
    lines = []
    if accuracy is not None:
        which = ", in the first pass" if len(found.mistakes) > 1 else ""
        last = "" if late is None else f"; {late:.2%} of the last {LATELY:,}"
        lines.append(("accuracy", f"{accuracy:.2%} of {_asked(found)}{which}{last}"))
    if accuracy is not None and majority is not None:
        line, loud = beside_constant("majority class", *majority, accuracy)
        lines.append(line)
        doubts += loud
    if found.risk_bound is None:
        return [*lines, ("error on new rows", "no bound: after a first pass the rows have been seen before")]
    bound = f"<= {found.risk_bound:.2%}, with probability 95%, at every moment of the pass: {_COVERED}"
    return [*lines, ("error on new rows", bound)]


def _mistakes(found: StreamFit) -> list[tuple[str, str]]:
    """The mistakes of each pass, which are those of the vector that moves."""
    lines = []
    for k, (made, n) in enumerate(zip(found.mistakes, found.counters.seen, strict=True), 1):
        share = made / max(n, 1)
        lines.append((f"mistakes, pass {k}", f"{made:,} of {n:,} rows ({share:.2%}), by the vector that moves"))
    return lines
