"""A sample of each row of the trial; `make trial` runs them at length."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from linsep.files import write_whole
from trial.disk import Disk
from trial.row import all_rows


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_twenty_random_moments() -> None:
    found = all_rows()["killed_streams"].run(20, seed=0)
    assert found.failures == []
    assert int(found.note.split()[0]) > 10


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Polars warns of every fork
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("flushed", [True, False])
def test_the_disk_loses_what_was_not_flushed_and_nothing_else(tmp_path: Path, flushed: bool) -> None:
    left = set()
    for seed in range(12):
        path = tmp_path / f"a{seed}"
        child = os.fork()
        if child == 0:
            disk = Disk(random.Random(seed), lambda: None)
            disk.interpose()
            write_whole(path, b"old", "the file")
            if not flushed:
                vars(os)["fsync"] = lambda descriptor: None
            write_whole(path, b"new", "the file")
            disk.die()
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        left.add(path.read_bytes())
    assert left == {b"new"} if flushed else len(left) > 2


def test_every_row_says_what_it_promises() -> None:
    for name, row in all_rows().items():
        assert row.CLAIM and row.TIMES > 0, name
