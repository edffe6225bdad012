"""Files of a run that goes on: snapshots of the model, and checkpoints, from which a later run continues."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from filelock import FileLock, Timeout

from linsep.data.sources.seen import ChangedError
from linsep.data.sources.source import Position, Source
from linsep.files import check_output
from linsep.learners.base.loop import uninterrupted
from linsep.store import load_with_extra, save
from linsep.streaming.result import Counters
from linsep.streaming.run import StreamRun
from linsep.types import DataError

# What the entry of a model file is called that makes it a checkpoint, and the shape of that entry.
_KEY = "stream"
_SHAPE = 8


class Snapshot:
    """A file with the model so far, at the latest so many seconds after the last one if rows were learnt since."""

    says = ""  # how it is told that it was written before the end; nothing is told without it

    def __init__(self, path: Path, seconds: float) -> None:
        self.path, self._seconds = path, seconds
        self._written, self._at = 0, monotonic()

    def is_due(self, rows: int) -> bool:
        """Whether it is time to write, as so many rows are learnt now."""
        return rows > self._written and monotonic() - self._at >= self._seconds

    def write(self, run: StreamRun) -> None:
        """Write now, completely or not at all; a full disk leaves the file before as it was."""
        with uninterrupted():
            save(run.model(), self.path, extra=self.extra(run))
        self._written, self._at = run.counters.rows, monotonic()

    def extra(self, run: StreamRun) -> dict[str, Any] | None:
        """What the file holds beside the model."""
        return None


class Checkpoint(Snapshot):
    """A model file that also holds where the stream stands and what the run was asked for.

    Parameters
    ----------
    path : Path
    every : int
        Rows between two checkpoints.
    asked : dict
        The arguments that decide what is learnt; a run with others is not gone on with.
    """

    def __init__(self, path: Path, every: int, asked: dict[str, Any]) -> None:
        super().__init__(path, inf)
        self.every, self.asked = every, asked

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

    says = "checkpoint: "

    def is_due(self, rows: int) -> bool:
        """Whether enough rows have been learnt since the last one."""
        return rows - self._written >= self.every

    def write(self, run: StreamRun) -> None:
        """As any snapshot; an alarm starts afresh, so that what it says depends on where checkpoints are."""
        super().write(run)
        if run.alarm is not None:
            run.alarm.restart()

    def extra(self, run: StreamRun) -> dict[str, Any]:
        """Where the stream stands."""
        stands = {
            "shape": _SHAPE,
            "asked": self.asked,
            "files": run.source.fingerprint(),
            "read": run.source.seen.marks() if run.source.seen else {},
            "counters": run.counters.to_dict(),
        }
        return {_KEY: stands}


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


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold `path`.lock for a block, or until this process ends, however it ends."""
    lock = FileLock(path.with_name(path.name + ".lock"), mode=0o666)
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        if not Path(lock.lock_file).exists():
            raise DataError(f"cannot write {lock.lock_file}: check that its folder can be written to") from None
        raise DataError(f"another process is writing {path}: wait for it, or name another file") from None
    try:
        yield
    finally:
        lock.release()
