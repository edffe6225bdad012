"""The one writer: a file is written completely or not at all, and no input is replaced."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from linsep.types import DataError

Name = str | os.PathLike[str]

# Written beside the file and renamed over it. What a killed process has left is removed by a later one after a day.
_TEMP = re.compile(r"\.linsep-[0-9a-f]{16}\.tmp")
_STALE_SECONDS = 86_400.0
_ADVICE = "check that the folder exists, is writable and has room"


def unreadable(name: str, error: OSError) -> str:
    """Return one plain sentence on a file that could not be read, in place of what the system says.

    What the library has put in words itself stays as it is.

    Examples
    --------
    >>> import errno
    >>> unreadable("m.linsep", FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    'm.linsep: there is no file of that name'
    """
    if error.errno is None or error.strerror != os.strerror(error.errno):
        return f"{name}: {error.strerror or error}"
    if isinstance(error, FileNotFoundError):
        return f"{name}: there is no file of that name"
    if isinstance(error, IsADirectoryError):
        return f"{name} is a folder: name a file in it"
    if isinstance(error, PermissionError):
        return f"{name}: you have no permission to read this file"
    return f"{name} cannot be read: {error.strerror}"


@contextmanager
def open_output(
    path: Name, what: str = "the file", *, binary: bool = False, reads: tuple[Any, ...] = (), grows: bool = False
) -> Iterator[IO[Any]]:
    """Open a file to write; it gets its name at the end of the block, and does not appear after an error.

    A symbolic link stays a link: the file that it names is replaced. A device or a pipe is written into, since it
    cannot be replaced. Temporary files that killed processes have left in the folder are removed after a day.

    Parameters
    ----------
    path : str or PathLike
        Where to write; "-" is standard output.
    what : str
        What the file is, for messages: "the model".
    binary : bool, default=False
        Bytes instead of UTF-8 text.
    reads : tuple
        What the same command reads: paths are compared with `path`, "-" is the file that standard input comes from;
        anything else is ignored.
    grows : bool, default=False
        The file has its name from the beginning, for those who read it while it is written.

    Yields
    ------
    file

    Raises
    ------
    DataError
        `path` is a folder, lies in no folder, or is one of `reads`.
    OSError
        The file cannot be written; a file there before is as it was.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_output(f"{folder}/three") as file:
    ...         _ = file.write("123")
    ...     len(Path(f"{folder}/three").read_bytes())
    3
    """
    if str(path) == "-":
        yield sys.stdout.buffer if binary else sys.stdout
        sys.stdout.flush()
        return
    check_output(path, what, reads=reads)
    mode: dict[str, Any] = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": ""}
    if grows or _is_written_into(path):
        with _explained(Path(path), what, Path(path)), open(path, **mode) as file:
            yield file
        return
    whole = Path(os.path.realpath(path))
    _remove_orphans(whole.parent)
    temp = whole.with_name(f".linsep-{secrets.token_hex(8)}.tmp")
    # "x" with the default mode: the permissions are those the umask gives any new file.
    mode["mode"] = mode["mode"].replace("w", "x")
    try:
        with _explained(whole, what, temp):
            with open(temp, **mode) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temp, whole)
    finally:
        temp.unlink(missing_ok=True)
    # The new name must reach the disk too. Not every system can flush a folder; the file is whole either way.
    with suppress(OSError):
        folder = os.open(whole.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_whole(path: Name, raw: bytes, what: str) -> None:
    """Write a file in one step: a reader finds the old one or the new one.

    Parameters
    ----------
    path : str or PathLike
        As in `open_output`.
    raw : bytes
        All that the file will hold.
    what : str
        What the file is, for messages: "the model".

    Raises
    ------
    DataError, OSError
        As in `open_output`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/three", b"123", "the number")
    ...     len(Path(f"{folder}/three").read_bytes())
    3
    """
    with open_output(path, what, binary=True) as file:
        file.write(raw)


def check_output(path: Name, what: str = "the file", *, reads: tuple[Any, ...] = ()) -> None:
    """Raise `DataError` if `path` could not be written or is one of `reads`: asked before hours of work.

    Parameters
    ----------
    path : str or PathLike
        Where something will be written; "-" is standard output, which is always possible.
    what : str
        What the file is, for messages.
    reads : tuple
        What the same command reads, or writes too: paths are compared, anything else is ignored.
    """
    if str(path) == "-":
        return
    for other in reads:
        if isinstance(other, str | os.PathLike) and _is_same_file(path, other):
            raise DataError(
                f"{path} would be replaced by {what}, but this command reads or writes it too; give {what} another name"
            )
    if os.path.isdir(path):
        raise DataError(f"cannot write {what}: {path} is a folder; give a file name")
    if _is_written_into(path):
        return
    folder = Path(os.path.realpath(path) if os.path.islink(path) else path).parent
    if not folder.is_dir():
        raise DataError(f"cannot write {what} to {path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise DataError(f"cannot write {what} to {path}: no permission to write in {folder}")


def _is_written_into(path: Name) -> bool:
    """Whether this is a device, a pipe, or a file descriptor by name such as /dev/stdout: nothing to be replaced."""
    if str(path).startswith(("/dev/std", "/dev/fd/", "/proc/self/fd/")):
        return True
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _is_same_file(path: Name, read: Name) -> bool:
    """Whether a path names the file that is read, perhaps in another way; "-" is what standard input reads."""
    try:
        if str(read) == "-":
            return os.path.samestat(os.stat(path), os.fstat(0))
        return os.path.realpath(path) == os.path.realpath(read) or os.path.samefile(path, read)
    except OSError:  # there is no such file yet, or no standard input
        return False


@contextmanager
def _explained(path: Path, what: str, temp: Path) -> Iterator[None]:
    """Say of an `OSError` which file it was and what to do; one that names another file is of what the block reads."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has gone: the caller knows what that means
    except OSError as error:
        if error.filename not in (None, str(path), str(temp)):
            raise
        said = f"cannot write {what} ({error.strerror or error}): {_ADVICE}"
        raise OSError(error.errno, said, str(path)) from error


def _remove_orphans(folder: Path) -> None:
    """Remove temporary files that nobody has touched for a day."""
    with suppress(OSError):  # a folder that may be written but not listed
        for entry in os.scandir(folder):
            with suppress(OSError):
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if _TEMP.fullmatch(entry.name) and age > _STALE_SECONDS:
                    os.unlink(entry.path)
