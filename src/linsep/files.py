"""Files that are whole or not there."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

# A killed write may leave one of these beside the file; it is safe to delete.
_TEMP = ".linsep-{}.tmp"


def write_whole(path: str | os.PathLike[str], raw: bytes, what: str) -> None:
    """Write a file in one step: a reader finds the old one or the new one; a link stays a link.

    Parameters
    ----------
    path : str or PathLike
    raw : bytes
    what : str
        What the file is, for messages: "the model".

    Raises
    ------
    OSError
        The path cannot be written; a file there before is as it was.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/three", b"123", "the number")
    ...     len(Path(f"{folder}/three").read_bytes())
    3
    """
    path = Path(os.path.realpath(path))
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"cannot write {what}: {path} is not an ordinary file; give the name of one")
    temp = path.with_name(_TEMP.format(secrets.token_hex(8)))
    try:
        try:
            # "x" with the default mode: the permissions are those the umask gives any new file.
            with open(temp, "xb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temp, path)
        finally:
            temp.unlink(missing_ok=True)
    except OSError as error:
        advice = "check that the folder exists, is writable and has room"
        raise OSError(error.errno, f"cannot write {what} ({error.strerror}): {advice}", str(path)) from error
    # The new name must reach the disk too. Not every system can flush a folder; the file is whole either way.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
