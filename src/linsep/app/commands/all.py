"""What each command does, in terms of the library; nothing here parses arguments or prints."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.preprocessing import StandardScaler

from linsep.app.learners import Limits, climb_ladder, make_learner
from linsep.app.progress import EpochProgress
from linsep.app.report import check_report, page_of_check, page_of_fit, with_report
from linsep.app.result import Result as Result
from linsep.app.result import check_writable as check_writable
from linsep.app.result import program as program
from linsep.data.features.encoder import TableEncoder
from linsep.data.features.exact_decimals import ExactNumbers, exact_numbers
from linsep.data.sources.open import open_data
from linsep.data.sources.source import Source
from linsep.data.synthetic.separable import make_separable
from linsep.learners import SequenceTagger
from linsep.reporting.proof import proof_lines
from linsep.reporting.receipt import Receipt, hold_out, make_receipt
from linsep.reporting.weights import weights_of
from linsep.store import load, save
from linsep.streaming.labels import label_names
from linsep.theory.separability.decide import Separability, separability
from linsep.types import Array, DataError, StopReason, Verdict


# ------------------------------------------------------------------------ fit
def fit(
    table: Any,
    *,
    target: str | None,
    positive: str | None,
    learner: str,
    max_iter: int | None,
    time_limit: float | None,
    holdout: float,
    model: Path,
    categorical: tuple[str, ...] = (),
    format: str | None = None,
    report: Path | None = None,
    seed: int = 0,
    **options: Any,
) -> Result:
    """Encode a table, train on it with the `options` that are not None, save the model, and make its receipt."""
    check_writable(model, table)
    check_report(report, model, table)
    source = open_labelled(table, target, format, categorical)
    encoder = TableEncoder().fit(source)
    rows = encoder.transform(source)
    codes, classes = encode_labels(rows.y, positive)
    with EpochProgress(max_iter, time_limit) as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        limits = Limits(max_iter, time_limit, progress, seed)
        if learner == "auto":
            estimator, choice = climb_ladder(rows.X, codes, limits, **options)
        else:
            estimator, choice = make_learner(learner, limits, **options), Receipt([], {})
        interrupted = False
        began = time.perf_counter()
        try:
            estimator.fit(rows.X, codes)
        except KeyboardInterrupt:
            if not hasattr(estimator, "stop_reason_"):
                raise
            interrupted = True
        took = time.perf_counter() - began
        if hasattr(estimator, "verbose"):
            estimator.verbose = 0
        held_out = hold_out(estimator, rows.X, codes, holdout) if holdout and not interrupted else None
    said = [_on_the_command_line(str(w.message)) for w in caught if issubclass(w.category, ConvergenceWarning)][:1]
    if interrupted:
        when = f"in epoch {estimator.n_iter_:,}" if estimator.n_iter_ else "before the first epoch"
        said.append(f"interrupted {when}; the model so far is in {model}")
    estimator.classes_ = classes
    estimator.encoder_ = encoder
    save(estimator, model)
    receipt = make_receipt(estimator, rows.X, classes[codes], seconds=took, held_out=held_out, prove=not interrupted)
    lines = [*choice.lines, *receipt.lines, ("model", f"{model} (next: {program()} show {model})")]
    result = Result(lines, {**choice.data, **receipt.data, "model": str(model)}, said, interrupted)
    told = replace(receipt, lines=[*choice.lines, *receipt.lines])
    return with_report(result, report, page_of_fit(estimator, rows.X, classes[codes], source, told))


def _on_the_command_line(warning: str) -> str:
    """What a learner advises, in the words of this program."""
    warning = warning.replace("linsep.separability(X, y)", "`linsep check`")
    return warning.replace("max_iter or time_limit", "--max-iter or --time-limit")


def open_labelled(table: Any, target: str | None, format: str | None, categorical: tuple[str, ...]) -> Source:
    """Open a table that has labels."""
    source = open_data(table, target=target, format=format, categorical=categorical)
    if source.kind == "table" and target is None:
        raise DataError("name the column that holds the label with --target")
    unknown = [] if source.kind == "rows" else [c for c in categorical if source.read().column(c) is None]
    if unknown:
        raise DataError(f"no feature column called {unknown[0]!r} to read as categories")
    return source


def encode_labels(y: Array | None, positive: str | None) -> tuple[Array, Array]:
    """Return codes 0, 1, ... and the labels they stand for; `positive` names the label of code 1, the rest is 0."""
    if y is None:
        raise DataError("these rows have no labels: name the label column with --target")
    labels = np.unique(y)
    if labels.size == 1:
        raise DataError(f"every row has the label {labels[0]}: a separator needs rows of at least two classes")
    if positive is None:
        return np.searchsorted(labels, y), labels
    chosen = np.array([str(label) == positive for label in labels])
    if not chosen.any():
        raise DataError(f"no row has the label {positive!r}: the labels are {_listed(labels)}")
    rest = labels[~chosen][0] if labels.size == 2 else f"not {positive}"
    one = labels[chosen][0] if labels.size == 2 else positive
    return (y == labels[chosen][0]).astype(np.intp), np.array([rest, one])


def _listed(labels: Array) -> str:
    shown = ", ".join(str(label) for label in labels[:6])
    return shown + (", ..." if len(labels) > 6 else "")


# ------------------------------------------------------------- predict, score
def predict(model: Path, table: Any, output: str, *, format: str | None = None) -> list[str]:
    """Write predictions and decision values as CSV; return what there is to warn of."""
    estimator = _load_with_encoder(model)
    chunks = _encoded(estimator.encoder_, table, None, format)
    first = next(chunks)  # what is wrong with the table is said before a file is opened
    with open_output(output) as stream:
        for number, (X, _) in enumerate(chain([first], chunks)):
            z = estimator.decision_function(X).astype(np.float64)
            values = z if z.ndim == 1 else z.max(axis=1)
            written = pa.table({"prediction": estimator.predict(X).tolist(), "decision_value": values})
            write_csv(written, stream, header=number == 0)
    return _unknown(estimator.encoder_)


def score(model: Path, table: Any, *, format: str | None = None) -> Result:
    """Accuracy and the four counts behind it."""
    estimator = _load_with_encoder(model)
    classes = label_names(estimator.classes_).tolist()
    found: Counter[tuple[str, str]] = Counter()
    for X, y in _encoded(estimator.encoder_, table, estimator.encoder_.target, format):
        if y is None:
            raise DataError("these rows have no labels to compare with")
        said = label_names(estimator.predict(X)).tolist()
        truth = label_names(y).tolist()
        if classes[0] == f"not {classes[-1]}":
            truth = [label if label == classes[1] else classes[0] for label in truth]
        found.update(zip(truth, said, strict=True))
    strange = sorted({truth for truth, _ in found} - set(classes))
    if strange:
        raise DataError(f"label {strange[0]!r} is not one the model knows: {_listed(estimator.classes_)}")
    counts = {f"{a} predicted {b}": found[a, b] for a in classes for b in classes}
    rows = found.total()
    accuracy = sum(found[a, a] for a in classes) / rows
    lines = [("rows", f"{rows:,}"), ("accuracy", f"{accuracy:.2%}")]
    lines += [(name, f"{count:,}") for name, count in counts.items() if count]
    data = {"rows": rows, "accuracy": accuracy, "counts": counts}
    return Result(lines, data, _unknown(estimator.encoder_))


def _encoded(encoder: TableEncoder, table: Any, target: str | None, format: str | None) -> Iterator[tuple[Any, Any]]:
    """The rows of a later table, encoded a piece at a time, and their labels."""
    if not isinstance(table, str | Path):
        rows = encoder.transform(open_data(table, target=target, categorical=encoder.text_columns))
        yield rows.X, rows.y
        return
    encoder.start_counting()
    stream = open_data(str(table), target=target, format=format, categorical=encoder.text_columns, bits=encoder.bits)
    empty = True
    for chunk, _ in stream.chunks():
        empty = False
        yield encoder.encode_chunk(chunk), chunk.y
    if empty:
        raise DataError(f"{stream.name}: there is not one row")


def _load_rows(model: Path) -> Any:
    estimator = load(model)
    if isinstance(estimator, SequenceTagger):
        raise DataError(f"{model} holds a tagger, not a model of rows: use `linsep tag`")
    return estimator


def _load_with_encoder(model: Path) -> Any:
    estimator = _load_rows(model)
    if getattr(estimator, "encoder_", None) is None:
        raise DataError(f"{model} was not trained on a table: load it in Python with linsep.load")
    return estimator


def _unknown(encoder: TableEncoder) -> list[str]:
    """What to warn of after a later table was encoded."""
    ignored = f"{encoder.ignored_:,} columns beyond those of the training rows were left out"
    return ([ignored] if encoder.ignored_ else []) + [
        f"column {column!r}: {count:,} rows hold a category that was not there in training; they count as none"
        for column, count in encoder.unknown_.items()
        if count
    ]


@contextmanager
def open_output(name: str, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Standard output for "-", else a file that appears only when it is whole."""
    if name == "-":
        yield sys.stdout.buffer if binary else sys.stdout
        sys.stdout.flush()
        return
    path = Path(name)
    check_writable(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") if binary else partial.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_csv(table: pa.Table, stream: IO[str], *, header: bool = True) -> None:
    """Write a table as CSV; numbers with as many digits as they need to be read back the same."""
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(include_header=header, quoting_style="needed"))
    stream.write(sink.getvalue().to_pybytes().decode())


# ---------------------------------------------------------------------- check
_STATUS: dict[Verdict, int] = {"separable": 0, "quasi-separable": 1, "inseparable": 1, "undecided": 3}


def check(
    table: Any,
    *,
    target: str | None,
    positive: str | None,
    time_limit: float | None,
    certificate: Path | None = None,
    report: Path | None = None,
    categorical: tuple[str, ...] = (),
    format: str | None = None,
) -> Result:
    """Decide separability of the numbers as they are written; one class against the rest when there are several."""
    if certificate is not None:
        check_writable(certificate)
    check_report(report, certificate, table)
    source = open_labelled(table, target, format, categorical)
    numbers = exact_numbers(source)
    if numbers.y is None:
        raise DataError("these rows have no labels: name the label column with --target")
    doubts = [] if numbers.as_written else ["more digits than doubles hold: the verdict is about the nearest doubles"]
    labels = np.unique(numbers.y)
    if labels.size <= 2 or positive is not None:
        codes, classes = encode_labels(numbers.y, positive)
        found = separability(numbers.X, codes, time_limit=time_limit)
        asked = [("", found, classes[codes])]
        lines = [
            ("rows x features", "{:,} x {:,}".format(*numbers.X.shape)),
            ("classes", f"{classes[0]} (-), {classes[1]} (+)"),
            ("verdict", found.verdict),
            ("why", found.summary()),
            *proof_lines(found, numbers.names, numbers.exponents),
        ]
        data = _check_data(found, numbers, classes, target)
        status = _STATUS[found.verdict]
    else:
        lines, verdicts, asked = [], {}, []
        for label in labels:
            codes, classes = encode_labels(numbers.y, str(label))
            found = separability(numbers.X, codes, time_limit=time_limit)
            asked.append((str(label), found, classes[codes]))
            lines.append((f"{label} against the rest", found.summary()))
            verdicts[str(label)] = _check_data(found, numbers, classes, target)
        verdicts_found = {v["verdict"] for v in verdicts.values()}
        status = max(map(_STATUS.__getitem__, verdicts_found), key=(0, 3, 1).index)
        data = {"one_against_rest": verdicts}
    if certificate is not None:
        certificate.write_text(json.dumps(data, allow_nan=False) + "\n", encoding="utf-8")
        lines.append(("certificate", str(certificate)))
    result = Result(lines, data, doubts, exit_status=status)
    return with_report(result, report, page_of_check(asked, numbers, source, list(lines)))


def _check_data(found: Separability, numbers: ExactNumbers, classes: Array, target: str | None) -> dict[str, Any]:
    """The certificate, with what another program needs to find its columns and classes in the table."""
    levels = numbers.levels or {}
    columns: list[dict[str, Any]] = [
        {"column": levels[name][0], "level": levels[name][1]} if name in levels else {"column": name, "exponent": k}
        for name, k in zip(numbers.names, numbers.exponents, strict=True)
    ]
    data = {**found.to_dict(), "classes": [str(c) for c in classes], "target": target, "columns": columns}
    return data if not any(numbers.exponents) else {**data, "margin": None}  # it would be in no one's units


# ----------------------------------------------------------------- show, synth
def show(model: Path, n_weights: int) -> Result:
    """The largest weights by feature name, and how the model was made."""
    estimator = _load_rows(model)
    found = weights_of(estimator)
    W, what_they_are = found.planes, found.about
    binary = len(estimator.classes_) == 2
    labels = [f"{label}: " for label in estimator.classes_] if len(W) > 1 else [""]
    about = {
        "learner": type(estimator).__name__,
        "classes": "{} (-), {} (+)".format(*estimator.classes_) if binary else _listed(estimator.classes_),
        "stop reason": str(estimator.stop_reason_),
        "epochs": f"{estimator.n_iter_:,}",
        "features": f"{W.shape[1]:,}",
    }
    about |= what_they_are
    if len(W) and getattr(estimator, "encoder_", None) is not None:
        about["weights are per"] = "standard deviation of a number, or 1 for a category"
    if hasattr(estimator, "n_mistakes_"):
        about["mistakes"] = f"{estimator.n_mistakes_:,}"
    weights = {labels[k] + name: value for k, name, value in found.heaviest(n_weights)}
    lines = [*about.items(), *((f"  {name}", f"{value:+.6g}") for name, value in weights.items())]
    data = {
        "learner": type(estimator).__name__,
        "classes": estimator.classes_.tolist(),
        "stop_reason": str(estimator.stop_reason_),
        "epochs": estimator.n_iter_,
        "mistakes": getattr(estimator, "n_mistakes_", None),
        "features": W.shape[1],
        "intercept": estimator.intercept_.tolist() if "intercept" in what_they_are else None,
        "weights": weights,
    }
    return Result(lines, data)


def synth(rows: int, features: int, margin: float, radius: float, seed: int, output: str) -> str:
    """Write a separable table; return a sentence on the separator planted in it."""
    X, y, w, b = make_separable(rows, features, margin, radius=radius, random_state=seed)
    columns = {f"x{j + 1}": X[:, j] for j in range(features)} | {"label": y}
    with open_output(output) as stream:
        write_csv(pa.table(columns), stream)
    shown = ", ".join(f"{value:.6g}" for value in w[:5]) + (", ..." if features > 5 else "")
    return f"planted separator: w = ({shown}), b = {b:.6g}; every row is more than {margin:g} away from it"


# ----------------------------------------------------------------------- demo
def demo(folder: Path, say: Callable[[str], None]) -> Result:
    """Fit the breast-cancer table to a clean pass where scikit-learn's perceptron stops early."""
    folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    X, label = data.data, data.target_names[data.target]
    theirs = ScikitPerceptron().fit(scaled := StandardScaler().fit_transform(X), label)
    say(f"scikit-learn's Perceptron() on the standardised breast-cancer table, {X.shape[0]} x {X.shape[1]}: stops")
    say(f"after {theirs.n_iter_} epochs at {theirs.score(scaled, label):.1%} training accuracy, without a word.")
    say("linsep fits the same table until a whole pass is clean:\n")
    names = [name.replace(" ", "_") for name in data.feature_names]
    table = folder / "breast_cancer.csv"
    with open_output(str(table)) as stream:
        write_csv(pa.table({**dict(zip(names, X.T, strict=True)), "diagnosis": label}), stream)
    model = folder / "breast_cancer.linsep"
    result = fit(table, target="diagnosis", positive="benign", learner="perceptron", max_iter=None, time_limit=60.0,
                 holdout=0.2, model=model)  # fmt: skip
    assert result.data["stop_reason"] == StopReason.CLEAN_PASS
    result.closing = (
        f"\nThe table is {table}, the model {model}. Next:\n"
        f"  {program()} show {model}\n"
        f"  {program()} check {table} --target diagnosis\n"
    )
    return result
