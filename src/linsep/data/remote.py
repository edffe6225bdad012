"""Files that have an address: s3://, https:// and whatever else fsspec knows."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any

from linsep.data.addresses import shown, without_secrets_of
from linsep.types import DataError

# What stores and servers say of a file that changes with its bytes.
_STAMPS = (
    "size",
    "ETag",
    "LastModified",
    "Last-Modified",
    "last_modified",
    "mtime",
    "updated",
    "Content-MD5",
    "Digest",
)


def open_remote(address: str, *, anywhere: bool = False) -> RemoteFile:
    """The file at an address, for bytes as they are; pieces of it are fetched while it is read.

    A web server is asked for the file once, from its beginning to its end, unless it must be read `anywhere`, which not
    every web server can do.

    Raises
    ------
    DataError
        There is none, it may not be read, or what reads such addresses is not installed.
    """
    fs, path = _found(address)
    block = {"block_size": 0} if _is_web(address) and not anywhere else {}
    return RemoteFile(_said(address, lambda: fs.open(path, "rb", **block)), address)


def facts_of(address: str) -> dict[str, Any]:
    """What is known of a file without reading it: its ``size``, None where the server does not say, and its stamps.

    Raises
    ------
    DataError
        As `open_remote`.
    """
    fs, path = _found(address)
    fs.invalidate_cache()
    told = _said(address, lambda: fs.info(path))
    return {"size": None, **{name: told[name] for name in _STAMPS if name in told}}


def remote_files(address: str) -> list[str]:
    """The addresses that a pattern with * or a folder (an address that ends with /) names, in order.

    Raises
    ------
    DataError
        There is none.
    """
    is_pattern = "*" in address.partition("?")[0]
    if not is_pattern and not address.endswith("/"):
        return [address]
    fs, path = _found(address)
    fs.invalidate_cache()
    named = _said(address, lambda: fs.glob(path, detail=True).values() if is_pattern else fs.ls(path, detail=True))
    found = sorted(str(one["name"]) for one in named if one["type"] == "file")
    if not is_pattern:
        found = [one for one in found if not one.rpartition("/")[2].startswith((".", "_"))]
    if not found:
        raise DataError(f"{shown(address)}: there is no file of that name")
    # The names have the form of the path, before which the address has the scheme and, of some, the server.
    before = address.rstrip("/").removesuffix(path)
    return [before + one for one in found]


class RemoteFile(io.RawIOBase):
    """A file on a server. What goes wrong while it is read is an `OSError`, whose words hold no password."""

    def __init__(self, file: Any, address: str) -> None:
        self._file, self._address = file, address
        # A file without a size is sent from its beginning to its end.
        self._can_seek = getattr(file, "size", None) is not None and file.seekable()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._can_seek)

    def readinto(self, buffer: Any) -> int:
        found = _said(self._address, lambda: self._file.read(len(buffer)), OSError)
        buffer[: len(found)] = found
        return len(found)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _found(address: str) -> tuple[Any, str]:
    name = shown(address)
    try:
        core: Any = import_module("fsspec.core")
    except ImportError:
        raise DataError(
            f"{name}: reading remote files needs fsspec, which is not installed: pip install 'linsep[remote]'"
        ) from None
    fs, path = _said(address, lambda: core.url_to_fs(address, **_options(address)))
    return fs, path


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def _options(address: str) -> dict[str, Any]:
    """A file may take hours to read: only a server that is silent for a minute is given up."""
    if not _is_web(address):
        return {}
    aiohttp: Any = import_module("aiohttp")
    configured = import_module("fsspec.config").conf.get(address.partition(":")[0], {}).get("client_kwargs", {})
    return {
        "client_kwargs": {"timeout": aiohttp.ClientTimeout(total=None, sock_connect=60, sock_read=60), **configured}
    }


def _said(address: str, work: Callable[[], Any], kind: type[Exception] = DataError) -> Any:
    """What `work` gives. Stores raise what they like: each error becomes one of this kind, in one sentence."""
    name = shown(address)
    try:
        return work()
    except FileNotFoundError as error:
        cause = error.__cause__
        no_answer = isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)
        words = _in_words(cause, address) if cause and no_answer else "there is no file of that name"
        raise DataError(f"{name}: {words}") from None
    except ImportError as error:
        raise DataError(f"{name}: {error}: pip install 'linsep[remote]'") from None
    except Exception as error:
        words = _in_words(error, address)
        raise kind(words if kind is OSError else f"{name} cannot be opened: {words}") from None


def _in_words(error: BaseException, address: str) -> str:
    words = " ".join(without_secrets_of(address, str(error)).split())
    return f"{words:.300}" if words else type(error).__name__
