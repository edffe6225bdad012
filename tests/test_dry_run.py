"""`linsep fit --dry-run`: what a fit would take is said, and nothing is trained or written."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from in_process import linsep
from linsep import KernelPerceptron, Perceptron, open_data
from linsep.data.readers.csv import CsvReader
from linsep.data.sources.beginning import beginning
from linsep.data.synthetic.separable import make_separable
from linsep.learners import AveragedPerceptron
from linsep.reporting import dry_run as module
from linsep.reporting.dry_run import dry_run
from linsep.reporting.table_fit import fit_table
from linsep.types import DataError


def written(path: Path, n: int, classes: str = "ny") -> Path:
    """A table of two numbers and a label; its lines have nearly the same length."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    labels = (X[:, :1] > np.linspace(-1, 1, len(classes) + 1)[1:-1]).sum(axis=1)
    lines = [f"{a:.3f},{b:.3f},{classes[k]}" for (a, b), k in zip(X, labels, strict=True)]
    path.write_text("a,b,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "t.csv", 400)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SIZES", (1 << 10, 1 << 12))


def lines_of(text: str) -> dict[str, str]:
    return {line[:14].strip(): line[14:].strip() for line in text.splitlines()}


def test_it_says_what_a_fit_would_take_and_writes_nothing(table: Path) -> None:
    before = sorted(table.parent.iterdir())
    said = linsep("fit", table, "--target", "y", "--dry-run", "--model", table.parent / "m.linsep")
    lines = dict(line.split(maxsplit=1) for line in said.stdout.splitlines())
    assert lines["rows"] == "400"
    assert lines["features"].startswith("2; 800 numbers")
    assert "10 epochs at most of AveragedPerceptron" in lines["training"]
    assert {"starting", "reading", "encoding", "model"} <= set(lines)
    assert "; expect between " in said.stdout
    assert "this was a dry run" in lines["model"]
    assert sorted(table.parent.iterdir()) == before


def test_the_figures_add_up(table: Path) -> None:
    said = linsep("fit", table, "--target", "y", "--dry-run", "--max-iter", "7", "--holdout", "0.2", "--json")
    data = json.loads(said.stdout)
    assert data["dry_run"] is True
    assert (data["rows"], data["rows_tried"], data["features"], data["stored"]) == (400, 400, 2, 800)
    assert data["training_seconds"] == pytest.approx(7 * data["epoch_seconds"])
    parts = [data[f"{name}_seconds"] for name in ("starting", "reading", "encoding", "training", "holding_out")]
    assert data["total_seconds"] == pytest.approx(sum(parts) + data["measuring_seconds"])
    assert min(parts) > 0
    low, high = data["total_range"]
    assert low < data["total_seconds"] < high


# ------------------------------------------------------------------ a block of the rows is read
def opened(tmp_path: Path, form: str) -> Any:
    """The same 3,000 rows as a file of some kind."""
    text = written(tmp_path / "t.csv", 3000)
    if form == "csv":
        return text
    if form == "utf-16":
        (tmp_path / "u.csv").write_text(text.read_text(encoding="utf-8"), encoding="utf-16")
        return tmp_path / "u.csv"
    if form == "gz":
        (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.read_bytes()))
        return tmp_path / "t.csv.gz"
    pd.read_csv(text).to_parquet(tmp_path / "t.parquet", row_group_size=500)
    return tmp_path / "t.parquet"


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("form", "rows"), [("csv", 3000), ("utf-16", 3000), ("parquet", 3000), ("gz", 3000)])
def test_rows_are_reckoned_from_the_first_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, rows: int
) -> None:
    monkeypatch.setattr(module, "_LONG_ENOUGH", np.inf)
    source = open_data(opened(tmp_path, form), target="y")
    source.read = lambda: pytest.fail("all rows were read")  # type: ignore[method-assign]
    data = dry_run(source).data
    assert data["rows"] == pytest.approx(rows, rel=0 if form == "parquet" else 0.02)
    assert 100 < data["rows_tried"] < 500
    assert data["stored"] == pytest.approx(2 * data["rows"], abs=2)


@pytest.mark.usefixtures("small_parts")
def test_what_is_wrong_below_the_first_rows_is_not_met(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", 3000)
    with path.open("a", encoding="utf-8") as file:
        file.write("1,2,3,4,5\n")
    assert linsep("fit", path, "--target", "y", "--model", tmp_path / "m.linsep", status=2).stderr
    said = linsep("fit", path, "--target", "y", "--dry-run")
    assert "reckoned from" in lines_of(said.stdout)["rows"]
    assert "2 or more; " in said.stdout


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("is_pipe", [False, True])
def test_all_rows_are_read_where_the_first_ones_do_not_do(tmp_path: Path, is_pipe: bool) -> None:
    lines = written(tmp_path / "t.csv", 3000).read_text(encoding="utf-8").splitlines()
    by_label = "\n".join([lines[0], *sorted(lines[1:], key=lambda line: line[-1])]) + "\n"
    (tmp_path / "t.csv").write_text(by_label, encoding="utf-8")

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    source = open_data(Pipe(by_label.encode()) if is_pipe else tmp_path / "t.csv", target="y")
    data = dry_run(source).data
    assert data["rows"] == 3000
    assert data["rows_tried"] < 1000


@pytest.mark.usefixtures("small_parts")
def test_what_is_wrong_with_the_table_is_told(table: Path) -> None:
    said = linsep("fit", table, "--target", "z", "--dry-run", status=2)
    assert "'z'" in said.stderr
    said = linsep("fit", table, "--target", "y", "--dry-run", "--categorical", "c", status=2)
    assert "no feature column called 'c'" in said.stderr
    (table.parent / "one.csv").write_text("a,y\n" + "1,p\n" * 3000, encoding="utf-8")
    assert "label" in linsep("fit", table.parent / "one.csv", "--target", "y", "--dry-run", status=2).stderr


@pytest.mark.usefixtures("small_parts")
def test_how_a_file_is_written_is_found_though_the_part_ends_in_a_line(tmp_path: Path) -> None:
    rows = "\n".join(f"{k % 7},{k % 10};{'no' if k % 2 else 'yes'}" for k in range(3000))
    (tmp_path / "t.csv").write_text(f"a;y\n{rows}\n", encoding="utf-8")
    said = linsep("fit", tmp_path / "t.csv", "--target", "y", "--dry-run").stdout
    assert " ".join(said.split()).startswith("read as columns separated by ';', decimal comma")
    assert "reckoned from" in said


def test_a_part_as_large_as_a_block_ends_with_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.data.sources.blocks.TABLE_BYTES", 1 << 12)
    path = written(tmp_path / "t.csv", 3000)
    text = path.read_bytes()[: 1 << 12]
    first = beginning(open_data(path, target="y"), 1 << 12)
    assert first.source.read().n_rows == text.count(b"\n") - 1
    assert not text.endswith(b"\n")


def test_a_record_longer_than_the_part_is_read_to_its_end() -> None:
    text = b"a,y\n" + b"".join(b'"%s\n%d",%d\n' % (b"x" * 900, k, k % 2) for k in range(9))
    first = beginning(open_data(text, target="y"), 1000)
    assert first.source.read().n_rows == 1
    assert 8 < first.times < 10
    assert beginning(open_data(text, target="y"), 100_000).times == 1


# ------------------------------------------------------------------------- what the fit will do
@pytest.mark.parametrize("classes", ["ny", "abcde"])
@pytest.mark.parametrize("most", [10, 2_000_000])
def test_a_proof_is_named_where_the_fit_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, classes: str, most: int
) -> None:
    monkeypatch.setattr("linsep.reporting.receipt.PROOF_ENTRIES", most)
    path = written(tmp_path / "t.csv", 500, classes)
    found = dry_run(open_data(path, target="y"))
    lines = dict(found.lines)
    proves = fit_table(open_data(path, target="y")).receipt.data["verdict"] is not None
    assert found.data["proved"] is proves is (len(classes) == 2 and most > 10)
    assert ("scores, proof" in lines) is proves
    assert ("proves nothing" in lines["separable?"]) is not proves
    assert ("of 5 classes" in lines["separable?"]) is (len(classes) == 5)
    assert ("which takes" in lines["separable?"]) is not proves
    assert (found.data["check_seconds"] is None) is proves


@pytest.mark.parametrize(
    ("verdict", "said"), [("undecided", "does, which takes 5 s or more"), (None, "`linsep check` does")]
)
def test_a_check_of_a_part_may_take_too_long_or_be_refused(
    table: Path, monkeypatch: pytest.MonkeyPatch, verdict: str | None, said: str
) -> None:
    monkeypatch.setattr("linsep.reporting.receipt.PROOF_ENTRIES", 10)

    def check(source: Any, **asked: Any) -> Any:
        assert asked["time_limit"] == module._CHECKING
        if verdict is None:
            raise DataError("no numbers")
        return SimpleNamespace(verdict=verdict)

    monkeypatch.setattr(module, "check_table", check)
    found = dry_run(open_data(table, target="y"))
    assert dict(found.lines)["separable?"].endswith(said)
    assert found.data["check_seconds"] == (None if verdict is None else 5.0)
    assert found.data["check_seconds_at_least"] is (verdict is not None)


@pytest.mark.usefixtures("small_parts")
def test_a_part_is_proved_only_where_all_rows_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.reporting.receipt.PROOF_ENTRIES", 2000)  # of 6,000
    found = dry_run(open_data(written(tmp_path / "t.csv", 3000), target="y"))
    assert 2 * found.data["rows_tried"] < 2000
    assert found.data["proved"] is False
    assert "a table this large" in dict(found.lines)["separable?"]


def test_the_questions_of_many_classes_share_the_time_of_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def check(source: Any, *, time_limit: float, **asked: Any) -> Any:
        limits.append(time_limit)
        return SimpleNamespace(verdict="inseparable")

    monkeypatch.setattr(module, "check_table", check)
    dry_run(open_data(written(tmp_path / "t.csv", 500, "abcde"), target="y"))
    assert set(limits) == {module._CHECKING / 5}


def test_a_run_without_a_budget_has_no_length() -> None:
    X, y, *_ = make_separable(3000, 3, 0.1, random_state=0)
    found = dry_run(open_data((X, y)), Perceptron(max_iter=None))
    assert found.data["training_seconds"] is found.data["total_seconds"] is found.data["total_range"] is None
    assert "until a clean pass" in dict(found.lines)["training"]
    assert "beside the training" in dict(found.lines)["in all"]
    limited = dry_run(open_data((X, y)), Perceptron(max_iter=None, time_limit=30.0))
    assert limited.data["training_seconds"] == 30
    assert "30 s at most" in dict(limited.lines)["training"]


def test_auto_and_weights_are_taken(table: Path) -> None:
    words = ("fit", table, "--target", "y", "--dry-run")
    assert "those of its first learner" in linsep(*words, "--learner", "auto").stdout
    refused = linsep(*words, "--learner", "auto", "--class-weight", "balanced", status=2)
    assert "--class-weight is not an option" in refused.stderr
    assert "AveragedPerceptron" in linsep(*words, "--class-weight", "y=2", "--class-weight", "n=1").stdout


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("n", [60, 3000])
def test_columns_that_are_no_features_are_taken_out(tmp_path: Path, n: int) -> None:
    frame = pd.read_csv(written(tmp_path / "t.csv", n))
    frame.assign(w=1.5, g=np.arange(n) % 9).to_csv(tmp_path / "t.csv", index=False)
    words = ("fit", tmp_path / "t.csv", "--target", "y", "--dry-run", "--json")
    data = json.loads(linsep(*words, "--sample-weight", "w", "--group", "g", "--holdout", "0.3").stdout)
    assert data["features"] == 2
    assert data["holding_out_seconds"] > 0


def test_a_table_that_would_be_a_stream_is_said_to_be(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linsep.app.commands.fit.wants_stream", lambda table, query: True)
    said = linsep("fit", table, "--target", "y", "--dry-run")
    assert "without --no-stream this table is learnt as a stream" in said.stdout


def test_streams_are_refused(table: Path) -> None:
    said = linsep("fit", table, "--target", "y", "--dry-run", "--stream", status=2)
    assert "not of a stream" in said.stderr
    said = linsep("fit", table, "--target", "y", "--dry-run", "--passes", "2", status=2)
    assert "--dry-run conflicts with: --passes" in said.stderr


# ------------------------------------------------------------------------------ what is reckoned
class Clock:
    """A clock that only moves where a fit that is none says so."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


def forecast(monkeypatch: pytest.MonkeyPatch, path: Path, power: float, learner: Any, compiling: float = 0.0) -> Any:
    """A dry run: a row is read in 0.1 ms, encoded in 1, learnt in 0.01, checked in 2, measured in rows ** power us."""
    clock = Clock()
    fits: list[int] = []

    def fit(source: Any, learner: Any, *, on_step: Any, times: float) -> Any:
        X = source.read()
        n = X.n_rows
        for step, seconds in [
            ("encoding", 1e-3 * n),
            ("compiling", 0.0 if fits else compiling),
            ("training", 1e-5 * n * learner.max_iter),
            ("proving", 1e-6 * n**power),
        ]:
            on_step(step)
            clock.now += seconds
        fits.append(n)
        model = SimpleNamespace(learner_=learner, classes_=["n", "y"])
        learner.n_iter_ = learner.max_iter
        receipt = SimpleNamespace(data={"verdict": None})
        return SimpleNamespace(rows=np.zeros((n, 2)), model=model, receipt=receipt, interrupted=False, source=source)

    def check(source: Any, **asked: Any) -> Any:
        clock.now += 2e-3 * source.read().n_rows
        return SimpleNamespace(verdict="inseparable")

    read_all = CsvReader.whole

    def whole(reader: CsvReader, pieces: Any) -> Any:
        found = read_all(reader, pieces)
        assert found.chunk.y is not None
        clock.now += 1e-4 * len(found.chunk.y)
        return found

    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "fit_table", fit)
    monkeypatch.setattr(module, "check_table", check)
    monkeypatch.setattr(module, "_SIZES", (1 << 12, 1 << 14))
    monkeypatch.setattr("linsep.data.sources.of_text.time", clock)
    monkeypatch.setattr(CsvReader, "whole", whole)
    return dry_run(open_data(path, target="y"), learner, started=2.0)


def test_what_grows_with_the_rows_is_reckoned_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "t.csv", 20_000)
    found = forecast(monkeypatch, path, 1.2, AveragedPerceptron(max_iter=50), compiling=8.0)
    assert found.data["rows_tried"] < 2000
    assert found.data["reading_seconds"] == pytest.approx(2, rel=0.02)
    assert found.data["encoding_seconds"] == pytest.approx(20, rel=0.02)
    assert found.data["training_seconds"] == pytest.approx(50 * 0.2, rel=0.02)
    assert found.data["measuring_seconds"] == pytest.approx(1e-6 * 20_000**1.2, rel=0.03)
    assert found.data["compiling_seconds"] == pytest.approx(8)
    assert found.data["starting_seconds"] == pytest.approx(2 + module._LOADING)
    assert "compiling took 8 s more just now" in dict(found.lines)["starting"]
    assert found.data["check_seconds"] == pytest.approx(2 + module._LOADING + 2 + 40, rel=0.02)
    assert "`linsep check` does, which takes about 45 s" in dict(found.lines)["separable?"]
    assert dict(found.lines)["in all"] == "about 35 s; expect between 17 s and 70 s"


@pytest.mark.parametrize(("learner", "power"), [(AveragedPerceptron(), 1.3), (KernelPerceptron("rbf", max_iter=2), 2)])
def test_only_kernels_are_taken_to_grow_with_the_square(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learner: Any, power: float
) -> None:
    path = written(tmp_path / "t.csv", 20_000)
    data = forecast(monkeypatch, path, 2.0, learner).data
    n = data["rows_tried"]
    assert data["total_range"][1] == pytest.approx((4 if power == 2 else 2) * data["total_seconds"])
    assert data["measuring_seconds"] == pytest.approx(1e-6 * n**2 * (20_000 / n) ** power, rel=0.05)


def test_rows_that_no_part_holds_are_read_as_a_whole(tmp_path: Path) -> None:
    """Several files, of which the first may be empty, and a cell longer than the parts."""
    (tmp_path / "f1.csv").write_text("a,y\n")
    (tmp_path / "h.csv").write_text("a,y\n" + "1,p\n2,q\n" * 100)
    files: Any = [str(tmp_path / name) for name in ("f1.csv", "h.csv")]
    long = tmp_path / "long.csv"
    long.write_text('a,y\n"' + "w z\n" * 100_000 + '",p\n' + "v,p\nw,q\n" * 100)
    assert dry_run(open_data(str(long), target="y")).data["rows"] == 201
    (tmp_path / "f1.csv").write_text("a,y\n1,p\n")
    assert dry_run(open_data(files, target="y")).data["rows"] == 201
