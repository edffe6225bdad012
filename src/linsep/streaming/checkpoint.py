"""Checkpoints of a stream: written whole or not at all, by one process at a time, and gone on from after a crash.

How often one is written is `checkpoint_rows` of `fit_stream` (`--set checkpoint_rows` on the command line).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from linsep.data.sources.seen import ChangedError
from linsep.data.sources.source import Position, Source
from linsep.files import check_output
from linsep.store import load_with_extra, save
from linsep.streaming.progressive import Learnt
from linsep.streaming.result import Counters
from linsep.streaming.run import StreamRun
from linsep.types import DataError

# What the entry of a model file is called that makes it a checkpoint, and the shape of that entry.
_KEY = "stream"
_SHAPE = 7


class Checkpoint:
    """A model file that also holds where the stream stands and what the run was asked for.

    Parameters
    ----------
    path : Path
    every : int
        Rows between two checkpoints.
    asked : dict
        The arguments that decide what is learnt; a run with others is not gone on with.
    after : callable, optional
        Called after each checkpoint.
    """

    def __init__(self, path: Path, every: int, asked: dict[str, Any], after: Callable[[], None] | None = None) -> None:
        self.path, self.every, self.asked, self._after = path, every, asked, after
        self._written = 0
        self._lock = _lock_of(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def resume(self, run: StreamRun) -> None:
        """Set the run to where an earlier one stopped; nothing happens if there was none."""
        if not self.path.exists():
            return
        model, extra = load_with_extra(self.path)
        kept = extra.get(_KEY)
        if kept is None:
            raise DataError(f"{self.path} is a model, but no checkpoint: name another file for the checkpoint")
        if kept.get("shape") != _SHAPE:
            raise DataError(
                f"{self.path} is a checkpoint of another version of linsep: finish that run with the version that "
                "began it, or delete the file to begin again"
            )
        self._compare(kept, run)
        run.resume(model.learner_, model.encoder_, Counters.from_dict(kept["counters"]))
        self._written = run.counters.rows

    def _compare(self, kept: dict[str, Any], run: StreamRun) -> None:
        """The run must be the one that was begun, over the files it was begun with."""
        for name, value in self.asked.items():
            if kept["asked"].get(name) != value:
                raise DataError(
                    f"{self.path} belongs to a run with {name} = {kept['asked'].get(name)!r}, not {value!r}: "
                    "repeat that run, or name another file for the checkpoint"
                )
        if kept["files"] != run.source.fingerprint():
            raise DataError(f"{self.path}: {run.source.changed} since: delete it to begin again")
        try:
            run.source.go_on_from(Position(*kept["counters"]["position"]), kept["read"])
        except ChangedError as error:
            changed = f"{run.source.changed} since {self.path}"
            raise DataError(f"{error}: {changed}: delete it to begin again") from None

    def after_chunk(self, run: StreamRun, learnt: Learnt) -> None:
        """Write a checkpoint if enough rows have been learnt since the last one."""
        if run.counters.rows - self._written >= self.every:
            self.write(run)
            run.say(f"checkpoint: {self.path} holds the first {run.counters.rows:,} rows")

    def write(self, run: StreamRun) -> None:
        """Write a checkpoint now; a full disk leaves the one before as it was."""
        stands = {
            "shape": _SHAPE,
            "asked": self.asked,
            "files": run.source.fingerprint(),
            "read": run.source.seen.marks() if run.source.seen else {},
            "counters": run.counters.to_dict(),
        }
        save(run.model(), self.path, extra={_KEY: stands})
        self._written = run.counters.rows
        if self._after is not None:
            self._after()


def check_place(path: Path, source: Source) -> None:
    """Raise DataError unless a checkpoint can be written there, replaces nothing that is read, and is of use."""
    if not source.can_be_read_again:
        raise DataError(
            "a pipe cannot be read again after a crash, so a checkpoint of it would be of no use: write the rows "
            "to a file, or leave out the checkpoint"
        )
    for name in (path, path.with_name(path.name + ".lock")):
        check_output(name, "the checkpoint", reads=tuple(source.files))
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is a device or a pipe: a checkpoint needs an ordinary file to go on from")


def _lock_of(path: Path) -> FileLock:
    """Hold `path`.lock until it is released, or until this process ends, however it ends."""
    lock = FileLock(path.with_name(path.name + ".lock"), mode=0o666)
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        if not Path(lock.lock_file).exists():
            raise DataError(f"cannot write {lock.lock_file}: check that its folder can be written to") from None
        raise DataError(f"another process is writing {path}: wait for it, or name another file") from None
    return lock
