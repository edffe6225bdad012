"""Writing model files: clear errors, and no failure or kill leaves a broken file."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linsep.learners import Perceptron
from linsep.store import load, save
from linsep.types import DataError


def fitted(**parameters: Any) -> Perceptron:
    return Perceptron(**parameters).fit(np.array([[-1.0], [2.0]]), [0, 1])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def test_an_unwritable_path_says_which_and_what_to_do(tmp_path: Path, path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write the model to .*nowhere/model: there is no folder .*nowhere"):
        save(fitted(), tmp_path / "nowhere" / "model")
    path.write_bytes(b"a file")
    with pytest.raises(DataError, match="there is no folder"):
        save(fitted(), path / "model")
    with pytest.raises(DataError, match="is a folder; give a file name"):
        save(fitted(), tmp_path)
    save(fitted(), os.devnull)
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_keeps_the_old_model(
    step: str, error: BaseException, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(fitted(), path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)) as caught:
        save(fitted(max_iter=2000), path)
    assert str(caught.value).count("cannot write the model") == isinstance(error, OSError)
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_permissions_are_those_of_any_new_file(mask: int, path: Path) -> None:
    before = os.umask(mask)
    try:
        save(fitted(), path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


# Each line on standard input asks for one victim, forked so that it starts at once, which kills itself before that many
# lines of the writing function have run.
DRIVER = """
import os, signal, sys
import numpy as np
from linsep import files, store
from linsep.learners import Perceptron

path, width = sys.argv[1], int(sys.argv[2])
rows = np.vstack([-np.ones(width), np.ones(width)])
old, new = Perceptron().fit(rows, [0, 1]), Perceptron().fit(2 * rows, [0, 1])
store.save(old, path)
left = 0

def follow(frame, event, arg):
    global left
    if frame.f_code.co_filename != files.__file__:
        return None
    if event == "line":
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
    return follow

print("ready", flush=True)
for request in sys.stdin:
    child = os.fork()
    if child == 0:
        print(os.getpid(), flush=True)
        left = int(request)
        sys.settrace(follow)
        store.save(new, path)
        sys.settrace(None)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    print("killed" if os.WIFSIGNALED(status) else "whole", flush=True)
"""


@pytest.fixture
def driver(path: Path) -> Iterator[Any]:
    processes = []

    def start(width: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-W", "ignore", "-c", DRIVER, str(path), str(width)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.communicate()
        assert process.returncode == 0


def ask(process: subprocess.Popen[str], request: str) -> int:
    assert process.stdin is not None
    process.stdin.write(request + "\n")
    process.stdin.flush()
    return int(read(process))


def read(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def leftovers(path: Path) -> list[str]:
    return [name for name in os.listdir(path.parent) if name != path.name]


posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@posix
def test_a_kill_before_any_line_of_the_write_leaves_the_old_file_or_the_new(path: Path, driver: Any) -> None:
    process = driver(3)
    assert read(process) == "ready"
    weights: list[float] = []
    outcome = "killed"
    while outcome == "killed":
        ask(process, str(len(weights)))
        outcome = read(process)
        weights.append(float(load(path).coef_[0, 0]))
        for name in leftovers(path):  # which would be looked at in the next round
            (path.parent / name).unlink()
    old, new = weights[0], weights[-1]
    assert old != new
    assert len(weights) > 10
    assert weights == sorted(weights, key=lambda w: w == new)
