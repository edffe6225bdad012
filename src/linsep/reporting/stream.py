"""The receipt of a stream: mistakes made before each row was learnt, and what they prove."""

from __future__ import annotations

from typing import Any

from linsep.streaming.result import StreamFit

_COVERED = (
    "for the vectors in use before each row (one of them drawn at random; twice that for their vote), not for the "
    "last or the mean vector; assumes rows drawn independently from one source"
)


def stream_receipt(found: StreamFit) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Lines for people and data for programs."""
    counters, learner = found.counters, found.model.learner_
    rows, classes, reason = max(counters.seen), found.model.classes_.tolist(), learner.stop_reason_
    rate = (counters.rows - found.resumed_rows) / max(found.seconds, 1e-9)
    data: dict[str, Any] = {
        "rows": rows,
        "features": learner.n_features_in_,
        "learner": type(learner).__name__,
        "classes": classes,
        "stop_reason": str(reason),
        "passes": counters.passes,
        "mistakes": counters.mistakes,
        "updates": learner.n_updates_,
        "seconds": round(found.seconds, 3),
        "rows_per_second": round(rate) if found.seconds else None,
        "risk_bound": found.risk_bound,
        "drift": counters.alarms,
    }
    took = f" in {found.seconds:.2f} s, {rate:,.0f} rows a second" if found.seconds else ""
    lines = [
        *([("read as", found.read_as)] if found.read_as else []),
        ("rows x features", f"{rows:,} x {data['features']:,}"),
        ("learner", data["learner"]),
        ("classes", ", ".join(map(str, classes[:8])) + (", ..." if len(classes) > 8 else "")),
        ("stop reason", f"{reason}: {reason.sentence}"),
        ("passes", f"{counters.passes}{took}"),
        *_mistakes(found),
    ]
    if counters.skipped:
        data["skipped"] = counters.skipped
        lines.append(("lines skipped", f"{counters.skipped:,} (malformed)"))
    return [*lines, *(("drift", alarm) for alarm in counters.alarms)], data


def _mistakes(found: StreamFit) -> list[tuple[str, str]]:
    """The mistakes of each pass, and the bound that follows from those of the first."""
    lines = []
    for k, (made, n) in enumerate(zip(found.mistakes, found.counters.seen, strict=True), 1):
        share = made / max(n, 1)
        lines.append((f"mistakes, pass {k}", f"{made:,} of {n:,} rows ({share:.2%}), each predicted before learnt"))
    if found.risk_bound is None:
        lines.append(("error on new rows", "no bound: after a first pass the rows have been seen before"))
    else:
        bound = f"<= {found.risk_bound:.2%}, with probability 95%, at every moment of the pass: {_COVERED}"
        lines.append(("error on new rows", bound))
    return lines
