"""The receipt of a stream: mistakes made before each row was learnt, and what they prove."""

from __future__ import annotations

from typing import Any

from linsep.streaming.run import StreamFit
from linsep.theory.bounds.online_risk import online_risk_bound

_COVERED = (
    "for the vectors in use before each row (one of them drawn at random; twice that for their vote), not for the "
    "last or the mean vector; assumes rows drawn independently from one source"
)


def stream_receipt(run: StreamFit) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Lines for people and data for programs."""
    counters, estimator = run.counters, run.estimator
    rows, mistakes = max(counters.seen), counters.mistakes
    reason = estimator.stop_reason_
    rate = counters.rows / max(run.seconds, 1e-9)
    data: dict[str, Any] = {
        "rows": rows,
        "features": estimator.n_features_in_,
        "learner": type(estimator).__name__,
        "classes": run.labels.names(estimator.classes_).tolist(),
        "stop_reason": str(reason),
        "passes": counters.passes,
        "mistakes": mistakes,
        "updates": estimator.n_updates_,
        "seconds": round(run.seconds, 3),
        "rows_per_second": round(rate) if run.seconds else None,
        "risk_bound": None,
    }
    lines = [
        ("rows x features", f"{rows:,} x {data['features']:,}"),
        ("learner", data["learner"]),
        ("classes", ", ".join(map(str, data["classes"][:8])) + (", ..." if len(data["classes"]) > 8 else "")),
        ("stop reason", f"{reason}: {reason.sentence}"),
        (
            "passes",
            f"{counters.passes}" + (f" in {run.seconds:.2f} s, {rate:,.0f} rows a second" if run.seconds else ""),
        ),
    ]
    for k, (made, n) in enumerate(zip(mistakes, counters.seen, strict=True), 1):
        lines.append(
            (f"mistakes, pass {k}", f"{made:,} of {n:,} rows ({made / max(n, 1):.2%}), each predicted before learnt")
        )
    if len(mistakes) == 1 and rows:
        data["risk_bound"] = bound = online_risk_bound(mistakes[0], rows)
        lines.append(
            ("error on new rows", f"<= {bound:.2%}, with probability 95%, at every moment of the pass: {_COVERED}")
        )
    else:
        lines.append(("error on new rows", "no bound: after a first pass the rows have been seen before"))
    if counters.skipped:
        data["skipped"] = counters.skipped
        lines.append(("lines skipped", f"{counters.skipped:,} (malformed)"))
    lines += [("drift", alarm) for alarm in counters.alarms]
    data["drift"] = counters.alarms
    return lines, data
