"""From a file to a model in one pass and in constant memory: text, CSV, Parquet, and a pipe that does not end.

Contestants run in processes of their own, one after the other: seconds are those of the work after the imports and
after one pass over a thousand rows; what the system took of those of the processor, to read the file and to hand out
memory, is given beside. Memory is the peak of the whole process above what the imports alone take; what the
first thousand rows took of it is given beside (for linsep nearly all is Numba, which loads LLVM and its own modules at
the first compiled call). Writing the files is not timed.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import loaders
from benchmarks.last import Ratio
from benchmarks.parts import row_of_parts
from benchmarks.timing import RUNS, Report, show
from linsep import Perceptron, TableEncoder, fit_stream
from linsep.data.features import fitted_columns
from linsep.data.inputs import ByteStream
from linsep.data.readers import csv
from linsep.data.readers import lines as blocks
from linsep.streaming.run import StreamRun

# Not ru_maxrss: a process begins with that of the one that started it.
PEAK = """
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
"""
MEASURE = """
import json, os, sys, time, warnings
warnings.simplefilter("ignore")
{peak}
{imports}
bare = peak()
def work(path):
    {work}
{warm}
loaded = peak()
began, cpu, handed = time.perf_counter(), time.process_time(), os.times().system
work(sys.argv[1])
took, used, system = time.perf_counter() - began, time.process_time() - cpu, os.times().system - handed
print(json.dumps([took, used, system, peak() - bare, loaded - bare, globals().get("own", 0)]))
"""
LINSEP = """
from linsep import fit_stream, save
def linsep(path, target):
    save(fit_stream(path, target=target).model, path + ".linsep")
"""
TABLES = """
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Perceptron
from sklearn.preprocessing import OneHotEncoder, StandardScaler
def fit(d, target):
    y = d.pop(target)
    text = d.select_dtypes(exclude="number").columns
    numbers = [c for c in d if c not in set(text)]
    X = make_column_transformer((OneHotEncoder(), text), (StandardScaler(), numbers)).fit_transform(d)
    return Perceptron(max_iter=1, tol=None).fit(X, y)
"""
WHOLE = """
from linsep import Perceptron, TableEncoder, open_data
def linsep(path, target):
    global own
    source = open_data(path, target=target)
    rows = source.read() if target is None else TableEncoder().fit(source).transform(source)
    X, y = rows.X, rows.y
    own = (sum(a.nbytes for a in ((X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,))) + y.nbytes) / 2**20
    return Perceptron(max_iter=1).fit(rows.X, rows.y)
"""
# As many megabytes as the arrays of the rows take, written to memory that the process has not had before.
NEW_MEMORY = """
import numpy as np
def fresh(megabytes):
    np.ones(int(float(megabytes) * 2**17))
"""
SVMLIGHT = """
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
"""


ONE_PASS = "From a file to a model, one pass"
READ_WHOLE = "From a file to a model, read whole"
# What is wanted beside scikit-learn on svmlight, Vowpal Wabbit, pandas on CSV and on Parquet.
WANTED = (10.0, 1.5, 4.0, 4.0)


PARTS: dict[str, tuple[Any, str]] = {
    "file read in blocks": (blocks, "_filled"),
    "text checked": (csv, "check_text"),
    "Arrow": (csv, "_parse"),
    "cells numbered": (csv.CsvReader, "_numbered"),
    "numbers of cells": (csv, "kept_column"),
    "kinds and sizes checked": (StreamRun, "check"),
    "means, scales, hashes": (TableEncoder, "learn_chunk"),
    "rows learnt": (StreamRun, "_learn_rows"),
}
PARTS_OF_CSV: dict[str, tuple[Any, str]] = {
    "file read": (ByteStream, "read_all"),
    "text checked": (csv, "check_text"),
    "beginning looked at": (csv, "_few_texts"),
    "cells numbered": (csv, "_numbered"),
    "numbers of cells": (csv, "kept_column"),
    "kinds, levels, means": (TableEncoder, "fit_chunk"),
    "rows encoded": (fitted_columns, "_sparse_rows"),
    "epoch": (Perceptron, "fit"),
}


class Measured(NamedTuple):
    """Seconds by the clock, of the processor and of these the system's; peak megabytes above the imports, in all and
    of the first rows.

    `own` is what the rows that were read take as arrays, 0 where they are not kept.
    """

    seconds: float
    cpu: float
    system: float
    peak: float
    loaded: float
    own: float

    def __str__(self) -> str:
        return f"{show(self.seconds)} ({show(self.cpu)} CPU, the system's {show(self.system)}), {self.peak:.0f} MB"


class Runner(NamedTuple):
    """A contestant: what it imports, what it does with a file, and the few rows that it may try first."""

    imports: str
    work: str
    warm: Path | None = None

    def run(self, given: object) -> Measured:
        """One run in a process of its own, which is given a path, or what else the work asks for."""
        warm = "" if self.warm is None else f"work({str(self.warm)!r})"
        script = MEASURE.format(peak=PEAK, imports=self.imports, work=self.work, warm=warm)
        done = subprocess.run([sys.executable, "-c", script, str(given)], check=True, capture_output=True, text=True)
        return Measured(*json.loads(done.stdout.splitlines()[-1]))


def streams(report: Report) -> None:
    """The table of one pass, and a pipe of ten million rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _text(report, folder, LINSEP, ONE_PASS)
        _tables(report, folder, LINSEP, ONE_PASS)
        _memory(report, folder)
        fit = partial(fit_stream, folder / "census.csv", target="target")
        row_of_parts(report, "Parts of a stream", ("file", "Census-Income as CSV"), fit, PARTS)
    pipe(report, 10_000_000)


def readers(report: Report) -> None:
    """The same files read whole, and one epoch."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _text(report, folder, WHOLE, READ_WHOLE)
        _tables(report, folder, WHOLE, READ_WHOLE)
        given: dict[str, Any] = {}
        exec(WHOLE, given)  # the very lines that ran in processes of their own
        work = partial(given["linsep"], folder / "census.csv", "target")
        row_of_parts(report, "Parts of a table read whole", ("file", "Census-Income as CSV"), work, PARTS_OF_CSV)


def endless(report: Report) -> None:
    """A pipe of a hundred million rows."""
    pipe(report, 100_000_000)


def _race(
    report: Report, title: str, work: str, ours: Runner, path: Path, peers: list[tuple[str, Runner, Path, float, str]]
) -> None:
    """Run all in turn; wanted are a ratio of times and a share of the peer's memory."""
    runners = [(ours, path), *((runner, file) for _, runner, file, _, _ in peers)]
    runs: list[list[Measured]] = [[] for _ in runners]
    new: list[float] = []
    for _ in range(RUNS):
        for (runner, file), found in zip(runners, runs, strict=True):
            found.append(runner.run(file))
        if own := runs[0][-1].own:
            new.append(Runner(NEW_MEMORY, "fresh(path)").run(own).seconds)
    here, *others = (Measured(*map(median, zip(*found, strict=True))) for found in runs)
    seconds = [[run.seconds for run in found] for found in runs]
    for (peer, _, _, wanted, share), there, theirs in zip(peers, others, seconds[1:], strict=True):
        cells = {
            "work": work,
            "linsep": f"{here} ({here.loaded:.0f} of them after a first thousand rows)",
            "peer": f"{peer}: {there}",
            "ratio": Ratio(seconds[0], theirs, after=f" ({there.cpu / here.cpu:.2f} x CPU)"),
            "wanted": f"{wanted:g} x",
            "memory": f"1/{there.peak / here.peak:.1f}{share}; 1/{_more(there) / _more(here):.1f} beyond a first fit"
            if share
            else f"{there.peak / here.peak:.2f} x",
        }
        if here.own:  # what a first fit takes is Numba's and LLVM's, whatever the rows
            cells["of the rows"] = f"{here.peak - here.loaded:.0f} MB beyond a first fit"
            cells["at most"] = f"{here.own:.0f} MB of arrays and 100 MB"
            cells["as many bytes written to new memory"] = show(median(new))
        figures = {"work": work, "peer": peer, "wanted": wanted, "linsep": here._asdict(), "theirs": there._asdict()}
        report.row(title, cells, figures)


def _more(measured: Measured) -> float:
    """Megabytes that the file takes beside what a first fit of a thousand rows took."""
    return max(measured.peak - measured.loaded, 0.1)


def _text(report: Report, folder: Path, linsep: str, title: str) -> None:
    X, y = loaders().flights_3m()
    rows = np.sort(X.indices.reshape(len(y), -1), axis=1) + 1
    for name, form in (("flights.svm", "{} "), ("flights.vw", "{} | ")):
        with (folder / name).open("w") as file:
            for label, row in zip(y.tolist(), rows.tolist(), strict=True):
                file.write(form.format(label) + " ".join(f"{j}:1" for j in row) + "\n")
        with (folder / name).open() as file:
            (folder / f"few-{name}").write_text("".join(next(file) for _ in range(1000)))
    size = (folder / "flights.svm").stat().st_size / 1e6
    work = f"flights as svmlight text, {size:.0f} MB, {len(y):,} rows"
    scikit = Runner(
        SVMLIGHT,
        "X, y = load_svmlight_file(path); X.indices = X.indices.astype('i4'); X.indptr = X.indptr.astype('i4'); "
        "Perceptron(max_iter=1, tol=None).fit(X, y)",
        folder / "few-flights.svm",
    )
    vowpal = Runner(
        "from vowpalwabbit import Workspace",
        "Workspace(f'-d {path} -f {path}.model --loss_function hinge', quiet=True).finish()",
        folder / "few-flights.vw",
    )
    share = " (1/10 wanted)" if title == ONE_PASS else ""
    peers: list[Any] = [
        ("scikit-learn load_svmlight_file, Perceptron", scikit, folder / "flights.svm", WANTED[0], share),
        ("Vowpal Wabbit, its own text", vowpal, folder / "flights.vw", WANTED[1], ""),
    ]
    ours = Runner(linsep, "linsep(path, None)", folder / "few-flights.svm")
    _race(report, title, work, ours, folder / "flights.svm", peers)


def _tables(report: Report, folder: Path, linsep: str, title: str) -> None:
    import pandas as pd

    census, income = loaders().census_kdd("train")
    census.columns = [f"c{j}" for j in census.columns]
    census["target"] = income
    census.to_csv(folder / "census.csv", index=False)
    census[:1000].to_csv(folder / "few.csv", index=False)
    raw = pd.read_parquet(loaders().P("npm/vega-datasets/data/flights-3m.parquet"))
    late = (raw.delay > 15).astype("int8")
    columns = {"origin": raw.origin.astype(str), "destination": raw.destination.astype(str)}
    clock = {"hour": raw.date.dt.hour, "month": raw.date.dt.month, "distance": raw.distance}
    flights = pd.DataFrame({**columns, **clock, "target": late})
    flights.to_parquet(folder / "flights.parquet")
    flights[:1000].to_parquet(folder / "few.parquet")
    less = " (1/5 wanted)" if title == ONE_PASS else ""
    for work, name, wanted, share in (
        (f"Census-Income as CSV, {len(census):,} x 40", "census.csv", WANTED[2], less),
        (f"flights as Parquet, {len(flights):,} rows, raw columns", "flights.parquet", WANTED[3], ""),
    ):
        few = folder / f"few{Path(name).suffix}"
        read = f"pd.read_{name.partition('.')[2]}"
        peer = Runner(TABLES, f"fit({read}(path), 'target')", few)
        peers: list[Any] = [("pandas, OneHotEncoder, Perceptron", peer, folder / name, wanted, share)]
        _race(report, title, work, Runner(linsep, "linsep(path, 'target')", few), folder / name, peers)


def _memory(report: Report, folder: Path) -> None:
    """The peak of one pass over each file, plain and compressed, two classes and 2^18 columns."""
    import pandas as pd

    pd.read_csv(folder / "census.csv", keep_default_na=False).to_json(
        folder / "census.jsonl", orient="records", lines=True
    )
    for name in ("flights.svm", "flights.vw", "census.csv", "census.jsonl", "flights.parquet"):
        target = None if name in ("flights.svm", "flights.vw") else "target"
        learn = Runner(LINSEP.replace('"perceptron"', '"averaged"'), f"linsep(path, {target!r})")
        paths = [folder / name]
        if not name.endswith(".parquet"):
            paths.append(folder / f"{name}.gz")
            with paths[0].open("rb") as plain, gzip.open(paths[1], "wb", 1) as pressed:
                shutil.copyfileobj(plain, pressed)
        for path in paths:
            found = learn.run(path)
            cells = {
                "file": f"{path.name}, {path.stat().st_size / 1e6:.0f} MB",
                "above the imports": f"{found.peak:.0f} MB",
            }
            report.row("Peak memory of one pass, averaged perceptron", cells, {"file": path.name, "mb": found.peak})


WRITER = """
import sys, numpy as np
rng = np.random.default_rng(0)
X = rng.integers(1, 1000, (100_000, 4)).cumsum(axis=1)
y = np.where(X[:, 0] + rng.normal(0, 200, 100_000) > 500, "1", "-1")
text = "".join(f"{label} " + " ".join(f"{j}:1" for j in row) + "\\n" for label, row in zip(y, X.tolist())).encode()
for _ in range(int(sys.argv[1]) // 100_000):
    sys.stdout.buffer.write(text)
"""
READER = (
    PEAK
    + """
import sys, time
from linsep.app import cli
sys.argv = ["linsep", "fit", "-", "--read", "format=svmlight", "--model", sys.argv[1]]
began = time.perf_counter()
try:
    cli.main()
finally:
    print(time.perf_counter() - began, peak())
"""
)


def pipe(report: Report, rows: int) -> None:
    """Rows made by one process and learnt by another."""
    with tempfile.TemporaryDirectory() as folder:
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(rows)], stdout=subprocess.PIPE)
        reader = [sys.executable, "-c", READER, f"{folder}/model"]
        done = subprocess.run(reader, stdin=writer.stdout, check=True, capture_output=True, text=True)
        writer.wait()
    took, peak = map(float, done.stdout.split()[-2:])
    cells = {
        "rows": f"{rows:,}",
        "seconds": show(took),
        "rows a second": f"{rows / took:,.0f}",
        "peak": f"{peak:.0f} MB",
    }
    report.row("A pipe without end: peak memory of the whole process", cells, {"rows": rows, "s": took, "mb": peak})
