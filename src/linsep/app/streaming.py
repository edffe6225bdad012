"""`linsep fit` on a stream: what is opened, what is kept, what is told."""

from __future__ import annotations

import glob
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linsep.app.labels import StreamLabels
from linsep.app.result import Result, check_writable, make_learner, program
from linsep.app.stream import Say, StreamFit
from linsep.data.encode import TableEncoder
from linsep.data.rowstream import RowStream, is_stream_only
from linsep.theory.risk import online_risk_bound
from linsep.types import DataError

_COVERED = (
    "for the vectors in use before each row (one of them drawn at random; twice that for their vote), not for the "
    "last or the mean vector; assumes rows drawn independently from one source"
)


@dataclass(frozen=True)
class StreamOptions:
    """What `fit` was asked for beside the source and the learner."""

    passes: int = 1
    classes: tuple[str, ...] | None = None
    open_classes: bool = False
    text: tuple[str, ...] = ()
    bits: int = 18


def wants_stream(table: Any, format: str | None, share: float = 0.25) -> bool:
    """Whether a source is a pipe, larger than a quarter of the free memory, or of a kind that is only read so."""
    if str(table) == "-":
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    if not isinstance(table, str | Path):
        return False
    if not Path(table).is_file() or is_stream_only(str(table), format):
        return Path(table).exists() or glob.has_magic(str(table))
    size = Path(table).stat().st_size
    free = free_memory()
    return free is not None and size > share * free


def free_memory() -> int | None:
    """Bytes that a process may still take; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def fit_stream(
    table: Any,
    options: StreamOptions,
    *,
    target: str | None,
    positive: str | None,
    learner: str,
    model: Path,
    categorical: tuple[str, ...],
    format: str | None,
    say: Say,
) -> Result:
    """Train on a stream, save the model, and make its receipt."""
    check_writable(model)
    stream = RowStream(str(table), target=target, format=format, categorical=categorical, bits=options.bits)
    if stream.kind == "table" and target is None:
        raise DataError("name the column that holds the label with --target")
    if options.passes > 1 and not stream.can_be_read_again:
        raise DataError("a pipe can be read once: leave out --passes, or write the rows to a file")
    estimator = make_learner(learner, None, None, None)
    estimator.set_params(open_classes=options.open_classes)
    labels = StreamLabels(list(options.classes) if options.classes else None, positive, options.open_classes)
    encoder = TableEncoder(bits=options.bits, text=_text_columns(options.text))
    encoder.target = target
    run = StreamFit(stream, estimator, encoder, labels, options.passes, say)
    try:
        run.run()
    except DataError as error:
        if not run.counters.rows:
            raise
        run.save(model)
        raise DataError(f"{error}; the model of the {run.counters.rows:,} rows before it is in {model}") from None
    run.save(model)
    lines, data = _receipt(run)
    lines.append(("model", f"{model} (next: {program()} show {model})"))
    said = _warnings(run)
    return Result(lines, {**data, "model": str(model)}, said, run.interrupted)


def _text_columns(given: tuple[str, ...]) -> dict[str, str]:
    """COL or COL=words1-2 as {COL: spec}."""
    pairs = [one.rpartition("=") if "=" in one else (one, "", "words") for one in given]
    return {name: spec for name, _, spec in pairs}


def _warnings(run: StreamFit) -> list[str]:
    said = []
    if run.interrupted:
        said.append(f"interrupted after {run.counters.rows:,} rows; the model so far is kept")
    if run.counters.absorbed:
        said.append(
            f"{run.counters.absorbed:,} updates no longer changed w: its entries have outgrown their digits; scale "
            "the numbers down, or let old rows fade"
        )
    return said


def _receipt(run: StreamFit) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    counters, estimator = run.counters, run.estimator
    rows, mistakes = counters.position.row, counters.mistakes
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
        "rows_per_second": round(rate),
        "risk_bound": None,
    }
    lines = [
        ("rows x features", f"{rows:,} x {data['features']:,}"),
        ("learner", data["learner"]),
        ("classes", ", ".join(map(str, data["classes"][:8])) + (", ..." if len(data["classes"]) > 8 else "")),
        ("stop reason", f"{reason}: {reason.sentence}"),
        ("passes", f"{counters.passes} in {run.seconds:.2f} s, {rate:,.0f} rows a second"),
    ]
    passed = [rows] * len(mistakes)
    for k, (made, n) in enumerate(zip(mistakes, passed, strict=True), 1):
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
    return lines, data
