"""The receipt of a stream: what was predicted wrongly before each row was learnt, and what mistakes prove."""

from __future__ import annotations

from linsep.data.features.missing import told as told_missing
from linsep.data.labels import doubt_of_labels
from linsep.data.labels import told as told_unlabelled
from linsep.markup import listed
from linsep.reporting.quality import beside_constant
from linsep.reporting.receipt import Line, Receipt, columns_line, for_people, if_any
from linsep.streaming.result import LATELY, StreamFit

_COVERED = (
    "for the vectors in use before each row (one of them drawn at random; twice that for their vote), not for the "
    "last or the mean vector; assumes rows drawn independently from one source"
)


def stream_receipt(found: StreamFit, *, predicted: bool = False) -> Receipt:
    """Ten lines for people, all the rest as details, and data for programs; rows without a label may be `predicted`."""
    counters, learner, encoder = found.counters, found.model.learner_, found.model.encoder_
    rows, classes, reason = max(counters.seen), found.model.classes_.tolist(), learner.stop_reason_
    rate = (counters.rows - found.resumed_rows) / max(found.seconds, 1e-9)
    took = f" in {found.seconds:.2f} s, {rate:,.0f} rows a second" if found.seconds else ""
    name, features, alarms = type(learner).__name__, learner.n_features_in_, counters.alarms
    passes = f"{name}, {counters.passes} pass{'es' if counters.passes != 1 else ''}{took}"
    skipped = f", {counters.skipped:,} malformed lines skipped" if counters.skipped else ""
    drift = f"{len(alarms):,} alarms, the last: {alarms[-1]}" if alarms else ""
    scored, loud = _accuracy(found)
    left_out = told_missing(counters.missing, encoder.way, encoder.made.kinds) if encoder else []
    known = [
        *for_people([("read as", found.read_as)] if found.read_as else []),
        Line("rows", "rows", rows, f"{rows:,}{skipped}"),
        Line("features", "columns", features, columns_line(encoder, features)),
        Line("learner", "learner", name, passes),
        Line("stop_reason", "stop reason", str(reason), f"{reason}: {reason.sentence}"),
        *scored,
        *for_people([*left_out, *told_unlabelled(counters.unlabelled, predicted=predicted)]),
        Line("drift", "drift" if alarms else "", alarms, drift),
        Line("classes", "classes", classes, listed([*map(str, classes)], 8), True),
        Line("passes", "", counters.passes),
        Line("late_accuracy", "", counters.late_accuracy),
        Line("mistakes", "", counters.mistakes),
        *for_people(_mistakes(found), more=True),
        Line("updates", "", learner.n_updates_),
        Line("seconds", "", round(found.seconds, 3)),
        Line("rows_per_second", "", round(rate) if found.seconds else None),
        *for_people((("drift", alarm) for alarm in alarms), more=True),
        *if_any(missing=counters.missing, unlabelled=counters.unlabelled, skipped=counters.skipped),
    ]
    return Receipt(known, warnings=doubt_of_labels(classes) + loud, scored_on=_asked(found))


def _asked(found: StreamFit) -> str:
    """Of which rows the accuracy is: where several classes would take long not of all."""
    asked, seen = found.counters.asked[0], found.counters.seen[0]
    part = "" if asked == seen else f" of {seen:,}"
    return f"{asked:,}{part} rows, each predicted before it was learnt"


def _accuracy(found: StreamFit) -> tuple[list[Line], list[str]]:
    """The accuracy in the first pass, in which no row had been seen before, beside the majority class; and doubts."""
    accuracy, late, majority = found.accuracy, found.counters.late_accuracy, found.counters.majority
    which = ", in the first pass" if len(found.mistakes) > 1 else ""
    last = "" if late is None else f"; {late:.2%} of the last {LATELY:,}"
    said = "" if accuracy is None else f"{accuracy:.2%} of {_asked(found)}{which}{last}"
    answer, share = majority or (None, None)
    beside, loud = "", list[str]()
    if accuracy is not None and majority is not None:
        (_, beside), loud = beside_constant("majority class", *majority, accuracy)
    bound = "no bound: after a first pass the rows have been seen before"
    if found.risk_bound is not None:
        bound = f"<= {found.risk_bound:.2%}, with probability 95%, at every moment of the pass: {_COVERED}"
    return [
        Line("accuracy", "accuracy" if said else "", found.counters.accuracy, said),
        Line("majority_class", "majority class" if beside else "", answer, beside),
        Line("majority_accuracy", "", share),
        Line("risk_bound", "error on new rows", found.risk_bound, bound),
    ], loud


def _mistakes(found: StreamFit) -> list[tuple[str, str]]:
    """The mistakes of each pass, which are those of the vector that moves."""
    each = enumerate(zip(found.mistakes, found.counters.seen, strict=True), 1)
    shares = [(k, f"{made:,} of {n:,} rows ({made / max(n, 1):.2%})") for k, (made, n) in each]
    return [(f"mistakes, pass {k}", f"{share}, by the vector that moves") for k, share in shares]
