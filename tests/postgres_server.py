"""A PostgreSQL server of the tests' own: in a temporary folder, on the loopback, as a user without privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "s3cret/pass@word"  # in an address it is written s3cret%2Fpass%40word
IN_ADDRESS = "s3cret%2Fpass%40word"
_FAST = ("fsync=off", "listen_addresses=127.0.0.1", "max_wal_size=64MB", "shared_buffers=16MB")


def programs() -> Path:
    """The folder of the programs of PostgreSQL; Debian puts them on no path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return (found[-1] if found else Path(str(on_path))).parent


def somebody() -> dict[str, Any]:
    """Who runs the server, which root may not: keywords of `subprocess.run`."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    pytest.skip("PostgreSQL does not run as root, and there is no user called postgres or nobody")


@contextmanager
def running() -> Iterator[str]:
    """A server of one database; its address, without the password."""
    where, who = programs(), somebody()
    folder = Path(tempfile.mkdtemp(prefix="linsep-postgres-"))
    try:
        (folder / "password").write_text(PASSWORD)
        if who:
            for path in (folder, folder / "password"):
                os.chown(path, who["user"], who["group"])

        def run(program: str, *arguments: str) -> None:
            done = subprocess.run(
                [where / program, "-D", folder / "data", *arguments],
                cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, **who,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr

        run("initdb", "-U", "ann", "-A", "scram-sha-256", f"--pwfile={folder}/password", "-N", "-E", "UTF8",
            "--locale=C")  # fmt: skip
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        options = " ".join(f"-c {option}" for option in (*_FAST, f"port={port}", f"unix_socket_directories={folder}"))
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield f"postgresql://ann@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
