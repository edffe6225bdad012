"""A disk that loses what was not flushed: SIGKILL alone keeps the page cache, a power cut does not.

`Disk` stands between `linsep.files` and the files. Written bytes count as kept after `os.fsync` of their file, a new
name after `os.fsync` of its folder. `die` drops some of the rest, as chance has it, and kills the process.
"""

from __future__ import annotations

import io
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linsep import files


class Disk:
    """What is not on the disk yet; `moment` is called at each point of a write where the power may go."""

    def __init__(self, chance: random.Random, moment: Callable[[], None]) -> None:
        self._chance, self.moment = chance, moment
        self._kept: dict[int, int] = {}  # bytes by inode
        self._paths: dict[int, Path] = {}
        self._renamed: list[tuple[Path, Path, bytes | None]] = []  # from, to, and what was there before
        self._fsync, self._replace = os.fsync, os.replace

    def interpose(self) -> None:
        """Stand between the one writer and the disk, in this process."""
        vars(files)["open"] = self._open
        vars(os).update(fsync=self._flush, replace=self._rename)

    def die(self) -> None:
        """Lose what the disk has not kept, then end as by a power cut."""
        for inode, path in self._paths.items():
            if path.exists() and path.stat().st_ino == inode:
                self._lose(path, self._kept.get(inode, 0))
        for source, target, before in reversed(self._renamed):
            if self._chance.random() < 0.5:
                source.write_bytes(target.read_bytes())
                if before is None:
                    target.unlink()
                else:
                    target.write_bytes(before)
        os.kill(os.getpid(), signal.SIGKILL)

    def _lose(self, path: Path, kept: int) -> None:
        """Cut the file somewhere beyond what is kept; the last bytes left may be zeros."""
        raw = path.read_bytes()
        if len(raw) > kept:
            end = self._chance.randint(kept, len(raw))
            good = self._chance.randint(kept, end)
            path.write_bytes(raw[:good] + bytes(end - good))

    def _open(self, path: Any, mode: str = "r", **named: Any) -> Any:
        if "x" not in mode or "b" not in mode:
            return open(path, mode, **named)
        file = io.FileIO(path, "x")
        self._paths[os.fstat(file.fileno()).st_ino] = Path(path)
        return _File(file, self)

    def cuts(self, n: int) -> list[int]:
        """Where a write of n bytes may be broken."""
        return sorted(self._chance.sample(range(n), min(n, 3)))

    def _flush(self, descriptor: int) -> None:
        self.moment()
        self._fsync(descriptor)
        about = os.fstat(descriptor)
        if about.st_ino in self._paths:
            self._kept[about.st_ino] = about.st_size
        else:
            self._renamed.clear()  # a folder: its names are on the disk
        self.moment()

    def _rename(self, source: Any, target: Any) -> None:
        self.moment()
        before = Path(target).read_bytes() if Path(target).exists() else None
        inode = os.stat(source).st_ino
        self._replace(source, target)
        if inode in self._paths:
            self._paths[inode] = Path(target)
        self._renamed.append((Path(source), Path(target), before))
        self.moment()


class _File:
    """A file whose writes are made in pieces, without a buffer."""

    def __init__(self, file: io.FileIO, disk: Disk) -> None:
        self._file, self._disk = file, disk

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def write(self, raw: bytes) -> int:
        for a, b in zip([0, *(cuts := self._disk.cuts(len(raw)))], [*cuts, len(raw)], strict=True):
            self._disk.moment()
            self._file.write(raw[a:b])
        self._disk.moment()
        return len(raw)

    def flush(self) -> None:
        pass

    def fileno(self) -> int:
        return self._file.fileno()
