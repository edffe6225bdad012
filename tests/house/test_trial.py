"""A sample of each row of the trial; `make trial` runs them at length."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from trial.row import all_rows


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_a_dozen_random_moments() -> None:
    found = all_rows()["killed_streams"].run(12, seed=0)
    assert found.failures == []
    assert int(found.note.split()[0]) > 5


DYING = """
import os, random, sys
from pathlib import Path
from linsep.files import write_whole
from trial.disk import Disk

path, seed, flushed = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "True"
disk = Disk(random.Random(seed), lambda: None)
disk.interpose()
write_whole(path, b"old", "the file")
if not flushed:
    vars(os)["fsync"] = lambda descriptor: None
write_whole(path, b"new", "the file")
disk.die()
"""


@pytest.mark.skipif(os.name != "posix", reason="kills itself as POSIX does")
@pytest.mark.parametrize("flushed", [True, False])
def test_the_disk_loses_what_was_not_flushed_and_nothing_else(tmp_path: Path, flushed: bool) -> None:
    left = set()
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    for seed in range(12):
        path = tmp_path / f"a{seed}"
        # A new process, not a fork of this one: other tests left threads here, and a fork may wait for their locks.
        done = subprocess.run([sys.executable, "-c", DYING, path, str(seed), str(flushed)], env=paths, check=False)
        assert done.returncode == -signal.SIGKILL
        left.add(path.read_bytes())
    assert left == {b"new"} if flushed else len(left) > 2


def test_random_regressions_of_every_family() -> None:
    found = all_rows()["regressions"].run(110, seed=1)
    assert found.failures == []
    assert found.tried > 80
    assert all(verdict in found.note for verdict in ("overlap", "quasi-complete", "complete"))


def test_every_row_says_what_it_promises() -> None:
    for name, row in all_rows().items():
        assert row.CLAIM and row.TIMES > 0, name
