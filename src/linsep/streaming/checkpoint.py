"""Checkpoints of a stream: written whole or not at all, by one process at a time, and gone on from after a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from linsep.files import check_output
from linsep.store import load_with_extra
from linsep.streaming.progressive import lay_out
from linsep.streaming.run import Counters, Say, StreamFit
from linsep.types import Array, DataError

fcntl: Any = None
with suppress(ImportError):  # no such locks on Windows
    fcntl = import_module("fcntl")


class Checkpoint:
    """The learner, its encoder and its counters in a model file, with what the run was asked for."""

    def __init__(self, path: Path, every: int, options: dict[str, Any], say: Say, after: Callable[[], None]) -> None:
        check_output(path, "the checkpoint")
        if path.exists() and not path.is_file():
            raise DataError(f"{path} is no ordinary file: name a file for --checkpoint")
        self.path, self.every, self.options, self._say, self._after = path, every, options, say, after
        self._lock = _lock(path)
        self._written = 0

    def close(self) -> None:
        """Let other processes have the file."""
        os.close(self._lock)

    def resume(self, run: StreamFit) -> bool:
        """Take up what an earlier run left; whether there was anything."""
        if not run.stream.can_be_read_again:
            raise DataError(
                "a pipe cannot be read again after a crash, so a checkpoint of it would be of no use: write the rows "
                "to a file, or leave out --checkpoint"
            )
        if not self.path.exists():
            return False
        model, extra = load_with_extra(self.path)
        kept = extra.get("stream")
        if kept is None:
            raise DataError(f"{self.path} is a model, but no checkpoint: name another file for --checkpoint")
        self._compare(kept, run)
        learner, run.encoder = model.learner_, model.encoder_
        lay_out(learner)
        run.estimator = learner
        run.labels.resume(learner)
        run.counters = Counters.from_dict(kept["counters"])
        run.stream.skipped = run.counters.skipped
        run.stream.check = run.encoder.check_chunk
        self._written = run.counters.rows
        return True

    def _compare(self, kept: dict[str, Any], run: StreamFit) -> None:
        """The run must be the one that was begun, over the files it was begun with."""
        for name, value in self.options.items():
            if kept["options"].get(name) != value:
                raise DataError(
                    f"{self.path} belongs to a run with {name} = {kept['options'].get(name)!r}, not {value!r}: "
                    "repeat that command, or name another file for --checkpoint"
                )
        if kept["files"] != run.stream.fingerprint():
            raise DataError(f"{self.path}: the files have changed since: delete it to begin again")

    def after_chunk(self, run: StreamFit, wrong: Array) -> None:
        """Write if it is time."""
        if run.counters.rows - self._written >= self.every:
            self.write(run)
            self._say(f"checkpoint: {self.path} holds the first {run.counters.rows:,} rows")

    def write(self, run: StreamFit) -> None:
        """Write now; a full disk leaves the checkpoint before as it was."""
        run.save(
            self.path,
            {"options": self.options, "files": run.stream.fingerprint(), "counters": run.counters.to_dict()},
        )
        self._written = run.counters.rows
        self._after()


def _lock(path: Path) -> int:
    """Hold `path`.lock until this process ends, however it ends."""
    lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o666)
    if fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise DataError(f"another process is writing {path}: wait for it, or name another file") from None
    return lock
