"""Model files by somebody who knows the format: a model with one thing changed, and all digests right again.

Only the checks of `load` can refuse such a file. What loads is used: it must predict finite values, learn, be shown and
exported, or say in a sentence why not. `python tests/crafted_models.py 1000` makes that many and prints a table.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import safetensors.numpy
import scipy.sparse as sp

import linsep
from linsep import model_file
from linsep.app.commands.with_model import export as export_model
from linsep.app.commands.with_model import show

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 4))
Y2, Y3 = (X[:, 0] > 0).astype(int), np.arange(24) % 3
FRAME = pd.DataFrame({"size": X[:, 0], "age": X[:, 1], "city": ["Oslo", "Rome", "Bari"] * 8})
LABELS = np.array(["no", "yes"])[Y2]
SENTENCES, TAGS = [["dogs", "bark"], ["a", "dog"]], [["noun", "verb"], ["det", "noun"]]
# Seconds that one file may take, most of them to compile; bytes of memory beyond those at the start.
PATIENCE, MEMORY = 120, 3 << 30

Case = tuple[Any, Any, Any]


@cache
def bases() -> dict[str, Case]:
    """A model of each kind, with rows and labels that it can be used on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _bases()


def _bases() -> dict[str, Case]:
    made: dict[str, Case] = {}
    for name, y in (("two", Y2), ("three", Y3)):
        for cls in (linsep.Perceptron, linsep.AveragedPerceptron, linsep.PassiveAggressive, linsep.VotedPerceptron):
            made[f"{cls.__name__} {name}"] = (cls(max_iter=2, class_weight="balanced").fit(X, y), X, y)
        made[f"PocketPerceptron {name}"] = (linsep.PocketPerceptron(max_iter=2, random_state=0).fit(X, y), X, y)
        made[f"Rocchio {name}"] = (linsep.Rocchio().fit(X, y), X, y)
        made[f"SGDClassifier {name}"] = (linsep.SGDClassifier("logistic", eta0=0.1, max_iter=2).fit(X, y), X, y)
        made[f"KernelPerceptron {name}"] = (linsep.KernelPerceptron(degree=2).fit(X, y), X, y)
        made[f"MLP {name}"] = (linsep.MLP(3, max_iter=2, random_state=0).fit(X, y), X, y)
    sparse = sp.csr_matrix(X * (X > 0))
    made["VotedPerceptron sparse"] = (linsep.VotedPerceptron().fit(sparse, Y2), sparse, Y2)
    made["KernelPerceptron sparse voted"] = (linsep.KernelPerceptron(average="voted").fit(sparse, Y2), sparse, Y2)
    made["KernelPerceptron on a budget"] = (linsep.KernelPerceptron("rbf", budget=5, random_state=0).fit(X, Y2), X, Y2)
    named = linsep.AveragedPerceptron()
    for row, label in zip(FRAME[["size", "age"]].to_dict("records"), LABELS.tolist(), strict=True):
        named.learn_one(row, label)
    made["AveragedPerceptron named"] = (named, FRAME[["size", "age"]], LABELS)
    made["SequenceTagger"] = (linsep.SequenceTagger(random_state=0).fit(SENTENCES, TAGS), SENTENCES, TAGS)
    made["SequenceTagger hashed"] = (
        linsep.SequenceTagger(n_bits=6, random_state=0).fit(SENTENCES, TAGS),
        SENTENCES,
        TAGS,
    )
    made["TableModel"] = (linsep.TableModel(positive="yes").fit(FRAME, LABELS), FRAME, LABELS)
    days = pd.date_range("2024-01-01", periods=len(FRAME)).strftime("%d.%m.%Y")
    rich = FRAME.assign(day=days, note=["late bill", "paid", "late again"] * 8)
    encoder = linsep.TableEncoder(columns={"note": "text", "day": "date"})
    made["TableModel with dates and words"] = (linsep.TableModel(encoder=encoder).fit(rich, LABELS), rich, LABELS)
    streamed = linsep.TableModel(encoder=linsep.TableEncoder(bits=8)).partial_fit(FRAME, LABELS, classes=["no", "yes"])
    made["TableModel of a stream"] = (streamed, FRAME, LABELS)
    return made


# -------------------------------------------------------------------- crafting
def parts_of(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON of a model file, and its arrays."""
    with tempfile.TemporaryDirectory() as folder:
        linsep.save(model, f"{folder}/model", extra={"rows": 24})
        raw = Path(f"{folder}/model").read_bytes()
    end = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(json.loads(raw[8:end])["__metadata__"]["linsep"])
    return header, {name: array.copy() for name, array in safetensors.numpy.load(raw).items()}


def sealed(header: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """A file of these with the right digests, as far as the header still has places for them."""
    header = {**header, "arrays_sha256": model_file.digest(arrays)} if "arrays_sha256" in header else header
    header = {"file_sha256": "0" * 64, **{name: value for name, value in header.items() if name != "file_sha256"}}
    raw = bytearray(safetensors.numpy.save(arrays, {"linsep": json.dumps(header, separators=(",", ":"))}))
    at = raw.index(model_file._MARK) + len(model_file._MARK)
    raw[at : at + 64] = hashlib.sha256(raw).hexdigest().encode()
    return bytes(raw)


def _first(value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        changed = array.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            changed.reshape(-1)[:1] = np.array(value).astype(array.dtype)
        return changed

    return change


def _largest(array: Any) -> Any:
    return _first(np.finfo(array.dtype).max if array.dtype.kind == "f" else np.iinfo(array.dtype).max)(array)


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "cut to width 1": lambda a: a[..., :1].copy(),
    "cut to one row": lambda a: a[:1].copy(),
    "empty": lambda a: a[:0].copy(),
    "doubled": lambda a: np.concatenate([a, a]),
    "wider": lambda a: np.concatenate([a, a], axis=-1),
    "turned": lambda a: a.T.copy(),
    "flat": lambda a: a.reshape(-1).copy(),
    "one more axis": lambda a: a[None].copy(),
    "backwards": lambda a: a[::-1].copy(),
    "as float32": lambda a: a.astype(np.float32),
    "as float64": lambda a: a.astype(np.float64),
    "as float16": lambda a: a.astype(np.float16),
    "as int64": lambda a: a.astype(np.int64),
    "as int32": lambda a: a.astype(np.int32),
    "as uint8": lambda a: a.astype(np.uint8),
    "as bool": lambda a: a.astype(np.bool_),
    "NaN": _first(np.nan),
    "infinite": _first(np.inf),
    "largest": _largest,
    "1e200": _first(1e200),
    "-1": _first(-1),
    "2^31 - 5": _first(2**31 - 5),
    "zeros": np.zeros_like,
}
VALUES = [
    None, [], {}, "", "x", True, 0, -1, -5, 1.5, 7, 2**31 - 5, 2**63, 10**30, [1], [[1, 2], "a"], {"a": 1},
    {"$": ["float", "nan"]}, {"$": ["float", "inf"]}, {"$": 3}, {"$": ["tuple", 1]}, "<U999999999", "2", 2.0, 99.0,
]  # fmt: skip


def craft(header: dict[str, Any], arrays: dict[str, Any], rng: np.random.Generator) -> tuple[str, bytes]:
    """What was changed, and the file."""
    header, arrays = json.loads(json.dumps(header)), dict(arrays)
    if rng.random() < 0.5:
        name = str(rng.choice(sorted(arrays)))
        kind = str(rng.choice([*ARRAYS, "removed", "renamed"]))
        if kind in ("removed", "renamed"):
            array = arrays.pop(name)
            if kind == "renamed":
                arrays[f"{name}x"] = array
        else:
            with np.errstate(over="ignore", invalid="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arrays[name] = ARRAYS[kind](arrays[name]) if arrays[name].ndim else arrays[name] + 1
        return f"array {name} {kind}", sealed(header, arrays)
    places = list(_places(header, ()))
    *way, last = places[int(rng.integers(len(places)))]
    inside = header
    for step in way:
        inside = inside[step]
    if rng.random() < 0.25:
        del inside[last]
        return f"header {'.'.join(map(str, [*way, last]))} removed", sealed(header, arrays)
    inside[last] = VALUES[int(rng.integers(len(VALUES)))]
    return f"header {'.'.join(map(str, [*way, last]))} = {inside[last]!r:.30}", sealed(header, arrays)


def _places(inside: Any, way: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The ways to all values of a header; those of fields that are not looked into are few among many."""
    entries = inside.items() if isinstance(inside, dict) else enumerate(inside) if isinstance(inside, list) else ()
    for name, value in entries:
        if (*way, name) != ("file_sha256",):
            yield (*way, name)
            yield from _places(value, (*way, name))


# ----------------------------------------------------------------------- using
def outcome(path: Path, rows: Any, labels: Any) -> str:
    """ "refused", "behaves", or "WRONG: " and why."""
    try:
        model = linsep.load(path)
    except linsep.ModelFileError as error:
        return "refused" if "\n" not in str(error) else f"WRONG: lines in {error!r:.200}"
    except Exception as error:
        return f"WRONG: load: {_told(error)}"
    for what, use in _uses(model, path, rows, labels):
        try:
            use()
        except Exception as error:
            if not _is_sentence(error):
                return f"WRONG: {what}: {_told(error)}"
    return "behaves"


def _uses(model: Any, path: Path, rows: Any, labels: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "predict", lambda: model.predict(rows)
    if isinstance(model, linsep.SequenceTagger):
        yield "show", lambda: show(path, 5)
        yield "bounds", lambda: model.mistake_bounds(rows, labels)
        return
    yield "decision values", lambda: _finite(model.decision_function(rows))
    yield "score", lambda: model.score(rows, labels)
    yield "show", lambda: show(path, 5)
    yield "origin", lambda: linsep.read_origin(path)
    yield "export json", lambda: export_model(path, "json", f"{path}.export", "rows")
    yield "export sql", lambda: export_model(path, "sql", f"{path}.export", "rows")
    if hasattr(model, "predict_one"):
        row = rows.iloc[0].to_dict() if hasattr(rows, "iloc") else rows[0] if isinstance(rows, np.ndarray) else None
        if row is not None:
            yield "predict_one", lambda: model.predict_one(row)
            yield "learn_one", lambda: model.learn_one(row, labels[0].item())
    if hasattr(model, "partial_fit"):
        yield "partial_fit", lambda: model.partial_fit(rows, labels)
        yield "decision values afterwards", lambda: _finite(model.decision_function(rows))
    yield "save", lambda: linsep.save(model, f"{path}.again")


def _finite(values: Any) -> None:
    if not np.isfinite(values).all():
        raise ArithmeticError("a decision value is not finite")


def _is_sentence(error: Exception) -> bool:
    """Whether it is an error that users are meant to see: raised on purpose, by linsep or by scikit-learn's checks."""
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    by_linsep = f"{os.sep}linsep{os.sep}" in frames[-1]
    return isinstance(error, ValueError) and (by_linsep or any(f"{os.sep}sklearn{os.sep}utils" in at for at in frames))


def _told(error: Exception) -> str:
    at = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {error} ({Path(at.filename).name}:{at.lineno})".replace("\n", " ")[:300]


def tried(count: int, seed: int, first: int = 0) -> Iterator[tuple[int, str, str]]:
    """Number, what was changed, and what came of it; "..." before the file is used."""
    made = bases()
    packed = {name: parts_of(model) for name, (model, _, _) in made.items()}
    names = sorted(made)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for k in range(first, count):
            rng = np.random.default_rng([seed, k])
            name = names[k % len(names)]
            change, raw = craft(*packed[name], rng)
            path.write_bytes(raw)
            yield k, f"{name}: {change}", "..."
            with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                said = outcome(path, *made[name][1:])
            yield k, f"{name}: {change}", said


def in_a_child(count: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """What was changed and what came of it, each file tried in another process, which may die of it."""
    first = 0
    while first < count:
        command = [sys.executable, "-W", "ignore", __file__, str(count), "--seed", str(seed), "--first", str(first)]
        done = subprocess.run([*command, "--child"], capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        for _, change, said in lines:
            if said != "...":
                yield change, said
        if lines and lines[-1][2] == "...":
            yield lines[-1][1], f"WRONG: the process ended with {done.returncode} {done.stderr[-200:]!r}"
        elif done.returncode:
            raise RuntimeError(done.stderr)
        first = lines[-1][0] + 1


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--child", action="store_true")
    asked = parser.parse_args()
    if asked.child:
        import faulthandler

        _limit_memory()
        for found in tried(asked.count, asked.seed, asked.first):
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=2)
            print(json.dumps(found), flush=True)
        return
    counts: Counter[str] = Counter()
    for change, said in in_a_child(asked.count, asked.seed):
        counts[said.partition(":")[0]] += 1
        if said.startswith("WRONG"):
            print(f"{change}\n    {said}")
    for said in ("refused", "behaves", "WRONG"):
        print(f"{said:10} {counts[said]:6,}")


if __name__ == "__main__":
    main()
